//! Linear regression that a few extreme outcomes can't bend (Huber, 1964).
//!
//! Where an outcome has a heavy tail, as prices have, a few rows far from all others decide the slopes of least squares, and
//! what they decide does not carry over to places that have no such rows. So Huber's loss is minimised, which is linear
//! beyond a limit. With residuals that are nearly normal hardly one in ten thousand is beyond the default, and the fit is
//! that of least squares.

use super::linear::improve;
use super::{Fitting, PlainLinear, Refitted, StandardisedFit, least_squares};
use crate::design::Task;
use crate::error::Result;
use crate::linalg::dot;
use crate::optim::StopReason;
use crate::parameter::Positive;
use crate::passes::{LeastSquares, RowSource, Weighting, median_residual};
use crate::rows::evenly_spaced;
use serde::{Deserialize, Serialize};

/// The default limit for residuals, in standard deviations of the bulk of them.
pub const OUTLIER_LIMIT: Positive = Positive::constant(4.0);

/// Huber's regression: residuals of the outcome beyond a limit are clipped.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Huber {
    /// Standard deviations of the bulk of the residuals beyond which they are clipped.
    pub limit: Positive,
}

impl Default for Huber {
    fn default() -> Self {
        Self { limit: OUTLIER_LIMIT }
    }
}

impl Fitting for Huber {
    fn fit(&self, data: &dyn RowSource, columns: &[usize], weighting: &Weighting, seed: u64) -> Result<Refitted> {
        let target = &data.frame().target;
        if target.task() == Task::Classification {
            return PlainLinear.fit(data, columns, weighting, seed);
        }
        let (fit, stop) = robust_regression(data, columns, weighting, self.limit)?;
        Ok(Refitted::linear(fit, target, stop))
    }
}

/// Rounds of reweighting at most, and those after which the scale no longer follows the residuals, so that what is left is a
/// convex problem.
const ROUNDS: usize = 100;
const SCALE_ROUNDS: usize = 20;
/// Largest change of a standardised coefficient that counts as none.
const TOLERANCE: f64 = 1e-10;
/// Standardised residuals of this size are rounding: the fit is exact for half of the rows.
const LEAST_SCALE: f64 = 1e-13;
const LEAST_GUESS: f64 = 1e-12;

/// Evenly spaced rows that tell about where the residuals' median is.
const GUESSING_ROWS: usize = 5000;

/// Huber regression of the outcome on the columns listed: the loss of a residual is its square up to `limit` standard
/// deviations of the bulk, and linear beyond.
pub fn robust_regression(
    data: &dyn RowSource,
    columns: &[usize],
    weighting: &Weighting,
    limit: Positive,
) -> Result<(StandardisedFit, StopReason)> {
    let mut fit = least_squares(data, columns, weighting)?;
    let rows = data.frame().rows();
    let some = data.take(&evenly_spaced(rows, GUESSING_ROWS))?;
    let mut scale = 0.0;
    for round in 0..ROUNDS {
        if round < SCALE_ROUNDS {
            let residuals: Vec<f64> =
                (0..some.rows()).map(|row| some.outcome[row] - dot(some.design.row(row), &fit.coefficients)).collect();
            let guess = spread_of_the_bulk(&residuals, &some.base) * MEDIAN_DISTANCE;
            scale = median_residual(data, weighting, &fit.coefficients, guess.max(LEAST_GUESS))? / MEDIAN_DISTANCE;
        }
        if scale <= LEAST_SCALE {
            return Ok((fit, StopReason::Converged));
        }
        let step = LeastSquares::around(data, weighting, &fit.coefficients, Some(limit.get() * scale))?;
        if step.beyond == 0.0 {
            return Ok((fit, StopReason::Converged));
        }
        let change = improve(&mut fit.coefficients, &step, columns)?;
        if change <= TOLERANCE {
            return Ok((fit, StopReason::Converged));
        }
    }
    Ok((fit, StopReason::IterationLimit))
}

/// The normal distribution's median distance from 0, in standard deviations.
const MEDIAN_DISTANCE: f64 = 0.674_489_750_196_082;

