//! `techrag-answer check`: does every claim stand where it says it stands? No model is asked.
//!
//! | step | finding when it fails |
//! |---|---|
//! | the sentence cites something, and stands in the answer's text | not found |
//! | the citation's source, key and chunk are among the record's sources | not found |
//! | the quoted words stand in the chunk (case, white space, hyphens and ligatures aside) | not found; partial if another chunk of the same source on the page named has them |
//! | they stand on the page named | wrong page |
//! | every number with its unit, every name and at least [`TERMS`] of the other words of the claim are in the words its citations quote | partial |
//! | a marker `[SOURCE n` in the text belongs to a citation | not found |

mod locate;
mod medal;

use std::collections::BTreeSet;

use techrag_core::lexical;
use techrag_core::quantity::{Quantity, quantities};
use techrag_core::record::{
    Answer, AnswerSentence, Check, CheckResult, Checks, Citation, Medal, Query, Source, TraceEntry,
};
use techrag_core::text;
use techrag_core::token::{self, Config, tokens};

use locate::{Found, Place};

/// Share of a claim's words that its quotations must hold. Numbers and names must all be there.
const TERMS: f64 = 0.8;

/// Writes `checks`, `answer.confidence`, `answer.medal` and one trace entry. A record without an answer passes with a
/// note.
pub fn run(query: &mut Query) {
    let note = match query.answer.take() {
        None => "no answer to check".to_owned(),
        Some(mut answer) => {
            let mut checks = checks(&answer, query.sources.as_deref().unwrap_or_default());
            let (medal, reason) = medal::medal(&answer, &checks, query.evidence.as_ref());
            checks.reason = reason;
            answer.confidence = Some(medal::confidence(&answer, &checks));
            answer.medal = Some(medal);
            let note = match medal {
                Medal::None => checks.reason.clone(),
                _ => format!("{} of {} claims verified; {}", checks.verified, checks.total, checks.reason),
            };
            query.answer = Some(answer);
            query.checks = Some(checks);
            note
        }
    };
    query.trace.push(TraceEntry { stage: "check".into(), note, ..TraceEntry::default() });
}

/// Whether the record holds no answer that may be shown: it refused, or none of its claims is verified.
pub fn abstained(query: &Query) -> bool {
    query.answer.as_ref().is_none_or(|answer| answer.abstained || answer.medal == Some(Medal::None))
}

fn checks(answer: &Answer, sources: &[Source]) -> Checks {
    let mut claims = Vec::new();
    if !answer.abstained {
        for (at, sentence) in answer.sentences.iter().enumerate() {
            claims.extend(sentence_checks(at, sentence, answer, sources));
        }
        claims.extend(stray_markers(answer));
    }
    let verified = claims.iter().filter(|check| check.result == CheckResult::Verified).count();
    Checks { verified: verified as u32, total: claims.len() as u32, claims, ..Checks::default() }
}

fn sentence_checks(at: usize, sentence: &AnswerSentence, answer: &Answer, sources: &[Source]) -> Vec<Check> {
    let check = |source, result, page, detail: String| Check {
        sentence: at,
        source,
        result,
        page,
        detail,
        extra: Default::default(),
    };
    if sentence.citations.is_empty() {
        return vec![check(0, CheckResult::NotFound, None, "the sentence cites nothing".into())];
    }
    let printed = text::fold(&answer.text).contains(&text::fold(&sentence.text));
    let found: Vec<Result<Found<'_>, String>> =
        sentence.citations.iter().map(|citation| locate::locate(citation, sources)).collect();
    // A claim may rest on several quotations together: a table's row, its heading row, its caption.
    let quoted: Vec<&str> = found.iter().flatten().map(|found| found.words).collect();
    let missing = missing(&sentence.text, &quoted.join("\n"));
    let one = |(citation, found): (&Citation, Result<Found<'_>, String>)| match found {
        Err(why) => check(citation.source, CheckResult::NotFound, None, why),
        Ok(_) if !printed => {
            check(citation.source, CheckResult::NotFound, None, "the sentence is not in the answer's text".into())
        }
        Ok(found) => {
            let (result, detail) = judge(citation, &found, &missing);
            check(citation.source, result, found.page, detail)
        }
    };
    sentence.citations.iter().zip(found).map(one).collect()
}

