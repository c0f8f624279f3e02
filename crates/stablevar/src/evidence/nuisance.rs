//! Flexible regressions of a few outcomes on some columns, cross-fitted, without an n x n matrix.
//!
//! Every family is linear in features of the row, so that second moments of the features, one matrix per
//! fold, are all that cross-validation needs: fits without a fold and errors on it come from sums and differences
//! of these matrices. Rows are read once per family and once more for the predictions.
//!
//! In many columns a kernel is only as good as its distances. [`learn_scales`] therefore learns from the data how
//! much each column counts: columns in which the fitted curve is steep are stretched, flat ones shrink, and
//! the curve is fitted again (recursive feature machines, Radhakrishnan et al., Science 2024).

use crate::functions::exp_of_nonpositive;
use crate::linalg::{Cholesky, Matrix, add_cross_product, dot, multiply_rows};
use crate::rows::{TILE, map_blocks, tiles};

/// A family of functions: linear in the columns, plus
#[derive(Debug, Clone)]
pub(super) enum Family {
    /// all products of two columns (degree 2) or of two and three (degree 3);
    Polynomial { degree: usize },
    /// Gaussian bumps around some rows (Nystrom's approximation of kernel regression).
    Kernel(Kernel),
}

/// `exp(-1/2 |scales * (x - landmark)|^2)` for every landmark.
#[derive(Debug, Clone)]
pub(super) struct Kernel {
    /// How much a difference in each column counts.
    scales: Vec<f64>,
    /// Columns by landmarks, scaled.
    landmarks: Matrix,
    /// Squared length of every scaled landmark.
    norms: Vec<f64>,
}

/// Penalties tried for every family, relative to the family's own scale.
const PENALTIES: [f64; 6] = [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0];
/// Widths of the kernel, as multiples of the root of the number of columns.
const WIDTHS: [f64; 3] = [0.5, 1.0, 2.0];
/// The predictions use the best penalty times the first of these that raises the error by no more than the cost. What
/// a penalty takes off a curve is the same in the outcome's regression and in the variable's and does not average out;
/// the noise that a smaller one lets in does, as long as there is little of it.
const UNDERSMOOTHING: [f64; 3] = [0.03, 0.1, 0.3];
const UNDERSMOOTHING_COST: f64 = 0.02;
/// Rounds of learning the scales, at most.
const ROUNDS: usize = 8;
const ROUNDS_FROM_START: usize = 3;
/// A round must lower the error by this share to count as a success; two failures end the learning.
const SUCCESS: f64 = 2e-3;
/// The least importance of a column, as a share of the greatest.
const LEAST_IMPORTANCE: f64 = 1e-3;

/// The columns a regression may use, as positions in the design matrix (without its leading ones).
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub design: &'a Matrix,
    pub base: &'a [f64],
    /// One per encoded column of the design.
    pub bulks: &'a [Bulk],
    pub columns: &'a [usize],
}

impl Inputs<'_> {
    /// What the regressions see of a row's value in an encoded column.
    fn value(&self, row: usize, column: usize) -> f64 {
        self.bulks[column].drawn_in(self.design[(row, column + 1)])
    }
}

/// Where most values of a column lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bulk {
    centre: f64,
    scale: f64,
}

/// Standard deviations beyond which a value is drawn in.
const FAR: f64 = 4.0;

impl Bulk {
    /// By the quartiles, so that a normal column keeps its scale; a column of which half is one value keeps its own.
    pub(super) fn of(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let quantile = |share: f64| values.get((share * values.len() as f64) as usize).copied().unwrap_or(0.0);
        // The quartiles of the normal distribution are 1.349 standard deviations apart.
        let scale = (quantile(0.75) - quantile(0.25)) / 1.349;
        if scale > 0.0 { Self { centre: quantile(0.5), scale } } else { Self { centre: 0.0, scale: 1.0 } }
    }

    /// A value on the bulk's scale, with far values drawn in: the product of two values each thirty standard deviations out
    /// would rule a polynomial. The map is one-to-one, so that to be independent given what it gives is to be independent
    /// given the value.
    fn drawn_in(self, value: f64) -> f64 {
        let value = (value - self.centre) / self.scale;
        if value.abs() <= FAR { value } else { value.signum() * (FAR + (value.abs() - FAR).ln_1p()) }
    }
}

