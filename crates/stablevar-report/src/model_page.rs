//! The report page of a model: one self-contained file without scripts.

use crate::chart::{Axis, Forest, Heatmap, Interval, LineChart, Point, Scale, Series, colour_of, picture};
use crate::page::{document, table};
use crate::text::{escape, number, shorten};
use stablevar::fit::FittedModel;
use stablevar::linalg::Matrix;
use stablevar::models::Model;

/// Errors of several methods in several environments.
pub struct Evaluation<'a> {
    /// What tells the environments apart.
    pub axis: &'a str,
    /// Their names.
    pub environments: &'a [String],
    /// For every method its errors.
    pub errors: &'a [(&'a str, &'a [f64])],
}

/// The page of a model, with the errors of an evaluation if there was one.
pub fn page(model: &FittedModel, evaluation: Option<&Evaluation>) -> String {
    let title = format!("Stable variables for {}", shorten(&model.target, 60));
    let sections = [
        summary(model),
        variables(model),
        evaluation.map(errors).unwrap_or_default(),
        decorrelation(model),
        loops(model),
        settings(model),
    ];
    document(&title, &sections)
}

fn summary(model: &FittedModel) -> String {
    let chosen = match model.selected.len() {
        0 => "<strong>none</strong>".to_string(),
        _ => model
            .selected_names()
            .iter()
            .map(|name| format!("<strong>{}</strong>", escape(&shorten(name, 60))))
            .collect::<Vec<_>>()
            .join(", "),
    };
    let warnings: String =
        model.warnings.iter().map(|warning| format!("<li>{}</li>", escape(&shorten(warning, 400)))).collect();
    let warnings = if warnings.is_empty() {
        "<p>Nothing to worry about was found.</p>".into()
    } else {
        format!("<ul class=\"warnings\">{warnings}</ul>")
    };
    let outcome = if model.converged { "It converged" } else { "It did <strong>not</strong> converge" };
    let claim = if model.method.seeks_stability() { "can be trusted to predict" } else { "are used to predict" };
    let place =
        if model.method.seeks_stability() { " elsewhere" } else { "; whether they hold elsewhere was not asked" };
    format!(
        "<section><p>Of {} variables, {} {claim} <em>{}</em>{place}: {chosen}.</p>\
         <p>{} rows were used; under the weights they count as {:.0}. {outcome}: {}.</p><h2>What to watch out for</h2>{warnings}</section>",
        model.encoding.features.len(),
        model.selected.len(),
        escape(&shorten(&model.target, 60)),
        model.rows,
        model.effective_sample_size,
        escape(&model.stop_reason)
    )
}

fn variables(model: &FittedModel) -> String {
    let coefficients = model.model.coefficients(&model.encoding);
    let mut rows = Vec::new();
    for (position, feature) in model.encoding.features.iter().enumerate() {
        let selected = model.selected.contains(&position);
        let own: Vec<String> = feature
            .columns
            .iter()
            .map(|&column| match feature.columns.len() {
                1 => number(coefficients[column]),
                _ => format!(
                    "{}: {}",
                    escape(&shorten(&model.encoding.columns[column].name, 40)),
                    number(coefficients[column])
                ),
            })
            .collect();
        let mut row = vec![
            escape(&shorten(&feature.name, 60)),
            match (selected, model.method.seeks_stability()) {
                (true, true) => "stable".into(),
                (true, false) => "used".into(),
                (false, _) => "left out".into(),
            },
            format!("{:.2}", model.open_probability[position]),
            if selected { own.join("<br>") } else { "–".into() },
        ];
        row.extend(model.selection_frequency.iter().map(|share| format!("{:.0} %", 100.0 * share[position])));
        if let Some(evidence) = model.evidence.as_ref().map(|all| &all[position]) {
            let shown = |value: Option<f64>| value.map_or("–".into(), number);
            row.extend([shown(evidence.effect), shown(evidence.standard_error)]);
            row.extend([format!("{:.1}", evidence.t), format!("{:.1e}", evidence.p_value)]);
        }
        rows.push(row);
    }
    let judged = model.evidence.is_some();
    let slope = if matches!(model.model, Model::Linear(_)) { "coefficient" } else { "mean slope" };
    let mut header = vec!["variable", "role", if judged { "probability" } else { "gate open" }, slope];
    header.extend(model.selection_frequency.iter().map(|_| "selected in resamples"));
    if judged {
        header.extend(["effect given all others", "s.e.", "t", "p-value"]);
    }
    format!("<section><h2>Variables</h2>{}{}{}</section>", table(&header, &rows), evidence(model), stand_ins(model))
}

