//! Inputs that nobody would write, for every way into stablevar.
//!
//! [`Kind`] names the ways in, [`Kind::try_input`] takes one input in, [`corpus`] has inputs to begin with, [`mutate`] makes
//! others of them, each from its number alone. The program `stablevar-fuzz` runs very many of them in processes of their own
//! (`make fuzz`); the targets in `fuzz/` are the same functions for cargo-fuzz.

pub mod corpus;
pub mod mutate;
mod targets;

pub use targets::Kind;
