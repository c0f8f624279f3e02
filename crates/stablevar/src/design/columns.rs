//! What one look at the columns of a table finds: holes in them, their means and spreads.
//!
//! Rows are read in tiles, all columns of a tile before the next, so that a matrix kept row by row is read once and not
//! once per column. What is found in parts of a column can be merged.

use crate::error::{Error, Result};
use crate::rows::{TILE, map_blocks};
use crate::table::{Column, Values};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Rows looked at together: enough to make merging cheap, few enough to stay in the cache.
const LOOK: usize = 4 * TILE;

/// Mean and spread of a column, or of a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Moments {
    /// Base weight of the rows that have a value.
    pub(super) weight: f64,
    low: f64,
    high: f64,
    mean: f64,
    /// Standard deviation. Kept instead of its square, which values beyond 1e154 overflow.
    deviation: f64,
}

impl Moments {
    pub(super) const NONE: Self =
        Self { weight: 0.0, low: f64::INFINITY, high: f64::NEG_INFINITY, mean: 0.0, deviation: 0.0 };

    /// Of the values that are not missing.
    pub(super) fn of(values: &[f64], base: &[f64]) -> Self {
        let parts = values.chunks(LOOK).zip(base.chunks(LOOK));
        parts.map(|(values, base)| Self::of_few(values, base)).fold(Self::NONE, Self::merge)
    }

    fn of_few(values: &[f64], base: &[f64]) -> Self {
        let used = || values.iter().zip(base).filter(|(value, _)| !value.is_nan());
        let (low, high) = used()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (value, _)| (low.min(*value), high.max(*value)));
        let weight: f64 = used().map(|(_, weight)| weight).sum();
        if weight <= 0.0 {
            return Self::NONE;
        }
        let middle = low / 2.0 + high / 2.0;
        let reach = high / 2.0 - low / 2.0;
        if reach == 0.0 {
            return Self { weight, low, high, mean: middle, deviation: 0.0 };
        }
        // On the scale from -1 to 1, where nothing overflows.
        let mean = used().map(|(value, weight)| weight * ((value - middle) / reach)).sum::<f64>() / weight;
        let square =
            used().map(|(value, weight)| weight * ((value - middle) / reach - mean).powi(2)).sum::<f64>() / weight;
        Self { weight, low, high, mean: middle + reach * mean, deviation: reach * square.sqrt() }
    }

    /// Both parts together.
    pub(super) fn merge(self, other: Self) -> Self {
        if self.weight == 0.0 {
            return other;
        }
        if other.weight == 0.0 {
            return self;
        }
        let weight = self.weight + other.weight;
        let (own, others) = (self.weight / weight, other.weight / weight);
        let halfway = other.mean / 2.0 - self.mean / 2.0;
        let within = (self.deviation * own.sqrt()).hypot(other.deviation * others.sqrt());
        Self {
            weight,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            mean: own * self.mean + others * other.mean,
            deviation: within.hypot(2.0 * (own * others).sqrt() * halfway),
        }
    }

    /// Mean and standard deviation when the mean stands for what is missing of `total`; `None` if constant.
    pub(super) fn mean_and_scale(&self, total: f64) -> Option<(f64, f64)> {
        let middle = self.low / 2.0 + self.high / 2.0;
        let reach = self.high / 2.0 - self.low / 2.0;
        // Values that differ only in their last digits are rounding, not information.
        let varies = self.weight > 0.0 && reach > 1e-13 * middle.abs();
        varies.then(|| (self.mean, self.deviation * (self.weight / total).sqrt()))
    }
}

/// Mean and spread of every column of numbers or true/false; text has none.
pub(super) fn moments(columns: &[&Column], base: &[f64]) -> Vec<Moments> {
    let mut total = vec![Moments::NONE; columns.len()];
    let parts = map_blocks(base.len(), |block| {
        let mut total = vec![Moments::NONE; columns.len()];
        let mut values = Vec::with_capacity(LOOK);
        for few in looks(block) {
            for (column, total) in columns.iter().zip(&mut total) {
                values.clear();
                match &column.values {
                    Values::Number(numbers) => values.extend(few.clone().map(|row| numbers[row])),
                    Values::Boolean(flags) => {
                        values.extend(flags[few.clone()].iter().map(|flag| flag.map_or(f64::NAN, f64::from)));
                    }
                    Values::Text(_) => continue,
                }
                *total = total.merge(Moments::of_few(&values, &base[few.clone()]));
            }
        }
        total
    });
    for part in parts {
        total.iter_mut().zip(part).for_each(|(sum, part)| *sum = sum.merge(part));
    }
    total
}

