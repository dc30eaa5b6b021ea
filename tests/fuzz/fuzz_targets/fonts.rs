//! Font dictionaries and maps to Unicode; what a code says and how far it goes.
#![no_main]

libfuzzer_sys::fuzz_target!(init: techrag_fuzz::ours_only(), |data: &[u8]| techrag_fuzz::run("fonts", data));
