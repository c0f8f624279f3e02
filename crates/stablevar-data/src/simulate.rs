//! The paper's synthetic data, with its selection-bias environments.
//!
//! Stable columns S and unstable columns V are normal with one correlation inside each block. The outcome is
//! `y = S beta + S_1 S_2 S_3 + noise`, and a row is kept with probability `prod_b |r|^(-5 D_b)`,
//! `D_b = |f(S) - sign(r) V_b|`, over the biased columns, so that they follow the outcome (r > 1) or
//! its opposite (r < -1) in the sample though they have no part in it.
//!
//! In the nonlinear data `f` is a [`RandomNetwork`] of the stable columns instead.
//!
//! Other worlds than the paper's tie the columns together in other ways ([`Dependence`]) or bend the outcome by
//! another term ([`Term`]): what works must not work in one world only.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};
use stablevar::engine::dot;
use stablevar::error::{Error, Result};
use stablevar::models::sigmoid;
use stablevar::parameter::NonNegative;
use stablevar::table::{Table, Values};

/// The bias rates of the test environments.
pub const TEST_RATES: [f64; 10] = [-3.0, -2.0, -1.7, -1.5, -1.3, 1.3, 1.5, 1.7, 2.0, 3.0];
/// The coefficients of the stable columns, repeated as often as needed.
const COEFFICIENTS: [f64; 6] = [1.0 / 3.0, -2.0 / 3.0, 1.0, -1.0 / 3.0, 2.0 / 3.0, -1.0];
/// The most values a sample may have: 32 GiB.
const MOST_VALUES: u64 = 1 << 32;
/// Give up when fewer than one in this many drawn rows is kept.
const MOST_DRAWS_PER_ROW: usize = 100_000;

/// How the columns hang together before the selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dependence {
    /// One correlation within the stable columns, one within the unstable ones, none between: the paper's.
    #[default]
    Blocks,
    /// All columns are independent.
    Independent,
    /// Neighbouring stable columns correlate, and every unstable column follows two of them:
    /// `V_j = 0.8 S_j + 0.2 S_(j+1) + noise`.
    UnstableFromStable,
    /// Every stable column follows two unstable ones: `S_j = 0.2 V_j + 0.8 V_(j+1) + noise`.
    StableFromUnstable,
}

/// What bends the outcome, so that a linear model is wrong about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Term {
    /// `S_1 S_2 S_3`: the paper's.
    #[default]
    Cubic,
    /// `exp(S_1 S_2 S_3)`.
    Exponential,
    /// `S_1 S_2`.
    Product,
    /// `2 sin(2 S_1)`.
    Sine,
    /// `3/2 |S_1|`.
    Absolute,
    /// `2 max(0, S_1 + S_2)`.
    Hinge,
    /// Nothing: a linear model is right.
    None,
}

impl Term {
    /// Stable columns it needs.
    fn columns(self) -> usize {
        match self {
            Term::Cubic | Term::Exponential => 3,
            Term::Product | Term::Hinge => 2,
            Term::Sine | Term::Absolute => 1,
            Term::None => 0,
        }
    }

    fn value(self, s: &[f64]) -> f64 {
        if s.len() < self.columns() {
            return 0.0;
        }
        match self {
            Term::Cubic => s[0] * s[1] * s[2],
            Term::Exponential => (s[0] * s[1] * s[2]).exp(),
            Term::Product => s[0] * s[1],
            Term::Sine => 2.0 * (2.0 * s[0]).sin(),
            Term::Absolute => 1.5 * s[0].abs(),
            Term::Hinge => 2.0 * (s[0] + s[1]).max(0.0),
            Term::None => 0.0,
        }
    }
}

/// A network of one hidden layer of rectified units without constants, all weights uniform in [-1, 1].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RandomNetwork {
    /// Per hidden unit the weights of the inputs.
    units: Vec<Vec<f64>>,
    /// Per hidden unit its weight in the output.
    output: Vec<f64>,
}

