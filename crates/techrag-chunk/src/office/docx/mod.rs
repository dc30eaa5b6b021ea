//! Word documents: paragraphs, lists with their marks, tables, notes and comments where they are referred to.
//!
//! Headers and footers are parts of their own that nobody refers to from the text, so they stay out by themselves.
//! Deleted and hidden text stays out, inserted text is read. Text boxes follow the paragraph they are anchored in.

pub(super) mod equation;
mod inline;
mod numbering;
mod styles;
mod symbol;

use std::collections::HashMap;

use serde_json::json;
use techrag_core::record::Table;
use techrag_core::text;

use super::LeftOut;
use super::archive::{Archive, Error};
use super::relations::Relations;
use super::xml::Node;
use crate::draft::Draft;
use crate::flow::{self, Flow};
use crate::table;
use inline::{Inline, NoteKind, chosen};
use numbering::Numbering;
use styles::Styles;

/// Most cells that one cell may stand for; the format's own limit is 63 columns.
const MAX_SPAN: usize = 1000;

/// A document as a draft.
///
/// # Errors
/// If a part it needs is broken or too large.
pub(super) fn read(root: &Node, main: &str, archive: &mut Archive<'_>) -> Result<Draft, Error> {
    let relations = Relations::of(main, archive)?;
    let mut part = |kind: &str| match relations.of_kind(kind).first() {
        Some(name) => archive.tree(name),
        None => Ok(None),
    };
    let (styles, numbering) = (part("styles")?, part("numbering")?);
    let notes = [(NoteKind::Foot, part("footnotes")?), (NoteKind::End, part("endnotes")?)];
    let comments = part("comments")?;
    let charts = super::chart::all(&relations, archive)?;
    let mut reader = Reader {
        styles: Styles::read(styles.as_ref()),
        numbering: Numbering::read(numbering.as_ref()),
        notes: notes.iter().filter_map(|(kind, part)| Some((*kind, part.as_ref()?))).flat_map(notes_of).collect(),
        comments: comments.iter().flat_map(by_id).collect(),
        noted: 0,
        charts,
        flow: Flow::default(),
        left_out: LeftOut::default(),
        title: None,
        caption: None,
        taken: 0,
    };
    if let Some(body) = root.at(&["w:body"]) {
        reader.blocks(body);
    }
    reader.finish()
}

fn notes_of<'a>((kind, part): (NoteKind, &'a Node)) -> Vec<((NoteKind, String), &'a Node)> {
    let note = |node: &'a Node| {
        // Separators are notes too, of a type of their own.
        (node.attribute("type").is_none_or(|kind| kind == "normal"))
            .then(|| Some(((kind, node.attribute("id")?.to_owned()), node)))
            .flatten()
    };
    part.nodes().filter_map(note).collect()
}

fn by_id(part: &Node) -> impl Iterator<Item = (String, &Node)> {
    part.nodes().filter_map(|node| Some((node.attribute("id")?.to_owned(), node)))
}

struct Reader<'a> {
    styles: Styles,
    numbering: Numbering,
    notes: HashMap<(NoteKind, String), &'a Node>,
    comments: HashMap<String, &'a Node>,
    /// Notes referred to so far: the number of the last.
    noted: usize,
    /// Charts by the identifier of their relation.
    charts: HashMap<String, Vec<Table>>,
    flow: Flow,
    left_out: LeftOut,
    title: Option<String>,
    /// A caption that waits for the table below it.
    caption: Option<String>,
    /// Cells of all tables so far.
    taken: usize,
}

/// A paragraph, its text not yet placed.
struct Block<'a> {
    inline: Inline<'a>,
    mark: Option<String>,
    depth: usize,
    heading: Option<usize>,
    style: String,
}

