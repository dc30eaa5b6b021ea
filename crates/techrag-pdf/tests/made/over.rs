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
        "{}/OC /Off BDC {} EMC /OC /On BDC {} EMC",
        lines(&PROSE, 72.0, 720.0, ""),
        lines(&["an answer that is not shown"], 72.0, 500.0, ""),
        lines(&["And one that is."], 72.0, 400.0, "")
    );
    let fonts = "/Font << /F2 << /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >> >>";
    let entries = format!("/Resources << {fonts} /Properties << /Off 10 0 R /On 11 0 R >> >>");
    let groups = ["<< /Type /OCG /Name (off) >>", "<< /Type /OCG /Name (on) >>"];
    let catalog = "/OCProperties << /OCGs [10 0 R 11 0 R] /D << /OFF [10 0 R] >> >>";
    let page = &read(&file(&[Sheet { content, entries }], &groups, catalog)).pages[0];
    assert_eq!(text(&page.blocks), PROSE.join(" ") + " And one that is.");
    assert_eq!(page.left_out.hidden, 6);
}
