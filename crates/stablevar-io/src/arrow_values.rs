//! Arrow's arrays as the numbers and texts of a column.
//!
//! By hand rather than by Arrow's own casts: those can turn anything into anything, and take longer to build than all of the
//! rest of reading a file.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, ArrowTemporalType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};
use stablevar::table::{TextValues, is_missing};
use std::fmt::Display;

/// Seconds, and parts of one, of a day.
const DAY: f64 = 86_400.0;

/// A column of numbers, NaN where there is none; `None` if the array holds something else.
pub(crate) fn numbers(array: &dyn Array) -> Option<Vec<f64>> {
    Some(match array.data_type() {
        DataType::Null => vec![f64::NAN; array.len()],
        DataType::Int8 => each::<Int8Type>(array, f64::from),
        DataType::Int16 => each::<Int16Type>(array, f64::from),
        DataType::Int32 => each::<Int32Type>(array, f64::from),
        DataType::Int64 => each::<Int64Type>(array, |value| value as f64),
        DataType::UInt8 => each::<UInt8Type>(array, f64::from),
        DataType::UInt16 => each::<UInt16Type>(array, f64::from),
        DataType::UInt32 => each::<UInt32Type>(array, f64::from),
        DataType::UInt64 => each::<UInt64Type>(array, |value| value as f64),
        DataType::Float16 => each::<Float16Type>(array, f64::from),
        DataType::Float32 => each::<Float32Type>(array, f64::from),
        DataType::Float64 => each::<Float64Type>(array, |value| value),
        // Read as they are written, so that 0.1 is the number nearest to 0.1.
        DataType::Decimal32(..) => decimals::<Decimal32Type>(array),
        DataType::Decimal64(..) => decimals::<Decimal64Type>(array),
        DataType::Decimal128(..) => decimals::<Decimal128Type>(array),
        DataType::Decimal256(..) => decimals::<Decimal256Type>(array),
        _ => return None,
    })
}

/// Days since 1970-01-01, NaN where there is none; `None` if the array holds no dates.
pub(crate) fn days(array: &dyn Array) -> Option<Vec<f64>> {
    Some(match array.data_type() {
        DataType::Date32 => each::<Date32Type>(array, f64::from),
        DataType::Date64 => each::<Date64Type>(array, |value| value as f64 / (DAY * 1e3)),
        DataType::Timestamp(TimeUnit::Second, _) => each::<TimestampSecondType>(array, |value| value as f64 / DAY),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            each::<TimestampMillisecondType>(array, |value| value as f64 / (DAY * 1e3))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            each::<TimestampMicrosecondType>(array, |value| value as f64 / (DAY * 1e6))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            each::<TimestampNanosecondType>(array, |value| value as f64 / (DAY * 1e9))
        }
        _ => return None,
    })
}

/// A column of texts without the spellings of a missing value; numbers, dates, true and false as they are written. `None` if
/// the array holds something else.
pub(crate) fn texts(array: &dyn Array) -> Option<TextValues> {
    Some(match array.data_type() {
        DataType::Utf8 => known(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => known(array.as_string::<i64>().iter()),
        DataType::Utf8View => known(array.as_string_view().iter()),
        DataType::Boolean => {
            known(array.as_boolean().iter().map(|value| value.map(|value| if value { "true" } else { "false" })))
        }
        DataType::Null => known((0..array.len()).map(|_| None)),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let (levels, keys) = (texts(dictionary.values())?, dictionary.keys());
            let places = if levels.codes.is_empty() { vec![0; array.len()] } else { dictionary.normalized_keys() };
            known((0..array.len()).map(|row| if keys.is_null(row) { None } else { levels.get(places[row]) }))
        }
        DataType::Int8 => written::<Int8Type>(array),
        DataType::Int16 => written::<Int16Type>(array),
        DataType::Int32 => written::<Int32Type>(array),
        DataType::Int64 => written::<Int64Type>(array),
        DataType::UInt8 => written::<UInt8Type>(array),
        DataType::UInt16 => written::<UInt16Type>(array),
        DataType::UInt32 => written::<UInt32Type>(array),
        DataType::UInt64 => written::<UInt64Type>(array),
        DataType::Float16 => rows(array, |row| format!("{:?}", array.as_primitive::<Float16Type>().value(row))),
        DataType::Float32 => rows(array, |row| format!("{:?}", array.as_primitive::<Float32Type>().value(row))),
        DataType::Float64 => rows(array, |row| format!("{:?}", array.as_primitive::<Float64Type>().value(row))),
        DataType::Decimal32(..) => rows(array, |row| array.as_primitive::<Decimal32Type>().value_as_string(row)),
        DataType::Decimal64(..) => rows(array, |row| array.as_primitive::<Decimal64Type>().value_as_string(row)),
        DataType::Decimal128(..) => rows(array, |row| array.as_primitive::<Decimal128Type>().value_as_string(row)),
        DataType::Decimal256(..) => rows(array, |row| array.as_primitive::<Decimal256Type>().value_as_string(row)),
        DataType::Date32 => rows(array, |row| date(array.as_primitive::<Date32Type>(), row)),
        DataType::Date64 => rows(array, |row| date(array.as_primitive::<Date64Type>(), row)),
        DataType::Timestamp(unit, _) => rows(array, |row| match unit {
            TimeUnit::Second => moment(array.as_primitive::<TimestampSecondType>(), row),
            TimeUnit::Millisecond => moment(array.as_primitive::<TimestampMillisecondType>(), row),
            TimeUnit::Microsecond => moment(array.as_primitive::<TimestampMicrosecondType>(), row),
            TimeUnit::Nanosecond => moment(array.as_primitive::<TimestampNanosecondType>(), row),
        }),
        _ => return None,
    })
}

