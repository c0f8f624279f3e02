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
mod rule;
mod trial;
mod without;

pub use anew::{FitAnew, Honest, honest_estimate, losses_anew};
pub use candidates::{Candidate, Kind, Variables};
pub(crate) use judging::range;
pub use judging::{Difference, Figures, HeldOut, Losses};
pub use regions::{Region, Regions, folds};
pub use rule::plain_kind;
pub use trial::Trial;
pub(crate) use trial::{halfway, not_told_unstable, plain_outputs, plain_outputs_by_part};

use crate::design::{Bulk, TrainingData};
use crate::error::Result;
use crate::finding::Finding;
use crate::parameter::Positive;
use crate::passes::{QuadraticFunction, RowSource};
use crate::rows::evenly_spaced;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::ControlFlow;

/// Rows that the stress test looks at; of more, evenly spaced ones.
const MOST_ROWS: usize = 20_000;

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
