//! A method is a recipe of three stages: how rows are weighed, how variables are chosen, what is fitted to them.
//!
//! The named methods are one table of presets ([`PRESETS`]). What a recipe can predict, whether it needs all rows in memory and
//! which settings have an effect on it is derived from its stages, never listed per method.

mod presets;

pub use presets::{PRESETS, Preset, preset};

use crate::design::Task;
use crate::error::{Error, Result};
use crate::gates::AnyGates;
use crate::models::{Lasso, Mlp, Refit};
use crate::selection::Rule;
use crate::svi::Svi;
use crate::weights::AnyReweighter;
use serde::{Deserialize, Serialize};

/// A recipe of stages under the name of the preset it was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Method {
    name: String,
    /// How rows are weighed; `None` leaves them alike.
    pub weigh: Option<AnyReweighter>,
    /// How variables are chosen.
    pub choose: Choose,
    /// What is fitted to the variables chosen.
    pub refit: Refit,
    /// Training rows that the model keeps with their outcomes at most, from which errors elsewhere are foreseen.
    #[serde(default = "remembered_rows")]
    pub remember: usize,
    /// Regions without which the whole is fitted anew, selection and all, for an honest estimate of errors elsewhere.
    #[serde(default)]
    pub honest: usize,
}

/// Training rows that a model keeps unless another number is asked for.
pub const REMEMBERED_ROWS: usize = 4_000;

fn remembered_rows() -> usize {
    REMEMBERED_ROWS
}

/// How variables are chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choose {
    /// All of them.
    All,
    /// Those whose gates are open under the weights.
    Gates {
        /// The gates.
        gates: AnyGates,
        /// Which are open enough.
        rule: Rule,
    },
    /// Algorithm 1: weights and gates in a loop, or evidence for every variable.
    Loop(Svi),
    /// Those that the Lasso gives a coefficient.
    Lasso(Lasso),
}

/// The name of a part of a recipe. Settings say which parts they apply to: `table` (every method has it), `weigh` and one of
/// `balance`, `dwr`, `srdo`; `loop`, `evidence`, `resampling`, `rule`, `gates` and `linear-gates`, `lasso`; `refit` and
/// its kind.
pub type Stage = &'static str;

impl Method {
    /// A preset by its name.
    pub fn named(name: &str) -> Result<Self> {
        Ok(preset(name)?.method())
    }

    /// The name of the preset it was made from.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The parts it is made of.
    pub fn stages(&self) -> Vec<Stage> {
        let mut stages = vec!["table", "refit", self.refit.name()];
        // A robust fit is among those that are chosen between.
        stages.extend(self.refit.auto().map(|_| "robust"));
        stages.extend(self.weigh.iter().flat_map(|reweighter| ["weigh", reweighter.name()]));
        stages.extend(self.gates().into_iter().flat_map(|gates| ["gates", gates.stage()]));
        match &self.choose {
            Choose::All => {}
            Choose::Gates { .. } => stages.push("rule"),
            Choose::Loop(settings) => {
                stages.extend(["loop", "rule"]);
                stages.extend(settings.evidence.map(|_| "evidence"));
                stages.extend(settings.resampling.resamples.map(|_| "resampling"));
            }
            Choose::Lasso(_) => stages.push("lasso"),
        }
        stages
    }

    /// The gates, where there are any.
    pub fn gates(&self) -> Option<&AnyGates> {
        match &self.choose {
            Choose::Gates { gates, .. } => Some(gates),
            Choose::Loop(settings) => Some(&settings.gates),
            Choose::All | Choose::Lasso(_) => None,
        }
    }

    /// The loop's settings, for methods that have one.
    pub fn loop_settings(&self) -> Option<&Svi> {
        match &self.choose {
            Choose::Loop(settings) => Some(settings),
            _ => None,
        }
    }

    /// The rule by which variables are chosen, for methods that have one.
    pub fn rule(&self) -> Option<&Rule> {
        match &self.choose {
            Choose::Gates { rule, .. } => Some(rule),
            Choose::Loop(settings) => Some(&settings.rule),
            Choose::All | Choose::Lasso(_) => None,
        }
    }

    /// Whether the method looks for stable variables, rather than for variables that predict well here.
    pub fn seeks_stability(&self) -> bool {
        self.loop_settings().is_some()
    }

    /// The part of the method, if there is one, that can't do with passes over rows elsewhere.
    pub fn needs_memory(&self) -> Option<&'static str> {
        let of_choice = match &self.choose {
            Choose::Lasso(_) => Some("the Lasso"),
            Choose::Loop(settings) => settings.resampling.resamples.map(|_| "selection over resamples"),
            _ => None,
        };
        let of_gates = self.gates().and_then(AnyGates::network).map(|_| "a gated network");
        let of_weights = self.weigh.as_ref().and_then(|reweighter| reweighter.kind().needs_memory());
        of_weights.or(of_choice).or(of_gates).or(self.refit.kind().needs_memory())
    }

    /// What the method can predict.
    pub fn tasks(&self) -> Vec<Task> {
        let offered = preset(&self.name).map_or(&[Task::Regression, Task::Classification][..], |preset| preset.tasks);
        let can = |task: &Task| {
            *task == Task::Regression
                || self.refit.kind().predicts_classes() && !matches!(self.choose, Choose::Lasso(_))
        };
        offered.iter().copied().filter(can).collect()
    }

    /// Refuses a recipe whose parts do not go together, or that can't learn this from so many rows and columns.
    pub fn check(&self, task: Task, target: &str, rows: usize, columns: usize) -> Result<()> {
        let bad = |text: &str| Err(Error::BadRequest(text.into()));
        match (&self.choose, &self.weigh, &self.refit) {
            (Choose::Lasso(_), Some(_), _) => return bad("the Lasso does not weigh rows"),
            (Choose::Loop(_), None, _) => return bad("Algorithm 1 needs a way to weigh rows"),
            (Choose::Lasso(_), None, Refit::Kept(_)) => {}
            (_, _, Refit::Kept(_)) => return bad("there is no model to keep: variables were chosen without one"),
            (Choose::All, None, refit) if refit.kind().takes_wide_tables() => {}
            _ if rows <= columns + 1 => return Err(Error::TooFewRowsForColumns { rows, columns }),
            _ => {}
        }
        if !self.tasks().contains(&task) {
            let wanted = if task == Task::Regression { "numbers" } else { "two classes" };
            return bad(&format!("{} can't predict {wanted}, which the target '{target}' holds", self.name));
        }
        let of_weights = self.weigh.as_ref().and_then(|reweighter| reweighter.kind().network());
        let networks = [of_weights, self.gates().and_then(AnyGates::network), self.refit.kind().network()];
        networks.into_iter().flatten().try_for_each(Mlp::check)
    }
}

impl Default for Method {
    /// The first preset: Algorithm 1 guided by evidence, which measured best.
    fn default() -> Self {
        PRESETS[0].method()
    }
}
