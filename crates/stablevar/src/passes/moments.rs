//! Second moments under weights, and what regressions need.

use super::{Chunk, Outcome, Pass, RowSource, Sums, Weighting};
use crate::design::label_of;
use crate::error::Result;
use crate::functions::{sigmoid, softplus};
use crate::linalg::{Matrix, dot};
use crate::rows::add_weighted_rows;

/// Probabilities are kept this far from 0 and 1, so that no single row becomes infinitely informative.
const LEAST: f64 = 0.01;

impl Outcome {
    /// The outcome of a row, and how much the row tells of it.
    fn of(&self, row: &[f64], target: f64) -> (f64, f64) {
        match self {
            Outcome::Target => (target, 1.0),
            Outcome::Working { coefficients, standard } => {
                let log_odds = dot(row, coefficients);
                let probability = sigmoid(log_odds).clamp(LEAST, 1.0 - LEAST);
                let curvature = probability * (1.0 - probability);
                (log_odds + (label_of(target, *standard) - probability) / curvature, curvature)
            }
        }
    }
}

/// Adds `v z z'` of every row that has weight, where `each` makes `v` of its weight.
fn add_rows(chunk: Chunk, weighting: &Weighting, total: &mut Matrix, mut each: impl FnMut(&[f64], &mut f64, f64, f64)) {
    weighting.for_each_tile(chunk, |tile, weights, scratch| {
        let rows = tile.rows().zip(weights.iter_mut()).zip(tile.base.iter().zip(tile.outcome));
        for ((row, weight), (base, target)) in rows.filter(|((_, weight), _)| **weight != 0.0) {
            each(row, weight, *base, *target);
        }
        add_weighted_rows(tile.design, weights, scratch, total);
    });
}

pub(super) fn add_moments(chunk: Chunk, weighting: &Weighting, outcome: &Outcome, sums: &mut Sums) {
    let Sums { values, matrix } = sums;
    let (squares, cross) = values.split_at_mut(2);
    add_rows(chunk, weighting, matrix, |row, weight, base, target| {
        let (value, information) = outcome.of(row, target);
        *weight *= information;
        squares[0] += base * *weight * *weight;
        *weight *= base;
        squares[1] += *weight * value * value;
        let factor = *weight * value;
        cross.iter_mut().zip(row).for_each(|(sum, z)| *sum += factor * z);
    });
}

pub(super) fn add_noise(chunk: Chunk, weighting: &Weighting, outcome: &Outcome, coefficients: &[f64], sums: &mut Sums) {
    add_rows(chunk, weighting, &mut sums.matrix, |row, weight, base, target| {
        let (value, information) = outcome.of(row, target);
        // A row that stands `base` times adds its score's square that many times.
        *weight = base * (*weight * information * (value - dot(row, coefficients))).powi(2);
    });
}

pub(super) fn add_step(chunk: Chunk, weighting: &Weighting, coefficients: &[f64], limit: f64, sums: &mut Sums) {
    let Sums { values, matrix } = sums;
    let (beyond, cross) = values.split_at_mut(1);
    add_rows(chunk, weighting, matrix, |row, weight, base, target| {
        let residual = target - dot(row, coefficients);
        *weight *= base;
        if residual.abs() > limit {
            beyond[0] += 1.0;
            *weight *= limit / residual.abs();
        }
        let factor = *weight * residual;
        cross.iter_mut().zip(row).for_each(|(sum, z)| *sum += factor * z);
    });
}

pub(super) fn add_logistic(
    chunk: Chunk,
    weighting: &Weighting,
    coefficients: &[f64],
    standard: (f64, f64),
    sums: &mut Sums,
) {
    let Sums { values, matrix } = sums;
    let (scalars, gradient) = values.split_at_mut(2);
    add_rows(chunk, weighting, matrix, |row, weight, base, target| {
        let label = label_of(target, standard);
        let log_odds = dot(row, coefficients);
        let probability = sigmoid(log_odds);
        *weight *= base;
        scalars[0] += *weight * (softplus(log_odds) - label * log_odds);
        scalars[1] += *weight * label;
        let slope = *weight * (probability - label);
        gradient.iter_mut().zip(row).for_each(|(sum, z)| *sum += slope * z);
        *weight *= probability * (1.0 - probability);
    });
}

/// Moments of (1, columns) and the outcome under weights, scaled to total weight 1.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedMoments {
    /// Of (1, columns).
    pub columns: Matrix,
    /// Of (1, columns) with the outcome.
    pub cross: Vec<f64>,
    /// Of the outcome with itself.
    pub square: f64,
    /// Sum of the weights, with base weights.
    pub total: f64,
    /// Kish's effective sample size `(sum w)^2 / sum w^2`, a row with base weight 2 counting as two rows.
    pub effective_sample_size: f64,
}

impl WeightedMoments {
    /// One pass.
    pub fn of(data: &dyn RowSource, weighting: &Weighting, outcome: Outcome) -> Result<Self> {
        let width = data.frame().columns() + 1;
        let pass = Pass::Moments { weighting: weighting.clone(), outcome };
        let (values, mut columns) = pass.over(data, width)?;
        let total = columns[(0, 0)];
        columns.scale(1.0 / total);
        Ok(Self {
            columns,
            cross: values[2..].iter().map(|sum| sum / total).collect(),
            square: values[1] / total,
            total,
            effective_sample_size: total * total / values[0],
        })
    }
}

/// `sum b (w r)^2 z z'`.
pub(crate) fn noise(
    data: &dyn RowSource,
    weighting: &Weighting,
    outcome: Outcome,
    coefficients: Vec<f64>,
) -> Result<Matrix> {
    let width = coefficients.len();
    let pass = Pass::Noise { weighting: weighting.clone(), outcome, coefficients };
    Ok(pass.over(data, width)?.1)
}

/// What a step of least squares needs.
pub struct LeastSquares {
    /// `sum v z z'`.
    pub moments: Matrix,
    /// `sum v z r`.
    pub cross: Vec<f64>,
    /// Rows whose residual is beyond the limit.
    pub beyond: f64,
}

impl LeastSquares {
    /// One pass, around coefficients.
    pub fn around(
        data: &dyn RowSource,
        weighting: &Weighting,
        coefficients: &[f64],
        limit: Option<f64>,
    ) -> Result<Self> {
        let pass = Pass::Step { weighting: weighting.clone(), coefficients: coefficients.to_vec(), limit };
        let (mut values, moments) = pass.over(data, coefficients.len())?;
        let cross = values.split_off(1);
        Ok(Self { moments, cross, beyond: values[0] })
    }
}

/// Logistic regression at some coefficients, per unit of weight.
pub struct Logistic {
    /// The mean negative log-likelihood.
    pub loss: f64,
    /// Its slopes.
    pub gradient: Vec<f64>,
    /// Its second derivatives.
    pub hessian: Matrix,
    /// The share of the second class.
    pub share: f64,
}

impl Logistic {
    /// One pass; `total` is the sum of the weights.
    pub fn at(data: &dyn RowSource, weighting: &Weighting, coefficients: &[f64], total: f64) -> Result<Self> {
        let target = &data.frame().target;
        let standard = (target.mean, target.scale);
        let pass = Pass::Logistic { weighting: weighting.clone(), coefficients: coefficients.to_vec(), standard };
        let (values, mut hessian) = pass.over(data, coefficients.len())?;
        hessian.scale(1.0 / total);
        let gradient = values[2..].iter().map(|sum| sum / total).collect();
        Ok(Self { loss: values[0] / total, share: values[1] / total, gradient, hessian })
    }
}
