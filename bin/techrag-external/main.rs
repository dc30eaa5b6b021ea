//! `techrag-external`: literature and the web beyond the library.

mod args;
mod settings;

use std::process::ExitCode;

use args::{Args, Search};
use techrag_agents::meaning::Meaning;
use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};
use techrag_core::record::Query;
use techrag_external::{World, explain, lookup, run, skip};
use techrag_models::{Limits, Locator};

/// Why a record of a pipeline is not searched for by itself.
const UNCONFIGURED: &str =
    "none is configured (contact or searxng under [external] in techrag.toml, or --search always)";

/// Search one question, where the settings say so.
fn search(query: &mut Query, world: &World<'_>, args: &Args, by: &str) {
    // A question that comes without any stage's trace was put to this tool itself.
    let asked_here = query.trace.is_empty() && query.route.is_none();
    match args.search {
        Search::Never => skip(query, by, "--search never"),
        Search::Auto if !asked_here && !args.is_configured() => skip(query, by, UNCONFIGURED),
        Search::Auto | Search::Always => run(query, world),
    }
}

fn start(args: Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let locator = Locator::new(cli.model_folders());
    let limits = Limits { sessions: cli.jobs(), batch: 1 };
    let meaning = args.encoder().and_then(|id| Meaning::if_present(locator, id, limits));
    let cosines = meaning.as_ref().map(|meaning| |question: &str, texts: &[&str]| meaning.cosines(question, texts));
    let cosines = cosines.as_ref().map(|cosines| cosines as &techrag_external::Cosines<'_>);
    let world = World { config: args.config(cli)?, desk: args.desk(cli)?, cosines };
    let dois = args.dois()?;
    let shown = |query: Query| match args.explain {
        true => Record::Other(explain::table(&query).trim_end().to_owned()),
        false => Record::from(query),
    };
    if !dois.is_empty() {
        return cli.map(std::iter::once(dois), Some(1), |dois| {
            let mut query = Query::new(dois.iter().map(|doi| format!("doi:{doi}")).collect::<Vec<_>>().join(" "));
            cli.timed(&mut query, |query| lookup(query, &dois, &world));
            Ok(vec![shown(query)])
        });
    }
    cli.each(Wanted { kinds: &[Kind::Query], bare: Bare::Question }, |record| {
        let Record::Query(mut query) = record else { return Ok(vec![record]) };
        cli.timed(&mut query, |query| search(query, &world, &args, &cli.by()));
        Ok(vec![shown(*query)])
    })
}

fn main() -> ExitCode {
    techrag_cli::main(start)
}
