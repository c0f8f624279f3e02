//! How the columns of a table become columns of the design matrix.

use super::{Missing, check_finite, mean_and_scale};
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

/// What happened when new rows were encoded.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct EncodingReport {
    /// Per text column: rows whose level the training data did not have. They count as an average row.
    pub unseen: Vec<(String, usize)>,
    /// Per column: missing values that were filled in.
    pub filled: Vec<(String, usize)>,
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

    pub(super) fn require_columns(&self) -> Result<()> {
        if self.columns.is_empty() {
            let dropped = self.left_out.iter().map(|column| column.name.clone()).collect();
            return Err(Error::NoUsableColumns { dropped });
        }
        Ok(())
    }

    pub(super) fn add_feature(&mut self, column: &Column, base: &[f64], max_levels: usize) -> Result<()> {
        let (kind, encoded) = match &column.values {
            Values::Number(numbers) => (FeatureKind::Number, vec![(None, column.name.clone(), numbers.to_vec())]),
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
                    if numbers.iter().all(|x| x.is_nan() || x == 0.0 || x == 1.0) =>
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
    pub(super) fn leave_out_combinations(&mut self, design: Matrix, base: &[f64]) -> Matrix {
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
