//! Line numbers of manuscripts under review.

use std::collections::HashSet;

use super::fragment::{Fragment, join};
use crate::glyphs::{Glyph, Rule};

/// Fewest numbers that make a column of line numbers.
const FEWEST: usize = 8;
/// Fewest characters of a line of text.
const LINE: usize = 30;

/// Splits off line numbers: numbers that end (or start) at one place beside the text and count upwards, and not between
/// the `rules` of a table.
pub(super) fn line_numbers(
    fragments: Vec<Fragment>,
    glyphs: &[Glyph],
    rules: &[Rule],
) -> (Vec<Fragment>, Vec<Fragment>) {
    let mut numbers: Vec<(usize, u32)> =
        fragments.iter().enumerate().filter_map(|(index, part)| Some((index, number(part, glyphs)?))).collect();
    if numbers.len() < FEWEST {
        return (fragments, Vec::new());
    }
    numbers.sort_by(|a, b| fragments[a.0].base.total_cmp(&fragments[b.0].base));
    let edges = [|part: &Fragment| part.bbox[2], |part: &Fragment| part.bbox[0]];
    // Numbers of one and of two digits share one edge only.
    let groups = edges.iter().filter_map(|edge| numbered_column(&numbers, &fragments, edge));
    let group = groups.max_by_key(Vec::len);
    let Some(group) = group.filter(|group| !is_ruled(group, &fragments, rules)) else { return (fragments, Vec::new()) };
    let (mut text, mut margin) = (Vec::new(), Vec::new());
    for (index, part) in fragments.into_iter().enumerate() {
        if group.contains(&index) { margin.push(part) } else { text.push(part) }
    }
    (text, margin)
}

fn number(part: &Fragment, glyphs: &[Glyph]) -> Option<u32> {
    if part.glyphs.len() > 4 {
        return None;
    }
    part.glyphs.iter().try_fold(0, |value, &glyph| Some(value * 10 + glyphs[glyph].text.first()?.to_digit(10)?))
}

fn numbered_column(
    numbers: &[(usize, u32)],
    fragments: &[Fragment],
    edge: &impl Fn(&Fragment) -> f32,
) -> Option<Vec<usize>> {
    let mut tried: HashSet<usize> = HashSet::new();
    numbers.iter().find_map(|&(seed, _)| {
        if tried.contains(&seed) {
            return None;
        }
        let at = edge(&fragments[seed]);
        let column: Vec<(usize, u32)> =
            numbers.iter().copied().filter(|&(index, _)| (edge(&fragments[index]) - at).abs() < 2.0).collect();
        let counts = column.windows(2).filter(|pair| pair[1].1 == pair[0].1 + 1 || pair[1].1 == pair[0].1 + 5).count();
        let indices: Vec<usize> = column.iter().map(|&(index, _)| index).collect();
        // Looked at once a column: each of its numbers is held against all of the page.
        tried.extend(&indices);
        let counted = column.len() >= FEWEST && counts * 10 >= (column.len() - 1) * 9;
        let beside = || {
            indices.iter().all(|&index| beside_text(&fragments[index], fragments))
                && !is_under_text(&indices, fragments)
        };
        (counted && beside()).then_some(indices)
    })
}

/// Whether lines of the page run over the place of the numbers: then they are a column of a table.
fn is_under_text(numbers: &[usize], fragments: &[Fragment]) -> bool {
    let x = numbers.iter().map(|&index| fragments[index].bbox[2]).fold(0.0, f32::max);
    let over = |part: &&Fragment| part.glyphs.len() > LINE && part.bbox[0] < x - part.size && part.bbox[2] > x;
    fragments.iter().filter(over).count() > 1
}

/// Whether rules run over and under the numbers: then they are a column of a table.
fn is_ruled(numbers: &[usize], fragments: &[Fragment], rules: &[Rule]) -> bool {
    let Some(bbox) = numbers.iter().map(|&index| fragments[index].bbox).reduce(join) else { return false };
    let across = |rule: &&Rule| rule.bbox[0] < bbox[0] + 1.0 && rule.bbox[2] > bbox[2] + 2.0 * (bbox[2] - bbox[0]);
    let rules = || rules.iter().filter(|rule| rule.horizontal()).filter(across);
    rules().any(|rule| rule.bbox[1] < bbox[1] + 2.0) && rules().any(|rule| rule.bbox[3] > bbox[3] - 2.0)
}

/// Whether all text of the number's line is on one side of it.
fn beside_text(number: &Fragment, fragments: &[Fragment]) -> bool {
    let level =
        fragments.iter().filter(|part| (part.base - number.base).abs() < 0.3 * number.size && part.glyphs.len() > 4);
    let (mut left, mut right) = (false, false);
    for part in level {
        left |= part.bbox[2] <= number.bbox[0];
        right |= part.bbox[0] >= number.bbox[2];
    }
    !(left && right)
}

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line};
    use super::*;

    #[test]
    fn numbers_beside_lines_go_and_numbers_in_text_stay() {
        let mut glyphs = Vec::new();
        for row in 0..10u8 {
            let y = 100.0 + 12.0 * f32::from(row);
            glyphs.extend(line(&(12 + row).to_string(), 20.0, y, 7.0));
            glyphs.extend(line("a line of the manuscript", 60.0, y, 10.0));
        }
        glyphs.extend(line("2023", 60.0, 400.0, 10.0));
        let (text, margin) = line_numbers(fragments(&glyphs), &glyphs, &[]);
        assert_eq!((text.len(), margin.len()), (11, 10));
        let rule = |y: f32| Rule { bbox: [18.0, y, 200.0, y + 0.5] };
        let ruled = line_numbers(fragments(&glyphs), &glyphs, &[rule(90.0), rule(220.0)]);
        assert_eq!(ruled.1.len(), 0);
        // A column of a table: the page has lines over it.
        for y in [60.0, 72.0] {
            glyphs.extend(line("a line of text that starts further left", 10.0, y, 10.0));
        }
        assert_eq!(line_numbers(fragments(&glyphs), &glyphs, &[]).1.len(), 0);
    }
}
