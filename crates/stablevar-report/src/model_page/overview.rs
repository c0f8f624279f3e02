//! The first screen: what was asked, what was chosen, how sure, what to watch out for.

use super::shifts::most_dangerous;
use super::weights::{role_of_weights, told_without_weight};
use crate::page::name as shown;
use crate::text::{capitalised, count, escape, joined, prose, shorten};
use stablevar::finding::Words;
use stablevar::fit::FittedModel;
use stablevar::foresight::ShiftCurve;
use stablevar::selection::Rule;

/// Names listed before the rest is only counted.
const LISTED: usize = 16;

/// What to do about a finding that needs no remedy.
pub(crate) const NOTHING: &str = "Nothing need be done";

/// Five questions and their answers. Whether it converged is asked where nothing else can be; if it did not, that is to worry about.
pub(super) fn answers(model: &FittedModel, findings: &[Words], curves: &[ShiftCurve]) -> String {
    let fourth = match most_dangerous(model, curves) {
        Some(answer) => ("Where may it fail?", answer),
        None => ("Did it converge?", converged(model)),
    };
    let answers = [
        ("Which variables?", which(model)),
        ("How sure?", how_sure(model)),
        ("How many effective rows?", effective_rows(model)),
        fourth,
        ("What should I worry about?", worries(findings)),
    ];
    let answers: String = answers
        .into_iter()
        .map(|(question, (short, long))| {
            format!("<div><dt>{question}</dt><dd><strong>{short}</strong> <span>{long}</span></dd></div>")
        })
        .collect();
    format!(
        "<section aria-label=\"In short\"><p class=\"lead\">{}</p><dl class=\"answers\">{answers}</dl></section>",
        asked(model)
    )
}

/// Every finding with what it means and what to do; `otherwise` is that where a finding has no remedy of its own.
pub(crate) fn warnings(findings: &[Words], otherwise: Option<&str>) -> String {
    if findings.is_empty() {
        return "<p>Nothing was found that speaks against the result. It still rests on what no table can show: that what acts on the \
                outcome is among the columns, and that whether a row came to be here depended on the columns and not on the outcome \
                itself. A column that decided together with the outcome which rows are here looks stable in them, and so does one that is a result \
                of the outcome, or known only after it: ask how rows and columns came about, and name what you know to be misleading.</p>"
            .into();
    }
    let item = |text: &str| prose(&shorten(&capitalised(text), 400));
    let items: String = findings
        .iter()
        .map(|finding| {
            let own = Some(finding.remedy.as_str()).filter(|remedy| !remedy.is_empty());
            let remedy = own.or(otherwise).map_or(String::new(), |remedy| {
                format!("<br><b>What to do:</b> {}.", item(remedy.trim_end_matches('.')))
            });
            format!(
                "<li><strong>{}.</strong><br><b>What it means:</b> {}.{remedy}</li>",
                item(&finding.what),
                item(&finding.meaning)
            )
        })
        .collect();
    format!("<ul class=\"warnings\">{items}</ul>")
}

fn asked(model: &FittedModel) -> String {
    let (rows, variables, target) = (count(model.rows), model.encoding.features.len(), shown(&model.target));
    if model.method.seeks_stability() {
        format!(
            "Which of {variables} variables can be trusted to predict <em>{target}</em> in other places or times than those \
             where these {rows} rows come from? Some go with it only because of how the rows came about; a model should do \
             without those."
        )
    } else {
        format!(
            "A model of <em>{target}</em> by {}, from {rows} rows and {variables} variables. Whether their relation holds \
             elsewhere was not asked.",
            escape(model.method.name())
        )
    }
}

fn which(model: &FittedModel) -> (String, String) {
    let chosen = &model.selected;
    let of = format!("{} of {}", chosen.len(), model.encoding.features.len());
    // Those that are sure by themselves first.
    let (joining, own): (Vec<usize>, Vec<usize>) = chosen.iter().partition(|&&variable| joined(model, variable));
    let name = |variable: &usize| shown(&model.encoding.features[*variable].name);
    let own = own.iter().map(|variable| format!("<b>{}</b>", name(variable)));
    let joining = joining.iter().map(|variable| format!("{} (joined)", name(variable)));
    let mut listed: Vec<String> = own.chain(joining).take(LISTED).collect();
    if chosen.len() > LISTED {
        listed.push(format!("and <a href=\"#variables\">{} more</a>", chosen.len() - LISTED));
    }
    (of, if listed.is_empty() { "The model predicts the mean.".into() } else { listed.join(", ") })
}

