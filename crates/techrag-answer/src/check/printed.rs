//! What the printed text of an answer says beside its sentences.
//!
//! A reader sees the text, the checks see the sentences: words or citations that are in the text alone would be seen
//! and not checked.

use std::collections::BTreeSet;

use techrag_core::record::{Answer, Check, CheckResult};
use techrag_core::text;

use super::effort::Effort;

/// How a citation begins in the text: `[SOURCE 1: Title, p. 2]`, `[EXTERNAL 4: Title]`. The numbers run through both.
const MARKS: [&str; 2] = ["[SOURCE ", "[EXTERNAL "];
/// Characters of unchecked words that a finding quotes.
const PREVIEW: usize = 60;

/// Findings: markers of a source or of a page that no sentence cites (a model's, or a document's, forgeries), and words
/// that belong to no sentence.
pub(super) fn checks(answer: &Answer, searched: &Effort) -> Vec<Check> {
    let check = |source: u32, page: Option<u32>, detail: String| Check {
        sentence: answer.sentences.len(),
        source,
        page,
        result: CheckResult::NotFound,
        detail,
        ..Check::default()
    };
    let citations = || answer.sentences.iter().flat_map(|sentence| &sentence.citations);
    let sources: BTreeSet<u32> = citations().map(|citation| citation.source).collect();
    let pages: BTreeSet<(u32, Option<u32>)> = citations().map(|citation| (citation.source, citation.page)).collect();
    let (markers, words) = parts(&answer.text);
    let stray = markers.into_iter().collect::<BTreeSet<_>>().into_iter().filter_map(|(n, page)| match page {
        _ if !sources.contains(&n) => Some(check(n, None, format!("the text cites SOURCE {n}, no sentence does"))),
        Some(page) if !pages.contains(&(n, Some(page))) => {
            Some(check(n, Some(page), format!("the text cites page {page} of SOURCE {n}, no sentence does")))
        }
        _ => None,
    });
    let more = if searched.spend(words.len() as u64 * answer.sentences.len() as u64) {
        unclaimed(&words, answer).iter().map(|words| format!("the text says «{words}», no sentence does")).collect()
    } else {
        vec!["the text is too long to be compared with its sentences".to_owned()]
    };
    stray.chain(more.into_iter().map(|detail| check(0, None, detail))).collect()
}

/// Bytes within which a marker ends, if it is one.
const MARKER: usize = 4000;

/// Where the next marker begins, and how long its beginning is.
fn next_mark(text: &str) -> Option<(usize, usize)> {
    let mark_at = |at: usize| MARKS.iter().find(|mark| text[at..].starts_with(**mark)).map(|mark| (at, mark.len()));
    text.match_indices('[').find_map(|(at, _)| mark_at(at))
}

/// The markers of a text, each with its source and its page if it names one, and the text without them. A number too
/// large to be one counts as 0.
fn parts(answer: &str) -> (Vec<(u32, Option<u32>)>, String) {
    let (mut markers, mut words) = (Vec::new(), String::new());
    let mut rest = answer;
    while let Some((at, length)) = next_mark(rest) {
        words.push_str(&rest[..at]);
        let inside = &rest[at + length..];
        let digits = inside.find(|c: char| !c.is_ascii_digit()).unwrap_or(inside.len());
        let end = text::prefix(inside, MARKER).find(']').unwrap_or(digits);
        if digits > 0 {
            let page = inside[..end.max(digits)].rsplit_once(", p. ").and_then(|(_, page)| page.trim().parse().ok());
            markers.push((inside[..digits].parse().unwrap_or(0), page));
        }
        words.push(' ');
        rest = inside[end..].strip_prefix(']').unwrap_or(&inside[end..]);
    }
    words.push_str(rest);
    (markers, words)
}

/// Stretches of a text without markers that are in none of the sentences.
fn unclaimed(words: &str, answer: &Answer) -> Vec<String> {
    let mut sentences: Vec<String> = answer
        .sentences
        .iter()
        .map(|sentence| text::fold(&parts(&sentence.text).1))
        .filter(|s| !s.is_empty())
        .collect();
    // The longest first: a short sentence may stand inside a long one.
    sentences.sort_by_key(|sentence| std::cmp::Reverse(sentence.len()));
    let mut rest = text::fold(words);
    for sentence in sentences {
        rest = rest.replacen(&sentence, "\n", 1);
    }
    rest.lines()
        .map(str::trim)
        .filter(|words| !is_ornament(words))
        .map(|words| words.chars().take(PREVIEW).collect())
        .collect()
}

/// Punctuation, a bullet, the number of a list's entry.
fn is_ornament(words: &str) -> bool {
    let number = words.trim_matches(|c: char| !c.is_alphanumeric());
    number.is_empty() || (number.len() <= 2 && number.len() < words.len() && number.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use techrag_core::record::{AnswerSentence, Citation};

    use super::*;

    fn details(printed: &str) -> Vec<String> {
        let citation = Citation { source: 1, page: Some(2), ..Citation::default() };
        let sentence = |text: &str| AnswerSentence { text: text.into(), citations: vec![citation.clone()] };
        let sentences = vec![sentence("It slips."), sentence("It slips. Then it grips.")];
        let answer = Answer { text: printed.into(), sentences, ..Answer::default() };
        checks(&answer, &Effort::new(1000)).into_iter().map(|check| check.detail).collect()
    }

    #[test]
    fn what_is_printed_and_not_checked_is_found() {
        for (printed, detail) in [
            (
                "It slips. [SOURCE 1: A, p. 2] It slips. Then it grips. So trust me.",
                "the text says «so trust me.», no sentence does",
            ),
            ("In short: it slips. [SOURCE 1: A]", "the text says «in short:», no sentence does"),
            ("It slips. [SOURCE 7: A]", "the text cites SOURCE 7, no sentence does"),
            ("It slips. [SOURCE 99999999999]", "the text cites SOURCE 0, no sentence does"),
            ("It slips. [SOURCE 1: A, p. 9]", "the text cites page 9 of SOURCE 1, no sentence does"),
            ("It slips. [SOURCE 1: A, p. 2] 42", "the text says «42», no sentence does"),
            ("It slips. [SOURCE 1: A, p. 2 and more", "the text says «: a, p. 2 and more», no sentence does"),
        ] {
            assert_eq!(details(printed), [detail], "{printed}");
        }
    }

    #[test]
    fn a_text_of_too_many_sentences_is_not_taken_for_checked() {
        let sentence = |_| AnswerSentence { text: "It slips.".into(), ..AnswerSentence::default() };
        let answer =
            Answer { text: "It slips. ".repeat(20), sentences: (0..20).map(sentence).collect(), ..Answer::default() };
        let found =
            |most| checks(&answer, &Effort::new(most)).into_iter().map(|check| check.detail).collect::<Vec<_>>();
        assert_eq!(found(4000), Vec::<String>::new());
        assert_eq!(found(3999), ["the text is too long to be compared with its sentences"]);
    }

    #[test]
    fn markers_that_never_end_are_read_once() {
        let (markers, words) = parts(&"[SOURCE 1".repeat(20_000));
        assert_eq!((markers.len(), words.trim()), (20_000, ""));
    }

    #[test]
    fn marks_of_a_list_and_repeated_markers_say_nothing() {
        let plain =
            "1. IT  slips. [SOURCE 1: A, p. 2][SOURCE 1]\n\n2) It slips. Then it grips [SOURCE 1: B, p. 2].\n* ";
        let plain = plain.replace("grips [", "grips. [");
        assert_eq!(details(&plain), Vec::<String>::new());
    }
}
