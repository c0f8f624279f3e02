//! The page of a comparison: one self-contained file.

use crate::chart::{Axis, Frontier, Placement, Scale, picture};
use crate::page::{explained, moving_document, section, table, wide};
use crate::text::{count, escape, number, prose, shorten, shorten_name};
use stablevar::comparison::{Compared, Comparison};

/// What the names of ways to fit mean.
pub(crate) fn ways_to_fit() -> [(&'static str, String); 7] {
    [
        ("robust", "Least squares in which outcomes far from the rest count as less far (Huber's regression).".into()),
        (
            "weights at ridge",
            "Rows are weighed so that columns correlate less, the more the smaller the figure.".into(),
        ),
        ("half-way to trees", "Predictions are the mean of that fit's and of boosted trees'.".into()),
        (
            "within outcomes seen",
            "No prediction lies beyond the least and the greatest outcome of the rows fitted.".into(),
        ),
        ("far values drawn in", "Values far out in a column count as less far.".into()),
        (
            "half-way to all columns",
            "Where the chosen variables do not predict as well as all, the straight line is the mean of that on them and of one on all \
             columns."
                .into(),
        ),
        (
            "all columns, trees, network",
            "Shown beside and not taken: a misleading column is at its best in regions of the same rows, and what trees and networks gain \
             there was often lost in new places."
                .into(),
        ),
    ]
}

/// The page that shows ways of fitting side by side.
pub fn page(compared: &Comparison, target: &str, command: &str) -> String {
    let rows: Vec<Vec<String>> = compared.candidates.iter().map(|candidate| row(compared, candidate)).collect();
    let error = format!("{} in cross-validation", compared.metric);
    let header = ["", "variables", &error, "under stress", "s.e.", "worst", "seconds"];
    let regions: String =
        compared.regions.iter().map(|name| format!("<li>{}</li>", escape(&shorten(name, 80)))).collect();
    let baseline = compared.candidates.first().map_or("the baseline", |first| &first.name);
    let meanings = [
        (error.as_str(), "In rows held out at random: how it does where new rows are like these.".to_string()),
        (
            "under stress",
            format!("The mean over regions held out whole, each relative to {baseline}: below 1 is better."),
        ),
        ("s.e.", "The standard error of that mean.".into()),
        ("worst", format!("Its largest error in any region, over the largest of {baseline}.")),
        ("seconds", "What one fit to all rows took; of svi that of all ways together.".into()),
    ];
    let meanings: Vec<(&str, String)> = meanings.into_iter().chain(ways_to_fit()).collect();
    let notes: String = compared
        .candidates
        .iter()
        .filter(|candidate| !candidate.note.is_empty())
        .map(|candidate| format!("<p>{}: {}.</p>", escape(&candidate.name), escape(&candidate.note)))
        .collect();
    let sections = [
        format!("<p><b>{}</b> is taken: {}.</p>", escape(&compared.chosen), escape(&compared.why)),
        section("frontier", "Error here against error under stress", &chart(compared)),
        section("figures", "Figures", &format!("{}{}{notes}", table(&header, &rows), explained(&meanings))),
        section(
            "regions",
            "Regions held out",
            &format!(
                "<p>{} rows. Each of these regions was held out whole; the model was fitted to the other rows and predicted the \
                 region.</p><ul>{regions}</ul><p><code>{}</code></p>",
                count(compared.rows),
                prose(command)
            ),
        ),
    ];
    moving_document(&format!("Ways to predict {}", shorten_name(target, 60)), &sections)
}

/// Error in cross-validation against error under stress, with the frontier between them.
pub fn chart(compared: &Comparison) -> String {
    let point = |candidate: &Compared| {
        let chosen = candidate.name == compared.chosen;
        let own = candidate.name.contains(": ");
        Placement {
            name: candidate.name.clone(),
            x: candidate.figures.cv_error,
            y: candidate.figures.stress_error,
            half: candidate.figures.stress_error * candidate.figures.standard_error,
            colour: if chosen {
                0
            } else if own {
                4
            } else {
                1
            },
            named: chosen || !own,
        }
    };
    let mut frontier = Frontier {
        x: Axis::new(format!("{} in cross-validation", compared.metric), Scale::Linear),
        y: Axis::new("error under stress, relative to the baseline", Scale::Linear),
        points: compared.candidates.iter().map(point).collect(),
    };
    let unbeaten = frontier.unbeaten();
    unbeaten.iter().for_each(|&k| frontier.points[k].named = true);
    let best = match &unbeaten[..] {
        [one] => format!("nothing beats {} in both", escape(&compared.candidates[*one].name)),
        _ => "nothing beats those on the dashed line in both".into(),
    };
    let name = "Error in cross-validation against error under stress";
    format!(
        "<p>To the left is better where new rows are like these; down is better where they are not. Blue is what is taken, orange other methods, grey other ways to fit \
         the chosen variables, or, named so, all columns; bars are a standard error to either side; {best}.</p><figure>{}</figure>",
        wide(&picture(name, &frontier, (720.0, 380.0)), 720.0, name)
    )
}

fn row(compared: &Comparison, candidate: &Compared) -> Vec<String> {
    let figures = &candidate.figures;
    let name = escape(&shorten(&candidate.name, 200));
    vec![
        if candidate.name == compared.chosen { format!("<b>{name}</b>") } else { name },
        candidate.columns.to_string(),
        number(figures.cv_error),
        format!("{:.3}", figures.stress_error),
        format!("{:.3}", figures.standard_error),
        format!("{:.3}", figures.stress_worst),
        format!("{:.2}", candidate.seconds),
    ]
}
