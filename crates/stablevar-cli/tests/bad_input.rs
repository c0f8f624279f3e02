//! Every way to get it wrong that we could think of: a message with the place and the remedy, exit code 1, no
//! panic, nothing half-written.

use crate::common::{Folder, Run, read};

fn fit(content: impl AsRef<[u8]>, more: &[&str]) -> Run {
    let folder = Folder::new();
    folder.file("t.csv", content);
    let run = folder.run(&[&["fit", "t.csv", "--target", "y", "--model", "m.json", "--quiet"], more].concat());
    if run.code() == 1 {
        assert_eq!(folder.names(), ["t.csv"], "something was written");
    }
    run
}

/// `rows` rows of two columns that vary and an outcome.
fn table(rows: usize) -> String {
    let mut text = String::from("a,b,y\n");
    for k in 0..rows {
        text += &format!("{},{},{}\n", (k * 7) % 11, (k * 5) % 13, (k * k) % 17);
    }
    text
}

#[test]
fn wrong_path() {
    Folder::new().run(&["fit", "nowhere.csv", "--target", "y"]).fails_with(&["nowhere.csv", "hint: check the path"]);
    Folder::new().run(&["fit", ".", "--target", "y"]).fails_with(&["no Parquet files in ."]);
    Folder::new().run(&["predict", "none.json", "none.csv"]).fails_with(&["none.json"]);
}

#[test]
fn empty_file_header_only_and_few_rows() {
    fit("", &[]).fails_with(&["t.csv is empty", "hint"]);
    fit("\n \n", &[]).fails_with(&["t.csv is empty"]);
    fit("a,b,y\n", &[]).fails_with(&["3 or more rows are needed, and there are 0"]);
    fit("a,b,y\n1,2,3\n", &[]).fails_with(&["3 or more rows are needed, and there is 1"]);
}

#[test]
fn unknown_columns_are_named_with_a_guess() {
    fit(table(50), &["--exclude", "c"]).fails_with(&["no column 'c'", "the columns are: 'a', 'b', 'y'"]);
    fit(table(50), &["--weight-column", "bb"]).fails_with(&["no column 'bb'"]);
    fit(table(50), &["--category", "zz"]).fails_with(&["no column 'zz'"]);
    let folder = Folder::new();
    folder.file("t.csv", "price,size\n1,2\n3,4\n");
    folder.run(&["fit", "t.csv", "--target", "prise"]).fails_with(&[
        "t.csv",
        "no column 'prise'",
        "did you mean 'price'?",
    ]);
    fit(table(50), &["--exclude", "y"]).fails_with(&["can't be the target"]);
}

#[test]
fn targets_that_can_not_be_learnt() {
    fit("a,y\n1,5\n2,5\n3,5\n4,5\n", &[]).fails_with(&["the target 'y' is 5 in every row"]);
    fit("a,y\n1,x\n2,z\n3,x\n4,z\n", &["--task", "regression"])
        .fails_with(&["the target 'y' holds text", "row 1: 'x'"]);
}

#[test]
fn constant_columns_are_left_out_with_a_note() {
    fit("a,y\n1,5\n1,6\n1,5\n1,7\n", &[]).fails_with(&["no usable column is left beside the target", "a"]);
    let rows: Vec<String> = table(60).lines().skip(1).map(|line| line.replacen(',', ",4,", 1)).collect();
    let run = fit(format!("a,b,c,y\n{}\n", rows.join("\n")), &[]);
    assert!(matches!(run.code(), 0 | 3), "{}", run.stderr());
    assert!(run.stderr().contains("'b' is left out: it has the same value in every row"), "{}", run.stderr());
}

#[test]
fn copies_and_combinations_of_columns_do_not_break_anything() {
    let mut text = String::from("a,b,copy,sum,y\n");
    for line in table(80).lines().skip(1) {
        let values: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        text += &format!("{},{},{},{},{}\n", values[0], values[1], values[0], values[0] + values[1], values[2]);
    }
    for method in ["svi", "svi-d", "ols", "lasso", "stg", "dwr"] {
        let run = fit(&text, &["--method", method]);
        assert!(matches!(run.code(), 0 | 3), "{method}: {}", run.stderr());
        assert!(run.stderr().contains("'copy' is left out: it tells just what 'a' tells"), "{}", run.stderr());
        assert!(run.stderr().contains("'sum' is left out: it is an exact combination of 'a', 'b'"), "{}", run.stderr());
        assert!(!run.stdout().contains("NaN"), "{}", run.stdout());
    }
}

