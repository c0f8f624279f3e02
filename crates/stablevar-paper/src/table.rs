//! From runs to a table: ours beside the paper's, the oracle and how often the selection was exact.

use crate::experiment::{Experiment, ORACLE};
use crate::runner::{MethodOutcome, Run};
use serde::Serialize;
use stablevar::metrics::ErrorSummary;

/// One method in one cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Rows of the training samples.
    pub n: usize,
    /// Their bias rate.
    pub r_train: f64,
    /// The method.
    pub method: String,
    /// Mean over the environments of the errors averaged over the runs.
    pub mean_error: f64,
    /// Standard error of that over the runs; `None` for a single one.
    pub mean_error_se: Option<f64>,
    /// Standard deviation over the environments.
    pub std_error: f64,
    /// The largest.
    pub max_error: f64,
    /// Share of the baseline's excess over the oracle that is removed.
    pub excess_removed: Option<f64>,
    /// Share of the runs in which exactly the stable variables were selected.
    pub exact_selection: f64,
    /// Mean effective sample size.
    pub n_eff: f64,
    /// Mean seconds of a fit.
    pub seconds: f64,
    /// The paper's figures, where it has them.
    pub paper_mean_error: Option<f64>,
    /// The same.
    pub paper_std_error: Option<f64>,
    /// The same.
    pub paper_max_error: Option<f64>,
}

/// The table of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ResultTable {
    /// The experiment's name.
    pub experiment: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Runs per cell.
    pub seeds: u64,
    /// All rows.
    pub rows: Vec<Row>,
}

impl ResultTable {
    /// Sums up the runs of an experiment.
    pub fn new(experiment: &Experiment, runs: &[Run], seeds: u64) -> Self {
        let mut rows = Vec::new();
        for cell in &experiment.cells {
            let of = |name: &str| -> Vec<&MethodOutcome> {
                let cell_runs = runs.iter().filter(|run| run.cell == *cell);
                cell_runs.flat_map(|run| run.outcomes.iter().filter(|outcome| outcome.name == name)).collect()
            };
            let (baseline, oracle) = (mean_error(&of(experiment.contenders[0].name)), mean_error(&of(ORACLE)));
            for contender in &experiment.contenders {
                let outcomes = of(contender.name);
                let Some(summary) = ErrorSummary::new(&per_environment(&outcomes)) else { continue };
                let published = published(experiment.published, cell.rows, cell.rate, contender.name);
                let excess = |value: f64| 1.0 - (value - oracle) / (baseline - oracle);
                rows.push(Row {
                    n: cell.rows,
                    r_train: cell.rate,
                    method: contender.name.into(),
                    mean_error: summary.mean_error,
                    mean_error_se: standard_error(&outcomes),
                    std_error: summary.std_error,
                    max_error: summary.max_error,
                    excess_removed: Some(excess(summary.mean_error)).filter(|share| share.is_finite()),
                    exact_selection: mean(&outcomes, |outcome| f64::from(outcome.exact)),
                    n_eff: mean(&outcomes, |outcome| outcome.effective_sample_size),
                    seconds: mean(&outcomes, |outcome| outcome.seconds),
                    paper_mean_error: published.map(|figures| figures[0]),
                    paper_std_error: published.map(|figures| figures[1]),
                    paper_max_error: published.map(|figures| figures[2]),
                });
            }
        }
        Self { experiment: experiment.name, title: experiment.title, seeds, rows }
    }

    /// For the docs.
    pub fn markdown(&self) -> String {
        let mut text =
            format!("## {}\n\n{} runs per cell; errors are mean squared errors.\n\n", self.title, self.seeds);
        text += "| n | r | method | Mean | s.e. | Std | Max | excess removed | exact | n_eff | seconds | paper: Mean | Std | Max |\n";
        text += "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
        let figure = |value: Option<f64>| value.map_or("–".to_string(), |value| format!("{value:.3}"));
        for row in &self.rows {
            let removed = row.excess_removed.map_or("–".to_string(), |share| format!("{:.0} %", 100.0 * share));
            text += &format!(
                "| {} | {:.1} | {} | {:.3} | {} | {:.3} | {:.3} | {removed} | {:.0} % | {:.0} | {:.2} | {} | {} | {} |\n",
                row.n,
                row.r_train,
                row.method,
                row.mean_error,
                figure(row.mean_error_se),
                row.std_error,
                row.max_error,
                100.0 * row.exact_selection,
                row.n_eff,
                row.seconds,
                figure(row.paper_mean_error),
                figure(row.paper_std_error),
                figure(row.paper_max_error),
            );
        }
        text
    }

    /// For other programs.
    pub fn csv(&self) -> Result<String, csv::Error> {
        csv_text(&self.rows)
    }
}

/// Rows as CSV with a header.
pub(crate) fn csv_text<R: Serialize>(rows: impl IntoIterator<Item = R>) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.into_iter().try_for_each(|row| writer.serialize(row))?;
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn mean(outcomes: &[&MethodOutcome], value: impl Fn(&MethodOutcome) -> f64) -> f64 {
    outcomes.iter().map(|outcome| value(outcome)).sum::<f64>() / outcomes.len() as f64
}

/// Errors averaged over the runs, per environment.
fn per_environment(outcomes: &[&MethodOutcome]) -> Vec<f64> {
    let environments = outcomes.first().map_or(0, |outcome| outcome.errors.len());
    (0..environments).map(|k| mean(outcomes, |outcome| outcome.errors[k])).collect()
}

fn mean_error(outcomes: &[&MethodOutcome]) -> f64 {
    let errors = per_environment(outcomes);
    errors.iter().sum::<f64>() / errors.len() as f64
}

/// Of the mean over environments, from its spread over the runs.
fn standard_error(outcomes: &[&MethodOutcome]) -> Option<f64> {
    if outcomes.len() < 2 {
        return None;
    }
    let means: Vec<f64> =
        outcomes.iter().map(|outcome| outcome.errors.iter().sum::<f64>() / outcome.errors.len() as f64).collect();
    let (count, centre) = (means.len() as f64, means.iter().sum::<f64>() / means.len() as f64);
    let variance = means.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / (count - 1.0);
    Some((variance / count).sqrt())
}

/// The paper's mean, std and max for a method in a cell.
fn published(csv: &str, rows: usize, rate: f64, method: &str) -> Option<[f64; 3]> {
    csv.lines().skip(1).find_map(|line| {
        let fields: Vec<&str> = line.trim().split(',').collect();
        let [n, r, name, figures @ ..] = fields.as_slice() else { return None };
        let is_it = n.parse() == Ok(rows) && r.parse() == Ok(rate) && *name == method;
        let numbers: Vec<f64> = figures.iter().filter_map(|field| field.parse().ok()).collect();
        if is_it { numbers.try_into().ok() } else { None }
    })
}
