//! Errors of predictions, whoever made them.

use numpy::{PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use stablevar::metrics::{ByEnvironment, JudgedRows, Metric};

/// The metric in words, and the error in every environment in order of first appearance. Classes are 0 and 1; an environment
/// without an error by this metric, as it has one class only, has NaN.
#[pyfunction]
pub(crate) fn errors_by_environment(
    metric: &str,
    environments: Vec<String>,
    truth: PyReadonlyArray1<'_, f64>,
    predicted: PyReadonlyArray1<'_, f64>,
) -> PyResult<(&'static str, Vec<(String, f64)>)> {
    let metric =
        Metric::named(metric).ok_or_else(|| PyValueError::new_err(format!("there is no metric '{metric}'")))?;
    if [truth.len(), predicted.len()] != [environments.len(); 2] {
        return Err(PyValueError::new_err("there must be an environment, an outcome and a prediction per row"));
    }
    let mut judged: ByEnvironment<JudgedRows> = ByEnvironment::default();
    let rows = truth.as_array();
    for ((name, &truth), &predicted) in environments.iter().zip(rows.iter()).zip(predicted.as_array().iter()) {
        judged.of(name).add(truth, predicted);
    }
    let errors = judged.iter().map(|(name, rows)| (name.to_string(), rows.error(metric).unwrap_or(f64::NAN)));
    Ok((metric.label(), errors.collect()))
}
