//! `techrag-graph show`: a neighbourhood in the terminal.

use techrag_cli::{Cli, Outcome};
use techrag_graph::show::{Found, neighbourhood};

use crate::store::{StoreArgs, fatal};

/// Show a paper, author or term and what it is linked to
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-graph show --library lib 'Kalman filter'\n  \
    techrag-graph show --library lib Oldendorf\n  \
    techrag-graph show --library lib 955ecb5254bda809 --most 5")]
pub(crate) struct Args {
    /// An id, a name, or words of a title
    name: String,
    /// Most links of a kind that are listed
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = techrag_cli::range::whole::<usize>(0..=techrag_cli::range::MOST))]
    most: usize,
    #[command(flatten)]
    store: StoreArgs,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let store = args.store.reading(cli)?;
    match neighbourhood(store.as_ref(), &args.name, args.most).map_err(fatal)? {
        Found::Text(text) => {
            cli.print(&text)?;
            Ok(Outcome::Done)
        }
        Found::Nothing => anyhow::bail!("the graph has nothing of the name {:?}", args.name),
    }
}
