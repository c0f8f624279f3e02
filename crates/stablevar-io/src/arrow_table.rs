//! Parquet and Arrow IPC files.

use crate::{IoError, ReadOptions, Result};
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch, cast::AsArray};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use arrow_select::concat::concat_batches;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use stablevar::table::{Column, Table, TextValues, Values};

pub(crate) fn read_parquet(path: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Table<'static>> {
    let broken = |error: &dyn std::fmt::Display| damaged(path, error);
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).map_err(|error| broken(&error))?;
    let schema = builder.schema().clone();
    let reader = builder.build().map_err(|error| broken(&error))?;
    table(path, schema, reader, options)
}

pub(crate) fn read_ipc(path: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Table<'static>> {
    let reader = arrow_ipc::reader::FileReader::try_new(std::io::Cursor::new(bytes), None)
        .map_err(|error| damaged(path, &error))?;
    table(path, reader.schema(), reader, options)
}

fn damaged(path: &str, error: &dyn std::fmt::Display) -> IoError {
    IoError::Damaged { path: path.into(), message: error.to_string() }
}

fn table(
    path: &str,
    schema: SchemaRef,
    batches: impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>>,
    options: &ReadOptions,
) -> Result<Table<'static>> {
    let batches = batches.collect::<std::result::Result<Vec<_>, _>>().map_err(|error| damaged(path, &error))?;
    let batch = concat_batches(&schema, &batches).map_err(|error| damaged(path, &error))?;
    let mut columns = Vec::with_capacity(batch.num_columns());
    for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
        let name = field.name().clone();
        let values = if options.skips(&name) {
            Values::Boolean(vec![None; batch.num_rows()])
        } else {
            values(path, &name, array, options.text.contains(&name))?
        };
        columns.push(Column { name, values });
    }
    Table::new(columns).map_err(|source| IoError::Table { path: path.into(), source })
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
