//! Tables in plain text.
#![no_main]

libfuzzer_sys::fuzz_target!(init: techrag_fuzz::ours_only(), |data: &[u8]| techrag_fuzz::run("delimited", data));
