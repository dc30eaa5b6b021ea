//! Proving that catalog, vectors and lexical index agree, and naming each place where they do not.
//!
//! Every document's rows are hashed and compared with the digest stored when they came; every segment is read whole,
//! compared with its checksums, and made again from the catalog in memory: its living part must be equal.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use techrag_core::record::Document;

use crate::build::{Draft, Parts};
use crate::catalog::{self, Places};
use crate::change::ContentDigest;
use crate::error::{Error, Result};
use crate::hnsw;
use crate::rows;
use crate::segment::Segment;
use crate::works::Work;
use crate::writer::{NamedSegment, named_segments};

/// Disagreements named per kind; a library that is wrecked throughout would otherwise name every chunk.
const MOST: usize = 20;

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file that is wrong.
    pub file: PathBuf,
    /// What is wrong with it.
    pub what: String,
}

/// What verification came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Contents whose rows were hashed.
    pub documents: usize,
    /// Chunks that stand in exactly one living slot.
    pub chunks: usize,
    /// Segments that were read whole.
    pub segments: usize,
    /// What is wrong; empty if nothing is.
    pub problems: Vec<Problem>,
}

/// Reads everything of the library at `root` and compares.
///
/// # Errors
/// If there is no library, or it is of another format. Damage is in the result.
pub fn verify(root: &Path) -> Result<Verified> {
    let places = Places::new(root);
    let mut verified = Verified::default();
    let catalog = match catalog::readable(&places) {
        Ok(catalog) => catalog,
        Err(error @ (Error::Catalog(_) | Error::CorruptCatalog(_) | Error::Corrupt { .. } | Error::Record(_))) => {
            verified.problem(&places.catalog(), error.to_string());
            return Ok(verified);
        }
        Err(error) => return Err(error),
    };
    let checks = [structure, settings, documents, ledger];
    for check in checks {
        if let Err(error) = check(&catalog, &places, &mut verified) {
            verified.problem(&places.catalog(), error.to_string());
        }
    }
    match named_segments(&catalog) {
        Ok(named) => segments(&catalog, &places, &named, &mut verified),
        Err(error) => verified.problem(&places.catalog(), error.to_string()),
    }
    Ok(verified)
}

impl Verified {
    fn problem(&mut self, file: &Path, what: impl Into<String>) {
        self.problems.push(Problem { file: file.to_owned(), what: what.into() });
    }
}

/// The catalog as SQLite sees it.
fn structure(catalog: &Connection, places: &Places, verified: &mut Verified) -> Result<()> {
    catalog.execute_batch("BEGIN")?;
    let mut statement = catalog.prepare("PRAGMA integrity_check(20)")?;
    for finding in statement.query_map([], |row| row.get::<_, String>(0))? {
        let finding = finding?;
        if finding != "ok" {
            verified.problem(&places.catalog(), finding);
        }
    }
    let mut statement = catalog.prepare("PRAGMA foreign_key_check")?;
    for table in statement.query_map([], |row| row.get::<_, String>(0))?.take(MOST) {
        verified.problem(&places.catalog(), format!("a row of {} refers to a row that is not there", table?));
    }
    Ok(())
}

/// Format and encoder against their digest.
fn settings(catalog: &Connection, places: &Places, verified: &mut Verified) -> Result<()> {
    if !catalog::is_sealed(catalog)? {
        verified.problem(&places.catalog(), "its settings (format, encoder) are not what was stored");
    }
    Ok(())
}

/// Every document's rows against its digest.
fn documents(catalog: &Connection, places: &Places, verified: &mut Verified) -> Result<()> {
    let mut statement = catalog.prepare("SELECT id, doc_id, record, digest FROM documents ORDER BY doc_id")?;
    let mut rows = statement.query([])?;
    let mut wrong = 0;
    while let Some(row) = rows.next()? {
        let (id, doc_id, record): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let digest: Vec<u8> = row.get(3)?;
        verified.documents += 1;
        let document = serde_json::from_str::<Document>(&record).ok().filter(|document| document.doc_id == doc_id);
        let what = match document {
            Some(document) if digest_of(catalog, id, &record)? == digest => {
                let related = Work::of(&document)?.is_stored(catalog, id)?;
                if related { continue } else { "is related by other than its record" }
            }
            _ => "is not what was stored",
        };
        wrong += 1;
        if wrong <= MOST {
            verified.problem(&places.catalog(), format!("document {doc_id} {what}"));
        }
    }
    Ok(())
}

