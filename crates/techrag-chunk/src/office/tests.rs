//! The office fixtures give what was written into them, and hostile files cost a message.

use std::io::{Cursor, Write as _};
use std::path::Path;

use techrag_core::record::ErrorKind;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;
use crate::draft::Section;

fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/office").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn drafted(bytes: &[u8]) -> Draft {
    match read(bytes, "k") {
        Office::Read(draft) => *draft,
        Office::Other(media_type) => panic!("{media_type}"),
        Office::Failed(error) => panic!("{error:?}"),
    }
}

fn failure(bytes: &[u8]) -> (ErrorKind, String) {
    match read(bytes, "k") {
        Office::Failed(error) => (error.kind, error.message),
        Office::Read(draft) => panic!("{draft:?}"),
        Office::Other(media_type) => panic!("{media_type}"),
    }
}

fn texts(section: &Section) -> Vec<&str> {
    section.paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect()
}

#[test]
fn a_word_document_keeps_lists_tables_and_notes_and_loses_what_nobody_sees() {
    let draft = drafted(&fixture("report.docx"));
    assert_eq!(draft.title.as_deref(), Some("Braking on wet basalt"));
    let got: Vec<_> = draft.sections.iter().map(|section| (section.heading.as_str(), texts(section))).collect();
    assert_eq!(
        got,
        [
            ("Braking on wet basalt", vec![]),
            (
                "Introduction",
                vec![
                    "The drum was wetted with 0.5 mm of water.[^1] Friction fell to 0.31.",
                    "[^1] Measured at 20 °C.",
                    "Three tyres were tested:",
                    "- summer tyre\n- all-season tyre\n- worn to 3 mm\n1. Wet the drum\n2. Brake to a stop",
                ]
            ),
            ("Results", vec![]),
            (
                "Friction",
                vec![
                    "Table 1. Peak friction.\n\n| Tyre | Peak friction | Peak friction |\n| --- | --- | --- |\n| Tyre | dry | wet |\n\
                     | summer | 0.98 | 0.61 |",
                    "Kept and inserted.",
                ]
            ),
        ]
    );
    let titles: Vec<_> = draft.references.iter().map(|reference| reference.title.as_deref()).collect();
    assert_eq!(titles, [Some("Side forces of rolling tyres"), Some("Tyre and vehicle dynamics")]);
}

#[test]
fn a_deck_is_read_slide_by_slide_with_notes_and_charts() {
    let draft = drafted(&fixture("deck.pptx"));
    assert_eq!((draft.title.as_deref(), draft.pages), (Some("Slip control"), Some(3)));
    let got: Vec<_> = draft.sections.iter().map(|section| (section.heading.as_str(), texts(section))).collect();
    assert_eq!(
        got,
        [
            (
                "Slip control",
                vec![
                    "- Estimate the slip\n  - from wheel speed\n- Limit the torque",
                    "Speaker notes: Say that the estimate lags by 20 ms."
                ]
            ),
            ("Columns", vec!["left", "right above", "right below", "in a group"]),
            (
                "Data",
                vec![
                    "| Stopping distance | Stopping distance |\n| --- | --- |\n| dry | wet |\n| 38 m | 61 m |",
                    "Friction over slip (line chart)\n\n|  | dry | wet |\n| --- | --- | --- |\n| 0.1 | 0.75 | 0.4 |\n| 0.2 | 0.98 | 0.61 |",
                ]
            ),
        ]
    );
    for (number, section) in (1..).zip(&draft.sections) {
        for paragraph in &section.paragraphs {
            assert_eq!(paragraph.spans[0].page, Some(number), "{}", paragraph.text);
        }
    }
    let left = draft.sections[1].paragraphs[0].spans[0].bbox.unwrap();
    let wanted = [1.0, 5.0, 11.0, 13.0].map(|centimetres: f32| centimetres / 2.54 * 72.0);
    assert!(left.iter().zip(wanted).all(|(got, wanted)| (got - wanted).abs() < 0.01), "{left:?}");
}

