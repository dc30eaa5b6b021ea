//! The sources as they are configured, and one way to ask any of them.

use std::collections::BTreeMap;
use std::time::Duration;

use techrag_core::record::{Outcome, SourceOutcome, WebPage, Work, YearCount};
use techrag_net::polite::{Answer, Desk};
use techrag_net::transport::{Error, Kind, Secret};
use url::Url;

use crate::outcome::{self, not_asked};
use crate::sources::{self, Search, Source};
use crate::vet::Cosines;
use crate::web::{self, Provider};

const HOUR: Duration = Duration::from_secs(3600);
/// How old stored answers may be.
const AGE_OF_SEARCH: Duration = Duration::from_secs(24 * 3600);
const AGE_OF_WORK: Duration = Duration::from_secs(30 * 24 * 3600);
const AGE_OF_COUNTS: Duration = Duration::from_secs(7 * 24 * 3600);
const AGE_OF_PAGES: Duration = Duration::from_secs(6 * 3600);

/// How searches are made.
#[derive(Clone, Debug)]
pub struct Config {
    /// The indexes that the content loop asks.
    pub sources: Vec<Source>,
    /// Addresses other than an index's own.
    pub bases: BTreeMap<Source, Url>,
    /// Keys.
    pub keys: BTreeMap<Source, Secret>,
    /// The web search of the current_world route.
    pub web: Option<Provider>,
    /// Works asked of a source at a time, 1 to 100.
    pub rows: u32,
    /// Most works and pages kept.
    pub most: usize,
    /// Whether works that fail the vetting are kept too, behind those that pass.
    pub rejected: bool,
    /// Longest that one question may take; no attempt begins after it.
    pub per_question: Duration,
    /// The running year; without it "recent" means nothing.
    pub year: Option<i32>,
    /// Tool and version, as the record quotes it.
    pub by: String,
}

/// Everything that a loop needs.
pub struct World<'a> {
    /// How searches are made.
    pub config: Config,
    /// Where requests are handed in.
    pub desk: Desk,
    /// Meaning, where an encoder is there.
    pub cosines: Option<&'a Cosines<'a>>,
}

