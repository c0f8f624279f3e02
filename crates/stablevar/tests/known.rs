//! What users know beforehand: columns told to be stable or unstable, and environments.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use stablevar::design::Standing;
use stablevar::error::Error;
use stablevar::estimator::Estimator;
use stablevar::finding::Code;
use stablevar::fit::{Fit, FittedModel};
use stablevar::method::PRESETS;
use stablevar::table::{Column, Table, TextValues, Values};
use stablevar_data::simulate::World;

fn told(method: &str, stable: &[&str], unstable: &[&str]) -> Estimator {
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<String>>();
    let estimator = Estimator::new(method).unwrap().set("stable", names(stable)).unwrap();
    estimator.set("unstable", names(unstable)).unwrap().target("y")
}

fn names(fit: &Fit) -> Vec<&str> {
    fit.model.selected_names()
}

fn has(model: &FittedModel, code: Code, about: &str) -> bool {
    model.warnings.iter().any(|found| found.code == code && found.variables[0] == about)
}

#[test]
fn told_columns_are_in_or_out_and_still_judged() {
    let table = World::default().draw(1000, 2.5, 1).unwrap();
    let free = Estimator::new("svi").unwrap().target("y").fit(&table).unwrap();
    assert_eq!(names(&free), ["s1", "s2", "s3", "s4", "s5"]);
    let fit = told("svi", &["v1"], &["s2"]).fit(&table).unwrap();
    let chosen = names(&fit);
    assert!(chosen.contains(&"v1") && !chosen.contains(&"s2"), "{chosen:?}");
    let (model, evidence) = (&fit.model, fit.model.evidence.as_ref().unwrap());
    // Their evidence is what it is without being told.
    let before = free.model.evidence.as_ref().unwrap();
    assert_eq!((evidence[5].p_value, evidence[1].t), (before[5].p_value, before[1].t));
    assert!(has(model, Code::ToldStable, "v1") && has(model, Code::ToldUnstable, "s2"), "{:?}", model.warnings);
    assert_eq!((model.standing(5), model.standing(1)), (Some(Standing::Stable), Some(Standing::Unstable)));
    // What agrees with the data is no finding.
    let agreed = told("svi", &["s1"], &["v5"]).fit(&table).unwrap();
    assert_eq!(names(&agreed), names(&free));
    assert!(!agreed.model.warnings.iter().any(|found| matches!(found.code, Code::ToldStable | Code::ToldUnstable)));
}

#[test]
fn every_method_that_selects_keeps_to_what_it_is_told() {
    let table = World::default().draw(400, 2.5, 2).unwrap();
    let mut tried = 0;
    for preset in PRESETS.iter().filter(|preset| !["nonlinear-svi", "logistic"].contains(&preset.name)) {
        let estimator = told(preset.name, &["v2"], &["s1"]);
        if !estimator.without_effect().is_empty() {
            continue;
        }
        let fit = estimator.fit(&table).unwrap();
        assert!(names(&fit).contains(&"v2") && !names(&fit).contains(&"s1"), "{}: {:?}", preset.name, names(&fit));
        tried += 1;
    }
    assert!(tried >= 4, "{tried}");
    for (name, value) in [("select", 3.into()), ("fdr", 0.1.into()), ("resamples", 4.into())] {
        let value: stablevar::estimator::Value = value;
        let fit = told("svi", &["v2"], &["s1"]).set(name, value).unwrap().fit(&table).unwrap();
        assert!(names(&fit).contains(&"v2") && !names(&fit).contains(&"s1"), "{name}: {:?}", names(&fit));
    }
}

#[test]
fn of_variables_that_tell_the_same_the_unstable_one_is_neither_chosen_nor_named() {
    let table = {
        let mut random = ChaCha8Rng::seed_from_u64(12);
        let mut draw = || -> Vec<f64> { (0..1200).map(|_| random.sample(StandardNormal)).collect() };
        let (common, e, f, c, noise) = (draw(), draw(), draw(), draw(), draw());
        let measured = |error: &[f64]| -> Vec<f64> { common.iter().zip(error).map(|(c, e)| c + 0.2 * e).collect() };
        let y = common.iter().zip(&noise).map(|(c, e)| 0.3 * c + e).collect();
        Table::from_numbers([("a", measured(&e)), ("b", measured(&f)), ("c", c), ("y", y)]).unwrap()
    };
    for (out, left) in [("a", "b"), ("b", "a")] {
        let fit = told("svi", &[], &[out]).fit(&table).unwrap();
        assert_eq!(names(&fit), [left]);
        let place = fit.model.encoding.feature_names().iter().position(|name| name == out).unwrap();
        let evidence = fit.model.evidence.unwrap();
        assert!(evidence.iter().all(|one| !one.alternatives.contains(&place)), "{evidence:?}");
        assert!(fit.model.stand_ins.iter().all(|pair| pair.variable != place));
    }
}

#[test]
fn of_an_exact_sum_the_told_column_stays() {
    let spread = |k: usize, by: usize| ((k * by) % 997) as f64;
    let (a, b): (Vec<f64>, Vec<f64>) = (0..400).map(|k| (spread(k, 613), spread(k, 389))).unzip();
    let sum: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    let y = (0..400).map(|k| sum[k] + 100.0 * spread(k, 211)).collect();
    let table = Table::from_numbers([("a", a), ("b", b), ("sum", sum), ("y", y)]).unwrap();
    let kept = |stable: &[&str], unstable: &[&str]| {
        told("svi", stable, unstable).fit(&table).unwrap().model.encoding.feature_names()
    };
    assert_eq!(kept(&[], &[]), ["a", "b"]);
    assert_eq!(kept(&["sum"], &[]), ["a", "sum"]);
    assert_eq!(kept(&[], &["a"]), ["b", "sum"]);
    let refused = told("svi", &["a", "b", "sum"], &[]).fit(&table).unwrap_err();
    assert!(matches!(&refused, Error::UselessColumn { column, .. } if column == "sum"), "{refused}");
}

