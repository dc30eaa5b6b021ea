//! What a library holds, in numbers.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde::Serialize;

use crate::catalog::{self, FORMAT, Places};
use crate::error::Result;
use crate::reader::Reader;
use crate::select::VIEWS;

/// What a library holds; `techrag-index status --json` prints it as one object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Status {
    /// Contents.
    pub documents: u64,
    /// Names of contents; several may name one.
    pub keys: u64,
    /// Chunks stored.
    pub chunks: u64,
    /// Chunks that were promised and failed.
    pub chunks_failed: u64,
    /// Chunks that have no vectors and are found by their words only.
    pub chunks_without_vectors: u64,
    /// Vectors: one a window of a chunk.
    pub windows: u64,
    /// Pages of all documents that have pages.
    pub pages: u64,
    /// Of these, pages without a text layer.
    pub pages_without_text: u64,
    /// Of these, pages that could not be read.
    pub pages_failed: u64,
    /// Bytes of all sources.
    pub source_bytes: u64,
    /// Bytes the library takes on disk.
    pub bytes_on_disk: u64,
    /// Manifest id of the encoder; absent while there are no vectors.
    pub model: Option<String>,
    /// Its weight revision.
    pub revision: Option<String>,
    /// Length of its vectors.
    pub dimension: Option<usize>,
    /// Segment files.
    pub segments: u64,
    /// Of these, with an HNSW graph.
    pub hnsw_graphs: u64,
    /// Slots of chunks that went; `compact` frees them.
    pub dead_slots: u64,
    /// Documents of one work; the view `related` of `techrag-index sql` lists them.
    pub related: Related,
    /// Format version.
    pub format: u32,
}

/// Pairs of documents of one work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Related {
    /// A preprint and what was published of it.
    pub preprints: u64,
    /// Versions neither of which is known to be a preprint of the other.
    pub versions: u64,
    /// A supplement and what it belongs to.
    pub supplements: u64,
}

impl Status {
    /// Reads the numbers of the library at `root`.
    ///
    /// # Errors
    /// If there is none or it cannot be read.
    pub fn read(root: &Path) -> Result<Self> {
        let reader = Reader::open(root)?;
        let encoder = reader.encoder().cloned();
        let segments = reader.segments().count() as u64;
        let windows = reader.segments().map(|(segment, live)| live_rows(segment.rows(), live)).sum();
        let dead_slots = reader.segments().map(|(segment, live)| (segment.len() - live.count()) as u64).sum();
        let hnsw_graphs = reader.graphs_named()? as u64;
        let catalog = reader.catalog();
        let mut status = counted(&catalog)?;
        status.model = encoder.as_ref().map(|encoder| encoder.model.clone());
        status.revision = encoder.as_ref().map(|encoder| encoder.revision.clone());
        status.dimension = encoder.map(|encoder| encoder.dim);
        status.format = catalog::meta(&catalog, "format")?.and_then(|text| text.parse().ok()).unwrap_or(FORMAT);
        status.related = related(&catalog)?;
        status.bytes_on_disk = bytes_in(root) + bytes_in(&Places::new(root).segments());
        Ok(Self { windows, segments, hnsw_graphs, dead_slots, ..status })
    }
}

fn live_rows(rows: &[u32], live: &crate::bits::Bits) -> u64 {
    let width = |slot: usize| match rows.get(slot..).unwrap_or_default() {
        [start, end, ..] => u64::from(end.saturating_sub(*start)),
        _ => 0,
    };
    live.iter().map(width).sum()
}

fn counted(catalog: &Connection) -> Result<Status> {
    let one = |sql: &str| -> Result<u64> { Ok(catalog.query_row(sql, [], |row| row.get::<_, i64>(0))? as u64) };
    let listed =
        |field: &str| one(&format!("SELECT coalesce(sum(json_array_length(record, '$.{field}')), 0) FROM documents"));
    Ok(Status {
        documents: one("SELECT count(*) FROM documents")?,
        keys: one("SELECT count(*) FROM keys")?,
        chunks: one("SELECT count(*) FROM chunks")?,
        chunks_failed: one("SELECT coalesce(sum(expected - actual), 0) FROM ledger WHERE stage = 'chunk'")?,
        chunks_without_vectors: one("SELECT coalesce(sum(expected - actual), 0) FROM ledger WHERE stage = 'embed'")?,
        pages: one("SELECT coalesce(sum(pages), 0) FROM documents")?,
        pages_without_text: listed("pages_without_text")?,
        pages_failed: listed("pages_failed")?,
        source_bytes: one("SELECT coalesce(sum(bytes), 0) FROM documents")?,
        ..Status::default()
    })
}

fn related(catalog: &Connection) -> Result<Related> {
    catalog.execute_batch(VIEWS)?;
    let count = |relation: &str| -> Result<u64> {
        let sql = "SELECT count(*) FROM temp.related WHERE relation = ?";
        Ok(catalog.query_row(sql, [relation], |row| row.get::<_, i64>(0))? as u64)
    };
    // A version relation holds both ways.
    let versions = count("version of")? / 2;
    Ok(Related { preprints: count("preprint of")?, versions, supplements: count("supplement of")? })
}

/// Bytes of the files in a folder, not of those below it.
fn bytes_in(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|entry| entry.metadata().ok()).filter(fs::Metadata::is_file).map(|metadata| metadata.len()).sum()
}
