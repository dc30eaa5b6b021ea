//! What has to be read again: a folder compared with the library.
//!
//! A file whose size and modification time are those the ledger remembers is unchanged; otherwise its bytes are hashed
//! and decide. Keys that were read from the folder and stand for no file any more are removed. Keys of other folders
//! and of corpora are none of the folder's business.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rusqlite::{Connection, OptionalExtension as _, params};
use sha2::{Digest as _, Sha256};
use techrag_core::id;
use techrag_core::record::{ErrorKind, ErrorRecord};

use crate::catalog::{self, Places};
use crate::error::{Error, Result};
use crate::writer::Writer;

const STAGE: &str = "index";

/// A file in a folder.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its path relative to the folder: its key.
    pub key: String,
    /// Where it lies.
    pub path: PathBuf,
}

/// What to do about a file or a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// New, changed, or in with failures: read it.
    Parse(String),
    /// The key stands for no file any more.
    Removed {
        /// The content it named.
        doc_id: String,
        /// The key.
        key: String,
    },
    /// The file cannot be planned.
    Refused(ErrorRecord),
}

/// Whether the folders were seen whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// Every file is among those found.
    Whole,
    /// Something could not be entered: a file that was not found may still be there.
    Broken,
}

/// What the ledger knows of a key.
struct Known {
    doc_id: String,
    path: Option<String>,
    stamp: Option<(i64, i64)>,
    whole: bool,
}

/// A file's size in bytes and its modification time in nanoseconds since 1970.
type Stamp = (i64, i64);

/// A key whose file was hashed and found unchanged: where it lies and its stamp.
type Seen = (String, String, Stamp);

/// Compares what was found in the folders with the library at `root`; without a library everything is new. Stamps of
/// unchanged files are remembered if nobody else writes just now; `owner` is the tool.
///
/// # Errors
/// If the library cannot be read. What is wrong with one file is among the steps.
pub fn plan(root: &Path, owner: &str, folders: &[PathBuf], found: Vec<Found>, walk: Walk) -> Result<Vec<Step>> {
    let catalog = match catalog::readable(&Places::new(root)) {
        Err(Error::Missing { .. }) => None,
        result => Some(result?),
    };
    let mut steps = Vec::new();
    let mut seen: Vec<Seen> = Vec::new();
    let mut keys: HashMap<String, PathBuf> = HashMap::new();
    let mut planned: HashSet<PathBuf> = HashSet::new();
    for Found { key, path } in found {
        if !planned.insert(path.clone()) {
            continue; // in a folder and in one inside it: the first one given has it
        }
        match keys.get(&key) {
            Some(other) if *other != path => steps.push(Step::Refused(twice(&path, other))),
            Some(_) => {}
            None => {
                keys.insert(key.clone(), path.clone());
                steps.extend(step(catalog.as_ref(), &key, &path, &mut seen)?);
            }
        }
    }
    if let Some(catalog) = catalog {
        steps.extend(gone(&catalog, folders, &keys.into_keys().collect(), walk)?);
        drop(catalog);
        remember(root, owner, &seen)?;
    }
    Ok(steps)
}

fn twice(path: &Path, other: &Path) -> ErrorRecord {
    let message = format!("{} has the same key", other.display());
    ErrorRecord::new(path.to_string_lossy(), STAGE, ErrorKind::Other, message)
        .hint("keys are paths relative to the folder given: plan the folders that hold both")
}

fn step(catalog: Option<&Connection>, key: &str, path: &Path, seen: &mut Vec<Seen>) -> Result<Option<Step>> {
    let Some(line) = printable(path) else {
        let message = "its name cannot be written as a line of text";
        let error = ErrorRecord::new(path.to_string_lossy(), STAGE, ErrorKind::Unreadable, message);
        return Ok(Some(Step::Refused(error.hint("rename it, or name it to techrag-chunk directly"))));
    };
    let known = catalog.map_or(Ok(None), |catalog| known(catalog, key))?.filter(|known| known.whole);
    let Some(known) = known else { return Ok(Some(Step::Parse(line))) };
    Ok(match unchanged(&known, path) {
        Ok(Some(Unchanged::AsRemembered)) => None,
        Ok(Some(Unchanged::Hashed(location, stamp))) => {
            seen.push((key.to_owned(), location, stamp));
            None
        }
        Ok(None) => Some(Step::Parse(line)),
        Err(error) => {
            let error = ErrorRecord::new(path.to_string_lossy(), STAGE, ErrorKind::Unreadable, error.to_string());
            Some(Step::Refused(error))
        }
    })
}

/// Where a file lies whatever the working directory is. A link is itself, not what it points to: it is the link that
/// the folder gains and loses.
pub(crate) fn located(path: &Path) -> io::Result<PathBuf> {
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            Ok(fs::canonicalize(folder)?.join(name))
        }
        _ => fs::canonicalize(path),
    }
}

