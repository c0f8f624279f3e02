//! Residual evidence: what is left of the outcome and of a variable once all others have told what they know.
//!
//! For a variable d, predict Y and functions D of it from all other columns by flexible regressions. If Y does not
//! depend on d given the others, the products of the two residuals have mean 0 (the generalised covariance measure of Shah and
//! Peters, 2020). Functions of d are d itself, which finds slopes, and its square, its cube and its products with the columns that bend
//! the outcome most, which find effects that have none.
//!
//! The regressions are linear smoothers H fitted to all rows, so that given the columns the mean product is linear in Y,
//!
//! ```text
//! D'(I - H_D)'(I - H_Y) Y = u'Y,   u = (I - H_Y)'(I - H_D) D,
//! ```
//!
//! and its variance is known up to that of Y: `sum u_k^2 sigma_k^2`, with `sigma_k^2` from the squared residuals over the degrees
//! of freedom that H_Y leaves. Nothing is split, so that nothing depends on how; and what a regression takes from the
//! rows is charged, so that p-values hold with many columns and few rows, too.
//!
//! A biased variable was selected to follow f(S), so both regressions approximate the same function and
//! their errors multiply into a bias. Four things hold it down: the kernel learns which columns count, for the outcome and for the
//! variable, and both kernels serve both regressions; curves of the outcome's fit stand beside, since that is what a biased
//! variable follows; penalties are lowered; and every judgement is repeated with either half of the landmarks. An
//! effect does not depend on their number, a bias falls with it: what the halves show beyond the whole is taken off.

use super::judge::{Tested, test};
use super::regression::{Fits, Kernel, Learnt, Sheet, Smoother, Space, learn_scales, predictions};
use super::{Evidence, VariableEvidence, screen};
use crate::design::{Task, TrainingData};
use crate::linalg::Matrix;

/// Rows and landmarks from which the kernels' scales are learnt.
const LEARNING: (usize, usize) = (1200, 80);
/// The same for the outcome's kernel on all columns, which all others start from.
const LEARNING_FIRST: (usize, usize) = (2000, 150);
/// Landmarks of the variable's own kernel, as a share of the outcome's.
const OWN_SHARE: f64 = 0.4;
/// Columns whose products with the variable are looked at, at most.
const PARTNERS: usize = 5;
/// Rows for each of them, at least: which they are is read off the outcome.
const ROWS_PER_PARTNER: usize = 200;
/// A column that counts at least this share of the one that counts most in the outcome's kernel hides what the others do: without
/// it the kernel is learnt anew.
const IMPORTANT: f64 = 0.05;
/// Without one that counts less than this the kernel stays as it is.
const UNIMPORTANT: f64 = 0.005;
/// Where values are cut before they are multiplied.
const FAR: f64 = 3.0;

/// What all judgements share.
pub(super) struct Plan<'a> {
    pub data: &'a TrainingData,
    pub settings: &'a Evidence,
    pub sheet: Sheet,
    /// Per encoded column its scale in the regression of the outcome on all of them; 0 where it took no part.
    pub scales: Vec<f64>,
    /// The best penalty there.
    penalty: i32,
}

impl<'a> Plan<'a> {
    /// Also the encoded columns that matter for the outcome, if there are too many to condition on all.
    pub(super) fn new(data: &'a TrainingData, settings: &'a Evidence, order: Vec<usize>) -> (Self, Option<Vec<usize>>) {
        let sheet = Sheet::new(data, order);
        let wide = screen::is_wide(data.columns(), sheet.order.len());
        let relevant = wide.then(|| screen::relevant_columns(data, &sheet));
        let mut plan = Self { data, settings, sheet, scales: vec![0.0; data.columns()], penalty: 0 };
        let columns = relevant.clone().unwrap_or_else(|| (0..data.columns()).collect());
        let learnt = learn_scales(&plan.sheet, &columns, &[&plan.sheet.outcome], LEARNING_FIRST, None);
        columns.iter().zip(learnt.scales).for_each(|(&column, scale)| plan.scales[column] = scale);
        plan.penalty = learnt.penalty;
        (plan, relevant)
    }

    pub(super) fn learn(&self, columns: &[usize], outcomes: &[&[f64]], start: Option<&[f64]>) -> Learnt {
        learn_scales(&self.sheet, columns, outcomes, LEARNING, start)
    }

    /// Landmarks of the outcome's kernel for so many rows.
    pub(super) fn landmarks(&self, rows: usize) -> usize {
        let least = self.settings.landmarks;
        (least + rows / 250).min(2 * least).min(rows / 5).max(1)
    }