#[test]
fn missing_and_infinite_values() {
    let text = "a,b,y\n1,2,3\n,5,6\n7,NA,9\n1,1,2\n3,5,1\n";
    fit(text, &[]).fails_with(&["2 rows have missing values: 'a' (1), 'b' (1)", "--missing drop"]);
    fit("a,y\n1,2\n3,inf\n4,5\n", &[]).fails_with(&["column 'y', row 2: inf is not a finite number"]);
    fit("a,y\n1,2\n-inf,4\n4,5\n", &[]).fails_with(&["column 'a', row 2: -inf is not a finite number"]);
    // Advice that was followed already is no advice.
    let empty = "a,b,y\n,2,3\n,5,6\n,4,9\n,1,2\n3,5,1\n";
    let run = fit(empty, &["--missing", "drop"]).fails_with(&["only 1 of 5 rows have no missing value: 'a' (4)"]);
    assert!(!run.stderr().contains("--missing drop") && run.stderr().contains("--missing mean"), "{}", run.stderr());
    let run = fit("a,y\n1,\n2,\n3,5\n4,\n", &["--missing", "mean"]).fails_with(&["only 1 of 4 rows", "'y' (3)"]);
    assert!(!run.stderr().contains("--missing mean"), "{}", run.stderr());
    for rule in ["drop", "mean"] {
        let run = fit(table(60).replace("\n7,5,1\n", "\n,5,1\n"), &["--missing", rule]);
        assert!(matches!(run.code(), 0 | 3), "{}", run.stderr());
    }
}

#[test]
fn text_in_a_numeric_column_is_located() {
    let text = table(50).replacen("\n3,", "\nthree,", 1);
    fit(text, &[]).fails_with(&["t.csv, line 4, column 'a': 'three' is not a number", "--category a)"]);
}

#[test]
fn broken_rows_bytes_and_names() {
    fit("a,b,y\n1,2,3\n4,5\n6,7,8\n", &[]).fails_with(&["t.csv, line 3: 2 fields where the header has 3"]);
    fit(b"a,b,y\n1,2,3\n4,\xff\xfe,6\n", &[]).fails_with(&["line 3, column 'b': the text is not UTF-8", "iconv"]);
    fit("a,a,y\n1,2,3\n4,5,6\n7,8,8\n", &[]).fails_with(&["'a' stands twice, in columns 1 and 2"]);
    fit("a,,y\n1,2,3\n", &[]).fails_with(&["column 2 has no name", "index=False"]);
}

#[test]
fn identifiers_are_not_categories() {
    let mut text = String::from("id,a,y\n");
    (0..200).for_each(|k| text += &format!("row{k},{},{}\n", (k * 7) % 11, (k * k) % 17));
    fit(text, &[]).fails_with(&["column 'id' holds 200 different texts", "--exclude"]);
    let many: String = (0..30_000).map(|k| format!("row{k},{},{}\n", (k * 7) % 11, (k * k) % 17)).collect();
    fit(format!("id,a,y\n{many}"), &[]).fails_with(&["column 'id' holds at least 20000 different texts"]);
}

#[test]
fn more_columns_than_rows() {
    let columns: Vec<String> = (0..30).map(|k| format!("x{k}")).collect();
    let mut text = columns.join(",") + ",y\n";
    for row in 0..20 {
        let values: Vec<String> =
            (0..31).map(|column| format!("{}", (row * 31 + column * column * 7 + row * row * column) % 101)).collect();
        text += &(values.join(",") + "\n");
    }
    for method in ["svi", "svi-d", "ols", "stg", "dwr"] {
        fit(&text, &["--method", method])
            .fails_with(&["30 columns (after encoding) need more than 31 rows, and there are 20", "--method lasso"]);
    }
    let lasso = fit(&text, &["--method", "lasso"]);
    assert!(matches!(lasso.code(), 0 | 3), "{}", lasso.stderr());
}

