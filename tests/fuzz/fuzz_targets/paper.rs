//! Headings, title page, identifiers, names, sections, references: from lines of text set in any way.
#![no_main]

libfuzzer_sys::fuzz_target!(init: techrag_fuzz::ours_only(), |data: &[u8]| techrag_fuzz::run("paper", data));
