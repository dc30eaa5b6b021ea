//! The text of a row: runs of one font, spaces between words, scripts marked and kept whole.

use super::bidi;
use super::fragment::{self, Fragment, SMALL, WORD};
use super::row::Row;
use crate::glyphs::{Glyph, Style};
use crate::page::{Line, Run, Script};

/// More scripts than this in a row are no formula; each is compared with each stack of them.
const SCRIPTS: usize = 200;

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
    let forward = runs_forward(&parts, row, glyphs);
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
            weave(&mut out, row, glyphs);
        } else if first > 0 && gap > fragment::word_gap(row.size, &glyphs[out[first - 1].0], &glyphs[out[first].0]) {
            out[first].1 = true;
        } else if overlaps {
            close_up(&mut out[first..], end, row, glyphs);
        }
        let before = under.take().filter(|_| overlaps).unwrap_or(end);
        under = part.floating.then_some(end);
        end = before.max(part.bbox[2]);
    }
    bidi::logical(out, glyphs)
}

/// Whether parts in content order go on from left to right, scripts stacked at one place allowed.
fn runs_forward(parts: &[&Fragment], row: &Row, glyphs: &[Glyph]) -> bool {
    let slack = 0.35 * row.size;
    let (mut start, mut end) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    parts.iter().all(|part| {
        let forward = part.bbox[0] >= start - slack && part.bbox[0] >= end - slack;
        start = part.bbox[0];
        // An index starts under the exponent that the part before it ends with.
        let mut upright = part.glyphs.iter().rev().map(|&glyph| &glyphs[glyph]).filter(|glyph| !is_script(glyph, row));
        end = upright.next().map_or(end, |glyph| glyph.end.0);
        forward
    })
}

/// Whether a glyph is smaller than its row and set off its base line.
fn is_script(glyph: &Glyph, row: &Row) -> bool {
    glyph.size <= SMALL * row.size && (glyph.y - row.base).abs() > 0.06 * row.size
}

/// Takes away the space behind an index that is shorter than the exponent over it, which ends at `end`.
fn close_up(placed: &mut [Placed], end: f32, row: &Row, glyphs: &[Glyph]) {
    let scripts = placed.iter().take_while(|(glyph, _)| is_script(&glyphs[*glyph], row)).count();
    if let (1.., Some((glyph, space))) = (scripts, placed.get_mut(scripts)) {
        *space &= glyphs[*glyph].x - end > WORD * row.size;
    }
}

/// Sorts glyphs of overlapping parts from left to right: a subscript may stand in the middle of its row. An exponent or
/// index stays whole; of two at one place the one that is drawn first comes first.
fn weave(placed: &mut [Placed], row: &Row, glyphs: &[Glyph]) {
    let spaced: Vec<Placed> = placed.to_vec();
    let keys = keys(placed, row, glyphs);
    let mut order: Vec<usize> = (0..placed.len()).collect();
    order.sort_by(|&a, &b| keys[a].0.total_cmp(&keys[b].0).then(keys[a].1.cmp(&keys[b].1)));
    for (slot, &from) in placed.iter_mut().zip(&order) {
        *slot = spaced[from];
    }
    if spaced == placed {
        return;
    }
    let mut end = f32::NEG_INFINITY;
    for index in 0..placed.len() {
        let at = &glyphs[placed[index].0];
        let before = index.checked_sub(1).map_or(at, |before| &glyphs[placed[before].0]);
        placed[index].1 = at.x - end > fragment::word_gap(before.size, before, at);
        // Behind an exponent and its index the row goes on where the longer of them ends.
        let stacked = is_script(at, row) && is_script(before, row);
        let until = at.end.0.max(at.x) + at.spacing;
        end = if stacked { end.max(until) } else { until };
    }
}

