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
use crate::linalg::{Cholesky, Matrix, add_cross_product, dot, multiply_rows, symmetric_eigen};
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
/// | `ridge` | 1e-10 | how much correlation may remain: about `ridge` times the dual unknown; `None` is (pairs of columns / rows)^2 | > 0 |
/// | `tolerance` | 1e-9 | largest entry of the gradient at which to stop | > 0 |
/// | `max_iterations` | 500 | steps of the minimiser | |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Balance {
    /// The distance to uniform weights.
    pub divergence: Divergence,
    /// Whether means may move.
    pub means: Means,
    /// How much correlation may remain.
    pub ridge: Option<Positive>,
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
            ridge: Some(Positive::constant(1e-10)),
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
    /// Number of encoded columns it is a function of.
    pub fn columns(&self) -> usize {
        self.form.rows().saturating_sub(1)
    }

    /// The weight of every row of a design matrix made by the training data's encoding.
    pub fn weigh(&self, design: &Matrix) -> Vec<f64> {
        let mut weights = raw_weights(design, &self.form, self.divergence);
        weights.iter_mut().for_each(|weight| *weight *= self.factor);
        weights
    }
}

impl Reweighter for Balance {
    fn reweigh(&self, data: &TrainingData, mask: &Mask, start: Option<&Reweighted>, _seed: u64) -> Reweighted {
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
        if !(mean.is_finite() && mean > 0.0) {
            // Only a search that was cut off can end outside the weights' domain; no weights are better than those.
            let weights = SampleWeights::uniform(&data.base);
            return Reweighted {
                weights,
                function: None,
                truncated: None,
                stop: StopReason::IterationLimit,
                passes: problem.passes,
            };
        }
        let function = WeightFunction { divergence: self.divergence, form, factor: 1.0 / mean };
        let weights = SampleWeights::new(raw, &data.base);
        Reweighted {
            weights,
            function: Some(function),
            truncated: None,
            stop: minimum.stop,
            passes: problem.passes + 1,
        }
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
    ridge: f64,
    passes: usize,
}

/// The squared number of pairs per row: removing chance correlations, each about `n^(-1/2)`, from that many
/// pairs costs a share of the effective sample size of that order, so where it is large the ridge must be.
fn automatic_ridge(columns: usize, total: f64) -> f64 {
    let pairs = (columns * columns.saturating_sub(1)) as f64 / 2.0;
    (pairs / total).powi(2).max(1e-10)
}

/// The preconditioner is computed anew after this many steps.
const STEPS_PER_HESSIAN: usize = 20;
/// After this many preconditioners that take the columns for normal the exact Hessian takes over, if there are no more
/// unknowns than this: it costs O(n q^2), and converges on columns with heavy tails where the other does not.
const NORMAL_ROUNDS: usize = 3;
const MOST_UNKNOWNS: usize = 1200;
/// Rows that the exact Hessian is taken from at most.
const HESSIAN_ROWS: usize = 20_000;

impl<'a> Dual<'a> {
    fn new(balance: &'a Balance, data: &'a TrainingData, mask: &Mask) -> Self {
        let total = data.total_weight();
        let columns = data.columns();
        let ridge = balance.ridge.map_or_else(|| automatic_ridge(columns, total), Positive::get);
        Self { balance, data, pairs: mask.pairs(), centre: vec![0.0; columns], total, ridge, passes: 0 }
    }

    /// Unknowns before the pairs.
    fn offset(&self) -> usize {
        1 + self.data.columns()
    }

