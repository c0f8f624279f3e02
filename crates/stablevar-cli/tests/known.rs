//! What users know beforehand, rows that a model remembers, and columns that shift, as users run it.

use crate::common::{Folder, read};

/// The sample with a column that names environments.
fn with_places(place: impl Fn(usize) -> String) -> Folder {
    let folder = Folder::with_sample();
    let text = read(&folder.path("train.csv"));
    let lines = text.lines().enumerate().map(|(k, line)| match k {
        0 => format!("{line},place\n"),
        _ => format!("{line},{}\n", place(k - 1)),
    });
    folder.file("places.csv", lines.collect::<String>());
    folder
}

#[test]
fn told_columns_are_shown_in_shell_json_and_page() {
    let folder = Folder::with_sample();
    let given = ["fit", "train.csv", "--target", "y", "--stable", "v1", "--unstable", "s2", "--unstable", "v5"];
    let run = folder.run(&[&given[..], &["--report", "page.html", "--model", "m.json"]].concat()).succeeds();
    assert!(run.stdout().contains("yes, told") && run.stdout().contains("no, told"), "{}", run.stdout());
    assert!(run.stderr().contains("'s2' was told to be unstable"), "{}", run.stderr());
    assert!(run.stderr().contains("keeps 600 of the 600 training rows"), "{}", run.stderr());
    let page = read(&folder.path("page.html"));
    assert!(page.contains("(told to be stable)") && page.contains("(told to be unstable)"));
    let json = folder.run(&[&given[..], &["--format", "json"]].concat()).succeeds().json();
    assert_eq!(json["told"], serde_json::json!({"s2": "unstable", "v1": "stable", "v5": "unstable"}));
    assert_eq!(json["settings"]["unstable"], serde_json::json!(["s2", "v5"]));
    let selected: Vec<&str> = json["selected"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(selected.contains(&"v1") && !selected.contains(&"s2"));
    assert!(json["evidence"]["s2"]["p_value"].as_f64().unwrap() < 1e-3, "it is judged all the same");
    folder.run(&["fit", "train.csv", "--target", "y", "--method", "ols", "--stable", "s1"]).succeeds();
}

#[test]
fn another_choice_from_a_saved_model_keeps_to_what_was_told() {
    let folder = with_places(|k| format!("p{}", k % 3));
    let told = ["--env", "place", "--stable", "v1", "--unstable", "s2", "--model", "m.json"];
    folder.run(&[&["fit", "places.csv", "--target", "y"], &told[..]].concat()).succeeds();
    for more in [&["--data", "places.csv"][..], &[]] {
        let run = folder.run(&[&["reselect", "m.json", "--select", "3", "--format", "json"], more].concat()).succeeds();
        let selected = run.json()["selected"].to_string();
        assert!(selected.contains("v1") && !selected.contains("s2"), "{selected}");
        assert_eq!(run.json()["environments"].is_object(), !more.is_empty());
    }
}

#[test]
fn what_can_not_be_told_is_refused_with_a_hint() {
    let folder = Folder::with_sample();
    let run = |arguments: &[&str]| folder.run(&[&["fit", "train.csv", "--target", "y"], arguments].concat());
    run(&["--stable", "s1", "--unstable", "s1"]).fails_with(&["'s1' can't be stable and be unstable at once"]);
    run(&["--stable", "y"]).fails_with(&["'y' can't be the target and be stable"]);
    run(&["--unstable", "v1", "--exclude", "v1"]).fails_with(&["'v1' can't be left out and be unstable"]);
    run(&["--stable", "sl"]).fails_with(&["train.csv", "no column 'sl'", "hint"]);
    run(&["--select", "1", "--stable", "s1", "--stable", "s2"]).fails_with(&["2 are told to be stable"]);
    run(&["--env", "s1", "--stable", "s1"]).fails_with(&["'s1' can't name the environments and be stable"]);
    let rows: String = (0..40).map(|k| format!("{},1,{}\n", k % 7, (k * 5) % 11)).collect();
    folder.file("same.csv", format!("a,same,y\n{rows}"));
    let constant = folder.run(&["fit", "same.csv", "--target", "y", "--stable", "same"]);
    constant.fails_with(&["'same' was told to be stable", "same value in every row", "--stable"]);
    let slip = folder.run(&["fit", "same.csv", "--target", "y", "--unstable", "sane"]);
    slip.fails_with(&["same.csv", "no column 'sane'", "did you mean 'same'?"]);
}

#[test]
fn environments_are_held_out_and_shown() {
    let folder = with_places(|k| (2000 + k % 4).to_string());
    let given = ["fit", "places.csv", "--target", "y", "--env", "place"];
    let json = folder.run(&[&given[..], &["--format", "json"]].concat()).succeeds().json();
    assert!(!json["features"].to_string().contains("place"));
    assert_eq!(json["refit"]["regions"][0], "'place' = '2000'");
    let places = &json["environments"];
    assert_eq!(places["environments"][3]["name"], "2003");
    let effect = &places["effects"]["s1"];
    assert!(effect["corrected_p_value"].as_f64().unwrap() >= effect["p_value"].as_f64().unwrap(), "{effect}");
    assert!(effect["columns"]["s1"]["2001"]["standard_error"].as_f64().unwrap() > 0.0, "{effect}");
    let run = folder.run(&[&given[..], &["--report", "page.html"]].concat()).succeeds();
    assert!(run.stdout().contains("4 of 4 environments of 'place'"), "{}", run.stdout());
    assert!(run.stdout().contains("without 4 environments of the rows in turn"), "{}", run.stdout());
    assert!(read(&folder.path("page.html")).contains("Effects by environment"));
    let compared = folder.run(&["compare", "places.csv", "--target", "y", "--env", "place", "--quick"]).succeeds();
    assert!(compared.stdout().contains("4 environments held out"), "{}", compared.stdout());
}

#[test]
fn columns_that_name_no_environments_are_refused_or_told() {
    let fit = |folder: &Folder, more: &[&str]| {
        folder.run(&[&["fit", "places.csv", "--target", "y", "--env", "place", "--refit", "linear"], more].concat())
    };
    fit(&with_places(|_| "here".into()), &[]).fails_with(&["places.csv", "'place' is 'here' in every row", "--env"]);
    fit(&with_places(|k| format!("r{k}")), &[]).fails_with(&["'place' names 600 environments for 600 rows", "--env"]);
    let gaps = with_places(|k| if k == 7 { String::new() } else { format!("p{}", k % 3) });
    fit(&gaps, &[]).fails_with(&["missing value", "'place' (1)"]);
    let dropped = fit(&gaps, &["--missing", "mean", "--format", "json"]).succeeds().json();
    assert_eq!(dropped["n"], 599);
    let small = fit(&with_places(|k| if k < 10 { "tiny" } else { ["a", "b"][k % 2] }.into()), &[]).succeeds();
    assert!(small.stderr().contains("too few rows") && small.stderr().contains("'tiny'"), "{}", small.stderr());
    let folder = Folder::with_sample();
    folder.run(&["fit", "train.csv", "--target", "y", "--env", "sl"]).fails_with(&["no column 'sl'"]);
}

#[test]
fn a_region_or_environment_with_one_class_is_told_and_skipped() {
    let rows = (0..900).map(|k| {
        let (a, b) = ((k * 613) % 997, (k * 389) % 997);
        let chance = (k * 211) % 997;
        // In the third place all are of one class.
        let label = if k % 3 == 2 || a + chance > 997 { "yes" } else { "no" };
        format!("{a},{b},{},{label}\n", ["x", "y", "z"][k % 3])
    });
    let folder = Folder::new();
    folder.file("t.csv", format!("a,b,place,y\n{}", rows.collect::<String>()));
    let run = folder.run(&["fit", "t.csv", "--target", "y", "--env", "place"]).succeeds();
    assert!(run.stderr().contains("'place' = 'z'") && run.stderr().contains("a class"), "{}", run.stderr());
    let plain = folder.run(&["fit", "t.csv", "--target", "y"]).succeeds();
    assert!(plain.stderr().contains("could not be held out"), "{}", plain.stderr());
}

#[test]
fn a_model_without_memory_says_why_it_can_not_foresee() {
    let folder = Folder::with_sample();
    let fit = ["fit", "train.csv", "--target", "y", "--method", "ols", "--remember", "0", "--model", "m.json"];
    let run = folder.run(&fit).succeeds();
    assert!(!run.stderr().contains("training rows with their outcomes"), "{}", run.stderr());
    folder.run(&["foresee", "m.json", "train.csv"]).fails_with(&["asked to keep none", "--remember"]);
    folder.run(&["shift", "m.json"]).fails_with(&["m.json", "asked to keep none", "--remember"]);
    folder.run(&["report", "m.json", "--out", "page.html"]).succeeds();
    assert!(read(&folder.path("page.html")).contains("asked to keep none"));
    assert!(!read(&folder.path("m.json")).contains("\"predicted\""), "no training row is in the file");
}

#[test]
fn shifts_of_one_column_two_and_all_are_printed() {
    let folder = Folder::with_sample();
    folder.run(&["fit", "train.csv", "--target", "y", "--method", "ols", "--model", "m.json", "--report", "page.html"]);
    let shift = |more: &[&str]| folder.run(&[&["shift", "m.json"], more].concat());
    assert!(shift(&[]).succeeds().stdout().contains("largest rise: of the error"));
    assert!(shift(&["--column", "v5"]).succeeds().stdout().contains("effective rows"));
    let curve = shift(&["--column", "v5", "--format", "json"]).succeeds().json();
    assert_eq!(curve["points"].as_array().unwrap().len(), 17);
    assert!(shift(&["--column", "v5", "--column", "s1"]).succeeds().stdout().contains("'v5' (down) and 's1' (across)"));
    let grid = shift(&["--column", "v5", "--column", "s1", "--format", "json"]).succeeds().json();
    assert!(grid["error"][4][4].as_f64().unwrap() > 0.0 && grid["shift"].as_array().unwrap().len() == 9);
    shift(&["--column", "v55"]).fails_with(&["no column 'v55'", "the columns are"]);
    shift(&["--column", "v5", "--column", "v5"]).fails_with(&["stands twice"]);
    shift(&["--column", "a", "--column", "b", "--column", "c"]).fails_with(&["3 columns"]);
    assert!(read(&folder.path("page.html")).contains("The error under shifts of two columns"));
}

#[test]
fn the_honest_estimate_is_among_the_candidates() {
    let folder = Folder::with_sample();
    let json = folder.run(&["compare", "train.csv", "--target", "y", "--format", "json"]).succeeds().json();
    let candidates = json["candidates"].as_array().unwrap();
    let honest = candidates.iter().find(|one| one["name"] == "svi, selection repeated").unwrap();
    assert!(honest["cv_error"].as_f64().unwrap() > 0.0 && honest["stress_error"].as_f64().unwrap() > 0.0);
}
