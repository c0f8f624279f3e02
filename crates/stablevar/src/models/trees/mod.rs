//! Boosted trees (Friedman, 2001): shallow trees, one after the other, each for a share of what those before leave.
//!
//! They begin where a straight line ends, so that the trend goes on beyond the training rows, where trees by themselves are
//! constant. How many trees there are is decided on rows held out; where they do not help there, there are none and the model is the
//! straight line.

mod bins;
mod boost;
mod grow;
mod model;

pub use model::{Tree, TreeNode, TreesModel};

use super::{Fitting, Huber, LinearModel, Model, Refitted, in_memory, least_squares, spread_of_the_bulk};
use crate::design::{Task, TrainingData};
use crate::error::{Error, Result};
use crate::functions::scrambled;
use crate::optim::StopReason;
use crate::parameter::Positive;
use crate::passes::{RowSource, Weighting};
use crate::rows::evenly_spaced;
use crate::threads;
use bins::Binned;
use boost::{Boosting, Loss, Rows};
use grow::Shape;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// What trees are added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TreeStart {
    /// A straight line: Huber's regression, or logistic regression.
    #[default]
    Line,
    /// A constant.
    Constant,
}

/// Boosted trees for Huber's loss, or for classes under logistic loss.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Trees {
    /// What trees are added to.
    pub start: TreeStart,
    /// How many there are; `None` for as many as help on rows held out.
    pub rounds: Option<usize>,
    /// Splits from the root to a leaf at most.
    pub depth: usize,
    /// The share of its best value that a leaf adds.
    pub rate: Positive,
    /// Where residuals are clipped, in standard deviations of the bulk of them.
    pub limit: Positive,
}

impl Default for Trees {
    fn default() -> Self {
        Self {
            start: TreeStart::default(),
            rounds: None,
            depth: 3,
            rate: Positive::constant(0.1),
            limit: super::OUTLIER_LIMIT,
        }
    }
}

/// Trees at most, and after how many without a lower loss on rows held out no more are tried.
const MOST_ROUNDS: usize = 600;
const PATIENCE: usize = 30;
/// Trees at most, about, where they are judged beside others or go half-way: where more would help still, so many tell whether they carry over.
pub(crate) const AFFORDABLE_ROUNDS: usize = 75;
const AFFORDABLE_RATE: Positive = Positive::constant(0.2);
/// Rows that so many trees, of eight leaves each, need at most where they go half-way.
const AFFORDABLE_ROWS: usize = 10_000;
/// Parts of the rows that are held out in turn, and rows learnt from in all of them at most: of many rows, fewer parts tell enough.
const PARTS: usize = 5;
const ROWS_LEARNT_FROM: usize = 50_000;
/// Fewer rows than this can't say how many trees help.
const LEAST_ROWS: usize = 40;
/// Rows of usual weight that a leaf needs, and that its value is drawn to zero by.
const LEAST_IN_LEAF: f64 = 20.0;
const DRAWN_BY: f64 = 1.0;
/// Rows by which the influence of a column is told.
const INFLUENCE_ROWS: usize = 4_000;

/// What needs all rows in memory.
const WHAT: &str = "a model of boosted trees";

impl Fitting for Trees {
    fn fit(&self, data: &dyn RowSource, columns: &[usize], weighting: &Weighting, _seed: u64) -> Result<Refitted> {
        let data = in_memory(data, WHAT)?;
        let rounds = self.rounds_up_to(data, columns, weighting, MOST_ROUNDS)?;
        let model = described(self.boost(data, columns, weighting, rounds)?, data, columns, weighting)?;
        Ok(Refitted { model: Model::Trees(model), separated: false, stop: StopReason::Converged })
    }

    fn needs_memory(&self) -> Option<&'static str> {
        Some(WHAT)
    }
}

/// Rows in an order that depends on what is in them, not on where they stand.
struct Sheet<'a> {
    data: &'a TrainingData,
    columns: &'a [usize],
    order: Vec<usize>,
    /// Per row of the table the part that holds it out.
    part_of: Vec<usize>,
    binned: Binned,
    outcome: Vec<f64>,
    /// Without base weights, in the order of the table.
    given: Vec<f64>,
    /// With base weights.
    weights: Vec<f64>,
}

