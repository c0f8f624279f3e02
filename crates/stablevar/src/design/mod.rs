//! From a table to the design matrix: encoding, standardisation, and what is left out and why.
//!
//! Every algorithm sees standardised columns behind a leading column of ones, so that one weighted
//! second-moment matrix holds the weights' mean, the columns' means and their correlations at once.
//! The [`Encoding`] remembers how that was done, so that every reported number is in the user's units
//! and new rows are treated like the training rows.

mod complete;
mod encoding;
mod environments;
mod far;
mod frame;
mod identifiers;
mod moments;
mod summary;
mod survey;
mod target;
mod told;
mod twofold;

pub(crate) use encoding::linear_combinations;
pub use encoding::{EncodedColumn, Encoding, EncodingReport, Feature, FeatureKind, RARE_LEVEL};
pub use environments::Environments;
pub use far::Bulk;
pub(crate) use far::drawn_in;
pub use frame::{Frame, KeptRows};
pub use identifiers::Identifiers;
pub use summary::ColumnSummary;
pub use survey::{ColumnKind, Survey, Used};
pub use target::{Target, Task, class_numbers, label_of};
pub use told::{Standing, Told};

use crate::error::{Error, Result};
use crate::functions::scrambled;
use crate::linalg::{Matrix, correlation_from_covariance, covariance_from_moments};
use crate::rows::weighted_cross_product;
use moments::Moments;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::ops::Deref;

/// Rows per different one up to which alike rows are no chance: beyond, columns have but a few values.
const SELDOM_ALIKE: usize = 4;

/// What to do with missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// Refuse the table and say where they are.
    #[default]
    Refuse,
    /// Leave out the rows that have any.
    Drop,
    /// Put the column's mean (for text: its most frequent level); rows without a target are left out.
    Mean,
}

/// What base weights mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WeightKind {
    /// How much a row counts beside the others, such as how many of a population it stands for. Their sum says nothing: they are
    /// scaled to sum to Kish's effective number of rows, `(sum w)^2 / sum w^2`.
    #[default]
    Survey,
    /// How often the row was seen: a count of 2 is the row standing twice.
    Frequency,
}

/// Which columns play which part, and how the table is to be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Roles {
    /// The outcome; `None` where rows are only to be weighed.
    pub target: Option<String>,
    /// What is predicted; `None` infers it: classes if the target holds true/false, text, or 0 and 1 alone.
    pub task: Option<Task>,
    /// Columns to ignore.
    pub exclude: Vec<String>,
    /// Base weights.
    pub weight_column: Option<String>,
    /// What names every row's environment; it is no covariate.
    pub environment: Option<String>,
    /// Columns of which it is known that they are stable, or that they are not.
    pub told: Told,
    /// What they mean.
    pub weight_kind: WeightKind,
    /// Rows of one group belong together: they are not taken for independent of each other.
    pub group: Option<String>,
    /// Texts that are to be read as numbers; those that are none are missing.
    pub numbers: Vec<String>,
    /// What to do with missing values.
    pub missing: Missing,
    /// The most levels a text column may have.
    pub max_levels: usize,
}

impl Roles {
    /// The defaults for a target: all other columns, no base weights, missing values refused.
    pub fn target(name: impl Into<String>) -> Self {
        Self { target: Some(name.into()), ..Self::covariates() }
    }

    /// The same without an outcome.
    pub fn covariates() -> Self {
        Self {
            target: None,
            task: None,
            exclude: Vec::new(),
            weight_column: None,
            environment: None,
            told: Told::default(),
            weight_kind: WeightKind::Survey,
            group: None,
            numbers: Vec::new(),
            missing: Missing::Refuse,
            max_levels: 100,
        }
    }
}

/// The rows to learn from, in memory.
#[derive(Debug, Clone)]
pub struct TrainingData {
    /// What is known of them without looking.
    pub frame: Frame,
    /// n x (p + 1): a column of ones, then the standardised columns.
    pub design: Matrix,
    /// Base weight of each row.
    pub base: Vec<f64>,
    /// The outcome of each row, standardised.
    pub outcome: Vec<f64>,
    /// The environment of each row, by its position in [`Environments::levels`], if there are any.
    pub environment: Option<Vec<u32>>,
    /// A mark of the group of each row, if rows belong together.
    pub groups: Option<Vec<u64>>,
    /// Which rows of the table these are.
    pub kept_rows: KeptRows,
}

/// Rows in memory are their frame and more.
impl Deref for TrainingData {
    type Target = Frame;

    fn deref(&self) -> &Frame {
        &self.frame
    }
}

