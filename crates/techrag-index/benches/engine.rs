//! Times of the engine by itself, without processes and records around it; `pipelines/bench.sh` runs it and reads what
//! it prints, one JSON object.
//!
//! ```text
//! engine tokens            <texts.jsonl       one JSON array of tokens a {"text": …} line
//! engine queries LIBRARY   <queries.jsonl     medians over {"text": …, "vector": […]} lines; the Okapi top tens
//! engine grow FOLDER SIZE GRAPHS              a library of SIZE synthetic vectors: scan time against bandwidth;
//!                                             with GRAPHS 1 also HNSW graphs, their time and recall
//! ```
#![expect(clippy::print_stdout, reason = "what a bench prints is its result")]

use std::error::Error;
use std::io::{self, BufRead as _};
use std::path::Path;
use std::time::Instant;

use rayon::prelude::*;
use serde_json::{Value, json};
use techrag_core::record::{Chunk, Document, Vectors, Window};
use techrag_core::{id, token};
use techrag_index::hnsw::{self, Setup};
use techrag_index::{Add, AddConfig, Bm25, Idf, Reader, Writer};

type Outcome<T> = Result<T, Box<dyn Error>>;

const OKAPI: Bm25 = Bm25 { idf: Idf::Okapi, k1: 1.5, b: 0.75, weights: [0.0, 0.0, 1.0] };
const LUCENE: Bm25 = Bm25 { idf: Idf::Lucene, k1: 1.2, b: 0.75, weights: [2.0, 2.0, 1.0] };
const HITS: usize = 10;
const DIM: usize = 384;
/// Centres that synthetic vectors lie around, and how far from them.
const CENTRES: u64 = 1000;
const SPREAD: f32 = 0.6;
const CHUNKS_A_DOCUMENT: u32 = 1000;

fn main() -> Outcome<()> {
    // `cargo bench` passes --bench; `cargo test --benches` runs without anything to do.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["tokens"] => tokens(),
        ["queries", library] => queries(Path::new(library)),
        ["grow", folder, size, graphs] => grow(Path::new(folder), size.parse()?, graphs == "1"),
        _ => Ok(()),
    }
}

fn lines() -> impl Iterator<Item = Outcome<Value>> {
    io::stdin().lock().lines().map(|line| Ok(serde_json::from_str(&line?)?))
}

fn tokens() -> Outcome<()> {
    for line in lines() {
        let line = line?;
        let text = line["text"].as_str().unwrap_or_default();
        println!("{}", json!(token::tokens(text, token::Config::INDEX)));
    }
    Ok(())
}

/// Milliseconds of a call: the median of several.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn timed<T>(times: &mut Vec<f64>, call: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = call();
    times.push(start.elapsed().as_secs_f64() * 1000.0);
    result
}

fn queries(library: &Path) -> Outcome<()> {
    let start = Instant::now();
    let reader = Reader::open(library)?;
    let open = start.elapsed().as_secs_f64() * 1000.0;
    let all = reader.everything();
    let queries: Vec<Value> = lines().collect::<Outcome<_>>()?;
    let (mut okapi, mut lucene, mut dense, mut tops) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // Once before it counts: pages are read, the mean idf is computed.
    for round in 0..2 {
        for query in &queries {
            let terms = token::tokens(query["text"].as_str().unwrap_or_default(), token::Config::INDEX);
            let vector: Vec<f32> = serde_json::from_value(query["vector"].clone())?;
            let top = timed(&mut okapi, || reader.lexical(&terms, OKAPI, HITS, &all));
            timed(&mut lucene, || reader.lexical(&terms, LUCENE, HITS, &all));
            timed(&mut dense, || reader.dense(&vector, HITS, &all))?;
            let uid = |(doc, ordinal): (u64, u32)| id::uid(&format!("{doc:016x}"), ordinal);
            tops.push(top.iter().map(|ranked| (uid(ranked.uid), ranked.score)).collect::<Vec<_>>());
        }
        if round == 0 {
            [&mut okapi, &mut lucene, &mut dense].into_iter().for_each(Vec::clear);
            tops.clear();
        }
    }
    let report = json!({
        "chunks": reader.chunks(), "open_ms": open, "okapi_ms": median(okapi), "lucene_ms": median(lucene),
        "dense_ms": median(dense), "threads": rayon::current_num_threads(), "okapi_top": tops,
    });
    println!("{report}");
    Ok(())
}

/// Deterministic numbers (Steele, Lea and Flood 2014: SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in -1…1.
    fn uniform(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }
}

