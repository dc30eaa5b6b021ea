//! Corpora of JSON lines `{"_id", "title", "text", …}`, the form of BEIR.

use serde_json::{Map, Value, json};
use techrag_core::record::{ErrorKind, ErrorRecord, Extra};
use techrag_core::{id, text};

use crate::assemble::{Identity, assemble};
use crate::draft::{Draft, Paragraph, Section};
use crate::{Config, Parsed, STAGE, plain};

/// A line of a corpus to its records. `of` names the line in a failure, as `FILE:LINE`.
///
/// `_id` becomes the key and the line's bytes the id. The title is the first paragraph of the text unless the text
/// begins with it, as BEIR's own baselines read it. Every other field goes to `metadata`; the fields of an object named
/// `metadata` go there one by one. A line with neither title nor text is a document without chunks and a note.
///
/// # Errors
/// An error record of kind `malformed` where the line is not such an object.
pub(crate) fn read_line(line: &str, of: &str, config: &Config) -> Result<Parsed, ErrorRecord> {
    let malformed = |message: String| {
        ErrorRecord::new(of, STAGE, ErrorKind::Malformed, message)
            .hint("a corpus line is an object with \"_id\", \"text\" and, if it has one, \"title\"")
    };
    let line = line.trim_end_matches(['\r', '\n']);
    let mut object: Map<String, Value> = serde_json::from_str(line).map_err(|error| malformed(error.to_string()))?;
    let key = key(object.shift_remove("_id")).map_err(malformed)?;
    let title = string(&mut object, "title").map_err(malformed)?;
    let body = string(&mut object, "text").map_err(malformed)?;
    if title.is_none() && body.is_none() {
        return Err(malformed("neither \"title\" nor \"text\" as a string".into()));
    }
    let draft = draft(title.unwrap_or_default().trim(), &body.unwrap_or_default(), &object);
    let identity = Identity {
        doc_id: id::doc_id(line.as_bytes()),
        key,
        path: None,
        bytes: line.len() as u64,
        metadata: metadata(object),
    };
    Ok(assemble(draft, identity, config))
}

fn key(id: Option<Value>) -> Result<String, String> {
    match id {
        Some(Value::String(id)) if !id.is_empty() => Ok(id),
        Some(Value::Number(id)) => Ok(id.to_string()),
        Some(other) => Err(format!("\"_id\" is {other}, not a string or a number")),
        None => Err("no \"_id\"".into()),
    }
}

fn string(object: &mut Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match object.shift_remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("{name:?} is {other}, not a string")),
    }
}

fn draft(title: &str, body: &str, object: &Map<String, Value>) -> Draft {
    let mut paragraphs = plain::paragraphs(body);
    if !title.is_empty() && !text::fold(body).starts_with(&text::fold(title)) {
        paragraphs.insert(0, Paragraph::prose(text::squeeze(title)));
    }
    let mut draft = Draft {
        media_type: "application/json",
        title: Some(text::squeeze(title)).filter(|title| !title.is_empty()),
        year: object.get("year").and_then(year),
        doi: object.get("doi").and_then(Value::as_str).map(str::to_lowercase),
        authors: object.get("authors").map(authors).unwrap_or_default(),
        ..Draft::default()
    };
    if paragraphs.is_empty() {
        draft.provenance.insert("note".into(), json!("the line has neither title nor text"));
    } else {
        draft.sections.push(Section { paragraphs, ..Section::default() });
    }
    draft
}

fn year(value: &Value) -> Option<i32> {
    let year = value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())?;
    i32::try_from(year).ok().filter(|year| (1000..=2999).contains(year))
}

fn authors(value: &Value) -> Vec<String> {
    let names = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    names.map(text::squeeze).filter(|name| !name.is_empty()).collect()
}

fn metadata(mut object: Map<String, Value>) -> Extra {
    if let Some(Value::Object(nested)) = object.get("metadata").cloned() {
        object.shift_remove("metadata");
        for (name, value) in nested {
            object.entry(name).or_insert(value);
        }
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Parsed, ErrorRecord> {
        read_line(line, "corpus.jsonl:7", &crate::test_config())
    }

    #[test]
    fn fields_find_their_places() {
        let line =
            r#"{"_id":"d1","title":"On slip","text":"Tyres slip.","year":1999,"series":"A","metadata":{"kind":2}}"#;
        let parsed = read(&format!("{line}\n")).unwrap();
        let document = &parsed.document;
        assert_eq!(
            (document.key.as_str(), document.title.as_deref(), document.year),
            ("d1", Some("On slip"), Some(1999))
        );
        assert_eq!(document.doc_id, id::doc_id(line.as_bytes()));
        assert_eq!(Value::Object(document.metadata.clone()), json!({"year": 1999, "series": "A", "kind": 2}));
        assert_eq!(parsed.chunks[0].text, "On slip\n\nTyres slip.");
        assert_eq!(parsed.chunks[0].uid, format!("{}:0", document.doc_id));
    }

    #[test]
    fn a_title_that_opens_the_text_is_not_repeated() {
        let parsed = read(r#"{"_id":1,"title":"Shear flow .","text":"shear  flow . it is studied ."}"#).unwrap();
        assert_eq!(parsed.document.key, "1");
        assert_eq!(parsed.chunks[0].text, "shear flow . it is studied .");
        assert_eq!(read(r#"{"_id":"2","title":"Only a title","text":""}"#).unwrap().chunks[0].text, "Only a title");
    }

    #[test]
    fn an_empty_line_is_a_document_without_chunks() {
        let parsed = read(r#"{"_id":"471","title":"","text":""}"#).unwrap();
        assert_eq!((parsed.document.chunks, parsed.chunks.len(), parsed.errors.len()), (0, 0, 0));
        assert_eq!(parsed.document.provenance["note"], json!("the line has neither title nor text"));
    }

    #[test]
    fn what_is_no_corpus_line_is_named() {
        for (line, why) in [
            ("{", "EOF"),
            (r#"{"text":"x"}"#, "_id"),
            (r#"{"_id":[],"text":"x"}"#, "_id"),
            (r#"{"_id":"1","text":5}"#, "text"),
            (r#"{"_id":"1"}"#, "neither"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.message.contains(why), "{line}: {}", error.message);
            assert_eq!((error.of.as_str(), error.kind), ("corpus.jsonl:7", ErrorKind::Malformed));
        }
    }
}
