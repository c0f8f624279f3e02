//! `--memory` is kept: no fit takes more than 1.1 times the limit and 64 MiB, whatever the table.
//!
//! Two fits here; `make memory` does every method that streams on five kinds of tables, by STABLEVAR_LONG.
#![cfg(target_os = "linux")]

use crate::common::Folder;
use stablevar::table::{Column, Table, TextValues, Values};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A number between -1 and 1 that looks like chance.
fn chance(row: usize, column: usize) -> f64 {
    let mut bits = (row as u64 * 31 + column as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((bits >> 11) as f64) / (1u64 << 52) as f64 - 1.0
}

fn numbers(rows: usize, columns: usize) -> Vec<Column<'static>> {
    let column = |k: usize| Values::Number((0..rows).map(|row| chance(row, k)).collect::<Vec<f64>>().into());
    (0..columns).map(|k| Column { name: format!("x{k}"), values: column(k) }).collect()
}

/// The columns with an outcome that follows two of them.
fn with_outcome(mut columns: Vec<Column<'static>>, rows: usize, classes: bool) -> Table<'static> {
    let sum = |row: usize| chance(row, 0) + 0.5 * chance(row, 1) + chance(row, 99);
    let outcome = |row: usize| if classes { f64::from(u8::from(sum(row) > 0.0)) } else { sum(row) };
    let values = Values::Number((0..rows).map(outcome).collect::<Vec<f64>>().into());
    columns.push(Column { name: "y".into(), values });
    Table::new(columns).unwrap()
}

/// Writes a table of a kind and gives its file.
fn table(folder: &Folder, kind: &str, classes: bool, scale: usize) -> String {
    let rows = 100_000 * scale;
    let (name, columns) = match kind {
        "numbers" => ("numbers.parquet", numbers(2 * rows, 20)),
        "text" => {
            let mut columns = numbers(rows, 3);
            for k in 0..3 {
                let levels: Vec<String> = (0..60).map(|level| format!("level {level}")).collect();
                let level = |row: usize| Some(levels[((chance(row, 10 + k) + 1.0) * 29.9) as usize].as_str());
                let values = Values::Text(TextValues::collect((0..rows).map(level)));
                columns.push(Column { name: format!("t{k}"), values });
            }
            ("text.parquet", columns)
        }
        "digits" | "missing" => {
            let digit = |row: usize, k: usize| match kind == "missing" && (row + k).is_multiple_of(9) {
                true => f64::NAN,
                false => (4.0 * chance(row, k)).round(),
            };
            let column = |k: usize| Values::Number((0..2 * rows).map(|row| digit(row, k)).collect::<Vec<f64>>().into());
            let columns = (0..12).map(|k| Column { name: format!("x{k}"), values: column(k) }).collect();
            (if kind == "missing" { "missing.csv" } else { "digits.csv" }, columns)
        }
        _ => ("wide.parquet", numbers(rows / 2, 120)),
    };
    let rows = columns[0].values.len();
    stablevar_io::write_table(&folder.path(name), &with_outcome(columns, rows, classes)).unwrap();
    name.into()
}

/// The most memory that a command took, in mebibytes, and what it said.
fn peak(folder: &Folder, arguments: &[&str]) -> (f64, String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stablevar"));
    command.current_dir(folder.path("")).args(arguments).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (status, mut most) = (format!("/proc/{}/status", child.id()), 0.0f64);
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        most = most.max(kibibytes.unwrap_or(0.0) / 1024.0);
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    (most, String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
}

/// Fits under the least limit that is not refused, and some above it.
fn keeps(folder: &Folder, file: &str, method: &[&str]) {
    let fit = |memory: &str| {
        let missing = ["--missing", "mean"];
        peak(folder, &[&["fit", file, "--target", "y", "--memory", memory], method, &missing].concat())
    };
    let (_, said, code) = fit("8MiB");
    assert_eq!(code, Some(1), "{file} {method:?}: {said}");
    let told = said.split("takes about ").nth(1).unwrap_or_else(|| panic!("{file} {method:?}: {said}"));
    let (size, unit) = told.split_once(' ').unwrap();
    let least: f64 = size.parse::<f64>().unwrap() * if unit.starts_with("GiB") { 1024.0 } else { 1.0 } + 1.0;
    let limit = if unit.starts_with("GiB") { least + 52.0 } else { least };
    let (most, said, code) = fit(&format!("{limit}MiB"));
    let in_chunks = said.contains("read in chunks");
    println!(
        "{file} {method:?}: peak {most:.0} MiB under {limit:.0} MiB{}",
        if in_chunks { ", in chunks" } else { "" }
    );
    assert!(matches!(code, Some(0 | 3)), "{file} {method:?}: {said}");
    assert!(most <= 1.1 * limit + 64.0, "{file} {method:?}: {most} MiB under {limit} MiB");
}

#[test]
fn the_limit_is_kept() {
    let folder = Folder::new();
    let file = table(&folder, "text", false, 1);
    keeps(&folder, &file, &["--method", "ols"]);
    let file = table(&folder, "digits", false, 1);
    keeps(&folder, &file, &["--evidence", "none"]);
}

#[test]
fn the_limit_is_kept_by_every_method_that_streams() {
    if std::env::var_os("STABLEVAR_LONG").is_none() {
        return;
    }
    let methods: [(&[&str], bool); 7] = [
        (&["--method", "svi"], false),
        (&["--method", "svi", "--evidence", "none"], false),
        (&["--method", "svi-d"], false),
        (&["--method", "stg"], false),
        (&["--method", "dwr", "--reweighter", "balance"], false),
        (&["--method", "ols"], false),
        (&["--method", "logistic"], true),
    ];
    for kind in ["numbers", "text", "digits", "missing", "wide"] {
        for classes in [false, true] {
            let folder = Folder::new();
            let file = table(&folder, kind, classes, 2);
            methods.iter().filter(|method| method.1 == classes).for_each(|method| keeps(&folder, &file, method.0));
        }
    }
}
