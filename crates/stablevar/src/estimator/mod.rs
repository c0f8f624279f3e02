//! From a table to a fitted model in one step: a method by its name, settings by theirs.
//!
//! ```
//! use stablevar::prelude::*;
//!
//! let a: Vec<f64> = (0..80).map(|k| f64::from(k * 7 % 11)).collect();
//! let y: Vec<f64> = a.iter().enumerate().map(|(k, a)| 2.0 * a + (k % 3) as f64).collect();
//! let table = Table::from_numbers([("a", a), ("y", y)])?;
//! let fitted = Estimator::new("svi")?.set("threshold", 0.6)?.target("y").fit(&table)?;
//! assert_eq!(fitted.model.selected_names(), ["a"]);
//! # Ok::<(), Error>(())
//! ```

mod setting;
mod settings;
mod value;

pub use setting::{Group, Setting, Twin, setting};
pub use settings::SETTINGS;
pub use value::{Kind, Range, Value};

use crate::design::{Roles, TrainingData};
use crate::error::{Error, Result};
use crate::finding::{Code, Finding};
use crate::fit::{Fit, FittedModel, Step, Watch, fit};
use crate::method::{Method, Preset, preset};
use crate::models::Model;
use crate::passes::RowSource;
use crate::stress::{Figures, HeldOut, Losses, honest_estimate, losses_anew};
use crate::table::Table;
use crate::threads::with_threads;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// A method with its settings and the columns' roles.
#[derive(Debug, Clone)]
pub struct Estimator {
    /// The recipe.
    pub method: Method,
    /// Which columns play which part.
    pub roles: Roles,
    /// Columns of a file that hold text though their values look like numbers.
    pub text: Vec<String>,
    /// Columns of a file to use, with the target and the weights; empty for all.
    pub columns: Vec<String>,
    /// Columns of a file that hold dates, and how they are to be read.
    pub dates: Vec<String>,
    /// Memory to use, in bytes; `None` leaves that to whoever reads the table.
    pub memory: Option<u64>,
    /// The seed.
    pub seed: u64,
    /// Threads to use; `None` for all cores.
    pub threads: Option<usize>,
    preset: &'static Preset,
    /// What was set, by position in [`SETTINGS`].
    given: BTreeMap<usize, Value>,
    without_effect: Vec<&'static str>,
}

impl Estimator {
    /// A named method with its default settings.
    pub fn new(method: &str) -> Result<Self> {
        Ok(Self::of(preset(method)?))
    }

    /// A preset with its default settings.
    pub fn of(preset: &'static Preset) -> Self {
        Self {
            method: preset.method(),
            roles: Roles::covariates(),
            text: Vec::new(),
            columns: Vec::new(),
            dates: Vec::new(),
            memory: None,
            seed: 0,
            threads: None,
            preset,
            given: BTreeMap::new(),
            without_effect: Vec::new(),
        }
    }

    /// The same for this outcome.
    pub fn target(mut self, name: impl Into<String>) -> Self {
        self.roles.target = Some(name.into());
        self
    }

    /// The same with a setting; [`SETTINGS`] lists them. The order in which they are set does not matter.
    pub fn set(self, name: &str, value: impl Into<Value>) -> Result<Self> {
        self.set_all([(name.to_string(), value.into())])
    }

    /// The same with several settings. They are applied to the preset anew, so that fields changed by hand come after them.
    pub fn set_all(self, settings: impl IntoIterator<Item = (String, Value)>) -> Result<Self> {
        self.given_all(settings, |_, _| true)
    }

    /// The same for callers that hand over every setting, as classes with parameters do: values that are the defaults are not
    /// taken for the user's.
    pub fn set_parameters(self, settings: impl IntoIterator<Item = (String, Value)>) -> Result<Self> {
        let preset = self.preset;
        self.given_all(settings, |setting, value| *value != setting.default_of(preset))
    }

