//! `techrag-answer check`: does every claim stand where it says it stands? No model is asked.
//!
//! | step | finding when it fails |
//! |---|---|
//! | the sentence cites something, and stands in the answer's text | not found |
//! | the citation's source, key and chunk are among the record's sources | not found |
//! | the quoted words stand in the chunk (case, white space, hyphens and ligatures aside) | not found; partial if another chunk of the same source on the page named has them |
//! | they stand on the page named, or at the place named where the source has no printed pages | wrong page |
//! | the words its citations quote say what the claim says ([`claim`]) | partial |
//! | what is printed beside the sentences, markers and words, says nothing more ([`printed`]) | not found |
//! | an answer of the catalog is what the record's rows say ([`catalog`]) | not found |
//!
//! A record may cost seconds, not hours: what it quotes beyond that ([`effort`]) is not looked for, and says so.
//!
//! What no word tells is not found out: numbers that changed places in a free paraphrase, say ([`moved`] finds those
//! that keep the words beside them).

mod claim;
mod effort;
mod locate;
mod medal;
mod moved;
mod printed;

pub(crate) use locate::Searchable;

use techrag_core::record::{
    Answer, AnswerSentence, Check, CheckResult, Checks, Citation, CriticVerdict, Critique, Medal, Query, Source,
    TraceEntry,
};
use techrag_core::text;

use crate::catalog;

use effort::{COMPARED, Effort, SEARCHED};
use locate::{Found, Place, Texts};

/// Writes `checks`, `answer.confidence`, `answer.medal` and one trace entry. A record without an answer passes with a
/// note.
pub fn run(query: &mut Query) {
    let stands = catalog::stands(query);
    let note = match query.answer.take() {
        None => "no answer to check".to_owned(),
        Some(mut answer) => {
            let (checks, note) = if answer.catalog && !answer.abstained {
                of_catalog(&mut answer, stands)
            } else {
                judged(&mut answer, query)
            };
            query.answer = Some(answer);
            query.checks = Some(checks);
            note
        }
    };
    query.trace.push(TraceEntry { stage: "check".into(), note, ..TraceEntry::default() });
}

/// The checks of an answer that cites sources, and a note; confidence and medal are written into it.
fn judged(answer: &mut Answer, query: &Query) -> (Checks, String) {
    let sources = query.sources.as_deref().unwrap_or_default();
    let mut checks = of(answer, sources);
    // What the critic said of a draft says nothing of the quotations that stand in its place; that evidence is missing does.
    let of_draft =
        |critique: &&Critique| answer.fallback.is_none() || critique.verdict == CriticVerdict::MissingEvidence;
    let critique = query.critique.as_ref().filter(of_draft);
    let (medal, reason) = medal::medal(answer, &checks, query.evidence.as_ref(), critique);
    let (medal, reason) = medal::outside_only(medal, reason, answer, sources);
    checks.reason = reason;
    answer.confidence = Some(medal::confidence(answer, &checks));
    answer.medal = Some(medal);
    let note = match medal {
        Medal::None => checks.reason.clone(),
        _ => format!("{} of {} claims verified; {}", checks.verified, checks.total, checks.reason),
    };
    (checks, note)
}

/// The same for an answer of the catalog. It quotes nothing: it says what the rows say, or it is none.
fn of_catalog(answer: &mut Answer, stands: bool) -> (Checks, String) {
    if stands {
        (answer.confidence, answer.medal) = (None, None);
        let reason = "the answer is what the library's catalog says, row for row; it quotes no text, so that there is \
                      nothing to verify and no medal";
        return (Checks { reason: reason.into(), ..Checks::default() }, reason.to_owned());
    }
    (answer.confidence, answer.medal) = (Some(0.0), Some(Medal::None));
    let detail = "the text is not what the rows of the catalog in this record say";
    let check = Check { result: CheckResult::NotFound, detail: detail.into(), ..Check::default() };
    (Checks { claims: vec![check], total: 1, reason: detail.into(), ..Checks::default() }, detail.to_owned())
}

