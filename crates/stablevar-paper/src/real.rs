//! The paper's two experiments on real data: trained in one environment, judged in the others.

use crate::experiment::{Contender, real_data_contenders};
use crate::table::csv_text;
use serde::{Deserialize, Serialize};
use stablevar::design::{Roles, Target, Task, TrainingData, class_numbers};
use stablevar::error::Error;
use stablevar::fit::{FittedModel, fit};
use stablevar::method::Method;
use stablevar::metrics::{ByEnvironment, ErrorSummary, Metric};
use stablevar::table::{Table, Values};
use stablevar_data::real::{Dataset, ENVIRONMENT, RealDataError};
use stablevar_io::{IoError, write_whole};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

/// One method on real data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RealRow {
    /// The method.
    pub method: String,
    /// Its settings.
    pub settings: Method,
    /// Its error in every environment; the training environment's is on the rows it was trained on.
    pub errors: BTreeMap<String, f64>,
    /// Standard errors of these over the environment's rows.
    pub standard_errors: BTreeMap<String, f64>,
    /// Mean over the test environments.
    pub mean_error: f64,
    /// Standard deviation over the test environments.
    pub std_error: f64,
    /// The largest of the test environments.
    pub max_error: f64,
    /// Names of the variables selected.
    pub selected: Vec<String>,
    /// Effective sample size of the weights.
    pub n_eff: f64,
    /// Whether it converged.
    pub converged: bool,
    /// Seconds the fit took.
    pub seconds: f64,
}

/// The table of a real data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RealTable {
    /// The experiment's name.
    pub experiment: &'static str,
    /// What the errors are.
    pub metric: &'static str,
    /// The environment trained on.
    pub trained_on: &'static str,
    /// Rows of every environment.
    pub sizes: BTreeMap<String, usize>,
    /// One per method.
    pub rows: Vec<RealRow>,
}

/// Fits every linear method of the paper to the training environment and judges it in the others. What an earlier run left
/// in `folder`, made by this version with the same settings, is kept.
pub fn run_real(
    dataset: Dataset,
    cache: &Path,
    folder: &Path,
    watch: &mut dyn FnMut(&str) -> ControlFlow<()>,
) -> Result<RealTable, RealDataError> {
    let table = dataset.load(cache)?;
    let environments = by_environment(&table)?;
    let trained_on = dataset.training_environment();
    let training = environments
        .get(trained_on)
        .ok_or_else(|| Error::BadRequest(format!("there is no environment '{trained_on}' in the data")))?;
    let roles = Roles { exclude: vec![ENVIRONMENT.into()], ..Roles::target(dataset.target()) };
    let data = TrainingData::prepare(&table.keep_rows(training), &roles)?;
    let classes = data.target.task() == Task::Classification;
    let parts: BTreeMap<String, Table> =
        environments.iter().map(|(name, rows)| (name.clone(), table.keep_rows(rows))).collect();
    let experiment = match dataset {
        Dataset::KingCounty => "house",
        Dataset::Adult | Dataset::Shift(_) => dataset.name(),
    };
    let path = folder.join("runs").join(format!("{experiment}.json"));
    let mut kept = KeptFits::read(&path);
    let mut rows = Vec::new();
    for contender in real_data_contenders(classes) {
        let row = match kept.find(&contender, &parts) {
            Some(row) => row.clone(),
            None => {
                let row = one_row(&contender, &data, &parts, trained_on)?;
                kept.rows.retain(|kept| kept.method != row.method);
                kept.rows.push(row.clone());
                kept.write(&path)?;
                row
            }
        };
        rows.push(row);
        if watch(contender.name).is_break() {
            break;
        }
    }
    let sizes = environments.iter().map(|(name, rows)| (name.clone(), rows.len())).collect();
    Ok(RealTable { experiment, metric: metric_for(data.target.task()).label(), trained_on, sizes, rows })
}

/// As the paper: the root, whose unit is that of the outcome.
pub(crate) fn metric_for(task: Task) -> Metric {
    match task {
        Task::Regression => Metric::Rmse,
        Task::Classification => Metric::ErrorRate,
    }
}

/// What earlier runs left.
#[derive(Default, Serialize, Deserialize)]
struct KeptFits {
    version: String,
    rows: Vec<RealRow>,
}

impl KeptFits {
    /// What a file holds; nothing if it is not there, damaged or of another version.
    fn read(path: &Path) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_string();
        let kept = std::fs::read(path).ok().and_then(|text| serde_json::from_slice::<KeptFits>(&text).ok());
        kept.filter(|kept| kept.version == version).unwrap_or(Self { version, rows: Vec::new() })
    }

    /// The row of a method with these settings, in all environments.
    fn find(&self, contender: &Contender, environments: &BTreeMap<String, Table>) -> Option<&RealRow> {
        let same = |row: &&RealRow| {
            let everywhere = |errors: &BTreeMap<String, f64>| errors.keys().eq(environments.keys());
            row.method == contender.name
                && row.settings == contender.method
                && everywhere(&row.errors)
                && everywhere(&row.standard_errors)
        };
        self.rows.iter().find(same)
    }

    fn write(&self, path: &Path) -> Result<(), IoError> {
        let failed = |source| IoError::Write { path: path.display().to_string(), source };
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
        let text = serde_json::to_vec(self).map_err(|error| failed(error.into()))?;
        write_whole(path, |writer| writer.write_all(&text))
    }
}

