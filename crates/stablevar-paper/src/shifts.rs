//! Real tables with natural shifts: the default against the plain model on all columns, table by table.
//!
//! Every fit is kept, one file per table, so that an interrupted command goes on where it stopped.

use crate::experiment::{Contender, method};
use crate::real::{by_environment, error, metric_for};
use crate::table::csv_text;
use serde::{Deserialize, Serialize};
use stablevar::design::{Roles, Task, TrainingData};
use stablevar::error::Error;
use stablevar::fit::fit;
use stablevar::method::Method;
use stablevar::metrics::ErrorSummary;
use stablevar::table::Table;
use stablevar_data::shifts::{ENVIRONMENT, ShiftTable};
use stablevar_data::wheel::RealDataError;
use stablevar_io::{IoError, write_whole};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The default method's name in the table.
pub const DEFAULT: &str = "SVI";

/// What a ratio of errors may differ from 1 before a table counts as worse or better.
pub const MARGIN: f64 = 0.02;

/// One fit to one table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ShiftFit {
    /// The method's name in the table.
    name: String,
    settings: Method,
    seed: u64,
    /// The columns it was shown, the chosen ones for a refit.
    columns: Vec<String>,
    /// Its error in every environment; the training environment's is on the rows it was trained on.
    errors: BTreeMap<String, f64>,
    selected: Vec<String>,
    converged: bool,
    seconds: f64,
}

/// One method on one table, over the seeds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShiftRow {
    /// The table.
    pub table: &'static str,
    /// Rows trained on.
    pub n: usize,
    /// Columns to predict from.
    pub p: usize,
    /// The environment trained on.
    pub trained_on: &'static str,
    /// What the errors are.
    pub metric: &'static str,
    /// The method.
    pub method: String,
    /// Its error in every environment, averaged over the seeds; the training environment's is on the rows trained on.
    pub errors: BTreeMap<String, f64>,
    /// Mean over the environments not trained on.
    pub mean_error: f64,
    /// Standard deviation over these.
    pub std_error: f64,
    /// The largest of these.
    pub max_error: f64,
    /// `mean_error` over that of the plain model.
    pub mean_ratio: f64,
    /// `max_error` over that of the plain model.
    pub worst_ratio: f64,
    /// Names of the columns chosen, at the first seed.
    pub selected: Vec<String>,
    /// Share of the seeds at which the same columns were chosen as at the first.
    pub same_selection: f64,
    /// Whether it converged at every seed.
    pub converged: bool,
    /// Mean seconds of a fit on one core; of a refit those of the refit alone.
    pub seconds: f64,
}

/// One method over all tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShiftSummary {
    /// The method.
    pub method: String,
    /// Tables it was fitted to.
    pub tables: usize,
    /// Geometric mean of `mean_ratio`.
    pub mean_ratio: f64,
    /// Geometric mean of `worst_ratio`.
    pub worst_ratio: f64,
    /// Tables whose mean error is greater by more than [`MARGIN`].
    pub worse: usize,
    /// Tables whose mean error is smaller by more than [`MARGIN`].
    pub better: usize,
    /// The greatest `mean_ratio`.
    pub greatest_harm: f64,
}

/// All methods on all tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShiftResults {
    /// The experiment's name.
    pub experiment: &'static str,
    /// Seeds per table.
    pub seeds: u64,
    /// One per table and method, the plain model first.
    pub rows: Vec<ShiftRow>,
    /// One per method but the plain one.
    pub summary: Vec<ShiftSummary>,
    /// Why tables are missing, if any are.
    pub missing: Vec<String>,
}

