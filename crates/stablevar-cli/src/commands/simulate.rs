//! `stablevar simulate`

use crate::Ending;
use crate::args::{LinearArguments, SimulateArguments, World};
use stablevar::error::Result;
use stablevar::parameter::NonNegative;
use stablevar::simulate::{LinearWorld, TEST_RATES, test_environments};
use stablevar_io::write_table;

pub(crate) fn run(arguments: &SimulateArguments) -> anyhow::Result<Ending> {
    let World::Linear(linear) = &arguments.world;
    let world = world(linear)?;
    let table = if linear.environments {
        test_environments(&world, linear.n, &TEST_RATES, linear.seed)?
    } else {
        world.draw(linear.n, linear.r, linear.seed)?
    };
    write_table(&linear.out, &table)?;
    Ok(Ending::Done)
}

fn world(arguments: &LinearArguments) -> Result<LinearWorld> {
    let usual = LinearWorld::with_columns(arguments.p);
    Ok(LinearWorld {
        stable: arguments.stable.unwrap_or(usual.stable),
        biased: arguments.biased.unwrap_or(usual.biased),
        stable_correlation: arguments.stable_correlation,
        unstable_correlation: arguments.unstable_correlation,
        dependence: arguments.dependence.into(),
        term: arguments.term.into(),
        bend: arguments.bend,
        noise_variance: NonNegative::new("--noise-variance", arguments.noise_variance)?,
        log_odds: arguments.binary,
        ..usual
    })
}
