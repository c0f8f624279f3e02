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
}

/// Reads what a model needs of a table part by part and shows every part with its predictions.
fn predict_parts(
    model: &FittedModel,
    (data, input): (&Path, &InputArguments),
    beside: Beside<'_>,
    printer: &Printer,
    mut visit: impl FnMut(TablePart, Vec<f64>) -> Result<(), IoError>,
) -> Result<(), IoError> {
    let mut options = read_like(model, input);
    let more = || beside.as_they_are.iter().chain(beside.text).copied();
    options.text.extend(beside.text.iter().map(|name| name.to_string()));
    options.only = Some(model.selected_names().into_iter().chain(more()).map(String::from).collect());
    let stream = TableStream::open(data, &options)?;
    stream.require(more())?;
    stream.require_for_model(model.selected_names())?;
    stream.told(&Options).iter().for_each(|line| printer.note(line));
    let mut total = EncodingReport::default();
    let mut fill = |part: TablePart| {
        let predicted = model.predict_and_report(&part.table).map_err(|source| {
            let source = source.from_row(part.first);
            IoError::Table { path: part.path.clone(), source }
        });
        let (predictions, report) = predicted?;
        total.add(report);
        visit(part, predictions)
    };
    stream.for_each(&mut fill)?;
    total.findings().iter().for_each(|finding| printer.warn(&finding.words(&Options).to_string()));
    Ok(())
}

/// The numbers of a column that must have one in every row.
fn numbers(table: &Table, name: &str) -> Result<Vec<f64>, Error> {
    let column = table.column(name)?;
    match &column.values {
        Values::Number(values) => match values.iter().position(|value| !value.is_finite()) {
            None => Ok(values.to_vec()),
            Some(row) if values[row].is_nan() => {
                let count = values.iter().filter(|value| value.is_nan()).count();
                Err(Error::MissingValues { columns: vec![(name.to_string(), count)], rows: count })
            }
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
