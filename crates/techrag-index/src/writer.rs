//! The one writer of a library: batches of changes, each batch one transaction.
//!
//! A batch's chunks become a segment file first, complete and synced; then one transaction names the file, inserts the
//! rows, deletes what was replaced and marks dead slots. Killed in between, the file is unnamed and the next writer
//! deletes it. So a document is in with all its chunks, vectors and postings, or not at all.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, TransactionBehavior, params};

use crate::bits::Bits;
use crate::build::{Draft, Parts};
use crate::catalog::{self, Encoder, Places, SparseModel};
use crate::change::{self, Change, Complete, Ledger, Tally};
use crate::error::{At as _, Result};
use crate::frame::{Written, sync_folder};
use crate::hnsw;
use crate::lock::Lock;
use crate::room;
use crate::segment::{Key, Segment};

/// A library open for writing. Others may read it; nobody else may write.
pub struct Writer {
    pub(crate) places: Places,
    pub(crate) catalog: Connection,
    pub(crate) held: Vec<Held>,
    encoder: Option<Encoder>,
    sparse: Option<SparseModel>,
    migrated_from: Option<u32>,
    _lock: Lock,
}

/// A segment the catalog names.
pub(crate) struct Held {
    pub(crate) id: i64,
    pub(crate) file: String,
    pub(crate) segment: Segment,
    pub(crate) dead: Bits,
}

impl Held {
    pub(crate) fn alive(&self) -> usize {
        self.segment.len() - self.dead.count()
    }
}

impl Writer {
    /// Opens the library at `root` for writing; makes it if there is none. `owner` is the tool, for the message a
    /// second writer gets.
    ///
    /// # Errors
    /// If another process writes, the folder holds something else, or a segment is damaged.
    pub fn open(root: &Path, owner: &str) -> Result<Self> {
        let mut writer = Self::open_unloaded(root, owner)?;
        writer.load()?;
        Ok(writer)
    }

    /// The same for a library that is there already.
    ///
    /// # Errors
    /// As [`Writer::open`], and if there is no library.
    pub fn open_existing(root: &Path, owner: &str) -> Result<Self> {
        Places::new(root).has_catalog()?;
        Self::open(root, owner)
    }

    /// The same without looking into the segments: for remaking them.
    pub(crate) fn open_unloaded(root: &Path, owner: &str) -> Result<Self> {
        let places = Places::new(root);
        fs::create_dir_all(root).at(root)?;
        places.has_catalog()?;
        let lock = Lock::take(&places.lock(), root, owner)?;
        let (catalog, migrated_from) = catalog::writable(&places)?;
        fs::create_dir_all(places.segments()).at(&places.segments())?;
        // The folder's own name must be as durable as the segments in it, which the catalog will name.
        sync_folder(&places.segments())?;
        let (encoder, sparse) = (catalog::encoder(&catalog)?, catalog::sparse(&catalog)?);
        let writer = Self { places, catalog, held: Vec::new(), encoder, sparse, migrated_from, _lock: lock };
        writer.sweep()?;
        Ok(writer)
    }

    /// Maps the segments the catalog names, and their dead slots.
    pub(crate) fn load(&mut self) -> Result<()> {
        self.held = named_segments(&self.catalog)?
            .into_iter()
            .map(|named| {
                let segment = named.open(&self.places)?;
                Ok(Held { id: named.id, file: named.file, segment, dead: named.dead })
            })
            .collect::<Result<_>>()?;
        Ok(())
    }

    /// Removes files in the segments' folder that the catalog does not name: what a killed writer left.
    pub(crate) fn sweep(&self) -> Result<()> {
        let texts = named_segments(&self.catalog)?.into_iter().map(|named| named.file);
        let graphs = hnsw::named_graphs(&self.catalog)?.into_iter().map(|named| named.file);
        let named: HashSet<String> = texts.chain(graphs).collect();
        let folder = self.places.segments();
        for entry in fs::read_dir(&folder).at(&folder)? {
            let entry = entry.at(&folder)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let ours = ["text-", "hnsw-"].iter().any(|kind| name.starts_with(kind))
                && [".seg", ".tmp"].iter().any(|end| name.ends_with(end));
            if ours && !named.contains(&name) {
                fs::remove_file(entry.path()).at(&entry.path())?;
            }
        }
        Ok(())
    }

