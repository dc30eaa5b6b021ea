//! What stands on the pages and is not in the text: counted, so that its absence is named and not silent.

use serde_json::{Value, json};
use techrag_core::record::Extra;
use techrag_pdf::{Block, BlockKind, LeftOut, Page, Pdf};

use super::item;

/// Writes into `left_out` of provenance the words inside figures, the lines of margins and of running headers and
/// footers, and the words that a page has and does not show.
pub(crate) fn name(pdf: &Pdf, provenance: &mut Extra) {
    let read = || pdf.pages.iter().filter(|page| !item::is_garbled(page));
    let of = |kind: BlockKind| read().flat_map(|page| &page.blocks).filter(move |block| block.kind == kind);
    let bands = item::furniture_lines(pdf);
    let runs = |page: &Page, block: &Block| {
        matches!(block.kind, BlockKind::Header | BlockKind::Footer)
            || page.number > 1 && item::is_furniture(block, &bands)
    };
    // What a page has besides its text; a page that has nothing else is read.
    let beside = || read().filter(|page| !item::is_bare(page));
    let running = beside().flat_map(|page| page.blocks.iter().filter(|block| runs(page, block)));
    let margins = beside().flat_map(|page| &page.blocks).filter(|block| block.kind == BlockKind::Marginal);
    count("words in figures", of(BlockKind::FigureText).map(words).sum(), provenance);
    count("lines in margins", margins.map(lines).sum(), provenance);
    count("running headers and footers", running.map(lines).sum(), provenance);
    let unseen = |of: fn(&LeftOut) -> usize| pdf.pages.iter().map(|page| of(&page.left_out) as u64).sum();
    count("words off the page", unseen(|page| page.off_page), provenance);
    count("words under other text", unseen(|page| page.covered), provenance);
    count("words in hidden layers", unseen(|page| page.hidden), provenance);
}

/// Writes how often `what` was left out, unless never.
pub(crate) fn count(what: &str, times: u64, provenance: &mut Extra) {
    if times == 0 {
        return;
    }
    let counts = provenance.entry("left_out").or_insert_with(|| json!({}));
    if let Value::Object(counts) = counts {
        counts.insert(what.to_owned(), json!(times));
    }
}

fn lines(block: &Block) -> u64 {
    block.lines.len() as u64
}

fn words(block: &Block) -> u64 {
    let runs = block.lines.iter().map(|line| line.runs.iter().map(|run| run.text.as_str()).collect::<String>());
    runs.map(|line| line.split_whitespace().count() as u64).sum()
}
