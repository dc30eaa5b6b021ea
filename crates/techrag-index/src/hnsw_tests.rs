//! Approximate search on small libraries: what it finds is right, conditions hold, what it cannot find is scanned, and
//! what `usearch` was reported to do with bad input does not happen (the reports lie in the shared data).

use std::fs;
use std::path::Path;

use techrag_core::record::{Vectors, Window};

use crate::hnsw::{self, Setup};
use crate::library_tests::{add, assert_clean, document};
use crate::{Error, Reader, Status, Writer, rebuild, verify};

const SETUP: Setup = Setup { connectivity: 16, breadth: 64 };

/// Documents of one chunk each, with two windows of directions spread over the sphere, in one segment.
fn library(count: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    grow(folder.path(), 0, count);
    Writer::open(folder.path(), "test").unwrap().compact().unwrap();
    folder
}

fn grow(root: &Path, from: usize, to: usize) {
    let documents = (from..to).map(|n| {
        let (whole, mut chunks) = document(&format!("k{n}"), &[&format!("text {n}")]);
        chunks[0].vectors = Some(vectors(&[direction(2 * n), direction(2 * n + 1)]));
        (whole, chunks)
    });
    let (_, errors) = add(root, documents.collect());
    assert_eq!(errors, []);
}

/// The n-th of points spread evenly on a sphere (Fibonacci lattice).
fn direction(n: usize) -> [f32; 3] {
    let (height, angle) = (1.0 - (n as f32 * 0.618_034).fract() * 2.0, n as f32 * 2.399_963);
    let radius = (1.0 - height * height).sqrt();
    [radius * angle.cos(), radius * angle.sin(), height]
}

fn vectors(windows: &[[f32; 3]]) -> Vectors {
    let window = |values: &[f32; 3]| Window { start: 0, end: 1, vector: values.to_vec().into() };
    let windows = windows.iter().map(window).collect();
    Vectors { model: "tiny".into(), revision: "1".into(), dim: 3, windows, ..Vectors::default() }
}

fn graph_file(root: &Path) -> std::path::PathBuf {
    let mut files = fs::read_dir(root.join("segments")).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.to_string_lossy().contains("hnsw-")).unwrap()
}

#[test]
fn what_is_found_has_exact_scores_and_little_is_missed() {
    let folder = library(400);
    let made = hnsw::make(folder.path(), "test", SETUP).unwrap();
    assert_eq!((made.graphs, made.rows), (1, 800));
    let reader = Reader::open(folder.path()).unwrap();
    let all = reader.everything();
    for n in 0..50 {
        let query = direction(10_000 + 7 * n);
        let (near, exact) = (reader.dense_near(&query, 5, 64, &all).unwrap(), reader.dense(&query, 5, &all).unwrap());
        assert_eq!(near.len(), 5);
        for ranked in near.iter().filter(|ranked| exact.iter().any(|other| other.uid == ranked.uid)) {
            assert!(exact.contains(ranked), "{ranked:?}");
        }
    }
    assert!(hnsw::recall(&reader, 100, 10, 128).unwrap().unwrap() > 0.98);
    assert_clean(folder.path());
    assert_eq!(Status::read(folder.path()).unwrap().hnsw_graphs, 1);
}

#[test]
fn conditions_hold_at_any_selectivity_and_the_dead_are_not_found() {
    let folder = library(200);
    hnsw::make(folder.path(), "test", SETUP).unwrap();
    let keys = |keep: usize| (0..keep).map(|n| format!("k{n}")).collect::<Vec<_>>().join("|");
    for keep in [1, 3, 30, 120, 199] {
        let reader = Reader::open(folder.path()).unwrap();
        let scope = reader.select(&[format!("key={}", keys(keep)).parse().unwrap()]).unwrap();
        for n in 0..10 {
            let query = direction(5000 + 13 * n);
            let near = reader.dense_near(&query, 10, 64, &scope).unwrap();
            assert_eq!(near.len(), keep.min(10), "{keep} wanted");
            assert_eq!(near[0], reader.dense(&query, 10, &scope).unwrap()[0], "{keep} wanted");
        }
    }
    let gone = crate::Change::Remove { doc_id: None, key: "k7".into() };
    Writer::open(folder.path(), "test").unwrap().commit(&[gone], None).unwrap();
    let reader = Reader::open(folder.path()).unwrap();
    let near = reader.dense_near(&direction(14), 200, 64, &reader.everything()).unwrap();
    let places: Vec<_> = near.iter().map(|ranked| ranked.item).collect();
    let keys: Vec<String> = reader.stored(&places).unwrap().into_iter().flat_map(|stored| stored.keys).collect();
    assert!(keys.len() == 199 && !keys.contains(&"k7".to_owned()));
}

