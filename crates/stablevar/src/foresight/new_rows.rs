//! New rows as they come, part by part: what is counted of all of them, and a sample that is kept.

use super::memory::TrainingMemory;
use crate::design::{Encoding, EncodingReport, FeatureKind, Missing};
use crate::error::Result;
use crate::functions::scrambled;
use crate::linalg::{Cholesky, Matrix, dot};
use crate::models::Model;
use crate::table::{Table, Values, is_missing};
use std::collections::{BTreeMap, BTreeSet};

/// Rows kept at most.
const KEPT_ROWS: usize = 20_000;
/// The same as numbers, for tables with very many columns.
const KEPT_NUMBERS: usize = 4_000_000;
/// The range that training saw is from this quantile of its rows to that from above, and a little more.
const RANGE_QUANTILE: f64 = 0.001;
/// By this share of it on either side.
const STRETCH: f64 = 0.1;
/// A row lies outside, though no column does, if its distance exceeds the training rows' greatest by this factor.
const FAR_FACTOR: f64 = 1.5;
/// Levels that are named at most.
const NAMED_LEVELS: usize = 5;

/// What foresight needs to know of a fitted model.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// How a table becomes a design matrix.
    pub encoding: &'a Encoding,
    /// Positions of the variables that the model uses.
    pub used: &'a [usize],
    /// What predicts.
    pub model: &'a Model,
    /// Training rows with held-out predictions.
    pub memory: &'a TrainingMemory,
    /// Whether it predicts classes.
    pub classes: bool,
    /// Rows that training had.
    pub rows: usize,
}

impl Known<'_> {
    /// Encoded columns of the variables that the model uses.
    pub(super) fn used_columns(&self) -> Vec<usize> {
        self.used.iter().flat_map(|&variable| self.encoding.features[variable].columns.iter().copied()).collect()
    }
}

/// New rows without outcomes, added part by part; the answer does not depend on how they are cut into parts.
#[derive(Debug)]
pub struct NewRows<'a> {
    pub(super) known: Known<'a>,
    /// As in training, but missing values never stop it.
    encoding: Encoding,
    /// Variables that are compared, once a part has shown which there are.
    pub(super) variables: Option<Vec<usize>>,
    /// The training rows that are remembered, standardised.
    pub(super) training: Matrix,
    seen: Seen,
    pub(super) rows: usize,
    /// Per encoded column sums of the values and of their squares.
    pub(super) sums: Vec<(f64, f64)>,
    /// Per encoded column how many values lie outside.
    pub(super) outside: Vec<usize>,
    pub(super) outside_rows: usize,
    pub(super) report: EncodingReport,
    pub(super) new_levels: Vec<BTreeSet<String>>,
    /// Per variable the new rows with each level that training hardly had.
    pub(super) hardly_seen: Vec<BTreeMap<String, usize>>,
    /// Rows with the least keys: key, position, values behind a leading 1.
    sample: Vec<(u64, usize, Vec<f64>)>,
}

impl<'a> NewRows<'a> {
    /// None yet.
    pub fn new(known: Known<'a>) -> Self {
        let training = known.memory.design(known.encoding);
        let columns = training.columns();
        Self {
            encoding: Encoding { missing: Missing::Mean, ..known.encoding.clone() },
            variables: None,
            seen: Seen::new(&known, &training),
            training,
            known,
            rows: 0,
            sums: vec![(0.0, 0.0); columns],
            outside: vec![0; columns],
            outside_rows: 0,
            report: EncodingReport::default(),
            new_levels: vec![BTreeSet::new(); known.encoding.features.len()],
            hardly_seen: vec![BTreeMap::new(); known.encoding.features.len()],
            sample: Vec::new(),
        }
    }

    /// Adds rows; they must have the columns that the model uses, and are compared in the others that they have.
    pub fn add(&mut self, table: &Table) -> Result<()> {
        let variables = match &self.variables {
            Some(known) => known.clone(),
            None => self.compared(table)?,
        };
        let (design, report) = self.encoding.encode_variables(table, &variables)?;
        self.report.add(report);
        let hardly_seen = self.note_levels(table, &variables);
        let columns: Vec<usize> =
            variables.iter().flat_map(|&variable| self.encoding.features[variable].columns.iter().copied()).collect();
        let most = KEPT_ROWS.min(KEPT_NUMBERS / self.training.columns().max(1)).max(1);
        for row in 0..design.rows() {
            let values = &design.row(row)[1..];
            for &column in &columns {
                let value = values[column];
                self.sums[column].0 += value;
                self.sums[column].1 += value * value;
                self.outside[column] += usize::from(self.seen.is_beyond(column, value));
            }
            self.outside_rows += usize::from(hardly_seen[row] || self.seen.is_outside(&self.known, values));
            self.sample.push((scrambled(self.rows as u64), self.rows, design.row(row).to_vec()));
            self.rows += 1;
            if self.sample.len() >= 2 * most {
                self.sample.select_nth_unstable_by_key(most - 1, |kept| (kept.0, kept.1));
                self.sample.truncate(most);
            }
        }
        self.variables = Some(variables);
        Ok(())
    }

    /// The variables that can be compared: all that the model uses, and the others that the table has as training had them.
    fn compared(&self, table: &Table) -> Result<Vec<usize>> {
        self.encoding.encode_variables(&table.keep_rows(&[]), self.known.used)?;
        let none = table.keep_rows(&[]);
        let comparable = |variable: &usize| {
            self.known.used.contains(variable) || self.encoding.encode_variables(&none, &[*variable]).is_ok()
        };
        Ok((0..self.encoding.features.len()).filter(comparable).collect())
    }

