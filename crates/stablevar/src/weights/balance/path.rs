//! Soft balance from none to as much as there can be, and the point on the way that serves a model on all columns.
//!
//! The ridge falls by steps; each search begins where the one before ended. Effective rows fall and correlations fade along
//! the way, until balance is exact, too few rows are left, or nothing changes any more.

use super::{Balance, Dual, EXACT, Mask, Reweighted, WeightFunction};
use crate::error::Result;
use crate::linalg::{Matrix, correlation_from_covariance, covariance_from_moments};
use crate::optim::StopReason;
use crate::parameter::Positive;
use crate::passes::{QuadraticFunction, RowSource};
use crate::weights::SampleWeights;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Soft balance at one ridge.
#[derive(Debug, Clone)]
pub struct PathPoint {
    /// The ridge; infinite where nothing is asked of the weights.
    pub ridge: f64,
    /// The weights.
    pub weights: SampleWeights,
    /// The weights as a function of the row.
    pub function: WeightFunction,
    /// The largest absolute correlation under the weights among the pairs to be decorrelated, times the mask's strength.
    pub largest_correlation: f64,
    /// The root mean square of these.
    pub rms_correlation: f64,
    /// Why the search stopped.
    pub stop: StopReason,
    /// Passes over the rows that it took from the point before.
    pub passes: usize,
}

/// Why a path goes no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathEnd {
    /// No correlation is left.
    Exact,
    /// Fewer rows would remain effective than a model needs.
    FewRows,
    /// A smaller ridge changes nothing: no weights remove what is left.
    NoProgress,
    /// The search at the next ridge did not converge.
    NotConverged,
}

impl PathEnd {
    /// The reason in a clause.
    pub fn in_words(self) -> &'static str {
        match self {
            PathEnd::Exact => "no correlation is left",
            PathEnd::FewRows => "beyond that too few rows would remain effective",
            PathEnd::NoProgress => "a smaller ridge changes nothing: no weights remove what is left",
            PathEnd::NotConverged => "the search at the next ridge did not converge",
        }
    }
}

/// How far balance got that went as far as the rows allow.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// The ridge of the weights.
    pub ridge: f64,
    /// Effective sample size of the weights.
    pub effective_sample_size: f64,
    /// Sum of the base weights: the effective sample size without weights.
    pub total: f64,
    /// The largest correlation left.
    pub largest_correlation: f64,
    /// The root mean square of all that are left.
    pub rms_correlation: f64,
    /// Whether none is left.
    pub exact: bool,
    /// Why it went no further.
    pub end: PathEnd,
}

impl Reached {
    /// How far it got, in words.
    pub fn in_words(&self) -> String {
        let Self { ridge, effective_sample_size: size, total, .. } = self;
        let share = 100.0 * size / total;
        if self.exact {
            return format!("exact balance, {size:.0} of {total:.0} rows effective ({share:.0} %)");
        }
        format!(
            "balance as far as ridge {ridge:.2e}, {size:.0} of {total:.0} rows effective ({share:.0} %): correlations up to {:.3} \
             are left ({:.3} root mean square); {}",
            self.largest_correlation,
            self.rms_correlation,
            self.end.in_words()
        )
    }
}

/// Soft balance from none to as much as there can be.
#[derive(Debug, Clone)]
pub struct BalancePath {
    /// From no weights to the strongest.
    pub points: Vec<PathPoint>,
    /// The position of the point that [`Balance::default`] takes.
    pub chosen: usize,
    /// Why the path goes no further than its last point.
    pub end: PathEnd,
    /// How far the chosen point got, and why not further.
    pub reached: Reached,
    /// The rule that the chosen point follows.
    pub rule: Floors,
}

/// Effective rows that weights must leave to serve a model on all columns.
///
/// Half of the rows: beyond that weights bring little more and cost ever more, in simulated worlds of many kinds. Exact balance
/// is another matter, since then no coefficient leans on another column: it is taken where it leaves a twentieth of the rows and
/// fifteen per coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Floors {
    /// Under exact balance.
    pub exact: f64,
    /// Under any other.
    pub soft: f64,
}

