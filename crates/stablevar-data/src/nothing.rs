//! Ten kinds of nothing: tables whose columns tell nothing about the outcome, each made in a way that has fooled a test.
//!
//! Whoever selects a variable in one of them is wrong, or has to say why not to trust it.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Cauchy, Distribution, StandardNormal};
use stablevar::design::{Missing, Roles};
use stablevar::table::{Column, Table, TextValues, Values};

/// A kind of table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nothing {
    /// Columns and outcome are normal.
    Normal,
    /// Columns are Cauchy, and in every second table the outcome is, too.
    Cauchy,
    /// Columns and outcome are the exponentials of normal ones.
    Lognormal,
    /// 50 rows, each twenty times.
    RepeatedRows,
    /// Columns and outcome are sums of normal steps, row after row.
    RandomWalks,
    /// Weights that say how many of a population a row stands for, from 500 to 3000.
    SurveyWeights,
    /// Three texts of eight levels each, and three marks that few rows have.
    OneHot,
    /// Two classes, one of them in 2 % of the rows.
    RareClasses,
    /// 90 to 99 % of every column's values are missing, and its mean stands in.
    HeavyMissing,
    /// 20 rows.
    TinyTables,
}

impl Nothing {
    /// All of them.
    pub const ALL: [Nothing; 10] = [
        Nothing::Normal,
        Nothing::Cauchy,
        Nothing::Lognormal,
        Nothing::RepeatedRows,
        Nothing::RandomWalks,
        Nothing::SurveyWeights,
        Nothing::OneHot,
        Nothing::RareClasses,
        Nothing::HeavyMissing,
        Nothing::TinyTables,
    ];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Nothing::Normal => "normal",
            Nothing::Cauchy => "Cauchy",
            Nothing::Lognormal => "lognormal",
            Nothing::RepeatedRows => "repeated rows",
            Nothing::RandomWalks => "random walks",
            Nothing::SurveyWeights => "survey weights",
            Nothing::OneHot => "one-hot",
            Nothing::RareClasses => "rare classes",
            Nothing::HeavyMissing => "heavy missing",
            Nothing::TinyTables => "tiny tables",
        }
    }

    /// Rows of a table.
    pub fn rows(self) -> usize {
        match self {
            Nothing::RepeatedRows => 1000,
            Nothing::RareClasses => 500,
            Nothing::TinyTables => 20,
            _ => 300,
        }
    }

    /// A table, and how it is to be read; the outcome is `y`.
    pub fn draw(self, seed: u64) -> (Table<'static>, Roles) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut roles = Roles::target("y");
        let rows = self.rows();
        let mut columns: Vec<Vec<f64>> =
            (0..=COLUMNS).map(|_| (0..rows).map(|_| random.sample(StandardNormal)).collect()).collect();
        let mut texts = Vec::new();
        match self {
            Nothing::Normal | Nothing::TinyTables => {}
            Nothing::Cauchy => {
                let heavy = if seed.is_multiple_of(2) { COLUMNS + 1 } else { COLUMNS };
                columns[..heavy].iter_mut().for_each(|column| column.fill_with(|| cauchy(&mut random)));
            }
            Nothing::Lognormal => columns.iter_mut().flatten().for_each(|value| *value = value.exp()),
            Nothing::RepeatedRows => {
                let of_fifty = |column: &mut Vec<f64>| (0..rows).for_each(|row| column[row] = column[row % 50]);
                columns.iter_mut().for_each(of_fifty);
            }
            Nothing::RandomWalks => {
                columns.iter_mut().for_each(|column| (1..rows).for_each(|row| column[row] += column[row - 1]));
            }
            Nothing::SurveyWeights => {
                roles.weight_column = Some("w".into());
                texts.push(number("w", (0..rows).map(|_| random.random_range(500.0..3000.0)).collect()));
            }
            Nothing::OneHot => {
                for (k, column) in columns[..3].iter().enumerate() {
                    let levels: Vec<String> = column.iter().map(|value| format!("{:.0}", 1.5 * value)).collect();
                    let text = TextValues::collect(levels.iter().map(|level| Some(level.as_str())));
                    texts.push(Column { name: format!("t{}", k + 1), values: Values::Text(text) });
                }
                columns.drain(..2);
                columns[..3].iter_mut().flatten().for_each(|value| *value = f64::from(*value > 1.7));
            }
            Nothing::RareClasses => {
                columns[COLUMNS].iter_mut().enumerate().for_each(|(row, value)| *value = f64::from(row % 50 == 0));
            }
            Nothing::HeavyMissing => {
                roles.missing = Missing::Mean;
                for column in &mut columns[..COLUMNS] {
                    let share = random.random_range(0.9..0.99);
                    let missing = |value: &mut f64| *value = if random.random_bool(share) { f64::NAN } else { *value };
                    column.iter_mut().for_each(missing);
                }
            }
        }
        let count = columns.len();
        let name = |k: usize| if k + 1 == count { "y".into() } else { format!("x{}", k + 1) };
        let numbers = columns.into_iter().enumerate().map(|(k, values)| number(&name(k), values));
        let all = texts.into_iter().chain(numbers).collect();
        (Table::new(all).unwrap_or_else(|fault| unreachable!("columns of one length: {fault}")), roles)
    }
}

/// Columns beside the outcome.
const COLUMNS: usize = 5;

fn number(name: &str, values: Vec<f64>) -> Column<'static> {
    Column { name: name.into(), values: Values::Number(values.into()) }
}

fn cauchy(random: &mut ChaCha8Rng) -> f64 {
    Cauchy::new(0.0, 1.0).map_or(0.0, |cauchy| cauchy.sample(random))
}
