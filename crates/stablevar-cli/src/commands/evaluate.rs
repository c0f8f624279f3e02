//! `stablevar evaluate`

use super::{Beside, in_file, numbers, predict_parts};
use crate::Ending;
use crate::args::{EvaluateArguments, Format, InputArguments};
use crate::printer::Printer;
use anyhow::{Context, bail};
use serde_json::{Map, Value, json};
use stablevar::design::class_numbers;
use stablevar::error::Error;
use stablevar::fit::FittedModel;
use stablevar::metrics::{ByEnvironment, ErrorSummary, JudgedRows, Metric, area_under_curve, error_rate, log_loss};
use stablevar::table::Table;
use stablevar_io::{IoError, read_model};
use stablevar_report::text::number;
use std::path::Path;

pub(crate) fn run(arguments: &EvaluateArguments) -> anyhow::Result<Ending> {
    let printer = Printer::new(arguments.quiet);
    let model = read_model(&arguments.model)?;
    let metric = metric_for(&model, arguments.metric)?;
    let target = arguments.target.as_deref().unwrap_or(&model.target);
    let source = (arguments.data.as_path(), &arguments.input);
    let errors = by_environment(&model, source, target, arguments.env.as_deref(), metric, &printer)?;
    let summary = ErrorSummary::new(&errors.iter().map(|environment| environment.error).collect::<Vec<_>>())
        .context("the table has no rows to evaluate")?;
    if !summary.mean_error.is_finite() {
        bail!("the errors are beyond the range of numbers: give the target other units");
    }
    match arguments.format {
        Format::Json => {
            let by_name: Map<String, Value> =
                errors.into_iter().map(|environment| (environment.name.clone(), environment.json())).collect();
            printer.json(&json!({
                "metric": metric.name(),
                "environments": by_name,
                "mean_error": summary.mean_error,
                "std_error": summary.std_error,
                "max_error": summary.max_error,
            }))?;
        }
        Format::Human => {
            let rows: Vec<Vec<String>> = errors
                .into_iter()
                .map(|environment| vec![environment.name, environment.rows.to_string(), number(environment.error)])
                .collect();
            printer.table(&["environment", "rows", metric.name()], &rows)?;
            printer.line(&format!(
                "\nMean_Error {}  Std_Error {}  Max_Error {}",
                number(summary.mean_error),
                number(summary.std_error),
                number(summary.max_error)
            ))?;
        }
    }
    Ok(Ending::Done)
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

/// The error of a model in every environment of a table.
pub(crate) fn by_environment(
    model: &FittedModel,
    (data, input): (&Path, &InputArguments),
    target: &str,
    environment: Option<&str>,
    metric: Metric,
    printer: &Printer,
) -> anyhow::Result<Vec<Environment>> {
    let text: Vec<&str> = environment.into_iter().collect();
    // Of every part the outcomes and the predictions are kept.
    let mut judged: ByEnvironment<JudgedRows> = ByEnvironment::default();
    let mut missing = 0;
    let beside = Beside { as_they_are: &[target], text: &text };
    predict_parts(model, (data, input), beside, printer, |part, predicted| {
        if predicted.is_empty() {
            return Ok(());
        }
        let fault = |source: Error| IoError::Table { path: part.path.clone(), source: source.from_row(part.first) };
        // A fault of these two columns is told without those that only the model reads.
        let table = part.table.only(|name| name == target || text.contains(&name));
        let truth = match outcomes(model, &table, target) {
            Ok(truth) => truth,
            // Told below, when all of them are counted.
            Err(Error::MissingValues { rows, .. }) if model.classes.is_none() => {
                missing += rows;
                return Ok(());
            }
            Err(source) => return Err(fault(source)),
        };
        match environment {
            None => judged.of("all").extend(&truth, &predicted),
            Some(column) => {
                let names = &table.column(column).map_err(fault)?.values;
                for (row, (&truth, &predicted)) in truth.iter().zip(&predicted).enumerate() {
                    judged.of(names.text(row).as_deref().unwrap_or("(missing)")).add(truth, predicted);
                }
            }
        }
        Ok(())
    })?;
    if missing > 0 {
        let columns = vec![(target.to_string(), missing)];
        return Err(in_file(data)(Error::MissingValues { columns, rows: missing }).into());
    }
    if judged.iter().len() == 0 {
        return Err(in_file(data)(Error::TooFewRows { found: 0, needed: 1 }).into());
    }
    let mut errors = Vec::new();
    for (name, rows) in judged.iter() {
        let Some(error) = rows.error(metric) else {
            printer.warn(&format!("environment '{name}' has rows of one class only: no {} there", metric.name()));
            continue;
        };
        let more = model.classes.as_ref().map(|_| ClassMeasures::new(rows));
        errors.push(Environment { name: name.to_string(), rows: rows.rows(), error, more });
    }
    Ok(errors)
}

/// The outcomes of some rows, classes as 0 and 1.
fn outcomes(model: &FittedModel, table: &Table, target: &str) -> Result<Vec<f64>, Error> {
    match &model.classes {
        None => numbers(table, target),
        Some(classes) => class_numbers(target, &table.column(target)?.values, classes),
    }
}

/// The error of one environment, and for classes all measures.
pub(crate) struct Environment {
    pub name: String,
    rows: usize,
    pub error: f64,
    more: Option<ClassMeasures>,
}

struct ClassMeasures {
    error_rate: f64,
    log_loss: f64,
    auc: Option<f64>,
}

impl ClassMeasures {
    fn new(rows: &JudgedRows) -> Self {
        Self {
            error_rate: error_rate(&rows.truth, &rows.predicted),
            log_loss: log_loss(&rows.truth, &rows.predicted),
            auc: area_under_curve(&rows.truth, &rows.predicted),
        }
    }
}

impl Environment {
    fn json(&self) -> Value {
        match &self.more {
            None => json!({"n": self.rows, "error": self.error}),
            Some(more) => json!({
                "n": self.rows,
                "error": self.error,
                "error_rate": more.error_rate,
                "log_loss": more.log_loss,
                "auc": more.auc,
            }),
        }
    }
}
