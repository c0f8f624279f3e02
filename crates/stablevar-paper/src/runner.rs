//! Runs an experiment, one file per sample, so that it can be interrupted and taken up again.
//!
//! A run is one training sample: every method is fitted to it and judged in the ten test environments. Its seed and its
//! cell decide everything, so that neither the number of threads nor the order of the runs matters. A file also holds the
//! settings of every method: what was made with the same settings is kept, and only the rest is made.

use crate::experiment::{Contender, Experiment};
use serde::{Deserialize, Serialize};
use stablevar::design::{Roles, TrainingData};
use stablevar::error::Error;
use stablevar::fit::{Method, fit};
use stablevar::metrics::mean_squared_error;
use stablevar::simulate::TEST_RATES;
use stablevar::table::{Table, Values};
use stablevar_io::{IoError, write_whole};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What one method did on one sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The method's name in the table.
    pub name: String,
    /// Its settings.
    pub method: Method,
    /// Mean squared error in every test environment.
    pub errors: Vec<f64>,
    /// Names of the variables selected.
    pub selected: Vec<String>,
    /// Whether these are exactly the stable ones.
    pub exact: bool,
    /// Effective sample size of the weights.
    pub effective_sample_size: f64,
    /// Whether it converged.
    pub converged: bool,
    /// Seconds the fit took.
    pub seconds: f64,
}

/// All methods on one sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Position of the cell.
    pub cell: usize,
    /// The seed.
    pub seed: u64,
    /// One per method.
    pub outcomes: Vec<Outcome>,
}

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] IoError),
    /// A fit failed.
    #[error("{experiment}, cell {cell}, seed {seed}, {method}: {source}")]
    Fit {
        /// The experiment.
        experiment: &'static str,
        /// Position of the cell.
        cell: usize,
        /// The seed.
        seed: u64,
        /// The method.
        method: String,
        /// Why.
        source: Box<Error>,
    },
    /// The caller asked to stop.
    #[error("interrupted; what is done is kept, run the same command again to go on")]
    Interrupted,
}

/// A run that has just ended, for progress.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'a> {
    /// It was made now, or what was missing of it.
    Made,
    /// It was there already.
    Found,
    /// A file was there but could not be read, and the run was made anew.
    Unusable(&'a Path),
}

