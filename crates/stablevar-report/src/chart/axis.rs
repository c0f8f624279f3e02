//! Axes: from numbers to places, and round numbers for the ticks.

use super::canvas::{Anchor, Area, Canvas, Ink};
use crate::text::{grouped, shorten_name};

/// The size of letters at ticks and labels.
pub const SMALL: f64 = 10.0;

/// The mean width of a letter, as a share of its size.
pub(super) const LETTER: f64 = 0.6;

/// Letters of a category's name at most; the rest shows under the pointer.
const CATEGORY: usize = 20;
/// What a label may stick out of its axis to the right: charts leave that much.
const BESIDE: f64 = 10.0;

/// The width of a text at this size, nearly.
pub(super) fn width_of(text: &str) -> f64 {
    text.chars().count() as f64 * SMALL * LETTER
}

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
                names.iter().map(|name| width_of(&shorten_name(name, CATEGORY))).fold(0.0, f64::max)
            }
            _ => 0.0,
        }
    }

    /// The width that its labels take up to the left of a picture that shows these numbers.
    pub(super) fn room_left(&self, values: impl Iterator<Item = f64>) -> f64 {
        let ticks = Placed::new(self, values, 0.0, 1.0).ticks();
        (ticks.iter().map(|(_, label)| width_of(label)).fold(0.0, f64::max) + 10.0).max(34.0)
    }

    /// What stands beside it.
    fn title(&self) -> String {
        match self.scale {
            Scale::Logarithmic if !self.label.is_empty() => format!("{} (log scale)", self.label),
            _ => self.label.clone(),
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
        self.about(5)
    }

    /// About so many ticks.
    fn about(&self, wanted: usize) -> Vec<(f64, String)> {
        match &self.axis.scale {
            Scale::Categories(names) => names.iter().enumerate().map(|(k, name)| (k as f64, name.clone())).collect(),
            Scale::Logarithmic => self.logarithmic(wanted),
            Scale::Linear | Scale::FromZero => evenly(self.low, self.high, wanted),
        }
    }

    /// Round numbers on a scale of powers of ten: the fewest kinds that give three ticks or more.
    fn logarithmic(&self, wanted: usize) -> Vec<(f64, String)> {
        const KINDS: [&[f64]; 4] = [&[1.0], &[1.0, 3.0], &[1.0, 2.0, 5.0], &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]];
        let powers = self.low.floor() as i32..=self.high.ceil() as i32;
        let inside = |value: &f64| (self.low..=self.high).contains(&value.log10());
        let of_kind = |factors: &&[f64]| -> Vec<f64> {
            let all = powers.clone().flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)));
            all.filter(inside).collect()
        };
        match KINDS.iter().map(of_kind).find(|values| values.len() >= 3) {
            Some(values) => {
                let every = values.len().div_ceil(wanted.max(1) + 2);
                values.into_iter().step_by(every).map(|value| (value, short(value))).collect()
            }
            // So short a stretch is nearly straight.
            None => evenly(10f64.powf(self.low), 10f64.powf(self.high), wanted),
        }
    }

    /// As many ticks as have room side by side.
    fn ticks_below(&self, width: f64) -> Vec<(f64, String)> {
        let fits = |ticks: &Vec<(f64, String)>| {
            let places: Vec<f64> = ticks.iter().map(|(value, _)| self.place(*value)).collect();
            let widest = ticks.iter().map(|(_, label)| width_of(label)).fold(0.0, f64::max);
            places.windows(2).all(|pair| (pair[1] - pair[0]).abs() >= widest + 5.0)
        };
        match &self.axis.scale {
            Scale::Categories(_) => {
                let ticks = self.ticks();
                let apart = if self.axis.is_slanted(width) { 1.2 * SMALL } else { 0.0 };
                let every = (apart * ticks.len() as f64 / width.max(1.0)).ceil().max(1.0) as usize;
                ticks.into_iter().step_by(every).collect()
            }
            _ => (1..=5).rev().map(|wanted| self.about(wanted)).find(fits).unwrap_or_else(|| self.about(1)),
        }
    }

    /// Draws it as the lower edge of an area.
    pub(super) fn draw_below(&self, canvas: &mut Canvas, area: Area) {
        let slanted = self.axis.is_slanted(area.width);
        for (value, label) in self.ticks_below(area.width) {
            let x = self.place(value);
            canvas.line((x, area.bottom()), (x, area.bottom() + 3.0), Ink::Soft, 0.8);
            let short = shorten_name(&label, CATEGORY);
            if slanted {
                canvas.label((x, area.bottom() + 9.0), &short, &label, Anchor::End, Ink::Soft, -40.0);
            } else {
                // The last one must not leave the picture.
                let x = x.min(area.right() + BESIDE - width_of(&short) / 2.0);
                canvas.label((x, area.bottom() + 10.0), &short, &label, Anchor::Middle, Ink::Soft, 0.0);
            }
        }
        canvas.line((area.left, area.bottom()), (area.right(), area.bottom()), Ink::Soft, 0.8);
        let title = self.axis.title();
        let half = width_of(&title) / 2.0;
        // A label wider than the axis begins further left, where there is room below the names.
        let middle = (area.left + area.width / 2.0).min(area.right() + BESIDE - half);
        let below = self.axis.room_below(area.width) - 10.0;
        canvas.text((middle, area.bottom() + below), &title, Anchor::Middle, SMALL, Ink::Text);
    }

    /// Draws it as the left edge of an area, with lines across.
    pub(super) fn draw_left(&self, canvas: &mut Canvas, area: Area) {
        let mut widest: f64 = 0.0;
        for (value, label) in self.ticks() {
            let y = self.place(value);
            canvas.line((area.left, y), (area.right(), y), Ink::Rule, 0.8);
            canvas.text((area.left - 4.0, y), &label, Anchor::End, SMALL, Ink::Soft);
            widest = widest.max(width_of(&label));
        }
        // The label stands above the axis, where it is read without turning one's head.
        canvas.text((area.left - widest - 4.0, area.top - 12.0), &self.axis.title(), Anchor::Start, SMALL, Ink::Text);
    }
}

