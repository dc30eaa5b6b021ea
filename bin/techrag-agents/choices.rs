//! The choices of `techrag-agents generate` as the command line names them.

use clap::ValueEnum;
use techrag_agents::generate;

/// Who writes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// With a language model configured `single`, or `multi` for a question of high effort; else `extractive`
    Auto,
    /// Planner, researcher, writer, critic
    Multi,
    /// One call
    Single,
    /// Quotes the sources; no language model
    Extractive,
}

impl From<Mode> for generate::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Auto => Self::Auto,
            Mode::Multi => Self::Multi,
            Mode::Single => Self::Single,
            Mode::Extractive => Self::Extractive,
        }
    }
}

/// What stands in place of a model's answer none of whose claims is verified.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fallback {
    /// The extractive answer of the same evidence; the model's words stay in the trace
    Extractive,
    /// Nothing: the model's answer stays in the record and is not printed
    None,
}

impl From<Fallback> for generate::Fallback {
    fn from(fallback: Fallback) -> Self {
        match fallback {
            Fallback::Extractive => Self::Extractive,
            Fallback::None => Self::Nothing,
        }
    }
}
