//! `stablevar reproduce`

use crate::Ending;
use crate::args::{ExperimentName, Format, ReproduceArguments};
use crate::printer::Printer;
use serde_json::{Value, json};
use stablevar_io::write_whole;
use stablevar_paper::experiment::{Experiment, table1, table2};
use stablevar_paper::real::run_real;
use stablevar_paper::real_data::{Dataset, cache_folder};
use stablevar_paper::runner::{Progress, run as run_experiment};
use stablevar_paper::table::ResultTable;
use std::ops::ControlFlow;
use std::path::Path;

pub(crate) fn run(arguments: &ReproduceArguments) -> anyhow::Result<Ending> {
    let printer = Printer::new(arguments.quiet);
    let wanted = |name: ExperimentName| [name, ExperimentName::All].contains(&arguments.experiment);
    let mut results = Vec::new();
    for (name, experiment) in [(ExperimentName::Table1, table1()), (ExperimentName::Table2, table2())] {
        if wanted(name) {
            results.push(simulated(&experiment, arguments, &printer)?);
        }
    }
    for (name, dataset) in [(ExperimentName::House, Dataset::KingCounty), (ExperimentName::Adult, Dataset::Adult)] {
        if wanted(name) {
            results.push(real(dataset, arguments, &printer)?);
        }
    }
    if arguments.format == Format::Json {
        let mut results = results;
        let all =
            if results.len() == 1 { results.remove(0) } else { json!({"experiment": "all", "experiments": results}) };
        printer.json(&all)?;
    }
    Ok(Ending::Done)
}

/// A table of simulated experiments: run what is missing, write it down, print it.
fn simulated(experiment: &Experiment, arguments: &ReproduceArguments, printer: &Printer) -> anyhow::Result<Value> {
    let jobs = arguments.jobs.map_or_else(rayon::current_num_threads, usize::from);
    let seeds = u64::from(arguments.seeds);
    let bar = printer.progress(experiment.cells.len() * arguments.seeds as usize, experiment.name);
    let runs = run_experiment(experiment, seeds, jobs, &arguments.out, &|progress| {
        if let Progress::Unusable(path) = progress {
            bar.suspend(|| {
                printer.warn(&format!("{} was damaged and has been made anew", path.display()));
            });
        }
        bar.inc(1);
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    let table = ResultTable::new(experiment, &runs?, seeds);
    publish(experiment.name, arguments, printer, &table.markdown(), &table.csv()?, serde_json::to_value(&table)?)
}

/// Real data: every method in every environment.
fn real(dataset: Dataset, arguments: &ReproduceArguments, printer: &Printer) -> anyhow::Result<Value> {
    let bar = printer.progress(0, "real data");
    let table = run_real(dataset, &cache_folder(), &mut |method| {
        bar.set_message(method.to_string());
        bar.inc(1);
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    let table = table?;
    publish(table.experiment, arguments, printer, &table.markdown(), &table.csv()?, serde_json::to_value(&table)?)
}

/// Writes a result as Markdown, CSV and JSON, and prints it unless JSON was asked for.
fn publish(
    name: &str,
    arguments: &ReproduceArguments,
    printer: &Printer,
    markdown: &str,
    csv: &str,
    value: Value,
) -> anyhow::Result<Value> {
    let write = |ending: &str, text: &str| {
        let path: &Path = &arguments.out.join(format!("{name}.{ending}"));
        std::fs::create_dir_all(&arguments.out)
            .map_err(|source| stablevar_io::IoError::Write { path: arguments.out.display().to_string(), source })?;
        write_whole(path, |writer| writer.write_all(text.as_bytes()))
    };
    write("md", markdown)?;
    write("csv", csv)?;
    write("json", &serde_json::to_string_pretty(&value)?)?;
    if arguments.format == Format::Human {
        printer.line(markdown)?;
        printer.note(&format!("written to {}", arguments.out.join(format!("{name}.md, .csv, .json")).display()));
    }
    Ok(value)
}
