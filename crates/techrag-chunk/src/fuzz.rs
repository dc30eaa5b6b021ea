//! Doors for fuzzing (feature `fuzz`): readers on bytes, and what must hold of whatever they make.

use std::path::PathBuf;

use techrag_pdf::{Block, BlockKind, Line, Page, Pdf, Run};

use crate::apart::bare;
use crate::assemble::{Identity, assemble};
use crate::input::Source;
use crate::lines::Words;
use crate::{Config, Outcome, Parsed, pdf, read, references};

/// Sizes under which long texts are cut often.
fn config() -> Config {
    Config { target: 300, min: 40, max: 600, overlap: 60, ..bare("fuzz".into(), 1 << 30) }
}

/// The bytes of a file of this name: any kind but PDF.
///
/// # Panics
/// Where what came of it is not sound.
pub fn bytes(name: &str, bytes: &[u8]) {
    if bytes.windows(5).any(|window| window == b"%PDF-") {
        return;
    }
    let source = Source { key: name.to_owned(), path: PathBuf::from(name), folder: None, named: true };
    if let Outcome::Read(parsed) = read::of_bytes(bytes, &source, &config()) {
        check(&parsed);
    }
}

/// The lines of a reference list.
///
/// # Panics
/// Where an entry is lost.
pub fn references(text: &str) {
    let lines: Vec<_> =
        text.lines().map(|line| crate::lines::TextLine { text: line.to_owned(), ..Default::default() }).collect();
    let words = Words::of(text.lines());
    let list = references::from_lines(&lines, &words);
    assert!(list.end <= lines.len());
}

/// A paper of text lines: headings, title page, identifiers, sections. The first byte of a line says how it is set.
///
/// # Panics
/// Where what came of it is not sound.
pub fn paper(text: &str) {
    let mut pages = vec![Page { number: 1, width: 600.0, height: 800.0, ..Page::default() }];
    let mut y = 40.0_f32;
    for line in text.lines() {
        let set = line.bytes().next().unwrap_or_default();
        if set % 64 == 63 || y > 760.0 {
            y = 40.0;
            let number = u32::try_from(pages.len() + 1).unwrap_or(u32::MAX);
            pages.push(Page { number, width: 600.0, height: 800.0, ..Page::default() });
        }
        let kind = match set % 16 {
            0 => BlockKind::Caption,
            1 => BlockKind::Table,
            2 => BlockKind::Formula,
            3 => BlockKind::Footnote,
            4 => BlockKind::Header,
            5 => BlockKind::Listing,
            _ => BlockKind::Body,
        };
        let text: String = line.chars().skip(1).collect();
        let cells =
            if kind == BlockKind::Table { vec![text.split(' ').map(str::to_owned).collect()] } else { Vec::new() };
        let size = if set % 5 == 0 { 16.0 } else { 10.0 };
        let run = Run { text, size, bold: set % 3 == 0, italic: set % 7 == 0, ..Run::default() };
        let bbox = [50.0, y, 500.0, y + size];
        let line = Line { bbox, runs: vec![run] };
        let goes_on = set % 11 == 0;
        if let Some(page) = pages.last_mut() {
            match page.blocks.last_mut().filter(|block| block.kind == kind && set % 2 == 0) {
                Some(block) => block.lines.push(line),
                None => page.blocks.push(Block {
                    kind,
                    bbox,
                    lines: vec![line],
                    cells,
                    continues: goes_on,
                    is_overlay: set % 13 == 0,
                }),
            }
        }
        y += size * 1.3;
    }
    from_pdf(&Pdf { pages, ..Pdf::default() });
}

/// A document as the PDF room read it.
///
/// # Panics
/// Where what came of it is not sound.
pub fn from_pdf(read: &Pdf) {
    let draft = pdf::draft(read, "2101.01234.pdf");
    let identity = Identity {
        doc_id: "0".into(),
        key: "k".into(),
        path: None,
        bytes: 1,
        metadata: techrag_core::record::Extra::new(),
    };
    check(&assemble(draft, identity, &config()));
}

/// What must hold of the records of any source.
fn check(parsed: &Parsed) {
    assert_eq!(parsed.document.chunks as usize, parsed.chunks.len());
    for chunk in &parsed.chunks {
        assert!(!chunk.text.trim().is_empty());
        let mut end = 0;
        for span in &chunk.spans {
            assert!(span.start >= end && span.end >= span.start, "spans overlap: {:?}", chunk.spans);
            assert!(chunk.text.get(span.start..span.end).is_some(), "a span cuts a character: {span:?}");
            end = span.end;
        }
        for table in &chunk.tables {
            assert!(table.cells.windows(2).all(|rows| rows[0].len() == rows[1].len()), "rows of different length");
        }
    }
}
