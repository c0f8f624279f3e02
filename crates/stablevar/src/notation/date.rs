//! Dates, as days since 1970-01-01 or in parts.

use crate::table::{Column, TextValues, Values};
use serde::{Deserialize, Serialize};

/// In which order day, month and year stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// 2014-10-13, 2014/10/13, 20141013.
    #[serde(rename = "ymd")]
    YearMonthDay,
    /// 13.10.2014, 13/10/2014.
    #[serde(rename = "dmy")]
    DayMonthYear,
    /// 10/13/2014.
    #[serde(rename = "mdy")]
    MonthDayYear,
}

/// How a column writes dates, and what becomes of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DateNotation {
    /// In which order day, month and year stand.
    pub order: Order,
    /// Whether they become year, month and weekday instead of days.
    pub parts: bool,
    /// Whether there is an hour among these parts.
    pub hours: bool,
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

impl Order {
    /// All there are.
    pub const ALL: [Order; 3] = [Order::YearMonthDay, Order::DayMonthYear, Order::MonthDayYear];

    /// By its letters: ymd, dmy, mdy.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().zip(["ymd", "dmy", "mdy"]).find(|(_, known)| *known == name).map(|(order, _)| order)
    }

    /// Days since 1970-01-01, with the time of day as their fraction; `None` for what is no date.
    pub(super) fn parse(self, text: &str) -> Option<f64> {
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_digit() && !"-/.".contains(c)).unwrap_or(text.len());
        let (day, time) = text.split_at(end);
        let days = self.day(day)?;
        let time = time.strip_prefix(['T', ' ']).or_else(|| time.is_empty().then_some(""))?.trim();
        Some(days as f64 + if time.is_empty() { 0.0 } else { seconds(time)? / 86_400.0 })
    }

    fn day(self, text: &str) -> Option<i64> {
        if !text.is_ascii() {
            return None;
        }
        let separator = text.chars().find(|c| !c.is_ascii_digit());
        let fields: Vec<&str> = match (separator, self) {
            (Some(separator), _) => text.split(separator).collect(),
            (None, Order::YearMonthDay) if text.len() == 8 => vec![&text[..4], &text[4..6], &text[6..]],
            _ => return None,
        };
        let [a, b, c] = fields[..] else { return None };
        let (year, month, day) = match self {
            Order::YearMonthDay => (a, b, c),
            Order::DayMonthYear => (c, b, a),
            Order::MonthDayYear => (c, a, b),
        };
        if year.len() != 4 || month.len() > 2 || day.len() > 2 || self == Order::MonthDayYear && separator == Some('.')
        {
            return None;
        }
        let whole = |text: &str| text.parse::<i64>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
        days_from_civil(whole(year)?, whole(month)?, whole(day)?)
    }
}

/// Seconds since midnight, of Greenwich where a zone is given.
fn seconds(text: &str) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    let (clock, afternoon) = match (lower.strip_suffix("am"), lower.strip_suffix("pm")) {
        (Some(clock), _) => (clock.trim_end(), Some(false)),
        (_, Some(clock)) => (clock.trim_end(), Some(true)),
        _ => (lower.as_str(), None),
    };
    let clock = clock.strip_suffix('z').or_else(|| clock.strip_suffix("utc")).unwrap_or(clock).trim_end();
    let (clock, zone) = match clock.find(['+', '-']) {
        Some(at) => {
            let (hours, minutes) = hours_and_minutes(&clock[at + 1..])?;
            let ahead = 3600.0 * hours + 60.0 * minutes;
            (clock[..at].trim_end(), if clock[at..].starts_with('+') { ahead } else { -ahead })
        }
        None => (clock, 0.0),
    };
    let (minutes_end, after) = if clock.contains(':') {
        let second = clock.match_indices(':').nth(1).map_or(clock.len(), |(at, _)| at);
        (second, clock.get(second + 1..).unwrap_or(""))
    } else {
        let end = clock.len().min(4);
        (end, clock.get(end..).unwrap_or(""))
    };
    let (mut hours, minutes) = hours_and_minutes(clock.get(..minutes_end)?)?;
    let rest: f64 = if after.is_empty() { 0.0 } else { after.parse().ok()? };
    if let Some(afternoon) = afternoon {
        hours = hours % 12.0 + if afternoon { 12.0 } else { 0.0 };
    }
    let fits = hours < 24.0 && minutes < 60.0 && (0.0..61.0).contains(&rest);
    fits.then_some(3600.0 * hours + 60.0 * minutes + rest - zone)
}

/// 09:30 or 0930.
fn hours_and_minutes(text: &str) -> Option<(f64, f64)> {
    let (hours, minutes) = match text.split_once(':') {
        Some(both) => both,
        None => (text.get(..2)?, text.get(2..)?),
    };
    let two = |text: &str| {
        let fits = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        if fits { text.parse::<f64>().ok() } else { None }
    };
    Some((two(hours)?, if minutes.is_empty() { 0.0 } else { two(minutes)? }))
}

