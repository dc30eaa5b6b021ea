//! Text normalisation: what counts as the same text.

use unicode_normalization::UnicodeNormalization;

/// Folds what a reader does not see: compatibility forms (NFKC: ligatures, full-width letters, superscripts), case,
/// soft hyphens and zero-width characters, typographic quotes and dashes; runs of white space become one space.
///
/// Two texts are duplicates, and a quoted span stands on a page, when their folds say so.
pub fn fold(text: &str) -> String {
    squeezed(text.nfkc().flat_map(char::to_lowercase))
}

/// [`fold`] with the case kept: `mW` and `MW` are not the same.
pub fn unify(text: &str) -> String {
    squeezed(text.nfkc())
}

fn squeezed(chars: impl Iterator<Item = char>) -> String {
    let mut folded = String::new();
    for c in chars.filter_map(plain) {
        if !c.is_whitespace() {
            folded.push(c);
        } else if !folded.is_empty() && !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// The plain form of a typographic character; `None` for characters that nobody sees.
fn plain(c: char) -> Option<char> {
    match c {
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => None,
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' => Some('\''),
        '\u{201c}' | '\u{201d}' | '\u{201f}' | '\u{2033}' => Some('"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some('-'),
        '\u{3bc}' | '\u{b5}' => Some('\u{3bc}'),
        c => Some(c),
    }
}

/// [`fold`] without any white space, hyphens or bars: for finding a quotation across line ends, where a reader may have
/// joined or split words, and in a table, whose rows the chunker writes with bars between the cells.
pub fn fold_tight(text: &str) -> String {
    fold(text).chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '|')).collect()
}

/// Runs of white space as one space, ends trimmed; nothing else changes.
pub fn squeeze(text: &str) -> String {
    let mut squeezed = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !squeezed.is_empty() {
            squeezed.push(' ');
        }
        squeezed.push_str(word);
    }
    squeezed
}

/// The longest prefix of at most `bytes` bytes that ends on a character boundary.
pub fn prefix(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reader_does_not_see_is_folded() {
        assert_eq!(fold("  The ﬁrst\u{ad} CASE —\n µ‑split “x” "), "the first case - μ-split \"x\"");
        assert_eq!(fold("x² ＡＢ"), "x2 ab");
        assert_eq!(fold("\u{feff}\n"), "");
    }

    #[test]
    fn a_quotation_is_found_across_line_ends() {
        assert_eq!(fold_tight("fric-\ntion coeffi cient"), fold_tight("friction coefficient"));
        assert_eq!(fold_tight("| 50 km/h | wet | 27.9 |"), fold_tight("50 km/h wet 27.9"));
    }

    #[test]
    fn a_prefix_never_cuts_a_character() {
        assert_eq!(prefix("aμb", 2), "a");
        assert_eq!(prefix("aμb", 3), "aμ");
        assert_eq!(prefix("aμb", 99), "aμb");
        assert_eq!(prefix("μ", 0), "");
    }
}
