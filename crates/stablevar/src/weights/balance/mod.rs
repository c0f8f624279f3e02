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

mod dual;
mod path;

pub use path::{BalancePath, Floors, PathEnd, PathPoint, Reached};

use super::{Mask, Reweighted, Reweighter, SampleWeights, WeightFunction};
use crate::error::Result;
use crate::optim::{Minimum, StopReason};
use crate::parameter::Positive;
use crate::passes::{Divergence, Outcome, QuadraticFunction, RowSource, WeightedMoments, Weighting};
use dual::Dual;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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

/// What decides the ridge where none is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AutomaticRidge {
    /// `(pairs of columns / rows)^2`, for the loop of Algorithm 1: gates want as little correlation as chance allows.
    #[default]
    PairsPerRow,
    /// As small as leaves rows enough for a model on all columns; [`Balance::path`] tells the rule.
    AsRowsAllow,
}

/// The weighting problem above.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Balance {
    /// The distance to uniform weights.
    pub divergence: Divergence,
    /// Whether means may move.
    pub means: Means,
    /// How much correlation may remain; `None` leaves it to `automatic`.
    pub ridge: Option<Positive>,
    /// What decides the ridge where none is given.
    #[serde(default)]
    pub automatic: AutomaticRidge,
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
            ridge: None,
            automatic: AutomaticRidge::AsRowsAllow,
            tolerance: Positive::constant(1e-9),
            max_iterations: 500,
        }
    }
}

impl Reweighter for Balance {
    fn reweigh(
        &self,
        data: &dyn RowSource,
        mask: &Mask,
        start: Option<&WeightFunction>,
        _seed: u64,
    ) -> Result<Reweighted> {
        let start = match start {
            Some(WeightFunction::Quadratic(function)) => Some(function),
            _ => None,
        };
        self.solve(data, mask, start)
    }
}

/// The ridge that leaves no correlation where that is possible.
const EXACT: Positive = Positive::constant(1e-10);

impl Balance {
    /// Weights that leave no correlation, whatever that costs in effective rows; where there are none the search does not
    /// converge.
    pub fn exact() -> Self {
        Self { ridge: Some(EXACT), ..Self::default() }
    }

    /// Finds the weights; `start` is the solution for a similar mask, if there is one.
    pub fn solve(&self, data: &dyn RowSource, mask: &Mask, start: Option<&QuadraticFunction>) -> Result<Reweighted> {
        if self.ridge.is_none() && self.automatic == AutomaticRidge::AsRowsAllow {
            return self.as_rows_allow(data, mask, start);
        }
        let mut problem = Dual::new(self, data, mask);
        let earlier = start.filter(|function| function.divergence == self.divergence);
        let start = problem.starting_point(earlier);
        let start = if earlier.is_some() { start } else { problem.start_from_sample(start)? };
        let minimum = problem.minimum(start)?;
        if let Some(found) = problem.weights_of(&minimum)? {
            return Ok(found);
        }
        // Only a search that was cut off can end outside the weights' domain. The nearest weights to what was asked for that
        // can be found stand in; in a loop none do, since the next loop asks again.
        let (total, passes) = (problem.total, problem.passes);
        let mut found = match self.ridge {
            Some(ridge) => self.as_far_as(ridge, data, mask)?,
            None => Reweighted {
                weights: SampleWeights::uniform(total),
                function: None,
                truncated: None,
                reached: None,
                stop: StopReason::IterationLimit,
                passes: 0,
            },
        };
        found.passes += passes;
        Ok(found)
    }
}

