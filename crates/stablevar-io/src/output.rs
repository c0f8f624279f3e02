//! Files that are written whole or not at all.

use crate::place::{folder_of, followed, refuse_read_only, written_to};
use crate::tame::Tamed;
use crate::unfinished::UnfinishedFile;
use crate::{IoError, Result, display};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use stablevar::table::{Table, Values};
use std::io::{BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

/// Writes through a temporary file beside the target, which replaces the target once it is complete.
///
/// `-` is standard output. A device or pipe is written to directly: it must not be replaced. A file that is read-only stays as
/// it is, and a link stays a link: what it leads to is written.
pub fn write_whole(path: &Path, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    write_to(path, fill).map_err(|source| IoError::Write { path: written_to(path), source })
}

fn write_to(path: &Path, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> std::io::Result<()> {
    if path.as_os_str() == "-" {
        let stdout = std::io::stdout().lock();
        // What stands in a table must not steer a terminal.
        let target: Box<dyn Write> = if stdout.is_terminal() { Box::new(Tamed::new(stdout)) } else { Box::new(stdout) };
        let mut writer = BufWriter::new(target);
        fill(&mut writer)?;
        return writer.flush();
    }
    let target = followed(path)?;
    let existing = std::fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|data| data.is_dir()) {
        return Err(std::io::Error::new(std::io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if existing.as_ref().is_some_and(|data| !data.is_file()) {
        let mut writer = BufWriter::new(std::fs::OpenOptions::new().write(true).open(path)?);
        fill(&mut writer)?;
        return writer.flush();
    }
    existing.as_ref().map_or(Ok(()), |data| refuse_read_only(&target, data))?;
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = existing.as_ref().map_or(0o666, |data| data.permissions().mode());
        builder.permissions(std::fs::Permissions::from_mode(mode));
    }
    let mut file = UnfinishedFile::create(folder_of(&target), &mut builder)?;
    {
        let mut writer = BufWriter::new(file.as_file()?);
        fill(&mut writer)?;
        writer.flush()?;
    }
    file.as_file()?.sync_all()?;
    file.persist(&target)
}

/// Writes a table as Parquet (`.parquet`), Arrow IPC (`.arrow`, `.feather`) or CSV (anything else).
pub fn write_table(path: &Path, table: &Table) -> Result<()> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    write_whole(path, |writer| match ending.as_str() {
        "parquet" => Ok(crate::parquet_output::write(writer, table)?),
        "arrow" | "feather" => {
            let batch = record_batch(table)?;
            let mut ipc =
                arrow_ipc::writer::FileWriter::try_new(writer, &batch.schema()).map_err(std::io::Error::other)?;
            ipc.write(&batch).and_then(|()| ipc.finish()).map_err(std::io::Error::other)
        }
        _ => {
            let names: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
            let rows = (0..table.rows()).map(|row| {
                table.columns().iter().map(|column| column.values.text(row).unwrap_or_default()).collect::<Vec<_>>()
            });
            csv_records(writer, &names, rows)
        }
    })
}

/// Writes named columns of text as CSV.
pub fn write_columns(path: &Path, names: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<()> {
    write_whole(path, |writer| csv_records(writer, names, rows))
}

/// Writes CSV whose lines are made as they are written: `fill` is given the way to write one. If it fails, nothing is written,
/// but for what standard output has already.
pub fn write_rows<E: From<IoError>>(
    path: &Path,
    names: &[&str],
    fill: impl FnOnce(&mut dyn FnMut(&[String]) -> Result<()>) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let mut fault = None;
    let written = write_whole(path, |writer| {
        let mut writer = csv::Writer::from_writer(writer);
        let place = display(path);
        let mut begun = false;
        // The header goes with the first line: where none can be made, not even that is written.
        let mut write = |row: &[String]| {
            let header = if std::mem::replace(&mut begun, true) { Ok(()) } else { writer.write_record(names) };
            let written = header.and_then(|()| writer.write_record(row));
            written.map_err(|error| IoError::Write { path: place.clone(), source: plain(error) })
        };
        if let Err(error) = fill(&mut write) {
            fault = Some(error);
            return Err(std::io::Error::other("the lines could not be made"));
        }
        if !begun {
            writer.write_record(names).map_err(plain)?;
        }
        writer.flush()
    });
    match fault {
        Some(error) => Err(error),
        None => Ok(written?),
    }
}

/// The kind of a failure, such as a reader that has seen enough, must not get lost on the way.
fn plain(error: csv::Error) -> std::io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    }
}

fn csv_records(writer: &mut dyn Write, names: &[&str], rows: impl Iterator<Item = Vec<String>>) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(writer);
    writer.write_record(names).map_err(plain)?;
    for row in rows {
        writer.write_record(row).map_err(plain)?;
    }
    writer.flush()
}

fn record_batch(table: &Table) -> std::io::Result<RecordBatch> {
    let arrays = table.columns().iter().map(|column| {
        let array: ArrayRef = match &column.values {
            Values::Number(values) => {
                Arc::new(Float64Array::from_iter(values.iter().map(|value| (!value.is_nan()).then_some(value))))
            }
            Values::Boolean(values) => Arc::new(BooleanArray::from(values.clone())),
            Values::Text(values) => {
                Arc::new(StringArray::from_iter((0..values.codes.len()).map(|row| values.get(row))))
            }
        };
        (column.name.clone(), array)
    });
    RecordBatch::try_from_iter(arrays).map_err(std::io::Error::other)
}
