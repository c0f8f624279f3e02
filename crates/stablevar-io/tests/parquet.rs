//! Parquet files as others write them: groups of rows, pages, and columns that are of no use.

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use stablevar::table::Values;
use stablevar_io::{IoError, ReadOptions, TableStream};
use std::sync::Arc;

const SCHEMA: &str = "message schema {
    optional double x;
    optional binary word (STRING);
    required binary raw;
    optional int32 nothing (UNKNOWN);
    required group nested { required double a; required double b; }
    required double y;
}";

fn column<T: DataType>(group: &mut SerializedRowGroupWriter<Vec<u8>>, values: impl Iterator<Item = Option<T::T>>) {
    let mut levels = Vec::new();
    let there: Vec<T::T> = values.inspect(|value| levels.push(i16::from(value.is_some()))).flatten().collect();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<T>().write_batch(&there, Some(&levels), None).unwrap();
    column.close().unwrap();
}

/// Groups of so many rows; row `k` has the outcome `k`.
fn file(groups: &[usize], raw: &[u8]) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let properties =
        WriterProperties::builder().set_compression(Compression::SNAPPY).set_data_page_row_count_limit(500);
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties.build())).unwrap();
    let mut start = 0;
    for size in groups {
        let rows = || start..start + size;
        let mut group = file.next_row_group().unwrap();
        column::<DoubleType>(&mut group, rows().map(|k| (k % 3 != 1).then_some(k as f64)));
        column::<ByteArrayType>(
            &mut group,
            rows().map(|k| (k % 4 != 1).then(|| format!("w{}", k % 5).as_str().into())),
        );
        column::<ByteArrayType>(&mut group, rows().map(|_| Some(ByteArray::from(raw.to_vec()))));
        column::<Int32Type>(&mut group, rows().map(|_| None));
        column::<DoubleType>(&mut group, rows().map(|k| Some(k as f64)));
        column::<DoubleType>(&mut group, rows().map(|k| Some(k as f64)));
        column::<DoubleType>(&mut group, rows().map(|k| Some(k as f64)));
        group.close().unwrap();
        start += size;
    }
    file.into_inner().unwrap()
}

fn open(bytes: Vec<u8>, skip: &[&str]) -> TableStream {
    let skip = skip.iter().map(|name| name.to_string()).collect();
    TableStream::of_bytes("t.parquet".into(), bytes, &ReadOptions { skip, ..ReadOptions::default() }).unwrap()
}

#[test]
fn pieces_have_rows_of_several_groups() {
    let stream = open(file(&[50_000, 1, 0, 49_999, 50_000], b"raw"), &["raw", "nested"]);
    let size = stream.size().unwrap();
    assert_eq!((size.rows, size.columns, size.text), (150_000, 4, 1));
    let mut sizes = Vec::new();
    let mut all = 0;
    let visit = |part: stablevar_io::TablePart| {
        assert_eq!(part.first, all);
        sizes.push(part.table.rows());
        let column = |name: &str| part.table.column(name).unwrap().values.clone();
        let (Values::Number(x), Values::Text(word), Values::Number(nothing), Values::Number(y)) =
            (column("x"), column("word"), column("nothing"), column("y"))
        else {
            panic!("columns are of other kinds")
        };
        for row in 0..part.table.rows() {
            let k = all + row;
            assert_eq!(y[row], k as f64);
            assert!(if k % 3 == 1 { x[row].is_nan() } else { x[row] == k as f64 });
            assert_eq!(word.get(row).map(String::from), (k % 4 != 1).then(|| format!("w{}", k % 5)));
            assert!(nothing[row].is_nan());
        }
        all += part.table.rows();
        Ok(())
    };
    stream.for_each(visit).unwrap();
    assert_eq!(sizes, [65_536, 65_536, 18_928]);
}

#[test]
fn columns_that_are_not_used_are_not_read() {
    let mark = b"a text that stands nowhere else in the file";
    let mut bytes = file(&[100], mark);
    let place = bytes.windows(mark.len()).position(|window| window == mark).unwrap();
    // The page before the text is packed: its length stands there.
    bytes[place - 8..place].fill(0xff);
    assert_eq!(open(bytes.clone(), &["raw", "nested"]).read().unwrap().rows(), 100);
    let unusable = |skip: &[&str]| match open(bytes.clone(), skip).read().unwrap_err() {
        IoError::Unsupported { column, kind, .. } => (column, kind),
        other => panic!("{other}"),
    };
    assert_eq!(unusable(&["nested"]), ("raw".into(), "Binary".into()));
    assert_eq!(unusable(&["raw"]).0, "nested");
}

#[test]
fn a_damaged_column_is_named() {
    let bytes = file(&[100], b"raw");
    let place = bytes.windows(2).position(|window| window == b"w0").unwrap();
    let told = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        let options = ReadOptions { skip: vec!["raw".into(), "nested".into()], ..ReadOptions::default() };
        let read = TableStream::of_bytes("t.parquet".into(), bytes, &options).and_then(|stream| stream.read());
        let error = read.unwrap_err();
        assert!(matches!(error, IoError::Damaged { .. }), "{error}");
        error.to_string()
    };
    let message = told(&|bytes| bytes[place] = 0xff);
    assert!(message.starts_with("t.parquet: column 'word': ") && message.contains("UTF"), "{message}");
    let message = told(&|bytes| bytes[4..30].fill(0xff));
    assert!(message.starts_with("t.parquet: column 'x': "), "{message}");
    let message = told(&|bytes| bytes.truncate(bytes.len() - 9));
    assert!(message.starts_with("t.parquet: "), "{message}");
}
