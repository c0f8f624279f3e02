//! What a Parquet file says of its sizes, checked before anything is allocated by it.

use crate::stream::StreamInput;
use crate::{IoError, Result};
use bytes::{Buf, Bytes};
use parquet::basic::{Compression, Encoding, Type as Physical};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::{ParquetError, Result as Parquet};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length, SerializedPageReader};
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor};
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

/// Rows that a stored byte can stand for at most, as in columns that are all the same.
const MOST_ROWS: u64 = 1 << 16;
/// Values without a byte of their own in one page, as texts that are all the same.
const FREE_VALUES: usize = 1 << 24;
/// The bytes of a page's header that tell its sizes.
const HEADER: u64 = 18;

/// Where the bytes of a file come from. Nothing is allocated for bytes that it does not have.
pub(crate) enum Source {
    File(File, u64),
    Bytes(Bytes),
}

impl Source {
    pub(crate) fn open(part: &StreamInput) -> Result<Self> {
        match part {
            StreamInput::File(path) => {
                let file = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
                let (length, file) = file.map_err(|source| IoError::Read { path: part.name(), source })?;
                Ok(Source::File(file, length))
            }
            StreamInput::Bytes(_, bytes) => Ok(Source::Bytes(bytes.clone())),
            // Of what is packed CSV alone is read from its file.
            StreamInput::Packed(..) => Err(IoError::Damaged { path: part.name(), message: "it is packed".into() }),
        }
    }

    /// Refuses a group of rows that lies outside of the file or has more rows than it can hold.
    pub(crate) fn check_group(&self, group: &RowGroupMetaData) -> std::result::Result<usize, String> {
        let stored = |chunk: &ColumnChunkMetaData| u64::try_from(chunk.compressed_size()).unwrap_or(0);
        let stored = group.columns().iter().map(stored).fold(0, u64::saturating_add).min(self.len());
        let rows = u64::try_from(group.num_rows()).ok().filter(|rows| *rows <= stored.saturating_mul(MOST_ROWS));
        let rows = rows.and_then(|rows| usize::try_from(rows).ok());
        rows.ok_or_else(|| format!("{} rows are more than it can hold", group.num_rows()))
    }

    /// Reads a column of a group of `rows` rows.
    pub(crate) fn column(self: &Arc<Self>, chunk: &ColumnChunkMetaData, rows: usize) -> Parquet<ColumnReader> {
        let (start, length) = chunk.byte_range();
        if start.checked_add(length).is_none_or(|end| end > self.len()) {
            return Err(ParquetError::EOF("it lies outside of the file".into()));
        }
        let source = Arc::new(Headed { source: self.clone(), expansion: expansion(chunk.compression()) });
        let pages = SerializedPageReader::new(source, chunk, rows, None)?;
        let column = chunk.column_descr_ptr();
        Ok(get_column_reader(column.clone(), Box::new(Checked { pages, column })))
    }
}

impl Length for Source {
    fn len(&self) -> u64 {
        match self {
            Source::File(_, length) => *length,
            Source::Bytes(bytes) => bytes.len() as u64,
        }
    }
}

