//! Quotable units of a chunk's text: sentences, captions, rows of tables.
//!
//! An answer quotes a unit whole. A row of a table means nothing without its heading row and caption, so a row knows
//! them.

use std::ops::Range;

use crate::sentence;

/// What a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A sentence of running text.
    Sentence,
    /// The caption of a figure, table or listing, whole.
    Caption,
    /// A row of a Markdown table.
    Row,
}

/// A quotable unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Where it stands in the text.
    pub range: Range<usize>,
    /// What it is.
    pub kind: Kind,
    /// The heading row of a table's row.
    pub header: Option<Range<usize>>,
    /// The caption of a table's row.
    pub caption: Option<Range<usize>>,
}

impl Unit {
    fn plain(range: Range<usize>, kind: Kind) -> Self {
        Self { range, kind, header: None, caption: None }
    }

    /// The unit's words with those that give it meaning: caption, heading row, then itself.
    pub fn with_context(&self, text: &str) -> String {
        let parts = [self.caption.as_ref(), self.header.as_ref(), Some(&self.range)];
        parts.into_iter().flatten().map(|range| &text[range.clone()]).collect::<Vec<_>>().join("\n")
    }
}

/// The units of a text, in order.
pub fn units(text: &str) -> Vec<Unit> {
    let blocks = blocks(text);
    let mut units = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        match block {
            Block::Table(lines) => rows(text, lines, caption_of(text, &blocks, at), &mut units),
            Block::Prose(range) if is_caption(&text[range.clone()]) => {
                units.push(Unit::plain(range.clone(), Kind::Caption));
            }
            Block::Prose(range) => {
                let sentences = sentence::ranges(&text[range.clone()]).into_iter();
                let placed = sentences.map(|inner| range.start + inner.start..range.start + inner.end);
                units.extend(placed.map(|range| Unit::plain(range, Kind::Sentence)));
            }
        }
    }
    units
}

/// The cells of a Markdown row, trimmed.
pub fn cells(row: &str) -> Vec<&str> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    row.strip_suffix('|').unwrap_or(row).split('|').map(str::trim).collect()
}

/// Whether a paragraph is a caption: `Figure 3. …`, `Tab. 2: …`, `Table IV …`.
pub fn is_caption(paragraph: &str) -> bool {
    let mut words = paragraph.split_whitespace();
    let label = words.next().unwrap_or_default().trim_end_matches('.').to_lowercase();
    let number = words.next().unwrap_or_default();
    let body = number.trim_end_matches(['.', ':', ')']);
    let numbered = body.len() <= 6
        && body.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | 'I' | 'V' | 'X' | 'A'..='H' | 'a'..='h'))
        && body.starts_with(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase());
    let closed = number.ends_with(['.', ':']) || words.next().is_some_and(|word| word.starts_with(char::is_uppercase));
    matches!(label.as_str(), "figure" | "fig" | "table" | "tab" | "listing" | "algorithm") && numbered && closed
}

fn is_table_caption(paragraph: &str) -> bool {
    is_caption(paragraph) && paragraph.trim_start().to_lowercase().starts_with("tab")
}

/// A paragraph, or a run of table lines.
enum Block {
    Prose(Range<usize>),
    Table(Vec<Range<usize>>),
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut start = 0;
    let mut open = false;
    for line in text.split_inclusive('\n') {
        let range = start..start + line.trim_end_matches(['\n', '\r']).len();
        start += line.len();
        let trimmed = line.trim();
        let row = trimmed.len() > 1 && trimmed.starts_with('|') && trimmed.ends_with('|');
        match (blocks.last_mut(), trimmed.is_empty()) {
            (_, true) => open = false,
            (Some(Block::Table(lines)), _) if open && row => lines.push(range),
            (Some(Block::Prose(prose)), _) if open && !row => prose.end = range.end,
            _ => {
                blocks.push(if row { Block::Table(vec![range]) } else { Block::Prose(range) });
                open = true;
            }
        }
    }
    blocks
}

