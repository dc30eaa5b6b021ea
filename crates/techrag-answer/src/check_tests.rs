//! What is verified, and each way in which a claim can fail to be.

use techrag_core::record::{Passage, Span};

use super::*;

const TEXT: &str = "Friction falls to 0.27 on snow. The Kalman filter needs 0.16 s.\n\nOn page three it is 80 km/h.";

fn source() -> Source {
    let spans =
        [(0, 63, 2), (65, 93, 3)].map(|(start, end, page)| Span { start, end, page: Some(page), ..Span::default() });
    let passage = Passage {
        uid: "d:0".into(),
        pages: Some([2, 3]),
        spans: spans.to_vec(),
        text: TEXT.into(),
        ..Passage::default()
    };
    let other = Passage { uid: "d:1".into(), pages: Some([4, 4]), text: "A late remark.".into(), ..Passage::default() };
    Source { n: 1, key: "a.pdf".into(), passages: vec![passage, other], ..Source::default() }
}

fn citation(uid: &str, page: Option<u32>, span: &str) -> Citation {
    Citation { source: 1, key: "a.pdf".into(), uid: uid.into(), page, span: span.into(), ..Citation::default() }
}

fn checked(text: &str, citations: Vec<Citation>) -> Query {
    let sentence = AnswerSentence { text: text.into(), citations };
    let answer = Answer { text: format!("{text} [SOURCE 1: A]"), sentences: vec![sentence], ..Answer::default() };
    let mut query = Query { answer: Some(answer), sources: Some(vec![source()]), ..Query::new("?") };
    run(&mut query);
    query
}

fn result(text: &str, citation: Citation) -> (CheckResult, String) {
    let check = checked(text, vec![citation]).checks.unwrap().claims.remove(0);
    (check.result, check.detail)
}

#[test]
fn a_quoted_claim_on_its_page_is_verified() {
    let query =
        checked("Friction falls to 0.27 on snow.", vec![citation("d:0", Some(2), "Friction falls to 0.27 on snow.")]);
    let (answer, checks) = (query.answer.clone().unwrap(), query.checks.clone().unwrap());
    assert_eq!((checks.verified, checks.total, checks.claims[0].page), (1, 1, Some(2)));
    assert_eq!((answer.medal, answer.confidence), (Some(Medal::Bronze), Some(0.5)));
    assert!(!abstained(&query) && query.trace[0].note.starts_with("1 of 1 claims verified"));
}

#[test]
fn a_wrong_page_is_a_failure_of_its_own() {
    let (result, detail) = result("It is 80 km/h.", citation("d:0", Some(2), "On page three it is 80 km/h."));
    assert_eq!((result, detail.as_str()), (CheckResult::WrongPage, "the words stand on page 3, not on page 2"));
}

#[test]
fn words_that_stand_on_several_pages_are_right_on_each_of_them() {
    let spans =
        [(0, 9, 2), (11, 20, 3)].map(|(start, end, page)| Span { start, end, page: Some(page), ..Span::default() });
    let passage = |uid: &str| Passage {
        uid: uid.into(),
        pages: Some([2, 3]),
        spans: spans.to_vec(),
        text: "It slips.\n\nIt slips.".into(),
        ..Passage::default()
    };
    let single = Passage { pages: Some([7, 7]), spans: Vec::new(), ..passage("d:1") };
    let source = Source { n: 1, key: "a.pdf".into(), passages: vec![passage("d:0"), single], ..Source::default() };
    let texts = Texts::of(std::slice::from_ref(&source), Effort::new(1000));
    let place = |uid, page| locate::locate(&citation(uid, Some(page), "It slips."), &texts).map(|f| f.place);
    assert_eq!((place("d:0", 2), place("d:0", 3)), (Ok(Place::AsNamed), Ok(Place::AsNamed)));
    assert_eq!(place("d:0", 5), Ok(Place::OtherPage("2".into())));
    assert_eq!(place("d:9", 7), Ok(Place::OtherPassage("d:1".into())), "a chunk that is not there");
    assert_eq!(place("d:9", 3), Ok(Place::OtherPassage("d:0".into())));
}

#[test]
fn numbers_units_and_names_must_be_in_the_quotation() {
    let span = "The Kalman filter needs 0.16 s.";
    for (claim, missing) in [
        ("The Kalman filter needs 0.17 s.", "0.17 s"),
        ("The Kalman filter needs 0.16 ms.", "0.16 ms"),
        ("The Luenberger filter needs 0.16 s.", "Luenberger"),
    ] {
        let (result, detail) = result(claim, citation("d:0", Some(2), span));
        assert_eq!(result, CheckResult::Partial, "{claim}");
        assert!(detail.contains(missing), "{detail}");
    }
    let (result, _) = result("A Kalman filter is needed for 0.16 s.", citation("d:0", Some(2), span));
    assert_eq!(result, CheckResult::Verified, "a paraphrase that keeps words and numbers");
}

