//! Pages: stored through interruptions, found, drawn, cut, shown beside an answer, verified.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Place, models_or_skip};

/// A paper of our own with figures and tables.
const PAPER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/papers/brush-model-extensions.pdf");

/// A library with the paper, its records in `records.jsonl`; nothing where the model is absent.
fn library(place: &Place) -> bool {
    if !models_or_skip("page retrieval") {
        return false;
    }
    std::fs::copy(PAPER, place.path().join("paper.pdf")).expect("the paper is there");
    let _ =
        place.shell("techrag-chunk paper.pdf >records.jsonl && techrag-index add --library lib <records.jsonl").ok();
    true
}

fn found(place: &Place, library: &str, question: &str) -> Value {
    let said = place.run("techrag-visual", &["search", "--library", library, "-k", "2"], question).ok();
    said.records()[0]["visual"].clone()
}

fn is_segment(entry: &std::fs::DirEntry) -> bool {
    entry.path().extension().is_some_and(|extension| extension == "seg")
}

#[test]
fn a_run_killed_at_any_page_is_taken_up_and_ends_the_same() {
    let place = Place::new();
    if !library(&place) {
        return;
    }
    let _ = place.shell("cp -r lib whole && techrag-visual index -j 1 --library whole <records.jsonl").ok();
    let pages = place.path().join("lib/pages");
    let files = || std::fs::read_dir(&pages).map_or(0, |files| files.filter_map(Result::ok).filter(is_segment).count());
    for attempt in 0..4 {
        let before = files();
        let running = place.talk("techrag-visual", &["index", "-j", "1", "--batch", "1", "--all", "--library", "lib"]);
        let started = Instant::now();
        while files() <= before && started.elapsed() < Duration::from_secs(120) {
            std::thread::sleep(Duration::from_millis(2));
        }
        // At once: the file is there and the catalog does not name it yet. Later: in the midst of the next page.
        std::thread::sleep(Duration::from_millis(attempt * 40));
        drop(running);
        let _ = place.shell("techrag-visual verify --library lib --queries 0").ok();
    }
    let rest = place.shell("techrag-visual index -j 1 --library lib <records.jsonl").ok();
    assert!(!rest.stderr.contains("5 pages stored"), "what was done before is kept: {rest}");
    let verified = place.shell("techrag-visual verify --library lib").ok();
    assert!(verified.stdout.starts_with("clean: 5 pages"), "{verified}");
    let question = "side force and aligning moment over slip angle";
    assert_eq!(found(&place, "lib", question), found(&place, "whole", question));
    let again = place.shell("techrag-visual index --library lib <records.jsonl").ok();
    assert!(again.stderr.contains("0 pages stored"), "{again}");
}

#[test]
fn a_page_is_found_with_its_figure_and_drawn_into_the_library() {
    let place = Place::new();
    if !library(&place) {
        return;
    }
    let budget = place.shell("techrag-visual index --all --max-pages 2 --pages 2-4 --library lib").ok();
    assert!(budget.stderr.contains("2 pages stored") && budget.stderr.contains("1 pages are left over"), "{budget}");
    let _ = place.shell("techrag-visual index --all --library lib").ok();
    let line = "echo '{\"question\":\"lateral force of the brush model for three friction coefficients\"}' | \
         techrag-visual search --library lib -k 1 | techrag-visual crops --library lib | \
         techrag-visual render --library lib";
    let said = place.shell(line).ok();
    let hit = &said.records()[0]["visual"][0];
    assert_eq!((hit["key"].as_str(), hit["page"].as_u64()), (Some("paper.pdf"), Some(2)), "{said}");
    assert!(hit["caption"].as_str().is_some_and(|caption| caption.starts_with("Figure 1.")), "{said}");
    for image in [&hit["image"], &hit["crop"]["image"]] {
        let path = place.path().join("lib").join(image.as_str().expect("a path"));
        assert!(std::fs::read(path).expect("a picture").starts_with(&[0xff, 0xd8, 0xff]), "{said}");
    }
    let scoped = place.shell("echo slip | techrag-visual search --library lib --where 'year>=2999'").ok();
    assert_eq!(scoped.records()[0]["visual"], Value::Array(Vec::new()), "{scoped}");
    let gone = place
        .shell("techrag-index remove paper.pdf --library lib && echo slip | techrag-visual search --library lib")
        .ok();
    assert_eq!(gone.records()[0]["visual"], Value::Array(Vec::new()), "{gone}");
    let forgotten = place.shell("techrag-visual index --all --library lib && techrag-visual verify --library lib").ok();
    assert!(forgotten.stdout.starts_with("clean: 0 pages"), "{forgotten}");
}

