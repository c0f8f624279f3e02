//! Sample weights, and the ways to find them: [`Balance`] (the dual problem), [`Dwr`] (as published) and [`Srdo`] (a ratio
//! of densities).

mod balance;
mod dwr;
mod mask;
mod nearest;
mod profile;
mod srdo;

pub use crate::passes::{Divergence, QuadraticFunction};
pub use balance::{AutomaticRidge, Balance, BalancePath, Floors, Means, PathEnd, PathPoint, Reached};
pub use dwr::Dwr;
pub use mask::Mask;
pub use profile::{BySize, WeightProfile};
pub use srdo::{Classifier, RatioFunction, Srdo};

use crate::design::TrainingData;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::models::Mlp;
use crate::optim::StopReason;
use crate::parameter::{Positive, kinds};
use crate::passes::{Outcome, RowSource, WeightedMoments, Weighting};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// Weights of rows, with mean 1 under the base weights.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleWeights {
    weighting: Weighting,
    effective_sample_size: f64,
    /// What a pass under these weights gave, if there was one.
    moments: Option<Arc<WeightedMoments>>,
}

impl SampleWeights {
    /// Scales the weights of rows in memory to mean 1 under their base weights.
    pub fn new(mut values: Vec<f64>, base: &[f64]) -> Self {
        let (mut total, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for (weight, base) in values.iter().zip(base) {
            total += base;
            sum += base * weight;
            squares += base * weight * weight;
        }
        let factor = total / sum;
        values.iter_mut().for_each(|weight| *weight *= factor);
        Self {
            weighting: Weighting::Given(Arc::new(values)),
            effective_sample_size: sum * sum / squares,
            moments: None,
        }
    }

    /// Those that a function gives rows wherever they are, scaled to mean 1.
    pub(crate) fn by_function(data: &dyn RowSource, function: QuadraticFunction) -> Result<(Self, QuadraticFunction)> {
        let weighting = Weighting::Function(Box::new(function.clone()));
        let moments = WeightedMoments::of(data, &weighting, Outcome::Target)?;
        let total = data.frame().total_weight();
        let function = QuadraticFunction { factor: function.factor * total / moments.total, ..function };
        let weights = Self {
            weighting: Weighting::Function(Box::new(function.clone())),
            effective_sample_size: moments.effective_sample_size,
            moments: Some(Arc::new(WeightedMoments { total, ..moments })),
        };
        Ok((weights, function))
    }

    /// All weights 1; `total` is the sum of the base weights.
    pub fn uniform(total: f64) -> Self {
        Self { weighting: Weighting::Equal, effective_sample_size: total, moments: None }
    }

    /// The weights as a pass takes them.
    pub fn weighting(&self) -> &Weighting {
        &self.weighting
    }

    /// Moments of the columns and the outcome under the weights.
    pub fn moments(&self, data: &dyn RowSource) -> Result<Arc<WeightedMoments>> {
        match &self.moments {
            Some(moments) => Ok(moments.clone()),
            None => Ok(Arc::new(WeightedMoments::of(data, &self.weighting, Outcome::Target)?)),
        }
    }

    /// The weights of rows in memory, mean 1.
    pub fn values<'a>(&'a self, data: &TrainingData) -> Cow<'a, [f64]> {
        self.of_design(&data.design)
    }

    /// The weights of encoded rows; those of given weights are the training rows.
    pub fn of_design<'a>(&'a self, design: &Matrix) -> Cow<'a, [f64]> {
        self.weighting.of_design(design)
    }

    /// Kish's effective sample size `(sum w)^2 / sum w^2`, a row with base weight 2 counting as two rows.
    pub fn effective_sample_size(&self) -> f64 {
        self.effective_sample_size
    }

    /// Weight times base weight of rows in memory.
    pub fn with_base(&self, data: &TrainingData) -> Vec<f64> {
        self.weighting.with_base(data)
    }
}

