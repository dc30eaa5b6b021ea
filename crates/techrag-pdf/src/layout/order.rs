//! Reading order: bands between what spans the columns, columns from left to right in a band, side-by-side matter
//! (authors, small figures) by the order in which the content draws it.

use super::beside;
use super::columns::crosses;
use super::fragment::Fragment;
use super::row::{Row, rows};
use super::table::Region;
use crate::glyphs::Glyph;

/// Where a stretch of rows stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zone {
    /// Across all columns.
    Span,
    /// In a column, from 0.
    Column(usize),
    /// In a ruled table, by its number.
    Table(usize),
}

/// Rows of one zone that follow each other.
#[derive(Clone, Debug)]
pub(super) struct Stretch {
    /// Where they stand.
    pub zone: Zone,
    /// The rows.
    pub rows: Vec<Row>,
}

/// What follows each other in a column: rows, and tables, whose rows stay together.
#[derive(Clone, Debug)]
enum Item {
    Row(Row),
    Table(Vec<Row>),
}

impl Item {
    fn base(&self) -> f32 {
        match self {
            Self::Row(row) => row.base,
            Self::Table(rows) => rows.first().map_or(0.0, |row| row.base),
        }
    }

    fn row(&self) -> Option<&Row> {
        match self {
            Self::Row(row) => Some(row),
            Self::Table(_) => None,
        }
    }
}

/// The stretches of a page in reading order.
pub(super) fn stretches(fragments: Vec<Fragment>, edges: &[f32], tables: &[Region], glyphs: &[Glyph]) -> Vec<Stretch> {
    let mut zones: Vec<(Zone, Vec<Fragment>)> = Vec::new();
    let places = places(&fragments, edges, tables);
    for (fragment, zone) in fragments.into_iter().zip(places) {
        match zones.iter_mut().find(|(known, _)| *known == zone) {
            Some((_, group)) => group.push(fragment),
            None => zones.push((zone, vec![fragment])),
        }
    }
    let mut columns: Vec<Vec<Item>> = vec![Vec::new(); edges.len()];
    let mut spans: Vec<(f32, Stretch)> = Vec::new();
    for (zone, group) in zones {
        match zone {
            Zone::Column(column) => columns[column].extend(rows(group).into_iter().map(Item::Row)),
            Zone::Span => {
                spans.extend(rows(group).into_iter().map(|row| (row.base, Stretch { zone, rows: vec![row] })));
            }
            Zone::Table(table) => {
                let stretch = Stretch { zone, rows: rows(group) };
                let inside = tables.get(table).and_then(|table| column_of(table.bbox[0], table.bbox[2], edges));
                match inside {
                    Some(column) => columns[column].push(Item::Table(stretch.rows)),
                    None => spans.push((stretch.rows.first().map_or(0.0, |row| row.base), stretch)),
                }
            }
        }
    }
    for column in &mut columns {
        column.sort_by(|a, b| a.base().total_cmp(&b.base()));
    }
    if edges.len() > 1 {
        adopt_short_lines(&mut columns, &mut spans);
    }
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    bands(columns, spans, glyphs)
}

/// The zones of fragments in content order. A line that an accent breaks near the middle of the page is still one.
fn places(fragments: &[Fragment], edges: &[f32], tables: &[Region]) -> Vec<Zone> {
    let mut zones: Vec<Zone> = fragments.iter().map(|fragment| zone(fragment, edges, tables)).collect();
    let mut start = 0;
    while start < fragments.len() {
        let mut line = fragments[start].clone();
        let next = |at: usize, line: &mut Fragment| {
            let goes_on = fragments.get(at).is_some_and(|next| continues(line, next));
            if goes_on {
                line.bbox = super::fragment::join(line.bbox, fragments[at].bbox);
            }
            goes_on
        };
        let end = (start + 1..).find(|&at| !next(at, &mut line)).unwrap_or(start + 1);
        let columns = zones[start..end].iter().all(|zone| matches!(zone, Zone::Column(_)));
        if end - start > 1 && columns && column_of_fragment(&line, edges).is_none() {
            zones[start..end].fill(Zone::Span);
        }
        start = end;
    }
    zones
}

/// Whether a fragment starts where a line ends, no more than a wide space behind it: an accent or what it stands on.
fn continues(line: &Fragment, next: &Fragment) -> bool {
    let em = line.size.max(next.size);
    let gap = next.bbox[0] - line.bbox[2];
    (line.base - next.base).abs() < 0.4 * em && (-em..0.6 * em).contains(&gap)
}

