//! One file or folder per command.

pub(crate) mod compare;
pub(crate) mod data;
pub(crate) mod demo;
pub(crate) mod evaluate;
pub(crate) mod fit;
pub(crate) mod foresee;
pub(crate) mod predict;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod reselect;
pub(crate) mod shell;
pub(crate) mod shift;
pub(crate) mod simulate;
pub(crate) mod weigh;

use crate::args::{Format, InputArguments, Options, quoted};
use crate::printer::Printer;
use anyhow::bail;
use stablevar::design::EncodingReport;
use stablevar::error::Error;
use stablevar::fit::FittedModel;
use stablevar::table::{Table, Values};
use stablevar_io::{IoError, ReadOptions, TablePart, TableStream, check_outputs, display};
use std::path::{Path, PathBuf};

/// The command that is running, as a shell would take it.
pub(crate) fn command_line() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("stablevar".to_string()).chain(words).collect::<Vec<String>>().join(" ")
}

/// Refuses outputs that would replace what is read or each other, or that can't be written, before any work is done. Every
/// command calls it first.
fn check_files(inputs: &[&Path], outputs: &[Option<&PathBuf>], format: Format) -> anyhow::Result<()> {
    let outputs: Vec<&Path> = outputs.iter().flatten().map(|path| path.as_path()).collect();
    if format == Format::Json && outputs.iter().any(|path| path.as_os_str() == "-") {
        bail!("standard output is taken by --format json: give the other outputs files of their own");
    }
    Ok(check_outputs(inputs, &outputs)?)
}

/// Puts the file's name before a fault of its data.
fn in_file(path: &Path) -> impl Fn(Error) -> IoError + '_ {
    move |source| IoError::Table { path: display(path), source }
}

/// How a new table is read for a model: as its training table was.
fn read_like(model: &FittedModel, input: &InputArguments) -> ReadOptions {
    // A training column that held text stays text, even if all its values here look like numbers.
    ReadOptions { text: model.encoding.text_columns(), known: model.reading.clone(), ..input.options() }
}

/// Which columns of a table are read beside those that a model needs.
#[derive(Clone, Copy, Default)]
struct Beside<'a> {
    /// As what they hold.
    as_they_are: &'a [&'a str],
    /// As text.
    text: &'a [&'a str],
    /// One of these without whose value a row is passed over.
    needed: Option<&'a str>,
}

/// Rows of a table with what is predicted for them.
struct PredictedPart {
    part: TablePart,
    /// The rows of the part that are left where some were passed over, from 0.
    kept: Option<Vec<usize>>,
    passed_over: usize,
    predictions: Vec<f64>,
}

impl PredictedPart {
    /// A fault of these rows, with their numbers in the whole table.
    fn fault(&self, source: Error) -> IoError {
        located(&self.part, self.kept.as_deref(), source)
    }
}

fn located(part: &TablePart, kept: Option<&[usize]>, source: Error) -> IoError {
    let number = |row: usize| part.first + kept.map_or(row, |kept| kept.get(row - 1).map_or(row, |kept| kept + 1));
    IoError::Table { path: part.path.clone(), source: source.at(number) }
}

/// Reads what a model needs of a table part by part and shows every part with its predictions.
fn predict_parts(
    model: &FittedModel,
    (data, input): (&Path, &InputArguments),
    beside: Beside<'_>,
    printer: &Printer,
    mut visit: impl FnMut(PredictedPart) -> Result<(), IoError>,
) -> Result<(), IoError> {
    let mut options = read_like(model, input);
    let more = || beside.as_they_are.iter().chain(beside.text).copied();
    options.text.extend(beside.text.iter().map(|name| name.to_string()));
    options.only = Some(model.used_names().into_iter().chain(more()).map(String::from).collect());
    let stream = TableStream::open(data, &options)?;
    stream.require(more())?;
    stream.require_for_model(model.used_names())?;
    stream.told(&Options).iter().for_each(|line| printer.note(line));
    let mut total = EncodingReport::default();
    let mut fill = |mut part: TablePart| {
        let kept = match beside.needed {
            Some(column) => rows_with(&part.table, column).map_err(|source| located(&part, None, source))?,
            None => None,
        };
        let passed_over = kept.as_ref().map_or(0, |kept| part.table.rows() - kept.len());
        if let Some(kept) = &kept {
            part.table = part.table.keep_rows(kept);
        }
        let predicted = model.predict_and_report(&part.table);
        let (predictions, report) = predicted.map_err(|source| located(&part, kept.as_deref(), source))?;
        total.add(report);
        visit(PredictedPart { part, kept, passed_over, predictions })
    };
    stream.for_each(&mut fill)?;
    total.findings().iter().for_each(|finding| printer.warn(&finding.words(&Options).to_string()));
    Ok(())
}

/// The rows that have a value in a column, if some have none.
fn rows_with(table: &Table, column: &str) -> Result<Option<Vec<usize>>, Error> {
    let values = &table.column(column)?.values;
    let kept: Vec<usize> = (0..table.rows()).filter(|&row| !values.is_missing(row)).collect();
    Ok((kept.len() < table.rows()).then_some(kept))
}

/// The numbers of a column that has one in every row.
fn numbers(table: &Table, name: &str) -> Result<Vec<f64>, Error> {
    let column = table.column(name)?;
    match &column.values {
        Values::Number(values) => match values.iter().position(|value| !value.is_finite()) {
            None => Ok(values.to_vec()),
            Some(row) => Err(Error::NotFinite { column: name.to_string(), row: row + 1, value: values[row] }),
        },
        other => Err(Error::TextTarget {
            kind: other.kind(),
            column: name.to_string(),
            row: 1,
            value: other.text(0).unwrap_or_default(),
        }),
    }
}
