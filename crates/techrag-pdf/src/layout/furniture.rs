//! Running headers, footers and page numbers: what repeats at the edge of pages, digits aside, and what its place and
//! words give away on a page of its own. What repeats in the middle of pages is a watermark or a stamp.

use crate::page::{Block, BlockKind, Page};
use std::collections::HashMap;

/// Share of the page's height at its top and bottom where furniture stands.
const EDGE: f32 = 0.13;
/// The same for what does not repeat.
const OUTER: f32 = 0.1;
/// How far two places may differ to be the same, in points.
const PLACE: f32 = 6.0;
/// Longest text of furniture in characters.
const LONG: usize = 220;

/// Where on its page a block stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Edge {
    Top,
    Bottom,
    Middle,
}

/// Marks furniture on all pages.
pub(super) fn mark(pages: &mut [Page]) {
    let seen = repetitions(pages);
    let count = pages.len();
    mark_numbers(pages);
    for page in pages {
        let height = page.height;
        for index in 0..page.blocks.len() {
            let block = &page.blocks[index];
            if matches!(block.kind, BlockKind::Header | BlockKind::Footer) {
                continue;
            }
            if matches!(block.kind, BlockKind::Table | BlockKind::Caption | BlockKind::Formula)
                && !is_number(&text(block))
            {
                continue;
            }
            let place = edge(block, height, EDGE);
            let kind = match place {
                Edge::Middle => stamped(block, &seen, count).then_some(BlockKind::Marginal),
                place => {
                    let outermost = is_outermost(&page.blocks, index, place);
                    let repeated = outermost && repeats(block, place, &seen, count);
                    let alone = edge(block, height, OUTER) == place && gives_itself_away(block, height, place);
                    (repeated || outermost && alone).then_some(if place == Edge::Top {
                        BlockKind::Header
                    } else {
                        BlockKind::Footer
                    })
                }
            };
            if let Some(kind) = kind {
                page.blocks[index].kind = kind;
                page.blocks[index].cells.clear();
            }
        }
    }
}

/// A number alone that stands lowest or highest on its page.
struct Number {
    /// Index of its page and of its block there.
    page: usize,
    block: usize,
    /// What it says, less the physical number of its page.
    offset: i64,
    edge: Edge,
    bbox: crate::page::Bbox,
}

impl Number {
    /// Whether both count with their pages, or stand at the same place: a document put together from others starts anew.
    fn agrees(&self, other: &Self) -> bool {
        let near = |a: f32, b: f32| (a - b).abs() < PLACE;
        let middle = |bbox: &crate::page::Bbox| f32::midpoint(bbox[0], bbox[2]);
        let same_place = near(self.bbox[1], other.bbox[1]) && near(middle(&self.bbox), middle(&other.bbox));
        self.edge == other.edge && (self.offset == other.offset || same_place)
    }
}

/// Marks numbers that stand lowest or highest on their pages and agree, wherever the margins are.
fn mark_numbers(pages: &mut [Page]) {
    let found: Vec<Number> = pages.iter().enumerate().flat_map(|(at, page)| numbers(at, page)).collect();
    for number in &found {
        // In the order of their pages; two on one page say nothing of each other.
        let mut agreeing: Vec<usize> =
            found.iter().filter(|other| number.agrees(other)).map(|other| other.page).collect();
        agreeing.dedup();
        let agreeing = agreeing.len();
        if agreeing >= 2 && agreeing * 2 >= pages.len() {
            let kind = if number.edge == Edge::Top { BlockKind::Header } else { BlockKind::Footer };
            pages[number.page].blocks[number.block].kind = kind;
        }
    }
}

