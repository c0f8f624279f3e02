//! What the user knows of columns beforehand: always in the set, or never.

use super::{Encoding, Roles};
use crate::error::{Error, Result};
use crate::finding::{Code, Finding};
use serde::{Deserialize, Serialize};

/// Columns of which it was told what they are, by name. They are judged like all others, but their place is settled.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Always in the set.
    pub stable: Vec<String>,
    /// Never in it.
    pub unstable: Vec<String>,
}

/// What was told of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It is always in the set.
    Stable,
    /// It is never in it.
    Unstable,
}

impl Standing {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Standing::Stable => "stable",
            Standing::Unstable => "unstable",
        }
    }
}

impl Told {
    /// Whether nothing was told.
    pub fn is_empty(&self) -> bool {
        self.stable.is_empty() && self.unstable.is_empty()
    }

    /// What was told of a column.
    pub fn of(&self, column: &str) -> Option<Standing> {
        let among = |names: &[String]| names.iter().any(|name| name == column);
        let stable = among(&self.stable).then_some(Standing::Stable);
        stable.or_else(|| among(&self.unstable).then_some(Standing::Unstable))
    }

    /// What was told of every variable.
    pub fn standings(&self, encoding: &Encoding) -> Vec<Option<Standing>> {
        encoding.features.iter().map(|feature| self.of(&feature.name)).collect()
    }

    fn names(&self) -> impl Iterator<Item = (&String, Standing)> {
        let stable = self.stable.iter().map(|name| (name, Standing::Stable));
        stable.chain(self.unstable.iter().map(|name| (name, Standing::Unstable)))
    }

    /// Refuses names that are no covariates, and covariates that carry nothing.
    pub(super) fn check(&self, encoding: &Encoding) -> Result<()> {
        for (name, standing) in self.names() {
            if !encoding.inputs.contains(name) {
                return Err(Error::UnknownColumn { column: name.clone(), available: encoding.inputs.clone() });
            }
            if let Some(found) = left_out(encoding, name) {
                return Err(useless(name, standing, found));
            }
        }
        Ok(())
    }

    /// Refuses a column that is always to be in the set and was left out since others tell all of it.
    pub(super) fn check_kept(&self, encoding: &Encoding) -> Result<()> {
        let lost = self.stable.iter().find_map(|name| Some((name, left_out(encoding, name)?)));
        lost.map_or(Ok(()), |(name, found)| Err(useless(name, Standing::Stable, found)))
    }
}

/// Why a whole variable was left out, if it was.
fn left_out<'a>(encoding: &'a Encoding, name: &str) -> Option<&'a Finding> {
    if encoding.features.iter().any(|feature| feature.name == name) {
        return None;
    }
    let own = |found: &&Finding| found.variables.first().is_some_and(|column| column == name);
    // Of a text its levels were left out one by one.
    let level = |found: &&Finding| {
        found
            .variables
            .first()
            .is_some_and(|column| column.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')))
    };
    encoding.left_out.iter().find(own).or_else(|| encoding.left_out.iter().find(level))
}

fn useless(name: &str, standing: Standing, found: &Finding) -> Error {
    let why = match found.code {
        Code::ConstantColumn | Code::EmptyColumn => found.words(&crate::wording::Plain).meaning,
        _ => format!("{}, which stay", found.words(&crate::wording::Plain).meaning),
    };
    Error::UselessColumn { column: name.into(), standing: standing.word(), why }
}

impl Roles {
    /// Refuses a column that is to play two parts.
    pub fn check(&self) -> Result<()> {
        let one = |name: &Option<String>| name.iter().cloned().collect::<Vec<String>>();
        let parts = [
            ("be the target", one(&self.target)),
            ("be left out", self.exclude.clone()),
            ("weigh the rows", one(&self.weight_column)),
            ("name the environments", one(&self.environment)),
            ("group the rows", one(&self.group)),
            ("be stable", self.told.stable.clone()),
            ("be unstable", self.told.unstable.clone()),
        ];
        for (k, (part, names)) in parts.iter().enumerate() {
            for (other, others) in &parts[..k] {
                if let Some(name) = names.iter().find(|name| others.contains(name)) {
                    return Err(Error::BadRequest(format!("'{name}' can't {other} and {part} at once")));
                }
            }
        }
        Ok(())
    }
}
