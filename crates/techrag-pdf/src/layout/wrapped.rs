//! Cells of several lines: which rows of a table only go on with the row above.
//!
//! Where a rule stands between rows it decides. Elsewhere the white space does: lines of one cell stand closer than
//! rows do, and most of their row is empty.

use super::row::Row;
use techrag_core::lexicon;

/// A step between rows is larger than one between lines by this factor at least.
const LARGER: f32 = 1.05;
/// Steps of one kind differ by no more than this factor.
const ALIKE: f32 = 1.04;

/// For each row of a grid whether it goes on with the one above. `slabs` numbers the spaces between the rules.
pub(super) fn goes_on(rows: &[Row], grid: &[Vec<String>], slabs: &[usize]) -> Vec<bool> {
    let step = |index: usize| {
        let same = index > 0 && slabs[index] == slabs[index - 1];
        same.then(|| rows[index].base - rows[index - 1].base)
    };
    let steps: Vec<Option<f32>> = (0..rows.len()).map(step).collect();
    let close = line_step(&steps).filter(|&close| mostly_empty(&steps, grid, close));
    let wrapped = |index: usize| {
        let Some(step) = steps[index] else { return false };
        let (above, row) = (&grid[index - 1], &grid[index]);
        let by_space = close.is_some_and(|close| step <= close * ALIKE && !adds_numbers(above, row));
        by_space || breaks_words(above, row)
    };
    (0..rows.len()).map(wrapped).collect()
}

/// The step between lines of one cell, where steps are of two kinds.
fn line_step(steps: &[Option<f32>]) -> Option<f32> {
    let mut sorted: Vec<f32> = steps.iter().flatten().copied().collect();
    sorted.sort_by(f32::total_cmp);
    let least = *sorted.first().filter(|least| **least > 0.0)?;
    let close = sorted.partition_point(|&step| step <= least * ALIKE);
    let next = *sorted.get(close)?;
    (next >= sorted[close - 1] * LARGER).then_some(least)
}

/// Whether the rows that follow closely fill half of their cells or fewer, as the second lines of cells do and rows of
/// a group do not.
fn mostly_empty(steps: &[Option<f32>], grid: &[Vec<String>], close: f32) -> bool {
    let following = steps.iter().zip(grid).filter(|(step, _)| step.is_some_and(|step| step <= close * ALIKE));
    let (filled, all) = following.fold((0, 0), |(filled, all), (_, row)| {
        (filled + row.iter().filter(|cell| !cell.is_empty()).count(), all + row.len())
    });
    filled * 2 <= all
}

/// Whether a cell starts like a number.
pub(super) fn is_number(cell: &str) -> bool {
    cell.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '−' | '+' | '.'))
}

/// Whether a row holds nothing but numbers under numbers: values of their own.
fn adds_numbers(above: &[String], row: &[String]) -> bool {
    let mut filled = above.iter().zip(row).filter(|(_, cell)| !cell.is_empty()).peekable();
    filled.peek().is_some() && filled.all(|(above, cell)| is_number(above) && is_number(cell))
}

/// Whether a number alone in its cell stands under another: no line of text goes on so.
pub(super) fn has_number_under_number(above: &[String], row: &[String]) -> bool {
    let alone = |cell: &str| {
        is_number(cell) && cell.chars().all(|c| !c.is_alphabetic() && !c.is_whitespace() && !matches!(c, ',' | ';'))
    };
    above.iter().zip(row).any(|(above, cell)| alone(above) && alone(cell))
}

/// Whether every cell of a row ends a word that breaks in the cell above.
fn breaks_words(above: &[String], row: &[String]) -> bool {
    let mut filled = above.iter().zip(row).filter(|(_, cell)| !cell.is_empty()).peekable();
    filled.peek().is_some() && filled.all(|(above, cell)| is_broken(above, cell))
}

fn is_broken(above: &str, below: &str) -> bool {
    let head = above.trim_end_matches(['-', '\u{2010}', '\u{ad}']);
    head.len() < above.len() && head.ends_with(char::is_alphabetic) && below.starts_with(char::is_lowercase)
}

/// Appends a line to a cell; a word broken at its end is made whole.
pub(super) fn append(cell: &mut String, more: &str) {
    if is_broken(cell, more) {
        let head = cell.trim_end_matches(['-', '\u{2010}', '\u{ad}']);
        let last = head.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        let first = more.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        if lexicon::hyphen_goes(last, first) != Some(false) {
            cell.truncate(head.len());
        }
    } else if !cell.is_empty() && !more.is_empty() && !cell.ends_with('/') {
        cell.push(' ');
    }
    cell.push_str(more);
}

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line};
    use super::super::ruling::Ruling;
    use super::super::{grid, row};
    use crate::glyphs::Glyph;

    /// Cells at x 50, 150, 250 of lines at given heights.
    fn cells(lines: &[(f32, [&str; 3])]) -> Vec<Vec<String>> {
        let mut glyphs: Vec<Glyph> = Vec::new();
        for (y, words) in lines {
            for (word, x) in words.iter().zip([50.0, 150.0, 250.0]) {
                if !word.is_empty() {
                    glyphs.extend(line(word, x, *y, 10.0));
                }
            }
        }
        grid::cells(&row::rows(fragments(&glyphs)), &Ruling::default(), &glyphs)
    }

    #[test]
    fn second_lines_of_cells_stand_closer_than_rows() {
        let got = cells(&[
            (100.0, ["speed at which", "Vc", "40 m/"]),
            (111.0, ["it halves", "", "s"]),
            (123.0, ["wheel load", "Fz", "4000 N"]),
            (135.0, ["stiffness of the", "cp", "10 MN"]),
            (146.0, ["tempera-", "", ""]),
            (157.0, ["ture", "", ""]),
            (169.0, ["friction", "mu", "0.9"]),
        ]);
        assert_eq!(
            got,
            [
                ["speed at which it halves", "Vc", "40 m/s"],
                ["wheel load", "Fz", "4000 N"],
                ["stiffness of the temperature", "cp", "10 MN"],
                ["friction", "mu", "0.9"],
            ]
        );
    }

    #[test]
    fn rows_of_a_group_stay_rows() {
        let got = cells(&[
            (100.0, ["wet", "slow", "0.6"]),
            (111.0, ["", "fast", "0.4"]),
            (126.0, ["dry", "slow", "0.9"]),
            (137.0, ["", "fast", "0.8"]),
        ]);
        assert_eq!(got.len(), 4, "{got:?}");
    }
}
