//! What the text of a page says of it beside its vectors: BM25 of its chunks, and the sum of both.
//!
//! On captions and citing sentences of given papers (docs/VISUAL.md, "Does it find the page?") the sum of z-scores is
//! ahead of MaxSim alone and of reciprocal rank fusion.

use std::collections::HashMap;

use techrag_core::token;
use techrag_index::{Bm25, Reader};

use crate::error::Result;

/// A page: document and number.
pub(crate) type PageOf = (u64, u32);

/// BM25 of the best chunk on each page, of the `depth` best chunks of the library.
///
/// # Errors
/// If the library cannot be read.
pub(crate) fn of_pages(reader: &Reader, text: &str, bm25: Bm25, depth: usize) -> Result<HashMap<PageOf, f64>> {
    let terms = token::tokens(text, token::Config::INDEX);
    let found = reader.lexical(&terms, bm25, depth, &reader.everything());
    let places: Vec<_> = found.iter().map(|ranked| ranked.item).collect();
    let mut best: HashMap<PageOf, f64> = HashMap::new();
    for (ranked, stored) in found.iter().zip(reader.stored(&places)?) {
        let Some([first, last]) = stored.chunk.pages else { continue };
        for page in first..=last {
            let score = best.entry((ranked.uid.0, page)).or_default();
            *score = score.max(ranked.score);
        }
    }
    Ok(best)
}

/// Sums of z-scores (over these pages, population deviation), in the order of the pages. A page none of whose chunks
/// was found has BM25 score 0.
pub(crate) fn sums(maxsim: &[f64], bm25: &[f64]) -> Vec<f64> {
    standardised(maxsim).into_iter().zip(standardised(bm25)).map(|(a, b)| a + b).collect()
}

fn standardised(scores: &[f64]) -> Vec<f64> {
    let count = scores.len().max(1) as f64;
    let mean = scores.iter().sum::<f64>() / count;
    let deviation = (scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count).sqrt();
    scores.iter().map(|score| if deviation > 0.0 { (score - mean) / deviation } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_channels_count_alike_whatever_their_scale() {
        let sums = sums(&[10.0, 20.0, 30.0], &[0.3, 0.2, 0.1]);
        assert!(sums.iter().all(|sum| sum.abs() < 1e-9), "{sums:?}");
        assert_eq!(super::sums(&[1.0, 1.0], &[0.0, 2.0]), [-1.0, 1.0]);
        assert_eq!(super::sums(&[], &[]), [0.0; 0]);
    }
}
