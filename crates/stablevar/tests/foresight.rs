//! What is foreseen against the truth, in simulated worlds whose columns shift while the relation stays.

#[path = "../examples/shifted_worlds/mod.rs"]
mod shifted_worlds;

use shifted_worlds::{Outcome, foreseen};
use stablevar::engine::with_threads;
use stablevar::finding::Code;
use stablevar::fit::FittedModel;
use stablevar::foresight::Trust;
use stablevar::prelude::*;

#[test]
fn errors_elsewhere_are_foreseen_better_than_by_the_training_error() {
    let found: Vec<Outcome> = (1000..1040).filter_map(foreseen).collect();
    let told: Vec<_> = found
        .iter()
        .filter_map(|outcome| {
            let foresight = &outcome.foresight;
            let distance = |error: f64| (error / outcome.truth).ln().abs();
            // Here the relation is what it was; for one that changes the other interval is at least as wide.
            let (low, high) = foresight.interval_same_relation?;
            let wider = foresight.interval?;
            assert!(wider.0 < low && high < wider.1, "{wider:?} {low} {high}");
            let covers = (low..=high).contains(&outcome.truth);
            Some((distance(foresight.expected_error?), distance(foresight.training_error), covers))
        })
        .collect();
    assert!(told.len() >= 25, "{} of {}", told.len(), found.len());
    let median = |of: fn(&(f64, f64, bool)) -> f64| {
        let mut all: Vec<f64> = told.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let (ours, training) = (median(|told| told.0), median(|told| told.1));
    assert!(ours < 0.67 * training, "{ours} {training}");
    let share = |which: fn(&(f64, f64, bool)) -> bool| {
        told.iter().filter(|told| which(told)).count() as f64 / told.len() as f64
    };
    let within = share(|told| told.0 < 1.15f64.ln());
    assert!(within >= 0.75, "{within}");
    let covered = share(|told| told.2);
    assert!(covered >= 0.85, "{covered}");
    // Nothing is given that rests on few rows.
    for outcome in &found {
        let foresight = &outcome.foresight;
        assert_eq!(foresight.expected_error.is_none(), foresight.trust == Trust::No);
        assert!(foresight.expected_error.is_none() || foresight.effective_sample_size >= 100.0);
    }
}

/// Two columns and a text, the first moved; the noise grows with it.
fn table(rows: usize, shift: f64) -> Table<'static> {
    with_texts(rows, shift, &|chance, _| if chance < 0.3 { "left" } else { "right" })
}

