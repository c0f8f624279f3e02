//! How texts write numbers and dates, column by column: `1.234,50`, `$ 1,234`, `12 %`, `13.10.2014`.
//!
//! A fitted model remembers how the columns of its table were written, so that new tables are read alike.

mod date;
mod number;

pub use date::{DateNotation, Order};
pub use number::{Decimal, NumberNotation};

use crate::table::{Column, TextValues, Values, is_missing_among_numbers};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How the texts of a column are to be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Notation {
    /// As numbers.
    Number(NumberNotation),
    /// As dates.
    Date(DateNotation),
}

/// The notations of those columns that have one, by their names.
pub type Reading = BTreeMap<String, Notation>;

impl Notation {
    /// The number that a text stands for; of a date the days since 1970-01-01.
    pub fn parse(&self, text: &str) -> Option<f64> {
        match self {
            Notation::Number(notation) => notation.parse(text),
            Notation::Date(notation) => notation.parse(text),
        }
    }

    /// In words what it makes of a column.
    pub fn in_words(&self) -> String {
        match self {
            Notation::Number(notation) => notation.in_words(),
            Notation::Date(notation) => notation.in_words().into(),
        }
    }

    /// Names of the columns that a column becomes.
    pub fn derived(&self, name: &str) -> Vec<String> {
        match self {
            Notation::Date(date) if date.parts => date.part_names(name),
            _ => vec![name.to_string()],
        }
    }

    /// The columns that a column becomes, from the numbers its texts stand for.
    pub fn columns(&self, name: &str, values: Vec<f64>) -> Vec<Column<'static>> {
        match self {
            Notation::Date(date) if date.parts => date.parts_of(name, &values),
            _ => vec![Column { name: name.into(), values: Values::Number(values.into()) }],
        }
    }

    /// The numbers that texts stand for, NaN for missing ones; or the first row whose text it does not fit.
    pub fn numbers(&self, texts: &TextValues) -> Result<Vec<f64>, usize> {
        let absent = |level: &String| is_missing_among_numbers(level).then_some(f64::NAN);
        let levels: Vec<Option<f64>> =
            texts.levels.iter().map(|level| self.parse(level).or_else(|| absent(level))).collect();
        let number = |(row, code): (usize, &Option<u32>)| match code {
            None => Ok(f64::NAN),
            Some(code) => levels[*code as usize].ok_or(row),
        };
        texts.codes.iter().enumerate().map(number).collect()
    }
}

/// What was seen of the texts of a column, from which its notation is told.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// Values that are not missing.
    pub values: u64,
    /// Texts that are missing values if all others are numbers or dates, and the first of them.
    pub absent: u64,
    first_absent: Option<String>,
    /// Of these, numbers as programs write them.
    pub plain: u64,
    points: u64,
    commas: u64,
    /// Numbers in which a point stands that may be a separator of thousands.
    dotted: u64,
    unit: Option<String>,
    /// Values with the unit.
    with_unit: u64,
    units_differ: bool,
    orders: [u64; 3],
    hours: bool,
    first: Option<String>,
    /// The first text that is no date, or not written like those before it.
    misfit: Option<String>,
}

/// What texts are read as where they may mean two things.
#[derive(Debug, Clone, Copy, Default)]
pub struct Habits {
    /// The decimal mark that was asked for.
    pub asked: Option<Decimal>,
    /// That of other columns of the table.
    pub others: Option<Decimal>,
    /// That which goes with what separates the fields.
    pub delimiter: Option<Decimal>,
}

impl Written {
    /// Looks at a text that is not missing: whether it is a number as programs write them, one with a decimal point and one
    /// with a decimal comma.
    pub fn see(&mut self, text: &str) -> [bool; 3] {
        if is_missing_among_numbers(text) {
            self.absent += 1;
            self.first_absent.get_or_insert_with(|| text.to_string());
            return [true; 3];
        }
        self.values += 1;
        self.first.get_or_insert_with(|| text.to_string());
        let hopeful = |count: u64| count + 1 == self.values;
        let (dates, comma) = (self.orders.map(hopeful), hopeful(self.commas));
        let fits = if text.parse::<f64>().is_ok() {
            let dotted = text.contains('.');
            self.plain += 1;
            self.dotted += u64::from(dotted);
            let as_comma = || number::split(text).is_some_and(|split| number::value(&split, Decimal::Comma).is_some());
            [true, true, !dotted || comma && as_comma()]
        } else {
            self.see_written(text)
        };
        self.points += u64::from(fits[1]);
        self.commas += u64::from(fits[2]);
        // As programs write numbers, only eight digits can be a date.
        if !fits[0] || text.len() == 8 {
            for (k, order) in Order::ALL.into_iter().enumerate().filter(|(k, _)| dates[*k]) {
                if let Some(days) = order.parse(text) {
                    self.orders[k] += 1;
                    self.hours |= days.fract() != 0.0;
                }
            }
        }
        if self.misfit.is_none() && !self.orders.iter().any(|count| self.fits(*count)) {
            self.misfit = Some(text.to_string());
        }
        fits
    }

