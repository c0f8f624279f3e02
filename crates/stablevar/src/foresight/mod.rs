//! What will happen elsewhere: the error to expect on new rows without outcomes, and under shifts that did not happen yet.
//!
//! ```text
//! memory   training rows with held-out predictions, kept in the model
//! new rows -> drift by column, rows outside what training saw
//! memory, new rows -> ratio of densities -> error to expect, with an interval
//! memory -> how far predictions may be off, how far probabilities can be believed
//! memory -> tilted until a column's mean has moved -> shift curves
//! ```
//!
//! All of it takes the relation of outcome and columns for what it was in training. A changed relation can't be seen without
//! outcomes.

mod density;
mod drift;
mod expected;
mod foresee;
mod held_out;
mod memory;
mod new_rows;
mod tilt;

pub use drift::ColumnDrift;
pub use foresee::{Foresight, Trust};
pub use held_out::{Calibration, PredictionInterval};
pub use memory::TrainingMemory;
pub use new_rows::{Known, NewRows};
pub(crate) use tilt::Tilts;
pub use tilt::{ShiftCurve, ShiftGrid, ShiftPoint};
