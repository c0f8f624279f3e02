//! Training a network: Adam on mini-batches, or L-BFGS on all rows, with early stopping.

use super::network::{BATCH, Batch, Loss, Network, Workspace, batches};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::optim::{self, Adam, StopReason};
use crate::parameter::{Fraction, NonNegative, Positive};
use crate::rows::sum_over_rows;
use crate::threads;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// How the weights are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Solver {
    /// Adam for many rows, L-BFGS for few.
    #[default]
    Auto,
    /// Steps on mini-batches: each sees few rows, many are made.
    Adam,
    /// Quasi-Newton steps on all rows: the better minimum, at more passes.
    Lbfgs,
}

/// How a network is built and trained.
///
/// It minimises `sum_k w_k loss(y_k, u(x_k)) / sum_k w_k + decay / 2 |W|^2 / n` over the weights W of
/// `u(x) = W_L relu(... relu(W_1 x + b_1) ...) + b_L`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mlp {
    /// Units of each hidden layer.
    pub hidden: Vec<usize>,
    /// How the weights are found.
    pub solver: Solver,
    /// Adam's first step length.
    pub learning_rate: Positive,
    /// Whether the step length falls to nothing along a cosine, rather than stay as it is.
    pub annealed: bool,
    /// Rows of a mini-batch.
    pub batch: usize,
    /// Most times all rows are seen.
    pub epochs: usize,
    /// Ridge on the weights.
    pub decay: NonNegative,
    /// Share of the rows that early stopping looks at.
    pub held_out: Fraction,
    /// Epochs without a better loss there before it stops.
    pub patience: usize,
    /// Random starts, of which the best is kept.
    pub restarts: usize,
}

impl Default for Mlp {
    fn default() -> Self {
        Self {
            hidden: vec![10],
            solver: Solver::default(),
            learning_rate: Positive::constant(0.01),
            annealed: true,
            batch: 128,
            epochs: 100,
            decay: NonNegative::constant(1e-4),
            held_out: Fraction::constant(0.1),
            patience: 20,
            restarts: 3,
        }
    }
}

/// Up to this many rows [`Solver::Auto`] means L-BFGS.
const FEW_ROWS: usize = 2000;
/// Steps of L-BFGS that count as an epoch.
const STEPS_PER_EPOCH: usize = 10;

/// Rows to learn from.
#[derive(Debug, Clone, Copy)]
pub struct Examples<'a> {
    /// One row of inputs per example.
    pub inputs: &'a Matrix,
    /// One per example; 0 or 1 under logistic loss.
    pub outcomes: &'a [f64],
    /// One per example.
    pub weights: &'a [f64],
}

/// A trained network.
#[derive(Debug, Clone)]
pub struct Trained {
    /// The network.
    pub network: Network,
    /// Mean loss over the rows trained on.
    pub loss: f64,
    /// Mean loss over the rows held out, if any.
    pub held_out_loss: Option<f64>,
    /// Epochs it took, over all restarts.
    pub epochs: usize,
    /// Why it stopped.
    pub stop: StopReason,
}

impl Mlp {
    /// Refuses settings no network can be trained with.
    pub fn check(&self) -> Result<()> {
        let bad = |text: &str| Err(Error::BadRequest(text.to_string()));
        if self.hidden.contains(&0) {
            return bad("a hidden layer needs one unit or more");
        }
        if self.hidden.iter().any(|&units| units > 1 << 16) {
            return bad("a hidden layer can't have more than 65536 units");
        }
        if self.batch == 0 || self.epochs == 0 || self.restarts == 0 || self.patience == 0 {
            return bad("batch, epochs, restarts and patience must be 1 or more");
        }
        if self.held_out.get() >= 1.0 {
            return bad("some rows must be left to train on: hold out a share below 1");
        }
        Ok(())
    }

