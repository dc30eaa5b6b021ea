//! The stage on small libraries made here, without a model: whatever is asked gets an answer, and the questions that
//! broke other engines (their bug reports lie in the shared data) get the right one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde::Deserialize;
use techrag_core::id;
use techrag_core::record::{Chunk, Document, Query, Retry, Route, RouteName, Vectors, Window};
use techrag_index::{Add, AddConfig, Bm25, Change, Idf, Reader, Writer};
use techrag_models::{Limits, Locator, Manifest};

use super::{Candidate, MOST_WORDS, Notes, Retriever, Stored, View, apart, first_words};
use crate::{Asked, Config, Error, Fusion, Mode, Models, Rerank, ranked};

const OKAPI: Bm25 = Bm25 { idf: Idf::Okapi, k1: 1.5, b: 0.75, weights: [1.0; 3] };

fn config(mode: Mode) -> Config {
    Config {
        mode,
        fusion: Fusion::ZScore { dense: 1.0 },
        k: 10,
        candidates: 20,
        breadth: None,
        bm25: Bm25 { idf: Idf::Lucene, k1: 1.2, b: 0.75, weights: [1.0; 3] },
        keyword_boost: 0.0,
        phrase_boost: 0.0,
        sparse: 0.0,
        late: 0.0,
        per_paper: None,
        relevance_share: None,
        rerank: Rerank::IfThere("ms-marco-MiniLM-L-6-v2".into()),
        reranked: 10,
        scope: Vec::new(),
        version: "0".into(),
    }
}

/// One document a text; key is its position. With a vector each, if given.
fn library(root: &Path, texts: &[impl AsRef<str>], vectors: Option<&[[f32; 2]]>) {
    let config = AddConfig { full: 100, idle: 100, replace: false };
    let mut add = Add::new(Writer::open(root, "test").unwrap(), config);
    for (at, text) in texts.iter().enumerate() {
        let text = text.as_ref();
        let doc_id = id::doc_id(format!("{at} {text}").as_bytes());
        let window = |vector: [f32; 2]| Window { start: 0, end: text.len(), vector: vector.to_vec().into() };
        let vectors = vectors.map(|vectors| Vectors {
            model: "tiny".into(),
            revision: "1".into(),
            dim: 2,
            windows: vec![window(vectors[at])],
            ..Vectors::default()
        });
        let document = Document { doc_id: doc_id.clone(), key: at.to_string(), chunks: 1, ..Document::default() };
        assert_eq!(add.document(document).unwrap(), []);
        let (uid, sha1) = (id::uid(&doc_id, 0), id::text_sha1(text));
        let chunk = Chunk { uid, doc_id, text: text.into(), sha1, vectors, ..Chunk::default() };
        assert_eq!(add.chunk(chunk).unwrap(), []);
    }
    assert_eq!(add.end().unwrap(), []);
}

/// A question of words and a vector.
fn asking<'a>(text: &'a str, vector: &'a [f32]) -> Asked<'a> {
    Asked { text, vector: Some(vector), sparse: None }
}

fn retriever(root: &Path, config: Config) -> Retriever {
    let nowhere = Locator::new([PathBuf::from("there-are-no-models-here")]);
    Retriever::open(root, Models::new(nowhere, Manifest::builtin().clone(), Limits { sessions: 1, batch: 1 }), config)
        .unwrap()
}

fn asked(retriever: &Retriever, question: &str) -> Query {
    let mut query = Query::new(question);
    retriever.answer(&mut query).unwrap();
    query
}

fn keys(query: &Query) -> Vec<&str> {
    query.hits.iter().flatten().map(|hit| hit.key.as_str()).collect()
}

/// A file of the shared data; `None`, said on stderr, where it is absent.
fn shared(path: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/bugs").join(path);
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "skipped: {} is absent", path.display());
    }
    text
}

#[test]
fn a_question_gets_hits_and_a_trace_that_says_how() {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), &["slip angle", "brush model", "slip of the brush"], None);
    let query = asked(&retriever(folder.path(), config(Mode::Bm25)), "brush slip");
    assert_eq!(keys(&query), ["2", "0", "1"]);
    let first = &query.hits.as_ref().unwrap()[0].scores;
    assert_eq!((first.bm25_rank, first.dense, first.fused), (Some(1), None, None));
    assert_eq!(first.bm25, Some(first.score));
    let entry = &query.trace[0];
    assert!(entry.note.starts_with("3 hits from 3 candidates by bm25; not reranked"), "{}", entry.note);
}

