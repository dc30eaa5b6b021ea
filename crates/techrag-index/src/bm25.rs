//! Lexical search: BM25 over the fields of a chunk, across segments as if they were one.
//!
//! A term's frequency in a chunk is the weighted sum of its frequencies in title, section and text, and so is the
//! chunk's length (BM25F in its simple form, Robertson, Zaragoza and Taylor 2004). Statistics are those of the living
//! chunks, so that an index grown and pruned over years ranks as one made today.
//!
//! * [`Idf::Lucene`]: ln(1 + (N − n + ½)/(n + ½)), never negative: the default, with k1 = 1.2, b = 0.75;
//! * [`Idf::Okapi`]: ln(N − n + ½) − ln(n + ½); where that is negative, a quarter of the mean over all terms, as
//!   `rank_bm25`'s BM25Okapi has it: the parity setting, with k1 = 1.5, b = 0.75.
//!
//! The term's contribution is idf · tf·(k1 + 1)/(tf + k1·(1 − b + b·length/mean length)), in f64; a term asked for
//! twice counts twice.

use std::collections::HashMap;

use crate::bits::Bits;
use crate::maxscore::{self, List};
use crate::reader::{Loaded, Place};
use crate::segment::{FIELDS, Posting};
use crate::top::{Ranked, Top};

/// How rare a term is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idf {
    /// Lucene's, never negative.
    Lucene,
    /// That of `rank_bm25`'s BM25Okapi.
    Okapi,
}

/// The parameters of the ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bm25 {
    /// How rare a term is.
    pub idf: Idf,
    /// How fast repetitions of a term stop counting.
    pub k1: f64,
    /// How much a long chunk is held against it, 0 to 1.
    pub b: f64,
    /// What an occurrence in title, section and text counts.
    pub weights: [f64; FIELDS],
}

/// Share of the mean idf that a term in more than half of the chunks gets (`rank_bm25`'s epsilon).
const FLOOR: f64 = 0.25;

/// The fields that count, those of a weight above 0: a term that stands only in others is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fields([bool; FIELDS]);

impl Fields {
    /// Number of different sets of fields.
    pub(crate) const SETS: usize = 1 << FIELDS;

    fn of(weights: [f64; FIELDS]) -> Self {
        Self(weights.map(|weight| weight > 0.0))
    }

    /// Which of the [`Fields::SETS`] this is.
    pub(crate) fn number(self) -> usize {
        self.0.iter().fold(0, |number, counts| number << 1 | usize::from(*counts))
    }

    /// Whether all fields count.
    pub(crate) fn are_all(self) -> bool {
        self.0.iter().all(|counts| *counts)
    }

    /// Whether the term stands in a field that counts.
    pub(crate) fn hold(self, posting: Posting) -> bool {
        posting.counts().iter().zip(self.0).any(|(count, counts)| counts && *count > 0)
    }
}

/// A term of a query, as often as it was asked for, with its idf.
struct Asked<'a> {
    times: f64,
    idf: f64,
    /// Its postings in each segment.
    postings: Vec<&'a [Posting]>,
}

/// What the ranking needs to know of a library, for one query.
pub(crate) struct Scorer<'a> {
    segments: &'a [Loaded],
    bm25: Bm25,
    fields: Fields,
    asked: Vec<Asked<'a>>,
    mean_length: f64,
}

