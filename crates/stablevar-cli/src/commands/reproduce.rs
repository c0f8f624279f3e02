//! `stablevar reproduce`

use super::check_files;
use crate::Ending;
use crate::args::{ExperimentName, Format, ReproduceArguments};
use crate::printer::Printer;
use serde_json::{Value, json};
use stablevar::error::Error;
use stablevar_data::real::{Dataset, RealDataError, cache_folder};
use stablevar_data::shifts::{SHIFT_TABLES, ShiftTable};
use stablevar_io::{IoError, write_whole};
use stablevar_paper::claims;
use stablevar_paper::experiment::{Experiment, growth, nonlinear_detail, table1, table2};
use stablevar_paper::figures::{self, Figure};
use stablevar_paper::page::Results;
use stablevar_paper::real::{RealTable, run_real};
use stablevar_paper::runner::{Progress, Run, run as run_experiment};
use stablevar_paper::shifts::run_shifts;
use stablevar_paper::table::ResultTable;
use std::ops::ControlFlow;

pub(crate) fn run(arguments: &ReproduceArguments) -> anyhow::Result<Ending> {
    let start = std::time::Instant::now();
    let command = Reproduction { arguments, printer: Printer::new(arguments.quiet) };
    if !arguments.table.is_empty() && arguments.experiment != ExperimentName::Shifts {
        let name = command.name();
        return Err(
            Error::BadRequest(format!("--table chooses among the tables of 'shifts'; '{name}' has none")).into()
        );
    }
    std::fs::create_dir_all(&arguments.out)
        .map_err(|source| IoError::Write { path: arguments.out.display().to_string(), source })?;
    check_files(&[], &[Some(&arguments.out.join("index.html"))], Format::Human)?;
    if arguments.experiment == ExperimentName::Shifts {
        return command.shifts(start);
    }
    let wanted = |name: ExperimentName| [name, ExperimentName::All].contains(&arguments.experiment);
    let mut results = Results {
        command: format!("stablevar reproduce {} --seeds {}", command.name(), arguments.seeds()),
        jobs: command.jobs(),
        seeds: arguments.seeds().into(),
        ..Results::default()
    };
    let mut values = Vec::new();
    for (name, experiment) in [(ExperimentName::Table1, table1()), (ExperimentName::Table2, table2())] {
        if wanted(name) {
            let table = ResultTable::new(&experiment, &command.simulate(&experiment)?, results.seeds);
            values.push(command.publish_table(&table)?);
            results.claims.push(claims::best_in_every_cell(&experiment, &table));
            results.claims.push(claims::baselines_as_published(&table));
            results.tables.push((experiment, table));
        }
    }
    if wanted(ExperimentName::Figures) {
        let runs = command.simulate(&growth())?;
        results.claims.push(claims::more_effective_rows(&ResultTable::new(&growth(), &runs, results.seeds)));
        results.claims.push(figures::loops_help(&runs));
        results.figures.extend(figures::linear(&runs)?);
        results.figures.extend(figures::nonlinear(&command.simulate(&nonlinear_detail())?)?);
    }
    // Real data last, as they need a network: without one all else is there.
    let mut failure = None;
    for (name, dataset) in [(ExperimentName::House, Dataset::KingCounty), (ExperimentName::Adult, Dataset::Adult)] {
        if !wanted(name) && !wanted(ExperimentName::Figures) {
            continue;
        }
        match command.real(dataset) {
            Ok(table) => {
                results.figures.extend(wanted(ExperimentName::Figures).then(|| figures::real(&table)).transpose()?);
                if wanted(name) {
                    values.push(command.publish_real(&table)?);
                    results.claims.extend(claims::real_data(&table));
                    results.real.push(table);
                }
            }
            Err(error) => {
                results.missing.push(error.to_string());
                failure = Some(error);
            }
        }
    }
    if wanted(ExperimentName::Figures) {
        values.push(command.publish_figures(&results.figures)?);
    }
    if arguments.experiment == ExperimentName::All {
        command.write("results.md", &results.markdown())?;
        command.write("index.html", &results.html())?;
    }
    command.report(&results, values, start.elapsed().as_secs_f64())?;
    failure.map_or(Ok(Ending::Done), |error| Err(error.into()))
}

struct Reproduction<'a> {
    arguments: &'a ReproduceArguments,
    printer: Printer,
}

