//! CSV: one pass to find out what each column holds, one to read it.

use crate::reading::Plan;
use crate::stream::{StreamInput, TablePart, Visit};
use crate::{IoError, Result};
use csv::{ByteRecord, ReaderBuilder, Trim};
use stablevar::notation::{Decimal, Notation, Written};
use stablevar::table::{Column, Table, TextValues, Values, is_missing, may_be_a_value};
use std::io::{BufRead, BufReader, Read};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What the first pass learns about a column.
#[derive(Default, Clone)]
struct Seen {
    written: Written,
    booleans: u64,
    /// Values that fit the notation that is known from another table.
    as_known: u64,
    /// The first value that is no number as programs write them, and those with a decimal point and a decimal comma.
    unfit: [Option<(u64, String)>; 3],
}

#[derive(Clone, PartialEq)]
enum FieldKind {
    Skip,
    Number,
    Boolean,
    Text,
    Noted(Notation),
}

/// What the columns of a CSV file hold.
pub(crate) struct CsvLayout {
    delimiter: u8,
    names: Vec<String>,
    kinds: Vec<FieldKind>,
    rows: u64,
}

/// What separates the fields of a file, and the names in its header.
pub(crate) fn header_of(input: &StreamInput, given: Option<u8>) -> Result<(u8, Vec<String>)> {
    let path = &input.name();
    let mut first_line = Vec::new();
    let read = open(input)?.read_until(b'\n', &mut first_line);
    read.map_err(|source| IoError::Read { path: path.clone(), source })?;
    let delimiter = given.unwrap_or_else(|| delimiter(&first_line));
    Ok((delimiter, header(path, records(open(input)?, delimiter))?))
}

impl CsvLayout {
    /// Reads a file once to find out; the plan learns how texts are read.
    pub(crate) fn find(input: &StreamInput, delimiter: u8, plan: &mut Plan) -> Result<Self> {
        let path = &input.name();
        let (seen, rows) = look(path, records(open(input)?, delimiter), plan)?;
        let kinds = kinds(path, &seen, delimiter, plan)?;
        for ((name, kind), seen) in plan.names.clone().iter().zip(&kinds).zip(&seen) {
            if !matches!(kind, FieldKind::Skip | FieldKind::Text) && seen.written.absent > 0 {
                plan.note_absent(name, seen.written.absent_example(), seen.written.absent);
            }
            if let FieldKind::Noted(notation) = kind {
                plan.note(name, notation.clone(), seen.written.example());
            }
        }
        Ok(Self { delimiter, names: plan.names.clone(), kinds, rows })
    }

    /// Rows.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// How many columns hold text.
    pub(crate) fn text(&self) -> usize {
        self.kinds.iter().filter(|kind| **kind == FieldKind::Text).count()
    }

    /// Reads it again and shows it in parts of about `rows` rows.
    pub(crate) fn parts(&self, input: &StreamInput, rows: usize, visit: Visit) -> Result<()> {
        let path = input.name();
        let empty = || self.kinds.iter().map(Builder::new).collect::<Vec<Builder>>();
        let (mut columns, mut count, mut first) = (empty(), 0, 0);
        let finish = |columns: Vec<Builder>, rows: usize| {
            if self.kinds.iter().all(|kind| *kind == FieldKind::Skip) {
                return Ok(Table::without_columns(rows));
            }
            let named = self.names.iter().zip(columns).zip(&self.kinds).filter(|(_, kind)| **kind != FieldKind::Skip);
            let columns = named.flat_map(|((name, column), _)| column.finish(name));
            Table::new(columns.collect()).map_err(|source| IoError::Table { path: path.clone(), source })
        };
        for_each_record(&path, records(open(input)?, self.delimiter), &self.names, |_, record| {
            columns.iter_mut().zip(record).for_each(|(column, field)| column.push(field));
            count += 1;
            if count < rows {
                return Ok(());
            }
            let full = std::mem::replace(&mut columns, empty());
            visit(TablePart { path: path.clone(), first, table: finish(full, count)? })?;
            (first, count) = (first + count, 0);
            Ok(())
        })?;
        if count > 0 || first == 0 {
            visit(TablePart { path: path.clone(), first, table: finish(columns, count)? })?;
        }
        Ok(())
    }
}

