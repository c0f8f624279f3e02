//! The error if a column's mean were elsewhere.

use crate::chart::{Axis, Grid, LineChart, PANEL, Point, Scale, Series, figure, picture};
use crate::page::{explained, name as shown, panels, table, wide};
use crate::text::{count, escape, number, shorten_name};
use stablevar::error::Result;
use stablevar::fit::{FittedModel, Task};
use stablevar::foresight::{ShiftCurve, ShiftPoint};
use stablevar::wording::Wording;

/// Curves that are shown; the others are folded away.
const SHOWN: usize = 8;
/// And of these at most so many.
const FOLDED: usize = 16;
/// An error that grows by less than this factor is not worth a word.
const NOTICEABLE: f64 = 1.05;

pub(super) fn section(model: &FittedModel, curves: &Result<Vec<ShiftCurve>>, wording: &dyn Wording) -> String {
    let curves = match curves {
        Ok(curves) => curves,
        Err(fault) => {
            let hint = fault.hint(wording).map_or_else(String::new, |hint| format!(" To mend it: {hint}."));
            return format!("<p>{}</p>", escape(&format!("Nothing can be said: {}.{hint}", fault.message(wording))));
        }
    };
    let drawn: Vec<&ShiftCurve> = curves.iter().filter(|curve| has_line(curve)).collect();
    if drawn.is_empty() {
        return String::new();
    }
    let (first, rest) = drawn.split_at(drawn.len().min(SHOWN));
    let others = rest.len();
    let rest = &rest[..others.min(FOLDED)];
    let folded = if rest.is_empty() {
        String::new()
    } else {
        format!(
            "<details><summary>{}{} other columns, whose shifts do less</summary><figure>{}</figure></details>",
            if others > rest.len() { format!("{} of the ", rest.len()) } else { String::new() },
            others,
            small_multiples(model, rest)
        )
    };
    let both = joint(model, &drawn);
    format!(
        "<p>Held-out errors of the training rows, weighted so that the mean of one column moves. Columns that go with it move along, so that one that the model does not use \
         may be among the first. The relation of outcome and columns stays what it was; where too few rows are left there is no line. The most dangerous come first: those \
         with the largest rise of the error within one standard deviation, leaving out the row that adds most to it, so that no single row decides.</p><figure>{}<figcaption>The band is two standard \
         errors to either side. Orange, where a single row makes most of the error somewhere: without the row that adds most.</figcaption></figure>{}{both}{folded}",
        small_multiples(model, first),
        listed(model, first)
    )
}

/// In short the shift that does most, of those within one standard deviation; `None` if none can be told of.
pub(super) fn most_dangerous(model: &FittedModel, curves: &[ShiftCurve]) -> Option<(String, String)> {
    // Of the model's own columns, since another one moves the error only with them.
    let own = curves.iter().find(|curve| has_line(curve) && curve.used);
    let curve = own.or_else(|| curves.iter().find(|curve| has_line(curve)))?;
    let now = curve.points.iter().find(|point| point.shift == 0.0)?;
    let near = || curve.points.iter().filter(|point| point.shift.abs() <= 1.0);
    // As in the order of the curves: no single row decides.
    let fair = |point: &ShiftPoint| point.without_one.unwrap_or(0.0);
    let at = near().fold(now, |most, point| if fair(point) > fair(most) { point } else { most });
    let shift = at.shift;
    let of_one = near().any(|point| point.rests_on_one_row(model.task == Task::Classification));
    let [now, worst] = [now, at].map(|point| if of_one { point.without_one } else { point.error });
    let (now, worst) = (now?, worst?);
    let measure = measure(model);
    let told = |error: f64| match model.task {
        Task::Regression => number(error),
        Task::Classification => format!("{:.1} %", 100.0 * error),
    };
    let other = "<a href=\"#shifts\">Other columns</a>. What changes outside the columns, no curve can show.";
    let left_out = if of_one { " without the one row that makes most of it" } else { "" };
    if worst < NOTICEABLE * now {
        let long = format!(
            "No column's shift by one standard deviation raises the {measure}, {}{left_out}, by much. {other}",
            told(now)
        );
        return Some(("Nowhere that columns show".into(), long));
    }
    let (size, way) = (shift.abs(), if shift > 0.0 { "higher" } else { "lower" });
    let moved = match &curve.level {
        Some(level) => format!("the share of {} is", escape(&shorten_name(level, 24))),
        None => "its mean is".into(),
    };
    let of_one =
        if of_one { " One row whose error is far larger is left out of that.".to_string() } else { String::new() };
    let long = format!(
        "The {measure}, {} on held-out rows, becomes {} where {moved} {} {way}: of the model's columns the most dangerous shift.{of_one} \
         {other}",
        told(now),
        told(worst),
        if size == 1.0 { "one standard deviation".to_string() } else { format!("{size} standard deviations") },
    );
    let short = match &curve.level {
        Some(level) => format!(
            "Where {} are {} in {}",
            if shift > 0.0 { "more" } else { "fewer" },
            escape(&shorten_name(level, 24)),
            shown(&curve.column)
        ),
        None => format!("Where {} is {way}", shown(&curve.column)),
    };
    Some((short, long))
}

