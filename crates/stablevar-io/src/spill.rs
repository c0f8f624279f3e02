//! Training rows that do not fit into memory: encoded once into a file of their own, from which every pass reads them.
//!
//! The file has no name and is gone with the process, however that ends.

use crate::stream::TableStream;
use crate::{IoError, Result};
use stablevar::Matrix;
use stablevar::design::{Frame, KeptRows, Roles, TrainingData};
use stablevar::engine::WIDE_TILE;
use stablevar::engine::{Chunk, Pass, RowSource};
use stablevar::error::Error;
use stablevar::preparation::{Settle, Surveyed, settle};
use std::borrow::Cow;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Values that are read at once by a thread, about.
const READ_VALUES: usize = 1 << 17;
const VALUE: u64 = size_of::<f64>() as u64;

/// Encoded rows in a file: the design matrix row by row, then all outcomes, then all base weights if they differ from 1.
pub struct FileRows {
    frame: Frame,
    rows: RowFile,
    kept: KeptRows,
    /// The environment of each row, which is small enough for memory.
    environment: Option<Vec<u32>>,
}

struct RowFile {
    file: File,
    folder: PathBuf,
    count: usize,
    width: usize,
    unweighted: bool,
}

/// What a first reading of a table found.
pub struct Survey {
    found: Surveyed,
    /// The last file that was read.
    last: String,
    read: usize,
}

/// Values that are encoded at once, about: a text column may become very many.
const ENCODED_VALUES: usize = 1 << 20;

fn in_file(path: &str) -> impl Fn(Error) -> IoError + use<> {
    let path = path.to_string();
    move |source| IoError::Table { path: path.clone(), source }
}

/// Reads a table once, to survey it. `progress` is called with the rows read so far.
pub fn survey(stream: &TableStream, roles: &Roles, progress: &dyn Fn(usize)) -> Result<Survey> {
    let (mut read, mut last, mut found): (usize, String, Option<Surveyed>) = (0, String::new(), None);
    stream.for_each(|part| {
        let (look, _) = Surveyed::at(&part.table, roles, part.first).map_err(in_file(&part.path))?;
        let before = found.take().map_or(Ok(None), |before| before.merge(look.clone()).map(Some));
        found = Some(before.map_err(in_file(&part.path))?.unwrap_or(look));
        read += part.table.rows();
        last = part.path;
        progress(read);
        Ok(())
    })?;
    match found {
        Some(found) => Ok(Survey { found, last, read }),
        None => Err(IoError::Empty { path: last }),
    }
}

impl Survey {
    /// Columns that the table has once it is encoded.
    pub fn width(&self, roles: &Roles) -> Result<usize> {
        let draft = self.found.clone().draft(roles).map_err(in_file(&self.last))?;
        Ok(draft.frame.columns())
    }

    /// Reads the table again to encode it, and leaves its rows in a file in the folder given. `progress` is called with the rows
    /// read so far, of both readings.
    pub fn encode(
        self,
        stream: &TableStream,
        roles: &Roles,
        folder: &Path,
        progress: &dyn Fn(usize),
    ) -> Result<FileRows> {
        let Self { found, last, mut read } = self;
        let draft = found.draft(roles).map_err(in_file(&last))?;
        let changed =
            |path: &str| IoError::Damaged { path: path.into(), message: "it changed while it was read".into() };
        let width = draft.frame.columns() + 1;
        let rows = RowFile::create(folder, draft.kept.len(), width, draft.unweighted)?;
        let few = (ENCODED_VALUES / width).max(64);
        let mut place = 0;
        let mut environment = draft.frame.environments.as_ref().map(|_| Vec::with_capacity(rows.count));
        stream.for_each(|part| {
            for start in (0..part.table.rows()).step_by(few) {
                let positions: Vec<usize> = (start..(start + few).min(part.table.rows())).collect();
                let whole = positions.len() == part.table.rows();
                let some =
                    if whole { Cow::Borrowed(&part.table) } else { Cow::Owned(part.table.keep_rows(&positions)) };
                let data = draft.encode(&some, roles, part.first + start).map_err(in_file(&part.path))?;
                if place + data.rows() > rows.count {
                    return Err(changed(&part.path));
                }
                rows.write(place, &data)?;
                if let (Some(all), Some(own)) = (&mut environment, &data.environment) {
                    all.extend_from_slice(own);
                }
                place += data.rows();
            }
            read += part.table.rows();
            progress(read);
            Ok(())
        })?;
        if place != rows.count {
            return Err(changed(&last));
        }
        let mut rows = FileRows { frame: draft.frame, rows, kept: draft.kept, environment };
        settle(&mut rows).map_err(in_file(&last))?;
        Ok(rows)
    }
}

