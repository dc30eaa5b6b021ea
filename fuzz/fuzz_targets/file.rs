//! Whole files: header, outline, metadata, pages, and the paper made of them.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    techrag_fuzz::ours_only();
    if let Some(pdf) = techrag_pdf::fuzz::file(data.to_vec()) {
        techrag_chunk::fuzz::from_pdf(&pdf);
    }
});
