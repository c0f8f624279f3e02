//! How the weights are spread, and which rows they lean on.

use super::{count, shown};
use crate::chart::{Histogram, picture};
use crate::page::table;
use stablevar::fit::FittedModel;

/// Values of the rows with the largest weights, for those who asked for them.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownRows {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// One row for each of the largest weights, in their order.
    pub values: Vec<Vec<String>>,
}

pub(super) fn section(model: &FittedModel, rows: Option<&ShownRows>) -> String {
    let Some(profile) = &model.diagnostics.weights else { return String::new() };
    let histogram = Histogram {
        values_are: "weight (their mean, 1, is marked)".into(),
        counted: "rows".into(),
        bin_width: profile.bin_width,
        counts: profile.counts.clone(),
        marked: 1.0,
    };
    let picture = picture("How many rows have which weight", &histogram, (640.0, 260.0));
    let size = model.effective_sample_size;
    let quantile = |(share, weight): &(f64, f64)| vec![format!("{:.0} %", 100.0 * share), format!("{weight:.3}")];
    let quantiles =
        table(&["share of rows", "weight at most"], &profile.quantiles.iter().map(quantile).collect::<Vec<_>>());
    format!(
        "<p>{} rows count as {} ({:.0} %) under the weights. Half of all weight lies on {:.1} % of the rows.{}</p>\
         <figure>{picture}<figcaption>The last bar holds all larger weights.</figcaption></figure>\
         <div class=\"pair\"><div><h3>Quantiles</h3>{quantiles}</div><div><h3>Rows with the largest weights</h3>{}</div></div>",
        count(model.rows),
        count(size.round() as usize),
        100.0 * size / model.rows as f64,
        100.0 * profile.half_of_the_weight,
        model.diagnostics.truncated.map_or(String::new(), |share| format!(
            " The weights of {:.1} % of the rows were cut off at the limit.",
            100.0 * share
        )),
        largest(&profile.largest, rows)
    )
}

/// Rows are counted from 1, as people count them.
fn largest(largest: &[(usize, f64)], rows: Option<&ShownRows>) -> String {
    let names: Vec<String> = rows.iter().flat_map(|rows| rows.columns.iter().map(|name| shown(name))).collect();
    let header: Vec<&str> = ["row", "weight"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let cells = |(k, (row, weight)): (usize, &(usize, f64))| {
        let own = vec![count(row + 1), format!("{weight:.2}")];
        let values = rows.and_then(|rows| rows.values.get(k));
        own.into_iter().chain(values.into_iter().flatten().map(|value| shown(value))).collect::<Vec<String>>()
    };
    table(&header, &largest.iter().enumerate().map(cells).collect::<Vec<_>>())
}
