//! The options of a language model, the same for every tool that may ask one.

mod args;

use techrag_cli::{Cli, Unreachable, Variable};
use techrag_net::chat::{self, Calls, Chat, Conduct, Flags, KeySource, Origin};
use techrag_net::clock::{Cancel, Clock};

pub(crate) use args::Args;

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
        let Some(settings) = chat::settings(&flags, &files, |source| key(cli, source)).map_err(fatal)? else {
            return Ok(None);
        };
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

fn key(cli: &Cli, source: &KeySource) -> Result<Option<String>, String> {
    match source {
        KeySource::File(path) => chat::key_of_file(path),
        KeySource::Variable(name) => match cli.variable(name) {
            Variable::Set(value) => Ok(Some(value)),
            Variable::Unset => Ok(None),
            Variable::NotText => Err(format!("{name} is not UTF-8")),
        },
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
    if chat.is_dry() {
        cli.note(&format!("dry run, at most: {spent}"));
    } else {
        cli.detail(&format!("language model: {spent}"));
    }
}
