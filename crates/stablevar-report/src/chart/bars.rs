//! Bars in groups, with their uncertainty.

use super::Chart;
use super::axis::{Axis, LETTER, Placed, SMALL, Scale};
use super::canvas::{Anchor, Area, Canvas, Ink};

/// Bars that stand together.
#[derive(Debug, Clone, PartialEq)]
pub struct BarGroup {
    /// What stands below them.
    pub name: String,
    /// Height and half the length of its interval, one per series.
    pub bars: Vec<(f64, f64)>,
}

/// Groups of bars, one bar per series in each.
#[derive(Debug, Clone, PartialEq)]
pub struct BarChart {
    /// What the groups are.
    pub groups_are: String,
    /// What the heights are.
    pub heights_are: String,
    /// Name and colour of every series.
    pub series: Vec<(String, usize)>,
    /// The groups.
    pub groups: Vec<BarGroup>,
}

impl BarChart {
    /// The height up to which bars are drawn: some bars much higher than the rest would hide the differences among these.
    fn limit(&self) -> f64 {
        let mut tops: Vec<f64> = (0..self.series.len())
            .map(|k| self.groups.iter().map(|group| group.bars[k].0 + group.bars[k].1).fold(0.0, f64::max))
            .collect();
        tops.sort_by(f64::total_cmp);
        let typical = tops.get(tops.len() / 2).copied().unwrap_or(1.0);
        tops.into_iter().filter(|top| *top <= 1.6 * typical).fold(0.0, f64::max)
    }
}

impl Chart for BarChart {
    fn draw(&self, canvas: &mut Canvas, area: Area) {
        let legend = 16.0;
        let limit = self.limit();
        let names: Vec<String> = self.groups.iter().map(|group| group.name.clone()).collect();
        let below = Axis::new(self.groups_are.clone(), Scale::Categories(names));
        let up = Axis::new(self.heights_are.clone(), Scale::FromZero);
        let left = below.room_beside(area.width - 56.0).max(up.room_left(std::iter::once(limit)));
        let inner = area.inside(left, 24.0 + legend, 8.0, 2.0 + below.room_below(area.width - left - 8.0));
        let x = Placed::new(&below, std::iter::empty(), inner.left, inner.right());
        let y = Placed::new(&up, std::iter::once(limit), inner.bottom(), inner.top);
        y.draw_left(canvas, inner);
        x.draw_below(canvas, inner);
        let mut at = area.left + 4.0;
        for (name, colour) in &self.series {
            let ink = Ink::Series(*colour);
            canvas.bar(Area { left: at, top: area.top + 4.0, width: 8.0, height: 8.0 }, ink, "");
            canvas.text((at + 11.0, area.top + 8.0), name, Anchor::Start, SMALL, ink);
            at += 24.0 + name.chars().count() as f64 * SMALL * LETTER;
        }
        let room = (x.place(1.0) - x.place(0.0)) * 0.86;
        let width = room / self.series.len().max(1) as f64;
        for (position, group) in self.groups.iter().enumerate() {
            for (k, ((name, colour), &(height, spread))) in self.series.iter().zip(&group.bars).enumerate() {
                let (ink, left) = (Ink::Series(*colour), x.place(position as f64) - room / 2.0 + width * k as f64);
                let top = y.place(height.min(limit));
                let bar = Area { left, top, width: width * 0.88, height: inner.bottom() - top };
                canvas.bar(bar, ink, &format!("{name}, {}: {height:.4} ± {spread:.4}", group.name));
                let middle = left + width * 0.44;
                if height > limit {
                    // It goes on: its height stands in it.
                    let text = if height >= 100.0 { format!("{height:.0} →") } else { format!("{height:.2} →") };
                    canvas.turned_text((middle, top + 3.0), &text, Anchor::End, SMALL, Ink::Paper, -90.0);
                } else if spread > 0.0 {
                    let ends = (y.place(height - spread), y.place((height + spread).min(limit)));
                    canvas.line((middle, ends.0), (middle, ends.1), Ink::Text, 0.9);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_far_above_the_rest_does_not_set_the_scale() {
        let group = BarGroup { name: "g".into(), bars: vec![(1.0, 0.1), (1.2, 0.0), (9.0, 0.0)] };
        let series = vec![("a".into(), 0), ("b".into(), 1), ("c".into(), 2)];
        let chart = BarChart { groups_are: "".into(), heights_are: "".into(), series, groups: vec![group] };
        assert_eq!(chart.limit(), 1.2);
        let drawn = super::super::picture("bars", &chart, (300.0, 200.0));
        assert!(drawn.contains("9.00 →"), "{drawn}");
    }
}
