//! Heads of tables: which of their lines are one, and which are rows of their own, as titles over several columns are.

use super::kind;
use super::row::Row;
use super::ruling::Ruling;
use super::wrapped;
use crate::glyphs::Glyph;
use crate::page::Bbox;

/// Most lines of a head between two rules of a table that has more of them.
const MOST: usize = 4;
/// Share of a stretch that is over a column at least if it is a title over it.
const PART: f32 = 0.2;

/// The lines of a table.
pub(super) struct Lines<'a> {
    /// As they stand.
    pub rows: &'a [Row],
    /// Their cells.
    pub cells: &'a [Vec<String>],
    /// Numbers of the spaces between rules that they stand in.
    pub slabs: &'a [usize],
    /// Ends of the columns.
    pub columns: &'a [(f32, f32)],
}

impl Lines<'_> {
    fn in_slab(&self, slab: usize) -> impl Iterator<Item = usize> {
        (0..self.rows.len()).filter(move |&line| self.slabs[line] == slab)
    }

    fn has_numbers(&self, mut lines: impl Iterator<Item = usize>) -> bool {
        lines.any(|line| self.cells[line].iter().any(|cell| wrapped::is_number(cell)))
    }

    /// Whether a stretch of one line is centred over several cells of another: a good part of it is nearer to each.
    fn spans(&self, line: usize, other: usize) -> bool {
        let row = &self.rows[line];
        let boxes: Vec<Bbox> = row.cells().into_iter().map(|cell| row.cell_box(&cell)).collect();
        boxes.into_iter().any(|bbox| {
            let over = |column: &usize| {
                let (start, end) = self.territory(*column);
                bbox[2].min(end) - bbox[0].max(start) > PART * (bbox[2] - bbox[0])
            };
            let filled = |column: &usize| !self.cells[other][*column].is_empty();
            (0..self.columns.len()).filter(filled).filter(over).count() > 1
        })
    }

    /// What is nearer to a column than to others.
    fn territory(&self, column: usize) -> (f32, f32) {
        let border = |left: usize| f32::midpoint(self.columns[left].1, self.columns[left + 1].0);
        let start = column.checked_sub(1).map_or(f32::NEG_INFINITY, border);
        let end = if column + 1 < self.columns.len() { border(column) } else { f32::INFINITY };
        (start, end)
    }
}

/// Whether a line goes on with the line above in the head. Between the upper two of three rules all lines are the
/// head's; where there are more rules, those before the first rule that numbers follow, in words, and further ones as
/// bold as they.
pub(super) fn goes_on(lines: &Lines<'_>, line: usize, ruling: &Ruling, glyphs: &[Glyph]) -> bool {
    let slab = lines.slabs[line];
    let rules = ruling.across.len();
    if slab == 0 || rules < 3 || lines.spans(line, line - 1) || lines.spans(line - 1, line) {
        return false;
    }
    if rules == 3 {
        return slab == 1;
    }
    let bold = || (0..=line).all(|line| kind::all_bold(&lines.rows[line], glyphs));
    lines.in_slab(slab).count() <= MOST
        && !lines.has_numbers(lines.in_slab(slab))
        && lines.has_numbers(lines.in_slab(slab + 1))
        && (slab == 1 || bold())
}

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line};
    use super::super::{grid, row};
    use super::*;

    fn cells(lines: &[(f32, f32, &str)], across: &[f32]) -> Vec<Vec<String>> {
        let glyphs: Vec<_> = lines.iter().flat_map(|&(x, y, text)| line(text, x, y, 10.0)).collect();
        let ruling = Ruling { across: across.to_vec(), ..Ruling::default() };
        grid::cells(&row::rows(fragments(&glyphs)), &ruling, &glyphs)
    }

    const BODY: [(f32, f32, &str); 6] = [
        (50.0, 140.0, "wet"),
        (150.0, 140.0, "0.61"),
        (250.0, 140.0, "0.42"),
        (50.0, 156.0, "dry"),
        (150.0, 156.0, "0.92"),
        (250.0, 156.0, "0.83"),
    ];

    #[test]
    fn lines_of_a_head_are_one_and_titles_over_columns_are_not() {
        let head = [(140.0, 110.0, "measured"), (245.0, 110.0, "computed"), (145.0, 121.0, "(slow)")];
        let over = [(160.0, 110.0, "friction at speed"), (150.0, 121.0, "low"), (250.0, 121.0, "high")];
        for across in [&[99.0, 126.0, 160.0][..], &[99.0, 126.0, 145.0, 160.0]] {
            let got = cells(&[&head[..], &BODY].concat(), across);
            assert_eq!(got[0], ["", "measured (slow)", "computed"], "{across:?}");
            assert_eq!(got.len(), 3);
            let got = cells(&[&over[..], &BODY].concat(), across);
            assert_eq!(got[1], ["", "low", "high"], "{across:?}");
            assert_eq!(got.len(), 4);
        }
    }
}
