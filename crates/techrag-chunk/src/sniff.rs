//! What kind of file it is, told by its bytes. The name is asked only where bytes cannot tell: Markdown has no magic.

use crate::code;
use crate::decode::{self, Decoded};
use crate::delimited::Dialect;

/// Bytes at the front in which a PDF header may hide behind junk. The implementation notes of ISO 32000 say 1,024;
/// mail gateways and broken downloads put more in front.
const PDF_HEADER_WITHIN: usize = 1 << 16;

/// Bytes of a text file. A text is held several times over while it is read, and what is longer is data or a log.
const MAX_TEXT: usize = 64 << 20;

/// Bytes of a page: its tree takes up to fifty times as many.
const MAX_PAGE: usize = 12 << 20;

/// What a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A PDF.
    Pdf,
    /// Markdown.
    Markdown(Decoded),
    /// Prose in plain text.
    Plain(Decoded),
    /// A zip archive: an office file, or anything else.
    Archive,
    /// An office file that only its password opens.
    Locked,
    /// A page of HTML.
    Html(Decoded),
    /// A table in plain text.
    Delimited(Decoded, Dialect),
    /// Source code, and the ending of names that says in which language.
    Code(Decoded, String),
    /// Text whose name says that it is of a kind with a structure of its own (settings, data), and which: no reader
    /// knows it, but it can be read as plain text where somebody asks for that very file.
    Structured(Decoded, String),
    /// Text with more bytes than so many, which are read of its kind.
    Long(usize),
    /// No byte at all, or white space only.
    Empty,
    /// A kind that no reader knows: its media type.
    Unsupported(&'static str),
}

/// The kind of a file from its bytes and, between kinds of text, the ending of its name.
pub(crate) fn kind(bytes: &[u8], name: &str) -> Kind {
    if is_pdf(bytes) {
        return Kind::Pdf;
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return Kind::Archive;
    }
    if let Some(media_type) = binary(bytes) {
        return if is_locked(bytes, media_type) { Kind::Locked } else { Kind::Unsupported(media_type) };
    }
    if bytes.len() > MAX_TEXT {
        return Kind::Long(MAX_TEXT);
    }
    let Some(decoded) = decode::decode(bytes) else { return Kind::Unsupported("application/octet-stream") };
    if decoded.text.trim().is_empty() {
        return Kind::Empty;
    }
    match markup(&decoded.text) {
        Some("text/html") if bytes.len() > MAX_PAGE => Kind::Long(MAX_PAGE),
        Some("text/html") => Kind::Html(decode::as_page_says(bytes, decoded)),
        Some(media_type) => Kind::Unsupported(media_type),
        None => match of_text(lines_for(name, bytes, decoded), name) {
            Kind::Html(_) if bytes.len() > MAX_PAGE => Kind::Long(MAX_PAGE),
            Kind::Html(decoded) => Kind::Html(decode::as_page_says(bytes, decoded)),
            Kind::Code(decoded, of) => Kind::Code(decode::decode_lines(bytes).unwrap_or(decoded), of),
            Kind::Delimited(decoded, dialect) => {
                Kind::Delimited(decode::decode_lines(bytes).unwrap_or(decoded), dialect)
            }
            kind => kind,
        },
    }
}

/// Code and tables are cited by their lines, and the rows of a table are told by them.
fn lines_for(name: &str, bytes: &[u8], decoded: Decoded) -> Decoded {
    let ending = name.rsplit('/').next().and_then(|file| file.rsplit_once('.')).map(|(_, ending)| ending);
    let ending = ending.unwrap_or_default().to_ascii_lowercase();
    if matches!(ending.as_str(), "csv" | "tsv" | "tab") || code::is_code(&ending) {
        return decode::decode_lines(bytes).unwrap_or(decoded);
    }
    decoded
}

/// Which kind of text: bytes cannot tell a table or a program from prose, so the name's ending is asked.
fn of_text(decoded: Decoded, name: &str) -> Kind {
    let file = name.rsplit('/').next().unwrap_or(name);
    let ending = file.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    if let (None, Some(language)) = (&ending, interpreter(&decoded.text)) {
        return Kind::Code(decoded, language.to_owned());
    }
    let silent = match ending.as_deref() {
        None | Some("txt" | "text" | "asc" | "dat") => true,
        // No reader goes by such a name, so the text is asked before it is given up.
        Some(ending) => !is_known(ending),
    };
    if let (true, Some(language)) = (silent, code::language(&decoded.text)) {
        return Kind::Code(decoded, language.to_owned());
    }
    match ending.as_deref() {
        Some("html" | "htm" | "xhtml") if decoded.text.contains("</") => Kind::Html(decoded),
        Some("md" | "markdown" | "mkd") => Kind::Markdown(decoded),
        None | Some("txt" | "text" | "asc" | "me") if looks_like_markdown(&decoded.text) => Kind::Markdown(decoded),
        Some("csv" | "tsv" | "tab") => match Dialect::of(&decoded.text) {
            Some(dialect) => Kind::Delimited(decoded, dialect),
            None => Kind::Plain(decoded),
        },
        None | Some("txt" | "text" | "dat" | "asc") if let Some(dialect) = Dialect::of_unnamed(&decoded.text) => {
            Kind::Delimited(decoded, dialect)
        }
        Some(ending) if code::is_code(ending) => {
            let ending = ending.to_owned();
            Kind::Code(decoded, ending)
        }
        None | Some("" | "txt" | "text" | "asc" | "me" | "log" | "rst" | "adoc" | "org" | "tex") => {
            Kind::Plain(decoded)
        }
        Some("json" | "jsonl" | "ndjson") => Kind::Structured(decoded, "application/json".into()),
        // A full stop in a name is not always an ending.
        Some(ending) if ending.len() > 8 || !ending.chars().all(|c| c.is_ascii_alphanumeric()) => Kind::Plain(decoded),
        Some(ending) => Kind::Structured(decoded, format!("text/x-{ending}")),
    }
}

