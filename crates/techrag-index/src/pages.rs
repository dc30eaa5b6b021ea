//! Pages in the catalog: which are stored, in which sealed file and slot, and which could not be.
//!
//! What a file's sections mean is page retrieval's business; here a file is named, counted and vouched for, and a page
//! is in with its vectors or not at all. Writing pages takes hours, so it has a lock of its own and holds the library
//! only for the instant of a commit; documents may be added meanwhile.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use techrag_core::record::Document;

use crate::bits::Bits;
use crate::catalog::{self, Places};
use crate::change;
use crate::error::{At as _, Error, Result};
use crate::filter::{self, Condition};
use crate::frame::{Frame, Kind, Written, sync_folder};
use crate::lock::Lock;
use crate::verify::Problem;

const SCHEMA: &str = include_str!("pages.sql");
const FOLDER: &str = "pages";
/// In front of the names under which page retrieval keeps settings in the catalog.
const META: &str = "pages.";
/// Tries to open a set of files while a writer keeps replacing them.
const TRIES: usize = 10;

/// Where a stored page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PagePlace {
    /// Row of the page; never used twice.
    pub row: i64,
    /// Row of the file.
    pub file: i64,
    /// Slot in the file.
    pub slot: u32,
    /// The document's id as a number.
    pub doc: u64,
    /// The page, from 1.
    pub page: u32,
}

/// A page to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPage {
    /// The document.
    pub doc_id: String,
    /// The page, from 1.
    pub page: u32,
    /// JSON, kept for its owner.
    pub about: String,
}

/// A file beside the catalog that belongs to pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageFile {
    /// Its row.
    pub id: i64,
    /// What it holds.
    pub kind: String,
    /// Where it lies.
    pub path: PathBuf,
    bytes: u64,
    seal: Vec<u8>,
}

impl PageFile {
    /// Length of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Maps the file and checks that it is the one the catalog means.
    ///
    /// # Errors
    /// If it cannot be mapped or is another.
    pub fn open(&self, kind: Kind) -> Result<Frame> {
        let frame = Frame::open(&self.path, kind)?;
        if frame.seal().as_slice() != self.seal || frame.bytes() != self.bytes {
            return Err(frame.corrupt("it is not the file the catalog names"));
        }
        Ok(frame)
    }
}

/// A document that a page belongs to.
#[derive(Clone, Debug)]
pub struct PageDocument {
    /// The document; of several keys the first in order.
    pub document: Document,
    /// All keys, ascending, and where each was read.
    pub keys: Vec<(String, Option<String>)>,
}

fn folder(places: &Places) -> PathBuf {
    places.root.join(FOLDER)
}