/// The paper's weighting function `w: X -> R+`, on rows encoded as the training rows were.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WeightFunction {
    /// Of [`Balance`], and the nearest such function for the free weights of [`Dwr`].
    Quadratic(QuadraticFunction),
    /// Of [`Srdo`].
    Ratio(RatioFunction),
}

impl WeightFunction {
    /// Number of encoded columns it is a function of.
    pub fn columns(&self) -> usize {
        match self {
            WeightFunction::Quadratic(function) => function.columns(),
            WeightFunction::Ratio(function) => function.columns(),
        }
    }

    /// The weight of every row of a design matrix made by the training data's encoding.
    pub fn weigh(&self, design: &Matrix) -> Vec<f64> {
        match self {
            WeightFunction::Quadratic(function) => function.weigh(design),
            WeightFunction::Ratio(function) => function.weigh(design),
        }
    }

    /// Whether its parts fit together, which a file changed by hand may not do.
    pub fn is_whole(&self) -> bool {
        match self {
            WeightFunction::Quadratic(_) => true,
            WeightFunction::Ratio(function) => function.is_whole(),
        }
    }
}

/// The outcome of a reweighting.
#[derive(Debug, Clone)]
pub struct Reweighted {
    /// The weights.
    pub weights: SampleWeights,
    /// The weights as a function of the row, where the method has one.
    pub function: Option<WeightFunction>,
    /// Share of the rows whose weight had to be cut off, where the method does that.
    pub truncated: Option<f64>,
    /// How far balance got, where it went as far as the rows allow.
    pub reached: Option<Reached>,
    /// Why the search stopped.
    pub stop: StopReason,
    /// Passes over the rows.
    pub passes: usize,
}

/// A way to find weights that decorrelate the pairs of columns which the mask names.
///
/// The implementor must return weights of mean 1, none negative, that depend only on the data, the mask, the seed
/// and its own parameters; it must end on any data, and say in [`Reweighted::stop`] when it did not converge. It may refuse rows that are not in memory.
pub trait Reweighter {
    /// Weighs the training rows. `start` is the function that an earlier call with another mask found.
    fn reweigh(
        &self,
        data: &dyn RowSource,
        mask: &Mask,
        start: Option<&WeightFunction>,
        seed: u64,
    ) -> Result<Reweighted>;

    /// What it is called where it needs all rows in memory.
    fn needs_memory(&self) -> Option<&'static str> {
        None
    }

    /// The network that it trains, if it trains one.
    fn network(&self) -> Option<&Mlp> {
        None
    }
}

kinds! {
    /// One of the reweighters, for settings that are chosen at run time.
    AnyReweighter: dyn Reweighter {
        /// The dual problem.
        Balance(Balance), balance, balance_mut, "balance": "the weights closest to uniform, by a small convex problem";
        /// DWR as published.
        Dwr(Dwr), dwr, dwr_mut, "dwr": "as published: one free weight per row, by gradient descent";
        /// A ratio of densities.
        Srdo(Srdo), srdo, srdo_mut, "srdo": "a ratio of densities: also removes dependence that correlations do not see";
    }
}

impl Default for AnyReweighter {
    /// [`Balance`] for use in a loop: the automatic ridge, and no more digits than the gates need.
    fn default() -> Self {
        AnyReweighter::Balance(Balance {
            ridge: None,
            automatic: AutomaticRidge::PairsPerRow,
            tolerance: Positive::constant(1e-4),
            ..Balance::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effective_sample_size_treats_a_base_weight_as_repeated_rows() {
        let weighted = SampleWeights::new(vec![1.0, 3.0], &[2.0, 1.0]);
        let repeated = SampleWeights::new(vec![1.0, 1.0, 3.0], &[1.0; 3]);
        assert_eq!(weighted.effective_sample_size(), repeated.effective_sample_size());
        let first = |weights: &SampleWeights| match weights.weighting() {
            Weighting::Given(values) => values[0],
            _ => 0.0,
        };
        assert_eq!(first(&weighted), first(&repeated));
    }
}
