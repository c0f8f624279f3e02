//! Inputs to begin with: sound ones of every kind, small, so that a change hits something that counts.

use crate::Kind;
use anyhow::Result;
use arrow_array::{
    ArrayRef, DictionaryArray, Float32Array, Int64Array, NullArray, RecordBatch, StringArray, types::Int8Type,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
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

/// Rows of every kind of column that files can have.
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

fn parquet() -> Result<Vec<Vec<u8>>> {
    let mut files = Vec::new();
    for (compression, rows) in [(Compression::UNCOMPRESSED, 30), (Compression::SNAPPY, 40), (Compression::LZ4_RAW, 20)]
    {
        let properties =
            WriterProperties::builder().set_compression(compression).set_max_row_group_row_count(Some(16)).build();
        let batch = batch(rows)?;
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties))?;
        writer.write(&batch)?;
        files.push(writer.into_inner()?);
    }
    Ok(files)
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
