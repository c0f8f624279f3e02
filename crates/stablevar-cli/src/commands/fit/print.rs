//! What `stablevar fit` prints for people.

use crate::args::Options;
use crate::printer::Printer;
use stablevar::evidence::VariableEvidence;
use stablevar::finding::Code;
use stablevar::fit::FittedModel;
use stablevar::models::Model;
use stablevar::selection::Rule;
use stablevar::stress::{Figures, Honest};
use stablevar_report::text::{
    correlation, count, differs, environments, given_the_set, has_probability, joined, number, p_value, refit,
    sufficiency, taken, weaker_than_t, without_weight,
};

/// Variables that are listed at most, unless all are asked for.
const LISTED: usize = 40;

/// How much is told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// What a reader needs first, in 80 columns.
    Usual,
    /// Everything.
    All,
}

/// What is told of weights that a model does not hold.
#[derive(Clone, Copy)]
pub(crate) struct Weights {
    /// The rows that were weighed.
    pub rows: usize,
    /// The sum of their base weights.
    pub total: f64,
}

/// The variables, and how the fit went.
pub(crate) fn print(model: &FittedModel, weights: Weights, detail: Detail, printer: &Printer) -> anyhow::Result<()> {
    let encoding = &model.encoding;
    printer.line(&format!(
        "{}: '{}' from {} variables, {} rows: {} selected\n",
        model.method.name(),
        model.target,
        encoding.features.len(),
        count(model.rows),
        model.selected.len()
    ))?;
    print_variables(model, detail, printer)?;
    print_fit(model, weights, detail, printer)?;
    for pair in &model.stand_ins {
        let name = |variable: usize| &encoding.features[variable].name;
        printer.line(&format!(
            "'{}' could stand in for '{}' as long as they move together ({})",
            name(pair.variable),
            name(pair.stands_for),
            correlation(model, pair)
        ))?;
    }
    // What was set without effect was told before.
    for finding in model.warnings.iter().filter(|finding| finding.code != Code::SettingWithoutEffect) {
        printer.warn(&finding.words(&Options).to_string());
    }
    Ok(())
}

/// A column of a text variable, below whose name it stands: the level.
fn level_of(model: &FittedModel, column: usize) -> String {
    let column = &model.encoding.columns[column];
    let variable = &model.encoding.features[column.feature].name;
    column.name.strip_prefix(variable.as_str()).unwrap_or(&column.name).to_string()
}

/// A column of the table: its heading, whether it may go where room is short, what stands in it.
struct Shown<'a> {
    heading: &'static str,
    expendable: bool,
    value: Box<dyn Fn(usize) -> String + 'a>,
}

fn print_variables(model: &FittedModel, detail: Detail, printer: &Printer) -> anyhow::Result<()> {
    let encoding = &model.encoding;
    let coefficients = model.model.coefficients(encoding);
    let influence = model.model.influence();
    let columns = columns(model, &coefficients, influence.as_deref(), detail);
    let listed = listed(model, detail);
    let mut rows: Vec<Vec<String>> = Vec::new();
    for &variable in &listed {
        let feature = &encoding.features[variable];
        rows.push(
            std::iter::once(feature.name.clone()).chain(columns.iter().map(|shown| (shown.value)(variable))).collect(),
        );
        if model.selected.contains(&variable) && feature.columns.len() > 1 {
            rows.extend(feature.columns.iter().map(|&column| {
                let own = columns.iter().map(|shown| match shown.heading {
                    COEFFICIENT | SLOPE => number(coefficients[column]),
                    INFLUENCE => influence.as_ref().map_or(String::new(), |values| number(values[column])),
                    _ => String::new(),
                });
                std::iter::once(format!("  {}", level_of(model, column))).chain(own).collect()
            }));
            // What the others are compared with.
            rows.extend(encoding.reference_level(variable).map(|level| {
                let own = columns.iter().map(|shown| match shown.heading {
                    COEFFICIENT | SLOPE => "0".to_string(),
                    _ => String::new(),
                });
                std::iter::once(format!("  ={level}")).chain(own).collect()
            }));
        }
    }
    let header: Vec<&str> = std::iter::once("variable").chain(columns.iter().map(|shown| shown.heading)).collect();
    let expendable: Vec<&str> =
        columns.iter().filter(|shown| shown.expendable).rev().map(|shown| shown.heading).collect();
    let headings = match detail {
        Detail::Usual => printer.table_that_fits(&header, &rows, &expendable)?,
        Detail::All => {
            printer.table(&header, &rows)?;
            header
        }
    };
    let more = encoding.features.len() - listed.len();
    if more > 0 {
        printer.line(&format!(" and {more} less probable variables (--verbose lists all)"))?;
    }
    printer.line("")?;
    for line in words(model, &headings) {
        printer.line(&line)?;
    }
    printer.line("")
}

