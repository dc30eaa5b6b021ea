//! `techrag-retrieve`: questions in, questions with hits out.

mod args;
#[path = "../endpoint/mod.rs"]
mod endpoint;
mod settings;
mod values;

use std::mem::ManuallyDrop;
use std::process::ExitCode;

use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};
use techrag_core::record::{ErrorKind, ErrorRecord, Query};
use techrag_models::{Limits, Locator, Manifest};
use techrag_retrieve::{Models, Retriever};

use crate::args::Args;
use crate::endpoint::fatal;

fn main() -> ExitCode {
    techrag_cli::main(run)
}

fn run(args: Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let locator = Locator::new(cli.model_folders());
    let manifest = Manifest::of(&locator).map_err(|error| fatal(error.into()))?;
    let models = Models::new(locator, manifest, Limits { sessions: cli.jobs(), batch: 1 });
    let models = match args.endpoint.server(cli)? {
        Some((client, base, key)) => models.with_endpoint(client, base, key),
        None => models,
    };
    // Never taken down: freeing a model takes as long as a search, and the process ends when the run does.
    let retriever = ManuallyDrop::new(Retriever::open(cli.library()?, models, args.config(cli)?).map_err(fatal)?);
    cli.each(Wanted { kinds: &[Kind::Query], bare: Bare::Question }, |record| {
        let Record::Query(mut query) = record else { return Ok(vec![record]) };
        let search = |query: &mut Query| if args.retry { retriever.retry(query) } else { retriever.answer(query) };
        match cli.timed(&mut query, search) {
            Ok(()) => {}
            Err(error) if error.is_about_a_text() => {
                let error = ErrorRecord::new(query.judged_name(), cli.stage(), ErrorKind::Model, error.to_string());
                return Ok(vec![error.into()]);
            }
            Err(error) => return Err(fatal(error)),
        }
        Ok(vec![Record::Query(query)])
    })
}
