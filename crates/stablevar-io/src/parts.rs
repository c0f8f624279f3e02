//! Tables in several files: a folder of Parquet files, or a pattern for their names.

use crate::{IoError, Result, display};
use std::path::{Path, PathBuf};

/// The files of a folder or of a pattern like `data/part-*.parquet`, in the order of their names where `part-2` stands before
/// `part-10`; `None` for a single file or standard input.
pub(crate) fn parts(path: &Path) -> Result<Option<Vec<PathBuf>>> {
    let pattern = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (folder, pattern) = if path.is_dir() {
        (path, "*.parquet".to_string())
    } else if !path.exists() && pattern.contains(['*', '?']) {
        (path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")), pattern)
    } else {
        return Ok(None);
    };
    let fault = |source| IoError::Read { path: display(folder), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // Names that begin so are not data: they are hidden, or tell about the others.
        if !name.starts_with(['.', '_']) && matches(&pattern, &name) && entry.path().is_file() {
            found.push((natural_order(&name), entry.path()));
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(IoError::NoParts { path: display(path) });
    }
    Ok(Some(found.into_iter().map(|(_, path)| path).collect()))
}

/// Whether a name fits a pattern in which `*` stands for any letters and `?` for one.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // fits[k]: whether the pattern so far fits the first k letters.
    let mut fits = vec![false; name.len() + 1];
    fits[0] = true;
    for wanted in pattern {
        let before = fits.clone();
        fits[0] = before[0] && wanted == '*';
        for k in 0..name.len() {
            fits[k + 1] = match wanted {
                '*' => before[k + 1] || fits[k],
                '?' => before[k],
                letter => before[k] && letter == name[k],
            };
        }
    }
    fits[name.len()]
}

/// A name as it sorts: its numbers by their value.
pub fn natural_order(name: &str) -> Vec<(String, u64)> {
    let mut sorted = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let letters = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let digits = rest[letters..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - letters);
        let number = rest[letters..letters + digits].parse().unwrap_or(u64::MAX);
        sorted.push((rest[..letters].to_string(), number));
        rest = &rest[letters + digits..];
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names() {
        assert!(matches("part-*.parquet", "part-12.parquet") && matches("*", "x") && matches("a?c*", "abc"));
        assert!(!matches("part-*.parquet", "part-12.csv") && !matches("a?c", "ac") && !matches("", "x"));
    }

    #[test]
    fn numbers_sort_by_value() {
        let mut names = ["part.10.parquet", "part.9.parquet", "a1b2", "a1b10", "part.9.b"];
        names.sort_by_key(|name| natural_order(name));
        assert_eq!(names, ["a1b2", "a1b10", "part.9.b", "part.9.parquet", "part.10.parquet"]);
    }
}
