//! Real inputs with changed bytes through the targets of the fuzzer: a stable compiler's stand-in for it.
//!
//! Deterministic: each case has a number, and a panic of ours names it.

#[path = "../../../../tests/fuzz/lib.rs"]
#[expect(dead_code, unreachable_pub, reason = "the targets of the fuzzer use all of it")]
mod targets;

use std::cell::RefCell;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Once;

thread_local! {
    /// Where the last panic of this thread came from.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn load(path: &str) -> Vec<u8> {
    fs::read(root(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The bytes behind the one that chooses.
fn chosen(first: u8, bytes: &[u8]) -> Vec<u8> {
    [&[first], bytes].concat()
}

/// Numbers without a source of chance (xorshift64*).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end.max(1)).unwrap_or(1)).unwrap_or(0)
    }
}

/// Pieces that parsers look for.
const PIECES: [&[u8]; 24] = [
    b"(",
    b")",
    b"<",
    b">",
    b"[",
    b"]",
    b"|",
    b"\n",
    b"\n\n",
    b"\0",
    b"\xff\xfe",
    b"\xc3",
    "é".as_bytes(),
    "\u{ad}\n".as_bytes(),
    b"-\n",
    b"99999999999",
    b"-1",
    b"1e38",
    b" 0 Tf ",
    b"]]>",
    b"&amp;",
    b"```",
    b"---\n",
    b"\"",
];

fn mutated(seed: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=numbers.below(6) {
        let at = numbers.below(bytes.len().max(1)).min(bytes.len());
        let end = (at + numbers.below(40)).min(bytes.len());
        match numbers.below(5) {
            0 if at < bytes.len() => bytes[at] = u8::try_from(numbers.below(256)).unwrap_or(0),
            1 => drop(bytes.drain(at..end)),
            2 => drop(bytes.splice(at..at, PIECES[numbers.below(PIECES.len())].iter().copied())),
            3 => {
                let copy = bytes[at..end].to_vec();
                let to = numbers.below(bytes.len() + 1);
                drop(bytes.splice(to..to, copy));
            }
            _ => bytes.truncate(bytes.len() - numbers.below(bytes.len() / 8 + 1)),
        }
    }
    bytes
}

/// The panic of our own code that these bytes lead to.
fn fault(target: &str, bytes: &[u8]) -> Option<String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        panic::set_hook(Box::new(|info| {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            PLACE.with(|last| *last.borrow_mut() = format!("{place}: {info}"));
        }));
    });
    PLACE.with(|last| last.borrow_mut().clear());
    // Readers catch the panics of libraries themselves, so what comes here or names our crates is ours.
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| targets::run(target, bytes)));
    let place = PLACE.with(|last| last.borrow().clone());
    (outcome.is_err() || place.contains("techrag-")).then_some(place)
}

/// Runs a target on seeds and on `cases` changed copies of them.
#[track_caller]
fn each(target: &str, cases: u64, seeds: &[Vec<u8>]) {
    let mut found: Vec<String> = seeds.iter().filter_map(|seed| fault(target, seed)).collect();
    for case in 1..=cases {
        let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15 ^ case);
        let seed = &seeds[numbers.below(seeds.len())];
        found.extend(fault(target, &mutated(seed, &mut numbers)).map(|place| format!("case {case}: {place}")));
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn texts() {
    each("markdown", 60, &[load("README.md"), load("docs/EVIDENCE.md")]);
    let latin = b"1 Introduction\n\nThe fric-\ntion. \xe9\n\nReferences\n\n[1] A. B. Title.".to_vec();
    each("text", 60, &[load("fixtures/README.md"), latin]);
    each("html", 100, &[load("tests/fuzz/seeds/page.html")]);
}

#[test]
fn tables_and_code() {
    each("delimited", 60, &[load("fixtures/questions/qrels.tsv")[..3000].to_vec()]);
    let python = chosen(0, &load("fixtures/papers/check.py"));
    each("code", 40, &[python, chosen(1, &load("crates/techrag-core/src/lexicon.rs"))]);
}

#[test]
fn office_files() {
    let run = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    let body = format!(
        "<w:document xmlns:w='{space}'><w:body>{}<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl></w:body></w:document>",
        run("Slip"),
        run("dry")
    );
    let space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let cells = "<row r='1'><c r='A1'><v>1</v></c><c r='C1' t='str'><f>A1*2</f><v>2</v></c></row>";
    let sheet = format!(
        "<worksheet xmlns='{space}'><dimension ref='A1:C9'/><sheetData>{cells}</sheetData><mergeCells count='1'>\
         <mergeCell ref='A2:B3'/></mergeCells></worksheet>"
    );
    each("office", 60, &[chosen(0, body.as_bytes()), chosen(1, sheet.as_bytes())]);
}

#[test]
fn papers() {
    each("references", 60, &[load("tests/fuzz/seeds/references-mixed")]);
    each("paper", 60, &[load("fixtures/papers/src/relaxation-length.typ"), load("README.md")]);
    let records: Vec<u8> = (0..4000_u32).map(|at| u8::try_from(at * 167 % 251).unwrap_or(0)).collect();
    each("layout", 60, &[records, load("fixtures/papers/relaxation-length.pdf")[..9000].to_vec()]);
}

#[test]
fn pdfs() {
    each("content", 60, &[load("tests/fuzz/seeds/content-page")]);
    each("fonts", 40, &[load("tests/fuzz/seeds/fonts-map")]);
    each("file", 10, &[load("fixtures/papers/relaxation-length.pdf")]);
}
