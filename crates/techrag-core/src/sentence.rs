//! Sentences of technical prose.
//!
//! Unicode's sentence rules (UAX 29) break after every full stop followed by a space, so `Fig. 3`, `et al. (2006)`
//! and `i.e. the` would fall apart. The breaks are taken from `unicode-segmentation` and those that stand after an
//! abbreviation, an initial or inside brackets are undone.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// Abbreviations, in lower case and without the last full stop, after which a sentence goes on.
const ABBREVIATIONS: &[&str] = &[
    "al", "app", "approx", "cf", "ch", "chap", "col", "def", "dept", "dr", "e.g", "ed", "eds", "eq", "eqn", "eqns",
    "eqs", "ex", "fig", "figs", "i.e", "inc", "incl", "lemma", "ltd", "max", "min", "mr", "mrs", "ms", "no", "nos",
    "nr", "p", "pp", "prof", "prop", "ref", "refs", "resp", "sec", "secs", "sect", "st", "tab", "thm", "univ", "viz",
    "vol", "vols", "vs", "w.r.t",
];

/// Byte ranges of the sentences of a text, white space around them left out. A blank line always ends a sentence.
pub fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for paragraph in text.split_inclusive("\n\n") {
        in_paragraph(text, start..start + paragraph.len(), &mut sentences);
        start += paragraph.len();
    }
    sentences
}

/// The sentences of a text.
pub fn split(text: &str) -> Vec<&str> {
    ranges(text).into_iter().map(|range| &text[range]).collect()
}

fn in_paragraph(text: &str, paragraph: Range<usize>, sentences: &mut Vec<Range<usize>>) {
    let mut open: Option<usize> = None;
    for (at, piece) in text[paragraph.clone()].split_sentence_bound_indices() {
        let (at, end) = (paragraph.start + at, paragraph.start + at + piece.len());
        let start = open.unwrap_or(at);
        // UAX 29 breaks at every line end; a line end inside a paragraph is only white space here.
        let ended = piece.trim_end().ends_with(['.', '!', '?', ':', '"', '\u{201d}', ')', ']'])
            && !goes_on(&text[start..end], &text[end..paragraph.end]);
        if ended || end == paragraph.end {
            push_trimmed(text, start..end, sentences);
            open = None;
        } else {
            open = Some(start);
        }
    }
}

/// Whether what was read so far is not yet a whole sentence.
fn goes_on(so_far: &str, rest: &str) -> bool {
    let so_far = so_far.trim_end();
    if so_far.ends_with(':') || is_inside_brackets(so_far) {
        return true;
    }
    match rest.trim_start().chars().next() {
        Some(next) if next.is_lowercase() => return true,
        None => return false,
        Some(_) => {}
    }
    let Some(body) = so_far.strip_suffix('.') else {
        return so_far.ends_with([')', ']']);
    };
    let word = body.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '[')).next().unwrap_or(body);
    is_abbreviation(word) || is_enumerator(body, word)
}

fn is_abbreviation(word: &str) -> bool {
    let lower = word.to_lowercase();
    let mut letters = word.chars();
    // Mathematical letters (U+1D400 on) stand for quantities, not for names.
    let initial = matches!((letters.next(), letters.next()), (Some(c), None) if c.is_uppercase() && c < '\u{1d400}');
    initial || ABBREVIATIONS.binary_search(&lower.as_str()).is_ok()
}

/// `2.` at the very start of a sentence numbers it.
fn is_enumerator(body: &str, word: &str) -> bool {
    body.trim_start() == word && !word.is_empty() && word.chars().all(|c| c.is_ascii_digit() || c == '.')
}

fn is_inside_brackets(so_far: &str) -> bool {
    let open = so_far.matches('(').count();
    let closed = so_far.matches(')').count();
    // A stray bracket must not swallow the rest of a paragraph.
    open > closed && so_far.rfind('(').is_some_and(|at| so_far.len() - at < 200)
}

fn push_trimmed(text: &str, range: Range<usize>, sentences: &mut Vec<Range<usize>>) {
    let piece = &text[range.clone()];
    let start = range.start + (piece.len() - piece.trim_start().len());
    let end = range.start + piece.trim_end().len();
    if start < end {
        sentences.push(start..end);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn abbreviations_are_sorted() {
        assert!(ABBREVIATIONS.is_sorted());
    }

    #[test]
    fn technical_prose_is_split_where_sentences_end() {
        let text = "Braghin et al. (2006) measured 0.35 m, see Fig. 3 and Eq. (4). The slip angle, i.e. the angle\n\
            between heading and travel, grows. Is it linear? No! J. Svendenius (see e.g. Sec. 2. Then on) agrees.\n\nNew";
        assert_eq!(
            split(text),
            [
                "Braghin et al. (2006) measured 0.35 m, see Fig. 3 and Eq. (4).",
                "The slip angle, i.e. the angle\nbetween heading and travel, grows.",
                "Is it linear?",
                "No!",
                "J. Svendenius (see e.g. Sec. 2. Then on) agrees.",
                "New"
            ]
        );
    }

    #[test]
    fn a_quantity_ends_a_sentence_where_an_initial_does_not() {
        assert_eq!(
            split("It is 43 % for \u{1d436}. The error grows."),
            ["It is 43 % for \u{1d436}.", "The error grows."]
        );
        assert_eq!(split("J. Svendenius agrees."), ["J. Svendenius agrees."]);
    }

    #[test]
    fn a_number_that_opens_a_sentence_stays_with_it() {
        assert_eq!(split("2. The model holds. It is 3.5 long."), ["2. The model holds.", "It is 3.5 long."]);
        assert_eq!(split(""), Vec::<&str>::new());
    }

    proptest! {
        #[test]
        fn nothing_but_white_space_is_lost(text in "[a-zA-Zμ0-9 .()\\n?!:]{0,120}") {
            let kept: String = split(&text).concat().split_whitespace().collect();
            let all: String = text.split_whitespace().collect();
            prop_assert_eq!(kept, all);
        }
    }
}
