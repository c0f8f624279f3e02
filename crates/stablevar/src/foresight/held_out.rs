//! What predictions for rows that were held out say about predictions of new ones: how far off they may be, and how far
//! probabilities can be taken at their word.

use super::memory::TrainingMemory;
use crate::functions::sigmoid;
use crate::metrics::Metric;
use crate::parameter::Fraction;

/// Groups of rows, equally filled, in which probabilities are compared with what happened.
const GROUPS: usize = 10;
/// Rows with which probabilities can be compared at least.
const LEAST_ROWS: usize = 100;
/// Probabilities are kept this far from 0 and 1.
const EDGE: f64 = 1e-9;

/// How far outcomes lie from predictions: for rows like the training rows, `[prediction + below, prediction + above]` holds the
/// outcome at least as often as asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PredictionInterval {
    /// How often, from 0 to 1.
    pub level: f64,
    /// Mostly negative.
    pub below: f64,
    /// Mostly positive.
    pub above: f64,
    /// Rows that it rests on.
    pub rows: usize,
}

/// How probabilities go with what happened, and how to mend them: `sigmoid(intercept + slope ln(p / (1 - p)))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// 0 where probabilities are right on average.
    pub intercept: f64,
    /// 1 where they are as sure as they may be; below, they are too sure.
    pub slope: f64,
    /// The mean distance of probability and frequency in ten groups of rows.
    pub off_by: f64,
    /// The same once they are mended, by rows that had no part in it.
    pub off_by_after: f64,
    /// Rows that it rests on.
    pub rows: usize,
}

impl TrainingMemory {
    /// The mean outcome, for classes the share of the second: what one would predict without looking at a row.
    pub fn mean_outcome(&self) -> f64 {
        let total: f64 = self.base().iter().sum();
        self.outcome().iter().zip(self.base()).map(|(outcome, base)| outcome * base).sum::<f64>() / total
    }

    /// The error of the held-out predictions, base weights left aside.
    pub fn error(&self, metric: Metric) -> Option<f64> {
        metric.of(self.outcome(), self.predicted())
    }

    /// Split conformal intervals: quantiles of held-out residuals, with one more row at either end for the new one. `None`
    /// where there are too few rows for so high a level, and for classes.
    pub fn interval(&self, level: Fraction) -> Option<PredictionInterval> {
        let mut residuals: Vec<(f64, f64)> = self
            .outcome()
            .iter()
            .zip(self.predicted())
            .zip(self.base())
            .map(|((outcome, predicted), base)| (outcome - predicted, *base))
            .collect();
        residuals.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = residuals.iter().map(|(_, base)| base).sum();
        let most = 0.5 * (1.0 - level.get()) * (total + total / residuals.len() as f64);
        // The last residual up to which there is no more weight than may lie outside.
        let end = |from_below: bool| {
            let mut weight = 0.0;
            let mut last = None;
            for k in 0..residuals.len() {
                let (residual, base) = residuals[if from_below { k } else { residuals.len() - 1 - k }];
                weight += base;
                // What is equal but for rounding is not more.
                if weight > most * (1.0 + 1e-12) {
                    break;
                }
                last = Some(residual);
            }
            last
        };
        let (below, above) = (end(true)?, end(false)?);
        Some(PredictionInterval { level: level.get(), below, above, rows: residuals.len() })
    }

    /// How the probabilities of two classes go with what happened; `None` for numbers, or where there are too few rows.
    pub fn calibration(&self) -> Option<Calibration> {
        let (outcome, predicted) = (self.outcome(), self.predicted());
        let is_class = |value: &f64| *value == 0.0 || *value == 1.0;
        if self.rows() < LEAST_ROWS || !outcome.iter().all(is_class) {
            return None;
        }
        let all: Vec<usize> = (0..self.rows()).collect();
        let (intercept, slope) = self.platt(&all)?;
        let mut after = predicted.to_vec();
        for part in 0..2 {
            let (held, learn): (Vec<usize>, Vec<usize>) = all.iter().partition(|row| **row % 2 == part);
            let found = self.platt(&learn)?;
            held.into_iter().for_each(|row| after[row] = mended(predicted[row], found));
        }
        Some(Calibration {
            intercept,
            slope,
            off_by: self.off_by(predicted),
            off_by_after: self.off_by(&after),
            rows: self.rows(),
        })
    }

