//! Methods side by side: error in ordinary cross-validation, error in regions that were held out, time, and the choice.

use crate::design::{Task, TrainingData};
use crate::error::{Error, Result};
use crate::estimator::{Estimator, no_gain};
use crate::finding::Finding;
use crate::fit::{Fit, Watch};
use crate::method::Choose;
use crate::models::OUTLIER_LIMIT;
use crate::passes::RowSource;
use crate::stress::{
    Candidate, Figures, HeldOut, Kind, Losses, Question, RefitChoice, Trial, Variables, plain_outputs, rows_for_stress,
};
use serde::Serialize;
use std::ops::ControlFlow;
use std::time::Instant;

/// Regions for which the selection is repeated: those of the strongest variables.
const REPEATED: usize = 6;

/// One way of fitting, and how it does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Its name.
    pub name: String,
    /// Variables that it uses.
    pub columns: usize,
    /// Errors on rows that were held out.
    #[serde(flatten)]
    pub figures: Figures,
    /// Seconds that a fit to all rows took.
    pub seconds: f64,
    /// What else should be known; mostly empty.
    #[serde(skip)]
    pub note: String,
}

/// Ways of fitting side by side.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The baseline first.
    pub candidates: Vec<Compared>,
    /// The name of the one that the default method takes.
    pub chosen: String,
    /// Why.
    pub why: String,
    /// What errors are measured by.
    pub metric: &'static str,
    /// What was held out.
    pub regions: Vec<String>,
    /// Whether these are the user's environments.
    pub environments: bool,
    /// Rows that were looked at.
    pub rows: usize,
    /// What the user should know.
    pub findings: Vec<Finding>,
}

/// A way of fitting that was carried out elsewhere, as by another library.
#[derive(Debug, Clone)]
pub struct Guest {
    /// Its name.
    pub name: String,
    /// Variables that it uses.
    pub columns: usize,
    /// Seconds that a fit to all rows took.
    pub seconds: f64,
    /// Predictions for every part of [`HeldOut::parts`], in the outcome's units or as probabilities of the second class.
    pub predictions: Vec<Vec<f64>>,
}

/// What to compare.
pub struct Plan<'a> {
    /// The method whose selection and refit are judged; the default one, [`Estimator::new`] of `svi`, or one like it.
    pub stable: &'a Estimator,
    /// Other methods with their names, each fitted anew without every part of the rows.
    pub others: &'a [(String, Estimator)],
    /// Ways of fitting that were carried out elsewhere.
    pub guests: &'a [Guest],
    /// Whether the selection is repeated, too, without parts of the rows: slow, and honest.
    pub repeat_selection: bool,
}

/// Compares ways of fitting on some rows. `watch` is told of every step of the fit to all rows, `tick` of every way that was judged,
/// of so many; both may stop the work.
pub fn compare(
    data: &dyn RowSource,
    plan: &Plan,
    watch: Watch<'_>,
    tick: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
) -> Result<Comparison> {
    let start = Instant::now();
    let fitted = plan.stable.fit_rows(data, watch)?;
    let seconds = start.elapsed().as_secs_f64();
    let sample = rows_for_stress(data)?;
    let sample: &TrainingData = &sample;
    let held_out = HeldOut::of(sample);
    if held_out.regions.used.is_empty() {
        let why =
            "no region of these rows can be held out: each, or the rest, would have too few rows or one class only";
        return Err(Error::BadRequest(why.into()));
    }
    let of = 1 + plan.others.len() + plan.guests.len() + usize::from(plan.repeat_selection);
    let told = || if tick(of).is_break() { Err(Error::Interrupted) } else { Ok(()) };
    let mut board = Board { held_out: &held_out, baseline: Vec::new(), candidates: Vec::new() };
    board.add_baseline(sample, plan.stable)?;
    for (name, estimator) in plan.others {
        board.add_method(sample, name, estimator)?;
        told()?;
    }
    for guest in plan.guests {
        board.add_guest(sample, guest)?;
        told()?;
    }
    board.add_refits(sample, plan.stable, &fitted, seconds, data.memory().is_some())?;
    told()?;
    if plan.repeat_selection {
        board.add_repeated(sample, plan.stable, &fitted, seconds)?;
        told()?;
    }
    let honest = board.candidates.last().filter(|_| plan.repeat_selection).and_then(|last| no_gain(&last.figures));
    let prefix = plan.stable.method.name();
    let (chosen, why) = match &fitted.model.refit {
        Some(RefitChoice { chosen, why, .. }) => (format!("{prefix}: {chosen}"), why.clone()),
        None => (format!("{prefix}: {}", plain_name(&fitted, sample.target.task())), "it was asked for".into()),
    };
    Ok(Comparison {
        candidates: board.candidates,
        chosen,
        why,
        metric: held_out.metric().name(),
        regions: held_out.regions.used.iter().map(|region| region.name.clone()).collect(),
        environments: held_out.regions.given,
        rows: sample.rows(),
        findings: honest.into_iter().chain(fitted.model.warnings).collect(),
    })
}