#[test]
fn base_weights_must_make_sense() {
    let text = table(50).replace("b,y", "w,y");
    fit(text.replacen(",5,", ",-5,", 1), &["--weight-column", "w"])
        .fails_with(&["the weights in column 'w'", "has -5"]);
    fit("a,w,y\n1,0,3\n2,0,4\n5,0,7\n", &["--weight-column", "w"]).fails_with(&["all are zero"]);
}

#[test]
fn parameters_out_of_range_are_named() {
    for (option, value) in [
        ("--threshold", "1.5"),
        ("--threshold", "nan"),
        ("--sigma", "0"),
        ("--penalty", "-1"),
        ("--ridge", "inf"),
        ("--penalty-factor", "0"),
    ] {
        fit(table(50), &[option, value]).fails_with(&[option, "must be"]);
    }
    fit(table(50), &["--method", "lasso", "--alpha", "-2"]).fails_with(&["--alpha must be"]);
    Folder::new().run(&["simulate", "linear", "--r", "0.3"]).fails_with(&["bias rate"]);
    Folder::new().run(&["simulate", "linear", "--p", "4", "--stable", "5"]).fails_with(&["stable"]);
    let strict = ["simulate", "linear", "--biased", "40", "--p", "60", "--stable", "5", "--r", "3", "--n", "5"];
    Folder::new().run(&strict).fails_with(&["drawn rows were kept", "--biased"]);
}

#[test]
fn model_files_that_are_not_whole_or_not_ours() {
    let folder = Folder::with_sample();
    folder.run(&["fit", "train.csv", "--target", "y", "--method", "ols", "--model", "m.json"]).succeeds();
    let whole = read(&folder.path("m.json"));
    folder.file("cut.json", &whole[..whole.len() / 2]);
    folder.run(&["predict", "cut.json", "train.csv"]).fails_with(&["cut.json", "incomplete", "cut short"]);
    folder.file("future.json", whole.replacen("\"version\":", "\"version\":99", 1));
    folder.run(&["predict", "future.json", "train.csv"]).fails_with(&["model format 99", "newer stablevar"]);
    folder.file("other.json", "{\"a\": 1}");
    folder.run(&["predict", "other.json", "train.csv"]).fails_with(&["not a stablevar model"]);
    folder.run(&["predict", "train.csv", "train.csv"]).fails_with(&["not a stablevar model"]);
    folder.file("changed.json", whole.replacen("\"feature\":0", "\"feature\":77", 1));
    folder.run(&["predict", "changed.json", "train.csv"]).fails_with(&["do not fit together"]);
    folder.file(
        "shrunk.json",
        whole.replacen(
            "\"initial_correlations\":{\"rows\":10,\"columns\":10",
            "\"initial_correlations\":{\"rows\":50,\"columns\":2",
            1,
        ),
    );
    folder.run(&["report", "shrunk.json"]).fails_with(&["do not fit together"]);
    folder.file("empty.json", "");
    folder
        .run(&["predict", "empty.json", "train.csv"])
        .fails_with(&["empty.json is empty", "a model file what a fit wrote"]);
}

#[test]
fn prediction_data_that_do_not_fit_the_model() {
    let folder = Folder::with_sample();
    folder.run(&["fit", "train.csv", "--target", "y", "--method", "ols", "--model", "m.json"]).succeeds();
    folder.file("less.csv", "s1,s2\n1,2\n");
    folder.run(&["predict", "m.json", "less.csv"]).fails_with(&["less.csv", "no column 's3'"]);
    let text = read(&folder.path("train.csv"));
    let header = text.lines().next().unwrap();
    folder.file("gap.csv", format!("{header}\n,1,1,1,1,1,1,1,1,1,1\n"));
    folder
        .run(&["predict", "m.json", "gap.csv"])
        .fails_with(&["1 rows have missing values: 's1' (1)", "--missing mean"]);
    folder.file("words.csv", format!("{header}\na,1,1,1,1,1,1,1,1,1,1\nb,1,1,1,1,1,1,1,1,1,1\n"));
    folder.run(&["predict", "m.json", "words.csv"]).fails_with(&["column 's1' holds text here, and held numbers"]);
    folder
        .run(&["evaluate", "m.json", "train.csv", "--target", "y", "--env", "place"])
        .fails_with(&["no column 'place'"]);
}

