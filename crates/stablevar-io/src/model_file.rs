//! Model files: versioned JSON.

use crate::{IoError, Result, display, read_bytes, write_whole};
use serde::{Deserialize, Serialize};
use stablevar::fit::FittedModel;
use std::path::Path;

const FORMAT: &str = "stablevar model";
/// Raised when a file of an older program can't be read any more, or the other way round.
const VERSION: u64 = 4;

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

#[derive(Deserialize)]
struct Body {
    model: FittedModel,
}

/// Writes a model file.
pub fn write_model(path: &Path, model: &FittedModel) -> Result<()> {
    let written_by = concat!("stablevar ", env!("CARGO_PKG_VERSION"));
    let file = Written { format: FORMAT, version: VERSION, written_by, model };
    write_whole(path, |writer| {
        serde_json::to_writer(&mut *writer, &file)?;
        writer.write_all(b"\n")
    })
}

/// Reads a model file of this version.
pub fn read_model(path: &Path) -> Result<FittedModel> {
    let bytes = read_bytes(path)?;
    let name = display(path);
    if bytes.is_empty() {
        return Err(IoError::Empty { path: name });
    }
    let broken = |error: serde_json::Error| match error.classify() {
        serde_json::error::Category::Data => {
            IoError::Damaged { path: display(path), message: format!("the model is not as it was written: {error}") }
        }
        _ if bytes.first() == Some(&b'{') => {
            IoError::Damaged { path: display(path), message: format!("the model is incomplete: {error}") }
        }
        _ => IoError::NotAModel { path: display(path) },
    };
    let head: Head = match serde_json::from_slice(&bytes) {
        Ok(head) => head,
        Err(error) if error.is_data() => return Err(IoError::NotAModel { path: name }),
        Err(error) => return Err(broken(error)),
    };
    if head.format.as_deref() != Some(FORMAT) {
        return Err(IoError::NotAModel { path: name });
    }
    match head.version {
        Some(VERSION) => {}
        found => return Err(IoError::ModelVersion { path: name, found: found.unwrap_or(0), known: VERSION }),
    }
    let body: Body = serde_json::from_slice(&bytes).map_err(broken)?;
    body.model.check().map_err(|message| IoError::Damaged { path: display(path), message })?;
    Ok(body.model)
}
