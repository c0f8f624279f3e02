//! SRDO: weights as a ratio of densities (Shen et al. 2020).
//!
//! Shuffling the columns apart gives a sample whose columns are independent; a classifier that tells it from the
//! original gives the ratio of the two densities, `w(x) = P(shuffled | x) / P(original | x)`, and under these
//! weights the original columns are independent too, not only uncorrelated. No row is weighed by a classifier that was
//! trained on it, else the classifier would remember rather than learn.
//!
//! Where a [`Mask`] says that variables are likely stable, they are shuffled together, so that the law they have
//! among themselves survives: in every part of the shuffled sample each variable joins that block with its
//! probability of being stable.

use super::{Mask, Reweighted, Reweighter, SampleWeights, WeightFunction};
use crate::design::TrainingData;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, dot};
use crate::models::{Examples, Loss, Mlp, Network, Solver};
use crate::optim::StopReason;
use crate::parameter::{Fraction, NonNegative, Positive};
use crate::passes::RowSource;
use crate::threads;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

/// What tells the shuffled rows from the original ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Classifier {
    /// A network.
    Network(Mlp),
    /// Logistic regression on the columns, their squares and products.
    Quadratic,
}

/// Weights as a ratio of densities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Srdo {
    /// Tells shuffled from original rows.
    pub classifier: Classifier,
    /// Parts for cross-fitting.
    pub folds: usize,
    /// Ratios are cut off here.
    pub limit: Positive,
}

impl Default for Srdo {
    fn default() -> Self {
        let network = Mlp {
            hidden: vec![32],
            solver: Solver::Adam,
            learning_rate: Positive::constant(0.003),
            epochs: 20,
            restarts: 1,
            ..Mlp::default()
        };
        Self { classifier: Classifier::Network(network), folds: 3, limit: Positive::constant(20.0) }
    }
}

/// The mean log-ratio of the classifiers, cut off at the limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RatioFunction {
    networks: Vec<Network>,
    /// Whether they see products of the columns as well.
    products: bool,
    /// Largest log-ratio.
    limit: f64,
    /// Makes the training weights have mean 1.
    factor: f64,
}

impl RatioFunction {
    /// Number of encoded columns it is a function of.
    pub fn columns(&self) -> usize {
        let inputs = self.networks.first().map_or(0, Network::inputs);
        // With products there are p + p (p + 1) / 2 inputs.
        if self.products { (0..inputs).find(|p| p + p * (p + 1) / 2 >= inputs).unwrap_or(0) } else { inputs }
    }

    /// The weight of every row of a design matrix made by the training data's encoding.
    pub fn weigh(&self, design: &Matrix) -> Vec<f64> {
        let inputs = Matrix::from_fn(design.rows(), design.columns() - 1, |i, j| design[(i, j + 1)]);
        let inputs = if self.products { with_products(&inputs) } else { inputs };
        let mut sums = vec![0.0; design.rows()];
        for network in &self.networks {
            sums.iter_mut().zip(network.outputs(&inputs)).for_each(|(sum, log_ratio)| *sum += log_ratio);
        }
        let count = self.networks.len().max(1) as f64;
        sums.into_iter().map(|sum| self.factor * weight_of(sum / count, self.limit)).collect()
    }

    pub(super) fn is_whole(&self) -> bool {
        let inputs = self.networks.first().map_or(0, Network::inputs);
        !self.networks.is_empty()
            && self.networks.iter().all(|network| network.is_whole() && network.inputs() == inputs)
    }
}

/// The ratio from its logarithm; one that is not a number tells nothing.
fn weight_of(log_ratio: f64, limit: f64) -> f64 {
    if log_ratio.is_nan() { 1.0 } else { log_ratio.min(limit).exp() }
}

/// Parts of the shuffled sample, each with a block of stable variables drawn anew.
const PARTS: usize = 20;
/// The quadratic classifier's ridge.
const RIDGE: f64 = 1.0;

