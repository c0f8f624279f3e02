//! What the levels of text variables do in the model.

use super::columns::shares;
use crate::chart::{Forest, Interval, LABEL, PANEL, figure};
use crate::page::panels;
use crate::text::{escape, labels, shorten_name};
use stablevar::design::Feature;
use stablevar::fit::FittedModel;

/// Levels of a variable in its picture at most.
const LEVELS: usize = 20;
/// Variables that are shown; the others are folded away, and of these at most so many.
const SHOWN: usize = 6;
const FOLDED: usize = 30;

pub(super) fn section(model: &FittedModel) -> String {
    let coefficients = model.model.coefficients(&model.encoding);
    if coefficients.len() != model.encoding.columns.len() {
        return String::new();
    }
    let chosen = model.selected.iter().map(|&variable| &model.encoding.features[variable]);
    let pictures: Vec<String> = chosen.filter_map(|feature| by_level(model, feature, &coefficients)).collect();
    if pictures.is_empty() {
        return String::new();
    }
    let (first, rest) = pictures.split_at(pictures.len().min(SHOWN));
    let rest = &rest[..rest.len().min(FOLDED)];
    let folded = if rest.is_empty() {
        String::new()
    } else {
        format!("<details><summary>{} more</summary>{}</details>", rest.len(), panels(rest))
    };
    let unit = match &model.classes {
        Some([_, second]) => format!("log-odds of {}", escape(&shorten_name(second, 32))),
        None => format!("units of {}", crate::page::name(&model.target)),
    };
    format!(
        "<p>How far the model's prediction lies, in {unit}, above (right) or below (left) that for the level it is compared with, which is \
         at 0; all else equal. Behind a level stands its share of the rows: a level with few rows is uncertain, whatever its place.</p>\
         <figure>{}{folded}</figure>",
        panels(first)
    )
}

fn by_level(model: &FittedModel, feature: &Feature, coefficients: &[f64]) -> Option<String> {
    let shares = shares(model, feature)?;
    let effect = |level: &str| {
        let own = |column: &&usize| model.encoding.columns[**column].level.as_deref().unwrap_or("(rare)") == level;
        feature.columns.iter().find(own).map(|&column| coefficients[column])
    };
    let mut levels: Vec<(String, f64, Option<f64>)> =
        shares.into_iter().map(|(level, share)| (level.clone(), share, effect(&level))).collect();
    let all = levels.len();
    levels.truncate(LEVELS);
    levels.sort_by(|a, b| b.2.unwrap_or(0.0).total_cmp(&a.2.unwrap_or(0.0)));
    let short = labels(levels.iter().map(|level| level.0.as_str()), LABEL - 6);
    let row = |((level, share, effect), label): (&(String, f64, Option<f64>), String)| Interval {
        name: format!("{level}, {:.1} % of the rows", 100.0 * share),
        label: if *share < 0.005 { format!("{label} <1%") } else { format!("{label} {:.0}%", 100.0 * share) },
        value: effect.unwrap_or(0.0),
        half: 0.0,
        emphasised: effect.is_some(),
    };
    let rows = levels.iter().zip(short).map(row).collect();
    let more = if all > LEVELS { format!(" (the {LEVELS} most frequent of {all} levels)") } else { String::new() };
    let forest = Forest::new("difference to the level at 0", rows);
    let title = format!("{}{more}", shorten_name(&feature.name, 32));
    Some(figure(&format!("Effects of the levels of {title}"), "", &[(&title, &forest)], 1, (PANEL, forest.height())))
}