fn each<T: ArrowPrimitiveType>(array: &dyn Array, number: impl Fn(T::Native) -> f64) -> Vec<f64> {
    let array = array.as_primitive::<T>();
    match array.null_count() {
        0 => array.values().iter().map(|value| number(*value)).collect(),
        _ => array.iter().map(|value| value.map_or(f64::NAN, &number)).collect(),
    }
}

fn decimals<T: DecimalType>(array: &dyn Array) -> Vec<f64> {
    let array = array.as_primitive::<T>();
    let number = |row: usize| array.value_as_string(row).parse().unwrap_or(f64::NAN);
    (0..array.len()).map(|row| if array.is_null(row) { f64::NAN } else { number(row) }).collect()
}

fn known<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> TextValues {
    TextValues::collect(texts.map(|text| text.filter(|text| !is_missing(text))))
}

fn rows(array: &dyn Array, text: impl Fn(usize) -> String) -> TextValues {
    let texts: Vec<Option<String>> = (0..array.len()).map(|row| array.is_valid(row).then(|| text(row))).collect();
    known(texts.iter().map(Option::as_deref))
}

fn written<T: ArrowPrimitiveType<Native: Display>>(array: &dyn Array) -> TextValues {
    rows(array, |row| array.as_primitive::<T>().value(row).to_string())
}

fn date<T: ArrowTemporalType>(array: &PrimitiveArray<T>, row: usize) -> String
where
    i64: From<T::Native>,
{
    array.value_as_date(row).map(|date| date.to_string()).unwrap_or_default()
}

fn moment<T: ArrowTemporalType>(array: &PrimitiveArray<T>, row: usize) -> String
where
    i64: From<T::Native>,
{
    array.value_as_datetime(row).map(|moment| moment.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{
        BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array, Int64Array, StringArray,
        StringViewArray, TimestampMicrosecondArray, UInt8Array,
    };

    fn as_texts(array: &dyn Array) -> Vec<Option<String>> {
        let texts = texts(array).unwrap();
        (0..array.len()).map(|row| texts.get(row).map(String::from)).collect()
    }

    fn some(texts: [&str; 2]) -> Vec<Option<String>> {
        texts.iter().map(|text| Some(text.to_string())).chain([None]).collect()
    }

    #[test]
    fn numbers_of_every_kind_are_numbers_and_can_be_texts() {
        let decimals = Decimal128Array::from(vec![Some(1), Some(-1250), None]).with_precision_and_scale(9, 1).unwrap();
        let arrays: [(&dyn Array, [f64; 2], [&str; 2]); 4] = [
            (&Int64Array::from(vec![Some(1), Some(-7), None]), [1.0, -7.0], ["1", "-7"]),
            (&UInt8Array::from(vec![Some(0), Some(255), None]), [0.0, 255.0], ["0", "255"]),
            (&Float32Array::from(vec![Some(1.0), Some(0.5), None]), [1.0, 0.5], ["1.0", "0.5"]),
            (&decimals, [0.1, -125.0], ["0.1", "-125.0"]),
        ];
        for (array, expected, written) in arrays {
            let numbers = numbers(array).unwrap();
            assert_eq!(numbers[..2], expected);
            assert!(numbers[2].is_nan());
            assert_eq!(as_texts(array), some(written));
        }
        assert!(numbers(&BooleanArray::from(vec![true])).is_none());
    }

    #[test]
    fn dates_are_days_and_can_be_texts() {
        let dates = Date32Array::from(vec![Some(0), Some(31), None]);
        assert_eq!(days(&dates).unwrap()[..2], [0.0, 31.0]);
        assert_eq!(as_texts(&dates), some(["1970-01-01", "1970-02-01"]));
        let moments = TimestampMicrosecondArray::from(vec![Some(43_200_000_000), Some(0), None]);
        assert_eq!(days(&moments).unwrap()[..2], [0.5, 0.0]);
        assert_eq!(as_texts(&moments), some(["1970-01-01 12:00:00", "1970-01-01 00:00:00"]));
        assert!(days(&Int64Array::from(vec![1])).is_none());
    }

    #[test]
    fn texts_of_every_layout_are_texts() {
        let words = [Some("red"), Some("blue"), None];
        let dictionary: DictionaryArray<Int8Type> = words.into_iter().collect();
        let arrays: [&dyn Array; 4] = [
            &StringArray::from(words.to_vec()),
            &arrow_array::LargeStringArray::from(words.to_vec()),
            &StringViewArray::from(words.to_vec()),
            &dictionary,
        ];
        arrays.into_iter().for_each(|array| assert_eq!(as_texts(array), some(["red", "blue"])));
        // Spellings of a missing value are missing, also among the levels; a dictionary may be empty.
        let dictionary: DictionaryArray<Int8Type> = [Some("NA"), Some("a")].into_iter().collect();
        assert_eq!(as_texts(&dictionary), [None, Some("a".into())]);
        let empty: DictionaryArray<Int8Type> = [None, None::<&str>].into_iter().collect();
        assert_eq!(as_texts(&empty), [None, None]);
        assert_eq!(as_texts(&BooleanArray::from(vec![Some(true), Some(false), None])), some(["true", "false"]));
    }
}
