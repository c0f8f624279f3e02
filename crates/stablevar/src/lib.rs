#![doc = include_str!("../README.md")]

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
pub mod linalg;
pub mod metrics;
pub mod optim;
pub mod parameter;
pub mod passes;
pub mod rows;

// The generator of the crate `stablevar-data` is not to be had here: it is built on another copy of this crate.
#[cfg(test)]
mod sample;
