//! What the core knows of methods, settings and findings, for the Python side and the docs to be made from.

use crate::model::to_json;
use crate::wording::Parameters;
use pyo3::prelude::*;
use serde_json::{Value as Json, json};
use stablevar::estimator::{Estimator, Kind, Range, SETTINGS, Setting, Twin};
use stablevar::finding::Code;
use stablevar::method::PRESETS;
use stablevar::weights::AnyReweighter;
use stablevar::wording::{Plain, Wording};

fn kind(kind: &Kind) -> Json {
    match kind {
        Kind::Number(Range::Positive) => json!({"kind": "number", "range": "(0, inf)"}),
        Kind::Number(Range::NonNegative) => json!({"kind": "number", "range": "[0, inf)"}),
        Kind::Number(Range::Fraction) => json!({"kind": "number", "range": "[0, 1]"}),
        Kind::Count(least, most) => json!({"kind": "count", "range": counts(*least, *most)}),
        Kind::Counts(least, most) => json!({"kind": "counts", "range": counts(*least, *most)}),
        Kind::Choice(names) => json!({"kind": "choice", "choices": names()}),
        Kind::Column => json!({"kind": "column"}),
        Kind::Columns => json!({"kind": "columns"}),
        Kind::Bytes => json!({"kind": "bytes"}),
    }
}

fn counts(least: u64, most: u64) -> String {
    if most == u64::MAX { format!("[{least}, inf)") } else { format!("[{least}, {most}]") }
}

fn told(setting: &Setting) -> Json {
    json!({
        "name": setting.name,
        "python": setting.python_name(),
        "instead": if let Twin::Instead(what) = setting.python { Some(what) } else { None },
        "help": setting.help,
        "value": kind(&setting.kind),
        "auto": setting.auto,
        "applies_to": setting.applies_to,
        "instead_of": setting.instead_of,
        "old_names": setting.old_names,
        "group": setting.group.heading(),
        "defaults": PRESETS
            .iter()
            .filter(|preset| setting.applies(&Estimator::of(preset)) || setting.is_parameter_of(preset))
            .map(|preset| (preset.name.to_string(), json!(setting.default_of(preset))))
            .collect::<serde_json::Map<_, _>>(),
    })
}

/// Methods, reweighters, settings and findings as JSON.
#[pyfunction]
pub(crate) fn catalogue() -> PyResult<String> {
    let presets = PRESETS.iter().map(|preset| {
        let parameters = SETTINGS.iter().filter(|setting| setting.is_parameter_of(preset)).map(|setting| setting.name);
        json!({
            "name": preset.name,
            "summary": preset.summary,
            "tasks": preset.method().tasks(),
            "python": preset.python,
            "stages": preset.method().stages(),
            "parameters": parameters.collect::<Vec<_>>(),
        })
    });
    let reweighters = AnyReweighter::KINDS.iter().map(|known| {
        let alone = Estimator::new("dwr").and_then(|dwr| dwr.set("reweighter", known.name));
        let own = |setting: &&Setting| setting.applies_to.contains(&known.name);
        let parameters = SETTINGS.iter().filter(own).map(|setting| {
            let default = alone.as_ref().ok().and_then(|alone| setting.get(alone));
            json!({"name": setting.name, "default": default})
        });
        json!({"name": known.name, "summary": known.help, "parameters": parameters.collect::<Vec<_>>()})
    });
    struct Shell;
    impl Wording for Shell {
        fn setting(&self, name: &str, value: Option<&str>) -> String {
            value.map_or_else(|| format!("`--{name}`"), |value| format!("`--{name} {value}`"))
        }
    }
    let findings = Code::ALL.iter().map(|code| {
        let template = code.template();
        json!({
            "code": template.code,
            "what": template.in_words(template.what, &Shell),
            "meaning": template.in_words(template.meaning, &Plain),
            "shell": template.in_words(template.remedy, &Shell),
            "python": template.in_words(template.remedy, &Parameters),
        })
    });
    to_json(&json!({
        "presets": presets.collect::<Vec<_>>(),
        "reweighters": reweighters.collect::<Vec<_>>(),
        "settings": SETTINGS.iter().map(told).collect::<Vec<_>>(),
        "findings": findings.collect::<Vec<_>>(),
    }))
}
