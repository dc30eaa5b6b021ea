//! Figures and tables of a page with their captions, from what the PDF itself draws and writes and from what a layout
//! network saw.
//!
//! A caption is matched with the nearest drawn area or table that shares at least 30 % of the narrower one's width and
//! is less than 60 points away; words that belong to a drawing widen it. What the network saw counts where the PDF has
//! no object of its own. A captioned figure that is text (a listing, a table without rules) is the block beside its
//! caption. A large drawing without a caption is a region all the same.

use serde::{Deserialize, Serialize};
use techrag_core::record::{CropKind, CropSource};
use techrag_pdf::{Bbox, Block, BlockKind, Outcome, Page};

use crate::sight::Seen;

/// A figure or a table on a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// What it is.
    pub kind: CropKind,
    /// Its box in points, the caption left out.
    pub bbox: Bbox,
    /// What told of it.
    #[serde(default)]
    pub source: CropSource,
    /// Its caption as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// The caption's box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption_bbox: Option<Bbox>,
}

/// Most points between a caption and what it names.
const REACH: f32 = 60.0;
/// Least share of the narrower one's width that both must have in common.
const SHARED: f32 = 0.3;
/// Most points between a caption and a block of text that it names.
const NEAR: f32 = 40.0;
/// How far words may stand outside a drawing and belong to it, in points.
const LABELS: f32 = 14.0;
/// Least share of the page of a drawing that counts without a caption.
const LARGE: f32 = 0.04;

/// Something that may be a figure or a table.
struct Thing {
    kind: CropKind,
    bbox: Bbox,
    source: CropSource,
    taken: bool,
}

/// A caption: a block of the PDF, or a box the network took for one.
struct Caption {
    text: Option<String>,
    bbox: Bbox,
    /// What it says it names; the network's captions do not tell.
    kind: Option<CropKind>,
}

/// The regions of a page, from top to bottom; `seen` is what a layout network saw on it, if it was asked.
pub(crate) fn regions(page: &Page, seen: &[Seen]) -> Vec<Region> {
    let mut things = things(page, seen);
    let captions = captions(page, seen);
    let mut found: Vec<Region> = captions.iter().filter_map(|caption| captioned(page, caption, &mut things)).collect();
    let area = page.width * page.height;
    let left = things.iter().filter(|it| !it.taken && size(it.bbox) >= LARGE * area && !inside(it.bbox, &found));
    let bare: Vec<Region> = left
        .map(|Thing { kind, bbox, source, .. }| Region {
            kind: *kind,
            bbox: with_labels(page, *bbox),
            source: *source,
            caption: None,
            caption_bbox: None,
        })
        .collect();
    found.extend(bare);
    found.sort_by(|a, b| a.bbox[1].total_cmp(&b.bbox[1]).then(a.bbox[0].total_cmp(&b.bbox[0])));
    found
}

/// Whether the PDF's own objects leave open what figures a page has: it is a scan, or a caption names nothing drawn.
pub(crate) fn is_silent(page: &Page, own: &[Region]) -> bool {
    let drawn = own.iter().filter(|region| region.caption.is_some() && region.source == CropSource::Objects).count();
    page.outcome == Outcome::NoText { images: true } || blocks(page, BlockKind::Caption).count() > drawn
}

/// The PDF's own drawings and tables, and what was seen where there is none of them.
fn things(page: &Page, seen: &[Seen]) -> Vec<Thing> {
    let thing = |kind: CropKind, bbox: Bbox, source: CropSource| Thing { kind, bbox, source, taken: false };
    let mut things: Vec<Thing> =
        page.graphics.iter().map(|bbox| thing(CropKind::Figure, *bbox, CropSource::Objects)).collect();
    things.extend(blocks(page, BlockKind::Table).map(|block| thing(CropKind::Table, block.bbox, CropSource::Objects)));
    for new in seen {
        let Some(kind) = new.kind() else { continue };
        let known = |other: &Thing| common(other.bbox, new.bbox) > 0.5 * size(other.bbox).min(size(new.bbox));
        if !things.iter().any(known) {
            things.push(thing(kind, new.bbox, CropSource::Layout));
        }
    }
    things
}

/// The page's captions, and those seen where it has none.
fn captions(page: &Page, seen: &[Seen]) -> Vec<Caption> {
    let of_block = |block: &Block| {
        let text = words(block);
        let is_table = text.to_lowercase().starts_with("tab");
        let kind = Some(if is_table { CropKind::Table } else { CropKind::Figure });
        Caption { text: Some(text), bbox: block.bbox, kind }
    };
    let mut captions: Vec<Caption> = blocks(page, BlockKind::Caption).map(of_block).collect();
    for new in seen.iter().filter(|seen| seen.is_caption()) {
        if captions.iter().all(|known| !touches(known.bbox, new.bbox, 0.0)) {
            captions.push(Caption { text: text_within(page, new.bbox), bbox: new.bbox, kind: None });
        }
    }
    captions
}

