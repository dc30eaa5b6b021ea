//! The fixture papers, whose sources say what is in them: every heading, caption, table and reference must be found.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;
use techrag_pdf::{Block, BlockKind, Config, Pdf};
use unicode_normalization::UnicodeNormalization;

fn papers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/papers")
}

fn read(path: &Path) -> Pdf {
    let config = Config {
        worker: None,
        file_timeout: Duration::from_secs(120),
        page_timeout: Duration::from_secs(60),
        max_bytes: 100 << 20,
        max_pages: 100,
        max_memory: 1 << 30,
        password: None,
    };
    techrag_pdf::read(path, &config).expect("a fixture paper is readable")
}

/// Letters and digits only, broken words joined: what a search would see.
fn folded(text: &str) -> String {
    let joined = text.replace("-\n", "");
    joined.nfkc().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn text(block: &Block) -> String {
    folded(&block.lines.iter().map(techrag_pdf::Line::text).collect::<Vec<_>>().join("\n"))
}

fn strings(value: &Value) -> Vec<String> {
    value
        .as_array()
        .map(|items| items.iter().map(|item| folded(item.as_str().unwrap_or(&item.to_string()))).collect())
        .unwrap_or_default()
}

/// Name, content and truth of each paper; read once for all tests.
static PAPERS: LazyLock<Vec<(String, Pdf, Value)>> = LazyLock::new(|| {
    let entries = std::fs::read_dir(papers().join("truth")).expect("the truth is there");
    let mut truths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    truths.sort();
    let paper = |path: PathBuf| {
        let truth: Value = serde_json::from_str(&std::fs::read_to_string(&path).expect("readable")).expect("JSON");
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        let pdf = read(&papers().join(format!("{name}.pdf")));
        (name, pdf, truth)
    };
    truths.into_iter().map(paper).collect()
});

/// Collects what is missing in any paper.
fn each(check: impl Fn(&str, &Pdf, &Value, &mut Vec<String>)) {
    let mut missing = Vec::new();
    assert!(PAPERS.len() >= 10);
    for (name, pdf, truth) in PAPERS.iter() {
        check(name, pdf, truth, &mut missing);
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

fn on_page<'p>(pdf: &'p Pdf, item: &Value, kind: BlockKind) -> Vec<&'p Block> {
    let page = item["page"].as_u64().and_then(|page| usize::try_from(page).ok()).expect("a page");
    pdf.pages[page - 1].blocks.iter().filter(|block| block.kind == kind).collect()
}

#[test]
fn headings_are_blocks_of_their_own() {
    each(|name, pdf, truth, missing| {
        for section in truth["sections"].as_array().into_iter().flatten() {
            let title =
                format!("{}{}", section["number"].as_str().unwrap_or(""), section["title"].as_str().unwrap_or(""));
            if !on_page(pdf, section, BlockKind::Body).iter().any(|block| text(block) == folded(&title)) {
                missing.push(format!("{name}: {title}"));
            }
        }
    });
}

#[test]
fn captions_are_whole() {
    each(|name, pdf, truth, missing| {
        for caption in truth["captions"].as_array().into_iter().flatten() {
            let words = folded(caption["text"].as_str().unwrap_or("?"));
            if !on_page(pdf, caption, BlockKind::Caption).iter().any(|block| text(block).ends_with(&words)) {
                missing.push(format!("{name}: {caption}"));
            }
        }
    });
}

#[test]
fn tables_have_their_cells() {
    each(|name, pdf, truth, missing| {
        let blocks = || pdf.pages.iter().flat_map(|page| &page.blocks).filter(|block| block.kind == BlockKind::Table);
        let found: Vec<Vec<Vec<String>>> = blocks()
            .map(|block| block.cells.iter().map(|row| row.iter().map(|cell| folded(cell)).collect()).collect())
            .collect();
        for table in truth["tables"].as_array().into_iter().flatten() {
            let mut cells = vec![strings(&table["header"])];
            cells.extend(table["rows"].as_array().into_iter().flatten().map(strings));
            if !found.contains(&cells) {
                missing.push(format!("{name}: {cells:?}"));
            }
        }
    });
}

#[test]
fn abstracts_and_references_are_read_in_order() {
    each(|name, pdf, truth, missing| {
        let body: String = pdf
            .pages
            .iter()
            .flat_map(|page| &page.blocks)
            .filter(|block| block.kind == BlockKind::Body)
            .flat_map(|block| block.lines.iter().map(|line| line.text() + "\n"))
            .collect();
        let body = folded(&body);
        let references = truth["references"].as_array().into_iter().flatten();
        let wanted = references.filter_map(|reference| reference["title"].as_str()).chain(truth["abstract"].as_str());
        missing.extend(wanted.filter(|words| !body.contains(&folded(words))).map(|words| format!("{name}: {words}")));
    });
}

#[test]
fn running_headers_are_no_text() {
    each(|name, pdf, truth, missing| {
        let venue = folded(truth["venue"].as_str().unwrap_or("?"));
        for page in &pdf.pages[1..] {
            let kept = page.blocks.iter().filter(|block| block.kind == BlockKind::Body);
            missing.extend(kept.filter(|block| text(block) == venue).map(|_| format!("{name}: page {}", page.number)));
            let footer = page.blocks.iter().any(|block| block.kind == BlockKind::Footer);
            if !footer {
                missing.push(format!("{name}: no page number on page {}", page.number));
            }
        }
    });
}
