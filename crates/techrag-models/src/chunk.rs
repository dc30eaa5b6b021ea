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

/// A text to embed and what it stands under.
#[derive(Clone, Copy, Debug)]
pub struct Passage<'a> {
    /// Put before every window: a title, a heading. Cut where it is long; may be empty.
    pub context: &'a str,
    /// The text; windows are ranges of it.
    pub text: &'a str,
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

    /// The embeddings of chunks, in their order. What is wrong with one text is that text's own error.
    ///
    /// # Errors
    /// What is not the fault of a text: see [`Error::is_about_a_text`].
    pub fn vectors(&self, passages: &[Passage<'_>]) -> Result<Vec<Result<Vectors, Error>>, Error> {
        match self.together(passages) {
            Ok(vectors) => Ok(vectors.into_iter().map(Ok).collect()),
            Err(error) if error.is_about_a_text() => passages.iter().map(|passage| self.alone(*passage)).collect(),
            Err(error) => Err(error),
        }
    }

    fn alone(&self, passage: Passage<'_>) -> Result<Result<Vectors, Error>, Error> {
        match self.together(&[passage]) {
            Ok(mut vectors) => Ok(Ok(vectors.remove(0))),
            Err(error) if error.is_about_a_text() => Ok(Err(error)),
            Err(error) => Err(error),
        }
    }

    /// All windows of all texts in one call, so that short ones can share runs.
    fn together(&self, passages: &[Passage<'_>]) -> Result<Vec<Vectors>, Error> {
        let mut ranges = Vec::with_capacity(passages.len());
        let mut seen = Vec::new();
        for passage in passages {
            let passage = Passage { context: self.encoder.context(passage.context)?, ..*passage };
            let own = self.ranges(passage)?;
            seen.extend(own.iter().map(|range| self.seen(passage, range)));
            ranges.push(own);
        }
        let seen: Vec<&str> = seen.iter().map(String::as_str).collect();
        let mut vectors = self.encoder.encode(Side::Passage, &seen)?.into_iter();
        Ok(ranges.into_iter().map(|ranges| self.assemble(ranges.into_iter().zip(vectors.by_ref()))).collect())
    }

    fn ranges(&self, passage: Passage<'_>) -> Result<Vec<Range<usize>>, Error> {
        match self.windows {
            Windows::All => self.encoder.windows(passage.context, passage.text),
            Windows::First => Ok(vec![self.encoder.head(passage.context, passage.text)?]),
        }
    }

    /// What the model is given for a window. Of a beginning it gets the whole text and cuts it itself, possibly within a
    /// word, as the reference does.
    fn seen(&self, passage: Passage<'_>, range: &Range<usize>) -> String {
        let text = match self.windows {
            Windows::All => &passage.text[range.clone()],
            Windows::First => passage.text,
        };
        SentenceEncoder::joined(passage.context, text)
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
