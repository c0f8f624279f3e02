//! What the user should watch out for after a fit.

use super::FittedModel;
use crate::finding::Finding;
use crate::linalg::Matrix;

/// Everything to watch out for; `total` is the rows' base weight, `share` that of the second class.
pub(super) fn findings(model: &FittedModel, total: f64, share: f64, separated: bool) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(of_the_search(model));
    found.extend(of_the_weights(model, total));
    found.extend(of_the_evidence(model));
    found.extend(of_the_model(model, share, separated));
    found.extend(of_the_theorem(model));
    found
}

fn of_the_search(model: &FittedModel) -> Vec<Finding> {
    let mut found = Vec::new();
    if !model.converged {
        found.push(Finding::new(
            format!("not converged: {}", model.stop_reason),
            "another run with more steps may end elsewhere",
            "Compare with a run that is allowed more of them, or with another seed",
        ));
    }
    if model.selected.is_empty() {
        found.push(if model.evidence.is_some() {
            Finding::new(
                "no variable was selected",
                "none shows an effect beyond chance once the others are known, so the model predicts the mean",
                "Use more rows, or a lower --threshold, or --select to name the likeliest",
            )
        } else {
            Finding::new(
                "no variable was selected",
                "the model predicts the mean",
                "Use more rows or a smaller --lambda-factor",
            )
        });
    }
    found
}

fn of_the_weights(model: &FittedModel, total: f64) -> Vec<Finding> {
    let Some(left) = model.diagnostics.remaining_correlation else { return Vec::new() };
    let mut found = Vec::new();
    let size = model.effective_sample_size;
    let initial = strongest_correlation(&model.initial_correlations);
    if size > 0.99 * total && initial > 0.1 {
        found.push(Finding::new(
            format!("the weights are almost uniform though columns correlate by up to {initial:.2}"),
            "nothing was decorrelated",
            "Use more rows for so many columns, or check --sigma and --lambda",
        ));
    } else if size < 0.05 * total || size < 5.0 * model.encoding.columns.len() as f64 {
        found.push(Finding::new(
            format!("the weights rest on few rows: {size:.0} effective of {total:.0}"),
            "what is computed under them, the gates and the remaining correlations, is as uncertain as in so small a sample",
            "Use more rows, or leave out columns that move together",
        ));
    }
    if let Some((i, j)) = model.diagnostics.remaining_pair.filter(|_| left > 0.1) {
        let [first, second] = [i, j].map(|column| &model.encoding.columns[column].name);
        found.push(Finding::new(
            format!("'{first}' and '{second}' still correlate by {left:.2} under the weights"),
            if model.evidence.is_some() {
                "the weights can't tell these two apart; the choice does not rest on the weights but on each variable's own \
                 evidence"
            } else {
                "one of them can pass for the other, so the choice between them is uncertain"
            },
            "Use more rows, or leave one of the two out",
        ));
    }
    found
}

fn of_the_evidence(model: &FittedModel) -> Vec<Finding> {
    let (Some(_), Some(settings)) = (&model.evidence, model.method.loop_settings()) else { return Vec::new() };
    let mut found = Vec::new();
    let (columns, most) = (model.encoding.columns.len(), settings.evidence.map_or(usize::MAX, |how| how.rows));
    let used = model.rows.min(most);
    if model.rows > most {
        found.push(Finding::new(
            format!("the evidence rests on {most} of the {} rows, drawn at random", model.rows),
            "weak effects may be missed that all rows would show",
            "--evidence-rows takes more of them, at a cost in time",
        ));
    }
    if 10 * columns > used {
        found.push(Finding::new(
            format!("{columns} columns (after encoding) are many for {used} rows"),
            "p-values may be too small and a variable may be selected by chance",
            "Use more rows, leave columns out, or look at --resamples",
        ));
    }
    found
}

fn of_the_model(model: &FittedModel, share: f64, separated: bool) -> Vec<Finding> {
    let mut found = Vec::new();
    if separated {
        found.push(Finding::new(
            "the selected variables tell the two classes apart without error",
            "their coefficients have no finite best value; a small ridge holds them",
            "Is one of them a consequence of the target? Then leave it out",
        ));
    }
    if let Some(classes) = model.classes.as_ref().filter(|_| !(0.05..=0.95).contains(&share)) {
        let rare = if share < 0.5 { &classes[1] } else { &classes[0] };
        found.push(Finding::new(
            format!("only {:.1} % of the rows are '{rare}'", 100.0 * share.min(1.0 - share)),
            "a model that never predicts it has a low error rate, too",
            "Judge the model by its probabilities (log loss, AUC) rather than by its error rate",
        ));
    }
    let coefficients = model.model.coefficients(&model.encoding);
    for column in model.selected_columns().into_iter().filter(|&column| !coefficients[column].is_finite()) {
        found.push(Finding::new(
            format!("the coefficient of '{}' is beyond the range of numbers", model.encoding.columns[column].name),
            "it can't be shown",
            "Give the column or the target other units",
        ));
    }
    found
}

fn of_the_theorem(model: &FittedModel) -> Option<Finding> {
    let condition = model.diagnostics.condition_after.as_ref().filter(|condition| condition.largest >= 1.0)?;
    let (column, value) =
        condition.values.iter().copied().fold((0, 0.0), |most, pair| if pair.1 > most.1 { pair } else { most });
    Some(Finding::new(
        format!("'{}', which is left out, may be judged wrongly", model.encoding.columns[column].name),
        format!("the paper's check for variables left out (Theorem 1) gives {value:.2} for it and should be below 1"),
        "Ask someone who knows the field whether it can act on the outcome by itself",
    ))
}

/// The largest absolute correlation of two different columns.
fn strongest_correlation(correlations: &Matrix) -> f64 {
    let size = correlations.rows();
    let pairs = (0..size).flat_map(|j| (0..j).map(move |i| (i, j)));
    pairs.map(|pair| correlations[pair].abs()).fold(0.0, f64::max)
}
