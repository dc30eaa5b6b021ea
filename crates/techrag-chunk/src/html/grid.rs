//! The cells of an HTML table as a grid: cells that span several stand in each of them.

use std::collections::BTreeMap;

use scraper::ElementRef;

use super::words;
use crate::flow::{self, MAX_CELLS};
use crate::table;

/// Columns that a cell may span; the HTML standard's own limit.
const MAX_COLUMNS: usize = 1000;

/// The rows of a table, those of tables within its cells not included.
///
/// # Errors
/// That there are too many cells: spans cost nothing to write and may claim anything.
pub(super) fn cells(element: ElementRef<'_>) -> Result<Vec<Vec<String>>, String> {
    let rows = rows(element);
    let height = rows.len();
    let mut grid: Vec<Vec<String>> = Vec::new();
    // Column → how many further rows a cell above reaches down, and its text.
    let mut open: BTreeMap<usize, (usize, String)> = BTreeMap::new();
    let mut count = 0;
    for (at, row) in rows.into_iter().enumerate() {
        let mut line: Vec<String> = Vec::new();
        for cell in row.child_elements().filter(|cell| matches!(cell.value().name(), "td" | "th")) {
            reach(&mut line, &mut open);
            let span = |name| cell.attr(name).and_then(|span| span.trim().parse::<usize>().ok());
            let columns = span("colspan").unwrap_or(1).clamp(1, MAX_COLUMNS);
            let down = match span("rowspan").unwrap_or(1) {
                0 => height - at,
                down => down.min(height - at),
            };
            let text = words(cell);
            let again = table::repeated(&text);
            for at in 0..columns {
                // Of two cells for one place the later one is seen; the other goes on below.
                let above = open.remove(&line.len()).filter(|(left, _)| *left > 1);
                let below = if down > 1 { Some((down, again.clone())) } else { above };
                if let Some((left, text)) = below {
                    open.insert(line.len(), (left - 1, text));
                }
                line.push(if at == 0 { text.clone() } else { again.clone() });
            }
            check(count + line.len())?;
        }
        end(&mut line, &mut open);
        count += line.len();
        check(count)?;
        grid.push(line);
    }
    Ok(grid)
}

fn check(count: usize) -> Result<(), String> {
    if count > MAX_CELLS { Err(flow::too_many_cells()) } else { Ok(()) }
}

/// Puts in what reaches down behind the last cell of a row, which may be shorter than that.
fn end(line: &mut Vec<String>, open: &mut BTreeMap<usize, (usize, String)>) {
    while let Some(next) = open.range(line.len()..).next().map(|(column, _)| *column) {
        line.resize(next, String::new());
        reach(line, open);
    }
}

/// Puts the cells from above in, as far as they follow without a gap.
fn reach(line: &mut Vec<String>, open: &mut BTreeMap<usize, (usize, String)>) {
    while let Some((left, text)) = open.remove(&line.len()) {
        if left > 1 {
            open.insert(line.len(), (left - 1, text.clone()));
        }
        line.push(text);
    }
}

fn rows(table: ElementRef<'_>) -> Vec<ElementRef<'_>> {
    let of = |parent: ElementRef<'_>| -> Vec<_> {
        parent.child_elements().filter(|child| child.value().name() == "tr").map(|row| row.id()).collect()
    };
    let parts = table.child_elements().filter(|child| matches!(child.value().name(), "thead" | "tbody" | "tfoot"));
    let ids: Vec<_> = of(table).into_iter().chain(parts.flat_map(of)).collect();
    ids.into_iter().filter_map(|id| ElementRef::wrap(table.tree().get(id)?)).collect()
}

#[cfg(test)]
mod tests {
    use scraper::Html;

    use super::*;

    fn grid(inside: &str) -> Vec<Vec<String>> {
        let page = Html::parse_document(&format!("<table>{inside}</table>"));
        let table = page.root_element().descendants().filter_map(ElementRef::wrap);
        cells(table.into_iter().find(|element| element.value().name() == "table").unwrap()).unwrap()
    }

    #[test]
    fn spans_fill_what_they_cover() {
        let got = grid("<tr><th rowspan=2>a<th colspan=2>b<tr><td>c<td>d<tr><td>e<td colspan=2>f");
        assert_eq!(got, [["a", "b", "b"], ["a", "c", "d"], ["e", "f", "f"]]);
    }

    #[test]
    fn what_reaches_past_a_short_row_is_counted_down_all_the_same() {
        let got = grid("<tr><td>load<td>slip<td rowspan=2>dry<tr><td>1000<tr><td>2000<td>0.2<td>wet");
        assert_eq!(got, [["load", "slip", "dry"], ["1000", "", "dry"], ["2000", "0.2", "wet"]]);
        let got = grid("<tr><td>a<td rowspan=2>b<tr><td colspan=2>c<tr><td>d<td>e");
        assert_eq!(got, [["a", "b"], ["c", "c"], ["d", "e"]]);
    }

    #[test]
    fn tables_in_cells_are_text_and_claims_are_bounded() {
        let got = grid("<tr><td>x<table><tr><td>1<td>2</table><td>y<tr><td colspan=999999999 rowspan=999999999>z");
        assert_eq!(got[0], ["x 1 2", "y"]);
        assert_eq!(got[1].len(), MAX_COLUMNS);
    }
}
