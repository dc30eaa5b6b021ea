//! The keyword boost: a bounded bonus for the question's own codes, numbers, units and acronyms.
//!
//! Stemming and embeddings blur what an engineer spells exactly: `XR-7741`, `9.4.2`, `80 km/h`, `EKF`. A keyword is a
//! word of the question that holds a digit or a symbol, or is written in capitals. The bonus of a chunk is the share of
//! the keywords that stand whole in its title, section or text, times the weight: between 0 and the weight, in the
//! units of the score it is added to (standard deviations, for the z-score fusion).

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
}
