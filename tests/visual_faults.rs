//! Pages that are an attack or a fault: bounded, named, and the next one goes on.

use std::fmt::Write as _;
use std::path::Path;

use crate::harness::{Place, models, models_or_skip};

const PAPER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/papers/brush-model-extensions.pdf");
/// A page encoder that sees, of random weights.
const TINY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/techrag-models/tests/data");

/// The folder of models with the tiny page encoder beside them; nothing where there are no models.
fn with_tiny_encoder(place: &Place) -> bool {
    let Some(there) = models().filter(|_| models_or_skip("a page encoder that sees")) else { return false };
    let here = place.path().join("models");
    std::fs::create_dir_all(here.join("tiny-pages")).expect("a folder");
    for model in std::fs::read_dir(there).expect("a folder") {
        let model = model.expect("an entry");
        if model.path().is_dir() && model.file_name() != "tiny-pages" {
            link(&model.path(), &here.join(model.file_name()));
        }
    }
    for (from, to) in [
        ("models.toml", "models.toml"),
        ("page-exports/plain.onnx", "tiny-pages/model.onnx"),
        ("page-exports/tokenizer.json", "tiny-pages/tokenizer.json"),
    ] {
        std::fs::copy(Path::new(TINY).join(from), here.join(to)).expect("a file of the tests");
    }
    true
}

fn link(from: &Path, to: &Path) {
    std::os::unix::fs::symlink(from, to).expect("a link");
}

/// A PDF of 14,400 inches, then a page of no area, then one whose image takes 300 MB.
fn hostile() -> Vec<u8> {
    let mut image = Vec::new();
    while image.len() < 300_000_000 / 128 * 2 {
        image.extend([129, 0]);
    }
    image.push(128);
    let page = |media: &str, image: &str, content: u8| {
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox {media} /Contents {content} 0 R \
             /Resources << /Font << /F 9 0 R >> /XObject << {image} >> >> >>"
        )
    };
    let text = "BT /F 12 Tf 20 20 Td (A page of this file that is to be seen by nobody at all.) Tj ET";
    let stream = |dictionary: &str, bytes: &[u8]| {
        let mut object = format!("<< {dictionary} /Length {} >>\nstream\n", bytes.len()).into_bytes();
        object.extend_from_slice(bytes);
        object.extend_from_slice(b"\nendstream");
        object
    };
    let objects: Vec<Vec<u8>> = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 >>".to_vec(),
        page("[0 0 1036800 1036800]", "", 6).into_bytes(),
        page("[0 0 0 0]", "", 6).into_bytes(),
        page("[0 0 600 800]", "/I 8 0 R", 7).into_bytes(),
        stream("", text.as_bytes()),
        stream("", format!("{text} q 500 0 0 500 50 100 cm /I Do Q").as_bytes()),
        stream(
            "/Type /XObject /Subtype /Image /Width 10000 /Height 10000 /BitsPerComponent 8 /ColorSpace /DeviceRGB \
             /Filter /RunLengthDecode",
            &image,
        ),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
    ];
    let mut pdf = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in objects.iter().enumerate() {
        let _ = writeln!(table, "{:010} 00000 n ", pdf.len());
        pdf.extend_from_slice(format!("{} 0 obj\n", number + 1).as_bytes());
        pdf.extend_from_slice(object);
        pdf.extend_from_slice(b"\nendobj\n");
    }
    let start = pdf.len();
    let trailer = format!("trailer << /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1);
    pdf.extend_from_slice(table.as_bytes());
    pdf.extend_from_slice(trailer.as_bytes());
    pdf
}

#[test]
fn a_page_beyond_all_bounds_is_drawn_within_them_or_named() {
    let place = Place::new();
    std::fs::write(place.path().join("hostile.pdf"), hostile()).expect("written");
    let _ = place.shell("techrag-chunk hostile.pdf | techrag-index add --library lib");
    let draw = |page: &str, memory: &str| {
        let arguments =
            ["render", "--library", "lib", "--document", "hostile.pdf", "--page", page, "--max-memory", memory];
        // Debug builds draw slowly.
        let arguments = [&arguments[..], &["--page-timeout", "100"]].concat();
        place.run("techrag-visual", &arguments, "")
    };
    let huge = draw("1", "1024").ok();
    let picture = std::fs::metadata(place.path().join("lib").join(huge.stdout.trim())).expect("a picture");
    assert!(picture.len() > 0, "{huge}");
    let flat = draw("2", "1024");
    assert!(flat.code == 3 && flat.stdout.contains("hostile.pdf: page 2") && flat.stdout.contains("no area"), "{flat}");
    // The image alone is more than it may take.
    let heavy = draw("3", "256");
    assert!(heavy.code == 3 && heavy.stdout.contains("hostile.pdf: page 3"), "{heavy}");
    assert!(heavy.stdout.contains("more than 268435456 bytes of memory needed"), "{heavy}");
    let beyond = draw("4", "1024");
    assert!(beyond.code == 3 && beyond.stdout.contains("does not hold it"), "{beyond}");
}

