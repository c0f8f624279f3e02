//! `stablevar predict`

use super::predict_rows;
use crate::Ending;
use crate::args::PredictArguments;
use crate::printer::Printer;
use stablevar_io::{read_model, write_columns};

pub(crate) fn run(arguments: &PredictArguments) -> anyhow::Result<Ending> {
    let printer = Printer::new(arguments.quiet);
    let model = read_model(&arguments.model)?;
    let (_, predictions) = predict_rows(&model, &arguments.data, &[], &[], &printer)?;
    match model.classes {
        None => {
            write_columns(&arguments.out, &["prediction"], predictions.iter().map(|value| vec![value.to_string()]))?
        }
        Some(_) => {
            let rows = model.labels(&predictions).zip(&predictions);
            let lines = rows.map(|(label, probability)| vec![label.to_string(), probability.to_string()]);
            write_columns(&arguments.out, &["prediction", "probability"], lines)?;
        }
    }
    Ok(Ending::Done)
}
