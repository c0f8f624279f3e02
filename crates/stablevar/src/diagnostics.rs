//! What the weights did and how far the selection can be trusted, as data.

use crate::design::TrainingData;
use crate::error::Result;
use crate::evidence::VariableEvidence;
use crate::functions::normal_cdf;
pub use crate::linalg::{correlation_from_covariance, covariance_from_moments};

use crate::linalg::{Cholesky, Matrix};
use crate::passes::{RowSource, Weighting};
use crate::threads::map_chunks_mut;
use crate::weights::{Mask, SampleWeights};
use serde::{Deserialize, Serialize};

/// The least |t| that a reader would take for something.
const NOTED_T: f64 = 1.5;
/// Degrees of freedom that are few, and how much larger a p-value is told of.
const FEW_DEGREES: f64 = 30.0;
const MUCH_LARGER: f64 = 2.0;

/// Whether a variable's p-value is much larger than its t would make it even with few degrees of freedom: where few rows tell its
/// effect, as those of a rare mark, or where the test of other shapes, which counts as well, shows none.
pub fn is_weaker_than_its_t(evidence: &VariableEvidence) -> bool {
    let t = evidence.t.abs();
    // The square of the normal quantile that is as unlikely as Student's t (Wallace, 1959).
    let shrink = (8.0 * FEW_DEGREES + 1.0) / (8.0 * FEW_DEGREES + 3.0);
    let normal = shrink * (FEW_DEGREES * (t * t / FEW_DEGREES).ln_1p()).sqrt();
    evidence.effect.is_some() && t > NOTED_T && evidence.p_value > MUCH_LARGER * 2.0 * normal_cdf(-normal)
}

/// The correlation matrix of the encoded columns under the weights.
pub fn weighted_correlations(data: &dyn RowSource, weights: &SampleWeights) -> Result<Matrix> {
    let moments = weights.moments(data)?;
    Ok(correlation_from_covariance(&covariance_from_moments(&moments.columns)))
}

/// The largest absolute correlation among the pairs that the mask asks to decorrelate, times the strength with which it does.
pub fn remaining_correlation(correlations: &Matrix, mask: &Mask) -> f64 {
    strongest_remaining(correlations, mask).map_or(0.0, |(_, correlation)| correlation)
}

/// The root mean square of these correlations, times the strengths.
pub fn rms_remaining_correlation(correlations: &Matrix, mask: &Mask) -> f64 {
    let pairs = mask.pairs();
    let sum: f64 = pairs.iter().map(|&(i, j, strength)| (strength * correlations[(i, j)]).powi(2)).sum();
    (sum / pairs.len().max(1) as f64).sqrt()
}

/// The pair of columns with the largest one, and the correlation; `None` if there are no pairs.
pub fn strongest_remaining(correlations: &Matrix, mask: &Mask) -> Option<((usize, usize), f64)> {
    let left = mask.pairs().into_iter().map(|(i, j, strength)| ((i, j), strength * correlations[(i, j)].abs()));
    left.reduce(|most, pair| if pair.1 > most.1 { pair } else { most })
}

/// Rows and columns that [`distance_correlation`] looks at, at most: its cost grows with the square of both.
const DISTANCE_ROWS: usize = 400;
const DISTANCE_COLUMNS: usize = 40;
/// Evenly spaced rows that these rows are drawn from, at most.
const DRAWN_FROM: usize = 20_000;

/// The mean distance correlation of the pairs of columns that the mask asks to decorrelate, with equal weights and under the
/// weights.
///
/// It is 0 only for independent columns, so that it also sees dependence that correlations do not. Rows are drawn in
/// proportion to their weight, and the estimate is the bias-corrected one (Szekely and Rizzo, 2013), which is 0 on average for
/// independent columns however few rows there are. `None` without pairs or with fewer than 5 rows.
pub fn distance_correlation(data: &dyn RowSource, weights: &SampleWeights, mask: &Mask) -> Result<Option<(f64, f64)>> {
    let rows = data.frame().rows();
    let places: Vec<usize> = (0..rows).step_by(rows.div_ceil(DRAWN_FROM).max(1)).collect();
    let some = data.take(&places)?;
    let after = match weights.weighting() {
        Weighting::Given(values) => places.iter().zip(&some.base).map(|(&place, base)| values[place] * base).collect(),
        _ => weights.with_base(&some),
    };
    Ok(mean_distance_correlation(&some, &some.base, mask).zip(mean_distance_correlation(&some, &after, mask)))
}

