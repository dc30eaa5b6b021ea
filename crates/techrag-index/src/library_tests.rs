//! The library as a whole, on documents made here: what goes in is found, what is replaced is gone, both searches
//! equal an oracle written down plainly, and damage is named.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use techrag_core::record::{Chunk, Document, ErrorKind, ErrorRecord, Removed, SparseVector, Vectors, Window};
use techrag_core::{id, token};

use crate::{Add, AddConfig, Bm25, Error, Idf, Reader, Report, Status, Writer, rebuild, verify};

const CONFIG: AddConfig = AddConfig { full: 4, idle: 1, replace: false };
pub(crate) const LUCENE: Bm25 = Bm25 { idf: Idf::Lucene, k1: 1.2, b: 0.75, weights: [0.0, 0.0, 1.0] };
pub(crate) const OKAPI: Bm25 = Bm25 { idf: Idf::Okapi, k1: 1.5, b: 0.75, weights: [0.0, 0.0, 1.0] };

fn vectors(windows: &[[f32; 3]]) -> Vectors {
    let window = |values: &[f32; 3]| Window { start: 0, end: 1, vector: values.to_vec().into() };
    let windows = windows.iter().map(window).collect();
    Vectors { model: "tiny".into(), revision: "1".into(), dim: 3, windows, ..Vectors::default() }
}

/// A document whose chunks hold the texts, with one window pointing somewhere each.
pub(crate) fn document(key: &str, texts: &[&str]) -> (Document, Vec<Chunk>) {
    let doc_id = id::doc_id(texts.join("\n").as_bytes());
    let chunk = |(ordinal, text): (u32, &&str)| Chunk {
        uid: id::uid(&doc_id, ordinal),
        doc_id: doc_id.clone(),
        text: (*text).to_owned(),
        sha1: id::text_sha1(text),
        vectors: Some(vectors(&[[1.0, ordinal as f32, text.len() as f32]])),
        ..Chunk::default()
    };
    let chunks: Vec<Chunk> = (0..).zip(texts).map(chunk).collect();
    let document = Document {
        doc_id,
        key: key.into(),
        title: Some(format!("Title of {key}")),
        pages: Some(2),
        pages_without_text: vec![2],
        chunks: chunks.len() as u32,
        ..Document::default()
    };
    (document, chunks)
}

pub(crate) fn add(root: &Path, documents: Vec<(Document, Vec<Chunk>)>) -> (Report, Vec<ErrorRecord>) {
    let mut add = Add::new(Writer::open(root, "test").unwrap(), CONFIG);
    let mut errors = Vec::new();
    for (document, chunks) in documents {
        errors.extend(add.document(document).unwrap());
        for chunk in chunks {
            errors.extend(add.chunk(chunk).unwrap());
        }
    }
    errors.extend(add.end().unwrap());
    (add.report(), errors)
}

#[test]
fn a_chunk_beyond_what_its_document_promised_is_named_and_a_repetition_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let (mut promised_one, chunks) = document("a.pdf", &["brush model", "magic formula", "relaxation length"]);
    promised_one.chunks = 1;
    for known_before in [false, true] {
        let stream = [chunks.clone(), vec![chunks[0].clone()]].concat();
        let (report, errors) = add(folder.path(), vec![(promised_one.clone(), stream)]);
        let named: Vec<&str> = errors.iter().map(|error| error.of.as_str()).collect();
        assert_eq!(named, [chunks[1].uid.as_str(), &chunks[2].uid], "known before: {known_before}");
        assert_eq!((report.refused, found(folder.path(), "formula")), (0, Vec::new()));
    }
    assert_clean(folder.path());
}

