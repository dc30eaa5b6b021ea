//! The options of `techrag-graph extract`.

use std::path::PathBuf;

use anyhow::Context as _;
use techrag_cli::Cli;
use techrag_graph::extract::{Config, Limits, Vocabulary};
use techrag_net::chat::Chat;

use crate::llm;

/// Name what each paper is about and what it cites
///
/// Reads document and chunk records and writes one `entities` record a document when the input ends: terms are weighed
/// over all of them. `removed` and error records pass. With --llm a language model is asked too, one call a paper over its
/// priority sections; --dry-run says what that would cost at most, --llm-record keeps every reply, so that a run that was
/// cut short goes on where it was.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-chunk papers/ | techrag-graph extract >entities.jsonl\n  \
    techrag-graph extract --vocabulary mine.toml <chunks.jsonl | jq -c '[.paper.title, [.methods[]?.name]]'")]
pub(crate) struct Args {
    /// Terms and their kinds, added to those built in (docs/GRAPH.md tells the form)
    #[arg(long, value_name = "FILE")]
    vocabulary: Vec<PathBuf>,
    /// Characters read of the first chunk, abstract, introduction and conclusion
    #[arg(long, value_name = "N", default_value_t = 6000, value_parser = techrag_cli::range::whole::<usize>(0..=techrag_cli::range::MOST))]
    priority: usize,
    /// Most topics of a paper
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = techrag_cli::range::whole::<usize>(0..=techrag_cli::range::MOST))]
    topics: usize,
    /// Most methods of a paper
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = techrag_cli::range::whole::<usize>(0..=techrag_cli::range::MOST))]
    methods: usize,
    /// Most metrics of a paper
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = techrag_cli::range::whole::<usize>(0..=techrag_cli::range::MOST))]
    metrics: usize,
    /// Most applications of a paper
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = techrag_cli::range::whole::<usize>(0..=techrag_cli::range::MOST))]
    applications: usize,
    /// Also name relations between terms: USED_FOR, MEASURES, RELATED_TO, BROADER_THAN
    #[arg(long)]
    relations: bool,
    /// Take proper names for topics: for collections that are no papers
    #[arg(long)]
    names: bool,
    /// Least weight of a term, 0 to 1
    #[arg(long, value_name = "W", default_value_t = 0.25, value_parser = techrag_cli::range::decimal::<f64>(0.0..=1e6))]
    least: f64,
    #[command(flatten)]
    llm: llm::Args,
}

impl Args {
    /// The model, where one is asked for by a flag: a configured one alone does not make extraction cost money.
    pub(crate) fn chat(&self, cli: &Cli) -> anyhow::Result<Option<Chat>> {
        let asked = self.llm.llm.is_some() || self.llm.llm_replay.is_some();
        if asked { self.llm.needed(cli, "extraction").map(Some) } else { Ok(None) }
    }

    pub(crate) fn config(&self, cli: &Cli) -> anyhow::Result<Config> {
        let mut vocabulary = Vocabulary::shipped()?;
        for path in &self.vocabulary {
            let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            vocabulary.extend(&text).with_context(|| path.display().to_string())?;
        }
        let limits = Limits {
            topics: self.topics,
            methods: self.methods,
            metrics: self.metrics,
            applications: self.applications,
            least: self.least,
        };
        Ok(Config {
            vocabulary,
            priority: self.priority,
            limits,
            names: self.names,
            relations: self.relations,
            by: cli.by(),
        })
    }
}
