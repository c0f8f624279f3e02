//! The stress test on simulated data, where it is known what carries over.

use crate::common::{fit_method, largest_difference, method, method_with, prepare};
use stablevar::comparison::{Plan, compare};
use stablevar::design::TrainingData;
use stablevar::estimator::Estimator;
use stablevar::finding::Code;
use stablevar::models::{Model, OUTLIER_LIMIT};
use stablevar::stress::{Chosen, Kind, Question, Variables, choose};
use stablevar::table::Table;
use stablevar_data::simulate::World;
use std::ops::ControlFlow;

fn chosen_for(data: &TrainingData, selected: &[usize], sufficient: Option<bool>) -> Chosen {
    let question = Question { selected, sufficient, limit: OUTLIER_LIMIT };
    choose(data, &question, &|_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn on_the_papers_data_the_plain_refit_is_chosen() {
    let mut plain = 0;
    for (rows, rate) in [(1000, 2.5), (1500, 2.5), (2000, 2.5), (1500, 2.0), (1500, 3.0)] {
        for seed in 0..6 {
            let data = prepare(&World::default().draw(rows, rate, 4000 + seed).unwrap());
            let choice = chosen_for(&data, &[0, 1, 2, 3, 4], Some(true)).choice;
            assert_eq!(choice.candidate.variables, Variables::Chosen, "{rows} {rate} {seed}: {choice:?}");
            assert_eq!(choice.candidate.ridge, None, "{rows} {rate} {seed}: {choice:?}");
            assert!(!choice.candidate.drawn_in);
            plain += usize::from(choice.candidate.kind == Kind::Robust);
        }
    }
    assert!(plain >= 28, "{plain} of 30");
}

/// A line that is bent where few training rows are: what fits the few, too, carries over.
fn bent(rows: usize) -> Table<'static> {
    let spread = |k: usize, by: usize| ((k * by) % 997) as f64 / 997.0;
    let a: Vec<f64> = (0..rows).map(|k| spread(k, 613).powi(2) * 4.0).collect();
    let b: Vec<f64> = (0..rows).map(|k| a[k] * 0.8 + 1.5 * spread(k, 389).powi(2)).collect();
    let noise = |k: usize| spread(k, 211) - 0.5;
    let y = (0..rows).map(|k| (1.0 + a[k]).ln() + (1.0 + b[k]).ln() + 0.2 * noise(k)).collect();
    Table::from_numbers([("a", a), ("b", b), ("y", y)]).unwrap()
}

#[test]
fn where_a_line_is_an_approximation_the_choice_says_what_it_rests_on() {
    let data = prepare(&bent(1500));
    let chosen = chosen_for(&data, &[0, 1], Some(true));
    let choice = &chosen.choice;
    assert!(choice.candidates.len() >= 8 && choice.regions.len() >= 6, "{choice:?}");
    let figures = |name: &str| &choice.candidates.iter().find(|one| one.name == name).unwrap().figures;
    let taken = figures(&choice.chosen);
    assert!(choice.candidates.iter().all(|one| one.figures.cv_error > 0.0 && one.figures.stress_worst > 0.0));
    assert!(taken.stress_error <= figures("robust").stress_error);
    assert_eq!(chosen.function.is_some(), choice.strength.is_some());
}

#[test]
fn the_answer_is_the_same_for_any_number_of_threads_and_order_of_rows() {
    let table = bent(900);
    let data = prepare(&table);
    let order: Vec<usize> = (0..900).map(|k| (k * 7) % 900).collect();
    let shuffled = prepare(&table.keep_rows(&order));
    let one = stablevar::engine::with_threads(Some(1), || chosen_for(&data, &[0, 1], None).choice).unwrap();
    let three = stablevar::engine::with_threads(Some(3), || chosen_for(&data, &[0, 1], None).choice).unwrap();
    assert_eq!(one, three);
    let other = chosen_for(&shuffled, &[0, 1], None).choice;
    assert_eq!((one.chosen, one.regions), (other.chosen, other.regions));
    let stressed = |choice: &[stablevar::stress::Judged]| -> Vec<f64> {
        choice.iter().map(|one| one.figures.stress_error).collect()
    };
    assert!(largest_difference(&stressed(&one.candidates), &stressed(&other.candidates)) < 1e-6);
}

#[test]
fn a_set_that_misses_something_is_told_what_it_costs() {
    // Of two stable columns one is kept: all columns do better anywhere.
    let world = World { biased: 0, ..World::default() };
    let data = prepare(&world.draw(1500, 1.0, 7).unwrap());
    let found = |sufficient| chosen_for(&data, &[0, 1], sufficient);
    let insufficient = found(Some(false));
    let (candidate, why) = (insufficient.choice.candidate, &insufficient.choice.why);
    assert!(candidate.variables == Variables::Chosen && candidate.beside_all && !candidate.drawn_in, "{why}");
    let told = |code: Code| insufficient.findings.iter().any(|finding| finding.code == code);
    assert!(told(Code::StabilityCosts) && told(Code::HalfwayToAll), "{:?}", insufficient.findings);
    // Where nothing is missing, or it is not known whether something is, it stays with the variables chosen.
    assert!([Some(true), None].into_iter().all(|sufficient| !found(sufficient).choice.candidate.beside_all));
    let nothing = chosen_for(&data, &[], None).choice;
    assert!(nothing.candidates.is_empty() && nothing.why.contains("no variable"));
}

#[test]
fn a_fit_by_default_is_the_robust_one_where_that_is_chosen() {
    let data = prepare(&World::default().draw(1000, 2.5, 77).unwrap());
    let fitted = fit_method(&data, &method("svi"));
    let choice = fitted.model.refit.as_ref().unwrap();
    let robust = fit_method(&data, &method_with("svi", [("refit", "robust")]));
    assert!(robust.model.refit.is_none());
    assert_eq!(fitted.model.selected, robust.model.selected);
    if choice.chosen == "robust" {
        assert_eq!(fitted.model.model, robust.model.model);
        assert_eq!(fitted.model.effective_sample_size, robust.model.effective_sample_size);
    } else {
        assert_eq!(choice.strength, None, "{choice:?}");
    }
}

#[test]
fn methods_are_compared_with_the_choice_among_them() {
    let data = prepare(&World::default().draw(800, 2.5, 5).unwrap());
    let stable = Estimator::new("svi").unwrap();
    let others = ["lasso", "ols"].map(|name| (format!("{name} anew"), Estimator::new(name).unwrap()));
    let plan = Plan { stable: &stable, others: &others, guests: &[], repeat_selection: false };
    let found = compare(&data, &plan, &|_| ControlFlow::Continue(()), &|_| ControlFlow::Continue(())).unwrap();
    assert_eq!(found.candidates[0].name, "ols");
    assert!((found.candidates[0].figures.stress_error - 1.0).abs() < 1e-12);
    assert!(found.candidates.iter().any(|one| one.name == found.chosen), "{}", found.chosen);
    // What is fitted anew without every region and what is found by differences of moments is the same.
    let all = found.candidates.iter().find(|one| one.name == "ols anew").unwrap();
    assert!((all.figures.stress_error - 1.0).abs() < 1e-6 && (all.figures.stress_worst - 1.0).abs() < 1e-6);
    assert!((all.figures.cv_error / found.candidates[0].figures.cv_error - 1.0).abs() < 1e-6);
}

/// Steps and a product, which no line has, in rows that differ from region to region.
fn stepped(rows: usize) -> Table<'static> {
    let spread = |k: usize, by: usize| ((k * by) % 9973) as f64 / 9973.0 - 0.5;
    let column = |by: usize| -> Vec<f64> { (0..rows).map(|k| 4.0 * spread(k, by)).collect() };
    let (a, b, c) = (column(7919), column(6131), column(3889));
    let y = (0..rows).map(|k| 2.0 * f64::from(a[k].sin() > 0.3) + b[k] * a[k] + 0.3 * c[k] + spread(k, 2111)).collect();
    Table::from_numbers([("a", a), ("b", b), ("c", c), ("y", y)]).unwrap()
}