/// Cross-fitted predictions and the family that gave them.
pub(super) struct CrossFitted {
    /// One prediction per row of the folds, each from a fit that did not see the row's fold; 0 elsewhere.
    pub predictions: Vec<f64>,
    /// The position of the family chosen.
    pub family: Option<usize>,
}

impl Kernel {
    pub(super) fn new(inputs: &Inputs, landmarks: &[usize], scales: Vec<f64>) -> Self {
        let scaled = Matrix::from_fn(inputs.columns.len(), landmarks.len(), |i, j| {
            scales[i] * inputs.value(landmarks[j], inputs.columns[i])
        });
        let norms =
            (0..landmarks.len()).map(|j| (0..inputs.columns.len()).map(|i| scaled[(i, j)].powi(2)).sum()).collect();
        Self { scales, landmarks: scaled, norms }
    }

    /// Fills `values` with one row of bumps per scaled row; `products` is scratch of the same size.
    fn fill(&self, scaled_rows: &[f64], values: &mut [f64]) {
        let (columns, count) = (self.scales.len(), self.norms.len());
        multiply_rows(scaled_rows, &self.landmarks, values);
        for (row, values) in scaled_rows.chunks_exact(columns).zip(values.chunks_exact_mut(count)) {
            let norm = dot(row, row);
            for (value, landmark) in values.iter_mut().zip(&self.norms) {
                *value -= 0.5 * (norm + landmark);
            }
        }
        exp_of_nonpositive(values);
    }

    fn scale(&self, rows: &[f64]) -> Vec<f64> {
        let columns = self.scales.len();
        rows.chunks_exact(columns).flat_map(|row| row.iter().zip(&self.scales).map(|(x, scale)| x * scale)).collect()
    }

    /// The bumps' values at each other's centres, the norm of the curves they span.
    fn gram(&self) -> Matrix {
        let (columns, count) = (self.scales.len(), self.norms.len());
        let rows = Matrix::from_fn(count, columns, |i, j| self.landmarks[(j, i)]);
        let mut gram = Matrix::zeros(count, count);
        self.fill(rows.values(), gram.values_mut());
        gram
    }
}

impl Family {
    pub(super) fn name(&self) -> String {
        match self {
            Family::Polynomial { degree } => format!("polynomial of degree {degree}"),
            Family::Kernel(_) => "kernel".into(),
        }
    }

    /// Features beyond the constant and the columns themselves.
    pub(super) fn extra(&self, columns: usize) -> usize {
        match self {
            Family::Polynomial { degree: 2 } => columns * (columns + 1) / 2,
            Family::Polynomial { .. } => columns * (columns + 1) / 2 + columns * (columns + 1) * (columns + 2) / 6,
            Family::Kernel(kernel) => kernel.norms.len(),
        }
    }

    /// Fills one row of features per row of `rows` (each with `columns` values).
    fn fill(&self, rows: &[f64], columns: usize, features: &mut [f64]) {
        let width = 1 + columns + self.extra(columns);
        for (row, features) in rows.chunks_exact(columns).zip(features.chunks_exact_mut(width)) {
            features[0] = 1.0;
            features[1..=columns].copy_from_slice(row);
            if let Family::Polynomial { degree } = self {
                fill_products(row, *degree, &mut features[1 + columns..]);
            }
        }
        if let Family::Kernel(kernel) = self {
            let count = kernel.norms.len();
            let mut bumps = vec![0.0; rows.len() / columns * count];
            kernel.fill(&kernel.scale(rows), &mut bumps);
            for (features, bumps) in features.chunks_exact_mut(width).zip(bumps.chunks_exact(count)) {
                features[1 + columns..].copy_from_slice(bumps);
            }
        }
    }

    /// The penalty's matrix: for products their own second moments' diagonal, for bumps their kernel.
    fn penalty(&self, columns: usize, moments: &Matrix) -> Matrix {
        let width = moments.rows();
        let mut penalty = Matrix::zeros(width, width);
        match self {
            Family::Polynomial { .. } => {
                let total = moments[(0, 0)];
                for k in 1..width {
                    // Hundredfold, so that one grid of factors serves both families.
                    penalty[(k, k)] = 100.0 * moments[(k, k)] / total;
                }
            }
            Family::Kernel(kernel) => {
                for k in 1..=columns {
                    penalty[(k, k)] = columns as f64;
                }
                let gram = kernel.gram();
                let offset = 1 + columns;
                for i in 0..gram.rows() {
                    for j in 0..gram.rows() {
                        penalty[(offset + i, offset + j)] = gram[(i, j)];
                    }
                    penalty[(offset + i, offset + i)] += 1e-7;
                }
            }
        }
        penalty
    }
}

