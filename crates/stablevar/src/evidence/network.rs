//! Evidence by dropping: how much worse does a network predict unseen rows once it must do without the variable?
//!
//! A wide network learns E[Y | X] from most of the rows, then unlearns one variable: its inputs are taken away and
//! training goes on as long again, as it does for the whole network. On the rows left aside the difference of the two
//! losses, row by row, is the statistic. Unlike a slope it sees effects of any shape, and unlike a product of two
//! residuals it is not misled when both regressions miss the same bend: a variable that merely follows f(S) helps only
//! as far as the network falls short of f.

use super::judge::{chi_squared_tail, probability};
use super::{Evidence, VariableEvidence};
use crate::design::TrainingData;
use crate::linalg::Matrix;
use crate::models::{Examples, Loss, Mlp, Network, Solver, loss_and_outcomes};
use crate::parameter::{Fraction, Positive};
use crate::threads;

/// Units of the hidden layer: many more than a refit has, so that little is left for followers to explain.
const UNITS: usize = 64;
/// Times all rows are seen before the variable is taken away, and again after.
const EPOCHS: usize = 60;
/// Steps at least in each of the two stages, which few rows reach by more epochs.
const LEAST_STEPS: usize = 3000;
const BATCH: usize = 128;
/// A loss that rises by less than this share says nothing: as much may be lost or won by chance in training.
const NEGLIGIBLE_SHARE: f64 = 0.002;

/// What the judgements of all variables share.
pub(super) struct NetworkPlan {
    /// Positions in the training data.
    rows: Vec<usize>,
    folds: Vec<Fold>,
    loss: Loss,
    /// One per row of the training data.
    outcomes: Vec<f64>,
}

/// One part of the rows left aside, and what was learnt from the others.
struct Fold {
    learn: Vec<usize>,
    aside: Vec<usize>,
    /// After the first stage: where the networks without a variable start from.
    start: Network,
    /// Losses on the rows aside after the second stage.
    losses: Vec<f64>,
}

impl NetworkPlan {
    pub(super) fn new(data: &TrainingData, settings: &Evidence, rows: &[usize]) -> Self {
        let (loss, outcomes) = loss_and_outcomes(data);
        let mut plan = Self { rows: rows.to_vec(), folds: Vec::new(), loss, outcomes };
        let count = settings.folds.clamp(2, rows.len());
        let all: Vec<usize> = (0..data.columns()).collect();
        let fold_of = data.folds(rows, count);
        let folds = threads::map(count, |fold| {
            let (aside, learn): (Vec<_>, Vec<_>) = (0..rows.len()).partition(|&k| fold_of[rows[k]] == fold);
            let [aside, learn] = [aside, learn].map(|part| part.into_iter().map(|k| rows[k]).collect::<Vec<_>>());
            let start = plan.train(data, &learn, &all, None, fold);
            let losses = plan.losses(data, &learn, &aside, &all, &start, fold);
            Fold { learn, aside, start, losses }
        });
        plan.folds = folds;
        plan
    }

    fn settings(rows: usize) -> Mlp {
        Mlp {
            hidden: vec![UNITS],
            solver: Solver::Adam,
            learning_rate: Positive::constant(0.005),
            batch: BATCH,
            epochs: EPOCHS.max(LEAST_STEPS.div_ceil(rows.div_ceil(BATCH).max(1))),
            held_out: Fraction::constant(0.1),
            patience: usize::MAX,
            restarts: 1,
            ..Mlp::default()
        }
    }

    /// A network on some columns, from a random start or from given weights.
    fn train(
        &self,
        data: &TrainingData,
        rows: &[usize],
        columns: &[usize],
        start: Option<Network>,
        fold: usize,
    ) -> Network {
        let inputs = gathered(data, rows, columns);
        let pick = |values: &[f64]| rows.iter().map(|&row| values[row]).collect::<Vec<f64>>();
        let (outcomes, weights) = (pick(&self.outcomes), pick(&data.base));
        let examples = Examples { inputs: &inputs, outcomes: &outcomes, weights: &weights };
        let (mlp, seed) = (Self::settings(rows.len()), fold as u64);
        match start {
            None => mlp.train(examples, self.loss, seed).network,
            Some(network) => mlp.train_from(network, examples, self.loss, seed).network,
        }
    }

    /// Losses on the rows aside after the second stage of training, on these columns alone.
    fn losses(
        &self,
        data: &TrainingData,
        learn: &[usize],
        aside: &[usize],
        columns: &[usize],
        start: &Network,
        fold: usize,
    ) -> Vec<f64> {
        let network = self.train(data, learn, columns, Some(start.with_inputs(columns)), fold);
        let outputs = network.outputs(&gathered(data, aside, columns));
        outputs.iter().zip(aside).map(|(output, &row)| self.loss.value(*output, self.outcomes[row])).collect()
    }
}

