//! Points with their names: one error against another.

use super::Chart;
use super::axis::{Axis, Placed, SMALL};
use super::canvas::{Anchor, Area, Canvas, Ink};
use super::lines::apart;
use crate::text::shorten_name;

/// One point of a [`Frontier`].
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// What it is.
    pub name: String,
    /// Its place on the horizontal axis.
    pub x: f64,
    /// Its height.
    pub y: f64,
    /// Half the length of the bar through it; 0 for none.
    pub half: f64,
    /// Its colour.
    pub colour: usize,
    /// Whether its name stands beside it; without, it is a hint.
    pub named: bool,
}

/// Points, of which those are joined that no other beats on both axes: lower is better.
#[derive(Debug, Clone, PartialEq)]
pub struct Frontier {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The points.
    pub points: Vec<Placement>,
}

impl Frontier {
    /// Positions of the points that no other beats on both axes, from left to right.
    pub fn unbeaten(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        let key = |k: &usize| (self.points[*k].x, self.points[*k].y);
        order.sort_by(|a, b| key(a).0.total_cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)));
        let mut lowest = f64::INFINITY;
        order.retain(|&k| {
            let better = self.points[k].y < lowest;
            lowest = lowest.min(self.points[k].y);
            better
        });
        order
    }
}

impl Chart for Frontier {
    fn draw(&self, canvas: &mut Canvas, area: Area) {
        let heights = || self.points.iter().flat_map(|point| [point.y - point.half, point.y + point.half]);
        let inner = area.inside(self.y.room_left(heights()), 24.0, 130.0, self.x.room_below(area.width - 178.0));
        let x = Placed::new(&self.x, self.points.iter().map(|point| point.x), inner.left, inner.right());
        let y = Placed::new(&self.y, heights(), inner.bottom(), inner.top);
        y.draw_left(canvas, inner);
        x.draw_below(canvas, inner);
        let joined: Vec<(f64, f64)> =
            self.unbeaten().iter().map(|&k| (x.place(self.points[k].x), y.place(self.points[k].y))).collect();
        canvas.path(&joined, Ink::Soft, 1.2, "4 3");
        // What is named lies above the rest, the chosen one on top.
        let mut order: Vec<&Placement> = self.points.iter().collect();
        order.sort_by_key(|point| (point.named, std::cmp::Reverse(point.colour)));
        let named: Vec<&Placement> = order.iter().copied().filter(|point| point.named).collect();
        let ends: Vec<f64> = named.iter().map(|point| y.place(point.y)).collect();
        let mut heights_of_names = apart(&ends, SMALL + 2.0, inner).into_iter();
        for point in order {
            let (ink, at) = (Ink::Series(point.colour), (x.place(point.x), y.place(point.y)));
            canvas.line((at.0, y.place(point.y - point.half)), (at.0, y.place(point.y + point.half)), ink, 1.2);
            canvas.dot(at, 3.5, ink, &format!("{}: {:.4} and {:.3} ± {:.3}", point.name, point.x, point.y, point.half));
            if point.named {
                let short = shorten_name(&point.name, 34);
                let height = heights_of_names.next().unwrap_or(at.1);
                canvas.label((at.0 + 6.0, height), &short, &point.name, Anchor::Start, ink, 0.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Scale;

    #[test]
    fn the_frontier_joins_what_nothing_beats() {
        let place = |x: f64, y: f64| Placement { name: "a".into(), x, y, half: 0.0, colour: 0, named: false };
        let axis = || Axis::new("error", Scale::Linear);
        let points = vec![place(2.0, 1.0), place(1.0, 2.0), place(1.5, 2.5), place(3.0, 0.5), place(3.0, 0.7)];
        assert_eq!(Frontier { x: axis(), y: axis(), points }.unbeaten(), [1, 0, 3]);
    }
}
