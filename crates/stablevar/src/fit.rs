//! From training data to a fitted model, by any of the methods.

pub use crate::design::Task;
use crate::design::{Encoding, EncodingReport, TrainingData};
use crate::diagnostics::{
    SelectionCondition, correlation_from_covariance, covariance_from_moments, distance_correlation,
    remaining_correlation, selection_condition, weighted_moments,
};
use crate::error::{Error, Result};
use crate::evidence::{Evidence, Source, VariableEvidence, gather};
use crate::gates::{AnyGates, GatedFit, NetworkGates};
use crate::linalg::Matrix;
use crate::models::{Lasso, LogisticFit, Mlp, Model, NetworkModel, Refit, least_squares, logistic_regression};
use crate::optim::StopReason;
use crate::parameter::Fraction;
use crate::selection::{StandIn, stand_ins};
use crate::svi::{Loop, LoopStop, Svi, svi};
use crate::table::Table;
use crate::weights::{AnyReweighter, Mask, Reweighted, Reweighter, SampleWeights, Srdo, WeightFunction};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// A method with its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum Method {
    /// Algorithm 1, then least squares on the selected variables.
    Svi {
        /// The loop.
        settings: Svi,
        /// The frontend.
        reweighter: AnyReweighter,
    },
    /// Algorithm 1 with a single loop.
    SviD {
        /// The loop; its number of loops is not used.
        settings: Svi,
        /// The frontend.
        reweighter: AnyReweighter,
    },
    /// Algorithm 1 with a ratio of densities as frontend and a gated network as backend, then a network on the selected
    /// variables.
    NonlinearSvi {
        /// The loop.
        settings: Svi,
        /// The frontend.
        reweighter: AnyReweighter,
        /// The model on the selected variables.
        refit: Refit,
    },
    /// Ordinary least squares on all variables.
    Ols,
    /// The Lasso.
    Lasso(Lasso),
    /// Stochastic gates without reweighting, then a model on the selected variables.
    Stg {
        /// The gates.
        gates: AnyGates,
        /// Opening probability from which a variable is selected.
        threshold: Fraction,
        /// The model on the selected variables.
        refit: Refit,
    },
    /// Logistic regression on all variables.
    Logistic,
    /// Weighted least squares (for classes: logistic regression) on all variables, under weights that decorrelate every pair.
    Dwr {
        /// The way to find the weights.
        reweighter: AnyReweighter,
    },
    /// A network on all variables, under weights that make them independent.
    Srdo {
        /// The way to find the weights.
        reweighter: AnyReweighter,
        /// The model on all variables.
        refit: Refit,
    },
    /// A network on all variables.
    Mlp(Mlp),
}

impl Method {
    /// The method's name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Svi { .. } => "svi",
            Method::SviD { .. } => "svi-d",
            Method::NonlinearSvi { .. } => "nonlinear-svi",
            Method::Ols => "ols",
            Method::Lasso(_) => "lasso",
            Method::Stg { .. } => "stg",
            Method::Logistic => "logistic",
            Method::Dwr { .. } => "dwr",
            Method::Srdo { .. } => "srdo",
            Method::Mlp(_) => "mlp",
        }
    }
}

impl Method {
    /// Algorithm 1 as published: gates alone decide.
    pub fn published() -> Self {
        Method::Svi { settings: Svi::default(), reweighter: AnyReweighter::default() }
    }

    /// NonlinearSVI guided by evidence, which measured best.
    pub fn nonlinear() -> Self {
        let evidence = Evidence { source: Source::Network, ..Evidence::default() };
        Self::nonlinear_with(Svi { evidence: Some(evidence), ..Svi::default() })
    }

    /// NonlinearSVI as published: one pass, in which gates alone decide.
    pub fn published_nonlinear() -> Self {
        Self::nonlinear_with(Svi { loops: 1, ..Svi::default() })
    }

    /// NonlinearSVI as published but for the loop, in which variables that are likely stable are shuffled together.
    pub fn iterated_nonlinear() -> Self {
        Self::nonlinear_with(Svi { loops: 5, ..Svi::default() })
    }

    fn nonlinear_with(settings: Svi) -> Self {
        Method::NonlinearSvi {
            settings: Svi { gates: AnyGates::Network(NetworkGates::default()), ..settings },
            reweighter: AnyReweighter::Srdo(Srdo::default()),
            refit: Refit::Network(Mlp::default()),
        }
    }

