//! From a table to the design matrix: encoding, standardisation, and what is left out and why.
//!
//! Every algorithm sees standardised columns behind a leading column of ones, so that one weighted
//! second-moment matrix holds the weights' mean, the columns' means and their correlations at once.
//! The [`Encoding`] remembers how that was done, so that every reported number is in the user's units
//! and new rows are treated like the training rows.

use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::rows::weighted_cross_product;
use crate::table::{Column, Table, TextValues, Values};
use serde::{Deserialize, Serialize};

/// Levels of a text column with fewer rows than this share one column, named `column=(rare)`.
pub const RARE_LEVEL: f64 = 10.0;
const RARE_NAME: &str = "(rare)";
/// A column whose variance left over by the columns before it is below this share is a linear combination of them.
const COLLINEAR: f64 = 1e-9;

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

/// What is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// A number.
    Regression,
    /// Which of two classes.
    Classification,
}

/// Which columns play which part, and how the table is to be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Roles {
    /// The outcome.
    pub target: String,
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
        Self {
            target: name.into(),
            task: None,
            exclude: Vec::new(),
            weight_column: None,
            missing: Missing::Refuse,
            max_levels: 100,
        }
    }
}

/// How the columns of a table become columns of the design matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Encoding {
    /// The variables, each with its own gate, in the order of the table.
    pub features: Vec<Feature>,
    /// The design matrix' columns after the leading ones.
    pub columns: Vec<EncodedColumn>,
    /// Columns of the table that carry nothing, and why.
    pub left_out: Vec<LeftOut>,
    /// How missing values are treated in new rows.
    pub missing: Missing,
}

/// A variable: one column of the table, one gate, one or more columns of the design matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// The column's name in the table.
    pub name: String,
    /// How it is encoded.
    pub kind: FeatureKind,
    /// Its positions in [`Encoding::columns`].
    pub columns: Vec<usize>,
}

/// How a variable is encoded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FeatureKind {
    /// As it stands.
    Number,
    /// False is 0, true is 1.
    Boolean,
    /// One 0/1 column per level but the most frequent one.
    Category {
        /// All levels of the training data, sorted.
        levels: Vec<String>,
        /// Those of them that share the column `(rare)`, or count as the most frequent level if all of them
        /// together are rare.
        pooled: Vec<String>,
    },
}

/// A column of the design matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EncodedColumn {
    /// `name`, or `name=level` for text.
    pub name: String,
    /// The position of its variable.
    pub feature: usize,
    /// The level it marks; `None` for numbers and true/false, and for the pooled rare levels.
    pub level: Option<String>,
    /// Mean over the training rows.
    pub mean: f64,
    /// Standard deviation over the training rows.
    pub scale: f64,
}

/// A column of the table that is not used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The (encoded) column.
    pub name: String,
    /// Why, in a sentence.
    pub reason: String,
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
    /// Pairs of encoded columns that are nearly the same, so that no weights can tell them apart.
    pub inseparable: Vec<(usize, usize)>,
    /// What the user should know about the preparation.
    pub notes: Vec<String>,
}

/// The outcome, standardised.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// The two classes, if it has classes; the values then are 0 and 1, standardised.
    pub classes: Option<[String; 2]>,
    /// Standardised values.
    pub values: Vec<f64>,
    /// Mean over the training rows.
    pub mean: f64,
    /// Standard deviation over the training rows.
    pub scale: f64,
}

/// What happened when new rows were encoded.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct EncodingReport {
    /// Per text column: rows whose level the training data did not have. They count as an average row.
    pub unseen: Vec<(String, usize)>,
    /// Per column: missing values that were filled in.
    pub filled: Vec<(String, usize)>,
}

