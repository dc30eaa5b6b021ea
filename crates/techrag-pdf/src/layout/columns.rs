//! Columns of text: where many wide lines start at one place and hardly any line runs across it.

use super::fragment::Fragment;

/// Edges that agree to this many points are one edge.
const AGREE: f32 = 3.0;
/// Fewest lines that make a column.
const LINES: usize = 5;
/// Narrowest column in em of its text.
const NARROW: f32 = 10.0;
/// Share of the column's width that its typical line fills; cells of tables fill less.
const FILL: f32 = 0.55;

/// Share of a column's width by which lines that are not justified may end before its gutter; 40 to 70 points.
const RAGGED: f32 = 0.35;

/// Fewest lines of a full column beside which a few lines make the next one.
const FULL_LINES: usize = 20;
/// Widest gutter before a column that has only begun, in points.
const GUTTER: f32 = 40.0;
/// How far the marks of hanging entries stand out, in points.
const HANGING: f32 = 32.0;

/// Fewest lines that make a column alone, beside one that holds figures only.
const LONE_LINES: usize = 10;
/// Where in the page's text, as a share of its width, a gutter may be that only one column tells.
const MIDDLE: std::ops::Range<f32> = 0.35..0.65;

/// Left edges of the columns from left to right; the first is the left end of the page's text.
pub(super) fn edges(fragments: &[Fragment], width: f32) -> Vec<f32> {
    let left = fragments.iter().map(|fragment| fragment.bbox[0]).fold(width, f32::min);
    let right = fragments.iter().map(|fragment| fragment.bbox[2]).fold(0.0, f32::max);
    let mut edges = vec![left];
    let mut candidates = candidates(fragments, left);
    candidates.retain(|&x| is_column(x, fragments, right));
    for x in candidates {
        if edges.last().is_none_or(|&last| x - last > 60.0) {
            edges.push(x);
        }
    }
    if edges.len() == 1 {
        edges.extend(lone(fragments, left, right));
    }
    edges.extend(begun(fragments, &edges, width));
    hang(&mut edges, fragments);
    edges
}

/// The edge of a column that has only begun, beside one that is full: on the last page, a few lines of references.
fn begun(fragments: &[Fragment], edges: &[f32], width: f32) -> Option<f32> {
    let start = *edges.last()?;
    let (end, lines) = common_end(fragments, start, width)?;
    let full = end - start;
    if lines < FULL_LINES || full > 0.5 * width {
        return None;
    }
    let near = |fragment: &&Fragment| (end + AGREE..end + GUTTER).contains(&fragment.bbox[0]);
    let edge = fragments.iter().filter(near).map(|fragment| fragment.bbox[0]).min_by(f32::total_cmp)?;
    let (mut wide, mut wider) = (0, 0);
    for fragment in fragments.iter().filter(|fragment| (edge..edge + HANGING).contains(&fragment.bbox[0])) {
        let reaches = (fragment.bbox[2] - edge) / full;
        wide += usize::from((0.7..1.05).contains(&reaches));
        wider += usize::from(reaches >= 1.05);
    }
    let crossing = fragments.iter().filter(|fragment| crosses(fragment, edge - 2.0)).count();
    (wide >= 2 && wider == 0 && crossing * 8 < lines).then_some(edge)
}

/// Moves edges to where the first lines of hanging entries start, `[8]` before its text, where nothing of the column
/// before reaches so far.
fn hang(edges: &mut [f32], fragments: &[Fragment]) {
    for edge in edges.iter_mut().skip(1) {
        let before = |fragment: &&Fragment| fragment.bbox[0] < *edge - HANGING && fragment.bbox[2] < *edge;
        let end = fragments.iter().filter(before).map(|fragment| fragment.bbox[2]).fold(0.0, f32::max);
        let hangs = |x: &f32| *x > end + AGREE && (*edge - HANGING..*edge).contains(x);
        *edge = fragments.iter().map(|fragment| fragment.bbox[0]).filter(hangs).fold(*edge, f32::min);
    }
}

