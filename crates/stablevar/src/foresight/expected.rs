//! The mean loss to expect where columns have another law.
//!
//! Two ways lead there, and each has its weakness. Training losses under the ratio of densities, `sum w l`, need no model of the
//! losses but rest on few rows. A regression of the loss on the columns, `L`, can be averaged over the new rows, but is only as good as
//! the regression. Together, `sum w l + (mean_new L - sum w L)` is right if either of them is (doubly robust).

use super::density::{Beside, DensityRatio, FOLDS, drawn_in, features, parts};
use super::new_rows::quantile;
use crate::linalg::{Cholesky, Matrix, dot};
use crate::rows::{weighted_column_sums, weighted_cross_product};
use crate::threads;

/// Penalties of that regression, in units of one row's information; the last makes it a constant.
const PENALTIES: [f64; 5] = [10.0, 100.0, 1e3, 1e4, 1e12];
/// Its features are cut off at this quantile of the training rows from below and above: beyond it nothing was learnt.
const EDGE: f64 = 0.01;
/// Its predictions are cut off at this quantile of the losses.
const MOST: f64 = 0.995;
/// Share of the two answers' distance that counts as an error of the estimate.
const DISAGREEMENT: f64 = 0.5;
/// Share of the distance from training that does: the farther, the more both of them may miss.
const DISTANCE: f64 = 0.25;
/// Share of the mean loss that does in any case.
const ALLOWANCE: f64 = 0.12;

/// What is known of the training rows and of the new ones.
pub(super) struct Sides<'a> {
    /// Standardised columns: training, new.
    pub columns: [&'a Matrix; 2],
    /// Predictions: held-out, of the model.
    pub predicted: [&'a [f64]; 2],
    /// Columns that take part.
    pub used: &'a [usize],
    pub classes: bool,
}

/// A mean loss with its standard error.
pub(super) struct Expected {
    pub mean: f64,
    pub standard_error: f64,
}

impl Expected {
    /// From the training rows' losses; `base` weighs the rows.
    pub(super) fn estimate(sides: &Sides, losses: &[f64], base: &[f64], ratio: &DensityRatio) -> Self {
        let [training, new] = sides.loss_features();
        let total: f64 = base.iter().sum();
        // Learnt where training was, and where the new rows are.
        let weights: Vec<f64> = base
            .iter()
            .zip(&ratio.weights)
            .map(|(base, weight)| 0.5 * losses.len() as f64 * (base / total + weight))
            .collect();
        let (here, there) = regressed(&training, &new, losses, &weights);
        let weighted = dot(&ratio.weights, losses);
        let foreseen = there.iter().sum::<f64>() / there.len() as f64;
        let correction = foreseen - dot(&ratio.weights, &here);
        let left: Vec<f64> = losses.iter().zip(&here).map(|(loss, here)| loss - here).collect();
        let center = dot(&ratio.weights, &left);
        let of_weighted: f64 =
            left.iter().zip(&ratio.weights).map(|(left, weight)| (weight * (left - center)).powi(2)).sum();
        let spread = there.iter().map(|value| (value - foreseen).powi(2)).sum::<f64>() / there.len() as f64;
        let of_foreseen = spread / there.len() as f64;
        // Losses are not negative; a correction may be.
        let mean = (weighted + correction).max(0.1 * weighted);
        let systematic = [DISAGREEMENT * correction, DISTANCE * (mean - dot(losses, base) / total), ALLOWANCE * mean];
        let standard_error = (of_weighted + of_foreseen + dot(&systematic, &systematic)).sqrt();
        Self { mean, standard_error }
    }
}

impl Sides<'_> {
    /// What losses may depend on: the columns and their squares, and the prediction, for classes also how sure it is.
    fn loss_features(&self) -> [Matrix; 2] {
        let enough = self.columns[0].rows() >= 20 * self.used.len();
        let beside = if enough { Beside::Squares } else { Beside::Nothing };
        let of_columns = features(self.columns[0], self.columns[1], self.used, beside);
        let count = self.predicted[0].len() as f64;
        let mean = self.predicted[0].iter().sum::<f64>() / count;
        let variance = self.predicted[0].iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        let scale = if variance > 0.0 { variance.sqrt() } else { 1.0 };
        let more = if self.classes { 3 } else { 2 };
        let side = |k: usize| {
            let (own, width) = (&of_columns[k], of_columns[k].columns());
            Matrix::from_fn(own.rows(), width + more, |row, column| {
                let predicted = self.predicted[k][row];
                let standard = drawn_in((predicted - mean) / scale);
                match column.checked_sub(width) {
                    None => own[(row, column)],
                    Some(0) => standard,
                    Some(1) => standard * standard,
                    Some(_) => predicted.min(1.0 - predicted),
                }
            })
        };
        standardised([side(0), side(1)])
    }
}

