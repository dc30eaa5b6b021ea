//! Spaces between words, however a program makes them.

use crate::file::{PROSE, lines, page, text};
use std::fmt::Write as _;

fn prose() -> String {
    PROSE.join(" ")
}

#[test]
fn spacing_of_characters_and_words_and_scaling_change_no_word() {
    let states = [
        "-2 Tc",
        "-1 Tc",
        "-0.4 Tc",
        "0.5 Tc",
        "1.5 Tc",
        "-1.5 Tw",
        "5 Tw",
        "-1 Tc 2 Tw",
        "1 Tc -1 Tw",
        "30 Tz",
        "50 Tz",
        "140 Tz",
    ];
    for state in states {
        assert_eq!(text(&page(&lines(&PROSE, 40.0, 720.0, state)).blocks), prose(), "{state}");
    }
    let short: Vec<&str> = PROSE.iter().map(|line| line.split_at(22).0.trim()).collect();
    for state in ["3 Tc", "8 Tc", "14 Tc", "20 Tw", "200 Tz", "300 Tz", "4 Tc 150 Tz"] {
        assert_eq!(text(&page(&lines(&short, 40.0, 720.0, state)).blocks), short.join(" "), "{state}");
    }
}

/// Lines as arrays of strings with numbers between letters and between words; no space is drawn.
fn kerned(lines: &[&str], letters_apart: i32, words: i32, state: &str) -> String {
    let mut out = format!("BT {state} /F2 11 Tf 13 TL 40 720 Td\n");
    for line in lines {
        let word = |word: &str| {
            let letters: Vec<String> = word.chars().map(|letter| format!("({letter})")).collect();
            letters.join(&format!(" {letters_apart} "))
        };
        let shown: Vec<String> = line.split(' ').map(word).collect();
        writeln!(out, "[{}] TJ T*", shown.join(&format!(" {words} "))).expect("a string takes all");
    }
    out + "ET"
}

#[test]
fn spaces_that_are_moved_and_not_drawn_are_told_by_the_distance_of_letters() {
    let short: Vec<&str> = PROSE.iter().map(|line| line.split_at(34).0.trim()).collect();
    for (letters, words, state) in [
        (0, -250, ""),
        (0, -220, ""),
        (60, -130, ""),
        (-90, -360, ""),
        (-200, -450, ""),
        (-400, -900, ""),
        (0, -250, "50 Tz"),
        (0, -450, "-2 Tc"),
    ] {
        let read = text(&page(&kerned(&short, letters, words, state)).blocks);
        assert_eq!(read, short.join(" "), "{letters} {words} {state}");
    }
}
