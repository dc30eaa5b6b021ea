//! Rows: the fragments that stand side by side on one line of a column, superscripts and subscripts gathered in.

use super::fragment::{Fragment, SMALL, join, same_line};
use crate::glyphs::Glyph;
use crate::page::Bbox;

/// How far in em a superscript may stand from the row it belongs to.
const ADJACENT: f32 = 0.7;
/// Gap between cells in em; justified text has none so wide.
const CELLS: f32 = 0.9;
/// Share of its width by which a fragment may overlap another of its row.
const OVERLAP: f32 = 0.35;

/// Fragments on one line, from left to right.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Its fragments; gaps between them are wider than between words, or they overlap as formula parts do.
    pub parts: Vec<Fragment>,
    /// Box of all.
    pub bbox: Bbox,
    /// Base line of most of its glyphs.
    pub base: f32,
    /// Size of most of its glyphs.
    pub size: f32,
    /// Position in the content of its first glyph.
    pub order: usize,
    /// Glyphs of its longest fragment; looked up again, rows of thousands would take time by their square.
    pub most: usize,
}

impl Row {
    /// A row of one fragment.
    pub(super) fn alone(part: Fragment) -> Self {
        let order = part.glyphs.first().copied().unwrap_or(0);
        let most = part.glyphs.len();
        Self { bbox: part.bbox, base: part.base, size: part.size, order, most, parts: vec![part] }
    }

    /// A row of these fragments; `None` where there are none.
    pub(super) fn of(parts: Vec<Fragment>) -> Option<Self> {
        let mut parts = parts.into_iter();
        let mut row = Self::alone(parts.next()?);
        parts.for_each(|part| row.push(part));
        row.parts.sort_by(|a, b| a.bbox[0].total_cmp(&b.bbox[0]));
        Some(row)
    }

    fn push(&mut self, part: Fragment) {
        if part.glyphs.len() > self.most {
            (self.base, self.size) = (part.base, part.size);
            self.most = part.glyphs.len();
        }
        self.order = self.order.min(part.glyphs.first().copied().unwrap_or(self.order));
        self.bbox = join(self.bbox, part.bbox);
        self.parts.push(part);
    }

    /// Takes in the parts of another row; base line and size stay.
    pub(super) fn absorb(&mut self, other: Self) {
        let (base, size) = (self.base, self.size);
        other.parts.into_iter().for_each(|part| self.push(part));
        (self.base, self.size) = (base, size);
        self.parts.sort_by(|a, b| a.bbox[0].total_cmp(&b.bbox[0]));
    }

    /// How many glyphs it has.
    pub(super) fn len(&self) -> usize {
        self.parts.iter().map(|part| part.glyphs.len()).sum()
    }

    /// Width in points.
    pub(super) fn width(&self) -> f32 {
        self.bbox[2] - self.bbox[0]
    }

    /// Fragments that stand apart by more than the widest space of justified text, as indices of their first part.
    pub(super) fn cells(&self) -> Vec<std::ops::Range<usize>> {
        let mut cells: Vec<std::ops::Range<usize>> = Vec::new();
        let mut end = f32::NEG_INFINITY;
        for (index, part) in self.parts.iter().enumerate() {
            match cells.last_mut() {
                Some(cell) if part.bbox[0] - end < CELLS * self.size => cell.end = index + 1,
                _ => cells.push(index..index + 1),
            }
            end = end.max(part.bbox[2]);
        }
        cells
    }

    /// The same row with its parts cut where they leave room for a cell's end: spaces that no justified line has.
    pub(super) fn parted(&self, glyphs: &[Glyph]) -> Self {
        let parts = self.parts.iter().flat_map(|part| part.parted(CELLS * self.size, glyphs)).collect();
        Self { parts, ..self.clone() }
    }

    /// Box of a range of its parts.
    pub(super) fn cell_box(&self, cell: &std::ops::Range<usize>) -> Bbox {
        let boxes = self.parts[cell.clone()].iter().map(|part| part.bbox);
        boxes.reduce(join).unwrap_or(self.bbox)
    }

    fn has_room_for(&self, part: &Fragment) -> bool {
        let room = |own: &Fragment| {
            let overlap = own.bbox[2].min(part.bbox[2]) - own.bbox[0].max(part.bbox[0]);
            // What the content draws next goes on in the row, under the exponent that ends what came before.
            let follows = own.glyphs.last().map(|last| last + 1) == part.glyphs.first().copied();
            follows || overlap < OVERLAP * own.width().min(part.width()).max(1.0)
        };
        let beside = part.bbox[0] >= self.bbox[2] || part.bbox[2] <= self.bbox[0];
        beside || self.parts.iter().all(room)
    }
}

/// The rows of one column (or of any set of fragments), top to bottom.
pub(super) fn rows(mut fragments: Vec<Fragment>) -> Vec<Row> {
    fragments.sort_by(|a, b| a.base.total_cmp(&b.base).then(a.bbox[0].total_cmp(&b.bbox[0])));
    let mut rows: Vec<Row> = Vec::new();
    for part in fragments {
        let recent = rows.len().saturating_sub(12);
        let home = rows[recent..].iter_mut().rev().find(|row| {
            let ratio = row.size.min(part.size) / row.size.max(part.size);
            ratio > SMALL && same_line(row.base, row.size, part.base, part.size) && row.has_room_for(&part)
        });
        match home {
            Some(row) => row.push(part),
            None => rows.push(Row::alone(part)),
        }
    }
    for row in &mut rows {
        row.parts.sort_by(|a, b| a.bbox[0].total_cmp(&b.bbox[0]));
    }
    gather_scripts(rows)
}

