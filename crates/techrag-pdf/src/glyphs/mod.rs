//! The first reader: hayro's parser and fonts under an interpreter of our own that keeps what text needs.
//!
//! hayro's own interpreter hands glyphs to a `Device`, but without the font's name for Type 1 fonts, so that bold and
//! italic would be lost on nearly every LaTeX paper; it also decodes colours and images that text does not need.

mod content;
mod face;
mod glyph;
mod graphics;
mod info;
mod layers;
mod marks;
mod matrix;
mod outline;
mod text;

#[cfg(feature = "mupdf")]
pub(crate) use face::named as named_style;
#[cfg(any(test, feature = "fuzz"))]
pub(crate) use glyph::Family;
pub(crate) use glyph::{Glyph, Raw, Rule, Style, Text};
pub(crate) use text::clean;

use crate::error::Error;
use crate::layout;
use crate::page::{Page, Reader};
use crate::raster::{self, Picture, Size};
use crate::worker::frame::Head;
use face::Faces;
use hayro::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use std::time::{Duration, Instant};

/// An open file.
pub(crate) struct Document(Pdf);

impl Document {
    /// Opens a file from its bytes; the empty password is tried first.
    pub(crate) fn open(data: std::sync::Arc<Vec<u8>>, password: Option<&str>) -> Result<Self, Error> {
        let first = Pdf::new(data.clone());
        let opened = match (first, password) {
            (Err(LoadPdfError::Decryption(_)), Some(password)) => Pdf::new_with_password(data, password),
            (first, _) => first,
        };
        opened.map(Self).map_err(|error| match error {
            LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
                Error::Encrypted(if password.is_some() { "wrong password" } else { "a password is needed" }.to_owned())
            }
            LoadPdfError::Decryption(_) => Error::Encrypted("its encryption is not supported".to_owned()),
            LoadPdfError::Invalid => Error::Damaged("no reader finds its objects".to_owned()),
        })
    }

    /// Number of pages.
    pub(crate) fn pages(&self) -> u32 {
        u32::try_from(self.0.pages().len()).unwrap_or(u32::MAX)
    }

    /// Page `number`, from 1, drawn; in words why not.
    pub(crate) fn draw(&self, number: u32, size: Size) -> Result<Picture, String> {
        let index = usize::try_from(number).unwrap_or(usize::MAX).wrapping_sub(1);
        let page = self.0.pages().get(index).ok_or("the page tree does not hold it")?;
        raster::draw(page, size)
    }

    /// Info, outline and number of pages.
    pub(crate) fn head(&self) -> Head {
        Head { pages: self.pages(), info: info::info(&self.0), outline: outline::outline(&self.0) }
    }
}

/// Reads the pages of a document; fonts are loaded once for all of them.
pub(crate) struct PageReader<'a> {
    pdf: &'a Pdf,
    faces: Faces<'a>,
    hidden: layers::Hidden,
    time: Duration,
}

impl<'a> PageReader<'a> {
    /// A reader that gives a page `time`.
    pub(crate) fn new(document: &'a Document, time: Duration) -> Self {
        let pdf = &document.0;
        Self { pdf, faces: Faces::new(), hidden: layers::Hidden::of(pdf), time }
    }

    /// Whether the resources of page `number`, from 1, name a font.
    pub(crate) fn has_fonts(&self, number: u32) -> bool {
        let index = usize::try_from(number).unwrap_or(usize::MAX).wrapping_sub(1);
        self.pdf.pages().get(index).is_some_and(|page| !page.resources().fonts.is_empty())
    }

    /// Page `number`, from 1, laid out.
    pub(crate) fn page(&self, number: u32) -> Page {
        let index = usize::try_from(number).unwrap_or(usize::MAX).wrapping_sub(1);
        let Some(page) = self.pdf.pages().get(index) else {
            return crate::extract::failed(number, "the page tree does not hold it".to_owned());
        };
        let deadline = Instant::now().checked_add(self.time);
        match content::raw(page, &self.faces, &self.hidden, deadline) {
            Ok(raw) => Page { number, reader: Reader::Hayro, ..layout::page(raw) },
            Err(content::Late) => crate::extract::failed(number, format!("more than {} s", self.time.as_secs_f32())),
        }
    }
}
