//! Every variable: probability, evidence, coefficient, role, and what could stand in for it.

use crate::chart::{Forest, Interval, LABEL, PANEL, picture};
use crate::page::{TableCell, explained, name as shown, panels, sortable_table};
use crate::text::{
    capitalised, correlation, count, differs, escape, has_probability, joined, labels, number, p_value, shorten,
    sufficiency, weaker_than_t,
};
use stablevar::evidence::VariableEvidence;
use stablevar::finding::Finding;
use stablevar::fit::FittedModel;
use stablevar::models::Model;
use stablevar::wording::Plain;

/// Rows of the picture at most; the table has all.
const PICTURED: usize = 60;
/// Variables that are all shown at once; of more, those in question are, and the others are folded away.
const SHOWN: usize = 25;
/// A variable that was left out is in question from this probability on, or below this p-value; closed gates never come near 0.
const IN_QUESTION: f64 = 0.05;
const GATE_IN_QUESTION: f64 = 0.25;
const SMALL_P: f64 = 0.01;
/// Variables in question that are shown at once, at most.
const QUESTIONED: usize = 40;

pub(super) fn section(model: &FittedModel) -> String {
    let columns = headings(model);
    let header: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let order = order(model);
    let (first, rest) = order.split_at(in_question(model, &order));
    let mut roles: Vec<&str> = order.iter().map(|&position| role(model, position)).collect();
    roles.sort_unstable();
    roles.dedup();
    let roles: String = roles.iter().map(|role| format!("<option value=\"{role}\">{role}</option>")).collect();
    let controls = format!(
        "<div class=\"controls\" data-filters=\"variables\"><label>Find <input type=\"search\" placeholder=\"part of a name\"></label>\
         <label>Role <select><option value=\"\">all</option>{roles}</select></label><output aria-live=\"polite\"></output></div>"
    );
    let rows = |positions: &[usize]| positions.iter().map(|&position| row(model, position)).collect::<Vec<_>>();
    let caption = if rest.is_empty() {
        "Every variable, the chosen first. A click on a heading sorts."
    } else {
        "The chosen variables, then those in question. A click on a heading sorts."
    };
    let table = sortable_table("variable-table", caption, &header, &rows(first));
    let folded = if rest.is_empty() {
        String::new()
    } else {
        let others =
            sortable_table("other-variable-table", "Variables that are clearly left out.", &header, &rows(rest));
        format!("<details><summary>{} more variables, clearly left out</summary>{others}</details>", count(rest.len()))
    };
    let weaker =
        weaker_than_t(model).map_or(String::new(), |words| format!("<p>{}.</p>", escape(&capitalised(&words))));
    format!(
        "{controls}{table}{folded}{weaker}{}{}{}{}{}",
        explained(&columns),
        whole_set(model),
        forest(model),
        stand_ins(model),
        left_out(model)
    )
}

/// The headings of the table with what they mean.
fn headings(model: &FittedModel) -> Vec<(&'static str, String)> {
    let judged = model.evidence.is_some();
    let mut headings =
        vec![("variable", "A column of the table.".to_string()), ("role", "Stable: chosen by its own evidence; joined: its own is too weak, but it pays together with its like, or the set predicts worse without it; differs: chosen, but its effect is not the same in all environments.".into())];
    if has_probability(model) {
        headings.push(if judged {
            ("probability", "That it has an effect of its own once all others are known; ± how far repeats differ. See <a href=\"#words\">the words</a> for why it can be low though the p-value is small. A star: the variable was added since the others did not tell all, and it is the probability given the set, while its p-value is given all other columns.".into())
        } else {
            ("gate open", "The probability that its gate is open. It overstates how sure one can be.".into())
        });
    }
    headings.push(if matches!(model.model, Model::Linear(_)) {
        ("coefficient", "By how much the model's prediction rises with one unit of it; for classes in log-odds.".into())
    } else {
        ("mean slope", "By how much the model's prediction rises with one unit of it, on average over the rows.".into())
    });
    headings.extend(model.model.influence().iter().map(|_| {
        let what = "By how much predictions change (root mean square, in the outcome's units or as log-odds) if its values are dealt out anew among the rows. Trees have no coefficients: their mean slope is that of the straight line nearest to them.";
        ("influence", what.into())
    }));
    headings.extend(
        model.selection_frequency.iter().map(|_| {
            ("selected in resamples", "The share of random halves of the rows in which it was chosen.".into())
        }),
    );
    if judged {
        headings.extend([
            ("effect given all others", "The slope of the outcome (of classes: of the probability) in it while all other columns stay as they are, whatever their shape; text has none.".into()),
            ("s.e.", "The standard error of that effect.".into()),
            ("t", "Effect over standard error; of text the root of its statistic per level.".into()),
            ("p-value", "How rarely chance alone gives evidence as strong, of any shape.".into()),
        ]);
    }
    headings
}

