//! What can be wrong with the data or the request, with the place of the fault and how to mend it.

use crate::wording::{Plain, Wording, fill};
use std::borrow::Cow;

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A fault in the data or the request. [`Error::hint`] says how to mend it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A column was asked for that the table does not have.
    #[error("there is no column '{column}' in the table")]
    UnknownColumn {
        /// The name asked for.
        column: String,
        /// The names there are.
        available: Vec<String>,
    },
    /// Two columns bear one name.
    #[error("the column name '{column}' stands twice, in columns {first} and {second}")]
    DuplicateColumn {
        /// The name.
        column: String,
        /// Its first position, from 1.
        first: usize,
        /// Its second position, from 1.
        second: usize,
    },
    /// Columns differ in length.
    #[error("column '{column}' has {found} values where the table has {expected} rows")]
    UnequalColumns {
        /// The column that differs.
        column: String,
        /// Its length.
        found: usize,
        /// The length of the columns before it.
        expected: usize,
    },
    /// There are too few rows.
    #[error("{needed} or more rows are needed, and there {} {found}", if *found == 1 { "is" } else { "are" })]
    TooFewRows {
        /// Rows found.
        found: usize,
        /// Rows needed.
        needed: usize,
    },
    /// There are as many columns as rows, or more.
    #[error("{columns} columns (after encoding) need more than {} rows, and there are {rows}", columns + 1)]
    TooFewRowsForColumns {
        /// Rows found.
        rows: usize,
        /// Encoded columns.
        columns: usize,
    },
    /// Values are missing.
    #[error("{rows} rows have missing values: {}", listed(columns))]
    MissingValues {
        /// Column and count, for each column with missing values.
        columns: Vec<(String, usize)>,
        /// Rows with at least one missing value.
        rows: usize,
    },
    /// Values are missing in rows that are to be predicted.
    #[error("{rows} rows have missing values: {}", listed(columns))]
    MissingInNewRows {
        /// Column and count, for each column that the model needs and that has missing values.
        columns: Vec<(String, usize)>,
        /// Rows with at least one missing value.
        rows: usize,
    },
    /// Rows with missing values may be left out, but hardly any other is there.
    #[error("only {complete} of {rows} rows have no missing value: {}", listed(columns))]
    FewCompleteRows {
        /// Column and count, for each column that is needed and has missing values.
        columns: Vec<(String, usize)>,
        /// Rows without a missing value.
        complete: usize,
        /// All rows.
        rows: usize,
        /// Whether missing values of covariates are filled in already.
        filled: bool,
    },
    /// A prediction is no number.
    #[error("row {row}: the prediction is {value}, beyond the range of numbers")]
    PredictionOverflow {
        /// The data row, from 1.
        row: usize,
        /// What was computed.
        value: f64,
    },
    /// A value is infinite.
    #[error("column '{column}', row {row}: {value} is not a finite number")]
    NotFinite {
        /// The column.
        column: String,
        /// The data row, from 1.
        row: usize,
        /// The value.
        value: f64,
    },
    /// The outcome is text.
    #[error("the target '{column}' holds {kind} (row {row}: '{value}')")]
    TextTarget {
        /// What it holds.
        kind: &'static str,
        /// The target.
        column: String,
        /// A data row, from 1.
        row: usize,
        /// Its value.
        value: String,
    },
    /// The outcome has one class only.
    #[error("the target '{column}' is '{class}' in every row")]
    OneClass {
        /// The target.
        column: String,
        /// Its one class.
        class: String,
    },
    /// The outcome has more than two classes.
    #[error("the target '{column}' has {}{count} classes ('{}'{})", at_least(*more), examples.join("', '"), if *count > examples.len() { ", ..." } else { "" })]
    ManyClasses {
        /// The target.
        column: String,
        /// How many.
        count: usize,
        /// Whether there may be more, which were not counted.
        more: bool,
        /// Some of them.
        examples: Vec<String>,
    },
    /// A class that the training data did not have.
    #[error("column '{column}', row {row}: '{value}' is neither '{}' nor '{}', the classes of the training data", classes[0], classes[1])]
    UnknownClass {
        /// The target.
        column: String,
        /// The data row, from 1.
        row: usize,
        /// The value.
        value: String,
        /// The classes.
        classes: Box<[String; 2]>,
    },
    /// The outcome never varies.
    #[error("the target '{column}' is {value} in every row")]
    ConstantTarget {
        /// The target.
        column: String,
        /// Its one value.
        value: String,
    },
    /// Nothing is left to learn from.
    #[error("no usable column is left beside the target{}", if dropped.is_empty() { String::new() } else { format!(" (left out as constant: {})", dropped.join(", ")) })]
    NoUsableColumns {
        /// Columns that were left out.
        dropped: Vec<String>,
    },
    /// A text column has too many different values to be a category.
    #[error("column '{column}' holds {}{levels} different texts, more than {limit}", at_least(*more))]
    TooManyLevels {
        /// The column.
        column: String,
        /// Different values.
        levels: usize,
        /// Whether there may be more, which were not counted.
        more: bool,
        /// The most that is allowed.
        limit: usize,
    },
    /// A column changed its type between training and prediction.
    #[error("column '{column}' holds {found} here, and held {expected} in the training data")]
    ChangedType {
        /// The column.
        column: String,
        /// What it holds now.
        found: &'static str,
        /// What it held.
        expected: &'static str,
    },
    /// Something was told of a column that carries nothing.
    #[error("'{column}' was told to be {standing}, but it is left out: {why}")]
    UselessColumn {
        /// The column.
        column: String,
        /// What it was told to be.
        standing: &'static str,
        /// Why it carries nothing.
        why: String,
    },
    /// The column that names environments has one value.
    #[error("the environment '{column}' is '{value}' in every row")]
    OneEnvironment {
        /// The column.
        column: String,
        /// Its one value.
        value: String,
    },
    /// The column that names environments has too many values.
    #[error("'{column}' names {environments}{} environments for {rows} rows", if *more { " or more" } else { "" })]
    TooManyEnvironments {
        /// The column.
        column: String,
        /// Different values.
        environments: usize,
        /// Whether there are more than were counted.
        more: bool,
        /// Rows.
        rows: usize,
    },
    /// A base weight is negative, infinite or beyond what can be computed with, or all are zero.
    #[error("the weights in column '{column}' must be 0 or from 1e-50 to 1e50, and not all 0; {fault}")]
    BadWeights {
        /// The column.
        column: String,
        /// What was found.
        fault: String,
    },
    /// A parameter is outside its range.
    #[error("{}", self.message(&Plain))]
    BadParameter {
        /// The setting.
        name: &'static str,
        /// Its range in words.
        allowed: Cow<'static, str>,
        /// Whether it may also be left to the program.
        or_auto: bool,
        /// The value given.
        value: String,
    },
    /// A request that does not fit together.
    #[error("{0}")]
    BadRequest(String),
    /// What was asked for can't be done with rows that are not in memory.
    #[error("{what} needs all rows in memory, and there are too many for that")]
    NeedsMemory {
        /// What was asked for.
        what: String,
    },
    /// A model has no training rows to foresee errors from.
    #[error("the model remembers no training rows, so that nothing can be foreseen: {}", if *asked_for { "it was asked to keep none" } else { "it was fitted to too few" })]
    NothingRemembered {
        /// Whether it was asked not to.
        asked_for: bool,
    },
    /// A pass over rows that are not in memory failed.
    #[error("{0}")]
    Pass(String),
    /// The caller stopped the work.
    #[error("interrupted")]
    Interrupted,
    /// Biased sampling keeps too few of the rows that are drawn.
    #[error("only {kept} of {drawn} drawn rows were kept by the selection")]
    SelectionTooStrict {
        /// Rows kept.
        kept: usize,
        /// Rows drawn.
        drawn: usize,
    },
}

