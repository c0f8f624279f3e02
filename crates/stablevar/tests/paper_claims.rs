//! The paper's claims on its own simulated data, over many seeds with one default setting.

use crate::common::{error_on, fit_method, method, method_with, numbers, prepare, published};
use rayon::prelude::*;
use stablevar::design::{Roles, TrainingData};
use stablevar::diagnostics::{remaining_correlation, weighted_correlations};
use stablevar::estimator::Value;
use stablevar::method::Method;
use stablevar::metrics::log_loss;
use stablevar::table::Table;
use stablevar::weights::{Balance, Dwr, Mask, Reweighter};
use stablevar_data::simulate::{Dependence, Signal, TEST_RATES, Term, World};

const SEEDS: u64 = 60;
/// A cell of the paper's Table 1.
struct Cell {
    rows: usize,
    rate: f64,
    /// Error of OLS measured by an independent generator over 150 seeds.
    least_squares: f64,
    /// Share of the excess that SVI as published removes over the 30 samples of the README.
    removed: f64,
    /// Three standard errors of that share over the seeds here. Measured: 0.706, 0.853, 0.907, 0.828 and 0.730 are removed, with
    /// standard errors of 0.076, 0.051, 0.037, 0.054 and 0.085.
    margin: f64,
    /// Samples for SVI guided by evidence, which takes longer, and of them those that it may get wrong.
    judged: (u64, usize),
}

const CELLS: [Cell; 5] = [
    Cell { rows: 1000, rate: 2.5, least_squares: 0.425, removed: 0.71, margin: 0.23, judged: (6, 1) },
    Cell { rows: 1500, rate: 2.5, least_squares: 0.423, removed: 0.84, margin: 0.15, judged: (2, 0) },
    Cell { rows: 2000, rate: 2.5, least_squares: 0.423, removed: 0.77, margin: 0.11, judged: (2, 0) },
    Cell { rows: 1500, rate: 2.0, least_squares: 0.378, removed: 0.85, margin: 0.16, judged: (2, 0) },
    Cell { rows: 1500, rate: 3.0, least_squares: 0.473, removed: 0.71, margin: 0.26, judged: (2, 0) },
];

/// Mean error over the environments of OLS, the oracle and other methods, for every seed.
fn errors(cell: usize, tests: &[Table], seeds: u64, methods: &[Method]) -> Vec<Vec<f64>> {
    let world = World::default();
    let Cell { rows, rate, .. } = CELLS[cell];
    let seeds = (0..seeds).into_par_iter();
    let runs = seeds.map(|seed| {
        let table = world.draw(rows, rate, 1000 * (cell as u64 + 1) + seed).unwrap();
        let mean = |data: &TrainingData, method: &Method| {
            let fit = fit_method(data, method);
            tests.iter().map(|test| error_on(&fit, test)).sum::<f64>() / tests.len() as f64
        };
        let unstable = (1..=5).map(|k| format!("v{k}")).collect();
        let stable_only = TrainingData::prepare(&table, &Roles { exclude: unstable, ..Roles::target("y") }).unwrap();
        let (data, ols) = (prepare(&table), method("ols"));
        let others = methods.iter().map(|method| mean(&data, method));
        [mean(&data, &ols), mean(&stable_only, &ols)].into_iter().chain(others).collect()
    });
    runs.collect()
}

fn mean_over(runs: &[Vec<f64>], of: impl Fn(&[f64]) -> f64) -> f64 {
    runs.iter().map(|run| of(run)).sum::<f64>() / runs.len() as f64
}

/// The share of least squares' excess over the oracle that a method removes, and its standard error over the seeds.
fn removed(runs: &[Vec<f64>], method: usize) -> (f64, f64) {
    let excess = mean_over(runs, |run| run[0] - run[1]);
    let left = mean_over(runs, |run| run[method] - run[1]) / excess;
    // Of a ratio of means, to first order.
    let variance = mean_over(runs, |run| (run[method] - run[1] - left * (run[0] - run[1])).powi(2));
    (1.0 - left, (variance / (runs.len() - 1) as f64).sqrt() / excess)
}

fn test_tables() -> Vec<Table<'static>> {
    let world = World::default();
    (0..).zip(TEST_RATES).map(|(k, rate)| world.draw(10_000, rate, 900_000 + k).unwrap()).collect()
}

