//! Axes: from numbers to places, and round numbers for the ticks.

use super::canvas::{Anchor, Area, Canvas, Ink};

/// The size of letters at ticks and labels.
pub const SMALL: f64 = 10.0;

/// The mean width of a letter, as a share of its size.
pub(super) const LETTER: f64 = 0.56;

/// How an axis maps numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// Evenly, over the range of the data.
    Linear,
    /// Evenly, from zero.
    FromZero,
    /// By powers of ten; what is not above zero is drawn at the lower end.
    Logarithmic,
    /// The numbers are positions in this list.
    Categories(Vec<String>),
}

/// An axis: what it shows and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What it shows.
    pub label: String,
    /// How it maps numbers.
    pub scale: Scale,
}

impl Axis {
    /// An axis with this label.
    pub fn new(label: impl Into<String>, scale: Scale) -> Self {
        Self { label: label.into(), scale }
    }

    /// The length of the longest name of a category.
    fn longest(&self) -> f64 {
        match &self.scale {
            Scale::Categories(names) => {
                names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64 * SMALL * LETTER
            }
            _ => 0.0,
        }
    }

    /// Whether names of categories would run into each other on this width, and so are slanted.
    fn is_slanted(&self, width: f64) -> bool {
        matches!(&self.scale, Scale::Categories(names) if self.longest() > width / names.len().max(1) as f64)
    }

    /// The width that the first name takes up beside a picture of this width.
    pub(super) fn room_beside(&self, width: f64) -> f64 {
        match &self.scale {
            Scale::Categories(names) if self.is_slanted(width) => {
                self.longest() * 0.77 - 0.5 * width / names.len().max(1) as f64
            }
            _ => 0.0,
        }
    }

    /// The height it takes up below a picture of this width.
    pub(super) fn room_below(&self, width: f64) -> f64 {
        if self.is_slanted(width) { 28.0 + self.longest() * 0.65 } else { 34.0 }
    }
}

