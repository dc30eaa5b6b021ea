//! A few thousand words of our own writing: is this text language, and does this hyphen belong to its word?
//!
//! The list is no dictionary. What it lacks is judged by its triples of letters, which English technical prose, German
//! and even Latin share to three quarters and a shuffled alphabet to less than a third (measured on every page of 40
//! papers and on the same pages with their letters shifted). `pipelines/lexicon.py` writes it.

use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization as _;

static WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| include_str!("lexicon.txt").lines().collect());

/// Letters and the edge of a word.
const LETTERS: usize = 27;

/// Which triples occur in the words.
static TRIPLES: LazyLock<Vec<bool>> = LazyLock::new(|| {
    let mut seen = vec![false; LETTERS.pow(3)];
    for triple in WORDS.iter().flat_map(|word| triples(word)) {
        seen[triple] = true;
    }
    seen
});

/// Share of a word's triples that must be known for it to pass as a word.
const KNOWN: f32 = 0.75;

/// The triples of a word of ASCII letters with its edges, as indices.
fn triples(word: &str) -> Vec<usize> {
    let letter = |byte: u8| usize::from(byte.to_ascii_lowercase().wrapping_sub(b'a')) + 1;
    let codes: Vec<usize> = std::iter::once(0).chain(word.bytes().map(letter)).chain(std::iter::once(0)).collect();
    let index = |triple: &[usize]| triple.iter().fold(0, |index, code| index * LETTERS + code.min(&(LETTERS - 1)));
    codes.windows(3).map(index).collect()
}

/// Whether the list holds a word, whatever its case.
pub fn holds(word: &str) -> bool {
    WORDS.contains(word) || word.chars().any(char::is_uppercase) && WORDS.contains(word.to_lowercase().as_str())
}

/// Whether a word of ASCII letters is in the list or made like those that are.
pub fn plausible(word: &str) -> bool {
    if holds(word) {
        return true;
    }
    let triples = triples(word);
    let known = triples.iter().filter(|&&triple| TRIPLES.get(triple).copied().unwrap_or(false)).count();
    known as f32 >= KNOWN * triples.len() as f32
}

/// Latin words of three letters or more in a text, and how many of them are plausible. Accents are taken off; words of
/// other scripts are not counted.
pub fn judge(text: &str) -> (usize, usize) {
    let plain: String = text.nfkd().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).collect();
    let words = plain.split(|c: char| !c.is_alphabetic());
    words
        .filter(|word| word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_alphabetic()))
        .fold((0, 0), |(all, good), word| (all + 1, good + usize::from(plausible(word))))
}

/// Whether a hyphen between the halves of a broken word was put there by the typesetter: `Some(false)` where it belongs
/// to the word, `None` where the list does not know.
pub fn hyphen_goes(head: &str, tail: &str) -> Option<bool> {
    let joined = format!("{head}{tail}");
    let (joined, head, tail) = (holds(&joined), holds(head), holds(tail));
    if joined {
        Some(true)
    } else if head && tail {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(text: &str) -> f32 {
        let (all, good) = judge(text);
        good as f32 / all as f32
    }

    /// The alphabet shifted, as a font with a wrong map shows it.
    fn shifted(text: &str, by: u8) -> String {
        let shift = |c: char| match c {
            'a'..='z' => char::from((c as u8 - b'a' + by) % 26 + b'a'),
            _ => c,
        };
        text.to_lowercase().chars().map(shift).collect()
    }

    #[test]
    fn language_is_told_from_shuffled_letters() {
        let english = "Thixotropic suspensions exhibit a pronounced hysteresis whenever the shear rate is reversed.";
        let german = "Die Geschwindigkeit der Strömung bestimmt den Widerstand des Körpers in der Flüssigkeit.";
        let latin = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt.";
        for text in [english, german, latin] {
            assert!(share(text) > 0.6, "{text}: {}", share(text));
            for by in [1, 3, 13] {
                assert!(share(&shifted(text, by)) <= 0.4, "{text} by {by}: {}", share(&shifted(text, by)));
            }
        }
    }

    #[test]
    fn other_scripts_are_not_judged() {
        assert_eq!(judge("本科 программа 12 ab"), (0, 0));
    }

    #[test]
    fn hyphens() {
        assert_eq!(hyphen_goes("every", "where"), Some(true));
        assert_eq!(hyphen_goes("fourth", "order"), Some(false));
        assert_eq!(hyphen_goes("fric", "tion"), Some(true));
        assert_eq!(hyphen_goes("thixo", "tropic"), None);
    }
}