fn how_sure(model: &FittedModel) -> (String, String) {
    let Some(settings) = model.method.loop_settings() else {
        return ("Not asked".into(), format!("{} judges no variable by itself.", escape(model.method.name())));
    };
    let what = match &model.evidence {
        Some(_) => {
            "It is the probability of an effect of its own, in these rows, once all others are known: that holds elsewhere, unless the \
             column is a result of the outcome or the outcome decided which rows are here, which no table shows."
        }
        None => {
            "It is the probability that a variable's gate is open under the last weights. That is not how sure one can be: a \
             wrong variable may have it, too. Only evidence, which was not asked for, tests each variable by itself."
        }
    };
    let by = |a: &&usize, b: &&usize| model.open_probability[**a].total_cmp(&model.open_probability[**b]);
    let others: Vec<usize> =
        (0..model.encoding.features.len()).filter(|variable| !model.selected.contains(variable)).collect();
    let told = |variable: usize| {
        format!("{} ({:.2})", shown(&model.encoding.features[variable].name), model.open_probability[variable])
    };
    let next = others.iter().max_by(by).map(|&variable| told(variable));
    let rule = match settings.rule {
        Rule::Threshold(least) => format!("the cut-off is {}", least.get()),
        Rule::FalseDiscoveryRate(share) => {
            format!("they are chosen so that at most {} % are wrong on average", 100.0 * share.get())
        }
        Rule::Select(most) => format!("the {most} likeliest were asked for"),
    };
    let halves = match &model.selection_frequency {
        Some(share) => {
            let least = model.selected.iter().map(|&variable| share[variable]).fold(1.0, f64::min);
            format!(" In random halves of the rows each was chosen at least {:.0} % of the time.", 100.0 * least)
        }
        None => String::new(),
    };
    let (joining, own): (Vec<usize>, Vec<usize>) =
        model.selected.iter().partition(|&&variable| joined(model, variable));
    let below = match &joining[..] {
        [] => String::new(),
        some => format!(
            " Joined, for the prediction alone: {}.",
            some.iter().map(|&variable| told(variable)).collect::<Vec<String>>().join(", ")
        ),
    };
    match (own.iter().min_by(by), next) {
        (Some(&least), next) => {
            let next = next.map_or(String::new(), |next| format!("; the likeliest left out is {next}"));
            let lowest = model.open_probability[least];
            let (words, shown) = if lowest > 0.995 { ("above", 0.99) } else { ("at least", lowest) };
            let of_how_many = match joining.len() {
                0 => String::new(),
                _ => format!(" for {} of {}", own.len(), model.selected.len()),
            };
            let of = if model.evidence.is_some() { "Probability" } else { "Only by gates, open with a probability" };
            (
                format!("{of} {words} {shown:.2}{of_how_many}"),
                format!("The least certain of them is {}{next}; {rule}.{below} {what}{halves}", told(least)),
            )
        }
        (None, next) => (
            "None is likely enough by itself".into(),
            format!("The likeliest left out is {}; {rule}.{below}", next.unwrap_or_else(|| "none".into())),
        ),
    }
}

fn effective_rows(model: &FittedModel) -> (String, String) {
    let size = model.effective_sample_size;
    let of = format!("{} of {}", count(size.round() as usize), count(model.rows));
    let per_column = size / model.encoding.columns.len() as f64;
    let verdict = match per_column {
        ample if ample >= 20.0 => "ample",
        enough if enough >= 5.0 => "enough",
        _ => "few",
    };
    let long = match model.diagnostics.weights {
        Some(_) => format!(
            "So many equal rows have the information that is left under the <a href=\"#weights\">weights</a>, which is {verdict} for {} \
             columns.{} {}",
            model.encoding.columns.len(),
            told_without_weight(model),
            role_of_weights(model)
        ),
        None => "All rows count alike.".into(),
    };
    (of, long)
}

fn converged(model: &FittedModel) -> (String, String) {
    let answer = if model.converged { "Yes" } else { "No" };
    (answer.into(), format!("{}.", escape(&capitalised(&model.stop_reason))))
}

fn worries(findings: &[Words]) -> (String, String) {
    let things = match findings.len() {
        0 => return ("Nothing found".into(), "See <a href=\"#watch\">what the result rests on</a>.".into()),
        1 => "1 thing".into(),
        many => format!("{many} things"),
    };
    // Of what is long the details stand below.
    let in_short = |what: &str| match what.split_once(": ").filter(|_| what.chars().count() > 60) {
        Some((short, _)) => short.to_string(),
        None => shorten(what, 90),
    };
    let mut told: Vec<String> = findings.iter().take(3).map(|finding| prose(&in_short(&finding.what))).collect();
    if findings.len() > 3 {
        told.push(format!("{} more", findings.len() - 3));
    }
    (things, format!("{}. <a href=\"#watch\">What they mean and what to do</a>.", told.join("; ")))
}
