//! Sentence encoders: texts to vectors (Reimers and Gurevych 2019).

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tokenizers::Encoding;

use crate::error::Error;
use crate::locate::Locator;
use crate::manifest::{Body, GRAPH, Manifest, Model, Pooling, SentenceSpec, TABLE, TOKENIZER};
use crate::pieces::{Pieces, words};
use crate::runtime;
use crate::session::{Batch, Sessions};
use crate::table::Table;
use crate::window::{even, whole_characters};

/// Below this a vector has no direction.
const SHORTEST: f32 = 1e-12;

/// Of the room for a passage at most one in so many word pieces goes to its context.
const CONTEXT_SHARE: usize = 4;

/// How much of the machine a model may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most sessions, one thread each, at least 1. Each holds a copy of the weights.
    pub sessions: usize,
    /// Most texts in one run, at least 1. Only texts of equal and small length share a run; changes speed only, never a
    /// result's bytes.
    pub batch: usize,
}

/// Which side of a search a text is on; some models put different words before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What is asked.
    Query,
    /// What is searched.
    Passage,
}

/// Turns texts into vectors. Shared by threads freely.
pub struct SentenceEncoder {
    id: String,
    revision: String,
    spec: SentenceSpec,
    threads: usize,
    batch: usize,
    pieces: Pieces,
    source: Source,
}

/// What gives the token vectors.
enum Source {
    Graph(Sessions, Pooling),
    Table(Table),
}

/// What gives word pieces no vector of their own in a table.
const UNKNOWN: &str = "[UNK]";

impl SentenceEncoder {
    /// Opens a sentence encoder of the manifest.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::WrongKind`], [`Error::Missing`] (of the model or of the runtime), and whatever is
    /// wrong with the files.
    pub fn open(locator: &Locator, manifest: &Manifest, id: &str, limits: Limits) -> Result<Self, Error> {
        let model = manifest.get(id)?;
        let spec = model.sentence_encoder()?.clone();
        let folder = locator.folder(model)?;
        let (id, revision, threads) = (id.to_owned(), model.revision.clone(), limits.sessions.max(1));
        let tokenizer = folder.join(TOKENIZER);
        let (pieces, source, batch) = match &spec.body {
            Body::Graph { pooling, outputs, most } => {
                // Half of what one question waits for is here: tokenizer and network are loaded side by side.
                let (pieces, sessions) = thread::scope(|scope| {
                    let pieces = scope.spawn(|| Pieces::open(&id, &tokenizer));
                    let sessions = runtime::environment(locator, manifest)
                        .and_then(|environment| Sessions::open(environment, &id, folder.join(GRAPH), outputs, threads));
                    (pieces.join().unwrap_or_else(|panic| resume_unwind(panic)), sessions)
                });
                let (pieces, sessions) = (pieces?, sessions?);
                (pieces, Source::Graph(sessions, *pooling), limits.batch.min(*most).max(1))
            }
            Body::Table => {
                let pieces = Pieces::bare(&id, &tokenizer)?;
                let table = Table::open(&id, &folder.join(TABLE), spec.dim, pieces.token(UNKNOWN))?;
                (pieces, Source::Table(table), 1)
            }
        };
        let encoder = Self { id, revision, spec, threads, batch, pieces, source };
        encoder.check_room(model)?;
        Ok(encoder)
    }

    /// Manifest id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Weight revision.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// Length of a vector.
    pub fn dim(&self) -> usize {
        self.spec.dim
    }

