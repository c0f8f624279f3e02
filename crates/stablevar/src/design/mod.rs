//! From a table to the design matrix: encoding, standardisation, and what is left out and why.
//!
//! Every algorithm sees standardised columns behind a leading column of ones, so that one weighted
//! second-moment matrix holds the weights' mean, the columns' means and their correlations at once.
//! The [`Encoding`] remembers how that was done, so that every reported number is in the user's units
//! and new rows are treated like the training rows.

mod encoding;
mod survey;
mod target;

pub use encoding::{EncodedColumn, Encoding, EncodingReport, Feature, FeatureKind, LeftOut, RARE_LEVEL};
pub use target::{Target, Task, class_numbers};

use crate::diagnostics::{correlation_from_covariance, covariance_from_moments};
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::linalg::Matrix;
use crate::rows::weighted_cross_product;
use crate::table::{Column, Table, Values};
use serde::{Deserialize, Serialize};
use survey::{Moments, complete_rows};

/// Columns that correlate more than this can't be decorrelated by weights: only rows where both are near their
/// means would be left.
const INSEPARABLE: f64 = 0.98;

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

/// Which columns play which part, and how the table is to be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Roles {
    /// The outcome; `None` where rows are only to be weighed.
    pub target: Option<String>,
    /// What is predicted; `None` infers it: classes if the target holds true/false, text, or 0 and 1 alone.
    pub task: Option<Task>,
    /// Columns to ignore.
    pub exclude: Vec<String>,
    /// Base weights: 2 means the same as the row standing twice.
    pub weight_column: Option<String>,
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
            missing: Missing::Refuse,
            max_levels: 100,
        }
    }
}

/// The rows to learn from.
#[derive(Debug, Clone)]
pub struct TrainingData {
    /// How the table became the design matrix.
    pub encoding: Encoding,
    /// n x (p + 1): a column of ones, then the standardised columns.
    pub design: Matrix,
    /// Base weight of each row.
    pub base: Vec<f64>,
    /// The outcome.
    pub target: Target,
    /// For each row used, its position in the table.
    pub kept_rows: Vec<usize>,
    /// Correlations of the encoded columns before any weighting.
    pub correlations: Matrix,
    /// Pairs of encoded columns that are nearly the same, so that no weights can tell them apart.
    pub inseparable: Vec<(usize, usize)>,
    /// What the user should know about the preparation.
    pub notes: Vec<Finding>,
}

impl TrainingData {
    /// Encodes and standardises a table.
    pub fn prepare(table: &Table, roles: &Roles) -> Result<Self> {
        let mut notes = Vec::new();
        check_roles(table, roles)?;
        let names = covariate_names(table, roles);
        let mut base = base_weights(table, roles)?;
        let kept_rows = settle_rows(table, roles, &names, &base, &mut notes)?;
        // Most tables are used whole, and need no copy.
        let kept = (kept_rows.len() < table.rows()).then(|| table.keep_rows(&kept_rows));
        if kept.is_some() {
            base = kept_rows.iter().map(|&row| base[row]).collect();
        }
        let table = kept.as_ref().unwrap_or(table);
        if table.rows() < 3 {
            return Err(Error::TooFewRows { found: table.rows(), needed: 3 });
        }
        let total: f64 = base.iter().sum();
        if total < 0.5 * base.len() as f64 {
            notes.push(Finding::new(
                format!("the base weights sum to {total:.1} for {} rows", base.len()),
                "a weight counts as that many rows, so that there seem to be few",
                "Unless they are counts, scale them to sum to the number of rows",
            ));
        }
        let target = match &roles.target {
            Some(name) => Target::standardise(table.column(name)?, roles.task, &base)?,
            None => Target::none(table.rows()),
        };
        let covariates = names.iter().map(|name| table.column(name)).collect::<Result<Vec<_>>>()?;
        let mut encoding = Encoding::learn(&covariates, &base, roles.max_levels, roles.missing)?;
        let (mut design, _) = encoding.encode(table)?;
        // With as many columns as rows every column is a combination of the others: no reason to leave one out.
        if table.rows() > encoding.columns.len() + 1 {
            design = encoding.leave_out_combinations(design, &base)?;
        }
        notes.extend(
            encoding
                .left_out
                .iter()
                .map(|column| Finding::new(format!("'{}' is left out", column.name), &*column.reason, "")),
        );
        let correlations = correlations(&design, &base);
        let inseparable = inseparable_pairs(&correlations);
        notes.extend(inseparable.iter().map(|&(i, j)| {
            let (first, second) = (&encoding.columns[i].name, &encoding.columns[j].name);
            Finding::new(
                format!("'{first}' and '{second}' are nearly the same"),
                "no weights can tell them apart, and chance may decide which of them is chosen",
                "Consider leaving one out",
            )
        }));
        Ok(Self { encoding, design, base, target, kept_rows, correlations, inseparable, notes })
    }