#[test]
fn what_does_not_resolve_is_not_found() {
    let span = "Friction falls to 0.27 on snow.";
    for (broken, why) in [
        (Citation { source: 7, ..citation("d:0", Some(2), span) }, "no SOURCE 7"),
        (Citation { key: "b.pdf".into(), ..citation("d:0", Some(2), span) }, "not b.pdf"),
        (citation("d:9", Some(2), "words of nobody"), "chunk d:9"),
        (citation("d:0", Some(2), "words of nobody"), "nowhere"),
        (citation("d:0", Some(2), " -\n"), "quotes nothing"),
    ] {
        let (result, detail) = result(span, broken);
        assert_eq!(result, CheckResult::NotFound);
        assert!(detail.contains(why), "{detail}");
    }
}

#[test]
fn another_chunk_or_no_page_is_partial() {
    assert_eq!(result("A late remark.", citation("d:0", Some(4), "A late remark.")).0, CheckResult::Partial);
    assert_eq!(result("A late remark.", citation("d:1", None, "A late remark.")).0, CheckResult::Partial);
    assert_eq!(result("A late remark.", citation("d:1", Some(4), "A late remark.")).0, CheckResult::Verified);
}

#[test]
fn uncited_sentences_and_stray_markers_are_claims_that_fail() {
    let query = checked("Trust me.", vec![]);
    let checks = query.checks.as_ref().unwrap();
    let details: Vec<&str> = checks.claims.iter().map(|check| check.detail.as_str()).collect();
    assert_eq!(details, ["the sentence cites nothing", "the text cites SOURCE 1, no sentence does"]);
    assert!(abstained(&query), "an answer without a verified claim is none");
    let empty = checked("…", vec![citation("d:0", Some(2), "Friction falls")]).checks.unwrap();
    assert_eq!((empty.verified, empty.claims[0].detail.as_str()), (0, "the sentence says nothing"));
}

#[test]
fn a_sentence_that_is_not_in_the_text_is_not_found() {
    let mut query = checked("Friction falls to 0.27 on snow.", vec![citation("d:0", Some(2), "Friction falls")]);
    query.answer.as_mut().unwrap().text = "Something else.".into();
    run(&mut query);
    let checks = query.checks.unwrap();
    let details: Vec<&str> = checks.claims.iter().map(|check| check.detail.as_str()).collect();
    assert_eq!(
        details,
        ["the sentence is not in the answer's text", "the text says «something else.», no sentence does"]
    );
}

#[test]
fn a_table_row_is_verified_with_its_heading() {
    let text = "Table 1. Bias.\n\n| Load | Dry |\n|---|---|\n| 0.3 | -16.0 |";
    let passage = Passage { uid: "d:0".into(), pages: Some([2, 2]), text: text.into(), ..Passage::default() };
    let source = Source { n: 1, key: "a.pdf".into(), passages: vec![passage], ..Source::default() };
    let citations = ["Table 1. Bias.", "| Load | Dry |", "| 0.3 | -16.0 |"].map(|span| citation("d:0", Some(2), span));
    let sentence = AnswerSentence { text: "Table 1. Bias. Load 0.3: Dry -16.0.".into(), citations: citations.to_vec() };
    let answer = Answer { text: sentence.text.clone(), sentences: vec![sentence], ..Answer::default() };
    let mut query = Query { answer: Some(answer), sources: Some(vec![source]), ..Query::new("?") };
    run(&mut query);
    assert_eq!(query.checks.as_ref().map(|checks| (checks.verified, checks.total)), Some((3, 3)), "{:?}", query.checks);
}

#[test]
fn the_medal_follows_evidence_and_checks() {
    use techrag_core::record::{Evidence, Verdict};
    let span = "Friction falls to 0.27 on snow.";
    let medal = |verdict, claims: &[&str]| {
        let mut query = checked(claims[0], vec![citation("d:0", Some(2), span)]);
        let answer = query.answer.as_mut().unwrap();
        let sentence =
            |claim: &&str| AnswerSentence { text: (*claim).into(), citations: vec![citation("d:0", Some(2), span)] };
        answer.sentences = claims.iter().map(sentence).collect();
        answer.text = claims.join(" ");
        query.evidence = Some(Evidence { verdict, ..Evidence::default() });
        run(&mut query);
        query.answer.and_then(|answer| answer.medal)
    };
    assert_eq!(medal(Verdict::Strong, &[span]), Some(Medal::Gold));
    assert_eq!(medal(Verdict::Strong, &[span, span, span, span, "It is 9 kg."]), Some(Medal::Silver));
    assert_eq!(medal(Verdict::Strong, &[span, "It is 9 kg."]), Some(Medal::Bronze));
    assert_eq!(medal(Verdict::Moderate, &[span]), Some(Medal::Silver));
    assert_eq!(medal(Verdict::Weak, &[span]), Some(Medal::Bronze));
}