#[test]
fn what_can_not_be_told_is_refused_by_name() {
    let mut columns = World::default().draw(100, 2.5, 1).unwrap().columns().to_vec();
    columns.push(Column { name: "same".into(), values: Values::Number(vec![1.0; 100].into()) });
    let table = Table::new(columns).unwrap();
    let refused = |estimator: Estimator| estimator.fit(&table).unwrap_err();
    let both = refused(told("svi", &["s1"], &["s1"])).to_string();
    assert_eq!(both, "'s1' can't be stable and be unstable at once");
    assert!(refused(told("svi", &["y"], &[])).to_string().contains("be the target and be stable"));
    let excluded = told("svi", &["s1"], &[]).set("exclude", vec!["s1".to_string()]).unwrap();
    assert!(refused(excluded).to_string().contains("be left out and be stable"));
    let unknown = refused(told("svi", &[], &["s01"]));
    assert!(matches!(&unknown, Error::UnknownColumn { column, .. } if column == "s01"));
    let constant = refused(told("svi", &[], &["same"]));
    assert!(constant.to_string().contains("same value in every row"), "{constant}");
}

/// The sample with an environment for every row, by its position.
fn in_places(rows: usize, place: impl Fn(usize) -> String) -> Table<'static> {
    let mut columns = World::default().draw(rows, 2.5, 3).unwrap().columns().to_vec();
    let places: Vec<String> = (0..rows).map(place).collect();
    let values = Values::Text(TextValues::collect(places.iter().map(|place| Some(place.as_str()))));
    columns.push(Column { name: "place".into(), values });
    Table::new(columns).unwrap()
}

#[test]
fn environments_are_held_out_and_their_effects_compared() {
    let table = in_places(900, |k| ["here", "there", "elsewhere"][k % 3].into());
    let estimator = Estimator::new("svi").unwrap().set("env", "place").unwrap().target("y");
    let model = estimator.fit(&table).unwrap().model;
    assert!(!model.encoding.inputs.contains(&"place".to_string()));
    let choice = model.refit.as_ref().unwrap();
    assert_eq!(choice.regions, ["'place' = 'elsewhere'", "'place' = 'here'", "'place' = 'there'"]);
    let effects = model.environments.as_ref().unwrap();
    assert_eq!(effects.effects.len(), model.selected.len());
    assert!(effects.effects.iter().all(|effect| !effect.differs), "{effects:?}");
    // They are the same for any number of threads.
    let again = estimator.clone().set("threads", 1).unwrap().set("env", "place").unwrap().fit(&table).unwrap();
    assert_eq!(again.model.environments, model.environments);
    // New rows need no such column.
    assert_eq!(model.predict(&World::default().draw(10, 1.5, 9).unwrap()).unwrap().len(), 10);
}

#[test]
fn columns_that_name_no_environments_are_refused() {
    let with = |table: &Table| Estimator::new("ols").unwrap().set("env", "place").unwrap().target("y").fit(table);
    let one = with(&in_places(60, |_| "here".into())).unwrap_err();
    assert_eq!(one.to_string(), "the environment 'place' is 'here' in every row");
    let many = with(&in_places(60, |k| format!("row {k}"))).unwrap_err();
    assert!(matches!(many, Error::TooManyEnvironments { environments: 60, rows: 60, .. }), "{many}");
    let few = with(&in_places(300, |k| if k < 290 { "here" } else { "there" }.into())).unwrap().model;
    assert!(has(&few, Code::FewRowsInEnvironments, "place"), "{:?}", few.warnings);
    assert!(few.environments.unwrap().effects.is_empty());
}

#[test]
fn a_model_remembers_as_many_rows_as_it_may() {
    let table = World::default().draw(300, 2.5, 4).unwrap();
    let keeping = |rows: usize| {
        let estimator = Estimator::new("ols").unwrap().set("remember", rows).unwrap().target("y");
        estimator.fit(&table).unwrap().model
    };
    assert_eq!(keeping(100).memory.unwrap().rows(), 100);
    let none = keeping(0);
    assert!(none.memory.is_none());
    assert_eq!(none.shift_curves().unwrap_err(), Error::NothingRemembered { asked_for: true });
    assert_eq!(none.foresee(&table).unwrap_err(), Error::NothingRemembered { asked_for: true });
}

#[test]
fn a_grid_of_two_shifts_has_the_error_of_now_in_its_middle() {
    let table = World::default().draw(2000, 2.5, 6).unwrap();
    let model = Estimator::new("ols").unwrap().target("y").fit(&table).unwrap().model;
    let grid = model.shift_grid("s1", "v5").unwrap();
    let (curve, middle) = (model.shift_curve("v5").unwrap(), grid.shifts.len() / 2);
    assert_eq!(grid.shifts[middle], 0.0);
    let now = curve.points.iter().find(|point| point.shift == 0.0).unwrap().error.unwrap();
    assert!(
        (grid.fair().unwrap().1 / now - 1.0).abs() < 1e-9
            && grid.errors[middle][middle] == Some(grid.fair().unwrap().1)
    );
    let joint = model.shifted(&[("s1", grid.shifts[5]), ("v5", grid.shifts[3])]).unwrap();
    assert_eq!((grid.errors[5][3], grid.effective_sample_sizes[5][3]), (joint.error, joint.effective_sample_size));
    assert!(model.shift_grid("s1", "s1").is_err() && model.shift_grid("s1", "none").is_err());
}
