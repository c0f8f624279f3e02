//! A weighting function for weights that were found row by row.

use crate::design::TrainingData;
use crate::linalg::{Cholesky, Matrix, dot};
use crate::passes::{Divergence, QuadraticFunction, raw_weights};
use crate::rows::{weighted_column_sums, weighted_cross_product};

/// Rows from which the function nearest to given weights is found, at most.
const NEAREST_ROWS: usize = 20_000;

/// The function `max(0, z~' T z~)` that comes nearest to given weights, by least squares with a slight ridge.
pub(super) fn nearest(data: &TrainingData, weights: &[f64]) -> Option<QuadraticFunction> {
    let width = data.design.columns();
    let pairs: Vec<(usize, usize)> = (0..width).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
    // Some thousand rows tell a smooth function as well as all of them.
    let rows: Vec<usize> = (0..data.rows()).step_by(data.rows().div_ceil(NEAREST_ROWS)).collect();
    let products = Matrix::from_fn(rows.len(), pairs.len(), |k, pair| {
        data.design[(rows[k], pairs[pair].0)] * data.design[(rows[k], pairs[pair].1)]
    });
    let pick = |values: &[f64]| rows.iter().map(|&row| values[row]).collect::<Vec<f64>>();
    let base = pick(&data.base);
    let mut moments = weighted_cross_product(&products, &base);
    (0..pairs.len()).for_each(|k| moments[(k, k)] += 1e-6 * base.iter().sum::<f64>());
    let sums = weighted_column_sums(&products, &base, &pick(weights));
    let solution = Cholesky::with_least_ridge(&moments)?.solve(&sums);
    let mut form = Matrix::zeros(width, width);
    for (&(i, j), value) in pairs.iter().zip(solution) {
        let half = if i == j { value } else { 0.5 * value };
        (form[(i, j)], form[(j, i)]) = (half, half);
    }
    let total: f64 = data.base.iter().sum();
    let mean = dot(&raw_weights(&data.design, &form, Divergence::Chi2), &data.base) / total;
    (mean.is_finite() && mean > 0.0).then(|| QuadraticFunction {
        divergence: Divergence::Chi2,
        form,
        factor: 1.0 / mean,
    })
}
