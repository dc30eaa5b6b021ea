//! The count of requests of one service, in a file that threads and processes share.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::headers::Stated;
use crate::clock::{Cancel, Clock, seconds, written};
use crate::transport::{Error, Kind};

const DAY: u64 = 86_400;
/// How often one who waits looks again at the latest.
const LOOK: Duration = Duration::from_millis(200);
/// An entry of a process that died is forgotten after this.
const FORGOTTEN: u64 = 120_000;

/// So many requests in any window of this length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// At least 1.
    pub requests: u32,
    /// The window.
    pub per: Duration,
}

/// What a service permits, as far as its headers do not say otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Its name; requests of one name are counted together.
    pub name: String,
    /// Requests a window.
    pub rate: Rate,
    /// Requests at the same time, at least 1.
    pub concurrent: u32,
    /// Requests a day (UTC).
    pub daily: Option<u32>,
    /// How long it is left alone after a 429 without `Retry-After`, and after it could not be reached.
    pub cool_down: Duration,
}

/// What is remembered of a service between requests.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    /// The last header's word.
    rate: Option<Rate>,
    concurrent: Option<u32>,
    /// Requests under way and answered.
    entries: Vec<Entry>,
    next: u64,
    /// Days since 1970, and requests on that day.
    day: u64,
    spent: u32,
    closed: Option<Closed>,
}

/// Times are milliseconds since 1970.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    id: u64,
    sent: u64,
    answered: Option<u64>,
}

/// A service that is left alone.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Closed {
    until: u64,
    unreachable: bool,
    why: String,
}

/// The counter of one service.
#[derive(Clone, Debug)]
pub(super) struct Limiter {
    file: PathBuf,
    limits: Limits,
    clock: Clock,
}

/// A permit to send one request; what came of it is told to [`Limiter::answered`].
#[derive(Debug)]
pub(super) struct Permit(u64);

/// What the counter says to one who asks.
enum Word {
    Go(Permit),
    /// Look again after this.
    Wait(Duration),
    Closed(Closed),
}

impl Limiter {
    pub(super) fn new(folder: &Path, limits: &Limits, clock: &Clock) -> Self {
        let file = folder.join(format!("{}.limit.json", limits.name));
        Self { file, limits: limits.clone(), clock: clock.clone() }
    }

    /// Waits for a turn.
    pub(super) fn permit(&self, patience: Duration, cancel: &Cancel) -> Result<Permit, Error> {
        let start = self.clock.now();
        loop {
            let waited = self.clock.now().duration_since(start).unwrap_or_default();
            match self.under_lock(|state| self.word(state))? {
                Word::Go(permit) => return Ok(permit),
                Word::Closed(closed) => return Err(self.closed(&closed)),
                Word::Wait(wait) if waited + wait > patience => return Err(self.busy(patience, wait)),
                Word::Wait(wait) => {
                    if !self.clock.wait(wait, cancel) {
                        return Err(Error::new(Kind::Cancelled, format!("{}: cancelled", self.limits.name)));
                    }
                }
            }
        }
    }

    /// Tells that the answer to a request is there, or will not come, and what it stated.
    pub(super) fn answered(&self, permit: &Permit, stated: Stated) -> Result<(), Error> {
        let now = millis(&self.clock);
        self.under_lock(|state| {
            if let Some(entry) = state.entries.iter_mut().find(|entry| entry.id == permit.0) {
                entry.answered = Some(now);
            }
            state.rate = stated.rate.or(state.rate);
            state.concurrent = stated.concurrent.or(state.concurrent);
            if let Some(spent) = stated.spent {
                let until = now / 1000 + spent.as_secs();
                state.closed =
                    Some(Closed { until, unreachable: false, why: "its headers say nothing is left".into() });
            }
        })
    }

    /// Leaves the service alone until then.
    pub(super) fn close(&self, until: u64, unreachable: bool, why: &str) -> Result<(), Error> {
        self.under_lock(|state| state.closed = Some(Closed { until, unreachable, why: why.to_owned() }))
    }

    fn word(&self, state: &mut State) -> Word {
        let now = millis(&self.clock);
        if let Some(closed) = state.closed.take_if(|closed| closed.until * 1000 <= now).or(state.closed.clone())
            && closed.until * 1000 > now
        {
            return Word::Closed(closed);
        }
        let rate = state.rate.unwrap_or(self.limits.rate);
        let window = u64::try_from(rate.per.as_millis()).unwrap_or(u64::MAX);
        state.entries.retain(|entry| match entry.answered {
            Some(at) => at.saturating_add(window) > now,
            None => entry.sent.saturating_add(FORGOTTEN) > now,
        });
        let under_way = state.entries.iter().filter(|entry| entry.answered.is_none()).count();
        if under_way >= state.concurrent.unwrap_or(self.limits.concurrent).max(1) as usize {
            return Word::Wait(LOOK / 4);
        }
        if state.entries.len() >= rate.requests.max(1) as usize {
            let free = state.entries.iter().filter_map(|entry| entry.answered).min().map(|at| at + window);
            let wait = free.map_or(LOOK, |at| Duration::from_millis(at.saturating_sub(now).max(1)));
            return Word::Wait(wait);
        }
        if let Some(closed) = self.spend(state, now) {
            return Word::Closed(closed);
        }
        state.next += 1;
        state.entries.push(Entry { id: state.next, sent: now, answered: None });
        Word::Go(Permit(state.next))
    }

    /// Takes one request from the day's budget, or says when the next day begins.
    fn spend(&self, state: &mut State, now: u64) -> Option<Closed> {
        let today = now / 1000 / DAY;
        if state.day != today {
            (state.day, state.spent) = (today, 0);
        }
        if let Some(daily) = self.limits.daily.filter(|daily| state.spent >= *daily) {
            let why = format!("the day's budget of {daily} requests is spent");
            return Some(Closed { until: (today + 1) * DAY, unreachable: false, why });
        }
        state.spent += 1;
        None
    }

    fn closed(&self, closed: &Closed) -> Error {
        let until = std::time::UNIX_EPOCH + Duration::from_secs(closed.until);
        let name = &self.limits.name;
        let message = format!("{name} is left alone until {}: {}", written(closed.until), closed.why);
        if closed.unreachable {
            Error::new(Kind::Unreachable, message)
        } else {
            Error::new(Kind::RateLimited, message).limited(until)
        }
    }

    fn busy(&self, patience: Duration, wait: Duration) -> Error {
        let message = format!("{}: no turn within {:.1} s", self.limits.name, patience.as_secs_f64());
        Error::new(Kind::RateLimited, message).limited(self.clock.now() + wait)
    }

    /// Reads, changes and writes the state while nobody else does. A damaged state is a fresh one.
    fn under_lock<T>(&self, change: impl FnOnce(&mut State) -> T) -> Result<T, Error> {
        let failed = |error: io::Error| Error::new(Kind::Unsafe, format!("{}: {error}", self.file.display()));
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(failed)?;
        let lock = File::create(self.file.with_extension("lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut state = fs::read(&self.file)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<State>(&bytes).ok())
            .unwrap_or_default();
        let result = change(&mut state);
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        serde_json::to_writer(&mut file, &state).map_err(|error| failed(error.into()))?;
        file.flush().map_err(failed)?;
        file.persist(&self.file).map_err(|error| failed(error.error))?;
        Ok(result)
    }
}

fn millis(clock: &Clock) -> u64 {
    let now = clock.now();
    let since = now.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    seconds(now) * 1000 + u64::from(since.subsec_millis())
}