impl World<'_> {
    /// One search of one index.
    pub(crate) fn search(&self, source: Source, search: &Search) -> (SourceOutcome, Vec<Work>) {
        let key = self.key(source);
        let request = source.search(&self.base(source), search, &key);
        let answer = self.desk.ask(&source.limits(!key.is_empty()), &request, AGE_OF_SEARCH);
        outcome::of(source.name(), answer, |response| source.works(response))
    }

    /// The same of all chosen indexes at once.
    pub(crate) fn search_all(&self, search: &Search) -> (Vec<SourceOutcome>, Vec<Work>) {
        let mut found: Vec<(SourceOutcome, Vec<Work>)> = Vec::new();
        std::thread::scope(|scope| {
            let asked: Vec<_> = self
                .config
                .sources
                .iter()
                .map(|source| (source, scope.spawn(|| self.search(*source, search))))
                .collect();
            for (source, thread) in asked {
                // A thread that panicked costs its source, not the question.
                found
                    .push(thread.join().unwrap_or_else(|_| (not_asked(source.name(), "it failed within"), Vec::new())));
            }
        });
        let (outcomes, works): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        (outcomes, works.into_iter().flatten().collect())
    }

    /// One work by its DOI, of all chosen indexes.
    pub(crate) fn lookup(&self, doi: &str) -> (Vec<SourceOutcome>, Vec<Work>) {
        let one = |source: Source| {
            let key = self.key(source);
            let Some(request) = source.lookup(&self.base(source), doi, &key) else {
                return (not_asked(source.name(), "it has no such DOIs"), Vec::new());
            };
            let mut limits = source.limits(!key.is_empty());
            // Look-ups have a pool of their own at Crossref, and are free at OpenAlex.
            if matches!(source, Source::Crossref | Source::OpenAlex) {
                limits.name.push_str("-work");
                limits.rate.requests = 5;
                limits.daily = None;
            }
            let answer = self.desk.ask(&limits, &request, AGE_OF_WORK);
            outcome::of(source.name(), answer, |response| source.works(response))
        };
        let found: Vec<_> = self.config.sources.iter().map(|source| one(*source)).collect();
        let (outcomes, works): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        (outcomes, works.into_iter().flatten().collect())
    }

    /// OpenAlex's ids of a person, joined as its filter wants them. Several profiles of one name may be one person.
    pub(crate) fn author_ids(&self, name: &str) -> (SourceOutcome, Option<String>) {
        let key = self.key(Source::OpenAlex);
        let request = sources::authors(&self.base(Source::OpenAlex), name, &key);
        let answer = self.desk.ask(&Source::OpenAlex.limits(!key.is_empty()), &request, AGE_OF_WORK);
        let (said, found) = outcome::of(Source::OpenAlex.name(), answer, sources::author_ids);
        let own = |other: &str| crate::name::shared(&[name.to_owned()], &[other.to_owned()]) > 0;
        let ids: Vec<String> = found.into_iter().filter(|(_, other)| own(other)).map(|(id, _)| id).collect();
        (said, (!ids.is_empty()).then(|| ids.join("|")))
    }

    /// Works by year on a topic, by OpenAlex.
    pub(crate) fn counts(&self, search: &Search) -> (SourceOutcome, Vec<YearCount>) {
        let key = self.key(Source::OpenAlex);
        let request = sources::by_year(&self.base(Source::OpenAlex), search, &key);
        let answer = self.desk.ask(&Source::OpenAlex.limits(!key.is_empty()), &request, AGE_OF_COUNTS);
        outcome::of(Source::OpenAlex.name(), answer, |response| sources::counts(response, self.config.year))
    }

    /// A web search.
    pub(crate) fn pages(&self, query: &str) -> (SourceOutcome, Vec<WebPage>) {
        let Some(provider) = &self.config.web else {
            let why = "no web search is configured: give --searxng URL, or a key of Brave or Tavily";
            return (not_asked("web", why), Vec::new());
        };
        let ask = || -> Result<Answer, Error> {
            let request = provider.search(query, self.config.rows)?;
            self.desk.ask(&provider.limits(), &request, AGE_OF_PAGES.max(HOUR))
        };
        let answer = ask();
        let status = answer.as_ref().err().and_then(Error::status);
        let fetched = answer.as_ref().map_or(0, |answer| answer.fetched);
        let (mut said, pages) = outcome::of(provider.name(), answer, |response| provider.pages(response, fetched));
        if web::refuses_json(provider, status) {
            said.outcome = Outcome::Refused;
            said.note = Some("the instance does not give JSON: add `json` to search.formats in its settings".into());
        }
        (said, pages)
    }

    /// Whether nothing can be asked at all.
    pub(crate) fn is_offline(&self) -> bool {
        self.desk.client().config().offline
    }

    fn base(&self, source: Source) -> Url {
        self.config.bases.get(&source).cloned().unwrap_or_else(|| source.home())
    }

    fn key(&self, source: Source) -> Secret {
        self.config.keys.get(&source).cloned().unwrap_or_else(|| Secret::new(""))
    }
}

/// What a failed call means for going on.
pub(crate) fn nobody_answered(outcomes: &[SourceOutcome]) -> bool {
    !outcomes.iter().any(|said| matches!(said.outcome, Outcome::Ok | Outcome::Empty))
}

/// The address of a source as it is written on a command line.
///
/// # Errors
/// If it is none that can be asked.
pub fn base_url(text: &str) -> Result<Url, Error> {
    let url = Url::parse(text).map_err(|error| Error::of(Kind::Unsafe, format!("{text}: {error}")))?;
    if matches!(url.scheme(), "http" | "https") && !url.cannot_be_a_base() {
        return Ok(url);
    }
    Err(Error::of(Kind::Unsafe, format!("{text}: an address begins with http:// or https://")))
}
