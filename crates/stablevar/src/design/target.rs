//! The outcome: a number or one of two classes, standardised.

use crate::error::{Error, Result};
use crate::table::{Table, Values};
use serde::{Deserialize, Serialize};

/// What is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// A number.
    Regression,
    /// Which of two classes.
    Classification,
}

/// The outcome, and how it is standardised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// The two classes, if it has classes; they count as 0 and 1.
    pub classes: Option<[String; 2]>,
    /// Mean over the training rows.
    pub mean: f64,
    /// Standard deviation over the training rows.
    pub scale: f64,
}

impl Target {
    /// No outcome.
    pub(super) fn none() -> Self {
        Self { name: String::new(), classes: None, mean: 0.0, scale: 1.0 }
    }

    /// The standardised outcomes of some rows; all 0 without an outcome.
    pub(super) fn standardise(&self, table: &Table) -> Result<Vec<f64>> {
        if self.name.is_empty() {
            return Ok(vec![0.0; table.rows()]);
        }
        let column = table.column(&self.name)?;
        let mut values = match (&self.classes, &column.values) {
            (Some(classes), values) => class_numbers(&self.name, values, classes)?,
            (None, Values::Number(numbers)) => numbers.to_vec(),
            (None, other) => {
                let value = other.text(0).unwrap_or_default();
                return Err(Error::TextTarget { kind: other.kind(), column: column.name.clone(), row: 1, value });
            }
        };
        values.iter_mut().for_each(|value| *value = standardised(*value, self.mean, self.scale));
        Ok(values)
    }

    /// What is predicted.
    pub fn task(&self) -> Task {
        if self.classes.is_some() { Task::Classification } else { Task::Regression }
    }
}

/// On the scale where the training rows have mean 0 and variance 1; the difference may overflow where the quotient does not.
pub(super) fn standardised(value: f64, mean: f64, scale: f64) -> f64 {
    match value - mean {
        far if far.is_infinite() => value / scale - mean / scale,
        usual => usual / scale,
    }
}

/// The label, 0 or 1, of a standardised one.
pub fn label_of(value: f64, (mean, scale): (f64, f64)) -> f64 {
    (mean + scale * value).round()
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