fn fill_products(row: &[f64], degree: usize, extra: &mut [f64]) {
    let mut next = 0;
    for i in 0..row.len() {
        for j in 0..=i {
            let product = row[i] * row[j];
            extra[next] = product;
            next += 1;
            if degree >= 3 {
                for value in &row[..=j] {
                    extra[next] = product * value;
                    next += 1;
                }
            }
        }
    }
}

/// Per outcome its error on the rows held out, and the coefficients of the fit without each fold.
struct Trial {
    errors: Vec<f64>,
    coefficients: Vec<Vec<Vec<f64>>>,
}

/// A family's moments over every fold, from which fits at any penalty follow.
struct Candidate {
    parts: Vec<FoldMoments>,
    whole: Matrix,
    penalty: Matrix,
}

impl Candidate {
    fn new(inputs: &Inputs, outcomes: &[&[f64]], folds: &[Vec<usize>], family: &Family) -> Self {
        let parts: Vec<FoldMoments> =
            folds.iter().map(|rows| FoldMoments::gather(inputs, outcomes, rows, family)).collect();
        let width = parts[0].gram.rows();
        let mut whole = Matrix::zeros(width, width);
        parts.iter().for_each(|part| whole.add_assign(&part.gram));
        let penalty = family.penalty(inputs.columns.len(), &whole);
        Self { parts, whole, penalty }
    }

    /// Fits without each fold at one penalty; `None` if a factorisation fails.
    fn trial(&self, factor: f64) -> Option<Trial> {
        let outcomes = self.parts[0].cross.len();
        let mut trial = Trial { errors: vec![0.0; outcomes], coefficients: vec![Vec::new(); outcomes] };
        for held_out in &self.parts {
            let mut matrix = self.whole.clone();
            for (value, (part, penalty)) in
                matrix.values_mut().iter_mut().zip(held_out.gram.values().iter().zip(self.penalty.values()))
            {
                *value += factor * penalty - part;
            }
            let solver = Cholesky::with_least_ridge(&matrix)?;
            for outcome in 0..outcomes {
                let mut cross: Vec<f64> = held_out.cross[outcome].iter().map(|value| -value).collect();
                for part in &self.parts {
                    cross.iter_mut().zip(&part.cross[outcome]).for_each(|(sum, value)| *sum += value);
                }
                let solution = solver.solve(&cross);
                trial.errors[outcome] += held_out.squared_error(outcome, &solution);
                trial.coefficients[outcome].push(solution);
            }
        }
        trial.errors.iter().all(|error| error.is_finite()).then_some(trial)
    }
}

/// How much each column counts in the distance of two rows, learnt for the outcomes together.
///
/// Starts from equal scales, or from those of a similar regression. Each round fits the kernel at several widths and penalties, keeps the best in
/// cross-validation, and sets every column's squared scale to the mean square of the fitted curve's slope in it.
/// The curve is what is left beside the linear part, so that columns with a linear effect alone do not count.
pub(super) fn learn_scales(
    inputs: &Inputs,
    outcomes: &[&[f64]],
    folds: &[Vec<usize>],
    landmarks: &[usize],
    start: Option<&[f64]>,
) -> Vec<f64> {
    let columns = inputs.columns.len();
    let root = (columns as f64).sqrt();
    let mut importance = vec![1.0f64; columns];
    if let Some(scales) = start {
        importance = scales.iter().map(|scale| scale * scale).collect();
        normalise(&mut importance);
    }
    let (rounds, patience) = if start.is_some() { (ROUNDS_FROM_START, 1) } else { (ROUNDS, 2) };
    let mut best: Option<(f64, Vec<f64>)> = None;
    let mut failures = 0;
    // Positions of the penalties to try: all at first, then the best one and its neighbours.
    let mut penalties = 0..PENALTIES.len();
    for _ in 0..rounds {
        let mut round: Option<(f64, usize, Kernel, Trial)> = None;
        for width in WIDTHS {
            let scales = importance.iter().map(|value| value.sqrt() / (width * root)).collect();
            let kernel = Kernel::new(inputs, landmarks, scales);
            let candidate = Candidate::new(inputs, outcomes, folds, &Family::Kernel(kernel.clone()));
            for position in penalties.clone() {
                let Some(trial) = candidate.trial(PENALTIES[position]) else { continue };
                let error = trial.errors.iter().sum();
                if round.as_ref().is_none_or(|(least, ..)| error < *least) {
                    round = Some((error, position, kernel.clone(), trial));
                }
            }
        }
        let Some((error, position, kernel, trial)) = round else { break };
        penalties = position.saturating_sub(1)..(position + 2).min(PENALTIES.len());
        let success = best.as_ref().is_none_or(|(least, _)| error < least * (1.0 - SUCCESS));
        failures = if success { 0 } else { failures + 1 };
        if best.as_ref().is_none_or(|(least, _)| error < *least) {
            best = Some((error, kernel.scales.clone()));
        }
        if failures == patience {
            break;
        }
        importance = squared_slopes(inputs, folds, &kernel, &trial);
        if !normalise(&mut importance) {
            break;
        }
    }
    best.map_or_else(|| vec![1.0 / root; columns], |(_, scales)| scales)
}

