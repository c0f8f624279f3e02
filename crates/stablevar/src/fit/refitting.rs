//! The refit, where a stress test chooses it.

use super::{Remembering, Step, Watch, fit_to, remember, uniform};
use crate::design::{Bulk, TrainingData};
use crate::error::Result;
use crate::finding::Finding;
use crate::foresight::TrainingMemory;
use crate::models::{AutoRefit, Fitting, LinearModel, Model, PlainLinear, Refit, Refitted, Trees, TreesModel};
use crate::passes::{QuadraticFunction, RowSource, Weighting};
use crate::stress::{Chosen, Kind, Question, RefitChoice, choose, not_told_unstable, range};
use crate::weights::SampleWeights;

/// A refit and how it came about.
pub(super) struct Refitting {
    pub refitted: Refitted,
    /// The variables chosen.
    pub selected: Vec<usize>,
    /// The variables that it takes, if these are not the chosen ones alone.
    pub taken: Vec<usize>,
    /// Its weights, if rows do not count alike.
    pub weights: Option<(SampleWeights, QuadraticFunction)>,
    /// Training rows with its held-out predictions.
    pub memory: Option<TrainingMemory>,
    pub choice: Option<RefitChoice>,
    pub findings: Vec<Finding>,
}

/// Fits a model to the variables chosen, by the way that a stress test chooses if that is asked for.
pub(super) fn refit_chosen(
    data: &dyn RowSource,
    remembering: Remembering<'_>,
    selected: Vec<usize>,
    sufficient: Option<bool>,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Refitting> {
    let (refit, most) = remembering;
    let Refit::Auto(auto) = refit else {
        let alike = uniform(data);
        let refitted = fit_to(refit, data, &selected, &alike, seed)?;
        let memory = remember(remembering, &refitted, data, &selected, &alike, seed)?;
        let taken = Vec::new();
        return Ok(Refitting { refitted, selected, taken, weights: None, memory, choice: None, findings: Vec::new() });
    };
    let question = Question { selected: &selected, sufficient, limit: auto.robust.limit };
    let chosen = choose(data, &question, &|candidates| watch(Step::Candidate(candidates)))?;
    carry_out(data, (auto, most), selected, chosen, seed)
}

/// Fits what was chosen to all rows.
fn carry_out(
    data: &dyn RowSource,
    (auto, most): (&AutoRefit, usize),
    selected: Vec<usize>,
    chosen: Chosen,
    seed: u64,
) -> Result<Refitting> {
    let Chosen { mut choice, function, bulks, findings } = chosen;
    let features = &data.frame().encoding.features;
    let weights = function.map(|function| SampleWeights::by_function(data, function)).transpose()?;
    let alike = uniform(data);
    let used = weights.as_ref().map_or(&alike, |(weights, _)| weights);
    choice.n_eff = used.effective_sample_size();
    // Trees and networks by themselves are never taken.
    let refit = match choice.candidate.kind {
        Kind::Robust => Refit::Robust(auto.robust),
        Kind::Linear | Kind::Trees | Kind::Network => Refit::Linear(PlainLinear),
    };
    let columns_of = |variables: &[usize]| -> Vec<usize> {
        variables.iter().flat_map(|&variable| features[variable].columns.iter().copied()).collect()
    };
    let columns = columns_of(&selected);
    let taken = if choice.candidate.beside_all { not_told_unstable(data.frame()) } else { Vec::new() };
    let moderation = Moderation {
        // Far values are drawn in for rows in memory alone.
        bulks: bulks.filter(|_| data.memory().is_some()),
        beside: choice.candidate.beside_all.then(|| columns_of(&taken)),
        trees: choice.candidate.halfway.then(|| Trees::affordable(auto.robust.limit)),
        held: choice.candidate.held,
        described: true,
    };
    let refitted = moderation.fit(&refit, data, &columns, used.weighting(), seed)?;
    let (refit, moderation) = (refit.again(&refitted.model), moderation.again(&refitted.model));
    let again = |rows: &TrainingData, weighting: &Weighting| {
        moderation.fit(&refit, rows, &columns, weighting, seed).map(|refitted| refitted.model)
    };
    let memory = TrainingMemory::gather(data, used.weighting(), most, &again)?;
    Ok(Refitting { refitted, selected, taken, weights, memory, choice: Some(choice), findings })
}

/// What keeps a fit from going too far.
struct Moderation {
    /// Where far values of the columns begin, if they are drawn in.
    bulks: Option<Vec<Option<Bulk>>>,
    /// The columns of the plain fit that the straight line goes half-way to, if it does.
    beside: Option<Vec<usize>>,
    /// The trees that predictions go half-way to, if they do.
    trees: Option<Trees>,
    /// Whether predictions are held within the outcomes of the rows fitted.
    held: bool,
    /// Whether it is to be told how much every column matters.
    described: bool,
}

impl Moderation {
    fn fit(
        &self,
        refit: &Refit,
        rows: &dyn RowSource,
        columns: &[usize],
        weighting: &Weighting,
        seed: u64,
    ) -> Result<Refitted> {
        let mut refitted = match (&self.bulks, rows.memory()) {
            (Some(bulks), Some(memory)) => {
                // Weights are functions of the columns as they are, so they are taken before far values are drawn in.
                let given = SampleWeights::new(weighting.of_design(&memory.design).into_owned(), &memory.base);
                refit.kind().fit(&memory.drawn_in(bulks), columns, given.weighting(), seed)?
            }
            _ => refit.kind().fit(rows, columns, weighting, seed)?,
        };
        let Model::Linear(mut line) = refitted.model else { return Ok(refitted) };
        if let Some(bulks) = &self.bulks {
            line = line.on_drawn_in(bulks.clone());
        }
        if let Some(all) = &self.beside
            && let Model::Linear(other) = PlainLinear.fit(rows, all, &Weighting::Equal, seed)?.model
        {
            line = line.halfway_to(&other);
        }
        let Some(memory) = rows.memory() else {
            refitted.model = Model::Linear(line);
            return Ok(refitted);
        };
        let seen = self.held.then(|| range(memory.outcome.iter().copied()));
        refitted.model = match &self.trees {
            Some(trees) => {
                let model = trees.fit_beside(memory, columns, line, self.described)?;
                Model::Trees(seen.into_iter().fold(model, TreesModel::held_within))
            }
            None => Model::Linear(seen.into_iter().fold(line, LinearModel::held_within)),
        };
        Ok(refitted)
    }

    /// The same for predictions alone, with as many trees as there are in a model, which took longer to find out than to grow.
    fn again(self, fitted: &Model) -> Self {
        let rounds = match fitted {
            Model::Trees(model) => Some(model.trees()),
            Model::Linear(_) | Model::Network(_) => None,
        };
        Self { trees: self.trees.map(|trees| Trees { rounds, ..trees }), described: false, ..self }
    }
}