impl TrainingData {
    /// Encodes and standardises a table.
    pub fn prepare(table: &Table, roles: &Roles) -> Result<Self> {
        let mut notes = Vec::new();
        check_roles(table, roles)?;
        let names = covariate_names(table, roles);
        for name in names.iter().chain([&roles.target]) {
            if let Values::Number(numbers) = &table.column(name)?.values {
                check_finite(name, numbers)?;
            }
        }
        let weights = base_weights(table, roles)?;
        let kept_rows = settle_rows(table, roles, &names, &weights, &mut notes)?;
        let base: Vec<f64> = kept_rows.iter().map(|&row| weights[row]).collect();
        let table = table.keep_rows(&kept_rows);
        if table.rows() < 3 {
            return Err(Error::TooFewRows { found: table.rows(), needed: 3 });
        }
        let total: f64 = base.iter().sum();
        if total < 0.5 * base.len() as f64 {
            notes.push(format!(
                "the base weights sum to {total:.1} for {} rows, and a weight counts as that many rows: unless they are \
                 counts, scale them to sum to the number of rows",
                base.len()
            ));
        }
        let target = Target::standardise(table.column(&roles.target)?, roles.task, &base)?;

        let mut encoding = Encoding { features: vec![], columns: vec![], left_out: vec![], missing: roles.missing };
        for name in &names {
            encoding.add_feature(table.column(name)?, &base, roles.max_levels)?;
        }
        encoding.require_columns()?;
        let (mut design, _) = encoding.encode(&table)?;
        // With as many columns as rows every column is a combination of the others: no reason to leave one out.
        if table.rows() > encoding.columns.len() + 1 {
            design = encoding.leave_out_combinations(design, &base);
            encoding.require_columns()?;
        }
        notes
            .extend(encoding.left_out.iter().map(|column| format!("'{}' is left out: {}", column.name, column.reason)));
        let inseparable = inseparable_pairs(&design, &base);
        notes.extend(inseparable.iter().map(|&(i, j)| {
            let (first, second) = (&encoding.columns[i].name, &encoding.columns[j].name);
            format!("'{first}' and '{second}' are nearly the same and can't be told apart: consider leaving one out")
        }));
        Ok(Self { encoding, design, base, target, kept_rows, inseparable, notes })
    }