impl Floors {
    /// For this many columns and a sum of base weights.
    fn new(columns: usize, total: f64) -> Self {
        let (coefficients, soft) = ((columns + 1) as f64, total / 2.0);
        Self { exact: (total / 20.0).max(15.0 * coefficients).min(soft), soft }
    }
}

/// Ridges are `10^(place / PER_DECADE)`: the smaller the place, the stronger the balance.
const PER_DECADE: i32 = 20;
/// The place of exact balance, which is stronger than any.
const EXACT_PLACE: i32 = i32::MIN;
/// A path's first ridge, 1000, at which weights are as good as uniform, and its steps of half a power of ten.
const WEAKEST: i32 = 3 * PER_DECADE;
const STEP: i32 = PER_DECADE / 2;
/// Where a search for the default's point begins, 10, and its steps of a power of ten.
const FIRST: i32 = PER_DECADE;
const STRIDE: i32 = PER_DECADE;
/// No ridge is smaller than 1e-8, but that of exact balance, or larger than 1e12.
const LEAST: i32 = -8 * PER_DECADE;
const MOST: i32 = 12 * PER_DECADE;
/// Where no correlation is larger than the first, exact balance is near; exact is what has none larger than the second.
const NEARLY: f64 = 1e-3;
const NONE: f64 = 1e-6;
/// Points on the way need no more digits, and searches that take more steps are as good as lost.
const TOLERANCE: f64 = 1e-7;
const STEPS: usize = 150;
/// Correlations and effective rows that both fall by a smaller share than this do not fall.
const STANDSTILL: f64 = 0.01;

impl Balance {
    /// Soft balance from none to as much as there can be, by ridges from 1000 downwards, half a power of ten at a time, each
    /// search from where the one before ended; and the point that [`Balance::default`] takes, which is one of them.
    ///
    /// It ends where balance is exact, where fewer rows remain effective than a linear model on all columns has coefficients, where
    /// a smaller ridge changes nothing, or where the search does not converge. The ridge that `self` may have is not used.
    pub fn path(&self, data: &dyn RowSource, mask: &Mask) -> Result<BalancePath> {
        let mut walk = Walk::new(self, data, mask, None);
        let coefficients = (walk.dual.columns() + 1) as f64;
        let end = walk.descend(WEAKEST, STEP, coefficients)?;
        let (place, stop) = walk.settle(end)?;
        walk.polish(place)?;
        let reached = walk.reached(place, stop);
        let chosen = walk.points.keys().rev().position(|&other| other == place).map_or(0, |position| position + 1);
        let rule = walk.floors;
        let points = std::iter::once(walk.without_weights()).chain(walk.points.into_values().rev()).collect();
        Ok(BalancePath { points, chosen, end, reached, rule })
    }

    /// The default's point of the path.
    pub(super) fn as_rows_allow(
        &self,
        data: &dyn RowSource,
        mask: &Mask,
        start: Option<&QuadraticFunction>,
    ) -> Result<Reweighted> {
        let mut walk = Walk::new(self, data, mask, start);
        let end = walk.descend(FIRST, STRIDE, walk.floors.exact)?;
        let (place, end) = walk.settle(end)?;
        walk.polish(place)?;
        let reached = walk.reached(place, end);
        Ok(walk.reweighted(place, reached))
    }

    /// The strongest point of the path that has no smaller ridge than this; what was asked for was not reached.
    pub(super) fn as_far_as(&self, ridge: Positive, data: &dyn RowSource, mask: &Mask) -> Result<Reweighted> {
        let mut walk = Walk::new(self, data, mask, None);
        walk.least = ((ridge.get().log10() * f64::from(PER_DECADE)).ceil() as i32).clamp(LEAST, FIRST);
        let end = walk.descend(FIRST, STRIDE, 1.0)?;
        let place = *walk.points.keys().next().unwrap_or(&FIRST);
        let reached = walk.reached(place, end);
        Ok(Reweighted { stop: StopReason::IterationLimit, ..walk.reweighted(place, reached) })
    }
}