#[test]
fn a_workbook_has_typed_values_addresses_and_formulas() {
    let draft = drafted(&fixture("sheet.xlsx"));
    assert_eq!((draft.pages, &draft.pages_without_text), (Some(3), &vec![3]));
    assert_eq!(draft.provenance["hidden_sheets"], json!(["Results"]));
    let runs = &draft.sections[0];
    let tables: Vec<_> = runs.paragraphs.iter().filter_map(|paragraph| paragraph.table.as_ref()).collect();
    let ranges: Vec<_> = tables.iter().map(|table| table.range.as_deref()).collect();
    assert_eq!(ranges, [Some("A1:F3"), Some("H2:I3"), Some("B7:C8")]);
    assert_eq!(
        tables[0].cells,
        [
            ["Run", "Date", "Start", "Friction", "Valid", "Double"],
            ["1", "2024-03-01", "14:30:00", "0.3", "TRUE", "0.6"],
            ["2", "2024-03-02", "09:05:00", "0.61", "FALSE", "=D3*2"]
        ]
    );
    assert_eq!(tables[0].formulas, [("F2", "D2*2"), ("F3", "D3*2")].map(|(a, b)| (a.to_owned(), b.to_owned())).into());
    assert_eq!(tables[2].cells, [["Conditions", "Conditions"], ["water", "0.5 mm"]]);
    assert_eq!(texts(&draft.sections[1]), ["only a word"]);
    assert!(
        draft
            .sections
            .iter()
            .flat_map(|section| &section.paragraphs)
            .all(|paragraph| paragraph.spans[0].page.is_some())
    );
}

