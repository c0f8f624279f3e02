//! `stablevar foresee` as users run it.

use crate::common::{Folder, read};
use std::fmt::Write;

/// `rows` rows of a, b and a text, whose outcome is a + b with noise that grows with a; `shift` moves a.
fn table(rows: usize, shift: f64, outcome: bool) -> String {
    let mut state = 12345u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut text = String::from(if outcome { "a,b,t,y\n" } else { "a,b,t\n" });
    for _ in 0..rows {
        let mut normal = || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        let (a, b, noise) = (normal() + shift, normal(), normal());
        let level = if uniform() < 0.3 { "left" } else { "right" };
        write!(text, "{a},{b},{level}").unwrap();
        if outcome {
            write!(text, ",{}", a + b + (0.5 * a).exp() * noise).unwrap();
        }
        text.push('\n');
    }
    text
}

fn with_model() -> Folder {
    let folder = Folder::new();
    folder.file("train.csv", table(2000, 0.0, true));
    folder.run(&["fit", "train.csv", "--target", "y", "--method", "ols", "--model", "m.json", "--quiet"]).succeeds();
    folder
}

#[test]
fn the_object_has_the_keys_of_the_contract_and_sees_the_larger_error() {
    let folder = with_model();
    folder.file("new.csv", table(1500, 0.7, false));
    let run = folder.run(&["foresee", "m.json", "new.csv", "--format", "json"]).succeeds();
    let json = run.json();
    for key in "expected_error interval training_error n_eff outside_share drift metric trust findings".split(' ') {
        assert!(!json[key].is_null(), "{key}");
    }
    let number = |key: &str| json[key].as_f64().unwrap();
    // The noise' mean square grows by exp(0.7).
    let ratio = number("expected_error") / number("training_error");
    assert!((ratio / 0.35f64.exp() - 1.0).abs() < 0.12, "{ratio}");
    let (low, high) = (json["interval"][0].as_f64().unwrap(), json["interval"][1].as_f64().unwrap());
    assert!(low < number("expected_error") && number("expected_error") < high);
    assert!((100.0..1900.0).contains(&number("n_eff")));
    assert!((json["drift"]["a"]["standardised_difference"].as_f64().unwrap() - 0.7).abs() < 0.1);
    assert!(json["drift"]["a"]["p_value"].as_f64().unwrap() < 1e-6);
    assert_eq!(json["drift"]["t"]["test"], "chi-squared");
    // The same again, and on one thread.
    assert_eq!(run.stdout(), folder.run(&["foresee", "m.json", "new.csv", "--format", "json"]).stdout());
    let one = folder.run(&["--threads", "1", "foresee", "m.json", "new.csv", "--format", "json"]);
    assert_eq!(run.stdout(), one.stdout());
}

#[test]
fn people_get_a_table_and_a_page() {
    let folder = with_model();
    folder.file("new.csv", table(1500, 0.7, false));
    let run = folder.run(&["foresee", "m.json", "new.csv", "--report", "page.html"]).succeeds();
    let text = run.stdout();
    for word in
        ["root mean squared error", "expected here", "90 % interval", "outside what training saw", "What to do: "]
    {
        assert!(text.contains(word), "no '{word}' in: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let page = read(&folder.path("page.html"));
    assert!(page.contains("Which columns drifted?") && page.contains("<svg"));
    folder.run(&["report", "m.json", "--out", "model.html"]).succeeds();
    assert!(read(&folder.path("model.html")).contains("What if a column shifts?"));
}

#[test]
fn with_care_says_why_and_what_to_do() {
    let folder = with_model();
    folder.file("moved.csv", table(1500, 2.1, false));
    let json = folder.run(&["foresee", "m.json", "moved.csv", "--format", "json"]).succeeds().json();
    assert_eq!(json["trust"], "with-care", "{json}");
    let run = folder.run(&["foresee", "m.json", "moved.csv"]).succeeds();
    let said = run.prose();
    assert!(said.contains("What to do: plan with the upper end of the interval"), "{said}");
    assert!(said.contains("effective training rows are like these"), "{said}");
    folder.file("same.csv", table(1500, 0.0, false));
    let same = folder.run(&["foresee", "m.json", "same.csv", "--format", "json"]).succeeds().json();
    assert!(same["trust"] == "yes" && same["advice"].as_str().unwrap().starts_with("use the figure"), "{same}");
}

#[test]
fn no_error_is_given_where_training_never_was() {
    let folder = with_model();
    folder.file("far.csv", table(500, 25.0, false));
    let json = folder.run(&["foresee", "m.json", "far.csv", "--format", "json"]).succeeds().json();
    assert!(json["expected_error"].is_null() && json["interval"].is_null());
    assert_eq!((json["trust"].as_str(), json["outside_share"].as_f64()), (Some("no"), Some(1.0)));
    assert!(json["advice"].as_str().unwrap().starts_with("rely on no figure"), "{json}");
    let text = folder.run(&["foresee", "m.json", "far.csv"]).succeeds();
    assert!(text.stdout().contains("can't be told") && text.stderr().contains("100 % of the new rows lie outside"));
}

#[test]
fn other_columns_levels_and_files_are_told_of() {
    let folder = with_model();
    folder.file("short.csv", "a,t\n1,left\n2,right\n");
    folder.run(&["foresee", "m.json", "short.csv"]).fails_with(&["short.csv", "no column 'b'"]);
    folder.file("words.csv", "a,b,t\nx,1,left\ny,2,right\n");
    folder.run(&["foresee", "m.json", "words.csv"]).fails_with(&["words.csv", "'a'"]);
    folder.file("empty.csv", "");
    folder.run(&["foresee", "m.json", "empty.csv"]).fails_with(&["empty.csv"]);
    folder.file("header.csv", "a,b,t\n");
    folder.run(&["foresee", "m.json", "header.csv"]).fails_with(&["header.csv", "1 or more rows are needed"]);
    folder.run(&["foresee", "train.csv", "train.csv"]).fails_with(&["train.csv"]);
    let renamed = table(400, 0.0, false).replace("left", "<b>links</b>");
    folder.file("renamed.csv", renamed);
    let json = folder.run(&["foresee", "m.json", "renamed.csv", "--format", "json"]).succeeds().json();
    assert_eq!(json["drift"]["t"]["new_levels"][0], "<b>links</b>");
    let codes: Vec<&str> = json["findings"].as_array().unwrap().iter().map(|f| f["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"new-levels"), "{codes:?}");
    folder.run(&["foresee", "m.json", "renamed.csv", "--report", "page.html", "--quiet"]).succeeds();
    assert!(!read(&folder.path("page.html")).contains("<b>links"));
}
