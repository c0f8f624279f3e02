//! The stress test: how a way of fitting does in places unlike those it was fitted to, from the training rows alone.
//!
//! Whole regions of the rows are held out in turn ([`Regions`]): the lowest and highest fifth of a column or of a principal
//! component, one level of a text; or, where the user has a column that names them, the environments. Every [`Candidate`] is fitted to the rest and predicts the region. The error there, beside that
//! of least squares (logistic regression) on all columns, says what ordinary cross-validation can't: which fit carries over.
//!
//! It chooses *how* to fit the variables chosen, not which: a variable that follows the outcome in a biased sample does so in every
//! region of it. Weights are those of all rows, restricted to the rest, and the selection is the one that all rows gave: that flatters
//! all candidates on the chosen variables alike.

mod anew;
mod candidates;
mod flexible;
mod judging;
mod regions;
mod without;

pub use anew::{FitAnew, Honest, honest_estimate, losses_anew};
pub use candidates::{Candidate, Kind, Variables};
pub use judging::{Difference, Figures, HeldOut, Losses};
pub(crate) use judging::{Outputs, range};
pub use regions::{Region, Regions, folds};

use crate::design::{Bulk, Frame, Standing, Task, TrainingData};
use crate::error::{Error, Result};
use crate::finding::{Code, Finding};
use crate::parameter::Positive;
use crate::passes::{QuadraticFunction, RowSource};
use crate::rows::evenly_spaced;
use crate::threads;
use candidates::Material;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use without::Whole;

/// Rows that the stress test looks at; of more, evenly spaced ones.
const MOST_ROWS: usize = 20_000;
/// A share that is nothing: where robust and plain least squares are all but the same, chance must not choose between them.
const NEGLIGIBLE: f64 = 0.005;
/// A difference of log ratios that is none.
const ROUNDING: f64 = 1e-7;
/// Standard errors by which all columns must do better than every candidate on the chosen ones for that to be clear, and the share
/// by which they must beyond that to be told of: less, if the chosen variables are not sufficient. They are never taken: a biased
/// column is at its best in regions of a biased sample.
///
/// On the paper's simulated data, where the stable variables are all that carries over, all columns do better by 1 to 2 % in regions
/// of a biased sample, by several standard errors: a biased column makes up for what is not linear. So smaller shares say nothing,
/// and columns that tell nothing beyond the chosen ones in flexible regressions are never taken back by a linear model's need.
const CLEARLY: f64 = 2.0;
/// Rows per encoded column that a fit on all columns must have, if predictions are to go half-way to it.
const ROWS_PER_COLUMN: usize = 5;
/// The share by which trees or a network must do better than the best linear candidate, beyond so many standard errors: they have more
/// ways to follow what does not carry over. On simulated worlds whose columns shift one standard error would do no harm either (`refits rule`),
/// and on the paper's data trees are not better at all.
const MARGIN_IF_FLEXIBLE: f64 = 0.02;
const MARGIN: f64 = 0.02;
const MARGIN_IF_SUFFICIENT: f64 = 0.05;

/// How a refit was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefitChoice {
    /// The name of the candidate that was taken.
    pub chosen: String,
    /// The candidate.
    pub candidate: Candidate,
    /// The ridge of its weights; `None` if rows count alike.
    pub strength: Option<f64>,
    /// Effective sample size of the weights of the refit; that of all rows if they count alike.
    pub n_eff: f64,
    /// All that were compared, the plain one first.
    pub candidates: Vec<Judged>,
    /// Why this one, in a sentence.
    pub why: String,
    /// What was held out.
    pub regions: Vec<String>,
    /// Whether these are the user's environments.
    #[serde(default)]
    pub environments: bool,
    /// Rows that were looked at.
    pub rows: usize,
    /// What errors are measured by.
    pub metric: String,
    /// How the whole does, its selection repeated, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub honest: Option<Honest>,
}

impl RefitChoice {
    /// What the parts are that were held out.
    pub fn held_out(&self) -> &'static str {
        if self.environments { "environments" } else { "regions" }
    }
}

/// A candidate and how it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// Its name.
    pub name: String,
    /// Variables that it takes.
    pub columns: usize,
    /// How it did.
    #[serde(flatten)]
    pub figures: Figures,
}

/// What a refit is to be, and what the user should know about the choice.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The choice.
    pub choice: RefitChoice,
    /// The weights, as a function of all encoded columns.
    pub function: Option<QuadraticFunction>,
    /// Where far values of the columns begin, if they are to be drawn in.
    pub bulks: Option<Vec<Option<Bulk>>>,
    /// What was found out.
    pub findings: Vec<Finding>,
}

