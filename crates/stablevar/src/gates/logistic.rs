//! Gates under logistic loss.
//!
//! The expectation over the gates has no closed form here, but around given log-odds the loss is a weighted squared error of
//! a working outcome (iteratively reweighted least squares), and for that it has one. So: gates for the working
//! outcome, new log-odds from their coefficients, a new working outcome, until the gates stay where they are.

use super::linear::{GatedFit, LinearGates, WeightedProblem};
use crate::design::Task;
use crate::error::Result;
use crate::optim::StopReason;
use crate::passes::{Outcome, RowSource};
use crate::weights::SampleWeights;

const MOST_ROUNDS: usize = 12;

impl LinearGates {
    /// Gates for the data's outcome, under squared or logistic loss, and the problem they solve.
    pub fn fit_data(&self, data: &dyn RowSource, weights: &SampleWeights) -> Result<(WeightedProblem, GatedFit)> {
        match data.frame().target.task() {
            Task::Classification => self.fit_logistic(data, weights),
            Task::Regression => {
                let problem = WeightedProblem::new(data, weights)?;
                let gated = self.fit(&problem);
                Ok((problem, gated))
            }
        }
    }

    /// Gates under logistic loss, and the working problem of the last round.
    fn fit_logistic(&self, data: &dyn RowSource, weights: &SampleWeights) -> Result<(WeightedProblem, GatedFit)> {
        let target = &data.frame().target;
        let mut log_odds = vec![0.0; data.frame().columns() + 1];
        log_odds[0] = (target.mean / (1.0 - target.mean)).ln();
        let mut last: Option<GatedFit> = None;
        loop {
            let standard = (target.mean, target.scale);
            let outcome = Outcome::Working { coefficients: log_odds, standard };
            let problem = WeightedProblem::with_outcome(data, weights, &outcome)?;
            let mut gated = self.fit(&problem);
            let rounds = last.as_ref().map_or(1, |before| before.iterations + 1);
            let settled = last.as_ref().is_some_and(|before| before.mean_gate == gated.mean_gate);
            gated.iterations = rounds;
            if settled || rounds == MOST_ROUNDS {
                if !settled {
                    gated.stop = StopReason::IterationLimit;
                }
                return Ok((problem, gated));
            }
            log_odds = problem.with_constant(&gated.coefficients);
            last = Some(gated);
        }
    }
}
