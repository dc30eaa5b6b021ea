//! Doors for fuzzing (feature `fuzz`): our own code on bytes, without files and worker processes.

use crate::extract::File;
use crate::glyphs::{Family, Glyph, Raw, Rule, Style, Text};
use crate::layout::{self, document};
use crate::page::{Page, Pdf, Quality};
use crate::worker::frame::{Frame, Request};
use std::sync::Arc;
use std::time::Duration;

/// A whole file, given as its bytes; nothing where it does not open.
pub fn file(bytes: Vec<u8>) -> Option<Pdf> {
    let request = Request {
        path: std::ffi::OsString::new(),
        first: 1,
        page_timeout: Duration::from_secs(5),
        max_bytes: u64::MAX,
        max_pages: 16,
        max_memory: u64::MAX,
        password: None,
        drawing: None,
    };
    let mut pdf = Pdf::default();
    let mut take = |frame| {
        match frame {
            Frame::Head(head) => (pdf.info, pdf.outline) = (head.info, head.outline),
            Frame::Page(page) => pdf.pages.push(page),
            Frame::End | Frame::Picture(_) | Frame::Error(_) => {}
        }
        Ok(())
    };
    File::open(Arc::new(bytes), &request).ok()?.send(&request, &mut take).ok()?;
    document::finish(&mut pdf.pages);
    Some(pdf)
}

/// Bytes that stand for glyphs and rules, nine each.
const RECORD: usize = 9;
/// What glyphs say, by the first byte of their record.
const SAID: &str =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,;:()[]-–—=+∑√ˆ´¨•‘’“”\u{ad}אבΩαβπ本";

/// A page laid out from glyphs and rules that the bytes describe.
pub fn layout(data: &[u8]) -> Page {
    let said: Vec<char> = SAID.chars().collect();
    let mut raw = Raw { width: 600.0, height: 800.0, ..Raw::default() };
    for record in data.chunks_exact(RECORD) {
        let place =
            |at: usize, span: f32| f32::from(u16::from_le_bytes([record[at], record[at + 1]])) / 65_535.0 * span;
        let (x, y) = (place(1, 640.0) - 20.0, place(3, 840.0) - 20.0);
        let (size, width, flags) = (f32::from(record[5]) / 8.0, f32::from(record[6]) / 16.0, record[7]);
        match record[0] {
            255 => raw.rules.push(Rule { bbox: [x, y, x + size * 16.0, y + 0.5] }),
            254 => raw.rules.push(Rule { bbox: [x, y, x + 0.5, y + size * 16.0] }),
            253 => raw.drawings.push([x, y, x + size * 8.0, y + width * 8.0]),
            252 => raw.images.push([x, y, x + size * 8.0, y + width * 8.0]),
            251 => raw.glyphs.push(glyph(Text::Unknown, x, y, size, width, flags)),
            index => {
                let said = said.get(usize::from(index) % said.len()).copied().unwrap_or(' ');
                raw.glyphs.push(glyph(Text::One(said), x, y, size, width, flags));
            }
        }
    }
    let page = Page { number: 1, ..layout::page(raw) };
    Page { quality: Quality::of(&page), ..page }
}

fn glyph(text: Text, x: f32, y: f32, size: f32, width: f32, flags: u8) -> Glyph {
    let has = |bit: u8| flags & bit != 0;
    let end = match flags >> 6 {
        0 | 1 => (x + width, y),
        2 => (x, y - width),
        _ => (x - width, y),
    };
    let family = match (has(4), has(8)) {
        (true, _) => Family::Math,
        (_, true) => Family::Mono,
        _ => Family::Words,
    };
    let style = Style { bold: has(1), italic: has(2), family };
    Glyph { text, x, y, end, size, em: size, spacing: 0.0, style, invisible: has(8), artifact: has(16) }
}
