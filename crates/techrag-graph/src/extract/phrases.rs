//! Candidate terms of a text: runs of words between stop words and punctuation, and the phrases within them.

use std::collections::HashMap;

use techrag_core::{lexical, spelling, text, token};

use crate::name::singular;

/// Words of the longest phrase.
const LONGEST: usize = 4;

/// How often a phrase stands in a text, and how it is written there.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) count: u32,
    forms: HashMap<String, u32>,
}

impl Seen {
    pub(super) fn add(&mut self, form: String) {
        self.count += 1;
        *self.forms.entry(form).or_default() += 1;
    }

    pub(super) fn join(&mut self, other: Self) {
        self.count += other.count;
        for (form, count) in other.forms {
            *self.forms.entry(form).or_default() += count;
        }
    }

    /// The form used most often; of equals the first by letters.
    pub(super) fn form(&self) -> &str {
        let best = self.forms.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
        best.map_or("", |(form, _)| form)
    }
}

struct Word {
    written: String,
    folded: String,
}

/// Every phrase of a text by its id.
pub(super) fn phrases(text: &str) -> HashMap<String, Seen> {
    let mut found: HashMap<String, Seen> = HashMap::new();
    for run in runs(text) {
        for start in 0..run.len() {
            for end in start + 1..=run.len().min(start + LONGEST) {
                let words = &run[start..end];
                if words.len() == 1 && !is_acronym(&words[0].written) {
                    continue;
                }
                found.entry(id(words)).or_default().add(written(words));
            }
        }
    }
    found
}

/// Proper names of a text by id: words written with a capital, one after the other. A single word that only begins a
/// sentence is none.
pub(super) fn names(text: &str) -> HashMap<String, Seen> {
    let mut found: HashMap<String, Seen> = HashMap::new();
    let (mut run, mut begins, mut begun): (Vec<&str>, bool, bool) = (Vec::new(), true, true);
    let mut close = |run: &mut Vec<&str>, begun: bool| {
        while run.first().is_some_and(|word| token::is_stop_word(&text::fold(word))) {
            run.remove(0);
        }
        if run.len() > 1 || (run.len() == 1 && !begun) {
            let name = run.join(" ");
            found.entry(crate::name::folded_name(&name)).or_default().add(name);
        }
        run.clear();
    };
    for raw in text.split_whitespace() {
        let word = raw.trim_matches(|c: char| !c.is_alphanumeric());
        let capital = word.chars().count() > 1 && word.starts_with(char::is_uppercase);
        if !capital || raw.starts_with(['(', '"']) {
            close(&mut run, begun);
        }
        if capital {
            begun = if run.is_empty() { begins } else { begun };
            run.push(word);
        }
        if !raw.ends_with(char::is_alphanumeric) {
            close(&mut run, begun);
        }
        begins = raw.ends_with(['.', '!', '?', ':']);
    }
    close(&mut run, begun);
    found
}

/// How often each phrase stands within one that is a word longer.
pub(super) fn longer(seen: &HashMap<String, Seen>) -> HashMap<String, u32> {
    let mut within: HashMap<String, u32> = HashMap::new();
    for (id, seen) in seen {
        let (Some((_, after)), Some((before, _))) = (id.split_once(' '), id.rsplit_once(' ')) else { continue };
        for part in [after, before] {
            *within.entry(part.to_owned()).or_default() += seen.count;
        }
    }
    within
}

fn runs(text: &str) -> Vec<Vec<Word>> {
    let mut runs = vec![Vec::new()];
    for raw in text.split_whitespace() {
        let opens = raw.starts_with(['(', '[', '{', '"', '\u{201c}', '\u{2018}']);
        let core = raw.trim_matches(|c: char| !c.is_alphanumeric());
        let word = core.strip_suffix("'s").or_else(|| core.strip_suffix("’s")).unwrap_or(core);
        let folded = text::fold(word);
        let breaks = word.chars().count() < 2
            || token::is_stop_word(&folded)
            || !word.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '–' | '\'' | '’'));
        if (opens || breaks) && runs.last().is_some_and(|run| !run.is_empty()) {
            runs.push(Vec::new());
        }
        if !breaks && let Some(run) = runs.last_mut() {
            run.push(Word { written: word.to_owned(), folded: folded.replace('-', " ") });
        }
        if !raw.ends_with(char::is_alphanumeric) {
            runs.push(Vec::new());
        }
    }
    runs
}

/// As [`crate::name::folded_name`] makes it, from words that are folded already.
fn id(words: &[Word]) -> String {
    let folded = words.iter().flat_map(|word| word.folded.split(' ')).filter(|word| !word.is_empty());
    let mut words: Vec<String> = folded.map(|word| spelling::american(word).to_string()).collect();
    if let Some(last) = words.last_mut() {
        *last = singular(last);
    }
    words.join(" ")
}

/// The phrase as written; a capital that only begins a sentence or a heading is not kept.
fn written(words: &[Word]) -> String {
    let plain = |(at, word): (usize, &Word)| {
        let mut letters = word.written.chars();
        let sentence_case =
            at == 0 && letters.next().is_some_and(char::is_uppercase) && letters.all(char::is_lowercase);
        if sentence_case && words.len() > 1 && !words[1].written.starts_with(char::is_uppercase) {
            word.written.to_lowercase()
        } else {
            word.written.clone()
        }
    };
    words.iter().enumerate().map(plain).collect::<Vec<_>>().join(" ")
}

pub(super) fn is_acronym(word: &str) -> bool {
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    capitals >= 2 && word.chars().count() <= 8
}

/// Whether a phrase may name a thing: it ends in a noun, begins with no adverb, and few of its words are mere wording.
/// Words such as `filter` are verbs too: one that the vocabulary has as the `head` of terms is a noun here.
pub(super) fn is_term(id: &str, head: bool) -> bool {
    let words = id.split(' ').count();
    let terms = lexical::terms(id);
    let whole = terms.len() == words && terms.iter().filter(|term| term.weak).count() * 2 < words.max(2);
    let noun = |word: &str, subject: bool| subject && !word.ends_with("ly") && !word.ends_with("ed");
    let ends = terms.last().is_some_and(|term| head || noun(&term.word, term.subject));
    let begins = terms.first().is_some_and(|term| !term.word.ends_with("ly"));
    whole && ends && begins && words <= LONGEST + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_lie_between_stop_words_and_punctuation() {
        let found = phrases("The extended Kalman filters, which an Extended Kalman-filter of the car is. EKF error.");
        assert_eq!(found["extended kalman filter"].count, 2);
        assert!(found.contains_key("ekf error") && found.contains_key("ekf") && !found.contains_key("car"));
        assert!(!found.keys().any(|id| id.contains("which") || id.contains("filter extended")));
    }

    #[test]
    fn names_are_words_with_capitals() {
        let text = "The band Arctic Monkeys formed in Sheffield. Later they left. (Domino Records) signed them.";
        let mut found: Vec<String> = names(text).into_keys().collect();
        found.sort_unstable();
        assert_eq!(found, ["arctic monkey", "domino record", "sheffield"]);
    }

    #[test]
    fn a_term_ends_in_a_noun() {
        assert!(is_term("extended kalman filter", true) && is_term("slip angle", false));
        assert!(!is_term("extended kalman filter", false), "`filter` alone may be a verb");
        assert!(!is_term("filter significantly", false) && !is_term("paper", false));
    }
}
