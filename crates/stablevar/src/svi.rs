//! Algorithm 1: Sparse Variable Independence.

use crate::design::TrainingData;
use crate::diagnostics::{correlation_from_covariance, remaining_correlation, weighted_correlations};
use crate::evidence::Evidence;
use crate::gates::{GatedFit, LinearGates, WeightedProblem};
use crate::linalg::Matrix;
use crate::optim::StopReason;
use crate::parameter::{Fraction, Positive};
use crate::weights::{Mask, Reweighted, Reweighter, SampleWeights};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// The loop's parameters; the reweighter and the gates have their own.
///
/// | Name | Default | Purpose | Range |
/// |---|---|---|---|
/// | `loops` | 10 | most loops (T); 1 is SVI^d | >= 1 |
/// | `moving_average` | 3 | loops the soft mask is averaged over (T_m) | >= 1 |
/// | `threshold` | 0.5 | opening probability from which a variable counts as stable (gamma) | [0, 1] |
/// | `settled` | 0.01 | stop when no variable's averaged gate moves more than this | > 0 |
/// | `gates` | [`LinearGates::default`] | the backend | |
/// | `evidence` | none | judge variables by their own evidence instead of by their gates | |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Svi {
    /// Most loops.
    pub loops: usize,
    /// Loops the soft mask is averaged over.
    pub moving_average: usize,
    /// Opening probability from which a variable counts as stable.
    pub threshold: Fraction,
    /// Stop when no variable's averaged gate moves more than this.
    pub settled: Positive,
    /// The backend.
    pub gates: LinearGates,
    /// Judge variables by their own evidence instead of by their gates.
    pub evidence: Option<Evidence>,
}

impl Default for Svi {
    fn default() -> Self {
        Self {
            loops: 10,
            moving_average: 3,
            threshold: Fraction::constant(0.5),
            settled: Positive::constant(0.01),
            gates: LinearGates::default(),
            evidence: None,
        }
    }
}

/// What one loop found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Loop {
    /// The gates under this loop's weights.
    pub gates: GatedFit,
    /// Effective sample size of this loop's weights.
    pub effective_sample_size: f64,
    /// Weighted correlations of the encoded columns.
    pub correlations: Matrix,
    /// Largest of them among the pairs that were to be decorrelated.
    pub remaining_correlation: f64,
    /// Passes over the rows that the weights took.
    pub passes: usize,
    /// Why the search for weights stopped.
    pub reweighting: StopReason,
    /// Largest change of an averaged gate since the loop before.
    pub change: f64,
}

/// Why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopStop {
    /// The mask no longer changes.
    Settled,
    /// As many loops as allowed.
    LoopLimit,
    /// The caller asked for it.
    Interrupted,
}

/// The outcome of the loop.
#[derive(Debug, Clone)]
pub struct SviOutcome {
    /// Positions of the selected variables.
    pub selected: Vec<usize>,
    /// The last loop's weights.
    pub reweighted: Reweighted,
    /// What they were to decorrelate.
    pub mask: Mask,
    /// What the gates saw in the last loop.
    pub problem: WeightedProblem,
    /// Correlations before any weighting.
    pub initial_correlations: Matrix,
    /// Every loop.
    pub history: Vec<Loop>,
    /// Why it ended.
    pub stop: LoopStop,
}

/// Runs Algorithm 1. `watch` sees every loop as it ends and may stop the search.
///
/// Given each variable's probability of being stable as `evidence`, that is what the loop feeds back and what selects:
/// it was found while the others were held fixed, so a variable that slips in can't confirm itself.
pub fn svi(
    data: &TrainingData,
    reweighter: &dyn Reweighter,
    settings: &Svi,
    evidence: Option<&[f64]>,
    watch: &mut dyn FnMut(&Loop) -> ControlFlow<()>,
) -> SviOutcome {
    let initial_correlations = weighted_correlations(data, &SampleWeights::uniform(&data.base));
    let mut mask = evidence.map_or_else(|| Mask::all(data), |probability| Mask::from_stability(data, probability));
    let mut recent = RecentGates::new(settings.moving_average);
    let mut history: Vec<Loop> = Vec::new();
    let mut reweighted: Option<Reweighted> = None;
    loop {
        // Frontend: weights that decorrelate what the mask names.
        let weighing = reweighter.reweigh(data, &mask, reweighted.as_ref());
        // Backend: gates under these weights.
        let problem = WeightedProblem::new(data, &weighing.weights);
        let gates = settings.gates.fit(&problem);
        // Feedback: what is likely stable need not be decorrelated from its like.
        let change = recent.push(evidence.unwrap_or(&gates.mean_gate));
        let correlations = correlation_from_covariance(&problem.covariance);
        history.push(Loop {
            effective_sample_size: weighing.weights.effective_sample_size(),
            remaining_correlation: remaining_correlation(&correlations, &mask),
            passes: weighing.passes,
            reweighting: weighing.stop,
            correlations,
            gates,
            change,
        });
        let last = &history[history.len() - 1];
        let stop = if watch(last).is_break() {
            Some(LoopStop::Interrupted)
        } else if history.len() > 1 && change <= settings.settled.get() {
            Some(LoopStop::Settled)
        } else if history.len() >= settings.loops.max(1) {
            Some(LoopStop::LoopLimit)
        } else {
            None
        };
        if let Some(stop) = stop {
            let open = evidence.unwrap_or(&last.gates.open_probability);
            let selected = (0..open.len()).filter(|&variable| open[variable] >= settings.threshold.get()).collect();
            return SviOutcome { selected, reweighted: weighing, mask, problem, initial_correlations, history, stop };
        }
        mask = Mask::from_stability(data, recent.average());
        reweighted = Some(weighing);
    }
}

/// The moving average of the gates over the last loops.
struct RecentGates {
    period: usize,
    kept: std::collections::VecDeque<Vec<f64>>,
    average: Vec<f64>,
}

impl RecentGates {
    fn new(period: usize) -> Self {
        Self { period: period.max(1), kept: Default::default(), average: Vec::new() }
    }

    /// Adds a loop's gates and returns the largest change of the average.
    fn push(&mut self, gates: &[f64]) -> f64 {
        self.kept.push_back(gates.to_vec());
        if self.kept.len() > self.period {
            self.kept.pop_front();
        }
        let count = self.kept.len() as f64;
        let average: Vec<f64> = (0..gates.len())
            .map(|variable| self.kept.iter().map(|gates| gates[variable]).sum::<f64>() / count)
            .collect();
        let change = average.iter().zip(&self.average).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
        let first = self.average.is_empty();
        self.average = average;
        if first { 1.0 } else { change }
    }

    fn average(&self) -> &[f64] {
        &self.average
    }
}
