//! A set that falls short: predictions are half-way to those of a fit on all columns, and the model says what it needs.
//!
//! `models/short.csv` has one strong effect and eight weak ones, of which 300 rows show some.

use stablevar::design::Roles;
use stablevar::estimator::Estimator;
use stablevar::finding::Code;
use stablevar::fit::{FittedModel, fit};
use stablevar::table::Table;
use stablevar_io::{ReadOptions, TableStream, prepare_file, read_table};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/short.csv")
}

fn table() -> Table<'static> {
    read_table(&file(), &ReadOptions::default()).unwrap()
}

fn fitted(estimator: Estimator) -> FittedModel {
    estimator.target("y").fit(&table()).unwrap().model
}

fn svi() -> Estimator {
    Estimator::new("svi").unwrap()
}

#[test]
fn predictions_are_the_mean_of_two_fits() {
    let (model, all) = (fitted(svi()), fitted(Estimator::new("ols").unwrap()));
    let chosen = fitted(svi().set("refit", "robust").unwrap());
    assert!(!model.sufficiency.unwrap().sufficient);
    assert_eq!(model.refit.as_ref().unwrap().chosen, "robust, half-way to all columns");
    assert!(model.warnings.iter().any(|finding| finding.code == Code::HalfwayToAll));
    // A refit that was asked for stays with the variables chosen.
    assert_eq!((model.selected.len(), model.used().len()), (5, 9));
    assert_eq!((&chosen.selected, chosen.used()), (&model.selected, &model.selected[..]));
    let predicted = [&model, &chosen, &all].map(|model| model.predict(&table()).unwrap());
    let [predicted, chosen, all] = predicted;
    for row in 0..predicted.len() {
        assert!((predicted[row] - 0.5 * (chosen[row] + all[row])).abs() < 1e-9, "row {row}");
    }
}

#[test]
fn what_was_told_to_be_unstable_is_in_neither_fit() {
    let model = fitted(svi().set("unstable", vec!["x2".to_string()]).unwrap());
    assert!(model.refit.as_ref().unwrap().candidate.beside_all, "{:?}", model.sufficiency);
    assert!(!model.used_names().contains(&"x2") && model.used().len() == 8);
    model.predict(&table().only(|name| name != "x2")).unwrap();
}

#[test]
fn rows_without_a_column_that_it_needs_are_refused_by_name() {
    let error = fitted(svi()).predict(&table().only(|name| name != "x2")).unwrap_err().to_string();
    assert!(error.contains("'x2'"), "{error}");
}

#[test]
fn rows_in_a_file_give_the_same_predictions() {
    let folder = tempfile::tempdir().unwrap();
    let stream = TableStream::open(&file(), &ReadOptions::default()).unwrap();
    let rows = prepare_file(&stream, &Roles::target("y"), folder.path(), &|_| {}).unwrap();
    let streamed = fit(&rows, &svi().method, 0, &|_| ControlFlow::Continue(())).unwrap().model;
    assert_eq!(streamed.refit.as_ref().unwrap().chosen, "robust, half-way to all columns");
    assert_eq!(streamed.used().len(), 9);
    let [one, other] = [&streamed, &fitted(svi())].map(|model| model.predict(&table()).unwrap());
    assert!(one.iter().zip(&other).all(|(one, other)| (one - other).abs() < 1e-9));
}
