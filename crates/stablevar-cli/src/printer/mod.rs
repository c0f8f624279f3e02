//! The one place that prints.

mod progress;

use crate::args::Options;
use comfy_table::{CellAlignment, Table, presets};
use progress::Progress;
use stablevar::Error;
use stablevar_io::IoError;
use stablevar_io::tame::{tame, tame_json, tame_line};
use stablevar_report::text::labels;
use std::io::{IsTerminal, Write};
#[cfg(unix)]
use std::os::fd::AsFd as AsTerminal;
#[cfg(windows)]
use std::os::windows::io::AsHandle as AsTerminal;
use terminal_size::terminal_size_of;

/// A line on standard error, wrapped where a person reads it: programs look for whole sentences. That nobody can read it is no
/// reason to lose the work.
fn say(text: &str) {
    let text = tame(text);
    let text = if std::io::stderr().is_terminal() { wrapped(&text, room(std::io::stderr())) } else { text };
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Letters of a line there.
fn room(stream: impl AsTerminal) -> usize {
    terminal_size_of(stream).map_or(WIDTH, |(width, _)| usize::from(width.0))
}

/// The text with lines that are too long broken between words, what follows set in.
fn wrapped(text: &str, room: usize) -> String {
    let letters = |text: &str| text.chars().count();
    let wrap = |line: &str| {
        // A row of a Markdown table is no prose.
        if letters(line) <= room || line.starts_with('|') {
            return line.to_string();
        }
        let indent = line.len() - line.trim_start().len();
        let mut lines = vec![" ".repeat(indent)];
        for word in line.split_whitespace() {
            match lines.last_mut() {
                Some(last) if last.trim().is_empty() => last.push_str(word),
                Some(last) if letters(last) + 1 + letters(word) <= room => {
                    last.push(' ');
                    last.push_str(word);
                }
                _ => lines.push(format!("{}{word}", " ".repeat(indent + 2))),
            }
        }
        lines.join("\n")
    };
    text.split('\n').map(wrap).collect::<Vec<String>>().join("\n")
}

/// A line on standard output, as it is.
fn put(text: &str) -> anyhow::Result<()> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        // Whoever reads our output has seen enough, as `head` does.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        outcome => Ok(outcome.map_err(|source| IoError::Write { path: "standard output".into(), source })?),
    }
}

/// Letters of a line where that is not a terminal's.
const WIDTH: usize = 80;
/// Letters that names may take before a column has to go, where they are columns' and where they say how something was done, and
/// those that they keep in any case.
const NAME: usize = 20;
const LONG_NAME: usize = 40;
const SHORTEST_NAME: usize = 12;

/// Prints results to standard output and everything else to standard error.
pub(crate) struct Printer {
    quiet: bool,
}

