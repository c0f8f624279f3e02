//! Candidates and what they predict for all that is held out.

use super::candidates::{self, Candidate, Kind, Material, Variables};
use super::judging::{Difference, Figures, HeldOut, Losses, Outputs};
use super::without::Whole;
use super::{Question, flexible};
use crate::design::{Frame, Standing, Task, TrainingData};
use crate::error::{Error, Result};
use crate::parameter::Positive;
use crate::threads;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// Rows per encoded column that a fit on all columns must have, if predictions are to go half-way to it.
const ROWS_PER_COLUMN: usize = 5;

/// Candidates with their losses.
pub struct Trial {
    pub(super) material: Option<Material>,
    /// The candidates that could be fitted, the plain one first.
    pub candidates: Vec<Candidate>,
    /// What they predict.
    pub(super) outputs: Vec<Outputs>,
    /// Their losses.
    pub losses: Vec<Losses>,
    /// Those of least squares (logistic regression) on all columns.
    pub baseline: Losses,
}

impl Trial {
    /// Fits every candidate without every part of the rows. Far values are drawn in, trees tried and predictions held if the
    /// table is `in_memory`: others could not be fitted to all of its rows.
    pub fn run(
        data: &TrainingData,
        held_out: &HeldOut,
        question: &Question,
        in_memory: bool,
        tick: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
    ) -> Result<Self> {
        let nothing =
            Self { material: None, candidates: vec![], outputs: vec![], losses: vec![], baseline: Losses::new() };
        if question.selected.is_empty() || held_out.regions.used.len() < held_out.regions.least() {
            return Ok(nothing);
        }
        let chosen = encoded(data, question.selected);
        let material = Material::new(data, &chosen, in_memory)?;
        let mut candidates = material.candidates(chosen.len() == data.columns());
        candidates.extend(in_memory.then(|| Candidate::plain(Variables::Chosen, Kind::Trees)));
        let stopped = AtomicBool::new(false);
        let judged = threads::map(candidates.len(), |k| {
            if stopped.load(Ordering::Relaxed) {
                return None;
            }
            let outputs = match candidates[k].kind {
                kind if kind.is_flexible() => flexible::outputs(data, held_out, &chosen, kind, question.limit),
                _ => outputs(data, held_out, &material, &candidates[k], question.limit),
            };
            stopped.fetch_or(tick(candidates.len()).is_break(), Ordering::Relaxed);
            outputs
        });
        let all = Candidate::plain(Variables::All, Kind::Linear);
        let baseline = outputs(data, held_out, &material, &all, question.limit).and_then(|all| held_out.losses(&all));
        if stopped.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        // Without the plain candidate or the baseline there is nothing to compare with.
        let (Some(baseline), Some(Some(_))) = (baseline, judged.first()) else { return Ok(nothing) };
        let mut trial = Self { material: Some(material), baseline, ..nothing };
        for (candidate, outputs) in candidates.into_iter().zip(judged) {
            trial.add(held_out, candidate, outputs);
        }
        if in_memory {
            trial.add_moderate(held_out);
        }
        if question.sufficient == Some(false) {
            trial.add_beside_all(data, held_out);
        }
        Ok(trial)
    }

    /// Adds a network, which is never taken but told of where nothing that would be taken bends.
    pub fn add_network(&mut self, data: &TrainingData, held_out: &HeldOut, question: &Question) {
        if self.candidates.is_empty() || !flexible::worth_a_network(data.rows()) {
            return;
        }
        let (chosen, kind) = (encoded(data, question.selected), Kind::Network);
        let outputs = flexible::outputs(data, held_out, &chosen, kind, question.limit);
        self.add(held_out, Candidate::plain(Variables::Chosen, kind), outputs);
    }

    /// Adds a candidate with what it predicts; its position, if that is finite.
    fn add(&mut self, held_out: &HeldOut, candidate: Candidate, outputs: Option<Outputs>) -> Option<usize> {
        let outputs = outputs?;
        let losses = match candidate.is_flexible() {
            true => flexible::fewer(held_out).losses(&outputs)?,
            false => held_out.losses(&outputs)?,
        };
        self.candidates.push(candidate);
        self.outputs.push(outputs);
        self.losses.push(losses);
        Some(self.candidates.len() - 1)
    }

    /// Adds what goes half-way: the linear fits that would be taken, without and with far values drawn in, half-way to trees, and all of
    /// them held within the outcomes seen.
    fn add_moderate(&mut self, held_out: &HeldOut) {
        let lines = [false, true].map(|drawn_in| self.line(held_out, drawn_in));
        for line in lines.into_iter().flatten().map(|line| line.position) {
            let mut found = vec![line];
            if let Some(trees) = self.position(&Candidate::plain(Variables::Chosen, Kind::Trees)) {
                let outputs = halfway(&flexible::of_fewer(held_out, &self.outputs[line]), &self.outputs[trees]);
                let candidate = Candidate { halfway: true, ..self.candidates[line] };
                found.extend(self.add(held_out, candidate, Some(outputs)));
            }
            // Log-odds know no bounds that training could have seen.
            for k in found.into_iter().filter(|_| held_out.task() == Task::Regression) {
                let candidate = Candidate { held: true, ..self.candidates[k] };
                let outputs = flexible::held_within_seen(held_out, &candidate, &self.outputs[k]);
                self.add(held_out, candidate, Some(outputs));
            }
        }
    }

