//! Ways to fit a model that the stress test compares.

use super::without::Sheet;
use crate::design::{Bulk, Task, TrainingData, drawn_in};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::parameter::Positive;
use crate::passes::QuadraticFunction;
use crate::threads;
use crate::weights::{Balance, Mask, WeightFunction};
use serde::{Deserialize, Serialize};

/// Strengths of weights on the chosen columns, from weak to strong: the ridges of soft balance, [`Balance::ridge`].
const RIDGES: [Positive; 4] =
    [Positive::constant(100.0), Positive::constant(10.0), Positive::constant(1.0), Positive::constant(0.1)];
/// Those on all columns, which are looked at for reference only.
const RIDGES_OF_ALL: [Positive; 2] = [Positive::constant(10.0), Positive::constant(1.0)];
/// Pairs of columns up to which weights on all of them are worth their time.
const MOST_PAIRS: usize = 800;
/// Effective rows per coefficient that weights must leave.
const ROWS_PER_COEFFICIENT: f64 = 3.0;

/// Which variables a candidate takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variables {
    /// Those that were selected.
    Chosen,
    /// All.
    All,
}

/// What is minimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Squares; for classes the negative log-likelihood.
    Linear,
    /// Huber's loss.
    Robust,
    /// Boosted trees on what a straight line leaves.
    Trees,
    /// A network.
    Network,
}

impl Kind {
    /// Whether it can bend.
    pub fn is_flexible(self) -> bool {
        matches!(self, Kind::Trees | Kind::Network)
    }
}

/// A way to fit a model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The variables.
    pub variables: Variables,
    /// The loss.
    pub kind: Kind,
    /// The ridge of the soft balance that weighs the rows; `None` counts them alike.
    pub ridge: Option<Positive>,
    /// Whether far values of the columns are drawn in ([`Bulk::drawn_in`]).
    pub drawn_in: bool,
    /// Whether predictions are half-way between this fit and trees.
    #[serde(default)]
    pub halfway: bool,
    /// Whether predictions are held within the outcomes that training saw.
    #[serde(default)]
    pub held: bool,
    /// Whether the straight line is half-way to least squares (logistic regression) on all columns.
    #[serde(default)]
    pub beside_all: bool,
}

impl Candidate {
    /// Rows alike and columns as they are.
    pub fn plain(variables: Variables, kind: Kind) -> Self {
        Self { variables, kind, ridge: None, drawn_in: false, halfway: false, held: false, beside_all: false }
    }

    /// Whether it can bend.
    pub fn is_flexible(&self) -> bool {
        self.kind.is_flexible() || self.halfway
    }

    /// What it is called.
    pub fn name(&self, task: Task) -> String {
        let mut name = match (task, self.kind) {
            (_, Kind::Trees) => "trees".to_string(),
            (_, Kind::Network) => "network".into(),
            (Task::Classification, _) => "logistic".into(),
            (Task::Regression, Kind::Linear) => "linear".into(),
            (Task::Regression, Kind::Robust) => "robust".into(),
        };
        if let Some(ridge) = self.ridge {
            name += &format!(", weights at ridge {}", ridge.get());
        }
        if self.drawn_in {
            name += ", far values drawn in";
        }
        if self.beside_all {
            name += ", half-way to all columns";
        }
        if self.halfway {
            name += ", half-way to trees";
        }
        if self.held {
            name += ", within outcomes seen";
        }
        if self.variables == Variables::All {
            name += ", all columns";
        }
        name
    }
}

/// Weights of some strength on some columns.
pub(super) struct Strength {
    pub variables: Variables,
    pub ridge: Positive,
    /// One per row, without base weights.
    pub weights: Vec<f64>,
    /// Of all columns of the table.
    pub function: QuadraticFunction,
    pub effective_sample_size: f64,
}

/// What candidates are made from.
pub(super) struct Material {
    /// Per kind of variables and whether far values are drawn in.
    sheets: Vec<(Variables, bool, Sheet)>,
    strengths: Vec<Strength>,
    pub bulks: Vec<Option<Bulk>>,
    task: Task,
}

impl Material {
    /// `chosen` are encoded columns in order; far values are drawn in if that `can` be done in the end.
    pub(super) fn new(data: &TrainingData, chosen: &[usize], can_draw_in: bool) -> Result<Self> {
        let all: Vec<usize> = (0..data.columns()).collect();
        let bulks = data.bulks();
        let mut sheets = vec![(Variables::All, false, sheet(data, &all, None))];
        sheets.push((Variables::Chosen, false, sheet(data, chosen, None)));
        if can_draw_in && chosen.iter().any(|&k| bulks[k].is_some()) {
            sheets.push((Variables::Chosen, true, sheet(data, chosen, Some(&bulks))));
        }
        let of_all = if all.len() * all.len().saturating_sub(1) / 2 <= MOST_PAIRS && chosen.len() < all.len() {
            &RIDGES_OF_ALL[..]
        } else {
            &[]
        };
        let (one, other) = threads::join(
            || strengths(data, Variables::Chosen, chosen, &RIDGES),
            || strengths(data, Variables::All, &all, of_all),
        );
        let strengths = one?.into_iter().chain(other?).collect();
        Ok(Self { sheets, strengths, bulks, task: data.target.task() })
    }

