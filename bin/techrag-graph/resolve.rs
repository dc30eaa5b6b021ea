//! `techrag-graph resolve`: which cited titles are papers of the graph.

use techrag_cli::{Cli, Outcome, Record};
use techrag_graph::resolve::resolve;

use crate::store::{StoreArgs, fatal};

/// Link papers to the papers of the graph that they cite
///
/// Every cited title is matched anew, by DOI, or by title with guards on authors and years; the CITES_PAPER edges become
/// what was found. `--list` prints each link with both titles and the rule that decided, for a reader's review.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  techrag-graph resolve --library lib --list | jq -r '[.rule, .cited, .title] | @tsv'"
)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// Print each link as a JSON object
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let store = args.store.writing(cli, "resolve")?;
    let found = resolve(store.as_ref()).map_err(fatal)?;
    let listed = if args.list { found.resolved.as_slice() } else { &[] };
    let outcome = cli.map(listed.iter(), None, |link| Ok(vec![Record::Other(serde_json::to_string(link)?)]))?;
    cli.note(&format!(
        "{} citations of papers in the graph, of {} cited works; {} new, {} gone",
        found.resolved.len(),
        found.works,
        found.added,
        found.removed
    ));
    Ok(outcome)
}
