//! Tables without rules that run over two columns of a page: found in halves, one in each column.

use super::block::Draft;
use super::kind::Class;
use super::order::Zone;

/// Fewest rows that tell two halves from two tables that happen to stand side by side.
const ROWS: usize = 4;
/// Base lines that agree to this share of the type are one.
const SAME: f32 = 0.1;

/// Joins tables of neighbouring columns whose rows all stand on the same base lines, in the place of the first.
pub(super) fn join(drafts: &mut Vec<Draft>) {
    let mut at = 0;
    while at < drafts.len() {
        match (at + 1..drafts.len()).find(|&other| are_halves(&drafts[at], &drafts[other])) {
            Some(other) => {
                let right = drafts.remove(other);
                // One row goes on with the other: a third column may follow.
                drafts[at].zone = right.zone;
                drafts[at].rows.iter_mut().zip(right.rows).for_each(|(row, more)| row.absorb(more));
            }
            None => at += 1,
        }
    }
}

fn are_halves(left: &Draft, right: &Draft) -> bool {
    let unruled = |draft: &Draft| draft.class == Class::Table(usize::MAX);
    let beside = matches!((left.zone, right.zone), (Zone::Column(a), Zone::Column(b)) if b == a + 1);
    let level = || {
        let mut rows = left.rows.iter().zip(&right.rows);
        rows.all(|(row, other)| (row.base - other.base).abs() < SAME * row.size && row.bbox[2] < other.bbox[0])
    };
    unruled(left)
        && unruled(right)
        && beside
        && left.rows.len() >= ROWS
        && left.rows.len() == right.rows.len()
        && level()
}

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line};
    use super::super::row::rows;
    use super::*;

    fn half(column: usize, x: f32, shift: f32) -> Draft {
        let line = |row: u8| line("0.5", x, 100.0 + shift + 12.0 * f32::from(row), 10.0);
        let rows = rows(fragments(&(0..5).flat_map(line).collect::<Vec<_>>()));
        Draft { class: Class::Table(usize::MAX), zone: Zone::Column(column), rows }
    }

    #[test]
    fn rows_on_one_base_line_are_one_and_others_two() {
        let mut drafts = vec![half(0, 50.0, 0.0), half(1, 300.0, 0.0)];
        join(&mut drafts);
        assert_eq!(drafts.iter().map(|draft| draft.rows[0].parts.len()).collect::<Vec<_>>(), [2]);
        let mut drafts = vec![half(0, 50.0, 0.0), half(1, 300.0, 3.0)];
        join(&mut drafts);
        assert_eq!(drafts.len(), 2);
    }
}