fn mean_distance_correlation(data: &TrainingData, weights: &[f64], mask: &Mask) -> Option<f64> {
    let rows = drawn_in_proportion(weights, DISTANCE_ROWS.min(data.rows()));
    if rows.len() < 5 {
        return None;
    }
    let columns = data.columns();
    let looked_at: Vec<usize> =
        (0..columns.min(DISTANCE_COLUMNS)).map(|k| k * columns / columns.min(DISTANCE_COLUMNS)).collect();
    let count = looked_at.len();
    // One row per column looked at, one entry per pair of drawn rows: products of rows are all that is needed.
    let size = rows.len() * (rows.len() - 1) / 2;
    let mut distances = Matrix::zeros(count, size);
    map_chunks_mut(distances.values_mut(), size, |k, distances| {
        let values: Vec<f64> = rows.iter().map(|&row| data.design[(row, looked_at[k] + 1)]).collect();
        fill_centred_distances(&values, distances);
    });
    let products = distances.products_of_rows();
    let (mut sum, mut pairs) = (0.0, 0);
    for b in 0..count {
        for a in 0..b {
            if mask.strength(looked_at[a], looked_at[b]) == 0.0 {
                continue;
            }
            let scale = (products[(a, a)] * products[(b, b)]).sqrt();
            sum += if scale > 0.0 { (products[(a, b)] / scale).max(0.0).sqrt() } else { 0.0 };
            pairs += 1;
        }
    }
    (pairs > 0).then(|| sum / f64::from(pairs))
}

/// Positions drawn systematically: every `total / count` of the summed weights one row.
fn drawn_in_proportion(weights: &[f64], count: usize) -> Vec<usize> {
    let step = weights.iter().sum::<f64>() / count as f64;
    let (mut drawn, mut sum) = (Vec::with_capacity(count), 0.0);
    for (row, weight) in weights.iter().enumerate() {
        sum += weight;
        while drawn.len() < count && sum > (drawn.len() as f64 + 0.5) * step {
            drawn.push(row);
        }
    }
    drawn
}

/// Distances between every two values, the later first, with each value's mean taken out so that independence gives 0.
fn fill_centred_distances(values: &[f64], distances: &mut [f64]) {
    let size = values.len() as f64;
    let sums: Vec<f64> = values.iter().map(|a| values.iter().map(|b| (a - b).abs()).sum()).collect();
    let level = sums.iter().sum::<f64>() / ((size - 1.0) * (size - 2.0));
    let mut place = distances.iter_mut();
    for (later, (a, a_sum)) in values.iter().zip(&sums).enumerate() {
        for ((b, b_sum), place) in values[..later].iter().zip(&sums).zip(&mut place) {
            *place = (a - b).abs() - (a_sum + b_sum) / (size - 2.0) + level;
        }
    }
}

/// `IDP_s`: the mean off-diagonal correlation within the stable columns; `None` for fewer than two.
pub fn dependence_within(correlations: &Matrix, stable: &[usize]) -> Option<f64> {
    let pairs = stable.len() * stable.len().saturating_sub(1);
    let sum: f64 =
        stable.iter().flat_map(|&i| stable.iter().filter(move |&&j| j != i).map(move |&j| correlations[(i, j)])).sum();
    (pairs > 0).then(|| sum / pairs as f64)
}

/// `IDP_sv`: the mean absolute correlation between stable and other columns; `None` if either is empty.
///
/// The paper does not say whether signs may cancel; absolute values can't.
pub fn dependence_between(correlations: &Matrix, stable: &[usize]) -> Option<f64> {
    let others: Vec<usize> = (0..correlations.rows()).filter(|column| !stable.contains(column)).collect();
    let pairs = stable.len() * others.len();
    let sum: f64 = stable.iter().flat_map(|&i| others.iter().map(move |&j| correlations[(i, j)].abs())).sum();
    (pairs > 0).then(|| sum / pairs as f64)
}

