//! How a file is read, for every command that reads one.

use clap::{Args, ValueEnum};
use stablevar::notation::Decimal;
use stablevar_io::ReadOptions;

#[derive(Args, Clone, Default)]
pub(crate) struct InputArguments {
    /// What separates the fields of a CSV file: a character, or tab [default: found out from the header]
    #[arg(long, value_name = "CHAR", value_parser = delimiter, help_heading = "The table")]
    pub delimiter: Option<u8>,
    /// The decimal mark of numbers, where 1,234 or 1.234 may mean two things [default: found out from the other values]
    #[arg(long, value_enum, value_name = "MARK", help_heading = "The table")]
    pub decimal: Option<DecimalName>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DecimalName {
    /// 1,234.5
    Point,
    /// 1.234,5
    Comma,
}

impl InputArguments {
    pub(crate) fn options(&self) -> ReadOptions {
        let decimal = self.decimal.map(|name| match name {
            DecimalName::Point => Decimal::Point,
            DecimalName::Comma => Decimal::Comma,
        });
        ReadOptions { delimiter: self.delimiter, decimal, ..ReadOptions::default() }
    }
}

pub(super) fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "tab" | "\\t" => Ok(b'\t'),
        _ => match text.as_bytes() {
            [byte] if byte.is_ascii() && !byte.is_ascii_alphanumeric() && *byte != b'"' => Ok(*byte),
            _ => Err("it must be one character that is no letter, digit or quote, or tab".into()),
        },
    }
}
