//! One quantity of many things before and after, one below the other.

use super::Chart;
use super::axis::{Axis, Placed, SMALL, Scale};
use super::canvas::{Anchor, Area, Canvas, Ink};
use crate::text::shorten;

/// The height of one row.
const ROW: f64 = 16.0;

/// Something before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// What stands before it.
    pub name: String,
    /// Before.
    pub before: f64,
    /// After.
    pub after: f64,
}

/// A quantity of every thing before (a ring) and after (a dot), joined by a line.
#[derive(Debug, Clone, PartialEq)]
pub struct BalanceChart {
    /// What the quantity is.
    pub axis: String,
    /// What the two are called.
    pub names: [String; 2],
    /// One per row.
    pub rows: Vec<Change>,
}

impl BalanceChart {
    /// The height it needs.
    pub fn height(&self) -> f64 {
        ROW * self.rows.len() as f64 + 62.0
    }
}

impl Chart for BalanceChart {
    fn draw(&self, canvas: &mut Canvas, area: Area) {
        let inner = area.inside(130.0, 20.0, 14.0, 38.0);
        let axis = Axis::new(self.axis.clone(), Scale::FromZero);
        let ends = self.rows.iter().flat_map(|row| [row.before, row.after]);
        let x = Placed::new(&axis, ends, inner.left, inner.right());
        x.draw_below(canvas, inner);
        let [before, after] = [Ink::Series(1), Ink::Series(0)];
        for (k, (name, ink)) in self.names.iter().zip([before, after]).enumerate() {
            let at = (inner.left + 4.0 + 120.0 * k as f64, area.top + 9.0);
            self.mark(canvas, at, ink, "");
            canvas.text((at.0 + 8.0, at.1), name, Anchor::Start, SMALL, ink);
        }
        for (k, row) in self.rows.iter().enumerate() {
            let y = inner.top + ROW * (k as f64 + 0.5);
            canvas.text((inner.left - 8.0, y), &shorten(&row.name, 22), Anchor::End, SMALL, Ink::Text);
            canvas.line((x.place(row.before), y), (x.place(row.after), y), Ink::Rule, 2.0);
            let name = shorten(&row.name, 60);
            self.mark(
                canvas,
                (x.place(row.before), y),
                before,
                &format!("{name}, {}: {:.3}", self.names[0], row.before),
            );
            self.mark(canvas, (x.place(row.after), y), after, &format!("{name}, {}: {:.3}", self.names[1], row.after));
        }
    }
}

impl BalanceChart {
    /// A ring before, a dot after: they differ without colour, too.
    fn mark(&self, canvas: &mut Canvas, at: (f64, f64), ink: Ink, hint: &str) {
        canvas.dot(at, 4.0, ink, hint);
        if ink == Ink::Series(1) {
            canvas.dot(at, 2.2, Ink::Paper, hint);
        }
    }
}