#[test]
fn svi_as_published_removes_what_the_readme_reports_of_the_excess_of_least_squares() {
    let tests = test_tables();
    let methods = [method("svi-d"), published()];
    for (number, cell) in CELLS.iter().enumerate() {
        let runs = errors(number, &tests, SEEDS, &methods);
        let place = format!("n = {}, r = {}", cell.rows, cell.rate);
        let (ols, oracle) = (mean_over(&runs, |run| run[0]), mean_over(&runs, |run| run[1]));
        assert!((ols - cell.least_squares).abs() < 0.012, "OLS at {place}: {ols}");
        assert!((oracle - 0.341).abs() < 0.003, "oracle at {place}: {oracle}");
        let ((once, _), (svi, error)) = (removed(&runs, 2), removed(&runs, 3));
        println!("{place}: SVI removes {svi:.3} (standard error {error:.3}), SVI^d {once:.3}");
        assert!(svi > cell.removed - cell.margin, "SVI at {place}: {svi}");
        assert!(svi > once - 0.05, "{place}: SVI {svi}, SVI^d {once}");
    }
}

/// The README reports 100 % in every cell. With the seed 0 that all fits here have, evidence let the biased column in for 1 of
/// the first 16 samples here and 1 of the README's first 16 at 1000 rows, which then removes nothing, and for none of 128 at 1500
/// and 2000 rows.
#[test]
fn svi_guided_by_evidence_removes_all_of_the_excess_of_least_squares() {
    let tests = test_tables();
    for (number, cell) in CELLS.iter().enumerate() {
        let (samples, may_fail) = cell.judged;
        let runs = errors(number, &tests, samples, &[Method::default()]);
        let shares: Vec<f64> = runs.iter().map(|run| (run[0] - run[2]) / (run[0] - run[1])).collect();
        println!("n = {}, r = {}: {shares:.3?}", cell.rows, cell.rate);
        let wrong = shares.iter().filter(|share| **share < 0.99).count();
        assert!(wrong <= may_fail, "n = {}, r = {}: {shares:?}", cell.rows, cell.rate);
    }
}

#[test]
fn balance_decorrelates_and_keeps_more_effective_rows_than_dwr_as_published() {
    let encode = |seed| prepare(&World::default().draw(2000, 2.5, seed).unwrap());
    let mut sizes = [[0.0; 2]; 2];
    for seed in 0..3 {
        let data = encode(seed);
        let stable: Vec<f64> = (0..10).map(|column| f64::from(column < 5)).collect();
        for (which, mask) in [Mask::all(&data), Mask::from_stability(&data, &stable)].into_iter().enumerate() {
            let balanced = Balance::exact().solve(&data, &mask, None).unwrap();
            assert!(balanced.stop.converged());
            assert!(remaining_correlation(&weighted_correlations(&data, &balanced.weights).unwrap(), &mask) < 1e-6);
            let published = Dwr::default().reweigh(&data, &mask, None, 0).unwrap();
            assert!(remaining_correlation(&weighted_correlations(&data, &published.weights).unwrap(), &mask) < 1e-2);
            sizes[which][0] += balanced.weights.effective_sample_size() / 10.0;
            sizes[which][1] += published.weights.effective_sample_size() / 10.0;
        }
    }
    for [balance, published] in sizes {
        assert!(balance >= published, "{balance} and {published}");
    }
}

#[test]
fn the_loop_raises_the_effective_sample_size_and_keeps_the_stable_correlations() {
    let world = World::default();
    for seed in [1, 3] {
        let fit = fit_method(&prepare(&world.draw(3000, 2.5, seed).unwrap()), &published()).model;
        let (first, last) = (&fit.history[0], &fit.history[fit.history.len() - 1]);
        assert!(last.effective_sample_size > 1.3 * first.effective_sample_size);
        let stable: Vec<usize> = (0..5).collect();
        let within = |step: &stablevar::svi::Loop| {
            stablevar::diagnostics::dependence_within(&step.correlations, &stable).unwrap()
        };
        assert!(within(last) > within(first));
        let between = |m: &stablevar::Matrix| stablevar::diagnostics::dependence_between(m, &stable).unwrap();
        assert!(between(&last.correlations) < 0.5 * between(&fit.initial_correlations));
    }
}

/// Beyond the paper: a variable that is judged while all others are held fixed can't confirm itself.
#[test]
fn evidence_finds_the_stable_set_where_the_gates_alone_often_do_not() {
    let world = World::default();
    let mut exact = 0;
    for seed in 0..10u64 {
        let data = prepare(&world.draw(1500, 2.5, 70_000 + seed).unwrap());
        let selected = fit_method(&data, &Method::default()).model.selected;
        // Columns without effect may come along where several seem to count together, the biased one, the last, may not.
        assert!((0..5).all(|stable| selected.contains(&stable)) && !selected.contains(&9), "{seed}: {selected:?}");
        exact += usize::from(selected == [0, 1, 2, 3, 4]);
    }
    assert!(exact >= 8, "{exact} of 10");
}

