//! What the columns of a Parquet file hold, in Arrow's words, so that they mean the same as those of Arrow files.

use arrow_schema::{DataType, Field, FieldRef, Fields, IntervalUnit, TimeUnit};
use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit as Unit, Type as Physical};
use parquet::file::metadata::FileMetaData;
use parquet::schema::types::Type;
use std::sync::Arc;

/// Beside Parquet's own schema writers keep that of Arrow here, which tells what Parquet has no word for, such as durations.
const ARROW_SCHEMA: &str = "ARROW:schema";

/// The columns of a file. Widths of integers and time zones are left out: they change no value.
pub(crate) fn fields(metadata: &FileMetaData) -> Result<Vec<FieldRef>, String> {
    let told = metadata.key_value_metadata().into_iter().flatten().find(|entry| entry.key == ARROW_SCHEMA);
    let told = told.and_then(|entry| entry.value.as_deref()).map(arrow_schema).transpose()?;
    let fields = metadata.schema_descr().root_schema().get_fields();
    if told.as_ref().is_some_and(|told| !names(told.iter().map(|field| field.name())).eq(names_of(fields))) {
        return Err("its columns are not those of the Arrow schema that it carries".into());
    }
    let field = |(k, field): (usize, &Arc<Type>)| {
        let own = kind(field)?;
        let kind = match &told {
            Some(told) => hinted(own, field, told[k].data_type()),
            None => own,
        };
        Ok(Arc::new(Field::new(field.name(), kind, true)))
    };
    fields.iter().enumerate().map(field).collect()
}

fn names<'a>(names: impl Iterator<Item = &'a String>) -> impl Iterator<Item = &'a str> {
    names.map(String::as_str)
}

fn names_of(fields: &[Arc<Type>]) -> impl Iterator<Item = &str> {
    fields.iter().map(|field| field.name())
}

fn arrow_schema(encoded: &str) -> Result<Fields, String> {
    let unclear = || "the Arrow schema that it carries can't be understood".to_string();
    let bytes = from_base64(encoded).ok_or_else(unclear)?;
    // The length before the message has a mark before it in files of today.
    let message = if bytes.starts_with(&[0xff; 4]) { bytes.get(8..) } else { Some(&bytes[..]) };
    let message = arrow_ipc::root_as_message(message.ok_or_else(unclear)?).map_err(|_| unclear())?;
    let schema = arrow_ipc::convert::try_fb_to_schema(message.header_as_schema().ok_or_else(unclear)?);
    Ok(schema.map_err(|_| unclear())?.fields)
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut held, mut bits) = (0u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    Some(bytes)
}

/// What Arrow's own schema says where Parquet's says less.
fn hinted(own: DataType, field: &Type, hint: &DataType) -> DataType {
    use DataType::*;
    let is_int96 = field.is_primitive() && field.get_physical_type() == Physical::INT96;
    match (&own, hint) {
        (_, Dictionary(_, value)) => hinted(own, field, value),
        // Another unit reaches further than nanoseconds do.
        (Timestamp(..), Timestamp(unit, _)) if is_int96 => Timestamp(*unit, None),
        (Int64, Timestamp(unit, _)) => Timestamp(*unit, None),
        (Int32, Time32(_)) | (Int64, Time64(_) | Duration(_) | Date64) | (Interval(_), Interval(_)) => hint.clone(),
        (Binary, Utf8 | LargeUtf8 | Utf8View) => Utf8,
        (Binary, LargeBinary | BinaryView) => hint.clone(),
        _ if own.is_nested() && hint.is_nested() => hint.clone(),
        _ => own,
    }
}

fn kind(field: &Type) -> Result<DataType, String> {
    let info = field.get_basic_info();
    let repeated = info.has_repetition() && info.repetition() == Repetition::REPEATED;
    let kind = single(field)?;
    Ok(if repeated { DataType::List(Arc::new(Field::new(field.name(), kind, false))) } else { kind })
}

