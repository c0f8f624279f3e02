//! One quantity of many things before and after, one below the other: a love plot.

use super::Chart;
use super::axis::{Axis, Placed, SMALL, Scale, width_of};
use super::canvas::{Anchor, Area, Canvas, Ink};
use super::names::{NAMES, ROW};

/// Rows of a part at most.
const LONGEST: usize = 21;

/// Something before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// What it is about; shows whole under the pointer.
    pub name: String,
    /// What stands before it.
    pub label: String,
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
    /// Dashed lines stand here: below the first is good, above the last is bad.
    pub thresholds: Vec<f64>,
    /// One per row.
    pub rows: Vec<Change>,
    /// What the axis reaches to, so that parts of one picture have one scale.
    most: f64,
}

impl BalanceChart {
    /// Of these rows.
    pub fn new(axis: impl Into<String>, names: [&str; 2], thresholds: &[f64], rows: Vec<Change>) -> Self {
        let ends = rows.iter().flat_map(|row| [row.before, row.after]).chain(thresholds.iter().copied());
        let most = ends.filter(|end| end.is_finite()).fold(0.0, f64::max);
        Self { axis: axis.into(), names: names.map(String::from), thresholds: thresholds.to_vec(), rows, most }
    }

    /// The same in parts that are not too long, about equally many rows each: it stands beside another picture.
    pub fn parts(self) -> Vec<Self> {
        let size = self.rows.len().div_ceil(self.rows.len().div_ceil(LONGEST).max(1)).max(1);
        self.rows.chunks(size).map(|rows| Self { rows: rows.to_vec(), ..self.clone() }).collect()
    }

    /// The height it needs.
    pub fn height(&self) -> f64 {
        ROW * self.rows.len() as f64 + 78.0
    }

    /// A ring before, a dot after: they differ without colour, too.
    fn mark(&self, canvas: &mut Canvas, at: (f64, f64), ink: Ink, hint: &str) {
        canvas.dot(at, 4.0, ink, hint);
        if ink == Ink::Series(1) {
            canvas.dot(at, 2.2, Ink::Paper, hint);
        }
    }
}

impl Chart for BalanceChart {
    fn draw(&self, canvas: &mut Canvas, area: Area) {
        let inner = area.inside(NAMES, 36.0, 14.0, 38.0);
        let axis = Axis::new(self.axis.clone(), Scale::FromZero);
        let x = Placed::new(&axis, std::iter::once(self.most), inner.left, inner.right());
        x.draw_below(canvas, inner);
        let [before, after] = [Ink::Series(1), Ink::Series(0)];
        let mut left = area.left + 8.0;
        for (name, ink) in self.names.iter().zip([before, after]) {
            self.mark(canvas, (left, area.top + 9.0), ink, "");
            canvas.text((left + 8.0, area.top + 9.0), name, Anchor::Start, SMALL, ink);
            left += 26.0 + width_of(name);
        }
        for threshold in &self.thresholds {
            let at = x.place(*threshold);
            canvas.path(&[(at, inner.top), (at, inner.bottom())], Ink::Soft, 0.9, "3 3");
            canvas.text((at, inner.top - 8.0), &threshold.to_string(), Anchor::Middle, SMALL, Ink::Soft);
        }
        for (k, row) in self.rows.iter().enumerate() {
            let y = inner.top + ROW * (k as f64 + 0.5);
            canvas.label((inner.left - 6.0, y), &row.label, &row.name, Anchor::End, Ink::Text, 0.0);
            canvas.line((x.place(row.before), y), (x.place(row.after), y), Ink::Rule, 2.0);
            for (name, value, ink) in [(&self.names[0], row.before, before), (&self.names[1], row.after, after)] {
                self.mark(canvas, (x.place(value), y), ink, &format!("{}, {name}: {value:.3}", row.name));
            }
        }
    }
}