#[test]
fn nothing_asked_or_nothing_there_is_an_empty_answer() {
    let folder = tempfile::tempdir().unwrap();
    let empty = retriever(folder.path(), config(Mode::Hybrid));
    assert_eq!(asked(&empty, "anything").hits, Some(vec![]));
    library(folder.path(), &["slip"], Some(&[[1.0, 0.0]]));
    let full = retriever(folder.path(), config(Mode::Hybrid));
    for question in ["", "  ", "\u{200b}", "the of and", "-", "\"", "()"] {
        let query = asked(&full, question);
        assert_eq!(query.hits, Some(vec![]), "{question:?}");
        assert!(query.trace[0].note.contains("no word in it"), "{:?}", query.trace);
    }
    let words = retriever(folder.path(), config(Mode::Bm25));
    assert_eq!(asked(&words, "unknown").hits, Some(vec![]));
}

#[test]
fn a_library_without_vectors_is_searched_by_words_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), &["slip angle"], None);
    let query = asked(&retriever(folder.path(), config(Mode::Hybrid)), "slip");
    assert_eq!(keys(&query), ["0"]);
    assert!(query.trace[0].note.contains("the library holds no vectors"));
}

#[test]
fn without_vectors_hits_are_not_held_apart_and_the_trace_says_so() {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), &["slip angle", "slip of the brush", "brush slip"], None);
    let plain = asked(&retriever(folder.path(), config(Mode::Bm25)), "brush slip");
    let apart = Config { relevance_share: Some(0.1), ..config(Mode::Bm25) };
    let query = asked(&retriever(folder.path(), apart), "brush slip");
    assert_eq!(keys(&query), keys(&plain));
    assert!(query.trace[0].note.contains("not held apart by likeness"), "{}", query.trace[0].note);
    assert!(!plain.trace[0].note.contains("likeness"), "{}", plain.trace[0].note);
}

/// A cross-encoder's logits are mostly below 0, sums of z-scores around it.
#[test]
fn only_what_shares_a_scale_is_held_apart_and_the_rest_stays_behind() {
    let folder = tempfile::tempdir().unwrap();
    let texts = ["slip one", "slip two", "slip three", "slip four", "slip five"];
    // The first two point one way.
    let vectors = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
    library(folder.path(), &texts, Some(&vectors));
    let config = |share| Config { relevance_share: Some(share), ..config(Mode::Bm25) };
    let view = View::open(folder.path(), &config(1.0)).unwrap();
    let asked = Asked { text: "slip", vector: None, sparse: None };
    let found = ranked(&view.reader, &config(1.0), asked, &view.scope).unwrap();
    let places: Vec<_> = found.iter().map(|candidate| candidate.place).collect();
    let mut read: Vec<(Candidate, Stored, Option<f32>)> = found
        .into_iter()
        .zip(view.reader.stored(&places).unwrap())
        .map(|(candidate, stored)| (candidate, stored, None))
        .collect();
    read.sort_by(|a, b| a.1.keys[0].cmp(&b.1.keys[0]));
    // The first three were read again.
    for (read, score) in read.iter_mut().zip([-2.0, -2.1, -9.0, 3.0, 2.0]) {
        read.0.score = score;
    }
    let order = |share, alike| -> Vec<String> {
        let read = apart(&view, &config(share), alike, read.clone(), &mut Notes::default()).unwrap();
        read.into_iter().map(|(_, stored, _)| stored.keys[0].clone()).collect()
    };
    assert_eq!(order(1.0, 3), ["0", "1", "2", "3", "4"], "the score alone keeps the order");
    assert_eq!(order(0.4, 3), ["0", "2", "1", "3", "4"], "a copy gives way to something new, within the three");
    assert_eq!(order(1.0, 5), ["3", "4", "0", "1", "2"], "as one scale, what was not read again would come first");
}

