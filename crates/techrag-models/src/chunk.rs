//! The embeddings of a chunk: one vector for every window of its text.

use techrag_core::record::{Chunk, Vectors, Window};
use techrag_core::vector::{Form, Vector};

use crate::encoder::{SentenceEncoder, Side};
use crate::error::Error;

/// Which windows of a text are embedded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Windows {
    /// All, so that nothing of a long text is lost.
    All,
    /// The beginning, as much as the model takes: what sentence-transformers does, and the paper.
    First,
}

/// Embeds chunks with one encoder.
pub struct ChunkEncoder {
    encoder: SentenceEncoder,
    windows: Windows,
    form: Form,
}

impl ChunkEncoder {
    /// Embeds these windows and writes vectors in this form.
    pub fn new(encoder: SentenceEncoder, windows: Windows, form: Form) -> Self {
        Self { encoder, windows, form }
    }

    /// Whether the chunk has vectors of these weights already.
    pub fn is_done(&self, chunk: &Chunk) -> bool {
        let same = |vectors: &Vectors| {
            (vectors.model.as_str(), vectors.revision.as_str()) == (self.encoder.id(), self.encoder.revision())
        };
        chunk.vectors.as_ref().is_some_and(same)
    }

    /// The chunk's embeddings.
    ///
    /// # Errors
    /// As [`SentenceEncoder::encode`].
    pub fn vectors(&self, text: &str) -> Result<Vectors, Error> {
        let (ranges, vectors) = match self.windows {
            Windows::All => {
                let ranges = self.encoder.windows(text)?;
                let texts: Vec<&str> = ranges.iter().map(|range| &text[range.clone()]).collect();
                let vectors = self.encoder.encode(Side::Passage, &texts)?;
                (ranges, vectors)
            }
            // The whole text goes in and the model cuts it, possibly within a word, as the reference does.
            Windows::First => (vec![self.encoder.head(text)?], self.encoder.encode(Side::Passage, &[text])?),
        };
        let window = |(range, values): (std::ops::Range<usize>, Vec<f32>)| Window {
            start: range.start,
            end: range.end,
            vector: Vector { values, form: self.form },
        };
        Ok(Vectors {
            model: self.encoder.id().to_owned(),
            revision: self.encoder.revision().to_owned(),
            dim: self.encoder.dim(),
            windows: ranges.into_iter().zip(vectors).map(window).collect(),
            ..Vectors::default()
        })
    }
}
