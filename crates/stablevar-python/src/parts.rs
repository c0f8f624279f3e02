//! Rows spread over machines: what each of them does with its part, and the fit that asks them.

use crate::data::{Input, InputColumn, add_weights, free_name, standard_dates};
use crate::errors::value_error;
use crate::model::{Model, estimator, from_json, ticking, to_json};
use crate::running::{Watch, run};
use crate::weights::{WeightModel, reweigh_rows, reweighter};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use stablevar::Estimator;
use stablevar::Matrix;
use stablevar::design::{Frame, KeptRows, Roles, Task, Told, TrainingData, WeightKind};
use stablevar::engine::{Pass, RowSource};
use stablevar::error::{Error, Result};
use stablevar::preparation::{Draft, Settle, Surveyed, settle};
use stablevar::table::Table;
use std::ops::ControlFlow;
use std::sync::Mutex;

/// What the columns of a table are for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PartRoles {
    names: Vec<String>,
    /// `None` where rows are only to be weighed.
    target: Option<String>,
    weighted: bool,
    classify: bool,
    max_levels: usize,
    /// What to do with missing values, by the core's name.
    missing: String,
    stable: Vec<String>,
    unstable: Vec<String>,
    /// Whether sample weights are counts.
    counts: bool,
}

impl PartRoles {
    fn roles(&self) -> Roles {
        let mut taken = self.names.clone();
        let mut free = |wanted: &str| {
            let mut name = wanted.to_string();
            while taken.contains(&name) {
                name.push('\'');
            }
            taken.push(name.clone());
            name
        };
        let target = self.target.as_deref().map(&mut free);
        Roles {
            task: Some(if self.classify { Task::Classification } else { Task::Regression }),
            max_levels: self.max_levels,
            // The settings were checked before.
            missing: from_json(&format!("{:?}", self.missing)).unwrap_or_default(),
            weight_kind: if self.counts { WeightKind::Frequency } else { WeightKind::Survey },
            weight_column: self.weighted.then(|| free("sample_weight")),
            target,
            told: Told { stable: self.stable.clone(), unstable: self.unstable.clone() },
            ..Roles::covariates()
        }
    }
}

/// Some rows as they come: covariates, outcome and weights.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RawPart<'py> {
    input: Input<'py>,
    target: Option<InputColumn<'py>>,
    sample_weight: Option<PyReadonlyArray1<'py, f64>>,
}

impl RawPart<'_> {
    fn table(&self, roles: &PartRoles) -> PyResult<Table<'_>> {
        let mut columns = self.input.columns(&roles.names)?;
        if let (Some(target), Some(name)) = (&self.target, &roles.target) {
            let name = free_name(name, &columns);
            columns.push(target.column(&name)?);
        }
        add_weights(&mut columns, self.sample_weight.as_ref())?;
        Table::new(columns).map_err(value_error)
    }
}

/// What a first look at a part finds, as JSON.
#[pyfunction]
pub(crate) fn survey_part(py: Python<'_>, part: RawPart<'_>, roles: PartRoles) -> PyResult<String> {
    let table = part.table(&roles)?;
    let look = py.detach(|| Surveyed::at(&table, &roles.roles(), 0).map(|(look, _)| look)).map_err(value_error)?;
    to_json(&look)
}

/// How the rows of all parts are to be encoded, as JSON, and how many rows of each are used.
#[pyfunction]
pub(crate) fn draft(looks: Vec<String>, roles: PartRoles) -> PyResult<(String, Vec<usize>)> {
    let looks = looks.iter().map(|text| from_json(text)).collect::<PyResult<Vec<Surveyed>>>()?;
    let rows = looks.iter().map(Surveyed::rows).collect();
    let draft = Surveyed::merge_all(looks).and_then(|look| look.draft(&roles.roles())).map_err(value_error)?;
    Ok((to_json(&draft)?, rows))
}

/// The sums of a pass over neighbouring blocks, from those over each, in order.
#[pyfunction]
pub(crate) fn merge_sums<'py>(
    py: Python<'py>,
    pass: &str,
    parts: Vec<PyReadonlyArray1<'py, f64>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let pass: Pass = from_json(pass)?;
    let slices = parts.iter().map(|part| part.as_slice()).collect::<std::result::Result<Vec<&[f64]>, _>>()?;
    Ok(pass.merge_few(slices).into_pyarray(py))
}

/// Where the blocks of so many rows begin and end.
#[pyfunction]
pub(crate) fn blocks(rows: usize) -> Vec<(usize, usize)> {
    stablevar::engine::blocks(rows).into_iter().map(|block| (block.start, block.end)).collect()
}

/// Encoded rows on the machine that passes over them.
#[pyclass(frozen, module = "stablevar._core")]
pub(crate) struct EncodedRows {
    data: TrainingData,
    /// The place of its first row among all.
    first: usize,
}

