//! Where the time of the evidence goes.
//!
//! `cargo run --release -p stablevar-bench --example evidence [ROWSxCOLUMNS ...]` prints one Markdown table: for every size the time of a
//! default fit, and the seconds that all threads together spent in each part of gathering evidence.

use stablevar::design::{Roles, TrainingData};
use stablevar::evidence::stage_seconds;
use stablevar::fit::fit;
use stablevar::method::Method;
use stablevar_data::simulate::World;
use std::ops::ControlFlow;
use std::time::Instant;

const SIZES: [(usize, usize); 4] = [(2000, 10), (10_000, 20), (100_000, 50), (5000, 300)];

fn main() {
    let size = |text: String| {
        let (rows, columns) = text.split_once('x').expect("ROWSxCOLUMNS");
        (rows.parse().expect("rows"), columns.parse().expect("columns"))
    };
    let asked: Vec<(usize, usize)> = std::env::args().skip(1).map(size).collect();
    let sizes = if asked.is_empty() { SIZES.to_vec() } else { asked };
    let names: Vec<&str> = stage_seconds().into_iter().map(|(name, _)| name).collect();
    println!("| rows | columns | fit, s | {} |\n|{}", names.join(" | "), "---|".repeat(3 + names.len()));
    for (rows, columns) in sizes {
        let world = World { columns, stable: 5, ..World::default() };
        let table = world.draw(rows, 2.5, 1).expect("a sample");
        let data = TrainingData::prepare(&table, &Roles::target("y")).expect("training data");
        let before = stage_seconds();
        let start = Instant::now();
        fit(&data, &Method::default(), 0, &|_| ControlFlow::Continue(())).expect("a fit");
        let whole = start.elapsed().as_secs_f64();
        let parts = stage_seconds().into_iter().zip(before).map(|((_, after), (_, before))| after - before);
        let parts: Vec<String> = parts.map(|seconds| format!("{seconds:.2}")).collect();
        println!("| {rows} | {columns} | {whole:.2} | {} |", parts.join(" | "));
    }
}