/// The chosen ones first, then by probability, the strongest evidence first.
fn order(model: &FittedModel) -> Vec<usize> {
    let p = |position: usize| model.evidence.as_ref().map_or(0.0, |all| all[position].p_value);
    let mut order: Vec<usize> = (0..model.encoding.features.len()).collect();
    order.sort_by(|&a, &b| {
        let chosen = model.selected.contains(&b).cmp(&model.selected.contains(&a));
        let likelier = model.open_probability[b].total_cmp(&model.open_probability[a]);
        chosen.then(likelier).then(p(a).total_cmp(&p(b)))
    });
    order
}

/// How many variables of the order are chosen or in question; all, where there are few.
fn in_question(model: &FittedModel, order: &[usize]) -> usize {
    if order.len() <= SHOWN {
        return order.len();
    }
    let least = if model.evidence.is_some() { IN_QUESTION } else { GATE_IN_QUESTION };
    let questioned = |position: usize| {
        model.selected.contains(&position)
            || model.open_probability[position] >= least
            || model.evidence.as_ref().is_some_and(|all| all[position].p_value < SMALL_P || all[position].doubtful)
    };
    let last = order.iter().rposition(|&position| questioned(position)).map_or(0, |last| last + 1);
    last.clamp(SHOWN.min(10), model.selected.len() + QUESTIONED).min(order.len())
}

fn role(model: &FittedModel, position: usize) -> &'static str {
    match (model.selected.contains(&position), model.method.seeks_stability()) {
        (true, true) if differs(model, position) => "differs",
        (true, true) if joined(model, position) => "joined",
        (true, true) => "stable",
        (true, false) => "used",
        (false, _) => "left out",
    }
}

/// The name, with a mark where it was told what the variable is.
fn marked_name(model: &FittedModel, position: usize) -> String {
    let told = model.standing(position).map(|told| format!(" <small>(told to be {})</small>", told.word()));
    shown(&model.encoding.features[position].name) + &told.unwrap_or_default()
}

fn row(model: &FittedModel, position: usize) -> Vec<TableCell> {
    let coefficients = model.model.coefficients(&model.encoding);
    let feature = &model.encoding.features[position];
    let used = model.used().contains(&position);
    let cell = |values: &[f64]| match feature.columns.as_slice() {
        _ if !used => TableCell::number("–".into(), 0.0),
        [column] => TableCell::number(number(values[*column]), values[*column]),
        columns => {
            let largest = columns.iter().map(|&column| values[column].abs()).fold(0.0, f64::max);
            TableCell::number(format!("<a href=\"#levels\">{} levels</a>", columns.len() + 1), largest)
        }
    };
    let probability = model.open_probability[position];
    let mut row = vec![TableCell::text(marked_name(model, position)), TableCell::text(role(model, position).into())];
    if has_probability(model) {
        let marks = model.evidence.as_ref().map_or_else(String::new, |all| marks(&all[position]));
        let bar = format!("<span class=\"share\"><i style=\"width:{:.0}%\"></i></span>", 100.0 * probability);
        row.push(TableCell::number(
            format!("{bar}<span class=\"beside-share\">{probability:.2}{marks}</span>"),
            probability,
        ));
    }
    row.push(cell(&coefficients));
    row.extend(model.model.influence().iter().map(|values| cell(values)));
    let shares = model.selection_frequency.iter();
    row.extend(shares.map(|share| TableCell::number(format!("{:.0} %", 100.0 * share[position]), share[position])));
    if let Some(evidence) = model.evidence.as_ref().map(|all| &all[position]) {
        let optional = |value: Option<f64>| TableCell::number(value.map_or("–".into(), number), value.unwrap_or(0.0));
        row.extend([optional(evidence.effect), optional(evidence.standard_error)]);
        row.push(TableCell::number(format!("{:.1}", evidence.t), evidence.t));
        row.push(TableCell::number(p_value(evidence.p_value), evidence.p_value));
    }
    row
}

