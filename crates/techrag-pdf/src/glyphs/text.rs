//! Characters as a reader wants them: ligatures expanded, controls out, presentation forms undone.

use super::glyph::Text;

/// What a glyph says, cleaned; `Unknown` where nothing is left of it that could be text.
pub(crate) fn clean(text: &str) -> Text {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        push(c, &mut out);
    }
    if out.is_empty() && text.chars().any(|c| is_private(c) && !is_piece(c)) { Text::Unknown } else { Text::new(&out) }
}

fn push(c: char, out: &mut String) {
    match c {
        '\u{fb00}' => out.push_str("ff"),
        '\u{fb01}' => out.push_str("fi"),
        '\u{fb02}' => out.push_str("fl"),
        '\u{fb03}' => out.push_str("ffi"),
        '\u{fb04}' => out.push_str("ffl"),
        '\u{fb05}' | '\u{fb06}' => out.push_str("st"),
        // Pieces of tall brackets in Adobe's private range: the top stands for the whole.
        '\u{f8eb}' => out.push('('),
        '\u{f8ee}' => out.push('['),
        '\u{f8f1}' => out.push('{'),
        '\u{f8f6}' => out.push(')'),
        '\u{f8f9}' => out.push(']'),
        '\u{f8fc}' => out.push('}'),
        '\u{f0b7}' | '\u{f0a7}' => out.push('•'),
        // No-break, thin and other typographic spaces separate words like any other.
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\t' => out.push(' '),
        // A soft hyphen that a page shows is the hyphen of a broken word.
        '\u{ad}' | '\u{2010}' | '\u{2011}' => out.push('-'),
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => {}
        c if c.is_control() || is_private(c) => {}
        c => out.push(c),
    }
}

/// Other pieces of tall brackets and integrals.
fn is_piece(c: char) -> bool {
    matches!(c, '\u{f8e6}'..='\u{f8fe}')
}

/// Whether the character means something to one font only.
fn is_private(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' | '\u{fffe}' | '\u{ffff}' | '\u{fffd}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ligatures_spaces_controls() {
        assert_eq!(clean("\u{fb03}"), Text::new("ffi"));
        assert_eq!(clean("\u{a0}"), Text::One(' '));
        assert_eq!(clean("\u{ad}"), Text::One('-'));
        assert_eq!(clean("\u{7}"), Text::new(""));
        assert_eq!(clean("\u{f061}"), Text::Unknown);
        assert_eq!(clean("\u{f8f1}"), Text::One('{'));
        assert_eq!(clean("\u{f8f2}"), Text::new(""));
        assert_eq!(clean("é"), Text::One('é'));
    }
}
