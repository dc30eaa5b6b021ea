//! `error`: a failure that travels with the data, so that nothing vanishes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Extra;

/// A failure of one record or one file. The rest of the batch goes on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorRecord {
    /// Id, path, or `stdin:LINE` of what failed.
    pub of: String,
    /// The tool that failed, without the `techrag-` in front: `chunk`, `embed`, …
    pub stage: String,
    /// What kind of failure.
    pub kind: ErrorKind,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ErrorRecord {
    /// A failure without a hint.
    pub fn new(of: impl Into<String>, stage: &str, kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { of: of.into(), stage: stage.to_owned(), kind, message: message.into(), ..Self::default() }
    }

    /// The same with what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Kinds of failure, closed so that scripts can branch on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The line is not JSON, or a field has the wrong type.
    Malformed,
    /// The file cannot be opened or read.
    Unreadable,
    /// No reader knows this kind of file.
    Unsupported,
    /// A password is needed.
    Encrypted,
    /// The file is damaged beyond what the readers repair.
    Damaged,
    /// There is nothing in it to index.
    Empty,
    /// The time limit of a file or page was reached.
    Timeout,
    /// The memory or size limit of a file was reached.
    TooLarge,
    /// A reader crashed; its worker process was replaced.
    Crashed,
    /// Fewer chunks arrived than the document promised.
    Incomplete,
    /// Vectors of another model, a wrong dimension, or a value that is not finite.
    Vectors,
    /// A model failed on this record.
    Model,
    /// A service refused or could not be reached.
    Service,
    /// Anything else, and kinds of later versions.
    #[default]
    #[serde(other)]
    Other,
}