/// The n-th synthetic vector: a centre and something of its own.
fn vector(n: u64) -> Vec<f32> {
    let mut own = Numbers(n.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1));
    let mut centre = Numbers(own.next() % CENTRES);
    (0..DIM).map(|_| centre.uniform() + SPREAD * own.uniform()).collect()
}

fn grow(folder: &Path, size: u32, graphs: bool) -> Outcome<()> {
    let start = Instant::now();
    fill(folder, size)?;
    let add = start.elapsed().as_secs_f64();
    if graphs {
        // A graph for each of few large segments; the scan does not care how many there are.
        Writer::open_existing(folder, "bench")?.compact()?;
    }
    let start = Instant::now();
    let reader = Reader::open(folder)?;
    let open = start.elapsed().as_secs_f64() * 1000.0;
    let all = reader.everything();
    let (mut scans, mut reads) = (Vec::new(), Vec::new());
    let block: Vec<u64> = vec![1; size as usize * DIM * 2 / size_of::<u64>()];
    for n in 0..40 {
        let query = vector(u64::MAX / 2 + n);
        timed(&mut scans, || reader.dense(&query, HITS, &all))?;
        let sum: u64 = timed(&mut reads, || block.par_iter().with_min_len(1 << 14).sum());
        assert_eq!(sum, block.len() as u64);
    }
    let least = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
    let mut report = json!({
        "vectors": size, "add_s": add, "open_ms": open, "scan_ms": median(scans.clone()), "scan_min_ms": least(&scans),
        "read_ms": median(reads.clone()), "read_min_ms": least(&reads), "threads": rayon::current_num_threads(),
    });
    drop(reader);
    if graphs {
        report["hnsw"] = walked(folder)?;
    }
    println!("{report}");
    Ok(())
}

fn fill(folder: &Path, size: u32) -> Outcome<()> {
    let writer = Writer::open(folder, "bench")?;
    let mut add = Add::new(writer, AddConfig { full: 65_536, idle: 65_536, replace: false });
    for first in (0..size).step_by(CHUNKS_A_DOCUMENT as usize) {
        let chunks = CHUNKS_A_DOCUMENT.min(size - first);
        let doc_id = id::doc_id(&first.to_le_bytes());
        let document = Document { doc_id: doc_id.clone(), key: format!("d{first}"), chunks, ..Document::default() };
        refused(add.document(document)?)?;
        for ordinal in 0..chunks {
            let n = first + ordinal;
            let text = format!("vector {n} of series {}", n % 97);
            let window = Window { start: 0, end: text.len(), vector: vector(u64::from(n)).into() };
            let (model, revision) = ("synthetic".to_owned(), "1".to_owned());
            let vectors = Vectors { model, revision, dim: DIM, windows: vec![window], ..Vectors::default() };
            let (uid, sha1) = (id::uid(&doc_id, ordinal), id::text_sha1(&text));
            let chunk = Chunk { uid, doc_id: doc_id.clone(), text, sha1, vectors: Some(vectors), ..Chunk::default() };
            refused(add.chunk(chunk)?)?;
        }
    }
    refused(add.end()?)
}

fn refused(errors: Vec<techrag_core::record::ErrorRecord>) -> Outcome<()> {
    errors.into_iter().next().map_or(Ok(()), |error| Err(error.message.into()))
}

/// Graphs over the library: time to make, bytes, and time and recall at three breadths.
fn walked(folder: &Path) -> Outcome<Value> {
    let start = Instant::now();
    let made = hnsw::make(folder, "bench", Setup { connectivity: 16, breadth: 128 })?;
    let build = start.elapsed().as_secs_f64();
    let reader = Reader::open(folder)?;
    let all = reader.everything();
    let mut breadths = Vec::new();
    for breadth in [64, 128, 256] {
        let (mut times, mut found, mut wanted) = (Vec::new(), 0, 0);
        for n in 0..100 {
            let query = vector(u64::MAX / 2 + n);
            let near = timed(&mut times, || reader.dense_near(&query, HITS, breadth, &all))?;
            let exact = reader.dense(&query, HITS, &all)?;
            found += exact.iter().filter(|ranked| near.iter().any(|other| other.uid == ranked.uid)).count();
            wanted += exact.len();
        }
        breadths.push(json!({
            "breadth": breadth, "ms": median(times), "recall": found as f64 / f64::from(u32::try_from(wanted)?)
        }));
    }
    Ok(json!({ "build_s": build, "bytes": made.bytes, "breadths": breadths }))
}
