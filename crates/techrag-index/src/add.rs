//! From a stream of records to changes: documents are gathered until they are whole, then go in as a batch.
//!
//! A document is whole when chunks stored plus chunks failed equal what it promised. Batches are closed when they hold
//! enough chunks, or earlier when the input has nothing ready; each is one transaction. Chunks of a content that is
//! already in are dropped as they come, so adding the same stream again changes nothing.
//!
//! Where two contents come under one key, the one whose document record came later has it, however their chunks are
//! mixed: a key given to a document that is still open is taken from it, and an error names what went without.

use std::collections::{BTreeMap, HashMap, HashSet};

use techrag_core::id;
use techrag_core::record::{Chunk, Document, ErrorKind, ErrorRecord, Removed, SparseVector, Vectors};

use crate::catalog::{Encoder, SparseModel};
use crate::change::{Change, Complete, Failure, Tally};
use crate::error::Result;
use crate::writer::{Writer, doc_number};

/// The stage's name in error records.
const STAGE: &str = "index";
/// How far from 1 the length of a vector may be before it is normalised again.
const NORM_SLACK: f64 = 1e-4;

/// When a batch is closed, and what is taken anew.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Chunks (or documents, if they have fewer) that close a batch.
    pub full: usize,
    /// The same while the input has nothing ready.
    pub idle: usize,
    /// Take contents anew that are in already.
    pub replace: bool,
}

/// What a run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What was committed.
    pub tally: Tally,
    /// Documents that were in already under their key.
    pub unchanged: usize,
    /// Documents that were not committed.
    pub refused: usize,
}

/// Adds a stream of records to a library.
pub struct Add {
    writer: Writer,
    config: Config,
    encoder: Option<Encoder>,
    sparse: Option<SparseModel>,
    open: BTreeMap<String, Pending>,
    /// Which of the open contents has a key.
    claims: HashMap<String, String>,
    /// Contents of this run that are whole, with the chunks each promised: repetitions of those are of no interest,
    /// chunks beyond them are named.
    settled: HashMap<String, u32>,
    changes: Vec<Change>,
    /// Contents and keys the uncommitted changes touch.
    touched: HashSet<String>,
    weight: usize,
    report: Report,
}

/// A document some of whose chunks are still to come.
struct Pending {
    document: Document,
    chunks: BTreeMap<u32, Chunk>,
    failures: HashMap<u32, Failure>,
    /// Further keys under which the same content came.
    names: Vec<(String, Option<String>)>,
}

fn beyond(promised: u32) -> String {
    format!("its document promised chunks below ordinal {promised}")
}

impl Pending {
    fn is_whole(&self) -> bool {
        self.chunks.len() + self.failures.len() >= self.document.chunks as usize
    }

    /// Gives it a further key.
    fn name(&mut self, key: String, path: Option<String>) {
        if self.document.key != key && self.names.iter().all(|(known, _)| *known != key) {
            self.names.push((key, path));
        }
    }

    /// Takes a key from it; false if it was the only one.
    fn unname(&mut self, key: &str) -> bool {
        if self.document.key == key {
            if self.names.is_empty() {
                return false;
            }
            (self.document.key, self.document.path) = self.names.remove(0);
        } else {
            self.names.retain(|(known, _)| known != key);
        }
        true
    }
}

impl Add {
    /// Starts a run.
    pub fn new(writer: Writer, config: Config) -> Self {
        let (encoder, sparse) = (writer.encoder().cloned(), writer.sparse().cloned());
        Self {
            writer,
            config,
            encoder,
            sparse,
            open: BTreeMap::new(),
            claims: HashMap::new(),
            settled: HashMap::new(),
            changes: Vec::new(),
            touched: HashSet::new(),
            weight: 0,
            report: Report::default(),
        }
    }

