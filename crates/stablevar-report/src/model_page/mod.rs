//! The report page of a model: one self-contained file that tells a colleague who was not there what was found.

mod accuracy;
mod columns;
mod convergence;
mod decorrelation;
mod environments;
mod evaluation;
mod levels;
pub(crate) mod overview;
mod refit;
mod settings;
mod shifts;
mod variables;
mod weights;
mod words;

pub use evaluation::Evaluation;
pub use weights::ShownRows;

use crate::page::moving_document;
use crate::text::shorten_name;
use stablevar::finding::Words;
use stablevar::fit::FittedModel;
use stablevar::wording::Wording;

/// What a page can show beside the model.
#[derive(Debug, Default, Clone, Copy)]
pub struct Extras<'a> {
    /// Errors in several environments.
    pub evaluation: Option<&'a Evaluation<'a>>,
    /// Values of the rows with the largest weights.
    pub rows: Option<&'a ShownRows>,
    /// The command that wrote the page, if it is not the one that made the model.
    pub command: Option<&'a str>,
}

/// The page of a model, in the words of a front end.
pub fn page(model: &FittedModel, extras: Extras, wording: &dyn Wording) -> String {
    let findings: Vec<Words> = model.warnings.iter().map(|finding| finding.words(wording)).collect();
    let curves = model.shift_curves();
    let what = if model.method.seeks_stability() { "Stable variables" } else { "Variables" };
    let title = format!("{what} for {}", shorten_name(&model.target, 60));
    let parts = [
        ("watch", "What to watch out for", overview::warnings(&findings, Some(overview::NOTHING))),
        ("variables", "Variables", variables::section(model)),
        ("evaluation", "Error elsewhere", extras.evaluation.map(evaluation::section).unwrap_or_default()),
        ("refit", "The model on the chosen variables", refit::section(model)),
        ("levels", "Effects of text variables", levels::section(model)),
        ("accuracy", "Predicted and observed", accuracy::section(model)),
        ("environments", "Effects by environment", environments::section(model)),
        ("shifts", "What if a column shifts?", shifts::section(model, &curves, wording)),
        ("weights", "Weights", weights::section(model, extras.rows)),
        ("decorrelation", "Decorrelation", decorrelation::section(model)),
        ("convergence", "Convergence", convergence::section(model)),
        ("columns", "Columns of the table", columns::section(model)),
        ("settings", "Settings", settings::section(model, extras.command)),
        ("words", "Words of this page", words::section(model)),
    ];
    let parts: Vec<_> = parts.into_iter().filter(|(_, _, content)| !content.is_empty()).collect();
    let mut sections =
        vec![overview::answers(model, &findings, curves.as_deref().unwrap_or_default()), contents(&parts)];
    sections.extend(parts.iter().map(|(id, heading, content)| crate::page::section(id, heading, content)));
    moving_document(&title, &sections)
}

fn contents(parts: &[(&str, &str, String)]) -> String {
    let links: String = parts.iter().map(|(id, heading, _)| format!("<a href=\"#{id}\">{heading}</a> ")).collect();
    format!("<nav aria-label=\"Sections\">{links}</nav>")
}
