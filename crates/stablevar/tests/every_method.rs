//! What every method must do, for every task it is for: the table of presets says which there are.

use crate::common::{columns, has_network, largest_difference, numbers};
use stablevar::estimator::{Estimator, SETTINGS, Value};
use stablevar::fit::{Fit, FittedModel, Task};
use stablevar::method::{PRESETS, Preset};
use stablevar::table::Table;
use stablevar_data::simulate::World;
use std::sync::LazyLock;

/// Rows are few so that a fit of every method for every task takes little time.
const ROWS: usize = 300;

/// Methods whose answer depends on the order and the sign of the columns, and why.
const NOT_INVARIANT: &[(&str, &str)] = &[
    ("nonlinear-svi", "its networks start from random weights, which are dealt out to the columns in their order"),
    ("srdo", "the network that tells shuffled rows, and the one on all variables, start from random weights"),
    ("mlp", "the network starts from random weights"),
];

/// Settings under which networks and descents take little time; each goes to the methods that have its stage.
fn quick(preset: &'static Preset) -> Estimator {
    let plain = Estimator::of(preset);
    let mut settings = vec![("epochs", Value::from(15)), ("restarts", 1.into())];
    if plain.method.gates().is_some_and(|gates| gates.network().is_some()) {
        // So few rows are no evidence for networks, which then select nothing.
        settings.push(("select", 3.into()));
    }
    let applies = |name: &str| SETTINGS.iter().any(|setting| setting.name == name && setting.applies(&plain));
    let settings = settings.into_iter().filter(|(name, _)| applies(name)).map(|(name, value)| (name.into(), value));
    Estimator::of(preset).set_all(settings).unwrap().target("y")
}

fn for_task(preset: &'static Preset, task: Task) -> Estimator {
    let name = if task == Task::Regression { "regression" } else { "classification" };
    quick(preset).set("task", name).unwrap()
}

/// Three stable columns, three others of which one is biased; classes are the sign of the outcome.
fn sample(task: Task) -> Table<'static> {
    let world = World { columns: 6, stable: 3, ..World::default() };
    let drawn = world.draw(ROWS, 2.0, 5).unwrap();
    let of_task = |(name, values): (String, Vec<f64>)| match task {
        Task::Classification if name == "y" => (name, values.iter().map(|y| f64::from(*y > 0.0)).collect()),
        _ => (name, values),
    };
    Table::from_numbers(columns(&drawn).into_iter().map(of_task)).unwrap()
}

/// A method, a task that it is for, and its fit of the sample.
struct Fitted {
    preset: &'static Preset,
    task: Task,
    fit: Fit,
}

/// Every method with every task that it is for. The tests share the fits, which take most of their time.
static FITTED: LazyLock<Vec<Fitted>> = LazyLock::new(|| {
    let tasks = |preset: &'static Preset| preset.method().tasks().into_iter().map(move |task| (preset, task));
    let fitted = |(preset, task)| {
        let fit = for_task(preset, task).fit(&sample(task)).unwrap_or_else(|error| panic!("{}: {error}", preset.name));
        Fitted { preset, task, fit }
    };
    PRESETS.iter().flat_map(tasks).map(fitted).collect()
});

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let centred = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|value| value - mean).collect::<Vec<f64>>()
    };
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (a, b) = (centred(a), centred(b));
    product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
}

fn slopes(fit: &Fit) -> Vec<f64> {
    fit.model.model.coefficients(&fit.model.encoding)
}

#[test]
fn every_method_learns_something_from_the_variables_it_selects_and_from_no_others() {
    for Fitted { preset, task, fit } in FITTED.iter() {
        let (table, model) = (sample(*task), &fit.model);
        let which = format!("{} for {task:?}", preset.name);
        assert_eq!((model.method.name(), model.task, model.rows), (preset.name, *task, ROWS), "{which}");
        model.check().unwrap();
        let (slopes, selected) = (slopes(fit), model.selected_columns());
        assert!(slopes.iter().all(|slope| slope.is_finite()) && !selected.is_empty(), "{which}: {slopes:?}");
        for (column, slope) in slopes.iter().enumerate() {
            assert_eq!(*slope != 0.0, selected.contains(&column), "{which}, column {column}: {slope}");
        }
        let named: Vec<&str> = model.coefficients().into_iter().map(|(name, _)| name).collect();
        assert_eq!(named, model.selected_names(), "{which}");

        let (truth, predicted) = (numbers(&table, "y"), model.predict(&table).unwrap());
        assert!(predicted.len() == ROWS && predicted.iter().all(|value| value.is_finite()), "{which}");
        // Not the share of variance explained, which weights may spoil though the direction is right.
        let correlation = correlation(&truth, &predicted);
        assert!(correlation > 0.3, "{which}: {correlation}");
    }
}

