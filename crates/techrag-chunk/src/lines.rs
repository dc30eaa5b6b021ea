//! Lines to paragraphs: what stands between the end of one line and the start of the next.
//!
//! A hyphen at a line end is either part of a compound (`tyre-road`) or put there by the typesetter (`fric-tion`).
//! The document's own words decide first: compared are the joined form and the hyphenated form as they stand inside lines
//! elsewhere in it. Where neither is seen, a short word list does; where it knows neither the joined word nor both
//! halves, the hyphen stays if both halves are words of the document on their own, and goes otherwise.

use std::collections::HashMap;

use techrag_core::lexicon;
use techrag_core::record::{Span, SpanKind};

use crate::draft::Paragraph;

/// A line and where it stands. Lines of one block share a span.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TextLine {
    pub(crate) text: String,
    pub(crate) page: Option<u32>,
    pub(crate) bbox: Option<[f32; 4]>,
    /// Which block of the source it stands in.
    pub(crate) block: usize,
    /// What it belongs to; a displayed formula keeps its line.
    pub(crate) kind: SpanKind,
}

/// How two lines meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joint {
    /// A space between them.
    Space,
    /// Nothing between them; a hyphen, slash or dash at the end stays.
    Tight,
    /// Nothing between them, and the last character goes.
    Drop,
}

/// The words a document holds inside its lines, folded to lower case.
#[derive(Debug, Default)]
pub(crate) struct Words {
    counts: HashMap<String, u32>,
}

impl Words {
    /// Counts the words of lines; the word cut at a line end is no evidence and left out.
    pub(crate) fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut words = Self::default();
        let mut cut = false;
        for line in lines {
            let mut tokens: Vec<&str> = line.split_whitespace().collect();
            if cut && !tokens.is_empty() {
                tokens.remove(0);
            }
            cut = line.trim_end().ends_with(is_hyphen);
            if cut {
                tokens.pop();
            }
            for token in tokens {
                words.add(token);
            }
        }
        words
    }

    fn add(&mut self, token: &str) {
        let word = bare(token);
        if !word.is_empty() {
            *self.counts.entry(word).or_default() += 1;
        }
    }

    fn count(&self, word: &str) -> u32 {
        self.counts.get(word).copied().unwrap_or_default()
    }

    fn joint(&self, before: &str, after: &str) -> Joint {
        let last = before.split_whitespace().next_back().unwrap_or_default();
        let first = after.split_whitespace().next().unwrap_or_default();
        if first.is_empty() || last.is_empty() {
            return Joint::Space;
        }
        if last.ends_with('\u{ad}') {
            return Joint::Drop;
        }
        if last.chars().count() > 1 && last.ends_with(is_hyphen) {
            return self.hyphen(last, first);
        }
        let tight = last.ends_with('/') && last.len() > 1
            || is_range(last, first)
            || is_pair(last, first)
            || is_address(last)
                && last.ends_with(['.', '_', '=', '&', '?', '-'])
                && !first.starts_with(char::is_uppercase);
        if tight { Joint::Tight } else { Joint::Space }
    }

    fn hyphen(&self, last: &str, first: &str) -> Joint {
        let head = last.trim_end_matches(is_hyphen);
        let letters = head.ends_with(char::is_alphabetic) && first.starts_with(char::is_lowercase);
        // A capital, a digit or an address keeps what is printed.
        if !letters || is_address(last) {
            return Joint::Tight;
        }
        let tail = bare(first);
        // `low- and high-speed` is a list of compounds, not a cut word.
        if matches!(tail.as_str(), "and" | "or" | "und" | "to") && self.count(&bare(head)) > 0 {
            return Joint::Space;
        }
        let compound = self.count(&format!("{}-{tail}", bare(head)));
        let part = bare(head.rsplit(is_hyphen).next().unwrap_or(head));
        let joined = self.count(&format!("{part}{tail}"));
        if joined == 0 && compound == 0 {
            match lexicon::hyphen_goes(&part, &tail) {
                Some(true) => return Joint::Drop,
                Some(false) => return Joint::Tight,
                None => {}
            }
        }
        let (before, after) = (self.count(&part) > 0, self.count(&tail) > 0);
        // `brake-by-` goes on as a compound unless neither half is a word: `Shrinkage-Thresh-olding`.
        let halves = if head.contains(is_hyphen) { before || after } else { before && after };
        if joined > compound || joined == compound && (joined > 0 || !halves) { Joint::Drop } else { Joint::Tight }
    }
}

fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}' | '\u{ad}')
}

/// `pp. 44–` before `48` is one range.
fn is_range(last: &str, first: &str) -> bool {
    last.ends_with('–') && last.len() > '–'.len_utf8() && first.starts_with(|c: char| c.is_ascii_digit())
}

/// `Wiener–` before `Hammerstein` is one name, `stable—` before `that` is printed without spaces.
fn is_pair(last: &str, first: &str) -> bool {
    let before = last.trim_end_matches(['–', '—']);
    before.len() < last.len() && before.ends_with(char::is_alphabetic) && first.starts_with(char::is_alphabetic)
}

fn is_address(token: &str) -> bool {
    token.contains("://") || token.starts_with("www.") || token.contains("10.") && token.contains('/')
}

/// A word without the punctuation around it, in lower case.
fn bare(token: &str) -> String {
    token.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// Lines as one paragraph of running text; one span for each block they stand in.
pub(crate) fn weld(lines: &[TextLine], words: &Words) -> Paragraph {
    let mut paragraph = Paragraph::default();
    let mut block = None;
    let mut apart = false;
    for line in lines {
        let text = techrag_core::text::squeeze(&line.text);
        if text.is_empty() {
            continue;
        }
        if !paragraph.text.is_empty() {
            match words.joint(&paragraph.text, &text) {
                _ if apart || line.kind == SpanKind::Formula => paragraph.text.push('\n'),
                Joint::Space => paragraph.text.push(' '),
                Joint::Tight => {}
                Joint::Drop => drop(paragraph.text.pop()),
            }
        }
        let start = paragraph.text.len();
        paragraph.text.push_str(&text);
        let end = paragraph.text.len();
        match paragraph.spans.last_mut() {
            Some(span) if block == Some((line.page, line.block)) => {
                span.end = end;
                span.bbox = union(span.bbox, line.bbox);
            }
            last => {
                // A dropped hyphen or an inserted space at the seam belongs to neither span.
                if let Some(last) = last {
                    last.end = last.end.min(start);
                }
                let (page, bbox) = (line.page, line.bbox);
                paragraph.spans.push(Span { start, end, page, bbox, kind: line.kind, ..Span::default() });
            }
        }
        block = Some((line.page, line.block));
        apart = line.kind == SpanKind::Formula;
    }
    // Soft hyphens inside a line are invisible wishes of the typesetter.
    if paragraph.text.contains('\u{ad}') { without_soft_hyphens(&paragraph) } else { paragraph }
}

fn without_soft_hyphens(paragraph: &Paragraph) -> Paragraph {
    let hidden = |end: usize| paragraph.text[..end].matches('\u{ad}').count() * '\u{ad}'.len_utf8();
    let spans = paragraph.spans.iter();
    let spans = spans.map(|span| Span {
        start: span.start - hidden(span.start),
        end: span.end - hidden(span.end),
        ..span.clone()
    });
    Paragraph { spans: spans.collect(), text: paragraph.text.replace('\u{ad}', ""), ..paragraph.clone() }
}

fn union(a: Option<[f32; 4]>, b: Option<[f32; 4]>) -> Option<[f32; 4]> {
    match (a, b) {
        (Some(a), Some(b)) => Some([a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn welded(document: &[&str], lines: &[&str]) -> String {
        let words = Words::of(document.iter().chain(lines).copied());
        let lines: Vec<_> = lines.iter().map(|line| TextLine { text: (*line).into(), ..Default::default() }).collect();
        weld(&lines, &words).text
    }

    #[test]
    fn the_documents_own_words_decide_about_a_hyphen() {
        assert_eq!(welded(&[], &["the fric-", "tion is low"]), "the friction is low");
        assert_eq!(welded(&["a tyre-road contact"], &["the tyre-", "road force"]), "the tyre-road force");
        assert_eq!(welded(&["the tyreroad, tyre-road"], &["tyre-", "road"]), "tyreroad");
        assert_eq!(welded(&["high speed and dimensional"], &["a high-", "dimensional one"]), "a high-dimensional one");
        assert_eq!(welded(&[], &["Butterworth-", "Heinemann"]), "Butterworth-Heinemann");
        assert_eq!(welded(&["by wire"], &["brake-by-", "wire"]), "brake-by-wire");
        assert_eq!(welded(&[], &["Shrinkage-Thresh-", "olding"]), "Shrinkage-Thresholding");
        assert_eq!(welded(&["a low force"], &["low-", "and high-speed"]), "low- and high-speed");
        assert_eq!(welded(&[], &["a fourth-", "order one"]), "a fourth-order one");
        assert_eq!(welded(&["every where"], &["every-", "where else"]), "everywhere else");
        assert_eq!(welded(&[], &["esti\u{ad}", "mate"]), "estimate");
        assert_eq!(welded(&[], &["manoeu\u{ad}vre"]), "manoeuvre");
    }

    #[test]
    fn ranges_units_and_addresses_are_joined() {
        assert_eq!(welded(&[], &["pp. 44–", "48, 2017"]), "pp. 44–48, 2017");
        assert_eq!(welded(&[], &["doi: 10.1016/", "S0005-1098(97)00003-4."]), "doi: 10.1016/S0005-1098(97)00003-4.");
        assert_eq!(welded(&[], &["https://ananke.", "readthedocs.io"]), "https://ananke.readthedocs.io");
        assert_eq!(welded(&[], &["112 kN/", "rad at the rear"]), "112 kN/rad at the rear");
        assert_eq!(welded(&[], &["the force –", "and its moment"]), "the force – and its moment");
        assert_eq!(welded(&[], &["the Wiener–", "Hammerstein model"]), "the Wiener–Hammerstein model");
        assert_eq!(welded(&[], &["is stable—", "that is, bounded"]), "is stable—that is, bounded");
        assert_eq!(welded(&[], &["a -", "b"]), "a - b");
    }

    #[test]
    fn each_block_is_a_span_with_its_page_and_box() {
        let line = |text: &str, page, block, y| TextLine {
            text: text.into(),
            page: Some(page),
            bbox: Some([10.0, y, 90.0, y + 9.0]),
            block,
            ..TextLine::default()
        };
        let lines = [line("The fric-", 1, 0, 10.0), line("tion of the", 1, 0, 20.0), line("tyre.", 2, 7, 5.0)];
        let paragraph = weld(&lines, &Words::default());
        assert_eq!(paragraph.text, "The friction of the tyre.");
        let got: Vec<_> = paragraph.spans.iter().map(|s| (&paragraph.text[s.start..s.end], s.page, s.bbox)).collect();
        assert_eq!(
            got,
            [
                ("The friction of the", Some(1), Some([10.0, 10.0, 90.0, 29.0])),
                ("tyre.", Some(2), Some([10.0, 5.0, 90.0, 14.0]))
            ]
        );
    }

    proptest! {
        #[test]
        fn spans_cover_the_text_on_character_boundaries(
            lines in prop::collection::vec(("[a-zéA-Z\u{ad}/ –-]{0,9}", 0usize..3), 0..8)
        ) {
            let lines: Vec<_> = lines
                .into_iter()
                .map(|(text, block)| TextLine { text, block, page: Some(1), ..TextLine::default() })
                .collect();
            let words = Words::of(lines.iter().map(|line| line.text.as_str()));
            let paragraph = weld(&lines, &words);
            let mut end = 0;
            for span in &paragraph.spans {
                prop_assert!(span.start >= end && span.end >= span.start);
                prop_assert!(paragraph.text.get(span.start..span.end).is_some());
                prop_assert!(paragraph.text[end..span.start].trim().is_empty());
                end = span.end;
            }
            prop_assert_eq!(end, paragraph.text.len());
        }
    }
}
