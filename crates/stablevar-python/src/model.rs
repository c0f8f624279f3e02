//! Fitting, and what a fit leaves.

use crate::data::{Input, InputColumn, add_environment, add_values, add_weights, free_name};
use crate::errors::{file_error, value_error};
use crate::running::{Watch, run};
use crate::wording::Parameters;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use stablevar::Estimator;
use stablevar::design::{Encoding, TrainingData};
use stablevar::estimator::Value;
use stablevar::fit::{Fit, FittedModel, Step, Task};
use stablevar::table::Table;
use stablevar::weights::WeightFunction;
use stablevar::wording::Wording;
use stablevar_io::{model_from_json, model_to_json, read_model, summary, write_model, write_whole};
use stablevar_report::model_page::{self, Evaluation, Extras};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Settings from JSON by the core's names.
pub(crate) fn settings(text: &str) -> PyResult<Vec<(String, Value)>> {
    let raw: BTreeMap<String, serde_json::Value> = from_json(text)?;
    let value = |(name, json): (String, serde_json::Value)| match serde_json::from_value(json.clone()) {
        Ok(value) => Ok((name, value)),
        Err(_) => Err(PyValueError::new_err(format!("{} can't be {json}", Parameters.setting(&name, None)))),
    };
    raw.into_iter().map(value).collect()
}

/// A method with settings.
pub(crate) fn estimator(method: &str, given: &str) -> PyResult<Estimator> {
    let given = settings(given)?;
    Estimator::new(method).and_then(|estimator| estimator.set_parameters(given)).map_err(value_error)
}

/// Passes the steps of a fit on.
pub(crate) fn ticking<'a>(watch: &'a Watch<'a>) -> impl Fn(Step<'_>) -> ControlFlow<()> + Sync + 'a {
    |step| match step {
        Step::Variable(of) => watch.tick("evidence", of),
        Step::Loop(_) => watch.tick("loops", 0),
        Step::Resample(of) => watch.tick("resamples", of),
        Step::Repeat(of) => watch.tick("honest estimate", of),
        Step::Candidate(of) => watch.tick("stress test", of),
    }
}

pub(crate) fn to_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

pub(crate) fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Fits a method: the model, and the weight of every row (0 for rows of weight 0).
#[pyfunction]
#[pyo3(signature = (method, settings, input, names, target, target_name, sample_weight, environment, classify, command, progress=None, groups=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    method: &str,
    settings: &str,
    input: Input<'py>,
    names: Vec<String>,
    target: InputColumn<'py>,
    target_name: &str,
    sample_weight: Option<PyReadonlyArray1<'py, f64>>,
    environment: Option<(InputColumn<'py>, String)>,
    classify: bool,
    command: String,
    progress: Option<Bound<'py, PyAny>>,
    groups: Option<PyReadonlyArray1<'py, f64>>,
) -> PyResult<(Model, Bound<'py, PyArray1<f64>>)> {
    let mut estimator = estimator(method, settings)?;
    estimator.roles.task = Some(if classify { Task::Classification } else { Task::Regression });
    let table =
        outcome_table(&mut estimator, &input, &names, &target, target_name, sample_weight.as_ref(), groups.as_ref())?;
    let (environment, named) = environment.as_ref().map(|(column, name)| (column, name.as_str())).unzip();
    let table = with_environment(&mut estimator, table, environment, named.unwrap_or_default())?;
    let (mut model, weights) = run(py, progress.as_ref(), |watch| {
        estimator.on_threads(|| {
            let data = TrainingData::prepare(&table, &estimator.roles)?;
            let fitted = estimator.fit_rows(&data, &ticking(watch))?;
            let weights = weights_by_row(&fitted, &data, table.rows());
            Ok((fitted.model, weights))
        })
    })?
    .map_err(value_error)?;
    model.origin.command = Some(command);
    model.reading = input.reading(&names);
    Ok((Model { inner: model }, weights.into_pyarray(py)))
}

/// The covariates with the outcome and base weights, whose names the estimator's roles learn.
fn outcome_table<'a>(
    estimator: &mut Estimator,
    input: &'a Input<'_>,
    names: &[String],
    target: &'a InputColumn<'_>,
    target_name: &str,
    sample_weight: Option<&'a PyReadonlyArray1<'_, f64>>,
    groups: Option<&'a PyReadonlyArray1<'_, f64>>,
) -> PyResult<Table<'a>> {
    let mut columns = input.columns(names)?;
    let target_name = free_name(target_name, &columns);
    columns.push(target.column(&target_name)?);
    estimator.roles.target = Some(target_name);
    estimator.roles.weight_column = add_weights(&mut columns, sample_weight)?;
    estimator.roles.group = add_values("group", &mut columns, groups)?;
    Table::new(columns).map_err(value_error)
}

