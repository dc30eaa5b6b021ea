//! `techrag-embed`: chunks in, chunks with vectors out.

mod endpoint;

use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Parser, ValueEnum};
use techrag_cli::{Bare, Cli, Kind, Outcome, Record, VectorForm, Wanted};
use techrag_core::codec::{self, Parsed};
use techrag_core::record::{Chunk, ErrorKind, ErrorRecord, Vectors, Window};
use techrag_core::vector::{Form, Vector};
use techrag_models::{ChunkEncoder, Limits, Locator, Manifest, Model, Passage, SentenceEncoder, Windows};
use techrag_retrieve::{Remote, windows_by_characters};

use crate::endpoint::Endpoint;

const EXAMPLES: &str = "\
Examples:
  techrag-chunk paper.pdf | techrag-embed >paper.jsonl
  techrag-chunk papers/ | techrag-embed -j 2 | techrag-index add --library lib
  techrag-embed --windows first --context none --vectors array <chunks.jsonl | jq .vectors.dim

A chunk that has vectors of the same model and revision already passes as it is; so do documents, removals, errors and
every other record. With --endpoint a server embeds, its model named by --model; its vectors are known by that name, and
techrag-retrieve asks the same server for the question's. The model is loaded when the first chunk needs it. The same chunk gives the same bytes whatever -j
and --batch are.";

/// Add embeddings to chunks
#[derive(Parser)]
#[command(name = "techrag-embed", after_help = EXAMPLES)]
struct Args {
    /// Sentence encoder, by its name in the manifest of models, or by the server's name for it
    #[arg(long, value_name = "ID", default_value = "all-MiniLM-L6-v2")]
    model: String,
    /// Which windows of a chunk are embedded when it is longer than the model takes
    #[arg(long, value_name = "WHICH", default_value = "all")]
    windows: Which,
    /// What of a chunk's surroundings is put before each window: the title is that of the document record before it
    #[arg(long, value_name = "WHAT", default_value = "none")]
    context: Context,
    /// How vectors are written
    #[arg(long, value_name = "FORM", default_value = "base64")]
    vectors: VectorForm,
    /// Most chunks taken together; short texts of equal length then share a run of the model
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    batch: u16,
    /// Most characters of a window that a server embeds; a model of the manifest knows its own length
    #[arg(long, value_name = "N", default_value_t = 1200, value_parser = clap::value_parser!(u32).range(1..))]
    window_chars: u32,
    #[command(flatten)]
    endpoint: Endpoint,
}

