//! Parquet and Arrow IPC files, read batch by batch.

use crate::arrow_values;
use crate::guard::guarded;
use crate::reading::Plan;
use crate::stream::{StreamInput, TablePart, Visit};
use crate::{IoError, Result};
use arrow_array::{Array, RecordBatch, cast::AsArray};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::file::reader::ChunkReader;
use stablevar::notation::{DateNotation, Notation, Order, Written};
use stablevar::table::{Column, Table, TextValues, Values};

/// Shows several Parquet files as one table, in this order. They must have the same columns.
pub(crate) fn parquet_pieces(parts: &[StreamInput], plan: &Plan, rows: usize, visit: Visit) -> Result<()> {
    let mut columns = Columns::new(plan);
    for part in parts {
        let name = part.name();
        match part {
            StreamInput::File(path) => {
                not_another(part)?;
                let file = std::fs::File::open(path);
                columns.parquet(
                    &name,
                    file.map_err(|source| IoError::Read { path: name.clone(), source })?,
                    rows,
                    visit,
                )?;
            }
            StreamInput::Bytes(_, bytes) => columns.parquet(&name, bytes.clone(), rows, visit)?,
            // Of what is packed CSV alone is read from its file.
            StreamInput::Packed(..) => {}
        }
    }
    columns.finish(&parts.first().map(StreamInput::name).unwrap_or_default(), visit)
}

/// What a Parquet file says of itself.
fn parquet_metadata(part: &StreamInput) -> Result<ArrowReaderMetadata> {
    let (path, options) = (part.name(), ArrowReaderOptions::new());
    let found = match part {
        StreamInput::File(file) => {
            let file = std::fs::File::open(file).map_err(|source| IoError::Read { path: path.clone(), source })?;
            guarded(&path, || ArrowReaderMetadata::load(&file, options))?
        }
        StreamInput::Bytes(_, bytes) => guarded(&path, || ArrowReaderMetadata::load(bytes, options))?,
        StreamInput::Packed(..) => return Err(damaged(&path, &"it is packed")),
    };
    found.map_err(|error| damaged(&path, &error))
}

/// Rows of Parquet files, by what they say of themselves; files that can't be understood have none.
pub(crate) fn parquet_rows(parts: &[StreamInput]) -> u64 {
    let rows = |part| parquet_metadata(part).map_or(0, |data| data.metadata().file_metadata().num_rows());
    parts.iter().map(|part| u64::try_from(rows(part)).unwrap_or(0)).sum()
}

/// Names of the columns of a table in these files.
pub(crate) fn parquet_columns(parts: &[StreamInput]) -> Result<Vec<String>> {
    let Some(first) = parts.first() else { return Ok(Vec::new()) };
    not_another(first)?;
    Ok(names(parquet_metadata(first)?.schema()))
}

/// How many columns that are read hold text, and are not read as numbers or dates.
pub(crate) fn parquet_text(parts: &[StreamInput], plan: &Plan) -> Result<usize> {
    let Some(first) = parts.first() else { return Ok(0) };
    Ok(text_columns(parquet_metadata(first)?.schema(), plan))
}

/// The same of an Arrow file.
pub(crate) fn ipc_text(path: &str, bytes: &[u8], plan: &Plan) -> Result<usize> {
    Ok(text_columns(&open_ipc(path, bytes, None)?.schema(), plan))
}

fn text_columns(schema: &SchemaRef, plan: &Plan) -> usize {
    let used = schema.fields().iter().filter(|field| !plan.skips(field.name()));
    let text = used.filter(|field| holds_text(field.data_type()) || plan.is_text(field.name()));
    text.filter(|field| !plan.reading.contains_key(field.name())).count()
}

/// Names of the columns of an Arrow file.
pub(crate) fn ipc_columns(path: &str, bytes: &[u8]) -> Result<Vec<String>> {
    Ok(names(&open_ipc(path, bytes, None)?.schema()))
}