/// Whether it is the probability given the set, how far repeats differ, where they do, and whether the evidence is in doubt.
fn marks(evidence: &VariableEvidence) -> String {
    let spread = if evidence.spread >= 0.005 { format!(" ± {:.2}", evidence.spread) } else { String::new() };
    let doubt = if evidence.doubtful { " (doubtful)" } else { "" };
    let needed = if evidence.needed { " *" } else { "" };
    format!("{needed}{spread}{doubt}")
}

/// How strongly each variable goes with the outcome once the others are known, the strongest first.
fn forest(model: &FittedModel) -> String {
    let Some(evidence) = &model.evidence else { return String::new() };
    let mut order: Vec<usize> = (0..evidence.len()).collect();
    order.sort_by(|&a, &b| evidence[b].t.abs().total_cmp(&evidence[a].t.abs()));
    order.truncate(PICTURED);
    let short = labels(order.iter().map(|&position| model.encoding.features[position].name.as_str()), LABEL);
    let interval = |(&position, label): (&usize, String)| {
        let variable = &evidence[position];
        Interval {
            name: model.encoding.features[position].name.clone(),
            label,
            value: variable.effect_size,
            half: if variable.t == 0.0 { 0.0 } else { 1.96 * (variable.effect_size / variable.t).abs() },
            emphasised: model.selected.contains(&position),
        }
    };
    let rows = order.iter().zip(short).map(interval).collect();
    let parts = Forest::new("partial correlation given all others", rows).parts();
    let what = "Evidence for every variable, with 95 % intervals";
    let pictures: Vec<String> = parts.iter().map(|part| picture(what, part, (PANEL, part.height()))).collect();
    let all = if order.len() < evidence.len() {
        format!(" The {} with the strongest evidence of {}.", order.len(), count(evidence.len()))
    } else {
        String::new()
    };
    format!(
        "<figure><h3>Evidence</h3>{}<figcaption>How strongly each variable goes with the outcome once all others are known, with 95 % \
         intervals. Chosen variables in blue, the others in grey.{all}</figcaption></figure>{}",
        panels(&pictures),
        away_from_zero(model, evidence)
    )
}

/// Why variables were left out whose interval is away from 0.
fn away_from_zero(model: &FittedModel, evidence: &[VariableEvidence]) -> String {
    let grey: Vec<usize> = order(model)
        .into_iter()
        .filter(|&position| {
            !model.selected.contains(&position)
                && evidence[position].t.abs() > 1.96
                && evidence[position].p_value < 0.05
        })
        .collect();
    let (false, Some(settings)) = (grey.is_empty(), model.method.loop_settings()) else { return String::new() };
    let told = |&position: &usize| {
        let variable = &evidence[position];
        format!(
            "{} (p = {}, probability {:.2})",
            shown(&model.encoding.features[position].name),
            p_value(variable.p_value),
            model.open_probability[position]
        )
    };
    let mut listed: Vec<String> = grey.iter().take(6).map(told).collect();
    if grey.len() > 6 {
        listed.push(format!("and {} more", grey.len() - 6));
    }
    let rule = match settings.rule.threshold() {
        Some(least) => format!(
            "a probability of {least} or more, which takes more than an interval away from 0: among many variables some \
                                are so by chance, and what imperfect regressions leave of the others looks like a small effect"
        ),
        None => "the rule that was asked for".to_string(),
    };
    format!(
        "<p>Left out though the interval is away from 0: {}. To be chosen takes {rule} (<a href=\"#words\">Probability</a>). A variable with a \
         high probability may also be left out because a chosen one tells the same.</p>",
        listed.join(", ")
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
                "<li><strong>{}</strong> was added since the others did not tell all{instead}. Its probability is that given the other \
                 chosen ones; its p-value is given all columns, of which others tell what it does.</li>",
                name(variable)
            )
        })
        .collect();
    let list = if of_members.is_empty() { String::new() } else { format!("<ul>{of_members}</ul>") };
    format!("<h3>The set as a whole</h3><p>{}.</p>{list}", capitalised(&sufficiency(set)))
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
                "<li><strong>{}</strong> could stand in for <strong>{}</strong> as long as they move together ({}).</li>",
                name(pair.variable),
                name(pair.stands_for),
                correlation(model, pair)
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
