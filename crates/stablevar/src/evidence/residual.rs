//! Residual evidence: the generalised covariance measure.
//!
//! For a variable d, predict Y and d from all other columns by a flexible cross-fitted regression. If Y does not
//! depend on d given the others, the product of the two residuals has mean 0:
//!
//! ```text
//! t = sqrt(n) mean(r_Y r_d) / sd(r_Y r_d)   is then nearly standard normal.
//! ```
//!
//! A biased variable was selected to follow f(S), so both regressions approximate the same function and
//! their errors multiply into a bias: that is why families compete in cross-validation, and why the
//! probability allows for a small correlation that is none ([`ResidualEvidence::allowance`]).

use super::VariableEvidence;
use super::nuisance::{CrossFitted, Family, Inputs, cross_fit};
use crate::design::TrainingData;
use crate::gates::normal_cdf;
use crate::linalg::{Cholesky, Matrix, dot};
use crate::parameter::{Fraction, NonNegative};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How to gather the evidence.
///
/// | Name | Default | Purpose | Range |
/// |---|---|---|---|
/// | `folds` | 5 | parts for cross-fitting | >= 2 |
/// | `landmarks` | 250 | bumps of the kernel family, at least; grows slowly with the rows | |
/// | `prior` | 0.25 | probability of being stable before the data are seen | [0, 1] |
/// | `allowance` | 0.01 | partial correlation that imperfect regressions may leave behind | >= 0 |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ResidualEvidence {
    /// Parts for cross-fitting.
    pub folds: usize,
    /// Bumps of the kernel family, at least.
    pub landmarks: usize,
    /// Probability of being stable before the data are seen.
    pub prior: Fraction,
    /// Partial correlation that imperfect regressions may leave behind.
    pub allowance: NonNegative,
}

impl Default for ResidualEvidence {
    fn default() -> Self {
        Self { folds: 5, landmarks: 250, prior: Fraction::constant(0.25), allowance: NonNegative::constant(0.01) }
    }
}

/// Widths of the kernel, as multiples of the root of the number of columns.
const WIDTHS: [f64; 3] = [0.67, 1.33, 2.67];
/// The most features a polynomial may have.
const MOST_FEATURES: usize = 600;

/// Evidence for every variable.
pub fn residual_evidence(data: &TrainingData, settings: &ResidualEvidence, seed: u64) -> Vec<VariableEvidence> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let folds = folds(data, settings.folds, &mut random);
    let count = (settings.landmarks + data.rows() / 500).min(600).min(data.rows() / 3).max(1);
    let mut order: Vec<usize> = (0..data.rows()).filter(|&row| data.base[row] > 0.0).collect();
    order.shuffle(&mut random);
    order.truncate(count);
    // Each variable's work is its own, so that the order in which threads take them does not matter.
    let variables = (0..data.encoding.features.len()).into_par_iter();
    variables.map(|variable| one_variable(data, settings, variable, &folds, &order)).collect()
}

/// Rows of every fold, dealt out at random.
fn folds(data: &TrainingData, folds: usize, random: &mut ChaCha8Rng) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..data.rows()).collect();
    order.shuffle(random);
    let folds = folds.clamp(2, data.rows());
    let mut parts = vec![Vec::new(); folds];
    order.into_iter().enumerate().for_each(|(k, row)| parts[k % folds].push(row));
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts
}

fn families(data: &TrainingData, columns: &[usize], landmarks: &[usize]) -> Vec<Family> {
    let mut families = Vec::new();
    for degree in [2, 3] {
        let polynomial = Family::Polynomial { degree };
        if polynomial.extra(columns.len()) <= MOST_FEATURES.min(data.rows() / 3) {
            families.push(polynomial);
        }
    }
    let chosen = Matrix::from_fn(landmarks.len(), columns.len(), |i, j| data.design[(landmarks[i], columns[j] + 1)]);
    let root = (columns.len().max(1) as f64).sqrt();
    families.extend(WIDTHS.map(|width| Family::kernel(chosen.clone(), width * root)));
    families
}

