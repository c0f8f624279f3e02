//! What an error is, errors per environment and their summary.

use crate::design::Task;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A measure of error: the smaller the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// `mean (y - p)^2`, in squared units of the outcome.
    Mse,
    /// `sqrt(mean (y - p)^2)`, in units of the outcome.
    Rmse,
    /// `mean |y - p|`, in units of the outcome.
    Mae,
    /// The share of rows put in the wrong class.
    ErrorRate,
    /// `-mean (y ln p + (1 - y) ln(1 - p))`, in nats.
    LogLoss,
    /// One minus the area under the ROC curve.
    OneMinusAuc,
}

impl Metric {
    /// All there are, those for numbers first.
    pub const ALL: [Metric; 6] =
        [Metric::Mse, Metric::Rmse, Metric::Mae, Metric::ErrorRate, Metric::LogLoss, Metric::OneMinusAuc];

    /// Its name as it is typed, its name in words, and what it is in a line.
    fn words(self) -> [&'static str; 3] {
        match self {
            Metric::Mse => ["mse", "mean squared error", "Mean squared error, as in the paper's tables"],
            Metric::Rmse => ["rmse", "root mean squared error", "Its square root"],
            Metric::Mae => ["mae", "mean absolute error", "Mean absolute error"],
            Metric::ErrorRate => ["error-rate", "error rate", "Share of rows put in the wrong class"],
            Metric::LogLoss => ["log-loss", "log loss", "Mean negative log-likelihood of the classes"],
            Metric::OneMinusAuc => {
                ["one-minus-auc", "one minus the area under the curve", "One minus the area under the ROC curve"]
            }
        }
    }

    /// Its name, as it is typed.
    pub fn name(self) -> &'static str {
        self.words()[0]
    }

    /// Its name in words, for titles and axes.
    pub fn label(self) -> &'static str {
        self.words()[1]
    }

    /// What it is, in a line, where all are listed.
    pub fn help(self) -> &'static str {
        self.words()[2]
    }

    /// The metric of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Whether it is one for classes; their truth is 0 or 1, and what is predicted is the probability of 1.
    pub fn is_for_classes(self) -> bool {
        matches!(self, Metric::ErrorRate | Metric::LogLoss | Metric::OneMinusAuc)
    }

    /// What errors are measured by unless another metric is asked for.
    pub fn default_for(task: Task) -> Self {
        match task {
            Task::Regression => Metric::Mse,
            Task::Classification => Metric::ErrorRate,
        }
    }

    /// The error of predictions; `None` where it needs both classes and there is one.
    pub fn of(self, truth: &[f64], predicted: &[f64]) -> Option<f64> {
        Some(match self {
            Metric::Mse => mean_squared_error(truth, predicted),
            Metric::Rmse => mean_squared_error(truth, predicted).sqrt(),
            Metric::Mae => mean_absolute_error(truth, predicted),
            Metric::ErrorRate => error_rate(truth, predicted),
            Metric::LogLoss => log_loss(truth, predicted),
            Metric::OneMinusAuc => 1.0 - area_under_curve(truth, predicted)?,
        })
    }

    /// The standard error of [`Metric::of`] over independent rows; `None` where it is not made of one loss per row.
    ///
    /// For a mean of losses `l` it is `sqrt(var l / n)` with the divisor n - 1 in the variance, for its root `r` that divided
    /// by `2 r`, the slope of the root.
    pub fn standard_error(self, truth: &[f64], predicted: &[f64]) -> Option<f64> {
        let mean_of = match self {
            Metric::Rmse => Metric::Mse,
            Metric::OneMinusAuc => return None,
            mean => mean,
        };
        let losses: Vec<f64> = truth.iter().zip(predicted).filter_map(|(y, p)| mean_of.of(&[*y], &[*p])).collect();
        let count = losses.len() as f64;
        let mean = losses.iter().sum::<f64>() / count;
        let spread = losses.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        let standard_error = (spread / count).sqrt();
        Some(match self {
            Metric::Rmse if mean > 0.0 => 0.5 * standard_error / mean.sqrt(),
            Metric::Rmse => 0.0,
            _ => standard_error,
        })
    }
}

/// What belongs to each environment, in order of first appearance; it can be added row by row and piece by piece.
#[derive(Debug, Clone, Default)]
pub struct ByEnvironment<T> {
    positions: HashMap<String, usize>,
    found: Vec<(String, T)>,
}

impl<T: Default> ByEnvironment<T> {
    /// What belongs to an environment so far; a new one if there was none of this name.
    pub fn of(&mut self, environment: &str) -> &mut T {
        let position = match self.positions.get(environment) {
            Some(&position) => position,
            None => {
                self.positions.insert(environment.to_string(), self.found.len());
                self.found.push((environment.to_string(), T::default()));
                self.found.len() - 1
            }
        };
        &mut self.found[position].1
    }

