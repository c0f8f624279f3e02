//! `stablevar reselect`

use super::fit::{prepare, print};
use super::{check_files, command_line, in_file, read_like};
use crate::Ending;
use crate::args::{Format, InputArguments, Options, RULES, ReselectArguments};
use crate::printer::Printer;
use anyhow::bail;
use stablevar::Estimator;
use stablevar::design::Missing;
use stablevar::fit::{Fit, FittedModel};
use stablevar_io::{ReadOptions, TableStream, read_model, summary, write_model, write_whole};
use stablevar_report::model_page::{self, Extras};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub(crate) fn run(arguments: &ReselectArguments) -> anyhow::Result<Ending> {
    let printer = Printer::new(arguments.quiet);
    let given = &arguments.settings.given;
    if !given.iter().any(|(name, _)| RULES.contains(&name.as_str())) {
        bail!("say by which rule variables are to be chosen: --threshold, --select or --fdr");
    }
    let inputs: Vec<&Path> = arguments.data.iter().chain([&arguments.model]).map(PathBuf::as_path).collect();
    check_files(&inputs, &[arguments.out.as_ref(), arguments.report.as_ref()], arguments.format)?;
    let model = read_model(&arguments.model)?;
    let estimator = Estimator::new(model.method.name())?.target(&model.target).set_all(given.iter().cloned())?;
    let (mut fitted, rows, total) = again(&model, estimator, arguments, &printer)?;
    fitted.model.origin.command = Some(command_line());
    fitted.model.reading = model.reading;
    if let Some(path) = &arguments.out {
        write_model(path, &fitted.model)?;
        printer.note(&format!("model written to {}", path.display()));
    }
    if let Some(path) = &arguments.report {
        let page = model_page::page(&fitted.model, Extras::default(), &Options);
        write_whole(path, |writer| writer.write_all(page.as_bytes()))?;
    }
    if fitted.model.selected == model.selected {
        printer.note("the same variables are selected as before");
    }
    match arguments.format {
        Format::Json => printer.json(&summary::json(&fitted.model, &Options))?,
        Format::Human => {
            let weights = print::Weights { rows, total };
            print::print(&fitted.model, weights, print::Detail::Usual, &printer)?;
        }
    }
    Ok(if fitted.model.converged { Ending::Done } else { Ending::NotConverged })
}

/// The new fit, its rows and the sum of their base weights.
fn again(
    model: &FittedModel,
    mut estimator: Estimator,
    arguments: &ReselectArguments,
    printer: &Printer,
) -> anyhow::Result<(Fit, usize, f64)> {
    let Some(rule) = estimator.method.rule().copied() else {
        bail!("{} has no rule by which variables are chosen, so that there is none to change", model.method.name());
    };
    let watch = |_: stablevar::fit::Step<'_>| ControlFlow::Continue(());
    let Some(path) = &arguments.data else {
        let (rows, total) =
            model.memory.as_ref().map_or((0, 0.0), |memory| (memory.rows(), memory.base().iter().sum()));
        return Ok((model.reselect(rule, None, &watch)?, rows, total));
    };
    let stream = TableStream::open(path, &fitted_columns(model, &arguments.input, &mut estimator))?;
    let data = prepare(&stream, &estimator, path, printer)?;
    let fitted = model.reselect(rule, Some(data.rows()), &watch).map_err(in_file(path))?;
    let frame = data.rows().frame();
    Ok((fitted, frame.rows(), frame.total_weight()))
}

/// How the table of a fit is read again: the columns that it had, and missing values as then unless something else is said.
fn fitted_columns(model: &FittedModel, input: &InputArguments, estimator: &mut Estimator) -> ReadOptions {
    estimator.roles.task = Some(model.task);
    if estimator.roles.missing == Missing::default() {
        estimator.roles.missing = model.encoding.missing;
    }
    let used = model.encoding.features.iter().map(|feature| feature.name.clone());
    let left_out = model.encoding.left_out.iter().filter_map(|finding| finding.variables.first().cloned());
    let from_text = model.encoding.features.iter().filter(|feature| feature.from_text);
    estimator.roles.numbers = from_text.map(|feature| feature.name.clone()).collect();
    estimator.roles.told = model.told.clone();
    let environment = model.environments.as_ref().map(|effects| effects.column.clone());
    estimator.roles.environment = estimator.roles.environment.take().or(environment);
    let own = estimator.roles.weight_column.iter().chain(&estimator.roles.environment).chain(&estimator.roles.group);
    let others = own.chain([&model.target]).cloned();
    let only = used.chain(left_out).chain(others).collect();
    ReadOptions { only: Some(only), ..read_like(model, input) }
}
