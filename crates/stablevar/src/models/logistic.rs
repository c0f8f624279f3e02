//! Weighted logistic regression on chosen columns.

use super::StandardisedFit;
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, max_abs};
use crate::optim::StopReason;
use crate::passes::{Logistic, RowSource, Weighting};

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

/// Maximum likelihood of the second class on the columns listed, each row weighted.
pub fn logistic_regression(data: &dyn RowSource, columns: &[usize], weighting: &Weighting) -> Result<LogisticFit> {
    let rows = data.frame().rows();
    if rows <= columns.len() + 1 {
        return Err(Error::TooFewRowsForColumns { rows, columns: columns.len() });
    }
    let first = newton(data, columns, weighting, RIDGE)?;
    let largest = max_abs(&first.fit.coefficients);
    if largest <= SEPARATED && first.stop.converged() {
        return Ok(first);
    }
    let held = newton(data, columns, weighting, RIDGE_WHEN_SEPARATED)?;
    Ok(LogisticFit { separated: true, ..held })
}

/// Newton's method with steps halved until the likelihood rises.
fn newton(data: &dyn RowSource, columns: &[usize], weighting: &Weighting, ridge: f64) -> Result<LogisticFit> {
    let used: Vec<usize> = std::iter::once(0).chain(columns.iter().map(|column| column + 1)).collect();
    let total = data.frame().total_weight();
    let at = |coefficients: &[f64]| -> Result<(f64, Logistic)> {
        let here = Logistic::at(data, weighting, coefficients, total)?;
        let penalty = 0.5 * ridge * coefficients[1..].iter().map(|value| value * value).sum::<f64>();
        Ok((here.loss + penalty, here))
    };
    let mut coefficients = vec![0.0; data.frame().columns() + 1];
    let share = at(&coefficients)?.1.share.clamp(1e-9, 1.0 - 1e-9);
    coefficients[0] = (share / (1.0 - share)).ln();
    let (mut value, mut here) = at(&coefficients)?;
    let mut stop = StopReason::IterationLimit;
    for _ in 0..MOST_STEPS {
        let mut gradient: Vec<f64> = used.iter().map(|&column| here.gradient[column]).collect();
        let mut hessian = here.hessian.submatrix(&used);
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
            let (trial_value, there) = at(&trial)?;
            if trial_value <= value {
                let gain = value - trial_value;
                (coefficients, value, here) = (trial, trial_value, there);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Roles, Task, TrainingData};
    use crate::functions::sigmoid;
    use crate::linalg::dot;
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
        let fit = logistic_regression(&data, &[0], &Weighting::Equal).unwrap();
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
        let fit = logistic_regression(&data, &[0], &Weighting::Equal).unwrap();
        assert!(fit.separated && fit.fit.coefficients.iter().all(|value| value.is_finite()));
        let p = |row: usize| sigmoid(dot(data.design.row(row), &fit.fit.coefficients));
        assert!(p(0) < 0.05 && p(49) > 0.95 && p(24) < 0.5 && p(25) > 0.5);
    }
}
