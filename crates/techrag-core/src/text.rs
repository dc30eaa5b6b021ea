//! Text normalisation: what counts as the same text.

use unicode_normalization::UnicodeNormalization;

/// Folds what a reader does not see: compatibility forms (NFKC: ligatures, full-width letters, superscripts), case,
/// soft hyphens and zero-width characters, typographic quotes and dashes; runs of white space become one space.
///
/// Two texts are duplicates, and a quoted span stands on a page, when their folds say so.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for run in runs(text) {
        match run {
            Run::Ascii(run) => append(&mut folded, run.chars().map(|c| c.to_ascii_lowercase())),
            Run::Other(run) => append(&mut folded, run.nfkc().flat_map(char::to_lowercase).filter_map(plain)),
        }
    }
    trimmed(folded)
}

/// [`fold`] with the case kept: `mW` and `MW` are not the same.
pub fn unify(text: &str) -> String {
    let mut unified = String::with_capacity(text.len());
    for run in runs(text) {
        match run {
            Run::Ascii(run) => append(&mut unified, run.chars()),
            Run::Other(run) => append(&mut unified, run.nfkc().filter_map(plain)),
        }
    }
    trimmed(unified)
}

/// A stretch of text. Most text is ASCII, which normalisation leaves as it is; it need not go through the tables.
enum Run<'a> {
    Ascii(&'a str),
    /// Anything else, with the one ASCII character before it, which a combining mark may join.
    Other(&'a str),
}

/// A text cut into stretches that normalise each by itself: every cut is before an ASCII character, which never joins
/// what stands before it (UAX 15, stable code points).
fn runs(text: &str) -> impl Iterator<Item = Run<'_>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        if at == bytes.len() {
            return None;
        }
        let start = at;
        let end = bytes[at..].iter().position(|b| !b.is_ascii()).map_or(bytes.len(), |n| start + n);
        if end == bytes.len() || end > start + 1 {
            at = if end == bytes.len() { end } else { end - 1 };
            return Some(Run::Ascii(&text[start..at]));
        }
        at = bytes[end..].iter().position(u8::is_ascii).map_or(bytes.len(), |n| end + n);
        Some(Run::Other(&text[start..at]))
    })
}

/// Appends characters, a run of white space as one space and none at the beginning.
fn append(to: &mut String, chars: impl Iterator<Item = char>) {
    for c in chars {
        if !c.is_whitespace() {
            to.push(c);
        } else if !to.is_empty() && !to.ends_with(' ') {
            to.push(' ');
        }
    }
}

fn trimmed(mut text: String) -> String {
    text.truncate(text.trim_end().len());
    text
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
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn folding_run_by_run_is_folding_the_whole(text in "[a-zA-Z \n\u{300}-\u{304}\u{327}éﬁΩµ–ˆ\u{1100}\u{1161}\u{ad}²\u{2126}]{0,24}") {
            let whole = |chars: &mut dyn Iterator<Item = char>| {
                let mut all = String::new();
                append(&mut all, &mut chars.filter_map(plain));
                trimmed(all)
            };
            prop_assert_eq!(fold(&text), whole(&mut text.nfkc().flat_map(char::to_lowercase)));
            prop_assert_eq!(unify(&text), whole(&mut text.nfkc()));
        }
    }

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