fn digest_of(catalog: &Connection, document: i64, record: &str) -> Result<Vec<u8>> {
    let mut digest = ContentDigest::new(record);
    let mut statement = catalog.prepare_cached(
        "SELECT c.record, c.text, v.bounds, v.data FROM chunks c LEFT JOIN vectors v ON v.chunk = c.id \
         WHERE c.document = ? ORDER BY c.ordinal",
    )?;
    let mut rows = statement.query([document])?;
    while let Some(row) = rows.next()? {
        let (record, text): (String, String) = (row.get(0)?, row.get(1)?);
        let windows: Option<(String, Vec<u8>)> = row.get::<_, Option<String>>(2)?.zip(row.get(3)?);
        digest.chunk(&record, &text, windows.as_ref().map(|(bounds, data)| (bounds.as_str(), data.as_slice())));
    }
    Ok(digest.finish())
}

/// The counts of the ledger against the rows; every content has a name.
fn ledger(catalog: &Connection, places: &Places, verified: &mut Verified) -> Result<()> {
    let checks = [
        (
            "has other than the chunks its ledger says",
            "SELECT d.doc_id FROM documents d LEFT JOIN ledger l ON l.document = d.id AND l.stage = 'chunk' \
             WHERE l.actual IS NOT (SELECT count(*) FROM chunks c WHERE c.document = d.id)",
        ),
        (
            "lacks chunks whose failure is not recorded",
            "SELECT d.doc_id FROM documents d JOIN ledger l ON l.document = d.id AND l.stage = 'chunk' \
             WHERE l.expected - l.actual <> (SELECT count(*) FROM failures f WHERE f.document = d.id)",
        ),
        (
            "has other than the vectors its ledger says",
            "SELECT d.doc_id FROM documents d LEFT JOIN ledger l ON l.document = d.id AND l.stage = 'embed' \
             WHERE l.actual IS NOT (SELECT count(*) FROM chunks c JOIN vectors v ON v.chunk = c.id \
             WHERE c.document = d.id)",
        ),
        (
            "has other columns than its record says",
            "SELECT d.doc_id FROM documents d WHERE d.title IS NOT d.record ->> '$.title' \
             OR d.year IS NOT d.record ->> '$.year' OR d.doi IS NOT d.record ->> '$.doi' \
             OR d.pages IS NOT d.record ->> '$.pages' OR d.bytes IS NOT coalesce(d.record ->> '$.bytes', 0) \
             OR d.media_type IS NOT coalesce(d.record ->> '$.media_type', '') \
             OR json(d.authors) IS NOT json(coalesce(d.record -> '$.authors', '[]'))",
        ),
        (
            "has chunks with other columns than their records say",
            "SELECT d.doc_id FROM documents d WHERE EXISTS (SELECT 1 FROM chunks c WHERE c.document = d.id AND ( \
             c.section IS NOT coalesce(c.record ->> '$.section', '') OR c.sha1 IS NOT coalesce(c.record ->> '$.sha1', '') \
             OR c.role IS NOT coalesce(c.record ->> '$.role', 'other') \
             OR c.first_page IS NOT c.record ->> '$.pages[0]' OR c.last_page IS NOT c.record ->> '$.pages[1]'))",
        ),
        (
            "has no key",
            "SELECT d.doc_id FROM documents d WHERE NOT EXISTS (SELECT 1 FROM keys k WHERE k.document = d.id)",
        ),
    ];
    for (what, sql) in checks {
        let mut statement = catalog.prepare(sql)?;
        for doc_id in statement.query_map([], |row| row.get::<_, String>(0))?.take(MOST) {
            verified.problem(&places.catalog(), format!("document {} {what}", doc_id?));
        }
    }
    Ok(())
}

