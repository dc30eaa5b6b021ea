//! Whether there is room for what is to be written, asked before the first byte.
//!
//! A full disk met halfway harms nothing (the batch is rolled back, its file swept up), but it may leave others without
//! room, and the answer comes late. What is asked for is an estimate from above.

use std::path::Path;

use crate::change::Change;
use crate::error::{Error, Result};

/// Bytes that are left free whatever is written.
const RESERVE: u64 = 8 << 20;
/// A row is written to the log first and to the catalog then.
const WRITES: u64 = 2;
/// Bytes a chunk takes beside its text and vectors: its record, its row, its share of the indices.
const CHUNK: u64 = 2048;
/// Bytes a document takes beside its chunks: its record with its reference list, its rows.
const DOCUMENT: u64 = 16 << 10;

/// # Errors
/// [`Error::Full`] if the disk under `folder` has less than `needed` bytes and a reserve free.
pub(crate) fn ensure(folder: &Path, needed: u64) -> Result<()> {
    match free(folder) {
        Some(free) if free < needed.saturating_add(RESERVE) => {
            Err(Error::Full { path: folder.to_owned(), free, needed: needed + RESERVE })
        }
        _ => Ok(()),
    }
}

/// What changes take in the catalog, in bytes.
pub(crate) fn of_changes(changes: &[Change]) -> u64 {
    WRITES * changes.iter().map(of_change).sum::<u64>()
}

fn of_change(change: &Change) -> u64 {
    let Change::Add(complete) = change else { return CHUNK };
    let chunk = |chunk: &techrag_core::record::Chunk| {
        let windows = chunk.vectors.iter().flat_map(|vectors| &vectors.windows);
        let vectors: usize = windows.map(|window| size_of_val(window.vector.values.as_slice())).sum();
        // A term stands in the record, with its weight, and in the segment.
        let terms = chunk.sparse.iter().flat_map(|sparse| sparse.terms.keys());
        let learned: usize = terms.map(|term| 2 * term.len() + 32).sum();
        CHUNK + 2 * chunk.text.len() as u64 + (vectors + learned) as u64
    };
    DOCUMENT + complete.chunks.iter().map(|(_, c)| chunk(c)).sum::<u64>()
}

/// Bytes free for us on the disk under a folder; `None` where the system does not say.
#[cfg(unix)]
fn free(folder: &Path) -> Option<u64> {
    use std::os::unix::ffi::OsStrExt as _;
    let path = std::ffi::CString::new(folder.as_os_str().as_bytes()).ok()?;
    let mut found = std::mem::MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: the path ends in a zero byte; the structure is read only where the call says it was filled.
    let found = unsafe {
        if libc::statvfs(path.as_ptr(), found.as_mut_ptr()) != 0 {
            return None;
        }
        found.assume_init()
    };
    // The fields have other widths on other systems.
    u64::try_from(i128::from(found.f_bavail) * i128::from(found.f_frsize)).ok()
}

#[cfg(not(unix))]
fn free(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn more_than_the_disk_holds_is_refused_with_both_figures() {
        let folder = tempfile::tempdir().unwrap();
        ensure(folder.path(), 1).unwrap();
        let error = ensure(folder.path(), 1 << 60).unwrap_err().to_string();
        assert!(
            error.contains("bytes free and 11529215046") && error.contains("what was committed is safe"),
            "{error}"
        );
    }
}
