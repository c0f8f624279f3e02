//! Weighted least squares on chosen columns.

use super::{Fitting, LogisticFit, Refitted, logistic_regression};
use crate::design::{Bulk, Encoding, Target, Task, drawn_in};
use crate::error::{Error, Result};
use crate::functions::sigmoid;
use crate::linalg::{Cholesky, Matrix, dot, max_abs};
use crate::optim::StopReason;
use crate::passes::{LeastSquares, RowSource, Weighting};
use crate::rows::map_blocks;
use serde::{Deserialize, Serialize};

/// Least squares; for classes logistic regression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PlainLinear;

impl Fitting for PlainLinear {
    fn fit(&self, data: &dyn RowSource, columns: &[usize], weighting: &Weighting, _seed: u64) -> Result<Refitted> {
        let target = &data.frame().target;
        match target.task() {
            Task::Regression => {
                Ok(Refitted::linear(least_squares(data, columns, weighting)?, target, StopReason::Converged))
            }
            Task::Classification => {
                let LogisticFit { fit, separated, stop } = logistic_regression(data, columns, weighting)?;
                Ok(Refitted { separated, ..Refitted::linear(fit, target, stop) })
            }
        }
    }
}

/// Coefficients on standardised columns for a standardised outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StandardisedFit {
    /// The constant, then one coefficient per encoded column; 0 for columns not used.
    pub coefficients: Vec<f64>,
}

/// What the linear combination of the columns stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Link {
    /// The outcome.
    Identity,
    /// The log-odds of the second class.
    Logit,
}

/// A linear model that predicts in the outcome's units, or the probability of the second class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinearModel {
    standardised: StandardisedFit,
    link: Link,
    target_mean: f64,
    target_scale: f64,
    /// Per encoded column where far values begin, if they are drawn in before the coefficients apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    drawn_in: Option<Vec<Option<Bulk>>>,
    /// Least and greatest standardised outcome that is predicted, if predictions are held within some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    within: Option<[f64; 2]>,
}

impl LinearModel {
    /// A fit on standardised data together with the outcome's scale; log-odds have no scale.
    pub fn new(standardised: StandardisedFit, target: &Target) -> Self {
        let (link, target_mean, target_scale) = match target.classes {
            None => (Link::Identity, target.mean, target.scale),
            Some(_) => (Link::Logit, 0.0, 1.0),
        };
        Self { standardised, link, target_mean, target_scale, drawn_in: None, within: None }
    }

    /// Half-way between this straight line and another on columns as they are.
    pub(crate) fn halfway_to(mut self, other: &Self) -> Self {
        let pairs = self.standardised.coefficients.iter_mut().zip(&other.standardised.coefficients);
        pairs.for_each(|(own, other)| *own = 0.5 * (*own + other));
        self
    }

    /// The same for columns whose far values are drawn in ([`Bulk::drawn_in`]), as those were that it was fitted to.
    pub fn on_drawn_in(self, bulks: Vec<Option<Bulk>>) -> Self {
        Self { drawn_in: Some(bulks), ..self }
    }

    /// The same with predictions held within a range of standardised outcomes; log-odds know no such range.
    pub fn held_within(self, range: [f64; 2]) -> Self {
        let within = (self.link == Link::Identity).then_some(range);
        Self { within, ..self }
    }

    /// Least and greatest outcome that is predicted, in the user's units, if predictions are held within some.
    pub fn within(&self) -> Option<[f64; 2]> {
        self.within.map(|range| range.map(|value| self.target_mean + self.target_scale * value))
    }

    /// Where far values of the columns begin, if they are drawn in. Nearer values are as they were, so that coefficients of numbers mean
    /// what they mean without; those of 0 and 1 are the difference that the model makes between the two.
    pub fn drawn_in(&self) -> Option<&[Option<Bulk>]> {
        self.drawn_in.as_deref()
    }

    /// What the linear combination of the columns stands for.
    pub fn link(&self) -> Link {
        self.link
    }

