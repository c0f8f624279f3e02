//! `stablevar fit`

pub(crate) mod print;

use super::{check_files, command_line, in_file};
use crate::Ending;
use crate::args::{FitArguments, Format, InputArguments, Options, Settings, quoted};
use crate::memory::{self, Demand};
use crate::printer::Printer;
use anyhow::bail;
use stablevar::Estimator;
use stablevar::design::{KeptRows, TrainingData};
use stablevar::engine::RowSource;
use stablevar::error::Error;
use stablevar::fit::{Fit, FittedModel, Step};
use stablevar::method::PRESETS;
use stablevar::weights::SampleWeights;
use stablevar_io::{
    FileRows, IoError, ReadOptions, TableStream, summary, survey, write_model, write_rows, write_whole,
};
use stablevar_report::model_page::{self, Extras, ShownRows};
use std::ops::ControlFlow;
use std::path::Path;

/// Columns of the rows shown on a report page at most: the target and variables chosen.
const SHOWN_COLUMNS: usize = 12;

pub(crate) fn run(arguments: FitArguments) -> anyhow::Result<Ending> {
    let arguments = &arguments.with_config()?;
    let printer = Printer::new(arguments.quiet);
    let (Some(path), Some(target)) = (&arguments.data, &arguments.target) else {
        bail!("say which table and which target");
    };
    let Settings { given, renamed, .. } = &arguments.settings;
    renamed.iter().for_each(|(old, new)| printer.warn(&format!("--{old} is now called --{new}")));
    let method = arguments.method.as_deref().unwrap_or(PRESETS[0].name);
    let mut estimator = Estimator::new(method)?.target(target).set_all(given.iter().cloned())?;
    let outputs = [&arguments.model, &arguments.weights, &arguments.report, &arguments.save_config];
    check_files(&[path], &outputs.map(Option::as_ref), arguments.format)?;
    for finding in estimator.findings() {
        printer.warn(&finding.words(&Options).to_string());
    }
    if let Some(file) = &arguments.save_config {
        arguments.save(file)?;
        printer.note(&format!("settings written to {}; again by: stablevar fit --config {0}", file.display()));
    }
    let asked = estimator.roles.task;
    // A method that can do one thing only says what is meant.
    if let (None, [task]) = (asked, estimator.method.tasks().as_slice()) {
        estimator.roles.task = Some(*task);
    }
    let start = std::time::Instant::now();
    let (stream, data) = open(path, &arguments.input, target, &mut estimator, &printer)?;
    let read_in = start.elapsed().as_secs_f64();
    if arguments.verbose {
        tell_settings(&estimator, &printer);
    }
    let start = std::time::Instant::now();
    let rows = data.rows();
    estimator.threads = data.threads().or(estimator.threads);
    let fitted = estimator.on_threads(|| fit_with_progress(rows, &estimator, &printer));
    let mut fitted = fitted.map_err(in_file(path))?;
    fitted.model.origin.command = Some(command_line());
    fitted.model.reading = stream.reading().clone();
    printer.note(&format!("read in {read_in:.2} s, fitted in {:.2} s", start.elapsed().as_secs_f64()));
    write_results(arguments, &fitted, &stream, &data, &printer)?;
    match arguments.format {
        Format::Json => printer.json(&summary::json(&fitted.model, &Options))?,
        Format::Human => {
            if asked.is_none() {
                printer.note(&match &fitted.model.classes {
                    None => "task: regression, since the target holds numbers".to_string(),
                    Some([first, second]) => format!(
                        "task: classification, since the target holds '{first}' and '{second}'; coefficients are log-odds of '{second}'"
                    ),
                });
            }
            let weights = print::Weights { rows: rows.frame().rows(), total: rows.frame().total_weight() };
            let detail = if arguments.verbose { print::Detail::All } else { print::Detail::Usual };
            print::print(&fitted.model, weights, detail, &printer)?;
        }
    }
    tell_next(arguments, &fitted.model, &printer);
    Ok(if fitted.model.converged { Ending::Done } else { Ending::NotConverged })
}

