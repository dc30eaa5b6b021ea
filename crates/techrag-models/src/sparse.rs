//! Learned sparse encoders: a text to weights of the words of a vocabulary, those it holds and those it is about
//! (SPLADE, Formal, Piwowarski and Clinchant 2021).
//!
//! A masked language model gives each token a logit for each word; a word's weight is log(1 + max(0, logit)), the
//! greatest over all tokens (SPLADE v2's max pooling). Since it is a maximum, the windows of a long text make one vector
//! together. Weights are rounded to thousandths: far below what tells two passages apart, and a line on the wire stays
//! short.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use tokenizers::Encoding;

use crate::encoder::{Limits, batch, equal_lengths, in_parallel};
use crate::error::Error;
use crate::locate::Locator;
use crate::manifest::{GRAPH, Manifest, SparseSpec, TOKENIZER};
use crate::pieces::{Pieces, words};
use crate::runtime;
use crate::session::Sessions;
use crate::window::{even, whole_characters};

/// Steps of a weight: 1 over this.
const STEPS: f32 = 1000.0;

/// Weights by term, each above 0.
pub type Terms = BTreeMap<String, f32>;

/// Turns texts into weights of terms. Shared by threads freely.
pub struct SparseEncoder {
    revision: String,
    spec: SparseSpec,
    batch: usize,
    pieces: Pieces,
    sessions: Sessions,
}

impl SparseEncoder {
    /// Opens a sparse encoder of the manifest.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::WrongKind`], [`Error::Missing`] (of the model or of the runtime), and whatever is
    /// wrong with the files.
    pub fn open(locator: &Locator, manifest: &Manifest, id: &str, limits: Limits) -> Result<Self, Error> {
        let model = manifest.get(id)?;
        let spec = model.sparse_encoder()?.clone();
        let folder = locator.folder(model)?;
        let pieces = Pieces::open(id, &folder.join(TOKENIZER))?;
        if spec.max_tokens <= pieces.around_one() {
            return Err(Error::Manifest(format!("{id}: max_tokens leaves no room for a text")));
        }
        let environment = runtime::environment(locator, manifest)?;
        let sessions = Sessions::open(environment, id, folder.join(GRAPH), &spec.outputs, limits.sessions)?;
        Ok(Self { revision: model.revision.clone(), spec, batch: limits.batch.max(1), pieces, sessions })
    }

    /// Manifest id.
    pub fn id(&self) -> &str {
        self.sessions.id()
    }

    /// Weight revision.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// The terms of texts, in the order of the texts; a long text is read in windows, all of it. Of each text at most
    /// as many terms as the manifest says, the heaviest, ties by term.
    ///
    /// # Errors
    /// [`Error::BadResult`] naming the text if a logit is not a number or above all; [`Error::Shape`] if the output is
    /// none of words; otherwise what the tokeniser or the runtime says.
    pub fn encode(&self, texts: &[&str]) -> Result<Vec<Terms>, Error> {
        let mut windows: Vec<Encoding> = Vec::new();
        let mut of: Vec<usize> = Vec::new();
        for (text, content) in texts.iter().enumerate() {
            let own = self.windows(content)?;
            of.extend(std::iter::repeat_n(text, own.len()));
            windows.extend(own);
        }
        let greatest: Mutex<Vec<Vec<f32>>> = Mutex::new(vec![Vec::new(); texts.len()]);
        in_parallel(self.sessions.most(), &equal_lengths(&windows, self.batch), |group| {
            let rows = self.run(&windows, group, &of)?;
            let mut greatest = greatest.lock().unwrap_or_else(PoisonError::into_inner);
            for (&window, row) in group.iter().zip(rows) {
                raise(&mut greatest[of[window]], &row);
            }
            Ok(())
        })?;
        let greatest = greatest.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(greatest.iter().map(|logits| self.terms(logits)).collect())
    }

    /// The pieces of each window of a text between special tokens.
    fn windows(&self, text: &str) -> Result<Vec<Encoding>, Error> {
        let room = self.spec.max_tokens - self.pieces.around_one();
        let pieces = self.pieces.of(text)?;
        if pieces.len() <= room {
            return Ok(vec![self.pieces.single(text, room)?]);
        }
        let bounds = even(&words(&pieces, room), room);
        bounds.into_iter().map(|bytes| self.pieces.single(&text[whole_characters(text, bytes)], room)).collect()
    }

    /// The greatest logit of each word of the vocabulary, for windows of equal length. A graph gives them itself, or the
    /// logits of every token.
    fn run(&self, windows: &[Encoding], group: &[usize], of: &[usize]) -> Result<Vec<Vec<f32>>, Error> {
        let batch = batch(group.iter().map(|&window| &windows[window]));
        let output = self.sessions.run(&batch)?;
        let size = self.pieces.vocabulary();
        let fits = |expected: &[usize]| {
            let found = output.shape.iter().map(|&side| usize::try_from(side).ok());
            output.shape.len() == expected.len() && found.eq(expected.iter().map(|&side| Some(side)))
        };
        let tokens = match () {
            () if fits(&[batch.rows, size]) => 1,
            () if fits(&[batch.rows, batch.length, size]) => batch.length,
            () => return Err(self.sessions.misshapen(&output.shape, &[batch.rows, batch.length, size])),
        };
        let rows = output.values.chunks_exact(tokens * size);
        group.iter().zip(rows).map(|(&window, row)| self.greatest(of[window], row, size)).collect()
    }

    fn greatest(&self, text: usize, row: &[f32], size: usize) -> Result<Vec<f32>, Error> {
        if row.iter().any(|logit| logit.is_nan() || *logit == f32::INFINITY) {
            return Err(Error::BadResult { id: self.id().to_owned(), text, problem: "not finite" });
        }
        let mut greatest = Vec::new();
        row.chunks_exact(size).for_each(|token| raise(&mut greatest, token));
        Ok(greatest)
    }

    fn terms(&self, logits: &[f32]) -> Terms {
        let weight = |logit: f32| (logit.max(0.0).ln_1p() * STEPS).round() / STEPS;
        let ids = 0_u32..;
        let heavy = ids.zip(logits).map(|(id, logit)| (id, weight(*logit))).filter(|(_, weight)| *weight > 0.0);
        let mut found: Vec<(String, f32)> =
            heavy.filter_map(|(id, weight)| Some((self.pieces.spelling(id)?, weight))).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        found.truncate(self.spec.most_terms);
        found.into_iter().collect()
    }
}

/// Raises each value to that of the other where it is greater.
fn raise(values: &mut Vec<f32>, others: &[f32]) {
    if values.is_empty() {
        values.extend_from_slice(others);
    } else {
        values.iter_mut().zip(others).for_each(|(value, other)| *value = value.max(*other));
    }
}