#[test]
fn places_that_can_not_be_written_to() {
    let folder = Folder::with_sample();
    let fit = |option: &str, path: &str| {
        folder.run(&["fit", "train.csv", "--target", "y", "--method", "ols", "--quiet", option, path])
    };
    for option in ["--model", "--weights", "--report"] {
        fit(option, "no/such/folder/file").fails_with(&["can't write no/such/folder/file", "hint"]);
        fit(option, ".").fails_with(&["can't write ."]);
    }
    if std::path::Path::new("/dev/full").exists() {
        for option in ["--model", "--weights", "--report"] {
            fit(option, "/dev/full").fails_with(&["can't write /dev/full"]);
        }
        folder.run(&["simulate", "linear", "--n", "5000", "--out", "/dev/full"]).fails_with(&["/dev/full"]);
        assert!(!std::fs::metadata("/dev/full").unwrap().is_file(), "the device was replaced");
    }
    assert_eq!(folder.names(), ["train.csv"]);
}

#[test]
fn an_existing_file_survives_a_failed_fit() {
    let folder = Folder::with_sample();
    folder.file("m.json", "precious");
    folder.run(&["fit", "train.csv", "--target", "none", "--model", "m.json"]).fails_with(&["no column 'none'"]);
    assert_eq!(read(&folder.path("m.json")), "precious");
}

#[test]
fn damaged_parquet_files() {
    let folder = Folder::new();
    folder.run(&["simulate", "linear", "--n", "100", "--out", "t.parquet"]).succeeds();
    let bytes = std::fs::read(folder.path("t.parquet")).unwrap();
    folder.file("cut.parquet", &bytes[..bytes.len() / 2]);
    folder.run(&["fit", "cut.parquet", "--target", "y"]).fails_with(&["cut.parquet", "damaged or was cut short"]);
}

#[test]
fn a_level_that_another_column_determines_is_known_when_predicting() {
    let folder = Folder::new();
    let mut text = String::from("is_b,level,x,y\n");
    for k in 0..300 {
        let level = ["a", "b", "c"][k % 3];
        let y = [0.0, 5.0, -3.0][k % 3] + ((k * 7) % 11) as f64;
        text += &format!("{},{level},{},{y}\n", u8::from(level == "b"), (k * 7) % 11);
    }
    folder.file("t.csv", text);
    let fit =
        folder.run(&["fit", "t.csv", "--target", "y", "--method", "ols", "--model", "m.json", "--quiet"]).succeeds();
    assert!(fit.stderr().contains("exact combination") || fit.stderr().contains("tells just what"), "{}", fit.stderr());
    let run = folder.run(&["evaluate", "m.json", "t.csv", "--format", "json"]).succeeds();
    assert_eq!(run.stderr(), "");
    assert!(run.json()["mean_error"].as_f64().unwrap() < 1e-9, "{}", run.stdout());
}

#[test]
fn a_near_copy_is_pointed_out_and_does_not_empty_the_selection() {
    let mut text = String::from("a,near,b,y\n");
    for k in 0..300u64 {
        let noise = |salt: u64| ((k * 2654435761 + salt * 40503) % 1009) as f64 / 1009.0 - 0.5;
        let a = noise(1);
        text += &format!("{a},{},{},{}\n", a + 1e-4 * noise(2), noise(3), 2.0 * a + 0.3 * noise(5));
    }
    let run = fit(text, &["--format", "json"]);
    assert!(matches!(run.code(), 0 | 3), "{}", run.stderr());
    let json = run.json();
    assert!(json["warnings"].to_string().contains("'a' and 'near' are nearly the same"), "{json}");
    assert!(!json["selected"].as_array().unwrap().is_empty(), "{json}");
}