fn names(schema: &SchemaRef) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

/// Only Parquet files can be parts of a table.
fn not_another(part: &StreamInput) -> Result<()> {
    match part {
        StreamInput::File(path) if !crate::begins_as_parquet(path) => {
            let message = "it is not a Parquet file, and only such can be parts of a table".into();
            Err(IoError::PartDiffers { path: part.name(), message })
        }
        _ => Ok(()),
    }
}

/// Learns from the first rows of a table in these files how texts and dates are read.
pub(crate) fn look_at_parquet(parts: &[StreamInput], values: usize, plan: &mut Plan) -> Result<()> {
    let Some(first) = parts.first() else { return Ok(()) };
    let path = first.name();
    match first {
        StreamInput::File(file) => {
            let file = std::fs::File::open(file).map_err(|source| IoError::Read { path: path.clone(), source })?;
            look_at_rows(&path, file, values, plan)
        }
        StreamInput::Bytes(_, bytes) => look_at_rows(&path, bytes.clone(), values, plan),
        StreamInput::Packed(..) => Ok(()),
    }
}

fn look_at_rows(path: &str, file: impl ChunkReader + 'static, values: usize, plan: &mut Plan) -> Result<()> {
    let builder = guarded(path, || ParquetRecordBatchReaderBuilder::try_new(file))?;
    let builder = builder.map_err(|error| damaged(path, &error))?;
    let told = telling(&builder.schema().clone(), plan);
    if told.is_empty() {
        return Ok(());
    }
    let rows = (values / told.len()).clamp(1024, 1 << 16);
    let mask = ProjectionMask::roots(builder.parquet_schema(), told);
    let reader = guarded(path, || builder.with_projection(mask).with_batch_size(rows).build())?;
    look_at_first(path, reader.map_err(|error| damaged(path, &error))?, plan)
}

fn look_at_first(
    path: &str,
    mut batches: impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>>,
    plan: &mut Plan,
) -> Result<()> {
    match guarded(path, || batches.next())? {
        Some(batch) => {
            let batch = batch.map_err(|error| damaged(path, &error))?;
            guarded(path, || look(path, &batch, plan))?
        }
        None => Ok(()),
    }
}

/// The same of an Arrow file.
pub(crate) fn look_at_ipc(path: &str, bytes: &[u8], plan: &mut Plan) -> Result<()> {
    let told = telling(&open_ipc(path, bytes, None)?.schema(), plan);
    if told.is_empty() {
        return Ok(());
    }
    look_at_first(path, open_ipc(path, bytes, Some(told))?, plan)
}

/// Positions of the columns whose values are to be looked at: texts, dates, and what is to be dates.
fn telling(schema: &SchemaRef, plan: &Plan) -> Vec<usize> {
    let fields = schema.fields().iter().enumerate();
    fields
        .filter(|(_, field)| {
            let name = field.name();
            let kind = field.data_type();
            !plan.skips(name) && !plan.is_text(name) && (holds_text(kind) || is_temporal(kind) || plan.is_dated(name))
        })
        .map(|(k, _)| k)
        .collect()
}

fn look(path: &str, batch: &RecordBatch, plan: &mut Plan) -> Result<()> {
    let schema = batch.schema();
    let mut seen = Vec::new();
    for (field, array) in schema.fields().iter().zip(batch.columns()) {
        let name = field.name();
        if is_temporal(field.data_type()) {
            let days = days(path, name, array)?;
            let parts = plan.takes_apart(name);
            let hours = parts && days.iter().any(|day| day.fract().abs() > 0.0);
            let date = DateNotation { order: Order::YearMonthDay, parts, hours };
            let first = days.iter().find(|day| !day.is_nan());
            plan.note(name, Notation::Date(date), &first.map_or(String::new(), f64::to_string));
            continue;
        }
        let texts = texts(path, name, array)?;
        let mut written = Written::default();
        (0..texts.codes.len()).filter_map(|row| texts.get(row)).for_each(|text| {
            written.see(text);
        });
        seen.push((name.clone(), written, texts));
    }
    let habits = plan.habits(seen.iter().map(|(_, written, _)| written), None);
    for (name, written, texts) in seen {
        let known = plan.known(&name).filter(|known| known.numbers(&texts).is_ok()).cloned();
        // A column of plain numbers that was stored as text was meant to be text.
        let own = || written.notation(habits).filter(|_| written.plain < written.values);
        if let Some(notation) = plan.asked_date(path, &name, &written)?.or(known).or_else(own) {
            plan.note(&name, notation, written.example());
        }
    }
    Ok(())
}

