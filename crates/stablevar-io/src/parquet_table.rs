//! Parquet files, read piece by piece: their groups of rows in turn, of these only the columns that are used, page by page.

use crate::columns::{Columns, Held, Piece, damaged, look, names, telling, text_columns};
use crate::guard::guarded;
use crate::parquet_check::Source;
use crate::parquet_kinds::fields;
use crate::parquet_values::{Cells, cells};
use crate::reading::Plan;
use crate::stream::{StreamInput, Visit};
use crate::{IoError, Result};
use arrow_schema::FieldRef;
use parquet::basic::Compression;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use std::sync::Arc;

/// Shows several files as one table, in this order. They must have the same columns.
pub(crate) fn pieces(parts: &[StreamInput], plan: &Plan, rows: usize, visit: Visit) -> Result<()> {
    let mut columns = Columns::new(plan);
    for part in parts {
        not_another(part)?;
        let file = ParquetFile::open(part)?;
        let used = columns.check(&file.path, &file.fields)?;
        columns.show(&file.path, file.pieces(&used, rows)?, visit)?;
    }
    columns.finish(&parts.first().map(StreamInput::name).unwrap_or_default(), visit)
}

/// Rows of the files, by what they say of themselves; files that can't be understood have none.
pub(crate) fn rows(parts: &[StreamInput]) -> u64 {
    let rows = |part| ParquetFile::open(part).map_or(0, |file| file.metadata.file_metadata().num_rows());
    parts.iter().map(|part| u64::try_from(rows(part)).unwrap_or(0)).sum()
}

/// Names of the columns of a table in these files.
pub(crate) fn columns(parts: &[StreamInput]) -> Result<Vec<String>> {
    let Some(first) = parts.first() else { return Ok(Vec::new()) };
    not_another(first)?;
    Ok(names(&ParquetFile::open(first)?.fields))
}

/// How many columns that are read hold text, and are not read as numbers or dates.
pub(crate) fn text(parts: &[StreamInput], plan: &Plan) -> Result<usize> {
    let Some(first) = parts.first() else { return Ok(0) };
    Ok(text_columns(&ParquetFile::open(first)?.fields, plan))
}

/// Learns from the first rows of a table in these files how texts and dates are read.
pub(crate) fn look_at(parts: &[StreamInput], values: usize, plan: &mut Plan) -> Result<()> {
    let Some(first) = parts.first() else { return Ok(()) };
    let file = ParquetFile::open(first)?;
    let told = telling(&file.fields, plan);
    if told.is_empty() {
        return Ok(());
    }
    let rows = (values / told.len()).clamp(1024, 1 << 16);
    look(&file.path, file.pieces(&told, rows)?, plan)
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

/// A file, and what it says of itself.
struct ParquetFile {
    path: String,
    source: Arc<Source>,
    metadata: ParquetMetaData,
    fields: Vec<FieldRef>,
}

impl ParquetFile {
    fn open(part: &StreamInput) -> Result<Self> {
        let (path, source) = (part.name(), Source::open(part)?);
        let (metadata, fields) = guarded(&path, || {
            let metadata = ParquetMetaDataReader::new().parse_and_finish(&source);
            let metadata = metadata.map_err(|error| damaged(&path, &error))?;
            let fields = fields(metadata.file_metadata()).map_err(|error| damaged(&path, &error))?;
            Ok((metadata, fields))
        })??;
        Ok(Self { path, source: Arc::new(source), metadata, fields })
    }

    /// The rows of some columns, so many at once.
    fn pieces(&self, used: &[usize], rows: usize) -> Result<Pieces<'_>> {
        let schema = self.metadata.file_metadata().schema_descr();
        // A column that is not nested is the only one of its field.
        let mut leaves = vec![None; self.fields.len()];
        (0..schema.num_columns()).for_each(|leaf| leaves[schema.get_column_root_idx(leaf)] = Some(leaf));
        let column = |&k: &usize| {
            let (field, leaf) = (self.fields[k].clone(), leaves[k].unwrap_or_default());
            let flat = leaves[k].is_some() && !field.data_type().is_nested();
            let cells = if flat { cells(&schema.column(leaf), field.data_type()) } else { None };
            PieceColumn { field, leaf, cells }
        };
        let columns = guarded(&self.path, || used.iter().map(column).collect())?;
        Ok(Pieces { file: self, columns, rows, next_group: 0, left: 0 })
    }
}

struct PieceColumn {
    field: FieldRef,
    /// Its position among all columns that hold values.
    leaf: usize,
    /// Nothing if it is of a kind that can't be read.
    cells: Option<Box<dyn Cells>>,
}

/// Rows of a file as they come; a piece may have rows of several groups.
struct Pieces<'a> {
    file: &'a ParquetFile,
    columns: Vec<PieceColumn>,
    rows: usize,
    next_group: usize,
    /// Rows of the group that are not read yet.
    left: usize,
}

impl Pieces<'_> {
    /// Goes on with the next group of rows, if there is one.
    fn next_group(&mut self) -> Result<bool> {
        let ParquetFile { path, source, metadata, .. } = self.file;
        if self.next_group == metadata.num_row_groups() {
            return Ok(false);
        }
        let group = metadata.row_group(self.next_group);
        self.next_group += 1;
        self.left = source.check_group(group).map_err(|error| damaged(path, &error))?;
        for PieceColumn { field, leaf, cells } in &mut self.columns {
            let Some(cells) = cells else { continue };
            let chunk = group.column(*leaf);
            refuse_packing(path, chunk.compression())?;
            cells.open(source.column(chunk, self.left).map_err(|error| at(path, field, &error))?);
        }
        Ok(true)
    }

    fn piece(&mut self) -> Result<Option<Piece>> {
        let mut rows = 0;
        while rows < self.rows {
            if self.left == 0 {
                if self.next_group()? {
                    continue;
                }
                break;
            }
            let more = self.left.min(self.rows - rows);
            for PieceColumn { field, cells, .. } in &mut self.columns {
                let read = cells.as_mut().map_or(Ok(()), |cells| cells.read(more));
                read.map_err(|error| at(&self.file.path, field, &error))?;
            }
            rows += more;
            self.left -= more;
        }
        if rows == 0 {
            return Ok(None);
        }
        let held = |PieceColumn { field, cells, .. }: &mut PieceColumn| {
            let array = cells.as_mut().map(|cells| cells.array()).transpose();
            let array = array.map_err(|error| at(&self.file.path, field, &error))?;
            Ok(Held { field: field.clone(), array })
        };
        Ok(Some(Piece { rows, columns: self.columns.iter_mut().map(held).collect::<Result<_>>()? }))
    }
}

impl Iterator for Pieces<'_> {
    type Item = Result<Piece>;

    fn next(&mut self) -> Option<Self::Item> {
        self.piece().transpose()
    }
}

fn at(path: &str, field: &FieldRef, error: &dyn std::fmt::Display) -> IoError {
    damaged(path, &format!("column '{}': {error}", field.name()))
}

/// Refuses what is sound but compressed in a way that is not read.
fn refuse_packing(path: &str, compression: Compression) -> Result<()> {
    let what = match compression {
        Compression::BROTLI(_) => "a Parquet file that is compressed with Brotli, which can't be read",
        Compression::LZO => "a Parquet file that is compressed with LZO, which can't be read",
        _ => return Ok(()),
    };
    let remedy = "write it with another compression: Zstandard, Snappy, gzip or LZ4";
    Err(IoError::NoTable { path: path.into(), what, remedy })
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
