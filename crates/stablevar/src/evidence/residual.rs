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
use super::nuisance::{Bulk, CrossFitted, Family, Inputs, Kernel, cross_fit, learn_scales};
use super::{Evidence, VariableEvidence};
use crate::design::{Task, TrainingData};
use crate::models::spread_of_the_bulk;

/// The most features a polynomial may have.
const MOST_FEATURES: usize = 300;
/// Rows and landmarks from which the kernel's scales are learnt, and the parts they are dealt out to.
const LEARNING_ROWS: usize = 2000;
const LEARNING_LANDMARKS: usize = 150;
const LEARNING_FOLDS: usize = 3;

/// The rows every variable is judged by, and how they are dealt out.
pub(super) struct ResidualPlan<'a> {
    rows: &'a [usize],
    folds: Vec<Vec<usize>>,
    landmarks: Vec<usize>,
    learning: Vec<Vec<usize>>,
    /// One per encoded column.
    bulks: Vec<Bulk>,
    /// Per encoded column its scale in the regression of the outcome on all of them.
    scales: Vec<f64>,
}

impl<'a> ResidualPlan<'a> {
    /// `order` is in random order.
    pub(super) fn new(data: &TrainingData, settings: &Evidence, order: &'a [usize]) -> Self {
        let count = order.len();
        let landmarks = (settings.landmarks + count / 500).min(400).min(count / 3).max(1);
        let mut plan = Self {
            folds: deal(order, settings.folds),
            landmarks: order[..landmarks].to_vec(),
            learning: deal(&order[..count.min(LEARNING_ROWS)], LEARNING_FOLDS),
            bulks: (0..data.columns())
                .map(|column| Bulk::of(order.iter().map(|&row| data.design[(row, column + 1)]).collect()))
                .collect(),
            scales: Vec::new(),
            rows: order,
        };
        let columns: Vec<usize> = (0..data.columns()).collect();
        let inputs = plan.inputs(data, &columns);
        plan.scales = learn_scales(&inputs, &[&data.outcome], &plan.learning, plan.few_landmarks(), None);
        plan
    }

    fn inputs<'b>(&'b self, data: &'b TrainingData, columns: &'b [usize]) -> Inputs<'b> {
        Inputs { design: &data.design, base: &data.base, bulks: &self.bulks, columns }
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

/// Judges one variable against the columns given.
pub(super) fn judge_variable(
    data: &TrainingData,
    settings: &Evidence,
    plan: &ResidualPlan,
    variable: usize,
    columns: &[usize],
) -> VariableEvidence {
    let own = &data.encoding.features[variable].columns;
    let values: Vec<Vec<f64>> =
        own.iter().map(|&column| (0..data.rows()).map(|row| data.design[(row, column + 1)]).collect()).collect();
    let outcome: [&[f64]; 1] = [&data.outcome];
    let own_values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();

    let inputs = plan.inputs(data, columns);
    let start: Vec<f64> = columns.iter().map(|&column| plan.scales[column]).collect();
    let mut residuals = Residuals { rows: plan.rows, outcome: Vec::new(), own: Vec::new(), weights: None };
    let (outcome_fit, outcome_name) = regress(data, &inputs, &outcome, plan, Some(&start));
    let (own_fits, own_name) = regress(data, &inputs, &own_values, plan, None);
    let left =
        |values: &[f64], fit: &CrossFitted| plan.rows.iter().map(|&row| values[row] - fit.predictions[row]).collect();
    residuals.outcome = left(outcome[0], &outcome_fit[0]);
    if data.target.task() == Task::Regression {
        clip_outliers(&mut residuals.outcome, data, plan.rows, settings);
    }
    residuals.own = own_values.iter().zip(&own_fits).map(|(values, fit)| left(values, fit)).collect();
    let judged = residuals.judge(data, own, &residuals.slopes(data), None, own.len() + 1, settings);
    VariableEvidence { regressions: Some((outcome_name, own_name)), ..judged }
}

/// Clips residuals at the limit. If the outcome does not depend on the variable given the others, no function of it
/// does, so that the product with the variable's residual still has mean 0.
fn clip_outliers(residuals: &mut [f64], data: &TrainingData, rows: &[usize], settings: &Evidence) {
    let weights: Vec<f64> = rows.iter().map(|&row| data.base[row]).collect();
    let most = settings.outlier_limit.get() * spread_of_the_bulk(residuals, &weights);
    if most > 0.0 {
        residuals.iter_mut().for_each(|residual| *residual = residual.clamp(-most, most));
    }
}

/// The regressions of some outcomes, and the name of the family chosen for the first.
///
/// `start` are the kernel's scales in a similar regression.
fn regress(
    data: &TrainingData,
    inputs: &Inputs,
    outcomes: &[&[f64]],
    plan: &ResidualPlan,
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
