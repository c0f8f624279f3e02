//! How to make the page again.

use crate::text::{escape, prose};
use stablevar::fit::FittedModel;

pub(super) fn section(model: &FittedModel, page_command: Option<&str>) -> String {
    let settings = serde_json::to_string_pretty(&model.method).unwrap_or_default();
    let command = |what: &str, command: Option<&str>| match command {
        Some(command) => format!("<dt>{what}</dt><dd><code>{}</code></dd>", prose(command)),
        None => String::new(),
    };
    let fact = |what: &str, value: &str| format!("<dt>{what}</dt><dd>{}</dd>", escape(value));
    let page_version = env!("CARGO_PKG_VERSION");
    let written = if page_version == model.origin.version { String::new() } else { fact("Page by", page_version) };
    format!(
        "<dl class=\"facts\">{}{}{}{}{}{written}</dl><details><summary>All settings of the method</summary><pre>{}</pre></details>",
        command("The model again", model.origin.command.as_deref()),
        command("This page again", page_command),
        fact("Method", model.method.name()),
        fact("Seed", &model.seed.to_string()),
        fact("Version", &format!("stablevar {}", model.origin.version)),
        settings.lines().map(escape).collect::<Vec<_>>().join("\n")
    )
}
