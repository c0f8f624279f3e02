//! Rows in a file give the same answers as rows in memory.

use serde_json::Value;
use stablevar::design::{Missing, Roles, TrainingData};
use stablevar::engine::RowSource;
use stablevar::error::Error;
use stablevar::estimator::Estimator;
use stablevar::fit::{Task, fit};
use stablevar::method::{Method, PRESETS};
use stablevar::table::{Column, Table, TextValues, Values};
use stablevar::wording::Plain;
use stablevar_io::{FileRows, IoError, ReadOptions, TableStream, prepare_file, read_table, write_table};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Numbers that look random.
fn noise(k: usize, seed: usize) -> f64 {
    let mut x = (k as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (seed as u64).wrapping_mul(0xD1B5_4A32_D192_ED03);
    (0..3).for_each(|_| x = (x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9));
    let uniform = |bits: u64| (bits >> 11) as f64 / (1u64 << 53) as f64;
    uniform(x) + uniform(x.rotate_left(21).wrapping_mul(7)) + uniform(x.rotate_left(42).wrapping_mul(13)) - 1.5
}

/// Numbers, a copy, flags, texts of which one appears only late, holes, weights, and an outcome with outliers.
fn table(rows: usize) -> Table<'static> {
    let draw = |seed: usize| (0..rows).map(|k| noise(k, seed)).collect::<Vec<f64>>();
    let (a, b, c, e) = (draw(1), draw(2), draw(3), draw(4));
    let b: Vec<f64> = a.iter().zip(&b).map(|(a, b)| 100.0 + 3.0 * (0.6 * a + 0.8 * b)).collect();
    let mut y: Vec<f64> = (0..rows).map(|k| 2.0 * a[k] + c[k] + 0.5 * e[k]).collect();
    (0..rows).step_by(97).for_each(|k| y[k] += 30.0 * a[k].max(0.0));
    let copy = b.iter().map(|b| 7.0 - 2.0 * b).collect::<Vec<f64>>();
    let flags = (0..rows).map(|k| Some(noise(k, 5) + 0.3 * a[k] > 0.2)).collect();
    let word = |k: usize| match noise(k, 6) {
        _ if k + 20 > rows => "late",
        x if x > 0.3 => "high",
        x if x > -0.3 => "middle",
        _ => "low",
    };
    let texts = TextValues::collect((0..rows).map(|k| Some(word(k))));
    let mut holes = draw(7);
    (0..rows).step_by(301).for_each(|k| holes[k] = f64::NAN);
    let weights = (0..rows).map(|k| [1.0, 2.0, 0.5, 0.0][k % 53 % 4]).collect::<Vec<f64>>();
    let class = y.iter().map(|y| f64::from(*y > 0.2)).collect::<Vec<f64>>();
    let number = |name: &str, values: Vec<f64>| Column { name: name.into(), values: Values::Number(values.into()) };
    let columns = vec![
        number("a", a),
        number("b", b),
        number("copy", copy),
        Column { name: "flag".into(), values: Values::Boolean(flags) },
        number("c", c),
        Column { name: "word".into(), values: Values::Text(texts) },
        number("holes", holes),
        number("w", weights),
        number("class", class),
        number("y", y),
    ];
    Table::new(columns).unwrap()
}

fn as_parts(folder: &Path, table: &Table, cuts: &[usize]) -> PathBuf {
    let parts = folder.join("parts");
    std::fs::create_dir(&parts).unwrap();
    let mut start = 0;
    for (number, &end) in cuts.iter().chain([&table.rows()]).enumerate() {
        let rows: Vec<usize> = (start..end).collect();
        write_table(&parts.join(format!("{number}.parquet")), &table.keep_rows(&rows)).unwrap();
        start = end;
    }
    parts
}

fn file_rows(path: &Path, options: &ReadOptions, roles: &Roles) -> Result<FileRows, IoError> {
    prepare_file(&TableStream::open(path, options)?, roles, path.parent().unwrap(), &|_| {})
}

