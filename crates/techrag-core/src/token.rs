//! The one technical tokeniser (SPEC section 3): every room that compares words uses it.
//!
//! A token keeps what an engineer would search for whole: `9.4.2`, `XR-7741`, `μ-split`, `α/β`, `C++`, `0.35`. A
//! compound is emitted whole and in its parts, so that `mu-split` finds `split` and `XR-7741` finds `7741`. Text is
//! folded first (NFKC, case, dashes, micro sign to Greek mu).

use rust_stemmers::{Algorithm, Stemmer};

use crate::{spelling, text};

/// How tokens are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Bring plain English words to one spelling (`tyre` → `tire`, see [`spelling`]) and reduce them to their Snowball
    /// stem. Tokens with a digit or a symbol are left alone.
    pub stem: bool,
    /// Leave out function words ([`is_stop_word`]).
    pub drop_stop_words: bool,
    /// Emit the parts of a compound beside the compound itself.
    pub parts: bool,
}

impl Config {
    /// What the index and the queries use.
    pub const INDEX: Self = Self { stem: true, drop_stop_words: true, parts: true };
    /// What claims and sources are compared by: no parts, so that counts mean words.
    pub const WORDS: Self = Self { stem: true, drop_stop_words: true, parts: false };
}

/// The tokens of a text, in order, repetitions kept.
pub fn tokens(text: &str, config: Config) -> Vec<String> {
    let folded = text::fold(text);
    let stemmer = Stemmer::create(Algorithm::English);
    let mut out = Vec::new();
    for word in folded.split(|c: char| !is_word_char(c)) {
        let word = trim(word);
        if !word.chars().any(char::is_alphanumeric) {
            continue;
        }
        push(word, config, &stemmer, &mut out);
        if config.parts && is_compound(word) {
            for part in word.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()) {
                push(part, config, &stemmer, &mut out);
            }
        }
    }
    out
}

/// The distinct tokens, in the order of their first use.
pub fn distinct(text: &str, config: Config) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    tokens(text, config).into_iter().filter(|token| seen.insert(token.clone())).collect()
}

fn push(word: &str, config: Config, stemmer: &Stemmer, out: &mut Vec<String>) {
    if config.drop_stop_words && is_stop_word(word) {
        return;
    }
    if config.stem && word.len() > 2 && word.bytes().all(|b| b.is_ascii_alphabetic()) {
        out.push(stemmer.stem(&spelling::american(word)).into_owned());
    } else {
        out.push(word.to_owned());
    }
}

/// Characters that may stand inside a token. Which of them survive at its ends is [`trim`]'s decision.
fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '/' | '+' | '#' | '_' | '\'' | '%' | '°')
}

/// Punctuation at the ends goes, except what changes the meaning: `C++`, `C#`, `50%`, `20°`.
fn trim(word: &str) -> &str {
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#' | '%' | '°'));
    word.strip_suffix("'s").unwrap_or(word)
}

fn is_compound(word: &str) -> bool {
    // A decimal number or a clause number has no parts worth finding.
    let numeric = word.chars().all(|c| c.is_ascii_digit() || c == '.');
    !numeric && word.chars().any(|c| !c.is_alphanumeric())
}

/// Whether a folded word carries no content: articles, prepositions, pronouns, auxiliaries and question words.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been", "being", "but",
    "by", "can", "could", "did", "do", "does", "doing", "for", "from", "had", "has", "have", "having", "he", "her",
    "here", "his", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "she",
    "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "to", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "why", "will",
    "with", "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn index(text: &str) -> Vec<String> {
        tokens(text, Config::INDEX)
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn technical_terms_stay_whole_and_are_found_in_parts() {
        assert_eq!(index("ISO 27001, clause 9.4.2."), ["iso", "27001", "claus", "9.4.2"]);
        assert_eq!(index("XR-7741"), ["xr-7741", "xr", "7741"]);
        assert_eq!(index("µ-split"), ["μ-split", "μ", "split"]);
        assert_eq!(index("α/β"), ["α/β", "α", "β"]);
        assert_eq!(index("C++ and C#"), ["c++", "c", "c#", "c"]);
        assert_eq!(index("0.35 m at 20° (50%)"), ["0.35", "m", "20°", "20", "50%", "50"]);
    }

    #[test]
    fn words_are_folded_stemmed_and_weeded() {
        assert_eq!(index("The tyre's estimations, estimated"), ["tire", "estim", "estim"]);
        let plain = Config { stem: false, drop_stop_words: false, parts: false };
        assert_eq!(tokens("The Tyre–Road", plain), ["the", "tyre-road"]);
        assert_eq!(index("-- ... /"), Vec::<String>::new());
        assert_eq!(distinct("slip slip angle", Config::WORDS), ["slip", "angl"]);
    }

    proptest! {
        #[test]
        fn any_text_is_tokenised_and_tokens_hold_a_letter_or_digit(text in "\\PC{0,100}") {
            for token in index(&text) {
                prop_assert!(token.chars().any(char::is_alphanumeric), "{token:?}");
            }
        }
    }
}
