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

use super::judge::{CALM_SHARE, Counting, Examined, test};
use super::regression::{Effort, Fits, Kernel, Learnt, Sheet, Smoother, Space, Without, learn_scales, predictions};
use super::stages::{Stage, timed};
use super::{Evidence, VariableEvidence, screen};
use crate::design::{Bulk, Feature, Task, TrainingData};
use crate::linalg::Matrix;
use crate::threads;
use std::collections::BTreeMap;
use std::ops::Range;

/// From what the kernels' scales are learnt.
const LEARNING: Effort = Effort { rows: 1200, landmarks: 80, restarts: 0 };
/// The same for the outcome's kernel on all columns, which all others start from, and for kernels that have to find their way without it.
const LEARNING_FIRST: Effort = Effort { rows: 2000, landmarks: 150, restarts: 3 };
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
/// The share of a column's squares from which one row decides too much.
const ONE_ROW: f64 = 0.15;
/// Values of a variable below which nothing is said about it.
const LEAST_OBSERVED: usize = 10;
/// Where values are cut before they are multiplied.
const FAR: f64 = 3.0;

/// A variable that is tested on a space.
pub(super) struct Question {
    /// One value per row each: the variable's columns, then other functions of it.
    pub functions: Vec<Vec<f64>>,
    /// How many of them are its columns.
    pub direct: usize,
    /// Positions of the space's features that its regressions do without.
    pub without: Vec<usize>,
    /// The column's standard deviation in this form, beside that of the encoded one.
    pub scale: f64,
}

/// What all judgements share.
pub(super) struct Plan<'a> {
    pub data: &'a TrainingData,
    pub settings: &'a Evidence,
    pub sheet: Sheet,
    /// Per encoded column its scale in the regression of the outcome on all of them; 0 where it took no part.
    pub scales: Vec<f64>,
    /// The best penalty there.
    pub penalty: i32,
    /// The same for variables that are missing in some rows, in the others.
    pub observed: BTreeMap<usize, Plan<'a>>,
}

impl<'a> Plan<'a> {
    /// Also the encoded columns that matter for the outcome, if there are too many to condition on all.
    pub(super) fn new(data: &'a TrainingData, settings: &'a Evidence, order: Vec<usize>) -> (Self, Option<Vec<usize>>) {
        let sheet = Sheet::new(data, order);
        let wide = screen::is_wide(data.columns(), sheet.order.len());
        let relevant = wide.then(|| timed(Stage::Screen, || screen::relevant_columns(data, &sheet)));
        let (scales, observed) = (vec![0.0; data.columns()], BTreeMap::new());
        let mut plan = Self { data, settings, sheet, scales, penalty: 0, observed };
        let columns = relevant.clone().unwrap_or_else(|| (0..data.columns()).collect());
        let learnt = plan.learn(&columns, &[&plan.sheet.outcome], LEARNING_FIRST, None);
        columns.iter().zip(learnt.scales).for_each(|(&column, scale)| plan.scales[column] = scale);
        plan.penalty = learnt.penalty;
        plan.observed = plan.where_observed();
        (plan, relevant)
    }

