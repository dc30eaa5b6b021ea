//! What the targets share: which panics count, and skeletons around the part that is fuzzed.

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

/// A PDF of one page with this content; its fonts are a standard one, one with named glyphs, a Type 3 font and one of
/// two-byte codes. `font` is put into the dictionary of the first, `map` is the map to Unicode of all.
pub fn pdf(content: &[u8], font: &[u8], map: &[u8]) -> Vec<u8> {
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
    let form = b"<< /Type /XObject /Subtype /Form /BBox [0 0 99 99] /Resources << /XObject << /X1 10 0 R >> >> /Length 6 >>\n\
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
pub fn with_part(archive: &[u8], part: &str, data: &[u8]) -> Option<Vec<u8>> {
    let mut read = ZipArchive::new(Cursor::new(archive)).ok()?;
    let mut write = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for index in 0..read.len() {
        let mut file = read.by_index(index).ok()?;
        let name = file.name().to_owned();
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
