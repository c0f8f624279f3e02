//! What the columns of a table held, in so few numbers that a model can carry them.

use super::survey::{ColumnKind, Survey};
use serde::{Deserialize, Serialize};

/// What a column of the table held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnSummary {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
    /// The share of the rows in which it is missing: of all rows, or of those used (by their base weights) where missing values
    /// are filled in.
    pub missing_share: f64,
    /// The least and the greatest number in the rows used; `None` for text.
    pub range: Option<(f64, f64)>,
    /// Different texts; 0 for numbers.
    pub levels: usize,
}

impl ColumnSummary {
    /// Whether its numbers are numbers.
    pub(crate) fn is_whole(&self) -> bool {
        (0.0..=1.0).contains(&self.missing_share)
            && self.range.is_none_or(|(low, high)| low.is_finite() && high.is_finite())
    }
}

impl Survey {
    /// What the covariates held, in the order of the table.
    pub(super) fn summaries(&self) -> Vec<ColumnSummary> {
        let total = self.total();
        let of_column = |column: &super::survey::ColumnSurvey| {
            let text = column.kind == ColumnKind::Text;
            let present = if text { column.levels().map(|(_, weight)| weight).sum() } else { column.moments.weight() };
            let filled_in = if total > 0.0 { 1.0 - present / total } else { 0.0 };
            // Rounding is no missing value.
            let filled_in = if filled_in < 1e-12 { 0.0 } else { filled_in };
            ColumnSummary {
                name: column.name.clone(),
                kind: column.kind,
                missing_share: column.missing_share(self.rows()).max(filled_in).clamp(0.0, 1.0),
                range: column.moments.range().filter(|_| !text),
                levels: if text { column.levels().count() } else { 0 },
            }
        };
        self.columns.iter().map(of_column).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Missing, Roles, TrainingData};
    use crate::table::{Column, Table, TextValues, Values};

    #[test]
    fn kinds_missing_values_and_ranges_are_kept() {
        let number = |name: &str, values: Vec<f64>| Column { name: name.into(), values: Values::Number(values.into()) };
        let texts = TextValues::collect(["a", "b", "a", "c"].into_iter().map(Some));
        let text = Column { name: "t".into(), values: Values::Text(texts) };
        let columns = vec![
            number("x", vec![1.0, f64::NAN, 3.0, -2.0]),
            number("constant", vec![7.0; 4]),
            text,
            number("y", vec![1.0, 2.0, 3.0, 5.0]),
        ];
        let table = Table::new(columns).unwrap();
        for (missing, share) in [(Missing::Mean, 0.25), (Missing::Drop, 0.25)] {
            let roles = Roles { missing, ..Roles::target("y") };
            let found = TrainingData::prepare(&table, &roles).unwrap().summaries.clone();
            assert_eq!(found.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["x", "constant", "t"]);
            assert_eq!((found[0].missing_share, found[0].range), (share, Some((-2.0, 3.0))));
            assert_eq!((found[1].kind, found[1].range), (ColumnKind::Number, Some((7.0, 7.0))));
            assert_eq!((found[2].kind, found[2].range), (ColumnKind::Text, None));
            assert!(found.iter().all(ColumnSummary::is_whole));
        }
    }
}