/// Whether the record holds no answer that may be shown: it refused, or none of its claims is verified. What the catalog
/// says is shown where it is what the rows say.
pub fn abstained(query: &Query) -> bool {
    if query.answer.as_ref().is_some_and(|answer| answer.catalog) {
        return !catalog::stands(query);
    }
    // A critic that misses evidence takes the medal, not the claims that stand.
    let verified = query.checks.as_ref().is_some_and(|checks| checks.verified > 0);
    query.answer.as_ref().is_none_or(|answer| answer.abstained || (answer.medal == Some(Medal::None) && !verified))
}

/// The checks of an answer's claims against its sources, without a reason; none for a refusal.
pub fn of(answer: &Answer, sources: &[Source]) -> Checks {
    let mut claims = Vec::new();
    if !answer.abstained {
        let record = Record {
            text: text::fold(&answer.text),
            texts: Texts::of(sources, Effort::new(SEARCHED)),
            searched: Effort::new(SEARCHED),
            compared: Effort::new(COMPARED),
        };
        for (at, sentence) in answer.sentences.iter().enumerate() {
            claims.extend(record.sentence_checks(at, sentence));
        }
        claims.extend(printed::checks(answer, &record.searched));
    }
    let verified = claims.iter().filter(|check| check.result == CheckResult::Verified).count();
    Checks { verified: verified as u32, total: claims.len() as u32, claims, ..Checks::default() }
}

/// What the sentences of an answer are compared with, and how much of that may be done.
struct Record<'a> {
    /// The answer's text, folded.
    text: String,
    texts: Texts<'a>,
    searched: Effort,
    compared: Effort,
}

impl Record<'_> {
    fn sentence_checks(&self, at: usize, sentence: &AnswerSentence) -> Vec<Check> {
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
        if !sentence.text.chars().any(char::is_alphanumeric) {
            return vec![check(0, CheckResult::NotFound, None, "the sentence says nothing".into())];
        }
        let unprinted = match self.searched.spend(self.text.len() as u64) {
            false => Some("not looked for in the answer's text, which is too long"),
            true if self.text.contains(&text::fold(&sentence.text)) => None,
            true => Some("the sentence is not in the answer's text"),
        };
        let found: Vec<Result<Found<'_>, String>> =
            sentence.citations.iter().map(|citation| locate::locate(citation, &self.texts)).collect();
        // A claim may rest on several quotations together: a table's row, its heading row, its caption.
        let quoted: Vec<&str> = found.iter().flatten().map(|found| found.words).collect();
        let quoted = quoted.join("\n");
        let missing = match self.compared.spend(sentence.text.len() as u64 * quoted.len() as u64) {
            true => claim::missing(&sentence.text, &quoted),
            false => vec!["whether they say the same was not compared, the words are too many".into()],
        };
        let one = |(citation, found): (&Citation, Result<Found<'_>, String>)| match (found, unprinted) {
            (Err(why), _) => check(citation.source, CheckResult::NotFound, None, why),
            (Ok(_), Some(why)) => check(citation.source, CheckResult::NotFound, None, why.into()),
            (Ok(found), None) => {
                let (result, detail) = judge(citation, &found, &missing);
                check(citation.source, result, found.page, detail)
            }
        };
        sentence.citations.iter().zip(found).map(one).collect()
    }
}

fn judge(citation: &Citation, found: &Found<'_>, missing: &[String]) -> (CheckResult, String) {
    match (&found.place, missing.is_empty()) {
        (Place::OtherPage(pages), _) => {
            let named = citation.page.map_or("no page".to_owned(), |page| format!("page {page}"));
            (CheckResult::WrongPage, format!("the words stand on page {pages}, not on {named}"))
        }
        (Place::Elsewhere(place), _) => {
            let named = citation.place.as_deref().unwrap_or("no place");
            (CheckResult::WrongPage, format!("the words stand at {place}, not at {named}"))
        }
        (Place::NoPageNamed, _) => (CheckResult::Partial, "the citation names no page".into()),
        (Place::OtherPassage(uid), _) => (CheckResult::Partial, format!("the words stand in chunk {uid}")),
        (Place::AsNamed, false) => (CheckResult::Partial, format!("not in the quotation: {}", missing.join(", "))),
        (Place::AsNamed, true) => (CheckResult::Verified, "the words stand there and hold the claim".into()),
    }
}

#[cfg(test)]
#[path = "../check_tests.rs"]
mod tests;
