//! `stablevar evaluate`

use super::{in_file, numbers, predict_rows};
use crate::Ending;
use crate::args::{EvaluateArguments, Format, Metric};
use crate::printer::{Printer, number};
use anyhow::{Context, bail};
use serde_json::{Map, Value, json};
use stablevar::error::Error;
use stablevar::metrics::ErrorSummary;
use stablevar::table::Table;
use stablevar_io::read_model;
use std::collections::HashMap;

pub(crate) fn run(arguments: &EvaluateArguments) -> anyhow::Result<Ending> {
    let printer = Printer::new(arguments.quiet);
    let model = read_model(&arguments.model)?;
    let target = arguments.target.as_ref().unwrap_or(&model.target);
    let environment: Vec<&str> = arguments.env.iter().map(String::as_str).collect();
    let (table, predicted) = predict_rows(&model, &arguments.data, &[target], &environment, &printer)?;
    if table.rows() == 0 {
        return Err(in_file(&arguments.data)(Error::TooFewRows { found: 0, needed: 1 }).into());
    }
    let truth = numbers(&table, target).map_err(in_file(&arguments.data))?;

    let mut errors = Vec::new();
    for (name, rows) in environments(&table, arguments.env.as_deref()).map_err(in_file(&arguments.data))? {
        let error = measure(arguments.metric, rows.iter().map(|&row| truth[row] - predicted[row]));
        errors.push((name, rows.len(), error));
    }
    let summary = ErrorSummary::new(&errors.iter().map(|(_, _, error)| *error).collect::<Vec<_>>())
        .context("the table has no rows to evaluate")?;
    if !summary.mean_error.is_finite() {
        bail!("the errors are beyond the range of numbers: give the target other units");
    }
    let metric = match arguments.metric {
        Metric::Mse => "mse",
        Metric::Rmse => "rmse",
        Metric::Mae => "mae",
    };
    match arguments.format {
        Format::Json => {
            let by_name: Map<String, Value> =
                errors.into_iter().map(|(name, rows, error)| (name, json!({"n": rows, "error": error}))).collect();
            printer.json(&json!({
                "metric": metric,
                "environments": by_name,
                "mean_error": summary.mean_error,
                "std_error": summary.std_error,
                "max_error": summary.max_error,
            }))?;
        }
        Format::Human => {
            let rows: Vec<Vec<String>> =
                errors.into_iter().map(|(name, rows, error)| vec![name, rows.to_string(), number(error)]).collect();
            printer.table(&["environment", "rows", metric], &rows)?;
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

fn measure(metric: Metric, residuals: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = residuals.len() as f64;
    match metric {
        Metric::Mse => residuals.map(|residual| residual * residual).sum::<f64>() / count,
        Metric::Rmse => (residuals.map(|residual| residual * residual).sum::<f64>() / count).sqrt(),
        Metric::Mae => residuals.map(f64::abs).sum::<f64>() / count,
    }
}
