//! Gates for the linear model: for squared loss the expectation over the gates is exact.
//!
//! With `a = E m`, `v = Var m`, weighted covariances `G = Cov_w(z)`, `c = Cov_w(z, y)` and `b = theta a`,
//!
//! ```text
//! E_w E_m (y - sum_d theta_d m_d z_d)^2 = Var_w(y) - 2 b.c + b' (G + R) b,   R_gg = v_g / a_g^2 G_gg
//! ```
//!
//! where `g` runs over variables (a text variable's columns share one gate). So the gates act as a ridge of
//! their own on every variable: `b` has a closed form for given gates, and every gate one for given `b`. The rows
//! are needed once, for `G` and `c`.

use super::law::{GateMoments, gate_moments};
use crate::error::Result;
use crate::linalg::{Cholesky, Matrix, covariance_from_moments, dot};
use crate::optim::StopReason;
use crate::parameter::{NonNegative, Positive};
use crate::passes::{Outcome, RowSource, WeightedMoments, noise};
use crate::weights::SampleWeights;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How much an open gate costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Penalty {
    /// The paper's single lambda, in units of the outcome's variance.
    Fixed(NonNegative),
    /// This factor times `log(n_eff)` times what noise alone would let the variable explain under the weights.
    ///
    /// That is the Bayesian information criterion with a sandwich estimate of the noise: a gate stays open
    /// when its variable explains more than chance can under these weights, however uneven they are. It is
    /// never less than [`LEAST_EFFECT`] of the outcome's variance: with a million rows everything is significant,
    /// and what the weights could not quite decorrelate would pass for an effect.
    Auto(Positive),
}

/// Stochastic gates for weighted least squares.
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
        Self { sigma: Positive::constant(0.7), penalty: Penalty::Auto(Positive::constant(0.75)), max_iterations: 1000 }
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
    /// Weighted means of the columns.
    pub(super) means: Vec<f64>,
    /// Weighted mean of the outcome.
    pub(super) target_mean: f64,
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
    pub fn new(data: &dyn RowSource, weights: &SampleWeights) -> Result<Self> {
        Self::with_outcome(data, weights, &Outcome::Target)
    }

    /// The same for another outcome than the data's.
    pub(super) fn with_outcome(data: &dyn RowSource, weights: &SampleWeights, outcome: &Outcome) -> Result<Self> {
        let moments = match outcome {
            Outcome::Target => weights.moments(data)?,
            working => Arc::new(WeightedMoments::of(data, weights.weighting(), working.clone())?),
        };
        let target_mean = moments.cross[0];
        let means: Vec<f64> = (1..moments.columns.rows()).map(|column| moments.columns[(0, column)]).collect();
        let cross = moments.cross[1..].iter().zip(&means).map(|(cross, mean)| cross - mean * target_mean).collect();
        let mut problem = Self {
            covariance: covariance_from_moments(&moments.columns),
            cross,
            target_variance: moments.square - target_mean * target_mean,
            chance: Vec::new(),
            effective_sample_size: moments.effective_sample_size,
            means,
            target_mean,
            members: data.frame().encoding.features.iter().map(|feature| feature.columns.clone()).collect(),
        };
        problem.chance = problem.chance_reduction(data, weights, outcome, moments.total)?;
        Ok(problem)
    }

    /// The constant and the coefficients on the columns, around the weighted means.
    pub(super) fn with_constant(&self, coefficients: &[f64]) -> Vec<f64> {
        let constant = self.target_mean - dot(&self.means, coefficients);
        std::iter::once(constant).chain(coefficients.iter().copied()).collect()
    }

    /// Number of variables.
    pub fn variables(&self) -> usize {
        self.members.len()
    }

    /// `trace([(G^-1)_gg]^-1 V_gg)` per variable, V the sandwich covariance of weighted least squares.
    fn chance_reduction(
        &self,
        data: &dyn RowSource,
        weights: &SampleWeights,
        outcome: &Outcome,
        total: f64,
    ) -> Result<Vec<f64>> {
        let Some(factor) = Cholesky::with_least_ridge(&self.covariance) else { return Ok(vec![0.0; self.variables()]) };
        let coefficients = self.with_constant(&factor.solve(&self.cross));
        let inverse = factor.inverse();
        let means = &self.means;
        let size = means.len();
        let scores = noise(data, weights.weighting(), outcome.clone(), coefficients)?;
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
                        .map(|i| {
                            (0..columns.len())
                                .map(|j| precision[(i, j)] * sandwich(columns[j], columns[i]))
                                .sum::<f64>()
                        })
                        .sum()
                }
            }
        };
        Ok(self.members.iter().map(|columns| widen * variable(columns)).collect())
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
}

