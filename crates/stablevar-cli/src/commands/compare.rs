//! `stablevar compare`

use super::{check_files, command_line, fit, in_file};
use crate::Ending;
use crate::args::{CompareArguments, Format, Options, Settings};
use crate::printer::Printer;
use anyhow::bail;
use serde_json::json;
use stablevar::Estimator;
use stablevar::comparison::{Comparison, Plan, compare};
use stablevar::design::Task;
use stablevar::fit::Step;
use stablevar::method::PRESETS;
use stablevar_io::{read_model, summary, write_whole};
use stablevar_report::comparison_page;
use stablevar_report::text::number;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub(crate) fn run(arguments: &CompareArguments) -> anyhow::Result<Ending> {
    let printer = Printer::new(arguments.quiet);
    let Settings { given, renamed, .. } = &arguments.settings;
    renamed.iter().for_each(|(old, new)| printer.warn(&format!("--{old} is now called --{new}")));
    let inputs: Vec<&Path> = arguments.models.iter().chain([&arguments.data]).map(PathBuf::as_path).collect();
    check_files(&inputs, &[arguments.report.as_ref()], arguments.format)?;
    let mut stable = Estimator::new(PRESETS[0].name)?.target(&arguments.target).set_all(given.iter().cloned())?;
    stable.findings().iter().for_each(|finding| printer.warn(&finding.words(&Options).to_string()));
    let (_, data) = fit::open(&arguments.data, &arguments.input, &arguments.target, &mut stable, &printer)?;
    stable.threads = data.threads().or(stable.threads);
    let rows = data.rows();
    let others = others(arguments, rows.frame().target.task(), stable.seed)?;
    let bar = printer.progress(1, "evidence");
    let counted = |length: usize, what: &str| {
        bar.step(length, what);
        ControlFlow::Continue(())
    };
    let plan = Plan { stable: &stable, others: &others, guests: &[], repeat_selection: !arguments.quick };
    let watch = |step: Step<'_>| match step {
        Step::Variable(of) => counted(of, "evidence"),
        Step::Candidate(of) => counted(of, "stress test"),
        Step::Loop(_) | Step::Resample(_) | Step::Repeat(_) => ControlFlow::Continue(()),
    };
    let methods = |of: usize| counted(of, "methods");
    let compared = stable.on_threads(|| compare(rows, &plan, &watch, &methods));
    bar.finish();
    let compared = compared.map_err(in_file(&arguments.data))?;
    if let Some(path) = &arguments.report {
        let page = comparison_page::page(&compared, &arguments.target, &command_line());
        write_whole(path, |writer| writer.write_all(page.as_bytes()))?;
    }
    match arguments.format {
        Format::Json => {
            printer.json(&json!({
                "candidates": compared.candidates,
                "chosen": compared.chosen,
                "why": compared.why,
                "metric": compared.metric,
                "regions": compared.regions,
                "findings": summary::findings(&compared.findings, &Options),
            }))?;
        }
        Format::Human => print(&compared, &printer)?,
    }
    Ok(Ending::Done)
}

/// The other methods: those for the task that need no networks, what else was asked for, and the methods of saved models.
fn others(arguments: &CompareArguments, task: Task, seed: u64) -> anyhow::Result<Vec<(String, Estimator)>> {
    let usual: &[&str] = match task {
        Task::Regression => &["lasso", "ridge"],
        Task::Classification => &[],
    };
    let asked = arguments.also.iter().map(String::as_str);
    let mut others = Vec::new();
    for name in usual.iter().copied().chain(asked) {
        let mut estimator = Estimator::new(name)?;
        estimator.seed = seed;
        if !estimator.method.tasks().contains(&task) {
            let wanted = if task == Task::Regression { "numbers" } else { "two classes" };
            bail!("--also {name}: it can't predict {wanted}, which the target '{}' holds", arguments.target);
        }
        others.push((name.to_string(), estimator));
    }
    for path in &arguments.models {
        let model = read_model(path)?;
        if model.task != task {
            bail!("{}: the model does not predict what the target '{}' holds", path.display(), arguments.target);
        }
        let mut estimator = Estimator::new(model.method.name())?;
        (estimator.method, estimator.seed) = (model.method, model.seed);
        others.push((path.display().to_string(), estimator));
    }
    Ok(others)
}

/// A name that leaves room for figures; JSON and the page have it in full.
fn short(name: &str) -> String {
    let long = [
        (", weights at ridge ", ", ridge "),
        (", far values drawn in", ", drawn in"),
        (", half-way to all columns", ", half all"),
        (", half-way to trees", ", half trees"),
        (", within outcomes seen", ", held"),
        (", all columns", ", all"),
    ];
    long.iter().fold(name.to_string(), |name, (long, short)| name.replace(long, short))
}

/// An error as a multiple of another; of one that is beyond all measure it does not matter how far.
fn relative(value: f64) -> String {
    if value > 1000.0 { "> 1000".into() } else { format!("{value:.3}") }
}

fn print(compared: &Comparison, printer: &Printer) -> anyhow::Result<()> {
    printer.line(&format!(
        "{} ways to fit, on {} rows; {} {} held out, errors there relative to those of {}\n",
        compared.candidates.len(),
        compared.rows,
        compared.regions.len(),
        if compared.environments { "environments" } else { "regions" },
        compared.candidates.first().map_or("the baseline", |first| &first.name)
    ))?;
    let rows: Vec<Vec<String>> = compared
        .candidates
        .iter()
        .map(|candidate| {
            let figures = &candidate.figures;
            vec![
                short(&candidate.name),
                candidate.columns.to_string(),
                number(figures.cv_error),
                relative(figures.stress_error),
                relative(figures.standard_error),
                relative(figures.stress_worst),
                format!("{:.2}", candidate.seconds),
            ]
        })
        .collect();
    let error = format!("cv {}", compared.metric);
    let header = ["", "variables", &error, "under stress", "s.e.", "worst", "seconds"];
    printer.table_of_long_names(&header, &rows, &["seconds", "variables"])?;
    let about = "cv: error in ordinary cross-validation (of other parts than in evaluate, so a little different); under stress: mean error where regions are held out, as a multiple of the baseline's \
                 there (the first line), with its standard error; worst: its largest error in any region over the baseline's largest; ridge: rows under weights, the stronger the smaller the figure; drawn in: far values of columns drawn in; \
                 half all: half-way to a fit on all columns, where the chosen variables fall short; half trees: half-way to boosted trees, which like trees and networks is tried without fewer regions and compares only roughly; held: predictions held within the outcomes that training saw; trees and networks by themselves are never chosen, since on tables with known shifts such gains did not carry over";
    printer.line(&format!("\n{about}"))?;
    for candidate in compared.candidates.iter().filter(|candidate| !candidate.note.is_empty()) {
        printer.line(&format!("{}: {}", short(&candidate.name), candidate.note))?;
    }
    printer.line(&format!("chosen: {}: {}", short(&compared.chosen), compared.why))?;
    compared.findings.iter().for_each(|finding| printer.warn(&finding.words(&Options).to_string()));
    Ok(())
}