#[test]
fn a_key_removed_before_its_document_is_whole_is_gone() {
    for further in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let (document, chunks) = document("a.pdf", &["brush model", "magic formula"]);
        let mut add = Add::new(Writer::open(folder.path(), "test").unwrap(), CONFIG);
        add.document(document.clone()).unwrap();
        if further {
            add.document(Document { key: "b.pdf".into(), ..document.clone() }).unwrap();
        }
        add.chunk(chunks[0].clone()).unwrap();
        let (doc_id, key) = (document.doc_id.clone(), "a.pdf".to_owned());
        add.removed(Removed { doc_id, key, ..Removed::default() }).unwrap();
        assert!(add.chunk(chunks[1].clone()).unwrap().is_empty() && add.end().unwrap().is_empty());
        drop(add);
        let writer = Writer::open(folder.path(), "test").unwrap();
        let of = |key: &str| writer.content_of(key).unwrap();
        assert_eq!((of("a.pdf"), of("b.pdf")), (None, further.then_some(document.doc_id)));
        drop(writer);
        assert_clean(folder.path());
    }
}

#[test]
fn what_a_text_is_is_asked_of_the_text_and_sizes_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (document, mut chunks) = document("a.pdf", &["brush model", "magic formula"]);
    chunks.iter_mut().for_each(|chunk| chunk.sha1 = "x".into());
    let other = Chunk { text: "quite another text".into(), ..chunks[0].clone() };
    let stream = vec![chunks[0].clone(), chunks[0].clone(), other, chunks[1].clone()];
    let (report, errors) = add(folder.path(), vec![(document.clone(), stream)]);
    let named: Vec<&str> = errors.iter().map(|error| error.of.as_str()).collect();
    assert_eq!((report.tally.chunks, named), (2, vec![chunks[0].uid.as_str()]));
    assert_clean(folder.path());
    let (report, errors) =
        add(folder.path(), vec![(Document { bytes: u64::MAX, key: "b".into(), ..document }, chunks)]);
    assert_eq!((report.refused, errors[0].of.as_str()), (1, "b"));
    assert_clean(folder.path());
}

pub(crate) fn remove(root: &Path, doc_id: &str, key: &str) {
    let mut add = Add::new(Writer::open(root, "test").unwrap(), CONFIG);
    add.removed(Removed { doc_id: doc_id.into(), key: key.into(), ..Removed::default() }).unwrap();
    add.end().unwrap();
}

pub(crate) fn found(root: &Path, query: &str) -> Vec<String> {
    let reader = Reader::open(root).unwrap();
    let terms = token::tokens(query, token::Config::INDEX);
    let places: Vec<_> =
        reader.lexical(&terms, LUCENE, 100, &reader.everything()).into_iter().map(|ranked| ranked.item).collect();
    reader.stored(&places).unwrap().into_iter().flat_map(|stored| stored.keys).collect()
}

pub(crate) fn assert_clean(root: &Path) {
    assert_eq!(verify(root).unwrap().problems, []);
}

#[test]
fn what_is_added_is_found_and_adding_it_again_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let documents = || vec![document("a", &["slip angle", "tyre model"]), document("b", &["brush model"])];
    let (report, errors) = add(folder.path(), documents());
    assert_eq!((report.tally.added, report.tally.chunks, errors), (2, 3, vec![]));
    assert_eq!(found(folder.path(), "tyre"), ["a"]);
    let status = Status::read(folder.path()).unwrap();
    assert_eq!((status.documents, status.chunks, status.windows, status.pages), (2, 3, 3, 4));
    assert_eq!((status.pages_without_text, status.model.as_deref()), (2, Some("tiny")));
    let (report, _) = add(folder.path(), documents());
    assert_eq!((report.unchanged, report.tally), (2, Default::default()));
    assert_eq!(Status::read(folder.path()).unwrap(), status);
    assert_clean(folder.path());
}

#[test]
fn another_content_under_a_key_replaces_the_first_in_the_same_commit() {
    let folder = tempfile::tempdir().unwrap();
    add(folder.path(), vec![document("a", &["slip angle"]), document("b", &["brush"])]);
    let (report, _) = add(folder.path(), vec![document("a", &["camber angle", "toe"])]);
    assert_eq!((report.tally.added, report.tally.gone), (1, 1));
    assert_eq!((found(folder.path(), "slip").len(), found(folder.path(), "camber")), (0, vec!["a".to_owned()]));
    // Twice in one stream: the last stays.
    add(folder.path(), vec![document("c", &["first"]), document("c", &["second"])]);
    assert_eq!((found(folder.path(), "first").len(), found(folder.path(), "second").len()), (0, 1));
    assert_clean(folder.path());
}

