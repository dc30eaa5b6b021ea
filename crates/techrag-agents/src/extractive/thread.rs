//! Sentences that go on with what one before them began.
//!
//! A paper writes `The model has three weak points.` and then names them in words that no question has; or `Its scatter
//! hides the change`, where `its` is what was asked about. Alone such a sentence looks poor; it counts nearly as much as
//! the one it goes on with. So does the one before a sentence that goes on or refers to it (`No method can remove this
//! restriction`), since without it the reader does not know which.

use std::sync::LazyLock;

use regex::Regex;
use techrag_core::text;
use techrag_core::unit::Kind;

use super::candidates::Candidate;

/// What a sentence counts less than the one it goes on with. The numbers here were set on the tuning questions; from 1
/// to 2, and from 2 to 3.5 for the next, does the same there.
const LESS: f64 = 1.5;
/// What the next sentence, and the one after it, count less than one that they do not say to go on with.
const NEXT: f64 = 3.0;
/// What each further sentence of a list counts less.
const FURTHER: f64 = 0.4;
/// Sentences that a thing announced may take: its name and a remark on it.
const EACH: usize = 2;

/// How a unit hangs together with those beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Thread {
    /// It begins with a word that stands for something said before.
    pub(super) goes_on: bool,
    /// It names, near its beginning, something said before: `No method can remove this restriction`.
    pub(super) refers: bool,
    /// How many things it announces: 3 for `three limits remain`.
    pub(super) announced: usize,
}

impl Thread {
    pub(super) fn of(sentence: &str, kind: Kind) -> Self {
        if kind != Kind::Sentence {
            return Self::default();
        }
        let goes_on = GOES_ON.as_ref().is_some_and(|pattern| pattern.is_match(sentence));
        let number = ANNOUNCES.as_ref().and_then(|pattern| pattern.captures(sentence)).and_then(|found| found.get(1));
        let count = number.and_then(|number| COUNTS.iter().position(|word| number.as_str().eq_ignore_ascii_case(word)));
        // `several` is taken for three.
        let announced = count.map_or(0, |at| if at + 2 > COUNTS.len() { 3 } else { at + 2 });
        let refers = REFERS.as_ref().is_some_and(|pattern| pattern.is_match(text::prefix(sentence, BEGINNING)));
        Self { goes_on, refers, announced }
    }
}

/// From two on; the last stands for no number.
const COUNTS: [&str; 6] = ["two", "three", "four", "five", "six", "several"];

static GOES_ON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:This|These|That|Those|It|Its|They|Their|Such|Both|One|Here|Therefore|Thus|Hence|Consequently|Conversely|",
        r"Otherwise|Instead|So|However|For this|As a result|In this case|",
        r"The (?:cause|reason|former|latter|first|second|third|other|effect|result))\b"
    ))
    .ok()
});

/// Bytes of a sentence in which it refers to the one before.
const BEGINNING: usize = 60;

static REFERS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:this|these|that|such|both|the same)\s+\w").ok());

static ANNOUNCES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(two|three|four|five|six|several) (?:\w+ )?(?:advantages|assumptions?|cases|challenges|conditions?|",
        r"consequences|contributions?|drawbacks|effects?|factors|families|issues|kinds|limitations?|limits?|parts|points|",
        r"questions|reasons?|remedies|requirements|restrictions?|rules|simplifications?|sources|stages|steps|strategies|",
        r"things|types|ways)\b"
    ))
    .ok()
});

/// Raises the scores of sentences that go on with a better one. Candidates stand in the order of their text.
pub(super) fn raise(candidates: &[Candidate], scores: &mut [f64]) {
    let own = scores.to_vec();
    let together = |a: &Candidate, b: &Candidate| (a.source, a.passage) == (b.source, b.passage);
    let is_sentence = |candidate: &Candidate| candidate.unit.kind == Kind::Sentence;
    let mut raise = |at: usize, to: f64| scores[at] = scores[at].max(to);
    for (at, candidate) in candidates.iter().enumerate().filter(|(_, candidate)| is_sentence(candidate)) {
        let before = at.checked_sub(1).filter(|before| together(&candidates[*before], candidate));
        if let Some(before) = before.filter(|before| is_sentence(&candidates[*before]))
            && (candidate.thread.goes_on || candidate.thread.refers)
        {
            raise(before, own[at] - LESS);
        }
        let third = candidates[at..].iter().take(3).all(|one| together(candidate, one) && is_sentence(one));
        if third && at + 2 < candidates.len() {
            raise(at + 2, own[at] - NEXT);
        }
        let next = candidates.get(at + 1).filter(|next| together(candidate, next) && is_sentence(next));
        if let Some(next) = next {
            raise(at + 1, own[at] - if next.thread.goes_on { LESS } else { NEXT });
        }
        let listed = candidates[at + 1..].iter().take(EACH * candidate.thread.announced);
        let listed = listed.take_while(|listed| together(candidate, listed)).enumerate();
        for (nth, _) in listed.filter(|(_, listed)| is_sentence(listed)) {
            raise(at + 1 + nth, own[at] - LESS - FURTHER * nth as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_and_what_announces_is_seen() {
        let thread = |sentence| Thread::of(sentence, Kind::Sentence);
        assert!(GOES_ON.is_some() && ANNOUNCES.is_some() && REFERS.is_some());
        assert!(thread("No method can remove this restriction.").refers && !thread("The restriction stays.").refers);
        assert!(thread("Its scatter hides the change.").goes_on && !thread("Iteration ends.").goes_on);
        assert!(thread("The cause is the wheel.").goes_on && !thread("The wheel is the cause.").goes_on);
        for (sentence, announced) in [
            ("The model has three weak points.", 3),
            ("Two remedies are in use.", 2),
            ("Several limits remain.", 3),
            ("It takes two wheels.", 0),
        ] {
            assert_eq!(thread(sentence).announced, announced, "{sentence}");
        }
        assert_eq!(Thread::of("It has three limits.", Kind::Caption), Thread::default());
    }
}
