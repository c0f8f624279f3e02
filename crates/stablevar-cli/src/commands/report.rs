//! `stablevar report`

use super::evaluate::{by_environment, metric_for, names_of};
use super::fit::shown_rows;
use super::{check_files, command_line, in_file, read_like};
use crate::Ending;
use crate::args::{Format, Options, ReportArguments};
use crate::printer::Printer;
use anyhow::{anyhow, bail};
use stablevar::fit::FittedModel;
use stablevar_io::{TableStream, read_model, write_whole};
use stablevar_report::model_page::{self, Evaluation, Extras};
use std::path::{Path, PathBuf};

pub(crate) fn run(arguments: &ReportArguments) -> anyhow::Result<Ending> {
    let printer = Printer::new(arguments.quiet);
    let tables = arguments.evaluate.iter().chain(&arguments.training);
    let inputs: Vec<&Path> = tables.chain(&arguments.compare).chain([&arguments.model]).map(PathBuf::as_path).collect();
    check_files(&inputs, &[Some(&arguments.out)], Format::Human)?;
    let model = read_model(&arguments.model)?;
    let rows = match &arguments.training {
        Some(path) => {
            let stream = TableStream::open(path, &read_like(&model, &arguments.input))?;
            Some(shown_rows(&model, &stream).map_err(|error| {
                anyhow!("{}: {error}: --training takes the table that the model was fitted to", path.display())
            })?)
        }
        None => None,
    };
    let evaluated = match &arguments.evaluate {
        Some(data) => Some(evaluate(&model, data, arguments, &printer)?),
        None => None,
    };
    let errors: Vec<(&str, &[f64])> = evaluated
        .iter()
        .flat_map(|evaluated| evaluated.errors.iter().map(|(name, errors)| (name.as_str(), errors.as_slice())))
        .collect();
    let evaluation = evaluated.as_ref().map(|evaluated| Evaluation {
        metric: evaluated.metric,
        axis: arguments.env.as_deref().unwrap_or("rows"),
        environments: &evaluated.environments,
        ordered: false,
        errors: &errors,
        note: "",
    });
    let command = command_line();
    let extras = Extras { evaluation: evaluation.as_ref(), rows: rows.as_ref(), command: Some(&command) };
    write_whole(&arguments.out, |writer| writer.write_all(model_page::page(&model, extras, &Options).as_bytes()))?;
    printer.note(&format!("report written to {}", arguments.out.display()));
    Ok(Ending::Done)
}

struct Evaluated {
    metric: &'static str,
    environments: Vec<String>,
    errors: Vec<(String, Vec<f64>)>,
}

/// The errors of the model and of those to compare with, in the same environments.
fn evaluate(
    model: &FittedModel,
    data: &Path,
    arguments: &ReportArguments,
    printer: &Printer,
) -> anyhow::Result<Evaluated> {
    let metric = metric_for(model, arguments.metric)?;
    let target = arguments.target.as_deref().unwrap_or(&model.target);
    let mut environments: Vec<String> = Vec::new();
    let mut errors: Vec<(String, Vec<f64>)> = Vec::new();
    let mut models = vec![(model.method.name().to_string(), model.clone())];
    for (path, name) in arguments.compare.iter().zip(names_of(&arguments.compare)) {
        models.push((name, read_model(path)?));
    }
    for (name, other) in models {
        if (&other.target, &other.classes) != (&model.target, &model.classes) {
            bail!("'{name}' predicts '{}', not '{}': compare models of one target", other.target, model.target);
        }
        let found =
            by_environment(&other, (data, &arguments.input), target, arguments.env.as_deref(), metric, printer)?;
        if errors.is_empty() {
            found.left_out(data, target).iter().for_each(|words| printer.warn(words));
        }
        let found = found.environments;
        if found.is_empty() {
            return Err(in_file(data)(stablevar::error::Error::TooFewRows { found: 0, needed: 1 }).into());
        }
        environments = found.iter().map(|environment| environment.name.clone()).collect();
        errors.push((name, found.iter().map(|environment| environment.error).collect()));
    }
    Ok(Evaluated { metric: metric.name(), environments, errors })
}
