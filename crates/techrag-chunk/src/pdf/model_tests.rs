//! Pages built by hand: what the fixture papers do not hold.

use serde_json::json;
use techrag_pdf::{Block, BlockKind, Line, OutlineItem, Page, Pdf, Run};

use crate::draft::Draft;

#[derive(Clone, Copy, PartialEq)]
enum Font {
    Text,
    Bold,
    Italic,
    Title,
}

fn line(parts: &[(&str, Font)], y: f32) -> Line {
    let runs = parts.iter().map(|(text, font)| Run {
        text: (*text).into(),
        size: if *font == Font::Title { 16.0 } else { 10.0 },
        bold: *font == Font::Bold,
        italic: *font == Font::Italic,
        ..Run::default()
    });
    let width: usize = parts.iter().map(|(text, _)| text.len()).sum();
    Line { bbox: [50.0, y, 50.0 + 5.0 * width as f32, y + 10.0], runs: runs.collect() }
}

/// A block of lines of one font each.
fn block(kind: BlockKind, y: f32, lines: &[(&str, Font)]) -> Block {
    let lines: Vec<Line> =
        lines.iter().zip(0_u8..).map(|(part, at)| line(&[*part], y + 12.0 * f32::from(at))).collect();
    let right = lines.iter().map(|line| line.bbox[2]).fold(0.0, f32::max);
    let bottom = lines.last().map_or(y, |line| line.bbox[3]);
    Block { kind, bbox: [50.0, y, right, bottom], lines, ..Block::default() }
}

fn text(y: f32, text: &str) -> Block {
    block(BlockKind::Body, y, &[(text, Font::Text)])
}

fn heading(y: f32, text: &str) -> Block {
    block(BlockKind::Body, y, &[(text, Font::Bold)])
}

fn pdf(pages: Vec<Vec<Block>>) -> Pdf {
    let page =
        |(blocks, number): (Vec<Block>, u32)| Page { number, width: 600.0, height: 800.0, blocks, ..Page::default() };
    Pdf { pages: pages.into_iter().zip(1..).map(page).collect(), ..Pdf::default() }
}

fn draft(pdf: &Pdf) -> Draft {
    super::draft(pdf, "key.pdf")
}

fn sections(draft: &Draft) -> Vec<(&str, Vec<&str>)> {
    draft
        .sections
        .iter()
        .map(|section| (section.heading.as_str(), section.paragraphs.iter().map(|p| p.text.as_str()).collect()))
        .collect()
}

const LONG: &str =
    "The tyre transmits every force between the car and the road, and so it deserves a model of its own.";

/// Three pages; a paragraph goes on from the first to the second, over a caption. `rest` is the third.
fn interrupted(rest: Vec<Block>) -> Pdf {
    let mut cut = text(700.0, "The force of the tyre grows with the");
    cut.continues = true;
    let caption = block(BlockKind::Caption, 60.0, &[("Figure 1. A tyre.", Font::Text)]);
    let footer = block(BlockKind::Footer, 780.0, &[("1", Font::Text)]);
    pdf(vec![
        vec![heading(100.0, "1 Introduction"), text(120.0, LONG), cut, footer],
        vec![caption, text(100.0, "slip angle."), text(130.0, "Then it falls.")],
        rest,
    ])
}

const JOINED: &str = "The force of the tyre grows with the slip angle.";

#[test]
fn a_paragraph_goes_on_over_a_page_and_a_float_between_cuts_no_text_a_second_time() {
    let draft = draft(&interrupted(vec![text(60.0, "It is over.")]));
    let paragraphs = vec![LONG, JOINED, "Then it falls.", "It is over.", "Figure 1. A tyre."];
    assert_eq!(sections(&draft), [("1 Introduction", paragraphs)]);
    let spans = &draft.sections[0].paragraphs[1].spans;
    assert_eq!(spans.iter().map(|span| span.page).collect::<Vec<_>>(), [Some(1), Some(2)]);
}

#[test]
fn a_stamp_on_a_page_is_in_no_sentence_that_goes_over_its_end() {
    for stamped in ["received by the library on the first of May", "Received by the library."] {
        for continues in [true, false] {
            let mut pdf = interrupted(vec![text(60.0, "It is over.")]);
            pdf.pages[0].blocks[2].continues = continues;
            pdf.pages[0].blocks.push(Block { is_overlay: true, ..text(100.0, stamped) });
            let paragraphs = vec![LONG, JOINED, "Then it falls.", stamped, "It is over.", "Figure 1. A tyre."];
            assert_eq!(sections(&draft(&pdf)), [("1 Introduction", paragraphs)]);
        }
    }
}

