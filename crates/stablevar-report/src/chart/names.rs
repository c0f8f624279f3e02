//! What charts share that have a name before every row.

/// The height of a row.
pub(super) const ROW: f64 = 17.0;
/// The width of the names.
pub(super) const NAMES: f64 = 108.0;
/// Letters of a name that have room there; labels are made by [`crate::text::labels`].
pub const LABEL: usize = 18;
