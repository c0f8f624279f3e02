//! Whether p-values and the false discovery rate mean what they say.
//!
//! `cargo run --release -p stablevar --example calibration -- SAMPLES [ROWS]` draws that many samples of the paper's design and
//! prints, for both sources of evidence, how far the p-values of the unstable columns are from uniform (Kolmogorov-Smirnov,
//! per column; the biased column apart), the false discovery proportion at a rate of 10 %, and how often variables with
//! a probability in some range were stable.

use rayon::prelude::*;
use stablevar::design::{Roles, TrainingData};
use stablevar::evidence::{Evidence, Source, VariableEvidence, gather};
use stablevar::parameter::Fraction;
use stablevar::selection::Rule;
use stablevar_data::simulate::World;
use std::ops::ControlFlow;

struct Sample {
    evidence: Vec<VariableEvidence>,
    wrong: usize,
    chosen: usize,
}

fn draw(world: &World, rows: usize, source: Source, seed: u64) -> Sample {
    let table = world.draw(rows, 2.5, 40_000_000 + seed).expect("a sample");
    let data = TrainingData::prepare(&table, &Roles::target("y")).expect("training data");
    let settings = Evidence { source, ..Evidence::default() };
    let gathered = gather(&data, &settings, None, &|| ControlFlow::Continue(())).expect("nobody interrupts");
    let probability: Vec<f64> = gathered.variables.iter().map(|variable| variable.probability).collect();
    let rule = Rule::FalseDiscoveryRate(Fraction::constant(0.1));
    let chosen = rule.select(&data, &probability, Some(&gathered.variables));
    let wrong = chosen.iter().filter(|&&variable| variable >= world.stable).count();
    Sample { evidence: gathered.variables, wrong, chosen: chosen.len() }
}

/// The largest distance of the values from the uniform distribution and the chance of one as large.
fn kolmogorov_smirnov(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let count = values.len() as f64;
    let distances = values
        .iter()
        .enumerate()
        .map(|(k, value)| (value - k as f64 / count).abs().max(((k + 1) as f64 / count - value).abs()));
    let distance = distances.fold(0.0, f64::max);
    let scaled = (count.sqrt() + 0.12 + 0.11 / count.sqrt()) * distance;
    let terms = (1..=100).map(|k| (-1f64).powi(k - 1) * (-2.0 * f64::from(k * k) * scaled * scaled).exp());
    (distance, (2.0 * terms.sum::<f64>()).clamp(0.0, 1.0))
}

fn main() {
    let number =
        |k: usize, default: usize| std::env::args().nth(k).map_or(default, |text| text.parse().expect("a number"));
    let (samples, rows) = (number(1, 300), number(2, 1000));
    let world = World::default();
    for source in [Source::Focused, Source::Residual] {
        let all: Vec<Sample> =
            (0..samples as u64).into_par_iter().map(|seed| draw(&world, rows, source, seed)).collect();
        println!("\n{source:?} evidence, {samples} samples of {rows} rows\n");
        println!(
            "| column | distance from uniform | p of Kolmogorov-Smirnov | p-values below 5 % |\n|---|---|---|---|"
        );
        for (column, name) in world.names().iter().enumerate().skip(world.stable) {
            let values: Vec<f64> = all.iter().map(|sample| sample.evidence[column].p_value).collect();
            let small = values.iter().filter(|value| **value < 0.05).count() as f64 / samples as f64;
            let (distance, p) = kolmogorov_smirnov(values);
            let biased = if column >= world.columns - world.biased { " (biased)" } else { "" };
            println!("| {name}{biased} | {distance:.3} | {p:.3} | {:.1} % |", 100.0 * small);
        }
        let shares: Vec<f64> = all.iter().map(|sample| sample.wrong as f64 / sample.chosen.max(1) as f64).collect();
        let mean = shares.iter().sum::<f64>() / samples as f64;
        let spread = (shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / samples as f64).sqrt();
        println!(
            "\nfalse discovery proportion at a rate of 10 %: {:.1} % (standard error {:.1} %)\n",
            100.0 * mean,
            100.0 * spread / (samples as f64).sqrt()
        );
        println!("| probability | variables | of them stable |\n|---|---|---|");
        for (low, high) in [(0.0, 0.05), (0.05, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 1.01)] {
            let within = |sample: &Sample| -> Vec<usize> {
                let judged = sample.evidence.iter().enumerate();
                judged.filter(|(_, v)| (low..high).contains(&v.probability)).map(|(k, _)| k).collect()
            };
            let found: Vec<usize> = all.iter().flat_map(within).collect();
            let stable = found.iter().filter(|&&variable| variable < world.stable).count();
            if !found.is_empty() {
                let share = 100.0 * stable as f64 / found.len() as f64;
                println!("| {low:.2} to {:.2} | {} | {share:.0} % |", f64::min(high, 1.0), found.len());
            }
        }
    }
}
