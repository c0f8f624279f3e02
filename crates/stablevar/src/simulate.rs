//! The paper's synthetic data, with its selection-bias environments.
//!
//! Stable columns S and unstable columns V are normal with one correlation inside each block. The outcome is
//! `y = S beta + cubic S_1 S_2 S_3 + noise`, and a row is kept with probability `prod_b |r|^(-5 D_b)`,
//! `D_b = |f(S) - sign(r) V_b|`, over the biased columns, so that they follow the outcome (r > 1) or
//! its opposite (r < -1) in the sample though they have no part in it.

use crate::error::{Error, Result};
use crate::parameter::NonNegative;
use crate::table::{Table, Values};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// The bias rates of the test environments.
pub const TEST_RATES: [f64; 10] = [-3.0, -2.0, -1.7, -1.5, -1.3, 1.3, 1.5, 1.7, 2.0, 3.0];
/// The coefficients of the stable columns, repeated as often as needed.
const COEFFICIENTS: [f64; 6] = [1.0 / 3.0, -2.0 / 3.0, 1.0, -1.0 / 3.0, 2.0 / 3.0, -1.0];
/// The most values a sample may have: 32 GiB.
const MOST_VALUES: usize = 1 << 32;
/// Give up when fewer than one in this many drawn rows is kept.
const MOST_DRAWS_PER_ROW: usize = 100_000;

/// The law of the linear data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinearWorld {
    /// Number of columns.
    pub columns: usize,
    /// How many of them are stable.
    pub stable: usize,
    /// How many of the others the selection biases (the last ones).
    pub biased: usize,
    /// Correlation within the stable columns, from 0 to below 1.
    pub stable_correlation: f64,
    /// Correlation within the unstable columns, from 0 to below 1.
    pub unstable_correlation: f64,
    /// Factor of the nonlinear term.
    pub cubic: f64,
    /// Variance of the noise.
    pub noise_variance: NonNegative,
}

impl Default for LinearWorld {
    fn default() -> Self {
        Self {
            columns: 10,
            stable: 5,
            biased: 1,
            stable_correlation: 0.9,
            unstable_correlation: 0.1,
            cubic: 1.0,
            noise_variance: NonNegative::constant(0.3),
        }
    }
}

impl LinearWorld {
    /// The paper's proportions for `columns` columns: half of them stable, a tenth biased.
    pub fn with_columns(columns: usize) -> Self {
        Self { columns, stable: columns / 2, biased: (columns / 10).max(1), ..Self::default() }
    }

    /// Names of all columns: s1.., then v1.., without the outcome.
    pub fn names(&self) -> Vec<String> {
        let stable = (1..=self.stable).map(|i| format!("s{i}"));
        stable.chain((1..=self.columns - self.stable).map(|i| format!("v{i}"))).collect()
    }

    fn check(&self, rate: f64) -> Result<()> {
        let bad = |text: &str| Err(Error::BadRequest(text.to_string()));
        if self.columns > MOST_VALUES || self.stable == 0 || self.stable > self.columns {
            return bad("there must be at least one stable column, and no more than there are columns");
        }
        if self.biased > self.columns - self.stable {
            return bad("there can't be more biased columns than unstable ones");
        }
        let in_range = |value: f64| (0.0..1.0).contains(&value);
        if !in_range(self.stable_correlation) || !in_range(self.unstable_correlation) || !self.cubic.is_finite() {
            return bad("correlations must be from 0 to below 1, and the cubic factor finite");
        }
        if rate.is_nan() || rate.abs() < 1.0 || rate.is_infinite() {
            return bad("the bias rate r must be 1 or more, or -1 or less");
        }
        Ok(())
    }

    /// The outcome without noise.
    pub fn signal(&self, row: &[f64]) -> f64 {
        let linear: f64 = row[..self.stable].iter().zip(COEFFICIENTS.iter().cycle()).map(|(x, beta)| x * beta).sum();
        let cubic = if self.stable >= 3 { self.cubic * row[0] * row[1] * row[2] } else { 0.0 };
        linear + cubic
    }

