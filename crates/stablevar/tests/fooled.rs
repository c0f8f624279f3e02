//! Tables that have fooled others: what is not there must not be found, and what is suspicious must be said.

use crate::common::{fit_method, method_with};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use stablevar::design::{FeatureKind, Missing, Roles, Told, TrainingData};
use stablevar::finding::Code;
use stablevar::fit::FittedModel;
use stablevar::method::Method;
use stablevar::table::{Column, Table, TextValues, Values};
use stablevar_data::nothing::Nothing;

fn normal(rows: usize, columns: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..columns).map(|_| (0..rows).map(|_| random.sample(StandardNormal)).collect()).collect()
}

fn table(columns: &[(&str, Vec<f64>)]) -> Table<'static> {
    Table::from_numbers(columns.iter().cloned()).unwrap()
}

fn fitted(table: &Table, roles: &Roles, method: &Method) -> FittedModel {
    fit_method(&TrainingData::prepare(table, roles).unwrap(), method).model
}

fn by_default(table: &Table) -> FittedModel {
    fitted(table, &Roles::target("y"), &Method::default())
}

fn codes(model: &FittedModel) -> Vec<Code> {
    model.warnings.iter().map(|found| found.code).collect()
}

/// What says why not to trust a selection.
fn is_told(model: &FittedModel) -> bool {
    model.warnings.iter().any(|found| found.code.is_grave())
}

#[test]
fn of_ten_kinds_of_nothing_little_is_found_without_a_word() {
    for kind in Nothing::ALL {
        let fooled = |seed: &u64| {
            let (table, roles) = kind.draw(1000 + seed);
            let model = fitted(&table, &roles, &Method::default());
            !model.selected.is_empty() && !is_told(&model)
        };
        let count = (0..8).filter(fooled).count();
        // At 7 % each, four of eight happen once in a thousand times.
        assert!(count <= 3, "{}: {count} of 8", kind.name());
    }
}

#[test]
fn a_copy_of_the_outcome_is_told_first() {
    let all = normal(300, 3, 1);
    let y: Vec<f64> = all[0].iter().zip(&all[1]).map(|(a, b)| a + 0.5 * b).collect();
    let turned: Vec<f64> = y.iter().map(|y| 7.0 - y.exp()).collect();
    let near: Vec<f64> = y.iter().zip(&all[2]).map(|(y, noise)| y + 0.02 * noise).collect();
    for (leak, code) in [(y.clone(), Code::TargetCopy), (turned, Code::TargetCopy), (near, Code::ImplausiblyStrong)] {
        let model = by_default(&table(&[("a", all[0].clone()), ("leak", leak), ("y", y.clone())]));
        let told = &model.warnings[0];
        assert_eq!((told.code, told.variables[0].as_str()), (code, "leak"), "{:?}", model.warnings);
    }
    let honest = by_default(&table(&[
        ("a", all[0].clone()),
        ("b", all[1].clone()),
        ("y", { all[0].iter().zip(&all[2]).map(|(a, noise)| a + 0.5 * noise).collect() }),
    ]));
    assert!(!is_told(&honest), "{:?}", honest.warnings);
}

#[test]
fn a_copy_of_the_classes_is_told_first() {
    let all = normal(300, 2, 2);
    let classes: Vec<f64> = all[0].iter().map(|a| f64::from(*a > 0.3)).collect();
    let words = TextValues::collect(classes.iter().map(|class| Some(if *class > 0.5 { "late" } else { "in time" })));
    let text = Column { name: "leak".into(), values: Values::Text(words) };
    let number =
        |name: &str, values: &[f64]| Column { name: name.into(), values: Values::Number(values.to_vec().into()) };
    for leak in [text, number("leak", &classes), number("leak", &all[0])] {
        let strong = leak.values == Values::Number(all[0].clone().into());
        let table = Table::new(vec![number("b", &all[1]), leak, number("y", &classes)]).unwrap();
        let told = by_default(&table).warnings.remove(0);
        let code = if strong { Code::ImplausiblyStrong } else { Code::TargetCopy };
        assert_eq!((told.code, told.variables[0].as_str()), (code, "leak"));
    }
}

#[test]
fn among_many_columns_noise_does_not_fill_up_a_set() {
    // A third of seventy columns of noise has p-values below 0.3, and predicts the very rows that these come from.
    let chosen = |seed: u64| {
        let all = normal(1200, 79, 100 + seed);
        let bent = |row: usize| all[0][row] * all[1][row] + all[2][row].powi(2);
        let y =
            (0..1200).map(|row| (0..8).map(|k| all[k][row]).sum::<f64>() + bent(row) + 2.0 * all[78][row]).collect();
        let names: Vec<String> = (0..78).map(|k| format!("x{k}")).collect();
        let columns = names.iter().map(String::as_str).zip(all[..78].iter().cloned()).chain([("y", y)]);
        let model = by_default(&table(&columns.collect::<Vec<_>>()));
        let right = model.selected.iter().filter(|&&variable| variable < 8).count();
        (right, model.selected.len() - right)
    };
    let found: Vec<(usize, usize)> = (0..4).map(chosen).collect();
    assert!(found.iter().all(|(right, _)| *right == 8), "{found:?}");
    assert!(found.iter().map(|(_, wrong)| wrong).sum::<usize>() <= 4, "{found:?}");
}