    fn size(&self) -> usize {
        self.offset() + self.pairs.len()
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
            let ridge = self.ridge / (strength * strength);
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
        let options =
            Options { gradient_tolerance: self.balance.tolerance.get().max(1e-7), max_iterations: 100, memory: 12 };
        // Moving the means by d costs about d^2 / 2 times the mean squared weight: that sets the length of a step.
        let weights = SampleWeights::new(
            raw_weights(&self.data.design, &self.form(&best.point), self.balance.divergence),
            &self.data.base,
        );
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
        let mut point = start;
        let mut left = self.balance.max_iterations;
        let pairs = self.pairs.clone();
        for round in 0.. {
            let options = Options {
                gradient_tolerance: self.balance.tolerance.get(),
                max_iterations: STEPS_PER_HESSIAN.min(left),
                memory: 12,
            };
            let exact = if round < NORMAL_ROUNDS || self.size() > MOST_UNKNOWNS { None } else { self.hessian(&point) };
            let normal = match exact {
                Some(_) => None,
                None => NormalHessian::new(self.active_moments(&point), &pairs, self.ridge),
            };
            let precondition = |vector: &mut [f64]| match (&exact, &normal) {
                (Some(hessian), _) => hessian.solve_in_place(vector),
                (None, Some(hessian)) => hessian.solve_in_place(vector),
                (None, None) => {}
            };
            let minimum = minimise(|x, g| self.objective(x, g), precondition, point, options);
            left -= minimum.iterations.min(left);
            if minimum.stop != StopReason::IterationLimit || left == 0 {
                return minimum;
            }
            point = minimum.point;
        }
        unreachable!("the loop over rounds returns")
    }

    /// The Hessian of F, factorised: the second moments of what the unknowns multiply, among the rows whose weight would
    /// change, plus the ridge. From evenly spaced rows if there are very many.
    fn hessian(&mut self, point: &[f64]) -> Option<Cholesky> {
        self.passes += 1;
        let (form, design, size, offset) = (self.form(point), &self.data.design, self.size(), self.offset());
        let step = design.rows().div_ceil(HESSIAN_ROWS);
        let rows = design.rows().div_ceil(step);
        let mut hessian = sum_matrices(rows, size, |block, total| {
            let (mut factors, mut scaled) = (vec![0.0; TILE * size], vec![0.0; TILE * size]);
            for tile in tiles(block) {
                let count = tile.len();
                let room = factors.chunks_exact_mut(size).zip(scaled.chunks_exact_mut(size));
                for (row, (factors, scaled)) in tile.zip(room) {
                    let values = design.row(row * step);
                    factors[..offset].copy_from_slice(values);
                    factors[1..offset].iter_mut().zip(&self.centre).for_each(|(value, mean)| *value -= mean);
                    for (k, &(i, j, _)) in self.pairs.iter().enumerate() {
                        factors[offset + k] = factors[i + 1] * factors[j + 1];
                    }
                    let u = dot(values, &form.times(values));
                    let slope = self.data.base[row * step] * self.balance.divergence.weight_slope(u);
                    scaled.iter_mut().zip(factors.iter()).for_each(|(target, value)| *target = slope * value);
                }
                add_cross_product(&scaled[..count * size], &factors[..count * size], total);
            }
        });
        hessian.scale(step as f64 / self.total);
        for (k, &(_, _, strength)) in self.pairs.iter().enumerate() {
            hessian[(offset + k, offset + k)] += self.ridge / (strength * strength);
        }
        Cholesky::with_least_ridge(&hessian)
    }

    /// Second moments of the centred columns among the rows whose weight would change, and their share.
    fn active_moments(&mut self, point: &[f64]) -> Matrix {
        self.passes += 1;
        let form = self.form(point);
        let design = &self.data.design;
        let width = design.columns();
        let mut moments = sum_matrices(design.rows(), width, |block, total| {
            let mut image = vec![0.0; TILE * width];
            let mut slopes = vec![0.0; TILE];
            for tile in tiles(block) {
                let rows = &design.values()[tile.start * width..tile.end * width];
                let image = &mut image[..rows.len()];
                multiply_rows(rows, &form, image);
                for (k, row) in tile.clone().enumerate() {
                    let u = dot(&rows[k * width..(k + 1) * width], &image[k * width..(k + 1) * width]);
                    slopes[k] = self.data.base[row] * self.balance.divergence.weight_slope(u);
                }
                scale_rows(rows, slopes.iter().copied(), width, image);
                add_cross_product(image, rows, total);
            }
        });
        moments.scale(1.0 / self.total);
        self.centre_moments(moments)
    }
}

/// The Hessian of F if the rows that count were normally distributed: then
/// `Cov(z_i z_j, z' T z) = 2 (S T S)_ij` with their second moments S. In the eigenvectors of S that is a product of
/// two eigenvalues, to which the ridge adds, so that the inverse costs O(p^3) to apply.
///
/// On the pairs that the mask leaves out the inverse is cut off, not corrected: a preconditioner may be rough.
struct NormalHessian<'a> {
    /// Share of the rows that count.
    share: f64,
    second: Matrix,
    eigenvalues: Vec<f64>,
    /// Eigenvectors in the rows, and in the columns.
    to_basis: Matrix,
    from_basis: Matrix,
    /// The ridge of a pair of full strength, per row that counts.
    ridge: f64,
    /// What a weaker strength takes off a pair's step, half on either side to keep the operator symmetric.
    damping: Vec<f64>,
    pairs: &'a [(usize, usize, f64)],
}

