//! Office files: XML of a document, a sheet or a slide inside a sound archive; the first byte chooses which.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    techrag_fuzz::ours_only();
    let Some((first, part)) = data.split_first() else { return };
    let (name, archive, path): (&str, &[u8], &str) = match first % 5 {
        0 => ("a.docx", include_bytes!("../../fixtures/office/report.docx"), "word/document.xml"),
        1 => ("a.xlsx", include_bytes!("../../fixtures/office/sheet.xlsx"), "xl/worksheets/sheet1.xml"),
        2 => ("a.pptx", include_bytes!("../../fixtures/office/deck.pptx"), "ppt/slides/slide2.xml"),
        3 => ("a.xlsx", include_bytes!("../../fixtures/office/sheet.xlsx"), "xl/workbook.xml"),
        _ => ("a.docx", include_bytes!("../../fixtures/office/report.docx"), "word/numbering.xml"),
    };
    if let Some(file) = techrag_fuzz::with_part(archive, path, part) {
        techrag_chunk::fuzz::bytes(name, &file);
    }
});