    /// The environments with what belongs to them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &T)> {
        self.found.iter().map(|(name, value)| (name.as_str(), value))
    }
}

/// Rows with their outcomes, classes as 0 and 1, and what was predicted for them.
#[derive(Debug, Clone, Default)]
pub struct JudgedRows {
    /// The outcomes.
    pub truth: Vec<f64>,
    /// The predictions, for classes the probability of 1.
    pub predicted: Vec<f64>,
}

impl JudgedRows {
    /// Adds a row.
    pub fn add(&mut self, truth: f64, predicted: f64) {
        self.truth.push(truth);
        self.predicted.push(predicted);
    }

    /// Adds rows.
    pub fn extend(&mut self, truth: &[f64], predicted: &[f64]) {
        self.truth.extend_from_slice(truth);
        self.predicted.extend_from_slice(predicted);
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.truth.len()
    }

    /// The error of these rows; `None` where the metric needs both classes and there is one.
    pub fn error(&self, metric: Metric) -> Option<f64> {
        metric.of(&self.truth, &self.predicted)
    }
}

impl ByEnvironment<JudgedRows> {
    /// The error in every environment where there is one.
    pub fn errors(&self, metric: Metric) -> Vec<(&str, f64)> {
        self.iter().filter_map(|(name, rows)| Some((name, rows.error(metric)?))).collect()
    }

    /// The summary of these errors; `None` if there is none.
    pub fn summary(&self, metric: Metric) -> Option<ErrorSummary> {
        ErrorSummary::new(&self.errors(metric).into_iter().map(|(_, error)| error).collect::<Vec<f64>>())
    }
}

/// The mean squared difference of two vectors.
pub fn mean_squared_error(truth: &[f64], predicted: &[f64]) -> f64 {
    truth.iter().zip(predicted).map(|(y, p)| (y - p).powi(2)).sum::<f64>() / truth.len() as f64
}

/// The mean absolute difference of two vectors.
pub fn mean_absolute_error(truth: &[f64], predicted: &[f64]) -> f64 {
    truth.iter().zip(predicted).map(|(y, p)| (y - p).abs()).sum::<f64>() / truth.len() as f64
}

/// The share of rows on the wrong side of one half; `truth` is 0 or 1.
pub fn error_rate(truth: &[f64], probabilities: &[f64]) -> f64 {
    let wrong = truth.iter().zip(probabilities).filter(|(y, p)| (**y >= 0.5) != (**p >= 0.5)).count();
    wrong as f64 / truth.len() as f64
}

/// The mean negative log-likelihood; probabilities are kept 1e-15 away from 0 and 1.
pub fn log_loss(truth: &[f64], probabilities: &[f64]) -> f64 {
    let loss = |(y, p): (&f64, &f64)| {
        let p = p.clamp(1e-15, 1.0 - 1e-15);
        -(y * p.ln() + (1.0 - y) * (1.0 - p).ln())
    };
    truth.iter().zip(probabilities).map(loss).sum::<f64>() / truth.len() as f64
}

/// The chance that a row of the second class has the higher probability than one of the first, ties counting half;
/// `None` if there are not both.
pub fn area_under_curve(truth: &[f64], probabilities: &[f64]) -> Option<f64> {
    let mut order: Vec<usize> = (0..truth.len()).collect();
    order.sort_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]));
    let positives = truth.iter().filter(|y| **y >= 0.5).count() as f64;
    let negatives = truth.len() as f64 - positives;
    if positives == 0.0 || negatives == 0.0 {
        return None;
    }
    let (mut ranks, mut start) = (0.0, 0);
    while start < order.len() {
        let same = |k: &usize| probabilities[*k] == probabilities[order[start]];
        let count = order[start..].iter().take_while(|k| same(k)).count();
        // Ranks from 1; equal values share their mean rank.
        let rank = start as f64 + (count as f64 + 1.0) / 2.0;
        ranks += rank * order[start..start + count].iter().filter(|&&k| truth[k] >= 0.5).count() as f64;
        start += count;
    }
    Some((ranks - positives * (positives + 1.0) / 2.0) / (positives * negatives))
}

/// Mean, spread and maximum of the errors over environments.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ErrorSummary {
    /// `Mean_Error`.
    pub mean_error: f64,
    /// `Std_Error`, with divisor (environments - 1); 0 for a single environment.
    pub std_error: f64,
    /// `Max_Error`.
    pub max_error: f64,
}

