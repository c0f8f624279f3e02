//! Tables with very many columns: which of them the others are judged against.

use super::regression::{Effort, Fits, Kernel, Sheet, Smoother, Space, learn_scales, predictions};
use crate::design::TrainingData;
use crate::linalg::Matrix;

/// Columns beyond which not all of them are conditioned on.
const MOST_COLUMNS: usize = 150;
/// Rows per column that is conditioned on, at least.
const ROWS_PER_COLUMN: usize = 4;
/// Columns relevant for the outcome, at most.
const RELEVANT: usize = 60;
/// Variables added at once.
const STEP: usize = 15;
/// A variable's nearest neighbours beside the relevant ones.
const NEIGHBOURS: usize = 15;
/// The regressions in between.
const EFFORT: Effort = Effort { rows: 3000, landmarks: 100, restarts: 0 };

/// Whether there are too many columns to condition on all of them.
pub(crate) fn is_wide(columns: usize, rows: usize) -> bool {
    columns > MOST_COLUMNS || columns > rows / ROWS_PER_COLUMN
}

/// The encoded columns of the variables that tell most about the outcome, found step by step: what goes with the outcome, then
/// what goes with what a flexible regression on those leaves, and so on.
pub(super) fn relevant_columns(data: &TrainingData, sheet: &Sheet) -> Vec<usize> {
    let rows = sheet.order.len().min(EFFORT.rows);
    let most = RELEVANT.min(sheet.order.len() / ROWS_PER_COLUMN / 2).max(1);
    let features = &data.encoding.features;
    let mut left = sheet.outcome.clone();
    let mut chosen: Vec<usize> = Vec::new();
    let mut columns: Vec<usize> = Vec::new();
    while columns.len() < most && chosen.len() < features.len() {
        let association = associations(sheet, &left);
        let mut ranked: Vec<(usize, f64)> = (0..features.len())
            .filter(|variable| !chosen.contains(variable))
            .map(|variable| (variable, features[variable].columns.iter().map(|&c| association[c]).fold(0.0, f64::max)))
            .collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let before = columns.len();
        for (variable, _) in ranked.into_iter().take(STEP) {
            if columns.len() + features[variable].columns.len() <= most || columns.is_empty() {
                chosen.push(variable);
                columns.extend(&features[variable].columns);
            }
        }
        if columns.len() == before {
            break;
        }
        let learnt = learn_scales(sheet, &columns, &[&sheet.outcome], EFFORT, None);
        let kernel = Kernel::new(sheet, &columns, 0..EFFORT.landmarks.min(rows / 3).max(1), learnt.scales);
        let space = Space::new(sheet, &columns, vec![kernel]);
        let smoother = Smoother::gather(&space, rows, &[&sheet.outcome]);
        let fits = Fits::new(&smoother);
        let coefficients = fits.coefficients(fits.best(&[0], Some(learnt.penalty)), 0);
        let all = sheet.order.len();
        let fitted = predictions(&space, all, &Matrix::from_values(coefficients.len(), 1, coefficients));
        left = (0..all).map(|k| sheet.outcome[k] - fitted[(k, 0)]).collect();
    }
    columns.sort_unstable();
    columns
}

/// Per column its correlation with some values, or its square's, whichever is larger, without sign.
fn associations(sheet: &Sheet, values: &[f64]) -> Vec<f64> {
    let columns = sheet.seen.columns();
    // Sums of x, x^2, x^3, x^4, v x, v x^2 for every column, and of v and v^2.
    let mut sums = vec![[0.0; 6]; columns];
    let (mut total, mut sum, mut square) = (0.0, 0.0, 0.0);
    for (k, (&weight, &value)) in sheet.base.iter().zip(values).enumerate() {
        total += weight;
        sum += weight * value;
        square += weight * value * value;
        for (sums, &x) in sums.iter_mut().zip(sheet.seen.row(k)) {
            let (wx, wxx) = (weight * x, weight * x * x);
            let terms = [wx, wxx, wxx * x, wxx * x * x, value * wx, value * wxx];
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
    }
    let variance = square / total - (sum / total).powi(2);
    let correlation = |first: f64, second: f64, product: f64| {
        let spread = (second / total - (first / total).powi(2)) * variance;
        if spread > 0.0 { ((product / total - first / total * sum / total) / spread.sqrt()).abs() } else { 0.0 }
    };
    sums.iter().map(|s| correlation(s[0], s[1], s[4]).max(correlation(s[1], s[3], s[5]))).collect()
}

/// The columns that correlate most with those of a variable.
pub(super) fn neighbours(data: &TrainingData, variable: usize) -> Vec<usize> {
    let own = &data.encoding.features[variable].columns;
    let closeness = |column: usize| own.iter().map(|&o| data.correlations[(o, column)].abs()).fold(0.0, f64::max);
    let mut ranked: Vec<(usize, f64)> =
        (0..data.columns()).filter(|column| !own.contains(column)).map(|column| (column, closeness(column))).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked.into_iter().take(NEIGHBOURS).map(|(column, _)| column).collect()
}
