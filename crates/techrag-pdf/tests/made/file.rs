//! PDF files made from the contents of their pages, in the standard fonts, whose widths every reader has.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;
use techrag_pdf::{Block, BlockKind, Config, Line, Page, Pdf};

/// Prose of a few lines, each as wide as a column.
pub(crate) const PROSE: [&str; 8] = [
    "The tyre transmits every force between the car and the road and so it",
    "deserves a model of its own. The slip angle of the wheel decides how large",
    "the lateral force becomes on a dry surface while the relaxation length tells",
    "how far the wheel rolls before that force is there. A brush model explains",
    "both with bristles that bend in the contact patch and slide where friction",
    "no longer holds them. Measurements on a drum show the same curve but for",
    "the temperature of the tread which changes during the run. The load on the",
    "wheel enters twice because it sets the length of the patch.",
];

/// A page of 612 by 792 points: its content, and what else its dictionary says.
#[derive(Default)]
pub(crate) struct Sheet {
    pub(crate) content: String,
    pub(crate) entries: String,
}

/// A file of pages with further objects, numbered from 10 on, and entries of the catalog.
pub(crate) fn file(sheets: &[Sheet], objects: &[&str], catalog: &str) -> Vec<u8> {
    const FONTS: &str = "/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> \
                         /F2 << /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>";
    let first = 10 + objects.len();
    let kids: String = (0..sheets.len()).map(|at| format!("{} 0 R ", first + 2 * at)).collect();
    let mut all = vec![
        (1, format!("<< /Type /Catalog /Pages 2 0 R {catalog} >>")),
        (2, format!("<< /Type /Pages /Count {} /Kids [{kids}] >>", sheets.len())),
    ];
    all.extend(objects.iter().enumerate().map(|(at, object)| (10 + at, (*object).to_owned())));
    for (at, sheet) in sheets.iter().enumerate() {
        let number = first + 2 * at;
        let resources = if sheet.entries.contains("/Resources") {
            String::new()
        } else {
            format!("/Resources << /Font << {FONTS} >> >>")
        };
        let page = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {resources} /Contents {} 0 R {} >>",
            number + 1,
            sheet.entries
        );
        let content = format!("<< /Length {} >>\nstream\n{}\nendstream", sheet.content.len(), sheet.content);
        all.extend([(number, page), (number + 1, content)]);
    }
    let mut out = String::from("%PDF-1.7\n");
    for (number, object) in all {
        writeln!(out, "{number} 0 obj\n{object}\nendobj").expect("a string takes all");
    }
    // Without a table of objects: readers look for them.
    out.push_str("trailer << /Root 1 0 R >>\n%%EOF\n");
    out.into_bytes()
}

/// Lines of text from a place on, 13 points apart; `before` are operators that set the text's state.
pub(crate) fn lines(lines: &[&str], x: f32, y: f32, before: &str) -> String {
    let shown: String = lines.iter().map(|line| format!("({line}) Tj T*\n")).collect();
    format!("BT 0 Tc 0 Tw 100 Tz 0 Tr {before} /F2 11 Tf 13 TL {x} {y} Td\n{shown}ET\n")
}

/// A content turned counterclockwise about the middle of the page.
pub(crate) fn turned(content: &str, degrees: f32) -> String {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (x, y) = (306.0, 396.0);
    let (e, f) = (x - cos * x + sin * y, y - sin * x - cos * y);
    format!("q {cos} {sin} {} {cos} {e} {f} cm\n{content}Q\n", -sin)
}

/// What is read of one page with this content.
pub(crate) fn page(content: &str) -> Page {
    let sheet = Sheet { content: content.to_owned(), ..Sheet::default() };
    read(&file(&[sheet], &[], "")).pages.remove(0)
}

/// What is read of a file.
pub(crate) fn read(bytes: &[u8]) -> Pdf {
    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let path: PathBuf = std::env::temp_dir().join(format!("made-{}-{count}.pdf", std::process::id()));
    std::fs::write(&path, bytes).expect("a file is written");
    let config = Config {
        worker: None,
        file_timeout: Duration::from_secs(60),
        page_timeout: Duration::from_secs(30),
        max_bytes: 100 << 20,
        max_pages: 100,
        max_memory: 1 << 30,
        password: None,
    };
    let read = techrag_pdf::read(&path, &config);
    std::fs::remove_file(&path).expect("the file is there");
    read.expect("the file is readable")
}

/// The lines of blocks.
pub(crate) fn text<'b>(blocks: impl IntoIterator<Item = &'b Block>) -> String {
    let lines = blocks.into_iter().flat_map(|block| &block.lines).map(Line::text);
    lines.collect::<Vec<_>>().join(" ")
}

/// The lines of blocks of a kind.
pub(crate) fn of_kind(page: &Page, kind: BlockKind) -> String {
    text(page.blocks.iter().filter(|block| block.kind == kind))
}
