//! How the search went, loop by loop.

use crate::chart::{Axis, Chart, LineChart, Point, Scale, Series, figure};
use crate::page::table;
use crate::text::{escape, number};
use stablevar::fit::FittedModel;

/// Variables whose line bears its name; more could not be read.
const NAMED: usize = 8;

pub(super) fn section(model: &FittedModel) -> String {
    let reason = format!("<p>Why it stopped: {}.</p>", escape(&model.stop_reason));
    match model.history.len() {
        0 => reason,
        1 => format!("{reason}{}", loops(model)),
        _ => format!("{reason}{}{}", pictures(model), loops(model)),
    }
}

fn pictures(model: &FittedModel) -> String {
    let loops: Vec<String> = (1..=model.history.len()).map(|k| k.to_string()).collect();
    let chart = |label: &str, scale: Scale, series: Vec<Series>| LineChart {
        x: Axis::new("loop", Scale::Categories(loops.clone())),
        y: Axis::new(label, scale),
        series,
    };
    let line = |name: &str, colour: usize, values: &dyn Fn(usize) -> f64| Series {
        name: name.into(),
        colour,
        points: (0..model.history.len()).map(|k| Point { x: k as f64, y: values(k), spread: 0.0 }).collect(),
    };
    let mut order: Vec<usize> = (0..model.encoding.features.len()).collect();
    // Chosen ones last, so that they are drawn above.
    order.sort_by_key(|variable| model.selected.contains(variable));
    let gates = order.iter().map(|&variable| {
        let chosen = model.selected.contains(&variable);
        let named = chosen && model.selected.iter().position(|&other| other == variable).is_some_and(|k| k < NAMED);
        let name = if named { model.encoding.features[variable].name.as_str() } else { "" };
        line(name, if chosen { 0 } else { 4 }, &|k| model.history[k].gates.mean_gate[variable])
    });
    let gates = chart("mean gate", Scale::FromZero, gates.collect());
    let sizes =
        chart("effective rows", Scale::FromZero, vec![line("", 0, &|k| model.history[k].effective_sample_size)]);
    let losses = chart("loss", Scale::Linear, vec![line("", 0, &|k| model.history[k].gates.loss)]);
    let panels: [(&str, &dyn Chart); 3] = [("Gates", &gates), ("Effective rows", &sizes), ("Loss", &losses)];
    let drawn = figure("Gates, effective rows and loss by loop", "", &panels, 3, (340.0, 240.0));
    format!(
        "<figure>{drawn}<figcaption>Gates of chosen variables in blue, of the others in grey.</figcaption></figure>"
    )
}

fn loops(model: &FittedModel) -> String {
    let rows: Vec<Vec<String>> = model
        .history
        .iter()
        .enumerate()
        .map(|(k, step)| {
            let open = step.gates.open_probability.iter().filter(|&&open| open >= 0.5).count();
            vec![
                (k + 1).to_string(),
                open.to_string(),
                format!("{:.0}", step.effective_sample_size),
                number(step.gates.loss),
                number(step.remaining_correlation),
                format!("{:.2}", step.change),
                step.passes.to_string(),
            ]
        })
        .collect();
    let header = [
        "loop",
        "gates open",
        "effective rows",
        "loss",
        "correlation left",
        "largest change of a gate",
        "passes over the rows",
    ];
    table(&header, &rows)
}
