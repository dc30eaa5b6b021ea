//! Office files: XML of a document, a sheet or a slide inside a sound archive; the first byte chooses which.
#![no_main]

libfuzzer_sys::fuzz_target!(init: techrag_fuzz::ours_only(), |data: &[u8]| techrag_fuzz::run("office", data));
