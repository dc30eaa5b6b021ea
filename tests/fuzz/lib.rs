//! What each target does with its bytes, for the fuzzer and for the ordinary test of changed bytes; and which
//! panics count, and skeletons around the part that is fuzzed.

use std::io::{Cursor, Read, Write};
use std::panic::PanicHookInfo;
use std::sync::Once;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Lets only panics of our own code end the run: those of libraries are caught where they are called, which is what
/// the product promises of them.
pub fn ours_only() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let abort: Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync> = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if info.location().is_some_and(|at| at.file().contains("techrag-")) {
                abort(info);
            }
        }));
    });
}

/// What a font's map is shown with: codes of every font of [`pdf`].
const SHOWS: &[u8] =
    b"BT /F1 12 Tf 60 700 Td (The tyre \\001\\002\\003) Tj /F2 9 Tf (\\001\\002AB) Tj /F3 9 Tf (AB) Tj /F4 9 Tf \
      <000100020003004100420041> Tj ET";

/// Gives the bytes to a target by its name.
///
/// # Panics
/// Where what comes of them is not sound, or there is no such target.
pub fn run(target: &str, data: &[u8]) {
    match target {
        // The interpreter of content streams, the fonts' codes and the layout of what it draws.
        "content" => drop(techrag_pdf::fuzz::file(pdf(data, b"/Encoding /WinAnsiEncoding", b""))),
        "fonts" => {
            let cut = data.iter().position(|&byte| byte == 0).unwrap_or(data.len());
            drop(techrag_pdf::fuzz::file(pdf(SHOWS, &data[..cut], data.get(cut + 1..).unwrap_or_default())));
        }
        "file" => {
            if let Some(pdf) = techrag_pdf::fuzz::file(data.to_vec()) {
                techrag_chunk::fuzz::from_pdf(&pdf);
            }
        }
        "layout" => {
            let pages = vec![techrag_pdf::fuzz::layout(data)];
            techrag_chunk::fuzz::from_pdf(&techrag_pdf::Pdf { pages, ..Default::default() });
        }
        "paper" => drop(std::str::from_utf8(data).map(techrag_chunk::fuzz::paper)),
        "references" => drop(std::str::from_utf8(data).map(techrag_chunk::fuzz::references)),
        "markdown" => techrag_chunk::fuzz::bytes("a.md", data),
        "text" => techrag_chunk::fuzz::bytes("a.txt", data),
        "html" => techrag_chunk::fuzz::bytes("a.html", data),
        "delimited" => techrag_chunk::fuzz::bytes("a.csv", data),
        "code" => code(data),
        "office" => office(data),
        other => panic!("no target {other}"),
    }
}

/// The first byte chooses the language.
fn code(data: &[u8]) {
    let Some((first, code)) = data.split_first() else { return };
    let name = ["a.py", "a.rs", "a.c", "a.js", "a.m"][usize::from(*first) % 5];
    techrag_chunk::fuzz::bytes(name, code);
}

/// The first byte chooses the part of a sound file that is replaced.
fn office(data: &[u8]) {
    let Some((first, part)) = data.split_first() else { return };
    let (name, archive, path): (&str, &[u8], &str) = match first % 5 {
        0 => ("a.docx", include_bytes!("../../fixtures/office/report.docx"), "word/document.xml"),
        1 => ("a.xlsx", include_bytes!("../../fixtures/office/sheet.xlsx"), "xl/worksheets/sheet1.xml"),
        2 => ("a.pptx", include_bytes!("../../fixtures/office/deck.pptx"), "ppt/slides/slide2.xml"),
        3 => ("a.xlsx", include_bytes!("../../fixtures/office/sheet.xlsx"), "xl/workbook.xml"),
        _ => ("a.docx", include_bytes!("../../fixtures/office/report.docx"), "word/numbering.xml"),
    };
    if let Some(file) = with_part(archive, path, part) {
        techrag_chunk::fuzz::bytes(name, &file);
    }
}

/// A PDF of one page with this content; its fonts are a standard one, one with named glyphs, a Type 3 font and one of
/// two-byte codes. `font` is put into the dictionary of the first, `map` is the map to Unicode of all.
fn pdf(content: &[u8], font: &[u8], map: &[u8]) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    let mut object = |out: &mut Vec<u8>, body: &[u8]| {
        offsets.push(out.len());
        let number = offsets.len();
        out.extend(format!("{number} 0 obj\n").bytes());
        out.extend(body);
        out.extend(b"\nendobj\n");
    };
    let stream = |data: &[u8]| {
        let mut body = format!("<< /Length {} >>\nstream\n", data.len()).into_bytes();
        body.extend(data);
        body.extend(b"\nendstream");
        body
    };
    object(&mut out, b"<< /Type /Catalog /Pages 2 0 R >>");
    object(&mut out, b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>");
    object(
        &mut out,
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R \
          /F3 7 0 R /F4 8 0 R >> /XObject << /X1 10 0 R >> /ExtGState << /G1 << /Font [5 0 R 9] >> >> >> >>",
    );
    object(&mut out, &stream(content));
    let mut first = b"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /ToUnicode 9 0 R ".to_vec();
    first.extend(font);
    first.extend(b" >>");
    object(&mut out, &first);
    object(
        &mut out,
        b"<< /Type /Font /Subtype /TrueType /BaseFont /ABCDEF+Arial,Bold /FirstChar 0 /LastChar 3 /Widths [500 0 -90 1000] \
          /Encoding << /Differences [1 /fi /uni0041 /g23 /acute] >> >>",
    );
    object(
        &mut out,
        b"<< /Type /Font /Subtype /Type3 /FontMatrix [0.01 0 0 0.01 0 0] /FontBBox [0 0 100 100] /FirstChar 65 /LastChar 66 \
          /Widths [50 60] /CharProcs << /a 4 0 R >> /Encoding << /Differences [65 /a /b] >> /ToUnicode 9 0 R >>",
    );
    object(
        &mut out,
        b"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 9 0 R /DescendantFonts [<< /Type /Font \
          /Subtype /CIDFontType2 /BaseFont /X /DW 700 /W [1 [500 600] 3 9 400] /CIDSystemInfo << /Registry (Adobe) /Ordering \
          (Japan1) /Supplement 2 >> >>] >>",
    );
    object(&mut out, &stream(map));
    // A form that draws itself: it must end.
    let form =
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 99 99] /Resources << /XObject << /X1 10 0 R >> >> /Length 6 >>\n\
                 stream\n/X1 Do\nendstream";
    object(&mut out, form);
    let start = out.len();
    let mut tail = format!("xref\n0 {}\n0000000000 65535 f \n", offsets.len() + 1);
    for offset in &offsets {
        tail.push_str(&format!("{offset:010} 00000 n \n"));
    }
    tail.push_str(&format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", offsets.len() + 1));
    out.extend(tail.bytes());
    out
}

/// An office file in which one part is replaced.
fn with_part(archive: &[u8], part: &str, data: &[u8]) -> Option<Vec<u8>> {
    let mut read = ZipArchive::new(Cursor::new(archive)).ok()?;
    let mut write = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for index in 0..read.len() {
        let mut file = read.by_index(index).ok()?;
        let name = file.name().ok()?.into_owned();
        // Themes, styles and pictures are large and of no interest to a reader of text.
        let large = file.size() > 20_000;
        write.start_file(name.as_str(), options).ok()?;
        if name == part {
            write.write_all(data).ok()?;
        } else if !large {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).ok()?;
            write.write_all(&bytes).ok()?;
        }
    }
    Some(write.finish().ok()?.into_inner())
}