type Rows<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl EncodedRows {
    /// Encodes rows as `draft` says.
    #[staticmethod]
    fn encode(py: Python<'_>, part: RawPart<'_>, roles: PartRoles, draft: &str, first: usize) -> PyResult<Self> {
        let draft: Draft = from_json(draft)?;
        let table = part.table(&roles)?;
        let data = py.detach(|| draft.encode(&table, &roles.roles(), 0));
        Ok(Self { data: data.map_err(value_error)?, first })
    }

    /// The rows from one place to another, if the part has them.
    fn cut(&self, start: usize, end: usize) -> PyResult<Self> {
        let own: Vec<usize> =
            (start.max(self.first)..end.min(self.first + self.data.rows())).map(|place| place - self.first).collect();
        let TrainingData { frame, design, base, outcome, .. } = self.data.take(&own).map_err(value_error)?;
        let data = frame.with_rows(design, base, outcome).map_err(value_error)?;
        Ok(Self { data, first: start.max(self.first) })
    }

    /// Parts that follow each other as one.
    #[staticmethod]
    fn join(parts: Vec<PyRef<'_, Self>>) -> PyResult<Self> {
        let first = parts.first().ok_or_else(|| PyValueError::new_err("there are no parts to join"))?;
        let (frame, width) = (&first.data.frame, first.data.design.columns());
        let (mut design, mut base, mut outcome) = (Vec::new(), Vec::new(), Vec::new());
        for part in &parts {
            design.extend_from_slice(part.data.design.values());
            base.extend_from_slice(&part.data.base);
            outcome.extend_from_slice(&part.data.outcome);
        }
        let data = frame.with_rows(Matrix::from_values(base.len(), width, design), base, outcome);
        Ok(Self { data: data.map_err(value_error)?, first: first.first })
    }

    /// The sums of a pass over the part, which must be a block.
    fn run<'py>(&self, py: Python<'py>, pass: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let pass: Pass = from_json(pass)?;
        let sums = py.detach(|| {
            let mut chunk = self.data.chunk(0..self.data.rows());
            chunk.first = self.first;
            pass.run_block(chunk, self.data.design.columns())
        });
        Ok(sums.into_pyarray(py))
    }

    /// Some of its rows, by their places among all.
    fn take<'py>(&self, py: Python<'py>, places: Vec<usize>) -> PyResult<Rows<'py>> {
        let own: Option<Vec<usize>> =
            places.iter().map(|place| place.checked_sub(self.first).filter(|own| *own < self.data.rows())).collect();
        let own = own.ok_or_else(|| PyValueError::new_err("these rows are elsewhere"))?;
        arrays(py, self.data.take(&own).map_err(value_error)?)
    }

    /// The same rows with some of their columns.
    fn keep_columns(&self, keep: Vec<usize>, frame: &str) -> PyResult<Self> {
        let mut data = self.data.clone();
        data.keep_columns(&keep);
        let frame: Frame = from_json(frame)?;
        let TrainingData { design, base, outcome, .. } = data;
        Ok(Self { data: frame.with_rows(design, base, outcome).map_err(value_error)?, first: self.first })
    }

    /// Bytes of its rows.
    #[getter]
    fn nbytes(&self) -> usize {
        8 * (self.data.design.values().len() + 2 * self.data.rows())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Py<PyAny>, (String, usize, Rows<'py>))> {
        let part = slf.get();
        // Not the core's own function: what comes over a network may lie askew in memory.
        let restore = slf.py().import("stablevar.dask._workers")?.getattr("_restore")?;
        let frame = to_json(part.data.frame())?;
        Ok((restore.unbind(), (frame, part.first, arrays(slf.py(), part.data.clone())?)))
    }
}

/// What a part is sent as.
#[pyfunction]
pub(crate) fn restore_rows(
    frame: &str,
    first: usize,
    rows: (PyReadonlyArray2<'_, f64>, PyReadonlyArray1<'_, f64>, PyReadonlyArray1<'_, f64>),
) -> PyResult<EncodedRows> {
    let frame: Frame = from_json(frame)?;
    Ok(EncodedRows { data: rows_of(&frame, &rows.0, &rows.1, &rows.2)?, first })
}

fn arrays<'py>(py: Python<'py>, data: TrainingData) -> PyResult<Rows<'py>> {
    let shape = [data.design.rows(), data.design.columns()];
    let design = data.design.values().to_vec().into_pyarray(py).reshape(shape)?;
    Ok((design, data.base.into_pyarray(py), data.outcome.into_pyarray(py)))
}

