//! `stablevar report`

use crate::Ending;
use crate::args::ReportArguments;
use crate::printer::Printer;
use crate::render::report;
use stablevar_io::{read_model, write_whole};

pub(crate) fn run(arguments: &ReportArguments) -> anyhow::Result<Ending> {
    let model = read_model(&arguments.model)?;
    write_whole(&arguments.out, |writer| writer.write_all(report::page(&model, None).as_bytes()))?;
    Printer::new(arguments.quiet).note(&format!("report written to {}", arguments.out.display()));
    Ok(Ending::Done)
}