/// Reads a table twice, to survey and to encode it, and leaves its rows in a file in the folder given.
///
/// `progress` is called with the rows read so far, of both readings.
pub fn prepare_file(stream: &TableStream, roles: &Roles, folder: &Path, progress: &dyn Fn(usize)) -> Result<FileRows> {
    survey(stream, roles, progress)?.encode(stream, roles, folder, progress)
}

impl FileRows {
    /// Which rows of the table these are.
    pub fn kept(&self) -> &KeptRows {
        &self.kept
    }

    /// Shows the design matrix part by part.
    pub fn for_each<E: From<IoError>>(
        &self,
        mut visit: impl FnMut(Matrix) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let step = self.rows.read_rows();
        for first in (0..self.rows.count).step_by(step) {
            let range = first..(first + step).min(self.rows.count);
            let mut values = vec![0.0; range.len() * self.rows.width];
            self.rows.read(range.start as u64 * self.rows.width as u64, &mut values).map_err(|e| self.rows.fault(e))?;
            visit(Matrix::from_values(range.len(), self.rows.width, values))?;
        }
        Ok(())
    }
}

impl RowSource for FileRows {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn run(&self, pass: &Pass) -> std::result::Result<Vec<f64>, Error> {
        let outcome = pass.run_in_blocks(self.rows.count, self.rows.width, |block, visit| self.rows.show(block, visit));
        outcome.map_err(|error| Error::Pass(self.rows.fault(error).to_string()))
    }

    fn take(&self, places: &[usize]) -> std::result::Result<TrainingData, Error> {
        let width = self.rows.width;
        let mut design = Matrix::zeros(places.len(), width);
        let (mut base, mut outcome) = (vec![1.0; places.len()], vec![0.0; places.len()]);
        // In the order of the file, which disks like.
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(|&k| places[k]);
        let read = |k: usize, row: &mut [f64], base: &mut f64, outcome: &mut f64| {
            let place = places[k];
            self.rows.read(place as u64 * width as u64, row)?;
            self.rows.read(self.rows.outcomes() + place as u64, std::slice::from_mut(outcome))?;
            if !self.rows.unweighted {
                self.rows.read(self.rows.bases() + place as u64, std::slice::from_mut(base))?;
            }
            Ok(())
        };
        for k in order {
            let row = &mut design.values_mut()[k * width..(k + 1) * width];
            read(k, row, &mut base[k], &mut outcome[k])
                .map_err(|error| Error::Pass(self.rows.fault(error).to_string()))?;
        }
        let environment = self.environment.as_ref().map(|all| places.iter().map(|&place| all[place]).collect());
        Ok(TrainingData { environment, ..self.frame.with_rows(design, base, outcome)? })
    }

    fn position(&self, place: usize) -> usize {
        self.kept.position(place)
    }
}

impl Settle for FileRows {
    fn settle(&mut self, frame: Frame, keep: Option<&[usize]>) -> std::result::Result<(), Error> {
        if let Some(keep) = keep {
            self.rows = self.rows.keep_columns(keep).map_err(|error| Error::Pass(error.to_string()))?;
        }
        self.frame = frame;
        Ok(())
    }
}

