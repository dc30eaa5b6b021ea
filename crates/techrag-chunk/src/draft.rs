//! What a reader makes of a source before anything is cut: sections of paragraphs, each with its place.
//!
//! Every format ends here, so that packing, roles and deduplication are written once.

use techrag_core::record::{Extra, Heading, Modality, RecognisedPage, Reference, Role, Span, Table};

/// A source as its reader understood it. Unknown values are `None` or empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Draft {
    pub(crate) media_type: &'static str,
    /// What its chunks are called; `None` for text, where those of tables alone are called tables.
    pub(crate) modality: Option<Modality>,
    pub(crate) title: Option<String>,
    pub(crate) authors: Vec<String>,
    pub(crate) year: Option<i32>,
    pub(crate) doi: Option<String>,
    pub(crate) arxiv: Option<String>,
    pub(crate) summary: Option<String>,
    pub(crate) keywords: Vec<String>,
    pub(crate) pages: Option<u32>,
    pub(crate) pages_without_text: Vec<u32>,
    /// Pages that could not be read, each with the reason.
    pub(crate) pages_failed: Vec<(u32, String)>,
    /// All headings in order; a reader that does not fill it has those of its sections.
    pub(crate) outline: Vec<Heading>,
    /// Pages whose text was read off their picture.
    pub(crate) recognised: Vec<RecognisedPage>,
    pub(crate) references: Vec<Reference>,
    /// Where each value came from, and what was done that a reader of the chunks should know.
    pub(crate) provenance: Extra,
    pub(crate) sections: Vec<Section>,
}

/// A heading and what stands under it, up to the next heading of any level.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Section {
    /// As printed, with its number; empty before the first heading.
    pub(crate) heading: String,
    pub(crate) role: Role,
    pub(crate) paragraphs: Vec<Paragraph>,
}

/// A piece of text that belongs together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Paragraph {
    pub(crate) text: String,
    /// Where its stretches stand, in order, without overlap; more than one where it goes on over a column or page.
    pub(crate) spans: Vec<Span>,
    pub(crate) kind: ParagraphKind,
    /// The cells, for a table.
    pub(crate) table: Option<Table>,
}

/// How a paragraph may be cut and repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ParagraphKind {
    /// Sentences: cut at their ends where too long.
    #[default]
    Prose,
    /// Lines whose breaks matter (code, preformatted text): cut at line ends.
    Lines,
    /// A Markdown table, its caption in front: cut between rows, never repeated in an overlap.
    Table,
}

impl Paragraph {
    /// Prose without a page.
    pub(crate) fn prose(text: impl Into<String>) -> Self {
        Self::whole(text.into(), ParagraphKind::Prose)
    }

    /// Text without a page, one span over all of it.
    pub(crate) fn whole(text: String, kind: ParagraphKind) -> Self {
        let spans = vec![Span { start: 0, end: text.len(), ..Span::default() }];
        Self { text, spans, kind, table: None }
    }

    /// The stretch `start..end` (bytes, on character boundaries) as a paragraph of its own, with its places.
    pub(crate) fn slice(&self, start: usize, end: usize) -> Self {
        Self {
            text: self.text[start..end].to_owned(),
            spans: clip(&self.spans, start, end),
            kind: self.kind,
            table: None,
        }
    }
}

/// The parts of `spans` within `start..end`, counted from `start`.
pub(crate) fn clip(spans: &[Span], start: usize, end: usize) -> Vec<Span> {
    let inside = spans.iter().filter(|span| span.start < end && span.end > start);
    inside
        .map(|span| Span { start: span.start.max(start) - start, end: span.end.min(end) - start, ..span.clone() })
        .collect()
}

/// Length in characters, the unit of every size in this crate.
pub(crate) fn chars(text: &str) -> usize {
    text.chars().count()
}

/// A text of at most so many characters; one that was cut ends in `…`.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let mut ends = text.char_indices().map(|(at, _)| at).skip(most.saturating_sub(1));
    match (ends.next(), ends.next()) {
        (Some(end), Some(_)) => format!("{}…", &text[..end]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: usize, end: usize, page: u32) -> Span {
        Span { start, end, page: Some(page), ..Span::default() }
    }

    #[test]
    fn a_cut_is_seen() {
        assert_eq!([cut("slip", 4), cut("slips", 4), cut("Käfer", 2), cut("", 4)], ["slip", "sli…", "K…", ""]);
    }

    #[test]
    fn a_slice_keeps_the_places_of_what_it_holds() {
        let paragraph = Paragraph {
            text: "first page second page".into(),
            spans: vec![span(0, 10, 1), span(11, 22, 2)],
            ..Default::default()
        };
        let slice = paragraph.slice(6, 17);
        assert_eq!(slice.text, "page second");
        assert_eq!(slice.spans, [span(0, 4, 1), span(5, 11, 2)]);
    }
}
