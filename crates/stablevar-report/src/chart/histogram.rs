//! How often values fall into bins.

use super::Chart;
use super::axis::{Axis, Placed, SMALL, Scale};
use super::canvas::{Anchor, Area, Canvas, Ink};
use crate::text::{count, number};

/// Counts of values in bins that follow each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// What the values are, and how they are shown.
    pub values: Axis,
    /// What is counted.
    pub counted: String,
    /// The ends of the bins, one more than there are counts.
    pub edges: Vec<f64>,
    /// The counts.
    pub counts: Vec<usize>,
    /// Lines are drawn here.
    pub marked: Option<f64>,
    /// The first bin holds so much that the others would not be seen beside it: it is cut, with its count in words.
    pub first_is_cut: bool,
}

impl Histogram {
    /// The height that the highest bar has, but for a first one that is cut.
    fn limit(&self) -> f64 {
        let others = self.counts.iter().skip(usize::from(self.first_is_cut)).max().copied().unwrap_or(0) as f64;
        let first = self.counts.first().copied().unwrap_or(0) as f64;
        if self.first_is_cut { others.max(first.min(1.15 * others.max(1.0))) } else { others }
    }
}

impl Chart for Histogram {
    fn draw(&self, canvas: &mut Canvas, area: Area) {
        let limit = self.limit();
        let up = Axis::new(self.counted.clone(), Scale::FromZero);
        let inner = area.inside(up.room_left(std::iter::once(limit)), 24.0, 14.0, 38.0);
        let x = Placed::new(&self.values, self.edges.iter().copied(), inner.left, inner.right());
        let y = Placed::new(&up, std::iter::once(limit), inner.bottom(), inner.top);
        y.draw_left(canvas, inner);
        x.draw_below(canvas, inner);
        for (k, (&rows, ends)) in self.counts.iter().zip(self.edges.windows(2)).enumerate() {
            let (from, to) = (x.place(ends[0]), x.place(ends[1]));
            let is_cut = k == 0 && rows as f64 > limit;
            let top = y.place((rows as f64).min(limit));
            let bar =
                Area { left: from, top, width: (to - from - 0.8).max(0.5), height: (inner.bottom() - top).max(0.0) };
            let first = self.first_is_cut && k == 0;
            let range = if first {
                format!("below {}", number(ends[1]))
            } else {
                format!("{} to {}", number(ends[0]), number(ends[1]))
            };
            let ink = Ink::Series(if first { 1 } else { 0 });
            canvas.bar(bar, ink, &format!("{range}: {} {}", count(rows), self.counted));
            if is_cut {
                // It goes on: its height stands beside it.
                canvas.text((to + 3.0, top + 6.0), &format!("↑ {}", count(rows)), Anchor::Start, SMALL, ink);
            }
        }
        if let Some(marked) = self.marked {
            canvas.line((x.place(marked), inner.top), (x.place(marked), inner.bottom()), Ink::Text, 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_bin_far_above_the_rest_does_not_set_the_scale() {
        let histogram = |cut: bool| Histogram {
            values: Axis::new("weight", Scale::Logarithmic),
            counted: "rows".into(),
            edges: vec![0.01, 0.1, 1.0, 10.0],
            counts: vec![1094, 20, 40],
            marked: Some(1.0),
            first_is_cut: cut,
        };
        assert_eq!([histogram(false).limit(), histogram(true).limit()], [1094.0, 46.0]);
        let drawn = super::super::picture("weights", &histogram(true), (300.0, 200.0));
        assert!(drawn.contains("↑ 1,094"), "{drawn}");
    }
}
