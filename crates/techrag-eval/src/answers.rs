//! Answers: is the gold fact said, is the right page cited, does every claim stand, and is a refusal right.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use techrag_core::record::{Answer, Citation, Query};
use thiserror::Error;

use crate::fact::says;
use crate::judgements::{JudgedPassage, Judgements};
use crate::report::Duplicate;

/// A question with what a right answer must hold.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Question {
    /// Its name in records and judgements.
    #[serde(rename = "_id")]
    pub name: String,
    /// `single`, `comparison`, `numeric`, …
    pub kind: String,
    /// Whether the corpus answers it.
    pub answerable: bool,
    /// Facts that must all be said, each with alternatives separated by `|`.
    #[serde(default)]
    pub gold: Vec<String>,
    /// `tune` or `test`: nothing is tuned on the latter.
    pub half: String,
}

/// Why a file of questions cannot be used.
#[derive(Debug, Error)]
pub enum Error {
    /// A line that is not a question.
    #[error("line {line}: {source}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// An answerable question without facts or judged passages could never be answered rightly.
    #[error("question {0} is answerable but has no gold fact or no judged passage")]
    Unjudged(String),
}

/// Reads questions, one object a line; their other fields are not needed here.
///
/// # Errors
/// [`Error`] names the first line that is not a question, or a question whose answer cannot be judged.
pub fn questions(text: &str, judgements: &Judgements) -> Result<Vec<Question>, Error> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = |(index, line): (usize, &str)| {
        let question: Question =
            serde_json::from_str(line).map_err(|source| Error::Line { line: index + 1, source })?;
        let judged = !question.gold.is_empty() && judgements.passages.contains_key(&question.name);
        if question.answerable && !judged { Err(Error::Unjudged(question.name)) } else { Ok(question) }
    };
    lines.map(read).collect()
}

/// What became of one question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "findings about one answer, each independent of the others")]
pub struct Verdict {
    /// The run has a record with an answer.
    pub given: bool,
    /// The answer is the refusal.
    pub abstained: bool,
    /// Every gold fact is said.
    pub gold: bool,
    /// A citation points at a judged page of a judged document, or quotes a gold fact from such a document.
    pub cited: bool,
    /// There are claims, and the checks verified all of them.
    pub verified: bool,
}

/// Takes query records one by one.
#[derive(Debug)]
pub struct Evaluation<'a> {
    questions: &'a [Question],
    judgements: &'a Judgements,
    verdicts: BTreeMap<&'a str, Verdict>,
}

impl<'a> Evaluation<'a> {
    /// Judges answers to these questions.
    pub fn new(questions: &'a [Question], judgements: &'a Judgements) -> Self {
        Self { questions, judgements, verdicts: BTreeMap::new() }
    }

    /// Judges one record; a record of no question listed is left out.
    ///
    /// # Errors
    /// [`Duplicate`] if the question came before.
    pub fn add(&mut self, query: &Query) -> Result<(), Duplicate> {
        let Some(question) = self.questions.iter().find(|question| question.name == query.judged_name()) else {
            return Ok(());
        };
        let passages = self.judgements.passages.get(&question.name).map_or(&[][..], Vec::as_slice);
        match self.verdicts.insert(&question.name, verdict(query, question, passages)) {
            Some(_) => Err(Duplicate(question.name.clone())),
            None => Ok(()),
        }
    }

    /// Every question with its verdict, in the order of the file; one that never came was not given.
    pub fn finish(self) -> Vec<(&'a Question, Verdict)> {
        let verdict = |question: &Question| self.verdicts.get(question.name.as_str()).copied().unwrap_or_default();
        self.questions.iter().map(|question| (question, verdict(question))).collect()
    }
}

fn verdict(query: &Query, question: &Question, passages: &[JudgedPassage]) -> Verdict {
    let Some(answer) = &query.answer else {
        return Verdict::default();
    };
    let text = said(answer);
    Verdict {
        given: true,
        abstained: answer.abstained,
        gold: !answer.abstained && question.gold.iter().all(|fact| says(&text, fact)),
        cited: citations(answer).any(|citation| right_place(citation, question, passages)),
        verified: query.checks.as_ref().is_some_and(|checks| checks.total > 0 && checks.verified == checks.total),
    }
}

