//! One file to its records.

use std::fs::{self, File};
use std::io::Read as _;

use serde::{Deserialize, Serialize};
use serde_json::json;
use techrag_core::id;
use techrag_core::record::{Chunk, Document, ErrorKind, ErrorRecord, Extra, Record};

use crate::assemble::{Identity, assemble};
use crate::input::Source;
use crate::office::{self, Office};
use crate::sniff::{self, Kind};
use crate::{Config, STAGE, apart, code, delimited, html, markdown, pdf, plain, scan, speech};

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// It was read.
    Read(Box<Parsed>),
    /// It could not be read, or is of no known kind and was named by the user.
    Failed(ErrorRecord),
    /// It was met in a walk, or named by another tool, and is of a kind that no reader knows: to be named once, no failure.
    Unsupported {
        /// Its key.
        key: String,
        /// Its media type, as far as its bytes tell.
        media_type: String,
        /// What would have it read, where something would.
        hint: Option<String>,
    },
}

/// The records of a source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parsed {
    /// The document.
    pub document: Document,
    /// Its chunks, in reading order; as many as `document.chunks` says.
    pub chunks: Vec<Chunk>,
    /// One failure for each page that could not be read.
    pub errors: Vec<ErrorRecord>,
}

impl Parsed {
    /// What the user should know at once, in one sentence: pages that nobody could read, or not for certain.
    pub fn warning(&self) -> Option<String> {
        let pages =
            |key: &str| self.document.provenance.get(key).and_then(|value| value.as_array()).map_or(0, Vec::len);
        let ocr = self.document.provenance.get("ocr");
        let unread = ocr.and_then(|ocr| ocr["unread"].as_str());
        let key = &self.document.key;
        match (unread, pages("pages_read_with_low_confidence")) {
            (Some(why), _) => {
                let count = ocr.and_then(|ocr| ocr["pages"].as_array()).map_or(0, Vec::len);
                Some(format!("{key}: {count} pages without a usable text layer were not read: {why}"))
            }
            (None, 0) => {
                let count = Some(pages("pages_drawn_in_part")).filter(|count| *count > 0)?;
                Some(format!("{key}: {count} pages could be drawn only in part, and what is missing was not read"))
            }
            (None, count) => Some(format!("{key}: {count} pages were read off their picture with low confidence")),
        }
    }

    /// The document, its chunks, then the failures.
    pub fn into_records(self) -> Vec<Record> {
        let chunks = self.chunks.into_iter().map(Record::from);
        let errors = self.errors.into_iter().map(Record::from);
        std::iter::once(Record::from(self.document)).chain(chunks).chain(errors).collect()
    }
}

/// Reads a file and cuts it into chunks: in a worker process where the configuration names a command that starts one.
pub fn read(source: &Source, config: &Config) -> Outcome {
    let bytes = match load(source, config) {
        Ok(bytes) => bytes,
        Err(error) => return Outcome::Failed(error),
    };
    match &config.pdf.worker {
        Some(command) if !sniff::has_own_worker(&bytes) => apart::read(&bytes, source, command, config),
        _ => of_bytes(&bytes, source, config),
    }
}

