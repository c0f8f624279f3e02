//! The Lasso by coordinate descent on covariances, made as columns move, with a path of penalties and cross-validation.

use super::lasso_sums::{LassoMoments, LassoSums};
use super::linear::StandardisedFit;
use crate::design::{Standing, TrainingData};
use crate::optim::StopReason;
use crate::parameter::Positive;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// The Lasso, `1/(2n) sum (y - b0 - z b)^2 + alpha ||b||_1` on standardised columns for the standardised outcome.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Lasso {
    /// The penalty; `None` for cross-validation.
    pub alpha: Option<Positive>,
    /// Parts of the cross-validation.
    pub folds: usize,
    /// Length of the path.
    pub penalties: usize,
    /// Smallest penalty of the path as a share of the largest.
    pub ratio: Positive,
    /// Largest change of a coefficient at which to stop.
    pub tolerance: Positive,
    /// Rounds over the columns, per penalty.
    pub max_sweeps: usize,
}

impl Default for Lasso {
    fn default() -> Self {
        Self {
            alpha: None,
            folds: 5,
            penalties: 100,
            ratio: Positive::constant(1e-3),
            tolerance: Positive::constant(1e-8),
            max_sweeps: 10_000,
        }
    }
}

/// A fitted Lasso.
#[derive(Debug, Clone)]
pub struct LassoFit {
    /// The coefficients on standardised columns.
    pub fit: StandardisedFit,
    /// The penalty used.
    pub alpha: f64,
    /// (penalty, mean squared error on held-out rows), if it was chosen by cross-validation.
    pub cross_validation: Vec<(f64, f64)>,
    /// Whether the descent settled.
    pub stop: StopReason,
}

/// Solutions along a path of penalties.
#[derive(Debug, Clone)]
pub struct LassoPath {
    /// For every penalty the constant and the coefficients.
    pub coefficients: Vec<Vec<f64>>,
    /// Whether every descent settled.
    pub stop: StopReason,
}

/// Lasso solutions for every penalty in `alphas`, each started from the one before.
pub fn lasso_path(data: &TrainingData, alphas: &[f64], settings: &Lasso) -> LassoPath {
    let one_part = vec![0; data.rows()];
    path(&LassoSums::new(data, &one_part, 1).without(None), alphas, &factors(data), settings)
}

/// What the penalty of every column is multiplied by: nothing holds a variable back that was told to be stable, and nothing lets one in that
/// was told to be unstable.
fn factors(data: &TrainingData) -> Vec<f64> {
    let standings = data.standings();
    let factor = |feature: usize| match standings[feature] {
        Some(Standing::Stable) => 0.0,
        Some(Standing::Unstable) => f64::INFINITY,
        None => 1.0,
    };
    data.encoding.groups().into_iter().map(factor).collect()
}

fn path(moments: &LassoMoments, alphas: &[f64], factors: &[f64], settings: &Lasso) -> LassoPath {
    let mut descent = Descent::new(moments);
    let mut stop = StopReason::Converged;
    let mut coefficients = Vec::with_capacity(alphas.len());
    for &alpha in alphas {
        let penalties: Vec<f64> = factors.iter().map(|factor| alpha * factor).collect();
        if descent.settle(&penalties, settings) == StopReason::IterationLimit {
            stop = StopReason::IterationLimit;
        }
        let slopes = &descent.slopes;
        let constant =
            moments.outcome_mean() - slopes.iter().enumerate().map(|(i, slope)| moments.mean(i) * slope).sum::<f64>();
        coefficients.push(std::iter::once(constant).chain(slopes.iter().copied()).collect());
    }
    LassoPath { coefficients, stop }
}

/// Cyclic coordinate descent: full rounds find the active columns, rounds over those settle them.
struct Descent<'a> {
    moments: &'a LassoMoments<'a, 'a>,
    cross: Vec<f64>,
    curvature: Vec<f64>,
    slopes: Vec<f64>,
    /// The covariances of every column with what the slopes explain, kept up to date, so that a column that does not move costs
    /// nothing.
    explained: Vec<f64>,
    /// Covariances with all columns, of those that have moved.
    covariances: Vec<Option<Vec<f64>>>,
}

impl<'a> Descent<'a> {
    fn new(moments: &'a LassoMoments<'a, 'a>) -> Self {
        let size = moments.columns();
        Self {
            moments,
            cross: (0..size).map(|column| moments.with_outcome(column)).collect(),
            curvature: (0..size).map(|column| moments.variance(column)).collect(),
            slopes: vec![0.0; size],
            explained: vec![0.0; size],
            covariances: vec![None; size],
        }
    }