#[test]
fn one_content_under_several_keys_goes_with_the_last() {
    let folder = tempfile::tempdir().unwrap();
    let same = |key| document(key, &["slip angle"]);
    let doc_id = same("a").0.doc_id;
    let (report, _) = add(folder.path(), vec![same("b"), same("a"), document("x", &["brush"]), same("c")]);
    assert_eq!((report.tally.added, report.tally.named, report.tally.chunks), (2, 2, 2));
    assert_eq!(found(folder.path(), "slip"), ["a", "b", "c"]);
    remove(folder.path(), &doc_id, "b");
    remove(folder.path(), "0000000000000000", "a");
    assert_eq!(found(folder.path(), "slip"), ["a", "c"], "a key that names another content stays");
    add(folder.path(), vec![document("a", &["camber"])]);
    assert_eq!(found(folder.path(), "slip"), ["c"]);
    remove(folder.path(), &doc_id, "c");
    assert_eq!(found(folder.path(), "slip"), Vec::<String>::new());
    assert_clean(folder.path());
}

#[test]
fn half_a_document_is_named_and_not_stored_until_the_rest_comes() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, chunks) = document("a", &["slip angle", "tyre"]);
    let (report, errors) = add(folder.path(), vec![(whole.clone(), chunks[..1].to_vec())]);
    assert_eq!((report.refused, errors.len(), errors[0].kind), (1, 1, ErrorKind::Incomplete));
    assert!(errors[0].of == "a" && errors[0].message.contains(&chunks[1].uid), "{errors:?}");
    assert_eq!(Status::read(folder.path()).unwrap().documents, 0);
    let (_, errors) =
        add(folder.path(), vec![(Document { key: "z".into(), ..whole.clone() }, vec![]), (whole, chunks)]);
    assert_eq!(errors, []);
    assert_eq!(found(folder.path(), "tyre"), ["a", "z"]);
    let stray = document("b", &["stray"]).1;
    let mut add = Add::new(Writer::open(folder.path(), "test").unwrap(), CONFIG);
    assert_eq!(add.chunk(stray[0].clone()).unwrap()[0].kind, ErrorKind::Incomplete);
}

#[test]
fn of_two_contents_under_one_key_the_later_document_has_it_however_their_chunks_are_mixed() {
    let (old, old_chunks) = document("a", &["slip angle", "old tyre"]);
    let (new, new_chunks) = document("a", &["brush model", "new tyre"]);
    let second_name = Document { key: "b".into(), ..old.clone() };
    for (named_twice, whole_first) in [(false, "old"), (false, "new"), (true, "old"), (true, "new")] {
        let folder = tempfile::tempdir().unwrap();
        let mut add = Add::new(Writer::open(folder.path(), "test").unwrap(), CONFIG);
        let mut errors = add.document(old.clone()).unwrap();
        if named_twice {
            errors.extend(add.document(second_name.clone()).unwrap());
        }
        errors.extend(add.document(new.clone()).unwrap());
        let mixed: Vec<&Chunk> = if whole_first == "old" {
            old_chunks.iter().chain(&new_chunks).collect()
        } else {
            new_chunks.iter().chain(&old_chunks).collect()
        };
        for chunk in mixed {
            errors.extend(add.chunk(chunk.clone()).unwrap());
        }
        errors.extend(add.end().unwrap());
        drop(add);
        assert_eq!(found(folder.path(), "brush"), ["a"], "{whole_first}");
        if named_twice {
            assert_eq!((errors, found(folder.path(), "slip")), (vec![], vec!["b".to_owned()]), "{whole_first}");
        } else {
            assert_eq!((errors.len(), found(folder.path(), "slip")), (1, vec![]), "{whole_first}");
            assert!(errors[0].of == "a" && errors[0].message.contains(&old.doc_id), "{errors:?}");
        }
        assert_clean(folder.path());
    }
}