    /// Per variable that was filled in: the rows in which it was not, with the same scales.
    fn where_observed(&self) -> BTreeMap<usize, Plan<'a>> {
        let features = self.data.encoding.features.iter().enumerate();
        let filled = features.filter(|(_, feature)| feature.missing > 0.0 && feature.columns.len() == 1);
        let plan = |(variable, feature): (usize, &Feature)| {
            // The mean, 0, was filled in.
            let is_there = |row: &usize| self.data.design[(*row, feature.columns[0] + 1)] != 0.0;
            let order: Vec<usize> = self.sheet.order.iter().copied().filter(is_there).collect();
            let (sheet, scales) = (Sheet::new(self.data, order), self.scales.clone());
            let Self { data, settings, penalty, .. } = *self;
            (variable, Plan { data, settings, sheet, scales, penalty, observed: BTreeMap::new() })
        };
        filled.map(plan).collect()
    }

    fn learn(&self, columns: &[usize], outcomes: &[&[f64]], effort: Effort, start: Option<&[f64]>) -> Learnt {
        timed(Stage::Metrics, || learn_scales(&self.sheet, columns, outcomes, effort, start))
    }

    /// Landmarks of the outcome's kernel for so many rows.
    pub(super) fn landmarks(&self, rows: usize) -> usize {
        let least = self.settings.landmarks;
        let independent = (rows as f64 * self.sheet.independent) as usize;
        (least + rows / 250).min(2 * least).min(independent / 5).max(1)
    }

    /// The same for sets that are compared with all columns: with as much care as the kernel on all of them.
    pub(super) fn set_scales(&self, columns: &[usize]) -> (Vec<f64>, i32) {
        let without: Vec<usize> = (0..self.scales.len()).filter(|column| !columns.contains(column)).collect();
        if without.is_empty() {
            return (self.scales.clone(), self.penalty);
        }
        let start: Vec<f64> = columns.iter().map(|&column| self.scales[column]).collect();
        let outcome: [&[f64]; 1] = [&self.sheet.outcome];
        let learn = |start| self.learn(columns, &outcome, LEARNING_FIRST, start);
        let (refined, anew) = threads::join(|| learn(Some(&start)), || learn(None));
        let learnt = if anew.error < refined.error { anew } else { refined };
        (learnt.scales, learnt.penalty)
    }

    /// The outcome's kernel on some columns, without those of a variable: its scales and the best penalty.
    fn outcome_scales(&self, columns: &[usize], without: &[usize]) -> Learnt {
        let start: Vec<f64> = columns.iter().map(|&column| self.scales[column]).collect();
        let square = |column: &usize| self.scales[*column].powi(2);
        let greatest = (0..self.scales.len()).map(|column| square(&column)).fold(0.0, f64::max);
        let share = without.iter().map(square).fold(0.0, f64::max) / greatest;
        if share < UNIMPORTANT {
            return Learnt { scales: start, error: f64::NAN, penalty: self.penalty };
        }
        let outcome: [&[f64]; 1] = [&self.sheet.outcome];
        if share < IMPORTANT {
            return self.learn(columns, &outcome, LEARNING, Some(&start));
        }
        let (refined, anew) = threads::join(
            || self.learn(columns, &outcome, LEARNING, Some(&start)),
            || self.learn(columns, &outcome, LEARNING_FIRST, None),
        );
        if anew.error < refined.error { anew } else { refined }
    }

    /// The variable's columns (standardised), and other functions of it and of the columns that bend the outcome most.
    pub(super) fn question(&self, variable: usize, given: &[usize]) -> Question {
        let own = &self.data.encoding.features[variable].columns;
        let order = &self.sheet.order;
        let column = |&column: &usize| order.iter().map(|&row| self.data.design[(row, column + 1)]).collect();
        let mut functions: Vec<Vec<f64>> = own.iter().map(column).collect();
        let mut scale = 1.0;
        if let [values] = &mut functions[..]
            && rests_on_one_row(values, &self.sheet.base)
        {
            let bulk = Bulk::of(values.clone());
            values.iter_mut().for_each(|value| *value = bulk.drawn_in(*value));
            scale = deviation(values, &self.sheet.base);
            *values = standardised(std::mem::take(values), &self.sheet.base);
        }
        if let [column] = own[..] {
            let cut = |k: usize, column: usize| self.sheet.seen[(k, column)].clamp(-FAR, FAR);
            let mut partners: Vec<usize> = given.iter().copied().filter(|&other| self.scales[other] > 0.0).collect();
            partners.sort_by(|&a, &b| self.scales[b].total_cmp(&self.scales[a]).then(a.cmp(&b)));
            partners.truncate(PARTNERS.min(order.len() / ROWS_PER_PARTNER));
            let rows = 0..order.len();
            let powers = [2, 3].map(|power| rows.clone().map(|k| cut(k, column).powi(power)).collect::<Vec<f64>>());
            let products = partners.iter().map(|&other| rows.clone().map(|k| cut(k, column) * cut(k, other)).collect());
            functions.extend(powers.into_iter().chain(products).map(|shape| standardised(shape, &self.sheet.base)));
        }
        Question { functions, direct: own.len(), without: Vec::new(), scale }
    }

    /// What a variable's judgements given some encoded columns share, however many rows they take.
    pub(super) fn case<'b>(&'b self, variable: usize, given: &'b [usize]) -> Case<'b> {
        if let Some(observed) = self.observed.get(&variable) {
            return observed.case(variable, given);
        }
        let own = &self.data.encoding.features[variable].columns;
        let question = self.question(variable, given);
        let enough = self.sheet.order.len() >= LEAST_OBSERVED;
        let metrics = (!given.is_empty() && enough).then(|| {
            let direct: Vec<&[f64]> = question.functions[..own.len()].iter().map(Vec::as_slice).collect();
            threads::join(|| self.outcome_scales(given, own), || self.learn(given, &direct, LEARNING, None))
        });
        Case { plan: self, variable, given, questions: [question], metrics }
    }

    /// Puts curves of the outcome's fit beside the other features.
    fn with_curves<'b>(
        &self,
        space: Space<'b>,
        smoother: Smoother,
        outcomes: &[&[f64]],
        near: Option<i32>,
    ) -> (Space<'b>, Smoother) {
        let fits = Fits::new(&smoother);
        let penalty = near.unwrap_or_else(|| fits.best(&[0], None));
        let coefficients = fits.coefficients(penalty, 0);
        let (mean, deviation) = smoother.mean_and_deviation(&coefficients);
        let column = Matrix::from_values(coefficients.len(), 1, coefficients);
        let fitted = predictions(&space, smoother.rows(), &column);
        drop(fits);
        if deviation <= 0.0 {
            return (space, smoother);
        }
        let space = space.with_curves(curves_of(fitted.values(), mean, deviation));
        let smoother = smoother.extended(&space, outcomes);
        (space, smoother)
    }

    /// Names of the columns that count most in a kernel, at most four.
    pub(super) fn steepest(&self, columns: &[usize], scales: &[f64]) -> String {
        let mut order: Vec<usize> = (0..scales.len()).collect();
        order.sort_by(|&a, &b| scales[b].total_cmp(&scales[a]).then(a.cmp(&b)));
        let greatest = scales[order[0]];
        let counts = order.into_iter().filter(|&k| scales[k] >= 0.5 * greatest).take(4);
        let names: Vec<&str> = counts.map(|k| self.data.encoding.columns[columns[k]].name.as_str()).collect();
        format!("kernel, mostly in {}", names.join(", "))
    }

    /// The regressions' outcomes for some questions: for each the outcome, then the functions of its variable.
    pub(super) fn outcomes<'b>(&'b self, questions: &'b [Question]) -> Vec<&'b [f64]> {
        let of_question = |question: &'b Question| {
            std::iter::once(self.sheet.outcome.as_slice()).chain(question.functions.iter().map(Vec::as_slice))
        };
        questions.iter().flat_map(of_question).collect()
    }

    /// Tests variables on one space, with all landmarks and, if `halves`, with either half of them and where these agree best.
    ///
    /// The smoother is about the questions' [`Plan::outcomes`]; `near` are likely penalties for outcome and variables.
    pub(super) fn examine(
        &self,
        space: &Space,
        smoother: &Smoother,
        questions: &[Question],
        near: (Option<i32>, Option<i32>),
        halves: bool,
    ) -> Vec<Examined> {
        let mut start = 0;
        let places: Vec<Range<usize>> = questions
            .iter()
            .map(|question| {
                let place = start..start + 1 + question.functions.len();
                start = place.end;
                place
            })
            .collect();
        let without = |features: &[usize]| -> Vec<Without> {
            let position = |feature: &usize| features.iter().position(|other| other == feature);
            let each = questions.iter().zip(&places);
            each.map(|(question, place)| Without {
                outcomes: place.clone(),
                features: question.without.iter().filter_map(position).collect(),
            })
            .collect()
        };
        let every: Vec<usize> = (0..space.width()).collect();
        let fits = Fits::new(smoother).without(without(&every));
        // The halves take the whole's penalties: only the landmarks are to differ.
        let penalties: Vec<(i32, i32)> = places
            .iter()
            .map(|place| {
                let own: Vec<usize> = (place.start + 1..place.end).collect();
                (fits.undersmoothed(&[place.start], near.0), fits.undersmoothed(&own, near.1))
            })
            .collect();
        let variants = if halves { vec![every, space.half(0), space.half(1)] } else { vec![every] };
        // Per variant fits of all outcomes, and of what they leave.
        let mut coefficients = Matrix::zeros(space.width(), variants.len() * 2 * start);
        let mut left = Vec::new();
        for (variant, features) in variants.iter().enumerate() {
            let part = (variant > 0).then(|| smoother.on(features));
            let of_part = part.as_ref().map(|part| Fits::new(part).without(without(features)));
            let fits = of_part.as_ref().unwrap_or(&fits);
            let first = variant * 2 * start;
            for (place, &(of_outcome, of_own)) in places.iter().zip(&penalties) {
                left.push(fits.left(of_outcome));
                let twice = fits.twice(of_own, of_outcome, place.clone());
                for (k, outcome) in place.clone().enumerate() {
                    let once = fits.coefficients(if k == 0 { of_outcome } else { of_own }, outcome);
                    for (i, &feature) in features.iter().enumerate() {
                        coefficients[(feature, first + outcome)] = once[i];
                        coefficients[(feature, first + start + outcome)] = twice[(i, k)];
                    }
                }
            }
        }
        let rows = smoother.rows();
        let fitted = predictions(space, rows, &coefficients);
        let limit = (self.data.target.task() == Task::Regression).then_some(self.settings.outlier_limit.get());
        let outcomes = self.outcomes(questions);
        let tested = |question: usize, variant: usize, rows: &[usize]| {
            let (place, first) = (&places[question], variant * 2 * start);
            let rest = |outcome: usize, column: usize| -> Vec<f64> {
                rows.iter().map(|&k| outcomes[outcome][k] - fitted[(k, column)]).collect()
            };
            let functions = place.start + 1..place.end;
            let own = functions.clone().map(|outcome| rest(outcome, first + outcome)).collect();
            let twice = functions.map(|outcome| rest(outcome, first + start + outcome)).collect();
            let left = left[variant * questions.len() + question] * rows.len() as f64 / smoother.rows() as f64;
            let outcome = rest(place.start, first + place.start);
            let weights: Vec<f64> = rows.iter().map(|&k| self.sheet.base[k]).collect();
            let groups: Option<Vec<usize>> =
                self.sheet.groups.as_ref().map(|groups| rows.iter().map(|&k| groups[k]).collect());
            test(
                Counting { weights: &weights, groups: groups.as_deref() },
                outcome,
                own,
                twice,
                questions[question].direct,
                left,
                limit,
            )
        };
        let all_rows: Vec<usize> = (0..rows).collect();
        let of_question = |question: usize| {
            let whole = tested(question, 0, &all_rows);
            if !halves {
                return Examined { whole, halves: Vec::new(), calm: None };
            }
            // Where the fits with either half of the landmarks differ most, both are rough.
            let outcome = places[question].start;
            let difference = |k: usize| (fitted[(k, 2 * start + outcome)] - fitted[(k, 4 * start + outcome)]).abs();
            let calm = calm_rows(&(0..rows).map(difference).collect::<Vec<f64>>());
            let halves = [1, 2].map(|variant| tested(question, variant, &all_rows)).into();
            Examined { whole, halves, calm: Some(tested(question, 0, &calm)) }
        };
        (0..questions.len()).map(of_question).collect()
    }

    /// What all tests of a variable say together.
    pub(super) fn conclude(
        &self,
        variable: usize,
        scale: f64,
        rows: usize,
        examined: &Examined,
    ) -> (VariableEvidence, f64) {
        let own = &self.data.encoding.features[variable].columns;
        let units = match own[..] {
            [column] => Some(self.data.target.scale / (scale * self.data.encoding.columns[column].scale)),
            _ => None,
        };
        let base = &self.sheet.base[..rows];
        let (sum, squares): (f64, f64) = base.iter().fold((0.0, 0.0), |(s, q), w| (s + w, q + w * w));
        let effective = if squares > 0.0 { sum * sum / squares } else { 0.0 };
        super::judge::conclude(self.settings, examined, effective, units)
    }
}

