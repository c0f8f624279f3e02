//! What a person at a shell meets: what is printed, kept, completed and set.

use crate::common::{Folder, read};
use serde_json::json;
use std::io::{BufRead, BufReader};

/// A model of `train.csv` in `m.json`.
fn fitted() -> Folder {
    let folder = Folder::with_sample();
    folder.run(&["fit", "train.csv", "--target", "y", "--model", "m.json"]).succeeds();
    folder
}

#[test]
fn tables_fit_into_eighty_columns_and_their_words_are_explained() {
    let folder = Folder::new();
    let text = read(&{
        folder.run(&["simulate", "linear", "--n", "400", "--seed", "5", "--out", "t.csv"]).succeeds();
        folder.path("t.csv")
    });
    let long = text.replacen("s1,", "a_name_that_is_much_longer_than_any_column_of_a_table_should_be,", 1);
    folder.file("long.csv", long);
    let run = folder.run(&["fit", "long.csv", "--target", "y"]).succeeds();
    let shown = run.stdout();
    let table: Vec<&str> = shown.lines().skip_while(|line| !line.contains("probability")).take(11).collect();
    assert!(table.iter().all(|line| line.chars().count() <= 80), "{table:#?}");
    assert!(table.iter().any(|line| line.contains("a_name") && line.contains("…")), "{table:#?}");
    let p_values = || table[1..].iter().filter_map(|line| line.split_whitespace().last());
    assert!(table[0].ends_with("p-value") && p_values().any(|p| p == "0.99"), "{table:#?}");
    assert!(p_values().any(|p| p.contains("e-")) && p_values().all(|p| p.len() <= 7), "{table:#?}");
    for word in ["probability: that 'y' depends on it", "p-value: how often chance alone"] {
        assert_eq!(shown.matches(word).count(), 1, "{shown}");
    }
    assert!(run.stderr().contains("next: --model"), "{}", run.stderr());
    let all = folder.run(&["fit", "long.csv", "--target", "y", "--verbose", "--model", "m.json"]).succeeds();
    assert!(all.stdout().contains("effect size") && all.stdout().contains("a_name_that_is_much_longer_than_any"));
    for line in ["settings of svi: ", "model written to m.json", "next: stablevar predict m.json"] {
        assert!(all.stderr().contains(line), "{}", all.stderr());
    }
}

#[test]
fn rows_without_weight_are_told() {
    let folder = Folder::with_sample();
    let run = folder.run(&["fit", "train.csv", "--target", "y", "--method", "dwr", "--reweighter", "balance"]);
    let weights = folder.run(&[
        "fit",
        "train.csv",
        "--target",
        "y",
        "--method",
        "dwr",
        "--reweighter",
        "balance",
        "--weights",
        "w.csv",
    ]);
    assert!([run.code(), weights.code()].iter().all(|code| [0, 3].contains(code)), "{}", run.stderr());
    let none = read(&folder.path("w.csv")).lines().filter(|line| *line == "0").count();
    assert!(none > 0, "the sample should have some");
    let told = run.prose();
    let (before, _) = told.split_once(" of 600 rows have weight 0 or next to nothing").expect(&told);
    let number: usize = before.rsplit(' ').next().unwrap().parse().unwrap();
    assert!((none..none + 100).contains(&number), "{number} {none}");
    // The page has the same number.
    folder.run(&[
        "fit",
        "train.csv",
        "--target",
        "y",
        "--method",
        "dwr",
        "--reweighter",
        "balance",
        "--report",
        "p.html",
    ]);
    assert!(read(&folder.path("p.html")).contains(&format!("{number} of the 600 rows")));
}

