//! Why a search failed as a whole.

use thiserror::Error;

/// A failure that the next query would meet again.
#[derive(Debug, Error)]
pub enum Error {
    /// The library.
    #[error(transparent)]
    Index(#[from] techrag_index::Error),
    /// A model.
    #[error(transparent)]
    Model(#[from] techrag_models::Error),
    /// The library's vectors are of other weights than the model here.
    #[error("the library's vectors are of {model}, revision {library}; the model here is revision {here}")]
    Revision {
        /// Manifest id.
        model: String,
        /// Weight revision of the library.
        library: String,
        /// Weight revision of the model found.
        here: String,
    },
}

impl Error {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Model(error) => error.hint(),
            Self::Revision { .. } => Some("embed the library again, or search with --mode bm25"),
            Self::Index(_) => None,
        }
    }

    /// Whether the fault lies with one text; the next query may well succeed.
    pub fn is_about_a_text(&self) -> bool {
        matches!(self, Self::Model(error) if error.is_about_a_text())
    }
}

/// The result of a search.
pub type Result<T, E = Error> = std::result::Result<T, E>;
