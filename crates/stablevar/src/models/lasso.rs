//! The Lasso by coordinate descent on second moments, with a path of penalties and cross-validation.

use super::linear::StandardisedFit;
use crate::design::{Standing, TrainingData};
use crate::linalg::{Matrix, dot};
use crate::optim::StopReason;
use crate::parameter::Positive;
use crate::rows::map_blocks;
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

/// Second moments of (1, columns, outcome) and the weight behind them.
#[derive(Clone)]
struct LassoMoments {
    sums: Matrix,
}

impl LassoMoments {
    /// Weighted sums over the rows of each part; `part` gives a row's part.
    fn by_part(data: &TrainingData, parts: usize, part: impl Fn(usize) -> usize + Sync + Send) -> Vec<LassoMoments> {
        let width = data.design.columns();
        let blocks = map_blocks(data.rows(), |block| {
            let mut sums = vec![Matrix::zeros(width + 1, width + 1); parts];
            let mut row = vec![0.0; width + 1];
            for k in block {
                row[..width].copy_from_slice(data.design.row(k));
                row[width] = data.outcome[k];
                let total = &mut sums[part(k)];
                for i in 0..=width {
                    let factor = data.base[k] * row[i];
                    for j in 0..=i {
                        total[(i, j)] += factor * row[j];
                    }
                }
            }
            sums
        });
        let mut total = vec![Matrix::zeros(width + 1, width + 1); parts];
        for block in &blocks {
            total.iter_mut().zip(block).for_each(|(sum, part)| sum.add_assign(part));
        }
        total.into_iter().map(|sums| LassoMoments { sums: mirrored(sums) }).collect()
    }

    fn without(&self, other: &LassoMoments) -> LassoMoments {
        let mut sums = other.sums.clone();
        sums.scale(-1.0);
        sums.add_assign(&self.sums);
        LassoMoments { sums }
    }

    fn total(&self) -> f64 {
        self.sums[(0, 0)]
    }

    fn width(&self) -> usize {
        self.sums.rows() - 1
    }

    /// Covariance of two of (1, columns, outcome).
    fn covariance(&self, i: usize, j: usize) -> f64 {
        let total = self.total();
        self.sums[(i, j)] / total - self.sums[(0, i)] / total * (self.sums[(0, j)] / total)
    }

    /// Mean squared error of a model on the rows behind these moments.
    fn error(&self, coefficients: &[f64]) -> f64 {
        let mut direction: Vec<f64> = coefficients.iter().map(|value| -value).collect();
        direction.push(1.0);
        dot(&direction, &self.sums.times(&direction)) / self.total()
    }
}

fn mirrored(mut lower: Matrix) -> Matrix {
    for i in 0..lower.rows() {
        for j in 0..i {
            lower[(j, i)] = lower[(i, j)];
        }
    }
    lower
}

/// Lasso solutions for every penalty in `alphas`, each started from the one before.
pub fn lasso_path(data: &TrainingData, alphas: &[f64], settings: &Lasso) -> LassoPath {
    path(&LassoMoments::by_part(data, 1, |_| 0)[0], alphas, &factors(data), settings)
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
    let size = moments.width() - 1;
    let outcome = moments.width();
    let gram = Matrix::from_fn(size, size, |i, j| moments.covariance(i + 1, j + 1));
    let cross: Vec<f64> = (0..size).map(|i| moments.covariance(i + 1, outcome)).collect();
    let mut slopes = vec![0.0; size];
    // gram * slopes, kept up to date, so that a column that does not move costs nothing.
    let mut explained = vec![0.0; size];
    let mut stop = StopReason::Converged;
    let mut coefficients = Vec::with_capacity(alphas.len());
    for &alpha in alphas {
        let penalties: Vec<f64> = factors.iter().map(|factor| alpha * factor).collect();
        if descend(&gram, &cross, &penalties, settings, &mut slopes, &mut explained) == StopReason::IterationLimit {
            stop = StopReason::IterationLimit;
        }
        let total = moments.total();
        let constant =
            (moments.sums[(0, outcome)] - (0..size).map(|i| moments.sums[(0, i + 1)] * slopes[i]).sum::<f64>()) / total;
        coefficients.push(std::iter::once(constant).chain(slopes.iter().copied()).collect());
    }
    LassoPath { coefficients, stop }
}

/// Cyclic coordinate descent: full rounds find the active columns, rounds over those settle them.
fn descend(
    gram: &Matrix,
    cross: &[f64],
    penalties: &[f64],
    settings: &Lasso,
    slopes: &mut [f64],
    explained: &mut [f64],
) -> StopReason {
    let size = slopes.len();
    let mut round = |columns: &[usize], slopes: &mut [f64]| -> f64 {
        let mut largest = 0.0f64;
        for &column in columns {
            let curvature = gram[(column, column)];
            if curvature <= 0.0 {
                continue;
            }
            let pull = cross[column] - explained[column] + curvature * slopes[column];
            let moved = pull.signum() * (pull.abs() - penalties[column]).max(0.0) / curvature;
            let change = moved - slopes[column];
            if change != 0.0 {
                slopes[column] = moved;
                explained.iter_mut().zip(gram.row(column)).for_each(|(sum, value)| *sum += change * value);
                largest = largest.max(change.abs() * curvature.sqrt());
            }
        }
        largest
    };
    let all: Vec<usize> = (0..size).collect();
    let mut sweeps = 0;
    while sweeps < settings.max_sweeps {
        sweeps += 1;
        if round(&all, slopes) <= settings.tolerance.get() {
            return StopReason::Converged;
        }
        let active: Vec<usize> = all.iter().copied().filter(|&column| slopes[column] != 0.0).collect();
        while sweeps < settings.max_sweeps {
            sweeps += 1;
            if round(&active, slopes) <= settings.tolerance.get() {
                break;
            }
        }
    }
    StopReason::IterationLimit
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
        self.cross_validate(data, &fold_of)
    }

    /// Fits with the penalty that has the least mean error over the folds given for each row.
    pub fn cross_validate(&self, data: &TrainingData, fold_of: &[usize]) -> LassoFit {
        let folds = fold_of.iter().max().map_or(1, |most| most + 1);
        let parts = LassoMoments::by_part(data, folds, |row| fold_of[row]);
        let mut whole = parts[0].clone();
        parts[1..].iter().for_each(|part| whole.sums.add_assign(&part.sums));
        let (alphas, factors) = (self.penalty_grid(&whole), factors(data));
        let mut errors = vec![0.0; alphas.len()];
        let mut stop = StopReason::Converged;
        for held_out in &parts {
            let solved = path(&whole.without(held_out), &alphas, &factors, self);
            if !solved.stop.converged() {
                stop = solved.stop;
            }
            for (error, coefficients) in errors.iter_mut().zip(&solved.coefficients) {
                *error += held_out.error(coefficients) / folds as f64;
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
        let outcome = moments.width();
        let largest = (1..outcome).map(|i| moments.covariance(i, outcome).abs()).fold(0.0, f64::max).max(1e-12);
        let count = self.penalties.max(1);
        let share = |k: usize| if count == 1 { 0.0 } else { k as f64 / (count - 1) as f64 };
        (0..count).map(|k| largest * self.ratio.get().powf(share(k))).collect()
    }
}