/// Joins rows of small glyphs to the row whose superscripts or subscripts they are.
fn gather_scripts(rows: Vec<Row>) -> Vec<Row> {
    let mut homes: Vec<usize> = (0..rows.len()).collect();
    for (index, row) in rows.iter().enumerate() {
        let from = index.saturating_sub(12);
        let near = (from..rows.len().min(index + 12)).filter(|&other| other != index);
        let fits = near.filter(|&other| is_script_of(row, &rows[other]));
        let floating = row.parts.iter().all(|part| part.floating);
        let best = fits.min_by(|&a, &b| {
            // Floating symbols hang a third of an em above their base line on average.
            let lift = if floating { 0.35 * row.size } else { 0.0 };
            let distance = |other: usize| (rows[other].base - row.base - lift).abs();
            // A sum or product stands between the glyphs of its row, not on those of the row above, and is as large.
            let small = |other: usize| rows[other].size < SMALL * row.size;
            let room = |other: usize| !small(other) && row.parts.iter().all(|part| rows[other].has_room_for(part));
            let crowded = |other: usize| floating && !room(other);
            crowded(a).cmp(&crowded(b)).then(distance(a).total_cmp(&distance(b)))
        });
        homes[index] = best.unwrap_or(index);
    }
    merge(rows, &homes)
}

fn is_script_of(row: &Row, other: &Row) -> bool {
    if row.parts.iter().all(|part| part.floating) && row.len() <= 4 {
        return floats_over(row, other);
    }
    let reach = ADJACENT * other.size;
    row.size < SMALL * other.size
        && same_line(other.base, other.size, row.base, row.size)
        && row.width() < other.width().max(3.0 * other.size)
        && row.bbox[0] > other.bbox[0] - reach
        && row.bbox[0] < other.bbox[2] + reach
        && row.bbox[2] < other.bbox[2] + 4.0 * other.size
}

/// Whether a row of accents, radicals or brackets belongs to the row under it: closely above, within its ends.
fn floats_over(row: &Row, other: &Row) -> bool {
    let up = (other.base - row.base) / other.size;
    let text = other.parts.iter().any(|part| !part.floating);
    // A radical may open the row that it is over.
    let within = row.bbox[2] > other.bbox[0] - 0.6 * other.size && row.bbox[0] < other.bbox[2] + 0.6 * other.size;
    text && within && (-0.6..1.15).contains(&up) && row.size < 1.6 * other.size && row.size > 0.5 * other.size
}

/// Each row joined to its home; a home that itself has a home hands on.
fn merge(rows: Vec<Row>, homes: &[usize]) -> Vec<Row> {
    // Where homes lead in a circle each row stays by itself.
    let settle = |index: usize| {
        let next = |&at: &usize| Some(homes[at]).filter(|&home| home != at);
        let chain: Vec<usize> = std::iter::successors(Some(index), next).take(homes.len() + 1).collect();
        chain.last().copied().filter(|&last| homes[last] == last).unwrap_or(index)
    };
    let mut slots: Vec<Option<Row>> = rows.into_iter().map(Some).collect();
    for index in 0..slots.len() {
        let home = settle(index);
        if home != index
            && let Some(row) = slots[index].take()
            && let Some(home) = slots[home].as_mut()
        {
            home.absorb(row);
        }
    }
    let mut rows: Vec<Row> = slots.into_iter().flatten().collect();
    rows.sort_by(|a, b| a.base.total_cmp(&b.base).then(a.bbox[0].total_cmp(&b.bbox[0])));
    rows
}

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_that_would_join_each_other_stay() {
        let rows: Vec<Row> = fragments(&[line("a", 10.0, 50.0, 10.0), line("b", 10.0, 90.0, 10.0)].concat())
            .into_iter()
            .map(Row::alone)
            .collect();
        assert_eq!(merge(rows, &[1, 0]).len(), 2);
    }

    #[test]
    fn a_product_joins_the_row_that_has_room_for_it() {
        let mut glyphs = line("a line of text without a gap over it", 10.0, 88.0, 10.0);
        glyphs.extend(line("as", 10.0, 100.0, 10.0));
        glyphs.extend(line("∏", 32.0, 92.5, 10.0));
        glyphs.extend(line("of kernels", 40.0, 100.0, 10.0));
        let rows = rows(fragments(&glyphs));
        assert_eq!(rows.iter().map(Row::len).collect::<Vec<_>>(), [28, 12]);
    }

    #[test]
    fn stacked_scripts_join_their_row() {
        let mut glyphs = line("x", 10.0, 100.0, 10.0);
        glyphs.extend(line("2", 15.0, 96.0, 7.0));
        glyphs.extend(line("i", 15.0, 102.5, 7.0));
        glyphs.extend(line("= y", 22.0, 100.0, 10.0));
        glyphs.extend(line("next", 10.0, 112.0, 10.0));
        let rows = rows(fragments(&glyphs));
        assert_eq!(rows.iter().map(Row::len).collect::<Vec<_>>(), [5, 4]);
    }

    proptest! {
        #[test]
        fn no_glyph_is_lost(places in prop::collection::vec((0f32..500.0, 0f32..700.0, 5f32..15.0), 0..80)) {
            let glyphs: Vec<_> = places.iter().flat_map(|&(x, y, size)| line("ab", x, y, size)).collect();
            let mut seen: Vec<usize> =
                rows(fragments(&glyphs)).iter().flat_map(|row| row.parts.iter().flat_map(|p| p.glyphs.clone())).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..glyphs.len()).collect::<Vec<_>>());
        }
    }
}
