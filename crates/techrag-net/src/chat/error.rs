//! Why a call of a model gave nothing to use: one kind per outcome.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::transport;

/// Kinds of failure, closed so that callers can branch on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// No connection to the server.
    Unreachable,
    /// The key is missing, wrong or not enough.
    Unauthorised,
    /// The server has no such model or path.
    NotFound,
    /// It took longer than allowed.
    Timeout,
    /// Too many requests, and the wait asked for is too long.
    RateLimited,
    /// The request, or the subject, is refused.
    Refused,
    /// The prompt with its reply is longer than the model reads.
    ContextLength,
    /// The server failed.
    Server,
    /// What came is not what an OpenAI-compatible server says, or the connection broke.
    Malformed,
    /// The reply has no text.
    Empty,
    /// The reply is not the JSON asked for.
    Form,
    /// The budget is spent.
    Budget,
    /// A dry run: nothing was sent.
    DryRun,
    /// The cassette has no such call.
    NotRecorded,
    /// The cassette cannot be read or written.
    Cassette,
    /// Whoever asked no longer wants it.
    Cancelled,
    /// Sockets are forbidden.
    Offline,
    /// The settings do not hold together.
    Settings,
}

/// A failed call.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct Error {
    kind: Kind,
    message: String,
    hint: Option<String>,
}

impl Error {
    /// A failure that its message tells.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What kind of failure.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What to do next, where that is known.
    pub fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Whether no call to this server will do better until somebody changes something: it is not there, does not let us
    /// in, or does not have the model.
    pub fn is_unreachable(&self) -> bool {
        matches!(self.kind, Kind::Unreachable | Kind::Unauthorised | Kind::NotFound)
    }

    /// Whether the run cannot go on as asked: a replay without its recording, settings that contradict each other.
    pub fn is_fatal(&self) -> bool {
        matches!(self.kind, Kind::NotRecorded | Kind::Cassette | Kind::Offline | Kind::Settings)
    }
}

/// How servers say that a prompt is too long; they agree on no status.
const TOO_LONG: [&str; 6] =
    ["context_length", "context length", "context size", "context window", "prompt is too long", "too many tokens"];

impl From<&transport::Error> for Error {
    fn from(error: &transport::Error) -> Self {
        use transport::Kind as T;
        let said = error.response().map(transport::Response::text).unwrap_or_default().to_lowercase();
        let kind = match error.kind() {
            _ if TOO_LONG.iter().any(|words| said.contains(words)) => Kind::ContextLength,
            T::Unreachable => Kind::Unreachable,
            T::Unauthorised => Kind::Unauthorised,
            T::NotFound => Kind::NotFound,
            T::Timeout => Kind::Timeout,
            T::RateLimited => Kind::RateLimited,
            T::Refused | T::Unsafe => Kind::Refused,
            T::Server => Kind::Server,
            T::Malformed | T::TooLarge => Kind::Malformed,
            T::Cancelled => Kind::Cancelled,
            T::Offline => Kind::Offline,
            T::NotRecorded => Kind::NotRecorded,
        };
        let error = Self::new(kind, error.to_string());
        match kind {
            Kind::ContextLength => error.hint("lower --max-prompt-tokens, or serve the model with a longer context"),
            Kind::Unreachable => error.hint("is the server running? --llm URL names it, `make llm` starts a small one"),
            Kind::Unauthorised => {
                error.hint("name the variable that holds the key with --llm-key-env, or key_env in [llm]")
            }
            Kind::NotFound => error.hint("the URL ends in /v1 for most servers; --llm-model names a model it has"),
            _ => error,
        }
    }
}
