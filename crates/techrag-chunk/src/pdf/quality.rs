//! What a reader of the record should know about the pages: which are poorly read, why, and which reader gave them.

use serde_json::{Value, json};
use techrag_core::record::Extra;
use techrag_pdf::{Page, Pdf, Reader};

use super::item;

/// Writes into provenance:
/// - `pages_low_quality`: for each page whose text should not be trusted its measures (shares from 0 to 1);
/// - `pages_garbled`: those of them whose text is left out, since it says nothing;
/// - `readers`: pages by the reader that gave them, where it was not the first.
pub(crate) fn name(pdf: &Pdf, provenance: &mut Extra) {
    let pages = |of: fn(&Page) -> bool| pdf.pages.iter().filter(move |page| of(page));
    let poor: Vec<Value> = pages(Page::is_poor).map(measures).collect();
    let garbled: Vec<u32> = pages(item::is_garbled).map(|page| page.number).collect();
    let mut readers = Extra::new();
    for (reader, name) in [(Reader::Mupdf, "mupdf"), (Reader::Lopdf, "lopdf")] {
        let given: Vec<u32> = pdf.pages.iter().filter(|page| page.reader == reader).map(|page| page.number).collect();
        if !given.is_empty() {
            readers.insert(name.into(), json!(given));
        }
    }
    if !poor.is_empty() {
        provenance.insert("pages_low_quality".into(), json!(poor));
    }
    if !garbled.is_empty() {
        provenance.insert("pages_garbled".into(), json!(garbled));
    }
    if !readers.is_empty() {
        provenance.insert("readers".into(), Value::Object(readers));
    }
}

fn measures(page: &Page) -> Value {
    let share = |share: f32| (f64::from(share) * 100.0).round() / 100.0;
    let quality = page.quality;
    json!({
        "page": page.number,
        "letters": share(quality.letters),
        "words": share(quality.words),
        "order": share(quality.order),
        "unknown": share(page.unknown_glyphs),
    })
}
