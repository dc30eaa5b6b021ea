//! What only several pages together tell: running headers and footers, paragraphs cut by a column or page end.

use super::furniture;
use crate::page::{Block, BlockKind, Line, Page};

/// Marks running headers and footers, then the paragraphs that go on behind a column or page end.
pub(crate) fn finish(pages: &mut [Page]) {
    furniture::mark(pages);
    link(pages);
}

/// Sets [`Block::continues`].
fn link(pages: &mut [Page]) {
    let body: Vec<(usize, usize)> = pages
        .iter()
        .enumerate()
        .flat_map(|(page, content)| content.blocks.iter().enumerate().map(move |(block, _)| (page, block)))
        .filter(|&(page, block)| !is_aside(&pages[page].blocks[block]))
        .collect();
    for pair in body.windows(2) {
        let [(page, block), (next_page, next_block)] = [pair[0], pair[1]];
        let (one, next) = (&pages[page].blocks[block], &pages[next_page].blocks[next_block]);
        let interrupted = page != next_page || next_block != block + 1;
        let new_column = page == next_page && next.bbox[1] < one.bbox[1];
        if (interrupted || new_column) && goes_on(one, next) {
            pages[page].blocks[block].continues = true;
        }
    }
}

/// What may stand between the two halves of a paragraph.
fn is_aside(block: &Block) -> bool {
    block.is_overlay || !matches!(block.kind, BlockKind::Body | BlockKind::Formula)
}

fn goes_on(one: &Block, next: &Block) -> bool {
    let (Some(last), Some(first)) = (one.lines.last(), next.lines.first()) else { return false };
    if one.kind != BlockKind::Body || next.kind != BlockKind::Body || (last.size() - first.size()).abs() > 0.6 {
        return false;
    }
    if all_bold(last) != all_bold(first) || (all_bold(last) && one.lines.len() == 1) {
        return false;
    }
    let end = last.text();
    let start = first.text();
    let open = !end.trim_end().ends_with(['.', '!', '?', ':']);
    let start = start.trim_start().chars().next();
    let lower = start.is_some_and(|c| c.is_lowercase() || matches!(c, ',' | ')' | ';'));
    // A line that fills the column and ends in the middle of a sentence.
    let full = last.bbox[2] > one.bbox[2] - 2.0 * last.size();
    let hyphen = end.trim_end().ends_with('-');
    open && (lower || full && (hyphen || one.lines.len() > 2))
}

fn all_bold(line: &Line) -> bool {
    line.runs.iter().all(|run| run.bold || run.text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Run;

    fn block(text: &str, kind: BlockKind, y: f32) -> Block {
        let run = Run { text: text.to_owned(), size: 10.0, ..Run::default() };
        let bbox = [50.0, y, 300.0, y + 10.0];
        Block { kind, bbox, lines: vec![Line { bbox, runs: vec![run] }], ..Block::default() }
    }

    fn page(number: u32, blocks: Vec<Block>) -> Page {
        Page { number, width: 600.0, height: 800.0, blocks, ..Page::default() }
    }

    #[test]
    fn a_sentence_cut_by_a_page_goes_on_behind_footnotes_and_headers() {
        let mut pages = vec![
            page(1, vec![block("the tyre and", BlockKind::Body, 600.0), block("1 note", BlockKind::Footnote, 700.0)]),
            page(2, vec![block("Header", BlockKind::Header, 20.0), block("its belt.", BlockKind::Body, 60.0)]),
            page(3, vec![block("Next.", BlockKind::Body, 60.0)]),
        ];
        link(&mut pages);
        assert!(pages[0].blocks[0].continues);
        assert!(!pages[1].blocks[1].continues);
    }
}
