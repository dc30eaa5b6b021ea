//! Layout from any glyphs and rules: columns, rows, tables, figures, order; and the paper made of the page.
#![no_main]

libfuzzer_sys::fuzz_target!(init: techrag_fuzz::ours_only(), |data: &[u8]| techrag_fuzz::run("layout", data));