#[test]
fn several_models_are_evaluated_side_by_side() {
    let folder = fitted();
    folder.run(&["fit", "train.csv", "--target", "y", "--method", "ols", "--model", "ols.json"]).succeeds();
    folder.run(&["simulate", "linear", "--n", "200", "--environments", "--out", "test.csv"]).succeeds();
    let evaluate = |models: &[&str], more: &[&str]| {
        folder.run(&[&["evaluate"], models, &["test.csv", "--env", "environment"], more].concat()).succeeds()
    };
    let both = evaluate(&["m.json", "ols.json"], &["--format", "json"]).json();
    for name in ["m", "ols"] {
        let alone = evaluate(&[&format!("{name}.json")], &["--format", "json"]).json();
        assert_eq!(both["models"][name], alone);
        let environment = &alone["environments"]["-3"];
        let error = environment["error"].as_f64().unwrap();
        let ends = [0, 1].map(|end| environment["interval"][end].as_f64().unwrap());
        assert!(ends[0] < error && error < ends[1] && ends[1] - ends[0] < error, "{environment}");
        // Least squares fails there, which is what the other one is for.
        assert_eq!(environment["r2"].as_f64().unwrap() > 0.5, name == "m", "{environment}");
        assert!(environment["baseline"].as_f64().unwrap() > 0.5, "{environment}");
        assert!(alone["training_error"].as_f64().unwrap() > 0.2);
    }
    assert_eq!(both["mean_error"], both["models"]["m"]["mean_error"]);
    let side_by_side = evaluate(&["m.json", "ols.json"], &[]);
    let shown = side_by_side.stdout();
    let first = |line: &str| line.split_whitespace().next().map(String::from);
    let names: Vec<String> = shown.lines().skip(2).map_while(first).take(10).collect();
    assert_eq!(names, ["-3", "-2", "-1.7", "-1.5", "-1.3", "1.3", "1.5", "1.7", "2", "3"]);
    assert!(side_by_side.prose().contains("it is no standard error"), "{shown}");
    let alone = evaluate(&["m.json"], &[]).stdout();
    assert!(alone.contains("R^2") && alone.contains("90 % interval") && alone.contains("training "), "{alone}");
}

#[test]
fn environments_are_in_natural_order() {
    let folder = fitted();
    let mut rows = read(&folder.path("train.csv"));
    let names = ["p10", "p9", "p1", ""];
    let mut lines: Vec<String> = rows.lines().map(String::from).collect();
    lines[0] += ",place";
    lines.iter_mut().skip(1).enumerate().for_each(|(k, line)| *line += &format!(",{}", names[k % 4]));
    rows = lines.join("\n");
    folder.file("places.csv", rows);
    let run = folder.run(&["evaluate", "m.json", "places.csv", "--env", "place", "--format", "json"]).succeeds();
    let order: Vec<String> = run.json()["environments"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(order, ["p1", "p9", "p10", "(missing)"]);
}

#[test]
fn predictions_keep_ids_and_have_intervals() {
    let folder = fitted();
    let lines: Vec<String> = read(&folder.path("train.csv"))
        .lines()
        .enumerate()
        .map(|(k, line)| if k == 0 { format!("id,{line}") } else { format!("{k:05},{line}") })
        .collect();
    folder.file("ids.csv", lines.join("\n"));
    let run = folder.run(&["predict", "m.json", "ids.csv", "--keep", "id,y", "--interval=0.8"]).succeeds();
    let shown = run.stdout();
    let rows: Vec<Vec<&str>> = shown.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["id", "y", "prediction", "lower", "upper"]);
    assert_eq!((rows[1][0], rows.len()), ("00001", 601));
    let value = |row: &Vec<&str>, column: usize| row[column].parse::<f64>().unwrap();
    let inside = rows[1..].iter().filter(|row| (value(row, 3)..=value(row, 4)).contains(&value(row, 1))).count();
    assert!((0.76..=0.86).contains(&(inside as f64 / 600.0)), "{inside}");
    assert!(run.stderr().contains("hold 80 % of outcomes"), "{}", run.stderr());
    // The level may stand by itself, and be left out wherever the option stands.
    let predict = |words: &[&str]| folder.run(&[&["predict"], words].concat());
    let apart = predict(&["m.json", "ids.csv", "--keep", "id,y", "--interval", "0.8"]).succeeds();
    assert_eq!(apart.stdout(), shown);
    for words in [["--interval", "m.json", "ids.csv"], ["m.json", "--interval", "ids.csv"]] {
        let bare = predict(&words).succeeds();
        assert!(bare.stderr().contains("hold 90 % of outcomes"), "{}", bare.stderr());
    }
    predict(&["m.json", "ids.csv", "--interval", "80"]).fails_with(&["interval", "not 80"]);
    let word = predict(&["m.json", "ids.csv", "--interval", "wide"]);
    assert!(word.code() == 2 && word.stderr().contains("unexpected argument 'wide'"), "{}", word.stderr());
    folder
        .run(&["predict", "m.json", "ids.csv", "--keep", "di"])
        .fails_with(&["no column 'di'", "the columns are: 'id', 's1'"]);
    folder.run(&["predict", "m.json", "ids.csv", "--calibrate"]).fails_with(&["--calibrate is for"]);
    folder.run(&["predict", "m.json", "ids.csv", "--interval=0.9999"]).fails_with(&["too few"]);
}

