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
    /// A library of an earlier format, which a reader does not change.
    #[error(
        "the library at {path} has format {found}, this build reads format {reads}: `techrag-index migrate --library \
         {path}` brings it there in place, all of it or nothing"
    )]
    Older {
        /// The library.
        path: PathBuf,
        /// Its format.
        found: u32,
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
    /// There is not room enough for what is to be written; nothing was.
    #[error(
        "{path} has {free} bytes free and {needed} are needed: free some, or move the library; what was committed is safe"
    )]
    Full {
        /// The library.
        path: PathBuf,
        /// Bytes free.
        free: u64,
        /// Bytes needed.
        needed: u64,
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
    /// The query's vector has a component that is no finite number.
    #[error("the query's vector is not finite")]
    NotFinite,
    /// The HNSW library refused.
    #[error("HNSW: {0}")]
    Hnsw(String),
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
    Catalog(rusqlite::Error),
    /// The catalog is not what the library wrote.
    #[error("the catalog is damaged: {0}; `techrag-index verify` names all damage; a catalog comes back from a copy")]
    CorruptCatalog(rusqlite::Error),
    /// A stored record does not parse.
    #[error("the catalog is damaged: a record in it: {0}; `techrag-index verify` names all damage")]
    Record(#[from] serde_json::Error),
}

/// The result of an operation on a library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => Self::CorruptCatalog(error),
            // A missing table, or a value of another type than was stored, in a catalog whose format was read.
            None if !matches!(error, rusqlite::Error::QueryReturnedNoRows) => Self::CorruptCatalog(error),
            _ => Self::Catalog(error),
        }
    }
}

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
