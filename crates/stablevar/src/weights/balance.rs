//! Decorrelating weights as a small convex problem.
//!
//! Of all weights that remove the correlations the mask names, [`Balance`] finds those closest to uniform:
//!
//! ```text
//! minimise  D(w || 1) + 1/(2 ridge) sum_{i<j} (A_ij C_ij(w))^2    over w >= 0 with mean w = 1,
//!           C_ij(w) = mean_k w_k z_ki z_kj
//! ```
//!
//! Its dual has one unknown per constraint and no unknown per row. With `z~ = (1, z)` and a symmetric matrix
//! `T` that holds the unknowns, a row's weight is a function of the row alone,
//!
//! ```text
//! w(z) = rho(z~' T z~),     F(T) = mean_k Psi(z~_k' T z~_k) - T_00 + 1/2 sum_{i<j} ridge / A_ij^2 t_ij^2
//! ```
//!
//! where `Psi' = rho`. The gradient of `F` is the weighted second-moment matrix of `z~`, so that one pass over
//! the rows gives value and gradient at once: O(n p^2), two matrix products, no memory per row.

use super::{Mask, Reweighted, Reweighter, SampleWeights};
use crate::design::TrainingData;
use crate::linalg::{Cholesky, Matrix, add_cross_product, dot, multiply_rows};
use crate::optim::{Minimum, Options, StopReason, minimise};
use crate::parameter::Positive;
use crate::rows::{TILE, map_blocks, scale_rows, sum_matrices, tiles};
use serde::{Deserialize, Serialize};

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
    fn weight(self, u: f64) -> f64 {
        match self {
            Divergence::Entropy => u.exp(),
            Divergence::Chi2 => u.max(0.0),
        }
    }

    /// `Psi`, whose derivative is the weight.
    fn potential(self, u: f64) -> f64 {
        match self {
            Divergence::Entropy => u.exp(),
            Divergence::Chi2 => 0.5 * u.max(0.0).powi(2),
        }
    }

    fn weight_slope(self, u: f64) -> f64 {
        match self {
            Divergence::Entropy => u.exp(),
            Divergence::Chi2 => f64::from(u > 0.0),
        }
    }

    /// The `u` that gives weight 1.
    fn neutral(self) -> f64 {
        match self {
            Divergence::Entropy => 0.0,
            Divergence::Chi2 => 1.0,
        }
    }
}

/// What happens to the columns' means under the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Means {
    /// They stay where they are.
    #[default]
    Pinned,
    /// They may move, and correlations are taken around the moved means: a little more effective sample size.
    Recentred,
}

/// The weighting problem above.
///
/// | Name | Default | Purpose | Range |
/// |---|---|---|---|
/// | `divergence` | `Chi2` | the distance to uniform weights | |
/// | `means` | `Pinned` | whether means may move | |
/// | `ridge` | 1e-10 | how much correlation may remain: about `ridge` times the dual unknown | > 0 |
/// | `tolerance` | 1e-9 | largest entry of the gradient at which to stop | > 0 |
/// | `max_iterations` | 500 | steps of the minimiser | |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Balance {
    /// The distance to uniform weights.
    pub divergence: Divergence,
    /// Whether means may move.
    pub means: Means,
    /// How much correlation may remain.
    pub ridge: Positive,
    /// Largest entry of the gradient at which to stop.
    pub tolerance: Positive,
    /// Steps of the minimiser.
    pub max_iterations: usize,
}

impl Default for Balance {
    fn default() -> Self {
        Self {
            divergence: Divergence::default(),
            means: Means::default(),
            ridge: Positive::constant(1e-10),
            tolerance: Positive::constant(1e-9),
            max_iterations: 500,
        }
    }
}

/// The paper's weighting function `w: X -> R+`, on standardised rows with a leading one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WeightFunction {
    divergence: Divergence,
    /// The symmetric matrix T.
    form: Matrix,
    /// Makes the training weights have mean 1 exactly.
    factor: f64,
}

impl WeightFunction {
    /// The weight of every row of a design matrix made by the training data's encoding.
    pub fn weigh(&self, design: &Matrix) -> Vec<f64> {
        let mut weights = raw_weights(design, &self.form, self.divergence);
        weights.iter_mut().for_each(|weight| *weight *= self.factor);
        weights
    }
}

impl Reweighter for Balance {
    fn reweigh(&self, data: &TrainingData, mask: &Mask, start: Option<&Reweighted>) -> Reweighted {
        self.solve(data, mask, start.and_then(|earlier| earlier.function.as_ref()))
    }
}