    /// Some of the rows, standardised anew; columns that no longer vary become 0.
    ///
    /// The encoding still speaks of all rows: this is for selecting variables, not for predicting.
    pub fn subset(&self, rows: &[usize]) -> Self {
        let mut design = Matrix::from_fn(rows.len(), self.design.columns(), |i, j| self.design[(rows[i], j)]);
        let base: Vec<f64> = rows.iter().map(|&row| self.base[row]).collect();
        let total: f64 = base.iter().sum();
        let standardise = |values: &mut Vec<f64>| match Moments::of(values, &base).mean_and_scale(total) {
            Some((mean, scale)) => values.iter_mut().for_each(|value| *value = (*value - mean) / scale),
            None => values.fill(0.0),
        };
        for column in 1..design.columns() {
            let mut values: Vec<f64> = (0..rows.len()).map(|row| design[(row, column)]).collect();
            standardise(&mut values);
            values.into_iter().enumerate().for_each(|(row, value)| design[(row, column)] = value);
        }
        let mut target = self.target.clone();
        target.values = rows.iter().map(|&row| self.target.values[row]).collect();
        standardise(&mut target.values);
        let kept_rows = rows.iter().map(|&row| self.kept_rows[row]).collect();
        Self {
            encoding: self.encoding.clone(),
            correlations: correlations(&design, &base),
            design,
            base,
            target,
            kept_rows,
            inseparable: self.inseparable.clone(),
            notes: self.notes.clone(),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.design.rows()
    }

    /// Number of encoded columns, without the leading ones.
    pub fn columns(&self) -> usize {
        self.encoding.columns.len()
    }

    /// Sum of the base weights: the number of rows when there are none.
    pub fn total_weight(&self) -> f64 {
        self.base.iter().sum()
    }
}

/// Pairs of columns of different variables whose correlation exceeds [`INSEPARABLE`] in absolute value.
fn inseparable_pairs(correlations: &Matrix) -> Vec<(usize, usize)> {
    let pairs = (0..correlations.rows()).flat_map(|j| (0..j).map(move |i| (i, j)));
    pairs.filter(|&pair| correlations[pair].abs() > INSEPARABLE).collect()
}

fn correlations(design: &Matrix, base: &[f64]) -> Matrix {
    let mut moments = weighted_cross_product(design, base);
    moments.scale(1.0 / moments[(0, 0)]);
    correlation_from_covariance(&covariance_from_moments(&moments))
}

fn check_roles(table: &Table, roles: &Roles) -> Result<()> {
    if let Some(target) = &roles.target {
        table.column(target)?;
    }
    for name in roles.exclude.iter().chain(&roles.weight_column) {
        table.column(name)?;
        if roles.exclude.contains(name) && roles.weight_column.as_ref() == Some(name) {
            return Err(Error::BadRequest(format!("'{name}' can't weigh the rows and be left out at once")));
        }
        if roles.target.as_ref() == Some(name) {
            return Err(Error::BadRequest(format!(
                "'{name}' can't be the target and be left out or weigh rows at once"
            )));
        }
    }
    Ok(())
}

fn covariate_names(table: &Table, roles: &Roles) -> Vec<String> {
    let used = |name: &String| {
        ![&roles.target, &roles.weight_column].contains(&&Some(name.clone())) && !roles.exclude.contains(name)
    };
    table.columns().iter().map(|column| column.name.clone()).filter(used).collect()
}

/// The rows to use. Missing values are refused or their rows left out; with `Mean`, only rows without target or
/// weight go. Rows of weight 0 go in any case.
fn settle_rows(
    table: &Table,
    roles: &Roles,
    names: &[String],
    weights: &[f64],
    notes: &mut Vec<Finding>,
) -> Result<Vec<usize>> {
    let own = roles.target.iter().chain(&roles.weight_column);
    let columns = own.clone().chain(names).map(|name| table.column(name)).collect::<Result<Vec<_>>>()?;
    let needed = match roles.missing {
        Missing::Mean => own.count(),
        Missing::Refuse | Missing::Drop => columns.len(),
    };
    let complete = complete_rows(&columns, needed, table.rows())?;
    let missing_rows = table.rows() - complete.len();
    if missing_rows > 0 && (roles.missing == Missing::Refuse || complete.len() < 3) {
        return Err(missing_values(&columns[..needed], missing_rows));
    }
    if missing_rows > 0 {
        notes.push(Finding::new(
            format!("{missing_rows} of {} rows are left out for missing values", table.rows()),
            "the rest stand for all only if values are missing by chance",
            "Find out why they are missing, or fill them in (--missing mean)",
        ));
    }
    let (kept, weightless): (Vec<usize>, Vec<usize>) = complete.into_iter().partition(|&row| weights[row] > 0.0);
    if !weightless.is_empty() {
        notes.push(Finding::new(format!("{} rows are left out", weightless.len()), "their weight is 0", ""));
    }
    Ok(kept)
}

/// The error that says where values are missing.
fn missing_values(columns: &[&Column], rows: usize) -> Error {
    let count = |column: &Column| (0..column.values.len()).filter(|&row| column.values.is_missing(row)).count();
    let counted = columns.iter().map(|column| (column.name.clone(), count(column)));
    Error::MissingValues { columns: counted.filter(|(_, count)| *count > 0).collect(), rows }
}

/// Base weights by row of the table; NaN where they are missing.
fn base_weights(table: &Table, roles: &Roles) -> Result<Vec<f64>> {
    let Some(name) = &roles.weight_column else { return Ok(vec![1.0; table.rows()]) };
    let bad = |fault: String| Error::BadWeights { column: name.clone(), fault };
    let Values::Number(weights) = &table.column(name)?.values else {
        return Err(bad(format!("the column holds {}", table.column(name)?.values.kind())));
    };
    if let Some(row) = weights.iter().position(|weight| weight.is_infinite() || weight < 0.0) {
        return Err(bad(format!("row {} has {}", row + 1, weights[row])));
    }
    if weights.iter().all(|weight| weight == 0.0) {
        return Err(bad("all are zero".into()));
    }
    Ok(weights.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::TextValues;

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
        assert_eq!(data.encoding.left_out[0].reason, "it is an exact combination of 'a', 'b'");
        assert_eq!(data.encoding.left_out[1].reason, "it repeats 'a' (up to scale)");
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
        assert_eq!(TrainingData::prepare(&table, &roles(Missing::Drop)).unwrap().kept_rows, [0, 2, 3]);
        let filled = TrainingData::prepare(&table, &roles(Missing::Mean)).unwrap();
        assert_eq!(filled.kept_rows, [0, 1, 2, 3]);
        assert!(filled.design[(1, 1)].abs() < 1e-12);
    }
}
