//! Headings, title page, identifiers, names, sections, references: from lines of text set in any way.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    techrag_fuzz::ours_only();
    techrag_chunk::fuzz::paper(text);
});
