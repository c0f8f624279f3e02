//! Settings files: what `fit` was told, as TOML, to be told again.

use super::settings::{self, Taken};
use super::{FitArguments, InputArguments};
use anyhow::{anyhow, bail};
use stablevar::estimator::{Kind, Setting, Value};
use stablevar_io::{IoError, write_whole};
use std::path::{Path, PathBuf};

/// What a file may say beside settings.
const OTHERS: [&str; 8] = ["data", "target", "method", "model", "weights", "report", "delimiter", "decimal"];

impl FitArguments {
    /// The same with what its settings file says, where the command line does not say something else.
    pub(crate) fn with_config(mut self) -> anyhow::Result<Self> {
        let Some(path) = self.config.take() else { return Ok(self) };
        let text = std::fs::read_to_string(&path)
            .map_err(|source| IoError::Read { path: path.display().to_string(), source })?;
        let said: toml::Table = toml::from_str(&text)
            .map_err(|error| anyhow!("{} can't be understood: {}", path.display(), error.message()))?;
        // One rule takes the place of another.
        let ruled = self.settings.given.iter().any(|(name, _)| settings::RULES.contains(&name.as_str()));
        for (name, value) in said {
            let wrong = |why: String| anyhow!("{}: {name}: {why}", path.display());
            match settings::Fits::settings().find(|setting| setting.name == name) {
                Some(setting) => {
                    let displaced = ruled && settings::RULES.contains(&setting.name);
                    if !displaced && !self.settings.given.iter().any(|(given, _)| *given == name) {
                        self.settings.given.push((name.clone(), read(setting, &value).map_err(wrong)?));
                    }
                }
                None => self.take(&name, &value).map_err(wrong)?,
            }
        }
        if self.data.is_none() || self.target.is_none() {
            bail!(
                "{}: say which table and which target, there or here: data = \"...\", target = \"...\"",
                path.display()
            );
        }
        Ok(self)
    }

    fn take(&mut self, name: &str, value: &toml::Value) -> Result<(), String> {
        let text = value.as_str().map(String::from).ok_or_else(|| "it must be a text".to_string());
        let file = |place: &mut Option<PathBuf>, text: String| {
            place.get_or_insert_with(|| text.into());
        };
        match name {
            "data" => file(&mut self.data, text?),
            "model" => file(&mut self.model, text?),
            "weights" => file(&mut self.weights, text?),
            "report" => file(&mut self.report, text?),
            "target" => self.target = self.target.take().or(Some(text?)),
            "method" => self.method = self.method.take().or(Some(text?)),
            "delimiter" | "decimal" => self.input.take(name, &text?)?,
            _ => {
                let known = settings::Fits::settings().map(|setting| setting.name).chain(OTHERS);
                return Err(format!("there is no such setting; there are {}", known.collect::<Vec<_>>().join(", ")));
            }
        }
        Ok(())
    }

    /// Writes down what was asked for.
    pub(crate) fn save(&self, path: &Path) -> anyhow::Result<()> {
        let mut said = toml::Table::new();
        let path_text = |path: &PathBuf| path.display().to_string();
        let texts = [
            ("data", self.data.as_ref().map(path_text)),
            ("target", self.target.clone()),
            ("method", self.method.clone()),
            ("model", self.model.as_ref().map(path_text)),
            ("weights", self.weights.as_ref().map(path_text)),
            ("report", self.report.as_ref().map(path_text)),
        ];
        let texts = texts.into_iter().chain(self.input.said());
        said.extend(texts.filter_map(|(name, text)| Some((name.to_string(), text?.into()))));
        said.extend(self.settings.given.iter().map(|(name, value)| (name.clone(), written(value))));
        let text = format!("# stablevar fit --config {}\n{}", path.display(), toml::to_string(&said)?);
        Ok(write_whole(path, |writer| writer.write_all(text.as_bytes()))?)
    }
}

impl InputArguments {
    fn take(&mut self, name: &str, text: &str) -> Result<(), String> {
        use clap::ValueEnum;
        match name {
            "delimiter" if self.delimiter.is_none() => self.delimiter = Some(super::input::delimiter(text)?),
            "decimal" if self.decimal.is_none() => {
                self.decimal = Some(super::input::DecimalName::from_str(text, false)?)
            }
            _ => {}
        }
        Ok(())
    }

    fn said(&self) -> [(&'static str, Option<String>); 2] {
        use clap::ValueEnum;
        let delimiter =
            self.delimiter.map(|byte| if byte == b'\t' { "tab".into() } else { char::from(byte).to_string() });
        let decimal = self.decimal.and_then(|name| Some(name.to_possible_value()?.get_name().to_string()));
        [("delimiter", delimiter), ("decimal", decimal)]
    }
}

fn read(setting: &'static Setting, value: &toml::Value) -> Result<Value, String> {
    let text = |value: &toml::Value| match value {
        toml::Value::String(text) => Ok(text.clone()),
        toml::Value::Integer(number) => Ok(number.to_string()),
        toml::Value::Float(number) => Ok(number.to_string()),
        _ => Err(format!("it must be {}", setting.kind.allowed())),
    };
    match (value, &setting.kind) {
        (toml::Value::Array(all), Kind::Columns) => {
            Ok(Value::Texts(all.iter().map(text).collect::<Result<Vec<String>, String>>()?))
        }
        (one, Kind::Columns) => Ok(Value::Texts(vec![text(one)?])),
        (toml::Value::Array(all), _) => {
            settings::parse(setting, &all.iter().map(text).collect::<Result<Vec<String>, String>>()?.join(","))
        }
        (one, _) => settings::parse(setting, &text(one)?),
    }
}

fn written(value: &Value) -> toml::Value {
    match value {
        Value::Auto => "auto".into(),
        Value::Count(count) => i64::try_from(*count).map_or_else(|_| count.to_string().into(), toml::Value::Integer),
        Value::Number(number) => (*number).into(),
        Value::Text(text) => text.clone().into(),
        Value::Counts(counts) => counts.iter().map(|count| *count as i64).collect::<Vec<i64>>().into(),
        Value::Texts(texts) => texts.clone().into(),
    }
}
