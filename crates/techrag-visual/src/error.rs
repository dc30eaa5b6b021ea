//! Why page retrieval failed as a whole; what is wrong with one page is named and the next one goes on.

use thiserror::Error;

/// A failure that the next page or question would meet again.
#[derive(Debug, Error)]
pub enum Error {
    /// The library.
    #[error(transparent)]
    Index(techrag_index::Error),
    /// A file of pages is not what was stored.
    #[error("{path} is damaged: {what}")]
    Damaged {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A model.
    #[error(transparent)]
    Model(#[from] techrag_models::Error),
    /// The encoder of the library's pages cannot be opened.
    #[error("the library's pages are encoded by {library}: {source}")]
    Opening {
        /// Its id.
        library: String,
        /// Why not.
        source: techrag_models::Error,
    },
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

impl From<techrag_index::Error> for Error {
    /// The library's own advice on damage does not bring pages back, so theirs is another error.
    fn from(error: techrag_index::Error) -> Self {
        use techrag_index::Error::{Corrupt, Io};
        let of_pages = |path: &std::path::Path| path.extension().is_some_and(|it| it == "seg") && within_pages(path);
        match error {
            Corrupt { path, what } if of_pages(&path) => Self::Damaged { path, what },
            Io { path, source } if of_pages(&path) && source.kind() == std::io::ErrorKind::NotFound => {
                Self::Damaged { path, what: "it is not there".to_owned() }
            }
            other => Self::Index(other),
        }
    }
}

fn within_pages(path: &std::path::Path) -> bool {
    path.parent().and_then(|folder| folder.file_name()).is_some_and(|name| name == "pages")
}

impl Error {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Model(error) | Self::Opening { source: error, .. } => error.hint(),
            Self::Damaged { .. } => Some(
                "`techrag-visual verify` names all damage; `techrag-visual index --anew --all` makes again what is damaged",
            ),
            Self::Encoder { .. } => Some("use the same --encoder, or begin anew: `techrag-visual index --anew`"),
            Self::Index(_) | Self::Layout(_) | Self::Picture { .. } => None,
        }
    }

    /// Whether the fault lies with one text or page; the next one may well succeed.
    pub fn is_about_a_text(&self) -> bool {
        matches!(self, Self::Model(error) if error.is_about_a_text())
    }
}