/// The sentences without their citations, whose titles would say things that the answer does not.
fn said(answer: &Answer) -> String {
    answer.sentences.iter().map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn citations(answer: &Answer) -> impl Iterator<Item = &Citation> {
    answer.sentences.iter().flat_map(|sentence| &sentence.citations)
}

/// The judged page, or words of the same document that hold a gold fact: a paper says its findings more than once,
/// in the abstract and where they were found, and either is a right citation.
fn right_place(citation: &Citation, question: &Question, passages: &[JudgedPassage]) -> bool {
    let quotes_gold = question.gold.iter().any(|fact| says(&citation.span, fact));
    let in_document = |passage: &&JudgedPassage| passage.grade > 0 && passage.document == citation.key;
    passages.iter().filter(in_document).any(|passage| quotes_gold || passage.page == citation.page)
}

/// Shares over a group of questions; a share of nothing is absent.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    /// Name and value of each, in the order of the table.
    pub values: Vec<(&'static str, Option<f64>)>,
    /// Questions in the group.
    pub questions: usize,
}

/// Shares over all questions, over each half, and over each kind, by name of the group.
pub fn groups(verdicts: &[(&Question, Verdict)]) -> Vec<(String, Shares)> {
    let mut groups: BTreeMap<(u8, &str), Vec<(&Question, Verdict)>> = BTreeMap::new();
    for (question, verdict) in verdicts {
        for group in [(0, "all"), (1, question.half.as_str()), (2, question.kind.as_str())] {
            groups.entry(group).or_default().push((*question, *verdict));
        }
    }
    groups.into_iter().map(|((_, name), members)| (name.to_owned(), shares(&members))).collect()
}

fn shares(members: &[(&Question, Verdict)]) -> Shares {
    let of = |wanted: bool| members.iter().filter(move |(q, _)| q.answerable == wanted).map(|(_, v)| *v);
    let answered = || members.iter().map(|(_, verdict)| *verdict).filter(|verdict| verdict.given && !verdict.abstained);
    let values = vec![
        ("right", share(of(true), |v| v.gold && v.cited && v.verified)),
        ("gold", share(of(true), |v| v.gold)),
        ("cited", share(of(true), |v| v.cited)),
        ("gold_and_cited", share(of(true), |v| v.gold && v.cited)),
        ("verified", share(answered(), |v| v.verified)),
        ("right_refusals", share(of(false), |v| v.abstained)),
        ("false_refusals", share(of(true), |v| v.abstained)),
        ("missing", share(members.iter().map(|(_, verdict)| *verdict), |v| !v.given)),
    ];
    Shares { values, questions: members.len() }
}

fn share(verdicts: impl Iterator<Item = Verdict>, holds: impl Fn(&Verdict) -> bool) -> Option<f64> {
    let verdicts: Vec<Verdict> = verdicts.collect();
    let holding = verdicts.iter().filter(|verdict| holds(verdict)).count();
    (!verdicts.is_empty()).then(|| holding as f64 / verdicts.len() as f64)
}

/// One object: a group's name to its shares; a share of nothing is null.
pub fn json(groups: &[(String, Shares)]) -> Value {
    let group = |(name, shares): &(String, Shares)| {
        let mut object = Map::from_iter([("questions".to_owned(), json!(shares.questions))]);
        object.extend(shares.values.iter().map(|(name, value)| ((*name).to_owned(), json!(value))));
        (name.clone(), Value::from(object))
    };
    groups.iter().map(group).collect::<Map<_, _>>().into()
}

/// A table for people: a line a share, a column a group.
pub fn table(groups: &[(String, Shares)]) -> String {
    let mut table = format!("{:14}", "");
    groups.iter().for_each(|(name, _)| _ = write!(table, "  {name:>12}"));
    let _ = write!(table, "\n{:14}", "questions");
    groups.iter().for_each(|(_, shares)| _ = write!(table, "  {:>12}", shares.questions));
    for (index, (name, _)) in groups.first().map_or(&[][..], |(_, shares)| &shares.values).iter().enumerate() {
        let _ = write!(table, "\n{name:14}");
        for (_, shares) in groups {
            let value = shares.values[index].1.map_or("–".to_owned(), |value| format!("{value:.3}"));
            let _ = write!(table, "  {value:>12}");
        }
    }
    table + "\n"
}

/// One object a question: its name, half and kind, and the verdict.
pub fn per_question(question: &Question, verdict: Verdict) -> Value {
    let Question { name, kind, answerable, half, .. } = question;
    let Verdict { given, abstained, gold, cited, verified } = verdict;
    json!({
        "_id": name, "half": half, "kind": kind, "answerable": answerable, "given": given, "abstained": abstained,
        "gold": gold, "cited": cited, "verified": verified,
    })
}

#[cfg(test)]
#[path = "answers_tests.rs"]
mod tests;