#[test]
fn damage_is_found() {
    let place = Place::new();
    if !library(&place) {
        return;
    }
    let _ = place.shell("techrag-visual index --all --max-pages 1 --library lib").ok();
    let file = place.path().join("lib/pages/page-000002.seg");
    let mut bytes = std::fs::read(&file).expect("a segment");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).expect("written");
    let said = place.shell("techrag-visual verify --library lib");
    assert_eq!(said.code, 3, "{said}");
    assert!(said.stdout.contains("page-000002.seg"), "{said}");
}

/// Its answer, 3359 N, stands in Table 2 on page 4 of the paper and nowhere else.
const ASKED: &str = "Which side force does the table of brush model variants list at 6 degrees for friction that \
    falls with sliding speed?";

#[test]
fn a_question_that_only_a_table_answers_shows_the_table_and_its_page() {
    let place = Place::new();
    if !models_or_skip("the gallery") {
        return;
    }
    let papers = place.path().join("papers");
    std::fs::create_dir(&papers).expect("a folder");
    for paper in ["brush-model-extensions.pdf", "sideslip-kalman.pdf"] {
        let from = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/papers/");
        std::fs::copy(format!("{from}{paper}"), papers.join(paper)).expect("a paper");
    }
    let _ = place.pipeline("ingest.sh", &["--pages", "papers", "lib"], "").ok();
    let record = place.pipeline("ask.sh", &["lib", ASKED, "--records", "--no-llm"], "").ok().records().remove(0);
    let hit = &record["visual"][0];
    assert_eq!((hit["key"].as_str(), hit["page"].as_u64()), (Some("brush-model-extensions.pdf"), Some(4)), "{hit}");
    assert!(hit["crop"]["caption"].as_str().is_some_and(|caption| caption.starts_with("Table 2.")), "{hit}");
    let html = place.pipeline("ask.sh", &["lib", ASKED, "--format", "html", "--no-llm"], "").ok().stdout;
    let gallery = html.split("<div class=\"gallery\">").nth(1).expect("a gallery");
    let first = gallery.split("</figure>").next().expect("its first page");
    for (image, alt) in [
        (&hit["crop"]["image"], "cut out of brush-model-extensions.pdf, page 4: Table 2. Lateral force"),
        (&hit["image"], "brush-model-extensions.pdf, page 4"),
    ] {
        let bytes = std::fs::read(place.path().join("lib").join(image.as_str().expect("a path"))).expect("a picture");
        let data = format!("src=\"data:image/jpeg;base64,{}", base64(&bytes[..300]));
        let shown = first.find(&data).unwrap_or_else(|| panic!("{image} is not in the gallery"));
        assert!(first[shown..].split('>').next().is_some_and(|tag| tag.contains(&format!("alt=\"{alt}"))), "{alt}");
    }
}

/// Of a multiple of three bytes.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let number = |three: &[u8]| three.iter().fold(0_usize, |number, byte| number << 8 | usize::from(*byte));
    let four = |three: &[u8]| [18, 12, 6, 0].map(|shift| char::from(DIGITS[number(three) >> shift & 63]));
    bytes.chunks_exact(3).flat_map(four).collect()
}