pub(crate) fn ipc_pieces(path: &str, bytes: &[u8], plan: &Plan, visit: Visit) -> Result<()> {
    let schema = open_ipc(path, bytes, None)?.schema();
    let mut columns = Columns::new(plan);
    let used = columns.check(path, &schema)?;
    columns.batches(path, open_ipc(path, bytes, Some(used))?, visit)?;
    columns.finish(path, visit)
}

type IpcReader<'a> = arrow_ipc::reader::FileReader<std::io::Cursor<&'a [u8]>>;

fn open_ipc<'a>(path: &str, bytes: &'a [u8], columns: Option<Vec<usize>>) -> Result<IpcReader<'a>> {
    guarded(path, || {
        crate::arrow_check::check(path, bytes)?;
        IpcReader::try_new(std::io::Cursor::new(bytes), columns).map_err(|error| damaged(path, &error))
    })?
}

fn damaged(path: &str, error: &dyn std::fmt::Display) -> IoError {
    IoError::Damaged { path: path.into(), message: error.to_string() }
}

/// The columns that all parts of a table must have.
struct Columns<'a> {
    plan: &'a Plan,
    /// Names of all columns of the first file, used or not.
    names: Vec<String>,
    /// What those used hold, once a batch was seen.
    kinds: Vec<&'static str>,
}

impl<'a> Columns<'a> {
    fn new(plan: &'a Plan) -> Self {
        Self { plan, names: Vec::new(), kinds: Vec::new() }
    }

    fn parquet(&mut self, path: &str, file: impl ChunkReader + 'static, rows: usize, visit: Visit) -> Result<()> {
        let builder = guarded(path, || ParquetRecordBatchReaderBuilder::try_new(file))?;
        let builder = builder.map_err(|error| damaged(path, &error))?;
        let used = self.check(path, &builder.schema().clone())?;
        let mask = ProjectionMask::roots(builder.parquet_schema(), used);
        let reader = guarded(path, || builder.with_projection(mask).with_batch_size(rows).build())?;
        self.batches(path, reader.map_err(|error| damaged(path, &error))?, visit)
    }

    /// Positions of the columns to read; every file must have those of the first, in the same order.
    fn check(&mut self, path: &str, schema: &SchemaRef) -> Result<Vec<usize>> {
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        if self.names.is_empty() {
            self.names = names;
        } else if self.names != names {
            let differing = self.names.iter().find(|name| !names.contains(name));
            let message = match (differing, names.iter().find(|name| !self.names.contains(name))) {
                (Some(missing), _) => format!("it has no column '{missing}', which the files before it have"),
                (None, Some(more)) => format!("it has a column '{more}', which the files before it do not have"),
                (None, None) => "its columns stand in another order than in the files before it".into(),
            };
            return Err(IoError::PartDiffers { path: path.into(), message });
        }
        Ok((0..self.names.len()).filter(|&k| !self.plan.skips(&self.names[k])).collect())
    }