const COEFFICIENT: &str = "coefficient";
const SLOPE: &str = "mean slope";
const INFLUENCE: &str = "influence";
const EFFECT: &str = "effect";
const ERROR: &str = "s.e.";
const P_VALUE: &str = "p-value";

fn columns<'a>(
    model: &'a FittedModel,
    coefficients: &'a [f64],
    influence: Option<&'a [f64]>,
    detail: Detail,
) -> Vec<Shown<'a>> {
    let mut columns: Vec<Shown> = Vec::new();
    let mut add = |heading, expendable, value: Box<dyn Fn(usize) -> String + 'a>| {
        columns.push(Shown { heading, expendable, value });
    };
    let selected = move |variable: usize| model.selected.contains(&variable);
    let yes = move |variable| {
        let mark = match (selected(variable), model.standing(variable)) {
            (true, Some(_)) => "yes, told",
            (true, None) if differs(model, variable) => "differs",
            (true, None) if joined(model, variable) => "joined",
            (true, None) => "yes",
            (false, Some(_)) => "no, told",
            (false, None) => "no",
        };
        mark.to_string()
    };
    add(if model.method.seeks_stability() { "stable" } else { "used" }, false, Box::new(yes));
    let needed = move |variable: usize| {
        selected(variable) && model.evidence.as_ref().is_some_and(|evidence| evidence[variable].needed)
    };
    let probability = move |variable: usize| {
        format!("{:.2}{}", model.open_probability[variable], if needed(variable) { "*" } else { "" })
    };
    if has_probability(model) {
        add(if model.evidence.is_some() { "probability" } else { "open" }, false, Box::new(probability));
    }
    if let Some(frequency) = &model.selection_frequency {
        add("resamples", true, Box::new(move |variable| format!("{:.0} %", 100.0 * frequency[variable])));
    }
    let used = move |variable: usize| model.used().contains(&variable);
    let own = move |values: &[f64], variable: usize| match (
        used(variable),
        model.encoding.features[variable].columns.as_slice(),
    ) {
        (false, _) => "-".into(),
        (true, [column]) => number(values[*column]),
        (true, _) => String::new(),
    };
    let is_linear = matches!(model.model, Model::Linear(_));
    let slope = if is_linear { COEFFICIENT } else { SLOPE };
    add(slope, false, Box::new(move |variable| own(coefficients, variable)));
    if let Some(values) = influence {
        add(INFLUENCE, false, Box::new(move |variable| own(values, variable)));
    }
    if let Some(all) = &model.evidence {
        let mut of_evidence = |heading, expendable, value: fn(&VariableEvidence) -> String| {
            add(heading, expendable, Box::new(move |variable| value(&all[variable])));
        };
        of_evidence(EFFECT, true, |evidence| or_dash(evidence.effect));
        of_evidence(ERROR, true, |evidence| or_dash(evidence.standard_error));
        if detail == Detail::All {
            of_evidence("t", true, |evidence| format!("{:.1}", evidence.t));
            of_evidence("effect size", true, |evidence| format!("{:.3}", evidence.effect_size));
            of_evidence("spread", true, |evidence| format!("{:.2}", evidence.spread));
        }
        of_evidence(P_VALUE, false, |evidence| p_value(evidence.p_value));
    }
    columns
}

