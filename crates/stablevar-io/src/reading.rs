//! Input as it comes: which columns of a table are read, and what their texts stand for.

use crate::{IoError, Result};
use stablevar::error::Error;
use stablevar::notation::{Decimal, Habits, Notation, Order, Reading, Undated, Written};
use stablevar::wording::Wording;
use std::collections::BTreeMap;

/// How to read a table.
///
/// Lists of columns may hold names, and names joined by commas (unless a column bears that very name).
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Columns to pass over; each must exist.
    pub skip: Vec<String>,
    /// Pass over all columns but these, if there are any; each must exist.
    pub keep: Vec<String>,
    /// Columns that hold text even if their values look like numbers.
    pub text: Vec<String>,
    /// Columns that hold dates: `name`, or `name=` with `parts`, with an order (`dmy`, `mdy`, `ymd`), or with both as in
    /// `parts-dmy`.
    pub dates: Vec<String>,
    /// Pass over all columns but these; they need not exist.
    pub only: Option<Vec<String>>,
    /// What separates the fields of a CSV file, if it is not to be found out.
    pub delimiter: Option<u8>,
    /// The decimal mark, where texts may mean two things.
    pub decimal: Option<Decimal>,
    /// How columns were written in a table that this one is to be read like.
    pub known: Reading,
}

/// What is to become of a column of dates.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct DateWish {
    order: Option<Order>,
    parts: bool,
}

/// How a table with these columns is read.
pub(crate) struct Plan {
    options: ReadOptions,
    dates: BTreeMap<String, DateWish>,
    /// All columns, used or not.
    pub names: Vec<String>,
    /// How texts are read, once that is known.
    pub reading: Reading,
    /// For each of those a value as it stands in the table.
    pub examples: BTreeMap<String, String>,
    /// Columns with texts that are missing values only among numbers: the first of these texts, and how many there are.
    absent: BTreeMap<String, (String, u64)>,
}

impl Plan {
    /// Takes lists of columns apart and checks that those exist that must.
    pub(crate) fn new(options: &ReadOptions, path: &str, names: Vec<String>) -> Result<Self> {
        let unknown = |column: String| IoError::Table {
            path: path.into(),
            source: Error::UnknownColumn { column, available: names.clone() },
        };
        let mut options = options.clone();
        for list in [&mut options.skip, &mut options.keep, &mut options.text] {
            *list = list.iter().flat_map(|given| apart(given, &names)).collect();
        }
        let must_exist = options.skip.iter().chain(&options.keep);
        if let Some(missing) = must_exist.clone().find(|name| !names.contains(name)) {
            return Err(unknown(missing.clone()));
        }
        let mut dates = BTreeMap::new();
        for given in &options.dates {
            for one in if names.contains(given) { vec![given.clone()] } else { apart(given, &names) } {
                let (name, wish) = date_wish(&one, &names)?;
                if !names.contains(&name) {
                    return Err(unknown(name));
                }
                dates.insert(name, wish);
            }
        }
        Ok(Self { options, dates, names, reading: Reading::new(), examples: BTreeMap::new(), absent: BTreeMap::new() })
    }

    pub(crate) fn skips(&self, name: &String) -> bool {
        let ReadOptions { skip, keep, only, known, .. } = &self.options;
        let wanted = |only: &Vec<String>| {
            let parts = known.get(name).map_or(Vec::new(), |notation| notation.derived(name));
            only.contains(name) || parts.iter().any(|part| only.contains(part))
        };
        skip.contains(name)
            || !keep.is_empty() && !keep.contains(name)
            || only.as_ref().is_some_and(|only| !wanted(only))
    }

    pub(crate) fn is_text(&self, name: &String) -> bool {
        self.options.text.contains(name)
    }

    /// The columns that hold text whatever it looks like.
    pub(crate) fn categories(&self) -> &[String] {
        &self.options.text
    }

    /// Names of columns that were given one by one or as lists.
    pub(crate) fn named(&self, given: &[String]) -> Vec<String> {
        given.iter().flat_map(|given| apart(given, &self.names)).collect()
    }

    /// Whether the values of a column are to be dates.
    pub(crate) fn is_dated(&self, name: &str) -> bool {
        self.dates.contains_key(name)
    }

    /// How a column was written in the table that this one is read like.
    pub(crate) fn known(&self, name: &str) -> Option<&Notation> {
        self.options.known.get(name)
    }

