//! `techrag-chunk`: files to documents and chunks.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use techrag_chunk::input::{self, Source};
use techrag_chunk::{Config, Outcome as Became, Parsed};
use techrag_cli::{Bare, Cli, Item, Outcome, Record, Wanted};
use techrag_core::record::ErrorRecord;

/// Read files and cut them into chunks
///
/// A document record comes first, then its chunks. PDF, Markdown and plain text are told by their content.
/// Directories are walked in sorted order, hidden files left out; a kind of file that no reader knows is named on
/// stderr there, and is an error where it was named on the command line.
#[derive(Parser)]
#[command(
    name = "techrag-chunk",
    after_help = "Examples:
  techrag-chunk papers/ >chunks.jsonl
  techrag-chunk --from jsonl corpus.jsonl | techrag-embed | techrag-index add --library LIB
  techrag-index plan papers/ --library LIB | techrag-chunk --root papers/"
)]
struct Args {
    /// Files and directories; without any, paths are read from stdin, one a line, and records there pass through
    paths: Vec<PathBuf>,
    /// What the input is: files of any kind, or corpora of JSON lines {"_id", "title", "text", …}
    #[arg(long, value_enum, default_value = "files")]
    from: From,
    /// Folder that the keys of the files below it are relative to [default: the directory given]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Characters a chunk should have
    #[arg(long, value_name = "N", default_value_t = 3500)]
    target: usize,
    /// Characters under which the last chunk of a section joins the one before
    #[arg(long, value_name = "N", default_value_t = 300)]
    min: usize,
    /// Most characters of a chunk; only a single sentence or table row may be longer
    #[arg(long, value_name = "N", default_value_t = 6000)]
    max: usize,
    /// Characters of the end of a chunk, in whole sentences, that the next one of its section repeats
    #[arg(long, value_name = "N", default_value_t = 400)]
    overlap: usize,
    /// Largest file that is read, in bytes
    #[arg(long, value_name = "N", default_value_t = 1 << 30)]
    max_bytes: u64,
}

/// What the input is.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum From {
    /// Files, told by their content
    Files,
    /// JSON lines
    Jsonl,
}

fn main() -> ExitCode {
    techrag_cli::main(run)
}

fn run(args: Args, cli: &Cli) -> anyhow::Result<Outcome> {
    anyhow::ensure!(
        args.min <= args.target && args.target <= args.max && args.overlap < args.target,
        "the sizes must satisfy min ≤ target ≤ max and overlap < target"
    );
    let config = config(&args, cli);
    let root = args.root.clone();
    match args.from {
        From::Jsonl => {
            let piped = args.paths.is_empty();
            anyhow::ensure!(!piped || !io::stdin().is_terminal(), "a corpus is expected as an argument or on stdin");
            let stdin = piped.then(|| input::corpus(Box::new(io::stdin()), "stdin"));
            let lines =
                args.paths.into_iter().flat_map(|path| input::corpus_file(&path)).chain(stdin.into_iter().flatten());
            cli.map(lines, None, |line| {
                Ok(line
                    .and_then(|line| line.read(&config))
                    .map_or_else(|error| vec![error.into()], Parsed::into_records))
            })
        }
        From::Files if args.paths.is_empty() => cli.items(Wanted { kinds: &[], bare: Bare::Path }, |item| match item {
            Item::Record(record) => Ok(vec![record]),
            Item::Path(path) => {
                Ok(input::files(Path::new(&path), root.as_deref()).flat_map(|file| one(file, &config, cli)).collect())
            }
        }),
        From::Files => {
            let files = args.paths.into_iter().flat_map(move |path| input::files(&path, root.as_deref()));
            cli.map(files, None, |file| Ok(one(file, &config, cli)))
        }
    }
}

fn config(args: &Args, cli: &Cli) -> Config {
    Config {
        target: args.target,
        min: args.min,
        max: args.max,
        overlap: args.overlap,
        max_bytes: args.max_bytes,
        by: cli.by(),
    }
}

fn one(file: Result<Source, ErrorRecord>, config: &Config, cli: &Cli) -> Vec<Record> {
    match file.map(|file| techrag_chunk::read(&file, config)) {
        Ok(Became::Read(parsed)) => parsed.into_records(),
        Ok(Became::Failed(error)) | Err(error) => vec![error.into()],
        Ok(Became::Unsupported { key, media_type }) => {
            cli.note(&format!("left out {key}: no reader for {media_type}"));
            Vec::new()
        }
    }
}
