//! Drawings told from tables by what fills them: cells are shaded box by box under their words, plots and diagrams are
//! drawn over each other and beside theirs.

use super::fragment::{Fragment, join};
use crate::glyphs::Raw;
use crate::page::Bbox;

/// Share of a region from which a figure in it makes it one.
const FIGURE: f32 = 0.33;
/// Sides of boxes that differ by less than this, in points, are one line.
const ALIKE: f32 = 1.0;
/// As far from each other, in points, cells may be painted.
const TOUCH: f32 = 4.0;
/// More boxes than this are those of a drawing.
const DRAWN: usize = 2000;
/// Share of a region from which it is part of a figure.
const INSIDE: f32 = 0.6;

/// Whether a region between rules is a drawing: mostly inside one of the `figures`, or filled by one.
pub(super) fn is_drawn(region: Bbox, raw: &Raw, fragments: &[Fragment], figures: &[Bbox]) -> bool {
    let fills = |figure: &Bbox| {
        let shared = shared(region, *figure);
        shared > INSIDE * area(region)
            || shared > FIGURE * area(region) && area(join(*figure, region)) < 1.2 * area(region)
    };
    figures.iter().any(fills) && !is_shaded(region, raw, fragments)
}

/// Whether all that is painted in a region is boxes under words, side by side or one over the other as cells are.
pub(super) fn is_shaded(region: Bbox, raw: &Raw, fragments: &[Fragment]) -> bool {
    let within = |bbox: &&Bbox| shared(region, **bbox) > 0.5 * area(**bbox);
    let boxes: Vec<&Bbox> = raw.drawings.iter().filter(within).collect();
    if boxes.len() >= DRAWN {
        return false;
    }
    let words = |bbox: &Bbox| fragments.iter().any(|part| holds(bbox, part));
    let worded = boxes.iter().filter(|bbox| words(bbox)).count();
    let apart = |at: usize| boxes[..at].iter().all(|known| shared(**known, *boxes[at]) < 0.1 * area(*boxes[at]));
    let beside = |at: usize| boxes.iter().enumerate().any(|(other, bbox)| other != at && are_cells(boxes[at], bbox));
    !boxes.is_empty()
        && !raw.images.iter().any(|image| shared(region, *image) > 0.0)
        // Some cells are empty.
        && worded * 4 >= boxes.len() * 3
        && (0..boxes.len()).filter(|&at| !apart(at)).count() * 10 <= boxes.len()
        && (0..boxes.len()).filter(|&at| beside(at)).count() * 4 >= boxes.len() * 3
}

/// Whether two boxes touch along a side of the same ends.
fn are_cells(a: &Bbox, b: &Bbox) -> bool {
    let same = |low: usize| (a[low] - b[low]).abs() < ALIKE && (a[low + 2] - b[low + 2]).abs() < ALIKE;
    let touch = |low: usize| (a[low] - b[low + 2]).abs() < TOUCH || (b[low] - a[low + 2]).abs() < TOUCH;
    same(1) && touch(0) || same(0) && touch(1)
}

/// Whether most of an area is in a table: its shades.
pub(super) fn covers(table: Bbox, other: Bbox) -> bool {
    shared(table, other) > INSIDE * area(other)
}

fn holds(bbox: &Bbox, part: &Fragment) -> bool {
    let (x, y) = (f32::midpoint(part.bbox[0], part.bbox[2]), part.base - 0.3 * part.size);
    (bbox[0]..bbox[2]).contains(&x) && (bbox[1]..bbox[3]).contains(&y)
}

fn area(bbox: Bbox) -> f32 {
    (bbox[2] - bbox[0]).max(0.1) * (bbox[3] - bbox[1]).max(0.1)
}

fn shared(a: Bbox, b: Bbox) -> f32 {
    let side = |low: usize, high: usize| (a[high].min(b[high]) - a[low].max(b[low])).max(0.0);
    side(0, 2) * side(1, 3)
}

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line};
    use super::*;
    use crate::glyphs::Glyph;

    const REGION: Bbox = [50.0, 100.0, 250.0, 160.0];

    fn page(drawings: Vec<Bbox>) -> (Raw, Vec<Glyph>) {
        let rows = (0..5u8).map(|row| 110.0 + 12.0 * f32::from(row));
        let glyphs: Vec<Glyph> =
            rows.flat_map(|y| [line("wheel", 55.0, y, 10.0), line("0.9", 160.0, y, 10.0)].concat()).collect();
        (Raw { width: 600.0, height: 800.0, drawings, ..Raw::default() }, glyphs)
    }

    #[test]
    fn shaded_cells_are_no_drawing_and_curves_are() {
        let cells = (0..5u8).flat_map(|row| {
            let top = 100.0 + 12.0 * f32::from(row);
            [[50.0, top, 150.0, top + 12.0], [150.0, top, 250.0, top + 12.0]]
        });
        let (raw, glyphs) = page(cells.collect());
        assert!(!is_drawn(REGION, &raw, &fragments(&glyphs), &[REGION]));
        let curves = (0..5u8).map(|n| [50.0, 100.0 + f32::from(n), 250.0, 160.0 - f32::from(n)]);
        let (raw, glyphs) = page(curves.collect());
        assert!(is_drawn(REGION, &raw, &fragments(&glyphs), &[REGION]));
        assert!(!is_drawn(REGION, &raw, &fragments(&glyphs), &[[300.0, 100.0, 400.0, 200.0]]));
    }
}
