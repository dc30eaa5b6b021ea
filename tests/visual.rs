//! Pages: stored through interruptions, found, drawn, cut, verified; what cannot be drawn is named.

use std::fmt::Write as _;

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

#[test]
fn a_run_killed_at_any_page_is_taken_up_and_ends_the_same() {
    let place = Place::new();
    if !library(&place) {
        return;
    }
    let _ = place.shell("cp -r lib whole && techrag-visual index -j 1 --library whole <records.jsonl").ok();
    for tenths in 4..60 {
        let line = format!(
            "timeout -s KILL {}.{} techrag-visual index -j 1 --batch 1 --library lib <records.jsonl; code=$?; \
             techrag-visual verify --library lib --queries 0 || exit 99; exit $code",
            tenths / 10 * 2,
            tenths % 10
        );
        let said = place.shell(&line);
        assert_ne!(said.code, 99, "{said}");
        if said.code == 0 {
            break;
        }
    }
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
fn pages_beyond_all_bounds_are_bounded_and_named() {
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
