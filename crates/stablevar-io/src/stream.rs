//! A table that is read in parts, as often as wanted, so that it need not fit into memory.

use crate::csv_table::{self, CsvLayout};
use crate::packing::{Packing, refuse_others};
use crate::reading::Plan;
use crate::{IoError, ReadOptions, Result, arrow_table, begins_as_parquet, display, parquet_table, parts, read_bytes};
use bytes::Bytes;
use stablevar::error::Error;
use stablevar::notation::Reading;
use stablevar::table::{Column, Table, TextValues, Values};
use stablevar::wording::Wording;
use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Bytes of a file that tell what it is.
const START: u64 = 32;

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
    /// A CSV file that is packed.
    Packed(PathBuf, Packing),
    /// What can be read but once, such as standard input: its name and all it gave.
    Bytes(String, Bytes),
}

impl StreamInput {
    /// As messages show it.
    pub(crate) fn name(&self) -> String {
        match self {
            StreamInput::File(path) | StreamInput::Packed(path, _) => display(path),
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
    plan: Plan,
    path: String,
}

impl TableStream {
    /// Finds out what kind of file it is and what its columns hold. `-` is standard input, which is kept in memory; a folder or
    /// a pattern stands for several Parquet files.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        if let Some(parts) = parts::parts(path)? {
            return Self::of_parquet(parts.into_iter().map(StreamInput::File).collect(), options);
        }
        if begins_as_parquet(path) {
            return Self::of_parquet(vec![StreamInput::File(path.to_path_buf())], options);
        }
        let fault = |source| IoError::Read { path: display(path), source };
        let mut start = Vec::new();
        if path.is_file() {
            let read = std::fs::File::open(path).and_then(|file| file.take(START).read_to_end(&mut start));
            read.map_err(fault)?;
        }
        refuse_others(&display(path), &start)?;
        // Standard input, a device or a pipe can be read but once.
        if start.starts_with(b"ARROW1") || !path.is_file() {
            return Self::of_bytes(display(path), read_bytes(path)?, options);
        }
        if let Some(packing) = Packing::of(&start) {
            let mut inside = Vec::new();
            let file = std::io::BufReader::new(std::fs::File::open(path).map_err(fault)?);
            let unpacked = packing.unpack(file).and_then(|unpacked| unpacked.take(6).read_to_end(&mut inside));
            unpacked.map_err(|error| damaged(path, &error))?;
            if inside.starts_with(b"PAR1") || inside.starts_with(b"ARROW1") {
                return Self::of_bytes(display(path), read_bytes(path)?, options);
            }
            return Self::of_csv(StreamInput::Packed(path.to_path_buf(), packing), options);
        }
        Self::of_csv(StreamInput::File(path.to_path_buf()), options)
    }

    /// A table whose file is in memory.
    pub fn of_bytes(name: String, bytes: Vec<u8>, options: &ReadOptions) -> Result<Self> {
        refuse_others(&name, &bytes)?;
        let bytes = match Packing::of(&bytes) {
            None => Bytes::from(bytes),
            Some(packing) => {
                Bytes::from(packing.unpack_all(&bytes[..]).map_err(|error| damaged(Path::new(&name), &error))?)
            }
        };
        if bytes.starts_with(b"PAR1") {
            return Self::of_parquet(vec![StreamInput::Bytes(name, bytes)], options);
        }
        if bytes.starts_with(b"ARROW1") {
            let mut plan = Plan::new(options, &name, arrow_table::columns(&name, &bytes)?)?;
            arrow_table::look_at(&name, &bytes, &mut plan)?;
            return Ok(Self { layout: Layout::Ipc(name.clone(), bytes), plan, path: name });
        }
        Self::of_csv(StreamInput::Bytes(name, bytes), options)
    }

    fn of_parquet(parts: Vec<StreamInput>, options: &ReadOptions) -> Result<Self> {
        let path = parts.first().map(StreamInput::name).unwrap_or_default();
        let mut plan = Plan::new(options, &path, parquet_table::columns(&parts)?)?;
        parquet_table::look_at(&parts, PIECE_VALUES, &mut plan)?;
        Ok(Self { layout: Layout::Parquet(parts), plan, path })
    }