/// Scales importances to mean 1, none far below the greatest; false if there is no greatest.
fn normalise(importance: &mut [f64]) -> bool {
    let greatest = importance.iter().copied().fold(0.0, f64::max);
    if greatest <= 0.0 || !greatest.is_finite() {
        return false;
    }
    importance.iter_mut().for_each(|value| *value = (*value / greatest).max(LEAST_IMPORTANCE));
    let mean = importance.iter().sum::<f64>() / importance.len() as f64;
    importance.iter_mut().for_each(|value| *value /= mean);
    true
}

/// The mean square of the curves' slope in every column, over rows and outcomes.
fn squared_slopes(inputs: &Inputs, folds: &[Vec<usize>], kernel: &Kernel, trial: &Trial) -> Vec<f64> {
    let columns = inputs.columns.len();
    let count = kernel.norms.len();
    // Per outcome the curve averaged over the folds, then landmarks times their coefficients.
    let curves: Vec<Vec<f64>> = trial
        .coefficients
        .iter()
        .map(|folds| {
            (0..count).map(|k| folds.iter().map(|fit| fit[1 + columns + k]).sum::<f64>() / folds.len() as f64).collect()
        })
        .collect();
    let landmarks = Matrix::from_fn(count, columns, |k, j| kernel.landmarks[(j, k)]);
    let rows: Vec<usize> = folds.concat();
    let mut total = vec![0.0; columns];
    for tile in tiles(0..rows.len()) {
        let scaled = kernel.scale(&gathered(inputs, &rows[tile.clone()]));
        let mut bumps = vec![0.0; tile.len() * count];
        kernel.fill(&scaled, &mut bumps);
        for curve in &curves {
            let weighted: Vec<f64> =
                bumps.chunks_exact(count).flat_map(|row| row.iter().zip(curve).map(|(bump, c)| bump * c)).collect();
            let mut pull = vec![0.0; tile.len() * columns];
            multiply_rows(&weighted, &landmarks, &mut pull);
            for (k, row) in rows[tile.clone()].iter().enumerate() {
                let height: f64 = weighted[k * count..(k + 1) * count].iter().sum();
                for (j, total) in total.iter_mut().enumerate() {
                    let slope = kernel.scales[j] * (pull[k * columns + j] - height * scaled[k * columns + j]);
                    *total += inputs.base[*row] * slope * slope;
                }
            }
        }
    }
    total
}

/// The best family and penalty for every outcome, judged on held-out folds.
///
/// `folds[f]` lists the rows of fold `f`; outcomes have one value per row of the design.
pub(super) fn cross_fit(
    inputs: &Inputs,
    outcomes: &[&[f64]],
    folds: &[Vec<usize>],
    families: &[Family],
) -> Vec<CrossFitted> {
    let mut best: Vec<Option<Chosen>> = (0..outcomes.len()).map(|_| None).collect();
    for (number, family) in families.iter().enumerate() {
        let candidate = Candidate::new(inputs, outcomes, folds, family);
        let trials: Vec<(f64, Trial)> =
            PENALTIES.iter().filter_map(|&factor| Some((factor, candidate.trial(factor)?))).collect();
        for (outcome, best) in best.iter_mut().enumerate() {
            let Some((factor, trial)) =
                trials.iter().min_by(|(_, a), (_, b)| a.errors[outcome].total_cmp(&b.errors[outcome]))
            else {
                continue;
            };
            if best.as_ref().is_none_or(|best| trial.errors[outcome] < best.error) {
                let limit = trial.errors[outcome] * (1.0 + UNDERSMOOTHING_COST);
                let rougher = UNDERSMOOTHING
                    .iter()
                    .filter_map(|share| candidate.trial(factor * share))
                    .find(|rougher| rougher.errors[outcome] <= limit);
                let coefficients = rougher.as_ref().unwrap_or(trial).coefficients[outcome].clone();
                *best = Some(Chosen { error: trial.errors[outcome], family: number, coefficients });
            }
        }
    }
    best.into_iter()
        .enumerate()
        .map(|(outcome, chosen)| match chosen {
            Some(chosen) => CrossFitted {
                predictions: predict(inputs, folds, &families[chosen.family], &chosen.coefficients),
                family: Some(chosen.family),
            },
            // Only data that defeat every factorisation come here; the mean is then the honest regression.
            None => CrossFitted { predictions: vec![0.0; outcomes[outcome].len()], family: None },
        })
        .collect()
}

