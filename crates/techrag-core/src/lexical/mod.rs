//! How much of a question a text holds: content terms, weighed by how rare they are among the texts at hand.
//!
//! Evidence selection, the relevance floor, the citation checks and the scores read the same terms, so that they speak
//! of the same words.

use std::collections::HashMap;

mod words;

use crate::spelling;
use crate::token::{self, Config, tokens};

/// Words that shape a question without saying what it is about. They carry no weight.
const SCAFFOLD: &[&str] = &[
    "accord",
    "actual",
    "answer",
    "approxim",
    "articl",
    "author",
    "call",
    "cite",
    "compar",
    "comparison",
    "describ",
    "detail",
    "differ",
    "discuss",
    "document",
    "exact",
    "explain",
    "find",
    "found",
    "give",
    "given",
    "happen",
    "kind",
    "list",
    "long",
    "made",
    "main",
    "make",
    "mani",
    "mean",
    "mention",
    "much",
    "name",
    "need",
    "paper",
    "pleas",
    "present",
    "propos",
    "public",
    "question",
    "quot",
    "refer",
    "report",
    "roughli",
    "say",
    "section",
    "show",
    "shown",
    "state",
    "studi",
    "summar",
    "tabul",
    "tell",
    "type",
    "typic",
    "use",
    "valu",
    "way",
    "work",
];

/// A content term of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The term as tokenised (folded, spelled one way, stemmed), or the word that stands for its synonyms.
    pub text: String,
    /// Parts of a compound that stand for it together: `tire`, `road` of `tire-road`. Empty for a simple term.
    pub parts: Vec<String>,
    /// The word as the question wrote it, folded.
    pub word: String,
    /// Whether it is a word of general English that a source need not share: it weighs [`WEAK`] of its rarity.
    pub weak: bool,
    /// Whether it names a thing: neither weak nor a verb, an adjective or an adverb. A source that answers names the
    /// things a question is about, if in other words what happens to them.
    pub subject: bool,
}

/// What a word of general English weighs beside a technical one.
pub const WEAK: f64 = 0.3;

/// The content terms of a question, each once, in order: neither stop words nor words that only shape a question.
pub fn terms(question: &str) -> Vec<Term> {
    let plain = Config { stem: false, drop_stop_words: true, parts: false };
    let mut found: Vec<Term> = Vec::new();
    for word in tokens(question, plain) {
        let Some(text) = tokens(&word, Config::WORDS).into_iter().next() else { continue };
        if SCAFFOLD.binary_search(&text.as_str()).is_ok() {
            continue;
        }
        let parts: Vec<String> = tokens(&word, Config::INDEX).into_iter().filter(|part| *part != text).collect();
        // `bend-based` stands where `bend` does.
        let telling: Vec<String> = parts.iter().filter(|part| !words::is_weak(part)).cloned().collect();
        let parts = if telling.is_empty() { parts } else { telling };
        let parts = parts.iter().map(|part| words::representative(part).to_owned()).collect();
        let text = words::representative(&text).to_owned();
        if found.iter().all(|term| term.text != text) {
            let weak = words::is_weak(&text);
            let subject = !weak && !words::is_action(&word, &text);
            found.push(Term { text, parts, word, weak, subject });
        }
    }
    found
}

/// The words of a text, counted.
#[derive(Clone, Debug, Default)]
pub struct Bag {
    counts: HashMap<String, u32>,
    length: u32,
}

impl Bag {
    /// Counts the index tokens of a text.
    pub fn of(text: &str) -> Self {
        let mut bag = Self::default();
        for token in tokens(text, Config::INDEX) {
            *bag.counts.entry(token).or_default() += 1;
            bag.length += 1;
        }
        bag
    }

    /// The same with every word replaced by the one that stands for its synonyms, as [`terms`] does: for finding what
    /// speaks of a question. Claims are compared by the words themselves, [`Bag::of`].
    pub fn alike(text: &str) -> Self {
        let mut bag = Self::default();
        for token in tokens(text, Config::INDEX) {
            *bag.counts.entry(words::representative(&token).to_owned()).or_default() += 1;
            bag.length += 1;
        }
        bag
    }

    /// The words of both.
    #[must_use]
    pub fn with(mut self, other: &Self) -> Self {
        for (token, count) in &other.counts {
            *self.counts.entry(token.clone()).or_default() += count;
        }
        self.length += other.length;
        self
    }

