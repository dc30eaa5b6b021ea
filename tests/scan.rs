//! Pages without a text layer and pictures: read by whichever reader is there, named where none is.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use techrag_pdf::{Config, Picture, Renderer, Size};

use crate::harness::{Place, Run, models, models_or_skip};

const PAPER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/papers/relaxation-length.pdf");
const QUESTION: &str = "How does the relaxation length change with the wheel load?";
/// Points of A4.
const A4: (f64, f64) = (595.0, 842.0);

/// The readers that are there. Both are optional: which one is missing is said.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn readers() -> Vec<&'static str> {
    let mut readers = Vec::new();
    let tesseract = Place::new().shell("tesseract --list-langs").stdout.lines().any(|line| line.trim() == "eng");
    let networks = ["PP-OCRv6-small", "onnxruntime"];
    let networks = models().is_some_and(|folder| networks.iter().all(|id| folder.join(id).is_dir()));
    for (name, there) in [("tesseract", tesseract), ("pp-ocr", networks)] {
        if there {
            readers.push(name);
        } else {
            eprintln!("skipped for {name}: it is not there");
        }
    }
    readers
}

/// The pages of a fixture paper as a scanner gives them: gray, `dots` an inch.
fn scanned(pages: std::ops::RangeInclusive<u32>, dots: f32) -> Vec<Picture> {
    let config = Config {
        worker: None,
        file_timeout: Duration::from_secs(300),
        page_timeout: Duration::from_secs(120),
        max_bytes: 1 << 30,
        max_pages: 100,
        max_memory: 1 << 32,
        password: None,
    };
    let mut renderer = Renderer::new(Path::new(PAPER), &config);
    pages.map(|page| renderer.page(page, Size::Dpi(dots)).expect("a page is drawn")).collect()
}

fn gray(picture: &Picture) -> Vec<u8> {
    picture.rgb.iter().step_by(3).copied().collect()
}

/// A PDF of nothing but these pictures.
fn pdf_of(pictures: &[Picture]) -> Vec<u8> {
    let kids: Vec<String> = (0..pictures.len()).map(|at| format!("{} 0 R", 3 + 3 * at)).collect();
    let mut objects: Vec<Vec<u8>> = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), kids.len()).into_bytes(),
    ];
    for (at, picture) in pictures.iter().enumerate() {
        let (image, content) = (4 + 3 * at, 5 + 3 * at);
        let draw = format!("{} 0 0 {} 0 0 cm /I Do", A4.0, A4.1);
        let pixels = gray(picture);
        let head = format!(
            "<< /Type /XObject /Subtype /Image /Width {} /Height {} /ColorSpace /DeviceGray /BitsPerComponent 8 /Length {} >>\nstream\n",
            picture.width,
            picture.height,
            pixels.len()
        );
        objects.push(
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Resources << /XObject << /I {image} 0 R >> >> /Contents {content} 0 R >>",
                A4.0, A4.1
            )
            .into_bytes(),
        );
        objects.push([head.as_bytes(), &pixels, b"\nendstream"].concat());
        objects.push(format!("<< /Length {} >>\nstream\n{draw}\nendstream", draw.len()).into_bytes());
    }
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(bytes.len());
        bytes.extend(format!("{} 0 obj\n", at + 1).into_bytes());
        bytes.extend(object);
        bytes.extend(b"\nendobj\n");
    }
    let start = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes());
    places.iter().for_each(|place| bytes.extend(format!("{place:010} 00000 n \n").into_bytes()));
    let size = objects.len() + 1;
    bytes.extend(format!("trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").into_bytes());
    bytes
}

/// A picture as a PGM would be, as PNG by way of no compression: enough of the format to be one.
fn png(width: u32, height: u32, gray: &[u8]) -> Vec<u8> {
    let row = usize::try_from(width).expect("a width");
    let raw: Vec<u8> = gray.chunks(row).flat_map(|row| std::iter::once(0).chain(row.iter().copied())).collect();
    let mut data = vec![0x78, 0x01];
    let blocks: Vec<&[u8]> = raw.chunks(65_535).collect();
    for (at, block) in blocks.iter().enumerate() {
        let length = u16::try_from(block.len()).expect("a short block");
        data.push(u8::from(at + 1 == blocks.len()));
        data.extend(length.to_le_bytes());
        data.extend((!length).to_le_bytes());
        data.extend(*block);
    }
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in &raw {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    data.extend(((b << 16) | a).to_be_bytes());
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 0, 0, 0, 0]].concat();
    let chunks = [part(b"IHDR", &header), part(b"IDAT", &data), part(b"IEND", b"")].concat();
    [b"\x89PNG\r\n\x1a\n".as_slice(), &chunks].concat()
}