    /// Draws `rows` rows under the bias rate `rate` (1 is no bias), the outcome `y` last.
    pub fn draw(&self, rows: usize, rate: f64, seed: u64) -> Result<Table> {
        self.check(rate)?;
        if rows.checked_mul(self.columns + 1).is_none_or(|values| values > MOST_VALUES) {
            return Err(Error::BadRequest(format!("{rows} rows of {} columns do not fit in memory", self.columns)));
        }
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut columns = vec![Vec::with_capacity(rows); self.columns + 1];
        let mut row = vec![0.0; self.columns];
        let noise = self.noise_variance.get().sqrt();
        let mut drawn = 0;
        while columns[0].len() < rows {
            drawn += 1;
            let kept = columns[0].len();
            if drawn > MOST_DRAWS_PER_ROW * (kept + 10) {
                return Err(Error::SelectionTooStrict { kept, drawn });
            }
            let (stable, unstable) = row.split_at_mut(self.stable);
            draw_block(&mut random, self.stable_correlation, stable);
            draw_block(&mut random, self.unstable_correlation, unstable);
            let signal = self.signal(&row);
            let distance: f64 =
                row[self.columns - self.biased..].iter().map(|v| (signal - rate.signum() * v).abs()).sum();
            let keep = rate.abs().powf(-5.0 * distance);
            if random.random::<f64>() < keep {
                let error: f64 = random.sample(StandardNormal);
                columns.iter_mut().zip(row.iter().chain([&(signal + noise * error)])).for_each(|(c, x)| c.push(*x));
            }
        }
        let names = self.names().into_iter().chain(["y".to_string()]);
        Table::from_numbers(names.zip(columns))
    }
}

/// One table of several environments, `rows` rows each, told apart by a column `environment` with the bias rate.
pub fn test_environments(world: &LinearWorld, rows: usize, rates: &[f64], seed: u64) -> Result<Table> {
    let names = world.names().into_iter().chain(["y".to_string(), "environment".to_string()]);
    let mut columns = vec![Vec::with_capacity(rows * rates.len()); world.columns + 2];
    for (k, &rate) in rates.iter().enumerate() {
        // Each environment has a seed of its own, far from those of the training data.
        let drawn = world.draw(rows, rate, seed.wrapping_add(1_000_001 * (k as u64 + 1)))?;
        for (all, column) in columns.iter_mut().zip(drawn.columns()) {
            if let Values::Number(values) = &column.values {
                all.extend(values);
            }
        }
        columns[world.columns + 1].extend(std::iter::repeat_n(rate, rows));
    }
    Table::from_numbers(names.zip(columns))
}

/// Standard normal values that share one correlation, through a common factor.
fn draw_block(random: &mut ChaCha8Rng, correlation: f64, block: &mut [f64]) {
    let common: f64 = random.sample(StandardNormal);
    let (shared, own) = (correlation.sqrt() * common, (1.0 - correlation).sqrt());
    for value in block {
        *value = shared + own * random.sample::<f64, _>(StandardNormal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(table: &Table, name: &str) -> Vec<f64> {
        match &table.column(name).unwrap().values {
            Values::Number(values) => values.clone(),
            other => panic!("{name} holds {}", other.kind()),
        }
    }

    fn correlation(a: &[f64], b: &[f64]) -> f64 {
        let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
        let (ma, mb) = (mean(a), mean(b));
        let covariance =
            |x: &[f64], mx: f64, y: &[f64], my: f64| -> f64 { x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum() };
        covariance(a, ma, b, mb) / (covariance(a, ma, a, ma) * covariance(b, mb, b, mb)).sqrt()
    }

    #[test]
    fn without_bias_the_correlations_are_those_asked_for() {
        let table = LinearWorld::default().draw(20_000, 1.0, 1).unwrap();
        assert!((correlation(&numbers(&table, "s1"), &numbers(&table, "s5")) - 0.9).abs() < 0.01);
        assert!((correlation(&numbers(&table, "v1"), &numbers(&table, "v5")) - 0.1).abs() < 0.03);
        assert!(correlation(&numbers(&table, "s1"), &numbers(&table, "v5")).abs() < 0.03);
    }

    #[test]
    fn the_bias_rate_ties_the_last_column_to_the_outcome_and_its_sign_turns_it() {
        let world = LinearWorld::default();
        for (rate, sign) in [(2.5, 1.0), (-2.5, -1.0)] {
            let table = world.draw(3000, rate, 7).unwrap();
            let (biased, outcome) = (numbers(&table, "v5"), numbers(&table, "y"));
            assert!(sign * correlation(&biased, &outcome) > 0.5);
            assert!(correlation(&numbers(&table, "v1"), &outcome).abs() < 0.15);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_rows() {
        let world = LinearWorld::with_columns(20);
        assert_eq!(world.biased, 2);
        assert_eq!(world.draw(50, 2.0, 3).unwrap(), world.draw(50, 2.0, 3).unwrap());
        assert_ne!(world.draw(50, 2.0, 3).unwrap(), world.draw(50, 2.0, 4).unwrap());
    }

    #[test]
    fn impossible_worlds_are_refused() {
        let world = LinearWorld { biased: 6, ..LinearWorld::default() };
        assert!(world.draw(10, 2.0, 0).is_err());
        assert!(LinearWorld::default().draw(10, 0.5, 0).is_err());
        let strict = LinearWorld { columns: 60, stable: 5, biased: 40, ..LinearWorld::default() };
        assert!(matches!(strict.draw(10, 3.0, 0), Err(Error::SelectionTooStrict { .. })));
    }
}
