//! What a right answer is, and what is not.

use techrag_core::record::{AnswerSentence, Checks};

use super::*;

const QRELS: &str = r#"{"query":"q1","document":"a.pdf","page":2,"span":"a ratio of 0.62 was found","grade":2}
{"query":"q2","document":"a.pdf","page":3,"span":"x","grade":2}"#;

const QUESTIONS: &str = r#"{"_id":"q1","text":"?","kind":"numeric","answerable":true,"gold":["0.62","ratio|share"],"half":"tune"}
{"_id":"q2","text":"?","kind":"single","answerable":true,"gold":["x"],"half":"test","reviewed":"ok"}
{"_id":"u1","text":"?","kind":"single","answerable":false,"half":"test"}"#;

fn judgements() -> Judgements {
    Judgements::parse(QRELS).unwrap()
}

fn answered(name: &str, text: &str, key: &str, page: u32, span: &str) -> Query {
    let citation = Citation { key: key.into(), page: Some(page), span: span.into(), ..Citation::default() };
    let sentence = AnswerSentence { text: text.into(), citations: vec![citation] };
    Query {
        name: Some(name.into()),
        answer: Some(Answer { sentences: vec![sentence], ..Answer::default() }),
        checks: Some(Checks { verified: 1, total: 1, ..Checks::default() }),
        ..Query::new("?")
    }
}

fn refused(name: &str) -> Query {
    Query { name: Some(name.into()), answer: Some(Answer::not_found("t", "none")), ..Query::new("?") }
}

fn judged(records: &[Query]) -> Vec<(String, Verdict)> {
    let judgements = judgements();
    let questions = questions(QUESTIONS, &judgements).unwrap();
    let mut evaluation = Evaluation::new(&questions, &judgements);
    records.iter().for_each(|record| evaluation.add(record).unwrap());
    evaluation.finish().into_iter().map(|(question, verdict)| (question.name.clone(), verdict)).collect()
}

fn first(record: Query) -> Verdict {
    judged(&[record])[0].1
}

#[test]
fn every_gold_fact_must_be_said_outside_the_citations() {
    assert!(first(answered("q1", "A share of 0.62.", "a.pdf", 2, "")).gold);
    assert!(!first(answered("q1", "A share of 0.625.", "a.pdf", 2, "")).gold);
    let mut titled = answered("q1", "A number.", "a.pdf", 2, "");
    titled.answer.as_mut().unwrap().text = "A number. [SOURCE 1: A ratio of 0.62]".into();
    assert!(!first(titled).gold);
}

#[test]
fn the_right_page_or_the_fact_quoted_from_the_right_document() {
    let cited = |key: &str, page: u32, span: &str| first(answered("q1", "", key, page, span)).cited;
    assert!(cited("a.pdf", 2, "anything"));
    assert!(cited("a.pdf", 1, "it is 0.62 here"));
    assert!(!cited("a.pdf", 1, "anything"));
    assert!(!cited("b.pdf", 2, "a ratio of 0.62"));
}

#[test]
fn claims_are_verified_only_by_checks_that_were_made() {
    let mut record = answered("q1", "", "a.pdf", 2, "");
    assert!(first(record.clone()).verified);
    record.checks = Some(Checks { verified: 1, total: 2, ..Checks::default() });
    assert!(!first(record.clone()).verified);
    record.checks = Some(Checks::default());
    assert!(!first(record.clone()).verified);
    record.checks = None;
    assert!(!first(record).verified);
}

#[test]
fn shares_by_half_and_kind() {
    let judgements = judgements();
    let questions = questions(QUESTIONS, &judgements).unwrap();
    let mut evaluation = Evaluation::new(&questions, &judgements);
    evaluation.add(&answered("q1", "the ratio is 0.62", "a.pdf", 2, "")).unwrap();
    evaluation.add(&refused("u1")).unwrap();
    evaluation.add(&refused("nobody asked")).unwrap();
    let report = json(&groups(&evaluation.finish()));
    assert_eq!(report["all"]["right"], 0.5);
    assert_eq!(report["tune"]["right"], 1.0);
    assert_eq!(report["test"]["right"], 0.0);
    assert_eq!(report["test"]["missing"], 0.5);
    assert_eq!(report["test"]["right_refusals"], 1.0);
    assert_eq!(report["tune"]["right_refusals"], Value::Null);
    assert_eq!(report["all"]["false_refusals"], 0.0);
    assert_eq!(report["all"]["verified"], 1.0);
    assert_eq!(report["single"]["questions"], 2);
    assert_eq!(report.as_object().unwrap().keys().collect::<Vec<_>>(), ["all", "test", "tune", "numeric", "single"]);
}

#[test]
fn a_refusal_of_an_answerable_question_is_false_and_says_nothing() {
    let verdict = first(refused("q1"));
    assert_eq!(verdict, Verdict { given: true, abstained: true, ..Verdict::default() });
}

#[test]
fn a_question_that_cannot_be_judged_and_a_second_record_are_refused() {
    let unjudged = r#"{"_id":"q9","kind":"single","answerable":true,"gold":["x"],"half":"test"}"#;
    assert!(matches!(questions(unjudged, &judgements()), Err(Error::Unjudged(name)) if name == "q9"));
    assert!(matches!(questions("{}", &judgements()), Err(Error::Line { line: 1, .. })));
    let judgements = judgements();
    let questions = questions(QUESTIONS, &judgements).unwrap();
    let mut evaluation = Evaluation::new(&questions, &judgements);
    evaluation.add(&refused("q1")).unwrap();
    assert_eq!(evaluation.add(&refused("q1")), Err(Duplicate("q1".into())));
}

/// An answer made of exactly the judged passages is right: the gold facts of the fixture questions stand in them.
#[test]
fn the_fixture_questions_can_be_answered_rightly() {
    let judgements = Judgements::parse(include_str!("../../../fixtures/questions/qrels.jsonl")).unwrap();
    let questions = questions(include_str!("../../../fixtures/questions/questions.jsonl"), &judgements).unwrap();
    let mut evaluation = Evaluation::new(&questions, &judgements);
    for question in &questions {
        let passages = judgements.passages.get(&question.name).map_or(&[][..], Vec::as_slice);
        let sentence = |passage: &JudgedPassage| {
            let citation = Citation { key: passage.document.clone(), page: passage.page, ..Citation::default() };
            AnswerSentence { text: passage.span.clone(), citations: vec![citation] }
        };
        let sentences: Vec<_> = passages.iter().map(sentence).collect();
        let record = if question.answerable {
            let checks = Some(Checks { verified: 1, total: 1, ..Checks::default() });
            let answer = Some(Answer { sentences, ..Answer::default() });
            Query { name: Some(question.name.clone()), answer, checks, ..Query::new("?") }
        } else {
            refused(&question.name)
        };
        evaluation.add(&record).unwrap();
    }
    let verdicts = evaluation.finish();
    let wrong = verdicts.iter().filter(|(question, verdict)| question.answerable && !verdict.gold);
    assert_eq!(wrong.map(|(question, _)| &question.name).collect::<Vec<_>>(), Vec::<&String>::new());
    let report = json(&groups(&verdicts));
    for (share, value) in [("right", 1.0), ("right_refusals", 1.0), ("false_refusals", 0.0), ("missing", 0.0)] {
        assert_eq!(report["all"][share], value, "{share}");
    }
}
