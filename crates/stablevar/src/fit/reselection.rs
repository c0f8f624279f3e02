//! Another choice of variables from what a model knows already: its evidence is not gathered again.

use super::{Fit, FittedModel, Step, Watch, fit_with};
use crate::design::{Frame, Target, TrainingData};
use crate::error::{Error, Result};
use crate::evidence::Gathered;
use crate::finding::{Code, Finding};
use crate::linalg::Matrix;
use crate::method::{Choose, Method};
use crate::passes::RowSource;
use crate::selection::Rule;
use std::ops::ControlFlow;

/// Rows whose means and scales differ by more than this share of a scale are not those that a model was fitted to.
const SAME_ROWS: f64 = 1e-6;

impl FittedModel {
    /// The same method with another rule for the choice of variables, by the evidence that the model has. Weights and gates are
    /// found again, and the model is fitted to the new choice.
    ///
    /// `rows` are those that the model was fitted to. Without them the new model is fitted to the rows that this one
    /// remembers, and says how many those are.
    pub fn reselect(&self, rule: Rule, rows: Option<&dyn RowSource>, watch: Watch<'_>) -> Result<Fit> {
        let method = self.method_with(rule)?;
        let mut known = self.evidence.clone().zip(self.evidence_source);
        // What joined the other choice has not joined this one.
        known.iter_mut().flat_map(|(variables, _)| variables).for_each(|variable| variable.companion = false);
        let known = known.map(|(variables, source)| Gathered { source, variables, sufficiency: None, in_order: None });
        // What was gathered is not told again as if it had been.
        let quiet = |step: Step<'_>| match step {
            Step::Variable(_) => ControlFlow::Continue(()),
            step => watch(step),
        };
        match rows {
            Some(rows) => {
                self.check_same_rows(rows.frame())?;
                fit_with(rows, &method, self.seed, known, &quiet)
            }
            None => {
                let remembered = self.remembered_rows()?;
                let mut fitted = fit_with(&remembered, &method, self.seed, known, &quiet)?;
                fitted.model.columns = self.columns.clone();
                if remembered.rows() < self.rows {
                    let found = Finding::new(Code::RefittedFromMemory).with("used", remembered.rows() as f64);
                    fitted.model.warnings.push(found.with("rows", self.rows as f64));
                }
                Ok(fitted)
            }
        }
    }

    fn method_with(&self, rule: Rule) -> Result<Method> {
        let mut method = self.method.clone();
        match &mut method.choose {
            Choose::Loop(svi) if svi.resampling.resamples.is_some() => {
                return Err(Error::BadRequest(
                    "the variables were chosen in halves of the rows, which another rule has to look at again: fit again"
                        .into(),
                ));
            }
            Choose::Gates { rule: own, .. } => *own = rule,
            Choose::Loop(svi) => svi.rule = rule,
            Choose::All | Choose::Lasso(_) => {
                return Err(Error::BadRequest(format!(
                    "{} has no rule by which variables are chosen, so that there is none to change",
                    method.name()
                )));
            }
        }
        Ok(method)
    }

    /// The rows that the model remembers, as if they were the table.
    fn remembered_rows(&self) -> Result<TrainingData> {
        let memory = self.memory.as_ref().ok_or_else(|| {
            Error::BadRequest("the model remembers no training rows: give the rows it was fitted to".into())
        })?;
        let standardised = memory.design(&self.encoding);
        let width = standardised.columns();
        let design = Matrix::from_fn(memory.rows(), width + 1, |row, column| match column {
            0 => 1.0,
            _ => standardised[(row, column - 1)],
        });
        // Standardised with the columns below.
        let target = Target { name: self.target.clone(), classes: self.classes.clone(), mean: 0.0, scale: 1.0 };
        let notes = self.warnings.iter().filter(|finding| finding.code < Code::NotConverged).cloned().collect();
        let mut frame = Frame::known(self.encoding.clone(), target, self.initial_correlations.clone(), notes);
        frame.summaries.clone_from(&self.columns);
        frame.told = self.told.clone();
        let data = frame.with_rows(design, memory.base().to_vec(), memory.outcome().to_vec())?;
        Ok(data.learning_rows(&(0..memory.rows()).collect::<Vec<usize>>()))
    }

    fn check_same_rows(&self, frame: &Frame) -> Result<()> {
        let (own, other) = (&self.encoding.columns, &frame.encoding.columns);
        let same = own.len() == other.len()
            && frame.rows() == self.rows
            && frame.target.name == self.target
            && frame.told == self.told
            && own.iter().zip(other).all(|(own, other)| {
                own.name == other.name
                    && (own.mean - other.mean).abs() <= SAME_ROWS * own.scale
                    && (own.scale - other.scale).abs() <= SAME_ROWS * own.scale
            });
        if same {
            return Ok(());
        }
        Err(Error::BadRequest(
            "these are not the rows that the model was fitted to, so that its evidence is not theirs: give those rows with \
             the same options, or fit again"
                .into(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimator::Estimator;
    use crate::parameter::Fraction;
    use crate::sample::biased_sample;
    use crate::table::Table;

    fn nothing() -> impl Fn(Step<'_>) -> ControlFlow<()> + Sync {
        |_| ControlFlow::Continue(())
    }

    fn fitted(method: &str) -> (Table<'static>, Estimator, FittedModel) {
        let table = biased_sample(10, 5, 600, 3);
        let estimator = Estimator::new(method).unwrap().target("y");
        let model = estimator.fit(&table).unwrap().model;
        (table, estimator, model)
    }

    #[test]
    fn another_rule_gives_what_a_fit_with_it_gives() {
        let (table, estimator, model) = fitted("svi");
        let rows = TrainingData::prepare(&table, &estimator.roles).unwrap();
        for (rule, setting, value) in [
            (Rule::Select(2), "select", crate::estimator::Value::Count(2)),
            (Rule::FalseDiscoveryRate(Fraction::constant(0.1)), "fdr", 0.1.into()),
        ] {
            let again = model.reselect(rule, Some(&rows), &nothing()).unwrap().model;
            let anew = estimator.clone().set(setting, value).unwrap().fit(&table).unwrap().model;
            // What the set needs was added by the first rule's threshold alone.
            assert_eq!(again.selected, anew.selected, "{setting}");
            assert_eq!(again.coefficients(), anew.coefficients());
            assert_eq!(again.method, anew.method);
            let remembered = model.reselect(rule, None, &nothing()).unwrap().model;
            assert_eq!(remembered.selected, anew.selected);
            for ((_, one), (_, two)) in remembered.coefficients().iter().zip(anew.coefficients()) {
                assert!((one - two).abs() < 1e-5 * two.abs().max(1.0), "{one} {two}");
            }
        }
        let same = model.reselect(Rule::default(), Some(&rows), &nothing()).unwrap().model;
        assert_eq!((same.selected, same.model), (model.selected, model.model));
    }

    #[test]
    fn what_can_not_be_chosen_again_is_refused() {
        let (table, _, model) = fitted("ols");
        assert!(model.reselect(Rule::Select(1), None, &nothing()).is_err());
        let (_, estimator, model) = fitted("stg");
        assert_eq!(model.reselect(Rule::Select(1), None, &nothing()).unwrap().model.selected.len(), 1);
        let fewer = table.keep_rows(&(0..500).collect::<Vec<usize>>());
        let other = TrainingData::prepare(&fewer, &estimator.roles).unwrap();
        let refused = model.reselect(Rule::Select(1), Some(&other), &nothing()).unwrap_err();
        assert!(refused.to_string().contains("not the rows"), "{refused}");
    }
}
