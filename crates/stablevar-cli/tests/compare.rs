//! `stablevar compare`, and the refit that a fit chooses.

use crate::common::{Folder, read};

#[test]
fn compare_prints_one_json_object_with_the_keys_of_the_contract() {
    let folder = Folder::with_sample();
    let json = folder
        .run(&["compare", "train.csv", "--target", "y", "--quick", "--format", "json", "--report", "page.html"])
        .succeeds()
        .json();
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["candidates", "chosen", "why", "metric", "regions", "findings"]);
    assert!(json["metric"] == "rmse" && !json["regions"].as_array().unwrap().is_empty() && json["why"].is_string());
    let candidates = json["candidates"].as_array().unwrap();
    for candidate in candidates {
        let mut keys: Vec<&str> = candidate.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        let known = ["columns", "cv_error", "name", "seconds", "standard_error", "stress_error", "stress_worst"];
        assert_eq!(keys, known);
        assert!(candidate["cv_error"].as_f64().unwrap() > 0.0);
    }
    let names: Vec<&str> = candidates.iter().map(|one| one["name"].as_str().unwrap()).collect();
    for name in ["ols", "lasso", "ridge", "svi: robust", "svi: linear", json["chosen"].as_str().unwrap()] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let page = read(&folder.path("page.html"));
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg") && page.contains("svi: robust"));
    // One baseline: what a fit says of its ways to refit is what stands here, and least squares stands here once.
    let fit = folder.run(&["fit", "train.csv", "--target", "y", "--format", "json"]).succeeds().json();
    for told in fit["refit"]["candidates"].as_array().unwrap() {
        let name = format!("svi: {}", told["name"].as_str().unwrap());
        match candidates.iter().find(|one| one["name"] == name.as_str()) {
            Some(one) => assert_eq!(one["stress_error"], told["stress_error"], "{name}"),
            None => assert_eq!(name, "svi: linear, all columns"),
        }
    }
}

#[test]
fn compare_shows_people_a_table_with_saved_models_and_the_honest_estimate() {
    let folder = Folder::with_sample();
    folder.run(&["fit", "train.csv", "--target", "y", "--method", "stg", "--model", "m.json"]);
    let text = folder.run(&["compare", "train.csv", "--target", "y", "--models", "m.json"]).succeeds().stdout();
    for part in ["under stress", "cv rmse", "m.json", "svi, selection repeated", "svi: robust, ridge", "chosen: svi: "]
    {
        assert!(text.contains(part), "no '{part}' in: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80 && !line.contains('…')), "{text}");
}

#[test]
fn a_fit_says_which_refit_was_chosen_and_why() {
    let folder = Folder::with_sample();
    let fit = folder.run(&["fit", "train.csv", "--target", "y", "--model", "m.json", "--format", "json"]).json();
    let refit = &fit["refit"];
    assert!(refit["chosen"].is_string() && refit["n_eff"].as_f64().unwrap() > 0.0 && refit["why"].is_string());
    assert!(refit["candidates"].as_array().unwrap().len() >= 4, "{refit}");
    assert_eq!(fit["settings"]["refit"], "auto");
    let asked = folder.run(&["fit", "train.csv", "--target", "y", "--refit", "robust", "--format", "json"]).json();
    assert_eq!(asked["refit"]["chosen"], "robust");
    assert_eq!(asked["refit"]["candidates"].as_array().unwrap().len(), 0);
    assert!(folder.run(&["fit", "train.csv", "--target", "y"]).stdout().contains("refit: "));
    folder.run(&["report", "m.json", "--out", "page.html"]).succeeds();
    assert!(read(&folder.path("page.html")).contains("The model on the chosen variables"));
}

#[test]
fn what_can_not_be_compared_is_told() {
    let folder = Folder::with_sample();
    let run = |arguments: &[&str]| folder.run(&[&["compare", "train.csv", "--target", "y"], arguments].concat());
    run(&["--also", "logistic"]).fails_with(&["logistic", "can't predict numbers"]);
    run(&["--exclude", "y"]).fails_with(&["'y' can't be the target and be left out"]);
    // Few rows, of which no region and rest are both large enough.
    let rows: String = (0..30).map(|k| format!("{},{}\n", k % 7, (k * 5) % 11)).collect();
    folder.file("few.csv", format!("a,y\n{rows}"));
    folder.run(&["compare", "few.csv", "--target", "y"]).fails_with(&["few.csv", "no region"]);
}
