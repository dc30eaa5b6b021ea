//! What is sent and what comes back.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use url::{Host, Url};

use super::error::{Error, Kind};

/// A key or token. It is sent and never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// White space around a key is an accident of copying; inside, it would split the header.
    pub fn new(value: &str) -> Self {
        Self(value.trim().to_owned())
    }

    /// The key itself: for sending only.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The two methods the project needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Read; may be repeated freely.
    Get,
    /// Send a body; repeated only where the server said that it did nothing with it.
    Post,
}

impl Method {
    /// As on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// A request, ready to be sent any number of times.
#[derive(Clone, Debug)]
pub struct Request {
    /// How.
    pub method: Method,
    /// Where to.
    pub url: Url,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) secrets: Vec<(String, String, Secret)>,
    pub(crate) body: Option<Vec<u8>>,
}

impl Request {
    /// A GET.
    pub fn get(url: Url) -> Self {
        Self { method: Method::Get, url, headers: Vec::new(), secrets: Vec::new(), body: None }
    }

    /// A POST of a JSON body.
    ///
    /// # Errors
    /// [`Kind::Malformed`] if the body cannot be written as JSON.
    pub fn post_json(url: Url, body: &impl Serialize) -> Result<Self, Error> {
        let body = serde_json::to_vec(body).map_err(|error| Error::new(Kind::Malformed, error.to_string()))?;
        let request = Self { method: Method::Post, url, headers: Vec::new(), secrets: Vec::new(), body: Some(body) };
        Ok(request.header("content-type", "application/json"))
    }

    /// With a header that may be seen by anybody.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With a key in a header; an empty key is not sent.
    #[must_use]
    pub fn secret(mut self, name: &str, value: &Secret) -> Self {
        if !value.is_empty() {
            self.secrets.push((name.to_owned(), String::new(), value.clone()));
        }
        self
    }

    /// With `Authorization: Bearer KEY`; an empty key is not sent.
    #[must_use]
    pub fn bearer(mut self, key: &Secret) -> Self {
        if !key.is_empty() {
            self.secrets.push(("authorization".into(), "Bearer ".into(), key.clone()));
        }
        self
    }

    /// Whether it carries a key.
    pub fn has_secret(&self) -> bool {
        !self.secrets.is_empty()
    }

    /// The body that is sent.
    pub fn body(&self) -> Option<&[u8]> {
        self.body.as_deref()
    }
}

/// What a server said, whatever it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// Status, 100 to 599.
    pub status: u16,
    /// Headers, names in lower case, in the order they came.
    pub headers: Vec<(String, String)>,
    /// The body, decompressed.
    pub body: Vec<u8>,
    /// Whether it comes from a tape or a cache and no server was asked now.
    pub stored: bool,
    /// When a tape recorded it, in seconds since 1970.
    pub recorded: Option<u64>,
}

impl Response {
    /// The first header of this name (in lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The body as text; bytes that are no UTF-8 are replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// [`Kind::Malformed`] if it is not, saying how it begins.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let kind = self.header("content-type").unwrap_or("no content type").to_owned();
            let message = format!("not the expected JSON ({error}; {kind}): {}", self.excerpt());
            Error::new(Kind::Malformed, message).with_response(self.clone())
        })
    }

    /// The first words of the body, on one line, for messages.
    pub fn excerpt(&self) -> String {
        let text = techrag_core::clean::line(&String::from_utf8_lossy(&self.body[..self.body.len().min(2000)]));
        text.chars().take(200).collect()
    }
}

/// Whether a URL names this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