impl<'a> Scorer<'a> {
    /// Looks up the terms; `mean_idf` is asked for only where the Okapi floor is needed.
    pub(crate) fn new(segments: &'a [Loaded], terms: &[String], bm25: Bm25, mean_idf: impl Fn(Fields) -> f64) -> Self {
        let fields = Fields::of(bm25.weights);
        let chunks: usize = segments.iter().map(Loaded::alive).sum();
        let mut counted: Vec<(&String, f64)> = Vec::new();
        let mut places: HashMap<&String, usize> = HashMap::new();
        for term in terms {
            let at = *places.entry(term).or_insert(counted.len());
            match counted.get_mut(at) {
                Some((_, times)) => *times += 1.0,
                None => counted.push((term, 1.0)),
            }
        }
        let mut asked: Vec<(usize, Asked<'_>)> = Vec::new();
        for (term, times) in counted {
            let postings: Vec<&[Posting]> = segments.iter().map(|loaded| loaded.segment.postings(term)).collect();
            let found: usize = segments.iter().zip(&postings).map(|(loaded, p)| loaded.living(p, fields)).sum();
            if found == 0 {
                continue;
            }
            let idf = match idf(bm25.idf, chunks, found) {
                negative if negative < 0.0 => FLOOR * mean_idf(fields),
                idf => idf,
            };
            asked.push((found, Asked { times, idf, postings }));
        }
        // Rare terms first, in every segment alike: a chunk's score is the same sum however the library was cut.
        asked.sort_by_key(|(found, _)| *found);
        let asked = asked.into_iter().map(|(_, asked)| asked).collect();
        let total: f64 = segments.iter().map(|loaded| weighted(loaded.totals, bm25.weights)).sum();
        let mean_length = total / chunks.max(1) as f64;
        Self { segments, bm25, fields, asked, mean_length }
    }

    /// The best `k` of the chunks that hold a term and are in `wanted`, best first.
    pub(crate) fn top(&self, k: usize, wanted: &[Bits]) -> Vec<Ranked<Place>> {
        let mut top = Top::new(k);
        for (at, (loaded, wanted)) in self.segments.iter().zip(wanted).enumerate() {
            maxscore::search(&self.lists(at, loaded), loaded.segment.len(), wanted, &mut top, |slot| {
                (loaded.uid(slot as usize), Place { segment: at as u32, slot })
            });
        }
        top.into_sorted()
    }

    /// The postings of each term in a segment, in the order in which they are summed.
    fn lists<'s>(&'s self, at: usize, loaded: &'s Loaded) -> Vec<List<'s, impl Fn(Posting) -> Option<f64> + 's>> {
        let list = |asked: &'s Asked<'a>| List {
            postings: asked.postings[at],
            // tf·(k1 + 1)/(tf + norm) stays below k1 + 1, since norm is not negative.
            bound: asked.times * asked.idf * (self.bm25.k1 + 1.0),
            share: move |posting| self.fields.hold(posting).then(|| self.share(asked, loaded, posting)),
        };
        self.asked.iter().map(list).collect()
    }

    /// The score of one chunk; `None` if it holds no term.
    pub(crate) fn of(&self, place: Place) -> Option<f64> {
        let loaded = self.segments.get(place.segment as usize)?;
        let shares = self.asked.iter().filter_map(|asked| {
            let postings = asked.postings[place.segment as usize];
            let at = postings.binary_search_by_key(&place.slot, |posting| posting.slot).ok()?;
            self.fields.hold(postings[at]).then(|| self.share(asked, loaded, postings[at]))
        });
        shares.reduce(|sum, share| sum + share)
    }

    fn share(&self, asked: &Asked<'_>, loaded: &Loaded, posting: Posting) -> f64 {
        let Bm25 { k1, b, weights, .. } = self.bm25;
        let lengths = loaded.segment.lengths().get(posting.slot as usize).copied().unwrap_or_default();
        let length = weighted(lengths.map(u64::from), weights);
        let frequency = weighted(posting.counts().map(u64::from), weights);
        let norm = k1 * (1.0 - b + b * length / self.mean_length);
        asked.times * asked.idf * (frequency * (k1 + 1.0) / (frequency + norm))
    }
}

fn weighted(counts: [u64; FIELDS], weights: [f64; FIELDS]) -> f64 {
    counts.iter().zip(weights).map(|(count, weight)| *count as f64 * weight).sum()
}

pub(crate) fn idf(kind: Idf, chunks: usize, found: usize) -> f64 {
    let (n, all) = (found as f64, chunks as f64);
    match kind {
        Idf::Lucene => (1.0 + (all - n + 0.5) / (n + 0.5)).ln(),
        Idf::Okapi => (all - n + 0.5).ln() - (n + 0.5).ln(),
    }
}