impl Reweighter for Srdo {
    fn needs_memory(&self) -> Option<&'static str> {
        Some("SRDO")
    }

    fn network(&self) -> Option<&Mlp> {
        match &self.classifier {
            Classifier::Network(network) => Some(network),
            Classifier::Quadratic => None,
        }
    }

    fn reweigh(
        &self,
        data: &dyn RowSource,
        mask: &Mask,
        _start: Option<&WeightFunction>,
        seed: u64,
    ) -> Result<Reweighted> {
        let data = data.memory().ok_or_else(|| Error::NeedsMemory { what: "SRDO".into() })?;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let rows = data.rows();
        let inputs = both_samples(data, mask, &mut random);
        let inputs = match &self.classifier {
            Classifier::Network(_) => inputs,
            Classifier::Quadratic => with_products(&inputs),
        };
        let is_shuffled: Vec<f64> = (0..2 * rows).map(|k| f64::from(k >= rows)).collect();
        let base: Vec<f64> = data.base.iter().chain(&data.base).copied().collect();
        let folds = self.folds.clamp(2, rows);
        // An original row and the shuffled one at its place go together.
        let mut place: Vec<usize> = (0..rows).map(|row| row % folds).collect();
        place.shuffle(&mut random);
        let mlp = match &self.classifier {
            Classifier::Network(mlp) => mlp.clone(),
            Classifier::Quadratic => Mlp {
                hidden: vec![],
                solver: Solver::Lbfgs,
                decay: NonNegative::constant(RIDGE),
                held_out: Fraction::constant(0.0),
                restarts: 1,
                ..Mlp::default()
            },
        };
        let parts: Vec<_> = threads::map(folds, |fold| {
            let learn: Vec<usize> = (0..2 * rows).filter(|k| place[k % rows] != fold).collect();
            let judge: Vec<usize> = (0..rows).filter(|&row| place[row] == fold).collect();
            let pick = |values: &[f64]| learn.iter().map(|&k| values[k]).collect::<Vec<f64>>();
            let learnt = inputs.keep_rows(&learn);
            let (outcomes, weights) = (pick(&is_shuffled), pick(&base));
            let examples = Examples { inputs: &learnt, outcomes: &outcomes, weights: &weights };
            let trained = mlp.train(examples, Loss::Logistic, seed.wrapping_add(1 + fold as u64));
            let log_ratios = trained.network.outputs(&inputs.keep_rows(&judge));
            (judge, log_ratios, trained)
        });
        let limit = self.limit.get().ln();
        let (mut weights, mut cut_off, mut passes, mut stop) = (vec![1.0; rows], 0, 0, StopReason::Converged);
        let mut networks = Vec::new();
        for (judged, log_ratios, trained) in parts {
            for (row, log_ratio) in judged.into_iter().zip(log_ratios) {
                cut_off += usize::from(log_ratio.is_nan() || log_ratio > limit);
                weights[row] = weight_of(log_ratio, limit);
            }
            passes += trained.epochs;
            if trained.stop == StopReason::Stalled {
                stop = trained.stop;
            }
            networks.push(trained.network);
        }
        let total: f64 = data.base.iter().sum();
        let factor = total / dot(&weights, &data.base);
        let products = self.classifier == Classifier::Quadratic;
        Ok(Reweighted {
            weights: SampleWeights::new(weights, &data.base),
            function: Some(WeightFunction::Ratio(RatioFunction { networks, products, limit, factor })),
            truncated: Some(cut_off as f64 / rows as f64),
            reached: None,
            stop,
            passes,
        })
    }
}

/// The original rows, then as many with the variables shuffled apart.
fn both_samples(data: &TrainingData, mask: &Mask, random: &mut ChaCha8Rng) -> Matrix {
    let (rows, width) = (data.rows(), data.columns());
    let mut inputs = Matrix::zeros(2 * rows, width);
    for row in 0..rows {
        inputs.values_mut()[row * width..(row + 1) * width].copy_from_slice(&data.design.row(row)[1..]);
    }
    // One order for the block of stable variables, one for each variable outside it.
    let mut order: Vec<usize> = (0..rows).collect();
    order.shuffle(random);
    let together = order.clone();
    let parts: Vec<Vec<bool>> = (0..PARTS)
        .map(|_| mask.stability().iter().map(|&probability| random.random::<f64>() < probability).collect())
        .collect();
    for (variable, feature) in data.encoding.features.iter().enumerate() {
        order.shuffle(random);
        for row in 0..rows {
            let joins = parts[row * PARTS / rows][variable];
            let source = if joins { together[row] } else { order[row] };
            for &column in &feature.columns {
                inputs[(rows + row, column)] = data.design[(source, column + 1)];
            }
        }
    }
    inputs
}

