//! The cascade on labelled pairs of invented works: figures that must not drift.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use techrag_core::record::Work;

use super::*;

/// Floors of the issue, for pairs that are merged or linked.
const PRECISION: f64 = 0.95;
const RECALL: f64 = 0.80;
/// As measured when the cascade was written; a change in either direction is looked at. Right verdicts of 188.
const RIGHT: usize = 184;

struct Pair {
    id: String,
    kind: String,
    works: [Work; 2],
    label: Verdict,
}

fn work(value: &Value) -> Work {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let list = |value: &Value| match value {
        Value::Array(items) => items.iter().filter_map(text).collect(),
        one => text(one).into_iter().collect::<Vec<_>>(),
    };
    let ids = value["ids"].as_object().into_iter().flatten();
    Work {
        title: text(&value["title"]).unwrap_or_default(),
        authors: list(&value["authors"]),
        year: value["year"].as_i64().and_then(|year| i32::try_from(year).ok()),
        doi: text(&value["doi"]),
        kind: text(&value["type"]),
        venue: text(&value["venue"]),
        ids: ids.map(|(kind, ids)| (kind.clone(), list(ids))).collect(),
        ..Work::default()
    }
}

fn pairs() -> Vec<Pair> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/external/pairs.jsonl");
    let text = std::fs::read_to_string(file).expect("the fixture is there");
    let read = |line: &str| {
        let value: Value = serde_json::from_str(line).expect("a pair is JSON");
        let label = match value["same"].as_str() {
            Some("same") => Verdict::Same,
            Some("version") => Verdict::Version,
            Some("different") => Verdict::Different,
            other => panic!("{other:?} is no verdict"),
        };
        let text = |name: &str| value[name].as_str().expect("a text").to_owned();
        Pair { id: text("id"), kind: text("kind"), works: [work(&value["a"]), work(&value["b"])], label }
    };
    text.lines().map(read).collect()
}

#[test]
fn pairs_are_told_apart_as_labelled() {
    let pairs = pairs();
    assert!(pairs.len() >= 150, "{}", pairs.len());
    let (mut right, mut linked, mut wrongly, mut missed, mut merged_wrongly) = (0, 0, 0, 0, Vec::new());
    let mut wrong = Vec::new();
    for pair in &pairs {
        let [a, b] = &pair.works;
        let said = judge(a, b);
        assert_eq!(said, judge(b, a), "{}: the order matters", pair.id);
        match (said != Verdict::Different, pair.label != Verdict::Different) {
            (true, true) => linked += 1,
            (true, false) => wrongly += 1,
            (false, true) => missed += 1,
            (false, false) => {}
        }
        if said == Verdict::Same && pair.label != Verdict::Same {
            merged_wrongly.push(pair.id.as_str());
        }
        if said == pair.label {
            right += 1;
        } else {
            wrong.push(format!("{} {} is {:?}, said {said:?}", pair.id, pair.kind, pair.label));
        }
    }
    let precision = f64::from(linked) / f64::from(linked + wrongly);
    let recall = f64::from(linked) / f64::from(linked + missed);
    let wrong = wrong.join("\n");
    assert!(precision >= PRECISION && recall >= RECALL, "P {precision:.3}, R {recall:.3}\n{wrong}");
    assert!(merged_wrongly.is_empty(), "merged: {merged_wrongly:?}\n{wrong}");
    assert_eq!(right, RIGHT, "P {precision:.3}, R {recall:.3}\n{wrong}");
}

/// All records of all pairs at once: groups stay within their pairs.
#[test]
fn a_crowd_of_records_falls_into_its_pairs() {
    // Pairs that share a DOI with another, or (the last) title, author and year: their works are the same.
    let shared =
        [("p066", "p178"), ("p067", "p177"), ("p090", "p180"), ("p106", "p161"), ("p107", "p162"), ("p051", "p181")];
    let alias: BTreeMap<&str, &str> = shared.into_iter().map(|(a, b)| (b, a)).collect();
    let pairs = pairs();
    let mut records = Vec::new();
    for pair in &pairs {
        let of = alias.get(pair.id.as_str()).copied().unwrap_or(&pair.id).to_owned();
        for work in &pair.works {
            // `sources` survives merging: it says where a group's members are from.
            records.push(Work { sources: vec![of.clone()], ..work.clone() });
        }
    }
    let total = records.len();
    let works = merged(records);
    let joined: Vec<String> = works
        .iter()
        .filter(|work| work.sources.len() > 1)
        .map(|work| format!("{}: {:?}", work.title, work.sources))
        .collect();
    assert!(joined.is_empty(), "{}", joined.join("\n"));
    assert!(works.len() < total - 80, "{} of {total} are left", works.len());
}
