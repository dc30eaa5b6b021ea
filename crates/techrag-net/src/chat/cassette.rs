//! Calls kept in a file, by the hash of the request: a run recorded once is replayed without a server, to the byte.
//!
//! One JSON object a line: `v`, `digest` (SHA-256 of model, messages, temperature, cap and schema), `agent`, and `reply`
//! or `failure`. The request itself is not kept, and neither is a key. A request that is made again gets the first
//! reply, so that a recorded run and its replay are the same. A server that was not there leaves nothing.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::error::{Error, Kind};
use super::reply::Reply;

/// What is done with a cassette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Calls that it has are taken from it, others are made and added.
    Record,
    /// Only calls that it has are answered.
    Replay,
}

const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Line {
    v: u32,
    digest: String,
    agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply: Option<Reply>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
}

#[derive(Serialize, Deserialize)]
struct Failure {
    kind: Kind,
    message: String,
}

/// What came of a call.
pub(super) type Outcome = Result<Reply, Error>;

impl Line {
    fn of(digest: &str, agent: &str, outcome: &Outcome) -> Self {
        let (reply, failure) = match outcome {
            Ok(reply) => (Some(reply.clone()), None),
            Err(error) => (None, Some(Failure { kind: error.kind(), message: error.to_string() })),
        };
        Self { v: VERSION, digest: digest.to_owned(), agent: agent.to_owned(), reply, failure }
    }

    fn outcome(self) -> Option<Outcome> {
        match (self.reply, self.failure) {
            (Some(reply), None) => Some(Ok(reply)),
            (None, Some(failure)) => Some(Err(Error::new(failure.kind, failure.message))),
            _ => None,
        }
    }
}

/// An open cassette.
#[derive(Debug)]
pub struct Cassette {
    path: PathBuf,
    mode: Mode,
    calls: Mutex<HashMap<String, Outcome>>,
}

impl Cassette {
    /// Opens a file; to record, it need not exist.
    ///
    /// # Errors
    /// [`Kind::Cassette`] if it cannot be read, or a line is none of a cassette's.
    pub fn open(path: &Path, mode: Mode) -> Result<Self, Error> {
        let fail = |what: String| Error::new(Kind::Cassette, format!("cassette {}: {what}", path.display()));
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && mode == Mode::Record => String::new(),
            read => read.map_err(|error| fail(error.to_string()))?,
        };
        let mut calls = HashMap::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let line: Line =
                serde_json::from_str(line).map_err(|error| fail(format!("line {}: {error}", number + 1)))?;
            if line.v != VERSION {
                return Err(fail(format!("line {}: version {} is not {VERSION}", number + 1, line.v)));
            }
            let digest = line.digest.clone();
            let outcome =
                line.outcome().ok_or_else(|| fail(format!("line {}: neither reply nor failure", number + 1)))?;
            calls.entry(digest).or_insert(outcome);
        }
        Ok(Self { path: path.to_owned(), mode, calls: Mutex::new(calls) })
    }

    /// What was recorded; `None` if the call is to be made.
    ///
    /// # Errors
    /// [`Kind::NotRecorded`] in a replay.
    pub(super) fn take(&self, digest: &str, agent: &str) -> Result<Option<Outcome>, Error> {
        let found = self.calls.lock().unwrap_or_else(PoisonError::into_inner).get(digest).cloned();
        if found.is_none() && self.mode == Mode::Replay {
            let short = techrag_core::text::prefix(digest, 12);
            let message = format!("cassette {} has no call {short} of {agent}", self.path.display());
            return Err(Error::new(Kind::NotRecorded, message).hint("record it again with --record"));
        }
        Ok(found)
    }

    /// Adds a call that was made.
    ///
    /// # Errors
    /// [`Kind::Cassette`] if it cannot be written.
    pub(super) fn keep(&self, digest: &str, agent: &str, outcome: &Outcome) -> Result<(), Error> {
        let fail = |what: String| Error::new(Kind::Cassette, format!("cassette {}: {what}", self.path.display()));
        // The lock is held while writing: lines of two workers must not mix.
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.contains_key(digest) {
            return Ok(());
        }
        let mut line =
            serde_json::to_string(&Line::of(digest, agent, outcome)).map_err(|error| fail(error.to_string()))?;
        line.push('\n');
        let mut file =
            OpenOptions::new().create(true).append(true).open(&self.path).map_err(|error| fail(error.to_string()))?;
        file.write_all(line.as_bytes()).map_err(|error| fail(error.to_string()))?;
        calls.insert(digest.to_owned(), outcome.clone());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_recorded_is_replayed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.jsonl");
        let recording = Cassette::open(&path, Mode::Record).unwrap();
        assert_eq!(recording.take("d1", "writer").unwrap(), None);
        let reply = Reply { text: "μ \"x\"".into(), ms: 12, ..Reply::default() };
        recording.keep("d1", "writer", &Ok(reply.clone())).unwrap();
        recording.keep("d1", "writer", &Ok(Reply::default())).unwrap();
        let failed = Err(Error::new(Kind::ContextLength, "too long"));
        recording.keep("d3", "writer", &failed).unwrap();
        let replay = Cassette::open(&path, Mode::Replay).unwrap();
        assert_eq!(replay.take("d1", "writer").unwrap(), Some(Ok(reply)));
        assert_eq!(replay.take("d3", "writer").unwrap(), Some(failed));
        let error = replay.take("d2000000000000", "critic").unwrap_err();
        assert!(error.is_fatal() && error.to_string().ends_with("has no call d20000000000 of critic"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
    }

    #[test]
    fn a_file_that_is_no_cassette_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.jsonl");
        assert!(Cassette::open(&path, Mode::Replay).is_err());
        std::fs::write(&path, "{\"v\":2,\"digest\":\"\",\"agent\":\"\"}\n").unwrap();
        assert!(Cassette::open(&path, Mode::Record).unwrap_err().to_string().contains("version 2"));
    }
}