/// What can go wrong with a table.
#[derive(Debug, thiserror::Error)]
pub enum ShiftError {
    /// It could not be had.
    #[error("{table}: {source}")]
    Data {
        /// The table.
        table: &'static str,
        /// Why.
        source: RealDataError,
    },
    /// A method could not be fitted, or its error could not be measured.
    #[error("{table}, {method}: {source}")]
    Fit {
        /// The table.
        table: &'static str,
        /// The method, or what was done before.
        method: String,
        /// Why.
        source: Box<Error>,
    },
    /// A fit could not be kept.
    #[error(transparent)]
    File(#[from] IoError),
    /// The caller asked to stop.
    #[error("interrupted; what is done is kept, run the same command again to go on")]
    Interrupted,
}

/// A table cut into its environments.
struct Prepared {
    shift: &'static ShiftTable,
    parts: BTreeMap<String, Table<'static>>,
}

/// Fits the plain model and the default to the training environment of every table and judges them in the others, `jobs` tables at
/// a time. What an earlier run left in `folder`, made by this version with the same settings, is kept. A table that fails
/// is listed among the missing; the first such error is returned beside the results of the others.
pub fn run_shifts(
    tables: &[&'static ShiftTable],
    cache: &Path,
    folder: &Path,
    (seeds, jobs): (u64, usize),
    watch: &(dyn Fn(&str) -> ControlFlow<()> + Sync),
) -> (ShiftResults, Option<ShiftError>) {
    // One after the other, so that no wheel is fetched twice.
    let loaded: Vec<Result<Prepared, ShiftError>> = tables.iter().map(|shift| prepare(shift, cache)).collect();
    let next = AtomicUsize::new(0);
    let done: Mutex<BTreeMap<usize, Result<Vec<ShiftRow>, ShiftError>>> = Mutex::new(BTreeMap::new());
    // Every job has a pool of its own of one thread: the seconds of a fit are then its own, on one core.
    let work = || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        loop {
            let position = next.fetch_add(1, Ordering::Relaxed);
            let Some(loaded) = loaded.get(position) else { break };
            let Ok(prepared) = loaded else { continue };
            let one = || one_table(prepared, seeds, folder, watch);
            let rows = pool.as_ref().map_or_else(|_| one(), |pool| pool.install(one));
            if matches!(rows, Err(ShiftError::Interrupted)) {
                next.store(tables.len(), Ordering::Relaxed);
            }
            done.lock().unwrap_or_else(PoisonError::into_inner).insert(position, rows);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, tables.len().max(1)) {
            scope.spawn(work);
        }
    });
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let failed = loaded.into_iter().filter_map(Result::err).map(Err);
    let (mut rows, mut failures) = (Vec::new(), Vec::new());
    for result in done.into_values().chain(failed) {
        match result {
            Ok(more) => rows.extend(more),
            Err(error) => failures.push(error),
        }
    }
    let missing = failures.iter().map(ToString::to_string).collect();
    let summary = summarise(&rows);
    (ShiftResults { experiment: "shifts", seeds, rows, summary, missing }, failures.into_iter().next())
}

fn prepare(shift: &'static ShiftTable, cache: &Path) -> Result<Prepared, ShiftError> {
    let failed = |source| ShiftError::Data { table: shift.name, source };
    let table = shift.load(cache).map_err(failed)?;
    let environments = by_environment(&table).map_err(|error| failed(error.into()))?;
    let parts = environments.iter().map(|(name, rows)| (name.clone(), table.keep_rows(rows))).collect();
    Ok(Prepared { shift, parts })
}

impl Prepared {
    fn failed(&self, method: &str) -> impl Fn(Error) -> ShiftError + use<> {
        let (table, method) = (self.shift.name, method.to_string());
        move |source| ShiftError::Fit { table, method: method.clone(), source: Box::new(source) }
    }

