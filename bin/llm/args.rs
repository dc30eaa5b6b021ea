//! Names, places and help of the options.

use std::path::PathBuf;

/// Which model, and how it is used.
#[derive(clap::Args)]
#[command(next_help_heading = "Language model options")]
#[group(skip)]
pub(crate) struct Args {
    /// Address of an OpenAI-compatible server, such as http://127.0.0.1:8080/v1 [default: base_url in [llm] of
    /// techrag.toml]
    #[arg(long, env = "TECHRAG_LLM", value_name = "URL")]
    pub(crate) llm: Option<String>,
    /// Model, as the server names it [default: model in [llm]]
    #[arg(long, env = "TECHRAG_LLM_MODEL", value_name = "NAME")]
    pub(crate) llm_model: Option<String>,
    /// Environment variable that holds the key [default: key_env in [llm]]
    #[arg(long, value_name = "NAME")]
    pub(crate) llm_key_env: Option<String>,
    /// File whose first line is the key [default: key_file in [llm]]
    #[arg(long, value_name = "FILE")]
    pub(crate) llm_key_file: Option<PathBuf>,
    /// Longest a call may take, retries included, in seconds [default: timeout in [llm], or 600]
    #[arg(long, value_name = "SECONDS", value_parser = techrag_cli::range::decimal::<f64>(0.001..=techrag_cli::range::LONGEST_S))]
    pub(crate) llm_timeout: Option<f64>,
    /// Keep every call in FILE; a call it has is not made again
    #[arg(long, value_name = "FILE", conflicts_with_all = ["llm_replay", "dry_run"])]
    pub(crate) llm_record: Option<PathBuf>,
    /// Take every call from FILE; no server is asked
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub(crate) llm_replay: Option<PathBuf>,
    /// Most US dollars of the run, by the prices in [llm.prices]
    #[arg(long, value_name = "USD", value_parser = techrag_cli::range::decimal::<f64>(0.0..=1e9))]
    pub(crate) max_usd: Option<f64>,
    /// Most calls of the run
    #[arg(long, value_name = "N", value_parser = techrag_cli::range::whole::<u64>(0..=techrag_cli::range::MOST))]
    pub(crate) max_calls: Option<u64>,
    /// Send nothing; tell what would be sent and what it would cost at most
    #[arg(long)]
    pub(crate) dry_run: bool,
}