    /// Vectors of texts, in the order of the texts, each of [`SentenceEncoder::dim`] values and (where the manifest says
    /// so) of length 1. A text longer than the model takes is cut; see [`SentenceEncoder::windows`].
    ///
    /// # Errors
    /// [`Error::BadResult`] naming the text, if a vector has a value that is not finite or is zero; otherwise what the
    /// tokeniser or the runtime says.
    pub fn encode(&self, side: Side, texts: &[&str]) -> Result<Vec<Vec<f32>>, Error> {
        let encodings = texts.iter().map(|text| self.tokens(side, text)).collect::<Result<Vec<_>, _>>()?;
        let groups = equal_lengths(&encodings, self.batch);
        let vectors = Mutex::new(vec![Vec::new(); texts.len()]);
        in_parallel(self.threads, &groups, |group| {
            let rows = self.run(&encodings, group)?;
            let mut vectors = vectors.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            for (&text, row) in group.iter().zip(rows) {
                vectors[text] = row;
            }
            Ok(())
        })?;
        Ok(vectors.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// The vector of each word piece of each text, of length 1, special tokens left out; a text longer than the model
    /// takes is cut. What late interaction compares (Khattab and Zaharia 2020).
    ///
    /// # Errors
    /// [`Error::WrongKind`] for a table, whose tokens know nothing of each other; otherwise what the tokeniser or the
    /// runtime says.
    pub fn encode_tokens(&self, side: Side, texts: &[&str]) -> Result<Vec<Vec<Vec<f32>>>, Error> {
        let Source::Graph(sessions, _) = &self.source else {
            return Err(Error::WrongKind { id: self.id.clone(), wanted: "network" });
        };
        let encodings = texts.iter().map(|text| self.tokens(side, text)).collect::<Result<Vec<_>, _>>()?;
        let vectors = Mutex::new(vec![Vec::new(); texts.len()]);
        in_parallel(self.threads, &equal_lengths(&encodings, self.batch), |group| {
            let (output, length) = self.token_vectors(sessions, &encodings, group)?;
            let mut vectors = vectors.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            for (&text, tokens) in group.iter().zip(output.chunks_exact(length * self.spec.dim)) {
                let kept = encodings[text].get_special_tokens_mask().iter().zip(tokens.chunks_exact(self.spec.dim));
                vectors[text] = kept.filter(|(special, _)| **special == 0).map(|(_, token)| unit(token)).collect();
            }
            Ok(())
        })?;
        Ok(vectors.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// The byte ranges of a text that the model can take whole after `context`, in order: at least one, none of more
    /// pieces than there is room for, together covering every word piece. Encode [`SentenceEncoder::joined`] of the
    /// context and `text[range]` for each and nothing is cut off.
    ///
    /// # Errors
    /// What the tokeniser says.
    pub fn windows(&self, context: &str, text: &str) -> Result<Vec<Range<usize>>, Error> {
        let room = self.room_after(context)?;
        let windows = even(&words(&self.pieces.of(text)?, room), room);
        if windows.len() <= 1 {
            return Ok(std::iter::once(0..text.len()).collect());
        }
        Ok(windows.into_iter().map(|bytes| whole_characters(text, bytes)).collect())
    }

    /// The byte range of the beginning of a text that [`SentenceEncoder::encode`] sees when given all of it after
    /// `context`.
    ///
    /// # Errors
    /// What the tokeniser says.
    pub fn head(&self, context: &str, text: &str) -> Result<Range<usize>, Error> {
        let pieces = self.pieces.of(text)?;
        let room = self.room_after(context)?;
        let seen = pieces.get_offsets().iter().take(room).map(|&(_, end)| end).max();
        let end = if pieces.len() <= room { text.len() } else { seen.unwrap_or_default() };
        Ok(whole_characters(text, 0..end))
    }

    /// As much of a context as may stand before a passage: whole word pieces of at most a quarter of the room.
    ///
    /// # Errors
    /// What the tokeniser says.
    pub fn context<'a>(&self, context: &'a str) -> Result<&'a str, Error> {
        let most = self.room(Side::Passage)? / CONTEXT_SHARE;
        let pieces = self.pieces.of(context)?;
        if pieces.len() <= most {
            return Ok(context);
        }
        let end = pieces.get_offsets().iter().take(most).map(|&(_, end)| end).max().unwrap_or_default();
        Ok(&context[..context.floor_char_boundary(end)])
    }

    /// A passage with what it stands under before it.
    pub fn joined(context: &str, passage: &str) -> String {
        if context.is_empty() { passage.to_owned() } else { format!("{context}\n{passage}") }
    }

    /// Number of word pieces of a text with its special tokens, before any cut.
    ///
    /// # Errors
    /// What the tokeniser says.
    pub fn tokens_in(&self, text: &str) -> Result<usize, Error> {
        Ok(self.pieces.of(text)?.len() + self.pieces.around_one())
    }

    fn prefix(&self, side: Side) -> &str {
        match side {
            Side::Query => &self.spec.query_prefix,
            Side::Passage => &self.spec.passage_prefix,
        }
    }

    /// Pieces left for a text beside the special tokens and the prefix.
    fn room(&self, side: Side) -> Result<usize, Error> {
        let prefix = self.pieces.of(self.prefix(side))?.len();
        Ok(self.spec.max_tokens.saturating_sub(self.pieces.around_one() + prefix))
    }

    /// Pieces left for a text beside all that stands before it.
    fn room_after(&self, context: &str) -> Result<usize, Error> {
        let taken = if context.is_empty() { 0 } else { self.pieces.of(context)?.len() };
        Ok(self.room(Side::Passage)?.saturating_sub(taken).max(1))
    }

    fn check_room(&self, model: &Model) -> Result<(), Error> {
        let too_small = |side: &Side| matches!(self.room(*side), Ok(0));
        match [Side::Query, Side::Passage].iter().find(|side| too_small(side)) {
            Some(side) => Err(Error::Manifest(format!("{}: max_tokens leaves no room for a {side:?}", model.id))),
            None => Ok(()),
        }
    }

    fn tokens(&self, side: Side, text: &str) -> Result<Encoding, Error> {
        let most = self.spec.max_tokens.saturating_sub(self.pieces.around_one());
        match self.prefix(side) {
            "" => self.pieces.single(text, most),
            prefix => self.pieces.single(&format!("{prefix}{text}"), most),
        }
    }

    /// The vectors of texts of equal length.
    fn run(&self, encodings: &[Encoding], group: &[usize]) -> Result<Vec<Vec<f32>>, Error> {
        match &self.source {
            Source::Table(table) => {
                let vector = |&text: &usize| self.checked(text, table.mean(encodings[text].get_ids()));
                group.iter().map(vector).collect()
            }
            Source::Graph(sessions, pooling) => {
                let dim = self.spec.dim;
                let (output, length) = self.token_vectors(sessions, encodings, group)?;
                let pooled = |tokens: &[f32]| match pooling {
                    Pooling::Cls => tokens[..dim].to_vec(),
                    Pooling::Mean => mean(tokens, dim),
                };
                let rows = output.chunks_exact(length * dim);
                group.iter().zip(rows).map(|(&text, tokens)| self.checked(text, pooled(tokens))).collect()
            }
        }
    }

    /// The network's output for texts of equal length, one after the other, and that length.
    fn token_vectors(
        &self,
        sessions: &Sessions,
        encodings: &[Encoding],
        group: &[usize],
    ) -> Result<(Vec<f32>, usize), Error> {
        let batch = batch(group.iter().map(|&text| &encodings[text]));
        let output = sessions.run(&batch)?;
        let expected = [batch.rows, batch.length, self.spec.dim];
        if output.shape.len() != 3 || !expected.iter().zip(&output.shape).all(|(&n, &m)| i64::try_from(n) == Ok(m)) {
            return Err(sessions.misshapen(&output.shape, &expected));
        }
        Ok((output.values, batch.length))
    }

    /// The vector of a text as it may be stored: finite, with a direction, of length 1 where the manifest says so.
    fn checked(&self, text: usize, mut vector: Vec<f32>) -> Result<Vec<f32>, Error> {
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        let problem = match length {
            length if !length.is_finite() => Some("not finite"),
            length if length < SHORTEST => Some("zero"),
            _ => None,
        };
        if let Some(problem) = problem {
            return Err(Error::BadResult { id: self.id().to_owned(), text, problem });
        }
        if self.spec.normalise {
            vector.iter_mut().for_each(|value| *value /= length);
        }
        Ok(vector)
    }
}

/// The vector at length 1; as it is where it has no length.
fn unit(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter().map(|value| if length > SHORTEST { value / length } else { *value }).collect()
}

/// Mean of token vectors of `dim` values each.
fn mean(tokens: &[f32], dim: usize) -> Vec<f32> {
    let mut sum = vec![0.0_f32; dim];
    for token in tokens.chunks_exact(dim) {
        for (total, value) in sum.iter_mut().zip(token) {
            *total += value;
        }
    }
    let count = (tokens.len() / dim.max(1)).max(1);
    #[expect(clippy::cast_precision_loss, reason = "at most a few thousand tokens")]
    let count = count as f32;
    sum.iter_mut().for_each(|total| *total /= count);
    sum
}

/// Tokens beyond which a larger batch stops paying. Measured with all-MiniLM-L6-v2, texts a CPU second in batches of 1,
/// 4 and 16: 151, 207 and 241 for 16 tokens, 53, 60 and 59 for 64, but 13.7, 12.7 and 10.6 for 256.
const TOKENS_A_RUN: usize = 256;

/// Groups of at most `most` texts of equal length, the longest first, so that no thread ends on a long one alone. No
/// padding: it would change the last bits of a vector with the company the text is in.
pub(crate) fn equal_lengths(encodings: &[Encoding], most: usize) -> Vec<Vec<usize>> {
    let mut by_length: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (text, encoding) in encodings.iter().enumerate() {
        by_length.entry(encoding.len()).or_default().push(text);
    }
    let mut groups = Vec::new();
    for (length, texts) in by_length.into_iter().rev() {
        let rows = (TOKENS_A_RUN / length.max(1)).clamp(1, most.max(1));
        groups.extend(texts.chunks(rows).map(<[_]>::to_vec));
    }
    groups
}

/// The inputs of texts of equal length.
pub(crate) fn batch<'a>(encodings: impl Iterator<Item = &'a Encoding>) -> Batch {
    let mut batch = Batch { rows: 0, length: 0, ids: Vec::new(), types: Vec::new() };
    for encoding in encodings {
        batch.rows += 1;
        batch.length = encoding.len();
        batch.ids.extend(encoding.get_ids().iter().map(|&id| i64::from(id)));
        batch.types.extend(encoding.get_type_ids().iter().map(|&segment| i64::from(segment)));
    }
    batch
}

/// Does every group on as many threads as there are sessions; the error of the earliest group that failed.
pub(crate) fn in_parallel(
    threads: usize,
    groups: &[Vec<usize>],
    work: impl Fn(&[usize]) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let threads = threads.min(groups.len());
    if threads <= 1 {
        return groups.iter().try_for_each(|group| work(group));
    }
    let next = AtomicUsize::new(0);
    let failed: Mutex<BTreeMap<usize, Error>> = Mutex::new(BTreeMap::new());
    let run = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(group) = groups.get(at) else { return };
            if let Err(error) = work(group) {
                failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(at, error);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
    let failed = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    failed.into_values().next().map_or(Ok(()), Err)
}
