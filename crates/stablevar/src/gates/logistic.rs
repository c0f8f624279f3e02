//! Gates under logistic loss.
//!
//! The expectation over the gates has no closed form here, but around given log-odds the loss is a weighted squared error of
//! a working outcome (iteratively reweighted least squares), and for that it has one. So: gates for the working
//! outcome, new log-odds from their coefficients, a new working outcome, until the gates stay where they are.

use super::linear::{GatedFit, LinearGates, WeightedProblem};
use crate::design::{Task, TrainingData};
use crate::linalg::dot;
use crate::models::sigmoid;
use crate::optim::StopReason;
use crate::rows::map_blocks;
use crate::weights::SampleWeights;

const MOST_ROUNDS: usize = 12;
/// Probabilities are kept this far from 0 and 1, so that no single row becomes infinitely informative.
const LEAST: f64 = 0.01;

impl LinearGates {
    /// Gates for the data's outcome, under squared or logistic loss, and the problem they solve.
    pub fn fit_data(&self, data: &TrainingData, weights: &SampleWeights) -> (WeightedProblem, GatedFit) {
        match data.target.task() {
            Task::Classification => self.fit_logistic(data, weights),
            Task::Regression => {
                let problem = WeightedProblem::new(data, weights);
                let gated = self.fit(&problem);
                (problem, gated)
            }
        }
    }

    /// Gates under logistic loss, and the working problem of the last round.
    fn fit_logistic(&self, data: &TrainingData, weights: &SampleWeights) -> (WeightedProblem, GatedFit) {
        let labels = data.target.labels();
        let mut log_odds = vec![(data.target.mean / (1.0 - data.target.mean)).ln(); data.rows()];
        let mut last: Option<(WeightedProblem, GatedFit)> = None;
        loop {
            let probabilities: Vec<f64> = log_odds.iter().map(|&u| sigmoid(u).clamp(LEAST, 1.0 - LEAST)).collect();
            let curvature: Vec<f64> = probabilities.iter().map(|p| p * (1.0 - p)).collect();
            let working: Vec<f64> = (0..data.rows())
                .map(|row| log_odds[row] + (labels[row] - probabilities[row]) / curvature[row])
                .collect();
            let informative =
                SampleWeights::new(weights.values().iter().zip(&curvature).map(|(w, c)| w * c).collect(), &data.base);
            let problem = WeightedProblem::with_outcome(data, &informative, &working);
            let mut gated = self.fit(&problem);
            let rounds = last.as_ref().map_or(1, |(_, before)| before.iterations + 1);
            let settled = last.as_ref().is_some_and(|(_, before)| before.mean_gate == gated.mean_gate);
            log_odds = problem.predict(data, &gated.coefficients);
            gated.iterations = rounds;
            if settled || rounds == MOST_ROUNDS {
                if !settled {
                    gated.stop = StopReason::IterationLimit;
                }
                return (problem, gated);
            }
            last = Some((problem, gated));
        }
    }
}

impl WeightedProblem {
    /// The fitted values of coefficients on the columns, around the weighted means.
    fn predict(&self, data: &TrainingData, coefficients: &[f64]) -> Vec<f64> {
        let constant = self.target_mean - dot(&self.means, coefficients);
        map_blocks(data.rows(), |block| {
            block.map(|row| constant + dot(&data.design.row(row)[1..], coefficients)).collect::<Vec<f64>>()
        })
        .concat()
    }
}