/// Columns with their counts, in words.
pub(crate) fn listed(columns: &[(String, usize)]) -> String {
    const SHOWN: usize = 12;
    let mut text =
        columns.iter().take(SHOWN).map(|(name, count)| format!("'{name}' ({count})")).collect::<Vec<_>>().join(", ");
    if columns.len() > SHOWN {
        text += &format!(" and {} more columns", columns.len() - SHOWN);
    }
    text
}

fn at_least(more: bool) -> &'static str {
    if more { "at least " } else { "" }
}

impl Error {
    /// The same fault in a table before whose rows this many others stand.
    pub fn from_row(self, first: usize) -> Self {
        self.at(|row| row + first)
    }

    /// The same fault in a table in which its row has another number; both count from 1.
    pub fn at(mut self, number: impl Fn(usize) -> usize) -> Self {
        if let Error::NotFinite { row, .. }
        | Error::UnknownClass { row, .. }
        | Error::TextTarget { row, .. }
        | Error::PredictionOverflow { row, .. } = &mut self
        {
            *row = number(*row);
        }
        self
    }

    /// The fault in the words of a front end.
    pub fn message(&self, wording: &dyn Wording) -> String {
        match self {
            Error::BadParameter { name, allowed, or_auto, value } => {
                let auto = if *or_auto { format!(", or {}", wording.auto()) } else { String::new() };
                format!("{} must be {allowed}{auto}, not {value}", wording.setting(name, None))
            }
            other => other.to_string(),
        }
    }

