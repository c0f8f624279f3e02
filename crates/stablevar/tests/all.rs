//! All tests in one program: one each would take longer to build than to run.
#![allow(missing_docs, clippy::unwrap_used)]

mod agreement;
mod common;
mod every_method;
mod fooled;
mod foresight;
mod invariance;
mod known;
mod layers;
mod paper_claims;
mod stress;
mod wide;
