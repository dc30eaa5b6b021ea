//! The embedded page encoder: the page's words, each piece a token vector of a sentence encoder, matched late.
//!
//! It reads a page and does not see it: nothing of a plot or a photograph takes part beside its words. Its worth is
//! that it needs no further download, finds pages about as well as BM25 and adds to it (docs/VISUAL.md), and that every
//! vector knows its word, so that a hit can be shown.

use std::ops::Range;

use tokenizers::Encoding;

use crate::encoder::batch;
use crate::error::Error;
use crate::manifest::SentenceSpec;
use crate::page::projection::Projection;
use crate::page::{Place, Rows};
use crate::pieces::{Pieces, words};
use crate::session::Sessions;
use crate::window::{even, whole_characters};

/// Token vectors of a sentence encoder.
pub(crate) struct Words {
    spec: SentenceSpec,
    pieces: Pieces,
    sessions: Sessions,
    projection: Projection,
}

impl Words {
    pub(crate) fn new(spec: SentenceSpec, pieces: Pieces, sessions: Sessions, projection: Projection) -> Self {
        Self { spec, pieces, sessions, projection }
    }

    pub(crate) fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// A vector for each piece of each word, in their order.
    ///
    /// # Errors
    /// What the tokeniser or the runtime says.
    pub(crate) fn page(&self, words: &[&str]) -> Result<Rows, Error> {
        let (text, starts) = joined(words);
        let mut rows = Rows::default();
        for window in self.windows(&text)? {
            let encoding = self.pieces.single(&text[window.clone()], self.room())?;
            let values = self.tokens(&encoding)?;
            for (at, vector) in kept(&encoding).zip(values) {
                let byte = window.start + encoding.get_offsets()[at].0;
                rows.values.extend(vector);
                rows.places.push(Place::Word(starts.partition_point(|&start| start <= byte).saturating_sub(1)));
            }
        }
        Ok(rows)
    }

    /// A vector for each piece of a query, as far as the network's length goes; none of an empty one.
    ///
    /// # Errors
    /// What the tokeniser or the runtime says.
    pub(crate) fn query(&self, query: &str) -> Result<Vec<f32>, Error> {
        let encoding = self.pieces.single(query, self.room())?;
        Ok(self.tokens(&encoding)?.into_iter().flatten().collect())
    }

    fn room(&self) -> usize {
        self.spec.max_tokens.saturating_sub(self.pieces.around_one()).max(1)
    }

    fn windows(&self, text: &str) -> Result<Vec<Range<usize>>, Error> {
        let windows = even(&words(&self.pieces.of(text)?, self.room()), self.room());
        Ok(windows.into_iter().map(|bytes| whole_characters(text, bytes)).collect())
    }

    /// Vectors of the pieces of one run, the special tokens around them left out.
    fn tokens(&self, encoding: &Encoding) -> Result<Vec<Vec<f32>>, Error> {
        let output = self.sessions.run(&batch(std::iter::once(encoding)))?;
        let dim = self.spec.dim;
        if output.values.len() != encoding.len() * dim {
            return Err(self.sessions.misshapen(&output.shape, &[1, encoding.len(), dim]));
        }
        Ok(kept(encoding).map(|at| self.projection.of(&output.values[at * dim..(at + 1) * dim])).collect())
    }
}

/// Indexes of the pieces that are not special tokens.
fn kept(encoding: &Encoding) -> impl Iterator<Item = usize> {
    encoding.get_special_tokens_mask().iter().enumerate().filter(|&(_, &special)| special == 0).map(|(at, _)| at)
}

/// The words with a space between, and the byte where each begins.
fn joined(words: &[&str]) -> (String, Vec<usize>) {
    let mut text = String::new();
    let mut starts = Vec::with_capacity(words.len());
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        starts.push(text.len());
        text.push_str(word);
    }
    (text, starts)
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn every_word_knows_where_it_begins() {
        let (text, starts) = joined(&["Tyre", "", "slip", "angle"]);
        assert_eq!(text, "Tyre  slip angle");
        assert_eq!(starts, [0, 5, 6, 11]);
    }
}