impl TrainingData {
    /// Leaves the rows with these columns only; their frame is as it was.
    pub fn keep_columns(&mut self, keep: &[usize]) {
        let used: Vec<usize> = std::iter::once(0).chain(keep.iter().map(|column| column + 1)).collect();
        self.design = Matrix::from_fn(self.design.rows(), used.len(), |i, j| self.design[(i, used[j])]);
    }

    /// The same rows with these encoded columns alone, as if the table had no others.
    pub(crate) fn with_columns(&self, keep: &[usize]) -> Self {
        let mut cut = Self {
            frame: Frame {
                correlations: if self.correlations.rows() == 0 {
                    Matrix::zeros(0, 0)
                } else {
                    self.correlations.submatrix(keep)
                },
                inseparable: self.frame.inseparable_among(keep),
                ..self.frame.clone()
            },
            design: Matrix::zeros(0, 0),
            base: self.base.clone(),
            outcome: self.outcome.clone(),
            environment: self.environment.clone(),
            groups: self.groups.clone(),
            kept_rows: self.kept_rows.clone(),
        };
        cut.frame.encoding.keep_columns(keep);
        let used: Vec<usize> = std::iter::once(0).chain(keep.iter().map(|column| column + 1)).collect();
        cut.design = Matrix::from_fn(self.design.rows(), used.len(), |i, j| self.design[(i, used[j])]);
        cut
    }

    /// Some of the rows as they are.
    pub(crate) fn pick(&self, rows: &[usize]) -> Self {
        let base: Vec<f64> = rows.iter().map(|&row| self.base[row]).collect();
        Self {
            frame: Frame { rows: rows.len(), total: base.iter().sum(), ..self.frame.clone() },
            design: self.design.keep_rows(rows),
            base,
            outcome: rows.iter().map(|&row| self.outcome[row]).collect(),
            environment: self.environment.as_ref().map(|all| rows.iter().map(|&row| all[row]).collect()),
            groups: self.groups.as_ref().map(|groups| rows.iter().map(|&row| groups[row]).collect()),
            kept_rows: KeptRows::without(rows.len(), Vec::new()),
        }
    }

    /// Some of the rows, which may stand there several times; each counts once.
    pub(crate) fn counted_once(&self, rows: &[usize]) -> Self {
        let mut once = self.pick(rows);
        once.base.fill(1.0);
        once.frame.total = rows.len() as f64;
        once.frame.counts = false;
        once
    }

    /// Some of the rows, standardised anew; columns that no longer vary become 0.
    ///
    /// The encoding still speaks of all rows: this is for selecting variables, not for predicting.
    pub fn subset(&self, rows: &[usize]) -> Self {
        let mut subset = self.pick(rows);
        let Self { frame, design, base, outcome, .. } = &mut subset;
        let total = frame.total;
        let standardise = |values: &mut Vec<f64>| match Moments::of(values, base).mean_and_scale(total) {
            Some((mean, scale)) => values.iter_mut().for_each(|value| *value = (*value - mean) / scale),
            None => values.fill(0.0),
        };
        for column in 1..design.columns() {
            let mut values: Vec<f64> = (0..rows.len()).map(|row| design[(row, column)]).collect();
            standardise(&mut values);
            values.into_iter().enumerate().for_each(|(row, value)| design[(row, column)] = value);
        }
        standardise(outcome);
        if frame.correlations.rows() > 0 {
            frame.correlations = correlations(design, base);
        }
        subset
    }

    /// Some of the rows, standardised anew as if they were the table: what is fitted to them predicts in the outcome's units. A
    /// column that does not vary in them is 0 there.
    pub fn learning_rows(&self, rows: &[usize]) -> Self {
        let mut some = self.pick(rows);
        let Self { frame, design, base, outcome, .. } = &mut some;
        let total = frame.total;
        for (k, column) in frame.encoding.columns.iter_mut().enumerate() {
            let mut values: Vec<f64> = (0..rows.len()).map(|row| design[(row, k + 1)]).collect();
            let moments = Moments::of(&values, base).mean_and_scale(total);
            let (mean, scale) = moments.unwrap_or_else(|| (values.first().copied().unwrap_or(0.0), 1.0));
            values.iter_mut().for_each(|value| *value = (*value - mean) / scale);
            values.into_iter().enumerate().for_each(|(row, value)| design[(row, k + 1)] = value);
            (column.mean, column.scale) = (column.mean + column.scale * mean, column.scale * scale);
        }
        if let Some((mean, scale)) = Moments::of(outcome, base).mean_and_scale(total) {
            outcome.iter_mut().for_each(|value| *value = (*value - mean) / scale);
            let target = &mut frame.target;
            (target.mean, target.scale) = (target.mean + target.scale * mean, target.scale * scale);
        }
        if frame.correlations.rows() > 0 {
            frame.correlations = correlations(design, base);
        }
        some
    }

