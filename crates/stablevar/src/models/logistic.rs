//! Weighted logistic regression on chosen columns.

use super::StandardisedFit;
use crate::design::TrainingData;
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, add_cross_product, dot};
use crate::optim::StopReason;
use crate::rows::{TILE, map_blocks, scale_rows, sum_matrices, sum_over_rows, tiles};

/// The ridge that holds coefficients finite, per row: too small to see unless the classes are separated.
const RIDGE: f64 = 1e-8;
/// The ridge when they are: probabilities then end near 0.001 and 0.999 instead of at 0 and 1.
const RIDGE_WHEN_SEPARATED: f64 = 1e-3;
/// Log-odds beyond this for a row, or a coefficient beyond it for one standard deviation, mean separated classes.
const SEPARATED: f64 = 18.0;
const MOST_STEPS: usize = 60;

/// A fit of log-odds on standardised columns.
#[derive(Debug, Clone)]
pub struct LogisticFit {
    /// Coefficients in log-odds.
    pub fit: StandardisedFit,
    /// Whether some combination of the columns tells the classes apart without error, so that a ridge had to hold the
    /// coefficients finite.
    pub separated: bool,
    /// Why it stopped.
    pub stop: StopReason,
}

/// `1 / (1 + exp(-u))` without overflow.
pub fn sigmoid(u: f64) -> f64 {
    if u >= 0.0 {
        1.0 / (1.0 + (-u).exp())
    } else {
        let e = u.exp();
        e / (1.0 + e)
    }
}

/// `log(1 + exp(u))` without overflow.
pub fn softplus(u: f64) -> f64 {
    u.max(0.0) + (-u.abs()).exp().ln_1p()
}

/// Maximum likelihood of the second class on the columns listed, each row weighted.
pub fn logistic_regression(data: &TrainingData, columns: &[usize], weights: &[f64]) -> Result<LogisticFit> {
    if data.rows() <= columns.len() + 1 {
        return Err(Error::TooFewRowsForColumns { rows: data.rows(), columns: columns.len() });
    }
    let first = newton(data, columns, weights, RIDGE)?;
    let largest = first.fit.coefficients.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    if largest <= SEPARATED && first.stop.converged() {
        return Ok(first);
    }
    let held = newton(data, columns, weights, RIDGE_WHEN_SEPARATED)?;
    Ok(LogisticFit { separated: true, ..held })
}

/// Newton's method with steps halved until the likelihood rises.
fn newton(data: &TrainingData, columns: &[usize], weights: &[f64], ridge: f64) -> Result<LogisticFit> {
    let used: Vec<usize> = std::iter::once(0).chain(columns.iter().map(|column| column + 1)).collect();
    let labels = data.target.labels();
    let total: f64 = weights.iter().sum();
    let penalised = |coefficients: &[f64]| {
        let loss: f64 = map_blocks(data.rows(), |block| {
            block
                .map(|row| {
                    let u = dot(data.design.row(row), coefficients);
                    weights[row] * (softplus(u) - labels[row] * u)
                })
                .sum::<f64>()
        })
        .into_iter()
        .sum();
        loss / total + 0.5 * ridge * coefficients[1..].iter().map(|value| value * value).sum::<f64>()
    };
    let mut coefficients = vec![0.0; data.design.columns()];
    let share =
        (labels.iter().zip(weights).map(|(label, weight)| label * weight).sum::<f64>() / total).clamp(1e-9, 1.0 - 1e-9);
    coefficients[0] = (share / (1.0 - share)).ln();
    let mut value = penalised(&coefficients);
    let mut stop = StopReason::IterationLimit;
    for _ in 0..MOST_STEPS {
        let (gradient, hessian) = derivatives(data, weights, &labels, &coefficients, &used, total);
        let mut gradient: Vec<f64> = gradient;
        let mut hessian = hessian;
        for (k, &column) in used.iter().enumerate().skip(1) {
            gradient[k] += ridge * coefficients[column];
            hessian[(k, k)] += ridge;
        }
        if gradient.iter().all(|slope| slope.abs() < 1e-9) {
            stop = StopReason::Converged;
            break;
        }
        let factor = Cholesky::with_least_ridge(&hessian).ok_or_else(|| {
            Error::BadRequest("the weighted columns can't be inverted: the weights leave too few rows".into())
        })?;
        let direction = factor.solve(&gradient);
        let mut length = 1.0;
        let moved = loop {
            let mut trial = coefficients.clone();
            used.iter().zip(&direction).for_each(|(&column, step)| trial[column] -= length * step);
            let trial_value = penalised(&trial);
            if trial_value <= value {
                let gain = value - trial_value;
                (coefficients, value) = (trial, trial_value);
                break gain > 1e-14 * value.abs() || gradient.iter().any(|slope| slope.abs() > 1e-7);
            }
            length *= 0.5;
            if length < 1e-8 {
                break false;
            }
        };
        if !moved {
            stop = StopReason::PrecisionReached;
            break;
        }
    }
    Ok(LogisticFit { fit: StandardisedFit { coefficients }, separated: false, stop })
}