/// An axis fitted to data and to a stretch of the picture.
pub(super) struct Placed<'a> {
    axis: &'a Axis,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl<'a> Placed<'a> {
    /// Fits an axis to the numbers it has to show, between two places of the picture.
    pub(super) fn new(axis: &'a Axis, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let shown = |value: &f64| value.is_finite() && (axis.scale != Scale::Logarithmic || *value > 0.0);
        let (mut low, mut high) =
            values.filter(shown).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            (low, high) = (1.0, 1.0);
        }
        match &axis.scale {
            Scale::Linear => {
                let margin = if high > low { 0.06 * (high - low) } else { low.abs().max(1.0) };
                (low, high) = (low - margin, high + margin);
            }
            Scale::FromZero => (low, high) = (0.0, if high > 0.0 { 1.06 * high } else { 1.0 }),
            Scale::Logarithmic => {
                // At most six powers of ten, so that a few numbers near zero do not press the rest together.
                (low, high) = ((low.max(high * 1e-6)).log10() - 0.06, high.log10() + 0.06);
            }
            Scale::Categories(names) => (low, high) = (-0.5, names.len().max(1) as f64 - 0.5),
        }
        Self { axis, low, high, from, to }
    }

    /// Where a number stands.
    pub(super) fn place(&self, value: f64) -> f64 {
        let value = if self.axis.scale == Scale::Logarithmic { value.max(1e-300).log10() } else { value };
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.from + (self.to - self.from) * share
    }

    /// Numbers for the ticks, with their labels.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        match &self.axis.scale {
            Scale::Categories(names) => names.iter().enumerate().map(|(k, name)| (k as f64, name.clone())).collect(),
            Scale::Logarithmic => {
                let factors: &[f64] = match self.high - self.low {
                    decades if decades > 2.0 => &[1.0],
                    decades if decades > 1.0 => &[1.0, 2.0, 5.0],
                    _ => &[1.0, 1.5, 2.0, 3.0, 4.0, 6.0],
                };
                let powers = self.low.floor() as i32..=self.high.ceil() as i32;
                let all = powers.flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)));
                let inside = |value: &f64| (self.low..=self.high).contains(&value.log10());
                all.filter(inside).map(|value| (value, short(value))).collect()
            }
            Scale::Linear | Scale::FromZero => {
                let step = round_step((self.high - self.low) / 5.0);
                let decimals = (-step.log10()).ceil().clamp(0.0, 9.0) as usize;
                let count = ((self.high - self.low) / step).floor() as i32 + 1;
                let first = (self.low / step).ceil();
                (0..count)
                    .map(|k| (first + f64::from(k)) * step)
                    .filter(|value| *value <= self.high)
                    .map(|value| (value, format!("{:.decimals$}", value + 0.0)))
                    .collect()
            }
        }
    }

    /// Draws it as the lower edge of an area.
    pub(super) fn draw_below(&self, canvas: &mut Canvas, area: Area) {
        let ticks = self.ticks();
        let slanted = self.axis.is_slanted(area.width);
        for (value, label) in &ticks {
            let x = self.place(*value);
            canvas.line((x, area.bottom()), (x, area.bottom() + 3.0), Ink::Soft, 0.8);
            if slanted {
                canvas.turned_text((x, area.bottom() + 9.0), label, Anchor::End, SMALL, Ink::Soft, -40.0);
            } else {
                canvas.text((x, area.bottom() + 10.0), label, Anchor::Middle, SMALL, Ink::Soft);
            }
        }
        canvas.line((area.left, area.bottom()), (area.right(), area.bottom()), Ink::Soft, 0.8);
        let (middle, below) = (area.left + area.width / 2.0, self.axis.room_below(area.width) - 10.0);
        canvas.text((middle, area.bottom() + below), &self.axis.label, Anchor::Middle, SMALL, Ink::Text);
    }

    /// Draws it as the left edge of an area, with lines across.
    pub(super) fn draw_left(&self, canvas: &mut Canvas, area: Area) {
        for (value, label) in self.ticks() {
            let y = self.place(value);
            canvas.line((area.left, y), (area.right(), y), Ink::Rule, 0.8);
            canvas.text((area.left - 4.0, y), &label, Anchor::End, SMALL, Ink::Soft);
        }
        // The label stands above the axis, where it is read without turning one's head.
        canvas.text((area.left - 36.0, area.top - 10.0), &self.axis.label, Anchor::Start, SMALL, Ink::Text);
    }
}

/// A step of 1, 2 or 5 times a power of ten, at least as long as asked for.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= least * 0.999).unwrap_or(power)
}

fn short(value: f64) -> String {
    if (1e-3..1e5).contains(&value) { format!("{}", (value * 1e6).round() / 1e6) } else { format!("{value:.0e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, values: &[f64]) -> Vec<String> {
        let axis = Axis::new("", scale);
        Placed::new(&axis, values.iter().copied(), 0.0, 100.0).ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(labels(Scale::FromZero, &[0.41, 0.9]), ["0.0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(labels(Scale::FromZero, &[1.9]), ["0.0", "0.5", "1.0", "1.5", "2.0"]);
        assert_eq!(labels(Scale::Linear, &[-3.0, 3.0]), ["-2", "0", "2"]);
        assert_eq!(labels(Scale::Logarithmic, &[0.001, 10.0]), ["0.001", "0.01", "0.1", "1", "10"]);
        assert_eq!(labels(Scale::Categories(vec!["a".into(), "b".into()]), &[]), ["a", "b"]);
    }

    #[test]
    fn a_range_within_one_power_of_ten_has_ticks() {
        assert_eq!(labels(Scale::Logarithmic, &[0.12, 0.25]), ["0.15", "0.2"]);
    }

    #[test]
    fn nothing_and_a_single_number_have_a_place() {
        for scale in [Scale::Linear, Scale::FromZero, Scale::Logarithmic] {
            let axis = Axis::new("", scale);
            for values in [vec![], vec![0.0], vec![5.0, 5.0], vec![f64::NAN]] {
                let placed = Placed::new(&axis, values.into_iter(), 0.0, 100.0);
                assert!((0.0..=100.0).contains(&placed.place(5.0)), "{axis:?}");
            }
        }
    }
}
