//! How much more often new rows have the values of a training row: a ratio of densities.
//!
//! A ridge-penalised logistic regression tells new rows from training rows; with both samples weighing the same, its odds are the
//! ratio `r(x) = p_new(x) / p_training(x)`. Every row is judged by a regression that had not seen it. Whether squares and products of the
//! columns take part, and how strong the penalty is, the held-out log loss decides.

use crate::functions::{scrambled, sigmoid, softplus};
use crate::linalg::{Cholesky, Matrix, dot, max_abs};
use crate::rows::{weighted_column_sums, weighted_cross_product};
use crate::threads;

/// Parts of the cross-fitting.
pub(super) const FOLDS: usize = 5;
/// Penalties tried, in units of one training row's information.
const PENALTIES: [f64; 3] = [300.0, 30.0, 3.0];
/// Ratios are cut off at this quantile of them, so that no few rows decide.
const CUT: f64 = 0.995;
/// Squares and products take part if there are at least so many rows per feature.
const ROWS_PER_FEATURE: usize = 10;
/// And if there are no more features than this, for the time they take.
const MOST_FEATURES: usize = 140;
/// Values farther than this many standard deviations out are drawn in.
const FAR: f64 = 3.0;

/// Weights under which the training rows look like the new ones.
pub(super) struct DensityRatio {
    /// One per training row, base weight included; they sum to 1.
    pub weights: Vec<f64>,
    /// Kish's `(sum w)^2 / sum w^2`.
    pub effective: f64,
    /// Mean of the ratio over the training rows, at most 1. It is 1 where training saw all that is new, and near 0
    /// where the two have nothing in common.
    pub overlap: f64,
}

/// A value drawn in if it is far out: beyond 3 standard deviations it grows as a logarithm.
pub(super) fn drawn_in(value: f64) -> f64 {
    if value.abs() <= FAR { value } else { value.signum() * (FAR + (value.abs() - FAR).ln_1p()) }
}

/// What stands beside the columns themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    /// Nothing.
    Nothing,
    /// Squares of those that have more than two values.
    Squares,
    /// These and products of every two: columns that go together otherwise than in training.
    Products,
}

/// Both samples' rows of some standardised columns, far values drawn in, and what stands beside them.
pub(super) fn features(training: &Matrix, new: &Matrix, columns: &[usize], beside: Beside) -> [Matrix; 2] {
    let has_more = |&column: &usize| {
        let first = training[(0, column)];
        let second = (0..training.rows()).map(|row| training[(row, column)]).find(|value| *value != first);
        (0..training.rows()).any(|row| training[(row, column)] != first && Some(training[(row, column)]) != second)
    };
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    if beside != Beside::Nothing {
        pairs.extend(columns.iter().filter(|column| has_more(column)).map(|&column| (column, column)));
    }
    if beside == Beside::Products {
        let of = |k: usize| columns[..k].iter().map(move |&before| (before, columns[k]));
        pairs.extend((0..columns.len()).flat_map(of));
    }
    [training, new].map(|rows| {
        let value = |row: usize, column: usize| drawn_in(rows[(row, column)]);
        Matrix::from_fn(rows.rows(), columns.len() + pairs.len(), |row, k| match columns.get(k) {
            Some(&column) => value(row, column),
            None => {
                let (first, second) = pairs[k - columns.len()];
                value(row, first) * value(row, second)
            }
        })
    })
}

impl DensityRatio {
    /// The ratio by some standardised columns; `base` weighs the training rows.
    pub(super) fn estimate(training: &Matrix, base: &[f64], new: &Matrix, columns: &[usize]) -> Self {
        let both = Both::new(base, new.rows());
        let rows = training.rows().min(new.rows());
        let mut best = (f64::INFINITY, vec![0.0; both.labels.len()]);
        for beside in [Beside::Nothing, Beside::Squares, Beside::Products] {
            let needed = match beside {
                Beside::Nothing => 0,
                Beside::Squares => 2 * columns.len(),
                Beside::Products => columns.len() * (columns.len() + 3) / 2,
            };
            if columns.is_empty() || rows < ROWS_PER_FEATURE * needed || needed > MOST_FEATURES {
                continue;
            }
            let [first, second] = features(training, new, columns, beside);
            let candidate = both.cross_fitted(&standardised(&first, &second, &both.weights));
            if candidate.0 < best.0 {
                best = candidate;
            }
        }
        Self::from_log_ratios(&best.1[..training.rows()], base)
    }

    fn from_log_ratios(log_ratios: &[f64], base: &[f64]) -> Self {
        // Beyond this a ratio is cut off anyhow.
        let ratios: Vec<f64> = log_ratios.iter().map(|value| value.clamp(-30.0, 30.0).exp()).collect();
        let total: f64 = base.iter().sum();
        let overlap = (dot(&ratios, base) / total).min(1.0);
        let mut sorted = ratios.clone();
        sorted.sort_by(f64::total_cmp);
        let limit = sorted[((sorted.len() - 1) as f64 * CUT).floor() as usize];
        let raw: Vec<f64> = ratios.iter().zip(base).map(|(ratio, base)| base * ratio.min(limit)).collect();
        let sum: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.into_iter().map(|weight| weight / sum).collect();
        let effective = 1.0 / dot(&weights, &weights);
        Self { weights, effective, overlap }
    }
}

