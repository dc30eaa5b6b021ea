//! One request from beginning to end: open the file, send its head, send its pages.
//!
//! Runs in a worker, or in the caller's process for tests.

use crate::error::Error;
use crate::glyphs::{self, Document};
use crate::page::{Outcome, Page};
use crate::worker::frame::{Frame, Request};
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Answers a request with frames; the last one is `End` or `Error`.
///
/// # Errors
/// Those of `send`.
pub(crate) fn run(request: &Request, send: &mut dyn FnMut(Frame) -> io::Result<()>) -> io::Result<()> {
    let opened = load(request).and_then(|bytes| {
        let open = || Document::open(bytes, request.password.as_deref());
        catch_unwind(AssertUnwindSafe(open)).unwrap_or_else(|panic| Err(Error::Damaged(words(&*panic))))
    });
    match opened.and_then(|document| within_limits(document, request)) {
        Ok(document) => pages(&document, request, send),
        Err(error) => send(Frame::Error(error)),
    }
}

fn pages(document: &Document, request: &Request, send: &mut dyn FnMut(Frame) -> io::Result<()>) -> io::Result<()> {
    send(Frame::Head(document.head()))?;
    let reader = glyphs::PageReader::new(document, request.page_timeout);
    for number in request.first..=document.pages() {
        let page = catch_unwind(AssertUnwindSafe(|| reader.page(number)))
            .unwrap_or_else(|panic| failed(number, words(&*panic)));
        send(Frame::Page(page))?;
    }
    send(Frame::End)
}

/// The bytes of the file, if it looks like a PDF and is not too large.
fn load(request: &Request) -> Result<Vec<u8>, Error> {
    let path = Path::new(&request.path);
    let unreadable = |error: io::Error| Error::Unreadable(error.to_string());
    let meta = fs::metadata(path).map_err(unreadable)?;
    if meta.is_dir() {
        return Err(Error::Unreadable("it is a folder".to_owned()));
    }
    if meta.len() > request.max_bytes {
        return Err(Error::TooLarge(format!("{} bytes, {} allowed", meta.len(), request.max_bytes)));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    if looks_like_pdf(&bytes) {
        Ok(bytes)
    } else {
        Err(Error::NotPdf("it has no PDF header and no PDF objects".to_owned()))
    }
}

/// A header anywhere (mailers put junk before it), or at least an object with a page tree.
fn looks_like_pdf(bytes: &[u8]) -> bool {
    let has = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
    has(b"%PDF-") || (has(b" obj") && has(b"/Page"))
}

fn within_limits(document: Document, request: &Request) -> Result<Document, Error> {
    match document.pages() {
        0 => Err(Error::Damaged("no pages found".to_owned())),
        pages if pages > request.max_pages => {
            Err(Error::TooLarge(format!("{pages} pages, {} allowed", request.max_pages)))
        }
        _ => Ok(document),
    }
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
