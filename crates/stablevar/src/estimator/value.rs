//! Values of settings, and which are allowed.

use crate::error::{Error, Result};
use crate::parameter::{Fraction, NonNegative, Positive};
use serde::{Deserialize, Serialize};

/// A value of a setting, as front ends hand it over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Left to the program.
    Auto,
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// A name.
    Text(String),
    /// Whole numbers.
    Counts(Vec<u64>),
    /// Names.
    Texts(Vec<String>),
}

macro_rules! into_value {
    ($($from:ty => |$value:ident| $made:expr;)*) => {
        $(impl From<$from> for Value {
            fn from($value: $from) -> Value {
                $made
            }
        })*
    };
}

into_value! {
    f64 => |value| Value::Number(value);
    usize => |value| Value::Count(value as u64);
    u64 => |value| Value::Count(value);
    i32 => |value| u64::try_from(value).map_or(Value::Number(f64::from(value)), Value::Count);
    &str => |value| Value::Text(value.into());
    String => |value| Value::Text(value);
    Vec<usize> => |value| Value::Counts(value.into_iter().map(|count| count as u64).collect());
    Vec<String> => |value| Value::Texts(value);
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Auto, Into::into)
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Auto => formatter.write_str("auto"),
            Value::Count(count) => count.fmt(formatter),
            Value::Number(number) if *number != 0.0 && number.abs() < 1e-3 => write!(formatter, "{number:e}"),
            Value::Number(number) => number.fmt(formatter),
            Value::Text(text) => formatter.write_str(text),
            Value::Counts(counts) if counts.is_empty() => formatter.write_str("nothing"),
            Value::Counts(counts) => {
                formatter.write_str(&counts.iter().map(u64::to_string).collect::<Vec<_>>().join(","))
            }
            Value::Texts(texts) => formatter.write_str(&texts.join(", ")),
        }
    }
}

/// What numbers are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Range {
    /// Finite and above 0.
    Positive,
    /// Finite, 0 or above.
    NonNegative,
    /// From 0 to 1, both included.
    Fraction,
}

/// What values a setting takes.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A number.
    Number(Range),
    /// A whole number from one to another.
    Count(u64, u64),
    /// Several of them.
    Counts(u64, u64),
    /// One of these names; each with what it means.
    Choice(fn() -> Vec<(&'static str, &'static str)>),
    /// The name of a column.
    Column,
    /// Names of columns.
    Columns,
    /// A size in memory.
    Bytes,
}

impl Kind {
    /// What is allowed, in words.
    pub fn allowed(&self) -> String {
        let counted = |least: u64, most: u64| match most {
            u64::MAX => format!("{least} or above"),
            most => format!("from {least} to {most}"),
        };
        match self {
            Kind::Number(Range::Positive) => "a finite number above 0".into(),
            Kind::Number(Range::NonNegative) => "a finite number, 0 or above".into(),
            Kind::Number(Range::Fraction) => "a number from 0 to 1".into(),
            Kind::Count(least, most) => format!("a whole number, {}", counted(*least, *most)),
            Kind::Counts(least, most) => format!("one or more whole numbers, {}", counted(*least, *most)),
            Kind::Choice(names) => {
                format!("one of {}", names().iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "))
            }
            Kind::Column => "the name of a column".into(),
            Kind::Columns => "names of columns".into(),
            Kind::Bytes => "a size such as 500MB or 2GiB".into(),
        }
    }

    fn allows(&self, value: &Value) -> bool {
        let number_allowed = |range: Range, number: f64| match range {
            Range::Positive => Positive::new("", number).is_ok(),
            Range::NonNegative => NonNegative::new("", number).is_ok(),
            Range::Fraction => Fraction::new("", number).is_ok(),
        };
        match (self, value) {
            (Kind::Number(range), Value::Number(number)) => number_allowed(*range, *number),
            (Kind::Number(range), Value::Count(count)) => number_allowed(*range, *count as f64),
            (Kind::Count(least, most), Value::Count(count)) => (least..=most).contains(&count),
            (Kind::Counts(least, most), Value::Counts(counts)) => {
                !counts.is_empty() && counts.iter().all(|count| (least..=most).contains(&count))
            }
            // One layer is a list of one.
            (Kind::Counts(least, most), Value::Count(count)) => (least..=most).contains(&count),
            (Kind::Choice(names), Value::Text(text)) => names().iter().any(|(name, _)| name == text),
            (Kind::Column, Value::Text(_)) | (Kind::Columns, Value::Texts(_)) | (Kind::Bytes, Value::Count(_)) => true,
            // Of what an empty list is, it does not say.
            (Kind::Columns, Value::Counts(counts)) => counts.is_empty(),
            _ => false,
        }
    }
}

/// A value that was given for a setting, known to be allowed.
pub(super) struct Given<'a> {
    name: &'static str,
    value: &'a Value,
}

impl<'a> Given<'a> {
    /// Checks a value.
    pub(super) fn new(name: &'static str, kind: &Kind, may_be_auto: bool, value: &'a Value) -> Result<Self> {
        if kind.allows(value) || may_be_auto && *value == Value::Auto {
            return Ok(Self { name, value });
        }
        let (allowed, value) = (kind.allowed().into(), value.to_string());
        Err(Error::BadParameter { name, allowed, or_auto: may_be_auto, value })
    }

    pub(super) fn is_auto(&self) -> bool {
        *self.value == Value::Auto
    }

    pub(super) fn text(&self) -> &'a str {
        if let Value::Text(text) = self.value { text } else { "" }
    }

    pub(super) fn texts(&self) -> Vec<String> {
        if let Value::Texts(texts) = self.value { texts.clone() } else { Vec::new() }
    }

    pub(super) fn count(&self) -> usize {
        if let Value::Count(count) = self.value { *count as usize } else { 0 }
    }

    pub(super) fn large_count(&self) -> u64 {
        if let Value::Count(count) = self.value { *count } else { 0 }
    }

    pub(super) fn counts(&self) -> Vec<usize> {
        match self.value {
            Value::Counts(counts) => counts.iter().map(|&count| count as usize).collect(),
            _ => vec![self.count()],
        }
    }

    fn number(&self) -> f64 {
        match self.value {
            Value::Number(number) => *number,
            Value::Count(count) => *count as f64,
            _ => f64::NAN,
        }
    }

    pub(super) fn positive(&self) -> Result<Positive> {
        Positive::new(self.name, self.number())
    }

    pub(super) fn non_negative(&self) -> Result<NonNegative> {
        NonNegative::new(self.name, self.number())
    }

    pub(super) fn fraction(&self) -> Result<Fraction> {
        Fraction::new(self.name, self.number())
    }
}