    /// The design matrix of some of the rows, standardised as other rows of the same table are.
    pub fn design_as_in(&self, rows: &[usize], other: &Frame) -> Matrix {
        let columns: Vec<_> = self.encoding.columns.iter().zip(&other.encoding.columns).collect();
        Matrix::from_fn(rows.len(), self.design.columns(), |row, k| match k {
            0 => 1.0,
            _ => {
                let (own, other) = columns[k - 1];
                (own.mean - other.mean + own.scale * self.design[(rows[row], k)]) / other.scale
            }
        })
    }

    /// Deals the rows out to folds in some order, one after the other; rows of one group stay together. Per row its fold.
    pub(crate) fn folds(&self, order: &[usize], folds: usize) -> Vec<usize> {
        let mut fold_of = vec![0; self.rows()];
        let mut known: HashMap<u64, usize> = HashMap::new();
        let twins = if self.groups.is_none() { self.twins() } else { None };
        for (place, &row) in order.iter().enumerate() {
            fold_of[row] = match self.groups.as_ref().or(twins.as_ref()) {
                None => place % folds,
                Some(groups) => {
                    let next = known.len() % folds;
                    *known.entry(groups[row]).or_insert(next)
                }
            };
        }
        fold_of
    }

    /// Per row a mark that rows share whose columns are alike, if there are such rows and chance does not make them so: one that stands
    /// twice must not be learnt from where it is held out.
    fn twins(&self) -> Option<Vec<u64>> {
        let mark = |row: usize| {
            self.design.row(row).iter().fold(0, |mark: u64, &value| scrambled(mark ^ (value + 0.0).to_bits()))
        };
        let marks: Vec<u64> = (0..self.rows()).map(mark).collect();
        let different = marks.iter().collect::<HashSet<_>>().len();
        (different < marks.len() && different >= marks.len() / SELDOM_ALIKE).then_some(marks)
    }

    /// The outcome of a row in its own units; for classes 0 or 1.
    pub fn truth(&self, row: usize) -> f64 {
        match self.target.classes {
            Some(_) => label_of(self.outcome[row], (self.target.mean, self.target.scale)),
            None => self.target.mean + self.target.scale * self.outcome[row],
        }
    }

    /// For classes: 0 for the first and 1 for the second, one per row.
    pub fn labels(&self) -> Vec<f64> {
        let standard = (self.target.mean, self.target.scale);
        self.outcome.iter().map(|&value| label_of(value, standard)).collect()
    }
}

impl Frame {
    /// The design matrix, base weights and outcomes of some rows.
    pub fn encode(&self, used: Used) -> Result<TrainingData> {
        let (design, _) = self.encoding.encode(&used.table)?;
        let outcome = self.target.standardise(&used.table)?;
        let environment = self.environments.as_ref().map(|known| known.codes(&used.table)).transpose()?;
        let base: Vec<f64> = used.base.iter().map(|weight| weight / self.weight_unit).collect();
        Ok(TrainingData {
            frame: Frame { rows: base.len(), total: base.iter().sum(), ..self.clone() },
            design,
            base,
            outcome,
            environment,
            groups: used.groups,
            kept_rows: used.kept,
        })
    }

    /// Rows that were encoded elsewhere; their environments, if there are any, are to be added.
    pub fn with_rows(&self, design: Matrix, base: Vec<f64>, outcome: Vec<f64>) -> Result<TrainingData> {
        if design.rows() != base.len() || base.len() != outcome.len() || design.columns() != self.columns() + 1 {
            return Err(Error::BadRequest("the rows do not fit the frame".into()));
        }
        let frame = Frame { rows: base.len(), total: base.iter().sum(), ..self.clone() };
        let kept_rows = KeptRows::without(base.len(), Vec::new());
        Ok(TrainingData { frame, design, base, outcome, environment: None, groups: None, kept_rows })
    }
}

