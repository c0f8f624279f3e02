//! Parquet and Arrow IPC files, read batch by batch.

use crate::guard::guarded;
use crate::stream::{StreamInput, TablePart, Visit};
use crate::{IoError, ReadOptions, Result};
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch, cast::AsArray};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::file::reader::ChunkReader;
use stablevar::error::Error;
use stablevar::table::{Column, Table, TextValues, Values};

/// Shows several Parquet files as one table, in this order. They must have the same columns.
pub(crate) fn parquet_pieces(parts: &[StreamInput], options: &ReadOptions, rows: usize, visit: Visit) -> Result<()> {
    let mut columns = Columns::new(options);
    for part in parts {
        let name = part.name();
        match part {
            StreamInput::File(path) => {
                if !crate::begins_as_parquet(path) {
                    let message = "it is not a Parquet file, and only such can be parts of a table".into();
                    return Err(IoError::PartDiffers { path: name, message });
                }
                let file = std::fs::File::open(path);
                columns.parquet(
                    &name,
                    file.map_err(|source| IoError::Read { path: name.clone(), source })?,
                    rows,
                    visit,
                )?;
            }
            StreamInput::Bytes(_, bytes) => columns.parquet(&name, bytes.clone(), rows, visit)?,
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
    };
    found.map_err(|error| damaged(&path, &error))
}

/// Rows of Parquet files, by what they say of themselves; files that can't be understood have none.
pub(crate) fn parquet_rows(parts: &[StreamInput]) -> u64 {
    let rows = |part| parquet_metadata(part).map_or(0, |data| data.metadata().file_metadata().num_rows());
    parts.iter().map(|part| u64::try_from(rows(part)).unwrap_or(0)).sum()
}

/// Names of the columns that are read of a table in these files.
pub(crate) fn parquet_columns(parts: &[StreamInput], options: &ReadOptions) -> Result<Vec<String>> {
    let Some(first) = parts.first() else { return Ok(Vec::new()) };
    Ok(used(parquet_metadata(first)?.schema(), options))
}

/// How many columns that are read hold text.
pub(crate) fn parquet_text(parts: &[StreamInput], options: &ReadOptions) -> Result<usize> {
    let Some(first) = parts.first() else { return Ok(0) };
    Ok(text_columns(parquet_metadata(first)?.schema(), options))
}

/// The same of an Arrow file.
pub(crate) fn ipc_text(path: &str, bytes: &[u8], options: &ReadOptions) -> Result<usize> {
    Ok(text_columns(&open_ipc(path, bytes, None)?.schema(), options))
}

fn text_columns(schema: &SchemaRef, options: &ReadOptions) -> usize {
    let used = schema.fields().iter().filter(|field| !options.skips(field.name()));
    used.filter(|field| is_text(field.data_type()) || options.text.contains(field.name())).count()
}

fn is_text(kind: &DataType) -> bool {
    let holds_text = |kind: &DataType| matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    holds_text(kind) || matches!(kind, DataType::Dictionary(_, value) if holds_text(value))
}

/// Names of the columns that are read of an Arrow file.
pub(crate) fn ipc_columns(path: &str, bytes: &[u8], options: &ReadOptions) -> Result<Vec<String>> {
    Ok(used(&open_ipc(path, bytes, None)?.schema(), options))
}

fn used(schema: &SchemaRef, options: &ReadOptions) -> Vec<String> {
    let names = schema.fields().iter().map(|field| field.name().clone());
    names.filter(|name| !options.skips(name)).collect()
}

pub(crate) fn ipc_pieces(path: &str, bytes: &[u8], options: &ReadOptions, visit: Visit) -> Result<()> {
    let schema = open_ipc(path, bytes, None)?.schema();
    let mut columns = Columns::new(options);
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
    options: &'a ReadOptions,
    /// Names of all columns of the first file, used or not.
    names: Vec<String>,
    /// What those used hold, once a batch was seen.
    kinds: Vec<&'static str>,
}

impl<'a> Columns<'a> {
    fn new(options: &'a ReadOptions) -> Self {
        Self { options, names: Vec::new(), kinds: Vec::new() }
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
            let fault = |source| IoError::Table { path: path.into(), source };
            if let Some(column) = self.options.skip.iter().find(|name| !names.contains(name)) {
                return Err(fault(Error::UnknownColumn { column: column.clone(), available: names }));
            }
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
        Ok((0..self.names.len()).filter(|&k| !self.options.skips(&self.names[k])).collect())
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
            let table = guarded(path, || self.table(path, &batch))??;
            let rows = table.rows();
            visit(TablePart { path: path.into(), first, table })?;
            first += rows;
        }
        Ok(())
    }

    fn table(&mut self, path: &str, batch: &RecordBatch) -> Result<Table<'static>> {
        let mut columns = Vec::with_capacity(batch.num_columns());
        for (k, (field, array)) in batch.schema().fields().iter().zip(batch.columns()).enumerate() {
            let name = field.name();
            let values = values(path, name, array, self.options.text.contains(name))?;
            let here = values.kind();
            if self.kinds.len() == k {
                self.kinds.push(here);
            }
            let before = self.kinds[k];
            if before != here {
                let message = format!("column '{name}' holds {here} here and {before} in what was read before");
                return Err(IoError::PartDiffers { path: path.into(), message });
            }
            columns.push(Column { name: name.clone(), values });
        }
        Table::new(columns).map_err(|source| IoError::Table { path: path.into(), source })
    }

    /// Without a single batch there are columns all the same.
    fn finish(self, path: &str, visit: Visit) -> Result<()> {
        if !self.kinds.is_empty() {
            return Ok(());
        }
        let names = self.names.into_iter().filter(|name| !self.options.skips(name));
        let empty = names.map(|name| Column { name, values: Values::Number(Vec::new().into()) }).collect();
        let table = Table::new(empty).map_err(|source| IoError::Table { path: path.into(), source })?;
        visit(TablePart { path: path.into(), first: 0, table })
    }
}

fn values(path: &str, name: &str, array: &dyn Array, as_text: bool) -> Result<Values<'static>> {
    let converted =
        |to: &DataType| cast(array, to).map_err(|error| damaged(path, &format!("column '{name}': {error}")));
    let kind = array.data_type();
    if is_text(kind) || as_text {
        let array = converted(&DataType::Utf8)?;
        return Ok(Values::Text(TextValues::collect(array.as_string::<i32>().iter())));
    }
    if *kind == DataType::Boolean {
        return Ok(Values::Boolean(array.as_boolean().iter().collect()));
    }
    if kind.is_numeric() || *kind == DataType::Null {
        let array = converted(&DataType::Float64)?;
        return Ok(Values::Number(
            array.as_primitive::<Float64Type>().iter().map(|value| value.unwrap_or(f64::NAN)).collect(),
        ));
    }
    Err(IoError::Unsupported { path: path.into(), column: name.into(), kind: kind.to_string() })
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