/// A variable that is judged given some encoded columns.
pub(super) struct Case<'a> {
    plan: &'a Plan<'a>,
    variable: usize,
    given: &'a [usize],
    questions: [Question; 1],
    /// Of the outcome's kernel and of the variable's, unless there is nothing to condition on.
    metrics: Option<(Learnt, Learnt)>,
}

impl Case<'_> {
    /// The judgement by the first `rows` rows, with `times` the usual number of landmarks.
    ///
    /// Also the part of the statistic (as of one column) that is certain.
    pub(super) fn judge(&self, rows: usize, times: usize) -> (VariableEvidence, f64) {
        let (plan, given) = (self.plan, self.given);
        let rows = rows.min(plan.sheet.order.len());
        if rows < LEAST_OBSERVED {
            return (VariableEvidence { p_value: 1.0, ..VariableEvidence::default() }, 0.0);
        }
        let independent = (rows as f64 * plan.sheet.independent) as usize;
        let landmarks = (times * plan.landmarks(rows)).min(independent / 3).max(1);
        let own_landmarks = ((landmarks as f64 * OWN_SHARE) as usize).min(rows - landmarks);
        let mut kernels = Vec::new();
        let (mut near, mut regressions) = (None, None);
        if let Some((of_outcome, of_own)) = &self.metrics {
            near = Some((of_outcome.penalty, of_own.penalty));
            regressions = Some((plan.steepest(given, &of_outcome.scales), plan.steepest(given, &of_own.scales)));
            kernels.push(Kernel::new(&plan.sheet, given, 0..landmarks, of_outcome.scales.clone()));
            if own_landmarks > 0 {
                let own = landmarks..landmarks + own_landmarks;
                kernels.push(Kernel::new(&plan.sheet, given, own, of_own.scales.clone()));
            }
        }
        let space = Space::new(&plan.sheet, given, kernels).kept(rows);
        let outcomes = plan.outcomes(&self.questions);
        let smoother = timed(Stage::Moments, || Smoother::gather(&space, rows, &outcomes));
        let near_outcome = near.map(|(near, _)| near);
        let (space, smoother) = timed(Stage::Curves, || plan.with_curves(space, smoother, &outcomes, near_outcome));
        let tested = timed(Stage::Tests, || plan.examine(&space, &smoother, &self.questions, near.unzip(), true));
        let (evidence, certain) = plan.conclude(self.variable, self.questions[0].scale, rows, &tested[0]);
        (VariableEvidence { regressions, ..evidence }, certain)
    }
}