    /// One round over some columns; the largest move.
    fn round(&mut self, columns: &[usize], penalties: &[f64]) -> f64 {
        let mut largest = 0.0f64;
        for &column in columns {
            let curvature = self.curvature[column];
            if curvature <= 0.0 {
                continue;
            }
            let pull = self.cross[column] - self.explained[column] + curvature * self.slopes[column];
            let moved = pull.signum() * (pull.abs() - penalties[column]).max(0.0) / curvature;
            let change = moved - self.slopes[column];
            if change != 0.0 {
                self.slopes[column] = moved;
                let row = self.covariances[column].get_or_insert_with(|| self.moments.covariances(column));
                self.explained.iter_mut().zip(row).for_each(|(sum, value)| *sum += change * *value);
                largest = largest.max(change.abs() * curvature.sqrt());
            }
        }
        largest
    }

    /// Rounds until nothing moves at these penalties.
    fn settle(&mut self, penalties: &[f64], settings: &Lasso) -> StopReason {
        let all: Vec<usize> = (0..self.slopes.len()).collect();
        let mut sweeps = 0;
        while sweeps < settings.max_sweeps {
            sweeps += 1;
            if self.round(&all, penalties) <= settings.tolerance.get() {
                return StopReason::Converged;
            }
            let active: Vec<usize> = all.iter().copied().filter(|&column| self.slopes[column] != 0.0).collect();
            while sweeps < settings.max_sweeps {
                sweeps += 1;
                if self.round(&active, penalties) <= settings.tolerance.get() {
                    break;
                }
            }
        }
        StopReason::IterationLimit
    }
}

impl Lasso {
    /// Fits; without a fixed `alpha` it is the one with the least error over random folds of the rows.
    pub fn fit(&self, data: &TrainingData, seed: u64) -> LassoFit {
        if let Some(alpha) = self.alpha {
            let mut solved = lasso_path(data, &[alpha.get()], self);
            let fit = StandardisedFit { coefficients: solved.coefficients.remove(0) };
            return LassoFit { fit, alpha: alpha.get(), cross_validation: Vec::new(), stop: solved.stop };
        }
        let folds = self.folds.clamp(2, data.rows());
        let mut fold_of: Vec<usize> = (0..data.rows()).map(|row| row % folds).collect();
        fold_of.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        if data.groups.is_some() {
            let mut order: Vec<usize> = (0..data.rows()).collect();
            order.sort_by_key(|&row| fold_of[row]);
            fold_of = data.folds(&order, folds);
        }
        self.cross_validate(data, &fold_of)
    }

    /// Fits with the penalty that has the least mean error over the folds given for each row.
    pub fn cross_validate(&self, data: &TrainingData, fold_of: &[usize]) -> LassoFit {
        let folds = fold_of.iter().max().map_or(1, |most| most + 1);
        let sums = LassoSums::new(data, fold_of, folds);
        let whole = sums.without(None);
        let (alphas, factors) = (self.penalty_grid(&whole), factors(data));
        let mut errors = vec![0.0; alphas.len()];
        let mut stop = StopReason::Converged;
        for held_out in 0..folds {
            let solved = path(&sums.without(Some(held_out)), &alphas, &factors, self);
            if !solved.stop.converged() {
                stop = solved.stop;
            }
            for (error, coefficients) in errors.iter_mut().zip(&solved.coefficients) {
                *error += sums.error(held_out, coefficients) / folds as f64;
            }
        }
        let best = (0..alphas.len()).fold(0, |best, k| if errors[k] < errors[best] { k } else { best });
        let mut solved = path(&whole, &alphas[..=best], &factors, self);
        let coefficients = solved.coefficients.pop().unwrap_or_default();
        LassoFit {
            fit: StandardisedFit { coefficients },
            alpha: alphas[best],
            cross_validation: alphas.into_iter().zip(errors).collect(),
            stop: if solved.stop.converged() { stop } else { solved.stop },
        }
    }

    /// From the least penalty that leaves no column down to `ratio` times that, evenly in logarithm.
    fn penalty_grid(&self, moments: &LassoMoments) -> Vec<f64> {
        let columns = 0..moments.columns();
        let largest = columns.map(|column| moments.with_outcome(column).abs()).fold(0.0, f64::max).max(1e-12);
        let count = self.penalties.max(1);
        let share = |k: usize| if count == 1 { 0.0 } else { k as f64 / (count - 1) as f64 };
        (0..count).map(|k| largest * self.ratio.get().powf(share(k))).collect()
    }
}
