//! What is promised of PDFs, a sentence a test: small files written by hand, read through the whole of the crate.

mod sheet;

use std::time::Duration;

use serde_json::Value;
use sheet::{Font, Sheet, pdf};
use techrag_chunk::scan::{Ocr, OcrConfig, OcrReader};
use techrag_chunk::{Config, Outcome, Parsed, input, read};
use techrag_core::record::SpanKind;

/// Prose without commas at line ends or capitals that a heading could have.
const PROSE: &str = "The tyre transmits every force between the car and the road, and so it deserves a model of its own. \
    The slip angle of the wheel decides how large the lateral force becomes on a dry surface. On a wet one the film of \
    water takes part of the load, which lowers the force long before the driver notices it.";

fn config() -> Config {
    Config {
        target: 3500,
        min: 300,
        max: 6000,
        overlap: 0,
        max_bytes: 1 << 24,
        pdf: techrag_pdf::Config {
            worker: None,
            file_timeout: Duration::from_secs(60),
            page_timeout: Duration::from_secs(20),
            max_bytes: 1 << 24,
            max_pages: 100,
            max_memory: 1 << 30,
            password: None,
        },
        ocr: Ocr::new(OcrConfig {
            reader: OcrReader::Off,
            languages: "eng".into(),
            timeout: Duration::from_secs(60),
            memory: 1 << 30,
            models: Vec::new(),
            sessions: 1,
            doubt: 0.7,
        }),
        speech: techrag_chunk::speech::Speech {
            model: "whisper-base".into(),
            models: Vec::new(),
            listening: techrag_models::speech::SpeechConfig {
                worker: None,
                language: None,
                timeout: Duration::from_secs(60),
                memory: 1 << 31,
            },
        },
        by: "test".into(),
    }
}

fn parsed_with(name: &str, pages: &[Sheet], info: &str) -> Parsed {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, pdf(pages, info)).expect("a file can be written");
    let source = input::files(&path, None).next().expect("a source").expect("it is readable");
    match read(&source, &config()) {
        Outcome::Read(parsed) => *parsed,
        other => panic!("{other:?}"),
    }
}

fn parsed(pages: &[Sheet]) -> Parsed {
    parsed_with("paper.pdf", pages, "")
}

/// All chunks, a blank line between them.
fn text(parsed: &Parsed) -> String {
    parsed.chunks.iter().map(|chunk| chunk.text.as_str()).collect::<Vec<_>>().join("\n\n")
}

fn sheet() -> Sheet {
    Sheet::default()
}

/// A page of one column under a heading.
fn page(heading: &str) -> Sheet {
    sheet().line(Font::Bold, 12.0, 60.0, 100.0, heading).paragraph(60.0, 124.0, 95, PROSE)
}

fn assert_prose(text: &str) {
    assert!(text.contains(PROSE), "{text}");
}

#[test]
fn running_heads_and_page_numbers_are_no_text() {
    let words = ["road", "tyre", "wheel", "brake"];
    let pages: Vec<Sheet> = words
        .into_iter()
        .zip(1..)
        .map(|(word, number)| {
            let head = if number % 2 == 0 { "Lindqvist and Raman" } else { "Journal of Tyres 8 (2021)" };
            page(&format!("{number} On the {word}"))
                .paragraph(
                    60.0,
                    220.0,
                    95,
                    &format!("This page is about the {word} and what it does to the force of the car."),
                )
                .line(Font::Roman, 8.0, 60.0, 40.0, head)
                .line(Font::Roman, 8.0, 300.0, 770.0, &number.to_string())
        })
        .collect();
    let parsed = parsed(&pages);
    assert_eq!(parsed.chunks.len(), 4);
    for (chunk, word) in parsed.chunks.iter().zip(words) {
        assert_eq!(
            chunk.text,
            format!("{PROSE}\n\nThis page is about the {word} and what it does to the force of the car.")
        );
    }
}

#[test]
fn line_numbers_are_no_text() {
    let mut sheet = sheet().line(Font::Bold, 12.0, 60.0, 100.0, "1 Introduction");
    let (_, end) = Sheet::default().text(60.0, 124.0, 30, PROSE);
    sheet = sheet.paragraph(60.0, 124.0, 30, PROSE);
    let mut number = 1;
    let mut y = 124.0;
    while y < end - 1.0 {
        sheet = sheet.line(Font::Roman, 7.0, 30.0, y, &number.to_string());
        (number, y) = (number + 1, y + 12.0);
    }
    assert_eq!(text(&parsed(&[sheet])), PROSE);
}

