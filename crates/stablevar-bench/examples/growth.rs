//! How the time of a fit grows with rows and columns, and how `Balance` compares with DWR as published.
//!
//! `cargo run --release -p stablevar-bench --example growth` prints three Markdown tables, each a comparison within one run.

use stablevar::Estimator;
use stablevar::design::{Roles, TrainingData};
use stablevar::diagnostics::{remaining_correlation, weighted_correlations};
use stablevar::fit::fit;
use stablevar::method::Method;
use stablevar::weights::{Balance, Dwr, Mask, Reweighter};
use stablevar_data::simulate::World;
use std::ops::ControlFlow;
use std::time::Instant;

fn sample(rows: usize, columns: usize, seed: u64) -> TrainingData {
    let world = World { columns, stable: 5, ..World::default() };
    let table = world.draw(rows, 2.5, seed).expect("a sample");
    TrainingData::prepare(&table, &Roles::target("y")).expect("training data")
}

/// The least time of some tries: what the work takes when nobody disturbs.
fn seconds(tries: usize, mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..tries {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

/// SVI as published: its gates decide.
fn published() -> Method {
    Estimator::new("svi").and_then(|svi| svi.set("evidence", "none")).expect("a setting of SVI").method
}

fn svi(data: &TrainingData) -> (usize, usize) {
    let model = fit(data, &published(), 0, &|_| ControlFlow::Continue(())).expect("a fit").model;
    (model.history.len(), model.history.iter().map(|step| step.passes).sum())
}

fn growth(title: &str, sizes: &[(usize, usize)], unit: impl Fn(usize, usize) -> f64, unit_name: &str) {
    println!(
        "\n{title}\n\n| rows | columns | loops | passes | s | ns per {unit_name} | the same per pass |\n|---|---|---|---|---|---|---|"
    );
    for &(rows, columns) in sizes {
        let data = sample(rows, columns, 1);
        let (loops, passes) = svi(&data);
        let time = seconds(if rows * columns > 2_000_000 { 1 } else { 3 }, || {
            svi(&data);
        });
        let each = 1e9 * time / unit(rows, columns);
        println!("| {rows} | {columns} | {loops} | {passes} | {time:.3} | {each:.2} | {:.3} |", each / passes as f64);
    }
}

fn main() {
    let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    one_core.install(|| {
        println!("Balance and DWR as published (20,000 steps), 2000 rows, 10 columns, one core, ten seeds\n");
        println!("| pairs | balance ms | published ms | ratio | n_eff balance | n_eff published | correlation left, balance | published |");
        println!("|---|---|---|---|---|---|---|---|");
        for (name, stable) in [("all", 0.0), ("S-V and V-V", 1.0)] {
            let mut sums = [0.0; 6];
            for seed in 0..10 {
                let data = sample(2000, 10, seed);
                let stability: Vec<f64> = (0..10).map(|column| if column < 5 { stable } else { 0.0 }).collect();
                let mask = Mask::from_stability(&data, &stability);
                let published = Dwr { tolerance: stablevar::parameter::Positive::constant(1e-300), ..Dwr::default() };
                let start = Instant::now();
                let descended = published.reweigh(&data, &mask, None, 0).expect("rows in memory");
                let slow = start.elapsed().as_secs_f64();
                let balanced = Balance::exact().solve(&data, &mask, None).expect("rows in memory");
                let values = [
                    seconds(5, || drop(Balance::exact().solve(&data, &mask, None).expect("rows in memory"))),
                    slow,
                    balanced.weights.effective_sample_size(),
                    descended.weights.effective_sample_size(),
                    remaining_correlation(&weighted_correlations(&data, &balanced.weights).expect("rows in memory"), &mask),
                    remaining_correlation(&weighted_correlations(&data, &descended.weights).expect("rows in memory"), &mask),
                ];
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value / 10.0);
            }
            let [fast, slow, size, published, left, published_left] = sums;
            println!(
                "| {name} | {:.2} | {:.0} | {:.0} | {size:.0} | {published:.0} | {left:.1e} | {published_left:.1e} |",
                1e3 * fast,
                1e3 * slow,
                slow / fast
            );
        }
        let small = sample(2000, 10, 1);
        let time = seconds(20, || {
            svi(&small);
        });
        println!("\nOne SVI fit at 2000 rows, 10 columns, one core: {:.1} ms", 1e3 * time);
    });
    growth(
        "SVI and the number of rows (all cores)",
        &[(10_000, 20), (30_000, 20), (100_000, 20), (300_000, 20), (1_000_000, 20)],
        |rows, _| rows as f64,
        "row",
    );
    growth(
        "SVI and the number of columns (all cores)",
        &[(20_000, 20), (20_000, 40), (20_000, 80), (20_000, 160)],
        |rows, columns| (rows * columns * columns) as f64,
        "row and pair of columns",
    );
}
