//! Trees and networks under stress.
//!
//! There are no sums from which a fit without a region could be had, so they are fitted anew without every part. To bound what that
//! takes, fewer regions are held out, those of the strongest variables, and where there are many rows some of the others are learnt from.

use super::candidates::{Candidate, Kind};
use super::judging::{Difference, Figures, HeldOut, Losses};
use crate::design::TrainingData;
use crate::error::Result;
use crate::models::{Fitting, Mlp, Model, Trees};
use crate::parameter::Positive;
use crate::passes::Weighting;
use crate::rows::evenly_spaced;
use crate::threads;

/// Regions that are held out at most.
const REGIONS: usize = 8;
/// Rows times columns that are learnt from at most.
const MOST_NUMBERS: usize = 100_000;
/// Trees at most, about: where more would help still, so many tell whether they carry over.
const MOST_ROUNDS: usize = 150;
/// Rows from which a network is worth its time, those that it learns from at most, and how often it sees them.
const ROWS_FOR_NETWORK: usize = 5_000;
const ROWS_OF_NETWORK: usize = 4_000;
const EPOCHS: usize = 50;

/// Fits a model to some rows.
type Fit<'a> = dyn Fn(&TrainingData) -> Result<Model> + Sync + 'a;

/// The flexible candidates for so many rows.
pub(super) fn kinds(rows: usize) -> &'static [Kind] {
    if rows < ROWS_FOR_NETWORK { &[Kind::Trees] } else { &[Kind::Trees, Kind::Network] }
}

/// The losses of a flexible candidate on the chosen columns, for the first regions and every fold; `None` if it has nothing to add to a
/// straight line, or can't be fitted.
pub(super) fn losses(
    data: &TrainingData,
    held_out: &HeldOut,
    chosen: &[usize],
    kind: Kind,
    limit: Positive,
) -> Option<Losses> {
    let most =
        (MOST_NUMBERS / chosen.len().max(1)).min(if kind == Kind::Network { ROWS_OF_NETWORK } else { usize::MAX });
    let cut = data.with_columns(chosen);
    let all: Vec<usize> = (0..chosen.len()).collect();
    let fit: Box<Fit> = match kind {
        Kind::Trees => {
            let trees = Trees { limit, ..Trees::default() };
            let some = cut.pick(&evenly_spaced(cut.rows(), most));
            // As many as all rows want, as weights are those of all rows: it is not asked how many, but whether they carry over.
            let rounds =
                trees.rounds_up_to(&some, &all, &Weighting::Equal, MOST_ROUNDS).ok().filter(|rounds| *rounds > 0)?;
            let all = all.clone();
            Box::new(move |rows| trees.boost(rows, &all, &Weighting::Equal, rounds).map(Model::Trees))
        }
        Kind::Network => {
            let network = Mlp { restarts: 1, epochs: EPOCHS, ..Mlp::default() };
            let all = all.clone();
            Box::new(move |rows| network.fit(rows, &all, &Weighting::Equal, 0).map(|refitted| refitted.model))
        }
        Kind::Linear | Kind::Robust => return None,
    };
    let fewer = held_out.with_first(REGIONS);
    let parts = fewer.parts();
    let losses = threads::map(parts.len(), |k| {
        let rest = HeldOut::rest(cut.rows(), parts[k]);
        let rest: Vec<usize> = evenly_spaced(rest.len(), most).into_iter().map(|place| rest[place]).collect();
        let predicted = fit(&cut.pick(&rest)).ok()?.predict(&cut.design.keep_rows(parts[k]));
        let pairs = parts[k].iter().zip(predicted);
        let losses: Vec<f64> = pairs.map(|(&row, predicted)| held_out.loss(cut.truth(row), predicted)).collect();
        losses.iter().all(|loss| loss.is_finite()).then_some(losses)
    });
    losses.into_iter().collect()
}

/// How the errors of a candidate in regions compare with those of a linear one, in those regions that both were judged in.
pub(super) fn difference(held_out: &HeldOut, candidate: &Candidate, losses: &Losses, linear: &Losses) -> Difference {
    if !candidate.kind.is_flexible() {
        return held_out.difference(losses, linear);
    }
    held_out.with_first(REGIONS).difference(losses, &held_out.losses_of_first(REGIONS, linear))
}

/// The figures of a candidate beside a linear baseline.
pub(super) fn figures(held_out: &HeldOut, candidate: &Candidate, losses: &Losses, baseline: &Losses) -> Figures {
    if !candidate.kind.is_flexible() {
        return held_out.figures(losses, baseline);
    }
    held_out.with_first(REGIONS).figures(losses, &held_out.losses_of_first(REGIONS, baseline))
}
