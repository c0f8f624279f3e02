//! Algorithm 1: Sparse Variable Independence.

use crate::design::Task;
use crate::diagnostics::{correlation_from_covariance, remaining_correlation, weighted_correlations};
use crate::error::Result;
use crate::evidence::{Evidence, Source, VariableEvidence};
use crate::gates::{AnyGates, Gated, GatedFit};
use crate::linalg::Matrix;
use crate::optim::StopReason;
use crate::parameter::Positive;
use crate::passes::RowSource;
use crate::selection::{Resampling, Rule};
use crate::weights::{Mask, Reweighted, Reweighter, WeightFunction};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// The loop's parameters; the reweighter and the gates have their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Svi {
    /// Most loops.
    pub loops: usize,
    /// Loops the soft mask is averaged over.
    pub moving_average: usize,
    /// Which variables count as stable.
    pub rule: Rule,
    /// Stop when no variable's averaged gate moves more than this.
    pub settled: Positive,
    /// The backend.
    pub gates: AnyGates,
    /// Judge variables by their own evidence instead of by their gates.
    pub evidence: Option<Evidence>,
    /// Also select in random halves of the rows, and go by how often.
    pub resampling: Resampling,
}

impl Default for Svi {
    fn default() -> Self {
        Self {
            loops: 10,
            moving_average: 3,
            rule: Rule::default(),
            settled: Positive::constant(0.01),
            gates: AnyGates::default(),
            evidence: None,
            resampling: Resampling::default(),
        }
    }
}

impl Svi {
    /// The evidence to gather; left to the program, networks judge what a network stands behind.
    pub fn evidence(&self) -> Option<Evidence> {
        let how = self.evidence?;
        let behind_network = how.source == Source::Auto && self.gates.network().is_some();
        Some(if behind_network { Evidence { source: Source::Network, ..how } } else { how })
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
    /// Per variable the probability of being stable: by its evidence, else that its gate is open.
    pub probability: Vec<f64>,
    /// The last loop's weights.
    pub reweighted: Reweighted,
    /// What they were to decorrelate.
    pub mask: Mask,
    /// The last loop's gates.
    pub gated: Gated,
    /// Every loop.
    pub history: Vec<Loop>,
    /// Why it ended.
    pub stop: LoopStop,
}

/// Runs Algorithm 1. `watch` sees every loop as it ends and may stop the search.
///
/// Given `evidence` for each variable, its probability of being stable is what the loop feeds back and what selects:
/// it was found while the others were held fixed, so a variable that slips in can't confirm itself.
pub fn svi(
    data: &dyn RowSource,
    reweighter: &dyn Reweighter,
    settings: &Svi,
    evidence: Option<&[VariableEvidence]>,
    seed: u64,
    watch: &mut dyn FnMut(&Loop) -> ControlFlow<()>,
) -> Result<SviOutcome> {
    let frame = data.frame();
    let proven: Option<Vec<f64>> = evidence.map(|all| all.iter().map(|variable| variable.probability).collect());
    let mask_by = |stability: &[f64]| Mask::from_stability(frame, &frame.as_told(stability));
    let mut mask = proven.as_ref().map_or_else(|| Mask::all(frame), |stable| mask_by(stable));
    let mut recent = RecentGates::new(settings.moving_average);
    let mut history: Vec<Loop> = Vec::new();
    let mut start: Option<WeightFunction> = None;
    loop {
        // Frontend: weights that decorrelate what the mask names.
        let weighing = reweighter.reweigh(data, &mask, start.as_ref(), seed.wrapping_add(history.len() as u64))?;
        // Backend: gates under these weights.
        let gated = settings.gates.search(data, &weighing.weights, seed)?;
        // Feedback: what is likely stable need not be decorrelated from its like.
        let change = proven.as_ref().map_or_else(|| recent.push(&gated.fit.mean_gate), |_| 0.0);
        let correlations = match (&gated.problem, frame.target.task()) {
            (Some(problem), Task::Regression) => correlation_from_covariance(&problem.covariance),
            // Under logistic loss the gates' problem weighs rows by how much they tell, too.
            _ => weighted_correlations(data, &weighing.weights)?,
        };
        history.push(Loop {
            effective_sample_size: weighing.weights.effective_sample_size(),
            remaining_correlation: remaining_correlation(&correlations, &mask),
            passes: weighing.passes,
            reweighting: weighing.stop,
            correlations,
            gates: gated.fit.clone(),
            change,
        });
        let last = &history[history.len() - 1];
        let stop = if watch(last).is_break() {
            Some(LoopStop::Interrupted)
        } else if (history.len() > 1 || proven.is_some()) && change <= settings.settled.get() {
            Some(LoopStop::Settled)
        } else if history.len() >= settings.loops.max(1) {
            Some(LoopStop::LoopLimit)
        } else {
            None
        };
        if let Some(stop) = stop {
            let probability = proven.unwrap_or_else(|| last.gates.open_probability.clone());
            let selected = settings.rule.select(frame, &probability, evidence);
            return Ok(SviOutcome { selected, probability, reweighted: weighing, mask, gated, history, stop });
        }
        mask = mask_by(recent.average());
        start = weighing.function;
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
