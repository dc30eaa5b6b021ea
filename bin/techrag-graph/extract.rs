//! `techrag-graph extract`: documents and chunks in, entities out.

use std::path::PathBuf;

use anyhow::Context as _;
use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Step, Wanted};
use techrag_graph::extract::{Config, Extractor, Limits, Vocabulary};

/// Name what each paper is about and what it cites, by rules
///
/// Reads document and chunk records and writes one `entities` record a document when the input ends: terms are weighed
/// over all of them. `removed` and error records pass. No model is asked.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-chunk papers/ | techrag-graph extract >entities.jsonl\n  \
    techrag-graph extract --vocabulary mine.toml <chunks.jsonl | jq -c '[.paper.title, [.methods[].name]]'")]
pub(crate) struct Args {
    /// Terms and their kinds, added to those built in (docs/GRAPH.md tells the form)
    #[arg(long, value_name = "FILE")]
    vocabulary: Vec<PathBuf>,
    /// Characters read of the first chunk, abstract, introduction and conclusion
    #[arg(long, value_name = "N", default_value_t = 6000)]
    priority: usize,
    /// Most topics of a paper
    #[arg(long, value_name = "N", default_value_t = 12)]
    topics: usize,
    /// Most methods of a paper
    #[arg(long, value_name = "N", default_value_t = 12)]
    methods: usize,
    /// Most metrics of a paper
    #[arg(long, value_name = "N", default_value_t = 10)]
    metrics: usize,
    /// Most applications of a paper
    #[arg(long, value_name = "N", default_value_t = 6)]
    applications: usize,
    /// Take proper names for topics: for collections that are no papers
    #[arg(long)]
    names: bool,
    /// Least weight of a term, 0 to 1
    #[arg(long, value_name = "W", default_value_t = 0.25)]
    least: f64,
}

const WANTED: Wanted = Wanted { kinds: &[Kind::Document, Kind::Chunk], bare: Bare::Refused };

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let mut extractor = Some(Extractor::new(args.config(cli)?));
    let outcome = cli.fold(WANTED, |step| {
        Ok(match (step, extractor.as_mut()) {
            (Step::Record(Record::Document(document)), Some(extractor)) => {
                extractor.document(*document);
                Vec::new()
            }
            (Step::Record(Record::Chunk(chunk)), Some(extractor)) => {
                extractor.chunk(*chunk);
                Vec::new()
            }
            (Step::Record(other), _) => vec![other],
            (Step::Idle, _) => Vec::new(),
            (Step::End, _) => {
                extractor.take().map_or_else(Vec::new, Extractor::finish).into_iter().map(Record::from).collect()
            }
        })
    })?;
    Ok(outcome)
}

impl Args {
    fn config(&self, cli: &Cli) -> anyhow::Result<Config> {
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
        Ok(Config { vocabulary, priority: self.priority, limits, names: self.names, by: cli.by() })
    }
}