/// Training rows, then new rows; each sample weighs as much as the other.
struct Both {
    labels: Vec<f64>,
    weights: Vec<f64>,
    part: Vec<usize>,
}

impl Both {
    fn new(base: &[f64], new: usize) -> Self {
        let rows = base.len();
        let total: f64 = base.iter().sum();
        let old = base.iter().map(|base| base * rows as f64 / total);
        let labels = (0..rows + new).map(|row| f64::from(row >= rows)).collect();
        let weights = old.chain((0..new).map(|_| rows as f64 / new as f64)).collect();
        Self { labels, weights, part: [parts(rows), parts(new)].concat() }
    }

    /// The least held-out log loss over the penalties, and the log-odds that have it.
    fn cross_fitted(&self, features: &Matrix) -> (f64, Vec<f64>) {
        let found = threads::map(FOLDS, |fold| {
            let (held, learn): (Vec<usize>, Vec<usize>) = (0..self.part.len()).partition(|&row| self.part[row] == fold);
            let pick = |values: &[f64]| learn.iter().map(|&row| values[row]).collect::<Vec<f64>>();
            let (rows, labels, weights) = (features.keep_rows(&learn), pick(&self.labels), pick(&self.weights));
            let mut coefficients = vec![0.0; features.columns()];
            let log_odds = PENALTIES.map(|penalty| {
                logistic(&rows, &labels, &weights, penalty, &mut coefficients);
                held.iter().map(|&row| dot(features.row(row), &coefficients)).collect::<Vec<f64>>()
            });
            (held, log_odds)
        });
        let mut best = (f64::INFINITY, Vec::new());
        for penalty in 0..PENALTIES.len() {
            let mut all = vec![0.0; self.part.len()];
            for (held, log_odds) in &found {
                held.iter().zip(&log_odds[penalty]).for_each(|(&row, &value)| all[row] = value);
            }
            let rows = all.iter().zip(&self.labels).zip(&self.weights);
            let loss: f64 = rows.map(|((u, label), weight)| weight * (softplus(*u) - label * u)).sum();
            if loss < best.0 {
                best = (loss, all);
            }
        }
        best
    }
}

/// The part of every row, in an order that has nothing to do with the table's.
pub(super) fn parts(rows: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by_key(|&row| scrambled(row as u64 ^ 0x5eed));
    let mut part = vec![0; rows];
    order.iter().enumerate().for_each(|(rank, &row)| part[row] = rank % FOLDS);
    part
}

/// Both samples' features one below the other, behind a column of ones, with mean 0 and variance 1 under weights.
fn standardised(first: &Matrix, second: &Matrix, weights: &[f64]) -> Matrix {
    let (rows, width) = (first.rows() + second.rows(), first.columns());
    let value = |row: usize, k: usize| {
        if row < first.rows() { first[(row, k)] } else { second[(row - first.rows(), k)] }
    };
    let total: f64 = weights.iter().sum();
    let moments: Vec<(f64, f64)> = (0..width)
        .map(|k| {
            let mean = (0..rows).map(|row| weights[row] * value(row, k)).sum::<f64>() / total;
            let spread = (0..rows).map(|row| weights[row] * (value(row, k) - mean).powi(2)).sum::<f64>() / total;
            (mean, if spread > 0.0 { spread.sqrt() } else { 1.0 })
        })
        .collect();
    Matrix::from_fn(rows, width + 1, |row, k| {
        if k == 0 { 1.0 } else { (value(row, k - 1) - moments[k - 1].0) / moments[k - 1].1 }
    })
}