/// A search along the path, with all points that it has come by.
struct Walk<'a> {
    dual: Dual<'a>,
    /// How points on the way are found, and how the last digits are.
    on_the_way: Balance,
    given: Balance,
    mask: &'a Mask,
    floors: Floors,
    /// The smallest place to go to.
    least: i32,
    start: Option<QuadraticFunction>,
    /// By their places, the strongest first.
    points: BTreeMap<i32, PathPoint>,
}

impl<'a> Walk<'a> {
    fn new(balance: &Balance, data: &'a dyn RowSource, mask: &'a Mask, start: Option<&QuadraticFunction>) -> Self {
        let on_the_way = Balance {
            tolerance: if balance.tolerance.get() < TOLERANCE {
                Positive::constant(TOLERANCE)
            } else {
                balance.tolerance
            },
            max_iterations: balance.max_iterations.min(STEPS),
            ..*balance
        };
        let dual = Dual::new(&on_the_way, data, mask);
        let floors = Floors::new(dual.columns(), dual.total);
        let start = start.filter(|function| function.divergence == balance.divergence).cloned();
        Self { dual, on_the_way, given: *balance, mask, floors, least: LEAST, start, points: BTreeMap::new() }
    }

    /// Steps of equal length from a place downwards, until there is no further to go.
    fn descend(&mut self, first: i32, step: i32, floor: f64) -> Result<PathEnd> {
        let mut place = first;
        loop {
            if !self.visit(place)? {
                // Half the way may do.
                let half = place + step / 2;
                if step > STEP && place < first {
                    self.visit(half)?;
                }
                return Ok(PathEnd::NotConverged);
            }
            let point = &self.points[&place];
            if point.weights.effective_sample_size() < floor {
                return Ok(PathEnd::FewRows);
            }
            if point.largest_correlation < NEARLY {
                let is_exact = self.visit(EXACT_PLACE)?;
                return Ok(if is_exact { PathEnd::Exact } else { PathEnd::NotConverged });
            }
            if place <= 0 && self.points.get(&(place + step)).is_some_and(|before| stands_still(before, point)) {
                return Ok(PathEnd::NoProgress);
            }
            if place - step < self.least {
                return Ok(PathEnd::NoProgress);
            }
            place -= step;
        }
    }

    /// The place of the default's point, and why it is not further: see [`Floors`].
    fn settle(&mut self, end: PathEnd) -> Result<(i32, PathEnd)> {
        let size = |point: &PathPoint| point.weights.effective_sample_size();
        if self.points.get(&EXACT_PLACE).is_some_and(|point| size(point) >= self.floors.exact) {
            return Ok((EXACT_PLACE, PathEnd::Exact));
        }
        let soft = self.floors.soft;
        // Where even the weakest leaves too few rows, the way is upwards.
        let mut weakest = *self.points.keys().next_back().unwrap_or(&FIRST);
        while weakest < MOST && self.points.get(&weakest).is_none_or(|point| size(point) < soft) {
            weakest += STRIDE;
            self.visit(weakest)?;
        }
        let Some((&good, _)) = self.points.iter().find(|(_, point)| size(point) >= soft) else {
            return Ok((*self.points.keys().next_back().unwrap_or(&weakest), PathEnd::NotConverged));
        };
        let Some((&bad, _)) = self.points.range(..good).next_back().filter(|(place, _)| **place != EXACT_PLACE) else {
            // Nothing stronger could be found, or only exact balance, which leaves too few rows.
            let only_exact = self.points.contains_key(&EXACT_PLACE);
            return Ok((good, if only_exact { PathEnd::FewRows } else { end }));
        };
        Ok((self.between(good, bad, soft)?, PathEnd::FewRows))
    }

