//! What can go wrong with a library, by whose business it is: the user's ([`Error::Missing`], [`Error::Locked`], …),
//! the machine's ([`Error::Io`]) or the file's ([`Error::Corrupt`]).

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A failure of the library as a whole. Failures of one record are error records instead.
#[derive(Debug, Error)]
pub enum Error {
    /// There is no library where one was asked for.
    #[error("no library at {path}: `techrag-index add --library {path}` makes one")]
    Missing {
        /// The folder asked for.
        path: PathBuf,
    },
    /// The folder holds something else.
    #[error("{path} is not empty and holds no library")]
    Foreign {
        /// The folder asked for.
        path: PathBuf,
    },
    /// A library of another format version.
    #[error("the library at {path} has format {found}; this build reads format {reads}")]
    Format {
        /// The library.
        path: PathBuf,
        /// Its format.
        found: String,
        /// The format of this build.
        reads: u32,
    },
    /// Another process is writing.
    #[error("the library at {path} is being written by {owner}; wait until it is done, or stop it")]
    Locked {
        /// The library.
        path: PathBuf,
        /// Who holds the lock: tool and process id.
        owner: String,
    },
    /// A file is not what the library wrote.
    #[error("{path} is damaged: {what}; `techrag-index verify` names all damage, `rebuild` remakes what is derived")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The query's vector does not fit the library's.
    #[error("the query has {found} dimensions, the library's vectors have {expected}")]
    Dimension {
        /// Dimensions of the query.
        found: usize,
        /// Dimensions of the library.
        expected: usize,
    },
    /// A SELECT over the catalog is refused or wrong.
    #[error("the SELECT: {0}")]
    Select(String),
    /// The operating system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The catalog refused.
    #[error("the catalog: {0}")]
    Catalog(#[from] rusqlite::Error),
    /// A stored record does not parse.
    #[error("a record in the catalog: {0}")]
    Record(#[from] serde_json::Error),
}

/// The result of an operation on a library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn corrupt(path: &Path, what: impl Into<String>) -> Self {
        Self::Corrupt { path: path.to_owned(), what: what.into() }
    }
}

/// Names the file in an I/O error.
pub(crate) trait At<T> {
    fn at(self, path: &Path) -> Result<T>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T> {
        self.map_err(|source| Error::Io { path: path.to_owned(), source })
    }
}
