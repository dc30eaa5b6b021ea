//! Who embeds, and how a server is asked.

use std::sync::{Arc, Mutex, PoisonError};

use techrag_cli::Cli;
use techrag_core::record::{Vectors, Window};
use techrag_core::vector::{Form, Vector};
use techrag_models::{ChunkEncoder, Limits, Locator, Manifest, Model, Passage, SentenceEncoder, Windows};
use techrag_retrieve::{Remote, windows_by_characters};

use crate::args::{Args, Which};
use crate::fatal;

/// Who embeds.
pub(crate) enum Embedder<'a> {
    /// A model of the manifest, opened when the first chunk needs it.
    Model(&'a Model, Mutex<Option<Arc<ChunkEncoder>>>),
    /// A server.
    Server(Box<Remote>),
}

impl<'a> Embedder<'a> {
    /// A model, not opened yet.
    pub(crate) fn model(model: &'a Model) -> Self {
        Self::Model(model, Mutex::default())
    }

    /// Whether vectors that are its own can be searched; `None` for those of others.
    pub(crate) fn own(&self, vectors: &Vectors) -> Option<Result<(), String>> {
        if !self.made(vectors) {
            return None;
        }
        let dim = match self {
            Self::Model(model, _) => model.sentence_encoder().map_or(vectors.dim, |spec| spec.dim),
            Self::Server(_) => vectors.dim,
        };
        let of_it =
            if vectors.dim == dim { Ok(()) } else { Err(format!("they have {} dimensions of {dim}", vectors.dim)) };
        Some(of_it.and_then(|()| vectors.check()))
    }

    /// Whether these vectors are its own.
    pub(crate) fn made(&self, vectors: &Vectors) -> bool {
        match self {
            Self::Model(model, _) => model.made(vectors),
            Self::Server(remote) => vectors.model == remote.model() && vectors.revision == Remote::REVISION,
        }
    }
}

/// What is in the slot, opened by the first who needs it.
pub(crate) fn once<T>(
    slot: &Mutex<Option<Arc<T>>>,
    open: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<Arc<T>> {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    match &*slot {
        Some(encoder) => Ok(Arc::clone(encoder)),
        None => Ok(Arc::clone(slot.insert(Arc::new(open()?)))),
    }
}

/// Vectors of passages by a server, all windows in one call.
pub(crate) fn served(
    remote: &Remote,
    args: &Args,
    passages: &[Passage<'_>],
) -> anyhow::Result<Vec<Result<Vectors, String>>> {
    let windows = passages.iter().map(|passage| {
        let mut windows = windows_by_characters(passage.text, args.window_chars as usize);
        if matches!(args.windows, Which::First) {
            windows.truncate(1);
        }
        windows
    });
    let windows: Vec<_> = windows.collect();
    let seen = passages.iter().zip(&windows);
    let seen: Vec<String> = seen
        .flat_map(|(passage, windows)| {
            windows.iter().map(|range| SentenceEncoder::joined(passage.context, &passage.text[range.clone()]))
        })
        .collect();
    let seen: Vec<&str> = seen.iter().map(String::as_str).collect();
    let mut vectors = remote.encode(&seen).map_err(crate::endpoint::fatal)?.into_iter();
    let form: Form = args.vectors.into();
    let assembled = windows.into_iter().map(|windows| {
        let windows: Vec<Window> = windows
            .into_iter()
            .zip(vectors.by_ref())
            .map(|(range, values)| Window { start: range.start, end: range.end, vector: Vector { values, form } })
            .collect();
        let dim = windows.first().map_or(0, |window| window.vector.values.len());
        let (model, revision) = (remote.model().to_owned(), Remote::REVISION.to_owned());
        Ok(Vectors { model, revision, dim, windows, ..Vectors::default() })
    });
    Ok(assembled.collect())
}

pub(crate) fn open(args: &Args, cli: &Cli, locator: &Locator, manifest: &Manifest) -> anyhow::Result<ChunkEncoder> {
    let limits = Limits { sessions: cli.jobs(), batch: args.batch.into() };
    let encoder = SentenceEncoder::open(locator, manifest, &args.model, limits).map_err(fatal)?;
    let windows = match args.windows {
        Which::All => Windows::All,
        Which::First => Windows::First,
    };
    Ok(ChunkEncoder::new(encoder, windows, args.vectors.into()))
}
