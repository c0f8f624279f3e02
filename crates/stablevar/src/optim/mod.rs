//! Minimisers that report why they stopped.

mod adam;
mod lbfgs;

pub use adam::Adam;
pub use lbfgs::{Limits, Minimum, minimise, minimise_watched, resume};

use serde::{Deserialize, Serialize};

/// Why an iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The gradient is as small as asked for.
    Converged,
    /// No step lowers the objective any more: the limit of floating-point numbers.
    PrecisionReached,
    /// The number of iterations allowed is used up.
    IterationLimit,
    /// No step lowers the objective though the gradient is not small.
    Stalled,
}

impl StopReason {
    /// Whether the result can be relied on as a minimum.
    pub fn converged(self) -> bool {
        matches!(self, StopReason::Converged | StopReason::PrecisionReached)
    }
}