fn one_variable(
    data: &TrainingData,
    settings: &ResidualEvidence,
    variable: usize,
    folds: &[Vec<usize>],
    landmarks: &[usize],
) -> VariableEvidence {
    let own = &data.encoding.features[variable].columns;
    let columns: Vec<usize> = (0..data.columns()).filter(|column| !own.contains(column)).collect();
    let values: Vec<Vec<f64>> =
        own.iter().map(|&column| (0..data.rows()).map(|row| data.design[(row, column + 1)]).collect()).collect();
    let mut outcomes: Vec<&[f64]> = vec![&data.target.values];
    outcomes.extend(values.iter().map(Vec::as_slice));

    let inputs = Inputs { design: &data.design, base: &data.base, columns: &columns };
    let fitted = if columns.is_empty() {
        outcomes.iter().map(|_| CrossFitted { predictions: vec![0.0; data.rows()], family: "mean".into() }).collect()
    } else {
        cross_fit(&inputs, &outcomes, folds, &families(data, &columns, landmarks))
    };
    let residuals: Vec<Vec<f64>> = outcomes
        .iter()
        .zip(&fitted)
        .map(|(values, fit)| values.iter().zip(&fit.predictions).map(|(y, p)| y - p).collect())
        .collect();
    judge(data, settings, own, &residuals, (fitted[0].family.clone(), fitted[1].family.clone()))
}

/// From residuals of the outcome (first) and of the variable's columns to the evidence.
fn judge(
    data: &TrainingData,
    settings: &ResidualEvidence,
    own: &[usize],
    residuals: &[Vec<f64>],
    regressions: (String, String),
) -> VariableEvidence {
    let total = data.total_weight();
    let mean =
        |value: &dyn Fn(usize) -> f64| (0..data.rows()).map(|row| data.base[row] * value(row)).sum::<f64>() / total;
    let outcome = &residuals[0];
    let count = own.len();
    let products: Vec<f64> = (0..count).map(|c| mean(&|row| outcome[row] * residuals[c + 1][row])).collect();
    let spread = Matrix::from_fn(count, count, |a, b| {
        mean(&|row| outcome[row].powi(2) * residuals[a + 1][row] * residuals[b + 1][row]) - products[a] * products[b]
    });
    let size = |c: usize| {
        let (y, d) = (mean(&|row| outcome[row].powi(2)), mean(&|row| residuals[c + 1][row].powi(2)));
        if y * d > 0.0 { products[c] / (y * d).sqrt() } else { 0.0 }
    };
    let sizes: Vec<f64> = (0..count).map(size).collect();
    let largest = sizes.iter().copied().fold(0.0, |most: f64, size| if size.abs() > most.abs() { size } else { most });
    // The chi-squared statistic of all columns of the variable; for one column the square of t.
    let statistic =
        Cholesky::with_least_ridge(&spread).map_or(0.0, |solver| total * dot(&products, &solver.solve(&products)));
    let statistic = if statistic.is_finite() { statistic.max(0.0) } else { 0.0 };
    let p_value = chi_squared_tail(statistic, count);
    let (mut effect, mut standard_error, mut t) = (None, None, (statistic / count as f64).sqrt());
    if let [column] = own {
        let variance = mean(&|row| residuals[1][row].powi(2));
        let units = data.target.scale / data.encoding.columns[*column].scale;
        if variance > 0.0 {
            effect = Some(units * products[0] / variance);
            standard_error = Some(units * (spread[(0, 0)].max(0.0) / total).sqrt() / variance);
        }
        t = products[0].signum() * statistic.sqrt();
    }
    VariableEvidence {
        effect,
        standard_error,
        t,
        p_value,
        effect_size: largest,
        probability: probability(statistic, count, total, settings),
        regressions,
    }
}

/// The posterior probability of an effect under a unit-information prior: each column multiplies the odds by
/// `(1 + n)^(-1/2)`, the statistic by `exp(statistic / 2 * n / (1 + n))`.
///
/// The statistic is first taken down as if every standard error, `n^(-1/2)` in partial correlation, also had to
/// cover the allowance for imperfect regressions.
fn probability(statistic: f64, columns: usize, total: f64, settings: &ResidualEvidence) -> f64 {
    let fair = statistic / (1.0 + total * settings.allowance.get().powi(2));
    let prior = settings.prior.get();
    let log_odds =
        0.5 * fair * total / (1.0 + total) - 0.5 * columns as f64 * (1.0 + total).ln() + (prior / (1.0 - prior)).ln();
    1.0 / (1.0 + (-log_odds).exp())
}

