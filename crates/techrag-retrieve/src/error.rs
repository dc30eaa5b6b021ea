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
    /// The library's vectors are of a model that the manifest does not have.
    #[error("the library's vectors are of {model}, which is no model of the manifest")]
    NoEncoder {
        /// The model's name.
        model: String,
    },
    /// An embedding server.
    #[error("{url}: {message}")]
    Remote {
        /// Its address.
        url: String,
        /// What went wrong.
        message: String,
        /// Whether it could not be reached.
        away: bool,
    },
    /// The library's vectors were made by a server, and none is named.
    #[error("the library's vectors are of {model}, made by an embedding server, and none is named")]
    NoEndpoint {
        /// The model's name there.
        model: String,
    },
}

impl Error {
    /// Whether a service that was asked for by name cannot be reached.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Remote { away: true, .. })
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Model(error) => error.hint(),
            Self::Revision { .. } => Some("embed the library again, or search with --mode bm25"),
            Self::NoEncoder { .. } => {
                Some("name it in a models.toml beside the models, or search by words alone with --mode bm25")
            }
            Self::NoEndpoint { .. } => Some("name it with --endpoint URL, or search with --mode bm25"),
            Self::Index(_) | Self::Remote { .. } => None,
        }
    }

    /// Whether the fault lies with one text; the next query may well succeed.
    pub fn is_about_a_text(&self) -> bool {
        matches!(self, Self::Model(error) if error.is_about_a_text())
    }
}

/// The result of a search.
pub type Result<T, E = Error> = std::result::Result<T, E>;