    /// The same with abbreviations and what they stand for ([`abbreviations`]) each for the other: `VO` says `visual
    /// odometry`, and those two words say `VO`.
    #[must_use]
    pub fn explained(mut self, abbreviations: &[(String, Vec<String>)]) -> Self {
        let mut more = Vec::new();
        for (short, long) in abbreviations {
            let long: Vec<&str> = long.iter().map(|token| words::representative(token)).collect();
            if self.has(short) {
                more.extend(long.iter().map(|token| (*token).to_owned()));
            } else if !long.is_empty() && long.iter().all(|token| self.has(token)) {
                more.push(short.clone());
            }
        }
        for token in more {
            if !self.has(&token) {
                self.counts.insert(token, 1);
                self.length += 1;
            }
        }
        self
    }

    /// The share of its distinct tokens that the other has too, 0 to 1.
    pub fn share_in(&self, other: &Self) -> f64 {
        let common = self.counts.keys().filter(|token| other.has(token)).count();
        if self.counts.is_empty() { 0.0 } else { common as f64 / self.counts.len() as f64 }
    }

    /// Whether some token differs from this one in its last two letters only: a word of another ending that the stemmer
    /// does not join (`parabola`, `parabolic`). Words under five letters have no such kin.
    pub fn has_kin(&self, token: &str) -> bool {
        let opening = crate::text::prefix(token, 5.max(token.len().saturating_sub(2)));
        let near = |own: &String| own.len().abs_diff(token.len()) <= 2 && own.starts_with(opening);
        token.len() >= 5 && self.counts.keys().any(near)
    }

    /// Number of tokens.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Whether it has the token itself.
    pub fn has(&self, token: &str) -> bool {
        self.counts.contains_key(token)
    }

    /// How far it holds a term, 0 to 1: the term itself, or the share of a compound's parts.
    pub fn holds(&self, term: &Term) -> f64 {
        if self.has(&term.text) {
            return 1.0;
        }
        let found = term.parts.iter().filter(|part| self.has(part)).count();
        if term.parts.is_empty() { 0.0 } else { found as f64 / term.parts.len() as f64 }
    }
}

/// How rare words are among the texts at hand.
#[derive(Clone, Debug, Default)]
pub struct Idf {
    texts: u32,
    having: HashMap<String, u32>,
}

impl Idf {
    /// Counts in how many of the texts each token stands.
    pub fn of<'a>(bags: impl IntoIterator<Item = &'a Bag>) -> Self {
        let mut idf = Self::default();
        for bag in bags {
            idf.texts += 1;
            for token in bag.counts.keys() {
                *idf.having.entry(token.clone()).or_default() += 1;
            }
        }
        idf
    }

    /// ln(1 + (N − n + ½) / (n + ½)), Lucene's form: positive, largest for a term that no text has. A compound that
    /// stands nowhere is as rare as the rarest of its parts; a weak term weighs [`WEAK`] of it.
    pub fn weight(&self, term: &Term) -> f64 {
        let rarity = |token: &str| {
            let having = f64::from(self.having.get(token).copied().unwrap_or(0));
            (1.0 + (f64::from(self.texts) - having + 0.5) / (having + 0.5)).ln()
        };
        let rarity = if term.parts.is_empty() || self.having.contains_key(&term.text) {
            rarity(&term.text)
        } else {
            term.parts.iter().map(|part| rarity(part)).fold(0.0, f64::max)
        };
        if term.weak { WEAK * rarity } else { rarity }
    }
}

/// The idf-weighted share of the terms that a text holds, 0 to 1; 0 when there are no terms.
pub fn coverage(terms: &[Term], idf: &Idf, held: impl Fn(&Term) -> f64) -> f64 {
    let all: f64 = terms.iter().map(|term| idf.weight(term)).sum();
    let found: f64 = terms.iter().map(|term| idf.weight(term) * held(term).clamp(0.0, 1.0)).sum();
    if all > 0.0 { found / all } else { 0.0 }
}

/// Abbreviations that a text explains: `automatic emergency braking (AEB)` gives `aeb` and the tokens of its long form.
///
/// A bracket of two to six capitals explains itself when the initials of the words before it spell it (Schwartz and
/// Hearst 2003, the strict case).
pub fn abbreviations(text: &str) -> Vec<(String, Vec<String>)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let short = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '(' && c != ')');
        let Some(short) = short.strip_prefix('(').and_then(|short| short.strip_suffix(')')) else { continue };
        let size = short.chars().count();
        if !(2..=6).contains(&size) || !short.chars().all(char::is_uppercase) || at < size {
            continue;
        }
        let long = &words[at - size..at];
        let initials: String =
            long.iter().filter_map(|word| word.chars().next()).flat_map(char::to_uppercase).collect();
        if initials == short {
            found.push((short.to_lowercase(), tokens(&long.join(" "), Config::WORDS)));
        }
    }
    found
}

