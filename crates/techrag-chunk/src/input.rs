//! From arguments to files: directories are walked lazily, in sorted order, and every file gets its key.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use techrag_core::record::{ErrorKind, ErrorRecord};

use crate::STAGE;

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The user's own name for it: the path relative to the folder given, with `/`, or the path as given.
    pub key: String,
    /// Where to read it.
    pub path: PathBuf,
    /// The part of the key before the file's name; `None` at the top of the folder and for files given directly.
    pub folder: Option<String>,
    /// Whether the user named this very file: then an unknown kind is a failure.
    pub named: bool,
}

/// The files of a path: the file itself, or every file below a directory that is not hidden, sorted by name. What the
/// walk cannot enter comes as an error record.
///
/// `root` is the folder that keys are relative to, for files whose path was printed by another tool.
pub fn files(path: &Path, root: Option<&Path>) -> Box<dyn Iterator<Item = Result<Source, ErrorRecord>> + Send> {
    if !path.is_dir() {
        return Box::new(std::iter::once(Ok(named(path, root))));
    }
    let folder = path.to_owned();
    let root = root.map(Path::to_owned);
    // Ignore files speak of version control, not of what is worth reading; only hidden files are left out.
    let walk = WalkBuilder::new(path)
        .standard_filters(false)
        .hidden(true)
        .sort_by_file_name(|a, b| a.cmp(b))
        .build();
    let entries = walk.filter_map(move |entry| match entry {
        Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
            Some(Ok(walked(entry.path(), root.as_deref().unwrap_or(&folder))))
        }
        Ok(_) => None,
        Err(error) => Some(Err(unreadable(&folder, &error))),
    });
    Box::new(entries)
}

fn named(path: &Path, root: Option<&Path>) -> Source {
    match root.filter(|root| path.starts_with(root)) {
        Some(root) => Source { named: true, ..walked(path, root) },
        None => Source { key: path.to_string_lossy().into_owned(), path: path.to_owned(), folder: None, named: true },
    }
}

fn walked(path: &Path, folder: &Path) -> Source {
    let relative = path.strip_prefix(folder).unwrap_or(path);
    let parent = relative.parent().filter(|parent| !parent.as_os_str().is_empty());
    Source { key: slashed(relative), path: path.to_owned(), folder: parent.map(slashed), named: false }
}

/// The same key on every platform.
fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

fn unreadable(folder: &Path, error: &ignore::Error) -> ErrorRecord {
    ErrorRecord::new(folder.to_string_lossy(), STAGE, ErrorKind::Unreadable, format!("cannot walk the folder: {error}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_is_walked_in_order_without_hidden_files() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        fs::create_dir_all(top.join("b/c")).unwrap();
        for file in ["z.pdf", "b/c/x.md", "b/a.txt", ".hidden", "b/.git", ".gitignore"] {
            fs::write(top.join(file), "z.pdf").unwrap();
        }
        let got: Vec<_> = files(top, None).map(|file| file.unwrap()).map(|file| (file.key, file.folder)).collect();
        let folder_of = |name: &str| Some(name.to_owned());
        assert_eq!(
            got,
            [
                ("b/a.txt".to_owned(), folder_of("b")),
                ("b/c/x.md".to_owned(), folder_of("b/c")),
                ("z.pdf".to_owned(), None)
            ]
        );
    }

    #[test]
    fn a_file_keeps_the_path_it_was_named_by_unless_a_root_is_given() {
        let path = Path::new("papers/a/b.pdf");
        let keys = |root| files(path, root).map(|file| file.unwrap()).map(|file| (file.key, file.named)).next();
        assert_eq!(keys(None), Some(("papers/a/b.pdf".into(), true)));
        assert_eq!(keys(Some(Path::new("papers"))), Some(("a/b.pdf".into(), true)));
        assert_eq!(keys(Some(Path::new("other"))), Some(("papers/a/b.pdf".into(), true)));
    }
}
