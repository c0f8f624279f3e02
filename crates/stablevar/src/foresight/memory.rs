//! What a fitted model remembers of its training rows: some of them, with predictions by models that had not seen them.

use crate::design::{Encoding, Task, TrainingData};
use crate::error::Result;
use crate::functions::{scrambled, short};
use crate::linalg::Matrix;
use crate::models::Model;
use crate::passes::{RowSource, Weighting};
use crate::threads;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Numbers remembered at most: where there are many columns, fewer rows are kept.
const MOST_NUMBERS: usize = 400_000;
/// Rows that the held-out predictions are learnt from at most.
const CROSS_FITTED_ROWS: usize = 20_000;
/// The same as numbers, for tables with very many columns.
const CROSS_FITTED_NUMBERS: usize = 4_000_000;
/// Numbers above which the parts are fitted one after the other, each on all threads: a part holds a copy of its rows.
const NUMBERS_AT_ONCE: usize = 1_000_000;
/// Parts of the cross-fitting.
const FOLDS: usize = 5;
/// Fewer rows than this can't be cross-fitted.
const LEAST_ROWS: usize = 20;
/// Significant digits of remembered columns: enough for any test, and short in a file.
const DIGITS: usize = 9;

/// Training rows with held-out predictions, `m` of them.
///
/// They are spread evenly over the table by a rule without a seed. Predictions are by five-fold cross-fitting of the last
/// step alone: the variables were chosen with all rows, so errors are a little too small where the choice was close.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingMemory {
    /// Per encoded column its `m` values in the user's units; for levels 0 and 1.
    columns: Vec<Vec<f64>>,
    /// Base weights.
    base: Vec<f64>,
    /// Outcomes in the user's units; classes are 0 and 1.
    outcome: Vec<f64>,
    /// What a model that had not seen the row predicts; for classes the probability of 1.
    predicted: Vec<f64>,
}

/// Fits the last step of a method to some rows.
pub(crate) type FitRows<'a> = &'a (dyn Fn(&TrainingData, &Weighting) -> Result<Model> + Sync);

impl TrainingMemory {
    /// Remembers rows; `None` where there are too few, or where a model can't be fitted without a part of them.
    ///
    /// `weighting` are the weights that the last step has, `most` the rows to remember at most, and `fit` is that step.
    pub(crate) fn gather(
        data: &dyn RowSource,
        weighting: &Weighting,
        most: usize,
        fit: FitRows,
    ) -> Result<Option<Self>> {
        let (rows, width) = (data.frame().rows(), data.frame().columns());
        let learnt = CROSS_FITTED_ROWS.min(CROSS_FITTED_NUMBERS / width.max(1)).clamp(LEAST_ROWS, rows.max(LEAST_ROWS));
        if rows < LEAST_ROWS || most == 0 {
            return Ok(None);
        }
        let places = spread_evenly(rows, learnt);
        let sample = data.take(&places)?;
        let weighting = match weighting {
            Weighting::Given(values) => Weighting::Given(Arc::new(places.iter().map(|&place| values[place]).collect())),
            other => other.clone(),
        };
        // What can't be learnt from four fifths of the rows is no fault of the fit, which has all of them.
        let Some(predicted) = cross_fitted(&sample, &weighting, fit).ok().flatten() else { return Ok(None) };
        let kept = spread_evenly(sample.rows(), most.min((MOST_NUMBERS / width.max(1)).max(LEAST_ROWS)));
        let encoded = &sample.encoding.columns;
        let in_units = |column: usize| {
            let of = &encoded[column];
            let value = |row: usize| of.mean + of.scale * sample.design[(row, column + 1)];
            // What should be 0 is not quite, by rounding.
            let least = 1e-12 * (of.mean.abs() + of.scale);
            kept.iter().map(|&row| short(if value(row).abs() < least { 0.0 } else { value(row) }, DIGITS)).collect()
        };
        let target = &sample.target;
        let outcome = match target.task() {
            Task::Classification => sample.labels(),
            Task::Regression => sample.outcome.iter().map(|value| target.mean + target.scale * value).collect(),
        };
        let pick = |values: &[f64]| kept.iter().map(|&row| values[row]).collect::<Vec<f64>>();
        let memory = Self {
            columns: (0..width).map(in_units).collect(),
            base: pick(&sample.base),
            outcome: pick(&outcome),
            predicted: pick(&predicted),
        };
        let finite = |values: &Vec<f64>| values.iter().all(|value| value.is_finite());
        let whole = memory.columns.iter().all(finite) && finite(&memory.outcome) && finite(&memory.predicted);
        Ok(whole.then_some(memory))
    }

