//! The words of a page with the boxes they stand in, as the reader of the PDF gives lines.

use techrag_pdf::{Bbox, BlockKind, Line, Page};

/// A word on a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// Its characters.
    pub text: String,
    /// Its box in points: the line's height, and of its width the share of its characters.
    pub bbox: Bbox,
}

/// The words of a page in reading order, without running headers, page numbers and what stands in the margin, which
/// are the same on every page.
pub fn words(page: &Page) -> Vec<Word> {
    let aside = |kind: BlockKind| matches!(kind, BlockKind::Header | BlockKind::Footer | BlockKind::Marginal);
    page.blocks.iter().filter(|block| !aside(block.kind)).flat_map(|block| &block.lines).flat_map(of_line).collect()
}

fn of_line(line: &Line) -> Vec<Word> {
    let text = line.text();
    let count = text.chars().count().max(1) as f32;
    let [x0, y0, x1, y1] = line.bbox;
    let at = |characters: usize| x0 + (x1 - x0) * characters as f32 / count;
    let mut words: Vec<Word> = Vec::new();
    let mut open = false;
    for (place, character) in text.chars().enumerate() {
        if character.is_whitespace() {
            open = false;
            continue;
        }
        if !open {
            words.push(Word { text: String::new(), bbox: [at(place), y0, at(place), y1] });
            open = true;
        }
        if let Some(word) = words.last_mut() {
            word.text.push(character);
            word.bbox[2] = at(place + 1);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use techrag_pdf::{Block, Run};

    use super::*;

    fn block(kind: BlockKind, text: &str) -> Block {
        let run = Run { text: text.to_owned(), ..Run::default() };
        let line = Line { bbox: [100.0, 10.0, 200.0, 20.0], runs: vec![run] };
        Block { kind, lines: vec![line], ..Block::default() }
    }

    #[test]
    fn words_stand_where_their_share_of_the_line_is() {
        let blocks = vec![block(BlockKind::Header, "Journal"), block(BlockKind::Body, "slip  angle")];
        let found = words(&Page { blocks, ..Page::default() });
        assert_eq!(found.iter().map(|word| word.text.as_str()).collect::<Vec<_>>(), ["slip", "angle"]);
        assert!((found[0].bbox[2] - 136.36).abs() < 0.1 && (found[1].bbox[0] - 154.54).abs() < 0.1, "{found:?}");
    }
}
