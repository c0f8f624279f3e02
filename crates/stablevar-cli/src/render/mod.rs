//! Pages and pictures.

pub(crate) mod chart;
pub(crate) mod report;

/// Text that is safe inside HTML and SVG, also in quoted attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Direction marks would reorder the text around them.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => escaped.push('\u{fffd}'),
            control if control.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// At most `most` characters, with an ellipsis where some were cut.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_become_text() {
        assert_eq!(escape("<script>\"x\"</script>"), "&lt;script&gt;&quot;x&quot;&lt;/script&gt;");
        assert_eq!(escape("a\u{202e}b\u{7}"), "a\u{fffd}b\u{fffd}");
        assert_eq!(shorten(&"x".repeat(100), 5), "xxxx…");
    }
}
