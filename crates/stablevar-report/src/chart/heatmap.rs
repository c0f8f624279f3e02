//! A correlation matrix as coloured squares.

use super::Chart;
use super::axis::{LETTER, SMALL};
use super::canvas::{Anchor, Area, Canvas, Ink};
use crate::text::{labels, shorten_name};

/// A correlation matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Heatmap {
    /// One name per row and column, which shows under the pointer.
    pub names: Vec<String>,
    /// What stands beside it instead, if the names are not to be shortened by themselves.
    pub labels: Option<Vec<String>>,
    /// Row by row.
    pub values: Vec<Vec<f64>>,
    /// A line is drawn before this column and row, to part two groups; 0 for none.
    pub parted_at: usize,
}

/// The largest side of a square, and what the key takes up.
const SQUARE: f64 = 26.0;
const KEY: f64 = 34.0;
/// Letters of a name at most.
const LETTERS: usize = 12;

impl Heatmap {
    fn labels(&self) -> Vec<String> {
        self.labels.clone().unwrap_or_else(|| labels(self.names.iter().map(String::as_str), LETTERS))
    }

    fn margin(&self) -> f64 {
        let longest = self.labels().iter().map(|label| label.chars().count()).max().unwrap_or(0);
        10.0 + longest as f64 * SMALL * LETTER
    }

    /// The width and height it needs, within limits.
    pub fn size(&self, (width, height): (f64, f64)) -> (f64, f64) {
        let squares = SQUARE * self.names.len() as f64;
        (
            (self.margin() + squares + KEY.max(0.55 * self.margin())).min(width),
            (self.margin() + squares + 6.0).min(height),
        )
    }
}

impl Chart for Heatmap {
    fn draw(&self, canvas: &mut Canvas, area: Area) {
        let shown = self.names.len();
        let margin = self.margin();
        let room = (area.width - margin - KEY.max(0.55 * margin)).min(area.height - margin - 6.0);
        let cell = (room / shown.max(1) as f64).min(SQUARE);
        // Names that have no room stand under the pointer only.
        let every = (1.1 * SMALL / cell.max(1e-9)).ceil() as usize;
        let short = self.labels();
        let (left, top) = (area.left + margin, area.top + margin);
        for i in 0..shown {
            let (x, y) = (left + cell * (i as f64 + 0.5), top + cell * (i as f64 + 0.5));
            if i % every.max(1) == 0 {
                canvas.label((left - 4.0, y), &short[i], &self.names[i], Anchor::End, Ink::Soft, 0.0);
                canvas.label((x, top - 5.0), &short[i], &self.names[i], Anchor::Start, Ink::Soft, -60.0);
            }
            for j in 0..shown {
                let value = self.values[i][j];
                let square =
                    Area { left: left + cell * j as f64, top: y - cell / 2.0, width: cell - 0.8, height: cell - 0.8 };
                let pair = format!(
                    "{} and {}: {value:.2}",
                    shorten_name(&self.names[i], 60),
                    shorten_name(&self.names[j], 60)
                );
                canvas.shaded_square(square, value, &pair);
            }
        }
        let size = cell * shown as f64;
        for (from, to) in
            [((0.0, 0.0), (1.0, 0.0)), ((1.0, 0.0), (1.0, 1.0)), ((1.0, 1.0), (0.0, 1.0)), ((0.0, 1.0), (0.0, 0.0))]
        {
            let corner = |(x, y): (f64, f64)| (left + size * x - 0.4, top + size * y - 0.4);
            canvas.line(corner(from), corner(to), Ink::Soft, 0.6);
        }
        if (1..shown).contains(&self.parted_at) {
            let at = cell * self.parted_at as f64 - 0.4;
            canvas.line((left + at, top), (left + at, top + size), Ink::Text, 0.9);
            canvas.line((left, top + at), (left + size, top + at), Ink::Text, 0.9);
        }
        // The key.
        let (x, step) = (left + size + 8.0, size / 9.0);
        for k in 0..9 {
            let value = 1.0 - f64::from(k) / 4.0;
            let square = Area { left: x, top: top + step * f64::from(k), width: 7.0, height: step };
            canvas.shaded_square(square, value, "");
            if k % 4 == 0 {
                let at = (x + 9.0, square.top + step / 2.0);
                canvas.text(at, &format!("{value:.0}"), Anchor::Start, SMALL, Ink::Soft);
            }
        }
    }
}