/// Endings that a reader goes by, or that say what a text is which none reads.
fn is_known(ending: &str) -> bool {
    const KNOWN: &[&str] = &[
        "adoc", "csv", "htm", "html", "json", "jsonl", "log", "markdown", "md", "me", "mkd", "ndjson", "org", "rst",
        "tab", "tex", "toml", "tsv", "xhtml", "yaml", "yml",
    ];
    KNOWN.contains(&ending) || code::is_code(ending)
}

/// Whether files of this kind are isolated where they are read: PDFs, pictures and sound. Other bytes without a reader
/// are told by their first ones, and nothing can go wrong with them.
pub(crate) fn has_own_worker(bytes: &[u8]) -> bool {
    is_pdf(bytes) || (!bytes.starts_with(b"PK\x03\x04") && binary(bytes).is_some())
}

fn is_pdf(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(PDF_HEADER_WITHIN)];
    let blank = head.iter().take_while(|byte| byte.is_ascii_whitespace() || matches!(byte, 0xef | 0xbb | 0xbf)).count();
    match find(head, b"%PDF-") {
        Some(at) if at <= blank => true,
        // A text about PDFs may quote the header; a file ends like one only if it is one.
        Some(_) => find(bytes, b"startxref").is_some() || find(bytes, b"/Type").is_some() && decode_fails(bytes),
        None => false,
    }
}

fn decode_fails(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err()
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

fn binary(bytes: &[u8]) -> Option<&'static str> {
    const MAGIC: &[(&[u8], &str)] = &[
        (b"\x89PNG\r\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"II*\0", "image/tiff"),
        (b"MM\0*", "image/tiff"),
        (b"\xd0\xcf\x11\xe0", "application/x-ole-storage"),
        (b"\x1f\x8b", "application/gzip"),
        (b"7z\xbc\xaf", "application/x-7z-compressed"),
        // Frames of MPEG layer III, without a tag before them.
        (b"\xff\xfb", "audio/mpeg"),
        (b"\xff\xfa", "audio/mpeg"),
        (b"\xff\xf3", "audio/mpeg"),
        (b"\xff\xf2", "audio/mpeg"),
        (b"\xff\xe3", "audio/mpeg"),
        (b"fLaC", "audio/flac"),
        (b"OggS\0", "audio/ogg"),
        (b"{\\rtf", "application/rtf"),
        (b"%!PS", "application/postscript"),
        (b"SQLite format 3\0", "application/vnd.sqlite3"),
    ];
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WAVE") {
        return Some("audio/wav");
    }
    // The version behind it (ID3v2, section 3.1); without one it is a word that a text may begin with.
    if bytes.starts_with(b"ID3") && bytes.get(3).is_some_and(|version| *version < 0x10) {
        return Some("audio/mpeg");
    }
    if bytes.get(4..8) == Some(b"ftyp") {
        return Some(if matches!(bytes.get(8..12), Some(b"M4A " | b"M4B ")) { "audio/mp4" } else { "video/mp4" });
    }
    MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, media_type)| *media_type)
}

/// A protected office file is an OLE container with the whole file encrypted inside.
fn is_locked(bytes: &[u8], media_type: &str) -> bool {
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    media_type == "application/x-ole-storage" && find(bytes, &name).is_some()
}

/// The language that the first line of a script names.
fn interpreter(text: &str) -> Option<&'static str> {
    let first = text.lines().next().filter(|line| line.starts_with("#!"))?;
    let languages = [("python", "py"), ("node", "js"), ("sh", "sh"), ("perl", "pl"), ("ruby", "rb")];
    languages.iter().find(|(name, _)| first.contains(name)).map(|(_, ending)| *ending)
}

fn markup(text: &str) -> Option<&'static str> {
    let head: String = text.trim_start().chars().take(1000).collect::<String>().to_ascii_lowercase();
    let xhtml = head.starts_with("<?xml") && (head.contains("<html") || head.contains("<!doctype html"));
    let commented = head.starts_with("<!--") && head.contains("<html");
    if head.starts_with("<!doctype html") || head.starts_with("<html") || xhtml || commented {
        Some("text/html")
    } else if head.starts_with("<?xml") {
        Some("application/xml")
    } else {
        None
    }
}