/// Mean gradient and Hessian of the negative log-likelihood in the used columns.
fn derivatives(
    data: &TrainingData,
    weights: &[f64],
    labels: &[f64],
    coefficients: &[f64],
    used: &[usize],
    total: f64,
) -> (Vec<f64>, crate::linalg::Matrix) {
    let width = used.len();
    let gathered = |tile: std::ops::Range<usize>| -> Vec<f64> {
        tile.flat_map(|row| used.iter().map(move |&column| data.design[(row, column)])).collect()
    };
    let odds = |row: usize| sigmoid(dot(data.design.row(row), coefficients));
    let mut hessian = sum_matrices(data.rows(), width, |block, sum| {
        let mut scaled = vec![0.0; TILE * width];
        for tile in tiles(block) {
            let rows = gathered(tile.clone());
            let scaled = &mut scaled[..rows.len()];
            let curvature = tile.map(|row| {
                let p = odds(row);
                weights[row] * p * (1.0 - p)
            });
            scale_rows(&rows, curvature, width, scaled);
            add_cross_product(scaled, &rows, sum);
        }
    });
    hessian.scale(1.0 / total);
    let gradient = sum_over_rows(data.rows(), width, |block, sum| {
        for row in block {
            let slope = weights[row] * (odds(row) - labels[row]);
            sum.iter_mut().zip(used).for_each(|(sum, &column)| *sum += slope * data.design[(row, column)]);
        }
    });
    (gradient.into_iter().map(|value| value / total).collect(), hessian)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Roles, Task};
    use crate::table::Table;

    fn prepare(x: Vec<f64>, y: Vec<f64>) -> TrainingData {
        let table = Table::from_numbers([("x".to_string(), x), ("y".to_string(), y)]).unwrap();
        TrainingData::prepare(&table, &Roles { task: Some(Task::Classification), ..Roles::target("y") }).unwrap()
    }

    #[test]
    fn one_binary_column_gives_the_log_odds_ratio_of_the_table() {
        // 30 of 40 where x = 1, 10 of 60 where x = 0.
        let x: Vec<f64> = (0..100).map(|k| f64::from(k < 40)).collect();
        let y: Vec<f64> = (0..100).map(|k| f64::from(k < 30 || (40..50).contains(&k))).collect();
        let data = prepare(x, y);
        let fit = logistic_regression(&data, &[0], &data.base).unwrap();
        assert!(fit.stop.converged() && !fit.separated);
        let slope = fit.fit.coefficients[1] / data.encoding.columns[0].scale;
        let exact = (30.0f64 / 10.0).ln() - (10.0f64 / 50.0).ln();
        assert!((slope - exact).abs() < 1e-5, "{slope} {exact}");
    }

    #[test]
    fn separated_classes_give_finite_coefficients_and_say_so() {
        let x: Vec<f64> = (0..50).map(f64::from).collect();
        let y: Vec<f64> = (0..50).map(|k| f64::from(k >= 25)).collect();
        let data = prepare(x, y);
        let fit = logistic_regression(&data, &[0], &data.base).unwrap();
        assert!(fit.separated && fit.fit.coefficients.iter().all(|value| value.is_finite()));
        let p = |row: usize| sigmoid(dot(data.design.row(row), &fit.fit.coefficients));
        assert!(p(0) < 0.05 && p(49) > 0.95 && p(24) < 0.5 && p(25) > 0.5);
    }

    #[test]
    fn tails_do_not_overflow() {
        assert_eq!((sigmoid(-800.0), sigmoid(800.0)), (0.0, 1.0));
        assert!((softplus(800.0) - 800.0).abs() < 1e-12 && softplus(-800.0) == 0.0);
    }
}
