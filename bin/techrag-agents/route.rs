//! `techrag-agents route`: questions in, queries with their `route` out.

use clap::ValueEnum;
use techrag_agents::route;
use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};
use techrag_core::record::Effort;

use crate::llm;

/// Decide which stages serve a question, and what they read
///
/// Reads questions (a line of text, {"question": …}, a BEIR line {"_id", "text"} or a query record) and writes query
/// records with `route`: routes, strategies, the text and the visual query, the effort, and why. Rules decide unless
/// `--by llm` asks a language model; where it gives no route, the rules do.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    echo 'How does the brush model saturate?' | techrag-agents route\n  \
    techrag-agents route --effort high <questions.jsonl | techrag-retrieve --library lib\n  \
    techrag-agents route --by llm --llm http://127.0.0.1:18081/v1 --llm-model small <questions.jsonl")]
pub(crate) struct Args {
    /// Who decides
    #[arg(long, value_name = "WHO", default_value = "rules")]
    by: By,
    /// How much work each question gets
    #[arg(long, value_name = "EFFORT", default_value = "auto")]
    effort: Wish,
    /// How the text query is made: the question itself, with the long forms of known abbreviations added, or as the
    /// language model says it
    #[arg(long, value_name = "HOW", default_value = "off")]
    rewrite: Rewrite,
    #[command(flatten)]
    llm: llm::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// Rules; no model
    Rules,
    /// A language model, one call a question
    Llm,
}

#[derive(Clone, Copy, ValueEnum)]
enum Wish {
    /// The question decides
    Auto,
    /// One pass, one writer
    Low,
    /// Every stage of the route
    High,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rewrite {
    /// The question, to the letter
    Off,
    /// Long forms of abbreviations are added
    Terms,
    /// As the model says it, where it keeps the question's terms; needs `--by llm`
    Llm,
}

impl Args {
    fn config(&self) -> route::Config {
        route::Config {
            effort: match self.effort {
                Wish::Auto => None,
                Wish::Low => Some(Effort::Low),
                Wish::High => Some(Effort::High),
            },
            rewrite: match self.rewrite {
                Rewrite::Off => route::Rewrite::Off,
                Rewrite::Terms => route::Rewrite::Terms,
                Rewrite::Llm => route::Rewrite::Model,
            },
        }
    }
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let config = args.config();
    if args.by == By::Rules {
        anyhow::ensure!(args.rewrite != Rewrite::Llm, "--rewrite llm needs --by llm");
        return cli.queries(Bare::Question, |query| route::run(query, config));
    }
    let chat = args.llm.needed(cli, "--by llm")?;
    let outcome = cli.each(Wanted { kinds: &[Kind::Query], bare: Bare::Question }, |mut record| {
        if let Record::Query(query) = &mut record {
            cli.timed(query, |query| route::model::run(query, config, &chat)).map_err(llm::fatal)?;
        }
        Ok(vec![record])
    })?;
    llm::report(&chat, cli);
    Ok(outcome)
}