/// Every column, then all squares and products.
fn with_products(inputs: &Matrix) -> Matrix {
    let width = inputs.columns();
    let pairs: Vec<(usize, usize)> = (0..width).flat_map(|i| (i..width).map(move |j| (i, j))).collect();
    Matrix::from_fn(inputs.rows(), width + pairs.len(), |row, k| {
        if k < width {
            return inputs[(row, k)];
        }
        let (i, j) = pairs[k - width];
        inputs[(row, i)] * inputs[(row, j)] - f64::from(i == j)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Roles;
    use crate::diagnostics::{distance_correlation, weighted_correlations};
    use crate::table::Table;
    use rand_distr::StandardNormal;

    /// b and c follow a, d follows its square, which no correlation shows.
    fn data() -> TrainingData {
        let mut random = ChaCha8Rng::seed_from_u64(6);
        let mut normal = || random.sample::<f64, _>(StandardNormal);
        let rows: Vec<[f64; 5]> = (0..6000)
            .map(|_| {
                let a = normal();
                [a, 0.6 * a + 0.8 * normal(), 0.6 * a + 0.8 * normal(), 0.4 * a * a + 0.8 * normal(), a + normal()]
            })
            .collect();
        let names = ["a", "b", "c", "d", "y"].map(String::from);
        let column = |k: usize| rows.iter().map(|row| row[k]).collect::<Vec<f64>>();
        let table = Table::from_numbers(names.into_iter().enumerate().map(|(k, name)| (name, column(k)))).unwrap();
        TrainingData::prepare(&table, &Roles::target("y")).unwrap()
    }

    #[test]
    fn weights_remove_dependence_that_correlations_see_and_that_they_do_not() {
        let data = data();
        let mask = Mask::all(&data);
        for classifier in [Srdo::default().classifier, Classifier::Quadratic] {
            let quadratic = classifier == Classifier::Quadratic;
            let found = Srdo { classifier, ..Srdo::default() }.reweigh(&data, &mask, None, 3).unwrap();
            let correlation = weighted_correlations(&data, &found.weights).unwrap()[(0, 1)];
            assert!(correlation.abs() < 0.2, "from 0.6 to {correlation}");
            let (before, after) = distance_correlation(&data, &found.weights, &mask).unwrap().unwrap();
            assert!(after < if quadratic { 0.8 } else { 0.6 } * before, "{before} {after}");
            let size = found.weights.effective_sample_size();
            assert!(size > 500.0 && size < 5500.0, "{size}");
            assert!(found.truncated.unwrap() < 0.05);
            // The function agrees with the weights, which come from one of its classifiers each.
            let function = found.function.unwrap();
            assert!(function.is_whole() && function.columns() == 4);
            let again = function.weigh(&data.design);
            let far =
                again.iter().zip(found.weights.values(&data).iter()).map(|(a, b)| (a - b).abs()).sum::<f64>() / 6000.0;
            assert!(far < 0.3, "{far}");
        }
    }

    #[test]
    fn what_is_likely_stable_keeps_its_law() {
        let data = data();
        let found =
            Srdo::default().reweigh(&data, &Mask::from_stability(&data, &[1.0, 1.0, 0.0, 0.0]), None, 3).unwrap();
        let correlations = weighted_correlations(&data, &found.weights).unwrap();
        assert!((correlations[(0, 1)] - 0.6).abs() < 0.1, "{}", correlations[(0, 1)]);
        assert!(correlations[(0, 2)].abs() < 0.2, "{}", correlations[(0, 2)]);
    }

    #[test]
    fn ratios_beyond_the_limit_are_cut_off_and_counted() {
        let data = data();
        let tight = Srdo { limit: Positive::constant(1.5), ..Srdo::default() };
        let found = tight.reweigh(&data, &Mask::all(&data), None, 3).unwrap();
        assert!(found.truncated.unwrap() > 0.05);
        let most = found.weights.values(&data).iter().fold(0.0, |most: f64, weight| most.max(*weight));
        let median = {
            let mut all = found.weights.values(&data).to_vec();
            all.sort_by(f64::total_cmp);
            all[3000]
        };
        assert!(most < 3.0 * median, "{most} {median}");
    }
}