    /// Trains from random starts and keeps the best.
    pub fn train(&self, examples: Examples<'_>, loss: Loss, seed: u64) -> Trained {
        let start = |number: usize| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(number as u64);
            let network = Network::random(examples.inputs.columns(), &self.hidden, &mut random);
            // The same rows are held out for every start, so that their losses compare.
            self.train_from(network, examples, loss, seed)
        };
        let merit = |trained: &Trained| trained.held_out_loss.unwrap_or(trained.loss);
        let all: Vec<Trained> = threads::map(self.restarts.max(1), start);
        let epochs = all.iter().map(|trained| trained.epochs).sum();
        // The first of those that are equally good; a start that diverged has no loss and is never better.
        let better = |best: Trained, next: Trained| {
            if merit(&next) < merit(&best) || merit(&best).is_nan() { next } else { best }
        };
        let best = all.into_iter().reduce(better).expect("there is one start or more");
        Trained { epochs, ..best }
    }

    /// Trains on from given weights.
    pub fn train_from(&self, network: Network, examples: Examples<'_>, loss: Loss, seed: u64) -> Trained {
        let rows = examples.inputs.rows();
        let mut order: Vec<usize> = (0..rows).collect();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(u64::MAX - 1);
        order.shuffle(&mut random);
        // Fewer than ten rows can't say when to stop.
        let held_out = (rows as f64 * self.held_out.get()).round() as usize;
        let held_out = if held_out < 10 { 0 } else { held_out };
        let check = GatheredRows::new(examples, &order[..held_out]);
        let learn = GatheredRows::new(examples, &order[held_out..]);
        let few = rows <= FEW_ROWS;
        match self.solver {
            Solver::Lbfgs => self.by_lbfgs(network, &learn, &check, loss),
            Solver::Auto if few => self.by_lbfgs(network, &learn, &check, loss),
            _ => self.by_adam(network, &learn, &check, loss, seed),
        }
    }

    /// The ridge per row, as it enters a mean loss.
    fn ridge(&self, learn: &GatheredRows) -> f64 {
        self.decay.get() / learn.outcomes.len() as f64
    }

    fn by_adam(
        &self,
        mut network: Network,
        learn: &GatheredRows,
        check: &GatheredRows,
        loss: Loss,
        seed: u64,
    ) -> Trained {
        let (rows, width) = (learn.outcomes.len(), learn.inputs.columns());
        let batch = self.batch.min(rows);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(u64::MAX);
        let mut order: Vec<usize> = (0..rows).collect();
        let mut workspace = Workspace::new(&network, BATCH);
        let mut gradient = vec![0.0; network.parameters().len()];
        let (mut inputs, mut outcomes, mut weights) = (vec![0.0; batch * width], vec![0.0; batch], vec![0.0; batch]);
        let mut adam = Adam::new(gradient.len());
        let slopes = network.slopes();
        let ridge = self.ridge(learn);
        let mut watch = EarlyStop::new(self.patience);
        let steps_per_epoch = rows.div_ceil(batch);
        let steps = (self.epochs * steps_per_epoch) as f64;
        let mut stop = StopReason::IterationLimit;
        let mut training_loss = f64::NAN;
        let mut epochs = 0;
        while epochs < self.epochs {
            order.shuffle(&mut random);
            training_loss = 0.0;
            for (number, picked) in order.chunks(batch).enumerate() {
                for (k, &row) in picked.iter().enumerate() {
                    inputs[k * width..(k + 1) * width].copy_from_slice(learn.inputs.row(row));
                    outcomes[k] = learn.outcomes[row];
                    weights[k] = learn.weights[row] / picked.len() as f64;
                }
                gradient.fill(0.0);
                let count = picked.len();
                for part in batches(0..count) {
                    let part = Batch {
                        rows: &inputs[part.start * width..part.end * width],
                        outcomes: &outcomes[part.clone()],
                        weights: &weights[part],
                    };
                    let loss = workspace.loss_and_gradient(&network, loss, part, &mut gradient, None);
                    training_loss += loss * count as f64;
                }
                if ridge > 0.0 {
                    for range in &slopes {
                        let values = &network.parameters()[range.clone()];
                        gradient[range.clone()]
                            .iter_mut()
                            .zip(values)
                            .for_each(|(slope, value)| *slope += ridge * value);
                    }
                }
                let done = (epochs * steps_per_epoch + number) as f64 / steps;
                let anneal = if self.annealed { 0.5 * (1.0 + (std::f64::consts::PI * done).cos()) } else { 1.0 };
                adam.step(network.parameters_mut(), &gradient, self.learning_rate.get() * anneal);
            }
            training_loss /= rows as f64;
            epochs += 1;
            if !training_loss.is_finite() {
                stop = StopReason::Stalled;
                break;
            }
            if check.is_empty() {
                continue;
            }
            if watch.sees(check.mean_loss(&network, loss), &network) {
                stop = StopReason::Converged;
                break;
            }
        }
        let (network, held_out_loss) = watch.best(network);
        if self.annealed && stop == StopReason::IterationLimit {
            // The step length has fallen to nothing: there is nothing left to wait for.
            stop = StopReason::Converged;
        }
        Trained { network, loss: training_loss, held_out_loss, epochs, stop }
    }

    fn by_lbfgs(&self, network: Network, learn: &GatheredRows, check: &GatheredRows, loss: Loss) -> Trained {
        let ridge = self.ridge(learn);
        let slopes = network.slopes();
        let start = network.parameters().to_vec();
        let mut watch = EarlyStop::new(self.patience);
        let mut trial = network.clone();
        let mut looked_at = network;
        let minimum = optim::minimise_watched(
            |point, gradient| {
                trial.parameters_mut().copy_from_slice(point);
                learn.mean_loss_and_gradient(&trial, loss, ridge, &slopes, gradient)
            },
            start,
            optim::Limits { gradient_tolerance: 1e-6, max_iterations: self.epochs * STEPS_PER_EPOCH, memory: 20 },
            |iteration, point| {
                if check.is_empty() || iteration % STEPS_PER_EPOCH != 0 {
                    return false;
                }
                looked_at.parameters_mut().copy_from_slice(point);
                watch.sees(check.mean_loss(&looked_at, loss), &looked_at)
            },
        );
        trial.parameters_mut().copy_from_slice(&minimum.point);
        if !check.is_empty() {
            watch.sees(check.mean_loss(&trial, loss), &trial);
        }
        let (network, held_out_loss) = watch.best(trial);
        let epochs = minimum.iterations.div_ceil(STEPS_PER_EPOCH);
        Trained { network, loss: minimum.value, held_out_loss, epochs, stop: minimum.stop }
    }
}

