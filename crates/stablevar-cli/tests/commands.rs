//! The commands as users run them.

use crate::common::{Folder, read};
use stablevar::estimator::{Estimator, SETTINGS, setting};
use stablevar::fit::Task;
use stablevar::method::PRESETS;

#[test]
fn demo_compares_the_methods_and_writes_a_page() {
    let folder = Folder::new();
    let run = folder.run(&["demo"]).succeeds();
    let text = run.stdout();
    for word in ["OLS", "STG", "DWR", "SVI", "Oracle", "-1.3", "Mean_Error", "Max_Error", "Report page"] {
        assert!(text.contains(word), "no '{word}' in: {text}");
    }
    assert!(read(&folder.path("stablevar-report.html")).starts_with("<!DOCTYPE html>"));
    let json = folder.run(&["demo", "--format", "json", "--quiet"]).succeeds().json();
    let error = |name: &str| {
        let methods = json["methods"].as_array().unwrap();
        methods.iter().find(|method| method["method"] == name).unwrap()["mean_error"].as_f64().unwrap()
    };
    assert!(error("SVI") < error("OLS") && error("Oracle") < error("OLS"));
}

#[test]
fn fit_prints_one_json_object_with_the_keys_of_the_contract() {
    let folder = Folder::with_sample();
    let run = folder.run(&["fit", "train.csv", "--target", "y", "--format", "json"]);
    let fit = run.json();
    let keys = "method task n p features selected open_probability coefficients intercept n_eff loops converged stop_reason warnings";
    for key in keys.split(' ') {
        assert!(!fit[key].is_null(), "{key}");
    }
    assert_eq!(fit["method"], "svi");
    assert_eq!((fit["n"].as_u64(), fit["p"].as_u64()), (Some(600), Some(10)));
    assert_eq!(fit["features"][9], "v5");
    let selected: Vec<&str> = fit["selected"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let fitted: Vec<&String> = fit["coefficients"].as_object().unwrap().keys().collect();
    assert_eq!(selected, fitted);
    assert_eq!(fit["open_probability"].as_object().unwrap().len(), 10);
    assert_eq!(fit["loops"].as_u64().unwrap() as usize, fit["history"].as_array().unwrap().len());
    assert_eq!(run.code(), if fit["converged"].as_bool().unwrap() { 0 } else { 3 });
}

#[test]
fn a_saved_model_predicts_as_the_coefficients_say_and_files_agree_across_formats() {
    let folder = Folder::with_sample();
    folder.run(&["simulate", "linear", "--n", "600", "--seed", "5", "--out", "train.parquet"]).succeeds();
    folder.run(&["simulate", "linear", "--n", "600", "--seed", "5", "--out", "train.arrow"]).succeeds();
    let fit = |data: &str| {
        folder
            .run(&["fit", data, "--target", "y", "--method", "ols", "--model", "m.json", "--format", "json"])
            .succeeds()
            .json()
    };
    let from_csv = fit("train.csv");
    assert_eq!(from_csv, fit("train.parquet"));
    assert_eq!(from_csv, fit("train.arrow"));

    let predicted = folder.run(&["predict", "m.json", "train.csv"]).succeeds().stdout();
    let lines: Vec<&str> = predicted.lines().collect();
    assert_eq!((lines[0], lines.len()), ("prediction", 601));
    let table = read(&folder.path("train.csv"));
    let second: Vec<f64> = table.lines().nth(2).unwrap().split(',').map(|field| field.parse().unwrap()).collect();
    let coefficients = from_csv["coefficients"].as_object().unwrap();
    let by_hand: f64 = from_csv["intercept"].as_f64().unwrap()
        + coefficients.values().zip(&second).map(|(slope, x)| slope.as_f64().unwrap() * x).sum::<f64>();
    assert!((lines[2].parse::<f64>().unwrap() - by_hand).abs() < 1e-9);
    folder.run(&["predict", "m.json", "train.parquet", "--out", "p.csv"]).succeeds();
    assert_eq!(read(&folder.path("p.csv")), predicted);
}

#[test]
fn evaluate_reports_every_environment_and_their_summary() {
    let folder = Folder::with_sample();
    folder.run(&["fit", "train.csv", "--target", "y", "--method", "ols", "--model", "m.json"]).succeeds();
    folder.run(&["simulate", "linear", "--n", "300", "--environments", "--seed", "1", "--out", "test.csv"]).succeeds();
    let evaluate = |more: &[&str]| {
        folder
            .run(&[&["evaluate", "m.json", "test.csv", "--target", "y", "--env", "environment"], more].concat())
            .succeeds()
    };
    let json = evaluate(&["--format", "json"]).json();
    assert_eq!(json["metric"], "mse");
    let environments = json["environments"].as_object().unwrap();
    assert_eq!(environments.len(), 10);
    assert_eq!(environments["-1.5"]["n"], 300);
    let errors: Vec<f64> = environments.values().map(|entry| entry["error"].as_f64().unwrap()).collect();
    let mean = errors.iter().sum::<f64>() / 10.0;
    assert!((json["mean_error"].as_f64().unwrap() - mean).abs() < 1e-12);
    assert_eq!(json["max_error"].as_f64().unwrap(), errors.iter().copied().fold(0.0, f64::max));
    let spread = (errors.iter().map(|error| (error - mean).powi(2)).sum::<f64>() / 9.0).sqrt();
    assert!((json["std_error"].as_f64().unwrap() - spread).abs() < 1e-12);
    let root = evaluate(&["--format", "json", "--metric", "rmse"]).json();
    assert!(
        (root["environments"]["2"]["error"].as_f64().unwrap().powi(2) - environments["2"]["error"].as_f64().unwrap())
            .abs()
            < 1e-12
    );
    assert!(evaluate(&[]).stdout().contains("Mean_Error"));
    let whole = folder.run(&["evaluate", "m.json", "test.csv", "--format", "json"]).succeeds().json();
    assert_eq!(whole["environments"]["all"]["n"], 3000);
}

#[test]
fn standard_input_and_output_stand_where_a_file_is_expected() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let folder = Folder::with_sample();
    let mut child = Command::new(env!("CARGO_BIN_EXE_stablevar"))
        .args(["fit", "-", "--target", "y", "--method", "ols", "--quiet", "--format", "json", "--model"])
        .arg(folder.path("m.json"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(read(&folder.path("train.csv")).as_bytes()).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    assert!(
        folder
            .run(&["simulate", "linear", "--n", "3"])
            .succeeds()
            .stdout()
            .starts_with("s1,s2,s3,s4,s5,v1,v2,v3,v4,v5,y\n")
    );
}

#[test]
fn text_columns_get_one_gate_and_unseen_values_are_counted() {
    let folder = Folder::new();
    let mut table = String::from("size,colour,flag,y\n");
    for k in 0..300 {
        let colour = ["red", "green", "blue"][k % 3];
        let size = ((k * 37) % 101) as f64 / 10.0;
        let y = 2.0 * size + if colour == "red" { 5.0 } else { 0.0 } + ((k * 13) % 7) as f64 / 10.0;
        table += &format!("{size},{colour},{},{y}\n", (k * 7) % 5 == 0);
    }
    folder.file("t.csv", table);
    let fit = folder.run(&["fit", "t.csv", "--target", "y", "--model", "m.json", "--format", "json"]).succeeds().json();
    assert_eq!(fit["features"], serde_json::json!(["size", "colour", "flag"]));
    assert!(fit["open_probability"]["colour"].as_f64().unwrap() > 0.5);
    assert!((fit["coefficients"]["colour=red"].as_f64().unwrap() - 5.0).abs() < 0.5);
    folder.file("new.csv", "colour,size,flag\nviolet,1.0,true\nred,1.0,false\n");
    let run = folder.run(&["predict", "m.json", "new.csv"]).succeeds();
    assert!(
        run.stderr().contains("'colour' has values that the training data did not have (rows: 1)"),
        "{}",
        run.stderr()
    );
    assert_eq!(run.stdout().lines().count(), 3);
}

#[test]
fn weights_have_one_line_per_row_of_the_table() {
    let folder = Folder::with_sample();
    let text = read(&folder.path("train.csv"));
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    lines[3] = format!(",{}", lines[3].split_once(',').unwrap().1);
    folder.file("gap.csv", lines.join("\n"));
    folder.run(&["fit", "gap.csv", "--target", "y", "--missing", "drop", "--weights", "w.csv"]).succeeds();
    let weights = read(&folder.path("w.csv"));
    let weights: Vec<&str> = weights.lines().collect();
    assert_eq!((weights[0], weights.len()), ("weight", 601));
    assert!(weights[3].trim_matches('"').is_empty() && weights[2].parse::<f64>().is_ok());
    let values: Vec<f64> = weights[1..].iter().filter_map(|weight| weight.parse().ok()).collect();
    assert!((values.iter().sum::<f64>() / values.len() as f64 - 1.0).abs() < 1e-9);
}

#[test]
fn the_answer_does_not_depend_on_threads_and_quiet_is_quiet() {
    let folder = Folder::with_sample();
    let fit = |threads: &str| {
        folder.run(&["--threads", threads, "fit", "train.csv", "--target", "y", "--format", "json", "--quiet"])
    };
    let (one, three) = (fit("1"), fit("3"));
    assert_eq!(one.stdout(), three.stdout());
    assert_eq!(one.stderr(), "");
}

#[test]
fn every_method_fits_predicts_a_line_for_every_row_and_has_a_report() {
    let folder = Folder::with_sample();
    let by_sign = |line: &str| match line.rsplit_once(',').unwrap() {
        (row, "y") => format!("{row},y\n"),
        (row, outcome) => format!("{row},{}\n", if outcome.starts_with('-') { "below" } else { "above" }),
    };
    folder.file("classes.csv", read(&folder.path("train.csv")).lines().map(by_sign).collect::<String>());
    for (preset, task) in
        PRESETS.iter().flat_map(|preset| preset.method().tasks().into_iter().map(move |task| (preset, task)))
    {
        let which = format!("{} for {task:?}", preset.name);
        let (data, told) = match task {
            Task::Regression => ("train.csv", "regression"),
            Task::Classification => ("classes.csv", "classification"),
        };
        let mut fit =
            vec!["fit", data, "--target", "y", "--method", preset.name, "--model", "m.json", "--format", "json"];
        // So that networks and the descent take little time, where the method has them.
        for [option, value] in [["--epochs", "10"], ["--restarts", "1"], ["--steps", "3000"]] {
            if setting(&option[2..]).unwrap().applies(&Estimator::of(preset)) {
                fit.extend([option, value]);
            }
        }
        let run = folder.run(&fit);
        assert!(matches!(run.code(), 0 | 3), "{which}: {}", run.stderr());
        assert!(!run.stderr().contains("has no effect"), "{which}: {}", run.stderr());
        let fit = run.json();
        assert_eq!((&fit["method"], &fit["task"]), (&preset.name.into(), &told.into()), "{which}");

        let predicted = folder.run(&["predict", "m.json", "train.csv"]).succeeds().stdout();
        let rows: Vec<&str> = predicted.lines().skip(1).collect();
        assert_eq!(rows.len(), 600, "{which}");
        for row in rows {
            let number = match task {
                Task::Regression => row,
                Task::Classification => row.strip_prefix("above,").or(row.strip_prefix("below,")).unwrap(),
            };
            assert!(number.parse::<f64>().unwrap().is_finite(), "{which}: {row}");
        }
        folder.run(&["report", "m.json", "--out", "r.html"]).succeeds();
        let stable = preset.method().seeks_stability();
        let title = if stable { "<h1>Stable variables for y</h1>" } else { "<h1>Variables for y</h1>" };
        assert!(read(&folder.path("r.html")).contains(title), "{which}");
    }
}

#[test]
fn a_method_refuses_a_task_that_it_is_not_for_by_its_name() {
    let folder = Folder::with_sample();
    let sample = read(&folder.path("train.csv"));
    let flagged = sample.lines().enumerate().map(|(k, line)| match k {
        0 => format!("{line},flag\n"),
        _ => format!("{line},{}\n", k * 7 % 5 % 2),
    });
    folder.file("flagged.csv", flagged.collect::<String>());
    for (method, task, target) in
        [("ols", "classification", "flag"), ("lasso", "classification", "flag"), ("logistic", "regression", "y")]
    {
        let run = folder.run(&["fit", "flagged.csv", "--target", target, "--method", method, "--task", task]);
        run.fails_with(&["flagged.csv", &format!("{method} can't predict"), &format!("'{target}'")]);
    }
}

#[test]
fn options_by_their_old_names_still_work_and_the_new_ones_are_told() {
    let folder = Folder::with_sample();
    let fit = |more: &[&str]| {
        let run = folder.run(&[&["fit", "train.csv", "--target", "y", "--format", "json"], more].concat());
        assert!(matches!(run.code(), 0 | 3), "{}", run.stderr());
        run
    };
    // Adam, since only its steps have batches.
    let quick = ["--method", "mlp", "--solver", "adam", "--epochs", "5", "--restarts", "1"];
    let gates = ["--evidence", "none"];
    for (base, old, new, value) in [
        (&gates[..], "--lambda", "--penalty", "0.05"),
        (&gates[..], "--lambda-factor", "--penalty-factor", "2"),
        (&quick[..], "--units", "--hidden", "6,3"),
        (&quick[..], "--batch", "--batch-size", "64"),
    ] {
        let (before, now) = (fit(&[base, &[old, value]].concat()), fit(&[base, &[new, value]].concat()));
        assert_eq!(before.json(), now.json(), "{old}");
        assert!(now.json()["coefficients"] != fit(base).json()["coefficients"], "{new} {value} changes nothing");
        let told = format!("{old} is now called {new}");
        assert!(before.stderr().contains(&told) && !now.stderr().contains(&told), "{}", before.stderr());
        let both = folder.run(&["fit", "train.csv", "--target", "y", old, value, new, value]);
        assert_eq!(both.code(), 2, "{}", both.stderr());
    }
}

#[test]
fn help_lists_every_method_and_every_setting() {
    let help = Folder::new().run(&["fit", "--help"]).succeeds().stdout();
    let words: Vec<&str> = help.split(|c: char| c.is_whitespace() || ":,[]()".contains(c)).collect();
    for preset in PRESETS {
        assert!(words.contains(&preset.name), "{} in: {help}", preset.name);
    }
    for setting in SETTINGS {
        assert!(words.contains(&&*format!("--{}", setting.name)), "--{} in: {help}", setting.name);
        assert!(setting.old_names.iter().all(|old| !words.contains(&&*format!("--{old}"))), "{}", setting.name);
    }
}

#[test]
fn a_folder_of_parquet_files_is_one_table() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("parts")).unwrap();
    let mut lines: Vec<String> = Vec::new();
    for (k, seed) in ["9", "10", "11"].into_iter().enumerate() {
        let simulate = |out: &str| {
            folder.run(&["simulate", "linear", "--n", "200", "--seed", seed, "--out", out]).succeeds();
        };
        simulate(&format!("parts/part.{seed}.parquet"));
        simulate("part.csv");
        lines.extend(read(&folder.path("part.csv")).lines().skip(usize::from(k > 0)).map(str::to_string));
    }
    folder.file("all.csv", lines.join("\n"));
    let fit = |data: &str| folder.run(&["fit", data, "--target", "y", "--evidence", "none", "--format", "json"]).json();
    let whole = fit("all.csv");
    assert_eq!(whole["n"], 600);
    assert_eq!(fit("parts"), whole);
    assert_eq!(fit("parts/part.*.parquet"), whole);
}