impl<'a> NormalHessian<'a> {
    /// From the moments of (1, centred columns) over the rows that count; `None` if there are too few.
    fn new(moments: Matrix, pairs: &'a [(usize, usize, f64)], ridge: f64) -> Option<Self> {
        let share = moments[(0, 0)];
        let size = moments.rows() - 1;
        let second = Matrix::from_fn(size, size, |i, j| moments[(i + 1, j + 1)] / share);
        let (mut eigenvalues, from_basis) = symmetric_eigen(&second)?;
        let largest = eigenvalues.iter().copied().fold(0.0, f64::max);
        eigenvalues.iter_mut().for_each(|value| *value = value.max(1e-10 * largest));
        let to_basis = Matrix::from_fn(size, size, |i, j| from_basis[(j, i)]);
        let ridge = ridge / share;
        let damping = pairs
            .iter()
            .map(|&(i, j, strength)| {
                let curvature = second[(i, i)] * second[(j, j)] + second[(i, j)].powi(2);
                ((curvature + ridge) / (curvature + ridge / (strength * strength))).sqrt()
            })
            .collect();
        Some(Self { share, second, eigenvalues, to_basis, from_basis, ridge, damping, pairs })
    }

    fn solve_in_place(&self, vector: &mut [f64]) {
        let size = self.second.rows();
        let (head, tail) = vector.split_at_mut(size + 1);
        // In terms of z_i z_j - S_ij the constant decouples from the pairs.
        let mut gradient = Matrix::zeros(size, size);
        for ((value, damping), &(i, j, _)) in tail.iter().zip(&self.damping).zip(self.pairs) {
            let entry = damping * (value - self.second[(i, j)] * head[0]);
            gradient[(i, j)] = entry;
            gradient[(j, i)] = entry;
        }
        let mut turned = congruent(&gradient, &self.from_basis);
        for i in 0..size {
            for j in 0..size {
                turned[(i, j)] /= self.eigenvalues[i] * self.eigenvalues[j] + self.ridge;
            }
        }
        let solution = congruent(&turned, &self.to_basis);
        for ((value, damping), &(i, j, _)) in tail.iter_mut().zip(&self.damping).zip(self.pairs) {
            *value = damping * solution[(i, j)] / self.share;
            head[0] -= self.share * *value * self.second[(i, j)];
        }
        head[0] /= self.share;
        let mut means = self.to_basis.times(&head[1..]);
        means.iter_mut().zip(&self.eigenvalues).for_each(|(value, eigenvalue)| *value /= self.share * eigenvalue);
        head[1..].copy_from_slice(&self.from_basis.times(&means));
    }
}

