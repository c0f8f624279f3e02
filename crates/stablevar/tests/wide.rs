//! More columns than rows: what is made and kept grows with the table, not with the pairs of its columns.

use stablevar::Estimator;
use stablevar::table::Table;

fn value(row: usize, column: usize) -> f64 {
    let mut bits = (row as u64 * 7919 + column as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((bits >> 11) as f64) / (1u64 << 52) as f64 - 1.0
}

fn table(rows: usize, columns: usize) -> Table<'static> {
    let column = |k: usize| (0..rows).map(|row| value(row, k)).collect::<Vec<f64>>();
    let outcome = (0..rows).map(|row| 3.0 * value(row, 0) - 2.0 * value(row, 7) + 0.1 * value(row, columns)).collect();
    Table::from_numbers((0..columns).map(|k| (format!("x{k}"), column(k))).chain([("y".into(), outcome)])).unwrap()
}

#[test]
fn the_lasso_makes_no_matrix_of_columns_by_columns() {
    // Pairs of columns would take 800 MB, and a file of them 2 GB.
    let begun = std::time::Instant::now();
    let fit = Estimator::new("lasso").unwrap().target("y").fit(&table(60, 10_000)).unwrap();
    assert!(fit.model.selected_names().contains(&"x0"));
    assert_eq!(fit.model.initial_correlations.rows(), 0);
    fit.model.check().unwrap();
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

#[test]
fn few_and_many_columns_are_solved_alike() {
    // 600 columns are made as they move, 500 at once; columns that tell nothing change nothing at a given penalty.
    let fit = |columns: usize| {
        let estimator = Estimator::new("lasso").unwrap().target("y").set("alpha", 0.4).unwrap();
        estimator.fit(&table(200, columns)).unwrap().model
    };
    let (few, many) = (fit(500), fit(600));
    assert_eq!(few.selected_names()[..1], many.selected_names()[..1]);
    let slope =
        |model: &stablevar::fit::FittedModel| model.coefficients().iter().find(|(name, _)| *name == "x0").unwrap().1;
    assert!((slope(&few) - slope(&many)).abs() < 0.2 * slope(&few).abs(), "{} {}", slope(&few), slope(&many));
}
