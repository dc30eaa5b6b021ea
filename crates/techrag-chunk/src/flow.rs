//! Blocks in reading order to sections: what the readers of DOCX and HTML share.

use techrag_core::record::Table;
use techrag_core::text;

use crate::draft::{Draft, Paragraph, ParagraphKind, Section};
use crate::lines::Words;
use crate::role::{self, Roles};
use crate::{references, table};

/// Cells of all tables of a file: each takes some dozens of bytes beside its text, and short rows are filled up.
pub(crate) const MAX_CELLS: usize = 1_000_000;

/// Gathers blocks; a heading opens a section, a list is one paragraph, entries under a reference heading are no text.
#[derive(Default)]
pub(crate) struct Flow {
    sections: Vec<Section>,
    roles: Roles,
    cited: Vec<String>,
    in_references: bool,
    items: Vec<String>,
    opening: Option<String>,
    /// Cells of the tables so far.
    taken: usize,
    /// Why the file is too large to be read whole.
    refused: Option<String>,
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

    /// A table; without any text in it, its caption.
    pub(crate) fn table(&mut self, mut table: Table) {
        self.close_list();
        if let Err(why) = rectangular(&mut table.cells, &mut self.taken) {
            return self.refuse(why);
        }
        if table.cells.iter().flatten().any(|cell| !cell.is_empty()) {
            self.push(table::paragraph(table, None));
        } else if let Some(caption) = table.caption {
            self.prose(&caption);
        }
    }

    /// Says that the file is too large; the first reason is the one that counts.
    pub(crate) fn refuse(&mut self, why: String) {
        self.refused.get_or_insert(why);
    }

    /// Hands everything to the draft; a heading that opens the file is its title where the reader found none.
    ///
    /// # Errors
    /// Why the file is too large to be read whole.
    pub(crate) fn finish(mut self, draft: &mut Draft) -> Result<(), String> {
        if let Some(why) = self.refused.take() {
            return Err(why);
        }
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
        Ok(())
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

/// Short rows filled up to the longest; `taken` counts the cells of all tables of a file.
///
/// # Errors
/// That they would be more than [`MAX_CELLS`]: a long row among many short ones asks for far more than was written.
pub(crate) fn rectangular(cells: &mut [Vec<String>], taken: &mut usize) -> Result<(), String> {
    let width = cells.iter().map(Vec::len).max().unwrap_or_default();
    let all = width.saturating_mul(cells.len()).saturating_add(*taken);
    if all > MAX_CELLS {
        return Err(too_many_cells());
    }
    *taken = all;
    cells.iter_mut().for_each(|row| row.resize(width, String::new()));
    Ok(())
}

/// What is said of a file with more than [`MAX_CELLS`].
pub(crate) fn too_many_cells() -> String {
    format!("its tables have more than {MAX_CELLS} cells")
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
        flow.finish(&mut draft).unwrap();
        let texts: Vec<&str> = draft.sections[0].paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect();
        assert_eq!(texts, ["- one\n  1. deep item", "Text.\nof it", "| a | b |\n| --- | --- |\n| 1 |  |"]);
        assert_eq!((draft.sections.len(), draft.references.len()), (1, 2));
        assert_eq!(draft.title.as_deref(), Some("Slip"));
    }

    #[test]
    fn a_table_without_words_keeps_its_caption() {
        let mut flow = Flow::default();
        flow.table(Table {
            caption: Some("Table 2. Slip".into()),
            cells: vec![vec![String::new()]],
            ..Table::default()
        });
        let mut draft = Draft::default();
        flow.finish(&mut draft).unwrap();
        assert_eq!(draft.sections[0].paragraphs[0].text, "Table 2. Slip");
    }

    #[test]
    fn rows_that_would_be_filled_without_measure_are_refused() {
        let mut cells = vec![Vec::new(); 90_000];
        cells[0] = vec!["slip".to_owned(); 400_000];
        let mut flow = Flow::default();
        flow.table(Table { cells, ..Table::default() });
        assert!(flow.finish(&mut Draft::default()).unwrap_err().contains("1000000 cells"));
        let (mut taken, mut row) = (MAX_CELLS - 1, [vec!["a".to_owned(), "b".to_owned()]]);
        assert!(rectangular(&mut row, &mut taken).is_err(), "tables count together");
    }
}
