//! Plain text in any encoding; sentences, splitting and packing.
#![no_main]

libfuzzer_sys::fuzz_target!(init: techrag_fuzz::ours_only(), |data: &[u8]| techrag_fuzz::run("text", data));