/// What the page's text says within a box; nothing on a scan without text.
fn text_within(page: &Page, bbox: Bbox) -> Option<String> {
    let lines = page.blocks.iter().flat_map(|block| &block.lines);
    let within = lines.filter(|line| common(line.bbox, bbox) > 0.5 * size(line.bbox));
    let lines: Vec<String> = within.map(|line| line.text().trim().to_owned()).collect();
    Some(lines.join(" ")).filter(|text| !text.is_empty())
}

fn blocks(page: &Page, kind: BlockKind) -> impl Iterator<Item = &Block> {
    page.blocks.iter().filter(move |block| block.kind == kind)
}

/// The region a caption names; what it takes is marked as taken.
fn captioned(page: &Page, caption: &Caption, things: &mut [Thing]) -> Option<Region> {
    let reach = |bbox: &Bbox| (shared(*bbox, caption.bbox) >= SHARED).then(|| gap(*bbox, caption.bbox));
    // A table's caption prefers a table, a figure's a drawing.
    let near = things.iter().enumerate().filter(|(_, it)| !it.taken).filter_map(|(at, it)| {
        let gap = reach(&it.bbox).filter(|gap| *gap < REACH)?;
        Some((caption.kind.is_some_and(|kind| kind != it.kind), gap, at))
    });
    let best = near.min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    let (kind, bbox, source) = match best {
        Some((_, _, at)) => {
            things[at].taken = true;
            let (source, kind) = (things[at].source, caption.kind.unwrap_or(things[at].kind));
            let mut bbox = with_labels(page, things[at].bbox);
            // Parts of one figure: drawings beside it on the same side of the caption.
            for part in things.iter_mut().filter(|it| !it.taken) {
                if part.kind == kind
                    && reach(&part.bbox).is_some_and(|gap| gap < REACH)
                    && touches(part.bbox, bbox, LABELS)
                {
                    part.taken = true;
                    bbox = joined(bbox, part.bbox);
                }
            }
            (kind, bbox, source)
        }
        // What the network took for a caption is none if nothing stands by it.
        None => (caption.kind?, beside(page, caption.bbox)?, CropSource::Text),
    };
    Some(Region { kind, bbox, source, caption: caption.text.clone(), caption_bbox: Some(caption.bbox) })
}

/// The text block nearest to a caption: a listing, a table without rules.
fn beside(page: &Page, caption: Bbox) -> Option<Bbox> {
    let text = |block: &&Block| !matches!(block.kind, BlockKind::Caption | BlockKind::Header | BlockKind::Footer);
    let near = page.blocks.iter().filter(text).filter(|block| shared(block.bbox, caption) >= SHARED);
    let near = near.map(|block| (gap(block.bbox, caption), block.bbox)).filter(|(gap, _)| *gap < NEAR);
    near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, bbox)| bbox)
}

/// A drawing with the words in and around it.
fn with_labels(page: &Page, bbox: Bbox) -> Bbox {
    let labels = blocks(page, BlockKind::FigureText).flat_map(|block| &block.lines).map(|line| line.bbox);
    labels.filter(|label| touches(*label, bbox, LABELS)).fold(bbox, joined)
}

fn words(block: &Block) -> String {
    let lines: Vec<String> = block.lines.iter().map(|line| line.text().trim().to_owned()).collect();
    lines.join(" ")
}

/// Points between two boxes, one above the other; 0 where they overlap.
fn gap(a: Bbox, b: Bbox) -> f32 {
    (a[1] - b[3]).max(b[1] - a[3]).max(0.0)
}

/// The share of the narrower one's width that two boxes have in common.
fn shared(a: Bbox, b: Bbox) -> f32 {
    let narrower = (a[2] - a[0]).min(b[2] - b[0]).max(1.0);
    (a[2].min(b[2]) - a[0].max(b[0])) / narrower
}

fn touches(a: Bbox, b: Bbox, margin: f32) -> bool {
    a[0] <= b[2] + margin && b[0] <= a[2] + margin && a[1] <= b[3] + margin && b[1] <= a[3] + margin
}