/// The two most dangerous columns at once.
fn joint(model: &FittedModel, drawn: &[&ShiftCurve]) -> String {
    let [first, second, ..] = drawn else { return String::new() };
    let Ok(grid) = model.shift_grid(&first.column, &second.column) else { return String::new() };
    let Some((errors, now)) = grid.fair() else { return String::new() };
    let names = [title(first), title(second)];
    let name = "The error under shifts of two columns";
    let chart = Grid {
        names: names.clone(),
        steps: grid.shifts.clone(),
        values: errors.to_vec(),
        now,
        rows: grid.effective_sample_sizes.clone(),
    };
    format!(
        "<figure>{}<figcaption>The error{}when the two most dangerous columns move at once: {} downwards, {} to the right, in standard \
         deviations. Red is above the error without a shift ({}), blue below; the strongest colour is twice or half of it. Where training has \
         too few such rows a square is empty.</figcaption></figure>",
        wide(&picture(name, &chart, Grid::SIZE), Grid::SIZE.0, name),
        if grid.rests_on_one_row { ", without the row that adds most to it, " } else { " " },
        escape(&names[0]),
        escape(&names[1]),
        number(now)
    )
}

fn has_line(curve: &ShiftCurve) -> bool {
    curve.points.iter().filter(|point| point.error.is_some()).count() > 1
}

fn title(curve: &ShiftCurve) -> String {
    let level = curve.level.as_ref().map_or_else(String::new, |level| format!("={}", shorten_name(level, 16)));
    let unused = if curve.used { "" } else { " (not used)" };
    format!("{}{level}{unused}", shorten_name(&curve.column, 26))
}

fn measure(model: &FittedModel) -> &'static str {
    match model.task {
        Task::Regression => "root mean squared error",
        Task::Classification => "error rate",
    }
}

fn small_multiples(model: &FittedModel, curves: &[&ShiftCurve]) -> String {
    let measure = measure(model);
    let chart = |curve: &&ShiftCurve| {
        let point = |point: &ShiftPoint| {
            let spread = 2.0 * point.standard_error.unwrap_or(0.0);
            point.error.map(|y| Point { x: point.shift, y, spread })
        };
        let mut series = vec![Series {
            name: String::new(),
            colour: if curve.used { 0 } else { 4 },
            points: curve.points.iter().filter_map(point).collect(),
        }];
        if curve.points.iter().any(|point| point.rests_on_one_row(model.task == Task::Classification)) {
            let rest = |point: &ShiftPoint| point.without_one.map(|y| Point { x: point.shift, y, spread: 0.0 });
            let points = curve.points.iter().filter_map(rest).collect();
            series.push(Series { name: String::new(), colour: 1, points });
        }
        LineChart {
            x: Axis::new("standard deviations moved", Scale::Linear),
            y: Axis::new(measure, Scale::FromZero),
            series,
        }
    };
    let drawn = |curve: &&ShiftCurve| {
        let title = title(curve);
        figure(&format!("The error under shifts of {title}"), "", &[(&title, &chart(curve))], 1, (PANEL, 180.0))
    };
    panels(&curves.iter().map(drawn).collect::<Vec<_>>())
}

fn listed(model: &FittedModel, curves: &[&ShiftCurve]) -> String {
    let classes = model.task == Task::Classification;
    let at = |curve: &ShiftCurve, shift: f64| {
        let point = curve.points.iter().find(|point| point.shift == shift);
        point.map_or_else(
            || "–".to_string(),
            |point| match point.error {
                Some(error) => format!(
                    "{}{} ({})",
                    number(point.without_one.unwrap_or(error)),
                    if point.rests_on_one_row(classes) { " *" } else { "" },
                    count(point.effective_sample_size.round() as usize)
                ),
                None => format!("– ({})", count(point.effective_sample_size.round() as usize)),
            },
        )
    };
    let row = |curve: &&ShiftCurve| {
        let name = match &curve.level {
            Some(level) => format!("{}={}", shown(&curve.column), escape(&shorten_name(level, 32))),
            None => shown(&curve.column),
        };
        let mut cells = vec![name, format!("{:+.1} %", 100.0 * curve.danger)];
        cells.extend([-1.0, 0.0, 1.0].map(|shift| at(curve, shift)));
        cells
    };
    let rows: Vec<Vec<String>> = curves.iter().map(row).collect();
    let meanings = [
        ("largest rise within 1 s.d.", "How much larger the error gets at most when the column's mean moves by up to one standard deviation either way, leaving out the row that adds most to it.".to_string()),
        ("1 s.d. lower, as it is, 1 s.d. higher", "The error there, without the one row that adds most to it; in brackets the effective rows that it rests on. A dash: too few. A star: with that row the error is far larger.".into()),
    ];
    table(&["column", "largest rise within 1 s.d.", "1 s.d. lower", "as it is", "1 s.d. higher"], &rows)
        + &explained(&meanings)
}
