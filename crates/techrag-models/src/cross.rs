//! Cross-encoders: a query and a passage, read together, to a logit (Nogueira and Cho 2019).

use std::sync::Mutex;

use tokenizers::Encoding;

use crate::encoder::{Limits, batch, equal_lengths, in_parallel};
use crate::error::Error;
use crate::locate::Locator;
use crate::manifest::{GRAPH, Manifest, TOKENIZER};
use crate::pieces::Pieces;
use crate::runtime;
use crate::session::Sessions;

/// Scores passages against a query. Shared by threads freely.
pub struct CrossEncoder {
    revision: String,
    max_tokens: usize,
    batch: usize,
    pieces: Pieces,
    sessions: Sessions,
}

impl CrossEncoder {
    /// Opens a cross-encoder of the manifest.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::WrongKind`], [`Error::Missing`] (of the model or of the runtime), and whatever is
    /// wrong with the files.
    pub fn open(locator: &Locator, manifest: &Manifest, id: &str, limits: Limits) -> Result<Self, Error> {
        let model = manifest.get(id)?;
        let spec = model.cross_encoder()?;
        let folder = locator.folder(model)?;
        let pieces = Pieces::open(id, &folder.join(TOKENIZER))?;
        if spec.max_tokens < pieces.around_two() + 2 {
            return Err(Error::Manifest(format!("{id}: max_tokens leaves no room for a query and a passage")));
        }
        let environment = runtime::environment(locator, manifest)?;
        let sessions = Sessions::open(environment, id, folder.join(GRAPH), &spec.outputs, limits.sessions)?;
        let (revision, max_tokens) = (model.revision.clone(), spec.max_tokens);
        Ok(Self { revision, max_tokens, batch: limits.batch.max(1), pieces, sessions })
    }

    /// Manifest id.
    pub fn id(&self) -> &str {
        self.sessions.id()
    }

    /// Weight revision.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// The logit of each passage, in the order of the passages: higher is more relevant, 0 is the model's even odds.
    /// A pair longer than the model takes loses the end of its passage (see [`shares`]).
    ///
    /// # Errors
    /// [`Error::BadResult`] naming the passage if a logit is not finite, [`Error::Shape`] if the model has not exactly
    /// one logit a pair; otherwise what the tokeniser or the runtime says.
    pub fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, Error> {
        let query = self.pieces.of(query)?;
        let pairs = passages.iter().map(|passage| self.pair(&query, passage)).collect::<Result<Vec<_>, _>>()?;
        let logits = Mutex::new(vec![0.0; passages.len()]);
        in_parallel(self.sessions.most(), &equal_lengths(&pairs, self.batch), |group| {
            let rows = self.run(&pairs, group)?;
            let mut logits = logits.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            group.iter().zip(rows).for_each(|(&passage, logit)| logits[passage] = logit);
            Ok(())
        })?;
        Ok(logits.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Number of tokens the model sees of a pair, at most its `max_tokens`.
    ///
    /// # Errors
    /// What the tokeniser says.
    pub fn tokens_seen(&self, query: &str, passage: &str) -> Result<usize, Error> {
        Ok(self.pair(&self.pieces.of(query)?, passage)?.len())
    }

    fn pair(&self, query: &Encoding, passage: &str) -> Result<Encoding, Error> {
        let passage = self.pieces.of(passage)?;
        let room = self.max_tokens - self.pieces.around_two();
        let (of_query, of_passage) = shares(query.len(), passage.len(), room);
        self.pieces.pair((query.clone(), of_query), (passage, of_passage))
    }

    fn run(&self, pairs: &[Encoding], group: &[usize]) -> Result<Vec<f32>, Error> {
        let batch = batch(group.iter().map(|&pair| &pairs[pair]));
        let output = self.sessions.run(&batch)?;
        if output.shape.len() != 2 || output.values.len() != batch.rows {
            return Err(self.sessions.misshapen(&output.shape, &[batch.rows, 1]));
        }
        let bad = output.values.iter().position(|logit| !logit.is_finite());
        match bad {
            Some(at) => Err(Error::BadResult { id: self.id().to_owned(), text: group[at], problem: "not finite" }),
            None => Ok(output.values),
        }
    }
}

/// How many pieces of a query and of a passage to keep when `room` are allowed together.
///
/// The passage gives way. Only where the query alone takes more than half of the room is it cut too, to what the
/// passage leaves of it, so that never more than `room` are kept and neither side is left empty (for `room` ≥ 2).
fn shares(query: usize, passage: usize, room: usize) -> (usize, usize) {
    let of_passage = passage.min(room.saturating_sub(query).max(room / 2));
    (query.min(room - of_passage), of_passage)
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn the_passage_gives_way_first() {
        assert_eq!(shares(10, 20, 100), (10, 20));
        assert_eq!(shares(10, 200, 100), (10, 90));
        assert_eq!(shares(60, 200, 100), (50, 50));
        assert_eq!(shares(200, 30, 100), (70, 30));
        assert_eq!(shares(200, 0, 100), (100, 0));
        assert_eq!(shares(2000, 2000, 125), (63, 62));
    }

    #[test]
    fn never_more_than_the_room() {
        for query in 0..40 {
            for passage in 0..40 {
                for room in 2..30 {
                    let (a, b) = shares(query, passage, room);
                    assert!(a + b <= room && a <= query && b <= passage, "{query} {passage} {room}");
                    assert!(a + b == room || (a, b) == (query, passage), "room is wasted: {query} {passage} {room}");
                }
            }
        }
    }
}