    fn see_written(&mut self, text: &str) -> [bool; 3] {
        let Some(split) = number::split(text) else { return [false; 3] };
        if let Some(unit) = split.unit {
            self.with_unit += 1;
            let first = self.unit.get_or_insert_with(|| unit.to_string());
            self.units_differ |= number::same_unit(first) != number::same_unit(unit);
        }
        let [point, comma] = [Decimal::Point, Decimal::Comma].map(|mark| number::value(&split, mark).is_some());
        [false, point, comma]
    }

    /// Whether it can still be something else than text.
    fn fits(&self, count: u64) -> bool {
        self.values > 0 && count == self.values
    }

    /// The decimal mark that these texts must have, if they tell.
    pub fn decimal(&self) -> Option<Decimal> {
        if self.fits(self.plain) || !self.is_consistent() {
            return None;
        }
        match (self.fits(self.points), self.fits(self.commas)) {
            (true, false) => Some(Decimal::Point),
            (false, true) => Some(Decimal::Comma),
            _ => None,
        }
    }

    /// One unit; and where that is percent, in all values, since 5 % and 0.05 would be taken for each other's like.
    fn is_consistent(&self) -> bool {
        let partly = self.with_unit < self.values && self.unit.as_deref() == Some("%");
        !self.units_differ && !partly
    }

    /// How these texts are to be read; `None` for plain numbers and for what is text.
    pub fn notation(&self, habits: Habits) -> Option<Notation> {
        if self.fits(self.plain) {
            // A table with decimal commas writes thousands with points.
            let comma = habits.asked.or(habits.others) == Some(Decimal::Comma);
            let grouped = comma && self.dotted > 0 && self.fits(self.commas);
            return grouped.then(|| self.number(Decimal::Comma));
        }
        let usual = habits.others.or(habits.delimiter);
        let decimal = habits.asked.or(self.decimal()).or(usual).unwrap_or_default();
        let fitting = match decimal {
            Decimal::Point => self.points,
            Decimal::Comma => self.commas,
        };
        if self.fits(fitting) && self.is_consistent() {
            return Some(self.number(decimal));
        }
        let mut orders = self.orders.iter().zip(Order::ALL).filter(|(count, _)| self.fits(**count));
        match (orders.next(), orders.next()) {
            // 03/04/2020 is a date, but not which.
            (Some((_, order)), None) => Some(Notation::Date(self.date(order, false))),
            _ => None,
        }
    }

    fn number(&self, decimal: Decimal) -> Notation {
        Notation::Number(NumberNotation { decimal, unit: self.unit.clone() })
    }

    fn date(&self, order: Order, parts: bool) -> DateNotation {
        DateNotation { order, parts, hours: parts && self.hours }
    }

    /// The notation as dates that was asked for; `Err` if the values can't be such, or may be dates in more than one order.
    pub fn as_dates(&self, order: Option<Order>, parts: bool) -> Result<Notation, Undated> {
        let fitting: Vec<Order> = Order::ALL
            .into_iter()
            .zip(self.orders)
            .filter(|(candidate, count)| self.fits(*count) && order.is_none_or(|order| order == *candidate))
            .map(|(candidate, _)| candidate)
            .collect();
        match fitting[..] {
            [order] => Ok(Notation::Date(self.date(order, parts))),
            [] => Err(Undated::NotDates),
            _ => Err(Undated::Ambiguous),
        }
    }

    /// How many of the values are numbers, in the notation that most of them fit.
    pub fn numbers(&self) -> (u64, Option<Decimal>) {
        let written = |count: u64| if self.is_consistent() { count } else { 0 };
        let marks = [(written(self.points), Some(Decimal::Point)), (written(self.commas), Some(Decimal::Comma))];
        marks.into_iter().fold((self.plain, None), |most, next| if next.0 > most.0 { next } else { most })
    }

    /// The first text that is a missing value if all others are numbers or dates.
    pub fn absent_example(&self) -> &str {
        self.first_absent.as_deref().unwrap_or_default()
    }

    /// The first text that is no date, or not written like those before it; its first text, if all are dates.
    pub fn undated_example(&self) -> &str {
        self.misfit.as_deref().unwrap_or(self.example())
    }

    /// Its first text, as an example.
    pub fn example(&self) -> &str {
        self.first.as_deref().unwrap_or_default()
    }
}