/// The bytes of a file, without the mark that some programs begin with.
pub(crate) fn open(input: &StreamInput) -> Result<Box<dyn BufRead + '_>> {
    let fault = |source| IoError::Read { path: input.name(), source };
    let mut reader: Box<dyn BufRead> = match input {
        StreamInput::File(path) => {
            Box::new(BufReader::with_capacity(1 << 20, std::fs::File::open(path).map_err(fault)?))
        }
        StreamInput::Packed(path, packing) => {
            let packed = BufReader::with_capacity(1 << 20, std::fs::File::open(path).map_err(fault)?);
            packing.unpack(packed).map_err(fault)?
        }
        StreamInput::Bytes(_, bytes) => Box::new(&bytes[..]),
    };
    if reader.fill_buf().map_err(fault)?.starts_with(BYTE_ORDER_MARK) {
        reader.consume(BYTE_ORDER_MARK.len());
    }
    Ok(reader)
}

/// Comma, unless the header has none and has semicolons, tabs or bars.
fn delimiter(header: &[u8]) -> u8 {
    // What stands in quotes is part of a name.
    let count = |delimiter: u8| {
        let outside = header.split(|&byte| byte == b'"').step_by(2);
        outside.flatten().filter(|&&byte| byte == delimiter).count()
    };
    if count(b',') > 0 {
        return b',';
    }
    [b';', b'\t', b'|']
        .into_iter()
        .max_by_key(|&candidate| count(candidate))
        .filter(|&best| count(best) > 0)
        .unwrap_or(b',')
}

fn records<R: Read>(reader: R, delimiter: u8) -> csv::Reader<R> {
    ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).trim(Trim::All).from_reader(reader)
}

fn header(path: &str, mut reader: csv::Reader<impl Read>) -> Result<Vec<String>> {
    let mut record = ByteRecord::new();
    reader.read_byte_record(&mut record).map_err(|error| damaged(path, &error))?;
    let mut names = Vec::with_capacity(record.len());
    for (position, name) in record.iter().enumerate() {
        let name = text(name).ok_or_else(|| IoError::NotUtf8 {
            path: path.into(),
            line: 1,
            column: format!("{}", position + 1),
        })?;
        if name.is_empty() {
            return Err(IoError::Unnamed { path: path.into(), position: position + 1 });
        }
        names.push(name.to_string());
    }
    Ok(names)
}

fn damaged(path: &str, error: &csv::Error) -> IoError {
    IoError::Damaged { path: path.into(), message: error.to_string() }
}

fn text(field: &[u8]) -> Option<&str> {
    std::str::from_utf8(field).ok()
}

/// Calls `visit` with the line and the fields of every record after the header, all of them UTF-8.
fn for_each_record(
    path: &str,
    mut reader: csv::Reader<impl Read>,
    names: &[String],
    mut visit: impl FnMut(u64, &[&str]) -> Result<()>,
) -> Result<()> {
    let mut record = ByteRecord::new();
    let (mut header, mut last_line) = (true, 0);
    while reader.read_byte_record(&mut record).map_err(|error| damaged(path, &error))? {
        // Where lines end with CR LF, the reader has not counted the LF of the line before.
        let line = record.position().map_or(0, |position| position.line()).max(last_line + 1);
        last_line = line + record.as_slice().iter().filter(|&&byte| byte == b'\n').count() as u64;
        if std::mem::take(&mut header) {
            continue;
        }
        if record.len() != names.len() {
            let (found, expected) = (record.len() as u64, names.len() as u64);
            let separator = other_separator(names);
            return Err(IoError::Ragged { path: path.into(), line, found, expected, separator });
        }
        let mut fields = Vec::with_capacity(names.len());
        for (field, name) in record.iter().zip(names) {
            let not_utf8 = || IoError::NotUtf8 { path: path.into(), line, column: format!("'{name}'") };
            fields.push(text(field).ok_or_else(not_utf8)?);
        }
        visit(line, &fields)?;
    }
    Ok(())
}