/// How strongly each variable goes with the outcome once the others are known.
fn evidence(model: &FittedModel) -> String {
    let Some(evidence) = &model.evidence else { return String::new() };
    let rows: Vec<Interval> = evidence
        .iter()
        .enumerate()
        .map(|(position, variable)| Interval {
            name: model.encoding.features[position].name.clone(),
            value: variable.effect_size,
            half: if variable.t == 0.0 { 0.0 } else { 1.96 * (variable.effect_size / variable.t).abs() },
            emphasised: model.selected.contains(&position),
        })
        .collect();
    let axis = "partial correlation with the outcome given all others, with 95 % intervals";
    let forest = Forest { axis: axis.into(), rows };
    let picture = picture("Evidence for every variable", &forest, (560.0, forest.height()));
    format!("<figure>{picture}<figcaption>Selected variables in colour.</figcaption></figure>")
}

fn stand_ins(model: &FittedModel) -> String {
    if model.stand_ins.is_empty() {
        return String::new();
    }
    let name = |variable: usize| escape(&shorten(&model.encoding.features[variable].name, 60));
    let items: String = model
        .stand_ins
        .iter()
        .take(50)
        .map(|pair| {
            format!(
                "<li><strong>{}</strong> could stand in for <strong>{}</strong> as long as they move together (correlation {:.2})</li>",
                name(pair.variable),
                name(pair.stands_for),
                pair.correlation
            )
        })
        .collect();
    format!("<h3>Stand-ins</h3><ul>{items}</ul>")
}

fn errors(evaluation: &Evaluation) -> String {
    let mut header = vec!["environment"];
    header.extend(evaluation.errors.iter().map(|(name, _)| *name));
    let rows: Vec<Vec<String>> = evaluation
        .environments
        .iter()
        .enumerate()
        .map(|(k, name)| {
            std::iter::once(escape(name)).chain(evaluation.errors.iter().map(|(_, errors)| number(errors[k]))).collect()
        })
        .collect();
    let line = |(name, errors): &(&str, &[f64])| Series {
        name: (*name).into(),
        colour: colour_of(name),
        points: errors.iter().enumerate().map(|(k, &y)| Point { x: k as f64, y, spread: 0.0 }).collect(),
    };
    let chart = LineChart {
        x: Axis::new(evaluation.axis, Scale::Categories(evaluation.environments.to_vec())),
        y: Axis::new("mean squared error", Scale::FromZero),
        series: evaluation.errors.iter().map(line).collect(),
    };
    let picture = picture("Mean squared error by environment and method", &chart, (640.0, 300.0));
    format!(
        "<section><h2>Error elsewhere</h2><p>Mean squared error; lower is better.</p>{picture}{}</section>",
        table(&header, &rows)
    )
}

fn decorrelation(model: &FittedModel) -> String {
    let Some(last) = model.history.last() else { return String::new() };
    let names: Vec<String> = model.encoding.columns.iter().map(|column| column.name.clone()).collect();
    let heatmap = |title: &str, correlations: &Matrix| {
        let values = (0..correlations.rows()).map(|row| correlations.row(row).to_vec()).collect();
        picture(title, &Heatmap { names: names.clone(), values, parted_at: 0 }, (400.0, 380.0))
    };
    let before = heatmap("Correlations before weighting", &model.initial_correlations);
    let after = heatmap("Correlations under the weights", &last.correlations);
    let condition = |value: &Option<stablevar::diagnostics::SelectionCondition>| {
        value.as_ref().map_or("–".into(), |value| number(value.largest))
    };
    format!(
        "<section><h2>Decorrelation</h2><div class=\"pair\"><figure>{before}<figcaption>Before</figcaption></figure>\
         <figure>{after}<figcaption>Under the weights</figcaption></figure></div>\
         <p>Theorem 1 asks that its quantity be below 1 for every variable left out: the largest is {} before and {} under the weights.</p></section>",
        condition(&model.diagnostics.condition_before),
        condition(&model.diagnostics.condition_after)
    )
}

fn loops(model: &FittedModel) -> String {
    if model.history.is_empty() {
        return String::new();
    }
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
            ]
        })
        .collect();
    let header = ["loop", "gates open", "effective rows", "loss", "correlation left", "change"];
    format!("<section><h2>Loops</h2>{}</section>", table(&header, &rows))
}

fn settings(model: &FittedModel) -> String {
    let settings = serde_json::to_string_pretty(&model.method).unwrap_or_default();
    format!(
        "<section><h2>Settings</h2><p>stablevar {}, seed {}</p><pre>{}</pre></section>",
        env!("CARGO_PKG_VERSION"),
        model.seed,
        settings.lines().map(escape).collect::<Vec<_>>().join("\n")
    )
}
