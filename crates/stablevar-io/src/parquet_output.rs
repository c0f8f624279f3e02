//! A table as a Parquet file.

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use stablevar::table::{Column, Table, Values};
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

/// Rows of a group: what a reader may want to hold at once.
const GROUP: usize = 1 << 20;

/// Writes numbers, texts, true and false; what is missing is missing there too.
pub(crate) fn write(writer: &mut dyn Write, table: &Table) -> Result<()> {
    let fields = table.columns().iter().map(|column| Ok(Arc::new(field(column)?))).collect::<Result<_>>()?;
    let schema = Type::group_type_builder("schema").with_fields(fields).build()?;
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(WriterProperties::default()))?;
    for start in (0..table.rows()).step_by(GROUP) {
        let rows = start..table.rows().min(start + GROUP);
        let mut group = file.next_row_group()?;
        for column in table.columns() {
            if let Some(writer) = group.next_column()? {
                fill(writer, &column.values, rows.clone())?;
            }
        }
        group.close()?;
    }
    Ok(writer.write_all(&file.into_inner()?)?)
}

fn field(column: &Column) -> Result<Type> {
    let (physical, logical, whole) = match &column.values {
        Values::Number(values) => (Physical::DOUBLE, None, values.iter().all(|value| !value.is_nan())),
        Values::Boolean(values) => (Physical::BOOLEAN, None, values.iter().all(Option::is_some)),
        Values::Text(values) => {
            (Physical::BYTE_ARRAY, Some(LogicalType::String), values.codes.iter().all(Option::is_some))
        }
    };
    let repetition = if whole { Repetition::REQUIRED } else { Repetition::OPTIONAL };
    Type::primitive_type_builder(&column.name, physical).with_repetition(repetition).with_logical_type(logical).build()
}

fn fill(writer: SerializedColumnWriter, values: &Values, rows: Range<usize>) -> Result<()> {
    match values {
        Values::Number(values) => {
            let numbers = values.iter().skip(rows.start).take(rows.len());
            fill_with::<DoubleType>(writer, numbers.map(|value| (!value.is_nan()).then_some(value)))
        }
        Values::Boolean(values) => fill_with::<BoolType>(writer, values[rows].iter().copied()),
        Values::Text(values) => {
            // Texts are shared rather than copied.
            let levels: Vec<ByteArray> = values.levels.iter().map(|level| ByteArray::from(level.as_str())).collect();
            let text = |code: &Option<u32>| code.map(|code| levels[code as usize].clone());
            fill_with::<ByteArrayType>(writer, values.codes[rows].iter().map(text))
        }
    }
}

fn fill_with<T: DataType>(
    mut writer: SerializedColumnWriter,
    values: impl Iterator<Item = Option<T::T>>,
) -> Result<()> {
    let mut levels = Vec::new();
    let there: Vec<T::T> = values.inspect(|value| levels.push(i16::from(value.is_some()))).flatten().collect();
    // Levels of columns that are whole are passed over.
    writer.typed::<T>().write_batch(&there, Some(&levels), None)?;
    writer.close()
}
