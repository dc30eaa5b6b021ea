//! The two kinds of input.

use clap::ValueEnum;

/// What the input is.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum From {
    /// Files, told by their content
    Files,
    /// JSON lines
    Jsonl,
}
