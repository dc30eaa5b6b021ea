//! The matrix of encodings that a search scans, and how it is made.
//!
//! | section | items | content |
//! |---|---|---|
//! | `mean` | f32 × length | the corpus' mean encoding |
//! | `rows` | i64 × pages | rows of the pages in the catalog |
//! | `signs` | u64 × pages × length / 64 | for each coordinate whether it exceeds the mean, lowest bit first |
//!
//! The file is made anew when many pages are not in it; pages stored since are cut by the same mean when it is opened.
//! Another mean would make another matrix, so all of it is cut by one.

use std::collections::HashMap;
use std::path::Path;

use rayon::prelude::*;
use techrag_index::PagePlace;
use techrag_index::bits::Bits;
use techrag_index::frame::{self, Frame, Section, Written};
use techrag_index::top::{Ranked, Top};

use super::layout::{CODES, Layout, Scanned};
use super::segment::Segment;
use crate::error::Result;
use crate::kernel::{Level, OFFSET, scan};

/// Rows scanned by one task.
const BLOCK: usize = 2048;

/// Segments by their row in the catalog.
pub(crate) type Segments = HashMap<i64, Segment>;

/// The encodings of all pages that have vectors.
#[derive(Debug)]
pub(crate) struct Codes {
    length: usize,
    scanned: Scanned,
    /// The file, and where its matrix is.
    file: Option<(Frame, std::ops::Range<usize>)>,
    /// The pages in the file; those that are gone are `None`.
    filed: Vec<Option<PagePlace>>,
    mean: Vec<f32>,
    /// Pages not in the file, and their signs.
    loose: Vec<PagePlace>,
    signs: Vec<u64>,
}

impl Codes {
    /// Opens the matrix over `stored` pages; `file` is the one in the catalog, if any.
    pub(crate) fn open(
        layout: &Layout,
        file: Option<Frame>,
        stored: &[PagePlace],
        segments: &Segments,
    ) -> Result<Self> {
        let length = layout.fde.length().next_multiple_of(scan::LANES);
        let mut left: HashMap<i64, PagePlace> = stored.iter().map(|place| (place.row, *place)).collect();
        left.retain(|_, place| segments.get(&place.file).is_some_and(|it| !it.rows(place.slot as usize).is_empty()));
        let mut codes = Self {
            length,
            scanned: layout.scanned,
            file: None,
            filed: Vec::new(),
            mean: vec![0.0; length],
            loose: Vec::new(),
            signs: Vec::new(),
        };
        if let Some(frame) = file.filter(|_| layout.scanned == Scanned::Signs) {
            let (mean, rows, signs) = (frame.place("mean")?, frame.place("rows")?, frame.place("signs")?);
            let rows: Vec<i64> = frame.items(&rows).to_vec();
            if frame.items::<f32>(&mean).len() != length || signs.len() != rows.len() * length / 8 {
                return Err(frame.corrupt("its sections do not fit one another").into());
            }
            codes.mean = frame.items(&mean).to_vec();
            codes.filed = rows.iter().map(|row| left.remove(row)).collect();
            codes.file = Some((frame, signs));
        }
        codes.loose = left.into_values().collect();
        codes.loose.sort_unstable();
        if layout.scanned == Scanned::Signs {
            if codes.file.is_none() {
                codes.mean = mean(&codes.loose, segments, length);
            }
            codes.signs = cut(&codes.loose, segments, &codes.mean);
        }
        Ok(codes)
    }

    /// Number of pages that can be found.
    pub(crate) fn len(&self) -> usize {
        self.filed.iter().flatten().count() + self.loose.len()
    }

    /// Whether so many pages are not in the file that it should be made anew: a twentieth.
    pub(crate) fn is_stale(&self) -> bool {
        let gone = self.filed.len() - self.filed.iter().flatten().count();
        self.scanned == Scanned::Signs && 20 * (self.loose.len() + gone) > self.len()
    }