#[test]
fn a_failed_chunk_counts_and_a_better_document_takes_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, chunks) = document("a", &["slip angle", "tyre"]);
    let mut add = Add::new(Writer::open(folder.path(), "test").unwrap(), CONFIG);
    add.document(whole.clone()).unwrap();
    add.chunk(chunks[0].clone()).unwrap();
    add.failure(&ErrorRecord::new(&chunks[1].uid, "embed", ErrorKind::Model, "broke")).unwrap();
    assert_eq!(add.end().unwrap(), []);
    drop(add);
    let status = Status::read(folder.path()).unwrap();
    assert_eq!((status.documents, status.chunks, status.chunks_failed), (1, 1, 1));
    assert_clean(folder.path());
    self::add(folder.path(), vec![(whole, chunks)]);
    let status = Status::read(folder.path()).unwrap();
    assert_eq!((status.documents, status.chunks, status.chunks_failed), (1, 2, 0));
    assert_clean(folder.path());
}

#[test]
fn vectors_that_cannot_be_searched_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    add(folder.path(), vec![document("a", &["slip angle"])]);
    type Change = fn(&mut Vectors);
    let with = |key: &str, change: Change| {
        let (whole, mut chunks) = document(key, &[key, "second"]);
        change(chunks[0].vectors.as_mut().unwrap());
        (whole, chunks)
    };
    let cases: [(&str, Change, &str); 5] = [
        ("zero", |v| v.windows[0].vector.values = vec![0.0; 3], "is zero"),
        ("nan", |v| v.windows[0].vector.values[1] = f32::NAN, "not finite"),
        ("short", |v| v.windows[0].vector.values.truncate(2), "2 dimensions of 3"),
        ("model", |v| v.model = "other".into(), "are of other (1, 3 dimensions)"),
        ("revision", |v| v.revision = "2".into(), "the library's of tiny (1, 3 dimensions)"),
    ];
    for (key, change, why) in cases {
        let (_, errors) = add(folder.path(), vec![with(key, change)]);
        assert!(errors.len() == 1 && errors[0].kind == ErrorKind::Vectors, "{key}: {errors:?}");
        assert!(errors[0].message.contains(why), "{errors:?}");
    }
    // One bad chunk of two leaves the other; a document of another model leaves nothing.
    let status = Status::read(folder.path()).unwrap();
    assert_eq!((status.documents, status.chunks_failed), (4, 3));
    let reader = Reader::open(folder.path()).unwrap();
    let found = reader.dense(&[1.0, 0.0], 5, &reader.everything());
    assert!(matches!(found, Err(Error::Dimension { found: 2, expected: 3 })));
    assert_clean(folder.path());
}

#[test]
fn a_refused_document_does_not_decide_whose_vectors_the_library_takes() {
    let folder = tempfile::tempdir().unwrap();
    let (mixed, mut chunks) = document("mixed", &["one", "two"]);
    for (chunk, model) in chunks.iter_mut().zip(["other", "tiny"]) {
        chunk.vectors.as_mut().unwrap().model = model.into();
    }
    let (report, errors) = add(folder.path(), vec![(mixed, chunks), document("good", &["three"])]);
    assert_eq!((report.tally.added, report.refused, errors.len()), (1, 1, 1), "{errors:?}");
    assert!(errors[0].of == "mixed" && errors[0].message.contains("its vectors are of tiny"), "{errors:?}");
    assert_eq!(Reader::open(folder.path()).unwrap().encoder().map(|encoder| encoder.model.as_str()), Some("tiny"));
    assert_clean(folder.path());
}

