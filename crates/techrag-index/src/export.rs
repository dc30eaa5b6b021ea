//! A library as records again: documents, chunks with their vectors, failures. What `techrag-index add` makes of them
//! answers every search with the same bytes.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, params};
use techrag_core::codec;
use techrag_core::id;
use techrag_core::record::{Document, ErrorKind, ErrorRecord, Record, Vectors, Window};

use crate::catalog::{self, Encoder, Places};
use crate::change;
use crate::error::Result;
use crate::rows;

/// A library open for export, at one instant.
pub struct Export {
    catalog: Mutex<Connection>,
    encoder: Option<Encoder>,
}

impl Export {
    /// Opens the library at `root`.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn open(root: &Path) -> Result<Self> {
        let catalog = catalog::readable(&Places::new(root))?;
        catalog.execute_batch("BEGIN")?;
        let encoder = catalog::encoder(&catalog)?;
        Ok(Self { catalog: Mutex::new(catalog), encoder })
    }

    /// The rows of all documents, by document id.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn documents(&self) -> Result<Vec<i64>> {
        let catalog = self.catalog.lock().unwrap_or_else(PoisonError::into_inner);
        let mut statement = catalog.prepare("SELECT id FROM documents ORDER BY doc_id")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The records of one document: itself once for each of its keys, its chunks, and what of it failed, which passes
    /// as it did when it came and is no failure of the export.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn records(&self, document: i64) -> Result<Vec<Record>> {
        let catalog = self.catalog.lock().unwrap_or_else(PoisonError::into_inner);
        let record: String =
            catalog.prepare_cached("SELECT record FROM documents WHERE id = ?")?.query_row([document], |r| r.get(0))?;
        let stored: Document = serde_json::from_str(&record)?;
        let mut records: Vec<Record> = named(&catalog, document, &stored)?.into_iter().map(Record::from).collect();
        let mut statement = catalog
            .prepare_cached("SELECT c.id, c.ordinal, c.record, c.text FROM chunks c WHERE c.document = ? ORDER BY 2")?;
        let mut found = statement.query([document])?;
        while let Some(row) = found.next()? {
            let (id, ordinal): (i64, u32) = (row.get(0)?, row.get(1)?);
            let mut chunk = change::chunk_of(row.get_ref(2)?.as_str().unwrap_or_default(), row.get(3)?)?;
            chunk.uid = id::uid(&stored.doc_id, ordinal);
            chunk.vectors = self.vectors(&catalog, id)?;
            records.push(chunk.into());
        }
        records.extend(failures(&catalog, document)?);
        Ok(records)
    }

    fn vectors(&self, catalog: &Connection, chunk: i64) -> Result<Option<Vectors>> {
        let Some(Encoder { model, revision, dim }) = self.encoder.clone() else { return Ok(None) };
        let bounds = rows::bounds(catalog, chunk)?;
        if bounds.is_empty() {
            return Ok(None);
        }
        let values = rows::vectors(catalog, chunk)?;
        let window = |([start, end], values): (&[usize; 2], &[f32])| Window {
            start: *start,
            end: *end,
            vector: values.to_vec().into(),
        };
        let windows = bounds.iter().zip(values.chunks_exact(dim.max(1))).map(window).collect();
        Ok(Some(Vectors { model, revision, dim, windows, ..Vectors::default() }))
    }
}

/// The document under each of its keys; the key its record was stored with comes first where it still has it.
fn named(catalog: &Connection, row: i64, stored: &Document) -> Result<Vec<Document>> {
    let mut keys = change::keys(catalog, row)?;
    keys.sort_by_key(|(key, _)| *key != stored.key);
    Ok(keys.into_iter().map(|(key, path)| Document { key, path, ..stored.clone() }).collect())
}

fn failures(catalog: &Connection, document: i64) -> Result<Vec<Record>> {
    let mut statement =
        catalog.prepare_cached("SELECT item, stage, message FROM failures WHERE document = ? ORDER BY item, stage")?;
    let mut rows = statement.query(params![document])?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        let (item, stage, message): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let mut line = Vec::new();
        codec::write(&ErrorRecord::new(item, &stage, ErrorKind::Other, message).into(), &mut line)?;
        records.push(Record::Other(String::from_utf8_lossy(&line).trim_end().to_owned()));
    }
    Ok(records)
}
