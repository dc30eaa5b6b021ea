//! The tables of a sheet: which filled cells belong together.
//!
//! Empty rows part tables. Empty columns do so only between two blocks that both look like tables (their first rows are
//! filled from end to end): in a form, the column of units and the column of values are parted by empty ones too, and a
//! row torn apart says nothing. Tables that meet only at a corner are parted by what touches.

use std::collections::HashMap;

use crate::address::Area;

/// Blocks that touch at corners: with more of them than this, it is no sheet of tables but a scatter.
const MAX_BLOCKS: usize = 50;

/// A cell that holds something; row and column count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) row: u32,
    pub(super) column: u32,
    pub(super) text: String,
}

/// The cells of each table, in the order of their first rows; within each by row and column.
pub(super) fn regions(cells: Vec<Cell>) -> Vec<Vec<Cell>> {
    let mut regions = Vec::new();
    let mut open = vec![cells];
    while let Some(mut cells) = open.pop() {
        if cells.is_empty() {
            continue;
        }
        cells.sort_unstable_by_key(|cell| (cell.row, cell.column));
        let parts = part(cells);
        match <[Vec<Cell>; 1]>::try_from(parts) {
            Ok([whole]) => regions.push(whole),
            Err(parts) => open.extend(parts),
        }
    }
    regions.sort_by_key(|cells| area(cells).map(|area| (area.top, area.left)));
    regions
}

/// The parts of a block, or the block itself.
fn part(cells: Vec<Cell>) -> Vec<Vec<Cell>> {
    let rows = runs(cells, |cell| cell.row);
    if rows.len() > 1 {
        return rows;
    }
    let mut cells: Vec<Cell> = rows.into_iter().flatten().collect();
    cells.sort_unstable_by_key(|cell| (cell.column, cell.row));
    let mut columns: Vec<Vec<Cell>> = Vec::new();
    for run in runs(cells, |cell| cell.column) {
        match columns.last_mut().filter(|last| !(is_table(last) && is_table(&run))) {
            Some(last) => last.extend(run),
            None => columns.push(run),
        }
    }
    if columns.len() > 1 {
        return columns;
    }
    touching(columns.into_iter().flatten().collect())
}

/// Runs of cells without a gap in a coordinate; they come sorted by it.
fn runs(cells: Vec<Cell>, coordinate: impl Fn(&Cell) -> u32) -> Vec<Vec<Cell>> {
    let mut runs: Vec<Vec<Cell>> = Vec::new();
    for cell in cells {
        match runs.last_mut() {
            Some(run) if run.last().is_some_and(|last| coordinate(&cell) <= coordinate(last).saturating_add(1)) => {
                run.push(cell);
            }
            _ => runs.push(vec![cell]),
        }
    }
    runs
}

/// The smallest rectangle around cells.
pub(super) fn area(cells: &[Cell]) -> Option<Area> {
    let rows = || cells.iter().map(|cell| cell.row);
    let columns = || cells.iter().map(|cell| cell.column);
    Some(Area { top: rows().min()?, left: columns().min()?, bottom: rows().max()?, right: columns().max()? })
}

/// Two rows and columns at least, the first row filled from end to end.
fn is_table(cells: &[Cell]) -> bool {
    let Some(area) = area(cells) else { return false };
    let first = cells.iter().filter(|cell| cell.row == area.top).count();
    area.top < area.bottom && area.left < area.right && first == (area.right - area.left + 1) as usize
}

/// Blocks of cells that touch at their sides, where each of them has two rows and columns at least.
fn touching(cells: Vec<Cell>) -> Vec<Vec<Cell>> {
    let Some(whole) = area(&cells) else { return Vec::new() };
    let places = u64::from(whole.bottom - whole.top + 1) * u64::from(whole.right - whole.left + 1);
    if places == cells.len() as u64 {
        return vec![cells];
    }
    let blocks = blocks(&cells);
    let count = blocks.iter().max().map_or(0, |last| last + 1);
    if !(2..=MAX_BLOCKS).contains(&count) {
        return vec![cells];
    }
    let mut parts: Vec<Vec<&Cell>> = vec![Vec::new(); count];
    for (cell, block) in cells.iter().zip(&blocks) {
        parts[*block].push(cell);
    }
    let parts: Vec<Vec<Cell>> = parts.into_iter().map(|part| part.into_iter().cloned().collect()).collect();
    let areas: Vec<Area> = parts.iter().filter_map(|part| area(part)).collect();
    let large = areas.iter().all(|area| area.top < area.bottom && area.left < area.right);
    let apart = areas.iter().enumerate().all(|(at, a)| areas[..at].iter().all(|b| !overlap(a, b)));
    if large && apart { parts } else { vec![cells] }
}

fn overlap(a: &Area, b: &Area) -> bool {
    a.top <= b.bottom && b.top <= a.bottom && a.left <= b.right && b.left <= a.right
}

/// For each cell the number of the block it is in.
fn blocks(cells: &[Cell]) -> Vec<usize> {
    let at: HashMap<(u32, u32), usize> =
        cells.iter().enumerate().map(|(at, cell)| ((cell.row, cell.column), at)).collect();
    let mut blocks = vec![usize::MAX; cells.len()];
    let mut count = 0;
    for start in 0..cells.len() {
        if blocks[start] != usize::MAX {
            continue;
        }
        let mut open = vec![start];
        while let Some(next) = open.pop() {
            if std::mem::replace(&mut blocks[next], count) != usize::MAX {
                continue;
            }
            let Cell { row, column, .. } = cells[next];
            let around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)];
            open.extend(around.iter().filter_map(|place| at.get(place)).filter(|&&at| blocks[at] == usize::MAX));
        }
        count += 1;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The regions of a drawing, as addresses; a full stop is an empty cell.
    fn areas(drawing: &[&str]) -> Vec<String> {
        let cell = |row: usize, (column, c): (usize, char)| {
            (c != '.').then(|| Cell { row: row as u32 + 1, column: column as u32 + 1, text: c.into() })
        };
        let cells = drawing
            .iter()
            .enumerate()
            .flat_map(|(row, line)| line.chars().enumerate().filter_map(move |at| cell(row, at)));
        regions(cells.collect()).iter().filter_map(|cells| area(cells)).map(|area| area.to_string()).collect()
    }

    #[test]
    fn empty_rows_and_columns_part_tables() {
        assert_eq!(areas(&["ab..", "12..", "....", "..cd", "..34"]), ["A1:B2", "C4:D5"]);
        assert_eq!(areas(&["ab...", "12.cd", "34.56"]), ["A1:B3", "D2:E3"]);
    }

    #[test]
    fn a_form_keeps_its_rows_whole() {
        assert_eq!(areas(&["a....", "1.b.x", "2.c.y"]), ["A1:E3"]);
    }

    #[test]
    fn tables_that_meet_at_a_corner_are_two() {
        assert_eq!(areas(&["ab..", "12..", "..cd", "..34"]), ["A1:B2", "C3:D4"]);
        assert_eq!(areas(&["ab.", "..c"]), ["A1:C2"]);
    }
}