#[test]
fn a_missing_model_is_an_error_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), &["slip angle"], Some(&[[1.0, 0.0]]));
    let error = retriever(folder.path(), config(Mode::Dense)).answer(&mut Query::new("slip")).unwrap_err();
    assert!(matches!(error, Error::NoEncoder { .. }) && error.hint().is_some(), "{error}");
    let by = Config { rerank: Rerank::By("ms-marco-MiniLM-L-6-v2".into()), ..config(Mode::Bm25) };
    let error = retriever(folder.path(), by).answer(&mut Query::new("slip")).unwrap_err();
    assert!(error.hint().is_some(), "{error}");
}

#[test]
fn the_current_world_is_not_looked_for_in_a_library() {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), &["slip angle"], None);
    let retriever = retriever(folder.path(), config(Mode::Bm25));
    let routed = |routes: &[RouteName]| {
        let route = Route { routes: routes.to_vec(), text_query: "angle".into(), ..Route::default() };
        let mut query = Query { route: Some(route), ..Query::new("who sells tyres?") };
        retriever.answer(&mut query).unwrap();
        query
    };
    let query = routed(&[RouteName::CurrentWorld]);
    assert_eq!((query.hits, query.trace.len()), (None, 1));
    assert_eq!(keys(&routed(&[RouteName::Trend, RouteName::CurrentWorld])), ["0"], "the routed text is read");
}

#[test]
fn a_retry_is_served_beside_the_first_hits_and_only_where_it_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), &["slip angle", "brush model"], None);
    let retriever = retriever(folder.path(), config(Mode::Bm25));
    let mut query = asked(&retriever, "slip");
    let untouched = query.clone();
    retriever.retry(&mut query).unwrap();
    assert_eq!(query, untouched);
    query.retry = Some(Box::new(Retry { query: "brush".into(), ..Retry::default() }));
    retriever.retry(&mut query).unwrap();
    assert_eq!((keys(&query), query.trace.len()), (vec!["0"], 2));
    assert_eq!(query.trace[1].stage, "retrieve --retry");
    let retry = query.retry.as_mut().unwrap();
    assert_eq!(retry.hits.as_ref().unwrap()[0].key, "1");
    retry.accepted = Some(false);
    let decided = query.clone();
    retriever.retry(&mut query).unwrap();
    assert_eq!(query, decided);
}

#[test]
fn what_is_committed_while_it_serves_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let retriever = retriever(folder.path(), config(Mode::Bm25));
    assert_eq!(keys(&asked(&retriever, "slip")), Vec::<&str>::new());
    library(folder.path(), &["slip angle"], None);
    assert_eq!(keys(&asked(&retriever, "slip")), ["0"]);
    library(folder.path(), &["slip model"], None);
    let query = asked(&retriever, "slip");
    assert!(query.hits.unwrap()[0].text.ends_with("model"), "key 0 is another document now");
}

#[test]
fn a_scope_decides_what_is_ranked() {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), &["slip angle", "slip model"], None);
    let scoped = Config { scope: vec!["key=1".parse().unwrap()], ..config(Mode::Bm25) };
    let query = asked(&retriever(folder.path(), scoped), "slip");
    assert_eq!(keys(&query), ["1"]);
    assert_eq!(query.trace[0].details["scope"], serde_json::json!(["key=1"]));
}

#[test]
fn a_field_of_the_scope_that_no_document_has_is_said() {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), &["slip angle"], None);
    let scoped = Config { scope: vec!["yaer=2017".parse().unwrap()], ..config(Mode::Bm25) };
    let query = asked(&retriever(folder.path(), scoped), "slip");
    assert!(keys(&query).is_empty() && query.trace[0].note.contains("no document has a field \"yaer\""), "{query:?}");
}

#[test]
fn late_interaction_without_vectors_is_said_and_opens_nothing() {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), &["slip angle", "slip"], Some(&[[1.0, 0.0], [0.0, 1.0]]));
    let late = Config { late: 1.0, ..config(Mode::Bm25) };
    let query = asked(&retriever(folder.path(), late), "slip");
    assert_eq!(keys(&query).len(), 2);
    assert!(query.trace[0].note.contains("late interaction takes no part"), "{}", query.trace[0].note);
}

