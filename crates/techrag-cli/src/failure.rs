//! Errors that end a run, with what to do next.

use std::error::Error;
use std::fmt::{self, Display};

/// An error with a hint; the report prints the hint after the chain of causes.
#[derive(Debug)]
pub struct Hinted {
    pub(crate) error: anyhow::Error,
    pub(crate) hint: String,
}

impl Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl Error for Hinted {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

/// The error with what to do next.
pub fn hint(error: impl Into<anyhow::Error>, hint: impl Into<String>) -> anyhow::Error {
    Hinted { error: error.into(), hint: hint.into() }.into()
}

/// A service asked for by name cannot be reached: exit code 4.
#[derive(Debug, thiserror::Error)]
#[error("{service} is unreachable: {message}")]
pub struct Unreachable {
    /// What was asked for.
    pub service: String,
    /// What went wrong.
    pub message: String,
}
