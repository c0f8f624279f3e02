//! What the evidence promises, measured on many simulated samples: one Markdown table per command.
//!
//! `cargo run --release -p stablevar --example trust -- COMMAND [SAMPLES]`, 30 samples unless told otherwise:
//!
//! - `seeds`: the same sample fitted with 10 (or SAMPLES) seeds: do sets and probabilities hang on the seed?
//! - `copies`: a text column and a number that tell the same: is one of them chosen and the other named beside it?
//! - `moderate`: strong effects next to moderate ones, |t| of about 3.5 in least squares: what is kept, and does it suffice?
//! - `shapes`: effects without a slope, a square and a product: are they seen?
//! - `wide [SAMPLES [COLUMNS]]`: 300 and 1000 columns (or COLUMNS), 10 of them stable, by default and at a false discovery
//!   rate of 10 %.
//! - `null`: 100 columns and 400 rows, 97 of the columns without effect: are their p-values uniform? 200 samples.
//! - `reliability`: how often variables with a probability in some range are stable, over all worlds of the example `worlds`.
//! - `doubt`: worlds so steep that the biased column slips in: is it flagged then, and are stable ones not?

mod scenarios;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use rayon::prelude::*;
use scenarios::{Scenario, scenarios, test_error, test_tables, unstable_names};
use stablevar::Estimator;
use stablevar::design::{Roles, TrainingData};
use stablevar::evidence::VariableEvidence;
use stablevar::fit::{FittedModel, fit};
use stablevar::method::Method;
use stablevar::models::sigmoid;
use stablevar::table::{Column, Table, TextValues, Values};
use stablevar_data::simulate::World;
use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};
use std::time::Instant;

/// Samples are drawn with seeds from here on, so that they are others than those of the example `worlds`.
const FIRST_SEED: u64 = 50_000_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize| arguments.get(k).map(|text| text.parse::<u64>().expect("a number"));
    let samples = |default: u64| number(1).unwrap_or(default);
    match arguments.first().map(String::as_str) {
        Some("seeds") => seeds(samples(10)),
        Some("copies") => copies(samples(30)),
        Some("moderate") => moderate(samples(30)),
        Some("shapes") => shapes(samples(30)),
        Some("wide") => wide(samples(30), number(2)),
        Some("null") => null(samples(200)),
        Some("reliability") => reliability(samples(30)),
        Some("doubt") => doubt(samples(30)),
        _ => panic!("the first argument is seeds, copies, moderate, shapes, wide, null, reliability or doubt"),
    }
}

fn fitted(table: &Table, method: &Method, exclude: Vec<String>, seed: u64) -> FittedModel {
    let data = TrainingData::prepare(table, &Roles { exclude, ..Roles::target("y") }).expect("training data");
    fit(&data, method, seed, &|_| ControlFlow::Continue(())).expect("a fit").model
}

fn by_default(table: &Table, seed: u64) -> FittedModel {
    fitted(table, &Method::default(), Vec::new(), seed)
}

fn evidence(model: &FittedModel) -> &[VariableEvidence] {
    model.evidence.as_deref().expect("the default method gathers evidence")
}

fn over_samples<T: Send>(samples: u64, run: impl Fn(u64) -> T + Sync + Send) -> Vec<T> {
    (0..samples).into_par_iter().map(run).collect()
}

fn scenario(name: &str) -> Scenario {
    scenarios().into_iter().find(|scenario| scenario.name == name).expect("a scenario")
}

/// How many of the variables in a range of positions were selected.
fn selected_within(model: &FittedModel, range: Range<usize>) -> usize {
    model.selected.iter().filter(|variable| range.contains(variable)).count()
}

/// Independent standard normal columns.
fn normal_columns(random: &mut ChaCha8Rng, rows: usize, columns: usize) -> Vec<Vec<f64>> {
    (0..columns).map(|_| (0..rows).map(|_| random.sample(StandardNormal)).collect()).collect()
}

