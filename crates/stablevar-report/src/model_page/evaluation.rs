//! Errors in places where the model was tried.

use crate::chart::{Axis, BarChart, BarGroup, Chart, LineChart, PANEL, Point, Scale, Series, colour_of, picture};
use crate::page::{by_screen, name as shown, table, wide};
use crate::text::{escape, number, shorten_name};

/// Errors of several methods in several environments.
#[derive(Debug, Clone)]
pub struct Evaluation<'a> {
    /// What is measured.
    pub metric: &'a str,
    /// What tells the environments apart.
    pub axis: &'a str,
    /// Their names.
    pub environments: &'a [String],
    /// Whether their order means something, so that a line may join them.
    pub ordered: bool,
    /// For every method its errors.
    pub errors: &'a [(&'a str, &'a [f64])],
    /// What else should be said.
    pub note: &'a str,
}

/// Environments in the picture at most; the table has all.
const PICTURED: usize = 40;
/// Environments that a phone's width has room for; to see more one moves the picture.
const NARROW: usize = 12;
const WIDE: (f64, f64) = (640.0, 300.0);

pub(super) fn section(evaluation: &Evaluation) -> String {
    let environments: Vec<String> =
        evaluation.environments.iter().take(PICTURED).map(|name| shorten_name(name, 30)).collect();
    let name = format!("{} by environment and method", evaluation.metric);
    let picture = if evaluation.ordered {
        let line = |(name, errors): &(&str, &[f64])| Series {
            name: (*name).into(),
            colour: colour_of(name),
            points: errors.iter().enumerate().map(|(k, &y)| Point { x: k as f64, y, spread: 0.0 }).collect(),
        };
        let chart = LineChart {
            x: Axis::new(evaluation.axis, Scale::Categories(environments)),
            y: Axis::new(evaluation.metric, Scale::FromZero),
            series: evaluation.errors.iter().map(line).collect(),
        };
        on_any_screen(&name, &chart, evaluation)
    } else {
        let group = |(k, name): (usize, &String)| BarGroup {
            name: name.clone(),
            bars: evaluation.errors.iter().map(|(_, errors)| (errors[k], 0.0)).collect(),
        };
        let colours = evaluation.errors.iter().enumerate();
        let chart = BarChart {
            groups_are: evaluation.axis.into(),
            heights_are: evaluation.metric.into(),
            series: colours.map(|(k, (name, _))| (shorten_name(name, 24), k)).collect(),
            groups: environments.iter().enumerate().map(group).collect(),
        };
        on_any_screen(&name, &chart, evaluation)
    };
    let mut header = vec!["environment".to_string()];
    header.extend(evaluation.errors.iter().map(|(name, _)| shown(name)));
    let mut rows: Vec<Vec<String>> = evaluation
        .environments
        .iter()
        .enumerate()
        .map(|(k, name)| {
            let errors = evaluation.errors.iter().map(|(_, errors)| number(errors[k]));
            std::iter::once(shown(name)).chain(errors).collect()
        })
        .collect();
    type Summary = fn(&[f64]) -> f64;
    let mean: Summary = |errors| errors.iter().sum::<f64>() / errors.len() as f64;
    let worst: Summary = |errors| errors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (label, of) in [("mean of all", mean), ("worst of all", worst)] {
        let values = evaluation.errors.iter().map(|(_, errors)| format!("<strong>{}</strong>", number(of(errors))));
        rows.push(std::iter::once(format!("<strong>{label}</strong>")).chain(values).collect());
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    format!(
        "<p>Measured is the {}: lower is better. A method that can be trusted elsewhere has errors that hardly change. {}</p>\
         <figure>{picture}</figure>{}",
        escape(evaluation.metric),
        escape(evaluation.note),
        table(&header, &rows)
    )
}

/// One picture for screens, and one for phones where that can be read.
fn on_any_screen(name: &str, chart: &dyn Chart, evaluation: &Evaluation) -> String {
    let large = picture(name, chart, WIDE);
    let bars = evaluation.environments.len() * if evaluation.ordered { 1 } else { evaluation.errors.len() };
    if bars > NARROW { wide(&large, WIDE.0, name) } else { by_screen(&large, &picture(name, chart, (PANEL, 260.0))) }
}
