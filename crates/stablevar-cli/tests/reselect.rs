//! Another choice of variables from a saved model.

use crate::common::Folder;

#[test]
fn another_rule_needs_no_second_look_at_the_evidence() {
    let folder = Folder::with_sample();
    folder.run(&["fit", "train.csv", "--target", "y", "--model", "model.json"]).succeeds();
    for rule in [["--select", "2"], ["--fdr", "0.1"]] {
        let anew = folder.run(&["fit", "train.csv", "--target", "y", rule[0], rule[1], "--format", "json"]).json();
        let run = |more: &[&str]| {
            let all = [&["reselect", "model.json", rule[0], rule[1], "--format", "json"], more].concat();
            folder.run(&all).succeeds().json()
        };
        let exact = run(&["--data", "train.csv", "--out", "again.json"]);
        assert_eq!(exact["selected"], anew["selected"]);
        assert_eq!(exact["coefficients"], anew["coefficients"]);
        let remembered = run(&[]);
        assert_eq!(remembered["selected"], anew["selected"]);
        folder.run(&["predict", "again.json", "train.csv"]).succeeds();
    }
    folder.run(&["reselect", "model.json"]).fails_with(&["--threshold, --select or --fdr"]);
    folder.run(&["simulate", "linear", "--n", "500", "--out", "other.csv"]).succeeds();
    let other = folder.run(&["reselect", "model.json", "--data", "other.csv", "--select", "2"]);
    other.fails_with(&["not the rows"]);
    folder.run(&["fit", "train.csv", "--target", "y", "--method", "ols", "--model", "ols.json"]).succeeds();
    folder.run(&["reselect", "ols.json", "--select", "2"]).fails_with(&["no rule"]);
}

#[test]
fn what_joined_another_choice_is_not_said_to_have_joined_this_one() {
    let folder = Folder::new();
    // One strong variable and many weak ones, which join together.
    let mut text = (0..13).map(|k| format!("x{k},")).collect::<String>() + "y\n";
    for row in 0..700_u64 {
        let noise = |k: u64| {
            let mut state = (row * 131 + k * 7919 + 17).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (0..4)
                .map(|_| {
                    state ^= state >> 29;
                    state = state.wrapping_mul(0xbf58_476d_1ce4_e5b9);
                    (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
                })
                .sum::<f64>()
                * 1.7
        };
        let x: Vec<f64> = (0..13).map(noise).collect();
        let y = 2.0 * x[0] + 0.09 * x[1..].iter().sum::<f64>() + noise(99);
        text += &(x.iter().map(|value| format!("{value:.6},")).collect::<String>() + &format!("{y:.6}\n"));
    }
    folder.file("t.csv", text);
    let first = folder.run(&["fit", "t.csv", "--target", "y", "--model", "m.json"]).succeeds().stdout();
    assert!(first.contains("joined"), "{first}");
    let again = folder.run(&["reselect", "m.json", "--fdr", "0.3"]).succeeds().stdout();
    assert!(!again.contains("joined") && again.contains("chosen by p-values"), "{again}");
}
