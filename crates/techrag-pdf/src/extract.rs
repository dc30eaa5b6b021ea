//! One request from beginning to end: open the file, send its head, send its pages; the second and the last reader
//! where the first fails or yields too little.
//!
//! Runs in a worker, or in the caller's process for tests.

use crate::error::Error;
use crate::glyphs::{self, PageReader};
use crate::page::{Outcome, Page, Quality};
use crate::raster::Picture;
use crate::worker::frame::{Frame, Head, Request};
use crate::{last, mupdf, still};
use std::cell::OnceCell;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// Share of unknown glyphs from which another reader is tried.
const UNKNOWN: f32 = 0.25;

/// Answers a request with frames; the last one is `End` or `Error`.
///
/// # Errors
/// Those of `send`.
pub(crate) fn run(request: &Request, send: &mut dyn FnMut(Frame) -> io::Result<()>) -> io::Result<()> {
    match contents(request).and_then(pdf).and_then(|bytes| File::open(bytes, request)) {
        Ok(file) => file.send(request, send),
        Err(error) => send(Frame::Error(error)),
    }
}

/// Draws the page a request asks for. `open` keeps the file for the next page.
///
/// # Errors
/// [`Error::Page`] where this page cannot be drawn; another where the file cannot be read.
pub(crate) fn picture(request: &Request, open: &mut Option<File>) -> Result<Picture, Error> {
    let Some(drawing) = request.drawing else { return Err(Error::Page("none was asked for".to_owned())) };
    let file = match open.take().filter(|file| file.path == request.path) {
        Some(file) => file,
        None => {
            let bytes = contents(request)?;
            if still::is_one(&bytes) {
                return guarded(|| still::draw(&bytes, drawing.page, drawing.size, request.max_memory));
            }
            File::open(pdf(bytes)?, request)?
        }
    };
    let Some(first) = &file.first else { return Err(Error::Page("no renderer opens the file".to_owned())) };
    let drawn = guarded(|| first.draw(drawing.page, drawing.size).map_err(Error::Page));
    *open = Some(file);
    match drawn {
        // A panic of the renderer is the page's failure, not the file's.
        Err(Error::Damaged(why)) => Err(Error::Page(why)),
        drawn => drawn,
    }
}

/// A file, open in the first reader that could.
pub(crate) struct File {
    path: OsString,
    bytes: Arc<Vec<u8>>,
    password: Option<String>,
    first: Option<glyphs::Document>,
    /// Opened when a page asks for it.
    second: OnceCell<Option<mupdf::Document>>,
    last: OnceCell<Option<last::Document>>,
}

impl File {
    pub(crate) fn open(bytes: Arc<Vec<u8>>, request: &Request) -> Result<Self, Error> {
        let password = request.password.clone();
        let opened = guarded(|| glyphs::Document::open(bytes.clone(), password.as_deref()));
        let opened = opened.and_then(|first| {
            if first.pages() == 0 { Err(Error::Damaged("no pages found".to_owned())) } else { Ok(first) }
        });
        let (first, error) = match opened {
            Ok(first) => (Some(first), None),
            // The last reader knows no ciphers that the first does not.
            Err(error @ Error::Encrypted(_)) if !mupdf::PRESENT => return Err(error),
            Err(error) => (None, Some(error)),
        };
        let path = request.path.clone();
        let file = Self { path, bytes, password, first, second: OnceCell::new(), last: OnceCell::new() };
        match (file.head().pages, error) {
            (0, Some(error)) => Err(error),
            (pages, _) if pages > request.max_pages => {
                Err(Error::TooLarge(format!("{pages} pages, {} allowed", request.max_pages)))
            }
            _ => Ok(file),
        }
    }

    fn head(&self) -> Head {
        if let Some(first) = &self.first {
            return guarded(|| Ok(first.head())).unwrap_or_else(|_| Head { pages: first.pages(), ..Head::default() });
        }
        let second = self.second().map(mupdf::Document::head).filter(|head| head.pages > 0);
        second.or_else(|| self.last().map(last::Document::head)).unwrap_or_default()
    }

    fn second(&self) -> Option<&mupdf::Document> {
        let open = || guarded(|| mupdf::Document::open(&self.bytes, self.password.as_deref())).ok();
        self.second.get_or_init(open).as_ref()
    }

    fn last(&self) -> Option<&last::Document> {
        let open = || guarded(|| last::Document::open(&self.bytes, self.password.as_deref())).ok();
        self.last.get_or_init(open).as_ref()
    }

    pub(crate) fn send(&self, request: &Request, send: &mut dyn FnMut(Frame) -> io::Result<()>) -> io::Result<()> {
        let head = self.head();
        let pages = head.pages;
        send(Frame::Head(head))?;
        let reader = self.first.as_ref().map(|first| PageReader::new(first, request.page_timeout));
        for number in request.first..=pages {
            send(Frame::Page(self.page(number, reader.as_ref())))?;
        }
        send(Frame::End)
    }

