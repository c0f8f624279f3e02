//! From rows to the evidence for every variable, and to what it says about the set.

use super::quick::{self, Look};
use super::residual::Plan;
use super::sufficiency::Sets;
use super::{Choice, Evidence, Gathered, Source, Sufficiency, VariableEvidence, focused, network, screen};
use crate::design::TrainingData;
use crate::error::{Error, Result};
use crate::functions::mixed;
use crate::passes::RowSource;
use crate::threads;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// Variables that correlate this much hide each other's effect when each is judged beside the other.
const REDUNDANT: f64 = 0.8;
/// Rows by which all variables are looked at, and sets are compared.
const FIRST_ROWS: usize = 10_000;
/// Rows by which variables with a doubt are judged at last; where there are fewer, more landmarks take their place.
const MORE_ROWS: usize = 30_000;
/// Rows by which variables are judged until they are clear.
const RACE: [usize; 3] = [4000, FIRST_ROWS, MORE_ROWS];
/// Probabilities between these are doubts.
const DOUBT: std::ops::Range<f64> = 0.02..0.98;
/// Below this a doubt is not worth more landmarks.
const UNLIKELY: f64 = 0.1;
/// As is a probability that differs so much between repeats.
const UNSETTLED: f64 = 0.05;
/// Rows below which their order is not looked at.
const LEAST_IN_ORDER: usize = 30;
/// The least correlation of neighbouring rows that is told.
const LEAST_CORRELATION: f64 = 0.1;
/// Standard errors by which it has to exceed 0.
const BEYOND_CHANCE: f64 = 4.0;
/// The largest sum of counts.
const MOST_COUNTED: f64 = 1e9;
/// Rows beyond the limit are drawn with this seed, whatever the seed of the fit: no draw may decide.
const DRAW: u64 = 0;

/// Evidence for every variable. `tick` is called after each, from any thread, and may stop the work.
///
/// No seed comes in: the same rows give the same evidence, in whatever order they are.
pub fn gather(
    all: &dyn RowSource,
    settings: &Evidence,
    choice: Option<&Choice>,
    tick: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> Result<Gathered> {
    let sample = sample(all, settings.rows)?;
    let data: &TrainingData = &sample;
    let variables = data.encoding.features.len();
    let order = order_by_content(data);
    let settings = &settings.for_variables(variables);
    let work = Work { tick, stopped: AtomicBool::new(false) };
    let by_rows: Box<Judge> = match settings.source {
        Source::Focused => {
            let order = order.clone();
            Box::new(move |variable, others| focused::judge_variable(data, settings, &order, variable, others))
        }
        Source::Network => {
            let plan = network::NetworkPlan::new(data, settings, &order);
            Box::new(move |variable, others| network::judge_variable(data, settings, &plan, variable, others))
        }
        Source::Auto | Source::Residual => {
            let (judged, sufficiency, in_order) = by_residuals(data, settings, order, choice, &work)?;
            return Ok(Gathered { source: Source::Residual, variables: judged, sufficiency, in_order });
        }
    };
    let mut judged = work.map(variables, |variable| {
        let judged = by_rows(variable, &conditioning_columns(data, variable, &[]));
        work.done(1);
        judged
    })?;
    // What two variables tell alike neither tells beside the other, and both would be lost. So those that failed are
    // judged again without those that failed and tell nearly the same. Which of them is the stable one the data can't say, so
    // that all that pass are kept.
    let hidden = hidden_by_others(data, &judged);
    let again = work.map(hidden.len(), |k| {
        let (variable, without) = &hidden[k];
        let judged = by_rows(*variable, &conditioning_columns(data, *variable, without));
        (*variable, VariableEvidence { judged_without: without.clone(), ..judged })
    })?;
    again.into_iter().for_each(|(variable, evidence)| judged[variable] = evidence);
    let sufficiency = choice.map(|choice| compare(data, settings, order, &(choice.select)(&judged)));
    Ok(Gathered { source: settings.source, variables: judged, sufficiency, in_order: None })
}

/// Work that may be stopped.
struct Work<'a> {
    tick: &'a (dyn Fn() -> ControlFlow<()> + Sync),
    stopped: AtomicBool,
}