/// Why texts are not read as dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undated {
    /// Some are none.
    NotDates,
    /// Day and month may be either way round.
    Ambiguous,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(texts: &[&str], habits: Habits) -> Option<Notation> {
        let mut written = Written::default();
        for text in texts {
            written.see(text);
        }
        written.notation(habits)
    }

    fn parsed(texts: &[&str]) -> Option<Vec<f64>> {
        let notation = told(texts, Habits::default())?;
        texts.iter().map(|text| notation.parse(text)).collect()
    }

    #[test]
    fn numbers_as_people_write_them() {
        assert_eq!(parsed(&["1,234", "5,678.5", "12"]), Some(vec![1234.0, 5678.5, 12.0]));
        assert_eq!(parsed(&["1.234,5", "0,25", "-7"]), Some(vec![1234.5, 0.25, -7.0]));
        assert_eq!(parsed(&["$1,234.50", "-$2", "$3"]), Some(vec![1234.5, -2.0, 3.0]));
        assert_eq!(parsed(&["1 234 €", "12,5 €", "7"]), Some(vec![1234.0, 12.5, 7.0]));
        assert_eq!(parsed(&["12.5%", "7 %"]), Some(vec![12.5, 7.0]));
        assert_eq!(parsed(&["(1,200)", "300"]), Some(vec![-1200.0, 300.0]));
        assert_eq!(parsed(&["1'000.5", "CHF 20"]), Some(vec![1000.5, 20.0]));
    }

    #[test]
    fn a_dash_among_numbers_is_no_value() {
        let texts = ["1,5", "-", "none", "2,25"];
        let mut written = Written::default();
        texts.iter().for_each(|text| assert!(written.see(text)[2], "{text}"));
        assert_eq!((written.values, written.absent, written.absent_example()), (2, 2, "-"));
        let notation = written.notation(Habits::default()).unwrap();
        let values = notation.numbers(&TextValues::collect(texts.iter().map(|text| Some(*text)))).unwrap();
        assert!(values[0] == 1.5 && values[1].is_nan() && values[2].is_nan() && values[3] == 2.25);
    }

    #[test]
    fn what_is_not_one_kind_of_number_stays_text() {
        for texts in
            [&["$5", "€5"][..], &["5%", "0.05"], &["12:30", "1"], &["1,23", "4.56,7"], &["a", "1,5"], &["1,2,3"]]
        {
            assert_eq!(told(texts, Habits::default()), None, "{texts:?}");
        }
        assert_eq!(told(&["1.5", "2"], Habits::default()), None, "plain numbers need no notation");
    }

    #[test]
    fn what_may_mean_two_things_goes_by_the_file() {
        let decimal = |texts: &[&str], habits| match told(texts, habits) {
            Some(Notation::Number(notation)) => notation.parse(texts[0]),
            _ => None,
        };
        let usual = |mark| Habits { others: Some(mark), ..Habits::default() };
        assert_eq!(decimal(&["1,234"], Habits::default()), Some(1234.0));
        assert_eq!(decimal(&["1,234"], usual(Decimal::Comma)), Some(1.234));
        assert_eq!(decimal(&["1.234", "5.678"], usual(Decimal::Comma)), Some(1234.0));
        assert_eq!(decimal(&["1.5", "5.678"], usual(Decimal::Comma)), None);
        let semicolons = Habits { delimiter: Some(Decimal::Comma), ..Habits::default() };
        assert_eq!(decimal(&["1,234"], semicolons), Some(1.234));
        assert_eq!(decimal(&["1.234"], semicolons), None, "a plain number stays one");
        // What a column tells by itself comes first, unless something was asked for.
        assert_eq!(decimal(&["1,234.5"], usual(Decimal::Comma)), Some(1234.5));
        assert_eq!(decimal(&["1,234.5"], Habits { asked: Some(Decimal::Comma), ..Habits::default() }), None);
    }

    #[test]
    fn dates_are_told_by_a_day_above_twelve() {
        let order = |texts: &[&str]| match told(texts, Habits::default()) {
            Some(Notation::Date(date)) => Some(date.order),
            _ => None,
        };
        assert_eq!(order(&["2014-10-13", "2015-01-02"]), Some(Order::YearMonthDay));
        assert_eq!(order(&["20141013T000000"]), Some(Order::YearMonthDay));
        assert_eq!(order(&["03/04/2020", "13/04/2020"]), Some(Order::DayMonthYear));
        assert_eq!(order(&["03/04/2020", "04/13/2020"]), Some(Order::MonthDayYear));
        assert_eq!(order(&["03/04/2020"]), None);
        assert_eq!(order(&["2014-13-13"]), None);
        let mut written = Written::default();
        written.see("03/04/2020");
        assert_eq!(written.as_dates(None, false), Err(Undated::Ambiguous));
        let dated = written.as_dates(Some(Order::DayMonthYear), true).unwrap();
        let names: Vec<String> = dated.columns("d", vec![18355.0]).into_iter().map(|column| column.name).collect();
        assert_eq!(names, ["d.year", "d.month", "d.weekday"]);
        assert_eq!(dated.derived("d"), names);
        assert_eq!(dated.parse("03/04/2020"), Some(18355.0));
    }
}
