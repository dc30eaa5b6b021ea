//! The second reader in a build with it: MuPDF's characters through the layout of the first reader.

use crate::error::Error;
use crate::glyphs::{Glyph, Raw, Style, Text, clean, named_style};
use crate::layout;
use crate::page::{Info, Page, Reader};
use crate::worker::frame::Head;
use mupdf::text_page::TextBlockType;
use mupdf::{MetadataName, TextBlock, TextChar, TextPageFlags};

/// An open file.
pub(crate) struct Document(mupdf::Document);

impl Document {
    /// Opens a file from its bytes.
    pub(crate) fn open(bytes: &[u8], password: Option<&str>) -> Result<Self, Error> {
        let damaged = |error: mupdf::Error| Error::Damaged(format!("MuPDF: {error}"));
        let mut document = mupdf::Document::from_bytes(bytes, "application/pdf").map_err(damaged)?;
        if document.needs_password().map_err(damaged)? {
            let Some(password) = password else { return Err(Error::Encrypted("a password is needed".to_owned())) };
            if !document.authenticate(password).map_err(damaged)? {
                return Err(Error::Encrypted("wrong password".to_owned()));
            }
        }
        Ok(Self(document))
    }

    /// Number of pages; none where the page tree is lost.
    fn pages(&self) -> u32 {
        self.0.page_count().ok().and_then(|count| u32::try_from(count).ok()).unwrap_or(0)
    }

    /// Info and number of pages; the outline is left to the first reader.
    pub(crate) fn head(&self) -> Head {
        let value =
            |name| self.0.metadata(name).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let info = Info {
            title: value(MetadataName::Title),
            author: value(MetadataName::Author),
            subject: value(MetadataName::Subject),
            keywords: value(MetadataName::Keywords),
            creator: value(MetadataName::Creator),
            ..Info::default()
        };
        Head { pages: self.pages(), info, outline: Vec::new() }
    }

    /// Page `number`, from 1, laid out; the reason where it cannot be read.
    pub(crate) fn page(&self, number: u32) -> Result<Page, String> {
        let raw = self.raw(number).map_err(|error| format!("MuPDF: {error}"))?;
        Ok(Page { number, reader: Reader::Mupdf, ..layout::page(raw) })
    }

    fn raw(&self, number: u32) -> Result<Raw, mupdf::Error> {
        let page = self.0.load_page(i32::try_from(number).unwrap_or(i32::MAX) - 1)?;
        let bounds = page.bounds()?;
        let text = page.to_text_page(TextPageFlags::PRESERVE_IMAGES | TextPageFlags::PRESERVE_WHITESPACE)?;
        let mut raw = Raw { width: bounds.x1 - bounds.x0, height: bounds.y1 - bounds.y0, ..Raw::default() };
        let origin = (bounds.x0, bounds.y0);
        for block in text.blocks() {
            if block.r#type() == TextBlockType::Image {
                let place = block.bounds();
                raw.images.push([place.x0 - origin.0, place.y0 - origin.1, place.x1 - origin.0, place.y1 - origin.1]);
            }
            push_block(&block, origin, &mut raw.glyphs);
        }
        Ok(raw)
    }
}

fn push_block(block: &TextBlock<'_>, origin: (f32, f32), glyphs: &mut Vec<Glyph>) {
    for line in block.lines() {
        glyphs.extend(line.chars().filter_map(|char| glyph(&char, origin)));
    }
}

/// The base line runs from the character's origin along the lower edge of its quad.
fn glyph(char: &TextChar<'_>, origin: (f32, f32)) -> Option<Glyph> {
    let c = char.char()?;
    let (start, quad) = (char.origin(), char.quad());
    let (x, y) = (start.x - origin.0, start.y - origin.1);
    let end = (x + quad.lr.x - quad.ll.x, y + quad.lr.y - quad.ll.y);
    let style =
        char.font().map(|font| Style { bold: font.is_bold(), italic: font.is_italic(), ..named_style(font.name()) });
    let text = if c == '\u{fffd}' { Text::Unknown } else { clean(&c.to_string()) };
    let style = style.unwrap_or_default();
    Some(Glyph {
        text,
        x,
        y,
        end,
        size: char.size(),
        em: char.size(),
        spacing: 0.0,
        style,
        invisible: false,
        artifact: false,
    })
}
