//! Source code; the first byte chooses the language.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    techrag_fuzz::ours_only();
    let Some((first, code)) = data.split_first() else { return };
    let name = ["a.py", "a.rs", "a.c", "a.js", "a.m"][usize::from(*first) % 5];
    techrag_chunk::fuzz::bytes(name, code);
});