    /// The outcome's kernel on some columns, without those of a variable: its scales and the best penalty.
    fn outcome_scales(&self, columns: &[usize], without: &[usize]) -> (Vec<f64>, i32) {
        let start: Vec<f64> = columns.iter().map(|&column| self.scales[column]).collect();
        let square = |column: &usize| self.scales[*column].powi(2);
        let greatest = (0..self.scales.len()).map(|column| square(&column)).fold(0.0, f64::max);
        let share = without.iter().map(square).fold(0.0, f64::max) / greatest;
        if share < UNIMPORTANT {
            return (start, self.penalty);
        }
        let outcome: [&[f64]; 1] = [&self.sheet.outcome];
        let mut learnt = self.learn(columns, &outcome, Some(&start));
        if share >= IMPORTANT {
            let anew = self.learn(columns, &outcome, None);
            learnt = if anew.error < learnt.error { anew } else { learnt };
        }
        (learnt.scales, learnt.penalty)
    }

    /// The variable's columns (standardised), and other functions of it and of the columns that bend the outcome most.
    pub(super) fn functions(&self, variable: usize, given: &[usize]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let own = &self.data.encoding.features[variable].columns;
        let order = &self.sheet.order;
        let direct = own.iter().map(|&c| order.iter().map(|&row| self.data.design[(row, c + 1)]).collect()).collect();
        let [column] = own[..] else { return (direct, Vec::new()) };
        let cut = |k: usize, column: usize| self.sheet.seen[(k, column)].clamp(-FAR, FAR);
        let mut partners: Vec<usize> = given.iter().copied().filter(|&other| self.scales[other] > 0.0).collect();
        partners.sort_by(|&a, &b| self.scales[b].total_cmp(&self.scales[a]).then(a.cmp(&b)));
        partners.truncate(PARTNERS.min(order.len() / ROWS_PER_PARTNER));
        let rows = 0..order.len();
        let mut shapes: Vec<Vec<f64>> =
            [2, 3].map(|power| rows.clone().map(|k| cut(k, column).powi(power)).collect()).into();
        shapes.extend(
            partners.into_iter().map(|other| rows.clone().map(|k| cut(k, column) * cut(k, other)).collect::<Vec<_>>()),
        );
        shapes.iter_mut().for_each(|shape| standardise(shape, &self.sheet.base));
        (direct, shapes)
    }

    /// Judges a variable given some encoded columns, by the first `rows` rows, with `times` the usual number of landmarks.
    ///
    /// Also the part of the statistic (as of one column) that is certain.
    pub(super) fn judge(&self, variable: usize, given: &[usize], rows: usize, times: usize) -> (VariableEvidence, f64) {
        let own = &self.data.encoding.features[variable].columns;
        let sheet = &self.sheet;
        let (direct, shapes) = self.functions(variable, given);
        let landmarks = (times * self.landmarks(rows)).min(rows / 3).max(1);
        let own_landmarks = ((landmarks as f64 * OWN_SHARE) as usize).min(rows - landmarks);
        let mut kernels = Vec::new();
        let (mut near, mut regressions) = (None, None);
        if !given.is_empty() {
            let (of_outcome, penalty) = self.outcome_scales(given, own);
            let direct: Vec<&[f64]> = direct.iter().map(Vec::as_slice).collect();
            let of_own = self.learn(given, &direct, None);
            near = Some((penalty, of_own.penalty));
            regressions = Some((self.steepest(given, &of_outcome), self.steepest(given, &of_own.scales)));
            kernels.push(Kernel::new(sheet, given, 0..landmarks, of_outcome));
            if own_landmarks > 0 {
                kernels.push(Kernel::new(sheet, given, landmarks..landmarks + own_landmarks, of_own.scales));
            }
        }
        let space = Space::new(sheet, given, kernels);
        let tested = self.test_all(space, near, rows, &direct, &shapes);
        let (evidence, certain) = self.conclude(variable, rows, &tested);
        (VariableEvidence { regressions, ..evidence }, certain)
    }

    /// Names of the columns that count most in a kernel, at most four.
    fn steepest(&self, columns: &[usize], scales: &[f64]) -> String {
        let mut order: Vec<usize> = (0..scales.len()).collect();
        order.sort_by(|&a, &b| scales[b].total_cmp(&scales[a]).then(a.cmp(&b)));
        let greatest = scales[order[0]];
        let counts = order.into_iter().filter(|&k| scales[k] >= 0.5 * greatest).take(4);
        let names: Vec<&str> = counts.map(|k| self.data.encoding.columns[columns[k]].name.as_str()).collect();
        format!("kernel, mostly in {}", names.join(", "))
    }

