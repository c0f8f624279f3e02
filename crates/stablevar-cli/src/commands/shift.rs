//! `stablevar shift`

use crate::Ending;
use crate::args::{Format, ShiftArguments};
use crate::printer::Printer;
use anyhow::bail;
use serde_json::json;
use stablevar::design::Task;
use stablevar::fit::FittedModel;
use stablevar::foresight::{ShiftCurve, ShiftGrid, ShiftPoint};
use stablevar_io::{IoError, display, read_model};
use stablevar_report::text::{number, shorten};

pub(crate) fn run(arguments: &ShiftArguments) -> anyhow::Result<Ending> {
    let printer = Printer::new(false);
    let model = read_model(&arguments.model)?;
    let in_model = |source| IoError::Table { path: display(&arguments.model), source };
    let json = arguments.format == Format::Json;
    match &arguments.column[..] {
        [] => {
            let curves = model.shift_curves().map_err(in_model)?;
            if json { printer.json(&json!({"curves": curves}))? } else { print_all(&model, &curves, &printer)? }
        }
        [column] => {
            let curve = model.shift_curve(column).map_err(in_model)?;
            if json { printer.json(&json!(curve))? } else { print_curve(&model, &curve, &printer)? }
        }
        [first, second] => {
            let grid = model.shift_grid(first, second).map_err(in_model)?;
            if json { printer.json(&json!(grid))? } else { print_grid(&model, &grid, &printer)? }
        }
        more => bail!("{} columns can't shift at once here: give one, two or none", more.len()),
    }
    Ok(Ending::Done)
}

fn metric(model: &FittedModel) -> &'static str {
    match model.task {
        Task::Regression => "root mean squared error",
        Task::Classification => "error rate",
    }
}

fn named(column: &str, level: Option<&String>) -> String {
    level.map_or_else(|| column.to_string(), |level| format!("{column}={level}"))
}

fn error(error: Option<f64>) -> String {
    error.map_or_else(|| "-".into(), number)
}

const HEADINGS: &str = "largest rise: of the error when the column's mean moves by up to one standard deviation; lower, higher: the error \
                        when it has moved by one; all without the one row that adds most to each error; *: with that row the error is far larger, \
                        see --column";
const ABOUT: &str =
    "From held-out training rows, weighted so that means move while the relation stays; - where too few are like that.";

fn print_all(model: &FittedModel, curves: &[ShiftCurve], printer: &Printer) -> anyhow::Result<()> {
    printer.line(&format!(
        "{} of '{}' if one column shifts, the most dangerous first\n",
        metric(model),
        model.target
    ))?;
    let classes = model.task == Task::Classification;
    let at = |curve: &ShiftCurve, by: f64| {
        let point = curve.points.iter().find(|point| point.shift == by);
        let star = if point.is_some_and(|point| point.rests_on_one_row(classes)) { " *" } else { "" };
        error(point.and_then(|point| point.without_one)) + star
    };
    let row = |curve: &ShiftCurve| {
        let mut row = vec![shorten(&named(&curve.column, curve.level.as_ref()), 30)];
        row.push(if curve.used { "yes" } else { "no" }.into());
        row.push(format!("{:+.1} %", 100.0 * curve.danger));
        row.extend([-1.0, 0.0, 1.0].map(|by| at(curve, by)));
        row
    };
    let rows: Vec<Vec<String>> = curves.iter().map(row).collect();
    printer.table_that_fits(&["column", "used", "largest rise", "lower", "as it is", "higher"], &rows, &["used"])?;
    printer.line("")?;
    printer.line(HEADINGS)?;
    printer.line(ABOUT)
}

fn print_curve(model: &FittedModel, curve: &ShiftCurve, printer: &Printer) -> anyhow::Result<()> {
    let name = named(&curve.column, curve.level.as_ref());
    printer.line(&format!("{} of '{}' if '{name}' shifts\n", metric(model), model.target))?;
    let row = |point: &ShiftPoint| {
        vec![
            format!("{:+.2}", point.shift),
            // No weights give such a mean, as of a share below 0.
            if point.effective_sample_size > 0.0 { number(point.mean) } else { "-".into() },
            error(point.error),
            error(point.standard_error),
            error(point.without_one),
            format!("{:.0}", point.effective_sample_size),
        ]
    };
    let rows: Vec<Vec<String>> = curve.points.iter().map(row).collect();
    printer.table(&["s.d. moved", "its mean", "error", "s.e.", "without one", "effective rows"], &rows)?;
    printer.line(&format!("\n{ABOUT}"))?;
    printer.line(
        "without one: the error without the row that adds most to it; far below the error, that rests on a single row",
    )
}

fn print_grid(model: &FittedModel, grid: &ShiftGrid, printer: &Printer) -> anyhow::Result<()> {
    let names = [0, 1].map(|k| named(&grid.columns[k], grid.levels[k].as_ref()));
    printer.line(&format!(
        "{} of '{}' if '{}' (down) and '{}' (across) shift at once, by so many standard deviations\n",
        metric(model),
        model.target,
        names[0],
        names[1]
    ))?;
    let header: Vec<String> =
        std::iter::once(String::new()).chain(grid.shifts.iter().map(|by| format!("{by:+.1}"))).collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let rows = grid.shifts.iter().zip(&grid.errors).map(|(by, errors)| {
        std::iter::once(format!("{by:+.1}")).chain(errors.iter().map(|value| error(*value))).collect()
    });
    printer.table(&header, &rows.collect::<Vec<Vec<String>>>())?;
    printer.line(&format!("\n{ABOUT}"))
}