fn one_row(
    contender: &Contender,
    data: &TrainingData,
    parts: &BTreeMap<String, Table>,
    trained_on: &str,
) -> Result<RealRow, Error> {
    let start = std::time::Instant::now();
    let model = fit(data, &contender.method, 0, &|_| ControlFlow::Continue(()))?.model;
    let seconds = start.elapsed().as_secs_f64();
    let (mut errors, mut standard_errors) = (BTreeMap::new(), BTreeMap::new());
    for (name, part) in parts {
        let (error, standard_error) = error(&model, &data.target, part)?;
        errors.insert(name.clone(), error);
        standard_errors.insert(name.clone(), standard_error);
    }
    let elsewhere: Vec<f64> =
        errors.iter().filter(|(name, _)| is_elsewhere(name, trained_on)).map(|(_, error)| *error).collect();
    let summary =
        ErrorSummary::new(&elsewhere).ok_or_else(|| Error::BadRequest("there is no environment to test in".into()))?;
    Ok(RealRow {
        method: contender.name.into(),
        settings: contender.method.clone(),
        errors,
        standard_errors,
        mean_error: summary.mean_error,
        std_error: summary.std_error,
        max_error: summary.max_error,
        selected: model.selected_names().into_iter().map(String::from).collect(),
        n_eff: model.effective_sample_size,
        converged: model.converged,
        seconds,
    })
}

/// What was trained on, and its rows held out, are no other environment.
fn is_elsewhere(name: &str, trained_on: &str) -> bool {
    !name.starts_with(trained_on)
}

/// The error of a model in an environment, and its standard error over the rows.
pub(crate) fn error(model: &FittedModel, target: &Target, part: &Table) -> Result<(f64, f64), Error> {
    let predicted = model.predict(part)?;
    let values = &part.column(&target.name)?.values;
    let truth = match (&target.classes, values) {
        (Some(classes), values) => class_numbers(&target.name, values, classes)?,
        (None, Values::Number(truth)) => truth.to_vec(),
        (None, other) => {
            return Err(Error::BadRequest(format!("'{}' holds {}, not numbers", target.name, other.kind())));
        }
    };
    let metric = metric_for(target.task());
    let measured = metric.of(&truth, &predicted).zip(metric.standard_error(&truth, &predicted));
    measured.ok_or_else(|| Error::BadRequest(format!("there is no {} of these rows", metric.label())))
}

/// Positions of the rows of every environment, by name.
pub(crate) fn by_environment(table: &Table) -> Result<BTreeMap<String, Vec<usize>>, Error> {
    let mut rows: ByEnvironment<Vec<usize>> = ByEnvironment::default();
    let names = &table.column(ENVIRONMENT)?.values;
    for row in 0..table.rows() {
        if let Some(name) = names.text(row) {
            rows.of(&name).push(row);
        }
    }
    Ok(rows.iter().map(|(name, rows)| (name.to_string(), rows.clone())).collect())
}

impl RealTable {
    /// Whether numbers are predicted, not classes.
    pub fn is_regression(&self) -> bool {
        self.metric == Metric::Rmse.label()
    }

    /// Whether an environment is another than the one trained on.
    pub fn is_elsewhere(&self, environment: &str) -> bool {
        is_elsewhere(environment, self.trained_on)
    }

    /// For the docs: one row per environment, one column per method.
    pub fn markdown(&self) -> String {
        let mut text =
            format!("## {}: {} in each environment, trained on {}\n\n", self.experiment, self.metric, self.trained_on);
        text += &format!(
            "| environment | rows |{}\n",
            self.rows.iter().map(|row| format!(" {} |", row.method)).collect::<String>()
        );
        text += &format!("|---|---|{}\n", "---|".repeat(self.rows.len()));
        let line = |name: &str, size: &str, value: &dyn Fn(&RealRow) -> String| {
            format!(
                "| {name} | {size} |{}\n",
                self.rows.iter().map(|row| format!(" {} |", value(row))).collect::<String>()
            )
        };
        for (name, size) in &self.sizes {
            text += &line(name, &size.to_string(), &|row| figure(row.errors[name]));
        }
        text += &line("mean elsewhere", "", &|row| figure(row.mean_error));
        text += &line("largest elsewhere", "", &|row| figure(row.max_error));
        text += &line("variables", "", &|row| row.selected.len().to_string());
        text + &line("n_eff", "", &|row| format!("{:.0}", row.n_eff))
    }

    /// For other programs: one line per method and environment.
    pub fn csv(&self) -> Result<String, csv::Error> {
        #[derive(Serialize)]
        struct FitLine<'a> {
            method: &'a str,
            environment: &'a str,
            n: usize,
            error: f64,
            standard_error: f64,
        }
        let lines = self.rows.iter().flat_map(|row| {
            row.errors.iter().map(|(environment, &error)| FitLine {
                method: &row.method,
                environment,
                n: self.sizes[environment],
                error,
                standard_error: row.standard_errors[environment],
            })
        });
        csv_text(lines)
    }
}

fn figure(value: f64) -> String {
    if value >= 1000.0 { format!("{value:.0}") } else { format!("{value:.4}") }
}