fn has_tables(catalog: &Connection) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'pages')";
    Ok(catalog.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

fn files(catalog: &Connection, places: &Places) -> Result<Vec<PageFile>> {
    if !has_tables(catalog)? {
        return Ok(Vec::new());
    }
    let mut statement = catalog.prepare_cached("SELECT id, kind, file, bytes, seal FROM page_files ORDER BY id")?;
    let rows = statement.query_map([], |row| {
        let path = folder(places).join(row.get::<_, String>(2)?);
        Ok(PageFile {
            id: row.get(0)?,
            kind: row.get(1)?,
            path,
            bytes: row.get::<_, i64>(3)? as u64,
            seal: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn places_of(catalog: &Connection) -> Result<Vec<PagePlace>> {
    if !has_tables(catalog)? {
        return Ok(Vec::new());
    }
    let sql = "SELECT id, file, slot, doc_id, page FROM pages WHERE file IS NOT NULL ORDER BY id";
    let mut statement = catalog.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| {
        let doc = crate::writer::doc_number(row.get_ref(3)?.as_str().unwrap_or_default()).unwrap_or_default();
        Ok(PagePlace { row: row.get(0)?, file: row.get(1)?, slot: row.get(2)?, doc, page: row.get(4)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn document_of(catalog: &Connection, doc_id: &str) -> Result<Option<PageDocument>> {
    let mut statement = catalog.prepare_cached("SELECT id, record FROM documents WHERE doc_id = ?")?;
    let found: Option<(i64, String)> =
        statement.query_row([doc_id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((row, record)) = found else { return Ok(None) };
    let mut document: Document = serde_json::from_str(&record)?;
    let keys = change::keys(catalog, row)?;
    if let Some((key, path)) = keys.first() {
        document.key.clone_from(key);
        document.path = path.clone().or(document.path);
    }
    Ok(Some(PageDocument { document, keys }))
}

/// The pages of a library, open for writing.
pub struct PageWriter {
    places: Places,
    catalog: Connection,
    _lock: Lock,
}

impl PageWriter {
    /// Opens the pages of the library at `root`, which must be there. `owner` is the tool, for the message a second
    /// writer gets.
    ///
    /// # Errors
    /// If there is no library, or another process writes pages.
    pub fn open(root: &Path, owner: &str) -> Result<Self> {
        let places = Places::new(root);
        if !places.has_catalog()? {
            return Err(Error::Missing { path: root.to_owned() });
        }
        let folder = folder(&places);
        fs::create_dir_all(&folder).at(&folder)?;
        sync_folder(&folder)?;
        let lock = Lock::take(&folder.join("lock"), root, owner)?;
        let (catalog, _) = catalog::writable(&places)?;
        catalog.execute_batch(&format!("BEGIN IMMEDIATE;\n{SCHEMA}\nCOMMIT;"))?;
        let writer = Self { places, catalog, _lock: lock };
        writer.sweep()?;
        Ok(writer)
    }

    /// Removes files that the catalog does not name: what a killed writer left.
    fn sweep(&self) -> Result<()> {
        let named: HashSet<PathBuf> = self.files()?.into_iter().map(|file| file.path).collect();
        let folder = folder(&self.places);
        for entry in fs::read_dir(&folder).at(&folder)? {
            let path = entry.at(&folder)?.path();
            let ours = path.extension().is_some_and(|it| it == "seg" || it == "tmp");
            if ours && !named.contains(&path) {
                fs::remove_file(&path).at(&path)?;
            }
        }
        Ok(())
    }

    /// A setting of page retrieval.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn meta(&self, name: &str) -> Result<Option<String>> {
        catalog::meta(&self.catalog, &format!("{META}{name}"))
    }

    /// The files, in the order they came.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn files(&self) -> Result<Vec<PageFile>> {
        files(&self.catalog, &self.places)
    }

    /// The stored pages, in the order they came; those of documents that are gone included.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn stored(&self) -> Result<Vec<PagePlace>> {
        places_of(&self.catalog)
    }

    /// The document, if it is in the library.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn document(&self, doc_id: &str) -> Result<Option<PageDocument>> {
        document_of(&self.catalog, doc_id)
    }

    /// All documents of the library, by id.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn documents(&self) -> Result<Vec<PageDocument>> {
        let mut statement = self.catalog.prepare_cached("SELECT doc_id FROM documents ORDER BY doc_id")?;
        let ids: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        let documents: Vec<Option<PageDocument>> = ids.iter().map(|id| self.document(id)).collect::<Result<_>>()?;
        Ok(documents.into_iter().flatten().collect())
    }

    /// What has become of a document's pages: stored, or why not.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn done(&self, doc_id: &str) -> Result<BTreeMap<u32, Option<String>>> {
        let mut statement = self.catalog.prepare_cached("SELECT page, failure FROM pages WHERE doc_id = ?")?;
        let rows = statement.query_map([doc_id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Name and path of the next file. It is to be written and then named in a commit.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn next_file(&self) -> Result<(i64, PathBuf)> {
        let id = change::next_row(&self.catalog, "page_files")?;
        Ok((id, folder(&self.places).join(format!("page-{id:06}.seg"))))
    }

    /// Names a file and what is in it, in one transaction: new pages get the slots 0, 1, …; pages that could not be
    /// stored are remembered with why; settings are kept. Returns once it is durable.
    ///
    /// # Errors
    /// If the catalog refuses; nothing has happened then.
    pub fn commit(&mut self, commit: &PageCommit<'_>) -> Result<()> {
        let transaction = self.catalog.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if let Some((id, kind, written)) = commit.file {
            insert_file(&transaction, id, kind, written)?;
        }
        let sql = "INSERT OR REPLACE INTO pages (doc_id, page, file, slot, about, failure) VALUES (?, ?, ?, ?, ?, ?)";
        let mut statement = transaction.prepare_cached(sql)?;
        let file = commit.file.map(|(id, ..)| id);
        for (slot, page) in commit.pages.iter().enumerate() {
            statement.execute(params![page.doc_id, page.page, file, slot as i64, page.about, None::<String>])?;
        }
        for (page, why) in commit.failures {
            statement.execute(params![page.doc_id, page.page, None::<i64>, None::<i64>, page.about, why])?;
        }
        drop(statement);
        for (name, value) in commit.settings {
            catalog::set_meta(&transaction, &format!("{META}{name}"), value)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Replaces files by one that holds the same pages, or by none: each page moves to the slot that is its place among
    /// `pages` (rows). The replaced files are removed once that is durable; open readers keep them mapped.
    ///
    /// # Errors
    /// If the catalog refuses; nothing has happened then.
    pub fn replace(&mut self, old: &[i64], new: Option<(i64, &str, Written)>, pages: &[i64]) -> Result<()> {
        let gone: Vec<PageFile> = self.files()?.into_iter().filter(|file| old.contains(&file.id)).collect();
        let transaction = self.catalog.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if let Some((id, kind, written)) = new {
            insert_file(&transaction, id, kind, written)?;
            let mut statement = transaction.prepare_cached("UPDATE pages SET file = ?, slot = ? WHERE id = ?")?;
            for (slot, row) in pages.iter().enumerate() {
                statement.execute(params![id, slot as i64, row])?;
            }
        }
        for id in old {
            transaction.prepare_cached("DELETE FROM page_files WHERE id = ?")?.execute([id])?;
        }
        transaction.commit()?;
        for file in gone {
            fs::remove_file(&file.path).at(&file.path)?;
        }
        Ok(())
    }

    /// Forgets a file and the pages in it, which can then be made again; says how many. The file need not be there.
    ///
    /// # Errors
    /// If the catalog refuses.
    pub fn forget_file(&mut self, id: i64) -> Result<usize> {
        let gone: Vec<PageFile> = self.files()?.into_iter().filter(|file| file.id == id).collect();
        let transaction = self.catalog.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let pages = transaction.prepare_cached("DELETE FROM pages WHERE file = ?")?.execute([id])?;
        transaction.prepare_cached("DELETE FROM page_files WHERE id = ?")?.execute([id])?;
        transaction.commit()?;
        for file in gone {
            match fs::remove_file(&file.path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error).at(&file.path),
                _ => {}
            }
        }
        Ok(pages)
    }

    /// Forgets all pages and files.
    ///
    /// # Errors
    /// If the catalog refuses.
    pub fn clear(&mut self) -> Result<()> {
        self.catalog.execute_batch("BEGIN IMMEDIATE; DELETE FROM pages; DELETE FROM page_files; COMMIT;")?;
        self.sweep()
    }

    /// Forgets the pages of all documents that are no longer in the library; says how many.
    ///
    /// # Errors
    /// If the catalog refuses.
    pub fn forget_gone(&mut self) -> Result<usize> {
        let sql = "DELETE FROM pages WHERE doc_id NOT IN (SELECT doc_id FROM documents)";
        Ok(self.catalog.prepare_cached(sql)?.execute([])?)
    }

    /// Forgets a document's pages if the document is no longer in the library; says how many.
    ///
    /// # Errors
    /// If the catalog refuses.
    pub fn forget(&mut self, doc_id: &str) -> Result<usize> {
        let sql = "DELETE FROM pages WHERE doc_id = ?1 AND NOT EXISTS (SELECT 1 FROM documents WHERE doc_id = ?1)";
        Ok(self.catalog.prepare_cached(sql)?.execute([doc_id])?)
    }
}

/// What one commit of pages brings.
#[derive(Clone, Copy, Debug)]
pub struct PageCommit<'a> {
    /// A new file: the row of [`PageWriter::next_file`], what it holds, and what was written.
    pub file: Option<(i64, &'a str, Written)>,
    /// The pages in it, by slot.
    pub pages: &'a [NewPage],
    /// Pages that could not be stored, and why.
    pub failures: &'a [(NewPage, String)],
    /// Settings to keep, by name.
    pub settings: &'a [(&'a str, String)],
}

fn insert_file(catalog: &Connection, id: i64, kind: &str, written: Written) -> Result<()> {
    let sql = "INSERT INTO page_files (id, kind, file, bytes, seal) VALUES (?, ?, ?, ?, ?)";
    let file = format!("page-{id:06}.seg");
    catalog.prepare_cached(sql)?.execute(params![id, kind, file, written.bytes as i64, written.seal.as_slice()])?;
    Ok(())
}

/// The pages of a library as they were at one instant.
pub struct PageReader {
    catalog: Mutex<Connection>,
    /// A connection outside the transaction, which hears of commits, and what it heard first.
    watch: Mutex<(Connection, i64)>,
    places: Places,
}

impl PageReader {
    /// Opens the pages of the library at `root`; `load` opens its files, and is called again where a writer has just
    /// replaced one.
    ///
    /// # Errors
    /// If there is no library, or those of `load`.
    pub fn open<T>(root: &Path, load: impl Fn(&Self) -> Result<T>) -> Result<(Self, T)> {
        let places = Places::new(root);
        let mut tries = 0;
        loop {
            tries += 1;
            // Watched before it is read, so that no commit falls between.
            let watch = catalog::readable(&places)?;
            let first = version(&watch)?;
            let catalog = catalog::readable(&places)?;
            catalog.execute_batch("BEGIN")?;
            let reader =
                Self { catalog: Mutex::new(catalog), watch: Mutex::new((watch, first)), places: places.clone() };
            match load(&reader) {
                Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound && tries < TRIES => {}
                loaded => return Ok((reader, loaded?)),
            }
        }
    }

    fn catalog(&self) -> MutexGuard<'_, Connection> {
        self.catalog.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing was committed since it was opened.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn is_current(&self) -> Result<bool> {
        let watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(version(&watch.0)? == watch.1)
    }

    /// The library's folder.
    pub fn root(&self) -> &Path {
        &self.places.root
    }

    /// A setting of page retrieval.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn meta(&self, name: &str) -> Result<Option<String>> {
        catalog::meta(&self.catalog(), &format!("{META}{name}"))
    }

    /// The files, in the order they came.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn files(&self) -> Result<Vec<PageFile>> {
        files(&self.catalog(), &self.places)
    }

    /// The stored pages, in the order they came; those of documents that are gone included.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn stored(&self) -> Result<Vec<PagePlace>> {
        places_of(&self.catalog())
    }

    /// The rows of the stored pages whose documents are in the library and meet every condition. A condition on chunks
    /// (section, role, modality) is met by the pages that such a chunk stands on.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn select(&self, conditions: &[Condition]) -> Result<Bits> {
        let catalog = self.catalog();
        let mut rows = Bits::new();
        if !has_tables(&catalog)? {
            return Ok(rows);
        }
        let (clause, parameters) = filter::clause(conditions);
        let chunks = if conditions.iter().any(Condition::is_about_chunks) {
            "JOIN chunks c ON c.document = d.id AND p.page BETWEEN c.first_page AND c.last_page"
        } else {
            ""
        };
        let sql = format!(
            "SELECT p.id FROM pages p JOIN documents d ON d.doc_id = p.doc_id {chunks} \
             WHERE p.file IS NOT NULL AND {clause}"
        );
        let mut statement = catalog.prepare(&sql)?;
        for row in statement.query_map(rusqlite::params_from_iter(parameters), |row| row.get::<_, i64>(0))? {
            rows.insert(usize::try_from(row?).unwrap_or(0));
        }
        Ok(rows)
    }

    /// What was stored about a page beside its vectors; `None` if it is not stored.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn about(&self, row: i64) -> Result<Option<String>> {
        let catalog = self.catalog();
        let mut statement = catalog.prepare_cached("SELECT about FROM pages WHERE id = ?")?;
        Ok(statement.query_row([row], |row| row.get(0)).optional()?)
    }

    /// Pages that could not be stored: document, page, why.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn failures(&self) -> Result<Vec<(String, u32, String)>> {
        let catalog = self.catalog();
        if !has_tables(&catalog)? {
            return Ok(Vec::new());
        }
        let sql = "SELECT doc_id, page, failure FROM pages WHERE failure IS NOT NULL ORDER BY doc_id, page";
        let mut statement = catalog.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The document, if it is in the library.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn document(&self, doc_id: &str) -> Result<Option<PageDocument>> {
        document_of(&self.catalog(), doc_id)
    }

    /// The id of the document that a key names.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn named(&self, key: &str) -> Result<Option<String>> {
        Ok(change::named(&self.catalog(), key)?.map(|(_, doc_id)| doc_id))
    }
}

/// A number that changes with every commit of another connection.
fn version(connection: &Connection) -> Result<i64> {
    Ok(connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?)
}

/// Reads every file of pages and compares it with its checksums and with the catalog; `kind` tells what the file of a
/// word is.
///
/// # Errors
/// If there is no library. Damage is in the result.
pub fn verify_pages(root: &Path, kind: impl Fn(&str) -> Option<Kind>) -> Result<Vec<Problem>> {
    let (_, files) = PageReader::open(root, PageReader::files)?;
    let check = |file: &PageFile| {
        let unknown = || Error::corrupt(&file.path, format!("a file of kind {:?}", file.kind));
        file.open(kind(&file.kind).ok_or_else(unknown)?)?.check()
    };
    let problem = |file: &PageFile| {
        let what = match check(file).err()? {
            Error::Corrupt { what, .. } => what,
            other => other.to_string(),
        };
        Some(Problem { file: file.path.clone(), what })
    };
    Ok(files.iter().filter_map(problem).collect())
}
