//! What is known after a fit.

use super::EnvironmentEffects;
use crate::design::{ColumnSummary, Encoding, EncodingReport, Standing, Task, Told};
use crate::diagnostics::SelectionCondition;
use crate::error::{Error, Result};
use crate::evidence::{Source, Sufficiency, VariableEvidence};
use crate::finding::Finding;
use crate::foresight::{Foresight, Known, NewRows, ShiftCurve, ShiftGrid, ShiftPoint, Tilts, TrainingMemory};
use crate::linalg::Matrix;
use crate::method::Method;
use crate::models::Model;
use crate::notation::Reading;
use crate::selection::StandIn;
use crate::stress::RefitChoice;
use crate::svi::Loop;
use crate::table::Table;
use crate::weights::{Reached, WeightFunction, WeightProfile};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Correlations are kept of so many encoded columns at most: more could not be shown, and would fill the file.
pub(crate) const MOST_CORRELATED: usize = 600;
/// Loops, or penalties of a path, that a model may hold.
const MOST_STEPS: usize = 100_000;

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
    /// Positions of the variables that the model takes, if these are not the selected ones alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken: Vec<usize>,
    /// Per variable the probability of being stable: by its evidence if that was asked for, else that its gate is
    /// open; 1 or 0 for methods without gates.
    pub open_probability: Vec<f64>,
    /// The model on the selected variables.
    pub model: Model,
    /// How that model was chosen, if that was left to a stress test.
    #[serde(default)]
    pub refit: Option<RefitChoice>,
    /// The weights as a function of the row, where the method has one: those of the refit if it is under weights, else those
    /// that served to tell the variables apart.
    pub weight_function: Option<WeightFunction>,
    /// Effective sample size of the weights.
    pub effective_sample_size: f64,
    /// What the weights did and how far the selection can be trusted.
    pub diagnostics: Diagnostics,
    /// Per variable what the data say about it alone, if that was asked for.
    pub evidence: Option<Vec<VariableEvidence>>,
    /// Whether the selected variables predict as well as all, if there is evidence.
    pub sufficiency: Option<Sufficiency>,
    /// Where the evidence came from.
    pub evidence_source: Option<Source>,
    /// Per variable the share of random halves of the rows in which it was selected, if that was asked for.
    pub selection_frequency: Option<Vec<f64>>,
    /// Variables left out that could take the place of selected ones.
    pub stand_ins: Vec<StandIn>,
    /// Columns of which it was told what they are.
    #[serde(default)]
    pub told: Told,
    /// Correlations of the encoded columns before weighting; empty where there are very many.
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
    pub warnings: Vec<Finding>,
    /// The chosen variables' effects in every environment, if the rows have any.
    #[serde(default)]
    pub environments: Option<EnvironmentEffects>,
    /// Training rows with held-out predictions, from which errors elsewhere are foreseen; `None` where there are too few, or
    /// where none were to be remembered.
    pub memory: Option<TrainingMemory>,
    /// What the table's columns held, those that carry nothing among them; nothing in older files.
    #[serde(default)]
    pub columns: Vec<ColumnSummary>,
    /// How the texts of its table's columns were read, where that was from a file: new files are read alike.
    #[serde(default)]
    pub reading: Reading,
    /// How it was made.
    pub origin: Origin,
}

