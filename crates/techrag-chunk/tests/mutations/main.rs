//! Real inputs with changed bytes through the doors of the fuzz targets: a stable compiler's stand-in for `make fuzz`.
//!
//! Deterministic: each case has a number, and a panic of ours names it. `MUTATIONS=N` sets how many a reader gets.
#![cfg(feature = "fuzz")]

#[path = "../promises/sheet.rs"]
#[expect(dead_code, reason = "the promises use all of it")]
mod sheet;

use std::cell::RefCell;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Once;

use techrag_chunk::fuzz as doors;

/// Cases a reader gets unless `MUTATIONS` says otherwise.
const CASES: u64 = 60;

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

/// Runs a door on the seed and on changed copies of it; every panic of our own code fails.
fn each(seeds: &[Vec<u8>], door: impl Fn(&[u8])) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        panic::set_hook(Box::new(|info| {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            PLACE.with(|last| *last.borrow_mut() = format!("{place}: {info}"));
        }));
    });
    let cases = std::env::var("MUTATIONS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    let mut found = Vec::new();
    for case in 0..cases {
        let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15 ^ (case + 1));
        let seed = &seeds[numbers.below(seeds.len())];
        let bytes = if case == 0 { seed.clone() } else { mutated(seed, &mut numbers) };
        PLACE.with(|last| last.borrow_mut().clear());
        // Readers catch the panics of libraries themselves, so what comes here or names our crates is ours.
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| door(&bytes)));
        let place = PLACE.with(|last| last.borrow().clone());
        if outcome.is_err() || place.contains("techrag-") {
            found.push(format!("case {case}: {place}"));
        }
    }
    found.sort_by_key(|line| line.split_once(": ").map(|(_, what)| what.to_owned()));
    found.dedup_by_key(|line| line.split_once(": ").map(|(_, what)| what.to_owned()));
    assert!(found.is_empty(), "{found:#?}");
}

fn text_door(door: impl Fn(&str)) -> impl Fn(&[u8]) {
    move |bytes| door(&String::from_utf8_lossy(bytes))
}

#[test]
fn markdown() {
    each(&[load("README.md"), load("docs/EVIDENCE.md")], |bytes| doors::bytes("a.md", bytes));
}

#[test]
fn plain_text() {
    each(
        &[
            load("fixtures/README.md"),
            b"1 Introduction\n\nThe fric-\ntion. \xe9\n\nReferences\n\n[1] A. B. Title.".to_vec(),
        ],
        |bytes| {
            doors::bytes("a.txt", bytes);
        },
    );
}

#[test]
fn html() {
    each(&[load("fuzz/seeds/page.html")], |bytes| doors::bytes("a.html", bytes));
}

#[test]
fn delimited() {
    each(&[load("fixtures/questions/qrels.tsv")[..3000].to_vec()], |bytes| doors::bytes("a.csv", bytes));
}

#[test]
fn code() {
    each(&[load("fixtures/papers/check.py")], |bytes| doors::bytes("a.py", bytes));
    each(&[load("crates/techrag-core/src/lexicon.rs")], |bytes| doors::bytes("a.rs", bytes));
}

#[test]
fn references() {
    each(&[load("fuzz/seeds/references-mixed")], text_door(doors::references));
}

#[test]
fn papers() {
    each(&[load("fixtures/papers/src/relaxation-length.typ"), load("README.md")], text_door(doors::paper));
}

#[test]
fn layouts() {
    let seed: Vec<u8> = (0..4000_u32).map(|at| u8::try_from(at * 167 % 251).unwrap_or(0)).collect();
    each(&[seed, load("fixtures/papers/relaxation-length.pdf")[..9000].to_vec()], |bytes| {
        let page = techrag_pdf::fuzz::layout(bytes);
        doors::from_pdf(&techrag_pdf::Pdf { pages: vec![page], ..Default::default() });
    });
}

#[test]
fn pdf_files() {
    each(&[load("fixtures/papers/relaxation-length.pdf")], |bytes| {
        if let Some(pdf) = techrag_pdf::fuzz::file(bytes.to_vec()) {
            doors::from_pdf(&pdf);
        }
    });
}

#[test]
fn pdf_contents() {
    let seed = String::from_utf8_lossy(&load("fuzz/seeds/content-page")).into_owned();
    let seed = seed.replace("/F1", "/R").replace("/F2", "/N").replace("/F3", "/S");
    each(&[seed.into_bytes()], |bytes| {
        let page = sheet::Sheet::default().raw(&String::from_utf8_lossy(bytes));
        if let Some(pdf) = techrag_pdf::fuzz::file(sheet::pdf(&[page], "")) {
            doors::from_pdf(&pdf);
        }
    });
}