fn rows_of(
    frame: &Frame,
    design: &PyReadonlyArray2<'_, f64>,
    base: &PyReadonlyArray1<'_, f64>,
    outcome: &PyReadonlyArray1<'_, f64>,
) -> PyResult<TrainingData> {
    let [rows, columns] = [design.shape()[0], design.shape()[1]];
    let design = Matrix::from_values(rows, columns, design.as_array().iter().copied().collect());
    frame.with_rows(design, base.as_array().to_vec(), outcome.as_array().to_vec()).map_err(value_error)
}

/// Rows that a Python object passes over: its `run(pass)` gives sums, its `take(places)` rows.
struct RemoteRows<'a> {
    frame: Frame,
    source: &'a Py<PyAny>,
    kept: KeptRows,
    watch: &'a Watch<'a>,
    /// The exception that ended the work, if one did.
    raised: &'a Mutex<Option<PyErr>>,
}

impl RemoteRows<'_> {
    fn ask<T>(&self, question: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T> {
        if self.watch.tick("passes", 0) == ControlFlow::Break(()) {
            return Err(Error::Interrupted);
        }
        Python::attach(question).map_err(|error| {
            let message = error.to_string();
            if let Ok(mut raised) = self.raised.lock() {
                raised.get_or_insert(error);
            }
            Error::Pass(message)
        })
    }
}

impl Settle for RemoteRows<'_> {
    fn settle(&mut self, frame: Frame, keep: Option<&[usize]>) -> Result<()> {
        if let Some(keep) = keep {
            let text = serde_json::to_string(&frame).map_err(|error| Error::Pass(error.to_string()))?;
            self.ask(|py| self.source.call_method1(py, "keep_columns", (keep.to_vec(), text)))?;
        }
        self.frame = frame;
        Ok(())
    }
}

impl RowSource for RemoteRows<'_> {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn run(&self, pass: &Pass) -> Result<Vec<f64>> {
        let text = serde_json::to_string(pass).map_err(|error| Error::Pass(error.to_string()))?;
        self.ask(|py| {
            let sums = self.source.call_method1(py, "run", (text,))?;
            Ok(sums.extract::<PyReadonlyArray1<'_, f64>>(py)?.as_array().to_vec())
        })
    }

    fn take(&self, places: &[usize]) -> Result<TrainingData> {
        self.ask(|py| {
            let found = self.source.call_method1(py, "take", (places.to_vec(),))?;
            let (design, base, outcome): (
                PyReadonlyArray2<'_, f64>,
                PyReadonlyArray1<'_, f64>,
                PyReadonlyArray1<'_, f64>,
            ) = found.extract(py)?;
            rows_of(&self.frame, &design, &base, &outcome)
        })
    }

    fn position(&self, place: usize) -> usize {
        self.kept.position(place)
    }
}

/// Runs some work on rows that `source` passes over; an exception raised there is raised here.
fn with_rows<T: Send>(
    py: Python<'_>,
    source: Py<PyAny>,
    draft: &str,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&RemoteRows<'_>, &Watch<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    let Draft { frame, kept, .. } = from_json(draft)?;
    let raised = Mutex::new(None);
    let done = run(py, progress, |watch| {
        let mut rows = RemoteRows { frame, source: &source, kept, watch, raised: &raised };
        settle(&mut rows)?;
        work(&rows, watch)
    })?;
    let raised = raised.into_inner().ok().flatten();
    done.map_err(|error| raised.unwrap_or_else(|| value_error(error)))
}

/// Fits a method to rows that `source` passes over.
#[pyfunction]
#[pyo3(signature = (method, settings, source, draft, command, dates, progress=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn fit_parts(
    py: Python<'_>,
    method: &str,
    settings: &str,
    source: Py<PyAny>,
    draft: &str,
    command: String,
    dates: Vec<String>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Model> {
    let estimator = estimator(method, settings)?;
    let mut model = with_rows(py, source, draft, progress.as_ref(), |rows, watch| {
        Ok(estimator.on_threads(|| estimator.fit_rows(rows, &ticking(watch)))?.model)
    })?;
    model.origin.command = Some(command);
    model.reading = standard_dates(dates.iter());
    Ok(Model::new(model))
}

/// Weighs rows that `source` passes over: their function, and how it went as JSON.
#[pyfunction]
pub(crate) fn reweigh_parts(
    py: Python<'_>,
    name: &str,
    settings: &str,
    source: Py<PyAny>,
    draft: &str,
    names: Vec<String>,
    stable: Option<Vec<f64>>,
) -> PyResult<(Option<WeightModel>, String)> {
    let (reweighter, Estimator { seed, .. }) = reweighter(name, settings)?;
    with_rows(py, source, draft, None, |rows, _| {
        let (found, summary) = reweigh_rows(rows, &reweighter, &names, stable.as_deref(), seed)?;
        Ok((found.function.map(|function| WeightModel::new(rows.frame().encoding.clone(), function)), summary))
    })
}
