//! The paper's figures from runs: each as a picture and as the numbers in it.

use crate::claims::Claim;
use crate::experiment::{Cell, GROWTH, ORACLE};
use crate::real::RealTable;
use crate::runner::{LoopRecord, MethodOutcome, Run};
use crate::table::csv_text;
use serde::Serialize;
use stablevar::Matrix;
use stablevar::diagnostics::{dependence_between, dependence_within};
use stablevar_data::simulate::{TEST_RATES, World};
use stablevar_report::chart::{
    Axis, BarChart, BarGroup, Chart, Heatmap, LineChart, Point, Scale, Series, colour_of, figure, picture,
};
use stablevar_report::text::capitalised;

/// A figure: a picture and its numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// The name of its files, without ending.
    pub name: &'static str,
    /// The paper's figure it stands beside.
    pub paper: &'static str,
    /// What it shows.
    pub caption: String,
    /// The picture.
    #[serde(skip)]
    pub svg: String,
    /// The numbers, with a header.
    #[serde(skip)]
    pub csv: String,
}

/// The width of a journal's column and of a page, in points of 1/96 inch.
const COLUMN: (f64, f64) = (440.0, 270.0);
const PAGE: f64 = 800.0;
/// What the paper's loop figures show at most.
const LOOPS: usize = 10;
const SHOWN_LOOPS: [usize; 4] = [0, 3, 7, 10];
/// The method whose loop moves.
const LOOPING: &str = "SVI as published";

/// A number over the runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Average {
    pub(crate) mean: f64,
    /// Standard error; 0 for a single run.
    pub(crate) error: f64,
}

impl Average {
    fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        Self { mean, error: (variance / count).sqrt() }
    }

    /// A point with a band of 95 %.
    fn point(self, x: f64) -> Point {
        Point { x, y: self.mean, spread: 1.96 * self.error }
    }
}

/// One line of most figures' numbers.
#[derive(Serialize)]
struct Line<'a> {
    x: String,
    series: &'a str,
    mean: f64,
    standard_error: f64,
}

/// A drawn series and its numbers.
fn numbers(x: &[String], series: &[(String, Vec<Average>)]) -> Result<String, csv::Error> {
    let lines = series.iter().flat_map(|(name, values)| {
        values.iter().zip(x).map(|(value, x)| Line {
            x: x.clone(),
            series: name,
            mean: value.mean,
            standard_error: value.error,
        })
    });
    csv_text(lines)
}

/// The axes of a figure of lines, which stand at these places; `None` for other figures.
fn axes(name: &str, labels: &[String]) -> Option<(Axis, Axis)> {
    let size = || Axis::new("sample size n", Scale::FromZero);
    let rates = || Axis::new("bias rate r of the test environment", Scale::Categories(labels.to_vec()));
    let error = || Axis::new("mean squared error", Scale::Logarithmic);
    let slopes = || Axis::new("||beta_v||_1", Scale::FromZero);
    Some(match name {
        "error-by-n" => (size(), error()),
        "error-by-environment-linear" | "error-by-environment-nonlinear" => (rates(), error()),
        "unstable-slopes-by-n" => (size(), slopes()),
        "effective-size-by-n" => (size(), Axis::new("n_eff", Scale::FromZero)),
        "unstable-slopes-by-loop" => (Axis::new("loop (0: least squares without weights)", Scale::FromZero), slopes()),
        _ => return None,
    })
}

/// The picture of a figure of lines; `None` for other figures.
pub(crate) fn line_picture(
    name: &str,
    caption: &str,
    labels: &[String],
    series: &[(String, Vec<Average>)],
) -> Option<String> {
    let (x, y) = axes(name, labels)?;
    let place = |(k, label): (usize, &String)| match x.scale {
        Scale::Categories(_) => k as f64,
        _ => label.parse().unwrap_or(f64::NAN),
    };
    let places: Vec<f64> = labels.iter().enumerate().map(place).collect();
    let line = |(name, values): &(String, Vec<Average>)| Series {
        name: name.clone(),
        colour: colour_of(name),
        points: values.iter().zip(&places).map(|(value, &x)| value.point(x)).collect(),
    };
    Some(picture(caption, &LineChart { x, y, series: series.iter().map(line).collect() }, COLUMN))
}