impl RowFile {
    fn create(folder: &Path, count: usize, width: usize, unweighted: bool) -> Result<Self> {
        let file = tempfile::tempfile_in(folder);
        let file = file.map_err(|source| IoError::Spill { folder: folder.display().to_string(), source })?;
        Ok(Self { file, folder: folder.to_path_buf(), count, width, unweighted })
    }

    fn fault(&self, source: std::io::Error) -> IoError {
        IoError::Spill { folder: self.folder.display().to_string(), source }
    }

    /// Where the outcomes begin, in values.
    fn outcomes(&self) -> u64 {
        self.count as u64 * self.width as u64
    }

    fn bases(&self) -> u64 {
        self.outcomes() + self.count as u64
    }

    fn read(&self, start: u64, values: &mut [f64]) -> std::io::Result<()> {
        read_exact_at(&self.file, bytemuck::cast_slice_mut(values), start * VALUE)
    }

    fn write(&self, place: usize, data: &TrainingData) -> Result<()> {
        let write = |start: u64, values: &[f64]| {
            write_all_at(&self.file, bytemuck::cast_slice(values), start * VALUE).map_err(|error| self.fault(error))
        };
        write(place as u64 * self.width as u64, data.design.values())?;
        write(self.outcomes() + place as u64, &data.outcome)?;
        if self.unweighted { Ok(()) } else { write(self.bases() + place as u64, &data.base) }
    }

    /// RowFile read at once: whole tiles, so that sums are the same to the last bit as those of rows in memory.
    fn read_rows(&self) -> usize {
        (READ_VALUES / self.width).next_multiple_of(WIDE_TILE)
    }

    /// Reads a block and shows it in chunks.
    fn show(&self, block: Range<usize>, visit: &mut dyn FnMut(Chunk)) -> std::io::Result<()> {
        let step = self.read_rows().min(block.len());
        let (mut design, mut outcome, mut base) = (vec![0.0; step * self.width], vec![0.0; step], vec![1.0; step]);
        for first in block.clone().step_by(step) {
            let count = step.min(block.end - first);
            let (design, outcome, base) =
                (&mut design[..count * self.width], &mut outcome[..count], &mut base[..count]);
            self.read(first as u64 * self.width as u64, design)?;
            self.read(self.outcomes() + first as u64, outcome)?;
            if !self.unweighted {
                self.read(self.bases() + first as u64, base)?;
            }
            visit(Chunk { first, design, base, outcome });
        }
        Ok(())
    }

    /// A file of the same rows with some columns only.
    fn keep_columns(&self, keep: &[usize]) -> Result<Self> {
        let used: Vec<usize> = std::iter::once(0).chain(keep.iter().map(|column| column + 1)).collect();
        let narrow = Self::create(&self.folder, self.count, used.len(), self.unweighted)?;
        let mut fault = None;
        let shown = self.show(0..self.count, &mut |chunk| {
            let rows = chunk.design.chunks_exact(self.width);
            let values: Vec<f64> = rows.flat_map(|row| used.iter().map(|&column| row[column])).collect();
            let write =
                |start: u64, values: &[f64]| write_all_at(&narrow.file, bytemuck::cast_slice(values), start * VALUE);
            let written = write(chunk.first as u64 * narrow.width as u64, &values)
                .and_then(|()| write(narrow.outcomes() + chunk.first as u64, chunk.outcome))
                .and_then(|()| {
                    if narrow.unweighted { Ok(()) } else { write(narrow.bases() + chunk.first as u64, chunk.base) }
                });
            fault = fault.take().or(written.err());
        });
        shown.and_then(|()| fault.map_or(Ok(()), Err)).map_err(|error| self.fault(error))?;
        Ok(narrow)
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], start: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], start: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, start)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut start: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, start)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            count => (bytes, start) = (&mut bytes[count..], start + count as u64),
        }
    }
    Ok(())
}

#[cfg(windows)]
fn write_all_at(file: &File, mut bytes: &[u8], mut start: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, start)? {
            0 => return Err(std::io::ErrorKind::WriteZero.into()),
            count => (bytes, start) = (&bytes[count..], start + count as u64),
        }
    }
    Ok(())
}
