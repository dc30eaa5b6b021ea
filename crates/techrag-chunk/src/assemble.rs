//! A draft to records: packing, deduplication, ids.

use std::collections::HashSet;

use serde_json::{Value, json};
use techrag_core::id;
use techrag_core::record::{Chunk, Document, ErrorKind, ErrorRecord, Extra, Heading, Modality};

use crate::draft::{Draft, Paragraph, ParagraphKind, Section, chars, cut};
use crate::pack::{Packed, pack};
use crate::role;
use crate::split::split;
use crate::{Config, Parsed, STAGE};

/// Most characters of a heading in a record: every chunk of its section repeats it, and a file may call anything one.
const MOST_HEADING: usize = 500;

/// What is known of a source without reading it.
pub(crate) struct Identity {
    pub(crate) doc_id: String,
    pub(crate) key: String,
    pub(crate) path: Option<String>,
    pub(crate) bytes: u64,
    pub(crate) metadata: Extra,
}

/// The records of a source. Provenance says where values came from and what was left out: `duplicates` chunks that an
/// earlier one equals, `cut_sentences` blobs that had to be cut inside, `note` where there is nothing to index.
pub(crate) fn assemble(draft: Draft, identity: Identity, config: &Config) -> Parsed {
    let mut provenance = draft.provenance.clone();
    let chunks = chunks(&draft, &identity.doc_id, config, &mut provenance);
    if chunks.is_empty() && !provenance.contains_key("note") {
        provenance.insert("note".into(), json!("no text to index"));
    }
    let errors = draft.pages_failed.iter().map(|(page, why)| page_error(&identity.key, *page, why)).collect();
    let document = Document {
        doc_id: identity.doc_id,
        key: identity.key,
        path: identity.path,
        media_type: draft.media_type.to_owned(),
        bytes: identity.bytes,
        title: draft.title,
        authors: draft.authors,
        year: draft.year,
        doi: draft.doi,
        arxiv: draft.arxiv,
        summary: draft.summary,
        keywords: draft.keywords,
        pages: draft.pages,
        pages_without_text: draft.pages_without_text,
        pages_failed: draft.pages_failed.iter().map(|(page, _)| *page).collect(),
        outline: if draft.outline.is_empty() { of_sections(&draft.sections) } else { draft.outline },
        recognised: draft.recognised,
        references: draft.references,
        metadata: identity.metadata,
        provenance,
        chunks: u32::try_from(chunks.len()).unwrap_or(u32::MAX),
        by: config.by.clone(),
        extra: Extra::new(),
    };
    Parsed { document, chunks, errors }
}

/// The headings of sections, as deep as their numbers say.
fn of_sections(sections: &[Section]) -> Vec<Heading> {
    let named = sections.iter().filter(|section| !section.heading.is_empty());
    let heading = |section: &Section| Heading {
        text: cut(&section.heading, MOST_HEADING),
        level: role::Heading::parse(&section.heading).depth().and_then(|depth| u32::try_from(depth).ok()).unwrap_or(1),
        page: section.paragraphs.first().and_then(|first| first.spans.first()?.page),
        ..Heading::default()
    };
    named.map(heading).collect()
}

fn page_error(key: &str, page: u32, why: &str) -> ErrorRecord {
    ErrorRecord::new(format!("{key}#page={page}"), STAGE, ErrorKind::Damaged, why)
        .hint("the other pages of the file were read; the page can be repaired and the file ingested again")
}

