//! The set as a whole: do the selected variables predict as well as all of them?
//!
//! Evidence tests one variable given all others. Variables that tell the same are each redundant given the other, and
//! all of them would be lost; so would many weak ones. Both show in the set: a flexible regression on it is then worse than one
//! on all columns. So the set grows by the variable with the strongest evidence given the set until it is as good, and what was added and is
//! not needed once the set is whole leaves again: a biased variable may stand in for what is missing, but not beside it.

use super::judge::Tested;
use super::regression::{Fits, Kernel, Smoother, Space, predictions};
use super::residual::Plan;
use super::stages::{Stage, timed};
use super::{Choice, Sufficiency, VariableEvidence};
use crate::design::{FeatureKind, Standing, Task};
use crate::linalg::Matrix;
use crate::models::spread_of_the_bulk;
use crate::threads;
use std::collections::BTreeMap;

/// A set is sufficient if its loss exceeds that of all columns by no more than a standard error or this share.
const NEGLIGIBLE_SHARE: f64 = 0.01;
/// A loss below this share of the outcome's variance is rounding.
const ROUNDING: f64 = 1e-12;
/// The least evidence given the set, as the square of a normal quantile, of a variable that the set needs.
const NEEDED: f64 = 7.84;
/// A variable with a p-value below this, given all others, may have an effect of its own.
const PLAUSIBLE: f64 = 0.05;
/// The least evidence given the set of such a variable that joins although the set suffices, for two classes: a row tells little there, so
/// that real effects are weak, and to miss one costs more than to keep a column without effect.
const WELCOME: f64 = 5.3;
/// A variable with this share of the evidence of another given the rest of the set could take its place.
const ALTERNATIVE_SHARE: f64 = 0.36;
/// Rows that a level needs to be more than barely seen.
const LEAST_ROWS_OF_LEVEL: usize = 10;
/// Candidates that are judged by one pass over the rows.
const CANDIDATES_TOGETHER: usize = 24;

/// What comparing sets of one table shares.
pub(super) struct Sets<'a> {
    plan: &'a Plan<'a>,
    rows: usize,
    /// The error beyond which none counts for more: a few extreme outcomes would else decide which set is better.
    most: f64,
    /// Which variables were told to be unstable: no set has them, and none is asked to tell what they tell.
    barred: Vec<bool>,
    /// Per row the error of the regression on all other columns, none beyond `most`, and its loss.
    errors_all: Vec<f64>,
    losses_all: Vec<f64>,
}

impl<'a> Sets<'a> {
    /// `all` are the encoded columns that stand for the whole table; of them those count that may be in a set.
    pub(super) fn new(plan: &'a Plan<'a>, rows: usize, all: &[usize]) -> Self {
        let barred = plan.data.standings().into_iter().map(|told| told == Some(Standing::Unstable)).collect();
        let (errors_all, losses_all) = (Vec::new(), Vec::new());
        let mut sets = Self { plan, rows, most: f64::INFINITY, barred, errors_all, losses_all };
        let feature = |column: usize| plan.data.encoding.columns[column].feature;
        let allowed: Vec<usize> = all.iter().copied().filter(|&column| !sets.barred[feature(column)]).collect();
        let errors = sets.errors(&allowed);
        if plan.data.target.task() == Task::Regression {
            let bulk = spread_of_the_bulk(&errors, &plan.sheet.base[..rows]);
            sets.most = if bulk > 0.0 { plan.settings.outlier_limit.get() * bulk } else { f64::INFINITY };
        }
        sets.errors_all = errors.iter().map(|error| error.clamp(-sets.most, sets.most)).collect();
        sets.losses_all = sets.losses(errors);
        sets
    }

    /// Variables that are not in a set and may be.
    fn outside(&self, set: &[usize]) -> Vec<usize> {
        (0..self.barred.len()).filter(|variable| !self.barred[*variable] && !set.contains(variable)).collect()
    }

    /// Per row what the regression on all columns that may be in a set leaves of its outcome, the row left out.
    pub(super) fn errors_all(&self) -> &[f64] {
        &self.errors_all
    }

    fn columns(&self, variables: &[usize]) -> Vec<usize> {
        let features = &self.plan.data.encoding.features;
        let mut columns: Vec<usize> =
            variables.iter().flat_map(|&variable| features[variable].columns.iter().copied()).collect();
        columns.sort_unstable();
        columns
    }