fn numbers(at: usize, page: &Page) -> impl Iterator<Item = Number> {
    page.blocks.iter().enumerate().filter(|(_, block)| block.kind == BlockKind::Body).filter_map(
        move |(index, block)| {
            let value = text(block).trim().parse::<i64>().ok()?;
            let lowest = page.blocks.iter().all(|other| other.bbox[1] <= block.bbox[1]);
            let highest = page.blocks.iter().all(|other| other.bbox[1] >= block.bbox[1]);
            let edge = if lowest { Edge::Bottom } else { Edge::Top };
            let offset = value.checked_sub(i64::from(page.number))?;
            (lowest || highest).then_some(Number { page: at, block: index, offset, edge, bbox: block.bbox })
        },
    )
}

fn text(block: &Block) -> String {
    block.lines.iter().map(crate::page::Line::text).collect::<Vec<_>>().join(" ")
}

/// The text with digits folded, so that page numbers compare equal.
fn folded(block: &Block) -> String {
    let mut out = String::new();
    for c in text(block).chars().flat_map(char::to_lowercase) {
        if c.is_ascii_digit() {
            if !out.ends_with('#') {
                out.push('#');
            }
        } else if !c.is_whitespace() {
            out.push(c);
        }
    }
    out
}

fn edge(block: &Block, height: f32, share: f32) -> Edge {
    if block.bbox[3] < share * height {
        Edge::Top
    } else if block.bbox[1] > (1.0 - share) * height {
        Edge::Bottom
    } else {
        Edge::Middle
    }
}

/// Places of each folded text: pages and heights of its top.
type Seen = HashMap<(Edge, String), Vec<(u32, f32)>>;

fn repetitions(pages: &[Page]) -> Seen {
    let mut seen = Seen::new();
    for page in pages {
        for block in page.blocks.iter().filter(|block| block.lines.len() <= 4) {
            let key = (edge(block, page.height, EDGE), folded(block));
            if !key.1.is_empty() && key.1.len() <= LONG {
                seen.entry(key).or_default().push((page.number, block.bbox[1]));
            }
        }
    }
    seen
}

/// On how many pages the same stands at the same height.
fn pages_with(block: &Block, place: Edge, seen: &Seen) -> usize {
    let Some(places) = seen.get(&(place, folded(block))) else { return 0 };
    let mut pages: Vec<u32> =
        places.iter().filter(|(_, y)| (y - block.bbox[1]).abs() < PLACE).map(|(page, _)| *page).collect();
    pages.dedup();
    pages.len()
}

/// Left and right pages may have headers of their own, and chapters change them.
fn repeats(block: &Block, place: Edge, seen: &Seen, pages: usize) -> bool {
    pages_with(block, place, seen) >= if pages > 5 { 3 } else { 2 }
}

fn stamped(block: &Block, seen: &Seen, pages: usize) -> bool {
    let short = block.lines.len() <= 2 && matches!(block.kind, BlockKind::Body | BlockKind::Footnote);
    let at_most = text(block).chars().filter(|c| c.is_alphabetic()).count();
    short && at_most > 12 && pages >= 4 && pages_with(block, Edge::Middle, seen) * 2 > pages
}

/// Whether nothing but furniture stands further out.
fn is_outermost(blocks: &[Block], index: usize, place: Edge) -> bool {
    let block = &blocks[index];
    let beyond = |other: &Block| match place {
        Edge::Top => other.bbox[3] <= block.bbox[1] + 1.0,
        _ => other.bbox[1] >= block.bbox[3] - 1.0,
    };
    let wide = |other: &Block| other.lines.iter().map(|line| line.text().chars().count()).sum::<usize>() > LONG;
    !blocks.iter().enumerate().any(|(at, other)| at != index && beyond(other) && wide(other))
}

/// Page numbers alone, and the words of publishers at the edge of a first page.
fn gives_itself_away(block: &Block, height: f32, place: Edge) -> bool {
    const WORDS: [&str; 14] = [
        "©",
        "copyright",
        "proceedings of",
        "arxiv:",
        "preprint",
        "all rights reserved",
        "licensed",
        "978-",
        "permission to make",
        "accepted for",
        "under review",
        "published in",
        "issn",
        "personal use",
    ];
    let text = text(block);
    let lower = text.to_lowercase();
    let last_inch = match place {
        Edge::Top => block.bbox[3] < 0.09 * height,
        _ => block.bbox[1] > 0.91 * height,
    };
    is_number(&text) || (last_inch && text.len() <= LONG && WORDS.iter().any(|word| lower.contains(word)))
}

