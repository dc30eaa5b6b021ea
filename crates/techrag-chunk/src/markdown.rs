//! Markdown: headings to sections, paragraphs, lists, code and tables kept as they read.

use pulldown_cmark::{Event, HeadingLevel, MetadataBlockKind, Options, Parser, Tag, TagEnd};
use serde_json::json;
use techrag_core::record::Table;
use techrag_core::text;

use crate::decode::Decoded;
use crate::draft::{Draft, Paragraph, ParagraphKind, Section};
use crate::lines::Words;
use crate::role::{self, Roles};
use crate::{references, table};

/// A Markdown file as a draft.
pub(crate) fn read(decoded: &Decoded) -> Draft {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut walker = Walker::default();
    for event in Parser::new_ext(&decoded.text, options) {
        walker.event(event);
    }
    walker.flush(ParagraphKind::Prose);
    let mut draft = walker.draft;
    draft.media_type = "text/markdown";
    draft.provenance.insert("encoding".into(), json!(decoded.encoding));
    let (references, rest) = references::from_text(&walker.cited, &Words::default());
    draft.references = references;
    if !rest.is_empty() {
        let paragraphs = rest.into_iter().map(Paragraph::prose).collect();
        draft.sections.push(Section { paragraphs, ..Section::default() });
    }
    if draft.title.is_none()
        && let Some(title) = walker.first_title
    {
        draft.title = Some(title);
        draft.provenance.insert("title".into(), json!("first heading"));
    }
    draft
}

#[derive(Default)]
struct Walker {
    draft: Draft,
    roles: Roles,
    cited: Vec<String>,
    in_references: bool,
    /// The heading of level 1 that opens the file.
    first_title: Option<String>,
    /// What the open paragraph, item, heading or cell holds so far.
    text: String,
    list_depth: usize,
    /// Numbers of the open lists; `None` for bullets.
    numbers: Vec<Option<u64>>,
    heading: Option<HeadingLevel>,
    in_metadata: bool,
    cells: Vec<Vec<String>>,
    in_table: bool,
}

impl Walker {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Code(text) => self.text.push_str(&text),
            Event::InlineMath(math) => self.text.push_str(&format!("${math}$")),
            Event::DisplayMath(math) => self.text.push_str(&format!("$${math}$$")),
            Event::SoftBreak => self.text.push(' '),
            Event::HardBreak => self.text.push('\n'),
            Event::Html(html) | Event::InlineHtml(html) => self.text.push_str(&without_tags(&html)),
            Event::FootnoteReference(name) => self.text.push_str(&format!("[^{name}]")),
            Event::Rule => self.flush(ParagraphKind::Prose),
            Event::TaskListMarker(done) => self.text.push_str(if done { "[x] " } else { "[ ] " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.flush(ParagraphKind::Prose);
                self.heading = Some(level);
            }
            Tag::MetadataBlock(MetadataBlockKind::YamlStyle | MetadataBlockKind::PlusesStyle) => {
                self.in_metadata = true;
            }
            Tag::CodeBlock(_) if self.list_depth == 0 => self.flush(ParagraphKind::Prose),
            Tag::List(number) => {
                if self.list_depth == 0 {
                    self.flush(ParagraphKind::Prose);
                }
                self.list_depth += 1;
                self.numbers.push(number);
            }
            Tag::Item => self.item(),
            Tag::Table(_) => {
                self.flush(ParagraphKind::Prose);
                self.in_table = true;
                self.cells.clear();
            }
            Tag::TableHead | Tag::TableRow => self.cells.push(Vec::new()),
            Tag::FootnoteDefinition(name) => {
                self.flush(ParagraphKind::Prose);
                self.text.push_str(&format!("[^{name}] "));
            }
            _ => {}
        }
    }

    fn item(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(&"  ".repeat(self.list_depth.saturating_sub(1)));
        match self.numbers.last_mut() {
            Some(Some(number)) => {
                self.text.push_str(&format!("{number}. "));
                *number += 1;
            }
            _ => self.text.push_str("- "),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => self.close_heading(),
            TagEnd::MetadataBlock(_) => self.close_metadata(),
            TagEnd::CodeBlock if self.list_depth == 0 => self.flush(ParagraphKind::Lines),
            TagEnd::List(_) => {
                self.list_depth = self.list_depth.saturating_sub(1);
                self.numbers.pop();
                if self.list_depth == 0 {
                    self.flush(ParagraphKind::Lines);
                }
            }
            TagEnd::Paragraph if self.list_depth > 0 => self.text.push('\n'),
            TagEnd::Paragraph | TagEnd::HtmlBlock if !self.in_table => self.flush(ParagraphKind::Prose),
            TagEnd::TableCell => {
                let cell = text::squeeze(&std::mem::take(&mut self.text));
                if let Some(row) = self.cells.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.close_table(),
            _ => {}
        }
    }

    fn close_heading(&mut self) {
        let heading = text::squeeze(&std::mem::take(&mut self.text));
        let Some(level) = self.heading.take().map(|level| level as usize) else { return };
        if level == 1 && self.draft.sections.is_empty() && self.first_title.is_none() {
            self.first_title = Some(heading.clone()).filter(|heading| !heading.is_empty());
        }
        self.in_references = role::is_references(&heading);
        let role = self.roles.next(&heading, level);
        if !self.in_references {
            self.draft.sections.push(Section { heading, role, paragraphs: Vec::new() });
        }
    }

    /// `key: value` lines; anything deeper is left alone.
    fn close_metadata(&mut self) {
        self.in_metadata = false;
        let block = std::mem::take(&mut self.text);
        for (name, value) in block.lines().filter_map(|line| line.split_once(':')) {
            let value = value.trim().trim_matches(['"', '\'']);
            let known = match name.trim() {
                "title" if !value.is_empty() => self.draft.title.replace(value.to_owned()).is_none(),
                "author" | "authors" if !value.is_empty() => {
                    self.draft.authors = references::split_authors(value.trim_matches(['[', ']']));
                    !self.draft.authors.is_empty()
                }
                "year" | "date" => {
                    self.draft.year = value.get(..4).and_then(|year| year.parse().ok());
                    self.draft.year.is_some()
                }
                "doi" => {
                    self.draft.doi = references::doi(value);
                    self.draft.doi.is_some()
                }
                _ => false,
            };
            if known {
                let field = match name.trim() {
                    "author" => "authors",
                    "date" => "year",
                    name => name,
                };
                self.draft.provenance.insert(field.to_owned(), json!("front matter"));
            }
        }
    }

    fn close_table(&mut self) {
        self.in_table = false;
        self.text.clear();
        let width = self.cells.iter().map(Vec::len).max().unwrap_or_default();
        let mut cells = std::mem::take(&mut self.cells);
        cells.iter_mut().for_each(|row| row.resize(width, String::new()));
        if width > 0 {
            self.push(table::paragraph(Table { cells, ..Table::default() }, None));
        }
    }

    fn flush(&mut self, kind: ParagraphKind) {
        let text = std::mem::take(&mut self.text);
        let text = if kind == ParagraphKind::Lines { text.trim_end() } else { text.trim() };
        if text.trim().is_empty() || self.in_metadata {
            return;
        }
        if self.in_references {
            self.cited.extend(text.lines().map(|line| line.trim_start_matches("- ").to_owned()));
            self.cited.push(String::new());
        } else {
            self.push(Paragraph::whole(text.to_owned(), kind));
        }
    }

    fn push(&mut self, paragraph: Paragraph) {
        if self.draft.sections.is_empty() {
            self.draft.sections.push(Section::default());
        }
        if let Some(section) = self.draft.sections.last_mut() {
            section.paragraphs.push(paragraph);
        }
    }
}

