//! From a table to encoded rows, wherever the rows are: look, draft, encode, settle.
//!
//! ```text
//! look    a first reading of every part of the table: which rows are used, what the columns hold
//! draft   from all that was found: how columns are encoded and standardised
//! encode  a second reading: every part's rows as the draft says
//! settle  one pass over the encoded rows: columns that say nothing of their own are left out
//! ```
//!
//! Rows in memory, in a file and on a cluster are driven through these steps by whoever holds them, and in no other way.

use crate::design::{Frame, Identifiers, KeptRows, Roles, Survey, TrainingData, Used};
use crate::error::{Error, Result};
use crate::passes::{Outcome, RowSource, WeightedMoments, Weighting};
use crate::table::Table;
use serde::{Deserialize, Serialize};

/// What a first reading of some rows found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Surveyed {
    survey: Survey,
    identifiers: Identifiers,
    kept: KeptRows,
}

impl Surveyed {
    /// Looks at a part of a table, whose first row stands at position `first` of its file; also the rows that are used.
    pub fn at<'a, 'b>(part: &'b Table<'a>, roles: &Roles, first: usize) -> Result<(Self, Used<'a, 'b>)> {
        let (survey, used) = Survey::of(part, roles, first)?;
        let kept = used.kept.clone();
        Ok((Self { survey, identifiers: Identifiers::of(part, roles), kept }, used))
    }

    /// Both together, the first before the second.
    pub fn merge(mut self, next: Self) -> Result<Self> {
        self.kept.extend(next.kept);
        let identifiers = self.identifiers.merge(next.identifiers);
        Ok(Self { survey: self.survey.merge(next.survey)?, identifiers, kept: self.kept })
    }

    /// The same for many parts, in order.
    pub fn merge_all(parts: impl IntoIterator<Item = Self>) -> Result<Self> {
        let mut parts = parts.into_iter();
        let first = parts.next().ok_or_else(|| Error::BadRequest("the table has no parts".into()))?;
        parts.try_fold(first, Self::merge)
    }

    /// How many rows are used.
    pub fn rows(&self) -> usize {
        self.kept.len()
    }

    /// How all rows are to be encoded.
    pub fn draft(self, roles: &Roles) -> Result<Draft> {
        let mut frame = Frame::draft(&self.survey, roles)?;
        frame.notes.extend(self.identifiers.findings());
        Ok(Draft { frame, kept: self.kept, unweighted: self.survey.unweighted() })
    }
}

/// How the rows of a table are to be encoded.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Draft {
    /// What is known of the rows so far.
    pub frame: Frame,
    /// Which rows of the table are used.
    pub kept: KeptRows,
    /// Whether every row counts once.
    pub unweighted: bool,
}

impl Draft {
    /// Encodes a part of the table, whose first row stands at position `first` of its file.
    pub fn encode(&self, part: &Table, roles: &Roles, first: usize) -> Result<TrainingData> {
        self.frame.encode(Used::of(part, roles, first)?)
    }
}

/// Encoded rows that can be left with some of their columns.
pub trait Settle: RowSource {
    /// Takes the final frame; with `keep`, the rows are to have these columns only, by their positions.
    fn settle(&mut self, frame: Frame, keep: Option<&[usize]>) -> Result<()>;
}

/// Leaves out columns that say nothing of their own; how the others go together is known from then on.
pub fn settle(rows: &mut dyn Settle) -> Result<()> {
    let mut frame = rows.frame().clone();
    if !frame.correlates() {
        frame.notes.extend(frame.encoding.left_out.iter().cloned());
        return rows.settle(frame, None);
    }
    let moments = WeightedMoments::of(rows, &Weighting::Equal, Outcome::Target)?;
    let keep = frame.settle(moments.columns)?;
    rows.settle(frame, keep.as_deref())
}

impl Settle for TrainingData {
    fn settle(&mut self, frame: Frame, keep: Option<&[usize]>) -> Result<()> {
        if let Some(keep) = keep {
            self.keep_columns(keep);
        }
        self.frame = frame;
        Ok(())
    }
}

impl TrainingData {
    /// Encodes and standardises a table in memory.
    pub fn prepare(table: &Table, roles: &Roles) -> Result<Self> {
        let (look, used) = Surveyed::at(table, roles, 0)?;
        let mut data = look.draft(roles)?.frame.encode(used)?;
        settle(&mut data)?;
        Ok(data)
    }
}