    fn training(&self) -> Result<&Table<'static>, Error> {
        let name = self.shift.trained_on;
        self.parts.get(name).ok_or_else(|| Error::BadRequest(format!("there is no environment '{name}' in the data")))
    }

    /// The training environment, with these columns or all.
    fn data(&self, columns: Option<&[String]>) -> Result<TrainingData, Error> {
        let roles = Roles { exclude: vec![ENVIRONMENT.into()], ..Roles::target(self.shift.target) };
        let is_wanted = |name: &str| {
            let is_shown = columns.is_none_or(|columns| columns.iter().any(|column| column == name));
            is_shown || [self.shift.target, ENVIRONMENT].contains(&name)
        };
        TrainingData::prepare(&self.training()?.clone().only(is_wanted), &roles)
    }

    /// Names of the columns to predict from.
    fn columns(&self) -> Result<Vec<String>, Error> {
        let names = self.training()?.columns().iter().map(|column| column.name.clone());
        Ok(names.filter(|name| ![self.shift.target, ENVIRONMENT].contains(&name.as_str())).collect())
    }

    fn fit(
        &self,
        contender: &Contender,
        seed: u64,
        columns: &[String],
        data: &TrainingData,
    ) -> Result<ShiftFit, Error> {
        let start = std::time::Instant::now();
        let model = fit(data, &contender.method, seed, &|_| ControlFlow::Continue(()))?.model;
        let seconds = start.elapsed().as_secs_f64();
        let mut errors = BTreeMap::new();
        for (name, part) in &self.parts {
            errors.insert(name.clone(), error(&model, &data.target, part)?.0);
        }
        Ok(ShiftFit {
            name: contender.name.into(),
            settings: contender.method.clone(),
            seed,
            columns: columns.to_vec(),
            errors,
            selected: model.selected_names().into_iter().map(String::from).collect(),
            converged: model.converged,
            seconds,
        })
    }
}

/// The plain model on all columns.
fn plain(task: Task) -> Contender {
    match task {
        Task::Regression => Contender::new("OLS", method("ols", &[])),
        Task::Classification => Contender::new("logistic", method("logistic", &[])),
    }
}

/// What else is fitted to the columns that the default chose; for classes both are logistic regression.
fn refits(task: Task) -> [Contender; 2] {
    let plain = plain(task).method;
    let with = |refit: &str| method(plain.name(), &[("refit", refit.into())]);
    [Contender::new("SVI, linear refit", with("linear")), Contender::new("SVI, robust refit", with("robust"))]
}

/// All fits to one table, then its rows.
fn one_table(
    prepared: &Prepared,
    seeds: u64,
    folder: &Path,
    watch: &(dyn Fn(&str) -> ControlFlow<()> + Sync),
) -> Result<Vec<ShiftRow>, ShiftError> {
    let data = prepared.data(None).map_err(prepared.failed("preparation"))?;
    let columns = prepared.columns().map_err(prepared.failed("preparation"))?;
    let task = data.target.task();
    let (plain, default) = (plain(task), Contender::new(DEFAULT, Method::default()));
    let mut kept = KeptFits::read(folder, prepared);
    let mut fits = vec![kept.or_make(&plain, 0, &columns, || prepared.fit(&plain, 0, &columns, &data))?];
    for seed in 0..seeds {
        let chosen = kept.or_make(&default, seed, &columns, || prepared.fit(&default, seed, &columns, &data))?;
        for refit in refits(task) {
            let shown = &chosen.selected;
            // Without any column there is nothing to refit.
            let make = || match shown.is_empty() {
                true => Ok(ShiftFit {
                    name: refit.name.into(),
                    settings: refit.method.clone(),
                    columns: vec![],
                    ..chosen.clone()
                }),
                false => prepared.fit(&refit, seed, shown, &prepared.data(Some(shown))?),
            };
            fits.push(kept.or_make(&refit, seed, shown, make)?);
        }
        fits.push(chosen);
        if watch(prepared.shift.name).is_break() {
            return Err(ShiftError::Interrupted);
        }
    }
    let about = |name: &str| Row { prepared, p: columns.len(), metric: metric_for(task).label(), method: name.into() };
    let names = [plain.name, DEFAULT].into_iter().chain(refits(task).map(|refit| refit.name));
    let mut rows: Vec<ShiftRow> = Vec::new();
    for name in names {
        let of_method: Vec<&ShiftFit> = fits.iter().filter(|fit| fit.name == name).collect();
        rows.push(about(name).over_seeds(&of_method, rows.first()).map_err(prepared.failed(name))?);
    }
    Ok(rows)
}

/// What is known of a row before its fits are summed up.
struct Row<'a> {
    prepared: &'a Prepared,
    p: usize,
    metric: &'static str,
    method: String,
}

