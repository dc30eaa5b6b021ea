//! What a transaction does to the catalog, row by row.
//!
//! One [`Ledger`] lives for one transaction. It tells which chunk rows went, so that the writer can mark their slots
//! dead in the same transaction.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension as _, params};
use sha2::{Digest as _, Sha256};
use techrag_core::record::{Chunk, Document, Span, Vectors, Window};

use crate::error::Result;
use crate::works::Work;

/// A document with everything that was promised of it.
#[derive(Clone, Debug)]
pub struct Complete {
    /// The document.
    pub document: Document,
    /// Its chunks, ascending by ordinal, vectors normalised.
    pub chunks: Vec<(u32, Chunk)>,
    /// What of it failed.
    pub failures: Vec<Failure>,
}

/// A chunk that never came, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its uid.
    pub item: String,
    /// The stage that failed.
    pub stage: String,
    /// What is wrong.
    pub message: String,
}

/// One change of the library.
#[derive(Clone, Debug)]
pub enum Change {
    /// A new content, or a better one of a document that was in with failures. Takes its key from what had it.
    Add(Box<Complete>),
    /// A further key for a content that is in.
    Name {
        /// The content.
        doc_id: String,
        /// Its further key.
        key: String,
        /// Where it was read.
        path: Option<String>,
    },
    /// A key is gone; the content goes with its last key. A key that now names another content stays.
    Remove {
        /// The content the key named; `None` for whatever it names.
        doc_id: Option<String>,
        /// The key.
        key: String,
    },
}

/// What a batch of changes came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Contents that came.
    pub added: usize,
    /// Contents that went.
    pub gone: usize,
    /// Further keys for contents that were in.
    pub named: usize,
    /// Chunks that came.
    pub chunks: usize,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.added += other.added;
        self.gone += other.gone;
        self.named += other.named;
        self.chunks += other.chunks;
    }
}

/// Applies changes within one transaction.
pub(crate) struct Ledger<'a> {
    catalog: &'a Connection,
    /// The row the next document and the next chunk get.
    next: (i64, i64),
    /// Chunk rows that went.
    pub(crate) gone: HashSet<i64>,
    pub(crate) tally: Tally,
}

/// The row the next record of a table gets. Rows are never used twice, so a slot names its chunk for good.
pub(crate) fn next_row(catalog: &Connection, table: &str) -> Result<i64> {
    let mut statement = catalog.prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = ?")?;
    Ok(statement.query_row([table], |row| row.get::<_, i64>(0)).optional()?.unwrap_or(0) + 1)
}

impl<'a> Ledger<'a> {
    /// The first chunk added gets row `next_chunk`, and so on in the order of the changes.
    pub(crate) fn open(catalog: &'a Connection, next_chunk: i64) -> Result<Self> {
        let next = (next_row(catalog, "documents")?, next_chunk);
        Ok(Self { catalog, next, gone: HashSet::new(), tally: Tally::default() })
    }

    pub(crate) fn apply(&mut self, change: &Change) -> Result<()> {
        match change {
            Change::Add(complete) => self.add(complete),
            Change::Name { doc_id, key, path } => {
                let Some(document) = self.document(doc_id)? else { return Ok(()) };
                self.release(key)?;
                self.tally.named += 1;
                self.name(document, key, path.as_deref())
            }
            Change::Remove { doc_id, key } => match (doc_id, named(self.catalog, key)?) {
                (Some(doc_id), Some((_, now))) if *doc_id != now => Ok(()),
                _ => self.release(key),
            },
        }
    }

    fn add(&mut self, complete: &Complete) -> Result<()> {
        let document = &complete.document;
        self.release(&document.key)?;
        // The same content with failures: its other keys move over.
        let old = self.document(&document.doc_id)?;
        let others = old.map_or(Ok(Vec::new()), |old| keys(self.catalog, old))?;
        if let Some(old) = old {
            self.delete(old)?;
        }
        let row = self.insert_document(complete)?;
        self.name(row, &document.key, document.path.as_deref())?;
        for (key, path) in others {
            self.name(row, &key, path.as_deref())?;
        }
        for (ordinal, chunk) in &complete.chunks {
            self.insert_chunk(row, *ordinal, chunk)?;
        }
        self.insert_ledger(row, complete)?;
        self.tally.added += 1;
        self.tally.chunks += complete.chunks.len();
        Ok(())
    }