#[test]
fn probabilities_come_with_how_far_they_can_be_believed() {
    let folder = Folder::new();
    folder.run(&["simulate", "linear", "--n", "800", "--binary", "--seed", "3", "--out", "t.csv"]).succeeds();
    folder.run(&["fit", "t.csv", "--target", "y", "--method", "logistic", "--model", "m.json"]).succeeds();
    let plain = folder.run(&["predict", "m.json", "t.csv"]).succeeds();
    assert!(plain.stderr().contains("points on average (slope"), "{}", plain.stderr());
    let mended = folder.run(&["predict", "m.json", "t.csv", "--calibrate"]).succeeds();
    assert!(mended.stderr().contains("calibrated, they are off by"), "{}", mended.stderr());
    assert_ne!(plain.stdout(), mended.stdout());
    folder.run(&["predict", "m.json", "t.csv", "--interval"]).fails_with(&["--interval is for numbers"]);
}

#[test]
fn settings_are_kept_in_a_file_and_taken_from_it() {
    let folder = Folder::with_sample();
    let fit = ["fit", "train.csv", "--target", "y", "--select", "3", "--exclude", "v1,v2", "--seed", "4"];
    let first = folder.run(&[&fit[..], &["--save-config", "fit.toml", "--format", "json"]].concat()).succeeds().json();
    let text = read(&folder.path("fit.toml"));
    assert!(text.contains("select = 3") && text.contains("target = \"y\""), "{text}");
    let again = |more: &[&str]| {
        folder.run(&[&["fit", "--config", "fit.toml", "--format", "json"], more].concat()).succeeds().json()
    };
    assert_eq!(again(&[])["coefficients"], first["coefficients"]);
    // What is said here counts.
    assert_eq!(again(&["--select", "2"])["selected"].as_array().unwrap().len(), 2);
    assert_eq!(again(&["--threshold", "0.5"])["settings"]["select"], json!(null));
    folder.file("bad.toml", "data = \"train.csv\"\ntarget = \"y\"\nselct = 3\n");
    folder.run(&["fit", "--config", "bad.toml"]).fails_with(&["bad.toml: selct", "select"]);
    folder.file("bad.toml", "target = \"y\"\n");
    folder.run(&["fit", "--config", "bad.toml"]).fails_with(&["say which table"]);
    folder.file("bad.toml", "target = \n");
    folder.run(&["fit", "--config", "bad.toml"]).fails_with(&["bad.toml"]);
}

#[test]
fn shells_get_completions_and_manual_pages() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.run(&["completions", shell]).succeeds().stdout();
        assert!(script.contains("reselect") && script.contains("evidence"), "{shell}");
    }
    folder.run(&["man", "--out", "pages"]).succeeds();
    let page = read(&folder.path("pages/stablevar-fit.1"));
    assert!(page.contains("Choosing variables") || page.contains("threshold"), "{page}");
    assert!(folder.path("pages/stablevar-simulate-linear.1").exists() && folder.path("pages/stablevar.1").exists());
}

#[test]
fn a_sample_that_would_never_be_whole_is_refused_at_once_and_a_slow_one_told() {
    let folder = Folder::new();
    let start = std::time::Instant::now();
    let hopeless =
        ["simulate", "linear", "--n", "1000", "--p", "50", "--stable", "10", "--biased", "20", "--out", "t.csv"];
    folder.run(&hopeless).fails_with(&["were kept by the selection", "--biased"]);
    assert!(start.elapsed().as_secs() < 20);
    assert!(folder.names().is_empty());
    let mut slow =
        folder.command(&["simulate", "linear", "--n", "1000000", "--p", "50", "--stable", "10", "--out", "t.csv"]);
    let mut running = slow.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(running.stderr.take().unwrap()).read_line(&mut line).unwrap();
    running.kill().unwrap();
    running.wait().unwrap();
    for told in ["keeps about 1 in", "for 1000000 rows", "--biased"] {
        assert!(line.contains(told), "{line}");
    }
}

