//! What can go wrong between a model's name and its numbers.

use std::path::{Path, PathBuf};

/// Why a model could not be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The files are in none of the places searched.
    #[error("the model {id} is not there (looked in {})", places(.looked_in))]
    Missing {
        /// Manifest id.
        id: String,
        /// Folders searched, in order.
        looked_in: Vec<PathBuf>,
        /// What to do about it: the command that brings the model.
        hint: String,
    },
    /// A program of the system, or a part of it, is not there.
    #[error("{what}")]
    NotInstalled {
        /// What is missing, in words.
        what: String,
        /// How it is installed.
        hint: String,
    },
    /// The manifest has no such model.
    #[error("no model is named {id}; the manifest has {}", .known.join(", "))]
    Unknown {
        /// The name asked for.
        id: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// The model exists and is of another kind.
    #[error("{id} is not a {wanted}")]
    WrongKind {
        /// Manifest id.
        id: String,
        /// The kind that was needed.
        wanted: &'static str,
    },
    /// The manifest cannot be read.
    #[error("manifest of models: {0}")]
    Manifest(String),
    /// The runtime's library is there but does not load.
    #[error("ONNX Runtime at {}: {message}", .path.display())]
    Runtime {
        /// The library's file.
        path: PathBuf,
        /// What the loader said.
        message: String,
    },
    /// A file of the model is there but cannot be used.
    #[error("{id}: {}: {message}", .path.display())]
    File {
        /// Manifest id.
        id: String,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A text could not be tokenised.
    #[error("{id}: cannot tokenise: {message}")]
    Tokenise {
        /// Manifest id.
        id: String,
        /// What the tokeniser said.
        message: String,
    },
    /// The runtime failed on an input.
    #[error("{id}: {message}")]
    Run {
        /// Manifest id.
        id: String,
        /// What the runtime said.
        message: String,
    },
    /// An output has another shape than the manifest says.
    #[error("{id}: output {output} has shape {found:?}, expected {expected:?}")]
    Shape {
        /// Manifest id.
        id: String,
        /// Name of the output.
        output: String,
        /// Shape found.
        found: Vec<i64>,
        /// Shape expected.
        expected: Vec<i64>,
    },
    /// A page cannot be encoded; the next one may well be.
    #[error("{id}: {message}")]
    Page {
        /// Manifest id.
        id: String,
        /// What is wrong with it.
        message: String,
    },
    /// A picture whose sides and bytes do not agree, or that has no pixel.
    #[error("{bytes} bytes are no RGB picture of {width} × {height} pixels")]
    Picture {
        /// Pixels across.
        width: usize,
        /// Pixels down.
        height: usize,
        /// Bytes given.
        bytes: usize,
    },
    /// A number came out that must not be stored.
    #[error("{id}: the result for text {text} is {problem}")]
    BadResult {
        /// Manifest id.
        id: String,
        /// Index of the text in the call.
        text: usize,
        /// What it is: not finite, or zero.
        problem: &'static str,
    },
}

impl Error {
    /// What the user can do about it, if anything.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Missing { hint, .. } | Self::NotInstalled { hint, .. } => Some(hint),
            Self::Runtime { .. } | Self::File { .. } => Some(
                "`make models` verifies what it fetched and replaces what is broken; a network of your own must be what its models.toml says",
            ),
            _ => None,
        }
    }

    /// Whether the fault lies with one text or page; the next one may well succeed.
    pub fn is_about_a_text(&self) -> bool {
        matches!(self, Self::Tokenise { .. } | Self::BadResult { .. } | Self::Page { .. } | Self::Picture { .. })
    }

    pub(crate) fn file(id: &str, path: &Path, error: impl std::fmt::Display) -> Self {
        Self::File { id: id.to_owned(), path: path.to_owned(), message: error.to_string() }
    }

    pub(crate) fn run(id: &str, error: impl std::fmt::Display) -> Self {
        Self::Run { id: id.to_owned(), message: error.to_string() }
    }
}

fn places(folders: &[PathBuf]) -> String {
    if folders.is_empty() {
        return "no folder".to_owned();
    }
    folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
}