    /// The strongest place that leaves `soft` effective rows, between one that does and one that does not.
    fn between(&mut self, mut good: i32, mut bad: i32, soft: f64) -> Result<i32> {
        let mut guesses = 2;
        while good - bad > 1 {
            let size = |place: i32| self.points[&place].weights.effective_sample_size().ln();
            // The logarithm of the effective rows is nearly straight in that of the ridge; halves make sure of an end.
            let share = if guesses > 0 && self.points.contains_key(&bad) {
                ((size(good) - soft.ln()) / (size(good) - size(bad))).clamp(0.0, 1.0)
            } else {
                0.5
            };
            guesses -= 1;
            let middle = (good - (share * f64::from(good - bad)).round() as i32).clamp(bad + 1, good - 1);
            let found = self.visit(middle)?;
            let is_good = found && self.points[&middle].weights.effective_sample_size() >= soft;
            *(if is_good { &mut good } else { &mut bad }) = middle;
        }
        Ok(good)
    }

    /// Looks for the weights of a place from the nearest known ones; false if the search does not converge.
    fn visit(&mut self, place: i32) -> Result<bool> {
        if self.points.contains_key(&place) {
            return Ok(true);
        }
        let is_exact = place == EXACT_PLACE;
        let how = if is_exact { self.given } else { self.on_the_way };
        let found = self.search(how, ridge_at(place), self.nearest(place))?;
        Ok(match found {
            Some(point) if point.stop.converged() && (!is_exact || point.largest_correlation < NONE) => {
                self.points.insert(place, point);
                true
            }
            // A first search that was allowed too few steps is better than none.
            Some(point) if self.points.is_empty() && self.given.max_iterations < STEPS => {
                self.points.insert(place, point);
                false
            }
            _ => false,
        })
    }

    /// The last digits of a point.
    fn polish(&mut self, place: i32) -> Result<()> {
        let Some(point) = self.points.get(&place) else { return Ok(()) };
        if place == EXACT_PLACE || !point.stop.converged() || self.given.tolerance.get() >= TOLERANCE {
            return Ok(());
        }
        let (start, passes) = (quadratic(&point.function).cloned(), point.passes);
        if let Some(polished) = self.search(self.given, ridge_at(place), start)?.filter(|point| point.stop.converged())
        {
            self.points.insert(place, PathPoint { passes: passes + polished.passes, ..polished });
        }
        Ok(())
    }

    fn search(&mut self, how: Balance, ridge: f64, start: Option<QuadraticFunction>) -> Result<Option<PathPoint>> {
        let before = self.dual.passes;
        (self.dual.balance, self.dual.ridge) = (how, ridge);
        self.dual.centre.fill(0.0);
        let from = self.dual.starting_point(start.as_ref());
        let start = if start.is_some() { from } else { self.dual.start_from_sample(from)? };
        let minimum = self.dual.minimum(start)?;
        if self.dual.needed_exact {
            // Where the last search needed it, the next will, too.
            self.dual.normal_rounds = 0;
        }
        let Some(found) = self.dual.weights_of(&minimum)? else { return Ok(None) };
        let Some(function) = found.function else { return Ok(None) };
        let moments = found.weights.moments(self.dual.data())?;
        let correlations = correlation_from_covariance(&covariance_from_moments(&moments.columns));
        let (largest_correlation, rms_correlation) = left(&correlations, self.mask);
        let passes = self.dual.passes - before;
        let (weights, stop) = (found.weights, found.stop);
        Ok(Some(PathPoint { ridge, weights, function, largest_correlation, rms_correlation, stop, passes }))
    }

