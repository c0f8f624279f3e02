//! A table of named columns, as it comes from a file or a data frame.

use crate::error::{Error, Result};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Index;

/// Spellings of a missing value, in letters of either size.
const MISSING: [&str; 9] = ["", "?", ".", "n/a", "nan", "null", "#n/a", "#na", "<na>"];
/// Spellings that may as well be a value of a column of texts. Others are: Na is sodium, and none often an answer.
const AMBIGUOUS: [&str; 3] = ["NA", "na", "None"];
/// What is missing only where all else is a number, a date or true and false, in letters of either size.
const AMONG_NUMBERS: [&str; 7] = ["none", "na", "-", "--", "\u{2013}", "\u{2014}", "\u{2212}"];

/// Whether a text stands for a missing value, wherever it comes from.
pub fn is_missing(text: &str) -> bool {
    let text = text.trim();
    // The longest spelling has four letters; most texts need no closer look.
    text.len() <= 4 && (MISSING.iter().any(|mark| mark.eq_ignore_ascii_case(text)) || AMBIGUOUS.contains(&text))
}

/// Whether a text stands for a missing value, but in a column of texts may be meant as a value.
pub fn may_be_a_value(text: &str) -> bool {
    AMBIGUOUS.contains(&text.trim())
}

/// Whether a text stands for a missing value in a column whose other values are numbers, dates or true and false.
pub fn is_missing_among_numbers(text: &str) -> bool {
    let text = text.trim();
    text.len() <= 4 && (AMONG_NUMBERS.iter().any(|mark| mark.eq_ignore_ascii_case(text)) || is_missing(text))
}

/// Named columns of equal length with distinct names; their numbers may be someone else's.
#[derive(Debug, Clone, PartialEq)]
pub struct Table<'a> {
    columns: Vec<Column<'a>>,
    rows: usize,
}

/// One column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column<'a> {
    /// Its name.
    pub name: String,
    /// Its values, one per row.
    pub values: Values<'a>,
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Values<'a> {
    /// Numbers; NaN stands for a missing value.
    Number(Numbers<'a>),
    /// True, false or missing.
    Boolean(Vec<Option<bool>>),
    /// Text from a list of levels.
    Text(TextValues),
}

/// Numbers of its own, or every so many-th of an array of someone else's: a column of a matrix kept row by row is such.
#[derive(Debug, Clone)]
pub struct Numbers<'a> {
    values: Cow<'a, [f64]>,
    start: usize,
    step: usize,
    len: usize,
}

impl<'a> Numbers<'a> {
    /// `len` values of an array, `step` apart from `start` on.
    ///
    /// # Panics
    /// If the array is too short for that.
    pub fn view(values: &'a [f64], start: usize, step: usize, len: usize) -> Self {
        assert!(len == 0 || start + step * (len - 1) < values.len(), "a view must lie within its array");
        Self { values: Cow::Borrowed(values), start, step, len }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// One after the other.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = f64> + Clone + '_ {
        (0..self.len).map(|row| self[row])
    }

    /// Adds more at the end.
    ///
    /// Only numbers of its own can grow: a view becomes a copy first.
    pub fn extend(&mut self, more: impl IntoIterator<Item = f64>) {
        if !matches!(self.values, Cow::Owned(_)) || self.step != 1 || self.start != 0 {
            *self = self.to_vec().into();
        }
        let values = self.values.to_mut();
        values.extend(more);
        self.len = values.len();
    }

    /// A copy.
    pub fn to_vec(&self) -> Vec<f64> {
        self.iter().collect()
    }
}

impl Index<usize> for Numbers<'_> {
    type Output = f64;

    fn index(&self, row: usize) -> &f64 {
        &self.values[self.start + self.step * row]
    }
}

impl From<Vec<f64>> for Numbers<'_> {
    fn from(values: Vec<f64>) -> Self {
        let len = values.len();
        Self { values: Cow::Owned(values), start: 0, step: 1, len }
    }
}

impl FromIterator<f64> for Numbers<'_> {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        values.into_iter().collect::<Vec<f64>>().into()
    }
}

impl PartialEq for Numbers<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

/// Text kept as positions in a list of distinct levels.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextValues {
    /// For each row the position of its level; `None` is missing.
    pub codes: Vec<Option<u32>>,
    /// The distinct texts, in order of first appearance; spellings of a missing value may be among them, though no row has such a
    /// code, so that what was read as missing can be told.
    pub levels: Vec<String>,
}

