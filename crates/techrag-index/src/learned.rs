//! Search by learned sparse vectors: the product of the question's weights with a chunk's, over the postings of the
//! terms they share. The same walk as BM25's without its statistics: what a term is worth is in the weights.

use std::collections::BTreeMap;

use crate::bits::Bits;
use crate::reader::{Loaded, Place};
use crate::segment::{self, Posting};
use crate::top::{Ranked, Top};

/// A term of the question with its postings in each segment.
struct Asked<'a> {
    weight: f64,
    postings: Vec<&'a [Posting]>,
}

/// The terms of one question, looked up. Products are summed in the order of the terms, in f64.
pub(crate) struct Learned<'a> {
    segments: &'a [Loaded],
    asked: Vec<Asked<'a>>,
}

impl<'a> Learned<'a> {
    /// Looks up the terms.
    pub(crate) fn new(segments: &'a [Loaded], query: &BTreeMap<String, f32>) -> Self {
        let asked = query.iter().map(|(term, weight)| {
            let term = segment::learned_term(term);
            let postings = segments.iter().map(|loaded| loaded.segment.postings(&term)).collect();
            Asked { weight: f64::from(*weight), postings }
        });
        Self { segments, asked: asked.collect() }
    }

    /// The best `k` of the chunks that share a term and are in `wanted`, best first.
    pub(crate) fn top(&self, k: usize, wanted: &[Bits]) -> Vec<Ranked<Place>> {
        let mut top = Top::new(k);
        for (at, (loaded, wanted)) in self.segments.iter().zip(wanted).enumerate() {
            let mut scores: Vec<Option<f64>> = vec![None; loaded.segment.len()];
            for asked in &self.asked {
                for posting in asked.postings[at].iter().filter(|posting| wanted.has(posting.slot as usize)) {
                    if let Some(score) = scores.get_mut(posting.slot as usize) {
                        *score = Some(score.unwrap_or(0.0) + share(asked, *posting));
                    }
                }
            }
            for (slot, score) in scores.into_iter().enumerate() {
                if let Some(score) = score.filter(|score| !top.is_below(*score)) {
                    let place = Place { segment: at as u32, slot: slot as u32 };
                    top.offer(Ranked { score, uid: loaded.uid(slot), item: place });
                }
            }
        }
        top.into_sorted()
    }

    /// The product of one chunk; `None` if it shares no term.
    pub(crate) fn of(&self, place: Place) -> Option<f64> {
        let shares = self.asked.iter().filter_map(|asked| {
            let postings = asked.postings.get(place.segment as usize)?;
            let at = postings.binary_search_by_key(&place.slot, |posting| posting.slot).ok()?;
            Some(share(asked, postings[at]))
        });
        shares.reduce(|sum, share| sum + share)
    }
}

/// A weight that is damage (the segment's checksum names it) counts nothing.
fn share(asked: &Asked<'_>, posting: Posting) -> f64 {
    let weight = posting.weight();
    if weight.is_finite() { asked.weight * f64::from(weight) } else { 0.0 }
}
