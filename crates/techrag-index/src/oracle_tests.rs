//! Every search against brute force: conditions of any selectivity, documents removed, segments merged or not. And the
//! cases that broke a vector engine, read from the shared data where that is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proptest::prelude::*;
use techrag_core::record::{Chunk, Document, ErrorKind, SparseVector, Vectors, Window};
use techrag_core::{id, token};

use crate::library_tests::{LUCENE, add, assert_clean, document, remove};
use crate::{Condition, Error, Reader, Writer, hnsw, rebuild};

const SETUP: hnsw::Setup = hnsw::Setup { connectivity: 8, breadth: 32 };

/// What a chunk of the generated library holds.
#[derive(Clone, Debug)]
struct Made {
    windows: Vec<[f32; 3]>,
    terms: BTreeMap<String, f32>,
    words: usize,
}

fn made() -> impl Strategy<Value = Made> {
    let window = prop::array::uniform3(-1.0_f32..1.0).prop_filter("no direction", |v| v.iter().any(|x| x.abs() > 0.1));
    let weight = (1_u16..3000).prop_map(|steps| f32::from(steps) / 1000.0);
    let term = prop::sample::select(vec!["tyre", "slip", "road", "##s"]).prop_map(str::to_owned);
    (prop::collection::vec(window, 1..4), prop::collection::btree_map(term, weight, 0..4), 1_usize..5)
        .prop_map(|(windows, terms, words)| Made { windows, terms, words })
}

/// Documents `k0`, `k1`, … of the chunks made, as records.
fn records(at: usize, chunks: &[Made]) -> (Document, Vec<Chunk>) {
    let text = |(n, made): (usize, &Made)| format!("{} only{at}x{n}", "slip ".repeat(made.words));
    let texts: Vec<String> = chunks.iter().enumerate().map(text).collect();
    let (document, mut records) = document(&format!("k{at}"), &texts.iter().map(String::as_str).collect::<Vec<_>>());
    for (record, made) in records.iter_mut().zip(chunks) {
        let windows = made.windows.iter().map(|v| Window { start: 0, end: 1, vector: v.to_vec().into() }).collect();
        let (model, revision) = ("tiny".to_owned(), "1".to_owned());
        record.vectors =
            Some(Vectors { model: model.clone(), revision: revision.clone(), dim: 3, windows, ..Vectors::default() });
        record.sparse = Some(SparseVector { model, revision, terms: made.terms.clone(), ..SparseVector::default() });
    }
    (document, records)
}

/// As the library stores a vector.
fn unit(vector: [f32; 3]) -> [f64; 3] {
    let norm = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    vector.map(|x| f64::from(if (norm - 1.0).abs() > 1e-4 { (f64::from(x) / norm) as f32 } else { x }))
}

fn product(made: &Made, query: &BTreeMap<String, f32>) -> Option<f64> {
    let shares = query.iter().filter_map(|(term, w)| Some(f64::from(*w) * f64::from(*made.terms.get(term)?)));
    shares.reduce(|a, b| a + b)
}

fn cosine(made: &Made, query: [f32; 3]) -> f32 {
    let of = |window: &[f32; 3]| unit(*window).iter().zip(query).map(|(x, q)| x * f64::from(q)).sum::<f64>() as f32;
    made.windows.iter().map(of).fold(f32::NEG_INFINITY, f32::max)
}