#[test]
fn an_encoder_that_nobody_knows_is_named_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), &["slip angle"], Some(&[[1.0, 0.0]]));
    let error = retriever(folder.path(), config(Mode::Hybrid)).answer(&mut Query::new("slip")).unwrap_err();
    assert!(matches!(&error, Error::NoEncoder { model } if model == "tiny"), "{error}");
    assert!(error.hint().unwrap().contains("--mode bm25"));
}

#[test]
fn scores_that_are_no_numbers_reach_no_record() {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), &["slip angle", "slip"], None);
    let mut heavy = config(Mode::Bm25);
    heavy.bm25.weights = [f64::INFINITY; 3];
    let query = asked(&retriever(folder.path(), heavy), "slip");
    assert!(keys(&query).is_empty() && query.trace[0].note.contains("left out"), "{}", query.trace[0].note);
}

#[test]
fn a_question_is_searched_by_its_first_words_where_it_has_too_many() {
    let few: String = (0..MOST_WORDS).map(|n| format!("w{n}, ")).collect();
    assert_eq!(first_words(&few), few);
    let repeated = "slip angle ".repeat(100_000);
    assert_eq!(first_words(&repeated), repeated, "it is different words that cost");
    let many = format!("{few}one more");
    assert_eq!(first_words(&many), few);
    assert_eq!((first_words(""), first_words("μ-split")), ("", "μ-split"));
}

#[test]
fn a_document_goes_by_the_keys_its_scope_asks_for() {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), &["slip angle"], None);
    let doc_id = Reader::open(folder.path()).map(|reader| {
        let all = reader.everything();
        let found = reader.lexical(&["slip".into()], config(Mode::Bm25).bm25, 1, &all);
        reader.stored(&[found[0].item]).unwrap().remove(0).document.doc_id
    });
    let named = |key: &str| Change::Name { doc_id: doc_id.as_ref().unwrap().clone(), key: key.into(), path: None };
    Writer::open(folder.path(), "test").unwrap().commit(&[named("new/x"), named("new/y")], None).unwrap();
    let scope = vec!["key^=new/".parse().unwrap()];
    for (scope, key, also) in [(vec![], "0", vec!["new/x", "new/y"]), (scope, "new/x", vec!["new/y"])] {
        let query = asked(&retriever(folder.path(), Config { scope, ..config(Mode::Bm25) }), "slip");
        let hit = &query.hits.unwrap()[0];
        assert_eq!((hit.key.as_str(), hit.also.iter().map(String::as_str).collect::<Vec<_>>()), (key, also));
    }
}

#[test]
fn equal_texts_of_different_documents_are_one_hit() {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), &["slip angle", "Slip  angle", "slip of a brush"], None);
    let query = asked(&retriever(folder.path(), config(Mode::Bm25)), "slip");
    let hits = query.hits.unwrap();
    let merged: Vec<(usize, usize)> = hits.iter().map(|hit| (hit.also.len(), hit.text.len())).collect();
    assert_eq!(merged.len(), 2);
    assert!(hits.iter().any(|hit| hit.also.len() == 1));
}

#[test]
fn text_that_breaks_query_parsers_is_text() {
    let Some(queries) = shared("tantivy/queries.txt") else { return };
    let folder = tempfile::tempdir().unwrap();
    let texts: Vec<&str> = queries.lines().collect();
    library(folder.path(), &texts, None);
    let retriever = retriever(folder.path(), config(Mode::Bm25));
    for (at, text) in texts.iter().enumerate() {
        let query = asked(&retriever, text);
        let searchable = !techrag_core::token::tokens(text, techrag_core::token::Config::INDEX).is_empty();
        assert_eq!(searchable, keys(&query).contains(&at.to_string().as_str()), "{text:?}");
    }
    assert!(keys(&asked(&retriever, "bar")).contains(&"0"), "a part of foo-bar finds it");
}

#[derive(Deserialize)]
struct Symbols {
    docs: Vec<String>,
    queries: BTreeMap<String, String>,
}

#[test]
fn symbols_greek_numbers_and_ligatures_are_found() {
    let Some(text) = shared("bm25/empty_and_symbols.json") else { return };
    let symbols: Symbols = serde_json::from_str(&text).unwrap();
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), &symbols.docs, None);
    let retriever = retriever(folder.path(), config(Mode::Bm25));
    for query in symbols.queries.keys() {
        asked(&retriever, query);
    }
    assert_eq!(keys(&asked(&retriever, "μ")), ["5"]);
    assert_eq!(keys(&asked(&retriever, "0.85")), ["5"]);
    // Documents 6 and 7 differ by a ligature only: one text, one hit.
    let finite = asked(&retriever, "finite");
    assert_eq!((keys(&finite).len(), finite.hits.unwrap()[0].also.len()), (1, 1));
    assert_eq!(keys(&asked(&retriever, "")), Vec::<&str>::new());
}