/// The same table with the rows' environments, if there are any.
fn with_environment<'a>(
    estimator: &mut Estimator,
    table: Table<'a>,
    environment: Option<&'a InputColumn<'_>>,
    name: &str,
) -> PyResult<Table<'a>> {
    if environment.is_none() {
        return Ok(table);
    }
    let mut columns = table.columns().to_vec();
    estimator.roles.environment = add_environment(&mut columns, environment, name)?;
    Table::new(columns).map_err(value_error)
}

/// The weight of every row of the table; 0 for rows that were left out.
fn weights_by_row(fitted: &Fit, data: &TrainingData, rows: usize) -> Vec<f64> {
    let mut weights = vec![0.0; rows];
    let found = fitted.weights.values(data);
    data.kept_rows.iter().zip(found.iter()).for_each(|(row, &weight)| weights[row] = weight);
    weights
}

/// Rows that a model was fitted to: covariates, outcome, its name, and base weights.
type Fitted<'py> = (Input<'py>, InputColumn<'py>, String, Option<PyReadonlyArray1<'py, f64>>);

/// Chooses variables by the rule among the settings and by the evidence that a model has, and fits a model to them: to the rows
/// given, which must be those of the first fit, or to those that the model remembers. Weights are for rows that were given.
#[pyfunction]
#[pyo3(signature = (model, settings, names, rows, command, progress=None))]
pub(crate) fn reselect<'py>(
    py: Python<'py>,
    model: &Model,
    settings: &str,
    names: Vec<String>,
    rows: Option<Fitted<'py>>,
    command: String,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Model, Option<Bound<'py, PyArray1<f64>>>)> {
    let known = &model.inner;
    let mut estimator = estimator(known.method.name(), settings)?;
    let rule = estimator.method.rule().copied().unwrap_or_default();
    estimator.roles.task = Some(known.task);
    let table = rows.as_ref().map(|(input, target, target_name, sample_weight)| {
        outcome_table(&mut estimator, input, &names, target, target_name, sample_weight.as_ref(), None)
    });
    let table = table.transpose()?;
    let (mut model, weights) = run(py, progress.as_ref(), |watch| {
        estimator.on_threads(|| match &table {
            Some(table) => {
                let data = TrainingData::prepare(table, &estimator.roles)?;
                let fitted = known.reselect(rule, Some(&data), &ticking(watch))?;
                let weights = weights_by_row(&fitted, &data, table.rows());
                Ok((fitted.model, Some(weights)))
            }
            None => Ok((known.reselect(rule, None, &ticking(watch))?.model, None)),
        })
    })?
    .map_err(value_error)?;
    model.origin.command = Some(command);
    model.reading.clone_from(&known.reading);
    Ok((Model { inner: model }, weights.map(|weights| weights.into_pyarray(py))))
}

/// A number per row, and what was found as JSON.
pub(crate) type Told<'py> = (Bound<'py, PyArray1<f64>>, String);

/// Weights of new rows, on the scale on which the training rows have mean 1.
pub(crate) fn weigh<'py>(
    py: Python<'py>,
    encoding: &Encoding,
    function: &WeightFunction,
    input: &Input<'py>,
    names: &[String],
) -> PyResult<Told<'py>> {
    let table = input.table(names)?;
    let found = py.detach(|| encoding.encode(&table).map(|(design, report)| (function.weigh(&design), report)));
    let (weights, report) = found.map_err(value_error)?;
    Ok((weights.into_pyarray(py), summary::findings(&report.findings(), &Parameters).to_string()))
}

/// Metric, axis, environments, and for every model its errors in them.
#[derive(Default, FromPyObject)]
pub(crate) struct Errors(String, String, Vec<String>, Vec<(String, Vec<f64>)>);

/// A fitted model.
#[pyclass(frozen, module = "stablevar._core")]
pub(crate) struct Model {
    inner: FittedModel,
}

impl Model {
    pub(crate) fn new(inner: FittedModel) -> Self {
        Self { inner }
    }
}

