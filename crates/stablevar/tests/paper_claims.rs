//! The paper's claims on its own simulated data, over many seeds with one default setting.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use common::{error_on, fit_method, method, method_with, numbers, prepare, published};
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
/// (rows, bias rate, error of OLS measured by an independent generator over 150 seeds).
const CELLS: [(usize, f64, f64); 5] =
    [(1000, 2.5, 0.425), (1500, 2.5, 0.423), (2000, 2.5, 0.423), (1500, 2.0, 0.378), (1500, 3.0, 0.473)];

/// Mean error over the environments, averaged over seeds, of: OLS, the oracle, SVI^d, SVI.
fn errors(cell: usize, tests: &[Table]) -> [f64; 4] {
    let world = World::default();
    let (rows, rate, _) = CELLS[cell];
    let svi_d = method("svi-d");
    let runs: Vec<[f64; 4]> = (0..SEEDS)
        .into_par_iter()
        .map(|seed| {
            let table = world.draw(rows, rate, 1000 * (cell as u64 + 1) + seed).unwrap();
            let mean = |data: &TrainingData, method: &Method| {
                let fit = fit_method(data, method);
                tests.iter().map(|test| error_on(&fit, test)).sum::<f64>() / tests.len() as f64
            };
            let unstable = (1..=5).map(|k| format!("v{k}")).collect();
            let stable_only =
                TrainingData::prepare(&table, &Roles { exclude: unstable, ..Roles::target("y") }).unwrap();
            let data = prepare(&table);
            [
                mean(&data, &method("ols")),
                mean(&stable_only, &method("ols")),
                mean(&data, &svi_d),
                mean(&data, &published()),
            ]
        })
        .collect();
    std::array::from_fn(|m| runs.iter().map(|run| run[m]).sum::<f64>() / SEEDS as f64)
}

#[test]
fn svi_removes_most_of_what_least_squares_loses_to_the_oracle() {
    let world = World::default();
    let tests: Vec<Table> =
        TEST_RATES.iter().enumerate().map(|(k, &rate)| world.draw(10_000, rate, 900_000 + k as u64).unwrap()).collect();
    let mut mean_removed = 0.0;
    for (cell, (rows, rate, published)) in CELLS.into_iter().enumerate() {
        let [ols, oracle, svi_d, svi] = errors(cell, &tests);
        assert!((ols - published).abs() < 0.012, "OLS at n = {rows}, r = {rate}: {ols}");
        assert!((oracle - 0.341).abs() < 0.003, "oracle at n = {rows}, r = {rate}: {oracle}");
        let removed = |error: f64| 1.0 - (error - oracle) / (ols - oracle);
        assert!(removed(svi) > 0.0, "SVI at n = {rows}, r = {rate}: {svi}");
        assert!(
            removed(svi) > removed(svi_d) - 0.05,
            "n = {rows}, r = {rate}: SVI {}, SVI^d {}",
            removed(svi),
            removed(svi_d)
        );
        mean_removed += removed(svi) / CELLS.len() as f64;
    }
    assert!(mean_removed > 0.6, "{mean_removed}");
}

#[test]
fn balance_decorrelates_and_keeps_more_effective_rows_than_dwr_as_published() {
    let encode = |seed| prepare(&World::default().draw(2000, 2.5, seed).unwrap());
    let mut sizes = [[0.0; 2]; 2];
    for seed in 0..3 {
        let data = encode(seed);
        let stable: Vec<f64> = (0..10).map(|column| f64::from(column < 5)).collect();
        for (which, mask) in [Mask::all(&data), Mask::from_stability(&data, &stable)].into_iter().enumerate() {
            let balanced = Balance::default().solve(&data, &mask, None).unwrap();
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
    let exact = (0..10u64)
        .filter(|&seed| {
            let data = prepare(&world.draw(1500, 2.5, 70_000 + seed).unwrap());
            fit_method(&data, &Method::default()).model.selected == [0, 1, 2, 3, 4]
        })
        .count();
    assert!(exact >= 9, "{exact} of 10");
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
