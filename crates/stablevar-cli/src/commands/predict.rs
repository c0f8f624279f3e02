//! `stablevar predict`

use super::{Beside, check_files, predict_parts};
use crate::Ending;
use crate::args::{Format, PredictArguments};
use crate::printer::Printer;
use stablevar_io::{IoError, read_model, write_rows};

pub(crate) fn run(arguments: &PredictArguments) -> anyhow::Result<Ending> {
    let printer = Printer::new(arguments.quiet);
    check_files(&[&arguments.model, &arguments.data], &[Some(&arguments.out)], Format::Human)?;
    let model = read_model(&arguments.model)?;
    let names: &[&str] = if model.classes.is_some() { &["prediction", "probability"] } else { &["prediction"] };
    write_rows(&arguments.out, names, |write| {
        let source = (arguments.data.as_path(), &arguments.input);
        predict_parts(&model, source, Beside::default(), &printer, |_, predictions| -> Result<(), IoError> {
            if model.classes.is_none() {
                return predictions.iter().try_for_each(|value| write(&[value.to_string()]));
            }
            let mut rows = model.labels(&predictions).zip(&predictions);
            rows.try_for_each(|(label, probability)| write(&[label.to_string(), probability.to_string()]))
        })
    })?;
    Ok(Ending::Done)
}