/// Rows put side by side in the order they are used.
struct GatheredRows {
    inputs: Matrix,
    outcomes: Vec<f64>,
    /// Mean 1.
    weights: Vec<f64>,
}

impl GatheredRows {
    fn new(examples: Examples<'_>, rows: &[usize]) -> Self {
        let total: f64 = rows.iter().map(|&row| examples.weights[row]).sum();
        let factor = if total > 0.0 { rows.len() as f64 / total } else { 1.0 };
        Self {
            inputs: examples.inputs.keep_rows(rows),
            outcomes: rows.iter().map(|&row| examples.outcomes[row]).collect(),
            weights: rows.iter().map(|&row| factor * examples.weights[row]).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    fn mean_loss(&self, network: &Network, loss: Loss) -> f64 {
        let outputs = network.outputs(&self.inputs);
        let losses = outputs.iter().zip(&self.outcomes).zip(&self.weights).map(|((u, y), w)| w * loss.value(*u, *y));
        losses.sum::<f64>() / self.outcomes.len() as f64
    }

    fn mean_loss_and_gradient(
        &self,
        network: &Network,
        loss: Loss,
        ridge: f64,
        slopes: &[std::ops::Range<usize>],
        gradient: &mut [f64],
    ) -> f64 {
        let (rows, width, size) = (self.outcomes.len(), self.inputs.columns(), gradient.len());
        let sums = sum_over_rows(rows, size + 1, |block, sums| {
            let mut workspace = Workspace::new(network, BATCH);
            let (gradient, value) = sums.split_at_mut(size);
            for tile in batches(block) {
                let part = Batch {
                    rows: &self.inputs.values()[tile.start * width..tile.end * width],
                    outcomes: &self.outcomes[tile.clone()],
                    weights: &self.weights[tile],
                };
                value[0] += workspace.loss_and_gradient(network, loss, part, gradient, None);
            }
        });
        gradient.iter_mut().zip(&sums).for_each(|(slope, sum)| *slope = sum / rows as f64);
        let mut value = sums[size] / rows as f64;
        for range in slopes {
            for k in range.clone() {
                let parameter = network.parameters()[k];
                gradient[k] += ridge * parameter;
                value += 0.5 * ridge * parameter * parameter;
            }
        }
        value
    }
}

/// Remembers the best network by its loss on held-out rows, and says when there has been none better for long.
struct EarlyStop {
    patience: usize,
    waited: usize,
    best: Option<(f64, Network)>,
}

impl EarlyStop {
    fn new(patience: usize) -> Self {
        Self { patience, waited: 0, best: None }
    }

    /// Whether to stop.
    fn sees(&mut self, loss: f64, network: &Network) -> bool {
        match &mut self.best {
            Some((least, kept)) if loss < *least => {
                *least = loss;
                kept.parameters_mut().copy_from_slice(network.parameters());
                self.waited = 0;
            }
            Some(_) => self.waited += 1,
            None if loss.is_finite() => self.best = Some((loss, network.clone())),
            None => self.waited += 1,
        }
        self.waited >= self.patience
    }

    /// The best network seen, else the last.
    fn best(self, last: Network) -> (Network, Option<f64>) {
        match self.best {
            Some((loss, network)) => (network, Some(loss)),
            None => (last, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// y = |x_1| - x_2 with little noise; classes by the sign of |x_1| - 1/2.
    fn bent(rows: usize) -> (Matrix, Vec<f64>, Vec<f64>) {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let inputs = Matrix::from_fn(rows, 3, |_, _| 3.0 * random.random::<f64>() - 1.5);
        let outcomes =
            (0..rows).map(|row| inputs[(row, 0)].abs() - inputs[(row, 1)] + 0.05 * random.random::<f64>()).collect();
        let classes = (0..rows).map(|row| f64::from(inputs[(row, 0)].abs() > 0.5)).collect();
        (inputs, outcomes, classes)
    }

    #[test]
    fn both_solvers_learn_a_bend() {
        let (inputs, outcomes, classes) = bent(3000);
        let weights = vec![1.0; 3000];
        for solver in [Solver::Adam, Solver::Lbfgs] {
            let mlp = Mlp { solver, restarts: 2, ..Mlp::default() };
            let trained =
                mlp.train(Examples { inputs: &inputs, outcomes: &outcomes, weights: &weights }, Loss::Squared, 3);
            // The noise alone leaves 0.05^2 / 24 of half squared error; a linear model leaves 0.09.
            assert!(trained.held_out_loss.unwrap() < 1e-3, "{solver:?}: {trained:?}");
            let trained =
                mlp.train(Examples { inputs: &inputs, outcomes: &classes, weights: &weights }, Loss::Logistic, 3);
            let outputs = trained.network.outputs(&inputs);
            let wrong = outputs.iter().zip(&classes).filter(|(u, y)| (**u > 0.0) != (**y > 0.5)).count();
            assert!(wrong < 60, "{solver:?}: {wrong} of 3000 wrong");
        }
    }

    #[test]
    fn a_row_without_weight_teaches_nothing_and_weight_two_counts_twice() {
        let (inputs, outcomes, _) = bent(400);
        let weights: Vec<f64> = (0..400).map(|row| f64::from(row < 200)).collect();
        let spoilt: Vec<f64> = outcomes.iter().enumerate().map(|(row, y)| if row < 200 { *y } else { 1e3 }).collect();
        let mlp = Mlp { held_out: Fraction::constant(0.0), restarts: 1, epochs: 20, ..Mlp::default() };
        let train = |outcomes: &[f64], weights: &[f64]| {
            mlp.train(Examples { inputs: &inputs, outcomes, weights }, Loss::Squared, 5).network
        };
        assert_eq!(train(&outcomes, &weights), train(&spoilt, &weights));
        let doubled: Vec<f64> = weights.iter().map(|weight| 2.0 * weight).collect();
        assert_eq!(train(&outcomes, &weights), train(&outcomes, &doubled));
    }

    #[test]
    fn the_seed_decides_and_early_stopping_stops() {
        let (inputs, _, _) = bent(2500);
        // Nothing can be learnt from noise, so that the held-out loss soon stops falling.
        let mut random = ChaCha8Rng::seed_from_u64(9);
        let noise: Vec<f64> = (0..2500).map(|_| random.random::<f64>()).collect();
        let weights = vec![1.0; 2500];
        let mlp = Mlp { annealed: false, patience: 5, restarts: 1, ..Mlp::default() };
        let examples = Examples { inputs: &inputs, outcomes: &noise, weights: &weights };
        let [first, again, other] = [1, 1, 2].map(|seed| mlp.train(examples, Loss::Squared, seed));
        assert_eq!(first.network, again.network);
        assert_ne!(first.network, other.network);
        assert!(first.epochs < 60 && first.stop == StopReason::Converged, "{} {:?}", first.epochs, first.stop);
    }

    #[test]
    fn impossible_settings_are_refused() {
        for mlp in [
            Mlp { hidden: vec![4, 0], ..Mlp::default() },
            Mlp { batch: 0, ..Mlp::default() },
            Mlp { restarts: 0, ..Mlp::default() },
            Mlp { held_out: Fraction::constant(1.0), ..Mlp::default() },
        ] {
            assert!(mlp.check().is_err(), "{mlp:?}");
        }
        assert!(Mlp::default().check().is_ok());
    }
}
