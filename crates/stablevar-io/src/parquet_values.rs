//! Columns of Parquet files as arrays, read straight into them.

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal128Type, Decimal256Type, DecimalType, Float16Type, Float32Type,
    Float64Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, BooleanArray, NullArray, PrimitiveArray, StringArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, i256};
use arrow_schema::{DataType, TimeUnit};
use parquet::basic::Type as Physical;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{self as stored, AsBytes, Int96};
use parquet::schema::types::ColumnDescriptor;
use std::sync::Arc;

type Read<T> = Result<T, String>;

/// Values of variable length that are read at once: each may be as long as a page.
const LONG_VALUES: usize = 256;

/// A column whose values gather until they are taken.
pub(crate) trait Cells {
    /// Goes on with the next group of rows.
    fn open(&mut self, reader: ColumnReader);
    /// Reads so many rows, all of which must be there.
    fn read(&mut self, rows: usize) -> Read<()>;
    /// Takes what was read.
    fn array(&mut self) -> Read<ArrayRef>;
}

/// How to read a column that holds values of some kind; `None` if that can't be read.
pub(crate) fn cells(column: &ColumnDescriptor, kind: &DataType) -> Option<Box<dyn Cells>> {
    Some(match (column.physical_type(), kind) {
        (_, DataType::Null) => Box::new(Nothing(0)),
        (Physical::BOOLEAN, DataType::Boolean) => straight::<stored::BoolType>(|values, nulls| {
            Ok(Arc::new(BooleanArray::new(BooleanBuffer::from(values), nulls)))
        }),
        (Physical::FLOAT, DataType::Float32) => straight::<stored::FloatType>(primitive::<Float32Type>),
        (Physical::DOUBLE, DataType::Float64) => straight::<stored::DoubleType>(primitive::<Float64Type>),
        (Physical::INT32, DataType::Int32) => straight::<stored::Int32Type>(primitive::<Int32Type>),
        (Physical::INT32, DataType::Date32) => straight::<stored::Int32Type>(primitive::<Date32Type>),
        (Physical::INT32, DataType::UInt32) => {
            straight::<stored::Int32Type>(|values, nulls| primitive::<UInt32Type>(each(values, |v| v as u32), nulls))
        }
        (Physical::INT32, &DataType::Decimal128(precision, scale)) => {
            straight::<stored::Int32Type>(move |values, nulls| {
                decimal::<Decimal128Type>(each(values, i128::from), nulls, precision, scale)
            })
        }
        (Physical::INT64, DataType::Int64) => straight::<stored::Int64Type>(primitive::<Int64Type>),
        (Physical::INT64, DataType::Date64) => straight::<stored::Int64Type>(primitive::<Date64Type>),
        (Physical::INT64, DataType::UInt64) => {
            straight::<stored::Int64Type>(|values, nulls| primitive::<UInt64Type>(each(values, |v| v as u64), nulls))
        }
        (Physical::INT64, &DataType::Decimal128(precision, scale)) => {
            straight::<stored::Int64Type>(move |values, nulls| {
                decimal::<Decimal128Type>(each(values, i128::from), nulls, precision, scale)
            })
        }
        (Physical::INT64, &DataType::Timestamp(unit, _)) => {
            straight::<stored::Int64Type>(move |values, nulls| moments(values, nulls, unit))
        }
        (Physical::INT96, &DataType::Timestamp(unit, _)) => straight::<stored::Int96Type>(move |values, nulls| {
            let moment = match unit {
                TimeUnit::Second => Int96::to_seconds,
                TimeUnit::Millisecond => Int96::to_millis,
                TimeUnit::Microsecond => Int96::to_micros,
                TimeUnit::Nanosecond => Int96::to_nanos,
            };
            moments(values.iter().map(moment).collect(), nulls, unit)
        }),
        (Physical::BYTE_ARRAY, kind) => long::<stored::ByteArrayType>(kind)?,
        (Physical::FIXED_LEN_BYTE_ARRAY, kind) => long::<stored::FixedLenByteArrayType>(kind)?,
        _ => return None,
    })
}

fn each<T, U>(values: Vec<T>, of: impl Fn(T) -> U) -> Vec<U> {
    values.into_iter().map(of).collect()
}

