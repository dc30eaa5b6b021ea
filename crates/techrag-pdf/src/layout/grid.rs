//! Rows of a table as a grid of cells, by the white space that runs through its rows.

use super::fragment::glyph_box;
use super::head::{self, Lines};
use super::label;
use super::row::Row;
use super::ruling::{Bar, Ruling};
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

/// The cells of a table row by row, every row of the same length: a row that fills few cells goes on with the one above
/// where no rule is between them.
pub(super) fn cells(rows: &[Row], ruling: &Ruling, glyphs: &[Glyph]) -> Vec<Vec<String>> {
    let rows: Vec<Row> = rows.iter().map(|row| row.parted(glyphs)).collect();
    let rows = label::gather(&rows, ruling);
    let words: Vec<Vec<Word>> = rows.iter().map(|row| words(row, glyphs)).collect();
    let (columns, full) = columns(&rows, &words);
    let columns = split(columns, &ruling.bars, &rows, &words);
    let slabs: Vec<usize> = rows.iter().map(|row| ruling.above(row.base - 0.3 * row.size)).collect();
    let lines: Vec<Vec<String>> = rows
        .iter()
        .enumerate()
        .map(|(index, row)| cells_of(row, &words[index], &columns, full[index], glyphs))
        .collect();
    let goes_on = goes_on(&Lines { rows: &rows, cells: &lines, slabs: &slabs, columns: &columns }, ruling, glyphs);
    let mut out: Vec<Vec<String>> = Vec::new();
    let mut between: Vec<(f32, f32)> = Vec::new();
    for ((cells, goes_on), row) in lines.into_iter().zip(goes_on).zip(&rows) {
        match (out.last_mut(), between.last_mut()) {
            (Some(above), Some(place)) if goes_on => {
                above.iter_mut().zip(cells).for_each(|(above, cell)| wrapped::append(above, &cell));
                place.1 = row.base;
            }
            _ => {
                out.push(cells);
                between.push((row.base, row.base));
            }
        }
    }
    label::join_over(&mut out, &between, &columns, ruling);
    out
}

