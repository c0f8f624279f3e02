//! Linear fits without some rows, from what is known of the fit to all rows.
//!
//! Sums over the rest are sums over all rows minus those over the rows held out. So least squares without a region takes a pass
//! over the region alone; Huber's regression and logistic regression start from the solution for all rows and take steps whose
//! matrices are such differences, too.

use super::candidates::Kind;
use crate::functions::{sigmoid, softplus};
use crate::linalg::{Cholesky, Matrix, dot, max_abs};
use crate::models::spread_of_the_bulk;
use crate::rows::{add_weighted_rows, weighted_column_sums, weighted_cross_product};

/// Most steps of Huber's and of logistic regression, and the largest change of a coefficient that counts as none.
const STEPS: usize = 25;
const TOLERANCE: f64 = 1e-7;
/// The ridge that holds coefficients of log-odds finite, and the one for classes that are told apart without error, per row.
const RIDGE: f64 = 1e-8;
const RIDGE_WHEN_SEPARATED: f64 = 1e-3;
const SEPARATED: f64 = 18.0;
/// The ridge of least squares without some rows, as a share of a column's sum of squares over all rows. Where the rows held out are all
/// that a column had (a level of a text, say), what is left of its sums is rounding, which must not become a slope.
const RIDGE_OF_DIFFERENCES: f64 = 1e-10;

/// Rows as a candidate sees them.
pub(super) struct Sheet {
    /// A column of ones, then the candidate's columns.
    pub rows: Matrix,
    /// Standardised outcomes, or 0 and 1.
    pub outcome: Vec<f64>,
    /// Whether the outcomes are classes.
    pub classes: bool,
}

/// A fit to all rows, and what is needed to fit without some of them.
pub(super) struct Whole<'a> {
    sheet: &'a Sheet,
    /// Weight times base weight.
    weights: &'a [f64],
    /// `sum v z z'`; for classes the Hessian at the coefficients.
    moments: Matrix,
    /// `sum v z y`; empty for classes.
    cross: Vec<f64>,
    /// The solution for all rows.
    pub coefficients: Vec<f64>,
    /// Where Huber's loss turns linear.
    limit: f64,
    /// For classes.
    ridge: f64,
}

impl<'a> Whole<'a> {
    /// Fits all rows; `limit` is where residuals are clipped, in standard deviations of their bulk. `None` if the moments have no
    /// inverse.
    pub(super) fn fit(sheet: &'a Sheet, weights: &'a [f64], kind: Kind, limit: f64) -> Option<Self> {
        if sheet.classes {
            let first = Self::of_classes(sheet, weights, RIDGE)?;
            let separated = max_abs(&first.coefficients) > SEPARATED;
            return if separated { Self::of_classes(sheet, weights, RIDGE_WHEN_SEPARATED) } else { Some(first) };
        }
        let moments = weighted_cross_product(&sheet.rows, weights);
        let cross = weighted_column_sums(&sheet.rows, weights, &sheet.outcome);
        let coefficients = Cholesky::with_least_ridge(&moments)?.solve(&cross);
        let mut whole = Self { sheet, weights, moments, cross, coefficients, limit: f64::INFINITY, ridge: 0.0 };
        if kind == Kind::Robust {
            let residuals: Vec<f64> =
                (0..sheet.outcome.len()).map(|row| whole.residual(row, &whole.coefficients)).collect();
            // One more round of the scale than least squares gives: outliers widen even the bulk of what it leaves.
            whole.limit = limit * spread_of_the_bulk(&residuals, weights);
            if whole.limit > 0.0 {
                whole.coefficients = whole.clipped(&whole.moments, &whole.cross, &[])?;
                let residuals: Vec<f64> =
                    (0..sheet.outcome.len()).map(|row| whole.residual(row, &whole.coefficients)).collect();
                whole.limit = limit * spread_of_the_bulk(&residuals, weights);
                whole.coefficients = whole.clipped(&whole.moments, &whole.cross, &[])?;
            } else {
                whole.limit = f64::INFINITY;
            }
        }
        Some(whole)
    }

