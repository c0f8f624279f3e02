//! What the user should watch out for after a fit.

use super::FittedModel;
use crate::design::{ColumnSummary, FeatureKind, Missing, Standing};
use crate::evidence::{VariableEvidence, is_wide};
use crate::finding::{Code, Finding, three_digits};
use crate::linalg::Matrix;
use crate::method::Choose;
use std::collections::BTreeMap;

/// Probabilities below this, and above 1 less this, contradict what was told.
const CONTRADICTED: f64 = 0.05;
/// Standard errors, and the factor, by which a coefficient is another slope than the effect.
const FAR_SLOPE: f64 = 4.0;
const OTHER_SLOPE: f64 = 3.0;
/// With a mark in fewer rows than this, an effect can't be told from none.
const FEW_MARKED: f64 = 20.0;
/// Variables that one finding tells of in detail.
const MOST_LISTED: usize = 8;

/// Everything to watch out for; `total` is the rows' base weight, `share` that of the second class.
pub(super) fn findings(model: &FittedModel, total: f64, share: f64, separated: bool) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(of_the_table(model));
    found.extend(of_the_search(model));
    found.extend(of_the_weights(model, total));
    found.extend(of_what_was_told(model));
    found.extend(of_the_evidence(model));
    found.extend(of_the_model(model, share, separated));
    found.extend(of_the_theorem(model));
    found
}

/// What was done to values of the table that a reader may not expect.
fn of_the_table(model: &FittedModel) -> Vec<Finding> {
    let known = |name: &String| model.encoding.features.iter().any(|feature| feature.name == *name);
    let told = |name: &String| {
        let codes = model.warnings.iter().filter(|finding| finding.code == Code::MuchMissing);
        codes.flat_map(|finding| &finding.variables).any(|much| much == name)
    };
    let filled = model.columns.iter().filter(|column| {
        model.encoding.missing == Missing::Mean
            && column.missing_share > 0.0
            && known(&column.name)
            && !told(&column.name)
    });
    let of_column = |column: &'_ ColumnSummary| {
        let percent = 100.0 * column.missing_share;
        (
            column.name.clone(),
            format!("'{}' ({})", column.name, if percent < 1.0 { "< 1 %".into() } else { format!("{percent:.0} %") }),
        )
    };
    let filled: Vec<(String, String)> = filled.map(of_column).collect();
    let filled = listed(Code::ValuesFilledIn, filled.iter().map(|(name, told)| (name, told.clone())));
    let alike = model.encoding.features.iter().filter_map(|feature| {
        let pairs = spelt_alike(&feature.kind)?;
        Some((&feature.name, format!("'{}' has {pairs}", feature.name)))
    });
    let few = (0..model.encoding.features.len()).filter_map(|variable| {
        let levels = model.encoding.hardly_seen_levels(variable);
        let most = model.encoding.reference_level(variable)?;
        let named: Vec<String> = levels.iter().take(MOST_LISTED).map(|level| format!("'{level}'")).collect();
        let more = if levels.len() > named.len() { ", ..." } else { "" };
        let name = &model.encoding.features[variable].name;
        (!levels.is_empty()).then(|| (name, format!("of '{name}' {}{more} as '{most}'", named.join(", "))))
    });
    let few = listed(Code::LevelsOfFewRows, few);
    // Rows that a model remembers bring what was told of its table.
    let told_before = |found: &Finding| model.warnings.iter().any(|before| before.code == found.code);
    filled.into_iter().chain(few).chain(listed(Code::LevelsAlike, alike)).filter(|found| !told_before(found)).collect()
}

/// Levels that differ in nothing but capitals and blanks.
fn spelt_alike(kind: &FeatureKind) -> Option<String> {
    let FeatureKind::Category { levels, .. } = kind else { return None };
    let plain = |level: &String| level.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let mut seen: BTreeMap<String, &String> = BTreeMap::new();
    let mut pairs = Vec::new();
    for level in levels {
        match seen.get(&plain(level)) {
            Some(first) => pairs.push(format!("'{first}' and '{level}'")),
            None => drop(seen.insert(plain(level), level)),
        }
    }
    let more = pairs.len().saturating_sub(MOST_LISTED);
    pairs.truncate(MOST_LISTED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!pairs.is_empty()).then(|| pairs.join(", ") + &rest)
}

