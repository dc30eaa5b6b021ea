//! Text that runs at an angle.

use crate::file::{PROSE, lines, of_kind, page, text, turned};
use std::fmt::Write as _;
use techrag_pdf::BlockKind;

/// The place of a point of a page that is turned counterclockwise about its middle.
fn at(x: f32, y: f32, degrees: f32) -> (f32, f32) {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (x, y) = (x - 306.0, y - 396.0);
    (x * cos - y * sin + 306.0, x * sin + y * cos + 396.0)
}

#[test]
fn a_page_that_is_askew_is_read_line_by_line() {
    for degrees in [0.3, 0.9, -1.4, 2.0, -3.0, 5.0, -8.0, 14.0, 87.0, -91.0, 178.5] {
        let page = page(&turned(&lines(&PROSE, 130.0, 500.0, ""), degrees));
        assert_eq!(text(&page.blocks), PROSE.join(" "), "{degrees}");
        assert_eq!(page.blocks.len(), 1, "{degrees}");
    }
}

#[test]
fn columns_that_are_askew_stay_columns() {
    let half: Vec<&str> = PROSE.iter().map(|line| line.split_at(37).0.trim()).collect();
    let many: Vec<&str> = half.iter().cycle().take(24).copied().collect();
    let columns = lines(&many, 60.0, 720.0, "") + &lines(&many, 330.0, 720.0, "");
    let page = page(&turned(&columns, -1.5));
    assert_eq!(text(&page.blocks), [many.join(" "), many.join(" ")].join(" "));
}

#[test]
fn recognised_lines_may_each_have_their_own_slant() {
    for (base, spread) in [(0.0, 0.5), (1.0, 0.3), (-2.0, 0.4)] {
        let mut content = String::from("BT /F2 11 Tf 3 Tr\n");
        for (index, line) in PROSE.iter().enumerate() {
            let row = f32::from(u8::try_from(index).expect("few lines"));
            let (x, y) = at(100.0, 600.0 - 14.0 * row, base);
            let own: f32 = base + spread * if index % 2 == 0 { 1.0 } else { -1.0 };
            let (sin, cos) = own.to_radians().sin_cos();
            writeln!(content, "{cos} {sin} {} {cos} {x} {y} Tm ({line}) Tj", -sin).expect("a string takes all");
        }
        assert_eq!(text(&page(&(content + "ET")).blocks), PROSE.join(" "), "{base}");
    }
}

/// About the width of a letter of Times at 11 points.
fn width(letter: char) -> f32 {
    match letter {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | '.' => 3.3,
        'm' | 'w' | 'M' => 8.4,
        'A'..='Z' => 7.0,
        _ => 5.3,
    }
}

#[test]
fn recognised_words_may_stand_upright_on_lines_that_are_askew() {
    for degrees in [0.5, 1.0, -1.5, 2.5] {
        let mut content = String::from("BT /F2 11 Tf 3 Tr\n");
        for (index, line) in PROSE.iter().enumerate() {
            let (mut from, row) = (100.0, f32::from(u8::try_from(index).expect("few lines")));
            for word in line.split(' ') {
                let (x, y) = at(from, 600.0 - 14.0 * row, degrees);
                writeln!(content, "1 0 0 1 {x} {y} Tm ({word}) Tj").expect("a string takes all");
                from += word.chars().map(width).sum::<f32>() + 3.0;
            }
        }
        assert_eq!(text(&page(&(content + "ET")).blocks), PROSE.join(" "), "{degrees}");
    }
}

#[test]
fn stamps_and_labels_at_an_angle_are_whole_and_beside_the_text() {
    let stamp = "Received by the library";
    for degrees in [3.0, 20.0, 45.0, -60.0] {
        let over = turned(&lines(&[stamp], 240.0, 300.0, ""), degrees);
        let page = page(&(lines(&PROSE, 72.0, 720.0, "") + &over));
        assert_eq!(of_kind(&page, BlockKind::Body), PROSE.join(" "), "{degrees}");
        assert_eq!(of_kind(&page, BlockKind::Marginal), stamp, "{degrees}");
    }
    let mut labels = lines(&PROSE, 72.0, 720.0, "");
    let names = ["January load", "February load", "March load", "April load"];
    for (x, name) in [100.0, 140.0, 180.0, 220.0].into_iter().zip(names) {
        writeln!(labels, "BT /F1 8 Tf 0.7071 0.7071 -0.7071 0.7071 {x} 300 Tm ({name}) Tj ET").expect("a string");
    }
    let page = page(&labels);
    assert_eq!(of_kind(&page, BlockKind::Body), PROSE.join(" "));
    let beside = of_kind(&page, BlockKind::Marginal);
    assert!(names.iter().all(|name| beside.contains(name)), "{beside}");
}

#[test]
fn letters_along_a_curve_are_no_text_of_the_page_and_not_lost() {
    let mut content = lines(&PROSE, 72.0, 720.0, "");
    for (index, letter) in "UNIVERSITY".chars().enumerate() {
        let angle = (150.0 - 9.0 * f32::from(u8::try_from(index).expect("few letters"))).to_radians();
        let ((y, x), (sin, cos)) = (angle.sin_cos(), (angle - std::f32::consts::FRAC_PI_2).sin_cos());
        let (x, y) = (300.0 + 70.0 * x, 300.0 + 70.0 * y);
        writeln!(content, "BT /F1 14 Tf {cos} {sin} {} {cos} {x} {y} Tm ({letter}) Tj ET", -sin).expect("a string");
    }
    let page = page(&content);
    assert_eq!(of_kind(&page, BlockKind::Body), PROSE.join(" "));
    assert_eq!(of_kind(&page, BlockKind::Marginal).replace(' ', ""), "UNIVERSITY");
}