    fn batches(
        &mut self,
        path: &str,
        mut batches: impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>>,
        visit: Visit,
    ) -> Result<()> {
        let mut first = 0;
        while let Some(batch) = guarded(path, || batches.next())? {
            let batch = batch.map_err(|error| damaged(path, &error))?;
            let table = guarded(path, || self.table(path, &batch, first))??;
            let rows = table.rows();
            visit(TablePart { path: path.into(), first, table })?;
            first += rows;
        }
        Ok(())
    }

    /// The rows of a batch, whose first stands at position `first` of its file.
    fn table(&mut self, path: &str, batch: &RecordBatch, first: usize) -> Result<Table<'static>> {
        let mut columns: Vec<Column> = Vec::with_capacity(batch.num_columns());
        for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
            let name = field.name();
            match self.plan.reading.get(name) {
                Some(notation) => columns.extend(noted(path, name, array, notation, first)?),
                None => {
                    let values = values(path, name, array, self.plan.is_text(name))?;
                    columns.push(Column { name: name.clone(), values });
                }
            }
        }
        for (k, Column { name, values }) in columns.iter().enumerate() {
            let here = values.kind();
            if self.kinds.len() == k {
                self.kinds.push(here);
            }
            let before = self.kinds[k];
            if before != here {
                let message = format!("column '{name}' holds {here} here and {before} in what was read before");
                return Err(IoError::PartDiffers { path: path.into(), message });
            }
        }
        if columns.is_empty() {
            return Ok(Table::without_columns(batch.num_rows()));
        }
        Table::new(columns).map_err(|source| IoError::Table { path: path.into(), source })
    }

    /// Without a single batch there are columns all the same.
    fn finish(self, path: &str, visit: Visit) -> Result<()> {
        if !self.kinds.is_empty() {
            return Ok(());
        }
        let empty = |name| Column { name, values: Values::Number(Vec::new().into()) };
        let table = Table::new(self.plan.columns().into_iter().map(empty).collect());
        let table = table.map_err(|source| IoError::Table { path: path.into(), source })?;
        visit(TablePart { path: path.into(), first: 0, table })
    }
}

fn holds_text(kind: &DataType) -> bool {
    let is_text = |kind: &DataType| matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    is_text(kind) || matches!(kind, DataType::Dictionary(_, value) if is_text(value))
}

fn is_temporal(kind: &DataType) -> bool {
    matches!(kind, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..))
}

fn unsupported(path: &str, name: &str, array: &dyn Array) -> IoError {
    IoError::Unsupported { path: path.into(), column: name.into(), kind: array.data_type().to_string() }
}

fn texts(path: &str, name: &str, array: &dyn Array) -> Result<TextValues> {
    arrow_values::texts(array).ok_or_else(|| unsupported(path, name, array))
}

fn days(path: &str, name: &str, array: &dyn Array) -> Result<Vec<f64>> {
    arrow_values::days(array).ok_or_else(|| unsupported(path, name, array))
}

/// What a column becomes whose texts or dates are read in some notation.
fn noted(path: &str, name: &str, array: &dyn Array, notation: &Notation, first: usize) -> Result<Vec<Column<'static>>> {
    if is_temporal(array.data_type()) {
        return Ok(notation.columns(name, days(path, name, array)?));
    }
    let texts = texts(path, name, array)?;
    let numbers = notation.numbers(&texts).map_err(|row| IoError::NotAsBefore {
        path: path.into(),
        row: first + row + 1,
        column: name.into(),
        value: texts.get(row).unwrap_or_default().into(),
        expected: notation.in_words().into(),
    });
    Ok(notation.columns(name, numbers?))
}

fn values(path: &str, name: &str, array: &dyn Array, as_text: bool) -> Result<Values<'static>> {
    let kind = array.data_type();
    if holds_text(kind) || as_text {
        return Ok(Values::Text(texts(path, name, array)?));
    }
    if *kind == DataType::Boolean {
        return Ok(Values::Boolean(array.as_boolean().iter().collect()));
    }
    let numbers = arrow_values::numbers(array).ok_or_else(|| unsupported(path, name, array))?;
    Ok(Values::Number(numbers.into()))
}

