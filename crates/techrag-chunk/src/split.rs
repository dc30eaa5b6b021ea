//! Cutting a paragraph that is longer than a chunk may be: the one case the paper leaves open (SPEC section 2).
//!
//! Decision: prose is cut at sentence ends into pieces of about equal length, tables between rows (each piece repeats
//! the header), preformatted text at line ends. A sentence, row or line longer than the maximum stays whole, so that
//! nothing readable is torn, until it passes [`HARD_CAP`] times the maximum; no sentence is that long, so what it holds
//! is an encoded blob or a dump, and it is cut at the last white space, or between two characters where there is none.
//! The document's provenance counts such cuts.

use std::ops::Range;

use techrag_core::sentence;

use crate::Config;
use crate::draft::{Paragraph, ParagraphKind, chars};

/// Times the maximum that a single sentence may be long before it is cut inside.
const HARD_CAP: usize = 2;

/// A paragraph in pieces, and how often a sentence had to be cut inside.
pub(crate) struct Pieces {
    pub(crate) paragraphs: Vec<Paragraph>,
    pub(crate) cuts: usize,
}

/// The paragraph in pieces of at most `config.max` characters, as far as whole sentences allow.
pub(crate) fn split(paragraph: Paragraph, config: &Config) -> Pieces {
    let length = chars(&paragraph.text);
    if length <= config.max {
        return Pieces { paragraphs: vec![paragraph], cuts: 0 };
    }
    // A row as wide as this is no row that anybody reads; its text is kept and cut like any other.
    let wide = || paragraph.text.lines().any(|line| chars(line) > config.max * HARD_CAP);
    if paragraph.table.is_some() && !wide() {
        return Pieces { paragraphs: split_table(&paragraph, config), cuts: 0 };
    }
    let parts = match paragraph.kind {
        ParagraphKind::Prose => sentence::ranges(&paragraph.text),
        ParagraphKind::Lines | ParagraphKind::Table => lines(&paragraph.text),
    };
    let mut cuts = 0;
    let mut whole = Vec::new();
    for part in parts {
        let pieces = cut(&paragraph.text, part, config.max);
        cuts += pieces.len() - 1;
        whole.extend(pieces);
    }
    let goal = length.div_ceil(length.div_ceil(config.target.max(1)));
    let groups = group(&paragraph.text, &whole, goal, config.max);
    Pieces { paragraphs: groups.into_iter().map(|range| paragraph.slice(range.start, range.end)).collect(), cuts }
}

/// Consecutive parts joined until a group has `goal` characters; more than `max` only where a part alone has.
fn group(text: &str, parts: &[Range<usize>], goal: usize, max: usize) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for part in parts {
        match groups.last_mut() {
            Some(open) if chars(&text[open.clone()]) < goal && chars(&text[open.start..part.end]) <= max => {
                open.end = part.end;
            }
            _ => groups.push(part.clone()),
        }
    }
    groups
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut ranges = Vec::new();
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end().len();
        if end > start {
            ranges.push(start..end);
        }
        start += line.len();
    }
    ranges
}

/// The part itself, or its pieces where it passes the hard cap.
fn cut(text: &str, part: Range<usize>, max: usize) -> Vec<Range<usize>> {
    if chars(&text[part.clone()]) <= max * HARD_CAP {
        return vec![part];
    }
    let mut pieces = Vec::new();
    let mut start = part.start;
    while start < part.end {
        let rest = &text[start..part.end];
        let limit = rest.char_indices().nth(max.max(1)).map_or(rest.len(), |(at, _)| at);
        let end = if limit == rest.len() { limit } else { last_space(&rest[..limit]).unwrap_or(limit) };
        let piece = start..start + end;
        pieces.push(piece);
        start += end;
        start += text[start..part.end].len() - text[start..part.end].trim_start().len();
    }
    pieces
}

/// The last white space in the second half of a text, where cutting still leaves a piece of useful size.
fn last_space(text: &str) -> Option<usize> {
    text.rfind(char::is_whitespace).filter(|&at| at > text.len() / 2)
}

