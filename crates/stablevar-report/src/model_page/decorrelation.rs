//! What the weights did to the correlations.

use crate::chart::{BalanceChart, Change, Heatmap, LABEL, PANEL, picture};
use crate::page::{name as shown, panels, wide};
use crate::text::{count, escape, labels, number, shorten_name};
use serde_json::json;
use stablevar::Matrix;
use stablevar::diagnostics::SelectionCondition;
use stablevar::fit::FittedModel;

/// Rows and columns of the heatmap at most; where there are more columns, neighbours share one.
const CELLS: usize = 40;
/// Letters of the names at the ends of such a group under the pointer, and beside it; of a text variable whose levels are one.
const END: usize = 12;
const SHORT_END: usize = 7;
const SHORT_NAME: usize = 9;
/// Loops that the slider can reach at most.
const STEPS: usize = 60;
/// Rows of the love plot at most.
const BALANCED: usize = 42;
/// Correlations below the first are taken for balanced, those above the last for not, as is usual for standardised differences.
const THRESHOLDS: [f64; 2] = [0.1, 0.25];

pub(super) fn section(model: &FittedModel) -> String {
    let steps = steps(model);
    let Some((_, _, last)) = steps.last().filter(|_| steps.len() > 1) else { return String::new() };
    if last.rows() == 0 || model.initial_correlations.rows() == 0 {
        let columns = model.encoding.columns.len();
        return format!("<p>{}Correlations of so many columns ({columns}) are not kept.</p>", summary(model));
    }
    let groups = Groups::new(model);
    let heatmap = Heatmap {
        names: groups.names.clone(),
        labels: groups.labels.clone(),
        values: groups.values(last),
        parted_at: groups.parted_at,
    };
    let size = heatmap.size((640.0, 620.0));
    let name = "Correlations of the variables";
    let heatmap = wide(&picture(name, &heatmap, size), size.0, name);
    let loops: Vec<serde_json::Value> = steps
        .iter()
        .map(|(_, caption, correlations)| json!({"caption": caption, "percent": groups.percent(correlations)}))
        .collect();
    let (most, caption) = (steps.len() - 1, steps.last().map_or("", |(_, caption, _)| caption));
    let grouped = match groups.size {
        1 => String::new(),
        size => format!(
            " Each row and column stands for up to {size} columns (of a text variable for levels by their numbers), each square for the \
             strongest correlation between them."
        ),
    };
    let parted = if groups.parted_at > 0 { " Those chosen come first, before the line." } else { "" };
    format!(
        "<p>{}</p><div class=\"beside\">\
         <figure data-loops=\"{}\"><div class=\"controls\"><label for=\"loop\">Weights of loop</label>\
         <input id=\"loop\" type=\"range\" min=\"0\" max=\"{most}\" value=\"{most}\" step=\"1\"></div>{heatmap}\
         <figcaption><output for=\"loop\" aria-live=\"polite\">{caption}</output>{parted}{grouped}</figcaption></figure>\
         {}</div>{}",
        summary(model),
        escape(&serde_json::Value::from(loops).to_string()),
        balance(model, last),
        theorem(model)
    )
}

/// (loop, what it is, correlations): without weights, then after every loop, or some of them if there are many.
fn steps(model: &FittedModel) -> Vec<(usize, String, &Matrix)> {
    let mut steps = vec![(0, "Loop 0: without weights.".to_string(), &model.initial_correlations)];
    let stride = model.history.len().div_ceil(STEPS).max(1);
    let last = model.history.len().saturating_sub(1);
    for (k, step) in model.history.iter().enumerate().filter(|(k, _)| k % stride == 0 || *k == last) {
        let caption = format!(
            "Loop {}: {} effective rows, largest correlation where none should be {:.3}.",
            k + 1,
            count(step.effective_sample_size.round() as usize),
            step.remaining_correlation
        );
        steps.push((k + 1, caption, &step.correlations));
    }
    if let Some(correlations) = &model.diagnostics.correlations {
        let whose = if model.refit_is_weighted() { "weights of the refit" } else { "weights" };
        let caption =
            format!("Under the {whose}: {} effective rows.", count(model.effective_sample_size.round() as usize));
        steps.push((model.history.len() + 1, caption, correlations));
    }
    steps
}

