//! `stablevar simulate`

use super::check_files;
use crate::Ending;
use crate::args::{self, DrawArguments, Format, SimulateArguments};
use stablevar::error::Result;
use stablevar::parameter::NonNegative;
use stablevar_data::simulate::{Signal, TEST_RATES, World, test_environments};
use stablevar_io::write_table;

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
    check_files(&[], &[Some(&draw.out)], Format::Human)?;
    let table = if draw.environments {
        test_environments(&world, rows, &TEST_RATES, draw.seed)?
    } else {
        world.draw(rows, rate, draw.seed)?
    };
    write_table(&draw.out, &table)?;
    Ok(Ending::Done)
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
