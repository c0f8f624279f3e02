//! Fits at any penalty from one pass over the rows.
//!
//! With features F, weights W and a penalty P the fit of an outcome y is `H y = F (F'WF + lambda P)^-1 F'W y`. How many degrees of
//! freedom it takes, `tr H` and `tr H^2`, is estimated by fixed vectors of signs (Hutchinson): exact traces would cost more
//! than all else, and a few per cent of them do not matter.

use super::features::{KEPT_TILE, Space, TILE};
use crate::functions::mixed;
use crate::linalg::{Cholesky, Matrix, add_cross_product, add_lower_cross_product, dot, dot_in_lanes, multiply_rows};
use crate::rows::{cut, map_blocks};
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
    /// As how many independent rows a row counts.
    independent: f64,
}

impl Smoother {
    /// Over the first `rows` rows of the sheet.
    pub(in crate::evidence) fn gather(space: &Space, rows: usize, outcomes: &[&[f64]]) -> Self {
        let width = space.width();
        let beside = Beside::new(outcomes);
        let sizes = [(width, width), (width, beside.width())];
        let [mut gram, cross] = sum_tiles(space, &beside, rows, sizes, |features, others, [gram, cross]| {
            add_lower_cross_product(features, features, gram);
            add_cross_product(features, others, cross);
        });
        gram.mirror_lower();
        Self::new(space, rows, outcomes, gram, &cross)
    }

    fn new(space: &Space, rows: usize, outcomes: &[&[f64]], gram: Matrix, beside: &Matrix) -> Self {
        let base = &space.sheet.base[..rows];
        let square = |outcome: &&[f64]| base.iter().zip(*outcome).map(|(weight, y)| weight * y * y).sum();
        let part = |from: Range<usize>| Matrix::from_fn(beside.rows(), from.len(), |i, j| beside[(i, from.start + j)]);
        Self {
            gram,
            cross: part(0..outcomes.len()),
            probes: part(outcomes.len()..outcomes.len() + PROBES),
            squares: outcomes.iter().map(square).collect(),
            penalty: space.penalty(),
            total: base.iter().sum(),
            rows,
            independent: space.sheet.independent,
        }
    }

    /// The same features with other outcomes.
    pub(in crate::evidence) fn about(&self, space: &Space, outcomes: &[&[f64]]) -> Self {
        let width = space.width();
        let beside = Beside::new(outcomes);
        let sizes = [(width, beside.width())];
        let [cross] = sum_tiles(space, &beside, self.rows, sizes, |features, others, [cross]| {
            add_cross_product(features, others, cross);
        });
        Self::new(space, self.rows, outcomes, self.gram.clone(), &cross)
    }

    /// The same with curves that were added to the space since, from one more pass.
    pub(in crate::evidence) fn extended(self, space: &Space, outcomes: &[&[f64]]) -> Self {
        let (old, width) = (self.gram.rows(), space.width());
        let (new, beside) = (width - old, Beside::new(outcomes));
        let stride = width + beside.width();
        let [added] = sum_tiles(space, &beside, self.rows, [(new, stride)], |features, others, [added]| {
            let rows = features.chunks_exact(width).zip(others.chunks_exact(beside.width()));
            let curves: Vec<f64> = rows.clone().flat_map(|(features, _)| &features[old..]).copied().collect();
            let wide: Vec<f64> = rows.flat_map(|(features, others)| features.iter().chain(others)).copied().collect();
            add_cross_product(&curves, &wide, added);
        });
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
        let (cross, probes) = (joined(&self.cross, width), joined(&self.probes, width + outcomes.len()));
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
            independent: self.independent,
        }
    }

    pub(in crate::evidence) fn rows(&self) -> usize {
        self.rows
    }

    /// Mean and standard deviation of a fit over the rows.
    pub(in crate::evidence) fn mean_and_deviation(&self, coefficients: &[f64]) -> (f64, f64) {
        let products = self.gram.times(coefficients);
        let mean = products[0] / self.total;
        (mean, (dot(coefficients, &products) / self.total - mean * mean).max(0.0).sqrt())
    }
}

