//! How often values fall into equal bins.

use super::Chart;
use super::axis::{Axis, Placed, Scale};
use super::canvas::{Area, Canvas, Ink};

/// Counts of values in equal bins that begin at 0; the last bin holds all above the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// What the values are.
    pub values_are: String,
    /// What is counted.
    pub counted: String,
    /// The width of a bin.
    pub bin_width: f64,
    /// The counts.
    pub counts: Vec<usize>,
    /// A line is drawn here.
    pub marked: f64,
}

impl Chart for Histogram {
    fn draw(&self, canvas: &mut Canvas, area: Area) {
        let inner = area.inside(56.0, 22.0, 12.0, 38.0);
        let (below, left) =
            (Axis::new(self.values_are.clone(), Scale::FromZero), Axis::new(self.counted.clone(), Scale::FromZero));
        let end = self.bin_width * self.counts.len() as f64;
        let x = Placed::new(&below, [end / 1.06, self.marked].into_iter(), inner.left, inner.right());
        let y = Placed::new(&left, self.counts.iter().map(|&count| count as f64), inner.bottom(), inner.top);
        y.draw_left(canvas, inner);
        x.draw_below(canvas, inner);
        for (k, &count) in self.counts.iter().enumerate() {
            let (from, to) = (self.bin_width * k as f64, self.bin_width * (k + 1) as f64);
            let is_last = k + 1 == self.counts.len();
            let range = if is_last { format!("{from:.2} and more") } else { format!("{from:.2} to {to:.2}") };
            let bar = Area {
                left: x.place(from),
                top: y.place(count as f64),
                width: (x.place(to) - x.place(from) - 1.0).max(0.5),
                height: inner.bottom() - y.place(count as f64),
            };
            canvas.bar(bar, Ink::Series(if is_last { 1 } else { 0 }), &format!("{range}: {count} {}", self.counted));
        }
        canvas.line((x.place(self.marked), inner.top), (x.place(self.marked), inner.bottom()), Ink::Text, 1.0);
    }
}
