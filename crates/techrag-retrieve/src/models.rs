//! The models a search may need, each opened when the first query needs it.

use std::sync::{Arc, Mutex, PoisonError};

use techrag_index::Encoder;
use techrag_models::{CrossEncoder, Limits, Locator, Manifest, SentenceEncoder, Side};

use crate::error::{Error, Result};

/// Where models are found, and those that are open.
pub struct Models {
    locator: Locator,
    manifest: Manifest,
    limits: Limits,
    sentence: Mutex<Option<Arc<SentenceEncoder>>>,
    cross: Mutex<Option<Arc<CrossEncoder>>>,
}

impl Models {
    /// Models of a manifest, found by `locator`. Nothing is opened yet.
    pub fn new(locator: Locator, manifest: Manifest, limits: Limits) -> Self {
        Self { locator, manifest, limits, sentence: Mutex::default(), cross: Mutex::default() }
    }

    /// The query's vector, by the encoder that made the library's.
    ///
    /// # Errors
    /// If the model is missing, is of another weight revision, or fails.
    pub(crate) fn vector(&self, query: &str, library: &Encoder) -> Result<Vec<f32>> {
        let encoder = once(&self.sentence, || {
            Ok(SentenceEncoder::open(&self.locator, &self.manifest, &library.model, self.limits)?)
        })?;
        if encoder.revision() != library.revision {
            return Err(Error::Revision {
                model: library.model.clone(),
                library: library.revision.clone(),
                here: encoder.revision().to_owned(),
            });
        }
        Ok(encoder.encode(Side::Query, &[query])?.pop().unwrap_or_default())
    }

    /// Whether the files of a cross-encoder are there.
    pub(crate) fn has(&self, model: &str) -> bool {
        self.manifest.get(model).is_ok_and(|model| self.locator.has(model))
    }

    /// The logit of each passage.
    ///
    /// # Errors
    /// If the model is missing or fails.
    pub(crate) fn logits(&self, model: &str, query: &str, passages: &[&str]) -> Result<Vec<f32>> {
        let encoder = once(&self.cross, || Ok(CrossEncoder::open(&self.locator, &self.manifest, model, self.limits)?))?;
        Ok(encoder.score(query, passages)?)
    }
}

fn once<T>(slot: &Mutex<Option<Arc<T>>>, open: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    match &*slot {
        Some(model) => Ok(Arc::clone(model)),
        None => Ok(Arc::clone(slot.insert(Arc::new(open()?)))),
    }
}
