//! The rows of a table without holes.

use crate::error::{Error, Result};
use crate::rows::{WIDE_TILE, map_blocks, wide_tiles};
use crate::table::{Column, Values};

/// The rows that have a value in each of the first `needed` columns; infinite values are refused in all. The table's first
/// row is number `first` for messages.
pub(super) fn complete_rows(columns: &[&Column], needed: usize, rows: usize, first: usize) -> Result<Vec<usize>> {
    let parts = map_blocks(rows, |block| {
        let mut complete = Vec::with_capacity(block.len());
        let mut infinite = vec![None; columns.len()];
        for few in wide_tiles(block) {
            let mut whole = [true; WIDE_TILE];
            for (k, (column, infinite)) in columns.iter().zip(&mut infinite).enumerate() {
                for (row, whole) in few.clone().zip(&mut whole) {
                    let missing = match &column.values {
                        Values::Number(numbers) => {
                            if numbers[row].is_infinite() && infinite.is_none() {
                                *infinite = Some(row);
                            }
                            numbers[row].is_nan()
                        }
                        other => other.is_missing(row),
                    };
                    *whole &= !missing || k >= needed;
                }
            }
            complete.extend(few.zip(whole).filter_map(|(row, whole)| whole.then_some(row)));
        }
        (complete, infinite)
    });
    for (k, column) in columns.iter().enumerate() {
        if let Some(row) = parts.iter().find_map(|(_, infinite)| infinite[k]) {
            return Err(not_finite(column, row, first));
        }
    }
    let mut complete = Vec::with_capacity(rows);
    parts.into_iter().for_each(|(part, _)| complete.extend(part));
    Ok(complete)
}

/// The error that shows an infinite value.
pub(super) fn not_finite(column: &Column, row: usize, first: usize) -> Error {
    let value = match &column.values {
        Values::Number(numbers) => numbers[row],
        Values::Boolean(_) | Values::Text(_) => f64::NAN,
    };
    Error::NotFinite { column: column.name.clone(), row: first + row + 1, value }
}
