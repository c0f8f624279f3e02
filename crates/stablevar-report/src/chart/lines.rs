//! Lines with bands, each labelled at its right end.

use super::Chart;
use super::axis::{Axis, LETTER, Placed, SMALL};
use super::canvas::{Anchor, Area, Canvas, Ink};
use crate::text::shorten_name;

/// A point of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Its place on the horizontal axis.
    pub x: f64,
    /// Its height.
    pub y: f64,
    /// Half the height of the band around it; 0 for none.
    pub spread: f64,
}

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What stands at its end; nothing for a line that is one of many.
    pub name: String,
    /// Its colour; also tells its dashes, for those who print in black.
    pub colour: usize,
    /// From left to right.
    pub points: Vec<Point>,
}

/// Lines over a shared axis.
#[derive(Debug, Clone, PartialEq)]
pub struct LineChart {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines; later ones are drawn above.
    pub series: Vec<Series>,
}

/// Letters of a name shown at most.
const NAME: usize = 26;
/// One for each colour.
const DASHES: [&str; 8] = ["", "", "6 2", "2 2", "5 4", "7 2 2 2", "4 2", "8 3"];

impl Chart for LineChart {
    fn draw(&self, canvas: &mut Canvas, area: Area) {
        let longest =
            self.series.iter().map(|series| shorten_name(&series.name, NAME).chars().count()).max().unwrap_or(0);
        let right = 12.0 + longest as f64 * SMALL * LETTER;
        let points = || self.series.iter().flat_map(|series| &series.points);
        let heights = || points().flat_map(|point| [point.y - point.spread, point.y + point.spread]);
        let left = self.y.room_left(heights()).max(self.x.room_beside(area.width - 34.0 - right));
        let inner = area.inside(left, 24.0, right, self.x.room_below(area.width - left - right));
        let x = Placed::new(&self.x, points().map(|point| point.x), inner.left, inner.right());
        let y = Placed::new(&self.y, heights(), inner.bottom(), inner.top);
        y.draw_left(canvas, inner);
        x.draw_below(canvas, inner);
        for series in &self.series {
            let ink = Ink::Series(series.colour);
            let edge = |sign: f64| series.points.iter().map(move |p| (p.x, p.y + sign * p.spread));
            if series.points.iter().any(|point| point.spread > 0.0) {
                let around: Vec<(f64, f64)> =
                    edge(1.0).chain(edge(-1.0).rev()).map(|(a, b)| (x.place(a), y.place(b))).collect();
                canvas.shade(&around, ink);
            }
        }
        for series in &self.series {
            let ink = Ink::Series(series.colour);
            let places: Vec<(f64, f64)> =
                series.points.iter().map(|point| (x.place(point.x), y.place(point.y))).collect();
            canvas.path(&places, ink, 1.8, DASHES[series.colour % DASHES.len()]);
            for (place, point) in places.iter().zip(&series.points).filter(|_| !series.name.is_empty()) {
                let spread = if point.spread > 0.0 { format!(" ± {:.4}", point.spread) } else { String::new() };
                canvas.dot(*place, 2.2, ink, &format!("{}: {:.4}{spread}", series.name, point.y));
            }
        }
        let ends: Vec<f64> =
            self.series.iter().map(|series| series.points.last().map_or(inner.top, |point| y.place(point.y))).collect();
        let named: Vec<usize> = (0..ends.len()).filter(|&k| !self.series[k].name.is_empty()).collect();
        let heights = apart(&named.iter().map(|&k| ends[k]).collect::<Vec<f64>>(), SMALL + 1.5, inner);
        for (series, height) in named.iter().map(|&k| &self.series[k]).zip(heights) {
            let at = (inner.right() + 6.0, height);
            let short = shorten_name(&series.name, NAME);
            canvas.label(at, &short, &series.name, Anchor::Start, Ink::Series(series.colour), 0.0);
        }
    }
}

/// Where labels stand: at the lines' ends, moved apart where they would overlap.
pub(super) fn apart(ends: &[f64], distance: f64, area: Area) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ends.len()).collect();
    order.sort_by(|&a, &b| ends[a].total_cmp(&ends[b]));
    let mut heights = ends.to_vec();
    // Pools of labels that touch, each around the mean of its lines' ends.
    let mut pools: Vec<(f64, usize)> = Vec::new();
    // A pool stays inside the area, so that what it is pushed to is known before the next one is compared with it.
    let inside = |middle: f64, count: usize| {
        let half = distance * (count as f64 - 1.0) / 2.0;
        middle.min(area.bottom() + 4.0 - half).max(area.top - 4.0 + half)
    };
    for &k in &order {
        pools.push((inside(ends[k], 1), 1));
        while let [.., (above, upper), (below, lower)] = pools[..] {
            if below - above >= distance * (upper + lower) as f64 / 2.0 {
                break;
            }
            pools.pop();
            let count = upper + lower;
            let middle = (above * upper as f64 + below * lower as f64) / count as f64;
            pools.pop();
            pools.push((inside(middle, count), count));
        }
    }
    let mut labels = order.into_iter();
    for (middle, count) in pools {
        let room = distance * (count as f64 - 1.0);
        let first = middle - room / 2.0;
        for (step, k) in labels.by_ref().take(count).enumerate() {
            heights[k] = first + distance * step as f64;
        }
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_apart_and_near_their_lines() {
        let area = Area { left: 0.0, top: 0.0, width: 100.0, height: 100.0 };
        let heights = apart(&[50.0, 51.0, 10.0, 49.0], 12.0, area);
        assert_eq!(heights[2], 10.0);
        let mut close = [heights[3], heights[0], heights[1]];
        assert!(close.is_sorted());
        close.iter_mut().for_each(|height| *height -= 50.0);
        assert!((close[0] + 12.0).abs() < 1e-9 && close[1].abs() < 1e-9 && (close[2] - 12.0).abs() < 1e-9);
        // A pool that the edge pushes up must not run into the one above it.
        let mut low = apart(&[84.0, 98.0, 99.0, 100.0], 12.0, area);
        low.sort_by(f64::total_cmp);
        assert!(low.windows(2).all(|pair| pair[1] - pair[0] > 11.999), "{low:?}");
    }
}