/// A heading or a fence, or two kinds of softer marks: text that only happens to hold one star stays plain.
fn looks_like_markdown(text: &str) -> bool {
    let lines = || text.lines().map(str::trim_end);
    let heading = lines().any(|line| {
        let words = line.trim_start_matches('#');
        (1..=6).contains(&(line.len() - words.len())) && words.starts_with(' ')
    });
    let fence = lines().any(|line| line.starts_with("```"));
    let soft = [
        text.contains("]("),
        text.contains("**"),
        lines().any(|line| line.starts_with("- ") || line.starts_with("* ")),
        lines().any(|line| line.starts_with('|') && line.ends_with('|')),
    ];
    heading || fence || soft.into_iter().filter(|&seen| seen).count() >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides_and_not_the_name() {
        assert_eq!(kind(b"%PDF-1.7\n...", "a.txt"), Kind::Pdf);
        assert_eq!(kind(b"junk\n%PDF-1.4\n1 0 obj startxref 12 %%EOF", "a.pdf"), Kind::Pdf);
        assert!(matches!(kind(b"<!DOCTYPE html><p>", "a.pdf"), Kind::Html(_)));
        assert_eq!(kind(b"\x89PNG\r\n\x1a\n", "a.pdf"), Kind::Unsupported("image/png"));
        assert_eq!(kind(b"PK\x03\x04....ppt/slides/slide1.xml", "a.pdf"), Kind::Archive);
        let container = [b"\xd0\xcf\x11\xe0".as_slice(), b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0"].concat();
        assert_eq!(kind(&container, "a.docx"), Kind::Locked);
        assert_eq!(kind(&container[..4], "a.doc"), Kind::Unsupported("application/x-ole-storage"));
        assert_eq!(kind(b" \n", "a.pdf"), Kind::Empty);
        assert_eq!(kind(b"", "a.md"), Kind::Empty);
    }

    #[test]
    fn a_text_about_pdfs_is_a_text() {
        assert!(matches!(kind(b"The header is %PDF-1.7 there.", "notes.txt"), Kind::Plain(_)));
    }

    #[test]
    fn a_text_may_begin_like_the_name_of_a_format() {
        for text in ["ID3 of the survey", "GIF8 bits are few.", "OggS is a container.", "SQLite format 3 is a file."] {
            assert!(matches!(kind(text.as_bytes(), "a.txt"), Kind::Plain(_)), "{text}");
        }
        for (bytes, media_type) in [
            (b"ID3\x04\0\0".as_slice(), "audio/mpeg"),
            (b"GIF89a\x01\0".as_slice(), "image/gif"),
            (b"OggS\0\x02".as_slice(), "audio/ogg"),
            (b"SQLite format 3\0\x10".as_slice(), "application/vnd.sqlite3"),
        ] {
            assert_eq!(kind(bytes, "a.txt"), Kind::Unsupported(media_type));
        }
    }

    #[test]
    fn what_is_cited_by_lines_has_those_of_the_file() {
        let Kind::Code(decoded, _) = kind(b"x = 1\n\x0c\ny = 2\n", "a.py") else { panic!() };
        assert_eq!(decoded.text, "x = 1\n \ny = 2\n");
        let Kind::Delimited(decoded, _) = kind("a;b\n1\u{2028};2\n".as_bytes(), "a.csv") else { panic!() };
        assert_eq!(decoded.text.lines().count(), 2);
    }

    #[test]
    fn the_name_is_asked_only_between_kinds_of_text() {
        assert!(matches!(kind(b"# Tyres\n\nText.", "a"), Kind::Markdown(_)));
        assert!(matches!(kind(b"# Tyres\n\nText.", "a.txt"), Kind::Markdown(_)));
        assert!(matches!(kind(b"# a comment\nx = 1", "d.md/a.py"), Kind::Code(_, of) if of == "py"));
        assert!(matches!(kind(b"#!/usr/bin/env python3\nx = 1", "run"), Kind::Code(_, of) if of == "py"));
        let script = b"# What it is for.\ndef slip(angle):\n    return 2 * angle\n";
        for name in ["slip", "slip.txt", "slip.py_old"] {
            assert!(matches!(kind(script, name), Kind::Code(_, of) if of == "py"), "{name}");
        }
        assert!(matches!(kind(b"a = 1", "a.toml"), Kind::Structured(_, of) if of == "text/x-toml"));
        assert!(matches!(kind(b"a;b\n1;2\n", "a.csv"), Kind::Delimited(..)));
        assert!(matches!(kind(b"No table at all.", "a.csv"), Kind::Plain(_)));
        assert!(matches!(kind(b"t\tv\n1\t2\n2\t3\n3\t4\n", "a.txt"), Kind::Delimited(..)));
        assert!(matches!(kind(b"Read me first.", "v1.2/README"), Kind::Plain(_)));
        assert!(matches!(kind(b"Text without marks.", "a.md"), Kind::Markdown(_)));
        assert!(matches!(kind(b"2 * 3 ** 4", "a.txt"), Kind::Plain(_)));
    }
}
