//! From training data to a fitted model, by any of the methods.

mod companions;
mod environments;
mod findings;
mod fitted;
mod refitting;
mod reselection;
mod uncertainty;

pub use crate::design::Task;
pub use environments::{ColumnAcross, EffectAcross, EnvironmentEffects, EnvironmentRows, Slope};
pub use fitted::{Diagnostics, FittedModel, Origin};

use crate::audit::audit;
use crate::design::{Standing, TrainingData};
use crate::diagnostics::{
    correlation_from_covariance, covariance_from_moments, distance_correlation, selection_condition,
    strongest_remaining,
};
use crate::error::{Error, Result};
use crate::evidence::{self, Choice, Gathered, Source, Sufficiency, VariableEvidence, gather};
use crate::finding::{Code, Finding};
use crate::foresight::TrainingMemory;
use crate::gates::{AnyGates, GatedFit};
use crate::method::{Choose, Method};
use crate::models::{Lasso, Model, Refit, Refitted, in_memory};
use crate::notation::Reading;
use crate::optim::StopReason;
use crate::parameter::Positive;
use crate::passes::{RowSource, Weighting};
use crate::selection::{Rule, stand_ins};
use crate::stress::RefitChoice;
use crate::svi::{Loop, LoopStop, Svi, svi};
use crate::weights::{
    AnyReweighter, Mask, Reached, Reweighted, Reweighter, SampleWeights, WeightFunction, WeightProfile,
};
use companions::companions;
use findings::findings;
use refitting::{Refitting, refit_chosen};
use std::ops::ControlFlow;

/// Fewer rows than this are told of.
const FEW_ROWS: usize = 50;

/// A fit together with the weights of its training rows.
#[derive(Debug, Clone)]
pub struct Fit {
    /// What a model file holds.
    pub model: FittedModel,
    /// The weights of the training rows.
    pub weights: SampleWeights,
}

/// What a method found, before the parts all methods share.
struct Found {
    selected: Vec<usize>,
    /// The variables that the model takes, if these are not the selected ones alone.
    taken: Vec<usize>,
    open_probability: Vec<f64>,
    model: Model,
    separated: bool,
    /// Training rows with held-out predictions.
    memory: Option<TrainingMemory>,
    weights: SampleWeights,
    truncated: Option<f64>,
    balance: Option<Reached>,
    function: Option<WeightFunction>,
    mask: Option<Mask>,
    evidence: Option<Vec<VariableEvidence>>,
    evidence_source: Option<Source>,
    sufficiency: Option<Sufficiency>,
    /// How much neighbouring rows go together.
    in_order: Option<f64>,
    selection_frequency: Option<Vec<f64>>,
    history: Vec<Loop>,
    penalty_path: Vec<(f64, Vec<f64>)>,
    converged: bool,
    stop_reason: String,
    refit: Option<RefitChoice>,
    findings: Vec<Finding>,
}

/// What is fitted to the variables chosen, and how many training rows are to be remembered of it.
type Remembering<'a> = (&'a Refit, usize);

/// A piece of work that has just been done.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// Evidence was gathered for one more variable, of this many.
    Variable(usize),
    /// One more loop of Algorithm 1 has ended.
    Loop(&'a Loop),
    /// One more half of the rows was looked at, of this many.
    Resample(usize),
    /// One more way to refit was tried under stress, of this many.
    Candidate(usize),
    /// The whole was fitted once more without some of the rows, of this many times.
    Repeat(usize),
}