    /// A page by the reader that makes most of it, with its quality.
    fn page(&self, number: u32, reader: Option<&PageReader<'_>>) -> Page {
        let page = self.best(number, reader);
        Page { quality: Quality::of(&page), ..page }
    }

    /// A page by the reader that makes most of it; the first one wins ties.
    fn best(&self, number: u32, reader: Option<&PageReader<'_>>) -> Page {
        let first = reader.map_or_else(
            || failed(number, "the first reader cannot open the file".to_owned()),
            |reader| guarded(|| Ok(reader.page(number))).unwrap_or_else(|error| failed(number, error.to_string())),
        );
        let fonts = || reader.is_some_and(|reader| reader.has_fonts(number));
        if !is_poor(&first, fonts) {
            return first;
        }
        let second = self.second().and_then(|second| guarded(|| second.page(number).map_err(Error::Damaged)).ok());
        let best = better(first, second);
        if !is_poor(&best, fonts) {
            return best;
        }
        let failed = matches!(best.outcome, Outcome::Failed(_));
        let last = self.last().and_then(|last| guarded(|| last.page(number).map_err(Error::Damaged)).ok());
        // It takes codes for characters where a font says nothing: only what reads as language is believed.
        better(best, last.filter(|page| failed || page.reads_well()))
    }
}

/// Whether another reader may make more of a page: it failed, has fonts and no text, or its text is garbled. `fonts`
/// says whether the page has any.
fn is_poor(page: &Page, fonts: impl Fn() -> bool) -> bool {
    match page.outcome {
        Outcome::Failed(_) => true,
        Outcome::NoText { .. } => fonts(),
        Outcome::Text => page.unknown_glyphs > UNKNOWN || Quality::of(page).is_garbled(),
    }
}

/// The page whose letters are worth more; a failed one only where there is no other.
fn better(one: Page, other: Option<Page>) -> Page {
    match other {
        Some(other) if matches!(one.outcome, Outcome::Failed(_)) || other.worth() > one.worth() => other,
        _ => one,
    }
}

/// Runs a reader's code, which may panic on hostile files.
fn guarded<T>(read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| Err(Error::Damaged(words(&*panic))))
}

/// The bytes of the file, if it is not too large.
fn contents(request: &Request) -> Result<Vec<u8>, Error> {
    let path = Path::new(&request.path);
    let unreadable = |error: io::Error| Error::Unreadable(error.to_string());
    let meta = fs::metadata(path).map_err(unreadable)?;
    if meta.is_dir() {
        return Err(Error::Unreadable("it is a folder".to_owned()));
    }
    if meta.len() > request.max_bytes {
        return Err(Error::TooLarge(format!("{} bytes, {} allowed", meta.len(), request.max_bytes)));
    }
    fs::read(path).map_err(unreadable)
}

/// The bytes, if they look like a PDF.
fn pdf(bytes: Vec<u8>) -> Result<Arc<Vec<u8>>, Error> {
    if looks_like_pdf(&bytes) {
        Ok(Arc::new(bytes))
    } else {
        Err(Error::NotPdf("it has no PDF header and no PDF objects".to_owned()))
    }
}

/// A header near the beginning (mailers put junk before it), or at least an object and a page tree anywhere.
fn looks_like_pdf(bytes: &[u8]) -> bool {
    let has = |bytes: &[u8], needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
    has(&bytes[..bytes.len().min(4096)], b"%PDF-") || (has(bytes, b" obj") && has(bytes, b"/Page"))
}

/// A page that could not be read.
pub(crate) fn failed(number: u32, why: String) -> Page {
    Page { number, outcome: Outcome::Failed(why), ..Page::default() }
}

/// The message of a panic.
fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    format!("the reader panicked: {}", text.unwrap_or("no message"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Block, Line, Run};

    fn page(text: &str) -> Page {
        let run = Run { text: text.to_owned(), ..Run::default() };
        let line = Line { runs: vec![run], ..Line::default() };
        Page { blocks: vec![Block { lines: vec![line], ..Block::default() }], ..Page::default() }
    }

    #[test]
    fn more_letters_win_and_failures_lose() {
        assert_eq!(better(page("abc"), Some(page("abcd"))), page("abcd"));
        assert_eq!(better(page("abc"), Some(page("abc "))), page("abc"));
        assert_eq!(better(failed(1, String::new()), Some(page(""))), page(""));
        assert_eq!(better(page(""), None), page(""));
    }

    #[test]
    fn what_looks_like_a_pdf() {
        assert!(looks_like_pdf(b"junk\n%PDF-1.4"));
        assert!(looks_like_pdf(b"1 0 obj << /Type /Page >>"));
        assert!(!looks_like_pdf(b"<html> a page about objects </html>"));
        assert!(!looks_like_pdf(b""));
    }
}