/// `B' A B` for square matrices.
fn congruent(a: &Matrix, b: &Matrix) -> Matrix {
    let size = a.rows();
    let mut half = Matrix::zeros(size, size);
    multiply_rows(a.values(), b, half.values_mut());
    let mut product = Matrix::zeros(size, size);
    add_cross_product(b.values(), half.values(), &mut product);
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Roles, TrainingData};
    use crate::diagnostics::{remaining_correlation, weighted_correlations};
    use crate::simulate::World;
    use crate::table::Table;

    fn sample(rows: usize) -> TrainingData {
        let table = World { columns: 6, stable: 3, ..World::default() }.draw(rows, 2.5, 2).unwrap();
        TrainingData::prepare(&table, &Roles::target("y")).unwrap()
    }

    /// Two columns of -1 and 1 that agree in six of eight rows.
    fn signs() -> TrainingData {
        let a = [1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0];
        let b = [1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0];
        let y = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0];
        let columns = [("a", a), ("b", b), ("y", y)].map(|(name, values)| (name.to_string(), values.to_vec()));
        TrainingData::prepare(&Table::from_numbers(columns).unwrap(), &Roles::target("y")).unwrap()
    }

    #[test]
    fn the_known_optimum_of_a_tiny_problem() {
        // Rows that agree must weigh as much in total as rows that do not: 6 w = 2 w' = 4.
        let data = signs();
        for divergence in [Divergence::Chi2, Divergence::Entropy] {
            for means in [Means::Pinned, Means::Recentred] {
                let solved = Balance { divergence, means, ..Balance::default() }.solve(&data, &Mask::all(&data), None);
                for (row, weight) in solved.weights.values().iter().enumerate() {
                    let known = if [3, 7].contains(&row) { 2.0 } else { 2.0 / 3.0 };
                    assert!((weight - known).abs() < 1e-7, "{divergence:?} {means:?}: {weight} and {known}");
                }
            }
        }
    }

    #[test]
    fn columns_with_heavy_tails_converge_too() {
        use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
        use rand_distr::StandardNormal;
        // Lot sizes and rare marks as in real tables: cubes of normal values that share a part, and one row in forty.
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut rows = Vec::new();
        for _ in 0..1500 {
            let common: f64 = random.sample(StandardNormal);
            let row: Vec<f64> = (0..13)
                .map(|k| {
                    let own = 0.7 * common + 0.7 * random.sample::<f64, _>(StandardNormal);
                    if k < 8 { own * own * own } else { f64::from(own > 1.9) }
                })
                .collect();
            rows.push(row);
        }
        let column = |k: usize| rows.iter().map(|row| row[k]).collect::<Vec<f64>>();
        let table = Table::from_numbers((0..13).map(|k| (format!("x{k}"), column(k)))).unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("x0")).unwrap();
        let balance = Balance { ridge: None, tolerance: Positive::constant(1e-5), ..Balance::default() };
        let solved = balance.solve(&data, &Mask::all(&data), None);
        assert!(solved.stop.converged(), "{:?} after {} passes", solved.stop, solved.passes);
    }

    #[test]
    fn the_exact_hessian_agrees_with_differences_of_the_gradient() {
        let data = sample(700);
        let balance =
            Balance { ridge: Some(Positive::constant(0.01)), divergence: Divergence::Entropy, ..Balance::default() };
        let mask = Mask::from_stability(&data, &[1.0, 0.9, 0.5, 0.0, 0.3, 0.2]);
        let mut dual = Dual::new(&balance, &data, &mask);
        dual.centre = (0..6).map(|k| 0.05 * k as f64).collect();
        let point: Vec<f64> = (0..dual.size()).map(|k| 0.02 * ((k * 7) % 5) as f64).collect();
        let direction: Vec<f64> = (0..dual.size()).map(|k| ((k * 5) % 7) as f64 - 3.0).collect();
        let mut gradient_at = |step: f64| {
            let moved: Vec<f64> = point.iter().zip(&direction).map(|(x, d)| x + step * d).collect();
            let mut gradient = vec![0.0; point.len()];
            dual.objective(&moved, &mut gradient);
            gradient
        };
        let (after, before) = (gradient_at(1e-6), gradient_at(-1e-6));
        let image: Vec<f64> = after.iter().zip(&before).map(|(a, b)| (a - b) / 2e-6).collect();
        let solved = dual.hessian(&point).unwrap().solve(&image);
        for (found, known) in solved.iter().zip(&direction) {
            assert!((found - known).abs() < 1e-4, "{found} and {known}");
        }
    }

    #[test]
    fn the_gradient_agrees_with_differences() {
        let data = sample(700);
        let stability = [1.0, 0.9, 0.5, 0.0, 0.3, 0.2];
        let mask = Mask::from_stability(&data, &stability);
        for divergence in [Divergence::Chi2, Divergence::Entropy] {
            let balance = Balance { divergence, ridge: Some(Positive::constant(0.01)), ..Balance::default() };
            let mut dual = Dual::new(&balance, &data, &mask);
            dual.centre = (0..6).map(|k| 0.05 * k as f64).collect();
            let point: Vec<f64> =
                (0..dual.size()).map(|k| if k == 0 { 0.9 } else { 0.02 * ((k * 7) % 5) as f64 }).collect();
            let mut gradient = vec![0.0; point.len()];
            dual.objective(&point, &mut gradient);
            for k in 0..point.len() {
                let mut at = |step: f64| {
                    let mut moved = point.clone();
                    moved[k] += step;
                    dual.objective(&moved, &mut vec![0.0; point.len()])
                };
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!(
                    (gradient[k] - difference).abs() < 1e-7,
                    "{divergence:?} {k}: {} and {difference}",
                    gradient[k]
                );
            }
        }
    }

    #[test]
    fn recentred_means_cost_less_and_still_decorrelate() {
        let data = sample(2000);
        let mask = Mask::all(&data);
        let solve = |means| Balance { means, ..Balance::default() }.solve(&data, &mask, None);
        let (pinned, moved) = (solve(Means::Pinned), solve(Means::Recentred));
        assert!(moved.weights.effective_sample_size() >= pinned.weights.effective_sample_size());
        for solved in [pinned, moved] {
            assert!(solved.stop.converged());
            assert!(remaining_correlation(&weighted_correlations(&data, &solved.weights), &mask) < 1e-6);
        }
    }

    #[test]
    fn entropy_weights_are_positive_and_chi2_keeps_more_effective_rows() {
        let data = sample(1500);
        let mask = Mask::all(&data);
        let solve = |divergence| Balance { divergence, ..Balance::default() }.solve(&data, &mask, None).weights;
        let (entropy, chi2) = (solve(Divergence::Entropy), solve(Divergence::Chi2));
        assert!(entropy.values().iter().all(|&weight| weight > 0.0));
        assert!(chi2.values().iter().all(|&weight| weight >= 0.0));
        assert!(chi2.effective_sample_size() >= entropy.effective_sample_size());
    }

    #[test]
    fn pairs_that_the_mask_leaves_out_keep_their_correlation() {
        let data = sample(2000);
        let stable = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
        let solved = Balance::default().solve(&data, &Mask::from_stability(&data, &stable), None);
        let correlations = weighted_correlations(&data, &solved.weights);
        assert!(correlations[(0, 1)] > 0.3 && correlations[(0, 5)].abs() < 1e-6);
    }

    #[test]
    fn the_weight_function_weighs_the_training_rows_as_they_were_and_new_rows_too() {
        let data = sample(1000);
        let solved = Balance::default().solve(&data, &Mask::all(&data), None);
        let function = solved.function.unwrap();
        let again = function.weigh(&data.design);
        assert!(again.iter().zip(solved.weights.values()).all(|(a, b)| (a - b).abs() < 1e-9));
        let fresh = function.weigh(&sample(5000).design);
        assert!(fresh.iter().all(|weight| weight.is_finite() && *weight >= 0.0));
    }

    #[test]
    fn an_infeasible_balance_ends_and_says_what_is_left() {
        // A column that is nearly the negative of another can't be decorrelated from it by weights.
        let x: Vec<f64> = (0..200).map(|k| ((k * 37) % 101) as f64).collect();
        let near: Vec<f64> = x.iter().enumerate().map(|(k, x)| -x + 0.01 * ((k * 13) % 7) as f64).collect();
        let y: Vec<f64> = (0..200).map(|k| ((k * k) % 17) as f64).collect();
        let table = Table::from_numbers([("x".into(), x), ("near".into(), near), ("y".into(), y)]).unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        let mask = Mask::all(&data);
        for balance in [Balance::default(), Balance { ridge: None, ..Balance::default() }] {
            let solved = balance.solve(&data, &mask, None);
            assert!(solved.weights.values().iter().all(|weight| weight.is_finite() && *weight >= 0.0));
            assert!(solved.weights.effective_sample_size() >= 1.0);
        }
    }
}
