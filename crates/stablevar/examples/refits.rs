//! How refits do where columns shift and the relation stays, on simulated worlds: one Markdown table per command.
//!
//! `cargo run --release -p stablevar --example refits -- COMMAND [WORLDS [FIRST]]`, 40 worlds unless told otherwise:
//!
//! - `models`: every kind of model on all columns, beside Huber's regression (logistic regression): errors on rows like those that were
//!   learnt from, and on rows whose columns have shifted.
//! - `rule`: whether trees are taken by the stress test, by how many standard errors and by which share they must be better, and what
//!   that does to the error where columns have shifted.
//! - `paper`: the same on the paper's simulated data, where the plain refit is to stand.

mod shifted_worlds;

use rayon::prelude::*;
use shifted_worlds::{Sample, sample};
use stablevar::design::{Roles, TrainingData};
use stablevar::metrics::Metric;
use stablevar::models::OUTLIER_LIMIT;
use stablevar::prelude::*;
use stablevar::stress::{HeldOut, Kind, Question, Trial, Variables};
use stablevar_data::simulate::World;
use std::ops::{ControlFlow, Range};
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default: u64| arguments.get(k).map_or(default, |text| text.parse().expect("a number"));
    let (worlds, first) = (number(1, 40), number(2, 1_000));
    match arguments.first().map(String::as_str) {
        Some("models") => models(first..first + worlds),
        Some("rule") => rule(first..first + worlds),
        Some("paper") => paper(worlds, first),
        _ => panic!("the first argument is models, rule or paper"),
    }
}

/// Errors here and elsewhere, and the seconds that a fit took.
struct Errors {
    here: f64,
    elsewhere: f64,
    seconds: f64,
}

/// The errors of a model on all columns.
fn errors(sample: &Sample, settings: &[(&str, &str)]) -> Errors {
    let plain = Estimator::new(if sample.classes { "logistic" } else { "ols" }).expect("a method");
    let set = |estimator: Estimator, (name, value): &(&str, &str)| estimator.set(name, *value).expect("a setting");
    let estimator = settings.iter().fold(plain, set).target("y");
    let start = Instant::now();
    let model = estimator.fit(&sample.training).expect("a fit").model;
    let seconds = start.elapsed().as_secs_f64();
    let metric = if sample.classes { Metric::LogLoss } else { Metric::Rmse };
    let error = |table: &Table| {
        let Values::Number(outcomes) = &table.column("y").expect("an outcome").values else { panic!("numbers") };
        metric.of(&outcomes.to_vec(), &model.predict(table).expect("predictions")).expect("an error")
    };
    Errors { here: error(&sample.here), elsewhere: error(&sample.elsewhere), seconds }
}

fn plain_refit(sample: &Sample) -> &'static str {
    if sample.classes { "linear" } else { "robust" }
}