/// Where most of the fragments end that start at `from` or behind it and end before `to`, and how many end there.
fn common_end(fragments: &[Fragment], from: f32, to: f32) -> Option<(f32, usize)> {
    let inside = fragments.iter().filter(|fragment| fragment.bbox[0] >= from - 2.0 && fragment.bbox[2] < to);
    let mut ends: Vec<f32> = inside.map(|fragment| fragment.bbox[2]).collect();
    ends.sort_by(f32::total_cmp);
    let until = |x: f32| ends.partition_point(|&end| end < x);
    // The last of equals: hanging marks stand a little out.
    ends.iter().map(|&x| (x, until(x + AGREE / 2.0) - until(x - AGREE / 2.0))).max_by_key(|&(_, count)| count)
}

/// The edge of the right of two columns, where only one of them has lines of text and the other figures: many lines
/// end or start in the middle and hardly any runs across.
fn lone(fragments: &[Fragment], left: f32, right: f32) -> Option<f32> {
    let middle = |x: f32| MIDDLE.contains(&((x - left) / (right - left).max(1.0)));
    let wide = |fragment: &&Fragment| fragment.width() > 0.3 * (right - left);
    let clear = |gutter: f32| {
        let crossing = fragments.iter().filter(|fragment| crosses(fragment, gutter)).count();
        let (mut before, mut behind) = (0, 0);
        for fragment in fragments {
            before += usize::from(fragment.bbox[2] <= gutter + 2.0);
            behind += usize::from(fragment.bbox[0] >= gutter - 2.0);
        }
        before >= 3 && behind >= 3 && crossing * 8 < before + behind
    };
    let most = |value: fn(&Fragment) -> f32| {
        let mut values: Vec<f32> = fragments.iter().filter(wide).map(value).filter(|&x| middle(x)).collect();
        values.sort_by(f32::total_cmp);
        let count = |x: f32| values.iter().filter(|other| (**other - x).abs() < AGREE / 2.0).count();
        values.iter().copied().max_by_key(|&x| count(x)).filter(|&x| count(x) >= LONE_LINES)
    };
    let starting = most(|fragment| fragment.bbox[0]).filter(|&x| clear(x - 4.0));
    starting.or_else(|| {
        let end = most(|fragment| fragment.bbox[2]).filter(|&x| clear(x + 4.0))?;
        fragments.iter().map(|fragment| fragment.bbox[0]).filter(|&x| x > end + 2.0).min_by(f32::total_cmp)
    })
}

/// Places where at least [`LINES`] fragments start, right of the left margin.
fn candidates(fragments: &[Fragment], left: f32) -> Vec<f32> {
    let mut starts: Vec<f32> = fragments.iter().map(|fragment| fragment.bbox[0]).filter(|&x| x > left + 60.0).collect();
    starts.sort_by(f32::total_cmp);
    let mut found = Vec::new();
    let mut rest = starts.as_slice();
    while let Some(&first) = rest.first() {
        let count = rest.partition_point(|&x| x <= first + AGREE);
        if count >= LINES {
            found.push(first);
            rest = &rest[count..];
        } else {
            rest = &rest[1..];
        }
    }
    found
}

