//! Why a whole file could not be read. A page that fails is no error: see [`crate::Outcome::Failed`].

use serde::{Deserialize, Serialize};
use techrag_core::record::ErrorKind;

/// Why a whole file could not be read; each variant carries the reason in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Error {
    /// The file cannot be opened.
    #[error("cannot read the file: {0}")]
    Unreadable(String),
    /// The bytes are not those of a PDF.
    #[error("not a PDF: {0}")]
    NotPdf(String),
    /// A password is needed, or the one given is wrong.
    #[error("the file is encrypted: {0}")]
    Encrypted(String),
    /// A picture of a kind that is not read.
    #[error("{0}")]
    Unsupported(String),
    /// A PDF that no reader can repair.
    #[error("the file is damaged: {0}")]
    Damaged(String),
    /// No page came in the time allowed.
    #[error("out of time: {0}")]
    Timeout(String),
    /// More bytes, pages or memory than allowed.
    #[error("too large: {0}")]
    TooLarge(String),
    /// One page cannot be drawn; others may be.
    #[error("the page cannot be drawn: {0}")]
    Page(String),
    /// The readers crashed before a page came.
    #[error("the reader crashed: {0}")]
    Crashed(String),
}

impl Error {
    /// The kind on the wire.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unreadable(_) => ErrorKind::Unreadable,
            Self::NotPdf(_) | Self::Unsupported(_) => ErrorKind::Unsupported,
            Self::Encrypted(_) => ErrorKind::Encrypted,
            Self::Damaged(_) | Self::Page(_) => ErrorKind::Damaged,
            Self::Timeout(_) => ErrorKind::Timeout,
            Self::TooLarge(_) => ErrorKind::TooLarge,
            Self::Crashed(_) => ErrorKind::Crashed,
        }
    }
}