    /// Takes a document; its chunks follow.
    ///
    /// # Errors
    /// If the library cannot be read or written. What is wrong with the record alone is in the result.
    pub fn document(&mut self, mut document: Document) -> Result<Vec<ErrorRecord>> {
        if doc_number(&document.doc_id).is_none() {
            self.report.refused += 1;
            let message = format!("document id {:?} is not 16 hexadecimal digits", document.doc_id);
            return Ok(vec![ErrorRecord::new(document.key, STAGE, ErrorKind::Malformed, message)]);
        }
        if i64::try_from(document.bytes).is_err() {
            self.report.refused += 1;
            let message = format!("a document of {} bytes cannot be", document.bytes);
            return Ok(vec![ErrorRecord::new(document.key, STAGE, ErrorKind::Malformed, message)]);
        }
        document.path = document.path.map(located);
        let mut errors: Vec<ErrorRecord> = self.claim(&document).into_iter().collect();
        if let Some(pending) = self.open.get_mut(&document.doc_id) {
            pending.name(document.key, document.path);
            return Ok(errors);
        }
        if self.touched.contains(&document.doc_id) || self.touched.contains(&document.key) {
            self.flush()?;
        }
        if !self.config.replace && self.writer.is_whole(&document.doc_id)? {
            self.claims.remove(&document.key);
            self.known(document)?;
            return Ok(errors);
        }
        self.settled.remove(&document.doc_id);
        let doc_id = document.doc_id.clone();
        let pending = Pending { document, chunks: BTreeMap::new(), failures: HashMap::new(), names: Vec::new() };
        self.open.insert(doc_id.clone(), pending);
        errors.extend(self.settle(&doc_id)?);
        Ok(errors)
    }

    /// Gives a document its key, taking it from an open one of another content. That one keeps its further keys; the
    /// error is for one that has none.
    fn claim(&mut self, document: &Document) -> Option<ErrorRecord> {
        let before = self.claims.insert(document.key.clone(), document.doc_id.clone())?;
        if before == document.doc_id {
            return None;
        }
        let pending = self.open.get_mut(&before)?;
        if pending.unname(&document.key) {
            return None;
        }
        let pending = self.open.remove(&before)?;
        self.settled.insert(before.clone(), pending.document.chunks);
        self.report.refused += 1;
        let message = format!(
            "another content ({}) came under this key before {before} was whole: the later one is taken",
            document.doc_id
        );
        Some(ErrorRecord::new(&document.key, STAGE, ErrorKind::Other, message))
    }

    fn known(&mut self, document: Document) -> Result<()> {
        let Document { doc_id, key, path, chunks, .. } = document;
        if self.writer.content_of(&key)?.as_deref() == Some(&doc_id) {
            self.report.unchanged += 1;
        } else {
            self.push(Change::Name { doc_id: doc_id.clone(), key, path }, 1);
        }
        self.settled.insert(doc_id, chunks);
        Ok(())
    }

    /// Takes a chunk of a document that came before.
    ///
    /// # Errors
    /// If the library cannot be written. What is wrong with the record alone is in the result.
    pub fn chunk(&mut self, mut chunk: Chunk) -> Result<Vec<ErrorRecord>> {
        let refuse = |kind, message: String| Ok(vec![ErrorRecord::new(chunk.uid.clone(), STAGE, kind, message)]);
        let Some((doc_id, ordinal)) = id::split_uid(&chunk.uid).filter(|(doc_id, _)| *doc_id == chunk.doc_id) else {
            return refuse(ErrorKind::Malformed, format!("this is no uid of a chunk of {:?}", chunk.doc_id));
        };
        let doc_id = doc_id.to_owned();
        let Some(pending) = self.open.get_mut(&doc_id) else {
            return match self.settled.get(&doc_id) {
                Some(&promised) if ordinal >= promised => refuse(ErrorKind::Malformed, beyond(promised)),
                Some(_) => Ok(Vec::new()),
                None => refuse(ErrorKind::Incomplete, "no document record came before this chunk".into()),
            };
        };
        if ordinal >= pending.document.chunks {
            return refuse(ErrorKind::Malformed, beyond(pending.document.chunks));
        }
        // Whether two texts are the same is asked of the texts, not of what a record says of its own.
        chunk.sha1 = id::text_sha1(&chunk.text);
        if let Some(first) = pending.chunks.get(&ordinal) {
            if first.sha1 == chunk.sha1 {
                return Ok(Vec::new());
            }
            return refuse(ErrorKind::Malformed, "another chunk came under the same uid".into());
        }
        let vectors = chunk.vectors.as_mut().map_or(Ok(()), settle_vectors);
        if let Err(message) = vectors.and_then(|()| chunk.sparse.as_ref().map_or(Ok(()), weigh)) {
            let failure = Failure { item: chunk.uid.clone(), stage: STAGE.into(), message: message.clone() };
            pending.failures.insert(ordinal, failure);
            let mut errors = self.settle(&doc_id)?;
            errors.insert(0, ErrorRecord::new(chunk.uid, STAGE, ErrorKind::Vectors, message));
            return Ok(errors);
        }
        pending.failures.remove(&ordinal);
        pending.chunks.insert(ordinal, chunk);
        self.settle(&doc_id)
    }

