//! Columns cut into a few bins, which is all that trees see of them while they grow.

use crate::functions::short;
use crate::linalg::Matrix;
use crate::threads;

/// Bins of a column at most; each then holds about as many rows.
pub(super) const MOST_BINS: usize = 64;
/// Digits of the values between bins: short in a file.
const DIGITS: usize = 7;

/// The columns of some rows, in bins.
pub(super) struct Binned {
    /// Per column one bin per row.
    pub bins: Vec<Vec<u8>>,
    /// Per column the values between bins: values up to `cuts[k]` lie in bin k or below.
    pub cuts: Vec<Vec<f64>>,
}

impl Binned {
    /// Some columns of a design matrix, whose first column holds ones, with its rows in this order.
    pub(super) fn of(design: &Matrix, columns: &[usize], order: &[usize]) -> Self {
        let binned = threads::map(columns.len(), |k| {
            let values: Vec<f64> = order.iter().map(|&row| design[(row, columns[k] + 1)]).collect();
            let cuts = cuts_of(&values);
            let bins = values.iter().map(|value| cuts.partition_point(|cut| cut < value) as u8).collect();
            (bins, cuts)
        });
        let (bins, cuts) = binned.into_iter().unzip();
        Self { bins, cuts }
    }

    /// Number of bins of a column.
    pub(super) fn count(&self, column: usize) -> usize {
        self.cuts[column].len() + 1
    }
}

/// Values between bins; a value never lies in two of them.
fn cuts_of(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut distinct = sorted.clone();
    distinct.dedup();
    if distinct.len() <= MOST_BINS {
        return distinct.windows(2).map(|pair| between(pair[0], pair[1])).collect();
    }
    let mut cuts = Vec::new();
    for k in 1..MOST_BINS {
        let below = sorted[k * sorted.len() / MOST_BINS - 1];
        let next = distinct.partition_point(|value| *value <= below);
        if next < distinct.len() {
            cuts.push(between(below, distinct[next]));
        }
    }
    cuts.dedup();
    cuts
}

/// A value in the middle of two, with few digits where they leave room for that.
fn between(low: f64, high: f64) -> f64 {
    let middle = low + (high - low) / 2.0;
    let rounded = short(middle, DIGITS);
    if low <= rounded && rounded < high {
        rounded
    } else if middle < high {
        middle
    } else {
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_the_bin_that_its_cuts_say() {
        let values: Vec<f64> = (0..1000).map(|k| (f64::from(k) * 0.377).sin().powi(3) + f64::from(k % 7)).collect();
        let design = Matrix::from_fn(values.len(), 2, |row, k| if k == 0 { 1.0 } else { values[row] });
        let order: Vec<usize> = (0..values.len()).rev().collect();
        let binned = Binned::of(&design, &[0], &order);
        let cuts = &binned.cuts[0];
        assert!(cuts.len() > 50 && cuts.windows(2).all(|pair| pair[0] < pair[1]));
        for (place, &row) in order.iter().enumerate() {
            let bin = usize::from(binned.bins[0][place]);
            assert!(bin == 0 || values[row] > cuts[bin - 1]);
            assert!(bin == cuts.len() || values[row] <= cuts[bin]);
        }
    }

    #[test]
    fn few_values_have_a_bin_each_and_constants_one() {
        assert_eq!(cuts_of(&[0.0, 1.0, 1.0, 0.0, 3.0]), [0.5, 2.0]);
        assert!(cuts_of(&[2.0; 9]).is_empty() && cuts_of(&[]).is_empty());
        let close = 1.0 + f64::EPSILON;
        assert_eq!(cuts_of(&[1.0, close]), [1.0], "nothing lies between them");
        let mostly_zero: Vec<f64> = (0..1000).map(|k| if k < 900 { 0.0 } else { f64::from(k) }).collect();
        assert!((4..10).contains(&cuts_of(&mostly_zero).len()));
    }
}
