//! How much memory there is, and how much is needed.

mod free;

use stablevar_io::TableSize;
use std::path::PathBuf;

const MEBIBYTE: u64 = 1 << 20;
/// Used where the machine does not tell what is free.
const UNKNOWN: u64 = 4 << 30;

/// A size such as `500MB`, `2GiB` or `1.5G`, in bytes.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: f64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "kb" => 1e3,
        "m" | "mib" => 1024f64.powi(2),
        "mb" => 1e6,
        "g" | "gib" => 1024f64.powi(3),
        "gb" => 1e9,
        "t" | "tib" => 1024f64.powi(4),
        "tb" => 1e12,
        other => return Err(format!("'{other}' is no unit of memory: use MB, MiB, GB, GiB, TB or TiB")),
    };
    match number.parse::<f64>() {
        Ok(number) if number > 0.0 => Ok((number * factor) as u64),
        _ => Err("give a size such as 500MB or 2GiB".into()),
    }
}

pub(crate) fn in_words(bytes: u64) -> String {
    let mebibytes = bytes as f64 / MEBIBYTE as f64;
    if mebibytes < 1024.0 { format!("{mebibytes:.0} MiB") } else { format!("{:.1} GiB", mebibytes / 1024.0) }
}

/// Half of what is free: on the machine, in the container, under the limit of the shell.
pub(crate) fn usual_limit() -> u64 {
    free::System::here().free().map_or(UNKNOWN, |free| free / 2)
}

/// What decides how much memory a fit takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Demand {
    /// The table.
    pub size: TableSize,
    /// Its columns once they are encoded.
    pub width: usize,
    /// Rows that evidence is gathered from at most; 0 without.
    pub evidence_rows: usize,
}

/// The program itself, and what is read at once.
const BASE: u64 = 48 * MEBIBYTE;
/// Numbers that evidence by regressions holds a thread and row, and rows that it looks at closely.
const FEATURES: u64 = 450;
/// Times that the rows evidence is gathered from are held: encoded, as regressions see them, in order, and parts of them.
const COPIES: u64 = 5;
const CLOSE_ROWS: u64 = 30_000;
/// Numbers that the rows a model remembers are learnt from.
const REMEMBERED: u64 = 4_000_000;
/// Sums of blocks of rows that are held at once, and matrices of the columns beside them.
const MATRICES: u64 = 32;
/// Columns of which there are such matrices even if there are fewer rows.
const WIDE: u64 = 1000;

impl Demand {
    /// What a fit in memory takes: the table, the encoded rows and some vectors as long as they are, beside the work.
    pub(crate) fn in_memory(&self) -> u64 {
        let (rows, width) = (self.size.rows, self.width as u64);
        let table = 8 * rows * self.size.columns as u64;
        let encoded = 8 * rows * (width + 1) * 5 / 4;
        BASE + self.size.held + table + encoded + 8 * 6 * rows + self.work(available_threads())
    }

    /// What a fit in chunks takes, on so many threads.
    pub(crate) fn in_chunks(&self, threads: u64) -> u64 {
        // A weight and its position in the table may be held for every row.
        BASE + self.size.held + 8 * self.size.rows + self.work(threads)
    }

    /// Sums, the rows that evidence is gathered from, and those that are remembered.
    fn work(&self, threads: u64) -> u64 {
        let (rows, width) = (self.size.rows, self.width as u64 + 1);
        let sample = rows.min(self.evidence_rows as u64);
        let evidence = COPIES * sample * width + threads * FEATURES * sample.min(CLOSE_ROWS);
        let remembered = 5 * REMEMBERED.min(rows * width) / 2;
        // Very many columns with few rows have none: a method that needs them refuses such a table.
        let matrices = if rows > width || width <= WIDE { MATRICES * width * width } else { MATRICES * width };
        // Evidence is gathered before rows are remembered.
        8 * (matrices + evidence.max(remembered))
    }

    /// As many threads as the limit allows, if it allows one.
    pub(crate) fn threads(&self, limit: u64) -> Option<u64> {
        (1..=available_threads()).rev().find(|&threads| self.in_chunks(threads) <= limit)
    }
}

fn available_threads() -> u64 {
    rayon::current_num_threads() as u64
}

/// Large temporary files have a folder of their own where that is the custom; /tmp may be memory itself.
pub(crate) fn temporary_folder() -> PathBuf {
    let usual = PathBuf::from("/var/tmp");
    if std::env::var_os("TMPDIR").is_none() && usual.is_dir() { usual } else { std::env::temp_dir() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_fit_takes_follows_the_table() {
        let demand = |rows, columns, text, width| {
            let size = TableSize { rows, columns, text, held: 0 };
            Demand { size, width, evidence_rows: 0 }
        };
        // More columns than rows are no matter; text is, by its levels.
        assert!(demand(20, 10_001, 0, 10_000).in_memory() < 200 * MEBIBYTE);
        assert!(demand(200_000, 9, 5, 448).in_memory() > 800 * MEBIBYTE);
        let large = Demand { evidence_rows: 50_000, ..demand(10_000_000, 51, 0, 50) };
        assert!(large.in_chunks(1) < 400 * MEBIBYTE && large.in_chunks(1) < large.in_chunks(8));
        assert_eq!((large.threads(1 << 20), large.threads(large.in_chunks(1))), (None, Some(1)));
    }

    #[test]
    fn sizes_are_understood() {
        assert_eq!((parse("1GiB"), parse("500 mb"), parse("1.5k")), (Ok(1 << 30), Ok(500_000_000), Ok(1536)));
        for wrong in ["", "much", "-1GB", "1 parsec", "0"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
