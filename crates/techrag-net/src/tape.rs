//! Calls on tape: recorded once, replayed for ever, so that a run that asked the world can be repeated without it.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use techrag_core::id;

use crate::transport::{Error, Kind, Request, Response};

/// Where calls come from and go to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tape {
    /// Servers are asked and nothing is kept.
    #[default]
    Live,
    /// Servers are asked and what they say is written into this folder.
    Record(PathBuf),
    /// No server is asked: only what this folder holds is answered.
    Replay(PathBuf),
}

/// One call on tape. Keys travel in headers and are not recorded; neither are other headers of the request.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    method: String,
    url: String,
    request: Option<String>,
    /// Seconds since 1970.
    at: u64,
    status: Option<u16>,
    headers: Vec<(String, String)>,
    body: String,
    /// The kind of a failure that came without a response.
    failed: Option<String>,
}

impl Tape {
    /// The answer on tape; `None` where servers are to be asked.
    ///
    /// # Errors
    /// [`Kind::NotRecorded`]; or the failure that was recorded.
    pub(crate) fn play(&self, request: &Request) -> Option<Result<Response, Error>> {
        let Self::Replay(folder) = self else { return None };
        let file = folder.join(name(request));
        let entry = fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<Entry>(&bytes).ok());
        let Some(entry) = entry else {
            let message = format!("{} {} is not on tape ({})", request.method.name(), request.url, file.display());
            return Some(Err(Error::new(Kind::NotRecorded, message)));
        };
        Some(match entry.status {
            Some(status) => {
                let (headers, body) = (entry.headers, entry.body.into_bytes());
                Ok(Response { status, headers, body, stored: true, recorded: Some(entry.at) })
            }
            None => Err(Error::new(kind(entry.failed.as_deref().unwrap_or_default()), entry.body)),
        })
    }

    /// Writes what a server said, or how the call failed.
    ///
    /// # Errors
    /// [`Kind::Unsafe`] if the folder cannot be written: a recording with holes is none.
    pub(crate) fn keep(&self, request: &Request, result: &Result<Response, Error>, at: u64) -> Result<(), Error> {
        let Self::Record(folder) = self else { return Ok(()) };
        let response = match result {
            Ok(response) => Some(response),
            Err(error) => error.response(),
        };
        let failure = result.as_ref().err().map(|error| (format!("{:?}", error.kind()), error.to_string()));
        let entry = Entry {
            method: request.method.name().into(),
            url: request.url.to_string(),
            request: request.body().map(|body| String::from_utf8_lossy(body).into_owned()),
            at,
            status: response.map(|response| response.status),
            headers: response.map(|response| response.headers.clone()).unwrap_or_default(),
            body: response
                .map(Response::text)
                .or_else(|| failure.as_ref().map(|(_, said)| said.clone()))
                .unwrap_or_default(),
            failed: failure.filter(|_| response.is_none()).map(|(kind, _)| kind),
        };
        let written = fs::create_dir_all(folder).and_then(|()| {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            serde_json::to_writer_pretty(&mut file, &entry)?;
            file.flush()?;
            file.persist(folder.join(name(request))).map(drop).map_err(|error| error.error)
        });
        written.map_err(|error| Error::new(Kind::Unsafe, format!("{}: {error}", folder.display())))
    }
}

/// The file of a call: by what was asked.
fn name(request: &Request) -> String {
    let asked = format!("{} {}\0", request.method.name(), request.url);
    let digest = id::sha256(&[asked.as_bytes(), request.body().unwrap_or_default()].concat());
    format!("{}.json", techrag_core::text::prefix(&digest, 32))
}

fn kind(name: &str) -> Kind {
    match name {
        "Timeout" => Kind::Timeout,
        "Malformed" => Kind::Malformed,
        "TooLarge" => Kind::TooLarge,
        "Cancelled" => Kind::Cancelled,
        "Unsafe" => Kind::Unsafe,
        "RateLimited" => Kind::RateLimited,
        _ => Kind::Unreachable,
    }
}
