//! A sample for unit tests, of the paper's linear law with its selection bias.

use crate::table::Table;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

/// Columns s1.. (stable, pairwise correlation 0.9), v1.. (0.1), the last of which the selection ties to the outcome, and
/// `y = S beta + S_1 S_2 S_3 + noise` of variance 0.3. A row is kept with probability `2.5^(-5 |signal - V_last|)`.
pub(crate) fn biased_sample(columns: usize, stable: usize, rows: usize, seed: u64) -> Table<'static> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut kept = vec![Vec::with_capacity(rows); columns + 1];
    while kept[0].len() < rows {
        let mut row = Vec::with_capacity(columns + 1);
        for (count, correlation) in [(stable, 0.9f64), (columns - stable, 0.1)] {
            let common: f64 = random.sample(StandardNormal);
            for _ in 0..count {
                let own: f64 = random.sample(StandardNormal);
                row.push(correlation.sqrt() * common + (1.0 - correlation).sqrt() * own);
            }
        }
        let beta = [1.0 / 3.0, -2.0 / 3.0, 1.0, -1.0 / 3.0, 2.0 / 3.0, -1.0];
        let linear: f64 = row[..stable].iter().zip(beta.iter().cycle()).map(|(x, beta)| x * beta).sum();
        let signal = linear + row[0] * row[1] * row[2];
        if random.random::<f64>() < 2.5f64.powf(-5.0 * (signal - row[columns - 1]).abs()) {
            row.push(signal + 0.3f64.sqrt() * random.sample::<f64, _>(StandardNormal));
            kept.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
    }
    let stable_names = (1..=stable).map(|k| format!("s{k}"));
    let names = stable_names.chain((1..=columns - stable).map(|k| format!("v{k}"))).chain(["y".to_string()]);
    Table::from_numbers(names.zip(kept)).unwrap()
}