/// Best first; ties by uid.
fn best(mut scored: Vec<(f64, String)>, k: usize) -> Vec<(f64, String)> {
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.truncate(k);
    scored
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn within_any_scope_each_search_is_brute_force_over_what_is_left(
        made in prop::collection::vec(prop::collection::vec(made(), 1..4), 1..9),
        gone in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        asked in prop::collection::vec(any::<prop::sample::Index>(), 1..9),
        query in prop::array::uniform3(-1.0_f32..1.0), k in 1_usize..9, compacted in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut left: BTreeMap<usize, Vec<(String, Made)>> = BTreeMap::new();
        for (at, chunks) in made.iter().enumerate() {
            let (document, records) = records(at, chunks);
            let uids = records.iter().map(|record| record.uid.clone());
            left.insert(at, uids.zip(chunks.iter().cloned()).collect());
            prop_assert_eq!(add(folder.path(), vec![(document, records)]).1, []);
        }
        for at in gone.iter().map(|index| index.index(made.len())).collect::<BTreeSet<_>>() {
            remove(folder.path(), &records(at, &made[at]).0.doc_id, &format!("k{at}"));
            left.remove(&at);
        }
        if compacted {
            Writer::open(folder.path(), "test").unwrap().compact().unwrap();
        }
        assert_clean(folder.path());
        let reader = Reader::open(folder.path()).unwrap();
        let keys: BTreeSet<usize> = asked.iter().map(|index| index.index(made.len())).collect();
        let keys: Vec<String> = keys.iter().map(|at| format!("k{at}")).collect();
        let scope: Condition = format!("key={}", keys.join("|")).parse().unwrap();
        for (scope, all) in [(vec![scope], false), (Vec::new(), true)] {
            let among = reader.select(&scope).unwrap();
            let within: Vec<&(String, Made)> =
                left.iter().filter(|(at, _)| all || keys.contains(&format!("k{at}"))).flat_map(|(_, c)| c).collect();
            let uid = |(doc, ordinal): (u64, u32)| id::uid(&format!("{doc:016x}"), ordinal);
            let named = |ranked: Vec<crate::top::Ranked<crate::Place>>| -> Vec<(f64, String)> {
                ranked.into_iter().map(|ranked| (ranked.score, uid(ranked.uid))).collect()
            };

            let expected = within.iter().map(|(uid, made)| (f64::from(cosine(made, query)), uid.clone())).collect();
            prop_assert_eq!(named(reader.dense(&query, k, &among).unwrap()), best(expected, k));

            let terms = BTreeMap::from([("slip".to_owned(), 0.5_f32), ("tyre".to_owned(), 1.25), ("none".to_owned(), 9.0)]);
            let expected = within.iter().filter_map(|(uid, made)| Some((product(made, &terms)?, uid.clone()))).collect();
            let found = reader.learned(&terms, k, &among);
            let places: Vec<_> = found.iter().map(|ranked| ranked.item).collect();
            let again: Vec<f64> = reader.learned_of(&terms, &places).into_iter().flatten().collect();
            prop_assert_eq!(again, found.iter().map(|ranked| ranked.score).collect::<Vec<_>>());
            prop_assert_eq!(named(found), best(expected, k));

            // Every chunk holds the word: within the scope all are found, in the order of the whole library.
            let word = token::tokens("slip", token::Config::INDEX);
            let everything = named(reader.lexical(&word, LUCENE, 99, &reader.everything()));
            let expected = everything.into_iter().filter(|(_, uid)| within.iter().any(|(other, _)| other == uid)).take(k);
            prop_assert_eq!(named(reader.lexical(&word, LUCENE, k, &among)), expected.collect::<Vec<_>>());
        }
        rebuild(folder.path(), "test").unwrap();
        assert_clean(folder.path());
    }
}

#[test]
fn sparse_vectors_that_cannot_be_searched_or_are_of_another_model_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let made = Made { windows: vec![[1.0, 0.0, 0.0]], terms: BTreeMap::from([("tyre".into(), 1.0)]), words: 1 };
    assert_eq!(add(folder.path(), vec![records(0, std::slice::from_ref(&made))]).1, []);
    type Change = fn(&mut SparseVector);
    let cases: [(&str, Change); 5] = [
        ("is NaN, not above 0", |s| _ = s.terms.insert("tyre".into(), f32::NAN)),
        ("is -1, not above 0", |s| _ = s.terms.insert("tyre".into(), -1.0)),
        ("is 0, not above 0", |s| _ = s.terms.insert("slip".into(), 0.0)),
        ("are of other (1), the library's of tiny (1)", |s| s.model = "other".into()),
        ("are of tiny (2), the library's of tiny (1)", |s| s.revision = "2".into()),
    ];
    for (at, (why, change)) in cases.into_iter().enumerate() {
        let (document, mut chunks) = records(at + 1, &[made.clone(), made.clone()]);
        change(chunks[0].sparse.as_mut().unwrap());
        let (_, errors) = add(folder.path(), vec![(document, chunks)]);
        assert!(errors.len() == 1 && errors[0].kind == ErrorKind::Vectors, "{why}: {errors:?}");
        assert!(errors[0].message.contains(why), "{errors:?}");
    }
    assert_clean(folder.path());
}

/// The cases of the shared data; `None`, said on stderr, where it is absent.
fn usearch() -> Option<Vec<serde_json::Value>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/bugs/usearch/cases.json");
    if let Ok(bytes) = std::fs::read(&path) {
        return Some(serde_json::from_slice(&bytes).unwrap());
    }
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "skipped: {} is absent", path.display());
    None
}

