//! `techrag-graph export`: the whole graph for other programs.

use clap::ValueEnum;
use techrag_cli::{Cli, Outcome};
use techrag_graph::Label;
use techrag_graph::export::{Format, export};

use crate::store::{StoreArgs, fatal};

/// Write the whole graph as JSONL, GraphML, Cypher statements or DOT
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-graph export --library lib --format graphml -o graph.graphml\n  \
    techrag-graph export --library lib --format dot --label Paper --label Method | dot -Tsvg >graph.svg")]
pub(crate) struct Args {
    /// The format
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    format: FormatName,
    /// Only nodes of this label, and the edges between them; may be repeated [default: all]
    #[arg(long, value_name = "LABEL", value_parser = label)]
    label: Vec<Label>,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatName {
    /// One object a node or edge
    Jsonl,
    /// For Gephi, yEd, NetworkX
    Graphml,
    /// For a server that speaks Cypher
    Cypher,
    /// For Graphviz
    Dot,
}

fn label(name: &str) -> Result<Label, String> {
    Label::of(name).ok_or_else(|| format!("labels are {}", Label::ALL.map(Label::name).join(", ")))
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let format = match args.format {
        FormatName::Jsonl => Format::Jsonl,
        FormatName::Graphml => Format::GraphMl,
        FormatName::Cypher => Format::Cypher,
        FormatName::Dot => Format::Dot,
    };
    let labels = if args.label.is_empty() { Label::ALL.to_vec() } else { args.label.clone() };
    let text = export(args.store.reading(cli)?.as_ref(), format, &labels).map_err(fatal)?;
    cli.print(&text)?;
    Ok(Outcome::Done)
}