impl FittedModel {
    /// Checks that the parts fit together, which a file changed by hand may not do.
    pub fn check(&self) -> std::result::Result<(), String> {
        let (features, columns) = (self.encoding.features.len(), self.encoding.columns.len());
        // Of very many columns none are kept.
        let square = |matrix: &Matrix| {
            let size = (matrix.rows(), matrix.columns());
            size == (columns, columns) || (columns > MOST_CORRELATED && size == (0, 0))
        };
        let known = |variables: &[usize]| variables.iter().all(|&variable| variable < features);
        let evidence_fits = |evidence: &VariableEvidence| {
            known(&evidence.alternatives)
                && known(&evidence.judged_without)
                && evidence.alternatives.len() <= features
                && evidence.judged_without.len() <= features
        };
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
            && known(&self.selected)
            && known(&self.taken)
            && self.selected.iter().collect::<BTreeSet<_>>().len() == self.selected.len()
            && self.encoding.is_whole()
            && self
                .weight_function
                .as_ref()
                .is_none_or(|function| function.columns() == columns && function.is_whole())
            && self
                .evidence
                .as_ref()
                .is_none_or(|evidence| evidence.len() == features && evidence.iter().all(evidence_fits))
            && self.selection_frequency.as_ref().is_none_or(|frequency| frequency.len() == features)
            && self.stand_ins.iter().all(|pair| pair.variable < features && pair.stands_for < features)
            && self.memory.as_ref().is_none_or(|memory| memory.is_whole(columns))
            && self.columns.iter().all(ColumnSummary::is_whole)
            && square(&self.initial_correlations)
            && self.diagnostics.correlations.as_ref().is_none_or(square)
            && self.diagnostics.remaining_pair.is_none_or(|(i, j)| i < columns && j < columns)
            && self.diagnostics.weights.as_ref().is_none_or(WeightProfile::is_whole)
            && self.history.iter().all(loop_fits)
            && [self.history.len(), self.penalty_path.len()].into_iter().all(|steps| steps <= MOST_STEPS)
            && self.penalty_path.iter().all(|(_, open)| open.len() == features)
            && conditions
                .into_iter()
                .flatten()
                .all(|condition| condition.values.iter().all(|&(column, _)| column < columns));
        if fits { Ok(()) } else { Err("the parts of the model do not fit together".into()) }
    }

    /// Of very many columns correlations are not kept.
    pub(super) fn forget_correlations(&mut self) {
        if self.encoding.columns.len() > MOST_CORRELATED {
            self.initial_correlations = Matrix::zeros(0, 0);
            self.diagnostics.correlations = self.diagnostics.correlations.take().map(|_| Matrix::zeros(0, 0));
            self.history.iter_mut().for_each(|step| step.correlations = Matrix::zeros(0, 0));
        }
    }

    /// The coefficient of every encoded column that the model uses by its name, in the user's units; for classes in
    /// log-odds, of a network the mean slope over the training rows.
    pub fn coefficients(&self) -> Vec<(&str, f64)> {
        let all = self.model.coefficients(&self.encoding);
        let columns = self.used_columns().into_iter();
        columns.map(|column| (self.encoding.columns[column].name.as_str(), all[column])).collect()
    }

    /// The constant in the user's units; a network has none.
    pub fn intercept(&self) -> Option<f64> {
        self.model.intercept(&self.encoding)
    }

    /// Predictions for the rows of a table, for classes the probability of the second. The table needs only the
    /// columns that the model uses.
    pub fn predict(&self, table: &Table) -> Result<Vec<f64>> {
        Ok(self.predict_and_report(table)?.0)
    }

    /// The same with what was out of the ordinary in these rows.
    pub fn predict_and_report(&self, table: &Table) -> Result<(Vec<f64>, EncodingReport)> {
        let (design, report) = self.encoding.encode_variables(table, self.used())?;
        let predictions = self.model.predict(&design);
        if let Some(row) = predictions.iter().position(|value| !value.is_finite()) {
            return Err(Error::PredictionOverflow { row: row + 1, value: predictions[row] });
        }
        Ok((predictions, report))
    }