    /// The outcome's kernel on some columns, and the best penalty.
    fn space<'b>(&'b self, columns: &'b [usize]) -> (Space<'b>, Option<i32>) {
        let sheet = &self.plan.sheet;
        if columns.is_empty() {
            return (Space::new(sheet, columns, Vec::new()), None);
        }
        let (scales, penalty) = self.plan.set_scales(columns);
        let kernel = Kernel::new(sheet, columns, 0..self.plan.landmarks(self.rows), scales);
        (Space::new(sheet, columns, vec![kernel]).kept(self.rows), Some(penalty))
    }

    fn losses(&self, errors: Vec<f64>) -> Vec<f64> {
        errors.into_iter().map(|error| error.abs().min(self.most).powi(2)).collect()
    }

    /// Errors of the regression on some columns, in the user's units, each row left out in turn.
    fn errors(&self, columns: &[usize]) -> Vec<f64> {
        let (space, near) = self.space(columns);
        timed(Stage::Losses, || self.errors_on(&space, near))
    }

    fn errors_on(&self, space: &Space, near: Option<i32>) -> Vec<f64> {
        let outcome = &self.plan.sheet.outcome;
        let smoother = Smoother::gather(space, self.rows, &[outcome]);
        let fits = Fits::new(&smoother);
        let penalty = fits.best(&[0], near);
        let coefficients = fits.coefficients(penalty, 0);
        let fitted = predictions(space, self.rows, &Matrix::from_values(coefficients.len(), 1, coefficients));
        let leverages = fits.leverages(space, penalty);
        let target = &self.plan.data.target;
        let classes = target.task() == Task::Classification;
        // Probabilities are between 0 and 1.
        let (least, most) = (-target.mean / target.scale, (1.0 - target.mean) / target.scale);
        (0..self.rows)
            .map(|row| {
                let left_out = outcome[row] - (outcome[row] - fitted[(row, 0)]) / (1.0 - leverages[row]).max(0.05);
                let predicted = if classes { left_out.clamp(least, most) } else { left_out };
                target.scale * (outcome[row] - predicted)
            })
            .collect()
    }

    /// The loss of some variables beside that of all.
    pub(super) fn compare(&self, variables: &[usize]) -> Sufficiency {
        let losses = self.losses(self.errors(&self.columns(variables)));
        let base = &self.plan.sheet.base[..self.rows];
        let total: f64 = base.iter().sum();
        let mean = |value: &dyn Fn(usize) -> f64| (0..self.rows).map(|k| base[k] * value(k)).sum::<f64>() / total;
        let (loss_selected, loss_all) = (mean(&|k| losses[k]), mean(&|k| self.losses_all[k]));
        let difference = loss_selected - loss_all;
        let beyond = |k: usize| losses[k] - self.losses_all[k] - difference;
        let spread = match &self.plan.sheet.groups {
            None => mean(&|k| base[k] * beyond(k).powi(2)),
            Some(groups) => {
                // Rows of a group say one thing together.
                let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
                (0..self.rows).for_each(|k| *sums.entry(groups[k]).or_default() += base[k] * beyond(k));
                sums.values().map(|sum| sum * sum).sum::<f64>() / total
            }
        };
        let standard_error = (spread / total).sqrt();
        let negligible = (NEGLIGIBLE_SHARE * loss_all).max(ROUNDING * self.plan.data.target.scale.powi(2));
        let sufficient = difference <= standard_error.max(negligible);
        Sufficiency { loss_selected, loss_all, difference, standard_error, sufficient }
    }

    /// Tests every candidate given some variables.
    fn given(&self, set: &[usize], candidates: &[usize]) -> Vec<Tested> {
        let columns = self.columns(set);
        let (space, near) = self.space(&columns);
        let chunks: Vec<&[usize]> = candidates.chunks(CANDIDATES_TOGETHER).collect();
        threads::map(chunks.len(), |k| self.given_space(&space, &columns, near, chunks[k]))
            .into_iter()
            .flatten()
            .collect()
    }

    fn given_space(&self, space: &Space, columns: &[usize], near: Option<i32>, candidates: &[usize]) -> Vec<Tested> {
        let questions: Vec<_> = candidates.iter().map(|&variable| self.plan.question(variable, columns)).collect();
        let smoother = timed(Stage::Moments, || Smoother::gather(space, self.rows, &self.plan.outcomes(&questions)));
        let tested = timed(Stage::Tests, || self.plan.examine(space, &smoother, &questions, (near, near), false));
        tested.into_iter().map(|examined| examined.whole).collect()
    }

    /// Lets the selected set grow until it is sufficient, and shrink again by what it then does not need. Evidence of variables
    /// that were added is theirs given the set.
    ///
    /// Variables that were only `looked` at are judged `closely` first if the set seems to need them.
    pub(super) fn complete(
        &self,
        judged: &mut [VariableEvidence],
        choice: &Choice,
        looked: &[usize],
        closely: &(dyn Fn(usize) -> VariableEvidence + Sync),
    ) -> Sufficiency {
        let mut set = (choice.select)(judged);
        let mut found = self.compare(&set);
        let Some(threshold) = choice.grow else { return found };
        if !found.sufficient {
            let outside = self.outside(&set);
            let looked: Vec<usize> = looked.iter().copied().filter(|variable| outside.contains(variable)).collect();
            let tested = self.given(&set, &looked).into_iter().zip(&looked);
            let again: Vec<usize> =
                tested.filter(|(tested, _)| tested.statistic >= NEEDED).map(|(_, &variable)| variable).collect();
            let found_again = threads::map(again.len(), |k| closely(again[k]));
            again.iter().zip(found_again).for_each(|(&variable, evidence)| judged[variable] = evidence);
            let larger = (choice.select)(judged);
            if larger != set {
                set = larger;
                found = self.compare(&set);
            }
        }
        let mut grown: Vec<(usize, f64)> = Vec::new();
        let mut candidates = self.outside(&set);
        while !found.sufficient {
            let Some((variable, statistic)) = self.next(&set, &candidates, judged) else { break };
            candidates.retain(|&candidate| candidate != variable);
            set.push(variable);
            let larger = self.compare(&set);
            if larger.loss_selected >= found.loss_selected {
                // It has evidence, but the set predicts no better with it.
                set.pop();
                continue;
            }
            found = larger;
            grown.push((variable, statistic));
        }
        // Those that came first came while most was missing.
        let mut k = 0;
        while grown.len() > 1 && k < grown.len() {
            let without: Vec<usize> = set.iter().copied().filter(|&variable| variable != grown[k].0).collect();
            let statistic = self.carefully(&without, grown[k].0);
            let smaller = (statistic < NEEDED || found.sufficient).then(|| self.compare(&without));
            match smaller.filter(|smaller| smaller.sufficient || !found.sufficient) {
                Some(smaller) => {
                    (set, found) = (without, smaller);
                    grown.remove(k);
                }
                None => {
                    grown[k].1 = statistic;
                    k += 1;
                }
            }
        }
        let welcome = self.welcome(&mut set, judged);
        if !welcome.is_empty() {
            found = self.compare(&set);
            grown.extend(welcome);
        }
        for (mut variable, mut statistic) in grown {
            let mut alternatives = self.alternatives(&set, variable, statistic);
            if let Some((other, its_own)) = self.better_seen(&set, variable, &alternatives) {
                set.iter_mut().filter(|member| **member == variable).for_each(|member| *member = other);
                alternatives.iter_mut().filter(|named| **named == other).for_each(|named| *named = variable);
                (variable, statistic) = (other, its_own);
                found = self.compare(&set);
            }
            let effective = judged[variable].effective_sample_size;
            let evidence = &mut judged[variable];
            evidence.judged_without = (0..self.plan.data.encoding.features.len())
                .filter(|other| *other != variable && !set.contains(other))
                .collect();
            evidence.probability = super::judge::probability(statistic, effective, self.plan.settings).max(threshold);
            evidence.needed = true;
            evidence.alternatives = alternatives;
        }
        found
    }

    /// The next variable that the set needs, if there is one.
    ///
    /// First come those with some evidence given all others, though it did not suffice: the strongest first. A biased variable has
    /// none, and stands in for what is missing as long as it is missing. Then come the others, such as those that tell the
    /// same as another, by their evidence given the set.
    fn next(&self, set: &[usize], candidates: &[usize], judged: &[VariableEvidence]) -> Option<(usize, f64)> {
        let tested = self.given(set, candidates);
        let mut ranked: Vec<(usize, f64)> =
            candidates.iter().copied().zip(tested.iter().map(|tested| tested.statistic)).collect();
        ranked.retain(|(_, statistic)| *statistic >= NEEDED);
        // Larger than that they are all alike.
        let p_value = |variable: usize| judged[variable].p_value.min(PLAUSIBLE);
        ranked.sort_by(|a, b| p_value(a.0).total_cmp(&p_value(b.0)).then(b.1.total_cmp(&a.1)).then(a.0.cmp(&b.0)));
        // A quick test ranks them; a biased variable may pass it and not the careful one.
        let judged = ranked.into_iter().map(|(variable, _)| (variable, self.carefully(set, variable)));
        judged.into_iter().find(|(_, statistic)| *statistic >= NEEDED)
    }

    /// Of two classes, lets those variables join that are welcome although the set suffices: each has some evidence given all others, which know much of
    /// what it tells, and more given the set. Returns them with what they have given the rest of the set.
    fn welcome(&self, set: &mut Vec<usize>, judged: &[VariableEvidence]) -> Vec<(usize, f64)> {
        if self.plan.data.target.task() == Task::Regression {
            return Vec::new();
        }
        let enough = |variable: usize, statistic: f64| {
            statistic >= WELCOME * self.plan.settings.shrink(judged[variable].effective_sample_size)
        };
        let p_value = |variable: usize| judged[variable].p_value;
        let mut plausible = self.outside(set);
        plausible.retain(|&variable| p_value(variable) < PLAUSIBLE && !judged[variable].doubtful);
        plausible.sort_by(|&a, &b| p_value(a).total_cmp(&p_value(b)).then(a.cmp(&b)));
        let mut joined: Vec<(usize, f64)> = Vec::new();
        for variable in plausible {
            let statistic = self.carefully(set, variable);
            if enough(variable, statistic) {
                set.push(variable);
                joined.push((variable, statistic));
            }
        }
        // What is least plausible may have stood in for one that came after it.
        let several = joined.len() > 1;
        for k in (0..joined.len()).rev().filter(|_| several) {
            let without: Vec<usize> = set.iter().copied().filter(|&member| member != joined[k].0).collect();
            joined[k].1 = self.carefully(&without, joined[k].0);
            if !enough(joined[k].0, joined[k].1) {
                *set = without;
            }
        }
        joined.retain(|(variable, _)| set.contains(variable));
        joined
    }

    /// The certain part of a variable's statistic given a set.
    fn carefully(&self, set: &[usize], variable: usize) -> f64 {
        self.plan.case(variable, &self.columns(set)).judge(self.rows, 1).1
    }

    /// Of variables that could take the place of a member of the set the one that has fewer levels than it of which there are next to no rows,
    /// with its statistic given the rest of the set. What such levels mean for the outcome these rows do not tell, and elsewhere there may be
    /// many of them.
    fn better_seen(&self, set: &[usize], variable: usize, alternatives: &[usize]) -> Option<(usize, f64)> {
        let own = self.barely_seen_levels(variable);
        let (fewest, other) = alternatives.iter().map(|&other| (self.barely_seen_levels(other), other)).min()?;
        let rest: Vec<usize> = set.iter().copied().filter(|&member| member != variable).collect();
        let statistic = (fewest < own).then(|| self.carefully(&rest, other))?;
        (statistic >= NEEDED).then_some((other, statistic))
    }

    /// How many levels of a variable have next to no rows.
    fn barely_seen_levels(&self, variable: usize) -> usize {
        let data = self.plan.data;
        let feature = &data.encoding.features[variable];
        if feature.kind == FeatureKind::Number {
            return 0;
        }
        let marked = |column: usize| (0..data.rows()).filter(|&row| data.design[(row, column + 1)] > 0.0).count();
        feature.columns.iter().filter(|&&column| marked(column) < LEAST_ROWS_OF_LEVEL).count()
    }

    /// Variables outside the set that could take the place of one of its members.
    fn alternatives(&self, set: &[usize], variable: usize, statistic: f64) -> Vec<usize> {
        let rest: Vec<usize> = set.iter().copied().filter(|&member| member != variable).collect();
        let outside = self.outside(set);
        let tested = self.given(&rest, &outside);
        let strong = outside
            .iter()
            .zip(&tested)
            .filter(|(_, tested)| tested.statistic >= NEEDED.max(ALTERNATIVE_SHARE * statistic));
        strong
            .filter(|(other, _)| {
                let exchanged: Vec<usize> = rest.iter().copied().chain([**other]).collect();
                self.given(&exchanged, &[variable])[0].statistic < NEEDED && self.compare(&exchanged).sufficient
            })
            .map(|(&other, _)| other)
            .collect()
    }
}
