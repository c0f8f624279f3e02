//! Worlds other than the paper's Table 1, by default SVI and what it is compared with.
//!
//! `cargo run --release -p stablevar --example worlds -- SEEDS [FIRST_SEED] [WORLD ...]` prints per world the excess over
//! the oracle that is removed, how often exactly the stable variables were selected, which kind was missed or slipped
//! in, and the statistics of the biased column and of the weakest stable one.
//! Without names all worlds are run; `development` stands for those on which defaults were chosen, `kept-apart` for the rest.

use rayon::prelude::*;
use stablevar::Estimator;
use stablevar::design::{Roles, TrainingData};
use stablevar::error::Result;
use stablevar::fit::fit;
use stablevar::method::Method;
use stablevar::metrics::mean_squared_error;
use stablevar::table::{Table, Values};
use stablevar_data::simulate::{Dependence, Signal, TEST_RATES, Term, World};
use std::ops::ControlFlow;

const TEST_ROWS: usize = 2000;

struct Scenario {
    name: &'static str,
    rows: usize,
    rate: f64,
    world: World,
    development: bool,
}

fn scenarios() -> Vec<Scenario> {
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
        development("dev-cubic", 1500, 2.5, world(12, 4, 1, StableFromUnstable, Term::Cubic)),
        development("dev-steep", 2500, 2.0, world(8, 4, 1, Independent, Term::Exponential)),
        development("dev-steep-tied", 1500, 2.0, world(8, 4, 1, StableFromUnstable, Term::Exponential)),
        development("dev-linear", 1000, 2.5, world(10, 5, 1, Blocks, Term::None)),
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

fn methods() -> Vec<(&'static str, Method)> {
    let ols = || Method::named("ols").expect("a preset");
    // The same refit for all, so that they differ in what decides only.
    let svi = |evidence: &str| -> Result<Method> {
        Ok(Estimator::new("svi")?.set("evidence", evidence)?.set("refit", "linear")?.method)
    };
    let by = |evidence| (evidence, svi(evidence).expect("a source of evidence"));
    let _ = by; vec![("OLS", ols()), ("Oracle", ols()), ("default", Method::default())]
}

struct Run {
    error: f64,
    exact: bool,
    missed: usize,
    biased_in: bool,
    others_in: usize,
    biased_t: f64,
    weakest_t: f64,
    seconds: f64,
}

fn numbers(table: &Table, name: &str) -> Vec<f64> {
    match &table.column(name).expect("a simulated column").values {
        Values::Number(values) => values.to_vec(),
        _ => unreachable!("simulated columns are numbers"),
    }
}

fn run(scenario: &Scenario, seed: u64) -> Vec<Run> {
    let world = &scenario.world;
    let table = world.draw(scenario.rows, scenario.rate, seed).expect("training rows");
    let tests: Vec<Table> = (0u64..)
        .zip(TEST_RATES)
        .map(|(k, rate)| world.draw(TEST_ROWS, rate, 3_000_000_000 + 100 * seed + k).expect("test rows"))
        .collect();
    let unstable: Vec<String> = world.names().into_iter().filter(|name| name.starts_with('v')).collect();
    methods()
        .into_iter()
        .map(|(name, method)| {
            let exclude = if name == "Oracle" { unstable.clone() } else { Vec::new() };
            let data = TrainingData::prepare(&table, &Roles { exclude, ..Roles::target("y") }).expect("training data");
            let start = std::time::Instant::now();
            let model = fit(&data, &method, seed, &|_| ControlFlow::Continue(())).expect("a fit").model;
            let seconds = start.elapsed().as_secs_f64();
            let errors = tests.iter().map(|test| {
                mean_squared_error(
                    &numbers(test, "y"),
                    &model.model.predict(&model.encoding.encode(test).expect("encoding").0),
                )
            });
            let error = errors.sum::<f64>() / TEST_RATES.len() as f64;
            let within = |range: std::ops::Range<usize>| model.selected.iter().filter(|&v| range.contains(v)).count();
            let first_biased = world.columns - world.biased;
            let t = |variable: usize| model.evidence.as_ref().map_or(f64::NAN, |evidence| evidence[variable].t.abs());
            Run {
                error,
                exact: model.selected == (0..world.stable).collect::<Vec<_>>(),
                missed: world.stable - within(0..world.stable),
                biased_in: within(first_biased..world.columns) > 0,
                others_in: within(world.stable..first_biased),
                biased_t: (first_biased..world.columns).map(t).fold(0.0, f64::max),
                weakest_t: (0..world.stable).map(t).fold(f64::INFINITY, f64::min),
                seconds,
            }
        })
        .collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |k: usize, default: u64| arguments.get(k).map_or(default, |text: &String| text.parse().expect("a number"));
    let (seeds, first) = (number(0, 30), number(1, 0));
    let wanted: Vec<&String> = arguments.iter().skip(2).collect();
    let chosen = |scenario: &Scenario| {
        wanted.is_empty()
            || wanted.iter().any(|name| match name.as_str() {
                "development" => scenario.development,
                "kept-apart" => !scenario.development,
                name => scenario.name == name,
            })
    };
    println!(
        "| world | method | mean error | removed | exact | stable missed | biased in | others in | t of biased, mean | t of weakest stable, mean | seconds |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for scenario in scenarios().into_iter().filter(chosen) {
        let runs: Vec<Vec<Run>> = (first..first + seeds).into_par_iter().map(|seed| run(&scenario, seed)).collect();
        let mean =
            |value: &dyn Fn(&Run) -> f64, m: usize| runs.iter().map(|run| value(&run[m])).sum::<f64>() / seeds as f64;
        let error = |m: usize| mean(&|run| run.error, m);
        for (m, (name, _)) in methods().into_iter().enumerate() {
            println!(
                "| {} | {name} | {:.4} | {:.1} % | {:.0} % | {:.2} | {:.0} % | {:.2} | {:.2} | {:.2} | {:.2} |",
                scenario.name,
                error(m),
                100.0 * (error(0) - error(m)) / (error(0) - error(1)),
                100.0 * mean(&|run| f64::from(run.exact), m),
                mean(&|run| run.missed as f64, m),
                100.0 * mean(&|run| f64::from(run.biased_in), m),
                mean(&|run| run.others_in as f64, m),
                mean(&|run| run.biased_t, m),
                mean(&|run| run.weakest_t, m),
                mean(&|run| run.seconds, m),
            );
        }
    }
}
