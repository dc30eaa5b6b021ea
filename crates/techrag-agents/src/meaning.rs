//! How near texts are to a question by meaning: cosines of a sentence encoder that is opened when first needed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use techrag_models::{Error, Limits, Locator, Manifest, SentenceEncoder, Side};

/// A sentence encoder, open or not yet.
pub struct Meaning {
    locator: Locator,
    id: String,
    limits: Limits,
    encoder: Mutex<Option<Arc<SentenceEncoder>>>,
    /// Vectors of texts met before: a run of questions meets the same sentences, and a question the same words, again.
    known: Mutex<HashMap<String, Arc<[f32]>>>,
}

/// Most vectors that are kept, some 8 MB; then all are let go.
const KEPT: usize = 4096;

impl Meaning {
    /// The encoder `id` of the built-in manifest if its files are there; it is opened by the first question.
    pub fn if_present(locator: Locator, id: &str, limits: Limits) -> Option<Self> {
        let present = Manifest::builtin().get(id).is_ok_and(|model| locator.has(model));
        present.then(|| Self { locator, id: id.to_owned(), limits, encoder: Mutex::default(), known: Mutex::default() })
    }

    /// The encoder `id`, opened at once: it was asked for by name.
    ///
    /// # Errors
    /// If it is unknown, missing or damaged.
    pub fn open(locator: Locator, id: &str, limits: Limits) -> Result<Self, Error> {
        let encoder = SentenceEncoder::open(&locator, Manifest::builtin(), id, limits)?;
        Ok(Self {
            locator,
            id: id.to_owned(),
            limits,
            encoder: Mutex::new(Some(Arc::new(encoder))),
            known: Mutex::default(),
        })
    }

    /// Cosine of the question with each text, −1 to 1. Texts longer than the encoder reads are cut.
    ///
    /// # Errors
    /// What the model says, in words.
    pub fn cosines(&self, question: &str, texts: &[&str]) -> Result<Vec<f32>, String> {
        let encoder = self.encoder().map_err(|error| error.to_string())?;
        let asked = encoder.encode(Side::Query, &[question]).map_err(|error| error.to_string())?;
        let vectors = self.vectors(&encoder, texts).map_err(|error| error.to_string())?;
        let asked = asked.first().map_or(&[][..], Vec::as_slice);
        // Vectors are of length 1, so the inner product is the cosine.
        Ok(vectors.iter().map(|vector| vector.iter().zip(asked).map(|(a, b)| a * b).sum()).collect())
    }

    /// The vectors of texts, in their order; encoded are those that are not known yet, each once.
    fn vectors(&self, encoder: &SentenceEncoder, texts: &[&str]) -> Result<Vec<Arc<[f32]>>, Error> {
        let known = |text: &&str| self.known.lock().unwrap_or_else(PoisonError::into_inner).get(*text).cloned();
        let mut found: HashMap<&str, Arc<[f32]>> =
            texts.iter().filter_map(|text| known(text).map(|vector| (*text, vector))).collect();
        let mut new: Vec<&str> = texts.iter().filter(|text| !found.contains_key(**text)).copied().collect();
        new.sort_unstable();
        new.dedup();
        let encoded = encoder.encode(Side::Passage, &new)?;
        found.extend(new.iter().copied().zip(encoded.into_iter().map(Arc::from)));
        let mut kept = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() + new.len() > KEPT {
            kept.clear();
        }
        kept.extend(new.iter().filter_map(|text| Some(((*text).to_owned(), found.get(text)?.clone()))));
        Ok(texts.iter().filter_map(|text| found.get(text).cloned()).collect())
    }

    fn encoder(&self) -> Result<Arc<SentenceEncoder>, Error> {
        let mut slot = self.encoder.lock().unwrap_or_else(PoisonError::into_inner);
        match &*slot {
            Some(encoder) => Ok(Arc::clone(encoder)),
            None => {
                let encoder = SentenceEncoder::open(&self.locator, Manifest::builtin(), &self.id, self.limits)?;
                Ok(Arc::clone(slot.insert(Arc::new(encoder))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_and_what_shares_a_run_changes_no_cosine() {
        let open = |batch| {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.models");
            Meaning::if_present(Locator::new(vec![folder]), "all-MiniLM-L6-v2", Limits { sessions: 1, batch })
        };
        let (Some(meaning), Some(alone)) = (open(16), open(1)) else {
            eprintln!("skipped: all-MiniLM-L6-v2 is not in .models (run make models)");
            return;
        };
        let texts = ["The grip on snow is low.", "grip", "A drum of steel.", "snow", "The grip on snow is low."];
        let asked = "How much grip is there on snow?";
        let expected: Vec<f32> =
            texts.iter().map(|text| alone.cosines(asked, &[text]).expect("an encoder").remove(0)).collect();
        for _ in 0..2 {
            assert_eq!(meaning.cosines(asked, &texts).expect("an encoder"), expected);
        }
        assert_eq!(meaning.known.lock().expect("a lock").len(), 4, "each text once");
        assert!(meaning.cosines(asked, &[]).expect("an encoder").is_empty());
    }
}
