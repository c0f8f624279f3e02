//! The environments that the training rows come from, where the user has a column that names them.

use crate::error::Result;
use crate::table::{Table, Values};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Places, periods or groups of rows. Their column is no covariate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environments {
    /// The column that names them.
    pub column: String,
    /// Their names, in order: numbers by size, text by alphabet.
    pub levels: Vec<String>,
}

impl Environments {
    /// The environment of every row of a table, by its position; the rows have been looked at, so that each is known.
    pub(super) fn codes(&self, table: &Table) -> Result<Vec<u32>> {
        let known: HashMap<&str, u32> = self.levels.iter().map(String::as_str).zip(0..).collect();
        let place = |name: &str| known.get(name).copied().unwrap_or(0);
        let values = &table.column(&self.column)?.values;
        Ok(match values {
            Values::Text(texts) => {
                let places: Vec<u32> = texts.levels.iter().map(|level| place(level)).collect();
                texts.codes.iter().map(|code| code.map_or(0, |code| places[code as usize])).collect()
            }
            // 0 and -0 are one number.
            Values::Number(numbers) => numbers.iter().map(|value| place(&(value + 0.0).to_string())).collect(),
            Values::Boolean(flags) => flags.iter().map(|flag| place(&flag.unwrap_or(false).to_string())).collect(),
        })
    }

    /// An environment in words.
    pub fn title(&self, position: usize) -> String {
        format!("'{}' = '{}'", self.column, self.levels.get(position).map_or("", String::as_str))
    }
}
