//! The kernel learns which columns count.

use super::{Fits, Kernel, Sheet, Smoother, Space};

/// Widths of the kernel tried in every round, relative to the root of the number of columns.
const WIDTHS: [f64; 3] = [0.6, 1.0, 1.7];
/// Rounds of learning the scales, at most.
const ROUNDS: usize = 7;
const ROUNDS_FROM_START: usize = 3;
/// A round must lower the error by this share to count as a success; two failures end the learning.
const SUCCESS: f64 = 2e-3;
/// The least importance of a column, as a share of the greatest.
const LEAST_IMPORTANCE: f64 = 1e-3;

/// What was learnt.
pub(in crate::evidence) struct Learnt {
    /// How much each column counts in the distance of two rows.
    pub scales: Vec<f64>,
    /// The error at the best penalty, the sum over the outcomes.
    pub error: f64,
    /// The best penalty.
    pub penalty: i32,
}

/// How much each column counts in the distance of two rows, learnt for the outcomes together from so many of the first rows
/// and landmarks.
///
/// Starts from equal scales, or from those of a similar regression. Each round fits the kernel at several widths and
/// penalties, keeps the best by generalised cross-validation, and sets every column's squared scale to the mean square of the fitted
/// curve's slope in it. The curve is what is left beside the linear part, so that columns with a linear effect alone do not count.
pub(in crate::evidence) fn learn_scales(
    sheet: &Sheet,
    columns: &[usize],
    outcomes: &[&[f64]],
    (rows, landmarks): (usize, usize),
    start: Option<&[f64]>,
) -> Learnt {
    let rows = rows.min(sheet.order.len());
    let landmarks = landmarks.min(rows / 3).max(1);
    let root = (columns.len() as f64).sqrt();
    let mut importance = vec![1.0f64; columns.len()];
    if let Some(scales) = start {
        importance = scales.iter().map(|scale| scale * scale).collect();
        if !normalise(&mut importance) {
            importance.fill(1.0);
        }
    }
    let (rounds, patience) = if start.is_some() { (ROUNDS_FROM_START, 1) } else { (ROUNDS, 2) };
    let mut best = Learnt { scales: vec![1.0 / root; columns.len()], error: f64::INFINITY, penalty: -4 };
    let mut failures = 0;
    let mut penalty = None;
    let mut widths = 0..WIDTHS.len();
    let every: Vec<usize> = (0..outcomes.len()).collect();
    for _ in 0..rounds {
        let mut round: Option<(Learnt, Vec<f64>, usize)> = None;
        for width in widths.clone() {
            let scales: Vec<f64> = importance.iter().map(|value| value.sqrt() / (WIDTHS[width] * root)).collect();
            let kernel = Kernel::new(sheet, columns, 0..landmarks, scales.clone());
            let space = Space::new(sheet, columns, vec![kernel.clone()]);
            let smoother = Smoother::gather(&space, rows, outcomes);
            let fits = Fits::new(&smoother);
            let at = fits.best(&every, penalty);
            let error = every.iter().map(|&outcome| fits.error(at, outcome)).sum();
            penalty = Some(at);
            if round.as_ref().is_none_or(|(best, ..)| error < best.error) {
                let mut slopes = vec![0.0; columns.len()];
                for outcome in 0..outcomes.len() {
                    let curve = &fits.coefficients(at, outcome)[1 + columns.len()..];
                    kernel.add_squared_slopes(&space, rows, curve, 1.0, &mut slopes);
                }
                round = Some((Learnt { scales, error, penalty: at }, slopes, width));
            }
        }
        let Some((found, slopes, width)) = round else { break };
        if !found.error.is_finite() {
            break;
        }
        penalty = Some(found.penalty);
        // The best width rarely moves far.
        widths = width.saturating_sub(usize::from(width == 2))..(width + 2).min(WIDTHS.len());
        failures = if found.error < best.error * (1.0 - SUCCESS) { 0 } else { failures + 1 };
        if found.error < best.error {
            best = found;
        }
        importance = slopes;
        if failures == patience || !normalise(&mut importance) {
            break;
        }
    }
    best
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
