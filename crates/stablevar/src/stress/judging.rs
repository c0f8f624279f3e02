//! Errors on rows that were held out, and how they compare.

use super::regions::{Regions, folds};
use crate::design::{Task, TrainingData};
use crate::functions::softplus;
use crate::metrics::Metric;
use serde::{Deserialize, Serialize};

/// A mean loss that is rounding.
const NO_ERROR: f64 = 1e-20;
/// Log-odds beyond this count as this: no single row shall decide.
const MOST_LOG_ODDS: f64 = 30.0;

/// What is held out of some rows, in turn: every region, then every fold.
#[derive(Debug, Clone)]
pub struct HeldOut {
    /// The regions.
    pub regions: Regions,
    /// The folds of ordinary cross-validation.
    pub folds: Vec<Vec<usize>>,
    base: Vec<f64>,
    /// Standardised outcomes, or 0 and 1.
    outcome: Vec<f64>,
    task: Task,
    /// Units of the outcome per standardised unit.
    scale: f64,
}

/// The loss of every row that was held out, in the order of its position in what was held out: squared standardised residuals, or
/// negative log-likelihoods. One list per region, then one per fold.
pub type Losses = Vec<Vec<f64>>;

/// What is predicted for every row that was held out, in the same order: standardised outcomes, or log-odds.
pub(crate) type Outputs = Vec<Vec<f64>>;

/// How a candidate does on rows that it has not seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// In ordinary cross-validation: the root mean squared error in units of the outcome, or the log loss.
    pub cv_error: f64,
    /// In regions: the geometric mean of the error divided by the baseline's.
    pub stress_error: f64,
    /// The largest error in a region divided by the largest of the baseline.
    pub stress_worst: f64,
    /// The standard error of the logarithm of `stress_error`, so about a share of it.
    pub standard_error: f64,
}

/// An average of log ratios of errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The mean over regions of `ln(error of one / error of the other)`.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
}

impl HeldOut {
    /// What to hold out of these rows; environments, where there are any, take the place of regions.
    pub fn of(data: &TrainingData) -> Self {
        Self {
            regions: Regions::of(data),
            folds: folds(data),
            base: data.base.clone(),
            outcome: match data.target.task() {
                Task::Regression => data.outcome.clone(),
                Task::Classification => data.labels(),
            },
            task: data.target.task(),
            scale: data.target.scale,
        }
    }

    /// The same with the first regions alone, which are those of the strongest variables.
    pub fn with_first(&self, regions: usize) -> Self {
        let mut fewer = self.clone();
        fewer.regions.used.truncate(regions);
        fewer
    }

    /// What there is, such as losses, for the parts of [`HeldOut::with_first`], from what there is for all.
    pub fn of_first(&self, regions: usize, all: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let count = self.regions.used.len();
        all[..regions.min(count)].iter().chain(&all[count..]).cloned().collect()
    }

    /// The rows, of so many, that are not held out with some, whose positions come in order.
    pub fn rest(rows: usize, held_out: &[usize]) -> Vec<usize> {
        let mut held_out = held_out.iter().copied().peekable();
        (0..rows).filter(move |row| held_out.next_if_eq(row).is_none()).collect()
    }

    /// Everything that is held out, in order: regions, then folds.
    pub fn parts(&self) -> Vec<&[usize]> {
        let regions = self.regions.used.iter().map(|region| region.rows.as_slice());
        regions.chain(self.folds.iter().map(Vec::as_slice)).collect()
    }

    /// What is predicted.
    pub fn task(&self) -> Task {
        self.task
    }

    /// What errors are measured by.
    pub fn metric(&self) -> Metric {
        match self.task {
            Task::Regression => Metric::Rmse,
            Task::Classification => Metric::LogLoss,
        }
    }

    /// The loss of a row in standardised units from what was predicted in the outcome's units, or as a probability.
    pub fn loss(&self, truth: f64, predicted: f64) -> f64 {
        match self.task {
            Task::Regression => ((truth - predicted) / self.scale).powi(2),
            Task::Classification => {
                let likely = if truth > 0.5 { predicted } else { 1.0 - predicted };
                -likely.clamp(1e-13, 1.0).ln()
            }
        }
    }

    /// The losses of what is predicted; `None` if one of them is not finite.
    pub(crate) fn losses(&self, outputs: &Outputs) -> Option<Losses> {
        let of_part = |(rows, outputs): (&[usize], &Vec<f64>)| -> Vec<f64> {
            rows.iter().zip(outputs).map(|(&row, &output)| self.loss_of(self.outcome[row], output)).collect()
        };
        let losses: Losses = self.parts().into_iter().zip(outputs).map(of_part).collect();
        losses.iter().flatten().all(|loss| loss.is_finite()).then_some(losses)
    }