/// About so many round numbers at equal distances.
fn evenly(low: f64, high: f64, wanted: usize) -> Vec<(f64, String)> {
    let step = round_step((high - low) / wanted.max(1) as f64);
    let decimals = (-step.log10()).ceil().clamp(0.0, 9.0) as usize;
    let first = (low / step).ceil();
    let count = ((high - low) / step).floor() as i32 + 1;
    let values = (0..count).map(|k| (first + f64::from(k)) * step).filter(|value| *value <= high);
    let millions = low.abs().max(high.abs()) >= 1e6 && step >= 1e4;
    values
        .map(|value| {
            (value + 0.0, if millions { in_millions(value) } else { grouped(&format!("{:.decimals$}", value + 0.0)) })
        })
        .collect()
}

fn in_millions(value: f64) -> String {
    if value == 0.0 { "0".into() } else { format!("{}M", (value / 1e4).round() / 100.0) }
}

/// A step of 1, 2 or 5 times a power of ten, at least as long as asked for.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= least * 0.999).unwrap_or(power)
}

fn short(value: f64) -> String {
    if (1e-3..1e6).contains(&value) {
        grouped(&format!("{}", (value * 1e6).round() / 1e6))
    } else {
        format!("{value:.0e}")
    }
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
        assert_eq!(labels(Scale::Logarithmic, &[0.12, 0.25]), ["0.15", "0.20", "0.25"]);
        assert_eq!(labels(Scale::Logarithmic, &[0.32, 0.50]), ["0.3", "0.4", "0.5"]);
        assert_eq!(labels(Scale::Logarithmic, &[0.341, 0.352]), ["0.30", "0.35", "0.40"]);
    }

    #[test]
    fn thousands_are_apart_and_millions_are_short() {
        assert_eq!(labels(Scale::FromZero, &[9000.0]), ["0", "2,000", "4,000", "6,000", "8,000"]);
        assert_eq!(labels(Scale::FromZero, &[7.4e6]), ["0", "2M", "4M", "6M"]);
    }

    #[test]
    fn labels_below_have_room() {
        let axis = Axis::new("price", Scale::FromZero);
        let placed = Placed::new(&axis, [900_000.0].into_iter(), 0.0, 120.0);
        let ticks = placed.ticks_below(120.0);
        assert!(ticks.len() >= 2, "{ticks:?}");
        let places: Vec<f64> = ticks.iter().map(|(value, _)| placed.place(*value)).collect();
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] > width_of("800,000")), "{ticks:?}");
        // Names of many categories: every so many.
        let axis = Axis::new("loop", Scale::Categories((1..=200).map(|k| k.to_string()).collect()));
        assert!(Placed::new(&axis, std::iter::empty(), 0.0, 200.0).ticks_below(200.0).len() <= 17);
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
