//! What the model predicts for rows that it has not seen, against what was observed.

use crate::chart::{Axis, Chart, Density, Histogram, PANEL, Scale, figure};
use crate::page::panels;
use crate::text::{count, escape, number, shorten_name};
use stablevar::fit::FittedModel;

/// The share of the rows that is drawn at the edge, at either end: a few far ones would press the others together.
const FAR: f64 = 0.005;
/// Groups of rows by their prediction, of which means are shown.
const GROUPS: usize = 10;
/// Bars of a histogram.
const BARS: usize = 24;
const HEIGHT: f64 = 230.0;

/// A remembered row: predicted, observed, base weight.
type Pair = (f64, f64, f64);

pub(super) fn section(model: &FittedModel) -> String {
    let Some(memory) = &model.memory else { return String::new() };
    let pairs = memory.predicted().iter().zip(memory.outcome()).zip(memory.base());
    let pairs: Vec<Pair> = pairs.map(|((&predicted, &observed), &base)| (predicted, observed, base)).collect();
    if pairs.iter().map(|pair| pair.2).sum::<f64>() <= 0.0 {
        return String::new();
    }
    let rows = match pairs.len() {
        some if some < model.rows => format!("Each of {} of the rows", count(some)),
        _ => "Every row".into(),
    };
    match &model.classes {
        None => numbers(&pairs, &rows),
        Some(classes) => classes_told(&pairs, &rows, classes),
    }
}

fn mean(pairs: &[Pair], value: impl Fn(&Pair) -> f64) -> f64 {
    let total: f64 = pairs.iter().map(|pair| pair.2).sum();
    pairs.iter().map(|pair| pair.2 * value(pair)).sum::<f64>() / total
}

/// Values between which all but the farthest lie.
fn bulk(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1) as f64;
    (values[(FAR * last).ceil() as usize], values[((1.0 - FAR) * last).floor() as usize])
}

/// Rows in groups by their prediction: mean prediction, mean of a value, and two standard errors of that.
fn by_prediction(pairs: &[Pair], value: impl Fn(&Pair) -> f64) -> Vec<(f64, f64, f64)> {
    let mut order = pairs.to_vec();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let size = order.len().div_ceil(GROUPS).max(1);
    let group = |group: &[Pair]| {
        let middle = mean(group, &value);
        let spread = mean(group, |pair| (value(pair) - middle).powi(2)) / (group.len() as f64 - 1.0).max(1.0);
        (mean(group, |pair| pair.0), middle, 2.0 * spread.sqrt())
    };
    order.chunks(size).filter(|pairs| pairs.iter().any(|pair| pair.2 > 0.0)).map(group).collect()
}

fn drawn(charts: &[(&str, &dyn Chart)]) -> String {
    let pictures: Vec<String> =
        charts.iter().map(|panel| figure(panel.0, "", &[(panel.0, panel.1)], 1, (PANEL, HEIGHT))).collect();
    panels(&pictures)
}