#[test]
fn pages_beyond_all_bounds_cost_themselves_and_the_batch_goes_on() {
    let place = Place::new();
    if !with_tiny_encoder(&place) {
        return;
    }
    std::fs::write(place.path().join("a-hostile.pdf"), hostile()).expect("written");
    std::fs::copy(PAPER, place.path().join("paper.pdf")).expect("the paper is there");
    let line = "techrag-chunk a-hostile.pdf paper.pdf >records.jsonl; techrag-index add --library lib <records.jsonl; \
         techrag-visual index -j 1 --models models --encoder tiny-pages --max-memory 256 --page-timeout 100 --all \
         --library lib";
    let said = place.shell(line);
    assert_eq!(said.code, 3, "{said}");
    assert!(said.stderr.contains("6 pages stored") && said.stderr.contains("2 failed"), "{said}");
    for (page, why) in [(2, "no area"), (3, "more than 268435456 bytes of memory needed")] {
        let name = format!("a-hostile.pdf: page {page}");
        let error = said.stdout.lines().find(|line| line.contains(&name)).unwrap_or_else(|| panic!("{page}: {said}"));
        assert!(error.contains(why), "{error}");
    }
    let again = place.shell("techrag-visual index -j 1 --models models --encoder tiny-pages --all --library lib").ok();
    assert!(again.stderr.contains("0 pages stored"), "named once, not each time: {again}");
    let verified = place.shell("techrag-visual verify --library lib").ok();
    assert!(verified.stdout.starts_with("clean: 6 pages") && verified.stdout.contains("2 failed"), "{verified}");
}

#[test]
fn pages_of_another_encoder_are_refused_by_name() {
    let place = Place::new();
    if !with_tiny_encoder(&place) {
        return;
    }
    std::fs::copy(PAPER, place.path().join("paper.pdf")).expect("the paper is there");
    let line = "techrag-chunk paper.pdf | techrag-index add --library lib; \
         techrag-visual index --models models --encoder tiny-pages --all --library lib";
    let _ = place.shell(line).ok();
    let other = place.shell("techrag-visual index --all --library lib");
    assert!(other.code == 2 && other.stderr.contains("encoded by tiny-pages"), "{other}");
    assert!(other.stderr.contains("--anew"), "{other}");
    // Where the encoder is unknown, the message says what wants it.
    let gone = place.shell("echo slip | techrag-visual search --library lib");
    assert_eq!(gone.code, 2, "{gone}");
    assert!(gone.stderr.contains("the library's pages are encoded by tiny-pages"), "{gone}");
    // A network that has changed under its name makes other vectors.
    std::fs::write(
        place.path().join("models/models.toml"),
        std::fs::read_to_string(Path::new(TINY).join("models.toml")).expect("a file").replace("20261130", "20270101"),
    )
    .expect("written");
    let changed = place.shell("echo slip | techrag-visual search --models models --library lib");
    assert!(changed.code == 2 && changed.stderr.contains("20261130"), "{changed}");
}

#[test]
fn a_search_over_damaged_pages_names_the_file_and_what_to_do() {
    let place = Place::new();
    if !with_tiny_encoder(&place) {
        return;
    }
    std::fs::copy(PAPER, place.path().join("paper.pdf")).expect("the paper is there");
    let line = "techrag-chunk paper.pdf | techrag-index add --library lib; \
         techrag-visual index --models models --encoder tiny-pages --all --library lib";
    let _ = place.shell(line).ok();
    let file = place.path().join("lib/pages/page-000002.seg");
    let whole = std::fs::read(&file).expect("a segment");
    // Cut short; another file of the same kind; bytes at the end.
    for damaged in [whole[..whole.len() / 2].to_vec(), Vec::new(), [whole.clone(), vec![0; 64]].concat()] {
        std::fs::write(&file, damaged).expect("written");
        let said = place.shell("echo slip | techrag-visual search --models models --library lib");
        assert_eq!(said.code, 2, "{said}");
        assert!(said.stderr.contains("page-000002.seg") && said.stderr.contains("--anew"), "{said}");
    }
    std::fs::remove_file(&file).expect("removed");
    let said = place.shell("echo slip | techrag-visual search --models models --library lib");
    assert!(said.code == 2 && said.stderr.contains("page-000002.seg"), "{said}");
    let anew = place.shell("techrag-visual index --anew --models models --encoder tiny-pages --all --library lib");
    assert!(anew.code == 0 && anew.stderr.contains("5 pages stored"), "{anew}");
}

