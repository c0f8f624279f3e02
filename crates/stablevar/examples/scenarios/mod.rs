//! The simulated worlds that several examples run in, and errors in their test environments.

use stablevar::fit::FittedModel;
use stablevar::metrics::mean_squared_error;
use stablevar::table::{Table, Values};
use stablevar_data::simulate::{Dependence, Signal, TEST_RATES, Term, World};

const TEST_ROWS: usize = 2000;

/// A world and how a sample is drawn from it.
pub struct Scenario {
    /// What it is called on the command line.
    pub name: &'static str,
    /// Rows of a sample.
    pub rows: usize,
    /// Its bias rate.
    pub rate: f64,
    /// The law of the data.
    pub world: World,
    /// Whether defaults were chosen on it; the others are kept apart.
    pub development: bool,
}

impl Scenario {
    /// A sample to learn from.
    pub fn draw(&self, seed: u64) -> Table<'static> {
        self.world.draw(self.rows, self.rate, seed).expect("training rows")
    }
}

/// All of them.
pub fn scenarios() -> Vec<Scenario> {
    use Dependence::{Blocks, Independent, StableFromUnstable, UnstableFromStable};
    let world = |columns, stable, biased, dependence, term| World {
        columns,
        stable,
        biased,
        dependence,
        signal: Signal::Linear { term, bend: 1.0 },
        ..World::default()
    };
    let kept = |name, rows, rate, world| Scenario { name, rows, rate, world, development: false };
    let development = |name, rows, rate, world| Scenario { name, rows, rate, world, development: true };
    vec![
        development("dev-sine", 1500, 2.0, world(15, 5, 1, Independent, Term::Sine)),
        development("dev-hinge", 1200, 2.5, world(8, 4, 1, UnstableFromStable, Term::Hinge)),
        development("dev-product", 1500, 2.5, world(14, 6, 1, StableFromUnstable, Term::Product)),
        development("dev-absolute", 1000, 3.0, world(12, 4, 1, Blocks, Term::Absolute)),
        development("dev-linear", 1000, 2.5, world(10, 5, 1, Blocks, Term::None)),
        development("dev-cubic", 1500, 2.5, world(12, 4, 1, StableFromUnstable, Term::Cubic)),
        development("dev-steep", 2500, 2.0, world(8, 4, 1, Independent, Term::Exponential)),
        development("dev-steep-tied", 1500, 2.0, world(8, 4, 1, StableFromUnstable, Term::Exponential)),
        development("dev-steep-five", 2200, 2.6, world(11, 5, 1, StableFromUnstable, Term::Exponential)),
        development("dev-steep-free", 1600, 2.8, world(9, 5, 1, Independent, Term::Exponential)),
        kept("table1-1000", 1000, 2.5, World::default()),
        kept("table1-1500", 1500, 2.5, World::default()),
        kept("table1-2000", 2000, 2.5, World::default()),
        kept("table1-r2", 1500, 2.0, World::default()),
        kept("table1-r3", 1500, 3.0, World::default()),
        kept("p20", 2000, 2.5, world(20, 10, 1, Blocks, Term::Cubic)),
        kept("p30", 2000, 2.5, world(30, 5, 1, Blocks, Term::Cubic)),
        kept("v-from-s", 2000, 2.5, world(10, 5, 1, UnstableFromStable, Term::Cubic)),
        kept("s-from-v", 2000, 2.5, world(10, 5, 1, StableFromUnstable, Term::Cubic)),
        kept("independent", 2000, 2.5, world(10, 5, 1, Independent, Term::Cubic)),
        kept("exponential", 2000, 2.5, world(10, 5, 1, Blocks, Term::Exponential)),
        kept("independent-exp", 2000, 2.5, world(10, 5, 1, Independent, Term::Exponential)),
        kept("v-from-s-exp", 2000, 2.5, world(10, 5, 1, UnstableFromStable, Term::Exponential)),
        kept("s-from-v-exp", 2000, 2.5, world(10, 5, 1, StableFromUnstable, Term::Exponential)),
        kept("two-biased", 2000, 2.0, world(10, 5, 2, Blocks, Term::Cubic)),
        kept("negative", 2000, -2.5, world(10, 5, 1, Blocks, Term::Cubic)),
    ]
}

/// The columns that have no part in the outcome: all but the oracle's.
pub fn unstable_names(world: &World) -> Vec<String> {
    world.names().split_off(world.stable)
}

/// One table per test environment.
pub fn test_tables(world: &World, seed: u64) -> Vec<Table<'static>> {
    let draw = |(k, rate)| world.draw(TEST_ROWS, rate, 3_000_000_000 + 100 * seed + k).expect("test rows");
    (0u64..).zip(TEST_RATES).map(draw).collect()
}

/// The mean squared error, averaged over the test environments.
pub fn test_error(model: &FittedModel, tests: &[Table]) -> f64 {
    let error = |test: &Table| {
        let Values::Number(truth) = &test.column("y").expect("the outcome").values else {
            unreachable!("simulated columns are numbers")
        };
        let rows = model.encoding.encode(test).expect("encoding").0;
        mean_squared_error(&truth.to_vec(), &model.model.predict(&rows))
    };
    tests.iter().map(error).sum::<f64>() / tests.len() as f64
}
