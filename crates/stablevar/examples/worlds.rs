//! Worlds other than the paper's Table 1, by default SVI and what it is compared with.
//!
//! `cargo run --release -p stablevar --example worlds -- SEEDS [FIRST_SEED] [WORLD ...]` prints per world the excess over
//! the oracle that is removed, how often exactly the stable variables were selected, which kind was missed or slipped
//! in, and the statistics of the biased column and of the weakest stable one.
//! Without names all worlds are run; `development` stands for those on which defaults were chosen, `kept-apart` for the rest.

mod scenarios;

use rayon::prelude::*;
use scenarios::{Scenario, scenarios, test_error, test_tables, unstable_names};
use stablevar::Estimator;
use stablevar::design::{Roles, TrainingData};
use stablevar::fit::fit;
use stablevar::method::Method;
use std::ops::ControlFlow;

fn methods() -> Vec<(&'static str, Method)> {
    let ols = || Method::named("ols").expect("a preset");
    let published = Estimator::new("svi").and_then(|svi| svi.set("evidence", "none")).expect("a setting").method;
    vec![("OLS", ols()), ("Oracle", ols()), ("as published", published), ("default", Method::default())]
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

fn run(scenario: &Scenario, seed: u64) -> Vec<Run> {
    let world = &scenario.world;
    let table = scenario.draw(seed);
    let (tests, unstable) = (test_tables(world, seed), unstable_names(world));
    methods()
        .into_iter()
        .map(|(name, method)| {
            let exclude = if name == "Oracle" { unstable.clone() } else { Vec::new() };
            let data = TrainingData::prepare(&table, &Roles { exclude, ..Roles::target("y") }).expect("training data");
            let start = std::time::Instant::now();
            let model = fit(&data, &method, seed, &|_| ControlFlow::Continue(())).expect("a fit").model;
            let seconds = start.elapsed().as_secs_f64();
            let within = |range: std::ops::Range<usize>| model.selected.iter().filter(|&v| range.contains(v)).count();
            let first_biased = world.columns - world.biased;
            let t = |variable: usize| model.evidence.as_ref().map_or(f64::NAN, |evidence| evidence[variable].t.abs());
            Run {
                error: test_error(&model, &tests),
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
