//! `techrag-graph stats`: what the graph holds, in numbers.

use techrag_cli::{Cli, Outcome};

use crate::store::{StoreArgs, fatal};

/// Count nodes and edges by kind
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  techrag-graph stats --library lib --json | jq .nodes.Paper")]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let stats = args.store.reading(cli)?.stats().map_err(fatal)?;
    let text = if args.json {
        serde_json::to_string(&stats)? + "\n"
    } else {
        let line = |(name, count): (&String, &u64)| format!("{name:14} {count}\n");
        stats.nodes.iter().chain(&stats.edges).map(line).collect()
    };
    cli.print(&text)?;
    Ok(Outcome::Done)
}