impl Work<'_> {
    /// Each part's work is its own, so that the order in which threads take them does not matter.
    fn map<T: Send>(&self, count: usize, part: impl Fn(usize) -> T + Sync + Send) -> Result<Vec<T>> {
        let parts = threads::map(count, |k| (!self.stopped.load(Ordering::Relaxed)).then(|| part(k)));
        let parts = parts.into_iter().collect::<Option<Vec<_>>>().ok_or(Error::Interrupted)?;
        if self.stopped.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(parts) }
    }

    /// So many variables are judged.
    fn done(&self, count: usize) {
        (0..count).for_each(|_| _ = self.stopped.fetch_or((self.tick)().is_break(), Ordering::Relaxed));
    }
}

fn by_residuals(
    data: &TrainingData,
    settings: &Evidence,
    order: Vec<usize>,
    choice: Option<&Choice>,
    work: &Work,
) -> Result<(Vec<VariableEvidence>, Option<Sufficiency>, Option<f64>)> {
    let rows = order.len();
    let first = rows.min(FIRST_ROWS);
    let (plan, relevant) = Plan::new(data, settings, order);
    let all = relevant.clone().unwrap_or_else(|| (0..data.columns()).collect());
    let closely = |variable: usize| {
        let mut given = conditioning_columns(data, variable, &[]);
        if let Some(relevant) = &relevant {
            let near = screen::neighbours(data, variable);
            given.retain(|column| relevant.contains(column) || near.contains(column));
        }
        race(&plan, variable, &given)
    };
    let judge_all = || {
        let looked = look_at_all(&plan, &all, first, work)?;
        // Racing: only what is not clear is judged closely.
        let others: Vec<usize> =
            (0..data.encoding.features.len()).filter(|variable| !looked.contains_key(variable)).collect();
        let judged = work.map(others.len(), |k| {
            let judged = closely(others[k]);
            work.done(1);
            (others[k], judged)
        })?;
        Ok((looked, judged))
    };
    let (judged, sets) = threads::join(judge_all, || choice.map(|choice| (Sets::new(&plan, first, &all), choice)));
    let (mut judged, others) = judged?;
    let looked: Vec<usize> = judged.keys().copied().collect();
    judged.extend(others);
    let mut judged: Vec<VariableEvidence> = judged.into_values().collect();
    let in_order = sets.as_ref().and_then(|(sets, _)| in_order(&plan.sheet.order, sets.errors_all(), data));
    let sufficiency = sets.map(|(sets, choice)| sets.complete(&mut judged, choice, &looked, &closely));
    Ok((judged, sufficiency, in_order))
}

/// How much neighbouring rows of the table have in common beyond what their columns tell: the correlation of what regressions on all columns
/// leave of one row's outcome and of the next one's, if it is there beyond chance.
fn in_order(order: &[usize], errors: &[f64], data: &TrainingData) -> Option<f64> {
    let mut rows: Vec<(usize, f64)> = order.iter().copied().zip(errors.iter().copied()).collect();
    rows.sort_unstable_by_key(|(row, _)| *row);
    let sorted = |sign: f64| rows.windows(2).all(|two| sign * data.outcome[two[0].0] <= sign * data.outcome[two[1].0]);
    // A table that was sorted by its outcome says nothing about how its rows came about; nor do groups, of which it was told.
    if rows.len() < LEAST_IN_ORDER || data.groups.is_some() || sorted(1.0) || sorted(-1.0) {
        return None;
    }
    let mean = rows.iter().map(|(_, error)| error).sum::<f64>() / rows.len() as f64;
    let squares: f64 = rows.iter().map(|(_, error)| (error - mean).powi(2)).sum();
    let products: f64 = rows.windows(2).map(|two| (two[0].1 - mean) * (two[1].1 - mean)).sum();
    let correlation = products / squares;
    // Of independent rows it is normal with variance 1 / n.
    (correlation > LEAST_CORRELATION && correlation * (rows.len() as f64).sqrt() > BEYOND_CHANCE).then_some(correlation)
}

