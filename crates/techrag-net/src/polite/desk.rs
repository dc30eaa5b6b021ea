//! Where a request is handed in: cache, turn, attempt, memory.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::cache::{Cache, Stored};
use super::headers::stated;
use super::limiter::{Limiter, Limits};
use crate::clock::seconds;
use crate::transport::{Client, Error, Kind, Request, Response};

/// Whether what is stored is good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// What is younger than its age limit is not asked again.
    Stored,
    /// Everything is asked again.
    Refresh,
}

/// An answer, and when it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The response; 2xx or 404.
    pub response: Response,
    /// Seconds since 1970.
    pub fetched: u64,
}

/// Hands requests to services and remembers what they said. Copies share everything.
#[derive(Clone, Debug)]
pub struct Desk {
    client: Client,
    folder: PathBuf,
    freshness: Freshness,
    patience: Duration,
}

impl Desk {
    /// A desk over a folder for answers and counters; `patience` is the longest wait for a turn. The client sends each
    /// request once: this desk repeats.
    pub fn new(client: Client, folder: &Path, freshness: Freshness, patience: Duration) -> Self {
        Self { client, folder: folder.to_owned(), freshness, patience }
    }

    /// The longest wait for a turn.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// The client below.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Asks, or finds the answer in the cache. `age` is how old a stored one may be; offline, any age will do.
    ///
    /// # Errors
    /// As [`Client::send`], but for 404, which is an answer; [`Kind::RateLimited`] also where no turn came in time, a
    /// day's budget is spent or the service was to be left alone; [`Kind::Offline`] where nothing is stored.
    pub fn ask(&self, limits: &Limits, request: &Request, age: Duration) -> Result<Answer, Error> {
        if self.client.is_replay() {
            return self.replayed(request);
        }
        let clock = &self.client.config().clock;
        let cache = Cache::new(&self.folder);
        if let Some(stored) = cache.get(request).filter(|stored| self.will_do(stored, age)) {
            return Ok(Answer { response: stored.response(), fetched: stored.fetched });
        }
        if self.client.config().offline {
            return Err(Error::new(Kind::Offline, format!("{}: offline, and nothing stored", limits.name)));
        }
        let response = self.attempts(limits, request)?;
        let now = clock.seconds();
        cache.put(request, &response, now);
        Ok(Answer { response, fetched: now })
    }

    /// From a tape: no turn, no cache, the time that it was recorded at.
    fn replayed(&self, request: &Request) -> Result<Answer, Error> {
        let response = self.client.once(request).or_else(|error| match error.kind() {
            Kind::NotFound => Ok(error.into_response().unwrap_or_default()),
            _ => Err(error),
        })?;
        let fetched = response.recorded.unwrap_or_default();
        Ok(Answer { response, fetched })
    }

    /// What is recorded must be asked for: a stored answer would leave a hole in the tape.
    fn will_do(&self, stored: &Stored, age: Duration) -> bool {
        let config = self.client.config();
        if !self.client.is_live() {
            return false;
        }
        let old = config.clock.seconds().saturating_sub(stored.fetched);
        config.offline || (self.freshness == Freshness::Stored && old <= age.as_secs())
    }

    fn attempts(&self, limits: &Limits, request: &Request) -> Result<Response, Error> {
        let config = self.client.config();
        let limiter = Limiter::new(&self.folder, limits, &config.clock);
        let mut attempt = 1;
        loop {
            let permit = limiter.permit(self.patience, &config.cancel)?;
            let result = self.client.once(request);
            let response = match &result {
                Ok(response) => Some(response),
                Err(error) => error.response(),
            };
            limiter.answered(&permit, response.map(stated).unwrap_or_default())?;
            let error = match result {
                Ok(response) => return Ok(response),
                Err(error) if error.kind() == Kind::NotFound => {
                    return error.into_response().ok_or_else(|| Error::new(Kind::Malformed, "no response"));
                }
                Err(error) => error,
            };
            let wait = self.wait(&error, request, attempt);
            let again = wait.filter(|wait| attempt < config.retry.attempts && *wait <= config.retry.patience);
            match again {
                Some(wait) if config.clock.wait(wait, &config.cancel) => attempt += 1,
                _ => return Err(Self::remember(&limiter, limits, error, config.clock.seconds())),
            }
        }
    }

    /// The wait before another attempt, where one makes sense.
    fn wait(&self, error: &Error, request: &Request, attempt: u32) -> Option<Duration> {
        let config = self.client.config();
        let stated = error.until().map(|until| until.duration_since(config.clock.now()).unwrap_or_default());
        let grown = self.client.wait_before(attempt + 1, request);
        match error.kind() {
            Kind::RateLimited => Some(stated.map_or(grown, |stated| stated.max(grown))),
            Kind::Server if matches!(error.status(), Some(500 | 502..=504)) => Some(stated.unwrap_or(grown)),
            Kind::Malformed if error.response().is_none() => Some(grown),
            _ => None,
        }
    }

    /// Notes in the folder that a service is to be left alone.
    fn remember(limiter: &Limiter, limits: &Limits, error: Error, now: u64) -> Error {
        let cool = now + limits.cool_down.as_secs();
        let noted = match error.kind() {
            Kind::RateLimited => {
                let until = error.until().map_or(cool, seconds);
                limiter.close(until, false, &error.to_string()).map(|()| Some(until))
            }
            // One slow answer is not an absent service: it is left alone for less.
            Kind::Timeout => {
                let until = now + limits.cool_down.as_secs() / 6;
                limiter.close(until, true, &error.to_string()).map(|()| None)
            }
            Kind::Unreachable => limiter.close(cool, true, &error.to_string()).map(|()| None),
            _ => Ok(None),
        };
        match noted {
            Ok(Some(until)) => error.limited(std::time::UNIX_EPOCH + Duration::from_secs(until)),
            // What could not be noted costs the next one a request; the answer is the same.
            Ok(None) | Err(_) => error,
        }
    }
}
