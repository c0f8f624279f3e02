//! What must not change the answer.

use crate::common::{columns, fit_method, has_network, largest_difference, method, method_with, prepare, published};
use stablevar::design::{Roles, TrainingData, WeightKind};
use stablevar::estimator::Value;
use stablevar::fit::Task;
use stablevar::method::{Method, PRESETS};
use stablevar::table::Table;
use stablevar_data::simulate::World;

fn sample(rows: usize) -> Table<'static> {
    World::default().draw(rows, 2.5, 11).unwrap()
}

/// Every method for numbers that does not start from random weights of a network, and SVI as published.
fn methods() -> Vec<Method> {
    let presets = PRESETS.iter().map(|preset| match preset.name {
        // Cross-validation deals rows out by their position, so that another penalty may be chosen.
        "lasso" => method_with("lasso", [("alpha", Value::from(0.05))]),
        // The published descent stops on its way, at a place that depends on the start.
        "dwr" => method_with("dwr", [("reweighter", "balance")]),
        _ => preset.method(),
    });
    let steady = presets.filter(|method| method.tasks().contains(&Task::Regression) && !has_network(method));
    steady.chain([published()]).collect()
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let table = sample(1300);
    let order: Vec<usize> = (0..1300).map(|k| (k * 701 + 13) % 1300).collect();
    let shuffled = table.keep_rows(&order);
    for method in methods() {
        let (first, second) = (prepare(&table), prepare(&shuffled));
        let (a, b) = (fit_method(&first, &method), fit_method(&second, &method));
        assert_eq!(a.model.selected, b.model.selected, "{}", method.name());
        let by_row = a.weights.values(&first);
        let weights: Vec<f64> = order.iter().map(|&row| by_row[row]).collect();
        // Evidence deals the rows out to folds by their position, which moves its probabilities, and the mask, a little.
        let judged = a.model.evidence.is_some();
        assert!(judged || largest_difference(&weights, &b.weights.values(&second)) < 2e-3, "{}", method.name());
        let slopes = |fit: &stablevar::fit::Fit| fit.model.model.coefficients(&fit.model.encoding);
        assert!(largest_difference(&slopes(&a), &slopes(&b)) < 1e-6, "{}", method.name());
    }
}

#[test]
fn the_order_of_columns_does_not_matter() {
    let table = sample(1300);
    let mut turned = columns(&table);
    turned.reverse();
    let turned = Table::from_numbers(turned).unwrap();
    for method in methods() {
        let (a, b) = (fit_method(&prepare(&table), &method), fit_method(&prepare(&turned), &method));
        let mut names = b.model.selected_names();
        names.reverse();
        assert_eq!(a.model.selected_names(), names, "{}", method.name());
        let mut slopes = b.model.model.coefficients(&b.model.encoding);
        slopes.reverse();
        assert!(
            largest_difference(&a.model.model.coefficients(&a.model.encoding), &slopes) < 1e-6,
            "{}",
            method.name()
        );
    }
}

#[test]
fn units_change_coefficients_and_nothing_else() {
    let table = sample(1300);
    let (factor, shift) = (-250.0, 1e4);
    let scaled = columns(&table).into_iter().map(|(name, values)| {
        let values = if name == "s2" { values.iter().map(|x| factor * x + shift).collect() } else { values };
        (name, values)
    });
    let scaled = Table::from_numbers(scaled).unwrap();
    for method in methods() {
        let (a, b) = (fit_method(&prepare(&table), &method), fit_method(&prepare(&scaled), &method));
        assert_eq!(a.model.selected, b.model.selected, "{}", method.name());
        let (old, mut new) =
            (a.model.model.coefficients(&a.model.encoding), b.model.model.coefficients(&b.model.encoding));
        new[1] *= factor;
        assert!(largest_difference(&old, &new) < 1e-6, "{}", method.name());
        let predict = |fit: &stablevar::fit::Fit, table: &Table| {
            fit.model.model.predict(&fit.model.encoding.encode(table).unwrap().0)
        };
        assert!(largest_difference(&predict(&a, &table), &predict(&b, &scaled)) < 1e-6, "{}", method.name());
    }
}

#[test]
fn a_count_of_three_is_the_row_standing_three_times() {
    let table = sample(1200);
    let counts: Vec<usize> = (0..1200).map(|row| row % 4).collect();
    let mut weighted = columns(&table);
    weighted.push(("count".into(), counts.iter().map(|&count| count as f64).collect()));
    let weighted = Table::from_numbers(weighted).unwrap();
    let rows: Vec<usize> = (0..1200).flat_map(|row| std::iter::repeat_n(row, counts[row])).collect();
    let repeated = table.keep_rows(&rows);
    let counts = WeightKind::Frequency;
    let roles = Roles { weight_column: Some("count".into()), weight_kind: counts, ..Roles::target("y") };
    for method in methods() {
        let a = fit_method(&TrainingData::prepare(&weighted, &roles).unwrap(), &method);
        let b = fit_method(&prepare(&repeated), &method);
        assert_eq!(a.model.selected, b.model.selected, "{}", method.name());
        let slopes = |fit: &stablevar::fit::Fit| fit.model.model.coefficients(&fit.model.encoding);
        assert!(largest_difference(&slopes(&a), &slopes(&b)) < 1e-6, "{}", method.name());
        let relative = a.model.effective_sample_size / b.model.effective_sample_size - 1.0;
        assert!(relative.abs() < 1e-3, "{}: {relative}", method.name());
    }
}

#[test]
fn of_survey_weights_only_the_ratios_matter() {
    let table = sample(600);
    let weigh = |unit: f64| {
        let mut weighted = columns(&table);
        weighted.push(("w".into(), (0..600).map(|row| unit * (1 + row % 4) as f64).collect()));
        let roles = Roles { weight_column: Some("w".into()), ..Roles::target("y") };
        TrainingData::prepare(&Table::from_numbers(weighted).unwrap(), &roles).unwrap()
    };
    // Kish: (sum w)^2 / sum w^2.
    assert!((weigh(1.0).total_weight() - 500.0).abs() < 1e-9);
    for method in methods() {
        let fits = [1.0, 1000.0, 1e-7].map(|unit| fit_method(&weigh(unit), &method));
        let slopes = |fit: &stablevar::fit::Fit| fit.model.model.coefficients(&fit.model.encoding);
        for other in &fits[1..] {
            assert_eq!(fits[0].model.selected, other.model.selected, "{}", method.name());
            assert!(largest_difference(&slopes(&fits[0]), &slopes(other)) < 1e-6, "{}", method.name());
            let relative = fits[0].model.effective_sample_size / other.model.effective_sample_size - 1.0;
            assert!(relative.abs() < 1e-6, "{}: {relative}", method.name());
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let linear = World::default().draw(8000, 2.5, 4).unwrap();
    let nonlinear = World::default().nonlinear(100, 4).draw(3000, 2.0, 4).unwrap();
    let by_gates = method_with("nonlinear-svi", [("evidence", Value::from("none")), ("loops", 5.into())]);
    for (table, method) in [(&linear, Method::default()), (&nonlinear, method("nonlinear-svi")), (&nonlinear, by_gates)]
    {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let fit = fit_method(&prepare(table), &method);
                (fit.weights, serde_json::to_string(&fit.model).unwrap())
            })
        };
        // Not assert_eq: a failure would print megabytes.
        let one = run(1);
        assert!(one == run(2) && one == run(5), "{}", method.name());
    }
}
