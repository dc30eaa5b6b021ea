//! From glyphs to blocks in reading order.
//!
//! The order of the content is usually right and breaks ties; geometry decides where columns are, what spans them and
//! what belongs together. Every step works on a page turned so that its main text runs from left to right.

mod accent;
mod beside;
mod bidi;
mod block;
mod clean;
mod columns;
pub(crate) mod document;
mod doubles;
mod figure;
mod footnote;
mod formula;
mod fragment;
mod frame;
mod furniture;
mod grid;
mod halves;
mod head;
mod kind;
mod label;
mod listing;
mod margin;
mod order;
mod row;
mod ruling;
mod runs;
mod shading;
mod slant;
mod spaced;
mod table;
mod words;
mod wrapped;

use crate::glyphs::{Glyph, Raw, Text};
use crate::page::{Bbox, Block, BlockKind, LeftOut, Outcome, Page};
use frame::Frame;
use kind::Context;
use row::Row;

/// A page's glyphs as blocks. Number and reader are left to the caller.
pub(crate) fn page(mut raw: Raw) -> Page {
    let hidden = std::mem::take(&mut raw.hidden);
    let mut left_out = LeftOut { hidden: words::count(&hidden), ..LeftOut::default() };
    clean::clean(&mut raw, &mut left_out);
    let layers = layers(&mut raw, &mut left_out);
    let unknown = raw.glyphs.iter().filter(|glyph| glyph.text == Text::Unknown).count();
    let shown = raw.glyphs.iter().filter(|glyph| !glyph.text.is_blank()).count();
    let mut blocks = all_directions(&raw);
    for glyphs in layers {
        let over = all_directions(&Raw { glyphs, ..raw.clone() });
        blocks.extend(over.into_iter().map(|block| Block { is_overlay: true, ..block }));
    }
    let tables: Vec<Bbox> =
        blocks.iter().filter(|block| block.kind == BlockKind::Table).map(|block| block.bbox).collect();
    let graphics =
        figure::areas(&raw).into_iter().filter(|area| !tables.iter().any(|table| shading::covers(*table, *area)));
    let graphics: Vec<Bbox> = graphics.collect();
    let outcome = if shown == 0 { Outcome::NoText { images: !raw.images.is_empty() } } else { Outcome::Text };
    Page {
        width: raw.width,
        height: raw.height,
        blocks,
        graphics: graphics.into_iter().map(hundredths).collect(),
        outcome,
        is_covered: figure::covers(&raw),
        unknown_glyphs: share(unknown, shown),
        left_out,
        ..Page::default()
    }
}

/// Most texts at one place that are read; the words of further ones are counted.
const LAYERS: usize = 4;

/// Takes texts that are drawn over others out, each to be read by itself.
fn layers(raw: &mut Raw, left_out: &mut LeftOut) -> Vec<Vec<Glyph>> {
    let (width, height) = (raw.width, raw.height);
    let over = doubles::split(&mut raw.glyphs, width, height);
    left_out.covered += over.lost;
    let mut layers: Vec<Vec<Glyph>> = Vec::new();
    let mut next = over.layer;
    while !next.is_empty() && layers.len() + 1 < LAYERS {
        let over = doubles::split(&mut next, width, height);
        left_out.covered += over.lost;
        layers.push(std::mem::replace(&mut next, over.layer));
    }
    left_out.covered += words::count(&next);
    layers
}

/// Blocks of a page's glyphs, whichever way they run.
fn all_directions(raw: &Raw) -> Vec<Block> {
    let mut blocks = Vec::new();
    let directions = slant::split(raw);
    // Where no direction has half of the text, none is the page's.
    let is_mixed = directions.first().is_some_and(|(_, glyphs)| glyphs.len() * 2 < raw.glyphs.len());
    for (index, (frame, glyphs)) in directions.into_iter().enumerate() {
        let small = !is_mixed && glyphs.len() * 3 < raw.glyphs.len();
        let mut turned = frame.page(raw, glyphs);
        accent::compose_all(&mut turned.glyphs);
        let found = upright(&turned);
        blocks.extend(found.into_iter().map(|block| turn_back(block, frame, index > 0 && small)));
    }
    blocks
}