struct Chosen {
    error: f64,
    family: usize,
    coefficients: Vec<Vec<f64>>,
}

/// Weighted second moments of features and outcomes over a fold.
struct FoldMoments {
    gram: Matrix,
    cross: Vec<Vec<f64>>,
    squares: Vec<f64>,
}

impl FoldMoments {
    fn gather(inputs: &Inputs, outcomes: &[&[f64]], rows: &[usize], family: &Family) -> Self {
        let columns = inputs.columns.len();
        let width = 1 + columns + family.extra(columns);
        let parts = map_blocks(rows.len(), |block| {
            let mut part = FoldMoments {
                gram: Matrix::zeros(width, width),
                cross: vec![vec![0.0; width]; outcomes.len()],
                squares: vec![0.0; outcomes.len()],
            };
            let (mut features, mut weighted) = (vec![0.0; TILE * width], vec![0.0; TILE * width]);
            for tile in tiles(block) {
                let rows = &rows[tile];
                let (features, weighted) = (&mut features[..rows.len() * width], &mut weighted[..rows.len() * width]);
                family.fill(&gathered(inputs, rows), columns, features);
                let weights = rows.iter().map(|&row| inputs.base[row]);
                crate::rows::scale_rows(features, weights, width, weighted);
                add_cross_product(weighted, features, &mut part.gram);
                for (k, &row) in rows.iter().enumerate() {
                    for (outcome, values) in outcomes.iter().enumerate() {
                        let value = values[row];
                        part.squares[outcome] += inputs.base[row] * value * value;
                        let weighted = &weighted[k * width..(k + 1) * width];
                        part.cross[outcome].iter_mut().zip(weighted).for_each(|(sum, feature)| *sum += value * feature);
                    }
                }
            }
            part
        });
        let mut total = FoldMoments {
            gram: Matrix::zeros(width, width),
            cross: vec![vec![0.0; width]; outcomes.len()],
            squares: vec![0.0; outcomes.len()],
        };
        for part in parts {
            total.gram.add_assign(&part.gram);
            for outcome in 0..outcomes.len() {
                total.squares[outcome] += part.squares[outcome];
                total.cross[outcome].iter_mut().zip(&part.cross[outcome]).for_each(|(sum, value)| *sum += value);
            }
        }
        total
    }

    fn squared_error(&self, outcome: usize, coefficients: &[f64]) -> f64 {
        self.squares[outcome] - 2.0 * dot(coefficients, &self.cross[outcome])
            + dot(coefficients, &self.gram.times(coefficients))
    }
}

/// The chosen columns of some rows, row-major.
fn gathered(inputs: &Inputs, rows: &[usize]) -> Vec<f64> {
    rows.iter().flat_map(|&row| inputs.columns.iter().map(move |&column| inputs.value(row, column))).collect()
}