    #[cfg(test)]
    pub(super) fn of_predictions(base: Vec<f64>, outcome: Vec<f64>, predicted: Vec<f64>) -> Self {
        Self { columns: Vec::new(), base, outcome, predicted }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.base.len()
    }

    /// Values of an encoded column in the user's units; for levels 0 and 1.
    pub fn column(&self, column: usize) -> &[f64] {
        &self.columns[column]
    }

    /// Base weights.
    pub fn base(&self) -> &[f64] {
        &self.base
    }

    /// Outcomes in the user's units; classes are 0 and 1.
    pub fn outcome(&self) -> &[f64] {
        &self.outcome
    }

    /// Held-out predictions; for classes the probability of 1.
    pub fn predicted(&self) -> &[f64] {
        &self.predicted
    }

    /// The rows standardised by the training data's encoding, without a leading one.
    pub(crate) fn design(&self, encoding: &Encoding) -> Matrix {
        Matrix::from_fn(self.rows(), self.columns.len(), |row, column| {
            let of = &encoding.columns[column];
            (self.columns[column][row] - of.mean) / of.scale
        })
    }

    /// Whether the parts fit together for this many encoded columns.
    pub(crate) fn is_whole(&self, columns: usize) -> bool {
        let rows = self.rows();
        self.columns.len() == columns
            && rows > 0
            && self.base.iter().all(|base| *base >= 0.0)
            && self.columns.iter().chain([&self.outcome, &self.predicted]).all(|values| values.len() == rows)
    }
}

/// Predictions for every row by a model fitted to the others of four parts; `None` if one is not finite.
fn cross_fitted(sample: &TrainingData, weighting: &Weighting, fit: FitRows) -> Result<Option<Vec<f64>>> {
    let rows = sample.rows();
    // Parts by an order that has nothing to do with the table's, each as large as the others.
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by_key(|&row| scrambled(row as u64));
    let part = sample.folds(&order, FOLDS);
    let without = |fold: usize| {
        let (held, learn): (Vec<usize>, Vec<usize>) = (0..rows).partition(|&row| part[row] == fold);
        let weighting = match weighting {
            Weighting::Given(values) => Weighting::Given(Arc::new(learn.iter().map(|&row| values[row]).collect())),
            other => other.clone(),
        };
        let model = fit(&sample.pick(&learn), &weighting)?;
        let predicted = model.predict(&sample.design.keep_rows(&held));
        Ok((held, predicted))
    };
    let parts: Vec<Result<_>> = match sample.design.values().len() > NUMBERS_AT_ONCE {
        true => (0..FOLDS).map(without).collect(),
        false => threads::map(FOLDS, without),
    };
    let mut all = vec![f64::NAN; rows];
    for found in parts {
        let (held, predicted) = found?;
        held.iter().zip(predicted).for_each(|(&row, value)| all[row] = value);
    }
    Ok(all.iter().all(|value| value.is_finite()).then_some(all))
}

/// At most `wanted` of `rows` places, in order: one in each of equally long stretches, at a place in it that has no pattern.
pub(super) fn spread_evenly(rows: usize, wanted: usize) -> Vec<usize> {
    if rows <= wanted {
        return (0..rows).collect();
    }
    let within = |stretch: usize| {
        let bound = |k: usize| (k as u128 * rows as u128 / wanted as u128) as usize;
        let (start, end) = (bound(stretch), bound(stretch + 1));
        start + (scrambled(stretch as u64) % (end - start) as u64) as usize
    };
    (0..wanted).map(within).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_spread_over_the_table() {
        assert_eq!(spread_evenly(5, 9), [0, 1, 2, 3, 4]);
        let places = spread_evenly(100_003, 4000);
        assert_eq!(places.len(), 4000);
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]) && places[3999] < 100_003);
        // No pattern: about as many even as odd ones.
        let even = places.iter().filter(|place| *place % 2 == 0).count();
        assert!((1850..2150).contains(&even), "{even}");
    }
}
