//! Tables: regions between rules of one width, or rows whose cells line up, as grids of cells.

use super::columns::crosses;
use super::fragment::Fragment;
use super::kind;
use super::row::{Row, rows};
use super::ruling::{self, Ruling};
use super::{grid, shading};
use crate::glyphs::{Glyph, Raw, Rule};
use crate::page::Bbox;

/// Ends of rules that agree to this many points belong together.
const AGREE: f32 = 5.0;
/// More rules than this are those of a drawing.
const DRAWN: usize = 2000;
/// Most lines of cells between rules and bars: columns of text may have such between them.
const CELL_LINES: usize = 10;
/// Shortest rule of a table, in points.
const SHORT: f32 = 60.0;

/// The place of a ruled table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Region {
    /// From its first to its last rule.
    pub bbox: Bbox,
    /// Its lines.
    pub ruling: Ruling,
}

impl Region {
    /// A table that starts with the slab between two rules, or with the head above it, whose rule is at `head`.
    fn headed(head: Option<f32>, slab: Bbox) -> Self {
        let top = head.unwrap_or(slab[1]);
        let across = if head.is_some() { vec![top, slab[1]] } else { vec![top] };
        Self { bbox: [slab[0], top, slab[2], slab[3]], ruling: Ruling { across, ..Ruling::default() } }
    }

    /// What stands between two rules.
    fn of(slab: Bbox) -> Self {
        Self { bbox: slab, ruling: Ruling::default() }
    }

    /// Whether a fragment stands in it.
    pub(super) fn holds(&self, fragment: &Fragment) -> bool {
        let y = fragment.base - 0.3 * fragment.size;
        let x = f32::midpoint(fragment.bbox[0], fragment.bbox[2]);
        (self.bbox[1]..self.bbox[3]).contains(&y) && (self.bbox[0] - AGREE..self.bbox[2] + AGREE).contains(&x)
    }
}

/// The ruled tables of a page.
///
/// Grid lines of plots, inside the `figures`, are none; shaded cells are no figure.
pub(super) fn regions(raw: &Raw, fragments: &[Fragment], figures: &[Bbox]) -> Vec<Region> {
    let glyphs = &raw.glyphs;
    let bars = ruling::bars(&raw.rules);
    let lying = lying(&raw.rules);
    let parting: Vec<_> = bars.iter().filter(|bar| !fragments.iter().any(|part| bar.is_crossed(part))).collect();
    let mut found: Vec<Region> = Vec::new();
    for mut group in groups(&lying) {
        ruling::reach(&mut group, &bars);
        let mut open: Option<Region> = None;
        let mut head: Option<f32> = None;
        for pair in group.windows(2) {
            let slab = [pair[0][0].min(pair[1][0]), pair[0][1], pair[0][2].max(pair[1][2]), pair[1][1]];
            let has_bars = parting.iter().any(|bar| bar.passes(&slab));
            if is_tabular(slab, fragments, glyphs, Near { table: open.is_some(), bars: has_bars }) {
                let region = open.get_or_insert_with(|| Region::headed(head, slab));
                region.bbox[3] = slab[3];
                region.ruling.across.push(slab[3]);
                head = None;
            } else {
                found.extend(open.take());
                head = may_head(slab, fragments, glyphs).then_some(slab[1]);
            }
        }
        found.extend(open);
    }
    let drawn = |region: &Region| shading::is_drawn(region.bbox, raw, fragments, figures);
    found.retain(|region| has_grid(region, fragments, glyphs) && !drawn(region));
    found.sort_by(|a, b| a.bbox[1].total_cmp(&b.bbox[1]));
    let mut kept: Vec<Region> = Vec::new();
    for mut region in found {
        // Rules of cells inside a table found already make no table of their own.
        if !kept.iter().any(|known| overlap(known.bbox, region.bbox)) {
            region.ruling.complete(region.bbox, &lying, &bars);
            kept.push(region);
        }
    }
    kept
}

