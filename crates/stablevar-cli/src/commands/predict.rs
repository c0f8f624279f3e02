//! `stablevar predict`

use super::read_for_model;
use crate::Ending;
use crate::args::PredictArguments;
use crate::printer::Printer;
use stablevar_io::{read_model, write_columns};

pub(crate) fn run(arguments: &PredictArguments) -> anyhow::Result<Ending> {
    let printer = Printer::new(arguments.quiet);
    let model = read_model(&arguments.model)?;
    let (_, design) = read_for_model(&model, &arguments.data, &[], &printer)?;
    let predictions = model.model.predict(&design);
    write_columns(&arguments.out, &["prediction"], predictions.iter().map(|value| vec![value.to_string()]))?;
    Ok(Ending::Done)
}
