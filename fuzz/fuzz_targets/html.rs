//! HTML.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    techrag_fuzz::ours_only();
    techrag_chunk::fuzz::bytes("a.html", data);
});
