//! The levels of a text column that have no column of their own, which new rows may have more often.

use crate::design::{Encoding, FeatureKind};

impl Encoding {
    /// The level of a text variable that all others are compared with: the most frequent one; `None` where several have no column of
    /// their own, and for other variables.
    pub fn reference_level(&self, variable: usize) -> Option<&String> {
        let feature = &self.features[variable];
        let FeatureKind::Category { levels, pooled } = &feature.kind else { return None };
        let has_column =
            |level: &&String| feature.columns.iter().any(|&column| self.columns[column].level.as_ref() == Some(level));
        let mut others = levels.iter().filter(|level| !pooled.contains(level) && !has_column(level));
        others.next().filter(|_| others.next().is_none())
    }

    /// Levels of so few training rows, even together, that they count as the most frequent one.
    pub fn hardly_seen_levels(&self, variable: usize) -> &[String] {
        let feature = &self.features[variable];
        let share_a_column = feature.columns.iter().any(|&column| self.columns[column].level.is_none());
        match &feature.kind {
            FeatureKind::Category { pooled, .. } if !share_a_column => pooled,
            _ => &[],
        }
    }
}