    /// Some of the rows, standardised anew; columns that no longer vary become 0.
    ///
    /// The encoding still speaks of all rows: this is for selecting variables, not for predicting.
    pub fn subset(&self, rows: &[usize]) -> Self {
        let mut design = Matrix::from_fn(rows.len(), self.design.columns(), |i, j| self.design[(rows[i], j)]);
        let base: Vec<f64> = rows.iter().map(|&row| self.base[row]).collect();
        let standardise = |values: &mut Vec<f64>| match mean_and_scale(values, &base) {
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
fn inseparable_pairs(design: &Matrix, base: &[f64]) -> Vec<(usize, usize)> {
    let moments = weighted_cross_product(design, base);
    let total = moments[(0, 0)];
    let size = moments.rows() - 1;
    let pairs = (0..size).flat_map(|j| (0..j).map(move |i| (i, j)));
    pairs.filter(|&(i, j)| (moments[(i + 1, j + 1)] / total).abs() > INSEPARABLE).collect()
}

fn check_roles(table: &Table, roles: &Roles) -> Result<()> {
    table.column(&roles.target)?;
    for name in roles.exclude.iter().chain(&roles.weight_column) {
        table.column(name)?;
        if roles.exclude.contains(name) && roles.weight_column.as_ref() == Some(name) {
            return Err(Error::BadRequest(format!("'{name}' can't weigh the rows and be left out at once")));
        }
        if *name == roles.target {
            return Err(Error::BadRequest(format!(
                "'{name}' can't be the target and be left out or weigh rows at once"
            )));
        }
    }
    Ok(())
}

fn covariate_names(table: &Table, roles: &Roles) -> Vec<String> {
    let used = |name: &String| {
        *name != roles.target && roles.weight_column.as_ref() != Some(name) && !roles.exclude.contains(name)
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
    notes: &mut Vec<String>,
) -> Result<Vec<usize>> {
    let own = std::iter::once(&roles.target).chain(&roles.weight_column);
    let needed: Vec<&str> = match roles.missing {
        Missing::Mean => own.map(String::as_str).collect(),
        Missing::Refuse | Missing::Drop => own.chain(names).map(String::as_str).collect(),
    };
    let complete = table.complete_rows(&needed)?;
    let missing_rows = table.rows() - complete.len();
    if missing_rows > 0 && (roles.missing == Missing::Refuse || complete.len() < 3) {
        let mut columns = Vec::new();
        for name in needed {
            let values = &table.column(name)?.values;
            let count = (0..table.rows()).filter(|&row| values.is_missing(row)).count();
            if count > 0 {
                columns.push((name.to_string(), count));
            }
        }
        return Err(Error::MissingValues { columns, rows: missing_rows });
    }
    if missing_rows > 0 {
        notes.push(format!("{missing_rows} of {} rows are left out for missing values", table.rows()));
    }
    let (kept, weightless): (Vec<usize>, Vec<usize>) = complete.into_iter().partition(|&row| weights[row] > 0.0);
    if !weightless.is_empty() {
        notes.push(format!("{} rows are left out for their weight of 0", weightless.len()));
    }
    Ok(kept)
}

/// Base weights by row of the table; NaN where they are missing.
fn base_weights(table: &Table, roles: &Roles) -> Result<Vec<f64>> {
    let Some(name) = &roles.weight_column else { return Ok(vec![1.0; table.rows()]) };
    let bad = |fault: String| Error::BadWeights { column: name.clone(), fault };
    let Values::Number(weights) = &table.column(name)?.values else {
        return Err(bad(format!("the column holds {}", table.column(name)?.values.kind())));
    };
    if let Some(row) = weights.iter().position(|weight| weight.is_infinite() || *weight < 0.0) {
        return Err(bad(format!("row {} has {}", row + 1, weights[row])));
    }
    if weights.iter().all(|&weight| weight == 0.0) {
        return Err(bad("all are zero".into()));
    }
    Ok(weights.clone())
}

/// Weighted mean and standard deviation, safe for values near the largest float; `None` if constant.
fn mean_and_scale(values: &[f64], base: &[f64]) -> Option<(f64, f64)> {
    let used = || values.iter().zip(base);
    let low = used().map(|(value, _)| *value).fold(f64::INFINITY, f64::min);
    let high = used().map(|(value, _)| *value).fold(f64::NEG_INFINITY, f64::max);
    let middle = low / 2.0 + high / 2.0;
    let reach = high / 2.0 - low / 2.0;
    // Values that differ only in their last digits are rounding, not information.
    if reach <= 1e-13 * middle.abs() {
        return None;
    }
    let total: f64 = base.iter().sum();
    let mean = used().map(|(value, weight)| weight * ((value - middle) / reach)).sum::<f64>() / total;
    let variance =
        used().map(|(value, weight)| weight * ((value - middle) / reach - mean).powi(2)).sum::<f64>() / total;
    Some((middle + reach * mean, reach * variance.sqrt()))
}

fn check_finite(name: &str, values: &[f64]) -> Result<()> {
    match values.iter().position(|value| value.is_infinite()) {
        Some(row) => Err(Error::NotFinite { column: name.to_string(), row: row + 1, value: values[row] }),
        None => Ok(()),
    }
}

impl Target {
    fn standardise(column: &Column, task: Option<Task>, base: &[f64]) -> Result<Self> {
        let task = task.unwrap_or_else(|| infer_task(&column.values));
        let (numbers, classes) = match (task, &column.values) {
            (Task::Regression, Values::Number(numbers)) => (numbers.clone(), None),
            (Task::Regression, other) => {
                let value = other.text(0).unwrap_or_default();
                return Err(Error::TextTarget { kind: other.kind(), column: column.name.clone(), row: 1, value });
            }
            (Task::Classification, values) => {
                let classes = two_classes(&column.name, values)?;
                (class_numbers(&column.name, values, &classes)?, Some(classes))
            }
        };
        let Some((mean, scale)) = mean_and_scale(&numbers, base) else {
            return Err(Error::ConstantTarget { column: column.name.clone(), value: numbers[0].to_string() });
        };
        let standard = |value: &f64| match value - mean {
            far if far.is_infinite() => value / scale - mean / scale,
            usual => usual / scale,
        };
        let values = numbers.iter().map(standard).collect();
        Ok(Self { name: column.name.clone(), classes, values, mean, scale })
    }

    /// What is predicted.
    pub fn task(&self) -> Task {
        if self.classes.is_some() { Task::Classification } else { Task::Regression }
    }

    /// For classes: 0 for the first and 1 for the second, one per row.
    pub fn labels(&self) -> Vec<f64> {
        self.values.iter().map(|value| (self.mean + self.scale * value).round()).collect()
    }
}

/// Classes if the values are true/false, text, or 0 and 1 alone.
fn infer_task(values: &Values) -> Task {
    match values {
        Values::Number(numbers) if numbers.iter().all(|value| *value == 0.0 || *value == 1.0) => Task::Classification,
        Values::Number(_) => Task::Regression,
        Values::Boolean(_) | Values::Text(_) => Task::Classification,
    }
}

/// The two classes of a target in order: numbers by size, false before true, text by alphabet.
fn two_classes(name: &str, values: &Values) -> Result<[String; 2]> {
    let mut found: Vec<String> = match values {
        Values::Number(numbers) => {
            let mut sorted = numbers.clone();
            sorted.sort_by(f64::total_cmp);
            sorted.dedup();
            sorted.iter().map(f64::to_string).collect()
        }
        other => {
            let mut sorted: Vec<String> = (0..other.len()).filter_map(|row| other.text(row)).collect();
            sorted.sort_unstable();
            sorted.dedup();
            sorted
        }
    };
    match found.len() {
        2 => Ok([found.remove(0), found.remove(0)]),
        1 => Err(Error::OneClass { column: name.to_string(), class: found.remove(0) }),
        count => {
            found.truncate(5);
            Err(Error::ManyClasses { column: name.to_string(), count, examples: found })
        }
    }
}

/// 0 or 1 for every value of a target with these classes; the error names the first value that is neither.
pub fn class_numbers(name: &str, values: &Values, classes: &[String; 2]) -> Result<Vec<f64>> {
    (0..values.len())
        .map(|row| match values.text(row) {
            Some(text) if text == classes[0] => Ok(0.0),
            Some(text) if text == classes[1] => Ok(1.0),
            Some(value) => Err(Error::UnknownClass {
                column: name.to_string(),
                row: row + 1,
                value,
                classes: Box::new(classes.clone()),
            }),
            None => Err(Error::MissingValues { columns: vec![(name.to_string(), 1)], rows: 1 }),
        })
        .collect()
}

impl Encoding {
    /// Names of the variables.
    pub fn feature_names(&self) -> Vec<String> {
        self.features.iter().map(|feature| feature.name.clone()).collect()
    }

    /// Names of the variables that hold text.
    pub fn text_columns(&self) -> Vec<String> {
        let text = |feature: &&Feature| matches!(feature.kind, FeatureKind::Category { .. });
        self.features.iter().filter(text).map(|feature| feature.name.clone()).collect()
    }

    /// For every encoded column the position of its variable.
    pub fn groups(&self) -> Vec<usize> {
        self.columns.iter().map(|column| column.feature).collect()
    }

    fn require_columns(&self) -> Result<()> {
        if self.columns.is_empty() {
            let dropped = self.left_out.iter().map(|column| column.name.clone()).collect();
            return Err(Error::NoUsableColumns { dropped });
        }
        Ok(())
    }

    fn add_feature(&mut self, column: &Column, base: &[f64], max_levels: usize) -> Result<()> {
        let (kind, encoded) = match &column.values {
            Values::Number(numbers) => (FeatureKind::Number, vec![(None, column.name.clone(), numbers.clone())]),
            Values::Boolean(flags) => {
                let numbers = flags.iter().map(|flag| flag.map_or(f64::NAN, f64::from)).collect();
                (FeatureKind::Boolean, vec![(None, column.name.clone(), numbers)])
            }
            Values::Text(texts) => encode_levels(&column.name, texts, base, max_levels)?,
        };
        let feature = self.features.len();
        let mut positions = Vec::new();
        for (level, mut name, mut values) in encoded {
            while self.columns.iter().any(|column| column.name == name) {
                name.push('\'');
            }
            fill_with_mean(&mut values, base);
            match mean_and_scale(&values, base) {
                Some((mean, scale)) => {
                    positions.push(self.columns.len());
                    self.columns.push(EncodedColumn { name, feature, level, mean, scale });
                }
                None => self.left_out.push(LeftOut { name, reason: "it has the same value in every row".into() }),
            }
        }
        if positions.is_empty() {
            if (0..column.values.len()).all(|row| column.values.is_missing(row)) {
                self.left_out.retain(|left_out| left_out.name != column.name);
                self.left_out.push(LeftOut { name: column.name.clone(), reason: "all its values are missing".into() });
            } else if !self.left_out.iter().any(|column_out| column_out.name == column.name) {
                let reason = "it has the same value in every row".into();
                self.left_out.push(LeftOut { name: column.name.clone(), reason });
            }
        } else {
            self.features.push(Feature { name: column.name.clone(), kind, columns: positions });
        }
        Ok(())
    }

    /// The design matrix of a table: ones, then the standardised columns of this encoding.
    pub fn encode(&self, table: &Table) -> Result<(Matrix, EncodingReport)> {
        self.encode_variables(table, &(0..self.features.len()).collect::<Vec<_>>())
    }

    /// The same with some of the variables only; the table need not have the others, whose columns stay 0.
    pub fn encode_variables(&self, table: &Table, variables: &[usize]) -> Result<(Matrix, EncodingReport)> {
        let width = self.columns.len() + 1;
        let mut design = Matrix::zeros(table.rows(), width);
        let mut report = EncodingReport::default();
        design.values_mut().chunks_exact_mut(width).for_each(|row| row[0] = 1.0);
        let mut missing = Vec::new();
        for feature in variables.iter().map(|&variable| &self.features[variable]) {
            let column = table.column(&feature.name)?;
            let count = (0..table.rows()).filter(|&row| column.values.is_missing(row)).count();
            if count > 0 && self.missing == Missing::Mean {
                report.filled.push((feature.name.clone(), count));
            } else if count > 0 {
                missing.push((feature.name.clone(), count));
            }
            match (&feature.kind, &column.values) {
                (FeatureKind::Number, Values::Number(numbers)) => {
                    check_finite(&column.name, numbers)?;
                    self.fill_column(&mut design, feature.columns[0], |row| numbers[row]);
                }
                (FeatureKind::Boolean, Values::Boolean(flags)) => {
                    self.fill_column(&mut design, feature.columns[0], |row| flags[row].map_or(f64::NAN, f64::from));
                }
                // A file of 0 and 1 is read as numbers, whatever the training file called them.
                (FeatureKind::Boolean, Values::Number(numbers))
                    if numbers.iter().all(|x| x.is_nan() || *x == 0.0 || *x == 1.0) =>
                {
                    self.fill_column(&mut design, feature.columns[0], |row| numbers[row]);
                }
                (FeatureKind::Category { .. }, _) => self.encode_category(feature, column, &mut design, &mut report),
                (kind, values) => {
                    let expected = if *kind == FeatureKind::Number { "numbers" } else { "true/false" };
                    return Err(Error::ChangedType { column: column.name.clone(), found: values.kind(), expected });
                }
            }
        }
        if !missing.is_empty() {
            let names: Vec<&str> = missing.iter().map(|(name, _)| name.as_str()).collect();
            let rows = table.rows() - table.complete_rows(&names)?.len();
            return Err(Error::MissingValues { columns: missing, rows });
        }
        Ok((design, report))
    }

    /// Standardises one column into the design; a missing value becomes the training mean, 0.
    fn fill_column(&self, design: &mut Matrix, position: usize, value: impl Fn(usize) -> f64) {
        let EncodedColumn { mean, scale, .. } = self.columns[position];
        for row in 0..design.rows() {
            let raw = value(row);
            let from_mean = raw - mean;
            design[(row, position + 1)] = match from_mean {
                missing if missing.is_nan() => 0.0,
                far if far.is_infinite() => raw / scale - mean / scale,
                usual => usual / scale,
            };
        }
    }

    fn encode_category(&self, feature: &Feature, column: &Column, design: &mut Matrix, report: &mut EncodingReport) {
        let FeatureKind::Category { levels, pooled } = &feature.kind else { return };
        // Numbers or true/false where the training file had text are the same categories, written differently.
        let texts = match &column.values {
            Values::Text(texts) => texts.clone(),
            other => {
                let words: Vec<Option<String>> = (0..other.len()).map(|row| other.text(row)).collect();
                TextValues::collect(words.iter().map(Option::as_deref))
            }
        };
        // The most frequent level stands in for a missing one, as in training.
        let place = |level: &str| -> Option<Option<usize>> {
            let own = feature.columns.iter().find(|&&position| self.columns[position].level.as_deref() == Some(level));
            match own {
                Some(&position) => Some(Some(position)),
                None if pooled.iter().any(|name| name == level) => {
                    Some(feature.columns.iter().copied().find(|&position| self.columns[position].level.is_none()))
                }
                // The most frequent level has no column, nor has one that other columns determine.
                None if levels.iter().any(|name| name == level) => Some(None),
                None => None,
            }
        };
        let places: Vec<Option<Option<usize>>> = texts.levels.iter().map(|level| place(level)).collect();
        let mut unseen = 0;
        for row in 0..design.rows() {
            let marked = match texts.codes[row] {
                Some(code) => places[code as usize],
                None => Some(None),
            };
            unseen += usize::from(marked.is_none());
            // An unseen level leaves the zeros, which is an average row.
            if let Some(marked) = marked {
                for &position in &feature.columns {
                    let EncodedColumn { mean, scale, .. } = self.columns[position];
                    design[(row, position + 1)] = (f64::from(marked == Some(position)) - mean) / scale;
                }
            }
        }
        if unseen > 0 {
            report.unseen.push((feature.name.clone(), unseen));
        }
    }

    /// Leaves out every column that is an exact linear combination of the columns before it, as statistics
    /// packages do with aliased terms: no data can tell such columns apart.
    fn leave_out_combinations(&mut self, design: Matrix, base: &[f64]) -> Matrix {
        let total: f64 = base.iter().sum();
        let mut correlation = weighted_cross_product(&design, base);
        correlation.scale(1.0 / total);
        let combinations = linear_combinations(&correlation);
        if combinations.is_empty() {
            return design;
        }
        for (position, sources) in &combinations {
            let named: Vec<String> = sources.iter().map(|&source| format!("'{}'", self.columns[source].name)).collect();
            let reason = if named.len() == 1 {
                format!("it repeats {} (up to scale)", named[0])
            } else {
                format!("it is an exact combination of {}", named.join(", "))
            };
            self.left_out.push(LeftOut { name: self.columns[*position].name.clone(), reason });
        }
        let keep: Vec<usize> = (0..self.columns.len())
            .filter(|position| !combinations.iter().any(|(dependent, _)| dependent == position))
            .collect();
        self.keep_columns(&keep);
        let width = keep.len() + 1;
        let mut narrow = Matrix::zeros(design.rows(), width);
        for row in 0..design.rows() {
            narrow[(row, 0)] = 1.0;
            for (new, &old) in keep.iter().enumerate() {
                narrow[(row, new + 1)] = design[(row, old + 1)];
            }
        }
        narrow
    }

    fn keep_columns(&mut self, keep: &[usize]) {
        let mut features = Vec::new();
        let mut columns = Vec::new();
        for (position, feature) in self.features.iter().enumerate() {
            let own: Vec<usize> =
                keep.iter().copied().filter(|&column| self.columns[column].feature == position).collect();
            if own.is_empty() {
                continue;
            }
            let mut feature = feature.clone();
            feature.columns = (columns.len()..columns.len() + own.len()).collect();
            columns.extend(
                own.iter().map(|&column| EncodedColumn { feature: features.len(), ..self.columns[column].clone() }),
            );
            features.push(feature);
        }
        self.features = features;
        self.columns = columns;
    }
}

fn fill_with_mean(values: &mut [f64], base: &[f64]) {
    let (mut sum, mut total) = (0.0, 0.0);
    for (value, weight) in values.iter().zip(base).filter(|(value, _)| !value.is_nan()) {
        sum += weight * value;
        total += weight;
    }
    let mean = if total > 0.0 { sum / total } else { 0.0 };
    values.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = mean);
}

type EncodedLevels = Vec<(Option<String>, String, Vec<f64>)>;

/// One 0/1 column per level, but for the most frequent; rare levels share one.
fn encode_levels(
    name: &str,
    texts: &TextValues,
    base: &[f64],
    max_levels: usize,
) -> Result<(FeatureKind, EncodedLevels)> {
    let mut counts = vec![0.0; texts.levels.len()];
    for (code, weight) in texts.codes.iter().zip(base) {
        if let Some(code) = code {
            counts[*code as usize] += weight;
        }
    }
    let mut present: Vec<usize> = (0..counts.len()).filter(|&level| counts[level] > 0.0).collect();
    if present.len() > max_levels {
        return Err(Error::TooManyLevels { column: name.to_string(), levels: present.len(), limit: max_levels });
    }
    // Sorted by name, so that neither row order nor file order changes the encoding.
    present.sort_by(|&a, &b| texts.levels[a].cmp(&texts.levels[b]));
    let Some(&first) = present.first() else {
        return Ok((FeatureKind::Category { levels: vec![], pooled: vec![] }, vec![]));
    };
    let reference =
        present.iter().copied().fold(first, |best, level| if counts[level] > counts[best] { level } else { best });
    let (rare, own): (Vec<usize>, Vec<usize>) =
        present.iter().copied().filter(|&level| level != reference).partition(|&level| counts[level] < RARE_LEVEL);

    let marks = |levels: &[usize]| -> Vec<f64> {
        texts.codes.iter().map(|code| f64::from(code.is_some_and(|code| levels.contains(&(code as usize))))).collect()
    };
    let mut encoded: EncodedLevels = own
        .iter()
        .map(|&level| (Some(texts.levels[level].clone()), format!("{name}={}", texts.levels[level]), marks(&[level])))
        .collect();
    // Rare levels are pooled; if even together they are rare, they count as the most frequent level.
    let enough = rare.iter().map(|&level| counts[level]).sum::<f64>() >= RARE_LEVEL || own.is_empty();
    if !rare.is_empty() && enough {
        encoded.push((None, format!("{name}={RARE_NAME}"), marks(&rare)));
    }
    let pooled = rare.iter().map(|&level| texts.levels[level].clone()).collect();
    let levels = present.iter().map(|&level| texts.levels[level].clone()).collect();
    Ok((FeatureKind::Category { levels, pooled }, encoded))
}

/// Columns that are combinations of columns before them, each with the columns it combines.
///
/// Gauss-Jordan elimination in column order on the second moments of (1, columns): what is left of a
/// column's variance is its part that the columns before it do not explain.
fn linear_combinations(moments: &Matrix) -> Vec<(usize, Vec<usize>)> {
    let size = moments.rows();
    let mut work = moments.clone();
    let mut used: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for pivot in 0..size {
        let left = work[(pivot, pivot)];
        if left <= COLLINEAR * moments[(pivot, pivot)] {
            // After elimination work[(source, pivot)] is the coefficient of `source` in the combination.
            let sources = used
                .iter()
                .copied()
                .filter(|&source| source > 0 && work[(source, pivot)].abs() > 1e-6)
                .map(|source| source - 1);
            found.push((pivot - 1, sources.collect()));
            continue;
        }
        for column in 0..size {
            work[(pivot, column)] /= left;
        }
        for row in 0..size {
            let factor = work[(row, pivot)];
            if row != pivot && factor != 0.0 {
                for column in 0..size {
                    work[(row, column)] -= factor * work[(pivot, column)];
                }
            }
        }
        used.push(pivot);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, values: &[&str]) -> Column {
        Column { name: name.into(), values: Values::Text(TextValues::collect(values.iter().map(|v| Some(*v)))) }
    }

    fn number(name: &str, values: &[f64]) -> Column {
        Column { name: name.into(), values: Values::Number(values.to_vec()) }
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