fn summary(model: &FittedModel) -> String {
    let left = model.diagnostics.remaining_correlation.map_or(String::new(), |left| {
        format!(
            "Among the pairs that the weights were to make independent, the largest correlation left is {left:.3}. "
        )
    });
    let distance = model.diagnostics.distance_correlation.map_or(String::new(), |(before, after)| {
        format!(
            "Their mean distance correlation, which sees dependence of any shape, went from {before:.3} to {after:.3}. "
        )
    });
    format!("{left}{distance}")
}

/// Each column's strongest correlation with another, before and after, the strongest first.
fn balance(model: &FittedModel, after: &Matrix) -> String {
    let strongest = |matrix: &Matrix, column: usize| {
        let others = (0..matrix.columns()).filter(|&other| other != column);
        others.map(|other| matrix[(column, other)].abs()).fold(0.0, f64::max)
    };
    let mut rows: Vec<Change> = model
        .encoding
        .columns
        .iter()
        .enumerate()
        .map(|(position, column)| Change {
            name: column.name.clone(),
            label: String::new(),
            before: strongest(&model.initial_correlations, position),
            after: strongest(after, position),
        })
        .collect();
    rows.sort_by(|a, b| b.before.total_cmp(&a.before));
    let all = rows.len();
    let balanced = |of: &dyn Fn(&Change) -> f64| rows.iter().filter(|row| of(row) < THRESHOLDS[0]).count();
    let (before, after) = (balanced(&|row| row.before), balanced(&|row| row.after));
    rows.truncate(BALANCED);
    let short = labels(rows.iter().map(|row| row.name.as_str()), LABEL);
    rows.iter_mut().zip(short).for_each(|(row, label)| row.label = label);
    let most =
        if rows.len() < all { format!(" The {} strongest of {all} columns.", rows.len()) } else { String::new() };
    let names = ["without weights", "under the weights"];
    let chart = BalanceChart::new("strongest correlation with another", names, &THRESHOLDS, rows);
    let what = "Every column's strongest correlation before and after weighting";
    let parts: Vec<String> = chart.parts().iter().map(|part| picture(what, part, (PANEL, part.height()))).collect();
    let stable = if model.method.seeks_stability() {
        " Chosen variables may stay correlated with each other: that misleads no one."
    } else {
        ""
    };
    let not_reached = match model.evidence {
        Some(_) if after < all => {
            " Where balance was not reached, it was not to be had with these rows, or weaker weights served the model better; the choice of \
             variables does not rest on it."
        }
        _ => "",
    };
    format!(
        "<figure><h3>Balance before and after</h3>{}<figcaption>A love plot: {before} of {all} columns are below {} without \
         weights and {after} under them. Below {} is usually taken for balanced, above {} for not.{not_reached}{stable}{most}</figcaption></figure>",
        panels(&parts),
        THRESHOLDS[0],
        THRESHOLDS[0],
        THRESHOLDS[1]
    )
}

fn theorem(model: &FittedModel) -> String {
    let told = |condition: &Option<SelectionCondition>| {
        condition.as_ref().map(|condition| {
            let worst = condition.values.iter().max_by(|a, b| a.1.total_cmp(&b.1));
            let of = worst
                .map_or(String::new(), |(column, _)| format!(" ({})", shown(&model.encoding.columns[*column].name)));
            format!("{}{of}", number(condition.largest))
        })
    };
    match (told(&model.diagnostics.condition_before), told(&model.diagnostics.condition_after)) {
        (Some(before), Some(after)) => format!(
            "<p><b>Theorem 1 of the paper</b> is about the true set of stable variables: gates find it if a quantity is below 1 for every \
             variable outside of it. The true set is not known; here the chosen one stands in its place. So a value of 1 or more speaks \
             against the choice, but a small one does not speak for it: a wrong set can have small values, too. The largest is {before} \
             without weights and {after} under them.{}</p>",
            if model.evidence.is_some() {
                " The variables were chosen by their evidence, which does not rest on it."
            } else {
                ""
            }
        ),
        _ => String::new(),
    }
}

