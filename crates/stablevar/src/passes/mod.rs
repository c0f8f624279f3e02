//! Passes over the rows: all that Algorithm 1 ever asks of them.
//!
//! A pass has parameters of the size of the columns and returns sums of that size. So it does not matter where the rows are:
//! in memory ([`TrainingData`](crate::design::TrainingData)), in a file, or spread over machines. Each of these is a
//! [`RowSource`], and every part of a fit that needs all rows is written in terms of passes.

mod memory;
mod moments;
mod quadratic;
mod spread;
mod weighting;

pub(crate) use moments::noise;
pub use moments::{LeastSquares, Logistic, WeightedMoments};
pub use quadratic::moment_pass;
pub(crate) use quadratic::raw_weights;
pub(crate) use spread::{BINS, Extremes, NAMED, median_residual, spread};
pub use weighting::{Divergence, QuadraticFunction, Weighting};

use crate::design::{Frame, TrainingData};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::rows::{blocks, tiles};
use crate::threads;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Rows that can be passed over.
///
/// The implementor must give every row the same place in every pass, and sums that do not depend on the number of threads.
pub trait RowSource: Send + Sync {
    /// What is known of the rows without looking at them again.
    fn frame(&self) -> &Frame;

    /// The sums of a pass over all rows.
    fn run(&self, pass: &Pass) -> Result<Vec<f64>>;

    /// Some of the rows, by their places, as rows in memory.
    fn take(&self, places: &[usize]) -> Result<TrainingData>;

    /// The rows, if they are in memory.
    fn memory(&self) -> Option<&TrainingData> {
        None
    }

    /// The position in the table of the row at a place.
    fn position(&self, place: usize) -> usize;
}

/// A pass over the rows. `z` is a row with its leading 1, `y` the standardised outcome, `b` the base weight and `w` the weight
/// that `weighting` gives.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pass {
    /// `sum b Psi(u)` and `sum b rho(u) z z'` with `u = z' form z`.
    Dual {
        /// The quadratic form.
        #[serde(deserialize_with = "crate::linalg::with_gaps")]
        form: Matrix,
        /// Which `Psi` and `rho`.
        divergence: Divergence,
    },
    /// `sum b rho'(u) z z'`: the rows whose weight would change.
    Active {
        /// The quadratic form.
        #[serde(deserialize_with = "crate::linalg::with_gaps")]
        form: Matrix,
        /// Which `rho`.
        divergence: Divergence,
    },
    /// Weighted second moments of `z` and the outcome.
    Moments {
        /// The weights.
        weighting: Weighting,
        /// The outcome.
        outcome: Outcome,
    },
    /// `sum b (w r)^2 z z'`, where `r` is what the coefficients leave of the outcome.
    Noise {
        /// The weights.
        weighting: Weighting,
        /// The outcome.
        outcome: Outcome,
        /// One per column of `z`.
        coefficients: Vec<f64>,
    },
    /// What a step of least squares needs: moments of `z` and of the residuals, each row weighted as Huber does: by
    /// `min(1, limit / |r|)`.
    Step {
        /// The weights.
        weighting: Weighting,
        /// One per column of `z`.
        coefficients: Vec<f64>,
        /// Where Huber's loss turns linear.
        limit: Option<f64>,
    },
    /// Loss, gradient and Hessian of logistic regression.
    Logistic {
        /// The weights.
        weighting: Weighting,
        /// One per column of `z`.
        coefficients: Vec<f64>,
        /// Mean and scale of the standardised labels.
        standard: (f64, f64),
    },
    /// How large the residuals are: the weight of those below `low`, of equal bins up to `high`, and above.
    Residuals {
        /// The weights.
        weighting: Weighting,
        /// One per column of `z`.
        coefficients: Vec<f64>,
        /// Where the bins begin.
        low: f64,
        /// Where they end.
        high: f64,
    },
    /// The least, the greatest and the rows of the greatest weights.
    Extremes {
        /// The weights.
        weighting: Weighting,
    },
    /// How the weights are spread: how many rows and how much weight is in equal bins from 0, and above.
    Spread {
        /// The weights.
        weighting: Weighting,
        /// Where the bins end.
        high: f64,
        /// How many there are.
        bins: usize,
    },
}