fn joined(a: Bbox, b: Bbox) -> Bbox {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

fn size(bbox: Bbox) -> f32 {
    (bbox[2] - bbox[0]).max(0.0) * (bbox[3] - bbox[1]).max(0.0)
}

/// The area that two boxes have in common.
fn common(a: Bbox, b: Bbox) -> f32 {
    size([a[0].max(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].min(b[3])])
}

fn inside(bbox: Bbox, regions: &[Region]) -> bool {
    regions.iter().any(|region| common(region.bbox, bbox) > 0.5 * size(bbox))
}

#[cfg(test)]
mod tests {
    use techrag_pdf::{Line, Run};

    use super::*;

    fn block(kind: BlockKind, bbox: Bbox, text: &str) -> Block {
        let run = Run { text: text.to_owned(), ..Run::default() };
        Block { kind, bbox, lines: vec![Line { bbox, runs: vec![run] }], ..Block::default() }
    }

    fn page(blocks: Vec<Block>, graphics: Vec<Bbox>) -> Page {
        Page { width: 600.0, height: 800.0, blocks, graphics, ..Page::default() }
    }

    #[test]
    fn a_caption_takes_the_nearest_thing_of_its_kind_and_its_labels() {
        let page = page(
            vec![
                block(BlockKind::FigureText, [40.0, 150.0, 52.0, 160.0], "force"),
                block(BlockKind::Caption, [60.0, 310.0, 280.0, 330.0], "Figure 1: Force over slip."),
                block(BlockKind::Caption, [60.0, 400.0, 280.0, 412.0], "Table 2: Stiffness."),
                block(BlockKind::Table, [60.0, 420.0, 280.0, 500.0], "a b"),
            ],
            vec![[60.0, 100.0, 280.0, 300.0], [320.0, 100.0, 560.0, 300.0]],
        );
        let found = regions(&page, &[]);
        let said: Vec<_> = found.iter().map(|it| (it.kind, it.bbox, it.caption.is_some())).collect();
        assert_eq!(
            said,
            [
                (CropKind::Figure, [40.0, 100.0, 280.0, 300.0], true),
                (CropKind::Figure, [320.0, 100.0, 560.0, 300.0], false),
                (CropKind::Table, [60.0, 420.0, 280.0, 500.0], true),
            ]
        );
    }

    #[test]
    fn a_listing_is_the_block_beside_its_caption_and_far_things_are_left_alone() {
        let page = page(
            vec![
                block(BlockKind::Body, [60.0, 100.0, 280.0, 200.0], "for each tyre"),
                block(BlockKind::Caption, [60.0, 210.0, 280.0, 222.0], "Figure 3. The loop."),
                block(BlockKind::Caption, [60.0, 600.0, 280.0, 612.0], "Figure 4. Nothing near."),
            ],
            vec![],
        );
        let found = regions(&page, &[]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].bbox, found[0].kind), ([60.0, 100.0, 280.0, 200.0], CropKind::Figure));
    }

    #[test]
    fn what_was_seen_counts_where_the_pdf_has_no_object_of_its_own() {
        let own = page(
            vec![
                block(BlockKind::Body, [60.0, 330.0, 280.0, 400.0], "running text"),
                block(BlockKind::Caption, [60.0, 310.0, 280.0, 322.0], "Figure 1. A photograph."),
                block(BlockKind::Caption, [320.0, 310.0, 560.0, 322.0], "Figure 2. A plot."),
            ],
            vec![[320.0, 100.0, 560.0, 300.0]],
        );
        let without = regions(&own, &[]);
        assert!(is_silent(&own, &without), "the first caption has text beside it only");
        let seen = |label: &str, bbox: Bbox| Seen { label: label.to_owned(), bbox };
        let found = regions(
            &own,
            &[
                seen("image", [62.0, 120.0, 278.0, 305.0]),
                seen("chart", [322.0, 102.0, 558.0, 298.0]),
                seen("figure_title", [60.0, 311.0, 280.0, 321.0]),
            ],
        );
        let said: Vec<_> = found.iter().map(|it| (it.bbox, it.source, it.caption.as_deref())).collect();
        assert_eq!(
            said,
            [
                ([320.0, 100.0, 560.0, 300.0], CropSource::Objects, Some("Figure 2. A plot.")),
                ([62.0, 120.0, 278.0, 305.0], CropSource::Layout, Some("Figure 1. A photograph.")),
            ]
        );
        assert!(!is_silent(&page(vec![], vec![]), &[]), "a page of text has nothing to look for");
    }

    #[test]
    fn a_scan_has_what_was_seen_with_the_box_of_its_caption() {
        let scan = Page { outcome: Outcome::NoText { images: true }, ..page(vec![], vec![]) };
        assert!(is_silent(&scan, &[]));
        let seen = |label: &str, bbox: Bbox| Seen { label: label.to_owned(), bbox };
        let found = regions(
            &scan,
            &[
                seen("table", [60.0, 100.0, 280.0, 200.0]),
                seen("table_title", [60.0, 80.0, 280.0, 95.0]),
                seen("text", [60.0, 220.0, 280.0, 600.0]),
                seen("figure_title", [320.0, 700.0, 560.0, 712.0]),
            ],
        );
        assert_eq!(found.len(), 1, "a caption that names nothing is none: {found:?}");
        assert_eq!((found[0].kind, found[0].source), (CropKind::Table, CropSource::Layout));
        assert_eq!((found[0].caption.as_deref(), found[0].caption_bbox), (None, Some([60.0, 80.0, 280.0, 95.0])));
    }
}