#[test]
fn gates_that_decide_nothing_do_not_set_the_exit_code() {
    let folder = Folder::with_sample();
    let json = folder.run(&["fit", "train.csv", "--target", "y", "--format", "json"]).succeeds().json();
    assert_eq!(json["converged"], json!(true));
    let remedy = folder.run(&["fit", "train.csv", "--target", "y", "--evidence", "none", "--loops", "2"]);
    if remedy.code() == 3 {
        assert!(remedy.stderr().contains("--loops"), "{}", remedy.stderr());
    }
}

/// 200 rows of noise, of which nothing is selected, in `noise.csv`, and a model of them in `m.json`.
fn nothing_selected() -> Folder {
    let folder = Folder::new();
    let mut state = 1_u64;
    let mut value = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24) - 0.5
    };
    let lines: String = (0..200).map(|k| format!("{k:04},{},{},{}\n", value(), value(), value())).collect();
    folder.file("noise.csv", format!("id,a,b,y\n{lines}"));
    let fit = ["fit", "noise.csv", "--target", "y", "--exclude", "id", "--model", "m.json", "--format", "json"];
    assert_eq!(folder.run(&fit).succeeds().json()["selected"], json!([]));
    folder
}

#[test]
fn a_model_without_variables_predicts_the_mean_for_every_row() {
    let folder = nothing_selected();
    let predict = |more: &[&str]| {
        let run = folder.run(&[&["predict", "m.json", "noise.csv"], more].concat()).succeeds();
        run.stdout().lines().map(String::from).collect::<Vec<String>>()
    };
    let plain = predict(&[]);
    assert_eq!((plain.len(), plain[0].as_str()), (201, "prediction"));
    let mean: f64 = plain[1].parse().unwrap();
    assert!(mean.abs() < 0.2 && plain[1..].iter().all(|line| *line == plain[1]), "{mean}");
    let kept = predict(&["--keep", "id", "--interval"]);
    assert_eq!((kept.len(), kept[0].as_str()), (201, "id,prediction,lower,upper"));
    assert!(kept[200].starts_with("0199,") && kept[200].split(',').count() == 4, "{}", kept[200]);
    // Also where rows come from another kind of file.
    folder.run(&["simulate", "linear", "--n", "70", "--out", "rows.parquet"]).succeeds();
    assert_eq!(folder.run(&["predict", "m.json", "rows.parquet"]).succeeds().stdout().lines().count(), 71);
}

#[test]
fn prose_is_as_narrow_as_tables() {
    let folder = fitted();
    folder.run(&["simulate", "linear", "--n", "200", "--environments", "--out", "test.csv"]).succeeds();
    let runs: [&[&str]; 5] = [
        &["fit", "train.csv", "--target", "y"],
        &["evaluate", "m.json", "test.csv", "--env", "environment"],
        &["foresee", "m.json", "test.csv"],
        &["weigh", "train.csv", "--target", "y"],
        &["shift", "m.json"],
    ];
    for run in runs {
        let shown = folder.run(run).succeeds().stdout();
        let long: Vec<&str> = shown.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.is_empty(), "{run:?}: {long:#?}");
    }
}

#[test]
fn only_what_is_shown_is_explained() {
    let folder = fitted();
    let usual = folder.run(&["fit", "train.csv", "--target", "y", "-q"]).succeeds().prose();
    assert!(usual.contains("in a first look; variables that others could stand in for"), "{usual}");
    assert_eq!(usual.contains(" s.e. p-value"), usual.contains("held fixed, with its standard error"), "{usual}");
    let detailed = ["one loop is enough", "mean distance correlation", "largest correlation left"];
    assert!(detailed.iter().all(|words| !usual.contains(words)), "{usual}");
    let all = folder.run(&["fit", "train.csv", "--target", "y", "--verbose"]).succeeds().prose();
    assert!(detailed.iter().all(|words| all.contains(words)), "{all}");
    // No rule, so that there is none to change.
    let plain = folder.run(&["fit", "train.csv", "--target", "y", "--method", "ols", "--model", "ols.json"]).succeeds();
    assert!(plain.stderr().contains("next: ") && !plain.stderr().contains("reselect"), "{}", plain.stderr());
    folder.run(&["simulate", "linear", "--n", "800", "--binary", "--seed", "3", "--out", "two.csv"]).succeeds();
    let classes = folder.run(&["fit", "two.csv", "--target", "y"]).prose();
    assert!(classes.contains("change of the log-odds of '1' by one unit"), "{classes}");
}