/// The kind of one of what may be repeated.
fn single(field: &Type) -> Result<DataType, String> {
    if field.is_primitive() {
        return leaf(field);
    }
    let child = |field: &Arc<Type>| Ok(Field::new(field.name(), kind(field)?, field.is_optional()));
    let children = |field: &Type| field.get_fields().iter().map(child).collect::<Result<Fields, String>>();
    Ok(match (field.get_basic_info().converted_type(), field.get_fields()) {
        (ConvertedType::LIST, [repeated]) if repeated.is_primitive() => kind(repeated)?,
        (ConvertedType::LIST, [repeated]) => match repeated.get_fields() {
            [item] => DataType::List(Arc::new(child(item)?)),
            _ => kind(repeated)?,
        },
        (ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE, [entries]) if entries.is_group() => {
            let entry = Field::new_struct(entries.name(), children(entries)?, false);
            DataType::Map(Arc::new(entry), false)
        }
        _ => DataType::Struct(children(field)?),
    })
}

fn leaf(field: &Type) -> Result<DataType, String> {
    use ConvertedType as Old;
    use LogicalType as Kind;
    let Type::PrimitiveType { physical_type, type_length, scale, precision, basic_info } = field else {
        return Err(format!("column '{}' holds nothing", field.name()));
    };
    let (logical, converted) = (basic_info.logical_type_ref(), basic_info.converted_type());
    let decimal = match logical {
        Some(Kind::Unknown) => return Ok(DataType::Null),
        Some(Kind::Decimal(decimal)) => Some((decimal.precision, decimal.scale)),
        None if converted == Old::DECIMAL => Some((*precision, *scale)),
        _ => None,
    };
    let unclear = || format!("column '{}' is said to hold {logical:?} ({converted}) as {physical_type}", field.name());
    if let Some((precision, scale)) = decimal {
        let wide = match physical_type {
            Physical::BYTE_ARRAY => precision > 38,
            Physical::FIXED_LEN_BYTE_ARRAY => *type_length > 16,
            _ => false,
        };
        let (precision, scale) = (u8::try_from(precision), i8::try_from(scale));
        let (precision, scale) = (precision.map_err(|_| unclear())?, scale.map_err(|_| unclear())?);
        return Ok(if wide { DataType::Decimal256(precision, scale) } else { DataType::Decimal128(precision, scale) });
    }
    Ok(match (physical_type, logical, converted) {
        (Physical::BOOLEAN, ..) => DataType::Boolean,
        (Physical::FLOAT, ..) => DataType::Float32,
        (Physical::DOUBLE, ..) => DataType::Float64,
        (Physical::INT96, ..) => DataType::Timestamp(TimeUnit::Nanosecond, None),
        (Physical::INT32, Some(Kind::Integer(kind)), _) if kind.is_signed => DataType::Int32,
        (Physical::INT32, Some(Kind::Integer(_)), _) => DataType::UInt32,
        (Physical::INT32, None, Old::NONE | Old::INT_8 | Old::INT_16 | Old::INT_32) => DataType::Int32,
        (Physical::INT32, None, Old::UINT_8 | Old::UINT_16 | Old::UINT_32) => DataType::UInt32,
        (Physical::INT32, Some(Kind::Date), _) | (Physical::INT32, None, Old::DATE) => DataType::Date32,
        (Physical::INT32, Some(Kind::Time(_)), _) | (Physical::INT32, None, Old::TIME_MILLIS) => {
            DataType::Time32(TimeUnit::Millisecond)
        }
        (Physical::INT64, Some(Kind::Integer(kind)), _) if kind.is_signed => DataType::Int64,
        (Physical::INT64, Some(Kind::Integer(_)), _) => DataType::UInt64,
        (Physical::INT64, None, Old::NONE | Old::INT_64) => DataType::Int64,
        (Physical::INT64, None, Old::UINT_64) => DataType::UInt64,
        (Physical::INT64, Some(Kind::Timestamp(moment)), _) => DataType::Timestamp(unit(&moment.unit), None),
        (Physical::INT64, None, Old::TIMESTAMP_MILLIS) => DataType::Timestamp(TimeUnit::Millisecond, None),
        (Physical::INT64, None, Old::TIMESTAMP_MICROS) => DataType::Timestamp(TimeUnit::Microsecond, None),
        (Physical::INT64, Some(Kind::Time(time)), _) => DataType::Time64(unit(&time.unit)),
        (Physical::INT64, None, Old::TIME_MICROS) => DataType::Time64(TimeUnit::Microsecond),
        (Physical::BYTE_ARRAY, Some(Kind::String | Kind::Json | Kind::Enum), _)
        | (Physical::BYTE_ARRAY, None, Old::UTF8 | Old::JSON | Old::ENUM) => DataType::Utf8,
        (Physical::BYTE_ARRAY, ..) => DataType::Binary,
        (Physical::FIXED_LEN_BYTE_ARRAY, Some(Kind::Float16), _) if *type_length == 2 => DataType::Float16,
        (Physical::FIXED_LEN_BYTE_ARRAY, None, Old::INTERVAL) => DataType::Interval(IntervalUnit::DayTime),
        (Physical::FIXED_LEN_BYTE_ARRAY, ..) => DataType::FixedSizeBinary(*type_length),
        _ => return Err(unclear()),
    })
}