#[test]
fn watermarks_are_no_text() {
    let mark = "BT 0.8 g /B 70 Tf 0.7 0.7 -0.7 0.7 140 200 Tm (CONFIDENTIAL) Tj ET 0 g";
    let pages = [page("1 Introduction").raw(mark), page("2 Model").raw(mark)];
    let text = text(&parsed(&pages));
    assert_prose(&text);
    assert!(!text.contains("CONFIDENTIAL"), "{text}");
}

#[test]
fn ligatures_are_letters() {
    let line = |y: f32, line: &str| format!("BT /N 10 Tf 1 0 0 1 60 {} Tm ({line}) Tj ET", 800.0 - y);
    let sheet = page("1 Introduction")
        .raw(&line(220.0, "The coe\\001cient of the \\001lm is de\\001ned where the ba\\002e ends."));
    let text = text(&parsed(&[sheet]));
    assert!(text.contains("The coeficient of the film is defined where the baffle ends."), "{text}");
}

#[test]
fn line_end_hyphens_go_and_those_of_compounds_stay() {
    let lines = [
        "The estimate of the fric-",
        "tion holds for a tyre-",
        "road contact, a fourth-",
        "order model and every-",
        "where else on the road.",
    ];
    let mut sheet = page("1 Introduction");
    for (line, y) in lines.into_iter().zip([220.0, 232.0, 244.0, 256.0, 268.0]) {
        sheet = sheet.line(Font::Roman, 10.0, 60.0, y, line);
    }
    let text = text(&parsed(&[sheet]));
    let wanted = "The estimate of the friction holds for a tyre-road contact, a fourth-order model and everywhere else on the road.";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn split_accents_are_joined() {
    // TeX draws the accent, goes back and draws the letter.
    let sheet = page("1 Introduction").raw("BT /N 10 Tf 1 0 0 1 60 580 Tm [(The map of Poincar) (\\003) 333 (e and of Mart) (\\003) 305 (\\004nez shows it.)] TJ ET");
    let text = text(&parsed(&[sheet]));
    assert!(text.contains("The map of Poincaré and of Martínez shows it."), "{text}");
}

#[test]
fn doubled_glyphs_are_read_once() {
    let sheet = page("1 Introduction")
        .line(Font::Roman, 10.0, 60.0, 580.0, "Every letter of this sentence was drawn twice.")
        .line(Font::Roman, 10.0, 60.3, 580.0, "Every letter of this sentence was drawn twice.");
    let text = text(&parsed(&[sheet]));
    assert_eq!(text.matches("Every letter of this sentence was drawn twice.").count(), 1, "{text}");
    assert!(!text.contains("EEvveerryy"), "{text}");
}

#[test]
fn invisible_text_is_no_text_where_other_text_is() {
    // A layer of recognised text under what is printed, and one where nothing is: a scan's.
    let layer = |y: f32, text: &str| format!("BT 3 Tr /R 10 Tf 1 0 0 1 60 {} Tm ({text}) Tj 0 Tr ET", 800.0 - y);
    let sheet = page("1 Introduction")
        .raw(&layer(124.0, "Tbe tyrc transmlts cvery force"))
        .raw(&layer(500.0, "Read from the scan."));
    let text = text(&parsed(&[sheet]));
    assert_eq!(text, format!("{PROSE}\n\nRead from the scan."));
}

/// Three columns under a title and an abstract that span them, a figure with its caption in the second, a footnote
/// under the first.
fn three_columns() -> Sheet {
    let (columns, width) = ([40.0, 220.0, 400.0], 36);
    let mut sheet = sheet()
        .line(Font::Bold, 16.0, 180.0, 60.0, "Forces of a Rolling Tyre")
        .line(Font::Roman, 10.0, 240.0, 84.0, "Anna Lindqvist")
        .line(Font::Bold, 10.0, 40.0, 110.0, "Abstract")
        .paragraph(40.0, 124.0, 115, &format!("This abstract runs over all columns. {PROSE}"));
    let words = ["alpha", "bravo", "charlie"];
    for ((x, word), at) in columns.into_iter().zip(words).zip(0..) {
        let mut y = 200.0;
        if at == 0 {
            sheet = sheet.line(Font::Bold, 12.0, x, 190.0, "1 Introduction");
            y = 210.0;
        }
        if at == 1 {
            sheet = sheet.raw(&format!("{x} 560 m {} 480 l {} 600 l S {x} 470 150 130 re S", x + 80.0, x + 150.0));
            sheet = sheet.line(Font::Roman, 9.0, x, 345.0, "Figure 1. The force over slip.");
            y = 375.0;
        }
        for part in 1..=3 {
            let paragraph = format!(
                "Part {word}{part} begins here. The slip angle of the wheel decides how large the lateral force becomes on a dry surface, and part {word}{part} ends."
            );
            let (next, below) = sheet.text(x, y, width, &paragraph);
            (sheet, y) = (next, below + 6.0);
        }
    }
    sheet.rule(40.0, 110.0, 700.0).line(Font::Roman, 7.0, 40.0, 710.0, "1 The footnote stands below the first column.")
}

#[test]
fn three_columns_are_read_one_after_the_other_and_what_spans_them_first() {
    let parsed = parsed(&[three_columns()]);
    assert_eq!(parsed.document.title.as_deref(), Some("Forces of a Rolling Tyre"));
    assert!(
        parsed.document.summary.as_deref().is_some_and(|text| text.starts_with("This abstract")),
        "{}",
        text(&parsed)
    );
    let text = text(&parsed);
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} is missing in {text}"));
    let parts: Vec<usize> = [
        "alpha1 begins",
        "alpha1 ends",
        "alpha2 begins",
        "alpha3 ends",
        "bravo1 begins",
        "bravo3 ends",
        "charlie1 begins",
        "charlie3 ends",
    ]
    .map(place)
    .into();
    assert!(parts.is_sorted(), "{text}");
    for whole in ["Figure 1. The force over slip.", "1 The footnote stands below the first column."] {
        assert!(text.contains(whole), "{text}");
    }
    assert!(place("This abstract") < parts[0]);
}

