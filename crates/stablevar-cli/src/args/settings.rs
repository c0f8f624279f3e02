//! The options that settings are given by, made from the core's table of settings.

use crate::memory;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command};
use stablevar::estimator::{Estimator, Kind, SETTINGS, Setting, Value};
use stablevar::method::{PRESETS, Preset};
use stablevar::wording::Wording;
use std::marker::PhantomData;

/// How the command line writes settings.
pub(crate) struct Options;

impl Wording for Options {
    fn setting(&self, name: &str, value: Option<&str>) -> String {
        value.map_or_else(|| format!("--{name}"), |value| format!("--{name} {}", quoted(value)))
    }
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The settings given; `Of` tells which can be.
pub(crate) struct Settings<Of = Fits> {
    /// By the core's names.
    pub given: Vec<(String, Value)>,
    /// Old names that were used, and the new ones.
    pub renamed: Vec<(&'static str, &'static str)>,
    of: PhantomData<Of>,
}

/// Which settings a command takes. Threads are every command's.
pub(crate) trait Taken {
    fn takes(setting: &Setting) -> bool;

    fn settings() -> impl Iterator<Item = &'static Setting> {
        SETTINGS.iter().filter(|setting| setting.name != "threads" && Self::takes(setting))
    }
}

/// All, for fits.
pub(crate) struct Fits;

impl Taken for Fits {
    fn takes(_: &Setting) -> bool {
        true
    }
}

/// Those of the table and of balance, for weights without an outcome, which nothing is drawn for.
pub(crate) struct Weighs;

impl Taken for Weighs {
    fn takes(setting: &Setting) -> bool {
        let stages = setting.applies_to;
        (stages.contains(&"table") || stages.contains(&"balance")) && !["task", "seed", "env"].contains(&setting.name)
    }
}

/// The rules by which variables are chosen, and how the table is read, for another choice from a fitted model.
pub(crate) struct Reselects;

impl Taken for Reselects {
    fn takes(setting: &Setting) -> bool {
        // The columns and how they are read are the saved model's.
        RULES.contains(&setting.name) || ["weight-column", "missing", "memory"].contains(&setting.name)
    }
}

/// The settings that are rules.
pub(crate) const RULES: [&str; 3] = ["threshold", "select", "fdr"];

impl<Of: Taken> clap::Args for Settings<Of> {
    fn augment_args(command: Command) -> Command {
        Of::settings().fold(command, |command, setting| {
            let command = command.arg(option(setting, setting.name).help(help(setting)));
            let old =
                setting.old_names.iter().map(|name| option(setting, name).hide(true).conflicts_with(setting.name));
            old.fold(command, Command::arg)
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<Of: Taken> clap::FromArgMatches for Settings<Of> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut settings = Self { given: Vec::new(), renamed: Vec::new(), of: PhantomData };
        settings.update_from_arg_matches(matches)?;
        Ok(settings)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for setting in Of::settings() {
            for &name in std::iter::once(&setting.name).chain(setting.old_names) {
                let value = match setting.kind {
                    Kind::Columns => {
                        matches.get_many::<Value>(name).map(|names| Value::Texts(names.map(Value::to_string).collect()))
                    }
                    _ => matches.get_one::<Value>(name).cloned(),
                };
                let Some(value) = value else { continue };
                self.given.push((setting.name.into(), value));
                if name != setting.name {
                    self.renamed.push((name, setting.name));
                }
            }
        }
        Ok(())
    }
}

fn option(setting: &'static Setting, name: &'static str) -> Arg {
    let (value_name, repeated) = match setting.kind {
        Kind::Number(_) => ("X", false),
        Kind::Count(..) => ("N", false),
        Kind::Counts(..) => ("N,..", false),
        Kind::Choice(_) => ("KIND", false),
        Kind::Column => ("COL", false),
        Kind::Columns => ("COL", true),
        Kind::Bytes => ("LIMIT", false),
    };
    Arg::new(name)
        .long(name)
        .value_name(value_name)
        .value_parser(parser(setting))
        .action(if repeated { ArgAction::Append } else { ArgAction::Set })
        .allow_negative_numbers(matches!(setting.kind, Kind::Number(_)))
        .conflicts_with_all(setting.instead_of)
        .help_heading(setting.group.heading())
}

fn parser(setting: &'static Setting) -> ValueParser {
    if let Kind::Choice(names) = setting.kind {
        let values = names().into_iter().map(|(name, help)| PossibleValue::new(name).help(help));
        return PossibleValuesParser::new(values).map(Value::Text).into();
    }
    ValueParser::new(move |text: &str| parse(setting, text))
}

/// A value from its text. Numbers out of range are left to the core, whose message has a place and a remedy.
pub(super) fn parse(setting: &Setting, text: &str) -> Result<Value, String> {
    let wrong = || format!("it must be {}", setting.kind.allowed());
    let counted = |text: &str, least: u64, most: u64| {
        text.trim().parse::<u64>().ok().filter(|count| (least..=most).contains(count)).ok_or_else(wrong)
    };
    let named = matches!(setting.kind, Kind::Column | Kind::Columns);
    if text == "auto" && setting.auto.is_some() && !named {
        return Ok(Value::Auto);
    }
    match setting.kind {
        Kind::Number(_) => text.trim().parse().map(Value::Number).map_err(|_| wrong()),
        Kind::Count(least, most) => counted(text, least, most).map(Value::Count),
        Kind::Counts(least, most) => {
            text.split(',').map(|part| counted(part, least, most)).collect::<Result<Vec<u64>, _>>().map(Value::Counts)
        }
        Kind::Bytes => memory::parse(text).map(Value::Count),
        Kind::Choice(_) | Kind::Column | Kind::Columns => Ok(Value::Text(text.into())),
    }
}

/// The help of a setting that has an option elsewhere.
pub(super) fn help_of(name: &str) -> String {
    SETTINGS.iter().find(|setting| setting.name == name).map_or_else(String::new, help)
}

/// What a setting is for and what it is unless it is given.
fn help(setting: &'static Setting) -> String {
    let repeated = if matches!(setting.kind, Kind::Columns) { " (repeatable)" } else { "" };
    let mut defaults: Vec<(String, Vec<&str>)> = Vec::new();
    for preset in PRESETS.iter().filter(|preset| setting.applies(&Estimator::of(preset))) {
        let value = shown_default(setting, preset);
        match defaults.iter_mut().find(|(known, _)| *known == value) {
            Some((_, names)) => names.push(preset.name),
            None => defaults.push((value, vec![preset.name])),
        }
    }
    let mut shown: Vec<String> = defaults
        .iter()
        .enumerate()
        .map(|(k, (value, names))| if k == 0 { value.clone() } else { format!("{}: {value}", names.join(", ")) })
        .collect();
    if shown.is_empty() {
        shown.push(shown_default(setting, &PRESETS[0]));
    }
    let default = shown.join("; ");
    if default.is_empty() {
        return format!("{}{repeated}", setting.help);
    }
    format!("{}{repeated} [default: {default}]", setting.help)
}

fn shown_default(setting: &Setting, preset: &'static Preset) -> String {
    match (setting.default_of(preset), setting.auto) {
        (Value::Auto, Some(meaning)) => meaning.into(),
        (Value::Auto, None) => String::new(),
        (value, _) => value.to_string(),
    }
}

/// The methods and what each does.
pub(crate) fn methods() -> PossibleValuesParser {
    PossibleValuesParser::new(PRESETS.iter().map(|preset| PossibleValue::new(preset.name).help(preset.summary)))
}
