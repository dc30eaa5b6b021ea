//! The options of `techrag-external`, and what they configure.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use techrag_external::sources::Source;

/// Look for literature, counts and news beyond the library
///
/// Reads query records and writes `external`: the vetted works, what each source said, and why it was searched or not.
/// Content questions are searched for when the evidence is MODERATE or WEAK, never when it is STRONG; bibliometric and
/// trend questions ask OpenAlex; current_world questions ask the web search. A question typed as a line of text is
/// searched for at once. Records of a pipeline are searched for where a contact or a web search is configured, so that
/// nothing is sent anywhere unasked. A source that refuses, is limited or away costs a note, never a wait of hours.
///
/// Keys are read from OPENALEX_API_KEY, SEMANTIC_SCHOLAR_API_KEY, BRAVE_API_KEY and TAVILY_API_KEY.
#[derive(Parser)]
#[command(
    name = "techrag-external",
    after_help = "Examples:\n  \
    echo 'How does tyre wear depend on slip?' | techrag-external --explain\n  \
    techrag-external --doi 10.1080/00423114.2019.1580377 | jq '.external.works'\n  \
    techrag-score <hits.jsonl | techrag-external --search always --contact you@example.org >enriched.jsonl"
)]
pub(crate) struct Args {
    /// Look up these DOIs instead of reading questions
    #[arg(long, value_name = "DOI", value_delimiter = ',')]
    pub(crate) doi: Vec<String>,
    /// When records are searched for
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) search: Search,
    /// Literature indexes that the content loop and --doi ask
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "crossref,openalex,semanticscholar")]
    pub(crate) sources: Vec<Index>,
    /// Most works and pages kept of a loop
    #[arg(long, value_name = "N", default_value = "10", value_parser = techrag_cli::range::whole::<usize>(1..=1000))]
    pub(crate) max_results: usize,
    /// Keep works that fail the vetting too, with the reason, behind those that pass
    #[arg(long)]
    pub(crate) rejected: bool,
    /// Works asked of a source at a time, at most 100
    #[arg(long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) rows: u32,
    /// Mail address that the services may write to; it opens Crossref's polite pool
    #[arg(long, env = "TECHRAG_CONTACT", value_name = "ADDRESS")]
    pub(crate) contact: Option<String>,
    /// SearXNG instance for current_world questions
    #[arg(long, env = "TECHRAG_SEARXNG", value_name = "URL")]
    pub(crate) searxng: Option<String>,
    /// Another address of a service, as NAME=URL; it gets that service's key, so no file may set it
    #[arg(long, value_name = "NAME=URL", value_delimiter = ',', env = "TECHRAG_ENDPOINTS")]
    pub(crate) endpoint: Vec<String>,
    /// Folder of stored answers and counted requests [default: techrag/external in the user's cache folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
    /// Ask again for what is stored
    #[arg(long)]
    pub(crate) refresh: bool,
    /// Keep every answer in this folder
    #[arg(long, value_name = "DIR", conflicts_with = "replay")]
    pub(crate) record: Option<PathBuf>,
    /// Take every answer from this folder and ask nobody
    #[arg(long, value_name = "DIR")]
    pub(crate) replay: Option<PathBuf>,
    /// Longest wait for a source's turn, in seconds; it is skipped with a note after that
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = techrag_cli::range::decimal::<f64>(0.0..=techrag_cli::range::LONGEST_S))]
    pub(crate) max_wait: f64,
    /// No attempt begins after so many seconds of a question
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = techrag_cli::range::decimal::<f64>(0.0..=techrag_cli::range::LONGEST_S))]
    pub(crate) max_time: f64,
    /// Year from which "recent" is judged
    #[arg(long, value_name = "YEAR", value_parser = clap::value_parser!(i32).range(0..=9999))]
    pub(crate) year: Option<i32>,
    /// Sentence encoder that vets by meaning, where its files are there; `off` for words alone
    #[arg(long, value_name = "ID", default_value = "all-MiniLM-L6-v2")]
    pub(crate) encoder: String,
    /// Print a table for people instead of records
    #[arg(long)]
    pub(crate) explain: bool,
}

/// When records are searched for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Search {
    /// A question typed here always, a record of a pipeline where a contact or a web search is configured
    Auto,
    /// Wherever route and evidence ask for it
    Always,
    /// Nothing outside is asked
    Never,
}

/// A literature index by its name.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "lower")]
pub(crate) enum Index {
    Crossref,
    OpenAlex,
    SemanticScholar,
    Arxiv,
    EuropePmc,
}

impl From<Index> for Source {
    fn from(index: Index) -> Self {
        match index {
            Index::Crossref => Self::Crossref,
            Index::OpenAlex => Self::OpenAlex,
            Index::SemanticScholar => Self::SemanticScholar,
            Index::Arxiv => Self::Arxiv,
            Index::EuropePmc => Self::EuropePmc,
        }
    }
}
