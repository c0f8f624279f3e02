//! `stablevar report`

use crate::Ending;
use crate::args::ReportArguments;
use crate::printer::Printer;
use stablevar_io::{read_model, write_whole};
use stablevar_report::model_page;

pub(crate) fn run(arguments: &ReportArguments) -> anyhow::Result<Ending> {
    let model = read_model(&arguments.model)?;
    write_whole(&arguments.out, |writer| writer.write_all(model_page::page(&model, None).as_bytes()))?;
    Printer::new(arguments.quiet).note(&format!("report written to {}", arguments.out.display()));
    Ok(Ending::Done)
}
