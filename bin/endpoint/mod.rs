//! The options of an embedding server, the same where chunks are embedded and where questions are.

use std::time::Duration;

use anyhow::ensure;
use techrag_cli::{Cli, Unreachable, Variable};
use techrag_net::clock::{Cancel, Clock};
use techrag_net::transport::{Client, Config, Retry, Secret, Timeouts};
use url::Url;

/// Most bytes of a reply: some hundred vectors of some thousand values in decimal.
const BODY_LIMIT: usize = 64 << 20;
const PATIENCE: Duration = Duration::from_secs(60);

/// Who embeds, if not a model of the manifest. Configuration files do not set it: texts and a key go there.
#[derive(clap::Args)]
pub(crate) struct Endpoint {
    /// Server of embeddings as OpenAI has them: its address up to and without /embeddings
    #[arg(long, env = "TECHRAG_ENDPOINT", value_name = "URL")]
    pub(crate) endpoint: Option<Url>,
    /// Environment variable that holds the key of --endpoint
    #[arg(long, value_name = "NAME")]
    endpoint_key_env: Option<String>,
}

/// A client, an address and a key.
pub(crate) type Server = (Client, Url, Option<Secret>);

impl Endpoint {
    /// The server that was named; nothing is sent yet.
    ///
    /// # Errors
    /// If the key's variable is not set, or is no text.
    pub(crate) fn server(&self, cli: &Cli) -> anyhow::Result<Option<Server>> {
        let Some(base) = &self.endpoint else {
            ensure!(self.endpoint_key_env.is_none(), "--endpoint-key-env is of no use without --endpoint");
            return Ok(None);
        };
        let key = match &self.endpoint_key_env {
            None => None,
            Some(name) => match cli.variable(name) {
                Variable::Set(value) => Some(Secret::new(&value)),
                Variable::Unset => anyhow::bail!("the variable {name}, which should hold the key, is not set"),
                Variable::NotText => anyhow::bail!("the variable {name} is not UTF-8"),
            },
        };
        let config = Config {
            user_agent: format!("techrag/{}", cli.version()),
            timeouts: Timeouts { connect: Duration::from_secs(5), read: PATIENCE, total: 3 * PATIENCE },
            retry: Retry { attempts: 3, first: Duration::from_secs(1), cap: PATIENCE, patience: PATIENCE },
            body_limit: BODY_LIMIT,
            offline: cli.offline(),
            clock: Clock::system(),
            cancel: Cancel::default(),
        };
        Ok(Some((Client::new(config), base.clone(), key)))
    }
}

/// A failure that ends the run: exit code 4 where the server is not there, else 2.
pub(crate) fn fatal(error: techrag_retrieve::Error) -> anyhow::Error {
    let hint = error.hint().map(str::to_owned);
    let error: anyhow::Error = if error.is_unreachable() {
        Unreachable { service: "the embedding server".into(), message: error.to_string() }.into()
    } else {
        error.into()
    };
    match hint {
        Some(hint) => techrag_cli::hint(error, hint),
        None => error,
    }
}
