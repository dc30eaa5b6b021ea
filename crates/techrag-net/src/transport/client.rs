//! The client: sends, follows, waits, repeats.

use std::io::Read;
use std::time::{Duration, SystemTime};

use ureq::Agent;
use url::Url;

use super::error::{self, Error, Kind};
use super::request::{Method, Request, Response, is_loopback};
use super::retry::{self, Retry};
use super::stream::Stream;
use crate::clock::{Cancel, Clock};
use crate::tape::Tape;

/// Most redirects of one call.
const HOPS: usize = 4;
/// How much is read at a time.
const PIECE: usize = 16 * 1024;

/// Longest that parts of a call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Finding the host and connecting.
    pub connect: Duration,
    /// Until the next bytes come; for a slow language model the first token counts too.
    pub read: Duration,
    /// The whole call with its retries, waits and redirects.
    pub total: Duration,
}

/// How calls are made.
#[derive(Clone, Debug)]
pub struct Config {
    /// Who we are: `techrag/0.1 (mailto:…)`.
    pub user_agent: String,
    /// Longest that parts of a call may take.
    pub timeouts: Timeouts,
    /// When a call is repeated.
    pub retry: Retry,
    /// Most bytes of a body, decompressed.
    pub body_limit: usize,
    /// Whether sockets are forbidden.
    pub offline: bool,
    /// The clock that waits and dates are read from.
    pub clock: Clock,
    /// Ends calls early.
    pub cancel: Cancel,
}

/// Makes calls. Copies share connections.
#[derive(Clone, Debug)]
pub struct Client {
    agent: Agent,
    /// Proxies are for the world outside.
    local: Agent,
    config: Config,
    tape: Tape,
}

impl Client {
    /// A client; the proxy of the environment (`HTTPS_PROXY`, `NO_PROXY`, …) is used but for loopback.
    pub fn new(config: Config) -> Self {
        let build = || {
            Agent::config_builder()
                .http_status_as_error(false)
                // Redirects are followed here, where keys can be kept back.
                .max_redirects(0)
                .max_redirects_will_error(false)
                .user_agent(config.user_agent.as_str())
                .timeout_resolve(Some(config.timeouts.connect))
                .timeout_connect(Some(config.timeouts.connect))
                .timeout_per_read(Some(config.timeouts.read))
        };
        let agent = build().build().new_agent();
        let local = build().proxy(None).build().new_agent();
        Self { agent, local, config, tape: Tape::Live }
    }

    /// Whether a tape answers and nobody is asked.
    pub fn is_replay(&self) -> bool {
        matches!(self.tape, Tape::Replay(_))
    }

    /// Whether servers are asked and nothing is taped.
    pub fn is_live(&self) -> bool {
        self.tape == Tape::Live
    }

    /// The same over a tape.
    #[must_use]
    pub fn with_tape(self, tape: Tape) -> Self {
        Self { tape, ..self }
    }

    /// The settings it was made with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Sends a request until it has an answer or there is no more point: the answer, if its status is below 300.
    ///
    /// # Errors
    /// One [`Kind`] per outcome; a status of 300 and more is one, with the response inside.
    pub fn send(&self, request: &Request) -> Result<Response, Error> {
        self.taped(request, |deadline| self.repeat(request, deadline))
    }

    /// The same with one attempt, whatever the settings say: for those who repeat themselves.
    ///
    /// # Errors
    /// As [`Client::send`].
    pub fn once(&self, request: &Request) -> Result<Response, Error> {
        self.taped(request, |deadline| self.follow(request, deadline))
    }

    /// The wait before attempt `next` (from 2) of a request where the server does not say.
    pub fn wait_before(&self, next: u32, request: &Request) -> Duration {
        self.config.retry.wait(next, digest(request))
    }

