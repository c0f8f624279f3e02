//! Stochastic gates: soft variable selection under the weights.

mod law;
mod linear;
mod logistic;
mod network;

pub use crate::functions::normal_cdf;
pub use law::{GateMoments, gate_moments};
pub use linear::{GatedFit, LinearGates, Penalty, WeightedProblem};
pub use network::{GatedPath, NetworkGates};

use crate::error::{Error, Result};
use crate::models::Mlp;
use crate::parameter::{Named, Positive};
use crate::passes::RowSource;
use crate::weights::SampleWeights;
use serde::{Deserialize, Serialize};

/// One of the backends, for settings that are chosen at run time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnyGates {
    /// Gates for a linear model.
    Linear(LinearGates),
    /// Gates for a network.
    Network(NetworkGates),
}

impl Default for AnyGates {
    fn default() -> Self {
        AnyGates::Linear(LinearGates::default())
    }
}

/// The gates found under some weights.
#[derive(Debug, Clone)]
pub struct Gated {
    /// The gates.
    pub fit: GatedFit,
    /// What linear gates saw of the rows.
    pub problem: Option<WeightedProblem>,
    /// How network gates hang on the penalty.
    path: Vec<(f64, Vec<f64>)>,
}

impl AnyGates {
    /// The kinds that can be asked for.
    pub const KINDS: &[Named<Self>] = &[
        Named { name: "linear", help: "a linear model", make: || AnyGates::Linear(LinearGates::default()) },
        Named { name: "network", help: "a network", make: || AnyGates::Network(NetworkGates::default()) },
    ];

    /// The name of its kind.
    pub fn name(&self) -> &'static str {
        match self {
            AnyGates::Linear(_) => "linear",
            AnyGates::Network(_) => "network",
        }
    }

    /// The network behind the gates, if there is one.
    pub fn network(&self) -> Option<&Mlp> {
        match self {
            AnyGates::Linear(_) => None,
            AnyGates::Network(gates) => Some(&gates.network),
        }
    }

    /// What settings call the part of a recipe that it is.
    pub(crate) fn stage(&self) -> &'static str {
        match self {
            AnyGates::Linear(_) => "linear-gates",
            AnyGates::Network(_) => "network-gates",
        }
    }

    /// Gates for the data's outcome under these weights.
    pub fn search(&self, data: &dyn RowSource, weights: &SampleWeights, seed: u64) -> Result<Gated> {
        Ok(match self {
            AnyGates::Linear(gates) => {
                let (problem, fit) = gates.fit_data(data, weights)?;
                Gated { fit, problem: Some(problem), path: Vec::new() }
            }
            AnyGates::Network(gates) => {
                let memory = data.memory().ok_or_else(|| Error::NeedsMemory { what: "a gated network".into() })?;
                let GatedPath { fit, path } = gates.fit(memory, weights, seed);
                Gated { fit, problem: None, path }
            }
        })
    }

    /// The open probabilities at penalties around the one used (linear), or all along the path (network).
    pub fn penalty_path(&self, found: &Gated) -> Vec<(f64, Vec<f64>)> {
        const FACTORS: [f64; 7] = [8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.125];
        match (self, &found.problem) {
            (AnyGates::Linear(gates), Some(problem)) => {
                let path = gates.path(problem, &FACTORS.map(Positive::constant));
                path.into_iter().map(|(factor, gated)| (factor, gated.open_probability)).collect()
            }
            _ => found.path.clone(),
        }
    }
}