/// Looks at all variables together: those that are clear then have no effect.
fn look_at_all(plan: &Plan, all: &[usize], first: usize, work: &Work) -> Result<BTreeMap<usize, VariableEvidence>> {
    let data = plan.data;
    let variables = data.encoding.features.len();
    let look = Look::new(plan, all, first);
    let shared = (0..variables).map(|variable| {
        let given = conditioning_columns(data, variable, &[]);
        (variable, all.iter().copied().filter(|column| given.contains(column)).collect::<Vec<_>>())
    });
    let allowed = |variable: usize, given: &[usize]| !plan.observed.contains_key(&variable) && look.allows(given);
    let shared: Vec<(usize, Vec<usize>)> = shared.filter(|(variable, given)| allowed(*variable, given)).collect();
    // A few chunks for threads to share; their size must not depend on how many there are.
    let chunks: Vec<_> = shared.chunks((shared.len() / 4).clamp(1, quick::TOGETHER)).collect();
    let looked = work.map(chunks.len(), |k| {
        let found = look.at(chunks[k]);
        let mut found: Vec<_> = chunks[k].iter().map(|(variable, _)| *variable).zip(found).collect();
        found.retain(|(_, found)| is_clear(found) && found.probability < 0.5);
        work.done(found.len());
        found
    })?;
    Ok(looked.into_iter().flatten().collect())
}

/// Judges a variable by more and more rows, until it is clear.
fn race(plan: &Plan, variable: usize, given: &[usize]) -> VariableEvidence {
    let all = plan.sheet.order.len();
    let case = plan.case(variable, given);
    for rows in RACE {
        let found = case.judge(rows.min(all), 1).0;
        // A weak effect shows in many rows only.
        let enough = found.probability > 0.5 || rows >= FIRST_ROWS.min(all);
        if (is_clear(&found) && enough) || rows == MORE_ROWS {
            return found;
        }
        if rows >= all {
            // More landmarks take bias away; where there is little evidence they change nothing.
            return if found.probability < UNLIKELY { found } else { case.judge(all, 2).0 };
        }
    }
    unreachable!("the last round returns")
}

/// Whether more rows or landmarks are not likely to change what was found.
fn is_clear(found: &VariableEvidence) -> bool {
    !DOUBT.contains(&found.probability) && found.spread <= UNSETTLED && !found.doubtful
}

/// Whether some variables are sufficient.
pub fn sufficiency(all: &dyn RowSource, settings: &Evidence, selected: &[usize]) -> Result<Sufficiency> {
    let sample = sample(all, settings.rows.min(FIRST_ROWS))?;
    let order = order_by_content(&sample);
    Ok(compare(&sample, settings, order, selected))
}

fn compare(data: &TrainingData, settings: &Evidence, order: Vec<usize>, selected: &[usize]) -> Sufficiency {
    let rows = order.len().min(FIRST_ROWS);
    let (plan, relevant) = Plan::new(data, settings, order);
    let all = relevant.unwrap_or_else(|| (0..data.columns()).collect());
    Sets::new(&plan, rows, &all).compare(selected)
}

/// Judges a variable (its position) against some encoded columns.
type Judge<'a> = dyn Fn(usize, &[usize]) -> VariableEvidence + Sync + 'a;

/// The variables that did not pass, each with those that did not pass either and correlate with it by [`REDUNDANT`] or more.
fn hidden_by_others(data: &TrainingData, judged: &[VariableEvidence]) -> Vec<(usize, Vec<usize>)> {
    let features = &data.encoding.features;
    let failed: Vec<usize> = (0..judged.len()).filter(|&variable| judged[variable].probability < 0.5).collect();
    let redundant = |a: usize, b: usize| {
        let pairs = features[a].columns.iter().flat_map(|&i| features[b].columns.iter().map(move |&j| (i, j)));
        pairs.into_iter().any(|pair| data.correlations[pair].abs() >= REDUNDANT)
    };
    let partners = |a: usize| -> Vec<usize> { failed.iter().copied().filter(|&b| b != a && redundant(a, b)).collect() };
    failed.iter().map(|&variable| (variable, partners(variable))).filter(|(_, others)| !others.is_empty()).collect()
}

/// The rows that are looked at, `most` of them, in memory. Where base weights are counts, every row stands as often as it was seen.
fn sample(all: &dyn RowSource, most: usize) -> Result<Cow<'_, TrainingData>> {
    let rows = all.frame().rows();
    let sample = match (all.memory(), sampled_rows(rows, most)) {
        (Some(data), None) => Cow::Borrowed(data),
        (None, None) => Cow::Owned(all.take(&(0..rows).collect::<Vec<_>>())?),
        (_, Some(places)) => Cow::Owned(all.take(&places)?),
    };
    if !all.frame().counts {
        return Ok(sample);
    }
    let times = |row: usize| std::iter::repeat_n(row, sample.base[row] as usize);
    let total: f64 = sample.base.iter().sum();
    if total > MOST_COUNTED {
        let told = format!("the counts of the rows sum to {total}, which are too many to be looked at one by one");
        return Err(Error::BadRequest(told));
    }
    let standing: Vec<usize> = (0..sample.rows()).flat_map(times).collect();
    let chosen = match sampled_rows(standing.len(), most) {
        Some(places) => places.into_iter().map(|place| standing[place]).collect(),
        None => standing,
    };
    Ok(Cow::Owned(sample.counted_once(&chosen)))
}

