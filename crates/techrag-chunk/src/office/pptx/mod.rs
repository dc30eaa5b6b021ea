//! Slide decks: a section a slide, its shapes in reading order, then the speaker's notes and the comments.
//!
//! The page of every paragraph is the number of its slide. Placeholders for date, footer and slide number are furniture
//! and stay out. A slide that cannot be read is named as a failed page; the others are read.

mod order;
mod shapes;
mod template;
pub(super) mod wording;

use std::collections::HashMap;

use serde_json::json;
use techrag_core::record::{Modality, Span, Table};
use techrag_core::text;

use super::LeftOut;
use super::archive::{Archive, Error};
use super::chart;
use super::relations::Relations;
use super::xml::Node;
use crate::draft::{Draft, Paragraph, ParagraphKind, Section};
use crate::{role, table};
use shapes::{Around, Content, Shape};
use template::{Template, Templates};

/// English Metric Units in a point.
const EMU: f64 = 12_700.0;

/// A deck as a draft.
///
/// # Errors
/// If the deck as a whole is broken.
pub(super) fn read(root: &Node, main: &str, archive: &mut Archive<'_>) -> Result<Draft, Error> {
    let relations = Relations::of(main, archive)?;
    let authors = authors(&relations, archive)?;
    let list = root.at(&["p:sldIdLst"]);
    let slides: Vec<String> = list
        .into_iter()
        .flat_map(|list| list.all("p:sldId"))
        .map(|slide| slide.attribute("r:id").and_then(|id| relations.target(id)).unwrap_or_default().to_owned())
        .collect();
    let mut draft = Draft {
        media_type: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        pages: u32::try_from(slides.len()).ok(),
        modality: Some(Modality::Slide),
        ..Draft::default()
    };
    let mut deck = Deck { archive, authors, templates: Templates::default(), left_out: LeftOut::default(), taken: 0 };
    for (number, part) in (1..).zip(&slides) {
        match deck.slide(part, number) {
            Ok(Some(section)) => draft.sections.push(section),
            Ok(None) => draft.pages_without_text.push(number),
            Err(error) => draft.pages_failed.push((number, error.to_string())),
        }
    }
    deck.left_out.write(&mut draft);
    let first =
        draft.sections.first().filter(|section| section.paragraphs.first().is_some_and(|first| page(first) == Some(1)));
    if let Some(title) = first.map(|section| section.heading.clone()).filter(|title| !title.is_empty()) {
        draft.title = Some(title);
        draft.provenance.insert("title".into(), json!("first slide"));
    }
    Ok(draft)
}

fn page(paragraph: &Paragraph) -> Option<u32> {
    paragraph.spans.first().and_then(|span| span.page)
}

/// Names of those who commented, by the identifiers of both formats.
fn authors(relations: &Relations, archive: &mut Archive<'_>) -> Result<HashMap<String, String>, Error> {
    let mut authors = HashMap::new();
    for part in ["commentAuthors", "authors"].iter().flat_map(|kind| relations.of_kind(kind)) {
        let Some(root) = archive.tree(part)? else { continue };
        let author = |node: &Node| Some((node.attribute("id")?.to_owned(), node.attribute("name")?.to_owned()));
        authors.extend(root.nodes().filter_map(author));
    }
    Ok(authors)
}

struct Deck<'a, 'b> {
    archive: &'b mut Archive<'a>,
    authors: HashMap<String, String>,
    templates: Templates,
    left_out: LeftOut,
    /// Cells of all tables so far.
    taken: usize,
}

impl Deck<'_, '_> {
    /// The section of a slide; `None` where it has no text at all.
    fn slide(&mut self, part: &str, number: u32) -> Result<Option<Section>, Error> {
        let root = self.archive.tree(part)?.ok_or_else(|| Error::Damaged("the slide's part is missing".into()))?;
        let relations = Relations::of(part, self.archive)?;
        let template = self.templates.of(&relations, self.archive)?;
        let charts = chart::all(&relations, self.archive)?;
        let mut shapes = Vec::new();
        if let Some(tree) = root.at(&["p:cSld", "p:spTree"]) {
            let (left_out, taken) = (&mut self.left_out, &mut self.taken);
            let mut around = Around { template: &template, charts: &charts, left_out, taken };
            shapes = shapes::read(tree, &mut around).map_err(Error::TooLarge)?;
        }
        for shape in &mut shapes {
            if let Content::Diagram(id) = &shape.content {
                shape.content = Content::Text(self.diagram(id, &relations)?);
            }
        }
        let mut section = self::section(shapes, number);
        section.paragraphs.extend(self.notes(&relations, number)?);
        section.paragraphs.extend(self.comments(&relations, number)?);
        Ok((!section.paragraphs.is_empty()).then_some(section))
    }

