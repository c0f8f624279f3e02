//! How much each column counts in a kernel.
//!
//! In many columns a kernel is only as good as its distances. [`learn_scales`] therefore learns from the data how
//! much each column counts: columns in which the fitted curve is steep are stretched, flat ones shrink, and
//! the curve is fitted again (recursive feature machines, Radhakrishnan et al., Science 2024).

use super::cross_fit::{Candidate, PENALTIES, Trial};
use super::{Family, Inputs, Kernel, gathered};
use crate::linalg::{Matrix, multiply_rows};
use crate::rows::tiles;

/// Widths of the kernel, as multiples of the root of the number of columns.
const WIDTHS: [f64; 3] = [0.5, 1.0, 2.0];
/// Rounds of learning the scales, at most.
const ROUNDS: usize = 8;
const ROUNDS_FROM_START: usize = 3;
/// A round must lower the error by this share to count as a success; two failures end the learning.
const SUCCESS: f64 = 2e-3;
/// The least importance of a column, as a share of the greatest.
const LEAST_IMPORTANCE: f64 = 1e-3;

/// How much each column counts in the distance of two rows, learnt for the outcomes together.
///
/// Starts from equal scales, or from those of a similar regression. Each round fits the kernel at several widths and
/// penalties, keeps the best in cross-validation, and sets every column's squared scale to the mean square of the fitted
/// curve's slope in it. The curve is what is left beside the linear part, so that columns with a linear effect alone do not count.
pub(in crate::evidence) fn learn_scales(
    inputs: &Inputs,
    outcomes: &[&[f64]],
    folds: &[Vec<usize>],
    landmarks: &[usize],
    start: Option<&[f64]>,
) -> Vec<f64> {
    let columns = inputs.columns.len();
    let root = (columns as f64).sqrt();
    let mut importance = vec![1.0f64; columns];
    if let Some(scales) = start {
        importance = scales.iter().map(|scale| scale * scale).collect();
        normalise(&mut importance);
    }
    let (rounds, patience) = if start.is_some() { (ROUNDS_FROM_START, 1) } else { (ROUNDS, 2) };
    let mut best: Option<(f64, Vec<f64>)> = None;
    let mut failures = 0;
    // Positions of the penalties to try: all at first, then the best one and its neighbours.
    let mut penalties = 0..PENALTIES.len();
    for _ in 0..rounds {
        let mut round: Option<(f64, usize, Kernel, Trial)> = None;
        for width in WIDTHS {
            let scales = importance.iter().map(|value| value.sqrt() / (width * root)).collect();
            let kernel = Kernel::new(inputs, landmarks, scales);
            let candidate = Candidate::new(inputs, outcomes, folds, &Family::Kernel(kernel.clone()));
            for position in penalties.clone() {
                let Some(trial) = candidate.trial(PENALTIES[position]) else { continue };
                let error = trial.errors.iter().sum();
                if round.as_ref().is_none_or(|(least, ..)| error < *least) {
                    round = Some((error, position, kernel.clone(), trial));
                }
            }
        }
        let Some((error, position, kernel, trial)) = round else { break };
        penalties = position.saturating_sub(1)..(position + 2).min(PENALTIES.len());
        let success = best.as_ref().is_none_or(|(least, _)| error < least * (1.0 - SUCCESS));
        failures = if success { 0 } else { failures + 1 };
        if best.as_ref().is_none_or(|(least, _)| error < *least) {
            best = Some((error, kernel.scales.clone()));
        }
        if failures == patience {
            break;
        }
        importance = squared_slopes(inputs, folds, &kernel, &trial);
        if !normalise(&mut importance) {
            break;
        }
    }
    best.map_or_else(|| vec![1.0 / root; columns], |(_, scales)| scales)
}

/// Scales importances to mean 1, none far below the greatest; false if there is no greatest.
fn normalise(importance: &mut [f64]) -> bool {
    let greatest = importance.iter().copied().fold(0.0, f64::max);
    if greatest <= 0.0 || !greatest.is_finite() {
        return false;
    }
    importance.iter_mut().for_each(|value| *value = (*value / greatest).max(LEAST_IMPORTANCE));
    let mean = importance.iter().sum::<f64>() / importance.len() as f64;
    importance.iter_mut().for_each(|value| *value /= mean);
    true
}

/// The mean square of the curves' slope in every column, over rows and outcomes.
fn squared_slopes(inputs: &Inputs, folds: &[Vec<usize>], kernel: &Kernel, trial: &Trial) -> Vec<f64> {
    let columns = inputs.columns.len();
    let count = kernel.norms.len();
    // Per outcome the curve averaged over the folds, then landmarks times their coefficients.
    let curves: Vec<Vec<f64>> = trial
        .coefficients
        .iter()
        .map(|folds| {
            (0..count).map(|k| folds.iter().map(|fit| fit[1 + columns + k]).sum::<f64>() / folds.len() as f64).collect()
        })
        .collect();
    let landmarks = Matrix::from_fn(count, columns, |k, j| kernel.landmarks[(j, k)]);
    let rows: Vec<usize> = folds.concat();
    let mut total = vec![0.0; columns];
    for tile in tiles(0..rows.len()) {
        let scaled = kernel.scale(&gathered(inputs, &rows[tile.clone()]));
        let mut bumps = vec![0.0; tile.len() * count];
        kernel.fill(&scaled, &mut bumps);
        for curve in &curves {
            let weighted: Vec<f64> =
                bumps.chunks_exact(count).flat_map(|row| row.iter().zip(curve).map(|(bump, c)| bump * c)).collect();
            let mut pull = vec![0.0; tile.len() * columns];
            multiply_rows(&weighted, &landmarks, &mut pull);
            for (k, row) in rows[tile.clone()].iter().enumerate() {
                let height: f64 = weighted[k * count..(k + 1) * count].iter().sum();
                for (j, total) in total.iter_mut().enumerate() {
                    let slope = kernel.scales[j] * (pull[k * columns + j] - height * scaled[k * columns + j]);
                    *total += inputs.base[*row] * slope * slope;
                }
            }
        }
    }
    total
}
