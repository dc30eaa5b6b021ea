//! Titles compared: one spelling, what kind of text they announce, and which are too general to tell works apart.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::markup;

/// Titles that thousands of works bear, in normalised words; one a line.
const GENERIC: &str = include_str!("generic-titles.txt");

static GENERIC_KEYS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    GENERIC.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(words_key).collect()
});

/// What a work is about another one, by the words before its title.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A work of its own.
    Plain,
    /// A correction of another.
    Erratum,
    /// The notice that another is retracted.
    RetractionNotice,
    /// A comment on another, or a discussion of it.
    Comment,
    /// The answer to a comment.
    Reply,
    /// Data, code or figures that belong to another.
    Supplement,
    /// Somebody's opinion of another.
    Review,
}

/// Openings by form; matched on normalised words.
const OPENINGS: &[(&str, Form)] = &[
    ("erratum", Form::Erratum),
    ("errata", Form::Erratum),
    ("corrigendum", Form::Erratum),
    ("corrigenda", Form::Erratum),
    ("correction to", Form::Erratum),
    ("correction", Form::Erratum),
    ("author correction", Form::Erratum),
    ("publisher correction", Form::Erratum),
    ("addendum", Form::Erratum),
    ("retraction note", Form::RetractionNotice),
    ("retraction notice", Form::RetractionNotice),
    ("retraction of", Form::RetractionNotice),
    ("statement of retraction", Form::RetractionNotice),
    ("expression of concern", Form::RetractionNotice),
    ("comment on", Form::Comment),
    ("comments on", Form::Comment),
    ("commentary on", Form::Comment),
    ("discussion of", Form::Comment),
    ("discussion on", Form::Comment),
    ("discussion", Form::Comment),
    ("letter to the editor", Form::Comment),
    ("reply to", Form::Reply),
    ("reply", Form::Reply),
    ("response to", Form::Reply),
    ("authors reply", Form::Reply),
    ("author reply", Form::Reply),
    ("authors response", Form::Reply),
    ("closure to", Form::Reply),
    ("rejoinder", Form::Reply),
    ("supplementary material", Form::Supplement),
    ("supplementary materials", Form::Supplement),
    ("supplementary information", Form::Supplement),
    ("supplementary data", Form::Supplement),
    ("supplemental material", Form::Supplement),
    ("supporting information", Form::Supplement),
    ("supplement to", Form::Supplement),
    ("data for", Form::Supplement),
    ("data from", Form::Supplement),
    ("dataset for", Form::Supplement),
    ("dataset of", Form::Supplement),
    ("data set for", Form::Supplement),
    ("replication data for", Form::Supplement),
    ("code for", Form::Supplement),
    ("software for", Form::Supplement),
    ("book review", Form::Review),
    ("review of", Form::Review),
    ("faculty opinions recommendation of", Form::Review),
    ("peer review", Form::Review),
];

/// A title ready for comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Title {
    /// Words of letters and digits of all scripts, one space between them, flags taken off.
    pub(super) key: String,
    /// What kind of text it announces.
    pub(super) form: Form,
    /// Whether it says that the work is retracted.
    pub(super) retracted: bool,
    /// Which edition or version of the text it is, by what stands behind the title.
    pub(super) marker: Option<String>,
    /// Bytes of the key before a colon, dash or full stop in the middle; its length where there is none.
    pub(super) main: usize,
}

impl Title {
    /// Reads a title as a source wrote it; entities may have been encoded twice.
    pub(super) fn of(title: &str) -> Self {
        let (title, retracted) = without_flag(&markup::title(&markup::title(title)));
        let (title, marker) = without_marker(&unbracketed(&title));
        let key = words_key(&title);
        let main =
            title.find([':', '—', '–', '?', '(', '/']).or_else(|| title.find(". ")).or_else(|| title.find(" - "));
        let main = main.map_or(key.len(), |at| words_key(&title[..at]).len());
        Self { form: form(&key), key, retracted, marker, main }
    }

    /// Number of words.
    pub(super) fn words(&self) -> usize {
        self.key.split(' ').filter(|word| !word.is_empty()).count()
    }

    /// Whether it tells works apart: not one of the general ones, and not a word or two.
    pub(super) fn is_telling(&self) -> bool {
        let long = self.key.chars().filter(|c| !c.is_ascii()).count() >= 6 || self.words() >= 3;
        long && !GENERIC_KEYS.contains(&self.key)
    }