impl Row<'_> {
    /// The row of a method's fits, one per seed, beside that of the plain model, unless it is that.
    fn over_seeds(self, fits: &[&ShiftFit], plain: Option<&ShiftRow>) -> Result<ShiftRow, Error> {
        let none = || Error::BadRequest("there is no environment to test in".into());
        let first = fits.first().ok_or_else(none)?;
        let count = fits.len() as f64;
        let mean = |name: &String| fits.iter().map(|fit| fit.errors[name]).sum::<f64>() / count;
        let errors: BTreeMap<String, f64> = self.prepared.parts.keys().map(|name| (name.clone(), mean(name))).collect();
        let shift = self.prepared.shift;
        let elsewhere: Vec<f64> =
            errors.iter().filter(|(name, _)| *name != shift.trained_on).map(|(_, error)| *error).collect();
        let ErrorSummary { mean_error, std_error, max_error } = ErrorSummary::new(&elsewhere).ok_or_else(none)?;
        let same = fits.iter().filter(|fit| fit.selected == first.selected).count();
        Ok(ShiftRow {
            table: shift.name,
            n: self.prepared.training()?.rows(),
            p: self.p,
            trained_on: shift.trained_on,
            metric: self.metric,
            method: self.method,
            errors,
            mean_error,
            std_error,
            max_error,
            mean_ratio: plain.map_or(1.0, |plain| mean_error / plain.mean_error),
            worst_ratio: plain.map_or(1.0, |plain| max_error / plain.max_error),
            selected: first.selected.clone(),
            same_selection: same as f64 / count,
            converged: fits.iter().all(|fit| fit.converged),
            seconds: fits.iter().map(|fit| fit.seconds).sum::<f64>() / count,
        })
    }
}

/// What earlier runs left of a table.
#[derive(Serialize, Deserialize)]
struct KeptFits {
    #[serde(skip)]
    path: std::path::PathBuf,
    #[serde(skip)]
    table: &'static str,
    version: String,
    /// The file they were fitted to.
    sha256: String,
    /// Rows of every environment, which the splits decide.
    sizes: BTreeMap<String, usize>,
    fits: Vec<ShiftFit>,
}

impl KeptFits {
    /// What the table's file holds; nothing if it is not there, damaged, of another version or of other rows.
    fn read(folder: &Path, prepared: &Prepared) -> Self {
        let table = prepared.shift.name;
        let path = folder.join("runs").join("shifts").join(format!("{table}.json"));
        let empty = Self {
            path: path.clone(),
            table,
            version: env!("CARGO_PKG_VERSION").into(),
            sha256: prepared.shift.file.sha256.into(),
            sizes: prepared.parts.iter().map(|(name, part)| (name.clone(), part.rows())).collect(),
            fits: Vec::new(),
        };
        let kept = std::fs::read(&path).ok().and_then(|text| serde_json::from_slice::<Self>(&text).ok());
        let same = |kept: &Self| {
            let is_whole = kept.fits.iter().all(|fit| fit.errors.keys().eq(empty.sizes.keys()));
            (&kept.version, &kept.sha256, &kept.sizes) == (&empty.version, &empty.sha256, &empty.sizes) && is_whole
        };
        kept.filter(same).map_or(empty, |kept| Self { path, table, ..kept })
    }

    /// The fit with these settings to these columns, made and kept if it is not there.
    fn or_make(
        &mut self,
        contender: &Contender,
        seed: u64,
        columns: &[String],
        make: impl FnOnce() -> Result<ShiftFit, Error>,
    ) -> Result<ShiftFit, ShiftError> {
        let is_it = |fit: &ShiftFit| fit.name == contender.name && fit.seed == seed;
        let same = |fit: &&ShiftFit| is_it(fit) && fit.settings == contender.method && fit.columns == columns;
        if let Some(fit) = self.fits.iter().find(same) {
            return Ok(fit.clone());
        }
        let failed =
            |source| ShiftError::Fit { table: self.table, method: contender.name.into(), source: Box::new(source) };
        let fit = make().map_err(failed)?;
        self.fits.retain(|fit| !is_it(fit));
        self.fits.push(fit.clone());
        self.write()?;
        Ok(fit)
    }

    fn write(&self) -> Result<(), IoError> {
        let failed = |source| IoError::Write { path: self.path.display().to_string(), source };
        self.path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
        let text = serde_json::to_vec(self).map_err(|error| failed(error.into()))?;
        write_whole(&self.path, |writer| writer.write_all(&text))
    }
}