/// What seems to separate the names of a header that was taken for a single one.
fn other_separator(names: &[String]) -> Option<char> {
    let [only] = names else { return None };
    [';', '\t', '|', ','].into_iter().find(|&separator| only.contains(separator))
}

fn boolean(field: &str) -> Option<bool> {
    if field.eq_ignore_ascii_case("true") {
        Some(true)
    } else if field.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        None
    }
}

/// Looks at every value once, and counts the rows.
fn look(path: &str, reader: csv::Reader<impl Read>, plan: &Plan) -> Result<(Vec<Seen>, u64)> {
    let names = &plan.names;
    let known: Vec<Option<&Notation>> = names.iter().map(|name| plan.known(name)).collect();
    let passed_over: Vec<bool> = names.iter().map(|name| plan.skips(name) || plan.is_text(name)).collect();
    let mut seen = vec![Seen::default(); names.len()];
    let mut rows = 0;
    for_each_record(path, reader, names, |line, fields| {
        rows += 1;
        for (k, field) in fields.iter().enumerate().filter(|(k, field)| !passed_over[*k] && !is_missing(field)) {
            let column = &mut seen[k];
            let fits = column.written.see(field);
            for (fits, unfit) in fits.into_iter().zip(&mut column.unfit) {
                if !fits && unfit.is_none() {
                    *unfit = Some((line, field.to_string()));
                }
            }
            column.booleans += u64::from(!fits[0] && boolean(field).is_some());
            column.as_known += u64::from(known[k].is_some_and(|notation| notation.parse(field).is_some()));
        }
        Ok(())
    })?;
    Ok((seen, rows))
}

/// Decides what every column holds. A column that is mostly numbers but not all is a fault, not a category.
fn kinds(path: &str, seen: &[Seen], delimiter: u8, plan: &Plan) -> Result<Vec<FieldKind>> {
    let habits = plan.habits(seen.iter().map(|seen| &seen.written), Some(delimiter));
    let decide = |(name, seen): (&String, &Seen)| {
        let written = &seen.written;
        if plan.skips(name) {
            return Ok(FieldKind::Skip);
        }
        if plan.is_text(name) {
            return Ok(FieldKind::Text);
        }
        if let Some(notation) = plan.asked_date(path, name, written)? {
            return Ok(FieldKind::Noted(notation));
        }
        if let Some(notation) = plan.known(name).filter(|_| seen.as_known == written.values) {
            return Ok(FieldKind::Noted(notation.clone()));
        }
        if written.values > 0 && seen.booleans == written.values {
            return Ok(FieldKind::Boolean);
        }
        if let Some(notation) = written.notation(habits) {
            return Ok(FieldKind::Noted(notation));
        }
        if written.plain == written.values {
            return Ok(FieldKind::Number);
        }
        let (numbers, mark) = written.numbers();
        let unfit = match mark {
            None => &seen.unfit[0],
            Some(Decimal::Point) => &seen.unfit[1],
            Some(Decimal::Comma) => &seen.unfit[2],
        };
        match unfit {
            Some((line, value)) if 2 * numbers > written.values => Err(IoError::TextAmongNumbers {
                path: path.into(),
                line: *line,
                column: name.clone(),
                value: value.clone(),
                numbers,
                total: written.values,
            }),
            _ => Ok(FieldKind::Text),
        }
    };
    plan.names.iter().zip(seen).map(decide).collect()
}

enum Builder {
    Skip,
    Number(Vec<f64>),
    Boolean(Vec<Option<bool>>),
    Text { texts: TextValues, positions: std::collections::HashMap<String, u32> },
    Noted(Notation, Vec<f64>),
}

impl Builder {
    fn new(kind: &FieldKind) -> Self {
        match kind {
            FieldKind::Skip => Builder::Skip,
            FieldKind::Number => Builder::Number(Vec::new()),
            FieldKind::Boolean => Builder::Boolean(Vec::new()),
            FieldKind::Text => Builder::Text { texts: TextValues::default(), positions: Default::default() },
            FieldKind::Noted(notation) => Builder::Noted(notation.clone(), Vec::new()),
        }
    }

