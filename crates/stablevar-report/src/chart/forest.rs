//! Estimates with their intervals, one below the other.

use super::Chart;
use super::axis::{Axis, Placed, Scale};
use super::canvas::{Anchor, Area, Canvas, Ink};
use super::names::{NAMES, ROW, part_size};

/// One row of a [`Forest`].
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    /// What it is about; shows whole under the pointer.
    pub name: String,
    /// What stands before it.
    pub label: String,
    /// The estimate.
    pub value: f64,
    /// Half the length of the interval; 0 for none.
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
    /// What the axis spans, so that parts of one picture have one scale.
    ends: (f64, f64),
}

impl Forest {
    /// Of these rows.
    pub fn new(axis: impl Into<String>, rows: Vec<Interval>) -> Self {
        let ends = rows.iter().flat_map(|row| [row.value - row.half, row.value + row.half]);
        let ends = ends.filter(|end| end.is_finite()).fold((0.0, 0.0), |(a, b): (f64, f64), v| (a.min(v), b.max(v)));
        Self { axis: axis.into(), rows, ends }
    }

    /// The same in parts, three where that leaves enough to each, more where they would get too long.
    pub fn parts(self) -> Vec<Self> {
        let size = part_size(self.rows.len());
        self.rows.chunks(size).map(|rows| Self { rows: rows.to_vec(), axis: self.axis.clone(), ..self }).collect()
    }

    /// The height it needs.
    pub fn height(&self) -> f64 {
        ROW * self.rows.len() as f64 + 46.0
    }
}

impl Chart for Forest {
    fn draw(&self, canvas: &mut Canvas, area: Area) {
        let inner = area.inside(NAMES, 4.0, 12.0, 38.0);
        let axis = Axis::new(self.axis.clone(), Scale::Linear);
        let x = Placed::new(&axis, [self.ends.0, self.ends.1].into_iter(), inner.left, inner.right());
        x.draw_below(canvas, inner);
        canvas.line((x.place(0.0), inner.top), (x.place(0.0), inner.bottom()), Ink::Soft, 0.8);
        for (k, row) in self.rows.iter().enumerate() {
            let y = inner.top + ROW * (k as f64 + 0.5);
            let ink = Ink::Series(if row.emphasised { 0 } else { 4 });
            canvas.label((inner.left - 6.0, y), &row.label, &row.name, Anchor::End, Ink::Text, 0.0);
            let spread = if row.half > 0.0 { format!(" ± {:.3}", row.half) } else { String::new() };
            // Without an interval a stem from 0 shows which way it goes.
            let from = if row.half > 0.0 { row.value - row.half } else { 0.0 };
            canvas.line((x.place(from), y), (x.place(row.value + row.half), y), ink, 1.8);
            canvas.dot((x.place(row.value), y), 3.5, ink, &format!("{}: {:.3}{spread}", row.name, row.value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_a_scale_and_lose_no_row() {
        let row = |k: usize| Interval {
            name: format!("{k}"),
            label: format!("{k}"),
            value: k as f64,
            half: 0.5,
            emphasised: k > 3,
        };
        let parts = Forest::new("effect", (0..41).map(row).collect()).parts();
        assert_eq!(parts.iter().map(|part| part.rows.len()).collect::<Vec<_>>(), [14, 14, 13]);
        let sizes = [1, 5, 9, 16, 60, 100].map(|rows| Forest::new("", (0..rows).map(row).collect()).parts().len());
        assert_eq!(sizes, [1, 1, 2, 3, 3, 5]);
        assert!(parts.iter().all(|part| part.ends == (-0.5, 40.5)));
        assert!(Forest::new("effect", vec![]).parts().is_empty());
    }
}