#[test]
fn what_too_few_rows_tell_of_is_said() {
    let all = normal(900, 3, 4);
    let mark = |every: usize| (0..900).map(|row| f64::from(row % every == 0)).collect::<Vec<f64>>();
    let y = all[0].iter().zip(&all[1]).map(|(a, noise)| a + noise).collect();
    // Ten rows have the first mark and all but nine the second; a hundred and eighty have the third.
    let rarely = mark(100).iter().map(|value| 1.0 - value).collect();
    let columns = [("a", all[0].clone()), ("few", mark(90)), ("most", rarely), ("many", mark(5)), ("y", y)];
    let model = by_default(&table(&columns));
    assert_eq!(model.selected_names(), ["a"]);
    let told = model.warnings.iter().find(|found| found.code == Code::RareMark).unwrap();
    assert_eq!(
        (told.variables.as_slice(), told.detail.as_str()),
        (["few".into(), "most".into()].as_slice(), "'few' (10 rows); 'most' (9 rows)")
    );
    // What was told stays as it was told.
    let roles = Roles { told: Told { stable: Vec::new(), unstable: vec!["few".into()] }, ..Roles::target("y") };
    let model = fitted(&table(&columns), &roles, &Method::default());
    let told = model.warnings.iter().find(|found| found.code == Code::RareMark).unwrap();
    assert_eq!(told.variables, ["most"]);
}

#[test]
fn slopes_that_are_no_effects_are_told_of_at_once() {
    // Without b, of which it is told that it is unstable, a answers for both; c for d likewise.
    let all = normal(1500, 5, 5);
    let near = |of: &[f64], by: &[f64]| of.iter().zip(by).map(|(of, by)| of + 0.4 * by).collect::<Vec<f64>>();
    let (b, d) = (near(&all[0], &all[1]), near(&all[2], &all[3]));
    let y = (0..1500).map(|row| 0.2 * (all[0][row] + all[2][row]) + b[row] + d[row] + all[4][row]).collect();
    let table = table(&[("a", all[0].clone()), ("b", b), ("c", all[2].clone()), ("d", d), ("y", y)]);
    let unstable = vec!["b".to_string(), "d".to_string()];
    let told = Told { stable: vec!["a".into(), "c".into()], unstable };
    let model = fitted(&table, &Roles { told, ..Roles::target("y") }, &Method::default());
    let told: Vec<_> = model.warnings.iter().filter(|found| found.code == Code::AnotherSlope).collect();
    assert_eq!(told.len(), 1, "{:?}", model.warnings);
    assert_eq!(told[0].variables, ["a", "c"]);
    assert!(told[0].detail.starts_with("'a' 1.") && told[0].detail.contains("; 'c' 1."), "{}", told[0].detail);
}

#[test]
fn an_exact_relation_is_found_and_nothing_beside_it() {
    for seed in 0..6 {
        let all = normal(200, 4, 10 + seed);
        let y: Vec<f64> = all[0].iter().map(|a| 2.0 * a).collect();
        let columns = ["a", "b", "c", "d"].into_iter().zip(all).chain([("y", y)]).collect::<Vec<_>>();
        for method in [Method::default(), method_with("svi", [("evidence", "focused")])] {
            let model = fitted(&table(&columns), &Roles::target("y"), &method);
            assert_eq!(model.selected_names(), ["a"], "{seed} {:?}", model.evidence);
            let evidence = &model.evidence.as_ref().unwrap()[0];
            assert!(evidence.p_value < 1e-6 && evidence.t.abs() > 10.0, "{evidence:?}");
        }
    }
}

#[test]
fn repeated_rows_are_told_and_counted_once_in_groups() {
    let (repeated, _) = Nothing::RepeatedRows.draw(3);
    assert!(codes(&by_default(&repeated)).contains(&Code::RepeatedRows));
    let groups: Vec<f64> = (0..1000).map(|row| f64::from(row % 50)).collect();
    let mut columns = crate::common::columns(&repeated);
    columns.push(("copy".into(), groups));
    let grouped = Table::from_numbers(columns).unwrap();
    let model = fitted(&grouped, &Roles { group: Some("copy".into()), ..Roles::target("y") }, &Method::default());
    assert!(model.selected.is_empty(), "{:?}", model.evidence);
    // Few values in few columns repeat by chance.
    let coarse: Vec<Vec<f64>> = normal(400, 3, 5).into_iter().map(|c| c.iter().map(|v| v.round()).collect()).collect();
    let coarse = table(&[("a", coarse[0].clone()), ("b", coarse[1].clone()), ("y", coarse[2].clone())]);
    assert!(!codes(&by_default(&coarse)).contains(&Code::RepeatedRows));
}