    fn loss_of(&self, outcome: f64, output: f64) -> f64 {
        match self.task {
            Task::Regression => (outcome - output).powi(2),
            Task::Classification => {
                let log_odds = output.clamp(-MOST_LOG_ODDS, MOST_LOG_ODDS);
                softplus(log_odds) - outcome * log_odds
            }
        }
    }

    /// What is predicted held within the outcomes of the rows that were fitted, which are those not in the part.
    pub(super) fn held_within_seen(&self, outputs: &Outputs) -> Outputs {
        let of_part = |(rows, outputs): (&[usize], &Vec<f64>)| -> Vec<f64> {
            let rest = Self::rest(self.outcome.len(), rows);
            let [least, greatest] = range(rest.iter().map(|&row| self.outcome[row]));
            outputs.iter().map(|output| output.max(least).min(greatest)).collect()
        };
        self.parts().into_iter().zip(outputs).map(of_part).collect()
    }

    /// Mean loss and weight of a part.
    fn mean(&self, rows: &[usize], losses: &[f64]) -> (f64, f64) {
        let total: f64 = rows.iter().map(|&row| self.base[row]).sum();
        (rows.iter().zip(losses).map(|(&row, loss)| self.base[row] * loss).sum::<f64>() / total, total)
    }

    /// The logarithm of an error per that of a mean loss: errors of numbers are roots.
    fn exponent(&self) -> f64 {
        if self.task == Task::Regression { 0.5 } else { 1.0 }
    }

    fn error(&self, mean: f64) -> f64 {
        if self.task == Task::Regression { self.scale * mean.sqrt() } else { mean }
    }

    /// The figures of a candidate beside a baseline.
    pub fn figures(&self, losses: &Losses, baseline: &Losses) -> Figures {
        let count = self.regions.used.len();
        let parts = self.parts();
        let (sum, weight) =
            parts[count..].iter().zip(&losses[count..]).fold((0.0, 0.0), |(sum, weight), (rows, losses)| {
                let (mean, total) = self.mean(rows, losses);
                (sum + mean * total, weight + total)
            });
        let worst = |losses: &Losses| {
            parts[..count].iter().zip(losses).map(|(rows, losses)| self.mean(rows, losses).0).fold(NO_ERROR, f64::max)
        };
        let Difference { mean, standard_error } = self.difference(losses, baseline);
        Figures {
            cv_error: self.error(sum / weight),
            stress_error: mean.exp(),
            stress_worst: (worst(losses) / worst(baseline)).powf(self.exponent()),
            standard_error,
        }
    }

    /// How the errors of one candidate in regions compare with those of another.
    ///
    /// The standard error is the larger of two: that of the mean of as many numbers as there are regions, and that of chance in
    /// the rows alone, to which a row that lies in several regions adds once, and one of base weight b b times: `sum_i b_i psi_i^2` with
    /// `psi_i = 1/R sum_(r with i) (l_i / L_r - l'_i / L'_r) / B_r`; for roots of mean losses half of `psi_i`.
    pub fn difference(&self, losses: &Losses, other: &Losses) -> Difference {
        let count = self.regions.used.len();
        self.difference_in(&self.parts()[..count], &losses[..count], &other[..count])
    }

    /// The same in ordinary cross-validation, whose folds are one sample: the standard error is that of chance in the rows.
    pub fn difference_as_usual(&self, losses: &Losses, other: &Losses) -> Difference {
        let count = self.regions.used.len();
        let rows = self.parts()[count..].concat();
        self.difference_in(&[&rows], &[losses[count..].concat()], &[other[count..].concat()])
    }

    fn difference_in(&self, parts: &[&[usize]], losses: &[Vec<f64>], other: &[Vec<f64>]) -> Difference {
        let count = parts.len();
        if count == 0 {
            return Difference { mean: 0.0, standard_error: 0.0 };
        }
        let mut ratios = Vec::new();
        let mut influence = vec![0.0; self.base.len()];
        for (rows, (one, two)) in parts.iter().zip(losses.iter().zip(other)) {
            let ((mean_one, total), (mean_two, _)) = (self.mean(rows, one), self.mean(rows, two));
            // Where both are without error, but for rounding, they are alike.
            let (least, factor) = (NO_ERROR, self.exponent());
            let (mean_one, mean_two) = (mean_one.max(least), mean_two.max(least));
            ratios.push(factor * (mean_one / mean_two).ln());
            for ((&row, one), two) in rows.iter().zip(one).zip(two) {
                influence[row] += factor / total * (one / mean_one - two / mean_two) / count as f64;
            }
        }
        let number = count as f64;
        let mean = ratios.iter().sum::<f64>() / number;
        let between = ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum::<f64>() / (number - 1.0).max(1.0) / number;
        let by_chance: f64 = influence.iter().zip(&self.base).map(|(value, base)| base * value * value).sum();
        Difference { mean, standard_error: between.max(by_chance).sqrt() }
    }
}

/// The least and the greatest of some values.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, greatest], value| [least.min(value), greatest.max(value)])
}