#[test]
fn a_report_shows_errors_elsewhere_other_models_and_rows_only_when_asked() {
    let folder = Folder::with_sample();
    let fit = ["fit", "train.csv", "--target", "y", "--evidence", "none"];
    folder.run(&[&fit[..], &["--model", "svi.json", "--report", "own.html", "--loops", "30"]].concat()).succeeds();
    folder.run(&["fit", "train.csv", "--target", "y", "--method", "ols", "--model", "least squares.json"]).succeeds();
    let rows: Vec<String> = read(&folder.path("train.csv")).lines().map(str::to_string).collect();
    let placed = |(k, row): (usize, &String)| format!("{row},{}", if k == 0 { "place" } else { ["b", "<i>a"][k % 2] });
    folder.file("tests.csv", rows.iter().enumerate().map(placed).collect::<Vec<_>>().join("\n"));
    let report = ["report", "svi.json", "--out", "r.html", "--evaluate", "tests.csv", "--env", "place"];
    folder.run(&[&report[..], &["--compare", "least squares.json", "--training", "train.csv"]].concat()).succeeds();
    let page = read(&folder.path("r.html"));
    let errors = folder.run(&["evaluate", "svi.json", "tests.csv", "--env", "place", "--format", "json"]).json();
    let error = errors["environments"]["<i>a"]["error"].as_f64().unwrap();
    let shown = format!("<td>&lt;i&gt;a</td><td>{}</td>", stablevar_report::text::number(error));
    assert!(page.contains(&shown) && page.contains("<th scope=\"col\">least squares</th>"), "{shown}");
    // The commands, quoted as a shell needs them; options stand in marks of their own, which keep them whole.
    let text: String = page.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
    assert!(
        text.contains("--compare &#39;least squares.json&#39;") && text.contains("stablevar fit train.csv --target y")
    );
    // The rows' values are there when asked for, and not otherwise.
    let largest = page.split("Rows with the largest weights").nth(1).unwrap();
    let row: usize = largest.split("<td>").nth(1).unwrap().split('<').next().unwrap().replace(',', "").parse().unwrap();
    let outcome = format!("<td>{}</td>", stablevar_report::text::value(rows[row].rsplit(',').next().unwrap()));
    assert!(page.contains(&outcome) && !read(&folder.path("own.html")).contains(&outcome), "{outcome}");
    folder.run(&[&fit[..], &["--report", "own.html", "--report-rows"]].concat()).succeeds();
    assert!(read(&folder.path("own.html")).contains(&outcome), "{outcome}");

    folder.run(&["fit", "train.csv", "--target", "s1", "--method", "ols", "--model", "other.json"]).succeeds();
    folder.run(&[&report[..], &["--compare", "other.json"]].concat()).fails_with(&["predicts 's1', not 'y'"]);
    folder.run(&["report", "svi.json", "--evaluate", "tests.csv", "--metric", "log-loss"]).fails_with(&["no meaning"]);
    folder.run(&["report", "svi.json", "--evaluate", "tests.csv", "--env", "nowhere"]).fails_with(&["nowhere"]);
    folder.file("short.csv", rows[..3].join("\n"));
    folder.run(&["report", "svi.json", "--training", "short.csv"]).fails_with(&["short.csv", "has no row"]);
    assert_eq!(folder.run(&["report", "svi.json", "--compare", "x.json"]).code(), 2);
}