/// The probability that a chi-squared variable exceeds `x`.
fn chi_squared_tail(x: f64, degrees: usize) -> f64 {
    if degrees == 1 {
        return 2.0 * normal_cdf(-x.sqrt());
    }
    // Q(a, x/2) by the recurrence from a = 1/2 or 1, which has only positive terms.
    let half = 0.5 * x;
    let (mut tail, mut order) =
        if degrees % 2 == 1 { (2.0 * normal_cdf(-x.sqrt()), 0.5) } else { ((-half).exp(), 1.0) };
    while order + 0.5 < 0.5 * degrees as f64 + 0.25 {
        tail += (order * half.max(1e-300).ln() - half - libm::lgamma(order + 1.0)).exp();
        order += 1.0;
    }
    tail.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Roles;
    use crate::table::{Column, Table, TextValues, Values};
    use rand::RngExt;
    use rand_distr::StandardNormal;

    #[test]
    fn chi_squared_tails_agree_with_tables() {
        for (x, degrees, tail) in
            [(3.841459, 1, 0.05), (5.991465, 2, 0.05), (7.814728, 3, 0.05), (18.307038, 10, 0.05), (11.344867, 3, 0.01)]
        {
            assert!((chi_squared_tail(x, degrees) - tail).abs() < 1e-7, "{x} {degrees}");
        }
        assert_eq!(chi_squared_tail(0.0, 4), 1.0);
    }

    #[test]
    fn the_probability_rises_with_the_statistic_and_starts_below_the_prior() {
        let settings = ResidualEvidence::default();
        let values: Vec<f64> =
            [0.0, 4.0, 9.0, 16.0, 36.0].iter().map(|&x| probability(x, 1, 1000.0, &settings)).collect();
        assert!(values.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(values[0] < 0.25 && values[4] > 0.99);
    }

    /// `y = 3 a + b^2 + noise`; `c` is a noisy copy of `a` and `b` is nothing linear.
    fn sample(rows: usize, seed: u64) -> TrainingData {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = || -> Vec<f64> { (0..rows).map(|_| random.sample(StandardNormal)).collect() };
        let (a, b, e, f, g) = (draw(), draw(), draw(), draw(), draw());
        let c: Vec<f64> = a.iter().zip(&e).map(|(a, e)| a + 0.5 * e).collect();
        let y = (0..rows).map(|k| 3.0 * a[k] + b[k].powi(2) + f[k]).collect();
        let level: Vec<&str> = g
            .iter()
            .map(|g| {
                if *g > 0.5 {
                    "high"
                } else if *g > -0.5 {
                    "mid"
                } else {
                    "low"
                }
            })
            .collect();
        let text = Column { name: "t".into(), values: Values::Text(TextValues::collect(level.into_iter().map(Some))) };
        let number = |name: &str, values| Column { name: name.into(), values: Values::Number(values) };
        let table = Table::new(vec![number("a", a), number("b", b), number("c", c), text, number("y", y)]).unwrap();
        TrainingData::prepare(&table, &Roles::target("y")).unwrap()
    }

    #[test]
    fn a_copy_of_a_cause_is_told_from_the_cause() {
        let data = sample(800, 1);
        let evidence = residual_evidence(&data, &ResidualEvidence::default(), 0);
        assert!(evidence[0].probability > 0.99 && evidence[2].probability < 0.5, "{evidence:?}");
        let (effect, error) = (evidence[0].effect.unwrap(), evidence[0].standard_error.unwrap());
        assert!((effect - 3.0).abs() < 4.0 * error, "{effect} {error}");
        assert!(evidence[3].effect.is_none() && evidence[3].p_value > 1e-3, "{:?}", evidence[3]);
    }

    #[test]
    fn without_an_effect_p_values_are_uniform() {
        // The p-values of `c` and `t` over 150 samples: their largest distance from the uniform distribution.
        let settings = ResidualEvidence { landmarks: 40, ..ResidualEvidence::default() };
        let all: Vec<[f64; 2]> = (0..150u64)
            .into_par_iter()
            .map(|seed| {
                let evidence = residual_evidence(&sample(250, 100 + seed), &settings, seed);
                [evidence[2].p_value, evidence[3].p_value]
            })
            .collect();
        for which in 0..2 {
            let mut values: Vec<f64> = all.iter().map(|pair| pair[which]).collect();
            values.sort_by(f64::total_cmp);
            let count = values.len() as f64;
            let distance = values
                .iter()
                .enumerate()
                .map(|(k, value)| (value - k as f64 / count).abs().max((value - (k + 1) as f64 / count).abs()))
                .fold(0.0, f64::max);
            // Kolmogorov's distribution: 1.63 / sqrt(n) is exceeded once in a hundred.
            assert!(distance < 1.63 / count.sqrt(), "{which}: {distance}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_evidence_for_any_number_of_threads() {
        let data = sample(300, 3);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| residual_evidence(&data, &ResidualEvidence::default(), 5))
        };
        assert_eq!(run(1), run(3));
    }
}