/// `7`, `- 7 -`, `vii`, `Page 7 of 9`.
fn is_number(text: &str) -> bool {
    let bare: String = text.to_lowercase().replace("page", "").replace("of", " ");
    let words: Vec<&str> = bare.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let number = |word: &&str| {
        word.len() <= 5 && word.chars().all(|c| c.is_ascii_digit())
            || word.len() <= 6 && word.chars().all(|c| matches!(c, 'i' | 'v' | 'x'))
    };
    !words.is_empty() && words.len() <= 2 && words.iter().all(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Line, Run};

    fn block(text: &str, y: f32) -> Block {
        let bbox = [50.0, y, 300.0, y + 10.0];
        let run = Run { text: text.to_owned(), size: 9.0, ..Run::default() };
        Block { bbox, lines: vec![Line { bbox, runs: vec![run] }], ..Block::default() }
    }

    fn page(number: u32) -> Page {
        let header = if number.is_multiple_of(2) { "Lee and Chen" } else { "Tyre Friction 2024" };
        let body = ["One thing.", "Another.", "A third."][number as usize % 3];
        let blocks = vec![block(header, 30.0), block(body, 100.0), block(&number.to_string(), 760.0)];
        Page { number, width: 600.0, height: 800.0, blocks, ..Page::default() }
    }

    #[test]
    fn alternating_headers_and_page_numbers() {
        let mut pages: Vec<Page> = (1..=8).map(page).collect();
        mark(&mut pages);
        for page in &pages {
            let kinds: Vec<BlockKind> = page.blocks.iter().map(|block| block.kind).collect();
            assert_eq!(kinds, [BlockKind::Header, BlockKind::Body, BlockKind::Footer]);
        }
    }

    #[test]
    fn page_numbers_far_from_the_edge_count() {
        let numbered = |number: u32| Page {
            number,
            height: 842.0,
            blocks: vec![block("Some text.", 130.0), block(&(number + 6).to_string(), 600.0)],
            ..Page::default()
        };
        let mut pages = vec![numbered(1), numbered(2), numbered(3)];
        mark(&mut pages);
        assert!(pages.iter().all(|page| page.blocks[1].kind == BlockKind::Footer));
    }

    #[test]
    fn page_numbers_that_start_anew_are_told_by_their_place() {
        let numbered = |number: u32, says: &str, y: f32| Page {
            number,
            height: 842.0,
            blocks: vec![block("Some text.", 130.0), block(says, y)],
            ..Page::default()
        };
        let kinds = |mut pages: Vec<Page>| {
            mark(&mut pages);
            pages.iter().map(|page| page.blocks[1].kind).collect::<Vec<_>>()
        };
        let footers = kinds(vec![numbered(1, "1", 695.0), numbered(2, "2", 695.0), numbered(3, "1", 695.0)]);
        assert_eq!(footers, [BlockKind::Footer; 3]);
        let values = kinds(vec![numbered(1, "17", 400.0), numbered(2, "5", 600.0), numbered(3, "9", 500.0)]);
        assert_eq!(values, [BlockKind::Body; 3]);
        let mut twice = numbered(1, "42", 400.0);
        twice.blocks.push(block("42", 400.0));
        assert_eq!(kinds(vec![twice]), [BlockKind::Body]);
    }

    #[test]
    fn a_title_alone_is_no_header() {
        let mut pages = vec![Page {
            blocks: vec![block("On Friction", 60.0), block("vii", 770.0)],
            height: 800.0,
            ..Page::default()
        }];
        mark(&mut pages);
        assert_eq!(pages[0].blocks[0].kind, BlockKind::Body);
        assert_eq!(pages[0].blocks[1].kind, BlockKind::Footer);
    }
}
