//! How the weights are spread, and which rows they lean on.

use crate::chart::{Axis, Histogram, PANEL, Scale, picture};
use crate::page::{name as shown, table};
use crate::text::{count, escape, number, shorten_name, value as shown_value, without_weight};
use stablevar::fit::FittedModel;
use stablevar::weights::WeightProfile;

/// Values of the rows with the largest weights, for those who asked for them.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownRows {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// One row for each of the largest weights, in their order.
    pub values: Vec<Vec<String>>,
}

/// What the weights do in the result.
pub(super) fn role_of_weights(model: &FittedModel) -> &'static str {
    let gates_choose = model.method.loop_settings().is_some() || !model.penalty_path.is_empty();
    if model.refit_is_weighted() {
        "The final model is fitted under these weights, since that did better in regions that were held out."
    } else if model.evidence.is_some() {
        "They decide nothing here: each variable was chosen by its own evidence, and the final model is fitted to all rows alike. \
         They show how far the variables can be told apart, and serve models of your own."
    } else if gates_choose {
        "The gates chose the variables under these weights; the final model is fitted to all rows alike."
    } else {
        "The model is fitted under these weights."
    }
}

/// How many rows have no weight, where that is worth a word.
pub(super) fn told_without_weight(model: &FittedModel) -> String {
    match without_weight(model) {
        0 => String::new(),
        1 => format!(" One of the {} rows has weight 0 or next to nothing.", count(model.rows)),
        rows => {
            let share = 100.0 * rows as f64 / model.rows.max(1) as f64;
            format!(
                " {} of the {} rows ({share:.0} %) have weight 0 or next to nothing.",
                count(rows),
                count(model.rows)
            )
        }
    }
}

pub(super) fn section(model: &FittedModel, rows: Option<&ShownRows>) -> String {
    let Some(profile) = &model.diagnostics.weights else { return String::new() };
    let (histogram, caption) = histogram(profile);
    let picture = picture("How many rows have which weight", &histogram, (PANEL, 220.0));
    let size = model.effective_sample_size;
    let quantile = |(share, weight): &(f64, f64)| vec![format!("{:.0} %", 100.0 * share), format!("{weight:.3}")];
    let quantiles =
        table(&["share of rows", "weight at most"], &profile.quantiles.iter().map(quantile).collect::<Vec<_>>());
    format!(
        "<p><b>What they do.</b> {} Their mean is 1.</p><p>{} rows count as {} ({:.0} %) under the weights. Half of all weight lies on {:.1} % \
         of the rows.{}{}</p><div class=\"panels\"><figure>{picture}<figcaption>{caption}</figcaption></figure>\
         <div><h3>Quantiles</h3>{quantiles}</div><div><h3>Rows with the largest weights</h3>{}</div></div>",
        role_of_weights(model),
        count(model.rows),
        count(size.round() as usize),
        100.0 * size / model.rows as f64,
        100.0 * profile.half_of_the_weight,
        told_without_weight(model),
        model.diagnostics.truncated.map_or(String::new(), |share| format!(
            " The weights of {:.1} % of the rows were cut off at the limit.",
            100.0 * share
        )),
        largest(&profile.largest, rows)
    )
}

/// Rows by the size of their weight, by factors where that is known, and what is to be said about the picture.
fn histogram(profile: &WeightProfile) -> (Histogram, String) {
    let (edges, counts, scale) = match &profile.by_size {
        Some(by_size) => {
            let edges = std::iter::once(by_size.from / std::f64::consts::SQRT_2).chain(by_size.edges());
            (edges.collect(), by_size.counts.clone(), Scale::Logarithmic)
        }
        None => {
            let edges = (0..=profile.counts.len()).map(|k| profile.bin_width * k as f64).collect();
            (edges, profile.counts.clone(), Scale::FromZero)
        }
    };
    let caption = match &profile.by_size {
        Some(by_size) => format!(
            "Weights by factors: every bar reaches 1.4 times as far as the one before. The mean, 1, is marked. The bar in orange \
             holds the {} with less than {}, {} without weight, or next to none, among them.",
            match by_size.counts[0] {
                1 => "one row".to_string(),
                rows => format!("{} rows", count(rows)),
            },
            number(by_size.from),
            count(by_size.without_weight)
        ),
        None => "The mean, 1, is marked; the last bar holds all larger weights.".into(),
    };
    let values = Axis::new("weight", scale);
    let first_is_cut = profile.by_size.is_some();
    (Histogram { values, counted: "rows".into(), edges, counts, marked: Some(1.0), first_is_cut }, caption)
}

/// Rows are counted from 1, as people count them.
fn largest(largest: &[(usize, f64)], rows: Option<&ShownRows>) -> String {
    let names: Vec<String> = rows.iter().flat_map(|rows| rows.columns.iter().map(|name| shown(name))).collect();
    let header: Vec<&str> = ["row", "weight"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let cells = |(k, (row, weight)): (usize, &(usize, f64))| {
        let own = vec![count(row + 1), format!("{weight:.2}")];
        let values = rows.and_then(|rows| rows.values.get(k));
        own.into_iter()
            .chain(values.into_iter().flatten().map(|value| escape(&shorten_name(&shown_value(value), 40))))
            .collect::<Vec<String>>()
    };
    table(&header, &largest.iter().enumerate().map(cells).collect::<Vec<_>>())
}