/// The rows that have a value in each of the first `needed` columns; infinite values are refused in all. The table's first
/// row is number `first` for messages.
pub(super) fn complete_rows(columns: &[&Column], needed: usize, rows: usize, first: usize) -> Result<Vec<usize>> {
    let parts = map_blocks(rows, |block| {
        let mut complete = Vec::with_capacity(block.len());
        let mut infinite = vec![None; columns.len()];
        for few in looks(block) {
            let mut whole = [true; LOOK];
            for (k, (column, infinite)) in columns.iter().zip(&mut infinite).enumerate() {
                for (row, whole) in few.clone().zip(&mut whole) {
                    let missing = match &column.values {
                        Values::Number(numbers) => {
                            if numbers[row].is_infinite() && infinite.is_none() {
                                *infinite = Some(row);
                            }
                            numbers[row].is_nan()
                        }
                        other => other.is_missing(row),
                    };
                    *whole &= !missing || k >= needed;
                }
            }
            complete.extend(few.zip(whole).filter_map(|(row, whole)| whole.then_some(row)));
        }
        (complete, infinite)
    });
    for (k, column) in columns.iter().enumerate() {
        if let Some(row) = parts.iter().find_map(|(_, infinite)| infinite[k]) {
            return Err(not_finite(column, row, first));
        }
    }
    let mut complete = Vec::with_capacity(rows);
    parts.into_iter().for_each(|(part, _)| complete.extend(part));
    Ok(complete)
}

/// The error that shows an infinite value.
pub(super) fn not_finite(column: &Column, row: usize, first: usize) -> Error {
    let value = match &column.values {
        Values::Number(numbers) => numbers[row],
        Values::Boolean(_) | Values::Text(_) => f64::NAN,
    };
    Error::NotFinite { column: column.name.clone(), row: first + row + 1, value }
}

fn looks(block: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    block.clone().step_by(LOOK).map(move |start| start..(start + LOOK).min(block.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_merge_into_the_whole() {
        let values: Vec<f64> = (0..2000).map(|i| 1e6 + ((i * i) % 97) as f64).collect();
        let base: Vec<f64> = (0..2000).map(|i| f64::from(1 + i % 3)).collect();
        let total: f64 = base.iter().sum();
        let mean = values.iter().zip(&base).map(|(v, b)| v * b).sum::<f64>() / total;
        let variance = values.iter().zip(&base).map(|(v, b)| b * (v - mean).powi(2)).sum::<f64>() / total;
        let (found, scale) = Moments::of(&values, &base).mean_and_scale(total).unwrap();
        assert!(
            (found - mean).abs() < 1e-9 * mean && (scale - variance.sqrt()).abs() < 1e-9 * scale,
            "{found} {scale}"
        );
        let in_parts = Moments::of(&values[..7], &base[..7]).merge(Moments::of(&values[7..], &base[7..]));
        let (apart, scale_apart) = in_parts.mean_and_scale(total).unwrap();
        assert!((apart - found).abs() < 1e-12 * mean && (scale_apart - scale).abs() < 1e-12 * scale);
    }

    #[test]
    fn a_missing_value_counts_as_the_mean() {
        let values = [1.0, f64::NAN, 3.0, 5.0];
        let (mean, scale) = Moments::of(&values, &[1.0; 4]).mean_and_scale(4.0).unwrap();
        assert_eq!(mean, 3.0);
        assert!((scale - 2f64.sqrt()).abs() < 1e-15);
        assert_eq!(Moments::of(&[f64::NAN; 3], &[1.0; 3]).mean_and_scale(3.0), None);
        assert_eq!(Moments::of(&[0.1 + 0.2, 0.3, 0.3], &[1.0; 3]).mean_and_scale(3.0), None);
    }
}