/// Every method but the plain one over all tables.
fn summarise(rows: &[ShiftRow]) -> Vec<ShiftSummary> {
    let names = [DEFAULT].into_iter().chain(refits(Task::Regression).map(|refit| refit.name));
    let of = |name: &str| {
        let rows: Vec<&ShiftRow> = rows.iter().filter(|row| row.method == name).collect();
        let geometric = |ratio: fn(&ShiftRow) -> f64| {
            (rows.iter().map(|row| ratio(row).ln()).sum::<f64>() / rows.len() as f64).exp()
        };
        let count = |is: fn(f64) -> bool| rows.iter().filter(|row| is(row.mean_ratio)).count();
        (!rows.is_empty()).then(|| ShiftSummary {
            method: name.into(),
            tables: rows.len(),
            mean_ratio: geometric(|row| row.mean_ratio),
            worst_ratio: geometric(|row| row.worst_ratio),
            worse: count(|ratio| ratio > 1.0 + MARGIN),
            better: count(|ratio| ratio < 1.0 - MARGIN),
            greatest_harm: rows.iter().map(|row| row.mean_ratio).fold(f64::NEG_INFINITY, f64::max),
        })
    };
    names.filter_map(of).collect()
}

impl ShiftResults {
    /// For the docs: a line per table with the default beside the plain model, the summary, what is missing.
    pub fn markdown(&self) -> String {
        let mut text = String::from(
            "## Real tables with natural shifts\n\nErrors in the environments that were not trained on: mean and worst. Plain is least \
             squares (for classes logistic regression, whose error is the share of wrong answers) on all columns.\n\n\
             | table | trained on | rows | plain: mean | worst | SVI: mean | worst | mean / plain | worst / plain | columns | seconds |\n\
             |---|---|---|---|---|---|---|---|---|---|---|\n",
        );
        let defaults = self.rows.iter().filter(|row| row.method == DEFAULT);
        for row in defaults {
            let errors =
                [row.mean_error / row.mean_ratio, row.max_error / row.worst_ratio, row.mean_error, row.max_error];
            text += &format!(
                "| {} | {} | {} | {} | {:.3} | {:.3} | {} of {} | {:.1} |\n",
                row.table,
                row.trained_on,
                row.n,
                errors.map(figure).join(" | "),
                row.mean_ratio,
                row.worst_ratio,
                row.selected.len(),
                row.p,
                row.seconds,
            );
        }
        text += &format!(
            "\nGeometric means of the ratios, and tables whose mean error differs by more than {:.0} %; a refit is on the columns that SVI chose:\n\n\
             | method | tables | mean / plain | worst / plain | worse | better | greatest harm |\n|---|---|---|---|---|---|---|\n",
            100.0 * MARGIN
        );
        for line in &self.summary {
            text += &format!(
                "| {} | {} | {:.3} | {:.3} | {} | {} | {:.3} |\n",
                line.method,
                line.tables,
                line.mean_ratio,
                line.worst_ratio,
                line.worse,
                line.better,
                line.greatest_harm
            );
        }
        for reason in &self.missing {
            text += &format!("\nMissing: {}\n", reason.replace('\n', " "));
        }
        text
    }

    /// For other programs: one line per table, method and environment.
    pub fn csv(&self) -> Result<String, csv::Error> {
        #[derive(Serialize)]
        struct Line<'a> {
            table: &'a str,
            method: &'a str,
            environment: &'a str,
            trained_on: bool,
            error: f64,
            mean_error: f64,
            max_error: f64,
            mean_ratio: f64,
            worst_ratio: f64,
            chosen: usize,
            columns: usize,
            seconds: f64,
        }
        let lines = self.rows.iter().flat_map(|row| {
            row.errors.iter().map(|(environment, &error)| Line {
                table: row.table,
                method: &row.method,
                environment,
                trained_on: environment == row.trained_on,
                error,
                mean_error: row.mean_error,
                max_error: row.max_error,
                mean_ratio: row.mean_ratio,
                worst_ratio: row.worst_ratio,
                chosen: row.selected.len(),
                columns: row.p,
                seconds: row.seconds,
            })
        });
        csv_text(lines)
    }
}

