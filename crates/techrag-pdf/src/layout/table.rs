//! Tables: regions between rules of one width, or rows whose cells line up, as grids of cells.

use super::fragment::Fragment;
use super::row::{Row, rows};
use super::runs;
use crate::glyphs::{Glyph, Rule};
use crate::page::Bbox;

/// Ends of rules that agree to this many points belong together.
const AGREE: f32 = 5.0;
/// Shortest rule of a table, in points.
const SHORT: f32 = 60.0;

/// The place of a ruled table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Region {
    /// From its first to its last rule.
    pub bbox: Bbox,
    /// Heights of its rules, top to bottom.
    pub rules: Vec<f32>,
}

impl Region {
    /// Whether a fragment stands in it.
    pub(super) fn holds(&self, fragment: &Fragment) -> bool {
        let y = fragment.base - 0.3 * fragment.size;
        let x = f32::midpoint(fragment.bbox[0], fragment.bbox[2]);
        (self.bbox[1]..self.bbox[3]).contains(&y) && (self.bbox[0] - AGREE..self.bbox[2] + AGREE).contains(&x)
    }
}

/// The ruled tables of a page.
pub(super) fn regions(rules: &[Rule], fragments: &[Fragment]) -> Vec<Region> {
    let mut found: Vec<Region> = Vec::new();
    for group in groups(rules) {
        let mut open: Option<Region> = None;
        for pair in group.windows(2) {
            let slab = [pair[0][0].min(pair[1][0]), pair[0][1], pair[0][2].max(pair[1][2]), pair[1][1]];
            if is_tabular(slab, fragments, open.is_some()) {
                let region = open.get_or_insert_with(|| Region { bbox: slab, rules: vec![slab[1]] });
                region.bbox[3] = slab[3];
                region.rules.push(slab[3]);
            } else {
                found.extend(open.take());
            }
        }
        found.extend(open);
    }
    found.retain(|region| has_grid(region, fragments));
    found.sort_by(|a, b| a.bbox[1].total_cmp(&b.bbox[1]));
    let mut kept: Vec<Region> = Vec::new();
    for region in found {
        // Rules of cells inside a table found already make no table of their own.
        if !kept.iter().any(|known| overlap(known.bbox, region.bbox)) {
            kept.push(region);
        }
    }
    kept
}

fn overlap(a: Bbox, b: Bbox) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] - 1.0 && b[1] < a[3] - 1.0
}