fn overlap(a: Bbox, b: Bbox) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] - 1.0 && b[1] < a[3] - 1.0
}

/// Horizontal rules from top to bottom, pieces of one rule joined.
fn lying(rules: &[Rule]) -> Vec<Bbox> {
    let mut lying: Vec<Bbox> = rules.iter().filter(|rule| rule.horizontal()).map(|rule| rule.bbox).collect();
    lying.sort_by(|a, b| a[1].total_cmp(&b[1]).then(a[0].total_cmp(&b[0])));
    let mut joined: Vec<Bbox> = Vec::new();
    for rule in lying {
        let same = joined
            .iter_mut()
            .rev()
            .take(16)
            .find(|known| (known[1] - rule[1]).abs() < 1.5 && rule[0] < known[2] + 2.0 && rule[2] > known[0] - 2.0);
        match same {
            Some(known) => *known = super::fragment::join(*known, rule),
            None => joined.push(rule),
        }
    }
    joined
}

/// Rules with the same ends, each group from top to bottom.
fn groups(lying: &[Bbox]) -> Vec<Vec<Bbox>> {
    let mut groups: Vec<Vec<Bbox>> = Vec::new();
    for rule in across(lying).into_iter().filter(|rule| rule[2] - rule[0] > SHORT) {
        match groups.iter_mut().find(|group| same_ends(&group[0], &rule)) {
            Some(group) => group.push(rule),
            None => groups.push(vec![rule]),
        }
    }
    groups
}

/// Rules from top to bottom, those in pieces made whole: a rule that is left open between groups of columns, where others
/// above and below run through.
fn across(rules: &[Bbox]) -> Vec<Bbox> {
    let mut out = Vec::with_capacity(rules.len());
    if rules.len() > DRAWN {
        return rules.to_vec();
    }
    for level in rules.chunk_by(|a, b| (a[1] - b[1]).abs() < 1.5) {
        let whole = level.iter().copied().reduce(super::fragment::join).filter(|_| level.len() > 1);
        let runs = |whole: &Bbox, above: bool| {
            rules
                .iter()
                .any(|rule| same_ends(rule, whole) && (rule[1] - whole[1]).abs() > 1.5 && (rule[1] < whole[1]) == above)
        };
        match whole.filter(|whole| runs(whole, true) && runs(whole, false)) {
            Some(whole) => out.push(whole),
            None => out.extend_from_slice(level),
        }
    }
    out
}

/// Whether two rules start and end at the same places.
fn same_ends(a: &Bbox, b: &Bbox) -> bool {
    (a[0] - b[0]).abs() < AGREE && (a[2] - b[2]).abs() < AGREE
}

/// What is known of the place between two rules.
#[derive(Clone, Copy, Debug)]
struct Near {
    /// Whether a table is above it.
    table: bool,
    /// Whether bars pass through it beside its words.
    bars: bool,
}

/// Whether what stands between two rules may be rows of a table.
fn is_tabular(slab: Bbox, fragments: &[Fragment], glyphs: &[Glyph], near: Near) -> bool {
    let rows = rows_of(slab, fragments, glyphs);
    if is_foreign(slab, &rows, fragments, glyphs) {
        return false;
    }
    let cells: Vec<usize> = rows.iter().map(|row| row.cells().len()).collect();
    let apart: Vec<Row> = rows.iter().filter(|row| row.cells().len() > 1).cloned().collect();
    let columns = grid::columns_by_cells(&apart);
    // Where names are long, their row looks like one cell but keeps to the columns of the others.
    let in_columns = |row: &Row| apart.len() > 2 && columns.len() > 1 && grid::keeps_to(row, &columns, glyphs);
    // Nor does the second line of a wrapped cell: it fills no more than its own column.
    let wrapped = |row: &Row| apart.len() > 2 && columns.len() > 2 && grid::in_one(row, &columns);
    let counted = |(row, count): (&Row, usize)| if count == 1 && (in_columns(row) || wrapped(row)) { 2 } else { count };
    let cells: Vec<usize> = rows.iter().zip(cells).map(counted).collect();
    let many = cells.iter().filter(|&&count| count > 1).count();
    let wide = rows.iter().zip(&cells).filter(|(row, cells)| **cells == 1 && row.width() > 0.8 * (slab[2] - slab[0]));
    if rows.is_empty() {
        // Double rules.
        return slab[3] - slab[1] < 12.0;
    }
    many * 2 >= rows.len() && wide.count() * 4 <= rows.len()
        || near.table && rows.len() <= 2
        || near.bars && many > 0 && rows.len() <= CELL_LINES
}

