//! Gates for the linear model: for squared loss the expectation over the gates is exact.
//!
//! With `a = E m`, `v = Var m`, weighted covariances `G = Cov_w(z)`, `c = Cov_w(z, y)` and `b = theta a`,
//!
//! ```text
//! E_w E_m (y - sum_d theta_d m_d z_d)^2 = Var_w(y) - 2 b.c + b' (G + R) b,   R_gg = v_g / a_g^2 G_gg
//! ```
//!
//! where `g` runs over variables (a text variable's columns share one gate). So the gates act as a ridge of
//! their own on every variable: `b` has a closed form, and a descent in as many dimensions as there are
//! variables finds the gates. The rows are needed once, for `G` and `c`.

use super::law::{GateMoments, gate_moments};
use crate::design::TrainingData;
use crate::diagnostics::{covariance_from_moments, weighted_moments};
use crate::linalg::{Cholesky, Matrix, dot, max_abs};
use crate::optim::StopReason;
use crate::parameter::{NonNegative, Positive};
use crate::rows::{TILE, scale_rows, sum_matrices, tiles, weighted_column_sums};
use crate::weights::SampleWeights;
use serde::{Deserialize, Serialize};

/// How much an open gate costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Penalty {
    /// The paper's single lambda, in units of the outcome's variance.
    Fixed(NonNegative),
    /// This factor times `log(n_eff)` times what noise alone would let the variable explain under the weights.
    ///
    /// That is the Bayesian information criterion with a sandwich estimate of the noise: a gate stays open
    /// when its variable explains more than chance can under these weights, however uneven they are.
    Auto(Positive),
}

/// Stochastic gates for weighted least squares.
///
/// | Name | Default | Purpose | Range |
/// |---|---|---|---|
/// | `sigma` | 0.5 | noise of the gates; at 0.1 the penalty has no slope and every gate drifts open | > 0 |
/// | `penalty` | `Auto(1)` | the cost of an open gate | |
/// | `max_iterations` | 1000 | steps of the descent | |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LinearGates {
    /// Noise of the gates.
    pub sigma: Positive,
    /// The cost of an open gate.
    pub penalty: Penalty,
    /// Steps of the descent.
    pub max_iterations: usize,
}

impl Default for LinearGates {
    fn default() -> Self {
        Self { sigma: Positive::constant(0.5), penalty: Penalty::Auto(Positive::constant(1.0)), max_iterations: 1000 }
    }
}

/// Everything the gates need to know about weighted rows.
#[derive(Debug, Clone)]
pub struct WeightedProblem {
    /// `Cov_w(z)`.
    pub covariance: Matrix,
    /// `Cov_w(z, y)`.
    pub cross: Vec<f64>,
    /// `Var_w(y)`.
    pub target_variance: f64,
    /// Per variable: the loss it removes by chance alone, on average, if its true coefficient is 0.
    pub chance: Vec<f64>,
    /// Effective sample size of the weights.
    pub effective_sample_size: f64,
    /// For every encoded column its variable.
    groups: Vec<usize>,
    /// For every variable its encoded columns.
    members: Vec<Vec<usize>>,
}

/// The outcome of the descent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GatedFit {
    /// Per variable: `P(m > 0)`.
    pub open_probability: Vec<f64>,
    /// Per variable: `E m`, which the loop of Algorithm 1 feeds back.
    pub mean_gate: Vec<f64>,
    /// Per encoded column: `theta_d E m_d`, on standardised columns.
    pub coefficients: Vec<f64>,
    /// Expected weighted squared error as a share of the outcome's variance, without the penalty.
    pub loss: f64,
    /// Per variable: the penalty used.
    pub penalties: Vec<f64>,
    /// Steps taken.
    pub iterations: usize,
    /// Why it stopped.
    pub stop: StopReason,
}

impl WeightedProblem {
    /// Gathers weighted covariances (one pass) and the noise (another).
    pub fn new(data: &TrainingData, weights: &SampleWeights) -> Self {
        let with_base = weights.with_base(&data.base);
        let moments = weighted_moments(data, weights);
        let covariance = covariance_from_moments(&moments);
        let total: f64 = with_base.iter().sum();
        let sums = weighted_column_sums(&data.design, &with_base, &data.target.values);
        let target_mean = sums[0] / total;
        let cross: Vec<f64> =
            (1..sums.len()).map(|column| sums[column] / total - moments[(0, column)] * target_mean).collect();
        let squares: f64 = with_base.iter().zip(&data.target.values).map(|(weight, y)| weight * (y - target_mean).powi(2)).sum();

        let groups = data.encoding.groups();
        let members = data.encoding.features.iter().map(|feature| feature.columns.clone()).collect();
        let mut problem = Self {
            covariance,
            cross,
            target_variance: squares / total,
            chance: Vec::new(),
            effective_sample_size: weights.effective_sample_size(),
            groups,
            members,
        };
        problem.chance = problem.chance_reduction(data, &with_base, &moments, target_mean);
        problem
    }

