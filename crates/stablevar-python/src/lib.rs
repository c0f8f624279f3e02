//! `stablevar._core`: what the Python package computes with. It speaks arrays, lists and JSON; the Python side is what users see.

mod catalogue;
mod compared;
mod data;
mod errors;
mod judged;
mod model;
mod parts;
mod running;
mod simulated;
mod weights;
mod wording;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_class::<weights::WeightModel>()?;
    module.add_function(wrap_pyfunction!(catalogue::catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(model::fit, module)?)?;
    module.add_function(wrap_pyfunction!(model::reselect, module)?)?;
    module.add_function(wrap_pyfunction!(weights::reweigh, module)?)?;
    module.add_function(wrap_pyfunction!(weights::balance_path, module)?)?;
    module.add_class::<parts::EncodedRows>()?;
    module.add_function(wrap_pyfunction!(parts::survey_part, module)?)?;
    module.add_function(wrap_pyfunction!(parts::draft, module)?)?;
    module.add("BRANCHES", stablevar::engine::BRANCHES)?;
    module.add_function(wrap_pyfunction!(parts::blocks, module)?)?;
    module.add_function(wrap_pyfunction!(parts::merge_sums, module)?)?;
    module.add_function(wrap_pyfunction!(parts::restore_rows, module)?)?;
    module.add_function(wrap_pyfunction!(parts::fit_parts, module)?)?;
    module.add_function(wrap_pyfunction!(parts::reweigh_parts, module)?)?;
    module.add_function(wrap_pyfunction!(judged::errors_by_environment, module)?)?;
    module.add_function(wrap_pyfunction!(compared::held_out, module)?)?;
    module.add_function(wrap_pyfunction!(compared::compare, module)?)?;
    module.add_function(wrap_pyfunction!(wording::labels, module)?)?;
    module.add_function(wrap_pyfunction!(simulated::simulate, module)?)?;
    module.add_function(wrap_pyfunction!(simulated::real_data, module)?)?;
    Ok(())
}