/// Where each glyph is sorted to: its left end, or for scripts that of the stack they stand in, and its place in the
/// content.
fn keys(placed: &[Placed], row: &Row, glyphs: &[Glyph]) -> Vec<(f32, usize)> {
    let mut scripts: Vec<usize> = placed.iter().map(|&(index, _)| index).collect();
    scripts.retain(|&index| is_script(&glyphs[index], row));
    if scripts.len() > SCRIPTS {
        return placed.iter().map(|&(index, _)| (glyphs[index].x, index)).collect();
    }
    scripts.sort_unstable();
    // Scripts over and under each other, and those that follow each other closely: from where to where.
    let mut stacks: Vec<(f32, f32)> = Vec::new();
    let mut stack_of = vec![0; scripts.len()];
    for (at, &index) in scripts.iter().enumerate() {
        let glyph = &glyphs[index];
        let before = at.checked_sub(1).map(|before| &glyphs[scripts[before]]);
        let goes_on = before.is_some_and(|before| {
            (before.y - glyph.y).abs() < 0.1 * glyph.size
                && (-0.1..0.5).contains(&((glyph.x - before.end.0) / glyph.size))
        });
        let slack = 0.1 * row.size;
        let near = stacks.iter().position(|&(x0, x1)| glyph.x < x1 - slack && glyph.end.0 > x0 + slack);
        stack_of[at] = if goes_on { stack_of[at - 1] } else { near.unwrap_or(stacks.len()) };
        match stacks.get_mut(stack_of[at]) {
            Some(stack) => *stack = (stack.0.min(glyph.x), stack.1.max(glyph.end.0)),
            None => stacks.push((glyph.x, glyph.end.0)),
        }
    }
    let key = |&(index, _): &Placed| match scripts.binary_search(&index) {
        Ok(at) => (stacks[stack_of[at]].0, index),
        Err(_) => (glyphs[index].x, index),
    };
    placed.iter().map(key).collect()
}

fn runs(placed: &[Placed], row: &Row, glyphs: &[Glyph]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (at, &(index, space)) in placed.iter().enumerate() {
        let glyph = &glyphs[index];
        let script = script(glyph, row);
        let fits = runs.last().is_some_and(|run| fits(run, glyph, script));
        let space = at > 0 && (space || are_apart(&glyphs[placed[at - 1].0], glyph, row));
        if !fits {
            if let Some(run) = runs.last_mut().filter(|_| space) {
                run.text.push(' ');
            }
            runs.push(start(glyph.style, glyph.size, script));
        }
        let fits_space = fits && space;
        let before = |back: usize| at.checked_sub(back).map(|at| &glyphs[placed[at].0]);
        let over = before(1).is_some_and(|over| is_fraction(before(2), over, glyph, row));
        if let Some(run) = runs.last_mut() {
            if over {
                run.text.push('/');
            } else if fits_space {
                run.text.push(' ');
            }
            glyph.text.push_to(&mut run.text);
        }
    }
    runs.retain(|run| !run.text.is_empty());
    runs
}

/// Whether two raised digits stand over each other, as in an exponent of two thirds, which is none of twenty-three.
/// Behind another raised glyph, `base`, they are its exponent and its index.
fn is_fraction(base: Option<&Glyph>, over: &Glyph, under: &Glyph, row: &Row) -> bool {
    let raised = |glyph: &Glyph| script(glyph, row) == Script::Super;
    let digit = |glyph: &Glyph| glyph.text.first().is_some_and(|c| c.is_ascii_digit());
    [over, under].into_iter().all(|glyph| raised(glyph) && digit(glyph))
        && !base.is_some_and(raised)
        && under.y - over.y > 0.5 * under.size
        && under.x < over.end.0
}

/// Whether two glyphs that the content draws one after the other are parts of different words, though no gap says so.
pub(super) fn are_apart(before: &Glyph, glyph: &Glyph, row: &Row) -> bool {
    is_stack_of_letters(before, glyph) || is_next_factor(before, glyph, row)
}

/// Whether two letters stand over each other, an index under an exponent or a denominator under its numerator: `a` with
/// `i` over `t` is no `ait`. Digits need no space, they become raised and lowered ones.
fn is_stack_of_letters(one: &Glyph, other: &Glyph) -> bool {
    letter(one)
        && letter(other)
        && (one.y - other.y).abs() > 0.5 * one.size.min(other.size)
        && other.x < one.end.0 - 0.1 * other.size
}