    /// The coefficient of every encoded column in the user's units; for classes in log-odds.
    pub fn coefficients(&self, encoding: &Encoding) -> Vec<f64> {
        let slopes = self.standardised_coefficients().iter().enumerate();
        slopes.map(|(column, slope)| self.target_scale * slope * self.step(encoding, column)).collect()
    }

    /// The constant in the user's units.
    pub fn intercept(&self, encoding: &Encoding) -> f64 {
        let slopes = self.standardised_coefficients().iter().enumerate();
        let shift: f64 = slopes.map(|(column, slope)| slope * self.zero(encoding, column)).sum();
        self.target_mean + self.target_scale * (self.standardised.coefficients[0] + shift)
    }

    /// How far one unit of an encoded column goes on the scale of its standardised coefficient.
    pub fn step(&self, encoding: &Encoding, column: usize) -> f64 {
        let encoded = &encoding.columns[column];
        match self.mark(encoding, column) {
            Some(bulk) => bulk.drawn_in((1.0 - encoded.mean) / encoded.scale) - self.zero(encoding, column),
            None => 1.0 / encoded.scale,
        }
    }

    /// Where 0 of an encoded column lies on that scale.
    fn zero(&self, encoding: &Encoding, column: usize) -> f64 {
        let encoded = &encoding.columns[column];
        let zero = -encoded.mean / encoded.scale;
        self.mark(encoding, column).map_or(zero, |bulk| bulk.drawn_in(zero))
    }

    /// Where far values of a column of 0 and 1 begin, if they are drawn in: the mark of a rare level is itself such a value.
    fn mark(&self, encoding: &Encoding, column: usize) -> Option<Bulk> {
        let bulk = *self.drawn_in.as_ref()?.get(column)?;
        encoding.columns[column].rarer_share().and(bulk)
    }

    /// Units of the outcome per standardised unit; 1 for log-odds.
    pub fn outcome_scale(&self) -> f64 {
        self.target_scale
    }

    /// Coefficients on standardised columns, without the constant.
    pub fn standardised_coefficients(&self) -> &[f64] {
        self.standardised.coefficients.get(1..).unwrap_or_default()
    }

    /// Predictions for the rows of a design matrix made by the training data's encoding.
    pub fn predict(&self, design: &Matrix) -> Vec<f64> {
        self.combined(design).into_iter().map(|combined| self.in_units(combined)).collect()
    }

    /// The linear combination of the columns, standardised like the outcome; for classes the log-odds.
    pub(super) fn combined(&self, design: &Matrix) -> Vec<f64> {
        let coefficients = &self.standardised.coefficients;
        let combined = |row: &[f64]| match &self.drawn_in {
            None => dot(row, coefficients),
            Some(bulks) => {
                let columns = row.iter().zip(coefficients).skip(1).zip(bulks);
                let sum: f64 = columns.map(|((value, slope), bulk)| slope * drawn_in(*bulk, *value)).sum();
                row[0] * coefficients[0] + sum
            }
        };
        let parts = map_blocks(design.rows(), |block| block.map(|row| combined(design.row(row))).collect::<Vec<f64>>());
        parts.concat()
    }

    /// What a linear combination stands for: an outcome in its units, or the probability of the second class.
    pub(super) fn in_units(&self, combined: f64) -> f64 {
        match self.link {
            Link::Identity => self.target_mean + self.target_scale * held(combined, self.within),
            Link::Logit => sigmoid(combined),
        }
    }

    /// Whether the parts fit together for this many encoded columns.
    pub(super) fn is_whole(&self, columns: usize) -> bool {
        let of_bulks =
            |bulks: &[Option<Bulk>]| bulks.len() == columns && bulks.iter().flatten().all(|bulk| bulk.scale > 0.0);
        self.standardised_coefficients().len() == columns
            && self.drawn_in().is_none_or(of_bulks)
            && self.within.is_none_or(|[least, greatest]| least <= greatest)
    }
}

