//! Fits at any penalty from one pass over the rows.
//!
//! With features F, weights W and a penalty P the fit of an outcome y is `H y = F (F'WF + lambda P)^-1 F'W y`. How many degrees of
//! freedom it takes, `tr H` and `tr H^2`, is estimated by fixed vectors of signs (Hutchinson): exact traces would cost more
//! than all else, and a few per cent of them do not matter.

use super::features::{Space, TILE};
use crate::linalg::{Cholesky, Matrix, add_cross_product, add_lower_cross_product, dot, dot_in_lanes, multiply_rows};
use crate::rows::{map_blocks, sum_matrices};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// Vectors of signs behind every trace.
const PROBES: usize = 16;
/// Penalties are `10^(k / 2)` for k in these.
const COARSE: [i32; 7] = [-10, -8, -6, -4, -2, 0, 2];
/// The predictions use the best penalty lowered by the first of these that raises the error by no more than the cost. What
/// a penalty takes off a curve is the same in the outcome's regression and in the variable's and does not average out;
/// the noise that a smaller one lets in does, as long as there is little of it.
const UNDERSMOOTHING: [i32; 3] = [3, 2, 1];
const UNDERSMOOTHING_COST: f64 = 0.02;
/// The largest share of the rows that a fit's degrees of freedom may be taken for.
const MOST_FREEDOM: f64 = 0.95;

/// Second moments of features, outcomes and probes.
pub(in crate::evidence) struct Smoother {
    gram: Matrix,
    /// Features by outcomes.
    cross: Matrix,
    /// Features by probes.
    probes: Matrix,
    /// Weighted sums of squares of the outcomes.
    squares: Vec<f64>,
    penalty: Matrix,
    total: f64,
    rows: usize,
}

impl Smoother {
    /// Over the first `rows` rows of the sheet.
    pub(in crate::evidence) fn gather(space: &Space, rows: usize, outcomes: &[&[f64]]) -> Self {
        let (width, count) = (space.width(), outcomes.len());
        let stride = width + count + PROBES;
        let all = sum_matrices(rows, stride, |block, total| {
            let mut wide = vec![0.0; TILE * stride];
            for tile in tiles(block) {
                let wide = &mut wide[..tile.len() * stride];
                fill_wide(space, tile, outcomes, wide);
                add_lower_cross_product(wide, wide, total);
            }
        });
        let part = |from: Range<usize>| Matrix::from_fn(width, from.len(), |i, j| all[(from.start + j, i)]);
        let mut gram = Matrix::from_fn(width, width, |i, j| if j <= i { all[(i, j)] } else { 0.0 });
        gram.mirror_lower();
        Self {
            gram,
            cross: part(width..width + count),
            probes: part(width + count..stride),
            squares: (width..width + count).map(|k| all[(k, k)]).collect(),
            penalty: space.penalty(),
            total: space.sheet.base[..rows].iter().sum(),
            rows,
        }
    }

    /// The same with curves that were added to the space since, from one more pass.
    pub(in crate::evidence) fn extended(self, space: &Space, outcomes: &[&[f64]]) -> Self {
        let (old, width, count) = (self.gram.rows(), space.width(), outcomes.len());
        let (stride, new) = (width + count + PROBES, width - self.gram.rows());
        let parts = map_blocks(self.rows, |block| {
            let mut total = Matrix::zeros(new, stride);
            let mut wide = vec![0.0; TILE * stride];
            for tile in tiles(block) {
                let wide = &mut wide[..tile.len() * stride];
                fill_wide(space, tile, outcomes, wide);
                let curves: Vec<f64> =
                    wide.chunks_exact(stride).flat_map(|row| row[old..width].iter().copied()).collect();
                add_cross_product(&curves, wide, &mut total);
            }
            total
        });
        let mut added = Matrix::zeros(new, stride);
        parts.iter().for_each(|part| added.add_assign(part));
        let gram = Matrix::from_fn(width, width, |i, j| match (i < old, j < old) {
            (true, true) => self.gram[(i, j)],
            (false, _) => added[(i - old, j)],
            (true, false) => added[(j - old, i)],
        });
        let joined =
            |above: &Matrix, first: usize| {
                Matrix::from_fn(width, above.columns(), |i, j| {
                    if i < old { above[(i, j)] } else { added[(i - old, first + j)] }
                })
            };
        let (cross, probes) = (joined(&self.cross, width), joined(&self.probes, width + count));
        Self { gram, cross, probes, penalty: space.penalty(), ..self }
    }

    /// The regression on some of the features only.
    pub(in crate::evidence) fn on(&self, features: &[usize]) -> Self {
        Self {
            gram: self.gram.submatrix(features),
            cross: self.cross.keep_rows(features),
            probes: self.probes.keep_rows(features),
            squares: self.squares.clone(),
            penalty: self.penalty.submatrix(features),
            total: self.total,
            rows: self.rows,
        }
    }

