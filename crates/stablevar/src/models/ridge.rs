//! Ridge regression on second moments, its penalty by generalised cross-validation (Golub, Heath and Wahba, 1979).

use super::{Fitting, Refitted, StandardisedFit};
use crate::error::{Error, Result};
use crate::linalg::{covariance_from_moments, dot, symmetric_eigen};
use crate::optim::StopReason;
use crate::parameter::NonNegative;
use crate::passes::{Outcome, RowSource, WeightedMoments, Weighting};
use serde::{Deserialize, Serialize};

/// Ridge regression: the least `E_w (y - b0 - z b)^2 + shrinkage |b|^2` on standardised columns for the standardised outcome.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Ridge {
    /// The penalty; `None` for generalised cross-validation.
    pub shrinkage: Option<NonNegative>,
}

impl Fitting for Ridge {
    fn fit(&self, data: &dyn RowSource, columns: &[usize], weighting: &Weighting, _seed: u64) -> Result<Refitted> {
        Ok(Refitted::linear(self.solve(data, columns, weighting)?, &data.frame().target, StopReason::Converged))
    }

    fn predicts_classes(&self) -> bool {
        false
    }

    fn takes_wide_tables(&self) -> bool {
        true
    }
}

/// Penalties tried, as shares of the largest eigenvalue of the covariance: from one to the other in equal ratios.
const LEAST: f64 = 1e-8;
const MOST: f64 = 1e2;
const TRIED: usize = 201;
/// Directions in which the columns vary less than this share of the most are rounding, and take no part.
const FLAT: f64 = 1e-12;

impl Ridge {
    /// The coefficients of these columns under weights; one pass over the rows, whatever the penalty.
    ///
    /// In the eigenvectors u of the columns' covariance, with eigenvalues d and c = Cov(z, y), the coefficient along each is
    /// `u.c / (d + shrinkage)`. Generalised cross-validation takes the shrinkage with the least
    /// `residual variance / (1 - (1 + sum d / (d + shrinkage)) / n)^2`.
    pub fn solve(&self, data: &dyn RowSource, columns: &[usize], weighting: &Weighting) -> Result<StandardisedFit> {
        let moments = WeightedMoments::of(data, weighting, Outcome::Target)?;
        let mean = moments.cross[0];
        let covariance = covariance_from_moments(&moments.columns).submatrix(columns);
        let means: Vec<f64> = columns.iter().map(|&column| moments.columns[(0, column + 1)]).collect();
        let cross: Vec<f64> = columns
            .iter()
            .zip(&means)
            .map(|(&column, of_column)| moments.cross[column + 1] - of_column * mean)
            .collect();
        let mut coefficients = vec![0.0; data.frame().columns() + 1];
        if !columns.is_empty() {
            let (values, vectors) = symmetric_eigen(&covariance).ok_or_else(|| {
                Error::BadRequest("ridge regression failed: the columns' covariance has no eigenvalues".into())
            })?;
            let largest = values.iter().copied().fold(0.0, f64::max);
            let along: Vec<(f64, f64, usize)> = (0..values.len())
                .filter(|&k| values[k] > FLAT * largest)
                .map(|k| (values[k], (0..columns.len()).map(|i| vectors[(i, k)] * cross[i]).sum(), k))
                .collect();
            let variance = moments.square - mean * mean;
            let shrinkage = self.shrinkage.map_or_else(
                || cross_validated(&along, variance, moments.effective_sample_size, largest),
                NonNegative::get,
            );
            for &(value, slope, k) in &along {
                for (i, &column) in columns.iter().enumerate() {
                    coefficients[column + 1] += vectors[(i, k)] * slope / (value + shrinkage);
                }
            }
        }
        let slopes: Vec<f64> = columns.iter().map(|&column| coefficients[column + 1]).collect();
        coefficients[0] = mean - dot(&slopes, &means);
        Ok(StandardisedFit { coefficients })
    }
}

