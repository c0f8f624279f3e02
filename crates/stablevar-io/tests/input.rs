//! Tables as they come: packed, with numbers and dates as people write them.

use stablevar::notation::{Decimal, Notation};
use stablevar::table::{Column, Table, TextValues, Values};
use stablevar::wording::Plain;
use stablevar_io::{IoError, ReadOptions, TableStream, read_table, write_table};
use std::io::Write;
use std::path::{Path, PathBuf};

const MESSY: &str = "price;area;share;day;code;word\n\
    1.234,50 €;12,5;5 %;13.10.2014;1;a\n\
    99 €;7;12,5 %;02.01.2015;2;?\n\
    NA;1.000;7 %;03.01.2015;1;b\n";

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn gzip(text: &str) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(text.as_bytes()).unwrap();
    writer.finish().unwrap()
}

fn numbers(table: &Table, name: &str) -> Vec<f64> {
    let Values::Number(values) = &table.column(name).unwrap().values else { panic!("{name} holds no numbers") };
    values.to_vec()
}

#[test]
fn packed_files_hold_what_they_held_before() {
    let folder = tempfile::tempdir().unwrap();
    let plain = read_table(&write(folder.path(), "t.csv", MESSY), &ReadOptions::default()).unwrap();
    let packed = [("t.csv.gz", gzip(MESSY)), ("t.csv.zst", zstd::encode_all(MESSY.as_bytes(), 0).unwrap())];
    for (name, bytes) in packed {
        let path = write(folder.path(), name, &bytes);
        assert_eq!(format!("{:?}", read_table(&path, &ReadOptions::default()).unwrap()), format!("{plain:?}"));
        // Cut short it is told to be so, not read as far as it goes.
        let cut = write(folder.path(), name, &bytes[..bytes.len() - 12]);
        assert!(matches!(read_table(&cut, &ReadOptions::default()), Err(IoError::Damaged { .. })), "{name}");
    }
    let parquet = folder.path().join("t.parquet");
    write_table(&parquet, &plain).unwrap();
    let both = write(folder.path(), "t.parquet.gz", {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(&std::fs::read(&parquet).unwrap()).unwrap();
        writer.finish().unwrap()
    });
    assert_eq!(read_table(&both, &ReadOptions::default()).unwrap().rows(), 3);
}

#[test]
fn faults_are_found_on_the_line_that_an_editor_shows_however_lines_end() {
    let folder = tempfile::tempdir().unwrap();
    for end in ["\n", "\r\n"] {
        // A value of two lines, then one value too many on the fifth line.
        let text = ["a,b", "1,x", "2,\"in", "two\"", "3,y,z", ""].join(end);
        let error = read_table(&write(folder.path(), "t.csv", text), &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, IoError::Ragged { line: 5, .. }), "{end:?}: {error}");
    }
}

#[test]
fn numbers_and_dates_are_read_as_they_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let stream = TableStream::open(&write(folder.path(), "t.csv", MESSY), &ReadOptions::default()).unwrap();
    let table = stream.read().unwrap();
    let price = numbers(&table, "price");
    assert!(price[..2] == [1234.5, 99.0] && price[2].is_nan());
    // 1.000 by itself is a plain number, but in this table points stand between thousands.
    assert_eq!(numbers(&table, "area"), [12.5, 7.0, 1000.0]);
    assert_eq!(numbers(&table, "share"), [5.0, 12.5, 7.0]);
    assert_eq!(numbers(&table, "day"), [16356.0, 16437.0, 16438.0]);
    assert_eq!(numbers(&table, "code"), [1.0, 2.0, 1.0]);
    assert!(table.column("word").unwrap().values.is_missing(1));
    let told = stream.told(&Plain).join("\n");
    for part in
        ["'price' is read as amounts of money with decimal commas ('1.234,50 €' is 1234.5)", "'day' is read as dates"]
    {
        assert!(told.contains(part), "{told}");
    }
    let options = ReadOptions {
        text: vec!["code,word".into()],
        dates: vec!["day=parts".into()],
        keep: vec!["day,code".into()],
        ..ReadOptions::default()
    };
    let table = read_table(&folder.path().join("t.csv"), &options).unwrap();
    let names: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["day.year", "day.month", "day.weekday", "code"]);
    assert_eq!(table.column("day.month").unwrap().values.text(0).unwrap(), "Oct");
    assert_eq!(table.column("code").unwrap().values.kind(), "text");
}

