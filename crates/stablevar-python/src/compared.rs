//! Ways of fitting side by side.

use crate::data::{Input, InputColumn, add_environment, add_weights, free_name};
use crate::errors::value_error;
use crate::model::{estimator, ticking};
use crate::running::run;
use crate::wording::Parameters;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use serde_json::json;
use stablevar::Estimator;
use stablevar::comparison::{Guest, Plan, compare as compare_all};
use stablevar::design::{Task, TrainingData};
use stablevar::stress::{HeldOut, rows_for_stress};
use stablevar::table::{Column, Table};
use stablevar_io::summary;

/// Rows, the parts of them to hold out with their names, and how many of the parts are regions.
type Parts = (Vec<usize>, Vec<(String, Vec<usize>)>, usize);

/// What is given beside the covariates.
struct Given<'a, 'py> {
    target: &'a InputColumn<'py>,
    sample_weight: Option<&'a PyReadonlyArray1<'py, f64>>,
    environment: Option<&'a InputColumn<'py>>,
}

/// The table of covariates, outcome, weights and environments, and who plays which part.
fn roles<'a>(
    estimator: &mut Estimator,
    mut columns: Vec<Column<'a>>,
    given: Given<'a, '_>,
    classify: bool,
) -> PyResult<Table<'a>> {
    let name = free_name("y", &columns);
    columns.push(given.target.column(&name)?);
    estimator.roles.target = Some(name);
    estimator.roles.task = Some(if classify { Task::Classification } else { Task::Regression });
    estimator.roles.weight_column = add_weights(&mut columns, given.sample_weight)?;
    estimator.roles.environment = add_environment(&mut columns, given.environment, "environment")?;
    Table::new(columns).map_err(value_error)
}

/// What a comparison holds out: positions of the rows it looks at, and of those in every part.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub(crate) fn held_out(
    py: Python<'_>,
    settings: &str,
    input: Input<'_>,
    names: Vec<String>,
    target: InputColumn<'_>,
    sample_weight: Option<PyReadonlyArray1<'_, f64>>,
    classify: bool,
    environment: Option<InputColumn<'_>>,
) -> PyResult<Parts> {
    let mut estimator = estimator("svi", settings)?;
    let given = Given { target: &target, sample_weight: sample_weight.as_ref(), environment: environment.as_ref() };
    let table = roles(&mut estimator, input.columns(&names)?, given, classify)?;
    py.detach(|| {
        let data = TrainingData::prepare(&table, &estimator.roles)?;
        let sample = rows_for_stress(&data)?;
        let every = data.rows().div_ceil(sample.rows());
        let held_out = HeldOut::of(&sample);
        let position = |row: &usize| data.kept_rows.position(row * every);
        let positions = |rows: &[usize]| rows.iter().map(position).collect::<Vec<usize>>();
        let regions = held_out.regions.used.iter().map(|region| region.name.clone());
        let folds = (1..=held_out.folds.len()).map(|k| format!("fold {k}"));
        let parts = regions.chain(folds).zip(held_out.parts()).map(|(name, rows)| (name, positions(rows))).collect();
        let all: Vec<usize> = (0..sample.rows()).collect();
        Ok((positions(&all), parts, held_out.regions.used.len()))
    })
    .map_err(value_error)
}

/// Compares methods by their names, the default one and its refits, and guests; everything as JSON.
#[pyfunction]
#[pyo3(signature = (settings, methods, input, names, target, sample_weight, classify, environment, guests, repeat_selection, progress=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn compare(
    py: Python<'_>,
    settings: &str,
    methods: Vec<String>,
    input: Input<'_>,
    names: Vec<String>,
    target: InputColumn<'_>,
    sample_weight: Option<PyReadonlyArray1<'_, f64>>,
    classify: bool,
    environment: Option<InputColumn<'_>>,
    guests: Vec<(String, usize, f64, Vec<PyReadonlyArray1<'_, f64>>)>,
    repeat_selection: bool,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let mut stable = estimator("svi", settings)?;
    let given = Given { target: &target, sample_weight: sample_weight.as_ref(), environment: environment.as_ref() };
    let table = roles(&mut stable, input.columns(&names)?, given, classify)?;
    let named = |name: String| -> PyResult<(String, Estimator)> {
        let mut other = Estimator::new(&name).map_err(value_error)?;
        other.seed = stable.seed;
        Ok((name, other))
    };
    let others = methods.into_iter().map(named).collect::<PyResult<Vec<_>>>()?;
    let guests: Vec<Guest> = guests
        .into_iter()
        .map(|(name, columns, seconds, predictions)| Guest {
            name,
            columns,
            seconds,
            predictions: predictions.iter().map(|values| values.as_array().to_vec()).collect(),
        })
        .collect();
    let compared = run(py, progress.as_ref(), |watch| {
        stable.on_threads(|| {
            let data = TrainingData::prepare(&table, &stable.roles)?;
            let plan = Plan { stable: &stable, others: &others, guests: &guests, repeat_selection };
            compare_all(&data, &plan, &ticking(watch), &|of| watch.tick("methods", of))
        })
    })?
    .map_err(value_error)?;
    let told = json!({
        "candidates": compared.candidates,
        "chosen": compared.chosen,
        "why": compared.why,
        "metric": compared.metric,
        "regions": compared.regions,
        "rows": compared.rows,
        "findings": summary::findings(&compared.findings, &Parameters),
    });
    Ok(told.to_string())
}
