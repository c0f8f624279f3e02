//! Text from tables and files on its way to a terminal, which must not obey it.

use std::io::{Result, Write};

/// Whether a character would move the cursor, change colours or titles, or reverse the text around it, instead of being shown.
fn is_wild(character: char) -> bool {
    let reverses = matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || reverses || matches!(character, '\u{2028}' | '\u{2029}')
}

/// The text with such characters written out, as `\u{1b}`; line ends and tabs stay.
pub fn tame(text: &str) -> String {
    escape(text, |character| is_wild(character) && !matches!(character, '\n' | '\t'))
}

/// The same for text that belongs on one line.
pub fn tame_line(text: &str) -> String {
    escape(text, is_wild)
}

/// The same for JSON, in whose strings alone such characters can stand, and where they mean what they did.
pub fn tame_json(text: &str) -> String {
    let mut tamed = String::with_capacity(text.len());
    for character in text.chars() {
        match is_wild(character) && character != '\n' {
            true => tamed.push_str(&format!("\\u{:04x}", u32::from(character))),
            false => tamed.push(character),
        }
    }
    tamed
}

fn escape(text: &str, is_wild: impl Fn(char) -> bool) -> String {
    let mut tamed = String::with_capacity(text.len());
    for character in text.chars() {
        if is_wild(character) { tamed.extend(character.escape_default()) } else { tamed.push(character) }
    }
    tamed
}

/// Tames what is written through it.
pub(crate) struct Tamed<Writer> {
    writer: Writer,
    /// The beginning of a character whose end has not come yet.
    rest: Vec<u8>,
}

impl<Writer: Write> Tamed<Writer> {
    pub(crate) fn new(writer: Writer) -> Self {
        Self { writer, rest: Vec::new() }
    }
}

impl<Writer: Write> Write for Tamed<Writer> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.rest.extend_from_slice(bytes);
        let end = match std::str::from_utf8(&self.rest) {
            Ok(_) => self.rest.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => self.rest.len(),
        };
        let whole: Vec<u8> = self.rest.drain(..end).collect();
        // A table's line ends are its own.
        let kept = |character| is_wild(character) && !matches!(character, '\n' | '\r' | '\t');
        self.writer.write_all(escape(&String::from_utf8_lossy(&whole), kept).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_written_out() {
        assert_eq!(tame("a\u{1b}[31mb\u{9b}2J\nc\td é 日"), "a\\u{1b}[31mb\\u{9b}2J\nc\td é 日");
        assert_eq!(tame_line("a\nb\u{202e}c\r"), "a\\nb\\u{202e}c\\r");
        let json = tame_json("{\n \"a\u{9b}\u{7f}\": \"\u{202e}é\"\n}");
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["a\u{9b}\u{7f}"], "\u{202e}é");
        assert!(!json.contains(['\u{9b}', '\u{7f}', '\u{202e}']));
    }

    #[test]
    fn characters_cut_in_two_are_put_together() {
        let mut written = Vec::new();
        let mut writer = Tamed::new(&mut written);
        for byte in "é\u{9b}x\n\u{1b}\r\n".bytes() {
            writer.write_all(&[byte]).unwrap();
        }
        assert_eq!(String::from_utf8(written).unwrap(), "é\\u{9b}x\n\\u{1b}\r\n");
    }
}
