//! Answers on disk, by what was asked. A key never becomes part of a name or a file.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use techrag_core::id;

use crate::transport::{Request, Response};

/// Version of the files; another one is not read.
const FORM: u32 = 1;

/// A stored answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    form: u32,
    /// What was asked: method and address.
    pub asked: String,
    /// Seconds since 1970.
    pub fetched: u64,
    /// Status.
    pub status: u16,
    /// `content-type`.
    pub content_type: Option<String>,
    /// The body; services of the project speak JSON, XML and HTML.
    pub body: String,
}

/// The folder of stored answers.
#[derive(Clone, Debug)]
pub(super) struct Cache(PathBuf);

impl Cache {
    pub(super) fn new(folder: &Path) -> Self {
        Self(folder.join("answers"))
    }

    /// What is stored for a request; a damaged file is none.
    pub(super) fn get(&self, request: &Request) -> Option<Stored> {
        let stored: Stored = serde_json::from_slice(&fs::read(self.file(request)).ok()?).ok()?;
        (stored.form == FORM && stored.asked == asked(request)).then_some(stored)
    }

    /// Stores an answer; a folder that cannot be written costs the answer nothing.
    pub(super) fn put(&self, request: &Request, response: &Response, now: u64) {
        let stored = Stored {
            form: FORM,
            asked: asked(request),
            fetched: now,
            status: response.status,
            content_type: response.header("content-type").map(str::to_owned),
            body: response.text(),
        };
        let file = self.file(request);
        let Some(folder) = file.parent() else { return };
        let written = fs::create_dir_all(folder).and_then(|()| {
            let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
            serde_json::to_writer(&mut temporary, &stored)?;
            temporary.flush()?;
            temporary.persist(&file).map_err(|error| error.error)
        });
        drop(written);
    }

    fn file(&self, request: &Request) -> PathBuf {
        let body = request.body().unwrap_or_default();
        let digest = id::sha256(&[asked(request).as_bytes(), b"\0", body].concat());
        let (shelf, name) = digest.split_at(2);
        self.0.join(shelf).join(format!("{name}.json"))
    }
}

/// Method and address; keys travel in headers and are no part of it.
fn asked(request: &Request) -> String {
    format!("{} {}", request.method.name(), request.url)
}

impl Stored {
    /// As the server gave it, marked as stored.
    pub(super) fn response(&self) -> Response {
        let headers = self.content_type.iter().map(|value| ("content-type".to_owned(), value.clone())).collect();
        Response { status: self.status, headers, body: self.body.clone().into_bytes(), stored: true, recorded: None }
    }
}