    /// The candidates on the chosen variables, the plain one first, then those on all, least squares first.
    pub(super) fn candidates(&self, all_are_chosen: bool) -> Vec<Candidate> {
        let kinds: &[Kind] = match self.task {
            Task::Regression => &[Kind::Robust, Kind::Linear],
            // Residuals of classes are bounded anyway.
            Task::Classification => &[Kind::Linear],
        };
        let mut found = Vec::new();
        for &(variables, drawn_in, _) in self.sheets.iter().skip(1) {
            let ridges = self.strengths.iter().filter(|strength| strength.variables == variables);
            for ridge in std::iter::once(None).chain(ridges.map(|strength| Some(strength.ridge))) {
                let of_kind = |&kind: &Kind| Candidate { ridge, drawn_in, ..Candidate::plain(variables, kind) };
                found.extend(kinds.iter().map(of_kind));
            }
        }
        if !all_are_chosen {
            found.push(Candidate::plain(Variables::All, Kind::Linear));
            found.extend(
                kinds.first().filter(|kind| **kind == Kind::Robust).map(|&k| Candidate::plain(Variables::All, k)),
            );
            let ridges = self.strengths.iter().filter(|strength| strength.variables == Variables::All);
            let kind = kinds[0];
            found.extend(ridges.map(|s| Candidate { ridge: Some(s.ridge), ..Candidate::plain(Variables::All, kind) }));
        }
        found
    }

    /// The rows as a candidate sees them.
    pub(super) fn sheet(&self, candidate: &Candidate) -> Option<&Sheet> {
        let fits = |(variables, drawn_in, _): &&(Variables, bool, Sheet)| {
            *variables == candidate.variables && *drawn_in == candidate.drawn_in
        };
        self.sheets.iter().find(fits).map(|(_, _, sheet)| sheet)
    }

    /// The weights of a candidate, if it has any.
    pub(super) fn strength(&self, candidate: &Candidate) -> Option<&Strength> {
        let fits = |found: &&Strength| found.variables == candidate.variables && Some(found.ridge) == candidate.ridge;
        self.strengths.iter().find(fits)
    }
}

pub(super) fn sheet(data: &TrainingData, columns: &[usize], bulks: Option<&[Option<Bulk>]>) -> Sheet {
    let rows = Matrix::from_fn(data.rows(), columns.len() + 1, |row, k| match (k, bulks) {
        (0, _) => 1.0,
        (_, None) => data.design[(row, columns[k - 1] + 1)],
        (_, Some(bulks)) => drawn_in(bulks[columns[k - 1]], data.design[(row, columns[k - 1] + 1)]),
    });
    let classes = data.target.task() == Task::Classification;
    Sheet { rows, outcome: if classes { data.labels() } else { data.outcome.clone() }, classes }
}

/// Weights that balance some columns ever more closely, each search from where the one before ended; those that were not found
/// or rest on too few rows are left out, and so are all that are stronger.
fn strengths(
    data: &TrainingData,
    variables: Variables,
    columns: &[usize],
    ridges: &[Positive],
) -> Result<Vec<Strength>> {
    let mut found: Vec<Strength> = Vec::new();
    let cut = data.with_columns(columns);
    let mask = Mask::all(&cut);
    if mask.pairs().is_empty() {
        return Ok(found);
    }
    let mut start: Option<QuadraticFunction> = None;
    for &ridge in ridges {
        let balance = Balance {
            ridge: Some(ridge),
            tolerance: Positive::constant(1e-5),
            max_iterations: 100,
            ..Balance::default()
        };
        let reweighted = balance.solve(&cut, &mask, start.as_ref())?;
        let least = ROWS_PER_COEFFICIENT * (columns.len() + 1) as f64;
        let size = reweighted.weights.effective_sample_size();
        let Some(WeightFunction::Quadratic(function)) =
            reweighted.function.filter(|_| reweighted.stop.converged() && size >= least)
        else {
            break;
        };
        found.push(Strength {
            variables,
            ridge,
            weights: reweighted.weights.values(&cut).into_owned(),
            function: function.among(columns, data.columns()),
            effective_sample_size: size,
        });
        start = Some(function);
    }
    Ok(found)
}
