//! How weights are spread over the rows: what is worth keeping of them once the rows are gone.

use super::SampleWeights;
use crate::error::Result;
use crate::passes::{Extremes, NAMED, RowSource, spread};
use serde::{Deserialize, Serialize};

/// Bins of the histogram, but for the one that holds all above.
const BINS: usize = 30;
/// The share of the rows that the bins cover.
const COVERED: f64 = 0.99;
/// Equal bins between 0 and the largest weight, within which weights count as spread evenly.
const FINE_BINS: usize = 16_384;
/// The shares at which quantiles are kept.
const SHARES: [f64; 7] = [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0];

/// How weights are spread. They have mean 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WeightProfile {
    /// The width of a bin of the histogram, which begins at 0.
    pub bin_width: f64,
    /// Rows in every bin; the last holds all that lie above the others.
    pub counts: Vec<usize>,
    /// (share of the rows, weight that it does not exceed).
    pub quantiles: Vec<(f64, f64)>,
    /// The smallest share of the rows that holds half of all weight.
    pub half_of_the_weight: f64,
    /// (row of the table counted from 0, weight) of the largest weights, largest first.
    pub largest: Vec<(usize, f64)>,
    /// Rows by the size of their weight; older files have none.
    #[serde(default)]
    pub by_size: Option<BySize>,
}

/// Rows by the size of their weight, on a scale of factors: most weights may be near 0 and a few far above 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BySize {
    /// Rows of weight 0, or of so little that it is next to nothing (below 1/16,000 of the largest).
    pub without_weight: usize,
    /// The lower end of the first bin, 1/1024 of the largest weight; each bin reaches to the root of 2 times its lower end.
    pub from: f64,
    /// Rows below the first bin, those without weight among them, then in every bin.
    pub counts: Vec<usize>,
}

/// Bins by size, two for every factor of 2.
const SIZES: usize = 20;

impl BySize {
    /// From counts in equal bins of this width, the last of which ends at the largest weight.
    fn new(counts: &[f64], width: f64) -> Self {
        let from = width * counts.len() as f64 / 2f64.powi(SIZES as i32 / 2);
        let mut by_size = [0.0; SIZES + 1];
        for (bin, count) in counts.iter().enumerate() {
            let middle = (bin as f64 + 0.5) * width;
            by_size[(2.0 * (middle / from).log2() + 1.0).floor().clamp(0.0, SIZES as f64) as usize] += count;
        }
        let counts_by_size = by_size.iter().map(|count| *count as usize).collect();
        Self { without_weight: counts.first().map_or(0, |count| *count as usize), from, counts: counts_by_size }
    }

    /// The ends of the bins but for the first, which begins at 0.
    pub fn edges(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.counts.len()).map(|k| self.from * 2f64.powf(k as f64 / 2.0))
    }
}

impl WeightProfile {
    /// The profile of some weights, in three passes.
    pub fn new(data: &dyn RowSource, weights: &SampleWeights) -> Result<Self> {
        let weighting = weights.weighting();
        let Extremes { least, greatest } = Extremes::of(data, weighting)?;
        let most = greatest.first().map_or(0.0, |(weight, _)| *weight);
        // A little wider than needed, so that the highest value is inside.
        let fine = 1.000_001 * most / FINE_BINS as f64;
        let (counts, sums) = spread(data, weighting, fine * FINE_BINS as f64, FINE_BINS)?;
        let rows: f64 = counts.iter().sum();
        let at = |share: f64| match share {
            0.0 => least,
            1.0 => most,
            _ => reach(&counts, share * rows) * fine,
        };
        let bin_width = 1.000_001 * at(COVERED) / BINS as f64;
        let (in_bins, _) = spread(data, weighting, bin_width * BINS as f64, BINS)?;

        let half = sums.iter().sum::<f64>() / 2.0;
        let (mut holders, mut sum) = (0.0, 0.0);
        for (count, weight) in counts.iter().zip(&sums).rev() {
            if sum + weight >= half {
                holders += if *weight > 0.0 { count * (half - sum) / weight } else { 0.0 };
                break;
            }
            (holders, sum) = (holders + count, sum + weight);
        }
        Ok(Self {
            bin_width,
            counts: in_bins.iter().map(|count| *count as usize).collect(),
            quantiles: SHARES.map(|share| (share, at(share).clamp(least, most))).to_vec(),
            half_of_the_weight: holders / rows,
            // Weights that are all the same have no sizes to tell apart.
            by_size: (least < most).then(|| BySize::new(&counts, fine)),
            largest: greatest.into_iter().map(|(weight, place)| (data.position(place), weight)).collect(),
        })
    }