    /// Adds what would be taken with its straight line half-way to least squares (logistic regression) on all columns but those that were told to
    /// be unstable: for sets that fall short.
    fn add_beside_all(&mut self, data: &TrainingData, held_out: &HeldOut) {
        let variables = not_told_unstable(&data.frame);
        let Some(settled) = self.settled(held_out, false) else { return };
        if data.rows() < ROWS_PER_COLUMN * (encoded(data, &variables).len() + 1) {
            return;
        }
        let candidate = self.candidates[settled.position];
        let line = self.position(&Candidate { halfway: false, held: false, ..candidate });
        let (Some(line), Some(all)) = (line, plain_outputs(data, held_out, &variables)) else { return };
        let mut outputs = halfway(&self.outputs[line], &all);
        if candidate.halfway {
            let trees = self.position(&Candidate::plain(Variables::Chosen, Kind::Trees));
            let Some(trees) = trees else { return };
            outputs = halfway(&flexible::of_fewer(held_out, &outputs), &self.outputs[trees]);
        }
        if candidate.held {
            outputs = flexible::held_within_seen(held_out, &candidate, &outputs);
        }
        self.add(held_out, Candidate { beside_all: true, ..candidate }, Some(outputs));
    }

    pub(super) fn position(&self, wanted: &Candidate) -> Option<usize> {
        self.candidates.iter().position(|candidate| candidate == wanted)
    }

    /// How the errors of a candidate in regions compare with those of least squares (logistic regression) on all columns.
    pub fn beside_baseline(&self, held_out: &HeldOut, candidate: usize) -> Difference {
        let all = Candidate::plain(Variables::All, Kind::Linear);
        flexible::difference(held_out, (&self.candidates[candidate], &self.losses[candidate]), (&all, &self.baseline))
    }

    /// How the errors of a candidate in regions compare with those of another.
    pub fn difference(&self, held_out: &HeldOut, one: usize, other: usize) -> Difference {
        let [one, other] = [one, other].map(|k| (&self.candidates[k], &self.losses[k]));
        flexible::difference(held_out, one, other)
    }

    /// The figures of a candidate beside a baseline.
    pub fn figures(&self, held_out: &HeldOut, candidate: usize, baseline: &Losses) -> Figures {
        flexible::figures(held_out, &self.candidates[candidate], &self.losses[candidate], baseline)
    }
}

/// What a linear candidate predicts for all that is held out.
fn outputs(
    data: &TrainingData,
    held_out: &HeldOut,
    material: &Material,
    candidate: &Candidate,
    limit: Positive,
) -> Option<Outputs> {
    let weights: Vec<f64> = match material.strength(candidate) {
        Some(found) => found.weights.iter().zip(&data.base).map(|(weight, base)| weight * base).collect(),
        None => data.base.clone(),
    };
    outputs_of(&Whole::fit(material.sheet(candidate)?, &weights, candidate.kind, limit.get())?, held_out)
}

fn outputs_of(whole: &Whole, held_out: &HeldOut) -> Option<Outputs> {
    let parts = held_out.parts();
    let outputs = threads::map(parts.len(), |k| {
        let coefficients = whole.without(parts[k])?;
        Some(parts[k].iter().map(|&row| whole.output(row, &coefficients)).collect())
    });
    outputs.into_iter().collect()
}

/// What least squares (logistic regression) on some variables, whose positions are given, predicts for all that is held out; `None` if they
/// can't be fitted or too few regions can be held out.
pub(crate) fn plain_outputs(data: &TrainingData, held_out: &HeldOut, variables: &[usize]) -> Option<Outputs> {
    let sheet = candidates::sheet(data, &encoded(data, variables), None);
    let enough = held_out.regions.used.len() >= held_out.regions.least();
    let whole = Whole::fit(&sheet, &data.base, Kind::Linear, f64::INFINITY).filter(|_| enough)?;
    outputs_of(&whole, held_out)
}

/// The same where every part that is held out has variables of its own.
pub(crate) fn plain_outputs_by_part(
    data: &TrainingData,
    held_out: &HeldOut,
    variables: &[Vec<usize>],
) -> Option<Outputs> {
    let parts = held_out.parts();
    let outputs = threads::map(parts.len(), |k| {
        let sheet = candidates::sheet(data, &encoded(data, &variables[k]), None);
        let whole = Whole::fit(&sheet, &data.base, Kind::Linear, f64::INFINITY)?;
        let coefficients = whole.without(parts[k])?;
        Some(parts[k].iter().map(|&row| whole.output(row, &coefficients)).collect())
    });
    outputs.into_iter().collect()
}

/// Half-way between what two candidates predict.
pub(crate) fn halfway(one: &[Vec<f64>], other: &[Vec<f64>]) -> Outputs {
    let mean = |(one, other): (&Vec<f64>, &Vec<f64>)| one.iter().zip(other).map(|(a, b)| 0.5 * (a + b)).collect();
    one.iter().zip(other).map(mean).collect()
}

/// The variables that a fit on all columns may take.
pub(crate) fn not_told_unstable(frame: &Frame) -> Vec<usize> {
    let standings = frame.standings();
    (0..standings.len()).filter(|&variable| standings[variable] != Some(Standing::Unstable)).collect()
}

/// The encoded columns of some variables, in order.
fn encoded(data: &TrainingData, variables: &[usize]) -> Vec<usize> {
    let features = &data.encoding.features;
    let mut columns: Vec<usize> =
        variables.iter().flat_map(|&variable| features[variable].columns.iter().copied()).collect();
    columns.sort_unstable();
    columns
}