    /// Writes the matrix of all pages anew, cut by their mean now.
    pub(crate) fn write(&self, path: &Path, segments: &Segments) -> Result<Written> {
        let mut places: Vec<PagePlace> = self.filed.iter().flatten().chain(&self.loose).copied().collect();
        places.sort_unstable();
        let rows: Vec<i64> = places.iter().map(|place| place.row).collect();
        let mean = mean(&places, segments, self.length);
        let signs = cut(&places, segments, &mean);
        let sections = [
            Section { name: "mean", bytes: bytemuck::cast_slice(&mean) },
            Section { name: "rows", bytes: bytemuck::cast_slice(&rows) },
            Section { name: "signs", bytes: bytemuck::cast_slice(&signs) },
        ];
        Ok(frame::write(path, CODES.1, &sections)?)
    }

    /// The `k` wanted pages (by row) whose encodings fit the query's best, best first.
    pub(crate) fn nearest(
        &self,
        query: &[f32],
        k: usize,
        wanted: &Bits,
        segments: &Segments,
    ) -> Vec<Ranked<PagePlace>> {
        let query = scan::Integers::new(query);
        let mut top = Top::new(k);
        let wants = |place: &PagePlace| usize::try_from(place.row).is_ok_and(|row| wanted.has(row));
        let mut offer = |place: &PagePlace, score: f32| {
            top.offer(Ranked { score: f64::from(score), uid: (place.doc, place.page), item: *place });
        };
        match self.scanned {
            Scanned::Signs => {
                let filed = self.file.as_ref().map_or(&[][..], |(frame, signs)| frame.items::<u64>(signs));
                for (place, sum) in self.filed.iter().zip(sums(&query, filed, self.filed.len())) {
                    if let Some(place) = place.as_ref().filter(|place| wants(place)) {
                        offer(place, sum as f32 * query.scale);
                    }
                }
                for (place, sum) in self.loose.iter().zip(sums(&query, &self.signs, self.loose.len())) {
                    if wants(place) {
                        offer(place, sum as f32 * query.scale);
                    }
                }
            }
            Scanned::Bytes => {
                let product = |place: &PagePlace| {
                    let (code, scale) = segments.get(&place.file)?.code_of(place.slot as usize, query.values.len())?;
                    let mut out = [0];
                    scan::bytes(&query, code, &mut out, Level::best());
                    Some(out[0] as f32 * scale * query.scale)
                };
                let all: Vec<&PagePlace> = self.loose.iter().filter(|place| wants(place)).collect();
                let scores: Vec<Option<f32>> = all.par_iter().map(|place| product(place)).collect();
                for (place, score) in all.iter().zip(scores) {
                    if let Some(score) = score {
                        offer(place, score);
                    }
                }
            }
        }
        top.into_sorted()
    }
}

/// The inner product of every row of signs with the query, in its integers.
fn sums(query: &scan::Integers, rows: &[u64], count: usize) -> Vec<i32> {
    let words = query.values.len() / scan::LANES;
    let mut sums = vec![0; count];
    let blocks = sums.par_chunks_mut(BLOCK).zip(rows.par_chunks(BLOCK * words.max(1)));
    blocks.for_each(|(out, rows)| scan::signs(query, rows, out, Level::best()));
    sums
}

/// The encoding of a stored page, padded.
fn encoding<'a>(place: &PagePlace, segments: &'a Segments) -> impl Iterator<Item = f32> + 'a {
    let (code, scale) = segments.get(&place.file).map_or((&[][..], 0.0), |it| it.code(place.slot as usize));
    code.iter().map(move |byte| (f32::from(*byte) - f32::from(OFFSET)) * scale)
}

/// The mean of the pages' encodings.
fn mean(places: &[PagePlace], segments: &Segments, length: usize) -> Vec<f32> {
    let mut sums = vec![0.0_f64; length];
    for place in places {
        sums.iter_mut().zip(encoding(place, segments)).for_each(|(sum, value)| *sum += f64::from(value));
    }
    let count = places.len().max(1) as f64;
    sums.into_iter().map(|sum| (sum / count) as f32).collect()
}

/// For each page and coordinate whether it exceeds the mean.
fn cut(places: &[PagePlace], segments: &Segments, mean: &[f32]) -> Vec<u64> {
    let words = mean.len() / scan::LANES;
    let mut signs = vec![0_u64; places.len() * words];
    signs.par_chunks_mut(words.max(1)).zip(places).for_each(|(row, place)| {
        for (at, (value, mean)) in encoding(place, segments).zip(mean).enumerate() {
            row[at / scan::LANES] |= u64::from(value > *mean) << (at % scan::LANES);
        }
    });
    signs
}