/// Caption and header are repeated in front of each group of rows.
fn split_table(paragraph: &Paragraph, config: &Config) -> Vec<Paragraph> {
    let Some(table) = &paragraph.table else { return vec![paragraph.clone()] };
    let Some((header, rows)) = table.cells.split_first() else { return vec![paragraph.clone()] };
    let caption = table.caption.as_deref();
    let empty = chars(&crate::table::text(caption, std::slice::from_ref(header)));
    let (mut groups, mut length): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
    for (at, row) in rows.iter().enumerate() {
        // Counted from the first row below the header, a line end in front of each.
        let (at, more) = (at + 1, chars(&crate::table::line(row)) + 1);
        match groups.last_mut() {
            Some(open) if length + more <= config.target => {
                open.end = at + 1;
                length += more;
            }
            _ => {
                groups.push(at..at + 1);
                length = empty + more;
            }
        }
    }
    let whole = paragraph.spans.last().cloned().unwrap_or_default();
    let places: Option<Vec<&String>> = paragraph.spans.iter().map(|span| span.place.as_ref()).collect();
    let places = places.filter(|places| places.len() == table.cells.len());
    let piece = |rows: Range<usize>| match &places {
        Some(places) => {
            let own = places.iter().take(1).chain(&places[rows.clone()]).map(|place| (*place).clone()).collect();
            crate::table::placed(crate::table::rows(table, rows), own)
        }
        None => {
            let mut piece = crate::table::paragraph(crate::table::rows(table, rows), whole.bbox);
            piece.spans.iter_mut().for_each(|span| span.place.clone_from(&whole.place));
            piece
        }
    };
    groups.into_iter().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use techrag_core::record::Table;

    use super::*;

    fn config(max: usize) -> Config {
        Config { target: max / 2, min: max / 10, max, overlap: max / 10, ..crate::test_config() }
    }

    fn texts(paragraph: Paragraph, max: usize) -> (Vec<String>, usize) {
        let pieces = split(paragraph, &config(max));
        (pieces.paragraphs.into_iter().map(|piece| piece.text).collect(), pieces.cuts)
    }

    #[test]
    fn prose_is_cut_at_sentence_ends_into_equal_parts() {
        let text = "The slip angle grows. The force follows. The tyre slides. The car turns.";
        let (pieces, cuts) = texts(Paragraph::prose(text), 60);
        assert_eq!(pieces, ["The slip angle grows. The force follows.", "The tyre slides. The car turns."]);
        assert_eq!(cuts, 0);
    }

    #[test]
    fn a_long_sentence_stays_whole_and_a_blob_is_cut() {
        let sentence = "Word ".repeat(14) + "end.";
        let text = format!("One. {sentence} Two.");
        let (pieces, cuts) = texts(Paragraph::prose(text), 50);
        assert!(pieces.contains(&sentence), "{pieces:?}");
        assert_eq!(cuts, 0);
        let (pieces, cuts) = texts(Paragraph::prose("é".repeat(101)), 50);
        assert_eq!(pieces.iter().map(|piece| chars(piece)).collect::<Vec<_>>(), [50, 50, 1]);
        assert_eq!(cuts, 2);
    }

    #[test]
    fn a_blob_with_spaces_is_cut_at_them() {
        let (pieces, _) = texts(Paragraph::prose("ab,cd ".repeat(30)), 50);
        assert!(pieces.iter().all(|piece| piece.ends_with("cd") && chars(piece) <= 50), "{pieces:?}");
    }

    #[test]
    fn a_table_is_cut_between_rows_and_keeps_its_header() {
        let mut cells = vec![vec!["Case".to_owned(), "Value".to_owned()]];
        cells.extend((0..40).map(|row| vec![format!("case {row}"), "0.35".to_owned()]));
        let table = Table { caption: Some("Table 1. Cases.".into()), page: Some(3), cells, ..Default::default() };
        let pieces = split(crate::table::paragraph(table, None), &config(300)).paragraphs;
        assert!(pieces.len() > 3);
        let mut rows = 0;
        for piece in &pieces {
            assert!(piece.text.starts_with("Table 1. Cases.\n\n| Case | Value |\n"), "{}", piece.text);
            assert_eq!(piece.spans.last().and_then(|span| span.page), Some(3));
            rows += piece.table.as_ref().map_or(0, |table| table.cells.len() - 1);
        }
        assert_eq!(rows, 40);
    }

    #[test]
    fn a_table_too_wide_to_read_is_cut_like_text() {
        let row = |c: &str| vec![c.to_owned(); 2000];
        let table = Table { cells: vec![row("a"), row("b")], ..Default::default() };
        let (pieces, _) = texts(crate::table::paragraph(table, None), 100);
        assert!(pieces.len() > 50 && pieces.iter().all(|piece| chars(piece) <= 100 * HARD_CAP), "{}", pieces.len());
        assert_eq!(pieces.concat().matches('b').count(), 2000);
    }

    proptest! {
        #[test]
        fn nothing_but_white_space_is_lost(text in "[a-zé .?!\\n]{0,400}", max in 5usize..80) {
            let pieces = split(Paragraph::prose(text.clone()), &config(max)).paragraphs;
            let kept: String = pieces.iter().flat_map(|piece| piece.text.split_whitespace()).collect();
            prop_assert_eq!(kept, text.split_whitespace().collect::<String>());
            for piece in &pieces {
                prop_assert!(chars(&piece.text) <= max * HARD_CAP);
                for span in &piece.spans {
                    prop_assert!(piece.text.get(span.start..span.end).is_some());
                }
            }
        }
    }
}