#[test]
fn every_paragraph_has_a_page_and_a_box_on_it() {
    let parsed = parsed(&[three_columns(), page("2 Model")]);
    for chunk in &parsed.chunks {
        let mut end = 0;
        for span in &chunk.spans {
            let [x0, y0, x1, y1] = span.bbox.expect("a box");
            assert!(
                span.page.is_some() && 0.0 <= x0 && x0 < x1 && x1 <= 600.0 && 0.0 <= y0 && y0 < y1 && y1 <= 800.0,
                "{span:?}"
            );
            assert!(chunk.text[end..span.start].trim().is_empty(), "nothing is without a place");
            end = span.end;
        }
        assert_eq!(end, chunk.text.len());
    }
}

#[test]
fn formulas_are_kept_in_their_sentence_and_marked() {
    let sheet = page("1 Introduction")
        .line(
            Font::Roman,
            10.0,
            60.0,
            220.0,
            "The lateral force of the tyre is proportional to the slip angle at small angles, that is",
        )
        .line(Font::Italic, 10.0, 250.0, 244.0, "F = C a - b")
        .line(Font::Roman, 10.0, 500.0, 244.0, "(1)")
        .line(
            Font::Roman,
            10.0,
            60.0,
            268.0,
            "where C is the cornering stiffness and a the slip angle of the wheel that carries the load.",
        );
    let parsed = parsed(&[sheet]);
    let marked: Vec<&str> = parsed
        .chunks
        .iter()
        .flat_map(|chunk| {
            chunk
                .spans
                .iter()
                .filter(|span| span.kind == SpanKind::Formula)
                .map(|span| &chunk.text[span.start..span.end])
        })
        .collect();
    assert_eq!(marked, ["F = C a - b (1)"], "{}", text(&parsed));
    assert!(text(&parsed).contains("that is\nF = C a - b (1)\nwhere C is"), "{}", text(&parsed));
}

#[test]
fn references_are_kept_out_of_the_chunks_and_taken_apart() {
    let sheet = page("1 Introduction")
        .line(Font::Bold, 12.0, 60.0, 220.0, "References")
        .line(
            Font::Roman,
            10.0,
            60.0,
            240.0,
            "[1] A. Lindqvist and P. Raman, \"Friction of wet roads,\" Journal of Tyres, vol. 3, 2019.",
        )
        .line(
            Font::Roman,
            10.0,
            60.0,
            256.0,
            "[2] M. Okoro, \"Slip and its estimation,\" Roads, 2020. doi: 10.5555/roads.2020.7",
        );
    let parsed = parsed(&[sheet]);
    assert!(!text(&parsed).contains("Okoro"));
    let titles: Vec<_> = parsed
        .document
        .references
        .iter()
        .map(|entry| (entry.title.as_deref(), entry.year, entry.doi.as_deref()))
        .collect();
    assert_eq!(
        titles,
        [
            (Some("Friction of wet roads"), Some(2019), None),
            (Some("Slip and its estimation"), Some(2020), Some("10.5555/roads.2020.7"))
        ]
    );
}

