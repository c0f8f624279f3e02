//! Columns that name or count rows instead of measuring something.

use super::Roles;
use crate::finding::{Code, Finding};
use crate::table::{Numbers, Table, Values};
use serde::{Deserialize, Serialize};

/// Fewer rows may rise one after the other by chance, or since they were sorted by what they measure.
const LEAST_ROWS: usize = 100;
/// The least number of rows where also the name says so.
const LEAST_NAMED: usize = 20;

/// What tells identifiers among the numbers of a table; parts of it can be looked at one by one.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Identifiers {
    columns: Vec<Counted>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Counted {
    name: String,
    rows: usize,
    ends: Option<(f64, f64)>,
    /// The least and the largest; `None` for a part without values.
    range: Option<(f64, f64)>,
    /// Whether all are whole numbers.
    whole: bool,
    rising: bool,
    falling: bool,
}

impl Identifiers {
    /// Looks at a part of a table.
    pub fn of(table: &Table, roles: &Roles) -> Self {
        let own = |name: &String| {
            let served = [&roles.target, &roles.weight_column, &roles.environment, &roles.group];
            served.iter().all(|role| role.as_ref() != Some(name)) && !roles.exclude.contains(name)
        };
        let counted = table.columns().iter().filter(|column| own(&column.name)).filter_map(|column| {
            let Values::Number(numbers) = &column.values else { return None };
            Some(Counted::of(&column.name, numbers))
        });
        Self { columns: counted.collect() }
    }

    /// Both together, the first before the second.
    pub fn merge(self, next: Self) -> Self {
        let columns = self.columns.into_iter().zip(next.columns).map(|(first, second)| first.merge(second));
        Self { columns: columns.collect() }
    }

    /// The columns that look like identifiers.
    pub fn findings(&self) -> Vec<Finding> {
        let found = self.columns.iter().filter(|column| column.is_identifier());
        found.map(|column| Finding::new(Code::Identifier).about([&column.name])).collect()
    }
}

impl Counted {
    fn of(name: &str, numbers: &Numbers) -> Self {
        let mut found =
            Self { name: name.to_string(), rows: 0, ends: None, range: None, whole: true, rising: true, falling: true };
        for value in numbers.iter().filter(|value| value.is_finite()) {
            let (first, last) = found.ends.unwrap_or((value, value));
            found.rising &= found.rows == 0 || value > last;
            found.falling &= found.rows == 0 || value < last;
            found.whole &= value.fract() == 0.0;
            let (least, largest) = found.range.unwrap_or((value, value));
            found.range = Some((least.min(value), largest.max(value)));
            found.ends = Some((first, value));
            found.rows += 1;
            if !found.whole {
                break;
            }
        }
        found
    }

    fn merge(self, next: Self) -> Self {
        let between = |fits: fn(f64, f64) -> bool| match (self.ends, next.ends) {
            (Some((_, last)), Some((first, _))) => fits(last, first),
            _ => true,
        };
        Self {
            rising: self.rising && next.rising && between(|last, first| first > last),
            falling: self.falling && next.falling && between(|last, first| first < last),
            whole: self.whole && next.whole,
            rows: self.rows + next.rows,
            range: match (self.range, next.range) {
                (Some(own), Some(next)) => Some((own.0.min(next.0), own.1.max(next.1))),
                (own, next) => own.or(next),
            },
            ends: self.ends.zip(next.ends).map(|(own, next)| (own.0, next.1)).or(self.ends).or(next.ends),
            name: self.name,
        }
    }

    /// Whole numbers that count up or down from row to row, or that bear such a name and could be all different.
    fn is_identifier(&self) -> bool {
        let counts = (self.rising || self.falling) && self.rows >= LEAST_ROWS;
        let named = is_called_so(&self.name) && self.rows >= LEAST_NAMED;
        self.whole
            && (counts || named && self.range.is_some_and(|(least, largest)| largest - least + 1.0 >= self.rows as f64))
    }
}

/// Whether a name says that a column names rows: `id`, `house_id`, `customerId`.
fn is_called_so(name: &str) -> bool {
    let lower = name.trim().to_lowercase();
    let whole = ["id", "uuid", "guid", "index", "idx", "row", "rownum", "row_number", "key", "unnamed: 0"];
    let parted = ["_id", " id", "-id", ".id", "_key", "_idx"];
    let joined =
        |ending: &str| name.strip_suffix(ending).is_some_and(|before| before.ends_with(|c: char| c.is_lowercase()));
    whole.contains(&lower.as_str())
        || parted.iter().any(|ending| lower.ends_with(ending))
        || joined("Id")
        || joined("ID")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_rows_is_pointed_out_in_one_part_and_in_many() {
        let column = |value: &dyn Fn(usize) -> f64| (0..120).map(value).collect::<Vec<f64>>();
        let table = Table::from_numbers([
            ("counted", column(&|k| 7.0 + 2.0 * k as f64)),
            ("house_id", column(&|k| (7919 * k % 10_007) as f64)),
            ("few_id", column(&|k| (k % 5) as f64)),
            ("width", column(&|k| (7919 * k % 10_007) as f64)),
            ("sorted", column(&|k| k as f64 / 3.0)),
            ("backwards", column(&|k| -(k as f64))),
            ("y", column(&|k| k as f64)),
        ])
        .unwrap();
        let names = |found: &Identifiers| {
            found.findings().into_iter().flat_map(|finding| finding.variables).collect::<Vec<String>>()
        };
        let roles = Roles::target("y");
        let wanted = ["counted", "house_id", "backwards"];
        assert_eq!(names(&Identifiers::of(&table, &roles)), wanted);
        let part = |rows: std::ops::Range<usize>| Identifiers::of(&table.keep_rows(&rows.collect::<Vec<_>>()), &roles);
        assert_eq!(names(&part(0..50).merge(part(50..50)).merge(part(50..120))), wanted);
        assert_eq!(names(&part(50..120).merge(part(0..50))), ["house_id"]);
    }

    #[test]
    fn names_say_so() {
        assert!(["id", "ID", "House_ID", "customerId", "Unnamed: 0"].iter().all(|name| is_called_so(name)));
        assert!(["width", "paid", "grid", "candid", "idle", "age"].iter().all(|name| !is_called_so(name)));
    }
}