fn part(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [name.as_slice(), data].concat();
    let crc = !body.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 })
    });
    let length = u32::try_from(data.len()).expect("a short part");
    [&length.to_be_bytes()[..], &body, &crc.to_be_bytes()].concat()
}

fn write(place: &Place, name: &str, bytes: &[u8]) {
    fs::write(place.path().join(name), bytes).expect("a file can be written");
}

/// Reads files, with more patience than a quiet machine needs.
fn chunk(place: &Place, arguments: &[&str]) -> Run {
    let patience = ["--page-timeout", "100", "--file-timeout", "200", "--ocr-timeout", "200"];
    place.run("techrag-chunk", &[&patience, arguments].concat(), "")
}

fn chunks(run: &Run) -> Vec<Value> {
    run.records().into_iter().filter(|record| record["type"] == "chunk").collect()
}

/// The words of a run's chunks, in lower case.
fn words(run: &Run) -> Vec<String> {
    let text: String =
        chunks(run).iter().filter_map(|chunk| chunk["text"].as_str()).fold(String::new(), |a, b| a + " " + b);
    split(&text)
}

/// The same of what stands on one page.
fn words_on(run: &Run, page: u64) -> Vec<String> {
    let mut text = String::new();
    for chunk in chunks(run) {
        for span in chunk["spans"].as_array().expect("spans").iter().filter(|span| span["page"] == page) {
            let at = |name: &str| usize::try_from(span[name].as_u64().expect("an offset")).expect("an offset");
            text += " ";
            text += &chunk["text"].as_str().expect("text")[at("start")..at("end")];
        }
    }
    split(&text)
}