    /// The loop's settings, for methods that have one.
    pub fn loop_settings(&self) -> Option<&Svi> {
        match self {
            Method::Svi { settings, .. } | Method::SviD { settings, .. } | Method::NonlinearSvi { settings, .. } => {
                Some(settings)
            }
            _ => None,
        }
    }

    /// The network that is fitted, for methods that fit one.
    fn network(&self) -> Option<&Mlp> {
        match self {
            Method::Mlp(mlp) => Some(mlp),
            Method::NonlinearSvi { refit: Refit::Network(mlp), .. }
            | Method::Stg { refit: Refit::Network(mlp), .. }
            | Method::Srdo { refit: Refit::Network(mlp), .. } => Some(mlp),
            _ => None,
        }
    }

    /// What the method can predict.
    pub fn tasks(&self) -> &'static [Task] {
        match self {
            Method::Ols | Method::Lasso(_) => &[Task::Regression],
            Method::Logistic => &[Task::Classification],
            _ => &[Task::Regression, Task::Classification],
        }
    }

    /// Whether the method looks for stable variables, rather than for variables that predict well here.
    pub fn seeks_stability(&self) -> bool {
        self.loop_settings().is_some()
    }
}

impl Default for Method {
    /// Algorithm 1 guided by evidence, which measured best.
    fn default() -> Self {
        let settings = Svi { evidence: Some(Evidence::default()), ..Svi::default() };
        Method::Svi { settings, reweighter: AnyReweighter::default() }
    }
}

/// Everything that is known after a fit, but the rows' weights; this is what a model file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FittedModel {
    /// The method and its parameters.
    pub method: Method,
    /// What is predicted.
    pub task: Task,
    /// The two classes, if that is what is predicted; the model gives the probability of the second.
    pub classes: Option<[String; 2]>,
    /// The outcome's name.
    pub target: String,
    /// Rows learnt from.
    pub rows: usize,
    /// The seed.
    pub seed: u64,
    /// How a table becomes a design matrix.
    pub encoding: Encoding,
    /// Positions of the selected variables in [`Encoding::features`].
    pub selected: Vec<usize>,
    /// Per variable the probability of being stable: by its evidence if that was asked for, else that its gate is
    /// open; 1 or 0 for methods without gates.
    pub open_probability: Vec<f64>,
    /// The model on the selected variables.
    pub model: Model,
    /// The weights as a function of the row, where the method has one.
    pub weight_function: Option<WeightFunction>,
    /// Effective sample size of the weights.
    pub effective_sample_size: f64,
    /// What the weights did and how far the selection can be trusted.
    pub diagnostics: Diagnostics,
    /// Per variable what the data say about it alone, if that was asked for.
    pub evidence: Option<Vec<VariableEvidence>>,
    /// Where the evidence came from.
    pub evidence_source: Option<Source>,
    /// Per variable the share of random halves of the rows in which it was selected, if that was asked for.
    pub selection_frequency: Option<Vec<f64>>,
    /// Variables left out that could take the place of selected ones.
    pub stand_ins: Vec<StandIn>,
    /// Correlations of the encoded columns before weighting.
    pub initial_correlations: Matrix,
    /// Every loop of Algorithm 1; empty for other methods.
    pub history: Vec<Loop>,
    /// How the selection hangs on the penalty: (factor, open probabilities).
    pub penalty_path: Vec<(f64, Vec<f64>)>,
    /// Whether every part of the method converged.
    pub converged: bool,
    /// Why it stopped, in words.
    pub stop_reason: String,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl FittedModel {
    /// Checks that the parts fit together, which a file changed by hand may not do.
    pub fn check(&self) -> std::result::Result<(), String> {
        let (features, columns) = (self.encoding.features.len(), self.encoding.columns.len());
        let positions = self.encoding.features.iter().flat_map(|feature| &feature.columns);
        let square = |matrix: &Matrix| matrix.rows() == columns && matrix.columns() == columns;
        let loop_fits = |step: &Loop| {
            let gates = &step.gates;
            let per_variable = [&gates.open_probability, &gates.mean_gate, &gates.penalties];
            square(&step.correlations)
                && gates.coefficients.len() == columns
                && per_variable.iter().all(|values| values.len() == features)
        };
        let conditions = [&self.diagnostics.condition_before, &self.diagnostics.condition_after];
        let fits = self.model.is_whole(columns)
            && self.open_probability.len() == features
            && self.selected.iter().all(|&variable| variable < features)
            && self.encoding.features.iter().all(|feature| !feature.columns.is_empty())
            && positions.clone().all(|&column| column < columns)
            && self.encoding.columns.iter().all(|column| column.feature < features && column.scale > 0.0)
            && self.weight_function.as_ref().is_none_or(|function| function.columns() == columns)
            && self.evidence.as_ref().is_none_or(|evidence| evidence.len() == features)
            && self.selection_frequency.as_ref().is_none_or(|frequency| frequency.len() == features)
            && self.stand_ins.iter().all(|pair| pair.variable < features && pair.stands_for < features)
            && square(&self.initial_correlations)
            && self.history.iter().all(loop_fits)
            && self.penalty_path.iter().all(|(_, open)| open.len() == features)
            && conditions
                .into_iter()
                .flatten()
                .all(|condition| condition.values.iter().all(|&(column, _)| column < columns));
        if fits { Ok(()) } else { Err("the parts of the model do not fit together".into()) }
    }

    /// Predictions for the rows of a table, which needs only the selected variables' columns.
    pub fn predict(&self, table: &Table) -> Result<(Vec<f64>, EncodingReport)> {
        let (design, report) = self.encoding.encode_variables(table, &self.selected)?;
        Ok((self.model.predict(&design), report))
    }

    /// The class of every row from the probabilities of the second.
    pub fn labels<'a>(&'a self, probabilities: &'a [f64]) -> impl Iterator<Item = &'a str> {
        let classes = self.classes.as_ref().map_or(["", ""], |[first, second]| [first, second]);
        probabilities.iter().map(move |p| classes[usize::from(*p >= 0.5)])
    }

    /// Names of the selected variables.
    pub fn selected_names(&self) -> Vec<&str> {
        self.selected.iter().map(|&variable| self.encoding.features[variable].name.as_str()).collect()
    }

    /// Encoded columns of the selected variables.
    pub fn selected_columns(&self) -> Vec<usize> {
        self.selected.iter().flat_map(|&variable| self.encoding.features[variable].columns.iter().copied()).collect()
    }
}

