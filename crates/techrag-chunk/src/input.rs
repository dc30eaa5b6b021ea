//! From arguments to files: directories are walked lazily, in sorted order, and every file gets its key.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use techrag_core::record::{ErrorKind, ErrorRecord};

use crate::{Config, Parsed, STAGE, jsonl};

/// File of patterns, as in a `.gitignore`, of what in its folder is not a document.
const IGNORE: &str = ".techragignore";

/// Longest line of a corpus, in bytes: what never ends a line is no corpus.
const LONGEST_LINE: u64 = 64 << 20;

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

/// The files of a path: the file itself, or every file below a directory that is not hidden or named by an [`IGNORE`]
/// file, sorted by name. A link to a file counts as a file, one to a folder is not followed, and neither pipes nor
/// devices are opened. What the walk cannot enter comes as an error record.
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
        .add_custom_ignore_filename(IGNORE)
        .sort_by_file_name(|a, b| a.cmp(b))
        .build();
    let entries = walk.filter_map(move |entry| match entry {
        // Following a link asks the file system what it leads to; everything else is known from the folder.
        Ok(entry)
            if entry.file_type().is_some_and(|kind| kind.is_file() || kind.is_symlink() && entry.path().is_file()) =>
        {
            Some(Ok(walked(entry.path(), root.as_deref().unwrap_or(&folder))))
        }
        Ok(_) => None,
        Err(error) => Some(Err(unreadable(&folder, &error))),
    });
    Box::new(entries)
}

/// The first of the roots that holds the path: what its keys are relative to.
pub fn root_of<'a>(path: &Path, roots: &'a [PathBuf]) -> Option<&'a Path> {
    roots.iter().map(PathBuf::as_path).find(|root| path.starts_with(root))
}

/// The same as [`files`] of a path that another tool printed: nobody asked for that very file, so an unknown kind is no failure.
pub fn piped(path: &Path, root: Option<&Path>) -> impl Iterator<Item = Result<Source, ErrorRecord>> + use<> {
    files(path, root).map(|file| file.map(|file| Source { named: false, ..file }))
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

/// A line of a corpus and where it stands, as `FILE:LINE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusLine {
    of: String,
    line: String,
}

impl CorpusLine {
    /// The records of the line; `_id` becomes the key, fields beside title and text go to `metadata`.
    ///
    /// # Errors
    /// An error record where the line is no corpus line.
    pub fn read(&self, config: &Config) -> Result<Parsed, ErrorRecord> {
        jsonl::read_line(&self.line, &self.of, config)
    }
}

type CorpusLines = Box<dyn Iterator<Item = Result<CorpusLine, ErrorRecord>> + Send>;

/// The lines of a corpus file, read as they are asked for; blank ones are left out.
pub fn corpus_file(path: &Path) -> CorpusLines {
    let name = path.to_string_lossy();
    match File::open(path) {
        Ok(file) => corpus(Box::new(file), &name),
        Err(error) => Box::new(std::iter::once(Err(broken(&name, &error)))),
    }
}

/// The same of a reader. A line that is not UTF-8 is an error record, and so is the end of a reader that breaks.
pub fn corpus(reader: Box<dyn Read + Send>, name: &str) -> CorpusLines {
    let name = name.to_owned();
    let mut reader = BufReader::with_capacity(1 << 16, reader);
    let mut number = 0_u64;
    let mut ended = false;
    let next = move || {
        let mut bytes = Vec::new();
        if ended {
            return None;
        }
        number += 1;
        let of = format!("{name}:{number}");
        match reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes) {
            Ok(0) => None,
            Ok(_) if bytes.len() as u64 == LONGEST_LINE && !bytes.ends_with(b"\n") => {
                ended = true;
                let message =
                    format!("the line has more than {} MiB; the corpus is read no further", LONGEST_LINE >> 20);
                Some(Err(ErrorRecord::new(of, STAGE, ErrorKind::TooLarge, message)))
            }
            Ok(_) => Some(
                String::from_utf8(bytes)
                    .map(|line| CorpusLine { of: of.clone(), line })
                    .map_err(|_| ErrorRecord::new(of, STAGE, ErrorKind::Malformed, "the line is not UTF-8")),
            ),
            Err(error) => {
                ended = true;
                Some(Err(broken(&of, &error)))
            }
        }
    };
    let blank = |line: &Result<CorpusLine, _>| line.as_ref().is_ok_and(|line| line.line.trim().is_empty());
    Box::new(std::iter::from_fn(next).filter(move |line| !blank(line)))
}

fn broken(of: &str, error: &std::io::Error) -> ErrorRecord {
    ErrorRecord::new(of, STAGE, ErrorKind::Unreadable, format!("cannot read the corpus: {error}"))
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
    fn what_an_ignore_file_names_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        fs::create_dir_all(top.join("src")).unwrap();
        for file in ["a.pdf", "a.py", "src/b.md"] {
            fs::write(top.join(file), "x").unwrap();
        }
        fs::write(top.join(IGNORE), "/src/\n*.py\n").unwrap();
        let keys: Vec<_> = files(top, None).map(|file| file.unwrap().key).collect();
        assert_eq!(keys, ["a.pdf"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_to_files_are_files_and_links_to_folders_are_not_followed() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("x.md"), "x").unwrap();
        for (target, name) in [("x.md", "link.md"), (".", "folder"), ("gone", "dangling.md")] {
            symlink(elsewhere.path().join(target), folder.path().join(name)).unwrap();
        }
        symlink(".", folder.path().join("loop")).unwrap();
        symlink("/dev/zero", folder.path().join("device.md")).unwrap();
        let keys: Vec<_> = files(folder.path(), None).map(|file| file.unwrap().key).collect();
        assert_eq!(keys, ["link.md"]);
    }

    #[test]
    fn a_corpus_that_never_ends_a_line_is_given_up() {
        let got: Vec<_> = corpus(Box::new(std::io::repeat(b'x')), "c").collect();
        assert!(matches!(&got[..], [Err(error)] if error.kind == ErrorKind::TooLarge), "{got:?}");
    }

    #[test]
    fn a_file_keeps_the_path_it_was_named_by_unless_a_root_is_given() {
        let path = Path::new("papers/a/b.pdf");
        let keys = |root| files(path, root).map(|file| file.unwrap()).map(|file| (file.key, file.named)).next();
        assert_eq!(keys(None), Some(("papers/a/b.pdf".into(), true)));
        assert_eq!(keys(Some(Path::new("papers"))), Some(("a/b.pdf".into(), true)));
        assert_eq!(keys(Some(Path::new("other"))), Some(("papers/a/b.pdf".into(), true)));
    }

    #[test]
    fn the_lines_of_a_corpus_are_numbered_and_bad_ones_do_not_end_it() {
        let text: &[u8] = b"{\"_id\":\"1\",\"text\":\"x\"}\n\n\xff\n{}";
        let got: Vec<_> = corpus(Box::new(text), "c")
            .map(|line| line.and_then(|line| line.read(&crate::test_config())))
            .map(|read| read.map(|parsed| parsed.document.key).map_err(|error| error.of))
            .collect();
        assert_eq!(got, [Ok("1".to_owned()), Err("c:3".to_owned()), Err("c:4".to_owned())]);
        let gone: Vec<_> = corpus_file(Path::new("no such file")).collect();
        assert!(matches!(&gone[..], [Err(error)] if error.kind == ErrorKind::Unreadable));
    }
}