/// Columns x1, x2 .. and the outcome y, which is drawn given a row's values.
fn outcome_of(
    random: &mut ChaCha8Rng,
    rows: usize,
    columns: usize,
    outcome: impl Fn(&[f64], &mut ChaCha8Rng) -> f64,
) -> Table<'static> {
    let values = normal_columns(random, rows, columns);
    let row = |k: usize| -> Vec<f64> { values.iter().map(|column| column[k]).collect() };
    let outcomes: Vec<f64> = (0..rows).map(|k| outcome(&row(k), random)).collect();
    let names = (1..=columns).map(|k| format!("x{k}")).chain(["y".to_string()]);
    Table::from_numbers(names.zip(values.into_iter().chain([outcomes]))).expect("columns of one length")
}

fn mean_of<T>(items: &[T], value: impl Fn(&T) -> f64) -> f64 {
    items.iter().map(value).sum::<f64>() / items.len() as f64
}

fn standard_deviation(values: &[f64]) -> f64 {
    let centre = mean_of(values, |value| *value);
    mean_of(values, |value| (value - centre).powi(2)).sqrt()
}

/// A share in percent; a dash where there is nothing to have a share in.
fn share(part: usize, whole: usize) -> String {
    if whole == 0 { "-".into() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

fn share_of<T>(items: &[T], counts: impl Fn(&T) -> bool) -> String {
    share(items.iter().filter(|item| counts(item)).count(), items.len())
}

fn heading(titles: &str) {
    println!("| {titles} |\n|{}", "---|".repeat(titles.split('|').count()));
}

fn seeds(fits: u64) {
    let factor = std::f64::consts::PI / 0.9f64.sqrt();
    let classes = Scenario {
        name: "two classes",
        rows: 2000,
        rate: 2.5,
        world: World { log_odds: Some(factor), ..World::default() },
        development: false,
    };
    heading(
        "world | fits | different sets | exact | largest deviation of a probability over the fits | \
         of | largest that the evidence states",
    );
    for scenario in [scenario("table1-1000"), scenario("v-from-s"), classes, scenario("p20")] {
        let table = scenario.draw(FIRST_SEED);
        let models = over_samples(fits, |seed| by_default(&table, seed));
        let sets: BTreeSet<&Vec<usize>> = models.iter().map(|model| &model.selected).collect();
        let stable: Vec<usize> = (0..scenario.world.stable).collect();
        let deviation = |variable: usize| {
            let probabilities: Vec<f64> = models.iter().map(|model| evidence(model)[variable].probability).collect();
            standard_deviation(&probabilities)
        };
        let (largest, name) = (scenario.world.names().into_iter().enumerate())
            .map(|(variable, name)| (deviation(variable), name))
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .expect("a column");
        let stated = models.iter().flat_map(evidence).map(|variable| variable.spread).fold(0.0, f64::max);
        println!(
            "| {} | {fits} | {} | {} | {largest:.4} | {name} | {stated:.4} |",
            scenario.name,
            sets.len(),
            share_of(&models, |model| model.selected == stable),
        );
    }
}

/// What was chosen of a text column and a number that tell the same.
struct Pair {
    text_first: bool,
    text: bool,
    number: bool,
    left_out: bool,
    other_named: bool,
    rest_exact: bool,
}

fn pair(seed: u64) -> Pair {
    const ROWS: usize = 1500;
    const LEVELS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const CODES: [f64; 8] = [1.0, 2.0, 5.0, 7.0, 12.0, 20.0, 21.0, 40.0];
    const EFFECTS: [f64; 8] = [0.6, -0.7, 0.3, -0.2, 0.8, -0.5, 0.1, -0.4];
    let mut random = ChaCha8Rng::seed_from_u64(FIRST_SEED + seed);
    let level: Vec<usize> = (0..ROWS).map(|_| random.random_range(0..LEVELS.len())).collect();
    let others = normal_columns(&mut random, ROWS, 4);
    let noise = normal_columns(&mut random, ROWS, 1).remove(0);
    let outcome = (0..ROWS).map(|row| EFFECTS[level[row]] + 0.5 * others[0][row] - 0.5 * others[1][row] + noise[row]);
    let numbers = |name: &str, values: Vec<f64>| Column { name: name.into(), values: Values::Number(values.into()) };
    let texts = TextValues::collect(level.iter().map(|&level| Some(LEVELS[level])));
    let text = Column { name: "text".into(), values: Values::Text(texts) };
    let number = numbers("number", level.iter().map(|&level| CODES[level]).collect());
    // Which of the two is chosen must not hang on which comes first.
    let text_first = seed.is_multiple_of(2);
    let mut columns = if text_first { vec![text, number] } else { vec![number, text] };
    let outcome = numbers("y", outcome.collect());
    columns.extend(["stable1", "stable2", "noise1", "noise2"].into_iter().zip(others).map(|(n, v)| numbers(n, v)));
    columns.push(outcome);
    let model = by_default(&Table::new(columns).expect("columns of one length"), seed);

    // A number that columns before it add up to is left out before any evidence is gathered.
    let position = |name: &str| model.encoding.features.iter().position(|feature| feature.name == name);
    let is_in = |name: &str| position(name).is_some_and(|variable| model.selected.contains(&variable));
    let names = |chosen: &str, other: &str| match (position(chosen), position(other)) {
        (Some(chosen), Some(other)) => evidence(&model)[chosen].alternatives.contains(&other),
        _ => false,
    };
    let (text, number) = (is_in("text"), is_in("number"));
    Pair {
        text_first,
        text,
        number,
        left_out: position("text").is_none() || position("number").is_none(),
        other_named: (text && names("text", "number")) || (number && names("number", "text")),
        rest_exact: is_in("stable1") && is_in("stable2") && !is_in("noise1") && !is_in("noise2"),
    }
}

fn copies(samples: u64) {
    let all = over_samples(samples, pair);
    heading(
        "order | samples | one left out beforehand | text only | number only | exactly one | \
         other named then | both | none | rest exact",
    );
    for (order, text_first) in [("text first", Some(true)), ("number first", Some(false)), ("either", None)] {
        let belongs = |pair: &&Pair| text_first.is_none_or(|first| pair.text_first == first);
        let pairs: Vec<&Pair> = all.iter().filter(belongs).collect();
        let one: Vec<&Pair> = pairs.iter().copied().filter(|pair| pair.text != pair.number).collect();
        println!(
            "| {order} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            pairs.len(),
            share_of(&pairs, |pair| pair.left_out),
            share_of(&pairs, |pair| pair.text && !pair.number),
            share_of(&pairs, |pair| !pair.text && pair.number),
            share(one.len(), pairs.len()),
            share_of(&one, |pair| pair.other_named),
            share_of(&pairs, |pair| pair.text && pair.number),
            share_of(&pairs, |pair| !pair.text && !pair.number),
            share_of(&pairs, |pair| pair.rest_exact),
        );
    }
}

fn moderate(samples: u64) {
    const ROWS: usize = 4000;
    const STRONG: usize = 3;
    const MODERATE: usize = 6;
    const NOISE: usize = 5;
    // Independent columns of variance 1 and noise of variance 1: a slope's standard error is 1 / sqrt(n).
    let slope = 3.5 / (ROWS as f64).sqrt();
    let models = over_samples(samples, |seed| {
        let mut random = ChaCha8Rng::seed_from_u64(FIRST_SEED + seed);
        let table = outcome_of(&mut random, ROWS, STRONG + MODERATE + NOISE, |row, random| {
            let (strong, rest) = row.split_at(STRONG);
            0.5 * strong.iter().sum::<f64>()
                + slope * rest[..MODERATE].iter().sum::<f64>()
                + random.sample::<f64, _>(StandardNormal)
        });
        by_default(&table, seed)
    });
    let kept = |range: Range<usize>| mean_of(&models, |model| selected_within(model, range.clone()) as f64);
    let stated: Vec<_> = models.iter().filter_map(|model| model.sufficiency).collect();
    heading(
        "samples | strong kept, of 3 | moderate kept, of 6 | noise kept, of 5 | sufficiency stated | \
         sufficient then | mean difference over loss of all",
    );
    println!(
        "| {samples} | {:.2} | {:.2} | {:.2} | {} | {} | {:.4} |",
        kept(0..STRONG),
        kept(STRONG..STRONG + MODERATE),
        kept(STRONG + MODERATE..STRONG + MODERATE + NOISE),
        share(stated.len(), models.len()),
        share_of(&stated, |sufficiency| sufficiency.sufficient),
        mean_of(&stated, |sufficiency| sufficiency.difference / sufficiency.loss_all),
    );
}

fn shapes(samples: u64) {
    const COLUMNS: usize = 8;
    const STABLE: usize = 4;
    type Outcome = fn(&[f64], &mut ChaCha8Rng) -> f64;
    let number: Outcome =
        |row, random| row[0] * row[0] + row[1] * row[2] + row[3] + random.sample::<f64, _>(StandardNormal);
    let class: Outcome = |row, random| {
        let log_odds = 2.0 * (row[0] * row[0] - 1.0 + row[1] * row[2] + row[3]);
        f64::from(random.random::<f64>() < sigmoid(log_odds))
    };
    heading("outcome | rows | x1 (square) | x2 (product) | x3 (product) | x4 (linear) | any of four without effect");
    for (name, outcome) in [("number", number), ("two classes", class)] {
        for rows in [1000, 2000] {
            let models = over_samples(samples, |seed| {
                let mut random = ChaCha8Rng::seed_from_u64(FIRST_SEED + seed);
                by_default(&outcome_of(&mut random, rows, COLUMNS, outcome), seed)
            });
            let found = (0..STABLE).map(|variable| share_of(&models, |model| model.selected.contains(&variable)));
            println!(
                "| {name} | {rows} | {} | {} |",
                found.collect::<Vec<_>>().join(" | "),
                share_of(&models, |model| selected_within(model, STABLE..COLUMNS) > 0),
            );
        }
    }
}

/// How a rule did in one wide sample.
struct Wide {
    error: f64,
    wrong: usize,
    biased: usize,
    chosen: usize,
    seconds: f64,
}

fn wide(samples: u64, columns: Option<u64>) {
    let ols = || Method::named("ols").expect("a preset");
    let by_rate = Estimator::new("svi").and_then(|svi| svi.set("fdr", 0.1)).expect("a setting").method;
    let methods = [("OLS", ols()), ("Oracle", ols()), ("default", Method::default()), ("fdr 0.1", by_rate)];
    heading(
        "columns | rule | mean error | removed | false discovery proportion | biased in, of 2 | \
         stable missed, of 10 | seconds",
    );
    for columns in columns.map_or(vec![300, 1000], |columns| vec![columns as usize]) {
        let world = World { columns, stable: 10, biased: 2, ..World::default() };
        let unstable = unstable_names(&world);
        // Few rows pass the selection of two columns, and each takes long to draw: the tests are the same for all samples.
        let tests = test_tables(&world, FIRST_SEED);
        let run = |table: &Table, name: &str, method: &Method, seed: u64| {
            let start = Instant::now();
            let exclude = if name == "Oracle" { unstable.clone() } else { Vec::new() };
            let model = fitted(table, method, exclude, seed);
            Wide {
                seconds: start.elapsed().as_secs_f64(),
                error: test_error(&model, &tests),
                wrong: selected_within(&model, world.stable..columns),
                biased: selected_within(&model, columns - world.biased..columns),
                chosen: model.selected.len(),
            }
        };
        // One after the other: a fit of this size takes all threads, and its time is to be told.
        let runs: Vec<Vec<Wide>> = (0..samples)
            .map(|seed| {
                let table = world.draw(5000, 2.0, FIRST_SEED + seed).expect("training rows");
                methods.iter().map(|(name, method)| run(&table, name, method, seed)).collect()
            })
            .collect();
        let error = |m: usize| mean_of(&runs, |run| run[m].error);
        for (m, (name, _)) in methods.iter().enumerate() {
            println!(
                "| {columns} | {name} | {:.4} | {:.1} % | {:.1} % | {:.2} | {:.2} | {:.1} |",
                error(m),
                100.0 * (error(0) - error(m)) / (error(0) - error(1)),
                100.0 * mean_of(&runs, |run| run[m].wrong as f64 / run[m].chosen.max(1) as f64),
                mean_of(&runs, |run| run[m].biased as f64),
                mean_of(&runs, |run| (world.stable + run[m].wrong) as f64 - run[m].chosen as f64),
                mean_of(&runs, |run| run[m].seconds),
            );
        }
    }
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

fn null(samples: u64) {
    const ROWS: usize = 400;
    const COLUMNS: usize = 100;
    const STABLE: usize = 3;
    const FIXED: usize = 49;
    let models = over_samples(samples, |seed| {
        let mut random = ChaCha8Rng::seed_from_u64(FIRST_SEED + seed);
        let table = outcome_of(&mut random, ROWS, COLUMNS, |row, random| {
            0.5 * row[..STABLE].iter().sum::<f64>() + random.sample::<f64, _>(StandardNormal)
        });
        by_default(&table, seed)
    });
    // The p-values of one sample hang together, those of one column over the samples do not: only these are for the test.
    let fixed = models.iter().map(|model| evidence(model)[FIXED].p_value).filter(|value| !value.is_nan());
    let (distance, p) = kolmogorov_smirnov(fixed.collect());
    let all: Vec<f64> =
        models.iter().flat_map(|model| &evidence(model)[STABLE..]).map(|variable| variable.p_value).collect();
    let told: Vec<f64> = all.iter().copied().filter(|value| !value.is_nan()).collect();
    heading(
        "samples | one column: distance from uniform | p of Kolmogorov-Smirnov | \
         p-values below 5 %, all without effect | below 0.1 % | p-values withheld | \
         selected without effect, of 97 | selected with effect, of 3",
    );
    println!(
        "| {samples} | {distance:.3} | {p:.3} | {} | {} | {} | {:.2} | {:.2} |",
        share_of(&told, |value| *value < 0.05),
        share_of(&told, |value| *value < 0.001),
        share_of(&all, |value| value.is_nan()),
        mean_of(&models, |model| selected_within(model, STABLE..COLUMNS) as f64),
        mean_of(&models, |model| selected_within(model, 0..STABLE) as f64),
    );
}

fn reliability(samples: u64) {
    const BOUNDS: [f64; 8] = [0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 0.999, 1.0];
    struct Judged {
        probability: f64,
        stable: bool,
        development: bool,
    }
    let judged: Vec<Judged> = scenarios()
        .iter()
        .flat_map(|scenario| {
            let models = over_samples(samples, |seed| by_default(&scenario.draw(FIRST_SEED + seed), seed));
            let judge = |(variable, evidence): (usize, &VariableEvidence)| Judged {
                probability: evidence.probability,
                stable: variable < scenario.world.stable,
                development: scenario.development,
            };
            models.iter().flat_map(|model| evidence(model).iter().enumerate().map(judge)).collect::<Vec<_>>()
        })
        .collect();
    heading(
        "variables of probability | in development worlds | of them stable | in worlds kept apart | of them stable",
    );
    for bounds in BOUNDS.windows(2) {
        let (low, high) = (bounds[0], bounds[1]);
        let cells = [true, false].map(|development| {
            let within = |one: &&Judged| {
                // The last range ends with 1 itself.
                let below = one.probability < high || high == 1.0;
                one.development == development && one.probability >= low && below
            };
            let found: Vec<&Judged> = judged.iter().filter(within).collect();
            format!("{} | {}", found.len(), share_of(&found, |one| one.stable))
        });
        println!("| {low} to {high} | {} |", cells.join(" | "));
    }
}

fn doubt(samples: u64) {
    heading("world | samples | biased selected | of these flagged | biased flagged at all | stable columns flagged");
    for scenario in [scenario("independent-exp"), scenario("s-from-v-exp")] {
        let world = &scenario.world;
        let biased = world.columns - 1;
        let models = over_samples(samples, |seed| by_default(&scenario.draw(FIRST_SEED + seed), seed));
        let slipped: Vec<&FittedModel> = models.iter().filter(|model| model.selected.contains(&biased)).collect();
        let stable: Vec<&VariableEvidence> = models.iter().flat_map(|model| &evidence(model)[..world.stable]).collect();
        println!(
            "| {} | {samples} | {} | {} | {} | {} |",
            scenario.name,
            slipped.len(),
            share_of(&slipped, |model| evidence(model)[biased].doubtful),
            share_of(&models, |model| evidence(model)[biased].doubtful),
            share_of(&stable, |variable| variable.doubtful),
        );
    }
}