    /// Mean and standard deviation of a fit over the rows.
    pub(in crate::evidence) fn mean_and_deviation(&self, coefficients: &[f64]) -> (f64, f64) {
        let products = self.gram.times(coefficients);
        let mean = products[0] / self.total;
        (mean, (dot(coefficients, &products) / self.total - mean * mean).max(0.0).sqrt())
    }
}

/// Features, outcomes and probes of some rows, times the roots of their weights.
fn fill_wide(space: &Space, tile: Range<usize>, outcomes: &[&[f64]], wide: &mut [f64]) {
    let width = space.width();
    let stride = wide.len() / tile.len();
    space.fill(tile.clone(), stride, wide);
    for (row, values) in tile.zip(wide.chunks_exact_mut(stride)) {
        let root = space.sheet.base[row].sqrt();
        values[width..].iter_mut().zip(outcomes).for_each(|(value, outcome)| *value = outcome[row]);
        values[..width + outcomes.len()].iter_mut().for_each(|value| *value *= root);
        let signs = mixed(row as u64);
        for (k, value) in values[width + outcomes.len()..].iter_mut().enumerate() {
            *value = if signs >> k & 1 == 1 { 1.0 } else { -1.0 };
        }
    }
}

/// Bits without a pattern.
pub(in crate::evidence) fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

fn tiles(block: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    block.clone().step_by(TILE).map(move |start| start..(start + TILE).min(block.end))
}

/// A fit at one penalty.
struct Fit {
    cholesky: Cholesky,
    /// `tr H` and `tr H^2`.
    traces: (f64, f64),
}

/// Fits at several penalties, each made once. A penalty is named by twice its logarithm to base ten.
pub(in crate::evidence) struct Fits<'a> {
    smoother: &'a Smoother,
    made: RefCell<BTreeMap<i32, Option<Rc<Fit>>>>,
}

impl<'a> Fits<'a> {
    pub(in crate::evidence) fn new(smoother: &'a Smoother) -> Self {
        Self { smoother, made: RefCell::default() }
    }

    fn at(&self, penalty: i32) -> Option<Rc<Fit>> {
        if let Some(made) = self.made.borrow().get(&penalty) {
            return made.clone();
        }
        let fit = self.make(10f64.powf(0.5 * f64::from(penalty))).map(Rc::new);
        self.made.borrow_mut().insert(penalty, fit.clone());
        fit
    }

    fn make(&self, factor: f64) -> Option<Fit> {
        let Smoother { gram, penalty, probes, .. } = self.smoother;
        let width = gram.rows();
        let least = 1e-10 * (0..width).map(|k| gram[(k, k)]).sum::<f64>() / width as f64;
        let mut matrix = gram.clone();
        matrix.values_mut().iter_mut().zip(penalty.values()).for_each(|(value, penalty)| *value += factor * penalty);
        (0..width).for_each(|k| matrix[(k, k)] += least);
        let cholesky = Cholesky::with_least_ridge(&matrix)?;
        let solved = cholesky.solve_columns(probes);
        let mut products = Matrix::zeros(width, PROBES);
        multiply_rows(gram.values(), &solved, products.values_mut());
        let trace = |a: &Matrix, b: &Matrix| dot_in_lanes(a.values(), b.values()) / PROBES as f64;
        let traces = (trace(probes, &solved), trace(&solved, &products));
        (traces.0.is_finite() && traces.1.is_finite()).then_some(Fit { cholesky, traces })
    }

    /// The coefficients for an outcome; zeros if the fit fails, which takes data that defeat every factorisation.
    pub(in crate::evidence) fn coefficients(&self, penalty: i32, outcome: usize) -> Vec<f64> {
        let cross = &self.smoother.cross;
        self.solve(penalty, &(0..cross.rows()).map(|i| cross[(i, outcome)]).collect::<Vec<_>>())
    }

    fn solve(&self, penalty: i32, vector: &[f64]) -> Vec<f64> {
        self.at(penalty).map_or_else(|| vec![0.0; vector.len()], |fit| fit.cholesky.solve(vector))
    }

    /// The coefficients of a fit of one outcome, and then of what it leaves at another penalty, together.
    pub(in crate::evidence) fn twice(&self, first: i32, second: i32, outcome: usize) -> Vec<f64> {
        let Smoother { gram, cross, .. } = self.smoother;
        let mut coefficients = self.coefficients(first, outcome);
        let fitted = gram.times(&coefficients);
        let left: Vec<f64> = fitted.iter().enumerate().map(|(i, fitted)| cross[(i, outcome)] - fitted).collect();
        coefficients.iter_mut().zip(self.solve(second, &left)).for_each(|(sum, more)| *sum += more);
        coefficients
    }