fn or_dash(value: Option<f64>) -> String {
    value.map_or("-".into(), number)
}

/// Positions of the variables that are listed, in their order: where there are many the selected and the most probable.
fn listed(model: &FittedModel, detail: Detail) -> Vec<usize> {
    let mut ranked: Vec<usize> = (0..model.encoding.features.len()).collect();
    if detail == Detail::All || ranked.len() <= LISTED {
        return ranked;
    }
    let selected = |variable: &usize| model.selected.contains(variable);
    ranked.sort_by(|a, b| {
        let probable = |variable: &usize| model.open_probability[*variable];
        selected(b).cmp(&selected(a)).then(probable(b).total_cmp(&probable(a))).then(a.cmp(b))
    });
    ranked.truncate(LISTED.max(model.selected.len()));
    ranked.sort_unstable();
    ranked
}

/// What the headings mean that are shown, each said once.
fn words(model: &FittedModel, headings: &[&str]) -> Vec<String> {
    let Some(settings) = model.method.loop_settings() else { return Vec::new() };
    let Some(how) = settings.evidence.filter(|_| model.evidence.is_some()) else {
        let open = "open: the probability that its gate is open under the weights; gates steer the weights that they are judged by";
        return vec![open.into()];
    };
    let variables = model.encoding.features.len();
    let mut lines = vec![format!(
        "probability: that '{}' depends on it when all others are known; it starts at {:.2}",
        model.target,
        how.prior_for(variables)
    )];
    if let Some(threshold) = settings.rule.threshold() {
        let (t, p) = how.needed(variables, model.rows.min(how.rows) as f64, threshold);
        lines[0] += &format!(
            " and reaches {threshold}, from which on it is selected (--threshold), at about |t| = {t:.1}, p = {}, in a first look; \
             variables that others could stand in for are judged anew in smaller sets, and more is asked where regressions are \
             imprecise (--fdr goes by p-values)",
            p_value(p)
        );
    }
    if model.selected.iter().any(|&variable| differs(model, variable)) {
        lines.push("differs: chosen, but its effect is not the same in all environments (see below)".into());
    }
    if model.selected.iter().any(|&variable| joined(model, variable)) {
        lines.push(
            "joined: below the cut-off by itself, taken because fits with it and its like do better on rows that were held out, or \
             because the set predicts worse without it"
                .into(),
        );
    }
    lines.extend(given_the_set(model));
    if matches!(settings.rule, Rule::FalseDiscoveryRate(_)) {
        lines.push("stable: chosen by p-values (--fdr), whatever the probability; of near copies only the one with the strongest evidence".into());
    }
    let shown = |heading: &str| headings.contains(&heading);
    if shown(EFFECT) {
        let units = model.classes.as_ref().map_or("outcome".into(), |[_, second]| format!("probability of '{second}'"));
        let error = if shown(ERROR) { ", with its standard error" } else { "" };
        lines.push(format!("effect: change of the {units} by one unit of it when all others are held fixed{error}"));
    }
    lines.push(match (&model.classes, shown(COEFFICIENT)) {
        (None, true) => "coefficient: change of the prediction by one unit of it, in the model".into(),
        (Some([_, second]), true) => {
            format!("coefficient: change of the log-odds of '{second}' by one unit of it, in the model")
        }
        (None, false) => "mean slope: of the line nearest to the model's predictions, over all rows".into(),
        (Some([_, second]), false) => {
            format!("mean slope: of the line nearest to the model's log-odds of '{second}', over all rows")
        }
    });
    if shown(INFLUENCE) {
        lines.push(
            "influence: change of predictions (root mean square) if its values are dealt out anew among the rows"
                .into(),
        );
    }
    lines.push("p-value: how often chance alone shows as much".into());
    // Beside a t or what makes it up it would look odd.
    let beside_t = shown("t") || shown(EFFECT) && shown(ERROR);
    lines.extend(weaker_than_t(model).filter(|_| beside_t));
    lines
}

