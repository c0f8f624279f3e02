//! Faults of files, with their place.

use stablevar::error::Error;
use stablevar::wording::Wording;

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, IoError>;

/// A file that can't be read, understood or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields hold
pub enum IoError {
    #[error("can't read {path}: {source}")]
    Read { path: String, source: std::io::Error },
    #[error("there are no Parquet files in {path}")]
    NoParts { path: String },
    #[error("{path}: {message}")]
    PartDiffers { path: String, message: String },
    #[error("{path} is empty")]
    Empty { path: String },
    #[error("{path}, line {line}: {found} fields where the header has {expected}")]
    Ragged { path: String, line: u64, found: u64, expected: u64, separator: Option<char> },
    #[error("{path}, line {line}, column {column}: the text is not UTF-8")]
    NotUtf8 { path: String, line: u64, column: String },
    #[error(
        "{path}, line {line}, column '{column}': '{value}' is not a number, and {numbers} of {total} values in this column are"
    )]
    TextAmongNumbers { path: String, line: u64, column: String, value: String, numbers: u64, total: u64 },
    #[error("{path} is {what}")]
    NoTable { path: String, what: &'static str, remedy: &'static str },
    #[error("{}", undated(path, column, value, *ambiguous))]
    NotDates { path: String, column: String, value: String, ambiguous: bool },
    #[error("'{given}': '{word}' does not say how dates are to be read")]
    DateWish { given: String, word: String },
    #[error(
        "{path}, row {row}, column '{column}': '{value}' does not fit {expected}, as which the rows before it are read"
    )]
    NotAsBefore { path: String, row: usize, column: String, value: String, expected: Box<str> },
    #[error("{path}: column {position} has no name in the header")]
    Unnamed { path: String, position: usize },
    #[error("{path}: {message}")]
    Damaged { path: String, message: String },
    #[error("{path}, column '{column}' holds {kind}, which can't be used as it is")]
    Unsupported { path: String, column: String, kind: String },
    #[error("{path}: {source}")]
    Table { path: String, source: Error },
    #[error("{path}: there is no column '{column}' in the table, which the model needs")]
    NotTheModels { path: String, column: String, available: Vec<String>, needed: Vec<String> },
    #[error("{path} is not a stablevar model")]
    NotAModel { path: String },
    #[error("{path} has model format {found}; this program reads format {known}")]
    ModelVersion { path: String, found: u64, known: u64, command: Option<String> },
    #[error("can't keep rows in a temporary file in {folder}: {source}")]
    Spill { folder: String, source: std::io::Error },
    #[error("can't write {path}: {source}")]
    Write { path: String, source: std::io::Error },
    #[error("{path} can't be written to: the same file {use_of_it}")]
    Overwrites { path: String, use_of_it: String },
}

impl IoError {
    /// The fault in the words of a front end.
    pub fn message(&self, wording: &dyn Wording) -> String {
        match self {
            IoError::Table { path, source } => format!("{path}: {}", source.message(wording)),
            other => other.to_string(),
        }
    }

    /// How to mend the fault, in the words of a front end.
    pub fn hint(&self, wording: &dyn Wording) -> Option<String> {
        let of = |name: &str, column: &str| wording.setting(name, Some(column));
        let text = match self {
            IoError::Read { source, .. } if source.kind() == std::io::ErrorKind::NotFound => "check the path".into(),
            IoError::Read { .. } => "check that you may read it".into(),
            IoError::NoParts { .. } => {
                "name a file, a folder of Parquet files, or a pattern like 'data/*.parquet'".into()
            }
            IoError::PartDiffers { .. } => "write the files of a table with the same columns of the same kinds".into(),
            IoError::Empty { .. } => "a table has a header line and data, a model file what a fit wrote".into(),
            IoError::Ragged { separator: Some(separator), .. } => {
                let shown = if *separator == '\t' { "tab".to_string() } else { separator.to_string() };
                format!("the header looks separated by '{shown}': {}", wording.setting("delimiter", Some(&shown)))
            }
            IoError::Ragged { .. } => {
                "add or remove fields on that line; a field with a comma must stand in double quotes".into()
            }
            IoError::NotUtf8 { .. } => "save the file as UTF-8, for example with: iconv -f CP1252 -t UTF-8".into(),
            IoError::TextAmongNumbers { column, .. } => format!(
                "correct the value or leave it empty; a column that is not the target can be read as numbers with the rest missing ({}, with \
                 missing values filled in or left out), as text if it is a category ({}), or left out ({})",
                of("number", column),
                of("category", column),
                of("exclude", column)
            ),
            IoError::NoTable { remedy, .. } => remedy.to_string(),
            IoError::NotDates { column, ambiguous: true, .. } => format!(
                "say which: {} where the day comes first, {} where the month does",
                wording.setting("date", Some(&format!("{column}=dmy"))),
                wording.setting("date", Some(&format!("{column}=mdy")))
            ),
            IoError::NotDates { .. } => {
                "dates are written as 2014-10-13, 20141013, 13.10.2014 or 10/13/2014, with a time of day or without".into()
            }
            IoError::DateWish { .. } => {
                "after the column's name and = stand parts, an order (dmy, mdy, ymd), or both as in parts-dmy".into()
            }
            IoError::NotAsBefore { column, .. } => format!(
                "correct the value, or say that the column is text ({}), or leave it out ({})",
                of("category", column),
                of("exclude", column)
            ),
            IoError::Unnamed { .. } => {
                "give it a name or take it out; pandas leaves its row numbers out with to_csv(index=False)".into()
            }
            IoError::Damaged { .. } => "the file is damaged or was cut short: write it again".into(),
            IoError::Unsupported { column, .. } => {
                format!("turn it into numbers or text, or leave it out ({})", of("exclude", column))
            }
            IoError::Table { source, .. } => return source.hint(wording),
            IoError::NotTheModels { column, available, needed, .. } => {
                let unknown = Error::UnknownColumn { column: column.clone(), available: available.clone() };
                let needed = needed.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
                format!("{}; the model was fitted on: {needed}", unknown.hint(wording).unwrap_or_default())
            }
            IoError::NotAModel { .. } => "give a model file that a fit wrote".into(),
            IoError::ModelVersion { found, known, .. } if found > known => {
                "it was written by a newer stablevar: update this one, or fit again".into()
            }
            IoError::ModelVersion { command: Some(command), .. } => {
                format!("fit again with this version; the model was made by: {command}")
            }
            IoError::ModelVersion { .. } => "fit again with this version".into(),
            IoError::Spill { .. } => {
                "a table that is larger than memory is kept there while it is learnt from, at 8 bytes a value: make room, or set \
                 TMPDIR to a folder that has it"
                    .into()
            }
            IoError::Overwrites { .. } => "give every output a file of its own; nothing has been written".into(),
            IoError::Write { source, .. } if source.kind() == std::io::ErrorKind::PermissionDenied => {
                "it, or its folder, is closed to writing: choose another place, or ask for the right to write there".into()
            }
            IoError::Write { .. } => {
                "check that the folder exists, that you may write there and that the disk has room".into()
            }
        };
        Some(text)
    }
}

fn undated(path: &str, column: &str, value: &str, ambiguous: bool) -> String {
    let why = if ambiguous {
        "may be day and month or month and day"
    } else {
        "is not one, or not written like those before it, or not in the order that was asked for"
    };
    format!("{path}, column '{column}' can't be read as dates: '{value}' {why}")
}