/// Whether what stands between two rules may be the head of the table below: its words may be closer than cells are.
fn may_head(slab: Bbox, fragments: &[Fragment], glyphs: &[Glyph]) -> bool {
    let rows = rows_of(slab, fragments, glyphs);
    (1..=3).contains(&rows.len())
        && slab[3] - slab[1] < 5.0 * rows[0].size
        && !is_foreign(slab, &rows, fragments, glyphs)
}

/// The rows between two rules.
fn rows_of(slab: Bbox, fragments: &[Fragment], glyphs: &[Glyph]) -> Vec<Row> {
    let region = Region::of(slab);
    let rows = rows(fragments.iter().filter(|fragment| region.holds(fragment)).cloned().collect());
    rows.iter().map(|row| row.parted(glyphs)).collect()
}

/// Whether what stands between two rules cannot be in one table: a caption is there, a line runs across an end of the
/// rules, or the lines of an algorithm are counted.
fn is_foreign(slab: Bbox, rows: &[Row], fragments: &[Fragment], glyphs: &[Glyph]) -> bool {
    let level = |fragment: &&Fragment| (slab[1]..slab[3]).contains(&(fragment.base - 0.3 * fragment.size));
    let runs_across = |fragment: &Fragment| crosses(fragment, slab[0]) || crosses(fragment, slab[2]);
    let counted = rows.iter().filter(|row| is_counted(row, glyphs)).count();
    rows.iter().any(|row| kind::is_captioned(row, glyphs))
        || fragments.iter().filter(level).any(runs_across)
        || counted > 2 && counted * 4 >= rows.len() * 3
}

/// Whether a row starts with the number of a line of an algorithm, `12:`.
fn is_counted(row: &Row, glyphs: &[Glyph]) -> bool {
    let start = kind::start(row, glyphs, 4);
    let rest = start.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < start.len() && rest.starts_with(':')
}

fn has_grid(region: &Region, fragments: &[Fragment], glyphs: &[Glyph]) -> bool {
    let rows = rows_of(region.bbox, fragments, glyphs);
    rows.len() >= 2 && rows.iter().filter(|row| row.cells().len() > 1).count() >= 2
}

/// Intervals joined where they overlap or are nearer than `gap`, from left to right.
pub(super) fn intervals(mut spans: Vec<(f32, f32)>, gap: f32) -> Vec<(f32, f32)> {
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut out: Vec<(f32, f32)> = Vec::new();
    for (start, end) in spans {
        match out.last_mut() {
            Some(last) if start < last.1 + gap => last.1 = last.1.max(end),
            _ => out.push((start, end)),
        }
    }
    out
}

/// Whether consecutive rows without rules form a table: cells that line up in at least three rows, numbers among them.
pub(super) fn aligned(rows: &[Row], glyphs: &[Glyph]) -> bool {
    let counts: Vec<usize> = rows.iter().map(|row| row.cells().len()).collect();
    let columns = grid::columns_by_cells(rows).len();
    let most = counts.iter().copied().max().unwrap_or(0);
    let full = counts.iter().filter(|&&count| count + 1 >= most && count > 1).count();
    let enough = if columns == 2 { rows.len() >= 4 } else { rows.len() >= 3 };
    let led = rows.iter().filter(|row| has_leaders(row, glyphs)).count();
    columns >= 2
        && columns == most
        && enough
        && full * 4 >= rows.len() * 3
        && numeric(rows, glyphs)
        && led * 2 < rows.len()
}

