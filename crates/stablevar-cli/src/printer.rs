//! The one place that prints.

use crate::args::Options;
use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use stablevar::Error;
use stablevar_io::IoError;
use stablevar_io::tame::{tame, tame_json, tame_line};
use std::io::{IsTerminal, Write};

/// A line on standard error. That nobody can read it is no reason to lose the work.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", tame(text));
}

/// A line on standard output, as it is.
fn put(text: &str) -> anyhow::Result<()> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        // Whoever reads our output has seen enough, as `head` does.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        outcome => Ok(outcome.map_err(|source| IoError::Write { path: "standard output".into(), source })?),
    }
}

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

    /// A line of results.
    pub(crate) fn line(&self, text: &str) -> anyhow::Result<()> {
        put(&tame(text))
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
        let text = table.trim_fmt();
        self.line(&text)
    }

    /// A counter on standard error; invisible when quiet or when that is not a terminal.
    pub(crate) fn counter(&self, what: &'static str) -> ProgressBar {
        if self.quiet || !std::io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{human_pos} {msg} {elapsed}").ok();
        let bar = ProgressBar::new_spinner().with_message(what);
        style.into_iter().for_each(|style| bar.set_style(style));
        bar
    }

    /// A bar on standard error; invisible when quiet or when that is not a terminal.
    pub(crate) fn progress(&self, length: usize, what: &str) -> ProgressBar {
        if self.quiet || !std::io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new(length as u64);
        if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} {elapsed}, about {eta} left") {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(what.to_string());
        bar.enable_steady_tick(std::time::Duration::from_millis(120));
        bar
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