/// All runs of an experiment, in the order of cells and seeds, `jobs` at a time. Files are kept in `folder`.
pub fn run(
    experiment: &Experiment,
    seeds: u64,
    jobs: usize,
    folder: &Path,
    watch: &(dyn Fn(Progress<'_>) -> ControlFlow<()> + Sync),
) -> Result<Vec<Run>, RunError> {
    let folder = folder.join("runs").join(experiment.name);
    std::fs::create_dir_all(&folder).map_err(|source| IoError::Write { path: folder.display().to_string(), source })?;
    // Seed by seed, so that an interrupted command leaves whole seeds.
    let tasks: Vec<(u64, usize)> =
        (0..seeds).flat_map(|seed| (0..experiment.cells.len()).map(move |cell| (seed, cell))).collect();
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let done: Mutex<Vec<Result<Run, RunError>>> = Mutex::new(Vec::with_capacity(tasks.len()));
    // Every job has a pool of its own of one thread: the seconds of a fit are then its own, on one core.
    let work = || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        while !stopped.load(Ordering::Relaxed) {
            let Some(&(seed, cell)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let one = || one_run(experiment, cell, seed, &folder, watch);
            let run = pool.as_ref().map_or_else(|_| one(), |pool| pool.install(one));
            stopped.fetch_or(run.is_err(), Ordering::Relaxed);
            done.lock().unwrap_or_else(PoisonError::into_inner).push(run);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, tasks.len().max(1)) {
            scope.spawn(work);
        }
    });
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut runs = done.into_iter().collect::<Result<Vec<Run>, RunError>>()?;
    runs.sort_by_key(|run| (run.cell, run.seed));
    Ok(runs)
}

/// One run, from its file if that is whole.
fn one_run(
    experiment: &Experiment,
    cell: usize,
    seed: u64,
    folder: &Path,
    watch: &(dyn Fn(Progress<'_>) -> ControlFlow<()> + Sync),
) -> Result<Run, RunError> {
    let path = folder.join(format!("cell{cell}-seed{seed}.json"));
    let kept = std::fs::read(&path).ok().map(|text| serde_json::from_slice::<Run>(&text));
    let unreadable = matches!(kept, Some(Err(_)));
    let mut outcomes = match kept {
        Some(Ok(run)) if (run.cell, run.seed) == (cell, seed) => run.outcomes,
        _ => Vec::new(),
    };
    let is_there = |outcomes: &[Outcome], contender: &Contender| {
        outcomes.iter().any(|outcome| outcome.name == contender.name && outcome.method == contender.method)
    };
    let missing: Vec<&Contender> =
        experiment.contenders.iter().filter(|contender| !is_there(&outcomes, contender)).collect();
    let progress = match (unreadable, missing.is_empty()) {
        (true, _) => Progress::Unusable(&path),
        (false, true) => Progress::Found,
        (false, false) => Progress::Made,
    };
    if !missing.is_empty() {
        outcomes.retain(|outcome| missing.iter().all(|contender| contender.name != outcome.name));
        outcomes.extend(make(experiment, cell, seed, &missing)?);
        let run = Run { cell, seed, outcomes };
        let text = serde_json::to_vec(&run).map_err(|error| write_error(&path, error))?;
        write_whole(&path, |writer| writer.write_all(&text))?;
        outcomes = run.outcomes;
    }
    // In the order of the table, whatever the order in which they were made; other methods' stay in the file.
    let wanted = experiment.contenders.iter();
    let outcomes = wanted.flat_map(|contender| outcomes.iter().filter(|outcome| outcome.name == contender.name));
    let run = Run { cell, seed, outcomes: outcomes.cloned().collect() };
    if watch(progress).is_break() { Err(RunError::Interrupted) } else { Ok(run) }
}

fn write_error(path: &Path, error: serde_json::Error) -> RunError {
    IoError::Write { path: path.display().to_string(), source: error.into() }.into()
}

/// Draws a sample and fits the methods to it.
fn make(experiment: &Experiment, cell: usize, seed: u64, methods: &[&Contender]) -> Result<Vec<Outcome>, RunError> {
    let failed = |method: &str, source: Error| RunError::Fit {
        experiment: experiment.name,
        cell,
        seed,
        method: method.into(),
        source: Box::new(source),
    };
    let world = experiment.world(seed);
    let place = experiment.cells[cell];
    // Every cell and seed has rows of its own, and the test environments others still.
    let rows_seed = 1000 * (1 + seed) + 100 * cell as u64;
    let draw = |rows, rate, seed| world.draw(rows, rate, seed).map_err(|error| failed("simulation", error));
    let table = draw(place.rows, place.rate, rows_seed)?;
    let tests = (0..)
        .zip(TEST_RATES)
        .map(|(k, rate)| draw(experiment.test_rows, rate, 1_000_000_000 + rows_seed + k))
        .collect::<Result<Vec<Table>, RunError>>()?;
    let names = world.names();
    let (stable, unstable) = names.split_at(world.stable);
    let fit_one = |contender: &Contender| -> Result<Outcome, Error> {
        let exclude = if contender.is_oracle { unstable.to_vec() } else { Vec::new() };
        let data = TrainingData::prepare(&table, &Roles { exclude, ..Roles::target("y") })?;
        let start = std::time::Instant::now();
        let model = fit(&data, &contender.method, rows_seed, &|_| ControlFlow::Continue(()))?.model;
        let seconds = start.elapsed().as_secs_f64();
        let errors = tests
            .iter()
            .map(|test| Ok(mean_squared_error(&outcome(test)?, &model.predict(test)?.0)))
            .collect::<Result<Vec<f64>, Error>>()?;
        let selected: Vec<String> = model.selected_names().into_iter().map(String::from).collect();
        Ok(Outcome {
            name: contender.name.into(),
            method: contender.method.clone(),
            errors,
            exact: selected == stable,
            selected,
            effective_sample_size: model.effective_sample_size,
            converged: model.converged,
            seconds,
        })
    };
    methods.iter().map(|contender| fit_one(contender).map_err(|error| failed(contender.name, error))).collect()
}

fn outcome(table: &Table) -> Result<Vec<f64>, Error> {
    match &table.column("y")?.values {
        Values::Number(values) => Ok(values.clone()),
        other => Err(Error::BadRequest(format!("the outcome should hold numbers, not {}", other.kind()))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::experiment::{Cell, table1};
    use crate::table::ResultTable;

    /// Table 1 with two small cells and its quick methods.
    fn small() -> Experiment {
        let mut experiment = table1();
        experiment.cells = vec![Cell { rows: 150, rate: 2.5 }, Cell { rows: 1500, rate: 2.5 }];
        experiment
            .contenders
            .retain(|contender| ["OLS", "STG", "SVI as published", "Oracle"].contains(&contender.name));
        experiment.test_rows = 200;
        experiment
    }

    fn without_seconds(mut runs: Vec<Run>) -> Vec<Run> {
        runs.iter_mut().flat_map(|run| &mut run.outcomes).for_each(|outcome| outcome.seconds = 0.0);
        runs
    }

    #[test]
    fn an_interrupted_command_goes_on_and_the_number_of_jobs_does_not_matter() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let experiment = small();
        let go_on = |_: Progress<'_>| ControlFlow::Continue(());
        let stop = |_: Progress<'_>| ControlFlow::Break(());
        assert!(matches!(run(&experiment, 3, 1, folder.path(), &stop), Err(RunError::Interrupted)));
        let count = std::sync::Mutex::new([0, 0, 0]);
        let counting = |progress: Progress<'_>| {
            let kind = match progress {
                Progress::Found => 0,
                Progress::Made => 1,
                Progress::Unusable(_) => 2,
            };
            count.lock().unwrap()[kind] += 1;
            ControlFlow::Continue(())
        };
        let resumed = run(&experiment, 3, 2, folder.path(), &counting).unwrap();
        assert_eq!(*count.lock().unwrap(), [1, 5, 0]);
        assert_eq!(
            without_seconds(resumed.clone()),
            without_seconds(run(&experiment, 3, 1, other.path(), &go_on).unwrap())
        );
        // A damaged file is made anew and said so; what is missing of a whole one is added, and the rest is kept.
        std::fs::write(folder.path().join("runs/table1/cell1-seed2.json"), "{").unwrap();
        *count.lock().unwrap() = [0, 0, 0];
        let mended = run(&experiment, 3, 2, folder.path(), &counting).unwrap();
        assert_eq!(*count.lock().unwrap(), [5, 0, 1]);
        assert_eq!(without_seconds(mended), without_seconds(resumed));
        let mut fewer = small();
        fewer.contenders.remove(1);
        *count.lock().unwrap() = [0, 0, 0];
        assert_eq!(run(&fewer, 1, 1, folder.path(), &counting).unwrap()[0].outcomes.len(), 3);
        assert_eq!(*count.lock().unwrap(), [2, 0, 0]);
        let mut changed = small();
        changed.contenders[1].method = Method::Ols;
        let runs = run(&changed, 1, 1, folder.path(), &counting).unwrap();
        assert_eq!(*count.lock().unwrap(), [2, 2, 0]);
        assert_eq!(runs[0].outcomes[1].errors, runs[0].outcomes[0].errors);
    }

    #[test]
    fn the_table_has_the_papers_figures_beside_ours() {
        let folder = tempfile::tempdir().unwrap();
        let experiment = small();
        let runs = run(&experiment, 2, 2, folder.path(), &|_| ControlFlow::Continue(())).unwrap();
        let table = ResultTable::new(&experiment, &runs, 2);
        assert_eq!(table.rows.len(), 8);
        let find = |n: usize, method: &str| table.rows.iter().find(|row| row.n == n && row.method == method).unwrap();
        assert_eq!(find(1500, "OLS").paper_mean_error, Some(0.411));
        assert_eq!((find(150, "OLS").paper_mean_error, find(1500, "Oracle").paper_mean_error), (None, None));
        assert_eq!(find(1500, "OLS").excess_removed, Some(0.0));
        assert_eq!((find(1500, "Oracle").excess_removed, find(1500, "Oracle").exact_selection), (Some(1.0), 1.0));
        assert!(find(1500, "OLS").mean_error > find(1500, "Oracle").mean_error);
        assert_eq!(table.csv().unwrap().lines().count(), 9);
        assert_eq!(table.markdown().lines().filter(|line| line.starts_with("| 1")).count(), 8);
    }
}