fn letter(glyph: &Glyph) -> bool {
    glyph.text.first().is_some_and(|c| c.is_alphabetic())
}

/// Whether a letter stands behind the letters of an index or exponent, which end one factor: `L` with `CE` below and `C`
/// is no `LCEC`. TeX sets half a point there; the letters of its name overlap.
fn is_next_factor(before: &Glyph, glyph: &Glyph, row: &Row) -> bool {
    script(before, row) != Script::None
        && script(glyph, row) == Script::None
        && letter(before)
        && letter(glyph)
        && glyph.x - before.end.0 > 0.02 * row.size
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

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line as glyphs};
    use super::super::row::rows;
    use super::*;

    fn text(glyphs: &[Glyph]) -> Vec<Line> {
        rows(fragments(glyphs)).iter().map(|row| line(row, glyphs)).collect()
    }

    #[test]
    fn factors_of_a_product_are_words_of_their_own() {
        // L with CE below, and C half a point behind it.
        let product =
            [glyphs("L", 10.0, 100.0, 10.0), glyphs("CE", 15.0, 102.0, 7.0), glyphs("C is one", 22.5, 100.0, 10.0)];
        assert_eq!(text(&product.concat())[0].text(), "LCE C is one");
        // TeX's name, whose letters overlap.
        let name = [glyphs("L", 10.0, 100.0, 10.0), glyphs("A", 13.2, 98.0, 7.0), glyphs("TEX", 15.2, 100.0, 10.0)];
        assert_eq!(text(&name.concat())[0].text(), "LATEX");
        // The letters of a denominator begin before those of the numerator end.
        let fraction = [
            glyphs("it is ", 10.0, 100.0, 10.0),
            glyphs("ds", 46.0, 93.0, 10.0),
            glyphs("vego", 41.0, 107.0, 10.0),
            glyphs("= 2", 64.0, 100.0, 10.0),
        ];
        let all: String = text(&fraction.concat()).iter().map(|line| line.text() + "\n").collect();
        assert!(!all.contains("dsv"), "{all}");
    }

    #[test]
    fn an_exponent_over_an_index_is_not_mixed_with_it() {
        // u with `ref` above and `t` below, as TeX draws them, and then as a row drawn from its end.
        let row = |reversed: bool| {
            let mut parts = [
                glyphs("inputs u", 10.0, 100.0, 10.0),
                glyphs("ref", 50.3, 96.0, 7.0),
                glyphs("t", 50.0, 102.5, 7.0),
                glyphs("are chosen", 64.0, 100.0, 10.0),
            ];
            if reversed {
                parts.rotate_left(3);
            }
            parts.concat()
        };
        assert_eq!(text(&row(false))[0].text(), "inputs uref t are chosen");
        assert_eq!(text(&row(true))[0].text(), "inputs uref t are chosen");
        let mut tight = row(false);
        tight.truncate(12);
        tight.extend(glyphs("(k)", 61.2, 100.0, 10.0));
        assert_eq!(text(&tight)[0].text(), "inputs uref t(k)");
    }

    #[test]
    fn a_fraction_in_an_exponent_is_one() {
        let mut all = glyphs("bound T", 10.0, 100.0, 10.0);
        all.extend(glyphs("2", 46.0, 93.7, 5.0));
        all.extend(glyphs("3", 46.0, 98.7, 5.0));
        all.extend(glyphs("holds", 55.0, 100.0, 10.0));
        let line = &text(&all)[0];
        let runs: Vec<String> = line.runs.iter().map(Run::written).collect();
        assert_eq!(runs.concat().replace(' ', ""), "boundT²/³holds");
        // The exponent and the index of what is itself an exponent.
        for index in ["i", "1"] {
            let mut all = glyphs("e", 10.0, 100.0, 10.0);
            all.extend(glyphs("x", 15.0, 96.4, 7.0));
            all.extend(glyphs("2", 18.6, 94.0, 5.0));
            all.extend(glyphs(index, 18.6, 98.2, 5.0));
            assert!(!text(&all)[0].text().contains('/'), "{index}");
        }
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