impl<'a> Sheet<'a> {
    fn new(data: &'a TrainingData, columns: &'a [usize], weighting: &Weighting) -> Self {
        let order = order_by_content(data, columns);
        let outcome = if data.target.task() == Task::Classification { data.labels() } else { data.outcome.clone() };
        let given = weighting.of_design(&data.design).into_owned();
        Self {
            binned: Binned::of(&data.design, columns, &order),
            outcome: order.iter().map(|&row| outcome[row]).collect(),
            weights: order.iter().map(|&row| given[row] * data.base[row]).collect(),
            part_of: data.folds(&order, PARTS),
            data,
            columns,
            order,
            given,
        }
    }

    fn rows(&self) -> Rows<'_> {
        Rows { binned: &self.binned, outcome: &self.outcome, weights: &self.weights }
    }
}

/// Rows sorted by a hash of their values to six digits, which the order and the direction of the columns do not change.
fn order_by_content(data: &TrainingData, columns: &[usize]) -> Vec<usize> {
    let hash = |value: f64| scrambled((1e6 * value).round() as i64 as u64);
    let of_row = |row: usize| {
        let sum = columns
            .iter()
            .fold(hash(data.outcome[row]), |sum, &column| sum.wrapping_add(hash(data.design[(row, column + 1)].abs())));
        scrambled(sum)
    };
    let mut order: Vec<(u64, usize)> = (0..data.rows()).map(|row| (of_row(row), row)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, row)| row).collect()
}

/// The same with the slopes of the straight line that is nearest to what the trees add to theirs, and how much every column matters.
fn described(
    mut model: TreesModel,
    data: &TrainingData,
    columns: &[usize],
    weighting: &Weighting,
) -> Result<TreesModel> {
    let added = TrainingData { outcome: model.added(&data.design), ..data.clone() };
    let slopes = least_squares(&added, columns, weighting)?;
    model.describe(slopes, &data.design, INFLUENCE_ROWS);
    Ok(model)
}

impl Trees {
    /// Trees where they are judged beside others or go half-way: fewer, each of which adds more.
    pub(crate) fn affordable(limit: Positive) -> Self {
        Self { limit, rate: AFFORDABLE_RATE, ..Self::default() }
    }

    /// As many trees as help, about [`AFFORDABLE_ROUNDS`] at most and from so many rows as these need, half-way to another straight line.
    ///
    /// Where the model is to predict and no more, it is not `described`, which can take longer than to grow.
    pub(crate) fn fit_beside(
        &self,
        data: &TrainingData,
        columns: &[usize],
        beside: LinearModel,
        is_described: bool,
    ) -> Result<TreesModel> {
        let some = match data.rows() > AFFORDABLE_ROWS {
            true => Cow::Owned(data.pick(&evenly_spaced(data.rows(), AFFORDABLE_ROWS))),
            false => Cow::Borrowed(data),
        };
        let rounds = self.rounds_up_to(&some, columns, &Weighting::Equal, AFFORDABLE_ROUNDS)?;
        let model = self.boost(&some, columns, &Weighting::Equal, rounds)?.halfway_to(beside);
        if is_described { described(model, &some, columns, &Weighting::Equal) } else { Ok(model) }
    }