    /// Generalised cross-validation's estimate of the mean squared error for an outcome.
    pub(in crate::evidence) fn error(&self, penalty: i32, outcome: usize) -> f64 {
        let Smoother { gram, cross, squares, total, rows, .. } = self.smoother;
        let Some(fit) = self.at(penalty) else { return f64::INFINITY };
        let coefficients = self.coefficients(penalty, outcome);
        let mut fitted = vec![0.0; coefficients.len()];
        let column = Matrix::from_values(coefficients.len(), 1, coefficients);
        multiply_rows(gram.values(), &column, &mut fitted);
        let product: f64 = column.values().iter().enumerate().map(|(i, c)| c * cross[(i, outcome)]).sum();
        let left = (squares[outcome] - 2.0 * product + dot(column.values(), &fitted)).max(0.0) / total;
        let share = (fit.traces.0 / *rows as f64).min(MOST_FREEDOM);
        let error = left / (1.0 - share).powi(2);
        if error.is_finite() { error } else { f64::INFINITY }
    }

    /// The sum of the errors of some outcomes, each relative to its variance.
    fn errors(&self, penalty: i32, outcomes: &[usize]) -> f64 {
        let relative = |&outcome: &usize| {
            let square = self.smoother.squares[outcome] / self.smoother.total;
            if square > 0.0 { self.error(penalty, outcome) / square } else { 0.0 }
        };
        outcomes.iter().map(relative).sum()
    }

    /// The coarse penalty with the least error for some outcomes together, searched from one that is likely near.
    pub(in crate::evidence) fn best(&self, outcomes: &[usize], near: Option<i32>) -> i32 {
        let Some(near) = near else {
            return COARSE
                .into_iter()
                .fold((f64::INFINITY, COARSE[3]), |best, penalty| {
                    let error = self.errors(penalty, outcomes);
                    if error < best.0 { (error, penalty) } else { best }
                })
                .1;
        };
        let mut best = (self.errors(near, outcomes), near);
        for step in [-2, 2] {
            let start = best.1;
            let mut next = start + step;
            while (COARSE[0]..=COARSE[COARSE.len() - 1]).contains(&next) {
                let error = self.errors(next, outcomes);
                if error >= best.0 {
                    break;
                }
                best = (error, next);
                next += step;
            }
            if best.1 != start {
                break;
            }
        }
        best.1
    }

    /// The best penalty, lowered.
    pub(in crate::evidence) fn undersmoothed(&self, outcomes: &[usize], near: Option<i32>) -> (i32, i32) {
        let best = self.best(outcomes, near);
        let limit = self.errors(best, outcomes) * (1.0 + UNDERSMOOTHING_COST);
        let lowered = UNDERSMOOTHING.into_iter().map(|steps| best - steps);
        (best, lowered.into_iter().find(|&penalty| self.errors(penalty, outcomes) <= limit).unwrap_or(best))
    }

    /// Degrees of freedom that a fit leaves: `n - 2 tr H + tr H^2`.
    pub(in crate::evidence) fn left(&self, penalty: i32) -> f64 {
        let rows = self.smoother.rows as f64;
        self.at(penalty).map_or(rows, |fit| (rows - 2.0 * fit.traces.0 + fit.traces.1).clamp(1.0, rows))
    }

    /// Per row how much its own outcome counts in its fit, the diagonal of H.
    pub(in crate::evidence) fn leverages(&self, space: &Space, penalty: i32) -> Vec<f64> {
        let rows = self.smoother.rows;
        let Some(fit) = self.at(penalty) else { return vec![0.0; rows] };
        let (width, inverse) = (space.width(), fit.cholesky.inverse());
        let blocks = map_blocks(rows, |block| {
            let mut leverages = Vec::with_capacity(block.len());
            let (mut features, mut solved) = (vec![0.0; TILE * width], vec![0.0; TILE * width]);
            for tile in tiles(block) {
                let (features, solved) = (&mut features[..tile.len() * width], &mut solved[..tile.len() * width]);
                space.fill(tile.clone(), width, features);
                multiply_rows(features, &inverse, solved);
                let pairs = features.chunks_exact(width).zip(solved.chunks_exact(width));
                leverages.extend(pairs.zip(tile).map(|((a, b), row)| space.sheet.base[row] * dot(a, b)));
            }
            leverages
        });
        blocks.concat()
    }
}

/// The fits of some coefficients (features by fits), row by row.
pub(in crate::evidence) fn predictions(space: &Space, rows: usize, coefficients: &Matrix) -> Matrix {
    let (width, count) = (space.width(), coefficients.columns());
    let blocks = map_blocks(rows, |block| {
        let mut features = vec![0.0; TILE * width];
        let mut values = vec![0.0; block.len() * count];
        for (tile, values) in tiles(block.clone()).zip(values.chunks_mut(TILE * count)) {
            let features = &mut features[..tile.len() * width];
            space.fill(tile, width, features);
            multiply_rows(features, coefficients, values);
        }
        values
    });
    Matrix::from_values(rows, count, blocks.concat())
}
