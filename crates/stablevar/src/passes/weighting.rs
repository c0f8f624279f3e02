//! The weights that a pass is taken under.

use super::Chunk;
use super::quadratic::{lower_form, raw_weights};
use crate::design::TrainingData;
use crate::linalg::Matrix;
use crate::rows::TILE;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// The weights of the rows, without their base weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weighting {
    /// All 1.
    Equal,
    /// A function of the row.
    Function(Box<QuadraticFunction>),
    /// One per row, for rows in memory.
    #[serde(skip)]
    Given(Arc<Vec<f64>>),
}

impl Weighting {
    /// The weights of encoded rows; those of given weights are the training rows.
    pub fn of_design<'a>(&'a self, design: &Matrix) -> Cow<'a, [f64]> {
        match self {
            Weighting::Equal => Cow::Owned(vec![1.0; design.rows()]),
            Weighting::Function(function) => Cow::Owned(function.weigh(design)),
            Weighting::Given(values) => Cow::Borrowed(values),
        }
    }

    /// Weight times base weight of rows in memory.
    pub fn with_base(&self, data: &TrainingData) -> Vec<f64> {
        self.of_design(&data.design).iter().zip(&data.base).map(|(weight, base)| weight * base).collect()
    }

    /// Visits every tile of a chunk with the weights of its rows, and scratch as long as they are.
    pub(super) fn for_each_tile(&self, chunk: Chunk, mut visit: impl FnMut(Chunk, &mut [f64], &mut [f64])) {
        let mut scratch = vec![0.0; TILE * chunk.width()];
        let mut weights = [0.0; TILE];
        let lower = match self {
            Weighting::Function(function) => lower_form(&function.form),
            _ => Matrix::zeros(0, 0),
        };
        for tile in chunk.tiles() {
            let (scratch, weights) = (&mut scratch[..tile.design.len()], &mut weights[..tile.base.len()]);
            match self {
                Weighting::Equal => weights.fill(1.0),
                Weighting::Function(function) => function.weigh_tile(tile.design, &lower, scratch, weights),
                Weighting::Given(all) => weights.copy_from_slice(&all[tile.first..tile.first + weights.len()]),
            }
            visit(tile, weights, scratch);
        }
    }
}

/// The distance to uniform weights that is minimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Divergence {
    /// `D = mean w log w`, so `rho = exp`: every weight is positive.
    Entropy,
    /// `D = mean (w - 1)^2 / 2`, so `rho = max(0, u)`: the largest effective sample size there is.
    #[default]
    Chi2,
}

impl Divergence {
    /// `rho`.
    pub(crate) fn weight(self, u: f64) -> f64 {
        match self {
            Divergence::Entropy => u.exp(),
            Divergence::Chi2 => u.max(0.0),
        }
    }

    /// `Psi`, whose derivative is the weight.
    pub(crate) fn potential(self, u: f64) -> f64 {
        match self {
            Divergence::Entropy => u.exp(),
            Divergence::Chi2 => 0.5 * u.max(0.0).powi(2),
        }
    }

    /// `rho'`.
    pub(crate) fn weight_slope(self, u: f64) -> f64 {
        match self {
            Divergence::Entropy => u.exp(),
            Divergence::Chi2 => f64::from(u > 0.0),
        }
    }

    /// The `u` that gives weight 1.
    pub(crate) fn neutral(self) -> f64 {
        match self {
            Divergence::Entropy => 0.0,
            Divergence::Chi2 => 1.0,
        }
    }
}

/// `rho(z~' T z~)` on standardised rows with a leading one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuadraticFunction {
    pub(crate) divergence: Divergence,
    /// The symmetric matrix T.
    pub(crate) form: Matrix,
    /// Makes the training weights have mean 1 exactly.
    pub(crate) factor: f64,
}

impl QuadraticFunction {
    /// Number of encoded columns it is a function of.
    pub fn columns(&self) -> usize {
        self.form.rows().saturating_sub(1)
    }

    /// A function of some columns as one of all `count` encoded columns.
    pub(crate) fn among(&self, columns: &[usize], count: usize) -> Self {
        let place = |k: usize| if k == 0 { 0 } else { columns[k - 1] + 1 };
        let mut form = Matrix::zeros(count + 1, count + 1);
        for i in 0..self.form.rows() {
            for j in 0..self.form.rows() {
                form[(place(i), place(j))] = self.form[(i, j)];
            }
        }
        Self { form, ..self.clone() }
    }

    /// The weight of every row of a design matrix made by the training data's encoding.
    pub fn weigh(&self, design: &Matrix) -> Vec<f64> {
        let mut weights = raw_weights(design, &self.form, self.divergence);
        weights.iter_mut().for_each(|weight| *weight *= self.factor);
        weights
    }
}