    /// Numbers and part numbers that it names.
    pub(super) fn numbers(&self) -> BTreeSet<&str> {
        self.key.split(' ').filter(|word| is_number(word)).collect()
    }

    /// Whether one is the other without its subtitle, of four words or more, or without what stands before a colon, of
    /// five or more: the name of a series or a tool.
    pub(super) fn is_part_of(&self, other: &Self) -> bool {
        let head = self.words() >= 4 && self.key.len() == other.main && other.key.starts_with(&self.key);
        let tail = other.key.get(other.main..).is_some_and(|tail| tail.trim_start() == self.key);
        head || (self.words() >= 5 && tail)
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
        || matches!(word, "i" | "ii" | "iii" | "iv" | "v" | "vi" | "vii" | "viii" | "ix" | "x")
        || matches!(
            word,
            "first" | "second" | "third" | "fourth" | "fifth" | "sixth" | "one" | "two" | "three" | "four"
        )
}

/// What stands behind a title and says which edition or version it is.
#[expect(clippy::expect_used, reason = "the pattern is a constant, and the tests compile it")]
static MARKER: LazyLock<Regex> = LazyLock::new(|| {
    let kinds = r"extended (?:version|abstract)|full version|technical report(?: \d+)?|preprint|working paper(?: (?:no\. ?)?\d+)?|translated from \p{L}+|v(?:ersion )?\d+(?:\.\d+)*|(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|revised) ed(?:ition|n)?\.?";
    Regex::new(&format!(r"(?i)^(.{{3,}}?)\s*[:,;.(\[–—-]\s*({kinds})\s*[)\]]?\.?$")).expect("a constant pattern")
});

fn without_marker(title: &str) -> (String, Option<String>) {
    match MARKER.captures(title) {
        Some(found) => (found[1].trim_end().to_owned(), Some(words_key(&found[2]))),
        None => (title.to_owned(), None),
    }
}

/// `RETRACTED: …`, `[Retracted] …`, `WITHDRAWN: …` are flags. `Retraction Note: …` is a title of its own.
fn without_flag(title: &str) -> (String, bool) {
    let lower = title.trim_start_matches(['[', '(', '*', ' ']).to_lowercase();
    let flags = ["retracted article", "retracted chapter", "retracted", "withdrawn", "removed", "temporary removal"];
    let Some(flag) = flags.iter().find(|flag| lower.starts_with(**flag)) else { return (title.to_owned(), false) };
    let rest = &lower[flag.len()..];
    // "Retracted jaws in …" is about jaws.
    if !rest.starts_with([':', ']', ')', '—', '–', '*']) && !rest.starts_with(" -") && !rest.starts_with(" :") {
        return (title.to_owned(), false);
    }
    let at = title.to_lowercase().find(flag).map_or(0, |at| at + flag.len());
    let rest = title.get(at..).unwrap_or(title).trim_start_matches([':', ']', ')', '—', '–', '-', '*', ' ']);
    (rest.to_owned(), true)
}

/// A title in brackets is one that somebody translated.
fn unbracketed(title: &str) -> String {
    let title = title.trim().trim_end_matches('.');
    let inner = title.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.unwrap_or(title).to_owned()
}

fn form(key: &str) -> Form {
    let opens = |opening: &str| key.strip_prefix(opening).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    // `Correction of drift in …` is a work of its own; `Correction:` and `Correction to:` come without "of".
    let found = OPENINGS.iter().filter(|(opening, _)| opens(opening)).max_by_key(|(opening, _)| opening.len());
    let ends = |ending: &str| key.ends_with(ending) && key.len() > ending.len();
    match found {
        Some(("correction", _)) if key.starts_with("correction of ") || key.starts_with("correction for ") => {
            Form::Plain
        }
        Some(("discussion" | "reply" | "data from" | "data for" | "review of", form)) if key.split(' ').count() > 4 => {
            *form
        }
        Some(("discussion" | "reply" | "data from" | "data for" | "review of", _)) => Form::Plain,
        Some((_, form)) => *form,
        None if ends(" erratum") || ends(" corrigendum") || ends(" correction notice") => Form::Erratum,
        None if ends(" reply") || ends(" authors reply") => Form::Reply,
        None if ends(" retraction notice") => Form::RetractionNotice,
        None if ends(" supplementary material") || ends(" dataset") || ends(" supporting information") => {
            Form::Supplement
        }
        None => Form::Plain,
    }
}

/// Words of letters and digits: NFKD without marks, lower case, Greek letters spelled out.
fn words_key(title: &str) -> String {
    let mut key = String::with_capacity(title.len());
    let plain = title.nfkc().collect::<String>();
    for c in plain.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        match c {
            // Quotes, and what LaTeX writes around a symbol.
            '\'' | '’' | '‘' | '`' | '^' | '_' | '{' | '}' | '$' | '\\' => {}
            '∞' => key.push_str("infty"),
            'ß' => key.push_str("ss"),
            'ø' => key.push('o'),
            'æ' => key.push_str("ae"),
            c if greek(c).is_some() => {
                // A letter alone is a word: `μ-split` and `mu-split` are the same.
                key.push_str(greek(c).unwrap_or_default());
            }
            c if c.is_alphanumeric() => key.push(c),
            _ if !key.is_empty() && !key.ends_with(' ') => key.push(' '),
            _ => {}
        }
    }
    let words = key.split(' ').filter(|word| !word.is_empty()).map(techrag_core::spelling::american);
    let mut words: Vec<_> = words.collect();
    // A scan may say a word twice.
    words.dedup();
    words.join(" ")
}

