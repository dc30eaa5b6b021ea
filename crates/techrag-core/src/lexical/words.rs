//! Synonyms, weak words and words for actions, read from the lists beside the crate's sources.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::token::{Config, tokens};

static SYNONYMS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let mut synonyms = HashMap::new();
    for group in lines(include_str!("../words/synonyms.txt")) {
        let stems: Vec<String> = group.split_whitespace().filter_map(stem).collect();
        for one in &stems {
            synonyms.entry(one.clone()).or_insert_with(|| stems[0].clone());
        }
    }
    synonyms
});

static WEAK: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let words = lines(include_str!("../words/weak.txt")).flat_map(str::split_whitespace);
    words.filter_map(stem).map(|stem| representative(&stem).to_owned()).collect()
});

static ACTIONS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let words = lines(include_str!("../words/actions.txt")).flat_map(str::split_whitespace);
    words.filter_map(stem).map(|stem| representative(&stem).to_owned()).collect()
});

fn lines(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.lines().filter(|line| !line.starts_with('#'))
}

fn stem(word: &str) -> Option<String> {
    tokens(word, Config { drop_stop_words: false, ..Config::WORDS }).into_iter().next()
}

/// The token that stands for the synonyms of a token: itself, if it has none.
pub(super) fn representative(token: &str) -> &str {
    SYNONYMS.get(token).map_or(token, String::as_str)
}

/// Whether a token, or the one that stands for it, is a word of general English.
pub(super) fn is_weak(token: &str) -> bool {
    WEAK.contains(representative(token))
}

/// Whether a word, with the token that stands for it, says what happens or how, rather than what it happens to.
pub(super) fn is_action(word: &str, token: &str) -> bool {
    let form = word.len() > 5 && ["ed", "ing", "ly"].iter().any(|ending| word.ends_with(ending));
    form || ACTIONS.contains(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_in_two_groups() {
        let mut seen = HashMap::new();
        for (at, group) in lines(include_str!("../words/synonyms.txt")).enumerate() {
            for stem in group.split_whitespace().filter_map(stem) {
                assert_eq!(*seen.entry(stem.clone()).or_insert(at), at, "{stem}");
            }
        }
        assert!(seen.len() > 60);
    }

    #[test]
    fn lists_are_read() {
        assert_eq!(representative("grip"), "friction");
        assert!(is_weak("keep") && !is_weak("friction"));
        assert!(is_action("cooled", "cool") && is_action("streams", "stream") && !is_action("nitrogen", "nitrogen"));
    }
}
