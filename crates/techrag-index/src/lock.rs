//! One writer at a time: an advisory lock whose file says who holds it. The system releases it when the process ends,
//! however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;
use std::thread;
use std::time::Duration;

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
                return Err(Error::Locked { path: root.to_owned(), owner: holder(&mut file) });
            }
            Err(TryLockError::Error(error)) => return Err(error).at(path),
        }
        file.set_len(0).and_then(|()| file.rewind()).at(path)?;
        writeln!(file, "{owner} (process {})", std::process::id()).at(path)?;
        Ok(Self { _file: file })
    }
}

/// Who holds the lock. It takes the lock first and writes its name then, so the name may come a moment later.
fn holder(file: &mut File) -> String {
    for _ in 0..50 {
        let mut holder = String::new();
        let read = file.rewind().and_then(|()| file.read_to_string(&mut holder));
        if read.is_ok() && holder.ends_with('\n') {
            return holder.trim().to_owned();
        }
        thread::sleep(Duration::from_millis(2));
    }
    "another process".to_owned()
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
