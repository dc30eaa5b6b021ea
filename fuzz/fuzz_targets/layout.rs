//! Layout from any glyphs and rules: columns, rows, tables, figures, order; and the paper made of the page.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    techrag_fuzz::ours_only();
    let page = techrag_pdf::fuzz::layout(data);
    techrag_chunk::fuzz::from_pdf(&techrag_pdf::Pdf { pages: vec![page], ..Default::default() });
});
