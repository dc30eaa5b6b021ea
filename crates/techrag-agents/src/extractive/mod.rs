//! A writer without a language model: quotes the sentences that answer, or refuses.
//!
//! | step | what happens | where |
//! |---|---|---|
//! | question | its terms, numbers and sections named; whether it wants a number, a cause, a list | [`question`] |
//! | candidates | every sentence, caption and table row of the passages, with what is measured of it | [`candidates`] |
//! | score | a fixed linear rule over the measurements | [`score`] |
//! | thread | sentences that go on with a good one count nearly as much | [`thread`] |
//! | floor | how well the evidence answers, 0 to 1; below the floor the answer is the refusal | [`floor`] |
//! | compose | the best sentence of each question inside the question, then the best of all, no two alike; those of other papers only near the best; the best first, the others in reading order by source | [`compose`] |
//!
//! The weights were fitted on the tuning half of `fixtures/questions`; word lists, floor and limits on it and on
//! the questions of `fixtures/answers`.

mod candidates;
mod compose;
mod conditions;
mod count;
mod floor;
mod question;
mod score;
mod thread;

use serde_json::json;
use techrag_core::record::{Answer, Extra, Query, Source, TraceEntry};

use candidates::Candidate;

/// Who wrote an answer.
pub const BY: &str = "extractive/1";

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Most sentences of an answer.
    pub max_sentences: usize,
    /// Support below which the answer is the refusal, 0 to 1.
    pub floor: f64,
}

/// Most sentences of an answer unless the caller says otherwise. On the tuning half of `fixtures/questions-real` the best
/// 6, 7, 8, 10 sentences hold every gold fact of 28, 31, 34, 34 of 46 questions; on that of `fixtures/questions` of 40 of
/// 44 each.
pub const SENTENCES: usize = 8;

/// The support that an answer needs unless the caller says otherwise; see [`floor`].
pub const FLOOR: f64 = floor::DEFAULT;

/// Cosines of a question with texts, in the order of the texts; `Err` says why there are none.
pub type Cosines<'a> = dyn Fn(&str, &[&str]) -> Result<Vec<f32>, String> + Sync + 'a;

/// Writes `answer` and one trace entry. Without a sentence encoder, meaning is left out of the score and the trace
/// says so. A record without `sources` passes with a note.
pub fn run(query: &mut Query, config: Config, cosines: Option<&Cosines<'_>>) {
    let Some(sources) = query.sources.take() else {
        query.trace.push(entry("no sources to write from: assemble has not run".into(), Extra::new()));
        return;
    };
    let (answer, entry) = answer(&query.question, &sources, config, cosines);
    query.sources = Some(sources);
    query.answer = Some(answer);
    query.trace.push(entry);
}

fn answer(question: &str, sources: &[Source], config: Config, cosines: Option<&Cosines<'_>>) -> (Answer, TraceEntry) {
    let asked = question::Question::of(question);
    let mut candidates = candidates::candidates(&asked, sources);
    let mut details = Extra::new();
    details.insert("candidates".into(), json!(candidates.len()));
    let meaning = match cosines.map(|cosines| candidates::add_meaning(question, &mut candidates, cosines)) {
        None => "no sentence encoder".to_owned(),
        Some(Ok(compared)) => format!("{compared} sentences compared by meaning"),
        Some(Err(why)) => format!("the sentence encoder failed: {why}"),
    };
    let ranked = score::ranked(&candidates);
    let limits = compose::Limits::of(&asked, config.max_sentences);
    let seats = facet_bests(question, &candidates, sources);
    let chosen = compose::choose(&ranked, &seats, limits);
    let kept = compose::without_strays(&chosen, &ranked, &seats);
    let mut evidence = floor::evidence(&asked, sources, &ranked, &kept, &seats);
    if let Some(cosines) = cosines {
        evidence.excuse_synonyms(&kept, cosines);
    }
    for (name, value) in evidence.figures() {
        details.insert(name.into(), json!((value * 1e4).round() / 1e4));
    }
    let (answer, note) = match evidence.refusal(config.floor) {
        Some(why) => {
            let note = format!("refused: {why}");
            (Answer { support: Some(evidence.support), ..Answer::not_found(BY, why) }, note)
        }
        None => {
            let strays = match chosen.len() - kept.len() {
                0 => String::new(),
                strays => format!(", {strays} of other papers left out as far from the best"),
            };
            (compose::answer(&kept, sources, &evidence), format!("{} sentences quoted{strays}", kept.len()))
        }
    };
    (answer, entry(format!("extractive: {note}; {meaning}"), details))
}

/// The index of the best candidate for each of the questions inside a question.
fn facet_bests(question: &str, candidates: &[Candidate], sources: &[Source]) -> Vec<usize> {
    let best = |facet: &String| {
        let mut measured = candidates.to_vec();
        candidates::measure_all(&mut measured, &question::Question::of(facet), sources);
        score::best(&measured, 1).first().copied()
    };
    question::facets(question).iter().filter_map(best).collect()
}

fn entry(note: String, details: Extra) -> TraceEntry {
    TraceEntry { stage: "generate".into(), note, details, ..TraceEntry::default() }
}

/// A candidate with its score.
#[derive(Clone, Copy)]
struct Scored<'a> {
    /// Its place among all candidates.
    at: usize,
    candidate: &'a Candidate,
    score: f64,
}

#[cfg(test)]
#[path = "../extractive_tests.rs"]
mod tests;
