//! Gates on the inputs of a network (STG, Yamada et al. 2020).
//!
//! Every row draws its own gates `m = clip(mu + sigma e, 0, 1)`; the network sees `m z` and both learn from
//!
//! ```text
//! mean_k w_k loss(y_k, u(m_k z_k)) + lambda sum_g Phi(mu_g / sigma)
//! ```
//!
//! on mini-batches. First the network learns alone, behind gates that stay half open; then network and gates learn together,
//! once for every lambda of a path. They always begin half open: a gate that has drifted wide open no longer feels the
//! penalty, since Phi is flat there, and would stay open whatever it costs. The path is judged on rows left aside: the
//! highest lambda that predicts them as well as the best one, up to chance, is chosen.

use super::law::gate_moments;
use super::linear::GatedFit;
use crate::design::TrainingData;
use crate::linalg::Matrix;
use crate::models::{BATCH, Batch, Loss, Mlp, Network, Workspace, batches, loss_and_outcomes};
use crate::optim::{Adam, StopReason};
use crate::parameter::{NonNegative, Positive};
use crate::threads;
use crate::weights::SampleWeights;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Stochastic gates for a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NetworkGates {
    /// Noise of the gates.
    pub sigma: Positive,
    /// Lambda as a share of the loss of the mean alone; `None` chooses it.
    pub penalty: Option<NonNegative>,
    /// The network behind the gates; its epochs are those of one step of the path.
    pub network: Mlp,
}

impl Default for NetworkGates {
    fn default() -> Self {
        let learning_rate = Positive::constant(0.003);
        let network = Mlp { hidden: vec![64], learning_rate, epochs: 15, ..Mlp::default() };
        Self { sigma: Positive::constant(0.5), penalty: None, network }
    }
}

/// Shares of the loss of the mean alone that the path of lambda visits.
const PATH: [f64; 8] = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16];
/// Where gates start: half open, so that they have a slope.
const START: f64 = 0.5;
/// Gates move this much faster than weights: they have further to go.
const GATE_SPEED: f64 = 3.0;
/// Steps at least at every lambda, which few rows reach by more epochs.
const LEAST_STEPS: usize = 1500;
/// One row in this many is left aside to judge the path.
const ASIDE: usize = 5;

/// Gates, and how they hang on lambda.
#[derive(Debug, Clone)]
pub struct GatedPath {
    /// At the lambda chosen; its coefficients are root mean squared slopes of the network.
    pub fit: GatedFit,
    /// (share of the loss of the mean alone, open probabilities) for every lambda visited.
    pub path: Vec<(f64, Vec<f64>)>,
}

/// What the search for gates moves.
#[derive(Clone)]
struct State {
    network: Network,
    centres: Vec<f64>,
}