#[test]
fn a_document_refused_for_its_vectors_does_not_decide_whose_sparse_ones_the_library_takes_nor_the_other_way() {
    let with = |key: &str, text: &str, dense: &[&str], sparse: &[&str]| {
        let (document, mut chunks) = document(key, &[text, "more of it"]);
        for (n, chunk) in chunks.iter_mut().enumerate() {
            chunk.vectors.as_mut().unwrap().model = dense[n].into();
            let terms = BTreeMap::from([("slip".to_owned(), 1.0)]);
            chunk.sparse =
                Some(SparseVector { model: sparse[n].into(), revision: "1".into(), terms, ..Default::default() });
        }
        (document, chunks)
    };
    for (dense, sparse, why) in [
        (["other", "tiny"], ["wrong", "wrong"], "its vectors are of tiny"),
        (["other", "other"], ["wrong", "words"], "its sparse vectors are of words"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let refused = with("refused", "one", &dense, &sparse);
        let good = with("good", "three", &["tiny", "tiny"], &["words", "words"]);
        let (report, errors) = add(folder.path(), vec![refused, good]);
        assert_eq!((report.tally.added, report.refused, errors.len()), (1, 1, 1), "{errors:?}");
        assert!(errors[0].of == "refused" && errors[0].message.contains(why), "{errors:?}");
        let reader = Reader::open(folder.path()).unwrap();
        let models = (reader.encoder().map(|of| of.model.as_str()), reader.sparse().map(|of| of.model.as_str()));
        assert_eq!(models, (Some("tiny"), Some("words")));
        assert_clean(folder.path());
    }
}

#[test]
fn chunks_without_vectors_are_found_by_their_words_and_vectors_may_come_later() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, mut chunks) = document("a", &["slip angle"]);
    chunks[0].vectors = None;
    add(folder.path(), vec![(whole, chunks)]);
    add(folder.path(), vec![document("b", &["slip"])]);
    assert_eq!(found(folder.path(), "slip").len(), 2);
    let reader = Reader::open(folder.path()).unwrap();
    assert_eq!(reader.dense(&[1.0, 0.0, 0.0], 5, &reader.everything()).unwrap().len(), 1);
    assert_eq!(Status::read(folder.path()).unwrap().chunks_without_vectors, 1);
    assert_clean(folder.path());
    Writer::open(folder.path(), "test").unwrap().compact().unwrap();
    assert_clean(folder.path());
}

#[test]
fn a_reader_sees_one_instant_and_a_second_writer_is_told_off() {
    let folder = tempfile::tempdir().unwrap();
    add(folder.path(), (0..9).map(|n| document(&n.to_string(), &[&format!("slip {n}")])).collect());
    let reader = Reader::open(folder.path()).unwrap();
    assert!(reader.is_current().unwrap());
    let mut writer = Writer::open(folder.path(), "techrag-index compact").unwrap();
    assert!(reader.is_current().unwrap(), "a writer that has written nothing is nothing new");
    assert!(matches!(Writer::open(folder.path(), "x"), Err(Error::Locked { owner, .. }) if owner.contains("compact")));
    writer.compact().unwrap();
    drop(writer);
    add(folder.path(), vec![document("0", &["camber"])]);
    let terms = ["slip".to_owned()];
    let found = reader.lexical(&terms, LUCENE, 100, &reader.everything());
    assert_eq!(reader.stored(&found.iter().map(|ranked| ranked.item).collect::<Vec<_>>()).unwrap().len(), 9);
    assert_eq!(self::found(folder.path(), "slip").len(), 8);
    assert!(!reader.is_current().unwrap());
    let empty = tempfile::tempdir().unwrap();
    let reader = Reader::open(empty.path()).unwrap();
    assert!(reader.is_current().unwrap());
    add(empty.path(), vec![document("0", &["camber"])]);
    assert!(!reader.is_current().unwrap());
}

#[test]
fn an_empty_library_answers_everything_with_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let reader = Reader::open(folder.path()).unwrap();
    let all = reader.everything();
    assert_eq!(reader.dense(&[1.0], 5, &all).unwrap(), []);
    assert_eq!(reader.lexical(&["slip".into()], OKAPI, 5, &all), []);
    assert_clean(folder.path());
    assert_eq!(rebuild(folder.path(), "test").unwrap(), 0);
    Writer::open(folder.path(), "test").unwrap().compact().unwrap();
    assert!(matches!(Reader::open(&folder.path().join("nowhere")), Err(Error::Missing { .. })));
}