fn honest_words(honest: &Honest, cheap: Option<&Figures>, metric: &str) -> String {
    let Figures { cv_error, stress_error, stress_worst, standard_error } = honest.figures;
    let cheap =
        cheap.map_or_else(String::new, |cheap| format!(" (where the choice was made {:.3})", cheap.stress_error));
    format!(
        "honest estimate, the selection repeated: {metric} {} in cross-validation; in {} regions that were held out \
         {stress_error:.3} (s.e. {standard_error:.3}) of the error of all columns{cheap}, its worst region over theirs {stress_worst:.3}",
        number(cv_error),
        honest.regions
    )
}

fn print_fit(model: &FittedModel, weights: Weights, detail: Detail, printer: &Printer) -> anyhow::Result<()> {
    let encoding = &model.encoding;
    if let Some(intercept) = model.model.intercept(encoding) {
        printer.line(&format!("intercept {}", number(intercept)))?;
    }
    if let Some(choice) = &model.refit {
        for line in refit(choice) {
            printer.line(&line)?;
        }
        if let Some(honest) = &choice.honest {
            printer.line(&honest_words(honest, taken(choice), &choice.metric))?;
        }
    }
    let whose = if model.refit_is_weighted() { " under the weights of the refit" } else { "" };
    let of = match (weights.rows, weights.total.round()) {
        (rows, total) if total == rows as f64 => count(rows),
        (rows, total) if total < rows as f64 => format!("{total:.0} ({} rows under survey weights)", count(rows)),
        (rows, total) => format!("{total:.0} ({} rows, counted by their weights)", count(rows)),
    };
    printer.line(&format!(
        "effective sample size {} of {of}{whose}",
        count(model.effective_sample_size.round() as usize)
    ))?;
    let without = without_weight(model);
    if without > 0 {
        let role = if model.refit_is_weighted() || model.method.loop_settings().is_none() {
            "the model hardly sees those rows"
        } else {
            match model.evidence {
                Some(_) => {
                    "they decide nothing, variables were chosen by their own evidence and the model is fitted to all rows alike"
                }
                None => "gates chose the variables under the weights, the model is fitted to all rows alike",
            }
        };
        printer.line(&format!(
            "{} of {} rows have weight 0 or next to nothing: {role}",
            count(without),
            count(model.rows)
        ))?;
    }
    if let Some(left) = model.diagnostics.remaining_correlation.filter(|_| detail == Detail::All) {
        printer.line(&format!("largest correlation left where none should be {left:.2e}"))?;
    }
    if let Some((before, after)) = model.diagnostics.distance_correlation.filter(|_| detail == Detail::All) {
        printer.line(&format!(
            "mean distance correlation of these pairs {before:.3} before weighting, {after:.3} after"
        ))?;
    }
    if let Some(share) = model.diagnostics.truncated {
        printer.line(&format!("weights cut off at the limit {:.1} %", 100.0 * share))?;
    }
    if let Some(set) = &model.sufficiency {
        printer.line(&sufficiency(set))?;
    }
    for (feature, _) in encoding.features.iter().zip(model.evidence.iter().flatten()).filter(|(_, found)| found.needed)
    {
        printer.line(&format!("'{}' was added since the others did not tell all", feature.name))?;
    }
    if let Some(effects) = &model.environments {
        printer.line(&environments(effects))?;
    }
    // Where evidence decides there is nothing that could have gone on.
    if detail == Detail::All || model.evidence.is_none() || !model.converged {
        printer.line(&model.stop_reason)?;
    }
    Ok(())
}