/// Designs on which nothing was chosen: more columns, other ties between them, another bend, two biased columns.
#[test]
fn evidence_rejects_the_biased_columns_in_other_worlds() {
    let world = |columns, stable, biased, dependence, term| World {
        columns,
        stable,
        biased,
        dependence,
        signal: Signal::Linear { term, bend: 1.0 },
        ..World::default()
    };
    let worlds = [
        world(20, 10, 1, Dependence::Blocks, Term::Cubic),
        world(30, 5, 1, Dependence::Blocks, Term::Cubic),
        world(10, 5, 1, Dependence::UnstableFromStable, Term::Cubic),
        world(10, 5, 1, Dependence::StableFromUnstable, Term::Cubic),
        // Independent columns with this term are the design where one sample in four still fails (docs/evidence.md).
        world(10, 5, 1, Dependence::UnstableFromStable, Term::Exponential),
        world(10, 5, 2, Dependence::Blocks, Term::Cubic),
    ];
    for (number, world) in worlds.iter().enumerate() {
        let rate = if world.biased > 1 { 2.0 } else { 2.5 };
        let tests: Vec<Table> =
            (0..).zip(TEST_RATES).map(|(k, rate)| world.draw(2000, rate, 800_000 + k).unwrap()).collect();
        let mut total = [0.0; 3];
        // Many columns take long.
        for seed in 0..if world.columns > 10 { 1 } else { 2 } {
            let table = world.draw(2000, rate, 810_000 + 10 * number as u64 + seed).unwrap();
            let unstable = world.names().split_off(world.stable);
            let stable_only =
                TrainingData::prepare(&table, &Roles { exclude: unstable, ..Roles::target("y") }).unwrap();
            let data = prepare(&table);
            let fits = [(&data, method("ols")), (&stable_only, method("ols")), (&data, Method::default())];
            for (sum, (data, method)) in total.iter_mut().zip(fits) {
                let fit = fit_method(data, &method);
                *sum += tests.iter().map(|test| error_on(&fit, test)).sum::<f64>();
            }
        }
        let removed = (total[0] - total[2]) / (total[0] - total[1]);
        assert!(removed > 0.8, "world {number}: {removed}");
    }
}

/// Table 2's pattern on one sample: the biased column misleads MLP, STG and SRDO where the correlation turns, and
/// NonlinearSVI leaves it out.
#[test]
fn nonlinear_svi_holds_where_the_correlation_turns_and_the_baselines_do_not() {
    let world = World::default().nonlinear(100, 3);
    let data = prepare(&world.draw(10_000, 2.2, 77).unwrap());
    let turned = world.draw(3000, -3.0, 78).unwrap();
    let alike = world.draw(3000, 2.2, 79).unwrap();
    let fewer_starts = ("restarts", Value::from(2));
    let baselines = [
        method_with("mlp", [fewer_starts.clone()]),
        method_with("stg", [("gates", "network".into()), fewer_starts.clone()]),
        method_with("srdo", [fewer_starts]),
    ];
    let svi = fit_method(&data, &method("nonlinear-svi"));
    assert_eq!(svi.model.selected, [0, 1, 2, 3, 4]);
    let (steady, at_home) = (error_on(&svi, &turned), error_on(&svi, &alike));
    assert!(steady < 0.16 && (steady - at_home).abs() < 0.03, "{steady} {at_home}");
    for method in baselines {
        let error = error_on(&fit_method(&data, &method), &turned);
        assert!(error > steady + 0.03, "{}: {error} against {steady}", method.name());
    }
}

/// The same selection bias with two classes.
#[test]
fn with_two_classes_most_of_the_excess_goes_too() {
    let world = World { log_odds: Some(3.31), ..World::default() };
    let tests: Vec<Table> =
        (0..).zip(TEST_RATES).map(|(k, rate)| world.draw(4000, rate, 900_000 + k).unwrap()).collect();
    let losses: Vec<[f64; 3]> = (0..6)
        .into_par_iter()
        .map(|seed| {
            let table = world.draw(2000, 3.0, 910_000 + seed).unwrap();
            let unstable = world.names().split_off(world.stable);
            let stable_only =
                TrainingData::prepare(&table, &Roles { exclude: unstable, ..Roles::target("y") }).unwrap();
            let data = prepare(&table);
            let loss = |data: &TrainingData, method: &Method| {
                let fit = fit_method(data, method);
                let of = |test: &Table| log_loss(&numbers(test, "y"), &fit.model.predict(test).unwrap());
                tests.iter().map(of).sum::<f64>()
            };
            [loss(&data, &method("logistic")), loss(&stable_only, &method("logistic")), loss(&data, &Method::default())]
        })
        .collect();
    let [logistic, oracle, svi] = [0, 1, 2].map(|k| losses.iter().map(|run| run[k]).sum::<f64>());
    let removed = (logistic - svi) / (logistic - oracle);
    assert!(logistic > oracle && removed > 0.8, "{removed}");
}
