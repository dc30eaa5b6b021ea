//! `techrag-graph alias`: names of one thing, proposed, applied, undone.

use clap::Subcommand;
use techrag_cli::{Cli, Outcome, Record};
use techrag_core::record::AliasProposal;
use techrag_graph::alias;
use techrag_models::{Limits, Locator, Manifest, SentenceEncoder, Side};

use crate::store::{StoreArgs, fatal};

/// Find names of one thing and make them one
///
/// `propose` prints one JSON object a name; a reader sets its `apply`; `apply` makes ALIAS_OF edges of those that say so,
/// and `undo`, given the same lines, takes the edges away again.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-graph alias propose --library lib >aliases.jsonl\n  \
    techrag-graph alias apply --library lib <aliases.jsonl\n  \
    techrag-graph alias undo --library lib <aliases.jsonl")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Print proposals
    Propose {
        #[command(flatten)]
        store: StoreArgs,
        /// Least cosine of two names of one meaning; 0 compares no meanings and needs no model
        #[arg(long, value_name = "C", default_value_t = 0.0, value_parser = techrag_cli::range::decimal::<f32>(0.0..=1.0))]
        meaning: f32,
    },
    /// Make edges of the proposals on stdin that say so
    Apply {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Take the edges of the proposals on stdin away
    Undo {
        #[command(flatten)]
        store: StoreArgs,
    },
}

/// The model whose vectors tell meanings.
const ENCODER: &str = "all-MiniLM-L6-v2";

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    match &args.action {
        Action::Propose { store, meaning } => propose(store, *meaning, cli),
        Action::Apply { store } => change(store, cli, "alias apply", alias::apply),
        Action::Undo { store } => change(store, cli, "alias undo", alias::undo),
    }
}

fn propose(store: &StoreArgs, least: f32, cli: &Cli) -> anyhow::Result<Outcome> {
    let store = store.reading(cli)?;
    let embed = |names: &[&str]| -> anyhow::Result<Vec<Vec<f32>>> {
        let limits = Limits { sessions: cli.jobs(), batch: 32 };
        let encoder = SentenceEncoder::open(&Locator::new(cli.model_folders()), Manifest::builtin(), ENCODER, limits)?;
        Ok(encoder.encode(Side::Passage, names)?)
    };
    let embed: Option<alias::Embed<'_, anyhow::Error>> = if least > 0.0 { Some(&embed) } else { None };
    let proposals = alias::propose(store.as_ref(), embed, least)?;
    cli.map(proposals.iter(), None, |proposal| Ok(vec![Record::Other(serde_json::to_string(proposal)?)]))
}

fn change(
    store: &StoreArgs,
    cli: &Cli,
    command: &str,
    change: fn(&dyn techrag_graph::Store, &[AliasProposal]) -> techrag_graph::Result<alias::Changed>,
) -> anyhow::Result<Outcome> {
    let store = store.writing(cli, command)?;
    let mut proposals: Vec<AliasProposal> = Vec::new();
    for (line, number) in std::io::read_to_string(std::io::stdin())?.lines().zip(1..) {
        if !line.trim().is_empty() {
            let parsed = serde_json::from_str(line);
            proposals.push(parsed.map_err(|error| anyhow::anyhow!("stdin:{number} is no proposal: {error}"))?);
        }
    }
    let changed = change(store.as_ref(), &proposals).map_err(fatal)?;
    cli.note(&format!("{} edges, {} left out", changed.edges, changed.left_out));
    Ok(Outcome::Done)
}
