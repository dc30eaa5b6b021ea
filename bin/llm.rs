//! The options of a language model, the same for every tool that may ask one.

use std::path::PathBuf;

use techrag_cli::{Cli, Unreachable, Variable};
use techrag_net::chat::{self, Calls, Chat, Conduct, Flags, KeySource, Origin};
use techrag_net::clock::{Cancel, Clock};

/// Which model, and how it is used.
#[derive(clap::Args)]
#[command(next_help_heading = "Language model options")]
pub(crate) struct Args {
    /// Address of an OpenAI-compatible server, such as http://127.0.0.1:8080/v1 [default: base_url in [llm] of
    /// techrag.toml]
    #[arg(long, env = "TECHRAG_LLM", value_name = "URL")]
    llm: Option<String>,
    /// Model, as the server names it [default: model in [llm]]
    #[arg(long, env = "TECHRAG_LLM_MODEL", value_name = "NAME")]
    llm_model: Option<String>,
    /// Environment variable that holds the key [default: key_env in [llm]]
    #[arg(long, value_name = "NAME")]
    llm_key_env: Option<String>,
    /// File whose first line is the key [default: key_file in [llm]]
    #[arg(long, value_name = "FILE")]
    llm_key_file: Option<PathBuf>,
    /// Longest a call may take, retries included, in seconds [default: timeout in [llm], or 600]
    #[arg(long, value_name = "SECONDS")]
    llm_timeout: Option<f64>,
    /// Keep every call in FILE; a call it has is not made again
    #[arg(long, value_name = "FILE", conflicts_with_all = ["llm_replay", "dry_run"])]
    llm_record: Option<PathBuf>,
    /// Take every call from FILE; no server is asked
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    llm_replay: Option<PathBuf>,
    /// Most US dollars of the run, by the prices in [llm.prices]
    #[arg(long, value_name = "USD")]
    max_usd: Option<f64>,
    /// Most calls of the run
    #[arg(long, value_name = "N")]
    max_calls: Option<u64>,
    /// Send nothing; tell what would be sent and what it would cost at most
    #[arg(long)]
    dry_run: bool,
}

/// A replay asks no server, so its address is nobody's.
const NOBODY: &str = "http://replay.invalid/v1";

impl Args {
    /// The model, where one is configured.
    ///
    /// # Errors
    /// If what is configured does not hold together, or the cassette cannot be used.
    pub(crate) fn chat(&self, cli: &Cli) -> anyhow::Result<Option<Chat>> {
        let nobody = || self.llm_replay.as_ref().map(|_| NOBODY.to_owned());
        let flags = Flags {
            base_url: self.llm.clone().or_else(nobody),
            model: self.llm_model.clone(),
            key_env: self.llm_key_env.clone(),
            key_file: self.llm_key_file.clone(),
            timeout: self.llm_timeout,
            max_usd: self.max_usd,
            max_calls: self.max_calls,
        };
        let origin = |project| if project { Origin::Project } else { Origin::User };
        let files: Vec<_> =
            cli.tables("llm").into_iter().map(|(table, project)| (table.clone(), origin(project))).collect();
        let key = |source: &KeySource| match source {
            KeySource::Variable(name) => match cli.variable(name) {
                Variable::Set(value) => Ok(Some(value)),
                Variable::Unset => Ok(None),
                Variable::NotText => Err(format!("{name} is not UTF-8")),
            },
            KeySource::File(path) => chat::key_of_file(path),
        };
        let Some(settings) = chat::settings(&flags, &files, key).map_err(fatal)? else { return Ok(None) };
        let calls = match (&self.llm_record, &self.llm_replay) {
            (Some(path), _) => Calls::Recorded(path.clone()),
            (_, Some(path)) => Calls::Replayed(path.clone()),
            _ if self.dry_run => Calls::Counted,
            _ => Calls::Made,
        };
        let conduct = Conduct {
            calls,
            offline: cli.offline(),
            user_agent: format!("techrag/{}", cli.version()),
            timings: cli.timings(),
            clock: Clock::system(),
            cancel: Cancel::default(),
        };
        Chat::open(settings, conduct).map(Some).map_err(fatal)
    }

    /// Whether a model was asked for by name, not only configured: then its absence ends the run.
    pub(crate) fn is_named(&self) -> bool {
        self.llm.is_some() || self.llm_replay.is_some()
    }

    /// The model for a step that was asked for and cannot do without.
    ///
    /// # Errors
    /// As [`Args::chat`], and if none is configured.
    pub(crate) fn needed(&self, cli: &Cli, what: &str) -> anyhow::Result<Chat> {
        let hint = "say --llm URL --llm-model NAME, or write base_url and model into [llm] of techrag.toml; `make llm` \
                    starts a small one";
        let missing =
            || techrag_cli::hint(anyhow::anyhow!("{what} needs a language model, and none is configured"), hint);
        self.chat(cli)?.ok_or_else(missing)
    }
}

/// A failure that ends the run: exit code 4 where the server is not there, else 2.
pub(crate) fn fatal(error: chat::Error) -> anyhow::Error {
    let advice = error.advice().map(str::to_owned);
    let error: anyhow::Error = if error.is_unreachable() {
        Unreachable { service: "the language model".into(), message: error.to_string() }.into()
    } else {
        error.into()
    };
    match advice {
        Some(advice) => techrag_cli::hint(error, advice),
        None => error,
    }
}

/// Says on stderr what the run cost, where anything was asked.
pub(crate) fn report(chat: &Chat, cli: &Cli) {
    let spent = chat.spent();
    if spent.calls == 0 {
        return;
    }
    let usd = match (spent.calls - spent.unpriced, spent.unpriced) {
        (0, _) => "no price known".to_owned(),
        (_, 0) => format!("{:.4} USD", spent.usd),
        (_, unpriced) => format!("{:.4} USD, {unpriced} calls without a known price", spent.usd),
    };
    let (read, written) = (spent.prompt_tokens, spent.completion_tokens);
    if chat.is_dry() {
        cli.note(&format!("dry run: {} calls, about {read} tokens in, at most {written} out, {usd}", spent.calls));
    } else {
        cli.detail(&format!("{} calls of the model, {read} tokens in, {written} out, {usd}", spent.calls));
    }
}
