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
