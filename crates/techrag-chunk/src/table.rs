//! Tables as text: GitHub-flavoured Markdown, the caption in front.

use techrag_core::record::{Span, Table};

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
    let spans = vec![Span { start: 0, end: text.len(), page: table.page, bbox }];
    Paragraph { text, spans, kind: ParagraphKind::Table, table: Some(table) }
}

fn markdown(cells: &[Vec<String>]) -> String {
    let mut lines: Vec<String> = cells.iter().map(|row| line(row)).collect();
    if let Some(header) = cells.first() {
        lines.insert(1, format!("|{}", " --- |".repeat(header.len())));
    }
    lines.join("\n")
}

fn line(row: &[String]) -> String {
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
}
