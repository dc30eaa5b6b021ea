//! The embeddings of a chunk: one vector for every window of its text.

use std::ops::Range;

use techrag_core::record::{Vectors, Window};
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

    /// The embeddings of chunks' texts, in their order. What is wrong with one text is that text's own error.
    ///
    /// # Errors
    /// What is not the fault of a text: see [`Error::is_about_a_text`].
    pub fn vectors(&self, texts: &[&str]) -> Result<Vec<Result<Vectors, Error>>, Error> {
        match self.together(texts) {
            Ok(vectors) => Ok(vectors.into_iter().map(Ok).collect()),
            Err(error) if error.is_about_a_text() => texts.iter().map(|text| self.alone(text)).collect(),
            Err(error) => Err(error),
        }
    }

    fn alone(&self, text: &str) -> Result<Result<Vectors, Error>, Error> {
        match self.together(&[text]) {
            Ok(mut vectors) => Ok(Ok(vectors.remove(0))),
            Err(error) if error.is_about_a_text() => Ok(Err(error)),
            Err(error) => Err(error),
        }
    }

    /// All windows of all texts in one call, so that short ones can share runs.
    fn together(&self, texts: &[&str]) -> Result<Vec<Vectors>, Error> {
        let ranges = texts.iter().map(|text| self.ranges(text)).collect::<Result<Vec<_>, _>>()?;
        let pieces: Vec<&str> = texts
            .iter()
            .zip(&ranges)
            .flat_map(|(text, ranges)| ranges.iter().map(|range| self.seen(text, range)))
            .collect();
        let mut vectors = self.encoder.encode(Side::Passage, &pieces)?.into_iter();
        Ok(ranges.into_iter().map(|ranges| self.assemble(ranges.into_iter().zip(vectors.by_ref()))).collect())
    }

    fn ranges(&self, text: &str) -> Result<Vec<Range<usize>>, Error> {
        match self.windows {
            Windows::All => self.encoder.windows(text),
            Windows::First => Ok(vec![self.encoder.head(text)?]),
        }
    }

    /// What the model is given for a window. Of a beginning it gets the whole text and cuts it itself, possibly within a
    /// word, as the reference does.
    fn seen<'a>(&self, text: &'a str, range: &Range<usize>) -> &'a str {
        match self.windows {
            Windows::All => &text[range.clone()],
            Windows::First => text,
        }
    }

    fn assemble(&self, windows: impl Iterator<Item = (Range<usize>, Vec<f32>)>) -> Vectors {
        let window = |(range, values): (Range<usize>, Vec<f32>)| {
            let vector = Vector { values, form: self.form };
            Window { start: range.start, end: range.end, vector }
        };
        Vectors {
            model: self.encoder.id().to_owned(),
            revision: self.encoder.revision().to_owned(),
            dim: self.encoder.dim(),
            windows: windows.map(window).collect(),
            ..Vectors::default()
        }
    }
}
