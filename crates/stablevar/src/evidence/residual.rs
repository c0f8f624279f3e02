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
//! their errors multiply into a bias of t: that is why families compete in cross-validation, why the kernel learns
//! which columns count, and why the probability allows for a small correlation that is none
//! ([`Evidence::allowance`]).

use super::judge::Residuals;
use super::nuisance::{CrossFitted, Family, Inputs, Kernel, cross_fit, learn_scales};
use super::{Evidence, VariableEvidence, conditioning_columns};
use crate::design::TrainingData;

/// The most features a polynomial may have.
const MOST_FEATURES: usize = 300;
/// Rows and landmarks from which the kernel's scales are learnt, and the parts they are dealt out to.
const LEARNING_ROWS: usize = 2000;
const LEARNING_LANDMARKS: usize = 150;
const LEARNING_FOLDS: usize = 3;

/// The rows every variable is judged by, and how they are dealt out.
pub(super) struct Plan<'a> {
    rows: &'a [usize],
    folds: Vec<Vec<usize>>,
    landmarks: Vec<usize>,
    learning: Vec<Vec<usize>>,
    /// Per encoded column its scale in the regression of the outcome on all of them.
    scales: Vec<f64>,
}

impl<'a> Plan<'a> {
    /// `order` is in random order.
    pub(super) fn new(data: &TrainingData, settings: &Evidence, order: &'a [usize]) -> Self {
        let count = order.len();
        let landmarks = (settings.landmarks + count / 500).min(400).min(count / 3).max(1);
        let mut plan = Self {
            folds: deal(order, settings.folds),
            landmarks: order[..landmarks].to_vec(),
            learning: deal(&order[..count.min(LEARNING_ROWS)], LEARNING_FOLDS),
            scales: Vec::new(),
            rows: order,
        };
        let columns: Vec<usize> = (0..data.columns()).collect();
        let inputs = Inputs { design: &data.design, base: &data.base, columns: &columns };
        plan.scales = learn_scales(&inputs, &[&data.target.values], &plan.learning, plan.few_landmarks(), None);
        plan
    }

    fn few_landmarks(&self) -> &[usize] {
        &self.landmarks[..self.landmarks.len().min(LEARNING_LANDMARKS)]
    }
}

/// Deals out rows in turn, and sorts each part.
fn deal(order: &[usize], parts: usize) -> Vec<Vec<usize>> {
    let count = parts.clamp(2, order.len().max(2));
    let mut parts = vec![Vec::new(); count];
    order.iter().enumerate().for_each(|(k, &row)| parts[k % count].push(row));
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts
}

/// Judges one variable.
pub(super) fn judge_variable(
    data: &TrainingData,
    settings: &Evidence,
    plan: &Plan,
    variable: usize,
) -> VariableEvidence {
    let own = &data.encoding.features[variable].columns;
    let columns = conditioning_columns(data, variable);
    let values: Vec<Vec<f64>> =
        own.iter().map(|&column| (0..data.rows()).map(|row| data.design[(row, column + 1)]).collect()).collect();
    let outcome: [&[f64]; 1] = [&data.target.values];
    let own_values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();

    let inputs = Inputs { design: &data.design, base: &data.base, columns: &columns };
    let start: Vec<f64> = columns.iter().map(|&column| plan.scales[column]).collect();
    let mut residuals = Residuals { rows: plan.rows, outcome: Vec::new(), own: Vec::new(), weights: None };
    let (outcome_fit, outcome_name) = regress(data, &inputs, &outcome, plan, Some(&start));
    let (own_fits, own_name) = regress(data, &inputs, &own_values, plan, None);
    let left =
        |values: &[f64], fit: &CrossFitted| plan.rows.iter().map(|&row| values[row] - fit.predictions[row]).collect();
    residuals.outcome = left(outcome[0], &outcome_fit[0]);
    residuals.own = own_values.iter().zip(&own_fits).map(|(values, fit)| left(values, fit)).collect();
    VariableEvidence { regressions: Some((outcome_name, own_name)), ..residuals.judge(data, own, settings) }
}

/// The regressions of some outcomes, and the name of the family chosen for the first.
///
/// `start` are the kernel's scales in a similar regression.
fn regress(
    data: &TrainingData,
    inputs: &Inputs,
    outcomes: &[&[f64]],
    plan: &Plan,
    start: Option<&[f64]>,
) -> (Vec<CrossFitted>, String) {
    if inputs.columns.is_empty() {
        let mean = || CrossFitted { predictions: vec![0.0; data.rows()], family: None };
        return (outcomes.iter().map(|_| mean()).collect(), "mean".into());
    }
    let mut families = Vec::new();
    for degree in [2, 3] {
        let polynomial = Family::Polynomial { degree };
        if polynomial.extra(inputs.columns.len()) <= MOST_FEATURES.min(plan.rows.len() / 3) {
            families.push(polynomial);
        }
    }
    let scales = learn_scales(inputs, outcomes, &plan.learning, plan.few_landmarks(), start);
    let mostly = steepest(data, inputs, &scales);
    families.push(Family::Kernel(Kernel::new(inputs, &plan.landmarks, scales)));
    let fits = cross_fit(inputs, outcomes, &plan.folds, &families);
    let name = match fits[0].family.map(|position| &families[position]) {
        Some(Family::Kernel(_)) => format!("kernel, mostly in {}", mostly.join(", ")),
        Some(family) => family.name(),
        None => "mean".into(),
    };
    (fits, name)
}

/// Names of the columns that count most in the kernel, at most four.
fn steepest(data: &TrainingData, inputs: &Inputs, scales: &[f64]) -> Vec<String> {
    let mut order: Vec<usize> = (0..scales.len()).collect();
    order.sort_by(|&a, &b| scales[b].total_cmp(&scales[a]));
    let greatest = scales[order[0]];
    let counts = order.into_iter().filter(|&k| scales[k] >= 0.5 * greatest).take(4);
    counts.map(|k| data.encoding.columns[inputs.columns[k]].name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Roles;
    use crate::evidence::gather;
    use crate::table::{Column, Table, TextValues, Values};
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use rand_distr::StandardNormal;
    use rayon::prelude::*;
    use std::ops::ControlFlow;

    fn residual(data: &TrainingData, settings: &Evidence, seed: u64) -> Vec<VariableEvidence> {
        let settings = Evidence { source: crate::evidence::Source::Residual, ..*settings };
        gather(data, &settings, seed, &|| ControlFlow::Continue(())).unwrap().variables
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
        let evidence = residual(&data, &Evidence::default(), 0);
        assert!(evidence[0].probability > 0.99 && evidence[2].probability < 0.5, "{evidence:?}");
        let (effect, error) = (evidence[0].effect.unwrap(), evidence[0].standard_error.unwrap());
        assert!((effect - 3.0).abs() < 4.0 * error, "{effect} {error}");
        assert!(evidence[3].effect.is_none() && evidence[3].p_value > 1e-3, "{:?}", evidence[3]);
    }

    #[test]
    fn without_an_effect_p_values_are_uniform() {
        // The p-values of `c` and `t` over 150 samples: their largest distance from the uniform distribution.
        let settings = Evidence { landmarks: 40, ..Evidence::default() };
        let all: Vec<[f64; 2]> = (0..150u64)
            .into_par_iter()
            .map(|seed| {
                let evidence = residual(&sample(250, 100 + seed), &settings, seed);
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
            pool.install(|| residual(&data, &Evidence::default(), 5))
        };
        assert_eq!(run(1), run(3));
    }
}
