//! The kernel learns which columns count.

use super::features::WIDTH_OF_CUBES;
use super::{Fits, Kernel, Sheet, Smoother, Space, predictions};
use crate::linalg::Matrix;
use crate::threads;

/// Widths of the kernel tried in every round, relative to the root of the number of columns, from the narrowest.
const WIDTHS: [f64; 3] = [1.0 / WIDTH_OF_CUBES, 1.0, WIDTH_OF_CUBES];
/// Rounds of learning the scales, at most.
const ROUNDS: usize = 7;
const ROUNDS_FROM_START: usize = 3;
/// A round must lower the error by this share to count as a success; two failures end the learning.
const SUCCESS: f64 = 2e-3;
/// Parts of a column between which residuals are compared.
const PARTS: usize = 16;
/// A column in which residuals bend by this many standard deviations was missed.
const MISSED: f64 = 6.0;
/// The least importance of a column, as a share of the greatest.
const LEAST_IMPORTANCE: f64 = 1e-3;

/// How much work goes into learning.
#[derive(Debug, Clone, Copy)]
pub(in crate::evidence) struct Effort {
    /// Of the first rows.
    pub rows: usize,
    /// Bumps of the kernel.
    pub landmarks: usize,
    /// How often the learning goes on from a column that was missed, at most.
    pub restarts: usize,
}

impl Effort {
    /// Rows and landmarks, of so many as there are.
    fn of(self, sheet: &Sheet) -> (usize, usize) {
        let rows = self.rows.min(sheet.order.len());
        (rows, self.landmarks.min((rows as f64 * sheet.independent) as usize / 3).max(1))
    }
}

/// What was learnt.
pub(in crate::evidence) struct Learnt {
    /// How much each column counts in the distance of two rows.
    pub scales: Vec<f64>,
    /// The error at the best penalty, the sum over the outcomes.
    pub error: f64,
    /// The best penalty.
    pub penalty: i32,
}

/// How much each column counts in the distance of two rows, learnt for the outcomes together.
///
/// Starts from equal scales, or from those of a similar regression. If what the best fit leaves of the first outcome still bends with a
/// column, that column was missed, since another that follows it stood in the way: the learning goes on from there with
/// the column raised.
pub(in crate::evidence) fn learn_scales(
    sheet: &Sheet,
    columns: &[usize],
    outcomes: &[&[f64]],
    effort: Effort,
    start: Option<&[f64]>,
) -> Learnt {
    let mut best = learn_from(sheet, columns, outcomes, effort, start);
    for _ in 0..effort.restarts {
        let left = left_by(sheet, columns, outcomes[0], effort, &best);
        let most = (0..columns.len())
            .map(|k| (k, bend(sheet, columns[k], &left)))
            .fold((0, 0.0), |most, next| if next.1 > most.1 { next } else { most });
        if most.1 < MISSED {
            break;
        }
        let mut raised = best.scales.clone();
        raised[most.0] = raised.iter().copied().fold(0.0, f64::max);
        let next = learn_from(sheet, columns, outcomes, effort, Some(&raised));
        if next.error > best.error * (1.0 - SUCCESS) {
            break;
        }
        best = next;
    }
    best
}

/// What the fit with some scales leaves of an outcome, in the rows from which they were learnt.
fn left_by(sheet: &Sheet, columns: &[usize], outcome: &[f64], effort: Effort, learnt: &Learnt) -> Vec<f64> {
    let (rows, landmarks) = effort.of(sheet);
    let kernel = Kernel::new(sheet, columns, 0..landmarks, learnt.scales.clone());
    let space = Space::new(sheet, columns, vec![kernel]).kept(rows);
    let smoother = Smoother::gather(&space, rows, &[outcome]);
    let coefficients = Fits::new(&smoother).coefficients(learnt.penalty, 0);
    let fitted = predictions(&space, rows, &Matrix::from_values(coefficients.len(), 1, coefficients));
    (0..rows).map(|k| outcome[k] - fitted[(k, 0)]).collect()
}