/// Horizontal rules with the same ends, each group from top to bottom; pieces of one rule joined first.
fn groups(rules: &[Rule]) -> Vec<Vec<Bbox>> {
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
    let mut groups: Vec<Vec<Bbox>> = Vec::new();
    for rule in joined.into_iter().filter(|rule| rule[2] - rule[0] > SHORT) {
        let same = |group: &&mut Vec<Bbox>| {
            let first = group[0];
            (first[0] - rule[0]).abs() < AGREE && (first[2] - rule[2]).abs() < AGREE
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(rule),
            None => groups.push(vec![rule]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// Whether what stands between two rules may be rows of a table.
fn is_tabular(slab: Bbox, fragments: &[Fragment], inside: bool) -> bool {
    let region = Region { bbox: slab, rules: Vec::new() };
    let rows = rows(fragments.iter().filter(|fragment| region.holds(fragment)).cloned().collect());
    let cells: Vec<usize> = rows.iter().map(|row| row.cells().len()).collect();
    let many = cells.iter().filter(|&&count| count > 1).count();
    let wide = rows.iter().zip(&cells).filter(|(row, cells)| **cells == 1 && row.width() > 0.8 * (slab[2] - slab[0]));
    if rows.is_empty() {
        // Double rules.
        return slab[3] - slab[1] < 12.0;
    }
    many * 2 >= rows.len() && wide.count() * 4 <= rows.len() || (inside && rows.len() <= 2)
}

fn has_grid(region: &Region, fragments: &[Fragment]) -> bool {
    let rows = rows(fragments.iter().filter(|fragment| region.holds(fragment)).cloned().collect());
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

/// The cells of a table row by row, every row of the same length; `rules` separate rows where there are enough.
pub(super) fn grid(rows: &[Row], rules: &[f32], glyphs: &[Glyph]) -> Vec<Vec<String>> {
    let columns = grid_columns(rows);
    let place = |bbox: Bbox| {
        let middle = f32::midpoint(bbox[0], bbox[2]);
        let distance = |&(start, end): &(f32, f32)| (f32::midpoint(start, end) - middle).abs();
        let overlapping = |&(start, end): &(f32, f32)| bbox[0] < end && bbox[2] > start;
        let mut indexed = columns.iter().enumerate();
        // A cell over several columns belongs to the first of them.
        indexed.find(|(_, column)| overlapping(column)).map(|(index, _)| index).or_else(|| {
            let nearest = columns.iter().enumerate().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
            nearest.map(|(index, _)| index)
        })
    };
    let ruled = rules.len() > 3 && (rules.len() - 1) * 4 >= rows.len();
    let slab = |row: &Row| rules.iter().filter(|&&rule| rule < row.base - 0.3 * row.size).count();
    let mut out: Vec<Vec<String>> = Vec::new();
    let mut last = None;
    for row in rows {
        let at = slab(row);
        if !(ruled && last == Some(at)) {
            out.push(vec![String::new(); columns.len()]);
        }
        last = Some(at);
        for cell in row.cells() {
            let part = Row::of(row.parts[cell.clone()].to_vec());
            let (Some(part), Some(column), Some(cells)) = (part, place(row.cell_box(&cell)), out.last_mut()) else {
                continue;
            };
            let text = runs::line(&part, glyphs).text();
            let cell = &mut cells[column];
            if !cell.is_empty() {
                cell.push(' ');
            }
            cell.push_str(text.trim());
        }
    }
    out
}

/// The columns of a grid: from the rows with most cells, since headings may span several columns.
fn grid_columns(rows: &[Row]) -> Vec<(f32, f32)> {
    let counts: Vec<usize> = rows.iter().map(|row| row.cells().len()).collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    let full = rows.iter().zip(&counts).filter(|(_, count)| **count * 3 >= most * 2);
    let boxes = full.flat_map(|(row, _)| row.cells().into_iter().map(|cell| row.cell_box(&cell)));
    intervals(boxes.map(|bbox| (bbox[0], bbox[2])).collect(), 1.0)
}

/// Whether consecutive rows without rules form a table: cells that line up, in at least three rows.
pub(super) fn aligned(rows: &[Row]) -> bool {
    let counts: Vec<usize> = rows.iter().map(|row| row.cells().len()).collect();
    let columns = grid_columns(rows).len();
    let most = counts.iter().copied().max().unwrap_or(0);
    let full = counts.iter().filter(|&&count| count + 1 >= most && count > 1).count();
    let enough = if columns == 2 { rows.len() >= 4 } else { rows.len() >= 3 };
    columns >= 2 && columns == most && enough && full * 4 >= rows.len() * 3
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

    #[test]
    fn booktabs() {
        let glyphs = sample();
        let fragments = fragments(&glyphs);
        let regions = regions(&[rule(100.0), rule(115.0), rule(155.0)], &fragments);
        assert_eq!(regions.len(), 1);
        let rows = rows(fragments);
        let cells = grid(&rows, &regions[0].rules, &glyphs);
        assert_eq!(cells, [["surface", "friction"], ["dry", "0.9"], ["wet", "0.6"], ["ice", "0.1"]]);
    }

    #[test]
    fn text_between_rules_is_no_table() {
        let mut glyphs = Vec::new();
        for y in [112.0, 124.0, 136.0] {
            glyphs.extend(line("a line of running text that is quite wide", 50.0, y, 10.0));
        }
        assert!(regions(&[rule(100.0), rule(140.0)], &fragments(&glyphs)).is_empty());
    }
}
