//! `stablevar simulate`

use super::check_files;
use crate::Ending;
use crate::args::{self, DrawArguments, Format, SimulateArguments};
use crate::printer::Printer;
use stablevar::error::Result;
use stablevar::parameter::NonNegative;
use stablevar_data::simulate::{Signal, TEST_RATES, World, test_environments_watched};
use stablevar_io::write_table;
use std::time::Instant;

/// A sample that is there sooner is not worth a line.
const SECONDS_TO_TELL: f64 = 3.0;

pub(crate) fn run(arguments: &SimulateArguments) -> anyhow::Result<Ending> {
    let (world, draw, rows, rate) = match &arguments.world {
        args::WorldKind::Linear(linear) => {
            let signal = Signal::Linear { term: linear.term.into(), bend: linear.bend };
            let world = World { signal, ..columns(&linear.draw, linear.noise_variance)? };
            (world, &linear.draw, linear.n, linear.r)
        }
        args::WorldKind::Nonlinear(nonlinear) => {
            let layout = columns(&nonlinear.draw, nonlinear.noise_variance)?;
            let noise_variance = layout.noise_variance;
            let world = World { noise_variance, ..layout.nonlinear(nonlinear.units, nonlinear.network) };
            (world, &nonlinear.draw, nonlinear.n, nonlinear.r)
        }
    };
    let printer = Printer::new(draw.quiet);
    check_files(&[], &[Some(&draw.out)], Format::Human)?;
    let rates: &[f64] = if draw.environments { &TEST_RATES } else { &[rate] };
    tell_what_to_expect(&world, rows, rates, draw.seed, &printer)?;
    let bar = printer.progress(rows * rates.len(), "rows kept");
    let mut watch = |kept: usize| bar.at(kept);
    let table = if draw.environments {
        test_environments_watched(&world, rows, &TEST_RATES, draw.seed, &mut watch)
    } else {
        world.draw_watched(rows, rate, draw.seed, &mut watch)
    };
    bar.finish();
    write_table(&draw.out, &table?)?;
    Ok(Ending::Done)
}

/// Refuses what would not end, and says how long the rest takes where that is long.
fn tell_what_to_expect(world: &World, rows: usize, rates: &[f64], seed: u64, printer: &Printer) -> Result<()> {
    const TRIED: usize = 20_000;
    world.check_size(rows)?;
    let start = Instant::now();
    let shares = rates.iter().map(|&rate| world.share_kept(rate, TRIED, seed)).collect::<Result<Vec<f64>>>()?;
    let a_row = start.elapsed().as_secs_f64() / (TRIED * rates.len()) as f64;
    let draws: f64 = shares.iter().map(|share| rows as f64 / share).sum();
    if draws * a_row >= SECONDS_TO_TELL {
        let least = shares.iter().copied().fold(1.0, f64::min);
        printer.note(&format!(
            "the selection keeps about 1 in {:.0} rows: about {} for {} rows; fewer biased columns (--biased) or a bias rate \
             nearer to 1 (--r) would be quicker",
            1.0 / least,
            duration(draws * a_row),
            rows * rates.len()
        ));
    }
    Ok(())
}

fn duration(seconds: f64) -> String {
    match seconds {
        few if few < 100.0 => format!("{few:.0} seconds"),
        some if some < 6000.0 => format!("{:.0} minutes", some / 60.0),
        many => format!("{:.0} hours", many / 3600.0),
    }
}

/// What the two kinds of data share.
fn columns(arguments: &DrawArguments, noise_variance: f64) -> Result<World> {
    let usual = World::with_columns(arguments.p);
    Ok(World {
        stable: arguments.stable.unwrap_or(usual.stable),
        biased: arguments.biased.unwrap_or(usual.biased),
        stable_correlation: arguments.stable_correlation,
        unstable_correlation: arguments.unstable_correlation,
        dependence: arguments.dependence.into(),
        noise_variance: NonNegative::new("--noise-variance", noise_variance)?,
        log_odds: arguments.binary,
        ..usual
    })
}
