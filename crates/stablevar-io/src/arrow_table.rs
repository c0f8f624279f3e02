//! Parquet and Arrow IPC files, read batch by batch: beside the table there is never more than one batch in memory.

use crate::{IoError, ReadOptions, Result};
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch, cast::AsArray};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;
use stablevar::error::Error;
use stablevar::table::{Column, Table, TextValues, Values};
use std::collections::HashMap;
use std::path::PathBuf;

/// Several Parquet files as one table, in this order. They must have the same columns.
pub(crate) fn read_parquet_parts(parts: &[PathBuf], options: &ReadOptions) -> Result<Table<'static>> {
    let mut table = Growing::new(options);
    for part in parts {
        let path = crate::display(part);
        if !crate::begins_as_parquet(part) {
            let message = "it is not a Parquet file, and only such can be parts of a table".into();
            return Err(IoError::PartDiffers { path, message });
        }
        let file = std::fs::File::open(part).map_err(|source| IoError::Read { path: path.clone(), source })?;
        table.add_parquet(&path, file)?;
    }
    table.finish(&parts.first().map(|part| crate::display(part)).unwrap_or_default())
}

pub(crate) fn read_parquet(path: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Table<'static>> {
    let mut table = Growing::new(options);
    table.add_parquet(path, bytes::Bytes::from(bytes))?;
    table.finish(path)
}

pub(crate) fn read_ipc(path: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Table<'static>> {
    let open = |columns| arrow_ipc::reader::FileReader::try_new(std::io::Cursor::new(&bytes), columns);
    let schema = open(None).map_err(|error| damaged(path, &error))?.schema();
    let mut table = Growing::new(options);
    let used = table.add_schema(path, &schema)?;
    table.add_batches(path, open(Some(used)).map_err(|error| damaged(path, &error))?)?;
    table.finish(path)
}

fn damaged(path: &str, error: &dyn std::fmt::Display) -> IoError {
    IoError::Damaged { path: path.into(), message: error.to_string() }
}

/// A table to which batches are added.
struct Growing<'a> {
    options: &'a ReadOptions,
    /// Names of all columns of the first file, used or not.
    names: Vec<String>,
    columns: Vec<Column<'static>>,
    /// For every column the positions of its levels.
    levels: Vec<HashMap<String, u32>>,
}

impl<'a> Growing<'a> {
    fn new(options: &'a ReadOptions) -> Self {
        Self { options, names: Vec::new(), columns: Vec::new(), levels: Vec::new() }
    }

    fn add_parquet(&mut self, path: &str, file: impl ChunkReader + 'static) -> Result<()> {
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| damaged(path, &error))?;
        let used = self.add_schema(path, &builder.schema().clone())?;
        let mask = ProjectionMask::roots(builder.parquet_schema(), used);
        let reader = builder.with_projection(mask).build().map_err(|error| damaged(path, &error))?;
        self.add_batches(path, reader)
    }

    /// Positions of the columns to read; every file must have those of the first, in the same order.
    fn add_schema(&mut self, path: &str, schema: &SchemaRef) -> Result<Vec<usize>> {
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

    fn add_batches(
        &mut self,
        path: &str,
        batches: impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>>,
    ) -> Result<()> {
        for batch in batches {
            let batch = batch.map_err(|error| damaged(path, &error))?;
            for (k, (field, array)) in batch.schema().fields().iter().zip(batch.columns()).enumerate() {
                let name = field.name();
                let values = values(path, name, array, self.options.text.contains(name))?;
                if self.columns.len() == k {
                    self.columns.push(Column { name: name.clone(), values: empty_like(&values) });
                    self.levels.push(HashMap::new());
                }
                append(&mut self.columns[k].values, values, &mut self.levels[k]).map_err(|(before, here)| {
                    let message = format!("column '{name}' holds {here} here and {before} in what was read before");
                    IoError::PartDiffers { path: path.into(), message }
                })?;
            }
        }
        Ok(())
    }

    fn finish(self, path: &str) -> Result<Table<'static>> {
        // Without a single batch there are columns all the same.
        let names = self.names.into_iter().filter(|name| !self.options.skips(name));
        let columns = if self.columns.is_empty() {
            names.map(|name| Column { name, values: Values::Number(Vec::new().into()) }).collect()
        } else {
            self.columns
        };
        Table::new(columns).map_err(|source| IoError::Table { path: path.into(), source })
    }
}

fn empty_like(values: &Values) -> Values<'static> {
    match values {
        Values::Number(_) => Values::Number(Vec::new().into()),
        Values::Boolean(_) => Values::Boolean(Vec::new()),
        Values::Text(_) => Values::Text(TextValues::default()),
    }
}

/// Adds values of the same kind; the error tells both kinds.
fn append(
    all: &mut Values<'static>,
    more: Values<'static>,
    positions: &mut HashMap<String, u32>,
) -> std::result::Result<(), (&'static str, &'static str)> {
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
            all.codes.extend(more.codes.into_iter().map(|code| code.map(|code| places[code as usize])));
        }
        (all, more) => return Err((all.kind(), more.kind())),
    }
    Ok(())
}

fn values(path: &str, name: &str, array: &dyn Array, as_text: bool) -> Result<Values<'static>> {
    let converted =
        |to: &DataType| cast(array, to).map_err(|error| damaged(path, &format!("column '{name}': {error}")));
    let kind = array.data_type();
    let holds_text = |kind: &DataType| matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    let is_text = holds_text(kind) || matches!(kind, DataType::Dictionary(_, value) if holds_text(value));
    if is_text || as_text {
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
        let other = Table::from_numbers([("x".into(), vec![1.0]), ("word".into(), vec![2.0])]).unwrap();
        write_table(&folder.path().join("2.parquet"), &other).unwrap();
        fails(&["2.parquet", "no column 'flag'"]);
        let other = Table::from_numbers(["x", "word", "flag"].map(|name| (name.into(), vec![1.0]))).unwrap();
        write_table(&folder.path().join("2.parquet"), &other).unwrap();
        fails(&["2.parquet", "'word' holds numbers here and text"]);
        std::fs::write(folder.path().join("2.parquet"), "x,word,flag\n1,a,true\n").unwrap();
        fails(&["2.parquet", "not a Parquet file"]);
        let whole = std::fs::read(folder.path().join("1.parquet")).unwrap();
        std::fs::write(folder.path().join("2.parquet"), &whole[..whole.len() / 2]).unwrap();
        assert!(matches!(fails(&["2.parquet"]), IoError::Damaged { .. }));
    }
}