fn predict(inputs: &Inputs, folds: &[Vec<usize>], family: &Family, coefficients: &[Vec<f64>]) -> Vec<f64> {
    let columns = inputs.columns.len();
    let width = 1 + columns + family.extra(columns);
    let mut predictions = vec![0.0; inputs.design.rows()];
    for (rows, coefficients) in folds.iter().zip(coefficients) {
        let parts = map_blocks(rows.len(), |block| {
            let mut features = vec![0.0; TILE * width];
            let mut values = Vec::with_capacity(block.len());
            for tile in tiles(block) {
                let rows = &rows[tile];
                let features = &mut features[..rows.len() * width];
                family.fill(&gathered(inputs, rows), columns, features);
                values.extend(features.chunks_exact(width).map(|row| dot(row, coefficients)));
            }
            values
        });
        rows.iter().zip(parts.concat()).for_each(|(&row, value)| predictions[row] = value);
    }
    predictions
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use rand_distr::StandardNormal;

    const AS_IT_IS: Bulk = Bulk { centre: 0.0, scale: 1.0 };

    #[test]
    fn far_values_are_drawn_in_and_keep_their_order() {
        // Normal but for a thousandfold tail: the scale is the normal part's.
        let mut random = ChaCha8Rng::seed_from_u64(4);
        let mut values: Vec<f64> = (0..4000).map(|_| 1.0 + 0.1 * random.sample::<f64, _>(StandardNormal)).collect();
        values[..40].iter_mut().for_each(|value| *value *= 1000.0);
        let bulk = Bulk::of(values.clone());
        assert!((bulk.centre - 1.0).abs() < 0.02 && (bulk.scale - 0.1).abs() < 0.01, "{bulk:?}");
        assert!((bulk.drawn_in(1.2) - 2.0).abs() < 0.3);
        values.sort_by(f64::total_cmp);
        let drawn: Vec<f64> = values.iter().map(|&value| bulk.drawn_in(value)).collect();
        assert!(drawn.windows(2).all(|pair| pair[0] <= pair[1]) && drawn[3999] < 16.0, "{}", drawn[3999]);
        assert_eq!(Bulk::of(vec![0.0, 0.0, 0.0, 0.0, 5.0]), AS_IT_IS);
    }

    /// 900 rows of eight columns, with a leading one.
    fn design() -> Matrix {
        let mut random = ChaCha8Rng::seed_from_u64(2);
        Matrix::from_fn(900, 9, |_, j| if j == 0 { 1.0 } else { random.sample(StandardNormal) })
    }

    #[test]
    fn the_scales_find_the_columns_that_bend_the_outcome_and_the_fit_follows_it() {
        let design = design();
        let truth: Vec<f64> =
            (0..900).map(|k| design[(k, 1)] + (2.0 * design[(k, 2)]).sin() + design[(k, 3)] * design[(k, 4)]).collect();
        let base = vec![1.0; 900];
        let columns: Vec<usize> = (0..8).collect();
        let bulks = vec![AS_IT_IS; 8];
        let inputs = Inputs { design: &design, base: &base, bulks: &bulks, columns: &columns };
        let folds: Vec<Vec<usize>> = (0..3).map(|f| (0..900).filter(|k| k % 3 == f).collect()).collect();
        let landmarks: Vec<usize> = (0..150).collect();
        let scales = learn_scales(&inputs, &[&truth], &folds, &landmarks, None);
        // The first column bends nothing: its effect is linear.
        let least = scales[1].min(scales[2]).min(scales[3]);
        let most = [0, 4, 5, 6, 7].map(|k| scales[k]).into_iter().fold(0.0, f64::max);
        assert!(least > 3.0 * most, "{scales:?}");

        let equal = vec![1.0 / 8f64.sqrt(); 8];
        let error = |scales: Vec<f64>| {
            let family = Family::Kernel(Kernel::new(&inputs, &landmarks, scales));
            let fit = &cross_fit(&inputs, &[&truth], &folds, &[family])[0];
            truth.iter().zip(&fit.predictions).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / 900.0
        };
        let (learnt, equal) = (error(scales), error(equal));
        assert!(learnt < 0.1 * equal, "{learnt} {equal}");
    }

    #[test]
    fn cross_validation_takes_the_family_that_fits() {
        let design = design();
        let square: Vec<f64> = (0..900).map(|k| design[(k, 1)].powi(2)).collect();
        let base = vec![1.0; 900];
        let inputs = Inputs { design: &design, base: &base, bulks: &[AS_IT_IS; 3], columns: &[0, 1, 2] };
        let folds: Vec<Vec<usize>> = (0..3).map(|f| (0..900).filter(|k| k % 3 == f).collect()).collect();
        let wide = Family::Kernel(Kernel::new(&inputs, &[0, 1, 2, 3, 4], vec![1.0; 3]));
        let fit = &cross_fit(&inputs, &[&square], &folds, &[wide, Family::Polynomial { degree: 2 }])[0];
        assert_eq!(fit.family, Some(1));
        assert!(square.iter().zip(&fit.predictions).all(|(a, b)| (a - b).abs() < 0.1));
    }
}