    fn taped(
        &self,
        request: &Request,
        open: impl FnOnce(SystemTime) -> Result<ureq::http::Response<ureq::Body>, Error>,
    ) -> Result<Response, Error> {
        let host = host(&request.url);
        let judged = |response: Response| {
            if response.status < 300 { Ok(response) } else { Err(self.failed(&host, response)) }
        };
        if let Some(played) = self.tape.play(request) {
            return played.and_then(judged);
        }
        let deadline = self.config.clock.now() + self.config.timeouts.total;
        let result = open(deadline).and_then(|open| self.read(&host, open)).and_then(judged);
        self.tape.keep(request, &result, self.config.clock.seconds())?;
        result
    }

    /// Sends a request and gives the body as it comes, line by line. Only the answer's beginning is retried. Over a tape
    /// the whole body is read first.
    ///
    /// # Errors
    /// As [`Client::send`].
    pub fn stream(&self, request: &Request) -> Result<Stream, Error> {
        if self.tape != Tape::Live {
            let body = self.send(request)?.body;
            return Ok(Stream::of_bytes(host(&request.url), body, &self.config));
        }
        let deadline = self.config.clock.now() + self.config.timeouts.total;
        let host = host(&request.url);
        let open = self.repeat(request, deadline)?;
        if open.status().as_u16() >= 300 {
            let response = self.read(&host, open)?;
            return Err(self.failed(&host, response));
        }
        Ok(Stream::new(host, Box::new(open.into_body().into_reader()), &self.config, deadline))
    }

    fn failed(&self, host: &str, response: Response) -> Error {
        // Of a tape, what was said then.
        let at = response.recorded.map(|at| std::time::UNIX_EPOCH + Duration::from_secs(at));
        let now = at.unwrap_or_else(|| self.config.clock.now());
        let until = retry::retry_after(&response, now).map(|wait| now + wait);
        Error::of_status(host, response, until)
    }

    /// Attempts with waits between them, until an answer that is worth reading.
    fn repeat(&self, request: &Request, deadline: SystemTime) -> Result<ureq::http::Response<ureq::Body>, Error> {
        let host = host(&request.url);
        let mut attempt = 1;
        loop {
            let result = self.follow(request, deadline);
            let wait = self.wait_before(attempt + 1, request);
            let more = attempt < self.config.retry.attempts.max(1);
            let wait = match &result {
                Ok(open) => {
                    if !retry::is_passing(open.status().as_u16(), request.method) {
                        return result;
                    }
                    let now = self.config.clock.now();
                    let asked = retry::retry_after(&headers_of(open), now);
                    if let Some(asked) = asked.filter(|asked| *asked > self.config.retry.patience) {
                        let response = self.read(&host, result?)?;
                        return Err(Error::of_status(&host, response, None).limited(now + asked));
                    }
                    asked.map_or(wait, |asked| asked.max(wait))
                }
                Err(error) if self.is_worth_repeating(error, request.method) => wait,
                Err(_) => return result,
            };
            if !more || self.config.clock.now() + wait >= deadline {
                return result;
            }
            if !self.config.clock.wait(wait, &self.config.cancel) {
                return Err(cancelled(&host));
            }
            attempt += 1;
        }
    }

    /// A connection that broke under a GET is tried again; one that never came about is not: an unreachable host must
    /// not cost more than one timeout.
    fn is_worth_repeating(&self, error: &Error, method: Method) -> bool {
        method == Method::Get && error.kind() == Kind::Malformed
    }

    /// One attempt, with its redirects. Keys go to the first address only.
    fn follow(&self, request: &Request, deadline: SystemTime) -> Result<ureq::http::Response<ureq::Body>, Error> {
        let mut url = request.url.clone();
        for hop in 0..=HOPS {
            self.permit(&url, hop == 0 && request.has_secret(), &request.url)?;
            let open = self.hop(request, &url, hop == 0, deadline)?;
            let to = open.headers().get("location").and_then(|to| to.to_str().ok());
            let to = to.filter(|_| matches!(open.status().as_u16(), 301 | 302 | 303 | 307 | 308));
            let next = to.filter(|_| request.method == Method::Get).and_then(|to| url.join(to).ok());
            let Some(next) = next else { return Ok(open) };
            url = next;
        }
        Err(Error::new(Kind::Refused, format!("{}: more than {HOPS} redirects", host(&request.url))))
    }

