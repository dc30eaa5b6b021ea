//! `techrag-agents route`: questions in, queries with their `route` out.

use clap::ValueEnum;
use techrag_agents::route;
use techrag_cli::{Bare, Cli, Outcome};
use techrag_core::record::Effort;

/// Decide which stages serve a question, and what they read
///
/// Reads questions (a line of text, {"question": …}, a BEIR line {"_id", "text"} or a query record) and writes query
/// records with `route`: routes, strategies, the text and the visual query, the effort, and why.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    echo 'How does the brush model saturate?' | techrag-agents route\n  \
    techrag-agents route --effort high <questions.jsonl | techrag-retrieve --library lib")]
pub(crate) struct Args {
    /// How much work each question gets
    #[arg(long, value_name = "EFFORT", default_value = "auto")]
    effort: Wish,
    /// How the text query is made: the question itself, or with the long forms of known abbreviations added
    #[arg(long, value_name = "HOW", default_value = "off")]
    rewrite: Rewrite,
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

#[derive(Clone, Copy, ValueEnum)]
enum Rewrite {
    /// The question, to the letter
    Off,
    /// Long forms of abbreviations are added
    Terms,
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
            },
        }
    }
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let config = args.config();
    cli.queries(Bare::Question, |query| route::run(query, config))
}