/// From where to where groups reach: by the ends' names, or by the numbers of a variable's levels.
fn group_labels(model: &FittedModel, members: &[Vec<usize>]) -> Vec<String> {
    let (columns, features) = (&model.encoding.columns, &model.encoding.features);
    let variables = labels(features.iter().map(|feature| feature.name.as_str()), SHORT_NAME);
    let ends: Vec<&str> = members
        .iter()
        .flat_map(|group| {
            [group.first(), group.last()].map(|end| end.map_or("", |&column| columns[column].name.as_str()))
        })
        .collect();
    let ends = labels(ends, SHORT_END);
    let label = |(group, ends): (&Vec<usize>, &[String])| match group.as_slice() {
        [] | [_] => ends[0].clone(),
        [first, .., last] if columns[*first].feature == columns[*last].feature => {
            let variable = columns[*first].feature;
            let level =
                |column: &usize| features[variable].columns.iter().position(|own| own == column).unwrap_or(0) + 1;
            format!("{} {}–{}", variables[variable], level(first), level(last))
        }
        _ => format!("{}–{}", ends[0], ends[1]),
    };
    members.iter().zip(ends.chunks_exact(2)).map(label).collect()
}

/// The encoded columns in the order of the picture, chosen ones first, as many to a group as needed.
struct Groups {
    members: Vec<Vec<usize>>,
    names: Vec<String>,
    /// From where to where the columns of a group reach, where there are groups.
    labels: Option<Vec<String>>,
    size: usize,
    parted_at: usize,
}

impl Groups {
    fn new(model: &FittedModel) -> Self {
        let columns = model.encoding.columns.len();
        let chosen = model.selected_columns();
        let others: Vec<usize> = (0..columns).filter(|column| !chosen.contains(column)).collect();
        // Chosen and other columns don't share groups, which may take one more of these.
        let size = columns.div_ceil(CELLS - 1).max(1);
        let size = if columns <= CELLS { 1 } else { size };
        let mut members: Vec<Vec<usize>> = chosen.chunks(size).map(<[usize]>::to_vec).collect();
        let parted_at = members.len();
        members.extend(others.chunks(size).map(<[usize]>::to_vec));
        let name = |position: usize| model.encoding.columns[position].name.clone();
        let names = members
            .iter()
            .map(|group| match group.as_slice() {
                [one] => name(*one),
                [first, .., last] => {
                    format!("{} to {}", shorten_name(&name(*first), END), shorten_name(&name(*last), END))
                }
                [] => String::new(),
            })
            .collect();
        let labels = (size > 1).then(|| group_labels(model, &members));
        Self { names, labels, size, parted_at: if parted_at == members.len() { 0 } else { parted_at }, members }
    }

    /// The strongest correlation between two groups; a single column's with itself is 1.
    fn between(&self, correlations: &Matrix, i: usize, j: usize) -> f64 {
        let pairs = self.members[i].iter().flat_map(|&a| self.members[j].iter().map(move |&b| (a, b)));
        let others = pairs.filter(|(a, b)| a != b || self.members[i].len() == 1);
        others
            .map(|pair| correlations[pair])
            .fold(0.0, |most: f64, value| if value.abs() > most.abs() { value } else { most })
    }

    fn values(&self, correlations: &Matrix) -> Vec<Vec<f64>> {
        let size = self.members.len();
        (0..size).map(|i| (0..size).map(|j| self.between(correlations, i, j)).collect()).collect()
    }

    /// The lower triangle row by row, in whole percent.
    fn percent(&self, correlations: &Matrix) -> Vec<i32> {
        let pairs = (0..self.members.len()).flat_map(|i| (0..=i).map(move |j| (i, j)));
        pairs.map(|(i, j)| (100.0 * self.between(correlations, i, j)).round() as i32).collect()
    }
}
