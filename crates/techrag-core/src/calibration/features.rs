//! What the calibration reads of a hit: figures that mean the same in any collection, as far as that can be had.
//!
//! | name | what | range |
//! |---|---|---|
//! | `cosine` | cosine of the best window of the chunk and the question | −1 to 1 |
//! | `cosine_margin` | that less the mean cosine of the hits from the sixth on: how far it stands out of its surroundings | −2 to 2 |
//! | `bm25` | ln(1 + BM25 score) | 0 and more |
//! | `bm25_share` | BM25 score as a share of the best one in the list | 0 to 1 |
//! | `coverage` | idf-weighted share of the question's content terms that the chunk holds | 0 to 1 |
//! | `sentence` | the same of its best sentence, caption or row | 0 to 1 |
//! | `rank` | −ln of the rank in the list, ranks from 1 | 0 and less |

use super::reading::Reading;
use crate::record::{Extra, Hit};

/// Hits from this one on are the surroundings that a hit has to stand out of.
const SURROUNDINGS: usize = 5;

/// The features of one hit. `None` where the channel that gives it did not return the hit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Features {
    /// See the table of the module.
    pub cosine: Option<f64>,
    /// See the table of the module.
    pub cosine_margin: Option<f64>,
    /// See the table of the module.
    pub bm25: Option<f64>,
    /// See the table of the module.
    pub bm25_share: Option<f64>,
    /// See the table of the module.
    pub coverage: f64,
    /// See the table of the module.
    pub sentence: f64,
    /// See the table of the module.
    pub rank: f64,
    /// Cross-encoder logit, used in place of all others.
    pub rerank: Option<f64>,
}

impl Features {
    /// Names and values of the features of the fit, in a fixed order.
    pub fn named(&self) -> [(&'static str, Option<f64>); 7] {
        [
            ("cosine", self.cosine),
            ("cosine_margin", self.cosine_margin),
            ("bm25", self.bm25),
            ("bm25_share", self.bm25_share),
            ("coverage", Some(self.coverage)),
            ("sentence", Some(self.sentence)),
            ("rank", Some(self.rank)),
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
    let best_bm25 = hits.iter().filter_map(|hit| hit.scores.bm25).fold(0.0, f64::max);
    let around = mean(hits.iter().skip(SURROUNDINGS).filter_map(|hit| hit.scores.dense.map(f64::from)));
    let one = |(at, (hit, read)): (usize, (&Hit, &super::HitWords))| {
        let cosine = hit.scores.dense.map(f64::from);
        let bm25 = hit.scores.bm25;
        let sentences = read.units.iter().map(|unit| reading.coverage(|term| unit.bag.holds(term)));
        Features {
            cosine,
            cosine_margin: cosine.zip(around).map(|(cosine, around)| cosine - around),
            bm25: bm25.map(|score| score.max(0.0).ln_1p()),
            bm25_share: bm25.filter(|_| best_bm25 > 0.0).map(|score| score / best_bm25),
            coverage: reading.coverage(|term| read.bag.holds(term)),
            sentence: sentences.fold(0.0, f64::max),
            rank: -(at as f64 + 1.0).ln(),
            rerank: hit.scores.rerank.map(f64::from),
        }
    };
    hits.iter().zip(&reading.hits).enumerate().map(one).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}