    /// How many trees help on rows held out, of about so many at most; none if they help by no more than a standard error.
    pub(crate) fn rounds_up_to(
        &self,
        data: &TrainingData,
        columns: &[usize],
        weighting: &Weighting,
        most: usize,
    ) -> Result<usize> {
        if let Some(rounds) = self.rounds {
            return Ok(rounds);
        }
        let rows = data.rows();
        let parts = (ROWS_LEARNT_FROM / rows.max(1)).clamp(1, PARTS);
        if rows < LEAST_ROWS || rows * (PARTS - 1) / PARTS <= columns.len() + 2 {
            return Ok(0);
        }
        let sheet = Sheet::new(data, columns, weighting);
        let folds = threads::map(parts, |part| self.without(&sheet, part));
        let Ok(mut folds) = folds.into_iter().collect::<Result<Vec<Boosting>>>() else { return Ok(0) };
        let mut losses = vec![folds.iter().map(Boosting::held_out_loss).sum::<f64>()];
        let mut best = 0;
        while losses.len() <= most && losses.len() <= best + PATIENCE {
            let more = threads::map_chunks_mut(&mut folds, 1, |_, fold| fold[0].advance(PATIENCE));
            losses.extend((0..PATIENCE).map(|k| more.iter().map(|of_fold| of_fold[k]).sum::<f64>()));
            // The first of those that are equally low.
            best = (0..losses.len()).fold(0, |best, k| if losses[k] < losses[best] { k } else { best });
        }
        let gains: Vec<f64> = folds.iter().flat_map(|fold| fold.gains(best)).collect();
        let count = gains.len() as f64;
        let mean = gains.iter().sum::<f64>() / count;
        let variance = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / count;
        Ok(if mean > (variance / count).sqrt() { best } else { 0 })
    }

    /// So many trees.
    pub fn boost(
        &self,
        data: &TrainingData,
        columns: &[usize],
        weighting: &Weighting,
        rounds: usize,
    ) -> Result<TreesModel> {
        let sheet = Sheet::new(data, columns, weighting);
        let (start, loss) = self.start_from(&sheet, data, &sheet.given)?;
        let predicted = start.combined(&data.design);
        let predicted = sheet.order.iter().map(|&row| predicted[row]).collect();
        let learn = (0..data.rows() as u32).collect();
        let mut boosting = Boosting::new(sheet.rows(), (loss, self.shape(&sheet)), (learn, Vec::new()), predicted);
        (0..rounds).take_while(|_| boosting.step()).count();
        Ok(TreesModel::new(start, columns, &boosting.trees, &sheet.binned.cuts))
    }

