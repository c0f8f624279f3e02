//! Inputs to begin with: sound ones of every kind, small, so that a change hits something that counts.

use crate::Kind;
use anyhow::Result;
use arrow_array::{
    ArrayRef, DictionaryArray, Float32Array, Int64Array, NullArray, RecordBatch, StringArray, types::Int8Type,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, FixedLenByteArray, FixedLenByteArrayType, FloatType, Int32Type,
    Int64Type, Int96, Int96Type,
};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use stablevar::Estimator;
use stablevar::table::{Column, Table, TextValues, Values};
use stablevar_io::model_to_json;
use std::sync::Arc;

/// Sound inputs of a kind.
pub fn seeds(kind: Kind) -> Result<Vec<Vec<u8>>> {
    Ok(match kind {
        Kind::Csv => csv(),
        Kind::Parquet => parquet()?,
        Kind::Arrow => arrow()?,
        Kind::Model => models()?,
        Kind::Options => (0..16u8).map(|k| vec![k.wrapping_mul(37); usize::from(k) + 8]).collect(),
    })
}

fn csv() -> Vec<Vec<u8>> {
    let rows: String = (0..30)
        .map(|k| format!("{},{},{},{}\n", (k * 7) % 11, ["x", "y", ""][k % 3], k % 2 == 0, (k * k) % 17))
        .collect();
    let texts = [
        format!("a,b,c,y\n{rows}"),
        format!("\u{feff}a;b;c;y\r\n{}", rows.replace(',', ";").replace('\n', "\r\n")),
        "\"a\"\"b\",\"c,d\"\n1,\"x\ny\"\n2,z\n3,\n".into(),
        "a\tb\n1\t2.5e-3\nNA\t-1e308\n?\tinf\n".into(),
        "a,y\n1,5%\n\"1,250\",2\n1.5.2,3\n".into(),
        "y\n".into(),
        "a,y\n".to_string() + &"1,2\n".repeat(60),
    ];
    texts.into_iter().map(String::into_bytes).collect()
}

/// Rows of every kind of column that Arrow files can have.
fn batch(rows: usize) -> Result<RecordBatch> {
    let numbers: Vec<Option<f32>> = (0..rows).map(|k| (k % 7 != 3).then_some(k as f32 / 3.0)).collect();
    let words: Vec<Option<&str>> = (0..rows).map(|k| (k % 5 != 4).then_some(["red", "green", "blue"][k % 3])).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("f", Arc::new(Float32Array::from(numbers))),
        ("i", Arc::new(Int64Array::from_iter_values((0..rows as i64).map(|k| k * k)))),
        ("s", Arc::new(StringArray::from(words.clone()))),
        ("d", Arc::new(words.into_iter().collect::<DictionaryArray<Int8Type>>())),
        ("b", Arc::new(arrow_array::BooleanArray::from_iter((0..rows).map(|k| Some(k % 2 == 0))))),
        ("n", Arc::new(NullArray::new(rows))),
        ("y", Arc::new(Int64Array::from_iter_values((0..rows as i64).map(|k| k % 11)))),
    ];
    Ok(RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, values)| (name, values, true)))?)
}

/// Columns of every kind that is read from Parquet, and of some that are not.
const PARQUET_SCHEMA: &str = "message schema {
    optional float f;
    required int64 i;
    optional binary s (STRING);
    optional binary d (STRING);
    required boolean b;
    optional int32 n (UNKNOWN);
    optional int32 u (INTEGER(8, false));
    required int32 day (DATE);
    optional int64 moment (TIMESTAMP(MICROS, false));
    optional int96 old;
    optional fixed_len_byte_array(5) money (DECIMAL(10, 2));
    optional binary amount (DECIMAL(10, 2));
    optional fixed_len_byte_array(2) half (FLOAT16);
    required int64 y;
}";

fn parquet() -> Result<Vec<Vec<u8>>> {
    let built = WriterProperties::builder;
    let delta = |builder: WriterPropertiesBuilder, column: &str, encoding| {
        let column = parquet::schema::types::ColumnPath::from(column);
        builder.set_column_encoding(column, encoding)
    };
    let new = built().set_writer_version(WriterVersion::PARQUET_2_0).set_dictionary_enabled(false);
    let new = delta(new, "d", Encoding::DELTA_LENGTH_BYTE_ARRAY);
    let new = delta(delta(new, "f", Encoding::BYTE_STREAM_SPLIT), "i", Encoding::DELTA_BINARY_PACKED);
    let files = [
        (built(), 30),
        (built().set_compression(Compression::SNAPPY), 40),
        (built().set_compression(Compression::LZ4_RAW), 20),
        (built().set_compression(Compression::ZSTD(Default::default())), 40),
        (delta(new, "s", Encoding::DELTA_BYTE_ARRAY), 30),
    ];
    files.into_iter().map(|(properties, rows)| parquet_file(properties.build(), rows)).collect()
}

