//! An error over two columns' shifts as coloured squares.

use super::Chart;
use super::axis::SMALL;
use super::canvas::{Anchor, Area, Canvas, Ink};
use crate::text::{number, shorten};

/// An error as a function of two steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// What moves downwards, and what to the right.
    pub names: [String; 2],
    /// By how much either moves.
    pub steps: Vec<f64>,
    /// For every step of the first and every one of the second the error; `None` leaves the square empty.
    pub values: Vec<Vec<Option<f64>>>,
    /// The error without a step.
    pub now: f64,
    /// Effective numbers of rows behind the errors.
    pub rows: Vec<Vec<f64>>,
}

/// The room that names and steps take up.
const MARGIN: f64 = 62.0;

impl Grid {
    /// A size that suits nine steps.
    pub const SIZE: (f64, f64) = (470.0, 400.0);
}

impl Chart for Grid {
    fn draw(&self, canvas: &mut Canvas, area: Area) {
        let count = self.steps.len().max(1) as f64;
        let cell = ((area.width - MARGIN) / count).min((area.height - MARGIN) / count);
        let (left, top) = (area.left + MARGIN, area.top + MARGIN - 20.0);
        let middle = cell * count / 2.0;
        canvas.text((left + middle, top - 30.0), &shorten(&self.names[1], 40), Anchor::Middle, SMALL, Ink::Text);
        let turned = (area.left + 12.0, top + middle);
        canvas.turned_text(turned, &shorten(&self.names[0], 40), Anchor::Middle, SMALL, Ink::Text, -90.0);
        for (i, step) in self.steps.iter().enumerate() {
            let at = cell * (i as f64 + 0.5);
            canvas.text((left + at, top - 10.0), &format!("{step:+.1}"), Anchor::Middle, SMALL, Ink::Soft);
            canvas.text((left - 6.0, top + at), &format!("{step:+.1}"), Anchor::End, SMALL, Ink::Soft);
            for (j, other) in self.steps.iter().enumerate() {
                let Some(value) = self.values[i][j] else { continue };
                let corner = (left + cell * j as f64, top + cell * i as f64);
                let square = Area { left: corner.0, top: corner.1, width: cell - 1.0, height: cell - 1.0 };
                let (first, second) = (shorten(&self.names[0], 40), shorten(&self.names[1], 40));
                let rows = self.rows[i][j];
                let hint = format!("{first} {step:+.1}, {second} {other:+.1}: {} (n_eff {rows:.0})", number(value));
                let shade = if self.now > 0.0 { (value / self.now).log2().clamp(-1.0, 1.0) } else { 0.0 };
                // Pale enough for the figure on it to be read.
                canvas.shaded_square(square, 0.55 * shade, &hint);
                canvas.text(
                    (corner.0 + cell / 2.0, corner.1 + cell / 2.0),
                    &short(value),
                    Anchor::Middle,
                    SMALL,
                    Ink::Text,
                );
            }
        }
    }
}

/// A number with three digits, in thousands (k) or millions (M) where it is large.
fn short(value: f64) -> String {
    let size = value.abs();
    let (shown, unit) = match size {
        _ if !(1e-2..1e9).contains(&size) => return format!("{value:.0e}"),
        _ if size >= 1e6 => (value / 1e6, "M"),
        _ if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    format!("{shown:.*}{unit}", (2 - shown.abs().log10().floor() as i32).clamp(0, 4) as usize)
}