/// What the weights did and how far the selection can be trusted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Diagnostics {
    /// Share of the rows whose weight had to be cut off, where the weights are a ratio of densities.
    pub truncated: Option<f64>,
    /// Largest weighted correlation left among pairs to be decorrelated; `None` without weights.
    pub remaining_correlation: Option<f64>,
    /// Mean distance correlation of the pairs to be decorrelated, before and after weighting; `None` without weights.
    pub distance_correlation: Option<(f64, f64)>,
    /// Smallest probability (of an open gate, or of being stable) among the selected variables minus the largest among the
    /// others; `None` when all or none are selected.
    pub separation: Option<f64>,
    /// Theorem 1's quantity for the selection, before weighting.
    pub condition_before: Option<SelectionCondition>,
    /// The same under the weights.
    pub condition_after: Option<SelectionCondition>,
}

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
    open_probability: Vec<f64>,
    model: Model,
    separated: bool,
    weights: SampleWeights,
    truncated: Option<f64>,
    function: Option<WeightFunction>,
    mask: Option<Mask>,
    evidence: Option<Vec<VariableEvidence>>,
    evidence_source: Option<Source>,
    selection_frequency: Option<Vec<f64>>,
    history: Vec<Loop>,
    penalty_path: Vec<(f64, Vec<f64>)>,
    converged: bool,
    stop_reason: String,
}

/// A piece of work that has just been done.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// Evidence was gathered for one more variable, of this many.
    Variable(usize),
    /// One more loop of Algorithm 1 has ended.
    Loop(&'a Loop),
    /// One more half of the rows was looked at, of this many.
    Resample(usize),
}

