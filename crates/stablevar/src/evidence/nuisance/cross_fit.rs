//! Fits without each fold at every penalty, and the choice among them.

use super::{Family, Inputs, gathered};
use crate::linalg::{Cholesky, Matrix, add_cross_product, dot};
use crate::rows::{TILE, map_blocks, scale_rows, tiles};

/// Penalties tried for every family, relative to the family's own scale.
pub(super) const PENALTIES: [f64; 6] = [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0];
/// The predictions use the best penalty times the first of these that raises the error by no more than the cost. What
/// a penalty takes off a curve is the same in the outcome's regression and in the variable's and does not average out;
/// the noise that a smaller one lets in does, as long as there is little of it.
const UNDERSMOOTHING: [f64; 3] = [0.03, 0.1, 0.3];
const UNDERSMOOTHING_COST: f64 = 0.02;

/// Cross-fitted predictions and the family that gave them.
pub(in crate::evidence) struct CrossFitted {
    /// One prediction per row of the folds, each from a fit that did not see the row's fold; 0 elsewhere.
    pub predictions: Vec<f64>,
    /// The position of the family chosen.
    pub family: Option<usize>,
}

/// Per outcome its error on the rows held out, and the coefficients of the fit without each fold.
pub(super) struct Trial {
    pub(super) errors: Vec<f64>,
    pub(super) coefficients: Vec<Vec<Vec<f64>>>,
}

/// A family's moments over every fold, from which fits at any penalty follow.
pub(super) struct Candidate {
    parts: Vec<FoldMoments>,
    whole: Matrix,
    penalty: Matrix,
}

impl Candidate {
    pub(super) fn new(inputs: &Inputs, outcomes: &[&[f64]], folds: &[Vec<usize>], family: &Family) -> Self {
        let parts: Vec<FoldMoments> =
            folds.iter().map(|rows| FoldMoments::gather(inputs, outcomes, rows, family)).collect();
        let width = parts[0].gram.rows();
        let mut whole = Matrix::zeros(width, width);
        parts.iter().for_each(|part| whole.add_assign(&part.gram));
        let penalty = family.penalty(inputs.columns.len(), &whole);
        Self { parts, whole, penalty }
    }

    /// Fits without each fold at one penalty; `None` if a factorisation fails.
    pub(super) fn trial(&self, factor: f64) -> Option<Trial> {
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

/// The best family and penalty for every outcome, judged on held-out folds.
///
/// `folds[f]` lists the rows of fold `f`; outcomes have one value per row of the design.
pub(in crate::evidence) fn cross_fit(
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
                scale_rows(features, weights, width, weighted);
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