/// What is to be chosen for.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Positions of the variables chosen.
    pub selected: &'a [usize],
    /// Whether they predict as well as all do, if that is known.
    pub sufficient: Option<bool>,
    /// Where Huber's loss turns linear, in standard deviations of the bulk.
    pub limit: Positive,
}

/// The rows that a stress test looks at, in memory.
pub fn rows_for_stress(data: &dyn RowSource) -> Result<Cow<'_, TrainingData>> {
    let rows = data.frame().rows();
    if let Some(memory) = data.memory().filter(|_| rows <= MOST_ROWS) {
        return Ok(Cow::Borrowed(memory));
    }
    let places = evenly_spaced(rows, MOST_ROWS);
    Ok(Cow::Owned(data.take(&places)?))
}

/// Chooses how to fit the variables chosen. `tick` is called after every candidate with their number, from any thread, and may stop
/// the work.
pub fn choose(
    data: &dyn RowSource,
    question: &Question,
    tick: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
) -> Result<Chosen> {
    let sample = rows_for_stress(data)?;
    let held_out = HeldOut::of(&sample);
    let mut trial = Trial::run(&sample, &held_out, question, data.memory().is_some(), tick)?;
    if data.memory().is_some() && !trial.bends(&held_out) {
        trial.add_network(&sample, &held_out, question);
    }
    Ok(trial.decide(&sample, &held_out, question, data.frame().total_weight()))
}

/// Candidates with their losses.
pub struct Trial {
    material: Option<Material>,
    /// The candidates that could be fitted, the plain one first.
    pub candidates: Vec<Candidate>,
    /// What they predict.
    outputs: Vec<Outputs>,
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

