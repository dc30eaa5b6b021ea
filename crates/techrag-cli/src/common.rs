//! The options every tool has, and what they mean once parsed.

use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;
use std::time::Instant;

use clap::{ArgAction, Args, ValueEnum};
use techrag_core::record::Query;
use techrag_core::vector::Form;

use crate::config::Layers;
use crate::failure::hint;
use crate::range;

const HEADING: &str = "Common options";

/// Options every tool has.
#[derive(Args, Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "one flag of the command line each")]
#[command(next_help_heading = HEADING)]
pub(crate) struct Common {
    /// Folder of the library
    #[arg(long, global = true, env = "TECHRAG_LIBRARY", value_name = "DIR")]
    pub(crate) library: Option<PathBuf>,
    /// Folder of models, searched before the usual places
    #[arg(long, global = true, env = "TECHRAG_MODELS", value_name = "DIR")]
    pub(crate) models: Option<PathBuf>,
    /// Write to FILE instead of stdout; the file appears when the run has ended
    #[arg(short, long, global = true, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Number of parallel workers [default: the number of processors]
    #[arg(short, long, global = true, env = "TECHRAG_JOBS", value_name = "N", value_parser = range::workers)]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Print errors only
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Say more on stderr; twice for details
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Colour the output
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: When,
    /// How progress is shown on stderr
    #[arg(long, global = true, value_name = "HOW", default_value = "auto")]
    pub(crate) progress: ProgressForm,
    /// Open no socket
    #[arg(long, global = true, env = "TECHRAG_OFFLINE", value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) offline: bool,
    /// Write milliseconds into the trace (the same input then gives different bytes)
    #[arg(long, global = true)]
    pub(crate) timings: bool,
    /// Print each setting, its value and where it came from, and stop
    #[arg(long, global = true)]
    pub(crate) print_config: bool,
    /// Print the JSON Schemas of the records, and stop
    #[arg(long, global = true)]
    pub(crate) schema: bool,
    /// Print completions for a shell, and stop
    #[arg(long, global = true, value_name = "SHELL", hide = true)]
    pub(crate) completions: Option<clap_complete::Shell>,
    /// Print the man page, and stop
    #[arg(long, global = true, hide = true)]
    pub(crate) man: bool,
}

/// When something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressForm {
    /// A bar on a terminal, nothing elsewhere
    Auto,
    /// One JSON object a second
    Json,
    /// Nothing
    None,
}

/// Whether text may carry terminal colours. Libraries take this as a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Plain,
    /// ANSI escape sequences.
    Ansi,
}

/// What a `run` gets beside its own arguments.
#[derive(Debug)]
pub struct Cli {
    pub(crate) tool: String,
    pub(crate) common: Common,
    pub(crate) no_color: bool,
    pub(crate) help: String,
    pub(crate) layers: Layers,
}

/// An environment variable that somebody named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variable {
    /// Its value, not empty.
    Set(String),
    /// It is absent or empty.
    Unset,
    /// Its value is not UTF-8.
    NotText,
}

impl Cli {
    /// The tool's name without `techrag-` in front, as traces and error records have it.
    pub fn stage(&self) -> &str {
        self.tool.strip_prefix("techrag-").unwrap_or(&self.tool)
    }

    /// Version of the tools.
    pub fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// Tool and version, as the `by` of a record has it.
    pub fn by(&self) -> String {
        format!("{} {}", self.tool, self.version())
    }

    /// The library's folder.
    ///
    /// # Errors
    /// If none was given.
    pub fn library(&self) -> anyhow::Result<&Path> {
        self.common.library.as_deref().ok_or_else(|| {
            hint(
                anyhow::anyhow!("no library given"),
                "say --library DIR, set TECHRAG_LIBRARY, or write it in techrag.toml",
            )
        })
    }

    /// The folder of models, where one was given.
    pub fn models(&self) -> Option<&Path> {
        self.common.models.as_deref()
    }

    /// The configuration files' tables of this name, the strongest file's first, and whether that file is the project's
    /// rather than the user's own.
    pub fn tables(&self, name: &str) -> Vec<(&toml::Table, bool)> {
        self.layers.tables(name)
    }

    /// An environment variable that an option or a file named.
    #[expect(clippy::disallowed_methods, reason = "techrag-cli is the room that reads the environment")]
    pub fn variable(&self, name: &str) -> Variable {
        match std::env::var(name) {
            Ok(value) if !value.is_empty() => Variable::Set(value),
            Ok(_) | Err(std::env::VarError::NotPresent) => Variable::Unset,
            Err(std::env::VarError::NotUnicode(_)) => Variable::NotText,
        }
    }

    /// Number of parallel workers, at least 1.
    pub fn jobs(&self) -> usize {
        self.common.jobs.or_else(|| available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    /// Whether sockets are forbidden.
    pub fn offline(&self) -> bool {
        self.common.offline
    }

    /// Whether wall times go into the trace.
    pub fn timings(&self) -> bool {
        self.common.timings
    }

    /// Runs a step on a query and stamps the trace entry it appended, if it did: the version where the step gave none,
    /// and with `--timings` how long it took.
    pub fn timed<T>(&self, query: &mut Query, step: impl FnOnce(&mut Query) -> T) -> T {
        let (before, started) = (query.trace.len(), Instant::now());
        let result = step(query);
        if let Some(entry) = query.trace.get_mut(before..).and_then(<[_]>::last_mut) {
            if entry.version.is_empty() {
                self.version().clone_into(&mut entry.version);
            }
            if self.timings() {
                entry.ms = Some(started.elapsed().as_secs_f64() * 1000.0);
            }
        }
        result
    }

    /// Whether stdout (or the output file) may be coloured.
    pub fn stdout_colour(&self) -> Colour {
        self.colour(self.common.output.is_none() && io::stdout().is_terminal())
    }

    pub(crate) fn stderr_colour(&self) -> Colour {
        self.colour(io::stderr().is_terminal())
    }

    fn colour(&self, terminal: bool) -> Colour {
        match self.common.color {
            When::Always => Colour::Ansi,
            When::Auto if terminal && !self.no_color => Colour::Ansi,
            When::Auto | When::Never => Colour::Plain,
        }
    }

    /// Columns of the terminal stdout is, or 80.
    pub fn width(&self) -> usize {
        let size = if self.common.output.is_none() { terminal_size::terminal_size() } else { None };
        size.map_or(80, |(width, _)| usize::from(width.0))
    }
}

/// How vectors are written; the value of a `--vectors` option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VectorForm {
    /// Base64 of little-endian f32
    Base64,
    /// A JSON array
    Array,
}

impl From<VectorForm> for Form {
    fn from(form: VectorForm) -> Self {
        match form {
            VectorForm::Base64 => Self::Base64,
            VectorForm::Array => Self::Array,
        }
    }
}
