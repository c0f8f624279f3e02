#![doc = include_str!("../README.md")]

// No module uses one that uses it, which `tests/layers.rs` holds them to. From the ground up:
//
//     wording -> error, finding, functions, linalg -> parameter, table, threads, optim -> notation, rows -> design -> metrics, passes
//         -> preparation, models -> weights -> diagnostics, gates -> evidence -> selection, stress -> svi -> method -> foresight -> fit
//         -> estimator -> comparison

// The path of the data, top to bottom.
pub mod table;

pub mod notation;

pub mod design;

pub mod weights;

pub mod gates;

pub mod evidence;

pub mod selection;

pub mod svi;

pub mod models;

pub mod stress;

pub mod method;

pub mod foresight;

mod audit;

pub mod fit;

pub mod estimator;

pub mod comparison;

// What the stages share.
pub mod diagnostics;
pub mod error;
pub mod finding;
mod functions;
mod linalg;
pub mod metrics;
mod optim;
pub mod parameter;
mod passes;
pub mod preparation;
mod rows;
mod threads;
pub mod wording;

// The generator of the crate `stablevar-data` is not to be had here: it is built on another copy of this crate.
#[cfg(test)]
mod sample;

pub use error::{Error, Result};
pub use estimator::Estimator;
pub use fit::{Fit, FittedModel};
pub use linalg::Matrix;
pub use optim::StopReason;
pub use table::Table;

/// What those build on who keep rows elsewhere than in memory, as the companion crates do. It may change with any version.
#[doc(hidden)]
pub mod engine {
    pub use crate::linalg::dot;
    pub use crate::passes::{BRANCHES, Chunk, Pass, RowSource, moment_pass};
    pub use crate::rows::{WIDE_TILE, blocks, weighted_cross_product};
    pub use crate::threads::with_threads;
}

/// All that fitting and predicting takes.
pub mod prelude {
    pub use crate::design::Task;
    pub use crate::error::{Error, Result};
    pub use crate::estimator::{Estimator, Value};
    pub use crate::fit::{Fit, FittedModel};
    pub use crate::table::{Column, Table, TextValues, Values};
}