    fn document(&self, doc_id: &str) -> Result<Option<i64>> {
        let mut statement = self.catalog.prepare_cached("SELECT id FROM documents WHERE doc_id = ?")?;
        Ok(statement.query_row([doc_id], |row| row.get(0)).optional()?)
    }

    fn name(&self, document: i64, key: &str, path: Option<&str>) -> Result<()> {
        let sql = "INSERT INTO keys (key, document, path) VALUES (?, ?, ?)";
        self.catalog.prepare_cached(sql)?.execute(params![key, document, path])?;
        Ok(())
    }

    fn release(&mut self, key: &str) -> Result<()> {
        let Some((document, _)) = named(self.catalog, key)? else { return Ok(()) };
        self.catalog.prepare_cached("DELETE FROM keys WHERE key = ?")?.execute([key])?;
        if keys(self.catalog, document)?.is_empty() { self.delete(document) } else { Ok(()) }
    }

    fn delete(&mut self, document: i64) -> Result<()> {
        let mut statement = self.catalog.prepare_cached("SELECT id FROM chunks WHERE document = ?")?;
        for row in statement.query_map([document], |row| row.get(0))? {
            self.gone.insert(row?);
        }
        let mut statement = self.catalog.prepare_cached("DELETE FROM documents WHERE id = ? RETURNING doc_id")?;
        let doc_id: String = statement.query_row([document], |row| row.get(0))?;
        crate::graph::forget_paper(self.catalog, &doc_id)?;
        self.tally.gone += 1;
        Ok(())
    }

    fn insert_document(&mut self, complete: &Complete) -> Result<i64> {
        let document = &complete.document;
        let row = self.next.0;
        self.next.0 += 1;
        let sql = "INSERT INTO documents (id, doc_id, title, authors, year, doi, media_type, bytes, pages, record, \
             digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        self.catalog.prepare_cached(sql)?.execute(params![
            row,
            document.doc_id,
            document.title,
            serde_json::to_string(&document.authors)?,
            document.year,
            document.doi,
            document.media_type,
            document.bytes as i64,
            document.pages,
            serde_json::to_string(document)?,
            complete.digest()?,
        ])?;
        Work::of(document)?.insert(self.catalog, row)?;
        Ok(row)
    }

    fn insert_chunk(&mut self, document: i64, ordinal: u32, chunk: &Chunk) -> Result<()> {
        let row = self.next.1;
        self.next.1 += 1;
        let sql = "INSERT INTO chunks (id, document, ordinal, section, role, first_page, last_page, sha1, text, \
             record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        self.catalog.prepare_cached(sql)?.execute(params![
            row,
            document,
            ordinal,
            chunk.section,
            role(chunk)?,
            chunk.pages.map(|pages| pages[0]),
            chunk.pages.map(|pages| pages[1]),
            chunk.sha1,
            chunk.text,
            bare(chunk)?,
        ])?;
        if let Some(vectors) = &chunk.vectors {
            let sql = "INSERT INTO vectors (chunk, bounds, data) VALUES (?, ?, ?)";
            self.catalog.prepare_cached(sql)?.execute(params![
                row,
                bounds(&vectors.windows)?,
                data(&vectors.windows)
            ])?;
        }
        Ok(())
    }

    fn insert_ledger(&self, document: i64, complete: &Complete) -> Result<()> {
        let stored = complete.chunks.len();
        let embedded = complete.chunks.iter().filter(|(_, chunk)| chunk.vectors.is_some()).count();
        let sql = "INSERT INTO ledger (document, stage, expected, actual) VALUES (?, ?, ?, ?)";
        let mut statement = self.catalog.prepare_cached(sql)?;
        for (stage, expected, actual) in
            [("chunk", complete.document.chunks as usize, stored), ("embed", stored, embedded)]
        {
            statement.execute(params![document, stage, expected as i64, actual as i64])?;
        }
        let sql = "INSERT OR IGNORE INTO failures (document, item, stage, message) VALUES (?, ?, ?, ?)";
        let mut statement = self.catalog.prepare_cached(sql)?;
        for failure in &complete.failures {
            statement.execute(params![document, failure.item, failure.stage, failure.message])?;
        }
        Ok(())
    }
}