    /// New rows without outcomes, to be added part by part; then [`NewRows::foresee`] says what is to be expected there.
    pub fn new_rows(&self) -> Result<NewRows<'_>> {
        Ok(NewRows::new(self.known()?))
    }

    /// What is to be expected on new rows without outcomes: which columns drifted, how much lies outside what training saw,
    /// and the error.
    pub fn foresee(&self, table: &Table) -> Result<Foresight> {
        let mut rows = self.new_rows()?;
        rows.add(table)?;
        rows.foresee()
    }

    /// The error as a function of where a column's mean is, by tilts of the training rows.
    pub fn shift_curve(&self, column: &str) -> Result<ShiftCurve> {
        Ok(Tilts::new(self.known()?).curve(self.variable(column)?))
    }

    /// The same for every column, the most dangerous first.
    pub fn shift_curves(&self) -> Result<Vec<ShiftCurve>> {
        Ok(Tilts::new(self.known()?).curves())
    }

    /// The error when several columns' means move at once, each by so many standard deviations; text of more than two levels
    /// has no one share to move.
    pub fn shifted(&self, shifts: &[(&str, f64)]) -> Result<ShiftPoint> {
        let column = |&(name, by): &(&str, f64)| match self.encoding.features[self.variable(name)?].columns[..] {
            [column] if by.is_finite() => Ok((column, by)),
            [_] => Err(Error::BadRequest(format!("'{name}' can't be moved by {by}"))),
            _ => Err(Error::BadRequest(format!("'{name}' holds text, which has no mean to move"))),
        };
        Ok(Tilts::new(self.known()?).point(&shifts.iter().map(column).collect::<Result<Vec<_>>>()?))
    }

    /// The error when the means of two columns move together or apart.
    pub fn shift_grid(&self, first: &str, second: &str) -> Result<ShiftGrid> {
        if first == second {
            return Err(Error::BadRequest(format!("'{first}' stands twice: give two columns")));
        }
        Ok(Tilts::new(self.known()?).grid([self.variable(first)?, self.variable(second)?]))
    }

    fn variable(&self, name: &str) -> Result<usize> {
        self.encoding
            .features
            .iter()
            .position(|feature| feature.name == name)
            .ok_or_else(|| Error::UnknownColumn { column: name.to_string(), available: self.encoding.feature_names() })
    }

    fn known(&self) -> Result<Known<'_>> {
        let memory = self.memory.as_ref().ok_or(Error::NothingRemembered { asked_for: self.method.remember == 0 })?;
        Ok(Known {
            encoding: &self.encoding,
            used: self.used(),
            model: &self.model,
            memory,
            classes: self.classes.is_some(),
            rows: self.rows,
        })
    }

    /// Whether the stress test chose weights for the refit: then they are the model's.
    pub fn refit_is_weighted(&self) -> bool {
        self.refit.as_ref().is_some_and(|refit| refit.strength.is_some())
    }

    /// The class of every row from the probabilities of the second.
    pub fn labels<'a>(&'a self, probabilities: &'a [f64]) -> impl Iterator<Item = &'a str> {
        let classes = self.classes.as_ref().map_or(["", ""], |[first, second]| [first, second]);
        probabilities.iter().map(move |p| classes[usize::from(*p >= 0.5)])
    }

    /// What was told of a variable, by its position.
    pub fn standing(&self, variable: usize) -> Option<Standing> {
        self.encoding.features.get(variable).and_then(|feature| self.told.of(&feature.name))
    }

    /// Names of the selected variables.
    pub fn selected_names(&self) -> Vec<&str> {
        self.selected.iter().map(|&variable| self.encoding.features[variable].name.as_str()).collect()
    }

    /// Encoded columns of the selected variables.
    pub fn selected_columns(&self) -> Vec<usize> {
        self.columns_of(&self.selected)
    }

    /// Positions of the variables that the model uses: the selected ones, and all others too where it is half-way to all columns.
    pub fn used(&self) -> &[usize] {
        if self.taken.is_empty() { &self.selected } else { &self.taken }
    }

    /// Names of the variables that the model uses.
    pub fn used_names(&self) -> Vec<&str> {
        self.used().iter().map(|&variable| self.encoding.features[variable].name.as_str()).collect()
    }

    /// Encoded columns of the variables that the model uses.
    pub fn used_columns(&self) -> Vec<usize> {
        self.columns_of(self.used())
    }

    fn columns_of(&self, variables: &[usize]) -> Vec<usize> {
        variables.iter().flat_map(|&variable| self.encoding.features[variable].columns.iter().copied()).collect()
    }
}

/// How a model was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The version that made it.
    pub version: String,
    /// The command or the call, if it is known.
    pub command: Option<String>,
}

impl Default for Origin {
    fn default() -> Self {
        Self { version: env!("CARGO_PKG_VERSION").into(), command: None }
    }
}

/// What the weights did and how far the selection can be trusted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Diagnostics {
    /// Share of the rows whose weight had to be cut off, where the weights are a ratio of densities.
    pub truncated: Option<f64>,
    /// How far balance got, where it went as far as the rows allow.
    #[serde(default)]
    pub balance: Option<Reached>,
    /// How the weights are spread; `None` without weights.
    pub weights: Option<WeightProfile>,
    /// Correlations of the encoded columns under the weights, for methods without loops, which keep theirs.
    pub correlations: Option<Matrix>,
    /// Largest weighted correlation left among pairs to be decorrelated; `None` without weights.
    pub remaining_correlation: Option<f64>,
    /// The encoded columns that have it.
    pub remaining_pair: Option<(usize, usize)>,
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