/// The least share of the outcome's variance that a variable must explain, whatever the number of rows.
pub const LEAST_EFFECT: f64 = 1e-3;
/// Gates stand in this range. Below it a gate is shut. Above it the mean gate (0.98 at its end, for the default sigma)
/// would reach 1 and the mask 0; a
/// biased variable that slipped in would then never be decorrelated again, so the range ends before that.
const RANGE: (f64, f64) = (-1.0, 2.0);
/// Number of positions in the range.
const POSITIONS: usize = 301;
/// Where every gate starts, 0.5: half open, so that each can go either way.
const START: usize = 150;
/// The farthest a gate moves at once.
const REACH: usize = 10;

impl LinearGates {
    /// The penalty of every variable's gate.
    pub fn penalties(&self, problem: &WeightedProblem) -> Vec<f64> {
        match self.penalty {
            Penalty::Fixed(lambda) => vec![lambda.get(); problem.variables()],
            Penalty::Auto(factor) => {
                let level = factor.get() * problem.effective_sample_size.max(2.0).ln();
                let least = factor.get() * LEAST_EFFECT * problem.target_variance;
                problem.chance.iter().map(|chance| (level * chance).max(least)).collect()
            }
        }
    }

    /// Finds the gates by alternating two exact minimisations: the coefficients for given gates, and every gate
    /// for given coefficients.
    ///
    /// Gates stand on a grid. In a step the gate with the strongest pull moves up to [`REACH`] positions, the
    /// others in proportion: strong variables open first and the coefficients follow before weak ones shut
    /// for good. No step raises the objective and there are finitely many positions, so it ends, exactly,
    /// when no gate moves.
    pub fn fit(&self, problem: &WeightedProblem) -> GatedFit {
        let penalties = self.penalties(problem);
        let positions: Vec<Position> = (0..POSITIONS).map(|k| Position::new(k, self.sigma.get())).collect();
        let mut at = vec![START; problem.variables()];
        let mut stop = StopReason::IterationLimit;
        let mut iterations = 0;
        let (mut coefficients, mut loss);
        loop {
            let ridges: Vec<f64> = at.iter().map(|&k| positions[k].ridge).collect();
            (coefficients, loss) = problem.coefficients(&ridges);
            if iterations == self.max_iterations {
                break;
            }
            iterations += 1;
            let energy = problem.own_energy(&coefficients);
            let costs: Vec<GateCost> = energy
                .iter()
                .zip(&penalties)
                .map(|(&energy, &penalty)| GateCost { positions: &positions, energy, penalty })
                .collect();
            let strongest = costs.iter().zip(&at).map(|(cost, &at)| cost.pull(at)).fold(f64::MIN_POSITIVE, f64::max);
            let reach = |cost: &GateCost, at: usize| 1 + ((REACH - 1) as f64 * cost.pull(at) / strongest) as usize;
            let moved: Vec<usize> =
                costs.iter().zip(&at).map(|(cost, &at)| cost.best_within(at, reach(cost, at))).collect();
            if moved == at {
                stop = StopReason::Converged;
                break;
            }
            at = moved;
        }
        GatedFit {
            open_probability: at.iter().map(|&k| positions[k].gate.open).collect(),
            mean_gate: at.iter().map(|&k| positions[k].gate.mean).collect(),
            coefficients,
            loss: loss / problem.target_variance,
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
}

/// A place where a gate can stand.
struct Position {
    gate: GateMoments,
    /// `v / a^2`: the ridge the gate puts on its variable.
    ridge: f64,
}

impl Position {
    fn new(k: usize, sigma: f64) -> Self {
        let mu = RANGE.0 + (RANGE.1 - RANGE.0) * k as f64 / (POSITIONS - 1) as f64;
        let gate = gate_moments(mu, sigma);
        Self { gate, ridge: gate.variance / (gate.mean * gate.mean) }
    }
}

/// What a gate costs, by position, for given coefficients: `energy * ridge + penalty * open`.
struct GateCost<'a> {
    positions: &'a [Position],
    energy: f64,
    penalty: f64,
}

impl GateCost<'_> {
    fn at(&self, k: usize) -> f64 {
        self.energy * self.positions[k].ridge + self.penalty * self.positions[k].gate.open
    }

