//! Every setting, declared once: its name, where it applies, its range, help, and the place that holds it.
//!
//! The command line's options, the Python parameters with their docstrings, and the page of settings are made from this table.
//! Settings are applied in its order: those that choose a stage come before those of the stage.

use super::Estimator;
use super::setting::{Group, Setting, Twin};
use super::value::{Kind, Range, Value};
use crate::design::{Missing, Roles, Task, WeightKind};
use crate::error::Result;
use crate::evidence::{Evidence, Source};
use crate::gates::{AnyGates, LinearGates, Penalty};
use crate::method::Choose;
use crate::models::{Huber, Lasso, Mlp, PlainLinear, Refit, Ridge, Solver, TreeStart, Trees};
use crate::parameter::{Fraction, Named};
use crate::selection::{Resampling, Rule};
use crate::svi::Svi;
use crate::weights::{AnyReweighter, Balance, Classifier, Divergence, Dwr, Means, Srdo};

const BASE: Setting = Setting {
    name: "",
    help: "",
    kind: Kind::Column,
    auto: None,
    applies_to: &[],
    instead_of: &[],
    python: Twin::Same,
    old_names: &[],
    group: Group::Table,
    usual: None,
    read: |_| None,
    write: |_, _| Ok(()),
};

/// How a setting is read and written: a field of a place, by the type of its values, or by hand.
macro_rules! held {
    ([$place:ident . $field:ident as count]) => {
        held!([by | e | Some($place::get(e)?.$field.into()), |e, given| {
            change($place::get_mut(e), |place| place.$field = given.count())
        }])
    };
    ([$place:ident . $field:ident as optional count]) => {
        held!([by | e | Some($place::get(e)?.$field.into()), |e, given| {
            change($place::get_mut(e), |place| place.$field = (!given.is_auto()).then(|| given.count()))
        }])
    };
    ([$place:ident . $field:ident as optional $number:ident]) => {
        held!([by | e | Some($place::get(e)?.$field.map(|value| value.get()).into()), |e, given| {
            let value = if given.is_auto() { None } else { Some(given.$number()?) };
            change($place::get_mut(e), |place| place.$field = value)
        }])
    };
    ([$place:ident . $field:ident as one of $names:ident]) => {
        held!([by | e | named($names, $place::get(e)?.$field), |e, given| match made($names, given.text()) {
            Some(value) => change($place::get_mut(e), |place| place.$field = value),
            None => Ok(()),
        }])
    };
    ([$place:ident . $field:ident as $number:ident]) => {
        held!([by | e | Some($place::get(e)?.$field.get().into()), |e, given| {
            let value = given.$number()?;
            change($place::get_mut(e), |place| place.$field = value)
        }])
    };
    ([by $read:expr, $write:expr]) => {
        Setting { read: $read, write: $write, ..BASE }
    };
}

/// A line: name (heading: stages) range, help, what holds it, and what else is not as in [`BASE`].
macro_rules! settings {
    ($($name:literal ($group:ident: $($stage:literal),+) $kind:expr, $help:literal, $held:tt
        $(, { $($field:ident: $value:expr),+ $(,)? })?;)*) => {
        /// Every setting, in the order in which they are applied.
        pub static SETTINGS: &[Setting] = &[$(Setting {
            name: $name,
            help: $help,
            kind: $kind,
            applies_to: &[$($stage),+],
            group: Group::$group,
            $($($field: $value,)+)?
            ..held!($held)
        },)*];
    };
}

/// No upper limit.
const ANY: u64 = u64::MAX;
/// The most units of a hidden layer.
const MOST_UNITS: u64 = 1 << 16;
/// Boosted trees, and splits from the root of one to a leaf, at most.
const MOST_ROUNDS: u64 = 10_000;
const MOST_DEPTH: u64 = 10;
const HALF: Fraction = Fraction::constant(0.5);