fn figure(value: f64) -> String {
    if value >= 1000.0 { format!("{value:.0}") } else { format!("{value:.4}") }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use stablevar_data::wheel::cache_folder;

    fn row(table: &'static str, method: &str, ratio: f64) -> ShiftRow {
        ShiftRow {
            table,
            n: 300,
            p: 6,
            trained_on: "1997",
            metric: "RMSE",
            method: method.into(),
            errors: BTreeMap::from([("1997".into(), 1.0), ("1998".into(), ratio)]),
            mean_error: ratio,
            std_error: 0.0,
            max_error: ratio,
            mean_ratio: ratio,
            worst_ratio: ratio * ratio,
            selected: vec![],
            same_selection: 1.0,
            converged: true,
            seconds: 0.5,
        }
    }

    #[test]
    fn the_summary_is_of_geometric_means_and_counts_what_differs() {
        let rows = [row("a", "OLS", 1.0), row("a", "SVI", 0.5), row("b", "SVI", 2.0), row("c", "SVI", 1.01)];
        let summary = summarise(&rows);
        assert_eq!(summary.len(), 1);
        let expected = 1.01f64.powf(1.0 / 3.0);
        assert!(
            (summary[0].mean_ratio - expected).abs() < 1e-12
                && (summary[0].worst_ratio - expected.powi(2)).abs() < 1e-12
        );
        assert_eq!((summary[0].worse, summary[0].better, summary[0].tables), (1, 1, 3));
        assert_eq!(summary[0].greatest_harm, 2.0);
    }

    #[test]
    fn a_table_that_can_not_be_had_is_missing_and_the_error_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let table = ShiftTable::named("arrests").unwrap();
        std::fs::write(folder.path().join(table.file.name), "not the arrests").unwrap();
        let (results, error) =
            run_shifts(&[table], folder.path(), folder.path(), (1, 1), &|_| ControlFlow::Continue(()));
        assert!(results.rows.is_empty() && results.summary.is_empty());
        assert!(results.missing[0].starts_with("arrests: ") && results.missing[0].contains("SHA-256"));
        assert!(error.unwrap().to_string().contains("arrests"));
        assert!(results.markdown().contains("Missing: arrests"));
    }

    /// Needs a network the first time; without one it says so and passes.
    #[test]
    fn one_table_is_fitted_and_taken_up_again() {
        let folder = tempfile::tempdir().unwrap();
        let table = ShiftTable::named("arrests").unwrap();
        let run = || run_shifts(&[table], &cache_folder(), folder.path(), (1, 1), &|_| ControlFlow::Continue(()));
        let (results, error) = run();
        if let Some(error @ ShiftError::Data { source: RealDataError::Fetch { .. }, .. }) = error {
            return eprintln!("skipped: {error}");
        }
        assert!(error.is_none(), "{error:?}");
        let methods: Vec<&str> = results.rows.iter().map(|row| row.method.as_str()).collect();
        assert_eq!(methods, ["logistic", "SVI", "SVI, linear refit", "SVI, robust refit"]);
        let plain = &results.rows[0];
        assert_eq!((plain.n, plain.p, plain.selected.len(), plain.errors.len()), (492, 6, 6, 6));
        assert_eq!((plain.mean_ratio, plain.worst_ratio), (1.0, 1.0));
        for row in &results.rows {
            let elsewhere = row.errors.iter().filter(|(name, _)| *name != "1997").map(|(_, error)| *error);
            assert!((row.mean_error - elsewhere.clone().sum::<f64>() / 5.0).abs() < 1e-12);
            assert_eq!(row.max_error, elsewhere.fold(0.0, f64::max));
            assert!(row.mean_error > 0.05 && row.mean_error < 0.3, "{row:?}");
        }
        // Everything, even the seconds, comes from the file.
        assert_eq!(run().0, results);
        // A file that is damaged is made anew.
        std::fs::write(folder.path().join("runs/shifts/arrests.json"), "{\"half\": ").unwrap();
        let (anew, error) = run();
        assert!(error.is_none() && anew.rows.iter().zip(&results.rows).all(|(a, b)| a.errors == b.errors));
    }
}