/// The path as a line that the next tool takes for a path.
fn printable(path: &Path) -> Option<String> {
    let text = path.to_str()?;
    let one_line = !text.contains(['\n', '\r']) && !text.trim().is_empty();
    // A line that starts with a brace would be taken for a record.
    let line = if text.trim_start().starts_with('{') { format!("./{text}") } else { text.to_owned() };
    one_line.then_some(line)
}

enum Unchanged {
    AsRemembered,
    Hashed(String, Stamp),
}

fn unchanged(known: &Known, path: &Path) -> io::Result<Option<Unchanged>> {
    let location = located(path)?.to_string_lossy().into_owned();
    let before = stamp(&fs::metadata(path)?);
    if known.stamp == Some(before) && known.path.as_deref() == Some(location.as_str()) {
        return Ok(Some(Unchanged::AsRemembered));
    }
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => digest.update(&buffer[..read]),
        }
    }
    let same = id::hex(&digest.finalize()).starts_with(&known.doc_id);
    // Written while it was read: what was hashed is nobody's content.
    let still = stamp(&file.metadata()?) == before;
    Ok((same && still).then_some(Unchanged::Hashed(location, before)))
}

fn stamp(metadata: &Metadata) -> Stamp {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    (metadata.len() as i64, modified.map_or(-1, |since| since.as_nanos() as i64))
}

fn known(catalog: &Connection, key: &str) -> Result<Option<Known>> {
    let sql = "SELECT d.doc_id, k.path, k.size, k.mtime, coalesce(l.expected = l.actual, 0) FROM keys k \
         JOIN documents d ON d.id = k.document LEFT JOIN ledger l ON l.document = d.id AND l.stage = 'chunk' \
         WHERE k.key = ?";
    let mut statement = catalog.prepare_cached(sql)?;
    let known = statement.query_row([key], |row| {
        let stamp = row.get::<_, Option<i64>>(2)?.zip(row.get(3)?);
        Ok(Known { doc_id: row.get(0)?, path: row.get(1)?, stamp, whole: row.get(4)? })
    });
    Ok(known.optional()?)
}

/// Keys that were read from one of the folders, are not in `keys` and whose files are known to be gone.
fn gone(catalog: &Connection, folders: &[PathBuf], keys: &HashSet<String>, walk: Walk) -> Result<Vec<Step>> {
    let roots: Vec<PathBuf> = folders.iter().filter_map(|folder| fs::canonicalize(folder).ok()).collect();
    let mut statement = catalog.prepare(
        "SELECT k.key, k.path, d.doc_id FROM keys k JOIN documents d ON d.id = k.document \
         WHERE k.path IS NOT NULL ORDER BY k.key",
    )?;
    let mut rows = statement.query([])?;
    let mut steps = Vec::new();
    while let Some(row) = rows.next()? {
        let (key, path, doc_id): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let from_here = roots.iter().any(|root| root.join(&key) == Path::new(&path));
        if from_here && !keys.contains(&key) && is_gone(Path::new(&path), walk) {
            steps.push(Step::Removed { doc_id, key });
        }
    }
    Ok(steps)
}

/// A file is gone if nothing has its name, or if it was passed over on purpose. A folder that cannot be entered just
/// now, or a disk that fails, must not cost what was read from it.
fn is_gone(path: &Path, walk: Walk) -> bool {
    match fs::symlink_metadata(path) {
        Ok(_) => walk == Walk::Whole,
        Err(error) => matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    }
}

