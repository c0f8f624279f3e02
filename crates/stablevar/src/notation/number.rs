//! Numbers as people write them.

use serde::{Deserialize, Serialize};

/// What stands before the decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decimal {
    /// As in 1,234.5.
    #[default]
    Point,
    /// As in 1.234,5.
    Comma,
}

/// How a column writes numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberNotation {
    /// What stands before the decimals.
    pub decimal: Decimal,
    /// A currency that may stand with them, or the sign for percent.
    pub unit: Option<String>,
}

impl NumberNotation {
    /// The number that a text stands for; per cent count as they are written, 5 for 5 %.
    pub fn parse(&self, text: &str) -> Option<f64> {
        let text = text.trim();
        let written = || {
            let split = split(text)?;
            let known = split.unit.is_none_or(|unit| self.unit.as_deref().map(same_unit) == Some(same_unit(unit)));
            if known { value(&split, self.decimal) } else { None }
        };
        // Infinite values are refused further on, with their place.
        written().or_else(|| text.parse().ok().filter(|number: &f64| number.is_infinite()))
    }

    /// In words.
    pub(super) fn in_words(&self) -> String {
        let unit = match self.unit.as_deref() {
            Some("%") => "per cent",
            Some(_) => "amounts of money",
            None => "numbers",
        };
        let marks = match self.decimal {
            Decimal::Point => "",
            Decimal::Comma => " with decimal commas",
        };
        format!("{unit}{marks}")
    }
}

/// Longer ones first, so that none is taken for a part of another.
const UNITS: [&str; 38] = [
    "US$", "AU$", "CA$", "NZ$", "HK$", "R$", "A$", "C$", "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "AUD", "CAD",
    "NZD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "BRL", "Fr.", "zł", "Kč", "kr", "$", "€", "£", "¥", "₹", "₩", "₺",
    "₽", "%",
];

/// One way to write a currency that has several.
pub(super) fn same_unit(unit: &str) -> &str {
    let same = SAME_UNITS.iter().find(|(_, other)| *other == unit);
    same.map_or(unit, |(one, _)| one)
}

const SAME_UNITS: [(&str, &str); 12] = [
    ("€", "EUR"),
    ("£", "GBP"),
    ("US$", "USD"),
    ("A$", "AU$"),
    ("A$", "AUD"),
    ("C$", "CA$"),
    ("C$", "CAD"),
    ("NZ$", "NZD"),
    ("Fr.", "CHF"),
    ("₹", "INR"),
    ("zł", "PLN"),
    ("Kč", "CZK"),
];

/// A text taken apart.
pub(super) struct Split<'a> {
    negative: bool,
    digits: &'a str,
    pub unit: Option<&'static str>,
}

/// Takes sign, unit and digits apart: `-$5`, `$-5`, `5 €`, `(5)`.
pub(super) fn split(text: &str) -> Option<Split<'_>> {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (mut rest, mut negative) = match text.strip_prefix('(').and_then(|inside| inside.strip_suffix(')')) {
        Some(inside) => (inside.trim(), true),
        None => (text, false),
    };
    let mut unit = None;
    // A sign may stand before or behind a unit.
    for _ in 0..2 {
        if let Some(after) = rest.strip_prefix(['-', '\u{2212}', '+']) {
            if negative {
                return None;
            }
            negative = !rest.starts_with('+');
            rest = after.trim_start();
        }
        if unit.is_none()
            && let Some(found) = UNITS.iter().find(|unit| **unit != "%" && rest.starts_with(**unit))
        {
            unit = Some(*found);
            rest = rest[found.len()..].trim_start();
        }
    }
    if unit.is_none()
        && let Some(found) = UNITS.iter().find(|unit| rest.ends_with(**unit))
    {
        unit = Some(*found);
        rest = rest[..rest.len() - found.len()].trim_end();
    }
    rest.starts_with(|c: char| c.is_ascii_digit() || ".,".contains(c)).then_some(Split { negative, digits: rest, unit })
}

/// The number, if the digits are written with this decimal mark.
pub(super) fn value(split: &Split, decimal: Decimal) -> Option<f64> {
    let (mark, other) = match decimal {
        Decimal::Point => ('.', ','),
        Decimal::Comma => (',', '.'),
    };
    let (digits, exponent) = match split.digits.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, Some(exponent)),
        None => (split.digits, None),
    };
    let (whole, fraction) = match digits.split_once(mark) {
        Some((whole, fraction)) => (whole, fraction),
        None => (digits, ""),
    };
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let whole = without_groups(whole, other)?;
    if !all_digits(fraction) || whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let exponent = match exponent {
        Some(exponent) => exponent.parse::<i32>().ok()?,
        None => 0,
    };
    let magnitude: f64 = format!("{whole}.{fraction}e{exponent}").parse().ok()?;
    Some(if split.negative { -magnitude } else { magnitude })
}

/// Digits without what separates thousands: the other mark, a space or an apostrophe, but only one of them.
fn without_groups(whole: &str, other: char) -> Option<String> {
    let Some(separator) = whole.chars().find(|c| !c.is_ascii_digit()) else { return Some(whole.into()) };
    if separator != other && !" \u{a0}\u{202f}'\u{2019}".contains(separator) {
        return None;
    }
    let mut groups = whole.split(separator);
    let first = groups.next()?;
    let fits = (1..=3).contains(&first.len())
        && first.bytes().all(|byte| byte.is_ascii_digit())
        && groups.all(|group| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit()));
    fits.then(|| whole.chars().filter(char::is_ascii_digit).collect())
}
