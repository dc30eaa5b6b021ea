//! How likely a hit is relevant: a probability that means the same for every question and collection.
//!
//! A cross-encoder's logit is one by its training; where no cross-encoder ran, a logistic model over [`Features`] takes
//! its place. It is fitted by `pipelines/fit-relevance.py` on judged collections, and its weights are a versioned file.
//! This module is a pure function of features and that file; figures of the fit stand in `docs/EVIDENCE.md`.

mod features;
mod reading;

use serde::Deserialize;
use thiserror::Error;

use crate::record::Hit;
pub use features::{Features, features};
pub use reading::{DEPTH, HitWords, Reading, UnitWords};

/// The fit that this build ships.
const SHIPPED: &str = include_str!("relevance.json");

/// Why a weights file cannot be used.
#[derive(Debug, Error)]
pub enum Error {
    /// It is not the JSON that is expected.
    #[error("the weights of the relevance are malformed: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It weighs something that is not a feature, leaves one out, or scales by nothing.
    #[error("the weights of the relevance do not fit this build: {0}")]
    Features(String),
}

/// The weights of a fit.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Name and version, as records quote it.
    pub version: String,
    /// On what and how it was fitted, for people.
    pub fitted: serde_json::Map<String, serde_json::Value>,
    /// Log odds of a hit with every feature at its mean.
    pub intercept: f64,
    /// One entry a feature.
    pub features: Vec<Weight>,
    /// Log odds from a cross-encoder's logit.
    pub cross_encoder: CrossEncoder,
}

/// The weight of a feature, on its standardised value.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weight {
    /// The feature.
    pub name: String,
    /// Its mean in the fit; what a hit without it is taken to have.
    pub mean: f64,
    /// Its standard deviation in the fit.
    pub scale: f64,
    /// Log odds a standard deviation.
    pub weight: f64,
}

/// Log odds = slope · logit + intercept.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrossEncoder {
    /// 1 for a model trained by cross-entropy on relevance, as the MS MARCO ones are.
    pub slope: f64,
    /// 0 likewise.
    pub intercept: f64,
}

impl Model {
    /// The fit that this build ships.
    ///
    /// # Errors
    /// If the file in the source does not parse, which a test rules out.
    pub fn shipped() -> Result<Self, Error> {
        Self::parse(SHIPPED)
    }

    /// Reads a weights file.
    ///
    /// # Errors
    /// If it is malformed, or its features are not those of [`Features::named`].
    pub fn parse(json: &str) -> Result<Self, Error> {
        let model: Self = serde_json::from_str(json)?;
        let known: Vec<&str> = Features::default().named().iter().map(|(name, _)| *name).collect();
        let weighed: Vec<&str> = model.features.iter().map(|weight| weight.name.as_str()).collect();
        if known != weighed {
            return Err(Error::Features(format!("it weighs {weighed:?}, this build has {known:?}")));
        }
        match model.features.iter().find(|weight| weight.scale <= 0.0) {
            Some(weight) => Err(Error::Features(format!("{} has the scale {}", weight.name, weight.scale))),
            None => Ok(model),
        }
    }

    /// Probability that a hit with these features is relevant, 0 to 1.
    pub fn relevance(&self, features: &Features) -> f64 {
        let log_odds = match features.rerank {
            Some(logit) => self.cross_encoder.slope * logit + self.cross_encoder.intercept,
            None => {
                let values = features.named().into_iter().zip(&self.features);
                let term = |((_, value), weight): ((_, Option<f64>), &Weight)| {
                    value.map_or(0.0, |value| weight.weight * (value - weight.mean) / weight.scale)
                };
                self.intercept + values.map(term).sum::<f64>()
            }
        };
        1.0 / (1.0 + (-log_odds).exp())
    }

    /// Writes `features` and `relevance` into the scores of the first [`DEPTH`] hits.
    pub fn annotate(&self, reading: &Reading, hits: &mut [Hit]) {
        let features = features(reading, hits);
        for (hit, features) in hits.iter_mut().zip(features) {
            let scores = &mut hit.scores;
            scores.relevance = Some((self.relevance(&features) * 1e4).round() / 1e4);
            scores.features = features.wire();
        }
    }
}

#[cfg(test)]
#[path = "../calibration_tests.rs"]
mod tests;
