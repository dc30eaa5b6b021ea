//! The one door to argv, stdio, exit codes, colour, progress and configuration.
//!
//! A binary is a struct of arguments and a `run`:
//!
//! ```no_run
//! use techrag_cli::{Bare, Cli, Kind, Outcome, Wanted};
//!
//! /// Pass every chunk on
//! #[derive(clap::Parser)]
//! #[command(name = "techrag-example", after_help = "Examples:\n  techrag-example <in.jsonl >out.jsonl")]
//! struct Args {}
//!
//! fn run(_: Args, cli: &Cli) -> anyhow::Result<Outcome> {
//!     let wanted = Wanted { kinds: &[Kind::Chunk], bare: Bare::Refused };
//!     cli.each(wanted, |record| Ok(vec![record]))
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     techrag_cli::main(run)
//! }
//! ```
//!
//! Every tool so gets the same options, the same layered configuration, the same exit codes ([`Outcome`]) and the same
//! streaming: order kept under parallelism, memory bounded, output flushed as soon as the input would block, a broken
//! pipe treated as success, errors written as records and echoed once on stderr.

mod common;
mod config;
mod entry;
mod failure;
mod input;
mod manual;
mod outcome;
mod output;
mod places;
mod progress;
pub mod range;
mod report;
mod stream;

pub use common::{Cli, Colour, Variable, VectorForm};
pub use entry::{Worker, main, main_with_worker};
pub use failure::{Hinted, Unreachable, hint};
pub use input::Item;
pub use outcome::Outcome;
pub use stream::{Step, Unread};
pub use techrag_core::codec::{Bare, Wanted};
pub use techrag_core::record::{Kind, Record};