impl TextValues {
    /// Collects texts, one per row.
    pub fn collect<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Self {
        let mut positions: HashMap<&'a str, u32> = HashMap::new();
        let mut values = TextValues::default();
        for text in texts {
            let code = text.map(|text| {
                *positions.entry(text).or_insert_with(|| {
                    values.levels.push(text.to_string());
                    (values.levels.len() - 1) as u32
                })
            });
            values.codes.push(code);
        }
        values
    }

    /// The texts as numbers; NaN where they are none.
    pub fn numbers(&self) -> Numbers<'static> {
        let values: Vec<f64> = self.levels.iter().map(|level| number_within(level).unwrap_or(f64::NAN)).collect();
        self.codes.iter().map(|code| code.map_or(f64::NAN, |code| values[code as usize])).collect()
    }

    /// The text of a row.
    pub fn get(&self, row: usize) -> Option<&str> {
        self.codes[row].map(|code| self.levels[code as usize].as_str())
    }
}

/// The number that a text is, or that it holds between signs and letters, as in `€49.50`, `19.00 EUR` and `12 %`. What holds two, or
/// commas, may mean anything; in brackets it would be negative in accounts.
fn number_within(text: &str) -> Option<f64> {
    let digits = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '-');
    as_number(text).or_else(|| as_number(text.trim_matches(|letter| !digits(letter))).filter(|_| !text.contains('(')))
}

/// A text as a finite number, if it is one.
pub fn as_number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|value: &f64| value.is_finite())
}

impl Values<'_> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Values::Number(values) => values.len(),
            Values::Boolean(values) => values.len(),
            Values::Text(values) => values.codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the value of a row is missing.
    pub fn is_missing(&self, row: usize) -> bool {
        match self {
            Values::Number(values) => values[row].is_nan(),
            Values::Boolean(values) => values[row].is_none(),
            Values::Text(values) => values.codes[row].is_none(),
        }
    }

    /// What the column holds, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Values::Number(_) => "numbers",
            Values::Boolean(_) => "true/false",
            Values::Text(_) => "text",
        }
    }

    /// The value of a row as text, `None` when missing.
    pub fn text(&self, row: usize) -> Option<String> {
        match self {
            Values::Number(values) => (!values[row].is_nan()).then(|| values[row].to_string()),
            Values::Boolean(values) => values[row].map(|value| value.to_string()),
            Values::Text(values) => values.get(row).map(str::to_string),
        }
    }

    fn keep_rows(&self, keep: &[usize]) -> Values<'static> {
        match self {
            Values::Number(values) => Values::Number(keep.iter().map(|&row| values[row]).collect()),
            Values::Boolean(values) => Values::Boolean(keep.iter().map(|&row| values[row]).collect()),
            Values::Text(values) => Values::Text(TextValues {
                codes: keep.iter().map(|&row| values.codes[row]).collect(),
                levels: values.levels.clone(),
            }),
        }
    }
}

impl<'a> Table<'a> {
    /// Checks that the columns are equally long and bear distinct names.
    pub fn new(columns: Vec<Column<'a>>) -> Result<Self> {
        let rows = columns.first().map_or(0, |column| column.values.len());
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for (position, column) in columns.iter().enumerate() {
            if column.values.len() != rows {
                let found = column.values.len();
                return Err(Error::UnequalColumns { column: column.name.clone(), found, expected: rows });
            }
            if let Some(first) = seen.insert(&column.name, position) {
                return Err(Error::DuplicateColumn {
                    column: column.name.clone(),
                    first: first + 1,
                    second: position + 1,
                });
            }
        }
        Ok(Self { columns, rows })
    }

    /// So many rows of which no column is read, as for a model without variables, which has a prediction for each all the same.
    pub fn without_columns(rows: usize) -> Self {
        Self { columns: Vec::new(), rows }
    }

