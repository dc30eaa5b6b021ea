//! The chat client: one call at a time, from a request to a reply, a recording or a failure.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use url::Url;

use super::cassette::{Cassette, Mode, Outcome};
use super::error::{Error, Kind};
use super::message::{Dialect, Request};
use super::price::{Ledger, Spent};
use super::reply::{self, Reply};
use super::settings::Settings;
use crate::clock::{Cancel, Clock};
use crate::transport::{self, Client, Retry, Timeouts};

/// Longest until a connection stands.
const CONNECT: Duration = Duration::from_secs(10);
/// How often and how patiently a busy server is asked again. A server that asks for a longer wait has failed.
const RETRY: Retry = Retry {
    attempts: 4,
    first: Duration::from_secs(2),
    cap: Duration::from_secs(30),
    patience: Duration::from_secs(60),
};
/// Times a call that failed inside the server (500) or broke off is made: a chat completion changes nothing there, so
/// it may be asked again.
const ATTEMPTS: u32 = 2;
/// Wait before that.
const PAUSE: Duration = Duration::from_secs(2);
/// Most bytes of an answer.
const LARGEST: usize = 4 << 20;
/// Most refusals of a dialect in a row; there are four things to give up.
const LESSONS: u32 = 5;

/// Whether calls are made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Calls {
    /// They are.
    #[default]
    Made,
    /// They are counted only: what would be sent, and at most come back.
    Counted,
    /// They are made unless the file has them, and added to it.
    Recorded(PathBuf),
    /// They are taken from the file.
    Replayed(PathBuf),
}

/// How the run as a whole behaves.
#[derive(Clone, Debug)]
pub struct Conduct {
    /// Whether calls are made.
    pub calls: Calls,
    /// Whether sockets are forbidden.
    pub offline: bool,
    /// Who we are, as servers see it.
    pub user_agent: String,
    /// Whether what a call cost tells how long it took.
    pub timings: bool,
    /// The clock that waits are read from.
    pub clock: Clock,
    /// Ends calls early.
    pub cancel: Cancel,
}

/// A model to talk to. Shared by all workers of a run.
#[derive(Debug)]
pub struct Chat {
    settings: Settings,
    client: Client,
    endpoint: Url,
    cassette: Option<Cassette>,
    counted_only: bool,
    pub(super) timings: bool,
    ledger: Ledger,
    dialect: Mutex<Dialect>,
}

impl Chat {
    /// Nothing is sent yet.
    ///
    /// # Errors
    /// [`Kind::Cassette`] if the cassette cannot be used, [`Kind::Settings`] if the address cannot.
    pub fn open(settings: Settings, conduct: Conduct) -> Result<Self, Error> {
        let endpoint = settings.base_url.join("chat/completions");
        let endpoint =
            endpoint.map_err(|error| Error::new(Kind::Settings, format!("{}: {error}", settings.base_url)))?;
        let cassette = match &conduct.calls {
            Calls::Made | Calls::Counted => None,
            Calls::Recorded(path) => Some(Cassette::open(path, Mode::Record)?),
            Calls::Replayed(path) => Some(Cassette::open(path, Mode::Replay)?),
        };
        let config = transport::Config {
            user_agent: conduct.user_agent,
            // The answer comes at once when it is complete: until then nothing is read.
            timeouts: Timeouts { connect: CONNECT, read: settings.timeout, total: settings.timeout },
            retry: RETRY,
            body_limit: LARGEST,
            offline: conduct.offline,
            clock: conduct.clock,
            cancel: conduct.cancel,
        };
        Ok(Self {
            endpoint,
            cassette,
            timings: conduct.timings,
            counted_only: conduct.calls == Calls::Counted,
            ledger: Ledger::new(settings.budget),
            dialect: Mutex::new(Dialect {
                form: settings.form.unwrap_or(Dialect::default().form),
                ..Dialect::default()
            }),
            client: Client::new(config),
            settings,
        })
    }

    /// The model of an agent.
    pub fn model(&self, agent: &str) -> &str {
        let own = self.settings.agents.get(agent).and_then(|agent| agent.model.as_deref());
        own.unwrap_or(&self.settings.model)
    }

    /// Whether calls are only counted.
    pub fn is_dry(&self) -> bool {
        self.counted_only
    }

