//! Learned sparse vectors, beside the embeddings.

use std::sync::{Arc, Mutex};

use techrag_cli::{Cli, Record};
use techrag_core::record::{ErrorKind, ErrorRecord, SparseVector};
use techrag_models::{Error, Limits, Locator, Manifest, Model, SentenceEncoder, SparseEncoder, Terms};

use crate::args::Args;
use crate::embedder::once;
use crate::fatal;
use crate::titles::{Titles, contexts};

/// The sparse encoder asked for, opened when the first chunk needs it.
pub(crate) struct Sparse<'a> {
    model: &'a Model,
    locator: &'a Locator,
    manifest: &'a Manifest,
    loaded: Mutex<Option<Arc<SparseEncoder>>>,
}

impl<'a> Sparse<'a> {
    /// The encoder of that name, not opened yet.
    pub(crate) fn named(id: &str, locator: &'a Locator, manifest: &'a Manifest) -> anyhow::Result<Self> {
        let model = manifest.get(id).map_err(fatal)?;
        model.sparse_encoder().map_err(fatal)?;
        Ok(Self { model, locator, manifest, loaded: Mutex::default() })
    }

    /// Whether these are its own.
    fn made(&self, sparse: &SparseVector) -> bool {
        sparse.model == self.model.id && sparse.revision == self.model.revision
    }

    /// Gives chunks that lack them their terms; one whose text has none it can give becomes an error record.
    pub(crate) fn add(&self, records: &mut [Record], titles: &Titles, args: &Args, cli: &Cli) -> anyhow::Result<()> {
        let lacking = |record: &&mut Record| match record {
            Record::Chunk(chunk) => !chunk.sparse.as_ref().is_some_and(|sparse| self.made(sparse)),
            _ => false,
        };
        let mut chunks: Vec<&mut Record> = records.iter_mut().filter(lacking).collect();
        if chunks.is_empty() {
            return Ok(());
        }
        let limits = Limits { sessions: cli.jobs(), batch: args.batch.into() };
        let encoder = once(&self.loaded, || {
            SparseEncoder::open(self.locator, self.manifest, &self.model.id, limits).map_err(fatal)
        })?;
        let contexts = contexts(&chunks, args.context, titles);
        let texts: Vec<String> = chunks.iter().zip(&contexts).map(|(record, context)| seen(record, context)).collect();
        let results = each(&encoder, &texts).map_err(fatal)?;
        for (record, result) in chunks.iter_mut().zip(results) {
            self.settle(record, result, cli.stage());
        }
        Ok(())
    }

    fn settle(&self, record: &mut Record, result: Result<Terms, Error>, stage: &str) {
        let Record::Chunk(chunk) = &mut *record else { return };
        let Model { id, revision, .. } = self.model;
        match result {
            Ok(terms) => {
                let (model, revision) = (id.clone(), revision.clone());
                chunk.sparse = Some(SparseVector { model, revision, terms, ..SparseVector::default() });
            }
            Err(error) => {
                let uid = std::mem::take(&mut chunk.uid);
                *record = ErrorRecord::new(uid, stage, ErrorKind::Vectors, error.to_string()).into();
            }
        }
    }
}

fn seen(record: &Record, context: &str) -> String {
    match record {
        Record::Chunk(chunk) => SentenceEncoder::joined(context, &chunk.text),
        _ => String::new(),
    }
}

/// All together; one by one where something is wrong with a text, so that it fails alone.
fn each(encoder: &SparseEncoder, texts: &[String]) -> Result<Vec<Result<Terms, Error>>, Error> {
    let all: Vec<&str> = texts.iter().map(String::as_str).collect();
    match encoder.encode(&all) {
        Ok(terms) => Ok(terms.into_iter().map(Ok).collect()),
        Err(error) if error.is_about_a_text() => all.iter().map(|text| alone(encoder, text)).collect(),
        Err(error) => Err(error),
    }
}

fn alone(encoder: &SparseEncoder, text: &str) -> Result<Result<Terms, Error>, Error> {
    match encoder.encode(&[text]) {
        Ok(mut terms) => Ok(Ok(terms.pop().unwrap_or_default())),
        Err(error) if error.is_about_a_text() => Ok(Err(error)),
        Err(error) => Err(error),
    }
}