    fn of_csv(input: StreamInput, options: &ReadOptions) -> Result<Self> {
        let path = input.name();
        if is_blank(&input)? {
            return Err(IoError::Empty { path });
        }
        let (delimiter, names) = csv_table::header_of(&input, options.delimiter)?;
        let mut plan = Plan::new(options, &path, names)?;
        let layout = CsvLayout::find(&input, delimiter, &mut plan)?;
        Ok(Self { layout: Layout::Csv(input, layout), plan, path })
    }

    /// How the texts of columns are read, for those that hold numbers or dates in a notation of their own.
    pub fn reading(&self) -> &Reading {
        &self.plan.reading
    }

    /// The same in words, where that was not known before.
    pub fn told(&self, wording: &dyn Wording) -> Vec<String> {
        self.plan.told(wording)
    }

    /// Refuses names that no column bears, whether it is read or not.
    pub fn require<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let available = self.plan.names.iter().flat_map(|name| match self.plan.reading.get(name) {
            Some(notation) => notation.derived(name),
            None => vec![name.clone()],
        });
        let available: Vec<String> = available.collect();
        match names.into_iter().find(|name| !available.iter().any(|known| known == name)) {
            None => Ok(()),
            Some(column) => {
                let source = Error::UnknownColumn { column: column.into(), available };
                Err(IoError::Table { path: self.path.clone(), source })
            }
        }
    }

    /// Refuses a table that lacks a column which a model needs.
    pub fn require_for_model<'a>(&self, needed: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let needed: Vec<&str> = needed.into_iter().collect();
        self.require(needed.iter().copied()).map_err(|error| match error {
            IoError::Table { path, source: Error::UnknownColumn { column, available } } => {
                let needed = needed.iter().map(|name| name.to_string()).collect();
                IoError::NotTheModels { path, column, available, needed }
            }
            other => other,
        })
    }

    /// Names of columns that were given one by one or as lists, as in `a,b`.
    pub fn named(&self, given: &[String]) -> Vec<String> {
        self.plan.named(given)
    }

    /// The columns that were said to hold categories.
    pub fn categories(&self) -> impl Iterator<Item = &str> {
        self.plan.categories().iter().map(String::as_str)
    }

    /// Whether a column of the file is passed over.
    pub fn passes_over(&self, name: &str) -> bool {
        self.plan.skips(&name.to_string())
    }

    /// How large the table is.
    pub fn size(&self) -> Result<TableSize> {
        let columns = self.columns().len();
        let held = |input: &StreamInput| if let StreamInput::Bytes(_, bytes) = input { bytes.len() as u64 } else { 0 };
        let (rows, text, held) = match &self.layout {
            Layout::Parquet(parts) => {
                (parquet_table::rows(parts), parquet_table::text(parts, &self.plan)?, parts.iter().map(held).sum())
            }
            Layout::Ipc(name, bytes) => {
                (crate::arrow_check::rows(bytes), arrow_table::text(name, bytes, &self.plan)?, bytes.len() as u64)
            }
            Layout::Csv(input, layout) => (layout.rows(), layout.text(), held(input)),
        };
        Ok(TableSize { rows, columns, text, held })
    }

    /// Names of the columns that are read.
    pub fn columns(&self) -> Vec<String> {
        self.plan.columns()
    }

    /// Shows the table part by part, in order; if it has no rows, one part without rows.
    pub fn for_each(&self, mut visit: impl FnMut(TablePart) -> Result<()>) -> Result<()> {
        let columns = self.columns().len();
        self.parts((PIECE_VALUES / columns.max(1)).clamp(1024, 1 << 16), &mut visit)
    }

    fn parts(&self, rows: usize, visit: Visit) -> Result<()> {
        match &self.layout {
            Layout::Parquet(parts) => parquet_table::pieces(parts, &self.plan, rows, visit),
            Layout::Ipc(name, bytes) => arrow_table::pieces(name, bytes, &self.plan, visit),
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

fn damaged(path: &Path, error: &dyn std::fmt::Display) -> IoError {
    IoError::Damaged { path: display(path), message: error.to_string() }
}

fn is_blank(input: &StreamInput) -> Result<bool> {
    const SEEN: u64 = 1 << 16;
    let mut start = Vec::new();
    let read = csv_table::open(input)?.take(SEEN).read_to_end(&mut start);
    read.map_err(|error| damaged(Path::new(&input.name()), &error))?;
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
