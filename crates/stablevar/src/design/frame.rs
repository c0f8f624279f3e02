//! What is known of the training rows without looking at them again.

use super::survey::Survey;
use super::{ColumnSummary, Encoding, Environments, Roles, Standing, Target, Told, WeightKind};
use crate::error::Result;
use crate::finding::{Code, Finding};
use crate::linalg::{Cholesky, Matrix, correlation_from_covariance, covariance_from_moments};
use serde::{Deserialize, Serialize};

/// Columns that correlate more than this can't be decorrelated by weights: only rows where both are near their
/// means would be left.
const INSEPARABLE: f64 = 0.98;

/// Up to this many encoded columns correlations are known even if there are fewer rows.
const CORRELATED: usize = 1000;

/// What is known of the training rows without looking at them again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Frame {
    /// How the table became the design matrix.
    pub encoding: Encoding,
    /// The outcome.
    pub target: Target,
    /// Correlations of the encoded columns before any weighting; empty where columns are very many and more than rows.
    pub correlations: Matrix,
    /// Pairs of encoded columns that are nearly the same, so that no weights can tell them apart.
    pub inseparable: Vec<(usize, usize)>,
    /// What the table's columns held, those that carry nothing among them.
    #[serde(default)]
    pub summaries: Vec<ColumnSummary>,
    /// What the user should know about the preparation.
    pub notes: Vec<Finding>,
    /// Columns of which it was told what they are.
    #[serde(default)]
    pub told: Told,
    /// The environments of the rows, if they have any.
    #[serde(default)]
    pub environments: Option<Environments>,
    /// Whether rows belong together in groups.
    #[serde(default)]
    pub grouped: bool,
    /// Whether base weights say how often a row was seen.
    #[serde(default)]
    pub counts: bool,
    pub(super) rows: usize,
    pub(super) total: f64,
    /// The weight in the table that counts as one row.
    #[serde(default = "one")]
    pub(super) weight_unit: f64,
}

fn one() -> f64 {
    1.0
}

impl Frame {
    /// From what a first look at all rows found. It needs to be [settled](Frame::settle) by a second.
    pub fn draft(survey: &Survey, roles: &Roles) -> Result<Self> {
        let mut notes = survey.check(roles)?;
        notes.extend(survey.note_on_weights(roles));
        notes.extend(survey.note_on_target(roles));
        let weight_unit = survey.weight_unit(roles);
        let encoding = Encoding::learn(survey, roles)?;
        roles.told.check(&encoding)?;
        notes.extend(encoding.notes(survey));
        Ok(Self {
            target: survey.target(roles)?,
            environments: survey.environments()?,
            told: roles.told.clone(),
            encoding,
            correlations: Matrix::zeros(0, 0),
            inseparable: Vec::new(),
            summaries: survey.summaries(),
            notes,
            grouped: roles.group.is_some(),
            counts: roles.weight_kind == WeightKind::Frequency && !survey.unweighted,
            rows: survey.kept,
            total: survey.total() / weight_unit,
            weight_unit,
        })
    }

    /// What is known of rows that were encoded before, which are then [put to it](Frame::with_rows).
    pub(crate) fn known(encoding: Encoding, target: Target, correlations: Matrix, notes: Vec<Finding>) -> Self {
        let inseparable = inseparable_pairs(&correlations);
        Self {
            encoding,
            target,
            correlations,
            inseparable,
            summaries: Vec::new(),
            notes,
            told: Told::default(),
            environments: None,
            grouped: false,
            counts: false,
            rows: 0,
            total: 0.0,
            weight_unit: 1.0,
        }
    }

    /// Learns from the second moments of (1, encoded columns) which columns say nothing of their own, and how the others go
    /// together. If some are left out, the positions of those that stay.
    pub fn settle(&mut self, mut moments: Matrix) -> Result<Option<Vec<usize>>> {
        let total = moments[(0, 0)];
        moments.scale(1.0 / total);
        // With as many columns as rows every column is a combination of the others: no reason to leave one out.
        let keep = if self.rows > self.encoding.columns.len() + 1 {
            self.encoding.leave_out_combinations(&moments, &self.told)?
        } else {
            None
        };
        if let Some(keep) = &keep {
            let used: Vec<usize> = std::iter::once(0).chain(keep.iter().map(|column| column + 1)).collect();
            moments = moments.submatrix(&used);
        }
        self.told.check_kept(&self.encoding)?;
        self.notes.extend(self.encoding.left_out.iter().cloned());
        self.correlations = correlation_from_covariance(&covariance_from_moments(&moments));
        self.inseparable = inseparable_pairs(&self.correlations);
        self.notes.extend(self.inseparable.iter().map(|&(i, j)| {
            let names = [i, j].map(|column| &self.encoding.columns[column].name);
            Finding::new(Code::NearCopies).about(names).with("correlation", self.correlations[(i, j)])
        }));
        for (column, sources, left) in near_combinations(&self.correlations) {
            let names = std::iter::once(&column).chain(&sources).map(|&column| &self.encoding.columns[column].name);
            self.notes.push(Finding::new(Code::NearCombination).about(names).with("percent", 100.0 * left));
        }
        Ok(keep)
    }

