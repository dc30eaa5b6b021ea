//! Whether a chunk that the graph brought speaks to the question: by a cross-encoder's logit where its model is there,
//! else by the calibrated relevance of the same features that retrieval gives (see `techrag_core::calibration`).

use std::sync::{Arc, Mutex, PoisonError};

use techrag_core::calibration::{self, Model, Reading, features};
use techrag_core::record::Hit;
use techrag_core::token;
use techrag_index::{Bm25, Encoder, Place, Reader};
use techrag_models::{CrossEncoder, Limits, Locator, Manifest, SentenceEncoder, Side};

use super::stage::{Error, Result};

/// Which model reads the chunks that the graph brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rerank {
    /// None.
    Off,
    /// This one if its files are there.
    IfThere(String),
    /// This one; an error if its files are not there.
    By(String),
}

/// How chunks are judged.
#[derive(Clone, Debug)]
pub struct Judge {
    /// The cross-encoder.
    pub rerank: Rerank,
    /// Least logit of a chunk that becomes a hit.
    pub least_logit: f32,
    /// Least calibrated relevance of one, where no cross-encoder reads it.
    pub least_relevance: f64,
    /// Parameters of the lexical score, the same as retrieval's.
    pub bm25: Bm25,
}

/// The models that judging may need, each opened when it is first needed.
pub struct Models {
    locator: Locator,
    limits: Limits,
    sentence: Mutex<Option<Arc<SentenceEncoder>>>,
    cross: Mutex<Option<Arc<CrossEncoder>>>,
    calibration: Model,
}

impl Models {
    /// Models of the built-in manifest, found by `locator`.
    ///
    /// # Errors
    /// If the calibration that this build ships does not parse, which a test rules out.
    pub fn new(locator: Locator, limits: Limits) -> std::result::Result<Self, calibration::Error> {
        let calibration = Model::shipped()?;
        Ok(Self { locator, limits, sentence: Mutex::default(), cross: Mutex::default(), calibration })
    }

    /// The question's vector; `None` if the encoder of the library is not here, or of another revision.
    fn vector(&self, text: &str, library: &Encoder) -> Result<Option<Vec<f32>>> {
        if !Manifest::builtin().get(&library.model).is_ok_and(|model| self.locator.has(model)) {
            return Ok(None);
        }
        let encoder = once(&self.sentence, || {
            SentenceEncoder::open(&self.locator, Manifest::builtin(), &library.model, self.limits)
        })?;
        if encoder.revision() != library.revision {
            return Ok(None);
        }
        Ok(encoder.encode(Side::Query, &[text])?.pop())
    }

    /// The cross-encoder that is asked for, if it is to read.
    fn cross(&self, rerank: &Rerank) -> Result<Option<Arc<CrossEncoder>>> {
        let id = match rerank {
            Rerank::Off => return Ok(None),
            Rerank::IfThere(id) if !Manifest::builtin().get(id).is_ok_and(|model| self.locator.has(model)) => {
                return Ok(None);
            }
            Rerank::IfThere(id) | Rerank::By(id) => id,
        };
        let open = || CrossEncoder::open(&self.locator, Manifest::builtin(), id, self.limits);
        Ok(Some(once(&self.cross, open)?))
    }
}

fn once<T>(
    slot: &Mutex<Option<Arc<T>>>,
    open: impl FnOnce() -> std::result::Result<T, techrag_models::Error>,
) -> Result<Arc<T>> {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    match &*slot {
        Some(model) => Ok(Arc::clone(model)),
        None => Ok(Arc::clone(slot.insert(Arc::new(open().map_err(Error::from)?)))),
    }
}

/// What was judged, and by what.
pub(super) struct Judged {
    /// Value of each hit that was there, then of each chunk brought: logits or relevances.
    pub(super) values: Vec<f64>,
    /// Least value of a chunk that becomes a hit.
    pub(super) least: f64,
    /// `cross-encoder`, `relevance` or `relevance without vectors`.
    pub(super) by: &'static str,
}

/// Judges the chunks brought, `places` telling where they stand, beside the hits that are there. Writes their scores.
pub(super) fn judge(
    models: &Models,
    how: &Judge,
    reader: &Reader,
    (question, text): (&str, &str),
    hits: &[Hit],
    brought: &mut [Hit],
    places: &[Place],
) -> Result<Judged> {
    if hits.iter().all(|hit| hit.scores.rerank.is_some())
        && let Some(cross) = models.cross(&how.rerank)?
    {
        let passages: Vec<&str> = brought.iter().map(|hit| hit.text.as_str()).collect();
        let logits = cross.score(question, &passages)?;
        for (hit, logit) in brought.iter_mut().zip(logits) {
            hit.scores.rerank = Some(logit);
        }
        let values = hits.iter().chain(brought.iter()).map(|hit| f64::from(hit.scores.rerank.unwrap_or(f32::MIN)));
        return Ok(Judged { values: values.collect(), least: how.least_logit.into(), by: "cross-encoder" });
    }
    let dense = hits.iter().any(|hit| hit.scores.dense.is_some());
    let vector = match reader.encoder() {
        Some(encoder) if dense => models.vector(text, encoder)?,
        _ => None,
    };
    if let Some(vector) = &vector {
        for (hit, dense) in brought.iter_mut().zip(reader.dense_of(vector, places)?) {
            hit.scores.dense = dense;
        }
    }
    let terms = token::tokens(text, token::Config::INDEX);
    for (hit, bm25) in brought.iter_mut().zip(reader.lexical_of(&terms, how.bm25, places)) {
        hit.scores.bm25 = Some(bm25.unwrap_or(0.0));
    }
    let all: Vec<Hit> = hits.iter().chain(brought.iter()).cloned().collect();
    let reading = Reading::deep(question, &all, all.len());
    let found = features(&reading, &all);
    let values: Vec<f64> =
        found.iter().map(|features| (models.calibration.relevance(features) * 1e4).round() / 1e4).collect();
    for ((hit, features), value) in brought.iter_mut().zip(&found[hits.len()..]).zip(&values[hits.len()..]) {
        hit.scores.features = features.wire();
        hit.scores.relevance = Some(*value);
    }
    let by = if vector.is_some() || !dense { "relevance" } else { "relevance without vectors" };
    Ok(Judged { values, least: how.least_relevance, by })
}