settings! {
    "task" (Table: "table") Kind::Choice(|| names(TASKS)), "What to predict",
        [by |e| Some(e.roles.task.and_then(|task| named(TASKS, task)).unwrap_or(Value::Auto)), |e, given| {
            e.roles.task = made(TASKS, given.text());
            Ok(())
        }], { auto: Some("inferred from the target, and said"), python: Twin::Instead("a Regressor or a Classifier") };
    "columns" (Table: "table") Kind::Columns, "A column to use, and no others than those given; or several, as in a,b",
        [by |e| Some(e.columns.clone().into()), |e, given| {
            e.columns = given.texts();
            Ok(())
        }], { python: Twin::Instead("X[columns]") };
    "exclude" (Table: "table") Kind::Columns, "A column to ignore, or several, as in a,b",
        [by |e| Some(e.roles.exclude.clone().into()), |e, given| {
            e.roles.exclude = given.texts();
            Ok(())
        }], { python: Twin::Instead("X.drop(columns=...)") };
    "category" (Table: "table") Kind::Columns, "A column whose values are categories though they look like numbers",
        [by |e| Some(e.text.clone().into()), |e, given| {
            e.text = given.texts();
            Ok(())
        }], { python: Twin::Instead("X.astype({column: str})"), old_names: &["text"] };
    "date" (Table: "table") Kind::Columns,
        "A column that holds dates: name takes days, name=parts year, month and weekday, name=dmy or name=mdy says their order",
        [by |e| Some(e.dates.clone().into()), |e, given| {
            e.dates = given.texts();
            Ok(())
        }], { python: Twin::Instead("X[column].dt") };
    "group" (Table: "table") Kind::Column, "A column that names groups of rows that are not independent of each other, such as the person",
        [by |e| Some(e.roles.group.clone().into()), |e, given| {
            e.roles.group = (!given.is_auto()).then(|| given.text().into());
            Ok(())
        }], { auto: Some("rows are independent"), python: Twin::Instead("fit(..., groups=...)") };
    "number" (Table: "table") Kind::Columns, "A text column to read as numbers, or several, as in a,b; what is no number is missing",
        [by |e| Some(e.roles.numbers.clone().into()), |e, given| {
            e.roles.numbers = given.texts();
            Ok(())
        }], { python: Twin::Instead("pandas.to_numeric(column, errors='coerce')") };
    "weight-column" (Table: "table") Kind::Column, "Base weights: how much each row counts",
        [by |e| Some(e.roles.weight_column.clone().into()), |e, given| {
            e.roles.weight_column = (!given.is_auto()).then(|| given.text().into());
            Ok(())
        }], { auto: Some("every row counts once"), python: Twin::Instead("fit(..., sample_weight=...)") };
    "env" (Table: "table") Kind::Column, "The column that names each row's environment, such as a place or a period: no covariate, but what the stress test holds out",
        [by |e| Some(e.roles.environment.clone().into()), |e, given| {
            e.roles.environment = (!given.is_auto()).then(|| given.text().into());
            Ok(())
        }], { auto: Some("regions of the rows are held out"), python: Twin::Instead("fit(..., env=...)") };
    "weight-kind" (Table: "table") Kind::Choice(|| names(WEIGHT_KINDS)), "What base weights mean",
        [roles.weight_kind as one of WEIGHT_KINDS];
    "missing" (Table: "table") Kind::Choice(|| names(MISSING)), "What to do with missing values",
        [roles.missing as one of MISSING];
    "max-levels" (Table: "table") Kind::Count(1, ANY), "The most different values a text column may have",
        [roles.max_levels as count];
    "memory" (Table: "table") Kind::Bytes, "The memory to use, such as 2GiB; a table that needs more is read in chunks",
        [by |e| Some(e.memory.into()), |e, given| {
            e.memory = (!given.is_auto()).then(|| given.large_count());
            Ok(())
        }], { auto: Some("half of what is free"), python: Twin::Instead("stablevar.dask") };
    "seed" (Table: "table") Kind::Count(0, ANY), "The seed; the same seed gives the same answer",
        [by |e| Some(e.seed.into()), |e, given| {
            e.seed = given.large_count();
            Ok(())
        }], { python: Twin::Named("random_state") };
    "threads" (Table: "table") Kind::Count(1, u16::MAX as u64), "Threads to use; the answer does not depend on it",
        [all.threads as optional count], { auto: Some("all cores"), python: Twin::Named("n_jobs") };

    "gates" (Choice: "gates") Kind::Choice(|| names(AnyGates::KINDS)), "What the gates stand before",
        [by |e| Some(gates::get(e)?.name().into()), |e, given| {
            if let Some(gates) = gates::get_mut(e).filter(|gates| gates.name() != given.text())
                && let Some(other) = made(AnyGates::KINDS, given.text())
            {
                *gates = other;
                // The model on the chosen variables is like what chose them, unless another is asked for.
                e.method.refit = made(Refit::KINDS, given.text()).unwrap_or(Refit::Linear(PlainLinear));
            }
            Ok(())
        }];
    "stable" (Choice: "rule", "lasso") Kind::Columns, "A column known to be stable: always in the set, and judged all the same",
        [by |e| Some(e.roles.told.stable.clone().into()), |e, given| {
            e.roles.told.stable = given.texts();
            Ok(())
        }];
    "unstable" (Choice: "rule", "lasso") Kind::Columns, "A column known to be unstable: never in the set, and judged all the same",
        [by |e| Some(e.roles.told.unstable.clone().into()), |e, given| {
            e.roles.told.unstable = given.texts();
            Ok(())
        }];
    "evidence" (Choice: "loop") Kind::Choice(|| names(SOURCES)), "What decides that a variable is stable",
        [by |e| named(SOURCES, looped::get(e)?.evidence.map(|how| how.source)), |e, given| {
            let source = made(SOURCES, given.text()).flatten();
            // As published without evidence, so that it can be compared with.
            if source.is_none() && robust::get(e).is_some() {
                e.method.refit = Refit::Linear(PlainLinear);
            }
            change(looped::get_mut(e), |svi| {
                svi.evidence = source.map(|source| Evidence { source, ..svi.evidence.unwrap_or_default() });
            })
        }];
    "evidence-rows" (Choice: "evidence") Kind::Count(100, ANY), "Rows the evidence is gathered from at most, drawn at random",
        [evidence.rows as count];
    "threshold" (Choice: "rule") Kind::Number(Range::Fraction), "Probability from which a variable is selected",
        [by |e| match rule::get(e)? {
            Rule::Threshold(least) => Some(least.get().into()),
            _ => Some(HALF.get().into()),
        }, |e, given| {
            let least = given.fraction()?;
            change(rule::get_mut(e), |rule| *rule = Rule::Threshold(least))
        }];
    "select" (Choice: "rule") Kind::Count(1, ANY), "Select this many, the most probable, instead of by a threshold",
        [by |e| match rule::get(e)? {
            Rule::Select(count) => Some((*count).into()),
            _ => Some(Value::Auto),
        }, |e, given| change(rule::get_mut(e).filter(|_| !given.is_auto()), |rule| *rule = Rule::Select(given.count()))],
        { auto: Some("as many as pass the threshold"), instead_of: &["threshold"], python: Twin::Named("n_features_to_select") };
    "fdr" (Choice: "loop") Kind::Number(Range::Fraction),
        "Select so that at most this share of the selected is wrong on average (Benjamini-Hochberg), instead of by a threshold; needs evidence",
        [by |e| match rule::get(e)? {
            Rule::FalseDiscoveryRate(rate) => Some(rate.get().into()),
            _ => Some(Value::Auto),
        }, |e, given| {
            let rate = if given.is_auto() { return Ok(()) } else { given.fraction()? };
            change(rule::get_mut(e), |rule| *rule = Rule::FalseDiscoveryRate(rate))
        }], { auto: Some("by the threshold"), instead_of: &["threshold", "select"] };
    "resamples" (Choice: "loop") Kind::Count(2, ANY),
        "Also select in this many random halves of the rows, and keep what most of them select",
        [resampling.resamples as optional count], { auto: Some("none") };
    "least-frequency" (Choice: "resampling") Kind::Number(Range::Fraction),
        "Share of the halves in which a variable must be selected", [resampling.least_frequency as fraction];
    "loops" (Choice: "loop") Kind::Count(1, ANY), "Most loops of Algorithm 1",
        [looped.loops as count], { python: Twin::Named("max_iter") };
    "moving-average" (Choice: "loop") Kind::Count(1, ANY), "Loops the soft mask is averaged over",
        [looped.moving_average as count];
    "sigma" (Choice: "gates") Kind::Number(Range::Positive), "Noise of the gates",
        [by |e| match gates::get(e)? {
            AnyGates::Linear(gates) => Some(gates.sigma.get().into()),
            AnyGates::Network(gates) => Some(gates.sigma.get().into()),
        }, |e, given| {
            let sigma = if given.is_auto() { return Ok(()) } else { given.positive()? };
            change(gates::get_mut(e), |gates| match gates {
                AnyGates::Linear(gates) => gates.sigma = sigma,
                AnyGates::Network(gates) => gates.sigma = sigma,
            })
        }], { auto: Some("0.7; before a network 0.5"), usual: Some(|| Value::Auto) };
    "penalty-factor" (Choice: "linear-gates") Kind::Number(Range::Positive), "Multiplies the automatic cost of an open gate",
        [by |e| match (linear_gates::get(e)?.penalty, LinearGates::default().penalty) {
            (Penalty::Auto(factor), _) | (_, Penalty::Auto(factor)) => Some(factor.get().into()),
            _ => None,
        }, |e, given| {
            let factor = given.positive()?;
            change(linear_gates::get_mut(e), |gates| gates.penalty = Penalty::Auto(factor))
        }], { old_names: &["lambda-factor"] };
    "penalty" (Choice: "gates") Kind::Number(Range::NonNegative),
        "Cost of an open gate (the paper's lambda) as a share of the outcome's variance",
        [by |e| match gates::get(e)? {
            AnyGates::Linear(LinearGates { penalty: Penalty::Fixed(cost), .. }) => Some(cost.get().into()),
            AnyGates::Linear(_) => Some(Value::Auto),
            AnyGates::Network(gates) => Some(gates.penalty.map(|cost| cost.get()).into()),
        }, |e, given| {
            let cost = if given.is_auto() { return Ok(()) } else { given.non_negative()? };
            change(gates::get_mut(e), |gates| match gates {
                AnyGates::Linear(gates) => gates.penalty = Penalty::Fixed(cost),
                AnyGates::Network(gates) => gates.penalty = Some(cost),
            })
        }], { auto: Some("chosen from the data"), instead_of: &["penalty-factor"], old_names: &["lambda"] };

    "reweighter" (Weights: "weigh") Kind::Choice(|| names(AnyReweighter::KINDS)), "How weights are found",
        [by |e| Some(e.method.weigh.as_ref()?.name().into()), |e, given| {
            change(e.method.weigh.as_mut().filter(|weigh| weigh.name() != given.text()), |weigh| {
                *weigh = made(AnyReweighter::KINDS, given.text()).unwrap_or_default();
            })
        }];
    "divergence" (Weights: "balance") Kind::Choice(|| names(DIVERGENCES)), "The distance to uniform weights",
        [balance.divergence as one of DIVERGENCES];
    "means" (Weights: "balance") Kind::Choice(|| names(MEANS)), "What happens to the columns' means under the weights",
        [balance.means as one of MEANS];
    "ridge" (Weights: "balance") Kind::Number(Range::Positive), "How much correlation the weights may leave; 1e-10 leaves none, if there are such weights",
        [balance.ridge as optional positive],
        { auto: Some("(pairs of columns / rows)^2 in the loop of Algorithm 1; where balance is by itself or takes the place of another reweighter as little as the rows allow") };
    "balance-tolerance" (Weights: "balance") Kind::Number(Range::Positive),
        "Largest entry of the gradient at which the search for balance stops; 1e-9 where balance takes the place of another reweighter", [balance.tolerance as positive];
    "balance-steps" (Weights: "balance") Kind::Count(1, ANY), "Most steps of the search for balance",
        [balance.max_iterations as count];
    "steps" (Weights: "dwr") Kind::Count(0, ANY), "Most steps of the published descent",
        [dwr.steps as count], { python: Twin::Named("max_iter") };
    "dwr-tolerance" (Weights: "dwr") Kind::Number(Range::Positive), "The loss at which the published descent stops early",
        [dwr.tolerance as positive];
    "classifier" (Weights: "srdo") Kind::Choice(|| names(CLASSIFIERS)), "What tells shuffled from original rows",
        [by |e| named(CLASSIFIERS, matches!(srdo::get(e)?.classifier, Classifier::Network(_))), |e, given| {
            let network = made(CLASSIFIERS, given.text()) == Some(true);
            change(srdo::get_mut(e), |how| match (network, &how.classifier) {
                (true, Classifier::Quadratic) => how.classifier = Srdo::default().classifier,
                (false, _) => how.classifier = Classifier::Quadratic,
                (true, Classifier::Network(_)) => {}
            })
        }];
    "weight-limit" (Weights: "srdo") Kind::Number(Range::Positive), "A larger ratio of densities is cut off there",
        [srdo.limit as positive];
    "folds" (Weights: "srdo", "lasso") Kind::Count(2, ANY),
        "Parts of the rows for cross-fitting the ratio of densities, or for the Lasso's cross-validation",
        [by |e| srdo::get(e).map(|how| how.folds.into()).or_else(|| Some(lasso::get(e)?.folds.into())), |e, given| {
            change(srdo::get_mut(e), |how| how.folds = given.count())?;
            change(lasso::get_mut(e), |how| how.folds = given.count())
        }];

    "refit" (Model: "refit") Kind::Choice(|| names(Refit::KINDS)), "The model on the variables chosen",
        [by |e| Some(e.method.refit.name().into()), |e, given| {
            // "auto" leaves what the method has.
            let other = |refit: &Refit| refit.auto().is_none() && refit.name() != e.method.refit.name();
            if let Some(refit) = made(Refit::KINDS, given.text()).filter(other) {
                e.method.refit = refit;
            }
            Ok(())
        }], { usual: Some(|| "auto".into()) };
    "remember" (Model: "refit") Kind::Count(0, 1_000_000),
        "Training rows that the model keeps with their outcomes at most, so that errors elsewhere can be foreseen; 0 keeps none",
        [by |e| Some(e.method.remember.into()), |e, given| {
            e.method.remember = given.count();
            Ok(())
        }];
    "honest" (Model: "auto") Kind::Count(0, 100),
        "Regions, and with them five folds, without which the whole is fitted anew, selection and all: the honest estimate of errors elsewhere beside the cheap one of the refit's choice; each takes as long as the fit, 0 leaves it out",
        [by |e| e.method.refit.auto().map(|_| e.method.honest.into()), |e, given| {
            e.method.honest = given.count();
            Ok(())
        }];
    "outlier-limit" (Model: "robust", "evidence") Kind::Number(Range::Positive),
        "Standard deviations beyond which residuals of the outcome are clipped, in robust refits and in residual evidence",
        [by |e| {
            let of_evidence = evidence::get(e).map(|how| how.outlier_limit);
            Some(of_evidence.or_else(|| Some(robust::get(e)?.limit))?.get().into())
        }, |e, given| {
            let limit = given.positive()?;
            change(robust::get_mut(e), |how| how.limit = limit)?;
            change(evidence::get_mut(e), |how| how.outlier_limit = limit)
        }];
    "alpha" (Model: "lasso") Kind::Number(Range::Positive), "The Lasso's penalty, for standardised columns and outcome",
        [lasso.alpha as optional positive], { auto: Some("by cross-validation") };
    "shrinkage" (Model: "ridge") Kind::Number(Range::NonNegative),
        "Penalty of ridge regression, for standardised columns and outcome",
        [ridge.shrinkage as optional non_negative], { auto: Some("by generalised cross-validation") };
    "hidden" (Model: "network") Kind::Counts(1, MOST_UNITS), "Units of each hidden layer of the refitted network, as in 10 or 64,32",
        [by |e| Some(network::get(e)?.hidden.clone().into()), |e, given| {
            change(network::get_mut(e), |how| how.hidden = given.counts())
        }], { old_names: &["units"] };
    "solver" (Model: "network") Kind::Choice(|| names(SOLVERS)), "How the refitted network's weights are found",
        [network.solver as one of SOLVERS];
    "learning-rate" (Model: "network", "dwr") Kind::Number(Range::Positive),
        "Length of a step of Adam: the refitted network's first, or the published descent's",
        [by |e| {
            let of_network = network::get(e).map(|how| how.learning_rate);
            Some(of_network.or_else(|| Some(dwr::get(e)?.learning_rate))?.get().into())
        }, |e, given| {
            let rate = given.positive()?;
            change(network::get_mut(e), |how| how.learning_rate = rate)?;
            change(dwr::get_mut(e), |how| how.learning_rate = rate)
        }];
    "epochs" (Model: "network") Kind::Count(1, ANY), "Most times all rows are seen by the refitted network", [network.epochs as count];
    "batch-size" (Model: "network") Kind::Count(1, ANY), "Rows of a mini-batch of the refitted network",
        [network.batch as count], { old_names: &["batch"] };
    "decay" (Model: "network") Kind::Number(Range::NonNegative), "Ridge on the refitted network's weights",
        [network.decay as non_negative];
    "restarts" (Model: "network") Kind::Count(1, ANY),
        "Random starts of the refitted network, of which the best on held-out rows is kept", [network.restarts as count];
    "tree-start" (Model: "trees") Kind::Choice(|| names(TREE_STARTS)), "What boosted trees are added to",
        [trees.start as one of TREE_STARTS], { usual: Some(|| "line".into()) };
    "tree-rounds" (Model: "trees") Kind::Count(0, MOST_ROUNDS), "Number of boosted trees",
        [trees.rounds as optional count], { auto: Some("as many as help on rows held out"), usual: Some(|| Value::Auto) };
    "tree-depth" (Model: "trees") Kind::Count(1, MOST_DEPTH), "Splits from the root of a boosted tree to a leaf at most",
        [trees.depth as count], { usual: Some(|| Trees::default().depth.into()) };
}