    /// A table of numbers from (name, values) pairs.
    pub fn from_numbers<S: Into<String>>(columns: impl IntoIterator<Item = (S, Vec<f64>)>) -> Result<Self> {
        Self::new(
            columns
                .into_iter()
                .map(|(name, values)| Column { name: name.into(), values: Values::Number(values.into()) })
                .collect(),
        )
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns in their order.
    pub fn columns(&self) -> &[Column<'a>] {
        &self.columns
    }

    /// A column by name.
    pub fn column(&self, name: &str) -> Result<&Column<'a>> {
        self.columns.iter().find(|column| column.name == name).ok_or_else(|| Error::UnknownColumn {
            column: name.to_string(),
            available: self.columns.iter().map(|column| column.name.clone()).collect(),
        })
    }

    /// Without the named columns; each must exist.
    pub fn without(mut self, names: &[String]) -> Result<Self> {
        for name in names {
            self.column(name)?;
        }
        self.columns.retain(|column| !names.contains(&column.name));
        Ok(self)
    }

    /// With those columns only whose names are wanted.
    pub fn only(mut self, wanted: impl Fn(&str) -> bool) -> Self {
        self.columns.retain(|column| wanted(&column.name));
        self
    }

    /// With the texts of some columns read as numbers.
    pub fn with_numbers(&self, names: &[String]) -> Self {
        let mut table = self.clone();
        for column in table.columns.iter_mut().filter(|column| names.contains(&column.name)) {
            if let Values::Text(texts) = &column.values {
                column.values = Values::Number(texts.numbers());
            }
        }
        table
    }

    /// The rows listed, in that order.
    pub fn keep_rows(&self, keep: &[usize]) -> Table<'static> {
        let columns = self
            .columns
            .iter()
            .map(|column| Column { name: column.name.clone(), values: column.values.keep_rows(keep) })
            .collect();
        Table { columns, rows: keep.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_and_unequal_lengths_are_refused() {
        let twice = Table::from_numbers([("a", vec![1.0]), ("a", vec![2.0])]);
        assert_eq!(twice, Err(Error::DuplicateColumn { column: "a".into(), first: 1, second: 2 }));
        let ragged = Table::from_numbers([("a", vec![1.0]), ("b", vec![])]);
        assert_eq!(ragged, Err(Error::UnequalColumns { column: "b".into(), found: 0, expected: 1 }));
    }

    #[test]
    fn numbers_among_signs_and_letters_are_read_and_doubtful_ones_are_not() {
        let texts = ["€49.50", "19.00 EUR", "12 %", "$-5", "7", "(5)", "3 of 5", "1,234", "57.5 m2", "none"];
        let read = TextValues::collect(texts.iter().map(|text| Some(*text))).numbers().to_vec();
        assert_eq!(read[..5], [49.5, 19.0, 12.0, -5.0, 7.0]);
        assert!(read[5..].iter().all(|value| value.is_nan()), "{read:?}");
    }

    #[test]
    fn a_view_is_a_column_of_someone_elses_matrix() {
        let matrix = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let by_rows = Numbers::view(&matrix, 1, 2, 3);
        assert_eq!((by_rows.to_vec(), by_rows[2]), (vec![2.0, 4.0, 6.0], 6.0));
        assert_eq!(by_rows, Numbers::from(vec![2.0, 4.0, 6.0]));
        assert!(Numbers::view(&[], 0, 7, 0).is_empty());
    }

    #[test]
    fn what_is_missing_depends_on_what_else_there_is() {
        for text in ["", " ", "?", ".", "N/A", "n/a", "N/a", "NaN", "NAN", "null", "Null", "NULL", "#N/A", "<NA>"] {
            assert!(is_missing(text) && is_missing_among_numbers(text) && !may_be_a_value(text), "{text}");
        }
        for text in ["NA", "na", "None"] {
            assert!(is_missing(text) && is_missing_among_numbers(text) && may_be_a_value(text), "{text}");
        }
        for text in ["none", "NONE", "Na", "-", "--", "\u{2013}"] {
            assert!(!is_missing(text) && is_missing_among_numbers(text), "{text}");
        }
        for text in ["no", "nil", "0", "nano", "-1", "n", "....", "N/A!", "unknown"] {
            assert!(!is_missing(text) && !is_missing_among_numbers(text), "{text}");
        }
    }

    #[test]
    fn text_is_kept_as_levels_in_order_of_appearance() {
        let values = TextValues::collect([Some("b"), None, Some("a"), Some("b")].into_iter());
        assert_eq!(values.levels, ["b", "a"]);
        assert_eq!(values.codes, [Some(0), None, Some(1), Some(0)]);
    }
}