/// Newton's steps to the least `sum w (softplus(u) - y u) + penalty / 2 |b|^2`, `u = z b`, from where `coefficients` are; the
/// first column holds ones and bears no penalty.
fn logistic(rows: &Matrix, labels: &[f64], weights: &[f64], penalty: f64, coefficients: &mut Vec<f64>) {
    const STEPS: usize = 25;
    const HALVINGS: usize = 12;
    let width = rows.columns();
    let of = |b: &[f64]| {
        let log_odds = rows.times(b);
        let fit: f64 = (0..labels.len()).map(|k| weights[k] * (softplus(log_odds[k]) - labels[k] * log_odds[k])).sum();
        (fit + 0.5 * penalty * b[1..].iter().map(|b| b * b).sum::<f64>(), log_odds)
    };
    let (mut value, mut log_odds) = of(coefficients);
    for _ in 0..STEPS {
        let chances: Vec<f64> = log_odds.iter().map(|&u| sigmoid(u)).collect();
        let information: Vec<f64> = chances.iter().zip(weights).map(|(p, weight)| weight * p * (1.0 - p)).collect();
        let left: Vec<f64> = labels.iter().zip(&chances).map(|(y, p)| y - p).collect();
        let mut gradient = weighted_column_sums(rows, weights, &left);
        let mut hessian = weighted_cross_product(rows, &information);
        for k in 1..width {
            gradient[k] -= penalty * coefficients[k];
            hessian[(k, k)] += penalty;
        }
        let Some(factor) = Cholesky::with_least_ridge(&hessian) else { return };
        let step = factor.solve(&gradient);
        let mut share = 1.0;
        let better = (0..HALVINGS).find_map(|_| {
            let tried: Vec<f64> = coefficients.iter().zip(&step).map(|(b, step)| b + share * step).collect();
            let (next, odds) = of(&tried);
            share *= 0.5;
            (next <= value).then_some((tried, next, odds))
        });
        let Some((tried, next, odds)) = better else { return };
        let settled = max_abs(&step) < 1e-6 || value - next < 1e-10 * value.abs();
        (*coefficients, value, log_odds) = (tried, next, odds);
        if settled {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use rand_distr::StandardNormal;

    fn normal(rows: usize, mean: f64, scale: f64, seed: u64) -> Matrix {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        Matrix::from_fn(rows, 2, |_, k| {
            let value: f64 = random.sample(StandardNormal);
            if k == 0 { mean + scale * value } else { value }
        })
    }

    fn moments(rows: &Matrix, weights: &[f64]) -> (f64, f64) {
        let mean: f64 = (0..rows.rows()).map(|row| weights[row] * rows[(row, 0)]).sum();
        (mean, (0..rows.rows()).map(|row| weights[row] * (rows[(row, 0)] - mean).powi(2)).sum())
    }

    #[test]
    fn weighted_training_rows_look_like_the_new_ones() {
        let old = normal(3000, 0.0, 1.0, 1);
        let ratio = DensityRatio::estimate(&old, &[1.0; 3000], &normal(2000, 0.7, 1.0, 2), &[0, 1]);
        let (mean, _) = moments(&old, &ratio.weights);
        assert!((mean - 0.7).abs() < 0.08, "{mean}");
        // Of normal columns n exp(-shift^2) rows are left.
        assert!((ratio.effective / (3000.0 * (-0.49f64).exp()) - 1.0).abs() < 0.15, "{}", ratio.effective);
        assert!(ratio.overlap > 0.9, "{}", ratio.overlap);
        // A narrower law takes the squares.
        let narrow = DensityRatio::estimate(&old, &[1.0; 3000], &normal(2000, 0.0, 0.5, 3), &[0, 1]);
        let (_, variance) = moments(&old, &narrow.weights);
        assert!((variance - 0.25).abs() < 0.06, "{variance}");
    }

    #[test]
    fn columns_that_go_together_otherwise_are_seen_though_none_moved() {
        let tied = |sign: f64, seed: u64| {
            let free = normal(2000, 0.0, 1.0, seed);
            Matrix::from_fn(2000, 2, |row, k| {
                if k == 0 { free[(row, 0)] } else { sign * 0.5 * free[(row, 0)] + 0.75f64.sqrt() * free[(row, 1)] }
            })
        };
        let old = tied(1.0, 1);
        let ratio = DensityRatio::estimate(&old, &[1.0; 2000], &tied(-0.4, 2), &[0, 1]);
        let correlation: f64 = (0..2000).map(|row| ratio.weights[row] * old[(row, 0)] * old[(row, 1)]).sum();
        assert!((correlation + 0.2).abs() < 0.12, "{correlation}");
    }

    #[test]
    fn rows_of_the_same_law_weigh_the_same_and_rows_far_away_do_not_overlap() {
        let old = normal(2000, 0.0, 1.0, 1);
        let same = DensityRatio::estimate(&old, &[1.0; 2000], &normal(2000, 0.0, 1.0, 9), &[0, 1]);
        assert!(same.effective > 1950.0 && same.overlap > 0.97, "{} {}", same.effective, same.overlap);
        let far = DensityRatio::estimate(&old, &[1.0; 2000], &normal(2000, 12.0, 1.0, 9), &[0, 1]);
        assert!(far.overlap < 0.2 || far.effective < 100.0, "{} {}", far.effective, far.overlap);
    }

    #[test]
    fn a_base_weight_counts_as_so_many_rows() {
        let (old, new) = (normal(1000, 0.0, 1.0, 1), normal(1000, 0.5, 1.0, 2));
        let heavy: Vec<f64> = (0..1000).map(|row| if old[(row, 0)] > 0.0 { 3.0 } else { 1.0 }).collect();
        let ratio = DensityRatio::estimate(&old, &heavy, &new, &[0, 1]);
        let (mean, _) = moments(&old, &ratio.weights);
        assert!((mean - 0.5).abs() < 0.12, "{mean}");
    }
}
