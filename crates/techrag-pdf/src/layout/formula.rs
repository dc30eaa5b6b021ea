//! Displayed formulas: their numerators, limits and numbers gathered, their parts in the order of the content.

use super::block::Draft;
use super::fragment::Fragment;
use super::kind::Class;
use super::row::Row;
use super::runs::are_apart;
use crate::glyphs::Glyph;
use crate::page::Line;

/// Longest text, in glyphs, that is a part of the formula beside it: a numerator, a number in brackets.
const SHORT: usize = 16;
/// Longest text that is one where it overlaps the height of the formula.
const LONG: usize = 48;

/// Turns short text beside or between formula rows of one zone into parts of the formula, and joins neighbours.
pub(super) fn gather(drafts: &mut Vec<Draft>) {
    for index in 0..drafts.len() {
        let near = |other: Option<&Draft>, length: usize| {
            // Longer text must stand beside the formula, not only next to it.
            let slack = if length <= SHORT { 1.0 } else { -3.0 };
            other.is_some_and(|other| beside(&drafts[index], other, slack))
        };
        let length = drafts[index].rows.iter().map(Row::len).sum::<usize>();
        let part = drafts[index].class == Class::Text
            && length <= LONG
            && (near(index.checked_sub(1).and_then(|before| drafts.get(before)), length)
                || near(drafts.get(index + 1), length));
        if part {
            drafts[index].class = Class::Formula;
        }
    }
    let mut out: Vec<Draft> = Vec::with_capacity(drafts.len());
    for draft in drafts.drain(..) {
        match out.last_mut() {
            Some(last) if draft.class == Class::Formula && beside(&draft, last, 1.0) => last.rows.extend(draft.rows),
            _ => out.push(draft),
        }
    }
    *drafts = out;
}

/// Whether a draft is within `slack` points of the height of a formula of the same zone.
fn beside(draft: &Draft, formula: &Draft, slack: f32) -> bool {
    let height = |draft: &Draft| {
        let top = draft.rows.iter().map(|row| row.bbox[1]).fold(f32::INFINITY, f32::min);
        let bottom = draft.rows.iter().map(|row| row.bbox[3]).fold(f32::NEG_INFINITY, f32::max);
        (top, bottom)
    };
    let ((top, bottom), (other_top, other_bottom)) = (height(draft), height(formula));
    formula.class == Class::Formula
        && draft.zone == formula.zone
        && top < other_bottom + slack
        && bottom > other_top - slack
}

/// The lines of a formula. Its parts come in the order of the content, which is that of reading it aloud; a line ends
/// where the next part starts further left and lower than all before.
pub(super) fn lines(rows: &[Row], glyphs: &[Glyph]) -> Vec<Line> {
    let mut parts: Vec<(&Fragment, &Row)> =
        rows.iter().flat_map(|row| row.parts.iter().map(move |part| (part, row))).collect();
    parts.sort_by_key(|(part, _)| part.glyphs.first());
    let mut lines: Vec<Line> = Vec::new();
    let mut bottom = f32::NEG_INFINITY;
    let mut right = f32::NEG_INFINITY;
    let mut last_base = f32::NAN;
    let mut before: Option<&Glyph> = None;
    for (part, row) in parts {
        let line = super::runs::line(&Row { base: row.base, size: row.size, ..Row::alone(part.clone()) }, glyphs);
        let fresh = part.bbox[0] < right - 3.0 * row.size && part.base > bottom + 0.3 * row.size;
        match lines.last_mut().filter(|_| !fresh) {
            Some(last) => {
                let first = part.glyphs.first().map(|&first| &glyphs[first]);
                let words = before.zip(first).is_some_and(|(before, first)| are_apart(before, first, row));
                join(last, line, words || part.bbox[0] - right > 0.15 * row.size || (row.base - last_base).abs() > 0.1);
            }
            None => lines.push(line),
        }
        last_base = row.base;
        before = part.glyphs.last().map(|&last| &glyphs[last]);
        if fresh {
            (bottom, right) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
        }
        bottom = bottom.max(part.bbox[3]);
        right = right.max(part.bbox[2]);
    }
    lines
}

fn join(line: &mut Line, more: Line, space: bool) {
    if let Some(run) = line.runs.last_mut().filter(|run| space && !run.text.ends_with(' ')) {
        run.text.push(' ');
    }
    line.bbox = super::fragment::join(line.bbox, more.bbox);
    line.runs.extend(more.runs);
}

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line};
    use super::super::row::rows;
    use super::*;

    #[test]
    fn a_numerator_is_no_part_of_the_word_under_it() {
        // s over v, which is as wide and begins before it, as TeX draws a small fraction.
        let glyphs = [
            line("(", 10.0, 100.0, 10.0),
            line("s", 18.0, 96.0, 8.0),
            line("v", 16.0, 104.0, 8.0),
            line("− 1)", 26.0, 100.0, 10.0),
        ]
        .concat();
        let text: Vec<String> = lines(&rows(fragments(&glyphs)), &glyphs).iter().map(Line::text).collect();
        assert_eq!(text, ["( s v − 1)"]);
    }
}