fn judge(citation: &Citation, found: &Found<'_>, missing: &[String]) -> (CheckResult, String) {
    match (&found.place, missing.is_empty()) {
        (Place::OtherPage(pages), _) => {
            let named = citation.page.map_or("no page".to_owned(), |page| format!("page {page}"));
            (CheckResult::WrongPage, format!("the words stand on page {pages}, not on {named}"))
        }
        (Place::NoPageNamed, _) => (CheckResult::Partial, "the citation names no page".into()),
        (Place::OtherPassage(uid), _) => (CheckResult::Partial, format!("the words stand in chunk {uid}")),
        (Place::AsNamed, false) => (CheckResult::Partial, format!("not in the quotation: {}", missing.join(", "))),
        (Place::AsNamed, true) => (CheckResult::Verified, "the words stand there and hold the claim".into()),
    }
}

/// What of a claim its quotations do not hold; empty when it stands.
fn missing(claim: &str, quoted: &str) -> Vec<String> {
    let given = quantities(quoted);
    let absent = |quantity: &Quantity| !given.iter().any(|other| other.agrees(quantity));
    let mut missing: Vec<String> = quantities(claim)
        .into_iter()
        .filter(absent)
        .map(|quantity| format!("{} {}", quantity.value, quantity.unit.unwrap_or_default()).trim_end().to_owned())
        .collect();
    let bag = lexical::Bag::of(quoted);
    let tight = text::fold_tight(quoted);
    missing.extend(names(claim).into_iter().filter(|name| !tight.contains(&text::fold_tight(name))));
    let words: BTreeSet<String> = tokens(claim, Config::WORDS).into_iter().collect();
    let unheld: Vec<&String> = words.iter().filter(|word| !bag.has(word)).collect();
    if (unheld.len() as f64) > (1.0 - TERMS) * words.len() as f64 {
        missing.extend(unheld.into_iter().cloned());
    }
    missing.sort();
    missing.dedup();
    missing
}

/// Names in a claim: words with a capital inside, and capitalised words after the first that are no function words.
fn names(claim: &str) -> Vec<String> {
    let is_name = |(at, word): &(usize, &str)| {
        let letters: Vec<char> = word.chars().filter(|c| c.is_alphabetic()).collect();
        let inner = letters.iter().skip(1).any(|c| c.is_uppercase());
        let plain = token::is_stop_word(&text::fold(word));
        letters.len() > 1 && !plain && (inner || (*at > 0 && letters[0].is_uppercase()))
    };
    let words = claim.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.enumerate().filter(is_name).map(|(_, word)| word.to_owned()).collect()
}

/// Markers in the text that belong to no citation: a model's, or a document's, forgeries.
fn stray_markers(answer: &Answer) -> Vec<Check> {
    let cited: BTreeSet<u32> =
        answer.sentences.iter().flat_map(|sentence| &sentence.citations).map(|citation| citation.source).collect();
    let stray: BTreeSet<u32> = markers(&answer.text).into_iter().filter(|n| !cited.contains(n)).collect();
    let check = |n: u32| Check {
        sentence: answer.sentences.len(),
        source: n,
        result: CheckResult::NotFound,
        detail: format!("the text cites SOURCE {n}, no sentence does"),
        ..Check::default()
    };
    stray.into_iter().map(check).collect()
}

/// The numbers of the `[SOURCE n` markers of a text, in order. A number too large to be one counts as 0.
fn markers(text: &str) -> Vec<u32> {
    text.split("[SOURCE ")
        .skip(1)
        .filter_map(|rest| {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            (digits > 0).then(|| rest[..digits].parse().unwrap_or(0))
        })
        .collect()
}

#[cfg(test)]
#[path = "../check_tests.rs"]
mod tests;
