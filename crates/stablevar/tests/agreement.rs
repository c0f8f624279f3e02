//! Agreement with scikit-learn; `fixtures/make.py` made the answers.

use crate::common::{fit_method, largest_difference, method};
use serde_json::Value;
use stablevar::design::{Roles, TrainingData};
use stablevar::models::{Lasso, lasso_path};
use stablevar::parameter::Positive;
use stablevar::table::Table;

fn fixture() -> Value {
    serde_json::from_str(include_str!("fixtures/linear_models.json")).unwrap()
}

fn vector(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn data(fixture: &Value, weighted: bool) -> TrainingData {
    data_with(fixture, "y", weighted)
}

fn data_with(fixture: &Value, outcome: &str, weighted: bool) -> TrainingData {
    let mut columns: Vec<(String, Vec<f64>)> = fixture["x"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .map(|(k, column)| (format!("x{k}"), vector(column)))
        .collect();
    columns.push(("y".into(), vector(&fixture[outcome])));
    columns.push(("w".into(), vector(&fixture["weights"])));
    let table = Table::from_numbers(columns).unwrap();
    let roles = match weighted {
        true => Roles { weight_column: Some("w".into()), ..Roles::target("y") },
        false => Roles { exclude: vec!["w".into()], ..Roles::target("y") },
    };
    TrainingData::prepare(&table, &roles).unwrap()
}

#[test]
fn least_squares_agrees_with_and_without_weights() {
    let fixture = fixture();
    for (weighted, key) in [(false, "plain"), (true, "weighted")] {
        let model = fit_method(&data(&fixture, weighted), &method("ols")).model;
        assert!(
            largest_difference(&model.model.coefficients(&model.encoding), &vector(&fixture[key]["coefficients"]))
                < 1e-9
        );
        assert!(
            (model.model.intercept(&model.encoding).unwrap() - fixture[key]["intercept"].as_f64().unwrap()).abs()
                < 1e-8
        );
    }
}

#[test]
fn logistic_regression_agrees_with_and_without_weights() {
    let fixture = fixture();
    for (weighted, key) in [(false, "logistic"), (true, "logistic_weighted")] {
        let model = fit_method(&data_with(&fixture, "labels", weighted), &method("logistic")).model;
        let ours = model.model.coefficients(&model.encoding);
        // Relative to the size of each coefficient, since the columns have very different units.
        for (ours, theirs) in ours.iter().zip(vector(&fixture[key]["coefficients"])) {
            assert!((ours - theirs).abs() < 1e-5 * theirs.abs().max(1e-3), "{key}: {ours} {theirs}");
        }
        let intercept = model.model.intercept(&model.encoding).unwrap() - fixture[key]["intercept"].as_f64().unwrap();
        assert!(intercept.abs() < 1e-4, "{key}: {intercept}");
    }
}

#[test]
fn the_lasso_agrees_along_a_path() {
    let fixture = fixture();
    let data = data(&fixture, false);
    let answers = fixture["lasso"].as_array().unwrap();
    let alphas: Vec<f64> = answers.iter().map(|answer| answer["alpha"].as_f64().unwrap()).collect();
    let settings = Lasso { tolerance: Positive::constant(1e-12), ..Lasso::default() };
    let path = lasso_path(&data, &alphas, &settings);
    for (ours, answer) in path.coefficients.iter().zip(answers) {
        let theirs = vector(&answer["coefficients"]);
        assert!(largest_difference(&ours[1..], &theirs) < 1e-8, "alpha {}", answer["alpha"]);
    }
}

#[test]
fn cross_validation_chooses_the_same_penalty() {
    let fixture = fixture();
    let answer = &fixture["cross_validated"];
    let folds: Vec<usize> = vector(&answer["folds"]).iter().map(|&fold| fold as usize).collect();
    let fit = Lasso::default().cross_validate(&data(&fixture, false), &folds);
    assert!((fit.alpha - answer["alpha"].as_f64().unwrap()).abs() < 1e-10);
    assert!(largest_difference(&fit.fit.coefficients[1..], &vector(&answer["coefficients"])) < 1e-6);
    let errors: Vec<f64> = fit.cross_validation.iter().map(|(_, error)| *error).collect();
    assert!(largest_difference(&errors, &vector(&answer["errors"])) < 1e-6);
}
