//! `techrag-visual search`: questions in, questions with pages out.

use clap::ValueEnum;
use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};
use techrag_core::record::{ErrorKind, ErrorRecord, Query};
use techrag_index::{Bm25, Condition, Idf};
use techrag_models::{Limits, Locator};
use techrag_visual::{Order, SearchConfig, Searcher};

/// Find the pages that show what a question asks for
///
/// Reads questions (a line of text, {"question": …}, a BEIR line or a query record) and writes query records with
/// `visual`: pages, best first, each with its scores and the figure or table on it that fits best. Serves the content
/// route only, and not at low effort; a library without pages is noted in the trace.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    echo 'How does force saturate over slip?' | techrag-visual search --library lib -k 3\n  \
    techrag-retrieve --library lib <questions.jsonl | techrag-visual search --library lib --where 'year>=2020'")]
pub(crate) struct Args {
    /// Most pages of a question
    #[arg(short, long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=MOST))]
    k: u32,
    /// Pages that the encodings choose for the exact score
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=MOST))]
    candidates: u32,
    /// What orders the candidates
    #[arg(long, value_name = "ORDER", default_value = "with-text")]
    order: OrderName,
    /// Rank only pages that meet a condition, such as year>=2020, key^=reports/, role=results
    #[arg(long = "where", value_name = "FIELD OP VALUE")]
    scope: Vec<Condition>,
    /// Serve the second pass: search for retry.query where a retry was asked for, and where the effort was raised
    #[arg(long)]
    retry: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum OrderName {
    /// The sum of the z-scores of exact MaxSim and of BM25 over the text on the page
    WithText,
    /// Exact MaxSim alone
    Maxsim,
}

/// Most pages that are asked for or looked at: more than that is an export.
const MOST: i64 = 1_000_000;

/// BM25 as `techrag-retrieve` counts by default.
const BM25: Bm25 = Bm25 { idf: Idf::Lucene, k1: 1.2, b: 0.75, weights: [2.0, 2.0, 1.0] };

impl Args {
    fn config(&self, cli: &Cli) -> SearchConfig {
        SearchConfig {
            k: self.k as usize,
            candidates: self.candidates as usize,
            order: match self.order {
                OrderName::WithText => Order::WithText,
                OrderName::Maxsim => Order::MaxSim,
            },
            bm25: BM25,
            scope: self.scope.clone(),
            version: cli.version().into(),
        }
    }
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let locator = Locator::new(cli.model_folders());
    let limits = Limits { sessions: cli.jobs(), batch: 1 };
    let searcher = Searcher::open(cli.library()?, locator, limits, args.config(cli)).map_err(super::fatal)?;
    cli.each(Wanted { kinds: &[Kind::Query], bare: Bare::Question }, |record| {
        let Record::Query(mut query) = record else { return Ok(vec![record]) };
        let search = |query: &mut Query| if args.retry { searcher.retry(query) } else { searcher.answer(query) };
        match cli.timed(&mut query, search) {
            Ok(()) => Ok(vec![Record::Query(query)]),
            Err(error) if error.is_about_a_text() => {
                let error = ErrorRecord::new(query.judged_name(), cli.stage(), ErrorKind::Model, error.to_string());
                Ok(vec![error.into()])
            }
            Err(error) => Err(super::fatal(error)),
        }
    })
}