    fn given_all(
        mut self,
        settings: impl IntoIterator<Item = (String, Value)>,
        is_asked_for: impl Fn(&Setting, &Value) -> bool,
    ) -> Result<Self> {
        for (name, value) in settings {
            let position = SETTINGS.iter().position(|known| known.name == name || known.old_names.contains(&&*name));
            let position = position.ok_or_else(|| Error::BadRequest(format!("there is no setting '{name}'")))?;
            SETTINGS[position].check(&value)?;
            self.given.insert(position, value);
        }
        let mut fresh = Self { given: self.given, ..Self::of(self.preset) };
        fresh.roles.target = self.roles.target;
        let mut displaced: Vec<&str> = Vec::new();
        for (&position, value) in &fresh.given.clone() {
            let setting = &SETTINGS[position];
            if setting.applies(&fresh) {
                setting.set(&mut fresh, value)?;
                displaced.extend(setting.instead_of.iter().filter(|_| *value != Value::Auto));
            } else if is_asked_for(setting, value) {
                fresh.without_effect.push(setting.name);
            }
        }
        for (&position, value) in &fresh.given {
            let setting = &SETTINGS[position];
            if displaced.contains(&setting.name) && *value != Value::Auto && is_asked_for(setting, value) {
                fresh.without_effect.push(setting.name);
            }
        }
        Ok(fresh)
    }

    /// The values of all settings that have an effect.
    pub fn settings(&self) -> impl Iterator<Item = (&'static Setting, Value)> + '_ {
        SETTINGS.iter().filter_map(|setting| Some((setting, setting.get(self)?)))
    }

    /// The settings that a model was fitted with: its method's, the seed, and what was done with missing values. How else its
    /// table was read it does not hold.
    pub fn settings_of(model: &FittedModel) -> Result<Vec<(&'static str, Value)>> {
        let mut fitted = Self { method: model.method.clone(), seed: model.seed, ..Self::new(model.method.name())? };
        fitted.roles.told = model.told.clone();
        fitted.roles.missing = model.encoding.missing;
        let held = |setting: &Setting| setting.group != Group::Table || ["seed", "missing"].contains(&setting.name);
        let settings = fitted.settings().filter(|(setting, _)| held(setting));
        Ok(settings.map(|(setting, value)| (setting.name, value)).collect())
    }

    /// What the user should know before the fit.
    pub fn findings(&self) -> Vec<Finding> {
        let about = |name: &&str| Finding::new(Code::SettingWithoutEffect).about([*name, self.preset.name]);
        self.without_effect.iter().map(about).collect()
    }

    /// What was set but has no effect on this method.
    pub fn without_effect(&self) -> &[&'static str] {
        &self.without_effect
    }

    /// Fits a table.
    pub fn fit(&self, table: &Table) -> Result<Fit> {
        self.on_threads(|| self.fit_rows(&TrainingData::prepare(table, &self.roles)?, &|_| ControlFlow::Continue(())))
    }

    /// Does some work on as many threads as were asked for.
    pub fn on_threads<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        with_threads(self.threads, work)?
    }

    /// Fits rows that were prepared already, wherever they are. `watch` sees every step and may stop the work.
    pub fn fit_rows(&self, data: &dyn RowSource, watch: Watch<'_>) -> Result<Fit> {
        let mut fitted = fit(data, &self.method, self.seed, watch)?;
        fitted.model.warnings.splice(0..0, self.findings());
        fitted.model.warnings.sort_by_key(|found| !found.code.is_grave());
        if let Some(choice) = fitted.model.refit.as_mut().filter(|_| self.method.honest > 0) {
            let tick = |of: usize| watch(Step::Repeat(of));
            choice.honest = honest_estimate(data, self.method.honest, &|rows| self.fit_anew(rows), &tick)?;
            let told = choice.honest.as_ref().and_then(|honest| no_gain(&honest.figures));
            fitted.model.warnings.splice(0..0, told);
        }
        Ok(fitted)
    }

    /// Losses of the whole method where it is fitted anew, selection and all, without every part of the rows.
    pub fn losses_anew(&self, data: &TrainingData, held_out: &HeldOut) -> Result<Losses> {
        losses_anew(data, held_out, &|rows| self.fit_anew(rows), &|_| ControlFlow::Continue(()))
    }

    /// A model for predictions alone.
    fn fit_anew(&self, rows: &TrainingData) -> Result<Model> {
        let mut again = self.clone();
        (again.method.honest, again.method.remember) = (0, 0);
        Ok(again.fit_rows(rows, &|_| ControlFlow::Continue(()))?.model.model)
    }
}

