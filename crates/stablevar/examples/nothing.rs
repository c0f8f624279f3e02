//! Ten kinds of nothing: how often the default selects a variable where none tells anything, and whether it says why not to trust it.
//!
//! `cargo run --release -p stablevar --example nothing -- [TABLES] [KIND ...]` prints a Markdown table, 200 tables of each kind
//! unless told otherwise.

use rayon::prelude::*;
use stablevar::design::TrainingData;
use stablevar::fit::fit;
use stablevar::method::Method;
use stablevar_data::nothing::Nothing;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// How many variables were selected, whether a finding puts that in question, and the codes of all.
fn look(kind: Nothing, seed: u64) -> (usize, bool, Vec<&'static str>) {
    let (table, roles) = kind.draw(seed);
    let data = TrainingData::prepare(&table, &roles).expect("training data");
    let model = fit(&data, &Method::default(), 0, &|_| ControlFlow::Continue(())).expect("a fit").model;
    let told = model.warnings.iter().any(|found| found.code.is_grave());
    (model.selected.len(), told, model.warnings.iter().map(|found| found.code.template().code).collect())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let tables: u64 = arguments.first().map_or(200, |text| text.parse().expect("a number of tables"));
    println!(
        "| kind | tables | rows | something selected | without a word | findings where something is |\n|---|---|---|---|---|---|"
    );
    for kind in Nothing::ALL {
        if arguments.len() > 1 && !arguments[1..].iter().any(|name| name == kind.name()) {
            continue;
        }
        let all: Vec<_> = (0..tables).into_par_iter().map(|seed| look(kind, seed)).collect();
        let selected: Vec<_> = all.iter().filter(|(count, ..)| *count > 0).collect();
        let mut told: BTreeMap<&str, usize> = BTreeMap::new();
        selected.iter().flat_map(|(.., codes)| codes).for_each(|code| *told.entry(code).or_default() += 1);
        let told: Vec<String> = told.iter().map(|(code, count)| format!("{code} {count}")).collect();
        let share = |count: usize| 100.0 * count as f64 / tables as f64;
        let (some, silent) = (share(selected.len()), share(selected.iter().filter(|(_, told, _)| !told).count()));
        println!(
            "| {} | {tables} | {} | {some:.1} % | {silent:.1} % | {} |",
            kind.name(),
            kind.rows(),
            told.join(", ")
        );
    }
}
