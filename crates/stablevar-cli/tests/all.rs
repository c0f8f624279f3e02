//! All tests in one program: one each would take longer to build than to run.
#![allow(missing_docs, clippy::unwrap_used)]

mod bad_input;
mod commands;
mod common;
mod compare;
mod desk;
mod foresee;
mod input;
mod killed;
mod known;
mod memory;
mod reselect;
mod unharmed;
