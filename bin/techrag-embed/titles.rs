//! Titles of the documents that came by, for the context of their chunks.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use techrag_cli::{Bare, Kind, Record, Wanted};
use techrag_core::codec::{self, Parsed};
use techrag_core::record::{ErrorKind, ErrorRecord};

use crate::args::Context;

/// Titles by document id.
pub(crate) type Titles = Mutex<HashMap<String, String>>;

const DOCUMENTS: Wanted = Wanted { kinds: &[Kind::Document], bare: Bare::Refused };

/// Keeps the title if the line is a document.
pub(crate) fn remember(line: &str, titles: &Titles) {
    if !line.contains("\"document\"") {
        return;
    }
    // One that cannot be read is named where it is mapped: see [`unreadable`].
    if let Ok(Parsed::Record(Record::Document(document))) = codec::parse(line, DOCUMENTS) {
        let title = document.title.unwrap_or_default();
        titles.lock().unwrap_or_else(PoisonError::into_inner).insert(document.doc_id, title);
    }
}

/// Documents whose title cannot be read become errors: their chunks would stand under nothing in silence.
pub(crate) fn refuse_unreadable(records: &mut [Record], stage: &str) {
    for record in records {
        let Record::Other(line) = &*record else { continue };
        if let Err(error) = codec::parse(line, DOCUMENTS) {
            let value: Value = serde_json::from_str(line).unwrap_or_default();
            let named = ["key", "doc_id"].into_iter().find_map(|name| value.get(name).and_then(Value::as_str));
            let message = format!("its chunks can have no title before them: {error}");
            *record = ErrorRecord::new(named.unwrap_or("a document"), stage, ErrorKind::Malformed, message).into();
        }
    }
}

/// What each chunk stands under.
pub(crate) fn contexts(chunks: &[&mut Record], context: Context, titles: &Titles) -> Vec<String> {
    let titles = titles.lock().unwrap_or_else(PoisonError::into_inner);
    let of = |record: &&mut Record| match record {
        Record::Chunk(chunk) => context.of(titles.get(&chunk.doc_id).map_or("", String::as_str), chunk),
        _ => String::new(),
    };
    chunks.iter().map(of).collect()
}
