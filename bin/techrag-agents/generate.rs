//! `techrag-agents generate`: evidence in, cited answers out.

use techrag_agents::extractive::{self, Cosines};
use techrag_agents::{generate, meaning::Meaning};
use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};
use techrag_models::{Limits, Locator};
use techrag_net::chat::Chat;

use crate::choices::{Fallback, Mode};
use crate::llm;

/// Write the answer, every sentence cited, or "Not found in the provided sources."
///
/// Reads query records with `sources` and `prompt` and writes `answer`. Where the record has rows of the library's
/// catalog (`sql`, a question that counts or lists), they are the answer. The extractive writer quotes the sentences,
/// captions and table rows that answer best; it needs no language model and gives the same answer every time. It refuses
/// when the evidence supports an answer less than --floor; then no model is asked either. With a language model, `single`
/// writes by one call and `multi` by four agents (planner, researcher, writer, critic; also `outline`, `evidence_map`,
/// `draft`, `critique`). Which pages a sentence rests on is looked up here, never asked of a model; where no claim of its
/// answer can be verified, the extractive one stands, and the record says so.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-answer assemble <hits.jsonl | techrag-agents generate >answers.jsonl\n  \
    techrag-agents generate --max-sentences 2 --encoder off <assembled.jsonl | jq -r .answer.text\n  \
    techrag-agents generate --mode multi --dry-run --llm http://127.0.0.1:18081/v1 --llm-model small <assembled.jsonl >/dev/null")]
pub(crate) struct Args {
    /// Who writes
    #[arg(long, value_name = "MODE", default_value = "auto")]
    mode: Mode,
    /// What stands where no claim of a model's answer can be verified
    #[arg(long, value_name = "ANSWER", default_value = "extractive")]
    fallback: Fallback,
    /// Most sentences of an answer [default: 8 quoted, 6 by a model, whose sentences say more each]
    #[arg(long, value_name = "N", value_parser = techrag_cli::range::whole::<usize>(1..=techrag_cli::range::MOST))]
    max_sentences: Option<usize>,
    /// Support, 0 to 1, below which the answer is a refusal
    #[arg(long, value_name = "SHARE", default_value_t = extractive::FLOOR, value_parser = techrag_cli::range::decimal::<f64>(0.0..=1.0))]
    floor: f64,
    /// Sentence encoder that compares by meaning: its name in the manifest; `off` for words alone; `auto` for the
    /// built-in choice where its files are there
    #[arg(long, value_name = "ID", default_value = "auto")]
    encoder: String,
    /// Most estimated tokens of a prompt; the weakest evidence is left out first. The model's context must hold this and
    /// the reply (up to 1,200)
    #[arg(long, value_name = "N", value_parser = techrag_cli::range::whole::<u64>(1..=1_000_000_000))]
    max_prompt_tokens: Option<u64>,
    /// Most page images of `visual` that a writer sees, for models that read images; they lie in the --library
    #[arg(long, value_name = "N", default_value = "0", value_parser = techrag_cli::range::whole::<usize>(0..=1000))]
    images: usize,
    #[command(flatten)]
    llm: llm::Args,
}

const ENCODER: &str = "all-MiniLM-L6-v2"; // what `auto` stands for
const BATCH: usize = 16; // short texts of one length share a run: single words do, which a missing one is compared with

impl Args {
    fn config<'a>(&self, cli: &'a Cli) -> anyhow::Result<generate::Config<'a>> {
        let named = self.llm.llm.is_some() || self.llm.llm_replay.is_some();
        Ok(generate::Config {
            mode: self.mode.into(),
            fallback: self.fallback.into(),
            extractive: extractive::Config {
                max_sentences: self.max_sentences.unwrap_or(extractive::SENTENCES),
                floor: self.floor,
            },
            max_sentences: self.max_sentences.unwrap_or(generate::SENTENCES),
            max_prompt_tokens: self.max_prompt_tokens,
            images: if self.images == 0 { None } else { Some((self.images, cli.library()?)) },
            model_needed: named || matches!(self.mode, Mode::Multi | Mode::Single),
        })
    }

    fn chat(&self, cli: &Cli) -> anyhow::Result<Option<Chat>> {
        match self.mode {
            Mode::Extractive => Ok(None),
            Mode::Auto => self.llm.chat(cli),
            Mode::Multi => self.llm.needed(cli, "--mode multi").map(Some),
            Mode::Single => self.llm.needed(cli, "--mode single").map(Some),
        }
    }

    fn meaning(&self, cli: &Cli) -> anyhow::Result<Option<Meaning>> {
        let locator = Locator::new(cli.model_folders());
        let limits = Limits { sessions: cli.jobs(), batch: BATCH };
        match self.encoder.as_str() {
            "off" => Ok(None),
            "auto" => Ok(Meaning::if_present(locator, ENCODER, limits)),
            id => Meaning::open(locator, id, limits).map(Some).map_err(|error| match error.hint().map(str::to_owned) {
                Some(hint) => techrag_cli::hint(error, hint),
                None => error.into(),
            }),
        }
    }
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let (config, chat, meaning) = (args.config(cli)?, args.chat(cli)?, args.meaning(cli)?);
    let cosines = meaning.as_ref().map(|meaning| |question: &str, texts: &[&str]| meaning.cosines(question, texts));
    let cosines = cosines.as_ref().map(|cosines| cosines as &Cosines<'_>);
    let outcome = cli.each(Wanted { kinds: &[Kind::Query], bare: Bare::Refused }, |mut record| {
        if let Record::Query(query) = &mut record {
            let written = cli.timed(query, |query| generate::run(query, config, chat.as_ref(), cosines));
            written.map_err(llm::fatal)?;
        }
        Ok(vec![record])
    })?;
    chat.iter().for_each(|chat| llm::report(chat, cli));
    Ok(outcome)
}
