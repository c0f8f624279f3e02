//! What weights of every strength are worth to least squares on all columns, in simulated worlds.
//!
//! `cargo run --release -p stablevar-bench --example strength` prints a Markdown table: for each world and least share of effective
//! rows the mean and the worst squared error over test environments, relative to no weights (geometric means over seeds).
//! This is what the default strength of `Balance` was chosen by.

use stablevar::design::{Roles, TrainingData};
use stablevar::models::{PlainLinear, Refit};
use stablevar::weights::{Balance, Mask, PathPoint};
use stablevar_data::simulate::{Dependence, Signal, TEST_RATES, Term, World};

const SEEDS: u64 = 10;
const TEST_ROWS: usize = 4000;
/// Least shares of effective rows; the last is exact balance, whatever it leaves.
const SHARES: [f64; 6] = [0.75, 0.5, 1.0 / 3.0, 0.2, 0.1, 0.0];

fn worlds() -> Vec<(String, World, usize, f64)> {
    let bent = |term| World { signal: Signal::Linear { term, bend: 1.0 }, ..World::default() };
    let mut all: Vec<(String, World, usize, f64)> =
        [500, 1000, 2000, 5000].map(|n| (format!("the paper's, n = {n}"), World::default(), n, 2.5)).into();
    all.push(("the paper's, n = 2000, r = 1.5".into(), World::default(), 2000, 1.5));
    let loose = World { stable_correlation: 0.5, unstable_correlation: 0.5, ..World::default() };
    all.push(("correlations of 0.5".into(), loose, 2000, 2.5));
    all.push(("a hinge".into(), bent(Term::Hinge), 2000, 2.5));
    all.push(("truly linear".into(), bent(Term::None), 2000, 2.5));
    for (name, dependence) in
        [("V built from S", Dependence::UnstableFromStable), ("S built from V", Dependence::StableFromUnstable)]
    {
        all.push((format!("{name}, a sine"), World { dependence, ..bent(Term::Sine) }, 2000, 2.5));
    }
    all.push(("20 columns".into(), World::with_columns(20), 2000, 2.0));
    all
}

/// Mean and worst squared error over the test environments.
fn errors(data: &TrainingData, point: &PathPoint, tests: &[(stablevar::Matrix, Vec<f64>)]) -> [f64; 2] {
    let columns: Vec<usize> = (0..data.columns()).collect();
    let fitted = Refit::Linear(PlainLinear).kind().fit(data, &columns, point.weights.weighting(), 0);
    let model = fitted.expect("least squares").model;
    let each: Vec<f64> = tests
        .iter()
        .map(|(design, truth)| {
            let squares = model.predict(design).iter().zip(truth).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
            squares / truth.len() as f64
        })
        .collect();
    [each.iter().sum::<f64>() / each.len() as f64, each.iter().copied().fold(0.0, f64::max)]
}

fn main() {
    let heads: Vec<String> =
        SHARES.iter().map(|share| if *share > 0.0 { format!("{share:.2} n") } else { "exact".into() }).collect();
    println!("| world | {} | the default |\n|---|{}---|", heads.join(" | "), "---|".repeat(SHARES.len()));
    let mut all = [[0.0; 2]; SHARES.len() + 1];
    let worlds = worlds();
    for (name, world, rows, rate) in &worlds {
        let mut sums = [[0.0; 2]; SHARES.len() + 1];
        for seed in 0..SEEDS {
            let table = world.draw(*rows, *rate, seed).expect("a sample");
            let data = TrainingData::prepare(&table, &Roles::target("y")).expect("training data");
            let tests: Vec<(stablevar::Matrix, Vec<f64>)> = TEST_RATES
                .iter()
                .enumerate()
                .map(|(k, &rate)| {
                    let table = world.draw(TEST_ROWS, rate, 1_000_000 + k as u64).expect("a sample");
                    let (design, _) = data.frame.encoding.encode(&table).expect("the same columns");
                    let test = TrainingData::prepare(&table, &Roles::target("y")).expect("a test sample");
                    let truth = test.outcome.iter().map(|y| y * test.frame.target.scale + test.frame.target.mean);
                    (design, truth.collect())
                })
                .collect();
            let path = Balance::default().path(&data, &Mask::all(&data)).expect("a path");
            let plain = errors(&data, &path.points[0], &tests);
            let at_least = |share: f64| {
                let enough = |point: &&PathPoint| point.weights.effective_sample_size() >= share * *rows as f64;
                path.points.iter().rev().find(enough).unwrap_or(&path.points[0])
            };
            let points = SHARES.iter().map(|&share| at_least(share)).chain([&path.points[path.chosen]]);
            for (sum, point) in sums.iter_mut().zip(points) {
                let found = errors(&data, point, &tests);
                (0..2).for_each(|k| sum[k] += (found[k] / plain[k]).ln() / SEEDS as f64);
            }
        }
        print_row(name, &sums);
        all.iter_mut().zip(&sums).for_each(|(all, own)| (0..2).for_each(|k| all[k] += own[k] / worlds.len() as f64));
    }
    print_row("all", &all);
}

fn print_row(name: &str, sums: &[[f64; 2]]) {
    let cells: Vec<String> =
        sums.iter().map(|[mean, worst]| format!("{:.3} / {:.3}", mean.exp(), worst.exp())).collect();
    println!("| {name} | {} |", cells.join(" | "));
}