fn chunks(draft: &Draft, doc_id: &str, config: &Config, provenance: &mut Extra) -> Vec<Chunk> {
    let (mut chunks, mut seen) = (Vec::new(), HashSet::new());
    let (mut duplicates, mut cuts) = (0_u64, 0_u64);
    for section in &draft.sections {
        let mut paragraphs = Vec::new();
        if chars(&section.heading) > MOST_HEADING {
            // Its words must not be lost with the cut.
            let pieces = split(Paragraph::prose(section.heading.as_str()), config);
            cuts += pieces.cuts as u64;
            paragraphs.extend(pieces.paragraphs);
        }
        for paragraph in section.paragraphs.iter().filter(|paragraph| !paragraph.text.trim().is_empty()) {
            let pieces = split(paragraph.clone(), config);
            cuts += pieces.cuts as u64;
            paragraphs.extend(pieces.paragraphs);
        }
        let tables_only = paragraphs.iter().all(|paragraph| paragraph.kind == ParagraphKind::Table);
        for packed in pack(&paragraphs, config) {
            let sha1 = id::text_sha1(&packed.text);
            if seen.insert(sha1.clone()) {
                let ordinal = u32::try_from(chunks.len()).unwrap_or(u32::MAX);
                let of_text = match packed.spans.iter().any(|span| span.confidence.is_some()) {
                    true => Modality::Ocr,
                    false if tables_only => Modality::Table,
                    false => Modality::Text,
                };
                let modality = draft.modality.unwrap_or(of_text);
                let chunk = chunk(packed, section, id::uid(doc_id, ordinal), sha1);
                chunks.push(Chunk { doc_id: doc_id.to_owned(), modality, by: config.by.clone(), ..chunk });
            } else {
                duplicates += 1;
            }
        }
    }
    for (name, count) in [("duplicates", duplicates), ("cut_sentences", cuts)] {
        if count > 0 {
            provenance.insert(name.into(), Value::from(count));
        }
    }
    chunks
}

fn chunk(packed: Packed, section: &Section, uid: String, sha1: String) -> Chunk {
    let pages = || packed.spans.iter().filter_map(|span| span.page);
    Chunk {
        uid,
        section: cut(&section.heading, MOST_HEADING),
        role: section.role,
        pages: pages().min().zip(pages().max()).map(|(first, last)| [first, last]),
        spans: packed.spans,
        text: packed.text,
        sha1,
        tables: packed.tables,
        ..Chunk::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assembled(sections: Vec<Section>) -> Parsed {
        let draft = Draft { media_type: "text/plain", sections, ..Draft::default() };
        let identity = Identity { doc_id: "ab".into(), key: "k".into(), path: None, bytes: 1, metadata: Extra::new() };
        assemble(draft, identity, &crate::test_config())
    }

    fn section(heading: &str, texts: &[&str]) -> Section {
        let paragraphs = texts.iter().map(|text| Paragraph::prose(*text)).collect();
        Section { heading: heading.into(), paragraphs, ..Section::default() }
    }

    #[test]
    fn a_chunk_never_spans_two_sections_and_ordinals_follow() {
        let parsed = assembled(vec![section("1 A", &["One.", "Two."]), section("2 B", &["Three."])]);
        let got: Vec<_> = parsed.chunks.iter().map(|c| (c.uid.as_str(), c.section.as_str(), c.text.as_str())).collect();
        assert_eq!(got, [("ab:0", "1 A", "One.\n\nTwo."), ("ab:1", "2 B", "Three.")]);
        assert_eq!(parsed.document.chunks, 2);
    }

    #[test]
    fn a_heading_without_end_is_cut_where_chunks_repeat_it() {
        let long: String = (0..20_000).map(|at| format!("w{at} ")).collect();
        let parsed = assembled(vec![section(&long, &["One."])]);
        let words =
            |at: usize| parsed.chunks.iter().any(|chunk| chunk.text.split_whitespace().any(|w| w == format!("w{at}")));
        assert!([0, 9_999, 19_999].into_iter().all(words), "none is lost");
        let (section, text) = (&parsed.chunks[0].section, &parsed.chunks[0].text);
        assert!(section.chars().count() == MOST_HEADING && section.ends_with('…'), "{section}");
        assert!(text.starts_with("w0 w1 "), "{text}");
        assert_eq!(parsed.document.outline[0].text, parsed.chunks[0].section);
    }

    #[test]
    fn duplicates_are_dropped_and_counted() {
        let parsed =
            assembled(vec![section("1", &["Same  text."]), section("2", &["same text."]), section("3", &["x"])]);
        assert_eq!(parsed.chunks.len(), 2);
        assert_eq!(parsed.chunks[1].uid, "ab:1");
        assert_eq!(parsed.document.provenance["duplicates"], json!(1));
    }

    #[test]
    fn nothing_to_index_is_said_and_no_failure() {
        let parsed = assembled(vec![section("1", &["  "])]);
        assert_eq!((parsed.document.chunks, parsed.errors.len()), (0, 0));
        assert_eq!(parsed.document.provenance["note"], json!("no text to index"));
    }
}