impl RandomNetwork {
    /// Draws the weights.
    pub fn new(inputs: usize, hidden: usize, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        // A stream of its own: rows drawn with the same seed must not repeat the weights.
        random.set_stream(1);
        let mut uniform = || 2.0 * random.random::<f64>() - 1.0;
        let units = (0..hidden).map(|_| (0..inputs).map(|_| uniform()).collect()).collect();
        Self { units, output: (0..hidden).map(|_| uniform()).collect() }
    }

    fn value(&self, inputs: &[f64]) -> f64 {
        self.units.iter().zip(&self.output).map(|(weights, output)| output * dot(weights, inputs).max(0.0)).sum()
    }
}

/// How the outcome depends on the stable columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Signal {
    /// A sum with fixed coefficients, and a term that bends it.
    Linear {
        /// What bends the outcome.
        term: Term,
        /// Factor of that term.
        bend: f64,
    },
    /// A random network: the paper's nonlinear data.
    Network(RandomNetwork),
}

/// The law of the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct World {
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
    /// What ties the columns together.
    pub dependence: Dependence,
    /// How the outcome depends on the stable columns.
    pub signal: Signal,
    /// Variance of the noise.
    pub noise_variance: NonNegative,
    /// Instead of a number with noise the outcome is 1 with log-odds of this many times `f(S)`, else 0.
    pub log_odds: Option<f64>,
}

impl Default for World {
    fn default() -> Self {
        Self {
            columns: 10,
            stable: 5,
            biased: 1,
            stable_correlation: 0.9,
            unstable_correlation: 0.1,
            dependence: Dependence::default(),
            signal: Signal::Linear { term: Term::default(), bend: 1.0 },
            noise_variance: NonNegative::constant(0.3),
            log_odds: None,
        }
    }
}

impl World {
    /// The paper's proportions for `columns` columns: half of them stable, a tenth biased.
    pub fn with_columns(columns: usize) -> Self {
        Self { columns, stable: columns / 2, biased: (columns / 10).max(1), ..Self::default() }
    }

    /// The paper's nonlinear data: `self` with a network of 100 rectified units, drawn with `seed`, in place of the linear
    /// outcome, and noise of variance 0.1.
    pub fn nonlinear(self, hidden: usize, seed: u64) -> Self {
        let network = RandomNetwork::new(self.stable, hidden, seed);
        Self { signal: Signal::Network(network), noise_variance: NonNegative::constant(0.1), ..self }
    }

    /// Names of all columns: s1.., then v1.., without the outcome.
    pub fn names(&self) -> Vec<String> {
        let stable = (1..=self.stable).map(|i| format!("s{i}"));
        stable.chain((1..=self.columns - self.stable).map(|i| format!("v{i}"))).collect()
    }

    fn check(&self, rate: f64) -> Result<()> {
        let bad = |text: &str| Err(Error::BadRequest(text.to_string()));
        if self.columns as u64 > MOST_VALUES || self.stable == 0 || self.stable > self.columns {
            return bad("there must be at least one stable column, and no more than there are columns");
        }
        if self.biased > self.columns - self.stable {
            return bad("there can't be more biased columns than unstable ones");
        }
        let in_range = |value: f64| (0.0..1.0).contains(&value);
        if !in_range(self.stable_correlation) || !in_range(self.unstable_correlation) {
            return bad("correlations must be from 0 to below 1");
        }
        if !self.log_odds.unwrap_or(1.0).is_finite() {
            return bad("the factor of the log-odds must be finite");
        }
        match &self.signal {
            Signal::Linear { bend, .. } if !bend.is_finite() => {
                return bad("the factor of the nonlinear term must be finite");
            }
            Signal::Network(network) if network.units.is_empty() => {
                return bad("the network behind the data needs one hidden unit or more");
            }
            _ => {}
        }
        if self.dependence == Dependence::StableFromUnstable && self.stable == self.columns {
            return bad("stable columns can't follow unstable ones when there are none");
        }
        if rate.is_nan() || rate.abs() < 1.0 || rate.is_infinite() {
            return bad("the bias rate r must be 1 or more, or -1 or less");
        }
        Ok(())
    }

