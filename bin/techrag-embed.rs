//! `techrag-embed`: chunks in, chunks with vectors out.

use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Parser, ValueEnum};
use techrag_cli::{Bare, Cli, Kind, Outcome, Record, VectorForm, Wanted};
use techrag_core::codec::{self, Parsed};
use techrag_core::record::{Chunk, ErrorKind, ErrorRecord};
use techrag_models::{ChunkEncoder, Limits, Locator, Manifest, Passage, SentenceEncoder, Windows};

const EXAMPLES: &str = "\
Examples:
  techrag-chunk paper.pdf | techrag-embed >paper.jsonl
  techrag-chunk papers/ | techrag-embed -j 2 | techrag-index add --library lib
  techrag-embed --windows first --context none --vectors array <chunks.jsonl | jq .vectors.dim

A chunk that has vectors of the same model and revision already passes as it is; so do documents, removals, errors and
every other record. The model is loaded when the first chunk needs it. The same chunk gives the same bytes whatever -j
and --batch are.";

/// Add embeddings to chunks
#[derive(Parser)]
#[command(name = "techrag-embed", after_help = EXAMPLES)]
struct Args {
    /// Sentence encoder, by its name in the manifest of models
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
    let model = manifest.get(&args.model).map_err(fatal)?;
    let loaded = Mutex::new(None);
    let encoder = || -> anyhow::Result<Arc<ChunkEncoder>> {
        let mut loaded = loaded.lock().unwrap_or_else(PoisonError::into_inner);
        match &*loaded {
            Some(encoder) => Ok(Arc::clone(encoder)),
            None => Ok(Arc::clone(loaded.insert(Arc::new(open(&args, cli, &locator, &manifest)?)))),
        }
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
            Record::Chunk(chunk) => !chunk.vectors.as_ref().is_some_and(|vectors| model.made(vectors)),
            _ => false,
        };
        let mut chunks: Vec<&mut Record> = records.iter_mut().filter(lacking).collect();
        if chunks.is_empty() {
            return Ok(());
        }
        let contexts = contexts(&chunks, args.context, &titles);
        embed(&mut chunks, &contexts, encoder()?.as_ref(), cli.stage())
    })
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

/// Gives chunks their vectors; one whose text has none becomes an error record.
fn embed(records: &mut [&mut Record], contexts: &[String], encoder: &ChunkEncoder, stage: &str) -> anyhow::Result<()> {
    let passages = records.iter().zip(contexts).map(|(record, context)| match record {
        Record::Chunk(chunk) => Passage { context, text: &chunk.text },
        _ => Passage { context: "", text: "" },
    });
    let results = encoder.vectors(&passages.collect::<Vec<_>>()).map_err(fatal)?;
    for (record, result) in records.iter_mut().zip(results) {
        let Record::Chunk(chunk) = &mut **record else { continue };
        match result {
            Ok(vectors) => chunk.vectors = Some(vectors),
            Err(error) => {
                let uid = std::mem::take(&mut chunk.uid);
                **record = ErrorRecord::new(uid, stage, ErrorKind::Vectors, error.to_string()).into();
            }
        }
    }
    Ok(())
}

fn fatal(error: techrag_models::Error) -> anyhow::Error {
    match error.hint().map(str::to_owned) {
        Some(hint) => techrag_cli::hint(error, hint),
        None => error.into(),
    }
}