/// Writes what was asked for, and says what.
fn write_results(
    arguments: &FitArguments,
    fitted: &Fit,
    stream: &TableStream,
    data: &Prepared,
    printer: &Printer,
) -> anyhow::Result<()> {
    let wrote = |what: &str, path: &Path| printer.note(&format!("{what} written to {}", path.display()));
    if let Some(path) = &arguments.weights {
        write_weights(path, &fitted.weights, data)?;
        wrote("weights", path);
    }
    if let Some(path) = &arguments.report {
        let rows = arguments.report_rows.then(|| shown_rows(&fitted.model, stream)).transpose()?;
        let page = model_page::page(&fitted.model, Extras { rows: rows.as_ref(), ..Extras::default() }, &Options);
        write_whole(path, |writer| writer.write_all(page.as_bytes()))?;
        wrote("report", path);
    }
    if let Some(path) = &arguments.model {
        write_model(path, &fitted.model)?;
        wrote("model", path);
        if let Some(memory) = &fitted.model.memory {
            printer.note(&format!(
                "the model file keeps {} of the {} training rows with their outcomes, for `stablevar foresee`; --remember 0 keeps none",
                memory.rows(),
                fitted.model.rows
            ));
        }
    }
    Ok(())
}

/// What one does with a fit.
fn tell_next(arguments: &FitArguments, model: &FittedModel, printer: &Printer) {
    if model.refit.as_ref().is_some_and(|choice| choice.honest.is_none() && choice.candidates.len() > 1) {
        printer.note(
            "errors in regions are those that chose the refit, so somewhat too good: --honest 6 repeats everything without six of them",
        );
    }
    let reselect = |path: &str| match model.method.rule() {
        Some(_) => {
            let kept = model.memory.as_ref().map_or(0, |memory| memory.rows());
            // Of a larger table the model remembers a part only, which would make a worse one.
            let table = arguments.data.as_ref().filter(|_| kept < model.rows);
            let data =
                table.map_or_else(String::new, |table| format!(" --data {}", quoted(&table.display().to_string())));
            format!(", reselect {path}{data} --fdr 0.1")
        }
        None => String::new(),
    };
    printer.note(&match &arguments.model {
        Some(path) => {
            let path = quoted(&path.display().to_string());
            let reselect = reselect(&path);
            format!(
                "next: stablevar predict {path} NEW, evaluate {path} LATER --env COLUMN, foresee {path} NEW{reselect}"
            )
        }
        None => {
            "next: --model model.json keeps the model for predict, evaluate and foresee; --report page.html explains it"
                .into()
        }
    });
}

/// Every setting that has an effect, with its value.
fn tell_settings(estimator: &Estimator, printer: &Printer) {
    let settings: Vec<String> = estimator
        .settings()
        .filter(|(_, value)| !value.to_string().is_empty())
        .map(|(setting, value)| format!("{} = {value}", setting.name))
        .collect();
    printer.note(&format!("settings of {}: {}", estimator.method.name(), settings.join(", ")));
}

/// Opens a table and reads the rows to learn from, wherever they fit.
pub(crate) fn open(
    path: &Path,
    input: &InputArguments,
    target: &str,
    estimator: &mut Estimator,
    printer: &Printer,
) -> anyhow::Result<(TableStream, Prepared)> {
    estimator.roles.check()?;
    let stream = open_columns(path, input, Some(target), estimator, printer)?;
    let data = prepare(&stream, estimator, path, printer)?;
    Ok((stream, data))
}

