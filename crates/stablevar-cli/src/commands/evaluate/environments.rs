//! The error of a model in every environment of a table.

use super::super::{Beside, in_file, numbers, predict_parts};
use crate::args::InputArguments;
use crate::printer::Printer;
use anyhow::bail;
use serde_json::{Value, json};
use stablevar::design::class_numbers;
use stablevar::error::Error;
use stablevar::fit::FittedModel;
use stablevar::metrics::{
    ByEnvironment, JudgedRows, Metric, area_under_curve, error_rate, log_loss, mean_squared_error,
};
use stablevar::table::Table;
use stablevar_io::{display, natural_order};
use stablevar_report::text::count;
use std::path::Path;

/// Standard errors on either side of a mean that hold 90 % of a normal law.
const NINETY_PERCENT: f64 = 1.645;
const MISSING: &str = "(missing)";

/// A table as a model does there.
pub(crate) struct Found {
    /// In natural order of their names.
    pub environments: Vec<Environment>,
    pub rows: usize,
    /// Rows that were left out, since they have no outcome to judge a prediction by.
    pub without_outcome: usize,
}

impl Found {
    /// In words which rows were left out, if any were.
    pub(crate) fn left_out(&self, data: &Path, target: &str) -> Option<String> {
        let (gone, of) = (count(self.without_outcome), count(self.rows));
        let told = || format!("{}: {gone} of {of} rows are left out: they have no outcome ('{target}')", display(data));
        (self.without_outcome > 0).then(told)
    }
}

/// The error of a model in every environment of a table; rows without an outcome are left out.
pub(crate) fn by_environment(
    model: &FittedModel,
    (data, input): (&Path, &InputArguments),
    target: &str,
    environment: Option<&str>,
    metric: Metric,
    printer: &Printer,
) -> anyhow::Result<Found> {
    let (judged, rows, without_outcome) = judged(model, (data, input), target, environment, printer)?;
    let baseline = model.memory.as_ref().map(|memory| memory.mean_outcome());
    let mut environments = Vec::new();
    for (name, rows) in judged.iter() {
        let Some(error) = rows.error(metric) else {
            printer.warn(&format!("environment '{name}' has rows of one class only: no {} there", metric.name()));
            continue;
        };
        environments.push(Environment::new(name, rows, error, metric, baseline, model.classes.is_some()));
    }
    sort(&mut environments);
    Ok(Found { environments, rows, without_outcome })
}

/// Of every part the outcomes and the predictions are kept; also the number of rows, and of those without an outcome.
fn judged(
    model: &FittedModel,
    (data, input): (&Path, &InputArguments),
    target: &str,
    environment: Option<&str>,
    printer: &Printer,
) -> anyhow::Result<(ByEnvironment<JudgedRows>, usize, usize)> {
    // A column of the model names environments by its values, too; any other does letter by letter.
    let (read, text): (Vec<&str>, Vec<&str>) =
        environment.into_iter().partition(|name| model.used_names().contains(name));
    let as_they_are: Vec<&str> = read.into_iter().chain([target]).collect();
    let mut judged: ByEnvironment<JudgedRows> = ByEnvironment::default();
    let (mut rows, mut without_outcome) = (0, 0);
    let beside = Beside { as_they_are: &as_they_are, text: &text, needed: Some(target) };
    predict_parts(model, (data, input), beside, printer, |found| {
        rows += found.predictions.len() + found.passed_over;
        without_outcome += found.passed_over;
        if found.predictions.is_empty() {
            return Ok(());
        }
        let table = &found.part.table;
        let truth = outcomes(model, table, target).map_err(|source| found.fault(source))?;
        match environment {
            None => judged.of("all").extend(&truth, &found.predictions),
            Some(column) => {
                let names = &table.column(column).map_err(|source| found.fault(source))?.values;
                for (row, (&truth, &predicted)) in truth.iter().zip(&found.predictions).enumerate() {
                    judged.of(names.text(row).as_deref().unwrap_or(MISSING)).add(truth, predicted);
                }
            }
        }
        Ok(())
    })?;
    let environments = judged.iter().len();
    match environments {
        0 if rows > 0 => bail!("{}: no row has an outcome: '{target}' is empty in all {}", display(data), count(rows)),
        0 => Err(in_file(data)(Error::TooFewRows { found: 0, needed: 1 }).into()),
        _ => Ok((judged, rows, without_outcome)),
    }
}

/// Numbers by their value, other names so that 'p2' comes before 'p10'; rows without a name last.
fn sort(environments: &mut [Environment]) {
    let named = environments.iter().filter(|environment| environment.name != MISSING);
    let number = |environment: &Environment| environment.name.parse::<f64>().ok();
    if named.clone().all(|environment| number(environment).is_some()) {
        environments.sort_by(|a, b| {
            let key = |one: &Environment| number(one).unwrap_or(f64::INFINITY);
            key(a).total_cmp(&key(b))
        });
    } else {
        environments.sort_by_cached_key(|environment| (environment.name == MISSING, natural_order(&environment.name)));
    }
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
    pub(super) rows: usize,
    pub error: f64,
    /// That holds the error over all rows of such an environment in 9 of 10 samples.
    pub(super) interval: Option<(f64, f64)>,
    /// The share of the outcome's variance here that is told; for numbers.
    pub(super) r_squared: Option<f64>,
    /// The error of the training rows' mean outcome as the prediction.
    pub(super) baseline: Option<f64>,
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
    fn new(name: &str, rows: &JudgedRows, error: f64, metric: Metric, baseline: Option<f64>, classes: bool) -> Self {
        let spread = metric.standard_error(&rows.truth, &rows.predicted).filter(|_| rows.rows() > 1);
        let interval =
            spread.map(|spread| ((error - NINETY_PERCENT * spread).max(0.0), error + NINETY_PERCENT * spread));
        let mean = rows.truth.iter().sum::<f64>() / rows.rows() as f64;
        let variance = mean_squared_error(&rows.truth, &vec![mean; rows.rows()]);
        let told = 1.0 - mean_squared_error(&rows.truth, &rows.predicted) / variance;
        Self {
            name: name.to_string(),
            rows: rows.rows(),
            error,
            interval,
            r_squared: (!classes && told.is_finite()).then_some(told),
            baseline: baseline.and_then(|mean| metric.of(&rows.truth, &vec![mean; rows.rows()])),
            more: classes.then(|| ClassMeasures::new(rows)),
        }
    }

    pub(super) fn json(&self) -> Value {
        let mut told = json!({
            "n": self.rows,
            "error": self.error,
            "interval": self.interval.map(|(low, high)| [low, high]),
            "baseline": self.baseline,
        });
        match &self.more {
            None => told["r2"] = json!(self.r_squared),
            Some(more) => {
                told["error_rate"] = json!(more.error_rate);
                told["log_loss"] = json!(more.log_loss);
                told["auc"] = json!(more.auc);
            }
        }
        told
    }
}
