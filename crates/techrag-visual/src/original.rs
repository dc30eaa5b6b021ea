//! The file that a document was read from, looked at before a byte of it counts: a record may name a device, a pipe or
//! a file of any size, and the file may have changed since.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use techrag_core::id;
use techrag_core::record::ErrorKind;
use techrag_index::PageDocument;

use crate::index::Failure;

/// The file of a document of the library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Original {
    doc_id: String,
    path: PathBuf,
}

impl Original {
    /// The first regular file among those the library names, then `given`.
    ///
    /// # Errors
    /// If none is named, or none is a regular file.
    pub fn of(known: &PageDocument, given: Option<&str>) -> Result<Self, Failure> {
        let own = known.keys.iter().filter_map(|(_, path)| path.as_deref()).chain(known.document.path.as_deref());
        let paths: Vec<&Path> = own.chain(given).map(Path::new).collect();
        let doc_id = known.document.doc_id.clone();
        match (paths.iter().find(|path| path.is_file()), paths.first()) {
            (Some(path), _) => Ok(Self { doc_id, path: (*path).to_owned() }),
            (None, Some(path)) => Err(unreadable(match fs::metadata(path) {
                Ok(_) => irregular(path),
                Err(error) => format!("{}: {error}", path.display()),
            })),
            (None, None) => Err(unreadable("the library does not say where the file is".to_owned())),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is still the file that was indexed; no more than `max_bytes` of it are read.
    ///
    /// # Errors
    /// If it is another, larger, or cannot be read.
    pub fn check(&self, max_bytes: u64) -> Result<(), Failure> {
        let path = &self.path;
        let failed = |error: std::io::Error| unreadable(format!("{}: {error}", path.display()));
        // Before it is opened too: opening a pipe waits for whoever writes into it.
        if !fs::metadata(path).map_err(failed)?.is_file() {
            return Err(unreadable(irregular(path)));
        }
        let file = File::open(path).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        if !about.is_file() {
            return Err(unreadable(irregular(path)));
        }
        let too_large = |bytes: u64| {
            let message = format!("{}: too large: {bytes} bytes, {max_bytes} allowed", path.display());
            Failure { kind: ErrorKind::TooLarge, message }
        };
        if about.len() > max_bytes {
            return Err(too_large(about.len()));
        }
        let mut bytes = Vec::new();
        // It may grow while it is read.
        file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > max_bytes {
            return Err(too_large(bytes.len() as u64));
        }
        if id::doc_id(&bytes) == self.doc_id {
            return Ok(());
        }
        Err(unreadable(format!("{} is no longer the file that was indexed", path.display())))
    }
}

fn unreadable(message: String) -> Failure {
    Failure { kind: ErrorKind::Unreadable, message }
}

fn irregular(path: &Path) -> String {
    format!("{} is no regular file", path.display())
}

#[cfg(test)]
mod tests {
    use techrag_core::record::Document;

    use super::*;

    fn known(doc_id: String, paths: &[&Path]) -> PageDocument {
        let keys = paths.iter().map(|path| ("a.pdf".to_owned(), Some(path.display().to_string()))).collect();
        PageDocument { document: Document { doc_id, ..Document::default() }, keys }
    }

    #[test]
    fn a_device_or_a_folder_is_refused_and_the_regular_file_behind_it_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.pdf");
        fs::write(&file, "words").unwrap();
        for irregular in [Path::new("/dev/zero"), folder.path()] {
            let refused = Original::of(&known(String::new(), &[irregular]), None).unwrap_err();
            assert!(refused.message.ends_with("is no regular file"), "{refused:?}");
            let original = Original::of(&known(String::new(), &[irregular, &file]), None).unwrap();
            assert_eq!(original.path(), file);
            let swapped = Original { doc_id: String::new(), path: irregular.to_owned() };
            assert_eq!(swapped.check(100).unwrap_err(), refused);
        }
        let nowhere = Original::of(&known(String::new(), &[&folder.path().join("b.pdf")]), None).unwrap_err();
        assert!(nowhere.message.contains("b.pdf: "), "{nowhere:?}");
    }

    #[test]
    fn a_file_is_measured_before_it_is_read_and_must_be_the_one_that_was_indexed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pdf");
        fs::write(&path, "words").unwrap();
        let original = Original::of(&known(id::doc_id(b"words"), &[&path]), None).unwrap();
        assert_eq!(original.check(5), Ok(()));
        let large = original.check(4).unwrap_err();
        assert!(large.kind == ErrorKind::TooLarge && large.message.contains("5 bytes, 4 allowed"), "{large:?}");
        fs::write(&path, "other").unwrap();
        let other = original.check(5).unwrap_err();
        assert!(other.message.ends_with("is no longer the file that was indexed"), "{other:?}");
        // A hole of a TiB: nothing of it is read.
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(original.check(5).unwrap_err().kind, ErrorKind::TooLarge);
    }
}