/// The shrinkage that generalised cross-validation chooses; `along` has eigenvalues and the covariances along their vectors.
fn cross_validated(along: &[(f64, f64, usize)], variance: f64, rows: f64, largest: f64) -> f64 {
    let step = (MOST / LEAST).powf(1.0 / (TRIED - 1) as f64);
    let tried = (0..TRIED).map(|k| largest * LEAST * step.powi(k as i32));
    let criterion = |shrinkage: f64| {
        let (mut left, mut freedom) = (variance, 1.0);
        for &(value, slope, _) in along {
            left -= slope * slope * (value + 2.0 * shrinkage) / (value + shrinkage).powi(2);
            freedom += value / (value + shrinkage);
        }
        // With as many degrees of freedom as rows nothing is left to judge by.
        if freedom >= rows { f64::INFINITY } else { left.max(0.0) / (1.0 - freedom / rows).powi(2) }
    };
    let least =
        tried.map(|shrinkage| (criterion(shrinkage), shrinkage)).fold(None, |best: Option<(f64, f64)>, next| {
            if best.is_some_and(|best| best.0 <= next.0) { best } else { Some(next) }
        });
    least.map_or(largest, |(_, shrinkage)| shrinkage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Roles, TrainingData};
    use crate::models::least_squares;
    use crate::sample;

    fn data() -> TrainingData {
        TrainingData::prepare(&sample::biased_sample(10, 5, 300, 3), &Roles::target("y")).unwrap()
    }

    #[test]
    fn without_shrinkage_it_is_least_squares_and_with_much_the_mean() {
        let data = data();
        let all: Vec<usize> = (0..data.columns()).collect();
        let none = Ridge { shrinkage: Some(NonNegative::constant(0.0)) }.solve(&data, &all, &Weighting::Equal).unwrap();
        let plain = least_squares(&data, &all, &Weighting::Equal).unwrap();
        for (ridge, plain) in none.coefficients.iter().zip(&plain.coefficients) {
            assert!((ridge - plain).abs() < 1e-9, "{ridge} {plain}");
        }
        let much = Ridge { shrinkage: Some(NonNegative::constant(1e9)) }.solve(&data, &all, &Weighting::Equal).unwrap();
        assert!(much.coefficients.iter().all(|value| value.abs() < 1e-6));
    }

    #[test]
    fn the_normal_equations_hold_and_columns_not_asked_for_stay_out() {
        let data = data();
        let (some, shrinkage) = ([0, 2, 7], 0.3);
        let ridge = Ridge { shrinkage: Some(NonNegative::constant(shrinkage)) };
        let fit = ridge.solve(&data, &some, &Weighting::Equal).unwrap();
        let rows = data.rows();
        for column in 0..data.columns() {
            let value = fit.coefficients[column + 1];
            if !some.contains(&column) {
                assert_eq!(value, 0.0);
                continue;
            }
            let pull: f64 = (0..rows)
                .map(|row| {
                    data.design[(row, column + 1)] * (data.outcome[row] - dot(data.design.row(row), &fit.coefficients))
                })
                .sum();
            assert!((pull / rows as f64 - shrinkage * value).abs() < 1e-10);
        }
    }

    #[test]
    fn more_columns_than_rows_are_shrunk_until_they_predict() {
        let wide = sample::biased_sample(10, 5, 300, 3);
        let columns = wide.columns().iter().filter(|column| column.name != "y");
        let names: Vec<String> = columns.map(|column| column.name.clone()).collect();
        let few = wide.keep_rows(&(0..8).collect::<Vec<_>>());
        let data = TrainingData::prepare(&few, &Roles::target("y")).unwrap();
        let all: Vec<usize> = (0..data.columns()).collect();
        assert!(data.rows() < names.len());
        let fit = Ridge::default().solve(&data, &all, &Weighting::Equal).unwrap();
        assert!(fit.coefficients.iter().all(|value| value.is_finite()));
        let error: f64 =
            (0..8).map(|row| (data.outcome[row] - dot(data.design.row(row), &fit.coefficients)).powi(2)).sum();
        assert!(error > 1e-3, "it does not run through every row: {error}");
    }
}
