//! What a shell needs: completions and manual pages.

use crate::Ending;
use crate::args::{Arguments, CompletionsArguments, ManualArguments};
use crate::printer::Printer;
use clap::{Command, CommandFactory};
use stablevar_io::{IoError, write_whole};

pub(crate) fn completions(arguments: &CompletionsArguments) -> anyhow::Result<Ending> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "stablevar", &mut script);
    Printer::new(true).line(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Ending::Done)
}

pub(crate) fn manual(arguments: &ManualArguments) -> anyhow::Result<Ending> {
    let folder = &arguments.out;
    std::fs::create_dir_all(folder).map_err(|source| IoError::Write { path: folder.display().to_string(), source })?;
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    let count = write_page(&program, folder)?;
    Printer::new(arguments.quiet).note(&format!("{count} pages written to {}", folder.display()));
    Ok(Ending::Done)
}

/// A page for a command and for each of its own.
fn write_page(command: &Command, folder: &std::path::Path) -> anyhow::Result<usize> {
    let manual = clap_mangen::Man::new(command.clone());
    let mut page = Vec::new();
    manual.render(&mut page)?;
    write_whole(&folder.join(manual.get_filename()), |writer| writer.write_all(&page))?;
    command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set())
        .try_fold(1, |count, inner| Ok(count + write_page(inner, folder)?))
}
