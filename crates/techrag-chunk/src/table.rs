//! Tables as text: GitHub-flavoured Markdown, the caption in front.

use std::ops::Range;

use techrag_core::record::{Span, Table};

use crate::address::Area;
use crate::draft::{Paragraph, ParagraphKind};

/// The caption, a blank line, then the cells as Markdown; the first row is the header.
pub(crate) fn text(caption: Option<&str>, cells: &[Vec<String>]) -> String {
    let mut text = caption.map(|caption| format!("{caption}\n\n")).unwrap_or_default();
    text.push_str(&markdown(cells));
    text
}

/// A table as a paragraph that stands on its page; `bbox` is the box of the cells.
pub(crate) fn paragraph(table: Table, bbox: Option<[f32; 4]>) -> Paragraph {
    let text = text(table.caption.as_deref(), &table.cells);
    let spans = vec![Span { start: 0, end: text.len(), page: table.page, bbox, ..Span::default() }];
    Paragraph { text, spans, kind: ParagraphKind::Table, table: Some(table) }
}

/// Bytes of a cell that is written again in every other place it covers: what is longer is no heading, and a file may
/// claim any number of places for it.
const MOST_REPEATED: usize = 300;

/// A cell that covers several places, in one of the further ones.
pub(crate) fn repeated(text: &str) -> String {
    if text.len() <= MOST_REPEATED { text.to_owned() } else { String::new() }
}

/// The same where every row has a place of its own to be cited by: one span a row, the caption with the header.
pub(crate) fn placed(table: Table, places: Vec<String>) -> Paragraph {
    let mut paragraph = paragraph(table, None);
    let Some(table) = paragraph.table.as_ref().filter(|table| table.cells.len() == places.len()) else {
        return paragraph;
    };
    let page = table.page;
    let (mut spans, mut start) = (Vec::new(), 0);
    let mut end = table.caption.as_ref().map_or(0, |caption| caption.len() + 2);
    for (at, (row, place)) in table.cells.iter().zip(places).enumerate() {
        // The header's line of dashes belongs to it.
        let rule = if at == 0 { "\n|".len() + " --- |".len() * row.len() } else { 0 };
        end += line(row).len() + rule;
        spans.push(Span { start, end, page, place: Some(place), ..Span::default() });
        end += 1;
        start = end;
    }
    paragraph.spans = spans;
    paragraph
}

/// The header with the rows of a range, counted from the header; addresses and formulas are theirs.
pub(crate) fn rows(table: &Table, rows: Range<usize>) -> Table {
    let cells = table.cells.iter().take(1).chain(&table.cells[rows.clone()]).cloned().collect();
    let area = table.range.as_deref().and_then(Area::parse);
    let (mut range, mut formulas) = (table.range.clone(), table.formulas.clone());
    if let Some(area) = area {
        let row = |at: usize| area.top.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
        let part = Area { top: row(rows.start), bottom: row(rows.end - 1), ..area };
        range = Some(format!("{},{part}", Area { bottom: area.top, ..area }));
        formulas.retain(|address, _| {
            let row = address.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap_or(area.top);
            row == area.top || (part.top..=part.bottom).contains(&row)
        });
    }
    Table { caption: table.caption.clone(), page: table.page, cells, range, formulas, extra: table.extra.clone() }
}

fn markdown(cells: &[Vec<String>]) -> String {
    let mut lines: Vec<String> = cells.iter().map(|row| line(row)).collect();
    if let Some(header) = cells.first() {
        lines.insert(1, format!("|{}", " --- |".repeat(header.len())));
    }
    lines.join("\n")
}

/// A row as a line.
pub(crate) fn line(row: &[String]) -> String {
    row.iter().fold(String::from("|"), |line, cell| line + " " + &escape(cell) + " |")
}

/// A bar or a line end would end the cell.
fn escape(cell: &str) -> String {
    techrag_core::text::squeeze(cell).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_become_markdown() {
        let cells = vec![vec!["a|b".to_owned(), "unit\n(m)".to_owned()], vec!["1".to_owned(), String::new()]];
        assert_eq!(text(Some("Table 1"), &cells), "Table 1\n\n| a\\|b | unit (m) |\n| --- | --- |\n| 1 |  |");
        assert_eq!(text(None, &[]), "");
    }

    #[test]
    fn a_part_of_a_table_keeps_its_addresses_and_formulas() {
        let cells = (1..=5).map(|row| vec![row.to_string()]).collect();
        let formulas = ["B2", "B4", "B6"].map(|at| (at.to_owned(), "A1".to_owned())).into();
        let table = Table { cells, range: Some("B2:B6".into()), formulas, ..Table::default() };
        let part = rows(&table, 2..4);
        assert_eq!(part.cells, [["1"], ["3"], ["4"]]);
        assert_eq!(part.range.as_deref(), Some("B2:B2,B4:B5"));
        assert_eq!(part.formulas.keys().collect::<Vec<_>>(), ["B2", "B4"]);
    }
}