    /// Tests with all landmarks and with either half of them.
    fn test_all(
        &self,
        space: Space,
        near: Option<(i32, i32)>,
        rows: usize,
        direct: &[Vec<f64>],
        shapes: &[Vec<f64>],
    ) -> Vec<Tested> {
        let outcomes: Vec<&[f64]> = std::iter::once(self.sheet.outcome.as_slice())
            .chain(direct.iter().chain(shapes).map(Vec::as_slice))
            .collect();
        let smoother = Smoother::gather(&space, rows, &outcomes);
        let fits = Fits::new(&smoother);
        let (near_outcome, near_own) = near.unzip();
        let penalty = fits.best(&[0], near_outcome);
        let coefficients = fits.coefficients(penalty, 0);
        let (mean, deviation) = smoother.mean_and_deviation(&coefficients);
        let fitted = predictions(&space, rows, &Matrix::from_values(coefficients.len(), 1, coefficients));
        drop(fits);
        let (space, smoother) = if deviation > 0.0 {
            let space = space.with_curves(curves_of(fitted.values(), mean, deviation));
            let smoother = smoother.extended(&space, &outcomes);
            (space, smoother)
        } else {
            (space, smoother)
        };
        let every: Vec<usize> = (0..space.width()).collect();
        let halves = [space.half(0), space.half(1)];
        let width = space.width();
        let count = outcomes.len() - 1;
        let per_variant = 1 + 2 * count;
        let mut coefficients = Matrix::zeros(width, 3 * per_variant);
        let mut left = Vec::new();
        let (mut near_outcome, mut near_own) = (Some(penalty), near_own);
        for (variant, features) in [&every, &halves[0], &halves[1]].into_iter().enumerate() {
            let part;
            let smoother = if variant == 0 {
                &smoother
            } else {
                part = smoother.on(features);
                &part
            };
            let fits = Fits::new(smoother);
            let own: Vec<usize> = (1..outcomes.len()).collect();
            let (best_outcome, of_outcome) = fits.undersmoothed(&[0], near_outcome);
            let (best_own, of_own) = fits.undersmoothed(&own, near_own);
            (near_outcome, near_own) = (Some(best_outcome), Some(best_own));
            left.push(fits.left(of_outcome));
            let mut put = |column: usize, values: Vec<f64>| {
                for (&feature, value) in features.iter().zip(values) {
                    coefficients[(feature, variant * per_variant + column)] = value;
                }
            };
            put(0, fits.coefficients(of_outcome, 0));
            for (k, &outcome) in own.iter().enumerate() {
                put(1 + k, fits.coefficients(of_own, outcome));
                put(1 + count + k, fits.twice(of_own, of_outcome, outcome));
            }
        }
        let fitted = predictions(&space, rows, &coefficients);
        let limit = (self.data.target.task() == Task::Regression).then_some(self.settings.outlier_limit.get());
        (0..3)
            .map(|variant| {
                let start = variant * per_variant;
                let rest = |outcome: &[f64], column: usize| -> Vec<f64> {
                    (0..rows).map(|k| outcome[k] - fitted[(k, start + column)]).collect()
                };
                let outcome = rest(outcomes[0], 0);
                let own: Vec<Vec<f64>> = (0..count).map(|k| rest(outcomes[1 + k], 1 + k)).collect();
                let twice: Vec<Vec<f64>> = (0..count).map(|k| rest(outcomes[1 + k], 1 + count + k)).collect();
                test(&self.sheet.base[..rows], outcome, own, twice, direct.len(), left[variant], limit)
            })
            .collect()
    }

    /// What the tests with all landmarks and with either half say together.
    fn conclude(&self, variable: usize, rows: usize, tested: &[Tested]) -> (VariableEvidence, f64) {
        let own = &self.data.encoding.features[variable].columns;
        let whole = &tested[0];
        let units = match own[..] {
            [column] => Some(self.data.target.scale / self.data.encoding.columns[column].scale),
            _ => None,
        };
        let base = &self.sheet.base[..rows];
        let (sum, squares): (f64, f64) = base.iter().fold((0.0, 0.0), |(s, q), w| (s + w, q + w * w));
        let effective = if squares > 0.0 { sum * sum / squares } else { 0.0 };
        super::judge::conclude(self.settings, whole, &tested[1..], effective, units)
    }
}

/// Curves of a fit that is standardised first: itself, square, cube, distance.
fn curves_of(fitted: &[f64], mean: f64, deviation: f64) -> Vec<Vec<f64>> {
    let standard: Vec<f64> = fitted.iter().map(|value| (value - mean) / deviation).collect();
    let shaped = |shape: &dyn Fn(f64) -> f64| standard.iter().map(|&value| shape(value)).collect();
    vec![
        shaped(&|value| value),
        shaped(&|value| value.clamp(-FAR, FAR).powi(2)),
        shaped(&|value| value.clamp(-FAR, FAR).powi(3)),
        shaped(&f64::abs),
    ]
}

/// To weighted mean 0 and variance 1; a constant to zeros.
fn standardise(values: &mut [f64], weights: &[f64]) {
    let total: f64 = weights.iter().sum();
    let mean = |value: &dyn Fn(f64) -> f64, values: &[f64]| -> f64 {
        values.iter().zip(weights).map(|(x, w)| w * value(*x)).sum::<f64>() / total
    };
    let centre = mean(&|x| x, values);
    values.iter_mut().for_each(|x| *x -= centre);
    let deviation = mean(&|x| x * x, values).sqrt();
    let factor = if deviation > 1e-9 { 1.0 / deviation } else { 0.0 };
    values.iter_mut().for_each(|x| *x *= factor);
}