#[test]
fn variables_below_the_cut_off_are_said_to_have_joined() {
    let folder = fitted();
    // A stricter threshold in the file than the one that chose.
    let mut model: serde_json::Value = serde_json::from_str(&read(&folder.path("m.json"))).unwrap();
    let chosen = folder.run(&["fit", "train.csv", "--target", "y", "--format", "json"]).succeeds().json();
    let fitted = model.get_mut("model").unwrap();
    let first = fitted["selected"][0].as_u64().unwrap() as usize;
    fitted["open_probability"][first] = json!(0.01);
    folder.file("joined.json", model.to_string());
    folder.run(&["report", "joined.json", "--out", "page.html"]).succeeds();
    let page = read(&folder.path("page.html"));
    let name = chosen["selected"][0].as_str().unwrap();
    assert!(page.contains(&format!("Joined, for the prediction alone: {name} (0.01)")), "{name}");
    assert!(!page.contains("Probability at least 0.01"));
    let chosen = chosen["selected"].as_array().unwrap().len();
    assert!(page.contains(&format!(" for {} of {chosen}", chosen - 1)));
    assert!(page.contains("<option value=\"joined\">"));
}

#[test]
fn rows_count_as_survey_weights_say() {
    let folder = Folder::with_sample();
    let lines: Vec<String> = read(&folder.path("train.csv"))
        .lines()
        .enumerate()
        .map(|(k, line)| if k == 0 { format!("w,{line}") } else { format!("{},{line}", 1 + 3 * (k % 2)) })
        .collect();
    folder.file("survey.csv", lines.join("\n"));
    let told = folder.run(&["fit", "survey.csv", "--target", "y", "--weight-column", "w"]).succeeds().prose();
    assert!(told.contains("(600 rows under survey weights)"), "{told}");
}

#[test]
fn predictions_beyond_all_outcomes_are_told() {
    let folder = fitted();
    let inside = folder.run(&["predict", "m.json", "train.csv"]).succeeds();
    assert!(!inside.stderr().contains("training outcome"), "{}", inside.stderr());
    let far = read(&folder.path("train.csv")).lines().take(3).enumerate().fold(String::new(), |text, (k, line)| {
        let fields = line.split(',').map(|field| if k == 0 { field.to_string() } else { "90".into() });
        text + &fields.collect::<Vec<String>>().join(",") + "\n"
    });
    folder.file("far.csv", far);
    let told = folder.run(&["predict", "m.json", "far.csv"]).succeeds().stderr();
    assert!(told.contains("2 predictions lie ") && told.contains(" every training outcome ("), "{told}");
}

#[test]
fn the_honest_estimate_repeats_the_selection() {
    let folder = Folder::with_sample();
    let fit = |more: &[&str]| folder.run(&[&["fit", "train.csv", "--target", "y"], more].concat()).succeeds();
    assert!(fit(&["--format", "json"]).json()["refit"]["honest"].is_null());
    let run = fit(&["--honest", "3", "--format", "json", "--model", "m.json"]).json();
    let honest = &run["refit"]["honest"];
    assert_eq!(honest["regions"], json!(3));
    // The noise alone has a deviation of 0.55.
    let error = honest["cv_error"].as_f64().unwrap();
    assert!((0.5..0.8).contains(&error) && honest["stress_worst"].as_f64().unwrap() > 0.2, "{honest}");
    assert!(fit(&["--honest", "2"]).stdout().contains("honest estimate, the selection repeated"));
    folder.run(&["report", "m.json", "--out", "r.html"]).succeeds();
    assert!(read(&folder.path("r.html")).contains("The honest estimate"));
}

