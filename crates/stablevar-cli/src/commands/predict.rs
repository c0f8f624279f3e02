//! `stablevar predict`

use super::{Beside, PredictedPart, check_files, predict_parts};
use crate::Ending;
use crate::args::{Format, PredictArguments};
use crate::printer::Printer;
use anyhow::{Context, bail};
use stablevar::fit::FittedModel;
use stablevar::foresight::{Calibration, PredictionInterval};
use stablevar::parameter::Fraction;
use stablevar::table::Table;
use stablevar_io::{IoError, read_model, write_rows};
use stablevar_report::text::{count, number};

pub(crate) fn run(arguments: &PredictArguments) -> anyhow::Result<Ending> {
    let printer = Printer::new(arguments.quiet);
    check_files(&[&arguments.model, &arguments.data], &[Some(&arguments.out)], Format::Human)?;
    let model = read_model(&arguments.model)?;
    let interval = arguments.interval.map(|level| interval(&model, level, &printer)).transpose()?;
    let calibration = calibration(&model, arguments.calibrate, &printer)?;
    let kept: Vec<&str> = arguments.keep.iter().map(String::as_str).collect();
    let mut names = kept.clone();
    names.extend(if model.classes.is_some() { &["prediction", "probability"][..] } else { &["prediction"] });
    names.extend(interval.iter().flat_map(|_| ["lower", "upper"]));
    if let Some(twice) = names.iter().enumerate().find(|(k, name)| names[..*k].contains(name)).map(|(_, name)| name) {
        bail!("two columns of the output would be called '{twice}'");
    }
    // What the model does not read is kept letter by letter: 007 stays 007.
    let (read, not_read): (Vec<&str>, Vec<&str>) = kept.iter().partition(|name| model.used_names().contains(name));
    let source = (arguments.data.as_path(), &arguments.input);
    let beside = Beside { as_they_are: &read, text: &not_read, needed: None };
    let mut beyond = Beyond::of(&model);
    write_rows(&arguments.out, &names, |write| {
        predict_parts(&model, source, beside, &printer, |found| -> Result<(), IoError> {
            let PredictedPart { part, mut predictions, .. } = found;
            if let Some(calibration) = &calibration {
                predictions.iter_mut().for_each(|value| *value = calibration.apply(*value));
            }
            beyond.iter_mut().for_each(|beyond| beyond.see(&predictions));
            let labels: Option<Vec<&str>> = model.classes.as_ref().map(|_| model.labels(&predictions).collect());
            for (row, value) in predictions.iter().enumerate() {
                let mut fields = kept_fields(&part.table, &kept, row);
                fields.extend(labels.as_ref().map(|labels| labels[row].to_string()));
                fields.push(value.to_string());
                fields.extend(
                    interval
                        .iter()
                        .flat_map(|around| [around.below, around.above].map(|distance| (value + distance).to_string())),
                );
                write(&fields)?;
            }
            Ok(())
        })
    })?;
    beyond.iter().flat_map(Beyond::words).for_each(|words| printer.warn(&words));
    Ok(Ending::Done)
}

/// Predictions beyond the outcomes that the model knows.
struct Beyond {
    known: (f64, f64),
    /// Whose outcomes these are.
    whose: String,
    below: usize,
    above: usize,
    found: (f64, f64),
}

impl Beyond {
    /// `None` for classes, and where the model remembers no outcomes.
    fn of(model: &FittedModel) -> Option<Self> {
        let memory = model.memory.as_ref().filter(|_| model.classes.is_none())?;
        let outcomes = || memory.outcome().iter().copied();
        let known = (outcomes().reduce(f64::min)?, outcomes().reduce(f64::max)?);
        let whose = match memory.rows() {
            all if all == model.rows => "every training outcome".into(),
            some => format!("the outcomes of all {} training rows that the model remembers", count(some)),
        };
        Some(Self { known, whose, below: 0, above: 0, found: (f64::INFINITY, f64::NEG_INFINITY) })
    }

    fn see(&mut self, predictions: &[f64]) {
        for &value in predictions {
            self.below += usize::from(value < self.known.0);
            self.above += usize::from(value > self.known.1);
            self.found = (self.found.0.min(value), self.found.1.max(value));
        }
    }

    fn words(&self) -> Vec<String> {
        let whose = &self.whose;
        let lie = |many: usize| {
            if many == 1 { "1 prediction lies".into() } else { format!("{} predictions lie", count(many)) }
        };
        let told = |many: usize, side: &str, extreme: &str, found: f64, known: f64| {
            let (lie, found, known) = (lie(many), number(found), number(known));
            (many > 0).then(|| format!("{lie} {side} {whose} ({extreme} {found}; {extreme} outcome {known})"))
        };
        let below = told(self.below, "below", "least", self.found.0, self.known.0);
        let above = told(self.above, "above", "greatest", self.found.1, self.known.1);
        below.into_iter().chain(above).collect()
    }
}

fn kept_fields(table: &Table, names: &[&str], row: usize) -> Vec<String> {
    let value = |name: &&str| table.column(name).ok().and_then(|column| column.values.text(row)).unwrap_or_default();
    names.iter().map(value).collect()
}

fn interval(model: &FittedModel, level: f64, printer: &Printer) -> anyhow::Result<PredictionInterval> {
    if model.classes.is_some() {
        bail!("--interval is for numbers: for classes the probability says how sure a prediction is");
    }
    let memory = model.memory.as_ref().context("the model remembers no training rows, so that it has no intervals")?;
    let found = memory.interval(Fraction::new("interval", level)?);
    let found = found.with_context(|| {
        format!("the {} rows that the model remembers are too few for intervals of {} %", memory.rows(), 100.0 * level)
    })?;
    printer.note(&format!(
        "lower and upper hold {} % of outcomes of rows like the training rows, by {} of them that were held out in turn; \
         whether new rows are like those, stablevar foresee tells",
        100.0 * level,
        found.rows
    ));
    Ok(found)
}

/// How the probabilities are to be mended, if that is asked for; says how far they can be taken at their word.
fn calibration(model: &FittedModel, asked: bool, printer: &Printer) -> anyhow::Result<Option<Calibration>> {
    let Some([_, second]) = &model.classes else {
        if asked {
            bail!("--calibrate is for the probabilities of classes, and the model predicts numbers");
        }
        return Ok(None);
    };
    let Some(found) = model.memory.as_ref().and_then(|memory| memory.calibration()) else {
        if asked {
            bail!("the model remembers too few training rows to calibrate its probabilities");
        }
        return Ok(None);
    };
    let (before, after) = (100.0 * found.off_by, 100.0 * found.off_by_after);
    let mended = if asked {
        format!("calibrated, they are off by {after:.1} points")
    } else if after < before {
        format!("--calibrate would make that {after:.1}")
    } else {
        "there is nothing that --calibrate would mend".into()
    };
    printer.note(&format!(
        "probability is that of '{second}': in {} training rows that were held out in turn it is off by {before:.1} points on \
         average (slope {:.2}; 1 is as sure as it may be); {mended}",
        found.rows, found.slope
    ));
    Ok(asked.then_some(found))
}