/// Sees every step as it ends, from any thread, and may stop the work.
pub type Watch<'a> = &'a (dyn Fn(Step<'_>) -> ControlFlow<()> + Sync);

/// Fits a method: weigh, choose, refit.
pub fn fit(data: &dyn RowSource, method: &Method, seed: u64, watch: Watch<'_>) -> Result<Fit> {
    fit_with(data, method, seed, None, watch)
}

/// The same, where the evidence may be known already.
fn fit_with(
    data: &dyn RowSource,
    method: &Method,
    seed: u64,
    known: Option<Gathered>,
    watch: Watch<'_>,
) -> Result<Fit> {
    let frame = data.frame();
    method.check(frame.target.task(), &frame.target.name, frame.rows(), frame.columns())?;
    if frame.grouped && data.memory().is_none() {
        return Err(Error::NeedsMemory { what: "a fit to groups of rows".into() });
    }
    if let Some(what) = method.needs_memory().filter(|_| data.memory().is_none()) {
        return Err(Error::NeedsMemory { what: what.into() });
    }
    let Method { weigh, choose, refit, remember, .. } = method;
    let remember = *remember;
    let found = match (choose, weigh) {
        (Choose::Loop(settings), Some(reweighter)) => {
            by_svi(data, reweighter.kind(), settings, (refit, remember), known, seed, watch)?
        }
        (Choose::Gates { gates, rule }, _) => by_gates(data, weigh.as_ref(), gates, rule, (refit, remember), seed)?,
        (Choose::Lasso(lasso), _) => by_lasso(in_memory(data, "the Lasso")?, lasso, (refit, remember), seed)?,
        // A loop without weights was refused above.
        (Choose::All | Choose::Loop(_), _) => by_all(data, weigh.as_ref(), (refit, remember), seed)?,
    };
    assemble(data, method, seed, found)
}

fn by_svi(
    data: &dyn RowSource,
    reweighter: &dyn Reweighter,
    settings: &Svi,
    refit: Remembering<'_>,
    known: Option<Gathered>,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Found> {
    settings.rule.check(&data.frame().standings(), settings.evidence.is_some())?;
    let variables = data.frame().encoding.features.len();
    let gathered = match (&settings.evidence(), known) {
        (Some(how), Some(known)) => {
            let selected = settings.rule.select_by(data.frame(), &known.variables);
            Some(Gathered { sufficiency: Some(evidence::sufficiency(data, how, &selected)?), ..known })
        }
        (Some(how), None) => {
            let frame = data.frame();
            let select = |evidence: &[VariableEvidence]| settings.rule.select_by(frame, evidence);
            let choice = Choice { select: &select, grow: settings.rule.threshold() };
            Some(gather(data, how, Some(&choice), &|| watch(Step::Variable(variables)))?)
        }
        (None, _) => None,
    };
    let in_order = gathered.as_ref().and_then(|all| all.in_order);
    let mut sufficiency = gathered.as_ref().and_then(|all| all.sufficiency);
    let (mut evidence, evidence_source) = gathered.map(|all| (all.variables, all.source)).unzip();
    let mut outcome = svi(data, reweighter, settings, evidence.as_deref(), seed, &mut |step| watch(Step::Loop(step)))?;
    let selection_frequency = selection_frequency(data, reweighter, settings, seed, watch)?;
    if let Some(frequency) = &selection_frequency {
        outcome.selected = settings.resampling.select(data.frame(), frequency, &outcome.probability, &settings.rule);
        if let Some(how) = &settings.evidence() {
            sufficiency = Some(evidence::sufficiency(data, how, &outcome.selected)?);
        }
    }
    // All columns may take the place of a set that falls short, but not of one that was asked for.
    let asked_for = settings.rule.threshold().is_none() || selection_frequency.is_some();
    let mut joined = None;
    if let (Some(evidence), Some(evidence::Source::Residual), false) = (&mut evidence, evidence_source, asked_for) {
        joined = companions(data, &outcome.selected, evidence)?;
        for &variable in joined.iter().flat_map(|joined| &joined.variables) {
            evidence[variable].companion = true;
            outcome.selected.push(variable);
        }
        outcome.selected.sort_unstable();
    }
    if let (Some(_), Some(how)) = (&joined, &settings.evidence()) {
        sufficiency = Some(evidence::sufficiency(data, how, &outcome.selected)?);
    }
    let sufficient = sufficiency.filter(|_| !asked_for).map(|set| set.sufficient);
    let Refitting { refitted, selected, taken, weights, memory, choice, mut findings } =
        refit_chosen(data, refit, outcome.selected, sufficient, seed, watch)?;
    findings.extend(joined.map(|joined| joined.finding));
    let (mut converged, mut stop_reason) = judge_loops(&outcome.history, outcome.stop, settings);
    if converged && !refitted.stop.converged() {
        (converged, stop_reason) = (false, format!("the refit {}", in_words(refitted.stop)));
    }
    let balance = outcome.reweighted.reached.filter(|_| weights.is_none());
    // Weights of the refit are what its user asks about; those of the loop stay in its history.
    let (weights, function, mask) = match weights {
        Some((weights, function)) => {
            (weights, Some(WeightFunction::Quadratic(function)), Mask::among(data.frame(), &selected))
        }
        None => (outcome.reweighted.weights, outcome.reweighted.function, outcome.mask),
    };
    Ok(Found {
        refit: choice,
        findings,
        open_probability: outcome.probability,
        evidence,
        evidence_source,
        sufficiency,
        in_order,
        selection_frequency,
        penalty_path: settings.gates.penalty_path(&outcome.gated),
        selected,
        taken,
        model: refitted.model,
        separated: refitted.separated,
        memory,
        truncated: outcome.reweighted.truncated,
        balance,
        weights,
        function,
        mask: Some(mask),
        history: outcome.history,
        converged,
        stop_reason,
    })
}

/// How often each variable is selected in random halves of the rows, if that was asked for.
fn selection_frequency(
    data: &dyn RowSource,
    reweighter: &dyn Reweighter,
    settings: &Svi,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Option<Vec<f64>>> {
    let how = &settings.resampling;
    let Some(resamples) = how.resamples else { return Ok(None) };
    if resamples < 2 {
        return Err(Error::BadRequest("selection over resamples needs 2 of them or more".into()));
    }
    let data = in_memory(data, "selection over resamples")?;
    if data.rows() / 2 <= data.columns() + 1 {
        return Err(Error::TooFewRowsForColumns { rows: data.rows() / 2, columns: data.columns() });
    }
    let mut frequency = vec![0.0; data.frame().encoding.features.len()];
    for (number, half) in how.halves(data.rows(), seed).iter().enumerate() {
        let half = data.subset(half);
        let seed = seed.wrapping_add(1 + number as u64);
        let evidence = match &settings.evidence() {
            Some(evidence) => Some(gather(&half, evidence, None, &|| ControlFlow::Continue(()))?.variables),
            None => None,
        };
        let selected = match &evidence {
            // The loop selects by the evidence, so that its weights need not be found here.
            Some(evidence) => settings.rule.select_by(&half, evidence),
            None => svi(&half, reweighter, settings, None, seed, &mut |_| ControlFlow::Continue(()))?.selected,
        };
        selected.into_iter().for_each(|variable| frequency[variable] += 1.0 / resamples as f64);
        if watch(Step::Resample(resamples)).is_break() {
            return Err(Error::Interrupted);
        }
    }
    Ok(Some(frequency))
}

/// A model on all variables, under weights where there are any: they are then all that the method does.
fn by_all(
    data: &dyn RowSource,
    reweighter: Option<&AnyReweighter>,
    remembering: Remembering<'_>,
    seed: u64,
) -> Result<Found> {
    let refit = remembering.0;
    let all: Vec<usize> = (0..data.frame().encoding.features.len()).collect();
    let Some(weighing) = weigh(data, reweighter, seed)? else {
        let refitted = fit_to(refit, data, &all, &uniform(data), seed)?;
        let reason = match (data.frame().target.task(), refit) {
            (Task::Regression, Refit::Linear(_)) => "least squares has a closed form".into(),
            _ => in_words(refitted.stop),
        };
        let converged = refit.name() == "linear" || refitted.stop.converged();
        let memory = remember(remembering, &refitted, data, &all, &uniform(data), seed)?;
        return Ok(Found { memory, ..Found::unweighted(data, all, refitted, converged, reason) });
    };
    let refitted = fit_to(refit, data, &all, &weighing.weights, seed)?;
    let memory = remember(remembering, &refitted, data, &all, &weighing.weights, seed)?;
    let stop = weighing.stop;
    let reason = weighing.reached.filter(|_| stop.converged()).map_or_else(|| in_words(stop), |far| far.in_words());
    let found = Found::unweighted(data, all, refitted, stop.converged(), reason).under(data, weighing);
    Ok(Found { memory, ..found })
}

fn by_lasso(data: &TrainingData, lasso: &Lasso, remembering: Remembering<'_>, seed: u64) -> Result<Found> {
    let fitted = lasso.fit(data, seed);
    let used = |feature: &crate::design::Feature| {
        feature.columns.iter().any(|&column| fitted.fit.coefficients[column + 1] != 0.0)
    };
    let standings = data.standings();
    let is_stable = |position: usize| standings[position] == Some(Standing::Stable);
    let selected: Vec<usize> = (0..data.frame().encoding.features.len())
        .filter(|&position| is_stable(position) || used(&data.frame().encoding.features[position]))
        .collect();
    let how = if lasso.alpha.is_some() { "as given" } else { "by cross-validation" };
    let (stop, reason) = (fitted.stop, format!("{} at penalty {:.4} ({how})", in_words(fitted.stop), fitted.alpha));
    let (refitted, memory) = match remembering.0 {
        Refit::Kept(_) => {
            let target = &data.frame().target;
            // The penalty is that of all rows, as the variables are.
            let same = Lasso { alpha: Positive::new("alpha", fitted.alpha).ok().or(lasso.alpha), ..*lasso };
            let again = |rows: &TrainingData, _: &Weighting| Ok(Model::linear(same.fit(rows, seed).fit, target));
            let memory = TrainingMemory::gather(data, &Weighting::Equal, remembering.1, &again)?;
            (Refitted::linear(fitted.fit, target, stop), memory)
        }
        other => {
            let equal = uniform(data);
            let refitted = fit_to(other, data, &selected, &equal, seed)?;
            let memory = remember(remembering, &refitted, data, &selected, &equal, seed)?;
            (refitted, memory)
        }
    };
    let converged = stop.converged() && refitted.stop.converged();
    Ok(Found { memory, ..Found::unweighted(data, selected, refitted, converged, reason) })
}

fn by_gates(
    data: &dyn RowSource,
    reweighter: Option<&AnyReweighter>,
    gates: &AnyGates,
    rule: &Rule,
    refit: Remembering<'_>,
    seed: u64,
) -> Result<Found> {
    rule.check(&data.frame().standings(), false)?;
    let weighing = weigh(data, reweighter, seed)?;
    let uniform = uniform(data);
    let searched = gates.search(data, weighing.as_ref().map_or(&uniform, |found| &found.weights), seed)?;
    let gated = &searched.fit;
    let selected = rule.select(data.frame(), &gated.open_probability, None);
    let refitted = fit_to(refit.0, data, &selected, &uniform, seed)?;
    let memory = remember(refit, &refitted, data, &selected, &uniform, seed)?;
    let weighed = weighing.as_ref().map_or(StopReason::Converged, |found| found.stop);
    let failed = [weighed, gated.stop].into_iter().find(|stop| !stop.converged());
    let stop = failed.unwrap_or(refitted.stop);
    let mut found = Found::unweighted(data, selected, refitted, stop.converged(), in_words(stop));
    found.penalty_path = gates.penalty_path(&searched);
    found.open_probability = searched.fit.open_probability;
    found.memory = memory;
    Ok(match weighing {
        Some(weighing) => found.under(data, weighing),
        None => found,
    })
}

/// Weights that decorrelate all variables, if there is a way to find them.
fn weigh(data: &dyn RowSource, reweighter: Option<&AnyReweighter>, seed: u64) -> Result<Option<Reweighted>> {
    reweighter.map(|reweighter| reweighter.kind().reweigh(data, &Mask::all(data.frame()), None, seed)).transpose()
}

/// A model on some of the variables.
fn fit_to(
    refit: &Refit,
    data: &dyn RowSource,
    chosen: &[usize],
    weights: &SampleWeights,
    seed: u64,
) -> Result<Refitted> {
    let features = &data.frame().encoding.features;
    let columns: Vec<usize> = chosen.iter().flat_map(|&variable| features[variable].columns.iter().copied()).collect();
    refit.kind().fit(data, &columns, weights.weighting(), seed)
}

/// Training rows with predictions by the same kind of model, fitted to the same variables without them.
fn remember(
    (refit, most): Remembering<'_>,
    refitted: &Refitted,
    data: &dyn RowSource,
    chosen: &[usize],
    weights: &SampleWeights,
    seed: u64,
) -> Result<Option<TrainingMemory>> {
    let features = &data.frame().encoding.features;
    let columns: Vec<usize> = chosen.iter().flat_map(|&variable| features[variable].columns.iter().copied()).collect();
    let refit = refit.again(&refitted.model);
    let again = |rows: &TrainingData, weighting: &Weighting| {
        refit.kind().fit(rows, &columns, weighting, seed).map(|refitted| refitted.model)
    };
    TrainingMemory::gather(data, weights.weighting(), most, &again)
}

/// The base weights alone; the paper's refit has them.
fn uniform(data: &dyn RowSource) -> SampleWeights {
    SampleWeights::uniform(data.frame().total_weight())
}

impl Found {
    fn unweighted(
        data: &dyn RowSource,
        selected: Vec<usize>,
        refitted: Refitted,
        converged: bool,
        stop_reason: String,
    ) -> Self {
        let open_probability =
            (0..data.frame().encoding.features.len()).map(|variable| f64::from(selected.contains(&variable))).collect();
        Self {
            selected,
            taken: Vec::new(),
            open_probability,
            model: refitted.model,
            separated: refitted.separated,
            memory: None,
            truncated: None,
            balance: None,
            weights: uniform(data),
            function: None,
            mask: None,
            evidence: None,
            evidence_source: None,
            sufficiency: None,
            in_order: None,
            selection_frequency: None,
            history: Vec::new(),
            penalty_path: Vec::new(),
            converged,
            stop_reason,
            refit: None,
            findings: Vec::new(),
        }
    }

    /// The same under weights that decorrelate all variables.
    fn under(self, data: &dyn RowSource, weighing: Reweighted) -> Self {
        let Reweighted { weights, function, truncated, reached: balance, .. } = weighing;
        Self { weights, function, truncated, balance, mask: Some(Mask::all(data.frame())), ..self }
    }
}

fn in_words(stop: StopReason) -> String {
    match stop {
        StopReason::Converged => "converged",
        StopReason::PrecisionReached => "converged to the limit of floating-point numbers",
        StopReason::IterationLimit => "stopped at the iteration limit",
        StopReason::Stalled => "stalled before a minimum was reached",
    }
    .into()
}

fn judge_loops(history: &[Loop], stop: LoopStop, settings: &Svi) -> (bool, String) {
    let last = &history[history.len() - 1];
    let gates_failed = |gates: &GatedFit| !gates.stop.converged();
    if !last.reweighting.converged() {
        return (false, format!("the weights of loop {} {}", history.len(), in_words(last.reweighting)));
    }
    // Where evidence decides, gates are but shown.
    if settings.evidence.is_none() && gates_failed(&last.gates) {
        return (false, format!("the gates of loop {} {}", history.len(), in_words(last.gates.stop)));
    }
    match stop {
        LoopStop::Settled if settings.evidence.is_some() => {
            (true, "each variable was judged by its own evidence, so that one loop is enough".into())
        }
        LoopStop::Settled => (true, format!("the choice of variables no longer changed after {} loops", history.len())),
        LoopStop::LoopLimit if settings.loops <= 1 => (true, "one loop, as asked for".into()),
        LoopStop::LoopLimit => {
            (false, format!("the gates still moved by {:.2} in loop {}, the last allowed", last.change, history.len()))
        }
        LoopStop::Interrupted => (false, format!("interrupted after {} loops", history.len())),
    }
}

fn assemble(data: &dyn RowSource, method: &Method, seed: u64, found: Found) -> Result<Fit> {
    let frame = data.frame();
    let selected_columns: Vec<usize> =
        found.selected.iter().flat_map(|&variable| frame.encoding.features[variable].columns.iter().copied()).collect();
    let slopes = found.model.standardised_slopes();
    let mut diagnostics = Diagnostics {
        // Of standardised columns the correlations are the covariances.
        condition_before: selection_condition(&frame.correlations, &selected_columns, slopes),
        truncated: found.truncated,
        balance: found.balance,
        separation: separation(&found.open_probability, &found.selected, &frame.standings()),
        ..Diagnostics::default()
    };
    if let Some(mask) = &found.mask {
        let moments = found.weights.moments(data)?;
        let after = covariance_from_moments(&moments.columns);
        let correlations = correlation_from_covariance(&after);
        diagnostics.weights = Some(WeightProfile::new(data, &found.weights)?);
        let strongest = strongest_remaining(&correlations, mask);
        diagnostics.remaining_correlation = Some(strongest.map_or(0.0, |(_, left)| left));
        diagnostics.remaining_pair = strongest.map(|(pair, _)| pair);
        let of_refit = found.refit.as_ref().is_some_and(|refit| refit.strength.is_some());
        diagnostics.correlations = (found.history.is_empty() || of_refit).then_some(correlations);
        diagnostics.distance_correlation = distance_correlation(data, &found.weights, mask)?;
        diagnostics.condition_after = selection_condition(&after, &selected_columns, slopes);
    }
    let stand_ins = if method.seeks_stability() { stand_ins(frame, &found.selected) } else { vec![] };
    let environments = EnvironmentEffects::of(data, &found.selected)?;
    let mut model = FittedModel {
        method: method.clone(),
        task: frame.target.task(),
        classes: frame.target.classes.clone(),
        target: frame.target.name.clone(),
        rows: frame.rows(),
        seed,
        encoding: frame.encoding.clone(),
        selected: found.selected,
        taken: found.taken,
        open_probability: found.open_probability,
        model: found.model,
        refit: found.refit,
        weight_function: found.function,
        effective_sample_size: found.weights.effective_sample_size(),
        diagnostics,
        evidence: found.evidence,
        evidence_source: found.evidence_source,
        sufficiency: found.sufficiency,
        selection_frequency: found.selection_frequency,
        stand_ins,
        told: frame.told.clone(),
        environments,
        initial_correlations: frame.correlations.clone(),
        history: found.history,
        penalty_path: found.penalty_path,
        converged: found.converged,
        stop_reason: found.stop_reason,
        warnings: audit(data)?.into_iter().chain(frame.notes.iter().cloned()).collect(),
        memory: found.memory,
        columns: frame.summaries.clone(),
        reading: Reading::new(),
        origin: Origin::default(),
    };
    model.warnings.extend(found.in_order.map(|value| Finding::new(Code::OrderedRows).with("correlation", value)));
    if frame.rows() < FEW_ROWS && method.seeks_stability() {
        model.warnings.push(Finding::new(Code::FewRows).with("rows", frame.rows() as f64));
    }
    let found_out = findings(&model, frame.total_weight(), frame.target.mean, found.separated);
    model.warnings.extend(found_out);
    model.warnings.extend(found.findings);
    model.warnings.extend(model.environments.iter().flat_map(EnvironmentEffects::findings).collect::<Vec<_>>());
    model.forget_correlations();
    Ok(Fit { model, weights: found.weights })
}

/// How far the selected variables' probabilities lie above the others', where the data decided.
fn separation(probability: &[f64], selected: &[usize], standings: &[Option<Standing>]) -> Option<f64> {
    let judged = (0..probability.len()).filter(|&variable| standings[variable].is_none());
    let (chosen, others): (Vec<usize>, Vec<usize>) = judged.partition(|variable| selected.contains(variable));
    let least = chosen.iter().map(|&variable| probability[variable]).reduce(f64::min)?;
    let most = others.iter().map(|&variable| probability[variable]).reduce(f64::max)?;
    Some(least - most)
}