    /// Whether the products of every two columns are worth what they take: where there are very many columns, and no more rows
    /// than these, they would take more than the rows themselves.
    pub fn correlates(&self) -> bool {
        self.columns() <= CORRELATED || self.rows > self.columns() + 1
    }

    /// The inseparable pairs among some encoded columns, by their positions in the list.
    pub(super) fn inseparable_among(&self, keep: &[usize]) -> Vec<(usize, usize)> {
        let place = |column: usize| keep.iter().position(|&kept| kept == column);
        self.inseparable.iter().filter_map(|&(i, j)| Some((place(i)?, place(j)?))).collect()
    }

    /// What was told of every variable.
    pub fn standings(&self) -> Vec<Option<Standing>> {
        self.told.standings(&self.encoding)
    }

    /// Probabilities of being stable, with 1 and 0 for variables of which it was told.
    pub fn as_told(&self, stability: &[f64]) -> Vec<f64> {
        let told = stability.iter().zip(self.standings());
        told.map(|(own, told)| told.map_or(*own, |told| f64::from(told == Standing::Stable))).collect()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of encoded columns, without the leading ones.
    pub fn columns(&self) -> usize {
        self.encoding.columns.len()
    }

    /// Sum of the base weights: the number of rows when there are none.
    pub fn total_weight(&self) -> f64 {
        self.total
    }
}

/// Pairs of columns of different variables whose correlation exceeds [`INSEPARABLE`] in absolute value.
fn inseparable_pairs(correlations: &Matrix) -> Vec<(usize, usize)> {
    let pairs = (0..correlations.rows()).flat_map(|j| (0..j).map(move |i| (i, j)));
    pairs.filter(|&pair| correlations[pair].abs() > INSEPARABLE).collect()
}

/// A column of which the others leave less than this share of the variance is nearly a combination of them.
const NEAR_COMBINATION: f64 = 0.01;
/// Columns beyond which near combinations are not searched for.
const MOST_SEARCHED: usize = 300;
/// How much a column has to count, in standard deviations, to be named in a combination.
const COUNTS_IN_COMBINATION: f64 = 0.05;

/// Columns that are nearly combinations of several others, each with those and the share of its variance that they leave. What
/// a column depends on is told once: it takes no part in what comes after.
fn near_combinations(correlations: &Matrix) -> Vec<(usize, Vec<usize>, f64)> {
    let mut searched: Vec<usize> = (0..correlations.rows()).collect();
    let mut found = Vec::new();
    while (3..=MOST_SEARCHED).contains(&searched.len()) {
        let Some(solver) = Cholesky::with_least_ridge(&correlations.submatrix(&searched)) else { break };
        // 1 over the diagonal of the inverse is what the others leave of a column.
        let inverse = solver.inverse();
        let worst =
            (0..searched.len()).fold(0, |worst, k| if inverse[(k, k)] > inverse[(worst, worst)] { k } else { worst });
        let left = 1.0 / inverse[(worst, worst)];
        if left.is_nan() || left >= NEAR_COMBINATION {
            break;
        }
        let counts = |k: &usize| *k != worst && (inverse[(*k, worst)] * left).abs() > COUNTS_IN_COMBINATION;
        let sources: Vec<usize> = (0..searched.len()).filter(counts).map(|k| searched[k]).collect();
        let column = searched.remove(worst);
        // Of two columns alone it is told that they are nearly the same.
        if sources.len() > 1 {
            found.push((column, sources, left));
        }
    }
    found
}

/// Which rows of a table are used: all but some.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KeptRows {
    rows: usize,
    /// Positions in the table of rows that are not used, in order.
    left_out: Vec<usize>,
}

impl KeptRows {
    /// Of a table with this many rows, without some, which come in order.
    pub fn without(rows: usize, left_out: Vec<usize>) -> Self {
        Self { rows, left_out }
    }

    /// How many rows the table has.
    pub fn table_rows(&self) -> usize {
        self.rows
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows - self.left_out.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds rows that follow in the same table.
    pub fn extend(&mut self, more: KeptRows) {
        self.left_out.extend(more.left_out.iter().map(|row| self.rows + row));
        self.rows += more.rows;
    }

    /// The position in the table of the `place`-th row used.
    pub fn position(&self, place: usize) -> usize {
        // Rows left out before the answer: the k-th of them stands before it if it lies within place + k.
        let (mut low, mut high) = (0, self.left_out.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.left_out[middle] <= place + middle { low = middle + 1 } else { high = middle }
        }
        place + low
    }

    /// Positions in the table of rows that are not used, in order.
    pub fn left_out(&self) -> &[usize] {
        &self.left_out
    }

    /// Positions in the table, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let mut left_out = self.left_out.iter().copied().peekable();
        (0..self.rows).filter(move |row| left_out.next_if_eq(row).is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_rows_have_positions() {
        let mut kept = KeptRows::without(6, vec![0, 3, 4]);
        kept.extend(KeptRows::without(3, vec![1]));
        let positions: Vec<usize> = kept.iter().collect();
        assert_eq!(positions, [1, 2, 5, 6, 8]);
        assert_eq!((0..kept.len()).map(|place| kept.position(place)).collect::<Vec<_>>(), positions);
        assert_eq!(KeptRows::without(4, vec![]).position(3), 3);
    }
}