fn zone(fragment: &Fragment, edges: &[f32], tables: &[Region]) -> Zone {
    if let Some(table) = tables.iter().position(|table| table.holds(fragment)) {
        return Zone::Table(table);
    }
    column_of_fragment(fragment, edges).map_or(Zone::Span, Zone::Column)
}

fn column_of_fragment(fragment: &Fragment, edges: &[f32]) -> Option<usize> {
    if edges.iter().skip(1).any(|&edge| crosses(fragment, edge - 2.0)) {
        return None;
    }
    let middle = f32::midpoint(fragment.bbox[0], fragment.bbox[2]);
    Some(edges.iter().skip(1).filter(|&&edge| middle >= edge - 2.0).count())
}

fn column_of(x0: f32, x1: f32, edges: &[f32]) -> Option<usize> {
    if edges.iter().skip(1).any(|&edge| x0 < edge - 14.0 && x1 > edge + 14.0) {
        return None;
    }
    Some(edges.iter().skip(1).filter(|&&edge| f32::midpoint(x0, x1) >= edge - 2.0).count())
}

/// Gives the short last line of a paragraph across the columns back to it: directly under it, starting where it does.
fn adopt_short_lines(columns: &mut [Vec<Item>], spans: &mut Vec<(f32, Stretch)>) {
    let mut above: Vec<(f32, f32, f32)> = Vec::new();
    for (base, stretch) in spans.iter() {
        if let (Zone::Span, Some(row)) = (stretch.zone, stretch.rows.first()) {
            above.push((*base, row.bbox[0], row.size));
        }
    }
    let [left, others @ ..] = columns else { return };
    let beside = |row: &Row| {
        let level = |other: &Row| (other.base - row.base).abs() < 0.6 * row.size;
        others.iter().flatten().filter_map(Item::row).any(level)
    };
    let mut kept = Vec::with_capacity(left.len());
    for (index, item) in left.iter().enumerate() {
        let next = left.get(index + 1).map(Item::base);
        match item.row().filter(|row| ends_span(row, &above, next) && !beside(row)) {
            Some(row) => spans.push((row.base, Stretch { zone: Zone::Span, rows: vec![row.clone()] })),
            None => kept.push(item.clone()),
        }
    }
    *left = kept;
}

/// Whether a row goes on with a line across the columns (base line, left end and size of each in `above`).
fn ends_span(row: &Row, above: &[(f32, f32, f32)], next: Option<f32>) -> bool {
    let under = above.iter().any(|&(base, x, size)| {
        let down = row.base - base;
        (0.5 * size..1.35 * size).contains(&down) && (row.bbox[0] - x).abs() < 2.0 && (row.size - size).abs() < 0.5
    });
    under && next.is_none_or(|next| next - row.base >= 1.3 * row.size)
}

/// The columns cut at what spans them.
fn bands(columns: Vec<Vec<Item>>, spans: Vec<(f32, Stretch)>, glyphs: &[Glyph]) -> Vec<Stretch> {
    let mut queues: Vec<std::iter::Peekable<std::vec::IntoIter<Item>>> =
        columns.into_iter().map(|column| column.into_iter().peekable()).collect();
    let mut out: Vec<Stretch> = Vec::new();
    let mut drain = |until: f32, out: &mut Vec<Stretch>| {
        let mut parts: Vec<(usize, Vec<Item>)> = Vec::new();
        for (column, queue) in queues.iter_mut().enumerate() {
            let mut items = Vec::new();
            while let Some(item) = queue.next_if(|item| item.base() < until) {
                items.push(item);
            }
            parts.push((column, items));
        }
        if until.is_finite() && are_scattered(&parts) {
            parts = downwards(parts);
        }
        for (column, items) in parts {
            out.extend(in_column(items, glyphs).into_iter().map(|rows| Stretch { zone: Zone::Column(column), rows }));
        }
    };
    for (base, span) in spans {
        drain(base, &mut out);
        match out.last_mut() {
            Some(last) if last.zone == Zone::Span && span.zone == Zone::Span => last.rows.extend(span.rows),
            _ => out.push(span),
        }
    }
    drain(f32::INFINITY, &mut out);
    out.retain(|stretch| !stretch.rows.is_empty());
    out
}

/// Most rows of a column in a band of scattered ones.
const FEW: usize = 3;

