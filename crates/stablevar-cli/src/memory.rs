//! How much memory there is, and how much is needed.

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

/// Half of what is free.
pub(crate) fn usual_limit() -> u64 {
    let free = || {
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kibibytes| 1024 * kibibytes)
    };
    free().map_or(UNKNOWN, |free| free / 2)
}

/// What a fit in memory takes for a table of this size: the table and the encoded rows, and some vectors as long as the table.
pub(crate) fn needed(table: u64) -> u64 {
    table / 2 * 5 + 64 * MEBIBYTE
}

/// What reading in chunks takes at least: the program, sums of every block, and the sample that evidence is gathered from.
pub(crate) fn least(columns: usize, evidence_rows: usize) -> u64 {
    let (columns, rows) = (columns as u64, evidence_rows as u64);
    128 * MEBIBYTE + 8 * (64 * columns * columns + 5 * rows * columns)
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
    fn sizes_are_understood() {
        assert_eq!((parse("1GiB"), parse("500 mb"), parse("1.5k")), (Ok(1 << 30), Ok(500_000_000), Ok(1536)));
        for wrong in ["", "much", "-1GB", "1 parsec", "0"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
