//! Words as the content draws them, before any layout: what is dropped of a page is dropped by words, so that no letters
//! of theirs are left, and what is lost is counted.

use crate::glyphs::Glyph;
use std::ops::Range;

/// Widest gap between letters of a word, in em.
const GAP: f32 = 0.17;
/// Furthest step back within a word, in em: kerning and accents.
const BACK: f32 = 0.6;
/// Furthest step up or down within a word, in em.
const STEP: f32 = 0.4;

/// Ranges of glyphs that make words, blanks between them left out.
pub(super) fn words(glyphs: &[Glyph]) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for (index, glyph) in glyphs.iter().enumerate() {
        if glyph.text.is_blank() {
            open = false;
            continue;
        }
        match words.last_mut().filter(|_| open) {
            Some(word) if goes_on(&glyphs[index - 1], glyph) => word.end = index + 1,
            _ => words.push(index..index + 1),
        }
        open = true;
    }
    words
}

/// Whether a glyph stands where the one before it ends, whichever way both run.
fn goes_on(before: &Glyph, next: &Glyph) -> bool {
    let (dx, dy) = (before.end.0 - before.x, before.end.1 - before.y);
    let length = dx.hypot(dy);
    // Along the line of the one before and across it; a glyph without advance says nothing of its line.
    let (ux, uy) = if length > 1e-3 { (dx / length, dy / length) } else { (1.0, 0.0) };
    let (gx, gy) = (next.x - before.end.0, next.y - before.end.1);
    let (along, across) = (gx * ux + gy * uy - before.spacing, gx * uy - gy * ux);
    let em = before.size.max(next.size);
    (-BACK * em..=GAP * em).contains(&along) && across.abs() < STEP * em && before.invisible == next.invisible
}

/// What a word says.
pub(super) fn text(glyphs: &[Glyph]) -> String {
    glyphs.iter().fold(String::new(), |mut text, glyph| {
        glyph.text.push_to(&mut text);
        text
    })
}

/// How many words there are, signs by themselves aside.
pub(super) fn count(glyphs: &[Glyph]) -> usize {
    words(glyphs).into_iter().filter(|word| text(&glyphs[word.clone()]).chars().any(char::is_alphanumeric)).count()
}

/// Keeps the glyphs whose flag is not set.
pub(super) fn retain(glyphs: &mut Vec<Glyph>, gone: &[bool]) {
    let mut gone = gone.iter();
    glyphs.retain(|_| gone.next() != Some(&true));
}