    /// The format the library had, if opening it brought it to this build's.
    pub fn migrated_from(&self) -> Option<u32> {
        self.migrated_from
    }

    /// The encoder whose vectors the library holds; `None` while it holds none.
    pub fn encoder(&self) -> Option<&Encoder> {
        self.encoder.as_ref()
    }

    /// The model whose learned sparse vectors the library holds; `None` while it holds none.
    pub fn sparse(&self) -> Option<&SparseModel> {
        self.sparse.as_ref()
    }

    /// The content a key names.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn content_of(&self, key: &str) -> Result<Option<String>> {
        Ok(change::named(&self.catalog, key)?.map(|(_, doc_id)| doc_id))
    }

    /// Whether a content is in, with every chunk it promised.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn is_whole(&self, doc_id: &str) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM documents d JOIN ledger l ON l.document = d.id \
             WHERE d.doc_id = ? AND l.stage = 'chunk' AND l.expected = l.actual)";
        Ok(self.catalog.prepare_cached(sql)?.query_row([doc_id], |row| row.get(0))?)
    }

    /// Applies changes in order, all of them or none, and returns once they are durable. `encoder` is the encoder of
    /// the vectors among them.
    ///
    /// # Errors
    /// If a file cannot be written or the catalog refuses; the library is then as it was.
    pub fn commit(&mut self, changes: &[Change], encoder: Option<&Encoder>) -> Result<Tally> {
        if changes.is_empty() {
            return Ok(Tally::default());
        }
        let tally = self.try_commit(changes, encoder);
        if tally.is_err() {
            // What is in memory may be ahead of the catalog now.
            self.load()?;
        } else {
            self.encoder = catalog::encoder(&self.catalog)?;
            self.sparse = catalog::sparse(&self.catalog)?;
        }
        tally
    }

    fn try_commit(&mut self, changes: &[Change], encoder: Option<&Encoder>) -> Result<Tally> {
        let next_chunk = change::next_row(&self.catalog, "chunks")?;
        let dim = self.encoder.as_ref().or(encoder).map_or(0, |encoder| encoder.dim);
        let drafts = drafts(changes, next_chunk);
        let parts = (!drafts.is_empty()).then(|| Parts::of(drafts, dim));
        room::ensure(&self.places.root, room::of_changes(changes) + parts.as_ref().map_or(0, Parts::bytes))?;
        let new = parts.map(|parts| self.write(&parts)).transpose()?;
        let transaction = self.catalog.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if let (None, Some(encoder)) = (&self.encoder, encoder) {
            catalog::set_encoder(&transaction, encoder)?;
        }
        if let (None, Some(sparse)) = (&self.sparse, sparse_of(changes)) {
            catalog::set_sparse(&transaction, &sparse)?;
        }
        let mut ledger = Ledger::open(&transaction, next_chunk)?;
        for change in changes {
            ledger.apply(change)?;
        }
        let (gone, tally) = (ledger.gone, ledger.tally);
        if let Some((held, written)) = new {
            insert_segment(&transaction, &held, written)?;
            self.held.push(held);
        }
        mark_dead(&transaction, &mut self.held, &gone)?;
        transaction.commit()?;
        Ok(tally)
    }

    /// Writes a segment under the next free name. The catalog does not name it yet.
    pub(crate) fn write(&self, parts: &Parts) -> Result<(Held, Written)> {
        let id = change::next_row(&self.catalog, "segments")?;
        self.write_as(id, parts)
    }

    pub(crate) fn write_as(&self, id: i64, parts: &Parts) -> Result<(Held, Written)> {
        let file = format!("text-{id:06}.seg");
        let path = self.places.segment(&file);
        let written = parts.write(&path)?;
        let segment = Segment::open(&path)?;
        Ok((Held { id, file, segment, dead: Bits::new() }, written))
    }
}

