//! What a user should know about a result.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Something to watch out for. It is a finding, not a failure: the result stands, and this says how far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was found.
    pub what: String,
    /// What that means for the result.
    pub meaning: String,
    /// What to do about it; empty where nothing need be done.
    pub remedy: String,
}

impl Finding {
    /// A finding; each part is a clause without a full stop.
    pub fn new(what: impl Into<String>, meaning: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what: what.into(), meaning: meaning.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.what, self.meaning)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(formatter, ". {}", self.remedy) }
    }
}
