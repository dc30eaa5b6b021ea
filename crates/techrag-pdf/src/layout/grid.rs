//! Rows of a table as a grid of cells, by the white space that runs through its rows.

use super::fragment::glyph_box;
use super::row::Row;
use super::runs::{self, Placed};
use super::table::intervals;
use super::wrapped;
use crate::glyphs::Glyph;
use crate::page::Bbox;

/// White space between columns in em, where enough rows agree on it; spaces between words are narrower.
const GAP: f32 = 0.45;
/// The same where few rows do.
const WIDE_GAP: f32 = 0.8;
/// Rows that make [`GAP`] safe.
const ROWS: usize = 4;

/// A word of a row.
struct Word {
    glyphs: Vec<Placed>,
    bbox: Bbox,
}

/// The cells of a table row by row, every row of the same length. `rules` are the heights of its horizontal rules:
/// a row that fills few cells goes on with the one above where no rule is between them.
pub(super) fn cells(rows: &[Row], rules: &[f32], glyphs: &[Glyph]) -> Vec<Vec<String>> {
    let full = full_rows(rows);
    let words: Vec<Vec<Word>> = rows.iter().map(|row| words(row, glyphs)).collect();
    let columns = columns(rows, &words, &full);
    let ruled = rules.len() > 3 && rules.len() * 3 >= rows.len();
    let slab = |row: &Row| rules.iter().filter(|&&rule| rule < row.base - 0.3 * row.size).count();
    let slabs: Vec<usize> = rows.iter().map(slab).collect();
    let lines: Vec<Vec<String>> = rows
        .iter()
        .enumerate()
        .map(|(index, row)| cells_of(row, &words[index], &columns, full[index], glyphs))
        .collect();
    let wrapped = wrapped::goes_on(rows, &lines, &slabs);
    let mut out: Vec<Vec<String>> = Vec::new();
    for (index, cells) in lines.into_iter().enumerate() {
        let filled = cells.iter().filter(|cell| !cell.is_empty()).count();
        let same = index > 0 && slabs[index - 1] == slabs[index];
        // Heads have lines, not rows; below, rules say where rows end if there are many, else white space does.
        let head = rules.len() == 3 && slabs[index] == 1;
        let goes_on = same && (head || ruled && filled * 2 <= columns.len().max(2) || wrapped[index]);
        match out.last_mut().filter(|_| goes_on) {
            Some(above) => above.iter_mut().zip(cells).for_each(|(above, cell)| wrapped::append(above, &cell)),
            None => out.push(cells),
        }
    }
    out
}

/// Which rows have about as many cells as the fullest; headings may span several columns and are not among them.
fn full_rows(rows: &[Row]) -> Vec<bool> {
    let counts: Vec<usize> = rows.iter().map(|row| row.cells().len()).collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    counts.iter().map(|count| count * 3 >= most * 2).collect()
}

/// The columns of rows whose cells stand well apart.
pub(super) fn columns_by_cells(rows: &[Row]) -> Vec<(f32, f32)> {
    let full = full_rows(rows);
    let chosen = rows.iter().zip(full).filter(|(_, full)| *full);
    let boxes = chosen.flat_map(|(row, _)| row.cells().into_iter().map(|cell| row.cell_box(&cell)));
    intervals(boxes.map(|bbox| (bbox[0], bbox[2])).collect(), 1.0)
}

/// Whether a row keeps to these columns: words in at least two of them and none across the space between two.
pub(super) fn keeps_to(row: &Row, columns: &[(f32, f32)], glyphs: &[Glyph]) -> bool {
    let words = words(row, glyphs);
    let gaps: Vec<f32> = columns.windows(2).map(|pair| f32::midpoint(pair[0].1, pair[1].0)).collect();
    let crosses = |word: &Word| gaps.iter().any(|&gap| word.bbox[0] < gap - 1.0 && word.bbox[2] > gap + 1.0);
    let mut used: Vec<usize> = words.iter().map(|word| column_of(word.bbox, columns)).collect();
    used.dedup();
    used.len() > 1 && !words.iter().any(crosses)
}

/// Whether a row stands within one of these columns.
pub(super) fn in_one(row: &Row, columns: &[(f32, f32)]) -> bool {
    columns.iter().any(|&(start, end)| row.bbox[0] > start - 2.0 && row.bbox[2] < end + 2.0)
}

fn words(row: &Row, glyphs: &[Glyph]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for (glyph, space) in runs::ordered(row, glyphs) {
        let bbox = glyph_box(&glyphs[glyph]);
        match words.last_mut() {
            Some(word) if !space => {
                word.glyphs.push((glyph, space));
                word.bbox = super::fragment::join(word.bbox, bbox);
            }
            _ => words.push(Word { glyphs: vec![(glyph, space)], bbox }),
        }
    }
    words
}

fn columns(rows: &[Row], words: &[Vec<Word>], full: &[bool]) -> Vec<(f32, f32)> {
    let chosen = || words.iter().zip(full).filter(|(_, full)| **full).flat_map(|(words, _)| words);
    let count = full.iter().filter(|full| **full).count();
    let size = rows.first().map_or(10.0, |row| row.size);
    let gap = if count >= ROWS { GAP } else { WIDE_GAP };
    intervals(chosen().map(|word| (word.bbox[0], word.bbox[2])).collect(), gap * size)
}

/// The cells of one row. A row that does not follow the columns (a heading over several) gives each stretch of words
/// to the first column it touches.
fn cells_of(row: &Row, words: &[Word], columns: &[(f32, f32)], full: bool, glyphs: &[Glyph]) -> Vec<String> {
    let mut cells: Vec<Vec<Placed>> = vec![Vec::new(); columns.len()];
    let mut last: Option<(usize, f32)> = None;
    for word in words {
        let with_last = last.filter(|&(_, end)| !full && word.bbox[0] - end < GAP * row.size);
        let column = with_last.map_or_else(|| column_of(word.bbox, columns), |(column, _)| column);
        last = Some((column, word.bbox[2]));
        if let Some(cell) = cells.get_mut(column) {
            let first = cell.is_empty();
            let placed = word.glyphs.iter().enumerate();
            cell.extend(placed.map(|(index, &(glyph, _))| (glyph, index == 0 && !first)));
        }
    }
    cells.iter().map(|cell| runs::text(cell, row, glyphs)).collect()
}

/// The first column that a box touches, or the nearest.
fn column_of(bbox: Bbox, columns: &[(f32, f32)]) -> usize {
    let middle = f32::midpoint(bbox[0], bbox[2]);
    let distance = |&(start, end): &(f32, f32)| (start - middle).max(middle - end).max(0.0);
    let nearest = columns.iter().enumerate().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
    nearest.map_or(0, |(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line};
    use super::super::row::rows;
    use super::*;

    #[test]
    fn a_long_name_next_to_a_number_is_split_from_it() {
        let mut all = Vec::new();
        let names = ["a name of ten words", "short", "mid length name", "another short"];
        for (row, name) in names.into_iter().enumerate() {
            let y = 100.0 + 12.0 * f32::from(u8::try_from(row).unwrap_or(0));
            all.extend(line(name, 50.0, y, 10.0));
            all.extend(line("0.5", 152.0, y, 10.0));
        }
        let cells = cells(&rows(fragments(&all)), &[], &all);
        assert!(cells.iter().all(|row| row.len() == 2 && row[1] == "0.5"), "{cells:?}");
        assert_eq!(cells[0][0], names[0]);
    }
}
