//! What the tests share.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

use stablevar::design::{Roles, TrainingData};
use stablevar::estimator::{Estimator, Value};
use stablevar::fit::{Fit, fit};
use stablevar::method::Method;
use stablevar::metrics::mean_squared_error;
use stablevar::table::{Table, Values};
use std::ops::ControlFlow;

pub fn numbers(table: &Table, name: &str) -> Vec<f64> {
    match &table.column(name).unwrap().values {
        Values::Number(values) => values.to_vec(),
        other => panic!("'{name}' holds {}", other.kind()),
    }
}

/// All columns of a table of numbers.
pub fn columns(table: &Table) -> Vec<(String, Vec<f64>)> {
    table.columns().iter().map(|column| (column.name.clone(), numbers(table, &column.name))).collect()
}

pub fn prepare(table: &Table) -> TrainingData {
    TrainingData::prepare(table, &Roles::target("y")).unwrap()
}

/// A method by its name with some settings.
pub fn method_with<V: Into<Value>>(name: &str, settings: impl IntoIterator<Item = (&'static str, V)>) -> Method {
    let settings = settings.into_iter().map(|(name, value)| (name.to_string(), value.into()));
    let estimator = Estimator::new(name).unwrap().set_all(settings).unwrap();
    // A setting without effect would leave another method than the one meant.
    assert!(estimator.without_effect().is_empty(), "{name}: {:?}", estimator.without_effect());
    estimator.method
}

/// A method by its name as it is by default.
pub fn method(name: &str) -> Method {
    Method::named(name).unwrap()
}

/// Whether a network is trained anywhere in a method; networks start from random weights.
pub fn has_network(method: &Method) -> bool {
    let of_weights = method.weigh.as_ref().and_then(|reweighter| reweighter.kind().network());
    let of_gates = method.gates().and_then(|gates| gates.network());
    of_weights.or(of_gates).or(method.refit.kind().network()).is_some()
}

/// SVI as published: its gates decide.
pub fn published() -> Method {
    method_with("svi", [("evidence", "none")])
}

pub fn fit_method(data: &TrainingData, method: &Method) -> Fit {
    fit(data, method, 0, &|_| ControlFlow::Continue(())).unwrap()
}

/// Mean squared error on another table.
pub fn error_on(fit: &Fit, table: &Table) -> f64 {
    let (design, _) = fit.model.encoding.encode(table).unwrap();
    mean_squared_error(&numbers(table, "y"), &fit.model.model.predict(&design))
}

pub fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
