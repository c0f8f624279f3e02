//! The paper's data.

use crate::errors::value_error;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use stablevar::table::{Table, Values};
use stablevar_data::real::{Dataset, cache_folder};
use stablevar_data::simulate::World;
use std::path::PathBuf;

/// A column for Python: numbers, true and false, or texts.
#[derive(IntoPyObject)]
pub(crate) enum OutputColumn<'py> {
    Number(Bound<'py, PyArray1<f64>>),
    Boolean(Bound<'py, PyArray1<bool>>),
    Text(Vec<Option<String>>),
}

type Columns<'py> = Vec<(String, OutputColumn<'py>)>;

fn columns<'py>(py: Python<'py>, table: &Table) -> Columns<'py> {
    let values = |values: &Values| match values {
        Values::Number(numbers) => OutputColumn::Number(numbers.to_vec().into_pyarray(py)),
        // With a missing value there is no array of booleans.
        Values::Boolean(flags) if flags.iter().all(Option::is_some) => OutputColumn::Boolean(
            flags.iter().map(|flag| flag.unwrap_or_default()).collect::<Vec<_>>().into_pyarray(py),
        ),
        other => OutputColumn::Text((0..other.len()).map(|row| other.text(row)).collect()),
    };
    table.columns().iter().map(|column| (column.name.clone(), values(&column.values))).collect()
}

/// Simulated rows; `network` is the seed of the nonlinear data's random function.
#[pyfunction]
#[pyo3(signature = (rows, rate, seed, columns, stable, biased, noise_variance, network=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn simulate<'py>(
    py: Python<'py>,
    rows: usize,
    rate: f64,
    seed: u64,
    columns: usize,
    stable: Option<usize>,
    biased: Option<usize>,
    noise_variance: Option<f64>,
    network: Option<(usize, u64)>,
) -> PyResult<Columns<'py>> {
    let usual = World::with_columns(columns);
    let mut world = World { stable: stable.unwrap_or(usual.stable), biased: biased.unwrap_or(usual.biased), ..usual };
    if let Some((units, seed)) = network {
        world = world.nonlinear(units, seed);
    }
    if let Some(variance) = noise_variance {
        world.noise_variance =
            stablevar::parameter::NonNegative::new("noise_variance", variance).map_err(value_error)?;
    }
    let table = py.detach(|| world.draw(rows, rate, seed)).map_err(value_error)?;
    Ok(self::columns(py, &table))
}

/// One of the real data sets: its columns, the name of the target and that of the environment trained on.
#[pyfunction]
#[pyo3(signature = (name, cache=None))]
pub(crate) fn real_data<'py>(
    py: Python<'py>,
    name: &str,
    cache: Option<PathBuf>,
) -> PyResult<(Columns<'py>, &'static str, &'static str)> {
    let dataset = match name {
        "king-county" => Dataset::KingCounty,
        "adult" => Dataset::Adult,
        other => return Err(PyValueError::new_err(format!("there are no data called '{other}'"))),
    };
    let cache = cache.unwrap_or_else(cache_folder);
    let table = py.detach(|| dataset.load(&cache)).map_err(|error| PyOSError::new_err(error.to_string()))?;
    Ok((columns(py, &table), dataset.target(), dataset.training_environment()))
}