/// A figure of lines with its numbers.
fn of_lines(
    (name, paper): Names,
    caption: String,
    labels: &[String],
    series: &[(String, Vec<Average>)],
) -> Result<Figure, csv::Error> {
    let svg = line_picture(name, &caption, labels, series).unwrap_or_default();
    Ok(Figure { name, paper, svg, csv: numbers(labels, series)?, caption })
}

/// The picture of errors in real environments, as (environment, error and standard error per method).
pub(crate) fn bar_picture(
    name: &str,
    caption: &str,
    metric: &str,
    methods: &[String],
    environments: &[(String, Vec<(f64, f64)>)],
) -> String {
    // Prices read better in thousands.
    let (unit, what) = if name == "house" { (1e-3, " in thousands") } else { (1.0, "") };
    let group = |(name, errors): &(String, Vec<(f64, f64)>)| BarGroup {
        name: name.clone(),
        bars: errors.iter().map(|(error, standard_error)| (unit * error, 1.96 * unit * standard_error)).collect(),
    };
    let chart = BarChart {
        groups_are: "environment".into(),
        heights_are: format!("{metric}{what}"),
        series: methods.iter().map(|method| (method.clone(), colour_of(method))).collect(),
        groups: environments.iter().map(group).collect(),
    };
    picture(caption, &chart, (PAGE, 320.0))
}

fn outcomes<'a>(runs: &'a [Run], cell: Cell, name: &str) -> Vec<&'a MethodOutcome> {
    let in_cell = runs.iter().filter(|run| run.cell == cell);
    in_cell.flat_map(|run| run.outcomes.iter().filter(|outcome| outcome.name == name)).collect()
}

fn averaged(outcomes: &[&MethodOutcome], value: impl Fn(&MethodOutcome) -> f64) -> Average {
    Average::of(&outcomes.iter().map(|outcome| value(outcome)).collect::<Vec<f64>>())
}

fn names(runs: &[Run]) -> Vec<String> {
    runs.first().map(|run| run.outcomes.iter().map(|outcome| outcome.name.clone()).collect()).unwrap_or_default()
}

/// The figures of the linear setting, from the runs of `growth`.
pub fn linear(runs: &[Run]) -> Result<Vec<Figure>, csv::Error> {
    let seeds = runs.iter().filter(|run| run.cell == at(GROWTH[0])).count();
    let over_runs = format!("means of {seeds} runs, with bands of 95 %");
    let all = names(runs);
    let without_oracle: Vec<String> = all.iter().filter(|name| *name != ORACLE).cloned().collect();
    let weighted = ["DWR", "SRDO", LOOPING, "SVI"].map(String::from);
    let mut figures = vec![
        by_size(
            ("error-by-n", "Figure 2 (a)"),
            format!("Mean_Error over the ten environments by sample size, r = 2.5; {over_runs}."),
            runs,
            &all,
            |outcome| outcome.errors.iter().sum::<f64>() / outcome.errors.len() as f64,
        )?,
        by_rate(
            ("error-by-environment-linear", "Figure 2 (b)"),
            format!("Error per environment, linear setting, n = 2000, r = 2.5; {over_runs}."),
            runs,
            at(2000),
        )?,
        by_size(
            ("unstable-slopes-by-n", "Figure 3 (a)"),
            format!("What is left of the unstable variables, ||beta_v||_1, by sample size, r = 2.5; {over_runs}."),
            runs,
            &without_oracle,
            |outcome| outcome.unstable_slopes,
        )?,
        by_size(
            ("effective-size-by-n", "Figure 3 (b)"),
            format!("Effective sample size of the weights, n_eff, by sample size, r = 2.5; {over_runs}."),
            runs,
            &weighted,
            |outcome| outcome.effective_sample_size,
        )?,
    ];
    figures.push(slopes_by_loop(runs, &over_runs)?);
    figures.push(heatmaps(runs, seeds)?);
    figures.push(dependence_by_loop(runs, &over_runs)?);
    Ok(figures)
}