    /// The words of a diagram stand in a part of their own.
    fn diagram(&mut self, id: &str, relations: &Relations) -> Result<Vec<wording::Line>, Error> {
        let Some(part) = relations.target(id) else { return Ok(Vec::new()) };
        let root = self.archive.tree(part)?;
        let paragraphs = root.iter().flat_map(|root| root.every("a:p")).map(wording::words);
        Ok(paragraphs.filter(|words| !words.trim().is_empty()).map(wording::Line::item).collect())
    }

    fn notes(&mut self, relations: &Relations, number: u32) -> Result<Vec<Paragraph>, Error> {
        let mut notes = Vec::new();
        for part in relations.of_kind("notesSlide") {
            let Some(root) = self.archive.tree(part)? else { continue };
            // The notes page repeats the slide and its number; what was said is in the body.
            let bodies = root
                .every("p:sp")
                .into_iter()
                .filter(|shape| shapes::placeholder(shape).is_some_and(|place| place.kind == "body"));
            for shape in bodies {
                let Some(body) = shape.at(&["p:txBody"]) else { continue };
                notes.extend(wording::paragraphs(&wording::lines(body, shape, &Template::default())));
            }
        }
        if let Some((words, _)) = notes.first_mut() {
            words.insert_str(0, "Speaker notes: ");
        }
        Ok(notes.into_iter().map(|(words, kind)| placed(words, kind, number, None)).collect())
    }

    fn comments(&mut self, relations: &Relations, number: u32) -> Result<Vec<Paragraph>, Error> {
        let mut comments = Vec::new();
        for part in relations.of_kind("comments") {
            let Some(root) = self.archive.tree(part)? else { continue };
            for comment in root.every("p:cm").into_iter().chain(root.every("cm")) {
                comments.extend(self.comment(comment, number));
                comments.extend(comment.every("reply").into_iter().filter_map(|reply| self.comment(reply, number)));
            }
        }
        Ok(comments)
    }

    fn comment(&self, node: &Node, number: u32) -> Option<Paragraph> {
        let body = node.nodes().filter(|child| matches!(&*child.name, "p:text" | "txBody"));
        let words = text::squeeze(&body.map(Node::text).collect::<String>());
        let author = node.attribute("authorId").and_then(|id| self.authors.get(id)).map_or("someone", String::as_str);
        (!words.is_empty()).then(|| placed(format!("Comment by {author}: {words}"), ParagraphKind::Prose, number, None))
    }
}

/// The title becomes the heading, everything else follows in reading order.
fn section(shapes: Vec<Shape>, number: u32) -> Section {
    let (titles, others): (Vec<_>, Vec<_>) = shapes.into_iter().partition(|shape| shape.is_title);
    let (mut section, mut rest, mut opening) = (Section::default(), others, None);
    for title in titles {
        match title.content {
            Content::Text(lines) if section.heading.is_empty() => {
                let words: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
                section.heading = text::squeeze(&words.join(" "));
                section.role = role::of(&section.heading);
                opening = title.frame;
            }
            content => rest.push(Shape { content, ..title }),
        }
    }
    for shape in order::reading(rest) {
        match shape.content {
            Content::Text(lines) => section.paragraphs.extend(
                wording::paragraphs(&lines).into_iter().map(|(words, kind)| placed(words, kind, number, shape.frame)),
            ),
            Content::Tables(tables) => {
                let with_text = |table: &Table| table.cells.iter().flatten().any(|cell| !cell.is_empty());
                section
                    .paragraphs
                    .extend(tables.into_iter().filter(with_text).map(|table| on_slide(table, number, shape.frame)));
            }
            Content::Diagram(_) => {}
        }
    }
    // Under a heading alone there would be nothing to find.
    if section.paragraphs.is_empty() && !section.heading.is_empty() {
        section.paragraphs.push(placed(section.heading.clone(), ParagraphKind::Prose, number, opening));
    }
    section
}

fn placed(words: String, kind: ParagraphKind, number: u32, frame: Option<[f64; 4]>) -> Paragraph {
    let (page, place) = (Some(number), Some(slide(number)));
    let spans = vec![Span { start: 0, end: words.len(), page, bbox: frame.map(points), place, ..Span::default() }];
    Paragraph { text: words, spans, kind, table: None }
}

fn on_slide(table: Table, number: u32, frame: Option<[f64; 4]>) -> Paragraph {
    let mut paragraph = table::paragraph(Table { page: Some(number), ..table }, frame.map(points));
    paragraph.spans.iter_mut().for_each(|span| span.place = Some(slide(number)));
    paragraph
}

/// How a citation names a slide.
fn slide(number: u32) -> String {
    format!("slide {number}")
}

/// A frame as the box of the record: corners in points.
fn points([x, y, width, height]: [f64; 4]) -> [f32; 4] {
    [x, y, x + width, y + height].map(|value| (value / EMU) as f32)
}
