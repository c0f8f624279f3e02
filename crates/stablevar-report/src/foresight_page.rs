//! The page about new rows: which columns drifted, and the error to expect.

use crate::chart::{Forest, Interval, LABEL, PANEL, picture};
use crate::model_page::overview::{NOTHING, warnings};
use crate::page::{TableCell, explained, moving_document, name as shown, panels, section, sortable_table};
use crate::text::{capitalised, count, escape, labels, number, p_value, prose, shorten_name};
use stablevar::finding::Words;
use stablevar::fit::FittedModel;
use stablevar::foresight::{ColumnDrift, Foresight, Trust};
use stablevar::wording::Wording;

/// Columns in the picture at most; the table has all.
const PICTURED: usize = 30;

/// The page, in the words of a front end.
pub fn page(model: &FittedModel, foresight: &Foresight, wording: &dyn Wording, command: Option<&str>) -> String {
    let findings: Vec<Words> = foresight.findings.iter().map(|finding| finding.words(wording)).collect();
    let made = command.map(|command| format!("<p>Made by <code>{}</code></p>", prose(command))).unwrap_or_default();
    let sections = [
        answers(model, foresight),
        section("watch", "What to watch out for", &watch(foresight, &findings)),
        section("drift", "Which columns drifted?", &drift(model, foresight)),
        made,
    ];
    moving_document(&format!("What to expect of {} on new rows", shorten_name(&model.target, 60)), &sections)
}

fn watch(foresight: &Foresight, findings: &[Words]) -> String {
    // Where no error can be foreseen, that nothing need be done about one of the reasons would be a lie.
    let otherwise = (foresight.trust != Trust::No).then_some(NOTHING);
    let unseen = "<p>What columns can't show is a changed relation: the same columns may go with other outcomes than in training. \
                  Only outcomes tell.</p>";
    let told = if findings.is_empty() { String::new() } else { warnings(findings, otherwise) };
    format!("{told}{unseen}")
}

fn answers(model: &FittedModel, foresight: &Foresight) -> String {
    let expected = match (foresight.expected_error, foresight.interval) {
        (Some(error), Some((low, high))) => (
            number(error),
            format!(
                "with a chance of 90 % between {} and {}, as relations change on real tables",
                number(low),
                number(high)
            ),
        ),
        _ => ("can't be told".into(), "training has too few rows like these".into()),
    };
    let remembered = model.memory.as_ref().map_or(0, |memory| memory.rows());
    let answers = [
        ("The error here?", expected),
        ("In training?", (number(foresight.training_error), "on rows that the model had not seen".into())),
        (
            "How many training rows are like these?",
            (
                format!("{:.0}", foresight.effective_sample_size),
                format!("effective rows of {} that are remembered", count(remembered)),
            ),
        ),
        (
            "How much is new?",
            (
                format!("{:.1} %", 100.0 * foresight.outside_share),
                "of the rows lie outside what training saw, in columns that the model uses".into(),
            ),
        ),
        (
            "Can it be trusted?",
            (foresight.trust.words().into(), format!("{}.", escape(&capitalised(&foresight.advice)))),
        ),
    ];
    let answers: String = answers
        .into_iter()
        .map(|(question, (short, long))| {
            format!("<div><dt>{question}</dt><dd><strong>{short}</strong> <span>{long}</span></dd></div>")
        })
        .collect();
    format!(
        "<section aria-label=\"In short\"><p class=\"lead\">{} new rows without outcomes. Errors are the {}.</p>\
         <dl class=\"answers\">{answers}</dl></section>",
        count(foresight.rows),
        foresight.metric.label()
    )
}

fn drift(model: &FittedModel, foresight: &Foresight) -> String {
    let half = 1.96 * (1.0 / model.rows as f64 + 1.0 / foresight.rows as f64).sqrt();
    let pictured: Vec<&ColumnDrift> = foresight.drift.iter().take(PICTURED).collect();
    let names: Vec<String> = pictured.iter().map(|column| named(column)).collect();
    let short = labels(names.iter().map(String::as_str), LABEL);
    let row = |(column, (name, label)): (&&ColumnDrift, (&String, String))| Interval {
        name: name.clone(),
        label,
        value: column.standardised_difference,
        half,
        emphasised: column.used,
    };
    let rows = pictured.iter().zip(names.iter().zip(short)).map(row).collect();
    let forest = Forest::new("standard deviations moved", rows).parts();
    let what = "How far the mean of every column has moved";
    let drawn: Vec<String> = forest.iter().map(|part| picture(what, part, (PANEL, part.height()))).collect();
    let picture = panels(&drawn);
    let meanings = [
        ("used", "Whether the model rests on it.".to_string()),
        ("training, new", "Its mean in either; of text the share of the level that changed most.".into()),
        ("s.d. moved", "How far the mean has moved, in standard deviations of training.".into()),
        ("spread", "The new standard deviation as a multiple of that in training.".into()),
        (
            "test, p-value",
            "Whether the two are spread alike, by the test named; how rarely chance alone gives as large a difference."
                .into(),
        ),
        ("outside, missing", "The share of the new rows beyond what training saw, and without a value.".into()),
    ];
    let header = ["column", "used", "training", "new", "s.d. moved", "spread", "test", "p-value", "outside", "missing"];
    let rows: Vec<Vec<TableCell>> = foresight.drift.iter().map(cells).collect();
    format!(
        "<p>Columns that the model rests on come first, by how far they moved times the share of their slopes in it. Of text, the level whose share \
         has changed most.</p><figure>{picture}<figcaption>Columns that the model uses in blue, the others in grey; intervals of 95 % \
         for samples of these sizes, which may be too short to be seen.</figcaption></figure>{}{}",
        sortable_table("drift-table", "All columns", &header, &rows),
        explained(&meanings)
    )
}

fn named(column: &ColumnDrift) -> String {
    column.level.as_ref().map_or_else(|| column.name.clone(), |level| format!("{}={level}", column.name))
}

fn cells(column: &ColumnDrift) -> Vec<TableCell> {
    let value = |value: f64| TableCell::number(number(value), value);
    let share = |share: f64| TableCell::number(format!("{:.1} %", 100.0 * share), share);
    let levels = if column.new_levels.is_empty() {
        String::new()
    } else {
        let names: Vec<String> = column.new_levels.iter().map(|level| shown(level)).collect();
        format!("<br>new: {}", names.join(", "))
    };
    let spread = column
        .spread_ratio
        .map_or_else(|| TableCell::number("–".into(), 0.0), |ratio| TableCell::number(format!("× {ratio:.2}"), ratio));
    vec![
        TableCell::text(format!("{}{levels}", shown(&named(column)))),
        TableCell::text(if column.used { "yes" } else { "no" }.into()),
        value(column.training_mean),
        value(column.new_mean),
        TableCell::number(format!("{:+.2}", column.standardised_difference), column.standardised_difference.abs()),
        spread,
        TableCell::text(format!(
            "{} {:.3}",
            if column.test == "kolmogorov-smirnov" { "Kolmogorov-Smirnov" } else { column.test },
            column.statistic
        )),
        TableCell::number(p_value(column.p_value), column.p_value),
        share(column.outside_share),
        share(column.missing_share),
    ]
}
