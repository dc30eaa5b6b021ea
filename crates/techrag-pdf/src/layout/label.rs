//! Labels over several rows of a table: set halfway between the lines they are for, or broken by no rule between them.

use super::row::Row;
use super::ruling::Ruling;
use super::wrapped;
use crate::page::Bbox;

/// Nearer than this to another row, in em, is no row of its own: lines of text never are.
const NEAR: f32 = 0.8;
/// As near a label may stand to the rows above and below where it is halfway between them, in em.
const HALFWAY: f32 = 1.6;
/// Distances that differ by less than this, in em, are the same.
const SAME: f32 = 0.15;

/// Rows with those that are too near to another and beside its words taken into it: the nearest, the upper of two.
pub(super) fn gather(rows: &[Row], ruling: &Ruling) -> Vec<Row> {
    let mut rows = rows.to_vec();
    let mut at = 0;
    while at < rows.len() {
        match home(&rows, at, ruling) {
            Some(home) => {
                let label = rows.remove(at);
                rows[home - usize::from(home > at)].absorb(label);
            }
            None => at += 1,
        }
    }
    rows
}

fn home(rows: &[Row], at: usize, ruling: &Ruling) -> Option<usize> {
    let row = &rows[at];
    let slab = |row: &Row| ruling.above(row.base - 0.3 * row.size);
    let distance = |other: usize| (rows[other].base - row.base).abs() / rows[other].size.max(row.size);
    let halfway = at > 0 && at + 1 < rows.len() && (distance(at - 1) - distance(at + 1)).abs() < SAME;
    let fits = |other: &usize| {
        let home = &rows[*other];
        slab(home) == slab(row)
            && distance(*other) < if halfway { HALFWAY } else { NEAR }
            && (home.cells().len() > row.cells().len() || halfway && is_parted(&rows[at - 1], &rows[at + 1], ruling))
            && are_beside(row, home)
    };
    let above = at.checked_sub(1).filter(fits);
    let below = Some(at + 1).filter(|&below| below < rows.len()).filter(fits);
    match (above, below) {
        (Some(above), None) | (None, Some(above)) if distance(above) >= NEAR => None,
        (Some(above), Some(below)) if distance(below) + SAME < distance(above) => Some(below),
        (above, below) => above.or(below),
    }
}

/// Whether a rule over some columns parts cells of two rows.
pub(super) fn is_parted(above: &Row, below: &Row, ruling: &Ruling) -> bool {
    let between = |rule: &&Bbox| (above.base..below.base).contains(&rule[1]);
    let over = |rule: &Bbox| {
        let covers = |cell: Bbox| rule[2].min(cell[2]) - rule[0].max(cell[0]) > 0.8 * (cell[2] - cell[0]);
        below.cells().into_iter().any(|cell| covers(below.cell_box(&cell)))
            && above.cells().into_iter().any(|cell| covers(above.cell_box(&cell)))
    };
    ruling.partial.iter().filter(between).any(over)
}

/// Whether no word of one row stands over or under one of the other.
fn are_beside(row: &Row, other: &Row) -> bool {
    let slack = 0.1 * row.size;
    let apart = |a: [f32; 4], b: [f32; 4]| a[0] > b[2] - slack || b[0] > a[2] - slack;
    row.parts.iter().all(|part| other.parts.iter().all(|home| apart(part.bbox, home.bbox)))
}

