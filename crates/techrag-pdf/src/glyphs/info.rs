//! Info dictionary, XMP and outline, from the objects that the reader has parsed already.

use crate::page::{Info, OutlineItem};
use hayro::hayro_syntax::Pdf;

pub(super) fn info(pdf: &Pdf) -> Info {
    let data = pdf.metadata();
    let text = |bytes: &Option<Box<[u8]>>| {
        bytes
            .as_deref()
            .map(super::marks::text_string)
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
    };
    Info {
        title: text(&data.title),
        author: text(&data.author),
        subject: text(&data.subject),
        keywords: text(&data.keywords),
        year: data.creation_date.map(|date| i32::from(date.year)),
        doi: None,
        creator: text(&data.creator),
    }
}

pub(super) fn outline(_pdf: &Pdf) -> Vec<OutlineItem> {
    Vec::new()
}
