//! The values that flags take.

use clap::ValueEnum;

/// Far beyond any weight of use, and far below where a sum of scores is no number any more.
const HEAVIEST: f64 = 1e6;

/// What is not a finite number, or so large that a score is none, would make every score null.
pub(crate) fn weight(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(weight) if (0.0..=HEAVIEST).contains(&weight) => Ok(weight),
        _ => Err(format!("a number from 0 to {HEAVIEST} is expected")),
    }
}

/// From nothing to the whole.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a number from 0 to 1 is expected".to_owned()),
    }
}

/// Which channels are asked.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ModeName {
    /// Vectors
    Dense,
    /// Words
    Bm25,
    /// Learned sparse vectors
    Sparse,
    /// Vectors and words
    Hybrid,
}

/// How lists become one.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum FusionName {
    /// Reciprocal rank fusion
    Rrf,
    /// Sum of z-scores
    Zscore,
    /// Weighted sum of scores scaled to 0…1
    Convex,
}
