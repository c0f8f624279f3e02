//! A first look at all variables together, by which most of those without an effect are done.
//!
//! A variable that does not bend the outcome can leave the outcome's kernel without changing it much. So one kernel,
//! without all such variables, serves all of them; each does without its own columns by a formula, not by another pass over the
//! rows. The look is less careful than the judgement of one variable: it has no kernel of the variable's own and no curves. What is
//! missing there can only add evidence, so that a variable with none is told from the rest, and only from them.

use super::VariableEvidence;
use super::judge::Examined;
use super::regression::{Kernel, Smoother, Space};
use super::residual::{Plan, Question};
use super::stages::{Stage, timed};

/// A variable whose squared scales are below this share of the greatest takes no part in the shared kernel.
const QUIET: f64 = 0.05;
/// Variables that are looked at by one pass over the rows; more of them need more memory.
pub(super) const TOGETHER: usize = 12;

/// What the looks share.
pub(super) struct Look<'a> {
    plan: &'a Plan<'a>,
    space: Space<'a>,
    smoother: Smoother,
    columns: &'a [usize],
}

impl<'a> Look<'a> {
    /// On some encoded columns.
    pub(super) fn new(plan: &'a Plan<'a>, columns: &'a [usize], rows: usize) -> Self {
        let limit = QUIET * greatest_square(plan);
        let scales = columns.iter().map(|&column| plan.scales[column]);
        let scales = scales.map(|scale| if scale * scale < limit { 0.0 } else { scale }).collect();
        let kernel = Kernel::new(&plan.sheet, columns, 0..plan.landmarks(rows), scales);
        let space = Space::new(&plan.sheet, columns, vec![kernel]).kept(rows);
        let smoother = timed(Stage::Moments, || Smoother::gather(&space, rows, &[&plan.sheet.outcome]));
        Self { plan, space, smoother, columns }
    }

    /// Whether a variable that is judged given these columns only may be looked at.
    pub(super) fn allows(&self, given: &[usize]) -> bool {
        let limit = QUIET * greatest_square(self.plan);
        let mut left_out = self.columns.iter().filter(|column| !given.contains(column));
        left_out.all(|&column| self.plan.scales[column].powi(2) < limit)
    }

    /// Evidence for some variables, each given some of the columns.
    pub(super) fn at(&self, variables: &[(usize, Vec<usize>)]) -> Vec<VariableEvidence> {
        let questions: Vec<Question> = variables
            .iter()
            .map(|(variable, given)| {
                let left_out = (0..self.columns.len()).filter(|&k| !given.contains(&self.columns[k]));
                // The constant is the first feature.
                Question { without: left_out.map(|k| k + 1).collect(), ..self.plan.question(*variable, given) }
            })
            .collect();
        let smoother = timed(Stage::Moments, || self.smoother.about(&self.space, &self.plan.outcomes(&questions)));
        let near = Some(self.plan.penalty);
        let tested = timed(Stage::Tests, || self.plan.examine(&self.space, &smoother, &questions, (near, near), true));
        let conclude = |tested: &Examined, variable: usize, scale: f64, given: &[usize]| {
            let steepest = self.plan.steepest(given, &given.iter().map(|&c| self.plan.scales[c]).collect::<Vec<_>>());
            let regressions = (!given.is_empty()).then(|| (steepest.clone(), steepest));
            VariableEvidence { regressions, ..self.plan.conclude(variable, scale, smoother.rows(), tested).0 }
        };
        let each = tested.iter().zip(&questions).zip(variables);
        each.map(|((tested, question), (variable, given))| conclude(tested, *variable, question.scale, given)).collect()
    }
}

fn greatest_square(plan: &Plan) -> f64 {
    plan.scales.iter().fold(0.0, |most: f64, scale| most.max(scale * scale))
}
