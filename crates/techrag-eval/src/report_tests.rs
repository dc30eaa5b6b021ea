//! Every figure against trec_eval, and nobody left out.

use std::path::PathBuf;

use techrag_core::codec::{Bare, Parsed, Wanted, parse};
use techrag_core::record::{Kind, Record};

use super::*;
use crate::run::trec_run;

/// Values of trec_eval's own code, made by `testdata/make_reference.py`.
const REFERENCE: &str = include_str!("../testdata/reference.json");
const RUN: &str = include_str!("../testdata/run.jsonl");
const QRELS: &str = include_str!("../testdata/qrels.txt");

fn queries(lines: &str) -> Vec<Query> {
    let wanted = Wanted { kinds: &[Kind::Query], bare: Bare::Question };
    let query = |line| match parse(line, wanted) {
        Ok(Parsed::Record(Record::Query(query))) => *query,
        other => panic!("{other:?}"),
    };
    lines.lines().map(query).collect()
}

fn report(judgements: &Judgements, cutoffs: &[usize], queries: &[Query]) -> Report {
    let mut evaluation = Evaluation::new(judgements, cutoffs);
    queries.iter().for_each(|query| evaluation.add(query).unwrap());
    evaluation.finish()
}

/// Four decimals, as trec_eval prints.
#[track_caller]
fn assert_equal(what: &str, ours: &Value, theirs: &Value) {
    let (ours, theirs) = (ours.as_f64().unwrap(), theirs.as_f64().unwrap());
    assert!((ours - theirs).abs() < 5e-5, "{what}: {ours}, trec_eval says {theirs}");
}

#[test]
fn every_value_is_trec_evals() {
    let reference: Value = serde_json::from_str(REFERENCE).unwrap();
    let report = report(&Judgements::parse(QRELS).unwrap(), &[1, 5, 10, 100], &queries(RUN));
    let mut compared = 0;
    for row in report.per_query() {
        let query = row["query"].as_str().unwrap();
        for (name, theirs) in reference["per_query"].get(query).and_then(Value::as_object).into_iter().flatten() {
            assert_equal(&format!("{query} {name}"), &row[name], theirs);
            compared += 1;
        }
    }
    assert_eq!(compared, reference["per_query"].as_object().unwrap().len() * report.names.len());
    for (name, theirs) in reference["mean"].as_object().unwrap() {
        assert_equal(name, &report.json()[name], theirs);
    }
}

#[test]
fn nobody_is_left_out_silently() {
    let report = report(&Judgements::parse(QRELS).unwrap(), &[10], &queries(RUN));
    assert_eq!(report.missing, ["missing"]);
    assert_eq!(report.unjudged, 1);
    let json = report.json();
    assert_eq!((&json["queries"], &json["missing"]), (&json!(report.scores.len()), &json!(1)));
    assert!(report.table().contains("1 missing from the run, counted as 0; 1 without a relevant document"));
}

#[test]
fn a_query_nobody_judged_is_counted_apart_and_a_second_record_refused() {
    let judgements = Judgements::parse("q 0 d 1").unwrap();
    let mut evaluation = Evaluation::new(&judgements, &[10]);
    let query = |name: &str| Query { name: Some(name.into()), ..Query::new("?") };
    evaluation.add(&query("q")).unwrap();
    evaluation.add(&query("other")).unwrap();
    assert_eq!(evaluation.add(&query("q")), Err(Duplicate("q".into())));
    assert_eq!(evaluation.finish().unjudged, 1);
}

#[test]
fn passages_are_reported_where_they_are_judged() {
    let judgements = Judgements::parse(r#"{"query":"q","document":"a.pdf","page":1,"span":"x y","grade":1}"#).unwrap();
    let line = r#"{"type":"query","v":1,"_id":"q","question":"?","hits":[{"uid":"u","doc_id":"d","key":"a.pdf","pages":[1,1],"text":"w X y","origin":"VECTOR","scores":{"score":1}}]}"#;
    let json = report(&judgements, &[5], &queries(line)).json();
    assert_eq!((json["passage_r@5"].as_f64(), json["passage_p@5"].as_f64()), (Some(1.0), Some(0.2)));
    assert_eq!(json["interval"]["passage_mrr"], json!([1.0, 1.0]));
}

#[test]
fn a_run_equals_itself_and_a_worse_one_is_told_apart() {
    let judgements = Judgements::parse(QRELS).unwrap();
    let good = queries(RUN);
    let mut bad = good.clone();
    bad.iter_mut().for_each(|query| query.hits.as_mut().unwrap().reverse());
    let (good, bad) = (report(&judgements, &[10], &good), report(&judgements, &[10], &bad));
    assert!(compare(&good, &good).iter().all(|same| same.p == 1.0 && same.a == same.b));
    let worse = &compare(&good, &bad)[0];
    assert_eq!(worse.name, "ndcg@10");
    assert!(worse.p < 0.01 && worse.interval.high < 0.0, "{}", worse.line());
}

/// A perfect run of a real collection, rebuilt from its judgements: every query and document of them is read.
#[test]
fn real_judgements_are_read_whole() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/ir/cranfield");
    let Ok(qrels) = std::fs::read_to_string(folder.join("qrels.tsv")) else {
        eprintln!("skipped: the shared collections are not beside the project");
        return;
    };
    let judgements = Judgements::parse(&qrels).unwrap();
    assert_eq!(judgements.len(), 225);
    assert_eq!(judgements.documents.values().map(Grades::len).sum::<usize>(), 1837);
    let perfect = |(name, grades): (&String, &Grades)| {
        let hits = grades.keys().map(|key| techrag_core::record::Hit { key: key.clone(), ..Default::default() });
        Query { name: Some(name.clone()), hits: Some(hits.collect()), ..Query::new("?") }
    };
    let run: Vec<Query> = judgements.documents.iter().map(perfect).collect();
    let json = report(&judgements, &[10, 100], &run).json();
    assert_eq!(
        (json["ndcg@10"].as_f64(), json["map"].as_f64(), json["r@100"].as_f64()),
        (Some(1.0), Some(1.0), Some(1.0))
    );
    assert!(trec_run(&crate::run::ranked(&run[0]), "t").lines().count() > 1);
}
