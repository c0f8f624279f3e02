//! Charts as SVG, for pages and for print: readable at the width of a journal's column, with labels where the eye is.

mod axis;
mod balance;
mod bars;
mod canvas;
mod density;
mod forest;
mod frontier;
mod grid;
mod heatmap;
mod histogram;
mod lines;
mod names;
mod path;

pub use axis::{Axis, SMALL, Scale};
pub use balance::{BalanceChart, Change};
pub use bars::{BarChart, BarGroup};
pub use canvas::{Anchor, Area, Canvas, Ink};
pub use density::Density;
pub use forest::{Forest, Interval};
pub use frontier::{Frontier, Placement};
pub use grid::Grid;
pub use heatmap::Heatmap;
pub use histogram::Histogram;
pub use lines::{LineChart, Point, Series};
pub use names::LABEL;
pub use path::{PathChart, Stop};

/// Something that can be drawn into a part of a picture.
pub trait Chart {
    /// Draws it.
    fn draw(&self, canvas: &mut Canvas, area: Area);
}

/// The colour of a method, the same in every picture.
pub fn colour_of(method: &str) -> usize {
    match method {
        "SVI" | "NonlinearSVI" => 0,
        "OLS" | "MLP" | "logistic" => 1,
        "DWR" => 2,
        "SRDO" => 3,
        "STG" => 5,
        "SVId" | "NonlinearSVI iterated" => 6,
        "SVI as published" | "NonlinearSVI as published" => 7,
        // The oracle and whatever else there is to compare with.
        _ => 4,
    }
}

/// The width of a chart that is one of several on a page: a phone shows one beside the other margin, a screen three or four.
pub const PANEL: f64 = 300.0;

/// The height of a panel's heading.
const HEADING: f64 = 18.0;

/// A picture of several charts with their headings, `columns` to a row, each this wide and high.
pub fn figure(
    name: &str,
    description: &str,
    panels: &[(&str, &dyn Chart)],
    columns: usize,
    (width, height): (f64, f64),
) -> String {
    let columns = columns.clamp(1, panels.len().max(1));
    let headed = panels.iter().any(|(heading, _)| !heading.is_empty());
    let heading_height = if headed { HEADING } else { 0.0 };
    let mut canvas = Canvas::default();
    for (k, (heading, chart)) in panels.iter().enumerate() {
        let (column, row) = ((k % columns) as f64, (k / columns) as f64);
        let area = Area { left: column * width, top: row * (height + heading_height), width, height };
        if headed {
            canvas.text((area.left + 6.0, area.top + 10.0), heading, Anchor::Start, SMALL + 1.0, Ink::Text);
        }
        chart.draw(&mut canvas, Area { top: area.top + heading_height, ..area });
    }
    let rows = panels.len().div_ceil(columns) as f64;
    canvas.finish(columns as f64 * width, rows * (height + heading_height), name, description)
}

/// A picture of one chart.
pub fn picture(name: &str, chart: &dyn Chart, size: (f64, f64)) -> String {
    figure(name, "", &[("", chart)], 1, size)
}