/// The figure of the nonlinear setting.
pub fn nonlinear(runs: &[Run]) -> Result<Vec<Figure>, csv::Error> {
    let Some(cell) = runs.first().map(|run| run.cell) else { return Ok(Vec::new()) };
    let caption = format!(
        "Error per environment, nonlinear setting, n = {}, r = {}; means of {} runs, with bands of 95 %.",
        cell.rows,
        cell.rate,
        runs.len()
    );
    Ok(vec![by_rate(("error-by-environment-nonlinear", "Figure 2 (c)"), caption, runs, cell)?])
}

/// The middle bias rate, at which the figures are drawn.
fn at(rows: usize) -> Cell {
    Cell { rows, rate: 2.5 }
}

type Names = (&'static str, &'static str);

fn by_size(
    names: Names,
    caption: String,
    runs: &[Run],
    methods: &[String],
    value: impl Fn(&MethodOutcome) -> f64,
) -> Result<Figure, csv::Error> {
    let series: Vec<(String, Vec<Average>)> = methods
        .iter()
        .map(|method| {
            let over = GROWTH.iter().map(|&rows| averaged(&outcomes(runs, at(rows), method), &value));
            (method.clone(), over.collect())
        })
        .collect();
    of_lines(names, caption, &GROWTH.map(|rows| rows.to_string()), &series)
}

fn by_rate(figure: Names, caption: String, runs: &[Run], cell: Cell) -> Result<Figure, csv::Error> {
    let rates: Vec<String> = TEST_RATES.iter().map(|rate| rate.to_string()).collect();
    let series: Vec<(String, Vec<Average>)> = names(runs)
        .into_iter()
        .map(|method| {
            let of_method = outcomes(runs, cell, &method);
            let over = (0..rates.len()).map(|k| averaged(&of_method, |outcome| outcome.errors[k]));
            (method, over.collect())
        })
        .collect();
    of_lines(figure, caption, &rates, &series)
}

/// Correlations and slopes in every loop from 0, before any weights, to 10; a loop that settled stays as it is.
struct Trace<'a> {
    run: &'a Run,
    ordinary: &'a MethodOutcome,
    loops: &'a [LoopRecord],
}

impl Trace<'_> {
    fn record(&self, step: usize) -> Option<&LoopRecord> {
        step.checked_sub(1).map(|k| &self.loops[k.min(self.loops.len() - 1)])
    }

    fn correlations(&self, step: usize) -> &Matrix {
        self.record(step).map_or(&self.run.correlations, |record| &record.correlations)
    }

    fn unstable_slopes(&self, step: usize) -> f64 {
        self.record(step).map_or(self.ordinary.unstable_slopes, |record| record.unstable_slopes)
    }
}

fn traces(runs: &[Run], rows: usize) -> Vec<Trace<'_>> {
    let in_cell = runs.iter().filter(|run| run.cell == at(rows));
    in_cell
        .filter_map(|run| {
            let of = |name: &str| run.outcomes.iter().find(|outcome| outcome.name == name);
            let loops = of(LOOPING)?.loops.as_slice();
            (!loops.is_empty()).then_some(Trace { run, ordinary: of("OLS")?, loops })
        })
        .collect()
}

/// The mean of a number over the runs, in every loop.
fn over_loops(traces: &[Trace], value: impl Fn(&Trace, usize) -> f64) -> Vec<Average> {
    (0..=LOOPS).map(|step| Average::of(&traces.iter().map(|trace| value(trace, step)).collect::<Vec<f64>>())).collect()
}

fn loop_numbers() -> (Vec<f64>, Vec<String>) {
    ((0..=LOOPS).map(|step| step as f64).collect(), (0..=LOOPS).map(|step| step.to_string()).collect())
}

fn slopes_by_loop(runs: &[Run], over_runs: &str) -> Result<Figure, csv::Error> {
    let (_, labels) = loop_numbers();
    let series =
        vec![(LOOPING.to_string(), over_loops(&traces(runs, 2000), |trace, step| trace.unstable_slopes(step)))];
    let caption = format!("||beta_v||_1 over the loops of Algorithm 1, n = 2000, r = 2.5; {over_runs}.");
    of_lines(("unstable-slopes-by-loop", "Figure 3 (c)"), caption, &labels, &series)
}

