//! Text beside a figure and captions side by side within one column.
//!
//! Lines that stand beside each other need not have one base line, and the white space between them may be as narrow as
//! between words. Two signs together tell them: no line crosses the space, and the content draws one side as a whole and
//! then the other.

use super::fragment::Fragment;
use super::kind;
use super::row::Row;
use crate::glyphs::Glyph;
use std::ops::Range;

/// Narrowest space between sides, in em; a little wider than between words.
const GUTTER: f32 = 0.3;
/// Base lines nearer than this, in em, are not those of lines under each other.
const LEVEL: f32 = 0.8;
/// Furthest step from line to line within one group, in em.
const STEP: f32 = 2.2;
/// Most spaces that are tried on a column; a page of text has a few, one of drawn labels thousands.
const TRIED: usize = 64;

/// Rows of a column, cut where two sides stand beside each other: each side by itself, the one drawn first before the
/// other. Text above and below goes on with the side that starts where it does.
pub(super) fn split(rows: Vec<Row>, glyphs: &[Glyph]) -> Vec<Vec<Row>> {
    let found = gutters(&rows).into_iter().filter_map(|(at, x)| Sides::at(&rows, at, x, glyphs));
    let Some(sides) = found.reduce(|best, next| if next.run.len() > best.run.len() { next } else { best }) else {
        return vec![rows];
    };
    let mut before = rows;
    let after = before.split_off(sides.run.end);
    before.truncate(sides.run.start);
    let mut out: Vec<Vec<Row>> = Vec::new();
    for rows in [before, sides.first, sides.second, after].into_iter().flat_map(|part| split(part, glyphs)) {
        match out.last_mut() {
            Some(last) if follows(last, &rows) => last.extend(rows),
            _ => out.push(rows),
        }
    }
    out.retain(|rows| !rows.is_empty());
    out
}

/// Whether rows go on under others: lower, and starting at the same place, indents aside.
fn follows(above: &[Row], below: &[Row]) -> bool {
    let (Some(last), Some(first)) = (above.last(), below.first()) else { return above.is_empty() };
    first.base > last.base && (first.bbox[0] - last.bbox[0]).abs() < STEP * first.size
}

/// Places where a space between two sides may be: the number of a row and an x.
fn gutters(rows: &[Row]) -> Vec<(usize, f32)> {
    let mut found = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let jumps = row.parts.windows(2).filter(|pair| {
            let drawn_next = first(&pair[1]).checked_sub(last(&pair[0])).is_some_and(|step| (1..=3).contains(&step));
            pair[1].bbox[0] - pair[0].bbox[2] > GUTTER * row.size && !drawn_next
        });
        found.extend(jumps.map(|pair| (at, f32::midpoint(pair[0].bbox[2], pair[1].bbox[0]))));
        if let Some(next) = rows.get(at + 1) {
            let level = next.base - row.base < LEVEL * row.size.min(next.size);
            let (left, right) = if row.bbox[0] < next.bbox[0] { (row, next) } else { (next, row) };
            if level && right.bbox[0] - left.bbox[2] > GUTTER * row.size {
                found.push((at, f32::midpoint(left.bbox[2], right.bbox[0])));
            }
        }
    }
    found.truncate(TRIED);
    found
}

/// Two sides of a space, in the order in which they are drawn.
struct Sides {
    run: Range<usize>,
    first: Vec<Row>,
    second: Vec<Row>,
}

impl Sides {
    /// The sides of a space at `x` in the rows around `at`, if it is one.
    fn at(rows: &[Row], at: usize, x: f32, glyphs: &[Glyph]) -> Option<Self> {
        let clear = |row: &Row| !row.parts.iter().any(|part| part.bbox[0] < x && part.bbox[2] > x);
        let near = |a: &Row, b: &Row| b.base - a.base < STEP * a.size.max(b.size);
        if !clear(&rows[at]) {
            return None;
        }
        let above = (0..at).rev().take_while(|&index| clear(&rows[index]) && near(&rows[index], &rows[index + 1]));
        let start = above.last().unwrap_or(at);
        let below =
            (at + 1..rows.len()).take_while(|&index| clear(&rows[index]) && near(&rows[index - 1], &rows[index]));
        let run = start..below.last().unwrap_or(at) + 1;
        let side = |left: bool| -> Vec<Row> {
            let parts = |row: &Row| row.parts.iter().filter(|part| (part.bbox[0] < x) == left).cloned().collect();
            rows[run.clone()].iter().filter_map(|row| Row::of(parts(row))).collect()
        };
        let (left, right) = (side(true), side(false));
        let (l, r) = (drawn(&left)?, drawn(&right)?);
        // Text on one side at least, or words on both: formulas and labels have few of four letters.
        let wordy = |rows: &[Row], words: usize| rows.iter().filter(|row| kind::words(row, glyphs) >= words).count();
        let text = wordy(&left, 2).max(wordy(&right, 2)) >= 3 || wordy(&left, 1).min(wordy(&right, 1)) >= 2;
        let apart = l.end <= r.start || r.end <= l.start;
        if !text || !apart || !overlap(&left, &right) {
            return None;
        }
        let (first, second) = if l.start < r.start { (left, right) } else { (right, left) };
        Some(Self { run, first, second })
    }
}

