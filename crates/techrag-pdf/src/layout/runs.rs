//! The text of a row: runs of one font, spaces between words, accents on their letters, scripts marked.

use super::bidi;
use super::fragment::{Fragment, SMALL, WORD};
use super::row::Row;
use crate::glyphs::{Glyph, Style, Text};
use crate::page::{Line, Run, Script};
use unicode_normalization::char::compose;

/// A row as a line of the output. `glyphs` are those of the page.
pub(super) fn line(row: &Row, glyphs: &[Glyph]) -> Line {
    Line { bbox: row.bbox, runs: runs(&ordered(row, glyphs), row, glyphs) }
}

/// The text of some glyphs of a row, raised and lowered digits as such.
pub(super) fn text(placed: &[Placed], row: &Row, glyphs: &[Glyph]) -> String {
    runs(placed, row, glyphs).iter().map(Run::written).collect()
}

/// A glyph in its order and whether white space comes before it.
pub(super) type Placed = (usize, bool);

/// The glyphs of a row in reading order: that of the content where it goes from left to right (a superscript may start
/// where its subscript does), from left to right otherwise.
pub(super) fn ordered(row: &Row, glyphs: &[Glyph]) -> Vec<Placed> {
    let mut parts: Vec<&Fragment> = row.parts.iter().collect();
    parts.sort_by_key(|part| part.glyphs.first());
    let forward = runs_forward(&parts, row);
    if !forward {
        parts.sort_by(|a, b| a.bbox[0].total_cmp(&b.bbox[0]));
    }
    let mut out: Vec<Placed> = Vec::with_capacity(row.len());
    let mut end = f32::NEG_INFINITY;
    // Where the row ended before a part that floats: a wide hat reaches over the space behind its letter.
    let mut under: Option<f32> = None;
    for part in parts {
        let overlaps = part.bbox[0] < end - 0.3 * row.size;
        let gap = part.bbox[0] - end;
        let placed = part.glyphs.iter().zip(&part.spaces).map(|(&glyph, &space)| (glyph, space));
        let first = out.len();
        out.extend(placed);
        if overlaps && !forward {
            weave(&mut out, glyphs);
        } else if first > 0 && gap > WORD * row.size.min(part.size) {
            out[first].1 = true;
        }
        let before = under.take().filter(|_| overlaps).unwrap_or(end);
        under = part.floating.then_some(end);
        end = before.max(part.bbox[2]);
    }
    bidi::logical(out, glyphs)
}

/// Whether parts in content order go on from left to right, scripts stacked at one place allowed.
fn runs_forward(parts: &[&Fragment], row: &Row) -> bool {
    let slack = 0.35 * row.size;
    let (mut start, mut end) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    parts.iter().all(|part| {
        let forward = part.bbox[0] >= start - slack && part.bbox[0] >= end - slack;
        start = part.bbox[0];
        if part.size > SMALL * row.size {
            end = part.bbox[2];
        }
        forward
    })
}

/// Sorts glyphs of overlapping parts from left to right: a subscript may stand in the middle of its row.
fn weave(placed: &mut [Placed], glyphs: &[Glyph]) {
    let spaced: Vec<Placed> = placed.to_vec();
    placed.sort_by(|a, b| glyphs[a.0].x.total_cmp(&glyphs[b.0].x));
    let moved = spaced != placed;
    for index in 1..placed.len() {
        let (before, at) = (&glyphs[placed[index - 1].0], &glyphs[placed[index].0]);
        if moved {
            placed[index].1 = at.x - before.end.0.max(before.x) > WORD * before.size.min(at.size);
        }
    }
}

fn runs(placed: &[Placed], row: &Row, glyphs: &[Glyph]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut before: Option<&Glyph> = None;
    for &(index, space) in placed {
        let glyph = &glyphs[index];
        let script = script(glyph, row);
        let fits = runs.last().is_some_and(|run| fits(run, glyph, script));
        let space = space && before.is_some();
        if !fits {
            if let Some(run) = runs.last_mut().filter(|_| space) {
                run.text.push(' ');
            }
            runs.push(start(glyph.style, glyph.size, script));
        }
        let fits_space = fits && space;
        if let Some(run) = runs.last_mut() {
            if fits_space {
                run.text.push(' ');
            }
            push(&mut run.text, glyph, before.filter(|_| fits && !space));
        }
        before = Some(glyph);
    }
    runs.retain(|run| !run.text.is_empty());
    runs
}

