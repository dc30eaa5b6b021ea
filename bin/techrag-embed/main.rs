//! `techrag-embed`: chunks in, chunks with vectors out.

mod args;
mod embedder;
#[path = "../endpoint/mod.rs"]
mod endpoint;
mod sparse;
mod titles;

use std::process::ExitCode;

use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};
use techrag_core::record::{ErrorKind, ErrorRecord, Vectors};
use techrag_models::{Locator, Manifest, Passage};
use techrag_retrieve::Remote;

use args::{Args, Context};
use embedder::{Embedder, served};
use sparse::Sparse;
use titles::{Titles, contexts, refuse_unreadable, remember};

fn main() -> ExitCode {
    techrag_cli::main(run)
}

fn run(args: Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let locator = Locator::new(cli.model_folders());
    let manifest = Manifest::of(&locator).map_err(fatal)?;
    let embedder = match args.endpoint.server(cli)? {
        Some((client, base, key)) => {
            Embedder::Server(Box::new(Remote::new(client, &base, &args.model, key).map_err(endpoint::fatal)?))
        }
        None => Embedder::model(manifest.get(&args.model).map_err(fatal)?),
    };
    let sparse = args.sparse.as_deref().map(|id| Sparse::named(id, &locator, &manifest)).transpose()?;
    let wanted = Wanted { kinds: &[Kind::Chunk], bare: Bare::Refused };
    let titles = Titles::default();
    let notice = |line: &str| {
        if args.context != Context::None {
            remember(line, &titles);
        }
    };
    cli.batches_after(wanted, args.batch.into(), notice, |records| {
        if args.context != Context::None {
            refuse_unreadable(records, cli.stage());
        }
        refuse_unsound(records, &embedder, cli.stage());
        if let Some(sparse) = &sparse {
            sparse.add(records, &titles, &args, cli)?;
        }
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
                let encoder = embedder::once(loaded, || embedder::open(&args, cli, &locator, &manifest))?;
                encoder.vectors(&passages).map_err(fatal)?.into_iter().map(|r| r.map_err(|e| e.to_string())).collect()
            }
        };
        settle(&mut chunks, results, cli.stage());
        Ok(())
    })
}

/// The texts of chunks, each under its context.
fn passages<'a>(records: &'a [&mut Record], contexts: &'a [String]) -> Vec<Passage<'a>> {
    let passage = |(record, context): (&'a &mut Record, &'a String)| match &**record {
        Record::Chunk(chunk) => Passage { context, text: &chunk.text },
        _ => Passage { context: "", text: "" },
    };
    records.iter().zip(contexts).map(passage).collect()
}

/// Vectors that a chunk brings as this embedder's own go into the library as they are, so they are looked at first.
fn refuse_unsound(records: &mut [Record], embedder: &Embedder<'_>, stage: &str) {
    for record in records {
        let Record::Chunk(chunk) = &mut *record else { continue };
        let Some(Err(message)) = chunk.vectors.as_ref().and_then(|vectors| embedder.own(vectors)) else { continue };
        let uid = std::mem::take(&mut chunk.uid);
        let error = ErrorRecord::new(uid, stage, ErrorKind::Vectors, format!("the vectors it came with: {message}"));
        *record = error.hint("take them out of the record, and they are made anew").into();
    }
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