/// Days since 1970-01-01 of a day of the Gregorian calendar.
fn days_from_civil(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    let longest = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=longest).contains(&day) {
        return None;
    }
    // Years from March on, so that a leap day is the last of its year; 400 of them are an era of 146,097 days.
    let shifted = year - i64::from(month <= 2);
    let (era, of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// Year and month of a day.
fn civil_from_days(days: i64) -> (i64, usize) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = ((5 * of_year + 2) / 153 + 2) % 12;
    (era * 400 + year + i64::from(month < 2), month as usize)
}

impl DateNotation {
    /// Days since 1970-01-01.
    pub(super) fn parse(&self, text: &str) -> Option<f64> {
        self.order.parse(text)
    }

    pub(super) fn in_words(&self) -> &'static str {
        match (self.parts, self.hours) {
            (false, _) => "dates, in days since 1970-01-01",
            (true, false) => "dates, in year, month and weekday",
            (true, true) => "dates, in year, month, weekday and hour",
        }
    }

    pub(super) fn part_names(&self, name: &str) -> Vec<String> {
        let parts: &[&str] =
            if self.hours { &["year", "month", "weekday", "hour"] } else { &["year", "month", "weekday"] };
        parts.iter().map(|part| format!("{name}.{part}")).collect()
    }

    /// Year and hour are numbers; months and weekdays are levels, since December is not twelve times January.
    pub(super) fn parts_of(&self, name: &str, days: &[f64]) -> Vec<Column<'static>> {
        let whole = |day: &f64| day.floor() as i64;
        let of_some = |day: &f64, part: &dyn Fn(&f64) -> f64| if day.is_nan() { f64::NAN } else { part(day) };
        let numbers = |part: &dyn Fn(&f64) -> f64| Values::Number(days.iter().map(|day| of_some(day, part)).collect());
        let texts = |part: &dyn Fn(&f64) -> &'static str| {
            Values::Text(TextValues::collect(days.iter().map(|day| (!day.is_nan()).then(|| part(day)))))
        };
        let mut values = vec![
            numbers(&|day| civil_from_days(whole(day)).0 as f64),
            texts(&|day| MONTHS[civil_from_days(whole(day)).1]),
            // 1970-01-01 was a Thursday.
            texts(&|day| WEEKDAYS[(whole(day) + 3).rem_euclid(7) as usize]),
        ];
        if self.hours {
            values.push(numbers(&|day| ((day - day.floor()) * 24.0 * 3600.0).round() / 3600.0));
        }
        self.part_names(name).into_iter().zip(values).map(|(name, values)| Column { name, values }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_times_are_counted() {
        let ymd = Order::YearMonthDay;
        for (text, days) in [
            ("1970-01-01", 0.0),
            ("2000-03-01", 11017.0),
            ("2000-02-29", 11016.0),
            ("1969-12-31", -1.0),
            ("2014-10-13T12:00:00Z", 16356.5),
            ("2014-10-13 18:00+06:00", 16356.5),
            ("20141013T060000", 16356.25),
            ("2014/10/13 6:00 pm", 16356.75),
        ] {
            assert_eq!(ymd.parse(text), Some(days), "{text}");
        }
        for text in
            ["1900-02-29", "2014-00-01", "2014-1", "14-01-01", "2014-10-13x", "2014-10-13 25:00", "", "13.10.2014"]
        {
            assert_eq!(ymd.parse(text), None, "{text}");
        }
        assert_eq!(Order::MonthDayYear.parse("10.11.2014"), None, "with points the day comes first");
    }

    #[test]
    fn parts_are_those_of_the_calendar() {
        let date = DateNotation { order: Order::YearMonthDay, parts: true, hours: true };
        let days = ["2024-02-29T06:30", "1999-12-31"].map(|text| date.parse(text).unwrap());
        let columns = date.parts_of("d", &[days[0], days[1], f64::NAN]);
        let row = |row: usize| columns.iter().map(|column| column.values.text(row)).collect::<Vec<_>>();
        let some = |texts: [&str; 4]| texts.map(|text| Some(text.to_string())).to_vec();
        assert_eq!(row(0), some(["2024", "Feb", "Thu", "6.5"]));
        assert_eq!(row(1), some(["1999", "Dec", "Fri", "0"]));
        assert_eq!(row(2), vec![None; 4]);
        for days in [-800_000, -1, 0, 59, 11_016, 19_782, 2_000_000] {
            let (year, month) = civil_from_days(days);
            let first = days_from_civil(year, month as i64 + 1, 1).unwrap();
            assert!((0..31).contains(&(days - first)), "{days}");
        }
    }
}
