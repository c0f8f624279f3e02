//! What a setting is.

use super::value::{Given, Kind, Value};
use super::{Estimator, SETTINGS};
use crate::error::Result;
use crate::method::{PRESETS, Preset, Stage};

/// A setting.
pub struct Setting {
    /// Its name: the option without its dashes.
    pub name: &'static str,
    /// What it is for, in a sentence without a full stop.
    pub help: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// What `auto` means, where it may be left to the program.
    pub auto: Option<&'static str>,
    /// Stages it applies to; it has an effect if the method has one of them.
    pub applies_to: &'static [Stage],
    /// Settings that it takes the place of.
    pub instead_of: &'static [&'static str],
    /// How Python has it.
    pub python: Twin,
    /// What it was called before.
    pub old_names: &'static [&'static str],
    /// Under which heading it is listed.
    pub group: Group,
    /// Its value before it is set, where that depends on other settings.
    pub(super) usual: Option<fn() -> Value>,
    pub(super) read: fn(&Estimator) -> Option<Value>,
    pub(super) write: fn(&mut Estimator, Given) -> Result<()>,
}

/// How Python has a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Twin {
    /// As a parameter of the same name.
    Same,
    /// As a parameter that scikit-learn's users know by this name.
    Named(&'static str),
    /// Not at all; this does the same there.
    Instead(&'static str),
}

/// Headings under which settings are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// What the columns are and how they are read.
    Table,
    /// Which variables are chosen.
    Choice,
    /// How rows are weighed.
    Weights,
    /// What is fitted.
    Model,
}

impl Group {
    /// In words.
    pub fn heading(self) -> &'static str {
        match self {
            Group::Table => "The table",
            Group::Choice => "Choosing variables",
            Group::Weights => "Weighing rows",
            Group::Model => "The model on the variables chosen",
        }
    }
}

impl Setting {
    /// Whether it has an effect on a method.
    pub fn applies(&self, estimator: &Estimator) -> bool {
        let stages = estimator.method.stages();
        self.applies_to.iter().any(|stage| stages.contains(stage))
    }

    /// Its value, if it has an effect.
    pub fn get(&self, estimator: &Estimator) -> Option<Value> {
        if self.applies(estimator) { (self.read)(estimator) } else { None }
    }

    /// Gives it a value, which is checked.
    pub(super) fn set(&'static self, estimator: &mut Estimator, value: &Value) -> Result<()> {
        let given = self.check(value)?;
        (self.write)(estimator, given)
    }

    pub(super) fn check<'a>(&'static self, value: &'a Value) -> Result<Given<'a>> {
        Given::new(self.name, &self.kind, self.auto.is_some(), value)
    }

    /// Its value before it is set; where the preset does not have its stage, that of the first that does.
    pub fn default_of(&self, preset: &'static Preset) -> Value {
        let of = |preset: &'static Preset| (self.read)(&Estimator::of(preset));
        self.usual
            .map(|usual| usual())
            .or_else(|| of(preset))
            .or_else(|| PRESETS.iter().find_map(of))
            .unwrap_or(Value::Auto)
    }

    /// Whether the Python classes of a preset take it.
    pub fn is_parameter_of(&self, preset: &Preset) -> bool {
        let mut stages = preset.method().stages();
        stages.extend(preset.offers);
        self.python_name().is_some() && self.applies_to.iter().any(|stage| stages.contains(stage))
    }

    /// Its parameter in Python.
    pub fn python_name(&self) -> Option<String> {
        match self.python {
            Twin::Same => Some(self.name.replace('-', "_")),
            Twin::Named(name) => Some(name.into()),
            Twin::Instead(_) => None,
        }
    }
}

/// A setting by its name, or by one it had before.
pub fn setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name || setting.old_names.contains(&name))
}