fn split(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Share of the distinct words of `truth` that `got` has.
fn recall(truth: &[String], got: &[String]) -> f64 {
    let distinct: std::collections::BTreeSet<&String> = truth.iter().filter(|word| word.len() > 3).collect();
    let found = distinct.iter().filter(|word| got.contains(word)).count();
    f64::from(u32::try_from(found).expect("few")) / f64::from(u32::try_from(distinct.len().max(1)).expect("few"))
}

#[test]
fn a_scanned_paper_is_read_like_its_original_and_says_by_whom() {
    let readers = readers();
    if readers.is_empty() {
        return;
    }
    let place = Place::new();
    write(&place, "scan.pdf", &pdf_of(&scanned(1..=1, 200.0)));
    let original = words_on(&chunk(&place, &[PAPER]).ok(), 1);
    for reader in readers {
        let run = chunk(&place, &["--ocr", reader, "scan.pdf"]).ok();
        let document = run.records().remove(0);
        let pages = document["recognised"].as_array().expect("pages read off their picture").clone();
        assert_eq!(pages.iter().map(|page| page["page"].clone()).collect::<Vec<_>>(), [1], "{document}");
        let by = if reader == "tesseract" { "tesseract " } else { "PP-OCRv6-small " };
        assert!(pages.iter().all(|page| page["by"].as_str().is_some_and(|name| name.starts_with(by))), "{document}");
        assert!(pages.iter().all(|page| page["confidence"].as_f64() > Some(0.8)), "{document}");
        assert_eq!(document.get("pages_without_text"), None, "{document}");
        let read = words(&run);
        let beginning: Vec<String> = original[..original.len() / 3].to_vec();
        assert!(recall(&beginning, &read) > 0.93, "{reader}: {}", recall(&beginning, &read));
        assert!(recall(&original, &read) > 0.85, "{reader}: {}", recall(&original, &read));
        assert!(recall(&read, &original) > 0.9, "{reader} invents: {}", recall(&read, &original));
        for chunk in chunks(&run) {
            assert_eq!(chunk["modality"], "ocr", "{chunk}");
            for span in chunk["spans"].as_array().expect("spans") {
                assert!(span["confidence"].as_f64().is_some_and(|share| (0.0..=1.0).contains(&share)), "{span}");
                assert!(span["bbox"].is_array() && span["page"].is_u64(), "{span}");
            }
        }
        let again = chunk(&place, &["--ocr", reader, "scan.pdf"]).ok();
        assert_eq!(again.stdout, run.stdout, "{reader}: the same again");
    }
}

#[test]
fn an_answer_from_a_scan_cites_the_page_of_the_original() {
    if !models_or_skip("asking a scan") {
        return;
    }
    // That both readers read a page is shown above.
    if let Some(reader) = readers().first() {
        let place = Place::new();
        write(&place, "scan.pdf", &pdf_of(&scanned(1..=4, 150.0)));
        let page = |source: &str, library: &str| {
            let line = format!(
                "techrag-chunk --page-timeout 100 --ocr-timeout 200 --ocr {reader} {source} | techrag-embed | techrag-index add -q --library {library}"
            );
            let _ = place.shell(&format!("set -o pipefail; {line}")).ok();
            let said = place.pipeline("ask.sh", &[library, "--records", QUESTION], "").ok().records().remove(0);
            said["answer"]["sentences"][0]["citations"][0]["page"].clone()
        };
        let (scan, original) = (page("scan.pdf", "lib-scan"), page(PAPER, "lib"));
        assert!(original.is_u64(), "{reader}");
        assert_eq!(scan, original, "{reader}");
    }
}

#[test]
fn pages_that_lie_on_their_side_or_stand_on_their_head_are_read() {
    let page = scanned(1..=1, 150.0).remove(0);
    let upright = gray(&page);
    let (width, height) = (usize::try_from(page.width).expect("few"), usize::try_from(page.height).expect("few"));
    let on_its_side: Vec<u8> =
        (0..width).flat_map(|x| (0..height).rev().map(move |y| (x, y))).map(|(x, y)| upright[y * width + x]).collect();
    let on_its_head: Vec<u8> = upright.iter().rev().copied().collect();
    for reader in readers() {
        let place = Place::new();
        write(&place, "upright.png", &png(page.width, page.height, &upright));
        write(&place, "side.png", &png(page.height, page.width, &on_its_side));
        write(&place, "head.png", &png(page.width, page.height, &on_its_head));
        let read = |name: &str| words(&chunk(&place, &["--ocr", reader, name]).ok());
        let upright = read("upright.png");
        assert!(upright.len() > 200, "{reader}: {} words", upright.len());
        for turned in ["side.png", "head.png"] {
            let share = recall(&upright, &read(turned));
            assert!(share > 0.9, "{reader} {turned}: {share}");
        }
    }
}

#[test]
fn without_a_reader_pages_are_named_and_pictures_refused() {
    let place = Place::new();
    write(&place, "scan.pdf", &pdf_of(&scanned(1..=2, 50.0)));
    write(&place, "picture.png", &png(8, 8, &[255; 64]));
    let off = chunk(&place, &["--ocr", "off", "scan.pdf"]).ok();
    let document = off.records().remove(0);
    assert_eq!(document["pages_without_text"], json!([1, 2]), "{off}");
    assert!(document["provenance"]["ocr"]["unread"].is_string(), "{document}");
    assert!(off.stderr.contains("2 pages without a usable text layer were not read"), "{off}");
    let named = chunk(&place, &["--ocr", "off", "picture.png"]);
    assert_eq!((named.code, &named.records()[0]["kind"]), (3, &json!("unsupported")), "{named}");
    let nowhere = place.path().join("nowhere").display().to_string();
    let missing = [("TECHRAG_MODELS", nowhere.as_str()), ("PATH", "/nowhere")];
    let by_name = place.run_with("techrag-chunk", &["--ocr", "pp-ocr", "scan.pdf"], &missing, "");
    assert!(by_name.code == 2 && by_name.stderr.contains("fetch-models.py --only PP-OCRv6-small"), "{by_name}");
    let by_name = place.run_with("techrag-chunk", &["--ocr", "tesseract", "scan.pdf"], &missing, "");
    assert!(by_name.code == 2 && by_name.stderr.contains("tesseract is not installed"), "{by_name}");
    let auto = place.run_with("techrag-chunk", &["scan.pdf"], &missing, "").ok();
    assert_eq!(auto.records()[0]["pages_without_text"], json!([1, 2]), "{auto}");
    assert!(auto.stderr.contains("were not read: tesseract is not installed"), "{auto}");
}

#[test]
fn pictures_of_nothing_and_hostile_ones_cost_themselves_only() {
    let Some(reader) = readers().first().copied() else { return };
    let place = Place::new();
    write(&place, "1-pixel.png", &png(1, 1, &[0]));
    let bomb = png(30_000, 30_000, &[255; 64]);
    write(&place, "bomb.png", &bomb);
    write(&place, "cut.png", &png(200, 200, &[255; 40_000])[..900]);
    write(&place, "white.png", &png(900, 700, &vec![255; 630_000]));
    write(&place, "named-so.jpg", b"\xff\xd8\xff\xe0 no picture at all");
    let run = chunk(&place, &["--ocr", reader, "."]);
    assert_eq!(run.code, 3, "{run}");
    let records = run.records();
    let of = |kind: &str, field: &str| -> Vec<String> {
        let records = records.iter().filter(|record| record["type"] == kind);
        records.map(|record| record[field].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(of("error", "of"), ["bomb.png", "cut.png", "named-so.jpg"], "{run}");
    assert_eq!(of("error", "kind"), ["too_large", "damaged", "damaged"], "{run}");
    assert_eq!(of("document", "key"), ["1-pixel.png", "white.png"], "{run}");
    assert!(records.iter().all(|record| record["type"] != "chunk"), "{run}");
}