/// The nearest value within a range, if there is one.
pub(crate) fn held(value: f64, within: Option<[f64; 2]>) -> f64 {
    within.map_or(value, |[least, greatest]| value.max(least).min(greatest))
}

/// Least squares of the outcome on the columns listed, each row weighted.
pub fn least_squares(data: &dyn RowSource, columns: &[usize], weighting: &Weighting) -> Result<StandardisedFit> {
    let rows = data.frame().rows();
    if rows <= columns.len() + 1 {
        return Err(Error::TooFewRowsForColumns { rows, columns: columns.len() });
    }
    let mut coefficients = vec![0.0; data.frame().columns() + 1];
    // The second round is a step of iterative refinement, which wins back the digits that squaring lost.
    for _ in 0..2 {
        let step = LeastSquares::around(data, weighting, &coefficients, None)?;
        improve(&mut coefficients, &step, columns)?;
    }
    Ok(StandardisedFit { coefficients })
}

/// Moves the coefficients of the columns listed to the minimum that a step points to; the largest change.
pub(super) fn improve(coefficients: &mut [f64], step: &LeastSquares, columns: &[usize]) -> Result<f64> {
    let used: Vec<usize> = std::iter::once(0).chain(columns.iter().map(|column| column + 1)).collect();
    let factor = Cholesky::with_least_ridge(&step.moments.submatrix(&used)).ok_or_else(|| {
        Error::BadRequest("the weighted columns can't be inverted: the weights leave too few rows".into())
    })?;
    let correction = factor.solve(&used.iter().map(|&column| step.cross[column]).collect::<Vec<_>>());
    used.iter().zip(&correction).for_each(|(&column, value)| coefficients[column] += value);
    Ok(max_abs(&correction))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Roles, TrainingData};
    use crate::table::{Column, Table, TextValues, Values};

    #[test]
    fn coefficients_of_rare_levels_are_what_the_model_makes_of_them() {
        let a: Vec<f64> = (0..400).map(|k| ((k * 37 % 101) as f64 / 50.0 - 1.0).powi(5)).collect();
        let text: Vec<Option<&str>> = (0..400).map(|k| Some(if k % 30 == 1 { "rare" } else { "usual" })).collect();
        let y = a
            .iter()
            .zip(&text)
            .map(|(a, t)| 2.0 * a + if *t == Some("rare") { 5.0 } else { 1.0 })
            .collect::<Vec<f64>>();
        let column = |name: &str, values: Values<'static>| Column { name: name.to_string(), values };
        let columns = [
            column("a", Values::Number(a.into())),
            column("t", Values::Text(TextValues::collect(text.into_iter()))),
            column("y", Values::Number(y.into())),
        ];
        let data = TrainingData::prepare(&Table::new(columns.into()).unwrap(), &Roles::target("y")).unwrap();
        let bulks: Vec<Option<Bulk>> =
            (0..2).map(|k| Some(Bulk::of((0..400).map(|row| data.design[(row, k + 1)]).collect()))).collect();
        let fit = least_squares(&data.drawn_in(&bulks), &[0, 1], &Weighting::Equal).unwrap();
        let model = LinearModel::new(fit, &data.target).on_drawn_in(bulks);
        let encoding = &data.encoding;
        let at = |a: f64, text: &'static str| {
            let columns = [
                column("a", Values::Number(vec![a].into())),
                column("t", Values::Text(TextValues::collect([Some(text)].into_iter()))),
            ];
            model.predict(&encoding.encode(&Table::new(columns.into()).unwrap()).unwrap().0)[0]
        };
        let (slopes, intercept) = (model.coefficients(encoding), model.intercept(encoding));
        assert!((at(0.0, "rare") - at(0.0, "usual") - slopes[1]).abs() < 1e-9 && slopes[1] > 3.0, "{slopes:?}");
        assert!((at(0.0, "usual") - intercept).abs() < 1e-9, "{intercept}");
        assert!((at(0.01, "usual") - intercept - 0.01 * slopes[0]).abs() < 1e-9, "{slopes:?}");
    }
}