impl ChunkReader for Source {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Parquet<Self::T> {
        Ok(match self {
            Source::File(file, _) => Box::new(file.get_read(start)?),
            Source::Bytes(bytes) => Box::new(bytes.get_read(start)?),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Parquet<Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.len()) {
            return Err(ParquetError::EOF("what is to be read lies outside of the file".into()));
        }
        match self {
            Source::File(file, _) => file.get_bytes(start, length),
            Source::Bytes(bytes) => bytes.get_bytes(start, length),
        }
    }
}

/// Bytes that one stored byte can become at most.
fn expansion(compression: Compression) -> u64 {
    match compression {
        Compression::UNCOMPRESSED => 1,
        Compression::SNAPPY => 1 << 6,
        Compression::LZ4 | Compression::LZ4_RAW => 1 << 8,
        Compression::GZIP(_) => 1 << 11,
        _ => 1 << 16,
    }
}

/// The pages of a column. It is read from where a page's header stands, which tells the size that the page will have.
struct Headed {
    source: Arc<Source>,
    expansion: u64,
}

impl Length for Headed {
    fn len(&self) -> u64 {
        self.source.len()
    }
}

impl ChunkReader for Headed {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Parquet<Self::T> {
        let seen = self.len().saturating_sub(start).min(HEADER);
        let (unpacked, stored) = sizes(self.source.get_bytes(start, seen as usize)?)
            .ok_or_else(|| ParquetError::General("a page's header can't be understood".into()))?;
        // A few bytes more: small pages have a frame around them.
        if unpacked > (stored + 64).saturating_mul(self.expansion) {
            return Err(ParquetError::General(format!("a page of {stored} bytes can't become one of {unpacked}")));
        }
        self.source.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Parquet<Bytes> {
        self.source.get_bytes(start, length)
    }
}

/// A page's size, unpacked and as it is stored: the second and third numbers of its header.
fn sizes(mut header: Bytes) -> Option<(u64, u64)> {
    // Each number has a mark before it: 32 bits, the next field.
    let mut number = || (header.try_get_u8().ok()? == 0x15).then(|| variable(&mut header))?;
    number()?;
    let (unpacked, stored) = (number()?, number()?);
    // Zigzag: the last bit is the sign.
    let size = |number: u64| (number & 1 == 0).then_some(number >> 1);
    Some((size(unpacked)?, size(stored)?))
}

/// A number in bytes of seven bits.
fn variable(bytes: &mut Bytes) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes.try_get_u8().ok()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Pages whose numbers of values are those that their bytes can stand for, where something is allocated for each.
struct Checked {
    pages: SerializedPageReader<Headed>,
    column: ColumnDescPtr,
}

fn check(column: &ColumnDescriptor, page: &Page) -> Option<()> {
    match page {
        Page::DictionaryPage { buf, num_values, .. } => {
            let least = match column.physical_type() {
                Physical::BOOLEAN => 0,
                Physical::INT64 | Physical::DOUBLE => 8,
                Physical::INT96 => 12,
                Physical::FIXED_LEN_BYTE_ARRAY => usize::try_from(column.type_length()).ok()?.max(1),
                Physical::INT32 | Physical::FLOAT | Physical::BYTE_ARRAY => 4,
            };
            (*num_values as usize).checked_mul(least).filter(|bytes| *bytes <= buf.len()).map(|_| ())
        }
        Page::DataPage { buf, num_values, encoding, .. } => {
            // Levels of what is missing stand before the values, their length before them.
            let levels = match column.max_def_level() {
                0 => 0,
                _ if !is_delta(*encoding) => 0,
                _ => 4 + usize::try_from(u32::from_le_bytes(*buf.first_chunk()?)).ok()?,
            };
            check_delta(buf, levels, *num_values, *encoding)
        }
        Page::DataPageV2 { buf, num_values, encoding, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let levels = def_levels_byte_len.checked_add(*rep_levels_byte_len)?;
            check_delta(buf, levels as usize, *num_values, *encoding)
        }
    }
}

fn is_delta(encoding: Encoding) -> bool {
    matches!(encoding, Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY)
}

/// Lengths of texts are all read at once, as many as are said to be there.
fn check_delta(page: &Bytes, levels: usize, values: u32, encoding: Encoding) -> Option<()> {
    if !is_delta(encoding) || values == 0 {
        return Some(());
    }
    let most = page.len().saturating_mul(8).saturating_add(FREE_VALUES);
    let mut head = page.slice(page.len().min(levels)..);
    if head.is_empty() {
        return Some(());
    }
    // The size of a block, its parts, and the number of lengths.
    let (_, _, lengths) = (variable(&mut head)?, variable(&mut head)?, variable(&mut head)?);
    (values as usize <= most && lengths <= u64::from(values)).then_some(())
}

impl Iterator for Checked {
    type Item = Parquet<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Parquet<Option<Page>> {
        let page = self.pages.get_next_page()?;
        match page.as_ref().is_none_or(|page| check(&self.column, page).is_some()) {
            true => Ok(page),
            false => Err(ParquetError::General("a page has more values than it can hold".into())),
        }
    }

    fn peek_next_page(&mut self) -> Parquet<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Parquet<()> {
        self.pages.skip_next_page()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_from_a_pages_header() {
        // A page's kind 0, 300 bytes unpacked, 70 stored, and what follows.
        let header = [0x15, 0x00, 0x15, 0xd8, 0x04, 0x15, 0x8c, 0x01, 0x2c];
        assert_eq!(sizes(Bytes::copy_from_slice(&header)), Some((300, 70)));
        assert_eq!(sizes(Bytes::copy_from_slice(&header[..6])), None);
        // A size below nothing.
        assert_eq!(sizes(Bytes::copy_from_slice(&[0x15, 0x00, 0x15, 0x01, 0x15, 0x02])), None);
    }

    #[test]
    fn texts_have_as_many_lengths_as_values() {
        let page = |lengths: &[u8]| Bytes::from([&[0x80, 0x01, 0x04][..], lengths, &[0; 8]].concat());
        let check = |lengths: &[u8], values| check_delta(&page(lengths), 0, values, Encoding::DELTA_BYTE_ARRAY);
        assert_eq!(check(&[0x05], 5), Some(()));
        assert_eq!(check(&[0xff, 0xff, 0xff, 0xff, 0x0f], 5), None);
        assert_eq!(check(&[0xff, 0xff, 0xff, 0xff, 0x0f], u32::MAX), None);
    }

    #[test]
    fn a_dictionary_has_no_more_values_than_bytes_for_them() {
        let schema =
            "message schema { required binary s (STRING); required fixed_len_byte_array(5) f; required double d; }";
        let schema = Arc::new(parquet::schema::parser::parse_message_type(schema).unwrap());
        let schema = parquet::schema::types::SchemaDescriptor::new(schema);
        for (column, most) in [(0, 10), (1, 8), (2, 5)] {
            let page = |num_values| Page::DictionaryPage {
                buf: Bytes::from(vec![0; 40]),
                num_values,
                encoding: Encoding::PLAIN,
                is_sorted: false,
            };
            assert!(check(&schema.column(column), &page(most)).is_some());
            assert!(check(&schema.column(column), &page(most + 1)).is_none());
            assert!(check(&schema.column(column), &page(u32::MAX)).is_none());
        }
    }
}
