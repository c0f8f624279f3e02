//! `stablevar evaluate`

mod environments;
mod print;

pub(crate) use environments::{Environment, Found, by_environment};

use crate::Ending;
use crate::args::{EvaluateArguments, Format};
use crate::printer::Printer;
use anyhow::{Context, bail};
use serde_json::{Map, Value, json};
use stablevar::fit::FittedModel;
use stablevar::metrics::{ErrorSummary, Metric};
use stablevar_io::read_model;
use std::path::{Path, PathBuf};

/// A model and its errors.
struct Evaluated {
    name: String,
    environments: Vec<Environment>,
    summary: ErrorSummary,
    /// The same metric of the training rows, each held out in turn.
    training: Option<f64>,
    /// Rows without an outcome, and in words that they were left out.
    without_outcome: usize,
    left_out: Option<String>,
}

pub(crate) fn run(arguments: &EvaluateArguments) -> anyhow::Result<Ending> {
    let printer = Printer::new(arguments.quiet);
    if arguments.models.len() > 1 && arguments.data.as_os_str() == "-" {
        bail!("standard input can be read but once: give several models a file");
    }
    let models = arguments.models.iter().map(|path| read_model(path)).collect::<Result<Vec<FittedModel>, _>>()?;
    let metric = metric_for(&models[0], arguments.metric)?;
    let names = names_of(&arguments.models);
    let mut evaluated: Vec<Evaluated> = Vec::new();
    for (model, name) in models.iter().zip(names) {
        if model.classes != models[0].classes {
            bail!("'{name}' does not predict what the first model does: evaluate models of one target");
        }
        let next = evaluate(model, name, metric, arguments, &printer)?;
        // Of the same rows once.
        if evaluated.last().is_none_or(|last| last.left_out != next.left_out) {
            next.left_out.iter().for_each(|words| printer.warn(words));
        }
        evaluated.push(next);
    }
    match arguments.format {
        Format::Json => printer.json(&json_of_all(&evaluated, metric))?,
        Format::Human => print::print(&evaluated, metric, &printer)?,
    }
    Ok(Ending::Done)
}

fn evaluate(
    model: &FittedModel,
    name: String,
    metric: Metric,
    arguments: &EvaluateArguments,
    printer: &Printer,
) -> anyhow::Result<Evaluated> {
    let target = arguments.target.as_deref().unwrap_or(&model.target);
    let source = (arguments.data.as_path(), &arguments.input);
    let found = by_environment(model, source, target, arguments.env.as_deref(), metric, printer)?;
    let left_out = found.left_out(&arguments.data, target);
    let Found { environments, without_outcome, .. } = found;
    let errors: Vec<f64> = environments.iter().map(|environment| environment.error).collect();
    let summary = ErrorSummary::new(&errors).context("the table has no rows to evaluate")?;
    if !summary.mean_error.is_finite() {
        bail!("the errors are beyond the range of numbers: give the target other units");
    }
    let training = model.memory.as_ref().and_then(|memory| memory.error(metric));
    Ok(Evaluated { name, environments, summary, training, without_outcome, left_out })
}

/// Models are called by their files, in full where two would be called the same.
pub(crate) fn names_of(paths: &[PathBuf]) -> Vec<String> {
    let stem = |path: &Path| {
        path.file_stem().map_or_else(|| path.display().to_string(), |stem| stem.to_string_lossy().into_owned())
    };
    let stems: Vec<String> = paths.iter().map(|path| stem(path)).collect();
    let is_unique = |name: &String| stems.iter().filter(|other| *other == name).count() == 1;
    let name =
        |(path, name): (&PathBuf, &String)| if is_unique(name) { name.clone() } else { path.display().to_string() };
    paths.iter().zip(&stems).map(name).collect()
}

/// The first model, and where there are several all of them by their names.
fn json_of_all(evaluated: &[Evaluated], metric: Metric) -> Value {
    let mut told = json_of(&evaluated[0], metric);
    if evaluated.len() > 1 {
        let all: Map<String, Value> = evaluated.iter().map(|one| (one.name.clone(), json_of(one, metric))).collect();
        told["models"] = all.into();
    }
    told
}

fn json_of(evaluated: &Evaluated, metric: Metric) -> Value {
    let by_name: Map<String, Value> =
        evaluated.environments.iter().map(|environment| (environment.name.clone(), environment.json())).collect();
    json!({
        "metric": metric.name(),
        "environments": by_name,
        "mean_error": evaluated.summary.mean_error,
        "std_error": evaluated.summary.std_error,
        "max_error": evaluated.summary.max_error,
        "training_error": evaluated.training,
        "rows_without_outcome": evaluated.without_outcome,
    })
}

/// The metric asked for if it has a meaning for the model, else its task's.
pub(crate) fn metric_for(model: &FittedModel, asked: Option<Metric>) -> anyhow::Result<Metric> {
    let classes = model.classes.is_some();
    let metric = asked.unwrap_or(Metric::default_for(model.task));
    if metric.is_for_classes() != classes {
        let holds = if classes { "classes" } else { "numbers" };
        let known: Vec<&str> = Metric::ALL
            .iter()
            .filter(|metric| metric.is_for_classes() == classes)
            .map(|metric| metric.name())
            .collect();
        let use_instead =
            known.split_last().map_or(String::new(), |(last, first)| format!("{} or {last}", first.join(", ")));
        bail!("the model predicts {holds}: --metric {} has no meaning for it, use {use_instead}", metric.name());
    }
    Ok(metric)
}