/// Opens a table with those columns that are asked for, and says how texts are read.
pub(crate) fn open_columns(
    path: &Path,
    input: &InputArguments,
    target: Option<&str>,
    estimator: &mut Estimator,
    printer: &Printer,
) -> anyhow::Result<TableStream> {
    let weights = estimator.roles.weight_column.clone();
    let environment = estimator.roles.environment.clone();
    let group = estimator.roles.group.clone();
    let mut keep = std::mem::take(&mut estimator.columns);
    if !keep.is_empty() {
        keep.extend(target.map(String::from).into_iter().chain(weights.clone()).chain(environment).chain(group));
    }
    // What are numbers among other texts is read as text first.
    let text = estimator.text.iter().chain(&estimator.roles.numbers).cloned().collect();
    let skip = std::mem::take(&mut estimator.roles.exclude);
    let dates = estimator.dates.clone();
    let stream = TableStream::open(path, &ReadOptions { skip, keep, text, dates, ..input.options() })?;
    estimator.roles.numbers = stream.named(&estimator.roles.numbers);
    stream.require(target.into_iter().chain(weights.as_deref()))?;
    stream.require(stream.categories())?;
    if let Some(name) = target.filter(|name| stream.passes_over(name)) {
        bail!("'{name}' can't be the target and be left out at once");
    }
    if let Some(name) = weights.filter(|name| stream.passes_over(name)) {
        bail!("'{name}' can't weigh the rows and be left out at once");
    }
    stream.told(&Options).iter().for_each(|line| printer.note(line));
    Ok(stream)
}

/// Fits with a bar per kind of step: variables judged, loops, halves of the rows looked at.
pub(crate) fn fit_with_progress(
    data: &dyn RowSource,
    estimator: &Estimator,
    printer: &Printer,
) -> stablevar::error::Result<Fit> {
    let method = &estimator.method;
    let loops = method.loop_settings().filter(|svi| svi.evidence.is_none()).map_or(1, |svi| svi.loops);
    let judged = method.loop_settings().is_some_and(|svi| svi.evidence.is_some());
    let bar = match judged {
        true => printer.progress(data.frame().encoding.features.len(), "evidence"),
        false => printer.progress(loops, method.name()),
    };
    let fitted = estimator.fit_rows(data, &|step| {
        match step {
            Step::Variable(of) => bar.step(of, "evidence"),
            Step::Loop(_) => bar.step(loops, method.name()),
            Step::Resample(of) => bar.step(of, "resamples"),
            Step::Repeat(of) => bar.step(of, "honest estimate"),
            Step::Candidate(of) => bar.step(of, "stress test"),
        }
        ControlFlow::Continue(())
    });
    bar.finish();
    fitted
}

/// The rows to learn from, wherever they are.
pub(crate) enum Prepared {
    Memory(TrainingData),
    /// With as many threads as memory allows.
    File(FileRows, usize),
}

impl Prepared {
    pub(crate) fn rows(&self) -> &dyn RowSource {
        match self {
            Prepared::Memory(data) => data,
            Prepared::File(rows, _) => rows,
        }
    }

    /// As many threads as memory allows, if it does not allow all.
    pub(crate) fn threads(&self) -> Option<usize> {
        match self {
            Prepared::Memory(_) => None,
            Prepared::File(_, threads) => Some(*threads),
        }
    }

    fn kept(&self) -> &KeptRows {
        match self {
            Prepared::Memory(data) => &data.kept_rows,
            Prepared::File(rows, _) => rows.kept(),
        }
    }
}

