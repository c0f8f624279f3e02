//! What `stablevar fit` prints for people.

use crate::args::Options;
use crate::printer::Printer;
use stablevar::finding::Code;
use stablevar::fit::FittedModel;
use stablevar::models::Model;
use stablevar_report::text::{environments, number, refit, sufficiency};

/// The variables, and how the fit went; `total` is the sum of the base weights.
pub(crate) fn print(model: &FittedModel, total: f64, printer: &Printer) -> anyhow::Result<()> {
    let encoding = &model.encoding;
    let coefficients = model.model.coefficients(encoding);
    let influence = model.model.influence();
    let mut rows = Vec::new();
    for (position, feature) in encoding.features.iter().enumerate() {
        let selected = model.selected.contains(&position);
        let own = |values: &[f64]| match (selected, feature.columns.as_slice()) {
            (false, _) => "-".into(),
            (true, [column]) => number(values[*column]),
            (true, _) => String::new(),
        };
        let mark = match (selected, model.standing(position)) {
            (true, Some(_)) => "yes, told",
            (true, None) => "yes",
            (false, Some(_)) => "no, told",
            (false, None) => "no",
        };
        let mut row = vec![feature.name.clone(), format!("{:.2}", model.open_probability[position])];
        row.extend(model.evidence.as_ref().map(|evidence| format!("{:.2}", evidence[position].spread)));
        if let Some(frequency) = &model.selection_frequency {
            row.push(format!("{:.0} %", 100.0 * frequency[position]));
        }
        row.extend([mark.into(), own(&coefficients)]);
        row.extend(influence.iter().map(|values| own(values)));
        if let Some(evidence) = model.evidence.as_ref().map(|evidence| &evidence[position]) {
            let shown = |value: Option<f64>| value.map_or("-".into(), number);
            row.extend([
                shown(evidence.effect),
                shown(evidence.standard_error),
                format!("{:.1}", evidence.t),
                format!("{:.1e}", evidence.p_value),
                format!("{:.3}", evidence.effect_size),
            ]);
        }
        rows.push(row);
        if selected && feature.columns.len() > 1 {
            rows.extend(feature.columns.iter().map(|&column| {
                let mut row = vec![format!("  {}", encoding.columns[column].name), String::new(), String::new()];
                row.extend(model.evidence.iter().map(|_| String::new()));
                row.extend(model.selection_frequency.iter().map(|_| String::new()));
                row.push(number(coefficients[column]));
                row.extend(influence.iter().map(|values| number(values[column])));
                row
            }));
        }
    }
    printer.line(&format!(
        "{}: '{}' from {} variables, {} rows: {} selected\n",
        model.method.name(),
        model.target,
        encoding.features.len(),
        model.rows,
        model.selected.len()
    ))?;
    let role = if model.method.seeks_stability() { "stable" } else { "used" };
    let mut header = vec!["variable", if model.evidence.is_some() { "probability" } else { "open" }];
    header.extend(model.evidence.iter().map(|_| "spread"));
    header.extend(model.selection_frequency.iter().map(|_| "resamples"));
    let is_linear = matches!(model.model, Model::Linear(_));
    header.extend([role, if is_linear { "coefficient" } else { "mean slope" }]);
    header.extend(influence.iter().map(|_| "influence"));
    if model.evidence.is_some() {
        header.extend(["effect given all others", "s.e.", "t", "p-value", "effect size"]);
    }
    printer.table(&header, &rows)?;
    printer.line("")?;
    if let Some(intercept) = model.model.intercept(encoding) {
        printer.line(&format!("intercept {}", number(intercept)))?;
    }
    if let Some(choice) = &model.refit {
        printer.line(&refit(choice))?;
    }
    let whose = if model.refit_is_weighted() { " under the weights of the refit" } else { "" };
    printer.line(&format!("effective sample size {:.0} of {total:.0}{whose}", model.effective_sample_size))?;
    if let Some(left) = model.diagnostics.remaining_correlation {
        printer.line(&format!("largest correlation left where none should be {left:.2e}"))?;
    }
    if let Some((before, after)) = model.diagnostics.distance_correlation {
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
    printer.line(&model.stop_reason)?;
    for pair in &model.stand_ins {
        let name = |variable: usize| &encoding.features[variable].name;
        printer.line(&format!(
            "'{}' could stand in for '{}' as long as they move together (correlation {:.2})",
            name(pair.variable),
            name(pair.stands_for),
            pair.correlation
        ))?;
    }
    // What was set without effect was told before.
    for finding in model.warnings.iter().filter(|finding| finding.code != Code::SettingWithoutEffect) {
        printer.warn(&finding.words(&Options).to_string());
    }
    Ok(())
}
