//! Trees that predict, as a model file holds them.

use super::grow::Node;
use crate::functions::scrambled;
use crate::linalg::Matrix;
use crate::models::{LinearModel, StandardisedFit};
use crate::rows::{evenly_spaced, map_blocks};
use serde::{Deserialize, Serialize};

/// A straight line and trees that add to it, on standardised columns; for classes log-odds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TreesModel {
    line: LinearModel,
    trees: Vec<Tree>,
    /// Another straight line, if predictions are half-way between it and the trees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    beside: Option<LinearModel>,
    /// Per encoded column the slope of the straight line that is nearest to the model, on standardised data.
    slopes: Vec<f64>,
    /// Per encoded column the root mean square of the change of standardised predictions, or of log-odds, if the column's values are
    /// dealt out anew among the training rows.
    influence: Vec<f64>,
}

/// The nodes of a tree, the root first. In a file a split is `[column, value, above]` and a leaf a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tree(Vec<TreeNode>);

/// A node of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TreeNode {
    /// An encoded column and the value up to which the next node follows, and the node that follows for greater values.
    Split(usize, f64, usize),
    /// What is added.
    Leaf(f64),
}

impl Tree {
    fn of(nodes: &[Node], columns: &[usize], cuts: &[Vec<f64>]) -> Self {
        let node = |node: &Node| match *node {
            Node::Split { column, bin, above } => {
                TreeNode::Split(columns[column], cuts[column][usize::from(bin)], above)
            }
            Node::Leaf(value) => TreeNode::Leaf(value),
        };
        Self(nodes.iter().map(node).collect())
    }

    /// What it adds for a row of a design matrix, whose first value is 1.
    fn value(&self, row: &[f64]) -> f64 {
        let mut at = 0;
        // Every step leads to a later node, so that there is an end even to a tree that was tampered with.
        while let Some(node) = self.0.get(at) {
            match *node {
                TreeNode::Leaf(value) => return value,
                TreeNode::Split(column, value, above) => {
                    let below = row.get(column + 1).is_some_and(|found| *found <= value);
                    at = if below { at + 1 } else { above.max(at + 1) };
                }
            }
        }
        0.0
    }

    /// Whether every split leads on to later nodes, and uses one of so many encoded columns.
    fn is_whole(&self, columns: usize) -> bool {
        let nodes = self.0.iter().enumerate();
        !self.0.is_empty()
            && nodes.clone().all(|(at, node)| match *node {
                TreeNode::Leaf(value) => value.is_finite(),
                TreeNode::Split(column, value, above) => {
                    column < columns && !value.is_nan() && above > at + 1 && above < self.0.len()
                }
            })
    }
}

impl TreesModel {
    /// Trees on bins of some encoded columns.
    pub(super) fn new(line: LinearModel, columns: &[usize], trees: &[Vec<Node>], cuts: &[Vec<f64>]) -> Self {
        let trees = trees.iter().map(|nodes| Tree::of(nodes, columns, cuts)).collect();
        let slopes = line.standardised_coefficients().to_vec();
        Self { trees, beside: None, influence: vec![0.0; slopes.len()], slopes, line }
    }

    /// The same half-way to a straight line.
    pub(super) fn halfway_to(self, beside: LinearModel) -> Self {
        let slopes = self.slopes.iter().zip(beside.standardised_coefficients());
        Self { slopes: slopes.map(|(own, other)| 0.5 * (own + other)).collect(), beside: Some(beside), ..self }
    }

    /// The same with predictions held within a range of standardised outcomes.
    pub(crate) fn held_within(self, range: [f64; 2]) -> Self {
        Self { line: self.line.held_within(range), ..self }
    }

    /// What is predicted on the scale of the standardised outcome, for classes log-odds.
    pub(crate) fn combined(&self, design: &Matrix) -> Vec<f64> {
        let own = self.line.combined(design).into_iter().zip(self.added(design)).map(|(line, more)| line + more);
        match &self.beside {
            None => own.collect(),
            Some(beside) => own.zip(beside.combined(design)).map(|(own, other)| 0.5 * (own + other)).collect(),
        }
    }

    /// What the trees add to the straight line, one value per row of a design matrix.
    pub(super) fn added(&self, design: &Matrix) -> Vec<f64> {
        let of_row = |row: &[f64]| self.trees.iter().map(|tree| tree.value(row)).sum::<f64>();
        let parts = map_blocks(design.rows(), |block| block.map(|row| of_row(design.row(row))).collect::<Vec<f64>>());
        parts.concat()
    }

    /// Notes how much every column matters; `added` is the straight line nearest to what the trees add.
    pub(super) fn describe(&mut self, added: StandardisedFit, design: &Matrix, most_rows: usize) {
        let share = if self.beside.is_some() { 0.5 } else { 1.0 };
        self.slopes.iter_mut().zip(&added.coefficients[1..]).for_each(|(slope, more)| *slope += share * more);
        let rows = evenly_spaced(design.rows(), most_rows);
        let some = design.keep_rows(&rows);
        let before = self.combined(&some);
        let mut dealt: Vec<usize> = (0..rows.len()).collect();
        dealt.sort_by_key(|&row| scrambled(row as u64));
        // A column without a slope is in neither line, and so in no tree.
        let columns: Vec<usize> = (0..self.slopes.len()).filter(|&column| self.slopes[column] != 0.0).collect();
        let influence = columns.iter().map(|&column| {
            let mut changed = some.clone();
            // Each row has the value of the one that follows it in an order that looks like chance.
            for k in 0..dealt.len() {
                changed[(dealt[k], column + 1)] = some[(dealt[(k + 1) % dealt.len()], column + 1)];
            }
            let squares: f64 = self.combined(&changed).iter().zip(&before).map(|(new, old)| (new - old).powi(2)).sum();
            (squares / rows.len().max(1) as f64).sqrt()
        });
        let influence: Vec<f64> = influence.collect();
        columns.iter().zip(influence).for_each(|(&column, value)| self.influence[column] = value);
    }

    /// Predictions for the rows of a design matrix made by the training data's encoding.
    pub fn predict(&self, design: &Matrix) -> Vec<f64> {
        self.combined(design).into_iter().map(|combined| self.line.in_units(combined)).collect()
    }

    /// The straight line that predictions are half-way to, if they are.
    pub fn beside(&self) -> Option<&LinearModel> {
        self.beside.as_ref()
    }

    /// The straight line that trees are added to.
    pub fn line(&self) -> &LinearModel {
        &self.line
    }

    /// Number of trees.
    pub fn trees(&self) -> usize {
        self.trees.len()
    }

    /// Per encoded column the slope of the straight line that is nearest to the model, on standardised data.
    pub fn slopes(&self) -> &[f64] {
        &self.slopes
    }

    /// Per encoded column the root mean square of the change of predictions in the outcome's units, or of log-odds, if the column's
    /// values are dealt out anew among the training rows.
    pub fn influence(&self) -> Vec<f64> {
        self.influence.iter().map(|value| self.line.outcome_scale() * value).collect()
    }

    /// Whether the parts fit together for this many encoded columns.
    pub(crate) fn is_whole(&self, columns: usize) -> bool {
        self.line.is_whole(columns)
            && self.beside.as_ref().is_none_or(|beside| beside.is_whole(columns))
            && self.slopes.len() == columns
            && self.influence.len() == columns
            && self.trees.iter().all(|tree| tree.is_whole(columns))
    }
}