/// `most` of the rows; `None` if there are no more than that.
fn sampled_rows(rows: usize, most: usize) -> Option<Vec<usize>> {
    let most = most.max(2);
    let mut random = ChaCha8Rng::seed_from_u64(DRAW);
    (rows > most).then(|| {
        let mut places = rand::seq::index::sample(&mut random, rows, most).into_vec();
        places.sort_unstable();
        places
    })
}

/// All rows in an order that has no pattern and depends on what is in them alone: sorted by a hash of their values, to six digits.
///
/// A table with its rows in another order, or with a column in other units, gives the same evidence.
fn order_by_content(data: &TrainingData) -> Vec<usize> {
    let digits = |value: f64| (1e6 * value).round() as i64 as u64;
    let hash = |row: usize| {
        let outcome = mixed(digits(data.outcome[row]));
        data.design.row(row).iter().fold(outcome, |hash, &value| mixed(hash ^ digits(value)))
    };
    let mut order: Vec<(u64, usize)> = (0..data.rows()).map(|row| (hash(row), row)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, row)| row).collect()
}

/// The encoded columns a variable is judged against: all but its own, its near copies' and those of the variables `without`.
fn conditioning_columns(data: &TrainingData, variable: usize, without: &[usize]) -> Vec<usize> {
    let features = &data.encoding.features;
    let is_own = |column: &usize| features[variable].columns.contains(column);
    let is_copy = |column: &usize| {
        let group = data.encoding.columns[*column].feature;
        data.inseparable.iter().any(|&(a, b)| {
            (is_own(&a) && features[group].columns.contains(&b)) || (is_own(&b) && features[group].columns.contains(&a))
        })
    };
    let is_left_out = |column: &usize| without.contains(&data.encoding.columns[*column].feature);
    (0..data.columns()).filter(|column| !is_own(column) && !is_copy(column) && !is_left_out(column)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Roles;
    use crate::parameter::Positive;
    use crate::table::{Column, Table, TextValues, Values};
    use rand::RngExt;
    use rand_distr::StandardNormal;

    const SOURCES: [Source; 2] = [Source::Focused, Source::Residual];

    fn judged(data: &TrainingData, settings: Evidence) -> Vec<VariableEvidence> {
        gather(data, &settings, None, &|| ControlFlow::Continue(())).unwrap().variables
    }

    fn from(source: Source) -> Evidence {
        Evidence { source, ..Evidence::default() }
    }

    /// `y = 3 a + b^2 + noise`; `c` is a noisy copy of `a`, the text `t` is nothing.
    fn sample(rows: usize, seed: u64) -> TrainingData {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = || -> Vec<f64> { (0..rows).map(|_| random.sample(StandardNormal)).collect() };
        let (a, b, e, f, g) = (draw(), draw(), draw(), draw(), draw());
        let c: Vec<f64> = a.iter().zip(&e).map(|(a, e)| a + 0.5 * e).collect();
        let y = (0..rows).map(|k| 3.0 * a[k] + b[k].powi(2) + f[k]).collect();
        let level = |g: &f64| match *g {
            g if g > 0.5 => "high",
            g if g > -0.5 => "mid",
            _ => "low",
        };
        let text = TextValues::collect(g.iter().map(|g| Some(level(g))));
        let number = |name: &str, values: Vec<f64>| Column { name: name.into(), values: Values::Number(values.into()) };
        let text = Column { name: "t".into(), values: Values::Text(text) };
        let table = Table::new(vec![number("a", a), number("b", b), number("c", c), text, number("y", y)]).unwrap();
        TrainingData::prepare(&table, &Roles::target("y")).unwrap()
    }

    #[test]
    fn a_copy_of_a_cause_is_told_from_the_cause() {
        let data = sample(800, 1);
        for source in SOURCES {
            let evidence = judged(&data, from(source));
            assert!(evidence[0].probability > 0.99 && evidence[2].probability < 0.5, "{evidence:?}");
            let (effect, error) = (evidence[0].effect.unwrap(), evidence[0].standard_error.unwrap());
            assert!((effect - 3.0).abs() < 4.0 * error, "{effect} {error}");
            assert!(evidence[3].effect.is_none() && evidence[3].p_value > 1e-3, "{:?}", evidence[3]);
        }
    }

    #[test]
    fn without_an_effect_p_values_are_uniform() {
        // The p-values of `c` and `t` over 150 samples: their largest distance from the uniform distribution.
        for source in SOURCES {
            let settings = Evidence { landmarks: 40, ..from(source) };
            let all: Vec<[f64; 2]> = threads::map(150, |number| {
                let seed = number as u64;
                let evidence = judged(&sample(250, 100 + seed), settings);
                [evidence[2].p_value, evidence[3].p_value]
            });
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
                assert!(distance < 1.63 / count.sqrt(), "{source:?} {which}: {distance}");
            }
        }
    }

    #[test]
    fn the_evidence_is_the_same_for_any_number_of_threads() {
        let data = sample(300, 3);
        for source in SOURCES {
            let run = |count: usize| threads::with_threads(Some(count), || judged(&data, from(source))).unwrap();
            assert_eq!(run(1), run(3));
        }
    }

    #[test]
    fn near_copies_are_judged_without_each_other() {
        let mut random = ChaCha8Rng::seed_from_u64(8);
        let mut draw = || -> Vec<f64> { (0..500).map(|_| random.sample(StandardNormal)).collect() };
        let (a, noise, other, e) = (draw(), draw(), draw(), draw());
        let copy = a.iter().zip(&e).map(|(a, e)| a + 0.05 * e).collect();
        let y = a.iter().zip(&noise).map(|(a, noise)| a + noise).collect();
        let names = ["a", "copy", "other", "y"].map(String::from);
        let table = Table::from_numbers(names.into_iter().zip([a, copy, other, y])).unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        assert_eq!(data.inseparable, vec![(0, 1)]);
        for source in SOURCES {
            let evidence = judged(&data, from(source));
            assert!(evidence[0].probability > 0.99 && evidence[1].probability > 0.99, "{evidence:?}");
            assert!(evidence[2].probability < 0.5, "{evidence:?}");
        }
    }

    #[test]
    fn near_copies_whose_difference_counts_are_both_in_the_set() {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        let mut draw = || -> Vec<f64> { (0..1500).map(|_| random.sample(StandardNormal)).collect() };
        let (distance, delay, noise, e) = (draw(), draw(), draw(), draw());
        // As the time in the air and the distance flown: what counts is how much slower than usual.
        let time: Vec<f64> = distance.iter().zip(&e).map(|(distance, e)| distance + 0.1 * e).collect();
        let y = (0..1500).map(|k| delay[k] + 0.6 * distance[k] + 10.0 * (time[k] - distance[k]) + noise[k]).collect();
        let data = numbers(vec![("distance", distance), ("delay", delay), ("time", time), ("y", y)]);
        assert_eq!(data.inseparable, vec![(0, 2)]);
        let rule = crate::selection::Rule::default();
        let select = |all: &[VariableEvidence]| rule.select_by(&data, all);
        let choice = Choice { select: &select, grow: Some(0.5) };
        let found = gather(&data, &from(Source::Auto), Some(&choice), &|| ControlFlow::Continue(())).unwrap();
        assert_eq!(select(&found.variables), [0, 1, 2], "{:?}", found.variables);
        assert!(found.sufficiency.unwrap().sufficient);
    }

    #[test]
    fn a_row_limit_is_kept_and_interruption_ends_the_work() {
        let data = sample(400, 4);
        let limited = judged(&data, Evidence { rows: 150, ..from(Source::Residual) });
        assert_eq!(limited[0].effective_sample_size, 150.0);
        assert_eq!(gather(&data, &from(Source::Focused), None, &|| ControlFlow::Break(())), Err(Error::Interrupted));
    }

    /// Selects by probability and lets the set grow.
    fn completed(data: &TrainingData) -> (Vec<usize>, Gathered) {
        let select = |all: &[VariableEvidence]| (0..all.len()).filter(|&k| all[k].probability >= 0.5).collect();
        let choice = Choice { select: &select, grow: Some(0.5) };
        let found = gather(data, &from(Source::Auto), Some(&choice), &|| ControlFlow::Continue(())).unwrap();
        (select(&found.variables), found)
    }

    fn numbers(columns: Vec<(&str, Vec<f64>)>) -> TrainingData {
        let table = Table::from_numbers(columns.into_iter().map(|(name, values)| (name.to_string(), values))).unwrap();
        TrainingData::prepare(&table, &Roles::target("y")).unwrap()
    }

    #[test]
    fn of_variables_that_tell_the_same_one_is_chosen_and_the_other_named() {
        let mut random = ChaCha8Rng::seed_from_u64(12);
        let mut draw = || -> Vec<f64> { (0..1200).map(|_| random.sample(StandardNormal)).collect() };
        let (common, e, f, g, noise) = (draw(), draw(), draw(), draw(), draw());
        // Two measurements of what counts, and a variable of its own.
        let measured = |error: &[f64]| -> Vec<f64> { common.iter().zip(error).map(|(c, e)| c + 0.2 * e).collect() };
        let y = common.iter().zip(&noise).map(|(c, e)| 0.3 * c + e).collect();
        let data = numbers(vec![("a", measured(&e)), ("b", measured(&f)), ("c", g), ("y", y)]);
        assert!(data.inseparable.is_empty());
        let alone = judged(&data, from(Source::Residual));
        assert!(alone.iter().all(|variable| variable.probability < 0.5), "{alone:?}");
        let (chosen, found) = completed(&data);
        let set = found.sufficiency.unwrap();
        assert!(set.sufficient && (set.difference - (set.loss_selected - set.loss_all)).abs() < 1e-12, "{set:?}");
        let [one] = chosen[..] else { panic!("{chosen:?}") };
        assert!(one < 2 && found.variables[one].needed, "{chosen:?}");
        assert_eq!(found.variables[one].alternatives, vec![1 - one]);
        assert!(sufficiency(&data, &from(Source::Auto), &[]).unwrap().difference > 0.0);
    }

    #[test]
    fn effects_without_a_slope_are_seen() {
        let mut random = ChaCha8Rng::seed_from_u64(21);
        let mut draw = || -> Vec<f64> { (0..1000).map(|_| random.sample(StandardNormal)).collect() };
        let (a, b, c, d, noise) = (draw(), draw(), draw(), draw(), draw());
        let y = (0..1000).map(|k| a[k] * a[k] + b[k] * c[k] + noise[k]).collect();
        let found = judged(&numbers(vec![("a", a), ("b", b), ("c", c), ("d", d), ("y", y)]), from(Source::Auto));
        assert!(found[..3].iter().all(|variable| variable.probability > 0.99), "{found:?}");
        assert!(found[0].shape_p_value.unwrap() < 1e-6 && found[3].probability < 0.1, "{found:?}");
    }

    #[test]
    fn neither_the_order_of_rows_nor_units_change_the_evidence() {
        let data = sample(400, 9);
        let turned = data.subset(&(0..400).rev().collect::<Vec<_>>());
        let (first, second) = (judged(&data, from(Source::Auto)), judged(&turned, from(Source::Auto)));
        for (a, b) in first.iter().zip(&second) {
            assert!(
                (a.t - b.t).abs() < 1e-6 * (1.0 + a.t.abs()) && (a.probability - b.probability).abs() < 1e-6,
                "{a:?} {b:?}"
            );
        }
    }

    #[test]
    fn with_many_columns_p_values_are_uniform_and_effects_are_found() {
        // 60 columns and 240 rows, of which the first column counts.
        let values: Vec<Vec<f64>> = threads::map(12, |number| {
            let mut random = ChaCha8Rng::seed_from_u64(300 + number as u64);
            let mut draw = || -> Vec<f64> { (0..240).map(|_| random.sample(StandardNormal)).collect() };
            let columns: Vec<Vec<f64>> = (0..60).map(|_| draw()).collect();
            let noise = draw();
            let y: Vec<f64> = columns[0].iter().zip(&noise).map(|(x, e)| 0.6 * x + e).collect();
            let named = columns.into_iter().enumerate().map(|(k, column)| (format!("x{k}"), column));
            let table = Table::from_numbers(named.chain([("y".to_string(), y)])).unwrap();
            let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
            let found = judged(&data, from(Source::Auto));
            assert!(found[0].probability > 0.5, "{:?}", found[0]);
            found[1..].iter().map(|variable| variable.p_value).collect()
        });
        let values: Vec<f64> = values.concat();
        let share = values.iter().filter(|p| **p < 0.05).count() as f64 / values.len() as f64;
        assert!((0.02..0.09).contains(&share), "{share}");
    }

    #[test]
    fn tables_of_a_few_rows_and_values_are_judged_without_a_panic() {
        for rows in [5, 8, 12, 20] {
            let values = |period: usize| (0..rows).map(|k| (k % period) as f64).collect::<Vec<f64>>();
            let data = numbers(vec![("a", values(2)), ("b", values(3)), ("y", values(4))]);
            let (_, found) = completed(&data);
            assert!(found.variables.iter().all(|v| (0.0..=1.0).contains(&v.probability) && v.p_value >= 0.0), "{rows}");
            assert!(found.sufficiency.unwrap().loss_all >= 0.0);
        }
    }

    #[test]
    fn of_very_many_columns_those_that_count_are_found() {
        let mut random = ChaCha8Rng::seed_from_u64(31);
        let mut draw = || -> Vec<f64> { (0..600).map(|_| random.sample(StandardNormal)).collect() };
        let columns: Vec<Vec<f64>> = (0..200).map(|_| draw()).collect();
        let noise = draw();
        let y: Vec<f64> = (0..600).map(|k| columns[7][k] - columns[90][k].powi(2) + noise[k]).collect();
        let named = columns.into_iter().enumerate().map(|(k, column)| (format!("x{k}"), column));
        let table = Table::from_numbers(named.chain([("y".to_string(), y)])).unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        let found = judged(&data, Evidence { landmarks: 60, ..from(Source::Auto) });
        let chosen: Vec<usize> = (0..200).filter(|&k| found[k].probability >= 0.5).collect();
        assert!(chosen.contains(&7) && chosen.contains(&90) && chosen.len() <= 3, "{chosen:?}");
    }

    #[test]
    fn a_few_extreme_outcomes_and_values_hide_no_effect() {
        let mut random = ChaCha8Rng::seed_from_u64(15);
        let mut draw = || -> Vec<f64> { (0..1000).map(|_| random.sample(StandardNormal)).collect() };
        let (a, b, mut c, noise) = (draw(), draw(), draw(), draw());
        let mut y: Vec<f64> = (0..1000).map(|k| a[k] + 0.3 * b[k] + noise[k]).collect();
        // One row in a hundred is far from all others in the outcome, another one in a variable that is nothing.
        (0..1000).step_by(100).for_each(|k| (y[k], c[k + 50]) = (60.0 + 30.0 * noise[k], 300.0 * c[k + 50]));
        let names = ["a", "b", "c", "y"].map(String::from);
        let table = Table::from_numbers(names.into_iter().zip([a, b, c, y])).unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        let robust = judged(&data, from(Source::Residual));
        assert!(robust[0].probability > 0.99 && robust[1].probability > 0.99, "{robust:?}");
        assert!(robust[2].probability < 0.5, "{robust:?}");
        let all_count = Evidence { outlier_limit: Positive::constant(1e9), ..from(Source::Residual) };
        assert!(judged(&data, all_count)[1].t.abs() < 0.6 * robust[1].t.abs());
    }

    #[test]
    fn a_text_variable_of_many_levels_passes_on_its_p_value() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let levels: Vec<usize> = (0..3000).map(|_| random.random_range(0..12)).collect();
        let y =
            levels.iter().map(|&level| 0.12 * (level % 4) as f64 + random.sample::<f64, _>(StandardNormal)).collect();
        let x = (0..3000).map(|_| random.sample(StandardNormal)).collect();
        let names: Vec<String> = levels.iter().map(|level| format!("level {level}")).collect();
        let text = TextValues::collect(names.iter().map(|name| Some(name.as_str())));
        let number = |name: &str, values: Vec<f64>| Column { name: name.into(), values: Values::Number(values.into()) };
        let text = Column { name: "t".into(), values: Values::Text(text) };
        let table = Table::new(vec![text, number("x", x), number("y", y)]).unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        let found = judged(&data, from(Source::Residual));
        assert!(found[0].p_value < 1e-4 && found[0].probability > 0.5, "{found:?}");
        assert!(found[1].probability < 0.5);
    }
}