#[test]
fn a_float_stays_in_its_section_and_before_the_next_float() {
    let pdf = interrupted(vec![heading(60.0, "2 Model"), text(80.0, LONG)]);
    let first = vec![LONG, JOINED, "Then it falls.", "Figure 1. A tyre."];
    assert_eq!(sections(&draft(&pdf)), [("1 Introduction", first), ("2 Model", vec![LONG])]);
    let next = block(BlockKind::Caption, 80.0, &[("Figure 2. A rim.", Font::Text)]);
    let pdf = interrupted(vec![text(60.0, LONG), next, text(100.0, "It is over.")]);
    let all = vec![LONG, JOINED, "Then it falls.", LONG, "Figure 1. A tyre.", "Figure 2. A rim.", "It is over."];
    assert_eq!(sections(&draft(&pdf)), [("1 Introduction", all)]);
}

#[test]
fn a_float_does_not_wait_longer_than_a_page() {
    let mut pdf = interrupted(vec![text(60.0, LONG)]);
    let page =
        |number| Page { number, blocks: vec![text(60.0, "More."), text(90.0, "Again.")], ..pdf.pages[2].clone() };
    let more = [page(4), page(5)];
    pdf.pages.extend(more);
    let all = vec![LONG, JOINED, "Then it falls.", LONG, "Figure 1. A tyre.", "More.", "Again.", "More.", "Again."];
    assert_eq!(sections(&draft(&pdf)), [("1 Introduction", all)]);
}

#[test]
fn a_formula_belongs_to_its_sentence() {
    let formula = block(BlockKind::Formula, 150.0, &[("F = C α", Font::Italic)]);
    let pdf = pdf(vec![vec![
        heading(100.0, "1 Model"),
        text(120.0, "The force is"),
        formula,
        text(170.0, "where C is the stiffness."),
        text(190.0, LONG),
    ]]);
    assert_eq!(sections(&draft(&pdf)), [("1 Model", vec!["The force is\nF = C α\nwhere C is the stiffness.", LONG])]);
}

#[test]
fn a_table_of_contents_is_no_text_and_its_lines_are_no_headings() {
    let contents = vec![
        block(BlockKind::Body, 40.0, &[("A Manual of Tyres", Font::Title)]),
        heading(60.0, "Contents"),
        heading(80.0, "1 Introduction 2"),
        text(100.0, "1.1 Scope . . . . . . . 2"),
        heading(120.0, "2 Model 3"),
    ];
    let body = vec![heading(60.0, "1 Introduction"), text(80.0, LONG), heading(100.0, "2 Model"), text(120.0, LONG)];
    let draft = draft(&pdf(vec![contents, body]));
    assert_eq!(draft.title.as_deref(), Some("A Manual of Tyres"));
    let headings: Vec<&str> = draft.sections.iter().map(|section| section.heading.as_str()).collect();
    assert_eq!(headings, ["", "1 Introduction", "2 Model"]);
    assert_eq!(draft.provenance["left_out"]["contents"], 3);
}

#[test]
fn a_listing_keeps_its_lines_and_the_sentence_around_it_goes_on() {
    let pdf = pdf(vec![vec![
        heading(60.0, "1 Model"),
        text(80.0, "The slip is found by"),
        block(BlockKind::Listing, 100.0, &[("def slip(v, r):", Font::Text), ("    return v - r", Font::Text)]),
        text(140.0, "and then filtered. This is the rest of the paragraph."),
        text(180.0, LONG),
    ]]);
    let whole = "The slip is found by and then filtered. This is the rest of the paragraph.";
    assert_eq!(sections(&draft(&pdf)), [("1 Model", vec![whole, "def slip(v, r):\n    return v - r", LONG])]);
}

#[test]
fn pages_of_nothing_but_lines_that_repeat_are_read() {
    let page = |number: u32| {
        let line = format!("Measurement of friction number {number}");
        vec![block(BlockKind::Marginal, 300.0, &[(line.as_str(), Font::Text)])]
    };
    let draft = draft(&pdf((1..=4).map(page).collect()));
    let text: Vec<&str> = draft.sections.iter().flat_map(|s| &s.paragraphs).map(|p| p.text.as_str()).collect();
    assert!((1..=4).all(|n| text.join(" ").contains(&format!("number {n}"))), "{text:?}");
    assert_eq!(draft.provenance.get("left_out"), None);
}

