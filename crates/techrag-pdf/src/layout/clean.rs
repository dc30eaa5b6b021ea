//! Glyphs that a reader of the page would not see, or would see once.

use crate::glyphs::{Glyph, Raw, Text};
use std::collections::{HashMap, HashSet};

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
    raw.glyphs.retain(|glyph| on_page(glyph, width, height));
    if raw.glyphs.iter().any(|glyph| glyph.invisible) {
        drop_covered(&mut raw.glyphs);
    }
    drop_doubles(&mut raw.glyphs);
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
fn drop_doubles(glyphs: &mut Vec<Glyph>) {
    let mut seen: HashMap<(Option<char>, i32, i32), usize> = HashMap::with_capacity(glyphs.len());
    let mut doubled = Vec::new();
    for (index, glyph) in glyphs.iter().enumerate() {
        if glyph.text.is_blank() || glyph.text == Text::Unknown {
            continue;
        }
        let first = glyph.text.first();
        let (x, y) = cell(glyph.x, glyph.y, glyph.size.max(1.0));
        let near = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy)));
        let twin = near.into_iter().find_map(|(dx, dy)| {
            let at = *seen.get(&(first, x.saturating_add(dx), y.saturating_add(dy)))?;
            same(&glyphs[at], glyph).then_some(at)
        });
        match twin {
            Some(twin) => doubled.push((twin, index)),
            None => {
                seen.insert((first, x, y), index);
            }
        }
    }
    for &(twin, _) in &doubled {
        glyphs[twin].style.bold = true;
    }
    let gone: HashSet<usize> = doubled.into_iter().map(|(_, index)| index).collect();
    if !gone.is_empty() {
        let mut index = 0;
        glyphs.retain(|_| {
            index += 1;
            !gone.contains(&(index - 1))
        });
    }
}

fn same(a: &Glyph, b: &Glyph) -> bool {
    let near = DOUBLE * a.size;
    a.text == b.text && (a.x - b.x).abs() < near && (a.y - b.y).abs() < near && (a.size - b.size).abs() < near
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