/// The same with other texts, by chance or by the row's number.
fn with_texts(rows: usize, shift: f64, text: &dyn Fn(f64, usize) -> &'static str) -> Table<'static> {
    let chance = |k: usize, salt: usize| {
        // A low-discrepancy sequence for each column.
        let step = [0.754_877_666_246_692_8, 0.569_840_290_998_053_2, 0.362_3, 0.137_21, 0.915_7][salt];
        (0.5 + step * (k + 1) as f64).fract()
    };
    let normal = |k: usize, salt: usize| {
        let u = chance(k, salt).clamp(1e-6, 1.0 - 1e-6);
        // Tukey's lambda with 0.1349 is nearly normal.
        (u.powf(0.1349) - (1.0 - u).powf(0.1349)) / 0.1975
    };
    let a: Vec<f64> = (0..rows).map(|k| normal(k, 0) + shift).collect();
    let b: Vec<f64> = (0..rows).map(|k| normal(k, 1)).collect();
    let texts: Vec<&str> = (0..rows).map(|k| text(chance(k, 2), k)).collect();
    let y = (0..rows).map(|k| a[k] + b[k] + (0.5 * a[k]).exp() * normal(k, 3)).collect::<Vec<f64>>();
    let number = |name: &str, values: Vec<f64>| Column { name: name.into(), values: Values::Number(values.into()) };
    let text = Values::Text(TextValues::collect(texts.into_iter().map(Some)));
    Table::new(vec![number("a", a), number("b", b), Column { name: "t".into(), values: text }, number("y", y)]).unwrap()
}

fn model(rows: usize) -> FittedModel {
    Estimator::new("ols").unwrap().target("y").fit(&table(rows, 0.0)).unwrap().model
}

#[test]
fn every_cut_into_parts_and_any_number_of_threads_give_one_answer() {
    let model = model(1500);
    let new = table(3000, 0.4);
    let whole = model.foresee(&new).unwrap();
    let mut rows = model.new_rows().unwrap();
    for part in [0..7, 7..1900, 1900..3000] {
        rows.add(&new.keep_rows(&part.collect::<Vec<usize>>())).unwrap();
    }
    assert_eq!(rows.foresee().unwrap(), whole);
    assert_eq!(with_threads(Some(1), || model.foresee(&new)).unwrap().unwrap(), whole);
    let written = serde_json::to_string(&model).unwrap();
    let read: FittedModel = serde_json::from_str(&written).unwrap();
    assert_eq!(read.foresee(&new).unwrap(), whole);
}

#[test]
fn tilts_reach_the_mean_that_is_asked_for_and_say_where_they_can_not() {
    let model = model(2000);
    let curve = model.shift_curve("a").unwrap();
    let at = |shift: f64| *curve.points.iter().find(|point| point.shift == shift).unwrap();
    // Normal columns: exp(-shift^2) of the rows are left, and the noise' mean square grows by exp(shift).
    let left = at(1.0).effective_sample_size / 2000.0;
    assert!((left / (-1.0f64).exp() - 1.0).abs() < 0.2, "{left}");
    let rise = at(1.0).error.unwrap() / at(0.0).error.unwrap();
    assert!((rise / 0.5f64.exp() - 1.0).abs() < 0.15, "{rise}");
    assert!(at(-1.0).error.unwrap() < at(0.0).error.unwrap());
    assert_eq!(at(0.0).effective_sample_size.round(), 2000.0);
    assert_eq!(model.shift_curves().unwrap()[0].column, "a");
    // A share can't exceed 1: two standard deviations above 0.3 would be 1.2.
    let text = model.shift_curve("t").unwrap();
    assert_eq!(text.level.as_deref(), Some("left"));
    let last = text.points.last().unwrap();
    assert!(last.mean > 1.0 && last.error.is_none(), "{last:?}");
    // Both at once.
    let both = model.shifted(&[("a", 0.5), ("b", 0.5)]).unwrap();
    assert!((both.effective_sample_size / 2000.0 - (-0.5f64).exp()).abs() < 0.1, "{both:?}");
    assert!(model.shifted(&[("z", 0.5)]).is_err() && model.shifted(&[("a", f64::NAN)]).is_err());
    assert!(model.shift_curve("z").is_err());
}

#[test]
fn an_error_that_one_row_makes_is_told() {
    let values = |table: &Table, name: &str| match &table.column(name).unwrap().values {
        Values::Number(values) => values.to_vec(),
        _ => unreachable!(),
    };
    let table = table(1500, 0.0);
    let (a, b, mut y) = (values(&table, "a"), values(&table, "b"), values(&table, "y"));
    let fitted = |y: &[f64]| {
        let columns = [("a", a.clone()), ("b", b.clone()), ("y", y.to_vec())];
        Estimator::new("ols").unwrap().target("y").fit(&Table::from_numbers(columns).unwrap()).unwrap().model
    };
    assert!(fitted(&y).shift_curve("a").unwrap().points.iter().all(|point| !point.rests_on_one_row(false)));
    let greatest = (0..a.len()).max_by(|&i, &j| a[i].total_cmp(&a[j])).unwrap();
    y[greatest] += 1000.0;
    let model = fitted(&y);
    let told = model.foresee(&table).unwrap();
    let finding = told.findings.iter().find(|finding| finding.code == Code::OneRow).unwrap();
    assert!(finding.figures["without"] < 0.5 * told.expected_error.unwrap(), "{finding:?}");
    let curve = model.shift_curve("a").unwrap();
    let point = curve.points.iter().find(|point| point.shift == 1.0).unwrap();
    assert!(point.rests_on_one_row(false) && point.without_one.unwrap() < 0.1 * point.error.unwrap(), "{point:?}");
    // That row alone makes neither the danger of a shift nor the map of two.
    assert!(curve.danger < 2.0 && finding.figures["outcome"] > 900.0, "{} {finding:?}", curve.danger);
    let grid = model.shift_grid("a", "b").unwrap();
    let (fair, now) = grid.fair().unwrap();
    assert!(grid.rests_on_one_row && now < 0.2 * told.training_error, "{now} {}", told.training_error);
    assert_eq!(fair[4][4], Some(now));
}

#[test]
fn a_model_remembers_a_bounded_number_of_rows_whatever_the_method() {
    assert_eq!(model(9000).memory.unwrap().rows(), stablevar::method::REMEMBERED_ROWS);
    for method in ["svi", "lasso", "dwr", "mlp"] {
        let estimator = Estimator::new(method).unwrap().target("y");
        let model = estimator.fit(&table(300, 0.0)).unwrap().model;
        let memory = model.memory.as_ref().unwrap();
        assert_eq!(memory.rows(), 300, "{method}");
        // Held-out errors are near those of the noise.
        let squares: f64 = memory.outcome().iter().zip(memory.predicted()).map(|(y, p)| (y - p).powi(2)).sum();
        assert!((squares / 300.0).sqrt() < 2.0, "{method}: {squares}");
        assert!(model.check().is_ok());
    }
    let few = Estimator::new("ols").unwrap().target("y").fit(&table(15, 0.0)).unwrap().model;
    assert!(few.memory.is_none() && few.foresee(&table(50, 0.0)).is_err());
}

#[test]
fn missing_values_and_columns_that_the_model_does_not_use_do_not_stop_it() {
    let model = model(1500);
    let new = table(800, 0.0);
    let mut columns = new.columns().to_vec();
    if let Values::Number(values) = &mut columns[1].values {
        let mut holes = values.to_vec();
        holes.iter_mut().step_by(10).for_each(|value| *value = f64::NAN);
        *values = holes.into();
    }
    let foresight = model.foresee(&Table::new(columns).unwrap()).unwrap();
    let b = foresight.drift.iter().find(|column| column.name == "b").unwrap();
    assert!((b.missing_share - 0.1).abs() < 1e-9);
    assert!(foresight.expected_error.is_some());
    assert!(foresight.findings.iter().any(|finding| finding.code == stablevar::finding::Code::MissingInNewRows));
}

#[test]
fn levels_that_training_hardly_had_are_new_though_it_had_them() {
    let few = |_: f64, k: usize| match k {
        0..3 => "rare",
        _ if k.is_multiple_of(3) => "left",
        _ => "right",
    };
    let model = Estimator::new("ols").unwrap().target("y").fit(&with_texts(1200, 0.0, &few)).unwrap().model;
    assert_eq!(model.encoding.reference_level(2).map(String::as_str), Some("right"));
    let usual = model.foresee(&with_texts(600, 0.0, &few)).unwrap();
    assert!(usual.outside_share < 0.02 && usual.findings.iter().all(|found| found.code != Code::HardlySeenLevels));
    let often = model.foresee(&with_texts(600, 0.0, &|_, k| if k % 5 < 3 { "rare" } else { "right" })).unwrap();
    let drift = often.drift.iter().find(|column| column.name == "t").unwrap();
    assert_eq!(drift.level.as_deref(), Some("rare"), "{drift:?}");
    assert!((drift.new_mean - 0.6).abs() < 1e-9 && (drift.outside_share - 0.6).abs() < 1e-9, "{drift:?}");
    let finding = often.findings.iter().find(|found| found.code == Code::HardlySeenLevels).unwrap();
    assert_eq!((&finding.variables[..], finding.detail.as_str()), (&["t".to_string(), "rare".into()][..], "right"));
    // Of more than a third nothing is known.
    assert!(often.expected_error.is_none() && often.outside_share >= 0.6);
    // The most frequent level can be the one that moves.
    let fewer = model.foresee(&with_texts(600, 0.0, &|_, k| if k % 10 == 0 { "right" } else { "left" })).unwrap();
    let moved = fewer.findings.iter().find(|found| found.code == Code::ColumnMoved).unwrap();
    assert!(moved.detail.contains("'t=left' +"), "{}", moved.detail);
}
