//! Estimates with their intervals, one below the other.

use super::Chart;
use super::axis::{Axis, Placed, SMALL, Scale};
use super::canvas::{Anchor, Area, Canvas, Ink};
use crate::text::shorten;

/// The height of one.
const ROW: f64 = 18.0;

/// One row of a [`Forest`].
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    /// What stands before it.
    pub name: String,
    /// The estimate.
    pub value: f64,
    /// Half the length of the interval.
    pub half: f64,
    /// Whether it is drawn in colour.
    pub emphasised: bool,
}

/// Estimates with their intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    /// What the estimates are.
    pub axis: String,
    /// The rows.
    pub rows: Vec<Interval>,
}

impl Forest {
    /// The height it needs.
    pub fn height(&self) -> f64 {
        ROW * self.rows.len() as f64 + 46.0
    }
}

impl Chart for Forest {
    fn draw(&self, canvas: &mut Canvas, area: Area) {
        let inner = area.inside(130.0, 4.0, 10.0, 38.0);
        let axis = Axis::new(self.axis.clone(), Scale::Linear);
        let ends = self.rows.iter().flat_map(|row| [row.value - row.half, row.value + row.half]);
        let x = Placed::new(&axis, ends.chain([0.0]), inner.left, inner.right());
        x.draw_below(canvas, inner);
        canvas.line((x.place(0.0), inner.top), (x.place(0.0), inner.bottom()), Ink::Soft, 0.8);
        for (k, row) in self.rows.iter().enumerate() {
            let y = inner.top + ROW * (k as f64 + 0.5);
            let ink = Ink::Series(if row.emphasised { 0 } else { 4 });
            canvas.text((inner.left - 8.0, y), &shorten(&row.name, 22), Anchor::End, SMALL, Ink::Text);
            canvas.line((x.place(row.value - row.half), y), (x.place(row.value + row.half), y), ink, 1.8);
            let hint = format!("{}: {:.3} ± {:.3}", shorten(&row.name, 60), row.value, row.half);
            canvas.dot((x.place(row.value), y), 3.5, ink, &hint);
        }
    }
}
