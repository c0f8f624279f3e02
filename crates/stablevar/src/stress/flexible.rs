//! Trees and networks under stress.
//!
//! There are no sums from which a fit without a region could be had, so they are fitted anew without every part. To bound what that
//! takes, fewer regions are held out, those of the strongest variables, and where there are many rows some of the others are learnt from.

use super::candidates::{Candidate, Kind};
use super::judging::{Difference, Figures, HeldOut, Losses, Outputs};
use crate::design::{TrainingData, linear_combinations};
use crate::error::Result;
use crate::models::{AFFORDABLE_ROUNDS, Fitting, Mlp, Model, Trees};
use crate::parameter::Positive;
use crate::passes::Weighting;
use crate::rows::{evenly_spaced, weighted_cross_product};
use crate::threads;
use std::borrow::Cow;

/// Regions that are held out at most.
const REGIONS: usize = 8;
/// Rows times columns that are learnt from at most.
const MOST_NUMBERS: usize = 50_000;
/// Rows from which a network is worth its time, those that it learns from at most, and how often it sees them.
const ROWS_FOR_NETWORK: usize = 5_000;
const ROWS_OF_NETWORK: usize = 4_000;
const EPOCHS: usize = 50;

/// Fits a model to some rows.
type Fit<'a> = dyn Fn(&TrainingData) -> Result<Model> + Sync + 'a;

/// Whether a network is worth its time.
pub(super) fn worth_a_network(rows: usize) -> bool {
    rows >= ROWS_FOR_NETWORK
}

/// What a flexible candidate on the chosen columns predicts for the first regions and every fold; `None` if it has nothing to add to a
/// straight line, or can't be fitted.
pub(super) fn outputs(
    data: &TrainingData,
    held_out: &HeldOut,
    chosen: &[usize],
    kind: Kind,
    limit: Positive,
) -> Option<Outputs> {
    let most =
        (MOST_NUMBERS / chosen.len().max(1)).min(if kind == Kind::Network { ROWS_OF_NETWORK } else { usize::MAX });
    let cut = data.with_columns(chosen);
    let all: Vec<usize> = (0..chosen.len()).collect();
    let fit: Box<Fit> = match kind {
        Kind::Trees => {
            let trees = Trees::affordable(limit);
            let some = cut.pick(&evenly_spaced(cut.rows(), most));
            // As many as all rows want, as weights are those of all rows: it is not asked how many, but whether they carry over.
            let rounds = trees
                .rounds_up_to(&some, &all, &Weighting::Equal, AFFORDABLE_ROUNDS)
                .ok()
                .filter(|rounds| *rounds > 0)?;
            Box::new(move |rows| trees.boost(rows, &told_apart(rows), &Weighting::Equal, rounds).map(Model::Trees))
        }
        Kind::Network => {
            let network = Mlp { restarts: 1, epochs: EPOCHS, ..Mlp::default() };
            Box::new(move |rows| {
                network.fit(rows, &told_apart(rows), &Weighting::Equal, 0).map(|refitted| refitted.model)
            })
        }
        Kind::Linear | Kind::Robust => return None,
    };
    let fewer = fewer(held_out);
    let parts = fewer.parts();
    let outputs = threads::map(parts.len(), |k| {
        let rest = HeldOut::rest(cut.rows(), parts[k]);
        let rest: Vec<usize> = evenly_spaced(rest.len(), most).into_iter().map(|place| rest[place]).collect();
        Some(fit(&cut.pick(&rest)).ok()?.combined(&cut.design.keep_rows(parts[k])))
    });
    outputs.into_iter().collect()
}

/// Columns that are no combinations of others in these rows: a region may have taken all that told them apart, and then a slope could be
/// anything.
fn told_apart(rows: &TrainingData) -> Vec<usize> {
    let all: Vec<usize> = (0..rows.columns()).collect();
    let combined = linear_combinations(&weighted_cross_product(&rows.design, &rows.base), &all);
    all.into_iter().filter(|column| !combined.iter().any(|(other, _)| other == column)).collect()
}

/// What there is for the parts that flexible candidates are judged on, from what there is for all.
pub(super) fn of_fewer(held_out: &HeldOut, all: &[Vec<f64>]) -> Vec<Vec<f64>> {
    held_out.of_first(REGIONS, all)
}

/// The parts that flexible candidates are judged on.
pub(super) fn fewer(held_out: &HeldOut) -> HeldOut {
    held_out.with_first(REGIONS)
}

/// What a candidate predicts held within the outcomes of the rows that were fitted.
pub(super) fn held_within_seen(held_out: &HeldOut, candidate: &Candidate, outputs: &Outputs) -> Outputs {
    if candidate.is_flexible() { fewer(held_out).held_within_seen(outputs) } else { held_out.held_within_seen(outputs) }
}

/// How many regions a candidate was judged in.
pub(super) fn regions(held_out: &HeldOut, candidate: &Candidate) -> usize {
    if candidate.is_flexible() { fewer(held_out).regions.used.len() } else { held_out.regions.used.len() }
}

/// A candidate and its losses.
pub(super) type Tried<'a> = (&'a Candidate, &'a Losses);

/// How the errors of a candidate in regions compare with those of another, in those regions that both were judged in.
pub(super) fn difference(held_out: &HeldOut, one: Tried, other: Tried) -> Difference {
    let [one_losses, other_losses] = in_common(held_out, one, other);
    match one.0.is_flexible() || other.0.is_flexible() {
        true => fewer(held_out).difference(&one_losses, &other_losses),
        false => held_out.difference(&one_losses, &other_losses),
    }
}

/// The same in ordinary cross-validation.
pub(super) fn as_usual(held_out: &HeldOut, one: Tried, other: Tried) -> Difference {
    let [one_losses, other_losses] = in_common(held_out, one, other);
    match one.0.is_flexible() || other.0.is_flexible() {
        true => fewer(held_out).difference_as_usual(&one_losses, &other_losses),
        false => held_out.difference_as_usual(&one_losses, &other_losses),
    }
}

/// The losses of two candidates in the parts that both were judged in.
fn in_common<'a>(held_out: &HeldOut, one: Tried<'a>, other: Tried<'a>) -> [Cow<'a, Losses>; 2] {
    let fewer = one.0.is_flexible() || other.0.is_flexible();
    [one, other].map(|(candidate, losses)| match fewer && !candidate.is_flexible() {
        true => Cow::Owned(of_fewer(held_out, losses)),
        false => Cow::Borrowed(losses),
    })
}

/// The figures of a candidate beside a linear baseline.
pub(super) fn figures(held_out: &HeldOut, candidate: &Candidate, losses: &Losses, baseline: &Losses) -> Figures {
    if !candidate.is_flexible() {
        return held_out.figures(losses, baseline);
    }
    fewer(held_out).figures(losses, &of_fewer(held_out, baseline))
}