impl Balance {
    /// Finds the weights; `start` is the solution for a similar mask, if there is one.
    pub fn solve(&self, data: &TrainingData, mask: &Mask, start: Option<&WeightFunction>) -> Reweighted {
        let mut problem = Dual::new(self, data, mask);
        let start = problem.starting_point(start.filter(|function| function.divergence == self.divergence));
        let minimum = match self.means {
            Means::Pinned => problem.minimise(start),
            Means::Recentred => problem.minimise_over_means(start),
        };
        let form = problem.form(&minimum.point);
        let raw = raw_weights(&data.design, &form, self.divergence);
        let mean = dot(&raw, &data.base) / problem.total;
        let function = WeightFunction { divergence: self.divergence, form, factor: 1.0 / mean };
        let weights = SampleWeights::new(raw, &data.base);
        Reweighted { weights, function: Some(function), stop: minimum.stop, passes: problem.passes + 1 }
    }
}

/// `rho(z~' T z~)` for every row.
fn raw_weights(design: &Matrix, form: &Matrix, divergence: Divergence) -> Vec<f64> {
    let width = design.columns();
    let blocks = map_blocks(design.rows(), |block| {
        let mut product = vec![0.0; TILE * width];
        let mut weights = Vec::with_capacity(block.len());
        for tile in tiles(block) {
            let rows = &design.values()[tile.start * width..tile.end * width];
            let product = &mut product[..rows.len()];
            multiply_rows(rows, form, product);
            let forms = rows.chunks_exact(width).zip(product.chunks_exact(width)).map(|(row, image)| dot(row, image));
            weights.extend(forms.map(|u| divergence.weight(u)));
        }
        weights
    });
    blocks.concat()
}

/// The dual problem for one mask: the unknowns are `t_0`, then `b_1..b_p` for the means, then one per pair.
struct Dual<'a> {
    balance: &'a Balance,
    data: &'a TrainingData,
    pairs: Vec<(usize, usize, f64)>,
    /// Columns are taken around this point, which becomes their weighted mean; 0 unless means are re-centred.
    centre: Vec<f64>,
    /// Sum of the base weights.
    total: f64,
    passes: usize,
}

/// With the explicit Hessian as preconditioner, it is computed anew after this many steps.
const STEPS_PER_HESSIAN: usize = 8;
/// Rows from which the explicit Hessian is computed: enough to point the way, not more.
const HESSIAN_ROWS: usize = 4096;
/// The explicit Hessian may cost as much as this many passes; beyond that its diagonal must do.
const HESSIAN_PASSES: usize = 40;

impl<'a> Dual<'a> {
    fn new(balance: &'a Balance, data: &'a TrainingData, mask: &Mask) -> Self {
        let total = data.total_weight();
        Self { balance, data, pairs: mask.pairs(), centre: vec![0.0; data.columns()], total, passes: 0 }
    }

    /// Unknowns before the pairs.
    fn offset(&self) -> usize {
        1 + self.data.columns()
    }

    fn size(&self) -> usize {
        self.offset() + self.pairs.len()
    }

    fn ridge(&self, strength: f64) -> f64 {
        self.balance.ridge.get() / (strength * strength)
    }

    fn starting_point(&self, start: Option<&WeightFunction>) -> Vec<f64> {
        let mut point = vec![0.0; self.size()];
        point[0] = self.balance.divergence.neutral();
        if let Some(function) = start {
            point[0] = function.form[(0, 0)];
            for column in 0..self.data.columns() {
                point[1 + column] = 2.0 * function.form[(0, column + 1)];
            }
            for (unknown, &(i, j, _)) in point[self.offset()..].iter_mut().zip(&self.pairs) {
                *unknown = 2.0 * function.form[(i + 1, j + 1)];
            }
        }
        point
    }

    /// The matrix T of the unknowns, on columns that are not centred.
    fn form(&self, point: &[f64]) -> Matrix {
        let width = self.data.columns() + 1;
        let mut form = Matrix::zeros(width, width);
        form[(0, 0)] = point[0];
        for column in 1..self.offset() {
            form[(0, column)] = 0.5 * point[column];
            form[(column, 0)] = 0.5 * point[column];
        }
        for (unknown, &(i, j, _)) in point[self.offset()..].iter().zip(&self.pairs) {
            form[(i + 1, j + 1)] = 0.5 * unknown;
            form[(j + 1, i + 1)] = 0.5 * unknown;
        }
        self.move_centre(form)
    }

    /// `L' T L` with `L (1, z) = (1, z - centre)`: the same quadratic form in columns that are not centred.
    fn move_centre(&self, mut form: Matrix) -> Matrix {
        if self.centre.iter().all(|&mean| mean == 0.0) {
            return form;
        }
        let width = form.rows();
        for row in 0..width {
            form[(row, 0)] -= (1..width).map(|column| form[(row, column)] * self.centre[column - 1]).sum::<f64>();
        }
        for column in 0..width {
            form[(0, column)] -= (1..width).map(|row| self.centre[row - 1] * form[(row, column)]).sum::<f64>();
        }
        form
    }

