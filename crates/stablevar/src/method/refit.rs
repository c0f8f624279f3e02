//! What is fitted to the variables chosen. All that is particular to one kind stands here and with its algorithm in
//! [`models`](crate::models).

use crate::design::{Task, TrainingData};
use crate::error::{Error, Result};
use crate::models::{
    LogisticFit, Mlp, Model, NetworkModel, OUTLIER_LIMIT, Ridge, least_squares, logistic_regression, robust_regression,
};
use crate::optim::StopReason;
use crate::parameter::{Named, Positive};
use crate::passes::RowSource;
use crate::weights::SampleWeights;
use serde::{Deserialize, Serialize};

/// What is fitted to the variables chosen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Refit {
    /// Least squares; for classes logistic regression.
    #[default]
    Linear,
    /// Huber's regression: residuals beyond this many standard deviations are clipped; for classes logistic regression, whose
    /// residuals are bounded anyway.
    Robust(Positive),
    /// Ridge regression.
    Ridge(Ridge),
    /// A network.
    Network(Mlp),
    /// The coefficients that the variables were chosen by.
    Kept,
}

/// A model on some of the variables.
pub struct Refitted {
    /// The model.
    pub model: Model,
    /// Whether it tells two classes apart without error.
    pub separated: bool,
    /// Why the search for it stopped.
    pub stop: StopReason,
}

impl Refit {
    /// The kinds that can be asked for.
    pub const KINDS: &[Named<Self>] = &[
        Named { name: "linear", help: "least squares; for classes logistic regression", make: || Refit::Linear },
        Named {
            name: "robust",
            help: "least squares that a few extreme outcomes can't bend (Huber)",
            make: || Refit::Robust(OUTLIER_LIMIT),
        },
        Named { name: "ridge", help: "ridge regression, for numbers", make: || Refit::Ridge(Ridge::default()) },
        Named { name: "network", help: "a network", make: || Refit::Network(Mlp::default()) },
    ];

    /// The name of its kind.
    pub fn name(&self) -> &'static str {
        match self {
            Refit::Linear => "linear",
            Refit::Robust(_) => "robust",
            Refit::Ridge(_) => "ridge",
            Refit::Network(_) => "network",
            Refit::Kept => "kept",
        }
    }

    /// Whether it can tell two classes apart.
    pub(super) fn predicts_classes(&self) -> bool {
        !matches!(self, Refit::Ridge(_))
    }

    /// Whether it can do with as many columns as rows, or more.
    pub(super) fn takes_wide_tables(&self) -> bool {
        matches!(self, Refit::Network(_) | Refit::Ridge(_))
    }

    /// The network, if it is one.
    pub fn network(&self) -> Option<&Mlp> {
        match self {
            Refit::Network(network) => Some(network),
            _ => None,
        }
    }

    /// What it is called where it needs all rows in memory.
    pub(super) fn needs_memory(&self) -> Option<&'static str> {
        self.network().map(|_| "a network")
    }

    /// Fits it to some of the variables under weights.
    pub fn fit(
        &self,
        data: &dyn RowSource,
        variables: &[usize],
        weights: &SampleWeights,
        seed: u64,
    ) -> Result<Refitted> {
        let frame = data.frame();
        let features = &frame.encoding.features;
        let columns: Vec<usize> =
            variables.iter().flat_map(|&variable| features[variable].columns.iter().copied()).collect();
        let linear = |(fit, stop)| Refitted { model: Model::linear(fit, &frame.target), separated: false, stop };
        Ok(match (self, frame.target.task()) {
            (Refit::Network(mlp), _) => {
                let memory = in_memory(data, "a network")?;
                let (network, trained) = NetworkModel::train(memory, &columns, &weights.with_base(memory), mlp, seed);
                Refitted { model: Model::Network(network), separated: false, stop: trained.stop }
            }
            (Refit::Robust(limit), Task::Regression) => {
                linear(robust_regression(data, &columns, weights.weighting(), *limit)?)
            }
            (Refit::Ridge(ridge), _) => {
                linear((ridge.fit(data, &columns, weights.weighting())?, StopReason::Converged))
            }
            (Refit::Linear | Refit::Kept, Task::Regression) => {
                linear((least_squares(data, &columns, weights.weighting())?, StopReason::Converged))
            }
            (Refit::Linear | Refit::Robust(_) | Refit::Kept, Task::Classification) => {
                let LogisticFit { fit, separated, stop } = logistic_regression(data, &columns, weights.weighting())?;
                Refitted { separated, ..linear((fit, stop)) }
            }
        })
    }
}

/// The rows, or an error that says what needs them in memory.
pub(crate) fn in_memory<'a>(data: &'a dyn RowSource, what: &str) -> Result<&'a TrainingData> {
    data.memory().ok_or_else(|| Error::NeedsMemory { what: what.into() })
}