    /// The slope of the cost, in absolute value.
    fn pull(&self, k: usize) -> f64 {
        let (before, after) = (k.saturating_sub(1), (k + 1).min(self.positions.len() - 1));
        (self.at(after) - self.at(before)).abs() / (after - before) as f64
    }

    /// The cheapest position within reach; staying wins a tie.
    fn best_within(&self, k: usize, reach: usize) -> usize {
        let mut best = (k, self.at(k));
        for near in k.saturating_sub(reach)..=(k + reach).min(self.positions.len() - 1) {
            let cost = self.at(near);
            if cost < best.1 - 1e-12 * best.1.abs() {
                best = (near, cost);
            }
        }
        best.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
    use rand_distr::StandardNormal;

    /// For every column its variable.
    const GROUPS: [usize; 4] = [0, 1, 2, 2];

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
            means: vec![0.0; 2],
            target_mean: 0.0,
            members: vec![vec![0], vec![1], vec![2, 3]],
        }
    }

    #[test]
    fn the_fit_can_not_be_improved_by_moving_one_gate() {
        let (problem, gates) = (problem(), LinearGates::default());
        let fitted = gates.fit(&problem);
        assert_eq!(fitted.stop, StopReason::Converged);
        let positions: Vec<Position> = (0..POSITIONS).map(|k| Position::new(k, gates.sigma.get())).collect();
        let value = |at: &[usize]| {
            let ridges: Vec<f64> = at.iter().map(|&k| positions[k].ridge).collect();
            let penalty: f64 =
                at.iter().zip(&fitted.penalties).map(|(&k, penalty)| penalty * positions[k].gate.open).sum();
            problem.coefficients(&ridges).1 + penalty
        };
        let position = |open: f64| positions.iter().position(|position| position.gate.open == open).unwrap();
        let at: Vec<usize> = fitted.open_probability.iter().map(|&open| position(open)).collect();
        for g in 0..at.len() {
            for k in [at[g].saturating_sub(1), (at[g] + 1).min(POSITIONS - 1)] {
                let mut moved = at.clone();
                moved[g] = k;
                assert!(value(&moved) >= value(&at) - 1e-12, "gate {g}");
            }
        }
    }

    #[test]
    fn the_closed_form_loss_agrees_with_sampled_gates() {
        let (problem, gates) = (problem(), LinearGates::default());
        let mu = [0.3, 0.7, 0.1];
        let law = mu.map(|mu| gate_moments(mu, gates.sigma.get()));
        let (coefficients, loss) = problem.coefficients(&law.map(|gate| gate.variance / gate.mean.powi(2)));
        let theta: Vec<f64> = (0..4).map(|column| coefficients[column] / law[GROUPS[column]].mean).collect();
        let mut random = ChaCha8Rng::seed_from_u64(5);
        const DRAWS: usize = 200_000;
        let mut losses = Vec::with_capacity(DRAWS);
        for _ in 0..DRAWS {
            let drawn: Vec<f64> = mu
                .iter()
                .map(|mu| (mu + gates.sigma.get() * random.sample::<f64, _>(StandardNormal)).clamp(0.0, 1.0))
                .collect();
            let b: Vec<f64> = (0..4).map(|column| theta[column] * drawn[GROUPS[column]]).collect();
            losses.push(1.0 - 2.0 * dot(&b, &problem.cross) + dot(&b, &problem.covariance.times(&b)));
        }
        let mean = losses.iter().sum::<f64>() / DRAWS as f64;
        let spread = (losses.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / DRAWS as f64).sqrt();
        assert!((mean - loss).abs() < 5.0 * spread / (DRAWS as f64).sqrt(), "{mean} and {loss}");
    }

    #[test]
    fn a_larger_penalty_closes_gates_and_none_opens_them() {
        let mut problem = problem();
        problem.cross[1] = 0.3; // the second variable has no effect of its own: 0.5 * 0.6 = 0.3
        let fixed =
            |lambda: f64| LinearGates { penalty: Penalty::Fixed(NonNegative::constant(lambda)), ..Default::default() };
        let open = fixed(1e-6).fit(&problem);
        assert!(open.stop.converged() && open.open_probability[0] > 0.9);
        let some = fixed(0.05).fit(&problem);
        assert!(some.open_probability[0] > 0.9 && some.open_probability[1] < 0.5, "{some:?}");
        let closed = fixed(10.0).fit(&problem);
        assert!(closed.open_probability.iter().all(|&p| p < 0.1), "{closed:?}");
    }
}
