//! Every variable: probability, evidence, coefficient, role, and what could stand in for it.

use super::shown;
use crate::chart::{Forest, Interval, picture};
use crate::page::{TableCell, sortable_table};
use crate::text::{escape, number, shorten, sufficiency};
use stablevar::evidence::VariableEvidence;
use stablevar::finding::Finding;
use stablevar::fit::FittedModel;
use stablevar::models::Model;
use stablevar::wording::Plain;

/// Rows of the picture at most; the table has all.
const PICTURED: usize = 60;

pub(super) fn section(model: &FittedModel) -> String {
    let judged = model.evidence.is_some();
    let slope = if matches!(model.model, Model::Linear(_)) { "coefficient" } else { "mean slope" };
    let probability = match (model.method.loop_settings(), judged) {
        (None, _) => "gate open",
        (Some(_), true) => "probability of being stable",
        (Some(_), false) => "gate open",
    };
    let mut header = vec!["variable", "role", probability, slope];
    header.extend(model.selection_frequency.iter().map(|_| "selected in resamples"));
    if judged {
        header.extend(["effect given all others", "s.e.", "t", "p-value"]);
    }
    let rows: Vec<Vec<TableCell>> = (0..model.encoding.features.len()).map(|position| row(model, position)).collect();
    let roles: String = [role(model, true), role(model, false)]
        .map(|role| format!("<option value=\"{role}\">{role}</option>"))
        .concat();
    let controls = format!(
        "<div class=\"controls\" data-filters=\"variable-table\"><label>Find <input type=\"search\" placeholder=\"part of a name\"></label>\
         <label>Role <select><option value=\"\">all</option>{roles}</select></label><output aria-live=\"polite\"></output></div>"
    );
    let caption = "Every variable. A click on a heading sorts.";
    let table = sortable_table("variable-table", caption, &header, &rows);
    format!("{controls}{table}{}{}{}{}", whole_set(model), forest(model), stand_ins(model), left_out(model))
}

fn role(model: &FittedModel, selected: bool) -> &'static str {
    match (selected, model.method.seeks_stability()) {
        (true, true) => "stable",
        (true, false) => "used",
        (false, _) => "left out",
    }
}

fn row(model: &FittedModel, position: usize) -> Vec<TableCell> {
    let coefficients = model.model.coefficients(&model.encoding);
    let feature = &model.encoding.features[position];
    let selected = model.selected.contains(&position);
    let coefficient = match feature.columns.as_slice() {
        _ if !selected => TableCell::number("–".into(), 0.0),
        [column] => TableCell::number(number(coefficients[*column]), coefficients[*column]),
        columns => {
            let each = columns.iter().map(|&column| {
                let level = escape(&shorten(&model.encoding.columns[column].name, 40));
                format!("{level}: {}", number(coefficients[column]))
            });
            let largest = columns.iter().map(|&column| coefficients[column].abs()).fold(0.0, f64::max);
            let spelt = each.collect::<Vec<_>>().join("<br>");
            TableCell::number(format!("<details><summary>{} levels</summary>{spelt}</details>", columns.len()), largest)
        }
    };
    let probability = model.open_probability[position];
    let mut row = vec![
        TableCell::text(shown(&feature.name)),
        TableCell::text(role(model, selected).into()),
        TableCell::number(
            format!(
                "<span class=\"share\"><i style=\"width:{:.0}%\"></i></span>{probability:.2}{}",
                100.0 * probability,
                model.evidence.as_ref().map_or_else(String::new, |all| marks(&all[position]))
            ),
            probability,
        ),
        coefficient,
    ];
    let shares = model.selection_frequency.iter();
    row.extend(shares.map(|share| TableCell::number(format!("{:.0} %", 100.0 * share[position]), share[position])));
    if let Some(evidence) = model.evidence.as_ref().map(|all| &all[position]) {
        let optional = |value: Option<f64>| TableCell::number(value.map_or("–".into(), number), value.unwrap_or(0.0));
        row.extend([optional(evidence.effect), optional(evidence.standard_error)]);
        row.push(TableCell::number(format!("{:.1}", evidence.t), evidence.t));
        row.push(TableCell::number(format!("{:.1e}", evidence.p_value), evidence.p_value));
    }
    row
}

