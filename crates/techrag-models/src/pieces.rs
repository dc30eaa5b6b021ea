//! Texts to word pieces, with the traps of tokeniser files disarmed.
//!
//! A `tokenizer.json` may carry truncation (128 for all-MiniLM-L6-v2, where the model takes 256) and padding to a fixed
//! length; both silently change embeddings, so both are switched off. Truncation of pairs in the `tokenizers` crate has
//! exceeded its own limit (huggingface/tokenizers#174) and panics for some strides (#1326), so that texts are cut here:
//! never by stride, never through overflow windows (#2091).

use std::ops::Range;
use std::path::Path;

use tokenizers::{Encoding, PostProcessor, Tokenizer, TruncationDirection};

use crate::error::Error;

/// A tokeniser without truncation or padding.
pub(crate) struct Pieces {
    id: String,
    tokenizer: Tokenizer,
    /// Special tokens around one text, and around a pair; `None` where none are put.
    specials: Option<[usize; 2]>,
}

impl Pieces {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// [`Error::File`] if it is none, or adds no special tokens (a file without its post-processor).
    pub(crate) fn open(id: &str, path: &Path) -> Result<Self, Error> {
        let tokenizer = read(id, path)?;
        let processor = tokenizer.get_post_processor();
        let processor = processor.ok_or_else(|| Error::file(id, path, "it has no post-processor"))?;
        let specials = Some([processor.added_tokens(false), processor.added_tokens(true)]);
        Ok(Self { id: id.to_owned(), tokenizer, specials })
    }

    /// Reads a `tokenizer.json` whose special tokens are not wanted: those of a table of word vectors would take part
    /// in its mean.
    ///
    /// # Errors
    /// [`Error::File`] if it is none.
    pub(crate) fn bare(id: &str, path: &Path) -> Result<Self, Error> {
        Ok(Self { id: id.to_owned(), tokenizer: read(id, path)?, specials: None })
    }

    /// The id of a token, if the vocabulary has it.
    pub(crate) fn token(&self, token: &str) -> Option<u32> {
        self.tokenizer.token_to_id(token)
    }

    /// How a token of the vocabulary is spelt; `None` beyond its end.
    pub(crate) fn spelling(&self, token: u32) -> Option<String> {
        self.tokenizer.id_to_token(token)
    }

    /// Number of tokens there are.
    pub(crate) fn vocabulary(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }

    /// Number of special tokens around one text.
    pub(crate) fn around_one(&self) -> usize {
        self.specials.map_or(0, |[one, _]| one)
    }

    /// Number of special tokens around and between two texts.
    pub(crate) fn around_two(&self) -> usize {
        self.specials.map_or(0, |[_, two]| two)
    }

    /// The text's pieces, all of them, without special tokens; offsets are bytes of the text.
    pub(crate) fn of(&self, text: &str) -> Result<Encoding, Error> {
        self.tokenizer.encode(text, false).map_err(|error| self.failed(&error))
    }

    /// The first `most` pieces between special tokens.
    pub(crate) fn single(&self, text: &str, most: usize) -> Result<Encoding, Error> {
        let pieces = cut(self.of(text)?, most);
        if self.specials.is_none() {
            return Ok(pieces);
        }
        self.tokenizer.post_process(pieces, None, true).map_err(|error| self.failed(&error))
    }

    /// Two texts, each cut to its number of pieces, with special tokens.
    pub(crate) fn pair(&self, first: (Encoding, usize), second: (Encoding, usize)) -> Result<Encoding, Error> {
        let (first, second) = (cut(first.0, first.1), cut(second.0, second.1));
        self.tokenizer.post_process(first, Some(second), true).map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &tokenizers::Error) -> Error {
        Error::Tokenise { id: self.id.clone(), message: error.to_string() }
    }
}

/// A tokeniser that neither truncates nor pads.
fn read(id: &str, path: &Path) -> Result<Tokenizer, Error> {
    let mut tokenizer = Tokenizer::from_file(path).map_err(|error| Error::file(id, path, error))?;
    tokenizer.with_truncation(None).map_err(|error| Error::file(id, path, error))?;
    tokenizer.with_padding(None);
    Ok(tokenizer)
}

fn cut(mut pieces: Encoding, most: usize) -> Encoding {
    if pieces.len() > most {
        pieces.truncate(most, 0, TruncationDirection::Right);
        // What was cut off is kept as overflow, which the post-processor would work through too.
        pieces.take_overflowing();
    }
    pieces
}

/// The words of an encoding: how many pieces each has, and its bytes.
///
/// A word is what the tokeniser cuts before it looks for pieces, so a text cut between two words has the same pieces in
/// its parts as in the whole. A word of more than `most` pieces (a tokeniser that does not cut at spaces) is given in
/// parts.
pub(crate) fn words(pieces: &Encoding, most: usize) -> Vec<(usize, Range<usize>)> {
    let mut words: Vec<(usize, Range<usize>)> = Vec::new();
    let mut last = None;
    for (word, &(start, end)) in pieces.get_word_ids().iter().zip(pieces.get_offsets()) {
        match words.last_mut() {
            Some((count, bytes)) if word.is_some() && *word == last && *count < most => {
                *count += 1;
                bytes.end = bytes.end.max(end);
            }
            _ => words.push((1, start..end)),
        }
        last = *word;
    }
    words
}