/// What plays the outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The target.
    Target,
    /// The working outcome of logistic regression around these log-odds, which also weighs rows by how much they tell.
    Working {
        /// The log-odds' coefficients, one per column of `z`.
        coefficients: Vec<f64>,
        /// Mean and scale of the standardised labels.
        standard: (f64, f64),
    },
}

/// Some rows that follow each other.
#[derive(Clone, Copy)]
pub struct Chunk<'a> {
    /// The place of the first.
    pub first: usize,
    /// Row by row, each with its leading 1.
    pub design: &'a [f64],
    /// Base weights.
    pub base: &'a [f64],
    /// Standardised outcomes.
    pub outcome: &'a [f64],
}

impl<'a> Chunk<'a> {
    /// Its rows a tile at a time.
    fn tiles(self) -> impl Iterator<Item = Chunk<'a>> {
        let (rows, width) = (self.base.len(), self.width());
        tiles(0..rows).map(move |tile| Chunk {
            first: self.first + tile.start,
            design: &self.design[tile.start * width..tile.end * width],
            base: &self.base[tile.clone()],
            outcome: &self.outcome[tile],
        })
    }

    fn width(self) -> usize {
        self.design.len() / self.base.len().max(1)
    }

    fn rows(self) -> std::slice::ChunksExact<'a, f64> {
        self.design.chunks_exact(self.width().max(1))
    }
}

/// What a pass adds up.
pub(crate) struct Sums {
    values: Vec<f64>,
    /// Its lower triangle.
    matrix: Matrix,
}

impl Sums {
    fn finish(mut self) -> Vec<f64> {
        self.matrix.mirror_lower();
        self.values.extend_from_slice(self.matrix.values());
        self.values
    }
}

/// Sums that are merged at once.
pub const BRANCHES: usize = 8;
/// Numbers that the sums of all blocks may hold together before they are merged.
const HELD: usize = 1 << 21;

impl Pass {
    /// Numbers and the size of the square matrix that a pass sums.
    fn size(&self, width: usize) -> (usize, usize) {
        match self {
            Pass::Dual { .. } => (1, width),
            Pass::Active { .. } | Pass::Noise { .. } => (0, width),
            Pass::Moments { .. } => (2 + width, width),
            Pass::Step { .. } => (1 + width, width),
            Pass::Logistic { .. } => (2 + width, width),
            Pass::Residuals { .. } => (2 + BINS, 0),
            Pass::Extremes { .. } => (1 + 2 * NAMED, 0),
            Pass::Spread { bins, .. } => (2 * (1 + bins), 0),
        }
    }

    fn zero(&self, width: usize) -> Sums {
        let (values, size) = self.size(width);
        let mut sums = Sums { values: vec![0.0; values], matrix: Matrix::zeros(size, size) };
        if let Pass::Extremes { .. } = self {
            Extremes::NONE.write(&mut sums.values);
        }
        sums
    }

    fn add(&self, chunk: Chunk, sums: &mut Sums) {
        match self {
            Pass::Dual { form, divergence } => quadratic::add_dual(chunk, form, *divergence, sums),
            Pass::Active { form, divergence } => quadratic::add_active(chunk, form, *divergence, sums),
            Pass::Moments { weighting, outcome } => moments::add_moments(chunk, weighting, outcome, sums),
            Pass::Noise { weighting, outcome, coefficients } => {
                moments::add_noise(chunk, weighting, outcome, coefficients, sums);
            }
            Pass::Step { weighting, coefficients, limit } => {
                moments::add_step(chunk, weighting, coefficients, limit.unwrap_or(f64::INFINITY), sums);
            }
            Pass::Logistic { weighting, coefficients, standard } => {
                moments::add_logistic(chunk, weighting, coefficients, *standard, sums);
            }
            Pass::Residuals { weighting, coefficients, low, high } => {
                spread::add_residuals(chunk, weighting, coefficients, *low..*high, &mut sums.values);
            }
            Pass::Extremes { weighting } => spread::add_extremes(chunk, weighting, &mut sums.values),
            Pass::Spread { weighting, high, .. } => spread::add_spread(chunk, weighting, *high, &mut sums.values),
        }
    }