/// How far repeats differ, where they do, and whether the evidence is in doubt.
fn marks(evidence: &VariableEvidence) -> String {
    let spread = if evidence.spread >= 0.005 { format!(" ± {:.2}", evidence.spread) } else { String::new() };
    let doubt = if evidence.doubtful { " (doubtful)" } else { "" };
    format!("{spread}{doubt}")
}

/// How strongly each variable goes with the outcome once the others are known, the strongest first.
fn forest(model: &FittedModel) -> String {
    let Some(evidence) = &model.evidence else { return String::new() };
    let mut order: Vec<usize> = (0..evidence.len()).collect();
    order.sort_by(|&a, &b| evidence[b].t.abs().total_cmp(&evidence[a].t.abs()));
    order.truncate(PICTURED);
    let rows: Vec<Interval> = order
        .iter()
        .map(|&position| {
            let variable = &evidence[position];
            Interval {
                name: model.encoding.features[position].name.clone(),
                value: variable.effect_size,
                half: if variable.t == 0.0 { 0.0 } else { 1.96 * (variable.effect_size / variable.t).abs() },
                emphasised: model.selected.contains(&position),
            }
        })
        .collect();
    let axis = "partial correlation with the outcome given all others";
    let forest = Forest { axis: axis.into(), rows };
    let picture = picture("Evidence for every variable, with 95 % intervals", &forest, (640.0, forest.height()));
    let all = if order.len() < evidence.len() {
        format!(" The {} with the strongest evidence of {}.", order.len(), evidence.len())
    } else {
        String::new()
    };
    format!(
        "<figure>{picture}<figcaption>Evidence with 95 % intervals: an interval away from 0 speaks for an effect of its own. \
         Chosen variables in blue, the others in grey.{all}</figcaption></figure>"
    )
}

/// Whether the set tells all, and what could take the place of its members.
fn whole_set(model: &FittedModel) -> String {
    let (Some(set), Some(evidence)) = (&model.sufficiency, &model.evidence) else { return String::new() };
    let name = |variable: usize| shown(&model.encoding.features[variable].name);
    let of_members: String = model
        .selected
        .iter()
        .filter(|&&variable| evidence[variable].needed)
        .map(|&variable| {
            let others: Vec<String> = evidence[variable].alternatives.iter().map(|&other| name(other)).collect();
            let instead =
                if others.is_empty() { String::new() } else { format!("; {} could take its place", others.join(", ")) };
            format!(
                "<li><strong>{}</strong> was added since the others did not tell all{instead}.</li>",
                name(variable)
            )
        })
        .collect();
    let list = if of_members.is_empty() { String::new() } else { format!("<ul>{of_members}</ul>") };
    format!("<h3>The set as a whole</h3><p>{}.</p>{list}", capitalised(&sufficiency(set)))
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn stand_ins(model: &FittedModel) -> String {
    if model.stand_ins.is_empty() {
        return String::new();
    }
    let name = |variable: usize| shown(&model.encoding.features[variable].name);
    let items: String = model
        .stand_ins
        .iter()
        .take(50)
        .map(|pair| {
            format!(
                "<li><strong>{}</strong> could stand in for <strong>{}</strong> as long as they move together (correlation {:.2}).</li>",
                name(pair.variable),
                name(pair.stands_for),
                pair.correlation
            )
        })
        .collect();
    format!("<h3>Stand-ins</h3><ul>{items}</ul>")
}

/// Columns that never were variables.
fn left_out(model: &FittedModel) -> String {
    if model.encoding.left_out.is_empty() {
        return String::new();
    }
    let item = |found: &Finding| {
        let name = found.variables.first().map_or_else(String::new, |name| shown(name));
        format!("<li>{name}: {}</li>", escape(&shorten(&found.words(&Plain).meaning, 200)))
    };
    let items: String = model.encoding.left_out.iter().take(50).map(item).collect();
    format!("<h3>Columns that carry nothing</h3><ul>{items}</ul>")
}
