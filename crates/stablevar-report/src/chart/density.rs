//! Many points as shaded squares, with what they do on average: no single row can be read from it.

use super::Chart;
use super::axis::{Axis, Placed};
use super::canvas::{Area, Canvas, Ink};
use crate::text::number;

/// Squares on every side.
const SQUARES: usize = 24;

/// Points on two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Density {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The points with their weights.
    pub points: Vec<(f64, f64, f64)>,
    /// Where the points should lie: from one end to the other.
    pub expected: [(f64, f64); 2],
    /// Points of a line through their means, with half the height of a band.
    pub means: Vec<(f64, f64, f64)>,
}

impl Chart for Density {
    fn draw(&self, canvas: &mut Canvas, area: Area) {
        let heights = || self.points.iter().map(|point| point.1).chain(self.expected.iter().map(|end| end.1));
        let inner = area.inside(self.y.room_left(heights()), 24.0, 14.0, 38.0);
        let across = self.points.iter().map(|point| point.0).chain(self.expected.iter().map(|end| end.0));
        let x = Placed::new(&self.x, across, inner.left, inner.right());
        let y = Placed::new(&self.y, heights(), inner.bottom(), inner.top);
        y.draw_left(canvas, inner);
        x.draw_below(canvas, inner);
        let mut squares = vec![0.0; SQUARES * SQUARES];
        let cell =
            |place: f64, from: f64, length: f64| (((place - from) / length * SQUARES as f64) as usize).min(SQUARES - 1);
        for &(a, b, weight) in &self.points {
            let column = cell(x.place(a), inner.left, inner.width);
            let row = cell(y.place(b), inner.top, inner.height);
            squares[row * SQUARES + column] += weight;
        }
        let (most, total) = (squares.iter().copied().fold(0.0, f64::max), squares.iter().sum::<f64>());
        let (width, height) = (inner.width / SQUARES as f64, inner.height / SQUARES as f64);
        for (k, &weight) in squares.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            let square = Area {
                left: inner.left + width * (k % SQUARES) as f64,
                top: inner.top + height * (k / SQUARES) as f64,
                width,
                height,
            };
            // The root keeps single rows in sight beside crowds.
            let share = 0.12 + 0.78 * (weight / most).sqrt();
            canvas.tinted_square(
                square,
                Ink::Series(0),
                share,
                &format!("{} % of the rows", number(100.0 * weight / total)),
            );
        }
        let line: Vec<(f64, f64)> = self.expected.iter().map(|end| (x.place(end.0), y.place(end.1))).collect();
        canvas.path(&line, Ink::Text, 1.0, "4 3");
        let mean: Vec<(f64, f64)> = self.means.iter().map(|mean| (x.place(mean.0), y.place(mean.1))).collect();
        canvas.path(&mean, Ink::Series(1), 1.8, "");
        for (place, &(_, value, half)) in mean.iter().zip(&self.means) {
            canvas.line((place.0, y.place(value - half)), (place.0, y.place(value + half)), Ink::Series(1), 1.2);
            canvas.dot(*place, 2.4, Ink::Series(1), &format!("mean {} ± {}", number(value), number(half)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Scale;

    #[test]
    fn points_become_squares_of_a_bounded_number() {
        let points = (0..5000).map(|k| (f64::from(k % 71), f64::from(k % 97), 1.0)).collect();
        let axis = || Axis::new("a", Scale::Linear);
        let chart = Density { x: axis(), y: axis(), points, expected: [(0.0, 0.0), (70.0, 70.0)], means: vec![] };
        let drawn = super::super::picture("points", &chart, (300.0, 260.0));
        assert!(drawn.matches("<rect").count() <= SQUARES * SQUARES + 1 && drawn.len() < 120_000);
        assert!(!drawn.contains("NaN"));
    }
}
