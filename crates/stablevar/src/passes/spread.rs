//! How residuals and weights are spread.

use super::{Chunk, Pass, RowSource, Weighting};
use crate::error::Result;
use crate::linalg::dot;
use std::ops::Range;

/// Bins between the bounds.
pub const BINS: usize = 4096;
/// Ranges looked at for a median, at most; four times as wide each, they span all sizes that matter.
const MOST_ROUNDS: usize = 60;
/// How many of the greatest weights are named.
pub const NAMED: usize = 10;

pub(super) fn add_residuals(
    chunk: Chunk,
    weighting: &Weighting,
    coefficients: &[f64],
    bounds: Range<f64>,
    sums: &mut [f64],
) {
    let per_unit = BINS as f64 / (bounds.end - bounds.start);
    weighting.for_each_tile(chunk, |tile, weights, _| {
        for ((row, weight), (base, target)) in tile.rows().zip(weights.iter()).zip(tile.base.iter().zip(tile.outcome)) {
            let size = (target - dot(row, coefficients)).abs();
            // The first bin holds what lies below, the last what lies above.
            let bin = ((size - bounds.start) * per_unit).floor().clamp(-1.0, BINS as f64) + 1.0;
            sums[bin as usize] += weight * base;
        }
    });
}

/// The size that half of the residuals' weight does not exceed; `guess` is about that.
pub(crate) fn median_residual(
    data: &dyn RowSource,
    weighting: &Weighting,
    coefficients: &[f64],
    guess: f64,
) -> Result<f64> {
    let (mut low, mut high) = (0.9 * guess, 1.1 * guess);
    for _ in 0..MOST_ROUNDS {
        let pass = Pass::Residuals { weighting: weighting.clone(), coefficients: coefficients.to_vec(), low, high };
        let (sums, _) = pass.over(data, coefficients.len())?;
        let half = 0.5 * sums.iter().sum::<f64>();
        if sums[0] >= half {
            if low < f64::MIN_POSITIVE {
                return Ok(0.0);
            }
            // Below the bins; if need be as far as 0.
            (low, high) = (if low < 1e-6 * guess { 0.0 } else { 0.25 * low }, low);
        } else if half > sums[..=BINS].iter().sum() {
            (low, high) = (high, 4.0 * high);
        } else {
            return Ok(crossing(&sums[1..=BINS], half - sums[0], low, (high - low) / BINS as f64));
        }
    }
    // Only residuals that are no finite numbers get here.
    Ok(0.0)
}

/// Where the sum over equal bins reaches `wanted`, as if every bin's weight were spread evenly.
fn crossing(bins: &[f64], wanted: f64, start: f64, width: f64) -> f64 {
    let mut sum = 0.0;
    for (k, weight) in bins.iter().enumerate() {
        if sum + weight >= wanted && *weight > 0.0 {
            return start + width * (k as f64 + (wanted - sum) / weight);
        }
        sum += weight;
    }
    start + width * bins.len() as f64
}

/// The ends of the weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Extremes {
    /// The least.
    pub least: f64,
    /// The greatest with their places, greatest first, at most [`NAMED`].
    pub greatest: Vec<(f64, usize)>,
}

impl Extremes {
    pub(super) const NONE: Self = Self { least: f64::INFINITY, greatest: Vec::new() };

    pub(super) fn read(values: &[f64]) -> Self {
        let pairs = values[1..].chunks_exact(2).filter(|pair| pair[0] >= 0.0);
        Self { least: values[0], greatest: pairs.map(|pair| (pair[0], pair[1] as usize)).collect() }
    }

    pub(super) fn write(&self, values: &mut [f64]) {
        values[0] = self.least;
        values[1..].fill(-1.0);
        for (pair, (weight, place)) in values[1..].chunks_exact_mut(2).zip(&self.greatest) {
            (pair[0], pair[1]) = (*weight, *place as f64);
        }
    }

    pub(super) fn merge(mut self, other: Self) -> Self {
        self.greatest.extend(other.greatest);
        self.greatest.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.greatest.truncate(NAMED);
        Self { least: self.least.min(other.least), greatest: self.greatest }
    }

    /// One pass.
    pub(crate) fn of(data: &dyn RowSource, weighting: &Weighting) -> Result<Self> {
        let pass = Pass::Extremes { weighting: weighting.clone() };
        Ok(Self::read(&pass.over(data, 0)?.0))
    }
}

pub(super) fn add_extremes(chunk: Chunk, weighting: &Weighting, sums: &mut [f64]) {
    let mut found = Extremes::read(sums);
    weighting.for_each_tile(chunk, |tile, weights, _| {
        found.least = weights.iter().copied().fold(found.least, f64::min);
        let bar = if found.greatest.len() < NAMED { -1.0 } else { found.greatest[NAMED - 1].0 };
        let high = weights.iter().zip(tile.first..).filter(|(weight, _)| **weight > bar);
        let high = Extremes { least: f64::INFINITY, greatest: high.map(|(weight, place)| (*weight, place)).collect() };
        if !high.greatest.is_empty() {
            let before = std::mem::replace(&mut found, Extremes::NONE);
            found = before.merge(high);
        }
    });
    found.write(sums);
}

pub(super) fn add_spread(chunk: Chunk, weighting: &Weighting, high: f64, sums: &mut [f64]) {
    let bins = sums.len() / 2 - 1;
    let (counts, weight_sums) = sums.split_at_mut(bins + 1);
    let per_unit = bins as f64 / high;
    weighting.for_each_tile(chunk, |_, weights, _| {
        for weight in weights.iter() {
            let bin = ((weight * per_unit) as usize).min(bins);
            counts[bin] += 1.0;
            weight_sums[bin] += weight;
        }
    });
}

/// Rows and weight in equal bins from 0 to `high`, and above.
pub(crate) fn spread(
    data: &dyn RowSource,
    weighting: &Weighting,
    high: f64,
    bins: usize,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let pass = Pass::Spread { weighting: weighting.clone(), high, bins };
    let (mut counts, _) = pass.over(data, 0)?;
    let sums = counts.split_off(bins + 1);
    Ok((counts, sums))
}