    /// Boosting on the rows but for one part, which is held out.
    fn without<'a>(&self, sheet: &'a Sheet, part: usize) -> Result<Boosting<'a>> {
        let (held_out, learn): (Vec<u32>, Vec<u32>) =
            (0..sheet.order.len() as u32).partition(|place| sheet.part_of[sheet.order[*place as usize]] == part);
        let mut rest: Vec<usize> = learn.iter().map(|&place| sheet.order[place as usize]).collect();
        rest.sort_unstable();
        let given: Vec<f64> = rest.iter().map(|&row| sheet.given[row]).collect();
        let (start, loss) = self.start_from(sheet, &sheet.data.pick(&rest), &given)?;
        let predicted = start.combined(&sheet.data.design);
        let predicted = sheet.order.iter().map(|&row| predicted[row]).collect();
        Ok(Boosting::new(sheet.rows(), (loss, self.shape(sheet)), (learn, held_out), predicted))
    }

    /// What trees are added to, fitted to some rows, and the loss that they lower from there.
    fn start_from(&self, sheet: &Sheet, data: &TrainingData, given: &[f64]) -> Result<(LinearModel, Loss)> {
        let columns = if self.start == TreeStart::Line { sheet.columns } else { &[] };
        let weighting = Weighting::Given(Arc::new(given.to_vec()));
        let Model::Linear(start) = Huber { limit: self.limit }.fit(data, columns, &weighting, 0)?.model else {
            return Err(Error::BadRequest("trees can be added to a straight line alone".into()));
        };
        if data.target.task() == Task::Classification {
            return Ok((start, Loss::Logistic));
        }
        let predicted = start.combined(&data.design);
        let residuals: Vec<f64> = data.outcome.iter().zip(&predicted).map(|(y, fitted)| y - fitted).collect();
        let spread = spread_of_the_bulk(&residuals, &weighting.with_base(data));
        let limit = if spread > 0.0 { self.limit.get() * spread } else { f64::INFINITY };
        Ok((start, Loss::Huber(limit)))
    }

    fn shape(&self, sheet: &Sheet) -> Shape {
        let usual = sheet.weights.iter().sum::<f64>() / sheet.weights.len().max(1) as f64;
        Shape { depth: self.depth, least_weight: LEAST_IN_LEAF * usual, ridge: DRAWN_BY * usual, rate: self.rate.get() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Roles;
    use crate::models::PlainLinear;
    use crate::sample::biased_sample;
    use crate::table::{Table, Values};

    /// A step in one column, a slope in another, and one without effect; classes are whether the outcome is positive.
    fn stepped(rows: usize, classes: bool) -> TrainingData {
        let spread = |k: usize, by: u64| scrambled(k as u64 * 31 + by) as f64 / u64::MAX as f64 - 0.5;
        let column = |by: u64| -> Vec<f64> { (0..rows).map(|k| 4.0 * spread(k, by)).collect() };
        let (a, b, c) = (column(1), column(2), column(3));
        let outcome = |k: usize| f64::from(a[k] > 0.5) * 2.0 - 1.0 + 0.5 * b[k] + spread(k, 4);
        let y = (0..rows).map(|k| if classes { f64::from(outcome(k) > 0.0) } else { outcome(k) }).collect();
        let table = Table::from_numbers([("a", a), ("b", b), ("c", c), ("y", y)]).unwrap();
        TrainingData::prepare(&table, &Roles::target("y")).unwrap()
    }

    fn fitted(data: &TrainingData) -> TreesModel {
        match Trees::default().fit(data, &[0, 1, 2], &Weighting::Equal, 0).unwrap().model {
            Model::Trees(model) => model,
            other => panic!("{other:?}"),
        }
    }

    fn loss(data: &TrainingData, predicted: &[f64]) -> f64 {
        let of_row = |(row, predicted): (usize, &f64)| match data.target.classes {
            Some(_) => Loss::Logistic.of(data.truth(row), (predicted / (1.0 - predicted)).ln()),
            None => (data.truth(row) - predicted).powi(2),
        };
        predicted.iter().enumerate().map(of_row).sum::<f64>() / data.rows() as f64
    }

    #[test]
    fn a_step_is_found_that_a_line_can_not_have() {
        for classes in [false, true] {
            let (data, later) = (stepped(1500, classes), stepped(2500, classes));
            let trees = fitted(&data);
            let line = PlainLinear.fit(&data, &[0, 1, 2], &Weighting::Equal, 0).unwrap().model;
            // Rows that were not learnt from, on the scale of those that were.
            let new: Vec<usize> = (1500..2500).collect();
            let (design, rest) = (later.design_as_in(&new, &data), later.pick(&new));
            let (of_trees, of_line) = (loss(&rest, &trees.predict(&design)), loss(&rest, &line.predict(&design)));
            assert!(of_trees < 0.6 * of_line, "{of_trees} {of_line}");
            let influence = trees.influence();
            assert!(influence[0] > influence[1] && influence[1] > 5.0 * influence[2], "{influence:?}");
            assert!(trees.slopes()[0] > 0.3 && trees.slopes()[1] > 0.1, "{:?}", trees.slopes());
        }
    }

    #[test]
    fn where_a_line_is_all_there_is_there_are_no_or_harmless_trees() {
        let data = TrainingData::prepare(&biased_sample(6, 3, 600, 8), &Roles::target("y")).unwrap();
        let spread = |k: usize| scrambled(k as u64) as f64 / u64::MAX as f64 - 0.5;
        let outcome = (0..600).map(|row| data.design[(row, 1)] - 0.5 * data.design[(row, 2)] + spread(row)).collect();
        let data = TrainingData { outcome, ..data };
        let columns: Vec<usize> = (0..6).collect();
        assert_eq!(Trees::default().rounds_up_to(&data, &columns, &Weighting::Equal, MOST_ROUNDS).unwrap(), 0);
        let few = data.pick(&(0..20).collect::<Vec<_>>());
        assert_eq!(Trees::default().rounds_up_to(&few, &columns, &Weighting::Equal, MOST_ROUNDS).unwrap(), 0);
    }

    #[test]
    fn beyond_the_training_rows_the_line_goes_on() {
        let trees = fitted(&stepped(1500, false));
        let row = |b: f64| crate::linalg::Matrix::from_fn(1, 4, |_, k| [1.0, 0.0, b, 0.0][k]);
        let at = |b: f64| trees.predict(&row(b))[0];
        assert!(at(8.0) - at(4.0) > 1.5, "{} {}", at(4.0), at(8.0));
    }

    #[test]
    fn order_of_rows_number_of_threads_and_weights_of_nothing_change_nothing() {
        let data = stepped(700, false);
        let order: Vec<usize> = (0..700).map(|k| (k * 9) % 700).collect();
        let (one, other) = (fitted(&data), fitted(&data.pick(&order)));
        assert_eq!(one.trees(), other.trees());
        let apart = |a: &TreesModel, b: &TreesModel| {
            let pairs = a.predict(&data.design).into_iter().zip(b.predict(&data.design));
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        assert!(apart(&one, &other) < 1e-9);
        for threads in [1, 3] {
            assert_eq!(threads::with_threads(Some(threads), || fitted(&data)).unwrap(), one);
        }
        // Rows of no weight may be anything.
        let mut spoilt = data.clone();
        spoilt.outcome[..100].fill(50.0);
        let given: Vec<f64> = (0..700).map(|row| f64::from(row >= 100)).collect();
        let rounds = Trees { rounds: Some(20), ..Trees::default() };
        let fit = |data: &TrainingData| {
            let weighting = Weighting::Given(Arc::new(given.clone()));
            rounds.fit(data, &[0, 1, 2], &weighting, 0).unwrap().model.predict(&data.design)
        };
        let difference = fit(&data).into_iter().zip(fit(&spoilt)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference < 1e-6, "{difference}");
    }

    #[test]
    fn outliers_of_the_outcome_do_not_bend_it() {
        let data = stepped(1000, false);
        let mut spoilt = data.clone();
        (0..1000).step_by(50).for_each(|row| spoilt.outcome[row] += 100.0);
        let (plain, robust) = (fitted(&data), fitted(&spoilt));
        let error = |model: &TreesModel| loss(&data, &model.predict(&data.design));
        assert!(error(&robust) < 2.0 * error(&plain), "{} {}", error(&robust), error(&plain));
    }

    #[test]
    fn a_constant_column_and_an_outcome_without_noise_are_no_trouble() {
        let x: Vec<f64> = (0..100).map(f64::from).collect();
        let table = Table::from_numbers([("x", x.clone()), ("y", x)]).unwrap();
        let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
        let model = Trees::default().fit(&data, &[0], &Weighting::Equal, 0).unwrap().model;
        let Values::Number(y) = &table.column("y").unwrap().values else { panic!() };
        let predicted = model.predict(&data.design);
        assert!(predicted.iter().zip(y.to_vec()).all(|(fitted, y)| (fitted - y).abs() < 1e-6));
        let none = Trees::default().fit(&data, &[], &Weighting::Equal, 0).unwrap().model;
        assert!(none.predict(&data.design).iter().all(|value| (value - 49.5).abs() < 1e-6));
    }

    #[test]
    fn files_that_were_tampered_with_are_seen() {
        let model = fitted(&stepped(500, false));
        let text = serde_json::to_string(&model).unwrap();
        assert_eq!(serde_json::from_str::<TreesModel>(&text).unwrap(), model);
        assert!(model.is_whole(3) && !model.is_whole(4) && text.len() < 40_000, "{}", text.len());
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let with = |tree: serde_json::Value| {
            let mut changed = value.clone();
            changed["trees"][0] = tree;
            serde_json::from_value::<TreesModel>(changed).unwrap()
        };
        // A loop, a node and a column that are not there, no node at all.
        for bad in ["[[0, 0.5, 0], 1, 2]", "[[0, 0.5, 9], 1, 2]", "[[7, 0.5, 2], 1, 2]", "[]", "[[0, 0.5, 1], 1]"] {
            let model = with(serde_json::from_str(bad).unwrap());
            assert!(!model.is_whole(3), "{bad}");
            model.predict(&crate::linalg::Matrix::from_fn(2, 4, |_, _| 1.0));
        }
        assert!(with(serde_json::from_str("[[0, 0.5, 2], 1, 2]").unwrap()).is_whole(3));
    }
}
