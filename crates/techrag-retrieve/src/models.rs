//! The models a search may need, each opened when the first query needs it.

use std::sync::{Arc, Mutex, PoisonError};

use techrag_index::{Encoder, SparseModel};
use techrag_models::{CrossEncoder, Limits, Locator, Manifest, SentenceEncoder, Side, SparseEncoder, Terms};
use techrag_net::transport::{Client, Secret};
use url::Url;

use crate::error::{Error, Result};
use crate::late;
use crate::remote::Remote;

/// Where models are found, and those that are open.
pub struct Models {
    locator: Locator,
    manifest: Manifest,
    limits: Limits,
    sentence: Mutex<Option<Arc<SentenceEncoder>>>,
    cross: Mutex<Option<Arc<CrossEncoder>>>,
    sparse: Mutex<Option<Arc<SparseEncoder>>>,
    remote: Option<(Client, Url, Option<Secret>)>,
}

impl Models {
    /// Models of a manifest, found by `locator`. Nothing is opened yet.
    pub fn new(locator: Locator, manifest: Manifest, limits: Limits) -> Self {
        let (sentence, cross, sparse) = Default::default();
        Self { locator, manifest, limits, sentence, cross, sparse, remote: None }
    }

    /// With an embedding server, for libraries whose vectors one has made.
    #[must_use]
    pub fn with_endpoint(self, client: Client, base: Url, key: Option<Secret>) -> Self {
        Self { remote: Some((client, base, key)), ..self }
    }

    /// The query's vector, by the encoder that made the library's.
    ///
    /// # Errors
    /// If the model is missing, is of another weight revision, or fails.
    pub(crate) fn vector(&self, query: &str, library: &Encoder) -> Result<Vec<f32>> {
        if library.revision == Remote::REVISION {
            let named = self.remote.as_ref().ok_or_else(|| Error::NoEndpoint { model: library.model.clone() })?;
            let (client, base, key) = named;
            let remote = Remote::new(client.clone(), base, &library.model, key.clone())?;
            return Ok(remote.encode(&[query])?.pop().unwrap_or_default());
        }
        Ok(self.sentence(library)?.encode(Side::Query, &[query])?.pop().unwrap_or_default())
    }

    /// How near each passage is to the query, word by word; `None` where the encoder has no token vectors, as a table
    /// and a server have none.
    ///
    /// # Errors
    /// As [`Models::vector`].
    pub(crate) fn late(&self, query: &str, passages: &[&str], library: &Encoder) -> Result<Option<Vec<f64>>> {
        if library.revision == Remote::REVISION {
            return Ok(None);
        }
        let encoder = self.sentence(library)?;
        let question = match encoder.encode_tokens(Side::Query, &[query]) {
            Err(techrag_models::Error::WrongKind { .. }) => return Ok(None),
            question => question?.pop().unwrap_or_default(),
        };
        let passages = encoder.encode_tokens(Side::Passage, passages)?;
        Ok(Some(passages.iter().map(|passage| late::max_sim(&question, passage)).collect()))
    }

    /// The query's learned sparse vector, by the encoder that made the library's.
    ///
    /// # Errors
    /// As [`Models::vector`].
    pub(crate) fn terms(&self, query: &str, library: &SparseModel) -> Result<Terms> {
        let encoder = once(&self.sparse, || {
            Ok(SparseEncoder::open(&self.locator, &self.manifest, &library.model, self.limits)?)
        })?;
        same_weights(&library.model, &library.revision, encoder.revision())?;
        Ok(encoder.encode(&[query])?.pop().unwrap_or_default())
    }

    /// The encoder that made the library's vectors.
    fn sentence(&self, library: &Encoder) -> Result<Arc<SentenceEncoder>> {
        if self.manifest.get(&library.model).is_err() {
            return Err(Error::NoEncoder { model: library.model.clone() });
        }
        let encoder = once(&self.sentence, || {
            Ok(SentenceEncoder::open(&self.locator, &self.manifest, &library.model, self.limits)?)
        })?;
        same_weights(&library.model, &library.revision, encoder.revision())?;
        Ok(encoder)
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

fn same_weights(model: &str, library: &str, here: &str) -> Result<()> {
    if library == here {
        return Ok(());
    }
    Err(Error::Revision { model: model.to_owned(), library: library.to_owned(), here: here.to_owned() })
}

fn once<T>(slot: &Mutex<Option<Arc<T>>>, open: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    match &*slot {
        Some(model) => Ok(Arc::clone(model)),
        None => Ok(Arc::clone(slot.insert(Arc::new(open()?)))),
    }
}