    /// `L M L'`: second moments around the centre from those around 0.
    fn centre_moments(&self, mut moments: Matrix) -> Matrix {
        let width = moments.rows();
        for row in 1..width {
            let mean = self.centre[row - 1];
            for column in 0..width {
                let shift = mean * moments[(0, column)];
                moments[(row, column)] -= shift;
            }
        }
        for column in 1..width {
            let mean = self.centre[column - 1];
            for row in 0..width {
                let shift = mean * moments[(row, 0)];
                moments[(row, column)] -= shift;
            }
        }
        moments
    }

    /// One pass: `mean Psi(u)` and the weighted second moments `mean w z~ z~'`.
    fn pass(&mut self, form: &Matrix) -> (f64, Matrix) {
        let design = &self.data.design;
        let width = design.columns();
        let divergence = self.balance.divergence;
        self.passes += 1;
        let blocks = map_blocks(design.rows(), |block| {
            let mut value = 0.0;
            let mut moments = Matrix::zeros(width, width);
            let mut product = vec![0.0; TILE * width];
            let mut weights = vec![0.0; TILE];
            for tile in tiles(block) {
                let rows = &design.values()[tile.start * width..tile.end * width];
                let product = &mut product[..rows.len()];
                multiply_rows(rows, form, product);
                for (k, row) in tile.clone().enumerate() {
                    let u = dot(&rows[k * width..(k + 1) * width], &product[k * width..(k + 1) * width]);
                    value += self.data.base[row] * divergence.potential(u);
                    weights[k] = self.data.base[row] * divergence.weight(u);
                }
                scale_rows(rows, weights.iter().copied(), width, product);
                add_cross_product(product, rows, &mut moments);
            }
            (value, moments)
        });
        let mut moments = Matrix::zeros(width, width);
        let mut value = 0.0;
        for (part, matrix) in &blocks {
            value += part;
            moments.add_assign(matrix);
        }
        moments.scale(1.0 / self.total);
        (value / self.total, moments)
    }

    /// The dual objective F and its gradient.
    fn objective(&mut self, point: &[f64], gradient: &mut [f64]) -> f64 {
        let form = self.form(point);
        let (potential, moments) = self.pass(&form);
        let moments = self.centre_moments(moments);
        let offset = self.offset();
        let mut value = potential - point[0];
        gradient[0] = moments[(0, 0)] - 1.0;
        for column in 1..offset {
            gradient[column] = moments[(0, column)];
        }
        for (k, &(i, j, strength)) in self.pairs.iter().enumerate() {
            let ridge = self.ridge(strength);
            let unknown = point[offset + k];
            gradient[offset + k] = moments[(i + 1, j + 1)] + ridge * unknown;
            value += 0.5 * ridge * unknown * unknown;
        }
        value
    }

    /// Also moves the means to where the distance to uniform weights is least.
    ///
    /// With the means pinned at `m` the least distance is `V(m) = -min F`, and its slope in `m` is the
    /// unknown `b` that pins them: so this is a descent in p dimensions around the solver for pinned means.
    fn minimise_over_means(&mut self, start: Vec<f64>) -> Minimum {
        let columns = self.data.columns();
        let mut best = self.minimise(start);
        let options = Options { gradient_tolerance: self.balance.tolerance.get().max(1e-7), max_iterations: 100, memory: 12 };
        // Moving the means by d costs about d^2 / 2 times the mean squared weight: that sets the length of a step.
        let weights = SampleWeights::new(raw_weights(&self.data.design, &self.form(&best.point), self.balance.divergence), &self.data.base);
        let length = weights.effective_sample_size() / self.total;
        let distance = |centre: &[f64], slope: &mut [f64]| {
            self.centre.copy_from_slice(centre);
            let minimum = self.minimise(best.point.clone());
            if !minimum.stop.converged() {
                return f64::INFINITY;
            }
            slope.copy_from_slice(&minimum.point[1..=columns]);
            best = minimum;
            -best.value
        };
        let precondition = |slope: &mut [f64]| slope.iter_mut().for_each(|value| *value *= length);
        let outer = minimise(distance, precondition, vec![0.0; columns], options);
        self.centre = outer.point;
        let mut minimum = self.minimise(best.point);
        if !outer.stop.converged() {
            minimum.stop = outer.stop;
        }
        minimum
    }