impl Complete {
    fn digest(&self) -> Result<Vec<u8>> {
        let mut digest = ContentDigest::new(&serde_json::to_string(&self.document)?);
        for (_, chunk) in &self.chunks {
            let record = bare(chunk)?;
            match &chunk.vectors {
                Some(Vectors { windows, .. }) => {
                    digest.chunk(&record, &chunk.text, Some((&bounds(windows)?, &data(windows))));
                }
                None => digest.chunk(&record, &chunk.text, None),
            }
        }
        Ok(digest.finish())
    }
}

/// The digest that vouches for a document's rows: every field is preceded by its length, so that no two contents
/// write the same bytes.
pub(crate) struct ContentDigest(Sha256);

impl ContentDigest {
    pub(crate) fn new(record: &str) -> Self {
        let mut digest = Self(Sha256::new());
        digest.field(record.as_bytes());
        digest
    }

    pub(crate) fn chunk(&mut self, record: &str, text: &str, windows: Option<(&str, &[u8])>) {
        self.field(record.as_bytes());
        self.field(text.as_bytes());
        let (bounds, data) = windows.unwrap_or_default();
        self.field(bounds.as_bytes());
        self.field(data);
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0.finalize().to_vec()
    }

    fn field(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }
}

/// The row and the id of the content a key names.
pub(crate) fn named(catalog: &Connection, key: &str) -> Result<Option<(i64, String)>> {
    let sql = "SELECT d.id, d.doc_id FROM keys k JOIN documents d ON d.id = k.document WHERE k.key = ?";
    let mut statement = catalog.prepare_cached(sql)?;
    Ok(statement.query_row([key], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// The keys of a content and where each was read, ascending.
pub(crate) fn keys(catalog: &Connection, document: i64) -> Result<Vec<(String, Option<String>)>> {
    let mut statement = catalog.prepare_cached("SELECT key, path FROM keys WHERE document = ? ORDER BY key")?;
    let rows = statement.query_map([document], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The chunk's record without text and vectors, which have columns of their own.
fn bare(chunk: &Chunk) -> Result<String> {
    let bare = Chunk { text: String::new(), vectors: None, ..chunk.clone() };
    Ok(serde_json::to_string(&bare)?)
}

fn role(chunk: &Chunk) -> Result<String> {
    let role = serde_json::to_value(chunk.role)?;
    Ok(role.as_str().unwrap_or_default().to_owned())
}

fn bounds(windows: &[Window]) -> Result<String> {
    let bounds: Vec<[usize; 2]> = windows.iter().map(|window| [window.start, window.end]).collect();
    Ok(serde_json::to_string(&bounds)?)
}

fn data(windows: &[Window]) -> Vec<u8> {
    windows.iter().flat_map(|window| &window.vector.values).flat_map(|value| value.to_le_bytes()).collect()
}

/// What a chunk's row says, as a record again.
pub(crate) fn chunk_of(record: &str, text: String) -> Result<Chunk> {
    let mut chunk: Chunk = serde_json::from_str(record)?;
    chunk.text = text;
    for Span { start, end, .. } in &mut chunk.spans {
        // A damaged record must not make a later stage cut the text where there is no character.
        *start = chunk.text.floor_char_boundary(*start);
        *end = chunk.text.floor_char_boundary(*end).max(*start);
    }
    Ok(chunk)
}