/// Every segment by itself and against the catalog, and all of them together against the chunks.
fn segments(catalog: &Connection, places: &Places, named: &[NamedSegment], verified: &mut Verified) {
    let mut seen: HashMap<i64, usize> = HashMap::new();
    let mut damaged = false;
    for named in named {
        let path = places.segment(&named.file);
        let opened = named.open(places).and_then(|segment| segment.frame().check().map(|()| segment));
        match opened {
            Ok(segment) => {
                verified.segments += 1;
                let alive = segment.keys().iter().enumerate().filter(|(slot, _)| !named.dead.has(*slot));
                alive.for_each(|(_, key)| *seen.entry(key.row).or_default() += 1);
                if let Err(error) = compare(catalog, &segment, named, verified) {
                    verified.problem(&path, error.to_string());
                }
                if let Err(error) = graph(catalog, places, &segment, named.id, verified) {
                    verified.problem(&places.catalog(), error.to_string());
                }
            }
            Err(error) => {
                damaged = true;
                verified.problem(&path, error.to_string());
            }
        }
    }
    // Chunks of a damaged segment are missing with it; naming each would say the same again.
    if let Err(error) = coverage(catalog, places, &seen, damaged, verified) {
        verified.problem(&places.catalog(), error.to_string());
    }
}

/// A segment's HNSW graph, if it has one, can be loaded and is of the segment.
fn graph(catalog: &Connection, places: &Places, segment: &Segment, id: i64, verified: &mut Verified) -> Result<()> {
    if let Some(named) = hnsw::named_graph(catalog, id)?
        && let Err(error) = named.open(places, segment)
    {
        verified.problem(&places.segment(&named.file), error.to_string());
    }
    Ok(())
}

fn compare(catalog: &Connection, segment: &Segment, named: &NamedSegment, verified: &mut Verified) -> Result<()> {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut strange = 0;
    for (slot, key) in segment.keys().iter().enumerate().filter(|(slot, _)| !named.dead.has(*slot)) {
        match rows::draft_of(catalog, key.row)? {
            Some(draft) if draft.key == *key => drafts.push(draft),
            _ => {
                strange += 1;
                if strange <= MOST {
                    let what = format!("slot {slot} is chunk {}, which the catalog does not have", key.uid());
                    verified.problem(segment.frame().path(), what);
                }
            }
        }
    }
    let same = Parts::of(drafts, segment.dim()) == Parts::merged(&[(segment, &named.dead)]);
    if strange == 0 && !same {
        let what = "its vectors or words are not those of the catalog's chunks (made by another tokeniser?)";
        verified.problem(segment.frame().path(), what);
    }
    Ok(())
}

fn coverage(
    catalog: &Connection,
    places: &Places,
    seen: &HashMap<i64, usize>,
    damaged: bool,
    verified: &mut Verified,
) -> Result<()> {
    let mut statement = catalog.prepare("SELECT id FROM chunks ORDER BY id")?;
    let mut wrong = 0;
    for row in statement.query_map([], |row| row.get::<_, i64>(0))? {
        let row = row?;
        match seen.get(&row).copied().unwrap_or(0) {
            1 => verified.chunks += 1,
            0 if damaged => {}
            slots => {
                wrong += 1;
                if wrong <= MOST {
                    let uid = uid_of(catalog, row)?;
                    verified.problem(&places.catalog(), format!("chunk {uid} stands in {slots} living slots"));
                }
            }
        }
    }
    Ok(())
}

fn uid_of(catalog: &Connection, row: i64) -> Result<String> {
    let key = rows::draft_of(catalog, row)?.map(|draft| draft.key);
    Ok(key.map_or_else(|| format!("in row {row}"), |key| key.uid()))
}
