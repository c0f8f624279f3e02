//! The dual of the balancing problem, and its minimisation.

use super::Balance;
use crate::design::TrainingData;
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, Matrix, add_cross_product, dot, multiply_rows, symmetric_eigen};
use crate::optim::{Limits, Minimum, StopReason, minimise, resume};
use crate::parameter::Positive;
use crate::passes::{self, Outcome, QuadraticFunction, RowSource, WeightedMoments, Weighting};
use crate::rows::{TILE, sum_matrices, tiles};
use crate::weights::Mask;

/// The dual problem for one mask: the unknowns are `t_0`, then `b_1..b_p` for the means, then one per pair.
pub(super) struct Dual<'a> {
    /// How to solve it; what it says of the ridge was read when the problem was made.
    pub(super) balance: Balance,
    data: &'a dyn RowSource,
    /// Evenly spaced rows that the exact Hessian is taken from, once they were fetched.
    some: Option<TrainingData>,
    pairs: Vec<(usize, usize, f64)>,
    /// Columns are taken around this point, which becomes their weighted mean; 0 unless means are re-centred.
    pub(super) centre: Vec<f64>,
    /// Sum of the base weights.
    pub(super) total: f64,
    pub(super) ridge: f64,
    /// Preconditioners that take the columns for normal before the exact Hessian takes over.
    pub(super) normal_rounds: usize,
    /// Whether the last search needed the exact Hessian.
    pub(super) needed_exact: bool,
    pub(super) passes: usize,
}

/// The squared number of pairs per row: removing chance correlations, each about `n^(-1/2)`, from that many
/// pairs costs a share of the effective sample size of that order, so where it is large the ridge must be.
fn automatic_ridge(columns: usize, total: f64) -> f64 {
    let pairs = (columns * columns.saturating_sub(1)) as f64 / 2.0;
    (pairs / total).powi(2).max(1e-10)
}

/// The preconditioner is computed anew after this many steps.
const STEPS_PER_HESSIAN: usize = 10;
/// After this many preconditioners that take the columns for normal the exact Hessian takes over, if there are no more
/// unknowns than this: it costs O(n q^2), and converges on columns with heavy tails where the other does not.
const NORMAL_ROUNDS: usize = 6;
const MOST_UNKNOWNS: usize = 1200;
/// Rows of the sample whose solution is the point to begin with, at least and per unknown, and how many times as many there
/// must be for that to be worth it.
const SAMPLE_ROWS: usize = 16_384;
const SAMPLE_PER_UNKNOWN: usize = 32;
const LEAST_STEP: usize = 4;
/// Rows that the exact Hessian is taken from at most.
const HESSIAN_ROWS: usize = 20_000;

impl<'a> Dual<'a> {
    pub(super) fn new(balance: &Balance, data: &'a dyn RowSource, mask: &Mask) -> Self {
        let total = data.frame().total_weight();
        let columns = data.frame().columns();
        let ridge = balance.ridge.map_or_else(|| automatic_ridge(columns, total), Positive::get);
        let centre = vec![0.0; columns];
        Self {
            balance: *balance,
            data,
            some: None,
            pairs: mask.pairs(),
            centre,
            total,
            ridge,
            normal_rounds: NORMAL_ROUNDS,
            needed_exact: false,
            passes: 0,
        }
    }

