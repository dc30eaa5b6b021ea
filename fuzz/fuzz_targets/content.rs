//! The interpreter of content streams, the fonts' codes and the layout of what it draws.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    techrag_fuzz::ours_only();
    techrag_pdf::fuzz::file(techrag_fuzz::pdf(data, b"/Encoding /WinAnsiEncoding", b""));
});
