//! The wire as others see it: published schemas, and the records declared a second time.
//!
//! `deny_unknown_fields` makes an accidental field fail here; a field added on purpose is added here too.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::harness::Place;

#[test]
fn the_published_schemas_are_those_of_the_build() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas");
    let built: Map<String, Value> =
        serde_json::from_str(&Place::new().run("techrag-eval", &["--schema"], "").ok().stdout).expect("an object");
    assert_eq!(built.keys().collect::<Vec<_>>(), ["document", "chunk", "removed", "entities", "query", "error"]);
    for (tag, schema) in &built {
        let published = fs::read_to_string(folder.join(format!("{tag}.json"))).expect("a schema a record");
        let published: Value = serde_json::from_str(&published).expect("JSON");
        assert!(*schema == published, "docs/schemas/{tag}.json is not what the build writes: run `make schemas`");
    }
    assert_eq!(fs::read_dir(&folder).expect("docs/schemas").count(), built.len(), "a schema of no record");
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "declared to be parsed into, not read")]
struct Document {
    r#type: String,
    v: u32,
    doc_id: String,
    key: String,
    path: Option<String>,
    media_type: String,
    bytes: u64,
    title: Option<String>,
    #[serde(default)]
    authors: Vec<String>,
    year: Option<i32>,
    doi: Option<String>,
    arxiv: Option<String>,
    r#abstract: Option<String>,
    #[serde(default)]
    keywords: Vec<String>,
    pages: Option<u32>,
    #[serde(default)]
    pages_without_text: Vec<u32>,
    #[serde(default)]
    pages_failed: Vec<u32>,
    #[serde(default)]
    outline: Vec<Value>,
    #[serde(default)]
    recognised: Vec<Value>,
    #[serde(default)]
    references: Vec<Value>,
    #[serde(default)]
    metadata: Map<String, Value>,
    #[serde(default)]
    provenance: Map<String, Value>,
    chunks: u32,
    by: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "declared to be parsed into, not read")]
struct Chunk {
    r#type: String,
    v: u32,
    uid: String,
    doc_id: String,
    section: String,
    role: String,
    pages: Option<[u32; 2]>,
    #[serde(default)]
    spans: Vec<Span>,
    text: String,
    sha1: String,
    modality: String,
    #[serde(default)]
    tables: Vec<Table>,
    by: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Span {
    start: usize,
    end: usize,
    page: Option<u32>,
    bbox: Option<[f64; 4]>,
    place: Option<String>,
    time: Option<[f64; 2]>,
    confidence: Option<f64>,
    kind: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "declared to be parsed into, not read")]
struct Table {
    caption: Option<String>,
    page: Option<u32>,
    cells: Vec<Vec<String>>,
    range: Option<String>,
    #[serde(default)]
    formulas: std::collections::BTreeMap<String, String>,
}

fn parsed<T: for<'a> Deserialize<'a>>(line: &str) -> T {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn a_paper_is_a_document_and_its_chunks_and_nothing_more() {
    let paper = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/papers/relaxation-length.pdf");
    let said = Place::new().run("techrag-chunk", &[paper], "").ok();
    let (first, rest) = said.stdout.split_once('\n').expect("a document and chunks");
    let document: Document = parsed(first);
    let chunks: Vec<Chunk> = rest.lines().map(parsed).collect();
    assert_eq!((document.r#type.as_str(), document.chunks as usize), ("document", chunks.len()));
    for (ordinal, chunk) in chunks.iter().enumerate() {
        assert_eq!((chunk.r#type.as_str(), &chunk.doc_id), ("chunk", &document.doc_id));
        assert_eq!(chunk.uid, format!("{}:{ordinal}", document.doc_id));
        assert!(!chunk.spans.is_empty());
        for Span { start, end, page, bbox, place, time, confidence, kind } in &chunk.spans {
            let words = chunk.text.get(*start..*end).expect("a span stands on character boundaries");
            let kinds = ["formula", "caption", "table", "footnote"];
            assert!(kind.as_deref().is_none_or(|kind| kinds.contains(&kind)), "{kind:?}");
            assert!(
                !words.trim().is_empty() && page.is_some() && bbox.is_some() && place.is_none(),
                "{words:?} {page:?} {bbox:?}"
            );
            assert_eq!((*time, *confidence), (None, None), "what a text layer says is not heard, and not doubted");
        }
    }
}