impl Reproduction<'_> {
    /// The experiment's name as it was typed.
    fn name(&self) -> String {
        use clap::ValueEnum;
        self.arguments.experiment.to_possible_value().map_or(String::new(), |value| value.get_name().into())
    }

    fn jobs(&self) -> usize {
        self.arguments.jobs.map_or_else(rayon::current_num_threads, usize::from)
    }

    /// Runs what is missing of an experiment.
    fn simulate(&self, experiment: &Experiment) -> anyhow::Result<Vec<Run>> {
        let bar = self.printer.progress(experiment.cells.len() * self.arguments.seeds() as usize, experiment.name);
        let runs =
            run_experiment(experiment, self.arguments.seeds().into(), self.jobs(), &self.arguments.out, &|progress| {
                if let Progress::Unusable(path) = progress {
                    bar.suspend(|| {
                        self.printer.warn(&format!("{} was damaged and has been made anew", path.display()));
                    });
                }
                bar.next_step();
                ControlFlow::Continue(())
            });
        bar.finish();
        Ok(runs?)
    }

    /// Every method in every environment of a real data set.
    fn real(&self, dataset: Dataset) -> Result<RealTable, RealDataError> {
        let bar = self.printer.progress(0, "real data");
        let table = run_real(dataset, &cache_folder(), &self.arguments.out, &mut |method| {
            bar.next(method);
            ControlFlow::Continue(())
        });
        bar.finish();
        table
    }

    /// The default against the plain model on the tables wanted.
    fn shifts(&self, start: std::time::Instant) -> anyhow::Result<Ending> {
        let all: Vec<&'static ShiftTable> = SHIFT_TABLES.iter().collect();
        let tables = if self.arguments.table.is_empty() { &all } else { &self.arguments.table };
        let seeds = self.arguments.seeds();
        let bar = self.printer.progress(tables.len() * seeds as usize, "shifts");
        let (out, amount) = (&self.arguments.out, (seeds.into(), self.jobs()));
        let (results, failure) = run_shifts(tables, &cache_folder(), out, amount, &|table| {
            bar.next(table);
            ControlFlow::Continue(())
        });
        bar.finish();
        // Without any row the error says it all.
        if !results.rows.is_empty() {
            let value = serde_json::to_value(&results)?;
            let value = self.publish(results.experiment, &results.markdown(), &results.csv()?, value)?;
            self.report(&Results::default(), vec![value], start.elapsed().as_secs_f64())?;
        }
        failure.map_or(Ok(Ending::Done), |error| Err(error.into()))
    }

    fn publish_table(&self, table: &ResultTable) -> anyhow::Result<Value> {
        self.publish(table.experiment, &table.markdown(), &table.csv()?, serde_json::to_value(table)?)
    }

    fn publish_real(&self, table: &RealTable) -> anyhow::Result<Value> {
        self.publish(table.experiment, &table.markdown(), &table.csv()?, serde_json::to_value(table)?)
    }

    /// Writes a table as Markdown, CSV and JSON, and prints it unless JSON was asked for.
    fn publish(&self, name: &str, markdown: &str, csv: &str, value: Value) -> anyhow::Result<Value> {
        self.write(&format!("{name}.md"), markdown)?;
        self.write(&format!("{name}.csv"), csv)?;
        self.write(&format!("{name}.json"), &serde_json::to_string_pretty(&value)?)?;
        if self.arguments.format == Format::Human {
            self.printer.line(markdown)?;
        }
        Ok(value)
    }

    fn publish_figures(&self, figures: &[Figure]) -> anyhow::Result<Value> {
        let folder = self.arguments.out.join("figures");
        std::fs::create_dir_all(&folder)
            .map_err(|source| IoError::Write { path: folder.display().to_string(), source })?;
        for figure in figures {
            self.write(&format!("figures/{}.svg", figure.name), &figure.svg)?;
            self.write(&format!("figures/{}.csv", figure.name), &figure.csv)?;
        }
        Ok(json!({"experiment": "figures", "seeds": self.arguments.seeds(), "figures": figures}))
    }

    fn write(&self, name: &str, text: &str) -> Result<(), IoError> {
        write_whole(&self.arguments.out.join(name), |writer| writer.write_all(text.as_bytes()))
    }

    /// Says what the numbers say and where the files are.
    fn report(&self, results: &Results, mut values: Vec<Value>, seconds: f64) -> anyhow::Result<()> {
        let out = self.arguments.out.display();
        if self.arguments.format == Format::Json {
            let all = match values.len() {
                1 => values.remove(0),
                _ => {
                    json!({"experiment": self.name(), "seeds": self.arguments.seeds(), "experiments": values, "findings": results.claims})
                }
            };
            return self.printer.json(&all);
        }
        for claim in &results.claims {
            let holds = if claim.holds { "holds" } else { "does not hold" };
            self.printer.line(&format!("{holds}: {} ({})", claim.claim, claim.detail))?;
        }
        let page = if self.arguments.experiment == ExperimentName::All { "; all on one page: index.html" } else { "" };
        self.printer.note(&format!("written to {out} in {seconds:.0} s{page}"));
        Ok(())
    }
}
