//! How well errors elsewhere are foreseen in simulated worlds whose columns shift while the relation stays:
//!
//!     cargo run --release -p stablevar --example foresight -- 0 200

#![allow(missing_docs, clippy::print_stdout)]

mod shifted_worlds;

use shifted_worlds::{Outcome, foreseen};

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|word| word.parse::<u64>().ok());
    let (first, last) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(60));
    let verbose = std::env::args().any(|word| word == "--each");
    let found: Vec<Outcome> = (first..last).filter_map(foreseen).collect();
    let (mut ours, mut training, mut covered, mut widths) = (Vec::new(), Vec::new(), 0, Vec::new());
    for outcome in &found {
        let foresight = &outcome.foresight;
        let (Some(error), Some((low, high))) = (foresight.expected_error, foresight.interval) else { continue };
        let inside = (low..=high).contains(&outcome.truth);
        ours.push((error / outcome.truth).ln().abs());
        training.push((foresight.training_error / outcome.truth).ln().abs());
        widths.push((high / low).ln() / 2.0);
        covered += usize::from(inside);
        if verbose {
            println!(
                "truth {:.4} expected {error:.4} [{low:.4}, {high:.4}] training {:.4} n_eff {:.0} overlap {:.2} outside {:.2} {}",
                outcome.truth,
                foresight.training_error,
                foresight.effective_sample_size,
                foresight.overlap,
                foresight.outside_share,
                if inside { "" } else { "MISSED" }
            );
        }
    }
    println!("worlds {}, with an error {}", found.len(), ours.len());
    for (name, distances) in [("foreseen", &mut ours), ("training error", &mut training)] {
        distances.sort_by(f64::total_cmp);
        let within = distances.iter().filter(|distance| **distance < 1.15f64.ln()).count();
        println!(
            "{name:15} median distance {:.4}, nine of ten below {:.3}, within 15 % in {:.0} %",
            distances[distances.len() / 2],
            distances[distances.len() * 9 / 10],
            100.0 * within as f64 / distances.len() as f64
        );
    }
    widths.sort_by(f64::total_cmp);
    println!(
        "intervals of 90 % cover in {:.0} %, half their length {:.3} in the middle",
        100.0 * covered as f64 / ours.len().max(1) as f64,
        widths[widths.len() / 2]
    );
}