    /// The known function whose ridge is nearest.
    fn nearest(&self, place: i32) -> Option<QuadraticFunction> {
        let distance = |other: i32| i64::from(other.max(LEAST)).abs_diff(i64::from(place.max(LEAST)));
        let nearest = self.points.iter().min_by_key(|(other, _)| distance(**other));
        nearest.and_then(|(_, point)| quadratic(&point.function)).cloned().or_else(|| self.start.clone())
    }

    fn without_weights(&self) -> PathPoint {
        let size = self.dual.columns() + 1;
        let mut form = Matrix::zeros(size, size);
        form[(0, 0)] = self.given.divergence.neutral();
        let function = QuadraticFunction { divergence: self.given.divergence, form, factor: 1.0 };
        let (largest_correlation, rms_correlation) = left(&self.dual.data().frame().correlations, self.mask);
        PathPoint {
            ridge: f64::INFINITY,
            weights: SampleWeights::uniform(self.dual.total),
            function: WeightFunction::Quadratic(function),
            largest_correlation,
            rms_correlation,
            stop: StopReason::Converged,
            passes: 0,
        }
    }

    fn reached(&self, place: i32, end: PathEnd) -> Reached {
        let point = self.points.get(&place).cloned().unwrap_or_else(|| self.without_weights());
        Reached {
            ridge: point.ridge,
            effective_sample_size: point.weights.effective_sample_size(),
            total: self.dual.total,
            largest_correlation: point.largest_correlation,
            rms_correlation: point.rms_correlation,
            exact: place == EXACT_PLACE,
            end,
        }
    }

    /// The point of a place as the outcome of a reweighting.
    fn reweighted(mut self, place: i32, reached: Reached) -> Reweighted {
        let (passes, reached) = (self.dual.passes, Some(reached));
        match self.points.remove(&place) {
            Some(PathPoint { weights, function, stop, .. }) => {
                Reweighted { weights, function: Some(function), truncated: None, reached, stop, passes }
            }
            None => Reweighted {
                weights: SampleWeights::uniform(self.dual.total),
                function: None,
                truncated: None,
                reached,
                stop: StopReason::Stalled,
                passes,
            },
        }
    }
}

fn ridge_at(place: i32) -> f64 {
    if place == EXACT_PLACE { EXACT.get() } else { 10f64.powf(f64::from(place) / f64::from(PER_DECADE)) }
}

/// Whether a smaller ridge changed next to nothing.
fn stands_still(before: &PathPoint, after: &PathPoint) -> bool {
    let fell = |before: f64, after: f64| after < (1.0 - STANDSTILL) * before;
    !fell(before.largest_correlation, after.largest_correlation)
        && !fell(before.rms_correlation, after.rms_correlation)
        && !fell(before.weights.effective_sample_size(), after.weights.effective_sample_size())
}

/// The largest and the root mean square of the absolute correlations of the mask's pairs, times its strengths.
fn left(correlations: &Matrix, mask: &Mask) -> (f64, f64) {
    let pairs = mask.pairs();
    let sizes = pairs.iter().map(|&(i, j, strength)| strength * correlations[(i, j)].abs());
    let (largest, squares) = sizes.fold((0.0, 0.0), |(largest, sum), size| (size.max(largest), sum + size * size));
    (largest, (squares / pairs.len().max(1) as f64).sqrt())
}