/// What settings are fields of: nowhere, if the method does not have the stage.
macro_rules! places {
    ($($place:ident: $type:ty, |$e:ident| $read:expr, $write:expr;)*) => {
        $(mod $place {
            #[allow(unused_imports)]
            use super::*;

            pub(super) fn get($e: &Estimator) -> Option<&$type> {
                $read
            }

            pub(super) fn get_mut($e: &mut Estimator) -> Option<&mut $type> {
                $write
            }
        })*
    };
}

places! {
    all: Estimator, |e| Some(e), Some(e);
    roles: Roles, |e| Some(&e.roles), Some(&mut e.roles);
    looped: Svi, |e| e.method.loop_settings(), if let Choose::Loop(svi) = &mut e.method.choose { Some(svi) } else { None };
    evidence: Evidence, |e| looped::get(e)?.evidence.as_ref(), looped::get_mut(e)?.evidence.as_mut();
    resampling: Resampling, |e| Some(&looped::get(e)?.resampling), Some(&mut looped::get_mut(e)?.resampling);
    gates: AnyGates, |e| e.method.gates(), match &mut e.method.choose {
        Choose::Gates { gates, .. } | Choose::Loop(Svi { gates, .. }) => Some(gates),
        Choose::All | Choose::Lasso(_) => None,
    };
    linear_gates: LinearGates,
        |e| if let AnyGates::Linear(gates) = gates::get(e)? { Some(gates) } else { None },
        if let AnyGates::Linear(gates) = gates::get_mut(e)? { Some(gates) } else { None };
    rule: Rule, |e| e.method.rule(), match &mut e.method.choose {
        Choose::Gates { rule, .. } | Choose::Loop(Svi { rule, .. }) => Some(rule),
        Choose::All | Choose::Lasso(_) => None,
    };
    lasso: Lasso,
        |e| if let Choose::Lasso(lasso) = &e.method.choose { Some(lasso) } else { None },
        if let Choose::Lasso(lasso) = &mut e.method.choose { Some(lasso) } else { None };
    balance: Balance, |e| e.method.weigh.as_ref()?.balance(), e.method.weigh.as_mut()?.balance_mut();
    dwr: Dwr, |e| e.method.weigh.as_ref()?.dwr(), e.method.weigh.as_mut()?.dwr_mut();
    srdo: Srdo, |e| e.method.weigh.as_ref()?.srdo(), e.method.weigh.as_mut()?.srdo_mut();
    robust: Huber, |e| match &e.method.refit {
        Refit::Auto(auto) => Some(&auto.robust),
        other => other.robust(),
    }, match &mut e.method.refit {
        Refit::Auto(auto) => Some(&mut auto.robust),
        other => other.robust_mut(),
    };
    ridge: Ridge, |e| e.method.refit.ridge(), e.method.refit.ridge_mut();
    network: Mlp, |e| e.method.refit.network(), e.method.refit.network_mut();
    trees: Trees, |e| e.method.refit.trees(), e.method.refit.trees_mut();
}

