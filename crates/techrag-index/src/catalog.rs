//! The catalog's connection: where its file lies, how it is made, opened, and told from something else.
//!
//! The file appears under its name only with all its tables in it, so a library is either there or empty; an empty
//! folder is an empty library, which is what a process killed at its very start leaves behind.
//!
//! The tables grow by steps, one a format version: a new catalog takes all of them, an older one those it lacks, in one
//! transaction, when a writer opens it. A reader of an older one says how to bring it up.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, TransactionBehavior};
use sha2::{Digest as _, Sha256};
use techrag_core::record::SparseVector;

use crate::error::{At as _, Error, Result};
use crate::frame::sync_folder;
use crate::works;

/// Version of the catalog's tables and of how segments are named in it.
pub const FORMAT: u32 = 2;

/// How long a reader or writer waits for another's transaction, which takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// What brings a catalog from one format to the next: statements, then what is computed from the rows that are there.
struct Step {
    sql: &'static str,
    fill: fn(&Connection) -> Result<()>,
}

/// Step n brings format n to n + 1; format 0 has no tables.
const STEPS: [Step; FORMAT as usize] = [
    Step { sql: include_str!("catalog.sql"), fill: |_| Ok(()) },
    Step { sql: include_str!("format-2.sql"), fill: works::fill },
];
const LOCK: &str = "lock";
/// The row of `meta` that vouches for the others.
const SEAL: &str = "seal";

/// Where the parts of a library lie.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    pub(crate) root: PathBuf,
}

impl Places {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    pub(crate) fn catalog(&self) -> PathBuf {
        self.root.join("catalog.sqlite")
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.root.join(LOCK)
    }

    pub(crate) fn segments(&self) -> PathBuf {
        self.root.join("segments")
    }

    pub(crate) fn segment(&self, file: &str) -> PathBuf {
        self.segments().join(file)
    }

    /// Whether there is a catalog; an error if the folder is missing or holds something else.
    pub(crate) fn has_catalog(&self) -> Result<bool> {
        if self.catalog().is_file() {
            return Ok(true);
        }
        if !self.root.is_dir() {
            return Err(Error::Missing { path: self.root.clone() });
        }
        for entry in fs::read_dir(&self.root).at(&self.root)? {
            let name = entry.at(&self.root)?.file_name();
            let name = name.to_string_lossy();
            if name != LOCK && !name.starts_with("catalog.") {
                return Err(Error::Foreign { path: self.root.clone() });
            }
        }
        Ok(false)
    }
}

/// A connection for the writer; the catalog is made if there is none, and brought to this build's format if it has an
/// older one, which is given. The caller holds the lock.
pub(crate) fn writable(places: &Places) -> Result<(Connection, Option<u32>)> {
    if !places.has_catalog()? {
        create(places)?;
    }
    let mut connection = Connection::open_with_flags(places.catalog(), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    settle(&connection)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    match format(&connection, places)? {
        Some(FORMAT) => Ok((connection, None)),
        Some(older @ 1..FORMAT) => {
            migrate(&mut connection, older)?;
            Ok((connection, Some(older)))
        }
        other => Err(unknown(places, other)),
    }
}

/// All steps or none.
fn migrate(connection: &mut Connection, from: u32) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    raise(&transaction, from)?;
    Ok(transaction.commit()?)
}

fn raise(connection: &Connection, from: u32) -> Result<()> {
    for step in &STEPS[from as usize..] {
        connection.execute_batch(step.sql)?;
        (step.fill)(connection)?;
    }
    set_meta(connection, "format", &FORMAT.to_string())
}

fn create(places: &Places) -> Result<()> {
    let temporary = places.root.join("catalog.tmp");
    for leftover in ["catalog.tmp", "catalog.tmp-wal", "catalog.tmp-shm", "catalog.tmp-journal"] {
        let path = places.root.join(leftover);
        if path.exists() {
            fs::remove_file(&path).at(&path)?;
        }
    }
    let mut connection = Connection::open(&temporary)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    migrate(&mut connection, 0)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.close().map_err(|(_, error)| error)?;
    fs::rename(&temporary, places.catalog()).at(&temporary)?;
    sync_folder(&places.catalog())
}

/// A connection for a reader. Of an empty library it is an empty catalog in memory.
pub(crate) fn readable(places: &Places) -> Result<Connection> {
    if !places.has_catalog()? {
        let mut connection = Connection::open_in_memory()?;
        migrate(&mut connection, 0)?;
        return Ok(connection);
    }
    let connection = match read_only(places, "") {
        // Nobody may write here, not even the index of the log: then nobody writes, and the file is read as it is.
        Err(_) if !has_log(places) => read_only(places, "&immutable=1")?,
        result => result?,
    };
    check_format(&connection, places)?;
    Ok(connection)
}