/// Remembering saves the next plan a hash; it may be left out.
fn remember(root: &Path, owner: &str, seen: &[Seen]) -> Result<()> {
    if seen.is_empty() {
        return Ok(());
    }
    let mut writer = match Writer::open_unloaded(root, owner) {
        Err(Error::Locked { .. } | Error::Io { .. } | Error::Catalog(_)) => return Ok(()),
        result => result?,
    };
    let transaction = writer.catalog.transaction()?;
    for (key, path, (size, mtime)) in seen {
        let mut statement =
            transaction.prepare_cached("UPDATE keys SET path = ?, size = ?, mtime = ? WHERE key = ?")?;
        statement.execute(params![path, size, mtime, key])?;
    }
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use techrag_core::record::Document;

    use super::*;
    use crate::{Add, AddConfig};

    struct Folder {
        files: tempfile::TempDir,
        library: tempfile::TempDir,
    }

    impl Folder {
        fn new() -> Self {
            Self { files: tempfile::tempdir().unwrap(), library: tempfile::tempdir().unwrap() }
        }

        fn write(&self, key: &str, text: &str) {
            fs::write(self.files.path().join(key), text).unwrap();
        }

        fn plan(&self) -> Vec<Step> {
            self.plan_after(Walk::Whole, &[])
        }

        /// A plan by a walk that passed over some files.
        fn plan_after(&self, walk: Walk, unseen: &[&str]) -> Vec<Step> {
            let mut names: Vec<String> = fs::read_dir(self.files.path())
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.retain(|name| !unseen.contains(&name.as_str()));
            names.sort();
            let found = names.into_iter().map(|key| Found { path: self.files.path().join(&key), key }).collect();
            plan(self.library.path(), "test", &[self.files.path().to_owned()], found, walk).unwrap()
        }

        fn add(&self, key: &str) {
            let path = self.files.path().join(key);
            let doc_id = id::doc_id(&fs::read(&path).unwrap());
            let path = Some(path.to_string_lossy().into_owned());
            let config = AddConfig { full: 1, idle: 1, replace: false };
            let mut add = Add::new(Writer::open(self.library.path(), "test").unwrap(), config);
            add.document(Document { doc_id, key: key.into(), path, ..Document::default() }).unwrap();
            add.end().unwrap();
        }
    }

    fn parsed(steps: &[Step]) -> Vec<&str> {
        fn name(step: &Step) -> Option<&str> {
            match step {
                Step::Parse(path) => Path::new(path).file_name().and_then(|name| name.to_str()),
                _ => None,
            }
        }
        steps.iter().filter_map(name).collect()
    }

    #[test]
    fn only_what_is_new_changed_or_gone_is_planned() {
        let folder = Folder::new();
        ["a.txt", "b.txt", "c.txt"].iter().for_each(|key| folder.write(key, key));
        assert_eq!(parsed(&folder.plan()), ["a.txt", "b.txt", "c.txt"]);
        ["a.txt", "b.txt", "c.txt"].iter().for_each(|key| folder.add(key));
        assert_eq!(folder.plan(), []);
        folder.write("b.txt", "B.TXT");
        fs::remove_file(folder.files.path().join("c.txt")).unwrap();
        folder.write("d.txt", "d");
        let steps = folder.plan();
        assert_eq!(parsed(&steps), ["b.txt", "d.txt"]);
        let removed = Step::Removed { doc_id: id::doc_id(b"c.txt"), key: "c.txt".into() };
        assert_eq!(steps.iter().filter(|step| **step == removed).count(), 1);
    }

    #[test]
    fn what_a_walk_could_not_see_is_not_removed() {
        let folder = Folder::new();
        ["a.txt", "b.txt"].iter().for_each(|key| {
            folder.write(key, key);
            folder.add(key);
        });
        let removed = Step::Removed { doc_id: id::doc_id(b"a.txt"), key: "a.txt".into() };
        assert_eq!(folder.plan_after(Walk::Broken, &["a.txt"]), []);
        assert_eq!(
            folder.plan_after(Walk::Whole, &["a.txt"]),
            std::slice::from_ref(&removed),
            "it is named by an ignore file now"
        );
        fs::remove_file(folder.files.path().join("a.txt")).unwrap();
        assert_eq!(folder.plan_after(Walk::Broken, &[]), [removed], "nothing has its name");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_planned_as_itself() {
        let folder = Folder::new();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("x"), "text").unwrap();
        let link = folder.files.path().join("a.txt");
        std::os::unix::fs::symlink(elsewhere.path().join("x"), &link).unwrap();
        assert_eq!(parsed(&folder.plan()), ["a.txt"]);
        folder.add("a.txt");
        assert_eq!(folder.plan(), []);
        fs::remove_file(link).unwrap();
        assert_eq!(folder.plan(), [Step::Removed { doc_id: id::doc_id(b"text"), key: "a.txt".into() }]);
    }

    #[test]
    fn an_unchanged_file_is_hashed_once_and_a_rewritten_one_again() {
        let folder = Folder::new();
        folder.write("a.txt", "same");
        folder.add("a.txt");
        let remembered = || {
            let catalog = catalog::readable(&Places::new(folder.library.path())).unwrap();
            known(&catalog, "a.txt").unwrap().unwrap().stamp
        };
        assert_eq!((remembered(), folder.plan()), (None, vec![]));
        let first = remembered();
        assert_eq!(first.map(|(size, _)| size), Some(4));
        let file = File::options().write(true).open(folder.files.path().join("a.txt")).unwrap();
        file.set_modified(UNIX_EPOCH).unwrap();
        assert_eq!((folder.plan(), remembered()), (vec![], Some((4, 0))));
    }

    #[test]
    fn names_that_are_no_lines_and_keys_that_stand_for_two_files_are_refused() {
        assert_eq!(printable(Path::new("a\nb")), None);
        assert_eq!(printable(Path::new("{a}.pdf")).as_deref(), Some("./{a}.pdf"));
        let folder = Folder::new();
        folder.write("a.txt", "1");
        folder.write("b.txt", "2");
        let found = ["a.txt", "b.txt"].map(|name| Found { key: "k".into(), path: folder.files.path().join(name) });
        let steps = plan(folder.library.path(), "test", &[], found.to_vec(), Walk::Whole).unwrap();
        assert!(matches!(steps[..], [Step::Parse(_), Step::Refused(_)]), "{steps:?}");
    }
}