/// Sees every step as it ends, from any thread, and may stop the work.
pub type Watch<'a> = &'a (dyn Fn(Step<'_>) -> ControlFlow<()> + Sync);

/// Fits a method.
pub fn fit(data: &TrainingData, method: &Method, seed: u64, watch: Watch<'_>) -> Result<Fit> {
    if !matches!(method, Method::Lasso(_) | Method::Mlp(_)) && data.rows() <= data.columns() + 1 {
        return Err(Error::TooFewRowsForColumns { rows: data.rows(), columns: data.columns() });
    }
    let task = data.target.task();
    if !method.tasks().contains(&task) {
        let (name, wanted) = (method.name(), if task == Task::Regression { "numbers" } else { "two classes" });
        return Err(Error::BadRequest(format!(
            "{name} can't predict {wanted}, which the target '{}' holds",
            data.target.name
        )));
    }
    if let Some(network) = method.network() {
        network.check()?;
    }
    let found = match method {
        Method::Svi { settings, reweighter } => by_svi(data, reweighter, settings, &Refit::Linear, seed, watch)?,
        Method::SviD { settings, reweighter } => {
            let settings = Svi { loops: 1, ..settings.clone() };
            by_svi(data, reweighter, &settings, &Refit::Linear, seed, watch)?
        }
        Method::NonlinearSvi { settings, reweighter, refit } => by_svi(data, reweighter, settings, refit, seed, watch)?,
        Method::Lasso(lasso) => by_lasso(data, lasso, seed),
        Method::Ols | Method::Logistic => by_all(data, &Refit::Linear, seed)?,
        Method::Mlp(mlp) => by_all(data, &Refit::Network(mlp.clone()), seed)?,
        Method::Stg { gates, threshold, refit } => by_gates(data, gates, *threshold, refit, seed)?,
        Method::Dwr { reweighter } => by_reweighting(data, reweighter, &Refit::Linear, seed)?,
        Method::Srdo { reweighter, refit } => by_reweighting(data, reweighter, refit, seed)?,
    };
    Ok(assemble(data, method, seed, found))
}

fn by_svi(
    data: &TrainingData,
    reweighter: &AnyReweighter,
    settings: &Svi,
    refit: &Refit,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Found> {
    settings.rule.check(data.encoding.features.len(), settings.evidence.is_some())?;
    let variables = data.encoding.features.len();
    let gathered = match &settings.evidence {
        Some(how) => Some(gather(data, how, seed, &|| watch(Step::Variable(variables))).ok_or(Error::Interrupted)?),
        None => None,
    };
    let (evidence, evidence_source) = gathered.map(|all| (all.variables, all.source)).unzip();
    let mut outcome = svi(data, reweighter, settings, evidence.as_deref(), seed, &mut |step| watch(Step::Loop(step)));
    let selection_frequency = selection_frequency(data, reweighter, settings, seed, watch)?;
    if let (Some(frequency), Some(how)) = (&selection_frequency, &settings.resampling) {
        outcome.selected = how.select(frequency, &outcome.probability, &settings.rule);
    }
    let refitted = fit_to(data, &outcome.selected, &data.base, refit, seed)?;
    let (mut converged, mut stop_reason) = judge_loops(&outcome.history, outcome.stop, settings);
    if converged && !refitted.stop.converged() {
        (converged, stop_reason) = (false, format!("the refit {}", in_words(refitted.stop)));
    }
    Ok(Found {
        open_probability: outcome.probability,
        evidence,
        evidence_source,
        selection_frequency,
        penalty_path: settings.gates.penalty_path(&outcome.gated),
        selected: outcome.selected,
        model: refitted.model,
        separated: refitted.separated,
        truncated: outcome.reweighted.truncated,
        weights: outcome.reweighted.weights,
        function: outcome.reweighted.function,
        mask: Some(outcome.mask),
        history: outcome.history,
        converged,
        stop_reason,
    })
}

/// How often each variable is selected in random halves of the rows, if that was asked for.
fn selection_frequency(
    data: &TrainingData,
    reweighter: &AnyReweighter,
    settings: &Svi,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Option<Vec<f64>>> {
    let Some(how) = &settings.resampling else { return Ok(None) };
    if how.resamples < 2 {
        return Err(Error::BadRequest("selection over resamples needs 2 of them or more".into()));
    }
    if data.rows() / 2 <= data.columns() + 1 {
        return Err(Error::TooFewRowsForColumns { rows: data.rows() / 2, columns: data.columns() });
    }
    let mut frequency = vec![0.0; data.encoding.features.len()];
    for (number, half) in how.halves(data.rows(), seed).iter().enumerate() {
        let half = data.subset(half);
        let seed = seed.wrapping_add(1 + number as u64);
        let evidence = match &settings.evidence {
            Some(evidence) => {
                let gathered = gather(&half, evidence, seed, &|| ControlFlow::Continue(()));
                gathered.map(|gathered| gathered.variables)
            }
            None => None,
        };
        let selected = match &evidence {
            // The loop selects by the evidence, so that its weights need not be found here.
            Some(evidence) => {
                let probability: Vec<f64> = evidence.iter().map(|variable| variable.probability).collect();
                settings.rule.select(&half, &probability, Some(evidence))
            }
            None => svi(&half, reweighter, settings, None, seed, &mut |_| ControlFlow::Continue(())).selected,
        };
        selected.into_iter().for_each(|variable| frequency[variable] += 1.0 / how.resamples as f64);
        if watch(Step::Resample(how.resamples)).is_break() {
            return Err(Error::Interrupted);
        }
    }
    Ok(Some(frequency))
}

/// A model on all variables.
fn by_all(data: &TrainingData, refit: &Refit, seed: u64) -> Result<Found> {
    let all: Vec<usize> = (0..data.encoding.features.len()).collect();
    let refitted = fit_to(data, &all, &data.base, refit, seed)?;
    let reason = match (data.target.task(), refit) {
        (Task::Regression, Refit::Linear) => "least squares has a closed form".into(),
        _ => in_words(refitted.stop),
    };
    let converged = *refit == Refit::Linear || refitted.stop.converged();
    Ok(Found::unweighted(data, all, refitted, converged, reason))
}

fn by_lasso(data: &TrainingData, lasso: &Lasso, seed: u64) -> Found {
    let fitted = lasso.fit(data, seed);
    let used = |feature: &crate::design::Feature| {
        feature.columns.iter().any(|&column| fitted.fit.coefficients[column + 1] != 0.0)
    };
    let selected =
        (0..data.encoding.features.len()).filter(|&position| used(&data.encoding.features[position])).collect();
    let how = if lasso.alpha.is_some() { "as given" } else { "by cross-validation" };
    let reason = format!("{} at penalty {:.4} ({how})", in_words(fitted.stop), fitted.alpha);
    let model = Model::linear(fitted.fit, &data.target);
    let refitted = Refitted { model, separated: false, stop: fitted.stop };
    Found::unweighted(data, selected, refitted, fitted.stop.converged(), reason)
}

fn by_gates(data: &TrainingData, gates: &AnyGates, threshold: Fraction, refit: &Refit, seed: u64) -> Result<Found> {
    let searched = gates.search(data, &SampleWeights::uniform(&data.base), seed);
    let gated = &searched.fit;
    let open = &gated.open_probability;
    let selected: Vec<usize> = (0..open.len()).filter(|&variable| open[variable] >= threshold.get()).collect();
    let refitted = fit_to(data, &selected, &data.base, refit, seed)?;
    let stop = if gated.stop.converged() { refitted.stop } else { gated.stop };
    let mut found = Found::unweighted(data, selected, refitted, stop.converged(), in_words(stop));
    found.penalty_path = gates.penalty_path(&searched);
    found.open_probability = searched.fit.open_probability;
    Ok(found)
}

fn by_reweighting(data: &TrainingData, reweighter: &AnyReweighter, refit: &Refit, seed: u64) -> Result<Found> {
    let mask = Mask::all(data);
    let Reweighted { weights, function, truncated, stop, .. } = reweighter.reweigh(data, &mask, None, seed);
    let all: Vec<usize> = (0..data.encoding.features.len()).collect();
    let refitted = fit_to(data, &all, &weights.with_base(&data.base), refit, seed)?;
    let found = Found::unweighted(data, all, refitted, stop.converged(), in_words(stop));
    Ok(Found { weights, function, truncated, mask: Some(mask), ..found })
}

/// A model on some of the variables.
struct Refitted {
    model: Model,
    separated: bool,
    stop: StopReason,
}

/// A model on the selected variables; the paper's refit has the base weights alone.
fn fit_to(data: &TrainingData, selected: &[usize], weights: &[f64], refit: &Refit, seed: u64) -> Result<Refitted> {
    let columns: Vec<usize> =
        selected.iter().flat_map(|&variable| data.encoding.features[variable].columns.iter().copied()).collect();
    Ok(match (refit, data.target.task()) {
        (Refit::Network(mlp), _) => {
            let (network, trained) = NetworkModel::train(data, &columns, weights, mlp, seed);
            Refitted { model: Model::Network(network), separated: false, stop: trained.stop }
        }
        (Refit::Linear, Task::Regression) => {
            let model = Model::linear(least_squares(data, &columns, weights)?, &data.target);
            Refitted { model, separated: false, stop: StopReason::Converged }
        }
        (Refit::Linear, Task::Classification) => {
            let LogisticFit { fit, separated, stop } = logistic_regression(data, &columns, weights)?;
            Refitted { model: Model::linear(fit, &data.target), separated, stop }
        }
    })
}

impl Found {
    fn unweighted(
        data: &TrainingData,
        selected: Vec<usize>,
        refitted: Refitted,
        converged: bool,
        stop_reason: String,
    ) -> Self {
        let open_probability =
            (0..data.encoding.features.len()).map(|variable| f64::from(selected.contains(&variable))).collect();
        Self {
            selected,
            open_probability,
            model: refitted.model,
            separated: refitted.separated,
            truncated: None,
            weights: SampleWeights::uniform(&data.base),
            function: None,
            mask: None,
            evidence: None,
            evidence_source: None,
            selection_frequency: None,
            history: Vec::new(),
            penalty_path: Vec::new(),
            converged,
            stop_reason,
        }
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
    if gates_failed(&last.gates) {
        return (false, format!("the gates of loop {} {}", history.len(), in_words(last.gates.stop)));
    }
    match stop {
        LoopStop::Settled if settings.evidence.is_some() => (true, "the evidence fixed the mask in one loop".into()),
        LoopStop::Settled => (true, format!("the mask settled after {} loops", history.len())),
        LoopStop::LoopLimit if settings.loops <= 1 => (true, "one loop, as asked for".into()),
        LoopStop::LoopLimit => {
            (false, format!("the mask still moved by {:.2} in loop {}, the last allowed", last.change, history.len()))
        }
        LoopStop::Interrupted => (false, format!("interrupted after {} loops", history.len())),
    }
}

fn assemble(data: &TrainingData, method: &Method, seed: u64, found: Found) -> Fit {
    let uniform = SampleWeights::uniform(&data.base);
    let before = covariance_from_moments(&weighted_moments(data, &uniform));
    let selected_columns: Vec<usize> =
        found.selected.iter().flat_map(|&variable| data.encoding.features[variable].columns.iter().copied()).collect();
    let slopes = found.model.standardised_slopes();
    let mut diagnostics = Diagnostics {
        condition_before: selection_condition(&before, &selected_columns, slopes),
        truncated: found.truncated,
        separation: separation(&found.open_probability, &found.selected),
        ..Diagnostics::default()
    };
    if let Some(mask) = &found.mask {
        let after = covariance_from_moments(&weighted_moments(data, &found.weights));
        diagnostics.remaining_correlation = Some(remaining_correlation(&correlation_from_covariance(&after), mask));
        diagnostics.distance_correlation =
            distance_correlation(data, &uniform, mask).zip(distance_correlation(data, &found.weights, mask));
        diagnostics.condition_after = selection_condition(&after, &selected_columns, slopes);
    }
    let initial_correlations = correlation_from_covariance(&before);
    let stand_ins =
        if method.seeks_stability() { stand_ins(data, &initial_correlations, &found.selected) } else { vec![] };
    let mut model = FittedModel {
        method: method.clone(),
        task: data.target.task(),
        classes: data.target.classes.clone(),
        target: data.target.name.clone(),
        rows: data.rows(),
        seed,
        encoding: data.encoding.clone(),
        selected: found.selected,
        open_probability: found.open_probability,
        model: found.model,
        weight_function: found.function,
        effective_sample_size: found.weights.effective_sample_size(),
        diagnostics,
        evidence: found.evidence,
        evidence_source: found.evidence_source,
        selection_frequency: found.selection_frequency,
        stand_ins,
        initial_correlations,
        history: found.history,
        penalty_path: found.penalty_path,
        converged: found.converged,
        stop_reason: found.stop_reason,
        warnings: data.notes.clone(),
    };
    if found.separated {
        model.warnings.push(
            "the selected variables tell the two classes apart without error, so that their coefficients have no finite best \
             value: a small ridge holds them. Is one of them a consequence of the target?"
                .into(),
        );
    }
    if let Some(classes) = &model.classes {
        let share = data.target.mean;
        if !(0.05..=0.95).contains(&share) {
            let rare = if share < 0.5 { &classes[1] } else { &classes[0] };
            model.warnings.push(format!(
                "only {:.1} % of the rows are '{rare}': judge the model by its probabilities (log loss, AUC) rather than by its error rate",
                100.0 * share.min(1.0 - share)
            ));
        }
    }
    let findings = warnings(&model, data.total_weight());
    model.warnings.extend(findings);
    Fit { model, weights: found.weights }
}

/// How far the selected variables' probabilities lie above the others'.
fn separation(probability: &[f64], selected: &[usize]) -> Option<f64> {
    let (chosen, others): (Vec<usize>, Vec<usize>) =
        (0..probability.len()).partition(|variable| selected.contains(variable));
    let least = chosen.iter().map(|&variable| probability[variable]).reduce(f64::min)?;
    let most = others.iter().map(|&variable| probability[variable]).reduce(f64::max)?;
    Some(least - most)
}

/// The largest absolute correlation of two different columns.
fn strongest_correlation(correlations: &Matrix) -> f64 {
    let size = correlations.rows();
    let pairs = (0..size).flat_map(|j| (0..j).map(move |i| (i, j)));
    pairs.map(|pair| correlations[pair].abs()).fold(0.0, f64::max)
}

/// What the user should worry about. Each is a finding, not a failure.
fn warnings(model: &FittedModel, total: f64) -> Vec<String> {
    let mut warnings = Vec::new();
    let size = model.effective_sample_size;
    if !model.converged {
        warnings.push(format!("not converged: {}", model.stop_reason));
    }
    if model.selected.is_empty() {
        warnings.push(
            if model.evidence.is_some() {
                "no variable was selected: none shows an effect beyond chance once the others are known, so the model \
                 predicts the mean. Use more rows, or a lower --threshold, or --select to name the likeliest"
            } else {
                "no variable was selected: the model predicts the mean. Use more rows or a smaller --lambda-factor"
            }
            .into(),
        );
    }
    if let Some(left) = model.diagnostics.remaining_correlation {
        let initial = strongest_correlation(&model.initial_correlations);
        if size > 0.99 * total && initial > 0.1 {
            warnings.push(format!(
                "the weights are almost uniform though columns correlate by up to {initial:.2}: nothing was decorrelated. \
                 Use more rows for so many columns, or check --sigma and --lambda"
            ));
        } else if size < 0.05 * total || size < 5.0 * model.encoding.columns.len() as f64 {
            warnings.push(format!(
                "the weights rest on few rows: {size:.0} effective of {total:.0}. Use more rows, or leave out columns that move together"
            ));
        }
        if left > 0.1 {
            warnings.push(format!("a weighted correlation of {left:.2} is left that the weights could not remove"));
        }
    }
    if let (Some(_), Some(settings)) = (&model.evidence, model.method.loop_settings()) {
        let (columns, most) = (model.encoding.columns.len(), settings.evidence.map_or(usize::MAX, |how| how.rows));
        let used = model.rows.min(most);
        if model.rows > most {
            warnings.push(format!(
                "the evidence rests on {most} of the {} rows, drawn at random; --evidence-rows takes more of them",
                model.rows
            ));
        }
        if 10 * columns > used {
            warnings.push(format!(
                "{columns} columns (after encoding) are many for {used} rows: p-values may be too small and a variable may be \
                 selected by chance. Use more rows, leave columns out, or look at --resamples"
            ));
        }
    }
    let coefficients = model.model.coefficients(&model.encoding);
    for column in model.selected_columns().into_iter().filter(|&column| !coefficients[column].is_finite()) {
        let name = &model.encoding.columns[column].name;
        warnings.push(format!(
            "the coefficient of '{name}' is beyond the range of numbers: give the column or the target other units"
        ));
    }
    if let Some(condition) = model.diagnostics.condition_after.as_ref().filter(|condition| condition.largest >= 1.0) {
        let (column, value) =
            condition.values.iter().copied().fold((0, 0.0), |most, pair| if pair.1 > most.1 { pair } else { most });
        warnings.push(format!(
            "Theorem 1's condition does not hold for '{}' ({value:.2}, it should be below 1): the selection may be wrong about it",
            model.encoding.columns[column].name
        ));
    }
    warnings
}
