//! Blocks in reading order to sections: what the readers of DOCX and HTML share.

use techrag_core::record::Table;
use techrag_core::text;

use crate::draft::{Draft, Paragraph, ParagraphKind, Section};
use crate::lines::Words;
use crate::role::{self, Roles};
use crate::{references, table};

/// Gathers blocks; a heading opens a section, a list is one paragraph, entries under a reference heading are no text.
#[derive(Default)]
pub(crate) struct Flow {
    sections: Vec<Section>,
    roles: Roles,
    cited: Vec<String>,
    in_references: bool,
    items: Vec<String>,
    opening: Option<String>,
}

impl Flow {
    /// A heading; levels count from 1.
    pub(crate) fn heading(&mut self, heading: &str, level: usize) {
        self.close_list();
        let heading = text::squeeze(heading);
        if heading.is_empty() {
            return;
        }
        if self.sections.is_empty() && level == 1 {
            self.opening = Some(heading.clone());
        }
        self.in_references = role::is_references(&heading);
        let role = self.roles.next(&heading, level);
        if !self.in_references {
            self.sections.push(Section { heading, role, paragraphs: Vec::new() });
        }
    }

    /// Sentences; line ends that the author set stay.
    pub(crate) fn prose(&mut self, text: &str) {
        self.close_list();
        let lines: Vec<String> = text.lines().map(text::squeeze).filter(|line| !line.is_empty()).collect();
        if lines.is_empty() {
            return;
        }
        if self.in_references {
            self.cited.push(lines.join(" "));
            self.cited.push(String::new());
        } else {
            self.push(Paragraph::prose(lines.join("\n")));
        }
    }

    /// Text whose line ends and spaces matter.
    pub(crate) fn preformatted(&mut self, text: &str) {
        self.close_list();
        let text = text.trim_matches('\n').trim_end();
        if !text.trim().is_empty() {
            self.push(Paragraph::whole(text.to_owned(), ParagraphKind::Lines));
        }
    }

    /// An item of a list, `depth` from 0, `mark` as it is seen (`-`, `2.1`).
    pub(crate) fn item(&mut self, depth: usize, mark: &str, text: &str) {
        let text = text::squeeze(text);
        if text.is_empty() {
            return;
        }
        if self.in_references {
            self.cited.push(if mark == "-" { text } else { format!("{mark} {text}") });
            self.cited.push(String::new());
        } else {
            self.items.push(format!("{}{mark} {text}", "  ".repeat(depth)));
        }
    }

    /// A table; without any text in it, nothing.
    pub(crate) fn table(&mut self, mut table: Table) {
        self.close_list();
        rectangular(&mut table.cells);
        if table.cells.iter().flatten().any(|cell| !cell.is_empty()) {
            self.push(table::paragraph(table, None));
        }
    }

    /// Hands everything to the draft; a heading that opens the file is its title where the reader found none.
    pub(crate) fn finish(mut self, draft: &mut Draft) {
        self.close_list();
        let (references, rest) = references::from_text(&self.cited, &Words::default());
        draft.references = references;
        if !rest.is_empty() {
            let paragraphs = rest.into_iter().map(Paragraph::prose).collect();
            self.sections.push(Section { paragraphs, ..Section::default() });
        }
        if draft.title.is_none()
            && let Some(opening) = self.opening
        {
            draft.title = Some(opening);
            draft.provenance.insert("title".into(), serde_json::json!("first heading"));
        }
        draft.sections.extend(self.sections);
    }

    fn close_list(&mut self) {
        if !self.items.is_empty() {
            let text = std::mem::take(&mut self.items).join("\n");
            self.push(Paragraph::whole(text, ParagraphKind::Lines));
        }
    }

    fn push(&mut self, paragraph: Paragraph) {
        if self.sections.is_empty() {
            self.sections.push(Section::default());
        }
        if let Some(section) = self.sections.last_mut() {
            section.paragraphs.push(paragraph);
        }
    }
}

/// Short rows filled up to the longest.
pub(crate) fn rectangular(cells: &mut [Vec<String>]) {
    let width = cells.iter().map(Vec::len).max().unwrap_or_default();
    cells.iter_mut().for_each(|row| row.resize(width, String::new()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_become_sections_lists_and_tables() {
        let mut flow = Flow::default();
        flow.heading("Slip", 1);
        flow.item(0, "-", "one");
        flow.item(1, "1.", "deep  item");
        flow.prose("Text.\n of it ");
        flow.table(Table { cells: vec![vec!["a".into(), "b".into()], vec!["1".into()]], ..Table::default() });
        flow.heading("References", 1);
        flow.item(0, "[1]", "E. Fiala, \"Side forces of tyres\", 1954.");
        flow.item(0, "[2]", "H. Pacejka, \"Tires of cars\", 2012.");
        let mut draft = Draft::default();
        flow.finish(&mut draft);
        let texts: Vec<&str> = draft.sections[0].paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect();
        assert_eq!(texts, ["- one\n  1. deep item", "Text.\nof it", "| a | b |\n| --- | --- |\n| 1 |  |"]);
        assert_eq!((draft.sections.len(), draft.references.len()), (1, 2));
        assert_eq!(draft.title.as_deref(), Some("Slip"));
    }
}
