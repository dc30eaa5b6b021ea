//! When a query is scored, when it is retried, and which of the two looks is kept.

use techrag_core::record::{Route, Scores};

use super::*;

const QUESTION: &str = "What is the relaxation length of a worn tyre at 60 km/h?";

fn hit(doc: &str, text: &str, dense: f32, bm25: f64) -> Hit {
    Hit {
        uid: format!("{doc}:0"),
        doc_id: doc.into(),
        key: format!("{doc}.pdf"),
        year: Some(2020),
        section: "3 Results".into(),
        pages: Some([2, 2]),
        text: text.into(),
        scores: Scores { score: bm25, dense: Some(dense), bm25: Some(bm25), ..Scores::default() },
        ..Hit::default()
    }
}

/// A library that answers, behind it chunks that do not.
fn found() -> Vec<Hit> {
    let mut hits = vec![
        hit("a", "At 60 km/h the relaxation length of the worn tyre is 0.35 m.", 0.82, 14.0),
        hit("b", "A worn tyre has a shorter relaxation length, 0.3 m.", 0.7, 9.0),
    ];
    hits.extend(beside());
    hits
}

fn beside() -> Vec<Hit> {
    (0..8).map(|n| hit(&format!("x{n}"), "The engine is cooled by water.", 0.05, 0.2)).collect()
}

fn query(hits: Vec<Hit>) -> Query {
    let route = Route { routes: vec![RouteName::Content], text_query: QUESTION.into(), ..Route::default() };
    Query { hits: Some(hits), route: Some(route), ..Query::new(QUESTION) }
}

