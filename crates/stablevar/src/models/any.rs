//! What predicts: a linear model, a network or trees, on the selected variables.

use super::{Fitting, Refitted, in_memory};
use super::{LinearModel, Link, Loss, Mlp, Network, StandardisedFit, Trained, TreesModel, loss_and_outcomes};
use crate::design::{Encoding, Target, TrainingData};
use crate::error::Result;
use crate::functions::sigmoid;
use crate::linalg::Matrix;
use crate::models::Examples;
use crate::passes::{RowSource, Weighting};
use serde::{Deserialize, Serialize};

/// A model that predicts in the outcome's units, or the probability of the second class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// A linear combination of the columns.
    Linear(LinearModel),
    /// A network.
    Network(NetworkModel),
    /// Boosted trees.
    Trees(TreesModel),
}

/// A network on some of the encoded columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NetworkModel {
    /// Positions of the encoded columns it takes.
    columns: Vec<usize>,
    network: Network,
    link: Link,
    target_mean: f64,
    target_scale: f64,
    /// Per encoded column the mean slope of the output in it over the training rows, on standardised data.
    mean_slopes: Vec<f64>,
}

impl Fitting for Mlp {
    fn fit(&self, data: &dyn RowSource, columns: &[usize], weighting: &Weighting, seed: u64) -> Result<Refitted> {
        let memory = in_memory(data, "a network")?;
        let (network, trained) = NetworkModel::train(memory, columns, &weighting.with_base(memory), self, seed);
        Ok(Refitted { model: Model::Network(network), separated: false, stop: trained.stop })
    }

    fn takes_wide_tables(&self) -> bool {
        true
    }

    fn needs_memory(&self) -> Option<&'static str> {
        Some("a network")
    }

    fn network(&self) -> Option<&Mlp> {
        Some(self)
    }
}

impl Model {
    /// A linear fit on standardised data.
    pub fn linear(standardised: StandardisedFit, target: &Target) -> Self {
        Model::Linear(LinearModel::new(standardised, target))
    }

    /// Predictions for the rows of a design matrix made by the training data's encoding.
    pub fn predict(&self, design: &Matrix) -> Vec<f64> {
        match self {
            Model::Linear(linear) => linear.predict(design),
            Model::Network(network) => network.predict(design),
            Model::Trees(trees) => trees.predict(design),
        }
    }

    /// The same on the scale of the standardised outcome, for classes as log-odds.
    pub(crate) fn combined(&self, design: &Matrix) -> Vec<f64> {
        match self {
            Model::Linear(linear) => linear.combined(design),
            Model::Network(network) => network.network.outputs(&gather(design, &network.columns)),
            Model::Trees(trees) => trees.combined(design),
        }
    }

    /// The coefficient of every encoded column in the user's units, for classes in log-odds; of a network the mean
    /// slope over the training rows, of trees the slope of the straight line nearest to them.
    pub fn coefficients(&self, encoding: &Encoding) -> Vec<f64> {
        match self {
            Model::Linear(linear) => linear.coefficients(encoding),
            Model::Network(network) => {
                let slopes = network.mean_slopes.iter().zip(&encoding.columns);
                slopes.map(|(slope, column)| network.target_scale * slope / column.scale).collect()
            }
            Model::Trees(trees) => {
                let slopes = trees.slopes().iter().zip(&encoding.columns);
                slopes.map(|(slope, column)| trees.line().outcome_scale() * slope / column.scale).collect()
            }
        }
    }

    /// What matters to trees: per encoded column the root mean square of the change of predictions in the outcome's units, or of log-odds,
    /// if the column's values are dealt out anew among the training rows. Coefficients say it for other models.
    pub fn influence(&self) -> Option<Vec<f64>> {
        match self {
            Model::Trees(trees) => Some(trees.influence()),
            Model::Linear(_) | Model::Network(_) => None,
        }
    }

    /// The constant in the user's units; networks and trees have none.
    pub fn intercept(&self, encoding: &Encoding) -> Option<f64> {
        match self {
            Model::Linear(linear) => Some(linear.intercept(encoding)),
            Model::Network(_) | Model::Trees(_) => None,
        }
    }

    /// Slopes on standardised columns: coefficients, or those of a straight line that stands for a network or for trees.
    pub fn standardised_slopes(&self) -> &[f64] {
        match self {
            Model::Linear(linear) => linear.standardised_coefficients(),
            Model::Network(network) => &network.mean_slopes,
            Model::Trees(trees) => trees.slopes(),
        }
    }

    /// Whether the parts fit together for this many encoded columns.
    pub(crate) fn is_whole(&self, columns: usize) -> bool {
        self.standardised_slopes().len() == columns
            && match self {
                Model::Linear(model) => model.is_whole(columns),
                Model::Trees(model) => model.is_whole(columns),
                Model::Network(model) => {
                    model.network.is_whole()
                        && model.network.inputs() == model.columns.len()
                        && model.columns.iter().all(|&column| column < columns)
                }
            }
    }
}

impl NetworkModel {
    /// Trains a network on some of the encoded columns.
    pub fn train(data: &TrainingData, columns: &[usize], weights: &[f64], mlp: &Mlp, seed: u64) -> (Self, Trained) {
        let inputs = gather(&data.design, columns);
        let (loss, outcomes) = loss_and_outcomes(data);
        let (link, target_mean, target_scale) = match loss {
            Loss::Squared => (Link::Identity, data.target.mean, data.target.scale),
            Loss::Logistic => (Link::Logit, 0.0, 1.0),
        };
        let trained = mlp.train(Examples { inputs: &inputs, outcomes: &outcomes, weights }, loss, seed);
        let mut mean_slopes = vec![0.0; data.columns()];
        let slopes = trained.network.mean_slopes(&inputs);
        columns.iter().zip(slopes).for_each(|(&column, slope)| mean_slopes[column] = slope);
        let network = trained.network.clone();
        (Self { columns: columns.to_vec(), network, link, target_mean, target_scale, mean_slopes }, trained)
    }

    fn predict(&self, design: &Matrix) -> Vec<f64> {
        let outputs = self.network.outputs(&gather(design, &self.columns));
        let in_units = |value: f64| match self.link {
            Link::Identity => self.target_mean + self.target_scale * value,
            Link::Logit => sigmoid(value),
        };
        outputs.into_iter().map(in_units).collect()
    }
}

/// Some columns of a design matrix, whose first column holds ones.
fn gather(design: &Matrix, columns: &[usize]) -> Matrix {
    Matrix::from_fn(design.rows(), columns.len(), |i, j| design[(i, columns[j] + 1)])
}
