#![doc = include_str!("../README.md")]

// No module uses one that uses it, which `tests/layers.rs` holds them to. From the ground up:
//
//     error, finding, functions, linalg, metrics -> parameter, table, threads, optim -> rows -> design -> passes
//         -> models -> weights -> diagnostics, gates -> evidence -> selection -> svi -> fit

// The path of the data, top to bottom.
pub mod table;

pub mod design;

pub mod weights;

pub mod gates;

pub mod evidence;

pub mod selection;

pub mod svi;

pub mod models;

pub mod fit;

// What the stages share.
pub mod diagnostics;
pub mod error;
pub mod finding;
pub mod functions;
pub mod linalg;
pub mod metrics;
pub mod optim;
pub mod parameter;
pub mod passes;
pub mod rows;
pub mod simulate;
pub mod threads;
