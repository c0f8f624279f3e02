//! SVG shapes. Each carries its colour for programs that know no style sheet, and a class by which a page's style sheet
//! may change it, for dark mode say.

use crate::text::{escape, shorten_name};

/// Colours that people who are colour-blind can tell apart (Okabe and Ito, 2008), and a grey. The page's style sheet knows
/// them as `--c0` and so on.
const SERIES: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56606b", "#b8860b", "#3a9bdc", "#1b1f24"];
const FONT: &str = "Helvetica, Arial, sans-serif";

/// What something is drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// Lines of the grid.
    Rule,
    /// Axes, ticks and their labels.
    Soft,
    /// Headings.
    Text,
    /// What stands on colour.
    Paper,
    /// A series; those beyond the number of colours begin anew.
    Series(usize),
}

impl Ink {
    fn colour(self) -> &'static str {
        match self {
            Ink::Rule => "#d9dee3",
            Ink::Soft => "#5c6670",
            Ink::Text => "#1b1f24",
            Ink::Paper => "#ffffff",
            Ink::Series(k) => SERIES[k % SERIES.len()],
        }
    }

    fn class(self) -> String {
        match self {
            Ink::Rule => "rule".into(),
            Ink::Soft => "soft".into(),
            Ink::Text => "ink".into(),
            Ink::Paper => "on-colour".into(),
            Ink::Series(k) => format!("s{}", k % SERIES.len()),
        }
    }
}

/// Where a text begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// At the point.
    Start,
    /// Around the point.
    Middle,
    /// So that it ends at the point.
    End,
}

/// A rectangle of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Its left edge.
    pub left: f64,
    /// Its upper edge.
    pub top: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

impl Area {
    /// The right edge.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// The lower edge.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// What is left inside margins.
    pub fn inside(&self, left: f64, top: f64, right: f64, bottom: f64) -> Area {
        Area {
            left: self.left + left,
            top: self.top + top,
            width: (self.width - left - right).max(1.0),
            height: (self.height - top - bottom).max(1.0),
        }
    }
}

/// A picture in the making.
#[derive(Debug, Default)]
pub struct Canvas {
    shapes: String,
}

impl Canvas {
    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), ink: Ink, width: f64) {
        self.shapes += &format!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" class=\"line {}\" stroke=\"{}\" stroke-width=\"{width}\"/>",
            from.0,
            from.1,
            to.0,
            to.1,
            ink.class(),
            ink.colour()
        );
    }

    /// A line through points; `dashes` as SVG has them, or nothing.
    pub fn path(&mut self, points: &[(f64, f64)], ink: Ink, width: f64, dashes: &str) {
        let dashes = if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
        self.shapes += &format!(
            "<polyline points=\"{}\" class=\"line {}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{dashes}/>",
            joined(points),
            ink.class(),
            ink.colour()
        );
    }

    /// A filled shape that lets what is below shine through.
    pub fn shade(&mut self, points: &[(f64, f64)], ink: Ink) {
        self.shapes += &format!(
            "<polygon points=\"{}\" class=\"fill {}\" fill=\"{}\" fill-opacity=\"0.18\"/>",
            joined(points),
            ink.class(),
            ink.colour()
        );
    }

    /// A filled circle, with a text that shows under the pointer.
    pub fn dot(&mut self, at: (f64, f64), radius: f64, ink: Ink, hint: &str) {
        self.shapes += &format!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\" class=\"fill {}\" fill=\"{}\">{}</circle>",
            at.0,
            at.1,
            ink.class(),
            ink.colour(),
            title(hint)
        );
    }

    /// A filled rectangle, with a text that shows under the pointer.
    pub fn bar(&mut self, area: Area, ink: Ink, hint: &str) {
        self.shapes += &format!(
            "<rect {} class=\"fill {}\" fill=\"{}\">{}</rect>",
            corners(area),
            ink.class(),
            ink.colour(),
            title(hint)
        );
    }

    /// A square in a colour that lets the paper shine through, the more the smaller its share of 1.
    pub fn tinted_square(&mut self, area: Area, ink: Ink, share: f64, hint: &str) {
        self.shapes += &format!(
            "<rect {} class=\"fill {}\" fill=\"{}\" fill-opacity=\"{share:.2}\">{}</rect>",
            corners(area),
            ink.class(),
            ink.colour(),
            title(hint)
        );
    }

    /// A square for a number between -1 and 1: red above 0, blue below, paler towards 0.
    pub fn shaded_square(&mut self, area: Area, value: f64, hint: &str) {
        let (class, colour) = if value < 0.0 { ("negative", "#2166ac") } else { ("positive", "#b2182b") };
        // One that says what it is may be changed by a page's script.
        let class = if hint.is_empty() { class.to_string() } else { format!("cell {class}") };
        self.shapes += &format!(
            "<rect {} class=\"{class}\" fill=\"{colour}\" fill-opacity=\"{:.2}\">{}</rect>",
            corners(area),
            value.abs().min(1.0),
            title(hint)
        );
    }

    /// A text; its middle height is at the point.
    pub fn text(&mut self, at: (f64, f64), text: &str, anchor: Anchor, size: f64, ink: Ink) {
        self.turned_text(at, text, anchor, size, ink, 0.0);
    }

    /// A name that may have been shortened: the whole of it shows under the pointer.
    pub fn label(&mut self, at: (f64, f64), shown: &str, whole: &str, anchor: Anchor, ink: Ink, degrees: f64) {
        let hint = if shown == whole { "" } else { whole };
        self.hinted_text(at, (shown, hint), anchor, super::SMALL, ink, degrees);
    }

    /// A text turned by some degrees, clockwise.
    pub fn turned_text(&mut self, at: (f64, f64), text: &str, anchor: Anchor, size: f64, ink: Ink, degrees: f64) {
        self.hinted_text(at, (text, ""), anchor, size, ink, degrees);
    }

    fn hinted_text(
        &mut self,
        at: (f64, f64),
        (text, hint): (&str, &str),
        anchor: Anchor,
        size: f64,
        ink: Ink,
        degrees: f64,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let turn = if degrees == 0.0 { String::new() } else { format!(" rotate({degrees})") };
        self.shapes += &format!(
            "<text transform=\"translate({:.1} {:.1}){turn}\" y=\"0.35em\" text-anchor=\"{anchor}\" font-size=\"{size}\" class=\"fill {}\" fill=\"{}\">{}{}</text>",
            at.0,
            at.1,
            ink.class(),
            ink.colour(),
            title(hint),
            escape(text)
        );
    }

    /// The picture, with a name and a description for those who can't see it.
    pub fn finish(self, width: f64, height: f64, name: &str, description: &str) -> String {
        let description =
            if description.is_empty() { String::new() } else { format!("<desc>{}</desc>", escape(description)) };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
             role=\"img\" aria-label=\"{}\" font-family=\"{FONT}\">{description}\
             <rect width=\"100%\" height=\"100%\" class=\"paper\" fill=\"#ffffff\"/>{}</svg>\n",
            escape(name),
            self.shapes
        )
    }
}

fn joined(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}

fn corners(area: Area) -> String {
    format!("x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"", area.left, area.top, area.width, area.height)
}

fn title(hint: &str) -> String {
    if hint.is_empty() { String::new() } else { format!("<title>{}</title>", escape(&shorten_name(hint, 160))) }
}