#[derive(Clone, Copy, ValueEnum)]
enum Which {
    /// All of them, so that nothing is lost
    All,
    /// The beginning only, as sentence-transformers does
    First,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Context {
    /// Title of the document and heading of the section
    Heading,
    /// Title of the document
    Title,
    /// Nothing
    None,
}

impl Context {
    /// The context of a chunk in a document of that title.
    fn of(self, title: &str, chunk: &Chunk) -> String {
        let section = if self == Self::Heading { chunk.section.as_str() } else { "" };
        let title = if self == Self::None { "" } else { title };
        [title, section].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

/// Titles of the documents that came by, by their ids.
type Titles = Mutex<HashMap<String, String>>;

fn main() -> ExitCode {
    techrag_cli::main(run)
}

fn run(args: Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let locator = Locator::new(cli.model_folders());
    let manifest = Manifest::of(&locator).map_err(fatal)?;
    let embedder = match args.endpoint.server(cli)? {
        Some((client, base, key)) => {
            Embedder::Server(Remote::new(client, &base, &args.model, key).map_err(endpoint::fatal)?)
        }
        None => Embedder::Model(manifest.get(&args.model).map_err(fatal)?, Mutex::default()),
    };
    let wanted = Wanted { kinds: &[Kind::Chunk], bare: Bare::Refused };
    let titles = Titles::default();
    let notice = |line: &str| {
        if args.context != Context::None {
            remember(line, &titles);
        }
    };
    cli.batches_after(wanted, args.batch.into(), notice, |records| {
        let lacking = |record: &&mut Record| match record {
            Record::Chunk(chunk) => !chunk.vectors.as_ref().is_some_and(|vectors| embedder.made(vectors)),
            _ => false,
        };
        let mut chunks: Vec<&mut Record> = records.iter_mut().filter(lacking).collect();
        if chunks.is_empty() {
            return Ok(());
        }
        let contexts = contexts(&chunks, args.context, &titles);
        let passages = passages(&chunks, &contexts);
        let results = match &embedder {
            Embedder::Server(remote) => served(remote, &args, &passages)?,
            Embedder::Model(_, loaded) => {
                let encoder = once(loaded, || open(&args, cli, &locator, &manifest))?;
                encoder.vectors(&passages).map_err(fatal)?.into_iter().map(|r| r.map_err(|e| e.to_string())).collect()
            }
        };
        settle(&mut chunks, results, cli.stage());
        Ok(())
    })
}

/// Who embeds.
enum Embedder<'a> {
    /// A model of the manifest, opened when the first chunk needs it.
    Model(&'a Model, Mutex<Option<Arc<ChunkEncoder>>>),
    /// A server.
    Server(Remote),
}

impl Embedder<'_> {
    /// Whether these vectors are its own.
    fn made(&self, vectors: &Vectors) -> bool {
        match self {
            Self::Model(model, _) => model.made(vectors),
            Self::Server(remote) => vectors.model == remote.model() && vectors.revision == Remote::REVISION,
        }
    }
}

fn once(
    slot: &Mutex<Option<Arc<ChunkEncoder>>>,
    open: impl FnOnce() -> anyhow::Result<ChunkEncoder>,
) -> anyhow::Result<Arc<ChunkEncoder>> {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    match &*slot {
        Some(encoder) => Ok(Arc::clone(encoder)),
        None => Ok(Arc::clone(slot.insert(Arc::new(open()?)))),
    }
}

/// Vectors of passages by a server, all windows in one call.
fn served(remote: &Remote, args: &Args, passages: &[Passage<'_>]) -> anyhow::Result<Vec<Result<Vectors, String>>> {
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
    let mut vectors = remote.encode(&seen).map_err(endpoint::fatal)?.into_iter();
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

/// Keeps the title if the line is a document.
fn remember(line: &str, titles: &Titles) {
    let wanted = Wanted { kinds: &[Kind::Document], bare: Bare::Refused };
    // What is wrong with a line is said where it is mapped.
    if !line.contains("\"document\"") {
        return;
    }
    if let Ok(Parsed::Record(Record::Document(document))) = codec::parse(line, wanted) {
        let title = document.title.unwrap_or_default();
        titles.lock().unwrap_or_else(PoisonError::into_inner).insert(document.doc_id, title);
    }
}

/// What each chunk stands under.
fn contexts(chunks: &[&mut Record], context: Context, titles: &Titles) -> Vec<String> {
    let titles = titles.lock().unwrap_or_else(PoisonError::into_inner);
    let of = |record: &&mut Record| match record {
        Record::Chunk(chunk) => context.of(titles.get(&chunk.doc_id).map_or("", String::as_str), chunk),
        _ => String::new(),
    };
    chunks.iter().map(of).collect()
}

fn open(args: &Args, cli: &Cli, locator: &Locator, manifest: &Manifest) -> anyhow::Result<ChunkEncoder> {
    let limits = Limits { sessions: cli.jobs(), batch: args.batch.into() };
    let encoder = SentenceEncoder::open(locator, manifest, &args.model, limits).map_err(fatal)?;
    let windows = match args.windows {
        Which::All => Windows::All,
        Which::First => Windows::First,
    };
    Ok(ChunkEncoder::new(encoder, windows, args.vectors.into()))
}

/// The texts of chunks, each under its context.
fn passages<'a>(records: &'a [&mut Record], contexts: &'a [String]) -> Vec<Passage<'a>> {
    let passage = |(record, context): (&'a &mut Record, &'a String)| match &**record {
        Record::Chunk(chunk) => Passage { context, text: &chunk.text },
        _ => Passage { context: "", text: "" },
    };
    records.iter().zip(contexts).map(passage).collect()
}

/// Gives chunks their vectors; one whose text has none becomes an error record.
fn settle(records: &mut [&mut Record], results: Vec<Result<Vectors, String>>, stage: &str) {
    for (record, result) in records.iter_mut().zip(results) {
        let Record::Chunk(chunk) = &mut **record else { continue };
        match result {
            Ok(vectors) => chunk.vectors = Some(vectors),
            Err(message) => {
                let uid = std::mem::take(&mut chunk.uid);
                **record = ErrorRecord::new(uid, stage, ErrorKind::Vectors, message).into();
            }
        }
    }
}

fn fatal(error: techrag_models::Error) -> anyhow::Error {
    match error.hint().map(str::to_owned) {
        Some(hint) => techrag_cli::hint(error, hint),
        None => error.into(),
    }
}
