//! Means and spreads of a table's columns, from one look at them.
//!
//! Rows are read in tiles, all columns of a tile before the next, so that a matrix kept row by row is read once and not
//! once per column. What is found in parts of a column can be merged.

use super::twofold::{Twofold, two_product, two_sum};
use crate::rows::{WIDE_TILE, map_blocks, wide_tiles};
use crate::table::{Column, Values};
use serde::{Deserialize, Serialize};

/// Mean and spread of a column, or of a part of it.
///
/// Sums are kept in twice the usual precision, so that the order of rows, and how they were cut into parts, does not show in
/// the mean and the spread to their last digit: what is computed from rows so standardised can't depend on it either.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Moments {
    /// Base weight of the rows that have a value.
    weight: Twofold,
    low: Option<f64>,
    high: Option<f64>,
    /// Values are summed in units of two to this power, so that squares do not overflow.
    exponent: i32,
    sum: Twofold,
    squares: Twofold,
}

impl Moments {
    pub(super) const NONE: Self = Self {
        weight: Twofold::ZERO,
        low: None,
        high: None,
        exponent: i32::MIN,
        sum: Twofold::ZERO,
        squares: Twofold::ZERO,
    };

    /// Of the values that are not missing.
    pub(super) fn of(values: &[f64], base: &[f64]) -> Self {
        let parts = values.chunks(WIDE_TILE).zip(base.chunks(WIDE_TILE));
        parts.map(|(values, base)| Self::of_few(values, base)).fold(Self::NONE, Self::merge)
    }

    fn of_few(values: &[f64], base: &[f64]) -> Self {
        if let Some(moments) = Self::of_plain(values, base) {
            return moments;
        }
        let used = || values.iter().zip(base).filter(|(value, weight)| !value.is_nan() && **weight > 0.0);
        let (low, high) = used()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (value, _)| (low.min(*value), high.max(*value)));
        if low > high {
            return Self::NONE;
        }
        let exponent = exponent(low.abs().max(high.abs()));
        let unit = power_of_two(-exponent);
        let (mut weight, mut sum, mut squares) = (Twofold::ZERO, Twofold::ZERO, Twofold::ZERO);
        for (value, base) in used() {
            let value = value * unit.0 * unit.1;
            weight.add(*base);
            let (product, rest) = two_product(*base, value);
            sum.add(product);
            sum.low += rest;
            let (square, least) = two_product(product, value);
            squares.add(square);
            squares.low += least + rest * value;
        }
        Self { weight, low: Some(low), high: Some(high), exponent, sum, squares }
    }

    /// The same where no value is missing and no row has a weight of its own, as in most tables.
    fn of_plain(values: &[f64], base: &[f64]) -> Option<Self> {
        let (mut low, mut high, mut whole) = (f64::INFINITY, f64::NEG_INFINITY, !values.is_empty());
        for (&value, &weight) in values.iter().zip(base) {
            low = if value < low { value } else { low };
            high = if value > high { value } else { high };
            whole &= !value.is_nan() && weight == 1.0;
        }
        if !whole {
            return None;
        }
        let exponent = exponent(low.abs().max(high.abs()));
        let unit = power_of_two(-exponent);
        let mut lanes = [[0.0; LANES]; 4];
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || add_in_lanes(values, unit, &mut lanes),
        );
        let [sums, sums_low, squares, squares_low] = lanes;
        let total = |high: [f64; LANES], low: [f64; LANES]| {
            let mut total = Twofold::ZERO;
            high.into_iter().zip(low).for_each(|(high, low)| total.merge(Twofold { high, low }));
            total
        };
        Some(Self {
            weight: Twofold { high: values.len() as f64, low: 0.0 },
            low: Some(low),
            high: Some(high),
            exponent,
            sum: total(sums, sums_low),
            squares: total(squares, squares_low),
        })
    }

    /// Both parts together.
    pub(super) fn merge(self, other: Self) -> Self {
        if self.low.is_none() {
            return other;
        }
        if other.low.is_none() {
            return self;
        }
        let exponent = self.exponent.max(other.exponent);
        let (mut total, more) = (self.in_units(exponent), other.in_units(exponent));
        total.weight.merge(more.weight);
        total.sum.merge(more.sum);
        total.squares.merge(more.squares);
        total.low = total.low.zip(more.low).map(|(a, b)| a.min(b));
        total.high = total.high.zip(more.high).map(|(a, b)| a.max(b));
        total
    }

    fn in_units(mut self, exponent: i32) -> Self {
        if exponent != self.exponent {
            let factor = power_of_two(self.exponent - exponent);
            for _ in 0..2 {
                self.squares.scale(factor);
            }
            self.sum.scale(factor);
            self.exponent = exponent;
        }
        self
    }

    /// Whether no row has a value.
    pub(super) fn is_empty(&self) -> bool {
        self.low.is_none()
    }

    /// Base weight of the rows that have a value.
    pub(super) fn weight(&self) -> f64 {
        self.weight.value()
    }

    /// The least and the greatest value.
    pub(super) fn range(&self) -> Option<(f64, f64)> {
        self.low.zip(self.high)
    }

    /// The mean of the values there are.
    pub(super) fn mean(&self) -> f64 {
        let unit = power_of_two(self.exponent);
        self.sum.over(self.weight.value()).value() * unit.0 * unit.1
    }

    /// Mean and standard deviation when the mean stands for what is missing of `total`; `None` if constant.
    pub(super) fn mean_and_scale(&self, total: f64) -> Option<(f64, f64)> {
        let (low, high) = self.low.zip(self.high)?;
        let middle = low / 2.0 + high / 2.0;
        let reach = high / 2.0 - low / 2.0;
        // Values that differ only in their last digit or two are rounding, not information.
        if reach <= 1e-15 * middle.abs() {
            return None;
        }
        let weight = self.weight.value();
        let mean = self.sum.over(weight);
        let variance = self.squares.over(weight).minus_square_of(mean).value().max(0.0);
        let scale = (variance * (weight / total)).sqrt();
        // What is far below the spread is left over from sums that should be 0.
        let grid = 2f64.powi(exponent(scale) - 50);
        let mean = mean.value();
        let mean = if grid > 0.0 && mean.abs() / grid < 1e15 { (mean / grid).round() * grid } else { mean };
        let unit = power_of_two(self.exponent);
        (scale > 0.0).then_some((mean * unit.0 * unit.1, scale * unit.0 * unit.1))
    }
}

