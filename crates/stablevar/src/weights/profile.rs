//! How weights are spread over the rows: what is worth keeping of them once the rows are gone.

use super::SampleWeights;
use serde::{Deserialize, Serialize};

/// Bins of the histogram, but for the one that holds all above.
const BINS: usize = 30;
/// The share of the rows that the bins cover.
const COVERED: f64 = 0.99;
/// How many of the largest weights are named.
const NAMED: usize = 10;
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
}

impl WeightProfile {
    /// The profile of weights whose rows have these positions in the table.
    pub fn new(weights: &SampleWeights, rows: &[usize]) -> Self {
        let values = weights.values();
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
        // A little wider than needed, so that the highest value covered is inside.
        let bin_width = 1.000_001 * at(COVERED) / BINS as f64;
        let mut counts = vec![0; BINS + 1];
        values.iter().for_each(|value| counts[((value / bin_width) as usize).min(BINS)] += 1);

        let half = sorted.iter().sum::<f64>() / 2.0;
        let mut sum = 0.0;
        let holders = sorted.iter().rev().take_while(|&&weight| {
            let needed = sum < half;
            sum += weight;
            needed
        });
        let half_of_the_weight = holders.count() as f64 / sorted.len() as f64;

        let least = sorted[sorted.len().saturating_sub(NAMED)];
        let named = values.iter().zip(rows).filter(|(weight, _)| **weight >= least);
        let mut largest: Vec<(usize, f64)> = named.map(|(&weight, &row)| (row, weight)).collect();
        largest.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        largest.truncate(NAMED);
        Self {
            bin_width,
            counts,
            quantiles: SHARES.map(|share| (share, at(share))).to_vec(),
            half_of_the_weight,
            largest,
        }
    }

    /// Whether its parts fit together, which a file changed by hand may not do.
    pub(crate) fn is_whole(&self) -> bool {
        self.counts.len() == BINS + 1 && self.quantiles.len() == SHARES.len() && self.largest.len() <= NAMED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_counted_and_the_largest_are_named() {
        let mut values = vec![1.0; 1000];
        (values[17], values[400], values[3]) = (90.0, 30.0, 0.0);
        let weights = SampleWeights::new(values, &[1.0; 1000]);
        let rows: Vec<usize> = (0..1000).map(|row| 2 * row).collect();
        let profile = WeightProfile::new(&weights, &rows);
        assert_eq!(profile.counts.iter().sum::<usize>(), 1000);
        assert_eq!((profile.counts[0], profile.counts[BINS - 1], profile.counts[BINS]), (1, 997, 2));
        assert_eq!(profile.largest[..3].iter().map(|pair| pair.0).collect::<Vec<_>>(), [34, 800, 0]);
        assert_eq!((profile.largest.len(), profile.quantiles[0]), (10, (0.0, 0.0)));
        // 90 and 30 and 439 of the ones are half of 1117.
        assert_eq!(profile.half_of_the_weight, 0.441);
        assert!(profile.is_whole());
    }
}