/// The caption of the table at `at`: the paragraph before it, else the one after it.
fn caption_of(text: &str, blocks: &[Block], at: usize) -> Option<Range<usize>> {
    let caption = |block: Option<&Block>| match block {
        Some(Block::Prose(range)) if is_table_caption(&text[range.clone()]) => Some(range.clone()),
        _ => None,
    };
    caption(at.checked_sub(1).and_then(|before| blocks.get(before))).or_else(|| caption(blocks.get(at + 1)))
}

fn rows(text: &str, lines: &[Range<usize>], caption: Option<Range<usize>>, units: &mut Vec<Unit>) {
    let is_rule = |line: &Range<usize>| text[line.clone()].chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'));
    let rule = lines.iter().position(is_rule);
    let header = rule.and_then(|rule| rule.checked_sub(1)).map(|at| lines[at].clone());
    for line in lines.iter().skip(rule.map_or(0, |rule| rule + 1)).filter(|line| !is_rule(line)) {
        units.push(Unit { range: line.clone(), kind: Kind::Row, header: header.clone(), caption: caption.clone() });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "Friction falls. It is 0.27 on snow (Figure 1).\n\nFigure 1. Force against slip. Three surfaces.\n\n\
        Table 1. Bias in per cent.\n\n| Utilisation | Dry | Snow |\n|---|---:|---|\n| 0.3 | -16.0 | -59.3 |\n\
        | 0.5 | -2.2 | -22.2 |\n\nFigure 2 shows more.";

    #[test]
    fn sentences_captions_and_rows_are_told_apart() {
        let seen: Vec<(Kind, &str)> = units(TEXT).iter().map(|unit| (unit.kind, &TEXT[unit.range.clone()])).collect();
        assert_eq!(
            seen,
            [
                (Kind::Sentence, "Friction falls."),
                (Kind::Sentence, "It is 0.27 on snow (Figure 1)."),
                (Kind::Caption, "Figure 1. Force against slip. Three surfaces."),
                (Kind::Caption, "Table 1. Bias in per cent."),
                (Kind::Row, "| 0.3 | -16.0 | -59.3 |"),
                (Kind::Row, "| 0.5 | -2.2 | -22.2 |"),
                (Kind::Sentence, "Figure 2 shows more."),
            ]
        );
    }

    #[test]
    fn a_row_knows_its_heading_and_caption() {
        let units = units(TEXT);
        let row = units.iter().find(|unit| unit.kind == Kind::Row).unwrap();
        assert_eq!(
            row.with_context(TEXT),
            "Table 1. Bias in per cent.\n| Utilisation | Dry | Snow |\n| 0.3 | -16.0 | -59.3 |"
        );
        assert_eq!(cells("| 0.3 | -16.0 |  |"), ["0.3", "-16.0", ""]);
    }

    #[test]
    fn a_table_without_a_rule_has_no_heading_and_a_caption_may_follow() {
        let text = "| a | b |\n| 1 | 2 |\nTable 2: After.";
        let units = units(text);
        assert_eq!(units.len(), 3);
        assert_eq!(units[0].header, None);
        assert_eq!(units[0].caption.clone().map(|range| &text[range]), Some("Table 2: After."));
    }

    #[test]
    fn captions_are_told_from_sentences_that_name_a_figure() {
        for caption in ["Fig. 3. Load.", "Tab. 2: x", "Table IV Parameters of the tyre", "Figure 12: y"] {
            assert!(is_caption(caption), "{caption}");
        }
        for sentence in ["Figure 3 shows the load.", "Tables are read first.", "Table", ""] {
            assert!(!is_caption(sentence), "{sentence}");
        }
    }

    proptest! {
        #[test]
        fn units_stand_in_the_text_in_order(text in "[a-zμ|.\\- \\n]{0,120}") {
            let mut last = 0;
            for unit in units(&text) {
                prop_assert!(unit.range.start >= last && !text[unit.range.clone()].trim().is_empty());
                last = unit.range.end;
            }
        }
    }
}