#[test]
fn rows_of_weight_zero_are_left_out() {
    let folder = Folder::new();
    let weighted: String = table(60)
        .lines()
        .enumerate()
        .map(|(k, line)| format!("{line},{}\n", if k == 0 { "w".into() } else { u8::from(k % 3 > 0).to_string() }))
        .collect();
    let without: String = table(60)
        .lines()
        .enumerate()
        .filter(|(k, _)| *k == 0 || k % 3 > 0)
        .map(|(_, line)| format!("{line}\n"))
        .collect();
    folder.file("weighted.csv", weighted);
    folder.file("without.csv", without);
    for method in ["svi", "ols", "lasso", "dwr"] {
        let run = |more: &[&str]| {
            let json = folder
                .run(&[&["fit"], more, &["--target", "y", "--method", method, "--format", "json"]].concat())
                .json();
            (json["n"].clone(), json["coefficients"].clone(), json["n_eff"].clone())
        };
        assert_eq!(run(&["weighted.csv", "--weight-column", "w"]), run(&["without.csv"]), "{method}");
    }
    fit("a,w,y\n1,1,3\n2,0,4\n5,0,7\n6,1,8\n", &["--weight-column", "w"])
        .fails_with(&["3 or more rows are needed, and there are 2"]);
}

#[test]
fn an_empty_table_can_be_predicted_but_not_evaluated() {
    let folder = Folder::with_sample();
    folder.run(&["fit", "train.csv", "--target", "y", "--method", "ols", "--model", "m.json"]).succeeds();
    let header = read(&folder.path("train.csv")).lines().next().unwrap().to_string();
    folder.file("none.csv", format!("{header}\n"));
    assert_eq!(folder.run(&["predict", "m.json", "none.csv"]).succeeds().stdout(), "prediction\n");
    folder
        .run(&["evaluate", "m.json", "none.csv"])
        .fails_with(&["none.csv", "1 or more rows are needed, and there are 0"]);
}

