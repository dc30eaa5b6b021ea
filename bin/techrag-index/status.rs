//! `techrag-index status`: what a library holds, in numbers.

use techrag_cli::{Cli, Outcome};
use techrag_index::Status;

/// Count what a library holds
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-index status --library lib\n  \
    techrag-index status --library lib --json | jq .chunks")]
pub(crate) struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let status = Status::read(cli.library()?)?;
    let text = if args.json { serde_json::to_string(&status)? + "\n" } else { table(&status) };
    cli.print(&text)?;
    Ok(Outcome::Done)
}

fn table(status: &Status) -> String {
    let model = match (&status.model, &status.revision, status.dimension) {
        (Some(model), Some(revision), Some(dimension)) => format!("{model} ({revision}, {dimension} dimensions)"),
        _ => "none".into(),
    };
    let with_text = status.pages.saturating_sub(status.pages_without_text + status.pages_failed);
    format!(
        "documents  {} under {} keys\n\
         pages      {}: {with_text} with text, {} without a text layer, {} failed\n\
         chunks     {} stored, {} failed, {} without vectors\n\
         vectors    {} windows, model {model}\n\
         related    {} preprint and published, {} versions, {} supplements\n\
         segments   {}, {} of them with an HNSW graph, {} dead slots\n\
         bytes      {} on disk for {} of sources\n\
         format     {}\n",
        status.documents,
        status.keys,
        status.pages,
        status.pages_without_text,
        status.pages_failed,
        status.chunks,
        status.chunks_failed,
        status.chunks_without_vectors,
        status.windows,
        status.related.preprints,
        status.related.versions,
        status.related.supplements,
        status.segments,
        status.hnsw_graphs,
        status.dead_slots,
        status.bytes_on_disk,
        status.source_bytes,
        status.format,
    )
}