#[test]
fn the_critic_has_a_say_in_the_medal() {
    use techrag_core::record::{CriticVerdict, Critique, Evidence, Verdict};
    let span = "Friction falls to 0.27 on snow.";
    let medal = |critique: Critique| {
        let mut query = checked(span, vec![citation("d:0", Some(2), span)]);
        query.evidence = Some(Evidence { verdict: Verdict::Strong, ..Evidence::default() });
        query.critique = Some(critique);
        run(&mut query);
        assert!(!abstained(&query), "a verified claim is shown whatever the critic says");
        query.answer.and_then(|answer| answer.medal)
    };
    let passed = Critique::default();
    assert_eq!(medal(passed.clone()), Some(Medal::Gold));
    assert_eq!(medal(Critique { revisions: 1, ..passed.clone() }), Some(Medal::Silver));
    assert_eq!(medal(Critique { revisions: 1, issues_found: true, ..passed.clone() }), Some(Medal::Bronze));
    assert_eq!(medal(Critique { verdict: CriticVerdict::MissingEvidence, ..passed }), Some(Medal::None));
}

#[test]
fn refusals_and_missing_answers_abstain() {
    let mut query = Query { answer: Some(Answer::not_found("x", "nothing")), ..Query::new("?") };
    run(&mut query);
    assert_eq!(query.answer.as_ref().and_then(|answer| answer.medal), Some(Medal::None));
    assert!(abstained(&query));
    let mut empty = Query::new("?");
    run(&mut empty);
    assert!(abstained(&empty) && empty.checks.is_none());
    assert_eq!(empty.trace[0].note, "no answer to check");
}

#[test]
fn what_is_too_much_to_be_looked_for_is_not_verified() {
    let sources = [source()];
    let cited = citation("d:0", Some(2), "Friction falls to 0.27 on snow.");
    let texts = Texts::of(&sources, Effort::new(100));
    assert!(locate::locate(&cited, &texts).is_ok());
    let why = locate::locate(&cited, &texts).map(|found| found.place).unwrap_err();
    assert_eq!(why, "not looked for: the record quotes more than is searched");
}

/// Every step of the checks on a claim and a passage of many numbers, of many names, and of one word again and again.
#[test]
fn a_long_claim_is_compared_in_bounded_time() {
    let of = |unit: &dyn Fn(usize) -> String, most| (0..most).map(unit).collect::<Vec<_>>().join(" ");
    let number = |at: usize| format!("the load is {at} N");
    let turned = |at: usize| format!("the load is {} N", 999 - at);
    let name = |at: usize| format!("Xy{at}Z");
    let same = |_: usize| "load 5".to_owned();
    for (claim, text, result) in [
        (of(&number, 1000), of(&number, 1000), CheckResult::Verified),
        (of(&number, 1000), of(&turned, 1000), CheckResult::Partial),
        (of(&name, 1000), of(&name, 1000), CheckResult::Verified),
        (of(&same, 1000), of(&same, 3000), CheckResult::Verified),
        (of(&number, 10_000), of(&number, 10_000), CheckResult::Partial),
    ] {
        let passage = Passage { uid: "d:0".into(), text: text.clone(), ..Passage::default() };
        let source = Source { n: 1, key: "a.pdf".into(), passages: vec![passage], ..Source::default() };
        let sentence = AnswerSentence { text: claim.clone(), citations: vec![citation("d:0", None, &text)] };
        let answer = Answer { text: claim, sentences: vec![sentence], ..Answer::default() };
        let mut query = Query { answer: Some(answer), sources: Some(vec![source]), ..Query::new("?") };
        let begun = std::time::Instant::now();
        run(&mut query);
        let check = query.checks.unwrap().claims.remove(0);
        assert_eq!(check.result, result, "{}", check.detail);
        let taken = begun.elapsed().as_secs();
        // Far more than it takes; without the bounds the last one takes minutes.
        assert!(taken < 30, "{taken} s");
        if text.len() > 100_000 {
            assert!(check.detail.contains("was not compared"), "{}", check.detail);
        }
    }
}

#[test]
fn what_the_critic_said_of_a_draft_does_not_judge_the_quotations_in_its_place() {
    let medal = |fallback: Option<&str>, verdict: CriticVerdict| {
        let mut query = checked(
            "Friction falls to 0.27 on snow.",
            vec![citation("d:0", Some(2), "Friction falls to 0.27 on snow.")],
        );
        let evidence = techrag_core::record::Evidence {
            verdict: techrag_core::record::Verdict::Strong,
            ..techrag_core::record::Evidence::default()
        };
        query.evidence = Some(evidence);
        query.critique = Some(Critique { verdict, issues_found: true, revisions: 1, ..Critique::default() });
        query.answer.as_mut().unwrap().fallback = fallback.map(str::to_owned);
        run(&mut query);
        query.answer.unwrap().medal.unwrap()
    };
    assert_eq!(medal(None, CriticVerdict::Revise), Medal::Bronze);
    assert_eq!(medal(Some("m made it up"), CriticVerdict::Revise), Medal::Gold);
    assert_eq!(medal(Some("m made it up"), CriticVerdict::MissingEvidence), Medal::None);
}