fn heatmaps(runs: &[Run], seeds: usize) -> Result<Figure, csv::Error> {
    #[derive(Serialize)]
    struct Square<'a> {
        r#loop: usize,
        row: &'a str,
        column: &'a str,
        mean: f64,
        standard_error: f64,
    }
    let traces = traces(runs, 3000);
    let world = World::default();
    let names = world.names();
    let (mut squares, mut charts) = (Vec::new(), Vec::new());
    for step in SHOWN_LOOPS {
        let average = |i: usize, j: usize| {
            Average::of(&traces.iter().map(|trace| trace.correlations(step)[(i, j)]).collect::<Vec<f64>>())
        };
        let mut values = vec![vec![0.0; names.len()]; names.len()];
        for (i, row) in names.iter().enumerate() {
            for (j, column) in names.iter().enumerate() {
                let Average { mean, error } = average(i, j);
                values[i][j] = mean;
                squares.push(Square { r#loop: step, row, column, mean, standard_error: error });
            }
        }
        charts.push(Heatmap { names: names.clone(), labels: None, values, parted_at: world.stable });
    }
    let headings = ["(a) before weighting", "(b) after loop 3", "(c) after loop 7", "(d) after loop 10"];
    let panels: Vec<(&str, &dyn Chart)> =
        headings.into_iter().zip(&charts).map(|(heading, chart)| (heading, chart as &dyn Chart)).collect();
    let caption = format!(
        "Correlations under the weights after some loops of Algorithm 1, n = 3000, r = 2.5; s1 to s5 are stable, v5 is the biased \
         variable; means of {seeds} runs."
    );
    let svg = figure("Correlations over the loops", &caption, &panels, 2, (COLUMN.0 / 1.3, COLUMN.0 / 1.4));
    Ok(Figure { name: "heatmaps", paper: "Figure 5", svg, csv: csv_text(squares)?, caption })
}

/// Whether the loops keep dependence within the stable variables and remove that between these and the others.
pub fn loops_help(runs: &[Run]) -> Claim {
    let stable: Vec<usize> = (0..World::default().stable).collect();
    let mut holds = true;
    let mut shown = Vec::new();
    for size in [2000, 3000, 4000] {
        let traces = traces(runs, size);
        let dependence = |measure: fn(&Matrix, &[usize]) -> Option<f64>| {
            over_loops(&traces, |trace, step| measure(trace.correlations(step), &stable).unwrap_or(f64::NAN))
        };
        let (within, between) = (dependence(dependence_within), dependence(dependence_between));
        // Loop 0 has no weights: from loop 1 on what was lost within comes back.
        holds &= within[LOOPS].mean > within[1].mean && between[LOOPS].mean < between[0].mean;
        shown.push(format!(
            "n = {size}: IDP_s {:.2}, {:.3}, {:.2} and IDP_sv {:.3}, {:.4}, {:.4} before and after loops 1 and {LOOPS}",
            within[0].mean, within[1].mean, within[LOOPS].mean, between[0].mean, between[1].mean, between[LOOPS].mean
        ));
    }
    let claim = "over the loops IDP_s rises (from loop 1, which decorrelates all pairs) and IDP_sv falls".into();
    Claim { claim, holds, detail: shown.join("; ") }
}

fn dependence_by_loop(runs: &[Run], over_runs: &str) -> Result<Figure, csv::Error> {
    #[derive(Serialize)]
    struct Line<'a> {
        n: usize,
        r#loop: usize,
        measure: &'a str,
        mean: f64,
        standard_error: f64,
    }
    let stable: Vec<usize> = (0..World::default().stable).collect();
    let (places, _) = loop_numbers();
    let (mut rows, mut charts) = (Vec::new(), Vec::new());
    for size in [2000, 3000, 4000] {
        let traces = traces(runs, size);
        let dependence = |measure: fn(&Matrix, &[usize]) -> Option<f64>| {
            over_loops(&traces, |trace, step| measure(trace.correlations(step), &stable).unwrap_or(f64::NAN))
        };
        let series = [
            ("||beta_v||_1", 1, over_loops(&traces, |trace, step| trace.unstable_slopes(step))),
            ("IDP_s", 0, dependence(dependence_within)),
            ("IDP_sv", 2, dependence(dependence_between)),
        ];
        for (measure, _, values) in &series {
            rows.extend(values.iter().enumerate().map(|(step, value)| Line {
                n: size,
                r#loop: step,
                measure,
                mean: value.mean,
                standard_error: value.error,
            }));
        }
        let line = |(name, colour, values): &(&str, usize, Vec<Average>)| Series {
            name: (*name).into(),
            colour: *colour,
            points: values.iter().zip(&places).map(|(value, &x)| value.point(x)).collect(),
        };
        charts.push(LineChart {
            x: Axis::new("loop", Scale::FromZero),
            y: Axis::new("", Scale::FromZero),
            series: series.iter().map(line).collect(),
        });
    }
    let headings = ["(a) n = 2000", "(b) n = 3000", "(c) n = 4000"];
    let panels: Vec<(&str, &dyn Chart)> =
        headings.into_iter().zip(&charts).map(|(heading, chart)| (heading, chart as &dyn Chart)).collect();
    let caption = format!(
        "What is left of the unstable variables (||beta_v||_1), dependence within the stable ones (IDP_s, mean correlation) and \
         between these and the others (IDP_sv, mean absolute correlation) over the loops of Algorithm 1, r = 2.5; {over_runs}."
    );
    let svg = figure("Convergence over the loops", &caption, &panels, 3, (PAGE / 3.0, 210.0));
    Ok(Figure { name: "dependence-by-loop", paper: "Figure 6", svg, csv: csv_text(rows)?, caption })
}

