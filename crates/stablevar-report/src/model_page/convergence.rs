//! How the search went, loop by loop.

use crate::chart::{Axis, Chart, LineChart, PANEL, Point, Scale, Series, figure};
use crate::page::{explained, panels, table};
use crate::text::{count, escape, number};
use stablevar::fit::FittedModel;

/// Variables whose line bears its name; more could not be read.
const NAMED: usize = 8;
/// Lines at most, unless more variables are chosen.
const LINES: usize = 60;

pub(super) fn section(model: &FittedModel) -> String {
    let reason = format!("<p>Why it stopped: {}.{}</p>", escape(&model.stop_reason), gates_and_choice(model));
    match model.history.len() {
        0 => reason,
        1 => format!("{reason}{}", loops(model)),
        _ => format!("{reason}{}{}", pictures(model), loops(model)),
    }
}

/// Open gates and chosen variables need not be the same.
fn gates_and_choice(model: &FittedModel) -> String {
    let Some(last) = model.history.last().filter(|_| model.evidence.is_some()) else { return String::new() };
    let open = last.gates.open_probability.iter().filter(|&&open| open >= 0.5).count();
    format!(
        " Gates steer the weights of this loop and choose no variable, since the evidence does: {open} of them ended open, {} variables \
         are chosen.",
        model.selected.len()
    )
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
    // Chosen ones last, so that they are drawn above; of the others those that are open the most.
    let last = &model.history[model.history.len() - 1].gates.mean_gate;
    order.sort_by(|&a, &b| {
        let chosen = model.selected.contains(&a).cmp(&model.selected.contains(&b));
        chosen.then(last[a].total_cmp(&last[b]))
    });
    order.drain(..order.len().saturating_sub(LINES.max(model.selected.len())));
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
    let drawn: [(&str, &dyn Chart); 3] = [("Gates", &gates), ("Effective rows", &sizes), ("Loss", &losses)];
    let draw = |panel: &(&str, &dyn Chart)| {
        figure(&format!("{} by loop", panel.0), "", std::slice::from_ref(panel), 1, (PANEL, 210.0))
    };
    format!(
        "<figure>{}<figcaption>Gates of chosen variables in blue, of the others in grey{}.</figcaption></figure>",
        panels(&drawn.iter().map(draw).collect::<Vec<_>>()),
        if model.encoding.features.len() > LINES { " (those that are open the most)" } else { "" }
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
                count(step.effective_sample_size.round() as usize),
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
    let meanings = [
        ("gates open", "Variables whose gate is open with a probability of one half or more.".to_string()),
        (
            "effective rows",
            "How many equal rows have the information that is left under the loop's weights, by which gates are judged; the model's own \
             weights, told of above, may be others."
                .into(),
        ),
        (
            "loss",
            "What the gates minimise: the error of a linear model under the weights, with a cost for every open gate."
                .into(),
        ),
        ("correlation left", "The largest between two columns that the weights were to make uncorrelated.".into()),
        ("largest change of a gate", "Against the loop before; the search ends once nothing moves.".into()),
        ("passes over the rows", "How often all rows were read to find the weights.".into()),
    ];
    table(&header, &rows) + &explained(&meanings)
}