    /// Whether what would be taken bends.
    fn bends(&self, held_out: &HeldOut) -> bool {
        self.settled(held_out, false).is_some_and(|settled| self.candidates[settled.position].is_flexible())
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
        let variables = not_told_unstable(data.frame());
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

    fn position(&self, wanted: &Candidate) -> Option<usize> {
        self.candidates.iter().position(|candidate| candidate == wanted)
    }

    /// The linear, or flexible, candidate with the least error in regions among those that `fit`.
    fn best(&self, held_out: &HeldOut, fit: impl Fn(&Candidate) -> bool) -> Option<usize> {
        let stressed = |k: &usize| self.beside_baseline(held_out, *k).mean;
        let able = (0..self.candidates.len()).filter(|&k| {
            let candidate = &self.candidates[k];
            fit(candidate) && !candidate.held && !candidate.beside_all
        });
        // Of two that differ by rounding the first, whatever the order of the rows.
        able.map(|k| (k, stressed(&k)))
            .reduce(|best, next| if next.1 < best.1 - ROUNDING { next } else { best })
            .map(|(best, _)| best)
    }

    fn best_line(&self, held_out: &HeldOut, variables: Variables) -> Option<usize> {
        self.best(held_out, |candidate| candidate.variables == variables && !candidate.is_flexible())
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

    /// Whether a candidate does better than another in ordinary cross-validation, by more than a standard error.
    fn is_better_as_usual(&self, held_out: &HeldOut, one: usize, other: usize) -> bool {
        let [one, other] = [one, other].map(|k| (&self.candidates[k], &self.losses[k]));
        let gain = flexible::as_usual(held_out, one, other);
        -gain.mean > gain.standard_error
    }

    /// In words, where a candidate was compared with linear ones.
    fn regions(&self, held_out: &HeldOut, candidate: usize) -> String {
        let (all, judged) = (held_out.regions.used.len(), flexible::regions(held_out, &self.candidates[candidate]));
        match judged < all {
            true => format!("the {judged} of {all} regions that flexible fits were tried without"),
            false => "regions that were held out".into(),
        }
    }

    /// The figures of a candidate beside a baseline.
    pub fn figures(&self, held_out: &HeldOut, candidate: usize, baseline: &Losses) -> Figures {
        flexible::figures(held_out, &self.candidates[candidate], &self.losses[candidate], baseline)
    }

    /// The rule: the best linear candidate on the chosen variables if it does better in regions than the plain one by more than a
    /// standard error and more than next to nothing, else the plain one (`line`); what goes half-way from there, if that does better
    /// still (`moderate`); the same with far values drawn in, if that does clearly better, and half-way to all columns where the
    /// variables are said to fall short (`taken`). Trees or a network that do clearly better than the best linear one, in ordinary
    /// cross-validation too, are told of and not taken (`bent`). All columns are a reference, and told of if they do clearly better than every
    /// linear candidate.
    fn decide(self, data: &TrainingData, held_out: &HeldOut, question: &Question, total: f64) -> Chosen {
        let task = data.target.task();
        let mut findings = Vec::new();
        let skipped = &held_out.regions.skipped;
        if !skipped.is_empty() {
            findings.push(
                Finding::new(Code::RegionsSkipped).with("regions", skipped.len() as f64).detail(skipped.join(", ")),
            );
        }
        let decision = self.decision(held_out, question);
        if decision.candidate.beside_all {
            findings.push(Finding::new(Code::HalfwayToAll));
        }
        findings.extend(decision.cost.map(|(cost, error)| {
            Finding::new(Code::StabilityCosts).with("percent", 100.0 * cost).with("error", 100.0 * error)
        }));
        let candidate = decision.candidate;
        let strength = self.material.as_ref().and_then(|material| material.strength(&candidate));
        let bulks = self.material.as_ref().filter(|_| candidate.drawn_in).map(|material| material.bulks.clone());
        let columns = |candidate: &Candidate| match candidate.variables {
            Variables::Chosen => question.selected.len(),
            Variables::All => data.encoding.features.len(),
        };
        let judged = self.candidates.iter().enumerate().map(|(k, candidate)| Judged {
            name: candidate.name(task),
            columns: columns(candidate),
            figures: self.figures(held_out, k, &self.baseline),
        });
        let choice = RefitChoice {
            chosen: candidate.name(task),
            candidate,
            strength: candidate.ridge.map(Positive::get),
            n_eff: strength.map_or(total, |found| found.effective_sample_size),
            candidates: judged.collect(),
            why: decision.why,
            regions: held_out.regions.used.iter().map(|region| region.name.clone()).collect(),
            environments: held_out.regions.given,
            rows: data.rows(),
            metric: held_out.metric().name().into(),
            honest: None,
        };
        Chosen { choice, function: strength.map(|found| found.function.clone()), bulks, findings }
    }

    /// The linear candidate on the chosen variables that would be taken, with far values drawn in or without: the one with the least error in
    /// regions, if it does better there than the plain one by more than a standard error and more than next to nothing.
    fn line(&self, held_out: &HeldOut, drawn_in: bool) -> Option<Settled> {
        let task = held_out.task();
        let able = |candidate: &Candidate| {
            candidate.variables == Variables::Chosen && candidate.drawn_in == drawn_in && !candidate.is_flexible()
        };
        let plain = self.candidates.iter().position(able)?;
        let best = self.best(held_out, able)?;
        let gain = self.difference(held_out, best, plain);
        let (position, why) = if best == plain {
            (plain, "no other fit on the chosen variables does better in regions that were held out".into())
        } else if -gain.mean < NEGLIGIBLE {
            (plain, "no other fit on the chosen variables is noticeably better in regions that were held out".into())
        } else if -gain.mean <= gain.standard_error {
            let name = self.candidates[best].name(task);
            let by = in_percent(gain);
            (
                plain,
                format!(
                    "the best in regions that were held out ({name}) is better than the plain fit by {by}, no more than a standard error"
                ),
            )
        } else {
            let by = in_percent(gain);
            (best, format!("it does better than the plain fit in regions that were held out, by {by}"))
        };
        Some(Settled { position, why })
    }

    /// The same, or what goes half-way from there if that does better still.
    fn settled(&self, held_out: &HeldOut, drawn_in: bool) -> Option<Settled> {
        let line = self.line(held_out, drawn_in)?;
        Some(match self.moderate(held_out, line.position) {
            Some((position, gain)) => {
                let (name, regions) =
                    (self.candidates[line.position].name(held_out.task()), self.regions(held_out, position));
                let why = format!("it does better than {name} alone in {regions}, by {}", in_percent(gain));
                Settled { position, why }
            }
            None => line,
        })
    }

    /// What is taken: half-way to all columns where the variables are said to fall short; else with far values drawn in where that does clearly
    /// better than all that leaves the columns as they are, in ordinary cross-validation, too. How a line should go on far out regions
    /// can hardly say, and one that bends is wrong where new rows are all far out.
    fn taken(&self, held_out: &HeldOut, question: &Question) -> Option<Settled> {
        let mild = self.settled(held_out, false)?;
        if question.sufficient == Some(false)
            && let Some(position) = self.candidates.iter().position(|candidate| candidate.beside_all)
        {
            let why =
                "the chosen variables do not predict as well as all, so that it goes half-way to a fit on all columns";
            return Some(Settled { position, why: format!("{}; {why}", mild.why) });
        }
        let Some(drawn_in) = self.settled(held_out, true) else { return Some(mild) };
        let gain = self.difference(held_out, drawn_in.position, mild.position);
        let clear = -gain.mean > NEGLIGIBLE.max(CLEARLY * gain.standard_error);
        if !clear || !self.is_better_as_usual(held_out, drawn_in.position, mild.position) {
            return Some(mild);
        }
        let name = self.candidates[mild.position].name(held_out.task());
        let why = format!("it does clearly better than {name} in regions that were held out, by {}", in_percent(gain));
        Some(Settled { why, ..drawn_in })
    }

    fn decision(&self, held_out: &HeldOut, question: &Question) -> Decision {
        let task = held_out.task();
        let (Some(taken), Some(best)) = (self.taken(held_out, question), self.best_line(held_out, Variables::Chosen))
        else {
            let plain = Candidate::plain(Variables::Chosen, plain_kind(task));
            let why = match question.selected.is_empty() {
                true => "no variable was selected".into(),
                false => held_out.regions.too_few(),
            };
            return Decision { candidate: self.candidates.first().copied().unwrap_or(plain), why, cost: None };
        };
        let mut decision = Decision { candidate: self.candidates[taken.position], why: taken.why, cost: None };
        if let Some(all) = self.best_line(held_out, Variables::All) {
            let cost = self.difference(held_out, all, best);
            let insufficient = question.sufficient == Some(false);
            let margin = if insufficient { MARGIN } else { MARGIN_IF_SUFFICIENT };
            let clear = -cost.mean > margin.max(CLEARLY * cost.standard_error);
            if clear {
                decision.cost = Some((-cost.mean, cost.standard_error));
            }
        }
        match self.bent(held_out, best).filter(|_| !decision.candidate.halfway) {
            Some(told) => Decision { why: format!("{}; {told}", decision.why), ..decision },
            None => decision,
        }
    }

    /// What does better than a linear candidate by going half-way to trees, by holding predictions within outcomes seen, or both: in regions
    /// by more than a standard error and more than next to nothing, and if it bends, in ordinary cross-validation, too.
    ///
    /// Trees by themselves are not taken: on development tables (python/benches/development.py) errors elsewhere were larger with them
    /// than half-way, and the harm where they fail is more than twice as large.
    fn moderate(&self, held_out: &HeldOut, line: usize) -> Option<(usize, Difference)> {
        let of_line = |candidate: &Candidate| {
            (candidate.halfway || candidate.held)
                && Candidate { halfway: false, held: false, ..*candidate } == self.candidates[line]
        };
        let able = (0..self.candidates.len()).filter(|&k| of_line(&self.candidates[k]));
        let better = able.filter_map(|k| {
            let candidate = &self.candidates[k];
            let gain = self.difference(held_out, k, line);
            let in_folds = !candidate.halfway || self.is_better_as_usual(held_out, k, line);
            let least = if candidate.halfway { MARGIN_IF_FLEXIBLE } else { NEGLIGIBLE };
            (-gain.mean > gain.standard_error.max(least) && in_folds).then_some((k, gain))
        });
        better.reduce(|best, next| if next.1.mean < best.1.mean - ROUNDING { next } else { best })
    }

    /// What is told of a flexible candidate that does clearly better than the best linear one, if there is such a one.
    ///
    /// It is not taken: on development tables (python/benches/development.py) errors elsewhere were larger with it than without, although regions spoke for it.
    fn bent(&self, held_out: &HeldOut, linear: usize) -> Option<String> {
        let flexible = |candidate: &Candidate| candidate.variables == Variables::Chosen && candidate.is_flexible();
        let best = self.best(held_out, flexible)?;
        let gain = self.difference(held_out, best, linear);
        let in_folds = |k: usize| self.figures(held_out, k, &self.baseline).cv_error;
        let clear = -gain.mean > MARGIN_IF_FLEXIBLE.max(CLEARLY * gain.standard_error);
        (clear && in_folds(best) < in_folds(linear)).then(|| {
            let name = self.candidates[best].name(held_out.task());
            format!(
                "{name} (refit = {name}) would do better than any linear fit in {}, by {}, but is not taken unless asked for, since \
                 on tables with known shifts such gains did not carry over",
                self.regions(held_out, best),
                in_percent(gain)
            )
        })
    }
}

/// What a refit is where nothing speaks for another one.
pub fn plain_kind(task: Task) -> Kind {
    match task {
        Task::Regression => Kind::Robust,
        Task::Classification => Kind::Linear,
    }
}

/// A candidate that would be taken, and why.
struct Settled {
    position: usize,
    why: String,
}

struct Decision {
    candidate: Candidate,
    why: String,
    /// By what share all columns do clearly better, and its standard error.
    cost: Option<(f64, f64)>,
}

fn in_percent(gain: Difference) -> String {
    let ratio = gain.mean.exp();
    format!("{:.1} % (s.e. {:.1} %)", 100.0 * (1.0 - ratio), 100.0 * ratio * gain.standard_error)
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
