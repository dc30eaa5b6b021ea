//! Reading chunks back from the catalog: as hits need them, and as segments are remade from them.

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use techrag_core::record::{Chunk, Document, Hit, Origin};

use crate::build::Draft;
use crate::change;
use crate::error::Result;
use crate::segment::Key;
use crate::writer::doc_number;

/// A chunk as the catalog has it.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The chunk, without its vectors.
    pub chunk: Chunk,
    /// Its document; of several keys the first in order.
    pub document: Document,
    /// All keys of the document, ascending.
    pub keys: Vec<String>,
}

impl Stored {
    /// The chunk as a hit of this origin, without scores; its document's other keys are in `also`.
    pub fn into_hit(self, origin: Origin) -> Hit {
        let Self { chunk, document, keys } = self;
        let mut also: Vec<String> = Vec::new();
        for key in keys {
            if key != document.key && !also.contains(&key) {
                also.push(key);
            }
        }
        Hit {
            uid: chunk.uid,
            doc_id: chunk.doc_id,
            key: document.key,
            also,
            title: document.title,
            authors: document.authors,
            year: document.year,
            doi: document.doi,
            section: chunk.section,
            role: chunk.role,
            pages: chunk.pages,
            spans: chunk.spans,
            text: chunk.text,
            origin,
            ..Hit::default()
        }
    }
}

/// The chunk of a row; `None` if there is no such row.
pub(crate) fn stored(catalog: &Connection, row: i64) -> Result<Option<Stored>> {
    let sql =
        "SELECT c.record, c.text, d.record, d.id FROM chunks c JOIN documents d ON d.id = c.document WHERE c.id = ?";
    let found: Option<(String, String, String, i64)> = catalog
        .prepare_cached(sql)?
        .query_row([row], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .optional()?;
    let Some((record, text, document, id)) = found else { return Ok(None) };
    let mut document: Document = serde_json::from_str(&document)?;
    let keys: Vec<String> = change::keys(catalog, id)?.into_iter().map(|(key, _)| key).collect();
    if let Some(first) = keys.first() {
        document.key.clone_from(first);
    }
    Ok(Some(Stored { chunk: change::chunk_of(&record, text)?, document, keys }))
}

/// The windows' vectors of a row, one after the other; empty if it has none.
pub(crate) fn vectors(catalog: &Connection, row: i64) -> Result<Vec<f32>> {
    let mut statement = catalog.prepare_cached("SELECT data FROM vectors WHERE chunk = ?")?;
    let data = statement.query_row([row], |row| Ok(floats(row.get_ref(0)?.as_blob().unwrap_or_default())));
    Ok(data.optional()?.unwrap_or_default())
}

/// The bytes each window of a row covers; empty if it has none.
pub(crate) fn bounds(catalog: &Connection, row: i64) -> Result<Vec<[usize; 2]>> {
    let mut statement = catalog.prepare_cached("SELECT bounds FROM vectors WHERE chunk = ?")?;
    let bounds: Option<String> = statement.query_row([row], |row| row.get(0)).optional()?;
    bounds.map_or(Ok(Vec::new()), |bounds| Ok(serde_json::from_str(&bounds)?))
}

fn floats(data: &[u8]) -> Vec<f32> {
    let (words, _) = data.as_chunks::<4>();
    words.iter().map(|word| f32::from_le_bytes(*word)).collect()
}

const DRAFT: &str = "SELECT d.doc_id, c.ordinal, c.id, coalesce(d.title, ''), c.section, c.text, v.data, \
     c.record -> '$.sparse.terms' \
     FROM documents d JOIN chunks c ON c.document = d.id LEFT JOIN vectors v ON v.chunk = c.id";

/// At most `most` chunks after a document id and ordinal, ascending.
pub(crate) fn drafts_after(catalog: &Connection, after: &(String, i64), most: usize) -> Result<Vec<Draft>> {
    let sql = format!("{DRAFT} WHERE (d.doc_id, c.ordinal) > (?1, ?2) ORDER BY d.doc_id, c.ordinal LIMIT ?3");
    let mut statement = catalog.prepare_cached(&sql)?;
    let rows = statement.query_map(params![after.0, after.1, most as i64], draft)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The chunk of a row as a segment takes it; `None` if there is no such row.
pub(crate) fn draft_of(catalog: &Connection, row: i64) -> Result<Option<Draft>> {
    let mut statement = catalog.prepare_cached(&format!("{DRAFT} WHERE c.id = ?"))?;
    Ok(statement.query_row([row], draft).optional()?)
}

fn draft(row: &Row<'_>) -> rusqlite::Result<Draft> {
    let doc_id: String = row.get(0)?;
    let key = Key { doc: doc_number(&doc_id).unwrap_or_default(), ordinal: row.get(1)?, row: row.get(2)?, pad: 0 };
    let text = |at: usize| -> rusqlite::Result<std::sync::Arc<str>> { Ok(row.get::<_, String>(at)?.into()) };
    let data = row.get_ref(6)?.as_blob_or_null().ok().flatten().unwrap_or_default();
    let terms = row.get_ref(7)?.as_str_or_null().ok().flatten();
    // What cannot be read is damage, which the document's digest names.
    let learned = terms.and_then(|terms| serde_json::from_str(terms).ok()).unwrap_or_default();
    let (title, section, text) = (text(3)?, text(4)?, text(5)?);
    Ok(Draft { key, title, section, text, vectors: floats(data).into(), learned: std::sync::Arc::new(learned) })
}