pub(crate) fn insert_segment(catalog: &Connection, held: &Held, written: Written) -> Result<()> {
    let sql = "INSERT INTO segments (id, file, bytes, seal, chunks, dead) VALUES (?, ?, ?, ?, ?, ?)";
    let values = params![
        held.id,
        held.file,
        written.bytes as i64,
        written.seal.as_slice(),
        held.segment.len() as i64,
        held.dead.to_bytes()
    ];
    catalog.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

/// Marks the slots of chunk rows that went, wherever they are.
fn mark_dead(catalog: &Connection, held: &mut [Held], gone: &HashSet<i64>) -> Result<()> {
    if gone.is_empty() {
        return Ok(());
    }
    let mut statement = catalog.prepare_cached("UPDATE segments SET dead = ? WHERE id = ?")?;
    for held in held {
        let before = held.dead.count();
        for (slot, key) in held.segment.keys().iter().enumerate() {
            if gone.contains(&key.row) {
                held.dead.insert(slot);
            }
        }
        if held.dead.count() != before {
            statement.execute(params![held.dead.to_bytes(), held.id])?;
        }
    }
    Ok(())
}

/// The chunks of a batch as a segment takes them; rows are given in the order the ledger inserts them.
fn drafts(changes: &[Change], next_chunk: i64) -> Vec<Draft> {
    let added = changes.iter().filter_map(|change| match change {
        Change::Add(complete) => Some(complete.as_ref()),
        Change::Name { .. } | Change::Remove { .. } => None,
    });
    let chunks = added.flat_map(drafts_of);
    chunks.zip(next_chunk..).map(|(draft, row)| Draft { key: Key { row, ..draft.key }, ..draft }).collect()
}

/// The model of the sparse vectors among changes.
fn sparse_of(changes: &[Change]) -> Option<SparseModel> {
    let added = changes.iter().filter_map(|change| match change {
        Change::Add(complete) => Some(&complete.chunks),
        Change::Name { .. } | Change::Remove { .. } => None,
    });
    added.flatten().find_map(|(_, chunk)| chunk.sparse.as_ref()).map(SparseModel::of)
}

fn drafts_of(complete: &Complete) -> impl Iterator<Item = Draft> + '_ {
    let title: Arc<str> = complete.document.title.as_deref().unwrap_or_default().into();
    let doc = doc_number(&complete.document.doc_id).unwrap_or_default();
    complete.chunks.iter().map(move |(ordinal, chunk)| {
        let windows = chunk.vectors.iter().flat_map(|vectors| &vectors.windows);
        Draft {
            key: Key { doc, row: 0, ordinal: *ordinal, pad: 0 },
            title: Arc::clone(&title),
            section: chunk.section.as_str().into(),
            text: chunk.text.as_str().into(),
            vectors: windows.flat_map(|window| window.vector.values.iter().copied()).collect(),
            learned: Arc::new(chunk.sparse.as_ref().map(|sparse| sparse.terms.clone()).unwrap_or_default()),
        }
    })
}

/// The document id as a number; `None` if it is not 16 hexadecimal digits.
pub(crate) fn doc_number(doc_id: &str) -> Option<u64> {
    let hexadecimal = doc_id.len() == 16 && doc_id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    hexadecimal.then(|| u64::from_str_radix(doc_id, 16).ok()).flatten()
}

/// A row of the catalog's list of segments.
pub(crate) struct NamedSegment {
    pub(crate) id: i64,
    pub(crate) file: String,
    pub(crate) bytes: u64,
    pub(crate) seal: Vec<u8>,
    pub(crate) chunks: usize,
    pub(crate) dead: Bits,
}

impl NamedSegment {
    /// Maps the file and checks that it is the one the catalog means.
    pub(crate) fn open(&self, places: &Places) -> Result<Segment> {
        let segment = Segment::open(&places.segment(&self.file))?;
        let frame = segment.frame();
        if frame.seal().as_slice() != self.seal || frame.bytes() != self.bytes || segment.len() != self.chunks {
            return Err(frame.corrupt("it is not the file the catalog names"));
        }
        Ok(segment)
    }
}

pub(crate) fn named_segments(catalog: &Connection) -> Result<Vec<NamedSegment>> {
    let mut statement =
        catalog.prepare_cached("SELECT id, file, bytes, seal, chunks, dead FROM segments ORDER BY id")?;
    let rows = statement.query_map([], |row| {
        Ok(NamedSegment {
            id: row.get(0)?,
            file: row.get(1)?,
            bytes: row.get::<_, i64>(2)? as u64,
            seal: row.get(3)?,
            chunks: row.get::<_, i64>(4)? as usize,
            dead: Bits::from_bytes(&row.get::<_, Vec<u8>>(5)?),
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