    fn of_classes(sheet: &'a Sheet, weights: &'a [f64], ridge: f64) -> Option<Self> {
        let width = sheet.rows.columns();
        let total: f64 = weights.iter().sum();
        let share = (dot(weights, &sheet.outcome) / total).clamp(1e-9, 1.0 - 1e-9);
        let mut coefficients = vec![0.0; width];
        coefficients[0] = (share / (1.0 - share)).ln();
        let mut whole = Self {
            sheet,
            weights,
            moments: Matrix::zeros(0, 0),
            cross: Vec::new(),
            coefficients,
            limit: f64::INFINITY,
            ridge: ridge * total,
        };
        for _ in 0..STEPS {
            whole.moments = whole.hessian();
            let (next, change) = whole.newton(&whole.moments, &whole.coefficients, &[], 1)?;
            whole.coefficients = next;
            if change < TOLERANCE {
                break;
            }
        }
        whole.moments = whole.hessian();
        Some(whole)
    }

    /// The coefficients without some rows, whose positions come in order.
    pub(super) fn without(&self, held_out: &[usize]) -> Option<Vec<f64>> {
        let width = self.sheet.rows.columns();
        let held = self.sheet.rows.keep_rows(held_out);
        let mut out = Matrix::zeros(width, width);
        let weights: Vec<f64> = match self.sheet.classes {
            true => held_out.iter().map(|&row| self.weights[row] * self.curvature(row)).collect(),
            false => held_out.iter().map(|&row| self.weights[row]).collect(),
        };
        let mut scratch = vec![0.0; held.values().len()];
        add_weighted_rows(held.values(), &weights, &mut scratch, &mut out);
        out.mirror_lower();
        out.scale(-1.0);
        out.add_assign(&self.moments);
        if self.sheet.classes {
            return Some(self.newton(&out, &self.coefficients, held_out, STEPS)?.0);
        }
        (0..width).for_each(|column| out[(column, column)] += RIDGE_OF_DIFFERENCES * self.moments[(column, column)]);
        let mut cross = self.cross.clone();
        for (row, weight) in held_out.iter().zip(&weights) {
            let factor = weight * self.sheet.outcome[*row];
            cross.iter_mut().zip(self.sheet.rows.row(*row)).for_each(|(sum, value)| *sum -= factor * value);
        }
        if self.limit.is_finite() {
            return self.clipped(&out, &cross, held_out);
        }
        Some(Cholesky::with_least_ridge(&out)?.solve(&cross))
    }

    /// What is predicted for a row: a standardised outcome, or log-odds.
    pub(super) fn output(&self, row: usize, coefficients: &[f64]) -> f64 {
        dot(self.sheet.rows.row(row), coefficients)
    }

    fn residual(&self, row: usize, coefficients: &[f64]) -> f64 {
        self.sheet.outcome[row] - dot(self.sheet.rows.row(row), coefficients)
    }

    /// Huber's regression given the sums of the rows that count. Only rows beyond the limit weigh less than in these sums, so a
    /// step takes a pass for the residuals and corrections for those rows.
    fn clipped(&self, moments: &Matrix, cross: &[f64], held_out: &[usize]) -> Option<Vec<f64>> {
        let mut coefficients = self.coefficients.clone();
        for _ in 0..STEPS {
            let mut step = moments.clone();
            let mut slope = moments.times(&coefficients);
            slope.iter_mut().zip(cross).for_each(|(value, cross)| *value = cross - *value);
            let (mut far, mut less) = (Vec::new(), Vec::new());
            for row in others(self.sheet.outcome.len(), held_out) {
                let residual = self.residual(row, &coefficients);
                if residual.abs() > self.limit {
                    let taken = self.weights[row] * (1.0 - self.limit / residual.abs());
                    let values = self.sheet.rows.row(row);
                    slope.iter_mut().zip(values).for_each(|(sum, value)| *sum -= taken * residual * value);
                    far.extend_from_slice(values);
                    less.push(taken);
                }
            }
            if !less.is_empty() {
                let mut taken = Matrix::zeros(step.rows(), step.rows());
                let mut scratch = vec![0.0; far.len()];
                add_weighted_rows(&far, &less, &mut scratch, &mut taken);
                taken.mirror_lower();
                taken.scale(-1.0);
                step.add_assign(&taken);
            }
            let change = Cholesky::with_least_ridge(&step)?.solve(&slope);
            coefficients.iter_mut().zip(&change).for_each(|(value, change)| *value += change);
            if max_abs(&change) < TOLERANCE {
                break;
            }
        }
        Some(coefficients)
    }