fn change<T>(place: Option<&mut T>, with: impl FnOnce(&mut T)) -> Result<()> {
    if let Some(place) = place {
        with(place);
    }
    Ok(())
}

fn names<T>(kinds: &'static [Named<T>]) -> Vec<(&'static str, &'static str)> {
    kinds.iter().map(|kind| (kind.name, kind.help)).collect()
}

fn made<T>(kinds: &'static [Named<T>], name: &str) -> Option<T> {
    kinds.iter().find(|kind| kind.name == name).map(|kind| (kind.make)())
}

fn named<T: PartialEq>(kinds: &'static [Named<T>], value: T) -> Option<Value> {
    kinds.iter().find(|kind| (kind.make)() == value).map(|kind| kind.name.into())
}

/// Names for values: `name: meaning, value`.
macro_rules! choices {
    ($($names:ident: $type:ty { $($name:literal: $help:literal, $value:expr;)* })*) => {
        $(const $names: &[Named<$type>] = &[$(Named { name: $name, help: $help, make: || $value },)*];)*
    };
}

choices! {
    TASKS: Task {
        "regression": "a number", Task::Regression;
        "classification": "one of two classes", Task::Classification;
    }
    WEIGHT_KINDS: WeightKind {
        "survey": "how much a row counts beside the others: only their ratios matter, and uneven ones leave fewer effective rows",
            WeightKind::Survey;
        "frequency": "how often it was seen: a count of 2 is the row standing twice", WeightKind::Frequency;
    }
    MISSING: Missing {
        "refuse": "stop and say where they are", Missing::Refuse;
        "drop": "leave out the rows that have any", Missing::Drop;
        "mean": "put the column's mean, or the most frequent text", Missing::Mean;
    }
    SOURCES: Option<Source> {
        "auto": "what measured best: residual, or focused for a great many columns; behind a network network", Some(Source::Auto);
        "focused": "the outcome's slope in it under weights that decorrelate it from all others, their squares and products: fast",
            Some(Source::Focused);
        "residual": "whether the outcome depends on it given all others, by flexible regressions: slower, and the most reliable",
            Some(Source::Residual);
        "network": "how much worse a wide network predicts unseen rows without it", Some(Source::Network);
        "none": "its gate, as in the paper", None;
    }
    DIVERGENCES: Divergence {
        "chi2": "keeps the largest effective sample size there is", Divergence::Chi2;
        "entropy": "keeps every weight above 0", Divergence::Entropy;
    }
    MEANS: Means {
        "pinned": "they stay where they are", Means::Pinned;
        "recentred": "they may move: a little more effective sample size", Means::Recentred;
    }
    CLASSIFIERS: bool {
        "network": "a network", true;
        "quadratic": "logistic regression on the columns, their squares and products", false;
    }
    TREE_STARTS: TreeStart {
        "line": "a straight line, which goes on beyond the training rows", TreeStart::Line;
        "constant": "a constant", TreeStart::Constant;
    }
    SOLVERS: Solver {
        "auto": "Adam for many rows, L-BFGS for few", Solver::Auto;
        "adam": "steps on mini-batches", Solver::Adam;
        "lbfgs": "quasi-Newton steps on all rows", Solver::Lbfgs;
    }
}