/// The rows with the least of some values: a share of them all.
fn calm_rows(roughness: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..roughness.len()).collect();
    order.sort_by(|&a, &b| roughness[a].total_cmp(&roughness[b]).then(a.cmp(&b)));
    order.truncate((CALM_SHARE * roughness.len() as f64).ceil() as usize);
    order.sort_unstable();
    order
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

/// Whether one row has so much of a column's variance that it would decide alone: its residual is then no measure of chance.
fn rests_on_one_row(values: &[f64], weights: &[f64]) -> bool {
    let squares = values.iter().zip(weights).map(|(value, weight)| weight * value * value);
    let (sum, most) = squares.fold((0.0, 0.0f64), |(sum, most), square| (sum + square, most.max(square)));
    let rows = values.len() as f64;
    // The greatest of normal values has about this share of their squares.
    most > (ONE_ROW + 4.0 * rows.ln() / rows) * sum
}

fn deviation(values: &[f64], weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    let mean = |power: i32, centre: f64| -> f64 {
        values.iter().zip(weights).map(|(x, w)| w * (x - centre).powi(power)).sum::<f64>() / total
    };
    mean(2, mean(1, 0.0)).sqrt()
}

/// To weighted mean 0 and variance 1; a constant to zeros.
fn standardised(mut values: Vec<f64>, weights: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    let mean = |value: &dyn Fn(f64) -> f64, values: &[f64]| -> f64 {
        values.iter().zip(weights).map(|(x, w)| w * value(*x)).sum::<f64>() / total
    };
    let centre = mean(&|x| x, &values);
    values.iter_mut().for_each(|x| *x -= centre);
    let deviation = mean(&|x| x * x, &values).sqrt();
    let factor = if deviation > 1e-9 { 1.0 / deviation } else { 0.0 };
    values.iter_mut().for_each(|x| *x *= factor);
    values
}