/// Whether the rows of a band are not those of columns: few, and none beside another. So stand an author's name, centred
/// in the middle column of three, and the heading over an abstract that spans them.
fn are_scattered(parts: &[(usize, Vec<Item>)]) -> bool {
    let rows = |items: &[Item]| items.iter().filter_map(Item::row).map(|row| (row.base, row.size)).collect::<Vec<_>>();
    let columns: Vec<Vec<(f32, f32)>> = parts.iter().map(|(_, items)| rows(items)).collect();
    let few = parts.iter().zip(&columns).all(|((_, items), rows)| items.len() <= FEW && items.len() == rows.len());
    let level = |one: &(f32, f32), other: &(f32, f32)| (one.0 - other.0).abs() < one.1.max(other.1);
    few && columns
        .iter()
        .enumerate()
        .all(|(at, column)| columns[at + 1..].iter().flatten().all(|other| column.iter().all(|row| !level(row, other))))
}

/// The items of a band from top to bottom, whatever column they stand in.
fn downwards(parts: Vec<(usize, Vec<Item>)>) -> Vec<(usize, Vec<Item>)> {
    let mut items: Vec<(usize, Item)> =
        parts.into_iter().flat_map(|(column, items)| items.into_iter().map(move |item| (column, item))).collect();
    items.sort_by(|(_, a), (_, b)| a.base().total_cmp(&b.base()));
    let mut out: Vec<(usize, Vec<Item>)> = Vec::new();
    for (column, item) in items {
        match out.last_mut().filter(|(last, _)| *last == column) {
            Some((_, open)) => open.push(item),
            None => out.push((column, vec![item])),
        }
    }
    out
}

/// Items of a column as stretches of rows.
fn in_column(items: Vec<Item>, glyphs: &[Glyph]) -> Vec<Vec<Row>> {
    let parts = |rows: Vec<Row>| beside::split(rows, glyphs).into_iter().flat_map(side_by_side).collect::<Vec<_>>();
    let mut out = Vec::new();
    let mut rows = Vec::new();
    for item in items {
        match item {
            Item::Row(row) => rows.push(row),
            Item::Table(table) => {
                out.extend(parts(std::mem::take(&mut rows)));
                out.push(table);
            }
        }
    }
    out.extend(parts(rows));
    out
}

/// Cuts rows at groups that the content draws column by column: they are read so.
fn side_by_side(rows: Vec<Row>) -> Vec<Vec<Row>> {
    let mut out: Vec<Vec<Row>> = vec![Vec::new()];
    let mut group: Vec<Row> = Vec::new();
    let flush = |group: &mut Vec<Row>, out: &mut Vec<Vec<Row>>| {
        match split_group(group) {
            Some(parts) => {
                out.extend(parts);
                out.push(Vec::new());
            }
            None => out.last_mut().into_iter().for_each(|rows| rows.append(group)),
        }
        group.clear();
    };
    for row in rows {
        let near = group.last().is_none_or(|last| row.base - last.base < 2.2 * row.size.max(last.size));
        if row.cells().len() < 2 || !near {
            flush(&mut group, &mut out);
        }
        if row.cells().len() < 2 {
            out.last_mut().into_iter().for_each(|rows| rows.push(row.clone()));
        } else {
            group.push(row);
        }
    }
    flush(&mut group, &mut out);
    out.retain(|rows| !rows.is_empty());
    out
}

/// The columns of a group of rows, where the content draws one after the other.
fn split_group(group: &[Row]) -> Option<Vec<Vec<Row>>> {
    if group.len() < 2 {
        return None;
    }
    let boxes = group.iter().flat_map(|row| row.cells().into_iter().map(|cell| row.cell_box(&cell)));
    let intervals = super::table::intervals(boxes.map(|bbox| (bbox[0], bbox[2])).collect(), 4.0);
    let place = |part: &Fragment| intervals.iter().rposition(|&(start, _)| part.bbox[0] >= start - 0.1).unwrap_or(0);
    let mut drawn: Vec<(usize, usize)> = group
        .iter()
        .flat_map(|row| &row.parts)
        .map(|part| (part.glyphs.first().copied().unwrap_or(0), place(part)))
        .collect();
    drawn.sort_unstable();
    let switches = drawn.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
    if intervals.len() < 2 || (switches >= intervals.len() && !two_texts(group, &intervals)) {
        return None;
    }
    let column = |index: usize| {
        let parts = |row: &Row| row.parts.iter().filter(|part| place(part) == index).cloned().collect();
        group.iter().filter_map(|row| Row::of(parts(row))).collect::<Vec<_>>()
    };
    Some((0..intervals.len()).map(column).collect())
}