#[test]
fn records_without_what_is_needed_are_named_and_the_next_is_served() {
    let place = Place::new();
    if !with_tiny_encoder(&place) {
        return;
    }
    std::fs::copy(PAPER, place.path().join("paper.pdf")).expect("the paper is there");
    let line = "techrag-chunk paper.pdf | techrag-index add --library lib; \
         techrag-visual index --models models --encoder tiny-pages --all --library lib";
    let _ = place.shell(line).ok();
    let input = [
        r#"{"type":"query"}"#,
        r#"{"type":"query","v":1,"question":"slip","visual":[{"page":1}]}"#,
        r#"{"type":"query","v":1,"question":"slip","route":{}}"#,
        "{}",
        "slip angle",
    ]
    .join("\n");
    let said = place.run("techrag-visual", &["search", "--models", "models", "--library", "lib"], &input);
    assert_eq!(said.code, 3, "{said}");
    let records = said.records();
    assert_eq!(records.iter().filter(|record| record["type"] == "error").count(), 4, "{said}");
    assert!(records[4]["visual"].as_array().is_some_and(|pages| pages.len() == 5), "{said}");
    let nowhere = place.run("techrag-visual", &["search", "--library", "nowhere"], "slip");
    assert!(nowhere.code == 2 && nowhere.stderr.contains("no library at nowhere"), "{nowhere}");
    let input = r#"{"type":"query","v":1,"query_id":"q","question":"slip","visual":[
        {"doc_id":"0000000000000000","key":"gone.pdf","page":7,"scores":{"score":1}}]}"#
        .replace('\n', "");
    for stage in ["crops", "render"] {
        let said = place.run("techrag-visual", &[stage, "--library", "lib"], &input).ok();
        let trace = &said.records()[0]["trace"][0]["note"];
        assert!(trace.as_str().is_some_and(|note| note.contains("gone.pdf, page 7: there is no document")), "{said}");
    }
}

/// Two scanned papers, where they are.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn scan(name: &str) -> Option<std::path::PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/papers_scanned").join(name);
    let there = path.is_file() && models().is_some_and(|folder| folder.join("PP-DocLayout-S").is_dir());
    if !there {
        eprintln!("skipped: {name} or the layout model is not there");
    }
    there.then_some(path)
}

#[test]
fn a_scan_has_the_figures_that_the_layout_network_sees() {
    let Some(path) = scan("scan_hadlaczky23a_200dpi_bw.pdf") else { return };
    let place = Place::new();
    link(&path, &place.path().join("scan.pdf"));
    let _ = place.shell("techrag-chunk scan.pdf | techrag-index add --library lib");
    let crops = |layout: &str| {
        let line = ["crops", "--library", "lib", "--document", "scan.pdf", "--page-timeout", "100", "--layout", layout];
        place.run("techrag-visual", &line, "").ok()
    };
    assert_eq!(crops("never").stdout, "", "a scan has no objects of its own");
    let seen = crops("silent").records();
    assert!(!seen.is_empty());
    assert!(seen.iter().all(|crop| crop["source"] == "layout"), "{seen:?}");
}

#[test]
fn a_page_that_the_layout_network_fails_on_keeps_its_own_figures_and_the_run_goes_on() {
    let place = Place::new();
    if !with_tiny_encoder(&place) {
        return;
    }
    let network = place.path().join("models/PP-DocLayout-S");
    if !network.is_dir() {
        eprintln!("skipped: the layout model is not there");
        return;
    }
    // The same network under a manifest that knows none of its classes but the first.
    link(&std::fs::canonicalize(network).expect("a folder"), &place.path().join("models/odd"));
    let entry = "\n[[model]]\nid = 'odd'\nkind = 'layout'\nfetch = 'named'\nrevision = 'r'\nlicence = 'Apache-2.0'\n\
                 [model.layout]\nside = 480\nmean = [0.485, 0.456, 0.406]\nstd = [0.229, 0.224, 0.225]\n\
                 resample = 'bicubic'\nthreshold = 0.5\nlabels = ['paragraph_title']\n";
    let manifest = place.path().join("models/models.toml");
    let known = std::fs::read_to_string(&manifest).expect("a manifest");
    std::fs::write(&manifest, known + entry).expect("written");
    std::fs::copy(PAPER, place.path().join("paper.pdf")).expect("the paper is there");
    let _ = place.shell("techrag-chunk paper.pdf | techrag-index add --library lib").ok();
    let look = "--library lib --models models --layout-model odd --layout always --page-timeout 100";
    let said = place.shell(&format!("techrag-visual index --all {look}")).ok();
    assert!(said.stderr.contains("5 pages stored") && said.stderr.contains("0 failed"), "{said}");
    assert!(said.stderr.contains("5 have only the figures that the PDF itself draws"), "{said}");
    let crops = |look: &str| place.shell(&format!("techrag-visual crops --document paper.pdf {look}")).ok();
    let (odd, own) = (crops(look), crops("--library lib --layout never --page-timeout 100"));
    assert!(
        odd.stderr.contains("only what the PDF itself draws: odd: ") && odd.stderr.contains("a box of class"),
        "{odd}"
    );
    assert!(!own.stdout.is_empty() && odd.stdout == own.stdout, "{odd}");
}
