//! What documents may not bring along: terminal escapes, control characters, text that reorders text.

use serde_json::Value;

/// The text without control characters: escape sequences lose their escape, line ends and tabs become spaces,
/// invisible formatting characters (bidirectional overrides, zero-width characters, tags) go.
pub fn line(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() {
            if !clean.is_empty() && !clean.ends_with(' ') {
                clean.push(' ');
            }
        } else if !is_hidden(c) {
            clean.push(c);
        }
    }
    clean.truncate(clean.trim_end().len());
    clean
}

/// The same for text of several lines: single line ends are kept.
pub fn block(text: &str) -> String {
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A title as it may stand inside `[SOURCE n: Title]`: on one line, without square brackets.
pub fn title(title: &str) -> String {
    line(title).replace('[', "(").replace(']', ")")
}

/// Every string of a JSON value, keys included, as by [`line`].
pub fn value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(line(text)),
        Value::Array(items) => items.iter().map(self::value).collect(),
        Value::Object(fields) => fields.iter().map(|(name, field)| (line(name), self::value(field))).collect(),
        plain => plain.clone(),
    }
}

/// Characters that act on a terminal or a reader without being seen.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_overrides_lose_their_power() {
        assert_eq!(line("\u{1b}[31mred\u{1b}[0m \u{9b}2J\u{202e}abc\u{7}\r\n\tx "), "[31mred[0m 2Jabc x");
        assert_eq!(block("a\u{8}b\n\u{1b}]0;t\u{7}c"), "ab\n]0;tc");
        assert_eq!(title("Of [a] model\nX"), "Of (a) model X");
        assert_eq!(line("μ‑split – 80 µW, 20 °C"), "μ‑split – 80 µW, 20 °C");
    }
}
