//! Why a call failed: one kind per outcome, so that refused, limited and unreachable are never confused.

use std::time::SystemTime;

use thiserror::Error;

use super::request::Response;

/// What kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The server understood and said no (400, 422, …): asking again is useless.
    Refused,
    /// There is no such thing (404, 410).
    NotFound,
    /// The key is missing, wrong or not enough (401, 403, 407).
    Unauthorised,
    /// Too many requests, or a budget is spent; see [`Error::until`].
    RateLimited,
    /// No connection: unknown host, refused, no route, no trust.
    Unreachable,
    /// It took longer than allowed.
    Timeout,
    /// The answer is not HTTP, or its body is not what it must be.
    Malformed,
    /// The body is larger than allowed.
    TooLarge,
    /// The server failed (5xx).
    Server,
    /// Whoever asked no longer wants it.
    Cancelled,
    /// Sockets are forbidden.
    Offline,
    /// The request must not be sent as it is: no http URL, or a key over plain http.
    Unsafe,
    /// A replay has no answer for it.
    NotRecorded,
}

/// A failed call.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct Error {
    kind: Kind,
    message: String,
    until: Option<SystemTime>,
    response: Option<Box<Response>>,
}

impl Error {
    /// A failure that another room found before anything was sent.
    pub fn of(kind: Kind, message: impl Into<String>) -> Self {
        Self::new(kind, message)
    }

    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), until: None, response: None }
    }

    pub(crate) fn with_response(mut self, response: Response) -> Self {
        self.response = Some(Box::new(response));
        self
    }

    /// The failure that a status of 300 and more means, with what the server said.
    pub(crate) fn of_status(host: &str, response: Response, until: Option<SystemTime>) -> Self {
        let kind = kind(response.status);
        let said = response.excerpt();
        let message = format!("{host} answered {}{}{said}", response.status, if said.is_empty() { "" } else { ": " });
        Self { until, ..Self::new(kind, message).with_response(response) }
    }

    pub(crate) fn limited(mut self, until: SystemTime) -> Self {
        self.kind = Kind::RateLimited;
        self.until = Some(until);
        self
    }

    /// What kind of failure.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// When it is worth asking again, where the server said so.
    pub fn until(&self) -> Option<SystemTime> {
        self.until
    }

    /// What the server answered, where it did.
    pub fn response(&self) -> Option<&Response> {
        self.response.as_deref()
    }

    /// The response itself, where there is one.
    pub fn into_response(self) -> Option<Response> {
        self.response.map(|response| *response)
    }

    /// The status, where there is one.
    pub fn status(&self) -> Option<u16> {
        self.response.as_ref().map(|response| response.status)
    }
}

fn kind(status: u16) -> Kind {
    match status {
        401 | 403 | 407 => Kind::Unauthorised,
        404 | 410 => Kind::NotFound,
        408 => Kind::Timeout,
        429 => Kind::RateLimited,
        500.. => Kind::Server,
        _ => Kind::Refused,
    }
}

/// What a failure of the HTTP library means. Its texts name hosts, never headers.
pub(crate) fn of_library(host: &str, error: &ureq::Error) -> Error {
    use ureq::Error as E;
    let kind = match error {
        E::HostNotFound | E::ConnectionFailed | E::Tls(_) | E::Rustls(_) => Kind::Unreachable,
        E::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => Kind::Unreachable,
        E::Timeout(_) => Kind::Timeout,
        E::Io(error) => of_io(error),
        E::BadUri(_) | E::Http(_) => Kind::Unsafe,
        _ => Kind::Malformed,
    };
    Error::new(kind, format!("{host}: {error}"))
}

/// What a failure of a read means: the library's own failures come wrapped in it.
pub(crate) fn of_read(host: &str, error: &std::io::Error) -> Error {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>()) {
        Some(inner) => of_library(host, inner),
        None => Error::new(of_io(error), format!("{host}: {error}")),
    }
}

fn of_io(error: &std::io::Error) -> Kind {
    use std::io::ErrorKind as E;
    match error.kind() {
        E::TimedOut | E::WouldBlock => Kind::Timeout,
        E::InvalidData | E::UnexpectedEof => Kind::Malformed,
        _ => Kind::Unreachable,
    }
}
