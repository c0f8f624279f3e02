//! Files as they are packed: gzip, Zstandard, and those that are no tables at all.

use crate::{IoError, Result};
use std::io::{BufRead, BufReader, Read};

/// How bytes are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstandard,
}

impl Packing {
    /// How bytes are packed that begin so.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x1f, 0x8b, ..] => Some(Packing::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Packing::Zstandard),
            _ => None,
        }
    }

    /// The bytes as they were before.
    pub(crate) fn unpack<'a>(self, packed: impl BufRead + 'a) -> std::io::Result<Box<dyn BufRead + 'a>> {
        Ok(match self {
            Packing::Gzip => Box::new(BufReader::with_capacity(1 << 20, flate2::bufread::MultiGzDecoder::new(packed))),
            Packing::Zstandard => {
                Box::new(BufReader::with_capacity(1 << 20, zstd::stream::read::Decoder::with_buffer(packed)?))
            }
        })
    }

    /// All of them.
    pub(crate) fn unpack_all(self, packed: impl BufRead) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.unpack(packed)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Refuses what is no table by the name of what it is.
pub(crate) fn refuse_others(path: &str, start: &[u8]) -> Result<()> {
    let (what, remedy) = match start {
        [b'P', b'K', 3, 4, ..] | [0xd0, 0xcf, 0x11, 0xe0, ..] => (
            "a spreadsheet (such as .xlsx) or an archive of files",
            "save the sheet as CSV, or in Python: pandas.read_excel(\"...\").to_csv(\"table.csv\", index=False)",
        ),
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => ("packed by bzip2", "unpack it first: bunzip2 --keep"),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => ("packed by xz", "unpack it first: unxz --keep"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => ("text in UTF-16", "save it as UTF-8: iconv -f UTF-16 -t UTF-8"),
        [b'S', b'Q', b'L', b'i', b't', b'e', ..] => ("a database", "write the table to a CSV file first"),
        _ if start.starts_with(b"{\"format\":\"stablevar model\"") => (
            "a model that was fitted, not a table",
            "name the table; models are for predict, evaluate, foresee, report",
        ),
        _ if start.starts_with(b"<!") || start.starts_with(b"<html") => (
            "a web page",
            "save the table as CSV, or in Python: pandas.read_html(\"...\")[0].to_csv(\"table.csv\", index=False)",
        ),
        _ => return Ok(()),
    };
    Err(IoError::NoTable { path: path.into(), what, remedy })
}