/// Whether a folded word is a function word or one that only shapes a question.
pub fn is_scaffold(word: &str) -> bool {
    token::is_stop_word(word)
        || tokens(&spelling::american(word), Config::WORDS)
            .first()
            .is_none_or(|stem| SCAFFOLD.binary_search(&stem.as_str()).is_ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(question: &str) -> Vec<String> {
        terms(question).into_iter().map(|term| term.text).collect()
    }

    #[test]
    fn scaffold_is_sorted_and_stemmed() {
        assert!(SCAFFOLD.is_sorted());
        for word in ["paper", "describes", "many", "values", "compare", "summarise"] {
            assert!(is_scaffold(word), "{word}");
        }
        assert!(!is_scaffold("friction"));
    }

    #[test]
    fn a_question_keeps_what_it_is_about() {
        assert_eq!(
            names("What does the paper say about tyre-road friction in the tyre?"),
            ["tyre-road", "friction", "tire"]
        );
        assert_eq!(names("How many of them are there?"), Vec::<String>::new());
    }

    #[test]
    fn a_compound_is_held_by_its_parts() {
        let terms = terms("μ-split braking");
        assert_eq!(Bag::of("braking on a split surface").holds(&terms[0]), 0.5);
        assert_eq!(Bag::of("ABS on μ-split").holds(&terms[0]), 1.0);
    }

    #[test]
    fn rare_terms_weigh_more_and_absent_ones_most() {
        let bags: Vec<Bag> =
            ["the tyre rolls", "the tyre slips", "tyre wear"].iter().map(|text| Bag::alike(text)).collect();
        let idf = Idf::of(&bags);
        let weights: Vec<f64> = terms("tyre wear kevlar").iter().map(|term| idf.weight(term)).collect();
        assert!(weights[0] < weights[1] && weights[1] < weights[2], "{weights:?}");
        let coverage = coverage(&terms("tyre wear kevlar"), &idf, |term| bags[2].holds(term));
        assert!(coverage > 0.3 && coverage < 0.7, "{coverage}");
    }

    #[test]
    fn synonyms_meet_and_weak_words_weigh_less() {
        let terms = terms("How fast does the car keep its grip?");
        let seen: Vec<(&str, bool)> = terms.iter().map(|term| (term.text.as_str(), term.weak)).collect();
        assert_eq!(seen, [("fast", true), ("vehicl", false), ("keep", true), ("friction", false)]);
        let bag = Bag::alike("The vehicle has friction.");
        assert_eq!(terms.iter().map(|term| bag.holds(term)).collect::<Vec<_>>(), [0.0, 1.0, 0.0, 1.0]);
        assert!(!Bag::of("The vehicle.").has("car") && Bag::of("a parabola").has_kin("parabol"));
        assert!(!Bag::of("particular").has_kin("particl") && !Bag::of("rolls").has_kin("roll"));
    }

    #[test]
    fn an_explained_abbreviation_is_known() {
        let text = "Automatic emergency braking (AEB) differs from (ABS) and a unit (XY).";
        let known = abbreviations(text);
        assert_eq!(known, [("aeb".to_owned(), vec!["automat".into(), "emerg".into(), "brake".into()])]);
        assert!(Bag::alike("the AEB acts").explained(&known).has("brake"));
        assert!(Bag::alike("automatic emergency braking acts").explained(&known).has("aeb"));
        assert!(!Bag::alike("emergency braking acts").explained(&known).has("aeb"));
    }

    proptest! {
        #[test]
        fn coverage_is_a_share(question in "\\PC{0,60}", text in "\\PC{0,60}") {
            let bag = Bag::of(&text);
            let idf = Idf::of([&bag]);
            let share = coverage(&terms(&question), &idf, |term| bag.holds(term));
            prop_assert!((0.0..=1.0).contains(&share));
            prop_assert_eq!(bag.holds(&Term { text: "\n".into(), parts: vec![], word: String::new(), weak: false, subject: true }), 0.0);
        }
    }
}
