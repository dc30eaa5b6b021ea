//! The options of `techrag-score`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Parser, ValueEnum};
use techrag_core::calibration::Model;
use techrag_core::record::Verdict;
use techrag_score::Thesaurus;

use crate::llm;

/// Score how sufficient the evidence is, and ask for a second look where it is not
///
/// Reads query records with `hits` and writes `evidence`: a score of 0 to 100 in five parts, each with its inputs and
/// why, and a verdict: STRONG from 80, MODERATE from 50, WEAK below. A WEAK query gets a `retry` with a reformulated
/// question; `techrag-retrieve --retry` serves it and `techrag-score --retry` decides on it. Only the content route is
/// scored. Exit code 1 if `--require` was asked for and some record falls short of it.
#[derive(Parser)]
#[command(
    name = "techrag-score",
    after_help = "Examples:\n  \
        techrag-retrieve --library lib <questions.jsonl | techrag-score --explain\n  \
        techrag-score <hits.jsonl | techrag-retrieve --library lib --retry | techrag-score --retry >scored.jsonl\n  \
        techrag-score --require MODERATE <hits.jsonl >scored.jsonl || echo 'not enough evidence'"
)]
pub(crate) struct Args {
    /// Decide on the retry: drift guard, second score, the higher one is kept
    #[arg(long)]
    pub(crate) retry: bool,
    /// Print a table for people instead of records
    #[arg(long)]
    pub(crate) explain: bool,
    /// Exit with 1 unless every scored record reaches this verdict
    #[arg(long, value_name = "VERDICT", ignore_case = true)]
    pub(crate) require: Option<Require>,
    /// Year from which recency is judged; without it, a question for recent work gets half of those points
    #[arg(long, value_name = "YEAR", value_parser = clap::value_parser!(i32).range(0..=9999))]
    pub(crate) year: Option<i32>,
    /// Calibration of relevance [default: the one built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) calibration: Option<PathBuf>,
    /// Synonyms, abbreviations and modifiers for a second look [default: the list built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) thesaurus: Option<PathBuf>,
    /// Who looks at the verdict after the rules; a reviewer may only lower it
    #[arg(long, value_name = "WHO", default_value = "none")]
    pub(crate) reviewer: Reviewer,
    /// Most estimated tokens of a reviewer's prompt; the weakest passages are left out first
    #[arg(long, value_name = "N", value_parser = techrag_cli::range::whole::<u64>(1..=1_000_000_000))]
    pub(crate) max_prompt_tokens: Option<u64>,
    #[command(flatten)]
    pub(crate) llm: llm::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reviewer {
    /// Nobody; no model
    None,
    /// A language model, one call a record that is not WEAK
    Llm,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Require {
    /// Enough to answer from the library
    #[value(name = "STRONG")]
    Strong,
    /// Enough to answer and enrich
    #[value(name = "MODERATE")]
    Moderate,
}

impl Args {
    pub(crate) fn least(&self) -> Option<Verdict> {
        self.require.map(|require| match require {
            Require::Strong => Verdict::Strong,
            Require::Moderate => Verdict::Moderate,
        })
    }

    pub(crate) fn model(&self) -> anyhow::Result<Model> {
        match &self.calibration {
            None => Ok(Model::shipped()?),
            Some(path) => Model::parse(&read(path)?).with_context(|| path.display().to_string()),
        }
    }

    pub(crate) fn words(&self) -> anyhow::Result<Thesaurus> {
        match &self.thesaurus {
            None => Ok(Thesaurus::shipped()?),
            Some(path) => Thesaurus::parse(&read(path)?).with_context(|| path.display().to_string()),
        }
    }
}

fn read(path: &PathBuf) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}