#[test]
fn every_model_predicts_the_same_to_the_last_bit_after_a_file() {
    for Fitted { preset, task, fit: Fit { model, .. } } in FITTED.iter() {
        let table = sample(*task);
        let again: FittedModel = serde_json::from_str(&serde_json::to_string(model).unwrap()).unwrap();
        let bits = |model: &FittedModel| -> Vec<u64> {
            model.predict(&table).unwrap().into_iter().map(f64::to_bits).collect()
        };
        assert!(again == *model && bits(&again) == bits(model), "{} for {task:?}", preset.name);
        // The settings can be read back, so that a model tells how to make it again.
        assert_eq!(again.method, for_task(preset, *task).method);
    }
}

/// How far apart two fits of the same rows are, in what they select, in their coefficients and in their predictions.
fn distance(first: (&Fit, &Table), second: (&Fit, &Table), in_first_order: impl Fn(Vec<f64>) -> Vec<f64>) -> f64 {
    let selected = |fit: &Fit| {
        let names = fit.model.selected_names().into_iter().map(str::to_string);
        names.collect::<std::collections::BTreeSet<String>>()
    };
    if selected(first.0) != selected(second.0) {
        return f64::INFINITY;
    }
    let of_slopes = largest_difference(&slopes(first.0), &in_first_order(slopes(second.0)));
    let predicted = |(fit, table): (&Fit, &Table)| fit.model.predict(table).unwrap();
    of_slopes.max(largest_difference(&predicted(first), &predicted(second)))
}

#[test]
fn order_and_units_of_columns_do_not_matter_but_to_those_named() {
    for Fitted { preset, task, fit } in FITTED.iter() {
        let (table, estimator) = (sample(*task), for_task(preset, *task));
        let turned = Table::from_numbers(columns(&table).into_iter().rev()).unwrap();
        let turned_fit = estimator.fit(&turned).unwrap();
        let of_order = distance((fit, &table), (&turned_fit, &turned), |mut slopes| {
            slopes.reverse();
            slopes
        });
        let (factor, shift) = (-250.0, 1e4);
        let scaled = Table::from_numbers(columns(&table).into_iter().map(|(name, values)| match name.as_str() {
            "s2" => (name, values.iter().map(|x| factor * x + shift).collect()),
            _ => (name, values),
        }))
        .unwrap();
        let scaled_fit = estimator.fit(&scaled).unwrap();
        let of_units = distance((fit, &table), (&scaled_fit, &scaled), |mut slopes| {
            slopes[1] *= factor;
            slopes
        });
        let which = format!("{} for {task:?}: {of_order:e} by order, {of_units:e} by units", preset.name);
        match NOT_INVARIANT.iter().find(|(name, _)| *name == preset.name) {
            None => assert!(of_order < 1e-6 && of_units < 1e-6, "{which}"),
            Some((_, reason)) => assert!(of_order > 1e-3 && of_units > 1e-3, "{which}, though {reason}"),
        }
    }
}

#[test]
fn those_named_as_not_invariant_are_the_methods_with_networks() {
    let named: Vec<&str> = NOT_INVARIANT.iter().map(|(name, _)| *name).collect();
    let networks = PRESETS.iter().filter(|preset| has_network(&preset.method())).map(|preset| preset.name);
    assert_eq!(named, networks.collect::<Vec<_>>());
}

#[test]
fn a_task_that_a_method_is_not_for_is_refused_by_its_name() {
    let mut refused = 0;
    for preset in PRESETS {
        for task in [Task::Regression, Task::Classification] {
            if preset.method().tasks().contains(&task) {
                continue;
            }
            let error = for_task(preset, task).fit(&sample(task)).unwrap_err().to_string();
            assert!(error.contains(preset.name) && error.contains("'y'"), "{}: {error}", preset.name);
            refused += 1;
        }
    }
    // Least squares and the Lasso are for numbers, logistic regression for classes.
    assert!(refused >= 3, "{refused}");
}
