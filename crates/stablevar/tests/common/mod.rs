//! What the tests share.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

use stablevar::design::{Roles, TrainingData};
use stablevar::fit::{Fit, Method, fit};
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