impl Dual<'_> {
    /// The minimum from a point to begin with.
    fn minimum(&mut self, start: Vec<f64>) -> Result<Minimum> {
        match self.balance.means {
            Means::Pinned => self.minimise(start),
            Means::Recentred => self.minimise_over_means(start),
        }
    }

    /// The weights at a minimum, in one more pass; `None` where it is outside their domain.
    fn weights_of(&mut self, minimum: &Minimum) -> Result<Option<Reweighted>> {
        let form = self.form(&minimum.point);
        let raw = QuadraticFunction { divergence: self.balance.divergence, form, factor: 1.0 };
        let weighting = Weighting::Function(Box::new(raw.clone()));
        let moments = WeightedMoments::of(self.data(), &weighting, Outcome::Target)?;
        self.passes += 1;
        let mean = moments.total / self.total;
        if !(mean.is_finite() && mean > 0.0) {
            return Ok(None);
        }
        let function = QuadraticFunction { factor: 1.0 / mean, ..raw };
        Ok(Some(Reweighted {
            weights: SampleWeights {
                weighting: Weighting::Function(Box::new(function.clone())),
                effective_sample_size: moments.effective_sample_size,
                moments: Some(Arc::new(WeightedMoments { total: self.total, ..moments })),
            },
            function: Some(WeightFunction::Quadratic(function)),
            truncated: None,
            reached: None,
            stop: minimum.stop,
            passes: self.passes,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Roles, TrainingData};
    use crate::diagnostics::{remaining_correlation, weighted_correlations};
    use crate::sample::biased_sample;
    use crate::table::Table;

    fn sample(rows: usize) -> TrainingData {
        TrainingData::prepare(&biased_sample(6, 3, rows, 2), &Roles::target("y")).unwrap()
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
                let solved =
                    Balance { divergence, means, ..Balance::exact() }.solve(&data, &Mask::all(&data), None).unwrap();
                for (row, weight) in solved.weights.values(&data).iter().enumerate() {
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
        let balance = Balance {
            ridge: None,
            automatic: AutomaticRidge::PairsPerRow,
            tolerance: Positive::constant(1e-5),
            ..Balance::default()
        };
        let solved = balance.solve(&data, &Mask::all(&data), None).unwrap();
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
            dual.objective(&moved, &mut gradient).unwrap();
            gradient
        };
        let (after, before) = (gradient_at(1e-6), gradient_at(-1e-6));
        let image: Vec<f64> = after.iter().zip(&before).map(|(a, b)| (a - b) / 2e-6).collect();
        let solved = dual.hessian(&point).unwrap().unwrap().solve(&image);
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
            dual.objective(&point, &mut gradient).unwrap();
            for k in 0..point.len() {
                let mut at = |step: f64| {
                    let mut moved = point.clone();
                    moved[k] += step;
                    dual.objective(&moved, &mut vec![0.0; point.len()]).unwrap()
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
        let solve = |means| Balance { means, ..Balance::exact() }.solve(&data, &mask, None).unwrap();
        let (pinned, moved) = (solve(Means::Pinned), solve(Means::Recentred));
        assert!(moved.weights.effective_sample_size() >= pinned.weights.effective_sample_size());
        for solved in [pinned, moved] {
            assert!(solved.stop.converged());
            assert!(remaining_correlation(&weighted_correlations(&data, &solved.weights).unwrap(), &mask) < 1e-6);
        }
    }

    #[test]
    fn entropy_weights_are_positive_and_chi2_keeps_more_effective_rows() {
        let data = sample(1500);
        let mask = Mask::all(&data);
        let solve = |divergence| Balance { divergence, ..Balance::exact() }.solve(&data, &mask, None).unwrap().weights;
        let (entropy, chi2) = (solve(Divergence::Entropy), solve(Divergence::Chi2));
        assert!(entropy.values(&data).iter().all(|&weight| weight > 0.0));
        assert!(chi2.values(&data).iter().all(|&weight| weight >= 0.0));
        assert!(chi2.effective_sample_size() >= entropy.effective_sample_size());
    }

    #[test]
    fn pairs_that_the_mask_leaves_out_keep_their_correlation() {
        let data = sample(2000);
        let stable = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
        let solved = Balance::exact().solve(&data, &Mask::from_stability(&data, &stable), None).unwrap();
        let correlations = weighted_correlations(&data, &solved.weights).unwrap();
        assert!(correlations[(0, 1)] > 0.3 && correlations[(0, 5)].abs() < 1e-6);
    }

    #[test]
    fn the_weight_function_weighs_the_training_rows_as_they_were_and_new_rows_too() {
        let data = sample(1000);
        let solved = Balance::exact().solve(&data, &Mask::all(&data), None).unwrap();
        let function = solved.function.unwrap();
        let again = function.weigh(&data.design);
        assert!(again.iter().zip(solved.weights.values(&data).iter()).all(|(a, b)| (a - b).abs() < 1e-9));
        let fresh = function.weigh(&sample(5000).design);
        assert!(fresh.iter().all(|weight| weight.is_finite() && *weight >= 0.0));
    }

    #[test]
    fn an_infeasible_balance_ends_and_says_what_is_left() {
        // A column that is nearly the negative of another can't be decorrelated from it by weights.
        let x: Vec<f64> = (0..200).map(|k| ((k * 37) % 101) as f64).collect();
        let near: Vec<f64> = x.iter().enumerate().map(|(k, x)| -x + 0.01 * ((k * 13) % 7) as f64).collect();
        let y: Vec<f64> = (0..200).map(|k| ((k * k) % 17) as f64).collect();
        let table = Table::from_numbers([("x", x), ("near", near), ("y", y)]).unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        let mask = Mask::all(&data);
        let in_a_loop = Balance { ridge: None, automatic: AutomaticRidge::PairsPerRow, ..Balance::default() };
        for balance in [Balance::default(), Balance::exact(), in_a_loop] {
            let solved = balance.solve(&data, &mask, None).unwrap();
            assert!(solved.weights.values(&data).iter().all(|weight| weight.is_finite() && *weight >= 0.0));
            assert!(solved.weights.effective_sample_size() >= 1.0);
        }
    }
}