impl ErrorSummary {
    /// Summarises one error per environment; `None` if there is none.
    pub fn new(errors: &[f64]) -> Option<Self> {
        if errors.is_empty() {
            return None;
        }
        let count = errors.len() as f64;
        let mean_error = errors.iter().sum::<f64>() / count;
        let squares: f64 = errors.iter().map(|error| (error - mean_error).powi(2)).sum();
        let std_error = if errors.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        Some(Self { mean_error, std_error, max_error: errors.iter().copied().fold(f64::NEG_INFINITY, f64::max) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_of_probabilities_match_hand_counts() {
        let (truth, p) = ([0.0, 0.0, 1.0, 1.0], [0.1, 0.6, 0.6, 0.9]);
        assert_eq!(error_rate(&truth, &p), 0.25);
        // Pairs: (0.1, 0.6) right, (0.1, 0.9) right, (0.6, 0.6) half, (0.6, 0.9) right.
        assert_eq!(area_under_curve(&truth, &p), Some(3.5 / 4.0));
        assert_eq!(area_under_curve(&truth[..2], &p[..2]), None);
        let by_hand = -(0.9f64.ln() + 0.4f64.ln() + 0.6f64.ln() + 0.9f64.ln()) / 4.0;
        assert!((log_loss(&truth, &p) - by_hand).abs() < 1e-15);
        assert!(log_loss(&[1.0], &[0.0]).is_finite());
    }

    #[test]
    fn metrics_are_found_by_their_names_and_measure_what_they_say() {
        assert!(Metric::ALL.iter().all(|metric| Metric::named(metric.name()) == Some(*metric)));
        assert_eq!(Metric::named("accuracy"), None);
        for task in [Task::Regression, Task::Classification] {
            assert_eq!(Metric::default_for(task).is_for_classes(), task == Task::Classification);
        }
        let (truth, predicted) = ([1.0, 2.0, 4.0], [1.0, 4.0, 3.0]);
        let of = |metric: Metric| metric.of(&truth, &predicted).unwrap();
        assert_eq!((of(Metric::Mse), of(Metric::Mae)), (5.0 / 3.0, 1.0));
        assert_eq!(of(Metric::Rmse), (5.0f64 / 3.0).sqrt());
        // Losses 0, 4 and 1: their variance is 13/3.
        let error_of = |metric: Metric| metric.standard_error(&truth, &predicted).unwrap();
        assert!((error_of(Metric::Mse) - (13.0f64 / 9.0).sqrt()).abs() < 1e-15);
        assert!((error_of(Metric::Rmse) - (13.0f64 / 9.0).sqrt() / (2.0 * of(Metric::Rmse))).abs() < 1e-15);
        assert_eq!(Metric::Rmse.standard_error(&truth, &truth), Some(0.0));
        let (classes, p) = ([0.0, 0.0, 1.0, 1.0], [0.1, 0.6, 0.6, 0.9]);
        assert_eq!(Metric::OneMinusAuc.of(&classes, &p), Some(1.0 - 3.5 / 4.0));
        assert_eq!(Metric::OneMinusAuc.of(&classes[..2], &p[..2]), None);
        assert_eq!(Metric::OneMinusAuc.standard_error(&classes, &p), None);
        assert_eq!(Metric::ErrorRate.standard_error(&classes, &p), Some((0.25f64 / 4.0).sqrt()));
    }

    #[test]
    fn environments_stand_in_order_of_appearance_whatever_the_pieces() {
        let rows = [("b", 1.0, 2.0), ("a", 3.0, 3.0), ("b", 5.0, 2.0), ("c", 0.0, 1.0), ("a", 1.0, 3.0)];
        let mut judged: ByEnvironment<JudgedRows> = ByEnvironment::default();
        assert!(judged.summary(Metric::Mse).is_none());
        rows.iter().for_each(|&(name, truth, predicted)| judged.of(name).add(truth, predicted));
        assert_eq!(judged.errors(Metric::Mse), [("b", 5.0), ("a", 2.0), ("c", 1.0)]);
        assert_eq!(judged.summary(Metric::Mse), ErrorSummary::new(&[5.0, 2.0, 1.0]));
        // An environment of one class has no area under a curve.
        let mut classes: ByEnvironment<JudgedRows> = ByEnvironment::default();
        classes.of("both").extend(&[0.0, 1.0], &[0.2, 0.7]);
        classes.of("one").add(1.0, 0.7);
        assert_eq!(classes.errors(Metric::OneMinusAuc), [("both", 0.0)]);
    }

    #[test]
    fn summary_divides_by_one_less_than_the_environments() {
        let summary = ErrorSummary::new(&[1.0, 2.0, 4.0]).unwrap();
        assert!((summary.mean_error - 7.0 / 3.0).abs() < 1e-15);
        assert!((summary.std_error - (7.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(summary.max_error, 4.0);
        assert_eq!(ErrorSummary::new(&[3.0]).unwrap().std_error, 0.0);
        assert!(ErrorSummary::new(&[]).is_none());
    }
}
