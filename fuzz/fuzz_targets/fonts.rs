//! Font dictionaries and maps to Unicode; what a code says and how far it goes.
#![no_main]

use libfuzzer_sys::fuzz_target;

const SHOWS: &[u8] = b"BT /F1 12 Tf 60 700 Td (The tyre \\001\\002\\003) Tj /F2 9 Tf (\\001\\002AB) Tj /F3 9 Tf (AB) Tj /F4 9 Tf \
    <000100020003004100420041> Tj ET";

fuzz_target!(|data: &[u8]| {
    techrag_fuzz::ours_only();
    let cut = data.iter().position(|&byte| byte == 0).unwrap_or(data.len());
    techrag_pdf::fuzz::file(techrag_fuzz::pdf(SHOWS, &data[..cut], data.get(cut + 1..).unwrap_or_default()));
});