/// Both sides on the scale where training has mean 0 and variance 1, cut off at its edges, behind a column of ones.
fn standardised([training, new]: [Matrix; 2]) -> [Matrix; 2] {
    let rows = training.rows();
    let columns: Vec<[f64; 4]> = (0..training.columns())
        .map(|column| {
            let mut values: Vec<f64> = (0..rows).map(|row| training[(row, column)]).collect();
            let (low, high) = (quantile(&values, EDGE), quantile(&values, 1.0 - EDGE));
            // A rare level would be cut off altogether.
            let (low, high) = if low < high { (low, high) } else { (f64::NEG_INFINITY, f64::INFINITY) };
            values.iter_mut().for_each(|value| *value = value.clamp(low, high));
            let mean = values.iter().sum::<f64>() / rows as f64;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / rows as f64;
            [low, high, mean, if variance > 0.0 { variance.sqrt() } else { 1.0 }]
        })
        .collect();
    [training, new].map(|side| {
        Matrix::from_fn(side.rows(), side.columns() + 1, |row, k| {
            let Some(column) = k.checked_sub(1) else { return 1.0 };
            let [low, high, mean, scale] = columns[column];
            (side[(row, column)].clamp(low, high) - mean) / scale
        })
    })
}

/// The loss that ridge regression expects: for training rows by a regression without them, for new rows the mean of all; the
/// penalty has the least held-out squared error.
fn regressed(training: &Matrix, new: &Matrix, losses: &[f64], weights: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let part = parts(losses.len());
    let most = quantile(losses, MOST);
    let within = |value: f64| value.clamp(0.0, most);
    let found = threads::map(FOLDS, |fold| {
        let (held, learn): (Vec<usize>, Vec<usize>) = (0..losses.len()).partition(|&row| part[row] == fold);
        let pick = |values: &[f64]| learn.iter().map(|&row| values[row]).collect::<Vec<f64>>();
        let (rows, weights) = (training.keep_rows(&learn), pick(weights));
        let (moments, cross) =
            (weighted_cross_product(&rows, &weights), weighted_column_sums(&rows, &weights, &pick(losses)));
        let of_penalty = PENALTIES.map(|penalty| {
            let mut ridged = moments.clone();
            (1..ridged.rows()).for_each(|k| ridged[(k, k)] += penalty);
            let coefficients = Cholesky::with_least_ridge(&ridged).map(|factor| factor.solve(&cross));
            let coefficients = coefficients.unwrap_or_else(|| vec![0.0; cross.len()]);
            let here: Vec<f64> = held.iter().map(|&row| within(dot(training.row(row), &coefficients))).collect();
            let there: Vec<f64> = (0..new.rows()).map(|row| within(dot(new.row(row), &coefficients))).collect();
            (here, there)
        });
        (held, of_penalty)
    });
    let candidates = (0..PENALTIES.len()).map(|penalty| {
        let (mut here, mut there) = (vec![0.0; losses.len()], vec![0.0; new.rows()]);
        for (held, of_penalty) in &found {
            let (own, other) = &of_penalty[penalty];
            held.iter().zip(own).for_each(|(&row, &value)| here[row] = value);
            there.iter_mut().zip(other).for_each(|(sum, value)| *sum += value / FOLDS as f64);
        }
        let error: f64 = (0..losses.len()).map(|k| weights[k] * (losses[k] - here[k]).powi(2)).sum();
        (error, here, there)
    });
    let best = candidates.min_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or_else(Default::default, |(_, here, there)| (here, there))
}