    /// Logistic regression of the outcome on the log-odds of the prediction, by Newton's method; `None` if one class is all.
    fn platt(&self, rows: &[usize]) -> Option<(f64, f64)> {
        let (mut intercept, mut slope) = (0.0, 1.0);
        let both = [0.0, 1.0].iter().all(|class| rows.iter().any(|&row| self.outcome()[row] == *class));
        if !both {
            return None;
        }
        for _ in 0..50 {
            // A little of the prior belief in what stands there keeps it finite where classes are told apart without error.
            let (mut gradient, mut curvature) = ([-intercept, 1.0 - slope], [1.0, 0.0, 1.0]);
            for &row in rows {
                let odds = log_odds(self.predicted()[row]);
                let p = sigmoid(intercept + slope * odds);
                let (left, steep) = (self.base()[row] * (self.outcome()[row] - p), self.base()[row] * p * (1.0 - p));
                gradient = [gradient[0] + left, gradient[1] + left * odds];
                curvature = [curvature[0] + steep, curvature[1] + steep * odds, curvature[2] + steep * odds * odds];
            }
            let determinant = curvature[0] * curvature[2] - curvature[1] * curvature[1];
            let step = [
                (curvature[2] * gradient[0] - curvature[1] * gradient[1]) / determinant,
                (curvature[0] * gradient[1] - curvature[1] * gradient[0]) / determinant,
            ];
            // Full steps may leap too far where probabilities are near 0 or 1.
            let size = step[0].abs().max(step[1].abs());
            let share = if size > 1.0 { 1.0 / size } else { 1.0 };
            (intercept, slope) = (intercept + share * step[0], slope + share * step[1]);
            if size < 1e-10 {
                break;
            }
        }
        (intercept.is_finite() && slope.is_finite()).then_some((intercept, slope))
    }

    fn off_by(&self, probabilities: &[f64]) -> f64 {
        let mut order: Vec<usize> = (0..probabilities.len()).collect();
        order.sort_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]).then(a.cmp(&b)));
        let total: f64 = self.base().iter().sum();
        let group = |rows: &[usize]| {
            let gap: f64 = rows.iter().map(|&row| self.base()[row] * (probabilities[row] - self.outcome()[row])).sum();
            gap.abs() / total
        };
        order.chunks(order.len().div_ceil(GROUPS)).map(group).sum()
    }
}

impl Calibration {
    /// The mended probability.
    pub fn apply(&self, probability: f64) -> f64 {
        mended(probability, (self.intercept, self.slope))
    }
}

fn mended(probability: f64, (intercept, slope): (f64, f64)) -> f64 {
    sigmoid(intercept + slope * log_odds(probability))
}

fn log_odds(probability: f64) -> f64 {
    let p = probability.clamp(EDGE, 1.0 - EDGE);
    (p / (1.0 - p)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use rand_distr::StandardNormal;

    fn memory(outcome: Vec<f64>, predicted: Vec<f64>) -> TrainingMemory {
        TrainingMemory::of_predictions(vec![1.0; outcome.len()], outcome, predicted)
    }

    #[test]
    fn intervals_hold_as_many_new_outcomes_as_they_say() {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let mut noise =
            |count: usize| (0..count).map(|_| random.sample::<f64, _>(StandardNormal)).collect::<Vec<f64>>();
        // Skewed, so that the two ends differ.
        let skewed: Vec<f64> = noise(2000).iter().map(|value| value.exp()).collect();
        let found = memory(skewed, vec![0.0; 2000]).interval(Fraction::constant(0.9)).unwrap();
        let new: Vec<f64> = noise(20_000).iter().map(|value| value.exp()).collect();
        let inside = new.iter().filter(|value| (found.below..=found.above).contains(value)).count() as f64 / 20_000.0;
        assert!((inside - 0.9).abs() < 0.015, "{inside}");
        assert!(found.above > 3.0 * found.below.abs());
        // Nineteen rows leave one in twenty at either end of 90 %, eighteen do not.
        let ramp = |count: usize| memory((0..count).map(|k| k as f64).collect(), vec![0.0; count]);
        let level = Fraction::constant(0.9);
        assert_eq!(ramp(19).interval(level).map(|found| (found.below, found.above)), Some((0.0, 18.0)));
        assert_eq!(ramp(18).interval(level), None);
    }

    #[test]
    fn probabilities_that_are_too_sure_are_found_out_and_mended() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let (mut outcome, mut honest, mut sure) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..4000 {
            let odds: f64 = random.sample(StandardNormal);
            let p = sigmoid(odds);
            outcome.push(f64::from(random.random::<f64>() < p));
            honest.push(p);
            sure.push(sigmoid(3.0 * odds));
        }
        let good = memory(outcome.clone(), honest).calibration().unwrap();
        assert!((good.slope - 1.0).abs() < 0.15 && good.off_by < 0.03, "{good:?}");
        let bad = memory(outcome.clone(), sure).calibration().unwrap();
        assert!((bad.slope - 1.0 / 3.0).abs() < 0.05 && bad.off_by > 0.1 && bad.off_by_after < 0.03, "{bad:?}");
        assert!((bad.apply(sigmoid(3.0)) - sigmoid(1.0)).abs() < 0.03);
        assert_eq!(memory(vec![1.0; 200], vec![0.5; 200]).calibration(), None);
        assert_eq!(memory(vec![2.5; 200], vec![0.5; 200]).calibration(), None);
    }
}