/// Whether rows stand beside each other rather than under each other.
fn overlap(a: &[Row], b: &[Row]) -> bool {
    let height = |rows: &[Row]| Some((rows.first()?.base, rows.last()?.base));
    let (Some(a), Some(b)) = (height(a), height(b)) else { return false };
    a.0 <= b.1 && b.0 <= a.1
}

fn first(part: &Fragment) -> usize {
    part.glyphs.first().copied().unwrap_or(0)
}

fn last(part: &Fragment) -> usize {
    part.glyphs.last().copied().unwrap_or(0)
}

/// The stretch of the content that draws rows.
fn drawn(rows: &[Row]) -> Option<Range<usize>> {
    let parts = || rows.iter().flat_map(|row| &row.parts);
    Some(parts().map(first).min()?..parts().map(last).max()? + 1)
}

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line};
    use super::super::row::rows;
    use super::*;

    fn texts(glyphs: &[Glyph]) -> Vec<String> {
        let parts = split(rows(fragments(glyphs)), glyphs);
        let text = |rows: &Vec<Row>| {
            rows.iter().map(|row| super::super::runs::line(row, glyphs).text()).collect::<Vec<_>>().join(" / ")
        };
        parts.iter().map(text).collect()
    }

    /// Lines of text from `x` and `y` on, 12 points apart.
    fn block(lines: &[&str], x: f32, y: f32) -> Vec<Glyph> {
        let mut y = y - 12.0;
        let mut set = |text: &&str| {
            y += 12.0;
            line(text, x, y, 10.0)
        };
        lines.iter().flat_map(&mut set).collect()
    }

    const WIDE: &str = "a line of running text across the whole of the column";
    const NARROW: [&str; 3] = ["some narrow text here", "goes around the figure", "with another line more"];

    #[test]
    fn two_figures_in_a_column_have_their_texts_whole() {
        let longer = [&NARROW[..], &["and one line to close"]].concat();
        let glyphs = [
            block(&NARROW, 50.0, 112.0),
            block(&["Figure 1: First."], 190.0, 128.0),
            block(&[WIDE], 50.0, 160.0),
            block(&longer, 50.0, 184.0),
            block(&["Figure 2: Second."], 190.0, 200.0),
        ]
        .concat();
        let all = texts(&glyphs).join(" / ");
        assert_eq!(all.matches(&NARROW.join(" / ")).count(), 2, "{all}");
    }

    #[test]
    fn text_around_a_figure_is_not_cut_by_its_caption() {
        let above = block(&[WIDE], 50.0, 100.0);
        let narrow = block(&NARROW, 50.0, 112.0);
        let caption = block(&["Figure 2: Caption."], 190.0, 128.0);
        let below = block(&[WIDE], 50.0, 148.0);
        let text = format!("{} / {WIDE}", NARROW.join(" / "));
        let first = [above.clone(), caption.clone(), narrow.clone(), below.clone()].concat();
        assert_eq!(texts(&first), [WIDE, "Figure 2: Caption.", &text]);
        let last = [above, narrow, caption, below].concat();
        let text = format!("{WIDE} / {}", NARROW.join(" / "));
        assert_eq!(texts(&last), [&text, "Figure 2: Caption.", WIDE]);
    }

    #[test]
    fn captions_side_by_side_need_no_wide_space() {
        let left = block(&["(a) Setup with some launcher", "robot (right side)."], 50.0, 100.0);
        let right = block(&["(b) Dataset of more tennis", "launched from there."], 195.0, 100.0);
        let expected =
            ["(a) Setup with some launcher / robot (right side).", "(b) Dataset of more tennis / launched from there."];
        assert_eq!(texts(&[left, right].concat()), expected);
    }

    #[test]
    fn lines_drawn_across_stay_whole() {
        let mut glyphs = Vec::new();
        for (at, y) in [100.0, 112.0, 124.0].into_iter().enumerate() {
            glyphs.extend(line(&format!("{} words", NARROW[at]), 50.0, y, 10.0));
            glyphs.extend(line("further words there", 214.0, y, 10.0));
        }
        assert_eq!(texts(&glyphs).len(), 1);
    }
}
