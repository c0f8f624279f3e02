//! Small SVG charts. Colours are the page's CSS variables, so that they follow its light or dark mode.

use super::{escape, shorten};
use stablevar::linalg::Matrix;

/// One line per series over shared categories, each labelled at its right end.
pub(crate) fn lines(title: &str, axis: &str, categories: &[String], series: &[(&str, &[f64])]) -> String {
    const WIDTH: f64 = 640.0;
    const HEIGHT: f64 = 300.0;
    const LEFT: f64 = 46.0;
    const RIGHT: f64 = 84.0;
    const BOTTOM: f64 = 42.0;
    const TOP: f64 = 12.0;
    let top = series.iter().flat_map(|(_, values)| values.iter().copied()).fold(0.0, f64::max).max(1e-12) * 1.05;
    let x = |k: usize| LEFT + (WIDTH - LEFT - RIGHT) * k as f64 / (categories.len().max(2) - 1) as f64;
    let y = |value: f64| HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / top;
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">", escape(title));
    for tick in 0..=4 {
        let value = top * f64::from(tick) / 4.0;
        let at = y(value);
        svg += &format!(
            "<line x1=\"{LEFT}\" x2=\"{:.0}\" y1=\"{at:.1}\" y2=\"{at:.1}\" class=\"grid\"/><text x=\"{:.0}\" y=\"{:.1}\" class=\"end\">{value:.2}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0
        );
    }
    for (k, category) in categories.iter().enumerate() {
        svg += &format!(
            "<text x=\"{:.1}\" y=\"{:.0}\" class=\"mid\">{}</text>",
            x(k),
            HEIGHT - BOTTOM + 18.0,
            escape(&shorten(category, 12))
        );
    }
    svg += &format!(
        "<text x=\"{:.0}\" y=\"{:.0}\" class=\"mid\">{}</text>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 4.0,
        escape(axis)
    );
    let mut labels = label_heights(series, y);
    for (k, (name, values)) in series.iter().enumerate() {
        let points: Vec<String> =
            values.iter().enumerate().map(|(i, &value)| format!("{:.1},{:.1}", x(i), y(value))).collect();
        svg += &format!("<polyline points=\"{}\" class=\"line s{}\"/>", points.join(" "), k % 6);
        svg += &format!(
            "<text x=\"{:.0}\" y=\"{:.1}\" class=\"label s{}\">{}</text>",
            WIDTH - RIGHT + 6.0,
            labels.remove(0) + 4.0,
            k % 6,
            escape(name)
        );
    }
    svg + "</svg>"
}

/// Where the labels stand: at the lines' ends, moved apart where they would overlap.
fn label_heights(series: &[(&str, &[f64])], y: impl Fn(f64) -> f64) -> Vec<f64> {
    const APART: f64 = 14.0;
    let ends: Vec<f64> = series.iter().map(|(_, values)| y(values.last().copied().unwrap_or(0.0))).collect();
    let mut order: Vec<usize> = (0..ends.len()).collect();
    order.sort_by(|&a, &b| ends[a].total_cmp(&ends[b]));
    let mut heights = ends.clone();
    for pair in 1..order.len() {
        heights[order[pair]] = heights[order[pair]].max(heights[order[pair - 1]] + APART);
    }
    // If that pushed the lowest out of the picture, move all up.
    let excess = order.last().map_or(0.0, |&last| (heights[last] - 290.0).max(0.0));
    heights.iter().map(|height| height - excess).collect()
}

/// One row of a [`forest`].
pub(crate) struct Interval<'a> {
    pub name: &'a str,
    pub value: f64,
    /// Half the length of the interval.
    pub half: f64,
    pub emphasised: bool,
}

/// Estimates with their intervals, one below the other; beyond 60 rows the first 60 are shown.
pub(crate) fn forest(title: &str, axis: &str, rows: &[Interval]) -> String {
    const WIDTH: f64 = 640.0;
    const LEFT: f64 = 150.0;
    const RIGHT: f64 = 16.0;
    const ROW: f64 = 20.0;
    const BOTTOM: f64 = 40.0;
    let rows = &rows[..rows.len().min(60)];
    let reach = rows.iter().map(|row| row.value.abs() + row.half).fold(0.0, f64::max).clamp(1e-6, 1e6) * 1.05;
    let height = ROW * rows.len() as f64 + BOTTOM;
    let x = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * (value / reach + 1.0) / 2.0;
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">", escape(title));
    for tick in -2..=2 {
        let value = reach / 1.05 * f64::from(tick) / 2.0;
        let (at, bottom) = (x(value), height - BOTTOM);
        svg += &format!(
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"0\" y2=\"{bottom:.0}\" class=\"grid\"/><text x=\"{at:.1}\" y=\"{:.0}\" class=\"mid\">{value:.2}</text>",
            bottom + 15.0
        );
    }
    for (k, row) in rows.iter().enumerate() {
        let at = ROW * (k as f64 + 0.5);
        let class = if row.emphasised { "s0" } else { "s4" };
        svg += &format!(
            "<text x=\"{:.0}\" y=\"{:.1}\" class=\"end\">{}</text><line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" class=\"line {class}\"/><circle cx=\"{:.1}\" cy=\"{at:.1}\" r=\"4\" class=\"dot {class}\"><title>{}: {:.3} ± {:.3}</title></circle>",
            LEFT - 8.0,
            at + 4.0,
            escape(&shorten(row.name, 20)),
            x(row.value - row.half),
            x(row.value + row.half),
            x(row.value),
            escape(&shorten(row.name, 60)),
            row.value,
            row.half
        );
    }
    svg += &format!("<text x=\"{:.0}\" y=\"{:.0}\" class=\"mid\">{}</text>", x(0.0), height - 6.0, escape(axis));
    svg + "</svg>"
}

/// A correlation matrix as coloured squares; beyond 40 columns the first 40 are shown.
pub(crate) fn heatmap(title: &str, names: &[String], correlations: &Matrix) -> String {
    let shown = names.len().min(40);
    let cell = (300.0 / shown.max(1) as f64).min(26.0);
    let margin = 88.0;
    let size = margin + cell * shown as f64 + 6.0;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {size:.0} {size:.0}\" role=\"img\" aria-label=\"{}\" class=\"heatmap\">",
        escape(title)
    );
    for i in 0..shown {
        let at = margin + cell * (i as f64 + 0.5);
        let name = escape(&shorten(&names[i], 12));
        svg += &format!("<text x=\"{:.0}\" y=\"{:.1}\" class=\"end small\">{name}</text>", margin - 4.0, at + 3.5);
        svg += &format!(
            "<text transform=\"translate({:.1} {:.0}) rotate(-60)\" class=\"small\">{name}</text>",
            at + 2.0,
            margin - 4.0
        );
        for j in 0..shown {
            let value = correlations[(i, j)];
            let class = if value < 0.0 { "negative" } else { "positive" };
            svg += &format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" class=\"{class}\" fill-opacity=\"{:.2}\"><title>{} and {}: {value:.2}</title></rect>",
                margin + cell * j as f64,
                margin + cell * i as f64,
                cell - 1.0,
                cell - 1.0,
                value.abs().min(1.0),
                escape(&shorten(&names[i], 60)),
                escape(&shorten(&names[j], 60))
            );
        }
    }
    svg + "</svg>"
}
