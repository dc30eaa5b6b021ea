//! How far the text of a page can be trusted: measured on what a reader gave, so that a garbled page is known as such
//! and another reader is asked.

use crate::page::{Bbox, Block, BlockKind, Outcome, Page, Quality};
use techrag_core::lexicon;

/// Fewer words or characters than this say nothing about a page.
const WORDS: usize = 20;
const CHARACTERS: usize = 60;
/// Share of plausible words under which a page is garbled. Real pages have 0.72 or more, mathematics and Latin
/// included; pages with their letters shifted have 0.30 or less.
const GARBLED: f32 = 0.5;
/// Share of letters and digits under which a page is garbled. Pages of formulas have 0.6.
const SIGNS: f32 = 0.4;
/// Share of steps in order under which the order of a page is doubtful.
const DISORDER: f32 = 0.6;
/// Share of unknown characters from which a page is named.
const UNKNOWN: f32 = 0.05;

impl Quality {
    /// The quality of a page as it was read.
    pub(crate) fn of(page: &Page) -> Self {
        let text = text(page);
        // Leaders of a table of contents and rules made of dashes are no signs of trouble.
        let leader = |c: char| matches!(c, '.' | '·' | '…' | '_' | '-' | '–' | '—');
        let signs = text.chars().filter(|&c| !c.is_whitespace() && !leader(c)).count();
        let letters = text.chars().filter(|c| c.is_alphanumeric()).count();
        let (words, plausible) = lexicon::judge(&text);
        Self {
            letters: share(letters, signs, CHARACTERS),
            words: share(plausible, words, WORDS),
            order: order(&page.blocks),
        }
    }

    /// Whether the characters are not those of a text.
    pub fn is_garbled(self) -> bool {
        self.words < GARBLED || self.letters < SIGNS
    }
}

impl Page {
    /// Whether its text should not be trusted: garbled, unknown characters, or in a doubtful order.
    pub fn is_poor(&self) -> bool {
        let text = self.outcome == Outcome::Text;
        text && (self.quality.is_garbled() || self.quality.order < DISORDER || self.unknown_glyphs > UNKNOWN)
    }

    /// Whether it holds enough words to tell that they are language.
    pub(crate) fn reads_well(&self) -> bool {
        let (words, plausible) = lexicon::judge(&text(self));
        words >= WORDS && share(plausible, words, WORDS) >= GARBLED
    }

    /// Letters that are worth something: those of plausible words, and all of other scripts. What a page is worth is
    /// compared by it where two readers gave one.
    pub fn worth(&self) -> usize {
        let text = text(self);
        let letters = text.chars().filter(|c| c.is_alphanumeric()).count();
        let quality = Quality::of(self);
        if quality.is_garbled() { (letters as f32 * quality.words * quality.letters) as usize } else { letters }
    }
}

fn share(part: usize, whole: usize, least: usize) -> f32 {
    if whole < least { 1.0 } else { part as f32 / whole as f32 }
}

fn text(page: &Page) -> String {
    let lines = page.blocks.iter().flat_map(|block| &block.lines);
    lines.flat_map(|line| [line.text(), "\n".to_owned()]).collect()
}

/// Share of steps from one block of running text to the next that go down, or up only where they go right.
fn order(blocks: &[Block]) -> f32 {
    let placed = |block: &&Block| block.kind == BlockKind::Body && block.bbox[2] > block.bbox[0];
    let boxes: Vec<Bbox> = blocks.iter().filter(placed).map(|block| block.bbox).collect();
    let natural = |pair: &&[Bbox]| {
        let [from, to] = pair else { return true };
        let down = to[1] >= from[1] - 1.0;
        let right = to[0] >= f32::midpoint(from[0], from[2]);
        down || right
    };
    share(boxes.windows(2).filter(natural).count(), boxes.len().saturating_sub(1), 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Line, Run};

    fn page(text: &str) -> Page {
        let lines = text.lines().map(|line| {
            let run = Run { text: line.to_owned(), ..Run::default() };
            Line { runs: vec![run], ..Line::default() }
        });
        let block = Block { lines: lines.collect(), ..Block::default() };
        let page = Page { blocks: vec![block], ..Page::default() };
        Page { quality: Quality::of(&page), ..page }
    }

    const PROSE: &str = "The tyre transmits every force between the car and the road, and so it deserves a model of\nits own; the slip angle of the wheel decides how large the lateral force becomes on a dry surface.";

    #[test]
    fn prose_is_trusted_and_a_shifted_alphabet_is_not() {
        assert!(!page(PROSE).is_poor());
        let shifted: String = PROSE
            .chars()
            .map(|c| if c.is_ascii_lowercase() { char::from((c as u8 - b'a' + 3) % 26 + b'a') } else { c })
            .collect();
        assert!(page(&shifted).is_poor(), "{:?}", page(&shifted).quality);
        assert!(page(&shifted).worth() < page(PROSE).worth() / 2);
        let signs: String = PROSE.chars().map(|c| if c.is_alphabetic() { '#' } else { c }).collect();
        assert!(page(&signs).is_poor());
        assert!(!page("x = 1").is_poor(), "too little to tell");
        let contents = "1 Scope . . . . . . . . . . . . . . . . . . . . 7\n".repeat(9);
        assert!(!page(&contents).is_poor(), "{:?}", page(&contents).quality);
    }

    #[test]
    fn steps_back_up_the_page_are_disorder() {
        let block = |x: f32, y: f32| Block { bbox: [x, y, x + 200.0, y + 10.0], ..Block::default() };
        let columns: Vec<Block> = [(50.0, 100.0), (50.0, 300.0), (300.0, 100.0), (300.0, 300.0), (50.0, 500.0)]
            .map(|(x, y)| block(x, y))
            .into();
        assert!((order(&columns) - 1.0).abs() < 1e-6);
        let mixed: Vec<Block> = [500.0, 400.0, 300.0, 350.0, 100.0].map(|y| block(50.0, y)).into();
        assert!((order(&mixed) - 0.25).abs() < 1e-6);
    }
}
