//! One writer at a time: an advisory lock whose file says who holds it. The system releases it when the process ends,
//! however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

use crate::error::{At as _, Error, Result};

/// Held as long as it lives.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of the library at `root`, or says who has it. `owner` is the tool.
    pub(crate) fn take(path: &Path, root: &Path, owner: &str) -> Result<Self> {
        let mut file = OpenOptions::new().create(true).read(true).write(true).truncate(false).open(path).at(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.read_to_string(&mut holder);
                let owner = if holder.trim().is_empty() { "another process".into() } else { holder.trim().to_owned() };
                return Err(Error::Locked { path: root.to_owned(), owner });
            }
            Err(TryLockError::Error(error)) => return Err(error).at(path),
        }
        file.set_len(0).and_then(|()| file.rewind()).at(path)?;
        writeln!(file, "{owner} (process {})", std::process::id()).at(path)?;
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_hears_who_the_first_is_and_a_third_comes_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = Lock::take(&path, folder.path(), "techrag-index add").unwrap();
        let error = Lock::take(&path, folder.path(), "other").unwrap_err().to_string();
        assert!(error.contains(&format!("techrag-index add (process {})", std::process::id())), "{error}");
        drop(first);
        Lock::take(&path, folder.path(), "third").unwrap();
    }
}