#[test]
fn texts_of_parquet_and_arrow_mean_what_they_mean_in_csv() {
    let folder = tempfile::tempdir().unwrap();
    let texts = |values: [&str; 3]| Values::Text(TextValues::collect(values.into_iter().map(Some)));
    let columns = [
        ("price", texts(["1.234,50 €", "99 €", "NA"])),
        ("day", texts(["2014-10-13", "2015-01-02", "2015-01-03"])),
        ("word", texts(["a", "?", "b"])),
        ("code", texts(["1", "2", "1"])),
    ];
    let table = Table::new(columns.map(|(name, values)| Column { name: name.into(), values }).to_vec()).unwrap();
    for name in ["t.parquet", "t.arrow"] {
        let path = folder.path().join(name);
        write_table(&path, &table).unwrap();
        let stream = TableStream::open(&path, &ReadOptions::default()).unwrap();
        let read = stream.read().unwrap();
        assert_eq!(numbers(&read, "price")[..2], [1234.5, 99.0]);
        assert_eq!(numbers(&read, "day")[0], 16356.0);
        assert!(read.column("word").unwrap().values.is_missing(1));
        assert_eq!(read.column("code").unwrap().values.kind(), "text", "stored as text, it is text");
        assert!(matches!(&stream.reading()["price"], Notation::Number(number) if number.decimal == Decimal::Comma));
        // Another table is read like this one, though by itself it would say something else.
        let known = ReadOptions { known: stream.reading().clone(), ..ReadOptions::default() };
        let next = read_table(&write(folder.path(), "n.csv", "price,day\n\"1,234 €\",2014-10-14\n"), &known).unwrap();
        assert_eq!(numbers(&next, "price"), [1.234]);
        let plain = read_table(&write(folder.path(), "n.csv", "price,day\n1234.56,2014-10-14\n"), &known).unwrap();
        assert_eq!(numbers(&plain, "price"), [1234.56]);
    }
}

#[test]
fn what_is_no_table_is_called_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let told = |name: &str, bytes: &[u8], options: &ReadOptions| {
        let error = read_table(&write(folder.path(), name, bytes), options).unwrap_err();
        format!("{error} {}", error.hint(&Plain).unwrap())
    };
    let usual = ReadOptions::default();
    assert!(told("t.xlsx", b"PK\x03\x04....", &usual).contains("spreadsheet"));
    assert!(told("t.bz2", b"BZh91AY&SY", &usual).contains("bunzip2"));
    let dates = |given: &str| ReadOptions { dates: vec![given.into()], ..ReadOptions::default() };
    assert!(told("t.csv", b"d\n03/04/2020\n", &dates("d")).contains("d=dmy"));
    assert!(told("t.csv", b"d\nx\n", &dates("d")).contains("can't be read as dates"));
    assert!(told("t.csv", b"d\n03/04/2020\n", &dates("d=days")).contains("'days'"));
    assert!(told("t.csv", b"d\n03/04/2020\n", &dates("e")).contains("no column 'e'"));
    // A sum with a unit that differs is no number.
    assert!(told("t.csv", "d\n\"$1,000\"\n$2\n$3\nfree\n".as_bytes(), &usual).contains("'free' is not a number"));
    let colons = ReadOptions { delimiter: Some(b':'), ..ReadOptions::default() };
    assert_eq!(read_table(&write(folder.path(), "t.csv", "a:b\n1:2\n"), &colons).unwrap().columns().len(), 2);
}
