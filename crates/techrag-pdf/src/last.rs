//! The last reader: lopdf's text without places, for pages and files that the others give up.

use crate::error::Error;
use crate::page::{Block, Line, Outcome, Page, Reader, Run};
use crate::worker::frame::Head;

/// An open file.
pub(crate) struct Document(lopdf::Document);

impl Document {
    /// Opens a file from its bytes.
    pub(crate) fn open(bytes: &[u8], password: Option<&str>) -> Result<Self, Error> {
        let opened = match password {
            Some(password) => {
                lopdf::Document::load_mem_with_options(bytes, lopdf::LoadOptions::with_password(password))
            }
            None => lopdf::Document::load_mem(bytes),
        };
        opened.map(Self).map_err(|error| Error::Damaged(format!("lopdf: {error}")))
    }

    /// Number of pages.
    pub(crate) fn pages(&self) -> u32 {
        u32::try_from(self.0.page_iter().count()).unwrap_or(u32::MAX)
    }

    /// The number of pages; nothing else is trusted.
    pub(crate) fn head(&self) -> Head {
        Head { pages: self.pages(), ..Head::default() }
    }

    /// Page `number`, from 1: its text line by line, all in one block at no place; the reason where it cannot be read.
    pub(crate) fn page(&self, number: u32) -> Result<Page, String> {
        let text = self.0.extract_text(&[number]).map_err(|error| format!("lopdf: {error}"))?;
        let lines: Vec<Line> = text.lines().filter_map(line).collect();
        let outcome = if lines.is_empty() { Outcome::NoText { images: false } } else { Outcome::Text };
        let blocks = if lines.is_empty() { Vec::new() } else { vec![Block { lines, ..Block::default() }] };
        Ok(Page { number, reader: Reader::Lopdf, blocks, outcome, ..Page::default() })
    }
}

fn line(text: &str) -> Option<Line> {
    // What lopdf writes in place of text that it cannot decode.
    let text: String = text.replace("?Identity-H Unimplemented?", "").chars().filter(|c| !c.is_control()).collect();
    let run = Run { text: text.trim().to_owned(), ..Run::default() };
    (!run.text.is_empty()).then(|| Line { runs: vec![run], ..Line::default() })
}