/// What becomes of a file's bytes; a PDF is read from its path.
pub(crate) fn of_bytes(bytes: &[u8], source: &Source, config: &Config) -> Outcome {
    let draft = match sniff::kind(bytes, &source.key) {
        Kind::Pdf => match pdf::read(&source.path, &source.key, config) {
            Ok(draft) => draft,
            Err(error) => return Outcome::Failed(error),
        },
        Kind::Markdown(decoded) => markdown::read(&decoded),
        Kind::Plain(decoded) => plain::read(&decoded),
        Kind::Html(decoded) => match html::read(&decoded) {
            Ok(draft) => draft,
            Err(why) => return failed(source, ErrorKind::TooLarge, why, "split the file"),
        },
        Kind::Code(decoded, language) => code::read(&decoded, &language, config),
        Kind::Delimited(decoded, dialect) => match delimited::read(&decoded, dialect) {
            Ok(draft) => draft,
            Err(why) => return failed(source, ErrorKind::TooLarge, why, "split the file"),
        },
        Kind::Archive => match office::read(bytes, &source.key) {
            Office::Read(draft) => *draft,
            Office::Other(media_type) => return unsupported(source, media_type),
            Office::Failed(error) => return Outcome::Failed(error),
        },
        Kind::Locked => {
            let why = "the office file is protected by a password".to_owned();
            return failed(source, ErrorKind::Encrypted, why, "save a copy without a password");
        }
        Kind::Long(most) => {
            let why = format!("the text has {} bytes, more than the {} that are read of one", bytes.len(), most);
            return failed(source, ErrorKind::TooLarge, why, "split the file");
        }
        Kind::Structured(decoded, _) if source.named => plain::read(&decoded),
        Kind::Empty => return empty(source),
        Kind::Structured(_, media_type) => return unsupported(source, &media_type),
        Kind::Unsupported(media_type) if scan::is_picture(media_type) => {
            match scan::read(&source.path, bytes, &source.key, media_type, config) {
                Ok(draft) => draft,
                Err(error) => return unread(source, media_type, error),
            }
        }
        Kind::Unsupported(media_type) if speech::is_sound(media_type) => {
            match speech::read(&source.path, &source.key, media_type, config) {
                Ok(draft) => draft,
                Err(error) => return unread(source, media_type, error),
            }
        }
        Kind::Unsupported(media_type) => return unsupported(source, media_type),
    };
    Outcome::Read(Box::new(assemble(draft, identity(source, bytes), config)))
}

/// Without its reader, a picture or sound met in a walk is of a kind that nobody reads, and it is said what would.
fn unread(source: &Source, media_type: &str, error: ErrorRecord) -> Outcome {
    if error.kind != ErrorKind::Unsupported || source.named {
        return Outcome::Failed(error);
    }
    Outcome::Unsupported { key: source.key.clone(), media_type: media_type.to_owned(), hint: error.hint }
}

fn failed(source: &Source, kind: ErrorKind, why: String, hint: &str) -> Outcome {
    Outcome::Failed(ErrorRecord::new(source.key.as_str(), STAGE, kind, why).hint(hint))
}

