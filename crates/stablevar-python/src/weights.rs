//! Weights without an outcome.

use crate::data::{Input, add_weights};
use crate::errors::value_error;
use crate::model::{Told, from_json, settings, to_json, weigh};
use crate::running::run;
use crate::wording::Parameters;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use stablevar::Estimator;
use stablevar::design::{Encoding, Frame, TrainingData};
use stablevar::diagnostics::{remaining_correlation, rms_remaining_correlation, weighted_correlations};
use stablevar::engine::RowSource;
use stablevar::error::Result;
use stablevar::table::Table;
use stablevar::weights::{AnyReweighter, Mask, Reweighted, WeightFunction};

/// A reweighter with settings, which are JSON by the core's names; also the estimator they were given to.
pub(crate) fn reweighter(name: &str, given: &str) -> PyResult<(AnyReweighter, Estimator)> {
    let given = settings(given)?;
    // Least squares under any weights: its first stage is the reweighter, by itself.
    let estimator = Estimator::new("dwr").and_then(|dwr| dwr.set("reweighter", name)?.set_parameters(given));
    let estimator = estimator.map_err(value_error)?;
    Ok((estimator.method.weigh.clone().unwrap_or_default(), estimator))
}

/// A weighting function with the encoding it was found on.
#[pyclass(frozen, module = "stablevar._core")]
#[derive(Serialize, Deserialize)]
pub(crate) struct WeightModel {
    encoding: Encoding,
    function: WeightFunction,
}

impl WeightModel {
    pub(crate) fn new(encoding: Encoding, function: WeightFunction) -> Self {
        Self { encoding, function }
    }
}

#[pymethods]
impl WeightModel {
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        let model: Self = from_json(text)?;
        if !model.function.is_whole() || model.function.columns() != model.encoding.columns.len() {
            return Err(PyValueError::new_err("the weighting function does not fit its columns"));
        }
        Ok(model)
    }

    fn to_json(&self) -> PyResult<String> {
        to_json(self)
    }

    /// Weights of new rows, on the scale on which the training rows have mean 1, and what was found as JSON.
    fn weigh<'py>(&self, py: Python<'py>, input: Input<'py>, names: Vec<String>) -> PyResult<Told<'py>> {
        weigh(py, &self.encoding, &self.function, &input, &names)
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let reader = slf.get_type().getattr("from_json")?;
        Ok((reader.unbind(), (slf.get().to_json()?,)))
    }
}

/// What a reweighting found: weights, their function, and how it went as JSON.
type Found<'py> = (Bound<'py, PyArray1<f64>>, Option<WeightModel>, String);

/// Weighs rows so that their columns no longer go together. `stable` are probabilities of being stable, one per variable:
/// likely stable ones need not be decorrelated from each other.
#[pyfunction]
#[pyo3(signature = (name, settings, input, names, sample_weight, stable))]
pub(crate) fn reweigh<'py>(
    py: Python<'py>,
    name: &str,
    settings: &str,
    input: Input<'py>,
    names: Vec<String>,
    sample_weight: Option<PyReadonlyArray1<'py, f64>>,
    stable: Option<Vec<f64>>,
) -> PyResult<Found<'py>> {
    let (reweighter, mut estimator) = reweighter(name, settings)?;
    let mut columns = input.columns(&names)?;
    estimator.roles.weight_column = add_weights(&mut columns, sample_weight.as_ref())?;
    let table = Table::new(columns).map_err(value_error)?;
    let (weights, model, summary) = run(py, None, |_| {
        estimator.on_threads(|| {
            let data = TrainingData::prepare(&table, &estimator.roles)?;
            let (found, summary) = reweigh_rows(&data, &reweighter, &names, stable.as_deref(), estimator.seed)?;
            let mut weights = vec![0.0; table.rows()];
            let values = found.weights.values(&data);
            data.kept_rows.iter().zip(values.iter()).for_each(|(row, &weight)| weights[row] = weight);
            let model = found.function.map(|function| WeightModel { encoding: data.frame.encoding, function });
            Ok((weights, model, summary))
        })
    })?
    .map_err(value_error)?;
    Ok((weights.into_pyarray(py), model, summary))
}

