//! What the calibration reads of a hit: figures that mean the same in any collection, as far as that can be had.
//!
//! | name | what | range |
//! |---|---|---|
//! | `cosine` | cosine of the best window of the chunk and the question | −1 to 1 |
//! | `bm25` | ln(1 + BM25 score) | 0 and more |
//! | `coverage` | idf-weighted share of the question's content terms that the chunk holds | 0 to 1 |
//! | `sentence` | the same of its best sentence, caption or row | 0 to 1 |
//!
//! A channel that ran returns its best candidates only: a hit that it did not return is no better than the worst it
//! did, so it takes the least cosine among the hits, and a BM25 score of 0.

use super::reading::{HitWords, Reading};
use crate::record::{Extra, Hit};

/// The features of one hit. `None` where the channel that gives it did not run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Features {
    /// See the table of the module.
    pub cosine: Option<f64>,
    /// See the table of the module.
    pub bm25: Option<f64>,
    /// See the table of the module.
    pub coverage: f64,
    /// See the table of the module.
    pub sentence: f64,
    /// Cross-encoder logit, used in place of all others.
    pub rerank: Option<f64>,
}

impl Features {
    /// Names and values of the features of the fit, in a fixed order.
    pub fn named(&self) -> [(&'static str, Option<f64>); 4] {
        [
            ("cosine", self.cosine),
            ("bm25", self.bm25),
            ("coverage", Some(self.coverage)),
            ("sentence", Some(self.sentence)),
        ]
    }

    /// As the wire has them, rounded to four decimals.
    pub fn wire(&self) -> Extra {
        let known = self.named().into_iter().filter_map(|(name, value)| Some((name, value?)));
        known.map(|(name, value)| (name.to_owned(), ((value * 1e4).round() / 1e4).into())).collect()
    }
}

/// The features of the hits that were read, in their order.
pub fn features(reading: &Reading, hits: &[Hit]) -> Vec<Features> {
    let hits = &hits[..hits.len().min(reading.hits.len())];
    let least = hits.iter().filter_map(|hit| hit.scores.dense).reduce(f32::min);
    let words_ran = hits.iter().any(|hit| hit.scores.bm25.is_some());
    let one = |(hit, read): (&Hit, &HitWords)| {
        let sentences = read.units.iter().map(|unit| reading.coverage(|term| unit.bag.holds(term)));
        Features {
            cosine: hit.scores.dense.or(least).map(f64::from),
            bm25: words_ran.then(|| hit.scores.bm25.unwrap_or(0.0).max(0.0).ln_1p()),
            coverage: reading.coverage(|term| read.bag.holds(term)),
            sentence: sentences.fold(0.0, f64::max),
            rerank: hit.scores.rerank.map(f64::from),
        }
    };
    hits.iter().zip(&reading.hits).map(one).collect()
}
