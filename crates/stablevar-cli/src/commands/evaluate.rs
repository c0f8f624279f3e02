//! `stablevar evaluate`

use super::{in_file, numbers, predict_pieces};
use crate::Ending;
use crate::args::{EvaluateArguments, Format, Metric};
use crate::printer::Printer;
use anyhow::{Context, bail};
use serde_json::{Map, Value, json};
use stablevar::design::class_numbers;
use stablevar::error::Error;
use stablevar::fit::FittedModel;
use stablevar::metrics::{ErrorSummary, area_under_curve, error_rate, log_loss, mean_squared_error};
use stablevar::table::Table;
use stablevar_io::{Growing, Piece, read_model};
use stablevar_report::text::number;
use std::collections::HashMap;
use std::path::Path;

pub(crate) fn run(arguments: &EvaluateArguments) -> anyhow::Result<Ending> {
    let printer = Printer::new(arguments.quiet);
    let model = read_model(&arguments.model)?;
    let metric = metric_for(&model, arguments.metric)?;
    let target = arguments.target.as_deref().unwrap_or(&model.target);
    let errors = by_environment(&model, &arguments.data, target, arguments.env.as_deref(), metric, &printer)?;
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
    let metric = asked.unwrap_or(if classes { Metric::ErrorRate } else { Metric::Mse });
    if metric.is_for_classes() != classes {
        let (holds, use_instead) = if classes {
            ("classes", "error-rate, log-loss or one-minus-auc")
        } else {
            ("numbers", "mse, rmse or mae")
        };
        bail!("the model predicts {holds}: --metric {} has no meaning for it, use {use_instead}", metric.name());
    }
    Ok(metric)
}

/// The error of a model in every environment of a table.
pub(crate) fn by_environment(
    model: &FittedModel,
    data: &Path,
    target: &str,
    environment: Option<&str>,
    metric: Metric,
    printer: &Printer,
) -> anyhow::Result<Vec<Environment>> {
    let text: Vec<&str> = environment.into_iter().collect();
    // Of every piece the outcomes, the environments and the predictions are kept.
    let (mut growing, mut predicted) = (Growing::default(), Vec::new());
    predict_pieces(model, data, &[target], &text, printer, |piece, predictions| {
        predicted.extend(predictions);
        let wanted = |name: &str| name == target || text.contains(&name);
        let table = piece.table.only(wanted);
        growing.add(Piece { table, ..piece })
    })?;
    let table = growing.finish()?;
    // A table without a column has no rows; the column that is missing is told below.
    let rows = predicted.len();
    if rows == 0 {
        return Err(in_file(data)(Error::TooFewRows { found: 0, needed: 1 }).into());
    }
    let truth = match &model.classes {
        None => numbers(&table, target),
        Some(classes) => table.column(target).and_then(|column| class_numbers(target, &column.values, classes)),
    }
    .map_err(in_file(data))?;
    let mut errors = Vec::new();
    for (name, rows) in environments(&table, environment).map_err(in_file(data))? {
        let of = |values: &[f64]| rows.iter().map(|&row| values[row]).collect::<Vec<f64>>();
        let (truth, predicted) = (of(&truth), of(&predicted));
        let Some(error) = measure(metric, &truth, &predicted) else {
            printer.warn(&format!("environment '{name}' has rows of one class only: no {} there", metric.name()));
            continue;
        };
        let more = model.classes.as_ref().map(|_| ClassMeasures::new(&truth, &predicted));
        errors.push(Environment { name, rows: rows.len(), error, more });
    }
    Ok(errors)
}

/// The rows of every environment, in order of first appearance.
fn environments(table: &Table, column: Option<&str>) -> Result<Vec<(String, Vec<usize>)>, Error> {
    let Some(column) = column else { return Ok(vec![("all".into(), (0..table.rows()).collect())]) };
    let values = &table.column(column)?.values;
    let mut positions: HashMap<String, usize> = HashMap::new();
    let mut environments: Vec<(String, Vec<usize>)> = Vec::new();
    for row in 0..table.rows() {
        let name = values.text(row).unwrap_or_else(|| "(missing)".into());
        let position = *positions.entry(name.clone()).or_insert_with(|| {
            environments.push((name, Vec::new()));
            environments.len() - 1
        });
        environments[position].1.push(row);
    }
    Ok(environments)
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
    fn new(truth: &[f64], probabilities: &[f64]) -> Self {
        Self {
            error_rate: error_rate(truth, probabilities),
            log_loss: log_loss(truth, probabilities),
            auc: area_under_curve(truth, probabilities),
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

/// `None` where the measure needs both classes and there is one.
fn measure(metric: Metric, truth: &[f64], predicted: &[f64]) -> Option<f64> {
    let absolute = || truth.iter().zip(predicted).map(|(y, p)| (y - p).abs()).sum::<f64>() / truth.len() as f64;
    Some(match metric {
        Metric::Mse => mean_squared_error(truth, predicted),
        Metric::Rmse => mean_squared_error(truth, predicted).sqrt(),
        Metric::Mae => absolute(),
        Metric::ErrorRate => error_rate(truth, predicted),
        Metric::LogLoss => log_loss(truth, predicted),
        Metric::OneMinusAuc => 1.0 - area_under_curve(truth, predicted)?,
    })
}
