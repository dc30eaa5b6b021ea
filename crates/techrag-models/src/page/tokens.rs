//! A page network's own tokeniser: prompts with special tokens written out, queries cut to a length.

use std::path::Path;

use tokenizers::{Tokenizer, TruncationDirection};

use crate::error::Error;

/// A tokeniser without truncation or padding, with or without a post-processor.
pub(crate) struct Tokens {
    id: String,
    tokenizer: Tokenizer,
}

impl Tokens {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// [`Error::File`] if it is none.
    pub(crate) fn open(id: &str, path: &Path) -> Result<Self, Error> {
        let mut tokenizer = Tokenizer::from_file(path).map_err(|error| Error::file(id, path, error))?;
        tokenizer.with_truncation(None).map_err(|error| Error::file(id, path, error))?;
        tokenizer.with_padding(None);
        Ok(Self { id: id.to_owned(), tokenizer })
    }

    /// The id of a token, by its text.
    pub(crate) fn named(&self, token: &str) -> Option<i64> {
        self.tokenizer.token_to_id(token).map(i64::from)
    }

    /// Whether a query of at most `most` tokens has room for a word beside its prefix and suffix.
    ///
    /// # Errors
    /// [`Error::File`] at `path` if it has none: every query would be the same.
    pub(crate) fn has_room(&self, path: &Path, (prefix, suffix): (&str, &str), most: usize) -> Result<(), Error> {
        let around = self.of(&format!("{prefix}{suffix}"))?.len();
        if around < most {
            return Ok(());
        }
        let message = format!("what stands around a query takes {around} tokens; the manifest allows {most} in all");
        Err(Error::file(&self.id, path, message))
    }

    /// Ids of a text that may hold special tokens, with whatever the file puts around a text.
    ///
    /// # Errors
    /// What the tokeniser says.
    pub(crate) fn of(&self, text: &str) -> Result<Vec<i64>, Error> {
        let encoding = self.tokenizer.encode(text, true).map_err(|error| self.failed(&error))?;
        Ok(encoding.get_ids().iter().map(|&id| i64::from(id)).collect())
    }

    /// Ids of a query between prefix and suffix, at most `most`: the query's end gives way.
    ///
    /// # Errors
    /// What the tokeniser says.
    pub(crate) fn query(&self, (prefix, query, suffix): (&str, &str, &str), most: usize) -> Result<Vec<i64>, Error> {
        let whole = self.of(&format!("{prefix}{query}{suffix}"))?;
        if whole.len() <= most {
            return Ok(whole);
        }
        let around = self.of(&format!("{prefix}{suffix}"))?.len();
        let mut pieces = self.tokenizer.encode(query, false).map_err(|error| self.failed(&error))?;
        pieces.truncate(most.saturating_sub(around).max(1), 0, TruncationDirection::Right);
        let end = pieces.get_offsets().iter().map(|&(_, end)| end).max().unwrap_or_default();
        let mut ids = self.of(&format!("{prefix}{}{suffix}", &query[..query.floor_char_boundary(end)]))?;
        ids.truncate(most.max(1));
        Ok(ids)
    }

    fn failed(&self, error: &tokenizers::Error) -> Error {
        Error::Tokenise { id: self.id.clone(), message: error.to_string() }
    }
}