impl Printer {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { quiet }
    }

    /// Something worth knowing; not a result.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            say(text);
        }
    }

    /// Something to worry about; shown even when quiet.
    pub(crate) fn warn(&self, text: &str) {
        say(&format!("warning: {text}"));
    }

    /// A line of results, or several where there is no room for one.
    pub(crate) fn line(&self, text: &str) -> anyhow::Result<()> {
        put(&wrapped(&tame(text), room(std::io::stdout())))
    }

    /// The one JSON object of `--format json`.
    pub(crate) fn json(&self, value: &serde_json::Value) -> anyhow::Result<()> {
        put(&tame_json(&serde_json::to_string_pretty(value)?))
    }

    /// A table of results, its first column to the left and the others to the right.
    pub(crate) fn table(&self, header: &[&str], rows: &[Vec<String>]) -> anyhow::Result<()> {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_header(header.iter().copied());
        for row in rows {
            table.add_row(row.iter().map(|cell| tame_line(cell)));
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        put(&tame(&table.trim_fmt()))
    }

    /// The same in the room there is: expendable columns go, the first named first, then names are cut in their middle. Gives the
    /// headings that are shown.
    pub(crate) fn table_that_fits<'h>(
        &self,
        header: &[&'h str],
        rows: &[Vec<String>],
        expendable: &[&str],
    ) -> anyhow::Result<Vec<&'h str>> {
        self.fitting(header, rows, expendable, NAME)
    }

    /// The same where long names tell more than expendable columns.
    pub(crate) fn table_of_long_names(
        &self,
        header: &[&str],
        rows: &[Vec<String>],
        expendable: &[&str],
    ) -> anyhow::Result<()> {
        self.fitting(header, rows, expendable, LONG_NAME).map(|_| ())
    }

    fn fitting<'h>(
        &self,
        header: &[&'h str],
        rows: &[Vec<String>],
        expendable: &[&str],
        name_room: usize,
    ) -> anyhow::Result<Vec<&'h str>> {
        // What is written out takes more room than it did.
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| tame_line(cell)).collect()).collect();
        let room = room(std::io::stdout());
        let letters = |text: &str| text.chars().count();
        let widest = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| letters(cell));
            cells.chain([letters(header[column])]).max().unwrap_or(0)
        };
        let mut kept: Vec<usize> = (1..header.len()).collect();
        // A blank stands on either side of every column.
        let others = |kept: &[usize]| kept.iter().map(|&column| widest(column) + 2).sum::<usize>();
        for name in expendable {
            if others(&kept) + widest(0).min(name_room) + 2 > room {
                kept.retain(|&column| header[column] != *name);
            }
        }
        let most = room.saturating_sub(others(&kept) + 2).max(SHORTEST_NAME);
        let names = labels(rows.iter().map(|row| row.first().map_or("", String::as_str)), most);
        let pick = |first: String, row: &dyn Fn(usize) -> String| {
            std::iter::once(first).chain(kept.iter().map(|&column| row(column))).collect::<Vec<String>>()
        };
        let cell = |row: &[String], column: usize| row.get(column).cloned().unwrap_or_default();
        let rows: Vec<Vec<String>> =
            rows.iter().zip(names).map(|(row, name)| pick(name, &|column| cell(row, column))).collect();
        let header: Vec<&'h str> =
            std::iter::once(header[0]).chain(kept.iter().map(|&column| header[column])).collect();
        self.table(&header, &rows)?;
        Ok(header)
    }

    /// A counter on standard error: on a terminal it moves, elsewhere lines tell of work that takes long.
    pub(crate) fn counter(&self, what: &'static str) -> Progress {
        match (self.quiet, std::io::stderr().is_terminal()) {
            (true, _) => Progress::hidden(),
            (false, true) => Progress::counter(what),
            (false, false) => Progress::lines(0, what),
        }
    }

    /// The same with a known end.
    pub(crate) fn progress(&self, length: usize, what: &str) -> Progress {
        match (self.quiet, std::io::stderr().is_terminal()) {
            (true, _) => Progress::hidden(),
            (false, true) => Progress::bar(length, what),
            (false, false) => Progress::lines(length, what),
        }
    }
}

/// An error with its hint.
pub(crate) fn print_error(error: &anyhow::Error) {
    let worded = error.chain().find_map(|cause| {
        let of_file = cause.downcast_ref::<IoError>().map(|error| (error.message(&Options), error.hint(&Options)));
        of_file.or_else(|| cause.downcast_ref::<Error>().map(|error| (error.message(&Options), error.hint(&Options))))
    });
    let (message, hint) = worded.unwrap_or_else(|| (error.to_string(), None));
    say(&format!("error: {message}"));
    if let Some(hint) = hint {
        say(&format!("  hint: {hint}"));
    }
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn long_lines_are_broken_between_words_and_short_ones_stay_as_they_are() {
        assert_eq!(wrapped("a  b\nfour five six", 9), "a  b\nfour five\n  six");
        assert_eq!(wrapped("  one two", 6), "  one\n    two");
        assert_eq!(wrapped("| one | two |", 6), "| one | two |");
        assert_eq!(wrapped("unbreakable word", 4), "unbreakable\n  word");
    }
}
