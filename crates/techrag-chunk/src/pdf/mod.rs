//! PDF: the reader's blocks to sections, paragraphs, references and bibliographic values.
//!
//! `techrag-pdf` knows places and shapes; what they mean is decided here, in four steps that each do one thing: blocks
//! become items of text ([`item`]), items that are headings are told ([`heading`]), what stands before the first one
//! gives title, authors and the rest ([`front`], [`identifiers`]), and what stands under them becomes paragraphs
//! ([`section`]).

mod aside;
mod front;
mod heading;
mod identifiers;
mod item;
mod names;
mod quality;
mod section;
mod wording;

pub(crate) use item::is_garbled;

use std::path::Path;

use serde_json::json;
use techrag_core::record::ErrorRecord;
use techrag_pdf::{Error, Outcome, Page, Pdf, Renderer};

use crate::draft::Draft;
use crate::{Config, STAGE, scan};

/// A PDF file as a draft.
///
/// # Errors
/// An error record where the file as a whole cannot be read. A page that fails is in the draft.
pub(crate) fn read(path: &Path, key: &str, config: &Config) -> Result<Draft, ErrorRecord> {
    let mut mended = scan::Mended::default();
    let budget = scan::Budget::new(config.pdf.file_timeout);
    let mend = |pages: &mut [Page]| {
        mended = scan::mend(&mut Renderer::new(path, &config.pdf), &config.ocr, &budget, pages);
    };
    let pdf = techrag_pdf::read_mending(path, &config.pdf, mend).map_err(|error| failed(key, &error))?;
    let mut draft = draft(&pdf, key);
    scan::say(&mended, config.ocr.config.doubt, &mut draft);
    Ok(draft)
}

fn failed(key: &str, error: &Error) -> ErrorRecord {
    let record = ErrorRecord::new(key, STAGE, error.kind(), error.to_string());
    match error {
        Error::Encrypted(_) => record.hint("put the password in a file and name it with --password-file"),
        Error::Timeout(_) => record.hint("raise --file-timeout or --page-timeout"),
        Error::TooLarge(_) => record.hint("raise --max-pages, --max-memory or --max-bytes"),
        _ => record,
    }
}

/// The draft of what the reader gave; `key` may hold an arXiv identifier.
pub(crate) fn draft(pdf: &Pdf, key: &str) -> Draft {
    let items = item::items(pdf);
    let style = heading::Style::of(&items);
    let opening = front::opening(&items, &style);
    let headings = heading::find(&items, &style, &opening, &pdf.outline);
    let mut draft =
        Draft { media_type: "application/pdf", pages: u32::try_from(pdf.pages.len()).ok(), ..Draft::default() };
    for page in &pdf.pages {
        match &page.outcome {
            Outcome::Text if item::is_garbled(page) => draft.pages_without_text.push(page.number),
            Outcome::Text => {}
            Outcome::NoText { .. } => draft.pages_without_text.push(page.number),
            Outcome::Failed(why) => draft.pages_failed.push((page.number, why.clone())),
        }
    }
    section::build(&items, &headings, &opening, &mut draft);
    front::read(&items, &opening, pdf).fill(&mut draft);
    identifiers::fill(pdf, key, &items, &items[..opening.end], &mut draft);
    quality::name(pdf, &mut draft.provenance);
    aside::name(pdf, &mut draft.provenance);
    scan::attach(pdf, &mut draft);
    if draft.pages_without_text.len() == pdf.pages.len() {
        draft.provenance.insert("note".into(), json!("no page has a text layer"));
    }
    draft
}

#[cfg(test)]
mod fixture_tests;
#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod table_tests;