#[test]
fn effects_within_groups_are_found_and_those_of_groups_are_not() {
    // 40 people of 10 visits: y follows a, which differs between visits, and what every person is, as b does.
    let mut found = [0; 2];
    for seed in 0..4 {
        let (visits, people) = (normal(400, 3, 60 + seed), normal(40, 2, 160 + seed));
        let person = |row: usize| row / 10;
        let y = (0..400).map(|row| visits[0][row] + people[0][person(row)] + 0.5 * visits[1][row]).collect();
        let b = (0..400).map(|row| people[1][person(row)] + 0.1 * visits[2][row]).collect();
        let id = (0..400).map(|row| person(row) as f64).collect();
        let table = table(&[("a", visits[0].clone()), ("b", b), ("id", id), ("y", y)]);
        let model = fitted(&table, &Roles { group: Some("id".into()), ..Roles::target("y") }, &Method::default());
        model.selected.iter().for_each(|&variable| found[variable] += 1);
    }
    assert!(found[0] == 4 && found[1] <= 1, "{found:?}");
}

#[test]
fn rows_in_order_are_told() {
    let (walks, _) = Nothing::RandomWalks.draw(4);
    assert!(codes(&by_default(&walks)).contains(&Code::OrderedRows));
    let order: Vec<usize> = (0..300).map(|k| (k * 101 + 7) % 300).collect();
    assert!(!codes(&by_default(&walks.keep_rows(&order))).contains(&Code::OrderedRows));
}

#[test]
fn what_is_filled_in_is_no_evidence() {
    let mut all = normal(300, 3, 8);
    let y: Vec<f64> = all[0].iter().zip(&all[2]).map(|(a, noise)| a + noise).collect();
    // Seen only where the outcome is large.
    (0..300).filter(|&row| y[row] < 1.8).for_each(|row| all[1][row] = f64::NAN);
    let table = table(&[("a", all[0].clone()), ("rare", all[1].clone()), ("y", y)]);
    let model = fitted(&table, &Roles { missing: Missing::Mean, ..Roles::target("y") }, &Method::default());
    assert_eq!(model.selected_names(), ["a"]);
    assert!(codes(&model).contains(&Code::MuchMissing));
    assert!(model.evidence.as_ref().unwrap()[1].p_value > 1e-3);
}

#[test]
fn a_near_combination_is_named_and_two_of_three_are_kept() {
    let all = normal(500, 4, 9);
    let y: Vec<f64> = (0..500).map(|k| all[0][k] + all[1][k] + 0.5 * all[3][k]).collect();
    for noise in [0.01, 1e-5] {
        let c = (0..500).map(|k| all[0][k] + all[1][k] + noise * all[2][k]).collect();
        let model = by_default(&table(&[("a", all[0].clone()), ("b", all[1].clone()), ("c", c), ("y", y.clone())]));
        let found = codes(&model);
        assert!(found.contains(&Code::NearCombination) && !found.contains(&Code::CombinedColumn), "{found:?}");
        assert!((1..=2).contains(&model.selected.len()), "{noise}: {:?}", model.evidence);
    }
}

#[test]
fn a_column_far_from_zero_is_not_constant() {
    let all = normal(100, 2, 12);
    let far = all[0].iter().map(|a| 1e14 + a.round()).collect();
    let model = by_default(&table(&[("far", far), ("b", all[1].clone()), ("y", all[0].clone())]));
    assert!(!codes(&model).contains(&Code::ConstantColumn));
    assert_eq!(model.encoding.features.len(), 2);
}

#[test]
fn numbers_in_disguise_are_told_and_can_be_read() {
    let all = normal(200, 2, 13);
    let rounded: Vec<f64> = all[0].iter().map(|a| (2.0 * a).round()).collect();
    let y: Vec<f64> = rounded.iter().zip(&all[1]).map(|(a, noise)| a + noise).collect();
    let text: Vec<String> =
        (0..200).map(|k| if k % 3 == 0 { "unknown".into() } else { rounded[k].to_string() }).collect();
    let text = TextValues::collect(text.iter().map(|text| Some(text.as_str())));
    let number = |name: &str, values: Vec<f64>| Column { name: name.into(), values: Values::Number(values.into()) };
    let columns =
        vec![Column { name: "a".into(), values: Values::Text(text) }, number("b", all[1].clone()), number("y", y)];
    let table = Table::new(columns).unwrap();
    let model = by_default(&table);
    let told = model.warnings.iter().find(|found| found.code == Code::NumbersInText).unwrap();
    assert_eq!((told.variables[0].as_str(), told.detail.as_str()), ("a", "unknown"));
    let roles = Roles { numbers: vec!["a".into()], missing: Missing::Mean, ..Roles::target("y") };
    let read = fitted(&table, &roles, &Method::default());
    assert!(read.selected_names().contains(&"a") && read.encoding.features[0].kind == FeatureKind::Number);
    assert!(!codes(&read).contains(&Code::NumbersInText));
    // New rows are read the same way.
    assert_eq!(read.encoding.encode(&table).unwrap().0.rows(), 200);
}
