//! Focused balance: judge a variable under weights that decorrelate it, and it alone, from all others.
//!
//! For a variable d the weights closest to uniform are sought under which d is uncorrelated with the other columns,
//! their squares and their products; everything else stays as it is, so that most rows keep their weight:
//!
//! ```text
//! minimise  mean (w - 1)^2 / 2 + 1/(2 ridge) sum_m C_m(w)^2   over w >= 0 with mean w = 1 and mean w z_d = 0,
//!           C_m(w) = mean_k w_k z_kd psi_m(z_k)
//! ```
//!
//! Its dual has one unknown per constraint: `w = max(0, phi(z)' t)` with `phi = (1, z_d, z_d psi(z))`. Under these weights
//! least squares of Y on all columns gives d's effect, however the others bend the outcome up to products.

use super::judge::Residuals;
use super::{Evidence, VariableEvidence};
use crate::design::TrainingData;
use crate::linalg::{Cholesky, Matrix, add_cross_product, dot, multiply_rows};
use crate::optim::{Limits, StopReason, minimise};
use crate::rows::{TILE, map_blocks, scale_rows, sum_matrices, sum_over_rows, tiles};

/// The most constraints; beyond it products are given up, then squares.
const MOST_CONSTRAINTS: usize = 600;
/// Rows a constraint must have at least.
const ROWS_PER_CONSTRAINT: usize = 4;
const STEPS_PER_HESSIAN: usize = 15;
const MOST_STEPS: usize = 150;
const TOLERANCE: f64 = 1e-6;

/// What the variable is decorrelated from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    Columns,
    Squares,
    Products,
}

impl Detail {
    fn functions(self, columns: usize) -> usize {
        match self {
            Detail::Columns => columns,
            Detail::Squares => 2 * columns,
            Detail::Products => columns + columns * (columns + 1) / 2,
        }
    }

    fn fill(self, row: &[f64], functions: &mut Vec<f64>) {
        functions.clear();
        functions.extend(row);
        match self {
            Detail::Columns => {}
            Detail::Squares => functions.extend(row.iter().map(|x| x * x - 1.0)),
            Detail::Products => {
                for i in 0..row.len() {
                    functions.extend(row[..i].iter().map(|x| x * row[i]));
                    functions.push(row[i] * row[i] - 1.0);
                }
            }
        }
    }
}

/// Judges one variable against the columns given, by the rows given.
pub(super) fn judge_variable(
    data: &TrainingData,
    settings: &Evidence,
    rows: &[usize],
    variable: usize,
    others: &[usize],
) -> VariableEvidence {
    let own = &data.encoding.features[variable].columns;
    let most = MOST_CONSTRAINTS.min(rows.len() / ROWS_PER_CONSTRAINT);
    let detail = [Detail::Products, Detail::Squares]
        .into_iter()
        .find(|detail| own.len() * (1 + detail.functions(others.len())) <= most)
        .unwrap_or(Detail::Columns);
    let focus = Focus::new(data, rows, own, others, detail);
    let weights = focus.weights();
    let outcome: Vec<f64> = rows.iter().map(|&row| data.outcome[row]).collect();
    let mut targets = vec![outcome];
    targets.extend(own.iter().map(|&column| rows.iter().map(|&row| data.design[(row, column + 1)]).collect()));
    let mut left = weighted_residuals(data, rows, others, &weights, targets);
    let outcome = left.remove(0);
    let residuals = Residuals { rows, outcome, own: left, weights: Some(&weights) };
    let slopes = residuals.slopes(data);
    let uncertain = focus.uncertain(&weights, &slopes.left, &residuals.own);
    let spent = others.len() + own.len() + 1;
    residuals.judge(data, own, &slopes, uncertain.as_deref(), spent, settings)
}