    fn curvature(&self, row: usize) -> f64 {
        let probability = sigmoid(dot(self.sheet.rows.row(row), &self.coefficients));
        probability * (1.0 - probability)
    }

    /// Second derivatives of the negative log-likelihood at the coefficients, without the ridge.
    fn hessian(&self) -> Matrix {
        let weights: Vec<f64> = (0..self.weights.len()).map(|row| self.weights[row] * self.curvature(row)).collect();
        weighted_cross_product(&self.sheet.rows, &weights)
    }

    /// Steps of Newton's method with one Hessian for all, halved until the likelihood of the rows that count rises; the
    /// coefficients and the last change.
    fn newton(&self, hessian: &Matrix, start: &[f64], held_out: &[usize], steps: usize) -> Option<(Vec<f64>, f64)> {
        let mut raised = hessian.clone();
        (1..raised.rows()).for_each(|k| raised[(k, k)] += self.ridge);
        let factor = Cholesky::with_least_ridge(&raised)?;
        let mut coefficients = start.to_vec();
        let (mut value, mut slope) = self.likelihood(&coefficients, held_out);
        let mut change = 0.0;
        for _ in 0..steps {
            let direction = factor.solve(&slope);
            let mut length = 1.0;
            loop {
                let trial: Vec<f64> =
                    coefficients.iter().zip(&direction).map(|(old, step)| old - length * step).collect();
                let (trial_value, trial_slope) = self.likelihood(&trial, held_out);
                if trial_value <= value {
                    change = length * max_abs(&direction);
                    (coefficients, value, slope) = (trial, trial_value, trial_slope);
                    break;
                }
                length *= 0.5;
                if length < 1e-6 {
                    return Some((coefficients, 0.0));
                }
            }
            if change < TOLERANCE {
                break;
            }
        }
        Some((coefficients, change))
    }

    /// The negative log-likelihood of the rows that count with the ridge, and its slopes.
    fn likelihood(&self, coefficients: &[f64], held_out: &[usize]) -> (f64, Vec<f64>) {
        let mut slope: Vec<f64> = coefficients.iter().map(|value| self.ridge * value).collect();
        slope[0] = 0.0;
        let mut value = 0.5 * dot(&slope, coefficients);
        for row in others(self.sheet.outcome.len(), held_out) {
            let values = self.sheet.rows.row(row);
            let log_odds = dot(values, coefficients);
            value += self.weights[row] * (softplus(log_odds) - self.sheet.outcome[row] * log_odds);
            let factor = self.weights[row] * (sigmoid(log_odds) - self.sheet.outcome[row]);
            slope.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
        }
        (value, slope)
    }
}

