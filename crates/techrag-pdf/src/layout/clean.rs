//! Glyphs that a reader of the page would not see.

use super::words::{retain, text, words};
use crate::glyphs::{Glyph, Raw};
use crate::page::LeftOut;
use std::collections::HashSet;

/// How far outside the page a glyph may stand, in points; further out it is cut off.
const OUTSIDE: f32 = 4.0;
/// Side of the cells in points in which visible text hides an invisible layer.
const CELL: f32 = 8.0;

/// Drops glyphs off the page, and the invisible ones under visible text; counts the words that are in the text no more.
pub(super) fn clean(raw: &mut Raw, left_out: &mut LeftOut) {
    let (width, height) = (raw.width, raw.height);
    raw.glyphs.retain(|glyph| glyph.text.first().is_some());
    let outside: Vec<bool> = raw.glyphs.iter().map(|glyph| !on_page(glyph, width, height)).collect();
    if outside.contains(&true) {
        let off = words(&raw.glyphs).into_iter().filter(|word| outside[word.clone()].iter().all(|&outside| outside));
        left_out.off_page += off.filter(|word| raw.glyphs[word.start].size > 0.1).count();
        retain(&mut raw.glyphs, &outside);
    }
    if raw.glyphs.iter().any(|glyph| glyph.invisible) {
        left_out.covered += drop_covered(&mut raw.glyphs);
    }
}

fn on_page(glyph: &Glyph, width: f32, height: f32) -> bool {
    let x = f32::midpoint(glyph.x, glyph.end.0);
    let y = f32::midpoint(glyph.y, glyph.end.1);
    (-OUTSIDE..=width + OUTSIDE).contains(&x) && (-OUTSIDE..=height + OUTSIDE).contains(&y) && glyph.size > 0.1
}

fn cell(x: f32, y: f32) -> (i32, i32) {
    #[expect(clippy::cast_possible_truncation, reason = "a cell of a page; the cast saturates")]
    let index = |value: f32| (value / CELL).floor() as i32;
    (index(x), index(y))
}

/// Drops invisible words that stand half or more under visible text; how many of them the visible text does not have.
fn drop_covered(glyphs: &mut Vec<Glyph>) -> usize {
    let place = |glyph: &Glyph| cell(f32::midpoint(glyph.x, glyph.end.0), glyph.y - glyph.size / 4.0);
    let covered: HashSet<(i32, i32)> =
        glyphs.iter().filter(|glyph| !glyph.invisible && !glyph.text.is_blank()).map(place).collect();
    if covered.is_empty() {
        return 0;
    }
    let words = words(glyphs);
    let seen: HashSet<String> =
        words.iter().filter(|word| !glyphs[word.start].invisible).map(|word| text(&glyphs[word.clone()])).collect();
    let mut gone = vec![false; glyphs.len()];
    let mut lost = 0;
    for word in words.into_iter().filter(|word| glyphs[word.start].invisible) {
        let under = glyphs[word.clone()].iter().filter(|glyph| covered.contains(&place(glyph))).count();
        if under * 2 >= word.len() {
            lost += usize::from(!seen.contains(&text(&glyphs[word.clone()])));
            gone[word].fill(true);
        }
    }
    retain(glyphs, &gone);
    lost
}

#[cfg(test)]
mod tests {
    use super::super::fragment::tests::line;
    use super::*;

    fn hidden(text: &str, x: f32, y: f32) -> Vec<Glyph> {
        line(text, x, y, 10.0).into_iter().map(|glyph| Glyph { invisible: true, ..glyph }).collect()
    }

    fn cleaned(glyphs: Vec<Glyph>) -> (String, LeftOut) {
        let mut page = Raw { width: 300.0, height: 100.0, glyphs, ..Raw::default() };
        let mut left_out = LeftOut::default();
        clean(&mut page, &mut left_out);
        (text(&page.glyphs), left_out)
    }

    #[test]
    fn invisible_words_stay_only_where_nothing_else_is() {
        let page = [line("seen text", 10.0, 50.0, 10.0), hidden("seen next far away", 10.0, 50.0)].concat();
        let (text, left_out) = cleaned(page);
        assert_eq!(text.trim_start_matches("seen text").trim(), "far away");
        assert_eq!((left_out.covered, left_out.off_page), (1, 0));
    }

    #[test]
    fn off_the_page_is_gone_and_counted() {
        let page = [line("two words", 310.0, 50.0, 10.0), line("in", 10.0, 50.0, 10.0), line("up", 10.0, -30.0, 10.0)];
        let (text, left_out) = cleaned(page.concat());
        assert_eq!((text.as_str(), left_out.off_page), ("in", 3));
    }
}
