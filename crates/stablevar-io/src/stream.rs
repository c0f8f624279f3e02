//! A table that is read in parts, as often as wanted, so that it need not fit into memory.

use crate::csv_table::CsvLayout;
use crate::{IoError, ReadOptions, Result, arrow_table, begins_as_parquet, display, parts, read_bytes};
use bytes::Bytes;
use stablevar::table::{Column, Table, TextValues, Values};
use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Values in a part, about: enough for all threads, few beside any memory.
const PIECE_VALUES: usize = 1 << 20;

/// Some rows of a table that follow each other.
pub struct TablePart {
    /// The file they are from.
    pub path: String,
    /// The position in that file of the first of them.
    pub first: usize,
    /// The rows.
    pub table: Table<'static>,
}

/// What is done with every part.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(TablePart) -> Result<()>;

/// Where bytes come from.
pub(crate) enum StreamInput {
    File(PathBuf),
    /// What can be read but once, such as standard input: its name and all it gave.
    Bytes(String, Bytes),
}

impl StreamInput {
    /// As messages show it.
    pub(crate) fn name(&self) -> String {
        match self {
            StreamInput::File(path) => display(path),
            StreamInput::Bytes(name, _) => name.clone(),
        }
    }
}

enum Layout {
    Parquet(Vec<StreamInput>),
    /// Its index is at its end, so that it is read whole.
    Ipc(String, Bytes),
    Csv(StreamInput, CsvLayout),
}

/// How large a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableSize {
    /// Rows.
    pub rows: u64,
    /// Columns that are read.
    pub columns: usize,
    /// How many of them hold text.
    pub text: usize,
    /// Bytes that are held as long as the table is open, as those of standard input.
    pub held: u64,
}

/// A table that is read in parts, as often as wanted.
pub struct TableStream {
    layout: Layout,
    options: ReadOptions,
}

impl TableStream {
    /// Finds out what kind of file it is and, for CSV, what its columns hold. `-` is standard input, which is kept in memory;
    /// a folder or a pattern stands for several Parquet files.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        let options = options.clone();
        if let Some(parts) = parts::parts(path)? {
            let parts = parts.into_iter().map(StreamInput::File).collect();
            return Ok(Self { layout: Layout::Parquet(parts), options });
        }
        if begins_as_parquet(path) {
            return Ok(Self { layout: Layout::Parquet(vec![StreamInput::File(path.to_path_buf())]), options });
        }
        let mut start = Vec::new();
        if path.is_file() {
            let read = std::fs::File::open(path).and_then(|file| file.take(6).read_to_end(&mut start));
            read.map_err(|source| IoError::Read { path: display(path), source })?;
        }
        // Standard input, a device or a pipe can be read but once.
        if start == b"ARROW1" || !path.is_file() {
            return Self::of_bytes(display(path), read_bytes(path)?, &options);
        }
        Self::of_csv(StreamInput::File(path.to_path_buf()), options)
    }

    /// A table whose file is in memory.
    pub fn of_bytes(name: String, bytes: Vec<u8>, options: &ReadOptions) -> Result<Self> {
        let options = options.clone();
        let bytes = Bytes::from(bytes);
        let layout = if bytes.starts_with(b"PAR1") {
            Layout::Parquet(vec![StreamInput::Bytes(name, bytes)])
        } else if bytes.starts_with(b"ARROW1") {
            Layout::Ipc(name, bytes)
        } else {
            return Self::of_csv(StreamInput::Bytes(name, bytes), options);
        };
        Ok(Self { layout, options })
    }

    fn of_csv(input: StreamInput, options: ReadOptions) -> Result<Self> {
        if is_blank(&input)? {
            return Err(IoError::Empty { path: input.name() });
        }
        let layout = CsvLayout::find(&input, &options)?;
        Ok(Self { layout: Layout::Csv(input, layout), options })
    }

    /// How large the table is.
    pub fn size(&self) -> Result<TableSize> {
        let columns = self.columns()?.len();
        let held = |input: &StreamInput| if let StreamInput::Bytes(_, bytes) = input { bytes.len() as u64 } else { 0 };
        let (rows, text, held) = match &self.layout {
            Layout::Parquet(parts) => (
                arrow_table::parquet_rows(parts),
                arrow_table::parquet_text(parts, &self.options)?,
                parts.iter().map(held).sum(),
            ),
            Layout::Ipc(name, bytes) => (
                crate::arrow_check::rows(bytes),
                arrow_table::ipc_text(name, bytes, &self.options)?,
                bytes.len() as u64,
            ),
            Layout::Csv(input, layout) => (layout.rows(), layout.text(), held(input)),
        };
        Ok(TableSize { rows, columns, text, held })
    }

    /// Names of the columns that are read.
    pub fn columns(&self) -> Result<Vec<String>> {
        match &self.layout {
            Layout::Parquet(parts) => arrow_table::parquet_columns(parts, &self.options),
            Layout::Ipc(name, bytes) => arrow_table::ipc_columns(name, bytes, &self.options),
            Layout::Csv(_, layout) => Ok(layout.columns()),
        }
    }

    /// Shows the table part by part, in order; if it has no rows, one part without rows.
    pub fn for_each(&self, mut visit: impl FnMut(TablePart) -> Result<()>) -> Result<()> {
        let columns = self.columns()?.len();
        self.parts((PIECE_VALUES / columns.max(1)).clamp(1024, 1 << 16), &mut visit)
    }

    fn parts(&self, rows: usize, visit: Visit) -> Result<()> {
        match &self.layout {
            Layout::Parquet(parts) => arrow_table::parquet_pieces(parts, &self.options, rows, visit),
            Layout::Ipc(name, bytes) => arrow_table::ipc_pieces(name, bytes, &self.options, visit),
            Layout::Csv(input, layout) => layout.parts(input, rows, visit),
        }
    }

    /// The whole table.
    pub fn read(&self) -> Result<Table<'static>> {
        let mut growing = Growing::default();
        self.for_each(|part| growing.add(part))?;
        growing.finish()
    }

    /// The rows at some positions, in that order.
    pub fn pick(&self, positions: &[usize]) -> Result<Table<'static>> {
        let mut growing = Growing::default();
        let mut order: Vec<usize> = (0..positions.len()).collect();
        order.sort_by_key(|&k| positions[k]);
        let mut wanted = order.iter().map(|&k| positions[k]).peekable();
        let mut before = 0;
        self.for_each(|part| {
            let end = before + part.table.rows();
            let mut here = Vec::new();
            while let Some(position) = wanted.next_if(|position| *position < end) {
                here.push(position - before);
            }
            before = end;
            growing.add(TablePart { table: part.table.keep_rows(&here), ..part })
        })?;
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(rank, &k)| place[k] = rank);
        let sorted = growing.finish()?;
        place.retain(|&rank| rank < sorted.rows());
        Ok(sorted.keep_rows(&place))
    }
}