fn with<R>(run: impl FnOnce(Config<'_>) -> R) -> R {
    let (model, thesaurus) = (Model::shipped().unwrap(), Thesaurus::shipped().unwrap());
    run(Config { year: None, model: &model, thesaurus: &thesaurus, by: "techrag-score test" })
}

fn assessed(hits: Vec<Hit>) -> Query {
    let mut query = query(hits);
    with(|config| assess(&mut query, config)).unwrap();
    query
}

#[test]
fn what_answers_is_strong_and_what_does_not_is_weak() {
    let strong = assessed(found()).evidence.unwrap();
    let weak = assessed(beside()).evidence.unwrap();
    assert_eq!(strong.verdict, Verdict::Strong, "{strong:#?}");
    assert_eq!(weak.verdict, Verdict::Weak, "{weak:#?}");
    assert!(strong.missing.is_empty() && weak.missing.contains(&"relaxation".to_owned()));
}

#[test]
fn the_score_is_the_sum_of_its_damped_parts() {
    for hits in [found(), beside(), Vec::new()] {
        let evidence = assessed(hits).evidence.unwrap();
        let retrieval = evidence.parts[0].points;
        let others: f64 = evidence.parts[1..].iter().map(|part| part.points).sum();
        assert!((evidence.score - (retrieval + rubric::damping(retrieval) * others)).abs() < 0.051);
        for part in &evidence.parts {
            assert!(part.points >= 0.0 && part.points <= part.max && !part.why.is_empty(), "{part:?}");
        }
    }
}

#[test]
fn metadata_of_chunks_beside_the_topic_does_not_lift_the_score() {
    let evidence = assessed(beside()).evidence.unwrap();
    assert_eq!(evidence.parts[3].points, 10.0);
    assert_eq!(evidence.damping, 0.2);
}

#[test]
fn hits_get_their_relevance_once_and_keep_one_they_have() {
    let mut hits = found();
    for hit in &mut hits {
        hit.scores.relevance = Some(0.01);
    }
    assert_eq!(assessed(hits).hits.unwrap()[0].scores.relevance, Some(0.01));
    let query = assessed(found());
    assert!(query.hits.unwrap()[0].scores.relevance.unwrap() > 0.3);
}

#[test]
fn weak_evidence_asks_again_and_raises_the_effort() {
    let query = assessed(beside());
    let retry = query.retry.unwrap();
    assert_eq!(retry.hits, None);
    assert!(retry.query.contains("relaxation"), "{}", retry.query);
    assert_eq!(query.route.unwrap().effort, Effort::High);
    let strong = assessed(found());
    assert_eq!((strong.retry, strong.route.unwrap().effort), (None, Effort::Low));
}

#[test]
fn an_effort_that_was_asked_for_stays() {
    let mut query = query(beside());
    query.route.as_mut().unwrap().effort_fixed = true;
    with(|config| assess(&mut query, config)).unwrap();
    assert_eq!(query.route.unwrap().effort, Effort::Low);
}

#[test]
fn a_better_retry_takes_the_place_of_the_first() {
    let mut query = assessed(beside());
    query.retry.as_mut().unwrap().hits = Some(found());
    with(|config| decide(&mut query, config));
    let retry = query.retry.as_ref().unwrap();
    assert_eq!(retry.accepted, Some(true), "{:?}", retry.reason);
    assert_eq!(query.evidence.as_ref().unwrap().verdict, Verdict::Strong);
    assert_eq!(query.hits.as_ref().unwrap()[0].doc_id, "a");
    let before = retry.before.as_ref().unwrap();
    assert_eq!(before.evidence.verdict, Verdict::Weak);
    assert_eq!(before.hits.len(), 8);
    let decided = query.clone();
    with(|config| decide(&mut query, config));
    assert_eq!(query, decided, "a decision stands");
}

#[test]
fn a_drifted_retry_is_rejected_whatever_its_score() {
    let mut query = assessed(beside());
    let mut drifted = beside();
    for hit in &mut drifted {
        hit.scores.relevance = Some(0.99);
    }
    query.retry.as_mut().unwrap().hits = Some(drifted);
    with(|config| decide(&mut query, config));
    let retry = query.retry.unwrap();
    assert_eq!(retry.accepted, Some(false));
    assert!(retry.reason.unwrap().starts_with("drifted"));
    assert_eq!(retry.drift.unwrap().share, 0.0);
    assert!(retry.evidence.unwrap().score > query.evidence.unwrap().score);
}

#[test]
fn a_retry_that_is_no_better_is_rejected_and_kept_beside() {
    let mut query = assessed(vec![hit("a", "The relaxation length of a tyre.", 0.2, 1.0)]);
    let same = query.hits.clone();
    query.retry.as_mut().unwrap().hits = same.clone();
    with(|config| decide(&mut query, config));
    let retry = query.retry.unwrap();
    assert_eq!(retry.accepted, Some(false));
    assert!(retry.reason.unwrap().starts_with("rejected"));
    assert_eq!((retry.before, retry.hits), (None, same));
}

#[test]
fn an_unserved_retry_stays_open() {
    let mut query = assessed(beside());
    with(|config| decide(&mut query, config));
    assert_eq!(query.retry.unwrap().accepted, None);
    assert!(query.trace.last().unwrap().note.contains("no stage"));
}

#[test]
fn other_routes_and_unretrieved_queries_pass_unscored() {
    let mut other = query(found());
    other.route.as_mut().unwrap().routes = vec![RouteName::Trend];
    assert_eq!(with(|config| assess(&mut other, config)), Err(Unscored::Route));
    assert_eq!((other.evidence.clone(), other.trace.len()), (None, 1));
    assert!(!gate(&other, Verdict::Strong), "the score does not decide there");
    let mut fresh = Query::new(QUESTION);
    assert_eq!(with(|config| assess(&mut fresh, config)), Err(Unscored::NoRetrieval));
    assert!(gate(&fresh, Verdict::Moderate));
}

#[test]
fn the_gate_lets_through_what_reaches_it() {
    assert!(!gate(&assessed(found()), Verdict::Strong));
    assert!(gate(&assessed(beside()), Verdict::Moderate));
}

#[test]
fn the_table_names_every_part_and_what_lacks() {
    let table = crate::explain::table(&assessed(beside()));
    for name in ["WEAK", "retrieval", "specificity", "diversity", "metadata", "fit", "not found:", "retry:"] {
        assert!(table.contains(name), "{name} in\n{table}");
    }
    assert!(crate::explain::table(&Query::new("x")).contains("not scored"));
}