/// What weighted least squares on the other columns leaves of every target.
fn weighted_residuals(
    data: &TrainingData,
    rows: &[usize],
    others: &[usize],
    weights: &[f64],
    mut targets: Vec<Vec<f64>>,
) -> Vec<Vec<f64>> {
    let width = others.len() + 1;
    let count = targets.len();
    let gathered = |tile: &[usize]| -> Vec<f64> {
        tile.iter()
            .flat_map(|&row| std::iter::once(1.0).chain(others.iter().map(move |&c| data.design[(row, c + 1)])))
            .collect()
    };
    // Columns and targets side by side, so that one cross product holds all that least squares needs.
    let moments = sum_matrices(rows.len(), width + count, |block, total| {
        for tile in tiles(block) {
            let columns = gathered(&rows[tile.clone()]);
            let wide: Vec<f64> = columns
                .chunks_exact(width)
                .zip(tile.clone())
                .flat_map(|(row, k)| row.iter().copied().chain(targets.iter().map(move |target| target[k])))
                .collect();
            let mut weighted = vec![0.0; wide.len()];
            let weight = tile.map(|k| weights[k] * data.base[rows[k]]);
            scale_rows(&wide, weight, width + count, &mut weighted);
            add_cross_product(&weighted, &wide, total);
        }
    });
    let keep: Vec<usize> = (0..width).collect();
    let Some(solver) = Cholesky::with_least_ridge(&moments.submatrix(&keep)) else { return targets };
    for (number, target) in targets.iter_mut().enumerate() {
        let cross: Vec<f64> = (0..width).map(|k| moments[(k, width + number)]).collect();
        let coefficients = solver.solve(&cross);
        for (tile, target) in rows.chunks(TILE).zip(target.chunks_mut(TILE)) {
            let columns = gathered(tile);
            columns.chunks_exact(width).zip(target).for_each(|(row, value)| *value -= dot(row, &coefficients));
        }
    }
    targets
}

/// The dual problem of one variable.
struct Focus<'a> {
    data: &'a TrainingData,
    rows: &'a [usize],
    own: &'a [usize],
    others: &'a [usize],
    detail: Detail,
    /// One over the root mean square of every feature.
    scales: Vec<f64>,
    total: f64,
    ridge: f64,
}