/// Joins cells that a rule between two rows leaves out while it parts the others: such a cell goes on in the row below.
/// `between` holds for each row of the grid the heights of the base lines of its first and last line.
pub(super) fn join_over(grid: &mut [Vec<String>], between: &[(f32, f32)], columns: &[(f32, f32)], ruling: &Ruling) {
    for below in (1..grid.len()).rev() {
        let (end, start) = (between[below - 1].1, between[below].0);
        let rules = || ruling.partial.iter().filter(|rule| (end..start).contains(&rule[1]));
        let parted = |&(from, to): &(f32, f32)| {
            let covered = |rule: &[f32; 4]| rule[2].min(to) - rule[0].max(from) > 0.5 * (to - from);
            rules().any(covered)
        };
        let parted: Vec<bool> = columns.iter().map(parted).collect();
        // Bars of fractions and roots part nothing.
        if parted.iter().filter(|parted| **parted).count() * 2 < columns.len() {
            continue;
        }
        for column in (0..columns.len()).filter(|&column| !parted[column]) {
            if !grid[below - 1][column].is_empty() {
                let more = std::mem::take(&mut grid[below][column]);
                wrapped::append(&mut grid[below - 1][column], &more);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line};
    use super::super::{grid, row};
    use super::*;

    fn cells(lines: &[(f32, f32, &str)], ruling: &Ruling) -> Vec<Vec<String>> {
        let glyphs: Vec<_> = lines.iter().flat_map(|&(x, y, text)| line(text, x, y, 10.0)).collect();
        grid::cells(&row::rows(fragments(&glyphs)), ruling, &glyphs)
    }

    #[test]
    fn a_label_halfway_between_two_rows_is_in_the_first() {
        let lines = [
            (50.0, 112.0, "road"),
            (100.0, 112.0, "lane"),
            (200.0, 112.0, "speed"),
            (50.0, 132.0, "wet"),
            (100.0, 126.0, "left"),
            (200.0, 126.0, "0.6"),
            (100.0, 138.0, "right"),
            (200.0, 138.0, "0.7"),
            (50.0, 156.0, "dry"),
            (100.0, 150.0, "left"),
            (200.0, 150.0, "0.8"),
            (100.0, 162.0, "right"),
            (200.0, 162.0, "0.9"),
        ];
        let expected = [
            ["road", "lane", "speed"],
            ["wet", "left", "0.6"],
            ["", "right", "0.7"],
            ["dry", "left", "0.8"],
            ["", "right", "0.9"],
        ];
        assert_eq!(cells(&lines, &Ruling::default()), expected);
    }

    #[test]
    fn a_rule_in_a_head_parts_a_title_from_what_is_under_it() {
        let lines = [
            (120.0, 106.0, "distance"),
            (50.0, 114.0, "car"),
            (220.0, 114.0, "runs"),
            (110.0, 122.0, "dry"),
            (160.0, 122.0, "wet"),
            (50.0, 138.0, "van"),
            (110.0, 138.0, "38.2"),
            (160.0, 138.0, "51.0"),
            (220.0, 138.0, "12"),
            (50.0, 154.0, "bus"),
            (110.0, 154.0, "44.9"),
            (160.0, 154.0, "61.3"),
            (220.0, 154.0, "9"),
        ];
        let across = vec![95.0, 126.0, 142.0, 158.0];
        let partial = vec![[100.0, 110.0, 200.0, 110.4]];
        let got = cells(&lines, &Ruling { across, partial, bars: Vec::new() });
        assert_eq!(got[..2], [["car", "distance", "", "runs"], ["", "dry", "wet", ""]]);
        assert_eq!(got[2..], [["van", "38.2", "51.0", "12"], ["bus", "44.9", "61.3", "9"]]);
    }

    #[test]
    fn a_cell_that_a_rule_leaves_out_goes_on() {
        let lines = [
            (50.0, 112.0, "loss in"),
            (120.0, 112.0, "first"),
            (200.0, 112.0, "0.6"),
            (50.0, 126.0, "training"),
            (120.0, 126.0, "second"),
            (200.0, 126.0, "0.7"),
        ];
        let across = vec![100.0, 130.0];
        let partial = vec![[110.0, 115.0, 250.0, 115.4]];
        let got = cells(&lines, &Ruling { across, partial, bars: Vec::new() });
        assert_eq!(got, [["loss in training", "first", "0.6"], ["", "second", "0.7"]]);
    }
}
