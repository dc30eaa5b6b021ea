//! From options to a desk and a configuration.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use techrag_cli::{Cli, Variable};
use techrag_external::sources::Source;
use techrag_external::web::Provider;
use techrag_external::{Config, Url, base_url, ident};
use techrag_net::clock::{Cancel, Clock};
use techrag_net::polite::{Desk, Freshness};
use techrag_net::tape::Tape;
use techrag_net::transport::{self, Client, Retry, Secret, Timeouts};

use super::args::Args;

/// No service of the kind takes longer to connect to, and an unreachable one must not cost more.
const CONNECT: Duration = Duration::from_secs(3);
const READ: Duration = Duration::from_secs(10);
const TOTAL: Duration = Duration::from_secs(20);
/// Bodies of a hundred works stay under 4 MB.
const BODY_LIMIT: usize = 16 << 20;
const RETRY: Retry =
    Retry { attempts: 3, first: Duration::from_secs(1), cap: Duration::from_secs(8), patience: Duration::from_secs(8) };

impl Args {
    /// Whether the settings, rather than this call, say that something outside may be asked.
    pub(crate) fn is_configured(&self) -> bool {
        self.contact.is_some() || self.searxng.is_some() || !self.endpoint.is_empty() || self.replay.is_some()
    }

    /// The encoder to vet with, if any.
    pub(crate) fn encoder(&self) -> Option<&str> {
        (self.encoder != "off").then_some(self.encoder.as_str())
    }

    /// The DOIs to look up, in their one spelling.
    pub(crate) fn dois(&self) -> anyhow::Result<Vec<String>> {
        let read = |text: &String| ident::doi(text).ok_or_else(|| anyhow!("{text:?} is no DOI"));
        self.doi.iter().map(read).collect()
    }

    /// The desk; what comes with it must outlive it.
    pub(crate) fn desk(&self, cli: &Cli) -> anyhow::Result<Desk> {
        let contact = self.contact.as_ref().map_or(String::new(), |contact| format!(" (mailto:{contact})"));
        let client = Client::new(transport::Config {
            user_agent: format!("techrag/{}{contact}", cli.version()),
            timeouts: Timeouts { connect: CONNECT, read: READ, total: TOTAL },
            retry: RETRY,
            body_limit: BODY_LIMIT,
            offline: cli.offline(),
            clock: Clock::system(),
            cancel: Cancel::default(),
        });
        let tape = match (&self.record, &self.replay) {
            (Some(folder), _) => Tape::Record(folder.clone()),
            (_, Some(folder)) => Tape::Replay(folder.clone()),
            _ => Tape::Live,
        };
        let freshness = if self.refresh { Freshness::Refresh } else { Freshness::Stored };
        let cache = self.cache.clone().or_else(|| cli.cache_folder().map(|folder| folder.join("external")));
        let cache = cache.context("no cache folder: give --cache DIR, or set HOME")?;
        Ok(Desk::new(client.with_tape(tape), &cache, freshness, seconds(self.max_wait)?))
    }

    /// How searches are made.
    pub(crate) fn config(&self, cli: &Cli) -> anyhow::Result<Config> {
        let endpoints = self.endpoints()?;
        let key = |name: &str| match cli.variable(name) {
            Variable::Set(value) => Some(Secret::new(&value)),
            Variable::Unset | Variable::NotText => None,
        };
        let keys =
            [(Source::OpenAlex, key("OPENALEX_API_KEY")), (Source::SemanticScholar, key("SEMANTIC_SCHOLAR_API_KEY"))];
        let address = |name: &str, home: &str| match endpoints.get(name) {
            Some(url) => Ok(url.clone()),
            None => base_url(home),
        };
        let web = match (&self.searxng, key("BRAVE_API_KEY"), key("TAVILY_API_KEY")) {
            (Some(url), ..) => Some(Provider::Searxng(base_url(url)?)),
            (None, Some(key), _) => Some(Provider::Brave(address("brave", Provider::BRAVE)?, key)),
            (None, None, Some(key)) => Some(Provider::Tavily(address("tavily", Provider::TAVILY)?, key)),
            _ => None,
        };
        let base = |source: Source| endpoints.get(source.name()).map(|url| (source, url.clone()));
        Ok(Config {
            sources: self.sources.iter().map(|index| Source::from(*index)).collect(),
            bases: Source::ALL.into_iter().filter_map(base).collect(),
            keys: keys.into_iter().filter_map(|(source, key)| Some((source, key?))).collect(),
            web,
            rows: self.rows,
            most: self.max_results,
            rejected: self.rejected,
            per_question: seconds(self.max_time)?,
            year: self.year,
            by: cli.by(),
        })
    }

    fn endpoints(&self) -> anyhow::Result<BTreeMap<String, Url>> {
        let known =
            |name: &str| Source::ALL.iter().any(|source| source.name() == name) || ["brave", "tavily"].contains(&name);
        let read = |text: &String| {
            let (name, url) = text.split_once('=').with_context(|| format!("{text:?} is not NAME=URL"))?;
            anyhow::ensure!(known(name), "no service is called {name:?}");
            Ok((name.to_owned(), base_url(url)?))
        };
        self.endpoint.iter().map(read).collect()
    }
}

fn seconds(value: f64) -> anyhow::Result<Duration> {
    Duration::try_from_secs_f64(value).with_context(|| format!("{value} is no number of seconds"))
}