#[test]
fn not_converging_is_exit_code_3_and_everything_is_still_written() {
    let folder = Folder::with_sample();
    let run =
        folder.run(&["fit", "train.csv", "--target", "y", "--method", "dwr", "--steps", "3", "--model", "m.json"]);
    assert_eq!(run.code(), 3);
    assert!(run.stderr().contains("not converged"), "{}", run.stderr());
    folder.run(&["predict", "m.json", "train.csv"]).succeeds();
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let folder = Folder::with_sample();
    for arguments in
        [&["fit", "train.csv"] as &[&str], &["fit", "train.csv", "--target", "y", "--method", "magic"], &["fly"], &[]]
    {
        assert_eq!(folder.run(arguments).code(), 2);
    }
}

#[test]
fn evidence_is_the_default_and_appears_in_table_json_and_model() {
    let folder = Folder::with_sample();
    let fit = |more: &[&str]| folder.run(&[&["fit", "train.csv", "--target", "y"], more].concat()).succeeds();
    let json = fit(&["--format", "json", "--model", "m.json"]).json();
    assert_eq!(json["evidence_source"], "residual");
    let first = &json["evidence"]["s1"];
    for key in ["effect", "standard_error", "t", "p_value", "effect_size", "probability", "effective_sample_size"] {
        assert!(first[key].is_number(), "{key}: {first}");
    }
    assert_eq!(json["open_probability"]["s1"], first["probability"]);
    assert!(read(&folder.path("m.json")).contains("\"p_value\""));
    assert!(
        fit(&[]).stdout().contains("effect: change of the outcome by one unit of it when all others are held fixed")
    );
    assert_eq!(fit(&["--evidence", "focused", "--format", "json"]).json()["evidence_source"], "focused");
    let none = fit(&["--evidence", "none", "--format", "json"]).json();
    assert!(none["evidence"].is_null() && none["evidence_source"].is_null());
    let page = folder.run(&["report", "m.json", "--out", "r.html"]);
    page.succeeds();
    assert!(read(&folder.path("r.html")).contains("effect given all others"));
}

