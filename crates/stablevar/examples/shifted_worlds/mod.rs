//! Simulated worlds whose columns shift while the relation stays, so that the true error elsewhere is known.

// Each of those that share this has a use for a part of it.
#![allow(dead_code)]

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use stablevar::fit::FittedModel;
use stablevar::foresight::Foresight;
use stablevar::metrics::Metric;
use stablevar::prelude::*;

/// A law of columns and outcome, and a shift of the columns.
struct World {
    random: ChaCha8Rng,
    /// Per column: what it is made of, how it is shown, its effect, what it does to the noise, how far its own part shifts.
    columns: Vec<Made>,
    factor_shift: [f64; 3],
    factor_spread: [f64; 3],
    bend: (usize, usize, usize, f64),
    noise: f64,
    heavy: bool,
    classes: bool,
}

struct Made {
    loadings: [f64; 3],
    kind: usize,
    effect: f64,
    noise: f64,
    shift: f64,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut pick = |values: &[f64]| values[(random.random::<f64>() * values.len() as f64) as usize % values.len()];
        let count = pick(&[4.0, 8.0, 16.0, 30.0]) as usize;
        let (tied, strength, noisy) = (pick(&[0.3, 1.0]), pick(&[0.3, 0.7, 1.2]), pick(&[0.0, 0.3, 0.6]));
        let (bend, noise) = (pick(&[0.0, 0.5, 1.0]), pick(&[0.5, 1.5]));
        let mut normal = |scale: f64, share: f64| {
            let value: f64 = random.sample(StandardNormal);
            if random.random::<f64>() < share { scale * value } else { 0.0 }
        };
        let columns = (0..count)
            .map(|k| Made {
                loadings: [(); 3].map(|()| normal(tied, 1.0)),
                kind: [0, 0, 1, 2][k % 4],
                effect: normal(1.0, 0.6),
                noise: normal(noisy, 0.3),
                shift: normal(strength, 0.3),
            })
            .collect();
        let factor_shift = [(); 3].map(|()| normal(strength, 1.0));
        let factor_spread = [(); 3].map(|()| normal(0.2 * strength, 1.0).exp());
        let place = |random: &mut ChaCha8Rng, below: usize| (random.random::<f64>() * below as f64) as usize;
        let bend = (place(&mut random, count), place(&mut random, count), place(&mut random, 3), bend);
        let (heavy, classes) = (random.random::<f64>() < 0.3, random.random::<f64>() < 0.35);
        Self { random, columns, factor_shift, factor_spread, bend, noise, heavy, classes }
    }

    fn normal(&mut self) -> f64 {
        self.random.sample(StandardNormal)
    }

    fn row(&mut self, shifted: bool) -> Vec<f64> {
        let mut factors = [(); 3].map(|()| self.normal());
        if shifted {
            for k in 0..3 {
                factors[k] = self.factor_spread[k] * factors[k] + self.factor_shift[k];
            }
        }
        let (mut shown, mut inner) = (Vec::new(), Vec::new());
        for k in 0..self.columns.len() {
            let own = self.normal();
            let made = &self.columns[k];
            let size = (1.0 + made.loadings.iter().map(|loading| loading * loading).sum::<f64>()).sqrt();
            let tied: f64 = made.loadings.iter().zip(&factors).map(|(loading, factor)| loading * factor).sum();
            let value = (tied + own + if shifted { made.shift } else { 0.0 }) / size;
            let flag = f64::from(value > 0.5);
            shown.push([value, value.exp(), flag][made.kind]);
            inner.push(if made.kind == 2 { flag } else { value });
        }
        let (i, j, form, bend) = self.bend;
        let bent = bend * [inner[i] * inner[j], 2.0 * inner[i].abs(), (2.0 * inner[i]).sin()][form];
        let sum = |of: fn(&Made) -> f64| self.columns.iter().zip(&inner).map(|(made, x)| of(made) * x).sum::<f64>();
        let (signal, spread) = (sum(|made| made.effect) + bent, self.noise * sum(|made| made.noise).exp());
        let mut noise = self.normal();
        if self.heavy {
            // Student's t with four degrees of freedom.
            let squares: f64 = (0..4).map(|_| self.normal().powi(2)).sum();
            noise /= (squares / 4.0).sqrt();
        }
        let outcome = signal + spread * noise;
        shown.push(if self.classes { f64::from(outcome > 0.0) } else { outcome });
        shown
    }

    fn draw(&mut self, rows: usize, shifted: bool) -> Table<'static> {
        let rows: Vec<Vec<f64>> = (0..rows).map(|_| self.row(shifted)).collect();
        let names = (0..self.columns.len()).map(|k| format!("x{k}")).chain(["y".to_string()]);
        let columns = names.enumerate().map(|(k, name)| (name, rows.iter().map(|row| row[k]).collect()));
        Table::from_numbers(columns.collect::<Vec<(String, Vec<f64>)>>()).expect("columns of one length")
    }
}

/// Rows to learn from, and rows of the same world whose columns have shifted.
pub struct Sample {
    pub training: Table<'static>,
    /// Rows like those to learn from.
    pub here: Table<'static>,
    pub elsewhere: Table<'static>,
    pub classes: bool,
}

/// A sample of a world with so many rows to learn from.
pub fn sample(seed: u64, rows: usize) -> Sample {
    let mut world = World::new(seed);
    let (training, here) = (world.draw(rows, false), world.draw(10_000, false));
    Sample { training, here, elsewhere: world.draw(10_000, true), classes: world.classes }
}

/// What was foreseen in a world, and the truth.
pub struct Outcome {
    pub foresight: Foresight,
    pub truth: f64,
}

/// Fits a plain model in a world and foresees its error where the columns have shifted.
pub fn foreseen(seed: u64) -> Option<Outcome> {
    let mut world = World::new(seed);
    let rows = [800, 2000, 4000][seed as usize % 3];
    let training = world.draw(rows, false);
    let new = world.draw(if seed.is_multiple_of(2) { 500 } else { 3000 }, true);
    let later = world.draw(20_000, true);
    let method = if world.classes { "logistic" } else { "ols" };
    let model: FittedModel = Estimator::new(method).ok()?.target("y").fit(&training).ok()?.model;
    let foresight = model.foresee(&new).ok()?;
    let Values::Number(outcomes) = &later.column("y").ok()?.values else { return None };
    let metric = if world.classes { Metric::ErrorRate } else { Metric::Rmse };
    let truth = metric.of(&outcomes.to_vec(), &model.predict(&later).ok()?)?;
    Some(Outcome { foresight, truth })
}
