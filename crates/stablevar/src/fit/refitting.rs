//! The refit, where a stress test chooses it.

use super::{Remembering, Step, Watch, fit_to, remember, uniform};
use crate::design::{Bulk, TrainingData};
use crate::error::Result;
use crate::finding::Finding;
use crate::foresight::TrainingMemory;
use crate::models::{AutoRefit, LinearModel, Mlp, Model, PlainLinear, Refit, Refitted, Trees, TreesModel};
use crate::passes::{QuadraticFunction, RowSource, Weighting};
use crate::stress::{Chosen, Kind, Question, RefitChoice, Variables, choose, range};
use crate::weights::SampleWeights;

/// A refit and how it came about.
pub(super) struct Refitting {
    pub refitted: Refitted,
    /// The variables that it takes.
    pub selected: Vec<usize>,
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
        return Ok(Refitting { refitted, selected, weights: None, memory, choice: None, findings: Vec::new() });
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
    let selected = match choice.candidate.variables {
        Variables::Chosen => selected,
        Variables::All => (0..features.len()).collect(),
    };
    let weights = function.map(|function| SampleWeights::by_function(data, function)).transpose()?;
    let alike = uniform(data);
    let used = weights.as_ref().map_or(&alike, |(weights, _)| weights);
    choice.n_eff = used.effective_sample_size();
    let refit = match choice.candidate.kind {
        Kind::Linear => Refit::Linear(PlainLinear),
        Kind::Robust => Refit::Robust(auto.robust),
        Kind::Trees => Refit::Trees(Trees { limit: auto.robust.limit, ..Trees::default() }),
        Kind::Network => Refit::Network(Mlp::default()),
    };
    let columns: Vec<usize> =
        selected.iter().flat_map(|&variable| features[variable].columns.iter().copied()).collect();
    let moderation = Moderation {
        // Far values are drawn in for rows in memory alone.
        bulks: bulks.filter(|_| data.memory().is_some()),
        trees: choice.candidate.halfway.then_some(Trees { limit: auto.robust.limit, ..Trees::default() }),
        held: choice.candidate.held,
    };
    let refitted = moderation.fit(&refit, data, &columns, used.weighting(), seed)?;
    let (refit, moderation) = (refit.again(&refitted.model), moderation.again(&refitted.model));
    let again = |rows: &TrainingData, weighting: &Weighting| {
        moderation.fit(&refit, rows, &columns, weighting, seed).map(|refitted| refitted.model)
    };
    let memory = TrainingMemory::gather(data, used.weighting(), most, &again)?;
    Ok(Refitting { refitted, selected, weights, memory, choice: Some(choice), findings })
}

/// What keeps a fit from going too far.
struct Moderation {
    /// Where far values of the columns begin, if they are drawn in.
    bulks: Option<Vec<Bulk>>,
    /// The trees that predictions go half-way to, if they do.
    trees: Option<Trees>,
    /// Whether predictions are held within the outcomes of the rows fitted.
    held: bool,
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
        let Some(memory) = rows.memory() else { return refit.kind().fit(rows, columns, weighting, seed) };
        let mut refitted = match &self.bulks {
            Some(bulks) => {
                // Weights are functions of the columns as they are, so they are taken before far values are drawn in.
                let given = SampleWeights::new(weighting.of_design(&memory.design).into_owned(), &memory.base);
                refit.kind().fit(&memory.drawn_in(bulks), columns, given.weighting(), seed)?
            }
            None => refit.kind().fit(rows, columns, weighting, seed)?,
        };
        let Model::Linear(mut line) = refitted.model else { return Ok(refitted) };
        if let Some(bulks) = &self.bulks {
            line = line.on_drawn_in(bulks.clone());
        }
        let seen = self.held.then(|| range(memory.outcome.iter().copied()));
        refitted.model = match &self.trees {
            Some(trees) => {
                let model = trees.fit_beside(memory, columns, &Weighting::Equal, Some(line))?;
                Model::Trees(seen.into_iter().fold(model, TreesModel::held_within))
            }
            None => Model::Linear(seen.into_iter().fold(line, LinearModel::held_within)),
        };
        Ok(refitted)
    }

    /// The same with as many trees as there are in a model, which took longer to find out than to grow.
    fn again(self, fitted: &Model) -> Self {
        let rounds = match fitted {
            Model::Trees(model) => Some(model.trees()),
            Model::Linear(_) | Model::Network(_) => None,
        };
        Self { trees: self.trees.map(|trees| Trees { rounds, ..trees }), ..self }
    }
}