fn unit(unit: &Unit) -> TimeUnit {
    match unit {
        Unit::MILLIS => TimeUnit::Millisecond,
        Unit::MICROS => TimeUnit::Microsecond,
        Unit::NANOS => TimeUnit::Nanosecond,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_those_of_arrow() {
        let kinds = [
            ("required boolean c", "Boolean"),
            ("optional int32 c (INTEGER(16, true))", "Int32"),
            ("optional int32 c (UINT_8)", "UInt32"),
            ("optional int64 c (INTEGER(64, false))", "UInt64"),
            ("optional int32 c (DATE)", "Date32"),
            ("optional int64 c (TIMESTAMP_MILLIS)", "Timestamp(ms)"),
            ("optional int64 c (TIMESTAMP(NANOS, true))", "Timestamp(ns)"),
            ("optional int96 c", "Timestamp(ns)"),
            ("optional int32 c (DECIMAL(9, 2))", "Decimal128(9, 2)"),
            ("optional binary c (DECIMAL(50, 2))", "Decimal256(50, 2)"),
            ("optional fixed_len_byte_array(16) c (DECIMAL(38, 2))", "Decimal128(38, 2)"),
            ("optional fixed_len_byte_array(20) c (DECIMAL(40, 2))", "Decimal256(40, 2)"),
            ("optional fixed_len_byte_array(2) c (FLOAT16)", "Float16"),
            ("optional binary c (UTF8)", "Utf8"),
            ("optional binary c (ENUM)", "Utf8"),
            ("optional binary c (JSON)", "Utf8"),
            ("optional binary c", "Binary"),
            ("optional binary c (BSON)", "Binary"),
            ("optional int32 c (TIME_MILLIS)", "Time32(ms)"),
            ("optional int64 c (TIME(MICROS, true))", "Time64(\u{b5}s)"),
            ("optional fixed_len_byte_array(12) c (INTERVAL)", "Interval(DayTime)"),
            ("optional fixed_len_byte_array(16) c (UUID)", "FixedSizeBinary(16)"),
            ("repeated double c", "List(non-null Float64, field: 'c')"),
            ("optional group c { optional double d; }", "Struct(\"d\": Float64)"),
            (
                "optional group c (LIST) { repeated group list { optional int64 element; } }",
                "List(Int64, field: 'element')",
            ),
        ];
        for (written, expected) in kinds {
            let end = if written.ends_with('}') { "" } else { ";" };
            let schema = format!("message schema {{ {written}{end} }}");
            let schema = parquet::schema::parser::parse_message_type(&schema).unwrap();
            assert_eq!(kind(&schema.get_fields()[0]).unwrap().to_string(), expected, "{written}");
        }
    }

    #[test]
    fn arrows_schema_tells_more() {
        let schema = parquet::schema::parser::parse_message_type(
            "message schema { required int64 i; optional int96 old; optional binary b; }",
        );
        let schema = schema.unwrap();
        let told = |k: usize, hint| hinted(kind(&schema.get_fields()[k]).unwrap(), &schema.get_fields()[k], &hint);
        assert_eq!(told(0, DataType::Duration(TimeUnit::Second)), DataType::Duration(TimeUnit::Second));
        assert_eq!(told(0, DataType::Date64), DataType::Date64);
        assert_eq!(told(0, DataType::Utf8), DataType::Int64);
        let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
        assert_eq!(told(1, micros.clone()), micros);
        assert_eq!(
            told(2, DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::LargeUtf8))),
            DataType::Utf8
        );
        assert_eq!(told(2, DataType::LargeBinary), DataType::LargeBinary);
    }

    #[test]
    fn base64_is_read() {
        assert_eq!(from_base64("/wAQ+g=="), Some(vec![0xff, 0, 0x10, 0xfa]));
        assert_eq!(from_base64("/w A"), None);
    }
}