fn read_only(places: &Places, options: &str) -> Result<Connection> {
    let path = places.catalog().canonicalize().at(&places.catalog())?;
    let uri = format!("file:{}?mode=ro{options}", escaped(&path.to_string_lossy()));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(uri, flags)?;
    settle(&connection)?;
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

fn has_log(places: &Places) -> bool {
    let log = places.root.join("catalog.sqlite-wal");
    fs::metadata(log).is_ok_and(|metadata| metadata.len() > 0)
}

/// A path inside a URI: what would end it or be decoded is escaped.
fn escaped(path: &str) -> String {
    path.replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

fn settle(connection: &Connection) -> Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

fn check_format(connection: &Connection, places: &Places) -> Result<()> {
    match format(connection, places)? {
        Some(FORMAT) => Ok(()),
        Some(older @ 1..FORMAT) => Err(Error::Older { path: places.root.clone(), found: older, reads: FORMAT }),
        other => Err(unknown(places, other)),
    }
}

fn unknown(places: &Places, found: Option<u32>) -> Error {
    let found = found.map_or("unknown".to_owned(), |found| found.to_string());
    Error::Format { path: places.root.clone(), found, reads: FORMAT }
}

/// The catalog's format version; `None` where it says none that is a number.
fn format(connection: &Connection, places: &Places) -> Result<Option<u32>> {
    let found = meta(connection, "format").map_err(|error| match error {
        Error::CorruptCatalog(error) => Error::corrupt(&places.catalog(), error.to_string()),
        Error::Catalog(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::Unknown) => {
            Error::corrupt(&places.catalog(), error.to_string())
        }
        error => error,
    })?;
    Ok(found.and_then(|found| found.parse().ok()))
}

pub(crate) fn meta(connection: &Connection, name: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE name = ?")?;
    Ok(statement.query_row([name], |row| row.get(0)).optional()?)
}

pub(crate) fn set_meta(connection: &Connection, name: &str, value: &str) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)";
    connection.prepare_cached(sql)?.execute([name, value])?;
    connection.prepare_cached(sql)?.execute([SEAL, &seal_of(connection)?])?;
    Ok(())
}

/// Digest of the table's other rows.
fn seal_of(connection: &Connection) -> Result<String> {
    let mut statement = connection.prepare_cached("SELECT name, value FROM meta WHERE name <> ? ORDER BY name")?;
    let mut digest = Sha256::new();
    let mut rows = statement.query([SEAL])?;
    while let Some(row) = rows.next()? {
        digest.update(format!("{}\0{}\0", row.get::<_, String>(0)?, row.get::<_, String>(1)?));
    }
    Ok(techrag_core::id::hex(&digest.finalize()))
}

/// Whether the catalog's own settings (format, encoder) are as they were written. Nothing is known where there is no
/// seal: a library may have been made by a build before there were any.
pub(crate) fn is_sealed(connection: &Connection) -> Result<bool> {
    let seal = seal_of(connection)?;
    Ok(meta(connection, SEAL)?.is_none_or(|stored| stored == seal))
}

/// The encoder whose vectors a library holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoder {
    /// Manifest id of the model.
    pub model: String,
    /// Weight revision.
    pub revision: String,
    /// Length of a vector.
    pub dim: usize,
}

impl std::fmt::Display for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}, {} dimensions)", self.model, self.revision, self.dim)
    }
}

pub(crate) fn encoder(connection: &Connection) -> Result<Option<Encoder>> {
    let (Some(model), Some(revision), Some(dim)) =
        (meta(connection, "model")?, meta(connection, "revision")?, meta(connection, "dim")?)
    else {
        return Ok(None);
    };
    Ok(Some(Encoder { model, revision, dim: dim.parse().unwrap_or(0) }))
}

pub(crate) fn set_encoder(connection: &Connection, encoder: &Encoder) -> Result<()> {
    set_meta(connection, "model", &encoder.model)?;
    set_meta(connection, "revision", &encoder.revision)?;
    set_meta(connection, "dim", &encoder.dim.to_string())
}

/// The model whose learned sparse vectors a library holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SparseModel {
    /// Manifest id of the model.
    pub model: String,
    /// Weight revision.
    pub revision: String,
}

impl SparseModel {
    /// The model that made these.
    pub fn of(sparse: &SparseVector) -> Self {
        Self { model: sparse.model.clone(), revision: sparse.revision.clone() }
    }
}

impl std::fmt::Display for SparseModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.model, self.revision)
    }
}

pub(crate) fn sparse(connection: &Connection) -> Result<Option<SparseModel>> {
    let found = meta(connection, "sparse_model")?.zip(meta(connection, "sparse_revision")?);
    Ok(found.map(|(model, revision)| SparseModel { model, revision }))
}

pub(crate) fn set_sparse(connection: &Connection, sparse: &SparseModel) -> Result<()> {
    set_meta(connection, "sparse_model", &sparse.model)?;
    set_meta(connection, "sparse_revision", &sparse.revision)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_folder_is_an_empty_library_and_a_strange_one_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::new(folder.path());
        assert!(!places.has_catalog().unwrap());
        assert_eq!(encoder(&readable(&places).unwrap()).unwrap(), None);
        fs::write(folder.path().join("thesis.tex"), "x").unwrap();
        assert!(matches!(readable(&places), Err(Error::Foreign { .. })));
        let nowhere = Places::new(&folder.path().join("no?where#%41"));
        assert!(matches!(readable(&nowhere), Err(Error::Missing { .. })));
    }

    #[test]
    fn a_catalog_is_made_once_and_read_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("a?b#c%41 d");
        fs::create_dir(&root).unwrap();
        let places = Places::new(&root);
        let kept = Encoder { model: "m".into(), revision: "r".into(), dim: 3 };
        set_encoder(&writable(&places).unwrap().0, &kept).unwrap();
        writable(&places).unwrap();
        assert_eq!(encoder(&readable(&places).unwrap()).unwrap(), Some(kept));
    }

    #[test]
    fn another_format_is_refused_by_number() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::new(folder.path());
        set_meta(&writable(&places).unwrap().0, "format", "7").unwrap();
        let error = readable(&places).unwrap_err().to_string();
        assert!(error.contains("format 7") && error.contains(&format!("reads format {FORMAT}")), "{error}");
        assert!(matches!(writable(&places), Err(Error::Format { .. })));
    }
}