/// How a refit that was asked for is called among the candidates.
fn plain_name(fitted: &Fit, task: Task) -> String {
    match (task, fitted.model.method.refit.name()) {
        (Task::Classification, "linear" | "robust") => "logistic".into(),
        (_, name) => name.into(),
    }
}

/// What was judged so far.
struct Board<'a> {
    held_out: &'a HeldOut,
    baseline: Losses,
    candidates: Vec<Compared>,
}

impl Board<'_> {
    fn add(&mut self, name: String, columns: usize, losses: &Losses, seconds: f64) {
        let figures = self.held_out.figures(losses, &self.baseline);
        self.candidates.push(Compared { name, columns, figures, seconds, note: String::new() });
    }

    /// Least squares on all columns; for classes logistic regression. Without a part of the rows it is what the stress test of a fit
    /// compares with, so that both tell the same figures.
    fn add_baseline(&mut self, data: &TrainingData, stable: &Estimator) -> Result<()> {
        let name = match data.target.task() {
            Task::Regression => "ols",
            Task::Classification => "logistic",
        };
        let mut estimator = Estimator::new(name)?;
        estimator.seed = stable.seed;
        let variables: Vec<usize> = (0..data.encoding.features.len()).collect();
        let known = plain_outputs(data, self.held_out, &variables).and_then(|outputs| self.held_out.losses(&outputs));
        let (losses, columns, seconds) = match known {
            Some(losses) => {
                let start = Instant::now();
                let fitted = estimator.fit_rows(data, &|_| ControlFlow::Continue(()))?;
                (losses, fitted.model.selected.len(), start.elapsed().as_secs_f64())
            }
            None => by_fitting(data, self.held_out, &estimator)?,
        };
        self.baseline.clone_from(&losses);
        self.add(name.into(), columns, &losses, seconds);
        Ok(())
    }

    fn add_method(&mut self, data: &TrainingData, name: &str, estimator: &Estimator) -> Result<()> {
        let (losses, columns, seconds) = by_fitting(data, self.held_out, estimator)?;
        self.add(name.into(), columns, &losses, seconds);
        Ok(())
    }

    fn add_guest(&mut self, data: &TrainingData, guest: &Guest) -> Result<()> {
        let parts = self.held_out.parts();
        let fits = guest.predictions.len() == parts.len()
            && parts.iter().zip(&guest.predictions).all(|(rows, values)| rows.len() == values.len());
        if !fits {
            return Err(Error::BadRequest(format!("the predictions of '{}' do not fit the rows held out", guest.name)));
        }
        let losses = parts.iter().zip(&guest.predictions).map(|(rows, predicted)| {
            let pairs = rows.iter().zip(predicted);
            pairs.map(|(&row, &predicted)| self.held_out.loss(data.truth(row), predicted)).collect()
        });
        let losses: Losses = losses.collect();
        if losses.iter().flatten().any(|loss| !loss.is_finite()) {
            return Err(Error::BadRequest(format!("'{}' predicts values that are not finite", guest.name)));
        }
        self.add(guest.name.clone(), guest.columns, &losses, guest.seconds);
        Ok(())
    }

    /// Every way to refit the variables that were selected, with the selection that all rows gave.
    fn add_refits(
        &mut self,
        data: &TrainingData,
        stable: &Estimator,
        fitted: &Fit,
        seconds: f64,
        in_memory: bool,
    ) -> Result<()> {
        let model = &fitted.model;
        // Where all columns were taken in the end, the variables chosen are those likely enough.
        let selected: Vec<usize> = match &model.refit {
            Some(refit) if refit.candidate.variables == Variables::All => {
                (0..model.open_probability.len()).filter(|&variable| model.open_probability[variable] >= 0.5).collect()
            }
            _ => model.selected.clone(),
        };
        let limit = stable.method.refit.auto().map_or(OUTLIER_LIMIT, |auto| auto.robust.limit);
        let question = Question { selected: &selected, sufficient: model.sufficiency.map(|set| set.sufficient), limit };
        let mut trial = Trial::run(data, self.held_out, &question, in_memory, &|_| ControlFlow::Continue(()))?;
        if in_memory {
            trial.add_network(data, self.held_out, &question);
        }
        // Least squares on all columns is there already, as the baseline.
        let baseline = Candidate::plain(Variables::All, Kind::Linear);
        for (k, candidate) in trial.candidates.iter().enumerate().filter(|(_, candidate)| **candidate != baseline) {
            let columns = match candidate.variables {
                Variables::Chosen => selected.len(),
                Variables::All => data.encoding.features.len(),
            };
            let name = format!("{}: {}", stable.method.name(), candidate.name(data.target.task()));
            let figures = trial.figures(self.held_out, k, &self.baseline);
            self.candidates.push(Compared { name, columns, figures, seconds, note: String::new() });
        }
        if let Choose::Loop(_) = &stable.method.choose
            && trial.candidates.is_empty()
        {
            let (losses, columns, seconds) = by_fitting(data, self.held_out, stable)?;
            self.add(
                format!("{}: {}", stable.method.name(), plain_name(fitted, data.target.task())),
                columns,
                &losses,
                seconds,
            );
        }
        Ok(())
    }

    /// The whole of the method, its selection and the choice of the refit among it, without some regions and every fold.
    fn add_repeated(&mut self, data: &TrainingData, stable: &Estimator, fitted: &Fit, seconds: f64) -> Result<()> {
        let fewer = self.held_out.with_first(REPEATED);
        let losses = stable.losses_anew(data, &fewer)?;
        let baseline = self.held_out.of_first(REPEATED, &self.baseline);
        let regions = fewer.regions.used.len();
        self.candidates.push(Compared {
            name: format!("{}, selection repeated", stable.method.name()),
            columns: fitted.model.selected.len(),
            figures: fewer.figures(&losses, &baseline),
            seconds,
            note: format!("the whole method anew without each of {regions} regions: the honest estimate"),
        });
        Ok(())
    }
}

/// Losses of a method that is fitted anew without every part of the rows, the variables that it uses, and the seconds that one fit
/// to all takes.
pub fn by_fitting(data: &TrainingData, held_out: &HeldOut, estimator: &Estimator) -> Result<(Losses, usize, f64)> {
    let quietly: Watch<'_> = &|_| ControlFlow::Continue(());
    let start = Instant::now();
    let fitted = estimator.fit_rows(data, quietly)?;
    let seconds = start.elapsed().as_secs_f64();
    let losses = estimator.losses_anew(data, held_out)?;
    Ok((losses, fitted.model.selected.len(), seconds))
}
