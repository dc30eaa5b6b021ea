//! Glyphs that a reader of the page would not see, or would see once.

use crate::glyphs::{Glyph, Raw, Text};
use std::collections::HashSet;

/// Two equal glyphs nearer than this share of their size are one glyph drawn twice (fake bold, shadows).
/// The narrowest letters advance by a fifth of the size.
const DOUBLE: f32 = 0.12;
/// How far outside the page a glyph may stand, in points; further out it is cut off.
const OUTSIDE: f32 = 4.0;
/// Side of the cells in points in which visible text hides an invisible layer.
const CELL: f32 = 8.0;

/// Drops glyphs off the page, doubled ones, and the invisible ones under visible text.
pub(super) fn clean(raw: &mut Raw) {
    let (width, height) = (raw.width, raw.height);
    raw.glyphs.retain(|glyph| glyph.text.first().is_some() && on_page(glyph, width, height));
    if raw.glyphs.iter().any(|glyph| glyph.invisible) {
        drop_covered(&mut raw.glyphs);
    }
    drop_doubles(&mut raw.glyphs, width, height);
}

fn on_page(glyph: &Glyph, width: f32, height: f32) -> bool {
    let x = f32::midpoint(glyph.x, glyph.end.0);
    let y = f32::midpoint(glyph.y, glyph.end.1);
    (-OUTSIDE..=width + OUTSIDE).contains(&x) && (-OUTSIDE..=height + OUTSIDE).contains(&y) && glyph.size > 0.1
}

fn cell(x: f32, y: f32, side: f32) -> (i32, i32) {
    #[expect(clippy::cast_possible_truncation, reason = "a cell of a page; the cast saturates")]
    let index = |value: f32| (value / side).floor() as i32;
    (index(x), index(y))
}

fn drop_covered(glyphs: &mut Vec<Glyph>) {
    let place = |glyph: &Glyph| cell(f32::midpoint(glyph.x, glyph.end.0), glyph.y - glyph.size / 4.0, CELL);
    let covered: HashSet<(i32, i32)> =
        glyphs.iter().filter(|glyph| !glyph.invisible && !glyph.text.is_blank()).map(place).collect();
    glyphs.retain(|glyph| !glyph.invisible || !covered.contains(&place(glyph)));
}

/// Keeps the first of glyphs drawn on top of each other and makes it bold.
fn drop_doubles(glyphs: &mut Vec<Glyph>, width: f32, height: f32) {
    let mut grid = Grid::new(width, height, glyphs.len());
    let mut gone = vec![false; glyphs.len()];
    for index in 0..glyphs.len() {
        let glyph = &glyphs[index];
        if glyph.text.is_blank() || glyph.text == Text::Unknown {
            continue;
        }
        let follows = |other: usize| other + 1 == index && follows(&glyphs[other], glyph);
        let twin = grid.near(glyph, DOUBLE * glyph.em).find(|&other| same(&glyphs[other], glyph) && !follows(other));
        match twin {
            Some(twin) => {
                glyphs[twin].style.bold = true;
                gone[index] = true;
            }
            None => grid.insert(&glyphs[index], index),
        }
    }
    if gone.contains(&true) {
        let mut gone = gone.into_iter();
        glyphs.retain(|_| gone.next() != Some(true));
    }
}

/// Glyphs by place: lists through the cells of the page. Hashing every glyph costs more than the rest of cleaning.
struct Grid {
    side: f32,
    columns: usize,
    rows: usize,
    /// The last glyph in each cell, plus one; 0 where there is none.
    heads: Vec<u32>,
    /// For each glyph the one before it in its cell, plus one.
    before: Vec<u32>,
}

impl Grid {
    fn new(width: f32, height: f32, glyphs: usize) -> Self {
        // At most 500 cells a side, however large the page says it is.
        let side = (width.max(height) / 500.0).max(4.0);
        let cells = |length: f32| usize::try_from(cell(length, 0.0, side).0.max(0)).unwrap_or(0).min(500) + 1;
        let (columns, rows) = (cells(width), cells(height));
        Self { side, columns, rows, heads: vec![0; columns * rows], before: vec![0; glyphs] }
    }

