//! The ids of names: when two spellings are one node.
//!
//! A term's id is folded (case, compatibility forms, dashes), of one spelling (British to American), singular in its last
//! word and without punctuation: `Extended Kalman filters` and `extended Kalman-filter` are one. A person's id is the
//! family name and the initials, since papers print given names as they like; two people of one family name and initials
//! are one node, which a listing of aliases cannot undo and the documentation says.

use techrag_core::{spelling, text};
use unicode_normalization::UnicodeNormalization as _;

/// The id of a term or a title.
pub fn folded_name(name: &str) -> String {
    let folded = text::fold(name);
    let words = folded.split(|c: char| !(c.is_alphanumeric() || matches!(c, '+' | '#' | '.')));
    let words: Vec<&str> = words.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty()).collect();
    let mut words: Vec<String> = words.into_iter().map(|word| spelling::american(word).to_string()).collect();
    if let Some(last) = words.last_mut() {
        *last = singular(last);
    }
    words.join(" ")
}

/// An English plural as its singular; other words as they are. Words in `-ss`, `-us`, `-is` are no plurals.
pub(crate) fn singular(word: &str) -> String {
    let keep = word.len() < 4 || !word.bytes().all(|b| b.is_ascii_alphabetic());
    if keep || ["ss", "us", "is", "ics"].iter().any(|end| word.ends_with(end)) {
        return word.to_owned();
    }
    match word.strip_suffix("ies") {
        Some(stem) if stem.len() > 2 && word != "series" && word != "species" => return format!("{stem}y"),
        Some(_) => return word.to_owned(),
        None => {}
    }
    for end in ["sses", "shes", "ches", "xes", "zes"] {
        if word.ends_with(end) {
            return word[..word.len() - 2].to_owned();
        }
    }
    word.strip_suffix('s').unwrap_or(word).to_owned()
}

/// The id of a person: `family, i. i.`; and the folded words of the name, for look-up.
pub fn person(name: &str) -> String {
    let (family, given) = split_person(name);
    let initials: Vec<String> = given.iter().filter_map(|word| word.chars().next()).map(|c| format!("{c}.")).collect();
    if initials.is_empty() { family } else { format!("{family}, {}", initials.join(" ")) }
}

/// The folded family name, particles with it, and the folded given names.
pub(crate) fn split_person(name: &str) -> (String, Vec<String>) {
    let plain = unaccented(&text::fold(name));
    if let Some((family, given)) = plain.split_once(',') {
        return (letters(family).join(" "), letters(given));
    }
    let words = letters(&plain);
    let Some((last, before)) = words.split_last() else { return (String::new(), Vec::new()) };
    let start = before.iter().position(|word| PARTICLES.contains(&word.as_str())).filter(|at| *at > 0);
    let given = before[..start.unwrap_or(before.len())].to_vec();
    let mut family = before[given.len()..].to_vec();
    family.push(last.clone());
    (family.join(" "), given)
}

const PARTICLES: &[&str] =
    &["van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "el", "la", "le", "ter", "zu"];

fn letters(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphabetic() || c == '\''));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Without accents: sources print `Müller` and `Muller` for one person.
fn unaccented(text: &str) -> String {
    text.nfd().filter(|c| !unicode_normalization::char::is_combining_mark(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_term_are_one_id() {
        for name in ["Extended Kalman filters", "extended Kalman-filter", "EXTENDED  KALMAN FILTER."] {
            assert_eq!(folded_name(name), "extended kalman filter");
        }
        assert_eq!(folded_name("Tyre–road friction"), folded_name("tire road friction"));
        for (name, id) in [
            ("time series", "time series"),
            ("dynamics", "dynamics"),
            ("Losses", "loss"),
            ("C++", "c++"),
            ("batches", "batch"),
        ] {
            assert_eq!(folded_name(name), id);
        }
    }

    #[test]
    fn a_person_is_family_name_and_initials() {
        for name in ["Anton T. van Zanten", "A. T. van Zanten", "van Zanten, Anton T."] {
            assert_eq!(person(name), "van zanten, a. t.");
        }
        assert_eq!(person("Hans B. Pacejka"), "pacejka, h. b.");
        assert_eq!(person("Jürgen Müller"), person("J. Muller"));
        assert_eq!(person("Plato"), "plato");
    }
}
