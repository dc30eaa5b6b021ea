//! What a source said, in one of eight words. "Nothing found" is only said where the source said so.
//!
//! | came back | outcome |
//! |---|---|
//! | works | `ok` |
//! | an empty list; 404 | `empty` |
//! | 400, 422, redirects; an error in a body with status 200 | `refused` |
//! | 429; a spent budget; no turn in time; 432 and 433 (Tavily's plan) | `rate_limited` |
//! | 401, 403, 407 | `unauthorised` |
//! | no connection, no answer in time, 5xx | `unreachable` |
//! | a body that is not what it must be, too large, broken off | `malformed` |
//! | offline, not configured, cancelled, not sent for safety | `not_asked` |

use techrag_core::record::{Outcome, SourceOutcome};
use techrag_net::clock::{seconds, written};
use techrag_net::polite::Answer;
use techrag_net::transport::{Error, Kind, Response};

use crate::sources::Fault;

/// Longest note, in characters.
const NOTE: usize = 240;

/// The outcome of a call, and what was read of its answer.
pub(crate) fn of<T>(
    source: &str,
    result: Result<Answer, Error>,
    read: impl FnOnce(&Response) -> Result<Vec<T>, Fault>,
) -> (SourceOutcome, Vec<T>) {
    let answer = match result {
        Ok(answer) => answer,
        Err(error) => return (failed(source, &error), Vec::new()),
    };
    let (outcome, note, found) = match read(&answer.response) {
        Ok(found) if found.is_empty() => (Outcome::Empty, None, found),
        Ok(found) => (Outcome::Ok, None, found),
        Err(Fault::Refused(said)) => (Outcome::Refused, Some(said), Vec::new()),
        Err(Fault::Malformed(said)) => (Outcome::Malformed, Some(said), Vec::new()),
    };
    let count = u32::try_from(found.len()).unwrap_or(u32::MAX);
    let note = note.map(|note| short(&note));
    let stored = answer.response.stored;
    (SourceOutcome { source: source.to_owned(), outcome, count, until: None, note, stored }, found)
}

/// A source that there was no way to ask.
pub(crate) fn not_asked(source: &str, why: &str) -> SourceOutcome {
    SourceOutcome { source: source.to_owned(), note: Some(short(why)), ..SourceOutcome::default() }
}

fn failed(source: &str, error: &Error) -> SourceOutcome {
    let outcome = match (error.kind(), error.status()) {
        // A spent plan is not a bad key.
        (_, Some(432 | 433)) => Outcome::RateLimited,
        (Kind::Refused, _) => Outcome::Refused,
        (Kind::NotFound, _) => Outcome::Empty,
        (Kind::Unauthorised, _) => Outcome::Unauthorised,
        (Kind::RateLimited, _) => Outcome::RateLimited,
        (Kind::Unreachable | Kind::Timeout | Kind::Server, _) => Outcome::Unreachable,
        (Kind::Malformed | Kind::TooLarge, _) => Outcome::Malformed,
        (Kind::Cancelled | Kind::Offline | Kind::Unsafe | Kind::NotRecorded, _) => Outcome::NotAsked,
    };
    let until = error.until().map(|until| written(seconds(until)));
    SourceOutcome {
        source: source.to_owned(),
        outcome,
        until,
        note: Some(short(&error.to_string())),
        ..SourceOutcome::default()
    }
}

fn short(note: &str) -> String {
    techrag_core::clean::line(note).chars().take(NOTE).collect()
}
