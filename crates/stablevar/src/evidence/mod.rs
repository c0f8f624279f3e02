//! Evidence for every variable: does it help to predict the outcome when all the others are known?
//!
//! The stable set is the smallest S with E[Y | S] = E[Y | X]. So a variable belongs to it if and only if the
//! outcome still depends on it given all others. [`residual_evidence`] tests that one variable at a time.

mod nuisance;
mod residual;

pub use residual::{ResidualEvidence, residual_evidence};

use serde::{Deserialize, Serialize};

/// What the data say about one variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariableEvidence {
    /// The slope of the outcome in the variable given all others, in the user's units; `None` for text variables.
    pub effect: Option<f64>,
    /// Its standard error; `None` for text variables.
    pub standard_error: Option<f64>,
    /// Effect over standard error; for text variables the root of the chi-squared statistic over its degrees.
    pub t: f64,
    /// Probability of a statistic at least this large without an effect.
    pub p_value: f64,
    /// Partial correlation of outcome and variable given all others, which does not grow with n.
    pub effect_size: f64,
    /// Probability that the variable is stable.
    pub probability: f64,
    /// The regressions that cross-validation chose, for the outcome and for the variable.
    pub regressions: (String, String),
}