#[test]
fn where_trees_do_clearly_better_the_fit_goes_half_way() {
    let data = prepare(&stepped(1500));
    let choice = chosen_for(&data, &[0, 1, 2], Some(true)).choice;
    assert!(choice.candidate.kind != Kind::Trees && choice.candidate.halfway, "{}", choice.why);
    assert!(
        choice.chosen.contains("half-way to trees") && choice.why.contains("alone in the 8 of 12 regions"),
        "{}",
        choice.why
    );
    let figures = |name: &str| &choice.candidates.iter().find(|one| one.name == name).unwrap().figures;
    assert!(figures("trees").stress_error < 0.9 * figures("robust").stress_error);
    assert!(figures("trees").cv_error < 0.8 * figures("robust").cv_error);

    let fitted = fit_method(&data, &method("svi")).model;
    let Model::Trees(trees) = &fitted.model else { panic!("{:?}", fitted.refit) };
    assert!(trees.beside().is_some() && fitted.memory.is_some());
    let held = fitted.refit.as_ref().unwrap().candidate.held;
    assert_eq!(trees.line().within().is_some(), held);
    let predicted = fitted.predict(&stepped(1500)).unwrap();
    let [least, greatest] = trees.line().within().unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    assert!(predicted.iter().all(|value| (least - 1e-9..=greatest + 1e-9).contains(value)));

    let asked = fit_method(&data, &method_with("svi", [("refit", "trees")]));
    assert!(asked.model.memory.is_some() && asked.model.refit.is_none());
    asked.model.check().unwrap();
}

/// An outcome that grows without a bend inside the rows and is bounded: what a line says beyond them was never seen.
#[test]
fn predictions_are_held_within_outcomes_seen_where_regions_ask_for_it() {
    let spread = |k: usize, by: usize| ((k * by) % 9973) as f64 / 9973.0 - 0.5;
    let a: Vec<f64> = (0..800).map(|k| 8.0 * spread(k, 7919).powi(3) + spread(k, 6131)).collect();
    let y = (0..800).map(|k| (4.0 * a[k]).tanh() + 0.05 * spread(k, 2111)).collect();
    let b: Vec<f64> = (0..800).map(|k| spread(k, 3889)).collect();
    let table = Table::from_numbers([("a", a), ("b", b), ("y", y)]).unwrap();
    let data = prepare(&table);
    let fitted = fit_method(&data, &method("svi")).model;
    let choice = fitted.refit.as_ref().unwrap();
    assert!(
        choice.candidate.held && choice.chosen.ends_with("within outcomes seen"),
        "{}: {}",
        choice.chosen,
        choice.why
    );
    let predicted = fitted.predict(&table).unwrap();
    assert!(predicted.iter().all(|value| value.abs() < 1.03), "{predicted:?}");
}