#[test]
fn selection_rules_do_what_they_say() {
    let folder = Folder::with_sample();
    let fit = |more: &[&str]| {
        let common = ["fit", "train.csv", "--target", "y", "--evidence", "focused", "--format", "json"];
        folder.run(&[&common, more].concat()).succeeds().json()
    };
    let names = |json: &serde_json::Value| -> Vec<String> {
        json["selected"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_string()).collect()
    };
    let three = fit(&["--select", "3"]);
    assert_eq!(names(&three).len(), 3);
    let p_value = |json: &serde_json::Value, name: &str| json["evidence"][name]["p_value"].as_f64().unwrap();
    let selected = names(&three);
    let worst = selected.iter().map(|name| p_value(&three, name)).fold(0.0, f64::max);
    for name in three["features"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()) {
        assert!(selected.iter().any(|chosen| chosen == name) || p_value(&three, name) >= worst, "{name}");
    }
    // Every variable, and none.
    assert_eq!(names(&fit(&["--fdr", "1"])).len(), 10);
    let none = fit(&["--fdr", "0"]);
    assert!(names(&none).is_empty());
    assert!(none["warnings"].to_string().contains("no variable was selected"));

    let resampled = fit(&["--resamples", "8", "--least-frequency", "0.75"]);
    let frequency = resampled["selection_frequency"].as_object().unwrap();
    assert_eq!(frequency.len(), 10);
    let often: Vec<&String> =
        frequency.iter().filter(|(_, share)| share.as_f64().unwrap() >= 0.75).map(|(name, _)| name).collect();
    assert_eq!(names(&resampled).iter().collect::<Vec<_>>(), often);
    assert_eq!(resampled, fit(&["--resamples", "8", "--least-frequency", "0.75"]));
}