fn without_tags(html: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for c in html.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            c if !inside => text.push(c),
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use techrag_core::record::Role;

    use super::*;

    fn draft(text: &str) -> Draft {
        read(&Decoded { text: text.into(), encoding: "UTF-8" })
    }

    fn texts(draft: &Draft) -> Vec<(&str, Vec<&str>)> {
        draft
            .sections
            .iter()
            .map(|section| {
                (section.heading.as_str(), section.paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect())
            })
            .collect()
    }

    #[test]
    fn headings_open_sections_and_blocks_keep_their_shape() {
        let draft = draft(
            "# On slip\n\nThe *slip* of a\ntyre, see [here](http://x).\n\n## 2 Method\n\n- one\n- two\n  1. deep\n\n\
             ```\nx = 1\ny = 2\n```\n",
        );
        assert_eq!(
            texts(&draft),
            [
                ("On slip", vec!["The slip of a tyre, see here."]),
                ("2 Method", vec!["- one\n- two\n  1. deep", "x = 1\ny = 2"])
            ]
        );
        assert_eq!((draft.title.as_deref(), draft.sections[1].role), (Some("On slip"), Role::Method));
    }

    #[test]
    fn tables_keep_their_cells() {
        let draft = draft("| a | b |\n|---|---|\n| 1 | *2* |\n");
        let paragraph = &draft.sections[0].paragraphs[0];
        assert_eq!(paragraph.text, "| a | b |\n| --- | --- |\n| 1 | 2 |");
        assert_eq!(paragraph.table.as_ref().map(|table| table.cells.len()), Some(2));
    }

    #[test]
    fn front_matter_and_references_are_no_text() {
        let draft = draft(
            "---\ntitle: \"Slip: a study\"\nauthor: A. Name and B. Name\ndate: 2021-03-04\n---\n\nText.\n\n# References\n\n\
             1. E. Fiala, \"Side forces of tyres\", 1954.\n2. H. Pacejka, \"Tires of cars\", 2012.\n\n# Appendix\n\nMore.\n",
        );
        assert_eq!(draft.title.as_deref(), Some("Slip: a study"));
        assert_eq!((draft.authors.len(), draft.year), (2, Some(2021)));
        assert_eq!(draft.provenance["year"], json!("front matter"));
        assert_eq!(texts(&draft), [("", vec!["Text."]), ("Appendix", vec!["More."])]);
        let titles: Vec<_> = draft.references.iter().map(|r| (r.label.as_deref(), r.title.as_deref())).collect();
        assert_eq!(titles, [(Some("1"), Some("Side forces of tyres")), (Some("2"), Some("Tires of cars"))]);
    }

    #[test]
    fn html_loses_its_tags_and_math_stays() {
        assert_eq!(texts(&draft("<b>Bold</b> and $x^2$.")), [("", vec!["Bold and $x^2$."])]);
    }
}