fn start(style: Style, size: f32, script: Script) -> Run {
    let size = (size * 10.0).round() / 10.0;
    Run { text: String::new(), size, bold: style.bold, italic: style.italic, script }
}

fn fits(run: &Run, glyph: &Glyph, script: Script) -> bool {
    run.bold == glyph.style.bold
        && run.italic == glyph.style.italic
        && run.script == script
        && (run.size - glyph.size).abs() < 0.3
}

fn script(glyph: &Glyph, row: &Row) -> Script {
    let raised = (row.base - glyph.y) / row.size;
    if glyph.size > SMALL * row.size && raised.abs() < 0.25 {
        Script::None
    } else if raised > 0.12 {
        Script::Super
    } else if raised < -0.06 {
        Script::Sub
    } else {
        Script::None
    }
}

/// Appends a glyph; an accent drawn over a letter becomes one character with it.
fn push(text: &mut String, glyph: &Glyph, before: Option<&Glyph>) {
    if let (Some(before), Text::One(now)) = (before, &glyph.text)
        && overlap(before, glyph)
        && let Text::One(first) = before.text
        && let Some(composed) = accented(first, *now)
    {
        text.pop();
        text.push(composed);
        return;
    }
    glyph.text.push_to(text);
}

fn overlap(a: &Glyph, b: &Glyph) -> bool {
    let (a0, a1) = (a.x.min(a.end.0), a.x.max(a.end.0));
    let (b0, b1) = (b.x.min(b.end.0), b.x.max(b.end.0));
    let shared = a1.min(b1) - a0.max(b0);
    shared > 0.5 * (a1 - a0).min(b1 - b0) || b1 - b0 < 0.01
}

/// An accent and a letter in either order, as one character.
fn accented(a: char, b: char) -> Option<char> {
    let plain = |c| match c {
        'ı' => 'i',
        'ȷ' => 'j',
        c => c,
    };
    combining(a).and_then(|accent| compose(plain(b), accent)).or_else(|| compose(plain(a), combining(b)?))
}

/// The combining form of a spacing accent.
fn combining(accent: char) -> Option<char> {
    Some(match accent {
        '`' | 'ˋ' => '\u{300}',
        '´' | 'ˊ' | '\'' => '\u{301}',
        '^' | 'ˆ' => '\u{302}',
        '~' | '˜' => '\u{303}',
        '¯' | 'ˉ' => '\u{304}',
        '˘' => '\u{306}',
        '˙' => '\u{307}',
        '¨' => '\u{308}',
        '°' | '˚' => '\u{30a}',
        '˝' => '\u{30b}',
        'ˇ' => '\u{30c}',
        '¸' => '\u{327}',
        '˛' => '\u{328}',
        '\u{300}'..='\u{36f}' => accent,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line as glyphs};
    use super::super::row::rows;
    use super::*;

    fn text(glyphs: &[Glyph]) -> Vec<Line> {
        rows(fragments(glyphs)).iter().map(|row| line(row, glyphs)).collect()
    }

    #[test]
    fn accents_land_on_their_letters() {
        let mut all = glyphs("Poincar", 10.0, 100.0, 10.0);
        all.extend(glyphs("´", 45.0, 100.0, 10.0));
        all.extend(glyphs("e", 45.2, 100.0, 10.0));
        all.extend(glyphs(" map", 50.0, 100.0, 10.0));
        assert_eq!(text(&all)[0].text(), "Poincaré map");
        assert_eq!(accented('¨', 'ı'), Some('ï'));
        assert_eq!(accented('c', '¸'), Some('ç'));
    }

    #[test]
    fn scripts_are_runs_of_their_own() {
        let mut all = glyphs("x", 10.0, 100.0, 10.0);
        all.extend(glyphs("2", 15.0, 96.0, 7.0));
        all.extend(glyphs(" y", 18.5, 100.0, 10.0));
        all.extend(glyphs("i", 28.5, 102.0, 7.0));
        let line = &text(&all)[0];
        assert_eq!(line.text(), "x2 yi");
        assert_eq!(
            line.runs.iter().map(|run| run.script).collect::<Vec<_>>(),
            [Script::None, Script::Super, Script::None, Script::Sub]
        );
    }
}
