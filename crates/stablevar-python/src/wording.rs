//! Settings as Python's users write them, and names as they are shown.

use pyo3::prelude::*;
use stablevar::design::Task;
use stablevar::estimator::{Twin, setting};
use stablevar::method::preset;
use stablevar::wording::Wording;

/// Parameters of the classes, and what does the same where there is none.
pub(crate) struct Parameters;

impl Wording for Parameters {
    fn setting(&self, name: &str, value: Option<&str>) -> String {
        match (name, value.map(preset)) {
            ("target", _) => return "y".into(),
            ("method", Some(Ok(preset))) => {
                let kind = |task: &Task| if *task == Task::Regression { "Regressor" } else { "Classifier" };
                let classes = preset.tasks.iter().map(|task| format!("{}{}", preset.python, kind(task)));
                return classes.collect::<Vec<_>>().join(" or ");
            }
            _ => {}
        }
        let Some(setting) = setting(name) else { return name.replace('-', "_") };
        match (setting.python, setting.python_name(), value) {
            (Twin::Instead(what), ..) => what.into(),
            (_, Some(parameter), Some(value)) => format!("{parameter}={value:?}"),
            (_, parameter, _) => parameter.unwrap_or_default(),
        }
    }

    fn auto(&self) -> &'static str {
        "None"
    }
}

/// Names of at most so many letters, no two alike where the names are not, as charts and tables show them.
#[pyfunction]
pub(crate) fn labels(names: Vec<String>, most: usize) -> Vec<String> {
    stablevar_report::text::labels(names.iter().map(String::as_str), most)
}