/// What the honest estimate says against a method: that it does not do better in regions than all columns do, by more than a standard error.
pub(crate) fn no_gain(honest: &Figures) -> Option<Finding> {
    (honest.stress_error.ln() > -honest.standard_error).then(|| {
        let percent = |share: f64| 100.0 * share;
        let told = Finding::new(Code::NoGain).with("percent", percent(honest.stress_error));
        told.with("error", percent(honest.standard_error)).with("worst", percent(honest.stress_worst))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::PRESETS;

    #[test]
    fn every_setting_has_help_a_range_a_stage_and_a_python_twin() {
        let of_preset = |preset: &Preset| [&preset.method().stages(), preset.offers].concat();
        let stages: Vec<&str> = PRESETS.iter().flat_map(of_preset).collect();
        let mut names = Vec::new();
        for setting in SETTINGS {
            let name = setting.name;
            assert!(!name.is_empty() && !setting.help.is_empty(), "{name} has no help");
            assert!(!setting.help.ends_with('.') && setting.help.starts_with(char::is_uppercase), "{name}");
            assert!(
                !setting.kind.allowed().is_empty() && !setting.applies_to.is_empty(),
                "{name} has no range or stage"
            );
            assert!(setting.applies_to.iter().all(|stage| stages.contains(stage)), "{name}: unknown stage");
            assert!(setting.instead_of.iter().all(|other| super::setting(other).is_some()), "{name}");
            match setting.python {
                Twin::Instead(what) => assert!(!what.is_empty(), "{name} has no Python twin"),
                _ => assert!(
                    PRESETS.iter().any(|preset| setting.is_parameter_of(preset)),
                    "{name} is a parameter of no Python class"
                ),
            }
            names.push(name);
            names.extend(setting.old_names);
        }
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "two settings of one name");
    }

    #[test]
    fn what_is_read_can_be_written_and_changes_nothing() {
        for preset in PRESETS {
            let usual = Estimator::of(preset);
            for (setting, value) in usual.settings() {
                let same = Estimator::of(preset).set(setting.name, value.clone()).unwrap();
                assert_eq!(same.method, usual.method, "{} {} {value}", preset.name, setting.name);
                assert_eq!(same.roles, usual.roles);
                assert!(same.without_effect().is_empty());
            }
            // Defaults, all at once, as the Python classes give them.
            let defaults = SETTINGS.iter().map(|setting| (setting.name.to_string(), setting.default_of(preset)));
            let same = Estimator::of(preset).set_parameters(defaults).unwrap();
            assert_eq!(same.method, usual.method, "{}", preset.name);
            assert!(same.without_effect().is_empty(), "{} {:?}", preset.name, same.without_effect());
        }
    }

    #[test]
    fn settings_take_effect_in_any_order_or_are_told() {
        let one = Estimator::new("svi").unwrap().set("refit", "robust").unwrap().set("evidence", "none").unwrap();
        let two = Estimator::new("svi").unwrap().set("evidence", "none").unwrap().set("refit", "robust").unwrap();
        assert_eq!(one.method, two.method);
        assert_eq!(one.method.refit.name(), "robust");
        assert_eq!(Estimator::new("svi").unwrap().set("evidence", "none").unwrap().method.refit.name(), "linear");
        for (method, name, value) in [
            ("svi", "hidden", Value::Counts(vec![5])),
            ("svi", "steps", 9.into()),
            ("nonlinear-svi", "divergence", "entropy".into()),
            ("ols", "threshold", 0.7.into()),
        ] {
            assert_eq!(Estimator::new(method).unwrap().set(name, value).unwrap().without_effect(), [name]);
        }
        let both = [("select".to_string(), 3.into()), ("threshold".to_string(), 0.9.into())];
        assert_eq!(Estimator::new("svi").unwrap().set_all(both).unwrap().without_effect(), ["threshold"]);
        // Spelling a default out changes nothing, whatever else is set.
        let switched = || Estimator::new("svi").unwrap().set("gates", "network").unwrap();
        assert_eq!(switched().set("evidence", "auto").unwrap().method, switched().method);
        let network = Estimator::new("svi").unwrap().set("units", vec![5]).unwrap().set("refit", "network").unwrap();
        assert!(network.without_effect().is_empty());
    }

    #[test]
    fn bad_values_are_refused_by_name() {
        for (name, value) in [
            ("threshold", Value::Number(1.5)),
            ("threshold", Value::Number(f64::NAN)),
            ("resamples", 1.into()),
            ("loops", 0.into()),
            ("evidence", "guess".into()),
            ("hidden", Value::Counts(vec![])),
            ("ridge", (-1).into()),
            ("loops", Value::Auto),
        ] {
            let refused = Estimator::new("svi").unwrap().set(name, value.clone()).unwrap_err();
            assert!(matches!(&refused, Error::BadParameter { name: told, .. } if *told == name), "{name} {value:?}");
        }
        assert!(Estimator::new("svi").unwrap().set("nothing", 1).is_err());
        assert!(Estimator::new("nothing").is_err());
    }
}
