//! Boosting: trees one after the other, each grown on what those before leave.

use super::bins::Binned;
use super::grow::{Node, Pull, Shape, grow, value};
use crate::functions::{sigmoid, softplus};

/// Log-odds beyond this count as this.
const MOST_LOG_ODDS: f64 = 30.0;

/// What is minimised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Loss {
    /// Half the square of a residual, linear beyond a limit.
    Huber(f64),
    /// The negative log-likelihood of a class, given log-odds.
    Logistic,
}

impl Loss {
    pub(super) fn of(self, outcome: f64, predicted: f64) -> f64 {
        match self {
            Loss::Huber(limit) => {
                let size = (outcome - predicted).abs();
                if size <= limit { 0.5 * size * size } else { limit * (size - 0.5 * limit) }
            }
            Loss::Logistic => {
                let log_odds = predicted.clamp(-MOST_LOG_ODDS, MOST_LOG_ODDS);
                softplus(log_odds) - outcome * log_odds
            }
        }
    }

    fn pull(self, outcome: f64, predicted: f64, weight: f64) -> Pull {
        match self {
            Loss::Huber(limit) => [weight * (outcome - predicted).clamp(-limit, limit), weight, weight],
            Loss::Logistic => {
                let probability = sigmoid(predicted.clamp(-MOST_LOG_ODDS, MOST_LOG_ODDS));
                [weight * (outcome - probability), weight * probability * (1.0 - probability), weight]
            }
        }
    }
}

/// The rows that are learnt from, all in the same order.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub binned: &'a Binned,
    /// Standardised, or 0 and 1.
    pub outcome: &'a [f64],
    pub weights: &'a [f64],
}

/// Trees so far, and what they predict.
pub(super) struct Boosting<'a> {
    rows: Rows<'a>,
    loss: Loss,
    shape: Shape,
    /// Rows that trees grow on, in any order.
    learn: Vec<u32>,
    /// Rows that they are judged by.
    held_out: Vec<u32>,
    pulls: Vec<Pull>,
    /// What every row started from, and where it is now.
    start: Vec<f64>,
    predicted: Vec<f64>,
    pub trees: Vec<Vec<Node>>,
}

impl<'a> Boosting<'a> {
    /// `start` has one prediction per row of the table.
    pub(super) fn new(
        rows: Rows<'a>,
        (loss, shape): (Loss, Shape),
        (learn, held_out): (Vec<u32>, Vec<u32>),
        start: Vec<f64>,
    ) -> Self {
        let (pulls, predicted) = (vec![[0.0; 3]; start.len()], start.clone());
        Self { rows, loss, shape, learn, held_out, pulls, start, predicted, trees: Vec::new() }
    }

    /// Adds a tree; false if there is nothing left to split.
    pub(super) fn step(&mut self) -> bool {
        let Rows { binned, outcome, weights } = self.rows;
        for &row in &self.learn {
            let row = row as usize;
            self.pulls[row] = self.loss.pull(outcome[row], self.predicted[row], weights[row]);
        }
        let grown = grow(binned, &mut self.learn, &self.pulls, &self.shape);
        if grown.leaves.len() < 2 {
            return false;
        }
        for (range, value) in grown.leaves {
            self.learn[range].iter().for_each(|&row| self.predicted[row as usize] += value);
        }
        for &row in &self.held_out {
            self.predicted[row as usize] += value(&grown.nodes, binned, row as usize);
        }
        self.trees.push(grown.nodes);
        true
    }

    /// Adds so many trees, and tells the sum of losses on the rows held out after each; where nothing is left to split it stays.
    pub(super) fn advance(&mut self, steps: usize) -> Vec<f64> {
        let mut losses = Vec::with_capacity(steps);
        for _ in 0..steps {
            let grown = self.step();
            losses.push(match (grown, losses.last()) {
                (false, Some(&last)) => last,
                _ => self.held_out_loss(),
            });
        }
        losses
    }

    /// The sum of losses on the rows held out.
    pub(super) fn held_out_loss(&self) -> f64 {
        let Rows { outcome, weights, .. } = self.rows;
        let loss = |row: usize| weights[row] * self.loss.of(outcome[row], self.predicted[row]);
        self.held_out.iter().map(|&row| loss(row as usize)).sum()
    }

    /// By how much the first trees lower the loss of every row held out.
    pub(super) fn gains(&self, trees: usize) -> impl Iterator<Item = f64> + '_ {
        let Rows { binned, outcome, weights } = self.rows;
        self.held_out.iter().map(move |&row| {
            let row = row as usize;
            let added: f64 = self.trees.iter().take(trees).map(|nodes| value(nodes, binned, row)).sum();
            let loss = |predicted: f64| self.loss.of(outcome[row], predicted);
            weights[row] * (loss(self.start[row]) - loss(self.start[row] + added))
        })
    }
}