/// Sums over the rows of products of features and what stands beside them.
fn sum_tiles<const COUNT: usize>(
    space: &Space,
    beside: &Beside,
    rows: usize,
    sizes: [(usize, usize); COUNT],
    add: impl Fn(&[f64], &[f64], &mut [Matrix; COUNT]) + Sync + Send,
) -> [Matrix; COUNT] {
    let others = beside.width();
    let zeros = || sizes.map(|(rows, columns)| Matrix::zeros(rows, columns));
    let parts = map_blocks(rows, |block| {
        let mut totals = zeros();
        // Kept features that need no weights are taken as they are.
        let plain =
            space.kept_rows(&block).is_some() && space.sheet.base[block.clone()].iter().all(|weight| *weight == 1.0);
        let size = if plain { KEPT_TILE } else { TILE };
        let (mut buffer, mut next) = (Vec::new(), vec![0.0; size * others]);
        for tile in cut(block, size) {
            let next = &mut next[..tile.len() * others];
            beside.fill(space, tile.clone(), next);
            if !plain {
                weigh(space, tile.clone(), &mut buffer);
            }
            add(space.kept_rows(&tile).filter(|_| plain).unwrap_or(&buffer), next, &mut totals);
        }
        totals
    });
    parts.iter().fold(zeros(), |mut totals, part| {
        totals.iter_mut().zip(part).for_each(|(total, part)| total.add_assign(part));
        totals
    })
}

/// Features of some rows, times the roots of their weights.
fn weigh(space: &Space, tile: Range<usize>, features: &mut Vec<f64>) {
    let width = space.width();
    features.resize(tile.len() * width, 0.0);
    space.fill(tile.clone(), width, features);
    for (row, values) in tile.zip(features.chunks_exact_mut(width)) {
        let root = space.sheet.base[row].sqrt();
        if root != 1.0 {
            values.iter_mut().for_each(|value| *value *= root);
        }
    }
}

/// What the features are multiplied with: outcomes, and the probes' signs.
struct Beside<'a> {
    outcomes: &'a [&'a [f64]],
}

impl<'a> Beside<'a> {
    fn new(outcomes: &'a [&'a [f64]]) -> Self {
        Self { outcomes }
    }

    fn width(&self) -> usize {
        self.outcomes.len() + PROBES
    }

    fn fill(&self, space: &Space, tile: Range<usize>, values: &mut [f64]) {
        for (row, values) in tile.zip(values.chunks_exact_mut(self.width())) {
            let root = space.sheet.base[row].sqrt();
            let (of_outcomes, of_probes) = values.split_at_mut(self.outcomes.len());
            of_outcomes.iter_mut().zip(self.outcomes).for_each(|(value, outcome)| *value = root * outcome[row]);
            let signs = mixed(row as u64);
            for (k, value) in of_probes.iter_mut().enumerate() {
                *value = if signs >> k & 1 == 1 { 1.0 } else { -1.0 };
            }
        }
    }
}

/// A fit at one penalty.
struct Fit {
    cholesky: Cholesky,
    /// `tr H` and `tr H^2`.
    traces: (f64, f64),
    /// Features by outcomes.
    coefficients: Matrix,
    /// `F'W` times the fits.
    fitted: Matrix,
}

/// Outcomes whose regression does without some of the features.
#[derive(Debug, Clone)]
pub(in crate::evidence) struct Without {
    pub outcomes: Range<usize>,
    pub features: Vec<usize>,
}

/// Fits at several penalties, each made once. A penalty is named by twice its logarithm to base ten.
pub(in crate::evidence) struct Fits<'a> {
    smoother: &'a Smoother,
    without: Vec<Without>,
    made: RefCell<BTreeMap<i32, Option<Rc<Fit>>>>,
}