/// Sums kept side by side, so that one need not wait for the one before.
const LANES: usize = 8;

/// Adds values and their squares to sums in twice the usual precision.
#[inline(always)]
fn add_in_lanes(values: &[f64], unit: (f64, f64), lanes: &mut [[f64; LANES]; 4]) {
    let [sums, sums_low, squares, squares_low] = lanes;
    for few in values.chunks(LANES) {
        // What the last chunk lacks adds nothing.
        let mut value = [0.0; LANES];
        value[..few.len()].copy_from_slice(few);
        for k in 0..LANES {
            let x = value[k] * unit.0 * unit.1;
            let (sum, rest) = two_sum(sums[k], x);
            (sums[k], sums_low[k]) = (sum, sums_low[k] + rest);
            let (square, least) = two_product(x, x);
            let (sum, rest) = two_sum(squares[k], square);
            (squares[k], squares_low[k]) = (sum, squares_low[k] + (rest + least));
        }
    }
}

/// The exponent of the power of two next below a positive number; that of 1 for 0.
fn exponent(value: f64) -> i32 {
    if value > 0.0 { value.log2().floor() as i32 } else { 0 }
}

/// A power of two as a product of two, neither of which overflows.
fn power_of_two(exponent: i32) -> (f64, f64) {
    let half = exponent / 2;
    (2f64.powi(half), 2f64.powi(exponent - half))
}

/// Mean and spread of every column of numbers or true/false; text has none.
pub(super) fn moments(columns: &[&Column], base: &[f64]) -> Vec<Moments> {
    let mut total = vec![Moments::NONE; columns.len()];
    let parts = map_blocks(base.len(), |block| {
        let mut total = vec![Moments::NONE; columns.len()];
        let mut values = Vec::with_capacity(WIDE_TILE);
        for few in wide_tiles(block) {
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
    fn the_order_of_rows_and_how_they_are_cut_does_not_show() {
        let value = |i: usize| 1e6 + ((i * 7919 + i * i * 31) % 104_729) as f64 / 3.0;
        let values: Vec<f64> = (0..30_000).map(value).collect();
        let turned: Vec<f64> = values.iter().rev().copied().collect();
        for base in [vec![1.0; 30_000], (0..30_000).map(|i| 0.1 * f64::from(1 + i % 7)).collect::<Vec<f64>>()] {
            let total = Twofold::sum(base.iter()).value();
            let known = Moments::of(&values, &base).mean_and_scale(total);
            let base_turned: Vec<f64> = base.iter().rev().copied().collect();
            assert_eq!(Moments::of(&turned, &base_turned).mean_and_scale(total), known);
            for step in [1, 77, 4096] {
                let parts = values.chunks(step).zip(base.chunks(step)).map(|(v, b)| Moments::of(v, b));
                assert_eq!(parts.fold(Moments::NONE, Moments::merge).mean_and_scale(total), known, "{step}");
            }
        }
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
