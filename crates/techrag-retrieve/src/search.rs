//! From a query's words and vector to ranked candidates.
//!
//! Each channel gives its best; their union is ranked. What a channel's list did not reach is scored by that channel
//! all the same, so that fusions which read scores, and whoever reads the hits, know both of every candidate.

use std::collections::HashMap;

use techrag_core::token;
use techrag_index::{Place, Reader, Selection};
use techrag_models::Terms;

use crate::config::{Config, Mode};
use crate::error::Result;
use crate::fusion::{Channels, fuse};

/// A chunk that may be a hit.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Where it stands.
    pub place: Place,
    /// Its uid as a number pair: how ties break.
    pub uid: (u64, u32),
    /// What the channels say.
    pub channels: Channels,
    /// Score of the fusion; `None` where one channel was asked.
    pub fused: Option<f64>,
    /// The score its rank is by.
    pub score: f64,
}

/// A question as the channels are asked it.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Its words.
    pub text: &'a str,
    /// Its vector; absent if the dense channel is not asked.
    pub vector: Option<&'a [f32]>,
    /// Its learned sparse vector; absent if it is not asked.
    pub sparse: Option<&'a Terms>,
}

/// Ranks the chunks of a selection, best first.
///
/// # Errors
/// If the library cannot be read or the vector does not fit it.
pub fn ranked(reader: &Reader, config: &Config, asked: Asked<'_>, among: &Selection) -> Result<Vec<Candidate>> {
    let depth = config.candidates.max(config.k);
    let words = config.mode.asks_words();
    let terms = if words { token::tokens(asked.text, token::Config::INDEX) } else { Vec::new() };
    let mut found: HashMap<Place, Channels> = HashMap::new();
    if let Some(vector) = asked.vector {
        let near = match config.breadth {
            Some(breadth) => reader.dense_near(vector, depth, breadth, among)?,
            None => reader.dense(vector, depth, among)?,
        };
        for (ranked, rank) in near.into_iter().zip(1..) {
            let channels = found.entry(ranked.item).or_default();
            channels.dense = Some(ranked.score as f32);
            channels.dense_rank = Some(rank);
        }
    }
    for (ranked, rank) in reader.lexical(&terms, config.bm25, depth, among).into_iter().zip(1..) {
        let channels = found.entry(ranked.item).or_default();
        channels.bm25 = Some(ranked.score);
        channels.bm25_rank = Some(rank);
    }
    for (ranked, rank) in
        asked.sparse.map_or(Vec::new(), |query| reader.learned(query, depth, among)).into_iter().zip(1..)
    {
        let channels = found.entry(ranked.item).or_default();
        channels.sparse = Some(ranked.score);
        channels.sparse_rank = Some(rank);
    }
    let mut places: Vec<Place> = found.keys().copied().collect();
    places.sort_unstable();
    if config.mode == Mode::Hybrid {
        complete(reader, config, &terms, asked, &places, &mut found)?;
    }
    Ok(ordered(reader, config, &places, &found))
}

/// Fills in what a channel's list did not reach.
fn complete(
    reader: &Reader,
    config: &Config,
    terms: &[String],
    asked: Asked<'_>,
    places: &[Place],
    found: &mut HashMap<Place, Channels>,
) -> Result<()> {
    let lacking = |lacks: fn(&Channels) -> bool, found: &HashMap<Place, Channels>| -> Vec<Place> {
        places.iter().filter(|place| found.get(place).is_some_and(lacks)).copied().collect()
    };
    if let Some(query) = asked.sparse {
        let places = lacking(|channels| channels.sparse.is_none(), found);
        for (place, score) in places.iter().zip(reader.learned_of(query, &places)) {
            found.entry(*place).or_default().sparse = score;
        }
    }
    if let Some(vector) = asked.vector {
        let places = lacking(|channels| channels.dense.is_none(), found);
        for (place, score) in places.iter().zip(reader.dense_of(vector, &places)?) {
            found.entry(*place).or_default().dense = score;
        }
    }
    let places = lacking(|channels| channels.bm25.is_none(), found);
    for (place, score) in places.iter().zip(reader.lexical_of(terms, config.bm25, &places)) {
        found.entry(*place).or_default().bm25 = score;
    }
    Ok(())
}

fn ordered(reader: &Reader, config: &Config, places: &[Place], found: &HashMap<Place, Channels>) -> Vec<Candidate> {
    let channels: Vec<Channels> = places.iter().filter_map(|place| found.get(place).copied()).collect();
    let fused = match config.mode {
        Mode::Hybrid => fuse(config.fusion, config.sparse, &channels).into_iter().map(Some).collect(),
        Mode::Dense | Mode::Bm25 | Mode::Sparse => vec![None; places.len()],
    };
    let mut candidates: Vec<Candidate> = places
        .iter()
        .zip(channels)
        .zip(fused)
        .map(|((place, channels), fused)| {
            let alone = channels.dense.map(f64::from).or(channels.bm25).or(channels.sparse);
            let score = fused.or(alone).unwrap_or(0.0);
            Candidate { place: *place, uid: reader.uid(*place), channels, fused, score }
        })
        .collect();
    sort(&mut candidates);
    candidates
}

/// Best first; ties by uid.
pub(crate) fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.uid.cmp(&b.uid)));
}
