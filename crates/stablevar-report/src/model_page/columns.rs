//! What the table's columns held.

use crate::page::{TableCell, explained, name, sortable_table};
use crate::text::{count, escape, number, shorten_name};
use stablevar::design::{ColumnSummary, Feature, FeatureKind};
use stablevar::fit::FittedModel;

/// Bars of a small histogram.
const BARS: usize = 16;
/// Columns that are shown at once; of more, all are folded away.
const SHOWN: usize = 25;

pub(super) fn section(model: &FittedModel) -> String {
    if model.columns.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<TableCell>> = model.columns.iter().map(|column| row(model, column)).collect();
    let header = ["column", "holds", "missing", "least", "mean", "greatest", "spread over the rows"];
    let table = sortable_table("column-table", "Every column of the table but the outcome.", &header, &rows);
    let remembered = model.memory.as_ref().map_or(0, |memory| memory.rows());
    let of = if remembered < model.rows {
        format!(" It is drawn from {} of the rows.", count(remembered))
    } else {
        String::new()
    };
    let meanings = [
        ("holds", "Numbers, true/false, or text with so many different levels. Of text the most frequent level and its share stand in the place of numbers.".to_string()),
        ("missing", "The share of the rows without a value here.".into()),
        ("spread over the rows", format!("A small histogram from the least to the greatest value; of text the shares of its levels, the most frequent first.{of} A column that carries nothing has none.")),
    ];
    let table = format!("{table}{}", explained(&meanings));
    if rows.len() <= SHOWN {
        return table;
    }
    format!("<details><summary>All {} columns</summary>{table}</details>", count(rows.len()))
}

fn row(model: &FittedModel, column: &ColumnSummary) -> Vec<TableCell> {
    let feature = model.encoding.features.iter().find(|feature| feature.name == column.name);
    let nothing = || TableCell::number("–".into(), f64::MIN);
    let value = |value: Option<f64>| value.map_or_else(nothing, |value| TableCell::number(plain(value), value));
    let kind = match column.levels {
        0 => column.kind.in_words().to_string(),
        levels => format!("text, {} level{}", count(levels), if levels == 1 { "" } else { "s" }),
    };
    let missing = match column.missing_share {
        0.0 => "none".to_string(),
        share if share < 0.001 => "< 0.1 %".into(),
        share => format!("{:.1} %", 100.0 * share),
    };
    let mut cells = vec![
        TableCell::text(name(&column.name)),
        TableCell::text(kind),
        TableCell::number(missing, column.missing_share),
    ];
    match feature.map(|feature| (feature, shares(model, feature))) {
        Some((_, Some(shares))) => {
            let (level, share) = shares.first().cloned().unwrap_or_default();
            let most = format!("mostly {} ({:.0} %)", escape(&shorten_name(&level, 20)), 100.0 * share);
            cells.extend([nothing(), TableCell::number(most, share), nothing()]);
            cells.push(TableCell::text(spark(&shares.iter().take(BARS).map(|(_, share)| *share).collect::<Vec<_>>())));
        }
        other => {
            let encoded = other.as_ref().map(|(feature, _)| feature.columns[0]);
            cells.push(value(column.range.map(|range| range.0)));
            cells.push(value(encoded.map(|column| model.encoding.columns[column].mean)));
            cells.push(value(column.range.map(|range| range.1)));
            let drawn = encoded.and_then(|encoded| histogram(model, encoded, column.range?));
            cells.push(TableCell::text(drawn.unwrap_or_default()));
        }
    }
    cells
}

/// A number without digits that say nothing. Years and other small whole numbers are best without a comma.
fn plain(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e4 {
        return format!("{:.0}", value + 0.0);
    }
    let written = number(value);
    let trimmed = written.trim_end_matches('0').trim_end_matches('.');
    if written.contains('.') && !written.contains('e') { trimmed.into() } else { written }
}

/// The levels of a text variable with their shares of the rows, the most frequent first; `None` for numbers.
pub(super) fn shares(model: &FittedModel, feature: &Feature) -> Option<Vec<(String, f64)>> {
    let FeatureKind::Category { levels, pooled } = &feature.kind else { return None };
    let encoded: Vec<_> = feature.columns.iter().map(|&column| &model.encoding.columns[column]).collect();
    let own = |level: &String| encoded.iter().any(|column| column.level.as_ref() == Some(level));
    let mut shares: Vec<(String, f64)> = encoded
        .iter()
        .map(|column| (column.level.clone().unwrap_or_else(|| "(rare)".into()), column.mean.clamp(0.0, 1.0)))
        .collect();
    // What has no column of its own is the level that the others are compared with.
    let rest = (1.0 - shares.iter().map(|(_, share)| share).sum::<f64>()).max(0.0);
    if let Some(base) = levels.iter().find(|level| !own(level) && !pooled.contains(level)) {
        shares.push((base.clone(), rest));
    }
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    Some(shares)
}

/// How the remembered values are spread between the ends of the range.
fn histogram(model: &FittedModel, column: usize, (low, high): (f64, f64)) -> Option<String> {
    let memory = model.memory.as_ref().filter(|_| high > low)?;
    let mut sums = [0.0; BARS];
    for (value, base) in memory.column(column).iter().zip(memory.base()) {
        // Halves, since the whole of a range may be beyond the largest number.
        let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
        sums[((share * BARS as f64) as usize).min(BARS - 1)] += base;
    }
    Some(spark(&sums))
}

/// Bars without axes, as one shape.
fn spark(heights: &[f64]) -> String {
    let most = heights.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return String::new();
    }
    // What is there can be seen, however little.
    let top = |height: &f64| if *height > 0.0 { 20.0 - (20.0 * (height / most).max(0.05)).round() } else { 20.0 };
    let bars: String =
        heights.iter().enumerate().map(|(k, height)| format!("V{}H{}V20h1", top(height), 6 * k + 5)).collect();
    let bars = format!("M0 20{bars}");
    format!(
        "<svg class=\"spark\" viewBox=\"0 0 {} 20\" role=\"img\" aria-label=\"histogram\"><path d=\"{bars}\"/></svg>",
        6 * BARS
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_digits_that_say_nothing() {
        let written = [1919.0, 0.0, 430.5, 12_050.0, -122.51, 3e12, 0.5, -0.0].map(plain);
        assert_eq!(written, ["1919", "0", "430.5", "12,050", "-122.51", "3.0000e12", "0.5", "0"]);
    }
}