fn greek(c: char) -> Option<&'static str> {
    Some(match c {
        'α' => "alpha",
        'β' => "beta",
        'γ' => "gamma",
        'δ' => "delta",
        'ε' => "epsilon",
        'λ' => "lambda",
        'μ' | 'µ' => "mu",
        'π' => "pi",
        'σ' | 'ς' => "sigma",
        'τ' => "tau",
        'φ' => "phi",
        'ω' => "omega",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(title: &str) -> String {
        Title::of(title).key
    }

    #[test]
    fn spellings_of_a_title_are_one() {
        assert_eq!(key("The <i>μ</i>-Split: A Müller’s “Case”."), key("The mu-split - a mullers case"));
        assert_eq!(key("[Grip of tyres.]"), key("Grip of Tyres"));
        // Other scripts are letters too: an empty key would make all of them equal.
        assert_ne!(key("轮胎模型"), key("车辆动力学"));
        assert!(Title::of("轮胎力学模型的研究").is_telling());
    }

    #[test]
    fn flags_and_forms_are_told_from_subjects() {
        assert!(Title::of("RETRACTED: Grip of tyres").retracted && Title::of("[Retracted] Grip").retracted);
        assert_eq!(key("WITHDRAWN: Grip of tyres"), key("Grip of tyres"));
        assert!(!Title::of("Retracted wheels of aircraft").retracted);
        let form = |title: &str| Title::of(title).form;
        assert_eq!(form("Retraction Note: Grip of tyres"), Form::RetractionNotice);
        assert_eq!(form("Erratum to: Grip of tyres"), Form::Erratum);
        assert_eq!(form("Correction of drift in gyroscopes"), Form::Plain);
        assert_eq!(form("Grip of tyres—Reply"), Form::Reply);
        assert_eq!(form("Data from: Grip of tyres on snow"), Form::Supplement);
        assert_eq!(form("Discussion of \"Grip of tyres on snow\""), Form::Comment);
        assert_eq!(form("Reply rates"), Form::Plain);
    }

    #[test]
    fn general_titles_tell_nothing() {
        for general in ["Editorial", "Preface", "Subject Index", "Table of Contents", "Letter to the Editor", "Grip"] {
            assert!(!Title::of(general).is_telling(), "{general}");
        }
        assert!(Title::of("Grip of tyres on snow").is_telling());
    }

    #[test]
    fn what_stands_behind_a_title_is_a_marker() {
        let read = |title: &str| (Title::of(title).key, Title::of(title).marker);
        for (title, marker) in [
            ("Grip of tyres: extended version", "extended version"),
            ("Grip of tyres (Working Paper 12)", "working paper 12"),
            ("Grip of tyres, 2nd ed.", "2nd ed"),
            ("Grip of tyres (v1.0)", "v1 0"),
            ("Grip of tyres [translated from Spanish]", "translated from spanish"),
        ] {
            assert_eq!(read(title), ("grip of tires".into(), Some(marker.into())), "{title}");
        }
        assert_eq!(read("On second editions").1, None);
    }

    #[test]
    fn a_subtitle_may_be_missing_and_a_longer_title_not() {
        let is_start = |a: &str, b: &str| Title::of(a).is_part_of(&Title::of(b));
        assert!(is_start("Grip of winter tyres on snow", "Grip of winter tyres on snow: a field study"));
        assert!(!is_start("Grip of winter tyres on snow", "Grip of winter tyres on snow and ice"));
        assert!(!is_start("Grip", "Grip: a field study"));
    }
}