/// Whether rows drawn across are two columns of text nevertheless: every row has several words on either side.
fn two_texts(group: &[Row], intervals: &[(f32, f32)]) -> bool {
    let wordy = |row: &Row| {
        let cells = row.cells();
        let words = |cell: &std::ops::Range<usize>| {
            let parts = &row.parts[cell.clone()];
            parts.len() + parts.iter().flat_map(|part| &part.spaces).filter(|&&space| space).count()
        };
        cells.len() == 2 && cells.iter().all(|cell| words(cell) >= 3)
    };
    group.len() >= 4 && intervals.len() == 2 && group.iter().all(wordy)
}

#[cfg(test)]
mod tests {
    use super::super::fragment::{fragments, tests::line};
    use super::*;

    fn texts(glyphs: &[Glyph], edges: &[f32]) -> Vec<String> {
        let stretches = stretches(fragments(glyphs), edges, &[], glyphs);
        let rows = stretches.iter().flat_map(|stretch| &stretch.rows);
        rows.map(|row| super::super::runs::line(row, glyphs).text()).collect()
    }

    #[test]
    fn interleaved_columns_are_read_one_after_the_other() {
        let mut glyphs = line("a title over both columns of it", 60.0, 50.0, 14.0);
        for (row, y) in [100.0, 112.0, 124.0].into_iter().enumerate() {
            glyphs.extend(line(&format!("left {row}"), 50.0, y, 10.0));
            glyphs.extend(line(&format!("right {row}"), 200.0, y, 10.0));
        }
        let expected =
            ["a title over both columns of it", "left 0", "left 1", "left 2", "right 0", "right 1", "right 2"];
        assert_eq!(texts(&glyphs, &[50.0, 200.0]), expected);
    }

    #[test]
    fn a_line_over_both_columns_that_an_accent_breaks_is_one() {
        let mut glyphs = line("the caption of a table ends with", 50.0, 60.0, 10.0);
        glyphs.extend(line("\u{2dc}", 215.0, 57.0, 10.0));
        glyphs.extend(line("x(a) over both.", 215.0, 60.0, 10.0));
        for (row, y) in [100.0, 112.0].into_iter().enumerate() {
            glyphs.extend(line(&format!("left {row}"), 50.0, y, 10.0));
            glyphs.extend(line(&format!("right {row}"), 225.0, y, 10.0));
        }
        let texts = texts(&glyphs, &[50.0, 225.0]);
        assert!(texts[0].ends_with("over both."), "{texts:?}");
        assert_eq!(texts[1..], ["left 0", "left 1", "right 0", "right 1"]);
    }

    #[test]
    fn what_stands_alone_over_an_abstract_is_read_downwards() {
        let mut glyphs = line("a title over all of the columns of it", 60.0, 50.0, 14.0);
        glyphs.extend(line("Ann Lee", 210.0, 70.0, 10.0));
        glyphs.extend(line("Abstract", 50.0, 90.0, 10.0));
        glyphs.extend(line("what the paper says over all of the columns of the page", 50.0, 104.0, 10.0));
        for (row, y) in [130.0, 142.0].into_iter().enumerate() {
            glyphs.extend(line(&format!("left {row}"), 50.0, y, 10.0));
            glyphs.extend(line(&format!("right {row}"), 200.0, y, 10.0));
        }
        let expected = [
            "a title over all of the columns of it",
            "Ann Lee",
            "Abstract",
            "what the paper says over all of the columns of the page",
            "left 0",
            "left 1",
            "right 0",
            "right 1",
        ];
        assert_eq!(texts(&glyphs, &[50.0, 200.0]), expected);
    }

    #[test]
    fn authors_side_by_side_follow_the_content() {
        let mut glyphs = line("Ann Lee", 50.0, 100.0, 10.0);
        glyphs.extend(line("Delft", 50.0, 112.0, 10.0));
        glyphs.extend(line("Bo Chen", 250.0, 100.0, 10.0));
        glyphs.extend(line("Kyoto", 250.0, 112.0, 10.0));
        assert_eq!(texts(&glyphs, &[50.0]), ["Ann Lee", "Delft", "Bo Chen", "Kyoto"]);
    }

    #[test]
    fn rows_of_a_table_stay_rows() {
        let mut glyphs = Vec::new();
        for (name, y) in [("dry", 100.0), ("wet", 112.0)] {
            glyphs.extend(line(name, 50.0, y, 10.0));
            glyphs.extend(line("0.9", 250.0, y, 10.0));
        }
        assert_eq!(texts(&glyphs, &[50.0]), ["dry 0.9", "wet 0.9"]);
    }
}