/// Whether most of a row is dots that lead to the page number of a table of contents.
fn has_leaders(row: &Row, glyphs: &[Glyph]) -> bool {
    let dots = kind::each(row, glyphs).filter(|glyph| glyph.text.first() == Some('.')).count();
    dots * 2 > row.len()
}

/// Whether a third of the cells behind the first column start like numbers.
fn numeric(rows: &[Row], glyphs: &[Glyph]) -> bool {
    let (mut numbers, mut all) = (0, 0);
    for row in rows {
        for cell in row.cells().into_iter().skip(1) {
            let signs = row.parts[cell.start].glyphs.iter().filter_map(|&glyph| glyphs[glyph].text.first());
            // A bracket starts numbers and words alike.
            let first = signs.into_iter().find(|&c| c != '(');
            all += 1;
            numbers += usize::from(
                first.is_some_and(|c| c.is_ascii_digit() || matches!(c, '-' | '−' | '+' | '.' | '–' | '—')),
            );
        }
    }
    numbers * 3 >= all
}

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line};
    use super::*;

    fn sample() -> Vec<Glyph> {
        let mut glyphs = line("surface", 50.0, 112.0, 10.0);
        glyphs.extend(line("friction", 200.0, 112.0, 10.0));
        for (row, (name, value)) in [("dry", "0.9"), ("wet", "0.6"), ("ice", "0.1")].into_iter().enumerate() {
            let y = 126.0 + 12.0 * f32::from(u8::try_from(row).unwrap_or(0));
            glyphs.extend(line(name, 50.0, y, 10.0));
            glyphs.extend(line(value, 205.0, y, 10.0));
        }
        glyphs
    }

    fn rule(y: f32) -> Rule {
        Rule { bbox: [48.0, y, 260.0, y + 0.5] }
    }

    fn page(rules: &[Rule], glyphs: &[Glyph]) -> Raw {
        Raw { width: 600.0, height: 800.0, glyphs: glyphs.to_vec(), rules: rules.to_vec(), ..Raw::default() }
    }

    fn found(rules: &[Rule], glyphs: &[Glyph]) -> Vec<Region> {
        regions(&page(rules, glyphs), &fragments(glyphs), &[])
    }

    #[test]
    fn a_caption_between_rules_is_not_in_the_table() {
        let mut glyphs = line("Table 1: friction of wet and dry roads", 60.0, 92.0, 10.0);
        glyphs.extend(sample());
        let found = found(&[rule(80.0), rule(100.0), rule(115.0), rule(155.0)], &glyphs);
        assert_eq!(found.iter().map(|region| region.ruling.across.len()).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn a_line_across_the_end_of_rules_is_not_in_a_table() {
        let mut glyphs = sample();
        glyphs.extend(line("a line of text that starts in the table and ends beside it", 150.0, 150.0, 10.0));
        assert!(found(&[rule(100.0), rule(155.0)], &glyphs).is_empty());
    }

    #[test]
    fn a_listing_with_counted_lines_is_no_table() {
        let mut glyphs = Vec::new();
        for (row, code) in ["start", "step", "end"].into_iter().enumerate() {
            let y = 112.0 + 12.0 * f32::from(u8::try_from(row).unwrap_or(0));
            glyphs.extend(line(&format!("{}:", row + 1), 50.0, y, 10.0));
            glyphs.extend(line(code, 80.0, y, 10.0));
        }
        assert!(found(&[rule(100.0), rule(140.0)], &glyphs).is_empty());
    }

    #[test]
    fn booktabs() {
        let glyphs = sample();
        let regions = found(&[rule(100.0), rule(115.0), rule(155.0)], &glyphs);
        assert_eq!(regions.len(), 1);
        let rows = rows(fragments(&glyphs));
        let cells = grid::cells(&rows, &regions[0].ruling, &glyphs);
        assert_eq!(cells, [["surface", "friction"], ["dry", "0.9"], ["wet", "0.6"], ["ice", "0.1"]]);
    }

    #[test]
    fn a_rule_left_open_between_groups_of_columns_is_one() {
        let glyphs = sample();
        let pieces = [[48.0, 115.0, 150.0, 115.5], [166.0, 115.0, 260.0, 115.5]].map(|bbox| Rule { bbox });
        let rules = [&[rule(100.0)][..], &pieces, &[rule(155.0)]].concat();
        let found = found(&rules, &glyphs);
        assert_eq!(found.iter().map(|region| region.ruling.across.len()).collect::<Vec<_>>(), [3]);
        assert_eq!(
            super::regions(&page(&[rule(100.0), rule(115.0), rule(155.0)], &glyphs), &fragments(&glyphs), &[]),
            found
        );
    }

    #[test]
    fn equations_with_where_they_are_from_are_no_table() {
        let mut glyphs = Vec::new();
        for row in 0..5u8 {
            let y = 100.0 + 12.0 * f32::from(row);
            glyphs.extend(line("kappa = s + shift", 50.0, y, 10.0));
            glyphs.extend(line("(see the manual)", 250.0, y, 10.0));
        }
        assert!(!aligned(&rows(fragments(&glyphs)), &glyphs));
    }

    #[test]
    fn contents_with_leaders_are_no_table() {
        let mut glyphs = Vec::new();
        for (row, title) in ["State variables", "Tyres", "Wheels and axles"].into_iter().enumerate() {
            let y = 100.0 + 12.0 * f32::from(u8::try_from(row).unwrap_or(0));
            glyphs.extend(line(title, 50.0, y, 10.0));
            glyphs.extend(line(&".".repeat(40), 140.0, y, 10.0));
            glyphs.extend(line(&format!("{}", row + 3), 350.0, y, 10.0));
        }
        assert!(!aligned(&rows(fragments(&glyphs)), &glyphs));
    }

    #[test]
    fn a_rule_crossed_by_bars_is_a_table_as_far_as_they_reach() {
        let glyphs = sample();
        let bar = Rule { bbox: [180.0, 104.0, 180.4, 152.0] };
        let found = found(&[rule(115.0), bar], &glyphs);
        let cells: Vec<_> =
            found.iter().map(|region| grid::cells(&rows(fragments(&glyphs)), &region.ruling, &glyphs)).collect();
        assert_eq!(cells, [[["surface", "friction"], ["dry", "0.9"], ["wet", "0.6"], ["ice", "0.1"]]]);
    }

    #[test]
    fn cells_of_many_lines_between_bars_are_in_the_table() {
        let mut glyphs = [line("run", 50.0, 112.0, 10.0), line("what is done", 110.0, 112.0, 10.0)].concat();
        glyphs.extend(line("one", 50.0, 128.0, 10.0));
        for (y, text) in [(128.0, "all tyres are"), (139.0, "let down step"), (150.0, "by step")] {
            glyphs.extend(line(text, 110.0, y, 10.0));
        }
        glyphs.extend([line("two", 50.0, 166.0, 10.0), line("a step", 110.0, 166.0, 10.0)].concat());
        let bar = Rule { bbox: [100.0, 100.0, 100.4, 172.0] };
        let found = found(&[rule(100.0), rule(117.0), rule(155.0), rule(172.0), bar], &glyphs);
        assert_eq!(found.len(), 1);
        let cells = grid::cells(&rows(fragments(&glyphs)), &found[0].ruling, &glyphs);
        assert_eq!(cells, [["run", "what is done"], ["one", "all tyres are let down step by step"], ["two", "a step"]]);
    }

    #[test]
    fn text_between_rules_is_no_table() {
        let mut glyphs = Vec::new();
        for y in [112.0, 124.0, 136.0] {
            glyphs.extend(line("a line of running text that is quite wide", 50.0, y, 10.0));
        }
        assert!(found(&[rule(100.0), rule(140.0)], &glyphs).is_empty());
    }
}