fn quadratic(function: &WeightFunction) -> Option<&QuadraticFunction> {
    match function {
        WeightFunction::Quadratic(function) => Some(function),
        WeightFunction::Ratio(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Roles, TrainingData};
    use crate::sample::biased_sample;
    use crate::table::Table;
    use crate::threads::with_threads;
    use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
    use rand_distr::StandardNormal;

    fn sample(rows: usize) -> TrainingData {
        TrainingData::prepare(&biased_sample(6, 3, rows, 2), &Roles::target("y")).unwrap()
    }

    /// Columns as in small real tables: skewed and moving together, one nearly a sum of two others, rare marks of which two exclude
    /// each other. No weights decorrelate all of them.
    fn infeasible(rows: usize) -> TrainingData {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut columns = vec![Vec::new(); 9];
        for _ in 0..rows {
            let mut normal = || random.sample::<f64, _>(StandardNormal);
            let common = normal();
            let (a, b) = (common + 0.5 * normal(), (common + normal()).exp());
            let nearly = a + b + 0.2 * normal();
            let level = normal();
            let values = [
                a,
                b,
                nearly,
                normal() - common,
                f64::from(level > 0.8),
                f64::from(level < -0.8),
                f64::from(common > 1.0),
            ];
            let more = [normal() * common, f64::from(nearly > 3.0)];
            columns.iter_mut().zip(values.into_iter().chain(more)).for_each(|(column, value)| column.push(value));
        }
        let named = columns.into_iter().enumerate().map(|(k, values)| (format!("x{k}"), values));
        let table = Table::from_numbers(named).unwrap();
        TrainingData::prepare(&table, &Roles::covariates()).unwrap()
    }

    fn sizes(path: &BalancePath) -> Vec<f64> {
        path.points.iter().map(|point| point.weights.effective_sample_size()).collect()
    }

    #[test]
    fn a_path_begins_without_weights_and_ends_in_exact_balance_where_there_is_such() {
        let data = sample(2000);
        let mask = Mask::all(&data);
        let path = Balance::default().path(&data, &mask).unwrap();
        assert_eq!(path.end, PathEnd::Exact);
        let (first, last) = (&path.points[0], &path.points[path.points.len() - 1]);
        assert!(first.ridge.is_infinite() && first.weights.effective_sample_size() == 2000.0);
        assert!(last.largest_correlation < 1e-6, "{}", last.largest_correlation);
        let exact = Balance::exact().solve(&data, &mask, None).unwrap();
        for (along, at_once) in last.weights.values(&data).iter().zip(exact.weights.values(&data).iter()) {
            assert!((along - at_once).abs() < 1e-6, "{along} and {at_once}");
        }
    }

    #[test]
    fn effective_rows_and_correlations_fall_along_a_path() {
        for data in [sample(1500), infeasible(300)] {
            let path = Balance::default().path(&data, &Mask::all(&data)).unwrap();
            assert!(path.points.len() > 10, "{}", path.points.len());
            assert!(path.points.iter().all(|point| point.stop.converged()));
            assert!(sizes(&path).is_sorted_by(|weaker, stronger| *stronger < weaker + 1e-6), "{:?}", sizes(&path));
            // Beyond the point that is taken few rows decide, whose variances fall, too, so that correlations may rise again.
            let left: Vec<f64> = path.points[..=path.chosen].iter().map(|point| point.rms_correlation).collect();
            assert!(left.is_sorted_by(|weaker, stronger| *stronger < 1.02 * weaker), "{left:?}");
            assert!(path.points.iter().map(|point| point.ridge).is_sorted_by(|weaker, stronger| stronger < weaker));
        }
    }

    #[test]
    fn searches_that_begin_where_another_ended_take_fewer_passes() {
        for data in [sample(2000), infeasible(400)] {
            let mask = Mask::all(&data);
            let path = Balance::default().path(&data, &mask).unwrap();
            let (mut warm, mut cold) = (0, 0);
            // The chosen point was polished, and exact balance is as hard from anywhere.
            let others = path.points.iter().enumerate().filter(|(position, _)| *position != path.chosen);
            for (_, point) in others.filter(|(_, point)| point.ridge.is_finite() && point.ridge > EXACT.get()) {
                let balance = Balance {
                    ridge: Some(Positive::new("ridge", point.ridge).unwrap()),
                    tolerance: Positive::constant(TOLERANCE),
                    ..Balance::default()
                };
                warm += point.passes;
                cold += balance.solve(&data, &mask, None).unwrap().passes;
            }
            assert!(4 * warm < 3 * cold, "{warm} passes warm, {cold} cold");
        }
    }

    #[test]
    fn the_default_is_a_point_of_the_path_and_follows_the_rule() {
        for data in [sample(2000), infeasible(300), infeasible(60)] {
            let mask = Mask::all(&data);
            let path = Balance::default().path(&data, &mask).unwrap();
            let alone = Balance::default().solve(&data, &mask, None).unwrap();
            let chosen = &path.points[path.chosen];
            assert!(alone.stop.converged() && alone.reached.unwrap().ridge == chosen.ridge);
            for (alone, chosen) in alone.weights.values(&data).iter().zip(chosen.weights.values(&data).iter()) {
                assert!((alone - chosen).abs() < 1e-6, "{alone} and {chosen}");
            }
            let size = chosen.weights.effective_sample_size();
            assert!(size >= if path.reached.exact { path.rule.exact } else { path.rule.soft });
            if let Some(next) = path.points.get(path.chosen + 1).filter(|next| next.ridge > EXACT.get()) {
                assert!(next.weights.effective_sample_size() < path.rule.soft);
            }
        }
    }

    #[test]
    fn what_cannot_be_balanced_is_balanced_as_far_as_the_rows_allow() {
        for rows in [40, 300] {
            let data = infeasible(rows);
            let mask = Mask::all(&data);
            let before = left(&data.correlations, &mask);
            for divergence in [crate::passes::Divergence::Chi2, crate::passes::Divergence::Entropy] {
                let found = Balance { divergence, ..Balance::default() }.solve(&data, &mask, None).unwrap();
                let reached = found.reached.unwrap();
                let size = found.weights.effective_sample_size();
                assert!(found.stop.converged() && !reached.exact, "{reached:?}");
                assert!(found.weights.values(&data).iter().all(|weight| weight.is_finite() && *weight >= 0.0));
                assert!(size < 0.75 * rows as f64 && size > 0.3 * rows as f64, "{size} of {rows}");
                assert!(reached.rms_correlation < 0.95 * before.1, "{} of {}", reached.rms_correlation, before.1);
                assert!(reached.in_words().contains("are left"), "{}", reached.in_words());
            }
        }
    }

    #[test]
    fn a_ridge_that_was_asked_for_and_cannot_be_had_does_not_end_in_uniform_weights() {
        let mut failed = 0;
        for rows in [24, 30, 40, 60] {
            let data = infeasible(rows);
            let found = Balance::exact().solve(&data, &Mask::all(&data), None).unwrap();
            assert!(found.weights.effective_sample_size() < 0.9 * rows as f64);
            assert!(found.weights.values(&data).iter().all(|weight| weight.is_finite() && *weight >= 0.0));
            failed += usize::from(!found.stop.converged());
        }
        assert!(failed > 0);
    }

    #[test]
    fn too_few_steps_are_said_to_be_too_few() {
        let data = sample(500);
        let found = Balance { max_iterations: 1, ..Balance::default() }.solve(&data, &Mask::all(&data), None).unwrap();
        assert!(!found.stop.converged());
    }

    #[test]
    fn threads_do_not_change_a_path() {
        let data = sample(9000);
        let mask = Mask::all(&data);
        let [one, three] = [1, 3]
            .map(|threads| with_threads(Some(threads), || Balance::default().path(&data, &mask)).unwrap().unwrap());
        assert_eq!((one.chosen, sizes(&one)), (three.chosen, sizes(&three)));
        for (one, three) in one.points.iter().zip(&three.points) {
            assert_eq!(one.weights.values(&data), three.weights.values(&data));
        }
    }

    #[test]
    fn a_single_column_is_balanced_already() {
        let table = Table::from_numbers([("x", (0..50).map(f64::from).collect::<Vec<f64>>())]).unwrap();
        let data = TrainingData::prepare(&table, &Roles::covariates()).unwrap();
        let found = Balance::default().solve(&data, &Mask::all(&data), None).unwrap();
        assert!(found.stop.converged() && found.reached.unwrap().exact);
    }
}