impl<'a> Fits<'a> {
    pub(in crate::evidence) fn new(smoother: &'a Smoother) -> Self {
        Self { smoother, without: Vec::new(), made: RefCell::default() }
    }

    /// The same where some outcomes' regressions do without some features.
    pub(in crate::evidence) fn without(self, without: Vec<Without>) -> Self {
        Self { without, ..self }
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
        let Smoother { gram, penalty, probes, cross, .. } = self.smoother;
        let width = gram.rows();
        let least = 1e-10 * (0..width).map(|k| gram[(k, k)]).sum::<f64>() / width as f64;
        let mut matrix = gram.clone();
        matrix.values_mut().iter_mut().zip(penalty.values()).for_each(|(value, penalty)| *value += factor * penalty);
        (0..width).for_each(|k| matrix[(k, k)] += least);
        let cholesky = Cholesky::with_least_ridge(&matrix)?;
        let times_gram = |right: &Matrix| {
            let mut products = Matrix::zeros(width, right.columns());
            multiply_rows(gram.values(), right, products.values_mut());
            products
        };
        let solved = cholesky.solve_columns(probes);
        let trace = |a: &Matrix, b: &Matrix| dot_in_lanes(a.values(), b.values()) / PROBES as f64;
        let traces = (trace(probes, &solved), trace(&solved, &times_gram(&solved)));
        let mut coefficients = cholesky.solve_columns(cross);
        self.take_out(&cholesky, &mut coefficients);
        let fitted = times_gram(&coefficients);
        (traces.0.is_finite() && traces.1.is_finite()).then_some(Fit { cholesky, traces, coefficients, fitted })
    }

    /// From solutions with all features to those without some: with B the inverse of the factorised matrix, x becomes
    /// `x - B_r (B_rr)^-1 x_r` for the features r that are left out.
    fn take_out(&self, cholesky: &Cholesky, solutions: &mut Matrix) {
        for Without { outcomes, features } in self.without.iter().filter(|without| !without.features.is_empty()) {
            let (width, count) = (solutions.rows(), features.len());
            let mut units = Matrix::zeros(width, count);
            features.iter().enumerate().for_each(|(k, &feature)| units[(feature, k)] = 1.0);
            let inverse = cholesky.solve_columns(&units);
            let Some(own) = Cholesky::with_least_ridge(&inverse.keep_rows(features)) else { continue };
            for outcome in outcomes.clone() {
                let shares = own.solve(&features.iter().map(|&k| solutions[(k, outcome)]).collect::<Vec<_>>());
                (0..width).for_each(|i| solutions[(i, outcome)] -= dot(inverse.row(i), &shares));
                features.iter().for_each(|&k| solutions[(k, outcome)] = 0.0);
            }
        }
    }

    /// The coefficients for an outcome; zeros if the fit fails, which takes data that defeat every factorisation.
    pub(in crate::evidence) fn coefficients(&self, penalty: i32, outcome: usize) -> Vec<f64> {
        let width = self.smoother.gram.rows();
        self.at(penalty).map_or_else(|| vec![0.0; width], |fit| column(&fit.coefficients, outcome))
    }

    /// The coefficients of a fit of some outcomes, and then of what it leaves at another penalty, together.
    pub(in crate::evidence) fn twice(&self, first: i32, second: i32, outcomes: Range<usize>) -> Matrix {
        let width = self.smoother.gram.rows();
        let (Some(first), Some(second)) = (self.at(first), self.at(second)) else {
            return Matrix::zeros(width, outcomes.len());
        };
        // All outcomes have a place, so that each meets the features that it does without.
        let mut left = Matrix::zeros(width, self.smoother.cross.columns());
        for outcome in outcomes.clone() {
            (0..width)
                .for_each(|i| left[(i, outcome)] = self.smoother.cross[(i, outcome)] - first.fitted[(i, outcome)]);
        }
        let mut more = second.cholesky.solve_columns(&left);
        self.take_out(&second.cholesky, &mut more);
        Matrix::from_fn(width, outcomes.len(), |i, j| {
            first.coefficients[(i, outcomes.start + j)] + more[(i, outcomes.start + j)]
        })
    }