    fn permit(&self, url: &Url, secret: bool, first: &Url) -> Result<(), Error> {
        let host = host(url);
        if self.config.offline {
            return Err(Error::new(Kind::Offline, format!("{host} was not asked: offline")));
        }
        if self.config.cancel.is_set() {
            return Err(cancelled(&host));
        }
        let plain = url.scheme() == "http" && !is_loopback(url);
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Error::new(Kind::Unsafe, format!("{}: only http and https are spoken", url.scheme())));
        }
        if plain && (secret || first.scheme() == "https") {
            return Err(Error::new(Kind::Unsafe, format!("{host}: plain http would show what https protects")));
        }
        if is_loopback(url) && !is_loopback(first) {
            return Err(Error::new(Kind::Unsafe, format!("{} redirects to this machine", self::host(first))));
        }
        Ok(())
    }

    fn hop(
        &self,
        request: &Request,
        url: &Url,
        with_keys: bool,
        deadline: SystemTime,
    ) -> Result<ureq::http::Response<ureq::Body>, Error> {
        let host = host(url);
        let left = deadline.duration_since(self.config.clock.now()).unwrap_or_default();
        if left.is_zero() {
            return Err(Error::new(Kind::Timeout, format!("{host}: no time left")));
        }
        let mut built = ureq::http::Request::builder().method(request.method.name()).uri(url.as_str());
        for (name, value) in &request.headers {
            built = built.header(name, value);
        }
        for (name, before, key) in request.secrets.iter().filter(|_| with_keys) {
            built = built.header(name, format!("{before}{}", key.reveal()));
        }
        let agent = if is_loopback(url) { &self.local } else { &self.agent };
        let body = request.body.clone().unwrap_or_default();
        // The message of a bad header value does not quote the value.
        let built = built.body(body).map_err(|error| Error::new(Kind::Unsafe, format!("{host}: {error}")))?;
        let call = agent.configure_request(built).timeout_global(Some(left)).build();
        agent.run(call).map_err(|error| error::of_library(&host, &error))
    }

    /// Reads a body up to the limit.
    fn read(&self, host: &str, open: ureq::http::Response<ureq::Body>) -> Result<Response, Error> {
        let mut response = headers_of(&open);
        let mut reader = open.into_body().into_reader();
        let mut piece = vec![0; PIECE];
        loop {
            if self.config.cancel.is_set() {
                return Err(cancelled(host));
            }
            let count = reader.read(&mut piece).map_err(|error| error::of_read(host, &error))?;
            if count == 0 {
                return Ok(response);
            }
            if response.body.len() + count > self.config.body_limit {
                let limit = self.config.body_limit;
                return Err(Error::new(Kind::TooLarge, format!("{host}: the body is over {limit} bytes")));
            }
            response.body.extend_from_slice(&piece[..count]);
        }
    }
}

/// Status and headers, without the body.
fn headers_of(open: &ureq::http::Response<ureq::Body>) -> Response {
    let text = |value: &ureq::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = open.headers().iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    Response { status: open.status().as_u16(), headers, ..Response::default() }
}

/// A number that requests differ by.
fn digest(request: &Request) -> u8 {
    let digest = techrag_core::id::sha256(request.url.as_str().as_bytes());
    u8::from_str_radix(digest.get(..2).unwrap_or("00"), 16).unwrap_or_default()
}

/// Host and port, as messages name a server.
pub(crate) fn host(url: &Url) -> String {
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    format!("{}{port}", url.host_str().unwrap_or("(no host)"))
}

pub(crate) fn cancelled(host: &str) -> Error {
    Error::new(Kind::Cancelled, format!("{host}: cancelled"))
}