    /// How to mend the fault, in the words of a front end.
    pub fn hint(&self, wording: &dyn Wording) -> Option<String> {
        let text = match self {
            Error::UnknownColumn { column, available } => {
                return Some(match closest(column, available) {
                    Some(name) => format!("did you mean '{name}'?"),
                    None => format!("the columns are: {}", shortened(available)),
                });
            }
            Error::DuplicateColumn { .. } => "rename one of the two, so that a name means one column",
            Error::UnequalColumns { .. } => "give every column one value per row",
            Error::TooFewRows { .. } => "use a larger sample",
            Error::TooFewRowsForColumns { .. } => {
                "use more rows, leave columns out ([exclude]), or use the Lasso ([method=lasso]), which can do with fewer rows"
            }
            Error::MissingValues { .. } => {
                "fill them in; when fitting, leave the columns out ([exclude]), leave those rows out ([missing=drop]) or put the \
                 column's mean, for text the most frequent value, also when predicting ([missing=mean]); texts such as '?', 'n/a' \
                 and 'NA' count as missing"
            }
            Error::MissingInNewRows { .. } => {
                "fill them in, or leave those rows out; a model that is fitted with [missing=mean] puts the training rows' mean, for \
                 text the most frequent value, by itself"
            }
            Error::FewCompleteRows { filled: false, .. } => {
                "leave out the columns that are mostly empty ([exclude]), or put the column's mean, for text the most frequent value, \
                 also when predicting ([missing=mean])"
            }
            Error::FewCompleteRows { filled: true, .. } => {
                "the target and the weights can't be filled in: check [target] and how the rows were chosen"
            }
            Error::PredictionOverflow { .. } => {
                "a value of that row is far beyond what the model learnt from: correct it, or leave the row out"
            }
            Error::NotFinite { .. } => "correct the value, or leave the column out ([exclude])",
            Error::TextTarget { .. } => {
                "regression needs numbers as the target; two classes are told apart by [task=classification] with a method that \
                 can, as [method=svi] or [method=logistic]"
            }
            Error::OneClass { .. } => "there is nothing to tell apart: check [target] and how the rows were chosen",
            Error::ManyClasses { .. } => {
                "classification is between two classes: join some, or keep the rows of two; a number is predicted by \
                 [task=regression]"
            }
            Error::UnknownClass { .. } => "correct the value, or fit again with rows that have it",
            Error::ConstantTarget { .. } => "there is nothing to predict: check [target] and how the rows were chosen",
            Error::NoUsableColumns { .. } => "give columns that vary",
            Error::TooManyLevels { .. } => {
                "if it is an identifier, leave it out ([exclude]); if it holds dates, say so ([date]); if it is a category, allow more \
                 ([max-levels]); if it is a number in which some values are words, read it as one ([number])"
            }
            Error::ChangedType { .. } => "give the column the type it had in training, or fit again",
            Error::UselessColumn { .. } => "take it off [stable] or [unstable], or leave it out ([exclude])",
            Error::OneEnvironment { .. } => {
                "environments are places or periods to be compared: name another column ([env]), or none"
            }
            Error::TooManyEnvironments { .. } => {
                "an environment is a place or period with many rows: name a coarser column ([env]), or join values"
            }
            Error::BadWeights { .. } => {
                "a weight says how much a row counts, or how often it was seen ([weight-kind=frequency]); 0 leaves it out; give weights of another size other units"
            }
            Error::NeedsMemory { .. } => {
                "allow more ([memory]), use a sample of the rows, or use a method that reads them in chunks, as [method=svi]"
            }
            Error::NothingRemembered { asked_for: true } => {
                "fit again and let it keep some rows with their outcomes ([remember]); where new rows have outcomes, evaluate there"
            }
            Error::NothingRemembered { asked_for: false } => "fit it to 20 rows or more",
            Error::SelectionTooStrict { .. } => {
                "use fewer biased columns ([biased]), a bias rate nearer to 1 ([r]), or fewer stable columns"
            }
            Error::BadParameter { .. } | Error::BadRequest(_) | Error::Pass(_) | Error::Interrupted => return None,
        };
        Some(fill(text, wording, &|_| String::new()))
    }
}

fn shortened(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let mut text = names.iter().take(SHOWN).map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text += &format!(" and {} more", names.len() - SHOWN);
    }
    text
}

/// The available name most like `wanted`, if one is close enough to be a slip of the hand.
fn closest<'a>(wanted: &str, available: &'a [String]) -> Option<&'a String> {
    let wanted = wanted.to_lowercase();
    available
        .iter()
        .map(|name| (edit_distance(&wanted, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= name.chars().count().min(wanted.chars().count()) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Letters that were left out, added, replaced or swapped with the next.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            row[j + 1] = (last[j] + usize::from(a[i] != b[j])).min(row[j] + 1).min(last[j + 1] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_hand_is_recognised_and_a_different_word_is_not() {
        let names = vec!["price".to_string(), "sqft_living".to_string()];
        assert_eq!(closest("Prise", &names), Some(&names[0]));
        assert_eq!(closest("sqft_livng", &names), Some(&names[1]));
        assert_eq!(closest("sqtf_livign", &names), Some(&names[1]));
        assert_eq!(closest("bedrooms", &names), None);
    }
}
