//! Model files that ask for more than they hold.

use serde_json::{Value, json};
use stablevar::Estimator;
use stablevar::table::Table;
use stablevar_io::{model_from_json, model_to_json};

fn sound() -> Value {
    let column = |by: usize| (0..40).map(|k| ((k * by) % 13) as f64).collect::<Vec<f64>>();
    let table = Table::from_numbers([("a", column(7)), ("b", column(5)), ("y", column(11))]).unwrap();
    let fit = Estimator::new("ols").unwrap().target("y").fit(&table).unwrap();
    serde_json::from_str(&model_to_json(&fit.model).unwrap()).unwrap()
}

fn refused(change: impl Fn(&mut Value)) {
    let mut model = sound();
    assert!(model_from_json(model.to_string().as_bytes(), "m").is_ok());
    change(&mut model["model"]);
    let error = model_from_json(model.to_string().as_bytes(), "hostile.json").unwrap_err().to_string();
    assert!(error.contains("hostile.json"), "{error}");
}

#[test]
fn what_multiplies_is_refused() {
    // 40,000 times a variable that has 40,000 times a column: once 13 GB for a report.
    refused(|model| {
        model["encoding"]["features"][0]["columns"] = json!(vec![0; 40_000]);
        model["selected"] = json!(vec![0; 40_000]);
    });
    refused(|model| model["selected"] = json!([0, 0]));
    refused(|model| model["encoding"]["features"][0]["columns"] = json!([0, 0]));
    refused(|model| model["encoding"]["features"][1]["columns"] = json!([0]));
    refused(|model| model["encoding"]["columns"][0]["feature"] = json!(1));
}

#[test]
fn sizes_that_nothing_backs_are_refused() {
    refused(|model| model["initial_correlations"] = json!({"rows": 1u64 << 40, "columns": 1u64 << 40, "values": []}));
    refused(|model| model["initial_correlations"] = json!({"rows": 0, "columns": 0, "values": []}));
    refused(|model| model["initial_correlations"] = json!({"rows": u64::MAX, "columns": 2, "values": [1.0, 2.0]}));
    refused(|model| model["selected"] = json!([u64::MAX]));
}