    fn minimise(&mut self, start: Vec<f64>) -> Minimum {
        let explicit = self.explicit_hessian_pays();
        let steps = if explicit { STEPS_PER_HESSIAN } else { self.balance.max_iterations };
        let mut point = start;
        let mut left = self.balance.max_iterations;
        loop {
            let options = Options {
                gradient_tolerance: self.balance.tolerance.get(),
                max_iterations: steps.min(left),
                memory: 12,
            };
            let minimum = if explicit {
                let hessian = self.hessian(&point);
                let factor = Cholesky::with_least_ridge(&hessian);
                let precondition = |vector: &mut [f64]| {
                    if let Some(factor) = &factor {
                        factor.solve_in_place(vector);
                    }
                };
                minimise(|x, g| self.objective(x, g), precondition, point, options)
            } else {
                let diagonal = self.hessian_diagonal(&point);
                let precondition =
                    |vector: &mut [f64]| vector.iter_mut().zip(&diagonal).for_each(|(value, scale)| *value /= scale);
                minimise(|x, g| self.objective(x, g), precondition, point, options)
            };
            left -= minimum.iterations.min(left);
            if minimum.stop != StopReason::IterationLimit || left == 0 {
                return minimum;
            }
            point = minimum.point;
        }
    }

    fn hessian_rows(&self) -> usize {
        self.data.rows().min(HESSIAN_ROWS.max(4 * self.size()))
    }

    fn explicit_hessian_pays(&self) -> bool {
        let width = self.data.design.columns();
        let cost = (self.hessian_rows() * self.size()).saturating_mul(self.size());
        cost <= HESSIAN_PASSES * 2 * self.data.rows() * width * width
    }

    /// The Hessian of F over evenly spaced rows.
    fn hessian(&self, point: &[f64]) -> Matrix {
        let (size, count, rows) = (self.size(), self.hessian_rows(), self.data.rows());
        let width = self.data.design.columns();
        let form = self.form(point);
        let with_base = |k: usize| (k * rows / count, self.data.base[k * rows / count]);
        let mut hessian = sum_matrices(count, size, |block, total| {
            let mut features = vec![0.0; TILE * size];
            let mut image = vec![0.0; width];
            for tile in tiles(block) {
                for (slot, k) in tile.clone().enumerate() {
                    let (row, base) = with_base(k);
                    let values = self.data.design.row(row);
                    multiply_rows(values, &form, &mut image);
                    let factor = (base * self.balance.divergence.weight_slope(dot(values, &image))).sqrt();
                    self.fill_features(values, factor, &mut features[slot * size..(slot + 1) * size]);
                }
                let used = &features[..tile.len() * size];
                add_cross_product(used, used, total);
            }
        });
        let sampled: f64 = (0..count).map(|k| with_base(k).1).sum();
        hessian.scale(1.0 / sampled);
        for (k, &(_, _, strength)) in self.pairs.iter().enumerate() {
            hessian[(self.offset() + k, self.offset() + k)] += self.ridge(strength);
        }
        hessian
    }

    /// The row's contribution to every constraint, times a factor.
    fn fill_features(&self, row: &[f64], factor: f64, features: &mut [f64]) {
        let offset = self.offset();
        features[0] = factor;
        for column in 1..offset {
            features[column] = factor * (row[column] - self.centre[column - 1]);
        }
        for (feature, &(i, j, _)) in features[offset..].iter_mut().zip(&self.pairs) {
            *feature = factor * (row[i + 1] - self.centre[i]) * (row[j + 1] - self.centre[j]);
        }
    }

    /// The diagonal of the Hessian: products of squared columns, one pass.
    fn hessian_diagonal(&mut self, point: &[f64]) -> Vec<f64> {
        self.passes += 1;
        let form = self.form(point);
        let design = &self.data.design;
        let width = design.columns();
        let mut squares = sum_matrices(design.rows(), width, |block, total| {
            let mut image = vec![0.0; TILE * width];
            let mut squared = vec![0.0; TILE * width];
            for tile in tiles(block) {
                let rows = &design.values()[tile.start * width..tile.end * width];
                let (image, squared) = (&mut image[..rows.len()], &mut squared[..rows.len()]);
                multiply_rows(rows, &form, image);
                for (k, row) in tile.clone().enumerate() {
                    let span = k * width..(k + 1) * width;
                    let slope = self.balance.divergence.weight_slope(dot(&rows[span.clone()], &image[span.clone()]));
                    squared[k * width] = 1.0;
                    image[k * width] = slope * self.data.base[row];
                    for column in 1..width {
                        let value = (rows[k * width + column] - self.centre[column - 1]).powi(2);
                        squared[k * width + column] = value;
                        image[k * width + column] = slope * self.data.base[row] * value;
                    }
                }
                add_cross_product(image, squared, total);
            }
        });
        squares.scale(1.0 / self.total);
        let mut diagonal: Vec<f64> = (0..self.offset()).map(|column| squares[(0, column)]).collect();
        diagonal.extend(self.pairs.iter().map(|&(i, j, strength)| squares[(i + 1, j + 1)] + self.ridge(strength)));
        // A constraint that no weighted row touches gets a small curvature, so that its step stays finite.
        diagonal.iter_mut().for_each(|value| *value = value.max(1e-8));
        diagonal
    }
}
