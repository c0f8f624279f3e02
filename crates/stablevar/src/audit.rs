//! Is the table what it seems? Columns that know the outcome too well, and rows that stand there several times.

use crate::design::{Feature, Task, TrainingData};
use crate::error::Result;
use crate::finding::{Code, Finding};
use crate::functions::mixed;
use crate::passes::RowSource;
use std::collections::HashMap;

/// Rows that are looked at, the first and then every so many.
const MOST_ROWS: usize = 20_000;
/// Rows with a value below which a column is not looked at.
const LEAST_ROWS: usize = 20;
/// A column that explains this share of a number's variation by itself is implausibly strong.
const STRONG: f64 = 0.98;
/// The same for two classes.
const STRONG_FOR_CLASSES: f64 = 0.95;
/// The share of the rows that repeat another from which it is told.
const REPEATED: f64 = 0.05;
/// A column with this share of the distinct rows' number of values seldom has one twice by chance.
const SELDOM_TWICE: f64 = 0.5;

/// What is suspicious about the training rows.
pub(crate) fn audit(all: &dyn RowSource) -> Result<Vec<Finding>> {
    let rows = all.frame().rows();
    let step = rows.div_ceil(MOST_ROWS).max(1);
    let taken = match all.memory() {
        Some(_) if step == 1 => None,
        _ => Some(all.take(&(0..rows).step_by(step).collect::<Vec<_>>())?),
    };
    let Some(data) = taken.as_ref().or(all.memory()) else { return Ok(Vec::new()) };
    let mut found: Vec<Finding> = leaks(data);
    // Every so many rows would seldom include both of two equal ones.
    found.extend(repeated_rows(data).filter(|_| step == 1));
    Ok(found)
}

/// Columns that may hold the outcome.
fn leaks(data: &TrainingData) -> Vec<Finding> {
    let ranks = ranks(&data.outcome);
    let told = |code: Code, feature: &Feature| Finding::new(code).about([&feature.name, &data.target.name]);
    let limit = match data.target.task() {
        Task::Regression => STRONG,
        Task::Classification => STRONG_FOR_CLASSES,
    };
    let of = |feature: &Feature| {
        let keys = keys(data, feature);
        if keys.len() < LEAST_ROWS {
            return None;
        }
        if is_copy(&keys, data) {
            return Some(told(Code::TargetCopy, feature));
        }
        let strength = strength(&keys, &ranks, feature.columns.len() == 1)?;
        (strength >= limit).then(|| told(Code::ImplausiblyStrong, feature).with("percent", 100.0 * strength))
    };
    data.encoding.features.iter().filter_map(of).collect()
}

/// Per row that has a value of a variable: the row, the value (of a text a mark of its level), ordered by the value. Rows of one value are
/// in an order without a pattern.
fn keys(data: &TrainingData, feature: &Feature) -> Vec<(usize, f64)> {
    let value = |row: usize| match feature.columns[..] {
        [column] => data.design[(row, column + 1)],
        _ => {
            let marked = feature.columns.iter().position(|&column| data.design[(row, column + 1)] > 0.0);
            marked.map_or(0.0, |position| 1.0 + position as f64)
        }
    };
    let mut keys: Vec<(usize, f64)> = (0..data.rows()).map(|row| (row, value(row))).collect();
    if feature.missing > 0.0 {
        // What was filled in stands at the mean.
        keys.retain(|(_, value)| *value != 0.0);
    }
    keys.sort_by(|a, b| a.1.total_cmp(&b.1).then(mixed(a.0 as u64).cmp(&mixed(b.0 as u64))));
    keys
}

/// Whether every value of a variable goes with one value of the outcome and the other way round, in a way that chance does not make: in order,
/// or though values occur several times.
fn is_copy(keys: &[(usize, f64)], data: &TrainingData) -> bool {
    let mut outcomes: HashMap<u64, f64> = HashMap::new();
    let mut values: HashMap<u64, f64> = HashMap::new();
    let bits = |value: f64| (value + 0.0).to_bits();
    for &(row, value) in keys {
        let outcome = data.outcome[row];
        if *outcomes.entry(bits(value)).or_insert(outcome) != outcome
            || *values.entry(bits(outcome)).or_insert(value) != value
        {
            return false;
        }
    }
    let rising =
        |sign: f64| keys.windows(2).all(|pair| sign * data.outcome[pair[0].0] <= sign * data.outcome[pair[1].0]);
    values.len() > 1 && (2 * values.len() <= keys.len() || rising(1.0) || rising(-1.0))
}

/// The share of the variation of an outcome that any function of a variable explains: neighbours in the variable differ by noise
/// alone (Rice, 1984). `ordered` says whether different values can be neighbours.
fn strength(keys: &[(usize, f64)], ranks: &[f64], ordered: bool) -> Option<f64> {
    let count = keys.len() as f64;
    let mean = keys.iter().map(|(row, _)| ranks[*row]).sum::<f64>() / count;
    let variance = keys.iter().map(|(row, _)| (ranks[*row] - mean).powi(2)).sum::<f64>() / count;
    let pairs = keys.windows(2).filter(|pair| ordered || pair[0].1 == pair[1].1);
    let (mut steps, mut noise) = (0usize, 0.0);
    for pair in pairs {
        steps += 1;
        noise += 0.5 * (ranks[pair[1].0] - ranks[pair[0].0]).powi(2);
    }
    (steps >= LEAST_ROWS / 2 && variance > 0.0).then(|| 1.0 - noise / steps as f64 / variance)
}

/// Ranks; equal values share the middle of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let middle = before as f64 + 0.5 * (equal.len() - 1) as f64;
        equal.iter().for_each(|&row| ranks[row] = middle);
        before += equal.len();
    }
    ranks
}

/// Rows that repeat others, where chance would not make them equal: some column, or the outcome, has nearly as many values as there are
/// different rows.
fn repeated_rows(data: &TrainingData) -> Option<Finding> {
    let bits = |value: f64| (value + 0.0).to_bits();
    let row_hash = |row: usize| {
        data.design.row(row).iter().fold(mixed(bits(data.outcome[row])), |hash, &value| mixed(hash ^ bits(value)))
    };
    let distinct = |hashes: &mut dyn Iterator<Item = u64>| {
        let mut all: Vec<u64> = hashes.collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    };
    let rows = data.rows();
    let different = distinct(&mut (0..rows).map(row_hash));
    if ((rows - different) as f64) < REPEATED * rows as f64 {
        return None;
    }
    let values_of = |column: usize| distinct(&mut (0..rows).map(|row| bits(data.design[(row, column + 1)])));
    let outcomes = distinct(&mut data.outcome.iter().map(|&value| bits(value)));
    let most = (0..data.columns()).map(values_of).fold(outcomes, usize::max);
    (most as f64 >= SELDOM_TWICE * different as f64 && most > 2)
        .then(|| Finding::new(Code::RepeatedRows).with("rows", rows as f64).with("different", different as f64))
}