fn primitive<T: ArrowPrimitiveType>(values: Vec<T::Native>, nulls: Option<NullBuffer>) -> Read<ArrayRef> {
    Ok(Arc::new(PrimitiveArray::<T>::new(values.into(), nulls)))
}

fn decimal<T: DecimalType>(
    values: Vec<T::Native>,
    nulls: Option<NullBuffer>,
    precision: u8,
    scale: i8,
) -> Read<ArrayRef> {
    let array = PrimitiveArray::<T>::new(values.into(), nulls).with_precision_and_scale(precision, scale);
    Ok(Arc::new(array.map_err(|error| error.to_string())?))
}

fn moments(values: Vec<i64>, nulls: Option<NullBuffer>, unit: TimeUnit) -> Read<ArrayRef> {
    match unit {
        TimeUnit::Second => primitive::<TimestampSecondType>(values, nulls),
        TimeUnit::Millisecond => primitive::<TimestampMillisecondType>(values, nulls),
        TimeUnit::Microsecond => primitive::<TimestampMicrosecondType>(values, nulls),
        TimeUnit::Nanosecond => primitive::<TimestampNanosecondType>(values, nulls),
    }
}

/// A column that is missing throughout.
struct Nothing(usize);

impl Cells for Nothing {
    fn open(&mut self, _: ColumnReader) {}

    fn read(&mut self, rows: usize) -> Read<()> {
        self.0 += rows;
        Ok(())
    }

    fn array(&mut self) -> Read<ArrayRef> {
        Ok(Arc::new(NullArray::new(std::mem::take(&mut self.0))))
    }
}

/// Reads `rows` rows: what is there, and for columns where something may be missing a level for each row, which is 1 if it is
/// there. Columns that are nested, which have other levels, are not read.
fn records<T: stored::DataType>(
    reader: &mut Option<ColumnReaderImpl<T>>,
    rows: usize,
    levels: &mut Vec<i16>,
    values: &mut Vec<T::T>,
) -> Read<()> {
    let reader = reader.as_mut().ok_or("no group of rows is open")?;
    let (read, ..) = reader.read_records(rows, Some(levels), None, values).map_err(|error| error.to_string())?;
    if read == rows { Ok(()) } else { Err("it has fewer values than the file has rows".into()) }
}

/// Makes an array of values and of which of them are there.
type Make<V> = Box<dyn Fn(V, Option<NullBuffer>) -> Read<ArrayRef>>;

/// Values of one size.
struct Straight<T: stored::DataType> {
    reader: Option<ColumnReaderImpl<T>>,
    values: Vec<T::T>,
    levels: Vec<i16>,
    make: Make<Vec<T::T>>,
}

fn straight<T: stored::DataType>(
    make: impl Fn(Vec<T::T>, Option<NullBuffer>) -> Read<ArrayRef> + 'static,
) -> Box<dyn Cells> {
    Box::new(Straight::<T> { reader: None, values: Vec::new(), levels: Vec::new(), make: Box::new(make) })
}

impl<T: stored::DataType> Cells for Straight<T> {
    fn open(&mut self, reader: ColumnReader) {
        self.reader = Some(get_typed_column_reader(reader));
    }

    fn read(&mut self, rows: usize) -> Read<()> {
        self.values.reserve(rows);
        records(&mut self.reader, rows, &mut self.levels, &mut self.values)
    }

    fn array(&mut self) -> Read<ArrayRef> {
        let (values, levels) = (std::mem::take(&mut self.values), std::mem::take(&mut self.levels));
        if levels.is_empty() || levels.len() == values.len() {
            return (self.make)(values, None);
        }
        let mut there = values.into_iter();
        let spread =
            levels.iter().map(|&level| if level > 0 { there.next().unwrap_or_default() } else { T::T::default() });
        let spread = spread.collect();
        (self.make)(spread, Some(nulls(&levels)))
    }
}

fn nulls(levels: &[i16]) -> NullBuffer {
    NullBuffer::new(BooleanBuffer::collect_bool(levels.len(), |row| levels[row] > 0))
}

/// Values one after the other, and where each ends.
#[derive(Default)]
struct Joined {
    bytes: Vec<u8>,
    ends: Vec<i32>,
}