    /// Generalised cross-validation's estimate of the mean squared error for an outcome.
    pub(in crate::evidence) fn error(&self, penalty: i32, outcome: usize) -> f64 {
        let Smoother { cross, squares, total, rows, independent, .. } = self.smoother;
        let Some(fit) = self.at(penalty) else { return f64::INFINITY };
        let lost: f64 = (0..cross.rows())
            .map(|i| fit.coefficients[(i, outcome)] * (fit.fitted[(i, outcome)] - 2.0 * cross[(i, outcome)]))
            .sum();
        let left = (squares[outcome] + lost).max(0.0) / total;
        let share = (fit.traces.0 / (*rows as f64 * independent)).min(MOST_FREEDOM);
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
    pub(in crate::evidence) fn undersmoothed(&self, outcomes: &[usize], near: Option<i32>) -> i32 {
        let best = self.best(outcomes, near);
        let limit = self.errors(best, outcomes) * (1.0 + UNDERSMOOTHING_COST);
        let lowered = UNDERSMOOTHING.into_iter().map(|steps| best - steps);
        lowered.into_iter().find(|&penalty| self.errors(penalty, outcomes) <= limit).unwrap_or(best)
    }

    /// Degrees of freedom that a fit leaves: `n - 2 tr H + tr H^2`.
    pub(in crate::evidence) fn left(&self, penalty: i32) -> f64 {
        let rows = self.smoother.rows as f64;
        let independent = self.smoother.independent;
        let left = |fit: &Fit| match independent {
            1.0 => rows - 2.0 * fit.traces.0 + fit.traces.1,
            // What a fit takes it takes from so many fewer.
            _ => rows - (2.0 * fit.traces.0 - fit.traces.1) / independent,
        };
        self.at(penalty).map_or(rows, |fit| left(&fit).clamp(1.0, rows))
    }

    /// Per row how much its own outcome counts in its fit, the diagonal of H.
    pub(in crate::evidence) fn leverages(&self, space: &Space, penalty: i32) -> Vec<f64> {
        let rows = self.smoother.rows;
        let Some(fit) = self.at(penalty) else { return vec![0.0; rows] };
        let (width, inverse) = (space.width(), fit.cholesky.inverse());
        let blocks = map_blocks(rows, |block| {
            let mut leverages = Vec::with_capacity(block.len());
            let (mut buffer, mut solved) = (Vec::new(), vec![0.0; TILE * width]);
            for tile in cut(block, TILE) {
                let solved = &mut solved[..tile.len() * width];
                let features = space.rows(tile.clone(), &mut buffer);
                multiply_rows(features, &inverse, solved);
                let pairs = features.chunks_exact(width).zip(solved.chunks_exact(width));
                leverages.extend(pairs.zip(tile).map(|((a, b), row)| space.sheet.base[row] * dot(a, b)));
            }
            leverages
        });
        blocks.concat()
    }
}

fn column(matrix: &Matrix, column: usize) -> Vec<f64> {
    (0..matrix.rows()).map(|i| matrix[(i, column)]).collect()
}

/// The fits of some coefficients (features by fits), row by row.
pub(in crate::evidence) fn predictions(space: &Space, rows: usize, coefficients: &Matrix) -> Matrix {
    let count = coefficients.columns();
    let blocks = map_blocks(rows, |block| {
        let mut buffer = Vec::new();
        let mut values = vec![0.0; block.len() * count];
        for (tile, values) in cut(block.clone(), TILE).zip(values.chunks_mut(TILE * count)) {
            multiply_rows(space.rows(tile, &mut buffer), coefficients, values);
        }
        values
    });
    Matrix::from_values(rows, count, blocks.concat())
}
