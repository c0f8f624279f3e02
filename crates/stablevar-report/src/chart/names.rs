//! What charts share that have a name before every row.

/// Rows that a part of a picture has at least and at most.
const PART: std::ops::RangeInclusive<usize> = 6..=20;

/// How many of so many rows one part of a picture has: a screen has room for three parts, a phone shows one after the other.
pub(super) fn part_size(rows: usize) -> usize {
    rows.div_ceil(3).clamp(*PART.start(), *PART.end())
}

/// The height of a row.
pub(super) const ROW: f64 = 17.0;
/// The width of the names.
pub(super) const NAMES: f64 = 122.0;
/// Letters of a name that have room there; labels are made by [`crate::text::labels`].
pub const LABEL: usize = 16;