/// Which pairs to decorrelate. Probabilities of being stable are by the names of the table, some of whose columns may have been
/// left out.
fn mask_of(frame: &Frame, names: &[String], stable: Option<&[f64]>) -> Mask {
    let Some(stable) = stable else { return Mask::all(frame) };
    let of = |name: &String| names.iter().position(|other| other == name).map_or(0.0, |k| stable[k]);
    let kept: Vec<f64> = frame.encoding.features.iter().map(|feature| of(&feature.name)).collect();
    Mask::from_stability(frame, &kept)
}

/// Soft balance from none to as much as there can be: the functions that weigh rows, and the path as JSON.
#[pyfunction]
#[pyo3(signature = (settings, input, names, sample_weight, stable))]
pub(crate) fn balance_path<'py>(
    py: Python<'py>,
    settings: &str,
    input: Input<'py>,
    names: Vec<String>,
    sample_weight: Option<PyReadonlyArray1<'py, f64>>,
    stable: Option<Vec<f64>>,
) -> PyResult<(Vec<WeightModel>, String)> {
    let (reweighter, mut estimator) = reweighter("balance", settings)?;
    let AnyReweighter::Balance(balance) = reweighter else {
        return Err(PyValueError::new_err("there is no balance to be had"));
    };
    let mut columns = input.columns(&names)?;
    estimator.roles.weight_column = add_weights(&mut columns, sample_weight.as_ref())?;
    let table = Table::new(columns).map_err(value_error)?;
    run(py, None, |_| {
        estimator.on_threads(|| {
            let data = TrainingData::prepare(&table, &estimator.roles)?;
            let path = balance.path(&data, &mask_of(&data.frame, &names, stable.as_deref()))?;
            let mut told = stablevar_io::weighing::path(&path);
            told["findings"] = stablevar_io::summary::findings(&data.frame.notes, &Parameters);
            let model = |function| WeightModel::new(data.frame.encoding.clone(), function);
            Ok((path.points.into_iter().map(|point| model(point.function)).collect(), told.to_string()))
        })
    })?
    .map_err(value_error)
}

/// Weighs rows, wherever they are, and tells how it went as JSON.
pub(crate) fn reweigh_rows(
    data: &dyn RowSource,
    reweighter: &AnyReweighter,
    names: &[String],
    stable: Option<&[f64]>,
    seed: u64,
) -> Result<(Reweighted, String)> {
    let frame = data.frame();
    let mask = mask_of(frame, names, stable);
    let found = reweighter.kind().reweigh(data, &mask, None, seed)?;
    let correlations = weighted_correlations(data, &found.weights)?;
    let rows = |matrix: &stablevar::Matrix| -> Vec<Vec<f64>> {
        (0..matrix.rows()).map(|row| matrix.row(row).to_vec()).collect()
    };
    let columns: Vec<&str> = frame.encoding.columns.iter().map(|column| column.name.as_str()).collect();
    let summary = serde_json::json!({
        "n_eff": found.weights.effective_sample_size(),
        "converged": found.stop.converged(),
        "passes": found.passes,
        "truncated_share": found.truncated,
        "balance": found.reached,
        "ridge": found.reached.map(|far| far.ridge),
        "why": found.reached.map(|far| far.in_words()),
        "rms_correlation": rms_remaining_correlation(&correlations, &mask),
        "remaining_correlation": remaining_correlation(&correlations, &mask),
        "columns": columns,
        "correlations": [rows(&frame.correlations), rows(&correlations)],
        "findings": stablevar_io::summary::findings(&frame.notes, &Parameters),
    });
    Ok((found, summary.to_string()))
}
