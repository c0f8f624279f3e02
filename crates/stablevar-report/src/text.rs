//! Text that is safe to show, whatever it holds.

use stablevar::evidence::Sufficiency;
use stablevar::stress::RefitChoice;

/// Text that is safe inside HTML and SVG, also in quoted attributes.
pub fn escape(text: &str) -> String {
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
pub fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// A number with as many digits as a reader needs.
pub fn number(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else if (1e-3..1e6).contains(&value.abs()) {
        let digits = (4 - value.abs().log10().floor() as i32).clamp(0, 6) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.4e}")
    }
}

/// In a sentence whether the selected variables predict as well as all.
pub fn sufficiency(set: &Sufficiency) -> String {
    let verdict = if set.sufficient { "as well as" } else { "worse than" };
    format!(
        "in these rows the selected variables predict {verdict} all of them: loss {} against {} (difference {}, s.e. {})",
        number(set.loss_selected),
        number(set.loss_all),
        number(set.difference),
        number(set.standard_error)
    )
}

/// In a sentence how the refit was chosen.
pub fn refit(choice: &RefitChoice) -> String {
    let tried = match choice.candidates.len() {
        0 => String::new(),
        many => format!(" of {many} that were tried without each of {} regions", choice.regions.len()),
    };
    format!("refit: {}{tried}: {}", choice.chosen, choice.why)
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

    #[test]
    fn numbers_are_as_long_as_needed() {
        assert_eq!(
            [number(0.0), number(0.12345678), number(1234.5678), number(1e-9)],
            ["0", "0.12346", "1234.6", "1.0000e-9"]
        );
    }
}
