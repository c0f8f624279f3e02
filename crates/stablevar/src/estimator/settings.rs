//! Every setting, declared once: its name, help, range, the stages it applies to, how it is read and set.
//!
//! The command line's options, the Python parameters with their docstrings, and the option reference are made from this table.
//! Settings are applied in its order: those that choose a stage come before those of the stage.

use super::Estimator;
use super::value::{Given, Kind, Range, Value};
use crate::design::{Missing, Task};
use crate::error::Result;
use crate::evidence::{Evidence, Source};
use crate::gates::{AnyGates, LinearGates, Penalty};
use crate::method::{Choose, PRESETS, Preset, Stage};
use crate::models::{Lasso, PlainLinear, Refit, Solver};
use crate::parameter::{Fraction, Named};
use crate::selection::Rule;
use crate::svi::Svi;
use crate::weights::{AnyReweighter, Classifier, Divergence, Means, Srdo};

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
    usual: Option<fn() -> Value>,
    read: fn(&Estimator) -> Option<Value>,
    write: fn(&mut Estimator, Given) -> Result<()>,
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

const BASE: Setting = Setting {
    name: "",
    help: "",
    kind: Kind::Column,
    auto: None,
    applies_to: &["table"],
    instead_of: &[],
    python: Twin::Same,
    old_names: &[],
    group: Group::Table,
    usual: None,
    read: |_| None,
    write: |_, _| Ok(()),
};

fn names<T>(kinds: &'static [Named<T>]) -> Vec<(&'static str, &'static str)> {
    kinds.iter().map(|kind| (kind.name, kind.help)).collect()
}

fn made<T>(kinds: &'static [Named<T>], name: &str) -> Option<T> {
    kinds.iter().find(|kind| kind.name == name).map(|kind| (kind.make)())
}

fn named<T: PartialEq>(kinds: &'static [Named<T>], value: T) -> Option<Value> {
    kinds.iter().find(|kind| (kind.make)() == value).map(|kind| kind.name.into())
}

const MISSING: &[Named<Missing>] = &[
    Named { name: "refuse", help: "stop and say where they are", make: || Missing::Refuse },
    Named { name: "drop", help: "leave out the rows that have any", make: || Missing::Drop },
    Named { name: "mean", help: "put the column's mean, or the most frequent text", make: || Missing::Mean },
];
const TASKS: &[Named<Task>] = &[
    Named { name: "regression", help: "a number", make: || Task::Regression },
    Named { name: "classification", help: "one of two classes", make: || Task::Classification },
];
const SOURCES: &[Named<Option<Source>>] = &[
    Named {
        name: "auto",
        help: "what measured best: residual, or focused for a great many columns; with a network network",
        make: || Some(Source::Auto),
    },
    Named {
        name: "focused",
        help: "the outcome's slope in it under weights that decorrelate it from all others, their squares and products: fast",
        make: || Some(Source::Focused),
    },
    Named {
        name: "residual",
        help: "whether the outcome depends on it given all others, by flexible regressions: slower, and the most reliable",
        make: || Some(Source::Residual),
    },
    Named {
        name: "network",
        help: "how much worse a wide network predicts unseen rows without it",
        make: || Some(Source::Network),
    },
    Named { name: "none", help: "its gate, as in the paper", make: || None },
];
const DIVERGENCES: &[Named<Divergence>] = &[
    Named { name: "chi2", help: "keeps the largest effective sample size there is", make: || Divergence::Chi2 },
    Named { name: "entropy", help: "keeps every weight above 0", make: || Divergence::Entropy },
];
const MEANS: &[Named<Means>] = &[
    Named { name: "pinned", help: "they stay where they are", make: || Means::Pinned },
    Named { name: "recentred", help: "they may move: a little more effective sample size", make: || Means::Recentred },
];
const CLASSIFIERS: &[Named<bool>] = &[
    Named { name: "network", help: "a network", make: || true },
    Named { name: "quadratic", help: "logistic regression on the columns, their squares and products", make: || false },
];
const SOLVERS: &[Named<Solver>] = &[
    Named { name: "auto", help: "Adam for many rows, L-BFGS for few", make: || Solver::Auto },
    Named { name: "adam", help: "steps on mini-batches", make: || Solver::Adam },
    Named { name: "lbfgs", help: "quasi-Newton steps on all rows", make: || Solver::Lbfgs },
];