fn geometric_mean(logarithms: &[f64]) -> f64 {
    (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp()
}

/// Geometric mean of ratios, how many are below 0.98 and above 1.02, and the largest.
fn in_short(logarithms: &[f64]) -> String {
    let count = |beyond: &dyn Fn(f64) -> bool| logarithms.iter().filter(|log| beyond(**log)).count();
    let largest = logarithms.iter().copied().fold(f64::MIN, f64::max).exp();
    let (better, worse) = (count(&|log| log < -0.02), count(&|log| log > 0.02));
    format!("{:.3} | {better} | {worse} | {largest:.2}", geometric_mean(logarithms))
}

fn models(seeds: Range<u64>) {
    let kinds: [&[(&str, &str)]; 4] = [
        &[("refit", "linear")],
        &[("refit", "trees")],
        &[("refit", "trees"), ("tree-start", "constant")],
        &[("refit", "network")],
    ];
    println!("| rows | refit | error here | elsewhere | worlds better by > 2 % | worse | worst | seconds |");
    println!("|---|---|---|---|---|---|---|---|");
    for rows in [300, 1000, 4000] {
        let run = |seed: u64| -> Vec<Errors> {
            let sample = sample(seed, rows);
            let plain = errors(&sample, &[("refit", plain_refit(&sample))]);
            std::iter::once(plain).chain(kinds.iter().map(|kind| errors(&sample, kind))).collect()
        };
        let runs: Vec<Vec<Errors>> = seeds.clone().into_par_iter().map(run).collect();
        for (k, kind) in kinds.iter().enumerate() {
            let logarithms = |of: fn(&Errors) -> f64| -> Vec<f64> {
                runs.iter().map(|run| (of(&run[k + 1]) / of(&run[0])).ln()).collect()
            };
            let name: Vec<&str> = kind.iter().map(|(_, value)| *value).collect();
            println!(
                "| {rows} | {} | {:.3} | {} | {:.2} |",
                name.join(" on a "),
                geometric_mean(&logarithms(|errors| errors.here)),
                in_short(&logarithms(|errors| errors.elsewhere)),
                runs.iter().map(|run| run[k + 1].seconds).sum::<f64>() / runs.len() as f64,
            );
        }
    }
}

/// By how much trees do better than the best linear fit in regions held out, as a share and in standard errors; nothing where there
/// are none.
fn gain(data: &TrainingData, selected: &[usize]) -> (f64, f64) {
    let held_out = HeldOut::of(data);
    let question = Question { selected, sufficient: None, limit: OUTLIER_LIMIT };
    let trial = Trial::run(data, &held_out, &question, true, &|_| ControlFlow::Continue(())).expect("a trial");
    let stressed = |k: &usize| trial.beside_baseline(&held_out, *k).mean;
    let linear = (0..trial.candidates.len())
        .filter(|&k| trial.candidates[k].variables == Variables::Chosen && !trial.candidates[k].kind.is_flexible())
        .min_by(|one, other| stressed(one).total_cmp(&stressed(other)));
    let trees = trial.candidates.iter().position(|candidate| candidate.kind == Kind::Trees);
    let (Some(linear), Some(trees)) = (linear, trees) else { return (0.0, 0.0) };
    let found = trial.difference(&held_out, trees, linear);
    (-found.mean, -found.mean / found.standard_error)
}

fn rule(seeds: Range<u64>) {
    println!("| rows | standard errors | share | taken | error elsewhere | better by > 2 % | worse | worst |");
    println!("|---|---|---|---|---|---|---|---|");
    for rows in [500, 1000, 2000] {
        let run = |seed: u64| {
            let sample = sample(seed, rows);
            let of = |refit: &str| errors(&sample, &[("refit", refit)]).elsewhere;
            let data = TrainingData::prepare(&sample.training, &Roles::target("y")).expect("training data");
            let all: Vec<usize> = (0..data.columns()).collect();
            (gain(&data, &all), (of("trees") / of(plain_refit(&sample))).ln())
        };
        let runs: Vec<((f64, f64), f64)> = seeds.clone().into_par_iter().map(run).collect();
        for (errors, share) in [(1.0, 0.005), (1.0, 0.02), (2.0, 0.01), (2.0, 0.02), (2.0, 0.03), (3.0, 0.03)] {
            let takes = |(by, in_errors): &(f64, f64)| *in_errors > errors && *by > share;
            let logarithms: Vec<f64> = runs.iter().map(|(gain, log)| if takes(gain) { *log } else { 0.0 }).collect();
            let taken = runs.iter().filter(|(gain, _)| takes(gain)).count();
            println!("| {rows} | {errors} | {share} | {taken} | {} |", in_short(&logarithms));
        }
    }
}

fn paper(samples: u64, first: u64) {
    println!("| n | r | samples with trees | largest gain | in standard errors | taken by 2 and 2 % | by 2 and 3 % |");
    println!("|---|---|---|---|---|---|---|");
    for (rows, rate) in [(1000, 2.5), (1500, 2.5), (2000, 2.5), (1500, 2.0), (1500, 3.0)] {
        let run = |seed: u64| {
            let table = World::default().draw(rows, rate, seed).expect("training rows");
            let data = TrainingData::prepare(&table, &Roles::target("y")).expect("training data");
            gain(&data, &[0, 1, 2, 3, 4])
        };
        let gains: Vec<(f64, f64)> = (first..first + samples).into_par_iter().map(run).collect();
        let most = |of: fn(&(f64, f64)) -> f64| gains.iter().map(of).fold(f64::MIN, f64::max);
        let taken = |share: f64| gains.iter().filter(|(by, errors)| *by > share && *errors > 2.0).count();
        println!(
            "| {rows} | {rate} | {} | {:.1} % | {:.1} | {} | {} |",
            gains.iter().filter(|gain| gain.0 != 0.0).count(),
            100.0 * most(|gain| gain.0),
            most(|gain| gain.1),
            taken(0.02),
            taken(0.03)
        );
    }
}