#[pymethods]
impl Model {
    /// What `to_json` wrote.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        Ok(Self { inner: model_from_json(text.as_bytes(), "the model").map_err(file_error)? })
    }

    /// The model as a model file holds it.
    fn to_json(&self) -> PyResult<String> {
        model_to_json(&self.inner).map_err(file_error)
    }

    /// Reads a model file, of the command line or of `save`.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        Ok(Self { inner: read_model(&path).map_err(file_error)? })
    }

    /// Writes a model file that the command line reads.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        write_model(&path, &self.inner).map_err(file_error)
    }

    /// Writes the report page.
    fn report(&self, path: PathBuf, evaluation: Option<Errors>) -> PyResult<()> {
        let Errors(metric, axis, environments, errors) = evaluation.unwrap_or_default();
        let errors: Vec<(&str, &[f64])> =
            errors.iter().map(|(name, errors)| (name.as_str(), errors.as_slice())).collect();
        let evaluation = Evaluation {
            metric: &metric,
            axis: &axis,
            environments: &environments,
            ordered: false,
            errors: &errors,
            note: "",
        };
        let evaluation = Some(&evaluation).filter(|_| !errors.is_empty());
        let page = model_page::page(&self.inner, Extras { evaluation, ..Extras::default() }, &Parameters);
        write_whole(&path, |writer| writer.write_all(page.as_bytes())).map_err(file_error)
    }

    /// Everything but the weights, as the command line prints it with `--format json`.
    fn summary(&self) -> String {
        summary::json(&self.inner, &Parameters).to_string()
    }

    /// Correlations of the encoded columns: before weighting, then under every loop's weights. As JSON.
    fn correlations(&self) -> PyResult<String> {
        let names: Vec<&str> = self.inner.encoding.columns.iter().map(|column| column.name.as_str()).collect();
        let all = std::iter::once(&self.inner.initial_correlations)
            .chain(self.inner.history.iter().map(|step| &step.correlations));
        let rows: Vec<Vec<&[f64]>> =
            all.map(|matrix| (0..matrix.rows()).map(|row| matrix.row(row)).collect()).collect();
        to_json(&(names, rows))
    }

    /// Predictions in the target's units, or the probability of the second class; and what was found, as JSON.
    fn predict<'py>(&self, py: Python<'py>, input: Input<'py>, names: Vec<String>) -> PyResult<Told<'py>> {
        let table = input.table(&names)?;
        let (predicted, report) = py.detach(|| self.inner.predict_and_report(&table)).map_err(value_error)?;
        Ok((predicted.into_pyarray(py), summary::findings(&report.findings(), &Parameters).to_string()))
    }

    /// Weights of new rows and what was found, as JSON; `None` if the method has no weighting function.
    fn weigh<'py>(&self, py: Python<'py>, input: Input<'py>, names: Vec<String>) -> PyResult<Option<Told<'py>>> {
        let Some(function) = &self.inner.weight_function else { return Ok(None) };
        weigh(py, &self.inner.encoding, function, &input, &names).map(Some)
    }

    /// What is to be expected on new rows without outcomes, as JSON.
    fn foresee<'py>(&self, py: Python<'py>, input: Input<'py>, names: Vec<String>) -> PyResult<String> {
        let table = input.table(&names)?;
        let foresight = py.detach(|| self.inner.foresee(&table)).map_err(value_error)?;
        Ok(summary::foresight(&foresight, &Parameters).to_string())
    }

    /// The error as a function of a column's mean, as JSON.
    fn shift_curve(&self, py: Python<'_>, column: &str) -> PyResult<String> {
        to_json(&py.detach(|| self.inner.shift_curve(column)).map_err(value_error)?)
    }

    /// The same for every column, the most dangerous first.
    fn shift_curves(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        py.detach(|| self.inner.shift_curves()).map_err(value_error)?.iter().map(to_json).collect()
    }

    /// The error when two columns' means move at once, on a grid, as JSON.
    fn shift_grid(&self, py: Python<'_>, first: &str, second: &str) -> PyResult<String> {
        to_json(&py.detach(|| self.inner.shift_grid(first, second)).map_err(value_error)?)
    }

    /// The error when several columns' means move at once, each by so many standard deviations; as JSON.
    fn shifted(&self, py: Python<'_>, shifts: Vec<(String, f64)>) -> PyResult<String> {
        let shifts: Vec<(&str, f64)> = shifts.iter().map(|(name, by)| (name.as_str(), *by)).collect();
        to_json(&py.detach(|| self.inner.shifted(&shifts)).map_err(value_error)?)
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let reader = slf.get_type().getattr("from_json")?;
        Ok((reader.unbind(), (slf.get().to_json()?,)))
    }
}