/// 400 rows in which `y` depends on `a`, as on the town of a few.
fn with_towns() -> String {
    let mut text = "a,b,town,y\n".to_string();
    for k in 0..400 {
        let a = (k * 37 % 101) as f64 / 50.0 - 1.0;
        let b = if k % 7 == 0 { String::new() } else { format!("{}", (k * 53 % 89) as f64 / 44.0) };
        let town = if k % 30 == 1 { "Bern" } else { ["Basel", "basel", "Genf"][k % 3] };
        let y = 2.0 * a + 3.0 * f64::from(town == "Bern") + f64::from(town == "Genf") + (k * 29 % 17) as f64 / 17.0;
        text += &format!("{a},{b},{town},{y:.4}\n");
    }
    text
}

#[test]
fn what_was_done_to_the_table_is_told() {
    let folder = Folder::new();
    folder.file("t.csv", with_towns());
    let fit = ["fit", "t.csv", "--target", "y", "--missing", "mean", "--model", "m.json"];
    let run = folder.run(&fit).succeeds();
    for told in [
        "missing values were filled in: 'b' (15 %)",
        "levels that differ in capitals or blanks alone: 'town' has 'Basel' and 'basel'",
        "few rows have these levels: 'town=Bern' (14 rows)",
    ] {
        assert!(run.stderr().replace("\n  ", " ").contains(told), "no '{told}' in: {}", run.stderr());
    }
    // Levels stand below their column, the one that they are compared with among them.
    assert!(run.stdout().contains("\n   =Bern") && run.stdout().contains("\n   =Genf"), "{}", run.stdout());
    let again = folder.run(&["reselect", "m.json", "--threshold", "0.9"]).succeeds();
    assert_eq!(again.stderr().matches("capitals or blanks").count(), 1, "{}", again.stderr());
}

#[test]
fn an_honest_estimate_without_gain_is_told_first() {
    let folder = Folder::new();
    folder.file("t.csv", with_towns());
    let fit = ["fit", "t.csv", "--target", "y", "--missing", "mean", "--honest", "3", "--format", "json"];
    let json = folder.run(&fit).succeeds().json();
    let honest = &json["refit"]["honest"];
    let (ratio, error) = (honest["stress_error"].as_f64().unwrap(), honest["standard_error"].as_f64().unwrap());
    let told = json["findings"].as_array().unwrap().iter().any(|found| found["code"] == "no-gain");
    assert_eq!(told, ratio.ln() > -error, "{honest}");
}

#[test]
fn the_next_step_names_the_table_where_the_model_remembers_a_part() {
    let folder = Folder::with_sample();
    let next = |more: &[&str]| {
        let fit = ["fit", "train.csv", "--target", "y", "--model", "m.json"];
        folder.run(&[&fit[..], more].concat()).succeeds().stderr().replace("\n  ", " ")
    };
    assert!(next(&[]).contains("reselect m.json --fdr 0.1"));
    assert!(next(&["--remember", "50"]).contains("reselect m.json --data train.csv --fdr 0.1"));
}

#[test]
fn levels_of_a_few_rows_are_told_of_at_fit_and_when_predicting() {
    let folder = Folder::new();
    let plan = |k: usize| if k == 7 || k == 90 { "enterprize" } else { ["basic", "basic", "enterprise"][k % 3] };
    let y = |k: usize| 10.0 * f64::from(plan(k) == "enterprise") + (k * 29 % 17) as f64 / 17.0;
    let text = (0..200).fold("plan,y\n".to_string(), |text, k| text + &format!("{},{}\n", plan(k), y(k)));
    folder.file("t.csv", text);
    let run = folder.run(&["fit", "t.csv", "--target", "y", "--model", "m.json"]).succeeds();
    let told = "levels of fewer than ten rows count as the most frequent one: of 'plan' 'enterprize' as 'basic'";
    assert!(run.stderr().contains(told), "{}", run.stderr());
    folder.file("new.csv", "plan\nenterprize\nbasic\n");
    let run = folder.run(&["predict", "m.json", "new.csv"]).succeeds();
    assert!(
        run.stderr().contains("'plan' has values that fewer than ten training rows had (rows: 1)"),
        "{}",
        run.stderr()
    );
}
