//! A whole method under stress: everything is done anew, selection and all, without every part of the rows it is judged by.

use super::judging::{Figures, HeldOut, Losses};
use super::{plain_outputs, rows_for_stress};
use crate::design::TrainingData;
use crate::error::{Error, Result};
use crate::models::Model;
use crate::passes::RowSource;
use crate::threads;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Fits a whole method to some rows.
pub type FitAnew<'a> = &'a (dyn Fn(&TrainingData) -> Result<Model> + Sync);

/// How a method does that was fitted anew, selection and all, without every part of the rows it is judged by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Honest {
    /// Regions that were held out, those of the strongest variables.
    pub regions: usize,
    /// How it did.
    #[serde(flatten)]
    pub figures: Figures,
}

/// The losses of a method that is fitted anew without every part. `tick` is called after every fit with their number, and may stop the work.
pub fn losses_anew(
    data: &TrainingData,
    held_out: &HeldOut,
    fit: FitAnew<'_>,
    tick: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
) -> Result<Losses> {
    let parts = held_out.parts();
    let losses = threads::map(parts.len(), |k| -> Result<Vec<f64>> {
        let rest = data.learning_rows(&HeldOut::rest(data.rows(), parts[k]));
        let predicted = fit(&rest)?.predict(&data.design_as_in(parts[k], &rest));
        if tick(parts.len()).is_break() {
            return Err(Error::Interrupted);
        }
        Ok(parts[k].iter().zip(predicted).map(|(&row, predicted)| held_out.loss(data.truth(row), predicted)).collect())
    });
    losses.into_iter().collect()
}

/// How a method does without each of the first regions, and of five folds, beside least squares (logistic regression) on all columns; `None`
/// where too few regions can be held out.
pub fn honest_estimate(
    data: &dyn RowSource,
    regions: usize,
    fit: FitAnew<'_>,
    tick: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
) -> Result<Option<Honest>> {
    let sample = rows_for_stress(data)?;
    let all_regions = HeldOut::of(&sample);
    let all: Vec<usize> = (0..sample.encoding.features.len()).collect();
    let Some(baseline) = plain_outputs(&sample, &all_regions, &all).and_then(|all| all_regions.losses(&all)) else {
        return Ok(None);
    };
    let held_out = all_regions.with_first(regions);
    let losses = losses_anew(&sample, &held_out, fit, tick)?;
    let baseline = all_regions.of_first(regions, &baseline);
    Ok(Some(Honest { regions: held_out.regions.used.len(), figures: held_out.figures(&losses, &baseline) }))
}