/// Which lines go on with the row above.
fn goes_on(lines: &Lines<'_>, ruling: &Ruling, glyphs: &[Glyph]) -> Vec<bool> {
    let rules = ruling.across.len();
    let ruled = rules > 3 && rules * 3 >= lines.rows.len();
    let wrapped = wrapped::goes_on(lines.rows, lines.cells, lines.slabs);
    let goes_on = |index: usize| {
        if index == 0
            || lines.slabs[index - 1] != lines.slabs[index]
            || label::is_parted(&lines.rows[index - 1], &lines.rows[index], ruling)
        {
            return false;
        }
        let (above, cells) = (&lines.cells[index - 1], &lines.cells[index]);
        let filled = cells.iter().filter(|cell| !cell.is_empty()).count();
        // Below the head rules say where rows end if there are many, else white space does.
        let few = filled * 2 <= lines.columns.len().max(2) && !wrapped::has_number_under_number(above, cells);
        head::goes_on(lines, index, ruling, glyphs) || ruled && few || wrapped[index]
    };
    (0..lines.rows.len()).map(goes_on).collect()
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

/// The columns of a table, and the rows that follow them: those with about as many cells as the fullest, or the fullest
/// alone where a title over two columns would join them.
fn columns(rows: &[Row], words: &[Vec<Word>]) -> (Vec<(f32, f32)>, Vec<bool>) {
    let about = full_rows(rows);
    let counts: Vec<usize> = rows.iter().map(|row| row.cells().len()).collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    let fullest: Vec<bool> = counts.iter().map(|&count| count == most).collect();
    let (joined, parted) = (columns_of(rows, words, &about), columns_of(rows, words, &fullest));
    let enough = fullest.iter().filter(|full| **full).count() * 4 >= rows.len().max(8);
    if enough && parted.len() == most && joined.len() < most { (parted, fullest) } else { (joined, about) }
}

/// The columns of the words of chosen rows.
fn columns_of(rows: &[Row], words: &[Vec<Word>], chosen: &[bool]) -> Vec<(f32, f32)> {
    let count = chosen.iter().filter(|chosen| **chosen).count();
    let words = words.iter().zip(chosen).filter(|(_, chosen)| **chosen).flat_map(|(words, _)| words);
    let size = rows.first().map_or(10.0, |row| row.size);
    let gap = if count >= ROWS { GAP } else { WIDE_GAP };
    intervals(words.map(|word| (word.bbox[0], word.bbox[2])).collect(), gap * size)
}

/// Columns parted at the bars that run between words of at least two rows.
fn split(columns: Vec<(f32, f32)>, bars: &[Bar], rows: &[Row], words: &[Vec<Word>]) -> Vec<(f32, f32)> {
    let mut columns = columns;
    for bar in bars {
        let passed = |row: &Row| (bar.top..bar.bottom).contains(&(row.base - 0.3 * row.size));
        let Some(at) = columns.iter().position(|&(start, end)| start < bar.x && bar.x < end) else { continue };
        let (start, end) = columns[at];
        let beside = || rows.iter().zip(words).filter(|(row, _)| passed(row)).flat_map(|(_, words)| words);
        let inside = || beside().filter(|word| word.bbox[2] > start && word.bbox[0] < end);
        let crossed = inside().any(|word| word.bbox[0] < bar.x - 1.0 && word.bbox[2] > bar.x + 1.0);
        let left = inside().map(|word| word.bbox[2]).filter(|&right| right < bar.x + 1.0).fold(start, f32::max);
        let right = inside().map(|word| word.bbox[0]).filter(|&left| left > bar.x - 1.0).fold(end, f32::min);
        let many = rows.iter().filter(|row| passed(row)).count() > 1;
        if many && !crossed && left > start && right < end {
            columns.splice(at..=at, [(start, left), (right, end)]);
        }
    }
    columns
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
        let cells = cells(&rows(fragments(&all)), &Ruling::default(), &all);
        assert!(cells.iter().all(|row| row.len() == 2 && row[1] == "0.5"), "{cells:?}");
        assert_eq!(cells[0][0], names[0]);
    }

    #[test]
    fn bars_part_columns_that_a_title_over_both_joins() {
        let mut all = [line("architecture", 60.0, 100.0, 10.0), line("plain", 200.0, 100.0, 10.0)].concat();
        for (y, name, kind, value) in [(114.0, "train", "static", "0.1"), (126.0, "test", "free", "0.2")] {
            all.extend([line(name, 50.0, y, 10.0), line(kind, 95.0, y, 10.0), line(value, 200.0, y, 10.0)].concat());
        }
        let bars = vec![Bar { x: 84.0, top: 104.0, bottom: 130.0 }];
        let cells = cells(&rows(fragments(&all)), &Ruling { bars, ..Ruling::default() }, &all);
        assert_eq!(cells[1..], [["train", "static", "0.1"], ["test", "free", "0.2"]]);
        assert_eq!(cells[0].concat(), "architectureplain");
    }

    #[test]
    fn a_title_over_two_columns_does_not_join_them() {
        let mut all = [line("setting", 50.0, 100.0, 10.0), line("error", 160.0, 100.0, 10.0)].concat();
        for (y, name, kind) in [(114.0, "oval", "dry"), (126.0, "hill", "wet")] {
            all.extend([line(name, 40.0, y, 10.0), line(kind, 80.0, y, 10.0), line("0.2", 160.0, y, 10.0)].concat());
        }
        let cells = cells(&rows(fragments(&all)), &Ruling::default(), &all);
        assert_eq!(cells[1..], [["oval", "dry", "0.2"], ["hill", "wet", "0.2"]]);
        assert_eq!((cells[0].concat().as_str(), cells[0][2].as_str()), ("settingerror", "error"));
    }

    #[test]
    fn lines_with_numbers_under_numbers_are_rows_of_a_ruled_table() {
        let mut all = [line("age", 50.0, 110.0, 10.0), line("job", 100.0, 110.0, 10.0)].concat();
        all.extend([line("advice", 150.0, 110.0, 10.0), line("cost", 250.0, 110.0, 10.0)].concat());
        for (y, advice, cost) in [(126.0, "a new job", "1"), (137.0, "a house", "2.5"), (148.0, "savings", "4")] {
            all.extend([line(advice, 150.0, y, 10.0), line(cost, 250.0, y, 10.0)].concat());
        }
        all.extend([line("23", 50.0, 137.0, 10.0), line("free", 100.0, 137.0, 10.0)].concat());
        let across = vec![99.0, 114.0, 115.0, 152.0];
        let cells = cells(&rows(fragments(&all)), &Ruling { across, ..Ruling::default() }, &all);
        assert_eq!(
            cells[1..],
            [["", "", "a new job", "1"], ["23", "free", "a house", "2.5"], ["", "", "savings", "4"]]
        );
    }
}