/// The most units of a hidden layer.
const MOST_UNITS: u64 = 1 << 16;

/// Every setting, in the order in which they are applied.
pub static SETTINGS: &[Setting] = &[
    Setting {
        name: "task",
        help: "What to predict",
        kind: Kind::Choice(|| names(TASKS)),
        auto: Some("inferred from the target, and said"),
        python: Twin::Instead("a Regressor or a Classifier"),
        read: |e| Some(e.roles.task.and_then(|task| named(TASKS, task)).unwrap_or(Value::Auto)),
        write: |e, given| {
            e.roles.task = made(TASKS, given.text());
            Ok(())
        },
        ..BASE
    },
    Setting {
        name: "exclude",
        help: "A column to ignore",
        kind: Kind::Columns,
        python: Twin::Instead("X.drop(columns=...)"),
        read: |e| Some(e.roles.exclude.clone().into()),
        write: |e, given| {
            e.roles.exclude = given.texts();
            Ok(())
        },
        ..BASE
    },
    Setting {
        name: "text",
        help: "A column that holds text though its values look like numbers",
        kind: Kind::Columns,
        python: Twin::Instead("X.astype({column: str})"),
        read: |e| Some(e.text.clone().into()),
        write: |e, given| {
            e.text = given.texts();
            Ok(())
        },
        ..BASE
    },
    Setting {
        name: "weight-column",
        help: "Base weights: 2 means the same as the row standing twice",
        kind: Kind::Column,
        auto: Some("every row counts once"),
        python: Twin::Instead("fit(..., sample_weight=...)"),
        read: |e| Some(e.roles.weight_column.clone().into()),
        write: |e, given| {
            e.roles.weight_column = (!given.is_auto()).then(|| given.text().into());
            Ok(())
        },
        ..BASE
    },
    Setting {
        name: "missing",
        help: "What to do with missing values",
        kind: Kind::Choice(|| names(MISSING)),
        python: Twin::Instead("X.dropna() or sklearn.impute.SimpleImputer"),
        read: |e| named(MISSING, e.roles.missing),
        write: |e, given| {
            e.roles.missing = made(MISSING, given.text()).unwrap_or_default();
            Ok(())
        },
        ..BASE
    },
    Setting {
        name: "max-levels",
        help: "The most different values a text column may have",
        kind: Kind::Count(1, u64::MAX),
        read: |e| Some(e.roles.max_levels.into()),
        write: |e, given| {
            e.roles.max_levels = given.count();
            Ok(())
        },
        ..BASE
    },
    Setting {
        name: "memory",
        help: "The memory to use, such as 2GiB; a table that needs more is read in chunks",
        kind: Kind::Bytes,
        auto: Some("half of what is free"),
        python: Twin::Instead("stablevar.dask"),
        read: |e| Some(e.memory.into()),
        write: |e, given| {
            e.memory = (!given.is_auto()).then(|| given.large_count());
            Ok(())
        },
        ..BASE
    },
    Setting {
        name: "seed",
        help: "The seed; the same seed gives the same answer",
        kind: Kind::Count(0, u64::MAX),
        python: Twin::Named("random_state"),
        read: |e| Some(e.seed.into()),
        write: |e, given| {
            e.seed = given.large_count();
            Ok(())
        },
        ..BASE
    },
    Setting {
        name: "threads",
        help: "Threads to use; the answer does not depend on it",
        kind: Kind::Count(1, u16::MAX as u64),
        auto: Some("all cores"),
        python: Twin::Named("n_jobs"),
        read: |e| Some(e.threads.into()),
        write: |e, given| {
            e.threads = (!given.is_auto()).then(|| given.count());
            Ok(())
        },
        ..BASE
    },
    Setting {
        name: "gates",
        help: "What the gates stand before",
        kind: Kind::Choice(|| names(AnyGates::KINDS)),
        applies_to: &["gates"],
        group: Group::Choice,
        read: |e| e.method.gates().map(|gates| gates.name().into()),
        write: |e, given| {
            if let Some(gates) = gates(e).filter(|gates| gates.name() != given.text())
                && let Some(other) = made(AnyGates::KINDS, given.text())
            {
                *gates = other;
                // The model on the chosen variables is like what chose them, unless another is asked for.
                e.method.refit = made(Refit::KINDS, given.text()).unwrap_or(Refit::Linear(PlainLinear));
            }
            Ok(())
        },
        ..BASE
    },
    Setting {
        name: "evidence",
        help: "What decides that a variable is stable",
        kind: Kind::Choice(|| names(SOURCES)),
        applies_to: &["loop"],
        group: Group::Choice,
        read: |e| e.method.loop_settings().and_then(|svi| named(SOURCES, svi.evidence.map(|how| how.source))),
        write: |e, given| {
            let behind_network = e.method.gates().is_some_and(|gates| gates.network().is_some());
            let source = match made(SOURCES, given.text()).flatten() {
                Some(Source::Auto) if behind_network => Some(Source::Network),
                other => other,
            };
            if let Some(svi) = looped(e) {
                svi.evidence = source.map(|source| Evidence { source, ..svi.evidence.unwrap_or_default() });
            }
            // As published without evidence, so that it can be compared with.
            if source.is_none() && matches!(e.method.refit, Refit::Robust(_)) {
                e.method.refit = Refit::Linear(PlainLinear);
            }
            Ok(())
        },
        ..BASE
    },
    Setting {
        name: "evidence-rows",
        help: "Rows the evidence is gathered from at most, drawn at random",
        kind: Kind::Count(100, u64::MAX),
        applies_to: &["evidence"],
        group: Group::Choice,
        read: |e| evidence(e).map(|how| how.rows.into()),
        write: |e, given| change(looped(e).and_then(|svi| svi.evidence.as_mut()), |how| how.rows = given.count()),
        ..BASE
    },
    Setting {
        name: "threshold",
        help: "Probability from which a variable is selected",
        kind: Kind::Number(Range::Fraction),
        applies_to: &["rule"],
        group: Group::Choice,
        read: |e| match rule(e)? {
            Rule::Threshold(least) => Some(least.get().into()),
            _ => Some(HALF.get().into()),
        },
        write: |e, given| put_rule(e, Rule::Threshold(given.fraction()?)),
        ..BASE
    },
    Setting {
        name: "select",
        help: "Select this many, the most probable, instead of by a threshold",
        kind: Kind::Count(1, u64::MAX),
        auto: Some("as many as pass the threshold"),
        applies_to: &["rule"],
        instead_of: &["threshold"],
        python: Twin::Named("n_features_to_select"),
        group: Group::Choice,
        read: |e| match rule(e)? {
            Rule::Select(count) => Some((*count).into()),
            _ => Some(Value::Auto),
        },
        write: |e, given| if given.is_auto() { Ok(()) } else { put_rule(e, Rule::Select(given.count())) },
        ..BASE
    },
    Setting {
        name: "fdr",
        help: "Select so that at most this share of the selected is wrong on average (Benjamini-Hochberg), instead of by a threshold; needs evidence",
        kind: Kind::Number(Range::Fraction),
        auto: Some("by the threshold"),
        applies_to: &["loop"],
        instead_of: &["threshold", "select"],
        group: Group::Choice,
        read: |e| match rule(e)? {
            Rule::FalseDiscoveryRate(rate) => Some(rate.get().into()),
            _ => Some(Value::Auto),
        },
        write: |e, given| {
            if given.is_auto() { Ok(()) } else { put_rule(e, Rule::FalseDiscoveryRate(given.fraction()?)) }
        },
        ..BASE
    },
    Setting {
        name: "resamples",
        help: "Also select in this many random halves of the rows, and keep what most of them select",
        kind: Kind::Count(2, u64::MAX),
        auto: Some("none"),
        applies_to: &["loop"],
        group: Group::Choice,
        read: |e| e.method.loop_settings().map(|svi| svi.resampling.resamples.into()),
        write: |e, given| change(looped(e), |svi| svi.resampling.resamples = (!given.is_auto()).then(|| given.count())),
        ..BASE
    },
    Setting {
        name: "least-frequency",
        help: "Share of the halves in which a variable must be selected",
        kind: Kind::Number(Range::Fraction),
        applies_to: &["resampling"],
        group: Group::Choice,
        read: |e| e.method.loop_settings().map(|svi| svi.resampling.least_frequency.get().into()),
        write: |e, given| {
            let share = given.fraction()?;
            change(looped(e), |svi| svi.resampling.least_frequency = share)
        },
        ..BASE
    },
    Setting {
        name: "loops",
        help: "Most loops of Algorithm 1",
        kind: Kind::Count(1, u64::MAX),
        applies_to: &["loop"],
        python: Twin::Named("max_iter"),
        group: Group::Choice,
        read: |e| e.method.loop_settings().map(|svi| svi.loops.into()),
        write: |e, given| change(looped(e), |svi| svi.loops = given.count()),
        ..BASE
    },
    Setting {
        name: "moving-average",
        help: "Loops the soft mask is averaged over",
        kind: Kind::Count(1, u64::MAX),
        applies_to: &["loop"],
        group: Group::Choice,
        read: |e| e.method.loop_settings().map(|svi| svi.moving_average.into()),
        write: |e, given| change(looped(e), |svi| svi.moving_average = given.count()),
        ..BASE
    },
    Setting {
        name: "sigma",
        help: "Noise of the gates",
        kind: Kind::Number(Range::Positive),
        auto: Some("0.7; before a network 0.5"),
        applies_to: &["gates"],
        group: Group::Choice,
        usual: Some(|| Value::Auto),
        read: |e| match e.method.gates()? {
            AnyGates::Linear(gates) => Some(gates.sigma.get().into()),
            AnyGates::Network(gates) => Some(gates.sigma.get().into()),
        },
        write: |e, given| {
            if !given.is_auto() {
                let sigma = given.positive()?;
                change(gates(e), |gates| match gates {
                    AnyGates::Linear(gates) => gates.sigma = sigma,
                    AnyGates::Network(gates) => gates.sigma = sigma,
                })?;
            }
            Ok(())
        },
        ..BASE
    },
    Setting {
        name: "penalty-factor",
        help: "Multiplies the automatic cost of an open gate",
        kind: Kind::Number(Range::Positive),
        applies_to: &["linear-gates"],
        old_names: &["lambda-factor"],
        group: Group::Choice,
        read: |e| match e.method.gates()? {
            AnyGates::Linear(LinearGates { penalty: Penalty::Auto(factor), .. }) => Some(factor.get().into()),
            AnyGates::Linear(_) => match LinearGates::default().penalty {
                Penalty::Auto(factor) => Some(factor.get().into()),
                Penalty::Fixed(_) => None,
            },
            AnyGates::Network(_) => None,
        },
        write: |e, given| {
            let factor = given.positive()?;
            change(gates(e), |gates| {
                if let AnyGates::Linear(gates) = gates {
                    gates.penalty = Penalty::Auto(factor);
                }
            })
        },
        ..BASE
    },
    Setting {
        name: "penalty",
        help: "Cost of an open gate (the paper's lambda) as a share of the outcome's variance",
        kind: Kind::Number(Range::NonNegative),
        auto: Some("chosen from the data"),
        applies_to: &["gates"],
        instead_of: &["penalty-factor"],
        old_names: &["lambda"],
        group: Group::Choice,
        read: |e| match e.method.gates()? {
            AnyGates::Linear(LinearGates { penalty: Penalty::Fixed(cost), .. }) => Some(cost.get().into()),
            AnyGates::Linear(_) => Some(Value::Auto),
            AnyGates::Network(gates) => Some(gates.penalty.map(|cost| cost.get()).into()),
        },
        write: |e, given| {
            if given.is_auto() {
                return Ok(());
            }
            let cost = given.non_negative()?;
            change(gates(e), |gates| match gates {
                AnyGates::Linear(gates) => gates.penalty = Penalty::Fixed(cost),
                AnyGates::Network(gates) => gates.penalty = Some(cost),
            })
        },
        ..BASE
    },
    Setting {
        name: "reweighter",
        help: "How weights are found",
        kind: Kind::Choice(|| names(AnyReweighter::KINDS)),
        applies_to: &["weigh"],
        group: Group::Weights,
        read: |e| e.method.weigh.as_ref().map(|reweighter| reweighter.name().into()),
        write: |e, given| {
            if let Some(reweighter) = e.method.weigh.as_mut().filter(|weigh| weigh.name() != given.text()) {
                *reweighter = made(AnyReweighter::KINDS, given.text()).unwrap_or_default();
            }
            Ok(())
        },
        ..BASE
    },
    Setting {
        name: "divergence",
        help: "The distance to uniform weights",
        kind: Kind::Choice(|| names(DIVERGENCES)),
        applies_to: &["balance"],
        group: Group::Weights,
        read: |e| named(DIVERGENCES, e.method.weigh.as_ref()?.balance()?.divergence),
        write: |e, given| {
            change(e.method.weigh.as_mut().and_then(AnyReweighter::balance_mut), |how| {
                how.divergence = made(DIVERGENCES, given.text()).unwrap_or_default()
            })
        },
        ..BASE
    },
    Setting {
        name: "means",
        help: "What happens to the columns' means under the weights",
        kind: Kind::Choice(|| names(MEANS)),
        applies_to: &["balance"],
        group: Group::Weights,
        read: |e| named(MEANS, e.method.weigh.as_ref()?.balance()?.means),
        write: |e, given| {
            change(e.method.weigh.as_mut().and_then(AnyReweighter::balance_mut), |how| {
                how.means = made(MEANS, given.text()).unwrap_or_default()
            })
        },
        ..BASE
    },
    Setting {
        name: "ridge",
        help: "How much correlation the weights may leave",
        kind: Kind::Number(Range::Positive),
        auto: Some("(pairs of columns / rows)^2"),
        applies_to: &["balance"],
        group: Group::Weights,
        read: |e| Some(e.method.weigh.as_ref()?.balance()?.ridge.map(|ridge| ridge.get()).into()),
        write: |e, given| {
            let ridge = if given.is_auto() { None } else { Some(given.positive()?) };
            change(e.method.weigh.as_mut().and_then(AnyReweighter::balance_mut), |how| how.ridge = ridge)
        },
        ..BASE
    },
    Setting {
        name: "balance-tolerance",
        help: "Largest entry of the gradient at which the search for balance stops",
        kind: Kind::Number(Range::Positive),
        applies_to: &["balance"],
        group: Group::Weights,
        read: |e| Some(e.method.weigh.as_ref()?.balance()?.tolerance.get().into()),
        write: |e, given| {
            let tolerance = given.positive()?;
            change(e.method.weigh.as_mut().and_then(AnyReweighter::balance_mut), |how| how.tolerance = tolerance)
        },
        ..BASE
    },
    Setting {
        name: "balance-steps",
        help: "Most steps of the search for balance",
        kind: Kind::Count(1, u64::MAX),
        applies_to: &["balance"],
        group: Group::Weights,
        read: |e| Some(e.method.weigh.as_ref()?.balance()?.max_iterations.into()),
        write: |e, given| {
            change(e.method.weigh.as_mut().and_then(AnyReweighter::balance_mut), |how| {
                how.max_iterations = given.count()
            })
        },
        ..BASE
    },
    Setting {
        name: "steps",
        help: "Most steps of the published descent",
        kind: Kind::Count(0, u64::MAX),
        applies_to: &["dwr"],
        python: Twin::Named("max_iter"),
        group: Group::Weights,
        read: |e| Some(e.method.weigh.as_ref()?.dwr()?.steps.into()),
        write: |e, given| {
            change(e.method.weigh.as_mut().and_then(AnyReweighter::dwr_mut), |how| how.steps = given.count())
        },
        ..BASE
    },
    Setting {
        name: "classifier",
        help: "What tells shuffled from original rows",
        kind: Kind::Choice(|| names(CLASSIFIERS)),
        applies_to: &["srdo"],
        group: Group::Weights,
        read: |e| named(CLASSIFIERS, matches!(e.method.weigh.as_ref()?.srdo()?.classifier, Classifier::Network(_))),
        write: |e, given| {
            let network = made(CLASSIFIERS, given.text()).unwrap_or(true);
            change(e.method.weigh.as_mut().and_then(AnyReweighter::srdo_mut), |how| {
                how.classifier = match (network, &how.classifier) {
                    (false, _) => Classifier::Quadratic,
                    (true, Classifier::Network(network)) => Classifier::Network(network.clone()),
                    (true, Classifier::Quadratic) => Srdo::default().classifier,
                }
            })
        },
        ..BASE
    },
    Setting {
        name: "weight-limit",
        help: "A larger ratio of densities is cut off there",
        kind: Kind::Number(Range::Positive),
        applies_to: &["srdo"],
        group: Group::Weights,
        read: |e| Some(e.method.weigh.as_ref()?.srdo()?.limit.get().into()),
        write: |e, given| {
            let limit = given.positive()?;
            change(e.method.weigh.as_mut().and_then(AnyReweighter::srdo_mut), |how| how.limit = limit)
        },
        ..BASE
    },
    Setting {
        name: "folds",
        help: "Parts of the rows for cross-fitting the ratio of densities, or for the Lasso's cross-validation",
        kind: Kind::Count(2, u64::MAX),
        applies_to: &["srdo", "lasso"],
        group: Group::Weights,
        read: |e| {
            e.method
                .weigh
                .as_ref()
                .and_then(AnyReweighter::srdo)
                .map(|how| how.folds.into())
                .or_else(|| lasso(e).map(|how| how.folds.into()))
        },
        write: |e, given| {
            change(e.method.weigh.as_mut().and_then(AnyReweighter::srdo_mut), |how| how.folds = given.count())?;
            change(lasso_of(e), |how| how.folds = given.count())
        },
        ..BASE
    },
    Setting {
        name: "refit",
        help: "The model on the variables chosen",
        kind: Kind::Choice(|| {
            let auto = ("auto", "what the method has: robust for svi with evidence, a network behind network gates");
            std::iter::once(auto).chain(names(Refit::KINDS)).collect()
        }),
        applies_to: &["refit"],
        group: Group::Model,
        usual: Some(|| "auto".into()),
        read: |e| Some(e.method.refit.name().into()),
        write: |e, given| {
            if let Some(refit) = made(Refit::KINDS, given.text()).filter(|refit| refit.name() != e.method.refit.name())
            {
                e.method.refit = refit;
            }
            Ok(())
        },
        ..BASE
    },
    Setting {
        name: "outlier-limit",
        help: "Standard deviations beyond which residuals of the outcome are clipped, in robust refits and in residual evidence",
        kind: Kind::Number(Range::Positive),
        applies_to: &["robust", "evidence"],
        group: Group::Model,
        read: |e| match (evidence(e), &e.method.refit) {
            (Some(how), _) => Some(how.outlier_limit.get().into()),
            (None, Refit::Robust(huber)) => Some(huber.limit.get().into()),
            _ => None,
        },
        write: |e, given| {
            let limit = given.positive()?;
            change(e.method.refit.robust_mut(), |huber| huber.limit = limit)?;
            change(looped(e).and_then(|svi| svi.evidence.as_mut()), |how| how.outlier_limit = limit)
        },
        ..BASE
    },
    Setting {
        name: "alpha",
        help: "The Lasso's penalty, for standardised columns and outcome",
        kind: Kind::Number(Range::Positive),
        auto: Some("by cross-validation"),
        applies_to: &["lasso"],
        group: Group::Model,
        read: |e| Some(lasso(e)?.alpha.map(|alpha| alpha.get()).into()),
        write: |e, given| {
            let alpha = if given.is_auto() { None } else { Some(given.positive()?) };
            change(lasso_of(e), |how| how.alpha = alpha)
        },
        ..BASE
    },
    Setting {
        name: "shrinkage",
        help: "Penalty of ridge regression, for standardised columns and outcome",
        kind: Kind::Number(Range::NonNegative),
        auto: Some("by generalised cross-validation"),
        applies_to: &["ridge"],
        group: Group::Model,
        read: |e| Some(e.method.refit.ridge()?.shrinkage.map(|shrinkage| shrinkage.get()).into()),
        write: |e, given| {
            let shrinkage = if given.is_auto() { None } else { Some(given.non_negative()?) };
            change(e.method.refit.ridge_mut(), |how| how.shrinkage = shrinkage)
        },
        ..BASE
    },
    Setting {
        name: "hidden",
        help: "Units of each hidden layer of the network, as in 10 or 64,32",
        kind: Kind::Counts(1, MOST_UNITS),
        applies_to: &["network"],
        old_names: &["units"],
        group: Group::Model,
        read: |e| Some(e.method.refit.network()?.hidden.clone().into()),
        write: |e, given| change(e.method.refit.network_mut(), |how| how.hidden = given.counts()),
        ..BASE
    },
    Setting {
        name: "solver",
        help: "How the network's weights are found",
        kind: Kind::Choice(|| names(SOLVERS)),
        applies_to: &["network"],
        group: Group::Model,
        read: |e| named(SOLVERS, e.method.refit.network()?.solver),
        write: |e, given| {
            change(e.method.refit.network_mut(), |how| how.solver = made(SOLVERS, given.text()).unwrap_or_default())
        },
        ..BASE
    },
    Setting {
        name: "learning-rate",
        help: "Length of a step of Adam: the network's first, or the published descent's",
        kind: Kind::Number(Range::Positive),
        applies_to: &["network", "dwr"],
        group: Group::Model,
        read: |e| {
            let of_network = e.method.refit.network().map(|how| how.learning_rate.get().into());
            of_network.or_else(|| {
                e.method.weigh.as_ref().and_then(AnyReweighter::dwr).map(|how| how.learning_rate.get().into())
            })
        },
        write: |e, given| {
            let rate = given.positive()?;
            change(e.method.refit.network_mut(), |how| how.learning_rate = rate)?;
            change(e.method.weigh.as_mut().and_then(AnyReweighter::dwr_mut), |how| how.learning_rate = rate)
        },
        ..BASE
    },
    Setting {
        name: "epochs",
        help: "Most times all rows are seen by the network",
        kind: Kind::Count(1, u64::MAX),
        applies_to: &["network"],
        group: Group::Model,
        read: |e| Some(e.method.refit.network()?.epochs.into()),
        write: |e, given| change(e.method.refit.network_mut(), |how| how.epochs = given.count()),
        ..BASE
    },
    Setting {
        name: "batch-size",
        help: "Rows of a mini-batch",
        kind: Kind::Count(1, u64::MAX),
        applies_to: &["network"],
        old_names: &["batch"],
        group: Group::Model,
        read: |e| Some(e.method.refit.network()?.batch.into()),
        write: |e, given| change(e.method.refit.network_mut(), |how| how.batch = given.count()),
        ..BASE
    },
    Setting {
        name: "decay",
        help: "Ridge on the network's weights",
        kind: Kind::Number(Range::NonNegative),
        applies_to: &["network"],
        group: Group::Model,
        read: |e| Some(e.method.refit.network()?.decay.get().into()),
        write: |e, given| {
            let decay = given.non_negative()?;
            change(e.method.refit.network_mut(), |how| how.decay = decay)
        },
        ..BASE
    },
    Setting {
        name: "restarts",
        help: "Random starts of the network, of which the best on held-out rows is kept",
        kind: Kind::Count(1, u64::MAX),
        applies_to: &["network"],
        group: Group::Model,
        read: |e| Some(e.method.refit.network()?.restarts.into()),
        write: |e, given| change(e.method.refit.network_mut(), |how| how.restarts = given.count()),
        ..BASE
    },
];