#[test]
fn what_stands_on_a_page_and_not_in_the_text_is_counted() {
    let mut pages = vec![vec![
        text(100.0, LONG),
        block(BlockKind::FigureText, 200.0, &[("slip angle", Font::Text), ("0 5", Font::Text)]),
        block(BlockKind::Marginal, 300.0, &[("12", Font::Text)]),
        block(BlockKind::Header, 10.0, &[("Tyres", Font::Text)]),
    ]];
    let counted = json!({ "words in figures": 4, "lines in margins": 1, "running headers and footers": 1 });
    assert_eq!(draft(&pdf(pages.clone())).provenance["left_out"], counted);
    pages[0].truncate(1);
    assert_eq!(draft(&pdf(pages)).provenance.get("left_out"), None);
}

#[test]
fn bold_words_in_a_paper_with_numbers_are_no_sections() {
    let mut run_in = text(200.0, "");
    run_in.lines = vec![line(&[("of the tyre", Font::Bold), (" It grows.", Font::Text)], 200.0)];
    let pdf = pdf(vec![vec![
        heading(100.0, "1 Introduction"),
        text(120.0, LONG),
        heading(140.0, "Theorem 1"),
        text(160.0, LONG),
        heading(188.0, "The lateral force"),
        run_in,
        heading(240.0, "Bias"),
        text(260.0, "too high"),
        heading(280.0, "Acknowledgements"),
        text(300.0, LONG),
    ]]);
    let draft = draft(&pdf);
    let headings: Vec<&str> = draft.sections.iter().map(|section| section.heading.as_str()).collect();
    assert_eq!(headings, ["1 Introduction", "Acknowledgements"]);
    let all = draft.sections[0].paragraphs.iter().map(|p| p.text.as_str()).collect::<Vec<_>>();
    assert!(all.contains(&"The lateral force of the tyre It grows."), "{all:?}");
}

#[test]
fn a_numbered_heading_may_hold_a_formula() {
    let mut with_formula = text(140.0, "");
    with_formula.lines = vec![line(&[("2 INFERENCE FOR ", Font::Bold), ("p(z | y, θ)", Font::Italic)], 140.0)];
    with_formula.kind = BlockKind::Formula;
    let pdf = pdf(vec![vec![heading(100.0, "1 Model"), text(120.0, LONG), with_formula, text(160.0, LONG)]]);
    let draft = draft(&pdf);
    assert_eq!(sections(&draft), [("1 Model", vec![LONG]), ("2 INFERENCE FOR p(z | y, θ)", vec![LONG])]);
}

#[test]
fn without_numbers_a_bold_line_above_text_is_a_heading() {
    let titled = block(
        BlockKind::Body,
        200.0,
        &[
            ("Elastic stop nut", Font::Italic),
            ("It holds by friction of a fibre ring, and must be replaced.", Font::Text),
        ],
    );
    let draft = draft(&pdf(vec![vec![text(100.0, LONG), titled]]));
    let got = sections(&draft);
    assert_eq!(got[1].0, "Elastic stop nut");
    assert_eq!(got[1].1, ["It holds by friction of a fibre ring, and must be replaced."]);
}

#[test]
fn the_outline_names_headings_that_look_like_text() {
    let mut pdf = pdf(vec![vec![text(100.0, LONG), text(120.0, "Slip and force"), text(140.0, LONG)]]);
    pdf.outline = vec![OutlineItem { level: 1, title: "Slip and  force".into(), page: Some(1) }];
    let draft = draft(&pdf);
    assert_eq!(sections(&draft), [("", vec![LONG]), ("Slip and force", vec![LONG])]);
}

#[test]
fn pages_that_hold_nothing_but_a_repeated_line_are_text() {
    let page = |words: &str| vec![block(BlockKind::Header, 30.0, &[(words, Font::Text)])];
    let draft = draft(&pdf(vec![page("Page 1, marker A"), page("Page 2, marker B")]));
    let paragraphs = &draft.sections[0].paragraphs;
    let places: Vec<_> = paragraphs.iter().map(|p| (p.text.as_str(), p.spans[0].page)).collect();
    assert_eq!(places, [("Page 1, marker A", Some(1)), ("Page 2, marker B", Some(2))]);
}

#[test]
fn a_running_head_is_told_by_its_line_where_its_words_differ() {
    let head = block(BlockKind::Header, 30.0, &[("Journal 8 (2021)", Font::Text)]);
    let pdf = pdf(vec![
        vec![heading(100.0, "1 Introduction"), text(120.0, LONG)],
        vec![head, text(100.0, LONG)],
        vec![text(30.0, "Veldhuis and Belkacemi"), text(100.0, "It ends here.")],
    ]);
    assert_eq!(sections(&draft(&pdf)), [("1 Introduction", vec![LONG, LONG, "It ends here."])]);
}