/// All positions but some, which come in order.
fn others(rows: usize, held_out: &[usize]) -> impl Iterator<Item = usize> + '_ {
    let mut held_out = held_out.iter().copied().peekable();
    (0..rows).filter(move |row| held_out.next_if_eq(row).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Roles, Task, TrainingData};
    use crate::models::{Fitting, Huber, OUTLIER_LIMIT, PlainLinear};
    use crate::passes::Weighting;
    use crate::sample::biased_sample;
    use std::sync::Arc;

    fn rows_of(data: &TrainingData) -> Sheet {
        let classes = data.target.task() == Task::Classification;
        let outcome = if classes { data.labels() } else { data.outcome.clone() };
        Sheet { rows: data.design.clone(), outcome, classes }
    }

    /// The largest distance of coefficients without a region from those of a model fitted to the other rows.
    fn distance(data: &TrainingData, kind: Kind, refit: &dyn Fitting) -> f64 {
        let weights: Vec<f64> = (0..data.rows()).map(|k| 0.5 + (k % 5) as f64 / 4.0).collect();
        let sheet = rows_of(data);
        let whole = Whole::fit(&sheet, &weights, kind, OUTLIER_LIMIT.get()).unwrap();
        let held_out: Vec<usize> = (0..data.rows()).filter(|&row| data.design[(row, 1)] > 0.8).collect();
        let rest: Vec<usize> = others(data.rows(), &held_out).collect();
        let given = Weighting::Given(Arc::new(rest.iter().map(|&row| weights[row]).collect()));
        let columns: Vec<usize> = (0..data.columns()).collect();
        let direct = refit.fit(&data.pick(&rest), &columns, &given, 0).unwrap().model;
        let difference = whole.without(&held_out).unwrap();
        assert!(held_out.len() > 100);
        let slopes = direct.standardised_slopes().iter().zip(&difference[1..]);
        slopes.map(|(direct, difference)| (direct - difference).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn a_difference_of_moments_is_the_fit_without_the_region() {
        let data = TrainingData::prepare(&biased_sample(6, 3, 1200, 4), &Roles::target("y")).unwrap();
        assert!(distance(&data, Kind::Linear, &PlainLinear) < 1e-8);
    }

    #[test]
    fn a_column_that_the_region_alone_had_gets_no_slope() {
        let mut data = TrainingData::prepare(&biased_sample(6, 3, 1200, 4), &Roles::target("y")).unwrap();
        let held_out: Vec<usize> = (0..1200).filter(|row| row % 7 == 3).collect();
        (0..1200).for_each(|row| data.design[(row, 1)] = if row % 7 == 3 { 0.1 + 1e-3 * row as f64 } else { 0.0 });
        let sheet = rows_of(&data);
        let weights: Vec<f64> = (0..1200).map(|row| 1.0 / (3.0 + (row % 11) as f64)).collect();
        for kind in [Kind::Linear, Kind::Robust] {
            let whole = Whole::fit(&sheet, &weights, kind, OUTLIER_LIMIT.get()).unwrap();
            let slopes = whole.without(&held_out).unwrap();
            assert!(slopes[1].abs() < 1e-3 && slopes.iter().all(|slope| slope.abs() < 2.0), "{slopes:?}");
        }
    }

    #[test]
    fn logistic_regression_ends_where_a_fit_from_the_start_does() {
        let table = biased_sample(6, 3, 1200, 5);
        let y = match &table.column("y").unwrap().values {
            crate::table::Values::Number(values) => {
                values.iter().map(|value| f64::from(value > 0.3)).collect::<Vec<_>>()
            }
            _ => unreachable!(),
        };
        let columns = table.columns().iter().filter(|column| column.name != "y").cloned();
        let label = crate::table::Column { name: "y".into(), values: crate::table::Values::Number(y.into()) };
        let table = crate::table::Table::new(columns.chain([label]).collect()).unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        assert_eq!(data.target.task(), Task::Classification);
        assert!(distance(&data, Kind::Linear, &PlainLinear) < 1e-5);
    }

    #[test]
    fn the_robust_fit_without_a_region_is_near_the_direct_one() {
        let table = biased_sample(6, 3, 1200, 6);
        let mut data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        (0..1200).step_by(40).for_each(|row| data.outcome[row] += 20.0);
        // The scale is that of all rows, not that of the rest, hence not the same to the last digit.
        assert!(distance(&data, Kind::Robust, &Huber::default()) < 0.02);
        assert!(distance(&data, Kind::Robust, &PlainLinear) > 0.05, "outliers matter here");
    }
}
