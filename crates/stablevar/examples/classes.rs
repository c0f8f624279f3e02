//! Two classes under the paper's selection bias, by every linear method, over many seeds.
//!
//! The log-odds are 3.31 f(S): the logistic law then has the variance 0.3 of the noise in the paper's linear data. A second
//! argument sets another factor; `development` as a third one runs other worlds, on which defaults were chosen.
//!
//! `cargo run --release -p stablevar --example classes -- 30` prints, per cell and method, the error rate and the log loss
//! averaged over the ten test environments and the seeds, the share of logistic regression's excess over the
//! oracle (logistic regression on the stable columns) that is removed, by either measure, and how often exactly the stable
//! variables were selected.

use rayon::prelude::*;
use stablevar::Estimator;
use stablevar::design::{Roles, TrainingData};
use stablevar::fit::fit;
use stablevar::method::Method;
use stablevar::metrics::{error_rate, log_loss};
use stablevar::table::{Table, Values};
use stablevar_data::simulate::{Dependence, TEST_RATES, World};
use std::ops::ControlFlow;

const CELLS: [(usize, f64); 5] = [(1000, 2.5), (2000, 2.5), (4000, 2.5), (2000, 2.0), (2000, 3.0)];
const DEVELOPMENT_CELLS: [(usize, f64); 3] = [(800, 2.5), (1200, 2.0), (1200, 3.0)];
const TEST_ROWS: usize = 5000;

fn methods() -> Vec<(&'static str, Method)> {
    let named = |name| Method::named(name).expect("a preset");
    let with = |name, setting, value: &str| {
        Estimator::new(name).and_then(|estimator| estimator.set(setting, value)).expect("a setting").method
    };
    vec![
        ("logistic", named("logistic")),
        ("Oracle", named("logistic")),
        ("STG", named("stg")),
        ("DWR", with("dwr", "reweighter", "balance")),
        ("SVI^d", named("svi-d")),
        ("SVI, as published", with("svi", "evidence", "none")),
        ("SVI", Method::default()),
    ]
}

struct Run {
    errors: f64,
    losses: f64,
    exact: bool,
    missed: usize,
    biased_in: bool,
}

fn numbers(table: &Table, name: &str) -> Vec<f64> {
    match &table.column(name).expect("a simulated column").values {
        Values::Number(values) => values.to_vec(),
        _ => unreachable!("simulated columns are numbers"),
    }
}

fn run(world: &World, (rows, rate): (usize, f64), seed: u64) -> Vec<Run> {
    let table = world.draw(rows, rate, seed).expect("training rows");
    let tests: Vec<Table> = (0..)
        .zip(TEST_RATES)
        .map(|(k, rate)| world.draw(TEST_ROWS, rate, 1_000_000_000 + seed + k).expect("test rows"))
        .collect();
    let unstable: Vec<String> = world.names().into_iter().filter(|name| name.starts_with('v')).collect();
    let runs = methods().into_iter().map(|(name, method)| {
        let exclude = if name == "Oracle" { unstable.clone() } else { Vec::new() };
        let data = TrainingData::prepare(&table, &Roles { exclude, ..Roles::target("y") }).expect("training data");
        let model = fit(&data, &method, seed, &|_| ControlFlow::Continue(())).expect("a fit").model;
        let (mut errors, mut losses) = (0.0, 0.0);
        for test in &tests {
            let (truth, predicted) = (numbers(test, "y"), model.predict(test).expect("predictions"));
            errors += error_rate(&truth, &predicted) / tests.len() as f64;
            losses += log_loss(&truth, &predicted) / tests.len() as f64;
        }
        Run {
            errors,
            losses,
            exact: model.selected == (0..world.stable).collect::<Vec<_>>(),
            missed: (0..world.stable).filter(|variable| !model.selected.contains(variable)).count(),
            biased_in: model.selected.iter().any(|&variable| variable >= world.columns - world.biased),
        }
    });
    runs.collect()
}

fn main() {
    let number =
        |k: usize, default: f64| std::env::args().nth(k).map_or(default, |text| text.parse().expect("a number"));
    let (seeds, factor) = (number(1, 30.0) as u64, number(2, std::f64::consts::PI / 0.9f64.sqrt()));
    let mut world = World { log_odds: Some(factor), ..World::default() };
    let mut cells = CELLS.to_vec();
    let mut first = 0;
    if std::env::args().nth(3).is_some_and(|word| word == "development") {
        world = World { columns: 12, stable: 4, dependence: Dependence::UnstableFromStable, ..world };
        (cells, first) = (DEVELOPMENT_CELLS.to_vec(), 500_000);
    }
    println!(
        "| n | r | method | error rate | log loss | excess error removed | excess log loss removed | exact | stable missed | biased in |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (cell, (rows, rate)) in cells.into_iter().enumerate() {
        let runs: Vec<Vec<Run>> = (0..seeds)
            .into_par_iter()
            .map(|seed| run(&world, (rows, rate), first + 1000 * (1 + seed) + 100 * cell as u64))
            .collect();
        let mean =
            |value: &dyn Fn(&Run) -> f64, m: usize| runs.iter().map(|run| value(&run[m])).sum::<f64>() / seeds as f64;
        for (m, (name, _)) in methods().iter().enumerate() {
            let removed = |value: &dyn Fn(&Run) -> f64| {
                100.0 * (1.0 - (mean(value, m) - mean(value, 1)) / (mean(value, 0) - mean(value, 1)))
            };
            println!(
                "| {rows} | {rate:.1} | {name} | {:.4} | {:.4} | {:.0} % | {:.0} % | {:.0} % | {:.2} | {:.0} % |",
                mean(&|run| run.errors, m),
                mean(&|run| run.losses, m),
                removed(&|run| run.errors),
                removed(&|run| run.losses),
                100.0 * mean(&|run| f64::from(run.exact), m),
                mean(&|run| run.missed as f64, m),
                100.0 * mean(&|run| f64::from(run.biased_in), m),
            );
        }
    }
}