    /// Number of variables.
    pub fn variables(&self) -> usize {
        self.members.len()
    }

    /// `trace([(G^-1)_gg]^-1 V_gg)` per variable, V the sandwich covariance of weighted least squares.
    fn chance_reduction(&self, data: &TrainingData, weights: &[f64], moments: &Matrix, target_mean: f64) -> Vec<f64> {
        let Some(factor) = Cholesky::with_least_ridge(&self.covariance) else { return vec![0.0; self.variables()] };
        let coefficients = factor.solve(&self.cross);
        let inverse = factor.inverse();
        let width = data.design.columns();
        let means: Vec<f64> = (1..width).map(|column| moments[(0, column)]).collect();
        let shift = target_mean - dot(&means, &coefficients);
        // A row that stands `base` times adds its score's square that many times.
        let scores = sum_matrices(data.rows(), width, |block, total| {
            let mut scaled = vec![0.0; TILE * width];
            for tile in tiles(block) {
                let rows = &data.design.values()[tile.start * width..tile.end * width];
                let scaled = &mut scaled[..rows.len()];
                let squares = tile.zip(rows.chunks_exact(width)).map(|(k, row)| {
                    let residual = data.target.values[k] - shift - dot(&row[1..], &coefficients);
                    let base = data.base[k];
                    if base > 0.0 { weights[k] * weights[k] / base * residual * residual } else { 0.0 }
                });
                scale_rows(rows, squares, width, scaled);
                crate::linalg::add_cross_product(scaled, rows, total);
            }
        });
        let total: f64 = weights.iter().sum();
        let size = width - 1;
        let meat = Matrix::from_fn(size, size, |i, j| {
            let centred = scores[(i + 1, j + 1)] - means[i] * scores[(0, j + 1)] - scores[(i + 1, 0)] * means[j]
                + means[i] * means[j] * scores[(0, 0)];
            centred / (total * total)
        });
        // Fitted residuals are smaller than true ones, by as much as there are coefficients for the effective rows.
        let spent = (size + 1) as f64;
        let widen = self.effective_sample_size / (self.effective_sample_size - spent).max(1.0);
        let variable = |columns: &Vec<usize>| {
            let sandwich = |i: usize, j: usize| -> f64 {
                let left = inverse.row(i);
                (0..size).map(|k| left[k] * dot(meat.row(k), inverse.row(j))).sum()
            };
            match columns.as_slice() {
                [column] => sandwich(*column, *column) / inverse[(*column, *column)],
                _ => {
                    let Some(own) = Cholesky::with_least_ridge(&inverse.submatrix(columns)) else { return 0.0 };
                    let precision = own.inverse();
                    (0..columns.len())
                        .map(|i| (0..columns.len()).map(|j| precision[(i, j)] * sandwich(columns[j], columns[i])).sum::<f64>())
                        .sum()
                }
            }
        };
        self.members.iter().map(|columns| widen * variable(columns)).collect()
    }

    /// `theta_d E m_d` and the loss for given ridges `v / a^2` per variable.
    fn coefficients(&self, ridges: &[f64]) -> (Vec<f64>, f64) {
        let mut matrix = self.covariance.clone();
        for (columns, ridge) in self.members.iter().zip(ridges) {
            for &i in columns {
                for &j in columns {
                    matrix[(i, j)] += ridge * self.covariance[(i, j)];
                }
            }
        }
        match Cholesky::with_least_ridge(&matrix) {
            Some(factor) => {
                let coefficients = factor.solve(&self.cross);
                let loss = self.target_variance - dot(&coefficients, &self.cross);
                (coefficients, loss)
            }
            None => (vec![0.0; self.cross.len()], self.target_variance),
        }
    }

    /// `b_g' G_gg b_g` per variable.
    fn own_energy(&self, coefficients: &[f64]) -> Vec<f64> {
        let energy = |columns: &Vec<usize>| -> f64 {
            columns
                .iter()
                .flat_map(|&i| columns.iter().map(move |&j| (i, j)))
                .map(|(i, j)| coefficients[i] * self.covariance[(i, j)] * coefficients[j])
                .sum()
        };
        self.members.iter().map(energy).collect()
    }