impl Joined {
    fn push(&mut self, value: &[u8]) -> Read<()> {
        self.bytes.extend_from_slice(value);
        self.end()
    }

    fn end(&mut self) -> Read<()> {
        let end = i32::try_from(self.bytes.len());
        self.ends.push(end.map_err(|_| "its values are too long: rows that are read at once have more than 2 GiB")?);
        Ok(())
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| &self.bytes[*start as usize..*end as usize])
    }
}

/// Values of any size.
struct Long<T: stored::DataType> {
    reader: Option<ColumnReaderImpl<T>>,
    /// What was read last.
    read: Vec<T::T>,
    read_levels: Vec<i16>,
    joined: Joined,
    levels: Vec<i16>,
    missing: bool,
    make: Make<Joined>,
}

fn long<T: stored::DataType>(kind: &DataType) -> Option<Box<dyn Cells>> {
    let make: Make<Joined> = match *kind {
        DataType::Utf8 => Box::new(|joined, nulls| {
            let ends = std::iter::once(0).chain(joined.ends).collect::<Vec<i32>>();
            let texts = StringArray::try_new(OffsetBuffer::new(ends.into()), Buffer::from_vec(joined.bytes), nulls);
            Ok(Arc::new(texts.map_err(|error| error.to_string())?))
        }),
        DataType::Float16 => Box::new(|joined, nulls| {
            type Half = <Float16Type as ArrowPrimitiveType>::Native;
            let half = |value: &[u8]| value.first_chunk().map_or(Half::default(), |bytes| Half::from_le_bytes(*bytes));
            primitive::<Float16Type>(joined.iter().map(half).collect(), nulls)
        }),
        DataType::Decimal128(precision, scale) => Box::new(move |joined, nulls| {
            let values = joined.iter().map(|value| Ok(i128::from_be_bytes(extended(value)?))).collect::<Read<_>>()?;
            decimal::<Decimal128Type>(values, nulls, precision, scale)
        }),
        DataType::Decimal256(precision, scale) => Box::new(move |joined, nulls| {
            let values = joined.iter().map(|value| Ok(i256::from_be_bytes(extended(value)?))).collect::<Read<_>>()?;
            decimal::<Decimal256Type>(values, nulls, precision, scale)
        }),
        _ => return None,
    };
    let joined = Joined::default();
    let (read, read_levels, levels) = (Vec::new(), Vec::new(), Vec::new());
    Some(Box::new(Long::<T> { reader: None, read, read_levels, joined, levels, missing: false, make }))
}

/// A number that may be negative, in more bytes.
fn extended<const N: usize>(value: &[u8]) -> Read<[u8; N]> {
    let start = N.checked_sub(value.len()).ok_or("it has a number of more digits than it says")?;
    let mut bytes = [if value.first().is_some_and(|first| first & 0x80 > 0) { 0xff } else { 0 }; N];
    bytes[start..].copy_from_slice(value);
    Ok(bytes)
}

impl<T: stored::DataType> Cells for Long<T> {
    fn open(&mut self, reader: ColumnReader) {
        self.reader = Some(get_typed_column_reader(reader));
    }

    fn read(&mut self, mut rows: usize) -> Read<()> {
        while rows > 0 {
            let step = rows.min(LONG_VALUES);
            rows -= step;
            self.read.clear();
            self.read_levels.clear();
            records(&mut self.reader, step, &mut self.read_levels, &mut self.read)?;
            self.missing |= self.read.len() < step;
            let mut there = self.read.iter();
            if self.read_levels.is_empty() {
                self.levels.resize(self.levels.len() + step, 1);
                there.try_for_each(|value| self.joined.push(value.as_bytes()))?;
                continue;
            }
            self.levels.extend_from_slice(&self.read_levels);
            for level in &self.read_levels {
                match if *level > 0 { there.next() } else { None } {
                    Some(value) => self.joined.push(value.as_bytes())?,
                    None => self.joined.end()?,
                }
            }
        }
        Ok(())
    }

    fn array(&mut self) -> Read<ArrayRef> {
        let (joined, levels) = (std::mem::take(&mut self.joined), std::mem::take(&mut self.levels));
        let missing = std::mem::take(&mut self.missing);
        (self.make)(joined, missing.then(|| nulls(&levels)))
    }
}
