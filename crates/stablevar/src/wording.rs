//! How messages name settings. The core knows settings by their names; every front end writes them in its own way
//! (`--threshold`, `threshold=`), so that texts here have places for them instead.

/// How a front end writes settings.
pub trait Wording {
    /// A setting, or a setting with a value, as a user of this front end would write it.
    fn setting(&self, name: &str, value: Option<&str>) -> String;

    /// The value that leaves a setting to the program.
    fn auto(&self) -> &'static str {
        "auto"
    }
}

/// The names as the core knows them, for programs in Rust.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plain;

impl Wording for Plain {
    fn setting(&self, name: &str, value: Option<&str>) -> String {
        value.map_or_else(|| format!("\"{name}\""), |value| format!("\"{name}\" = \"{value}\""))
    }
}

/// Fills a text in: `[name]` and `[name=value]` are settings, `{name}` whatever `value` gives for it.
///
/// What is filled in is not looked at again, so that a hostile column name stays a name.
pub(crate) fn fill(text: &str, wording: &dyn Wording, value: &dyn Fn(&str) -> String) -> String {
    let mut filled = String::with_capacity(2 * text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['[', '{']) {
        let (before, marked) = rest.split_at(start);
        let closing = if marked.starts_with('[') { ']' } else { '}' };
        let Some(end) = marked.find(closing) else { break };
        filled.push_str(before);
        let inside = &marked[1..end];
        // Also the name or the value of a setting may be filled in.
        let resolved = |part: &str| match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(name) => value(name),
            None => part.to_string(),
        };
        filled.push_str(&match (closing, inside.split_once('=')) {
            ('}', _) => value(inside),
            (_, None) => wording.setting(&resolved(inside), None),
            (_, Some((name, value))) => wording.setting(&resolved(name), Some(&resolved(value))),
        });
        rest = &marked[end + 1..];
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_and_values_are_filled_in_once() {
        let value = |name: &str| if name == "0" { "[x] {1}".to_string() } else { "y".into() };
        assert_eq!(fill("'{0}' and {1}: [a], [b=c]", &Plain, &value), "'[x] {1}' and y: \"a\", \"b\" = \"c\"");
        assert_eq!(fill("[{1}] and [a={1}]", &Plain, &value), "\"y\" and \"a\" = \"y\"");
        assert_eq!(fill("an open { stays", &Plain, &value), "an open { stays");
    }
}