#[test]
fn predicting_needs_the_selected_columns_only_and_environments_may_have_any_names() {
    let folder = Folder::new();
    let mut text = String::from("a,useless,y,place\n");
    (0..200).for_each(|k| {
        text += &format!(
            "{},{},{},{}\n",
            (k * 7) % 11,
            (k * 5) % 13,
            3 * ((k * 7) % 11) + k % 2,
            if k == 7 { "unknown" } else { "1900" }
        )
    });
    folder.file("t.csv", &text);
    let fit = folder
        .run(&["fit", "t.csv", "--target", "y", "--exclude", "place", "--model", "m.json", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(fit["selected"], serde_json::json!(["a"]));
    folder.file("short.csv", "a,broken\n1,2\n2,x\n3,4\n");
    assert_eq!(folder.run(&["predict", "m.json", "short.csv"]).succeeds().stdout().lines().count(), 4);
    let errors = folder.run(&["evaluate", "m.json", "t.csv", "--env", "place", "--format", "json"]).succeeds().json();
    assert_eq!(errors["environments"]["unknown"]["n"], 1);
}

#[test]
fn outputs_that_would_spoil_each_other_are_refused_before_any_work() {
    let folder = Folder::with_sample();
    let fit = |more: &[&str]| folder.run(&[&["fit", "train.csv", "--target", "y", "--quiet"], more].concat());
    fit(&["--weights", "-", "--format", "json"]).fails_with(&["standard output is taken"]);
    fit(&["--model", "same", "--weights", "same"]).fails_with(&["the same file is written to"]);
    fit(&["--model", "m.json", "--weights", "no/such/w.csv"]).fails_with(&["no/such/w.csv"]);
    assert_eq!(folder.names(), ["train.csv"]);
    let run = fit(&["--method", "ols", "--alpha", "2"]).succeeds();
    assert!(run.stderr().contains("--alpha has no effect with --method ols"));
}

#[test]
fn requests_beyond_any_memory_are_refused() {
    Folder::new().run(&["simulate", "linear", "--n", "18446744073709551615"]).fails_with(&["do not fit in memory"]);
    Folder::new().run(&["simulate", "linear", "--p", "18446744073709551615"]).fails_with(&["column"]);
}

#[test]
fn values_at_the_edge_of_the_numbers_end_in_an_answer_or_a_message() {
    for (scale, shown) in [("1e300", "1e300"), ("1e-310", "1e-310"), ("1.7e308", "1.7e308")] {
        let mut text = String::from("a,b,y\n");
        let scale: f64 = scale.parse().unwrap();
        (0..60).for_each(|k| {
            text += &format!("{},{},{}\n", scale * (((k * 7) % 11) as f64 / 5.0 - 1.0), (k * 5) % 13, (k * 7) % 11)
        });
        for method in ["svi", "ols", "lasso", "dwr"] {
            let run = fit(&text, &["--method", method, "--format", "json"]);
            assert!(matches!(run.code(), 0 | 1 | 3), "{shown} {method}: {}", run.stderr());
            if run.code() != 1 {
                let json = run.json();
                let infinite = json["coefficients"].as_object().unwrap().values().any(serde_json::Value::is_null);
                assert!(
                    !infinite || json["warnings"].to_string().contains("beyond the range"),
                    "{shown} {method}: {json}"
                );
            }
        }
    }
}

#[test]
fn many_columns_for_few_rows_still_end() {
    let mut text = (0..40).map(|k| format!("x{k}")).collect::<Vec<_>>().join(",") + ",y\n";
    for row in 0u64..50 {
        let values: Vec<String> =
            (0u64..41).map(|c| ((row * 2654435761 + c * 97003 + row * row * c) % 1009).to_string()).collect();
        text += &(values.join(",") + "\n");
    }
    let run = fit(text, &["--format", "json"]);
    assert!(matches!(run.code(), 0 | 3), "{}", run.stderr());
    let warnings = run.json()["warnings"].to_string();
    assert!(!(warnings.contains("almost uniform") && warnings.contains("rest on few rows")), "{warnings}");
}

#[test]
fn selection_rules_that_can_not_be_met() {
    let folder = Folder::with_sample();
    let fit = |more: &[&str]| folder.run(&[&["fit", "train.csv", "--target", "y"], more].concat());
    fit(&["--select", "11"]).fails_with(&["11 variables can't be selected of 10"]);
    fit(&["--fdr", "0.1", "--evidence", "none"]).fails_with(&["needs p-values", "residual"]);
    fit(&["--fdr", "1.5"]).fails_with(&["--fdr", "from 0 to 1"]);
    fit(&["--resamples", "4", "--least-frequency", "-1"]).fails_with(&["--least-frequency", "from 0 to 1"]);
    for wrong in [
        &["--select", "0"][..],
        &["--resamples", "1"],
        &["--fdr", "0.1", "--select", "2"],
        &["--threshold", "0.3", "--fdr", "0.1"],
        &["--evidence-rows", "5"],
    ] {
        assert_eq!(fit(wrong).code(), 2, "{wrong:?}");
    }
    let alone = fit(&["--least-frequency", "0.9"]).succeeds();
    assert!(alone.stderr().contains("--least-frequency has no effect with --method svi"), "{}", alone.stderr());
    // Half of the rows must still be more than the columns.
    let head: String =
        crate::common::read(&folder.path("train.csv")).lines().take(19).map(|line| format!("{line}\n")).collect();
    folder.file("short.csv", head);
    folder.run(&["fit", "short.csv", "--target", "y", "--resamples", "4"]).fails_with(&["10 columns", "there are 9"]);
}

#[test]
fn targets_that_are_not_two_classes() {
    let with = |labels: &[&str], more: &[&str]| {
        let mut text = String::from("a,b,y\n");
        for k in 0..60 {
            text += &format!("{},{},{}\n", (k * 7) % 11, (k * 5) % 13, labels[k % labels.len()]);
        }
        fit(text, more)
    };
    with(&["red", "green", "blue"], &[]).fails_with(&["3 classes", "'blue', 'green', 'red'", "two classes"]);
    with(&["yes"], &[]).fails_with(&["'y' is 'yes' in every row", "hint"]);
    with(&["1", "2", "3"], &["--task", "classification"]).fails_with(&["3 classes"]);
    with(&["yes", "no"], &["--task", "regression"]).fails_with(&["holds text", "--task classification"]);
    with(&["yes", "no"], &["--method", "ols"]).fails_with(&["holds text"]);
    with(&["1.5", "2.5", "7"], &["--method", "logistic"]).fails_with(&["3 classes"]);
}

#[test]
fn classes_that_are_missing_or_unknown_when_evaluating() {
    let folder = Folder::new();
    folder.run(&["simulate", "linear", "--n", "400", "--binary", "--out", "train.csv"]).succeeds();
    folder.run(&["fit", "train.csv", "--target", "y", "--method", "logistic", "--model", "m.json"]).succeeds();
    let head: Vec<String> =
        crate::common::read(&folder.path("train.csv")).lines().take(4).map(str::to_string).collect();
    let cut = |line: &str| line.rsplit_once(',').unwrap().0.to_string();
    folder.file("none.csv", head.iter().map(|line| cut(line) + "\n").collect::<String>());
    let evaluate =
        |file: &str, more: &[&str]| folder.run(&[&["evaluate", "m.json", file, "--target", "y"], more].concat());
    evaluate("none.csv", &[]).fails_with(&["no column 'y'"]);
    folder.run(&["predict", "m.json", "none.csv"]).succeeds();
    folder.file("odd.csv", format!("{}\n{}\n{},7\n", head[0], head[1], cut(&head[2])));
    evaluate("odd.csv", &[]).fails_with(&["row 2", "'7' is neither '0' nor '1'"]);
    evaluate("train.csv", &["--metric", "mse"]).fails_with(&["predicts classes", "log-loss"]);
}

#[test]
fn reproduce_says_what_is_wrong() {
    let folder = Folder::new();
    let wrong = folder.run(&["reproduce", "table9"]);
    assert_eq!(wrong.code(), 2);
    assert!(wrong.stderr().contains("table1, table2, figures, house, adult, all"), "{}", wrong.stderr());
    assert_eq!(folder.run(&["reproduce", "table1", "--seeds", "0"]).code(), 2);
    folder.file("taken", "a file");
    folder.run(&["reproduce", "table1", "--out", "taken"]).fails_with(&["taken"]);
    folder.run(&["reproduce", "table1", "--out", "taken/below"]).fails_with(&["taken/below"]);
    assert_eq!(folder.names(), ["taken"]);
}

#[test]
fn tables_with_shifts_are_known_by_name() {
    let folder = Folder::new();
    for arguments in [&["reproduce", "shifts", "--table", "arests"][..], &["data", "arests"]] {
        let wrong = folder.run(arguments);
        assert_eq!(wrong.code(), 2);
        assert!(wrong.stderr().contains("arests") && wrong.stderr().contains("arrests"), "{}", wrong.stderr());
    }
    folder.run(&["reproduce", "table1", "--table", "arrests"]).fails_with(&["--table", "'shifts'", "'table1'"]);
    assert!(folder.names().is_empty());
}

#[test]
fn reproduce_goes_on_after_damage_and_with_fewer_seeds() {
    let folder = Folder::new();
    let table = |seeds: &str| {
        let run = folder.run(&["reproduce", "table1", "--seeds", seeds, "--out", "r", "--format", "json", "--quiet"]);
        let mut value: serde_json::Value = serde_json::from_str(&run.stdout()).unwrap();
        // Seconds are not the same twice.
        for row in value["rows"].as_array_mut().unwrap() {
            assert!(row["mean_error"].as_f64().unwrap() > 0.3, "{row}");
            row["seconds"] = 0.into();
        }
        (value, run.stderr())
    };
    let (whole, messages) = table("2");
    assert_eq!((whole["rows"].as_array().unwrap().len(), whole["seeds"].as_u64()), (40, Some(2)));
    assert_eq!(messages, "");
    folder.file("r/runs/linear/n1000-r2.5-seed1.json", "{\"half\": ");
    let (mended, messages) = table("2");
    assert_eq!(mended, whole);
    assert!(messages.contains("n1000-r2.5-seed1.json was damaged and has been made anew"), "{messages}");
    let (fewer, _) = table("1");
    assert_eq!(fewer["seeds"], 1);
    // What more seeds had made is still there.
    assert_eq!(std::fs::read_dir(folder.path("r/runs/linear")).unwrap().count(), 10);
    assert_eq!(table("2").0, whole);
}
