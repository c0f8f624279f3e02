//! Arrow IPC files, read batch by batch.

use crate::Result;
use crate::columns::{Columns, Piece, damaged, look, names, telling, text_columns};
use crate::guard::guarded;
use crate::reading::Plan;
use crate::stream::Visit;

/// Names of the columns of a file.
pub(crate) fn columns(path: &str, bytes: &[u8]) -> Result<Vec<String>> {
    Ok(names(open(path, bytes, None)?.schema().fields()))
}

/// How many columns that are read hold text, and are not read as numbers or dates.
pub(crate) fn text(path: &str, bytes: &[u8], plan: &Plan) -> Result<usize> {
    Ok(text_columns(open(path, bytes, None)?.schema().fields(), plan))
}

/// Learns from the first rows how texts and dates are read.
pub(crate) fn look_at(path: &str, bytes: &[u8], plan: &mut Plan) -> Result<()> {
    let told = telling(open(path, bytes, None)?.schema().fields(), plan);
    if told.is_empty() {
        return Ok(());
    }
    look(path, batches(path, bytes, told)?, plan)
}

/// Shows the table batch by batch.
pub(crate) fn pieces(path: &str, bytes: &[u8], plan: &Plan, visit: Visit) -> Result<()> {
    let schema = open(path, bytes, None)?.schema();
    let mut columns = Columns::new(plan);
    let used = columns.check(path, schema.fields())?;
    columns.show(path, batches(path, bytes, used)?, visit)?;
    columns.finish(path, visit)
}

type Reader<'a> = arrow_ipc::reader::FileReader<std::io::Cursor<&'a [u8]>>;

fn open<'a>(path: &str, bytes: &'a [u8], columns: Option<Vec<usize>>) -> Result<Reader<'a>> {
    guarded(path, || {
        crate::arrow_check::check(path, bytes)?;
        Reader::try_new(std::io::Cursor::new(bytes), columns).map_err(|error| damaged(path, &error))
    })?
}

fn batches(path: &str, bytes: &[u8], columns: Vec<usize>) -> Result<impl Iterator<Item = Result<Piece>>> {
    let batches = open(path, bytes, Some(columns))?;
    Ok(batches.map(move |batch| batch.map(Piece::from).map_err(|error| damaged(path, &error))))
}
