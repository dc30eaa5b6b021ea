//! Titles of the documents that came by, for the context of their chunks.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use techrag_cli::{Bare, Kind, Record, Wanted};
use techrag_core::codec::{self, Parsed};

use crate::args::Context;

/// Titles by document id.
pub(crate) type Titles = Mutex<HashMap<String, String>>;

/// Keeps the title if the line is a document.
pub(crate) fn remember(line: &str, titles: &Titles) {
    let wanted = Wanted { kinds: &[Kind::Document], bare: Bare::Refused };
    // What is wrong with a line is said where it is mapped.
    if !line.contains("\"document\"") {
        return;
    }
    if let Ok(Parsed::Record(Record::Document(document))) = codec::parse(line, wanted) {
        let title = document.title.unwrap_or_default();
        titles.lock().unwrap_or_else(PoisonError::into_inner).insert(document.doc_id, title);
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