    /// Column and row of a place, the outermost where it is off the page.
    fn at(&self, x: f32, y: f32) -> (usize, usize) {
        let (column, row) = cell(x, y, self.side);
        let clamp = |value: i32, most: usize| usize::try_from(value.max(0)).unwrap_or(0).min(most - 1);
        (clamp(column, self.columns), clamp(row, self.rows))
    }

    fn insert(&mut self, glyph: &Glyph, index: usize) {
        let (column, row) = self.at(glyph.x, glyph.y);
        let head = &mut self.heads[row * self.columns + column];
        self.before[index] = *head;
        *head = u32::try_from(index + 1).unwrap_or(0);
    }

    /// Glyphs in the cells within `reach` points.
    fn near(&self, glyph: &Glyph, reach: f32) -> impl Iterator<Item = usize> {
        let (x0, y0) = self.at(glyph.x - reach, glyph.y - reach);
        let (x1, y1) = self.at(glyph.x + reach, glyph.y + reach);
        let cells = (y0..=y1).flat_map(move |row| (x0..=x1).map(move |column| row * self.columns + column));
        cells.flat_map(|cell| {
            let previous = |&link: &u32| Some(self.before[usize::try_from(link).ok()? - 1]).filter(|&link| link != 0);
            let first = Some(self.heads[cell]).filter(|&link| link != 0);
            std::iter::successors(first, previous).filter_map(|link| Some(usize::try_from(link).ok()? - 1))
        })
    }
}

fn same(a: &Glyph, b: &Glyph) -> bool {
    let near = DOUBLE * a.size;
    let beside = (a.x - b.x).abs() < DOUBLE * a.em.min(a.size);
    a.text == b.text && beside && (a.y - b.y).abs() < near && (a.size - b.size).abs() < near
}

/// Whether a letter stands where the one drawn before it says, as the second of two in text that is squeezed.
fn follows(before: &Glyph, next: &Glyph) -> bool {
    let there = (before.end.0 + before.spacing - next.x).hypot(before.end.1 - next.y);
    there < 0.05 * next.em && (next.x - before.x).hypot(next.y - before.y) > 0.02 * next.em
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glyphs::Style;

    fn glyph(c: char, x: f32) -> Glyph {
        let style = Style::default();
        Glyph {
            text: Text::One(c),
            x,
            y: 50.0,
            end: (x + 5.0, 50.0),
            size: 10.0,
            em: 10.0,
            spacing: 0.0,
            style,
            invisible: false,
            artifact: false,
        }
    }

    fn raw(glyphs: Vec<Glyph>) -> Raw {
        Raw { width: 100.0, height: 100.0, glyphs, ..Raw::default() }
    }

    #[test]
    fn fake_bold_is_one_bold_glyph_and_ll_stays_two() {
        let mut page = raw(vec![glyph('a', 10.0), glyph('a', 10.4), glyph('l', 20.0), glyph('l', 22.5)]);
        clean(&mut page);
        let kept: Vec<_> = page.glyphs.iter().map(|g| (g.x, g.style.bold)).collect();
        assert_eq!(kept, [(10.0, true), (20.0, false), (22.5, false)]);
    }

    #[test]
    fn invisible_text_stays_only_where_nothing_else_is() {
        let hidden = |c, x| Glyph { invisible: true, ..glyph(c, x) };
        let mut page = raw(vec![glyph('a', 10.0), hidden('b', 10.5), hidden('c', 60.0)]);
        clean(&mut page);
        assert_eq!(page.glyphs.iter().map(|g| g.x).collect::<Vec<_>>(), [10.0, 60.0]);
    }

    #[test]
    fn off_the_page_is_gone() {
        let mut page = raw(vec![glyph('a', 150.0), glyph('b', -30.0), glyph('c', 1.0)]);
        clean(&mut page);
        assert_eq!(page.glyphs.len(), 1);
    }
}
