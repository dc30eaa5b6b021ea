//! Persons by their names, in whatever order and length a source writes them.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Words that belong to a family name and that sources drop or keep.
const PARTICLES: &[&str] =
    &["van", "von", "de", "der", "den", "del", "della", "di", "da", "la", "le", "el", "al", "ter", "zu"];
/// What follows a name and is none of it.
const SUFFIXES: &[&str] = &["jr", "sr", "ii", "iii", "iv", "phd", "md"];

/// What two spellings of a name have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Person {
    /// The family name, folded, without particles.
    family: String,
    /// Initials of the given names, in order; empty where none is known.
    initials: String,
    /// Every word longer than an initial, sorted: for names in the other order.
    words: Vec<String>,
}

impl Person {
    /// Reads `Given Family`, `Family, Given`, `Family GN` or a single name; `None` where there is no letter.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let folded = fold(name);
        let (family, given) = match name.split_once(',') {
            Some((family, given)) if !is_suffix(given) => (words(&fold(family)), words(&fold(given))),
            _ => in_one_piece(name, &folded),
        };
        let family: Vec<String> = family.into_iter().filter(|word| !PARTICLES.contains(&word.as_str())).collect();
        let last = family.last()?.clone();
        let mut all: Vec<String> = words(&folded).into_iter().filter(|word| word.chars().count() > 1).collect();
        all.sort();
        let initials = given.iter().flat_map(|word| initials(word)).collect();
        Some(Self { family: last, initials, words: all })
    }

    /// Whether both may be the same person: family names agree, and first initials where both are known; or the same
    /// words in the other order.
    pub(crate) fn may_be(&self, other: &Self) -> bool {
        let first = |person: &Self| person.initials.chars().next();
        let agree = match (first(self), first(other)) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        (self.family == other.family && agree) || (self.words.len() > 1 && self.words == other.words)
    }
}

fn is_suffix(word: &str) -> bool {
    SUFFIXES.contains(&fold(word).trim())
}

/// Family and given names of a name without comma.
fn in_one_piece(name: &str, folded: &str) -> (Vec<String>, Vec<String>) {
    let mut all = words(folded);
    while all.len() > 1 && all.last().is_some_and(|last| SUFFIXES.contains(&last.as_str())) {
        all.pop();
    }
    // `Clark BS`: capitals at the end are initials, and the family name stands before them.
    let last = name.split_whitespace().last().unwrap_or_default();
    let abbreviated = all.len() > 1
        && (1..=3).contains(&last.chars().filter(|c| c.is_alphabetic()).count())
        && last.chars().all(|c| c.is_uppercase() || matches!(c, '.' | '-'));
    if abbreviated {
        let given = last.to_lowercase().replace(['.', '-'], "");
        let family = words(&fold(name.trim_end().strip_suffix(last).unwrap_or(name).trim_end_matches(['.', ' '])));
        let family = if family.is_empty() { all[..1].to_vec() } else { family };
        return (family, given.chars().map(String::from).collect());
    }
    let given = all[..all.len().saturating_sub(1)].to_vec();
    (all.split_off(all.len().saturating_sub(1)), given)
}

/// `jean-paul` gives `j` and `p`.
fn initials(word: &str) -> Vec<char> {
    word.split('-').filter_map(|part| part.chars().next()).collect()
}

fn words(folded: &str) -> Vec<String> {
    folded
        .split(|c: char| !(c.is_alphanumeric() || c == '-'))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Case and marks folded; letters of all scripts stay.
fn fold(name: &str) -> String {
    // `Müller` and `Mueller` are one name.
    let name = name.to_lowercase().replace("ae", "a").replace("oe", "o").replace("ue", "u");
    let plain = name.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase);
    plain
        .map(|c| {
            if c == 'ø' {
                'o'
            } else if c == 'ł' {
                'l'
            } else {
                c
            }
        })
        .filter(|c| !matches!(c, '\'' | '’'))
        .collect()
}

/// Whether two lists of authors have somebody in common.
pub(crate) fn shared(a: &[String], b: &[String]) -> usize {
    let people = |names: &[String]| names.iter().take(100).filter_map(|name| Person::of(name)).collect::<Vec<_>>();
    let (a, b) = (people(a), people(b));
    a.iter().filter(|one| b.iter().any(|other| one.may_be(other))).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        Person::of(a).zip(Person::of(b)).is_some_and(|(a, b)| a.may_be(&b) && b.may_be(&a))
    }

    #[test]
    fn one_person_in_many_spellings() {
        for other in ["H. B. Pacejka", "Pacejka, Hans", "Pacejka HB", "Pacejka H.B.", "Pacejka", "Hans Pacejka"] {
            assert!(same("Hans B. Pacejka", other), "{other}");
        }
        assert!(same("Jürgen Müller", "J. Muller") && same("Jürgen Müller", "Juergen Mueller"));
        assert!(same("Karel de Vries", "de Vries, K.") && same("van der Waals, J", "J. D. van der Waals"));
        assert!(same("中込 和哉", "和哉 中込") && same("John Smith Jr", "Smith, John"));
    }

    #[test]
    fn different_persons_stay_different() {
        for (a, b) in [("Li Wei", "Li Xu"), ("Wang, J.", "Wang, L."), ("A. Smith", "A. Smithson"), ("Kim", "Lee")] {
            assert!(!same(a, b), "{a} and {b}");
        }
        assert_eq!(Person::of("…"), None);
    }
}