/// The bars of a real data set.
pub fn real(table: &RealTable) -> Result<Figure, csv::Error> {
    let methods: Vec<String> = table.rows.iter().map(|row| row.method.clone()).collect();
    let errors = |name: &String| table.rows.iter().map(|row| (row.errors[name], row.standard_errors[name])).collect();
    let elsewhere = table.sizes.keys().filter(|name| table.is_elsewhere(name));
    let environments: Vec<(String, Vec<(f64, f64)>)> = elsewhere.map(|name| (name.clone(), errors(name))).collect();
    let (name, paper) = if table.is_regression() { ("house", "Figure 4 (a)") } else { ("adult", "Figure 4 (b)") };
    let caption = format!(
        "{} in environments unseen in training (trained on {}), with intervals of 95 % over their rows.",
        capitalised(table.metric),
        table.trained_on
    );
    let svg = bar_picture(name, &caption, table.metric, &methods, &environments);
    Ok(Figure { name, paper, svg, csv: table.csv()?, caption })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::experiment::growth;
    use crate::runner::run;
    use crate::table::ResultTable;
    use std::ops::ControlFlow;

    #[test]
    fn every_figure_of_the_linear_setting_is_drawn_with_its_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let mut experiment = growth();
        experiment.test_rows = 100;
        // Without those that take seconds.
        experiment.contenders.retain(|contender| !["DWR", "SRDO", "SVI"].contains(&contender.name));
        let runs = run(&experiment, 2, 2, folder.path(), &|_| ControlFlow::Continue(())).unwrap();
        let figures = linear(&runs).unwrap();
        let lines = |name: &str| {
            let figure = figures.iter().find(|figure| figure.name == name).unwrap();
            assert!(figure.svg.starts_with("<svg ") && figure.svg.ends_with("</svg>\n") && !figure.svg.contains("NaN"));
            figure.csv.lines().count() - 1
        };
        assert_eq!(lines("error-by-n"), 5 * GROWTH.len());
        assert_eq!(lines("error-by-environment-linear"), 5 * TEST_RATES.len());
        assert_eq!(lines("unstable-slopes-by-loop"), LOOPS + 1);
        assert_eq!(lines("heatmaps"), 4 * 100);
        assert_eq!(lines("dependence-by-loop"), 3 * 3 * (LOOPS + 1));
        let heatmaps = figures.iter().find(|figure| figure.name == "heatmaps").unwrap();
        let value = |start: &str| -> f64 {
            let line = heatmaps.csv.lines().find(|line| line.starts_with(start)).unwrap();
            line.split(',').nth(3).unwrap().parse().unwrap()
        };
        // The biased variable goes with the stable ones before weighting and not after.
        assert!(value("0,s3,v5") > 0.4 && value("10,s3,v5").abs() < 0.1);
        let claim = loops_help(&runs);
        assert!(claim.holds, "{claim:?}");
        let table = ResultTable::new(&experiment, &runs, 2);
        assert!(!crate::claims::more_effective_rows(&table).holds);
    }
}