    /// For every encoded column its variable.
    pub fn groups(&self) -> &[usize] {
        &self.groups
    }
}

/// Gates are kept in this range: beyond it the law of a gate no longer changes.
const RANGE: (f64, f64) = (-1.0, 2.0);
/// Where every gate starts: half open, so that each can go either way.
const START: f64 = 0.5;

impl LinearGates {
    /// The penalty of every variable's gate.
    pub fn penalties(&self, problem: &WeightedProblem) -> Vec<f64> {
        match self.penalty {
            Penalty::Fixed(lambda) => vec![lambda.get(); problem.variables()],
            Penalty::Auto(factor) => {
                let level = factor.get() * problem.effective_sample_size.max(2.0).ln();
                problem.chance.iter().map(|chance| level * chance).collect()
            }
        }
    }

    /// Finds the gates by spectral projected gradient descent on the expected loss plus penalty.
    pub fn fit(&self, problem: &WeightedProblem) -> GatedFit {
        let penalties = self.penalties(problem);
        let tolerance = 1e-7 * max_abs(&penalties).max(1e-9);
        let project = |mu: f64| mu.clamp(RANGE.0, RANGE.1);
        let mut mu = vec![START; problem.variables()];
        let mut state = self.evaluate(problem, &penalties, &mu);
        let mut recent = vec![state.value];
        let mut length = 0.25 / max_abs(&state.gradient).max(1e-12);
        let mut stop = StopReason::IterationLimit;
        let mut iterations = 0;
        while iterations < self.max_iterations {
            let towards: Vec<f64> = mu.iter().zip(&state.gradient).map(|(mu, g)| project(mu - g) - mu).collect();
            if max_abs(&towards) <= tolerance {
                stop = StopReason::Converged;
                break;
            }
            let direction: Vec<f64> = mu.iter().zip(&state.gradient).map(|(mu, g)| project(mu - length * g) - mu).collect();
            let slope = dot(&direction, &state.gradient);
            let ceiling = recent.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let mut step = 1.0;
            let next = loop {
                let trial: Vec<f64> = mu.iter().zip(&direction).map(|(mu, d)| mu + step * d).collect();
                let evaluated = self.evaluate(problem, &penalties, &trial);
                if evaluated.value <= ceiling + 1e-4 * step * slope || step < 1e-10 {
                    break (trial, evaluated);
                }
                step *= 0.5;
            };
            iterations += 1;
            if step < 1e-10 {
                stop = StopReason::PrecisionReached;
                break;
            }
            let (moved, changed): (Vec<f64>, Vec<f64>) = (
                next.0.iter().zip(&mu).map(|(new, old)| new - old).collect(),
                next.1.gradient.iter().zip(&state.gradient).map(|(new, old)| new - old).collect(),
            );
            let curvature = dot(&moved, &changed);
            length = if curvature > 0.0 { (dot(&moved, &moved) / curvature).clamp(1e-6, 1e6) } else { length * 4.0 };
            // No step longer than a quarter: farther away lie plateaus from which no slope leads back.
            length = length.min(0.25 / max_abs(&next.1.gradient).max(1e-12));
            (mu, state) = next;
            recent.push(state.value);
            if recent.len() > 10 {
                recent.remove(0);
            }
        }
        GatedFit {
            open_probability: state.gates.iter().map(|gate| gate.open).collect(),
            mean_gate: state.gates.iter().map(|gate| gate.mean).collect(),
            coefficients: state.coefficients,
            loss: state.loss / problem.target_variance,
            penalties,
            iterations,
            stop,
        }
    }

    /// The gates for a range of penalties, from the largest factor to the smallest.
    ///
    /// Factors multiply the configured penalty: what changes along the path shows how far the selection
    /// hangs on its choice.
    pub fn path(&self, problem: &WeightedProblem, factors: &[Positive]) -> Vec<(f64, GatedFit)> {
        let scaled = |factor: f64| match self.penalty {
            Penalty::Fixed(lambda) => NonNegative::new("lambda", lambda.get() * factor).map(Penalty::Fixed),
            Penalty::Auto(own) => Positive::new("lambda", own.get() * factor).map(Penalty::Auto),
        };
        let mut factors: Vec<f64> = factors.iter().map(|factor| factor.get()).collect();
        factors.sort_by(|a, b| b.total_cmp(a));
        factors
            .into_iter()
            .filter_map(|factor| Some((factor, Self { penalty: scaled(factor).ok()?, ..*self }.fit(problem))))
            .collect()
    }