/// Whether the lines starting at `x` are those of a column.
fn is_column(x: f32, fragments: &[Fragment], right: f32) -> bool {
    let gutter = x - 2.0;
    let starting: Vec<&Fragment> =
        fragments.iter().filter(|fragment| (x..=x + AGREE).contains(&fragment.bbox[0])).collect();
    let crossing = fragments.iter().filter(|fragment| crosses(fragment, gutter)).count();
    let ends = starting.iter().map(|fragment| fragment.bbox[2]).fold(0.0, f32::max);
    let reach = (RAGGED * (ends.min(right) - x)).clamp(40.0, 70.0);
    let ends_before = |fragment: &&Fragment| (gutter - reach..=gutter).contains(&fragment.bbox[2]);
    let before: Vec<&Fragment> = fragments.iter().filter(ends_before).collect();
    let wide = |group: &[&Fragment], span: f32| {
        let mut widths: Vec<f32> = group.iter().map(|fragment| fragment.width()).collect();
        widths.sort_by(f32::total_cmp);
        let size = group.first().map_or(10.0, |fragment| fragment.size);
        // Upper quartile: last lines of paragraphs are short, and so are formulas.
        widths.get(widths.len() * 3 / 4).is_some_and(|&w| w > FILL * span && w > NARROW * size)
    };
    starting.len() >= LINES
        && before.len() >= LINES
        && crossing * 3 < (starting.len() + before.len()) * 2
        && wide(&starting, ends.min(right) - x)
        && wide(&before, 0.0)
}

/// Whether a fragment runs across `x` by more than a formula that is too long for its column would.
pub(super) fn crosses(fragment: &Fragment, x: f32) -> bool {
    fragment.bbox[0] < x - 12.0 && fragment.bbox[2] > x + 12.0
}

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line};
    use super::*;

    fn y(row: u8) -> f32 {
        100.0 + 12.0 * f32::from(row)
    }

    #[test]
    fn two_columns_under_a_title() {
        let mut glyphs = line("A title that runs over both of the columns of this page", 60.0, 60.0, 14.0);
        for row in 0..20 {
            glyphs.extend(line("thirty-six letters of plain old text", 50.0, y(row), 10.0));
            glyphs.extend(line("thirty-six letters in another column", 250.0, y(row), 10.0));
        }
        let edges = edges(&fragments(&glyphs), 500.0);
        assert_eq!(edges.len(), 2);
        assert!((edges[1] - 250.0).abs() < 0.1);
    }

    #[test]
    fn a_column_of_figures_beside_text() {
        let mut glyphs = Vec::new();
        for row in 0..20 {
            glyphs.extend(line("thirty-six letters of plain old text", 50.0, y(row), 10.0));
        }
        for row in [2, 9, 15] {
            glyphs.extend(line("label", 300.0, y(row) + 4.0, 8.0));
        }
        glyphs.extend(line("Figure 1: a caption of the figure up", 250.0, y(18) + 5.0, 10.0));
        let edges = edges(&fragments(&glyphs), 500.0);
        assert_eq!(edges.len(), 2);
        assert!((edges[1] - 250.0).abs() < 0.1);
    }

    #[test]
    fn a_column_that_has_only_begun_with_hanging_entries() {
        let mut glyphs = Vec::new();
        for row in 0..30 {
            glyphs.extend(line("thirty-six letters of plain old text", 50.0, y(row), 10.0));
        }
        let entries = |rows: u8| {
            let mut glyphs = glyphs.clone();
            for row in 0..rows {
                let (text, x) = if row % 3 == 0 {
                    ("[8] the first line of some old entry", 250.0)
                } else {
                    ("and the lines under it, set in", 268.0)
                };
                glyphs.extend(line(text, x, y(row), 10.0));
            }
            glyphs
        };
        for rows in [3, 11] {
            let edges = edges(&fragments(&entries(rows)), 600.0);
            assert_eq!(edges.len(), 2, "{rows} lines");
            assert!((edges[1] - 250.0).abs() < 0.1, "{edges:?}");
        }
        let mut table = glyphs.clone();
        for row in 0..4 {
            table.extend(line("0.123", 250.0, y(row), 10.0));
        }
        assert_eq!(edges(&fragments(&table), 600.0).len(), 1);
    }

    #[test]
    fn a_table_is_no_column() {
        let mut glyphs = Vec::new();
        for row in 0..20 {
            glyphs.extend(line("0.123", 50.0, y(row), 10.0));
            glyphs.extend(line("4.567", 150.0, y(row), 10.0));
            glyphs.extend(line("8.901", 250.0, y(row), 10.0));
        }
        assert_eq!(edges(&fragments(&glyphs), 500.0).len(), 1);
    }
}