    /// The outcome without noise.
    pub fn signal(&self, row: &[f64]) -> f64 {
        let stable = &row[..self.stable];
        match &self.signal {
            Signal::Linear { term, bend } => {
                let linear: f64 = stable.iter().zip(COEFFICIENTS.iter().cycle()).map(|(x, beta)| x * beta).sum();
                linear + bend * term.value(stable)
            }
            Signal::Network(network) => network.value(stable),
        }
    }

    /// One row before the selection.
    fn draw_columns(&self, random: &mut ChaCha8Rng, row: &mut [f64]) {
        let (stable, unstable) = row.split_at_mut(self.stable);
        let (s, v) = (stable.len(), unstable.len());
        match self.dependence {
            Dependence::Blocks => {
                draw_block(random, self.stable_correlation, stable);
                draw_block(random, self.unstable_correlation, unstable);
            }
            Dependence::Independent => {
                draw_block(random, 0.0, stable);
                draw_block(random, 0.0, unstable);
            }
            Dependence::UnstableFromStable => {
                let mut source: f64 = random.sample(StandardNormal);
                for value in stable.iter_mut() {
                    let next: f64 = random.sample(StandardNormal);
                    *value = 0.8 * source + 0.2 * next;
                    source = next;
                }
                for (j, value) in unstable.iter_mut().enumerate() {
                    *value = 0.8 * stable[j % s] + 0.2 * stable[(j + 1) % s] + random.sample::<f64, _>(StandardNormal);
                }
            }
            Dependence::StableFromUnstable => {
                draw_block(random, 0.0, unstable);
                for (j, value) in stable.iter_mut().enumerate() {
                    *value =
                        0.2 * unstable[j % v] + 0.8 * unstable[(j + 1) % v] + random.sample::<f64, _>(StandardNormal);
                }
            }
        }
    }

    /// The probability with which the selection keeps a row.
    fn keeps(&self, row: &[f64], signal: f64, rate: f64) -> f64 {
        let biased = &row[self.columns - self.biased..];
        let distance: f64 = biased.iter().map(|v| (signal - rate.signum() * v).abs()).sum();
        rate.abs().powf(-5.0 * distance)
    }

    /// The share of rows that the selection keeps, by so many draws; an error where rows would be drawn without end.
    pub fn share_kept(&self, rate: f64, draws: usize, seed: u64) -> Result<f64> {
        self.check(rate)?;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        // Rows of their own: these are not the sample's.
        random.set_stream(2);
        let mut row = vec![0.0; self.columns];
        let mut kept = 0.0;
        for _ in 0..draws {
            self.draw_columns(&mut random, &mut row);
            kept += self.keeps(&row, self.signal(&row), rate);
        }
        let share = kept / draws as f64;
        if share * (MOST_DRAWS_PER_ROW as f64) < 1.0 {
            return Err(Error::SelectionTooStrict { kept: kept as usize, drawn: draws });
        }
        Ok(share)
    }

    /// Whether so many rows can be held in memory.
    pub fn check_size(&self, rows: usize) -> Result<()> {
        match (rows as u64).checked_mul(self.columns as u64 + 1) {
            Some(values) if values <= MOST_VALUES => Ok(()),
            _ => Err(Error::BadRequest(format!("{rows} rows of {} columns do not fit in memory", self.columns))),
        }
    }