#[expect(clippy::cast_precision_loss, reason = "a share of the glyphs of a page")]
fn share(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}

/// Blocks of a page whose text runs from left to right.
fn upright(raw: &Raw) -> Vec<Block> {
    let glyphs = &raw.glyphs;
    let (fragments, numbers) = margin::line_numbers(fragment::fragments(glyphs), glyphs, &raw.rules);
    let mut figures = figure::areas(raw);
    figures.retain(|area| !shading::is_shaded(*area, raw, &fragments));
    let tables = table::regions(raw, &fragments, &figures);
    let outside: Vec<_> =
        fragments.iter().filter(|part| !tables.iter().any(|table| table.holds(part))).cloned().collect();
    let edges = columns::edges(&outside, raw.width);
    let context = context(figures, &outside, &edges, glyphs);
    let stretches = order::stretches(fragments, &edges, &tables, glyphs);
    let mut drafts = block::blocks(stretches, glyphs, &tables, &context);
    formula::gather(&mut drafts);
    footnote::mark(&mut drafts, &raw.rules, raw.height, &context);
    let mut blocks: Vec<Block> = drafts.iter().map(|draft| block::finish(draft, glyphs, &tables)).collect();
    blocks.extend(margin_block(numbers, glyphs));
    blocks.retain(|block| block.lines.iter().any(|line| !line.runs.is_empty()));
    blocks
}

fn margin_block(numbers: Vec<fragment::Fragment>, glyphs: &[Glyph]) -> Option<Block> {
    let rows: Vec<Row> = row::rows(numbers);
    let bbox = rows.iter().map(|row| row.bbox).reduce(fragment::join)?;
    let lines = rows.iter().map(|row| runs::line(row, glyphs)).collect();
    Some(Block { kind: BlockKind::Marginal, bbox, lines, ..Block::default() })
}

fn context(figures: Vec<Bbox>, fragments: &[fragment::Fragment], edges: &[f32], glyphs: &[Glyph]) -> Context {
    let mut sizes: Vec<(i32, usize)> = Vec::new();
    for part in fragments {
        #[expect(clippy::cast_possible_truncation, reason = "a font size in half points; the cast saturates")]
        let size = (part.size * 2.0).round() as i32;
        match sizes.iter_mut().find(|(known, _)| *known == size) {
            Some((_, count)) => *count += part.glyphs.len(),
            None => sizes.push((size, part.glyphs.len())),
        }
    }
    let body = sizes
        .iter()
        .max_by_key(|(size, count)| (*count, *size))
        .map_or(10.0, |(size, _)| f32::from(i16::try_from(*size).unwrap_or(i16::MAX)) / 2.0);
    let right = fragments.iter().map(|part| part.bbox[2]).fold(0.0, f32::max);
    let left = edges.first().copied().unwrap_or(0.0);
    let column = match edges {
        [first, second, ..] => second - first - 10.0,
        _ => right - left,
    };
    Context { body, column, figures, has_listings: listing::stand_out(fragments, glyphs) }
}

/// Hundredths of a point are finer than any use, and cost half the bytes on the pipe.
fn hundredths(bbox: Bbox) -> Bbox {
    bbox.map(|value| (value * 100.0).round() / 100.0)
}

/// A block of a turned page as it stands on the page. Little text in another direction than the page's is a label of
/// a figure or something along the margin.
fn turn_back(mut block: Block, frame: Frame, aside: bool) -> Block {
    let place = |bbox| hundredths(frame.bbox_back(bbox));
    block.bbox = place(block.bbox);
    for line in &mut block.lines {
        line.bbox = place(line.bbox);
    }
    if aside && block.kind != BlockKind::FigureText {
        block.kind = BlockKind::Marginal;
        block.cells.clear();
    }
    block
}
