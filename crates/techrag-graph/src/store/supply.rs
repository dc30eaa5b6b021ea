//! The store of a stage that only enriches: it may not be there yet, or not at all, and the stage serves all the same.

use std::path::PathBuf;
use std::sync::OnceLock;

use super::{Embedded, Error, Result, Store};

/// Where an enriching stage gets its store from. Shared by threads freely.
pub struct Supply(Source);

enum Source {
    /// It was opened at the start.
    Opened(Box<dyn Store>),
    /// There is none, and why.
    Never(String),
    /// The graph of a library, opened when something is in it.
    Library(PathBuf, OnceLock<Embedded>),
}

impl Supply {
    /// This store.
    pub fn of(store: Box<dyn Store>) -> Self {
        Self(Source::Opened(store))
    }

    /// None; `why` is the reason in words, which every query that wanted one then says.
    pub fn none(why: impl Into<String>) -> Self {
        Self(Source::Never(why.into()))
    }

    /// The graph of the library at `root`. Until something is loaded into it, every query looks again.
    pub fn library(root: impl Into<PathBuf>) -> Self {
        Self(Source::Library(root.into(), OnceLock::new()))
    }

    /// The store, or in words why there is none.
    ///
    /// # Errors
    /// If the library cannot be read.
    pub(crate) fn get(&self) -> Result<std::result::Result<&dyn Store, String>> {
        let (root, opened) = match &self.0 {
            Source::Opened(store) => return Ok(Ok(store.as_ref())),
            Source::Never(why) => return Ok(Err(why.clone())),
            Source::Library(root, opened) => (root, opened),
        };
        if let Some(store) = opened.get() {
            return Ok(Ok(store));
        }
        match Embedded::open(root) {
            // Another thread may be first; either connection will do.
            Ok(store) => Ok(Ok(opened.get_or_init(|| store))),
            Err(error @ Error::Empty { .. }) => Ok(Err(error.to_string())),
            Err(error) => Err(error),
        }
    }
}
