//! Passes over rows in memory.

use super::{Chunk, Pass, RowSource};
use crate::design::{Frame, TrainingData};
use crate::error::Result;
use std::convert::Infallible;
use std::ops::Range;

impl TrainingData {
    /// Some rows that follow each other.
    pub fn chunk(&self, rows: Range<usize>) -> Chunk<'_> {
        let width = self.design.columns();
        Chunk {
            first: rows.start,
            design: &self.design.values()[rows.start * width..rows.end * width],
            base: &self.base[rows.clone()],
            outcome: &self.outcome[rows],
        }
    }
}

impl RowSource for TrainingData {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn run(&self, pass: &Pass) -> Result<Vec<f64>> {
        let Ok(sums) = pass.run_in_blocks(self.base.len(), self.design.columns(), |block, visit| {
            visit(self.chunk(block));
            Ok::<(), Infallible>(())
        });
        Ok(sums)
    }

    fn take(&self, places: &[usize]) -> Result<TrainingData> {
        Ok(self.pick(places))
    }

    fn memory(&self) -> Option<&TrainingData> {
        Some(self)
    }

    fn position(&self, place: usize) -> usize {
        self.kept_rows.position(place)
    }
}
