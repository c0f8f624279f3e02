//! The outcome: a number or one of two classes, standardised.

use super::survey::Moments;
use crate::error::{Error, Result};
use crate::table::{Column, Values};
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

impl Target {
    pub(super) fn standardise(column: &Column, task: Option<Task>, base: &[f64]) -> Result<Self> {
        let task = task.unwrap_or_else(|| infer_task(&column.values));
        let (mut values, classes) = match (task, &column.values) {
            (Task::Regression, Values::Number(numbers)) => (numbers.to_vec(), None),
            (Task::Regression, other) => {
                let value = other.text(0).unwrap_or_default();
                return Err(Error::TextTarget { kind: other.kind(), column: column.name.clone(), row: 1, value });
            }
            (Task::Classification, values) => {
                let classes = two_classes(&column.name, values)?;
                (class_numbers(&column.name, values, &classes)?, Some(classes))
            }
        };
        let Some((mean, scale)) = Moments::of(&values, base).mean_and_scale(base.iter().sum()) else {
            return Err(Error::ConstantTarget { column: column.name.clone(), value: values[0].to_string() });
        };
        values.iter_mut().for_each(|value| *value = standardised(*value, mean, scale));
        Ok(Self { name: column.name.clone(), classes, values, mean, scale })
    }

    /// No outcome.
    pub(super) fn none(rows: usize) -> Self {
        Self { name: String::new(), classes: None, values: vec![0.0; rows], mean: 0.0, scale: 1.0 }
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

/// On the scale where the training rows have mean 0 and variance 1; the difference may overflow where the quotient does not.
pub(super) fn standardised(value: f64, mean: f64, scale: f64) -> f64 {
    match value - mean {
        far if far.is_infinite() => value / scale - mean / scale,
        usual => usual / scale,
    }
}

/// Classes if the values are true/false, text, or 0 and 1 alone.
fn infer_task(values: &Values) -> Task {
    match values {
        Values::Number(numbers) if numbers.iter().all(|value| value == 0.0 || value == 1.0) => Task::Classification,
        Values::Number(_) => Task::Regression,
        Values::Boolean(_) | Values::Text(_) => Task::Classification,
    }
}

/// The two classes of a target in order: numbers by size, false before true, text by alphabet.
fn two_classes(name: &str, values: &Values) -> Result<[String; 2]> {
    let mut found: Vec<String> = match values {
        Values::Number(numbers) => {
            let mut sorted = numbers.to_vec();
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
