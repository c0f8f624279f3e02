//! What must hold for every table, tried on tables that nobody would think of.

use proptest::prelude::*;
use stablevar::Estimator;
use stablevar::fit::FittedModel;
use stablevar::table::{Column, Table, TextValues, Values, is_missing};
use stablevar_io::{ReadOptions, model_from_json, model_to_json, read_table, write_table};

/// Any number that a table can hold, and none.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![4 => any::<f64>().prop_filter("finite", |value| value.is_finite()), 1 => Just(f64::NAN), 4 => -9.0..9.0f64]
}

fn any_column() -> impl Strategy<Value = Vec<(Option<bool>, f64, Option<String>)>> {
    prop::collection::vec((any::<Option<bool>>(), any_number(), any::<Option<String>>()), 1..20)
}

fn table(rows: &[(Option<bool>, f64, Option<String>)]) -> Table<'static> {
    let columns = [
        ("flag", Values::Boolean(rows.iter().map(|row| row.0).collect())),
        ("number", Values::Number(rows.iter().map(|row| row.1).collect::<Vec<f64>>().into())),
        ("text", Values::Text(TextValues::collect(rows.iter().map(|row| row.2.as_deref())))),
    ];
    Table::new(columns.into_iter().map(|(name, values)| Column { name: name.into(), values }).collect()).unwrap()
}

/// Rows of three columns and an outcome, with noise enough that nothing is decided by the last digit.
fn rows() -> impl Strategy<Value = Vec<[f64; 4]>> {
    prop::collection::vec([-9.0..9.0f64, -9.0..9.0f64, -9.0..9.0f64, -9.0..9.0f64], 12..40)
}

fn numbers(rows: &[[f64; 4]], order: [usize; 4]) -> Table<'static> {
    let column = |k: usize| rows.iter().map(|row| row[k]).collect::<Vec<f64>>();
    Table::from_numbers(order.map(|k| (["a", "b", "c", "y"][k], column(k)))).unwrap()
}

fn fitted(table: &Table, weights: bool) -> FittedModel {
    let estimator = Estimator::new("ols").unwrap().target("y");
    let estimator = if weights { estimator.set("weight-column", "w").unwrap() } else { estimator };
    estimator.fit(table).unwrap().model
}

fn same(one: &FittedModel, other: &FittedModel, table: &Table) {
    let (one, other) = (one.predict(table).unwrap(), other.predict(table).unwrap());
    for (a, b) in one.iter().zip(&other) {
        prop_assert_close(*a, *b);
    }
}

fn prop_assert_close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-7 * (1.0 + a.abs()), "{a} is not {b}");
}

const USUAL: [usize; 4] = [0, 1, 2, 3];

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_again(rows in any_column()) {
        let folder = tempfile::tempdir().unwrap();
        let table = table(&rows);
        for name in ["t.parquet", "t.arrow"] {
            write_table(&folder.path().join(name), &table).unwrap();
            let again = read_table(&folder.path().join(name), &ReadOptions::default()).unwrap();
            for (before, after) in table.columns().iter().zip(again.columns()) {
                for row in 0..table.rows() {
                    // An empty text, or a mark of missing values such as '.', is as good as none.
                    let shown = |values: &Values| values.text(row).filter(|text| !is_missing(text));
                    prop_assert_eq!(shown(&before.values), shown(&after.values), "{} {}", name, before.name);
                }
            }
        }
    }

    #[test]
    fn the_order_of_rows_and_columns_does_not_matter(rows in rows()) {
        let table = numbers(&rows, USUAL);
        let mut turned = rows.clone();
        turned.reverse();
        let model = fitted(&table, false);
        same(&model, &fitted(&numbers(&turned, USUAL), false), &table);
        same(&model, &fitted(&numbers(&rows, [3, 1, 0, 2]), false), &table);
    }

    #[test]
    fn units_do_not_matter(rows in rows(), factor in 1e-6..1e6f64, shift in -1e3..1e3f64) {
        let table = numbers(&rows, USUAL);
        let changed: Vec<[f64; 4]> = rows.iter().map(|row| [factor * row[0] + factor * shift, row[1], row[2], row[3]]).collect();
        let (model, other) = (fitted(&table, false), fitted(&numbers(&changed, USUAL), false));
        let (one, two) = (model.predict(&table).unwrap(), other.predict(&numbers(&changed, USUAL)).unwrap());
        one.iter().zip(&two).for_each(|(a, b)| prop_assert_close(*a, *b));
    }

    #[test]
    fn a_row_of_weight_two_stands_for_two_rows(rows in rows(), twice in 0..12usize) {
        let mut more = rows.clone();
        more.push(rows[twice]);
        let weights = (0..rows.len()).map(|row| if row == twice { 2.0 } else { 1.0 }).collect::<Vec<f64>>();
        let mut columns = numbers(&rows, USUAL).columns().to_vec();
        columns.push(Column { name: "w".into(), values: Values::Number(weights.into()) });
        let weighted = fitted(&Table::new(columns).unwrap(), true);
        same(&weighted, &fitted(&numbers(&more, USUAL), false), &numbers(&rows, USUAL));
    }

    #[test]
    fn a_model_is_the_same_after_a_file(rows in rows()) {
        let model = fitted(&numbers(&rows, USUAL), false);
        let again = model_from_json(model_to_json(&model).unwrap().as_bytes(), "m").unwrap();
        prop_assert_eq!(model, again);
    }

    #[test]
    fn any_table_is_fitted_or_refused(rows in any_column()) {
        for (target, missing) in [("number", "mean"), ("flag", "drop"), ("text", "refuse")] {
            let estimator = Estimator::new("ols").unwrap().target(target).set("missing", missing).unwrap();
            let _ = estimator.fit(&table(&rows)).map(|fit| fit.model.check().unwrap());
        }
    }
}
