//! Files that break other readers. They live in the shared data folder beside the checkout; without it the tests say
//! so and pass.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use techrag_pdf::{Config, Error, Outcome, Pdf};

fn shared(file: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(file);
    if !path.exists() {
        writeln!(std::io::stderr(), "skipped: {file} is not there").ok()?;
        return None;
    }
    Some(path)
}

fn config(password: Option<&str>) -> Config {
    Config {
        worker: None,
        file_timeout: Duration::from_secs(60),
        page_timeout: Duration::from_secs(10),
        max_bytes: 100 << 20,
        max_pages: 10_000,
        max_memory: 1 << 30,
        password: password.map(str::to_owned),
    }
}

fn read(file: &str, password: Option<&str>) -> Option<Result<Pdf, Error>> {
    shared(file).map(|path| techrag_pdf::read(&path, &config(password)))
}

fn text(pdf: &Pdf) -> String {
    let lines = pdf.pages.iter().flat_map(|page| &page.blocks).flat_map(|block| &block.lines);
    lines.map(|line| line.text() + "\n").collect()
}

#[test]
fn every_nasty_file_gives_pages_or_an_error_in_time() {
    let Some(folder) = shared("nasty") else { return };
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "pdf"));
    assert!(files.len() > 40);
    for file in files {
        let start = Instant::now();
        match techrag_pdf::read(&file, &config(None)) {
            Ok(pdf) => {
                assert!(!pdf.pages.is_empty(), "{file:?}");
                assert!(pdf.pages.iter().zip(1..).all(|(page, number)| page.number == number), "{file:?}");
            }
            Err(error) => assert!(!matches!(error, Error::Crashed(_)), "{file:?}: {error}"),
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{file:?}");
    }
}

#[test]
fn passwords_open_files() {
    let Some(closed) = read("nasty/pdfium__encrypted_hello_world_r6.pdf", None) else { return };
    assert!(matches!(closed, Err(Error::Encrypted(_))), "{closed:?}");
    let Some(wrong) = read("nasty/pdfium__encrypted_hello_world_r6.pdf", Some("motel")) else { return };
    assert!(matches!(wrong, Err(Error::Encrypted(_))), "{wrong:?}");
    let Some(open) = read("nasty/pdfium__encrypted_hello_world_r6.pdf", Some("hôtel")) else { return };
    assert!(text(&open.expect("the password is right")).contains("Hello, world!"));
}

#[test]
fn each_marker_is_on_its_page() {
    let Some(pdf) = read("nasty/derived__1200_pages_markers.pdf", None) else { return };
    let pdf = pdf.expect("it opens");
    assert_eq!(pdf.pages.len(), 1200);
    for page in &pdf.pages {
        let words = text(&Pdf { pages: vec![page.clone()], ..Pdf::default() });
        assert!(words.contains(&format!("tok{:05}", page.number)), "{}: {words}", page.number);
    }
}

#[test]
fn blank_pages_are_blank() {
    let Some(pdf) = read("nasty/derived__5000_blank_pages.pdf", None) else { return };
    let pdf = pdf.expect("it opens");
    assert_eq!(pdf.pages.len(), 5000);
    assert!(pdf.pages.iter().all(|page| page.outcome == Outcome::NoText { images: false }));
}

#[test]
fn pdf_extract_99_interleaved_columns() {
    let Some(pdf) = read("bugs/pdf_extract/two_column_interleaved.pdf", None) else { return };
    let words = text(&pdf.expect("it opens"));
    let places: Vec<usize> =
        ["LEFT0", "LEFT3", "RIGHT0", "RIGHT3"].iter().map(|word| words.find(word).expect("it is there")).collect();
    assert!(places.is_sorted(), "{words}");
}

#[test]
fn lopdf_92_and_286_circles_end() {
    let Some(kids) = read("bugs/lopdf/pr92_self_kids.pdf", None) else { return };
    assert!(matches!(kids, Err(Error::Damaged(_))), "{kids:?}");
    let Some(parent) = read("bugs/lopdf/issue286_parent_self.pdf", None) else { return };
    assert!(text(&parent.expect("it opens")).contains("parent is self"));
}

#[test]
fn doubled_and_hidden_text_is_read_once() {
    let Some(doubled) = read("nasty/pdfplumber__issue-71-duplicate-chars.pdf", None) else { return };
    let words = text(&doubled.expect("it opens"));
    assert!(!words.contains("nn") && words.len() > 200, "{words}");
}