    /// Hears of a failure of an earlier stage: a chunk that failed there will not come.
    ///
    /// # Errors
    /// If the library cannot be written.
    pub fn failure(&mut self, error: &ErrorRecord) -> Result<Vec<ErrorRecord>> {
        let Some((doc_id, ordinal)) = id::split_uid(&error.of) else { return Ok(Vec::new()) };
        let Some(pending) = self.open.get_mut(doc_id) else { return Ok(Vec::new()) };
        if !pending.chunks.contains_key(&ordinal) && ordinal < pending.document.chunks {
            let failure =
                Failure { item: error.of.clone(), stage: error.stage.clone(), message: error.message.clone() };
            pending.failures.insert(ordinal, failure);
        }
        let doc_id = doc_id.to_owned();
        self.settle(&doc_id)
    }

    /// Takes out a key, and its content if it was the last: of a document still open too, whose further chunks are of
    /// no interest then.
    ///
    /// # Errors
    /// If the library cannot be written.
    pub fn removed(&mut self, removed: Removed) -> Result<()> {
        self.unclaim(&removed);
        self.push(Change::Remove { doc_id: Some(removed.doc_id), key: removed.key }, 1);
        if self.weight >= self.config.full { self.flush() } else { Ok(()) }
    }

    /// Takes a key from the open document that has it; one without a further key is dropped.
    fn unclaim(&mut self, removed: &Removed) {
        if self.claims.get(&removed.key) != Some(&removed.doc_id) {
            return;
        }
        self.claims.remove(&removed.key);
        let unnamed = self.open.get_mut(&removed.doc_id).is_none_or(|pending| pending.unname(&removed.key));
        if !unnamed && let Some(pending) = self.open.remove(&removed.doc_id) {
            self.settled.insert(removed.doc_id.clone(), pending.document.chunks);
        }
    }

    /// The run ends early: commits the documents that are whole.
    ///
    /// # Errors
    /// If the library cannot be written.
    pub fn keep(&mut self) -> Result<()> {
        self.flush()
    }

    /// The input has nothing ready: commits what is worth a segment of its own.
    ///
    /// # Errors
    /// If the library cannot be written.
    pub fn idle(&mut self) -> Result<()> {
        if self.weight >= self.config.idle { self.flush() } else { Ok(()) }
    }

    /// The input has ended: commits the rest. Documents that are not whole are named and not committed.
    ///
    /// # Errors
    /// If the library cannot be written.
    pub fn end(&mut self) -> Result<Vec<ErrorRecord>> {
        let errors: Vec<ErrorRecord> = std::mem::take(&mut self.open).into_values().map(|p| incomplete(&p)).collect();
        self.report.refused += errors.len();
        self.flush()?;
        Ok(errors)
    }

    /// What the run came to so far.
    pub fn report(&self) -> Report {
        self.report
    }

    /// Hands over a document once it is whole.
    fn settle(&mut self, doc_id: &str) -> Result<Vec<ErrorRecord>> {
        if !self.open.get(doc_id).is_some_and(Pending::is_whole) {
            return Ok(Vec::new());
        }
        let Some(pending) = self.open.remove(doc_id) else { return Ok(Vec::new()) };
        for key in std::iter::once(&pending.document.key).chain(pending.names.iter().map(|(key, _)| key)) {
            self.claims.remove(key);
        }
        self.settled.insert(doc_id.to_owned(), pending.document.chunks);
        if let Err(error) = self.acceptable(&pending) {
            self.report.refused += 1;
            return Ok(vec![error]);
        }
        let Pending { document, chunks, failures, names } = pending;
        let mut failures: Vec<Failure> = failures.into_values().collect();
        failures.sort_by(|a, b| a.item.cmp(&b.item));
        let weight = chunks.len().max(1);
        let complete = Complete { document, chunks: chunks.into_iter().collect(), failures };
        self.push(Change::Add(Box::new(complete)), weight);
        for (key, path) in names {
            self.push(Change::Name { doc_id: doc_id.to_owned(), key, path }, 0);
        }
        if self.weight >= self.config.full {
            self.flush()?;
        }
        Ok(Vec::new())
    }