/// An archive of these parts.
fn package(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A package whose main part is at this place with this content.
fn office(main: &str, content: &[u8], further: &[(&str, &[u8])]) -> Vec<u8> {
    let rels = format!(
        "<Relationships><Relationship Id='r' Type='{RELATIONS}/officeDocument' Target='{main}'/></Relationships>"
    );
    let parts = [("[Content_Types].xml", b"<Types/>".as_slice()), ("_rels/.rels", rels.as_bytes()), (main, content)];
    package(&[&parts, further].concat())
}

fn document(body: &str) -> String {
    let space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    format!("<w:document xmlns:w='{space}'><w:body>{body}</w:body></w:document>")
}

#[test]
fn the_main_part_decides_whatever_the_names_say() {
    let body = document("<w:p><w:r><w:t>A tyre.</w:t></w:r></w:p>");
    let draft = drafted(&office("ppt/presentation.xml", body.as_bytes(), &[]));
    assert!(draft.media_type.ends_with("wordprocessingml.document"));
    assert_eq!(texts(&draft.sections[0]), ["A tyre."]);
    let (kind, message) = failure(&office("word/document.xml", b"<html/>", &[]));
    assert_eq!(kind, ErrorKind::Damaged);
    assert!(message.contains("word/document.xml") && message.contains("html"), "{message}");
    assert!(matches!(read(&package(&[("a.txt", b"x")]), "k"), Office::Other("application/zip")));
}

#[test]
fn a_truncated_archive_is_damaged() {
    let whole = fixture("report.docx");
    for share in [2, 3, 50] {
        let (kind, message) = failure(&whole[..whole.len() - whole.len() / share]);
        assert_eq!(kind, ErrorKind::Damaged);
        assert!(message.contains("cut short"), "{message}");
    }
    assert!(matches!(read(b"PK\x03\x04 and nothing else", "k"), Office::Other("application/zip")));
}

#[test]
fn bombs_cost_a_message() {
    let bomb = vec![b' '; 60 << 20];
    let (kind, message) = failure(&office("word/document.xml", &bomb, &[]));
    assert_eq!((kind, message.contains("inflates")), (ErrorKind::TooLarge, true), "{message}");
    let lol = b"<!DOCTYPE a [<!ENTITY b 'lol'><!ENTITY c '&b;&b;&b;&b;'>]><a>&c;</a>";
    let (kind, message) = failure(&office("word/document.xml", lol, &[]));
    assert_eq!((kind, message.contains("document type")), (ErrorKind::Damaged, true), "{message}");
    let deep = document(&"<w:ins>".repeat(100_000));
    assert_eq!(failure(&office("word/document.xml", deep.as_bytes(), &[])).0, ErrorKind::Damaged);
}

/// A workbook whose one sheet has this inside.
fn workbook(sheet: &str) -> Vec<u8> {
    workbook_with(sheet, &[])
}

/// The same with further parts.
fn workbook_with(sheet: &str, further: &[(&str, &[u8])]) -> Vec<u8> {
    let space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let book = format!(
        "<workbook xmlns='{space}' xmlns:r='{RELATIONS}'><sheets><sheet name='S' sheetId='1' r:id='r1'/></sheets></workbook>"
    );
    let rels = format!(
        "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>\
         <Relationship Id='r1' Type='{RELATIONS}/worksheet' Target='worksheets/sheet1.xml'/></Relationships>"
    );
    let sheet = format!("<worksheet xmlns='{space}'>{sheet}</worksheet>");
    let parts = [("xl/_rels/workbook.xml.rels", rels.as_bytes()), ("xl/worksheets/sheet1.xml", sheet.as_bytes())];
    office("xl/workbook.xml", book.as_bytes(), &[&parts, further].concat())
}

#[test]
fn what_a_sheet_claims_to_be_costs_nothing() {
    let cells = "<row r='1'><c r='A1'><v>1</v></c></row><row r='1048576'><c r='XFD1048576'><v>2</v></c></row>";
    let draft = drafted(&workbook(&format!(
        "<dimension ref='A1:XFD1048576'/><sheetData>{cells}</sheetData>\
         <mergeCells count='1'><mergeCell ref='A1:XFD1048576'/></mergeCells>"
    )));
    assert_eq!(texts(&draft.sections[0]), ["1", "2"]);
    // Connected only by empty rows and columns without gaps: a diagonal.
    let diagonal: String = (1..=200)
        .map(|at| format!("<row r='{at}'><c r='{}'><v>{at}</v></c></row>", crate::address::name(at, at)))
        .collect();
    let draft = drafted(&workbook(&format!("<sheetData>{diagonal}</sheetData>")));
    let lines = texts(&draft.sections[0]);
    assert!(lines[0].starts_with("A1: 1\nB2: 2\n"), "{lines:?}");
}

#[test]
fn too_many_cells_cost_the_sheet() {
    let row = |row: usize| format!("<row r='{row}'>{}</row>", "<c><v>1</v></c>".repeat(10_000));
    let rows: String = (1..=101).map(row).collect();
    let draft = drafted(&workbook(&format!("<sheetData>{rows}</sheetData>")));
    assert!(draft.sections.is_empty());
    assert!(matches!(&draft.pages_failed[..], [(1, why)] if why.contains("1000000")), "{:?}", draft.pages_failed);
}

#[test]
fn relations_that_lead_out_of_the_file_lead_nowhere() {
    let body = document("<w:p><w:r><w:t>A tyre.</w:t></w:r><w:r><w:commentReference w:id='0'/></w:r></w:p>");
    for target in ["../../../../../../etc/passwd", "/../../etc/passwd", "file:///etc/passwd", "..\\..\\etc\\passwd"] {
        let rels = format!(
            "<Relationships><Relationship Id='c' Type='{RELATIONS}/comments' Target='{target}'/></Relationships>"
        );
        let parts = [("word/_rels/document.xml.rels", rels.as_bytes())];
        let draft = drafted(&office("word/document.xml", body.as_bytes(), &parts));
        assert_eq!(texts(&draft.sections[0]), ["A tyre."], "{target}");
    }
    // A part that refers to itself is read once.
    let rels = format!(
        "<Relationships><Relationship Id='c' Type='{RELATIONS}/comments' Target='document.xml'/></Relationships>"
    );
    let parts = [("word/_rels/document.xml.rels", rels.as_bytes())];
    assert_eq!(texts(&drafted(&office("word/document.xml", body.as_bytes(), &parts)).sections[0]), ["A tyre."]);
}

#[test]
fn what_hangs_on_a_cell_is_kept_or_counted_as_elsewhere() {
    let space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    let run = |inside: &str| format!("<w:r>{inside}</w:r>");
    let text = |words: &str| run(&format!("<w:t>{words}</w:t>"));
    let aside = |words: &str| {
        let boxed = run(&format!(
            "<w:pict><v:textbox xmlns:v='urn:schemas-microsoft-com:vml'><w:txbxContent><w:p>{}</w:p></w:txbxContent></v:textbox></w:pict>",
            text(&format!("box {words}"))
        ));
        let refers = run("<w:footnoteReference w:id='1'/>") + &run("<w:commentReference w:id='1'/>");
        format!(
            "<w:p>{}{refers}{boxed}{}</w:p>",
            text(words),
            run("<w:pict><v:imagedata xmlns:v='urn:schemas-microsoft-com:vml'/></w:pict>")
        )
    };
    let note = format!(
        "<w:footnotes xmlns:w='{space}'><w:footnote w:id='1'><w:p>{}{}{}</w:p></w:footnote></w:footnotes>",
        text("Wet."),
        run("<w:footnoteReference w:id='1'/>"),
        run("<w:commentReference w:id='2'/>")
    );
    let comment = |id: u8, words: &str| {
        format!(
            "<w:comment w:id='{id}' w:author='A'><w:p>{}{}</w:p></w:comment>",
            text(words),
            run("<w:commentReference w:id='1'/>")
        )
    };
    let comments =
        format!("<w:comments xmlns:w='{space}'>{}{}</w:comments>", comment(1, "Really?"), comment(2, "Yes."));
    let relations = format!(
        "<Relationships><Relationship Id='f' Type='{RELATIONS}/footnotes' Target='footnotes.xml'/>\
        <Relationship Id='c' Type='{RELATIONS}/comments' Target='comments.xml'/></Relationships>"
    );
    let read = |body: &str| {
        let parts = [
            ("word/_rels/document.xml.rels", relations.as_bytes()),
            ("word/footnotes.xml", note.as_bytes()),
            ("word/comments.xml", comments.as_bytes()),
        ];
        drafted(&office("word/document.xml", document(body).as_bytes(), &parts))
    };
    let beside = |words: &str| {
        let draft = read(words);
        let texts: Vec<String> = texts(&draft.sections[0]).iter().skip(1).map(|text| (*text).to_owned()).collect();
        (texts, draft.provenance["left_out"].clone())
    };
    let outside = beside(&aside("grip"));
    assert_eq!(outside.0, ["[^1] Wet.[^2]", "Comment by A: Yes.", "Comment by A: Really?", "box grip"]);
    assert_eq!(outside.1, json!({ "comments on comments": 2, "notes on notes": 1, "pictures": 1 }));
    let cell = |inside: &str| format!("<w:tbl><w:tr><w:tc>{inside}</w:tc></w:tr></w:tbl>");
    assert_eq!(beside(&cell(&aside("grip"))), outside);
    assert_eq!(beside(&cell(&(cell(&aside("grip")) + "<w:p/>"))), outside, "in a table within a cell");
    let two = "<mc:AlternateContent xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/2006'><mc:Choice><w:p><w:r><w:t>once</w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r><w:t>twice</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>";
    let draft = read(&cell(&format!("{two}<w:altChunk/>")));
    let words = texts(&draft.sections[0])[0].to_owned();
    assert!(words.contains("once") && !words.contains("twice"), "{words}");
    assert_eq!(draft.provenance["left_out"], json!({ "embedded documents": 1 }));
}

#[test]
fn tables_within_tables_keep_their_words() {
    let open = "<w:tbl><w:tr><w:tc>".repeat(60);
    let close = "</w:tc></w:tr></w:tbl>".repeat(60);
    let body = document(&format!("{open}<w:p><w:r><w:t>deep</w:t></w:r></w:p>{close}"));
    let draft = drafted(&office("word/document.xml", body.as_bytes(), &[]));
    assert!(texts(&draft.sections[0])[0].contains("deep"));
}

#[test]
fn spans_that_ask_for_millions_of_cells_cost_a_message() {
    let cell = "<w:tc><w:tcPr><w:gridSpan w:val='1000'/></w:tcPr></w:tc>";
    let row = format!("<w:tr>{}</w:tr>", cell.repeat(100));
    let body = document(&format!("<w:tbl>{}</w:tbl>", row.repeat(1000)));
    let (kind, message) = failure(&office("word/document.xml", body.as_bytes(), &[]));
    assert_eq!((kind, message.contains("1000000 cells")), (ErrorKind::TooLarge, true), "{message}");
    // One long row among many short ones.
    let body = document(&format!("<w:tbl>{row}{}</w:tbl>", "<w:tr><w:tc/></w:tr>".repeat(1000)));
    assert_eq!(failure(&office("word/document.xml", body.as_bytes(), &[])).0, ErrorKind::TooLarge);
}

/// A deck of one slide with this in its tree, its layout with that.
fn deck(slide: &str, layout: &str) -> Vec<u8> {
    let spaces = format!(
        "xmlns:p='http://schemas.openxmlformats.org/presentationml/2006/main' \
         xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main' xmlns:r='{RELATIONS}'"
    );
    let relations = |kind: &str, target: &str| {
        format!(
            "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>\
             <Relationship Id='r1' Type='{RELATIONS}/{kind}' Target='{target}'/></Relationships>"
        )
    };
    let main =
        format!("<p:presentation {spaces}><p:sldIdLst><p:sldId id='256' r:id='r1'/></p:sldIdLst></p:presentation>");
    let tree = |root: &str, inside: &str| {
        format!("<p:{root} {spaces}><p:cSld><p:spTree>{inside}</p:spTree></p:cSld></p:{root}>")
    };
    let (slide, layout) = (tree("sld", slide), tree("sldLayout", layout));
    let (of_main, of_slide) = (relations("slide", "slides/slide1.xml"), relations("slideLayout", "../layout.xml"));
    let parts = [
        ("ppt/_rels/presentation.xml.rels", of_main.as_bytes()),
        ("ppt/slides/slide1.xml", slide.as_bytes()),
        ("ppt/slides/_rels/slide1.xml.rels", of_slide.as_bytes()),
        ("ppt/layout.xml", layout.as_bytes()),
    ];
    office("ppt/presentation.xml", main.as_bytes(), &parts)
}

#[test]
fn a_slide_with_too_many_cells_fails_alone() {
    let wide = format!("<a:tr>{}</a:tr>", "<a:tc/>".repeat(2000));
    let table = format!("<a:tbl>{wide}{}</a:tbl>", "<a:tr/>".repeat(2000));
    let frame =
        format!("<p:graphicFrame><a:graphic><a:graphicData>{table}</a:graphicData></a:graphic></p:graphicFrame>");
    let draft = drafted(&deck(&frame, ""));
    assert!(matches!(&draft.pages_failed[..], [(1, why)] if why.contains("cells")), "{:?}", draft.pages_failed);
}

#[test]
fn equations_of_a_slide_are_latex() {
    let math = "xmlns:m='http://schemas.openxmlformats.org/officeDocument/2006/math'";
    let squared =
        "<m:oMath><m:sSup><m:e><m:r><m:t>v</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>";
    let own = "xmlns:a14='http://schemas.microsoft.com/office/drawing/2010/main'";
    let text = "<a:r><a:t>Work is </a:t></a:r>";
    let choice = format!(
        "<mc:AlternateContent xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/2006' {math} {own}>\
         <mc:Choice Requires='a14'><p:sp><p:txBody><a:p>{text}<a14:m>{squared}</a14:m></a:p>\
         <a:p><a14:m><m:oMathPara>{squared}</m:oMathPara></a14:m></a:p></p:txBody></p:sp></mc:Choice>\
         <mc:Fallback><p:sp><p:txBody><a:p>{text}</a:p></p:txBody></p:sp></mc:Fallback></mc:AlternateContent>"
    );
    assert_eq!(texts(&drafted(&deck(&choice, "")).sections[0]), ["Work is $v^{2}$", "$v^{2}$"]);
}

#[test]
fn a_symbol_of_word_is_the_sign_it_shows() {
    let symbol = |font: &str, code: &str| format!("<w:r><w:sym w:font='{font}' w:char='{code}'/></w:r>");
    let body = format!(
        "<w:p><w:r><w:t xml:space='preserve'>5 </w:t></w:r>{}<w:r><w:t>m </w:t></w:r>{}</w:p>",
        symbol("Symbol", "F06D"),
        symbol("Wingdings", "F0FC")
    );
    let draft = drafted(&office("word/document.xml", document(&body).as_bytes(), &[]));
    assert_eq!(texts(&draft.sections[0]), ["5 μm \u{fffd}"]);
    assert_eq!(draft.provenance["left_out"], json!({ "symbols of a font of their own": 1 }));
}

#[test]
fn text_boxes_of_a_sheet_are_read_and_charts_of_the_new_kind_counted() {
    let spaces = "xmlns:xdr='http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing' \
                  xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main'";
    let drawing = format!(
        "<xdr:wsDr {spaces}><xdr:twoCellAnchor><xdr:sp><xdr:txBody><a:p><a:r><a:t>Wet basalt</a:t></a:r></a:p>\
         <a:p><a:r><a:t>at 20 °C</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:twoCellAnchor></xdr:wsDr>"
    );
    let relation = |kind: &str, target: &str| {
        format!("<Relationships><Relationship Id='r1' Type='{kind}' Target='{target}'/></Relationships>")
    };
    let of_sheet = relation(&format!("{RELATIONS}/drawing"), "../drawings/drawing1.xml");
    let chart = "http://schemas.microsoft.com/office/2014/relationships/chartEx";
    let of_drawing = relation(chart, "../charts/chartEx1.xml");
    let parts = [
        ("xl/worksheets/_rels/sheet1.xml.rels", of_sheet.as_bytes()),
        ("xl/drawings/drawing1.xml", drawing.as_bytes()),
        ("xl/drawings/_rels/drawing1.xml.rels", of_drawing.as_bytes()),
    ];
    let sheet = "<sheetData><row r='1'><c r='A1'><v>1</v></c></row></sheetData>";
    let draft = drafted(&workbook_with(sheet, &parts));
    assert_eq!(texts(&draft.sections[0]), ["1", "Wet basalt\nat 20 °C"]);
    assert_eq!(draft.sections[0].paragraphs[1].spans[0].place.as_deref(), Some("sheet S"));
    assert_eq!(draft.provenance["left_out"], json!({ "charts": 1 }));
}

#[test]
fn a_chart_whose_points_stand_nowhere_together_is_bounded() {
    let chart = |series: usize| {
        let one = |at: usize| {
            format!(
                "<c:ser><c:val><c:numRef><c:numCache><c:pt idx='{at}'><c:v>1</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>"
            )
        };
        let all: String = (0..series).map(one).collect();
        format!(
            "<c:chartSpace xmlns:c='http://schemas.openxmlformats.org/drawingml/2006/chart'><c:chart><c:plotArea>\
             <c:lineChart>{all}</c:lineChart></c:plotArea></c:chart></c:chartSpace>"
        )
    };
    let file = |charts: &[usize]| {
        let relation =
            |at: usize| format!("<Relationship Id='r{at}' Type='{RELATIONS}/chart' Target='chart{at}.xml'/>");
        let relations: String = (0..charts.len()).map(relation).collect();
        let relations = format!("<Relationships>{relations}</Relationships>");
        let named = |(at, series): (usize, &usize)| (format!("word/chart{at}.xml"), chart(*series));
        let named: Vec<_> = charts.iter().enumerate().map(named).collect();
        let mut parts = vec![("word/_rels/document.xml.rels", relations.as_bytes())];
        parts.extend(named.iter().map(|(name, chart)| (name.as_str(), chart.as_bytes())));
        let text = document("<w:p><w:r><w:t>Slip</w:t></w:r></w:p>");
        office("word/document.xml", text.as_bytes(), &parts)
    };
    drafted(&file(&[700]));
    assert_eq!(failure(&file(&[1200])).0, ErrorKind::TooLarge);
    assert_eq!(failure(&file(&[800, 800])).0, ErrorKind::TooLarge, "the charts of a file count together");
}

#[test]
fn a_layout_of_many_shapes_is_looked_through_once() {
    let shape = |index: usize, inside: &str| {
        format!("<p:sp><p:nvSpPr><p:nvPr><p:ph type='body' idx='{index}'/></p:nvPr></p:nvSpPr>{inside}</p:sp>")
    };
    let style = "<p:txBody><a:lstStyle><a:lvl1pPr><a:buChar char='*'/></a:lvl1pPr></a:lstStyle></p:txBody>";
    let layout: String = (0..20_000).map(|at| shape(at, style)).collect();
    let lines = "<a:p><a:r><a:t>slip</a:t></a:r></a:p>".repeat(20_000);
    // Of 20,000 shapes times 20,000 paragraphs none would see the end.
    let draft = drafted(&deck(&shape(19_999, &format!("<p:txBody>{lines}</p:txBody>")), &layout));
    assert_eq!(draft.sections[0].paragraphs[0].text.lines().filter(|line| *line == "- slip").count(), 20_000);
}

#[test]
fn an_entity_from_outside_is_not_fetched() {
    let outside = b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>";
    assert_eq!(failure(&office("word/document.xml", outside, &[])).0, ErrorKind::Damaged);
    let bomb = "<!DOCTYPE s [<!ENTITY a 'lollollol'><!ENTITY b '&a;&a;&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;&b;'>]>";
    let sheet = workbook(&format!("{bomb}<sheetData><row r='1'><c r='A1' t='str'><v>&c;</v></c></row></sheetData>"));
    match read(&sheet, "k") {
        Office::Read(draft) => {
            assert!(draft.sections.iter().all(|section| texts(section).iter().all(|text| text.len() < 100)));
        }
        Office::Failed(error) => assert_eq!(error.kind, ErrorKind::Damaged),
        Office::Other(media_type) => panic!("{media_type}"),
    }
}

#[test]
fn every_cut_and_many_changed_bytes_end_in_a_draft_or_a_message() {
    for name in ["report.docx", "deck.pptx", "sheet.xlsx"] {
        let whole = fixture(name);
        for at in (0..whole.len()).step_by(whole.len() / 25) {
            drop(read(&whole[..at], "k"));
            let mut changed = whole.clone();
            // A sequence without chance: the same bytes on every run.
            for step in 0..20 {
                let place = (at * 31 + step * 7919) % changed.len();
                changed[place] ^= 1 << (step % 8);
            }
            if let Office::Failed(error) = read(&changed, "k") {
                assert!(!error.message.contains("gave up"), "{name} at {at}: {error:?}");
            }
        }
    }
}
