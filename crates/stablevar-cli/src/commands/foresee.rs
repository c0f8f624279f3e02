//! `stablevar foresee`

use super::{check_files, command_line, read_like};
use crate::Ending;
use crate::args::{ForeseeArguments, Format, InputArguments, Options};
use crate::printer::Printer;
use stablevar::fit::FittedModel;
use stablevar::foresight::{ColumnDrift, Foresight};
use stablevar_io::{IoError, ReadOptions, TableStream, display, read_model, summary, write_whole};
use stablevar_report::foresight_page;
use stablevar_report::text::{number, p_value, shorten_name};
use std::path::Path;

/// What the headings mean.
const WORDS: [&str; 5] = [
    "training, new: the column's mean, of a text the share of the level that moved most",
    "s.d. moved: how far the mean went, in standard deviations of training",
    "p-value: how often chance alone shows as much between two samples that are alike, in means, spread or shape",
    "outside: the share of the new rows with values that training did not have; above, in columns that the model uses",
    "overlap: how much of what is new lies where training has rows at all, however few",
];
/// Columns that are printed; the page and JSON have all.
const PRINTED: usize = 12;

pub(crate) fn run(arguments: &ForeseeArguments) -> anyhow::Result<Ending> {
    let printer = Printer::new(arguments.quiet);
    check_files(&[&arguments.model, &arguments.data], &[arguments.report.as_ref()], arguments.format)?;
    let model = read_model(&arguments.model)?;
    let foresight = foresee(&model, &arguments.data, &arguments.input)?;
    if let Some(path) = &arguments.report {
        let page = foresight_page::page(&model, &foresight, &Options, Some(&command_line()));
        write_whole(path, |writer| writer.write_all(page.as_bytes()))?;
        printer.note(&format!("report written to {}", path.display()));
    }
    match arguments.format {
        Format::Json => printer.json(&summary::foresight(&foresight, &Options))?,
        Format::Human => print(&model, &foresight, &printer)?,
    }
    Ok(Ending::Done)
}

/// Reads the new rows part by part, so that they need not fit into memory.
fn foresee(model: &FittedModel, data: &Path, input: &InputArguments) -> Result<Foresight, IoError> {
    let in_data = |source| IoError::Table { path: display(data), source };
    let mut rows = model.new_rows().map_err(|source| IoError::Table { path: "the model".into(), source })?;
    let options = ReadOptions { only: Some(model.encoding.feature_names()), ..read_like(model, input) };
    let stream = TableStream::open(data, &options)?;
    stream.require_for_model(model.used_names())?;
    stream.for_each(|part| {
        let added = rows.add(&part.table);
        added.map_err(|source| IoError::Table { path: part.path.clone(), source: source.from_row(part.first) })
    })?;
    rows.foresee().map_err(in_data)
}

fn print(model: &FittedModel, foresight: &Foresight, printer: &Printer) -> anyhow::Result<()> {
    let metric = foresight.metric.label();
    printer.line(&format!("'{}' on {} new rows, as far as their columns tell\n", model.target, foresight.rows))?;
    let or_not = |told: Option<String>| told.unwrap_or_else(|| "can't be told".into());
    let interval =
        |ends: Option<(f64, f64)>| or_not(ends.map(|(low, high)| format!("{} to {}", number(low), number(high))));
    for (name, value) in [
        (format!("{metric}, training"), number(foresight.training_error)),
        (format!("{metric}, expected here"), or_not(foresight.expected_error.map(number))),
        ("  its 90 % interval".into(), interval(foresight.interval)),
        ("  if the relation is what it was".into(), interval(foresight.interval_same_relation)),
        (
            "effective training rows like these".into(),
            format!("{:.0} of {}", foresight.effective_sample_size, remembered(model)),
        ),
        ("overlap with training".into(), format!("{:.0} %", 100.0 * foresight.overlap)),
        ("new rows outside what training saw".into(), format!("{:.1} %", 100.0 * foresight.outside_share)),
        ("to be trusted".into(), foresight.trust.words().into()),
    ] {
        printer.line(&format!("{name:<42}{value}"))?;
    }
    printer.line(&format!("\nWhat to do: {}.\n", foresight.advice))?;
    let rows: Vec<Vec<String>> = foresight.drift.iter().take(PRINTED).map(row).collect();
    let header = ["column", "used", "training", "new", "s.d. moved", "p-value", "outside"];
    printer.table_that_fits(&header, &rows, &["used"])?;
    let more = foresight.drift.len().saturating_sub(PRINTED);
    if more > 0 {
        printer.line(&format!("and {more} more columns, which matter less (--format json, --report)"))?;
    }
    printer.line("")?;
    for words in WORDS {
        printer.line(words)?;
    }
    for finding in &foresight.findings {
        printer.warn(&finding.words(&Options).to_string());
    }
    Ok(())
}

fn remembered(model: &FittedModel) -> usize {
    model.memory.as_ref().map_or(0, |memory| memory.rows())
}

fn row(column: &ColumnDrift) -> Vec<String> {
    let name = match &column.level {
        Some(level) => format!("{}={level}", column.name),
        None => column.name.clone(),
    };
    vec![
        shorten_name(&name, 34),
        if column.used { "yes" } else { "no" }.into(),
        number(column.training_mean),
        number(column.new_mean),
        format!("{:+.2}", column.standardised_difference),
        p_value(column.p_value),
        format!("{:.1} %", 100.0 * column.outside_share),
    ]
}
