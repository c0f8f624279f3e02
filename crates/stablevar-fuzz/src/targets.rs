//! One function per way in: whatever the bytes are, it comes back with an answer or an error.

use clap::ValueEnum;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use stablevar::Estimator;
use stablevar::design::{Missing, Roles, TrainingData};
use stablevar::estimator::{Kind as SettingKind, SETTINGS, Value};
use stablevar::fit::FittedModel;
use stablevar::method::PRESETS;
use stablevar::table::{Column, Table, TextValues, Values};
use stablevar::wording::Plain;
use stablevar_io::{ReadOptions, TableStream, model_from_json, summary};
use stablevar_report::model_page::{self, Extras};

/// The ways in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Text tables
    Csv,
    /// Parquet files
    Parquet,
    /// Arrow files
    Arrow,
    /// Model files
    Model,
    /// Methods and their settings
    Options,
}

/// A table with more values than this is read but not learnt from: that takes time, and finds nothing.
const MOST_VALUES: usize = 4000;
/// Work that is asked for by number is done, so that large numbers are kept from settings.
const MOST_WORK: u64 = 12;

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 5] = [Kind::Csv, Kind::Parquet, Kind::Arrow, Kind::Model, Kind::Options];

    /// Takes one input in; whether it was understood.
    pub fn try_input(self, bytes: &[u8]) -> bool {
        match self {
            Kind::Csv | Kind::Parquet | Kind::Arrow => table(bytes),
            Kind::Model => model(bytes),
            Kind::Options => options(bytes),
        }
    }
}

/// Reads a table and prepares it as a fit does.
fn table(bytes: &[u8]) -> bool {
    let Ok(stream) = TableStream::of_bytes("input".into(), bytes.to_vec(), &ReadOptions::default()) else {
        return false;
    };
    let _ = stream.size();
    let Ok(table) = stream.read() else { return false };
    let Some(last) = table.columns().last().map(|column| column.name.clone()) else { return true };
    if table.rows() * table.columns().len() <= MOST_VALUES {
        for missing in [Missing::Refuse, Missing::Mean] {
            let roles = Roles { missing, ..Roles::target(&last) };
            let _ = TrainingData::prepare(&table, &roles).map(|data| data.rows());
        }
        let _ =
            Estimator::new("ols").map(|estimator| estimator.target(&last).fit(&table).map(|fit| predicted(&fit.model)));
    }
    true
}

/// Reads a model and does all with it that can be done with a file.
fn model(bytes: &[u8]) -> bool {
    let Ok(model) = model_from_json(bytes, "input") else { return false };
    let _ = summary::json(&model, &Plain).to_string();
    let _ = model_page::page(&model, Extras::default(), &Plain);
    predicted(&model);
    true
}

/// Some rows for a model, numbers where it learnt numbers.
fn predicted(model: &FittedModel) {
    let text = model.encoding.text_columns();
    let values = |name: &String| match text.contains(name) {
        true => Values::Text(TextValues::collect([Some("a"), Some("b"), Some("c"), None].into_iter())),
        false => Values::Number(vec![0.5, -1e3, 1e308, 2.0].into()),
    };
    let names = model.encoding.feature_names();
    let columns = names.iter().map(|name| Column { name: name.clone(), values: values(name) }).collect();
    let Ok(table) = Table::new(columns) else { return };
    let _ = model.predict(&table.keep_rows(&[0, 1]));
    let _ = model.predict(&table);
    let _ = model.foresee(&table);
}

