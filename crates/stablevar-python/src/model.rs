//! Fitting, and what a fit leaves.

use crate::data::{Input, InputColumn, add_weights, free_name};
use crate::errors::{file_error, value_error};
use crate::running::run;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use stablevar::design::{Roles, TrainingData};
use stablevar::fit::{FittedModel, Method, Step, Task, fit as fit_method};
use stablevar::gates::{AnyGates, NetworkGates};
use stablevar::models::{Mlp, Refit};
use stablevar::parameter::Fraction;
use stablevar::table::Table;
use stablevar::weights::{AnyReweighter, Dwr, Srdo};
use stablevar_io::{model_from_json, model_to_json, read_model, summary, write_model, write_whole};
use stablevar_report::model_page::{self, Evaluation, Extras};
use std::path::PathBuf;

/// The default settings of a method as JSON, for the Python side to change.
#[pyfunction]
pub(crate) fn default_method(name: &str) -> PyResult<String> {
    let half = Fraction::constant(0.5);
    let method = match name {
        "svi" => Method::default(),
        "svi-d" => Method::published_single_loop(),
        "nonlinear-svi" => Method::nonlinear(),
        "stg" => Method::Stg { gates: AnyGates::default(), threshold: half, refit: Refit::Linear },
        "nonlinear-stg" => Method::Stg {
            gates: AnyGates::Network(NetworkGates::default()),
            threshold: half,
            refit: Refit::Network(Mlp::default()),
        },
        "dwr" => Method::Dwr { reweighter: AnyReweighter::Published(Dwr::default()) },
        "srdo" => Method::Srdo { reweighter: AnyReweighter::Srdo(Srdo::default()), refit: Refit::Linear },
        other => return Err(PyValueError::new_err(format!("there is no method '{other}'"))),
    };
    to_json(&method)
}

pub(crate) fn to_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

pub(crate) fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Fits a method: the model, and the weight of every row (0 for rows of weight 0).
#[pyfunction]
#[pyo3(signature = (method, input, names, target, target_name, sample_weight, classify, seed, max_levels, command, progress=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    method: &str,
    input: Input<'py>,
    names: Vec<String>,
    target: InputColumn<'py>,
    target_name: &str,
    sample_weight: Option<PyReadonlyArray1<'py, f64>>,
    classify: bool,
    seed: u64,
    max_levels: usize,
    command: String,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Model, Bound<'py, PyArray1<f64>>)> {
    let method: Method = from_json(method)?;
    let mut columns = input.columns(&names)?;
    let target_name = free_name(target_name, &columns);
    columns.push(target.column(&target_name)?);
    let roles = Roles {
        task: Some(if classify { Task::Classification } else { Task::Regression }),
        max_levels,
        weight_column: add_weights(&mut columns, sample_weight.as_ref())?,
        ..Roles::target(target_name)
    };
    let table = Table::new(columns).map_err(value_error)?;
    let (model, weights) = run(py, progress.as_ref(), |watch| {
        let data = TrainingData::prepare(&table, &roles)?;
        let fitted = fit_method(&data, &method, seed, &|step| match step {
            Step::Variable(of) => watch.tick("evidence", of),
            Step::Loop(_) => watch.tick("loops", 0),
            Step::Resample(of) => watch.tick("resamples", of),
        })?;
        let mut weights = vec![0.0; table.rows()];
        let found = fitted.weights.values(&data);
        data.kept_rows.iter().zip(found.iter()).for_each(|(row, &weight)| weights[row] = weight);
        let mut model = fitted.model;
        model.origin.command = Some(command);
        Ok((model, weights))
    })?
    .map_err(value_error)?;
    Ok((Model { inner: model }, weights.into_pyarray(py)))
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
        let page = model_page::page(&self.inner, Extras { evaluation, ..Extras::default() });
        write_whole(&path, |writer| writer.write_all(page.as_bytes())).map_err(file_error)
    }

    /// Everything but the weights, as the command line prints it with `--format json`.
    fn summary(&self) -> String {
        summary::json(&self.inner).to_string()
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

    /// Predictions in the target's units, or the probability of the second class.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        input: Input<'py>,
        names: Vec<String>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let table = input.table(&names)?;
        let predicted = py.detach(|| self.inner.predict(&table)).map_err(value_error)?.0;
        Ok(predicted.into_pyarray(py))
    }

    /// Weights of new rows; `None` if the method has no weighting function.
    fn weigh<'py>(
        &self,
        py: Python<'py>,
        input: Input<'py>,
        names: Vec<String>,
    ) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
        let Some(function) = &self.inner.weight_function else { return Ok(None) };
        let table = input.table(&names)?;
        let weights = py.detach(|| self.inner.encoding.encode(&table).map(|(design, _)| function.weigh(&design)));
        Ok(Some(weights.map_err(value_error)?.into_pyarray(py)))
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let reader = slf.get_type().getattr("from_json")?;
        Ok((reader.unbind(), (slf.get().to_json()?,)))
    }
}