    /// Draws `rows` rows under the bias rate `rate` (1 is no bias), the outcome `y` last.
    pub fn draw(&self, rows: usize, rate: f64, seed: u64) -> Result<Table<'static>> {
        self.draw_watched(rows, rate, seed, &mut |_| {})
    }

    /// The same; `watch` is told now and then how many rows there are.
    pub fn draw_watched(
        &self,
        rows: usize,
        rate: f64,
        seed: u64,
        watch: &mut dyn FnMut(usize),
    ) -> Result<Table<'static>> {
        /// Draws between two calls.
        const TOLD: usize = 1 << 14;
        self.check(rate)?;
        self.check_size(rows)?;
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
            self.draw_columns(&mut random, &mut row);
            let signal = self.signal(&row);
            if drawn % TOLD == 0 {
                watch(kept);
            }
            if random.random::<f64>() < self.keeps(&row, signal, rate) {
                let outcome = match self.log_odds {
                    None => signal + noise * random.sample::<f64, _>(StandardNormal),
                    Some(factor) => f64::from(random.random::<f64>() < sigmoid(factor * signal)),
                };
                columns.iter_mut().zip(row.iter().chain([&outcome])).for_each(|(c, x)| c.push(*x));
            }
        }
        let names = self.names().into_iter().chain(["y".to_string()]);
        Table::from_numbers(names.zip(columns))
    }
}

/// One table of several environments, `rows` rows each, told apart by a column `environment` with the bias rate.
pub fn test_environments(world: &World, rows: usize, rates: &[f64], seed: u64) -> Result<Table<'static>> {
    test_environments_watched(world, rows, rates, seed, &mut |_| {})
}