/// A method with settings that the bytes choose, on a small table.
fn options(bytes: &[u8]) -> bool {
    let mut seed = [0; 32];
    bytes.iter().enumerate().for_each(|(k, byte)| seed[k % 32] ^= byte.rotate_left((k / 32) as u32));
    let mut random = ChaCha8Rng::from_seed(seed);
    let preset = &PRESETS[random.random_range(0..PRESETS.len())];
    let count = random.random_range(0..4);
    let given: Vec<(String, Value)> = (0..count)
        .map(|_| {
            let setting = &SETTINGS[random.random_range(0..SETTINGS.len())];
            (setting.name.to_string(), value(&setting.kind, &mut random))
        })
        .collect();
    let Ok(mut estimator) = Estimator::new(preset.name).map(|estimator| estimator.target("y")) else { return false };
    // Networks and evidence take long however few rows there are; the smallest of them do as well.
    for (name, value) in [
        ("evidence", Value::Text("none".into())),
        ("epochs", 2.into()),
        ("restarts", 1.into()),
        ("hidden", Value::Counts(vec![2])),
    ] {
        if name != "evidence" || random.random_range(0..20) > 0 {
            estimator = match estimator.clone().set(name, value) {
                Ok(changed) => changed,
                Err(_) => estimator,
            };
        }
    }
    let Ok(estimator) = estimator.set_all(given) else { return false };
    let _ = estimator.findings();
    let table = small_table(&mut random);
    let Ok(fit) = estimator.fit(&table) else { return false };
    predicted(&fit.model);
    fit.model.check().is_ok() || panic!("a model that was fitted is not whole")
}

fn value(kind: &SettingKind, random: &mut ChaCha8Rng) -> Value {
    let numbers = [0.0, -0.0, 1.0, 0.5, -1.0, 1e-320, 1e-9, 1e9, 1e308, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let texts = ["", "auto", "a", "b", "t", "y", "none", "nothing", "\u{1b}[2J", "a,b"];
    let mut text = || texts[random.random_range(0..texts.len())].to_string();
    match kind {
        SettingKind::Columns => Value::Texts(vec![text(), text()]),
        SettingKind::Column => Value::Text(text()),
        SettingKind::Choice(names) => {
            let names = names();
            match random.random_range(0..=names.len()) {
                k if k < names.len() => Value::Text(names[k].0.to_string()),
                _ => Value::Text("nothing".into()),
            }
        }
        SettingKind::Counts(..) => {
            Value::Counts((0..random.random_range(0..3)).map(|_| random.random_range(0..5)).collect())
        }
        SettingKind::Count(..) | SettingKind::Bytes => match random.random_range(0..12) {
            0 => Value::Auto,
            1 => Value::Number(1.5),
            _ => Value::Count(random.random_range(0..MOST_WORK)),
        },
        SettingKind::Number(_) => match random.random_range(0..8) {
            0 => Value::Auto,
            1 => Value::Text("nothing".into()),
            _ => Value::Number(numbers[random.random_range(0..numbers.len())]),
        },
    }
}

/// A few rows with all that a table can have: text, true and false, constants, copies, missing and huge values.
fn small_table(random: &mut ChaCha8Rng) -> Table<'static> {
    let rows = random.random_range(1..40);
    let classes = random.random_range(0..3) == 0;
    let odd = random.random_range(0..4);
    let mut number = |row: usize| match odd {
        0 if row == 3 => f64::NAN,
        1 if row == 4 => 1e300,
        2 => f64::from(row as u32 % 2),
        _ => random.random_range(-2.0..2.0),
    };
    let a: Vec<f64> = (0..rows).map(&mut number).collect();
    let b: Vec<f64> = (0..rows).map(&mut number).collect();
    let y = (0..rows).map(|row| if classes { f64::from(u8::from(a[row] > b[row])) } else { a[row] + 0.1 * b[row] });
    let words = (0..rows).map(|row| if row == 2 && odd == 0 { None } else { Some(["red", "blue", ""][row % 3]) });
    let columns = vec![
        ("t", Values::Text(TextValues::collect(words))),
        ("f", Values::Boolean((0..rows).map(|row| Some(row % 3 == 0)).collect())),
        ("y", Values::Number(y.collect::<Vec<f64>>().into())),
        ("b", Values::Number(b.into())),
        ("a", Values::Number(a.into())),
    ];
    let columns = columns.into_iter().map(|(name, values)| Column { name: name.into(), values }).collect();
    Table::new(columns).unwrap_or_else(|error| panic!("the columns are of one length: {error}"))
}