impl NetworkGates {
    /// Gates for the data's outcome under these weights.
    pub fn fit(&self, data: &TrainingData, weights: &SampleWeights, seed: u64) -> GatedPath {
        let rows = GateRows::new(data, weights, seed);
        let shares: Vec<f64> = match self.penalty {
            Some(share) => vec![share.get()],
            None => PATH.to_vec(),
        };
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let network = Network::random(data.columns(), &self.network.hidden, &mut random);
        let mut start = State { network, centres: vec![START; data.encoding.features.len()] };
        self.train(&rows, &mut start, None, &mut random);
        let visited: Vec<(f64, State, Vec<f64>)> = threads::map(shares.len(), |step| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(2 + step as u64);
            let mut state = start.clone();
            self.train(&rows, &mut state, Some(shares[step] * rows.mean_loss), &mut random);
            let losses = rows.losses_aside(&state);
            (shares[step], state, losses)
        });
        let chosen = choose(&visited, &rows.weights_aside);
        let open = |state: &State| -> Vec<f64> {
            state.centres.iter().map(|&centre| gate_moments(centre, self.sigma.get()).open).collect()
        };
        let path = visited.iter().map(|(share, state, _)| (*share, open(state))).collect();
        let (share, state, losses) = &visited[chosen];
        let moments: Vec<f64> =
            state.centres.iter().map(|&centre| gate_moments(centre, self.sigma.get()).mean).collect();
        let finite = state.network.parameters().iter().all(|value| value.is_finite());
        let fit = GatedFit {
            open_probability: open(state),
            mean_gate: moments,
            coefficients: rows.slopes(state),
            loss: weighted_mean(losses, &rows.weights_aside) / rows.mean_loss,
            penalties: vec![*share; state.centres.len()],
            iterations: self.epochs(rows.learn.len()) * (visited.len() + 1),
            stop: if finite { StopReason::Converged } else { StopReason::Stalled },
        };
        GatedPath { fit, path }
    }

    fn epochs(&self, rows: usize) -> usize {
        self.network.epochs.max((LEAST_STEPS * self.network.batch).div_ceil(rows.max(1)))
    }

    /// Trains network and gates at one lambda; without one, the network alone.
    fn train(&self, rows: &GateRows<'_>, state: &mut State, penalty: Option<f64>, random: &mut ChaCha8Rng) {
        let (sigma, width) = (self.sigma.get(), rows.width);
        let mut order = rows.learn.clone();
        let size = self.network.batch.min(order.len());
        let mut workspace = Workspace::new(&state.network, BATCH);
        let mut gradient = vec![0.0; state.network.parameters().len()];
        let mut gate_gradient = vec![0.0; state.centres.len()];
        let mut adam = (Adam::new(gradient.len()), Adam::new(gate_gradient.len()));
        let (mut gated, mut slopes) = (vec![0.0; BATCH * width], vec![0.0; BATCH * width]);
        // Where a gate lies strictly between closed and open its centre has a slope: the ungated value, else 0.
        let mut passing = vec![0.0; BATCH * width];
        let mut gates = vec![0.0; state.centres.len()];
        let (mut outcomes, mut weights) = (vec![0.0; BATCH], vec![0.0; BATCH]);
        let epochs = self.epochs(order.len());
        let steps_per_epoch = order.len().div_ceil(size);
        for epoch in 0..epochs {
            order.shuffle(random);
            for (number, picked) in order.chunks(size).enumerate() {
                gradient.fill(0.0);
                gate_gradient.fill(0.0);
                for part in batches(0..picked.len()) {
                    let picked_part = &picked[part];
                    for (k, &row) in picked_part.iter().enumerate() {
                        for (gate, centre) in gates.iter_mut().zip(&state.centres) {
                            *gate = centre + sigma * random.sample::<f64, _>(StandardNormal);
                        }
                        for (c, &value) in rows.data.design.row(row)[1..].iter().enumerate() {
                            let gate = gates[rows.groups[c]];
                            gated[k * width + c] = gate.clamp(0.0, 1.0) * value;
                            passing[k * width + c] = if gate > 0.0 && gate < 1.0 { value } else { 0.0 };
                        }
                        outcomes[k] = rows.outcomes[row];
                        weights[k] = rows.weights[row] / picked.len() as f64;
                    }
                    let count = picked_part.len();
                    let batch = Batch {
                        rows: &gated[..count * width],
                        outcomes: &outcomes[..count],
                        weights: &weights[..count],
                    };
                    let slopes = &mut slopes[..count * width];
                    workspace.loss_and_gradient(&state.network, rows.loss, batch, &mut gradient, Some(slopes));
                    for (slopes, passing) in slopes.chunks_exact(width).zip(passing.chunks_exact(width)) {
                        for (c, (slope, value)) in slopes.iter().zip(passing).enumerate() {
                            gate_gradient[rows.groups[c]] += slope * value;
                        }
                    }
                }
                let done = (epoch * steps_per_epoch + number) as f64 / (epochs * steps_per_epoch) as f64;
                let rate = self.network.learning_rate.get() * 0.5 * (1.0 + (PI * done).cos());
                adam.0.step(state.network.parameters_mut(), &gradient, rate);
                if let Some(penalty) = penalty {
                    for (slope, centre) in gate_gradient.iter_mut().zip(&state.centres) {
                        let at = centre / sigma;
                        *slope += penalty * (-0.5 * at * at).exp() / (sigma * (2.0 * PI).sqrt());
                    }
                    adam.1.step(&mut state.centres, &gate_gradient, GATE_SPEED * rate);
                }
            }
        }
    }
}

/// The last of the path that is as good as the best on the rows left aside, up to one standard error of the difference.
fn choose(visited: &[(f64, State, Vec<f64>)], weights: &[f64]) -> usize {
    let means: Vec<f64> = visited.iter().map(|(_, _, losses)| weighted_mean(losses, weights)).collect();
    let best = (0..means.len()).fold(0, |best, k| if means[k] < means[best] { k } else { best });
    let total: f64 = weights.iter().sum();
    let as_good = |k: usize| {
        let worse = means[k] - means[best];
        let spread: f64 = (0..weights.len())
            .map(|row| (weights[row] * (visited[k].2[row] - visited[best].2[row] - worse)).powi(2))
            .sum();
        worse <= spread.sqrt() / total
    };
    (best..means.len()).rev().find(|&k| as_good(k)).unwrap_or(best)
}

fn weighted_mean(values: &[f64], weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    values.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>() / total
}

/// The rows, some of them left aside.
struct GateRows<'a> {
    data: &'a TrainingData,
    loss: Loss,
    /// One per row of the data.
    outcomes: Vec<f64>,
    /// One per row of the data, mean 1.
    weights: Vec<f64>,
    learn: Vec<usize>,
    aside: Vec<usize>,
    weights_aside: Vec<f64>,
    /// The variable of every encoded column.
    groups: Vec<usize>,
    width: usize,
    /// The loss when nothing but the mean is known.
    mean_loss: f64,
}