/// The same; `watch` is told now and then how many rows there are.
pub fn test_environments_watched(
    world: &World,
    rows: usize,
    rates: &[f64],
    seed: u64,
    watch: &mut dyn FnMut(usize),
) -> Result<Table<'static>> {
    let names = world.names().into_iter().chain(["y".to_string(), "environment".to_string()]);
    let mut columns = vec![Vec::with_capacity(rows * rates.len()); world.columns + 2];
    for (k, &rate) in rates.iter().enumerate() {
        // Each environment has a seed of its own, far from those of the training data.
        let own_seed = seed.wrapping_add(1_000_001 * (k as u64 + 1));
        let drawn = world.draw_watched(rows, rate, own_seed, &mut |kept| watch(k * rows + kept))?;
        for (all, column) in columns.iter_mut().zip(drawn.columns()) {
            if let Values::Number(values) = &column.values {
                all.extend(values.iter());
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
            Values::Number(values) => values.to_vec(),
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
        let table = World::default().draw(20_000, 1.0, 1).unwrap();
        assert!((correlation(&numbers(&table, "s1"), &numbers(&table, "s5")) - 0.9).abs() < 0.01);
        assert!((correlation(&numbers(&table, "v1"), &numbers(&table, "v5")) - 0.1).abs() < 0.03);
        assert!(correlation(&numbers(&table, "s1"), &numbers(&table, "v5")).abs() < 0.03);
    }

    #[test]
    fn the_bias_rate_ties_the_last_column_to_the_outcome_and_its_sign_turns_it() {
        let world = World::default();
        for (rate, sign) in [(2.5, 1.0), (-2.5, -1.0)] {
            let table = world.draw(3000, rate, 7).unwrap();
            let (biased, outcome) = (numbers(&table, "v5"), numbers(&table, "y"));
            assert!(sign * correlation(&biased, &outcome) > 0.5);
            assert!(correlation(&numbers(&table, "v1"), &outcome).abs() < 0.15);
        }
    }

    #[test]
    fn other_worlds_tie_and_bend_as_they_say() {
        let draw = |dependence, term| {
            World { dependence, signal: Signal::Linear { term, bend: 1.0 }, ..World::default() }
                .draw(20_000, 1.0, 2)
                .unwrap()
        };
        let pair = |table: &Table, a: &str, b: &str| correlation(&numbers(table, a), &numbers(table, b));
        let independent = draw(Dependence::Independent, Term::Cubic);
        assert!(pair(&independent, "s1", "s2").abs() < 0.03 && pair(&independent, "s1", "v1").abs() < 0.03);
        // Cov(V_1, S_1) = 0.8 Var S + 0.2 Cov(S_1, S_2) = 0.8 x 0.68 + 0.2 x 0.16.
        let follows = draw(Dependence::UnstableFromStable, Term::Cubic);
        let expected = 0.576 / (0.68f64 * (1.0 + 0.68 * 0.68 + 0.32 * 0.16)).sqrt();
        assert!((pair(&follows, "v1", "s1") - expected).abs() < 0.03, "{}", pair(&follows, "v1", "s1"));
        let leads = draw(Dependence::StableFromUnstable, Term::Cubic);
        assert!((pair(&leads, "s1", "v2") - 0.8 / 1.68f64.sqrt()).abs() < 0.03);

        let row = [0.5, -2.0, 1.5, 0.0, 0.0, 9.0, 9.0, 9.0, 9.0, 9.0];
        let linear = World { signal: Signal::Linear { term: Term::None, bend: 1.0 }, ..World::default() }.signal(&row);
        for (term, bend) in [
            (Term::Cubic, -1.5),
            (Term::Exponential, (-1.5f64).exp()),
            (Term::Product, -1.0),
            (Term::Sine, 2.0 * 1f64.sin()),
            (Term::Absolute, 0.75),
            (Term::Hinge, 0.0),
        ] {
            let world = World { signal: Signal::Linear { term, bend: 2.0 }, ..World::default() };
            assert!((world.signal(&row) - linear - 2.0 * bend).abs() < 1e-12, "{term:?}");
        }
    }

    #[test]
    fn a_random_network_bends_the_outcome_and_is_the_same_in_every_environment() {
        let world = World::default().nonlinear(100, 5);
        assert_eq!(world, World::default().nonlinear(100, 5));
        assert_ne!(world, World::default().nonlinear(100, 6));
        let (row, half) = ([1.0, -0.5, 0.3, 0.8, -1.2, 0.0, 0.0, 0.0, 0.0, 0.0], [0.5, -0.25, 0.15, 0.4, -0.6]);
        // Without constants the network doubles with its inputs, but it is not odd as a linear one would be.
        assert!((world.signal(&row) - 2.0 * world.signal(&half)).abs() < 1e-12);
        assert!((world.signal(&row) + world.signal(&row.map(|x| -x))).abs() > 0.1);
        let table = world.draw(5000, 2.0, 1).unwrap();
        assert!(correlation(&numbers(&table, "v5"), &numbers(&table, "y")) > 0.5);
        let Signal::Network(network) = &world.signal else { panic!("not a network") };
        let weights: Vec<f64> = network.units.iter().flatten().chain(&network.output).copied().collect();
        assert!(weights.iter().all(|weight| weight.abs() <= 1.0));
        let square = dot(&weights, &weights) / weights.len() as f64;
        assert!((square - 1.0 / 3.0).abs() < 0.05, "{square}");
    }

    #[test]
    fn the_same_seed_gives_the_same_rows() {
        let world = World::with_columns(20);
        assert_eq!(world.biased, 2);
        assert_eq!(world.draw(50, 2.0, 3).unwrap(), world.draw(50, 2.0, 3).unwrap());
        assert_ne!(world.draw(50, 2.0, 3).unwrap(), world.draw(50, 2.0, 4).unwrap());
    }

    #[test]
    fn impossible_worlds_are_refused() {
        let world = World { biased: 6, ..World::default() };
        assert!(world.draw(10, 2.0, 0).is_err());
        assert!(World::default().draw(10, 0.5, 0).is_err());
        let strict = World { columns: 60, stable: 5, biased: 40, ..World::default() };
        assert!(matches!(strict.draw(10, 3.0, 0), Err(Error::SelectionTooStrict { .. })));
        assert!(matches!(strict.share_kept(3.0, 1000, 0), Err(Error::SelectionTooStrict { .. })));
    }

    #[test]
    fn the_share_kept_is_what_draws_find() {
        let world = World::default();
        let share = world.share_kept(2.5, 20_000, 1).unwrap();
        let mut drawn = 0;
        world.draw_watched(4000, 2.5, 7, &mut |_| drawn += 1 << 14).unwrap();
        let (least, most) = (4000.0 / (drawn + (1 << 14)) as f64, 4000.0 / drawn as f64);
        assert!(share > 0.9 * least && share < 1.1 * most, "{share} {least} {most}");
    }
}