    fn evaluate(&self, problem: &WeightedProblem, penalties: &[f64], mu: &[f64]) -> Evaluated {
        let gates: Vec<GateMoments> = mu.iter().map(|&mu| gate_moments(mu, self.sigma.get())).collect();
        let ridges: Vec<f64> = gates.iter().map(|gate| gate.variance / (gate.mean * gate.mean)).collect();
        let (coefficients, loss) = problem.coefficients(&ridges);
        let energy = problem.own_energy(&coefficients);
        let mut value = loss;
        let gradient = (0..mu.len())
            .map(|g| {
                let gate = &gates[g];
                value += penalties[g] * gate.open;
                let ridge_slope = (gate.variance_slope - 2.0 * ridges[g] * gate.mean * gate.mean_slope) / gate.mean.powi(2);
                energy[g] * ridge_slope + penalties[g] * gate.open_slope
            })
            .collect();
        Evaluated { value, gradient, gates, coefficients, loss }
    }
}

struct Evaluated {
    value: f64,
    gradient: Vec<f64>,
    gates: Vec<GateMoments>,
    coefficients: Vec<f64>,
    loss: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
    use rand_distr::StandardNormal;

    /// Three variables, the last with two columns.
    fn problem() -> WeightedProblem {
        let covariance = Matrix::from_values(
            4,
            4,
            vec![1.0, 0.5, 0.1, 0.0, 0.5, 1.2, 0.2, -0.1, 0.1, 0.2, 0.9, -0.3, 0.0, -0.1, -0.3, 1.1],
        );
        WeightedProblem {
            covariance,
            cross: vec![0.6, 0.2, 0.3, -0.2],
            target_variance: 1.0,
            chance: vec![0.001, 0.001, 0.002],
            effective_sample_size: 500.0,
            groups: vec![0, 1, 2, 2],
            members: vec![vec![0], vec![1], vec![2, 3]],
        }
    }

    #[test]
    fn the_gradient_agrees_with_differences() {
        let (problem, gates) = (problem(), LinearGates::default());
        let penalties = [0.01, 0.02, 0.03];
        let mu = [0.3, 0.7, -0.2];
        let gradient = gates.evaluate(&problem, &penalties, &mu).gradient;
        for g in 0..3 {
            let at = |shift: f64| {
                let mut moved = mu;
                moved[g] += shift;
                gates.evaluate(&problem, &penalties, &moved).value
            };
            let difference = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!((gradient[g] - difference).abs() < 1e-8, "{} and {difference}", gradient[g]);
        }
    }

    #[test]
    fn the_closed_form_loss_agrees_with_sampled_gates() {
        let (problem, gates) = (problem(), LinearGates::default());
        let mu = [0.3, 0.7, 0.1];
        let evaluated = gates.evaluate(&problem, &[0.0; 3], &mu);
        let theta: Vec<f64> =
            (0..4).map(|column| evaluated.coefficients[column] / evaluated.gates[problem.groups[column]].mean).collect();
        let mut random = ChaCha8Rng::seed_from_u64(5);
        const DRAWS: usize = 200_000;
        let mut losses = Vec::with_capacity(DRAWS);
        for _ in 0..DRAWS {
            let drawn: Vec<f64> = mu.iter().map(|mu| (mu + 0.5 * random.sample::<f64, _>(StandardNormal)).clamp(0.0, 1.0)).collect();
            let b: Vec<f64> = (0..4).map(|column| theta[column] * drawn[problem.groups[column]]).collect();
            losses.push(1.0 - 2.0 * dot(&b, &problem.cross) + dot(&b, &problem.covariance.times(&b)));
        }
        let mean = losses.iter().sum::<f64>() / DRAWS as f64;
        let spread = (losses.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / DRAWS as f64).sqrt();
        assert!((mean - evaluated.loss).abs() < 5.0 * spread / (DRAWS as f64).sqrt(), "{mean} and {}", evaluated.loss);
    }

    #[test]
    fn a_larger_penalty_closes_gates_and_none_opens_them() {
        let mut problem = problem();
        problem.cross[1] = 0.3; // the second variable has no effect of its own: 0.5 * 0.6 = 0.3
        let fixed = |lambda: f64| LinearGates { penalty: Penalty::Fixed(NonNegative::constant(lambda)), ..Default::default() };
        let open = fixed(1e-6).fit(&problem);
        assert!(open.stop.converged() && open.open_probability[0] > 0.9);
        let some = fixed(0.05).fit(&problem);
        assert!(some.open_probability[0] > 0.9 && some.open_probability[1] < 0.5, "{some:?}");
        let closed = fixed(10.0).fit(&problem);
        assert!(closed.open_probability.iter().all(|&p| p < 0.1), "{closed:?}");
    }
}
