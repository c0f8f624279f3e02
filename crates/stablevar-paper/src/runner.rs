//! Runs an experiment, one file per sample, so that it can be interrupted and taken up again.
//!
//! A run is one training sample: every method is fitted to it and judged in the ten test environments. Its seed and its
//! cell (rows and bias rate) decide everything, so that neither the number of threads nor the order of the runs matters. A file also holds the
//! settings of every method: what was made with the same settings is kept, and only the rest is made.

use crate::experiment::{Cell, Contender, Experiment};
use serde::{Deserialize, Serialize};
use stablevar::Matrix;
use stablevar::design::{Roles, TrainingData};
use stablevar::diagnostics::unstable_coefficients;
use stablevar::error::Error;
use stablevar::fit::{FittedModel, fit};
use stablevar::method::Method;
use stablevar::metrics::mean_squared_error;
use stablevar::models::Model;
use stablevar::svi::Loop;
use stablevar::table::{Table, Values};
use stablevar_data::simulate::TEST_RATES;
use stablevar_io::{IoError, write_whole};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What one method did on one sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodOutcome {
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
    /// `||beta_v||_1`: the sum of the model's absolute slopes in variables that are not stable.
    pub unstable_slopes: f64,
    /// Effective sample size of the weights.
    pub effective_sample_size: f64,
    /// Whether it converged.
    pub converged: bool,
    /// Seconds the fit took.
    pub seconds: f64,
    /// Every loop, for methods in which it moves.
    pub loops: Vec<LoopRecord>,
}

/// What one loop of Algorithm 1 did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopRecord {
    /// Correlations of the variables under its weights.
    pub correlations: Matrix,
    /// `||beta_v||_1` of the gated model: slopes times mean gates.
    pub unstable_slopes: f64,
    /// Effective sample size of its weights.
    pub effective_sample_size: f64,
}

/// All methods on one sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The version that made it.
    pub version: String,
    /// Where in the table it belongs.
    pub cell: Cell,
    /// Rows of every test environment.
    pub test_rows: usize,
    /// The seed.
    pub seed: u64,
    /// Correlations of the variables without weights.
    pub correlations: Matrix,
    /// One per method.
    pub outcomes: Vec<MethodOutcome>,
}

impl Run {
    /// Whether its parts fit together, which a file changed by hand may not do.
    fn is_whole(&self, columns: usize) -> bool {
        let fits = |matrix: &Matrix| (matrix.rows(), matrix.columns()) == (columns, columns);
        fits(&self.correlations)
            && self.outcomes.iter().all(|outcome| {
                outcome.errors.len() == TEST_RATES.len()
                    && outcome.loops.iter().all(|record| fits(&record.correlations))
            })
    }
}

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] IoError),
    /// A fit failed.
    #[error("{experiment}, n = {}, r = {}, seed {seed}, {method}: {source}", cell.rows, cell.rate)]
    Fit {
        /// The experiment.
        experiment: &'static str,
        /// Where in the table.
        cell: Cell,
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
    let folder = folder.join("runs").join(experiment.kind());
    std::fs::create_dir_all(&folder).map_err(|source| IoError::Write { path: folder.display().to_string(), source })?;
    // Seed by seed, so that an interrupted command leaves whole seeds.
    let tasks: Vec<(u64, Cell)> =
        (0..seeds).flat_map(|seed| experiment.cells.iter().map(move |&cell| (seed, cell))).collect();
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
    let position = |run: &Run| experiment.cells.iter().position(|&cell| cell == run.cell);
    runs.sort_by_key(|run| (position(run), run.seed));
    Ok(runs)
}