    /// Whether its parts fit together, which a file changed by hand may not do.
    pub(crate) fn is_whole(&self) -> bool {
        let sizes = |by_size: &BySize| by_size.counts.len() == SIZES + 1 && by_size.from > 0.0;
        self.by_size.as_ref().is_none_or(sizes)
            && self.counts.len() == BINS + 1
            && self.quantiles.len() == SHARES.len()
            && self.largest.len() <= NAMED
    }
}

/// How many bins it takes to hold `wanted` rows, the last in part.
fn reach(counts: &[f64], wanted: f64) -> f64 {
    let mut sum = 0.0;
    for (bin, count) in counts.iter().enumerate() {
        if sum + count >= wanted && *count > 0.0 {
            return bin as f64 + (wanted - sum) / count;
        }
        sum += count;
    }
    counts.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Roles, TrainingData};
    use crate::table::Table;

    #[test]
    fn every_row_is_counted_and_the_largest_are_named() {
        let mut values = vec![1.0; 1000];
        (values[17], values[400], values[3]) = (90.0, 30.0, 0.0);
        let x: Vec<f64> = (0..1000).map(|k| f64::from(k % 7)).collect();
        // Every other row has no outcome and is left out.
        let mut twice = Vec::new();
        x.iter().for_each(|x| twice.extend([*x, *x]));
        let y = (0..2000).map(|k| if k % 2 == 0 { f64::from(k % 11) } else { f64::NAN }).collect();
        let table = Table::from_numbers([("x", twice), ("y", y)]).unwrap();
        let roles = Roles { missing: crate::design::Missing::Drop, ..Roles::target("y") };
        let data = TrainingData::prepare(&table, &roles).unwrap();
        let weights = SampleWeights::new(values, &data.base);
        let profile = WeightProfile::new(&data, &weights).unwrap();
        assert_eq!(profile.counts.iter().sum::<usize>(), 1000);
        assert_eq!((profile.counts[0], profile.counts[BINS - 1], profile.counts[BINS]), (1, 997, 2));
        assert_eq!(profile.largest[..3].iter().map(|pair| pair.0).collect::<Vec<_>>(), [34, 800, 0]);
        assert_eq!((profile.largest.len(), profile.quantiles[0]), (10, (0.0, 0.0)));
        let median = profile.quantiles[3].1;
        assert!((median - 1000.0 / 1117.0).abs() < 1e-2, "{median}");
        // 90 and 30 and 438.5 of the ones are half of 1117.
        assert!((profile.half_of_the_weight - 0.4405).abs() < 1e-9, "{}", profile.half_of_the_weight);
        let by_size = profile.by_size.as_ref().unwrap();
        assert_eq!((by_size.counts.iter().sum::<usize>(), by_size.without_weight), (1000, 1));
        let edges: Vec<f64> = by_size.edges().collect();
        assert!((edges[SIZES] / profile.largest[0].1 - 1.0).abs() < 1e-4);
        // 90, 30 and the ones, each in the bin that holds it.
        let bin = |weight: f64| edges.iter().filter(|edge| **edge <= weight).count();
        let [ones, thirty] = [1000.0 / 1117.0, 30_000.0 / 1117.0].map(bin);
        assert_eq!((by_size.counts[ones], by_size.counts[thirty], by_size.counts[SIZES]), (997, 1, 1));
        assert!(profile.is_whole());
    }
}
