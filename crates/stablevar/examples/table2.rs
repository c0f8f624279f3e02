//! The five cells of the paper's Table 2, by every nonlinear method, over many seeds, each with a network of its own
//! behind the data.
//!
//! `cargo run --release -p stablevar --example table2 -- 10` prints, per cell and method, Mean, Std and Max_Error over
//! the ten test environments (errors averaged over the seeds first), the share of the MLP's excess over
//! the oracle (an MLP on the stable columns alone) that is removed, and how often exactly the stable variables were
//! selected. Further arguments choose methods by a part of their name.

use rayon::prelude::*;
use stablevar::design::{Roles, TrainingData};
use stablevar::fit::{Method, fit};
use stablevar::gates::{AnyGates, NetworkGates};
use stablevar::metrics::{ErrorSummary, mean_squared_error};
use stablevar::models::{Mlp, Refit};
use stablevar::parameter::Fraction;
use stablevar::simulate::{TEST_RATES, World};
use stablevar::table::{Table, Values};
use stablevar::weights::{AnyReweighter, Srdo};
use std::ops::ControlFlow;

const CELLS: [(usize, f64); 5] = [(15_000, 2.0), (20_000, 2.0), (25_000, 2.0), (25_000, 1.8), (25_000, 2.2)];
const TEST_ROWS: usize = 2000;

fn methods() -> Vec<(&'static str, Method)> {
    let wanted: Vec<String> = std::env::args().skip(2).collect();
    let network = || Refit::Network(Mlp::default());
    let gates = AnyGates::Network(NetworkGates::default());
    let methods = vec![
        ("MLP", Method::Mlp(Mlp::default())),
        ("Oracle", Method::Mlp(Mlp::default())),
        ("STG", Method::Stg { gates, threshold: Fraction::constant(0.5), refit: network() }),
        ("SRDO", Method::Srdo { reweighter: AnyReweighter::Srdo(Srdo::default()), refit: network() }),
        ("NonlinearSVI, as published", Method::published_nonlinear()),
        ("NonlinearSVI, iterated", Method::iterated_nonlinear()),
        ("NonlinearSVI", Method::nonlinear()),
    ];
    let is_wanted = |name: &str| {
        ["MLP", "Oracle"].contains(&name)
            || wanted.is_empty()
            || wanted.iter().any(|part| name.ends_with(part.as_str()))
    };
    methods.into_iter().filter(|(name, _)| is_wanted(name)).collect()
}

struct Run {
    errors: Vec<f64>,
    exact: bool,
    converged: bool,
    size: f64,
    seconds: f64,
}

fn numbers(table: &Table, name: &str) -> Vec<f64> {
    match &table.column(name).expect("a simulated column").values {
        Values::Number(values) => values.clone(),
        _ => unreachable!("simulated columns are numbers"),
    }
}

fn run(cell: usize, seed: u64) -> Vec<Run> {
    let (rows, rate) = CELLS[cell];
    let world = World::default().nonlinear(100, seed);
    // Every cell and seed has rows of its own.
    let seed = 1000 * (1 + seed) + 100 * cell as u64;
    let table = world.draw(rows, rate, seed).expect("training rows");
    let tests: Vec<Table> = TEST_RATES
        .iter()
        .enumerate()
        .map(|(k, &rate)| world.draw(TEST_ROWS, rate, 1_000_000_000 + seed + k as u64).expect("test rows"))
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
            let errors = tests
                .iter()
                .map(|test| {
                    mean_squared_error(
                        &numbers(test, "y"),
                        &model.model.predict(&model.encoding.encode(test).expect("encoding").0),
                    )
                })
                .collect();
            let exact = model.selected == (0..world.stable).collect::<Vec<_>>();
            Run { errors, exact, converged: model.converged, size: model.effective_sample_size, seconds }
        })
        .collect()
}

fn main() {
    let seeds: u64 = std::env::args().nth(1).map_or(30, |text| text.parse().expect("a number of seeds"));
    let names: Vec<&str> = methods().iter().map(|(name, _)| *name).collect();
    println!("| n | r | method | Mean | Std | Max | removed | exact | converged | n_eff | ms |");
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let mut removed = vec![0.0; names.len()];
    for (cell, (rows, rate)) in CELLS.into_iter().enumerate() {
        let runs: Vec<Vec<Run>> = (0..seeds).into_par_iter().map(|seed| run(cell, seed)).collect();
        let mean =
            |value: &dyn Fn(&Run) -> f64, m: usize| runs.iter().map(|run| value(&run[m])).sum::<f64>() / seeds as f64;
        let errors =
            |m: usize| -> Vec<f64> { (0..TEST_RATES.len()).map(|e| mean(&|run: &Run| run.errors[e], m)).collect() };
        let summary: Vec<ErrorSummary> = (0..names.len()).filter_map(|m| ErrorSummary::new(&errors(m))).collect();
        for m in 0..names.len() {
            let share =
                1.0 - (summary[m].mean_error - summary[1].mean_error) / (summary[0].mean_error - summary[1].mean_error);
            removed[m] += share / CELLS.len() as f64;
            println!(
                "| {} | {:.1} | {} | {:.3} | {:.3} | {:.3} | {:.0} % | {:.0} % | {:.0} % | {:.0} | {:.0} |",
                rows,
                rate,
                names[m],
                summary[m].mean_error,
                summary[m].std_error,
                summary[m].max_error,
                100.0 * share,
                100.0 * mean(&|run: &Run| f64::from(run.exact), m),
                100.0 * mean(&|run: &Run| f64::from(run.converged), m),
                mean(&|run: &Run| run.size, m),
                1e3 * mean(&|run: &Run| run.seconds, m),
            );
        }
    }
    let average: Vec<String> =
        names.iter().zip(&removed).map(|(name, share)| format!("{name} {:.0} %", 100.0 * share)).collect();
    println!("\nexcess removed, mean over the cells: {}", average.join(", "));
}