    /// The notation of a column that is to be dates.
    pub(crate) fn asked_date(&self, path: &str, name: &str, written: &Written) -> Result<Option<Notation>> {
        let Some(wish) = self.dates.get(name) else { return Ok(None) };
        written.as_dates(wish.order, wish.parts).map(Some).map_err(|why| IoError::NotDates {
            path: path.into(),
            column: name.into(),
            value: written.undated_example().into(),
            ambiguous: why == Undated::Ambiguous,
        })
    }

    /// Whether dates of a column that holds nothing else are to be taken apart.
    pub(crate) fn takes_apart(&self, name: &str) -> bool {
        match (self.dates.get(name), self.known(name)) {
            (Some(wish), _) => wish.parts,
            (None, Some(Notation::Date(date))) => date.parts,
            _ => false,
        }
    }

    /// What texts mean that may mean two things, from what all columns tell and from what separates them.
    pub(crate) fn habits<'a>(&self, seen: impl Iterator<Item = &'a Written>, delimiter: Option<u8>) -> Habits {
        let mut told = seen.filter_map(Written::decimal);
        let first = told.next();
        let others = first.filter(|first| told.all(|next| next == *first));
        Habits { asked: self.options.decimal, others, delimiter: (delimiter == Some(b';')).then_some(Decimal::Comma) }
    }

    /// Notes how a column is read.
    pub(crate) fn note(&mut self, name: &str, notation: Notation, example: &str) {
        self.reading.insert(name.into(), notation);
        self.examples.insert(name.into(), example.into());
    }

    /// Notes that texts of a column are missing values since all others are numbers or dates.
    pub(crate) fn note_absent(&mut self, name: &str, example: &str, count: u64) {
        self.absent.insert(name.into(), (example.into(), count));
    }

    /// Names of the columns that the table has once it is read.
    pub(crate) fn columns(&self) -> Vec<String> {
        let used = self.names.iter().filter(|name| !self.skips(name));
        used.flat_map(|name| match self.reading.get(name) {
            Some(notation) => notation.derived(name),
            None => vec![name.clone()],
        })
        .collect()
    }

    /// In words how texts are read, where the table that this one is read like does not say so.
    pub(crate) fn told(&self, wording: &dyn Wording) -> Vec<String> {
        let new = self.reading.iter().filter(|(name, notation)| self.known(name) != Some(notation));
        let read = new.map(|(name, notation)| {
            let example = &self.examples[name];
            let value = notation.parse(example).filter(|_| !self.takes_apart(name));
            let shown = value.map_or(String::new(), |value| format!(" ('{example}' is {value})"));
            let otherwise = match notation {
                Notation::Number(_) => format!("{} keeps its texts", wording.setting("category", Some(name))),
                Notation::Date(date) if date.parts => return format!("'{name}' is read as {}", notation.in_words()),
                Notation::Date(_) => format!(
                    "{} takes year, month and weekday, {} leaves it out",
                    wording.setting("date", Some(&format!("{name}=parts"))),
                    wording.setting("exclude", Some(name))
                ),
            };
            format!("'{name}' is read as {}{shown}; {otherwise}", notation.in_words())
        });
        let absent = self.absent.iter().map(|(name, (example, count))| {
            let values = if *count == 1 { "1 value" } else { &format!("{count} values") };
            let otherwise = wording.setting("category", Some(name));
            format!("'{name}': '{example}' among numbers is read as missing ({values}); when fitting, {otherwise} keeps texts")
        });
        read.chain(absent).collect()
    }
}

/// Names joined by commas; a name that has one itself stays whole.
fn apart(given: &str, names: &[String]) -> Vec<String> {
    if names.iter().any(|name| name == given) || !given.contains(',') {
        return vec![given.to_string()];
    }
    given.split(',').map(|name| name.trim().to_string()).filter(|name| !name.is_empty()).collect()
}

fn date_wish(given: &str, names: &[String]) -> Result<(String, DateWish)> {
    let whole = (given.to_string(), DateWish::default());
    if names.contains(&whole.0) {
        return Ok(whole);
    }
    let Some((name, how)) = given.rsplit_once('=') else { return Ok(whole) };
    let mut wish = DateWish::default();
    for word in how.split('-') {
        match (word, Order::named(word)) {
            ("parts", _) => wish.parts = true,
            (_, Some(order)) => wish.order = Some(order),
            _ => return Err(IoError::DateWish { given: given.into(), word: word.into() }),
        }
    }
    Ok((name.to_string(), wish))
}