#[test]
fn more_than_there_are_and_what_is_not_finite() {
    let folder = library(65);
    hnsw::make(folder.path(), "test", SETUP).unwrap();
    let reader = Reader::open(folder.path()).unwrap();
    let all = reader.everything();
    let near = reader.dense_near(&direction(1), 100, 300, &all).unwrap();
    assert_eq!(near, reader.dense(&direction(1), 100, &all).unwrap());
    for query in [[f32::NAN, 0.0, 0.0], [f32::INFINITY, 0.0, 0.0]] {
        assert!(matches!(reader.dense_near(&query, 3, 64, &all), Err(Error::NotFinite)));
        assert!(matches!(reader.dense(&query, 3, &all), Err(Error::NotFinite)));
    }
    assert!(matches!(reader.dense_near(&[1.0], 3, 64, &all), Err(Error::Dimension { found: 1, expected: 3 })));
}

#[test]
fn the_same_segment_gives_the_same_bytes_and_what_comes_later_is_scanned() {
    let (one, other) = (library(120), library(120));
    hnsw::make(one.path(), "test", SETUP).unwrap();
    hnsw::make(other.path(), "test", SETUP).unwrap();
    assert_eq!(fs::read(graph_file(one.path())).unwrap(), fs::read(graph_file(other.path())).unwrap());
    grow(one.path(), 120, 122);
    let reader = Reader::open(one.path()).unwrap();
    let near = reader.dense_near(&direction(2 * 121), 1, 64, &reader.everything()).unwrap();
    assert_eq!(reader.stored(&[near[0].item]).unwrap()[0].keys, ["k121"]);
    assert_eq!(hnsw::make(one.path(), "test", SETUP).unwrap().graphs, 1, "only the new segment lacks one");
    Writer::open(one.path(), "test").unwrap().compact().unwrap();
    let status = Status::read(one.path()).unwrap();
    assert_eq!((status.segments, status.hnsw_graphs), (1, 0));
    assert_eq!(fs::read_dir(one.path().join("segments")).unwrap().count(), 1, "a graph goes with its segment");
    assert_eq!(hnsw::unmake(other.path(), "test").unwrap(), 1);
    assert_eq!(fs::read_dir(other.path().join("segments")).unwrap().count(), 1);
    assert_clean(other.path());
}

#[test]
fn a_damaged_or_exchanged_graph_is_refused_and_named() {
    let folder = library(60);
    hnsw::make(folder.path(), "test", SETUP).unwrap();
    let path = graph_file(folder.path());
    let whole = fs::read(&path).unwrap();
    let search = || {
        let reader = Reader::open(folder.path()).unwrap();
        reader.dense_near(&direction(1), 3, 64, &reader.everything()).map(|_| ())
    };
    search().unwrap();
    let mut damaged = vec![whole[..whole.len() / 2].to_vec(), whole[..10].to_vec()];
    for at in (0..whole.len()).step_by(211) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x41;
        damaged.push(bytes);
    }
    for bytes in &damaged {
        fs::write(&path, bytes).unwrap();
        let refused = matches!(search(), Err(Error::Corrupt { path: named, .. }) if named == path);
        let named = verify(folder.path()).unwrap().problems.iter().any(|problem| problem.file == path);
        assert!(refused && named);
    }
    // The graph of another library, whole as it is, is not this one's.
    let other = library(61);
    hnsw::make(other.path(), "test", SETUP).unwrap();
    fs::copy(graph_file(other.path()), &path).unwrap();
    assert!(matches!(search(), Err(Error::Corrupt { .. })));
    rebuild(folder.path(), "test").unwrap();
    assert_clean(folder.path());
    search().unwrap();
}