impl<'a> Reader<'a> {
    fn blocks(&mut self, parent: &'a Node) {
        for node in parent.nodes() {
            match &*node.name {
                "w:p" => self.paragraph(node),
                "w:tbl" => self.table(node),
                "w:sdt" if is_contents(node) => self.left_out.count("tables of contents"),
                "w:sdt" | "w:sdtContent" | "w:customXml" | "w:ins" | "w:moveTo" => self.blocks(node),
                "mc:AlternateContent" => chosen(node).into_iter().for_each(|node| self.blocks(node)),
                "w:altChunk" => self.left_out.count("embedded documents"),
                _ => {}
            }
        }
    }

    fn block(&mut self, node: &'a Node) -> Block<'a> {
        let properties = node.at(&["w:pPr"]);
        let style = properties.and_then(|node| node.at(&["w:pStyle"])?.attribute("val")).unwrap_or_default().to_owned();
        let own = properties.and_then(styles::in_list);
        let by_style = self.styles.list(&style);
        // A paragraph may set the depth and leave the list to its style.
        let list = match (own, by_style) {
            (Some(own), Some(style)) if own.number.is_none() => Some(styles::InList { number: style.number, ..own }),
            (own, style) => own.or(style),
        };
        let mut inline = Inline::read(node, &mut self.noted);
        inline.left_out.drain(..).for_each(|what| self.left_out.count(what));
        let mark = list.as_ref().and_then(|list| self.numbering.mark(list));
        let heading = properties.and_then(styles::outline).or_else(|| self.styles.heading(&style));
        Block { inline, mark, depth: list.map_or(0, |list| list.level), heading, style }
    }

    fn paragraph(&mut self, node: &'a Node) {
        let block = self.block(node);
        let words = block.inline.text();
        if self.styles.is(&block.style, "title") && self.title.is_none() {
            self.title = Some(text::squeeze(&words)).filter(|title| !title.is_empty());
            self.flow.heading(&words, 1);
        } else if self.styles.is(&block.style, "caption") && words.trim_start().to_lowercase().starts_with("tab") {
            self.flush_caption();
            self.caption = Some(text::squeeze(&words));
        } else {
            if !words.trim().is_empty() {
                self.flush_caption();
            }
            match (&block.mark, block.heading) {
                (Some(mark), Some(level)) if mark != "-" => self.flow.heading(&format!("{mark} {words}"), level),
                (_, Some(level)) => self.flow.heading(&words, level),
                (Some(mark), None) => self.flow.item(block.depth, mark, &words),
                (None, None) => self.flow.prose(&words),
            }
        }
        self.attached(block.inline);
    }

    /// What a paragraph carries beside its text: notes, boxes, charts.
    fn attached(&mut self, inline: Inline<'a>) {
        for note in inline.notes {
            if let Some(node) = self.notes.get(&(note.kind, note.id)).copied() {
                let (words, comments) = self.flat(node);
                self.flow.prose(&format!("[^{}] {words}", note.mark));
                comments.into_iter().for_each(|id| self.comment(&id));
            }
        }
        inline.comments.into_iter().for_each(|id| self.comment(&id));
        for node in inline.boxes {
            self.blocks(node);
        }
        for id in inline.charts {
            match self.charts.get(&id) {
                Some(charts) => charts.clone().into_iter().for_each(|chart| self.flow.table(chart)),
                None => self.left_out.count("charts"),
            }
        }
    }

    /// A comment that is referred to again is read once; one on a comment is counted.
    fn comment(&mut self, id: &str) {
        let Some(node) = self.comments.remove(id) else { return };
        let author = node.attribute("author").map(str::trim).filter(|author| !author.is_empty());
        let (words, comments) = self.flat(node);
        comments.iter().for_each(|_| self.left_out.count("comments on comments"));
        if !words.is_empty() {
            self.flow.prose(&format!("Comment by {}: {words}", author.unwrap_or("someone")));
        }
    }

    fn flush_caption(&mut self) {
        if let Some(caption) = self.caption.take() {
            self.flow.prose(&caption);
        }
    }

    fn table(&mut self, node: &'a Node) {
        let mut attached = Vec::new();
        let cells = self.grid(node, &mut attached);
        let caption = self.caption.take();
        self.flow.table(Table { caption, cells, ..Table::default() });
        for inline in attached {
            self.attached(inline);
        }
    }

    /// Every cell of the grid; one that spans several stands in each of them, so that every row can be read alone.
    fn grid(&mut self, node: &'a Node, attached: &mut Vec<Inline<'a>>) -> Vec<Vec<String>> {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for row in node.every("w:tr") {
            let skipped = row.at(&["w:trPr", "w:gridBefore"]).and_then(|node| node.number("val")).unwrap_or(0_usize);
            let skipped = skipped.min(MAX_SPAN);
            let mut cells = vec![String::new(); skipped];
            for cell in row.every("w:tc") {
                let property = |name| cell.at(&["w:tcPr", name]);
                let span = property("w:gridSpan").and_then(|node| node.number("val")).unwrap_or(1_usize);
                let goes_on = property("w:vMerge").is_some_and(|merge| merge.attribute("val") != Some("restart"));
                let words = match rows.last().and_then(|above| above.get(cells.len())) {
                    Some(above) if goes_on => table::repeated(above),
                    _ => self.cell(cell, attached),
                };
                let again = table::repeated(&words);
                let span = span.clamp(1, MAX_SPAN);
                if !self.take(span) {
                    return rows;
                }
                cells.push(words);
                cells.extend(std::iter::repeat_n(again, span - 1));
            }
            if !self.take(skipped) {
                return rows;
            }
            rows.push(cells);
        }
        rows
    }

    /// Whether the document may have so many cells more; its reading fails where it may not.
    fn take(&mut self, cells: usize) -> bool {
        self.taken = self.taken.saturating_add(cells);
        let fits = self.taken <= flow::MAX_CELLS;
        if !fits {
            self.flow.refuse(flow::too_many_cells());
        }
        fits
    }

    /// The text of a cell in one line; marks of lists stay.
    fn cell(&mut self, node: &'a Node, attached: &mut Vec<Inline<'a>>) -> String {
        let mut words = Vec::new();
        for child in node.nodes() {
            match &*child.name {
                "w:p" => {
                    let block = self.block(child);
                    let line = text::squeeze(&block.inline.text());
                    if !line.is_empty() {
                        words.extend(block.mark);
                        words.push(line);
                    }
                    attached.push(block.inline);
                }
                "w:tbl" => {
                    words.extend(self.grid(child, attached).into_iter().flatten().filter(|cell| !cell.is_empty()));
                }
                "w:tcPr" => {}
                "w:altChunk" => self.left_out.count("embedded documents"),
                "mc:AlternateContent" => words.extend(chosen(child).map(|child| self.cell(child, attached))),
                _ => words.push(self.cell(child, attached)),
            }
        }
        words.retain(|word| !word.is_empty());
        words.join(" ")
    }

    /// The text of a note or comment in one line, and the comments on it. What else hangs on it is counted: a note may
    /// refer to itself.
    fn flat(&mut self, node: &'a Node) -> (String, Vec<String>) {
        let mut attached = Vec::new();
        let words = self.cell(node, &mut attached);
        let mut comments = Vec::new();
        for inline in attached {
            let held = [
                ("notes on notes", inline.notes.len()),
                ("text boxes in notes", inline.boxes.len()),
                ("charts", inline.charts.len()),
            ];
            held.into_iter().for_each(|(what, count)| (0..count).for_each(|_| self.left_out.count(what)));
            comments.extend(inline.comments);
        }
        (words, comments)
    }

    fn finish(mut self) -> Result<Draft, Error> {
        self.flush_caption();
        let mut draft = Draft {
            media_type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            title: self.title,
            ..Draft::default()
        };
        if draft.title.is_some() {
            draft.provenance.insert("title".into(), json!("style"));
        }
        self.flow.finish(&mut draft).map_err(Error::TooLarge)?;
        self.left_out.write(&mut draft);
        Ok(draft)
    }
}

/// A table of contents repeats the headings.
fn is_contents(node: &Node) -> bool {
    let gallery = node.at(&["w:sdtPr", "w:docPartObj", "w:docPartGallery"]);
    gallery.and_then(|node| node.attribute("val")) == Some("Table of Contents")
}
