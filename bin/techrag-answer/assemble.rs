//! `techrag-answer assemble`: hits in, sources and prompt out.

use clap::ValueEnum;
use techrag_answer::assemble;
use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};

use crate::llm;

/// Gather the evidence by paper and build the prompt
///
/// Reads query records with `hits` and writes `sources` (papers by their best chunk, their passages and best
/// sentences), `verification` (sources beside the topic, gaps, contradictions) and `prompt`. Rules find what is
/// doubtful; with `--verify llm` a language model may add to it.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-retrieve --library lib <q.jsonl | techrag-answer assemble\n  \
    techrag-answer assemble --max-prompt-tokens 3000 <hits.jsonl")]
pub(crate) struct Args {
    /// Most chunks a paper, of 3,500 characters each; of shorter ones more, up to the same text
    #[arg(long, value_name = "N", default_value = "6", value_parser = techrag_cli::range::whole::<usize>(1..=techrag_cli::range::MOST))]
    chunks: usize,
    /// Most evidence sentences a paper
    #[arg(long, value_name = "N", default_value = "5", value_parser = techrag_cli::range::whole::<usize>(1..=techrag_cli::range::MOST))]
    sentences: usize,
    /// Most estimated tokens of the prompt; the weakest sentences are dropped first, and named
    #[arg(long, value_name = "N", value_parser = techrag_cli::range::whole::<u64>(1..=1_000_000_000))]
    max_prompt_tokens: Option<u64>,
    /// Who says what is doubtful about the evidence
    #[arg(long, value_name = "WHO", default_value = "rules")]
    verify: Verify,
    #[command(flatten)]
    llm: llm::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Verify {
    /// Rules; no model
    Rules,
    /// Rules, then a language model, which may only add
    Llm,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let config =
        assemble::Config { chunks: args.chunks, sentences: args.sentences, max_prompt_tokens: args.max_prompt_tokens };
    if args.verify == Verify::Rules {
        return cli.queries(Bare::Refused, |query| assemble::run(query, config));
    }
    let chat = args.llm.needed(cli, "--verify llm")?;
    let outcome = cli.each(Wanted { kinds: &[Kind::Query], bare: Bare::Refused }, |mut record| {
        if let Record::Query(query) = &mut record {
            let reviewed = cli.timed(query, |query| {
                assemble::run(query, config);
                assemble::review(query, config, &chat)
            });
            reviewed.map_err(llm::fatal)?;
        }
        Ok(vec![record])
    })?;
    llm::report(&chat, cli);
    Ok(outcome)
}