/// The largest difference of two numbers at the same place, relative to numbers above 1.
fn difference(a: &Value, b: &Value, place: &str) -> f64 {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            let difference = (a - b).abs() / a.abs().max(1.0);
            assert!(difference < 1e-9, "{place}: {a} and {b}");
            difference
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{place}");
            let pairs = a.iter().zip(b).enumerate();
            pairs.map(|(k, (a, b))| difference(a, b, &format!("{place}[{k}]"))).fold(0.0, f64::max)
        }
        (Value::Object(a), Value::Object(b)) => {
            assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>(), "{place}");
            a.iter().map(|(key, a)| difference(a, &b[key], &format!("{place}.{key}"))).fold(0.0, f64::max)
        }
        _ => {
            assert_eq!(a, b, "{place}");
            0.0
        }
    }
}

fn fitted(data: &dyn RowSource, method: &Method) -> stablevar::fit::Fit {
    fit(data, method, 3, &|_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn rows_in_a_file_give_the_model_of_rows_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let parquet = as_parts(folder.path(), &table(9000), &[1000, 1000, 1001, 7000]);
    let csv = folder.path().join("table.csv");
    write_table(&csv, &table(9000)).unwrap();
    // Every preset that can, and two that can once a stage is another.
    let with = |name, setting, value: &str| Estimator::new(name).unwrap().set(setting, value).unwrap().method;
    let variants = [with("svi", "evidence", "none"), with("dwr", "reweighter", "balance")];
    let methods: Vec<Method> = PRESETS.iter().map(|preset| preset.method()).chain(variants).collect();
    let cases = [("y", Missing::Drop, Task::Regression), ("class", Missing::Mean, Task::Classification)];
    for (target, missing, task) in cases {
        let other = if target == "y" { "class" } else { "y" };
        let options = ReadOptions { skip: vec![other.into()], ..ReadOptions::default() };
        let roles = Roles { missing, weight_column: Some("w".into()), ..Roles::target(target) };
        let memory = TrainingData::prepare(&read_table(&csv, &options).unwrap(), &roles).unwrap();
        for path in [&parquet, &csv] {
            let file = file_rows(path, &options, &roles).unwrap();
            assert!(file.memory().is_none() && file.kept() == &memory.kept_rows);
            assert!(file.frame().encoding.left_out.iter().any(|finding| finding.variables[0] == "copy"));
            let can = |method: &&Method| method.needs_memory().is_none() && method.tasks().contains(&task);
            for method in methods.iter().filter(can) {
                let (there, here) = (fitted(&file, method), fitted(&memory, method));
                let value = |fit: &stablevar::fit::Fit| serde_json::to_value(&fit.model).unwrap();
                let (there_told, mut here_told) = (value(&there), value(&here));
                // Trees and networks are candidates for rows in memory alone.
                if let Some(all) = here_told.pointer_mut("/refit/candidates").and_then(Value::as_array_mut) {
                    let linear = there_told["refit"]["candidates"].as_array().unwrap();
                    all.retain(|one| linear.iter().any(|other| other["name"] == one["name"]));
                }
                difference(&there_told, &here_told, method.name());
                let mut weights = Vec::new();
                file.for_each(|design| -> Result<(), IoError> {
                    weights.extend_from_slice(&there.weights.of_design(&design));
                    Ok(())
                })
                .unwrap();
                let by_hand = here.weights.values(&memory);
                assert_eq!(weights.len(), by_hand.len());
                assert!(weights.iter().zip(by_hand.iter()).all(|(a, b)| (a - b).abs() < 1e-9));
            }
        }
    }
}

#[test]
fn environments_and_what_was_told_are_as_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let whole = table(3000);
    let mut columns = whole.columns().to_vec();
    let place = |k: usize| Some(["north", "south", "west"][k % 7 % 3]);
    columns.push(Column { name: "place".into(), values: Values::Text(TextValues::collect((0..3000).map(place))) });
    let parts = as_parts(folder.path(), &Table::new(columns).unwrap(), &[700, 700, 2000]);
    let mut roles = Roles { missing: Missing::Drop, environment: Some("place".into()), ..Roles::target("y") };
    roles.told.stable = vec!["b".into()];
    let options = ReadOptions { skip: vec!["class".into()], ..ReadOptions::default() };
    let file = file_rows(&parts, &options, &roles).unwrap();
    let memory = TrainingData::prepare(&TableStream::open(&parts, &options).unwrap().read().unwrap(), &roles).unwrap();
    let all: Vec<usize> = (0..memory.rows()).rev().collect();
    assert!(memory.environment.is_some());
    assert_eq!(file.take(&all).unwrap().environment, memory.take(&all).unwrap().environment);
    let method = Estimator::new("svi").unwrap().set("evidence", "none").unwrap().method;
    let (there, here) = (fitted(&file, &method).model, fitted(&memory, &method).model);
    assert!(there.selected_names().contains(&"b"));
    difference(&serde_json::to_value(&there).unwrap(), &serde_json::to_value(&here).unwrap(), "environments");
    assert_eq!(there.environments.unwrap().environments.len(), 3);
}