    fn merge(&self, total: &mut [f64], part: &[f64]) {
        match self {
            Pass::Extremes { .. } => Extremes::read(total).merge(Extremes::read(part)).write(total),
            _ => total.iter_mut().zip(part).for_each(|(sum, part)| *sum += part),
        }
    }

    /// The sums of neighbouring parts of the rows, in order, from the sums of each.
    pub fn merge_few<'a>(&self, parts: impl IntoIterator<Item = &'a [f64]>) -> Vec<f64> {
        let mut parts = parts.into_iter();
        let mut total = parts.next().unwrap_or_default().to_vec();
        parts.for_each(|part| self.merge(&mut total, part));
        total
    }

    /// The sums of a block of rows that are at hand.
    pub fn run_block(&self, chunk: Chunk, width: usize) -> Vec<f64> {
        let mut sums = self.zero(width);
        self.add(chunk, &mut sums);
        sums.finish()
    }

    /// Runs over rows whose chunks `visit` shows, block by block and many blocks at once.
    ///
    /// Which rows are a block depends on their number alone ([`blocks`](crate::rows::blocks)), and the blocks' sums are merged in a
    /// tree with [`BRANCHES`] branches: the same rows give the same sums to the last bit, wherever they are and however many
    /// threads or machines there are.
    pub fn run_in_blocks<E: Send>(
        &self,
        rows: usize,
        width: usize,
        visit: impl Fn(Range<usize>, &mut dyn FnMut(Chunk)) -> std::result::Result<(), E> + Sync + Send,
    ) -> std::result::Result<Vec<f64>, E> {
        let blocks = blocks(rows);
        // Sums of many columns are merged as soon as those beside them are there, so that few are held at once.
        let (values, size) = self.size(width);
        let at_once = if (values + size * size) * blocks.len() > HELD { BRANCHES } else { blocks.len() };
        let sum = |block: &Range<usize>| {
            let mut sums = self.zero(width);
            visit(block.clone(), &mut |chunk| self.add(chunk, &mut sums))?;
            Ok(sums.finish())
        };
        let mut sums = Vec::new();
        for some in blocks.chunks(at_once.max(1)) {
            let parts = match some {
                // No thread need be woken for it.
                [block] => vec![sum(block)],
                _ => threads::map(some.len(), |k| sum(&some[k])),
            };
            let parts = parts.into_iter().collect::<std::result::Result<Vec<_>, E>>()?;
            sums.extend(parts.chunks(BRANCHES).map(|few| self.merge_few(few.iter().map(Vec::as_slice))));
        }
        while sums.len() > 1 {
            sums = sums.chunks(BRANCHES).map(|few| self.merge_few(few.iter().map(Vec::as_slice))).collect();
        }
        Ok(sums.pop().unwrap_or_else(|| self.zero(width).finish()))
    }

    /// The numbers and the matrix that a pass over some rows gives.
    fn over(&self, data: &dyn RowSource, width: usize) -> Result<(Vec<f64>, Matrix)> {
        let result = data.run(self)?;
        let (values, size) = self.size(width);
        if result.len() != values + size * size {
            return Err(Error::Pass(format!("a pass gave {} sums, not {}", result.len(), values + size * size)));
        }
        Ok(self.read(result, width))
    }

    /// The numbers and the matrix of a pass' result.
    fn read(&self, mut result: Vec<f64>, width: usize) -> (Vec<f64>, Matrix) {
        let (values, size) = self.size(width);
        let matrix = result.split_off(values.min(result.len()));
        (result, Matrix::from_values(size, size, matrix))
    }
}

/// Sums of the dual's pass: `sum b Psi(u)` and `sum b rho(u) z z'`.
pub(crate) fn dual(data: &dyn RowSource, form: &Matrix, divergence: Divergence) -> Result<(f64, Matrix)> {
    let pass = Pass::Dual { form: form.clone(), divergence };
    let (values, matrix) = pass.over(data, form.rows())?;
    Ok((values[0], matrix))
}

/// `sum b rho'(u) z z'`.
pub(crate) fn active(data: &dyn RowSource, form: &Matrix, divergence: Divergence) -> Result<Matrix> {
    let pass = Pass::Active { form: form.clone(), divergence };
    Ok(pass.over(data, form.rows())?.1)
}
