//! `techrag-agents generate`: evidence in, cited answers out.

use clap::ValueEnum;
use techrag_agents::extractive::{self, Cosines};
use techrag_agents::meaning::Meaning;
use techrag_cli::{Bare, Cli, Outcome};
use techrag_models::{Limits, Locator};

/// Write the answer, every sentence cited, or "Not found in the provided sources."
///
/// Reads query records with `sources` and writes `answer`. The extractive writer quotes the sentences, captions and
/// table rows that answer best; it needs no language model and gives the same answer every time. It refuses when the
/// evidence supports an answer less than --floor.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-answer assemble <hits.jsonl | techrag-agents generate >answers.jsonl\n  \
    techrag-agents generate --max-sentences 2 --encoder off <assembled.jsonl | jq -r .answer.text")]
pub(crate) struct Args {
    /// Who writes
    #[arg(long, value_name = "MODE", default_value = "extractive")]
    mode: Mode,
    /// Most sentences of an answer
    #[arg(long, value_name = "N", default_value = "6")]
    max_sentences: usize,
    /// Support, 0 to 1, below which the answer is a refusal
    #[arg(long, value_name = "SHARE", default_value_t = extractive::FLOOR)]
    floor: f64,
    /// Sentence encoder that compares by meaning: its name in the manifest; `off` for words alone; `auto` for the
    /// built-in choice where its files are there
    #[arg(long, value_name = "ID", default_value = "auto")]
    encoder: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum Mode {
    /// Quotes the sources; no language model
    Extractive,
}

/// What `auto` stands for.
const ENCODER: &str = "all-MiniLM-L6-v2";

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let Mode::Extractive = args.mode;
    let config = extractive::Config { max_sentences: args.max_sentences, floor: args.floor };
    let locator = Locator::new(cli.model_folders());
    let limits = Limits { sessions: cli.jobs(), batch: 1 };
    let meaning = match args.encoder.as_str() {
        "off" => None,
        "auto" => Meaning::if_present(locator, ENCODER, limits),
        id => Some(Meaning::open(locator, id, limits).map_err(fatal)?),
    };
    let cosines = meaning.as_ref().map(|meaning| |question: &str, texts: &[&str]| meaning.cosines(question, texts));
    cli.queries(Bare::Refused, |query| {
        extractive::run(query, config, cosines.as_ref().map(|cosines| cosines as &Cosines<'_>));
    })
}

fn fatal(error: techrag_models::Error) -> anyhow::Error {
    match error.hint().map(str::to_owned) {
        Some(hint) => techrag_cli::hint(error, hint),
        None => error.into(),
    }
}