/// The standard deviation that normal residuals would have whose median distance from 0 is that of these; 0 if half of
/// them are 0.
pub fn spread_of_the_bulk(residuals: &[f64], weights: &[f64]) -> f64 {
    if weights.windows(2).all(|pair| pair[0] == pair[1]) {
        let mut sizes: Vec<f64> = residuals.iter().map(|residual| residual.abs()).collect();
        let Some(middle) = sizes.len().checked_sub(1).map(|last| last / 2) else { return 0.0 };
        return *sizes.select_nth_unstable_by(middle, f64::total_cmp).1 / MEDIAN_DISTANCE;
    }
    let mut order: Vec<usize> = (0..residuals.len()).collect();
    order.sort_unstable_by(|&a, &b| residuals[a].abs().total_cmp(&residuals[b].abs()));
    let half = 0.5 * weights.iter().sum::<f64>();
    let mut sum = 0.0;
    let middle = order.into_iter().find(|&row| {
        sum += weights[row];
        sum >= half
    });
    middle.map_or(0.0, |row| residuals[row].abs() / MEDIAN_DISTANCE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Roles, TrainingData};
    use crate::table::Table;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use rand_distr::StandardNormal;

    /// `y = 2 a + noise`, but every `outlier`-th row has an outcome far off that grows with `a`.
    fn sample(outlier: usize) -> TrainingData {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut draw = || -> Vec<f64> { (0..2000).map(|_| random.sample(StandardNormal)).collect() };
        let (a, b, noise) = (draw(), draw(), draw());
        let far = |k: usize| if k.is_multiple_of(outlier) { 40.0 * a[k].max(0.0) } else { 0.0 };
        let y = (0..2000).map(|k| 2.0 * a[k] + 0.5 * noise[k].clamp(-3.0, 3.0) + far(k)).collect();
        let names = ["a", "b", "y"].map(String::from);
        let table = Table::from_numbers(names.into_iter().zip([a, b, y])).unwrap();
        TrainingData::prepare(&table, &Roles::target("y")).unwrap()
    }

    fn slope(data: &TrainingData, fit: &StandardisedFit) -> f64 {
        fit.coefficients[1] * data.target.scale / data.encoding.columns[0].scale
    }

    #[test]
    fn equal_weights_are_a_short_cut_to_the_same_median() {
        for count in [1, 2, 5, 1000, 1001] {
            let residuals: Vec<f64> = (0..count).map(|k| ((k * 7919) % 997) as f64 - 400.0).collect();
            let equal = spread_of_the_bulk(&residuals, &vec![1.0; count]);
            // One weight a little off takes the long way.
            let mut weights = vec![1.0; count];
            weights[0] = 1.0 + 1e-9;
            assert_eq!(equal, spread_of_the_bulk(&residuals, &weights), "{count}");
        }
        assert_eq!(spread_of_the_bulk(&[], &[]), 0.0);
    }

    #[test]
    fn outliers_bend_least_squares_but_not_the_robust_fit() {
        let data = sample(50);
        let (robust, stop) = robust_regression(&data, &[0, 1], &Weighting::Equal, OUTLIER_LIMIT).unwrap();
        let plain = least_squares(&data, &[0, 1], &Weighting::Equal).unwrap();
        assert!(stop.converged());
        assert!((slope(&data, &plain) - 2.0).abs() > 0.3, "{}", slope(&data, &plain));
        assert!((slope(&data, &robust) - 2.0).abs() < 0.06, "{}", slope(&data, &robust));
    }

    #[test]
    fn without_outliers_it_is_least_squares() {
        let data = sample(usize::MAX);
        let (robust, _) = robust_regression(&data, &[0, 1], &Weighting::Equal, OUTLIER_LIMIT).unwrap();
        // Row 0 alone is an outlier in name; it lies at the limit or below in a sample whose noise is cut at 3.
        let plain = least_squares(&data, &[0, 1], &Weighting::Equal).unwrap();
        assert!((slope(&data, &robust) - slope(&data, &plain)).abs() < 0.02);
        let exact = robust_regression(&data, &[0, 1], &Weighting::Equal, Positive::constant(1e9)).unwrap().0;
        assert_eq!(exact, plain);
    }

    #[test]
    fn the_spread_is_that_of_normal_residuals() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let residuals: Vec<f64> = (0..20_000).map(|_| 3.0 * random.sample::<f64, _>(StandardNormal)).collect();
        assert!((spread_of_the_bulk(&residuals, &vec![1.0; 20_000]) - 3.0).abs() < 0.06);
        // A weight of 0 is a row that is not there.
        assert_eq!(spread_of_the_bulk(&[1.0, 2.0, 50.0], &[1.0, 1.0, 0.0]), spread_of_the_bulk(&[1.0, 2.0], &[1.0; 2]));
        assert_eq!(spread_of_the_bulk(&[0.0, 0.0, 5.0], &[1.0; 3]), 0.0);
        assert_eq!(spread_of_the_bulk(&[], &[]), 0.0);
    }
}