/// How many standard deviations the means of some residuals vary more between equal parts of a column's range of ranks than they would without a bend.
fn bend(sheet: &Sheet, column: usize, left: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..left.len()).collect();
    order.sort_by(|&a, &b| sheet.seen[(a, column)].total_cmp(&sheet.seen[(b, column)]).then(a.cmp(&b)));
    if sheet.seen[(order[0], column)] == sheet.seen[(order[left.len() - 1], column)] || left.len() < 4 * PARTS {
        return 0.0;
    }
    let total: f64 = sheet.base[..left.len()].iter().sum();
    let mean = left.iter().zip(&sheet.base).map(|(value, weight)| value * weight).sum::<f64>() / total;
    let (mut between, mut within) = (0.0, 0.0);
    for part in order.chunks(left.len().div_ceil(PARTS)) {
        let weight: f64 = part.iter().map(|&k| sheet.base[k]).sum();
        let sum: f64 = part.iter().map(|&k| sheet.base[k] * (left[k] - mean)).sum();
        let squares: f64 = part.iter().map(|&k| sheet.base[k] * (left[k] - mean).powi(2)).sum();
        let explained = if weight > 0.0 { sum * sum / weight } else { 0.0 };
        between += explained;
        within += squares - explained;
    }
    let degrees = (PARTS - 1) as f64;
    let ratio = between / degrees / (within / (left.len() as f64 - degrees - 1.0));
    if ratio.is_finite() { (ratio - 1.0) * (0.5 * degrees).sqrt() } else { 0.0 }
}

/// One way down. Each round fits the kernel at several widths and
/// penalties, keeps the best by generalised cross-validation, and sets every column's squared scale to the mean square of the fitted
/// curve's slope in it. The curve is what is left beside the linear part, so that columns with a linear effect alone do not count.
fn learn_from(sheet: &Sheet, columns: &[usize], outcomes: &[&[f64]], effort: Effort, start: Option<&[f64]>) -> Learnt {
    let (rows, landmarks) = effort.of(sheet);
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
        let scales_at = |width: usize| -> Vec<f64> {
            importance.iter().map(|value| value.sqrt() / (WIDTHS[width] * root)).collect()
        };
        let widest = widths.end - 1;
        let kernel = Kernel::new(sheet, columns, 0..landmarks, scales_at(widest));
        let wide = Space::new(sheet, columns, vec![kernel]).kept(rows);
        let tried = threads::map(widths.len(), |k| {
            let width = widths.start + k;
            let narrower = (width < widest).then(|| wide.narrowed((widest - width) as u32));
            let smoother = Smoother::gather(narrower.as_ref().unwrap_or(&wide), rows, outcomes);
            let fits = Fits::new(&smoother);
            let penalty = fits.best(&every, penalty);
            let error = every.iter().map(|&outcome| fits.error(penalty, outcome)).sum();
            let curves: Vec<Vec<f64>> = every.iter().map(|&outcome| fits.coefficients(penalty, outcome)).collect();
            (Learnt { scales: scales_at(width), error, penalty }, narrower, curves)
        });
        let numbered = widths.clone().zip(tried);
        let least = numbered.reduce(|best, next| if next.1.0.error < best.1.0.error { next } else { best });
        let Some((width, (found, narrower, curves))) = least else { break };
        let space = narrower.as_ref().unwrap_or(&wide);
        let mut slopes = vec![0.0; columns.len()];
        for curve in &curves {
            space.add_squared_slopes(rows, &curve[1 + columns.len()..], &mut slopes);
        }
        if !found.error.is_finite() {
            break;
        }
        penalty = Some(found.penalty);
        failures = if found.error < best.error * (1.0 - SUCCESS) { 0 } else { failures + 1 };
        // The best width rarely moves far.
        widths = width.saturating_sub(1)..(width + 2).min(WIDTHS.len());
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