#[test]
fn of_two_near_copies_one_is_selected_and_the_other_named_as_its_stand_in() {
    let folder = Folder::new();
    let mut text = String::from("x3,x7,other,y\n");
    for k in 0..400u64 {
        // Numbers without a pattern, from a multiplicative generator.
        let draw = |salt: u64| {
            let mut state = (k + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ salt.wrapping_mul(0xD1B5_4A32_D192_ED03);
            state = (state ^ (state >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((state ^ (state >> 29)) % 10_000) as f64 / 5000.0 - 1.0
        };
        let (x, e, other, noise) = (draw(1), draw(2), draw(3), draw(4));
        text += &format!("{x},{},{other},{}\n", x + 0.05 * e, 2.0 * x + noise);
    }
    folder.file("twins.csv", text);
    for evidence in ["focused", "residual"] {
        let fit = ["fit", "twins.csv", "--target", "y", "--evidence", evidence];
        let json = folder.run(&[&fit[..], &["--format", "json"]].concat()).succeeds().json();
        assert_eq!(json["selected"].as_array().unwrap().len(), 1, "{json}");
        let chosen = json["selected"][0].as_str().unwrap();
        let left = if chosen == "x3" { "x7" } else { "x3" };
        assert_eq!(json["stand_ins"][0]["variable"], left);
        assert_eq!(json["stand_ins"][0]["stands_for"], chosen);
        let said = folder.run(&fit).succeeds().stdout();
        assert!(said.contains(&format!("'{left}' could stand in for '{chosen}'")), "{said}");
    }
}

#[test]
fn two_classes_from_fit_to_evaluation() {
    let folder = Folder::new();
    folder.run(&["simulate", "linear", "--n", "1500", "--binary", "3", "--seed", "2", "--out", "train.csv"]).succeeds();
    let labelled: String = read(&folder.path("train.csv"))
        .lines()
        .map(|line| match line.rsplit_once(',').unwrap() {
            (row, "0") => format!("{row},no\n"),
            (row, "1") => format!("{row},yes\n"),
            (row, name) => format!("{row},{name}\n"),
        })
        .collect();
    folder.file("text.csv", labelled);
    for method in ["svi", "svi-d", "stg", "dwr", "logistic"] {
        let fit = |data: &str, model: &str| {
            let more: &[&str] = if method == "dwr" { &["--reweighter", "balance"] } else { &[] };
            let common = ["fit", data, "--target", "y", "--method", method, "--format", "json", "--model", model];
            folder.run(&[&common, more].concat()).json()
        };
        let (numbers, text) = (fit("train.csv", "n.json"), fit("text.csv", "t.json"));
        assert_eq!(numbers["task"], "classification", "{method}");
        assert_eq!(text["classes"], serde_json::json!(["no", "yes"]));
        assert_eq!(numbers["coefficients"], text["coefficients"]);
        let (plain, said) = (
            folder.run(&["predict", "n.json", "train.csv"]).succeeds().stdout(),
            folder.run(&["predict", "t.json", "text.csv"]).succeeds().stdout(),
        );
        assert!(said.starts_with("prediction,probability\n"));
        for (a, b) in plain.lines().zip(said.lines()).skip(1) {
            let ((label, p), (word, q)) = (a.split_once(',').unwrap(), b.split_once(',').unwrap());
            assert_eq!((word, p), (if label == "1" { "yes" } else { "no" }, q));
            assert_eq!(p.parse::<f64>().unwrap() >= 0.5, label == "1");
        }
        let errors =
            folder.run(&["evaluate", "t.json", "text.csv", "--target", "y", "--format", "json"]).succeeds().json();
        assert_eq!(errors["metric"], "error-rate");
        let all = &errors["environments"]["all"];
        assert!(all["error"].as_f64().unwrap() < 0.4 && all["auc"].as_f64().unwrap() > 0.65, "{method}: {all}");
        assert_eq!(all["error"], all["error_rate"]);
    }
}

#[test]
fn rare_and_separated_classes_are_pointed_out() {
    let folder = Folder::new();
    let mut text = String::from("a,b,y\n");
    for k in 0..400 {
        text +=
            &format!("{},{},{}\n", (k * 37) % 101, (k * 53) % 89, if (k * 37) % 101 > 96 { "sick" } else { "healthy" });
    }
    folder.file("rare.csv", text);
    let run = folder.run(&["fit", "rare.csv", "--target", "y", "--method", "logistic", "--format", "json"]);
    let warnings = run.json()["warnings"].to_string();
    assert!(warnings.contains("of the rows are 'sick'") && warnings.contains("without error"), "{warnings}");
}

#[test]
fn evidence_says_when_rows_are_few_for_the_columns_or_only_some_were_used() {
    let folder = Folder::with_sample();
    let warnings = |more: &[&str]| {
        let common = ["fit", "train.csv", "--target", "y", "--evidence", "focused", "--format", "json"];
        folder.run(&[&common, more].concat()).succeeds().json()["warnings"].to_string()
    };
    assert!(warnings(&["--evidence-rows", "150"]).contains("150 of the 600 rows"));
    assert!(!warnings(&[]).contains("(after encoding) are many"));
    let head: String = read(&folder.path("train.csv")).lines().take(31).map(|line| format!("{line}\n")).collect();
    folder.file("train.csv", head);
    assert!(warnings(&[]).contains("10 columns (after encoding) are many for 30 rows"));
}

#[test]
fn nonlinear_data_are_fitted_saved_and_predicted_by_networks() {
    let folder = Folder::new();
    let simulate = ["simulate", "nonlinear", "--network", "3", "--n"];
    folder.run(&[&simulate[..], &["3000", "--r", "2.2", "--seed", "1", "--out", "train.csv"]].concat()).succeeds();
    folder
        .run(&[&simulate[..], &["200", "--environments", "--seed", "2", "--out", "test.parquet"]].concat())
        .succeeds();
    let fit = |extra: &[&str]| {
        let model = ["fit", "train.csv", "--target", "y", "--model", "m.json", "--format", "json"];
        folder.run(&[&model[..], extra].concat()).succeeds().json()
    };
    let svi = fit(&["--method", "nonlinear-svi", "--seed", "4"]);
    assert_eq!(svi["selected"], serde_json::json!(["s1", "s2", "s3", "s4", "s5"]));
    assert_eq!((&svi["model"], &svi["intercept"]), (&"network".into(), &serde_json::Value::Null));
    assert_eq!(svi["evidence_source"], "network");
    assert!(svi["truncated_share"].as_f64().unwrap() < 0.1);
    let distance = |when: &str| svi["distance_correlation"][when].as_f64().unwrap();
    assert!(distance("after") < distance("before"));
    let evaluate = ["evaluate", "m.json", "test.parquet", "--target", "y", "--env", "environment", "--format", "json"];
    let errors = folder.run(&evaluate).succeeds().json();
    assert!(errors["max_error"].as_f64().unwrap() < 0.3, "{errors}");
    assert_eq!(folder.run(&["predict", "m.json", "test.parquet"]).succeeds().stdout().lines().count(), 2001);

    let mlp = fit(&["--method", "mlp", "--units", "16,8", "--epochs", "30"]);
    assert_eq!(mlp["settings"]["hidden"], serde_json::json!([16, 8]));
    assert_eq!(mlp["selected"].as_array().unwrap().len(), 10);
    let worse = folder.run(&evaluate).succeeds().json();
    assert!(worse["max_error"].as_f64().unwrap() > errors["max_error"].as_f64().unwrap());

    let stg = fit(&["--method", "stg", "--gates", "network"]);
    assert!(stg["penalty_path"].as_array().unwrap().len() > 5 && stg["model"] == "network");
    assert!(stg["separation"].as_f64().unwrap() > 0.0);
    let srdo = fit(&["--method", "srdo", "--classifier", "quadratic", "--refit", "linear", "--weight-limit", "10"]);
    assert!(srdo["n_eff"].as_f64().unwrap() < 2500.0 && srdo["model"] == "linear");
    folder.run(&["fit", "train.csv", "--target", "y", "--method", "nonlinear-svi"]).succeeds();
    folder.run(&["report", "m.json", "--out", "r.html"]).succeeds();
}

#[test]
fn boosted_trees_are_fitted_saved_told_of_and_predicted() {
    let folder = Folder::with_sample();
    let fit = ["fit", "train.csv", "--target", "y", "--refit", "trees", "--model", "m.json", "--report", "r.html"];
    let told = folder.run(&[&fit[..], &["--tree-rounds", "40", "--format", "json"]].concat()).succeeds().json();
    assert_eq!((&told["model"], &told["intercept"]), (&"trees".into(), &serde_json::Value::Null));
    assert_eq!((&told["refit"]["chosen"], &told["settings"]["tree-rounds"]), (&"trees".into(), &40.into()));
    let selected = told["selected"].as_array().unwrap();
    let influence = told["influence"].as_object().unwrap();
    assert!(influence.len() == selected.len() && influence.values().all(|value| value.as_f64().unwrap() > 0.0));
    assert!(read(&folder.path("r.html")).contains("dealt out anew"));
    let printed = folder.run(&[&fit[..], &["--tree-rounds", "40"]].concat()).succeeds().stdout();
    assert!(printed.contains("influence") && printed.contains("mean slope"), "{printed}");
    assert_eq!(folder.run(&["predict", "m.json", "train.csv"]).succeeds().stdout().lines().count(), 601);
    let foreseen = folder.run(&["foresee", "m.json", "train.csv", "--format", "json"]).succeeds().json();
    assert!(foreseen["expected_error"].as_f64().unwrap() > 0.0);

    // A tree whose nodes lead nowhere is refused, and so are trees for rows that stay in a file.
    let mut model: serde_json::Value = serde_json::from_str(&read(&folder.path("m.json"))).unwrap();
    let trees = model.pointer_mut("/model/model/trees/trees/0").expect("the trees of the model");
    *trees = serde_json::json!([[0, 0.5, 0], 1.0]);
    folder.file("bad.json", model.to_string());
    folder.run(&["predict", "bad.json", "train.csv"]).fails_with(&["bad.json"]);
    folder.run(&[&fit[..], &["--memory", "1KB"]].concat()).fails_with(&["boosted trees", "--memory"]);
    assert_eq!(folder.run(&[&fit[..], &["--tree-depth", "11"]].concat()).code(), 2);
}

#[test]
fn classes_too_can_have_networks() {
    let folder = Folder::new();
    let simulate = ["simulate", "nonlinear", "--n", "2500", "--binary", "2", "--out", "train.csv"];
    folder.run(&simulate).succeeds();
    let fit = ["fit", "train.csv", "--target", "y", "--method", "mlp", "--model", "m.json", "--format", "json"];
    assert_eq!(folder.run(&fit).succeeds().json()["task"], "classification");
    let predicted = folder.run(&["predict", "m.json", "train.csv"]).succeeds().stdout();
    let mut lines = predicted.lines();
    assert_eq!(lines.next(), Some("prediction,probability"));
    let fields: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert!(["0", "1"].contains(&fields[0]) && (0.0..=1.0).contains(&fields[1].parse::<f64>().unwrap()));
}

/// Rows of ten columns of numbers and an outcome, as Parquet files in a folder.
fn large_table(folder: &Folder, name: &str, rows: usize, parts: usize) {
    use stablevar::table::Table;
    std::fs::create_dir(folder.path(name)).unwrap();
    let value = |row: usize, column: usize| {
        let mixed = (row as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(7 * column as u32 + 1);
        (mixed.wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 11) as f64 / (1u64 << 53) as f64
    };
    for part in 0..parts {
        let own = part * rows / parts..(part + 1) * rows / parts;
        let column = |k: usize| own.clone().map(|row| value(row, k) + 0.5 * value(row, k / 2)).collect::<Vec<f64>>();
        let outcome = own.clone().map(|row| 2.0 * value(row, 0) + value(row, 3) + 0.2 * value(row, 11)).collect();
        let columns = (0..10).map(|k| (format!("x{k}"), column(k))).chain([("y".to_string(), outcome)]);
        let table = Table::from_numbers(columns).unwrap();
        stablevar_io::write_table(&folder.path(&format!("{name}/part-{part}.parquet")), &table).unwrap();
    }
}

#[test]
fn a_table_beyond_the_memory_allowed_is_read_in_chunks_with_the_same_answer() {
    let folder = Folder::new();
    large_table(&folder, "rows", 400_000, 3);
    let run = |memory: &str, name: &str| {
        let (model, weights) = (format!("{name}.json"), format!("{name}.csv"));
        let arguments = ["fit", "rows", "--target", "y", "--evidence", "none", "--format", "json", "--memory", memory];
        folder.run(&[&arguments[..], &["--model", &model, "--weights", &weights]].concat()).succeeds()
    };
    let (there, here) = (run("135MiB", "there"), run("4GiB", "here"));
    assert!(there.stderr().contains("temporary file") && !here.stderr().contains("temporary file"));
    let (there, here) = (there.json(), here.json());
    assert_eq!(there["selected"], here["selected"]);
    for (name, value) in here["coefficients"].as_object().unwrap() {
        let difference = there["coefficients"][name].as_f64().unwrap() - value.as_f64().unwrap();
        assert!(difference.abs() < 1e-9, "{name}: {difference}");
    }
    let weights = |name: &str| -> Vec<f64> {
        let text = std::fs::read_to_string(folder.path(name)).unwrap();
        text.lines().skip(1).map(|line| line.parse().unwrap()).collect()
    };
    let (there, here) = (weights("there.csv"), weights("here.csv"));
    assert_eq!((there.len(), here.len()), (400_000, 400_000));
    assert!(there.iter().zip(&here).all(|(a, b)| (a - b).abs() < 1e-9));
    // Predictions come piece by piece, in the order of the rows.
    folder.run(&["predict", "there.json", "rows", "--out", "all.csv"]).succeeds();
    folder.run(&["predict", "there.json", "rows/part-2.parquet", "--out", "last.csv"]).succeeds();
    let (all, last) = (weights("all.csv"), weights("last.csv"));
    assert_eq!((all.len(), &all[all.len() - last.len()..]), (400_000, &last[..]));
    assert!(folder.names().iter().all(|name| !name.starts_with(".stablevar")));
}

#[test]
fn a_memory_limit_that_can_not_be_kept_is_refused() {
    let folder = Folder::new();
    large_table(&folder, "rows", 400_000, 1);
    let run = folder.run(&["fit", "rows", "--target", "y", "--memory", "100MB", "--model", "model.json"]);
    run.fails_with(&["--memory 95 MiB is too little", "MiB"]);
    let run = folder.run(&["fit", "rows", "--target", "y", "--evidence", "none", "--memory", "lots"]);
    assert!(run.code() == 2 && run.stderr().contains("no unit of memory"), "{}", run.stderr());
    let run = folder.run(&["fit", "rows", "--target", "y", "--method", "lasso", "--memory", "130MiB"]);
    run.fails_with(&["the Lasso needs all rows in memory", "--memory"]);
    assert_eq!(folder.names(), ["rows"]);
}

#[test]
fn weigh_shows_the_path_and_writes_weights_and_a_picture() {
    let folder = Folder::with_sample();
    let run =
        folder.run(&["weigh", "train.csv", "--target", "y", "--path", "--weights", "w.csv", "--chart", "path.svg"]);
    assert_eq!(run.code(), 0, "{}", run.stderr());
    assert!(run.stdout().contains("largest correlation left") && run.stdout().contains("<- the default"));
    let weights = std::fs::read_to_string(folder.path("w.csv")).unwrap();
    assert_eq!(weights.lines().count(), 601);
    assert!(std::fs::read_to_string(folder.path("path.svg")).unwrap().starts_with("<svg"));
    let told = folder.run(&["weigh", "train.csv", "--exclude", "y", "--path", "--format", "json"]);
    let told: serde_json::Value = serde_json::from_str(&told.stdout()).unwrap();
    let points = told["path"]["points"].as_array().unwrap();
    assert_eq!(points[told["path"]["chosen"].as_u64().unwrap() as usize]["n_eff"], told["n_eff"]);
    assert!(points[0]["ridge"].is_null() && points[0]["n_eff"] == 600.0);
}

#[test]
fn weigh_takes_a_ridge_as_it_is_given() {
    let folder = Folder::with_sample();
    let told = |more: &[&str]| -> serde_json::Value {
        let arguments = [&["weigh", "train.csv", "--target", "y", "--format", "json"], more].concat();
        serde_json::from_str(&folder.run(&arguments).stdout()).unwrap()
    };
    let (weak, strong) = (told(&["--ridge", "10"]), told(&["--ridge", "0.1"]));
    assert_eq!(weak["ridge"], 10.0);
    assert!(weak["n_eff"].as_f64() > strong["n_eff"].as_f64());
    assert!(weak["largest_correlation"].as_f64() > strong["largest_correlation"].as_f64());
    assert_eq!(folder.run(&["weigh", "train.csv", "--target", "nothing"]).code(), 1);
}
