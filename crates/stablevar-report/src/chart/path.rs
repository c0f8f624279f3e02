//! What balance costs: effective rows against the correlation that is left, along the path from no weights to the strongest.

use super::Chart;
use super::axis::{Axis, LETTER, Placed, SMALL, Scale};
use super::canvas::{Anchor, Area, Canvas, Ink};
use stablevar::weights::BalancePath;

/// A point of the path.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
    /// The largest correlation left, and the root mean square of all.
    pub left: [f64; 2],
    /// Effective rows.
    pub effective: f64,
    /// What is shown where one points at it.
    pub hint: String,
}

/// The path, one line for the largest correlation left and one for the root mean square of all.
#[derive(Debug, Clone, PartialEq)]
pub struct PathChart {
    /// From no weights to the strongest.
    pub stops: Vec<Stop>,
    /// The position of the point that is marked, and what stands beside it.
    pub marked: (usize, String),
}

impl PathChart {
    /// Of a path, with the point marked that balance takes by itself.
    pub fn of(path: &BalancePath) -> Self {
        let hint = |ridge: f64| if ridge.is_finite() { format!("ridge {ridge:.1e}") } else { "no weights".into() };
        let stops = path.points.iter().map(|point| {
            let effective = point.weights.effective_sample_size();
            let hint = format!(
                "{}: {effective:.0} rows effective, correlation {:.3} at most, {:.3} root mean square",
                hint(point.ridge),
                point.largest_correlation,
                point.rms_correlation
            );
            Stop { left: [point.largest_correlation, point.rms_correlation], effective, hint }
        });
        Self { stops: stops.collect(), marked: (path.chosen, "the default".into()) }
    }
}

const NAMES: [&str; 2] = ["largest", "root mean square"];

impl Chart for PathChart {
    fn draw(&self, canvas: &mut Canvas, area: Area) {
        let axis = Axis::new("correlation left under the weights", Scale::FromZero);
        let rows = Axis::new("effective rows", Scale::FromZero);
        let sizes = || self.stops.iter().map(|stop| stop.effective);
        let inner = area.inside(rows.room_left(sizes()), 36.0, 16.0, axis.room_below(area.width));
        let lefts = self.stops.iter().flat_map(|stop| stop.left);
        let x = Placed::new(&axis, lefts, inner.left, inner.right());
        let y = Placed::new(&rows, sizes(), inner.bottom(), inner.top);
        y.draw_left(canvas, inner);
        x.draw_below(canvas, inner);
        let mut legend = inner.left + 72.0;
        for (line, (name, ink)) in NAMES.iter().zip([Ink::Series(0), Ink::Series(1)]).enumerate() {
            let places: Vec<(f64, f64)> =
                self.stops.iter().map(|stop| (x.place(stop.left[line]), y.place(stop.effective))).collect();
            canvas.path(&places, ink, 1.8, if line == 0 { "" } else { "5 3" });
            for (place, stop) in places.iter().zip(&self.stops) {
                canvas.dot(*place, 2.4, ink, &stop.hint);
            }
            canvas.dot((legend, area.top + 9.0), 3.0, ink, "");
            canvas.text((legend + 7.0, area.top + 9.0), name, Anchor::Start, SMALL, ink);
            legend += 24.0 + name.chars().count() as f64 * SMALL * LETTER;
            let Some((place, stop)) = places.get(self.marked.0).zip(self.stops.get(self.marked.0)) else { continue };
            canvas.dot(*place, 5.5, ink, &stop.hint);
            canvas.dot(*place, 3.2, Ink::Paper, &stop.hint);
            if line == 0 {
                canvas.text((place.0 + 9.0, place.1 + 8.0), &self.marked.1, Anchor::Start, SMALL, Ink::Text);
            }
        }
    }
}