    /// The rows.
    pub(super) fn data(&self) -> &'a dyn RowSource {
        self.data
    }

    /// Number of columns, without the leading ones.
    pub(super) fn columns(&self) -> usize {
        self.data.frame().columns()
    }

    /// A better point to begin with where there are very many rows: the solution for some of them, evenly spaced.
    pub(super) fn start_from_sample(&mut self, start: Vec<f64>) -> Result<Vec<f64>> {
        let wanted = SAMPLE_ROWS.max(SAMPLE_PER_UNKNOWN * self.size());
        let rows = self.data.frame().rows();
        let step = rows / wanted;
        if step < LEAST_STEP {
            return Ok(start);
        }
        let some = self.data.take(&(0..rows).step_by(step).collect::<Vec<usize>>())?;
        let mut sample = Dual {
            balance: self.balance,
            total: some.total_weight(),
            data: &some,
            some: None,
            pairs: self.pairs.clone(),
            centre: self.centre.clone(),
            ridge: self.ridge,
            normal_rounds: self.normal_rounds,
            needed_exact: false,
            passes: 0,
        };
        let minimum = sample.minimise(start.clone())?;
        self.passes += sample.passes.div_ceil(step);
        Ok(if minimum.stop.converged() { minimum.point } else { start })
    }

    /// Unknowns before the pairs.
    fn offset(&self) -> usize {
        1 + self.columns()
    }

    pub(super) fn size(&self) -> usize {
        self.offset() + self.pairs.len()
    }

    pub(super) fn starting_point(&self, start: Option<&QuadraticFunction>) -> Vec<f64> {
        let mut point = vec![0.0; self.size()];
        point[0] = self.balance.divergence.neutral();
        if let Some(function) = start {
            point[0] = function.form[(0, 0)];
            for column in 0..self.columns() {
                point[1 + column] = 2.0 * function.form[(0, column + 1)];
            }
            for (unknown, &(i, j, _)) in point[self.offset()..].iter_mut().zip(&self.pairs) {
                *unknown = 2.0 * function.form[(i + 1, j + 1)];
            }
        }
        point
    }

    /// The matrix T of the unknowns, on columns that are not centred.
    pub(super) fn form(&self, point: &[f64]) -> Matrix {
        let width = self.columns() + 1;
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
    fn pass(&mut self, form: &Matrix) -> Result<(f64, Matrix)> {
        self.passes += 1;
        let (value, mut moments) = passes::dual(self.data, form, self.balance.divergence)?;
        moments.scale(1.0 / self.total);
        Ok((value / self.total, moments))
    }

    /// The dual objective F and its gradient.
    pub(super) fn objective(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let form = self.form(point);
        let (potential, moments) = self.pass(&form)?;
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
        Ok(value)
    }

    /// Also moves the means to where the distance to uniform weights is least.
    ///
    /// With the means pinned at `m` the least distance is `V(m) = -min F`, and its slope in `m` is the
    /// unknown `b` that pins them: so this is a descent in p dimensions around the solver for pinned means.
    pub(super) fn minimise_over_means(&mut self, start: Vec<f64>) -> Result<Minimum> {
        let columns = self.columns();
        let mut best = self.minimise(start)?;
        let options =
            Limits { gradient_tolerance: self.balance.tolerance.get().max(1e-7), max_iterations: 100, memory: 12 };
        // Moving the means by d costs about d^2 / 2 times the mean squared weight: that sets the length of a step.
        let form = self.form(&best.point);
        let function = QuadraticFunction { divergence: self.balance.divergence, form, factor: 1.0 };
        let weighting = Weighting::Function(Box::new(function));
        let moments = WeightedMoments::of(self.data, &weighting, Outcome::Target)?;
        let length = moments.effective_sample_size / self.total;
        let mut fault = None;
        let distance = |centre: &[f64], slope: &mut [f64]| {
            self.centre.copy_from_slice(centre);
            match self.minimise(best.point.clone()) {
                Ok(minimum) if minimum.stop.converged() => {
                    slope.copy_from_slice(&minimum.point[1..=columns]);
                    best = minimum;
                    -best.value
                }
                Ok(_) => f64::INFINITY,
                Err(error) => give_up(&mut fault, error, slope),
            }
        };
        let precondition = |slope: &mut [f64]| slope.iter_mut().for_each(|value| *value *= length);
        let outer = minimise(distance, precondition, vec![0.0; columns], options);
        if let Some(error) = fault {
            return Err(error);
        }
        self.centre = outer.point;
        let mut minimum = self.minimise(best.point)?;
        if !outer.stop.converged() {
            minimum.stop = outer.stop;
        }
        Ok(minimum)
    }

    pub(super) fn minimise(&mut self, start: Vec<f64>) -> Result<Minimum> {
        let mut before: Option<Minimum> = None;
        let mut left = self.balance.max_iterations;
        let pairs = self.pairs.clone();
        let mut round = 0;
        loop {
            let options = Limits {
                gradient_tolerance: self.balance.tolerance.get(),
                max_iterations: STEPS_PER_HESSIAN.min(left),
                memory: 12,
            };
            let point = before.as_ref().map_or(&start, |minimum| &minimum.point);
            let exact =
                if round < self.normal_rounds || self.size() > MOST_UNKNOWNS { None } else { self.hessian(point)? };
            self.needed_exact = exact.is_some();
            let normal = match exact {
                Some(_) => None,
                None => NormalHessian::new(self.active_moments(point)?, &pairs, self.ridge),
            };
            let precondition = |vector: &mut [f64]| match (&exact, &normal) {
                (Some(hessian), _) => hessian.solve_in_place(vector),
                (None, Some(hessian)) => hessian.solve_in_place(vector),
                (None, None) => {}
            };
            let mut fault = None;
            let objective = |x: &[f64], g: &mut [f64]| match self.objective(x, g) {
                Ok(value) => value,
                Err(error) => give_up(&mut fault, error, g),
            };
            let minimum = match before.take() {
                None => minimise(objective, precondition, start.clone(), options),
                Some(before) => resume(objective, precondition, before, options),
            };
            if let Some(error) = fault {
                return Err(error);
            }
            left -= minimum.iterations.min(left);
            if minimum.stop != StopReason::IterationLimit || left == 0 {
                return Ok(minimum);
            }
            before = Some(minimum);
            round += 1;
        }
    }

    /// The Hessian of F, factorised: the second moments of what the unknowns multiply, among the rows whose weight would
    /// change, plus the ridge. From evenly spaced rows if there are very many.
    pub(super) fn hessian(&mut self, point: &[f64]) -> Result<Option<Cholesky>> {
        self.passes += 1;
        let (form, size, offset) = (self.form(point), self.size(), self.offset());
        if self.some.is_none() {
            let rows = self.data.frame().rows();
            let places: Vec<usize> = (0..rows).step_by(rows.div_ceil(HESSIAN_ROWS)).collect();
            self.some = Some(self.data.take(&places)?);
        }
        let Some(some) = &self.some else { return Ok(None) };
        let mut hessian = sum_matrices(some.rows(), size, |block, total| {
            let (mut factors, mut scaled) = (vec![0.0; TILE * size], vec![0.0; TILE * size]);
            for tile in tiles(block) {
                let count = tile.len();
                let scratch = factors.chunks_exact_mut(size).zip(scaled.chunks_exact_mut(size));
                for (row, (factors, scaled)) in tile.zip(scratch) {
                    let values = some.design.row(row);
                    factors[..offset].copy_from_slice(values);
                    factors[1..offset].iter_mut().zip(&self.centre).for_each(|(value, mean)| *value -= mean);
                    for (k, &(i, j, _)) in self.pairs.iter().enumerate() {
                        factors[offset + k] = factors[i + 1] * factors[j + 1];
                    }
                    let u = dot(values, &form.times(values));
                    let slope = some.base[row] * self.balance.divergence.weight_slope(u);
                    scaled.iter_mut().zip(factors.iter()).for_each(|(target, value)| *target = slope * value);
                }
                add_cross_product(&scaled[..count * size], &factors[..count * size], total);
            }
        });
        hessian.scale(1.0 / some.total_weight());
        for (k, &(_, _, strength)) in self.pairs.iter().enumerate() {
            hessian[(offset + k, offset + k)] += self.ridge / (strength * strength);
        }
        Ok(Cholesky::with_least_ridge(&hessian))
    }

    /// Second moments of the centred columns among the rows whose weight would change, and their share.
    fn active_moments(&mut self, point: &[f64]) -> Result<Matrix> {
        self.passes += 1;
        let form = self.form(point);
        let mut moments = passes::active(self.data, &form, self.balance.divergence)?;
        moments.scale(1.0 / self.total);
        Ok(self.centre_moments(moments))
    }
}

/// Makes a descent end at once after a pass that failed, and keeps why: without a slope there is nowhere to go.
fn give_up(fault: &mut Option<Error>, error: Error, gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    *fault = Some(error);
    f64::NEG_INFINITY
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
