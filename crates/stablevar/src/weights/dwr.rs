//! Masked DWR as published: one free weight per row, found by gradient descent.

use super::nearest::nearest;
use super::{Mask, Reweighted, Reweighter, SampleWeights, WeightFunction};
use crate::design::TrainingData;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, add_cross_product, covariance_from_moments, dot, multiply_rows};
use crate::optim::StopReason;
use crate::parameter::Positive;
use crate::passes::RowSource;
use crate::rows::{TILE, map_blocks_mut, scale_rows, tiles};
use serde::{Deserialize, Serialize};

/// Columns up to which a function of the row is looked for: it has one coefficient per pair.
const MOST_COLUMNS: usize = 30;
/// Adam's decay of the mean gradient, of the mean squared gradient, and its guard against division by 0.
const ADAM: (f64, f64, f64) = (0.9, 0.999, 1e-8);

/// Gradient descent on the paper's loss, `L(w) = sum_{i != j} (A_ij Cov(X_i, X_j; w))^2`, with `w = v^2` scaled to mean 1.
///
/// Kept so that a comparison with the published method is honest; [`super::Balance`] solves the same task
/// a few hundred times faster and with a larger effective sample size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Dwr {
    /// Steps of the descent.
    pub steps: usize,
    /// Adam's step length.
    pub learning_rate: Positive,
    /// The loss at which to stop early.
    pub tolerance: Positive,
}

impl Default for Dwr {
    fn default() -> Self {
        Self { steps: 20_000, learning_rate: Positive::constant(0.01), tolerance: Positive::constant(1e-12) }
    }
}

/// What the descent keeps for a row.
#[derive(Clone, Copy)]
struct RowState {
    root: f64,
    mean_gradient: f64,
    mean_square: f64,
}

/// The quadratic form whose value at a row is the slope of the loss in that row's weight.
struct Slope {
    form: Matrix,
    level: f64,
    loss: f64,
}

impl Reweighter for Dwr {
    fn needs_memory(&self) -> Option<&'static str> {
        Some("the descent on free weights")
    }

    fn reweigh(
        &self,
        data: &dyn RowSource,
        mask: &Mask,
        _start: Option<&WeightFunction>,
        _seed: u64,
    ) -> Result<Reweighted> {
        let data = data.memory().ok_or_else(|| Error::NeedsMemory { what: "the descent on free weights".into() })?;
        let mut rows = vec![RowState { root: 1.0, mean_gradient: 0.0, mean_square: 0.0 }; data.rows()];
        let mut moments = descend(data, &mut rows, None);
        let mut stop = StopReason::IterationLimit;
        let mut passes = 1;
        for step in 1..=self.steps {
            let slope = loss_slope(&moments, mask);
            if slope.loss <= self.tolerance.get() {
                stop = StopReason::Converged;
                break;
            }
            let correction = (1.0 - ADAM.1.powi(step as i32)).sqrt() / (1.0 - ADAM.0.powi(step as i32));
            let rate = self.learning_rate.get() * correction;
            moments = descend(data, &mut rows, Some((&slope, rate, moments[(0, 0)])));
            passes += 1;
        }
        let weights = SampleWeights::new(rows.iter().map(|row| row.root * row.root).collect(), &data.base);
        // Free weights are no function of the row; new rows get what comes nearest to one.
        let function = (data.columns() <= MOST_COLUMNS)
            .then(|| nearest(data, &weights.values(data)))
            .flatten()
            .map(WeightFunction::Quadratic);
        Ok(Reweighted { weights, function, truncated: None, reached: None, stop, passes })
    }
}

/// With `C = sum q zz' - mm'` and weights `q` that sum to 1, the slope of the loss in `q_k` is
/// `(z_k - m)' B (z_k - m)` up to a constant, `B_ij = 2 A_ij^2 C_ij` off the diagonal; that constant is its mean.
fn loss_slope(moments: &Matrix, mask: &Mask) -> Slope {
    let mut shares = moments.clone();
    shares.scale(1.0 / moments[(0, 0)]);
    let covariance = covariance_from_moments(&shares);
    let size = covariance.rows();
    let mean = |i: usize| shares[(0, i + 1)];
    let half = Matrix::from_fn(size, size, |i, j| 2.0 * mask.strength(i, j).powi(2) * covariance[(i, j)]);
    let pulled = half.times(&(0..size).map(mean).collect::<Vec<_>>());
    let mut form = Matrix::zeros(size + 1, size + 1);
    let (mut level, mut loss) = (0.0, 0.0);
    for i in 0..size {
        form[(0, 0)] += mean(i) * pulled[i];
        form[(0, i + 1)] = -pulled[i];
        form[(i + 1, 0)] = -pulled[i];
        for j in 0..size {
            form[(i + 1, j + 1)] = half[(i, j)];
            level += half[(i, j)] * covariance[(i, j)];
            loss += (mask.strength(i, j) * covariance[(i, j)]).powi(2);
        }
    }
    Slope { form, level, loss }
}

/// One Adam step on every row (none without a slope), and the moments of (1, z) under the new weights, in one pass.
fn descend(data: &TrainingData, states: &mut [RowState], slope: Option<(&Slope, f64, f64)>) -> Matrix {
    let width = data.design.columns();
    let parts = map_blocks_mut(states, |block, states| {
        let mut moments = Matrix::zeros(width, width);
        let mut image = vec![0.0; TILE * width];
        let start = block.start;
        for tile in tiles(block) {
            let rows = &data.design.values()[tile.start * width..tile.end * width];
            let image = &mut image[..rows.len()];
            let states = &mut states[tile.start - start..tile.end - start];
            let base = &data.base[tile];
            if let Some((slope, rate, total)) = slope {
                multiply_rows(rows, &slope.form, image);
                for (k, state) in states.iter_mut().enumerate() {
                    let span = k * width..(k + 1) * width;
                    let form = dot(&rows[span.clone()], &image[span]);
                    let gradient = 2.0 * state.root * base[k] * (form - slope.level) / total;
                    state.mean_gradient = ADAM.0 * state.mean_gradient + (1.0 - ADAM.0) * gradient;
                    state.mean_square = ADAM.1 * state.mean_square + (1.0 - ADAM.1) * gradient * gradient;
                    state.root -= rate * state.mean_gradient / (state.mean_square.sqrt() + ADAM.2);
                }
            }
            let weights = states.iter().zip(base).map(|(state, base)| base * state.root * state.root);
            scale_rows(rows, weights, width, image);
            add_cross_product(image, rows, &mut moments);
        }
        moments
    });
    let mut moments = Matrix::zeros(width, width);
    parts.iter().for_each(|part| moments.add_assign(part));
    moments
}
