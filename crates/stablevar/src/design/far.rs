//! Values of a column that lie far from most of them.

use super::TrainingData;
use crate::threads;
use serde::{Deserialize, Serialize};

/// Where most values of a column lie, on the scale on which it is standardised.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bulk {
    /// Its median.
    pub centre: f64,
    /// The standard deviation that a normal column with the same quartiles would have.
    pub scale: f64,
}

/// Standard deviations of the bulk beyond which a value is far.
const FAR: f64 = 4.0;
/// Rows that must have far values of a column, if they are to say how a line goes on there: fewer may be slips of a pen.
const LEAST_FAR_ROWS: usize = 20;

impl Bulk {
    /// By the quartiles; of a column of which half is one value the bulk is what standardisation takes for it.
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let quantile = |share: f64| values.get((share * values.len() as f64) as usize).copied().unwrap_or(0.0);
        // The quartiles of the normal distribution are 1.349 standard deviations apart.
        let scale = (quantile(0.75) - quantile(0.25)) / 1.349;
        if scale > 0.0 { Self { centre: quantile(0.5), scale } } else { Self { centre: 0.0, scale: 1.0 } }
    }

    /// `u` standard deviations of the bulk from its centre become `4 + ln(1 + u - 4)` where `u > 4`; what is nearer stays as
    /// it is, so that a slope in the column means what it meant.
    pub fn drawn_in(self, value: f64) -> f64 {
        let far = (value - self.centre) / self.scale;
        if far.abs() <= FAR {
            return value;
        }
        self.centre + self.scale * far.signum() * (FAR + (far.abs() - FAR).ln_1p())
    }

    /// Whether a value would be moved.
    pub fn is_far(self, value: f64) -> bool {
        (value - self.centre).abs() > FAR * self.scale
    }
}

/// A value drawn in, if its column has a bulk.
pub(crate) fn drawn_in(bulk: Option<Bulk>, value: f64) -> f64 {
    bulk.map_or(value, |bulk| bulk.drawn_in(value))
}

impl TrainingData {
    /// The bulk of every encoded column that enough rows have far values of.
    pub fn bulks(&self) -> Vec<Option<Bulk>> {
        let values = |k: usize| (0..self.design.rows()).map(move |row| self.design[(row, k + 1)]);
        let bulk = |k: usize| {
            let bulk = Bulk::of(values(k).collect());
            (values(k).filter(|value| bulk.is_far(*value)).count() >= LEAST_FAR_ROWS).then_some(bulk)
        };
        threads::map(self.columns(), bulk)
    }

    /// The same rows with far values of the columns that have a bulk drawn in; their frame is as it was.
    pub fn drawn_in(&self, bulks: &[Option<Bulk>]) -> Self {
        let mut drawn = self.clone();
        let width = drawn.design.columns();
        for row in drawn.design.values_mut().chunks_exact_mut(width) {
            row[1..].iter_mut().zip(bulks).for_each(|(value, bulk)| *value = drawn_in(*bulk, *value));
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Roles;
    use crate::table::Table;

    #[test]
    fn near_values_stay_and_far_ones_keep_their_order() {
        let bulk = Bulk::of((0..1001).map(|k| f64::from(k) / 500.0 - 1.0).collect());
        assert!(bulk.centre.abs() < 0.01 && (bulk.scale - 1.0 / 1.349).abs() < 0.01, "{bulk:?}");
        assert_eq!(bulk.drawn_in(2.5), 2.5);
        let far = [3.1, 4.0, 10.0, 1000.0].map(|value| bulk.drawn_in(value));
        assert!(far.windows(2).all(|pair| pair[0] < pair[1]) && far[3] < 9.0, "{far:?}");
        assert!(bulk.is_far(3.1) && !bulk.is_far(-2.5));
        // Few rows can't say how a line goes on.
        let with_far = |far: u32| {
            let values = (0..400).map(|k| if k < far { 50.0 + f64::from(k) } else { f64::from(k * 37 % 97) / 97.0 });
            let table = Table::from_numbers([("x", values.clone().collect()), ("y", values.collect())]).unwrap();
            TrainingData::prepare(&table, &Roles::target("y")).unwrap().bulks()[0]
        };
        assert!(with_far(19).is_none() && with_far(20).is_some());
        // A mark that few rows have is as far as its standardised value.
        assert_eq!(Bulk::of(vec![-0.1, -0.1, -0.1, -0.1, 9.0]), Bulk { centre: 0.0, scale: 1.0 });
    }
}