/// One run, from its file if that is whole.
fn one_run(
    experiment: &Experiment,
    cell: Cell,
    seed: u64,
    folder: &Path,
    watch: &(dyn Fn(Progress<'_>) -> ControlFlow<()> + Sync),
) -> Result<Run, RunError> {
    let path = folder.join(format!("n{}-r{}-seed{seed}.json", cell.rows, cell.rate));
    let (version, test_rows) = (env!("CARGO_PKG_VERSION"), experiment.test_rows);
    let kept = std::fs::read(&path).ok().map(|text| serde_json::from_slice::<Run>(&text));
    let columns = experiment.world(seed).names().len();
    let unreadable = kept.as_ref().is_some_and(|kept| !kept.as_ref().is_ok_and(|run| run.is_whole(columns)));
    let same_data =
        |run: &Run| run.cell == cell && run.seed == seed && run.test_rows == test_rows && run.version == version;
    let kept = kept.and_then(Result::ok).filter(|run| run.is_whole(columns)).filter(same_data);
    let is_kept = |contender: &&Contender| {
        let same = |outcome: &MethodOutcome| outcome.name == contender.name && outcome.method == contender.method;
        kept.as_ref().is_some_and(|run| run.outcomes.iter().any(same))
    };
    let missing: Vec<&Contender> = experiment.contenders.iter().filter(|contender| !is_kept(contender)).collect();
    let progress = match (unreadable, missing.is_empty()) {
        (true, _) => Progress::Unusable(&path),
        (false, true) => Progress::Found,
        (false, false) => Progress::Made,
    };
    let mut run = match kept {
        Some(run) if missing.is_empty() => run,
        kept => {
            let mut run = make(experiment, cell, seed, &missing)?;
            let is_old = |outcome: &MethodOutcome| missing.iter().all(|contender| contender.name != outcome.name);
            run.outcomes.extend(kept.into_iter().flat_map(|run| run.outcomes).filter(is_old));
            let text = serde_json::to_vec(&run)
                .map_err(|error| IoError::Write { path: path.display().to_string(), source: error.into() })?;
            write_whole(&path, |writer| writer.write_all(&text))?;
            run
        }
    };
    // In the order of the table, whatever the order in which they were made; other methods' stay in the file.
    let wanted = experiment.contenders.iter();
    let outcomes = wanted.flat_map(|contender| run.outcomes.iter().filter(|outcome| outcome.name == contender.name));
    run.outcomes = outcomes.cloned().collect();
    if watch(progress).is_break() { Err(RunError::Interrupted) } else { Ok(run) }
}

/// Draws a sample and fits the methods to it.
fn make(experiment: &Experiment, cell: Cell, seed: u64, methods: &[&Contender]) -> Result<Run, RunError> {
    let failed = |method: &str, source: Error| RunError::Fit {
        experiment: experiment.name,
        cell,
        seed,
        method: method.into(),
        source: Box::new(source),
    };
    let world = experiment.world(seed);
    // Every cell and seed has rows of its own, and the test environments others still.
    let rows_seed = 10_000_000 * (1 + seed) + 100 * cell.rows as u64 + (10.0 * cell.rate).round() as u64;
    let draw = |rows, rate, seed| world.draw(rows, rate, seed).map_err(|error| failed("simulation", error));
    let table = draw(cell.rows, cell.rate, rows_seed)?;
    let tests = (1..)
        .zip(TEST_RATES)
        .map(|(k, rate)| draw(experiment.test_rows, rate, rows_seed + k * 1_000_000_000_000))
        .collect::<Result<Vec<Table>, RunError>>()?;
    let names = world.names();
    let (stable, unstable) = names.split_at(world.stable);
    let prepare = |exclude: &[String]| {
        TrainingData::prepare(&table, &Roles { exclude: exclude.to_vec(), ..Roles::target("y") })
            .map_err(|error| failed("preparation", error))
    };
    let (all, stable_only) = (prepare(&[])?, prepare(unstable)?);
    let fit_one = |contender: &Contender| -> Result<MethodOutcome, Error> {
        let data = if contender.is_oracle { &stable_only } else { &all };
        let start = std::time::Instant::now();
        let model = fit(data, &contender.method, rows_seed, &|_| ControlFlow::Continue(()))?.model;
        let seconds = start.elapsed().as_secs_f64();
        let errors = tests
            .iter()
            .map(|test| Ok(mean_squared_error(&outcome(test)?, &model.predict(test)?)))
            .collect::<Result<Vec<f64>, Error>>()?;
        let selected: Vec<String> = model.selected_names().into_iter().map(String::from).collect();
        // Columns of the design are the variables in their order, the stable ones first.
        let stable_columns: Vec<usize> = (0..world.stable).collect();
        let loops = if model.history.len() > 1 { loop_records(&model, &stable_columns) } else { Vec::new() };
        Ok(MethodOutcome {
            name: contender.name.into(),
            method: contender.method.clone(),
            errors,
            exact: selected == stable,
            selected,
            unstable_slopes: unstable_coefficients(&model.model.coefficients(&model.encoding), &stable_columns),
            effective_sample_size: model.effective_sample_size,
            converged: model.converged,
            seconds,
            loops,
        })
    };
    let outcomes = methods
        .iter()
        .map(|contender| fit_one(contender).map_err(|error| failed(contender.name, error)))
        .collect::<Result<Vec<MethodOutcome>, RunError>>()?;
    let version = env!("CARGO_PKG_VERSION").into();
    Ok(Run { version, cell, test_rows: experiment.test_rows, seed, correlations: all.frame.correlations, outcomes })
}

fn loop_records(model: &FittedModel, stable: &[usize]) -> Vec<LoopRecord> {
    let outcome_scale = match &model.model {
        Model::Linear(linear) => linear.outcome_scale(),
        Model::Trees(trees) => trees.line().outcome_scale(),
        Model::Network(_) => 1.0,
    };
    let in_units = |coefficients: &[f64]| -> Vec<f64> {
        let columns = model.encoding.columns.iter();
        coefficients.iter().zip(columns).map(|(value, column)| outcome_scale * value / column.scale).collect()
    };
    let record = |step: &Loop| LoopRecord {
        correlations: step.correlations.clone(),
        unstable_slopes: unstable_coefficients(&in_units(&step.gates.coefficients), stable),
        effective_sample_size: step.effective_sample_size,
    };
    model.history.iter().map(record).collect()
}

fn outcome(table: &Table) -> Result<Vec<f64>, Error> {
    match &table.column("y")?.values {
        Values::Number(values) => Ok(values.to_vec()),
        other => Err(Error::BadRequest(format!("the outcome should hold numbers, not {}", other.kind()))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::experiment::table1;
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
        std::fs::write(folder.path().join("runs/linear/n1500-r2.5-seed2.json"), "{").unwrap();
        let edited = folder.path().join("runs/linear/n1500-r2.5-seed1.json");
        let mut one: Run = serde_json::from_slice(&std::fs::read(&edited).unwrap()).unwrap();
        one.outcomes[0].errors.pop();
        std::fs::write(&edited, serde_json::to_vec(&one).unwrap()).unwrap();
        *count.lock().unwrap() = [0, 0, 0];
        let mended = run(&experiment, 3, 2, folder.path(), &counting).unwrap();
        assert_eq!(*count.lock().unwrap(), [4, 0, 2]);
        assert_eq!(without_seconds(mended), without_seconds(resumed));
        let mut fewer = small();
        fewer.contenders.remove(1);
        *count.lock().unwrap() = [0, 0, 0];
        assert_eq!(run(&fewer, 1, 1, folder.path(), &counting).unwrap()[0].outcomes.len(), 3);
        assert_eq!(*count.lock().unwrap(), [2, 0, 0]);
        let mut changed = small();
        changed.contenders[1].method = Method::named("ols").unwrap();
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