fn gathered(data: &TrainingData, rows: &[usize], columns: &[usize]) -> Matrix {
    Matrix::from_fn(rows.len(), columns.len(), |i, j| data.design[(rows[i], columns[j] + 1)])
}

pub(super) fn judge_variable(
    data: &TrainingData,
    settings: &Evidence,
    plan: &NetworkPlan,
    variable: usize,
    others: &[usize],
) -> VariableEvidence {
    let own = &data.encoding.features[variable].columns;
    let with_own: Vec<usize> =
        (0..data.columns()).filter(|column| others.contains(column) || own.contains(column)).collect();
    // Near copies are left out on both sides of the comparison.
    let has_copies = with_own.len() < data.columns();
    let (mut weights, mut with, mut without) = (Vec::new(), Vec::new(), Vec::new());
    for (number, fold) in plan.folds.iter().enumerate() {
        let losses = |columns: &[usize]| plan.losses(data, &fold.learn, &fold.aside, columns, &fold.start, number);
        weights.extend(fold.aside.iter().map(|&row| data.base[row]));
        without.extend(losses(others));
        if has_copies { with.extend(losses(&with_own)) } else { with.extend_from_slice(&fold.losses) }
    }
    debug_assert_eq!(weights.len(), plan.rows.len());
    let total: f64 = weights.iter().sum();
    let mean =
        |value: &dyn Fn(usize) -> f64| weights.iter().enumerate().map(|(k, w)| w * value(k)).sum::<f64>() / total;
    let (loss_without, loss_with) = (mean(&|k| without[k]), mean(&|k| with[k]));
    let rise = loss_without - loss_with;
    let spread = mean(&|k| (without[k] - with[k] - rise).powi(2));
    let standard_error = (spread / total).sqrt();
    let t = |rise: f64| if standard_error > 0.0 { rise / standard_error } else { 0.0 };
    let beyond = t(rise - NEGLIGIBLE_SHARE * loss_with).max(0.0);
    let tail = 0.5 * chi_squared_tail(beyond * beyond, 1);
    VariableEvidence {
        t: t(rise),
        p_value: if beyond > 0.0 { tail } else { 1.0 - tail },
        effect_size: if loss_without > 0.0 { (rise.max(0.0) / loss_without).sqrt() } else { 0.0 },
        probability: probability(beyond * beyond, total, settings),
        effective_sample_size: total,
        ..VariableEvidence::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Source, gather};
    use super::*;
    use crate::design::Roles;
    use crate::table::Table;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use rand_distr::StandardNormal;
    use std::ops::ControlFlow;

    fn judged(columns: &[Vec<f64>], outcome: Vec<f64>) -> Vec<VariableEvidence> {
        let names = (1..=columns.len()).map(|k| format!("x{k}")).chain(["y".to_string()]);
        let table = Table::from_numbers(names.zip(columns.iter().cloned().chain([outcome]))).unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        let settings = Evidence { source: Source::Network, ..Evidence::default() };
        gather(&data, &settings, None, &|| ControlFlow::Continue(())).unwrap().variables
    }

    fn columns(count: usize, rows: usize, random: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        (0..count).map(|_| (0..rows).map(|_| random.sample(StandardNormal)).collect()).collect()
    }

    #[test]
    fn effects_without_a_slope_are_seen_and_followers_are_not() {
        let mut random = ChaCha8Rng::seed_from_u64(8);
        let mut x = columns(4, 2000, &mut random);
        let signal: Vec<f64> = (0..2000).map(|row| x[0][row].powi(2) + x[1][row].abs()).collect();
        // The third column follows the outcome's signal without a part in it; the fourth means nothing.
        for row in 0..2000 {
            x[2][row] = 0.5 * signal[row] + 0.8 * x[2][row];
        }
        let noise = columns(1, 2000, &mut random).remove(0);
        let outcome: Vec<f64> = signal.iter().zip(&noise).map(|(f, e)| f + 0.5 * e).collect();
        let found = judged(&x, outcome);
        let probability: Vec<f64> = found.iter().map(|variable| variable.probability).collect();
        assert!(probability[..2].iter().all(|p| *p > 0.99), "{probability:?}");
        assert!(probability[2..].iter().all(|p| *p < 0.1), "{probability:?}");
        assert!(found[0].effect_size > 0.5 && found[3].effect_size < 0.1);
    }

    #[test]
    fn two_classes_work_the_same_way() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let x = columns(3, 3000, &mut random);
        let outcome = (0..3000)
            .map(|row| f64::from(2.0 * x[0][row].abs() - 1.5 > random.sample::<f64, _>(StandardNormal)))
            .collect();
        let found = judged(&x, outcome);
        assert!(found[0].probability > 0.99, "{found:?}");
        assert!(found[1..].iter().all(|variable| variable.probability < 0.1), "{found:?}");
    }
}