const HALF: Fraction = Fraction::constant(0.5);

// Where a setting lives; nowhere, if the method does not have its stage.

fn change<T>(place: Option<&mut T>, with: impl FnOnce(&mut T)) -> Result<()> {
    if let Some(place) = place {
        with(place);
    }
    Ok(())
}

fn looped(estimator: &mut Estimator) -> Option<&mut Svi> {
    if let Choose::Loop(settings) = &mut estimator.method.choose { Some(settings) } else { None }
}

fn evidence(estimator: &Estimator) -> Option<&Evidence> {
    estimator.method.loop_settings()?.evidence.as_ref()
}

fn rule(estimator: &Estimator) -> Option<&Rule> {
    match &estimator.method.choose {
        Choose::Gates { rule, .. } | Choose::Loop(Svi { rule, .. }) => Some(rule),
        Choose::All | Choose::Lasso(_) => None,
    }
}

fn put_rule(estimator: &mut Estimator, new: Rule) -> Result<()> {
    if let Choose::Gates { rule, .. } | Choose::Loop(Svi { rule, .. }) = &mut estimator.method.choose {
        *rule = new;
    }
    Ok(())
}

fn gates(estimator: &mut Estimator) -> Option<&mut AnyGates> {
    match &mut estimator.method.choose {
        Choose::Gates { gates, .. } | Choose::Loop(Svi { gates, .. }) => Some(gates),
        Choose::All | Choose::Lasso(_) => None,
    }
}

fn lasso(estimator: &Estimator) -> Option<&Lasso> {
    if let Choose::Lasso(lasso) = &estimator.method.choose { Some(lasso) } else { None }
}

fn lasso_of(estimator: &mut Estimator) -> Option<&mut Lasso> {
    if let Choose::Lasso(lasso) = &mut estimator.method.choose { Some(lasso) } else { None }
}