fn numbers(pairs: &[Pair], rows: &str) -> String {
    let observed = mean(pairs, |pair| pair.1);
    let (error, variance) =
        (mean(pairs, |pair| (pair.1 - pair.0).powi(2)), mean(pairs, |pair| (pair.1 - observed).powi(2)));
    let explained = if variance > 0.0 { 1.0 - error / variance } else { 0.0 };
    let (low, high) = bulk(pairs.iter().flat_map(|pair| [pair.0, pair.1]).collect());
    let (below, above) = bulk(pairs.iter().map(|pair| pair.1 - pair.0).collect());
    let (from, to) = bulk(pairs.iter().map(|pair| pair.0).collect());
    let against = Density {
        x: Axis::new("predicted", Scale::Linear),
        y: Axis::new("observed", Scale::Linear),
        points: pairs.iter().map(|pair| (pair.0.clamp(low, high), pair.1.clamp(low, high), pair.2)).collect(),
        expected: [(low, low), (high, high)],
        means: by_prediction(pairs, |pair| pair.1.clamp(low, high)),
    };
    let left = Density {
        x: Axis::new("predicted", Scale::Linear),
        y: Axis::new("observed minus predicted", Scale::Linear),
        points: pairs
            .iter()
            .map(|pair| (pair.0.clamp(from, to), (pair.1 - pair.0).clamp(below, above), pair.2))
            .collect(),
        expected: [(from, 0.0), (to, 0.0)],
        means: by_prediction(pairs, |pair| (pair.1 - pair.0).clamp(below, above)),
    };
    let residuals =
        equal_bins(pairs.iter().map(|pair| pair.1 - pair.0), (below, above), "observed minus predicted", Some(0.0));
    format!(
        "<p>{rows} was predicted by a model that had not seen it (the same variables, four fifths of the rows). \
         The typical error (root mean square) is <b>{}</b>; {} % of the outcome's variance is explained. That is how it does among rows like \
         these: elsewhere see <a href=\"#shifts\">what if a column shifts</a>.</p><figure>{}<figcaption>Stronger colour is more rows. \
         Rows should lie around the dashed line; orange are means of ten groups of rows by their prediction, with two standard errors. \
         Where orange leaves the dashed line, the model is bent the wrong way; where the squares fan out, its errors grow. The farthest \
         {} % at either end are drawn at the edge.</figcaption></figure>",
        number(error.sqrt()),
        format_args!("{:.0}", 100.0 * explained),
        drawn(&[("Predicted and observed", &against), ("What is left", &left), ("How large errors are", &residuals)]),
        100.0 * FAR
    )
}

fn equal_bins(
    values: impl Iterator<Item = f64>,
    (low, high): (f64, f64),
    what: &str,
    marked: Option<f64>,
) -> Histogram {
    let width = if high > low { (high - low) / BARS as f64 } else { 1.0 };
    let mut counts = vec![0; BARS];
    for value in values {
        counts[(((value - low) / width).max(0.0) as usize).min(BARS - 1)] += 1;
    }
    Histogram {
        values: Axis::new(what, Scale::Linear),
        counted: "rows".into(),
        edges: (0..=BARS).map(|k| low + width * k as f64).collect(),
        counts,
        marked,
        first_is_cut: false,
    }
}

fn classes_told(pairs: &[Pair], rows: &str, [first, second]: &[String; 2]) -> String {
    let wrong = mean(pairs, |pair| f64::from((pair.0 >= 0.5) != (pair.1 >= 0.5)));
    let share = mean(pairs, |pair| pair.1);
    let says = format!("probability of {}", shorten_name(second, 20));
    let calibration = Density {
        x: Axis::new(says.clone(), Scale::FromZero),
        y: Axis::new("share observed", Scale::FromZero),
        points: Vec::new(),
        expected: [(0.0, 0.0), (1.0, 1.0)],
        means: by_prediction(pairs, |pair| pair.1),
    };
    let of_class = |is_second: bool| {
        let rows = pairs.iter().filter(|pair| (pair.1 >= 0.5) == is_second);
        equal_bins(rows.map(|pair| pair.0), (0.0, 1.0), &says, Some(0.5))
    };
    let (of_first, of_second) = (of_class(false), of_class(true));
    let names = [first, second].map(|class| format!("Rows that are {}", shorten_name(class, 24)));
    let told = escape(&shorten_name(second, 40));
    format!(
        "<p>{rows} was predicted by a model that had not seen it (the same variables, four fifths of the rows). \
         <b>{:.1} %</b> fall on the wrong side of one half; always saying the more frequent class would be wrong for {:.1} %. On average \
         the probability of {told} is {:.3}, and its share {:.3}. That is how it does among rows like these.</p><figure>{}<figcaption>\
         First: ten groups of rows by their probability, against the share that is {told}, with two standard errors. On the dashed \
         line probabilities can be taken at their word. The others: how the two classes are told apart.</figcaption></figure>",
        100.0 * wrong,
        100.0 * share.min(1.0 - share),
        mean(pairs, |pair| pair.0),
        share,
        drawn(&[("Predicted and observed", &calibration), (&names[0], &of_first), (&names[1], &of_second)])
    )
}