#[test]
fn damage_anywhere_is_named_and_rebuild_remakes_what_is_derived() {
    let folder = tempfile::tempdir().unwrap();
    add(folder.path(), vec![document("a", &["slip angle", "tyre"]), document("b", &["brush model"])]);
    let segment = folder.path().join("segments/text-000001.seg");
    let whole = fs::read(&segment).unwrap();
    for at in (0..whole.len()).step_by(37) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(&segment, &bytes).unwrap();
        let named = verify(folder.path()).unwrap().problems.iter().any(|problem| problem.file == segment);
        assert!(named, "byte {at}");
    }
    fs::remove_file(&segment).unwrap();
    assert!(!verify(folder.path()).unwrap().problems.is_empty());
    assert_eq!(rebuild(folder.path(), "test").unwrap(), 3);
    assert_clean(folder.path());
    assert_eq!(found(folder.path(), "tyre"), ["a"]);
    let catalog = folder.path().join("catalog.sqlite");
    let mut bytes = fs::read(&catalog).unwrap();
    let at = bytes.windows(10).position(|window| window == b"slip angle").unwrap();
    bytes[at] = b'S';
    fs::write(&catalog, bytes).unwrap();
    let problems = verify(folder.path()).unwrap().problems;
    assert!(problems.iter().any(|problem| problem.what.contains("is not what was stored")), "{problems:?}");
}

#[test]
fn many_small_commits_end_in_few_segments() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..20 {
        add(folder.path(), vec![document(&n.to_string(), &[&format!("slip {n}")])]);
    }
    assert!(Status::read(folder.path()).unwrap().segments < 9);
    for n in 0..15 {
        remove(folder.path(), &document("", &[&format!("slip {n}")]).0.doc_id, &n.to_string());
    }
    assert_clean(folder.path());
    Writer::open(folder.path(), "test").unwrap().compact().unwrap();
    let status = Status::read(folder.path()).unwrap();
    assert_eq!((status.segments, status.dead_slots, status.chunks), (1, 0, 5));
    assert_eq!(fs::read_dir(folder.path().join("segments")).unwrap().count(), 1);
    assert_clean(folder.path());
}

/// BM25 as the formulas have it, over plain token lists; scores by uid.
fn oracle(chunks: &BTreeMap<String, Vec<String>>, query: &[String], bm25: Bm25) -> Vec<(String, f64)> {
    let all = chunks.len() as f64;
    let mean = chunks.values().map(Vec::len).sum::<usize>() as f64 / all;
    let idf = |term: &str| {
        let n = chunks.values().filter(|tokens| tokens.iter().any(|token| token == term)).count() as f64;
        match bm25.idf {
            Idf::Lucene => (1.0 + (all - n + 0.5) / (n + 0.5)).ln(),
            Idf::Okapi => (all - n + 0.5).ln() - (n + 0.5).ln(),
        }
    };
    let vocabulary: std::collections::BTreeSet<&String> = chunks.values().flatten().collect();
    let mean_idf = vocabulary.iter().map(|term| idf(term)).sum::<f64>() / vocabulary.len().max(1) as f64;
    let score = |tokens: &Vec<String>| {
        let part = |term: &String| {
            let tf = tokens.iter().filter(|token| *token == term).count() as f64;
            let idf = if idf(term) < 0.0 { 0.25 * mean_idf } else { idf(term) };
            idf * tf * (bm25.k1 + 1.0)
                / (tf + bm25.k1 * (1.0 - bm25.b + bm25.b * tokens.len() as f64 / mean)).max(f64::MIN_POSITIVE)
        };
        query.iter().map(part).sum::<f64>()
    };
    let hit = |tokens: &Vec<String>| tokens.iter().any(|token| query.contains(token));
    let mut scores: Vec<(String, f64)> =
        chunks.iter().filter(|(_, tokens)| hit(tokens)).map(|(uid, tokens)| (uid.clone(), score(tokens))).collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scores
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["slip", "angle", "tyre", "brush", "μ-split", "0.35"]), 1..9)
        .prop_map(|words| words.join(" "))
}

