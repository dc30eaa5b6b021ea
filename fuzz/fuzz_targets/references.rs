//! Reference lists: entries apart, entries into fields.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    techrag_fuzz::ours_only();
    techrag_chunk::fuzz::references(text);
});