#[test]
fn headings_without_text_of_their_own_are_in_the_outline() {
    let sheet = sheet()
        .line(Font::Bold, 12.0, 60.0, 100.0, "1 Model")
        .line(Font::Bold, 10.0, 60.0, 120.0, "1.1 Tyre")
        .paragraph(60.0, 140.0, 95, PROSE)
        .line(Font::Bold, 12.0, 60.0, 220.0, "2 Results")
        .paragraph(
            60.0,
            240.0,
            95,
            "The results are those of the model, and the model is that of the tyre on a dry road.",
        );
    let parsed = parsed(&[sheet]);
    let outline: Vec<_> =
        parsed.document.outline.iter().map(|heading| (heading.text.as_str(), heading.level, heading.page)).collect();
    assert_eq!(outline, [("1 Model", 1, Some(1)), ("1.1 Tyre", 2, Some(1)), ("2 Results", 1, Some(1))]);
    assert_eq!(parsed.chunks.iter().map(|chunk| chunk.section.as_str()).collect::<Vec<_>>(), ["1.1 Tyre", "2 Results"]);
}

#[test]
fn a_value_has_a_source_and_an_unknown_one_is_absent() {
    let front = three_columns()
        .line(Font::Roman, 8.0, 40.0, 30.0, "Journal of Tyres 8 (2021) 1-9, doi: 10.5555/tyres.2021.4")
        .paragraph(40.0, 177.0, 115, "Keywords: tyre, slip angle")
        .raw("BT /R 20 Tf 0 1 -1 0 25 250 Tm (arXiv:2101.01234v2 [cs.RO] 5 Jan 2021) Tj ET");
    let document = parsed(&[front]).document;
    let source = |name: &str| {
        document
            .provenance
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_else(|| panic!("{name}: {:?}", document.provenance))
            .to_owned()
    };
    assert_eq!((document.title.as_deref(), source("title").as_str()), (Some("Forces of a Rolling Tyre"), "layout"));
    assert_eq!(document.authors, ["Anna Lindqvist"]);
    assert_eq!(document.year, Some(2021));
    assert_eq!(document.doi.as_deref(), Some("10.5555/tyres.2021.4"));
    assert_eq!(document.arxiv.as_deref(), Some("2101.01234"));
    assert_eq!(document.keywords, ["tyre", "slip angle"]);
    for name in ["authors", "year", "doi", "arxiv", "keywords", "abstract"] {
        assert!(!source(name).is_empty());
    }
    let unknown = parsed(&[page("1 Introduction")]).document;
    assert_eq!((unknown.year, unknown.doi, unknown.arxiv), (None, None, None));
    assert!(unknown.authors.is_empty() && unknown.summary.is_none() && unknown.keywords.is_empty());
}

/// Two lines of plain words.
const WORDS: [&str; 2] = [
    "the tyre transmits every force between the car and the road and so it deserves a model",
    "of its own and the slip angle of the wheel decides how large the lateral force becomes",
];

#[test]
fn a_page_with_a_wrong_map_is_read_by_its_codes_and_its_reader_named() {
    let [first, second] = WORDS;
    let bad = sheet().line(Font::Shifted, 10.0, 60.0, 100.0, first).line(Font::Shifted, 10.0, 60.0, 112.0, second);
    let parsed = parsed(&[page("1 Introduction"), bad]);
    assert!(text(&parsed).contains(&WORDS.join(" ")), "{}", text(&parsed));
    let readers = parsed.document.provenance.get("readers");
    assert_eq!(readers, Some(&serde_json::json!({ "lopdf": [2] })));
}

#[test]
fn a_page_whose_words_are_none_is_named_and_a_good_one_is_not() {
    let shift = |c: char| if c.is_ascii_lowercase() { char::from((c as u8 - b'a' + 3) % 26 + b'a') } else { c };
    let [first, second] = WORDS.map(|line| line.chars().map(shift).collect::<String>());
    let bad = sheet().line(Font::Roman, 10.0, 60.0, 100.0, &first).line(Font::Roman, 10.0, 60.0, 112.0, &second);
    let parsed = parsed(&[page("1 Introduction"), bad]);
    let named = parsed.document.provenance.get("pages_low_quality").and_then(Value::as_array);
    let named = named.unwrap_or_else(|| panic!("{:?}", parsed.document.provenance));
    assert_eq!(named.iter().map(|page| page["page"].as_u64()).collect::<Vec<_>>(), [Some(2)]);
    assert!(named[0]["words"].as_f64().is_some_and(|share| share < 0.5), "{named:?}");
}

#[test]
fn a_page_without_text_is_named() {
    let parsed = parsed(&[page("1 Introduction"), sheet().raw("0 0 100 100 re f")]);
    assert_eq!(parsed.document.pages_without_text, [2]);
}