/// A library of the vectors of a case, one document a key, and what was refused.
fn of_case(case: &serde_json::Value) -> (tempfile::TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let mut refused = Vec::new();
    for row in case["input"].as_array().unwrap() {
        let key = row[0].to_string();
        let value = |v: &serde_json::Value| v.as_f64().map_or(f32::NAN, |v| v as f32);
        let values: Vec<f32> = row[1].as_array().unwrap().iter().map(value).collect();
        let (document, mut chunks) = document(&key, &[&format!("text {key}")]);
        let dim = values.len();
        let windows = vec![Window { start: 0, end: 1, vector: values.into() }];
        let (model, revision) = ("tiny".into(), "1".into());
        chunks[0].vectors = Some(Vectors { model, revision, dim, windows, ..Vectors::default() });
        if !add(folder.path(), vec![(document, chunks)]).1.is_empty() {
            refused.push(key);
        }
    }
    (folder, refused)
}

#[test]
fn what_broke_a_vector_engine_has_the_right_answer() {
    let Some(cases) = usearch() else { return };
    let case = |id: &str| cases.iter().find(|case| case["id"] == id).unwrap_or_else(|| panic!("no case {id}"));
    for (id, expected) in [("nan_vector", vec!["2", "3"]), ("f16_overflow", vec![])] {
        let (folder, refused) = of_case(case(id));
        assert_eq!(refused, expected, "{id}");
        Writer::open(folder.path(), "test").unwrap().compact().unwrap();
        hnsw::make(folder.path(), "test", SETUP).unwrap();
        let query: Vec<f32> =
            case(id)["query"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap() as f32).collect();
        let reader = Reader::open(folder.path()).unwrap();
        let all = reader.everything();
        let norm = query.iter().map(|v| v * v).sum::<f32>().sqrt();
        let query: Vec<f32> = query.iter().map(|v| v / norm).collect();
        for found in [reader.dense(&query, 3, &all).unwrap(), reader.dense_near(&query, 3, 16, &all).unwrap()] {
            assert_eq!(reader.stored(&[found[0].item]).unwrap()[0].keys, ["1"], "{id}");
            assert!(found.iter().all(|ranked| ranked.score.is_finite()) && (found[0].score - 1.0).abs() < 1e-6, "{id}");
        }
        let wrong = reader.dense(&query[1..], 3, &all);
        assert!(matches!(wrong, Err(Error::Dimension { .. })), "dims_mismatch_on_load and #413: {wrong:?}");
    }
    // The others have tests of their own: 65 vectors and k = 100, a truncated file, a key twice, one that comes again.
    let known = [
        "USearch#640/#393",
        "nan_vector",
        "f16_overflow",
        "dims_mismatch_on_load",
        "USearch#413",
        "truncated_file",
        "duplicate_key",
        "remove_readd",
    ];
    let strange: Vec<_> = cases.iter().filter(|case| !known.iter().any(|id| case["id"] == *id)).collect();
    assert!(strange.is_empty(), "no test for {strange:?}");
}

#[test]
fn a_document_that_was_removed_and_comes_again_is_found_by_its_new_vector_alone() {
    let folder = tempfile::tempdir().unwrap();
    let with = |window: [f32; 3]| Made { windows: vec![window], terms: BTreeMap::new(), words: 1 };
    let other = records(1, &[with([0.0, 0.6, 0.8])]);
    add(folder.path(), vec![records(0, &[with([1.0, 0.0, 0.0])]), other]);
    remove(folder.path(), &records(0, &[with([1.0, 0.0, 0.0])]).0.doc_id, "k0");
    add(folder.path(), vec![records(0, &[with([0.0, 0.0, 1.0])])]);
    let reader = Reader::open(folder.path()).unwrap();
    let found = reader.dense(&[1.0, 0.0, 0.0], 9, &reader.everything()).unwrap();
    assert_eq!(found.iter().map(|ranked| ranked.score).collect::<Vec<_>>(), [0.0, 0.0]);
    let found = reader.dense(&[0.0, 0.0, 1.0], 1, &reader.everything()).unwrap();
    assert_eq!(reader.stored(&[found[0].item]).unwrap()[0].keys, ["k0"]);
    assert_clean(folder.path());
}
