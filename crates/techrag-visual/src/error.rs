//! Why page retrieval failed as a whole; what is wrong with one page is named and the next one goes on.

use thiserror::Error;

/// A failure that the next page or question would meet again.
#[derive(Debug, Error)]
pub enum Error {
    /// The library.
    #[error(transparent)]
    Index(#[from] techrag_index::Error),
    /// A model.
    #[error(transparent)]
    Model(#[from] techrag_models::Error),
    /// The library's pages were encoded by something else than what is to be used now.
    #[error("the library's pages are encoded by {library}; asked for is {here}")]
    Encoder {
        /// Model, revision and profile of the library.
        library: String,
        /// The same of what was asked for.
        here: String,
    },
    /// A setting stored with the pages cannot be used by this build.
    #[error("the pages' settings cannot be used: {0}")]
    Layout(String),
    /// A picture cannot be written.
    #[error("{path}: {message}")]
    Picture {
        /// The file.
        path: std::path::PathBuf,
        /// Why not.
        message: String,
    },
}

/// The result of an operation on pages.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Model(error) => error.hint(),
            Self::Encoder { .. } => Some("use the same --encoder, or begin anew: `techrag-visual index --anew`"),
            Self::Index(_) | Self::Layout(_) | Self::Picture { .. } => None,
        }
    }

    /// Whether the fault lies with one text; the next query may well succeed.
    pub fn is_about_a_text(&self) -> bool {
        matches!(self, Self::Model(error) if error.is_about_a_text())
    }
}
