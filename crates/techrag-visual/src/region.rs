//! Figures and tables of a page with their captions, from what the PDF itself draws and writes.
//!
//! A caption is matched with the nearest drawn area or table that shares at least 30 % of the narrower one's width and
//! is less than 60 points away; words that belong to a drawing widen it. A captioned figure that is text (a listing, a
//! table without rules) is the block beside its caption. A large drawing without a caption is a region all the same.

use serde::{Deserialize, Serialize};
use techrag_core::record::CropKind;
use techrag_pdf::{Bbox, Block, BlockKind, Page};

/// A figure or a table on a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// What it is.
    pub kind: CropKind,
    /// Its box in points, the caption left out.
    pub bbox: Bbox,
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

/// The regions of a page, from top to bottom.
pub fn regions(page: &Page) -> Vec<Region> {
    let mut things: Vec<(CropKind, Bbox, bool)> =
        page.graphics.iter().map(|bbox| (CropKind::Figure, *bbox, false)).collect();
    things.extend(blocks(page, BlockKind::Table).map(|block| (CropKind::Table, block.bbox, false)));
    let mut found: Vec<Region> =
        blocks(page, BlockKind::Caption).filter_map(|caption| captioned(page, caption, &mut things)).collect();
    let area = page.width * page.height;
    let left = things.iter().filter(|(_, bbox, taken)| !taken && size(*bbox) >= LARGE * area && !inside(*bbox, &found));
    let bare: Vec<Region> = left
        .map(|(kind, bbox, _)| Region {
            kind: *kind,
            bbox: with_labels(page, *bbox),
            caption: None,
            caption_bbox: None,
        })
        .collect();
    found.extend(bare);
    found.sort_by(|a, b| a.bbox[1].total_cmp(&b.bbox[1]).then(a.bbox[0].total_cmp(&b.bbox[0])));
    found
}

fn blocks(page: &Page, kind: BlockKind) -> impl Iterator<Item = &Block> {
    page.blocks.iter().filter(move |block| block.kind == kind)
}

/// The region a caption names; what it takes is marked as taken.
fn captioned(page: &Page, caption: &Block, things: &mut [(CropKind, Bbox, bool)]) -> Option<Region> {
    let text = words(caption);
    let kind = if text.to_lowercase().starts_with("tab") { CropKind::Table } else { CropKind::Figure };
    let reach = |bbox: &Bbox| (shared(*bbox, caption.bbox) >= SHARED).then(|| gap(*bbox, caption.bbox));
    // A table's caption prefers a table, a figure's a drawing.
    let near = things.iter().enumerate().filter(|(_, (_, _, taken))| !taken).filter_map(|(at, (other, bbox, _))| {
        let gap = reach(bbox).filter(|gap| *gap < REACH)?;
        Some((*other != kind, gap, at))
    });
    let best = near.min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    let bbox = match best {
        Some((_, _, at)) => {
            things[at].2 = true;
            let mut bbox = with_labels(page, things[at].1);
            // Parts of one figure: drawings beside it on the same side of the caption.
            for (other, part, taken) in things.iter_mut().filter(|(_, _, taken)| !*taken) {
                if *other == kind && reach(part).is_some_and(|gap| gap < REACH) && touches(*part, bbox, LABELS) {
                    *taken = true;
                    bbox = joined(bbox, *part);
                }
            }
            bbox
        }
        None => beside(page, caption)?,
    };
    Some(Region { kind, bbox, caption: Some(text), caption_bbox: Some(caption.bbox) })
}

/// The text block nearest to a caption: a listing, a table without rules.
fn beside(page: &Page, caption: &Block) -> Option<Bbox> {
    let text = |block: &&Block| !matches!(block.kind, BlockKind::Caption | BlockKind::Header | BlockKind::Footer);
    let near = page.blocks.iter().filter(text).filter(|block| shared(block.bbox, caption.bbox) >= SHARED);
    let near = near.map(|block| (gap(block.bbox, caption.bbox), block.bbox)).filter(|(gap, _)| *gap < NEAR);
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

fn inside(bbox: Bbox, regions: &[Region]) -> bool {
    let common = |a: Bbox, b: Bbox| size([a[0].max(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].min(b[3])]);
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
        let found = regions(&page);
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
        let found = regions(&page);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].bbox, found[0].kind), ([60.0, 100.0, 280.0, 200.0], CropKind::Figure));
    }
}
