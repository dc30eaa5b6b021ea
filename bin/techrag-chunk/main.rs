//! `techrag-chunk`: files to documents and chunks.

mod args;
mod from;
mod ocr;
mod speech;
mod version;

use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Read as _};
use std::path::Path;
use std::process::ExitCode;

use args::Args;
use from::From;
use techrag_chunk::input::{self, Source};
use techrag_chunk::{Config, Outcome as Became, Parsed};
use techrag_cli::{Bare, Cli, Item, Outcome, Record, Wanted, Worker};
use techrag_core::record::ErrorRecord;
use techrag_pdf::worker;

fn main() -> ExitCode {
    // Files are read and sound is heard in processes of this same executable: what breaks one costs a page or a file.
    techrag_cli::main_with_worker(Worker { name: worker::ARGUMENT, serve }, run)
}

/// Listens once, or reads one PDF, or one file of another kind, after the other: what the first request asks for.
fn serve(input: &mut dyn io::Read, output: &mut dyn io::Write) -> io::Result<()> {
    let mut input = BufReader::new(input);
    let mut first = String::new();
    input.read_line(&mut first)?;
    if techrag_models::speech::is_request(&first) {
        return techrag_models::speech::serve(&first, output);
    }
    let is_other = techrag_chunk::apart::is_request(&first);
    let input = io::Cursor::new(first).chain(input);
    if is_other { techrag_chunk::apart::serve(input, output) } else { worker::serve(input, output) }
}

fn run(args: Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let config = args.config(cli)?;
    let roots = args.roots.clone();
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
            Item::Path(path) => Ok(input::piped(Path::new(&path), input::root_of(Path::new(&path), &roots))
                .flat_map(|file| one(file, &config, cli))
                .collect()),
        }),
        From::Files => {
            // Folders are walked once more for the number of their files, which costs little beside reading them.
            let count = || args.paths.iter().flat_map(|path| input::files(path, None)).count() as u64;
            let total = cli.shows_progress().then(count);
            let files = args.paths.into_iter().flat_map(move |path| input::files(&path, input::root_of(&path, &roots)));
            cli.map(files, total, |file| Ok(one(file, &config, cli)))
        }
    }
}

fn one(file: Result<Source, ErrorRecord>, config: &Config, cli: &Cli) -> Vec<Record> {
    match file.map(|file| techrag_chunk::read(&file, config)) {
        Ok(Became::Read(parsed)) => {
            if let Some(warning) = parsed.warning() {
                cli.note(&warning);
            }
            parsed.into_records()
        }
        Ok(Became::Failed(error)) | Err(error) => vec![error.into()],
        Ok(Became::Unsupported { key, media_type, hint }) => {
            let hint = hint.map_or(String::new(), |hint| format!(" ({hint})"));
            cli.note(&format!("left out {key}: no reader for {media_type}{hint}"));
            Vec::new()
        }
    }
}