/// A grid of one cell at a height, `x` from the left.
fn grid(x: f32, y: f32, cell: &str) -> Block {
    let mut grid = block(BlockKind::Table, y, &[(cell, Font::Text)]);
    grid.cells = vec![vec![cell.into()]];
    for bbox in std::iter::once(&mut grid.bbox).chain(grid.lines.iter_mut().map(|line| &mut line.bbox)) {
        (bbox[0], bbox[2]) = (bbox[0] + x, bbox[2] + x);
    }
    grid
}

fn captions(blocks: Vec<Block>) -> Vec<Option<String>> {
    let draft = draft(&pdf(vec![[vec![heading(50.0, "1 Data"), text(70.0, LONG)], blocks].concat()]));
    let paragraphs = draft.sections.into_iter().flat_map(|section| section.paragraphs);
    paragraphs.filter_map(|paragraph| paragraph.table).map(|table| table.caption).collect()
}

#[test]
fn grids_side_by_side_and_parts_under_each_other_share_a_caption() {
    let caption = |y, words| block(BlockKind::Caption, y, &[(words, Font::Text)]);
    let some = |words: &str| Some(words.to_owned());
    let beside = vec![grid(0.0, 140.0, "a"), grid(200.0, 140.0, "b"), caption(160.0, "Table 1. Both.")];
    assert_eq!(captions(beside), [some("Table 1. Both."), some("Table 1. Both.")]);
    let over = vec![grid(0.0, 140.0, "a"), grid(0.0, 180.0, "b"), caption(220.0, "Table 1. The last.")];
    assert_eq!(captions(over), [None, some("Table 1. The last.")]);
    let parts = vec![caption(120.0, "Table 1. Parts."), grid(0.0, 140.0, "a"), grid(0.0, 180.0, "b")];
    assert_eq!(captions(parts.clone()), [some("Table 1. Parts."), some("Table 1. Parts.")]);
    let own = [parts, vec![caption(220.0, "Table 2. Its own.")]].concat();
    assert_eq!(captions(own), [some("Table 1. Parts."), some("Table 2. Its own.")]);
}

#[test]
fn a_table_over_two_pages_has_its_caption_on_both() {
    let part = |cells: &[&str]| {
        let mut part = grid(0.0, 100.0, "a");
        part.cells = cells.iter().map(|cell| vec![(*cell).into()]).collect();
        part
    };
    let caption = block(BlockKind::Caption, 160.0, &[("Table 1. Long.", Font::Text)]);
    let captions = |first: Vec<Block>, second: Vec<Block>| {
        let draft = draft(&pdf(vec![[vec![heading(50.0, "1 Data"), text(70.0, LONG)], first].concat(), second]));
        let paragraphs = draft.sections.into_iter().flat_map(|section| section.paragraphs);
        paragraphs.filter_map(|paragraph| paragraph.table).map(|table| table.caption.is_some()).collect::<Vec<_>>()
    };
    let (one, two) = (part(&["year", "1990"]), part(&["year", "1991"]));
    assert_eq!(captions(vec![one.clone()], vec![two.clone(), caption.clone()]), [true, true]);
    assert_eq!(captions(vec![caption.clone(), one.clone()], vec![two.clone()]), [true, true]);
    let other = part(&["month", "May"]);
    assert_eq!(captions(vec![one], vec![other, caption]), [false, true]);
}

#[test]
fn a_table_and_its_caption_are_one_paragraph() {
    let caption = block(BlockKind::Caption, 140.0, &[("Table 1. Data.", Font::Text)]);
    let mut grid = block(BlockKind::Table, 160.0, &[("a b", Font::Text), ("1 2", Font::Text)]);
    grid.cells = vec![vec!["a".into(), "b".into()], vec!["1".into(), "2".into()]];
    let draft = draft(&pdf(vec![vec![heading(100.0, "1 Data"), text(120.0, LONG), caption, grid, text(200.0, LONG)]]));
    let paragraph = &draft.sections[0].paragraphs[1];
    assert_eq!(paragraph.text, "Table 1. Data.\n\n| a | b |\n| --- | --- |\n| 1 | 2 |");
    let table = paragraph.table.as_ref().unwrap();
    assert_eq!((table.caption.as_deref(), table.page), (Some("Table 1. Data."), Some(1)));
    let boxes: Vec<_> =
        paragraph.spans.iter().map(|span| (&paragraph.text[span.start..span.end], span.bbox.map(|b| b[1]))).collect();
    assert_eq!(boxes, [("Table 1. Data.", Some(140.0)), ("| a | b |\n| --- | --- |\n| 1 | 2 |", Some(160.0))]);
}