    /// Notes levels that training did not have, or hardly; which rows have one of the latter in a column that the model uses.
    fn note_levels(&mut self, table: &Table, variables: &[usize]) -> Vec<bool> {
        let mut rows = vec![false; table.rows()];
        for &variable in variables {
            let feature = &self.encoding.features[variable];
            let FeatureKind::Category { levels, .. } = &feature.kind else { continue };
            let Ok(column) = table.column(&feature.name) else { continue };
            let hardly = self.encoding.hardly_seen_levels(variable);
            if !hardly.is_empty() {
                let used = self.known.used.contains(&variable);
                for row in 0..table.rows() {
                    let Some(level) = column.values.text(row).filter(|level| hardly.contains(level)) else { continue };
                    *self.hardly_seen[variable].entry(level).or_default() += 1;
                    rows[row] |= used;
                }
            }
            let noted = &mut self.new_levels[variable];
            let Values::Text(texts) = &column.values else { continue };
            for level in texts.levels.iter().filter(|level| !levels.contains(level) && !is_missing(level)) {
                noted.insert(level.clone());
                // The first by their names, whatever the parts.
                if noted.len() > NAMED_LEVELS {
                    noted.pop_last();
                }
            }
        }
        rows
    }

    /// Rows added so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The rows that are kept, in order, each behind a leading 1.
    pub(super) fn sample(&self) -> Matrix {
        let most = KEPT_ROWS.min(KEPT_NUMBERS / self.training.columns().max(1)).max(1);
        let mut kept: Vec<&(u64, usize, Vec<f64>)> = self.sample.iter().collect();
        kept.sort_by_key(|row| (row.0, row.1));
        kept.truncate(most);
        kept.sort_by_key(|row| row.1);
        let values = kept.iter().flat_map(|row| row.2.iter().copied()).collect();
        Matrix::from_values(kept.len(), self.training.columns() + 1, values)
    }
}

/// What training saw.
#[derive(Debug)]
struct Seen {
    /// Per encoded column its range; of levels all.
    ranges: Vec<(f64, f64)>,
    selected: Vec<usize>,
    /// The inverse of the selected columns' second moments; none if there are no columns.
    inverse: Option<Matrix>,
    /// The greatest distance that counts as seen.
    distance: f64,
}

impl Seen {
    fn new(known: &Known, training: &Matrix) -> Self {
        let ranges = (0..training.columns())
            .map(|column| {
                let feature = &known.encoding.features[known.encoding.columns[column].feature];
                if feature.kind != FeatureKind::Number {
                    return (f64::NEG_INFINITY, f64::INFINITY);
                }
                let values: Vec<f64> = (0..training.rows()).map(|row| training[(row, column)]).collect();
                let (low, high) = (quantile(&values, RANGE_QUANTILE), quantile(&values, 1.0 - RANGE_QUANTILE));
                (low - STRETCH * (high - low), high + STRETCH * (high - low))
            })
            .collect();
        let selected = known.used_columns();
        let rows = Matrix::from_fn(training.rows(), selected.len(), |row, k| training[(row, selected[k])]);
        let mut moments = crate::rows::weighted_cross_product(&rows, &vec![1.0 / rows.rows() as f64; rows.rows()]);
        // Directions in which training hardly varied are not to make every row a far one.
        (0..selected.len()).for_each(|k| moments[(k, k)] += 0.01);
        let inverse =
            if selected.is_empty() { None } else { Cholesky::with_least_ridge(&moments).map(|found| found.inverse()) };
        let mut seen = Self { ranges, selected, inverse, distance: f64::INFINITY };
        let distances: Vec<f64> = (0..training.rows()).map(|row| seen.distance_of(training.row(row))).collect();
        seen.distance = FAR_FACTOR * quantile(&distances, 1.0 - RANGE_QUANTILE);
        seen
    }

    fn is_beyond(&self, column: usize, value: f64) -> bool {
        value < self.ranges[column].0 || value > self.ranges[column].1
    }

    /// Whether a row lies outside in a column that the model uses, has a level that training did not have, or a combination of values
    /// that is far from all.
    fn is_outside(&self, known: &Known, values: &[f64]) -> bool {
        let new_level = |&variable: &usize| {
            let feature = &known.encoding.features[variable];
            // A level that is known never leaves all columns of its variable at their means.
            matches!(feature.kind, FeatureKind::Category { .. }) && feature.columns.iter().all(|&k| values[k] == 0.0)
        };
        self.selected.iter().any(|&column| self.is_beyond(column, values[column]))
            || known.used.iter().any(new_level)
            || self.distance_of(values) > self.distance
    }

    /// `z' M^-1 z` with the second moments M of the selected columns.
    fn distance_of(&self, values: &[f64]) -> f64 {
        let own: Vec<f64> = self.selected.iter().map(|&column| values[column]).collect();
        self.inverse.as_ref().map_or(0.0, |inverse| dot(&own, &inverse.times(&own)))
    }
}

/// A value that this share of the others does not exceed.
pub(super) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len().saturating_sub(1) as f64 * share).round() as usize;
    sorted.get(place).copied().unwrap_or(0.0)
}