impl<'a> GateRows<'a> {
    fn new(data: &'a TrainingData, weights: &SampleWeights, seed: u64) -> Self {
        let (loss, outcomes) = loss_and_outcomes(data);
        let weights = weights.with_base(data);
        let mean = weighted_mean(&outcomes, &weights);
        let constant = match loss {
            Loss::Squared => mean,
            Loss::Logistic => (mean / (1.0 - mean)).ln(),
        };
        let total: f64 = weights.iter().sum();
        let mean_loss =
            outcomes.iter().zip(weights.iter()).map(|(y, weight)| weight * loss.value(constant, *y)).sum::<f64>()
                / total;
        let factor = weights.len() as f64 / total;
        let weights: Vec<f64> = weights.iter().map(|weight| factor * weight).collect();
        let mut order: Vec<usize> = (0..data.rows()).collect();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(1);
        order.shuffle(&mut random);
        let learn = order.split_off(order.len() / ASIDE);
        let weights_aside = order.iter().map(|&row| weights[row]).collect();
        let groups = data.encoding.groups();
        let width = groups.len();
        Self { data, loss, outcomes, weights, learn, aside: order, weights_aside, groups, width, mean_loss }
    }

    fn gated(&self, state: &State, rows: &[usize]) -> Matrix {
        Matrix::from_fn(rows.len(), self.width, |i, c| {
            state.centres[self.groups[c]].clamp(0.0, 1.0) * self.data.design[(rows[i], c + 1)]
        })
    }

    /// Losses on the rows left aside, without the gates' noise.
    fn losses_aside(&self, state: &State) -> Vec<f64> {
        let outputs = state.network.outputs(&self.gated(state, &self.aside));
        outputs.iter().zip(&self.aside).map(|(output, &row)| self.loss.value(*output, self.outcomes[row])).collect()
    }

    /// Per column the root mean squared slope of the output in it, through its gate.
    fn slopes(&self, state: &State) -> Vec<f64> {
        let slopes = state.network.squared_slopes(&self.gated(state, &self.aside));
        let gate = |c: usize| state.centres[self.groups[c]].clamp(0.0, 1.0);
        slopes.iter().enumerate().map(|(c, square)| square.sqrt() * gate(c)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Roles;
    use crate::table::Table;

    /// y = x_1^2 + |x_2| with noise, or 1 where that is large; four other columns mean nothing.
    fn data(binary: bool) -> TrainingData {
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let columns: Vec<Vec<f64>> =
            (0..6).map(|_| (0..3000).map(|_| random.sample(StandardNormal)).collect()).collect();
        let outcome = (0..3000).map(|row| {
            let signal = columns[0][row] * columns[0][row] + 2.0 * columns[1][row].abs();
            let noisy = signal + 0.3 * random.sample::<f64, _>(StandardNormal);
            if binary { f64::from(noisy > 2.0) } else { noisy }
        });
        let outcome = outcome.collect();
        let names = (1..=6).map(|k| format!("x{k}")).chain(["y".to_string()]);
        let table = Table::from_numbers(names.zip(columns.into_iter().chain([outcome]))).unwrap();
        TrainingData::prepare(&table, &Roles::target("y")).unwrap()
    }

    #[test]
    fn gates_of_variables_without_effect_close_whatever_the_shape_of_the_others() {
        for binary in [false, true] {
            let data = data(binary);
            let found = NetworkGates::default().fit(&data, &SampleWeights::uniform(data.total_weight()), 1);
            let open = &found.fit.open_probability;
            assert!(open[..2].iter().all(|p| *p > 0.9) && open[2..].iter().all(|p| *p < 0.4), "{binary}: {open:?}");
            assert_eq!(found.path.len(), PATH.len());
            // Along the path gates only close, give or take the noise of training.
            let opened: Vec<f64> = found.path.iter().map(|(_, open)| open.iter().sum()).collect();
            assert!(opened[0] > opened[opened.len() - 1]);
            assert!(found.fit.coefficients[..2].iter().all(|slope| *slope > 0.1));
        }
    }

    #[test]
    fn a_given_penalty_is_used_as_it_is() {
        let data = data(false);
        let closed = NetworkGates { penalty: Some(NonNegative::constant(10.0)), ..NetworkGates::default() };
        let found = closed.fit(&data, &SampleWeights::uniform(data.total_weight()), 1);
        assert!(found.fit.open_probability.iter().all(|p| *p < 0.1), "{:?}", found.fit.open_probability);
        assert_eq!(found.path.len(), 1);
    }
}
