//! What can be fitted to the variables chosen.

use super::{Huber, Mlp, Model, PlainLinear, Ridge, StandardisedFit, Trees};
use crate::design::{Target, TrainingData};
use crate::error::{Error, Result};
use crate::optim::StopReason;
use crate::parameter::kinds;
use crate::passes::{RowSource, Weighting};

/// A kind of model that can be fitted to some of the columns.
///
/// The implementor must depend on nothing but the rows, the weights, the seed and its own settings, and say why it stopped.
pub trait Fitting {
    /// Fits these encoded columns under weights.
    fn fit(&self, data: &dyn RowSource, columns: &[usize], weighting: &Weighting, seed: u64) -> Result<Refitted>;

    /// Whether it can tell two classes apart.
    fn predicts_classes(&self) -> bool {
        true
    }

    /// Whether it can do with as many columns as rows, or more.
    fn takes_wide_tables(&self) -> bool {
        false
    }

    /// What it is called where it needs all rows in memory.
    fn needs_memory(&self) -> Option<&'static str> {
        None
    }

    /// The network that it trains, if it trains one.
    fn network(&self) -> Option<&Mlp> {
        None
    }
}

/// A model on some of the columns.
pub struct Refitted {
    /// The model.
    pub model: Model,
    /// Whether it tells two classes apart without error.
    pub separated: bool,
    /// Why the search for it stopped.
    pub stop: StopReason,
}

impl Refitted {
    /// A linear model.
    pub fn linear(fit: StandardisedFit, target: &Target, stop: StopReason) -> Self {
        Self { model: Model::linear(fit, target), separated: false, stop }
    }
}

kinds! {
    /// What is fitted to the variables chosen.
    Refit: dyn Fitting {
        /// Chosen among several by a stress test.
        Auto(AutoRefit), auto, auto_mut, "auto": "what the method has: for svi with evidence the one that a stress test chooses among linear and robust fits under weights of several strengths, by themselves or half-way to boosted trees; a network behind network gates";
        /// Least squares; for classes logistic regression.
        Linear(PlainLinear), linear, linear_mut, "linear": "least squares; for classes logistic regression";
        /// Huber's regression; for classes logistic regression, whose residuals are bounded anyway.
        Robust(Huber), robust, robust_mut, "robust": "least squares that a few extreme outcomes can't bend (Huber)";
        /// Ridge regression.
        Ridge(Ridge), ridge, ridge_mut, "ridge": "ridge regression, for numbers";
        /// A network.
        Network(Mlp), network, network_mut, "network": "a network";
        /// Boosted trees.
        Trees(Trees), trees, trees_mut, "trees": "boosted trees for what a straight line leaves, none where they do not help";
        /// The coefficients that the variables were chosen by.
        Kept(Kept), kept, kept_mut, "kept": "the coefficients that the variables were chosen by, which the Lasso has";
    }
}

impl Refit {
    /// The same for rows of the same table, at a price beside that of the fit: it is asked how large errors are, not for a model.
    pub(crate) fn again(&self, fitted: &Model) -> Self {
        match (self, fitted) {
            // One start instead of several.
            (Refit::Network(network), _) => Refit::Network(Mlp { restarts: 1, ..network.clone() }),
            // As many trees, which took longer to find out than to grow.
            (Refit::Trees(trees), Model::Trees(model)) => Refit::Trees(Trees { rounds: Some(model.trees()), ..*trees }),
            (other, _) => other.clone(),
        }
    }
}

/// A refit that is chosen among several by a stress test, where a method has one; by itself the plain one of
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct AutoRefit {
    /// The robust fits among them.
    pub robust: Huber,
}

impl Fitting for AutoRefit {
    fn fit(&self, data: &dyn RowSource, columns: &[usize], weighting: &Weighting, seed: u64) -> Result<Refitted> {
        self.robust.fit(data, columns, weighting, seed)
    }
}

/// The coefficients that variables were chosen by; there is nothing to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Kept;

impl Fitting for Kept {
    fn fit(&self, _: &dyn RowSource, _: &[usize], _: &Weighting, _: u64) -> Result<Refitted> {
        Err(Error::BadRequest("there is no model to keep: variables were chosen without one".into()))
    }

    fn takes_wide_tables(&self) -> bool {
        true
    }
}

/// The rows, or an error that says what needs them in memory.
pub(crate) fn in_memory<'a>(data: &'a dyn RowSource, what: &str) -> Result<&'a TrainingData> {
    data.memory().ok_or_else(|| Error::NeedsMemory { what: what.into() })
}