/// Reads the table into memory, or into a temporary file if it is too large for that.
pub(crate) fn prepare(
    stream: &TableStream,
    estimator: &Estimator,
    path: &Path,
    printer: &Printer,
) -> anyhow::Result<Prepared> {
    let Estimator { method, roles, .. } = estimator;
    let limit = estimator.memory.unwrap_or_else(memory::usual_limit);
    let size = stream.size()?;
    let evidence_rows =
        method.loop_settings().and_then(|settings| settings.evidence).map_or(0, |evidence| evidence.rows);
    let demand = |width: usize| Demand { size, width, evidence_rows };
    let in_memory = || -> anyhow::Result<Prepared> {
        Ok(Prepared::Memory(TrainingData::prepare(&stream.read()?, roles).map_err(in_file(path))?))
    };
    // A text column may become as many columns as it may have levels; if that fits, nothing need be counted.
    let widest = size.columns + size.text.saturating_mul(roles.max_levels);
    if demand(widest).in_memory() <= limit {
        return in_memory();
    }
    if let Some(what) = method.needs_memory().filter(|_| size.text == 0) {
        return Err(in_file(path)(Error::NeedsMemory { what: what.into() }).into());
    }
    let bar = printer.counter("rows read");
    let surveyed = survey(stream, roles, &|read| bar.at(read))?;
    let demand = demand(surveyed.width(roles)?);
    if demand.in_memory() <= limit {
        bar.finish();
        return in_memory();
    }
    if let Some(what) = method.needs_memory() {
        return Err(in_file(path)(Error::NeedsMemory { what: what.into() }).into());
    }
    // A limit that nobody asked for leaves room, which may be used before a fit is refused.
    let spared = || (estimator.memory.is_none() && demand.in_chunks(1) <= 2 * limit).then_some(1);
    let Some(threads) = demand.threads(limit).or_else(spared) else {
        let (allowed, least) = (memory::in_words(limit), memory::in_words(demand.in_chunks(1)));
        let remedy = if evidence_rows > 0 {
            ": allow more, or gather the evidence from fewer rows (--evidence-rows)"
        } else {
            ""
        };
        bail!("--memory {allowed} is too little: reading this table in chunks takes about {least}{remedy}");
    };
    let folder = memory::temporary_folder();
    printer.note(&format!(
        "the table needs about {} of the {} allowed: its rows are kept in a temporary file in {} and read in chunks",
        memory::in_words(demand.in_memory()),
        memory::in_words(limit),
        folder.display()
    ));
    let rows = surveyed.encode(stream, roles, &folder, &|read| bar.at(read));
    bar.finish();
    Ok(Prepared::File(rows?, threads as usize))
}

/// The values of the rows with the largest weights.
pub(crate) fn shown_rows(model: &FittedModel, stream: &TableStream) -> anyhow::Result<ShownRows> {
    let names: Vec<&str> =
        std::iter::once(model.target.as_str()).chain(model.used_names()).take(SHOWN_COLUMNS).collect();
    let rows: Vec<usize> =
        model.diagnostics.weights.iter().flat_map(|profile| &profile.largest).map(|&(row, _)| row).collect();
    let table = stream.pick(&rows)?;
    let columns = names.iter().map(|name| table.column(name)).collect::<Result<Vec<_>, _>>()?;
    if table.rows() < rows.len() {
        bail!("the table has no row {}", rows.iter().max().map_or(0, |row| row + 1));
    }
    let values = |row: usize| columns.iter().map(|column| column.values.text(row).unwrap_or_default()).collect();
    let values = (0..rows.len()).map(values).collect();
    Ok(ShownRows { columns: names.iter().map(|name| name.to_string()).collect(), values })
}

/// One line per row of the table, in order; rows that were left out have no weight.
pub(crate) fn write_weights(path: &Path, found: &SampleWeights, data: &Prepared) -> anyhow::Result<()> {
    write_rows(path, &["weight"], |write| {
        let mut kept = data.kept().iter();
        let mut next = 0;
        let mut fill = |weights: &[f64]| -> Result<(), IoError> {
            for weight in weights {
                let position = kept.next().unwrap_or(next);
                (next..position).try_for_each(|_| write(&[String::new()]))?;
                write(&[weight.to_string()])?;
                next = position + 1;
            }
            Ok(())
        };
        match data {
            Prepared::Memory(data) => fill(&found.values(data))?,
            Prepared::File(rows, _) => rows.for_each(|design| fill(&found.of_design(&design)))?,
        }
        (next..data.kept().table_rows()).try_for_each(|_| write(&[String::new()]))
    })?;
    Ok(())
}