impl<'a> Focus<'a> {
    fn new(data: &'a TrainingData, rows: &'a [usize], own: &'a [usize], others: &'a [usize], detail: Detail) -> Self {
        let width = 1 + own.len() * (1 + detail.functions(others.len()));
        let total: f64 = rows.iter().map(|&row| data.base[row]).sum();
        // Constraints by chance alone cost a share of the effective sample size of the order constraints / rows.
        let ridge = (width as f64 / total).powi(2).max(1e-10);
        let mut focus = Self { data, rows, own, others, detail, scales: vec![1.0; width], total, ridge };
        let squares = sum_over_rows(rows.len(), width, |block, sums| {
            for tile in tiles(block) {
                let features = focus.features(tile.clone());
                for (row, k) in features.chunks_exact(width).zip(tile) {
                    let base = data.base[rows[k]];
                    sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += base * value * value);
                }
            }
        });
        focus.scales = squares.iter().map(|&sum| if sum > 0.0 { (total / sum).sqrt() } else { 0.0 }).collect();
        focus
    }

    /// Features of some rows, one after the other.
    fn features(&self, tile: std::ops::Range<usize>) -> Vec<f64> {
        let mut features = Vec::with_capacity(tile.len() * self.scales.len());
        let (mut row, mut functions) = (Vec::new(), Vec::new());
        for &position in &self.rows[tile] {
            let design = self.data.design.row(position);
            row.clear();
            row.extend(self.others.iter().map(|&column| design[column + 1]));
            self.detail.fill(&row, &mut functions);
            let start = features.len();
            features.push(1.0);
            for &column in self.own {
                let value = design[column + 1];
                features.push(value);
                features.extend(functions.iter().map(|function| value * function));
            }
            features[start..].iter_mut().zip(&self.scales).for_each(|(feature, scale)| *feature *= scale);
        }
        features
    }

    /// The ridge of an unknown: none for the mean weight and the variable's own mean.
    fn ridge_of(&self, unknown: usize) -> f64 {
        let functions = 1 + self.detail.functions(self.others.len());
        if unknown == 0 || (unknown - 1).is_multiple_of(functions) { 1e-12 } else { self.ridge }
    }

    fn objective(&self, point: &[f64], gradient: &mut [f64]) -> f64 {
        let width = point.len();
        let sums = sum_over_rows(self.rows.len(), width + 1, |block, sums| {
            for tile in tiles(block) {
                let features = self.features(tile.clone());
                for (row, k) in features.chunks_exact(width).zip(tile) {
                    let weight = dot(row, point).max(0.0);
                    let scaled = self.data.base[self.rows[k]] * weight;
                    sums[width] += 0.5 * scaled * weight;
                    sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += scaled * value);
                }
            }
        });
        let mut value = sums[width] / self.total - point[0];
        for (unknown, gradient) in gradient.iter_mut().enumerate() {
            let ridge = self.ridge_of(unknown);
            *gradient = sums[unknown] / self.total + ridge * point[unknown] - f64::from(unknown == 0);
            value += 0.5 * ridge * point[unknown].powi(2);
        }
        value
    }

    /// The second derivatives: moments of the features over the rows that have weight.
    fn hessian(&self, point: &[f64]) -> Option<Cholesky> {
        let width = point.len();
        let mut moments = sum_matrices(self.rows.len(), width, |block, total| {
            for tile in tiles(block) {
                let features = self.features(tile.clone());
                let mut weighted = vec![0.0; features.len()];
                let active = features
                    .chunks_exact(width)
                    .zip(tile)
                    .map(|(row, k)| if dot(row, point) > 0.0 { self.data.base[self.rows[k]] } else { 0.0 });
                scale_rows(&features, active, width, &mut weighted);
                add_cross_product(&weighted, &features, total);
            }
        });
        moments.scale(1.0 / self.total);
        (0..width).for_each(|unknown| moments[(unknown, unknown)] += self.ridge_of(unknown));
        Cholesky::with_least_ridge(&moments)
    }

    /// What remains of the products of residuals after the features, whose weighted means the weights have fixed.
    ///
    /// As with calibrated survey weights: the part of a product that is linear in the features has a mean that is known,
    /// so that only the rest makes the estimate uncertain. `None` if the features can't be told apart.
    fn uncertain(&self, weights: &[f64], outcome: &[f64], own: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
        let (features_count, count) = (self.scales.len(), own.len());
        let width = features_count + count;
        let product = |c: usize, k: usize| outcome[k] * own[c][k];
        let mut moments = sum_matrices(self.rows.len(), width, |block, total| {
            for tile in tiles(block) {
                let features = self.features(tile.clone());
                let wide: Vec<f64> = features
                    .chunks_exact(features_count)
                    .zip(tile.clone())
                    .flat_map(|(row, k)| row.iter().copied().chain((0..count).map(move |c| product(c, k))))
                    .collect();
                let mut weighted = vec![0.0; wide.len()];
                scale_rows(&wide, tile.map(|k| weights[k] * self.data.base[self.rows[k]]), width, &mut weighted);
                add_cross_product(&weighted, &wide, total);
            }
        });
        moments.scale(1.0 / self.total);
        let mut gram = moments.submatrix(&(0..features_count).collect::<Vec<_>>());
        (0..features_count).for_each(|unknown| gram[(unknown, unknown)] += self.ridge_of(unknown));
        let solver = Cholesky::with_least_ridge(&gram)?;
        let coefficients: Vec<Vec<f64>> = (0..count)
            .map(|c| solver.solve(&(0..features_count).map(|k| moments[(k, features_count + c)]).collect::<Vec<_>>()))
            .collect();
        // The features take that many degrees of freedom of the effective rows with them.
        let squares: f64 =
            weights.iter().zip(self.rows).map(|(weight, &row)| self.data.base[row] * weight * weight).sum();
        let effective = self.total * self.total / squares;
        let freedom = (effective / (effective - features_count as f64).max(0.2 * effective)).sqrt();
        let blocks = map_blocks(self.rows.len(), |block| {
            let mut left = vec![Vec::with_capacity(block.len()); count];
            for tile in tiles(block) {
                let features = self.features(tile.clone());
                for (row, k) in features.chunks_exact(features_count).zip(tile) {
                    for (c, left) in left.iter_mut().enumerate() {
                        left.push(freedom * (product(c, k) - dot(row, &coefficients[c])));
                    }
                }
            }
            left
        });
        Some((0..count).map(|c| blocks.iter().flat_map(|left| left[c].iter().copied()).collect()).collect())
    }

    /// One weight per row, mean 1 under the base weights; all 1 if the search fails.
    fn weights(&self) -> Vec<f64> {
        let mut point = vec![0.0; self.scales.len()];
        point[0] = 1.0;
        let mut left = MOST_STEPS;
        while left > 0 {
            let hessian = self.hessian(&point);
            let precondition = |vector: &mut [f64]| {
                if let Some(hessian) = &hessian {
                    hessian.solve_in_place(vector);
                }
            };
            let options = Limits {
                gradient_tolerance: TOLERANCE,
                max_iterations: STEPS_PER_HESSIAN.min(left),
                memory: STEPS_PER_HESSIAN,
            };
            let minimum = minimise(|x, g| self.objective(x, g), precondition, point, options);
            point = minimum.point;
            left -= minimum.iterations.min(left);
            if minimum.stop != StopReason::IterationLimit {
                break;
            }
        }
        let matrix = Matrix::from_values(point.len(), 1, point);
        let blocks = map_blocks(self.rows.len(), |block| {
            let mut weights = vec![0.0; block.len()];
            for (tile, weights) in tiles(block.clone()).zip(weights.chunks_mut(TILE)) {
                multiply_rows(&self.features(tile), &matrix, weights);
            }
            weights
        });
        let mut weights: Vec<f64> = blocks.concat().into_iter().map(|weight: f64| weight.max(0.0)).collect();
        let sum: f64 = weights.iter().zip(self.rows).map(|(weight, &row)| weight * self.data.base[row]).sum();
        let factor = self.total / sum;
        if factor.is_finite() {
            weights.iter_mut().for_each(|weight| *weight *= factor);
        } else {
            weights.fill(1.0);
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Roles;
    use crate::sample::biased_sample;

    #[test]
    fn the_weights_decorrelate_the_variable_from_columns_squares_and_products_and_leave_the_others_alone() {
        let data = TrainingData::prepare(&biased_sample(10, 5, 2000, 4), &Roles::target("y")).unwrap();
        let rows: Vec<usize> = (0..2000).collect();
        let others: Vec<usize> = (0..9).collect();
        let focus = Focus::new(&data, &rows, &[9], &others, Detail::Products);
        let weights = focus.weights();
        let mean = |value: &dyn Fn(&[f64]) -> f64| {
            (0..2000).map(|k| weights[k] * value(&data.design.row(k)[1..])).sum::<f64>() / 2000.0
        };
        assert!((mean(&|_| 1.0) - 1.0).abs() < 1e-9 && mean(&|z| z[9]).abs() < 1e-4);
        for i in 0..9 {
            assert!(mean(&|z| z[9] * z[i]).abs() < 0.01, "{i}: {}", mean(&|z| z[9] * z[i]));
            assert!(mean(&|z| z[9] * z[i] * z[0]).abs() < 0.02, "{i}: {}", mean(&|z| z[9] * z[i] * z[0]));
        }
        assert!(mean(&|z| z[0] * z[1]) > 0.4, "{}", mean(&|z| z[0] * z[1]));
        let effective = 2000.0 / mean(&|_| 1.0).powi(2) / (weights.iter().map(|w| w * w).sum::<f64>() / 2000.0);
        assert!(effective > 600.0, "{effective}");
    }

    #[test]
    fn many_columns_give_up_products_then_squares() {
        assert_eq!(Detail::Products.functions(9), 54);
        assert_eq!(Detail::Squares.functions(9), 18);
        let mut functions = Vec::new();
        Detail::Products.fill(&[2.0, 3.0], &mut functions);
        assert_eq!(functions, vec![2.0, 3.0, 3.0, 6.0, 8.0]);
    }
}
