//! Flexible regressions of a few outcomes on some columns, cross-fitted, without an n x n matrix.
//!
//! Every family is linear in features of the row, so that second moments of the features, one matrix per
//! fold, are all that cross-validation needs: fits without a fold and errors on it come from sums and differences
//! of these matrices. Rows are read once per family and once more for the predictions.

use crate::linalg::{Cholesky, Matrix, add_cross_product, dot, multiply_rows};
use crate::rows::{TILE, map_blocks, tiles};

/// A family of functions: linear in the columns, plus
#[derive(Debug, Clone)]
pub(super) enum Family {
    /// all products of two columns (degree 2) or of two and three (degree 3);
    Polynomial { degree: usize },
    /// Gaussian bumps around some rows (Nystrom's approximation of kernel regression).
    Kernel { landmarks: Matrix, norms: Vec<f64>, bandwidth: f64 },
}

/// Penalties tried for every family, relative to the family's own scale.
const PENALTIES: [f64; 5] = [1e-3, 1e-2, 1e-1, 1.0, 10.0];

/// The columns a regression may use, as positions in the design matrix (without its leading ones).
pub(super) struct Inputs<'a> {
    pub design: &'a Matrix,
    pub base: &'a [f64],
    pub columns: &'a [usize],
}

/// Cross-fitted predictions and the family that gave them.
pub(super) struct CrossFitted {
    /// One prediction per row, each from a fit that did not see the row's fold.
    pub predictions: Vec<f64>,
    pub family: String,
}

impl Family {
    pub(super) fn kernel(landmarks: Matrix, bandwidth: f64) -> Self {
        let norms = (0..landmarks.rows()).map(|k| dot(landmarks.row(k), landmarks.row(k))).collect();
        Family::Kernel { landmarks, norms, bandwidth }
    }

    pub(super) fn name(&self) -> String {
        match self {
            Family::Polynomial { degree } => format!("polynomial of degree {degree}"),
            Family::Kernel { bandwidth, .. } => format!("kernel of width {bandwidth:.1}"),
        }
    }

    /// Features beyond the constant and the columns themselves.
    pub(super) fn extra(&self, columns: usize) -> usize {
        match self {
            Family::Polynomial { degree: 2 } => columns * (columns + 1) / 2,
            Family::Polynomial { .. } => columns * (columns + 1) / 2 + columns * (columns + 1) * (columns + 2) / 6,
            Family::Kernel { landmarks, .. } => landmarks.rows(),
        }
    }

    /// Fills one row of features per row of `rows` (each with `columns` values).
    fn fill(&self, rows: &[f64], columns: usize, features: &mut [f64]) {
        let width = 1 + columns + self.extra(columns);
        for (row, features) in rows.chunks_exact(columns).zip(features.chunks_exact_mut(width)) {
            features[0] = 1.0;
            features[1..=columns].copy_from_slice(row);
            let extra = &mut features[1 + columns..];
            match self {
                Family::Polynomial { degree } => fill_products(row, *degree, extra),
                Family::Kernel { .. } => {}
            }
        }
        if let Family::Kernel { landmarks, norms, bandwidth } = self {
            let count = rows.len() / columns;
            let transposed = Matrix::from_fn(columns, landmarks.rows(), |i, j| landmarks[(j, i)]);
            let mut products = vec![0.0; count * landmarks.rows()];
            multiply_rows(rows, &transposed, &mut products);
            let scale = -0.5 / (bandwidth * bandwidth);
            for k in 0..count {
                let row = &rows[k * columns..(k + 1) * columns];
                let norm = dot(row, row);
                let extra = &mut features[k * width + 1 + columns..(k + 1) * width];
                for (j, value) in extra.iter_mut().enumerate() {
                    *value = (scale * (norm + norms[j] - 2.0 * products[k * norms.len() + j])).min(0.0).exp();
                }
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
            Family::Kernel { landmarks, norms, bandwidth } => {
                for k in 1..=columns {
                    penalty[(k, k)] = columns as f64;
                }
                let scale = -0.5 / (bandwidth * bandwidth);
                let offset = 1 + columns;
                for i in 0..landmarks.rows() {
                    for j in 0..landmarks.rows() {
                        let distance = norms[i] + norms[j] - 2.0 * dot(landmarks.row(i), landmarks.row(j));
                        penalty[(offset + i, offset + j)] = (scale * distance).min(0.0).exp();
                    }
                    penalty[(offset + i, offset + i)] += 1e-8;
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
        let parts: Vec<FoldMoments> =
            folds.iter().map(|rows| FoldMoments::gather(inputs, outcomes, rows, family)).collect();
        let width = parts[0].gram.rows();
        let mut whole = Matrix::zeros(width, width);
        parts.iter().for_each(|part| whole.add_assign(&part.gram));
        let penalty = family.penalty(inputs.columns.len(), &whole);
        for factor in PENALTIES {
            let mut errors = vec![0.0; outcomes.len()];
            let mut coefficients: Vec<Vec<Vec<f64>>> = vec![Vec::new(); outcomes.len()];
            for held_out in 0..folds.len() {
                let mut matrix = whole.clone();
                for (value, (part, penalty)) in
                    matrix.values_mut().iter_mut().zip(parts[held_out].gram.values().iter().zip(penalty.values()))
                {
                    *value += factor * penalty - part;
                }
                let Some(solver) = Cholesky::with_least_ridge(&matrix) else {
                    errors.iter_mut().for_each(|error| *error = f64::INFINITY);
                    break;
                };
                for outcome in 0..outcomes.len() {
                    let cross: Vec<f64> = (0..width)
                        .map(|k| {
                            parts
                                .iter()
                                .enumerate()
                                .filter(|(f, _)| *f != held_out)
                                .map(|(_, part)| part.cross[outcome][k])
                                .sum()
                        })
                        .collect();
                    let solution = solver.solve(&cross);
                    errors[outcome] += parts[held_out].squared_error(outcome, &solution);
                    coefficients[outcome].push(solution);
                }
            }
            for ((best, error), coefficients) in best.iter_mut().zip(errors).zip(coefficients) {
                if error.is_finite() && best.as_ref().is_none_or(|best| error < best.error) {
                    *best = Some(Chosen { error, family: number, coefficients });
                }
            }
        }
    }
    best.into_iter()
        .enumerate()
        .map(|(outcome, chosen)| match chosen {
            Some(chosen) => CrossFitted {
                predictions: predict(inputs, folds, &families[chosen.family], &chosen.coefficients),
                family: families[chosen.family].name(),
            },
            // Only data that defeat every factorisation come here; the mean is then the honest regression.
            None => CrossFitted { predictions: vec![0.0; outcomes[outcome].len()], family: "none".into() },
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
    rows.iter().flat_map(|&row| inputs.columns.iter().map(move |&column| inputs.design[(row, column + 1)])).collect()
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
