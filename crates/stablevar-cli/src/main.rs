//! The `stablevar` command line.

mod args;
mod commands;
mod memory;
mod printer;
mod signals;

use args::{Arguments, Command};
use std::process::ExitCode;

/// How a command ended, when it did not fail.
pub(crate) enum Ending {
    /// All is well: exit code 0.
    Done,
    /// Results were written, but the method did not converge: exit code 3.
    NotConverged,
}

fn main() -> ExitCode {
    let arguments = Arguments::of_the_shell();
    signals::clean_up();
    if let Some(threads) = arguments.threads {
        // Fails only if the pool exists already, and nothing has run yet.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
    }
    let outcome = match arguments.command {
        Command::Demo(demo) => commands::demo::run(&demo),
        Command::Fit(fit) => commands::fit::run(*fit),
        Command::Reselect(reselect) => commands::reselect::run(&reselect),
        Command::Weigh(weigh) => commands::weigh::run(&weigh),
        Command::Predict(predict) => commands::predict::run(&predict),
        Command::Evaluate(evaluate) => commands::evaluate::run(&evaluate),
        Command::Foresee(foresee) => commands::foresee::run(&foresee),
        Command::Compare(compare) => commands::compare::run(&compare),
        Command::Simulate(simulate) => commands::simulate::run(&simulate),
        Command::Data(data) => commands::data::run(&data),
        Command::Reproduce(reproduce) => commands::reproduce::run(&reproduce),
        Command::Completions(completions) => commands::shell::completions(&completions),
        Command::Man(manual) => commands::shell::manual(&manual),
        Command::Report(report) => commands::report::run(&report),
        Command::Shift(shift) => commands::shift::run(&shift),
    };
    match outcome {
        Ok(Ending::Done) => ExitCode::SUCCESS,
        Ok(Ending::NotConverged) => ExitCode::from(3),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            printer::print_error(&error);
            ExitCode::from(1)
        }
    }
}

/// Whoever read our output has seen enough, as `head` does.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