/// Some rows in groups of sixteen.
fn parquet_file(properties: WriterProperties, rows: i32) -> Result<Vec<u8>> {
    let schema = Arc::new(parse_message_type(PARQUET_SCHEMA)?);
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    for start in (0..rows).step_by(16) {
        let rows = || start..rows.min(start + 16);
        let mut group = file.next_row_group()?;
        let word = |k: i32| (k % 5 != 4).then(|| ByteArray::from(["red", "green", "blue"][k as usize % 3]));
        let bytes = |k: i32| ByteArray::from((k * 125).to_be_bytes().to_vec());
        column::<FloatType>(&mut group, rows().map(|k| (k % 7 != 3).then_some(k as f32 / 3.0)))?;
        column::<Int64Type>(&mut group, rows().map(|k| Some(i64::from(k * k))))?;
        column::<ByteArrayType>(&mut group, rows().map(word))?;
        column::<ByteArrayType>(&mut group, rows().map(word))?;
        column::<BoolType>(&mut group, rows().map(|k| Some(k % 2 == 0)))?;
        column::<Int32Type>(&mut group, rows().map(|_| None))?;
        column::<Int32Type>(&mut group, rows().map(|k| (k % 6 != 1).then_some(k % 256)))?;
        column::<Int32Type>(&mut group, rows().map(|k| Some(19_000 + k)))?;
        column::<Int64Type>(&mut group, rows().map(|k| (k % 4 != 1).then_some(i64::from(k) * 3_600_000_000)))?;
        column::<Int96Type>(
            &mut group,
            rows().map(|k| (k % 4 != 2).then(|| Int96::from(vec![k as u32, 0, 2_440_588]))),
        )?;
        column::<FixedLenByteArrayType>(
            &mut group,
            rows().map(|k| (k % 3 != 1).then(|| FixedLenByteArray::from([&[0][..], bytes(k).data()].concat()))),
        )?;
        column::<ByteArrayType>(&mut group, rows().map(|k| (k % 3 != 2).then(|| bytes(k))))?;
        column::<FixedLenByteArrayType>(&mut group, rows().map(|k| Some(FixedLenByteArray::from(vec![k as u8, 60]))))?;
        column::<Int64Type>(&mut group, rows().map(|k| Some(i64::from(k % 11))))?;
        group.close()?;
    }
    Ok(file.into_inner()?)
}

fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<Vec<u8>>,
    values: impl Iterator<Item = Option<T::T>>,
) -> Result<()> {
    let mut levels = Vec::new();
    let there: Vec<T::T> = values.inspect(|value| levels.push(i16::from(value.is_some()))).flatten().collect();
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(&there, Some(&levels), None)?;
        column.close()?;
    }
    Ok(())
}

fn arrow() -> Result<Vec<Vec<u8>>> {
    let mut files = Vec::new();
    for (compression, rows) in [(None, 30), (Some(CompressionType::LZ4_FRAME), 40), (Some(CompressionType::ZSTD), 40)] {
        let options = IpcWriteOptions::default().try_with_compression(compression)?;
        let batch = batch(rows)?;
        let mut writer = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options)?;
        writer.write(&batch.slice(0, rows / 2))?;
        writer.write(&batch.slice(rows / 2, rows - rows / 2))?;
        writer.finish()?;
        files.push(writer.into_inner()?);
    }
    Ok(files)
}

fn models() -> Result<Vec<Vec<u8>>> {
    let value = |k: usize, by: usize| ((k * by) % 13) as f64 / 3.0;
    let rows = 24;
    let words = TextValues::collect((0..rows).map(|k| Some(["red", "green"][k % 2])));
    let outcome = |classes: bool| {
        (0..rows)
            .map(|k| {
                let sum = value(k, 7) - value(k, 5) + 0.3 * value(k, 11);
                if classes { f64::from(u8::from(sum > 0.0)) } else { sum }
            })
            .collect::<Vec<f64>>()
    };
    let mut files = Vec::new();
    for (method, classes) in
        [("ols", false), ("lasso", false), ("svi", false), ("stg", false), ("logistic", true), ("mlp", false)]
    {
        let columns = vec![
            ("a", Values::Number((0..rows).map(|k| value(k, 7)).collect::<Vec<f64>>().into())),
            ("b", Values::Number((0..rows).map(|k| value(k, 5)).collect::<Vec<f64>>().into())),
            ("t", Values::Text(words.clone())),
            ("y", Values::Number(outcome(classes).into())),
        ];
        let columns = columns.into_iter().map(|(name, values)| Column { name: name.into(), values }).collect();
        let mut estimator = Estimator::new(method)?.target("y");
        for (name, value) in
            [("epochs", 2.into()), ("restarts", 1.into()), ("hidden", stablevar::estimator::Value::Counts(vec![2]))]
        {
            if method == "mlp" {
                estimator = estimator.set(name, value)?;
            }
        }
        let fit = estimator.fit(&Table::new(columns)?)?;
        files.push(model_to_json(&fit.model)?.into_bytes());
    }
    Ok(files)
}