    /// Refuses vectors of another encoder, and documents of which nothing is left.
    fn acceptable(&mut self, pending: &Pending) -> Result<(), ErrorRecord> {
        let key = &pending.document.key;
        if pending.chunks.is_empty() && pending.document.chunks > 0 {
            return Err(ErrorRecord::new(key, STAGE, ErrorKind::Incomplete, "all of its chunks failed"));
        }
        // A refused document must not decide whose vectors the library takes, of either kind.
        let sparse = self.of_one_sparse_model(pending)?;
        let mut expected = self.encoder.clone();
        for vectors in pending.chunks.values().filter_map(|chunk| chunk.vectors.as_ref()) {
            let own = encoder_of(vectors);
            let expected = expected.get_or_insert_with(|| own.clone());
            if own != *expected {
                let message = format!("its vectors are of {own}, the library's of {expected}");
                let error = ErrorRecord::new(key, STAGE, ErrorKind::Vectors, message);
                return Err(error.hint("embed with the library's model, or make a new library"));
            }
        }
        (self.encoder, self.sparse) = (expected, sparse);
        Ok(())
    }

    /// Refuses learned sparse vectors of another model; the model of the library with this document in it.
    fn of_one_sparse_model(&self, pending: &Pending) -> Result<Option<SparseModel>, ErrorRecord> {
        let mut expected = self.sparse.clone();
        for sparse in pending.chunks.values().filter_map(|chunk| chunk.sparse.as_ref()) {
            let own = SparseModel::of(sparse);
            let expected = expected.get_or_insert_with(|| own.clone());
            if own != *expected {
                let message = format!("its sparse vectors are of {own}, the library's of {expected}");
                let error = ErrorRecord::new(&pending.document.key, STAGE, ErrorKind::Vectors, message);
                return Err(error.hint("embed with the library's sparse model, or make a new library"));
            }
        }
        Ok(expected)
    }

    fn push(&mut self, change: Change, weight: usize) {
        let (doc_id, key) = match &change {
            Change::Add(complete) => (Some(&complete.document.doc_id), &complete.document.key),
            Change::Name { doc_id, key, .. } => (Some(doc_id), key),
            Change::Remove { doc_id, key } => (doc_id.as_ref(), key),
        };
        self.touched.extend(doc_id.cloned());
        self.touched.insert(key.clone());
        self.changes.push(change);
        self.weight += weight;
    }

    fn flush(&mut self) -> Result<()> {
        let changes = std::mem::take(&mut self.changes);
        self.touched.clear();
        self.weight = 0;
        self.report.tally += self.writer.commit(&changes, self.encoder.as_ref())?;
        self.writer.tidy()
    }
}

fn encoder_of(vectors: &Vectors) -> Encoder {
    Encoder { model: vectors.model.clone(), revision: vectors.revision.clone(), dim: vectors.dim }
}

fn incomplete(pending: &Pending) -> ErrorRecord {
    let expected = pending.document.chunks;
    let missing = (0..expected).find(|n| !pending.chunks.contains_key(n) && !pending.failures.contains_key(n));
    let message = format!(
        "{} of {expected} chunks came and {} failed; the first missing is {}; nothing of it was stored",
        pending.chunks.len(),
        pending.failures.len(),
        id::uid(&pending.document.doc_id, missing.unwrap_or(expected)),
    );
    ErrorRecord::new(&pending.document.key, STAGE, ErrorKind::Incomplete, message)
        .hint("add the whole output of the earlier stage again")
}

/// Refuses vectors that cannot be searched; brings the others to length 1.
fn settle_vectors(vectors: &mut Vectors) -> Result<(), String> {
    vectors.check()?;
    for window in &mut vectors.windows {
        let norm = window.vector.norm();
        if (norm - 1.0).abs() > NORM_SLACK {
            window.vector.values.iter_mut().for_each(|value| *value = (f64::from(*value) / norm) as f32);
        }
    }
    Ok(())
}

/// Refuses learned sparse vectors that cannot be searched.
fn weigh(sparse: &SparseVector) -> Result<(), String> {
    match sparse.terms.iter().find(|(_, weight)| !weight.is_finite() || **weight <= 0.0) {
        Some((term, weight)) => Err(format!("the weight of {term:?} in its sparse vector is {weight}, not above 0")),
        None => Ok(()),
    }
}

/// Where a file lies whatever the working directory is; as given if it is not here.
fn located(path: String) -> String {
    match crate::plan::located(path.as_ref()) {
        Ok(whole) if whole.exists() => whole.to_string_lossy().into_owned(),
        _ => path,
    }
}
