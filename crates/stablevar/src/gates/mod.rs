//! Stochastic gates: soft variable selection under the weights.

mod law;
mod linear;
mod logistic;

pub use law::{GateMoments, gate_moments, normal_cdf};
pub use linear::{GatedFit, LinearGates, Penalty, WeightedProblem};
