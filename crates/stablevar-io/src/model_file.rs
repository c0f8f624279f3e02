//! Model files: versioned JSON.

use crate::{IoError, Result, display, read_bytes, write_whole};
use serde::{Deserialize, Serialize};
use stablevar::fit::FittedModel;
use std::path::Path;

const FORMAT: &str = "stablevar model";
/// Raised when a file of an older program can't be read any more, or the other way round.
const VERSION: u64 = 10;
/// The oldest version whose files mean the same to this program.
const OLDEST: u64 = 8;

#[derive(Serialize)]
struct Written<'a> {
    format: &'static str,
    version: u64,
    written_by: &'static str,
    model: &'a FittedModel,
}

/// What every version of the format has.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    version: Option<u64>,
}

/// What older versions may have kept of how they were made.
#[derive(Deserialize)]
struct MadeBy {
    model: Origins,
}

#[derive(Deserialize)]
struct Origins {
    origin: Command,
}

#[derive(Deserialize)]
struct Command {
    command: Option<String>,
}

#[derive(Deserialize)]
struct Body {
    model: FittedModel,
}

/// Writes a model file.
pub fn write_model(path: &Path, model: &FittedModel) -> Result<()> {
    write_whole(path, |writer| {
        serde_json::to_writer(&mut *writer, &written(model))?;
        writer.write_all(b"\n")
    })
}

/// What a model file holds.
pub fn model_to_json(model: &FittedModel) -> Result<String> {
    let failed = |error: serde_json::Error| IoError::Damaged { path: "the model".into(), message: error.to_string() };
    serde_json::to_string(&written(model)).map_err(failed)
}

fn written(model: &FittedModel) -> Written<'_> {
    let written_by = concat!("stablevar ", env!("CARGO_PKG_VERSION"));
    Written { format: FORMAT, version: VERSION, written_by, model }
}

/// Reads a model file of this version, or of an older one that means the same.
pub fn read_model(path: &Path) -> Result<FittedModel> {
    model_from_json(&read_bytes(path)?, &display(path))
}

/// Reads what such a model file holds; `name` is for messages.
pub fn model_from_json(bytes: &[u8], name: &str) -> Result<FittedModel> {
    let path = || name.to_string();
    if bytes.is_empty() {
        return Err(IoError::Empty { path: path() });
    }
    let broken = |error: serde_json::Error| match error.classify() {
        serde_json::error::Category::Data => {
            IoError::Damaged { path: path(), message: format!("the model is not as it was written: {error}") }
        }
        _ if bytes.first() == Some(&b'{') => {
            IoError::Damaged { path: path(), message: format!("the model is incomplete: {error}") }
        }
        _ => IoError::NotAModel { path: path() },
    };
    let head: Head = match serde_json::from_slice(bytes) {
        Ok(head) => head,
        Err(error) if error.is_data() => return Err(IoError::NotAModel { path: path() }),
        Err(error) => return Err(broken(error)),
    };
    if head.format.as_deref() != Some(FORMAT) {
        return Err(IoError::NotAModel { path: path() });
    }
    match head.version {
        Some(OLDEST..=VERSION) => {}
        found => {
            let command = serde_json::from_slice(bytes).ok().and_then(|made: MadeBy| made.model.origin.command);
            return Err(IoError::ModelVersion { path: path(), found: found.unwrap_or(0), known: VERSION, command });
        }
    }
    let body: Body = serde_json::from_slice(bytes).map_err(broken)?;
    body.model.check().map_err(|message| IoError::Damaged { path: path(), message })?;
    Ok(body.model)
}