fn correlations(design: &Matrix, base: &[f64]) -> Matrix {
    let mut moments = weighted_cross_product(design, base);
    moments.scale(1.0 / moments[(0, 0)]);
    correlation_from_covariance(&covariance_from_moments(&moments))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, Table, TextValues, Values};

    fn text(name: &str, values: &[&str]) -> Column<'static> {
        Column { name: name.into(), values: Values::Text(TextValues::collect(values.iter().map(|v| Some(*v)))) }
    }

    fn number(name: &str, values: &[f64]) -> Column<'static> {
        Column { name: name.into(), values: Values::Number(values.to_vec().into()) }
    }

    #[test]
    fn standardised_columns_have_mean_zero_and_variance_one_even_when_huge() {
        let table = Table::new(vec![
            number("a", &[1e300, -1e300, 5e299, 0.0, 2e299]),
            number("b", &[1e-300, 2e-300, 3e-300, 5e-300, 4e-300]),
            number("y", &[1.0, 2.0, 3.0, 5.0, 1.0]),
        ])
        .unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        for column in 1..=2 {
            let values: Vec<f64> = (0..5).map(|row| data.design[(row, column)]).collect();
            assert!(values.iter().sum::<f64>().abs() < 1e-12, "{values:?}");
            assert!((values.iter().map(|v| v * v).sum::<f64>() / 5.0 - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn text_becomes_one_column_per_level_but_the_most_frequent() {
        let colours: Vec<&str> = [["red"; 12], ["blue"; 12], ["green"; 12]].concat();
        let mut colours_more = colours.clone();
        colours_more.extend(["blue"; 3]);
        let n = colours_more.len();
        let table = Table::new(vec![
            text("colour", &colours_more),
            number("y", &(0..n).map(|i| (i * i % 7) as f64).collect::<Vec<_>>()),
        ])
        .unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        let names: Vec<&str> = data.encoding.columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["colour=green", "colour=red"]);
        assert_eq!(data.encoding.features.len(), 1);
        let new = Table::new(vec![text("colour", &["blue", "red", "violet"])]).unwrap();
        let (design, report) = data.encoding.encode(&new).unwrap();
        assert_eq!(report.unseen, [("colour".to_string(), 1)]);
        assert_eq!(design.row(2), [1.0, 0.0, 0.0]);
        assert!(design[(1, 2)] > 0.0 && design[(0, 2)] < 0.0);
    }

    #[test]
    fn rare_levels_share_a_column() {
        let mut levels = vec!["a"; 30];
        levels.extend(["b"; 20]);
        levels.extend(["c"; 6]);
        levels.extend(["d"; 5]);
        let table = Table::new(vec![
            text("t", &levels),
            number("y", &(0..levels.len()).map(|i| (i % 5) as f64).collect::<Vec<_>>()),
        ])
        .unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        let names: Vec<&str> = data.encoding.columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["t=b", "t=(rare)"]);
    }

    #[test]
    fn copies_and_sums_of_columns_are_left_out_and_named() {
        let a: Vec<f64> = (0..40).map(|i| ((i * 7) % 11) as f64).collect();
        let b: Vec<f64> = (0..40).map(|i| ((i * 5) % 13) as f64).collect();
        let sum: Vec<f64> = a.iter().zip(&b).map(|(a, b)| 2.0 * a - b + 3.0).collect();
        let copy: Vec<f64> = a.iter().map(|a| 10.0 - a / 3.0).collect();
        let y: Vec<f64> = (0..40).map(|i| ((i * i) % 17) as f64).collect();
        let table = Table::new(vec![
            number("a", &a),
            number("b", &b),
            number("sum", &sum),
            number("copy", &copy),
            number("y", &y),
        ])
        .unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        assert_eq!(data.encoding.feature_names(), ["a", "b"]);
        let told: Vec<String> = data.encoding.left_out.iter().map(ToString::to_string).collect();
        assert_eq!(told[0], "'sum' is left out: it is an exact combination of 'a', 'b'");
        assert_eq!(told[1], "'copy' is left out: it tells just what 'a' tells, if in other units");
        assert_eq!(data.design.columns(), 3);
    }

    #[test]
    fn missing_values_are_counted_dropped_or_filled() {
        let table = Table::new(vec![
            number("a", &[1.0, f64::NAN, 3.0, 4.0, 8.0]),
            number("y", &[1.0, 2.0, 3.0, 5.0, f64::NAN]),
        ])
        .unwrap();
        let roles = |missing| Roles { missing, ..Roles::target("y") };
        let refused = TrainingData::prepare(&table, &roles(Missing::Refuse)).unwrap_err();
        assert_eq!(refused, Error::MissingValues { columns: vec![("y".into(), 1), ("a".into(), 1)], rows: 2 });
        assert_eq!(
            TrainingData::prepare(&table, &roles(Missing::Drop)).unwrap().kept_rows.iter().collect::<Vec<_>>(),
            [0, 2, 3]
        );
        let filled = TrainingData::prepare(&table, &roles(Missing::Mean)).unwrap();
        assert_eq!(filled.kept_rows.iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert!(filled.design[(1, 1)].abs() < 1e-12);
    }
}