fn of_the_search(model: &FittedModel) -> Vec<Finding> {
    let mut found = Vec::new();
    if !model.converged {
        let code = if gates_failed(model) { Code::GatesNotConverged } else { Code::NotConverged };
        found.push(Finding::new(code).detail(&model.stop_reason));
    }
    if model.selected.is_empty() {
        found.push(Finding::new(if model.evidence.is_some() { Code::NothingSelected } else { Code::NoGateOpen }));
    }
    let gated = model.method.loop_settings().is_some() && model.evidence.is_none();
    if gated && !model.selected.is_empty() && model.encoding.features.len() > 1 {
        found.push(Finding::new(Code::GatesAlone));
    }
    found
}

/// Whether it was gates that did not settle, which no number of steps can be set for.
fn gates_failed(model: &FittedModel) -> bool {
    let weights_failed = model.history.last().is_some_and(|step| !step.reweighting.converged());
    let of_loop = model.history.last().is_some_and(|step| !step.gates.stop.converged());
    !weights_failed && (of_loop || matches!(model.method.choose, Choose::Gates { .. }))
}

fn of_the_weights(model: &FittedModel, total: f64) -> Vec<Finding> {
    let Some(left) = model.diagnostics.remaining_correlation else { return Vec::new() };
    let mut found = Vec::new();
    let size = model.effective_sample_size;
    let initial = strongest_correlation(&model.initial_correlations);
    // Weights that were chosen for the refit are as strong as serves it, and need not balance all.
    let chosen = model.refit_is_weighted();
    // Where evidence decides, nothing hangs on weights that the refit does without.
    if model.evidence.is_none() && !chosen && size > 0.99 * total && initial > 0.1 {
        found.push(Finding::new(Code::UniformWeights).with("initial", initial));
    } else if size < 0.05 * total || size < (5.0 * model.encoding.columns.len() as f64).min(0.8 * total) {
        // Where nearly all rows count, they are few for the columns, which is told for itself.
        found.push(Finding::new(Code::FewEffectiveRows).with("effective", size).with("rows", total));
    }
    if let Some((i, j)) = model.diagnostics.remaining_pair.filter(|_| left > 0.1 && !chosen) {
        let names = [i, j].map(|column| &model.encoding.columns[column].name);
        let code = if model.evidence.is_some() { Code::CorrelationLeft } else { Code::Confusable };
        found.push(Finding::new(code).about(names).with("correlation", left));
    }
    found
}

/// Where the data contradict what was told: by their evidence, or by their gates where those decide.
fn of_what_was_told(model: &FittedModel) -> Vec<Finding> {
    if model.evidence.is_none() && model.method.gates().is_none() {
        return Vec::new();
    }
    let variables = model.encoding.features.iter().zip(&model.open_probability);
    let contradicted = variables.filter_map(|(feature, &probability)| {
        let code = match model.told.of(&feature.name)? {
            Standing::Stable if probability < CONTRADICTED => Code::ToldStable,
            Standing::Unstable if probability > 1.0 - CONTRADICTED => Code::ToldUnstable,
            _ => return None,
        };
        Some(Finding::new(code).about([&feature.name]).with("probability", probability))
    });
    contradicted.collect()
}

fn of_the_evidence(model: &FittedModel) -> Vec<Finding> {
    let (Some(evidence), Some(settings)) = (&model.evidence, model.method.loop_settings()) else { return Vec::new() };
    let mut found = Vec::new();
    let (columns, most) = (model.encoding.columns.len(), settings.evidence.map_or(usize::MAX, |how| how.rows));
    let used = model.rows.min(most);
    if model.rows > most {
        let found_out =
            Finding::new(Code::EvidenceFromSample).with("used", most as f64).with("rows", model.rows as f64);
        found.push(found_out);
    }
    if is_wide(columns, used) {
        found.push(Finding::new(Code::ManyColumns).with("columns", columns as f64).with("rows", used as f64));
    }
    if let Some(set) = model.sufficiency.filter(|set| !set.sufficient) {
        let percent = |value: f64| 100.0 * value / set.loss_all;
        let told = Finding::new(Code::NotSufficient).with("percent", percent(set.difference));
        found.push(told.with("error", percent(set.standard_error)));
    }
    let name = |variable: usize| &model.encoding.features[variable].name;
    for &variable in &model.selected {
        // What joined for another reason is no longer instead of it.
        let alternatives = evidence[variable].alternatives.iter().filter(|other| !model.selected.contains(other));
        let alternatives: Vec<usize> = alternatives.copied().collect();
        if !alternatives.is_empty() {
            let names = std::iter::once(&variable).chain(&alternatives).map(|&variable| name(variable));
            found.push(Finding::new(Code::Interchangeable).about(names));
        }
        if evidence[variable].doubtful {
            found.push(Finding::new(Code::DoubtfulEvidence).about([name(variable)]));
        }
    }
    found.extend(of_slopes(model, evidence));
    found.extend(of_rare_marks(model));
    found.extend(of_rare_levels(model));
    found
}