    fn push(&mut self, field: &str) {
        match self {
            Builder::Skip => {}
            Builder::Number(values) => {
                values.push(if is_missing(field) { f64::NAN } else { field.parse().unwrap_or(f64::NAN) })
            }
            Builder::Boolean(values) => values.push(boolean(field)),
            Builder::Noted(notation, values) => {
                let number = if is_missing(field) { None } else { notation.parse(field) };
                values.push(number.unwrap_or(f64::NAN));
            }
            Builder::Text { texts, positions } => {
                let missing = is_missing(field);
                // A word that may have been meant as a value is listed, so that it can be told.
                let code = (!missing || may_be_a_value(field)).then(|| match positions.get(field) {
                    Some(&code) => code,
                    None => {
                        let code = texts.levels.len() as u32;
                        texts.levels.push(field.to_string());
                        positions.insert(field.to_string(), code);
                        code
                    }
                });
                texts.codes.push(code.filter(|_| !missing));
            }
        }
    }

    fn finish(self, name: &str) -> Vec<Column<'static>> {
        let values = match self {
            Builder::Skip => return Vec::new(),
            Builder::Noted(notation, values) => return notation.columns(name, values),
            Builder::Number(values) => Values::Number(values.into()),
            Builder::Boolean(values) => Values::Boolean(values),
            Builder::Text { texts, .. } => Values::Text(texts),
        };
        vec![Column { name: name.into(), values }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, TableStream};

    fn read(text: &str) -> Result<Table<'static>> {
        read_csv(text.as_bytes(), &ReadOptions::default())
    }

    fn read_csv(bytes: &[u8], options: &ReadOptions) -> Result<Table<'static>> {
        TableStream::of_bytes("test.csv".into(), bytes.to_vec(), options)?.read()
    }

    #[test]
    fn types_are_found_out_and_missing_values_understood() {
        let table = read("a,b,c,d\n1,true,x,1e-3\nNA,FALSE,,-2\n3,,y,\n").unwrap();
        let kinds: Vec<&str> = table.columns().iter().map(|column| column.values.kind()).collect();
        assert_eq!(kinds, ["numbers", "true/false", "text", "numbers"]);
        let Values::Number(a) = &table.column("a").unwrap().values else { panic!() };
        assert!(a[0] == 1.0 && a[1].is_nan() && a[2] == 3.0);
        assert!(table.column("b").unwrap().values.is_missing(2) && table.column("c").unwrap().values.is_missing(1));
    }

    #[test]
    fn a_text_among_numbers_is_a_fault_with_its_place() {
        let Err(IoError::TextAmongNumbers { line, column, value, .. }) = read("a,b\n1,2\n3,4\nx5,6\n") else {
            panic!()
        };
        assert_eq!((line, column.as_str(), value.as_str()), (4, "a", "x5"));
        let options = ReadOptions { text: vec!["a".into()], ..Default::default() };
        assert!(read_csv(b"a,b\n1,2\n3,4\nx5,6\n", &options).is_ok());
        let options = ReadOptions { skip: vec!["a".into()], ..Default::default() };
        assert!(read_csv(b"a,b\n1,2\n3,4\nx5,6\n", &options).is_ok());
    }

    #[test]
    fn semicolons_quotes_byte_order_marks_and_line_ends_are_understood() {
        let table = read("\u{feff}\"a;x\";b\r\n1,5;\"t;u\"\r\n2;v\r\n").unwrap();
        assert_eq!(table.columns()[0].name, "a;x");
        assert_eq!(table.column("b").unwrap().values.text(0).unwrap(), "t;u");
    }

    #[test]
    fn ragged_rows_and_bad_bytes_are_located() {
        assert!(matches!(read("a,b\n1,2\n3\n"), Err(IoError::Ragged { line: 3, found: 1, expected: 2, .. })));
        let bad = read_csv(b"a,b\n1,\xff\n", &ReadOptions::default());
        assert!(matches!(bad, Err(IoError::NotUtf8 { line: 2, .. })));
        assert!(matches!(read("a,a\n1,2\n"), Err(IoError::Table { .. })));
        assert!(matches!(read("a,,c\n1,2,3\n"), Err(IoError::Unnamed { position: 2, .. })));
        assert_eq!(read("\"a\";\"b, m\"\n1;2\n").unwrap().columns().len(), 2);
    }
}
