//! What an Arrow file says of itself, checked before anything is read by it.
//!
//! Its index tells where batches lie and how large they are, and the reader allocates what it is told. So every place must lie
//! inside the file, and no size may be one that so many bytes can't stand for.

use crate::{IoError, Result};
use arrow_ipc::{Block, Message, RecordBatch, root_as_footer, root_as_message};

/// The file's mark at its end, and the length of the index before it.
const TAIL: usize = 10;
/// Bytes that one stored byte can become at most, by any way to compress that files may have.
const MOST_EXPANSION: u64 = 1 << 16;
/// Values without a byte of their own, as those of a column that is all missing, in files of any size.
const FREE_VALUES: u64 = 1 << 24;

/// Refuses a file whose parts lie outside of it, or that asks for more than it can hold.
pub(crate) fn check(path: &str, bytes: &[u8]) -> Result<()> {
    check_file(bytes).map_err(|message| IoError::Damaged { path: path.into(), message })
}

/// Rows of all batches, by what they say of themselves; none if they can't be understood.
pub(crate) fn rows(bytes: &[u8]) -> u64 {
    let tail = bytes.len().saturating_sub(TAIL);
    let length = bytes[tail..].first_chunk::<4>().map_or(0, |length| i32::from_le_bytes(*length));
    let start = usize::try_from(length).ok().and_then(|length| tail.checked_sub(length)).unwrap_or(tail);
    let Ok(footer) = root_as_footer(&bytes[start..tail]) else { return 0 };
    let blocks = footer.recordBatches().into_iter().flat_map(|blocks| blocks.iter());
    let of_block = |block: &Block| {
        let place = usize::try_from(block.offset()).ok()?;
        let head = bytes.get(place..place.checked_add(usize::try_from(block.metaDataLength()).ok()?)?)?;
        let message = root_as_message(head.get(if head.starts_with(&[0xff; 4]) { 8 } else { 4 }..)?).ok()?;
        u64::try_from(batch_of(&message)?.length()).ok()
    };
    blocks.filter_map(of_block).sum()
}

fn check_file(bytes: &[u8]) -> std::result::Result<(), String> {
    let outside = || "its index lies outside of it".to_string();
    let tail = bytes.len().checked_sub(TAIL).ok_or_else(outside)?;
    let length = bytes[tail..].first_chunk::<4>().map(|length| i32::from_le_bytes(*length)).ok_or_else(outside)?;
    let start = usize::try_from(length).ok().and_then(|length| tail.checked_sub(length)).ok_or_else(outside)?;
    let footer = root_as_footer(&bytes[start..tail]).map_err(|error| format!("its index is damaged: {error}"))?;
    let fields = footer.schema().and_then(|schema| schema.fields());
    let is_hollow = |kind: arrow_ipc::Type| [arrow_ipc::Type::Null, arrow_ipc::Type::RunEndEncoded].contains(&kind);
    let hollow = fields.map_or(0, |fields| fields.iter().filter(|field| is_hollow(field.type_type())).count());
    let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches()).flat_map(|blocks| blocks.iter());
    for block in blocks {
        check_block(bytes, block, hollow as u64)?;
    }
    Ok(())
}

fn check_block(bytes: &[u8], block: &Block, hollow: u64) -> std::result::Result<(), String> {
    let outside = || "a batch lies outside of it".to_string();
    let place = |value: i64| usize::try_from(value).map_err(|_| outside());
    let (start, head, body) =
        (place(block.offset())?, place(block.metaDataLength().into())?, place(block.bodyLength())?);
    let middle = start.checked_add(head).ok_or_else(outside)?;
    let end = middle.checked_add(body).ok_or_else(outside)?;
    let (head, body) = (bytes.get(start..middle).ok_or_else(outside)?, bytes.get(middle..end).ok_or_else(outside)?);
    // The length before a message has a mark before it in files of today.
    let skipped = if head.starts_with(&[0xff; 4]) { 8 } else { 4 };
    let head = head.get(skipped..).ok_or_else(outside)?;
    let message = root_as_message(head).map_err(|error| format!("a batch is damaged: {error}"))?;
    batch_of(&message).map_or(Ok(()), |batch| check_batch(&batch, body, hollow))
}

fn batch_of<'a>(message: &Message<'a>) -> Option<RecordBatch<'a>> {
    message.header_as_record_batch().or_else(|| message.header_as_dictionary_batch()?.data())
}

fn check_batch(batch: &RecordBatch, body: &[u8], hollow: u64) -> std::result::Result<(), String> {
    let too_much = || "a batch asks for more than the file can hold".to_string();
    let mut held = 0u64;
    for buffer in batch.buffers().into_iter().flat_map(|buffers| buffers.iter()) {
        let place = |value: i64| usize::try_from(value).map_err(|_| too_much());
        let (start, length) = (place(buffer.offset())?, place(buffer.length())?);
        let stored = start.checked_add(length).and_then(|end| body.get(start..end)).ok_or_else(too_much)?;
        let unpacked = if batch.compression().is_some() { unpacked_length(stored)? } else { length as u64 };
        held = held.checked_add(unpacked).ok_or_else(too_much)?;
    }
    // The least that a value takes is a bit.
    let most = held.saturating_mul(8).saturating_add(FREE_VALUES);
    let fits = |rows: i64| u64::try_from(rows).is_ok_and(|rows| rows.saturating_mul(hollow.max(1)) <= most);
    let counted = |node: &arrow_ipc::FieldNode| fits(node.length()) && (0..=node.length()).contains(&node.null_count());
    let nodes = batch.nodes().into_iter().flat_map(|nodes| nodes.iter());
    if !fits(batch.length()) || !nodes.into_iter().all(counted) {
        return Err(too_much());
    }
    // Nothing but the attempt tells what this machine has; memory that is not touched costs nothing.
    let size = usize::try_from(held).map_err(|_| too_much())?;
    Vec::<u8>::new().try_reserve_exact(size).map_err(|_| "a batch needs more memory than there is".to_string())
}

/// What a compressed buffer says that it becomes: eight bytes before it, -1 for one that is stored as it is.
fn unpacked_length(stored: &[u8]) -> std::result::Result<u64, String> {
    let Some((length, packed)) = stored.split_first_chunk::<8>() else {
        return if stored.is_empty() { Ok(0) } else { Err("a compressed buffer has no length".into()) };
    };
    match i64::from_le_bytes(*length) {
        -1 => Ok(packed.len() as u64),
        length => u64::try_from(length)
            .ok()
            .filter(|length| *length <= (packed.len() as u64).saturating_mul(MOST_EXPANSION))
            .ok_or_else(|| "a compressed buffer can't become as long as it says".into()),
    }
}