fn load(source: &Source, config: &Config) -> Result<Vec<u8>, ErrorRecord> {
    let failed = |kind, message: String| ErrorRecord::new(source.key.as_str(), STAGE, kind, message);
    let unreadable = |error: std::io::Error| failed(ErrorKind::Unreadable, format!("cannot read the file: {error}"));
    let too_large = |size: String| {
        failed(ErrorKind::TooLarge, format!("the file has {size} bytes, more than the {} allowed", config.max_bytes))
            .hint("raise --max-bytes, or split the file")
    };
    let metadata = fs::metadata(&source.path).map_err(unreadable)?;
    // Opening a pipe waits for its writer. Who names one means that, who lists a folder does not.
    if !metadata.is_file() && !source.named {
        return Err(
            failed(ErrorKind::Unreadable, "it is no regular file".into()).hint("name it to techrag-chunk directly")
        );
    }
    let size = metadata.len();
    if size > config.max_bytes {
        return Err(too_large(size.to_string()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    // A file may grow, and a device reports no size at all: never more than one byte past the limit.
    let file = File::open(&source.path).map_err(unreadable)?;
    file.take(config.max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > config.max_bytes {
        return Err(too_large(format!("at least {}", bytes.len())));
    }
    Ok(bytes)
}

fn identity(source: &Source, bytes: &[u8]) -> Identity {
    let mut metadata = Extra::new();
    if let Some(folder) = &source.folder {
        metadata.insert("folder".into(), json!(folder));
    }
    Identity {
        doc_id: id::doc_id(bytes),
        key: source.key.clone(),
        path: Some(source.path.to_string_lossy().into_owned()),
        bytes: bytes.len() as u64,
        metadata,
    }
}

/// An empty file holds nothing to index: an error where somebody named it, a note in a walk.
fn empty(source: &Source) -> Outcome {
    if source.named {
        let error = ErrorRecord::new(source.key.as_str(), STAGE, ErrorKind::Empty, "the file is empty");
        return Outcome::Failed(error);
    }
    Outcome::Unsupported { key: source.key.clone(), media_type: "application/x-empty".to_owned(), hint: None }
}

fn unsupported(source: &Source, media_type: &str) -> Outcome {
    if !source.named {
        return Outcome::Unsupported { key: source.key.clone(), media_type: media_type.to_owned(), hint: None };
    }
    let message = format!("no reader for {media_type}");
    let hint = "PDF, Word, PowerPoint, Excel, HTML, Markdown, plain text, CSV and source code are read, and JSONL corpora with \
                --from jsonl";
    Outcome::Failed(ErrorRecord::new(source.key.as_str(), STAGE, ErrorKind::Unsupported, message).hint(hint))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn source(path: &Path, named: bool) -> Source {
        Source { key: "a/b.txt".into(), path: path.to_owned(), folder: Some("a".into()), named }
    }

    fn outcome(bytes: &[u8], named: bool) -> Outcome {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.txt");
        fs::write(&path, bytes).unwrap();
        read(&source(&path, named), &crate::test_config())
    }

    fn parsed(bytes: &[u8]) -> Parsed {
        match outcome(bytes, true) {
            Outcome::Read(parsed) => *parsed,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_text_file_becomes_a_document_and_its_chunks() {
        let parsed = parsed(b"The tyre slips.\n");
        let document = &parsed.document;
        assert_eq!(
            (document.key.as_str(), document.media_type.as_str(), document.bytes),
            ("a/b.txt", "text/plain", 16)
        );
        assert_eq!(document.metadata["folder"], json!("a"));
        assert_eq!(document.doc_id, id::doc_id(b"The tyre slips.\n"));
        assert_eq!(parsed.chunks[0].text, "The tyre slips.");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_left_alone_unless_named_and_never_read_past_the_limit() {
        let config = Config { max_bytes: 1 << 16, ..crate::test_config() };
        let device = |named| match read(&source(Path::new("/dev/zero"), named), &config) {
            Outcome::Failed(error) => error.kind,
            other => panic!("{other:?}"),
        };
        assert_eq!((device(false), device(true)), (ErrorKind::Unreadable, ErrorKind::TooLarge));
    }

    #[test]
    fn an_empty_file_fails_only_where_it_was_named() {
        assert!(
            matches!(outcome(b" \n", false), Outcome::Unsupported { media_type, .. } if media_type.ends_with("empty"))
        );
        assert!(matches!(outcome(b"", true), Outcome::Failed(error) if error.kind == ErrorKind::Empty));
    }

    #[test]
    fn structured_text_is_read_as_plain_text_only_where_it_was_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plots.toml");
        fs::write(&path, "x = 1").unwrap();
        let source = |named| Source { key: "plots.toml".into(), path: path.clone(), folder: None, named };
        assert!(matches!(read(&source(true), &crate::test_config()), Outcome::Read(_)));
        let walked = read(&source(false), &crate::test_config());
        assert!(matches!(walked, Outcome::Unsupported { media_type, .. } if media_type == "text/x-toml"));
    }

    #[test]
    fn an_unknown_kind_fails_only_where_it_was_named() {
        let png = b"\x89PNG\r\n\x1a\n";
        assert!(matches!(outcome(png, false), Outcome::Unsupported { media_type, .. } if media_type == "image/png"));
        assert!(matches!(outcome(png, true), Outcome::Failed(error) if error.kind == ErrorKind::Unsupported));
    }

    #[test]
    fn what_cannot_be_opened_or_is_too_large_is_an_error_record() {
        let gone = read(&source(Path::new("no such file"), true), &crate::test_config());
        assert!(matches!(gone, Outcome::Failed(error) if error.kind == ErrorKind::Unreadable && error.of == "a/b.txt"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.txt");
        fs::write(&path, "four and more").unwrap();
        let config = Config { max_bytes: 4, ..crate::test_config() };
        assert!(
            matches!(read(&source(&path, true), &config), Outcome::Failed(error) if error.kind == ErrorKind::TooLarge)
        );
    }
}
