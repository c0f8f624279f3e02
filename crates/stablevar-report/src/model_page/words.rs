//! The words of the page, for a reader who is no statistician.

use crate::text::p_value;
use stablevar::fit::FittedModel;

pub(super) fn section(model: &FittedModel) -> String {
    let words = [
        ("Stable", "A variable is stable if, once all the others are known, the outcome still depends on it. What such a variable tells holds \
          elsewhere as long as only the rows' make-up changes; what others tell may be due to how these rows were selected.".to_string()),
        ("Probability", probability(model)),
        ("p-value", "How rarely chance alone would give evidence as strong as this, if the variable had no effect of its own. It is not the \
          probability that it has none.".into()),
        ("Effect given all others", "By how much the outcome changes with one unit of the variable while every other column stays as it is. \
          s.e. is its standard error, t is effect over standard error.".into()),
        ("Partial correlation", "The correlation of what the other columns leave of the variable with what they leave of the outcome: an \
          effect without units, between -1 and 1.".into()),
        ("Weights, effective rows", "Weights count some rows more than others, so that columns go together less than they do here; how much less, the picture of correlations shows. \
          The more unequal they are, the fewer equal rows have as much information: the effective rows.".into()),
        ("Gate", "A switch per variable that is opened only if what it brings is worth a cost. Gates steer the search for weights; they choose \
          the variables only where no evidence was asked for.".into()),
        ("Held out", "Predicted by a model that was fitted without these rows.".into()),
        ("Under stress", "Held out is a whole region of the table, such as the rows with the largest values of a column: that is more like a \
          new place than rows at random.".into()),
        ("Oracle", "On pages with simulated data: least squares on exactly the variables that determine the outcome. It is what one would \
          have by choosing rightly, not a bound: where the bias is as in training, methods that use the biased column can do better.".into()),
    ];
    let terms: String = words.iter().map(|(word, meaning)| format!("<dt>{word}</dt><dd>{meaning}</dd>")).collect();
    format!("<dl class=\"facts prose\">{terms}</dl>")
}

/// What the probability is, with the evidence that it takes here.
fn probability(model: &FittedModel) -> String {
    let settings = model.method.loop_settings();
    let (Some(evidence), Some(how)) = (&model.evidence, settings.and_then(|settings| settings.evidence())) else {
        return "Of a gate: how likely it is open under the last weights. It overstates how sure one can be.".into();
    };
    let mut rows: Vec<f64> = evidence.iter().map(|variable| variable.effective_sample_size).collect();
    rows.sort_by(f64::total_cmp);
    let variables = model.encoding.features.len();
    let (t, p) = how.needed(variables, rows[rows.len() / 2], 0.5);
    let prior = how.prior_for(variables);
    format!(
        "How likely it is, given these rows, that a variable has an effect of its own. It is stricter than a p-value: before the data are seen \
         a variable is given a chance of {prior:.2}, more rows must show more, and a correlation as small as imperfect regressions leave counts \
         for nothing. One half takes a t of about {t:.1} here, which is a p-value of {}; so a p-value of 0.01 can go with a low probability. It \
         is lowered further where the evidence is not settled.",
        p_value(p)
    )
}