fn is_blank(input: &StreamInput) -> Result<bool> {
    const SEEN: usize = 1 << 16;
    let mut start = Vec::new();
    match input {
        StreamInput::File(path) => {
            let file = std::fs::File::open(path).and_then(|file| file.take(SEEN as u64).read_to_end(&mut start));
            file.map_err(|source| IoError::Read { path: input.name(), source })?;
        }
        StreamInput::Bytes(_, bytes) => start.extend_from_slice(&bytes[..bytes.len().min(SEEN)]),
    }
    Ok(start.iter().all(u8::is_ascii_whitespace))
}

/// A table to which parts are added.
#[derive(Default)]
pub struct Growing {
    columns: Vec<Column<'static>>,
    /// For every column the positions of its levels.
    levels: Vec<HashMap<String, u32>>,
}

impl Growing {
    /// Adds a part, whose columns must be those of the parts before.
    pub fn add(&mut self, part: TablePart) -> Result<()> {
        for (k, column) in part.table.columns().iter().enumerate() {
            if self.columns.len() == k {
                let values = empty_like(&column.values);
                self.columns.push(Column { name: column.name.clone(), values });
                self.levels.push(HashMap::new());
            }
            append(&mut self.columns[k].values, &column.values, &mut self.levels[k]);
        }
        Ok(())
    }

    /// What it has grown to.
    pub fn finish(self) -> Result<Table<'static>> {
        Table::new(self.columns).map_err(|source| IoError::Table { path: "the table".into(), source })
    }
}

fn empty_like(values: &Values) -> Values<'static> {
    match values {
        Values::Number(_) => Values::Number(Vec::new().into()),
        Values::Boolean(_) => Values::Boolean(Vec::new()),
        Values::Text(_) => Values::Text(TextValues::default()),
    }
}

/// Adds values of the same kind.
fn append(all: &mut Values<'static>, more: &Values, positions: &mut HashMap<String, u32>) {
    match (all, more) {
        (Values::Number(all), Values::Number(more)) => all.extend(more.iter()),
        (Values::Boolean(all), Values::Boolean(more)) => all.extend(more),
        (Values::Text(all), Values::Text(more)) => {
            let place = |level: &String| {
                *positions.entry(level.clone()).or_insert_with(|| {
                    all.levels.push(level.clone());
                    (all.levels.len() - 1) as u32
                })
            };
            let places: Vec<u32> = more.levels.iter().map(place).collect();
            all.codes.extend(more.codes.iter().map(|code| code.map(|code| places[code as usize])));
        }
        // Readers see to it that a column keeps its kind.
        _ => {}
    }
}