/// A library of random documents in several segments, some removed, and what should be left of it.
fn grown(texts: &[Vec<String>], gone: &[prop::sample::Index]) -> (tempfile::TempDir, BTreeMap<String, Chunk>) {
    let folder = tempfile::tempdir().unwrap();
    let mut left = BTreeMap::new();
    let mut documents = Vec::new();
    for (at, texts) in texts.iter().enumerate() {
        let key = format!("k{at}");
        let unique: Vec<String> = texts.iter().map(|text| format!("{text} key{at}")).collect();
        documents.push(document(&key, &unique.iter().map(String::as_str).collect::<Vec<_>>()));
    }
    add(folder.path(), documents.clone());
    let gone: std::collections::BTreeSet<usize> = gone.iter().map(|index| index.index(texts.len())).collect();
    for (at, (document, chunks)) in documents.into_iter().enumerate() {
        if gone.contains(&at) {
            remove(folder.path(), &document.doc_id, &document.key);
        } else {
            left.extend(chunks.into_iter().map(|chunk| (chunk.uid.clone(), chunk)));
        }
    }
    (folder, left)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn both_searches_equal_their_oracles_whatever_was_removed_or_merged(
        texts in prop::collection::vec(prop::collection::vec(text(), 1..4), 1..8),
        gone in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        query in text(), k in 1_usize..12, compacted in any::<bool>(),
    ) {
        let (folder, left) = grown(&texts, &gone);
        if compacted {
            Writer::open(folder.path(), "test").unwrap().compact().unwrap();
        }
        assert_clean(folder.path());
        let reader = Reader::open(folder.path()).unwrap();
        let uid = |(doc, ordinal): (u64, u32)| id::uid(&format!("{doc:016x}"), ordinal);

        let terms = token::tokens(&query, token::Config::INDEX);
        let tokens = left.iter().map(|(uid, c)| (uid.clone(), token::tokens(&c.text, token::Config::INDEX))).collect();
        for bm25 in [LUCENE, OKAPI] {
            let mut expected = oracle(&tokens, &terms, bm25);
            let found = reader.lexical(&terms, bm25, k, &reader.everything());
            prop_assert_eq!(found.len(), expected.len().min(k));
            for (ranked, (_, score)) in found.iter().zip(&expected) {
                prop_assert!((ranked.score - score).abs() < 1e-9, "{} {score}", ranked.score);
            }
            expected.retain(|(other, score)| found.iter().any(|r| uid(r.uid) == *other && (r.score - score).abs() < 1e-9));
            prop_assert_eq!(expected.len(), found.len());
            let places: Vec<_> = found.iter().map(|ranked| ranked.item).collect();
            let again: Vec<f64> = reader.lexical_of(&terms, bm25, &places).into_iter().flatten().collect();
            prop_assert_eq!(again, found.iter().map(|ranked| ranked.score).collect::<Vec<_>>());
        }

        let direction = [0.6_f32, 0.0, 0.8];
        let cosine = |chunk: &Chunk| {
            let values = &chunk.vectors.as_ref().unwrap().windows[0].vector.values;
            let norm = values.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
            let unit = |v: &f32| f64::from((f64::from(*v) / norm) as f32);
            values.iter().zip(direction).map(|(v, d)| unit(v) * f64::from(d)).sum::<f64>() as f32
        };
        let mut expected: Vec<(f32, String)> = left.values().map(|chunk| (cosine(chunk), chunk.uid.clone())).collect();
        expected.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        expected.truncate(k);
        let found = reader.dense(&direction, k, &reader.everything()).unwrap();
        let found: Vec<(f32, String)> = found.into_iter().map(|ranked| (ranked.score as f32, uid(ranked.uid))).collect();
        prop_assert_eq!(found, expected);
    }
}