#[test]
fn what_needs_memory_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.parquet");
    write_table(&path, &table(400)).unwrap();
    let roles = Roles { missing: Missing::Drop, ..Roles::target("y") };
    let rows = file_rows(&path, &ReadOptions::default(), &roles).unwrap();
    let needs = |method: &Method| method.needs_memory().map(str::to_string);
    for preset in PRESETS.iter().filter(|preset| preset.method().tasks().contains(&Task::Regression)) {
        let method = preset.method();
        let refused = match fit(&rows, &method, 0, &|_| ControlFlow::Continue(())) {
            Ok(_) => None,
            Err(Error::NeedsMemory { what }) => Some(what),
            Err(other) => panic!("{}: {other}", preset.name),
        };
        assert_eq!(refused, needs(&method), "{}", preset.name);
    }
    // That it is not everything, and why.
    let why = |name: &str| needs(&Method::named(name).unwrap());
    assert_eq!((why("svi"), why("ols"), why("lasso")), (None, None, Some("the Lasso".into())));
    let trees = Estimator::new("svi").unwrap().set("refit", "trees").unwrap().method;
    assert_eq!(needs(&trees), Some("a model of boosted trees".into()));
    assert!(matches!(fit(&rows, &trees, 0, &|_| ControlFlow::Continue(())), Err(Error::NeedsMemory { .. })));
}

#[test]
fn faults_name_the_part_and_its_row() {
    let folder = tempfile::tempdir().unwrap();
    let whole = table(300);
    let parts = as_parts(folder.path(), &whole, &[100, 200]);
    let roles = Roles { missing: Missing::Drop, ..Roles::target("y") };
    let fault = |wanted: &[&str]| {
        let error = file_rows(&parts, &ReadOptions::default(), &roles).err().unwrap();
        assert!(wanted.iter().all(|text| error.to_string().contains(text)), "{error}");
    };
    // An infinite value in the second part, at its own row 5.
    let mut numbers: Vec<f64> = (100..200).map(|k| noise(k, 1)).collect();
    numbers[4] = f64::INFINITY;
    let part = read_table(&parts.join("1.parquet"), &ReadOptions::default()).unwrap();
    let changed = |values: Values<'static>| {
        let columns = part.columns().iter().map(|column| match column.name.as_str() {
            "a" => Column { name: "a".into(), values: values.clone() },
            _ => column.clone(),
        });
        write_table(&parts.join("1.parquet"), &Table::new(columns.collect()).unwrap()).unwrap();
    };
    changed(Values::Number(numbers.into()));
    fault(&["1.parquet", "'a', row 5"]);
    changed(Values::Text(TextValues::collect((0..100).map(|_| Some("x")))));
    fault(&["1.parquet", "'a' holds text here and numbers"]);
    std::fs::write(parts.join("1.parquet"), b"PAR1 cut off").unwrap();
    fault(&["1.parquet"]);
    // A folder that can't hold the rows.
    let stream = TableStream::open(&parts.join("0.parquet"), &ReadOptions::default()).unwrap();
    let error = prepare_file(&stream, &roles, Path::new("/no such folder"), &|_| {}).err().unwrap();
    assert!(matches!(error, IoError::Spill { .. }) && error.hint(&Plain).unwrap().contains("TMPDIR"), "{error}");
}

#[test]
fn rows_can_be_picked_in_any_order_across_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let parts = as_parts(folder.path(), &table(2500), &[700, 700, 2000]);
    let stream = TableStream::open(&parts, &ReadOptions::default()).unwrap();
    let whole = stream.read().unwrap();
    let positions = [2400, 3, 699, 700, 3, 1999];
    assert_eq!(stream.pick(&positions).unwrap().columns()[0], whole.keep_rows(&positions).columns()[0]);
    assert_eq!(stream.pick(&[5, 9999]).unwrap().rows(), 1);
}