/// Chosen numbers whose coefficient is far from their effect, in standard errors and as a factor.
fn of_slopes(model: &FittedModel, evidence: &[VariableEvidence]) -> Option<Finding> {
    // Coefficients of log-odds are in other units than effects on a probability.
    if model.classes.is_some() {
        return None;
    }
    let coefficients = model.model.coefficients(&model.encoding);
    let another = |&variable: &usize| {
        let (feature, found) = (&model.encoding.features[variable], &evidence[variable]);
        let [column] = feature.columns[..] else { return None };
        let (effect, error, slope) = (found.effect?, found.standard_error?, *coefficients.get(column)?);
        let far = (slope - effect).abs() > FAR_SLOPE * error && slope.is_finite();
        let other = slope * effect <= 0.0 || !(1.0 / OTHER_SLOPE..=OTHER_SLOPE).contains(&(slope / effect));
        let [slope, effect, error] = [slope, effect, error].map(three_digits);
        (far && other).then(|| (&feature.name, format!("'{}' {slope}, effect {effect} (s.e. {error})", feature.name)))
    };
    listed(Code::AnotherSlope, model.selected.iter().filter_map(another))
}

/// Variables with two values, one of them in too few rows, that were left out.
fn of_rare_marks(model: &FittedModel) -> Option<Finding> {
    let rare = |variable: usize| {
        let feature = &model.encoding.features[variable];
        let [column] = feature.columns[..] else { return None };
        let rows = model.encoding.columns[column].rarer_share()? * model.rows as f64;
        let left_out = !model.selected.contains(&variable) && model.told.of(&feature.name).is_none();
        let marked = rows.round().max(1.0);
        (left_out && marked < FEW_MARKED).then(|| (&feature.name, format!("'{}' ({marked} rows)", feature.name)))
    };
    listed(Code::RareMark, (0..model.encoding.features.len()).filter_map(rare))
}

/// Levels with a coefficient of their own that few rows have.
fn of_rare_levels(model: &FittedModel) -> Option<Finding> {
    let of_text = model.selected_columns().into_iter().map(|column| &model.encoding.columns[column]);
    let rare = of_text.filter_map(|column| {
        let marked =
            column.level.as_ref().and(column.rarer_share()).map(|share| (share * model.rows as f64).round())?;
        (marked < FEW_MARKED).then(|| (&column.name, format!("'{}' ({marked} rows)", column.name)))
    });
    listed(Code::RareLevels, rare)
}

/// One finding about all of these, with what there is to say of each.
fn listed<'a>(code: Code, found: impl Iterator<Item = (&'a String, String)>) -> Option<Finding> {
    let (names, details): (Vec<&String>, Vec<String>) = found.unzip();
    let more = details.len().saturating_sub(MOST_LISTED);
    let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
    let detail = details[..details.len() - more].join("; ") + &rest;
    (!names.is_empty()).then(|| Finding::new(code).about(names).detail(detail))
}

fn of_the_model(model: &FittedModel, share: f64, separated: bool) -> Vec<Finding> {
    let mut found = Vec::new();
    if separated {
        found.push(Finding::new(Code::Separated));
    }
    if let Some(classes) = model.classes.as_ref().filter(|_| !(0.05..=0.95).contains(&share)) {
        let rare = if share < 0.5 { &classes[1] } else { &classes[0] };
        found.push(Finding::new(Code::RareClass).about([rare]).with("percent", 100.0 * share.min(1.0 - share)));
    }
    let coefficients = model.model.coefficients(&model.encoding);
    for column in model.used_columns().into_iter().filter(|&column| !coefficients[column].is_finite()) {
        found.push(Finding::new(Code::Overflow).about([&model.encoding.columns[column].name]));
    }
    found
}

fn of_the_theorem(model: &FittedModel) -> Option<Finding> {
    let condition = model.diagnostics.condition_after.as_ref().filter(|condition| condition.largest >= 1.0)?;
    let (column, value) =
        condition.values.iter().copied().fold((0, 0.0), |most, pair| if pair.1 > most.1 { pair } else { most });
    Some(Finding::new(Code::SelectionCondition).about([&model.encoding.columns[column].name]).with("value", value))
}

/// The largest absolute correlation of two different columns.
fn strongest_correlation(correlations: &Matrix) -> f64 {
    let size = correlations.rows();
    let pairs = (0..size).flat_map(|j| (0..j).map(move |i| (i, j)));
    pairs.map(|pair| correlations[pair].abs()).fold(0.0, f64::max)
}
