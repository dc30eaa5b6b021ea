//! The keyword boost: a bounded bonus for the question's own codes, numbers, units and acronyms.
//!
//! Stemming and embeddings blur what an engineer spells exactly: `XR-7741`, `9.4.2`, `80 km/h`, `EKF`. A keyword is a
//! word of the question that holds a digit or a symbol, or is written in capitals. The bonus of a chunk is the share of
//! the keywords that stand whole in its title, section or text, times the weight: between 0 and the weight, in the
//! units of the score it is added to (standard deviations, for the z-score fusion).
//!
//! The phrase boost is of the same kind: the share of the question's adjacent word pairs that stand side by side.

use std::collections::HashSet;

use techrag_core::token::{self, Config};
use techrag_index::Stored;

/// Whole words as they are spelt, but for case.
const SPELT: Config = Config { stem: false, drop_stop_words: false, parts: false };

/// The keywords of a question, each once.
pub(crate) fn keywords(question: &str) -> HashSet<String> {
    let words = question.split_whitespace().filter(|word| is_keyword(word));
    words.flat_map(|word| token::tokens(word, SPELT)).collect()
}

fn is_keyword(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    let acronym = capitals >= 2 && !word.chars().any(char::is_lowercase);
    // A hyphen alone makes no code: `two-track` is ordinary English.
    acronym || word.chars().any(|c| c.is_ascii_digit() || !(c.is_alphanumeric() || c == '-' || c == '\''))
}

/// The share of the keywords that stand in a chunk, 0 to 1; 0 where there are none.
pub(crate) fn share(keywords: &HashSet<String>, stored: &Stored) -> f64 {
    if keywords.is_empty() {
        return 0.0;
    }
    let title = stored.document.title.as_deref().unwrap_or_default();
    let fields = [title, &stored.chunk.section, &stored.chunk.text];
    let words: HashSet<String> = fields.into_iter().flat_map(|text| token::tokens(text, SPELT)).collect();
    keywords.intersection(&words).count() as f64 / keywords.len() as f64
}

/// The adjacent word pairs of a text: stems, function words left out, so that "coefficient of friction" is one.
pub(crate) fn pairs(text: &str) -> HashSet<(String, String)> {
    let words = token::tokens(text, Config::WORDS);
    words.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
}

/// The share of the pairs that stand side by side in one field of a chunk, 0 to 1; 0 where there are none.
pub(crate) fn pairs_share(wanted: &HashSet<(String, String)>, stored: &Stored) -> f64 {
    if wanted.is_empty() {
        return 0.0;
    }
    let title = stored.document.title.as_deref().unwrap_or_default();
    let found: HashSet<_> = [title, &stored.chunk.section, &stored.chunk.text].into_iter().flat_map(pairs).collect();
    wanted.intersection(&found).count() as f64 / wanted.len() as f64
}

#[cfg(test)]
mod tests {
    use techrag_core::record::{Chunk, Document};

    use super::*;

    #[test]
    fn codes_numbers_units_and_acronyms_are_keywords() {
        let found = keywords("Does the EKF of XR-7741 hold 9.4.2 at 80 km/h on a two-track model, and is it 'Fast'?");
        let mut found: Vec<&str> = found.iter().map(String::as_str).collect();
        found.sort_unstable();
        assert_eq!(found, ["80", "9.4.2", "ekf", "km/h", "xr-7741"]);
        assert!(keywords("how does a tyre slip?").is_empty());
    }

    #[test]
    fn the_share_is_of_keywords_that_stand_whole_in_any_field() {
        let document = Document { title: Some("The EKF".into()), ..Document::default() };
        let chunk = Chunk { section: "9.4.2 Tests".into(), text: "At 180 km/h.".into(), ..Chunk::default() };
        let stored = Stored { chunk, document, keys: Vec::new() };
        assert_eq!(share(&keywords("EKF 9.4.2 80 km/h"), &stored), 0.75);
        assert_eq!(share(&HashSet::new(), &stored), 0.0);
    }

    #[test]
    fn pairs_stand_side_by_side_and_in_one_field() {
        let document = Document { title: Some("Rolling".into()), ..Document::default() };
        let text = "resistance rises. The coefficient of friction falls with the speed.";
        let chunk = Chunk { text: text.into(), ..Chunk::default() };
        let stored = Stored { chunk, document, keys: Vec::new() };
        assert_eq!(pairs_share(&pairs("friction coefficients"), &stored), 0.0, "the order counts");
        assert_eq!(pairs_share(&pairs("a coefficient of the friction"), &stored), 1.0);
        assert_eq!(pairs_share(&pairs("rolling resistance rises"), &stored), 0.5, "not across fields");
        assert_eq!(pairs_share(&pairs("friction"), &stored), 0.0, "one word is no pair");
    }
}
