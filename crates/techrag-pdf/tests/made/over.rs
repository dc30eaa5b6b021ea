//! Text over text, and text that a page has and does not show.

use crate::file::{PROSE, Sheet, file, lines, page, read, text};

const SOUP: [&str; 4] = [
    "An entirely different matter is written here about the cooking of soups in",
    "a large pot with onions and carrots and salt. Whoever reads it will get hungry",
    "before the page ends but no word of it has anything to do with the wheels that",
    "the other text is about.",
];

#[test]
fn the_same_text_once_more_is_one_text() {
    for (x, y) in [(72.0, 720.0), (72.4, 720.0), (73.5, 719.0), (75.0, 717.0)] {
        let page = page(&(lines(&PROSE, 72.0, 720.0, "") + &lines(&PROSE, x, y, "")));
        assert_eq!(text(&page.blocks), PROSE.join(" "), "{x} {y}");
        assert_eq!(page.left_out.covered, 0);
    }
}

#[test]
fn another_text_at_the_same_place_is_read_behind_it() {
    for y in [720.0, 721.5, 724.5] {
        for state in ["", "3 Tr"] {
            let content = lines(&PROSE, 72.0, 720.0, state) + &lines(&SOUP, 72.0, y, state);
            let page = page(&content);
            assert_eq!(text(&page.blocks), [PROSE.join(" "), SOUP.join(" ")].join(" "), "{y} {state}");
            assert_eq!(page.left_out.covered, 0);
        }
    }
}

#[test]
fn text_filled_in_over_a_line_stays_in_its_row() {
    for sign in ["_", ".", "-"] {
        let label = "Name of the applicant:";
        let line = lines(&[label], 72.0, 560.0, "") + &lines(&[&sign.repeat(40)], 220.0, 560.0, "");
        let value = |y: f32| lines(&["Johanna Oldendorf"], 222.0, y, "");
        let below = lines(&["The applicant signs here."], 72.0, 480.0, "");
        // Whether the text of the page is made bold or not.
        let bold = lines(&PROSE, 72.3, 720.0, "");
        for (bold, y) in [("", 560.0), ("", 561.5), (&bold, 560.0), (&bold, 561.5)] {
            let page = page(&(lines(&PROSE, 72.0, 720.0, "") + bold + &line + &value(y) + &below));
            let text = text(&page.blocks).replace(sign, "");
            let (label, value, below) = (text.find(label), text.find("Johanna Oldendorf"), text.find("The applicant"));
            assert!(label.is_some() && label < value && value < below, "{sign} {text}");
            assert_eq!(page.left_out.covered, 0);
        }
    }
}

#[test]
fn a_stamp_over_text_that_is_made_bold_is_not_lost() {
    let stamp = "Approved by the board";
    let bold = lines(&PROSE, 72.0, 720.0, "") + &lines(&PROSE, 72.3, 720.0, "");
    let page = page(&(bold + &lines(&[stamp], 100.0, 705.5, "")));
    assert_eq!(text(&page.blocks), format!("{} {stamp}", PROSE.join(" ")));
    assert_eq!(page.left_out.covered, 0);
}

#[test]
fn a_stamp_is_in_no_sentence_that_goes_over_a_page_end() {
    let (head, tail) = PROSE.split_at(4);
    let end = lines(&["All of it is shown below."], 72.0, 720.0, "") + &lines(head, 72.0, 130.0, "");
    let stamp = lines(&["received by the library in May"], 90.0, 117.5, "");
    let sheets = [end + &stamp, lines(tail, 72.0, 720.0, "")];
    let pdf = read(&file(&sheets.map(|content| Sheet { content, ..Sheet::default() }), &[], ""));
    let of_page = |page: usize| &pdf.pages[page].blocks;
    let going_on = of_page(0).iter().chain(of_page(1)).filter(|block| block.continues);
    assert_eq!(text(going_on), head.join(" "));
    assert_eq!(text(of_page(0).iter().filter(|block| block.is_overlay)), "received by the library in May");
}

#[test]
fn letters_drawn_out_of_their_order_are_no_shadows() {
    let words = "filling all the hills";
    let mut content = lines(&PROSE, 72.0, 720.0, "");
    for odd in [0, 1] {
        for (at, letter) in words.char_indices().filter(|(at, letter)| at % 2 == odd && *letter != ' ') {
            let x = 72.0 + 2.8 * f32::from(u8::try_from(at).expect("few letters"));
            content += &lines(&[&letter.to_string()], x, 500.0, "50 Tz");
        }
    }
    let page = page(&content);
    let read = text(&page.blocks).replace(' ', "");
    assert_eq!(read.len(), (PROSE.join("") + words).replace(' ', "").len(), "{read}");
}

#[test]
fn invisible_text_under_other_text_is_counted_and_leaves_no_letters() {
    let same = page(&(lines(&PROSE, 72.0, 720.0, "") + &lines(&PROSE, 73.0, 719.0, "3 Tr")));
    assert_eq!((text(&same.blocks), same.left_out.covered), (PROSE.join(" "), 0));
    let other = page(&(lines(&PROSE, 72.0, 720.0, "") + &lines(&SOUP[3..], 72.0, 720.0, "3 Tr")));
    // `the` and `is` of the five words are in the visible text as well.
    assert_eq!((text(&other.blocks), other.left_out.covered), (PROSE.join(" "), 3));
}

#[test]
fn text_off_the_page_is_counted() {
    let outside = lines(&["three words outside"], 650.0, 300.0, "") + &lines(&["above"], 72.0, 830.0, "");
    let page = page(&(lines(&PROSE, 72.0, 720.0, "") + &outside));
    assert_eq!((text(&page.blocks), page.left_out.off_page), (PROSE.join(" "), 4));
    let content = lines(&PROSE, 72.0, 700.0, "") + &lines(&["slug line of the printer"], 72.0, 12.0, "");
    let cut = Sheet { content, entries: "/CropBox [50 60 580 760]".to_owned() };
    let page = &read(&file(&[cut], &[], "")).pages[0];
    assert_eq!((text(&page.blocks), page.left_out.off_page), (PROSE.join(" "), 5));
}

#[test]
fn text_in_a_layer_that_is_switched_off_is_counted() {
    let content = format!(
        "{}/OC /Off BDC {} {} EMC /OC /On BDC {} EMC",
        lines(&PROSE, 72.0, 720.0, ""),
        lines(&["an answer that is not shown"], 72.0, 500.0, ""),
        "BT /F2 11 Tf 72 450 Td [(S) 20 (olution) -300 (of) -300 (the) -300 (W) 80 (hole)] TJ ET",
        lines(&["And one that is."], 72.0, 400.0, "")
    );
    let fonts = "/Font << /F2 << /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >> >>";
    let entries = format!("/Resources << {fonts} /Properties << /Off 10 0 R /On 11 0 R >> >>");
    let groups = ["<< /Type /OCG /Name (off) >>", "<< /Type /OCG /Name (on) >>"];
    let catalog = "/OCProperties << /OCGs [10 0 R 11 0 R] /D << /OFF [10 0 R] >> >>";
    let page = &read(&file(&[Sheet { content, entries }], &groups, catalog)).pages[0];
    assert_eq!(text(&page.blocks), PROSE.join(" ") + " And one that is.");
    assert_eq!(page.left_out.hidden, 10);
}
