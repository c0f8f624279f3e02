//! How the model on the variables chosen was chosen.

use crate::comparison_page::ways_to_fit;
use crate::page::{explained, table};
use crate::text::{capitalised, escape, number};
use stablevar::fit::FittedModel;

pub(super) fn section(model: &FittedModel) -> String {
    let Some(choice) = &model.refit else { return String::new() };
    let why = escape(&capitalised(&choice.why));
    let mut taken = format!("<p><b>{}</b> is taken. {why}.</p>", escape(&choice.chosen));
    if let Some(honest) = &choice.honest {
        let figures = &honest.figures;
        taken += &format!(
            "<p>The honest estimate, with everything repeated from the selection on: {} {} in cross-validation; in {} regions \
             {:.3} (s.e. {:.3}) of the error of all columns, its worst error over the worst of those {:.3}.</p>",
            escape(&choice.metric),
            number(figures.cv_error),
            honest.regions,
            figures.stress_error,
            figures.standard_error,
            figures.stress_worst
        );
    }
    if choice.candidates.is_empty() {
        return taken;
    }
    let rows: Vec<Vec<String>> = choice
        .candidates
        .iter()
        .map(|candidate| {
            let (figures, name) = (&candidate.figures, escape(&candidate.name));
            vec![
                if candidate.name == choice.chosen { format!("<b>{name}</b>") } else { name },
                candidate.columns.to_string(),
                number(figures.cv_error),
                format!("{:.3}", figures.stress_error),
                format!("{:.3}", figures.standard_error),
                format!("{:.3}", figures.stress_worst),
            ]
        })
        .collect();
    let error = format!("{} in cross-validation", choice.metric);
    let baseline = if model.classes.is_some() { "logistic regression" } else { "least squares" };
    let meanings = [
        ("variables", "How many it uses.".to_string()),
        (error.as_str(), "The error in rows held out at random: how it does where new rows are like these.".into()),
        (
            "under stress",
            "The mean over regions held out whole, each relative to the baseline: below 1 is better. Trees, networks and what goes \
             half-way to trees are tried without fewer regions, so that their figures compare with others only roughly."
                .into(),
        ),
        ("s.e.", "The standard error of that mean.".into()),
        ("worst", "Its largest error in any region, over the baseline's largest.".into()),
    ];
    let meanings: Vec<(&str, String)> = meanings.into_iter().chain(ways_to_fit()).collect();
    let regions: Vec<String> = choice.regions.iter().map(|name| escape(name)).collect();
    format!(
        "{taken}<p>Each way to fit was tried without each of {} {} of the rows in turn, and predicted what was left out: what does well \
         there is likelier to carry over to new places. Errors under stress are relative to those of {baseline} on all columns, so \
         that less than 1 is better. The variables were chosen before, on all rows: where all columns do better here, that is no reason to take \
         them, since a column that misleads elsewhere does not mislead in these rows.</p>{}{}<details><summary>What was held out</summary>\
         <p>{}</p></details>",
        choice.regions.len(),
        choice.held_out(),
        table(&["", "variables", &error, "under stress", "s.e.", "worst"], &rows),
        explained(&meanings),
        regions.join("; ")
    )
}
