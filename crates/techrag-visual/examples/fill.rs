//! Fills a library's documents with pages of made-up vectors (`pipelines/bench-pages.py`).
//!
//! usage: `fill MODELS LIBRARY`; the layout is that of `techrag-visual index` without options, so that its searches
//! serve the library. A page has 334 to 1,341 vectors, as nine in ten of the pages in docs/VISUAL.md, spread around
//! one of 4,096 middles, and one figure.

use std::env;
use std::io::{self, Write as _};
use std::path::Path;

use rayon::prelude::*;
use techrag_core::record::{CropKind, CropSource};
use techrag_models::{Limits, Locator, MultiVector, Place};
use techrag_visual::fde::Setting;
use techrag_visual::{About, Form, Given, GivenPages, Layout, Region, Scanned, open_encoder};

const MODEL: &str = "all-MiniLM-L6-v2";
const ROWS: std::ops::RangeInclusive<u64> = 334..=1341;
/// Directions that vectors scatter around, as words of a vocabulary do.
const MIDDLES: u64 = 4096;
/// Pages of a file.
const BATCH: usize = 512;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// -1 to 1.
    fn value(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [models, library] = arguments.as_slice() else { return Err("usage: fill MODELS LIBRARY".into()) };
    let encoder = open_encoder(&Locator::new([models]), MODEL, Limits { sessions: 1, batch: 1 })?;
    let layout = Layout::of(&encoder, Form::Int8, Setting::wide, Scanned::Signs);
    let dim = encoder.dim();
    let mut pages = GivenPages::open(Path::new(library), "fill", layout)?;
    let documents = pages.documents()?;
    let all: Vec<(&str, u32)> =
        documents.iter().flat_map(|(doc_id, count)| (1..=*count).map(move |page| (doc_id.as_str(), page))).collect();
    for (at, batch) in all.chunks(BATCH).enumerate() {
        let first = at * BATCH;
        let made = batch.par_iter().enumerate();
        let given: Vec<Given> = made.map(|(at, (doc, page))| page_of(doc, *page, (first + at) as u64, dim)).collect();
        pages.add(&given)?;
        writeln!(io::stderr(), "{} of {} pages", first + batch.len(), all.len())?;
    }
    Ok(pages.finish()?)
}

fn page_of(doc_id: &str, page: u32, seed: u64, dim: usize) -> Given {
    let mut chance = Chance(seed << 32);
    let rows = ROWS.start() + chance.next() % (ROWS.end() - ROWS.start() + 1);
    let vectors: Vec<(Vec<f32>, Place)> =
        (0..rows).map(|at| vector(&mut chance, dim, at as f32 / rows as f32)).collect();
    let (values, places): (Vec<Vec<f32>>, Vec<Place>) = vectors.into_iter().unzip();
    let figure = Region {
        kind: CropKind::Figure,
        bbox: [60.0, 80.0, 280.0, 240.0],
        source: CropSource::Objects,
        caption: Some(format!("Figure {page}. Made up.")),
        caption_bbox: Some([60.0, 245.0, 280.0, 256.0]),
    };
    let about = About { width: 595.0, height: 842.0, regions: vec![figure], ..About::default() };
    let vectors = MultiVector { dim, values: values.concat(), places };
    Given { doc_id: doc_id.to_owned(), page, about, vectors }
}

/// A vector of length 1 near one of the middles, and a line of the page as its place.
fn vector(chance: &mut Chance, dim: usize, down: f32) -> (Vec<f32>, Place) {
    let mut middle = Chance((chance.next() % MIDDLES) << 16);
    let mut values: Vec<f32> = (0..dim).map(|_| middle.value() + 0.5 * chance.value()).collect();
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    values.iter_mut().for_each(|value| *value /= length);
    (values, Place::Region([0.1, down, 0.5, down]))
}
