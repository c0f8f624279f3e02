//! Files for `stablevar`: tables in (CSV, Parquet, Arrow IPC), models, tables and results out, and a fit as JSON for other programs.
//!
//! Every error names the file and, where there is one, the line and the column, and has a hint how to mend
//! it. Files are written whole or not at all.

mod arrow_check;
mod arrow_table;
mod arrow_values;
mod columns;
mod csv_table;
mod error;
mod guard;
mod model_file;
mod output;
mod packing;
mod parquet_check;
mod parquet_kinds;
mod parquet_output;
mod parquet_table;
mod parquet_values;
mod parts;
mod place;
mod reading;
mod spill;
mod stream;
pub mod summary;
pub mod tame;
mod unfinished;
pub mod weighing;

pub use error::{IoError, Result};
pub use model_file::{model_from_json, model_to_json, read_model, write_model};
pub use output::{write_columns, write_rows, write_table, write_whole};
pub use parts::natural_order;
pub use place::check_outputs;
pub use reading::ReadOptions;
pub use spill::{FileRows, Survey, prepare_file, survey};
pub use stream::{Growing, TablePart, TableSize, TableStream};
pub use unfinished::{WorkFolder, abandon};

use stablevar::table::Table;
use std::io::Read;
use std::path::Path;

/// Reads a table from a CSV, Parquet or Arrow file, also packed by gzip or Zstandard, told apart by how they begin; `-` is standard input. A folder or a pattern
/// stands for several Parquet files.
pub fn read_table(path: &Path, options: &ReadOptions) -> Result<Table<'static>> {
    TableStream::open(path, options)?.read()
}

/// A path as messages show it.
pub fn display(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".into() } else { path.display().to_string() }
}

/// Whether a file on disk begins as a Parquet file does; such a file need not be read whole.
fn begins_as_parquet(path: &Path) -> bool {
    let mut start = [0; 4];
    let is_file = path.as_os_str() != "-" && path.is_file();
    is_file && std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && &start == b"PAR1"
}

fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let outcome = if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
    } else {
        std::fs::read(path).map(|read| bytes = read)
    };
    outcome.map_err(|source| IoError::Read { path: display(path), source })?;
    Ok(bytes)
}