/// `||beta_v||_1`: the sum of absolute coefficients outside the stable columns.
pub fn unstable_coefficients(coefficients: &[f64], stable: &[usize]) -> f64 {
    coefficients.iter().enumerate().filter(|(column, _)| !stable.contains(column)).map(|(_, value)| value.abs()).sum()
}

/// Theorem 1's quantity `|Cov(V, S) Cov(S)^-1 sign(beta_s)|`, one value per column outside `S`.
///
/// Below 1 everywhere, sparse learning finds S with a probability that goes to 1; at 1 or above it need not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelectionCondition {
    /// (encoded column, value) for every column that was not selected.
    pub values: Vec<(usize, f64)>,
    /// The largest of them, 0 if there is none.
    pub largest: f64,
}

/// Theorem 1's quantity for a covariance matrix, the selected columns and their coefficients.
pub fn selection_condition(
    covariance: &Matrix,
    selected: &[usize],
    coefficients: &[f64],
) -> Option<SelectionCondition> {
    if selected.is_empty() || covariance.rows() == 0 {
        return None;
    }
    let signs: Vec<f64> = selected.iter().map(|&column| coefficients[column].signum()).collect();
    let direction = Cholesky::with_least_ridge(&covariance.submatrix(selected))?.solve(&signs);
    let values: Vec<(usize, f64)> = (0..covariance.rows())
        .filter(|column| !selected.contains(column))
        .map(|column| {
            let sum: f64 = selected.iter().zip(&direction).map(|(&s, value)| covariance[(column, s)] * value).sum();
            (column, sum.abs())
        })
        .collect();
    let largest = values.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    Some(SelectionCondition { values, largest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_p_value_that_does_not_go_with_its_t_is_seen() {
        let found = |t: f64, p_value: f64| {
            is_weaker_than_its_t(&VariableEvidence { effect: Some(1.0), t, p_value, ..Default::default() })
        };
        // With 30 degrees t = 3 has 0.0054, with 6 it has 0.024.
        assert!(found(3.0, 0.024) && found(-3.0, 0.024) && found(1.61, 0.83));
        assert!(!found(3.0, 0.0027) && !found(3.0, 0.0054) && !found(6.8, 5.9e-11) && !found(1.0, 0.9));
        // Beyond the range of numbers.
        assert!(!found(80.0, 0.0));
    }

    #[test]
    fn selection_condition_of_a_known_covariance() {
        // One unstable column correlated 0.6 with each of two independent stable ones: |0.6 + 0.6| = 1.2.
        let covariance = Matrix::from_values(3, 3, vec![1.0, 0.0, 0.6, 0.0, 1.0, 0.6, 0.6, 0.6, 1.0]);
        let same = selection_condition(&covariance, &[0, 1], &[2.0, 0.5, 0.0]).unwrap();
        assert!((same.largest - 1.2).abs() < 1e-12);
        let opposite = selection_condition(&covariance, &[0, 1], &[2.0, -0.5, 0.0]).unwrap();
        assert!(opposite.largest.abs() < 1e-12);
        assert!(selection_condition(&covariance, &[], &[0.0; 3]).is_none());
    }

    #[test]
    fn dependence_measures_of_a_known_matrix() {
        let correlations = Matrix::from_values(3, 3, vec![1.0, 0.5, -0.2, 0.5, 1.0, 0.4, -0.2, 0.4, 1.0]);
        assert_eq!(dependence_within(&correlations, &[0, 1]), Some(0.5));
        assert!((dependence_between(&correlations, &[0, 1]).unwrap() - 0.3).abs() < 1e-12);
        assert_eq!(dependence_within(&correlations, &[2]), None);
        assert_eq!(unstable_coefficients(&[1.0, -2.0, 3.0], &[0]), 5.0);
    }
}