    /// What was spent so far, replayed calls aside.
    pub fn spent(&self) -> Spent {
        self.ledger.spent()
    }

    /// Cost of tokens in US dollars, where the price is known.
    pub fn usd(&self, agent: &str, prompt_tokens: u64, completion_tokens: u64) -> Option<f64> {
        self.settings.prices.usd(self.model(agent), prompt_tokens, completion_tokens)
    }

    /// Makes a call.
    ///
    /// # Errors
    /// One [`Kind`] per outcome. A call that could overspend the budget is not made; a dry run makes none.
    pub fn call(&self, request: &Request) -> Result<Reply, Error> {
        let request = self.own(request);
        let model = self.model(request.agent);
        let digest = request.digest(model);
        if let Some(cassette) = &self.cassette
            && let Some(outcome) = cassette.take(&digest, request.agent)?
        {
            return outcome;
        }
        let estimate = request.tokens();
        let most = self.settings.prices.usd(model, estimate, u64::from(request.max_tokens));
        self.ledger.reserve(most)?;
        if self.counted_only {
            self.ledger.settle(most, estimate, u64::from(request.max_tokens), most);
            return Err(Error::new(Kind::DryRun, "a dry run: nothing was sent"));
        }
        let outcome = self.sent(&request, model, estimate);
        let (read, written) = outcome.as_ref().map_or((0, 0), |reply| (reply.prompt_tokens, reply.completion_tokens));
        let usd = self.settings.prices.usd(model, read, written);
        self.ledger.settle(most, read, written, usd);
        if let Some(cassette) = &self.cassette
            && is_lasting(&outcome)
        {
            cassette.keep(&digest, request.agent, &outcome)?;
        }
        outcome
    }

    /// The request with what the settings say of its agent.
    fn own(&self, request: &Request) -> Request {
        let mut request = request.clone();
        if let Some(agent) = self.settings.agents.get(request.agent) {
            request.temperature = agent.temperature.unwrap_or(request.temperature);
            request.max_tokens = agent.max_tokens.unwrap_or(request.max_tokens);
        }
        request
    }

    /// Sends a request, again where that may help, in the dialect the server understands.
    fn sent(&self, request: &Request, model: &str, estimate: u64) -> Outcome {
        let clock = &self.client.config().clock;
        let started = clock.now();
        let (mut attempt, mut lessons) = (1, 0);
        loop {
            let dialect = *self.dialect.lock().unwrap_or_else(PoisonError::into_inner);
            let error = match self.once(request, model, dialect, estimate) {
                Ok(mut reply) => {
                    reply.ms = clock.now().duration_since(started).map_or(0, |took| took.as_millis() as u64);
                    return Ok(reply);
                }
                Err(error) => error,
            };
            let lesson =
                (lessons < LESSONS && error.kind() == Kind::Refused).then(|| dialect.after(&error.to_string()));
            if let Some(next) = lesson.flatten() {
                *self.dialect.lock().unwrap_or_else(PoisonError::into_inner) = next;
                lessons += 1;
                continue;
            }
            let again = attempt < ATTEMPTS && matches!(error.kind(), Kind::Server | Kind::Malformed);
            if !again || !clock.wait(PAUSE, &self.client.config().cancel) {
                return Err(error);
            }
            attempt += 1;
        }
    }

    fn once(&self, request: &Request, model: &str, dialect: Dialect, estimate: u64) -> Outcome {
        let body = request.body(model, dialect);
        let post = transport::Request::post_json(self.endpoint.clone(), &body).map_err(|error| Error::from(&error))?;
        let post = match &self.settings.key {
            Some(key) => post.bearer(key),
            None => post,
        };
        let response = self.client.send(&post).map_err(|error| Error::from(&error))?;
        reply::read(&response.body, estimate)
    }
}

/// Whether the same request would have the same outcome tomorrow: a server that was away or busy is none of it.
fn is_lasting(outcome: &Outcome) -> bool {
    outcome.as_ref().map_or_else(
        |error| {
            matches!(
                error.kind(),
                Kind::Refused | Kind::ContextLength | Kind::Empty | Kind::Malformed | Kind::Server | Kind::Timeout
            )
        },
        |_| true,
    )
}