#[cfg(test)]
mod tests {
    use crate::{IoError, ReadOptions, read_table, write_table};
    use stablevar::table::{Column, Table, TextValues, Values};
    use std::path::Path;

    fn part(folder: &Path, name: &str, numbers: &[f64], words: &[&str]) {
        let words = Values::Text(TextValues::collect(words.iter().map(|word| Some(*word))));
        let flags = Values::Boolean(numbers.iter().map(|value| Some(*value > 2.0)).collect());
        let columns = [("x", Values::Number(numbers.to_vec().into())), ("word", words), ("flag", flags)];
        let columns = columns.map(|(name, values)| Column { name: name.into(), values }).to_vec();
        write_table(&folder.join(name), &Table::new(columns).unwrap()).unwrap();
    }

    #[test]
    fn parts_are_one_table_in_the_order_of_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        part(folder.path(), "part.10.parquet", &[5.0, f64::NAN], &["new", "b"]);
        part(folder.path(), "part.2.parquet", &[1.0, 2.0], &["b", "a"]);
        part(folder.path(), "part.3.parquet", &[], &[]);
        std::fs::write(folder.path().join("_metadata"), "not data").unwrap();
        for path in [folder.path().to_path_buf(), folder.path().join("part.*.parquet")] {
            let table = read_table(&path, &ReadOptions::default()).unwrap();
            assert_eq!(table.rows(), 4);
            let Values::Number(x) = &table.column("x").unwrap().values else { panic!("not numbers") };
            assert_eq!(x.to_vec()[..3], [1.0, 2.0, 5.0]);
            let Values::Text(words) = &table.column("word").unwrap().values else { panic!("not text") };
            assert_eq!((words.levels.join(" "), words.get(2)), ("b a new".to_string(), Some("new")));
            let Values::Boolean(flags) = &table.column("flag").unwrap().values else { panic!("not flags") };
            assert_eq!(flags[..3], [Some(false), Some(false), Some(true)]);
        }
        let options = ReadOptions { skip: vec!["word".into()], ..ReadOptions::default() };
        let names = |table: Table| table.columns().iter().map(|column| column.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(read_table(folder.path(), &options).unwrap()), ["x", "flag"]);
        let options = ReadOptions { skip: vec!["wrod".into()], ..ReadOptions::default() };
        assert!(read_table(folder.path(), &options).unwrap_err().to_string().contains("wrod"));
    }

    #[test]
    fn a_part_that_does_not_fit_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let fails = |wanted: &[&str]| {
            let error = read_table(folder.path(), &ReadOptions::default()).unwrap_err();
            let text = error.to_string();
            assert!(wanted.iter().all(|part| text.contains(part)), "{text}");
            error
        };
        assert!(matches!(fails(&["no Parquet files"]), IoError::NoParts { .. }));
        part(folder.path(), "1.parquet", &[1.0], &["a"]);
        let other = Table::from_numbers([("x", vec![1.0]), ("word", vec![2.0])]).unwrap();
        write_table(&folder.path().join("2.parquet"), &other).unwrap();
        fails(&["2.parquet", "no column 'flag'"]);
        let other = Table::from_numbers(["x", "word", "flag"].map(|name| (name, vec![1.0]))).unwrap();
        write_table(&folder.path().join("2.parquet"), &other).unwrap();
        fails(&["2.parquet", "'word' holds numbers here and text"]);
        std::fs::write(folder.path().join("2.parquet"), "x,word,flag\n1,a,true\n").unwrap();
        fails(&["2.parquet", "not a Parquet file"]);
        let whole = std::fs::read(folder.path().join("1.parquet")).unwrap();
        std::fs::write(folder.path().join("2.parquet"), &whole[..whole.len() / 2]).unwrap();
        assert!(matches!(fails(&["2.parquet"]), IoError::Damaged { .. }));
    }
}