#[derive(Deserialize)]
struct Case {
    docs: Vec<String>,
    query: String,
}

#[test]
fn a_term_in_half_of_a_tiny_corpus_still_counts() {
    for (file, found, first) in [
        ("bm25/pr20_pink.json", 3, "0"),
        ("bm25/rank_bm25_39_half.json", 3, "1"),
        ("bm25/rank_bm25_43_two_docs.json", 1, "1"),
    ] {
        let Some(text) = shared(file) else { return };
        let case: Case = serde_json::from_str(&text).unwrap();
        let folder = tempfile::tempdir().unwrap();
        library(folder.path(), &case.docs, None);
        let query = asked(&retriever(folder.path(), config(Mode::Bm25)), &case.query);
        assert_eq!((keys(&query).len(), keys(&query)[0]), (found, first), "{file}");
        assert!(query.hits.unwrap().iter().all(|hit| hit.scores.score > 0.0), "{file}");
    }
}

#[test]
fn more_hits_than_there_are_chunks_are_all_chunks_once() {
    let folder = tempfile::tempdir().unwrap();
    let texts: Vec<String> = (0..65).map(|n| format!("text {n}")).collect();
    let vectors: Vec<[f32; 2]> = (0..65_i16).map(|n| [f32::from(n).cos(), f32::from(n).sin()]).collect();
    library(folder.path(), &texts, Some(&vectors));
    let reader = Reader::open(folder.path()).unwrap();
    let all = reader.everything();
    let config = Config { k: 100, candidates: 100, ..config(Mode::Dense) };
    let found = ranked(&reader, &config, asking("", &[1.0, 0.0]), &all).unwrap();
    let distinct: std::collections::HashSet<_> = found.iter().map(|candidate| candidate.uid).collect();
    assert_eq!((found.len(), distinct.len()), (65, 65));
    assert!(ranked(&reader, &config, asking("", &[1.0]), &all).is_err(), "a query of another dimension");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_candidate_of_a_hybrid_search_carries_both_channels_and_the_order_is_the_fusion_s(
        picks in prop::collection::vec((0_usize..6, 0_usize..6, -1.0_f32..1.0), 1..30), k in 1_usize..8, okapi in any::<bool>()
    ) {
        let words = ["slip", "angle", "brush", "model", "0.35", "μ-split"];
        let texts: Vec<String> =
            picks.iter().enumerate().map(|(n, (a, b, _))| format!("{} {} n{n}", words[*a], words[*b])).collect();
        let vectors: Vec<[f32; 2]> = picks.iter().map(|(.., x)| [*x, 1.0]).collect();
        let folder = tempfile::tempdir().unwrap();
        library(folder.path(), &texts, Some(&vectors));
        let reader = Reader::open(folder.path()).unwrap();
        let bm25 = if okapi { OKAPI } else { config(Mode::Bm25).bm25 };
        let config = Config { k, candidates: k, bm25, ..config(Mode::Hybrid) };
        let found = ranked(&reader, &config, asking("slip brush", &[1.0, 0.0]), &reader.everything()).unwrap();
        prop_assert!(found.len() >= k.min(picks.len()));
        for candidate in &found {
            let number = reader.stored(&[candidate.place]).unwrap().remove(0).keys[0].parse::<usize>().unwrap();
            let matches = texts[number].contains("slip") || texts[number].contains("brush");
            prop_assert!(candidate.channels.dense.is_some());
            prop_assert!(matches || candidate.channels.bm25.is_none());
            prop_assert!(!matches || candidate.channels.bm25.is_some());
            prop_assert_eq!(Some(candidate.score), candidate.fused);
        }
        for pair in found.windows(2) {
            prop_assert!(pair[0].score > pair[1].score || pair[0].score == pair[1].score && pair[0].uid < pair[1].uid);
        }
    }
}
